"""The order of clusters is one order, and said; small pictures have the names of their graphs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

from graphmeans.report import write_report
from reports import drawings, fitted, letters

LONG = "a name of which the beginning says little and which ends in {n}"


def shown_order(html: str, pattern: str) -> list[int]:
    return [int(found) for found in re.findall(pattern, html)]


@pytest.mark.parametrize("known", [False, True])
def test_tiles_cards_and_tables_are_in_one_order_which_is_said(tmp_path: Path, known: bool):
    graphs, classes, estimator = letters()
    path = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs, classes=classes if known else None)
    html = path.read_text(encoding="utf-8")
    sizes = np.bincount(estimator.labels_, minlength=15)
    most = {c: max(set(own), key=lambda k: (own.count(k), [-ord(letter) for letter in k])) for c in range(15)
            for own in [[k for k, label in zip(classes, estimator.labels_, strict=True) if label == c]]}  # fmt: skip
    expected = sorted(range(15), key=lambda c: ((most[c],) if known else (), -sizes[c], c))
    assert shown_order(html, r'<li data-c="(\d+)"') == expected
    assert shown_order(html, r'<article[^>]*data-c="(\d+)"') == expected
    assert shown_order(html, r'<tr data-c="(\d+)"') == expected
    assert re.search(r'id="order">(.*?)</b>', html)[1] == (
        "By the most frequent class, then by size." if known else "Largest first."
    )
    for c, tile in re.findall(r'<li data-c="(\d+)">(.*?)</li>', html, re.DOTALL):
        said = re.sub("<.*?>", " ", tile)
        assert re.search(rf"Cluster {c}\b", said)  # the number is the label
        assert f"{sizes[int(c)]} graph" in said


def test_pictures_on_the_map_have_their_numbers(tmp_path: Path):
    graphs, _, estimator = letters()
    html = write_report(tmp_path / "r.html", estimator=estimator, graphs=graphs).read_text(encoding="utf-8")
    links = re.findall(r'<a href="#cluster-\d+" class="h\d" data-c="(\d+)".*?</a>', html)
    written = re.findall(r'data-c="(\d+)" data-x[^>]*>(?:(?!</a>).)*?class="label"[^>]*>(\d+)</text>', html)
    assert len(written) == len(links) == 15
    assert all(c == number for c, number in written)


@pytest.fixture(scope="module")
def tab(browser, tmp_path_factory):  # noqa: F811
    graphs = drawings(40, [LONG.format(n=n) if n % 3 else f"g{n}" for n in range(40)], None)
    path = tmp_path_factory.mktemp("names") / "r.html"
    write_report(path, estimator=fitted(graphs, 3), graphs=graphs)
    return Tab(browser, path)


def elided(text: str, most: int) -> str:
    """The longest head and tail, the head no shorter, that fit with a mark between them."""
    if len(text) <= most:
        return text
    fits = [(a, b) for a in range(most) for b in range(most) if a + b == most - 1 and a - b in (0, 1)]
    ((head, tail),) = fits
    return text[:head] + "…" + text[len(text) - tail :]


@pytest.mark.parametrize("width", [390, 1440])
def test_small_pictures_have_names_that_fit(tab, width):
    tab.open(width=width)
    tab.driver.execute_script("document.querySelectorAll('button[data-all]').forEach((b) => b.click())")
    tab.until("document.querySelector('.members.all .thumb')")
    rows = tab.js("""[...document.querySelectorAll('.members.all .thumb')].map((b) => {
        const name = b.querySelector('.name'), style = getComputedStyle(name);
        return [name.textContent, b.title, b.getAttribute('aria-label'), parseFloat(style.fontSize),
                Math.max(name.scrollWidth - name.clientWidth, name.scrollHeight - name.clientHeight - 1),
                b.querySelector('svg').getBoundingClientRect().width]; })""")
    assert len(rows) >= 20
    assert any("…" in row[0] for row in rows)
    for name, title, label, size, beyond, wide in rows:
        full = title.split(", distance")[0]
        assert name == elided(full, 34)
        assert label.startswith(full)
        assert size >= 11
        assert beyond <= 0
        assert wide >= 70


def test_what_is_pointed_at_on_the_map_is_named(tab):
    tab.open()
    tab.driver.execute_script("document.getElementById('mapbox').scrollIntoView({block: 'center'})")
    free = """(() => { for (let n = 0; n < graphMap.count; n++) { const at = graphMap.at(n);
        if (document.elementFromPoint(...at)?.id === 'dots') return [n, ...at]; } })()"""
    _, x, y = tab.js(free)
    tab.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
    tab.until("!document.getElementById('tip').hidden")
    near = tab.js(f"""[...Array(graphMap.count).keys()].filter((n) => {{ const [u, v] = graphMap.at(n);
        return Math.hypot(u - {x}, v - {y}) < 12; }}).map((n) => graphMap.nameOf(n))""")
    title, cluster = tab.js("[...document.querySelectorAll('#tip b, #tip span')].slice(0, 2).map((e) => e.textContent)")
    assert title in {elided(name, 44) for name in near}
    assert re.fullmatch(r"Cluster \d+", cluster)
    tab.driver.execute_script("document.querySelector('.map a').focus()")  # the picture of a cluster
    label = tab.js("document.querySelector('.map a').dataset.c")
    said = tab.js("[...document.querySelectorAll('#tip b, #tip span')].map((e) => e.textContent)")
    tile = tab.js(f"document.querySelector('.gallery li[data-c=\"{label}\"] i').textContent")
    assert said == [f"Cluster {label}", tile]
    inside = tab.js("""(() => { const t = document.getElementById('tip').getBoundingClientRect(),
        b = document.getElementById('mapbox').getBoundingClientRect();
        return t.left >= b.left && t.top >= b.top && t.right <= b.right && t.bottom <= b.bottom; })()""")
    assert inside
    assert tab.errors() == []


def test_sorting_moves_the_table_and_says_the_new_order(tab):
    tab.open()
    tab.click("#sort option[value=label]")
    assert tab.js("document.getElementById('order').textContent") == "By number."
    assert tab.js("[...document.querySelectorAll('#distinctions-table tbody tr')].map((tr) => +tr.dataset.c)") == [0, 1, 2]
    assert tab.cards() == [0, 1, 2]
