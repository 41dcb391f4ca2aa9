"""What all displays share: axes in and out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.errors import GraphError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Display:
    """What all displays share."""

    ax_: Axes
    figure_: Any

    def _begin(self, ax: Axes | None, size: tuple[float, float], **labels: str) -> Axes:
        if ax is None:
            from matplotlib import pyplot as plt

            _, ax = plt.subplots(figsize=size, layout="constrained")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        ax.set(**labels)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return ax


def labels_of(estimator: Any, graphs: Any) -> NDArray[np.int64]:
    """The labels of an estimator that was fitted to these graphs."""
    if len(graphs) != len(estimator.labels_):
        raise GraphError(f"the estimator was fitted to {len(estimator.labels_)} graphs, not to {len(graphs)}")
    return np.asarray(estimator.labels_, dtype=np.int64)
