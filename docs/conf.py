"""The site: the pages of this folder, and one for each public name. ``make docs`` builds it."""

import re
from pathlib import Path

import socialstats

HERE = Path(__file__).parent
REFERENCE = """Reference
=========

Each public name has a page with shapes, units, errors, sources and an example.

.. currentmodule:: socialstats
"""

project = "socialstats"
author = "the socialstats authors"
release = version = socialstats.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "sphinx_gallery.gen_gallery"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
autosummary_generate = True
numpydoc_show_class_members = False
myst_heading_anchors = 3
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "vignettes",
    "ignore_pattern": r"audit_papers|role_conflict_prompts|examples/(collect|data|design|gate)",
    "filename_pattern": ".*",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "plot_gallery": "True",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "parallel": 2,
}
html_theme = "pydata_sphinx_theme"
html_title = f"socialstats {version}"
html_theme_options = {"navigation_with_keys": False, "show_prev_next": False}
html_show_sourcelink = False


def reference(home: str) -> str:
    """Return the page of the public names, under the headings that `__all__` has as comments."""
    listed = home.partition("__all__ = [")[2].partition("\n]")[0]
    lines = [REFERENCE]
    for line in listed.strip().split("\n"):
        heading = line.strip().removeprefix("# ")
        if heading != line.strip():
            heading = heading.capitalize()
            lines += ["", heading, "-" * len(heading), "", ".. autosummary::", "   :toctree: api", ""]
        lines += [f"   {name}" for name in re.findall(r'"(\w+)"', line)]
    return "\n".join(lines) + "\n"


(HERE / "reference.rst").write_text(
    reference(Path(str(socialstats.__file__)).read_text(encoding="utf-8")), encoding="utf-8"
)
