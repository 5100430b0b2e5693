"""The design of a run: items, factors, orders and texts; its units, its lines in a log, and what changed since."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats.text import count, quoted, shorten
from socialstats_collect.ask import Unit, canonical, digest
from socialstats_collect.parse import VERSION
from socialstats_collect.protocols import protocol_class
from socialstats_collect.protocols.base import CollectionProtocol, Settings, fields

FORMAT = 2
SAME = (
    "protocol",
    "options",
    "texts",
    "system",
    "parameters",
    "judges",
    "order",
    "seed",
    "judge_parameters",
)
SHOWN = 3
MOST_UNITS = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of a run.

    Attributes
    ----------
    id, columns
        Its identifier and its columns, as text.
    drawn, batch
        The identifier under which it was first asked, and the number of the run that first had it. Orders are drawn by
        both, so that neither a new name nor a new item changes what was asked before.
    gone
        It is asked no more; it keeps its place among the drawn orders.
    """

    id: str
    columns: Mapping[str, str]
    drawn: str
    batch: int = 0
    gone: bool = False


def same_form(text: str) -> str:
    """Return a text in the Unicode form NFC: two spellings of the same letters become one."""
    return unicodedata.normalize("NFC", text)


def item_of(record: Mapping[str, Any]) -> Item:
    """Return the item that a record of a log describes."""
    columns = {sys.intern(str(name)): value for name, value in record["columns"].items()}
    return Item(
        id=record["id"],
        columns=columns,
        drawn=record.get("drawn") or record["id"],
        batch=record.get("batch", 0),
        gone=record.get("gone", False),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunDesign:
    """What a run asks.

    Attributes
    ----------
    protocol
        The way of asking, with its texts and settings.
    items
        All that are or were asked.
    factors
        Factor to levels, ``model`` first.
    order
        ``balanced``: drawn so that half of the items have each order (one more of one where their number is odd).
        ``random``: drawn for each item and cell on its own; ``all``: every cell in every order, as a factor; ``fixed``:
        the first order always. Draws depend on the seed and the item's identifier, never on its number.
    replicates, seed
        How often each cell is asked; seed of the drawn orders.
    source, run_file
        Names of the files that it was read from.
    hosts
        Model to the host that serves it.
    versions
        Of what made the requests.
    """

    protocol: CollectionProtocol
    items: tuple[Item, ...]
    factors: Mapping[str, Sequence[str]]
    order: str = "balanced"
    replicates: int = 1
    seed: int = 0
    source: str = "items"
    run_file: str = ""
    hosts: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def asked(self) -> tuple[Item, ...]:
        """The items that are asked now."""
        return tuple(item for item in self.items if not item.gone)

    def units(self) -> Iterator[Unit]:
        """Yield every unit; nothing is kept but the orders of one cell.

        Examples
        --------
        >>> protocol = protocol_class("who-is-right")(Settings())
        >>> items = tuple(Item(id=name, columns={}, drawn=name) for name in "ab")
        >>> design = RunDesign(protocol=protocol, items=items, factors={"model": ["m"]})
        >>> [(unit.item_id, unit.factors["order"]) for unit in design.units()]
        [('a', 'first is 1'), ('b', 'second is 1')]
        """
        levels, orders = dict(self.factors), self.protocol.orders
        if len(orders) > 1 and self.order == "all":
            levels["order"] = orders
        if (
            n := len(self.items) * self.replicates * math.prod(map(len, levels.values()))
        ) > MOST_UNITS:
            fix = "Split the design: each part takes a run file and a log of its own."
            raise InputError(
                Problem(
                    message=f"{shorten(f'{n:,}')} units, and {MOST_UNITS:,} are allowed", fix=fix
                )
            )
        for place, cell in enumerate(itertools.product(*levels.values())):
            given = dict(zip(levels, cell, strict=True))
            shown = self._shown(given)
            for item in self.asked:
                which = {"order": shown[item.drawn]} if shown else {}
                times = (
                    self.replicates
                    if not self.protocol.once(item.columns)
                    else 1
                    if not place
                    else 0
                )
                for replicate in range(1, times + 1):
                    yield Unit(
                        item_id=item.id,
                        item=item.columns,
                        factors={**given, **which},
                        replicate=replicate,
                        drawn=item.drawn,
                    )

    def _shown(self, cell: Mapping[str, str]) -> Mapping[str, str]:
        """The order of options of each item in one cell; models see the same ones, so that they can be paired."""
        orders, names = self.protocol.orders, [item.drawn for item in self.items]
        if len(orders) < 2 or self.order == "all":
            return {}
        if self.order == "fixed":
            return dict.fromkeys(names, orders[0])
        salt = canonical(
            [self.seed, sorted((name, level) for name, level in cell.items() if name != "model")]
        )
        if self.order == "random":
            return {one: orders[_draw(salt, one) % len(orders)] for one in names}
        batches = {item.drawn: item.batch for item in self.items}
        shuffled = sorted(names, key=lambda one: (batches[one], _draw(salt, one)))
        first = list(orders)
        random.Random(_draw(salt, "start")).shuffle(first)
        return {one: first[place % len(first)] for place, one in enumerate(shuffled)}

    def contents(self, items: Iterable[Item]) -> Iterator[tuple[bytes, Item]]:
        """Yield items with what the texts take from them, hashed: two items with the same content ask the same."""
        settings = self.protocol.settings
        used = {*self.protocol.columns, *fields(settings.system), "control"}
        for name, text in self.protocol.texts.items():
            used |= set() if name in (*self.protocol.lists, "people") else {*fields(text)}
        for item in items:
            values = {**item.columns, "item_id": item.id}
            taken = canonical([values.get(name, "") for name in sorted(used)])
            yield hashlib.sha256(taken.encode("utf-8", "surrogatepass")).digest()[:16], item

    def lines(
        self, run_id: str, after: Sequence[str], started: str, n_units: int, items_of: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Yield the records that open a run: enough to read the log without the run file, all of them twice.

        With `items_of` the items are those of an earlier run, and are not written again.
        """
        settings = self.protocol.settings
        run = {
            "type": "run",
            "run_id": run_id,
            "format": FORMAT,
            "after": list(after),
            "started": started,
            "protocol": self.protocol.name,
            "options": dict(settings.options),
            "texts": dict(self.protocol.texts),
            "system": settings.system,
            "parameters": dict(settings.parameters),
            "judges": list(settings.judges),
            "judge_parameters": dict(settings.judge_parameters),
            "factors": {name: list(levels) for name, levels in self.factors.items()},
            "order": self.order,
            "replicates": self.replicates,
            "seed": self.seed,
            "n_units": n_units,
            "n_items": len(self.items),
            "run_file": self.run_file,
            "items_file": self.source,
            "hosts": dict(self.hosts),
            "parser_version": VERSION,
            "versions": dict(self.versions),
            **({"items_of": items_of} if items_of else {}),
        }
        for _ in range(2):
            yield run
            for place, item in enumerate(() if items_of else self.items):
                yield {
                    "type": "item",
                    "run_id": run_id,
                    "place": place,
                    "id": item.id,
                    "columns": dict(item.columns),
                    "drawn": item.drawn,
                    "batch": item.batch,
                    "gone": item.gone,
                }


def _draw(salt: str, text: str) -> int:
    return int.from_bytes(
        hashlib.sha256(f"{salt}\0{text}".encode("utf-8", "surrogatepass")).digest()[:8]
    )


def design_of(run: Mapping[str, Any]) -> RunDesign:
    """Return the design that a run's line and its items' lines describe."""
    settings = Settings(
        texts=run["texts"],
        system=run.get("system", ""),
        parameters=run.get("parameters", {}),
        judges=tuple(run.get("judges", ())),
        judge_parameters=run.get("judge_parameters", {}),
        options=run.get("options", {}),
    )
    items = tuple(item for _, item in sorted(run["items"].items()))
    return RunDesign(
        protocol=protocol_class(str(run["protocol"]))(settings),
        items=items,
        factors=run["factors"],
        order=run["order"],
        replicates=run["replicates"],
        seed=run["seed"],
        run_file=run.get("run_file", ""),
        source=run.get("items_file", "items"),
        hosts=run.get("hosts", {}),
        versions=run.get("versions", {}),
    )


def heads_of(runs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the runs that none goes on with: one, or several where logs were put together.

    A run that was killed while it wrote its items asked nothing, and replaces none.
    """
    whole = [run for run in runs if len(run["items"]) >= run.get("n_items", 0)] or runs
    replaced = {name for run in whole for name in run.get("after", ())}
    return [run for run in whole if run["run_id"] not in replaced]


def designs_of(runs: Sequence[Mapping[str, Any]]) -> list[RunDesign]:
    """Return the designs of a log as they stand."""
    return [design_of(run) for run in heads_of(runs)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A design as a run file has it now, matched with those on record.

    Attributes
    ----------
    design
        The present design; its items keep the places under which they were drawn.
    changed
        Items whose content changed under the same identifier: as they were, and as they are.
    renamed
        Identifiers that items with the same content had, and have now.
    corrected
        Columns that no text uses, with the number of items in which they have other values now.
    added, gone
        Identifiers of items that nobody asked before, and of items that are asked no more.
    words
        Settings that differ, each as a sentence.
    """

    design: RunDesign
    changed: tuple[tuple[Item, Item], ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    corrected: Mapping[str, int] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        """State what changes nothing of what was asked."""
        said = []
        if self.renamed:
            pairs = ", ".join(f"'{old}' is now '{new}'" for old, new in self.renamed[:SHOWN])
            said.append(f"{count(len(self.renamed), 'item')} found again by content: {pairs}")
        if self.corrected:
            cells = ", ".join(f"{name} of {count(n, 'item')}" for name, n in self.corrected.items())
            said.append(f"columns corrected: {cells}")
        if self.added:
            said.append(f"{count(len(self.added), 'new item')}: {quoted(self.added)}")
        if self.gone:
            said.append(
                f"{count(len(self.gone), 'item')} taken out of the table: {quoted(self.gone)}"
            )
        return "; ".join(said)


def matched(present: RunDesign, before: Sequence[RunDesign]) -> Change:
    """Match a design with those that a log holds: items by content first, then by identifier."""
    if not before:
        return Change(design=present)
    olds = {content: item for one in before for content, item in one.contents(one.items)}
    by_id = {same_form(item.id): item for one in before for item in one.items if not item.gone}
    asked = list(before[-1].contents(present.asked))
    known = {olds[content].drawn for content, _ in asked if content in olds}
    batch = 1 + max(item.batch for one in before for item in one.items) if olds else 0
    taken = {item.drawn for item in olds.values()}
    items, changed, renamed, added = [], [], [], []
    corrected: dict[str, int] = {}
    for content, item in asked:
        old, same = olds.get(content), by_id.get(same_form(item.id))
        if old is None and same is not None and same.drawn not in known:
            old = same
            changed.append((same, item))
        elif old is None:
            added.append(item.id)
        elif old.id != item.id:
            renamed.append((old.id, item.id))
        else:
            for name, value in item.columns.items():
                corrected[name] = corrected.get(name, 0) + (old.columns.get(name) != value)
        drawn = old.drawn if old else item.id if item.id not in taken else f"{item.id} ({batch})"
        items.append(replace(item, drawn=drawn, batch=old.batch if old else batch))
    there = {item.drawn for item in items}
    gone = [item for item in olds.values() if item.drawn not in there]
    lost = tuple(item.id for item in gone if not item.gone)
    return Change(
        design=replace(present, items=(*items, *(replace(item, gone=True) for item in gone))),
        changed=tuple(changed),
        renamed=tuple(renamed),
        corrected={name: n for name, n in corrected.items() if n},
        added=tuple(added),
        gone=lost,
        words=tuple(differences(before[-1], present)),
    )


def differences(before: RunDesign, present: RunDesign) -> Iterator[str]:
    """State which settings differ that decide what models are asked."""
    old, new = (next(iter(one.lines("", (), "", 0))) for one in (before, present))
    for one in (old, new):
        one["texts"].pop("people", None)
    for name in (
        SAME if before.protocol.settings.judges or present.protocol.settings.judges else SAME[:-1]
    ):
        pairs = (old[name], new[name])
        keys = sorted({*pairs[0], *pairs[1]}) if isinstance(pairs[0], dict) else [None]
        for key in keys:
            was, now = (one if key is None else one.get(key) for one in pairs)
            if digest(was) != digest(now):
                yield f"{name}{f'.{key}' if key else ''} was {_short(was)}, is {_short(now)}"


def _short(value: object) -> str:
    return shorten(repr(value), 60)


def refuse_changes(change: Change, source: str, again: int) -> None:
    """Raise where answers to other words would leave the table and be asked for again.

    Raises
    ------
    InputError
        Naming every change, what it means, and the three ways out.
    """
    said = [*change.words]
    for old, new in change.changed[:20]:
        edits = [_edit(name, old.columns.get(name, ""), text) for name, text in new.columns.items()]
        said.append(f"item '{new.id}': {', '.join(filter(None, edits))}")
    if not said:
        return
    what = f"{count(again, 'unit')} would be asked again, and the answers to the words before would leave the table"
    fix = (
        "Restore the words, or give this run a separate log (-o). Or add --again to ask again in this log, which keeps "
        "the earlier answers."
    )
    raise InputError(
        Problem(
            message=f"what is asked changed since this log was begun: {'; '.join(said)}. {what}",
            source=source,
            fix=fix,
        )
    )


def _edit(name: str, old: str, new: str) -> str:
    """State where two texts differ, with a few words around; empty where they do not."""
    if same_form(old) == same_form(new):
        return "" if old == new else f"{name} has the same letters in another Unicode form"
    start = next(
        (k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    start = max(0, start - 15)
    return f"{name} was '{shorten(old[start:], 40)}', is '{shorten(new[start:], 40)}'"
