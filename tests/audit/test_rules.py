"""Every check against closed forms, brute force over the true values behind rounded ones, and scipy's tests."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from brute import ROUNDED, as_printed
from scipy import stats

import socialstats as ss
from socialstats.audit.numbers import Finding
from socialstats.errors import InputError


def rounded(value: float | Fraction, decimals: int) -> str:
    """One of the ways in which a number may be rounded."""
    return random.choice(sorted(as_printed(Fraction(value), decimals, ROUNDED)))


@pytest.fixture(autouse=True)
def _seeded() -> None:
    random.seed(5)


@pytest.mark.parametrize("decimals", [0, 1, 2, 3])
def test_true_sums_means_and_composites_are_never_flagged(decimals: int) -> None:
    """Numbers are drawn, combined exactly and printed: every check must accept what it asks for."""
    for _ in range(60):
        m = random.randint(2, 9)
        values = [Fraction(random.randint(-9999, 9999), 997) for _ in range(m)]
        weights = [random.randint(1, 30) for _ in range(m)]
        parts = [rounded(v, decimals) for v in values]
        total = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
        absolute = sum(abs(v) for v in values) / m
        assert ss.audit.sum_to(parts, rounded(sum(values), decimals))
        assert ss.audit.weighted_mean(rounded(total, decimals), parts, weights)
        assert ss.audit.hull(rounded(total, decimals), parts)
        assert ss.audit.mean_of(rounded(sum(values) / m, decimals), parts)
        assert ss.audit.mean_abs(rounded(absolute, decimals), parts)
        composite = sum(w * (v - 3) for w, v in zip(weights, values, strict=True)) / 7 + 2
        assert ss.audit.linear_composite(
            rounded(composite, decimals), parts, weights, center=3, divisor=7, shift=2
        )
        for ddof in (0, 1):
            spread = float(np.std([float(v) for v in values], ddof=ddof))
            assert ss.audit.sd_of(rounded(spread, decimals), parts, ddof=ddof)


def test_false_means_are_flagged() -> None:
    parts = ["0.10", "0.20", "0.60"]
    for check in (ss.audit.mean_of, ss.audit.mean_abs):
        assert [check(f"0.{k}", parts).verdict for k in (29, 30, 31)] == ["agree"] * 3
        assert [check(f"0.{k}", parts).verdict for k in (27, 28, 32, 33)] == ["disagree"] * 4
    assert ss.audit.hull("0.62", parts).verdict == "disagree"
    found = ss.audit.weighted_mean("0.30", parts, [1, 1, 8])
    assert (found.verdict, found.details["fits_equal_weights"]) == ("disagree", True)
    assert "the unweighted mean fits" in found.message


def test_gap_is_measured_in_units_of_the_last_digit() -> None:
    found = ss.audit.sum_to([Fraction(1), Fraction(2)], "3.07")
    assert (found.gap, found.severity) == (Fraction("6.5"), "major")
    assert ss.audit.sum_to([Fraction(1), Fraction(2)], "3.01").severity == "minor"
    assert (
        ss.audit.mean_of("0.11", ["0.10", "0.10"]).verdict == "agree"
    )  # .105 to .115 against .095 to .105


def test_percentages_and_shares_are_joined() -> None:
    assert ss.audit.sum_to(["33.3%", "33.3%", "33.4%"]).verdict == "agree"
    assert ss.audit.sum_to(["33%", "33%", "30%"]).verdict == "disagree"
    assert ss.audit.sum_to(["0.5", "0.3", "0.2"]).verdict == "agree"
    assert ss.audit.sum_to(["0.5", "0.3", "0.1"]).verdict == "agree"  # .75 to 1.05: rounding alone
    assert ss.audit.sum_to(["0.50", "0.30", "0.10"]).verdict == "disagree"
    assert ss.audit.text_against_table("45%", "0.45").verdict == "agree"
    assert ss.audit.mean_of("45%", ["0.40", "0.50"]).verdict == "agree"


def test_counts_add_up_exactly() -> None:
    assert ss.audit.sum_to(["10", "20"], "31").verdict == "agree"  # might be rounded percentages
    found = ss.audit.sum_to(["10", "20"], "31", counts=True)
    assert (found.verdict, found.expected) == ("disagree", "30")


def test_count_percent_against_all_counts() -> None:
    for total in range(1, 40):
        for k in range(total + 1):
            exact = Fraction(100 * k, total)
            for text in as_printed(exact, 1, ROUNDED):
                assert ss.audit.count_percent(k, text, total).verdict == "agree"
            far = as_printed(exact + Fraction(3, 10), 1, ROUNDED).pop()
            assert ss.audit.count_percent(k, far, total).verdict == "disagree"
    assert ss.audit.count_percent("5", "50%", "0").verdict == "not_checkable"
    assert ss.audit.count_percent("5", "0.50", "10", scale=1).verdict == "agree"
    with pytest.raises(InputError, match="cannot be negative"):
        ss.audit.count_percent("-5", "50", "10")


def test_rounded_twice_is_told_apart() -> None:
    """3.1494 -> 3.15 -> 3.2: an exact source disagrees and says so; a rounded source is left alone."""
    exact = ss.audit.count_percent("153", "3.2", "4858")
    assert (exact.verdict, exact.severity) == ("disagree", "minor")
    assert "rounded twice, it would fit" in exact.message
    soft = ss.audit.weighted_mean("0.218", ["0.2164", "0.2175"], [1, 1])  # up to .21700 + .00005
    assert soft.verdict == "disagree"
    near = ss.audit.weighted_mean("0.218", ["0.2174", "0.21748"], [1, 1])
    assert near.verdict == "agree"
    assert "rounded twice" in near.message


def upper_tail(kind: str, t: float) -> float:
    """Return p of a test by scipy's distributions."""
    if kind in ("t", "r"):
        return 2 * float(stats.t.sf(t, 7 if kind == "t" else 18))
    if kind == "z":
        return 2 * float(stats.norm.sf(t))
    return float(stats.chi2.sf(t, 3) if kind == "chi2" else stats.f.sf(t, 2, 30))


@pytest.mark.parametrize(
    ("kind", "df"), [("t", [7]), ("z", []), ("chi2", [3]), ("F", [2, 30]), ("r", [18])]
)
def test_p_values_against_scipy(kind: str, df: list[int]) -> None:
    for statistic in (0.21, 0.47, 0.83, 2.2, 5.13):
        if kind == "r" and statistic > 1:
            continue
        t = statistic * math.sqrt(18 / (1 - statistic**2)) if kind == "r" else statistic
        tail = upper_tail(kind, t)
        frees = {"F": {"df1": 2, "df": 30}}.get(kind, {"df": df[0]} if df else {})
        for sign in ("", "-") if kind in "tzr" else ("",):
            finding = ss.audit.statistic_p(
                kind, f"{sign}{statistic}0", rounded(float(tail), 3), **frees
            )  # type: ignore[arg-type]
            assert finding.verdict == "agree", (kind, statistic, tail)
            assert finding.details["p_low"] <= tail <= finding.details["p_high"]
            wrong = rounded(min(0.999, float(tail) + 0.05), 3)
            assert (
                ss.audit.statistic_p(kind, f"{sign}{statistic}0", wrong, **frees).verdict
                == "disagree"
            )  # type: ignore[arg-type]


def test_p_values_printed_as_bounds() -> None:
    assert ss.audit.statistic_p("t", "4.00", "<.001", df=50).verdict == "agree"
    assert ss.audit.statistic_p("t", "2.00", "<.001", df=50).verdict == "disagree"
    assert ss.audit.statistic_p("t", "2.00", ">.05", df=50).verdict == "agree"  # p = .0509 to .0515
    assert ss.audit.statistic_p("t", "2.40", "> .05", df=50).severity == "major"
    assert ss.audit.statistic_p("z", "9.99", "0.000").verdict == "agree"


def test_sides_and_decisions_are_named() -> None:
    found = ss.audit.statistic_p("t", "1.80", ".039", df=50)
    assert (found.verdict, found.severity) == ("disagree", "major")
    assert "one-sided fits; on the other side of 0.05" in found.message
    assert ss.audit.statistic_p("t", "1.80", ".039", df=50, tails="one").verdict == "agree"
    assert ss.audit.statistic_p("z", "3.00", ".004").severity == "minor"
    assert "two-sided fits" in ss.audit.statistic_p("z", "2.00", ".046", tails="one").message


def test_welch_degrees_of_freedom_are_rounded_too() -> None:
    exact = 2 * stats.t.sf(2.345, 7.44)
    assert ss.audit.statistic_p("t", "2.345", rounded(float(exact), 4), df="7.4").verdict == "agree"


def test_p_errors_name_what_is_missing() -> None:
    with pytest.raises(InputError, match="df1 is missing: p of F needs df1 and df"):
        ss.audit.statistic_p("F", "3.2", ".05", df=20)
    with pytest.raises(InputError, match="not one of t, F, z, chi2, r"):
        ss.audit.statistic_p("q", "3.2", ".05")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"r=1\.2 is no correlation"):
        ss.audit.statistic_p("r", "1.2", ".05", df=9)
    assert ss.audit.statistic_p("t", "0", ".8", df=5).verdict == "agree"


def test_t_from_summary_of_real_samples() -> None:
    generator = np.random.default_rng(3)
    for n in (5, 12, 40):
        for _ in range(40):
            x = generator.normal(0.4, 1, n)
            mean, sd = (rounded(float(v), 2) for v in (x.mean(), x.std(ddof=1)))
            found = stats.ttest_1samp(x, 0)
            assert ss.audit.t_from_summary(mean, sd, n, t=rounded(float(found.statistic), 2))
            assert ss.audit.t_from_summary(mean, sd, n, p=rounded(float(found.pvalue), 3))
            assert not ss.audit.t_from_summary(
                mean, sd, n, t=rounded(float(found.statistic) + 1.5, 2)
            )
    assert ss.audit.t_from_summary("0.1", "0.00", 9, t="2").verdict == "not_checkable"
    assert ss.audit.t_from_summary(
        "1.00", "2.00", 16, t="2.00", p=".064"
    )  # 2 (1 - pt(2, 15)) = .0639
    assert not ss.audit.t_from_summary("1.00", "2.00", 16, t="2.00", p=".64")
    assert not ss.audit.t_from_summary("1.00", "2.00", 16, t="-2.00")
    alone = ss.audit.t_from_summary("-7.81", "30.83", 20)
    assert (alone.verdict, alone.expected) == (
        "not_checkable",
        "t = -1.1338 to -1.132, p = 0.271 to 0.272",
    )


def test_standard_errors_of_all_counts() -> None:
    for n in (2, 5, 16, 40):
        for k, ddof in product(range(n + 1), (0, 1)):
            error = math.sqrt(k * (n - k) / (n * n * (n - ddof)))
            for decimals in (2, 4):
                mean = rounded(Fraction(k, n), decimals)
                assert ss.audit.std_error_possible(mean, rounded(error, decimals), n, ddof=ddof), (
                    k,
                    n,
                    ddof,
                )
                assert ss.audit.std_error_possible(mean, rounded(error, decimals), n)
    for wrong in ("0.0900", "0.1300"):
        found = ss.audit.std_error_possible("0.4375", wrong, 16)
        assert (found.verdict, found.severity) == ("disagree", "minor")
        assert "clusters" in found.message


def test_a_standard_error_of_zero() -> None:
    for zero in (0, 0.0):
        assert ss.audit.std_error_possible("0.4375", zero).severity == "major"
        assert ss.audit.std_error_possible("0.4375", zero, 16).severity == "major"
        assert ss.audit.std_error_possible("1.0", zero, 16).verdict == "agree"
    assert (
        ss.audit.std_error_possible("0.45", "0.000").verdict == "disagree"
    )  # needs 984,000 answers
    assert ss.audit.std_error_possible("0.45", "0.0").verdict == "disagree"
    assert (
        ss.audit.std_error_possible("0.45", "0.00").verdict == "not_checkable"
    )  # 9,900 answers have .005
    assert ss.audit.std_error_possible("0.45", "0.00", 14042).verdict == "agree"
    assert ss.audit.std_error_possible("1.000", "0.000").verdict == "not_checkable"
    assert ss.audit.std_error_possible("45", "11.4", 20, scale=100).verdict == "agree"
    assert ss.audit.std_error_possible("45%", "11.4%", 20).verdict == "agree"
    with pytest.raises(InputError, match="no share"):
        ss.audit.std_error_possible("45", "11.4", 20)
    assert (
        ss.audit.std_error_possible("0.46", "0.11", 20).verdict == "not_checkable"
    )  # no count gives .46


def test_paired_t_of_bounded_samples() -> None:
    """No sample of differences within the bound is ever flagged; the extreme one attains the limit."""
    generator = np.random.default_rng(8)
    for n in (3, 8, 25):
        for _ in range(80):
            x = generator.choice([-1, 1, 0.2], n, p=[0.2, 0.6, 0.2]) * generator.uniform(0.3, 1, n)
            t = x.mean() / (x.std(ddof=1) / math.sqrt(n))
            assert ss.audit.paired_t_feasible(
                rounded(float(t), 2), rounded(float(x.mean()), 2), 1, n
            )
    x = np.array([1.0] * 58 + [-1.0] * 42)
    t = x.mean() / (x.std(ddof=1) / 10)
    least = ss.audit.paired_t_feasible(Fraction(t), Fraction(16, 100), 1, 100).details["least_t"]
    assert least == pytest.approx(t, rel=1e-12)
    assert ss.audit.paired_t_feasible("1.4", "0.16", 1, 100).verdict == "disagree"
    assert ss.audit.paired_t_feasible("1.4", "0.00", 1, 100).verdict == "no_power"
    assert ss.audit.paired_t_feasible("4.85", "0.16", 1).verdict == "not_checkable"
    with pytest.raises(InputError, match="impossible when no value exceeds 1"):
        ss.audit.paired_t_feasible("2", "1.20", 1, 9)


def test_mcnemar_against_all_tables() -> None:
    for n in (12, 31):
        for b in range(n + 1):
            for c in range(n + 1 - b):
                if b + c == 0:
                    continue
                bias = rounded(Fraction(2 * (b - c), n), 3)
                chi2 = (b - c) ** 2 / (b + c)
                p = stats.binomtest(b, b + c).pvalue
                assert ss.audit.mcnemar_bounds(bias, n, statistic=Fraction(chi2))
                assert ss.audit.mcnemar_bounds(bias, n, significant=chi2 > stats.chi2.isf(0.05, 1))
                assert ss.audit.mcnemar_bounds(
                    bias, n, significant=bool(p < 0.05), exact_test=True
                ), (b, c, n)
    assert ss.audit.mcnemar_bounds("0.0", 100, significant=True).verdict == "disagree"


@pytest.mark.slow
def test_parts_of_units_against_all_splits() -> None:
    """Three groups of 0/1 units: every part's mean is accepted; with the extremes the bounds are attained."""
    generator = np.random.default_rng(1)
    for _ in range(25):
        groups = [generator.integers(0, 2, size) for size in (2, 3, 4)]
        means, sizes = [Fraction(int(g.sum()), len(g)) for g in groups], [len(g) for g in groups]
        units = [(k, int(v)) for k, g in enumerate(groups) for v in g]
        seen = []
        for mask in range(1, 2 ** len(units)):
            part = [u for i, u in enumerate(units) if mask >> i & 1]
            if len(part) == 4:
                seen.append(Fraction(sum(v for _, v in part), 4))
                taken = [sum(k == g for k, _ in part) for g in range(3)]
                assert ss.audit.subset_mean(seen[-1], 4, means, sizes, low=0, high=1, taken=taken)
        for value in (min(seen), max(seen)):
            assert ss.audit.subset_mean(value, 4, means, sizes, low=0, high=1)
        for value in (min(seen) - Fraction(1, 8), max(seen) + Fraction(1, 8)):
            assert not ss.audit.subset_mean(value, 4, means, sizes, low=0, high=1)


def test_reference_lines_by_simulation() -> None:
    """Coins, and one random ranking: S of many simulated tables; tolerance 4 Monte-Carlo standard errors."""
    generator = np.random.default_rng(4)
    targets = np.array([1, 0.5, 0])
    coins = generator.binomial(30, 0.5, (4000, 3)) / 30
    s = 100 * ((coins - targets) ** 2).sum(axis=1)
    line = float(ss.audit.sensitivity_reference("1", "coin", n=30).expected)
    assert abs(s.mean() - line) < 4 * s.std() / math.sqrt(len(s))
    shares = generator.integers(0, 8, 4000) / 7  # the rank among 8 items is uniform
    ranked = 100 * ((shares[:, None] - targets) ** 2).sum(axis=1)
    line = float(ss.audit.sensitivity_reference("1", "ranking", opponents=[7] * 8).expected)
    assert abs(ranked.mean() - line) < 4 * ranked.std() / math.sqrt(len(ranked))
    always = {100 * float(((p - targets) ** 2).sum()) for p in (0.0, 1.0)}
    assert always == {125.0}
    assert ss.audit.sensitivity_reference("125", "all_or_nothing").verdict == "agree"


def test_distances_to_an_unknown_key() -> None:
    """True sums of any key are feasible; sums of shuffled answers are not; the proof is exact."""
    generator = np.random.default_rng(2)
    answers = {
        i: {j: float(v) for j, v in enumerate(generator.integers(0, 5, 24))} for i in range(10)
    }
    key = generator.uniform(0, 4, 10)
    sums = {
        "g": {
            j: Fraction(float(sum(abs(key[i] - answers[i][j]) for i in answers))) for j in range(24)
        }
    }
    groups = dict.fromkeys(answers, "g")
    (fits,) = ss.audit.alignment(sums, answers, groups)
    assert fits.verdict == "agree"
    twisted = {i: {j: answers[i][(j + 1) % 24] for j in range(24)} for i in answers}
    (bad,) = ss.audit.alignment(sums, twisted, groups)
    assert bad.verdict == "disagree"
    assert 0 < bad.details["proved"] <= Fraction(bad.details["misfit"]) + Fraction(1, 10**6)
    printed_sums = {"g": {j: f"{float(v):.1f}" for j, v in sums["g"].items()}}
    (rounded_sums,) = ss.audit.alignment(printed_sums, answers, groups)
    assert rounded_sums.verdict == "agree"


def test_distances_join_by_key_and_refuse_what_is_missing() -> None:
    sums = {"g": {"a": "2"}}
    assert (
        ss.audit.alignment(sums, {1: {"a": 0}, 2: {"a": 4}}, {2: "g", 1: "g"})[0].verdict == "agree"
    )
    with pytest.raises(InputError, match="unit '2' has answers but no group"):
        ss.audit.alignment(sums, {1: {"a": 0}, 2: {"a": 4}}, {1: "g"})
    with pytest.raises(InputError, match="with missing="):
        ss.audit.alignment(sums, {1: {"a": None}}, {1: "g"})
    with pytest.raises(InputError, match="outside 0 to 4"):
        ss.audit.alignment(sums, {1: {"a": 7}}, {1: "g"})
    with pytest.raises(InputError, match="has a published sum but no unit"):
        ss.audit.alignment({"x": {"a": "2"}}, {1: {"a": 1}}, {1: "g"})
    with pytest.raises(InputError, match="does not hold the same units"):
        ss.audit.by_position({1: "g"}, [2])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ss.audit.sum_to(["1"], 1), "parts holds 1 number"),
        (lambda: ss.audit.sum_to(["1", "<2"], 1), "is a bound"),
        (lambda: ss.audit.weighted_mean("1", ["1", "2"], [1]), "2 parts and 1 weights"),
        (lambda: ss.audit.weighted_mean("1", ["1", "2"], [1, -1]), "must not be negative"),
        (
            lambda: ss.audit.linear_composite("1", {"a": 1}, {"b": 1}),
            "has a score or a weight, not both",
        ),
        (lambda: ss.audit.linear_composite("1", ["1"], ["1"], divisor=0), "divisor=0"),
        (lambda: ss.audit.within("1"), "give low or high"),
        (lambda: ss.audit.sensitivity_reference("1", "dice"), "not one of rule, coin"),  # type: ignore[arg-type]
        (lambda: ss.audit.sd_of("1", ["1", "2"], ddof=2), "ddof=2 is not 0 or 1"),
        (lambda: ss.audit.subset_mean("1", 9, ["1"], [4], low=0, high=2), "n=9 of 4 units"),
        (lambda: ss.audit.text_against_table("1", "2", scale=0), "scale=0"),
    ],
)
def test_unusable_input_is_an_error(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]


def test_findings_are_plain_data() -> None:
    import json

    finding: Finding = ss.audit.weighted_mean("0.42", ["0.524", "0.316"], [1, 3])
    assert bool(finding) is False
    assert json.loads(json.dumps(finding.to_dict(), allow_nan=False))["verdict"] == "disagree"
    assert "disagree" in finding.message
    assert not {"wrong", "error", "mistake", "fraud", "fabricat"} & set(
        finding.message.lower().split()
    )
