"""Other views of a design: as a data frame, by item, under other labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import AnyArray
from socialstats.designs.cells import merged
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import A_WON, B_WON, TIED, Covariate, Factor
from socialstats.errors import DesignError, InputError
from socialstats.text import quoted

if TYPE_CHECKING:
    import pandas as pd


def relabelled(design: Comparisons, labels: Mapping[str, str]) -> Comparisons:
    """Give items new labels; `Comparisons.relabel` documents it."""
    unknown = [name for name in labels if name not in design.items]
    if unknown:
        raise InputError(f"{quoted(unknown)}: no such item. Items: {quoted(design.items, 10)}")
    renamed = [labels.get(item, item) for item in design.items]
    if len(set(renamed)) < len(renamed):
        twice = sorted({name for name in renamed if renamed.count(name) > 1})
        raise InputError(f"two items would be called {quoted(twice)}. Give every item a label of its own")
    items = tuple(sorted(renamed))
    code = np.array([items.index(name) for name in renamed], dtype=np.int64)
    refused = design.refused
    if refused is not None:
        refused = relabelled(refused, {name: new for name, new in labels.items() if name in refused.items})
    done = merged(replace(design, items=items, item_a=code[design.item_a], item_b=code[design.item_b], refused=refused))
    by_name = {"pair": done.pair} if "pair" not in design.columns.values() else {}
    return replace(done, clusters=tuple(by_name.get(factor.name, factor) for factor in done.clusters))


def swapped(design: Comparisons) -> Comparisons:
    """Exchange the sides; `Comparisons.swap` documents it."""
    other = np.array([B_WON, A_WON, TIED], dtype=np.int8)
    return merged(
        replace(
            design, item_a=design.item_b, item_b=design.item_a, outcome=other[design.outcome],
            first=(-design.first).astype(np.int8),
            covariates={name: Covariate(name=name, a=c.b, b=c.a) for name, c in design.covariates.items()},
            refused=None if design.refused is None else swapped(design.refused),
        )
    )  # fmt: skip


def split_by(design: Comparisons, by: Factor) -> dict[str, Comparisons]:
    """Return one design a level of the by factor, each with its own refusals; `Comparisons.split` documents it."""
    refused = {} if design.refused is None else design.refused.split()
    return {
        level: replace(design.take(by.codes == code, note=f"{by.name} = {level}"), by=None, refused=refused.get(level))
        for code, level in enumerate(by.levels)
    }


def without_cited(design: Comparisons) -> Comparisons:
    """Return the design without the labels that its rows cite: fewer cells, the same comparisons."""
    return design if design.cited is None else merged(replace(design, cited=None))


def groups_of(design: Comparisons, covariate: str) -> dict[str, Any]:
    """Return the value of a covariate for each item; `Comparisons.group_of` documents it."""
    if covariate not in design.covariates:
        listed = quoted([*design.covariates], 10) or "none"
        raise DesignError(f"{design.source}: no covariate '{covariate}'. Covariates: {listed}")
    sides = design.covariates[covariate]
    groups: dict[str, Any] = {}
    for codes, values in ((design.item_a, sides.a), (design.item_b, sides.b)):
        for code, value in dict.fromkeys(zip(codes.tolist(), values.tolist(), strict=True)):
            item = design.items[code]
            if groups.setdefault(item, value) != value:
                seen = f"'{groups[item]}' and '{value}'"
                raise DesignError(f"{design.source}: '{item}' has several values of '{covariate}' ({seen})")
    return dict(sorted(groups.items()))


def table_of(design: Comparisons) -> pd.DataFrame:
    """Return the cells as a data frame; `Comparisons.table` documents it."""
    import pandas as pd

    names = np.array(design.items, dtype=object)
    a, b = names[design.item_a], names[design.item_b]
    winner: AnyArray = np.full(len(a), None, dtype=object)
    for code, won in ((A_WON, a), (B_WON, b)):
        winner[design.outcome == code] = won[design.outcome == code]
    columns: dict[str, Any] = {"item_a": a, "item_b": b, "winner": winner}
    columns |= {"tied": design.outcome == TIED}
    if design.order_known:
        columns["order"] = np.where(design.first > 0, names[design.item_a], names[design.item_b])
    for name, c in design.covariates.items():
        columns |= {f"{name}_a": c.a, f"{name}_b": c.b}
    for factor in (*([design.by] if design.by else []), *([design.cited] if design.cited else []), *design.clusters):
        columns[factor.name] = np.array(factor.levels, dtype=object)[factor.codes]
    return pd.DataFrame(columns | {"count": design.count, "weight": design.weight})
