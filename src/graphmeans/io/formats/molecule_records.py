"""The records of a file of molecules, as they stand in it: lines of SMILES, rows of a table, entries of SDF.

Nothing is understood here but where a record begins and ends, and what its cells are. So a file can be written back as it came,
byte by byte, with columns added to each record, whether or not RDKit can read the molecule.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from graphmeans.files import decoded, fail

#: Columns that hold the names of molecules, unless one is named.
NAMES = ("name", "id", "title")
#: The longest cell that is read.
MAX_CELL = 10_000_000
_EXTENSION = re.compile(r"\|[^|]*\|(?=\s|$)")
_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",;\t"


@dataclass
class Record:
    """One molecule of a file, before it is read: where it stands, its name, and what is to be read."""

    line: int
    text: str = ""  # as it stands in the file
    entry: bytes = b""  # the same, of SDF
    name: str = ""
    label: str | None = None  # its class
    smiles: str | None = None
    properties: dict[str, str] = field(default_factory=dict)  # the other cells of its row
    problem: str = ""  # why there is nothing to read
    width: int = 0  # how many cells its row has


@dataclass(frozen=True)
class Columns:
    """Which columns of a table (properties of SDF) hold what; None: found by their names."""

    smiles: str | None = None
    name: str | None = None
    label: str | None = None


class LineRecords:
    """The lines of a SMILES file: SMILES, perhaps an extension between bars, blanks, and a name."""

    def __init__(self, data: bytes, where: str, columns: Columns) -> None:
        if columns.smiles is not None or columns.label is not None or columns.name is not None:
            raise fail(where, "has no columns with names; give them a header, or a .csv or .tsv file")
        lines = [(number, line) for number, line in enumerate(_lines(decoded(data, where)), 1) if line.strip()]
        lines = [(number, line) for number, line in lines if not line.lstrip().startswith("#")]
        if lines and lines[0][1].split()[0].lower() == "smiles":
            lines = lines[1:]
        self.records = [_line_record(number, line) for number, line in lines]

    def written(self, columns: Mapping[str, Sequence[str]]) -> bytes:
        """A table, separated by tabs, with the SMILES as they were, the names, and these columns."""
        rows = ["\t".join(["smiles", "name", *columns])]
        for i, record in enumerate(self.records):
            cells = (record.smiles or "", record.name, *(own[i] for own in columns.values()))
            rows.append("\t".join(_plain(cell) for cell in cells))
        return "".join(f"{row}\n" for row in rows).encode()


class RowRecords:
    """The rows of a table with a header, one column of which holds SMILES."""

    def __init__(self, data: bytes, where: str, columns: Columns, delimiter: str | None, *, named_second: bool = False) -> None:
        text = decoded(data, where)
        self._start = _BOM if data.startswith(_BOM) else b""
        lines = text.splitlines(keepends=True)
        self._end = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
        self._delimiter = delimiter or _sniffed(lines[0] if lines else "")
        rows = _rows(lines, self._delimiter)
        first = next(rows, None)
        header = [] if first is None else first[2]
        self._header = "" if first is None else first[1]
        self._names = [cell.strip() for cell in header]
        known = [cell.lower() for cell in self._names]
        self._smiles = _smiles_column(known, columns.smiles, where)
        self._name = _column(known, columns.name, where) if columns.name else _first(known, NAMES)
        if self._name is None and named_second:
            self._name = next((i for i in range(len(known)) if i != self._smiles), None)
        self._label = _column(known, columns.label, where) if columns.label else None
        self.records = [self._record(*row) for row in rows if row[1].strip()]

    def _record(self, line: int, text: str, cells: list[str], problem: str) -> Record:
        record = Record(line, text, problem=problem, width=len(cells))
        if self._smiles >= len(cells):
            record.problem = problem or f"the row has {len(cells)} cells and none with SMILES"
            return record
        record.smiles = cells[self._smiles].strip()
        record.name = cells[self._name].strip() if self._name is not None and self._name < len(cells) else ""
        record.label = cells[self._label].strip() if self._label is not None and self._label < len(cells) else None
        if not record.smiles:
            record.problem = problem or "the cell is empty"
        used = {self._smiles, self._name}
        pairs = zip(self._names, cells, strict=False)
        record.properties = {name: cell for i, (name, cell) in enumerate(pairs) if i not in used and name}
        return record

    def written(self, columns: Mapping[str, Sequence[str]]) -> bytes:
        """The rows as they were, each with further cells; a row with too few cells is filled up before."""
        width = max([len(self._names), *(record.width for record in self.records)])
        out = [self._with(self._header, width - len(self._names), [_unused(name, self._names) for name in columns])]
        for i, record in enumerate(self.records):
            lacking = width - record.width if record.width else 0
            out.append(self._with(record.text, lacking, [own[i] for own in columns.values()]))
        return self._start + "".join(out).encode()

    def _with(self, text: str, lacking: int, cells: list[str]) -> str:
        target = io.StringIO()
        csv.writer(target, delimiter=self._delimiter, lineterminator="").writerow([_plain(cell) for cell in cells])
        return f"{text.rstrip(chr(13) + chr(10))}{self._delimiter * (lacking + 1)}{target.getvalue()}{self._end}"


class EntryRecords:
    """The entries of an SDF file, or the one molecule of a MOL file."""

    def __init__(self, data: bytes, where: str, columns: Columns) -> None:
        if columns.smiles is not None:
            raise fail(where, "is SDF, where no column holds SMILES")
        self._end = b"\r\n" if b"\r\n" in data[:1000] else b"\n"
        self.records: list[Record] = []
        line, start = 1, 0
        for found in [*(match.span() for match in _ENTRY_END.finditer(data)), (len(data), len(data))]:
            text = data[start : found[0]]
            if text.strip() or found[1] != len(data):
                self.records.append(self._record(line, text, columns, where))
            line += data.count(b"\n", start, found[1])
            start = found[1]

    def _record(self, line: int, text: bytes, columns: Columns, where: str) -> Record:
        record = Record(line, entry=text, name=loosely(text.partition(b"\n")[0]).strip())
        if columns.name is not None or columns.label is not None:
            own = dict(properties_of(text))
            record.name = own.get(columns.name, "").strip() if columns.name is not None else record.name
            record.label = own.get(columns.label) if columns.label is not None else None
        if not text.strip():
            record.problem = "the entry is empty"
        return record

    def written(self, columns: Mapping[str, Sequence[str]]) -> bytes:
        """The entries as they were, each with further properties; those without a value get none."""
        taken = {name for record in self.records for name, _ in properties_of(record.entry)}
        names = [_unused(name, taken) for name in columns]
        out = []
        for i, record in enumerate(self.records):
            text = record.entry
            if not text.endswith((b"\n", b"\r")):
                text += self._end
            if re.search(rb"^>", text, re.MULTILINE) and not re.search(rb"\n[ \t\r]*\n\Z", text):
                text += self._end  # the last property was not ended
            out.append(text)
            for name, own in zip(names, columns.values(), strict=True):
                if own[i] != "":
                    out.append(self._end.join([b">  <" + name.encode() + b">", _plain(own[i]).encode(), b"", b""]))
            out.append(b"$$$$" + self._end)
        return b"".join(out)


_ENTRY_END = re.compile(rb"^\$\$\$\$[^\n]*(?:\n|\Z)", re.MULTILINE)
_PROPERTY = re.compile(rb"^>[^\n]*?<([^\n]*)>[^\n]*\n((?:[^\r\n][^\n]*(?:\n|\Z))*)", re.MULTILINE)


def properties_of(entry: bytes) -> Iterator[tuple[str, str]]:
    """The properties of an entry of SDF, as text."""
    after = entry.find(b"M  END")
    for name, value in _PROPERTY.findall(entry, max(after, 0)):
        yield loosely(name), loosely(value).rstrip("\r\n")


def loosely(data: bytes) -> str:
    """The text of some bytes: UTF-8, or else Latin-1, in which anything is text."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def records_of(kind: str, data: bytes, where: str, columns: Columns) -> LineRecords | RowRecords | EntryRecords:
    """The records of a file of this kind: "smi", "csv", "tsv" or "sdf"."""
    if kind == "sdf":
        return EntryRecords(data, where, columns)
    if kind == "smi" and not _has_header(data):
        return LineRecords(data, where, columns)
    return RowRecords(data, where, columns, None if kind == "csv" else "\t", named_second=kind == "smi")


def sniffed_kind(data: bytes) -> str:
    """The kind of a file without a name, told by what it holds."""
    if re.search(rb"^(\$\$\$\$|M  END)", data, re.MULTILINE):
        return "sdf"
    first = loosely(data.removeprefix(_BOM).partition(b"\n")[0]).lower()
    cells = re.split("[,;\t]", first)
    return "csv" if len(cells) > 1 and any("smiles" in cell for cell in cells) else "smi"


def _has_header(data: bytes) -> bool:
    """Whether a SMILES file is a table: its first line names columns, separated by tabs."""
    cells = loosely(data.removeprefix(_BOM).partition(b"\n")[0]).strip().lower().split("\t")
    return len(cells) > 1 and "smiles" in cells


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _line_record(number: int, line: str) -> Record:
    words = line.split(None, 1)
    smiles, rest = words[0], words[1].strip() if len(words) > 1 else ""
    if rest.startswith("|") and (extension := _EXTENSION.match(rest)):
        smiles, rest = f"{smiles} {extension[0]}", rest[extension.end() :].strip()
    return Record(number, line, name=rest, smiles=smiles)


def _rows(lines: list[str], delimiter: str) -> Iterator[tuple[int, str, list[str], str]]:
    """Each row of a table: its first line, its text, its cells, and what is wrong with it."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        reader = csv.reader(lines, delimiter=delimiter)
        done = 0
        while done < len(lines):
            problem = ""
            try:
                cells = next(reader, [])
            except csv.Error as error:
                cells, problem = [], f"is not CSV ({error})"
            stop = max(reader.line_num, done + 1)
            yield done + 1, "".join(lines[done:stop]), cells, problem
            done = stop
    finally:
        csv.field_size_limit(before)


def _sniffed(line: str) -> str:
    try:
        return csv.Sniffer().sniff(line, _DELIMITERS).delimiter
    except csv.Error:
        return ","


def _smiles_column(known: list[str], asked: str | None, where: str) -> int:
    if asked is not None:
        return _column(known, asked, where)
    if "smiles" in known:
        return known.index("smiles")
    similar = [i for i, name in enumerate(known) if "smiles" in name]
    if len(similar) != 1:
        raise fail(where, "has no column 'smiles', so it is no collection of molecules; say which column holds them")
    return similar[0]


def _column(known: list[str], asked: str, where: str) -> int:
    if asked.lower() not in known:
        raise fail(where, f"has no column {asked!r}; there are {', '.join(map(repr, known[:20]))}")
    return known.index(asked.lower())


def _first(known: list[str], names: Sequence[str]) -> int | None:
    return next((known.index(name) for name in names if name in known), None)


def _unused(name: str, taken: object) -> str:
    while name in taken:  # type: ignore[operator]
        name += "_"
    return name


def _plain(cell: str) -> str:
    """A cell without line ends and tabs."""
    return " ".join(cell.split("\t")).replace("\r", " ").replace("\n", " ")
