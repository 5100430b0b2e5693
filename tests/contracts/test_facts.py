"""Facts travel as fields of a row; no code reads them out of rendered terms, groups and methods."""

from __future__ import annotations

import ast
from pathlib import Path

import socialstats

PACKAGE = Path(socialstats.__file__).parent
WORDS = ("term", "group", "method", "undefined", "title", "note")
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


def test_no_code_parses_rendered_words() -> None:
    files = {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    places = {name: parsed(text) for name, text in sorted(files.items())}
    assert {name: found for name, found in places.items() if found} == {}


def test_parsing_is_found() -> None:
    assert parsed('"exact" in (row.method or ""); row.term.split(" - "); name.split("~")') == [
        "'exact' in (row.method or '')", "row.term.split(' - ')",
    ]  # fmt: skip
