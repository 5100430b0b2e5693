"""Released questions without answers: tables of items for ``socialstats collect``, or of parts for ``design``.

RoleConflictBench's ``question.csv`` (Role1, Role2, Story, ...), DeMET's scenarios (texts with NAME1 and NAME2) and
GAIN's (goal, situation, norm). Which release it is follows from the columns, in any spelling, or from the texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from socialstats.claims.types import Log
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import read_table
from socialstats.text import count
from socialstats_collect.readers.files import Source, head_of
from socialstats_collect.readers.role_conflict_bench import DOMAINS
from socialstats_collect.readers.tabular import label

NAME = "scenarios"
NEEDS = "a table with Role1, Role2 and Story, with goal, situation and norm, or of texts with NAME1 and NAME2"
Columns = Mapping[str, list[str | None]]
LABEL = 40  # characters
QUESTION = re.compile(r"\s*who is right\b.*", re.IGNORECASE | re.DOTALL)
KINDS = {"e": "egalitarian", "t": "traditional", "o": "other"}
KIND_OF = {**KINDS, **{name: name for name in KINDS.values()}}
ACTIONS = {
    "comply": "comply", "deviate": "deviate", "escalate": "escalate", "遵守": "comply", "逸脱": "deviate",
    "エスカレート": "escalate", "エスカレーション": "escalate",
}  # fmt: skip


def plain(name: str) -> str:
    """Return a column's name in small letters, without marks.

    Examples
    --------
    >>> plain("Expectation_No1"), plain("Pressure Type")
    ('expectationno1', 'pressuretype')
    """
    return re.sub(r"[\W_]+", "", name.lower())


def columns_of(source: Source) -> dict[str, list[str | None]]:
    """Return the columns of a table as texts."""
    native: Any = read_table(source.path).frame
    return {str(name): [label(v) for v in values] for name, values in native.to_dict(as_series=False).items()}


def named(columns: Columns, *wanted: str) -> str | None:
    """Return the first column that is called one of these."""
    return next((name for one in wanted for name in columns if plain(name) == one), None)


def texts_with_names(columns: Columns) -> str | None:
    """Return the column whose texts all hold NAME1 and NAME2."""
    for name, values in columns.items():
        if values and all("NAME1" in (text or "") and "NAME2" in (text or "") for text in values):
            return name
    return None


def kind_of(columns: Columns) -> str | None:
    """Say whose questions these are; a table with answers, such as that of `tidy`, is none of questions."""
    if named(columns, "answerstatus", "action", "choice"):
        return None
    if all(named(columns, name) for name in ("role1", "role2", "story")):
        return "pairwise-roles"
    if all(named(columns, name) for name in ("goal", "situation", "norm")):
        return "norm-goal"
    return "who-is-right" if texts_with_names(columns) else None


def recognises(source: Source) -> bool:
    """Tell whether this is a table of questions."""
    if source.kind in ("list", "lines"):
        names = {plain(name) for name in source.first}
        return {"role1", "role2", "story"} <= names or {"goal", "situation", "norm"} <= names
    head = head_of(source.path, 1 << 16) if source.kind == "text" else b""
    first = re.sub(rb"[\W_]+", b" ", head.partition(b"\n")[0].lower())
    known = (
        (b"role1" in first and b"story" in first) or (b"situation" in first and b"norm" in first) or b"NAME1" in head
    )
    try:
        return known and kind_of(columns_of(source)) is not None
    except (InputError, NothingToAnalyse):
        return False


def read(source: Source) -> Log:
    """Read a table of questions: one row an item, or one a scenario that `design` crosses with names."""
    import pandas as pd

    columns = columns_of(source)
    kind = kind_of(columns)
    if kind is None:
        raise InputError(f"{source.path.name}: {NEEDS} is what this reader takes")
    rows, notes = {"pairwise-roles": stories, "norm-goal": norms, "who-is-right": couples}[kind](columns)
    return Log(harness=NAME, files=(source.path.name,), rows=pd.DataFrame(rows, dtype="object"), notes=tuple(notes))


def each(columns: Columns) -> Iterator[dict[str, str]]:
    """Yield rows by the plain names of their columns."""
    for values in zip(*columns.values(), strict=True):
        yield {plain(name): value or "" for name, value in zip(columns, values, strict=True)}


Read = tuple[list[dict[str, str]], list[str]]


def stories(columns: Columns) -> Read:
    """Return RoleConflictBench's stories as items of ``pairwise-roles``."""
    rows = []
    for k, row in enumerate(each(columns), 1):
        code = [row.get(f"code{side}", "") for side in "12"]
        item = {"item_id": row.get("key") or str(k), "story": row["story"]}
        parts = [f"{row['role1']}.{row.get('expectationno1', '')}", f"{row['role2']}.{row.get('expectationno2', '')}"]
        item |= {"scenario": "-".join(parts), "pair": "-".join(sorted((row["role1"], row["role2"])))}
        for side, number in (("a", 0), ("b", 1)):
            of = str(number + 1)
            item |= {
                f"role_{side}": row[f"role{of}"], f"urgency_{side}": row.get(f"urgency{of}", ""),
                f"domain_{side}": DOMAINS.get(code[number][:1], code[number][:1]),
                f"expectation_no_{side}": row.get(f"expectationno{of}", ""),
            }  # fmt: skip
        rows.append(item)
    return rows, [asked("pairwise-roles"), report("role-conflict", "--cluster pair")]


def norms(columns: Columns) -> Read:
    """Return GAIN's scenarios as items of ``norm-goal``."""
    rows = []
    base: dict[tuple[str, str, str], str] = {}
    for k, row in enumerate(each(columns), 1):
        place = row["goal"], row["situation"], row["norm"]
        own = (
            row.get("scenario")
            or row.get("scenarioid")
            or row.get("baseid")
            or base.setdefault(place, f"s{len(base) + 1}")
        )
        kind, text = pressure_of(row)
        item = {"item_id": row.get("itemid") or row.get("id") or f"{own}-{kind or k}", "scenario": own}
        item |= {"domain": row.get("domain") or row.get("category") or ""}
        rows.append(item | dict(zip(("goal", "situation", "norm"), place, strict=True)) | {
            "pressure": kind, "pressure_text": text, **({"split": row["split"]} if row.get("split") else {}),
        })  # fmt: skip
    return rows, [asked("norm-goal"), report("norm-goal", "--map unit=scenario --map value=action --by pressure "
                                             "--strata domain --scale nominal")]  # fmt: skip


def pressure_of(row: Mapping[str, str]) -> tuple[str, str]:
    """Return kind and text of a pressure; no pressure is ``none``, a kind longer than a label is its text."""
    said = row.get("pressure", "")
    kind = row.get("pressuretype") or row.get("pressurecategory") or (said if len(said) <= LABEL else "pressure")
    none = kind.strip().lower() in ("", "none", "no pressure", "base", "baseline")
    return ("none", "") if none else (kind, row.get("pressuretext") or row.get("pressurecontent") or said)


def couples(columns: Columns) -> Read:
    """Return DeMET's scenarios as parts for ``socialstats design who-is-right``."""
    text, topic = texts_with_names(columns), named(columns, "topic", "category", "theme")
    assert text is not None
    kinds = next((name for name, values in columns.items() if name not in (text, topic)
                  and all((v or "").strip().lower() in KIND_OF for v in values)), None)  # fmt: skip
    ids = named(columns, "id", "scenario", "scenarioid", "number")
    rows = []
    for k, said in enumerate(columns[text]):
        own = columns[ids][k] if ids and ids != text else None
        rows.append({
            "scenario": own or f"q{k}", "text": QUESTION.sub("", said or ""),
            **({"topic": (columns[topic][k] or "").strip().lower()} if topic else {}),
            **({"kind": KIND_OF[(columns[kinds][k] or "").strip().lower()]} if kinds else {}),
        })  # fmt: skip
    cut = sum(bool(QUESTION.search(said or "")) for said in columns[text])
    return rows, [
        *([f"the question itself was cut off {count(cut, 'text')}: the run file asks it"] if cut else []),
        'the table is a list of scenarios: scenarios = "TABLE" in a design file with names, then socialstats design '
        "who-is-right DESIGN.toml -o items.csv (docs/design.md)",
        report("relationship-bias", ""),
    ]


def asked(protocol: str) -> str:
    """Say how a table of items goes on."""
    return f'the table holds items: items = "TABLE" in a run file of protocol {protocol}, then socialstats collect'


def report(study: str, options: str) -> str:
    """Say how the answers are read."""
    return (
        f"answers, after socialstats tidy, are read by: socialstats report ANSWERS --study {study} {options}".rstrip()
    )
