"""Tables as strangers print them: right ones without an alarm, wrong ones named."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.findings.show import headline

PAIRS = "| Pair | t | df | p |\n|---|---|---|---|\n| A-B | 2.37 | 58 | .063 |\n| A-C | 2.93 | 58 | .019 |\n"
RIGHT = {
    "the caption says Holm": f"Table 1. Pairwise comparisons (Holm-corrected p values)\n\n{PAIRS}",
    "a note says Holm": f"Table 1. Comparisons.\n\n{PAIRS}\nNote. All p values are adjusted by Holm's method.\n",
    "permutation tests": f"Table 1. Permutation tests (10,000 shuffles)\n\n{PAIRS}",
    "the caption says one-sided": "Table 1. One-sided t tests\n\n| Pair | t | df | p |\n|---|---|---|---|\n"
    "| A-B | 1.80 | 29 | .041 |\n| A-C | 2.93 | 29 | .003 |\n",
    "heads of three columns in one": "| Model n | Acc. (%) SE 95% CI | CI |\n|---|---|---|\n"
    "| A 500 | 3.2 | [65.9, 78.5] |\n"
    "| B 500 | 2.7 | [42.0, 52.8] |\n",
    "df of Wald's test": "| Predictor | B | SE | OR | Wald | df | p |\n|---|---|---|---|---|---|---|\n"
    "| Intercept | 1.31 | 0.18 | 3.69 | 53.22 | 1 | <.001 |\n| CoT | 0.89 | 0.12 | 2.42 | 56.63 | 1 | <.001 |\n"
    "| Size | 1.41 | 0.15 | 4.08 | 89.97 | 1 | <.001 |\n",
    "subtotals": "| Category | Items |\n|---|---|\n| Belief | 100 |\n| Emotion | 79 |\n| Social total | 179 |\n"
    "| Harm | 210 |\n"
    "| Fairness | 153 |\n| Moral total | 363 |\n| Total | 542 |\n",
    "parts that overlap": "| Annotators (some took part in both) | N |\n|---|---|\n| Task A | 24 |\n"
    "| Task B | 31 |\n| Task C | 18 |\n"
    "| Total | 40 |\n",
    "a row of the best": "| Model | ToMi | BigToM | EQ | Avg. |\n|---|---|---|---|---|\n"
    "| GPT-4 | 88.4 | 71.2 | 93.0 | 84.2 |\n"
    "| GPT-4o | 85.1 | 77.3 | 90.2 | 84.2 |\n| Llama | 52.3 | 48.8 | 61.0 | 54.0 |\n"
    "| Best | 88.4 | 77.3 | 93.0 | 84.2 |\n",
    "humans and chance": "Accuracy. Human: mean of three annotators.\n\n| Model | ToM (n=50) |\n|---|---|\n"
    "| A | 62 |\n| B | 64 |\n"
    "| C | 70 |\n| D | 58 |\n| Human | 94.7 |\n| Random | 33.3 |\n",
    "the interval of another column": "| Model | F1 | Acc. | 95% CI |\n|---|---|---|---|\n"
    "| A | 0.50 | 0.81 | [0.44, 0.56] |\n"
    "| B | 0.61 | 0.66 | [0.55, 0.67] |\n",
    "a row below the average": "| Measure | A | B |\n|---|---|---|\n| ToMi | 50.0 | 61.0 |\n"
    "| BigToM | 52.0 | 63.0 |\n| EQ | 60.0 | 71.0 |\n"
    "| Average | 54.0 | 65.0 |\n| Parameters (B) | 7 | 1300 |\n",
    "percentages with a sign below a total": "| Modelo | Aciertos | Total | Porcentaje |\n|---|---|---|---|\n"
    "| Uno | 33 | 48 | 68,8 % |\n| Dos | 41 | 48 | 85,4 % |\n| Total | 74 | 96 | 77,1 % |\n",
    "measures in rows": "Table 2. Ratings on a 1-7 scale.\n\n"
    "| | Control | Treated | Waitlist |\n|---|---|---|---|\n"
    "| n | 50 | 22 | 42 |\n| Mean | 3.66 | 4.14 | 3.69 |\n| SD | 1.35 | 1.17 | 1.26 |\n",
    "means and totals in rows": "Scores.\n\n| | Control | Treated |\n|---|---|---|\n| A | 50 | 22 |\n"
    "| B | 42 | 30 |\n| Total | 92 | 52 |\n| Mean | 46 | 26 |\n",
    "gains from another base": "Gains in percent.\n\n"
    "| Model | Before | After | Gain |\n|---|---|---|---|\n| A | 61.0 | 64.5 | 5.7 |\n"
    "| B | 60.0 | 58.2 | -3.0 |\n| C | 50.1 | 55.2 | 10.2 |\n",
    "answers of which several were allowed": "Several were allowed.\n\n"
    "| Group | A | B | C |\n|---|---|---|---|\n| x | 61.2 | 30.1 | 20.7 |\n"
    "| y | 80.0 | 15.0 | 25.0 |\n| z | 70.5 | 25.5 | 16.0 |\n| w | 50.0 | 25.0 | 25.0 |\n",
    "words between counts": "We kept 12 of 20 models and the others (30%) failed; 5 of 8 (62.5%) passed.\n",
}
WRONG = {
    "percent beside its count": (
        "| Model | n | Refused | Refused (%) |\n|---|---|---|---|\n| A | 250 | 55 | 32.0 |\n"
        "| B | 250 | 60 | 24.0 |\n| C | 250 | 10 | 4.0 |\n",
        "count_percent",
        "32.0",
    ),
    "both in one cell": (
        "| Model | Total | Refused, n (%) |\n|---|---|---|\n| A | 250 | 55 (32.0%) |\n"
        "| B | 250 | 60 (24.0%) |\n"
        "| C | 250 | 10 (4.0%) |\n",
        "count_percent",
        "32.0%",
    ),
    "the rows say what is counted": (
        "| Model | n | Refused | Rate (%) |\n|---|---|---|---|\n"
        "| A | 201 | 44 | 20.9 |\n| B | 250 | 60 | 24.0 |\n"
        "| C | 250 | 10 | 4.0 |\n| D | 250 | 100 | 40.0 |\n",
        "count_percent",
        "20.9",
    ),
    "the interval of another row": (
        "| Model | Rate (%) | n | 95% CI |\n|---|---|---|---|\n"
        "| A | 20.0 | 290 | [16.7, 28.1] |\n"
        "| B | 22.0 | 300 | [17.7, 27.0] |\n| C | 30.0 | 300 | [25.1, 35.4] |\n"
        "| D | 50.0 | 300 | [44.4, 55.6] |\n",
        "count_ci",
        "low = 16.7, high = 28.1",
    ),
    "a total of decimals": (
        "| Item | Cost |\n|---|---|\n| A | 3.50 |\n| B | 2.25 |\n| Total | 6.75 |\n",
        "sum_to",
        "6.75",
    ),
    "degrees of freedom in the head": (
        "| Outcome | F(1, 98) | p |\n|---|---|---|\n| Trust | 5.21 | .025 |\n| Anger | 9.30 | .030 |\n"
        "| Fear | 4.10 | .046 |\n",
        "statistic_p",
        "p = .030",
    ),
    "measures in rows": (
        "Table 2. Ratings on a 1-7 scale.\n\n"
        "| | Control | Treated | Waitlist |\n|---|---|---|---|\n| n | 50 | 22 | 42 |\n"
        "| Mean | 3.66 | 4.11 | 3.69 |\n| SD | 1.35 | 1.17 | 1.26 |\n",
        "grimmer",
        "4.11 (1.17)",
    ),
    "parts of 100 in each row": (
        "| Group | Yes | No | Unsure | N |\n|---|---|---|---|---|\n| Humans | 61.2 | 30.1 | 8.7 | 412 |\n"
        "| A | 80.0 | 15.0 | 5.0 | 200 |\n| B | 70.5 | 25.5 | 6.0 | 200 |\n| C | 55.0 | 35.5 | 9.5 | 200 |\n",
        "sum_to",
        "100",
    ),
    "counts and percentages under French heads": (
        "| Modèle | Réussites | Essais | Taux |\n|---|---|---|---|\n| A | 33 | 48 | 68,8 |\n"
        "| B | 41 | 48 | 85,4 |\n| C | 27 | 48 | 65,3 |\n| D | 21 | 48 | 43,8 |\n",
        "count_percent",
        "65,3",
    ),
    "percentages with a sign under a Spanish head": (
        "| Modelo | Aciertos | Total | Porcentaje |\n|---|---|---|---|\n| Uno | 33 | 48 | 68,8 % |\n"
        "| Dos | 41 | 48 | 85,4 % |\n| Tres | 27 | 48 | 65,3 % |\n| Total | 101 | 144 | 70,1 % |\n",
        "count_percent",
        "65,3 %",
    ),
    "differences under their head": (
        "| Model | Before | After | Δ |\n|---|---|---|---|\n| A | 61.0 | 64.5 | +3.5 |\n"
        "| B | 60.0 | 58.2 | −1.8 |\n| C | 50.1 | 55.2 | +6.1 |\n| D | 48.2 | 49.0 | +0.8 |\n",
        "linear_composite",
        "+6.1",
    ),
    "the interval of a coefficient": (
        "| Term | b | SE | 95% CI |\n|---|---|---|---|\n| Warmth | 0.45 | 0.12 | [0.21, 0.69] |\n"
        "| Length | 0.18 | 0.10 | [-0.02, 0.38] |\n| Female | 0.22 | 0.10 | [0.02, 0.42] |\n"
        "| Care | 0.61 | 0.20 | [0.22, 1.00] |\n| Age | 0.31 | 0.11 | [0.09, 0.73] |\n",
        "mean_ci",
        "low = 0.09, high = 0.73, mean = 0.31, s.e. = 0.11",
    ),
    "F1 beside accuracy in percent": (
        "| Model | Acc. (%) | F1 | Precision | Recall |\n|---|---|---|---|---|\n"
        "| A | 68.8 | .706 | .75 | .667 |\n| B | 85.4 | .857 | .84 | .875 |\n"
        "| C | 57.3 | .588 | .556 | .625 |\n| D | 62.5 | .79 | .60 | .75 |\n",
        "confusion",
        "f1 = .79",
    ),
    "a percentage in a sentence": (
        "It was right in 192 of 244 questions (79.7%).\n",
        "count_percent",
        "79.7",
    ),
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_a_right_table_raises_no_alarm(text: str, tmp_path: Path) -> None:
    """Captions, notes, labels and heads say what the numbers are."""
    (tmp_path / "t.md").write_text(text)
    assert not ss.audit.audit(tmp_path / "t.md").of("disagree")


@pytest.mark.parametrize(("text", "rule", "printed"), WRONG.values(), ids=WRONG)
def test_a_wrong_number_is_named(text: str, rule: str, printed: str, tmp_path: Path) -> None:
    """And no other one."""
    (tmp_path / "t.md").write_text(text)
    assert [(f.rule, f.published) for f in ss.audit.audit(tmp_path / "t.md").of("disagree")] == [
        (rule, printed)
    ]


def test_measures_in_rows_have_the_lines_that_they_are_printed_in(tmp_path: Path) -> None:
    """The check of a column names its three lines, and every number is counted once."""
    (tmp_path / "t.md").write_text(WRONG["measures in rows"][0])
    audit = ss.audit.audit(tmp_path / "t.md")
    (finding,) = audit.of("disagree")
    assert finding.where == "t.md lines 5, 6 and 7: Treated"
    assert audit.unread == ()
    assert audit.numbers == 9


def test_rates_of_two_scales_are_no_rates_of_one_table(tmp_path: Path) -> None:
    """F1 of .79 is compared with the mean of .60 and .75, not with one hundredth of it."""
    (tmp_path / "t.md").write_text(WRONG["F1 beside accuracy in percent"][0])
    (finding,) = ss.audit.audit(tmp_path / "t.md").of("disagree")
    assert finding.expected == "0 to 0.6717"


def test_a_table_that_no_check_fits_is_not_called_checked(tmp_path: Path) -> None:
    """No check was made: none was uninformative."""
    (tmp_path / "t.md").write_text(
        "A study.\n\n| Thing | Heft |\n|---|---|\n| a | 3.1 |\n| b | 4.2 |\n"
    )
    said = headline(ss.audit.audit(tmp_path / "t.md"))
    assert said.startswith(
        "0 checks of printed numbers: none fits what the tables and the text print;"
    )


def test_a_rules_file_names_a_table_of_a_document(tmp_path: Path) -> None:
    """By its number in the caption, or by its place, from the command line or beside the rules file."""
    (tmp_path / "p.md").write_text(
        f"Table 1. First.\n\n{PAIRS}\nTable 2. Second.\n\n{WRONG['a total of decimals'][0]}"
    )
    rule = '[[rule]]\ncheck = "within"\nvalue = "Cost"\nlow = 0\n'
    for text in (
        '[tables]\nx = { file = "p.md", table = 2 }\n' + rule + 'table = "x"\n',
        rule + 'table = "Table 2"\n',
        '[tables]\nx = { file = "p.md", table = "Table 2" }\n' + rule + 'table = "x"\n',
    ):
        (tmp_path / "r.toml").write_text(text)
        tables = [] if "file" in text else [tmp_path / "p.md"]
        found = [
            f for f in ss.audit.audit(tables, tmp_path / "r.toml").findings if f.rule == "within"
        ]
        assert len(found) == 3
    (tmp_path / "r.toml").write_text(
        '[tables]\nx = { file = "p.md", table = 3 }\n' + rule + 'table = "x"\n'
    )
    with pytest.raises(ss.InputError, match="there is no table 3"):
        ss.audit.audit([], tmp_path / "r.toml")
