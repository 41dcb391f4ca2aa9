"""The page in a browser: by mouse, by keyboard, in any width, for a screen reader, and whatever the names are."""

from __future__ import annotations

import json
import re
import shutil
import time
from base64 import b64decode
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import graphmeans as gm
from effort import thorough
from graphmeans.report import write_report
from reports import HOSTILE, drawings, fitted, letters

WIDTHS = [390, 768, 1440, 1920]
#: Instead of saving a file, keep its text.
SAVED = """window.saved = null;
URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return '#saved'; };"""
BOX = """(() => { const b = document.getElementById('mapbox').getBoundingClientRect();
  return [b.left, b.top, b.width, b.height]; })()"""
#: Cells, figures and names whose text is broken into pieces of one or two letters.
NARROW = """[...document.querySelectorAll('td, dd, .gallery b, .gallery i, summary span')].filter((e) => {
  const text = e.textContent.trim(), box = e.getBoundingClientRect(), style = getComputedStyle(e);
  const size = parseFloat(style.fontSize);
  return text.length > 2 && box.height && box.width < 2 * size && box.height > 2.5 * size;
}).map((e) => e.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; the tests are skipped, with the reason, where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium: the page is not tried in a browser")
    from selenium.webdriver.chrome.service import Service

    program = next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )
    helper = shutil.which("chromedriver")
    if program is None or helper is None:
        pytest.skip("no chromium and chromedriver on this machine: the page is not tried in a browser")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(helper))
    driver.set_script_timeout(110)  # a busy machine may take its time; the connection itself waits for 120 s
    yield driver
    driver.quit()


class Tab:
    """A page in the browser, and the few things the tests do with it."""

    def __init__(self, driver: Any, path: Path) -> None:
        self.driver, self.path = driver, path

    def open(self, hash: str = "", width: int = 1200, height: int = 900, scheme: str = "light") -> Tab:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get_log("performance")
        self.driver.get(self.path.as_uri() + hash)
        self.until("document.documentElement.dataset.ready === 'yes'")
        return self

    def js(self, code: str, *arguments: Any) -> Any:
        return self.driver.execute_script(f"return ({code});", *arguments)

    def until(self, code: str, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while not self.js(code):
            assert time.monotonic() < end, f"never true: {code}"
            time.sleep(0.02)

    def click(self, selector: str) -> None:
        found = self.driver.find_element("css selector", selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        found.click()

    def press(self, *keys: str) -> None:
        """Press keys, whatever has the focus."""
        from selenium.webdriver.common.action_chains import ActionChains

        ActionChains(self.driver).send_keys(*keys).perform()

    def focus(self, selector: str) -> None:
        self.driver.execute_script("document.querySelector(arguments[0]).focus()", selector)
        self.until(f"document.hasFocus() && document.activeElement === document.querySelector({json.dumps(selector)})")

    def cards(self) -> list[int]:
        return self.js(
            "[...document.querySelectorAll('article.cluster')].filter(a => !a.hidden).map(a => +a.dataset.c)"
        )

    def errors(self) -> list[str]:
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self) -> list[str]:
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
        return [url for url in sent if not url.startswith((self.path.as_uri(), "data:", "about:"))]

    def overflow(self) -> list[str]:
        """What sticks out of the page, or of the open dialog, on the right."""
        return self.js(
            """(() => {
              const limit = document.documentElement.clientWidth, out = [];
              if (document.documentElement.scrollWidth > limit) out.push('page ' + document.documentElement.scrollWidth);
              const dialog = document.querySelector('dialog[open]');
              if (dialog && dialog.scrollWidth > dialog.clientWidth) out.push('dialog ' + dialog.scrollWidth);
              for (const e of document.querySelectorAll('body *')) {
                if (e.closest('svg, .scroll, .store, .skip')) continue;
                const box = e.getBoundingClientRect();
                if (box.width && box.right > limit + 1) out.push(e.tagName + '.' + e.className + ' ' + box.right);
              }
              return out;
            })()"""
        )

    def axe(self) -> list[str]:
        """What axe-core objects to."""
        self.driver.execute_script(AXE.read_text(encoding="utf-8"))
        found = self.driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        assert len(found["passes"]) > 15  # it has looked
        return [
            f"{v['id']}: {n['html'][:120]} {n['failureSummary'][:160]}" for v in found["violations"] for n in v["nodes"]
        ]


_axe = find_spec("axe_core_python")
AXE = Path(_axe.origin).with_name("axe.min.js") if _axe is not None and _axe.origin else None


@pytest.fixture(scope="module")
def lettered(tmp_path_factory):
    graphs, classes, estimator = letters(240)
    path = tmp_path_factory.mktemp("browser") / "letters.html"
    write_report(path, estimator=estimator, graphs=graphs, classes=classes, title="Letters", command="graphmeans demo")
    return graphs, classes, estimator, path


@pytest.fixture
def tab(browser, lettered):
    return Tab(browser, lettered[3])


def test_it_opens_without_an_error_and_without_a_request(tab):
    tab.open()
    assert tab.js("document.title") == "Letters"
    tab.driver.execute_script("document.querySelector('article.cluster:last-child').scrollIntoView()")
    tab.until("!document.querySelector('article.cluster:last-child ul[data-members]')")
    assert tab.errors() == []
    assert tab.requests() == []


def test_members_are_drawn_when_they_come_into_view(tab):
    tab.open()
    assert tab.js("document.querySelectorAll('ul[data-members]').length") > 0
    tab.click("article.cluster:last-child h3 a")
    tab.until("!document.querySelector('article.cluster:last-child ul[data-members]')")
    assert tab.js("document.querySelectorAll('article.cluster:last-child .thumb path').length") > 0
    assert tab.errors() == []


def pages_of(pdf: str) -> int:
    return len(re.findall(rb"/Type\s*/Page[^s]", b64decode(pdf)))


def test_it_prints_two_pages_and_the_cards_on_demand(tab):
    tab.open()
    assert pages_of(tab.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]) <= 2
    assert tab.js("document.querySelectorAll('ul[data-members]').length") > 0
    tab.click("#print-cards")
    assert pages_of(tab.driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})["data"]) > 4
    assert tab.js("document.querySelectorAll('ul[data-members]').length") == 0
    assert tab.errors() == []


def test_it_prints_on_white_with_everything_open(tab):
    tab.open(scheme="dark")
    tab.click("#print-cards")
    media = {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    tab.driver.execute_script("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.js("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert tab.js("getComputedStyle(document.querySelector('.tools')).display") == "none"
    assert tab.js("document.querySelectorAll('details.apart:not([open])').length") == 0
    assert tab.js("document.querySelectorAll('.pair svg').length") == 15
    tab.driver.execute_script("window.dispatchEvent(new Event('afterprint'))")
    assert tab.js("document.querySelectorAll('details.apart[open]').length") == 0
    tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_search_by_mouse_and_by_keyboard(tab, lettered):
    graphs, _, estimator, _ = lettered
    tab.open()
    tab.click("#search")
    tab.press(graphs[7].name)
    tab.until("document.querySelectorAll('#hits .thumb').length === 1")
    assert tab.cards() == [int(estimator.labels_[7])]
    assert tab.js("document.getElementById('found').textContent") == "1 of 15 clusters"
    tab.open()
    tab.press("/")
    assert tab.js("document.activeElement.id") == "search"
    tab.press("cluster 3")
    tab.until("document.querySelectorAll('article.cluster:not([hidden])').length === 1")
    assert tab.cards() == [3]
    tab.press("\ue00c")  # Esc
    assert len(tab.cards()) == 15
    tab.press("no such thing")
    tab.until("!document.getElementById('nothing').hidden")
    tab.click("#reset")
    assert len(tab.cards()) == 15


def test_sort_by_mouse_and_by_keyboard(tab, lettered):
    estimator = lettered[2]
    tab.open()
    sizes = np.bincount(estimator.labels_, minlength=15)
    tab.click("#sort option[value=size]")
    shown = tab.cards()
    assert [sizes[c] for c in shown] == sorted(sizes, reverse=True)
    tiles = tab.js("[...document.querySelectorAll('.gallery li')].map(li => +li.dataset.c)")
    assert tiles == shown
    tab.focus("#sort")
    tab.press("number")  # letters choose in a list
    assert tab.js("document.getElementById('sort').value") == "label"
    assert tab.cards() == list(range(15))


def test_filter_by_mouse_and_by_keyboard(tab, lettered):
    _, classes, estimator, _ = lettered
    tab.open()
    tab.click("#filter option[value='class:3']")
    name = sorted(set(classes))[3]
    expected = {int(c) for c, known in zip(estimator.labels_, classes, strict=True) if known == name}
    assert set(tab.cards()) == expected
    tab.until(f"document.querySelectorAll('.map a:not([style*=none])').length === {len(expected)}")
    tab.focus("#filter")
    tab.press("mixed")
    mixed = {
        c for c in range(15) if len({k for lab, k in zip(estimator.labels_, classes, strict=True) if lab == c}) > 1
    }
    assert set(tab.cards()) == mixed


def test_a_member_opens_by_mouse_and_closes(tab, lettered):
    graphs = lettered[0]
    tab.open("#cluster-2")
    tab.until("document.querySelector('#cluster-2 .thumb')")
    name = tab.js("document.querySelector('#cluster-2 .thumb').title.split(',')[0]")
    tab.click("#cluster-2 .thumb")
    assert tab.js("document.getElementById('viewer').open")
    assert tab.js("document.getElementById('viewer-name').textContent") == name
    index = int(tab.js("location.hash").removeprefix("#graph-"))
    assert graphs[index].name == name
    assert tab.js("document.querySelectorAll('#viewer-picture .thread').length") >= 2
    # The picture names exactly the nodes that the tables name, and no others.
    rows = tab.js("[...document.querySelectorAll('#viewer-table tbody th')].map(th => th.textContent)")
    told = {part for row in rows for part in row.removesuffix(", missing here").split("–")}
    assert set(tab.js("[...document.querySelectorAll('#viewer-picture .number')].map(t => t.textContent)")) == told
    assert sum("missing" not in row and "–" not in row for row in rows) == graphs[index].n_nodes
    shares = tab.js("[...document.querySelectorAll('#viewer-table td:nth-child(2)')].map(td => parseFloat(td.textContent))")
    assert 90 < sum(shares) < 104  # what nodes of the mean too rare to be drawn contribute is left out
    tab.click("#next")
    assert tab.js("document.getElementById('viewer-name').textContent") != name
    tab.click("#previous")
    assert tab.js("document.getElementById('viewer-name').textContent") == name
    tab.click("#close")
    assert not tab.js("document.getElementById('viewer').open")
    assert tab.errors() == []


def test_a_member_opens_by_keyboard_and_focus_comes_back(tab):
    tab.open("#cluster-2")
    tab.until("document.querySelector('#cluster-2 .thumb')")
    tab.focus("#cluster-2 .thumb")
    tab.press("\ue007")  # Enter
    tab.until("document.getElementById('viewer').open")
    first = tab.js("document.getElementById('viewer-name').textContent")
    tab.press("\ue014")  # right
    assert tab.js("document.getElementById('viewer-name').textContent") != first
    tab.press("\ue012")  # left
    assert tab.js("document.getElementById('viewer-name').textContent") == first
    tab.press("\ue00c")
    tab.until("!document.getElementById('viewer').open")
    tab.until("location.hash === '#cluster-2'")
    tab.until("document.activeElement === document.querySelector('#cluster-2 .thumb')")


def test_back_closes_a_member(tab):
    tab.open("#cluster-2")
    tab.until("document.querySelector('#cluster-2 .thumb')")
    tab.click("#cluster-2 .thumb")
    tab.until("location.hash.startsWith('#graph-')")
    tab.click("#next")
    tab.driver.back()
    tab.until("!document.getElementById('viewer').open")
    tab.until("location.hash === '#cluster-2'")
    tab.driver.forward()
    tab.until("document.getElementById('viewer').open")
    assert tab.errors() == []


def test_all_members_and_what_sets_apart_open(tab, lettered):
    estimator = lettered[2]
    large = int(np.bincount(estimator.labels_).argmax())
    tab.open(f"#cluster-{large}")
    tab.click(f"button[data-all='{large}']")
    shown = tab.js(f"document.querySelectorAll('#all-{large} .thumb').length")
    assert shown == (estimator.labels_ == large).sum()
    tab.focus(f"#cluster-{large} summary")
    tab.press("\ue007")
    tab.until(f"document.querySelector('#cluster-{large} .pair svg')")
    assert tab.js(f"document.querySelectorAll('#cluster-{large} .apart tbody tr').length") > 0


def test_deep_links(tab, lettered):
    graphs = lettered[0]
    tab.open("#graph-11")
    assert tab.js("document.getElementById('viewer-name').textContent") == graphs[11].name
    tab.open("#cluster-9")
    tab.until("Math.abs(document.getElementById('cluster-9').getBoundingClientRect().top) < 200")
    tab.open("#search=A_")
    assert tab.js("document.getElementById('search').value") == "A_"
    assert tab.js("document.querySelectorAll('#hits .thumb').length") == sum(g.name.startswith("A_") for g in graphs)
    tab.until("Math.abs(document.querySelector('.tools').getBoundingClientRect().top) < 120")
    tab.open("#graph-11")
    tab.js("location.hash = '#graph-999'")  # what is said of it would be hidden behind the member
    tab.until("!document.getElementById('viewer').open && document.getElementById('notice').textContent.includes('no graph 999')")
    tab.open("#search=class")  # nothing is called that here
    for hash, said in {"#graph-999": "no graph 999", "#cluster-99": "no cluster 99", "#nowhere": "nothing called"}.items():
        tab.open(hash)
        assert said in tab.js("document.getElementById('notice').textContent")
        assert len(tab.cards()) == 15
    assert tab.errors() == []


def test_theme_by_mouse_and_by_keyboard_and_kept(tab):
    paper = "getComputedStyle(document.body).backgroundColor"
    tab.open(scheme="light")
    light = tab.js(paper)
    assert tab.js("document.getElementById('theme').textContent") == "Theme: auto"
    tab.click("#theme")
    assert tab.js(paper) == light
    tab.focus("#theme")
    tab.press(" ")
    assert tab.js("document.getElementById('theme').textContent") == "Theme: dark"
    dark = tab.js(paper)
    assert dark != light
    tab.open(scheme="light")
    assert tab.js(paper) == dark
    tab.focus("#theme")
    tab.press("\ue007")
    assert tab.js("document.getElementById('theme').textContent") == "Theme: auto"
    assert tab.open(scheme="dark").js(paper) == dark


def pointer(tab, x, y, *more, shift=False):
    """Press at a place, move on to others, and let go."""
    buttons = {"button": "left", "clickCount": 1, "modifiers": 8 if shift else 0}
    send = lambda kind, at, **how: tab.driver.execute_cdp_cmd(  # noqa: E731
        "Input.dispatchMouseEvent", {"type": kind, "x": at[0], "y": at[1], **how}
    )
    send("mouseMoved", (x, y))
    send("mousePressed", (x, y), **buttons)
    for at in more:
        send("mouseMoved", at, **{**buttons, "buttons": 1})
    send("mouseReleased", more[-1] if more else (x, y), **buttons)


def test_the_map_by_mouse(tab):
    tab.open()
    assert tab.js("graphMap.count") == 240
    tab.driver.execute_script("document.getElementById('mapbox').scrollIntoView({block: 'center'})")
    free = """(() => { for (let n = 0; n < graphMap.count; n++) { const at = graphMap.at(n);
        if (document.elementFromPoint(...at)?.id === 'dots') return [n, ...at]; } })()"""
    _, x, y = tab.js(free)
    tab.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
    tab.until("!document.getElementById('tip').hidden")  # a picture of the graph that is pointed at
    assert tab.js("document.querySelectorAll('#tip svg path').length") > 0
    pointer(tab, x, y)
    tab.until("document.getElementById('viewer').open")
    shown = tab.js("document.getElementById('viewer-name').textContent")
    everyone = tab.js("[...Array(graphMap.count).keys()].map(m => [graphMap.nameOf(m), ...graphMap.at(m)])")
    assert shown in {name for name, u, v in everyone if abs(u - x) + abs(v - y) < 12}
    tab.press("\ue00c")
    tab.until("!document.getElementById('viewer').open")
    tab.click("#zoom-in")
    tab.until("document.getElementById('map-status').textContent.includes('in view')")
    place = "document.querySelector('.map a').getAttribute('transform')"
    before = tab.js(place)
    box = tab.js(BOX)
    pointer(tab, box[0] + 20, box[1] + 20, (box[0] + 40, box[1] + 30), (box[0] + 90, box[1] + 60))
    tab.until(f"{place} !== '{before}'")
    tab.click("#zoom-home")
    tab.until("!document.getElementById('map-status').textContent.includes('in view')")
    tab.click("#choose")
    tab.driver.execute_script("document.getElementById('mapbox').scrollIntoView({block: 'center'})")
    left, top, width, height = tab.js(BOX)
    pointer(tab, left + 20, top + 20, (left + width / 2, top + 40), (left + width / 2, top + height - 3))
    tab.until("!document.getElementById('selection').hidden")
    inside = tab.js("""(() => { const b = document.getElementById('mapbox').getBoundingClientRect(); let inside = 0;
        for (let n = 0; n < graphMap.count; n++) {
          const [x, y] = graphMap.at(n);
          inside += x > b.left + 20 && x <= b.left + b.width / 2 && y > b.top + 20 && y < b.bottom - 3;
        }
        return inside; })()""")
    assert abs(int(tab.js("document.getElementById('selected').textContent").split()[0]) - inside) <= 2
    assert tab.errors() == []


def test_the_map_by_keyboard(tab):
    tab.open()
    tab.focus("#mapbox")
    tab.press("+")
    tab.until("document.getElementById('map-status').textContent.includes('in view')")
    place = "document.querySelector('.map a').getAttribute('transform')"
    before = tab.js(place)
    tab.press("\ue014")
    tab.until(f"{place} !== '{before}'")
    tab.press("0")
    tab.until("!document.getElementById('map-status').textContent.includes('in view')")
    from selenium.webdriver.common.action_chains import ActionChains

    for key in ("\ue014", "\ue015"):
        ActionChains(tab.driver).key_down("\ue008").send_keys(key).key_up("\ue008").perform()
    tab.until("!document.getElementById('tip').hidden")
    tab.press("\ue007")
    tab.until("document.getElementById('viewer').open")
    tab.press("\ue00c")
    tab.until("!document.getElementById('viewer').open")
    tab.focus("#choose-view")
    tab.press("\ue007")
    tab.until("!document.getElementById('selection').hidden")
    tab.driver.execute_script(SAVED)
    tab.click("#export")
    tab.until("window.saved !== null")
    lines = tab.js("window.saved").splitlines()
    assert lines[0] == "name,cluster,distance,class"
    assert len(lines) - 1 == int(tab.js("document.getElementById('selected').textContent").split()[0])
    tab.focus("#clear")
    tab.press("\ue007")
    tab.until("document.getElementById('selection').hidden")
    tab.focus(".map a[tabindex='0']")
    for key in ("\ue012", "\ue014", "\ue013", "\ue015"):
        tab.press(key)
    assert tab.js("document.activeElement.closest('.map') !== null")
    assert tab.js("document.querySelectorAll('.map a[tabindex=\"0\"]').length") == 1
    chosen = tab.js("document.activeElement.dataset.c")
    tab.press("\ue007")
    tab.until(f"location.hash === '#cluster-{chosen}'")
    assert tab.errors() == []


def test_closing_a_member_does_not_take_the_focus_from_where_it_went(tab):
    tab.open("#cluster-2")
    tab.until("document.querySelector('#cluster-2 .thumb')")
    tab.click("#cluster-2 .thumb")
    tab.until("document.getElementById('viewer').open")
    # Closing goes back in history, which takes a moment; what has the focus then keeps it.
    tab.driver.execute_script("document.getElementById('viewer').close(); document.getElementById('choose-view').focus()")
    tab.until("location.hash === '#cluster-2'")
    time.sleep(0.1)
    assert tab.js("document.activeElement.id") == "choose-view"


def test_the_map_is_colored_by_anything(tab):
    tab.open()
    values = tab.js("[...document.querySelectorAll('#color option')].map(o => o.value)")
    assert {"cluster", "class", "distance", "margin", "certificate", "attribute:0"} <= set(values)
    seen = set()
    for value in values:
        tab.click(f"#color option[value='{value}']")
        seen.add(tab.js("document.getElementById('map-legend').textContent"))
    assert len(seen) >= 6
    assert tab.errors() == []


def test_the_tree_folds_and_the_table_is_exported(tab):
    tab.open()
    tab.click("#fold")
    assert tab.js("document.querySelectorAll('.tree details[open]').length") == 0
    tab.focus(".tree summary")
    tab.press("\ue007")
    tab.until("document.querySelectorAll('.tree details[open]').length === 1")
    tab.click("#unfold")
    assert tab.js("document.querySelectorAll('.tree details[open]').length") == 14
    assert tab.js("document.querySelectorAll('.tree .leaf').length") == 15
    tab.driver.execute_script(SAVED)
    tab.click("#export-table")
    tab.until("window.saved !== null")
    lines = tab.js("window.saved").splitlines()
    assert len(lines) == 16
    assert lines[0].startswith("cluster,graphs,rms distance,")
    assert tab.errors() == []


def test_means_are_on_the_first_screen(tab):
    for width, height in ((390, 844), (1440, 900), (1920, 1080)):
        tab.open(width=width, height=height)
        ends = tab.js("[...document.querySelectorAll('#means li')].map(li => li.getBoundingClientRect().bottom)")
        assert sum(end <= height for end in ends) >= 3

@pytest.mark.parametrize("width", [390, thorough(768), thorough(1440), 1920])
def test_nothing_overflows(tab, width):
    tab.open(width=width)
    tab.driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    tab.driver.execute_script("document.getElementById('print-cards').click(); window.dispatchEvent(new Event('beforeprint'))")
    tab.until("!document.querySelector('ul[data-members]')")
    assert tab.overflow() == []
    assert tab.js(NARROW) == []
    tab.open("#graph-3", width=width)
    assert tab.overflow() == []


@pytest.mark.parametrize("scheme", ["light", thorough("dark")])
def test_axe_finds_nothing(tab, scheme):
    if AXE is None:
        pytest.skip("no axe-core-python: the page is not checked for accessibility")
    tab.open(scheme=scheme)
    tab.driver.execute_script("localStorage.clear()")
    tab.open("#search=A_", scheme=scheme)
    tab.driver.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert tab.axe() == []
    tab.open("#graph-3", scheme=scheme)
    assert tab.axe() == []


def test_hostile_names_stay_text_in_the_browser(browser, tmp_path_factory):
    graphs = drawings(20, HOSTILE, HOSTILE)
    path = tmp_path_factory.mktemp("hostile") / "r.html"
    write_report(
        path, estimator=fitted(graphs, 2), graphs=graphs, classes=[HOSTILE[i % 5] for i in range(20)], title=HOSTILE[0],
        command=HOSTILE[1],
    )  # fmt: skip
    tab = Tab(browser, path)
    for width in WIDTHS:
        tab.open("#graph-0", width=width)
        assert tab.js("document.title") == HOSTILE[0]
        assert tab.js("document.getElementById('viewer-name').textContent") == HOSTILE[0]
        assert HOSTILE[0] in tab.js("document.getElementById('viewer-facts').textContent")
        assert "<script>alert(1)" in tab.js("document.getElementById('viewer-table').textContent")
        assert tab.overflow() == []
    tab.open()
    tab.click("#search")
    tab.press("<script>")
    tab.until("document.querySelectorAll('#hits .thumb').length === 4")
    tab.driver.execute_script("document.getElementById('print-cards').click(); window.dispatchEvent(new Event('beforeprint'))")
    assert tab.js("document.querySelectorAll('script:not([type=\"application/json\"])').length") == 1
    assert tab.js("document.querySelectorAll('img').length") == 0
    assert tab.overflow() == []
    assert tab.errors() == []
    assert tab.requests() == []


def test_a_sampled_page_finds_graphs_that_it_does_not_draw(browser, tmp_path_factory, monkeypatch):
    monkeypatch.setattr("graphmeans.report.facts.evidence.MOST_GRAPHS", 120)
    graphs, classes, estimator = letters(400)
    path = tmp_path_factory.mktemp("sampled") / "r.html"
    write_report(path, estimator=estimator, graphs=graphs, classes=classes)
    tab = Tab(browser, path).open()
    drawn = set(tab.js("JSON.parse(document.getElementById('data').textContent).graphs.map(g => g.i)"))
    absent = next(i for i in range(400) if i not in drawn)
    tab.click("#search")
    tab.press(graphs[absent].name)
    tab.until("document.getElementById('hits').textContent.includes('Not drawn on this page')")
    assert tab.cards() == [int(estimator.labels_[absent])]
    tab.open(f"#graph-{absent}")
    said = tab.js("document.getElementById('notice').textContent")
    assert graphs[absent].name in said
    assert f"is in cluster {estimator.labels_[absent]}, but it is not drawn on this page" in said
    assert tab.js("graphMap.count") == 400  # but it is a dot on the map
    assert tab.errors() == []


@pytest.fixture(scope="module")
def connected(tmp_path_factory):
    rng = np.random.default_rng(0)
    areas = ["superior frontal gyrus", "middle temporal gyrus", "supramarginal gyrus", "posterior cingulate cortex"]
    names = [f"{side} {area}, part {i}" for area in areas for i in range(6) for side in ("left", "right")]
    matrices = rng.uniform(0.2, 0.8, size=(16, 48, 48))
    matrices[::2, :12, :12] += 0.5
    matrices = np.triu(matrices, 1) + np.triu(matrices, 1).transpose(0, 2, 1)
    graphs = gm.structures.labelled_networks(matrices, labels=names)
    path = tmp_path_factory.mktemp("browser") / "networks.html"
    return write_report(path, estimator=fitted(graphs, 2), graphs=graphs)


#: Names in a picture that lie on each other, or reach out of it.
COLLIDING = """(() => {
  const edge = document.querySelector('.links').getBoundingClientRect();
  const boxes = [...document.querySelectorAll('.links text')].map((e) => e.getBoundingClientRect());
  const on = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top + 3 < b.bottom && b.top + 3 < a.bottom;
  const out = boxes.filter((a) => a.left < edge.left - 2 || a.right > edge.right + 2 || a.top < edge.top - 2);
  return [boxes.length, out.length, boxes.filter((a, n) => boxes.some((b, m) => m < n && on(a, b))).length];
})()"""


@pytest.mark.parametrize("width", [390, 1440])
def test_names_of_regions_keep_clear_of_each_other(browser, connected, width):
    tab = Tab(browser, connected).open("#graph-3", width=width)
    tab.until("document.querySelector('.links')")
    written, out, on = tab.js(COLLIDING)
    assert written >= 12
    assert (out, on) == (0, 0)
    assert tab.js("document.querySelectorAll('#viewer-table tbody tr').length") == 60
    assert tab.overflow() == []
    tab.press("\ue00c")
    tab.driver.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    tab.driver.execute_script("document.querySelector('article.cluster .group').scrollIntoView()")
    tab.until("document.querySelector('article.cluster .thumb image')", 20)
    assert tab.overflow() == []
    assert tab.errors() == []


@pytest.mark.skipif(AXE is None, reason="no axe-core")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_of_networks_is_accessible(browser, connected, scheme):
    tab = Tab(browser, connected).open(scheme=scheme)
    assert tab.axe() == []
    tab.open("#graph-3", scheme=scheme)
    tab.until("document.querySelector('.links')")
    assert tab.axe() == []
