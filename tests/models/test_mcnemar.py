"""McNemar on cells, against R, brute force and closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from socialstats.errors import InputError
from socialstats.paired import matched_pairs as tests_of
from socialstats.paired.matched_pairs import (
    INTERVALS,
    Cells,
    cohens_g,
    odds_ratio_interval,
    tango,
    wald_std_error,
)
from tests.golden_data import golden

PAIRS = golden("mcnemar")["pairs"]
TABLES = [(5, 4, 2, 6), (3, 0, 2, 0), (0, 5, 1, 0), (9, 1, 0, 2), (2, 7, 7, 2), (30, 12, 5, 41)]


def cells_of(case):
    return Cells(**{name: case[name] for name in "abcd"})


def label(case):
    return f"{case['name']} {case['level']}"


@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_tests_equal_r(case):
    cells = cells_of(case)
    for name in ("asymptotic", "continuity", "exact", "mid_p"):
        found = getattr(tests_of, name)(cells)
        if name not in case:  # no discordant pairs: the only outcome there is
            assert (found.statistic, found.p) == (0.0, 1.0)
            continue
        if case[name]["p"] == "NaN":  # R divides 0 by 0
            assert "0/0" in found
            continue
        assert found.p == pytest.approx(case[name]["p"], rel=1e-8)
        if "statistic" in case[name]:
            assert found.statistic == pytest.approx(case[name]["statistic"], rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("case", PAIRS, ids=label)
def test_intervals_equal_r(case):
    cells = cells_of(case)
    assert cells.difference == pytest.approx(case["difference"], abs=1e-15)
    for name, function in INTERVALS.items():
        if name in case:  # rtol of the goldens; R's uniroot stops at 1e-15
            assert function(cells, case["level"]) == pytest.approx(
                case[name], rel=1e-8, abs=1e-12
            ), name
    for name in ("exact", "wilson", "wald"):
        found = odds_ratio_interval(cells, name, case["level"])
        if f"or_{name}" in case:
            assert found == pytest.approx(case[f"or_{name}"], rel=1e-8, abs=1e-12), name
    if "cohens_g" in case:
        found = cohens_g(cells, case["level"])
        assert found == pytest.approx((case["cohens_g"], *case["cohens_g_ci"]), rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("name", ["mcnemar_approval", "mcnemar_cavo"])
def test_every_printed_quantity_of_the_goldens(name):
    entry = golden(name)
    r, level = entry["r"], entry["inputs"]["conf_level"]
    cells = Cells(**{k: entry["inputs"][k] for k in "abcd"})
    close = {"rel": entry["rtol"]}
    for test in ("asymptotic", "continuity", "exact"):
        found = getattr(tests_of, test)(cells)
        assert (found.statistic, found.p) == pytest.approx(
            (r[test]["statistic"], r[test]["p"]), **close
        )
    assert tests_of.mid_p(cells).p == pytest.approx(r["midp"]["p"], **close)
    assert cells.odds_ratio == pytest.approx(r["odds_ratio"], **close)
    assert odds_ratio_interval(cells, "exact", level) == pytest.approx(r["or_ci_exact"], **close)
    assert odds_ratio_interval(cells, "wilson", level) == pytest.approx(
        r["or_ci_wilson_score"], **close
    )
    assert odds_ratio_interval(cells, "wald", level) == pytest.approx(r["or_ci_wald"], **close)
    assert (cells.difference, wald_std_error(cells)) == pytest.approx(
        (r["diff"], r["diff_se"]), **close
    )
    names = {"newcombe": "newcombe10"}
    for kind, function in INTERVALS.items():
        assert function(cells, level) == pytest.approx(
            r[f"diff_ci_{names.get(kind, kind)}"], **close
        ), kind
    # the golden's g is that of the more frequent direction; ours has the sign of the difference
    g, low, high = cohens_g(cells, level)
    sign = math.copysign(1.0, g)
    assert (abs(g), *sorted((sign * low, sign * high))) == pytest.approx(
        (r["cohens_g"], *r["cohens_g_ci"]), **close
    )


@pytest.mark.parametrize(("b", "c"), list(itertools.product(range(5), range(5))))
def test_exact_and_mid_p_by_enumeration(b, c):
    n = b + c
    chance = [math.comb(n, k) / 2**n for k in range(n + 1)]
    cells = Cells(a=3, b=b, c=c, d=2)
    as_extreme = sum(x for k, x in enumerate(chance) if abs(k - n / 2) >= abs(b - n / 2))
    ties = sum(x for k, x in enumerate(chance) if abs(k - n / 2) == abs(b - n / 2))
    assert tests_of.exact(cells).p == pytest.approx(as_extreme)
    assert tests_of.mid_p(cells).p == pytest.approx(1.0 if b == c else as_extreme - ties / 2)


def profile_likelihood_ends(cells, level):
    """Ends of the score interval: the constrained likelihood maximised on a fine grid, then refined, by bisection."""
    b, c, n = cells.b, cells.c, cells.n
    z = stats.norm.ppf((1 + level) / 2)

    def score(delta):
        low, high = max(0.0, -delta), (1 - delta) / 2
        for _ in range(8):
            q = np.linspace(low, high, 401)
            with np.errstate(divide="ignore", invalid="ignore"):
                parts = [
                    np.where(w > 0, w * np.log(x), 0.0)
                    for w, x in ((b, q + delta), (c, q), (n - b - c, 1 - 2 * q - delta))
                ]
            best = int(np.nanargmax(np.sum(parts, axis=0)))
            low, high = q[max(best - 1, 0)], q[min(best + 1, 400)]
        variance = n * (2 * q[best] + delta * (1 - delta))
        return (b - c - n * delta) / math.sqrt(max(variance, 1e-300))

    def solve(inside, outside, target):
        for _ in range(50):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if abs(score(middle)) < target else (inside, middle)
        return inside

    return solve(cells.difference, -1.0, z), solve(cells.difference, 1.0, z)


@pytest.mark.parametrize("table", TABLES)
def test_tango_inverts_the_score_test(table):
    cells = Cells(**dict(zip("abcd", table, strict=True)))
    # 8 refinements of a 401-point grid leave an error of q near 1e-6 where the likelihood is flat
    assert tango(cells, 0.95) == pytest.approx(profile_likelihood_ends(cells, 0.95), abs=1e-5)


@pytest.mark.parametrize("name", INTERVALS)
@pytest.mark.parametrize("table", [*TABLES, (6, 0, 0, 4)])
def test_intervals_mirror_when_the_conditions_are_exchanged(name, table):
    a, b, c, d = table
    low, high = INTERVALS[name](Cells(a=a, b=b, c=c, d=d), 0.9)
    swapped = INTERVALS[name](Cells(a=a, b=c, c=b, d=d), 0.9)
    assert swapped == pytest.approx((-high, -low), abs=1e-9)


def test_published_p_values_of_fagerland():
    bentur = Cells(a=1, b=1, c=7, d=12)
    names = ("asymptotic", "continuity", "exact", "mid_p")
    assert [round(getattr(tests_of, t)(bentur).p, 3) for t in names] == [0.034, 0.077, 0.070, 0.039]


def test_tango_covers_and_wald_does_not_in_a_small_sample():
    """Exact coverage over all tables of n = 15 with P(first only) = .15, P(second only) = .05."""
    n, p12, p21 = 15, 0.15, 0.05
    cover = {"tango": 0.0, "wald": 0.0}
    for b in range(n + 1):
        for c in range(n + 1 - b):
            chance = stats.multinomial.pmf([b, c, n - b - c], n, [p12, p21, 1 - p12 - p21])
            for name in cover:
                low, high = INTERVALS[name](Cells(a=n - b - c, b=b, c=c, d=0), 0.95)
                cover[name] += chance * (low <= p12 - p21 <= high)
    assert cover["tango"] > 0.93
    assert cover["wald"] < 0.91


@pytest.mark.parametrize("value", [-1, 2.5, math.nan, math.inf])
@pytest.mark.parametrize("name", list("abcd"))
def test_impossible_counts_are_errors_that_name_the_cell(name, value):
    with pytest.raises(InputError, match=rf"cell {name} .*whole number"):
        Cells(**({"a": 1, "b": 1, "c": 1, "d": 1} | {name: value}))


def test_an_empty_table_is_an_error():
    with pytest.raises(InputError, match="no pair"):
        Cells(a=0, b=0, c=0, d=0)


@pytest.mark.parametrize(
    (
        "b",
        "c",
        "exact",
        "mid_p",
    ),  # R: binom.test(b, b + c)$p.value; 2 pbinom(m, n, .5) - dbinom(m, n, .5), 14 digits
    [
        (1_000_000, 999_999, 1.0, 0.9994358104869759),
        (499_999, 500_000, 1.0, 0.9992021156386682),
        (501_000, 499_000, 2 * 0.0228041499326911, None),
        (505_000, 495_000, 2 * 7.690777521953530e-24, None),
    ],
)
def test_a_million_discordant_pairs(b, c, exact, mid_p):
    cells = Cells(a=3, b=b, c=c, d=0)
    assert tests_of.exact(cells).p == pytest.approx(exact, rel=1e-11)
    if mid_p is not None:
        assert tests_of.mid_p(cells).p == pytest.approx(mid_p, rel=1e-11)


def test_p_is_never_zero():
    cells = Cells(a=0, b=5000, c=0, d=0)
    assert all(
        getattr(tests_of, t)(cells).p > 0 for t in ("asymptotic", "continuity", "exact", "mid_p")
    )
