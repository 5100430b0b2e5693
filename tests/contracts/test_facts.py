"""Facts travel as fields: no code reads rendered words, and `option` says every setting that a message names."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import socialstats
from tests.contracts.trees import tree_of

PACKAGE = Path(socialstats.__file__).parent
SURGERY = (
    "replace",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
    "split",
    "startswith",
    "endswith",
)
WORDS = ("term", "group", "method", "undefined", "title", "note")
READERS = (
    "startswith",
    "endswith",
    "removeprefix",
    "removesuffix",
    "partition",
    "rpartition",
    "split",
    "casefold",
)
PATTERNS = ("sub", "subn", "search", "match", "fullmatch", "findall", "finditer", "replace")
MESSAGES = {
    "message",
    "messages",
    "reason",
    "reasons",
    "said",
    "undefined",
    "detail",
    "affects",
    "fix",
    "advice",
    "sentence",
    "sentences",
    "caption",
    "error",
    "problem",
    "caution",
    "note",
}


def parsed(text: str) -> list[str]:
    found = []
    for node in ast.walk(tree_of(text)):
        read: ast.AST | None = None
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in READERS
        ):
            read = node.func.value
        elif (
            isinstance(node, ast.Compare)
            and isinstance(node.ops[0], ast.In)
            and isinstance(node.left, ast.Constant)
        ):
            read = node.comparators[0]
        if read is not None and any(
            isinstance(n, ast.Attribute) and n.attr in WORDS for n in ast.walk(read)
        ):
            found.append(ast.unparse(node))
    return found


def rewritten(text: str) -> list[str]:
    """Calls that look for a pattern in a message, or replace words of one."""
    found = []
    for node in ast.walk(tree_of(text)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in PATTERNS
        ):
            names = {
                n.id if isinstance(n, ast.Name) else n.attr
                for part in (node.func.value, *node.args)
                for n in ast.walk(part)
                if isinstance(n, ast.Name | ast.Attribute)
            }
            if names & MESSAGES:
                found.append(ast.unparse(node))
    return found


SETTING = re.compile(r"(?<!--map )(?<![\w.'\"/<{-])([a-z][a-z_]+)=(?!=)")
CODE = re.compile(r"[\w}]\([^()]*\)")  # a call that a message quotes
ROOMS = (
    "studies",
    "paired",
    "shares",
    "agreement",
    "choices",
    "scales",
    "custom",
    "inference",
    "resampling",
    "designs",
    "tables",
    "results",
    "registry.py",
)
NO_SETTINGS = {
    "content",
    "name",
    "part",
    "mean",
    "sd",
    "sd_first",
    "sd_second",
    "df",
    "colspan",
    "scope",
    "style",
}  # part=column of --map; of single numbers; of HTML


def spelled_out(text: str) -> list[str]:
    """Settings that a text names as keywords, and not by `option`; docstrings and assumptions of metrics left out."""
    tree, found = tree_of(text), []
    bodies = [
        n.body for n in ast.walk(tree) if isinstance(n, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    left = {id(b[0].value) for b in bodies if b and isinstance(b[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "assumptions":
            left |= {id(n) for n in ast.walk(node.value)}
        if isinstance(node, ast.JoinedStr):
            left |= {id(n) for n in node.values}
            said = "".join(
                str(n.value) if isinstance(n, ast.Constant) else "{}" for n in node.values
            )
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left
        ):
            said = node.value
        else:
            continue
        found += SETTING.findall(CODE.sub("", said))
    return [name for name in found if name not in NO_SETTINGS]


def files(*rooms: str) -> dict[str, str]:
    paths = [
        p
        for room in rooms
        for p in ((PACKAGE / room).rglob("*.py") if "." not in room else [PACKAGE / room])
    ]
    return {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(paths)
    }


def test_no_code_parses_rendered_words() -> None:
    places = {name: parsed(text) for name, text in files("").items()}
    assert {name: found for name, found in places.items() if found} == {}


def test_the_command_line_rewrites_no_message() -> None:
    places = {name: rewritten(text) for name, text in files("cli").items()}
    assert {name: found for name, found in places.items() if found} == {}


def test_every_setting_of_a_message_is_said_by_the_voice_at_hand() -> None:
    places = {name: spelled_out(text) for name, text in files(*ROOMS).items()}
    assert {name: found for name, found in places.items() if found} == {}
    assert sum(text.count("option(") for text in files(*ROOMS).values()) > 200, (
        "nothing names a setting any more"
    )


def test_parsing_is_found() -> None:
    assert parsed('"exact" in (row.method or ""); row.term.split(" - "); name.split("~")') == [
        "'exact' in (row.method or '')",
        "row.term.split(' - ')",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "SETTING.sub(_typed, message)",
        "MISSING_PART.findall(message)",
        "text.replace(reason, typed)",
        "re.search('x', str(error))",
        "row.undefined.replace('a', 'b')",
    ],
)
def test_rewriting_is_found(line: str) -> None:
    assert rewritten(line) == [line]
    assert rewritten("name.replace('_', '-'); NUMBER.sub('', column)") == []


def test_settings_spelled_out_are_found() -> None:
    assert spelled_out("raise E(f\"say ci='{ci}', or leave cluster= out ({x}; order=False)\")") == [
        "ci",
        "cluster",
        "order",
    ]
    assert spelled_out("raise E(f\"{option('ci', ci)}, --map unit=COLUMN\")") == []


def cut_sentences(text: str) -> list[str]:
    """Return the places where a sentence of a result is cut or changed, also by a name that holds it."""
    tree = tree_of(text)

    def says(node: ast.AST) -> bool:
        called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
        return any(isinstance(f, ast.Attribute) and f.attr == "sentence" for f in called)

    held = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and says(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    found = []
    for node in ast.walk(tree):
        read: ast.AST | None = None
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in SURGERY
        ):
            read = node.func.value
        elif isinstance(node, ast.Subscript):
            read = node.value
        if read is not None and (
            (
                isinstance(read, ast.Call)
                and isinstance(read.func, ast.Attribute)
                and read.func.attr == "sentence"
            )
            or (isinstance(read, ast.Name) and read.id in held)
        ):
            found.append(ast.unparse(node))
    return found


def test_no_code_rewrites_a_sentence() -> None:
    files = {
        path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8")
        for path in PACKAGE.rglob("*.py")
    }
    places = {name: cut_sentences(text) for name, text in sorted(files.items())}
    assert {name: found for name, found in places.items() if found} == {}


def test_cut_sentences_are_found() -> None:
    assert cut_sentences(
        "said = fit.sentence().replace('Of 3 items', 'Of 3 roles'); x = f.sentence(); x[:3]"
    ) == [
        "fit.sentence().replace('Of 3 items', 'Of 3 roles')",
        "x[:3]",
    ]
