"""The collections of the IAM graph database that the paper uses, from the files of the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.files import PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.gxl import read_gxl_collection

# Where a collection may be below the folder that is given: as our zip, as the zip of the source, or unpacked.
_PLACES = {
    "letter-low": ("Letter-LOW.zip", "Letter-LOW", "Letter/LOW", "Letter.zip/Letter/LOW", "LOW"),
    "grec": ("GREC.zip", "GREC/data", "GREC"),
    "fingerprint": ("Fingerprint.zip", "Fingerprint/data", "Fingerprint"),
    "mutagenicity": ("Mutagenicity.zip", "Mutagenicity/data", "Mutagenicity"),
}
_ALIASES = {"letter": "letter-low", "letters": "letter-low", "molecules": "mutagenicity", "fingerprints": "fingerprint"}


def load_iam(path: PathLike, name: str, split: str | None = "test") -> tuple[list[Graph], NDArray[Any]]:
    """Load one of the four collections as it is stored: all graphs of the split, with attributes unchanged.

    Riesen & Bunke, IAM Graph Database Repository for Graph Based Pattern Recognition and Machine Learning, SSPR 2008.
    Free for non-commercial research, so it does not come with this library.

    Parameters
    ----------
    path : path
        Folder that holds the zips or the unpacked folders.
    name : {"Letter-LOW", "GREC", "Fingerprint", "Mutagenicity"}
        In upper or lower case; "letter" and "molecules", the paper's words, will do.
    split : {"test", "train", "validation"} or None, default="test"
        None gives all three, one after the other.

    Returns
    -------
    graphs : list of Graph
        The graphs.
    y : array of str
        The class of each graph.

    See Also
    --------
    io.read_gxl_collection : Any collection of GXL files.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, y = gm.datasets.load_iam("IAM", "Letter-LOW")  # doctest: +SKIP
    >>> len(graphs)  # doctest: +SKIP
    750
    """
    key = _ALIASES.get(name.lower(), name.lower())
    if key not in _PLACES:
        raise fail(path, f"no IAM collection is called {name!r}; there are Letter-LOW, GREC, Fingerprint, Mutagenicity")
    for place in _PLACES[key]:
        root = Path(path, *place.split("/", 1)[:1])
        if (root if root.suffix == ".zip" else Path(path, place)).exists():
            graphs, classes = read_gxl_collection(Path(path, place), split)
            if classes is None:
                raise fail(Path(path, place), "has no CXL lists")
            return graphs, np.array(classes)
    raise fail(path, f"holds no {name}; expected one of {', '.join(_PLACES[key])}")
