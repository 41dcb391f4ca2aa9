"""How INPUT was read for a clustering: remembered in the folder of results, so that other commands read it as it was read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from graphmeans.cli.inputs import Read, read_input, with_chosen_roles

#: The file in a folder of results, and what it says it is.
FILE = "reading.json"
_FORMAT, _VERSION = "graphmeans reading", 1


@dataclass(frozen=True)
class HowRead:
    """What the options of a command say about reading INPUT; its fields are those of the file."""

    labelled: bool = False
    roles: str | None = None
    smiles_column: str | None = None
    name_column: str | None = None
    class_column: str | None = None
    strict: bool = False

    def read(self, source: Path) -> Read:
        """What was read of an input, with roles if they are asked for, and then all in memory."""
        found = read_input(source, self.smiles_column, self.name_column, self.class_column, self.strict)
        if not (self.labelled or self.roles is not None):
            return found
        return found._replace(graphs=with_chosen_roles(list(found.graphs), self.labelled, self.roles))

    def or_as_before(self, before: HowRead, source: Path) -> HowRead:
        """These options where they are given, and else those of another time, if they can be meant for this input."""
        from graphmeans.io.formats.molecule_table import is_molecule_file

        chosen = self.or_roles_of(before)
        if not is_molecule_file(source):
            return chosen
        of_molecules = "smiles_column", "name_column", "class_column", "strict"
        columns: dict[str, Any] = {name: getattr(self, name) or getattr(before, name) for name in of_molecules}
        return replace(chosen, **columns)

    def or_roles_of(self, before: HowRead) -> HowRead:
        """These options, with the roles of another time if they ask for none."""
        if self.labelled or self.roles is not None:
            return self
        return replace(self, labelled=before.labelled, roles=before.roles)

    def remember(self, directory: Path) -> None:
        """Write it into a folder of results."""
        text = json.dumps({"format": _FORMAT, "version": _VERSION, **asdict(self)}, indent=1, ensure_ascii=False)
        (directory / FILE).write_text(text + "\n", encoding="utf-8")


def how_it_was_read(directory: Path) -> HowRead:
    """How INPUT was read for the results in a folder; as without options if nothing says so, as in older results."""
    from graphmeans.file_schema import READING
    from graphmeans.files import blaming, decoded, parse_json, read_file
    from graphmeans.graphs.errors import GraphError
    from graphmeans.schema import check

    path = directory / FILE
    if not path.exists():
        return HowRead()
    about = parse_json(decoded(read_file(path), str(path)), str(path))
    with blaming(path):
        if not isinstance(about, dict) or about.pop("format", None) != _FORMAT:
            raise GraphError("does not say how INPUT was read: it was not written by graphmeans")
        if (version := about.pop("version", None)) != _VERSION:
            raise GraphError(f"has the version {version!r}, this release reads {_VERSION}")
        check(READING, about, "reading")
    return HowRead(**about)


def have_roles(graphs: Any) -> bool:
    """Whether the graphs of an input have roles of their own, as files of some formats keep them."""
    return any(graph.roles is not None for graph in (graphs[:1] if isinstance(graphs, list) else graphs.take([0])))


@contextmanager
def folder_of_results(directory: Path) -> Iterator[None]:
    """A folder that is there from the beginning, and gone again if the work ends before anything is in it."""
    made = [folder for folder in (directory, *directory.parents) if not folder.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        with suppress(OSError):  # it is not empty
            for folder in made:
                folder.rmdir()
        raise
