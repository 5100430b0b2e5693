"""Our numbers beside those of independent implementations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from socialstats.results.rows import plain

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One number compared with an independent implementation.

    Attributes
    ----------
    quantity : str
    ours, theirs : float or None
    package, version : str
    tolerance : float
        Largest absolute difference that counts as agreement; `why` justifies it in one line.
    ok : bool or None
        None where the other side has no such number or is known to be wrong (then `note` says so).
    """

    quantity: str
    ours: float | None
    theirs: float | None
    package: str
    version: str
    tolerance: float
    ok: bool | None
    why: str = ""
    note: str = ""

    @property
    def difference(self) -> float | None:
        """Absolute difference, where both sides have the number."""
        if self.ours is None or self.theirs is None:
            return None
        return abs(self.ours - self.theirs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The outcome of `Result.verify()`: a small table of checks."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """True when at least one number was compared and none disagreed."""
        return any(c.ok for c in self.checks) and all(c.ok is not False for c in self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def tidy(self) -> pd.DataFrame:
        """Return the checks as a table, one row a quantity."""
        import pandas as pd

        names = ("quantity", "ours", "theirs", "package", "version", "difference", "tolerance", "ok", "why")
        return pd.DataFrame({n: [getattr(c, n) for c in self.checks] for n in (*names, "note")})

    def to_dict(self) -> list[dict[str, Any]]:
        """Return the checks as built-in types."""
        names = [f.name for f in fields(Check)]
        return [{n: plain(getattr(c, n)) for n in names} | {"difference": c.difference} for c in self.checks]
