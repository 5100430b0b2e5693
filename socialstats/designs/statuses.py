"""What became of a reply, by the columns that say so: answered, refused, or neither."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from socialstats.arrays import AnyArray, BoolArray
from socialstats.designs.parts import MISSING, OK, REFUSAL
from socialstats.designs.rows import Rows
from socialstats.designs.schema import Roles
from socialstats.text import shorten

# what collected tables say of a reply that the provider's filter held back
BLOCKED = "blocked"
MEANING = {"ok": OK, "corrected": OK, "refusal": REFUSAL}


@dataclass(frozen=True, slots=True, kw_only=True)
class Statuses:
    """What became of the replies.

    Attributes
    ----------
    kind : (rows,) int8 array
        ``OK``, ``REFUSAL`` or ``MISSING`` (neither: missing or unreadable).
    blocked : (rows,) bool array
        Refusals that are blocks by a filter of the provider.
    unread : dict of str to (rows,) bool array
        Rows of kind ``MISSING``, by what the column says.
    """

    kind: np.ndarray[tuple[int], np.dtype[np.int8]]
    blocked: BoolArray
    unread: dict[str, BoolArray]

    def within(self, rows: BoolArray) -> Statuses:
        """Return the statuses with all other rows as answers."""
        return Statuses(
            kind=np.where(rows, self.kind, OK).astype(np.int8),
            blocked=self.blocked & rows,
            unread={label: which & rows for label, which in self.unread.items()},
        )


def statuses_of(rows: Rows, roles: Roles) -> Statuses:
    """Read the statuses of all rows: ``ok`` and ``corrected`` are answers, ``refusal`` is one, anything else is none.

    Without a column all are answers. A reply that was blocked by a filter of the provider is a refusal.
    """
    n = len(rows.use)
    status = roles["status"]
    reply = roles["reply"]
    if not status:
        return Statuses(kind=np.zeros(n, dtype=np.int8), blocked=np.zeros(n, dtype=bool), unread={})
    labels = rows.labels(status)
    kind: AnyArray = labels.mapped(
        lambda label: MEANING.get(label.strip().casefold(), MISSING), MISSING, np.int8
    )
    blocked = np.zeros(n, dtype=bool)
    if reply:
        blocked = rows.labels(reply).mapped(
            lambda label: label.strip().casefold() == BLOCKED, False
        )
    kind = np.where(blocked, REFUSAL, kind).astype(np.int8)
    neither = kind == MISSING
    unread = {
        f"status '{shorten(label)}'": neither & (labels.codes == code)
        for code, label in enumerate(labels.levels)
    }
    return Statuses(
        kind=kind, blocked=blocked, unread=unread | {"no status": neither & (labels.codes < 0)}
    )
