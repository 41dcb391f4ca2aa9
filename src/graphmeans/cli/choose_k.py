"""`graphmeans choose-k`: how many clusters to take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import encoder_of, input_graphs
from graphmeans.cli.output import echo_json, plain_table, safe_markup, say

if TYPE_CHECKING:
    from graphmeans.evaluation.choosing import KChoice


def choose_k_command(
    source: options.Input,
    clusters: Annotated[
        str, typer.Option("--clusters", "-k", metavar="2-12|2,5,10", help="Numbers to try.", show_default="up to 30")
    ] = "",
    output: options.OutputFolder = Path("graphmeans-choose-k"),
    seeds: Annotated[int, typer.Option(min=2, help="Runs for each number, whose agreement is its stability.")] = 3,
    sample: Annotated[int, typer.Option(min=10, help="Graphs that silhouettes are computed of, at most.")] = 300,
    fit_sample: Annotated[
        int, typer.Option(min=10, help="Graphs that are clustered, at most, but 20 for each cluster: a random sample.")
    ] = 600,
    matcher: options.MatcherOption = options.MatcherName.auto,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    node_weight: options.NodeWeight = 1.0,
    edge_weight: options.EdgeWeight = 1.0,
    raw: options.Raw = False,
    encoder: options.EncoderJson = None,
    seed: options.Seed = 0,
    device: options.DeviceOption = options.DeviceName.auto,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Find out how many clusters there are.

    Tries several numbers from several starts each. Of those whose runs agree and whose silhouette is nearly the best it
    recommends the one at which the objective bends most sharply. Writes choose-k.json and choose-k.svg with the three
    curves: silhouette, objective, stability.

    [bold]Examples[/bold]

    graphmeans choose-k Letter.zip

    graphmeans choose-k molecules.smi -k 5-20 --seeds 3 -o how-many
    """
    with reported(debug):
        import json

        from graphmeans.cli.progress import shown_progress

        numbers = parse_numbers(clusters) if clusters else None
        with shown_progress(f"reading {source}", quiet=as_json):
            graphs, _ = input_graphs(source, labelled, roles)
        from graphmeans.evaluation.choosing import choose_k
        from graphmeans.plots.displays import draw_choice

        with shown_progress("clustering", quiet=as_json):
            choice = choose_k(
                graphs, numbers, n_seeds=seeds, sample_size=sample, fit_size=fit_sample, random_state=seed, matcher=matcher.value,
                encoder=encoder_of(raw, encoder), node_weight=node_weight, edge_weight=edge_weight,
                device=device.value, n_jobs=jobs,
            )  # fmt: skip
        output.mkdir(parents=True, exist_ok=True)
        picture = output / "choose-k.svg"
        draw_choice(choice).savefig(picture, format="svg")
        found = {"input": str(source), **choice.as_dict()}
        text = json.dumps(found, indent=1, ensure_ascii=False)
        (output / "choose-k.json").write_text(text + "\n", encoding="utf-8")
        if as_json:
            echo_json({**found, "file": str(picture)})
        else:
            _show(choice, picture)


def parse_numbers(text: str) -> list[int]:
    """Numbers out of "2-12", "2,5,10" or a mixture.

    Examples
    --------
    >>> parse_numbers("2-4,8")
    [2, 3, 4, 8]
    """
    numbers: list[int] = []
    for part in text.split(","):
        low, dash, high = part.strip().partition("-")
        ends = (low, high) if dash else (low, low)
        if not all(end.strip().isascii() and end.strip().isdigit() and len(end.strip()) < 7 for end in ends):
            raise ValueError(f"-k {text}: {part.strip()!r} is neither a number nor a range such as 2-12")
        numbers += range(int(ends[0]), int(ends[1]) + 1)
    return sorted(set(numbers))


def _show(choice: KChoice, picture: Path) -> None:
    from graphmeans.report.words import number

    table = plain_table(right=("clusters", "silhouette", "objective", "stability", "smallest"))
    table.add_column("")
    for row in choice.tried:
        marks = ["recommended"] * (row.n_clusters == choice.recommended) + ["bend"] * (row.n_clusters == choice.elbow)
        style = "bold green" if row.n_clusters == choice.recommended else None
        table.add_row(
            number(row.n_clusters), f"{row.silhouette:.3f}", number(row.inertia), f"{row.stability:.3f}", number(row.smallest),
            ", ".join(marks), style=style,
        )  # fmt: skip
    say(table)
    say(f"[bold]{safe_markup(choice.reason)}[/bold]")
    say(f"[bold green]curves[/bold green] {safe_markup(picture)}")
