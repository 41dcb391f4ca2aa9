"""A link to a source file of the repository leads to that file: it is copied to the site, as text that a browser shows.

In the repository the same links lead to the files themselves, so a page reads well in both places.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform

ROOT = Path(__file__).resolve().parents[2]


class SourceLinks(SphinxPostTransform):
    """Runs before links are resolved."""

    default_priority = 5

    def run(self, **kwargs) -> None:
        for node in list(self.document.findall(addnodes.download_reference)):
            target = node.get("reftarget", "")
            file = (Path(self.env.doc2path(self.env.docname)).parent / target).resolve()
            if not file.is_relative_to(ROOT) or file.suffix not in (".py", ".toml", ""):
                continue
            place = f"source/{file.relative_to(ROOT).as_posix()}.txt"
            copy = Path(self.app.outdir) / place
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)
            depth = "../" * self.env.docname.count("/")
            link = nodes.reference("", "", *node.children, refuri=depth + place, internal=True)
            node.replace_self(link)


def setup(app) -> dict[str, bool]:
    app.add_post_transform(SourceLinks)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
