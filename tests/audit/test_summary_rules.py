"""Checks from summaries in rules files: rows, groups of rows, and all rows at once."""

from __future__ import annotations

from pathlib import Path

import socialstats as ss

WIDE = """model,m1,s1,n1,m2,s2,n2,t,p,tp,fp,fn,tn,f1,acc
A,5.12,1.31,40,4.55,0.92,38,2.23,.029,40,10,20,30,0.73,0.70
B,5.12,1.31,40,4.55,0.92,38,3.23,.029,40,10,20,30,0.73,0.75
"""
LONG = """study,group,mean,sd,n
x,a,5.120,1.210,30
x,b,4.410,1.130,30
x,c,4.930,1.320,30
y,a,5.120,1.210,30
y,b,4.410,1.130,30
y,c,4.930,1.320,30
"""
COUNTS = """answer,men,women
yes,20,15
no,10,20
unsure,4,4
"""
RULES = """
[tables]
wide = "wide.csv"
long = "long.csv"
counts = "counts.csv"

[[rule]]
name = "t"
check = "two_sample_t"
table = "wide"
mean1 = "m1"
sd1 = "s1"
n1 = "n1"
mean2 = "m2"
sd2 = "s2"
n2 = "n2"
t = "t"
p = "p"

[[rule]]
name = "table"
check = "confusion"
table = "wide"
tp = "tp"
fp = "fp"
fn = "fn"
tn = "tn"
f1 = "f1"
accuracy = "acc"

[[rule]]
name = "F"
check = "anova_f"
table = "long"
by = "study"
means = { column = "mean" }
sds = "sd"
sizes = "n"
f = { value = "2.71" }

[[rule]]
name = "chi2"
check = "chi2_from_counts"
table = "counts"
by = "*"
counts = ["men", "women"]
chi2 = { value = "3.72" }
df = 2

[[rule]]
name = "column"
check = "sum_to"
table = "counts"
by = "*"
parts = "men"
total = 35
counts = true

[[rule]]
name = "rows"
check = "duplicate_rows"
table = "counts"
rows = ["men", "women"]
"""


def test_rules_of_rows_groups_and_whole_tables(tmp_path: Path) -> None:
    for name, text in (
        ("wide.csv", WIDE),
        ("long.csv", LONG),
        ("counts.csv", COUNTS),
        ("rules.toml", RULES),
    ):
        (tmp_path / name).write_text(text)
    report = ss.audit.audit([], tmp_path / "rules.toml")
    found = {
        title: [f.verdict for f in report.findings if f.title == title]
        for title in ("t", "table", "F", "chi2", "column", "rows")
    }
    assert found == {
        "t": ["agree", "disagree"],
        "table": ["agree", "disagree"],
        "F": ["agree", "agree"],
        "chi2": ["agree"],
        "column": ["disagree"],
        "rows": ["no_power"],
    }
    sums = next(f for f in report.findings if f.title == "column")
    assert (sums.published, sums.expected, len(sums.cells)) == ("35", "34", 3)
    assert "3 rows" in sums.where
