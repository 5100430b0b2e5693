"""Groupings of the items from a table of their own: one row an item, one column a grouping."""

from __future__ import annotations

from collections.abc import Mapping

from socialstats.designs.columns import ITEM_PAIRS
from socialstats.errors import DesignError, InputError
from socialstats.tables import Table as DataTable
from socialstats.text import quoted, shorten

NAMES = ("item", "role", "name", "label", *(one.removesuffix("_a") for one, _ in ITEM_PAIRS if one.endswith("_a")))


def read_item_groups(table: DataTable) -> Mapping[str, Mapping[str, str]]:
    """Read groupings of items, such as the gender, income or religion of roles.

    Parameters
    ----------
    table : Table
        One column that names the item (``item``, ``role``, ``name``, ...), and one for each grouping. An empty field:
        the item is in no group of that grouping.

    Returns
    -------
    mapping of grouping to mapping of item to group

    Raises
    ------
    DesignError
        If no column names the items, or there is no other column.
    InputError
        If an item has two rows.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> read_item_groups(as_table({"role": ["nun", "judge"], "gender": ["female", ""]}))
    {'gender': {'nun': 'female'}}
    """
    item = next((name for name in NAMES if name in table.columns), None)
    others = [name for name in table.columns if name != item]
    if item is None or not others:
        missing = "that names the item" if item is None else "of a grouping"
        raise DesignError(
            f"{table.source}: no column {missing} (columns: {quoted(list(table.columns), 20)}). One column is called "
            "'item' (or 'role'), every other one is a grouping"
        )
    counts = table.counts(list(table.columns))
    labels = {name: column.labels() for name, column in counts.columns.items()}
    items = [labels[item].levels[code] if code >= 0 else "" for code in labels[item].codes.tolist()]
    twice = sorted({name for name in items if items.count(name) > 1})
    if twice:
        raise InputError(f"{table.source}: '{shorten(twice[0])}' has several rows; give every item one")
    return {
        name: {
            one: labels[name].levels[code]
            for one, code in sorted(zip(items, labels[name].codes.tolist(), strict=True)) if code >= 0 and one
        }
        for name in others
    }  # fmt: skip
