"""A hundred random tables; and that the checks see what they look for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.checks import faults_of, page_faults, term_faults
from tests.fuzz.tables import KINDS, draw

TABLES = 100
SEED = 736503  # the last draw with a fault; `make fuzz` draws new tables


@pytest.mark.slow
def test_every_table_gives_a_page_or_an_error_of_ours(tmp_path: Path) -> None:
    faults = []
    for k in range(TABLES):
        folder = tmp_path / str(k)
        folder.mkdir()
        _, found = faults_of(draw(SEED, k), folder, SEED, k)
        faults += [f"SEED={SEED} TABLE={k} python -m tests.fuzz: {fault}" for fault in found]
    assert not faults, "\n".join(faults)


def test_a_seed_draws_the_same_tables_again() -> None:
    one, other = ([draw(5, k) for k in range(40)] for _ in range(2))
    assert [a.arguments() for a in one] == [b.arguments() for b in other]
    assert all(a.frame.equals(b.frame) for a, b in zip(one, other, strict=True))
    assert draw(6, 0).frame.to_csv() != draw(5, 0).frame.to_csv()
    assert {drawn.kind for drawn in (draw(5, k) for k in range(60))} >= {
        "paired",
        "board",
        "ratings",
        "norm-goal",
    }
    assert len(KINDS) > 10


GOOD = {
    "term": "d",
    "estimate": 0.5,
    "std_error": 0.1,
    "conf_low": 0.3,
    "conf_high": 0.7,
    "p_value": 0.01,
}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, None),
        ({"conf_low": 0.5, "conf_high": 0.5 + 1e-16}, "without a width"),
        ({"conf_low": 0.6}, "outside its interval"),
        ({"p_value": 0.0}, "p_value is 0.0"),
        ({"p_adjusted": 1.5}, "p_adjusted is 1.5"),
        ({"statistic": float("nan")}, "statistic is nan"),
        ({"std_error": 0.0}, "standard error 0.0"),
    ],
)
def test_faults_of_numbers_are_seen(wrong: dict[str, float], said: str | None) -> None:
    found = list(term_faults(GOOD | wrong))
    assert (found == []) if said is None else any(said in fault for fault in found)


@pytest.mark.parametrize("text", ["The mean was nan.", "t = inf", "CI [\u2212inf, 2]"])
def test_texts_without_a_number_are_seen(text: str) -> None:
    page = {
        "blocks": [{"id": "b", "results": [{"metric": "m", "terms": [GOOD]}], "sentences": [text]}],
        "cautions": [],
    }
    assert any("no number" in fault for fault in page_faults(page))
    page["blocks"][0]["sentences"] = ["Information of 3 infants in Nantes"]  # type: ignore[index]
    assert list(page_faults(page)) == []
