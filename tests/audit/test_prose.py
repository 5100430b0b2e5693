"""Test results in sentences: right ones agree, wrong ones are noticed, what is no test is not read."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

import pytest
from sentences import GOLDEN, NO_TESTS, right_sentences, wrong_sentences

from socialstats.audit.documents.passages import Passage
from socialstats.audit.documents.prose import findings_in, plain_sentence
from socialstats.audit.numbers import Finding

FITS = ("agree", "no_power")


def read(*texts: str) -> list[Finding]:
    """Findings of sentences of one document."""
    return findings_in(
        [Passage(text=text, source="paper.md", line=k) for k, text in enumerate(texts, 1)]
    )


def one(text: str) -> Finding:
    (found,) = read(text)
    return found


def test_right_sentences_agree() -> None:
    for text in right_sentences():
        found = read(text)
        assert found, text
        for finding in found:
            assert finding.verdict in FITS, (text, finding.message)


def test_what_is_no_test_is_not_read() -> None:
    assert len(NO_TESTS) == 80
    for text in NO_TESTS:
        assert not read(text), (text, read(text)[0].message)


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((GOLDEN / name).read_text(encoding="utf-8").splitlines()))


def verdict(result: str, told: str) -> str:
    """Verdict on one result in the words of statcheck; ``named`` where a part cannot be read."""
    found = read(
        f"As asked, one measure was compared: {result}"
        + (" in a one-tailed test." if told == "1" else ".")
    )
    if not found or found[0].verdict == "not_checkable":
        return "named" if found else "not read"
    wrong = "decision error" if found[0].details["decision_error"] else "error"
    return wrong if found[0].verdict == "disagree" else "consistent"


@pytest.mark.slow
def test_statcheck_has_the_same_verdicts_or_the_difference_is_explained() -> None:
    rows = table("statcheck.csv")
    differences = {(row["result"], row["told"]): row for row in table("statcheck_differences.csv")}
    assert len(rows) > 1500
    assert all(row["why"] for row in differences.values())
    for row in rows:
        known = differences.pop((row["result"], row["told"]), None)
        ours = verdict(row["result"], row["told"])
        if known:
            assert (known["statcheck"], known["ours"]) == (row["verdict"], ours), row
        else:
            assert row["verdict"] == ours, row
    assert not differences


def test_statcheck_computes_the_same_p() -> None:
    seen = 0
    for row in table("statcheck.csv"):
        if row["from"] == "seeded" and row["computed"]:
            details = one(row["result"] + ".").details
            assert (
                details["p_low"] <= float(row["computed"]) <= details["p_high"]
                or "= 0.0," in row["result"]
            ), row
            seen += 1
    assert seen > 350


POWER = {  # sentences with one error of a kind: noticed at least, of
    "one digit of p": (28, 34),
    "p halved": (34, 34),
    "one digit of the statistic": (30, 33),
    "degrees of freedom": (25, 33),
    "p on the other side of .05": (33, 33),
    "b or its s.e.": (29, 33),
}


def test_power_by_kind_of_error() -> None:
    noticed: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for kind, text in wrong_sentences():
        found = read(text)
        assert found, text
        total[kind] += 1
        noticed[kind] += any(finding.verdict == "disagree" for finding in found)
        if kind == "p on the other side of .05":
            assert found[0].details["decision_error"], text
            assert found[0].severity == "major", text
            assert found[0].changes, text
    assert {kind: of for kind, (_, of) in POWER.items()} == total
    page = (Path(__file__).parents[2] / "docs" / "audit.md").read_text(encoding="utf-8")
    for kind, (some, of) in POWER.items():
        assert noticed[kind] >= some, kind
        assert f"| {kind} | {some} of {of} |" in page


@pytest.mark.parametrize(
    "text",
    [
        "t(23) = 2.10, p = .047",
        "t = 2.10, df = 23, p = 0.047",
        "t-test: t23=2.1 (P=0.047)",
        "t(23)=2.10; p<.05",
        "t(23.4) = 2.10, p = .047",
        "t(23) = −2.10, p\u2009=\u2009.047",
        "t(23) = 2.10,\np = .047",
        "t(23) = 2,10; p = 0,047",
        "t(23) = 2,10, p = ,047",
        "$t(23) = 2.10$, $p = .047$",
        "*t*(23) = 2.10, *p* = .047",
        "t_{23} = 2.10, p = .047",
        "t₂₃ = 2.10, P = .047",
        "p = .047, t(23) = 2.10",
        "t(df = 23) = 2.10, p-value = 0.047",
        "t(23) = 2.10, p ≤ .05",
        "t(23) = 2.10, p = 4.7%",
        "t(23) = 2·10, p = 0·047",
        "t = 2.10, p = .047 (23 df)",
        "|t(23)| = 2.10, p = .047",
        "the t statistic was t (23) = 2.10 [p = .047]",
        "t(23) = 2.10, SE = 0.4, p = .047",
    ],
)
def test_styles(text: str) -> None:
    found = one(f"The two conditions differed ({text}).")
    assert (found.verdict, found.details["df"][0][:2], found.details["decision_error"]) == (
        "agree",
        "23",
        False,
    )


def test_every_statistic_of_the_page() -> None:
    for text in (
        "F(3, 729) = 4.21, p = .006",
        "χ2(1, N = 90) = 4.85, p = .03",
        "X2(1) = 4.85, p = .03",
        "r(58) = .34, p < .01",
        "z = 1.96, p = .05",
        "Q(12) = 22.20, p = .035",
        "F(l, 76) = 23.95, p < .001",
        "χ²₁ = 4.85, p = .028",
        "F(1.62, 46.98) = 5.31, p = .013",
        "F(1,5; 28,3) = 4,21; p = 0,034",
        "chi-square(1) = 4.85, p = .028",
        "F(1, 28) < 1, ns",
        "all Fs(1, 28) < 1.2, all ps > .25",
        "F1(1, 28) = 4.21, p = .050",
        "z = 5.1, p < 3.4 × 10⁻⁷",
        "r = .34, n = 60, p = .008",
        "QM(df = 1) = 4.85, p = .028",
        "t(1,545) = 2.10, p = .036",
    ):
        assert one(f"The effect: {text}.").verdict == "agree", text
    two = read("They differed, t(23) = 2.10 and t(23) = 1.30, p = .047 and p = .21, respectively.")
    assert [finding.verdict for finding in two] == ["agree", "agree"]
    assert len(read("Both differed, t(23) = 2.10 and t(23) = 2.50, ps < .05.")) == 2
    assert [
        f.published for f in read("Sizes (p = .047, t(23) = 2.10), shapes (p = .21, t(23) = 1.30).")
    ] == [
        ".047",
        ".21",
    ]


def test_decision_errors_and_rounding_errors() -> None:
    found = one("The gap was significant, t(23) = 1.90, p = .047.")
    assert (found.severity, found.details["decision_error"]) == ("major", True)
    assert found.changes == "By its own t the result is not significant at .05."
    assert found.passage == "The gap was significant, t(23) = 1.90, p = .047."
    assert found.where == "paper.md, line 1"
    found = one("The gap was not significant, t(23) = 2.20, ns.")
    assert found.changes == "By its own t the result is significant at .05."
    for text in ("t(23) = 2.10, p = .041", "F(3, 729) = 4.21, p = .05", "t(28) = 2.0, p = .01"):
        found = one(text)
        assert (found.verdict, found.severity, found.changes) == ("disagree", "minor", "")
    assert one("F(3, 729) = 4.21, p = .051").details["decision_error"]
    found = one("Not significant at the .01 level, t(23) = 3.10, p = .012.")
    assert found.changes == "By its own t the result is significant at .01."
    for sentence in (
        "The significance level was set to .01.",
        "We used a corrected α = .01.",
        "p < .01 was considered significant.",
    ):
        assert read(sentence, "t(23) = 3.10, p = .012.")[0].details["level"] == 0.01
    assert read("Cronbach's α = .01.", "t(23) = 3.10, p = .012.")[0].details["level"] == 0.05


def test_one_sided_tests_are_respected_where_the_text_names_them() -> None:
    one_sided = "t(28) = 2.20, p = .018"
    for text in (
        f"{one_sided}, one-tailed",
        f"one-sided {one_sided}",
        f"the directional test, {one_sided}",
    ):
        found = one(text)
        assert (found.verdict, found.details["tails"]) == ("agree", "one")
    assert one(one_sided).verdict == one("t(28) = 2.20, p = .01, one-tailed").verdict == "disagree"
    assert one(f"a bidirectional encoder, {one_sided}").verdict == "disagree"
    assert read("All tests were one-tailed.", one_sided)[0].verdict == "agree"
    assert read("Two one-sided tests are another matter.", one_sided)[0].verdict == "disagree"
    assert [f.verdict for f in read(f"{one_sided}, one-tailed.", one_sided)] == [
        "agree",
        "disagree",
    ]
    assert (
        one("F(1, 28) = 4.84, p = .018, one-tailed").verdict == "disagree"
    )  # F has no sides, for statcheck neither


def test_a_p_of_zero_is_no_disagreement_but_named() -> None:
    found = one("t(23) = 12.10, p = .000")
    assert found.verdict == "agree"
    assert found.details["impossible_print"]
    assert "no p is 0" in found.message
    assert (
        one("t(23) = 2.10, p = .000").verdict
        == one("t(28) = 22.20, p < .000").verdict
        == "disagree"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("t(28) = 2.20, p = 1.03", "above 1"),
        ("r(16) = 26.05, p = .10", "no correlation"),
        ("t(2,28) = 2.20, p = .03", "2,28"),
        ("t(28) = .2.20, p = .03", "t cannot be read"),
        ("t(0) = 2.20, p = .03", "above 0"),
        ("z(28) = 2.20, p = .03", "no degrees"),
        ("F(28) = 2.20, p = .03", "df1 is missing"),
        ("t(28) = 2.20, p ≈ .03", "approximate"),
        ("t(28) = 2.20, p = .O36", "O36"),
        ("F(2, 28) = -2.20, p = .03", "below 0"),
        ("t(28) = 2.20, p = .03-.05", "03-.05"),
        ("F = 4.21, p = .047", "df1 is missing"),
        ("r = .34, p = .047", "df is missing"),
        ("t = 2.10, p = .047", "degrees of freedom"),
        ("t(28) = 2.20, Holm-adjusted p = .11", "adjusted"),
        ("t(28) = 2.20, p_adj = .11", "adjusted"),
        ("Wilcoxon's exact test, z = -2.31, p = .018", "exact"),
        ("Mann-Whitney, z = -2.31, p = .026", "ranks"),
        ("a permutation test, t(28) = 2.20, p = .051", "resampled"),
    ],
)
def test_what_cannot_be_read_or_judged_is_named(text: str, why: str) -> None:
    found = one(text)
    assert (found.verdict, found.changes) == ("not_checkable", ""), found.message
    assert why in found.message


def test_p_values_that_the_document_adjusts() -> None:
    note = "Post hoc tests were corrected by Bonferroni's method."
    assert read(note, "t(40) = 2.30, p = .081.")[0].verdict == "not_checkable"  # 3 times .027
    assert read(note, "t(40) = 2.30, p = .070.")[0].verdict == "disagree"
    assert read("t(40) = 2.30, p = .081.")[0].verdict == "disagree"
    other = "P-values were adjusted (Benjamini-Hochberg)."
    assert read(other, "t(40) = 2.30, p = .070.")[0].verdict == "not_checkable"
    assert (
        read(other, "t(40) = 2.30, p = .017.")[0].verdict == "disagree"
    )  # no adjustment makes a p smaller
    assert one("adjusted R2 = .31, t(40) = 2.30, p = .081").verdict == "disagree"


def test_coefficients_and_their_standard_errors() -> None:
    for text in (
        "b = 0.42, SE = 0.11",
        "β = 0.42 (SE = 0.11)",
        "Mdiff = 0.42, 95% CI [0.2, 0.7], SE = 0.11",
        "b = 0.42, β = .25, SE = 0.11",
    ):
        good = read(f"Framing mattered, {text}, t(96) = 3.82, p < .001.")
        assert [(f.rule, f.verdict in FITS) for f in good] == [
            ("statistic_p", True),
            ("t_from_estimate", True),
        ]
        bad = read(f"Framing mattered, {text}, t(96) = 2.82, p = .006.")
        assert [f.verdict in FITS for f in bad] == [True, False]
    assert (
        len(read("Framing mattered, β = .25, SE = 0.31, t(96) = 3.87, p < .001.")) == 1
    )  # s.e. of b
    found = one("A test gave t = 1.20, p = .03.")  # for no degrees of freedom
    assert found.verdict == "disagree"
    assert "df not printed" in found.message


def test_places_and_sentences_of_long_passages() -> None:
    text = (
        "The first sentence is long. " * 30
        + "\nThe gap was wide, t(23) = 2.10, p = .041. "
        + "More text follows here. " * 30
    )
    (found,) = findings_in([Passage(text=text, source="paper.pdf, page 3", line=10)])
    assert found.where == "paper.pdf, page 3, line 11"
    assert found.passage == "The gap was wide, t(23) = 2.10, p = .041."
    endless = "and so on, " * 300 + "t(23) = 2.10, p = .041" + ", and so on" * 300
    (found,) = findings_in([Passage(text=endless, source="a", line=1)])
    assert len(found.passage) < 300
    assert "t(23) = 2.10" in found.passage


def test_plain_letters() -> None:
    assert plain_sentence("χ_{1}^{2} < 3\u2009×\u200910⁻⁵") == "χ2_1 < 3e-5"
    assert not re.search(r"\s\s|\n", plain_sentence("a \n\n b\u00a0\u2009c"))
