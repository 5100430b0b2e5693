"""Every block of README and docs runs as printed, one after the other, with the files that the project ships."""

from __future__ import annotations

import contextlib
import doctest
import functools
import io
import math
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.collect.mock import answer
from tests.collect.server import serving

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"
MADE = runpy.run_path(str(ROOT / "docs" / "building.py"))["PAGES"]  # by `make docs`
PAGES = [
    ROOT / "README.md",
    *sorted({*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / name for name in MADE)}),
    ROOT / "docs" / "index.rst",
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
OF_REST = re.compile(r"^\.\. code-block:: (\w+)\n((?:    .*\n|\n)+)", re.M)
NAMED = re.compile(r"(?:`|^)socialstats ([a-z]+)", re.M)
NOT_RUN = {
    "make report": "makes an environment and installs",
    "make test": "runs this",
    "make collect-demo": "downloads a model",
    "pip install 'socialstats[collect]'": "installs",
    "pip install .": "installs",
    "pip install '.[check]'": "installs",
    "pip install '.[all]'": "installs",
    "SOCIALSTATS_LIMITS=rows=1e11,cells=5e7 socialstats check large.xlsx": "has a file that is too large to keep",
}
LEFT_OUT = {shlex.join(shlex.split(line)) for line in NOT_RUN}
ASKED = {  # a model at the address of the run file: here a scripted one
    "socialstats collect run.toml -o log.jsonl",
    "socialstats collect norms/run.toml -o answers.jsonl",
    "socialstats collect bias/run.toml -o bias.jsonl",
    "socialstats collect play/run.toml -o play.jsonl",
}


@functools.cache
def text_of(page: Path) -> str:
    """Return the text of a page, also of one that is made when the site is built."""
    text: str = MADE[page.name]() if page.name in MADE else page.read_text(encoding="utf-8")
    return text


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the language and the text of each block of a page."""
    text = text_of(page)
    found = [(language, textwrap.dedent(block)) for language, block in OF_REST.findall(text)]
    return found if page.suffix == ".rst" else BLOCK.findall(text)


def commands(block: str) -> list[str]:
    """Return the commands of a block, without comments, each on one line."""
    lines = block.replace("\\\n", " ").split("\n")
    return [
        shlex.join(words).replace("'>'", ">")
        for line in lines
        if (words := shlex.split(line, comments=True))
    ]


def run(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command in this process and return what it prints; its output goes where it is sent."""
    program, *words = shlex.split(command)
    *words, file = (*words[:-2], words[-1]) if words[-2:-1] == [">"] else (*words, "")
    assert program == "socialstats", command
    capsys.readouterr()
    with contextlib.ExitStack() as stack:
        if command in ASKED:
            words += ["--base-url", stack.enter_context(serving(answer)).url]
        try:
            code = main(words)
        except SystemExit as stop:
            code = int(stop.code or 0)
    out, err = capsys.readouterr()
    assert code == 0, f"{command}\n{err}{out}"
    if file:
        Path(file).write_text(out, encoding="utf-8")
    return out + err


def told(code: str, page: str, names: dict[str, Any]) -> str:
    """Return what is wrong with the printed output of a Python session."""
    runner = doctest.DocTestRunner(
        verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    )
    session = doctest.DocTestParser().get_doctest(code, names, page, page, 0)
    found = io.StringIO()
    runner.run(session, out=found.write, clear_globs=False)
    names |= session.globs
    return found.getvalue()


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page)], ids=lambda page: page.stem
)
@pytest.mark.slow
def test_the_blocks_of_a_page_run_as_printed(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "of-a-scripted-server")
    monkeypatch.setattr(
        "socialstats.progress.PATIENCE", math.inf
    )  # a loaded machine tells what it does next
    names: dict[str, Any] = {}
    said = ""
    for language, block in blocks(page):
        if language == "toml":
            (tmp_path / block.split("\n")[0].removeprefix("# ")).write_text(block, encoding="utf-8")
        elif language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block, page.name, "exec"), names)
        elif language == "pycon":
            assert not (wrong := told(block, page.name, names)), wrong
        elif language == "text":  # what the commands above print
            assert block.split() == said.replace(f"{tmp_path}{os.sep}", "").split()
        elif language == "sh":
            said = "".join(
                run(command, capsys) for command in commands(block) if command not in LEFT_OUT
            )


def r_code(page: Path) -> str:
    """Return the blocks of R of a page, without the lines that install."""
    code = "".join(block for language, block in blocks(page) if language == "r")
    return re.sub(r"(?m)^.*\binstall[._]\w+\(.*\n", "", code)


@pytest.fixture(scope="session")
def r_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    r = shutil.which("R")
    if (
        r is None
        or subprocess.run(
            [r, "-s", "-e", "loadNamespace('reticulate')"], capture_output=True
        ).returncode
    ):
        pytest.skip("R or its package reticulate is missing")
    pytest.importorskip("numpydoc")
    library = tmp_path_factory.mktemp("library")
    package = library / "source"
    runpy.run_path(str(ROOT / "r" / "generate.py"))["write_package"](package)
    subprocess.run(
        [r, "CMD", "INSTALL", "--no-docs", "-l", library, package],
        check=True,
        capture_output=True,
    )
    return library


@pytest.mark.parametrize(
    "page", [page for page in PAGES if r_code(page)], ids=lambda page: page.stem
)
@pytest.mark.slow
def test_the_r_blocks_of_a_page_run_as_printed(page: Path, r_library: Path, tmp_path: Path) -> None:
    shutil.copytree(DATA, tmp_path, dirs_exist_ok=True)
    (tmp_path / "page.R").write_text(r_code(page), encoding="utf-8")
    paths = {"R_LIBS": str(r_library), "RETICULATE_PYTHON": sys.executable}
    done = subprocess.run(
        ["R", "-s", "-f", "page.R"],
        cwd=tmp_path,
        env=os.environ | paths,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_says_what_it_is(page: Path) -> None:
    text = text_of(page)
    assert text.count("```") + 2 * text.count(".. code-block::") == 2 * len(blocks(page))
    for language, block in blocks(page):
        assert language in ("sh", "python", "pycon", "text", "toml", "r"), block
        if language == "toml":
            assert re.match(r"# [a-z]+\.toml\n", block), block
    outside = OF_REST.sub("", BLOCK.sub("", text))
    assert not re.search(r"\n\n    (socialstats|python|import|from|\[|#)", outside), (
        "a block without a fence"
    )


def test_what_is_not_run_or_asked_elsewhere_is_printed_somewhere() -> None:
    typed = [block for page in PAGES for language, block in blocks(page) if language == "sh"]
    printed = {command for block in typed for command in commands(block)}
    assert printed >= LEFT_OUT | ASKED


def contents(folder: Path) -> dict[str, Any]:
    """Return the text of every file of a folder, and of every part of an archive."""
    found: dict[str, Any] = {}
    for path in folder.rglob("*.*"):
        if path.suffix == ".eval":
            with zipfile.ZipFile(path) as archive:
                found[path.name] = {name: archive.read(name) for name in archive.namelist()}
        elif path.suffix in (".csv", ".json", ".jsonl"):
            found[path.name] = path.read_text(encoding="utf-8")
    return found


def test_the_example_tables_are_those_of_their_script(tmp_path: Path) -> None:
    runpy.run_path(str(DATA / "make_data.py"))["main"](tmp_path)
    assert contents(tmp_path) == contents(DATA)


def test_the_rules_of_the_example_tables_are_those_of_the_page() -> None:
    rules, *_ = [
        block for language, block in blocks(ROOT / "docs" / "audit.md") if language == "toml"
    ]
    assert (DATA / "rules.toml").read_text(encoding="utf-8") == rules


@pytest.mark.parametrize(
    "page", [*PAGES, ROOT / "NEWS.md", ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name
)
def test_every_command_that_is_named_exists(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in sorted(set(NAMED.findall(text_of(page)))):
        try:
            code: object = main([name, "--help"])
        except SystemExit as ended:
            code = ended.code
        assert code == 0, capsys.readouterr().err
