"""The cells of a run's design, one after another: items x factors x replicates, with a seeded order of options."""

from __future__ import annotations

import hashlib
import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from socialstats_collect.ask import Unit, canonical
from socialstats_collect.items import Items

Assignment = Mapping[str, str]


def units(
    items: Items,
    factors: Mapping[str, Sequence[str]],
    *,
    replicates: int = 1,
    order: str = "balanced",
    orders: Sequence[str] = ("as given",),
    seed: int = 0,
) -> Iterator[Unit]:
    """Yield every unit of a run; nothing is kept but the order of options of each item.

    Parameters
    ----------
    items
        From `read_items`.
    factors
        Factor to levels, ``model`` among them.
    replicates
        How often each cell is asked.
    order
        ``balanced``: drawn so that half of the items have each order (one more of one where their number is odd);
        ``random``: drawn for each item and cell on its own; ``all``: every cell in every order, as a factor;
        ``fixed``: the first order always. Draws depend on the seed and the item's identifier, never on its number.
    orders
        The orders that the protocol knows.
    seed
        Of the draws.

    Examples
    --------
    >>> items = Items(rows=({"t": "x"}, {"t": "y"}), ids=("a", "b"), columns=("t",), source="", sha256="")
    >>> [(u.item_id, u.factors["order"]) for u in units(items, {"model": ["m"]}, orders=("ab", "ba"))]
    [('a', 'ab'), ('b', 'ba')]
    """
    levels = dict(factors)
    if len(orders) > 1 and order == "all":
        levels["order"] = orders
    names = list(levels)
    for cell in itertools.product(*levels.values()):
        given = dict(zip(names, cell, strict=True))
        shown = _shown(items.ids, given, order, orders, seed)
        for identifier, row in zip(items.ids, items.rows, strict=True):
            which = {"order": shown[identifier]} if shown else {}
            for replicate in range(1, replicates + 1):
                yield Unit(item_id=identifier, item=row, factors={**given, **which}, replicate=replicate)


def count(
    items: Items, factors: Mapping[str, Sequence[str]], replicates: int, order: str, orders: Sequence[str]
) -> int:
    """Return how many units a run has."""
    cells = len(items.ids) * replicates
    for levels in factors.values():
        cells *= len(levels)
    return cells * (len(orders) if order == "all" else 1)


def _shown(ids: Sequence[str], cell: Assignment, order: str, orders: Sequence[str], seed: int) -> Assignment:
    """The order of options of each item in one cell; models see the same orders, so that they can be paired."""
    if len(orders) < 2 or order == "all":
        return {}
    if order == "fixed":
        return dict.fromkeys(ids, orders[0])
    salt = canonical([seed, sorted((name, level) for name, level in cell.items() if name != "model")])
    if order == "random":
        return {one: orders[_draw(salt, one) % len(orders)] for one in ids}
    shuffled = sorted(ids, key=lambda one: _draw(salt, one))
    first = list(orders)
    random.Random(_draw(salt, "start")).shuffle(first)
    return {one: first[place % len(first)] for place, one in enumerate(shuffled)}


def _draw(salt: str, text: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{salt}\0{text}".encode("utf-8", "surrogatepass")).digest()[:8])
