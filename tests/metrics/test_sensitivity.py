from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.choices.conditions import TERMS, condition_table, sensitivity_terms
from socialstats.choices.sensitivity import reference_values, sensitivity, sensitivity_difference
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.resampling import PlanUnits, bootstrap_sums, weight_blocks
from socialstats.results import ResultGroup

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}


def brute(rows, by_hand, weights, weight=None):
    """S, its corrected value and the components by loops over rows."""
    items = sorted(set(rows.item_a) | set(rows.item_b))
    parts = {}
    for condition, target in TARGETS.items():
        found = [by_hand(rows, item, condition, weights, weight) for item in items]
        found = [(p, n) for p, n in found if p is not None]
        parts[f"S_{condition}"] = 100 * np.mean([(p - target) ** 2 for p, _ in found])
        noise = [p * (1 - p) / (n - 1) for p, n in found if n > 1]
        parts[f"S_{condition}_corrected"] = parts[f"S_{condition}"] - 100 * np.mean(noise)
    parts["S"] = sum(parts[f"S_{c}"] for c in TARGETS)
    parts["S_corrected"] = sum(parts[f"S_{c}_corrected"] for c in TARGETS)
    return parts


def decided(choose, items="abcdef", levels=(1, 2, 3), repeats=1):
    """All pairs x levels x levels, the winner given by a rule."""
    rows = [
        (a, b, ua, ub, choose(a, b, ua, ub))
        for a, b in itertools.combinations(items, 2)
        for ua in levels
        for ub in levels
        for _ in range(repeats)
    ]
    return pd.DataFrame(rows, columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"])


@pytest.mark.parametrize("weights", ["opponent", "pooled"])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_term_equals_a_loop_over_rows(conflict_rows, by_hand, weights, weighted):
    rows = conflict_rows(seed=1, ties=0.1)
    rows["w"] = np.random.default_rng(0).integers(1, 5, len(rows)) / 2
    name = "w" if weighted else None
    frame = rows if weighted else rows.drop(columns="w")
    result = sensitivity(Comparisons.from_frame(frame, weight=name), weights=weights, resamples=50)
    for term, value in brute(rows, by_hand, weights, name).items():
        assert result.row(term).estimate == pytest.approx(value, abs=1e-9), term
    assert [r.term for r in result.rows] == list(TERMS)


def test_urgency_rule_is_zero_and_its_opposite_is_the_maximum():
    def tie_break(a, b, i):
        return a if i % 2 else b

    count = itertools.count()
    follow = decided(
        lambda a, b, ua, ub: a if ua > ub else b if ub > ua else tie_break(a, b, next(count)),
        repeats=2,
    )
    result = sensitivity(Comparisons.from_frame(follow), resamples=50)
    assert result.row("S").estimate == pytest.approx(0.0, abs=1e-12)
    assert result.row("S").conf_low is None
    assert "the clusters are alike" in result.row("S").undefined
    against = decided(lambda a, b, ua, ub: a if ua <= ub else b, items="ab")
    worst = sensitivity(Comparisons.from_frame(against), resamples=50, cluster=None)
    assert worst.row("S_higher").estimate == 100
    assert worst.row("S_lower").estimate == 100
    assert worst.row("S").estimate == 225  # a wins every equal comparison


def test_half_of_the_items_always_winning_gives_125():
    strong = set("abc")
    rows = decided(lambda a, b, ua, ub: a if a in strong else b)
    rows = rows[rows.item_a.isin(strong) & ~rows.item_b.isin(strong)]
    result = sensitivity(Comparisons.from_frame(rows), resamples=50)
    assert result.row("S").estimate == pytest.approx(125)
    lines = {x.label: x.value for x in result.extras["reference_lines"]}
    assert lines["half always win"] == 125
    assert lines["urgency rule"] == 0


def ranking_rows(order, rows):
    place = {item: k for k, item in enumerate(order)}
    winner = [
        a if place[a] < place[b] else b for a, b in zip(rows.item_a, rows.item_b, strict=True)
    ]
    return rows.assign(winner=winner)


@pytest.mark.parametrize("weights", ["opponent", "pooled"])
@pytest.mark.slow
def test_random_ranking_line_is_the_mean_over_all_rankings(conflict_rows, by_hand, weights):
    rows = conflict_rows(seed=2, n_items=5, keep=0.8)
    lines = sensitivity(Comparisons.from_frame(rows), weights=weights, resamples=50).extras[
        "reference_lines"
    ]
    value = {x.label: x.value for x in lines}["random ranking"]
    all_of_them = [
        brute(ranking_rows(order, rows), by_hand, weights)["S"]
        for order in itertools.permutations([f"r{i}" for i in range(5)])
    ]
    assert value == pytest.approx(np.mean(all_of_them), abs=1e-9)


@pytest.mark.slow
def test_group_ranking_line_is_the_mean_over_rankings_of_groups_and_inside_them(
    conflict_rows, by_hand
):
    rows = conflict_rows(seed=3, n_items=6, keep=0.8)
    groups = {"r0": "x", "r1": "x", "r2": "y", "r3": "y", "r4": "y", "r5": "z"}
    result = sensitivity(Comparisons.from_frame(rows), resamples=50, groups=groups)
    value = {x.label: x.value for x in result.extras["reference_lines"]}["ranking group by group"]
    found = []
    inside = {g: list(itertools.permutations([i for i in groups if groups[i] == g])) for g in "xyz"}
    for order in itertools.permutations("xyz"):
        for pick in itertools.product(*(inside[g] for g in order)):
            items = list(itertools.chain(*pick))
            found.append(brute(ranking_rows(items, rows), by_hand, "opponent")["S"])
    assert value == pytest.approx(np.mean(found), abs=1e-9)


@pytest.mark.parametrize("weights", ["opponent", "pooled"])
@pytest.mark.slow
def test_coin_line_is_the_mean_over_seeded_coins(conflict_rows, weights):
    rows = conflict_rows(seed=4, n_items=6, keep=0.7)
    design = Comparisons.from_frame(rows)
    lines = sensitivity(design, weights=weights, resamples=50).extras["reference_lines"]
    value = {x.label: x.value for x in lines}["coin flips"]
    rng, drawn = np.random.default_rng(0), []
    for _ in range(300):
        coins = rows.assign(winner=np.where(rng.random(len(rows)) < 0.5, rows.item_a, rows.item_b))
        table = condition_table(Comparisons.from_frame(coins), "urgency", weights)
        drawn.append(sensitivity_terms(np.asarray(table.statistics.sum(axis=0))[None, :], 6)[0, :2])
    plain, corrected = np.mean(drawn, axis=0)
    error = np.std(drawn, axis=0) / np.sqrt(300)
    assert abs(plain - value) < 4 * error[0]
    assert abs(corrected - 50) < 4 * error[1]  # the correction takes exactly the noise off


def test_bootstrap_by_pair_equals_concatenating_the_rows_of_drawn_pairs(conflict_rows, records_of):
    records, rate = records_of
    rows = conflict_rows(seed=5, n_items=5)
    design = Comparisons.from_frame(rows)
    boot = sensitivity(design, resamples=60, seed=3, ci="basic").extras["bootstrap"]
    pair = rows[["item_a", "item_b"]].min(axis=1) + " | " + rows[["item_a", "item_b"]].max(axis=1)
    drawn = next(weight_blocks(boot.units, resamples=60, seed=3, block=60))
    for b in range(0, 60, 10):
        all_of_them = [
            (
                item,
                f"{other} drawn {copy}",
                condition,
                score,
                1.0,
            )  # a pair drawn twice is two opponents
            for level, times in zip(design.pair.levels, drawn[b], strict=True)
            for copy in range(int(times))
            for item, other, condition, score, _ in records(rows[pair == level])
        ]
        s = 0.0
        for condition, target in TARGETS.items():
            p = [rate(all_of_them, item, condition, "opponent")[0] for item in design.items]
            s += 100 * np.mean([(x - target) ** 2 for x in p if x is not None])
        assert boot.replicates[b, 0] == pytest.approx(s, abs=1e-9)


def test_intervals_hold_their_estimates_and_stay_in_range(conflict_rows):
    for seed in range(6):
        rows = conflict_rows(seed=seed, gap=3.0 * (seed % 2))
        for ci in ("jackknife", "basic", "percentile"):
            for row in sensitivity(Comparisons.from_frame(rows), resamples=199, ci=ci).rows:
                assert row.conf_low <= row.estimate <= row.conf_high
                assert row.conf_high <= 225
                assert row.conf_low >= min(0, row.estimate)


def test_the_corrected_interval_is_the_centred_pivot(conflict_rows):
    result = sensitivity(
        Comparisons.from_frame(conflict_rows(seed=6)), resamples=999, seed=2, ci="basic"
    )
    drawn = np.sort(result.extras["bootstrap"].replicates[:, 1])
    row, plain = result.row("S_corrected"), result.row("S").estimate
    assert row.conf_low == pytest.approx(max(0, row.estimate - (drawn[974] - plain)))
    assert row.conf_high == pytest.approx(max(row.estimate, row.estimate - (drawn[24] - plain)))


@pytest.mark.parametrize("weights", ["opponent", "pooled"])
def test_the_jackknife_leaves_one_pair_out(conflict_rows, by_hand, weights):
    rows = conflict_rows(seed=6, n_items=5, ties=0.1)
    result = sensitivity(Comparisons.from_frame(rows), weights=weights, level=0.9)
    pair = rows[["item_a", "item_b"]].min(axis=1) + " | " + rows[["item_a", "item_b"]].max(axis=1)
    left = pd.DataFrame([brute(rows[pair != one], by_hand, weights) for one in pair.unique()])
    n = len(left)
    errors = np.sqrt((n - 1) * left.var(ddof=0))
    for term in TERMS:
        row = result.row(term)
        centre = result.row(term if term.endswith("corrected") else f"{term}_corrected").estimate
        reach = stats.t.ppf(0.95, n - 1) * errors[term]
        most = {"S": 225, "S_corrected": 225}.get(term, 25 if "equal" in term else 100)
        assert (row.std_error, row.df) == pytest.approx((errors[term], n - 1))
        assert row.conf_low == pytest.approx(min(max(centre - reach, 0), row.estimate))
        assert row.conf_high == pytest.approx(max(min(centre + reach, most), row.estimate))
    assert result.glance()["effective_df"][0] == n - 1
    assert ("SS202" in [c.code for c in result.cautions]) == (n - 1 < 5)


@pytest.mark.slow
def test_default_interval_covers_the_truth_and_the_others_do_not():
    """Four roles, six pairs (.84 before), 240 tables, Monte-Carlo error .014; no role matters, so that S is known."""
    items, rng = "abcd", np.random.default_rng(0)
    base = decided(lambda a, b, ua, ub: a, items=items)
    hits, sims = {"jackknife": 0, "basic": 0, "percentile": 0}, 240
    for seed in range(sims):
        rows = base.assign(winner=np.where(rng.random(len(base)) < 0.5, base.item_a, base.item_b))
        design = Comparisons.from_frame(rows)
        for ci in hits:
            row = sensitivity(design, ci=ci, resamples=99, seed=seed).row("S")
            hits[ci] += row.conf_low is not None and row.conf_low <= 50 <= row.conf_high
    assert hits["jackknife"] / sims >= 0.92
    assert hits["percentile"] < hits["basic"] < 0.9 * sims


def test_same_seed_same_bytes_and_memory_does_not_matter(conflict_rows):
    design = Comparisons.from_frame(conflict_rows(seed=7))
    a, b, c = (
        sensitivity(design, resamples=100, seed=s, ci="basic").extras["bootstrap"].replicates
        for s in (1, 1, 2)
    )
    assert a.tobytes() == b.tobytes()
    assert a.tobytes() != c.tobytes()
    table = condition_table(design, "urgency", "opponent")
    finish = lambda sums: sensitivity_terms(sums, len(design.items))  # noqa: E731
    units = PlanUnits.clusters(design.pair.codes)
    small = bootstrap_sums(table.statistics, finish, units, resamples=100, seed=1, memory=10_000)
    assert small.replicates.tobytes() == a.tobytes()


def test_invariant_to_row_order_labels_and_swapped_sides(conflict_rows):
    rows = conflict_rows(seed=8, ties=0.1)
    base = [r.estimate for r in sensitivity(Comparisons.from_frame(rows), resamples=50).rows]
    swapped = rows.rename(
        columns={
            "item_a": "item_b",
            "item_b": "item_a",
            "urgency_a": "urgency_b",
            "urgency_b": "urgency_a",
        }
    )
    renamed = rows.replace({f"r{i}": f"z{9 - i}" for i in range(7)})
    for other in (rows.sample(frac=1, random_state=1), swapped, renamed):
        found = [r.estimate for r in sensitivity(Comparisons.from_frame(other), resamples=50).rows]
        assert found == pytest.approx(base, abs=1e-10)


@pytest.mark.parametrize("cluster", ["pair", "worker", ("pair", "worker"), None])
def test_every_kind_of_cluster_gives_an_interval_and_verifies(conflict_rows, cluster):
    design = Comparisons.from_frame(conflict_rows(seed=9), cluster="worker")
    result = sensitivity(design, cluster=cluster, resamples=199)
    assert result.row("S").std_error > 0
    assert result.row("S").method.startswith("basic" if isinstance(cluster, tuple) else "jackknife")
    assert result.verify().ok
    assert ("SS201" in [c.code for c in result.cautions]) == (cluster in ("pair", None))


def test_wrong_numbers_do_not_verify(conflict_rows):
    from dataclasses import replace

    result = sensitivity(Comparisons.from_frame(conflict_rows(seed=9)), resamples=199)
    for field, factor in (
        ("estimate", 1.001),
        ("std_error", 1.03),
        ("conf_low", 1.03),
        ("conf_high", 1.03),
    ):
        for term in ("S", "S_corrected"):
            rows = tuple(
                replace(r, **{field: getattr(r, field) * factor}) if r.term == term else r
                for r in result.rows
            )
            assert not replace(result, rows=rows).verify().ok, (field, term)


def test_bca_needs_single_units_and_may_be_undefined_with_a_reason(conflict_rows):
    design = Comparisons.from_frame(conflict_rows(seed=10), cluster="worker")
    result = sensitivity(design, ci="bca", resamples=999)
    for row in result.rows:
        assert (row.conf_low is None) == (row.undefined is not None)
    with pytest.raises(InputError, match="crossed"):
        sensitivity(design, ci="bca", cluster=("pair", "worker"), resamples=100)


def test_missing_conditions():
    rows = decided(lambda a, b, ua, ub: a, levels=(1,))
    with pytest.raises(UndefinedStatistic, match="higher, equal and lower"):
        sensitivity(Comparisons.from_frame(rows), resamples=50)


def test_single_comparisons_leave_the_corrected_value_undefined():
    rows = pd.DataFrame(
        [("a", "b", 1, 2, "a"), ("c", "d", 1, 1, "c"), ("e", "f", 2, 1, "e")],
        columns=["item_a", "item_b", "urgency_a", "urgency_b", "winner"],
    )
    rows = pd.concat([rows, rows.assign(urgency_a=2, urgency_b=2)]).drop_duplicates()
    result = sensitivity(Comparisons.from_frame(rows), resamples=99)
    assert result.row("S").estimate is not None
    row = result.row("S_higher_corrected")
    assert row.estimate is None
    assert "two comparisons" in row.undefined
    assert "S_corrected" not in result.coef()
    assert any(c.code == "SS204" for c in result.cautions)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"ci": "wald"}, "jackknife, basic, percentile, bca"),
        ({"weights": "x"}, "opponent, pooled"),
        ({"resamples": 10}, "at least 39"),
        ({"seed": None}, "seed"),
        ({"groups": {"r0": "x"}}, "no group for 'r1'"),
        ({"level": 1.5}, "level"),
    ],
)
def test_unusable_options(conflict_rows, options, match):
    with pytest.raises(InputError, match=match):
        sensitivity(Comparisons.from_frame(conflict_rows()), **({"resamples": 50} | options))


def test_reference_values_beside_a_bias_corrected_s_have_no_sampling_error(conflict_rows):
    result = sensitivity(Comparisons.from_frame(conflict_rows()), resamples=50)
    shown = {line.label: line.value for line in reference_values(result)}
    plug_in = {line.label: line.value for line in result.extras["reference_lines"]}
    assert shown.pop("coin flips") == pytest.approx(50)
    assert plug_in.pop("coin flips") > 50.1
    assert shown == plug_in
    rng, found = np.random.default_rng(1), []
    rows = conflict_rows()
    for _ in range(40):
        rows["winner"] = np.where(rng.random(len(rows)) < 0.5, rows["item_a"], rows["item_b"])
        found.append(
            [
                row.estimate
                for row in sensitivity(Comparisons.from_frame(rows), resamples=50).rows[:2]
            ]
        )
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    line = next(x.value for x in result.extras["reference_lines"] if x.label == "coin flips")
    assert mean == pytest.approx([line, 50], abs=float(4 * error.max()))
    assert line - 50 > 4 * error.max()  # so that the two are told apart


def test_by_levels_and_sentence_and_plot(conflict_rows):
    rows = pd.concat([conflict_rows(seed=s).assign(model=f"m{s}") for s in (1, 2)])
    found = sensitivity(Comparisons.from_frame(rows, by="model"), resamples=50)
    assert isinstance(found, ResultGroup)
    one = found["m1"]
    assert f"S was {one.row('S_corrected').estimate:.2f}" in one.sentence()
    assert "coin flips" in one.sentence()
    json.dumps(one.to_dict(), allow_nan=False)
    assert one.plot() is not None


# --- difference of two choosers ---------------------------------------------------------------------------------


def test_difference_equals_the_difference_of_both_and_swapping_negates(conflict_rows):
    a, b = (Comparisons.from_frame(conflict_rows(seed=11, gap=g, keep=1.0)) for g in (2.0, 0.3))
    result = sensitivity_difference(a, b, labels=("keen", "dull"), resamples=399)
    for term in TERMS:
        alone = [sensitivity(x, resamples=50).row(term).estimate for x in (a, b)]
        assert result.row(term, group="difference").estimate == pytest.approx(alone[0] - alone[1])
        assert result.row(term, group="keen").estimate == pytest.approx(alone[0])
    back = sensitivity_difference(b, a, labels=("dull", "keen"), resamples=399)
    row, other = result.row("S", group="difference"), back.row("S", group="difference")
    assert other.estimate == pytest.approx(-row.estimate)
    assert (other.conf_low, other.conf_high) == pytest.approx((-row.conf_high, -row.conf_low))
    assert row.p_value == pytest.approx(other.p_value)
    assert result.sentence().startswith(
        "Bias-corrected S was lower for keen than dull (difference = "
    )
    assert result.verify().ok
    assert result.plot() is not None


def test_the_bootstrap_of_a_difference_draws_the_pairs_of_both_together(conflict_rows, records_of):
    """Pairs of items drawn with their rows of both choosers; basic ends and z of S by their definitions."""
    records, _ = records_of
    frames = [conflict_rows(seed=14, gap=g, n_items=5, keep=1.0) for g in (2.0, 0.3)]
    result = sensitivity_difference(
        *map(Comparisons.from_frame, frames), weights="pooled", ci="basic", resamples=400
    )
    names = sorted(
        {" | ".join(sorted(pair)) for pair in frames[0][["item_a", "item_b"]].to_numpy().tolist()}
    )
    cells = [
        (item, condition)
        for condition in TARGETS
        for item in sorted(set(frames[0].item_a) | set(frames[0].item_b))
    ]

    def plain(rows, times):
        """S by draw from wins and comparisons of each pair, item and condition; items without any are left out."""
        won, met = np.zeros((2, len(names), len(cells)))
        for item, other, condition, score, _ in records(rows):
            place = names.index(" | ".join(sorted((item, other)))), cells.index((item, condition))
            won[place], met[place] = won[place] + score, met[place] + 1
        with np.errstate(invalid="ignore"):
            off = (
                100
                * ((times @ won) / (times @ met) - [TARGETS[condition] for _, condition in cells])
                ** 2
            )
        return np.nanmean(off.reshape(len(times), len(TARGETS), -1), axis=2).sum(axis=1)

    times = next(
        weight_blocks(PlanUnits.clusters(np.arange(len(names))), resamples=400, seed=0, block=400)
    )
    drawn = plain(frames[0], times) - plain(frames[1], times)
    (gap,) = (
        a - b
        for a, b in zip(*(plain(rows, np.ones((1, len(names)))) for rows in frames), strict=True)
    )
    found = result.row("S", group="difference")
    error = np.std(drawn, ddof=1)
    low, high = np.sort(drawn)[[10, 389]]  # near the .025 and .975 quantiles of 400
    assert (found.estimate, found.std_error) == pytest.approx((gap, error), rel=1e-9)
    assert found.conf_low == pytest.approx(2 * gap - high, abs=0.1 * error)
    assert found.conf_high == pytest.approx(2 * gap - low, abs=0.1 * error)
    assert found.p_value == pytest.approx(2 * stats.norm.sf(abs(gap / error)), rel=1e-9)
    assert (result.fit["method"], result.fit["seed"], result.fit["resamples"]) == ("basic", 0, 400)
    assert result.verify().ok


def test_the_same_chooser_twice_differs_by_nothing(conflict_rows):
    design = Comparisons.from_frame(conflict_rows(seed=12))
    result = sensitivity_difference(design, design, resamples=99)
    row = result.row("S", group="difference")
    assert (row.estimate, row.conf_low, row.p_value) == (0, None, None)
    assert "the clusters are alike" in row.undefined
    assert "was 0.00, no interval: " in result.sentence()


def test_shared_pairs_make_the_difference_more_precise_than_independent_errors():
    rng = np.random.default_rng(1)
    base = decided(lambda a, b, ua, ub: a, items="abcdefgh")
    pair = base.item_a + base.item_b
    hard = pair.map(dict(zip(pair.unique(), 2 * rng.normal(size=pair.nunique()), strict=True)))
    p = 1 / (1 + np.exp(-(base.urgency_a - base.urgency_b + hard)))
    designs = [
        Comparisons.from_frame(
            base.assign(winner=np.where(rng.random(len(base)) < p, base.item_a, base.item_b))
        )
        for _ in range(2)
    ]
    paired = sensitivity_difference(*designs, resamples=999).row("S", group="difference").std_error
    alone = np.hypot(*(sensitivity(d, resamples=999).row("S").std_error for d in designs))
    assert paired < 0.9 * alone


def test_unmatched_pairs_are_listed_and_dropped_only_on_request(conflict_rows):
    rows = conflict_rows(seed=13, keep=1.0)
    a = Comparisons.from_frame(rows)
    b = Comparisons.from_frame(
        rows[~((rows.item_a.isin(["r0", "r1"])) & (rows.item_b.isin(["r0", "r1"])))]
    )
    with pytest.raises(InputError, match=r"r0 \| r1"):
        sensitivity_difference(a, b, resamples=50)
    result = sensitivity_difference(a, b, resamples=50, unmatched="drop")
    assert result.row("S", group="difference").estimate == pytest.approx(0)
    assert result.cautions[0].code == "SS301"
    with pytest.raises(InputError, match="error, drop"):
        sensitivity_difference(a, b, unmatched="ignore")
    other = Comparisons.from_frame(rows.replace({f"r{i}": f"q{i}" for i in range(7)}))
    with pytest.raises(NothingToAnalyse):
        sensitivity_difference(a, other)
    split = Comparisons.from_frame(rows.assign(model="m"), by="model")
    with pytest.raises(InputError, match="split"):
        sensitivity_difference(split, a)
