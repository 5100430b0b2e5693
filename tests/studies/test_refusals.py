"""Bounds of refusals in a block."""

from __future__ import annotations

from scipy.stats import binomtest

from socialstats.errors import UndefinedStatistic
from socialstats.results import Result, Row
from socialstats.studies.sources import Rule, refusal_block


class Made(Result):
    __slots__ = ()

    def sentence(self) -> str:
        return "made"


def compute(rule: Rule) -> Result:
    if rule == "for":
        raise UndefinedStatistic("no such answer")
    k, n = {"drop": (30, 80), "against": (30, 100)}[rule]
    low, high = binomtest(k, n).proportion_ci(method="wilson")
    return Made(
        metric="made",
        title="Share",
        rows=(
            Row(
                term=rule,
                estimate=k / n,
                conf_low=low,
                conf_high=high,
                conf_level=0.95,
                limits=(0.0, 1.0),
            ),
        ),
    )


def test_the_block_says_the_three_rules_and_why_one_is_missing() -> None:
    block = refusal_block(compute, 20, quantity="share of 'comply'")
    assert block is not None
    assert block.sentences == (
        "Share of 'comply' was .375, 95% CI [.277, .485] without the 20 refusals; counting all refusals against it "
        "gives .300, and for it undefined.",
    )
    assert [row[0] for row in block.tables[0].cells] == [
        "refusals excluded",
        "all refusals counted against",
        "all refusals counted for",
    ]
    assert block.tables[0].cells[2][-1] == "no such answer"
    assert [r.rows[0].estimate for r in block.results] == [0.375, 0.3]
    assert block.draw is not None
    block.draw()
    assert refusal_block(compute, 0, quantity="share") is None
