"""`graphmeans doctor`: what a report of a bug should tell, and whether the kernels compute what they should."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from typing import TYPE_CHECKING, Any

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.output import echo_json

if TYPE_CHECKING:
    from graphmeans.graphs.graph import Graph

#: What results may depend on, and what is optional.
PACKAGES = ("graphmeans", "numpy", "scipy", "scikit-learn", "numba", "llvmlite", "networkx", "typer", "matplotlib", "defusedxml")
EXTRAS = ("pyarrow", "dask", "distributed", "pandas", "igraph", "rdkit", "torch", "torch_geometric", "cupy")
#: Pairs of graphs in the self-test, and the most nodes of one of them: all permutations are tried.
PAIRS, NODES = 20, 4
#: How far a distance may be from the right one.
CLOSE = 1e-9


def doctor_command(as_json: options.AsJson = False, debug: options.Debug = False) -> None:
    """Say which versions, devices and cached kernels there are, and test the kernels.

    The self-test compares every kind of matching with all permutations, on small graphs, and a small fit on one thread
    with one on two. It takes a few seconds, and half a minute longer where kernels have to be compiled first. Copy what it
    prints into a report of a bug. The exit code is 1 if a test fails.

    [bold]Examples[/bold]

    graphmeans doctor

    graphmeans doctor --json
    """
    with reported(debug):
        found = {}
        for part, ask in (("versions", _versions), ("system", _system), ("kernels", _kernels)):
            found[part] = ask()
            if not as_json:
                typer.echo(f"{part}:" + "".join(f"\n  {name}: {said}" for name, said in found[part].items()))
        found["self-test"] = _tested(not as_json)
        if as_json:
            echo_json(found)
        failed = [name for name, said in found["self-test"].items() if said != "ok"]
        if failed:
            typer.echo(f"graphmeans: error: the self-test failed: {', '.join(failed)}", err=True)
            raise typer.Exit(1)


def _versions() -> dict[str, str]:
    import platform
    from importlib.metadata import PackageNotFoundError, distributions, version

    found = {"Python": platform.python_version()}
    for name in (*PACKAGES, *EXTRAS):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed" + (" (optional)" if name in EXTRAS else "")
    for package in distributions():  # CuPy has a wheel of another name for each CUDA
        if str(package.name).startswith("cupy-cuda"):
            found["cupy"] = f"{package.version} ({package.name})"
    return found


def _system() -> dict[str, str]:
    import locale
    import os
    import platform
    import tempfile

    from graphmeans.budget import machine_memory, shown_bytes
    from graphmeans.matching.pairs import n_threads

    names = ("GRAPHMEANS_CACHE", "GRAPHMEANS_MEMORY", "GRAPHMEANS_MAX_MEMORY", "NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR",
             "NUMBA_BOUNDSCHECK", "OMP_NUM_THREADS", "HOME", "TMPDIR")  # fmt: skip
    said = {name: os.environ[name] for name in names if name in os.environ and name not in ("HOME", "TMPDIR")}
    try:
        temporary = f"{tempfile.gettempdir()} can be written"
    except OSError:
        temporary = "there is no folder for temporary files: set TMPDIR"
    return {
        "platform": f"{platform.platform()}, {platform.machine()}", "threads": str(n_threads(None)),
        "memory": shown_bytes(machine_memory()), "GPU": _gpu(), "encoding": locale.getpreferredencoding(False),
        "temporary files": temporary, "HOME": "set" if "HOME" in os.environ else "not set",
        **said,
    }  # fmt: skip


def _gpu() -> str:
    """What CUDA sees, through the optional package CuPy."""
    try:
        import cupy  # type: ignore[import-not-found, unused-ignore]

        count = cupy.cuda.runtime.getDeviceCount()
        names = [cupy.cuda.runtime.getDeviceProperties(i)["name"].decode() for i in range(count)]
        return ", ".join(names) or "none"
    except ImportError:
        return "none that is used (CuPy is not installed)"
    except Exception as error:  # a driver that is missing or too old: anything may come from there
        return f"none that can be used ({type(error).__name__}: {str(error).splitlines()[0][:100]})"


def _kernels() -> dict[str, str]:
    from graphmeans.kernels.bounds import bound_pairs
    from graphmeans.kernels.edge_tree import edge_pairs
    from graphmeans.kernels.exact import exact_pairs
    from graphmeans.kernels.fixed import fixed_pairs
    from graphmeans.kernels.frames import add_graphs
    from graphmeans.kernels.graduated import graduated_pairs
    from graphmeans.kernels.jit import COMPILED, cache_state
    from graphmeans.kernels.search import search_pairs

    if not COMPILED:
        return {"compiled": "no: NUMBA_DISABLE_JIT is set"}
    all_of_them = (bound_pairs, edge_pairs, exact_pairs, fixed_pairs, add_graphs, graduated_pairs, search_pairs)
    folders = {cache_state(kernel)[0] for kernel in all_of_them}
    ready = [kernel.__name__ for kernel in all_of_them if cache_state(kernel)[1]]
    folder = next(iter(folders)) or "none: kernels are compiled once a process"
    return {"cache": str(folder), "in the cache": f"{len(ready)} of {len(all_of_them)} ({', '.join(ready) or 'none'})"}


# -- the self-test -----------------------------------------------------------------------------------


def _tested(shown: bool) -> dict[str, str]:
    """What each test says. Its name is printed before it begins: should it end the process, that is the last that was said."""
    tests: dict[str, Callable[[], None]] = {
        "exact": lambda: _matcher("exact"), "search": lambda: _matcher("search"), "graduated": lambda: _matcher("graduated"),
        "bounds": _bounds, "mean": _mean, "fit": _fit, "bad input": _bad_input,
    }  # fmt: skip
    if shown:
        typer.echo("self-test:")
    found = {}
    for name, test in tests.items():
        if shown:
            typer.echo(f"  {name}: ", nl=False)
        try:
            test()
        except Exception as error:  # whatever it is, it belongs into the report
            found[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        else:
            found[name] = "ok"
        if shown:
            typer.echo(found[name])
    return found


def _pairs() -> Iterator[tuple[Graph, Graph, float]]:
    """Small graphs, and their distance as all permutations give it."""
    import numpy as np

    from graphmeans.graphs.graph import Graph

    rng = np.random.default_rng(0)
    for _ in range(PAIRS):
        directed = bool(rng.random() < 0.3)
        graphs, matrices = [], []
        for _ in range(2):
            n = int(rng.integers(1, NODES + 1))
            nodes = rng.integers(-2, 3, size=(n, 1)).astype(float)
            edges = [(i, j) for i in range(n) for j in range(n) if (i < j or (directed and i > j)) and rng.random() < 0.5]
            values = rng.integers(1, 4, size=len(edges)).astype(float)
            matrix = np.zeros((NODES, NODES))
            matrix[range(n), range(n)] = nodes[:, 0]
            for (i, j), value in zip(edges, values, strict=True):
                matrix[i, j] = value
                matrix[j, i] = matrix[j, i] if directed else value
            graphs.append(Graph(nodes, edges, values, directed=directed))
            matrices.append(matrix)
        x, y = matrices
        all_of_them = map(list, permutations(range(NODES)))
        yield *graphs, min(float(np.sqrt(((x - y[np.ix_(p, p)]) ** 2).sum())) for p in all_of_them)  # type: ignore[misc]


def _matcher(name: str) -> None:
    from graphmeans.functions import match

    for x, y, right in _pairs():
        found = match(x, y, name, order=NODES)
        _expect(found.lower <= right + CLOSE and right <= found.upper + CLOSE, f"{found.lower} to {found.upper}, not {right}")
        _expect(name != "exact" or abs(found.upper - right) <= CLOSE * (1 + right), f"{found.upper} instead of {right}")


def _bounds() -> None:
    import numpy as np

    from graphmeans.functions import edge_bound, sketch

    for x, y, right in _pairs():
        _expect(edge_bound(x, y, order=NODES) <= right + CLOSE, "the bound of the edge program is above the distance")
    for x, y, right in _pairs():
        a, b = sketch([x, y], order=NODES, encoder=_plain())
        _expect(float(np.linalg.norm(a - b)) <= right + CLOSE, "sketches are farther apart than their graphs")


def _mean() -> None:
    from graphmeans.functions import mean
    from graphmeans.graphs.graph import Graph

    found = mean([Graph([[0.0], [2.0]], [(0, 1)]), Graph([[4.0], [2.0]], [(0, 1)])], matcher="exact", encoder=_plain())
    _expect(sorted(found.nodes[""].ravel().tolist()) in ([1.0, 3.0], [2.0, 2.0]), f"the mean has nodes {found.nodes['']}")


def _fit() -> None:
    import numpy as np

    from graphmeans.cluster.estimators.kmeans import GraphKMeans
    from graphmeans.datasets import make_letters

    letters, _ = make_letters(40, random_state=0)
    one, two = (GraphKMeans(4, random_state=0, n_jobs=jobs).fit(letters) for jobs in (1, 2))
    _expect(np.array_equal(one.labels_, two.labels_) and one.inertia_ == two.inertia_, "two threads find something else than one")
    found = one.transform(letters)[np.arange(40), one.labels_]
    _expect(bool(np.allclose(found, one.distances_)), "distances are not those to the own centers")


def _bad_input() -> None:
    import numpy as np

    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.errors import GraphError
    from graphmeans.graphs.graph import Graph
    from graphmeans.space import GraphSpace

    batch = GraphEncoder().fit_transform([Graph(2, [(0, 1)]), Graph(2)])
    space = GraphSpace.for_graphs(batch, matcher="exact", n_jobs=1)
    try:
        space.match(batch, batch, np.array([[0, 1]]), np.array([0, 2**40]))
    except GraphError:
        return
    raise AssertionError("a mapping that leads nowhere was not refused")


def _plain() -> Any:
    from graphmeans.graphs.encoding.encoder import GraphEncoder

    return GraphEncoder(numbers="keep")


def _expect(true: bool, said: str) -> None:
    if not true:
        raise AssertionError(said)
