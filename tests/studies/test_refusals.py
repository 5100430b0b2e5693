"""Bounds of refusals: by brute force, and in a block."""

from __future__ import annotations

from itertools import product

import pytest
from scipy.stats import binomtest

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.results import Result
from socialstats.studies.sources import Rule, refusal_block, share_bounds


class Made(Result):
    __slots__ = ()

    def sentence(self) -> str:
        return "made"


@pytest.mark.parametrize("counts", [(3, 5, 4), (0, 4, 3), (6, 6, 2), (2, 7, 0)])
def test_bounds_are_the_extremes_over_all_answers_that_refusals_may_hide(counts: tuple[int, int, int]) -> None:
    k, n, r = counts
    shares = [(k + sum(hidden)) / (n + r) for hidden in product((0, 1), repeat=r)]
    drop, against, favour = share_bounds(k, n, r)
    assert (against.estimate, favour.estimate) == (min(shares), max(shares))
    assert drop.estimate == k / n


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_intervals_are_wilsons(level: float) -> None:
    for row, (k, n) in zip(share_bounds(30, 80, 20, level=level), ((30, 80), (30, 100), (50, 100)), strict=True):
        theirs = binomtest(k, n).proportion_ci(level, method="wilson")
        assert (row.conf_low, row.conf_high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)


def test_only_refusals_have_bounds_and_no_estimate() -> None:
    drop, against, favour = share_bounds(0, 0, 5)
    assert drop.estimate is None
    assert drop.undefined == "every row is a refusal"
    assert (against.estimate, favour.estimate) == (0.0, 1.0)


@pytest.mark.parametrize("counts", [(3, 2, 1), (-1, 2, 1), (1, 2, -1), (0, 0, 0)])
def test_impossible_counts_are_errors(counts: tuple[int, int, int]) -> None:
    with pytest.raises(InputError, match="is no count of answers"):
        share_bounds(*counts)
    with pytest.raises(InputError, match="between 0 and 1"):
        share_bounds(1, 2, 3, level=95)


def compute(rule: Rule) -> Result:
    rows = {row.term: row for row in share_bounds(30, 80, 20)}
    if rule == "for":
        raise UndefinedStatistic("no such answer")
    return Made(metric="made", title="Share", rows=(rows[rule],))


def test_the_block_says_the_three_rules_and_why_one_is_missing() -> None:
    block = refusal_block(compute, 20, quantity="share of 'comply'", bounded=True)
    assert block is not None
    assert block.sentences == (
        "Share of 'comply' is .375, 95% CI [.277, .485] without the 20 refusals; had all of them gone against it, it "
        "would be .300, had all gone for it, —.",
    )
    assert [row[0] for row in block.tables[0].cells] == [
        "refusals left out", "all refusals counted against", "all refusals counted for",
    ]  # fmt: skip
    assert block.tables[0].cells[2][-1] == "no such answer"
    assert [r.rows[0].estimate for r in block.results] == [0.375, 0.3]
    assert block.draw is not None
    block.draw()
    assert refusal_block(compute, 0, quantity="share") is None
