"""Facts travel as fields of a row; no code reads them out of rendered terms, groups and methods."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import socialstats

PACKAGE = Path(socialstats.__file__).parent
WORDS = ("term", "group", "method", "undefined", "title", "note")
READERS = ("startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "casefold")
# places that still read rendered words, by file: these are to go, and none is to come
LEFT = Counter({
    "crosscheck/agreement.py": 1,
    "crosscheck/effect_sizes.py": 3,
    "crosscheck/leaderboard.py": 1,
    "crosscheck/mcnemar.py": 1,
    "crosscheck/paired_difference.py": 1,
    "crosscheck/paraphrase_spread.py": 1,
    "crosscheck/reread.py": 2,
    "crosscheck/sensitivity.py": 1,
    "crosscheck/share_differences.py": 1,
    "crosscheck/trait_profile.py": 1,
    "metrics/ada_met.py": 1,
    "metrics/mcnemar.py": 1,
    "metrics/paraphrase_spread.py": 2,
    "metrics/symmetry.py": 1,
    "metrics/trait_profile.py": 4,
    "metrics/weighted_kappa.py": 1,
    "models/agreement.py": 1,
    "planning/adjusting.py": 1,
    "studies/compare/blocks.py": 1,
    "studies/estimates.py": 1,
    "studies/leaderboard.py": 1,
    "studies/multiverse.py": 1,
    "studies/norm_goal/logit.py": 3,
    "studies/norm_goal/shares.py": 2,
    "studies/ordinal_alignment/blocks.py": 14,
    "studies/ordinal_alignment/study.py": 6,
    "studies/paired.py": 1,
    "studies/relationship_bias/blocks.py": 3,
    "studies/relationship_bias/words.py": 3,
    "studies/staged_values/blocks.py": 5,
    "studies/staged_values/judges.py": 9,
    "studies/staged_values/words.py": 1,
})  # fmt: skip


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
    assert Counter({name: len(found) for name, found in places.items() if found}) == LEFT, places


def test_parsing_is_found() -> None:
    assert parsed('"exact" in (row.method or ""); row.term.split(" - "); name.split("~")') == [
        "'exact' in (row.method or '')", "row.term.split(' - ')",
    ]  # fmt: skip
