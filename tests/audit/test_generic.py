"""Without a rules file: the checks that names of columns allow, and those that they do not."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss
from socialstats.errors import InputError, NothingToAnalyse


def test_generic_checks_follow_from_the_names_of_columns(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text(
        "task,acc,acc_stderr,n,mean_rating,sd_rating,t,df,p\n"
        "a,0.4375,0.0,16,3.51,1.12,2.10,39,.042\n"
        "b,0.45,0.114,20,2.25,0.97,2.10,39,.42\n"
    )
    report = ss.audit.audit(tmp_path / "h.csv")
    odd = {(f.rule, f.where.split(":")[0]) for f in report.of("disagree")}
    assert odd == {
        ("std_error_possible", "h.csv line 2"),
        ("grimmer", "h.csv line 2"),
        ("statistic_p", "h.csv line 3"),
    }
    assert all(
        "if these are" in f.message for f in report.of("disagree") if f.rule != "statistic_p"
    )
    assert {f.rule for f in report.of("agree")} >= {
        "within",
        "grim",
        "grimmer",
        "statistic_p",
        "std_error_possible",
    }


def test_generic_checks_of_a_table_of_a_paper(tmp_path: Path) -> None:
    """Marks of significance, dashes, thousands, percent signs and names with units are what papers print."""
    (tmp_path / "survey.csv").write_text(
        "Condition,N,Men %,Mean age,SD age,t,df,p\n"
        'Control,"1,204",50.0%,34.21,11.02,\u2014,\u2014,\u2014\n'
        'Treatment,"1,198",49.0%,33.98*,10.87,3.17,"2,400",.02\n',
        encoding="utf-8",
    )
    report = ss.audit.audit(tmp_path / "survey.csv")
    (odd,) = report.of("disagree")
    assert (odd.rule, odd.published) == ("statistic_p", "p = .02")
    assert {f.message for f in report.of("not_checkable") if f.rule == "statistic_p"} == {
        "no number in line 2, column 't', line 2, column 'p' and line 2, column 'df'"
    }


def test_generic_checks_leave_alone_what_may_be_something_else(tmp_path: Path) -> None:
    """Rates above 100, percentages that may be shares, scores that are no shares, hyperparameters."""
    (tmp_path / "t.csv").write_text(
        "run,rate,percent,count,n,f1,f1_stderr,alpha\na,140,0.4,1,250,0.51,0.30,16\nb,12,0.8,2,250,0.62,0.0,32\n"
    )
    report = ss.audit.audit(tmp_path / "t.csv")
    assert report.tally()["disagree"] == 0
    assert {f.rule for f in report.findings} == {"within"}


def test_without_any_known_column_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\nx,1\n")
    with pytest.raises(
        NothingToAnalyse, match=r"no generic check fits the columns a and b\. Write a rules file"
    ):
        ss.audit.audit(tmp_path / "t.csv")
    with pytest.raises(InputError, match="name a table"):
        ss.audit.audit()
