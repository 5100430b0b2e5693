"""Verdicts: three-way, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Row
from socialstats.studies.estimates import (
    clusters_caption,
    design_effect,
    equivalence_bounds,
    family_words,
    one_sided_p,
    planned_verdict,
    verdict,
)


def row(
    estimate: float, se: float, df: float | None = None, level: float = 0.95, term: str = "d"
) -> Row:
    """A t (or z) row, from scipy.stats."""
    law = stats.norm if df is None else stats.t(df)
    reach = float(law.ppf((1 + level) / 2)) * se
    return Row(
        term=term,
        estimate=estimate,
        std_error=se,
        conf_low=estimate - reach,
        conf_high=estimate + reach,
        conf_level=level,
        statistic=estimate / se,
        df=df,
        p_value=float(2 * law.sf(abs(estimate / se))),
    )


@pytest.mark.parametrize(("estimate", "settled"), [(0.5, "above"), (-0.5, "below"), (0.1, "open")])
def test_an_interval_that_holds_zero_settles_nothing(estimate: float, settled: str) -> None:
    assert verdict(row(estimate, 0.1)) == settled
    wide = Row(term="d", estimate=estimate)
    assert verdict(wide) == "open"


def test_practically_nothing_needs_the_whole_interval_inside() -> None:
    near = row(0.03, 0.01)
    assert verdict(near, bounds=near, smallest=0.1) == "equal"  # although it is above zero
    assert verdict(near, bounds=near, smallest=0.04) == "above"
    assert verdict(near, smallest=0.1) == "above"


@pytest.mark.parametrize("df", [None, 7.0, 23.4])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_bounds_of_equivalence_are_those_of_two_one_sided_tests(
    df: float | None, level: float
) -> None:
    one = row(0.3, 0.2, df, level)
    law = stats.norm if df is None else stats.t(df)
    found = equivalence_bounds(one)
    assert found.conf_high == pytest.approx(0.3 + float(law.ppf(level)) * 0.2, rel=1e-9)
    assert found.conf_low == pytest.approx(0.3 - float(law.ppf(level)) * 0.2, rel=1e-9)
    assert found.conf_level == pytest.approx(2 * level - 1)


@pytest.mark.parametrize("level", [0.2, 0.4, 0.5])
def test_a_level_of_a_half_has_no_shorter_interval_that_could_be_inside(level: float) -> None:
    """1 - 2 alpha is 0 or less: an interval with its ends exchanged would lie inside any bounds."""
    one = row(0.3, 1.0, level=level)
    assert equivalence_bounds(one) == one
    assert verdict(one, bounds=equivalence_bounds(one), smallest=0.01) != "equal"


def test_other_intervals_stay_as_they_are() -> None:
    lopsided = Row(
        term="d", estimate=0.3, std_error=0.2, conf_low=0.0, conf_high=0.7, conf_level=0.95
    )
    assert equivalence_bounds(lopsided) is lopsided
    assert equivalence_bounds(Row(term="d", estimate=0.3)).conf_level is None


@pytest.mark.parametrize("df", [None, 9.0])
@pytest.mark.parametrize("estimate", [0.4, -0.4])
def test_one_sided_p_is_that_of_scipy(df: float | None, estimate: float) -> None:
    one = row(estimate, 0.25, df)
    law = stats.norm if df is None else stats.t(df)
    assert one_sided_p(one, "greater") == pytest.approx(float(law.sf(estimate / 0.25)), rel=1e-9)
    assert one_sided_p(one, "less") == pytest.approx(float(law.cdf(estimate / 0.25)), rel=1e-9)
    assert one_sided_p(one, "two-sided") == one.p_value


def test_one_sided_p_of_a_chi_square_of_one_df_has_the_direction_of_the_estimate() -> None:
    one = Row(
        term="difference",
        estimate=-0.1,
        statistic=4.0,
        df=1.0,
        p_value=float(stats.chi2.sf(4.0, 1)),
    )
    assert one_sided_p(one, "less") == pytest.approx(float(stats.norm.sf(2.0)))
    ratio = Row(
        term="odds_ratio", estimate=0.5, statistic=4.0, df=1.0, p_value=float(stats.chi2.sf(4.0, 1))
    )
    assert one_sided_p(ratio, "less") == pytest.approx(
        float(stats.norm.sf(2.0))
    )  # an odds ratio below one


def test_there_is_no_half_of_an_exact_or_bootstrap_p() -> None:
    assert one_sided_p(Row(term="d", estimate=1.0, p_value=0.03), "greater") is None
    assert one_sided_p(Row(term="d", estimate=1.0, statistic=3.0, p_value=0.03), "greater") is None
    assert one_sided_p(Row(term="d", statistic=12.0, df=3.0, p_value=0.0074), "greater") is None


def test_planned_verdicts_follow_the_adjusted_p() -> None:
    from dataclasses import replace

    one = row(0.5, 0.2)  # p = .012
    assert planned_verdict(one, alpha=0.05) == "above"
    assert planned_verdict(replace(one, p_adjusted=0.06), alpha=0.05) == "open"
    assert planned_verdict(replace(one, p_adjusted=0.06), alpha=0.1) == "above"
    assert (
        planned_verdict(Row(term="chi2", statistic=9.0, df=2.0, p_value=0.011), alpha=0.05)
        == "differs"
    )
    assert planned_verdict(Row(term="x", undefined="no"), alpha=0.05) == "none"


def test_families_are_named_with_their_size() -> None:
    rows, adjusted = adjust_family_by_holm(
        [row(0.5, 0.2, term="a"), row(0.1, 0.2, term="b"), Row(term="c", undefined="no")], "x's"
    )
    assert adjusted is not None
    assert family_words(rows) == "; p (Holm): over the family 'x's' (m = 2)"
    assert family_words([row(0.5, 0.2)]) == ""


def test_design_effect_is_a_ratio_of_variances() -> None:
    rng = np.random.default_rng(1)
    cluster = np.repeat(rng.normal(size=400), 10)
    values = cluster + rng.normal(size=4000)
    own = values.std(ddof=1) / np.sqrt(4000)
    means = values.reshape(400, 10).mean(axis=1)
    effect = design_effect(row(0.0, float(means.std(ddof=1) / 20)), row(0.0, float(own)))
    assert effect == pytest.approx(1 + 9 * 0.5, rel=0.1)  # Kish: 1 + (m - 1) rho; rho = .5
    lengths = design_effect(
        Row(term="d", conf_low=0.0, conf_high=2.0, conf_level=0.95),
        Row(term="d", conf_low=0.0, conf_high=1.0, conf_level=0.95),
    )
    assert lengths == 4
    assert design_effect(Row(term="d"), row(0.1, 0.1)) is None
    assert clusters_caption([], 3.0) == ""
