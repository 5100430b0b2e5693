"""Every interval that a page says stands in a row of its results, which the JSON holds and `verify` recomputes."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from study_examples import EXAMPLES, outcome_of

from socialstats.studies.page import Outcome

SAID = re.compile(r"CI [\[(]([−\d.,]+), ([−\d.,]+)[\])]")


def read(text: str) -> tuple[float, float]:
    """Return a printed number, and half a unit of its last digit."""
    plain = text.replace(",", "").replace("−", "-")
    return float(plain), 0.5001 * 10.0 ** -len(plain.partition(".")[2])


def missing(outcome: Outcome) -> set[str]:
    """Return the blocks with an interval that no row of the outcome has, as it is, turned round, or in per cent."""
    rows = [row for block in outcome.blocks for result in block.results for row in result.rows]
    known = [
        (row.conf_low, row.conf_high)
        for row in rows
        if row.conf_low is not None and row.conf_high is not None
    ]
    ends = [
        (f * a, f * b)
        for low, high in known
        for a, b in ((low, high), (-high, -low))
        for f in (1, 100)
    ]
    found = set()
    for block in outcome.blocks:
        for one, two in SAID.findall(" ".join(block.sentences)):
            (low, near), (high, close) = read(one), read(two)
            if not any(abs(a - low) <= near and abs(b - high) <= close for a, b in ends):
                found.add(block.id)
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_intervals_of_sentences_stand_in_rows(name: str) -> None:
    outcome = outcome_of(name)
    assert missing(outcome) == set()
    planted = replace(outcome, blocks=tuple(replace(block, results=()) for block in outcome.blocks))
    saying = {block.id for block in outcome.blocks if SAID.search(" ".join(block.sentences))}
    assert missing(planted) == saying
    assert (
        saying or name == "compare-ratings"
    )  # no difference of that example is significant: no interval is stated
