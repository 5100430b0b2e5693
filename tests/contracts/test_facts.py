"""Facts travel as fields of a row; no code reads them out of rendered terms, groups and methods."""

from __future__ import annotations

import ast
from pathlib import Path

import socialstats

PACKAGE = Path(socialstats.__file__).parent
WORDS = ("term", "group", "method", "undefined", "title", "note")
SURGERY = ("replace", "removeprefix", "removesuffix", "partition", "rpartition", "split", "startswith", "endswith")
READERS = ("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "casefold")


def parsed(text: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(text)):
        read: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in READERS:
            read = node.func.value
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In) and isinstance(node.left, ast.Constant):
            read = node.comparators[0]
        if read is not None and any(isinstance(n, ast.Attribute) and n.attr in WORDS for n in ast.walk(read)):
            found.append(ast.unparse(node))
    return found


def rewritten(text: str) -> list[str]:
    """Return the places where a sentence of a result is cut or changed, also by a name that holds it."""
    tree = ast.parse(text)

    def says(node: ast.AST) -> bool:
        called = [n.func for n in ast.walk(node) if isinstance(n, ast.Call)]
        return any(isinstance(f, ast.Attribute) and f.attr == "sentence" for f in called)

    held = {
        target.id
        for node in ast.walk(tree) if isinstance(node, ast.Assign) and says(node.value)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    found = []
    for node in ast.walk(tree):
        read: ast.AST | None = None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SURGERY:
            read = node.func.value
        elif isinstance(node, ast.Subscript):
            read = node.value
        if read is not None and (
            (isinstance(read, ast.Call) and isinstance(read.func, ast.Attribute) and read.func.attr == "sentence")
            or (isinstance(read, ast.Name) and read.id in held)
        ):
            found.append(ast.unparse(node))
    return found


def test_no_code_rewrites_a_sentence() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    places = {name: rewritten(text) for name, text in sorted(files.items())}
    assert {name: found for name, found in places.items() if found} == {}


def test_rewriting_is_found() -> None:
    assert rewritten("said = fit.sentence().replace('Of 3 items', 'Of 3 roles'); x = f.sentence(); x[:3]") == [
        "fit.sentence().replace('Of 3 items', 'Of 3 roles')", "x[:3]",
    ]  # fmt: skip


def test_no_code_parses_rendered_words() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    places = {name: parsed(text) for name, text in sorted(files.items())}
    assert {name: found for name, found in places.items() if found} == {}


def test_parsing_is_found() -> None:
    assert parsed('"exact" in (row.method or ""); row.term.split(" - "); name.split("~")') == [
        "'exact' in (row.method or '')", "row.term.split(' - ')",
    ]  # fmt: skip
