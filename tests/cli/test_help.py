"""Help that fits a screen: commands by job, short help, the rest by study or metric; and the nearest name of a typo."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats.cli.commands import JOBS
from socialstats.cli.estimate import function_of, parser_of
from socialstats.cli.idle import refuse_idle, takes
from socialstats.cli.parser import make_parser
from socialstats.cli.parsers.estimate import NAMES
from socialstats.designs.settings import COMPUTED, OF_DESIGN
from socialstats.errors import InputError
from socialstats.studies import STUDIES

DATA = Path(__file__).parents[2] / "examples" / "data"
SCREEN = 40  # lines


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main(list(words))
    except SystemExit as stop:
        code = int(stop.code or 0)
    held = capsys.readouterr()
    return code, held.out, held.err


def options_of(text: str) -> set[str]:
    """Return the options that a help text describes: those at the start of a line."""
    lines = (line.strip() for line in text.splitlines() if line.startswith("  -"))
    return {
        word.rstrip(",")
        for line in lines
        for word in line.split("  ")[0].split()
        if word.startswith("-")
    }


def test_every_command_has_one_job() -> None:
    placed = [name for names in JOBS.values() for name in names]
    assert sorted(placed) == sorted(make_parser().commands())


@pytest.mark.parametrize("words", [(), ("report",), ("check",), ("init",)], ids=str)
def test_short_help_fits_a_screen(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = printed(capsys, *words, "--help")
    assert code == 0
    assert out.count("\n") <= SCREEN
    assert all(job in out for job in JOBS) is (words == ())


@pytest.mark.parametrize("command", ["report", "check"])
def test_every_option_is_described_in_short_help_or_in_that_of_a_study(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = make_parser().commands()[command]
    every = {spelling for one in parser._actions for spelling in one.option_strings} - {
        "--unmatched"
    }
    _, short, _ = printed(capsys, command, "--help")
    assert f"socialstats {command} --study NAME --help" in short.splitlines()[-2]
    assert f"socialstats {command} --help-all" in short.splitlines()[-1]
    found = options_of(short)
    for name, study in STUDIES.items():
        code, out, _ = printed(capsys, command, "--study", name, "--help")
        assert (code, study.needs.split()[0] in out, study.title in out.replace("\n", " ")) == (
            0,
            True,
            True,
        )
        assert not options_of(out) & options_of(short)
        found |= options_of(out)
    assert found == every
    _, out, _ = printed(capsys, command, "--help-all")
    assert options_of(out) == every


@pytest.mark.parametrize("name", STUDIES)
def test_help_of_a_study_has_what_it_takes(name: str) -> None:
    """Choices of an analysis that a study's help lacks are those that the study refuses."""
    study = STUDIES[name]
    if study.read is not None:
        return
    for key in {key for keys in OF_DESIGN.values() for key in keys} & {one.key for one in COMPUTED}:
        settings = (
            {"effect_scale": "d_z", "smallest_effect": 1} if key == "effect_scale" else {key: "x"}
        )
        try:
            refuse_idle(study, settings)
            refused = False
        except InputError:
            refused = True
        assert takes(study, key) is not refused, key


@pytest.mark.parametrize("name", NAMES)
def test_help_of_a_metric_is_short_and_says_where_the_rest_is(name: str) -> None:
    parser, _ = parser_of(function_of(name))
    short, whole = parser.format_help(), parser.help_of()
    assert short.splitlines()[-1].endswith(f"socialstats estimate {name} --help-all")
    assert options_of(short) < options_of(whole)
    assert options_of(whole) == {
        spelling for one in parser._actions for spelling in one.option_strings
    }
    assert short.count("\n") < 0.75 * whole.count("\n")


def test_estimate_lists_every_metric_once_by_group(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = printed(capsys, "estimate", "--help")
    lines = out.splitlines()[3:]
    assert sorted(line.split()[0] for line in lines if line.startswith("  ")) == sorted(NAMES)
    assert [line.split(":")[0] for line in lines if line[0] != " "] == [
        "choices",
        "pairs",
        "agreement",
        "shares",
        "scales",
    ]


TYPOS = {
    "reprot": "Did you mean 'report'?",
    "report answers.csv --clster scenario": "Did you mean '--cluster'?",
    "report answers.csv --unit item": "Name the column with --map unit=COLUMN",
    "report answers.csv --study pared": "Did you mean 'paired'?",
    "report --study pared --help": "Did you mean 'paired'?",
    "report ratings.csv --design ratngs": "Did you mean 'ratings'?",
    "report --example role-conflit": "Did you mean 'role_conflict'?",
    "estimate mcnemr answers.csv": "Did you mean 'mcnemar'?",
    "estimate weighted_kappa ratings.csv --clutser story": "Did you mean '--cluster'?",
    "estimate weighted_kappa ratings.csv --cluster stoory": "Did you mean --cluster story ?",
    "check ratings.csv --cluster stoory": "Did you mean --cluster story ?",
    "check ratings.csv --by domian": "Did you mean --by domain ?",
    "check ratings.csv --map unit=stoory": "no column 'stoory'. Did you mean 'story'?",
    "check ratings.csv --map untt=story": "Did you mean 'unit'?",
    "check ratings.csv --where stoory=3": "Did you mean 'story'?",
    "report --example staged-values --study staged-values --map stge=stage": "Did you mean 'stage'?",
    "report --example staged-values --study staged-values --map stage=stge": "Did you mean 'stage'?",
    "gate answers.csv --require mcnmar[difference].estimate>0": "Did you mean 'mcnemar'?",
    "gate answers.csv --require mcnemar[difference].estimate>0 --clutser x": "Did you mean '--cluster'?",
    "check answers.csv --conditions remindd,plain": "Did you mean 'reminded'?",
    "convert run.eval --harness inpsect": "Did you mean 'inspect'?",
    "power pared-t": "Did you mean 'paired-t'?",
    "power paired-t --efect 1": "Did you mean '--effect'?",
    "cite mcnemr": "Did you mean 'mcnemar'?",
    "datasets role_conflit": "Did you mean 'role_conflict'?",
    "audit t.csv --fail-on mjor": "Did you mean 'major'?",
    "collect --new norm-gol x": "Did you mean 'norm-goal'?",
    "help": "'socialstats --help' lists the commands",
    "estimate ratings.csv weighted_kappa": "table: socialstats estimate weighted_kappa ratings.csv",
    "report --map unit=story": "name a file (or - for stdin), or --example NAME\n",
    "report ratings.csv --example role-conflict": "or --example NAME, not both",
    "check ratings.csv --map repeat=x": "Say which it is: --map repeat=COLUMN",
    "tidy nowhere.jsonl": "there is no such file. 'socialstats collect RUN.toml' writes it",
}


@pytest.mark.parametrize("typed", TYPOS)
def test_a_typo_is_told_the_nearest_name(
    typed: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DATA)
    code, out, err = printed(capsys, *typed.split(" "))
    assert (code, out) == (2, "")
    assert TYPOS[typed] in err
    assert len(err.split("error: ")) == 2


def test_what_is_near_nothing_has_no_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["qqq"], ["report", "t.csv", "--zzzz"], ["estimate", "qqq", "t.csv"]):
        code, _, err = printed(capsys, *words)
        assert (code, "mean" in err.partition("Choose")[0].partition("Metrics")[0]) == (2, False)


HELP_OF_EACH = """
import contextlib, io, sys
from socialstats.cli import main
from socialstats.cli.commands import COMMANDS

for command in COMMANDS:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.suppress(SystemExit):
        main([command, "--help"])
    assert "usage" in out.getvalue(), command
    loaded = {"numpy", "pandas", "scipy", "narwhals", "matplotlib", "openai"} & {*sys.modules}
    assert not loaded, (command, loaded)
"""


def test_help_loads_nothing_that_computes() -> None:
    done = subprocess.run([sys.executable, "-c", HELP_OF_EACH], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
