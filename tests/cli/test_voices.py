"""Messages name settings as the person at hand types them: in Python, for the commands of tables, for `estimate`."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from socialstats import Ratings
from socialstats.cli import main
from socialstats.cli.parser import make_parser
from socialstats.cli.signatures import kinds
from socialstats.cli.voices import OPTIONS, of_metric, of_tables
from socialstats.errors import DesignError
from socialstats.voice import Word, option, speaking


@pytest.mark.parametrize(
    ("setting", "in_python", "of_a_table"),
    [
        (
            ("scale", "nominal", "--scale nominal"),
            "scale='nominal' (--scale nominal)",
            "--scale nominal",
        ),
        (
            ("levels", ["no", "so so", "it's"]),
            "levels=['no', 'so so', \"it's\"]",
            "--levels 'no,so so,it'\"'\"'s'",
        ),
        (("levels", ("0", "1")), "levels=('0', '1')", "--levels 0,1"),
        (("levels", [Word("lowest"), Word("...")]), "levels=[lowest, ...]", "--levels lowest,..."),
        (("conditions", ("a", "b, c")), "conditions=('a', 'b, c')", "--conditions 'a,\"b, c\"'"),
        (("resamples", 3), "resamples=3", "--resamples 3"),
        (("strata",), "strata=", "--strata"),
        (("unit", "question"), "unit='question'", "--map unit=question"),
        (("unit", "my unit"), "unit='my unit'", "--map 'unit=my unit'"),
        (("scenario",), "scenario=", "--map scenario=COLUMN"),
        (("raters", "COLUMN"), "raters='COLUMN'", "--raters COLUMN"),
        (("urgency_a", "COLUMN"), "urgency_a='COLUMN'", "--map urgency_a=COLUMN"),
        (("covariates",), "covariates=", "--map X_a=COLUMN --map X_b=COLUMN"),
        (
            ("covariates", {"u": (Word("left"), Word("right"))}),
            "covariates={'u': (left, right)}",
            "--map u_a=COLUMN --map u_b=COLUMN",
        ),
        (("order", False), "order=False", "--map order="),
        (("raters_in",), "raters_in=", "--raters"),
        (("prior", 0.5), "prior=0.5", "--prior 0.5"),
        (("cluster", None), "cluster=None", "cluster=None (in Python)"),
        (("cluster", "declared"), "cluster='declared'", "cluster='declared' (in Python)"),
        (("components", "separate"), "components='separate'", "components='separate' (in Python)"),
    ],
)
def test_a_setting_in_python_and_of_the_commands_that_read_tables(
    setting: tuple[Any, ...], in_python: str, of_a_table: str
) -> None:
    assert option(*setting) == in_python
    with speaking(of_tables):
        assert option(*setting) == of_a_table
    assert option(*setting) == in_python


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (("ci", "percentile"), "--ci percentile"),
        (("cluster", None), "--cluster None"),
        (("free_weights", True), "--free-weights"),
        (("free_weights", False), "--no-free-weights"),
        (("order", False), "--order False"),
        (("format", "jsonl"), "--input-format jsonl"),
        (("covariates", {"u": ("left", "right")}), "--covariates u=left:right"),
        (("missing", "drop", "--missing drop"), "missing='drop' (in Python)"),
    ],
)
def test_estimate_has_the_keywords_of_its_metric_only(setting: tuple[Any, ...], said: str) -> None:
    names = {
        "ci": str,
        "cluster": str | None,
        "free_weights": bool | None,
        "order": bool | str,
        "covariates": str,
    }
    with speaking(of_metric({name: kinds(hint) for name, hint in names.items()})):
        assert option(*setting) == said


def test_every_option_named_exists() -> None:
    text = make_parser().commands()["report"].help_of()
    assert [one for one in OPTIONS.values() if f"{one} " not in text] == []


COPIED = """
import os, time
from socialstats.cli.voices import of_tables
from socialstats.halves import in_halves, processes
from socialstats.voice import option, speaking
with speaking(of_tables):
    n = processes()
    made = in_halves(lambda i: (time.sleep(.05), os.getpid(), option("unit", "question"))[1:], 8)
assert {said for _, said in made} == {"--map unit=question"} and len({who for who, _ in made}) == n, made
"""


def test_a_second_process_says_settings_as_the_first_does() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COPIED], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


WIDE = "item,ann,bob\n1,1,2\n2,1,1\n3,2,2\n"


def estimated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str, text: str = WIDE
) -> str:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    assert main(["estimate", "weighted_kappa", str(tmp_path / "t.csv"), *options]) == 2
    return capsys.readouterr().err


def test_a_table_with_a_column_a_rater_is_told_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = estimated(tmp_path, capsys)
    assert (
        "Say which it is: --value COLUMN. Where each column is a rater, say --raters ann,bob"
        in said
    )
    assert "--map" not in said
    said = estimated(tmp_path, capsys, text="item,judge,points\n1,a,3\n2,b,3\n")
    assert said.endswith("Say which it is: --value COLUMN\n")
    said = estimated(
        tmp_path, capsys, text="nr,ann,bob\n1,good,bad\n2,bad,bad\n3,good,good\n4,bad,good\n"
    )
    assert said.endswith(
        "Say which it is: --value COLUMN. Where each column is a rater, say --raters ann,bob\n"
    )
    with pytest.raises(
        DesignError, match=re.escape("Where each column is a rater, say raters=['ann', 'bob']")
    ):
        Ratings.from_file(tmp_path / "t.csv") if (tmp_path / "t.csv").write_text(
            WIDE, encoding="utf-8"
        ) else None


def test_an_unknown_rater_is_told_of_raters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert estimated(tmp_path, capsys, "--raters", "ann,zoe").endswith(
        "Say which it is: --raters COLUMN\n"
    )


HEAD = "item_a,item_b,winner"
REFUSED = {
    "an unbeaten item": (f"{HEAD}\nZ,A,Z\nZ,B,Z\nA,B,A\nB,A,B\n", [], "--penalty firth"),
    "groups apart": (
        f"{HEAD}\na,b,a\nb,a,b\nc,d,c\nd,c,d\n",
        [],
        "components='separate' (in Python)",
    ),
    "an unknown winner": (f"{HEAD}\na,b,c\na,b,a\n", [], "declare it with --tie c if"),
    "an order that is none": (f"{HEAD},first\na,b,a,a\nb,a,a,y\n", [], "--map order="),
    "a missing value": (f"{HEAD}\na,b,a\na,,a\n", [], "--missing drop"),
    "words without an order": (
        "unit,rater,value\n1,a,so so\n1,b,good\n2,a,good\n2,b,odd\n",
        [],
        "--scale nominal",
    ),
    "few resamples": (f"{HEAD}\na,b,a\nb,a,a\n", ["--resamples", "3"], "--resamples 3"),
    "no people": (
        "unit,rater,source,value\n1,a,x,l\n1,b,y,m\n2,a,x,m\n2,b,y,m\n",
        ["--study", "norm-goal", "--map", "rater_source=source"],
        "column 'source'",
    ),
    "a level that is none": (
        f"{HEAD},model\n"
        + "".join(f"{a},{b},{w},{m}\n" for a, b in ("ab", "ba") for w in "ab" for m in "mn"),
        ["--study", "compare", "--by", "model", "--reference", "x"],
        "--reference x is no level",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_refused_table_is_told_can_be_typed(
    case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text, options, told = REFUSED[case]
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    assert main(
        ["report", str(tmp_path / "t.csv"), *options, "-o", str(tmp_path / "p.html"), "--no-verify"]
    ) in (2, 3)
    said = capsys.readouterr().err
    assert told in said
    typed = re.sub(r"--map \S+|\S+ \(in Python\)", "", said)
    assert re.findall(r"(?<![\w.'\"/<{-])([a-z][a-z_]+)=(?!=)", typed) == []
