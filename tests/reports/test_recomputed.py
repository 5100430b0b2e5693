"""At least fifty numbers of every page, recomputed from the raw data by `recomputed`: numpy and scipy only."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import example_pages  # puts tests/studies on the path
import pandas as pd
import pytest
import recomputed
import study_examples
from study_tables import answers, ratings, scores

from socialstats.cli import main
from socialstats.designs.comparisons import Comparisons
from socialstats.studies import STUDIES
from socialstats.studies.running import run_study
from socialstats_reports import read_results, render

Numbers = Mapping[recomputed.Key, float] | Iterable[tuple[recomputed.Key, float]]
LEAST = 50
FIELDS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "df", "p_value", "n")


def printed(page: str) -> dict[recomputed.Key, list[float]]:
    """Return the numbers behind the blocks of a page by metric, group, term and field."""
    found: dict[recomputed.Key, list[float]] = {}
    for result in (result for block in read_results(page)["blocks"] for result in block["results"]):
        for row in result["terms"]:
            for field in FIELDS:
                if row.get(field) is not None:
                    key = (result["metric"], str(row.get("group")), row["term"], field)
                    found.setdefault(key, []).append(row[field])
    return found


def compare(page: str, numbers: Numbers) -> None:
    """Assert that a page has every number, and that there are at least fifty."""
    pairs = list(numbers.items()) if isinstance(numbers, Mapping) else list(numbers)
    on_page = printed(page)

    def agrees(key: recomputed.Key, value: float) -> bool:
        return any(
            math.isclose(value, one, rel_tol=1e-7, abs_tol=1e-9) for one in on_page.get(key, ())
        )

    wrong = [
        (key, value, on_page.get(key, [])[:3]) for key, value in pairs if not agrees(key, value)
    ]
    assert not wrong
    assert len(pairs) >= LEAST


def columns(frame: pd.DataFrame) -> dict[str, Any]:
    """Return a made table as a file would give it: texts."""
    return {str(name): frame[name].astype(str).to_numpy(object) for name in frame}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["role-conflict", "norm-goal", "social-norms", "relationship-bias", "staged-values"]
)
def test_a_bundled_page(name: str, tmp_path: Path) -> None:
    """The page as the command makes it."""
    page = tmp_path / "page.html"
    assert main(["report", "--example", name, "--no-verify", "-q", "-o", str(page)]) == 0
    numbers: Callable[[], Numbers] = getattr(recomputed, name.replace("-", "_"))
    compare(page.read_text(encoding="utf-8"), numbers())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "numbers", "frame"),
    [
        ("paired", recomputed.paired, answers),
        ("agreement", recomputed.agreement, ratings),
        ("leaderboard", recomputed.leaderboard, study_examples.leaderboard_frame),
    ],
)
def test_a_general_page(
    name: str, numbers: Callable[[dict[str, Any]], Numbers], frame: Callable[[], pd.DataFrame]
) -> None:
    """Pages of the made tables that other tests look at too."""
    compare(example_pages.made(name)[1], numbers(columns(frame())))


@pytest.mark.slow
def test_a_page_of_numbers_in_pairs() -> None:
    """The paired page of values that are not 0 or 1 has fewer numbers: all that follow from sums are recomputed."""
    found = recomputed.paired_numbers(columns(scores()))
    on_page = printed(example_pages.made("paired, of numbers")[1])
    assert {
        key: [value, *on_page.get(key, [])]
        for key, value in found.items()
        if not any(math.isclose(value, one, rel_tol=1e-9) for one in on_page.get(key, ()))
    } == {}


@pytest.mark.slow
def test_a_page_of_comparisons() -> None:
    """Sixteen items with an effect of the order of presentation."""
    frame = study_examples.choices(items=16, urgency=False)
    design = Comparisons.from_frame(frame, cluster="story")
    outcome = run_study(STUDIES["comparisons"], design, study_examples.FAST)
    compare(render(outcome), recomputed.comparisons(columns(frame)))


def test_the_script_imports_numpy_and_scipy_alone() -> None:
    """Nothing of the package that it checks."""
    tree = ast.parse(Path(recomputed.__file__).read_text(encoding="utf-8"))
    modules = {
        name.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    modules |= {
        str(node.module).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert modules == {
        "__future__",
        "collections",
        "csv",
        "gzip",
        "itertools",
        "numpy",
        "pathlib",
        "scipy",
        "typing",
    }
