"""Checks from summaries against R: each right number agrees by its own variant, each changed one does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.audit.numbers import Finding
from socialstats.errors import InputError

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "golden" / "audit_summaries.json").read_text()
)
FINE = ("agree", "no_power")
A = ss.audit


def shown(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}"


def pair_of(made: dict[str, Any], decimals: int) -> list[Any]:
    kinds = [
        ("mean1", decimals),
        ("sd1", decimals),
        ("n1", 0),
        ("mean2", decimals),
        ("sd2", decimals),
        ("n2", 0),
    ]
    return [shown(made[name], places) for name, places in kinds]


def fits(found: Finding, variant: str) -> None:
    assert found.verdict == "agree", found.message
    assert found.details["variant"] == variant


@pytest.mark.slow
@pytest.mark.parametrize("table", GOLDEN["tables"], ids=lambda t: t["name"])
def test_right_tables_raise_no_alarm_at_any_rounding(table: dict[str, Any]) -> None:
    for decimals in (1, 2, 3):
        pair = pair_of(table["pair"], decimals)
        first, second = pair[:3], pair[3:]
        made = []
        for name in ("welch", "student"):
            r = table["pair"][name]
            told = {"t": shown(r["t"], 2), "df": shown(r["df"], 1), "p": shown(r["p"], 3)}
            made += [A.two_sample_t(*pair, **{k: v}) for k, v in told.items()]
            made += [A.two_sample_t(*pair, **told), A.two_sample_t(*second, *first, **told)]
            made.append(A.two_sample_t(*pair, df=str(int(r["df"])), t=told["t"]))  # cut off
        size = [pair[i] for i in (0, 1, 3, 4, 2, 5)]
        made += [A.cohens_d(shown(table["pair"][k], 2), *size) for k in ("d", "d_average")]
        made += [A.cohens_d(shown(table["pair"]["g"], 2), *size, kind="g")]
        rows = table["rows"]
        groups = [
            [shown(r[k], d) for r in rows]
            for k, d in (("mean", decimals), ("sd", decimals), ("n", 0))
        ]
        for name in ("anova", "welch_anova"):
            made += [A.anova_f(*groups, f=shown(table[name]["f"], 2), p=shown(table[name]["p"], 3))]
        for r in rows:
            low, high, mean, se, sd = (
                shown(r[k], decimals) for k in ("low", "high", "mean", "se", "sd")
            )
            made += [
                A.mean_ci(mean, low, high, std_error=se, n=r["n"]),
                A.mean_ci(mean, low, high, sd=sd, n=r["n"]),
            ]
            made += [A.mean_ci(mean, low, high, std_error=se), A.mean_ci(mean, low, high)]
            made += [A.std_error_from_sd(se, sd, r["n"])]
        for r in table["shares"]:
            ends = [shown(100 * r[k], decimals) + "%" for k in ("low", "high")]
            share = shown(100 * r["count"] / r["n"], decimals) + "%"
            made += [
                A.count_ci(*ends, r["n"], count=r["count"]),
                A.count_ci(*ends, r["n"], share=share),
            ]
        made.append(
            A.duplicate_rows([[shown(r[k], decimals) for k in ("mean", "sd", "se")] for r in rows])
        )
        wrong = [f.message for f in made if f.verdict not in (*FINE, "not_checkable")]
        assert not wrong


def test_there_are_sixty_right_tables() -> None:
    assert len(GOLDEN["tables"]) >= 60


def test_each_test_and_effect_is_found_by_its_name() -> None:
    table = next(t for t in GOLDEN["tables"] if t["name"] == "ToothGrowth len by supp")
    other = next(t for t in GOLDEN["tables"] if t["name"] == "mtcars mpg by am")["pair"]
    pair, size = pair_of(other, 5), [pair_of(other, 5)[i] for i in (0, 1, 3, 4, 2, 5)]
    for name, said in (("welch", "Welch's test"), ("student", "Student's test")):
        fits(
            A.two_sample_t(*pair, t=shown(other[name]["t"], 4), p=shown(other[name]["p"], 7)), said
        )
        assert A.two_sample_t(*pair, t=shown(other[name]["t"], 4), test="student").verdict == (
            "agree" if name == "student" else "disagree"
        )
        fits(A.two_sample_t(*pair, df=shown(other[name]["df"], 2)), said)
    fits(A.cohens_d(shown(other["d"], 4), *size), "d with the pooled SD")
    fits(A.cohens_d(shown(other["d_average"], 4), *size), "d with the root mean of the variances")
    fits(A.cohens_d(shown(other["g"], 4), *size, kind="g"), "g with the pooled SD")
    glass = A.cohens_d(shown(other["glass"], 4), *size)
    assert (glass.verdict, glass.severity, glass.details["variant"]) == (
        "disagree",
        "minor",
        "Glass's delta (SD of group 2)",
    )
    one = A.two_sample_t(*pair, p=shown(1 - other["welch"]["one"], 6), test="welch")
    assert (one.verdict, one.details["variant"]) == ("disagree", "Welch's test, one-sided,")
    assert (
        A.two_sample_t(*pair, p=shown(other["welch"]["one"], 6), test="welch", tails="one").verdict
        == "agree"
    )
    assert (
        A.two_sample_t(
            *pair, p=shown(1 - other["welch"]["one"], 6), test="welch", tails="one"
        ).verdict
        == "agree"
    )
    rows = table["rows"]
    groups = [[shown(r[k], 5) for r in rows] for k in ("mean", "sd")]
    fits(
        A.anova_f(*groups, [r["n"] for r in rows], f=shown(table["anova"]["f"], 4)),
        "the one-way analysis",
    )
    rows = next(t for t in GOLDEN["tables"] if t["name"] == "mtcars mpg by cyl")
    groups = [[shown(r[k], 5) for r in rows["rows"]] for k in ("mean", "sd")]
    fits(
        A.anova_f(*groups, [r["n"] for r in rows["rows"]], f=shown(rows["welch_anova"]["f"], 3)),
        "Welch's F",
    )


@pytest.mark.parametrize("made", GOLDEN["paired"])
def test_paired_tests(made: dict[str, Any]) -> None:
    four = [shown(made[k], 3) for k in ("mean1", "sd1", "mean2", "sd2")]
    p = f"{made['p']:.3g}"
    assert A.paired_t_bounds(*four, made["n"], t=shown(made["t"], 2), p=p).verdict in FINE
    assert (
        A.paired_t_bounds(*four, made["n"], t=shown(-made["t"], 2), r=shown(made["r"], 3)).verdict
        in FINE
    )
    low = abs(made["mean1"] - made["mean2"]) * made["n"] ** 0.5 / (made["sd1"] + made["sd2"])
    assert A.paired_t_bounds(*four, made["n"], t=shown(0.9 * low, 3)).verdict == "disagree"


@pytest.mark.parametrize("made", GOLDEN["correlations"])
def test_correlations(made: dict[str, Any]) -> None:
    r, t, p = shown(made["r"], 4), shown(made["t"], 2), f"{made['p']:.3g}"
    assert A.correlation(r, n=made["n"], t=t, p=p).verdict == "agree"
    assert A.correlation(r, df=made["n"] - 2, t=shown(made["t"] * 1.1, 2)).verdict == "disagree"


@pytest.mark.parametrize("made", GOLDEN["coefficients"])
def test_coefficients(made: dict[str, Any]) -> None:
    b, se = f"{made['b']:.4g}", f"{made['se']:.4g}"
    assert (
        A.t_from_estimate(b, se, t=shown(made["t"], 2), p=f"{made['p']:.2g}", df=made["df"]).verdict
        == "agree"
    )
    assert A.t_from_estimate(b, se, p=f"{made['p']:.2g}").verdict in FINE
    assert A.t_from_estimate(b, se, t=shown(1.2 * made["t"] + 0.1, 2)).verdict == "disagree"


@pytest.mark.parametrize("made", GOLDEN["intervals"])
def test_intervals_of_counts_are_named(made: dict[str, Any]) -> None:
    n, k = made.pop("n"), made.pop("k")
    for name, (low, high) in made.items():
        found = A.count_ci(shown(low, 6), shown(high, 6), n, count=k)
        assert found.verdict == "agree", name
        assert found.details["variant"].removesuffix(" cut off at 0 and 1") in (name, "Wald")
        if k == 38:
            assert found.details["variant"] == name
            assert A.count_ci(shown(low, 4), shown(high + 0.004, 4), n, count=k).severity == "minor"


@pytest.mark.parametrize("made", GOLDEN["two"])
def test_two_by_two_tables(made: dict[str, Any]) -> None:
    cells = made["cells"]
    ratios = {
        "or": ("odds", "woolf", "the odds ratio with Woolf's interval"),
        "rr": ("risk", "katz", "the risk ratio"),
        "fisher": ("odds", "exact", "the conditional odds ratio with the exact interval"),
    }
    for key, (kind, ends, name) in ratios.items():
        low, high = (shown(x, 4) for x in made[ends])
        found = A.ratio_from_counts(shown(made[key], 4), *cells, low=low, high=high, kind=kind)  # type: ignore[arg-type]
        assert found.verdict in FINE, (
            found.message
        )  # R's exact interval has an error of 1e-3 of ratios of 10
        assert found.details["variant"] == name
    turned = A.ratio_from_counts(shown(1 / made["or"], 4), *cells)
    assert (turned.severity, "other order" in turned.message) == ("minor", True)
    for key, name in (("pearson", "Pearson's chi2"), ("yates", "Yates' chi2")):
        fits(
            A.chi2_from_counts(
                cells, chi2=shown(made[key]["chi2"], 5), p=f"{made[key]['p']:.4g}", df=1
            ),
            name,
        )
    assert A.chi2_from_counts(cells, p=f"{made['fisher_p']:.4g}").verdict == "agree"


@pytest.mark.parametrize("made", GOLDEN["larger"])
def test_larger_tables(made: dict[str, Any]) -> None:
    df = made["df"]
    assert A.chi2_from_counts(made["counts"], chi2=shown(made["chi2"], 2), df=df).verdict == "agree"
    assert (
        A.chi2_from_counts(made["counts"], chi2=shown(made["chi2"], 2), df=df + 1).verdict
        == "disagree"
    )


@pytest.mark.parametrize("made", GOLDEN["agreement"])
def test_kappa(made: dict[str, Any]) -> None:
    po, pe = shown(made["po"], 3), shown(made["pe"], 3)
    assert A.kappa_from_agreement(shown(made["kappa"], 3), po, pe).verdict == "agree"
    assert A.kappa_from_agreement(shown(made["kappa"] + 0.02, 3), po, pe).verdict == "disagree"


def test_what_does_not_exist_has_a_reason() -> None:
    zero = A.two_sample_t("5.1", "0.0", 20, "4.2", "0.0", 20, t="3.1")
    assert (zero.verdict, "may be 0" in zero.message) == ("not_checkable", True)
    assert A.two_sample_t("5.1", "0.0", 20, "4.2", "1.0", 20, t="4.0").verdict == "agree"
    assert A.two_sample_t("5.1", "1.2", 20, "4.2", "1.0", 20).verdict == "not_checkable"
    assert (
        "Welch's test of 5.1 (1.2, n = 20)"
        in A.two_sample_t("5.1", "1.2", 20, "4.2", "1.0", 20).message
    )
    assert A.anova_f(["1", "2"], ["0", "0"], [5, 5], f="3").verdict == "not_checkable"
    assert A.chi2_from_counts([[0, 0], [3, 4]], chi2="1").verdict == "not_checkable"
    assert A.ratio_from_counts("1.5", 0, 4, 0, 4, kind="risk").verdict == "not_checkable"
    assert A.count_ci("0.1", "0.3", 7, share="0.20").verdict == "not_checkable"
    for call in (
        lambda: A.two_sample_t("5", "-1", 20, "4", "1", 20, t="1"),
        lambda: A.correlation("1.2", n=20, t="1"),
        lambda: A.cohens_d("0.5", "5", "1", "4", "1", n1=20),
        lambda: A.correlation(".3", t="1"),
        lambda: A.anova_f(["1"], ["1"], [4]),
        lambda: A.anova_f(["1", "2"], ["1", "2"], [4]),
        lambda: A.chi2_from_counts([[1, 2, 3]]),
        lambda: A.kappa_from_agreement("0.5", "78", "50"),
        lambda: A.count_ci("0.1", "0.3", 7),
        lambda: A.confusion(tp=-1),
        lambda: A.duplicate_rows([["1"]]),
        lambda: A.rating_win_rate("0.5", "1200", []),
        lambda: A.shared_denominator(["33.3"], 20),
        lambda: A.confusion(n=20),
    ):
        with pytest.raises(InputError):
            call()


def test_odd_input_is_refused_or_said() -> None:
    for call in (
        lambda: A.mean_ci("45", "35", "55", std_error="5", confidence=95),
        lambda: A.count_ci("0.1", "0.2", 50, count=7, confidence=95),
        lambda: A.ratio_from_counts("1.0", 5, 5, 5, 5, confidence=0),
        lambda: A.shared_denominator(["12.5", "150"], 20),
    ):
        with pytest.raises(InputError):
            call()
    assert A.ratio_from_counts("19.00", 10, 10, 0, 9, low="0.98", high="370.23").details[
        "variant"
    ] == ("the odds ratio with 1/2 added")
    assert (
        A.mean_ci("0.450", "0.400", "0.480").verdict == "no_power"
    )  # a bootstrap's or Wilson's is not symmetric
    assert A.mean_ci("0.450", "35.2%", "54.8%", std_error="0.050").verdict == "agree"
    assert A.confusion(tp=50, fp=60, fn=5, n=100, accuracy="0.5").verdict == "disagree"
    assert (
        A.confusion(precision="80.0", recall="60.0", f1="61.0", scale=100).verdict == "no_power"
    )  # of classes
    assert A.confusion(precision="80.0", recall="60.0", f1="71.0", scale=100).severity == "major"
    assert A.shared_denominator(["1.1", "2.2", "3.3"], 100_000).verdict == "no_power"
    assert (
        A.cohens_d("0.50", "5.12", "1.31", "4.55", "0.92", 10**12, 10**12, kind="g").verdict
        == "agree"
    )


def test_decisions_and_changes() -> None:
    found = A.two_sample_t("5.12", "1.31", 40, "4.80", "0.92", 38, p=".02")
    assert (found.severity, found.changes) == ("major", "p lies on the other side of 0.05")
    turned = A.rating_win_rate("0.24", "1200", ["1000"])
    assert (turned.severity, turned.changes) == (
        "major",
        "the lower rating has the higher win rate",
    )
    assert A.mean_ci("0.45", "0.55", "0.35").severity == "major"
    assert A.mean_ci("0.45", "0.37", "0.53", std_error="0.05").message.endswith(
        "the normal 90% interval fits"
    )
    assert A.mean_ci("0.45", "0.40", "0.59", std_error="0.05").message.endswith("would explain it")
