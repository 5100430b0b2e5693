"""The options of a comparison table, in one place, checked once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from socialstats.errors import InputError

Missing = Literal["error", "drop"]
WinnerCoding = Literal["auto", "label", "side", "score"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How to read a table as comparisons; `Comparisons.from_frame` documents every field."""

    item_a: str | None = None
    item_b: str | None = None
    winner: str | None = None
    order: str | Literal[False] | None = None
    covariates: Sequence[str] | Mapping[str, tuple[str, str]] | None = None
    weight: str | None = None
    by: str | None = None
    cluster: str | Sequence[str] = ()
    tie: str | Sequence[str] = ("tie",)
    missing: Missing = "error"
    winner_coding: WinnerCoding = "auto"
    na: str | Sequence[str] = ()
    allowed: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    wins_a: str | None = None
    wins_b: str | None = None
    ties: str | None = None

    def __post_init__(self) -> None:
        for name, allowed in (("missing", get_args(Missing)), ("winner_coding", get_args(WinnerCoding))):
            value = getattr(self, name)
            if value not in allowed:
                raise InputError(f"{name}={value!r} is not an option. Choose from {', '.join(map(repr, allowed))}")

    @property
    def tie_labels(self) -> tuple[str, ...]:
        """Labels that mean a tie."""
        return _texts(self.tie)

    @property
    def na_labels(self) -> frozenset[str]:
        """Labels that mean a missing value."""
        return frozenset(_texts(self.na))

    @property
    def cluster_names(self) -> tuple[str, ...]:
        """Columns that declare dependence."""
        return tuple(dict.fromkeys(_texts(self.cluster)))


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
