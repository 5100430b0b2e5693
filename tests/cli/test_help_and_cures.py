"""What help, advice and errors print can be typed: examples run, options exist, and a cure that is followed cures."""

from __future__ import annotations

import inspect
import random
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.cautions import ADVICE
from socialstats.cli import main
from socialstats.cli.estimate import function_of, parser_of
from socialstats.cli.parser import make_parser
from socialstats.cli.parsers.estimate import NAMES
from socialstats.cli.signatures import kinds
from socialstats.designs.calls import makers_of

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"
NOT_RUN = {"socialstats audit paper.pdf -o audit.html": "reads a paper, which is not shipped"}


def examples_of(text: str) -> list[str]:
    """Return the commands of an epilog, each on one line, without comments."""
    lines = text.replace("\\\n", " ").splitlines()
    typed = (
        shlex.join(shlex.split(line, comments=True))
        for line in lines
        if line.startswith("  socialstats ")
    )
    return [line.replace("'>'", ">").replace("'&&'", "&&") for line in typed]


EXAMPLES = [
    (name, line)
    for name, parser in make_parser().commands().items()
    for line in examples_of(parser.epilog or "")
]


def test_help_has_examples() -> None:
    assert {name for name, _ in EXAMPLES} >= {
        "report",
        "gate",
        "join",
        "validate",
        "audit",
        "design",
    }
    assert {*NOT_RUN} <= {line for _, line in EXAMPLES}
    assert {*examples_of(make_parser().epilog or "")} <= {
        line for name, line in EXAMPLES if name == "report"
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({name for name, _ in EXAMPLES}))
def test_the_examples_of_help_run_one_after_the_other(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    epilog = make_parser().commands()[name].epilog or ""
    if "[[claim]]" in epilog:  # the file that the example shows
        claim = epilog.partition("[[claim]]")[2].partition("\n\n")[0]
        Path("claims.toml").write_text("[[claim]]" + claim.replace("\n  ", "\n"), encoding="utf-8")
    for _, line in (one for one in EXAMPLES if one[0] == name and one[1] not in NOT_RUN):
        for command in line.split(" && "):
            words = shlex.split(command)[1:]
            *words, file = (*words[:-2], words[-1]) if words[-2:-1] == [">"] else (*words, "")
            capsys.readouterr()
            assert main(words) == 0, f"{command}\n{capsys.readouterr().err}"
            if file:
                Path(file).write_text(capsys.readouterr().out, encoding="utf-8")


def keywords() -> dict[str, list[Any]]:
    """Return every keyword of a public function or reader, with what it may be."""
    found: dict[str, list[Any]] = {}
    for function in map(function_of, NAMES):
        for name, types in parser_of(function)[1].items():
            found.setdefault(name, []).extend(types)
    public = [getattr(ss, name) for name in ss.__all__ if callable(getattr(ss, name))]
    makers = [maker for named in public if inspect.isclass(named) for maker in makers_of(named)]
    for one in [*public, *makers]:
        try:
            parameters = inspect.signature(one).parameters.values()
        except ValueError:
            continue
        for parameter in parameters:
            found.setdefault(parameter.name, []).extend(kinds(parameter.annotation))
    return found


@pytest.mark.parametrize("code", ADVICE)
def test_what_a_remedy_names_exists(code: str) -> None:
    """Options are those of report; keywords, and the values that they are given, those of a function."""
    options = {
        spelling
        for action in make_parser().commands()["report"]._actions
        for spelling in action.option_strings
    }
    known = keywords()
    for named in re.findall(r"`([^`]+)`", " ".join(ADVICE[code])):
        if named.startswith("--"):
            assert shlex.split(named)[0] in options, named
        elif "=" in named:
            name, _, value = named.partition("=")
            assert name in known, named
            if value.startswith('"'):
                texts = [str(kind) for kind in known[name]]
                free = any(
                    kind is str or "str" in text
                    for kind, text in zip(known[name], texts, strict=True)
                )
                assert free or any(value.strip('"') in text for text in texts), named
        elif named.isidentifier():
            assert named in known or hasattr(ss, named) or named == "top_logprobs", named


def rows(
    columns: str, make: Callable[[random.Random], Iterator[tuple[Any, ...]]], seed: int = 7
) -> str:
    made = [",".join(map(str, row)) for row in make(random.Random(seed))]
    return "\n".join([columns, *made]) + "\n"


def crossed(first: int, second: str, value: Callable[[random.Random, int, str], Any]) -> Any:
    return lambda draw: (
        (u, who, value(draw, u, who)) for u in range(first) for who in second.split()
    )


PAIRS = [(a, b) for _ in range(20) for a, b in (("x", "y"), ("y", "z"), ("x", "z"))]
FAULTS: dict[str, tuple[str, list[str]]] = {
    "ordered texts": (
        rows(
            "unit,rater,value", crossed(20, "a b", lambda d, u, w: d.choice(["low", "mid", "high"]))
        ),
        [],
    ),
    "two texts": (
        rows(
            "unit,condition,value",
            crossed(20, "new old", lambda d, u, w: d.choice(["win", "loss"])),
        ),
        [],
    ),
    "three conditions": (
        rows("unit,condition,value", crossed(20, "new mid old", lambda d, u, w: d.randint(0, 9))),
        [],
    ),
    "a missing value": (
        rows(
            "unit,condition,value",
            crossed(20, "new old", lambda d, u, w: "" if (u, w) == (3, "new") else d.randint(0, 9)),
        ),
        [],
    ),
    "a missing winner": (
        rows(
            "item_a,item_b,winner",
            lambda d: (
                (a, b, "" if k == 4 else d.choice([a, b])) for k, (a, b) in enumerate(PAIRS)
            ),
        ),
        [],
    ),
    "an unknown winner": (
        rows(
            "item_a,item_b,winner",
            lambda d: (
                (a, b, "no idea" if k % 15 == 4 else d.choice([a, b]))
                for k, (a, b) in enumerate(PAIRS)
            ),
        ),
        [],
    ),
    "a word among numbers": (
        rows(
            "unit,rater,value",
            crossed(20, "a b", lambda d, u, w: "not sure" if u == 3 else d.randint(1, 4)),
        ),
        [],
    ),
    "a misspelt cluster": (
        rows(
            "unit,rater,value,story",
            lambda d: ((u, w, d.randint(1, 5), u % 5) for u in range(20) for w in "ab"),
        ),
        ["--cluster", "stori"],
    ),
    "units in both groups": (
        rows("unit,arm,score", crossed(20, "drug placebo", lambda d, u, w: d.randint(1, 5))),
        ["--design", "groups", "--map", "group=arm"],
    ),
    "units of two groups": (
        rows(
            "unit,arm,score",
            lambda d: ((u, ("drug", "placebo")[u % 2], d.randint(1, 5)) for u in range(30)),
        ),
        [],
    ),
    "three groups": (
        rows("person,arm,score", lambda d: ((u, "abc"[u % 3], d.randint(1, 5)) for u in range(30))),
        ["--design", "groups", "--map", "group=arm"],
    ),
    "raters in columns": (
        rows("item,ann,bob", lambda d: ((u, d.randint(1, 3), d.randint(1, 3)) for u in range(20))),
        ["--design", "ratings"],
    ),
    "a unit of another name": (
        rows("prompt_no,rater,value", crossed(20, "a b", lambda d, u, w: d.randint(1, 5))),
        [],
    ),
    "decimal commas": (
        rows("unit,rater,value", crossed(20, "a b", lambda d, u, w: d.choice(['"1,5"', '"2,5"']))),
        [],
    ),
    "nobody who rated": (
        rows("unit,value,note", lambda d: ((u, d.randint(1, 5), f"n{u % 7}") for u in range(20))),
        ["--design", "ratings"],
    ),
    "a cross table": (",yes,no\nyes,10,3\nno,2,9\n", ["--design", "ratings"]),
    "a lone partner": (
        rows(
            "unit,condition,value",
            lambda d: (
                (u, w, d.randint(0, 9))
                for u in range(20)
                for w in ("new", "old")
                if (u, w) != (4, "new")
            ),
        ),
        [],
    ),
}
CURE = re.compile(r"--[a-z][a-z-]*(?: (?:'[^']*'|\"[^\"]*\"|[^\s;)]*[^\s;,.)?]))?")
PLACE = re.compile(r"COLUMN|LABEL|LOWEST|ZERO|FILE|VALUE")


def cures(said: str) -> list[list[str]]:
    """Return the options that an error names with their values, without those that hold a place for something."""
    errors = said.partition("By what it holds")[0]
    found = (shlex.split(one) for one in CURE.findall(errors) if not PLACE.search(one))
    return [one for one in found if len(one) == 2 or one[0] == "--crosstab"]


def outcome(words: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    try:
        code = main(words)
    except SystemExit as stop:
        code = int(stop.code or 0)
    held = capsys.readouterr()
    return code, held.err + held.out


@pytest.mark.parametrize("name", FAULTS)
def test_a_cure_that_is_followed_cures(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each option that the error names, typed as it stands, reads the table, or another fault is left to tell."""
    text, words = FAULTS[name]
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    code, said = outcome(["check", str(path), *words], capsys)
    assert code in (2, 3), said
    first = said.splitlines()[0]
    named = cures(said)
    assert named, said
    worked = 0
    for cure in named:
        if cure[0] == words[0] if words else False:  # a cure that takes the place of what was said
            kept = [
                word
                for k, word in enumerate(words)
                if word != cure[0] and (k == 0 or words[k - 1] != cure[0])
            ]
        else:
            kept = words
        code, again = outcome(["check", str(path), *kept, *cure], capsys)
        assert first not in again, (cure, again)
        assert "Traceback" not in again
        worked += code == 0
    assert worked, named
