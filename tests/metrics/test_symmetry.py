from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from socialstats.designs.paired import Paired
from socialstats.designs.parts import Factor
from socialstats.errors import DesignError, InputError
from socialstats.inference.adjusted_p import holm
from socialstats.paired.matched_pairs import bowker, stuart_maxwell
from socialstats.paired.mcnemar import mcnemar
from socialstats.paired.robust_tests import robust_wald
from socialstats.paired.symmetry import simultaneous_intervals, symmetry
from tests.golden_data import golden

SQUARES = golden("mcnemar")["squares"]
LEVELS = ("a", "b", "c", "d", "e", "f")


def design_of(square, scale="nominal", **options):
    square = np.asarray(square, dtype=float)
    first, second = np.nonzero(square)
    return Paired(
        conditions=("before", "after"),
        scale=scale,
        levels=LEVELS[: len(square)],
        first=first.astype(float),
        second=second.astype(float),
        count=square[first, second],
        **options,
    )


def clustered(seed=5, n=300, clusters=20, factors=1, levels=3):
    rng = np.random.default_rng(seed)
    code, other = rng.integers(0, clusters, n), rng.integers(0, 9, n)
    base = rng.normal(size=n)
    cuts = np.linspace(-1, 1, levels - 1)
    x = np.digitize(base + 0.6 * rng.normal(size=clusters)[code], cuts)
    y = np.digitize(base + 0.6 * rng.normal(size=n), cuts)
    known = tuple(
        Factor(
            name=name, codes=c.astype(np.int64), levels=tuple(str(k) for k in range(c.max() + 1))
        )
        for name, c in (("story", code), ("prompt", other))
    )[:factors]
    return Paired(
        conditions=("before", "after"),
        scale="nominal",
        levels=LEVELS[:levels],
        first=x.astype(float),
        second=y.astype(float),
        count=np.ones(n),
        clusters=known,
    )


@pytest.mark.parametrize("name", SQUARES)
def test_both_tests_equal_r(name):
    result = symmetry(design_of(SQUARES[name]["table"]))
    for test in ("bowker", "stuart_maxwell"):
        row, theirs = result.row(test), SQUARES[name][test]
        assert (row.statistic, row.df, row.p_value) == pytest.approx(
            (theirs["statistic"], theirs["df"], theirs["p"]), rel=1e-9
        )
    assert result.verify().ok


def test_zeros_are_not_shifted():
    """statsmodels shifts zeros by a half by default: 3.68, p = .055."""
    row = symmetry(design_of([[10, 0], [5, 3]], scale="binary")).row("bowker")
    assert (row.statistic, row.df) == (5.0, 1.0)
    assert row.p_value == pytest.approx(0.02534731867746824)


def test_two_levels_are_mcnemar():
    design = design_of([[30, 12], [5, 41]], scale="binary")
    theirs, ours = mcnemar(design).row("asymptotic"), symmetry(design)
    for test in ("bowker", "stuart_maxwell"):
        assert ours.row(test).statistic == pytest.approx(theirs.statistic)
    margin = ours.row("b")  # share of the second level, first minus second
    assert (margin.estimate, margin.conf_low, margin.p_value) == pytest.approx(
        (
            mcnemar(design).rows[0].estimate,
            mcnemar(design).rows[0].conf_low,
            mcnemar(design).rows[0].p_value,
        )
    )


def test_margins_and_their_adjusted_p():
    square = np.array([[20, 3, 1], [9, 15, 2], [4, 7, 30]])
    rows = [r for r in symmetry(design_of(square)).rows if r.group == "margin"]
    shares = (square.sum(axis=1) - square.sum(axis=0)) / square.sum()
    assert [r.estimate for r in rows] == pytest.approx(shares.tolist())
    assert [r.p_adjusted for r in rows] == pytest.approx(
        holm(np.array([r.p_value for r in rows])).tolist()
    )


def test_empty_categories_are_dropped():
    square = np.array([[20.0, 3, 1], [9, 15, 2], [4, 7, 30]])
    wide = np.zeros((5, 5))
    wide[np.ix_([0, 2, 4], [0, 2, 4])] = square
    for test in ("bowker", "stuart_maxwell"):
        one, two = symmetry(design_of(square)).row(test), symmetry(design_of(wide)).row(test)
        assert (one.statistic, one.df) == pytest.approx((two.statistic, two.df))
    assert symmetry(design_of(wide)).counts["levels"] == 3


def test_levels_that_never_exchange_take_a_degree_of_freedom():
    """Two blocks: the statistic is the sum of both, df of 2 + 1; a level that only stays adds nothing."""
    one, two = np.array([[5.0, 2, 7], [1, 3, 2], [4, 4, 1]]), np.array([[4.0, 6], [1, 2]])
    both = np.zeros((6, 6))
    both[:3, :3], both[3:5, 3:5], both[5, 5] = one, two, 9
    whole, parts = stuart_maxwell(both), (stuart_maxwell(one), stuart_maxwell(two))
    assert (whole.statistic, whole.df) == pytest.approx((sum(p.statistic for p in parts), 3))
    halves = bowker(one), bowker(two)
    assert (bowker(both).statistic, bowker(both).df) == pytest.approx(
        (sum(p.statistic for p in halves), 4)
    )
    assert symmetry(design_of(both)).verify().ok


def test_no_pair_differs():
    result = symmetry(design_of(np.diag([4, 5, 6])))
    assert [(r.statistic, r.p_value) for r in result.rows if r.group == "test"] == [(0.0, 1.0)] * 2
    assert all(
        r.estimate == 0 and r.conf_low < 0 < r.conf_high for r in result.rows if r.group == "margin"
    )
    assert "SS314" in {c.code for c in result.cautions}
    assert result.verify().ok


def test_clusters_lead_with_hotellings_f():
    design = clustered()
    result = symmetry(design)
    row = result.row("robust_wald", group="test")
    d = np.column_stack(
        [(design.first == k).astype(float) - (design.second == k) for k in range(2)]
    )
    code = design.clusters[0].codes
    share = np.bincount(code) / len(code)
    sums = np.array([(d - d.mean(axis=0))[code == g].sum(axis=0) for g in range(20)])
    covariance = (sums.T * (1 / (1 - share))) @ sums / len(code) ** 2
    wald = d.mean(axis=0) @ np.linalg.inv(covariance) @ d.mean(axis=0)
    spread = share**2 / (1 - share)
    df = 1 / (share @ share + spread.sum() ** 2 - spread @ spread)
    assert row.statistic == pytest.approx((df - 1) / (2 * df) * wald)
    assert row.df == 2
    assert result.extras["df_denominator"] == pytest.approx(df - 1)
    assert row.p_value == pytest.approx(stats.f.sf(row.statistic, 2, df - 1))
    assert result.row("bowker").group == "ignoring clusters"
    assert result.verify().ok


def test_equal_clusters_are_hotellings_one_sample_test():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(12, 3)) + 0.4
    found = robust_wald(x, np.ones(12), [np.arange(12)])
    t2 = 12 * x.mean(axis=0) @ np.linalg.inv(np.cov(x.T)) @ x.mean(axis=0)
    assert found.statistic == pytest.approx((12 - 3) / (3 * 11) * t2)
    assert (found.df, found.df_denominator) == pytest.approx((3, 9))
    turned = robust_wald(np.column_stack([x, x.sum(axis=1)]), np.ones(12), [np.arange(12)])
    assert turned.statistic == pytest.approx(found.statistic)  # a dependent column changes nothing


def test_two_crossed_factors():
    result = symmetry(clustered(factors=2))
    row = result.row("robust_wald", group="test")
    assert (
        7 < result.extras["df_denominator"] < 23
    )  # Cochran's, between those of 9 prompts (8 - 2 + 1) and of stories
    assert 0 < row.p_value < 1
    assert result.verify().ok


def test_type_one_error_of_the_robust_test():
    rng = np.random.default_rng(3)
    code = np.repeat(np.arange(25), 12)
    runs, robust, plain = 500, 0, 0
    for _ in range(runs):
        shift = 0.6 * rng.normal(size=25)[code]
        base = rng.normal(size=300)
        x = np.digitize(base + shift + rng.normal(size=300), [-0.5, 0.5])
        y = np.digitize(base - shift + rng.normal(size=300), [-0.5, 0.5])
        d = np.equal.outer(x, range(3)).astype(float) - np.equal.outer(y, range(3))
        robust += robust_wald(d, np.ones(300), [code]).p < 0.05
        square = np.zeros((3, 3))
        np.add.at(square, (x, y), 1)
        plain += stuart_maxwell(square).p < 0.05
    assert robust / runs <= 0.05 + 3 * 0.0097  # three Monte-Carlo s.e.
    assert plain / runs > 0.2


def test_reasons_and_errors():
    assert robust_wald(np.ones((3, 2)), np.ones(3), [np.zeros(3, int)]) == "a single cluster"
    assert "the clusters are alike" in robust_wald(np.ones((3, 2)), np.ones(3), [np.arange(3)])
    few = np.random.default_rng(0).normal(size=(9, 3))
    assert "too few clusters" in robust_wald(few, np.ones(9), [np.repeat(np.arange(3), 3)])
    numbers = Paired(
        conditions=("a", "b"),
        scale="numeric",
        first=np.ones(2),
        second=np.zeros(2),
        count=np.ones(2),
    )
    with pytest.raises(DesignError, match=r"paired_difference\(\)"):
        symmetry(numbers)
    with pytest.raises(InputError, match="village"):
        symmetry(clustered(), cluster="village")
    with pytest.raises(InputError, match="95"):
        symmetry(clustered(), level=95)


def test_figures_of_the_margins_and_of_the_table():
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    result = symmetry(design_of(SQUARES["three"]["table"]))
    assert [t.get_text() for t in result.plot().get_yticklabels()] == ["a", "b", "c"]
    assert {"20", "15", "30"} <= {t.get_text() for t in result.plot(kind="table").texts}
    with pytest.raises(InputError, match="margins, table"):
        result.plot(kind="pie")
    pyplot.close("all")


def test_simultaneous_intervals_are_those_of_a_stricter_level_and_call_the_levels():
    square = np.array([[20, 3, 1], [9, 15, 2], [4, 7, 30]])
    for design in (design_of(square), clustered()):
        result = symmetry(design)
        joint = {row.term: row for row in simultaneous_intervals(result)}
        margins = [row for row in result.rows if row.group == "margin"]
        stricter = symmetry(design, level=1 - 0.05 / len(margins))
        for row in stricter.rows:
            if row.group == "margin":
                ours = joint[row.term]
                assert (ours.estimate, ours.conf_low, ours.conf_high) == pytest.approx(
                    (row.estimate, row.conf_low, row.conf_high)
                )
                assert ours.conf_level == pytest.approx(1 - 0.05 / len(margins))
                assert ours.p_value is None
        clear = [row for row in joint.values() if row.conf_low > 0 or row.conf_high < 0]
        assert result.sentence().count("was higher for") == len(clear)
        assert result.verify().ok
