"""Check the built site: every link inside it leads to a page and, where it names one, to a place on that page.

    python docs/check_site.py docs/_build/html

Links to other sites are only counted: where there is a network, `sphinx-build -b linkcheck` tries them.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The links of a page, and the places that can be linked to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" or (name == "name" and tag == "a"):
                self.places.add(value or "")


def dead_links(root: Path) -> tuple[list[str], set[str], int]:
    """Links that lead nowhere, addresses outside, and how many links were checked."""
    own = [path for path in root.rglob("*.html") if not {"demo", "_static"} & set(path.relative_to(root).parts)]
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in own}
    dead, outside, checked = [], set(), 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https"):
                outside.add(link)
                continue
            if parts.scheme or link.startswith("//"):
                if parts.scheme not in ("data", "mailto", "javascript"):
                    dead.append(f"{path.relative_to(root.resolve())}: {link}")
                continue
            checked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            place = unquote(parts.fragment)
            if not target.exists() or (place and target in pages and place not in pages[target].places):
                dead.append(f"{path.relative_to(root.resolve())}: {link}")
    return dead, outside, checked


def main(folder: str) -> int:
    dead, outside, checked = dead_links(Path(folder))
    for line in dead:
        print("dead link:", line)
    print(f"{checked} links inside the site, {len(dead)} dead; {len(outside)} addresses outside, not tried")
    return 1 if dead or not checked else 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
