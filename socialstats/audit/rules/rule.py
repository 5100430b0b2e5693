"""One rule of a rules file, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from socialstats.audit.documents.quotes import Claim
from socialstats.audit.documents.sheets import Sheet

CERTAIN, LIKELY, OPEN, UNLIKELY = 4.0, 2.0, 0.0, -3.0
"""Log odds, before the numbers speak, that a column is what a rule takes it for: 50 to 1, 7 to 1, even, 1 to 20."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule, checked: which check, on which rows and columns, with which parameters and options.

    `absent` says which optional table was not given, where the rule needs it; the rule is not checked then. `assumes`
    says what a guessed rule takes for granted ("means of whole numbers"), and `odds` the log odds of that.
    `whole`: one check of all rows, not one a row. `claim` is what it tests besides arithmetic.
    """

    name: str
    check: str
    table: str = ""
    note: str = ""
    columns: tuple[str, ...] = ()
    where: Mapping[str, Any] = field(default_factory=dict)
    by: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    absent: str = ""
    assumes: str = ""
    odds: float = 0.0
    whole: bool = False
    claim: Claim | None = None

    @property
    def target(self) -> str:
        """The column whose numbers are to follow from others; empty where the rule goes through columns."""
        return str(self.parameters.get("value", self.parameters.get("total", "")))

    def overlaps(self, other: Rule) -> bool:
        """Return whether another rule is about sums or means in the same column, or in the same rows."""
        if "percent" in self.parameters:
            percent = self.parameters["percent"]
            return bool(percent == other.parameters.get("percent"))
        same = self.target == other.target if self.target else self.where == other.where
        return "parts" in other.parameters and same

    def groups(self, sheet: Sheet) -> list[list[int]]:
        """Return the rows of each check: one row, the rows that share the labels of `by`, or all that are wanted."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for row in sheet.where(self.where):
            key = (
                tuple(sheet.label(row, column) for column in self.by)
                if self.by or self.whole
                else (str(row),)
            )
            groups.setdefault(key, []).append(row)
        return list(groups.values())
