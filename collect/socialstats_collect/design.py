"""The design of a run: items, factors, orders and texts; its units, its lines in a log, and what changed since."""

from __future__ import annotations

import hashlib
import itertools
import math
import random
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats.text import count, quoted, shorten
from socialstats_collect.ask import Unit, canonical, digest
from socialstats_collect.parse import VERSION
from socialstats_collect.protocols import protocol_class
from socialstats_collect.protocols.base import CollectionProtocol, Settings, fields

FORMAT = 2
SETTINGS = ("options", "texts", "system", "parameters", "judges", "judge_parameters")
PLAIN_FIELDS = ("factors", "order", "replicates", "seed", "run_file", "hosts", "versions")
DESIGN = {name: name for name in PLAIN_FIELDS} | {"source": "items_file"}
"""What a log calls the fields of a design."""
ASKS = (
    "protocol",
    "options",
    "texts",
    "system",
    "parameters",
    "judges",
    "judge_parameters",
    "order",
    "seed",
)
"""Fields that decide what models are asked; the parameters of judges do where there are any."""
MOST_NAMED = 3
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
        levels, once = self._levels(), self.protocol.once
        for place, cell in enumerate(itertools.product(*levels.values())):
            factors = dict(zip(levels, cell, strict=True))
            orders = self._shown(factors)
            for item, k in itertools.product(self.asked, range(self.replicates)):
                if (place or k) and once(item.columns):
                    continue
                order = {"order": orders[item.drawn]} if orders else {}
                yield Unit(
                    item_id=item.id,
                    item=item.columns,
                    factors=factors | order,
                    replicate=k + 1,
                    drawn=item.drawn,
                )

    def _levels(self) -> dict[str, Sequence[str]]:
        """Return the levels of each factor, that of orders included where every cell has every order."""
        levels = dict(self.factors)
        if len(self.protocol.orders) > 1 and self.order == "all":
            levels["order"] = self.protocol.orders
        n = len(self.items) * self.replicates * math.prod(map(len, levels.values()))
        if n > MOST_UNITS:
            message = f"{shorten(f'{n:,}')} units, and {MOST_UNITS:,} are allowed"
            fix = "Split the design: each part takes a run file and a log of its own."
            raise InputError(Problem(message=message, fix=fix))
        return levels

    def _shown(self, cell: Mapping[str, str]) -> Mapping[str, str]:
        """Return the order of options of each item in one cell: the same for all models, so that they can be paired."""
        orders, items = self.protocol.orders, self.items
        if len(orders) < 2 or self.order == "all":
            return {}
        if self.order == "fixed":
            return {item.drawn: orders[0] for item in items}
        levels = sorted((name, level) for name, level in cell.items() if name != "model")
        salt = canonical([self.seed, levels])
        draws = {item.drawn: _draw(salt, item.drawn) for item in items}
        if self.order == "random":
            return {name: orders[draw % len(orders)] for name, draw in draws.items()}
        shuffled = sorted(items, key=lambda item: (item.batch, draws[item.drawn]))
        turns = list(orders)
        random.Random(_draw(salt, "start")).shuffle(turns)
        return {item.drawn: turn for item, turn in zip(shuffled, itertools.cycle(turns))}

    def contents(self, items: Iterable[Item]) -> Iterator[tuple[bytes, Item]]:
        """Yield items with what the texts take from them, hashed: two items with the same content ask the same."""
        protocol = self.protocol
        read = {*protocol.columns, *fields(protocol.settings.system), "control"}
        for name, text in protocol.texts.items():
            if name not in (*protocol.lists, "people"):
                read.update(fields(text))
        names = sorted(read)
        for item in items:
            values = {**item.columns, "item_id": item.id}
            content = canonical([values.get(name, "") for name in names])
            yield hashed(content)[:16], item

    def record(self) -> dict[str, Any]:
        """Return what a log holds of the design, its items aside."""
        settings = self.protocol.settings
        record = {name: getattr(settings, name) for name in SETTINGS}
        record |= {name: getattr(self, attribute) for attribute, name in DESIGN.items()}
        texts, judges = dict(self.protocol.texts), [*settings.judges]
        return record | {"protocol": self.protocol.name, "texts": texts, "judges": judges}

    def lines(
        self, run_id: str, after: Sequence[str], started: str, n_units: int, items_of: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Yield the records that open a run: enough to read the log without the run file, all of them twice.

        With `items_of` the items are those of an earlier run, and are not written again.
        """
        run = {
            "type": "run",
            "run_id": run_id,
            "format": FORMAT,
            "after": [*after],
            "started": started,
            "n_units": n_units,
            "n_items": len(self.items),
            "parser_version": VERSION,
            **self.record(),
        }
        items = enumerate(self.items)
        if items_of:
            run["items_of"], items = items_of, enumerate(())
        several = [
            {"type": "item", "run_id": run_id, "place": k, **asdict(item)} for k, item in items
        ]
        for _ in range(2):
            yield run
            yield from several


def hashed(text: str) -> bytes:
    """Return the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _draw(salt: str, text: str) -> int:
    return int.from_bytes(hashed(f"{salt}\0{text}")[:8])


def design_of(run: Mapping[str, Any]) -> RunDesign:
    """Return the design that a run's line and its items' lines describe."""
    settings = {name: run[name] for name in SETTINGS if name in run}
    settings["judges"] = tuple(settings.get("judges", ()))
    fields_of_run = {attribute: run[name] for attribute, name in DESIGN.items() if name in run}
    items = tuple(item for _, item in sorted(run["items"].items()))
    protocol = protocol_class(str(run["protocol"]))(Settings(**settings))
    return RunDesign(protocol=protocol, items=items, **fields_of_run)


def heads_of(runs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the runs that none goes on with: one, or several where logs were put together.

    A run that was killed while it wrote its items asked nothing, and replaces none.
    """
    complete = [run for run in runs if len(run["items"]) >= run.get("n_items", 0)] or runs
    replaced = {name for run in complete for name in run.get("after", ())}
    return [run for run in complete if run["run_id"] not in replaced]


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
        renamed = [f"'{old}' is now '{new}'" for old, new in self.renamed[:MOST_NAMED]]
        corrected = [f"{name} of {count(n, 'item')}" for name, n in self.corrected.items()]
        items_renamed, items_gone = (count(len(n), "item") for n in (self.renamed, self.gone))
        words = {
            f"{items_renamed} found again by content": ", ".join(renamed),
            "columns corrected": ", ".join(corrected),
            count(len(self.added), "new item"): quoted(self.added),
            f"{items_gone} taken out of the table": quoted(self.gone),
        }
        return "; ".join(f"{what}: {names}" for what, names in words.items() if names)


def matched(present: RunDesign, before: Sequence[RunDesign]) -> Change:
    """Match a design with those that a log holds: items by content first, then by identifier."""
    if not before:
        return Change(design=present)
    olds = {content: item for design in before for content, item in design.contents(design.items)}
    by_id = {same_form(item.id): item for design in before for item in design.asked}
    contents = list(before[-1].contents(present.asked))
    matches = {olds[content].drawn for content, _ in contents if content in olds}
    drawn = {item.drawn for item in olds.values()}
    batch = max((item.batch + 1 for design in before for item in design.items), default=0)
    items, changed, renamed, added = [], [], [], []
    corrected: Counter[str] = Counter()
    for content, item in contents:
        old, namesake = olds.get(content), by_id.get(same_form(item.id))
        if old is None and namesake is not None and namesake.drawn not in matches:
            changed.append((namesake, item))
            old = namesake
        elif old is None:
            added.append(item.id)
        elif old.id != item.id:
            renamed.append((old.id, item.id))
        else:
            pairs = item.columns.items()
            corrected.update(name for name, value in pairs if old.columns.get(name) != value)
        if old is None:
            name = f"{item.id} ({batch})" if item.id in drawn else item.id
            items.append(replace(item, drawn=name, batch=batch))
        else:
            items.append(replace(item, drawn=old.drawn, batch=old.batch))
    there = {item.drawn for item in items}
    gone = [item for item in olds.values() if item.drawn not in there]
    items += [replace(item, gone=True) for item in gone]
    return Change(
        design=replace(present, items=tuple(items)),
        changed=tuple(changed),
        renamed=tuple(renamed),
        corrected=corrected,
        added=tuple(added),
        gone=tuple(item.id for item in gone if not item.gone),
        words=tuple(differences(before[-1], present)),
    )


def differences(before: RunDesign, present: RunDesign) -> Iterator[str]:
    """State which settings differ that decide what models are asked."""
    old, new = (_asked_settings(design) for design in (before, present))
    for name in dict.fromkeys([*old, *new]):
        was, now = old.get(name), new.get(name)
        if digest(was) != digest(now):
            yield f"{name} was {shorten(repr(was), 60)}, is {shorten(repr(now), 60)}"


def _asked_settings(design: RunDesign) -> dict[str, Any]:
    """Return the settings that decide what models are asked, those of tables by name and key."""
    record = design.record()
    record["texts"].pop("people", None)
    if not record["judges"]:
        record.pop("judge_parameters")
    settings: dict[str, Any] = {}
    for name in ASKS:
        value = record.get(name)
        if isinstance(value, dict):
            settings |= {f"{name}.{key}": value[key] for key in sorted(value)}
        else:
            settings[name] = value
    return settings


def refuse_changes(change: Change, source: str, again: int) -> None:
    """Raise where answers to other words would leave the table and be asked for again.

    Raises
    ------
    InputError
        Naming every change, what it means, and the three ways out.
    """
    changes = [*change.words]
    for old, new in change.changed[:20]:
        edits = [_edit(name, old.columns.get(name, ""), text) for name, text in new.columns.items()]
        changes.append(f"item '{new.id}': {', '.join(filter(None, edits))}")
    if not changes:
        return
    message = f"what is asked changed since this log was begun: {'; '.join(changes)}"
    units = f"{count(again, 'unit')} would be asked again"
    message += f". {units}, and the answers to the words before would leave the table"
    fix = (
        "Restore the words, or give this run a separate log (-o). Or add --again to ask again in this log, which keeps "
        "the earlier answers."
    )
    raise InputError(Problem(message=message, source=source, fix=fix))


def _edit(name: str, old: str, new: str) -> str:
    """State where two texts differ, with a few words around; empty where they do not."""
    if old == new:
        return ""
    if same_form(old) == same_form(new):
        return f"{name} has the same letters in another Unicode form"
    equal = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))
    start = max(0, len([*equal]) - 15)
    return f"{name} was '{shorten(old[start:], 40)}', is '{shorten(new[start:], 40)}'"
