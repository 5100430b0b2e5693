"""Choices that the model of strengths cannot be fitted to have a page all the same: the ideal model of the paper."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions
from socialstats.studies.page import Outcome

STUDY = STUDIES["role-conflict"]
ROLES = {"nun": "religion", "son": "family", "aunt": "family", "boss": "work"}


def table(rule: str, seed: int = 3) -> pd.DataFrame:
    """Every pair of roles in every combination of urgencies; `rule` says who is chosen where urgency differs."""
    rng = np.random.default_rng(seed)
    rows = []
    for (a, b), x, y in itertools.product(itertools.combinations(ROLES, 2), (1, 2, 3), (1, 2, 3)):
        even = (a, b)[int(rng.integers(2))]
        more, less = (a, b) if x > y else (b, a)
        chosen = even if x == y or rule == "coin" else more if rule == "follows" else less
        first = (a, b)[int(rng.integers(2))]
        rows.append((a, b, ROLES[a], ROLES[b], x, y, first, chosen))
    names = [
        "role_a",
        "role_b",
        "domain_a",
        "domain_b",
        "urgency_a",
        "urgency_b",
        "first",
        "choice",
    ]
    return pd.DataFrame(rows, columns=names)


def page(frame: pd.DataFrame, **options: Any) -> Outcome:
    return STUDY.run(ss.Comparisons.from_frame(frame), StudyOptions(resamples=100, **options))


@pytest.fixture(scope="module")
def followed() -> Outcome:
    return page(table("follows"))


def test_who_always_follows_urgency_is_said_to(followed: Outcome) -> None:
    assert followed.verdict is not None
    assert followed.verdict.text == "Choices follow urgency wherever the two sides differ in it."
    assert "won at a rate of 1.000" in followed.answer[0]
    assert "'urgency' predicts the outcomes perfectly" in followed.answer[-1]


def test_what_needs_no_strengths_is_there_and_the_rest_says_why_not(followed: Outcome) -> None:
    ids = [block.id for block in followed.blocks]
    assert {
        "sensitivity",
        "win-rates",
        "strengths",
        "matrix-domain",
        "entropy",
        "multiverse-s",
    } <= set(ids)
    assert not {"urgency-against-roles", "effects", "clusters", "multiverse-urgency"} & set(ids)
    assert not any(name.startswith("shares") for name in ids)
    missing = next(block for block in followed.blocks if block.id == "strengths")
    assert missing.results == ()
    assert "no finite estimate" in missing.sentences[0]
    assert "--penalty firth" in missing.sentences[-1]
    assert {result.metric for block in followed.blocks for result in block.results}.isdisjoint(
        {"bradley_terry"}
    )


def test_s_is_that_of_the_rates(followed: Outcome) -> None:
    """Rates of unequal urgency are at their targets: S is 100 times the mean of (rate of equals - 1/2)^2."""
    frame = table("follows")
    equal = frame[frame["urgency_a"] == frame["urgency_b"]]
    rates = [
        np.mean(
            [
                (met["choice"] == role).mean()
                for other in ROLES
                if other != role
                and len(
                    met := equal[
                        ((equal["role_a"] == role) & (equal["role_b"] == other))
                        | ((equal["role_a"] == other) & (equal["role_b"] == role))
                    ]
                )
            ]
        )
        for role in ROLES
    ]
    s = next(block for block in followed.blocks if block.id == "sensitivity").results[0].row("S")
    assert s.estimate == pytest.approx(100 * float(np.mean((np.array(rates) - 0.5) ** 2)), abs=1e-9)


def test_its_numbers_are_recomputed(followed: Outcome) -> None:
    assert {"Sensitivity S", "Win rates"} <= set(followed.verifications)
    assert all(v.ok for v in followed.verifications.values())


def test_the_reverse_and_the_penalty_do_not_contradict_the_rate() -> None:
    reverse = page(table("against"), verify=False)
    assert reverse.verdict is not None
    assert reverse.verdict.text == (
        "Choices follow the reverse of urgency wherever the two sides differ in it."
    )
    assert "won at a rate of .000" in reverse.answer[0]
    firth = page(table("follows"), verify=False, penalty="firth")
    assert firth.verdict is not None
    assert firth.verdict.text.startswith("Choices follow urgency")
    assert any(text.startswith("Each unit of urgency multiplied the odds") for text in firth.answer)
    plain = page(table("coin"), verify=False)
    assert plain.verdict is not None
    assert "wherever" not in plain.verdict.text


def test_groups_that_never_met_are_told_apart_from_separation() -> None:
    frame = table("coin")
    apart = frame[frame["role_a"].isin(["nun", "son"]) == frame["role_b"].isin(["nun", "son"])]
    found = page(apart, verify=False)
    assert "2 groups of items were never compared with each other" in found.answer[-1]
    missing = next(block for block in found.blocks if block.id == "strengths")
    assert "--prior 0.5" in missing.sentences[-1]


def test_few_clusters_make_the_interval_of_s_approximate() -> None:
    three = list(ROLES)[:3]
    rows = table("coin")
    few = page(rows[rows["role_a"].isin(three) & rows["role_b"].isin(three)], verify=False)
    assert any(c.code == "SS202" for c in few.cautions)
    assert "approximate 95% CI" in " ".join(few.answer[:2])
