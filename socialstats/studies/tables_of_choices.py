"""Which tables of comparisons suit a study, and what keeps the study from other tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.designs.comparisons import Comparisons
from socialstats.tables import as_number
from socialstats.text import count, listing, quoted, shorten

COVARIATE = "urgency"  # what should decide, where nothing else is said


def has_unequal_sides(design: Comparisons) -> bool:
    """Return whether the table has the covariate, with unequal sides, of more than two items."""
    sides = design.covariates.get(COVARIATE)
    if sides is None or len(design.items) < 3:
        return False
    return np.issubdtype(sides.a.dtype, np.number) and bool(np.any(sides.a != sides.b))


def has_levels(design: Any) -> bool:
    """Return whether the design has a by factor of two levels or more, such as models."""
    return design.by is not None and len(design.by.levels) > 1


def lacks_urgency(design: Comparisons) -> str:
    """State what keeps urgency from being compared: no columns, words instead of numbers, the same on both sides."""
    sides = design.covariates.get(COVARIATE)
    if sides is None:
        there = listing(list(design.covariates)) or "none"
        return (
            f"there are no columns urgency_a and urgency_b (covariates found: {there}). Name them with "
            "--map urgency_a=COLUMN --map urgency_b=COLUMN"
        )
    if not np.issubdtype(sides.a.dtype, np.number):
        labels = dict.fromkeys(str(v) for v in np.concatenate([sides.a, sides.b]) if v is not None)
        words = [label for label in labels if as_number(label) is None]
        return f"urgency is words ({quoted(words)}), and its steps are counted: write numbers, such as 1, 2, 3"
    if len(design.items) < 3:
        return (
            f"all comparisons are between {quoted(design.items)}: S and the win rates vary over pairs of items, and "
            "one pair says nothing about others. Add items, or take --study comparisons"
        )
    rows = float(design.count.sum())
    where = "the one comparison" if rows == 1 else f"all {count(rows, 'comparison')}"
    return f"urgency is the same on both sides of {where}, so its effect cannot be estimated"


def lacks_levels(design: Any) -> str:
    """State that there is nothing to compare by."""
    if design.by is None:
        return "what is compared is undeclared: name the column with --by COLUMN"
    return (
        f"column '{shorten(design.by.name)}' has the single value '{shorten(design.by.levels[0])}'"
    )
