"""How the pages of this folder become a site: `make docs`."""

from __future__ import annotations

from importlib.metadata import version as installed

project = "mrflearn"
author = copyright = "mrflearn developers"
release = version = installed("mrflearn")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinx_copybutton",
]
templates_path = ["_templates"]
exclude_patterns = ["_build", "*.py", "experiments/results"]

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Docstrings write `name` for code, as Markdown does.
default_role = "literal"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
# Words in types, as in "shape (n_variables, n_variables)", are looked up, but are no references.
suppress_warnings = ["ref.python"]

html_theme = "pydata_sphinx_theme"
html_title = "mrflearn"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    # Pages of wide tables have no second list of contents beside them.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "from-r": [],
        "accuracy": [],
        "benchmarks": [],
        "case-wine": [],
    },
}
