"""The picture of `choose_k`: silhouette, objective and stability by number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphmeans.plots.axes import INK, MEAN_INK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The colour of what is recommended.
CHOSEN = "#c2410c"


def draw_choice(choice: Any, figure: Figure | None = None) -> Figure:
    """Three curves over the number of clusters, with the recommended number marked.

    Parameters
    ----------
    choice : KChoice
    figure : matplotlib figure, optional

    Returns
    -------
    matplotlib.figure.Figure
    """
    if figure is None:
        from matplotlib.figure import Figure as NewFigure

        figure = NewFigure(figsize=(9.0, 3.0), layout="constrained")
    ks = [row.n_clusters for row in choice.tried]
    curves = (
        ("silhouette", "mean silhouette width", None),
        ("inertia", "objective", choice.elbow),
        ("stability", "agreement of runs (ARI)", None),
    )
    for ax, (name, label, bend) in zip(figure.subplots(1, 3), curves, strict=True):
        values = [getattr(row, name) for row in choice.tried]
        ax.plot(ks, values, color=MEAN_INK, marker="o", markersize=3.5, linewidth=1.6)
        ax.axvline(choice.recommended, color=CHOSEN, linewidth=1.2, linestyle=(0, (4, 3)))
        if bend is not None:
            ax.plot(bend, values[ks.index(bend)], "o", markersize=10, markerfacecolor="none", color=MEAN_INK)
            ax.annotate("bend", (bend, values[ks.index(bend)]), xytext=(8, 8), textcoords="offset points", color=INK)
        ax.set_xlabel("number of clusters")
        ax.set_title(label, fontsize=10, color=INK)
        ax.locator_params(axis="x", integer=True)
        ax.set_ylim(min(0.0, *values), 1.05 * max(1.0 if name == "stability" else 0.0, *values))
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
    figure.suptitle(f"{choice.recommended} clusters recommended", fontsize=11, color=CHOSEN)
    return figure
