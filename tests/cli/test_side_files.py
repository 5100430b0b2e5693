"""Every option that takes a file, with files of other kinds: an error that names the file, and no traceback."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from socialstats import datasets
from socialstats.cli import main
from socialstats.cli.parser import make_parser

CITIES = "city,rain,sun\nOslo,3,4\nRome,1,9\nBern,2,5\n"
BAD: dict[str, bytes] = {
    "empty.csv": b"",
    "empty.toml": b"",
    "blank.txt": b"\n \n\n",
    "cities.csv": CITIES.encode(),
    "binary.csv": bytes(range(256)) * 40,
    "binary.toml": b"\x7fELF\x02\x01\x01" + bytes(range(256)),
    "rules.toml": b'[[rule]]\ncheck = "grim"\nmean = "m"\n',
    "plan.toml": b'[study]\nname = "comparisons"\n',
    "claims.toml": b'[[claim]]\nmetric = "mean"\nterm = "x"\nvalue = "1"\n',
    "run.toml": b'protocol = { name = "template" }\nitems = "items.csv"\n',
    "deep.toml": b"a = " + b"[" * 9_000,
    "page.html": b"<!doctype html><html><body>hello</body></html>",
    "values.json": b'{"a": [1, 2], "b": {"c": 3}}',
    "deep.json": b"[" * 9_000,
    "log.jsonl": b'{"type": "run", "a": 1}\n',
}
KINDS = [*BAD, "folder", "full", "loop", "missing.csv"]
QUICK = ["-q", "--resamples", "100", "--no-verify", "-o", "page_out.html"]
Words = Callable[[str], list[str]]
OPTIONS: dict[
    str, tuple[Words, tuple[str, ...]]
] = {  # words of a command, and files that it may take
    "report": (lambda f: ["report", f, *QUICK], ()),
    "check": (lambda f: ["check", f], ()),
    "init": (lambda f: ["init", f], ("cities.csv", "full")),  # guesses at any table
    "a second table": (lambda f: ["report", "games.csv", f, *QUICK], ()),
    "--plan": (lambda f: ["check", "games.csv", "--plan", f], ("plan.toml",)),
    "--claims": (lambda f: ["report", "games.csv", "--claims", f, *QUICK], ("claims.toml",)),
    "--methods-note": (lambda f: ["report", "games.csv", "--methods-note", f, *QUICK], ()),
    "--models": (lambda f: ["report", "scores.csv", "--models", f, *QUICK], ()),
    "--models unused": (lambda f: ["report", "games.csv", "--models", f, *QUICK], ()),
    "--people": (lambda f: ["report", "scores.csv", "--people", f, *QUICK], ()),
    "--controls": (lambda f: ["report", "stages.csv", "--controls", f, *QUICK], ()),
    "--weights": (lambda f: ["report", "stages.csv", "--weights", f, *QUICK], ()),
    "--stances": (lambda f: ["report", "stages.csv", "--stances", f, *QUICK], ()),
    "--name-check": (lambda f: ["report", "couples.csv", "--name-check", f, *QUICK], ()),
    "--label-check": (lambda f: ["report", "roles.csv", "--label-check", f, *QUICK], ()),
    "--item-groups": (lambda f: ["report", "roles.csv", "--item-groups", f, *QUICK], ()),
    "--people of a study": (
        lambda f: ["report", "scores.csv", "--study", "survey.toml", "--people", f, *QUICK],
        (),
    ),
    "new": (lambda f: ["new", f, "-o", "-"], ("cities.csv", "full")),  # guesses at any table
    "show": (lambda f: ["show", f], ()),
    "estimate": (lambda f: ["estimate", "bradley_terry", f], ()),
    "estimate of two": (lambda f: ["estimate", "sensitivity_difference", "roles.csv", f], ()),
    "gate": (
        lambda f: ["gate", f, "--require", "mean[new - old].conf_low > 0"],
        ("empty.csv", "blank.txt"),
    ),
    "design": (lambda f: ["design", "norm-goal", f], ()),
    "collect": (lambda f: ["collect", f, "--dry-run"], ()),
    "form": (lambda f: ["form", f, "-o", "form.html"], ()),
    "tidy": (lambda f: ["tidy", f], ()),
    "merge": (lambda f: ["merge", f, "-o", "merged.jsonl"], ()),
    "convert": (lambda f: ["convert", f], ()),
    "join": (lambda f: ["join", "games.csv", f, "--on", "item_a"], ()),
    "join to": (lambda f: ["join", f, "games.csv", "--on", "item_a"], ()),
    "join --rows": (lambda f: ["join", "games.csv", f, "--rows"], ()),
    "validate": (lambda f: ["validate", f], ()),
    "validate --claims": (lambda f: ["validate", "run.eval", "--claims", f], ()),
    "audit": (lambda f: ["audit", f], ("page.html",)),  # a document without a number
    "audit --rules": (lambda f: ["audit", "cities.csv", "--rules", f], ()),
}
TRIED = [
    (option, kind) for option, (_, fits) in OPTIONS.items() for kind in KINDS if kind not in fits
]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    for name, content in BAD.items():
        (folder / name).write_bytes(content)
    (folder / "folder").mkdir()
    (folder / "full").mkdir()
    (folder / "full" / "cities.csv").write_text(CITIES, encoding="utf-8")
    os.symlink("loop", folder / "loop")
    (folder / "games.csv").write_text(
        "item_a,item_b,winner\n" + "x,y,x\ny,z,z\nx,z,x\ny,x,y\n" * 3, encoding="utf-8"
    )
    scores = (
        f"{unit},{model},{(unit * 7 + k) % 5}\n"
        for unit in range(12)
        for k, model in enumerate("pqrs")
    )
    (folder / "scores.csv").write_text(
        "task,item,model,score\n" + "".join(f"t,{row}" for row in scores)
    )
    (folder / "survey.toml").write_text(
        '[data]\nmap = {unit = "item", source = "model", value = "score"}\n'
        '[[question]]\nid = "level"\nmetric = "mean_ratings"\n'
    )
    datasets.staged_values().to_csv(folder / "stages.csv", index=False)
    datasets.relationship_bias().to_csv(folder / "couples.csv", index=False)
    datasets.role_conflict().head(300).to_csv(folder / "roles.csv", index=False)
    examples = Path(__file__).parents[2] / "examples" / "data"
    (folder / "run.eval").write_bytes((examples / "run.eval").read_bytes())
    return folder


@pytest.mark.parametrize(
    ("option", "kind"), TRIED, ids=[f"{option} {kind}" for option, kind in TRIED]
)
def test_a_file_of_another_kind_is_refused_and_named(
    option: str,
    kind: str,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    before = sorted(files.iterdir())
    code = main(OPTIONS[option][0](kind))
    said = capsys.readouterr()
    assert code in (2, 3)
    assert said.err.startswith("error: ")
    assert kind in said.err
    assert "Traceback" not in said.err
    assert sorted(files.iterdir()) == before  # nothing was written


@pytest.mark.parametrize(
    ("option", "kind", "message"),
    [
        (
            "--plan",
            "empty.toml",
            "empty.toml: this file plans nothing: it has no key of [study], [data] or [inference]",
        ),
        ("--plan", "blank.txt", "blank.txt: this file plans nothing"),
        (
            "--plan",
            "rules.toml",
            "rules.toml line 1: unknown section [rule]. Known: study, data, inference, hypothesis",
        ),
        ("--plan", "deep.toml", "deep.toml: not a TOML file: it is nested too deep"),
        (
            "--models",
            "cities.csv",
            "no column that names the model (columns: 'city', 'rain' and 'sun')",
        ),
        (
            "--models",
            "empty.csv",
            "error: --models: takes factors of the models, one row per model",
        ),
        (
            "--models",
            "run.toml",
            "run.toml: this is a TOML file, such as a plan, rules or a run file, which is not read",
        ),
        (
            "--controls",
            "cities.csv",
            "control texts are rows with columns text, judge and the traits, which are named so",
        ),
        ("--controls", "cities.csv", "Columns: 'city', 'rain' and 'sun'"),
        (
            "--weights",
            "cities.csv",
            "no column 'trait' and 'weight'; weights are one row per trait: trait, weight.",
        ),
        (
            "--stances",
            "cities.csv",
            "stances have answer, stance, model, scenario. Columns: 'city', 'rain' and 'sun'",
        ),
        (
            "--name-check",
            "cities.csv",
            "a name check has name, group, expected, phrasing, answer. Columns: 'city'",
        ),
        (
            "--item-groups",
            "empty.csv",
            "--item-groups: takes groups of the items, one row per item",
        ),
        ("--methods-note", "cities.csv", "cities.csv begins with 'city,rain,sun"),
        (
            "--methods-note",
            "plan.toml",
            "which is not a note: name a text on how the data were collected",
        ),
        ("merge", "empty.csv", "empty.csv holds no record of 'socialstats collect'"),
        ("audit", "cities.csv", "cities.csv: no generic check fits the columns city, rain and sun"),
    ],
)
def test_what_was_expected_and_what_was_found(
    option: str,
    kind: str,
    message: str,
    files: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(files)
    assert main(OPTIONS[option][0](kind)) in (2, 3)
    assert message in capsys.readouterr().err


def test_factors_of_models_that_a_page_does_not_compare_are_refused(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(files)
    models = tmp_path / "models.csv"
    models.write_text("model,family\np,a\nq,a\nr,b\ns,b\n", encoding="utf-8")
    for table in (
        "games.csv",
        "scores.csv",
    ):  # no models, and a leaderboard, which has no groups of models
        assert main(["report", table, "--models", str(models), *QUICK]) == 2
        assert (
            "--models has no effect: this page compares no models by their factors"
            in capsys.readouterr().err
        )


@pytest.mark.slow
def test_factors_of_models_that_a_page_compares_are_taken(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"model {k:02d},{'ab'[k % 2]}\n" for k in range(1, 9))
    Path("models.csv").write_text(f"model,family\n{rows}", encoding="utf-8")
    assert main(["report", str(files / "stages.csv"), "--models", "models.csv", *QUICK]) == 0
    assert 'id="models-factors"' in Path("page_out.html").read_text(encoding="utf-8")


def test_every_option_that_names_a_file_is_tried() -> None:
    commands = next(a for a in make_parser()._actions if isinstance(a.choices, dict)).choices
    assert isinstance(commands, dict)
    named = {
        (command, action.option_strings[-1])
        for command, parser in commands.items()
        for action in parser._actions
        if action.option_strings
        and "FILE" in str(action.metavar)
        and not re.search("Output", repr(action.type))
    }
    tried = {(words("FILE")[0], word) for words, _ in OPTIONS.values() for word in words("FILE")}
    rest = (
        named
        - tried
        - {("check", option) for _, option in tried}
        - {("report", "--plan"), ("tidy", "--people"), ("run", "--people")}
    )
    assert not rest
