"""Rules files: TOML in, checked rules and their tables out."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

from socialstats.audit.documents.passages import Passage
from socialstats.audit.documents.sheets import Sheet
from socialstats.audit.rules.reading import read_rule
from socialstats.audit.rules.rule import Rule
from socialstats.audit.rules.tables import RuleTables
from socialstats.errors import InputError
from socialstats.tables.toml_files import read_toml, wrong_keys

SECTIONS = dict.fromkeys(("title", "source", "document", "tables", "rule"), object)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """A rules file with its tables read; without one, the guessed rules of documents with their sentences and notes."""

    title: str
    source: str
    sheets: Mapping[str, Sheet]
    rules: tuple[Rule, ...]
    text: str = ""
    sha256: str = ""
    name: str = ""
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


def read_rules(
    path: str | os.PathLike[str], tables: Sequence[str | os.PathLike[str]] = ()
) -> RuleBook:
    """Read a rules file and the tables that it names.

    Parameters
    ----------
    path : str or path
        TOML. Files that it names are looked for beside it.
    tables : sequence of str or path
        Tables of the command line: the first is called ``table``, each also by its file name without suffix.

    Raises
    ------
    InputError
        For broken TOML, and up to 20 unknown keys, tables, columns or values, each with what is allowed.
    """
    raw, content = read_toml(path, Decimal)
    text = raw.decode("utf-8")
    file = RuleTables(str(path), text)
    file.fits("", wrong_keys(content, SECTIONS))
    file.read_documents(content.get("document", []))
    file.read_tables(content.get("tables", {}), tables)
    entries = content.get("rule", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        file.wrong("rule must be written as [[rule]], one a check")
        entries = []
    file.rules = len(entries)
    rules = [read_rule(file, number, entry) for number, entry in enumerate(entries, 1)]
    if not entries and not file.problems:
        file.wrong("there is no [[rule]]", 'Write one a check, such as: [[rule]] check = "sum_to"')
    if file.problems:
        raise InputError(file.problems)
    return RuleBook(
        title=str(content.get("title", "")),
        source=str(content.get("source", "")),
        sheets=file.sheets,
        rules=_named_apart([rule for rule in rules if rule is not None]),
        passages=tuple(passage for texts in file.passages.values() for passage in texts),
        text=text,
        sha256=hashlib.sha256(raw).hexdigest(),
        name=Path(path).name,
    )


def optional_tables(path: str | os.PathLike[str]) -> dict[str, str]:
    """Return the tables that a rules file can use and does not bring, and what they are."""
    tables = read_toml(path)[1].get("tables", {})
    sections = {name: how for name, how in tables.items() if isinstance(how, dict)}
    return {name: str(how["optional"]) for name, how in sections.items() if "optional" in how}


def _named_apart(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Number the rules whose name an earlier one has: findings belong to the rule of their name."""
    times: Counter[str] = Counter()
    named = []
    for rule in rules:
        times[rule.name] += 1
        again = f" (#{times[rule.name]})" if times[rule.name] > 1 else ""
        named.append(replace(rule, name=rule.name + again))
    return tuple(named)
