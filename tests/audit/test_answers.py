"""Raw answers in rules files, realigned sums, claimed extremes, and the bound of alpha: against brute force."""

from __future__ import annotations

import itertools
import statistics
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import socialstats as ss
from socialstats.audit.findings.running import AuditReport
from socialstats.errors import InputError

ROWS = """unit,model,prompt,label,score
1,a,p,yes,5
1,b,p,yes,4
2,a,p,no,1
2,b,p,yes,2
3,a,p,no,2
3,b,p,no,1
4,a,p,,3
4,b,p,yes,4
1,a,q,yes,1
2,a,q,yes,2
"""
TABLE = """model,prompt,yes,no,share,mean,sd,alpha,kappa,agree
a,p,1,2,0.33,2.75,1.71,,,
b,p,3,1,0.75,2.75,1.50,,,
a,q,2,0,1.00,1.50,0.71,,,
all,p,4,3,0.57,2.75,1.49,0.44,0.40,0.67
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "answers.csv").write_text(ROWS)
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def run(folder: Path, rules: str) -> AuditReport:
    (folder / "rules.toml").write_text('[tables]\nt = "t.csv"\n' + rules)
    return ss.audit.audit([], folder / "rules.toml")


def rule(value: str, source: str, more: str = "") -> str:
    return f'[[rule]]\ncheck = "text_against_table"\ntable = "t"\nvalue = "{value}"\nsource = {source}\n{more}\n'


EACH = 'where = { model = ["a", "b"] }'
ALL = 'where = { model = "all" }'


@pytest.mark.parametrize(
    ("value", "computes"),
    [
        ("yes", 'compute = "counts", answer = "label", labels = ["yes", "no"], label = "yes"'),
        ("no", 'compute = "counts", answer = "label", labels = ["yes", "no"], label = "no"'),
        ("share", 'compute = "shares", answer = "label", label = "yes"'),
        ("mean", 'compute = "mean", answer = "score"'),
        ("sd", 'compute = "sd", answer = "score"'),
    ],
)
def test_counts_shares_means_and_sds_of_groups(folder: Path, value: str, computes: str) -> None:
    source = f'{{ answers = "answers.csv", {computes}, by = ["model", "prompt"] }}'
    assert [f.verdict for f in run(folder, rule(value, source, EACH)).findings] == ["agree"] * 3
    changed = TABLE.replace("a,p,1,2,0.33,2.75,1.71", "a,p,2,1,0.34,2.76,1.72")
    (folder / "t.csv").write_text(changed)
    assert [f.verdict for f in run(folder, rule(value, source, EACH)).findings] == [
        "disagree",
        "agree",
        "agree",
    ]


def test_agreement_is_that_of_the_metrics_with_its_level(folder: Path) -> None:
    rows = [
        line.split(",")
        for line in ROWS.splitlines()[1:]
        if line.split(",")[2] == "p" and line.split(",")[3]
    ]
    columns = {
        "unit": [r[0] for r in rows],
        "rater": [r[1] for r in rows],
        "value": [r[3] for r in rows],
    }
    roles = {"unit": "unit", "rater": "rater", "value": "value", "scale": "nominal"}
    wanted = {
        "krippendorff_alpha": ss.krippendorff_alpha(columns, **roles).rows[0].estimate,
        "weighted_kappa": ss.weighted_kappa(columns, pairs="pooled", **roles).rows[0].estimate,
        "percent_agreement": ss.percent_agreement(columns, pairs="pooled", **roles)
        .rows[0]
        .estimate,
    }
    for column, (name, estimate) in zip(("alpha", "kappa", "agree"), wanted.items(), strict=True):
        source = (
            f'{{ answers = "answers.csv", compute = "{name}", unit = "unit", rater = "model", '
            'answer = "label", by = "prompt" }'
        )
        report = run(folder, rule(column, source, ALL))
        (finding,) = report.findings
        sheet = next(sheet for key, sheet in report.book.sheets.items() if name in key)
        assert float(sheet.cell(0, "value").number.value) == pytest.approx(estimate, abs=1e-12)
        assert finding.verdict == "agree", finding.message
    ordinal = (
        '{ answers = "answers.csv", compute = "krippendorff_alpha", unit = "unit", rater = "model", '
        'answer = "score", level = "ordinal", by = "prompt" }'
    )
    report = run(folder, rule("alpha", ordinal, ALL))
    scores = {
        "unit": ["1", "1", "2", "2", "3", "3", "4", "4"],
        "rater": ["a", "b"] * 4,
        "value": [5, 4, 1, 2, 2, 1, 3, 4],
    }
    wanted_ordinal = (
        ss.krippendorff_alpha(scores, **(roles | {"scale": "ordinal"})).rows[0].estimate
    )
    assert wanted_ordinal > 0.5
    assert f"{wanted_ordinal:.6f}" in report.findings[0].message
    assert report.findings[0].verdict == "disagree"


def test_what_does_not_exist_has_its_reason(folder: Path) -> None:
    by, start = 'by = ["model", "prompt"] }', '{ answers = "answers.csv", compute = '
    source = f'{start} "sd", answer = "score", where = {{ unit = "1" }}, {by}'
    (finding,) = run(folder, rule("mean", source, 'where = { model = "a", prompt = "q" }')).findings
    assert (finding.verdict, finding.message) == (
        "not_checkable",
        "the SD of 1 answer is undefined",
    )
    source = f'{start} "krippendorff_alpha", answer = "label", unit = "unit", rater = "model", {by}'
    (finding,) = run(folder, rule("mean", source, 'where = { model = "b" }')).findings
    assert finding.verdict == "not_checkable"
    assert finding.message.startswith("krippendorff_alpha is undefined: ")


def test_a_computed_table_serves_every_check_and_groups_may_share_rows(folder: Path) -> None:
    report = run(
        folder,
        """
[tables.means]
answers = "answers.csv"
compute = "mean"
answer = "score"
by = "prompt"
[tables.means.groups.model]
a = { model = "a" }
b = { model = "b" }
all = {}
[[rule]]
check = "hull"
table = "t"
where = { model = "all" }
value = "mean"
parts = { table = "means", column = "value", by = "prompt" }
[[rule]]
check = "mean_of"
table = "t"
where = { model = "all" }
value = "mean"
parts = { table = "means", column = "value", by = "prompt", where = { model = ["a", "b"] } }
""",
    )
    assert [f.verdict for f in report.findings] == ["agree", "agree"]
    sheet = report.book.sheets["means"]
    assert [dict(row) for row in sheet.rows if row["model"] == "all"] == [
        {"model": "all", "prompt": "p", "value": "2.75"},
        {"model": "all", "prompt": "q", "value": "1.5"},
    ]
    assert not report.repairs


def test_computed_numbers_are_no_suspects_of_a_mistyped_digit(folder: Path) -> None:
    (folder / "t.csv").write_text(TABLE.replace("all,p,4,3,", "all,p,9,3,"))
    source = '{ answers = "answers.csv", compute = "counts", answer = "label", label = "yes", by = "prompt" }'
    report = run(
        folder,
        rule("yes", source, ALL)
        + '[[rule]]\ncheck = "sum_to"\ntable = "t"\nparts = ["yes", "no"]\n'
        'total = { answers = "answers.csv", compute = "counts", answer = "prompt", label = "p", where = '
        '{ label = { not = "" } } }\ncounts = true\nwhere = { model = "all" }\n',
    )
    (repair,) = report.repairs
    assert (repair.cell, repair.instead) == (("t.csv", 5, "yes"), "4")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ('answers = "answers.csv", compute = "median", answer = "score"', "compute = 'median'"),
        ('answers = "answers.csv", compute = "mean"', "needs answer"),
        ('answers = "answers.csv", compute = "mean", answer = "scores"', "no column 'scores'"),
        (
            'answers = "answers.csv", compute = "mean", answer = "label", where = { label = { not = "" } }',
            "answers.csv line 2, column 'label': 'yes' is not a printed number",
        ),
        ('answers = "answers.csv", compute = "krippendorff_alpha", answer = "label"', "needs unit"),
        (
            'answers = "answers.csv", compute = "krippendorff_alpha", answer = "label", unit = '
            '"unit", rater = "model", '
            'level = "cardinal"',
            "level = 'cardinal'",
        ),
        (
            'answers = "answers.csv", compute = "mean", answer = "score", level = "ordinal"',
            "level has no meaning",
        ),
        (
            'answers = "answers.csv", compute = "counts", answer = "label", labels = "yes"',
            "labels = 'yes' is not a list",
        ),
        (
            'answers = "answers.csv", compute = "counts", answer = "label", groups = 3',
            "groups = 3 is not a table",
        ),
        ('answers = "answers.csv", compute = "mean", answer = "score", by = 3', "by"),
        (
            'answers = "answers.csv", compute = "mean", answer = "score", where = 3',
            "where = 3 is not a table",
        ),
        (
            'answers = "answers.csv", compute = "mean", answer = "score", colour = 3',
            "unknown key 'colour'",
        ),
        ('answers = "nowhere.csv", compute = "mean", answer = "score"', "nowhere.csv"),
    ],
)
def test_errors_name_the_place_and_the_fix(folder: Path, spec: str, words: str) -> None:
    for rules in (
        rule("mean", f"{{ {spec} }}", ALL),
        "[tables.x]\n"
        + spec.replace(", ", "\n").replace('{ not = "" }', '{ not = "" }')
        + "\n"
        + rule("mean", '{ table = "x", column = "value", by = {} }', ALL),
    ):
        with pytest.raises(InputError) as error:
            run(folder, rules)
        assert words in str(error.value), str(error.value)


def test_realigned_sums_hold_the_true_ones_and_are_as_narrow_as_brute_force_says() -> None:
    generator = np.random.default_rng(5)
    for _ in range(12):
        units, levels = 4, 3
        answers = {
            u: {j: float(generator.integers(0, levels)) for j in "abc"} for u in range(units)
        }
        order = [int(u) for u in generator.permutation(units)]
        key = {u: int(generator.integers(0, levels)) for u in range(units)}
        wrong = {
            j: Fraction(sum(abs(key[order[k]] - int(answers[k][j])) for k in range(units)))
            for j in "abc"
        }
        true = {j: sum(abs(key[u] - answers[u][j]) for u in range(units)) for j in "abc"}
        found = ss.audit.realigned(
            {"g": wrong}, answers, dict.fromkeys(range(units), "g"), order, high=levels - 1
        )
        possible = [
            {j: sum(abs(h[k] - answers[order[k]][j]) for k in range(units)) for j in "abc"}
            for h in itertools.product(range(levels), repeat=units)
            if all(sum(abs(h[k] - answers[k][j]) for k in range(units)) == wrong[j] for j in "abc")
        ]
        assert true in possible
        for j, number in found["g"].items():
            low, high = number.bounds
            assert low <= min(p[j] for p in possible) <= max(p[j] for p in possible) <= high
            assert low >= 0
            assert high <= units * (levels - 1)
    with pytest.raises(InputError, match="no answer key"):
        ss.audit.realigned({"g": {"a": Fraction(9)}}, {0: {"a": 0.0}}, {0: "g"}, [0])


def test_a_realigned_interval_is_kept_by_the_rules_that_use_it(folder: Path) -> None:
    (folder / "s.csv").write_text("group,source,total\ng,a,1\n")
    (folder / "raw.csv").write_text(
        "unit,source,score,name,group\n1,a,0,c,g\n2,a,4,a,g\n3,a,4,b,g\n"
    )
    (folder / "t.csv").write_text("group,source,mean,other\ng,a,2.50,2.30\n")
    tables = """s = { file = "s.csv", decimals = 9 }
raw = "raw.csv"
[tables.after]
answers = "raw"
compute = "realigned"
table = "s"
sum = "total"
group = "group"
source = "source"
unit = "unit"
answer = "score"
sort_by = "name"
"""
    text = "".join(
        f'[[rule]]\ncheck = "{check}"\ntable = "t"\nvalue = "{column}"\n{name} = {{ table = "after", column = "value", '
        f'by = ["group", "source"] }}\n{more}'
        for column in ("mean", "other")
        for check, name, more in (("text_against_table", "source", "scale = 0.333333333\n"),)
    )
    report = run(folder, tables + text)
    assert [bool(f) for f in report.findings] == [True, False]
    assert "0.333333 x 7 to 9" in report.findings[1].message


def test_extremes_are_compared_as_printed() -> None:
    check = ss.audit.extreme
    assert check("0.70", ["0.69", "0.70"]).verdict == "agree"
    assert check("0.69", ["0.70"]).verdict == "disagree"  # touching intervals, another order
    assert check("0.69", ["0.7"]).verdict == "agree"  # 0.7 may be 0.65
    assert check("0.69", ["0.8"]).verdict == "disagree"
    assert check("-0.2", ["0.1"], which="smallest").verdict == "agree"
    found = check("0.77", ["0.89", "0.69"], which="smallest")
    assert (found.verdict, found.severity, found.gap) == ("disagree", "major", 8)
    assert found.noticed == 20 - 3  # 0.67, 0.68 and 0.69 would be the smallest
    with pytest.raises(InputError):
        check("1", ["2"], which="widest")


def test_no_ratings_agree_less_than_the_bound_of_alpha() -> None:
    """Over all tables of three units with three ratings of three labels, alpha and Fleiss' kappa reach -1/2."""
    least = 1.0
    for rows in itertools.product(itertools.combinations_with_replacement("xyz", 3), repeat=3):
        if len({label for row in rows for label in row}) > 1:
            columns = {
                "unit": [u for u in "123" for _ in "abc"],
                "rater": list("abc") * 3,
                "value": [label for row in rows for label in row],
            }
            counts = [[row.count(label) for label in "xyz"] for row in rows]
            share = [sum(c[k] for c in counts) / 9 for k in range(3)]
            within = statistics.mean(sum(k * (k - 1) for k in c) / 6 for c in counts)
            kappa = (within - sum(p * p for p in share)) / (1 - sum(p * p for p in share))
            least = min(least, kappa)
            assert ss.audit.alpha_bound(f"{kappa:.4f}", 3).verdict == "agree"
            if kappa < -0.4:
                alpha = ss.krippendorff_alpha(
                    columns, unit="unit", rater="rater", value="value", scale="nominal"
                )
                assert kappa < alpha.rows[0].estimate
    assert least == pytest.approx(-0.5)
    assert ss.audit.alpha_bound("-0.032", 50).verdict == "disagree"
    assert ss.audit.alpha_bound("-0.020", 50).verdict == "agree"
    assert ss.audit.alpha_bound("1.02", 2).verdict == "disagree"
