"""Models and checkpoints whose checksums are right and whose contents are not; and bytes of them that are flipped."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

import graphmeans as gm
from fuzz.harness import Wrong
from graphmeans.array_file import read_npy, seal, write_npy
from graphmeans.cluster.persistence.checkpoint import CheckpointFile

ALLOWED = (gm.GraphError,)
SOUND = 25
VALUES: tuple[Any, ...] = (
    None, -1, 0, 1, 2, 7, 2**15, 2**31, 2**62, -(2**62), 4096, 0.5, 1e300, -1e300, 1e-300, "x", "", [], {}, True, False,
    {"tuple": [1]}, {"array": "x"}, {"float": "nan"}, {"float": "inf"}, [[0, 99]], {"Exact": {}}, {"Graph": {}},
)  # fmt: skip
NUMBERS = (-1, -2, 0, 1, 2, 7, 100, 2**15, 2**30, 2**31 - 1, 2**40, 2**62)
FLOATS = (0.0, -1.0, 1e-320, 1e160, 1e200, 1e308, np.nan, np.inf, -np.inf, 0.5, 3.0)


# -- changing a sealed file ------------------------------------------------------------------------


def opened(data: bytes, kind: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The description and the arrays of a sealed file."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        about = json.loads(archive.read(f"{kind}.json").decode("utf-8", "surrogatepass"))
        arrays = {name: read_npy(archive.read(member), name) for name, member in about.pop("arrays").items()}
    return about, arrays


def sealed(about: dict[str, Any], arrays: dict[str, Any], kind: str, digest: Any = "sha256") -> bytes:
    """A file with this content, whose checksum is right."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        listed = {}
        for i, (name, array) in enumerate(arrays.items()):
            listed[name] = f"arrays/{i}.npy"
            write_npy(archive, listed[name], array)
        text = json.dumps({**about, "arrays": listed}, ensure_ascii=False).encode("utf-8", "surrogatepass")
        archive.writestr(zipfile.ZipInfo(f"{kind}.json"), text)
        archive.comment = f"graphmeans {digest} {'0' * (64 if digest == 'sha256' else 8)}".encode()
    seal(target, digest)
    return target.getvalue()


def spoil(about: Any, arrays: dict[str, Any], rng: np.random.Generator) -> None:
    """Change one to three things."""
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        if rng.random() < 0.6 and arrays:
            spoil_array(arrays, rng)
        else:
            spoil_value(about, rng)


def spoil_array(arrays: dict[str, Any], rng: np.random.Generator) -> None:
    name = list(arrays)[int(rng.integers(len(arrays)))]
    array, way = np.array(arrays[name]), int(rng.integers(9))
    odd = FLOATS if array.dtype.kind == "f" else NUMBERS
    if array.dtype.names is not None:
        arrays[name] = array[:-1]
    elif way <= 2 and array.size:
        with np.errstate(all="ignore"):
            array.reshape(-1)[int(rng.integers(array.size))] = np.array(odd[int(rng.integers(len(odd)))]).astype(array.dtype)
        arrays[name] = array
    elif way == 3:
        arrays[name] = array[: int(rng.integers(len(array) + 1))] if array.ndim else array
    elif way == 4:
        arrays[name] = np.concatenate([array, array]) if array.ndim else array
    elif way == 5:
        arrays[name] = array.astype([np.int64, np.float64, np.int32, np.float32, bool, np.uint8][int(rng.integers(6))])
    elif way == 6:
        arrays[name] = rng.permutation(array.reshape(-1)).reshape(array.shape)
    elif way == 7:
        arrays[name] = array.reshape(-1) if array.ndim != 1 else array.reshape(1, -1)
    else:
        del arrays[name]


def spoil_value(about: Any, rng: np.random.Generator) -> None:
    leaves: list[tuple[Any, Any]] = []

    def walk(node: Any) -> None:
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            leaves.append((node, key))
            if isinstance(node[key], (dict, list)):
                walk(node[key])

    walk(about)
    node, key = leaves[int(rng.integers(len(leaves)))]
    if rng.random() < 0.15 and isinstance(node, dict):
        del node[key]
    else:
        node[key] = deepcopy(VALUES[int(rng.integers(len(VALUES)))])


# -- models ----------------------------------------------------------------------------------------

_models: list[tuple[bytes, Any]] = []


def prepare_models() -> None:
    """Save a model of each kind."""
    if _models:
        return
    letters, classes = gm.datasets.make_letters(24, random_state=0)
    rows = np.random.default_rng(0).normal(size=(12, 3))
    made = [
        (gm.GraphKMeans(3, random_state=0, n_jobs=1).fit(letters), letters),
        (gm.GraphKMeans(3, random_state=0, n_jobs=1, matcher=gm.Graduated(), algorithm="lloyd", init=letters[:3]).fit(letters),
         letters),
        (gm.GraphKMeans(2, random_state=0, n_jobs=1).fit(rows), rows),
        (gm.MiniBatchGraphKMeans(3, random_state=0, n_jobs=1, batch_size=12, max_iter=2).fit(letters), letters),
        (gm.GraphKMedoids(3, random_state=0, n_jobs=1, init=[0, 5, 9]).fit(letters), letters),
        (gm.GraphNearestCentroid(random_state=0, n_jobs=1).fit(letters, classes), letters),
        (gm.GraphIndex(n_jobs=1).fit(letters), letters),
    ]  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for model, data in made:
            model.save(Path(folder, "model.gmz"))
            _models.append((Path(folder, "model.gmz").read_bytes(), data[:4]))


def model_case(number: int) -> Callable[[], object]:
    """The model file of this number, loaded and used."""
    return lambda: _try_model(number)


def _try_model(number: int) -> None:
    rng = np.random.default_rng([11, number])
    data, graphs = _models[number % len(_models)]
    about, arrays = opened(data, "model")
    sound = number // len(_models) % SOUND == 0
    if not sound:
        spoil(about["model"] if rng.random() < 0.9 else about, arrays, rng)
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        path = Path(folder, "model.gmz")
        path.write_bytes(sealed(about, arrays, "model"))
        try:
            model = gm.load(path)
        except gm.GraphError as error:
            if sound:
                raise Wrong(f"a sound model was refused: {error}") from None
            raise
    if isinstance(model, gm.GraphIndex):
        model.kneighbors(graphs, 1)
        return
    labels = model.predict(graphs)
    if len(labels) != len(graphs):
        raise Wrong("labels of other graphs")
    model.centroids()
    if hasattr(model, "partial_fit"):
        model.partial_fit(graphs)


# -- checkpoints and shard logs --------------------------------------------------------------------


class Stopped(Exception):
    """Raised in place of a kill."""


_fits: list[dict[str, Any]] = []
#: Fits that are stopped: parameters, and after how many checkpoints.
FITS: tuple[tuple[dict[str, Any], int], ...] = (({}, 2), ({}, 9), ({"n_init": 3}, 7), ({"certify": True}, 4))


def prepare_checkpoints() -> None:
    """Stop some fits, and keep what they leave behind."""
    if _fits:
        return
    letters, _ = gm.datasets.make_letters(40, random_state=0)
    write = CheckpointFile.write
    for params, stop in FITS:
        whole = gm.GraphKMeans(4, random_state=0, n_jobs=1, **params).fit(letters)
        with tempfile.TemporaryDirectory() as folder:
            left = [stop]

            def stopping(self: CheckpointFile, *args: Any, left: list[int] = left) -> None:
                write(self, *args)
                left[0] -= 1
                if not left[0]:
                    raise Stopped

            CheckpointFile.write = stopping  # type: ignore[method-assign]
            try:
                gm.GraphKMeans(4, random_state=0, n_jobs=1, checkpoint=f"{folder}/c", **params).fit(letters)
                raise AssertionError("it should have been stopped")
            except Stopped:
                pass
            finally:
                CheckpointFile.write = write  # type: ignore[method-assign]
            files = {str(f.relative_to(folder)): f.read_bytes() for f in sorted(Path(folder).rglob("*")) if f.is_file()}
        files.pop("c.lock", None)
        _fits.append({"params": params, "files": files, "whole": whole, "graphs": letters})


def checkpoint_case(number: int) -> Callable[[], object]:
    """The checkpoint of this number, signed and wrong or with bytes flipped, and the fit that goes on from it."""
    return lambda: _try_checkpoint(number)


def _try_checkpoint(number: int) -> None:
    rng = np.random.default_rng([13, number])
    fit = _fits[number % len(_fits)]
    files, sound = dict(fit["files"]), number // len(_fits) % SOUND == 0
    flipped = not sound and rng.random() < 0.5
    if not sound:
        name = "c" if rng.random() < 0.5 else sorted(files)[int(rng.integers(len(files)))]
        if flipped:
            changed = bytearray(files[name])
            changed[int(rng.integers(len(changed)))] ^= 1 << int(rng.integers(8))
            files[name] = bytes(changed)
        else:
            kind, digest = ("checkpoint", "sha256") if name == "c" else ("shard", "crc32")
            about, arrays = opened(files[name], kind)
            spoil(about, arrays, rng)
            files[name] = sealed(about, arrays, kind, digest)
    folder = tempfile.mkdtemp(prefix="fuzz-")
    try:
        for name, data in files.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_bytes(data)
        km = gm.GraphKMeans(4, random_state=0, n_jobs=1, checkpoint=f"{folder}/c", **fit["params"])
        try:
            km.fit(fit["graphs"])
        except gm.GraphError as error:
            if sound:
                raise Wrong(f"a sound checkpoint was refused: {error}") from None
            raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    whole = fit["whole"]
    if (sound or flipped) and not (np.array_equal(km.labels_, whole.labels_) and km.inertia_ == whole.inertia_):
        raise Wrong("a fit that went on ended elsewhere")
    if abs(km.inertia_ - (km.distances_**2).sum()) > 1e-6 * (1 + km.inertia_):
        raise Wrong("the objective is not the sum of squared distances")
    found = km.transform(fit["graphs"])[np.arange(len(km.labels_)), km.labels_]
    if not np.allclose(found, km.distances_, rtol=1e-6, atol=1e-6):
        raise Wrong("labels do not fit their centers")
