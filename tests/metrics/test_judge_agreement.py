"""A judge against people: pairs written out, Conger's kappa, jackknife errors, coverage, who is who."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.agreement.agreement_weights import agreement_weights
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.rounding import no_variation_reason
from socialstats.scales.judge_agreement import agreement_rows
from tests.golden_data import golden, golden_frame

WEIGHTS = ("unweighted", "linear", "quadratic", "ordinal", "ratio")
LEVELS = [1, 2, 3, 4, 5]


def table(seed=1, units=40, people=3, judges=1, noise=0.8, missing=0.0, extra=0.0):
    """Ratings of units in stories of four, by people and by judges with `extra` noise."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=units) + 0.5 * rng.normal(size=units)[np.arange(units) // 4]
    rows = []
    for r in range(people + judges):
        own = (
            truth + noise * rng.normal(size=units) + extra * rng.normal(size=units) * (r >= people)
        )
        values = np.digitize(own, [-1.2, -0.4, 0.4, 1.2]) + 1
        kind, name = ("human", f"p{r}") if r < people else ("model", f"j{r - people}")
        keep = rng.random(units) >= missing
        rows += [
            (f"u{u:03d}", name, kind, int(values[u]), f"s{u // 4:02d}", f"w{u % 5}")
            for u in np.flatnonzero(keep)
        ]
    return pd.DataFrame(rows, columns=["unit", "rater", "kind", "value", "story", "writer"])


def design_of(frame, **options):
    return Ratings.from_frame(
        frame, **{"levels": LEVELS, "scale": "ordinal", "rater_source": "kind"} | options
    )


def by_hand(frame, judge, weights):
    """Both kappas from every pair of ratings: of one unit for Do, of any two units for De."""
    wide = frame.pivot(index="unit", columns="rater", values="value")
    people = [name for name in wide if name.startswith("p")]
    wide = wide[wide[judge].notna() & (wide[people].notna().sum(axis=1) > 1)]
    v = 1 - agreement_weights(weights, LEVELS)
    lines = wide[people].to_numpy()
    given = [[(p, int(x) - 1) for p, x in enumerate(line) if x == x] for line in lines]
    own = (wide[judge].to_numpy() - 1).astype(int)
    every = [one for line in given for one in line]
    n = len(every)
    met = (
        sum(2 * sum(v[a, b] for (_, a), (_, b) in combinations(x, 2)) / (len(x) - 1) for x in given)
        / n
    )
    apart = np.mean([v[a, b] for p, a in every for q, b in every if p != q])
    judged = sum(v[a, y] for x, y in zip(given, own, strict=True) for _, a in x) / n
    chance = sum(len(x) * v[a, y] for x, y in zip(given, own, strict=True) for _, a in every) / n**2
    return 1 - judged / chance, 1 - met / apart, len(wide)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_both_kappas_are_those_of_every_pair_written_out(weights):
    frame = table(missing=0.3, judges=2, people=4)
    result = ss.judge_agreement(design_of(frame), weights=weights)
    for judge in ("j0", "j1"):
        own, theirs, units = by_hand(frame, judge, weights)
        assert result.row("judge with people", group=judge).estimate == pytest.approx(
            own, abs=1e-12
        )
        assert result.row("people with people", group=judge).estimate == pytest.approx(
            theirs, abs=1e-12
        )
        gap = result.row("difference", group=judge)
        assert gap.estimate == pytest.approx(own - theirs, abs=1e-12)
        assert gap.n_units == units


@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_people_with_people_is_congers_kappa_that_irrcac_printed_when_nothing_is_missing(weights):
    matrix = golden_frame("agree_anxiety.csv").to_numpy(dtype=float)
    rows = [(u, f"p{r}", "human", x) for u, line in enumerate(matrix) for r, x in enumerate(line)]
    rows += [(u, "j0", "model", 1 + u % 6) for u in range(len(matrix))]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "kind", "value"]).astype({"value": int})
    design = design_of(frame, levels=[1, 2, 3, 4, 5, 6])
    conger = golden("agree_anxiety")["r"]["irrCAC"][f"conger.kappa.raw {weights}"]
    result = ss.judge_agreement(design, weights=weights)
    assert result.row("people with people").estimate == pytest.approx(
        conger["coeff.val"], abs=5.1e-6
    )  # five digits


def test_both_are_pooled_weighted_kappas_of_their_pairs_when_nothing_is_missing():
    frame = table(units=50)
    result = ss.judge_agreement(design_of(frame))
    people = ss.weighted_kappa(design_of(frame[frame["kind"] == "human"])).row("pooled")
    row = result.row("people with people")
    assert row.estimate == pytest.approx(people.estimate, abs=1e-12)
    assert row.std_error == pytest.approx(people.std_error * np.sqrt(50 / 49), rel=1e-9)
    every = ss.weighted_kappa(design_of(frame))
    found = {k: f for k, f in every.extras["pairs"]["all units"].items() if k.startswith("j0")}
    far = [sum(f["n"] * (1 - f[name]) for f in found.values()) for name in ("observed", "expected")]
    assert result.row("judge with people").estimate == pytest.approx(1 - far[0] / far[1], abs=1e-12)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.slow
def test_errors_are_near_those_of_leaving_out_one_unit_at_a_time(weights):
    frame = table(units=120, missing=0.2)
    result = ss.judge_agreement(design_of(frame), weights=weights)
    left = np.array(
        [
            [
                row.estimate
                for row in ss.judge_agreement(
                    design_of(frame[frame["unit"] != unit]), weights=weights
                ).rows
            ]
            for unit in frame["unit"].unique()
        ]
    )
    n = result.rows[0].n_units
    jackknife = np.sqrt((n - 1) / n * ((left - left.mean(axis=0)) ** 2).sum(axis=0))
    assert [row.std_error for row in result.rows] == pytest.approx(jackknife.tolist(), rel=0.04)


@pytest.mark.parametrize("cluster", [(), ("story",), ("story", "writer")])
def test_a_wrong_number_of_any_row_is_noticed(cluster):
    result = ss.judge_agreement(design_of(table(missing=0.2, judges=2), cluster=cluster))
    checks = result.verify()
    assert checks.ok, checks.tidy().to_string()
    assert {"numpy", "scipy"} <= {c.package for c in checks}
    for k, row in enumerate(result.rows):
        for name in ("estimate", "std_error", "conf_high"):
            rows = [*result.rows]
            rows[k] = replace(row, **{name: getattr(row, name) + 1e-4})
            assert not replace(result, rows=tuple(rows)).verify().ok, (row, name)


@pytest.mark.parametrize(("people", "cluster"), [(2, ()), (5, ()), (3, "story")])
@pytest.mark.slow
def test_the_interval_of_the_difference_covers_zero_for_a_judge_who_rates_as_people_do(
    people, cluster
):
    """200 draws: three Monte-Carlo errors of the coverage are .046; clusters that are ignored cost more."""
    draws = 200
    rows = [
        ss.judge_agreement(
            design_of(table(seed=1000 + k, units=60, people=people, missing=0.1), cluster=cluster)
        ).rows[0]
        for k in range(draws)
    ]
    held = np.mean([row.conf_low <= 0 <= row.conf_high for row in rows])
    assert abs(held - 0.95) < 3 * np.sqrt(0.95 * 0.05 / draws)  # three Monte-Carlo errors
    assert abs(np.mean([row.estimate for row in rows])) < 3 * np.std(
        [row.estimate for row in rows]
    ) / np.sqrt(draws)


def test_a_judge_with_more_noise_than_people_is_found_out():
    row = ss.judge_agreement(design_of(table(units=200, extra=1.5))).rows[0]
    assert row.conf_high < 0
    assert row.p_value < 0.001


def test_a_judge_who_always_gives_the_middle_level_agrees_as_by_chance():
    frame = table(noise=2.0)
    constant = ss.judge_agreement(
        design_of(frame.assign(value=frame["value"].where(frame["kind"] == "human", 3)))
    )
    row = constant.row("judge with people")
    assert row.estimate == 0
    assert row.conf_low is None
    assert row.undefined == no_variation_reason("units")
    assert constant.row("difference").conf_high is not None
    assert constant.verify().ok


def test_a_judge_who_rates_higher_than_people_is_not_excused():
    frame = table(units=100)
    high = frame.assign(value=(frame["value"] + 2 * (frame["kind"] == "model")).clip(upper=5))
    assert ss.judge_agreement(design_of(high)).row("difference").conf_high < -0.1


@pytest.mark.parametrize(
    ("kinds", "people"),
    [
        (["human", "model"], "human"),
        (["Crowd workers", "GPT judge"], "Crowd workers"),
        (["staff", "llm"], "staff"),
        (["annotators", "gold", "other"], "annotators"),
        (["many", "one"], "many"),
    ],
)
def test_people_are_known_by_the_name_of_their_group_or_as_the_larger_group_of_the_declared_source(
    kinds, people
):
    frame = table(judges=len(kinds) - 1)
    names = {"p0": kinds[0], "p1": kinds[0], "p2": kinds[0], "j0": kinds[1], "j1": kinds[-1]}
    result = ss.judge_agreement(design_of(frame.assign(kind=frame["rater"].map(names))))
    assert result.extras["level"] == people
    assert result.extras["people"] == ("p0", "p1", "p2")
    assert len(result.extras["judges"]) == len(kinds) - 1


@pytest.mark.parametrize("kinds", [("man", "woman"), ("expert", "crowd"), ("model", "llm")])
def test_groups_that_do_not_tell_people_from_judges_are_left_alone(kinds):
    frame = table().assign(kind=lambda d: np.where(d["rater"] == "j0", *kinds))
    design = design_of(frame, rater_source=None, rater_groups="kind")
    with pytest.raises(InputError, match="no rater group tells people from judges"):
        ss.judge_agreement(design)
    named = ss.judge_agreement(design, source="kind", reference=kinds[1])
    assert named.extras["judges"] == ("j0",)
    with pytest.raises(InputError, match="reference='child' is not one of several levels"):
        ss.judge_agreement(design, reference="child")
    with pytest.raises(InputError, match="source='team' is no rater group"):
        ss.judge_agreement(design, source="team")


def test_what_cannot_be_compared_has_a_reason():
    frame = table(people=3)
    alone = ss.judge_agreement(design_of(frame[frame["rater"].isin(["p0", "j0"])]))
    assert {row.estimate for row in alone.rows} == {None}
    assert "have two or more people rate the units" in alone.rows[0].undefined
    apart = ss.judge_agreement(design_of(frame.assign(unit=frame["unit"] + frame["kind"])))
    assert apart.rows[0].undefined == alone.rows[0].undefined
    people = frame["kind"] == "human"
    same = ss.judge_agreement(design_of(frame.assign(value=frame["value"].where(~people, 2))))
    assert same.row("people with people").undefined.startswith(
        "no variation: raters gave levels that do not disagree"
    )
    assert same.row("difference").estimate is None
    two = ss.judge_agreement(design_of(frame[frame["unit"].isin(["u000", "u001"])]))
    assert all(row.conf_low is None and row.undefined for row in two.rows)
    assert same.verify().ok
    assert two.verify().ok
    assert "undefined" in alone.sentence()


def test_alike_units_count_as_often_as_they_occur():
    frame = table(units=24)
    design = design_of(frame)
    twice = pd.concat([frame, frame.assign(unit=frame["unit"] + "b")])
    counted = replace(design, unit_count=np.full(len(design.units), 2.0))
    for one, other in zip(
        ss.judge_agreement(design_of(twice)).rows, ss.judge_agreement(counted).rows, strict=True
    ):
        assert (one.estimate, one.std_error, one.n) == pytest.approx(
            (other.estimate, other.std_error, other.n)
        )
    assert ss.judge_agreement(counted).verify().ok


def test_the_kappa_of_two_people_has_the_interval_of_their_pair() -> None:
    """By Fisher's z in both results: a page that shows both has one interval for one number."""
    frame = table(people=2)
    theirs = ss.judge_agreement(design_of(frame)).row("people with people")
    pair = ss.weighted_kappa(design_of(frame[frame["kind"] == "human"]), weights="quadratic").rows[
        0
    ]
    same = [(r.estimate, r.conf_low, r.conf_high) for r in (theirs, pair)]
    assert same[0] == pytest.approx(same[1])
    z, far = (
        np.arctanh(theirs.estimate),
        stats.t.ppf(0.975, theirs.df) * theirs.std_error / (1 - theirs.estimate**2),
    )
    assert (theirs.conf_low, theirs.conf_high) == pytest.approx(
        (np.tanh(z - far), np.tanh(z + far))
    )


def test_a_figure_has_people_once_where_all_judges_share_their_units() -> None:
    frame = table(judges=2)
    result = ss.judge_agreement(design_of(frame))
    people = result.extras["named"]
    shared = [f"j0 with {people}", f"j1 with {people}", f"{people} with each other"]
    assert [row.term for row in agreement_rows(result)] == shared
    fewer = frame[(frame["rater"] != "j1") | (frame["unit"] < "u020")]
    rows = agreement_rows(ss.judge_agreement(design_of(fewer)))
    own = [f"{people} with each other (units of {judge})" for judge in ("j0", "j1")]
    assert [row.term for row in rows] == [shared[0], own[0], shared[1], own[1]]
    assert {row.group for row in rows} == {None}
    assert [row.n_units for row in rows] == [40, 40, 20, 20]
