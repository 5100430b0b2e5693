"""No command replaces a file of another kind, a log, or what it reads, whatever names the file to be written."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from socialstats.cli import main
from socialstats.cli.estimate import parser_of
from socialstats.cli.options import Output
from socialstats.cli.parser import make_parser
from socialstats.errors import InputError
from socialstats.metrics import METRICS
from socialstats.tables.writing import METHODS, opened_whole
from tests.collect.mock import answer
from tests.collect.server import serving

ROOT = Path(__file__).parents[2]
COMMANDS = {
    ("report", "output"): ("report pairs.csv --no-verify -q -o {}", "page.html"),
    ("report", "json"): ("report pairs.csv --no-verify -q -o own.html --json {}", "numbers.json"),
    ("estimate", "output"): ("estimate percent_agreement small.csv -o {}", "rows.csv"),
    ("estimate", "output as text"): ("estimate percent_agreement small.csv -o {}", "rows.md"),
    ("validate", "output"): ("validate run.eval -o {}", "checked.html"),
    ("validate", "output as text"): ("validate run.eval -o {}", "checked.txt"),
    ("audit", "output"): ("audit table2.csv -o {}", "audit.json"),
    ("audit", "output as text"): ("audit table2.csv -o {}", "audit.md"),
    ("gate", "output"): (
        "gate small.csv --require 'percent_agreement[a | b].n < 99' -o {}",
        "gate.json",
    ),
    ("gate", "output as text"): (
        "gate small.csv --require 'percent_agreement[a | b].n < 99' -o {}",
        "gate.md",
    ),
    ("design", "output"): ("design ordinal ordinal.toml -q -o {}", "rules.csv"),
    ("join", "output"): ("join small.csv units.csv --on unit -q -o {}", "joined.tsv"),
    ("collect", "output"): ("collect play/run.toml -o {}", "new.jsonl"),
    ("tidy", "output"): ("tidy play/log.jsonl -o {}", "table.csv"),
    ("tidy", "output as jsonl"): ("tidy play/log.jsonl -o {}", "table.jsonl"),
    ("tidy", "controls"): ("tidy play/log.jsonl -o own.csv --controls {}", "controls.csv"),
    ("tidy", "methods"): ("tidy play/log.jsonl -o own.csv --methods {}", "methods.txt"),
    ("form", "output"): ("form ask/run.toml -o {}", "form.html"),
    ("form", "csv"): ("form ask/run.toml --csv {}", "people.csv"),
    ("merge", "output"): ("merge play/log.jsonl -o {}", "both.jsonl"),
    ("show", "output"): ("show shown.html --table A1 -o {}", "table.csv"),
    ("show", "output as text"): ("show shown.html -o {}", "shown.txt"),
    ("convert", "output"): ("convert run.eval -q -o {}", "table.csv"),
}
LOG_LINE = '{"type": "attempt", "key": "0", "status": "ok", "item_id": "i", "factors": {}}\n'
FOREIGN = {
    "a table of other columns": b"my,notes\n1,2\n",
    "a table without a header": b"1,2,3\n4,5,6\n",
    "JSON of others": b'{"dependencies": {"socialstats": "0.1"}}\n',
    "a page of others": b"<!doctype html>\n<title>socialstats</title><p>mine</p>\n",
    "a log": LOG_LINE.encode(),
    "a damaged log": b'e": "ok", "item_id": "i"}\n' + LOG_LINE.encode(),
    "a PDF": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "a workbook": b"PK\x03\x04\x14\x00\x06\x00[Content_Types].xml",
    "a note": b"Responses I still have to read.\n",
    "a run file": b'protocol = "template"\nitems = "items.csv"\n',
    "bytes": bytes(range(256)),
}


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the commands read: tables, a log of another harness, a log of ours with control texts."""
    folder = tmp_path_factory.mktemp("outputs")
    for name in ("data/run.eval", "data/table2.csv", "data/pairs.csv", "design/ordinal.toml"):
        shutil.copy(ROOT / "examples" / name, folder)
    rows = "".join(
        f"u{k},{rater},{(k * n) % 3}\n" for k in range(6) for n, rater in ((1, "a"), (2, "b"))
    )
    (folder / "small.csv").write_text(f"unit,rater,rating\n{rows}")
    (folder / "units.csv").write_text("unit,area\n" + "".join(f"u{k},x\n" for k in range(6)))
    assert (
        main(
            [
                "report",
                str(folder / "pairs.csv"),
                "--no-verify",
                "-q",
                "-o",
                str(folder / "shown.html"),
            ]
        )
        == 0
    )
    with serving(answer) as server:
        assert main(["collect", "--new", "staged-values", str(folder / "play")]) == 0
        assert main(["collect", "--new", "ordinal", str(folder / "ask")]) == 0
        path = folder / "play" / "run.toml"
        path.write_text(path.read_text().replace("https://api.example.org/v1", server.url))
        words = ["--base-url", server.url, "-o", str(folder / "play" / "log.jsonl")]
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", "of-a-scripted-server")
            assert main(["collect", str(path), *words]) == 0
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder, as working directory; nobody listens at the address of its run file."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "of-a-scripted-server")
    return tmp_path


def run(words: str, target: str | Path, *more: str) -> int:
    """Run a command with a name in the place of its output."""
    return main([*shlex.split(words.format(shlex.quote(str(target)))), *more])


def files(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {
        str(one.relative_to(folder)): one.read_bytes() for one in folder.rglob("*") if one.is_file()
    }


def outputs() -> Iterator[tuple[str, argparse.ArgumentParser, argparse.Action]]:
    """Yield every option that names a file to be written, with its command."""
    metric = parser_of(METRICS["percent_agreement"].function)[0]
    for name, parser in [*make_parser().commands().items(), ("estimate", metric)]:
        for action in parser._actions:
            if action.type is Output:
                yield name, parser, action


def test_every_output_of_every_command_is_tried() -> None:
    named = {(name, action.dest) for name, _, action in outputs()}
    # the first file of a study is written once: tests of own studies try it; folders: tests of `run` do
    elsewhere = {("new", "output"), ("report", "files"), ("run", "output")}
    assert named - elsewhere == {(c, o.split(" as ")[0]) for c, o in COMMANDS}


def test_what_names_a_file_to_write_is_an_output_and_has_one_way_around() -> None:
    known = {action for _, _, action in outputs()}
    for parser in make_parser().commands().values():
        for action in parser._actions:
            if (
                action.nargs is None
                and action.metavar
                and "write" in str(action.help).partition(";")[0].split()
            ):
                assert action.type is Output, action.option_strings
    assert known
    for name, parser, _ in outputs():
        assert ("--overwrite" in parser.help_of()) is (name not in ("collect", "new"))


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_files_of_other_kinds_are_left_alone(
    command: tuple[str, str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, name = COMMANDS[command]
    for kind, content in FOREIGN.items():
        if command == ("collect", "output") and kind in ("a log", "a damaged log"):
            continue  # these it goes on with
        Path(name).write_bytes(content)
        before = files(here)
        capsys.readouterr()
        assert run(words, name) == 2, kind
        said = capsys.readouterr().err.splitlines()[-1]
        assert said.startswith(f"error: {name}: "), said
        assert "Name another file" in said
        after = files(here)
        assert {one: after[one] for one in before} == before, kind
        assert not [one for one in after if Path(one).name.startswith(".")], kind
        if "log" not in kind.split():
            continue
        assert "is a log of 'socialstats collect', which nothing replaces" in said
        assert run(words, name, "--overwrite") == 2
        assert Path(name).read_bytes() == content


REPLACED = [
    one for one in COMMANDS if one[0] not in ("collect", "merge") and one != ("form", "csv")
]  # may hold answers


@pytest.mark.slow
@pytest.mark.parametrize("command", REPLACED, ids=" ".join)
def test_a_file_of_its_own_kind_is_replaced_and_any_other_on_demand(
    command: tuple[str, str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, name = COMMANDS[command]
    Path(name).touch()
    code = run(words, name)
    first = Path(name).read_bytes()
    assert first
    Path(name).chmod(0o600)
    assert run(words, name) == code != 2
    assert Path(name).read_bytes() == first
    assert Path(name).stat().st_mode & 0o777 == 0o600
    Path(name).write_bytes(FOREIGN["a note"])
    assert run(words, name, "--overwrite") == code
    assert Path(name).read_bytes() == first
    Path("link").symlink_to("behind")
    if Path(name).suffix in (".html", ".txt", ".md"):
        kind = ["--format", Path(name).suffix[1:].replace("txt", "text")]
        assert (
            run(
                words,
                "link",
                *(kind if command[0] in ("validate", "audit", "estimate", "gate") else []),
            )
            == code
        )
        assert Path("link").is_symlink()
        assert Path("behind").read_bytes() == first


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_what_is_read_is_not_written_over(
    command: tuple[str, str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, name = COMMANDS[command]
    read = words.split()[2 if command[0] in ("estimate", "design") else 1]
    before = files(here)
    for link in (os.link, os.symlink):
        target = Path("copy" + Path(name).suffix)
        link(Path(read).absolute(), target)
        for more in ([], ["--overwrite"])[: 1 if command[0] == "collect" else 2]:
            capsys.readouterr()
            assert run(words, target, *more) == 2
            assert str(target) in capsys.readouterr().err.splitlines()[-1]
        target.unlink()
        assert {one: content for one, content in files(here).items() if one in before} == before


def test_two_outputs_have_two_places(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option in ("--controls", "--methods"):
        Path("own.csv").unlink(missing_ok=True)
        assert (
            main(["tidy", "play/log.jsonl", "-o", "own.csv", option, "own.csv", "--overwrite"]) == 2
        )
        assert "or was just written" in capsys.readouterr().err
        assert Path("own.csv").read_text().startswith("item_id,")
    assert main(["report", "pairs.csv", "-o", "x.html", "--json", "x.html"]) == 2
    assert not Path("x.html").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_places_that_take_no_file(
    command: tuple[str, str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, name = COMMANDS[command]
    end = Path(name).suffix
    (here / f"folder{end}").mkdir()
    for target, said in (
        (f"none/x{end}", "no folder"),
        (f"folder{end}", ""),
        (f"/proc/x{end}", ""),
        (f"run.eval/x{end}", ""),
        (f"{'x' * 300}{end}", ""),
    ):
        capsys.readouterr()
        assert run(words, target) == 2
        last = capsys.readouterr().err.splitlines()[-1]
        assert Path(target).name in last
        assert said in last
        assert "tmp" not in last.replace(str(here), "")
        assert f".x{end}." not in last


@pytest.mark.parametrize(
    "command", [one for one in COMMANDS if one[0] not in ("collect", "merge")], ids=" ".join
)
def test_nothing_and_a_pipe_take_everything(command: tuple[str, str], here: Path) -> None:
    words, name = COMMANDS[command]
    end = Path(name).suffix[1:]
    kind = {"tsv": "csv", "txt": "text"}.get(end, end)
    more = ["--format", kind] if command[0] in ("estimate", "validate", "audit", "convert") else []
    if command[0] == "tidy" and kind == "jsonl":
        return  # the format goes by the name
    code = run(words, "/dev/null", *more)
    assert code != 2
    assert Path("/dev/null").is_char_device()
    os.mkfifo("pipe")
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(Path("pipe").read_bytes()))
    reader.start()
    assert run(words, "pipe", *more) == code
    reader.join(10)
    assert found[0]
    assert Path("pipe").is_fifo()


SCRIPT = """
import sys, time
from socialstats.cli import main
from socialstats.tables.writing import METHODS, opened_whole
if sys.argv[1:]:
    sys.exit(main(sys.argv[1:]))
with opened_whole("slow.txt", METHODS) as file:
    file.write(b"Responses were collected with socialstats 1")
    file.flush()
    print("begun", flush=True)
    time.sleep(60)
"""


def environment() -> dict[str, str]:
    """Return the environment of a process that imports what this one does."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "collect"), str(ROOT / "reports"))),
    }


@pytest.mark.slow
def test_dev_stdout_is_where_the_shell_left_it(here: Path) -> None:
    Path("all.csv").write_text("mine\n")
    words = [
        sys.executable,
        "-c",
        SCRIPT,
        *shlex.split("join small.csv units.csv --on unit -q -o /dev/stdout"),
    ]
    with open("all.csv", "ab") as out:
        subprocess.run(words, stdout=out, env=environment(), check=True)
    piped = subprocess.run(words, stdout=subprocess.PIPE, env=environment(), check=True).stdout
    assert piped.startswith(b"unit,rater,rating,area\n")
    assert Path("all.csv").read_bytes() == b"mine\n" + piped


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_an_interrupted_write_leaves_nothing_behind(end: signal.Signals, tmp_path: Path) -> None:
    target = tmp_path / "slow.txt"
    target.write_text("Responses were collected with socialstats 0")
    command = [sys.executable, "-c", SCRIPT]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        assert len(list(tmp_path.iterdir())) == 2
        time.sleep(0.1)
        process.send_signal(end)
        assert process.wait(20) != 0
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text().endswith("socialstats 0")


def test_a_read_only_folder_and_file_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "m.txt"
    monkeypatch.setattr(os, "access", lambda place, how: Path(place) != tmp_path)
    with (
        pytest.raises(InputError, match=r"m\.txt: the folder .* is read-only\."),
        opened_whole(target, METHODS),
    ):
        pass
    target.write_text("Responses were collected with socialstats 1")
    monkeypatch.setattr(os, "access", lambda place, how: Path(place) != target)
    with (
        pytest.raises(InputError, match=r"m\.txt: is write-protected\."),
        opened_whole(target, METHODS),
    ):
        pass


def test_a_full_disk_is_one_sentence_with_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "m.txt"
    with (
        pytest.raises(InputError, match=r"m\.txt: cannot be written: No space left on device"),
        opened_whole(target, METHODS),
    ):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())
    with (
        pytest.raises(InputError, match="/dev/full: cannot be written: No space left"),
        opened_whole("/dev/full", METHODS) as file,
    ):
        file.write(b"x" * 100_000)
