"""Molecules drawn by RDKit as a few paths and letters, small enough for a page of thousands, with support underneath."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from graphmeans.chemistry.toolkit import part, silent

#: Pixels of an ångström; a bond has about 1.5 of them.
_SCALE = 26
#: Pixels around a molecule, and the least width and height of a picture.
_MARGIN, _LEAST = 8, (190, 140)
#: Colours by element, which style sheets know by a letter: k is ink. Each can be read on a light and on a dark page.
INKS = {
    "k": "#000000", "n": "#3b74d1", "o": "#cf3f3f", "s": "#a07400", "g": "#1f8a56", "b": "#a6583a", "v": "#8a5fd0",
    "r": "#0b7f86",
}  # fmt: skip
#: What lies under atoms and bonds that one tenth, two tenths, ... of the members have.
SUPPORTS = ("#f1f5f9", "#e9f0f6", "#dfe9f4", "#d3e2f1", "#c5d9ee", "#b4cdea", "#a1c0e5", "#8bb1df", "#74a2d9", "#5b92d3")
_LETTER_OF = {colour: ink for ink, colour in INKS.items()}
_ELEMENTS = {"n": (7,), "o": (8,), "s": (16,), "g": (9, 17), "b": (35,), "v": (53, 15), "r": (0,)}
_PATH = re.compile(r"<path[^>]*? d='([^']*)' style='([^']*)'")
_TEXT = re.compile(r"<text x='([-\d.]+)' y='([-\d.]+)'[^>]*?font-size:(\d+)px[^>]*?fill:(#[0-9A-Fa-f]{6})[^>]*>([^<]*)</text>")
_SIZE = re.compile(r"viewBox='0 0 (\d+) (\d+)'")
_COLOUR = re.compile(r"(fill|stroke):(#[0-9A-Fa-f]{6})")
_DECIMAL, _COMMAND = re.compile(r"(-?\d+\.\d+)"), re.compile(r"\s*([A-Za-z])\s*")
_LETTERS = re.compile(r"[A-Za-z0-9+\-*/?]")


@dataclass(frozen=True)
class MoleculePicture:
    """A drawn molecule: what is stroked, what is filled and what is written in each ink, and the support below it."""

    width: int
    height: int
    strokes: dict[str, str]
    fills: dict[str, str]
    letters: list[tuple[int, int, int, str, str]]  # x, y, size, ink, text
    support: list[tuple[int, str]] = field(default_factory=list)  # tenths, and a path with that support

    @property
    def box(self) -> tuple[int, int, int, int]:
        """The view box: a margin around the molecule, and room around a small one, so that it is not drawn too large."""
        width, height = max(self.width + 2 * _MARGIN, _LEAST[0]), max(self.height + 2 * _MARGIN, _LEAST[1])
        return (self.width - width) // 2, (self.height - height) // 2, width, height

    def data(self) -> dict[str, Any]:
        """The picture as JSON, for a script that draws it."""
        found: dict[str, Any] = {"v": list(self.box), "s": self.strokes}
        if self.fills:
            found["f"] = self.fills
        if self.letters:
            found["t"] = [list(letter) for letter in self.letters]
        if self.support:
            found["u"] = [list(row) for row in self.support]
        return found

    def inner(self) -> str:
        """The elements inside the SVG. Nothing in them comes from a file: paths are numbers, letters a few signs."""
        parts = [f'<path class="u u{tenth}" d="{d}"/>' for tenth, d in self.support]
        parts += [f'<path class="i{ink}" d="{d}"/>' for ink, d in self.strokes.items()]
        parts += [f'<path class="i{ink} full" d="{d}"/>' for ink, d in self.fills.items()]
        parts += [
            f'<text class="i{ink}" x="{x}" y="{y}" font-size="{size}">{text}</text>'
            for x, y, size, ink, text in self.letters
        ]
        return "".join(parts)

    def svg(self, style: bool = True) -> str:
        """The picture as an SVG of its own; without a style sheet for a page that has one."""
        sheet = f"<style>{style_sheet()}</style>" if style else ""
        box = " ".join(map(str, self.box))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="mol" viewBox="{box}" width="{self.box[2]}" height="{self.box[3]}">'
            f"{sheet}{self.inner()}</svg>"
        )

    def _repr_svg_(self) -> str:
        return self.svg()


def style_sheet() -> str:
    """The style that pictures of molecules need."""
    inks = "".join(
        f".mol .i{ink}{{stroke:{paint};fill:none}}.mol .i{ink}.full,.mol text.i{ink}{{fill:{paint};stroke:none}}"
        for ink, paint in [("k", "currentColor"), *((ink, f"var(--i{ink},{INKS[ink]})") for ink in INKS if ink != "k")]
    )
    ramp = "".join(f".mol .u{tenth}{{stroke:var(--u{tenth},{colour})}}" for tenth, colour in enumerate(SUPPORTS, 1))
    return (
        f".mol path{{stroke-width:2;stroke-linecap:round;stroke-linejoin:round}}{inks}.mol text{{font-family:sans-serif}}"
        f".mol .u{{fill:none;stroke-width:20}}{ramp}"
    )


def draw(
    molecule: Any, atom_support: Sequence[float] | None = None, bond_support: Sequence[float] | None = None,
    labels: Mapping[int, str] | None = None,
) -> MoleculePicture:  # fmt: skip
    """Draw a molecule at its coordinates; `labels` replace the letters of atoms."""
    draw2d = part("Chem.Draw.rdMolDraw2D")
    with silent():
        painter = draw2d.MolDraw2DSVG(-1, -1, -1, -1, True)
        options = painter.drawOptions()
        options.clearBackground = False
        options.scalingFactor = _SCALE
        options.padding = 0.02
        options.prepareMolsBeforeDrawing = False
        options.setAtomPalette(_palette())
        ready = _prepared(molecule, draw2d)
        for atom, text in (labels or {}).items():
            ready.GetAtomWithIdx(atom).SetProp("_displayLabel", text)
            ready.GetAtomWithIdx(atom).SetProp("_displayLabelW", text)
        painter.DrawMolecule(ready)
        painter.FinishDrawing()
    text = painter.GetDrawingText()
    size = _SIZE.search(text)
    width, height = (int(size[1]), int(size[2])) if size else (1, 1)
    strokes: dict[str, list[str]] = {}
    fills: dict[str, list[str]] = {}
    for d, style in _PATH.findall(text):
        colours = dict(_COLOUR.findall(style))
        if colours:
            which, colour = (fills, colours["fill"]) if "fill" in colours else (strokes, colours["stroke"])
            which.setdefault(_ink(colour), []).append(d)
    letters = [
        (round(float(x)), round(float(y)), int(points), _ink(colour), letter)
        for x, y, points, colour, letter in _TEXT.findall(text) if _LETTERS.fullmatch(letter)
    ]  # fmt: skip
    at = [painter.GetDrawCoords(a) for a in range(molecule.GetNumAtoms())] if atom_support is not None else []
    return MoleculePicture(
        width, height, {ink: _short(" ".join(ds)) for ink, ds in strokes.items()},
        {ink: _short(" ".join(ds)) for ink, ds in fills.items()},
        letters, _underlay(molecule, at, atom_support or (), bond_support or ()),
    )  # fmt: skip


def _prepared(molecule: Any, draw2d: Any) -> Any:
    for kekulize in (True, False):
        try:
            return draw2d.PrepareMolForDrawing(molecule, kekulize=kekulize, addChiralHs=False)
        except (RuntimeError, ValueError):
            continue
    return part("Chem").Mol(molecule)


def _underlay(
    molecule: Any, at: Sequence[Any], atoms: Sequence[float], bonds: Sequence[float]
) -> list[tuple[int, str]]:
    """Lines below bonds and dots below atoms, together for each tenth of support; the higher support lies on top."""
    rows: dict[int, list[str]] = {}
    if not at:
        return []
    for bond, share in zip(molecule.GetBonds(), bonds, strict=True):
        one, other = at[bond.GetBeginAtomIdx()], at[bond.GetEndAtomIdx()]
        rows.setdefault(_tenth(share), []).append(f"M{one.x:.0f} {one.y:.0f}L{other.x:.0f} {other.y:.0f}")
    for point, share in zip(at, atoms, strict=True):
        rows.setdefault(_tenth(share), []).append(f"M{point.x:.0f} {point.y:.0f}h.1")
    return [(tenth, "".join(ds)) for tenth, ds in sorted(rows.items()) if tenth]


def _tenth(share: float) -> int:
    return round(10 * share)


@lru_cache(maxsize=1)
def _palette() -> dict[int, tuple[float, ...]]:
    """The colours of elements by their numbers; -1 stands for all others."""
    return {-1: (0.0, 0.0, 0.0)} | {number: _rgb(INKS[ink]) for ink, numbers in _ELEMENTS.items() for number in numbers}


def _rgb(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))


def _ink(colour: str) -> str:
    """The letter of a colour; ink for those that RDKit chose by itself."""
    return _LETTER_OF.get(colour.lower(), "k")


def _short(d: str) -> str:
    """A path with whole numbers."""
    parts = _DECIMAL.split(d.replace(",", " "))  # numbers stand at odd places
    parts[1::2] = map(_whole, parts[1::2])
    return _COMMAND.sub(r"\1", "".join(parts).strip())


@lru_cache(maxsize=1 << 14)
def _whole(decimal: str) -> str:
    """A number that is written with decimals as a whole one; pictures share most of their coordinates."""
    return str(round(float(decimal)))
