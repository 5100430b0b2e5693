"""Tables matched by the keys of their rows, never by the positions of these."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.arrays import IntArray
from socialstats.errors import Caution, InputError, caution
from socialstats.text import count, quoted


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Match:
    """Where the common keys of several tables stand.

    Attributes
    ----------
    keys : tuple
        Keys that all tables have, in the order of the first table.
    places : tuple of (keys,) int64 arrays
        For each table, the place of each of these keys among its own.
    unmatched : tuple of tuple
        For each table, those of its keys that some other table lacks, in its order.
    """

    keys: tuple[Any, ...]
    places: tuple[IntArray, ...]
    unmatched: tuple[tuple[Any, ...], ...]

    @property
    def complete(self) -> bool:
        """Whether all tables have the same keys."""
        return not any(self.unmatched)

    def values(self, *columns: Any) -> list[Any]:
        """Return the values of the common keys, one column (an array or a sparse matrix) for each table.

        Raises
        ------
        ValueError
            If a column has another length than the keys of its table.
        """
        # a table's keys are those of all tables and its own
        sizes = [len(self.keys) + len(lone) for lone in self.unmatched]
        if [column.shape[0] for column in columns] != sizes:
            raise ValueError(
                f"columns of {[column.shape[0] for column in columns]} values for {sizes} keys"
            )
        return [column[place] for column, place in zip(columns, self.places, strict=True)]

    def text(self, noun: str, names: Sequence[str]) -> str:
        """State how many keys all tables have, and how many of each are not among them.

        Examples
        --------
        >>> match_keys(["u1", "u2"], ["u2", "u3", "u4"]).text("unit", ["people", "the model"])
        '1 unit of both; 1 unit only from people, 2 units only from the model'
        """
        alone = [
            f"{count(len(lone), noun)} only from {name}"
            for lone, name in zip(self.unmatched, names, strict=True)
            if lone
        ]
        shared = f"{count(len(self.keys), noun)} of {'both' if len(self.places) == 2 else 'all'}"
        return f"{shared}; {', '.join(alone)}" if alone else shared

    def cautions(self, noun: str, names: Sequence[str], affects: str) -> tuple[Caution, ...]:
        """Return caution SS301 with `text`, where some key is not in all tables."""
        return () if self.complete else (caution("SS301", self.text(noun, names), affects=affects),)


def match_keys(*tables: Iterable[Hashable]) -> Match:
    """Find the keys that all tables have.

    Parameters
    ----------
    *tables : iterable of hashable
        The keys of the rows of each table: labels, or tuples of labels.

    Returns
    -------
    Match

    Raises
    ------
    InputError
        If a key repeats within a table.

    Examples
    --------
    >>> people, model = np.array([4.0, 2.0, 5.0]), np.array([1.0, 3.0])
    >>> match = match_keys(["u1", "u2", "u3"], ["u3", "u1"])
    >>> match.keys, [column.tolist() for column in match.values(people, model)], match.unmatched
    (('u1', 'u3'), [[4.0, 5.0], [3.0, 1.0]], (('u2',), ()))
    """
    indexes = [_index(keys) for keys in tables]
    shared = set(indexes[0]).intersection(*indexes[1:])
    common = [key for key in indexes[0] if key in shared]
    # keys are of any type: arrays of objects would be as slow, and take more memory
    places = [
        np.fromiter(map(index.__getitem__, common), np.int64, len(common)) for index in indexes
    ]
    unmatched = [tuple(key for key in index if key not in shared) for index in indexes]
    return Match(keys=tuple(common), places=tuple(places), unmatched=tuple(unmatched))


def _index(keys: Iterable[Hashable]) -> dict[Hashable, int]:
    """Return the place of each key."""
    listed = keys.tolist() if isinstance(keys, np.ndarray) else list(keys)
    index = dict(zip(listed, range(len(listed)), strict=True))
    # a dictionary keeps the last place of a key, so that repeated keys leave it shorter
    if len(index) < len(listed):
        repeated = [key for place, key in enumerate(listed) if index[key] != place]
        raise InputError(
            f"rows cannot be matched: {quoted([str(key) for key in dict.fromkeys(repeated)])} "
            "occurs more than once in one table"
        )
    return index


def shared_codes(*levels: Sequence[str]) -> list[IntArray]:
    """Return codes of the levels of several tables, the same code for the same label.

    Examples
    --------
    >>> [codes.tolist() for codes in shared_codes(("s1", "s2"), ("s2", "s3"))]
    [[0, 1], [1, 2]]
    """
    code: dict[str, int] = {}
    return [
        np.array([code.setdefault(label, len(code)) for label in labels], dtype=np.int64)
        for labels in levels
    ]
