"""Messages of the library as the command line says them: ``--levels a,b``, not ``levels=['a', 'b']``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from socialstats.cli.settings import COMPUTED, READ, spelled
from socialstats.errors import Caution

if TYPE_CHECKING:
    from socialstats.results import Result
    from socialstats.studies.page import Block, Outcome, Table

IN_PYTHON = spelled(
    "aggregate allowed alternative answers base baseline bound cells centre ci columns components couples covariance "
    "difference_ci draws entropy free_weights group groups high judges kind labels low method missing_trait "
    "odds_ratio_ci on_undefined pairs replicates sep solver source stages strengths stratum test texts tolerance "
    "traits truth ungrouped unit_of_analysis units unmatched vcov weights"
)  # no option of the command line: said with the words 'in Python'
PARTS = spelled(
    "unit condition value rater status rater_source item_a item_b winner weight wins_a wins_b score_a score_b first "
    "second values scenario pair group_first group_second answer wording stage judge model trait task"
)
OPTIONS = {one.key: one.option for one in (*READ, *COMPUTED) if one.key not in (*IN_PYTHON, "map")}
OPTIONS |= {"raters_in": "--raters", "format": "--input-format"}
QUOTED = r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\""
PLAIN = r"(?!['\"(\[{])[^\s,;:()'\"]*[^\s,;:()'\".]"
NAMES = "|".join(sorted((*OPTIONS, *PARTS, *IN_PYTHON), key=len, reverse=True))
LABEL = r"(?<![\w=\[(,'])'(?:[^'\n]|'(?=\w)){0,200}'(?!\w)"  # a stranger's word in quotes: left as it is
COVARIATES = r"covariates=(?:\{'(?P<covariate>[^'\n]{1,200})': \([^()\n]{0,400}\)\})?"
SETTING = re.compile(
    rf"{LABEL}|(?<![\w.'\"/-])(?:{COVARIATES}|(?<!--map )(?P<name>{NAMES})="
    rf"(?P<value>{QUOTED}|[\[(](?:{QUOTED}|[\w.…-]+)(?:, ?(?:{QUOTED}|[\w.…-]+))*,?[\])]|{PLAIN}|)"
    rf"(?P<twin> \((?P<said>--[^()\n]{{1,300}})\))?(?P<python> \(in Python\))?)"
)


def as_typed(message: str, *, plain: bool = False) -> str:
    """Return a message with options as they are typed; what is no option is said to be one of Python.

    With `plain` every keyword is an option of its own name, as in the command ``estimate``.

    Examples
    --------
    >>> as_typed("Say levels=['low', 'high'] in order, or scale='nominal'")
    'Say --levels low,high in order, or --scale nominal'
    >>> as_typed("say missing='drop' (--missing drop) to leave such rows out")
    'say --missing drop to leave such rows out'
    >>> as_typed("unit='question' plays it; declare others with cluster=")
    '--map unit=question plays it; declare others with --cluster'
    >>> as_typed("no interval; use ci='percentile'")
    "no interval; use ci='percentile' (in Python)"
    >>> as_typed("no interval; use ci='percentile'", plain=True)
    'no interval; use --ci percentile'
    """
    return SETTING.sub(_plainly if plain else _typed, message) if "=" in message else message


def _plainly(match: re.Match[str]) -> str:
    name = match["name"]
    if name is None:
        return match[0] if not match[0].startswith("covariates=") else "--covariates NAME"
    return f"--{name.replace('_', '-')} {_plain(match['value'])}".rstrip()


def _typed(match: re.Match[str]) -> str:
    name, value = match["name"], match["value"]
    if name is None:
        if not match[0].startswith("covariates="):
            return match[0]
        covariate = match["covariate"] or "X"
        return f"--map {covariate}_a=COLUMN --map {covariate}_b=COLUMN"
    if match["said"]:
        return match["said"]
    if name in IN_PYTHON or match["python"]:
        return f"{name}={value} (in Python)"
    if value == "False":
        return f"--map {name}="
    if name in OPTIONS:
        return f"{OPTIONS[name]} {_plain(value)}".rstrip()
    return f"--map {name}={_plain(value) or 'COLUMN'}" if value[:1] in ("'", '"', "") else match[0]


def _plain(value: str) -> str:
    """Write a Python value as one word of a command line."""
    parts = re.findall(rf"{QUOTED}|[\w.…-]+", value) if value[:1] in "[('\"" else [value]
    texts = [part[1:-1] if part[:1] in ("'", '"') else part for part in parts]
    word = ",".join(f'"{text}"' if "," in text else text for text in texts)
    return f"'{word}'" if re.search(r"[\s\"$&;|<>*?#]", word) else word


def typed_caution(caution: Caution) -> Caution:
    """Return a caution with options as they are typed."""
    said: dict[str, Any] = {name: as_typed(getattr(caution, name)) for name in ("detail", "affects", "fix")}
    return replace(caution, **said)


def typed_outcome(outcome: Outcome) -> Outcome:
    """Return an outcome whose cautions, and reasons why something is undefined, name options as they are typed."""
    reasons = {row.undefined for block in outcome.blocks for result in block.results for row in result.rows}
    said = {reason: as_typed(reason) for reason in reasons if reason and as_typed(reason) != reason}
    cautions = tuple(typed_caution(c) for c in outcome.cautions)
    if not said:
        return replace(outcome, cautions=cautions)
    return replace(
        outcome, cautions=cautions, answer=tuple(_told(text, said) for text in outcome.answer),
        blocks=tuple(_typed_block(block, said) for block in outcome.blocks),
        diagnostics=tuple(replace(d, found=_told(d.found, said)) for d in outcome.diagnostics),
    )  # fmt: skip


def _told(text: str, said: dict[str, str]) -> str:
    for reason, typed in said.items():
        text = text.replace(reason, typed)
    return text


def _typed_block(block: Block, said: dict[str, str]) -> Block:
    return replace(
        block, sentences=tuple(_told(text, said) for text in block.sentences), caption=_told(block.caption, said),
        tables=tuple(_typed_table(table, said) for table in block.tables),
        results=tuple(_typed_result(result, said) for result in block.results),
    )  # fmt: skip


def _typed_table(table: Table, said: dict[str, str]) -> Table:
    cells = tuple(tuple(_told(c, said) if isinstance(c, str) else c for c in row) for row in table.cells)
    return replace(table, caption=_told(table.caption, said), cells=cells)


def _typed_result(result: Result, said: dict[str, str]) -> Result:
    if not any(row.undefined in said for row in result.rows):
        return result
    rows = (replace(row, undefined=said[row.undefined]) if row.undefined in said else row for row in result.rows)
    return replace(result, rows=tuple(rows))
