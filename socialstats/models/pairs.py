"""Pairs of items that two designs share, matched by the items' labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, NothingToAnalyse, caution
from socialstats.text import count, quoted

Pair = tuple[str, str]


def pair_names(design: Comparisons) -> tuple[Pair, ...]:
    """Labels of the two items of each level of ``design.pair``, the smaller label first."""
    first = np.unique(design.pair.codes, return_index=True)[1]
    ends = [(design.items[design.item_a[i]], design.items[design.item_b[i]]) for i in first]
    return tuple((min(pair), max(pair)) for pair in ends)


def common_pairs(
    first: Comparisons, second: Comparisons, unmatched: str
) -> tuple[Comparisons, Comparisons, tuple[Pair, ...], tuple[Caution, ...]]:
    """Keep the pairs of items that both designs compared, matched by label.

    Parameters
    ----------
    first, second : Comparisons
    unmatched : {"error", "drop"}

    Returns
    -------
    first, second : Comparisons
        Cells of common pairs only.
    pairs : tuple of (str, str)
        Items of the common pairs, sorted.
    cautions : tuple of Caution
        SS301 when pairs were left out.

    Raises
    ------
    InputError
        If pairs are unmatched and `unmatched` is ``"error"``, or a design still has several ``by`` levels.
    NothingToAnalyse
        If no pair is common.
    """
    if unmatched not in ("error", "drop"):
        raise InputError(f"unmatched='{unmatched}' is not one of error, drop")
    for design in (first, second):
        if design.by is not None:
            raise InputError(f"the design has a by factor '{design.by.name}'; take two levels of design.split()")
    names = pair_names(first), pair_names(second)
    common = tuple(sorted(set(names[0]) & set(names[1])))
    alone = [" | ".join(pair) for pair in sorted(set(names[0]) ^ set(names[1]))]
    if not common:
        raise NothingToAnalyse("no pair of items was compared in both designs")
    if not alone:
        return first, second, common, ()
    said = f"{count(len(alone), 'pair')} in only one of the designs: {quoted(alone)}"
    if unmatched == "error":
        raise InputError(f'{said}. unmatched="drop" compares the {count(len(common), "common pair")}')
    known = set(common)
    keep = [np.array([name in known for name in pair_names(d)])[d.pair.codes] for d in (first, second)]
    left = (caution("SS301", said, affects="the difference covers common pairs only"),)
    return first.take(keep[0]), second.take(keep[1]), common, left


def pair_codes(design: Comparisons, pairs: Sequence[Pair]) -> IntArray:
    """Position of each cell's pair in `pairs`."""
    place = {name: i for i, name in enumerate(pairs)}
    return np.array([place[name] for name in pair_names(design)], dtype=np.int64)[design.pair.codes]
