"""What the site is made of: an example for each public name, links, validation pages. `make docs` builds it."""

from __future__ import annotations

import ast
import csv
import doctest
import inspect
import pydoc
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

import socialstats
from socialstats.metrics import METRICS
from tests.examples.test_documents import BLOCK

ROOT = Path(__file__).parents[2]
BUILDING = runpy.run_path(str(ROOT / "docs" / "building.py"))
WRITTEN = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "NEWS.md")] + sorted(
    (ROOT / "docs").glob("*.md")
)
MADE = (  # when the site is built
    "docs/validation/",
    "docs/vignettes/",
    "docs/reference.rst",
    *(f"docs/{name}" for name in BUILDING["PAGES"]),
)
LINK = re.compile(r"\]\(([^)\s]+)\)")


@pytest.mark.parametrize("name", socialstats.__all__)
def test_a_public_name_has_an_example_with_its_output(name: str) -> None:
    found = getattr(socialstats, name)
    said = (
        sys.modules["socialstats.studies"].__doc__ if name == "STUDIES" else inspect.getdoc(found)
    )
    examples = doctest.DocTestParser().get_examples(said or "")
    assert any(example.want for example in examples), (
        f"the docstring of {name} has no example with an output"
    )


def imported() -> dict[str, str]:
    """Return what type checkers are told of each public name: the module that has it."""
    (checked,) = [
        node for node in ast.parse(inspect.getsource(socialstats)).body if isinstance(node, ast.If)
    ]
    froms = [node for node in checked.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in froms for alias in node.names}


def test_a_public_name_is_in_one_group_which_help_and_reference_show() -> None:
    """One list says it: the groups, whose names type checkers, `dir`, `help` and the reference have."""
    groups: dict[str, Any] = socialstats._GROUPS
    placed = [name for group in groups for name in socialstats._names_of_group(group)]
    assert len(placed) == len(set(placed))
    assert [*socialstats.__all__] == placed
    assert dir(socialstats) == sorted([*placed, "__version__"])
    homes = {name: f"socialstats.{home}".rstrip(".") for name, home in socialstats._HOME.items()}
    assert imported() == homes
    shown, reference = pydoc.plaintext.document(socialstats), BUILDING["reference"]()
    for group, (about, _) in groups.items():
        assert f"{group}: {about}" in shown
        part = reference.partition(f"{group.capitalize()}: {about}")[2].partition(
            ":toctree: api\n\n"
        )[2]
        assert part.partition("\n\n")[0].split() == socialstats._names_of_group(group)


def places(path: Path) -> set[str]:
    """Return the anchors of the headings of a document, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", path.read_text(encoding="utf-8")), re.M)
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.name)
def test_links_of_a_document_have_targets(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text(encoding="utf-8"))):
        name, _, place = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if re.match(r"https?:", link) or target.relative_to(ROOT).as_posix().startswith(MADE):
            continue
        assert target.exists(), link
        assert not place or place in places(target), link


def test_dead_links_of_a_site_are_found(tmp_path: Path) -> None:
    (tmp_path / "api").mkdir()
    (tmp_path / "index.html").write_text(
        '<h1 id="top"></h1><a href="#top"><a href="#end"><a href="api/f.html#f"><a href="api/f.html#g">'
        '<a href="https://doi.org/1"><a href="none.html"><img src="a.png">',
        encoding="utf-8",
    )
    (tmp_path / "api" / "f.html").write_text(
        '<dt id="f"><a href="../index.html"><a href="/x.html">', encoding="utf-8"
    )
    assert sorted(BUILDING["dead_links"](tmp_path)) == [
        "api/f.html: dead link /x.html",
        "index.html: dead link #end",
        "index.html: dead link a.png",
        "index.html: dead link api/f.html#g",
        "index.html: dead link none.html",
    ]


def test_a_figure_of_a_vignette_is_described_for_those_who_do_not_see_it() -> None:
    axes = socialstats.bradley_terry(socialstats.datasets.journal_citations()).plot()
    said = "Log-strength, 4 lines, from JRSS-B to Comm Statist; estimates with intervals"
    assert BUILDING["described"](axes) == said
    axes.set_label("A map of 4 journals.")
    assert BUILDING["described"](axes) == "A map of 4 journals."


def test_simulations_are_those_of_the_metrics_and_of_the_table() -> None:
    simulated: dict[str, str] = BUILDING["SIMULATED"]
    assert simulated.keys() <= METRICS.keys()
    with (ROOT / "docs" / "calibration.csv").open(encoding="utf-8", newline="") as file:
        studies = {line["study"] for line in csv.DictReader(file)}
    for name, beginnings in simulated.items():
        for beginning in beginnings.split("|"):
            assert any(study.startswith(beginning) for study in studies), f"{name}: {beginning}"


@pytest.fixture(scope="module")
def lines() -> list[dict[str, str]]:
    with (ROOT / "docs" / "calibration.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_validation_page_of_a_metric(lines: list[dict[str, str]]) -> None:
    checks, packages = BUILDING["recomputed"]("krippendorff_alpha")
    found: list[str] = list(BUILDING["coverage"]("krippendorff_alpha", lines))
    page = "\n".join(BUILDING["page_of"](METRICS["krippendorff_alpha"], checks, packages, found))
    compared = [check for check in checks if check.ok is not None]
    assert f"compared {len(compared)} numbers, of which {len(compared)} agree" in page
    assert f"| alpha | krippendorff | {packages['krippendorff']} | " in page
    assert "`agreement.json`" in page
    row: Any = next(line for line in found if line.startswith("| Agreement, few clusters"))
    mine = [
        line
        for line in lines
        if line["study"].startswith("Agreement, few") and line["nominal"] == "0.95"
    ]
    shares = [float(line["share"]) for line in mine if line["cautioned"]]
    assert row.split("|")[3:6] == [
        f" {len(shares)} ",
        f" {min(shares):.3f} ",
        f" {max(shares):.3f} ",
    ]
