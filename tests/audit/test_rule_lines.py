"""Rules files with mistakes, and tables with marks: lines of keys, settings of other types, names that occur twice."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.findings.running import AuditReport
from socialstats.errors import InputError


def run(folder: Path, rules: str, *tables: Path) -> AuditReport:
    (folder / "rules.toml").write_text(rules, encoding="utf-8")
    return ss.audit.audit(tables, folder / "rules.toml")


def verdicts(report: AuditReport) -> list[str]:
    return [finding.verdict for finding in report.findings]


def test_errors_name_the_line_of_the_key(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("m,n\n1.2,5\n")
    rules = """title = "x"
[tables]
t = { file = "t.csv", rounding = "up" }
u = "t.csv"
[[rule]]
check = "grim"
table = "u"
mean = "m"
nn = "n"
[[rule]]  # without check
mean = "m"
[[rule]]
check = "grim"
table = ["u"]
[[rule]]
check = "grim"
table = "u"
mean = { column = "m", by = 5 }
n = "N"
"""
    with pytest.raises(InputError) as caught:
        run(tmp_path, rules)
    assert [(p.lines, p.message) for p in caught.value.problems] == [
        ((3,), "tables.t: rounding = 'up' is not one of half, truncate, floor, ceil, any"),
        ((9,), "rule 1: unknown key 'nn'"),
        ((10,), "rule 2: check is missing"),
        ((14,), "rule 3: there is no table '['u']'"),
        ((19,), "rule 4: n: table u has no column 'N'"),
        ((18,), "rule 4: mean.by = 5 is not a table or a column"),
    ]


@pytest.mark.parametrize(
    "weights",
    ["{ match = 5, values = { A = 1 } }", '{ match = "m", table = "t" }', '{ match = "m" }'],
)
def test_labels_to_match_need_their_column(tmp_path: Path, weights: str) -> None:
    (tmp_path / "t.csv").write_text("m,n,o\n1.2,5,1\n")
    rules = (
        f'[[rule]]\ncheck = "weighted_mean"\nvalue = "m"\nparts = ["n", "o"]\nweights = {weights}\n'
    )
    with pytest.raises(InputError, match="match must be a column"):
        run(tmp_path, rules, tmp_path / "t.csv")


@pytest.mark.parametrize("key", ["table = []", "source = 5", "refusals = 5", "where = 5"])
def test_alignment_refuses_settings_of_other_types(tmp_path: Path, key: str) -> None:
    (tmp_path / "t.csv").write_text("m,n,o\n1.2,5,1\n")
    given = {
        "table": '"t"',
        "sum": '"m"',
        "group": '"n"',
        "source": '"o"',
        "answers": '"t"',
        "unit": '"n"',
        "answer": '"o"',
    }
    name, _, value = key.partition(" = ")
    lines = "\n".join(f"{k} = {v}" for k, v in {**given, name: value}.items())
    with pytest.raises(InputError):
        run(tmp_path, f'[tables]\nt = "t.csv"\n[[rule]]\ncheck = "alignment"\n{lines}\n')


def test_marks_alone_and_repeated_headers_hold_no_number(tmp_path: Path) -> None:
    """Stars for p, a header in the middle of the table, bounds in a column that lost its trailing zeros."""
    (tmp_path / "t.tsv").write_bytes(
        b"\xef\xbb\xbfz\tp\n2.00*\t.05*\nz\tp\n3.50\t**\n3.50\t<.001\n0.1\tns\n"
    )
    rules = '[tables]\ntable = { strip = "*", decimals = { p = "column" } }\n'
    rules += '[[rule]]\ncheck = "statistic_p"\nkind = "z"\nstatistic = "z"\np = "p"\n'
    report = run(tmp_path, rules, tmp_path / "t.tsv")
    assert verdicts(report) == ["agree", "not_checkable", "not_checkable", "agree", "not_checkable"]


def test_rules_and_tables_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    """A finding is counted once, and no table hides another."""
    for folder, mean in (("a", "5.19"), ("b", "5.18")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "t.csv").write_text(f"n,mean rating\n40,{mean}\n")
    paths = [tmp_path / "a" / "t.csv", tmp_path / "b" / "t.csv"]
    rule = '[[rule]]\nname = "same"\ncheck = "grim"\nmean = "mean rating"\nn = "n"\n'
    report = run(tmp_path, rule * 2, paths[0])
    assert [(r.name, len(found)) for r, found in report.by_rule()] == [
        ("same", 1),
        ("same (#2)", 1),
    ]
    assert (
        report.tally()["disagree"]
        == sum(r["tally"]["disagree"] for r in report.to_dict()["rules"])
        == 2
    )
    with pytest.raises(InputError, match="same file name"):
        run(tmp_path, rule, *paths)
    guessed = ss.audit.audit(paths)
    assert [f.verdict for f in guessed.findings if f.rule == "grim"] == ["disagree", "agree"]
