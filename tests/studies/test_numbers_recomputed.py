"""The sentence on what was recomputed: all numbers of a page are counted, once, as recomputed or with a reason."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from study_examples import PAGES, outcome_of

import socialstats
from socialstats.results import Verifications
from socialstats.studies.page import Outcome
from socialstats.studies.recomputed import recomputed
from socialstats_reports import as_json, render
from socialstats_reports.data import read_results

FIELDS = (
    "estimate",
    "std_error",
    "conf_low",
    "conf_high",
    "statistic",
    "df",
    "p_value",
    "p_adjusted",
)
COUNTS = ("n", "n_units", "n_clusters")
each_page = pytest.mark.parametrize("name", PAGES)


@cache
def verified(name: str) -> Outcome:
    outcome = outcome_of(name, verify=True)
    return replace(outcome, verifications=dict(outcome.verifications))


def numbers_of(outcome: Outcome) -> Counter[tuple[Any, ...]]:
    """Return the numbers of the rows of results, figures and tables, by level, each once; signs do not count."""
    found: Counter[tuple[Any, ...]] = Counter()
    for block in outcome.blocks:
        tables = [
            [
                *table.rows,
                *(
                    v.row
                    for line in table.cells
                    for v in line
                    if getattr(v, "row", None) is not None
                ),
            ]
            for table in block.tables
        ]
        for held in (*(result.rows for result in block.results), block.drawn, *tables):
            one: Counter[tuple[Any, ...]] = Counter()
            for row in {id(row): row for row in held}.values():
                size = {
                    name: abs(x)
                    for name in (*FIELDS, *COUNTS)
                    if (x := getattr(row, name)) is not None
                }
                ends = sorted(size[name] for name in ("conf_low", "conf_high") if name in size)
                core: tuple[Any, ...] = (row.interval, size.get("estimate"), *ends)
                if not ends or "estimate" not in size:
                    core += tuple(
                        (name, size[name])
                        for name in FIELDS[:-1]
                        if name in size and "conf" not in name
                    )
                for name, value in size.items():
                    of_test = (row.test,) if name in ("statistic", "df", "p_value") else ()
                    one[block.level, core + of_test, "end" if "conf" in name else name, value] += 1
            found |= one
    return found


@each_page
@pytest.mark.slow
def test_recomputed_and_not_recomputed_are_all_numbers_shown(name: str) -> None:
    outcome = verified(name)
    told = json.loads(as_json(outcome))["recomputed"]
    assert told["numbers"] == told["agree"] + told["disagree"] + sum(
        told["not_recomputed"].values()
    )
    assert told["unchecked"] == sum(told["not_recomputed"].values())
    assert told["disagree"] == 0
    beside = {
        kind: told["by_kind"].pop(kind)["unchecked"]
        for kind in ("counts", "other values")
        if kind in told["by_kind"]
    }
    shown = numbers_of(outcome)
    counts = sum(n for (*_, field, _), n in shown.items() if field in COUNTS)
    of_rows = sum(t["agree"] + t["disagree"] + t["unchecked"] for t in told["by_kind"].values())
    assert of_rows == sum(shown.values()) - counts
    assert of_rows + sum(beside.values()) == told["numbers"]
    assert beside["counts"] >= counts  # and those of cells without a row, and of the rows read
    # verification recomputes what a plain definition or a package has: two thirds on every page
    assert told["agree"] > 2 / 3 * of_rows


@each_page
@pytest.mark.slow
def test_the_sentence_of_the_page_is_that_of_its_fields(name: str) -> None:
    html = render(verified(name))
    html = re.sub(r'<a class="term"[^>]*>([^<]*)</a>', r"\1", html)
    page = read_results(html)
    told = page["recomputed"]
    (agree, numbers), (left, *reasons) = (
        [int(x.replace(",", "")) for x in re.findall(r"(?<![\w.])\d[\d,]*", text)]
        for text in re.match(r"(.*? agree\.) (.*)", page["verified"]).groups()  # type: ignore[union-attr]
    )
    assert (agree, numbers, left) == (told["agree"], told["numbers"], told["unchecked"])
    assert sum(reasons) == left
    assert html.count(f"<p>{page['verified']}") == 2  # in Methods, and in the appendix
    assert "recomputed value" not in html


@pytest.mark.parametrize("name", ["paired", "agreement"])
@pytest.mark.slow
def test_a_number_that_nobody_recomputed_is_not_counted_as_recomputed(name: str) -> None:
    outcome = verified(name)
    whole = recomputed(outcome)
    for left_out in outcome.verifications:
        rest = {key: value for key, value in outcome.verifications.items() if key != left_out}
        less = recomputed(replace(outcome, verifications=rest))
        assert less.total.n == whole.total.n
        assert less.total.agree <= whole.total.agree
    none = recomputed(replace(outcome, verifications={}))
    assert (none.total.n, none.total.agree) == (whole.total.n, 0)
    assert none.sentences(" of this page")[0].startswith("No number of this page was recomputed")


def test_a_number_that_disagrees_is_counted_as_such() -> None:
    outcome = outcome_of("groups", verify=True)
    (name, found), *_ = outcome.verifications.items()
    at = next(k for k, check in enumerate(found.checks) if check.ok and check.row is not None)
    checks = tuple(
        replace(check, ok=False) if k == at else check for k, check in enumerate(found.checks)
    )
    wrong = recomputed(
        replace(outcome, verifications=Verifications({name: replace(found, checks=checks)}))
    )
    assert wrong.total.disagree >= 1
    assert wrong.total.n == recomputed(outcome).total.n
    assert "disagree" in " ".join(wrong.sentences())


def test_no_text_of_ours_claims_that_every_number_is_recomputed() -> None:
    root = Path(socialstats.__file__).parents[1]
    texts = [
        root / "README.md",
        *sorted((root / "docs").glob("*.md")),
        *sorted((root / "paper").glob("*.md")),
    ]
    claims = re.compile(
        r"(every|each|all)( of its)? (published )?(number|value)s?\b[^.]{0,40}recomputed by", re.I
    )
    assert {
        path.name: found
        for path in texts
        if (found := claims.findall(path.read_text(encoding="utf-8")))
    } == {}
