"""Released questions without answers: tables of items for ``socialstats collect``, or of parts for ``design``.

RoleConflictBench's ``question.csv`` (Role1, Role2, Story, ...), DeMET's scenarios (texts with NAME1 and NAME2) and
GAIN's (goal, situation, norm). Which release it is follows from the columns, in any spelling, or from the texts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from socialstats.harness_logs.files import Source, head_of
from socialstats.harness_logs.log import Log
from socialstats.harness_logs.role_conflict_bench import DOMAINS
from socialstats.harness_logs.tables import (
    Columns,
    columns_in,
    columns_of,
    header,
    named,
    plain_name,
    records,
)
from socialstats.harness_logs.tabular import harness_of
from socialstats.text import count

NEEDS = "a table with Role1, Role2 and Story, with goal, situation and norm, or of texts with NAME1 and NAME2"
Item = dict[str, str]
LABEL = 40  # characters
NAMES, HEAD = ("NAME1", "NAME2"), 1 << 16
QUESTION = re.compile(r"\s*who is right\b.*", re.IGNORECASE | re.DOTALL)
KINDS = {"e": "egalitarian", "t": "traditional", "o": "other"}
KIND_OF = {**KINDS, **{name: name for name in KINDS.values()}}
ANSWERED = (
    "answerstatus",
    "action",
    "choice",
)  # columns of a table with answers, such as that of `tidy`
SIDES = {"role": "role", "urgency": "urgency", "expectation_no": "expectationno"}
NEEDED = {"pairwise-roles": ("role1", "role2", "story"), "norm-goal": ("goal", "situation", "norm")}
ITEMS = (
    'the table holds items: items = "TABLE" in a run file of protocol {}, then socialstats collect'
)
PARTS = (
    'the table is a list of scenarios: scenarios = "TABLE" in a design file with names, then socialstats design '
    "who-is-right DESIGN.toml -o items.csv (docs/design.md)"
)
READ = {
    "pairwise-roles": "role-conflict --cluster pair",
    "norm-goal": "norm-goal --map unit=scenario --map value=action --by pressure --strata domain --scale nominal",
    "who-is-right": "relationship-bias",
}


def recognises(source: Source) -> bool:
    """Return whether this is a table of questions."""
    names: Columns = {name: [] for name in header(source)}
    hinted = bool(names) and NAMES[0].encode() in head_of(source.path, HEAD)
    return (hinted or bool(protocol_of(names))) and bool(protocol_of(columns_in(source.path)))


def protocol_of(columns: Columns) -> str:
    """State whose questions these are, by names of columns or by texts; a table with answers is none of questions."""
    if named(columns, *ANSWERED):
        return ""
    protocols = (
        protocol
        for protocol, needed in NEEDED.items()
        if all(named(columns, name) for name in needed)
    )
    return next(protocols, "who-is-right" if texts_with_names(columns) else "")


def texts_with_names(columns: Columns) -> str:
    """Return the column whose texts all hold NAME1 and NAME2."""
    filled = {name: values for name, values in columns.items() if values}
    return next(
        (
            n
            for n, texts in filled.items()
            if all(mark in (text or "") for text in texts for mark in NAMES)
        ),
        "",
    )


def read(source: Source) -> Log:
    """Read a table of questions: one row per item, or one a scenario that `design` crosses with names."""
    import pandas as pd

    columns = columns_of(source.path)
    protocol = protocol_of(columns)
    rows = list(
        {"pairwise-roles": stories, "norm-goal": norms, "who-is-right": couples}[protocol](columns)
    )
    notes = [PARTS if protocol == "who-is-right" else ITEMS.format(protocol)]
    if cut := sum(
        bool(QUESTION.search(text or "")) for text in columns.get(texts_with_names(columns), ())
    ):
        notes.insert(
            0, f"the question itself was cut off {count(cut, 'text')}: the run file asks it"
        )
    notes.append(
        f"answers, after socialstats tidy, are read by: socialstats report ANSWERS --study {READ[protocol]}"
    )
    table = pd.DataFrame(rows, dtype="object")
    return Log(
        harness=harness_of(__name__), files=(source.path.name,), rows=table, notes=tuple(notes)
    )


def each(columns: Columns) -> Iterator[Item]:
    """Yield rows by the plain names of their columns."""
    for record in records(columns):
        yield defaultdict(str, {plain_name(name): value or "" for name, value in record.items()})


def first(row: Item, *names: str) -> str:
    """Return the first of these cells that is not empty."""
    return next((row[name] for name in names if row.get(name)), "")


def stories(columns: Columns) -> Iterator[Item]:
    """Yield RoleConflictBench's stories as items of ``pairwise-roles``."""
    for k, row in enumerate(each(columns), 1):
        item = {"item_id": row["key"] or str(k), "story": row["story"]}
        item["scenario"] = "-".join(
            f"{row[f'role{of}']}.{row[f'expectationno{of}']}" for of in "12"
        )
        item["pair"] = "-".join(sorted((row["role1"], row["role2"])))
        for side, of in (("a", "1"), ("b", "2")):
            domain = row[f"code{of}"][:1]
            item[f"domain_{side}"] = DOMAINS.get(domain, domain)
            item |= {f"{ours}_{side}": row[f"{theirs}{of}"] for ours, theirs in SIDES.items()}
        yield item


def norms(columns: Columns) -> Iterator[Item]:
    """Yield GAIN's scenarios as items of ``norm-goal``; scenarios without an id are told by their texts."""
    numbers: dict[tuple[str, ...], str] = {}
    for k, row in enumerate(each(columns), 1):
        texts = {name: row[name] for name in NEEDED["norm-goal"]}
        scenario = first(row, "scenario", "scenarioid", "baseid")
        scenario = scenario or numbers.setdefault(tuple(texts.values()), f"s{len(numbers) + 1}")
        kind, text = pressure_of(row)
        item = {
            "item_id": first(row, "itemid", "id") or f"{scenario}-{kind or k}",
            "scenario": scenario,
        }
        item |= {
            "domain": first(row, "domain", "category"),
            **texts,
            "pressure": kind,
            "pressure_text": text,
        }
        yield item | ({"split": row["split"]} if row["split"] else {})


def pressure_of(row: Item) -> tuple[str, str]:
    """Return kind and text of a pressure; no pressure is ``none``, a kind longer than a label is its text."""
    pressure = row["pressure"]
    kind = first(row, "pressuretype", "pressurecategory") or (
        pressure if len(pressure) <= LABEL else "pressure"
    )
    none = kind.strip().lower() in ("", "none", "no pressure", "base", "baseline")
    return (
        ("none", "") if none else (kind, first(row, "pressuretext", "pressurecontent") or pressure)
    )


def couples(columns: Columns) -> Iterator[Item]:
    """Yield DeMET's scenarios as parts for ``socialstats design who-is-right``."""
    text = texts_with_names(columns)
    about = {
        name: [(v or "").strip() for v in values]
        for name, values in columns.items()
        if name != text
    }
    topic, key = (
        named(about, "topic", "category", "theme"),
        named(about, "id", "scenario", "scenarioid", "number"),
    )
    kind = next(
        (
            name
            for name, texts in about.items()
            if name != topic and all(v.lower() in KIND_OF for v in texts)
        ),
        "",
    )
    for k, question in enumerate(columns[text]):
        item = {
            "scenario": (key and about[key][k]) or f"q{k}",
            "text": QUESTION.sub("", question or ""),
        }
        item |= {"topic": about[topic][k].lower()} if topic else {}
        yield item | ({"kind": KIND_OF[about[kind][k].lower()]} if kind else {})
