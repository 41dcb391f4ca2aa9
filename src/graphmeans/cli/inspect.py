"""`graphmeans inspect`: what is in a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import encoder_of, in_roles, read_input
from graphmeans.cli.output import echo_json, plain_table, safe_markup, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from graphmeans.evaluation.inspecting import Inspection

_MOST_ROWS = 60


def inspect_command(
    source: options.Input,
    n_clusters: Annotated[int, typer.Option("--clusters", "-k", min=1, help="For the estimate of time and memory.")] = 8,
    matcher: options.MatcherOption = options.MatcherName.auto,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    node_weight: options.NodeWeight = 1.0,
    edge_weight: options.EdgeWeight = 1.0,
    raw: options.Raw = False,
    encoder: options.EncoderJson = None,
    smiles_column: options.SmilesColumn = None,
    name_column: options.NameColumn = None,
    class_column: options.ClassColumn = None,
    strict: options.Strict = False,
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Say what is in a collection, and what clustering it would take.

    Sizes, attributes and their types, missing values, copies; what the encoder makes of each attribute and how much of the
    distance it accounts for (from 200 matched pairs); time and memory of a fit (from a fit of a sample).

    [bold]Examples[/bold]

    graphmeans inspect molecules.smi -k 20

    graphmeans inspect Letter.zip --json
    """
    with reported(debug):
        from graphmeans.cli.progress import shown_progress

        with shown_progress(f"reading {source}", quiet=as_json):
            graphs, classes, _ = read_input(source, smiles_column, name_column, class_column, strict)
            graphs = in_roles(graphs, labelled, roles)
        from graphmeans.evaluation.inspecting import inspect

        with shown_progress("matching a sample", quiet=as_json):
            found = inspect(
                graphs, n_clusters, random_state=seed, matcher=matcher.value, encoder=encoder_of(raw, encoder),
                node_weight=node_weight, edge_weight=edge_weight,
            )  # fmt: skip
        if as_json:
            known = None if classes is None else sorted(set(map(str, classes)))
            echo_json({"input": str(source), "classes": known, **found.as_dict()})
        else:
            _show(found, classes)


def _show(found: Inspection, classes: Sequence[object] | None) -> None:
    from graphmeans.report.words import counted, duration, number

    kinds = "directed" if found.n_directed == found.n_graphs else "undirected"
    if 0 < found.n_directed < found.n_graphs:
        kinds = f"{number(found.n_directed)} of them directed"
    known = "" if classes is None else f", {len(set(map(str, classes)))} classes"
    say(f"[bold]{counted(found.n_graphs, 'graph')}[/bold], {kinds}{known}")
    for what, (least, median, mean, most) in (("nodes", found.nodes), ("edges", found.edges)):
        say(f"{what}  {number(least)} to {number(most)}, median {number(median)}, mean {mean:.1f}")
    if found.roles:
        shown = ", ".join(f"{safe_markup(role, 20)} {number(count)}" for role, count in list(found.roles.items())[:8])
        say(f"roles  {shown}{' …' if len(found.roles) > 8 else ''}")
    if found.copies is not None:
        renamed = "" if not found.relabelled else f", and {number(found.relabelled)} but for the numbering of nodes"
        say(f"copies {number(found.copies)} exact{renamed}")
    say("")
    say(_table(found))
    say("")
    if found.problem is not None:
        say(f"[bold red]cannot be encoded[/bold red] as it is: {safe_markup(found.problem)}")
    if found.cost is not None:
        cost = found.cost
        clusters = counted(cost.n_clusters, "cluster")
        say(
            f"a fit with {clusters} takes about [bold]{duration(cost.seconds)}[/bold], "
            f"{number(float(f'{cost.matchings:.2g}'))} matchings (a matching takes {1e3 * cost.seconds_a_matching:.2g} ms, "
            f"the longest at most {duration(cost.seconds_longest_matching)}) "
            f"and {_bytes(cost.bytes)} of memory"
        )
    for note in found.notes:
        say(f"[yellow]note[/yellow] {safe_markup(note)}")


def _table(found: Inspection) -> Table:
    from graphmeans.report.words import number, percent

    table = plain_table("", "attribute", "is", "becomes", right=("values", "distinct", "missing"), gap=1, no_wrap=True)
    table.add_column("distance", no_wrap=True)
    for column in found.columns[:_MOST_ROWS]:
        name = safe_markup(column.name, 30) or "[dim](no name)[/dim]"
        share = "" if found.problem else f"{percent(column.share):<5} [cyan]{'█' * round(8 * column.share)}[/cyan]"
        distinct = number(column.distinct) if column.distinct else ""
        table.add_row(
            column.part, name, column.kind.removeprefix("a "), safe_markup(column.treatment), number(column.values), distinct,
            number(column.missing), share,
        )  # fmt: skip
    if len(found.columns) > _MOST_ROWS:
        table.add_row("…", f"{len(found.columns) - _MOST_ROWS} more, see --json")
    return table


def _bytes(count: float) -> str:
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:.2g} {unit}" if count < 100 * size else f"{count / size:.0f} {unit}"
    return f"{count:.0f} bytes"
