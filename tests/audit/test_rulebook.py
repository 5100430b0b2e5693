"""Rules files on tables that nobody has seen: layouts, joins, filters, readings, and errors that name the key."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.findings.running import AuditReport
from socialstats.errors import InputError

SCORES = """model,topic,n,score,low,high
M1,a,10,0.20,1.0,2.0
M1,b,30,0.40,1.0,2.0
M2,a,10,0.50,1.5,2.5
M2,b,30,0.10,1.5,2.5
"""
OVERALL = """Name,overall,plain,std
M-1,0.35,0.30,0.141
M2,0.20,0.30,0.283
M3,0.99,0.99,0.1
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scores.csv").write_text(SCORES)
    (tmp_path / "overall.csv").write_text(OVERALL)
    return tmp_path


TABLES = '[tables]\nscores = "scores.csv"\noverall = { file = "overall.csv", names.Name = { "M-1" = "M1" } }\n'


def run(folder: Path, rules: str, *tables: Path) -> AuditReport:
    (folder / "rules.toml").write_text(rules, encoding="utf-8")
    return ss.audit.audit(tables, folder / "rules.toml")


def verdicts(report: AuditReport) -> list[str]:
    return [finding.verdict for finding in report.findings]


def test_parts_in_rows_of_another_table_joined_by_keys_of_other_names(folder: Path) -> None:
    report = run(
        folder,
        TABLES
        + """
[[rule]]
check = "weighted_mean"
table = "overall"
value = "overall"
parts = { table = "scores", column = "score", by = { Name = "model" } }
weights = "n"
""",
    )
    assert verdicts(report) == ["agree", "agree", "not_checkable"]
    assert report.findings[2].message == "parts: no row of scores has model = M3"


def test_weights_by_label_are_not_by_position(folder: Path) -> None:
    report = run(
        folder,
        TABLES
        + """
[[rule]]
check = "weighted_mean"
table = "overall"
where = { Name = ["M1", "M2"] }
value = "overall"
parts = { table = "scores", column = "score", by = { Name = "model" } }
weights = { match = "topic", values = { b = 30, a = 10 } }

[[rule]]
check = "mean_of"
table = "overall"
where = { Name = { not = "M3" } }
value = "plain"
parts = { table = "scores", column = "score", by = { Name = "model" } }

[[rule]]
check = "sd_of"
table = "overall"
where = { Name = { not = "M3" } }
value = "std"
parts = { table = "scores", column = "score", by = { Name = "model" } }
""",
    )
    assert verdicts(report) == ["agree"] * 6


def test_weights_from_a_third_table_and_lists(folder: Path) -> None:
    (folder / "sizes.csv").write_text("Topic,size\nb,30\na,10\n")
    report = run(
        folder,
        TABLES
        + """sizes = "sizes.csv"
[[rule]]
check = "weighted_mean"
table = "overall"
where = { Name = { not = ["M3"] } }
value = "overall"
parts = { table = "scores", column = "score", by = { Name = "model" } }
weights = { match = "topic", table = "sizes", key = "Topic", column = "size" }

[[rule]]
check = "weighted_mean"
table = "overall"
where = { Name = { not = ["M3"] } }
value = "overall"
parts = [
  { table = "scores", column = "score", by = { Name = "model" }, where = { topic = "b" } },
  { table = "scores", column = "score", by = { Name = "model" }, where = { topic = "a" } },
]
weights = [3, 1]
""",
    )
    assert verdicts(report) == ["agree"] * 4


def test_groups_of_rows_and_columns_gone_through(folder: Path) -> None:
    (folder / "parts.csv").write_text("g,x,y\nA,40,41\nA,60,60\nB,50,50\nB,49,50\n")
    report = run(
        folder,
        """
[tables]
parts = "parts.csv"
[[rule]]
check = "sum_to"
by = "g"
columns = ["x", "y"]
total = 100
counts = true
[[rule]]
check = "sum_to"
parts = ["x", "y"]
total = { value = "100" }
where = { g = "B" }
""",
    )
    assert verdicts(report) == ["agree", "disagree", "disagree", "agree", "agree", "agree"]
    assert report.findings[1].where == "parts.csv 2 rows, column y: A"
    assert report.findings[1].cells == (("parts.csv", 2, "y"), ("parts.csv", 3, "y"))


def test_the_table_of_the_command_line_and_its_reading(folder: Path) -> None:
    (folder / "mine.csv").write_text("a;b\n0,3*;0,330*\n0,25;0,27\nkeine;1\n")
    rules = """
[tables.table]
decimal = ","
strip = "*"
decimals = { a = "column" }
missing = ["KEINE"]
[[rule]]
check = "text_against_table"
value = "a"
source = "b"
"""
    report = run(folder, rules, folder / "mine.csv")
    assert verdicts(report) == ["disagree", "disagree", "not_checkable"]
    loose = run(folder, rules.replace('decimals = { a = "column" }\n', ""), folder / "mine.csv")
    assert verdicts(loose) == ["agree", "disagree", "not_checkable"]  # 0,3 is 0.25 to 0.35 again


def test_files_that_continue_each_other_keep_their_lines(folder: Path) -> None:
    (folder / "more.csv").write_text("model,topic,n,score,low,high\n\nM9,a,10,1.70,1.0,2.0\n")
    report = run(
        folder,
        """
[tables]
both = ["scores.csv", "more.csv"]
[[rule]]
check = "within"
value = "score"
low = 0
high = 1
""",
    )
    (odd,) = report.of("disagree")
    assert odd.where == "more.csv line 3: M9, a"


def test_constants_keep_their_digits(folder: Path) -> None:
    report = run(
        folder,
        TABLES
        + """
[[rule]]
check = "text_against_table"
table = "overall"
where = { Name = "M1" }
value = { value = "0.3" }
source = 0.349

[[rule]]
check = "text_against_table"
table = "overall"
where = { Name = "M1" }
value = { value = "0.30" }
source = 0.349
""",
    )
    assert verdicts(report) == ["agree", "disagree"]


def test_a_single_digit_is_found_on_any_table(folder: Path) -> None:
    """Two-way totals of a table with one digit changed: row and column sums point to the cell."""
    (folder / "cross.csv").write_text(
        "row,x,y,z,all\nA,11,12,13,36\nB,21,72,23,66\nC,31,32,33,96\nall,63,66,69,198\n"
    )
    rules = """
[tables]
cross = "cross.csv"
[[rule]]
name = "rows"
check = "sum_to"
parts = ["x", "y", "z"]
total = "all"
counts = true
[[rule]]
name = "columns"
check = "sum_to"
where = { row = "all" }
columns = ["x", "y", "z", "all"]
parts = { where = { row = { not = "all" } }, by = {} }
counts = true
"""
    rules = rules.replace(
        'columns = ["x", "y", "z", "all"]\nparts', 'columns = ["x", "y", "z", "all"]\nparts'
    )
    report = run(folder, rules)
    assert verdicts(report).count("disagree") == 2
    (repair,) = report.repairs
    assert (repair.printed, repair.instead, repair.settles, repair.leaves) == ("72", "22", 2, 0)
    assert repair.cell == ("cross.csv", 3, "y")


def test_a_single_disagreement_is_no_evidence_for_a_digit(folder: Path) -> None:
    (folder / "one.csv").write_text("x,y,all\n10,20,31\n")
    report = run(
        folder,
        """
[tables]
one = "one.csv"
[[rule]]
check = "sum_to"
parts = ["x", "y"]
total = "all"
counts = true
""",
    )
    assert verdicts(report) == ["disagree"]
    assert report.repairs == ()


@pytest.mark.parametrize(
    ("rules", "messages"),
    [
        (
            "titel = 'x'\n[[rule]]\ncheck = 'hull'\n",
            ["unknown key 'titel'. Did you mean 'title'? Known: title"],
        ),
        (
            "[[rule]]\ncheck = 'sum'\n",
            ["check = 'sum' is none of the checks. Did you mean 'sum_to'?"],
        ),
        (
            "[[rule]]\ncheck = 'grim'\nmean = 'scor'\nn = 'n'\n",
            ["mean: table t has no column 'scor'. Did you mean 'score'?"],
        ),
        ("[[rule]]\ncheck = 'grim'\nmean = 'score'\n", ["grim needs n"]),
        (
            "[[rule]]\ncheck = 'grim'\nmean = 'score'\nn = true\n",
            ["n = true is not a number or a table or a column"],
        ),
        (
            "[[rule]]\nname = 'R'\ncheck = 'grim'\nmeen = 'score'\n",
            ["rule 1 (R): unknown key 'meen'. Did you mean 'mean'?"],
        ),
        (
            "[[rule]]\ncheck = 'grimmer'\nmean = 'score'\nsd = 'low'\nn = 9\nddof = 3\n",
            ["ddof = 3 is not one of 0, 1, either"],
        ),
        (
            "[[rule]]\ncheck = 'grim'\nmean = 'score'\nn = 'n'\nwhere = { score = { is = 1 } }\n",
            ["unknown key 'where.score.is'. Known: not"],
        ),
        (
            "[[rule]]\ncheck = 'hull'\nvalue = 'score'\nparts = { table = 'u', column = 'x' }\n",
            ["parts: there is no table 'u'. Tables: t and table"],
        ),
        (
            "[[rule]]\ncheck = 'hull'\nvalue = 'score'\nparts = { colum = 'low' }\n",
            ["unknown key 'parts.colum'. Did you mean 'column'?"],
        ),
        (
            "[[rule]]\ncheck = 'statistic_p'\nstatistic = 'score'\np = 'low'\n",
            ["statistic_p needs kind. One of: t, F, z, chi2, r"],
        ),
        (
            "[[rule]]\ncheck = 'mcnemar_bounds'\nbias = 'score'\nn = 9\nsignificant = 1\n",
            ["significant = 1 is not one of true, false"],
        ),
        (
            "[tables.table]\nrounding = 'up'\ndecimals = 'all'\n[[rule]]\ncheck = 'hull'\n",
            ["rounding = 'up' is not one of half", "decimals = 'all' is not"],
        ),
        (
            "[tables]\nx = { decimals = 2 }\n[[rule]]\ncheck='within'\nvalue='score'\nlow=0\n",
            ["tables.x names no file"],
        ),
        (
            "[[rule]]\ncheck = 'alignment'\n",
            ["alignment needs table, sum, group, source, answers, unit, answer"],
        ),
        ("", ["there is no [[rule]]"]),
        ("rule = 3\n", ["rule must be written as [[rule]]"]),
        ("[[rule]\n", ["not a TOML file"]),
    ],
)
def test_errors_name_the_key_and_what_is_allowed(
    tmp_path: Path, rules: str, messages: list[str]
) -> None:
    (tmp_path / "t.csv").write_text(SCORES)
    with pytest.raises(InputError) as caught:
        run(tmp_path, rules, tmp_path / "t.csv")
    for message in messages:
        assert message in str(caught.value)


def test_cells_that_are_no_numbers_are_named_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('a,b\n"1,23",2\nx,3\n"two\nlines",4\n')
    with pytest.raises(
        InputError, match=r"t\.csv line 2, column 'a': '1,23' is not a printed number"
    ):
        run(tmp_path, "[[rule]]\ncheck = 'within'\nvalue = 'a'\nlow = 0\n", tmp_path / "t.csv")


def test_rules_on_hostile_tables(tmp_path: Path) -> None:
    """Formulas, markup, control characters and long labels are labels; nothing is run, nothing breaks."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow(["<img src=x>", "v"])
    for label in (
        "=cmd()|x",
        "</script><script>",
        "a\x07b",
        "\u202eabc",
        "z" * 5000,
        "{{ 7*7 }}",
        "`rm -rf`",
    ):
        writer.writerow([label, "1.5"])
    (tmp_path / "t.csv").write_text(stream.getvalue(), encoding="utf-8")
    report = run(
        tmp_path, "[[rule]]\ncheck = 'within'\nvalue = 'v'\nhigh = 1\n", tmp_path / "t.csv"
    )
    assert verdicts(report) == ["disagree"] * 7
    assert all(
        len(finding.where) < 200 and "\x07" not in finding.where for finding in report.findings
    )


def test_no_rows_are_said_to_be_none(folder: Path) -> None:
    report = run(
        folder,
        TABLES
        + "[[rule]]\ncheck='within'\ntable='scores'\nvalue='score'\nlow=0\nwhere={model='M7'}\n",
    )
    assert [(f.verdict, f.message) for f in report.findings] == [
        ("not_checkable", "no row of the table is selected by this rule")
    ]
