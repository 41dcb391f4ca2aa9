"""The site: `make docs` builds it, without a network, and takes every warning for an error."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
os.environ.setdefault("MPLBACKEND", "agg")

from sphinx.util.nodes import make_refnode  # noqa: E402

import graphmeans  # noqa: E402
from graphmeans import structures  # noqa: E402

sys.modules["graphmeans.structures"] = structures  # it is known under this name, but stands in graphmeans.graphs

#: Without the pictures of the gallery and the outputs of tutorials, for tests of the pages themselves.
QUICK = os.environ.get("GRAPHMEANS_DOCS") == "quick"

project = "graphmeans"
author = "The graphmeans developers"
copyright = "the graphmeans developers, BSD-3-Clause"
version = release = graphmeans.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "live_blocks",
    "mathml",
    "source_links",
]
exclude_patterns = ["_build", "_ext", "generated", "notebooks", "inventories"]
templates_path = ["_templates"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
suppress_warnings = ["config.cache"]  # functions among the settings of the gallery cannot be pickled
nitpicky = False

# -- pages in Markdown ---------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

# -- reference -----------------------------------------------------------------------------------------

autosummary_generate = True
autodoc_typehints = "none"  # the types stand in the docstrings
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False  # the template of a class shows them, once
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
default_role = "code"

#: Stored beside this file, so that nothing is fetched. `inventories/README.md` says where each is from.
intersphinx_mapping = {
    name: (address, f"inventories/{name}.inv")
    for name, address in {
        "python": "https://docs.python.org/3/",
        "numpy": "https://numpy.org/doc/stable/",
        "scipy": "https://docs.scipy.org/doc/scipy/",
        "sklearn": "https://scikit-learn.org/stable/",
        "pandas": "https://pandas.pydata.org/docs/",
        "networkx": "https://networkx.org/documentation/stable/",
        "matplotlib": "https://matplotlib.org/stable/",
    }.items()
}

live_blocks = not QUICK

# -- gallery -------------------------------------------------------------------------------------------

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"\.py$",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 10**6,
    "remove_config_comments": True,
    "plot_gallery": not QUICK,
    "abort_on_example_error": True,
    "image_srcset": ["2x"],
    "reset_modules": ("matplotlib",),
}

# -- the pages -----------------------------------------------------------------------------------------

html_theme = "pydata_sphinx_theme"
html_title = "graphmeans"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_extra_path = ["generated/extra"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher", "navbar-icon-links"],
    "show_toc_level": 2,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "logo": {"text": "graphmeans", "alt_text": "graphmeans, to the start page"},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": []}
html_context = {"default_mode": "auto"}


def write_demo_report() -> None:
    """The live page that the site embeds: what `graphmeans demo` writes, on fewer letters."""
    page = HERE / "generated" / "extra" / "demo" / "report.html"
    if not page.exists():
        from graphmeans.report import write_report

        graphs, letters = graphmeans.datasets.make_letters(300, random_state=0)
        km = graphmeans.GraphKMeans(15, random_state=0).fit(graphs)
        page.parent.mkdir(parents=True, exist_ok=True)
        write_report(page, estimator=km, graphs=graphs, classes=letters, title="300 hand-drawn letters")


def include_root_pages(app, docname: str, source: list[str]) -> None:
    """The changelog and the guide for contributors stand in the root of the repository; here are the same texts."""
    if docname in ("changelog", "contributing"):
        text = (HERE.parent / f"{docname.upper()}.md").read_text(encoding="utf-8")
        text = re.sub(r"\]\(docs/", "](", text)
        source[0] = re.sub(r"\]\((?!https?:|#|[a-z-]+/[\w-]+\.md)(?=\w|\.)", "](../", text)


def link_to_gallery(app, docname: str, source: list[str]) -> None:
    """In the repository a link leads to the program of an example, on the site to its page in the gallery."""
    text = source[0].replace("](../../examples)", "](../auto_examples/index.rst)")
    source[0] = re.sub(r"\]\((\.\./)+examples/(\w+)\.py\)", rf"]({'../' * docname.count('/')}auto_examples/\2.rst)", text)


def find_short_name(app, env, node, contnode):
    """See-also sections name objects as `gm.` does; on the page of another module that is resolved here."""
    if node.get("refdomain") == "py":
        known = env.domains.python_domain.objects
        target = f"graphmeans.{node['reftarget']}"
        if target in known:
            return make_refnode(app.builder, node["refdoc"], known[target].docname, known[target].node_id, contnode, target)
    return None


def mend_body(app, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Two things that others write otherwise.

    viewcode takes all names of a file for names of one module: this one stands in graphmeans, its class in graphmeans.io.
    docutils gives references a role that browsers no longer know inside a list.
    """
    if "body" in context:
        body = context["body"].replace("#graphmeans.io.open_collection", "#graphmeans.open_collection")
        context["body"] = body.replace(' role="doc-biblioentry"', ' role="listitem"')


def setup(app) -> None:
    write_demo_report()
    app.connect("source-read", include_root_pages)
    app.connect("source-read", link_to_gallery)
    app.connect("missing-reference", find_short_name)
    app.connect("html-page-context", mend_body)
