"""The site: the pages of this folder, and those that `building` makes. ``make docs`` builds it."""

import sys
from pathlib import Path
from typing import Any

import socialstats

HERE = Path(__file__).parent
sys.path += [str(HERE), str(HERE.parent)]  # `building` and the tables of the tests

import building  # noqa: E402

project = "socialstats"
author = "the socialstats authors"
release = version = socialstats.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
templates_path = ["_templates"]
exclude_patterns = ["_templates"]
autosummary_generate = True
autosummary_imported_members = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
myst_heading_anchors = 3
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "vignettes",
    "ignore_pattern": r"audit_papers|role_conflict_prompts|examples/(collect|data|design|gate)",
    "filename_pattern": ".*",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("building.figures",),
    "capture_repr": (),
    "download_all_examples": False,
    "show_signature": False,
    "parallel": 2,
}
html_theme = "pydata_sphinx_theme"
html_title = f"socialstats {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "navigation_with_keys": False,
    "show_prev_next": False,
    "footer_start": [],
    "footer_end": [],
}
html_show_sourcelink = False


def finished(app: Any, error: Exception | None) -> None:
    """Warn of each dead link; warnings are errors."""
    from sphinx.util import logging

    if error is None and app.builder.name == "html":
        for dead in building.dead_links(Path(app.outdir)):
            logging.getLogger(__name__).warning(dead)


def setup(app: Any) -> None:
    """Write the pages that are made, and listen."""
    building.write_pages(HERE)
    (HERE / "reference.rst").write_text(building.reference(), encoding="utf-8")
    building.validation(HERE / "validation")
    app.connect("doctree-resolved", building.link_cautions)
    app.connect("doctree-resolved", building.link_names)
    app.connect("build-finished", finished)
