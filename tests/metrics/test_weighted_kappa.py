from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from socialstats.agreement.agreement_weights import agreement_weights
from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.agreement.gwet_ac import gwet_ac
from socialstats.agreement.kappa import kappa_table, pair_names, rating_patterns
from socialstats.agreement.kappa_quantiles import kappa_quantiles
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.percent_agreement import percent_agreement
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.resampling import PlanUnits, jackknife_sums, weight_blocks
from tests.golden_data import golden, golden_frame
from tests.metrics.ratings_tables import expanded, of_matrix, of_table
from tests.rated import ratings

GOLDEN = golden("kappa")
TABLES = GOLDEN["tables"]
RTOL = GOLDEN["rtol"]
NAMES = ("unweighted", "linear", "quadratic", "ordinal")


def codes_of(result):
    return {c.code for c in result.cautions}


# --- R ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("weights", NAMES)
def test_two_raters_against_vcd(name, weights):
    want = TABLES[name][weights]
    result = weighted_kappa(of_table(TABLES[name]["table"]), weights=weights, ci="wald")
    row = result.row("a | b")
    assert row.estimate == pytest.approx(want["value"], rel=RTOL)
    assert row.std_error == pytest.approx(want["ase"], rel=RTOL)
    assert (row.conf_low, row.conf_high) == pytest.approx(want["ci"], rel=RTOL)
    assert row.statistic == pytest.approx(want["z"], rel=RTOL)
    assert row.p_value == pytest.approx(max(want["p"], 5e-324), rel=1e-7, abs=1e-300)
    facts = result.extras["pairs"]["all units"]["a | b"]
    assert (facts["observed"], facts["expected"]) == pytest.approx(
        (want["po"], want["pe"]), rel=RTOL
    )
    assert facts["null_std_error"] == pytest.approx(want["value"] / want["z"], rel=RTOL)
    assert result.verify().ok


@pytest.mark.parametrize("name", ["kappa_cohen1968", "kappa_fleiss1981"])
def test_shared_goldens_with_custom_disagreement_and_largest_kappa(name):
    entry = golden(name)
    design = of_table(entry["inputs"]["table_rows"])
    v = entry["inputs"]["disagreement_weights"]
    for weights, key in (
        ("auto", "quadratic"),
        ("linear", "linear"),
        ("unweighted", "unweighted"),
        (v, "custom"),
    ):
        kind = "disagreement" if key == "custom" else "agreement"
        row = weighted_kappa(design, weights=weights, kind=kind, ci="wald").rows[0]
        want = entry["r"][key]
        got = (row.estimate, row.std_error, row.conf_low, row.conf_high, row.statistic, row.p_value)
        expected = (want["value"], want["ase"], *want["ci"], want["z"], want["p"])
        assert got == pytest.approx(expected, rel=entry["rtol"], abs=0)
    facts = weighted_kappa(design, weights="unweighted").extras["pairs"]["all units"]["a | b"]
    assert facts["largest"] == pytest.approx(entry["r"]["kappa_max"], rel=entry["rtol"])
    assert facts["observed"] == pytest.approx(entry["r"]["po"])
    assert facts["expected"] == pytest.approx(entry["r"]["pe"])


def test_vision_and_irrcac_goldens():
    vision = golden("bowker_vision_female")
    for weights, key in (
        ("unweighted", "kappa"),
        ("linear", "kappa_linear"),
        ("quadratic", "kappa_quadratic"),
    ):
        row = weighted_kappa(of_table(vision["inputs"]["table"]), weights=weights).rows[0]
        want = vision["r"][key]
        assert (row.estimate, row.std_error) == pytest.approx(
            (want["value"], want["ase"]), rel=vision["rtol"]
        )
    cac = golden("cac_table_abstractors")
    table = golden_frame("cac_table_abstractors.csv").to_numpy(dtype=float)
    for weights in ("unweighted", "linear", "quadratic"):
        row = weighted_kappa(of_table(table), weights=weights).rows[0]
        want = cac["r"][f"kappa2.table {weights}"]
        assert (row.estimate, row.std_error) == pytest.approx(
            (want["coeff.val"], want["coeff.se"]), rel=cac["rtol"]
        )


def anxiety(**options):
    x = golden_frame("agree_anxiety.csv").to_numpy()
    return of_matrix(
        x.tolist(), levels=[1, 2, 3, 4, 5, 6], raters=("rater1", "rater2", "rater3"), **options
    )


def test_three_raters_against_irr_and_base_r():
    entry = golden("agree_anxiety")
    x = golden_frame("agree_anxiety.csv").to_numpy()
    for weights, key in (
        ("unweighted", "unweighted"),
        ("linear", "equal"),
        ("quadratic", "squared"),
    ):
        result = weighted_kappa(anxiety(), weights=weights)
        for want in entry["r"]["pairwise_kappa2"]:
            row = result.row(" | ".join(f"rater{k}" for k in want["pair"]))
            if want["pair"] == [2, 3] and weights != "unweighted":
                # irr drops level 5, which these two never used, and takes 4 and 6 for neighbours: .1459 for .1262
                assert row.estimate != pytest.approx(want[key], abs=0.01)
                two = x[:, 1:].tolist()
                row = weighted_kappa(
                    of_matrix(two, levels=[1, 2, 3, 4, 6], scores=range(5)), weights=weights
                ).rows[0]
            assert row.estimate == pytest.approx(want[key], rel=entry["rtol"])
            assert row.statistic == pytest.approx(want[f"{key}_z"], rel=entry["rtol"])
        conger = entry["r"]["irrCAC"][f"conger.kappa.raw {weights}"]
        assert result.row("pooled").estimate == pytest.approx(
            conger["coeff.val"], abs=5.1e-6
        )  # printed with 5 digits
        assert result.verify().ok
    assert weighted_kappa(anxiety(), weights="unweighted").row("pooled").estimate == pytest.approx(
        entry["r"]["kappam_fleiss_exact_conger"], rel=entry["rtol"]
    )
    for weights in NAMES:
        result = weighted_kappa(anxiety(), weights=weights)
        want = GOLDEN["anxiety"][weights]
        assert result.row("mean").estimate == pytest.approx(want["light"], rel=RTOL)
        assert result.row("pooled").estimate == pytest.approx(want["conger"], rel=RTOL)


def clustered_cohen():
    i, j = np.array(TABLES["cohen1968"]["table"]).shape
    pairs = [
        (a, b)
        for b in range(j)
        for a in range(i)
        for _ in range(TABLES["cohen1968"]["table"][a][b])
    ]
    labels = [(k // 5) % 20 for k in range(len(pairs))]
    return of_matrix([[a + 1, b + 1] for a, b in pairs], levels=[1, 2, 3], clusters=(labels,))


def test_clusters_against_slopes_in_r():
    row = weighted_kappa(clustered_cohen()).rows[0]
    assert row.estimate == pytest.approx(GOLDEN["clustered"]["value"], rel=RTOL)
    assert row.std_error == pytest.approx(
        GOLDEN["clustered"]["std_error"], rel=1e-6
    )  # R's slopes are differences
    assert (row.df, row.n_clusters) == (19, 20)
    assert row.statistic == pytest.approx(
        math.atanh(row.estimate) * (1 - row.estimate**2) / row.std_error
    )
    alone = weighted_kappa(clustered_cohen(), cluster=None)
    assert alone.rows[0].std_error == pytest.approx(
        TABLES["cohen1968"]["quadratic"]["ase"], rel=RTOL
    )
    assert "SS201" in codes_of(alone)


# --- brute force ------------------------------------------------------------------------------------------------


def direct(x, y, w):
    """Kappa from two lists of codes, one unit at a time."""
    n = len(x)
    po = sum(w[a][b] for a, b in zip(x, y, strict=True)) / n
    pe = sum(w[a][b] for a in x for b in y) / n**2
    return (po - pe) / (1 - pe)


def hundred_raters(n=40, r=4, k=4, seed=2, missing=0.2):
    rng = np.random.default_rng(seed)
    truth = rng.integers(k, size=n)
    noisy = np.clip(truth[:, None] + rng.integers(-1, 2, size=(n, r)), 0, k - 1) + 1
    gone = rng.random((n, r)) < missing
    return [[None if gone[u, j] else int(noisy[u, j]) for j in range(r)] for u in range(n)]


@pytest.mark.parametrize("weights", NAMES)
def test_missing_ratings_are_left_out_pair_by_pair(weights):
    matrix = hundred_raters()
    result = weighted_kappa(of_matrix(matrix, levels=[1, 2, 3, 4]), weights=weights)
    w = agreement_weights(weights, [1, 2, 3, 4])
    values, top, bottom = [], 0.0, 0.0
    for a in range(4):
        for b in range(a + 1, 4):
            both = [(u[a] - 1, u[b] - 1) for u in matrix if u[a] is not None and u[b] is not None]
            x, y = zip(*both, strict=True)
            row = result.row(f"{'abcd'[a]} | {'abcd'[b]}")
            assert row.n == len(both)
            assert row.estimate == pytest.approx(direct(x, y, w), abs=1e-12)
            values.append(direct(x, y, w))
            top += sum(1 - w[i, j] for i, j in both)
            bottom += sum(1 - w[i, j] for i in x for j in y) / len(both)
    assert result.row("mean").estimate == pytest.approx(np.mean(values))
    assert result.row("pooled").estimate == pytest.approx(1 - top / bottom)
    assert result.row("mean").n_units == sum(sum(x is not None for x in u) > 1 for u in matrix)
    assert result.verify().ok
    assert "SS315" in codes_of(result)


def test_errors_of_all_pairs_are_near_the_jackknife():
    design = of_matrix(hundred_raters(n=300, missing=0.1), levels=[1, 2, 3, 4])
    found = rating_patterns(design)
    table = kappa_table(
        found, agreement_weights("quadratic", [1, 2, 3, 4]), [(0, 1), (0, 2), (1, 2)]
    )
    jack = jackknife_sums(table.statistics(), table.finish, PlanUnits.rows(found.count))
    result = weighted_kappa(
        of_matrix([u[:3] for u in hundred_raters(n=300, missing=0.1)], levels=[1, 2, 3, 4])
    )
    errors = [result.row(t).std_error for t in ("a | b", "a | c", "b | c", "mean", "pooled")]
    assert errors == pytest.approx(jack.std_error.tolist(), rel=0.02)  # differ by O(1/n)


def test_two_crossed_factors():
    rng = np.random.default_rng(4)
    matrix = hundred_raters(n=120, r=2, missing=0)
    one, two = rng.integers(10, size=120), rng.integers(8, size=120)
    design = of_matrix(matrix, levels=[1, 2, 3, 4], clusters=(one.tolist(), two.tolist()))
    row = weighted_kappa(design).rows[0]
    parts = [weighted_kappa(design, cluster=name).rows[0].std_error ** 2 for name in ("c0", "c1")]
    found = rating_patterns(design, design.factors("declared"))
    table = kappa_table(found, agreement_weights("quadratic", [1, 2, 3, 4]), [(0, 1)])
    both = np.zeros((10, 8))
    np.add.at(both, tuple(found.clusters), table.influence().toarray()[:, 0])
    assert row.std_error**2 == pytest.approx(max(sum(parts) - float((both**2).sum()), *parts))
    assert 5 < row.df < 9
    assert weighted_kappa(design, ci="percentile", resamples=200).rows[0].conf_low is not None
    with pytest.raises(InputError, match="basic"):
        weighted_kappa(design, ci="bca")


# --- resampling -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weights", ["unweighted", "quadratic"])
def test_each_resample_is_the_kappa_of_the_drawn_units(weights):
    from sklearn.metrics import cohen_kappa_score

    design = of_table(TABLES["cohen1968"]["table"])
    found = rating_patterns(design)
    w = agreement_weights(weights, [1, 2, 3])
    table = kappa_table(found, w, [(0, 1)])
    drawn = next(weight_blocks(found.units(), resamples=30, seed=5, block=30))
    replicates = table.finish(drawn @ table.statistics())[:, 0]
    scheme = None if weights == "unweighted" else weights
    for counts, value in zip(drawn * found.count, replicates, strict=True):
        n = np.rint(counts).astype(int)
        x, y = np.repeat(found.codes[:, 0], n), np.repeat(found.codes[:, 1], n)
        assert value == pytest.approx(
            cohen_kappa_score(x, y, weights=scheme, labels=[0, 1, 2]), abs=1e-12
        )


def test_bootstrap_counts_cells_not_rows():
    big = of_table(np.array(TABLES["cohen1968"]["table"]) * 70)
    assert len(rating_patterns(big).count) == 9
    rng = np.random.default_rng(0)
    many = of_matrix(rng.integers(3, size=(14_000, 2)).tolist(), levels=[0, 1, 2])
    assert len(rating_patterns(many).count) == 9
    boot = weighted_kappa(big, ci="percentile", seed=1).rows[0]
    closed = weighted_kappa(big, ci="wald").rows[0]
    assert boot.conf_low == pytest.approx(closed.conf_low, abs=0.1 * closed.std_error * 3)
    assert boot.conf_high == pytest.approx(closed.conf_high, abs=0.1 * closed.std_error * 3)


@pytest.mark.parametrize("ci", ["percentile", "basic", "bca"])
def test_bootstrap_intervals_move_with_the_seed_only(ci):
    design = anxiety()
    one = weighted_kappa(design, ci=ci, resamples=300)
    again = weighted_kappa(design, ci=ci, resamples=300)
    other = weighted_kappa(design, ci=ci, resamples=300, seed=7)
    assert json.dumps(one.to_dict()) == json.dumps(again.to_dict())
    assert [r.estimate for r in one.rows] == [r.estimate for r in other.rows]
    assert [r.conf_low for r in one.rows] != [r.conf_low for r in other.rows]
    assert one.fit["resamples"] == 300
    assert all(r.conf_low < r.conf_high for r in one.rows)


def test_alike_units_of_a_table_are_units():
    table = TABLES["fleiss1981"]["table"]
    rows = [[a + 1, b + 1] for a, b in expanded(table).tolist()]
    one, two = of_table(table), of_matrix(rows, levels=[1, 2, 3])
    for ci in ("closed", "percentile", "bca"):
        a, b = (weighted_kappa(d, ci=ci, resamples=500).rows[0] for d in (one, two))
        assert a == b


@pytest.mark.slow
def test_coverage_of_the_default_interval():
    """Three levels, kappa .68, n = 40: 600 samples, Monte-Carlo s.e. .009 at .95."""
    p = np.array([[0.24, 0.05, 0.01], [0.05, 0.30, 0.05], [0.01, 0.05, 0.24]])
    w = agreement_weights("quadratic", [1, 2, 3])
    r, c = p.sum(axis=1), p.sum(axis=0)
    true = 1 - ((1 - w) * p).sum() / (r @ (1 - w) @ c)
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(600):
        row = weighted_kappa(of_table(rng.multinomial(40, p.ravel()).reshape(3, 3))).rows[0]
        inside += row.conf_low <= true <= row.conf_high
    assert 0.92 <= inside / 600 <= 0.98


# --- the bad-input table ----------------------------------------------------------------------------------------


def test_both_raters_constant_is_no_variation():
    design = of_matrix([[2, 2]] * 6, levels=[1, 2, 3])
    result = weighted_kappa(design)
    row = result.rows[0]
    assert row.estimate is None
    assert row.undefined.startswith("no variation: both raters gave '2' to all 6 units")
    assert "SS313" in codes_of(result)
    assert "undefined" in result.sentence()
    with pytest.raises(UndefinedStatistic, match="no variation"):
        weighted_kappa(design, on_undefined="raise")
    one = weighted_kappa(design, on_undefined=1.0).rows[0]
    assert (one.estimate, one.conf_low, one.std_error, one.p_value) == (1.0, None, None, None)
    assert "on_undefined" in one.undefined


def test_levels_that_agree_fully_by_custom_weights_are_no_variation():
    w = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    row = weighted_kappa(of_matrix([[1, 2], [2, 1], [1, 1]], levels=[1, 2, 3]), weights=w).rows[0]
    assert row.estimate is None
    assert "agree fully" in row.undefined


def test_pairs_of_one_unit_each_have_no_mean():
    matrix = [[1, 2, None], [2, None, 1], [None, 1, 1]]
    result = weighted_kappa(of_matrix(matrix, levels=[1, 2]))
    assert result.row("mean").estimate is None
    assert result.row("pooled").estimate != 1
    assert result.verify() is not None


def test_one_rater_constant_is_kappa_zero_without_interval():
    rng = np.random.default_rng(3)
    result = weighted_kappa(
        of_matrix([[1, int(x)] for x in rng.integers(1, 4, size=30)], levels=[1, 2, 3])
    )
    row = result.rows[0]
    assert row.estimate == 0
    assert (row.std_error, row.conf_low, row.statistic, row.p_value) == (None, None, None, None)
    assert "'a' always gave '1'" in row.undefined
    assert "SS313" in codes_of(result)
    for ci in ("wald", "percentile", "bca"):
        again = weighted_kappa(result.design, ci=ci, resamples=100).rows[0]
        assert (again.estimate, again.conf_low) == (0, None)


@pytest.mark.parametrize("ci", ["closed", "wald", "percentile", "basic", "bca"])
@pytest.mark.parametrize("weights", ["unweighted", "linear", "quadratic"])
def test_perfect_agreement_is_exactly_one_and_has_a_bound_only(ci, weights):
    levels = [1, 2, 5, 11]
    design = of_matrix([[x, x] for x in [1, 2, 5, 11, 2, 1, 5]], levels=levels)
    row = weighted_kappa(design, weights=weights, ci=ci, resamples=100).rows[0]
    assert row.estimate == 1.0
    assert row.std_error is None
    if ci == "closed":
        assert row.conf_high == 1
        assert -1 <= row.conf_low < 0.7
    else:
        assert row.conf_low is None
        assert ("alike" if ci == "wald" else "perfect agreement") in row.undefined
    assert row.statistic > 0
    three = weighted_kappa(
        of_matrix([[x, x, x] for x in [1, 2, 5, 11]], levels=levels), weights=weights, ci=ci
    )
    assert three.row("mean").estimate == three.row("pooled").estimate == 1.0
    assert (three.row("mean").conf_low is None) == (ci != "closed")


def test_exact_opposites():
    row = weighted_kappa(of_matrix([[1, 2], [2, 1]] * 5, levels=[1, 2])).rows[0]
    assert row.estimate == pytest.approx(-1)
    assert row.conf_low is None
    assert row.undefined


@pytest.mark.parametrize(
    ("matrix", "kind", "said"),
    [
        ([[1], [2], [3]], UndefinedStatistic, "at least two raters"),
        ([[1, None], [None, 2], [3, None]], NothingToAnalyse, "at least 2 units"),
        ([[1, 1]], UndefinedStatistic, "at least 2 units"),
        ([[1, 2], [None, 2]], UndefinedStatistic, "one has"),
    ],
)
def test_no_pair_to_compare_has_one_clear_message(matrix, kind, said):
    with pytest.raises(kind, match=said):
        weighted_kappa(of_matrix(matrix, levels=[1, 2, 3]))


def test_a_pair_without_common_units_is_a_row_with_its_reason():
    matrix = [[1, 1, None], [2, 2, None], [3, 2, None], [1, None, 2], [None, None, 1]]
    result = weighted_kappa(of_matrix(matrix, levels=[1, 2, 3]))
    assert "no unit has ratings of both" in result.row("b | c").undefined
    assert "only one unit" in result.row("a | c").undefined
    assert result.row("a | b").estimate is not None
    assert result.row("mean").estimate == pytest.approx(result.row("a | b").estimate)
    assert result.verify().ok
    lost = "SS301 pairs of raters with undefined kappa were excluded from the mean: 2 pairs of 3; "
    lost += "the others make the mean"
    assert lost in map(str, result.cautions)
    small = [c.detail[:17] for c in result.cautions if c.code == "SS312"]
    assert small[0] == "3 units in common"  # not the 1 of 'a | c', which has no kappa
    alike = weighted_kappa(of_matrix([[1, 1, 1]] * 5, levels=[1, 2, 3]))
    assert not {"SS301", "SS312"} & {
        c.code for c in alike.cautions
    }  # no pair makes a mean, none has an interval
    json.dumps(result.to_dict(), allow_nan=False)


def test_text_levels_are_weighed_in_their_declared_order():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=60)
    other = np.clip(truth + rng.integers(-1, 2, size=60), 0, 2)
    order = ["low", "medium", "high"]
    matrix = [[order[a], order[b]] for a, b in zip(truth, other, strict=True)]
    declared = weighted_kappa(of_matrix(matrix, levels=order), weights="linear").rows[0].estimate
    w = agreement_weights("linear", [0, 1, 2])
    assert declared == pytest.approx(direct(truth, other, w))
    alphabetic = (
        weighted_kappa(of_matrix(matrix, levels=sorted(order)), weights="linear").rows[0].estimate
    )
    assert alphabetic != pytest.approx(declared, abs=0.01)  # what sorting labels would give
    nominal = of_matrix(matrix, levels=order, scale="nominal")
    with pytest.raises(InputError, match="scale='ordinal'"):
        weighted_kappa(nominal, weights="linear")
    assert weighted_kappa(nominal).settings["weights"] == "unweighted"


def test_unused_middle_levels_do_not_matter_for_numbers():
    matrix = [[1, 1], [2, 1], [5, 5], [5, 2], [2, 2], [1, 2], [5, 5]]
    few, all_ = (of_matrix(matrix, levels=levels) for levels in ([1, 2, 5], [1, 2, 3, 4, 5]))
    for weights in ("linear", "quadratic"):
        one, two = (weighted_kappa(d, weights=weights).rows[0] for d in (few, all_))
        assert one.estimate == pytest.approx(two.estimate, abs=1e-12)
        assert one.conf_low == pytest.approx(two.conf_low, abs=1e-12)


def test_disagreement_weights_taken_for_agreement_are_an_error():
    v = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
    with pytest.raises(InputError, match="kind='disagreement'"):
        weighted_kappa(of_table(TABLES["cohen1968"]["table"]), weights=v)


@pytest.mark.parametrize("metric", [weighted_kappa, fleiss_kappa, gwet_ac])
def test_no_weights_are_a_question_and_both_answers_are_scikit_learns(metric):
    ann, bob = [1, 2, 3, 3, 2, 1, 4, 1], [1, 2, 3, 4, 2, 2, 4, 1]
    with pytest.raises(InputError) as caught:
        metric(ann, bob, weights=None)
    said = str(caught.value)
    assert "Say weights='unweighted', or weights='quadratic'" in said
    if metric is weighted_kappa:
        for answer, theirs in (("unweighted", None), ("quadratic", "quadratic")):
            found = metric(ann, bob, weights=answer).rows[0].estimate
            assert found == pytest.approx(cohen_kappa_score(ann, bob, weights=theirs))
    assert (
        metric(ann, bob).rows == metric(ann, bob, weights=metric(ann, bob).settings["weights"]).rows
    )


def test_refusals_are_missing_or_a_level_of_their_own():
    matrix = [[1, 1], [2, 2], [3, 2], ["no", 1], ["no", "no"], [1, 3], [2, 2]]
    design = of_matrix(matrix, levels=[1, 2, 3], refusal="no")
    assert weighted_kappa(design).rows[0].n == 5
    as_level = weighted_kappa(design, refusal="level", weights="linear")
    w = np.eye(4)
    w[:3, :3] = agreement_weights("linear", [1, 2, 3])
    x, y = zip(*[[3 if v == "no" else v - 1 for v in row] for row in matrix], strict=True)
    assert as_level.rows[0].estimate == pytest.approx(direct(x, y, w))
    assert as_level.rows[0].n == 7
    assert as_level.verify().ok


def test_strata_stand_on_their_own_units():
    matrix = hundred_raters(n=90, r=3)
    stratum = ["x" if u % 3 else "y" for u in range(90)]
    result = weighted_kappa(
        of_matrix(matrix, levels=[1, 2, 3, 4], strata={"part": stratum}), stratum="part"
    )
    assert {row.group for row in result.rows} == {None, "x", "y"}
    for level in ("x", "y"):
        own = [row for row, s in zip(matrix, stratum, strict=True) if s == level]
        alone = weighted_kappa(of_matrix(own, levels=[1, 2, 3, 4]))
        for row in alone.rows:
            assert result.row(row.term, group=level).estimate == pytest.approx(row.estimate)
            assert result.row(row.term, group=level).conf_low == pytest.approx(row.conf_low)
    assert result.verify().ok
    assert not result.tidy().duplicated(["term", "group"]).any()
    with pytest.raises(InputError, match="'part'"):
        weighted_kappa(result.design, stratum="village")


def test_a_stratum_of_one_unit_is_a_row_with_its_reason():
    matrix = [[1, 1, 2], [2, 2, 2], [1, 2, 1], [2, 2, 1], [2, 1, 2]]
    design = of_matrix(matrix, levels=[1, 2], strata={"part": ["x"] * 4 + ["y"]})
    for pairs in ("all", "pooled"):
        rows = [
            r for r in weighted_kappa(design, stratum="part", pairs=pairs).rows if r.group == "y"
        ]
        assert rows
        assert all(r.estimate is None and "at least 2" in r.undefined for r in rows)


def test_two_raters_by_name_and_only_all_together():
    design = anxiety()
    full = weighted_kappa(design)
    one = weighted_kappa(design, pairs=("rater3", "rater1"))
    assert [row.term for row in one.rows] == ["rater3 | rater1"]
    assert one.rows[0].estimate == pytest.approx(full.row("rater1 | rater3").estimate)
    assert one.verify().ok
    pooled = weighted_kappa(design, pairs="pooled")
    assert [row.term for row in pooled.rows] == ["mean", "pooled"]
    assert pooled.rows[1].conf_low == pytest.approx(full.row("pooled").conf_low)
    assert pooled.verify().ok
    with pytest.raises(InputError, match="rater9"):
        weighted_kappa(design, pairs=("rater1", "rater9"))
    with pytest.raises(InputError, match="twice"):
        weighted_kappa(design, pairs=("rater1", "rater1"))


def test_labels_with_the_separator_stay_apart():
    design = of_matrix(
        [[1, 2, 1], [2, 2, 2], [1, 1, 2]], levels=[1, 2], raters=("x", "x | y", "y | x")
    )
    terms = [row.term for row in weighted_kappa(design).rows]
    assert len(set(terms)) == len(terms) == 5


@pytest.mark.parametrize(
    "options",
    [
        {"ci": "exact"},
        {"pairs": "each"},
        {"pairs": ("a",)},
        {"on_undefined": 0.0},
        {"on_undefined": "zero"},
        {"level": 95},
        {"refusal": "drop"},
        {"weights": "cubic"},
        {"kind": "distance", "weights": [[1, 0], [0, 1]]},
        {"cluster": "village"},
    ],
)
def test_unusable_options_are_named(options):
    value = next(iter(options.values()))
    with pytest.raises(InputError, match=str(value) if isinstance(value, str) else "."):
        weighted_kappa(of_table([[5, 1], [2, 5]]), **options)


def test_small_samples_and_few_clusters_are_said():
    assert "SS312" in codes_of(weighted_kappa(of_table([[5, 1], [2, 5]])))
    assert "SS312" not in codes_of(weighted_kappa(of_table([[50, 10], [20, 50]])))
    design = of_matrix(
        hundred_raters(n=60, r=2, missing=0),
        levels=[1, 2, 3, 4],
        clusters=([u % 4 for u in range(60)],),
    )
    assert "SS202" in codes_of(weighted_kappa(design))
    alone = of_matrix(
        hundred_raters(n=60, r=2, missing=0), levels=[1, 2, 3, 4], clusters=(["s"] * 60,)
    )
    for ci in ("closed", "percentile"):
        row = weighted_kappa(alone, ci=ci).rows[0]
        assert row.conf_low is None
        assert "single cluster" in row.undefined


# --- properties -------------------------------------------------------------------------------------------------

tables = st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=3, max_size=3)


@settings(max_examples=60, deadline=None)
@given(tables, st.sampled_from(NAMES))
def test_symmetric_in_raters_and_levels_bounded_and_held_by_its_interval(table, weights):
    t = np.array(table)
    if t.sum() < 2:
        return
    row = weighted_kappa(of_table(t), weights=weights).rows[0]
    swapped = weighted_kappa(of_table(t.T), weights=weights).rows[0]
    mirrored = weighted_kappa(of_table(t[::-1, ::-1]), weights=weights).rows[0]
    for other in (swapped, mirrored):
        assert (row.estimate is None) == (other.estimate is None)
        if row.estimate is not None:
            assert row.estimate == pytest.approx(other.estimate, abs=1e-12)
            assert (row.std_error is None) == (other.std_error is None)
            assert row.std_error is None or row.std_error == pytest.approx(
                other.std_error, rel=1e-9
            )
    if row.estimate is not None:
        assert -1 - 1e-12 <= row.estimate <= 1
    if row.conf_low is not None:
        assert -1 <= row.conf_low < row.estimate < row.conf_high <= 1
        assert math.isfinite(row.std_error)


@settings(max_examples=30, deadline=None)
@given(tables, st.floats(0.1, 50), st.floats(-9, 9))
def test_quadratic_kappa_does_not_change_with_the_unit_of_the_levels(table, scale, shift):
    t = np.array(table)
    if t.sum() < 2:
        return
    plain = weighted_kappa(of_table(t)).rows[0].estimate
    moved = weighted_kappa(of_table(t, scores=shift + scale * np.arange(3))).rows[0].estimate
    assert (plain is None) == (moved is None)
    assert plain is None or plain == pytest.approx(moved, abs=1e-9)


def test_a_data_frame_is_read_by_its_names():
    import pandas as pd

    rows = pd.DataFrame(
        {
            "unit": [1, 2, 3, 4] * 2,
            "rater": ["ann"] * 4 + ["bob"] * 4,
            "value": [1, 2, 3, 3, 1, 1, 3, 1],
        }
    )
    a = weighted_kappa(rows).rows[0].estimate
    assert a == weighted_kappa(Ratings.from_frame(rows)).rows[0].estimate


def test_the_check_counts_the_clusters_of_the_pairs_that_have_a_kappa():
    # only a and b have a kappa, on four units of clusters 0 and 1; cluster 2 has a pair without one
    table = np.array(
        [
            [0, 0, np.nan],
            [1, 1, np.nan],
            [0, 1, np.nan],
            [1, 1, np.nan],
            [0, np.nan, 0],
            [0, np.nan, 0],
        ]
    )
    result = weighted_kappa(
        ratings(table, {"story": [0, 0, 1, 1, 2, 2]}, levels=[0, 1], scale="nominal")
    )
    mean = result.row("mean")
    assert mean.n_clusters == 2
    assert mean.std_error == pytest.approx(result.rows[2].std_error, rel=1e-12)
    assert result.verify().ok


def test_the_pooled_kappa_leads_its_own_sentence():
    matrix = hundred_raters(r=3)
    whole = weighted_kappa(of_matrix(matrix, levels=[1, 2, 3, 4]))
    result = weighted_kappa(of_matrix(matrix, levels=[1, 2, 3, 4]), pairs="pooled")
    for row, said, start in (
        (
            whole.row("mean"),
            whole.sentence(),
            "Mean quadratic-weighted kappa over all pairs of raters was .",
        ),
        (
            whole.row("pooled"),
            result.sentence(),
            "Quadratic-weighted kappa, pooled over all pairs of raters, was .",
        ),
    ):
        assert said.startswith(start)
        assert f"t({row.df:.0f}) = {row.statistic:.2f}" in said
    assert f"= {whole.row('mean').statistic:.2f}" != f"= {whole.row('pooled').statistic:.2f}"


@pytest.mark.parametrize(
    ("raters", "term"),
    [
        (("a|b", "c"), '"a|b" | "c"'),
        (("it's", 'x | "y"'), '"it\'s" | "x | ""y"""'),
        (("\\|", "b"), '"\\|" | "b"'),
    ],
)
def test_raters_are_quoted_once(raters, term):
    x = [[1, 1], [2, 1], [3, 3], [2, 2], [1, 2]]
    for metric in (weighted_kappa, percent_agreement):
        result = metric(of_matrix(x, levels=[1, 2, 3], raters=raters))
        assert result.rows[0].term == term
        assert f" {term} " in result.sentence()
        assert result.verify().ok


def test_names_of_pairs_are_distinct_whatever_the_raters():
    hostile = ("c", 'a" | "b', "a", 'b" | "c', '"', '""', "|")
    assert len(set(pair_names(hostile).values())) == len(hostile) * (len(hostile) - 1) // 2


def test_missing_ratings_are_said_once_with_their_refusals():
    rows = [
        (u, r, v)
        for u, given in enumerate(["112", "21?", "3 3", "222"])
        for r, v in zip("abc", given, strict=True)
    ]
    rows = [row for row in rows if row[2] != " "]
    frame = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    design = Ratings.from_frame(frame, levels=["1", "2", "3"], scale="ordinal", refusal="?")
    for metric in (weighted_kappa, percent_agreement):
        said = [c.detail for c in metric(design).cautions if c.code == "SS315"]
        assert len(said) == 1
        assert said[0].startswith(
            "2 ratings missing (1 refusal in the whole table taken as missing); each pair"
        )
        taken = next(c for c in metric(design, refusal="level").cautions if c.code == "SS315")
        assert taken.detail.startswith("1 rating missing; each pair")
    for metric in (krippendorff_alpha, gwet_ac, fleiss_kappa):
        assert [c.code for c in metric(design).cautions].count("SS315") == 1


def test_the_header_counts_clusters():
    x = hundred_raters(r=3)
    design = of_matrix(x, levels=[1, 2, 3, 4], clusters=[[u // 8 for u in range(len(x))]])
    for metric in (weighted_kappa, percent_agreement, krippendorff_alpha):
        result = metric(design)
        assert result.glance()["n_clusters"][0] == result.rows[0].n_clusters == 5
        assert metric(design, cluster=None).glance()["n_clusters"][0] is None
    assert (
        krippendorff_alpha(design).glance()["df"][0] == krippendorff_alpha(design).rows[0].df < 4.01
    )
    assert (
        gwet_ac(design, cluster=None).glance()["df"][0] == gwet_ac(design, cluster=None).rows[0].df
    )


@pytest.mark.parametrize("metric", [weighted_kappa, percent_agreement, gwet_ac, fleiss_kappa])
@pytest.mark.parametrize("options", [{}, {"cluster": None}, {"stratum": "kind"}])
@pytest.mark.slow
def test_checks_of_counted_units_still_find_a_wrong_number(metric, options):
    rng = np.random.default_rng(9)
    truth = rng.integers(1, 4, 300)
    x = np.clip(truth[:, None] + rng.integers(-1, 2, (300, 3)), 1, 3).astype(object)
    x[rng.random((300, 3)) < 0.1] = None
    design = of_matrix(
        x.tolist(),
        levels=[1, 2, 3],
        clusters=[(np.arange(300) // 10).tolist()],
        strata={"kind": ["ab"[u % 2] for u in range(300)]},
    )
    result = metric(design, **options)
    assert result.verify().ok, result.verify().tidy().to_string()
    for k, row in enumerate(result.rows):
        rows = [*result.rows]
        rows[k] = replace(row, estimate=row.estimate + 1e-6)
        assert not replace(result, rows=tuple(rows)).verify().ok, (row.term, row.group)


@pytest.mark.parametrize("pairs", ["all", "pooled"])
@pytest.mark.slow
def test_numbers_of_thousands_of_pairs_are_checked_without_keeping_the_pairs(pairs):
    rng = np.random.default_rng(12)
    truth, raters = rng.integers(1, 4, 24), 66
    x = np.clip(truth[:, None] + rng.integers(-1, 2, (24, raters)), 1, 3).astype(object)
    x[rng.random(x.shape) < 0.3] = None
    design = of_matrix(
        x.tolist(),
        levels=[1, 2, 3],
        raters=[f"r{k:02d}" for k in range(raters)],
        clusters=[(np.arange(24) // 3).tolist()],
        strata={"kind": ["ab"[u // 3 % 2] for u in range(24)]},
    )
    result = weighted_kappa(design, pairs=pairs, stratum="kind")
    checks = result.verify()
    assert checks.ok, checks.tidy().to_string()
    peers = {"numpy", "statsmodels"} if pairs == "all" else {"numpy"}
    assert peers <= {c.package for c in checks}
    for k in (
        0,
        1,
        len(result.rows) - 1,
    ):  # mean, pooled, and the last pair, or the pooled kappa of a stratum
        rows = [*result.rows]
        rows[k] = replace(rows[k], estimate=rows[k].estimate + 1e-6)
        assert not replace(result, rows=tuple(rows)).verify().ok, rows[k].term


def test_more_pairs_of_raters_than_can_be_taken_one_by_one_are_an_error_that_names_other_ways():
    rows = pd.DataFrame(
        {"unit": np.arange(900) % 30, "rater": np.arange(900) // 2, "value": np.arange(900) % 4}
    )
    design = Ratings.from_frame(rows)
    with pytest.raises(
        InputError, match=r"450 raters make 101,025 pairs.*krippendorff_alpha or gwet_ac"
    ):
        weighted_kappa(design)
    assert weighted_kappa(design, pairs=("0", "15")).rows[0].n == 2


def test_the_mean_has_no_error_where_a_pair_has_two_units():
    # resampled units move the mean of the pairs of 50 units by .049; half of that was the error of the mean of all six
    rng = np.random.default_rng(7)
    truth = rng.integers(2, 5, 50)
    four = [
        [*(int(t + rng.integers(-1, 2)) for _ in range(3)), int(t) if u < 2 else None]
        for u, t in enumerate(truth)
    ]
    found = weighted_kappa(of_matrix(four, levels=[1, 2, 3, 4, 5]))
    three = weighted_kappa(of_matrix([unit[:3] for unit in four], levels=[1, 2, 3, 4, 5]))
    mean = found.row("mean")
    assert mean.estimate is not None
    assert (mean.std_error, mean.conf_low, mean.p_value) == (None, None, None)
    assert (
        mean.undefined
        == "3 pairs of raters with fewer than 3 units in common: too few for a standard error"
    )
    assert found.row("pooled").std_error is not None
    assert found.row("a | d").p_value is None  # a z test of two units
    assert found.row("a | b").p_adjusted == pytest.approx(three.row("a | b").p_adjusted)
    assert "with 30," in next(c.detail for c in found.cautions if c.code == "SS312")


@pytest.mark.parametrize(("stories", "told"), [(39, True), (40, False)])
def test_rare_levels_of_two_crossed_factors_count_the_one_with_fewer_clusters(stories, told):
    rng = np.random.default_rng(6)
    unit = np.arange(240)
    one = rng.integers(1, 3, 240)
    one[:6] = 3  # six units carry the third level
    other = np.where(rng.random(240) < 0.8, one, rng.permutation(one))
    other[(other == 3) & (one != 3)] = 1
    rows = pd.DataFrame(
        {
            "unit": np.tile(unit, 2),
            "rater": np.repeat(["a", "b"], 240),
            "value": np.r_[one, other],
            "story": np.tile(unit % stories, 2),
            "page": np.tile(unit // 4, 2),
        }
    )
    design = Ratings.from_frame(rows, cluster=["story", "page"])
    found = [c.detail for c in weighted_kappa(design).cautions if "carr" in c.detail]
    assert found == (["only 6 units of 240 carry some level"] if told else [])


def test_raters_who_use_one_level_are_verified_without_an_interval() -> None:
    table = {"unit": [*range(6)] * 2, "rater": ["a"] * 6 + ["b"] * 6, "value": ["yes"] * 12}
    result = weighted_kappa(table, scale="nominal")
    assert result.rows[0].conf_low is None
    assert not [check for check in result.verify() if check.ok is False]


def test_quantiles_of_kappas_leave_out_pairs_with_one_unit_in_common() -> None:
    """One unit has a kappa of 0 whatever it was given: it would pull all quantiles to 0."""
    table = {"unit": [], "rater": [], "value": []}
    answers = {"ann": 1, "bob": 1}, {"ann": 2, "bob": 2}, {"ann": 3, "cia": 1}
    for unit, by_rater in enumerate(answers):
        for rater, value in by_rater.items():
            table["unit"].append(unit)
            table["rater"].append(rater)
            table["value"].append(value)
    kappas = weighted_kappa(table, unit="unit", rater="rater", value="value", weights="linear")
    spread = kappa_quantiles(kappas)
    assert spread.row("smallest").estimate == spread.row("largest").estimate == 1
    assert spread.counts == {"pairs": 1}
    assert spread.verify().ok
