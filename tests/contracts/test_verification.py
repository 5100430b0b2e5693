"""verify() says of every published number whether it was checked, and a check that agrees notices a changed number."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import socialstats
from socialstats.crosscheck.engine import SampleChecks
from socialstats.metrics import METRICS
from socialstats.results import KINDS, Result, ResultGroup, Row, Verification
from socialstats.results.verification import (
    COUNTED,
    NOT_RECOMPUTED,
    Published,
    as_published,
    rows_with_places,
)
from tests.contracts.subjects import run, subject_of

CROSSCHECKS = Path(socialstats.__file__).parent / "crosscheck"
ALLOWED = (
    "socialstats.crosscheck",
    "socialstats.designs",
    "socialstats.results",
    "socialstats.errors",
    "socialstats.text",
    "socialstats.references",
    "socialstats.arrays",
)
UNCHECKED = (
    0.1  # largest share of a metric's published numbers without a check on the contract data
)
UNCHECKED_OF = {
    # no package has the chi-squares of clusters: R's values are golden
    "mcnemar": 0.26,
    # the interval of a difference of clustered shares follows from those of both
    "two_proportions": 0.12,
    # two ends beside an estimate: only the interval of independent units is recomputed
    "icc": 0.67,
    # errors of drawn people, whose modes jump: golden and brute-force tests have them
    "ada_met": 0.19,
    # ceilings are means of random halvings; the chi-square interval, its cut ends and the F test of drawn people are
    # golden, or written out in tests
    "js_similarity": 0.77,
}
MOVED = 0.03
# fields that are moved together: none of them is computed from another one by a check
TOGETHER = (
    ("estimate", "p_adjusted"),
    ("std_error", "df"),
    ("conf_low", "conf_high", "statistic"),
    ("p_value",),
)
# ends whose Monte-Carlo refits take seconds each time, and whose resamples the contract data lose
SHORT: dict[str, dict[str, Any]] = {"preference_shares": {"ci": "delta"}}
each_metric = pytest.mark.parametrize("name", METRICS)


def result_of(name: str) -> Result:
    subject = subject_of(name)
    found = run(name, subject.design(subject.rows()), **SHORT.get(name, {}))
    assert isinstance(found, Result)
    return found


@pytest.mark.parametrize("path", sorted(CROSSCHECKS.glob("*.py")), ids=lambda path: path.stem)
def test_no_crosscheck_calls_the_code_that_it_checks(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        ours = [name for name in names if name.startswith("socialstats") and name != "socialstats"]
        assert all(name.startswith(ALLOWED) for name in ours), ours


def moved(result: Result, fields: tuple[str, ...], room: dict[tuple[int, str], float]) -> Result:
    """Change the fields of all rows by 3%, or by twice the tolerance of a Monte-Carlo check that is larger."""
    rows: list[Row] = []
    for k, row in enumerate(result.rows):
        new: dict[str, Any] = {}
        for name in fields:
            value = getattr(row, name)
            if value is not None:
                new[name] = value + max(
                    MOVED * abs(value) if value else MOVED, 2 * room.get((k, name), 0.0)
                )
        rows.append(replace(row, **new))
    return replace(result, rows=tuple(rows))


@each_metric
@pytest.mark.slow
def test_every_number_is_checked_or_listed_and_a_changed_one_is_noticed(name: str) -> None:
    result = result_of(name)
    verification = result.verify()
    numbers = {at: ok for at, ok in verification.numbers().items() if at[1] != "counts"}
    shown = {
        (k, field)
        for k, row in enumerate(result.rows)
        for field in KINDS
        if getattr(row, field) is not None
    }
    assert set(numbers) == shown
    assert all(check.note for check in verification if check.ok is None)
    unchecked = [at for at, ok in numbers.items() if ok is None]
    print(f"{name}: {len(unchecked)} of {len(numbers)} unchecked; {verification!r}")
    most = UNCHECKED_OF.get(name, UNCHECKED)
    assert len(unchecked) <= most * len(numbers), repr(verification)
    room: dict[tuple[int, str], float] = {}
    for check in verification:
        if check.row is not None and check.ok:
            at = (check.row, check.field)
            room[at] = min(check.tolerance, room.get(at, check.tolerance))
    for fields in TOGETHER:
        if any(getattr(row, field) is not None for row in result.rows for field in fields):
            found = moved(result, fields, room).verify().numbers()
            unseen = [
                (result.rows[k].term, result.rows[k].group, field)
                for (k, field), ok in found.items()
                if field in fields and ok is True
            ]
            assert unseen == []


def test_a_number_without_a_check_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    result = result_of("cochran_q")
    before = result.verify().reasons()[NOT_RECOMPUTED]
    monkeypatch.setattr(SampleChecks, "check_share", lambda *_: [])
    found = result.verify()
    assert found.ok
    names = ("conf_low", "conf_high", "df")
    shown = [getattr(row, name) for row in result.rows if row.group == "share" for name in names]
    more = sum(value is not None for value in shown)
    assert found.reasons()[NOT_RECOMPUTED] == before + more
    assert "not recomputed: no independent implementation" in repr(found)
    assert found.recomputed().kinds["limits"].unchecked > 0
    assert {"counts", "not_checked", "groups"} == set(found.to_dict())


def test_numbers_know_where_they_stand() -> None:
    (row,) = rows_with_places([Row(term="a", estimate=0.5, p_value=0.25)])
    assert isinstance(row.estimate, Published)
    assert row.estimate.at == (0, "estimate")
    assert type(row.estimate * 2) is float
    assert as_published(1.0, row.p_value).at == (0, "p_value")  # type: ignore[attr-defined]
    assert type(as_published(1.0, 0.5)) is float


def test_results_of_levels_count_each_number_once() -> None:
    subject = subject_of("bradley_terry")
    rows = subject.rows()
    rows["model"] = ["m1", "m2"] * (len(rows) // 2) + ["m1"] * (len(rows) % 2)
    group = socialstats.choice_entropy(socialstats.Comparisons.from_frame(rows, by="model"))
    assert isinstance(group, ResultGroup)
    numbers = group.verify().numbers()
    assert len(numbers) == sum(len(one.verify().numbers()) for one in group.results.values())
    assert max(k for k, _ in numbers) == len(group.tidy()) - 1


def test_nothing_in_words() -> None:
    assert repr(Verification(checks=())) == "<Verification: No numbers were found.>"


@each_metric
@pytest.mark.slow
def test_every_number_of_a_result_is_recomputed_or_has_a_reason(name: str) -> None:
    result = result_of(name)
    found = result.verify().recomputed()
    shown = sum(
        getattr(row, field) is not None for row in result.rows for field in (*KINDS, *COUNTED)
    )
    assert found.total.n == shown
    assert found.total.unchecked == sum(found.lacks.values())
    assert found.total.agree + found.total.disagree + found.total.unchecked == shown


@pytest.mark.parametrize("field", ["n", "n_units", "n_clusters", "conf_level"])
def test_counts_and_levels_are_listed_as_not_checked(field: str) -> None:
    result = result_of("paired_difference")
    at = next(k for k, row in enumerate(result.rows) if getattr(row, field) is not None)
    found = result.verify()
    assert found.numbers()[at, "counts"] is None
    tally = found.recomputed().kinds["counts"]
    assert (tally.agree, tally.disagree) == (0, 0)
    assert tally.unchecked > 0
    assert any("taken as they stand" in reason for reason in found.reasons())


@pytest.mark.parametrize("name", ["paired_difference"])
def test_a_part_of_the_rows_is_named(name: str) -> None:
    result = result_of(name)
    with pytest.raises(
        socialstats.InputError, match=r"verify\(\) needs all rows .* and these 1 are others"
    ):
        replace(result, rows=result.rows[:1]).verify()
