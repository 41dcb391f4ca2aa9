"""The site builds without a warning, its links lead somewhere, and its pages are usable on any screen, with a search."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.thorough
PAGES = [
    "index.html", "tutorials/parse-trees.html", "api/generated/graphmeans.GraphKMedoids.html", "get-started/the-picture.html",
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site without the pictures of the gallery and the outputs of tutorials, which `make docs` makes and other tests run."""
    for name in ("sphinx", "pydata_sphinx_theme", "myst_parser", "sphinx_gallery", "sphinx_design", "sphinx_copybutton"):
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'graphmeans[docs]'")
    folder = tmp_path_factory.mktemp("site")
    unwanted = shutil.ignore_patterns("_build", "generated", "auto_examples", "__pycache__")
    for name in ("docs", "examples", "src", "tests/baseline"):
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml", "Makefile"):
        shutil.copy(ROOT / name, folder / name)
    # The package itself is not that of the copy, whose kernels would have to be compiled.
    surroundings = os.environ | {"GRAPHMEANS_DOCS": "quick", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", "html"],
        cwd=folder, env=surroundings, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "html"


def test_every_link_inside_leads_somewhere(site):
    spec = importlib.util.spec_from_file_location("check_site", ROOT / "docs" / "check_site.py")
    checking = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checking)
    dead, _, checked = checking.dead_links(site)
    assert dead == []
    assert checked > 5_000


def test_nothing_is_loaded_from_elsewhere(site):
    for page in PAGES:
        text = (site / page).read_text(encoding="utf-8")
        for tag in ("<script", "<link", "<img", "<iframe"):
            for piece in text.split(tag)[1:]:
                head = piece.split(">")[0]
                assert "http://" not in head and "https://" not in head, head  # noqa: PT018


def test_every_public_name_has_a_page_with_an_example(site):
    pages = list((site / "api" / "generated").glob("*.html"))
    assert len(pages) > 90
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "Examples" in text, page.name
        assert "See also" in text, page.name


@pytest.fixture(scope="module")
def browser():
    webdriver = pytest.importorskip("selenium.webdriver", reason="no selenium: the site is not tried in a browser")
    from selenium.webdriver.chrome.service import Service

    program = next((found for name in ("chromium", "google-chrome") if (found := shutil.which(name))), None)
    helper = shutil.which("chromedriver")
    if program is None or helper is None:
        pytest.skip("no chromium and chromedriver on this machine: the site is not tried in a browser")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    driver = webdriver.Chrome(options=options, service=Service(helper))
    driver.set_script_timeout(110)
    yield driver
    driver.quit()


def open_page(driver, path, width, theme):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.get(path)
    driver.execute_script(f"document.documentElement.dataset.theme = document.documentElement.dataset.mode = {theme!r}")
    driver.execute_async_script("setTimeout(arguments[0], 800)")  # colours fade from one theme to the other


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_pages_fit_and_are_accessible(site, browser, width):
    axe = find_spec("axe_core_python")
    if axe is None:
        pytest.skip("no axe-core-python: the site is not checked for accessibility")
    script = Path(axe.origin).with_name("axe.min.js").read_text(encoding="utf-8")
    for page in PAGES:
        for theme in ("light", "dark") if width == 1440 else ("light",):
            open_page(browser, (site / page).as_uri(), width, theme)
            sticks_out = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert browser.execute_script(sticks_out) <= 0, page
            browser.execute_script(script)
            found = browser.execute_async_script("axe.run(document, {iframes: false}).then(arguments[arguments.length - 1])")
            assert len(found["passes"]) > 15
            said = [f"{v['id']}: {v['nodes'][0]['html'][:120]}" for v in found["violations"]]
            assert said == [], (page, theme)


def test_the_search_works_from_the_disk(site, browser):
    open_page(browser, (site / "search.html").as_uri() + "?q=silhouette", 1440, "light")
    hits = "return [...document.querySelectorAll('#search-results ul.search li a')].map(a => a.getAttribute('href'))"
    found: list[str] = []
    for _ in range(100):
        found = browser.execute_script(hits)
        if len(found) >= 3:
            break
        browser.execute_async_script("setTimeout(arguments[0], 100)")
    assert any("graphmeans.evaluation.silhouette" in href for href in found), json.dumps(found)


def test_the_embedded_report_is_alive(site, browser):
    open_page(browser, (site / "get-started" / "the-picture.html").as_uri(), 1440, "light")
    frame = browser.find_element("css selector", "iframe.live-report")
    browser.execute_script("arguments[0].scrollIntoView()", frame)
    browser.switch_to.frame(frame)
    ready = "return document.documentElement.dataset.ready"
    for _ in range(100):
        if browser.execute_script(ready) == "yes":
            break
        browser.execute_async_script("setTimeout(arguments[0], 100)")
    assert browser.execute_script(ready) == "yes"
    browser.switch_to.default_content()
