"""ADA-Met: hand examples, brute force over resamples and permutations, the simulated study, bad input."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from statistics import mean, multimode

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import Ratings, ada_met, datasets
from socialstats.crosscheck.resamples import Cells
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.rounding import no_variation_reason
from socialstats.scales.ada_met import targets_of_all_people
from socialstats.scales.alignment import (
    Panel,
    Targets,
    model_shares,
    people_draws,
    resample_people,
    stream_seed,
    unit_draws,
)
from socialstats.scales.alignment_intervals import AlignmentOptions, AlignmentState

LETTERS = "ABCDE"
REAL = Path(__file__).resolve().parents[3] / "shared" / "data" / "adamet" / "adamet_llm_answers.csv"


def table(people, models, *, attributes=None):
    """Long table of {unit: {rater: answer}} of people and of models; `attributes` are {person: group}."""
    rows = []
    for source, answers in (("human", people), ("model", models)):
        for unit, own in answers.items():
            for rater, answer in own.items():
                group = (attributes or {}).get(rater) if source == "human" else None
                rows.append(
                    {"unit": unit, "rater": rater, "source": source, "value": answer, "side": group}
                )
    return pd.DataFrame(rows)


def design(rows, **options):
    groups = {"rater_groups": "side"} if rows["side"].notna().any() else {}
    given = {"levels": list(LETTERS), "refusal": "F", "rater_source": "source", **groups, **options}
    return Ratings.from_frame(rows, **given)


def votes(text):
    """{person: answer} of a word: AAB is A, A, B by p0, p1, p2; a blank is no answer."""
    return {f"p{k}": letter for k, letter in enumerate(text) if letter != " "}


def run(people, model, **options):
    rows = table(
        {f"u{k}": votes(text) for k, text in enumerate(people)},
        {f"u{k}": {"m": answer} for k, answer in enumerate(model) if answer != " "},
    )
    return (
        ada_met(design(rows), resamples=39, **options).row("m", group=None)
        if "full" not in options
        else rows
    )


@pytest.mark.parametrize(
    ("ties", "expected"),
    [("mean", 1.25), ("low", 1.5), ("high", 1.0), ("nearest", 1.0), ("drop", 1.0)],
)
def test_tied_modes_by_hand(ties, expected):
    # u0: B and C tied, the model says D: 1.5, 2, 1, 1, left out; u1: mode A, the model says B: 1
    row = run(["BBCC", "AAAB"], "DB", ties=ties)
    assert row.estimate == pytest.approx(expected, abs=1e-15)
    assert row.n_units == (1 if ties == "drop" else 2)


@pytest.mark.parametrize(
    ("refusal", "expected", "n"),
    [("max", 2.0, 2), ("item_max", 1.0, 2), ("exclude", 0.0, 1), (3, 1.5, 2)],
)
def test_refusals_by_hand(refusal, expected, n):
    row = run(["CCC", "AAB"], "FA", refusal=refusal)  # of mode C no answer is farther than 2
    assert (row.estimate, row.n_units) == (expected, n)


def test_refusals_beyond_any_answer_are_said():
    rows = table({"u": votes("CCC"), "v": votes("AAB")}, {"u": {"m": "F"}, "v": {"m": "F"}})
    result = ada_met(design(rows), resamples=39)
    said = [c.detail for c in result.cautions if c.code == "SS315" and "counted as" in c.detail]
    assert said == [
        "2 refusals counted as the width of the scale; 1 assigned distances exceed any possible answer's"
    ]
    assert result.row("m", group="share refused").estimate == 1
    gone = ada_met(design(rows), resamples=39, refusal="exclude").row("m", group=None)
    assert gone.estimate is None
    assert gone.undefined


def test_a_model_that_refuses_everything_has_no_distance_in_any_group():
    people = {f"u{k}": votes(text) for k, text in enumerate(("AAB", "BCC", "DDA"))}
    rows = table(
        people, {unit: {"m": "F"} for unit in people}, attributes={"p0": "x", "p1": "y", "p2": "x"}
    )
    result = ada_met(design(rows), refusal="exclude", group="side", resamples=99)
    for group in (None, "side = x", "side = y", "side: x - y"):
        row = result.row("m", group=group)
        assert (row.estimate, row.conf_low, row.p_value) == (None, None, None)
        assert row.undefined
    assert result.row("m", group="share refused").estimate == 1
    assert "is undefined" in result.sentence()
    counted = ada_met(design(rows), refusal="max", group="side", resamples=99).row("m", group=None)
    assert counted.estimate == 4


def test_equal_distances_have_no_smallest():
    people = {f"u{k}": votes(text) for k, text in enumerate(("AAB", "BCC", "DDA"))}
    rows = table(people, {unit: {"m": "F", "n": "F"} for unit in people})
    said = ada_met(design(rows), resamples=99).sentence()
    assert "smallest" not in said
    assert "the same for all 2 models" in said


def test_unparsed_answers_are_left_out_or_count_as_refusals():
    rows = table({"u": votes("CCC"), "v": votes("AAB")}, {"u": {"m": ""}, "v": {"m": "B"}})
    out = ada_met(design(rows), resamples=39)
    assert (out.row("m", group=None).estimate, out.row("m", group=None).n_units) == (1, 1)
    assert out.row("m", group="share unparsed").estimate == 0.5
    counted = ada_met(design(rows), resamples=39, unparsed="refusal")
    assert counted.row("m", group=None).estimate == 2.5  # (4 + 1) / 2
    assert counted.row("m", group="share refused").estimate == 0  # it never refused
    assert counted.verify().ok
    assert out.verify().ok


def test_units_are_joined_by_label_never_by_position():
    rng = np.random.default_rng(1)
    people = {f"u{k:02d}": votes("".join(rng.choice(list("ABBCDE"), 5))) for k in range(30)}
    models = {unit: {"m": str(rng.choice(list(LETTERS)))} for unit in people}
    rows = table(people, models)
    humans, answers = rows[rows["source"] == "human"], rows[rows["source"] == "model"]
    turned = pd.concat([answers.iloc[::-1], humans.sample(frac=1, random_state=3)])
    one, two = (ada_met(design(r), resamples=50) for r in (rows, turned))
    assert json.dumps(one.to_dict()) == json.dumps(two.to_dict())
    misjoined = answers.assign(
        value=answers["value"].to_numpy()[::-1]
    )  # what joining by position would compare
    wrong = ada_met(design(pd.concat([humans, misjoined])), resamples=50)
    assert abs(wrong.row("m", group=None).estimate - one.row("m", group=None).estimate) > 0.01


def test_units_of_one_side_only_are_listed():
    rows = table({"u": votes("AAB"), "alone": votes("AB")}, {"u": {"m": "C"}, "U": {"m": "A"}})
    result = ada_met(design(rows), resamples=39)
    assert result.row("m", group=None).n_units == 1
    assert result.extras["units_left_out"] == ("U",)
    said = [c.detail for c in result.cautions if c.code == "SS301"]
    assert said == [
        "1 unit without an answer of the reference: 'U'",
        "1 unit of the reference without an answer of a model",
    ]


def test_alike_units_count_as_often_as_they_stand_for():
    people = {"u": votes("AAB"), "v": votes("BCC"), "w": votes("BCC")}
    models = {"u": {"m": "C"}, "v": {"m": "D"}, "w": {"m": "D"}}
    long = ada_met(design(table(people, models)), resamples=39)
    del people["w"], models["w"]
    short = design(table(people, models))
    short = replace(short, unit_count=np.array([1.0, 2.0]))
    counted = ada_met(short, resamples=39)
    assert counted.counts == long.counts
    for row in long.rows:
        again = counted.row(row.term, group=row.group)
        assert (again.estimate, again.n) == (pytest.approx(row.estimate, abs=1e-12), row.n)
        assert again.std_error == (
            None if row.std_error is None else pytest.approx(row.std_error, abs=1e-12)
        )
    assert counted.verify().ok


def sample(seed=3, *, units=12, people=8, refusals=True, groups=2):
    rng = np.random.default_rng(seed)
    answers = {
        f"u{u:02d}": {
            f"p{p}": str(rng.choice(list(LETTERS))) for p in range(people) if rng.random() < 0.7
        }
        for u in range(units)
    }
    kinds = [*LETTERS, "F"] if refusals else list(LETTERS)
    models = {
        unit: {m: str(rng.choice(kinds)) for m in ("m1", "m2") if rng.random() < 0.9}
        for unit in answers
    }
    return table(answers, models, attributes={f"p{p}": "xyz"[p % groups] for p in range(people)})


def option(**chosen):
    given = {
        "reference": None,
        "source": "source",
        "ties": "mean",
        "refusal": "max",
        "unparsed": "exclude",
        "group": None,
        "stratum": None,
        "ci": "centred",
        "cluster": "declared",
        "level": 0.95,
        "resamples": 50,
        "seed": 3,
    }
    return AlignmentOptions(**given | chosen)


def brute(rows, model, people_weight, unit_weight, ties):
    """Mean distance of a model with people and units repeated as often as they were drawn."""
    humans, total, size = rows[rows["source"] == "human"], 0.0, 0.0
    for unit, answer in rows[rows["rater"] == model].set_index("unit")["value"].items():
        own = humans[humans["unit"] == unit]
        listed = [
            LETTERS.index(v)
            for p, v in zip(own["rater"], own["value"], strict=True)
            for _ in range(int(people_weight.get(p, 0)))
        ]
        modes = sorted(multimode(listed))
        if not modes or (ties == "drop" and len(modes) > 1):
            continue
        mode = {"low": modes[0], "high": modes[-1]}.get(ties, mean(modes))
        total += unit_weight[unit] * (4 if answer == "F" else abs(mode - LETTERS.index(answer)))
        size += unit_weight[unit]
    return total / size


@pytest.mark.parametrize("ties", ["mean", "low", "high", "drop"])
def test_resamples_are_those_of_a_table_with_repeated_people_and_units(ties):
    rows = sample()
    state = AlignmentState.from_design(design(rows), option(ties=ties))
    answers, (named, shares) = state.answers, targets_of_all_people(state)
    found = resample_people(
        Panel.everyone(answers, Targets.from_shares(shares)), [], (), 6, 3, kept=2
    )[0]
    people = next(people_draws(answers, 6, stream_seed(3, 1)))
    units = next(unit_draws(answers, (), 6, 3))
    assert people.sum(axis=1).tolist() == [len(answers.people)] * 6
    assert units.sum(axis=1).tolist() == [len(answers.unit)] * 6
    for b in range(6):
        drawn = dict(zip([state.design.raters[p] for p in answers.people], people[b], strict=True))
        weight = dict.fromkeys(state.design.units, 0.0)
        weight |= dict(zip([state.design.units[u] for u in answers.unit], units[b], strict=True))
        for j, model in enumerate(("m1", "m2")):
            assert (named[j].term, named[j].group) == (model, None)
            assert found[b, j] == pytest.approx(brute(rows, model, drawn, weight, ties), abs=1e-12)


def test_clusters_of_units_are_drawn_whole():
    rows = sample().assign(story=lambda r: r["unit"].str[1:].astype(int) % 4)
    made = design(rows, cluster="story")
    state = AlignmentState.from_design(made, option())
    for weights in unit_draws(state.answers, state.clusters, 20, 1):
        for story in range(4):
            assert np.all(np.ptp(weights[:, state.clusters[0] == story], axis=1) == 0)
    clustered, single = (
        ada_met(made, cluster=c, resamples=400).row("m1", group=None) for c in ("declared", None)
    )
    assert (clustered.n_clusters, single.n_clusters) == (4, None)
    assert clustered.estimate == single.estimate
    assert clustered.conf_low != single.conf_low


def test_groups_are_drawn_within_themselves_on_the_same_units():
    rows = sample()
    state = AlignmentState.from_design(design(rows), option(group="side"))
    answers = state.answers
    index = [np.flatnonzero(answers.people >= 0)[k::2] for k in (0, 1)]
    panel = Panel.by_group(answers, Targets.from_shares(model_shares(answers)), index)
    found = resample_people(panel, [], (), 4, 5, kept=3)
    units = next(unit_draws(answers, (), 4, 5))
    names = [state.design.raters[p] for p in answers.people]
    for g in (0, 1):
        people = next(people_draws(panel.groups[g], 4, stream_seed(5, 2 + g)))
        for b in range(4):
            drawn = {names[i]: w for i, w in zip(index[g], people[b], strict=True)}
            weight = dict(zip([state.design.units[u] for u in answers.unit], units[b], strict=True))
            assert found[g][b, 0] == pytest.approx(
                brute(rows, "m1", drawn, weight, "mean"), abs=1e-12
            )


def test_centred_intervals_are_percentiles_moved_by_the_bias():
    made = design(sample(units=40, people=20))
    moved, plain = (
        ada_met(made, ci=ci, resamples=999).row("m1", group=None)
        for ci in ("centred", "percentile")
    )
    bias = ada_met(made, ci="centred", resamples=999).extras["bootstrap_bias"]["m1"]
    assert moved.conf_low == pytest.approx(plain.conf_low - bias, abs=1e-12)
    assert moved.conf_high == pytest.approx(plain.conf_high - bias, abs=1e-12)
    turned = ada_met(made, ci="basic", resamples=999).row("m1", group=None)
    assert turned.conf_low == pytest.approx(2 * plain.estimate - plain.conf_high, abs=1e-12)


def by_unit(rows, model, people_weight, ties):
    """{unit: distance of a model from the mode of the people, each as often as drawn}; None without a mode."""
    humans = rows[rows["source"] == "human"]
    out = {}
    for unit, answer in rows[rows["rater"] == model].set_index("unit")["value"].items():
        own = humans[humans["unit"] == unit]
        listed = [
            LETTERS.index(v)
            for p, v in zip(own["rater"], own["value"], strict=True)
            for _ in range(int(people_weight.get(p, 0)))
        ]
        modes = sorted(multimode(listed))
        gone = not modes or (ties == "drop" and len(modes) > 1)
        out[unit] = (
            None if gone else 4.0 if answer == "F" else abs(mean(modes) - LETTERS.index(answer))
        )
    return out


def two_way_error(rows, model, people, story, ties="mean"):
    """Standard error from residuals by story: variance over stories, and covariance of stories over resamples."""

    def residuals(weight, centre):
        out = dict.fromkeys(story.values(), 0.0)
        for unit, x in by_unit(rows, model, weight, ties).items():
            out[story[unit]] += 0.0 if x is None else x - centre
        return np.array([out[s] for s in sorted(out)])

    once = by_unit(rows, model, dict.fromkeys(people[0], 1), ties)
    known = [x for x in once.values() if x is not None]
    own = residuals(dict.fromkeys(people[0], 1), mean(known))
    met = {story[unit] for unit, x in once.items() if x is not None}
    drawn = np.array([residuals(weight, mean(known)) for weight in people])
    shared = drawn.sum(axis=1).var(ddof=1) - drawn.var(axis=0, ddof=1).sum()
    shared *= len(people[0]) / (len(people[0]) - 1)  # resamples of P people vary by (P - 1) / P
    return np.sqrt(len(met) / (len(met) - 1) * (own**2).sum() + max(shared, 0.0)) / len(known)


@pytest.mark.parametrize("ties", ["mean", "drop"])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.slow
def test_the_error_counts_the_noise_of_single_answers_once(ties, clustered):
    rows = sample(seed=5).assign(story=lambda r: r["unit"].str[1:].astype(int) % 5)
    made = design(rows, cluster="story" if clustered else None)
    state = AlignmentState.from_design(made, option(ties=ties))
    answers = state.answers
    drawn = next(people_draws(answers, 39, stream_seed(3, 1)))
    names = [made.raters[p] for p in answers.people]
    people = [dict(zip(names, line, strict=True)) for line in drawn]
    story = {unit: str(int(unit[1:]) % 5) if clustered else unit for unit in made.units}
    result = ada_met(made, ties=ties, resamples=39, seed=3)
    for model in ("m1", "m2"):
        row = result.row(model, group=None)
        assert row.std_error == pytest.approx(
            two_way_error(rows, model, people, story, ties), abs=1e-12
        )
        assert (row.conf_low + row.conf_high) / 2 == pytest.approx(row.estimate, abs=1e-12)


def test_the_error_of_units_alone_is_that_of_a_mean():
    people = {f"u{k}": votes("BBBBBB") for k in range(9)}  # everybody agrees: people add nothing
    rows = table(
        people, {unit: {"m": letter} for unit, letter in zip(people, "ABCABEABC", strict=True)}
    )
    row = ada_met(design(rows), resamples=199).row("m", group=None)
    x = np.array([1, 0, 1, 1, 0, 3, 1, 0, 1.0])
    low, high = stats.t.interval(0.95, 8, x.mean(), x.std(ddof=1) / 3)
    assert (row.std_error, row.conf_low) == (pytest.approx(x.std(ddof=1) / 3), pytest.approx(low))
    assert row.conf_high == pytest.approx(high)
    same = table(people, {unit: {"m": "D"} for unit in people})
    flat = ada_met(design(same), resamples=199).row("m", group=None)
    assert (flat.estimate, flat.std_error, flat.conf_low) == (2.0, None, None)
    assert flat.undefined == no_variation_reason("units and the people")


def test_a_stratum_of_a_single_unit_says_so():
    rows = sample(refusals=False)
    first = rows[rows["rater"] == "m1"]["unit"].iloc[0]
    made = design(rows.assign(area=np.where(rows["unit"] == first, "one", "many")), strata="area")
    result = ada_met(made, stratum="area", resamples=39)
    row = result.row("m1", group="area = one")
    assert (row.n_units, row.std_error, row.conf_low, row.reason) == (1, None, None, "one_unit")
    assert row.undefined == "a single unit or cluster: no interval"
    assert result.row("m1", group="area = many").conf_low is not None
    assert result.verify().ok


def test_people_with_ways_of_their_own_widen_the_interval():
    rng = np.random.default_rng(4)
    low = {
        p: rng.random() < 0.5 for p in range(12)
    }  # half of the people always say B, the others D
    people = {
        f"u{u:03d}": {f"p{p:02d}": "B" if low[p] else "D" for p in range(12) if rng.random() < 0.6}
        for u in range(200)
    }
    rows = table(people, {unit: {"m": str(rng.choice(list("ABC")))} for unit in people})
    two, one = (ada_met(design(rows), ci=ci, resamples=400) for ci in ("two_way", "basic"))
    row = two.row("m", group=None)
    plain = np.std(
        list(by_unit(rows, "m", {f"p{p:02d}": 1 for p in range(12)}, "mean").values()), ddof=1
    )
    assert row.std_error > 1.3 * plain / np.sqrt(200)
    assert (
        row.std_error <= one.row("m", group=None).std_error * 1.05
    )  # which counts the noise of answers twice


def test_crossed_clusters_take_off_what_both_share():
    rows = sample(seed=6, units=24).assign(
        story=lambda r: r["unit"].str[1:].astype(int) % 4,
        topic=lambda r: r["unit"].str[1:].astype(int) // 6,
    )
    made = design(rows, cluster=["story", "topic"])
    for model in ("m1", "m2"):
        both, story, topic = (
            ada_met(made, cluster=c, resamples=39).row(model, group=None)
            for c in ("declared", "story", "topic")
        )
        assert both.n_clusters == 4
        assert both.std_error >= 0.9 * max(story.std_error, topic.std_error)


def test_p_of_two_groups_is_that_of_all_ways_to_deal_the_people():
    people = {
        f"u{k}": votes(text)
        for k, text in enumerate(["AABEED", "BABDEE", "AACDDE", "BBAECD", "CAAEDE"])
    }
    rows = table(
        people,
        {unit: {"m": answer} for unit, answer in zip(people, "ABABA", strict=True)},
        attributes={f"p{k}": "young" if k < 3 else "zold" for k in range(6)},
    )
    result = ada_met(design(rows), group="side", resamples=4000)
    row, p = (
        result.row("m", group="side: young - zold"),
        result.extras["permutation_p"]["young - zold"]["m"],
    )
    weight = dict.fromkeys(people, 1.0)
    every = []
    for chosen in combinations(range(6), 3):
        sides = [
            dict.fromkeys((f"p{k}" for k in range(6) if (k in chosen) == inside), 1)
            for inside in (True, False)
        ]
        every.append(
            brute(rows, "m", sides[0], weight, "mean") - brute(rows, "m", sides[1], weight, "mean")
        )
    assert row.estimate == pytest.approx(every[0], abs=1e-12)
    tails = (
        np.mean(np.array(every) <= row.estimate + 1e-9),
        np.mean(np.array(every) >= row.estimate - 1e-9),
    )
    exact = min(1.0, 2 * min(tails))
    permuted = ada_met(design(rows), group="side", resamples=4000, ci="basic")
    for found, n in (
        (p, result.extras["permutations"]),
        (permuted.row("m", group=row.group).p_value, 4000),
    ):
        assert found == pytest.approx(
            exact, abs=4 * 2 * np.sqrt(min(tails) / n)
        )  # four Monte-Carlo errors
    assert row.df <= 2  # three people a group
    assert row.p_value == pytest.approx(2 * stats.t.sf(abs(row.estimate / row.std_error), row.df))
    assert (row.p_value < 0.05) == (row.conf_low > 0 or row.conf_high < 0)
    assert result.row("m", group="closest side = young").estimate > 0.9
    assert result.verify().ok


def test_sizes_of_groups_alone_do_not_count_as_a_difference():
    rng = np.random.default_rng(8)
    people = {
        f"u{u:02d}": {
            f"p{p:02d}": LETTERS[int(np.clip(rng.normal(2, 1) + 0.5, 0, 4))] for p in range(33)
        }
        for u in range(80)
    }
    rows = table(
        people,
        {unit: {"m": "C"} for unit in people},
        attributes={f"p{p:02d}": "few" if p < 3 else "many" for p in range(33)},
    )
    result = ada_met(design(rows), group="side", resamples=500)
    row = result.row("m", group="side: few - many")
    by_size = result.extras["permuted_differences"]["few - many"]["m"]
    few, many = (result.row("m", group=f"side = {name}").estimate for name in ("few", "many"))
    assert few - many > 0.1  # people are all alike, and yet the small group is farther off
    assert few - many == pytest.approx(by_size, abs=0.15)
    assert row.estimate == pytest.approx(few - many - by_size, abs=1e-12)
    assert row.conf_low < 0 < row.conf_high
    assert row.p_value > 0.05
    assert result.verify().ok
    wrong = replace(
        result,
        extras={**result.extras, "permuted_differences": {"few - many": {"m": by_size + 0.5}}},
    )
    assert not wrong.verify().ok
    assert result.extras["permuted_closest"]["many"] > 0.95
    said = next(
        c.detail for c in result.cautions if c.code == "SS312" and "answers per unit" in c.detail
    )
    assert said == "few answers per unit: few 3.0 (3 raters); the most is 30.0"


def test_differences_use_units_that_both_groups_answered():
    people = {"u": {"p0": "A", "p1": "C"}, "v": {"p0": "B"}, "w": {"p1": "E"}}
    rows = table(people, {unit: {"m": "A"} for unit in people}, attributes={"p0": "x", "p1": "y"})
    result = ada_met(design(rows), group="side", resamples=39)
    assert result.row("m", group="side = x").estimate == 0.5  # u and v
    assert result.row("m", group="side = y").estimate == 3.0  # u and w
    both = result.row("m", group="side: x - y")
    assert (both.estimate, both.n_units) == (-2.0, 1)
    assert "single reference rater" in both.undefined


def test_models_are_compared_with_the_nearest_and_with_the_best_constant_unit_by_unit():
    people = {
        f"u{k}": votes(word)
        for k, word in enumerate(["AAAAAA", "BBBBBB", "CCCCCC", "BBBBBB", "DDDDDD"])
    }
    answers = {
        "u0": {"m1": "A", "m2": "B"},
        "u1": {"m1": "B", "m2": "B"},
        "u2": {"m1": "D", "m2": "A"},
        "u3": {"m1": "B"},
        "u4": {"m1": "D", "m2": "E"},
    }
    result = ada_met(design(table(people, answers)), resamples=99)
    near = result.row("m2", group="minus nearest = m1")
    gaps = np.array([1, 0, 2 - 1, 1.0])  # u3 has no answer of m2
    low, high = stats.t.interval(0.95, 3, gaps.mean(), gaps.std(ddof=1) / 2)
    assert (near.estimate, near.n_units) == (gaps.mean(), 4)
    assert (near.conf_low, near.conf_high) == (
        pytest.approx(low),
        pytest.approx(high),
    )  # everybody agrees
    assert near.p_value == pytest.approx(stats.ttest_1samp(gaps, 0).pvalue)
    constant = [r for r in result.rows if (r.group or "").startswith("minus constant")]
    assert {r.group for r in constant} == {"minus constant = always B"}  # A 1.2, B 0.8, C 1.0
    assert [r.estimate for r in constant] == [pytest.approx(0.2 - 0.8), pytest.approx(1.0 - 1.0)]
    assert [r.p_adjusted for r in constant] == [
        pytest.approx(min(1, max(f * r.p_value, 0))) for f, r in zip((2, 1), constant, strict=True)
    ]
    assert result.verify().ok
    assert not any(
        "minus" in (r.group or "") for r in ada_met(design(table(people, answers)), ci="basic").rows
    )


def test_equally_close_groups_are_both_named():
    people = {unit: {"p0": "A", "p1": "C", "p2": "A", "p3": "C"} for unit in "uvw"}
    rows = table(
        people,
        {unit: {"m": "B"} for unit in people},
        attributes=dict(zip(people["u"], "xyxy", strict=True)),
    )
    result = ada_met(design(rows), group="side", resamples=39)
    assert result.row("m", group="closest side = x and y").estimate == 1
    assert result.row("m", group="side: x - y").estimate == 0


@pytest.mark.parametrize("ties", ["mean", "low", "high", "nearest", "drop"])
@pytest.mark.parametrize("refusal", ["max", "item_max", "exclude", 2.5])
@pytest.mark.slow
def test_every_rule_is_verified(ties, refusal):
    rows = sample(units=20, groups=3).assign(area=lambda r: r["unit"].str[1:].astype(int) % 2)
    result = ada_met(
        design(rows, strata="area"),
        ties=ties,
        refusal=refusal,
        group="side",
        stratum="area",
        resamples=39,
    )
    verification = result.verify()
    assert verification.ok, verification.tidy().to_string()
    assert {check.package for check in verification} >= {"scipy", "numpy", "statsmodels"}
    chosen = [c for c in result.cautions if "chosen for" in c.detail]
    assert bool(chosen) == (ties == "nearest")
    kinds = [
        str(row.group).partition(":")[0].partition(" = ")[0].partition(",")[0]
        for row in result.rows
    ]
    one_of_a_kind = {kinds[k]: k for k, row in enumerate(result.rows) if row.estimate is not None}
    assert len(one_of_a_kind) >= 7
    for k in one_of_a_kind.values():
        row = result.rows[k]
        if not str(row.group).startswith("closest"):
            wrong = replace(
                result,
                rows=(
                    *result.rows[:k],
                    replace(row, estimate=row.estimate + 0.01),
                    *result.rows[k + 1 :],
                ),
            )
            assert not wrong.verify().ok, row


def test_reference_lines_by_hand():
    rows = table({"u": votes("AAB"), "v": votes("CCC")}, {"u": {"m": "A"}, "v": {"m": "A"}})
    lines = {
        r.term: r.estimate
        for r in ada_met(design(rows), resamples=39).rows
        if r.group == "reference line"
    }
    # u: A against A and B (mean 0.5), twice; B against A and A. v: 0
    assert lines["random human"] == pytest.approx(((0.5 + 0.5 + 1) / 3 + 0) / 2)
    assert lines["always A"] == 1.0
    assert lines["always E"] == 3.0
    assert lines["uniform answer"] == pytest.approx((10 / 5 + 6 / 5) / 2)


@pytest.fixture(scope="module")
def norms():
    data = datasets.social_norms()
    return Ratings.from_frame(
        data,
        unit="item",
        rater="rater",
        value="answer",
        levels=list(LETTERS),
        refusal="F",
        rater_source="source",
        rater_groups=["age", "gender", "residence"],
        strata="area",
    )


@pytest.mark.slow
def test_the_simulated_study_gives_back_its_truth(norms):
    truth = datasets.social_norms_truth()
    result = ada_met(norms, group="age", stratum="area", resamples=199)
    assert result.verify().ok
    assert result.counts["units"] == 400
    assert result.counts["reference raters"] == 100
    overall = {r.term: r for r in result.rows if r.group is None}
    assert set(overall) == set(truth.bias)
    plain = {
        model: overall[model].estimate for model in ("model 01", "model 05", "model 08", "model 10")
    }
    assert max(plain["model 05"], plain["model 08"]) < min(
        plain["model 01"], plain["model 10"]
    )  # no bias is nearest
    for model, family in truth.family.items():
        closest = next(
            r for r in result.rows if r.term == model and str(r.group).startswith("closest age")
        )
        assert closest.group == f"closest age = {truth.closest[family, 'age']}"
        assert closest.estimate > 0.8
        refused = result.row(model, group="share refused")
        assert refused.conf_low <= truth.refusal[model] + 0.02
        assert refused.conf_high >= truth.refusal[model] - 0.02
    lines = {r.term: r.estimate for r in result.rows if r.group == "reference line"}
    assert plain["model 05"] < lines["random human"] < lines["uniform answer"] < lines["always A"]


def test_an_attribute_without_effect_has_no_closest_group_to_speak_of(norms):
    result = ada_met(norms, group="gender", resamples=199)
    p = [r.p_adjusted for r in result.rows if r.group == "gender: man - woman"]
    assert len(p) == 11
    assert np.median(p) > 0.1  # of eleven, one is as small as 199 permutations allow


def test_the_figure_of_an_attribute_has_a_mark_for_each_of_its_groups():
    result = ada_met(design(sample()), group="side", resamples=50)
    ax = result.plot(group="side")
    said = [text.get_text() for text in ax.texts]
    assert {"\u25b2 side = x", "\u25cf side = y"} <= set(said)
    assert {label.get_text() for label in ax.get_yticklabels()} == {"m1", "m2"}
    places = {round(float(x), 9) for line in ax.lines for x in line.get_xdata()}
    assert {
        round(row.estimate, 9) for row in result.rows if str(row.group).startswith("side = ")
    } <= places
    with pytest.raises(InputError, match="no group 'sides'; groups: 'side = x'"):
        result.plot(group="sides")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "first"}, "ties='first' is not one of mean, low, high, nearest, drop"),
        (
            {"refusal": "worst"},
            "refusal='worst' is not one of max, item_max, exclude, or a distance of 0 or more",
        ),
        ({"refusal": -1}, "refusal=-1"),
        ({"refusal": float("nan")}, "refusal=nan"),
        ({"refusal": True}, "refusal=True"),
        ({"unparsed": "drop"}, "unparsed='drop' is not one of exclude, refusal"),
        ({"ci": "bca"}, "ci='bca' is not one of two_way, centred, percentile, basic"),
        ({"source": "kind"}, "source='kind' is no rater group"),
        (
            {"reference": "people"},
            "reference='people' is not a level of 'source'. Levels: 'human' and 'model'",
        ),
        ({"group": "age"}, "group='age' is no rater group"),
        ({"group": "source"}, "group='source' is the stratum or the source too"),
        ({"stratum": "area"}, "no stratum 'area'"),
        ({"resamples": 10}, "resamples=10 cannot give a 95% interval"),
    ],
)
def test_wrong_options_say_what_is_allowed(options, message):
    with pytest.raises(InputError) as caught:
        ada_met(design(sample()), **options)
    assert message in str(caught.value)


def test_designs_without_order_source_or_common_units_are_errors():
    rows = sample()
    with pytest.raises(InputError, match="are nominal, and a distance needs their order"):
        ada_met(design(rows, scale="nominal"))
    with pytest.raises(InputError, match="make the design with rater_source="):
        ada_met(design(rows, rater_source=None))
    apart = rows.assign(unit=np.where(rows["source"] == "human", rows["unit"], rows["unit"] + "!"))
    with pytest.raises(NothingToAnalyse, match="units are joined by their labels"):
        ada_met(design(apart))
    other = rows.assign(source=rows["source"].replace("human", "annotators"))
    with pytest.raises(
        InputError, match="no reference= is given, and 'human' is not a level of 'source'"
    ):
        ada_met(design(other))
    assert (
        ada_met(design(other), reference="annotators", resamples=39).row("m1", group=None).estimate
        is not None
    )


def test_strange_labels_stay_apart():
    people = {"u": votes("AB"), "v": votes("BB")}
    rows = table(
        people,
        {unit: {"always A": "A", "a\nb": "C"} for unit in people},
        attributes={"p0": "x - y", "p1": "z"},
    )
    result = ada_met(design(rows), group="side", resamples=39)
    assert result.row("always A", group=None).estimate == 0.75
    assert result.row("always A", group="reference line").estimate == 0.75
    assert result.row("always A", group='side: "x - y" - "z"').estimate is not None
    assert "\n" not in result.sentence()
    assert not result.tidy().duplicated(["term", "group"]).any()


def test_noise_of_the_modes_is_said_where_it_matters(norms):
    said = [c.detail for c in ada_met(norms, resamples=199).cautions if c.code == "SS333"]
    assert len(said) == 1
    assert said[0].startswith(
        "modes rest on 49.6 answers per unit on average, which inflates distances; most that of"
    )
    people = {f"u{k}": votes("BBBBBB") for k in range(9)}  # everybody agrees: nothing to add
    rows = table(
        people, {unit: {"m": letter} for unit, letter in zip(people, "ABCABCABC", strict=True)}
    )
    result = ada_met(design(rows), resamples=199)
    assert not [c for c in result.cautions if c.code == "SS333"]
    assert result.extras["bootstrap_bias"]["m"] == pytest.approx(0, abs=0.05)


def test_one_model_one_sentence():
    result = ada_met(design(sample(refusals=False).query("rater != 'm2'")), resamples=199)
    assert result.sentence().startswith(
        "The distance of 'm1' from the mode of the human answers was 1.07, approximate 95% CI ["
    )
    assert "(12 units, 8 reference raters)" in result.sentence()


@pytest.mark.skipif(not REAL.exists(), reason="the real answers are not beside the project")
def test_answers_of_models_alone_have_no_reference():
    data = pd.read_csv(REAL, keep_default_na=False, dtype=str).query("prompt == 'zero_shot'")
    made = Ratings.from_frame(
        data,
        unit="rot_id",
        rater="model",
        value="answer",
        levels=list(LETTERS),
        refusal="F",
        na="NA",
        status="status",
    )
    with pytest.raises(InputError, match=r"\(declared: none\)"):
        ada_met(made)


def test_names_of_units_do_not_move_an_interval():
    rows = sample(units=30, people=10)
    rng = np.random.default_rng(2)
    names = dict(
        zip(
            sorted(set(rows["unit"])),
            rng.permutation([f"x{k:02d}" for k in range(30)]),
            strict=True,
        )
    )
    one, two = (
        ada_met(design(r), resamples=199) for r in (rows, rows.assign(unit=rows["unit"].map(names)))
    )
    for row, other in zip(one.rows, two.rows, strict=True):
        for name in ("estimate", "conf_low", "conf_high"):
            assert getattr(other, name) == (
                None if getattr(row, name) is None else pytest.approx(getattr(row, name))
            )


@pytest.mark.parametrize("ties", ["mean", "drop", "nearest"])
def test_clusters_and_dropped_ties_are_recomputed_alike(ties):
    """A unit that the sample drops for a tie of its modes counts where drawn people have none.

    The check left it out.
    """
    rng = np.random.default_rng(3)
    rows = [
        (
            unit,
            rater,
            "human" if rater[0] == "p" else "model",
            f"run {unit % 4}",
            int(rng.integers(1, 6)),
        )
        for unit in range(32)
        for rater in ("p0", "p1", "p2", "p3", "x", "y")
    ]
    table = pd.DataFrame(rows, columns=["unit", "rater", "source", "run", "value"])
    options = {"scale": "ordinal", "levels": [1, 2, 3, 4, 5], "resamples": 100, "ties": ties}
    for cluster in ((), "run"):
        assert ada_met(table, rater_groups="source", cluster=cluster, **options).verify().ok


@pytest.mark.parametrize("clusters", [None, 4])
def test_errors_are_those_of_units_and_of_people_who_are_drawn(clusters):
    """V = V_units + P/(P - 1) (V_people - the part of single units), Satterthwaite's df, by loops over resamples."""
    rng = np.random.default_rng(11)
    n, size, resamples = 12, 6, 60
    given = rng.integers(1, 6, size=(n, size))
    answers = rng.integers(1, 6, size=n)
    rows = [
        (unit, f"p{person}", "human", int(given[unit, person]))
        for unit in range(n)
        for person in range(size)
    ]
    rows += [(unit, "m", "model", int(answers[unit])) for unit in range(n)]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "source", "value"])
    group = np.arange(n) if clusters is None else np.arange(n) % clusters
    frame["run"] = group[frame["unit"]]
    result = ada_met(
        frame,
        rater_groups="source",
        cluster=() if clusters is None else "run",
        scale="ordinal",
        levels=[1, 2, 3, 4, 5],
        resamples=resamples,
    )
    seed = int(np.random.SeedSequence([0, 1]).generate_state(1)[0])
    people = Cells.of(np.ones(size), [np.arange(size)])
    drawn = [np.ones(size), *people.draws(resamples, seed)]
    distance = np.zeros((resamples + 1, n))
    for b, times in enumerate(drawn):
        for unit in range(n):
            scores = np.repeat(given[unit], times.astype(int)).tolist()
            distance[b, unit] = abs(np.mean(multimode(scores)) - answers[unit])
    residuals = distance - distance[0].mean()
    pieces = len(np.unique(group))
    sums = np.array([np.bincount(group, line) for line in residuals])
    v_units = pieces / (pieces - 1) * float(sums[0] @ sums[0]) / n**2
    alone = float(sums[1:].var(axis=0, ddof=1).sum())
    v_people = max(float(residuals[1:].sum(axis=1).var(ddof=1)) - alone, 0) / n**2
    v_people *= size / (size - 1)
    row = result.row("m", group=None)
    assert row.std_error == pytest.approx(np.sqrt(v_units + v_people), rel=1e-9)
    parts = v_units**2 / (pieces - 1) + v_people**2 / (size - 1)
    assert row.df == pytest.approx((v_units + v_people) ** 2 / parts, rel=1e-9)
