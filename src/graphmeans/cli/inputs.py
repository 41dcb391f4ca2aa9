"""What the arguments of several commands mean: an encoder, a graph of a collection, a model file, who does the work."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmeans.cli.options import EngineName

if TYPE_CHECKING:
    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.graph import Graph
    from graphmeans.io.formats.molecule_table import MoleculeTable
    from graphmeans.io.parquet.collection import Collection

logger = logging.getLogger("graphmeans")


def encoder_of(raw: bool, described: str | None) -> GraphEncoder | str:
    """The encoder that the options ask for: "auto" if they say nothing."""
    if described is None and not raw:
        return "auto"
    from graphmeans.files import read_file
    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.encoding.molecules import PRESETS, MoleculeEncoder

    if described is None:
        return GraphEncoder(numbers="keep")
    if raw:
        raise ValueError("--raw and --encoder both say what becomes of numbers; write \"numbers\": \"keep\" into --encoder")
    if described in PRESETS:
        return described
    is_json = described.lstrip().startswith("{")
    if not is_json and not Path(described).exists():
        raise ValueError(f"--encoder {described!r} is neither {' nor '.join(PRESETS)} nor JSON nor a file of it")
    text = described if is_json else read_file(described).decode("utf-8")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--encoder is not valid JSON ({error})") from None
    preset = given.pop("preset", None) if isinstance(given, dict) else None
    if preset is not None and (not isinstance(preset, str) or preset not in PRESETS):
        raise ValueError(f"--encoder: there is no preset {preset!r}; known are {', '.join(PRESETS)}")
    made: GraphEncoder = GraphEncoder() if preset is None else MoleculeEncoder(**PRESETS[preset])
    known = made.get_params()
    strange = sorted(set(given) - set(known)) if isinstance(given, dict) else []
    if not isinstance(given, dict) or strange:
        what = f"{type(made).__name__} has no parameter {strange[0]!r}" if strange else "give an object"
        raise ValueError(f"--encoder: {what}; known are {', '.join(known)}")
    return made.set_params(**given)


class Read(NamedTuple):
    """What was read: graphs, their classes, and the file of molecules that they are from."""

    graphs: list[Graph] | Collection
    classes: list[str] | None
    table: MoleculeTable | None


def read_input(
    source: Path, smiles: str | None = None, name: str | None = None, label: str | None = None, strict: bool = False
) -> Read:
    """The graphs at a path, and their classes; of a file of molecules also the rest of it, and standard input is one."""
    from graphmeans.io.collection import open_or_read
    from graphmeans.io.formats.molecule_table import is_molecule_file, read_molecules

    if is_molecule_file(source):
        table = read_molecules(source, smiles_column=smiles, name_column=name, class_column=label, strict=strict)
        return Read(table.graphs, table.classes, table)
    said = {"--smiles-column": smiles, "--name-column": name, "--class-column": label, "--strict": strict or None}
    wrong = [option for option, value in said.items() if value is not None]
    if wrong:
        raise ValueError(f"{wrong[0]} is for a file of molecules, which {source} is not")
    return Read(*open_or_read(source), None)


def input_graphs(source: Path, labelled: bool = False, roles: str | None = None) -> tuple[Any, list[str] | None]:
    """The graphs of an input and their classes; with roles, if the options ask for them, and then all in memory."""
    from graphmeans.io.collection import open_or_read

    graphs, classes = open_or_read(source)
    return in_roles(graphs, labelled, roles), classes


def in_roles(graphs: Any, labelled: bool, roles: str | None) -> Any:
    """The graphs of an input with the roles that the options ask for; as they are, and where they are, if they ask for none."""
    if labelled or roles is not None:
        return with_chosen_roles(list(graphs), labelled, roles)
    if not isinstance(graphs, list):
        warn_of_identities(graphs)
    return graphs


def warn_of_identities(collection: Any) -> None:
    """Warn if the names of nodes in a collection on disk seem to be identities; of a list a fit itself does."""
    import warnings

    from graphmeans.graphs.labelled import ignored_identities

    said = ignored_identities(collection, lambda: collection.take(range(min(len(collection), 30))))
    if said is not None:
        warnings.warn(said, stacklevel=2)


def with_chosen_roles(graphs: list[Graph], labelled: bool, roles: str | None) -> list[Graph]:
    """The graphs with the roles that --labelled or --roles ask for."""
    from graphmeans.graphs.labelled import with_identities, with_roles

    if labelled and roles is not None:
        raise ValueError("--labelled and --roles both say which nodes may be matched; give one of them")
    if labelled:
        return with_identities(graphs)
    return graphs if roles is None else with_roles(graphs, roles)


def query_graphs(where: str) -> list[Graph]:
    """All graphs of an input, or the one at ``INPUT#NAME`` or ``INPUT#NUMBER``."""
    from graphmeans.io.collection import read_collection

    return read_collection(Path(where))[0] if Path(where).exists() or "#" not in where else [one_graph(where)]


def one_graph(where: str) -> Graph:
    """The graph at ``FILE``, or ``INPUT#NAME`` or ``INPUT#NUMBER`` in a collection (numbers begin at 0)."""
    from graphmeans.io.collection import read_collection

    path, _, which = (where, "", "") if Path(where).exists() else where.rpartition("#")
    if not path:
        path, which = where, ""
    graphs, _ = read_collection(Path(path))
    if not which:
        if len(graphs) != 1:
            raise ValueError(f"{path}: holds {len(graphs)} graphs; say which one: {path}#NAME or {path}#NUMBER")
        return graphs[0]
    named = [graph for graph in graphs if graph.name == which]
    if len(named) == 1:
        return named[0]
    if named:
        raise ValueError(f"{path}: {len(named)} graphs are called {which!r}; give the number of one")
    if which.isascii() and which.isdigit() and int(which) < len(graphs):
        return graphs[int(which)]
    raise ValueError(f"{path}: no graph {which!r}; there are {len(graphs)}, the first is {graphs[0].name!r}")


#: Names of files and folders that say nothing of what is in them.
_PLAIN = {"data", "graphs", "index", "input", "molecules", "test", "train", "training", "valid", "validation"}


def title_of(source: Path) -> str:
    """What a page about a collection is called: the name of its file, after that of its folder if it is one that many have.

    Examples
    --------
    >>> title_of(Path("/iam/GREC.zip/GREC/data/test.cxl")), title_of(Path("/drawings/letters.npz"))
    ('GREC/test.cxl', 'letters.npz')
    """
    path = source.resolve()
    if path.stem.lower() not in _PLAIN:
        return path.name
    folder = next((parent.name for parent in path.parents if parent.name and parent.name.lower() not in _PLAIN), "")
    return f"{folder}/{path.name}" if folder else path.name


def model_path(path: Path) -> Path:
    """The model file, where the folder may be given that `graphmeans cluster` wrote."""
    if not path.is_dir():
        return path
    if not (path / "model.gmz").is_file():
        raise ValueError(f"{path}: holds no model.gmz; give a folder that `graphmeans cluster` wrote")
    return path / "model.gmz"


def engine_address(engine: EngineName | None, scheduler: str | None) -> str:
    """ "threads", "dask" for processes on this machine, or the address of a scheduler."""
    if scheduler is None:
        return (engine or EngineName.threads).value
    if engine == EngineName.threads:
        raise ValueError("--scheduler is for --engine dask; with --engine threads it would not be used")
    path = Path(scheduler)
    if not path.is_file():
        if path.suffix == ".json" and "://" not in scheduler:
            raise ValueError(f"--scheduler {scheduler}: no such file")
        return scheduler
    try:
        return str(json.loads(path.read_text(encoding="utf-8"))["address"])
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"--scheduler {scheduler}: is not a file that a dask scheduler wrote") from None


@contextmanager
def connected_workers(where: str, jobs: int | None) -> Iterator[Any]:
    """The dask cluster that works while the body runs, its workers checked; None for threads of this process."""
    if where == EngineName.threads.value:
        yield None
        return
    from graphmeans.cluster.engines.dask_client import need_distributed
    from graphmeans.cluster.estimators.workers import open_workers

    need_distributed()
    if where != EngineName.dask.value:
        logger.info("preparing the workers of %s", where)
    with _without_their_log(), open_workers(where, jobs) as client:
        assert client is not None
        logger.info("%d workers are ready", len(client.workers()))
        yield client


@contextmanager
def _without_their_log() -> Iterator[None]:
    """Silence dask, which logs tracebacks when workers are lost: the library says in one line what that means."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] in ("distributed", "tornado")]
    levels = [(logging.getLogger(name), logging.getLogger(name).level) for name in names]
    for theirs, _ in levels:
        theirs.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for theirs, level in levels:
            theirs.setLevel(level)
