"""Data sets of the TU collection, from the files of the user or downloaded into a folder of the user.

The source publishes no checksums, so none are built in. A file comes over HTTPS, and the first download is trusted: its
SHA-256 is written beside it and checked whenever the file is used again, so that neither a changed file nor a changed
download passes unnoticed. A caller who knows the SHA-256 can demand it. A data set is never unpacked; it is read by a reader
that checks everything.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from graphmeans.files import PathLike, fail, read_file, write_file
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.tudataset import read_with_targets

logger = logging.getLogger("graphmeans")

#: Where the TU data sets lie.
TU_URL = "https://www.chrsmrrs.com/graphkerneldatasets/"
#: Seconds without an answer after which a download is given up.
TIMEOUT = 30


def load_tudataset(path: PathLike, *, directed: bool | None = None) -> tuple[list[Graph], NDArray[Any]]:
    """Load a TU data set from its folder or zip.

    Morris et al., TUDataset: A collection of benchmark datasets for learning with graphs, 2020. How labels, attributes
    and directions are read is described in `graphmeans.io.formats.tudataset`.

    Parameters
    ----------
    path : path
        A folder or zip with ``DS_A.txt``, ``DS_graph_indicator.txt`` and the rest.
    directed : bool, optional
        Whether (i, j) and (j, i) are different edges; by default found out.

    Returns
    -------
    graphs : list of Graph
        The graphs.
    y : array
        The class of each graph: whole numbers if all of them are, else strings. For a data set that has only numbers to
        predict, these, one (or a row) for each graph.

    See Also
    --------
    fetch_tudataset : Downloads a data set by its name.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import write_tudataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_tudataset([gm.Graph({"atom": ["C", "O"]}, [(0, 1)])] * 2, os.path.join(folder, "CO"), [1, -1])
    ...     graphs, y = gm.datasets.load_tudataset(os.path.join(folder, "CO"))
    >>> graphs[0].nodes["atom"].tolist(), y.tolist()
    (['C', 'O'], [1, -1])
    """
    graphs, targets = read_with_targets(path, directed)
    if targets.classes is not None:
        return graphs, _whole(np.array(targets.classes))
    if targets.numbers is None:
        raise fail(path, "says nothing about its graphs: it has neither graph labels nor graph attributes")
    return graphs, targets.numbers[:, 0] if targets.numbers.shape[1] == 1 else targets.numbers


def _whole(classes: NDArray[Any]) -> NDArray[Any]:
    try:
        numbers = classes.astype(np.int64)
    except (ValueError, OverflowError):
        return classes
    return numbers if (numbers.astype(str) == classes).all() else classes


def fetch_tudataset(
    name: str, *, cache: PathLike | None = None, sha256: str | None = None, url: str = TU_URL,
    directed: bool | None = None,
) -> tuple[list[Graph], NDArray[Any]]:
    """Fetch a TU data set by name. It is downloaded once and read from the cache afterwards.

    Parameters
    ----------
    name : str
        For example "MUTAG", "PROTEINS", "Letter-low".
    cache : path, optional
        Where files are kept: by default the folder in the environment variable GRAPHMEANS_DATA, else the cache folder of
        the system.
    sha256 : str, optional
        What the file's SHA-256 must be. Without it the file that was downloaded first is trusted, see
        `graphmeans.datasets.tudataset`.
    url : str, default=TU_URL
        Folder on the network that holds ``NAME.zip``.
    directed : bool, optional
        See `load_tudataset`.

    Returns
    -------
    graphs : list of Graph
        The graphs of the data set.
    y : array
        The classes, as `load_tudataset` gives them.

    See Also
    --------
    load_tudataset : From a folder or zip.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, y = gm.datasets.fetch_tudataset("MUTAG")  # doctest: +SKIP
    >>> len(graphs)  # doctest: +SKIP
    188
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9][\w.\-]*", name, re.ASCII):
        raise GraphError(f"{name!r} is not the name of a data set")
    if sha256 is not None and not re.fullmatch(r"[0-9a-fA-F]{64}", sha256):
        raise GraphError(f"sha256 must be 64 hexadecimal digits, got {sha256!r}")
    path = cache_folder(cache) / f"{name}.zip"
    record = path.with_name(f"{path.name}.sha256")
    if not path.exists():
        _download(f"{url.rstrip('/')}/{name}.zip", path)
        found = _digest(path)
        if sha256 is None and record.exists():  # the file was deleted, its record was not
            sha256 = _recorded(record)
        if sha256 is not None and found != sha256.lower():
            path.unlink()
            said = f"has the SHA-256 {found}, not {sha256.lower()}"
            raise GraphError(f"{name}: what {_host(url)} sent {said}; it was deleted")
        write_file(record, f"{found}\n".encode())
    expected = sha256.lower() if sha256 is not None else _recorded(record) if record.exists() else None
    if expected is not None and _digest(path) != expected:
        raise GraphError(f"{path}: its SHA-256 is not {expected}; delete the file, and it is downloaded again")
    return load_tudataset(path, directed=directed)


def cache_folder(cache: PathLike | None = None) -> Path:
    """Return the folder in which downloaded files are kept."""
    chosen = cache if cache is not None else os.environ.get("GRAPHMEANS_DATA")
    if chosen:
        return Path(chosen)
    import pooch

    return Path(pooch.os_cache("graphmeans"))


def _download(url: str, path: Path) -> None:
    """Download a file. It gets its name only when it is complete."""
    import pooch
    import requests

    logger.info("downloading %s", url)
    talk = pooch.get_logger()
    level = talk.level
    talk.setLevel(logging.WARNING)
    try:
        pooch.retrieve(
            url, known_hash=None, fname=path.name, path=path.parent, downloader=pooch.HTTPDownloader(timeout=TIMEOUT)
        )
    except requests.HTTPError as error:
        code = getattr(error.response, "status_code", None)
        reason = f"there is no {path.stem} there" if code == 404 else f"it answered {code}"
        raise GraphError(f"{path.stem}: cannot be downloaded from {_host(url)}: {reason}") from None
    except (requests.ConnectionError, requests.Timeout):
        raise GraphError(
            f"{path.stem}: cannot be downloaded, {_host(url)} cannot be reached; "
            f"put the file at {path}, or give a file that you have to load_tudataset"
        ) from None
    except (requests.RequestException, ValueError) as error:
        raise GraphError(f"{path.stem}: cannot be downloaded from {_host(url)} ({type(error).__name__})") from None
    except OSError as error:
        raise GraphError(f"{path}: cannot be written ({error.strerror or error})") from None
    finally:
        talk.setLevel(level)


def _digest(path: Path) -> str:
    return hashlib.sha256(read_file(path, None)).hexdigest()


def _recorded(record: Path) -> str:
    return read_file(record).decode("ascii", "replace").strip()


def _host(url: str) -> str:
    return urlsplit(url).netloc or url
