"""Shares of probabilities of levels: means of what each reply gives, errors of units and clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats import Ratings
from socialstats.errors import InputError
from socialstats.studies.sources import crossed

LEVELS = ["comply", "deviate", "escalate"]


def table(units: int = 24, rest: float = 0.02, seed: int = 2) -> pd.DataFrame:
    """Five people and three runs of a model rate every unit; runs have probabilities."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[Any, ...]] = []
    for u in range(units):
        base = rng.dirichlet([2, 1, 1])
        rows += [
            (f"s{u % 8}", f"u{u}", f"h{r}", "human", rng.choice(LEVELS, p=base), None, None, None)
            for r in range(5)
        ]
        for r in range(3):
            p = rng.dirichlet(base * 5 + 0.1)
            rows.append(
                (
                    f"s{u % 8}",
                    f"u{u}",
                    f"m, run {r}",
                    "m",
                    rng.choice(LEVELS, p=p),
                    *(p * (1 - rest)),
                )
            )
    return pd.DataFrame(
        rows, columns=["scenario", "unit", "rater", "source", "action", *(f"p_{x}" for x in LEVELS)]
    )


def read(rows: pd.DataFrame, **more: Any) -> Ratings:
    options = {
        "value": "action",
        "rater_source": "source",
        "levels": LEVELS,
        "scale": "nominal",
        "probabilities": "p_",
        **more,
    }
    return Ratings.from_frame(rows, **options)


@pytest.mark.parametrize("cluster", [(), "scenario"])
def test_a_share_is_the_mean_of_the_probabilities(cluster: Any) -> None:
    rows = table()
    found = ss.choice_shares(read(rows, cluster=cluster), permutations=200, people="fixed")
    model = rows[rows["source"] == "m"]
    for level in LEVELS:
        own = model[f"p_{level}"] / model[[f"p_{x}" for x in LEVELS]].sum(axis=1)
        assert found.row(level, group="m").estimate == pytest.approx(own.mean(), abs=1e-9)
        human = (rows.loc[rows["source"] == "human", "action"] == level).mean()
        assert found.row(level, group="human").estimate == pytest.approx(human, abs=1e-12)
        gap = found.row(level, group="m - human")
        assert gap.estimate == pytest.approx(own.mean() - human, abs=1e-9)
        codes = rows.groupby("unit")["scenario"].first() if cluster else None
        each = (
            own.groupby(model["unit"]).mean()
            - (rows[rows["source"] == "human"]["action"] == level).groupby(rows["unit"]).mean()
        )
        means = (
            each if codes is None else each.groupby(codes).mean()
        )  # clusters of one size: the t of their means
        assert gap.std_error == pytest.approx(means.std(ddof=1) / np.sqrt(len(means)), rel=1e-7)
    assert found.counts["ratings"] == len(rows)
    assert "probabilities" in str(found.row("any level (ratings independent)").undefined)
    assert [c for c in found.crosscheck().checks if c.ok is False] == []


def test_people_have_the_same_intervals_beside_a_model_with_probabilities() -> None:
    soft, drawn = (
        ss.choice_shares(read(table(), probabilities=given), permutations=200)
        for given in ("p_", None)
    )
    for level in LEVELS:
        one, two = (found.row(level, group="human") for found in (soft, drawn))
        assert (one.estimate, one.conf_low, one.conf_high) == (
            two.estimate,
            two.conf_low,
            two.conf_high,
        )


def test_probabilities_of_0_and_1_are_drawn_levels() -> None:
    rows = table()
    model = rows["source"] == "m"
    for level in LEVELS:
        rows.loc[model, f"p_{level}"] = (rows.loc[model, "action"] == level).astype(float)
    soft, drawn = (
        ss.choice_shares(read(rows, probabilities=given), permutations=200)
        for given in ("p_", None)
    )
    shares = [r for r in soft.rows if r.label("entropy") is None]
    assert [(r.estimate, r.conf_low, r.p_value) for r in shares] == [
        (r.estimate, r.conf_low, r.p_value) for r in drawn.rows
    ]


def test_one_reply_a_unit_has_the_error_of_its_values() -> None:
    rows = table()
    rows = rows[rows["rater"] == "m, run 0"]
    found = ss.choice_shares(read(rows, rater_source=None), permutations=200).row("comply")
    p = rows["p_comply"] / rows[[f"p_{x}" for x in LEVELS]].sum(axis=1)
    assert found.std_error == pytest.approx(p.std(ddof=1) / np.sqrt(len(p)), rel=1e-7)


def test_replies_without_probabilities_count_by_their_level_and_are_said() -> None:
    rows = table(rest=0.09)
    lost = rows.index[rows["rater"] == "m, run 2"][:10]
    rows.loc[lost, "p_comply"] = np.nan
    made = read(rows)
    (said,) = [c.detail for c in made.cautions if c.code == "SS331"]
    assert (
        said
        == "other answers hold 9.0% of the probability on average; 10 of 72 replies have no probabilities"
    )
    assert np.array_equal(
        made.read_as()[np.isnan(made.probabilities).any(axis=1)].sum(axis=1), [1.0] * (10 + 24 * 5)
    )
    assert not [c for c in read(table()).cautions if c.code == "SS331"]


def test_parts_of_a_design_keep_their_probabilities() -> None:
    made = read(table(), strata=["scenario"])
    part = made.split_units("scenario")["s3"]
    alone = read(table()[table()["scenario"] == "s3"])
    assert np.array_equal(part.read_as(), alone.read_as())
    named = made.relabel_raters({"m, run 0": "z"})
    assert ss.choice_shares(named).row("comply", group="m").estimate == pytest.approx(
        ss.choice_shares(made).row("comply", group="m").estimate, abs=1e-12
    )


def test_probabilities_stay_with_their_replies_where_pressures_are_crossed_with_units() -> None:
    parts = {"b none": table(), "a threat": table(seed=5)}
    design = read(
        pd.concat([rows.assign(pressure=name) for name, rows in parts.items()]), by="pressure"
    )
    found = ss.choice_shares(crossed(design), source="source", stratum="pressure", permutations=99)
    for name, rows in parts.items():
        p = rows.loc[rows["source"] == "m", [f"p_{level}" for level in LEVELS]]
        own = (p["p_comply"] / p.sum(axis=1)).mean()
        assert found.row("comply", group=f"m, {name}").estimate == pytest.approx(own, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"p_comply": 1.5}, {}, "'1.5' is not a probability"),
        ({"p_comply": 0.9, "p_deviate": 0.9, "p_escalate": 0.1}, {}, "sum to more than 1"),
        ({"p_other": 0.1}, {}, "do not match the levels"),
        ({}, {"levels": [*LEVELS, "wait"]}, "do not match the levels"),
    ],
)
def test_what_cannot_be_read_says_how(
    change: dict[str, Any], options: dict[str, Any], said: str
) -> None:
    rows = table()
    with pytest.raises(InputError, match=said):
        read(rows.assign(**change), **options)


def test_probabilities_need_one_row_a_rating() -> None:
    with pytest.raises(InputError, match="is for one row per rating"):
        Ratings.from_wide(
            {"ann": ["x", "y"], "bob": ["x", "x"]},
            raters_in="columns",
            scale="nominal",
            probabilities="p_",
        )


def test_columns_that_are_not_there() -> None:
    with pytest.raises(ss.errors.DesignError, match="no column that begins with 'q_'"):
        read(table(), probabilities="q_")
