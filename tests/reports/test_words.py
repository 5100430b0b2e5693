"""Eleven pages that readers see first: the main part of each has at most 900 words beside its tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from html_page import Page

from socialstats.cli import main

pytestmark = pytest.mark.slow  # whole pages

DATA = Path(__file__).parents[2] / "examples" / "data"
TABLES = ("choices", "answers", "scores", "benchmark", "arena")
EXAMPLES = ("role-conflict", "relationship-bias", "norm-goal", "social-norms", "staged-values")
CALLS = {
    **{name: [str(DATA / f"{name}.csv")] for name in TABLES},
    "ratings": [str(DATA / "ratings.csv"), "--levels", "low,medium,high", "--cluster", "story"],
    **{name: ["--example", name] for name in EXAMPLES},
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_the_main_part_is_read_in_minutes(call: list[str], tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert main(["report", *call, "-o", str(path), "--no-verify", "-q"]) == 0
    page = Page(path.read_text(encoding="utf-8"))
    # a page without its results would be short as well
    assert 200 < page.prose <= 900
    main_part = [
        inside for tag, _, inside in page.elements if tag == "article" and "details" not in inside
    ]
    assert main_part
