"""What follows from a fit, against brute force, closed forms and statsmodels."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.choices.bradley_terry.covariance import rank_sets
from socialstats.datasets import baseball, journal_citations
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError, UndefinedStatistic
from tests.golden_data import golden, golden_frame


@pytest.fixture(scope="module")
def home_fit():
    return bradley_terry(
        Comparisons.from_counts(baseball(), order="home"), order=True, cluster="declared"
    )


def crossed_design(**more):
    options = {"order": "first", "covariates": {"urgency": ("urgency_a", "urgency_b")}} | more
    return Comparisons.from_frame(golden_frame("crossed.csv.gz"), **options)


@pytest.mark.parametrize("spec", ["Toronto - Boston", {"Toronto": 1.0, "Boston": -1.0}])
def test_contrast_of_two_items(home_fit, spec):
    row = home_fit.contrast(spec).rows[0]
    against = bradley_terry(
        home_fit.design, order=True, reference="Boston", cluster="declared"
    ).row("Toronto")
    for name in ("estimate", "std_error", "conf_low", "conf_high", "statistic", "p_value"):
        assert getattr(row, name) == pytest.approx(getattr(against, name), rel=1e-9)


def test_contrast_with_any_weights(home_fit):
    weights = {"Toronto": 0.5, "Boston": 0.5, "Detroit": -1.0, "order": 2.0}
    c = np.array([weights.get(name, 0.0) for name in home_fit.names])
    row = home_fit.contrast(weights, level=0.9).rows[0]
    assert row.estimate == pytest.approx(
        sum(w * home_fit.coef()[name] for name, w in weights.items()), rel=1e-10
    )
    se = float(np.sqrt(c @ home_fit.vcov().to_numpy() @ c))
    assert row.std_error == pytest.approx(se, rel=1e-10)
    assert row.conf_high == pytest.approx(row.estimate + stats.norm.ppf(0.95) * se, rel=1e-10)


def test_contrast_is_one_of_the_reported_coefficients():
    fit = bradley_terry(
        Comparisons.from_counts(baseball(), order="home"),
        reference="Baltimore",
        cluster="declared",
        order=False,
    )
    row = fit.contrast({"Toronto": 1.0}).rows[0]
    assert row.estimate == pytest.approx(fit.row("Toronto").estimate, rel=1e-12)
    assert row.std_error == pytest.approx(fit.row("Toronto").std_error, rel=1e-9)


@pytest.mark.parametrize(
    "spec", ["Toronto - Paris", {"Paris": 1.0}, "Toronto * Boston", "Toronto - Toronto"]
)
def test_contrast_of_unknown_names(home_fit, spec):
    with pytest.raises(InputError, match="Baltimore"):
        home_fit.contrast(spec)


@pytest.mark.parametrize(
    "spec", ["Toronto - Bostom", "Toronto - (Bostom + Baltimore)/2", "2*Bostom - Toronto"]
)
def test_a_mistyped_name_in_a_contrast_is_told_the_nearest(home_fit, spec):
    with pytest.raises(
        InputError, match=r"no coefficient is called 'Bostom'. Did you mean 'Boston'\?"
    ):
        home_fit.contrast([spec])
    with pytest.raises(InputError, match="no contrast is named"):
        home_fit.contrast([])
    with pytest.raises(InputError, match="is not 'X - Y'"):
        home_fit.contrast("Toronto vs Boston")
    assert home_fit.contrast(["Toronto - Boston"]).rows[0].method.endswith("over 1 contrast")


def test_contrast_of_names_with_dashes():
    rows = pd.DataFrame(
        {
            "item_a": ["a - b", "a", "b"],
            "item_b": ["a", "b", "a - b"],
            "wins_a": [3, 4, 5],
            "wins_b": [2, 2, 2],
        }
    )
    fit = bradley_terry(Comparisons.from_counts(rows), cluster="declared", order=False)
    one, two = fit.strengths["a - b"], fit.strengths["a"]
    assert fit.contrast("a - b - a").rows[0].estimate == pytest.approx(one - two, abs=1e-12)


def test_pairwise_holm_against_statsmodels(home_fit):
    for adjust, theirs in (("holm", "holm"), ("bh", "fdr_bh")):
        rows = home_fit.pairwise(adjust=adjust).rows
        assert len(rows) == 21
        wanted = multipletests([r.p_value for r in rows], method=theirs)[1]
        np.testing.assert_allclose([r.p_adjusted for r in rows], wanted, rtol=1e-10)
    for row in rows:
        direct = home_fit.contrast(row.term).rows[0]
        assert (row.estimate, row.std_error) == pytest.approx(
            (direct.estimate, direct.std_error), rel=1e-10
        )
        assert row.p_value == pytest.approx(
            2 * stats.norm.sf(abs(row.estimate / row.std_error)), rel=1e-9
        )


def test_worths_by_numerical_delta_method(home_fit):
    strengths = np.array(list(home_fit.strengths.values()))
    cov = home_fit.vcov().to_numpy()[:7, :7]
    result = home_fit.worth()
    assert sum(r.estimate for r in result.rows) == pytest.approx(1, rel=1e-13)
    for i, row in enumerate(result.rows):

        def log_worth(s, i=i):
            return s[i] - np.log(np.exp(s).sum())

        g = np.array(
            [(log_worth(strengths + h) - log_worth(strengths - h)) / 2e-6 for h in 1e-6 * np.eye(7)]
        )
        se = float(np.sqrt(g @ cov @ g))
        assert row.std_error == pytest.approx(row.estimate * se, rel=1e-6)
        at, reach = (
            np.log(row.estimate / (1 - row.estimate)),
            1.959963984540054 * se / (1 - row.estimate),
        )
        assert row.conf_low == pytest.approx(1 / (1 + np.exp(reach - at)), rel=1e-6)
        assert row.conf_high == pytest.approx(1 / (1 + np.exp(-reach - at)), rel=1e-6)


def brute_quasi_variances(cov):
    from scipy.optimize import minimize

    i, j = np.triu_indices(len(cov), 1)
    target = np.log(cov[i, i] + cov[j, j] - 2 * cov[i, j])
    loss = lambda v: float(np.sum((np.log(np.exp(v)[i] + np.exp(v)[j]) - target) ** 2))  # noqa: E731
    return np.exp(
        minimize(loss, np.log(np.diagonal(cov)), method="BFGS", options={"gtol": 1e-10}).x
    )


def test_quasi_variances_by_a_general_optimiser(home_fit):
    q = home_fit.quasi_variances()
    wanted = brute_quasi_variances(home_fit.vcov().to_numpy()[:7, :7])
    np.testing.assert_allclose(list(q.extras["quasi_variance"].values()), wanted, rtol=1e-5)
    two = pd.DataFrame({"item_a": ["x"], "item_b": ["y"], "wins_a": [3], "wins_b": [1]})
    with pytest.raises(UndefinedStatistic, match="three items"):
        bradley_terry(
            Comparisons.from_counts(two), cluster="declared", order=False
        ).quasi_variances()


def test_predictions_sum_to_one_and_are_symmetric():
    fit = bradley_terry(crossed_design(), "~ urgency", order=True, cluster="declared")
    for first, other in (("a", "b"), ("neither", "neither")):
        one = fit.predict("i01", "i02", first=first, covariates={"urgency": (3, 1)})
        two = fit.predict("i02", "i01", first=other, covariates={"urgency": (1, 3)})
        assert sum(r.estimate for r in one.rows) == pytest.approx(1, abs=1e-12)
        ours, theirs = (
            [getattr(r, n) for r in p.rows for n in ("estimate", "std_error", "conf_low")]
            for p in (one, two)
        )
        assert ours[:3] == pytest.approx(theirs[3:6], rel=1e-9)
        assert ours[6:] == pytest.approx(theirs[6:], rel=1e-9)
    coef = fit.coef()
    gap = coef["i01"] - coef["i02"] + 2 * coef["urgency"]
    a, b, t = np.exp(gap / 2), np.exp(-gap / 2), np.exp(coef["log_nu"])
    assert one.rows[0].estimate == pytest.approx(a / (a + b + t), rel=1e-10)
    assert one.rows[2].estimate == pytest.approx(t / (a + b + t), rel=1e-10)


def test_prediction_interval_by_numerical_delta_method(home_fit):
    row = home_fit.predict("Toronto", "Boston", first="a").rows[0]
    c = np.array(
        [{"Toronto": 1.0, "Boston": -1.0, "order": 1.0}.get(n, 0.0) for n in home_fit.names]
    )
    eta = float(c @ list(home_fit.coef().values()))
    se = float(np.sqrt(c @ home_fit.vcov().to_numpy() @ c))
    ends = 1 / (1 + np.exp(-(eta + np.array([-1, 1]) * 1.959963984540054 * se)))
    assert (row.conf_low, row.conf_high) == pytest.approx(tuple(ends), rel=1e-9)


def test_prediction_with_categories_and_names_inside_names():
    rows = golden_frame("crossed.csv.gz")
    rows["level_a"], rows["level_b"] = (
        rows["urgency_a"].map("u{}".format),
        rows["urgency_b"].map("u{}".format),
    )
    rows["lev_a"], rows["lev_b"] = 1, 2
    fit = bradley_terry(
        Comparisons.from_frame(rows, order="first"), "~ C(level)", cluster="declared", order=False
    )
    assert fit.names[-3:] == ("C(level)[T.u2]", "C(level)[T.u3]", "log_nu")
    p = fit.predict("i01", "i02", covariates={"level": ("u3", "u2")}).rows[0].estimate
    coef = fit.coef()
    gap = coef["i01"] - coef["i02"] + coef["C(level)[T.u3]"] - coef["C(level)[T.u2]"]
    a, b, t = np.exp(gap / 2), np.exp(-gap / 2), np.exp(coef["log_nu"])
    assert p == pytest.approx(a / (a + b + t), rel=1e-9)
    with pytest.raises(InputError, match="does not occur"):
        fit.predict("i01", "i02", covariates={"level": ("u9", "u2")})
    with pytest.raises(InputError, match="level"):
        fit.predict("i01", "i02")
    with pytest.raises(InputError, match="not an item"):
        fit.predict("i01", "Paris", covariates={"level": ("u3", "u2")})


def brute_max_t(strength, cov, level, draws, seed, simultaneous, step_down):
    """Rank sets by loops over named pairs, from draws of their own."""
    noise = np.random.default_rng(seed).multivariate_normal(
        np.zeros(len(cov)), cov, size=draws, method="eigh"
    )
    n = len(strength)

    def t_values(j, k, x):
        return (x[..., j] - x[..., k]) / np.sqrt(cov[j, j] + cov[k, k] - 2 * cov[j, k])

    def called(family):
        found, left = [], list(family)
        while left:
            critical = np.quantile(
                np.max([np.abs(t_values(*pair, noise)) for pair in left], axis=0), level
            )
            new = [pair for pair in left if abs(t_values(*pair, strength)) > critical]
            found, left = found + new, [pair for pair in left if pair not in new]
            if not new or not step_down:
                break
        return found

    pairs = [(j, k) for j in range(n) for k in range(n) if j != k]
    found = (
        called(pairs)
        if simultaneous
        else [f for j in range(n) for f in called([p for p in pairs if p[0] == j])]
    )
    low = np.array(
        [1 + sum(i == j and strength[k] > strength[j] for j, k in found) for i in range(n)]
    )
    high = np.array(
        [n - sum(i == j and strength[k] < strength[j] for j, k in found) for i in range(n)]
    )
    return low, high


@pytest.mark.parametrize("simultaneous", [False, True])
def test_rank_sets_by_brute_force(simultaneous):
    fit = bradley_terry(crossed_design(covariates=()), cluster="declared", order=False)
    strength, cov = np.array(list(fit.strengths.values())), fit.strength_covariance
    ours = rank_sets(strength, cov, level=0.95, simultaneous=simultaneous, draws=20_000, seed=1)
    assert (ours.rank == stats.rankdata(-strength, method="min")).all()
    assert ((ours.low <= ours.rank) & (ours.rank <= ours.high)).all()
    low, high = brute_max_t(strength, cov, 0.95, 20_000, 2, simultaneous, step_down=False)
    assert ((ours.low >= low) & (ours.high <= high)).all()
    low, high = brute_max_t(strength, cov, 0.95, 20_000, 2, simultaneous, step_down=True)
    assert (
        np.abs(ours.low - low).sum() + np.abs(ours.high - high).sum() <= 2
    )  # one pair near the border, by chance


def test_step_down_at_hand():
    """Three items: two far apart pairs are called at once, the third pair only with the smaller critical value."""
    cov = np.eye(3)
    strength = np.array([30.0, 2.6 * np.sqrt(2) / 1.2, 0.0])
    wide = rank_sets(strength, cov, level=0.95, simultaneous=True, draws=50_000, seed=1)
    t = (strength[1] - strength[2]) / np.sqrt(2)
    one_pair, all_pairs = stats.norm.ppf(0.975), 2.344  # range of three normals: 3.314 / sqrt(2)
    assert one_pair < t < all_pairs
    assert wide.low.tolist() == wide.high.tolist() == [1, 2, 3]
    assert wide.critical[0] == pytest.approx(one_pair, abs=0.03)
    near = rank_sets(
        np.array([1.0, 2.6 * np.sqrt(2) / 1.2, 0.0]),
        cov,
        level=0.95,
        simultaneous=True,
        draws=50_000,
        seed=1,
    )
    assert near.critical[0] == pytest.approx(all_pairs, abs=0.03)


@pytest.mark.parametrize(("df", "level"), [(4, 0.95), (12, 0.9)])
def test_simultaneous_rank_sets_of_few_clusters_are_holms_with_t(df, level):
    rng, n, calls = np.random.default_rng(df), 4, set()
    i, j = np.triu_indices(n, 1)
    for scale in (0.5, 2.0, 3.0, 3.0, 3.0, 4.0, 50.0):
        strength = rng.normal(scale=scale, size=n)
        difference = strength[i] - strength[j]  # each has the variance 1
        sets = rank_sets(
            strength, np.eye(n) / 2, level=level, simultaneous=True, draws=1, seed=0, df=df
        )
        called = multipletests(2 * stats.t.sf(np.abs(difference), df), 1 - level, method="holm")[0]
        weaker, stronger = (
            np.where(difference < 0, i, j)[called],
            np.where(difference < 0, j, i)[called],
        )
        assert sets.low.tolist() == (1 + np.bincount(weaker, minlength=n)).tolist()
        assert sets.high.tolist() == (n - np.bincount(stronger, minlength=n)).tolist()
        if not called.all():
            tail = (1 - level) / 2 / np.sum(~called)
            assert sets.critical == pytest.approx(np.full(n, stats.t.isf(tail, df)), rel=1e-9)
        calls.add(int(called.sum()))
    assert {0, 6} < calls  # none, all and some of the differences


def test_simultaneous_rank_sets_use_correlations_from_ten_clusters_an_item():
    few, enough = (
        rank_sets(
            np.zeros(3),
            np.eye(3),
            level=0.95,
            simultaneous=True,
            draws=50_000,
            seed=1,
            df=clusters - 1,
        )
        for clusters in (29, 30)
    )
    assert (few.bonferroni, enough.bonferroni) == (True, False)
    assert few.critical[0] == pytest.approx(stats.t.isf(0.025 / 3, 28), rel=1e-9)
    tukey = stats.studentized_range.isf(0.05, 3, 29) / np.sqrt(2)
    assert enough.critical[0] == pytest.approx(tukey, abs=0.03)


def test_marginal_critical_value_is_that_of_two_correlated_differences():
    got = rank_sets(
        np.zeros(3), np.eye(3), level=0.95, simultaneous=False, draws=100_000, seed=3
    ).critical
    np.testing.assert_allclose(
        got, 2.212, atol=0.02
    )  # Dunnett: two-sided, 2 comparisons, correlation 1/2


def test_equal_strengths_share_a_rank():
    rows = pd.DataFrame(
        [("a", "b", 5, 5), ("a", "c", 4, 2), ("b", "c", 4, 2)],
        columns=["item_a", "item_b", "wins_a", "wins_b"],
    )
    table = bradley_terry(Comparisons.from_counts(rows), cluster="declared", order=False).ranks()
    assert {r.term: r.estimate for r in table.rows} == {"a": 1, "b": 1, "c": 3}
    assert all(r.conf_low == 1 and r.conf_high == 3 for r in table.rows)


def test_rank_sets_cover_in_simulation():
    """60 simulations of 6 items: the simultaneous sets hold all true ranks in at least 51 (95% less 3 s.e.)."""
    rng, truth = np.random.default_rng(5), np.array([0.0, 0.3, 0.6, 0.9, 1.2, 1.5])
    i, j = np.triu_indices(6, 1)
    covered = marginal = 0
    for k in range(60):
        wins = rng.binomial(12, 1 / (1 + np.exp(truth[j] - truth[i])))
        rows = pd.DataFrame(
            {
                "item_a": [f"t{a}" for a in i],
                "item_b": [f"t{b}" for b in j],
                "wins_a": wins,
                "wins_b": 12 - wins,
            }
        )
        fit = bradley_terry(
            Comparisons.from_counts(rows), prior=0.01, cluster="declared", order=False
        )
        for kind in ("simultaneous", "marginal"):
            sets = {
                r.term: (r.conf_low, r.conf_high)
                for r in fit.ranks(kind=kind, draws=500, seed=k).rows
            }
            held = [sets[f"t{a}"][0] <= 6 - a <= sets[f"t{a}"][1] for a in range(6)]
            covered += all(held) if kind == "simultaneous" else 0
            marginal += sum(held) if kind == "marginal" else 0
    assert covered >= 51
    assert marginal >= 0.92 * 360


def test_ranks_are_seeded(home_fit):
    one, two, other = (home_fit.ranks(seed=s).tidy() for s in (1, 1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert list(other.columns) == list(one.columns)
    with pytest.raises(InputError, match="'simultaneous'"):
        home_fit.ranks(kind="joint")
    assert len(home_fit.ranks(draws=100).rows) == len(home_fit.items)
    for options in ({"draws": 99}, {"seed": -1}, {"seed": True}):
        with pytest.raises(InputError, match="a seed is 0 or more, and draws at least 100"):
            home_fit.ranks(**options)


@pytest.mark.parametrize("kind", ["marginal", "simultaneous"])
@pytest.mark.parametrize("ahead", ["a", "c", None])
def test_ranks_say_how_wide_their_sets_are_and_which_hold_rank_1(home_fit, kind, ahead):
    """Also where the first item is ahead alone, and where a later one is."""
    fit = home_fit
    if ahead is not None:
        rows = [
            (
                x,
                y,
                29 if x == ahead else 1 if y == ahead else 14,
                1 if x == ahead else 29 if y == ahead else 16,
            )
            for x, y in combinations("abcd", 2)
        ]
        counts = pd.DataFrame(rows, columns=["item_a", "item_b", "wins_a", "wins_b"])
        fit = bradley_terry(Comparisons.from_counts(counts))
        assert [row.term for row in fit.ranks(kind=kind).rows if row.conf_low == 1] == [ahead]
    found, strengths = fit.ranks(kind=kind), fit.strengths
    order = sorted(strengths, key=strengths.get, reverse=True)
    assert {row.term: row.estimate for row in found.rows} == {
        name: k for k, name in enumerate(order, 1)
    }
    width = np.mean([row.conf_high - row.conf_low + 1 for row in found.rows])
    first = [name for name in fit.items if found.row(name).conf_low == 1]
    assert order[0] in first
    quoted = [f"'{name}'" for name in first]
    listed = " and ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)
    items = "1 item" if len(first) == 1 else f"{len(first)} items"
    covers = "each covers its own rank" if kind == "marginal" else "they cover all ranks together"
    assert found.sentence() == (
        f"{kind.capitalize()} 95% rank intervals contained {width:.1f} of {len(order)} ranks on average ({covers}). "
        f"{items} had intervals that include rank 1 ({listed})."
    )


@pytest.mark.parametrize("kind", ["marginal", "simultaneous"])
@pytest.mark.parametrize("cluster", [None, "pair"])
def test_rank_sets_of_many_items_are_holms_and_hold_those_of_max_t(kind, cluster, monkeypatch):
    fit = bradley_terry(
        Comparisons.from_counts(baseball(), order="home"), order=True, cluster=cluster
    )
    own = fit.ranks(kind=kind)
    monkeypatch.setattr("socialstats.choices.bradley_terry.ranks.MOST_MAX_T", 3)
    held = fit.ranks(kind=kind)
    assert "Holm (more than 3 items)" in held.inference
    assert "romanowolf2005" not in held.references
    for narrow, wide in zip(own.rows, held.rows, strict=True):
        assert wide.conf_low <= narrow.conf_low <= narrow.conf_high <= wide.conf_high
    if (
        kind == "simultaneous" and cluster is None
    ):  # one normal p for each difference: the sets of its Holm p
        called = [
            r for r in fit.pairwise().rows if r.p_adjusted is not None and r.p_adjusted <= 0.05
        ]
        better = {r.label("item") if r.estimate < 0 else r.label("other") for r in called}
        assert {r.term for r in held.rows if r.conf_low > 1} == better


def test_effect_in_sds_by_numerical_delta_method():
    fit = bradley_terry(crossed_design(), "~ urgency", cluster="declared", order=False)
    row = fit.effect_in_sds("urgency").rows[0]
    cov, n = fit.vcov().to_numpy(), 12
    noise = np.trace(cov[:n, :n]) / (n - 1)
    beta = np.array(list(fit.coef().values()))

    def ratio(v):
        return v[n] / np.sqrt(np.var(v[:n], ddof=1) - noise)

    g = np.array([(ratio(beta + h) - ratio(beta - h)) / 2e-6 for h in 1e-6 * np.eye(len(beta))])
    assert row.estimate == pytest.approx(ratio(beta), rel=1e-10)
    assert row.std_error == pytest.approx(np.sqrt(g @ cov @ g), rel=1e-6)
    with pytest.raises(InputError, match="urgency"):
        fit.effect_in_sds("order")


def test_anova_says_what_cannot_be_compared(home_fit):
    design = home_fit.design
    small = bradley_terry(design, cluster="declared", order=False)
    other = bradley_terry(
        Comparisons.from_counts(journal_citations()), cluster="declared", order=False
    )
    with pytest.raises(InputError, match="different rows"):
        other.anova(home_fit)
    with pytest.raises(InputError, match="same number"):
        small.anova(bradley_terry(design, reference="Boston", cluster="declared", order=False))
    with pytest.raises(InputError, match="penalty"):
        small.anova(bradley_terry(design, order=True, penalty="firth", cluster="declared"))
    tied = crossed_design()
    with pytest.raises(InputError, match="quasi-likelihood"):
        bradley_terry(tied, ties="half", cluster="declared", order=False).anova(
            bradley_terry(tied, "~ urgency", ties="half", cluster="declared", order=False)
        )
    with pytest.raises(InputError, match="not nested"):
        bradley_terry(tied, ties="rao_kupper", cluster="declared", order=False).anova(
            bradley_terry(tied, "~ urgency", cluster="declared", order=False)
        )
    with pytest.raises(InputError, match="not nested"):
        bradley_terry(tied, order=True, cluster="declared").anova(
            bradley_terry(tied, "~ C(urgency)", cluster="declared", order=False)
        )


def test_anova_of_other_rows_of_the_same_number(home_fit):
    rows = baseball().rename(columns={"wins_a": "wins_b", "wins_b": "wins_a"})
    with pytest.raises(InputError, match="different rows"):
        bradley_terry(
            Comparisons.from_counts(rows, order="home"), cluster="declared", order=False
        ).anova(home_fit)


def test_anova_with_clusters_leads_with_the_robust_wald_test():
    design = crossed_design(cluster="worker")
    small, large = (
        bradley_terry(design, cluster="declared", order=False),
        bradley_terry(design, "~ urgency", order=True, cluster="declared"),
    )
    wald, ratio = large.anova(small).rows
    b = np.array([large.coef()[n] for n in ("order", "urgency")])
    v = large.vcov().loc[["order", "urgency"], ["order", "urgency"]].to_numpy()
    assert wald.statistic == pytest.approx(b @ np.linalg.inv(v) @ b, rel=1e-9)
    r = golden("robust")["crossed"]["davidson"]["worker"]["wald"][0]  # HTZ of clubSandwich
    assert wald.p_value == pytest.approx(r["p"], rel=1e-6)
    nu = r["df2"] + 1
    assert wald.statistic == pytest.approx(2 * nu / (nu - 1) * r["F"], rel=1e-7)
    assert f"F(2, {r['df2']:.1f})" in wald.method
    assert ratio.statistic == pytest.approx(
        2 * (large.log_likelihood - small.log_likelihood), rel=1e-12
    )
    assert "independent" in ratio.method


def test_goodness_of_fit_by_hand():
    design = crossed_design(covariates=())
    fit = bradley_terry(design, cluster="declared", order=False)
    rows = golden_frame("crossed.csv.gz")
    flip = rows["item_a"] > rows["item_b"]
    low, high = (
        np.where(flip, rows["item_b"], rows["item_a"]),
        np.where(flip, rows["item_a"], rows["item_b"]),
    )
    result = np.select([rows["winner"] == low, rows["winner"] == high], ["low", "high"], "tie")
    table = pd.crosstab([low, high], result).reindex(columns=["low", "high", "tie"], fill_value=0)
    coef, pearson, deviance = fit.coef(), 0.0, 0.0
    for (i, j), counts in table.iterrows():
        a, b, t = np.exp(coef[i]), np.exp(coef[j]), np.exp(coef["log_nu"] + (coef[i] + coef[j]) / 2)
        expected = counts.sum() * np.array([a, b, t]) / (a + b + t)
        pearson += ((counts - expected) ** 2 / expected).sum()
        seen = counts.to_numpy() > 0
        deviance += 2 * (counts[seen] * np.log(counts[seen] / expected[seen])).sum()
    got = fit.goodness_of_fit(cells="pair")
    assert got.row("Pearson").statistic == pytest.approx(pearson, rel=1e-9)
    assert got.row("deviance").statistic == pytest.approx(deviance, rel=1e-9)
    assert got.row("deviance").df == 2 * len(table) - 12
    assert got.row("deviance").p_value == pytest.approx(
        stats.chi2.sf(deviance, 2 * len(table) - 12), rel=1e-8
    )
    with pytest.raises(UndefinedStatistic, match="half"):
        bradley_terry(design, ties="half", cluster="declared", order=False).goodness_of_fit()


def test_intervals_at_another_level(home_fit):
    again = bradley_terry(home_fit.design, order=True, level=0.9, cluster="declared")
    got, wanted = home_fit.confint(0.9), again.confint()
    assert list(got.columns) == ["5 %", "95 %"]
    pd.testing.assert_frame_equal(got, wanted)


@pytest.mark.parametrize(
    "make", [lambda fit: fit.effect_in_sds("urgency"), lambda fit: fit.worth()]
)
def test_what_follows_from_a_fit_is_recomputed_and_a_wrong_number_noticed(make) -> None:
    result = make(bradley_terry(crossed_design(), "~ urgency", cluster="declared", order=False))
    assert result.verify().ok
    for k, row in enumerate(result.rows):
        for name in ("estimate", "std_error"):
            wrong = replace(row, **{name: getattr(row, name) * 1.001})
            rows = (*result.rows[:k], wrong, *result.rows[k + 1 :])
            assert not replace(result, rows=rows).verify().ok, (row.term, name)


def test_the_chance_of_the_weaker_more_urgent_item_is_that_of_the_two_log_odds() -> None:
    fit = bradley_terry(crossed_design(), "~ urgency", cluster="declared", order=False)
    effect, (_, sd, chance) = (
        fit.row("urgency", group="covariate").estimate,
        fit.effect_in_sds("urgency").rows,
    )
    assert chance.estimate == pytest.approx(1 / (1 + np.exp(sd.estimate - effect)))
    assert chance.conf_low < chance.estimate < chance.conf_high
    middle = np.log(chance.conf_low / (1 - chance.conf_low)) + np.log(
        chance.conf_high / (1 - chance.conf_high)
    )
    assert middle / 2 == pytest.approx(
        effect - sd.estimate
    )  # the interval is made on the logit scale


def test_the_axis_of_a_figure_of_strengths_names_their_scale(home_fit) -> None:
    assert home_fit.plot().get_xlabel() == "Log-strength"
    assert home_fit.plot(xlabel="Ability").get_xlabel() == "Ability"


@pytest.mark.parametrize("clusters", [0, 12])
def test_two_items_are_ranked_as_their_difference_is_tested(clusters):
    """Draws of the largest of several differences would add noise to the critical value of the only one."""
    near = 0
    for wins in range(20, 40):
        rng = np.random.default_rng(wins)
        table = {
            "item_a": ["a"] * 60,
            "item_b": ["b"] * 60,
            "winner": ["a"] * wins + ["b"] * (60 - wins),
        }
        if clusters:
            table["judge"] = rng.integers(clusters, size=60).astype(str)
        fit = bradley_terry(table, cluster="judge" if clusters else None)
        p = fit.pairwise().rows[0].p_value
        near += 0.02 < p < 0.1
        for kind in ("marginal", "simultaneous"):
            decided = all(row.conf_low == row.conf_high for row in fit.ranks(kind=kind).rows)
            assert decided == (p <= 0.05)
    assert near
