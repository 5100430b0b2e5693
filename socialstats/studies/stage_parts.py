"""Parts of a design of trait scores: stages in order, wordings, models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.studies.outcome import Table
from socialstats.text import number, quoted

COMMITMENT = "commitment"
BEFORE = ("baseline", "before", "pre", "start")
AFTER = ("debrief", "after", "post", "end")


def ordered_stages(levels: Sequence[str]) -> tuple[str, ...]:
    """Return the stages in order: a baseline first, a debrief last, others as they are sorted.

    Examples
    --------
    >>> ordered_stages(["baseline", "debrief", "stage 1", "stage 2"])
    ('baseline', 'stage 1', 'stage 2', 'debrief')
    """

    def place(label: str) -> int:
        low = label.strip().lower()
        return -1 if low in BEFORE else 1 if low in AFTER else 0

    return tuple(sorted(levels, key=place))


def codes_of(design: Ratings, part: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the codes of a part over the ratings, and its labels; one nameless level where the part is absent."""
    factor = design.strata.get(part)
    if factor is None:
        return np.zeros(len(design.unit), dtype=np.int64), ("all",)
    return factor.codes[design.unit], factor.levels


def only(design: Ratings, part: str, levels: Sequence[str]) -> Ratings:
    """Return the ratings of some levels of a part; the design itself where these are all, or the part is absent."""
    codes, known = codes_of(design, part)
    if part not in design.strata or set(known) <= set(levels):
        return design
    wanted = [k for k, level in enumerate(known) if level in levels]
    return design.take(np.isin(codes, wanted), note=f"{part} {quoted(list(levels), 4)}")


def without(design: Ratings, part: str, level: str) -> Ratings:
    """Return the ratings outside one level of a part."""
    codes, known = codes_of(design, part)
    return design.take(codes != known.index(level), note=f"without {part} {quoted([level])}")


def main_wordings(design: Ratings) -> tuple[str, ...]:
    """Return the wordings that every stage was asked in; all, where there is none."""
    wording, names = codes_of(design, "wording")
    stage, stages = codes_of(design, "stage")
    seen = np.zeros((len(names), len(stages)), dtype=bool)
    seen[wording, stage] = True
    full = [name for name, has in zip(names, seen, strict=True) if has.all()]
    return tuple(full or names)


def all_stages(design: Ratings, stages: Sequence[str]) -> bool:
    """Tell whether every model has every scenario at every stage."""
    parts = [codes_of(design, part) for part in ("model", "scenario", "stage")]
    seen = np.zeros([len(names) for _, names in parts], dtype=bool)
    ok = design.status == OK
    seen[tuple(codes[ok] for codes, _ in parts)] = True
    return bool(seen.all())


def score_table(design: Ratings) -> Table:
    """Describe the scores of each trait: how many, their range, mean and standard deviation."""
    trait, names = codes_of(design, "trait")
    ok = design.status == OK
    cells = []
    for k, name in enumerate(names):
        mine = trait == k
        values = design.scores[design.value[mine & ok]]
        lost = int((mine & ~ok).sum())
        if len(values):
            sd = number(float(values.std(ddof=1))) if len(values) > 1 else None
            ends = (number(float(values.min()), 0), number(float(values.max()), 0))
            cells.append((name.replace("_", " "), len(values), lost, *ends, number(float(values.mean())), sd))
    return Table(caption="Scores of each trait, all judges and answers",
                 header=("Trait", "Scores", "Missing", "Lowest", "Highest", "Mean", "SD"),
                 cells=tuple(cells))  # fmt: skip
