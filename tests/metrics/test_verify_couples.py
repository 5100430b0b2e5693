"""verify() of relationship_bias sees every number of every row."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from socialstats import relationship_bias
from socialstats.results.verification import NOT_RECOMPUTED, NOT_RECOUNTED
from tests.changed_numbers import unnoticed
from tests.metrics.remembered import remember
from tests.metrics.test_verify_mutations import CHECKS, FIELDS

OF_THE_ANSWERS = (  # what the definition makes of the answers alone, whatever the rows say
    "socialstats.scales.plain_couples.answer_table",
    f"{CHECKS}.engine.redrawn",
)
CASES = {
    "crossed": {},
    "clusters of scenarios, bootstrap": {
        "cluster": "scenario",
        "ci": "percentile",
        "couples": "complete",
    },
    "independent, basic, scenarios alike": {
        "cluster": None,
        "ci": "basic",
        "aggregate": "scenario",
    },
    "levels": {"stratum": "topic", "stratum_rows": "scores"},
    "levels of models": {"stratum": "tuned", "rater_groups": ["tuned"], "aggregate": "rater"},
}


def table():
    rng = np.random.default_rng(5)
    rows = []
    for s, (i, one), (j, two), k in itertools.product(
        range(7), enumerate("ab"), enumerate("ab"), range(4)
    ):
        answer = 1 if rng.random() < expit(-0.3 + 0.7 * (j - i) + 0.8 * np.sin(s)) else -1
        rows.append((f"s{s}", f"{min(one, two)}{max(one, two)}{k}", one, two, answer, "xy"[s % 2]))
    names = ["scenario", "pair", "group_first", "group_second", "answer", "topic"]
    return pd.DataFrame(rows, columns=names).drop(index=[3, 40, 77])


def models():
    """The same of two models and a third, which answers otherwise."""
    rng, one = np.random.default_rng(6), table()
    answers = [np.where(rng.random(len(one)) < 0.3, -1, one["answer"]) for _ in range(3)]
    parts = [
        one.assign(model=f"m{k}", tuned="yn"[k > 1], answer=said) for k, said in enumerate(answers)
    ]
    return pd.concat(parts, ignore_index=True)


def of_levels(row):
    """Whether a row is of a level of the stratum, or of levels that weigh alike."""
    return " = " in row.group or row.group in ("x - y", "n - y") or "alike" in row.group


@pytest.mark.parametrize("case", CASES)
@pytest.mark.slow
def test_a_changed_number_is_found(case, monkeypatch):
    result = relationship_bias(
        models() if "models" in case else table(), resamples=99, **CASES[case]
    )
    remember(monkeypatch, *OF_THE_ANSWERS)
    found = result.verify()
    assert found.ok, found.tidy().to_string()
    recomputed = {at for at, ok in found.numbers().items() if ok}
    rows = [k for k, row in enumerate(result.rows) if of_levels(row) == ("levels" in case)]
    n = 0
    for field in FIELDS:
        places = [k for k in rows if (k, field) in recomputed]
        n += len(places)
        assert unnoticed(result, field, places) == []
    assert n > 20


def test_every_row_is_among_the_checks_of_a_large_table():
    from socialstats import datasets

    result = relationship_bias(datasets.relationship_bias(), resamples=99, stratum="topic")
    found = result.verify()
    assert found.ok, found.tidy().to_string()
    assert set(found.reasons()) == {NOT_RECOUNTED, NOT_RECOMPUTED}
    numbers = {at: ok for at, ok in found.numbers().items() if at[1] != "counts"}
    assert len(numbers) == sum(getattr(row, f) is not None for row in result.rows for f in FIELDS)
    # intervals and corrections of B_all draw errors, and so do tests of flipped signs
    left = {
        result.rows[k].term for (k, field), ok in numbers.items() if not ok and field != "p_value"
    }
    assert left == {"B_all", "B_all corrected"}
