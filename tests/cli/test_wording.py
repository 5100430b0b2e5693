"""Messages name options as they are typed, and change nothing else."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats.cli.parser import make_parser
from socialstats.cli.wording import IN_PYTHON, OPTIONS, PARTS, as_typed, typed_caution, typed_outcome
from socialstats.errors import caution
from socialstats.results import Result, Row
from socialstats.studies.page import Block, Outcome, Table


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("say scale='nominal' (--scale nominal) if", "say --scale nominal if"),
        ("pass levels=['no', 'so so', \"it's\"] in order", "pass --levels 'no,so so,it's' in order"),
        ("levels=('0', '1').", "--levels 0,1."),
        ("levels=[1, 2, 3]", "--levels 1,2,3"),
        ("conditions=('a', 'b, c')", "--conditions 'a,\"b, c\"'"),
        ("resamples=3 is too few", "--resamples 3 is too few"),
        ("seed=-1 is not a whole number", "--seed -1 is not a whole number"),
        ("declare others with strata=", "declare others with --strata"),
        ("Did you mean unit='question' ?", "Did you mean --map unit=question ?"),
        ("write --map cluster=story (cluster='story')", "write --map cluster=story (--cluster story)"),
        ("column 'scale=x' has scale, levels and by", "column 'scale=x' has scale, levels and by"),
        ("x.level=3, my_scale=2 and p=.03", "x.level=3, my_scale=2 and p=.03"),
        ("by = m1: no row", "by = m1: no row"),
        ("prior=0.5, or penalty='firth'", "--prior 0.5, or --penalty firth"),
        ("declare it (order='item_a')", "declare it (--order item_a)"),
    ],
)
def test_options_are_named_as_they_are_typed(said: str, typed: str) -> None:
    assert as_typed(said) == typed
    assert as_typed(typed) == typed


def test_every_option_named_exists() -> None:
    text = make_parser()._subparsers._group_actions[0].choices["report"].format_help()  # type: ignore[union-attr,index,call-overload]
    assert [option for option in OPTIONS.values() if f"{option} " not in text] == []


def test_cautions_too() -> None:
    note = typed_caution(caution("SS301", "missing='drop': 3 rows", fix="missing='error' (--missing error) names them"))
    assert (note.detail, note.fix) == ("--missing drop: 3 rows", "--missing error names them")
    assert (note.code, note.severity) == ("SS301", "caution")


SETTINGS_SAID = re.compile(r"(?<!--map )(?<![\w.'\"/<{-])([a-z][a-z_]+)=(?!=)")
HERE = Path(__file__).resolve().parents[2] / "socialstats"
ROOMS = ("cli", "studies", "metrics", "models", "resampling", "designs", "tables", "results")
NOT_SETTINGS = {"part", "decimal", "index", "fill_value"}  # part=column of --map; code that the message quotes
NOT_OF_TABLES = {"mean", "sd", "sd_first", "sd_second", "df"}  # of functions that take single numbers
NOT_SETTINGS |= NOT_OF_TABLES | {"name"}


def said_in_messages() -> dict[str, str]:
    """Every `name=` in a text of the source that is no docstring, with where it stands."""
    found: dict[str, str] = {}
    for path in sorted(file for room in ROOMS for file in (HERE / room).rglob("*.py")):
        if path.name == "wording.py":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bodies = [n.body for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)]
        docs = {id(b[0].value) for b in bodies if b and isinstance(b[0], ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                for match in SETTINGS_SAID.finditer(node.value):
                    found.setdefault(match[1], f"{path.name}:{node.lineno}")
    return found


def test_every_setting_that_a_message_names_is_known_here() -> None:
    known = {*OPTIONS, *PARTS, *IN_PYTHON, "covariates"} | NOT_SETTINGS
    found = said_in_messages()
    assert len(found) > 60, "the search finds nothing any more"
    assert {name: place for name, place in found.items() if name not in known} == {}
    assert len({*OPTIONS, *PARTS, *IN_PYTHON}) == len(OPTIONS) + len(PARTS) + len(IN_PYTHON), "a name in two tables"


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("penalty='firth', components='separate', or", "--penalty firth, components='separate' (in Python), or"),
        ("Say covariates={'urgency': (column_a, column_b)}", "Say --map urgency_a=COLUMN --map urgency_b=COLUMN"),
        ("declare covariates= to use them", "declare --map X_a=COLUMN --map X_b=COLUMN to use them"),
        ("or say order=False if", "or say --map order= if"),
        ("(in wide tables: raters_in=)", "(in wide tables: --raters)"),
        ("Name others with scenario=, answer=. Columns", "Name others with --map scenario=COLUMN, --map answer=COLUMN. "
         "Columns"),
        ("no item 'my level=3'; say level=0.9", "no item 'my level=3'; say --level 0.9"),
        ("the judges' zero: say ci='t' for 'it's ci=1'", "the judges' zero: say ci='t' (in Python) for 'it's ci=1'"),
        ("--where model=gpt-4", "--where model=gpt-4"),
    ],
)  # fmt: skip
def test_settings_without_an_option_are_named_as_pythons(said: str, typed: str) -> None:
    assert as_typed(said) == typed
    assert as_typed(typed) == typed


def test_reasons_on_the_page_are_said_as_typed() -> None:
    reason = "no interval; use ci='percentile'"
    row = Row(term="x", undefined=reason)
    result = Result(metric="m", title="t", rows=(row, Row(term="ci='t'", estimate=1.0)))
    table = Table(caption="c", header=("a", "b"), cells=(("ci='t'", f"({reason})"), (1.0, None)))
    block = Block(id="b", question="q", sentences=(f"It is 1 ({reason}).",), tables=(table,), results=(result,))
    outcome = Outcome(study="s", title="t", design="d", answer=(f"One ({reason}).",), strip=None, flow=(),
                      cautions=(caution("SS301", "missing='drop'"),), blocks=(block,))  # fmt: skip
    typed = typed_outcome(outcome)
    said = f"{reason} (in Python)"
    assert typed.answer == (f"One ({said}).",)
    assert typed.blocks[0].sentences == (f"It is 1 ({said}).",)
    assert typed.blocks[0].tables[0].cells == (("ci='t'", f"({said})"), (1.0, None)), "a label is left as it is"
    assert [r.undefined for r in typed.blocks[0].results[0].rows] == [said, None]
    assert typed.cautions[0].detail == "--missing drop"


HEAD = "item_a,item_b,winner"
REFUSED = {
    "an unbeaten item": (f"{HEAD}\nZ,A,Z\nZ,B,Z\nA,B,A\nB,A,B\n", [], "--penalty firth"),
    "groups apart": (f"{HEAD}\na,b,a\nb,a,b\nc,d,c\nd,c,d\n", [], "components='separate' (in Python)"),
    "an unknown winner": (f"{HEAD}\na,b,c\na,b,a\n", [], "declare it with --tie if"),
    "an order that is none": (f"{HEAD},first\na,b,a,x\nb,a,a,y\n", [], "--map order="),
    "a missing value": (f"{HEAD}\na,b,a\na,,a\n", [], "--missing drop"),
    "words without an order": ("unit,rater,value\n1,a,so so\n1,b,good\n2,a,good\n2,b,bad\n", [], "--scale nominal"),
    "few resamples": (f"{HEAD}\na,b,a\nb,a,a\n", ["--resamples", "3"], "--resamples 3"),
    "no people": ("unit,rater,source,value\n1,a,x,l\n1,b,y,m\n2,a,x,m\n2,b,y,m\n",
                  ["--study", "norm-goal", "--map", "rater_source=source"], "column 'source'"),
    "a level that is none": (f"{HEAD},model\n" + "".join(f"{a},{b},{w},{m}\n" for a, b in ("ab", "ba") for w in "ab"
                                                         for m in "mn"),
                             ["--study", "compare", "--by", "model", "--reference", "x"], "--reference x is no level"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_refused_table_is_told_can_be_typed(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, options, told = REFUSED[case]
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    assert main(["report", str(tmp_path / "t.csv"), *options, "-o", str(tmp_path / "p.html"), "--no-verify"]) in (2, 3)
    said = capsys.readouterr().err
    assert told in said
    typed = re.sub(r"--map \S+|\S+ \(in Python\)", "", said)
    assert SETTINGS_SAID.findall(typed) == []
