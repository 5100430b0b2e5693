"""Mean ratings where levels are numbers: of all units, by stratum (criterion, domain), and of each rater."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.arrays import BoolArray, FloatArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.figures import forest
from socialstats.models.unit_means import Inference, Sample, mean_row
from socialstats.results import Check, Result, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.compare_measures import answered, unit_shares
from socialstats.studies.estimates import numbers_text, rows_table, span_text
from socialstats.studies.outcome import Block
from socialstats.text import shorten

ALL, RATER = "all units", "rater"
MOST_MEAN_RATERS, MOST_MEANS = 30, 200


class RatingMeans(Result):
    """Mean ratings; ``extras["parts"]`` says of which stratum and level, or which rater, each row is."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Recompute means, errors and intervals with pandas and scipy."""
        from socialstats.crosscheck.rating_means import checks_of

        checks: Sequence[Check] = checks_of(self)
        return checks


def rating_means(design: Ratings, level: float) -> RatingMeans | None:
    """Estimate mean ratings: a unit counts with the mean of its ratings, units (or their clusters) are the sample.

    The interval is a t interval over units, by declared clusters CR2 (Bell & McCaffrey, 2002): the raters are those who
    rated, not drawn from others. None where levels are no numbers, or units stand for several.
    """
    if not design.numeric or design.scale == "nominal" or np.any(design.unit_count != 1):
        return None
    values, known = unit_shares(design) @ design.scores, answered(design)
    how = Inference(unit="unit", level=level, clusters=tuple(f.codes for f in design.clusters),
                    magnitude=float(np.abs(design.scores).max()))  # fmt: skip
    rows, parts = [row_of(ALL, "mean", values, known, how)], [("all", "", "")]
    for name, factor in design.strata.items():
        for code, label in enumerate(factor.levels):
            rows.append(row_of(label, f"mean by {name}", values, known & (factor.codes == code), how))
            parts.append(("stratum", name, label))
    for code, rater in enumerate(design.raters if 1 < len(design.raters) <= MOST_MEAN_RATERS else ()):
        given = (design.rater == code) & (design.status == OK)
        own = np.zeros(len(design.units))
        own[design.unit[given]] = design.scores[design.value[given]]
        rows.append(row_of(rater, "mean of a rater", own, np.isin(np.arange(len(own)), design.unit[given]), how))
        parts.append((RATER, "", rater))
    by = " x ".join(f.name for f in design.clusters)
    return RatingMeans(
        metric="paired_difference", title="Mean rating", rows=tuple(rows),
        inference=f"t intervals over units{f', errors clustered by {by} (CR2)' if by else ''}",
        counts={"ratings": design.n_rows, "units": int(known.sum())}, settings={"level": level},
        references=("bellmccaffrey2002",), design=design, words=f"The mean rating is {numbers_text(rows[0])}.",
        extras={"parts": tuple(parts)},
    )  # fmt: skip


def row_of(term: str, group: str, values: FloatArray, held: BoolArray, how: Inference) -> Row:
    """Return the row of the mean of some units."""
    unit = np.flatnonzero(held)
    return mean_row(term, group, Sample(values=values[unit][:, None], unit=unit, how=how), test=False)


def means_block(design: Ratings, options: StudyOptions) -> Block | None:
    """Show how high the ratings are; None where levels are no numbers."""
    found = rating_means(design, options.level)
    if found is None or found.rows[0].estimate is None:
        return None
    parts = found.extras["parts"]
    labels = [
        ALL if kind == "all" else f"{shorten(name, 30)}: {row.term}" if kind == "stratum" else f"rater: {row.term}"
        for (kind, name, _), row in zip(parts, found.rows, strict=True)
    ]
    said = [f"The mean rating is {numbers_text(found.rows[0])}."]
    for name in design.strata:
        rows = [r for r, (_, own, _) in zip(found.rows, parts, strict=True) if own == name and r.estimate is not None]
        said += range_words(rows, f"By {shorten(name, 40)}")
    said += range_words([r for r, part in zip(found.rows, parts, strict=True) if part[0] == RATER], "By rater")
    drawn = [replace(r, term=label, group=None) for r, label in zip(found.rows, labels, strict=True)]
    return Block(
        id="means",
        question="How high are the ratings?",
        sentences=tuple(said),
        draw=partial(forest, drawn[:MOST_MEANS], sort=False, reference=None, xlabel="mean rating"),
        figure_title="Mean rating of all units, by stratum and by rater",
        caption=f"A unit counts with the mean of its ratings; {found.inference}. The raters are those who rated.",
        tables=(rows_table(found.rows, "Mean rating", term="Ratings of", labels=labels),),
        results=(found,),
    )


def range_words(rows: Sequence[Row], where: str) -> list[str]:
    """Say the lowest and the highest of some means."""
    known = [r for r in rows if r.estimate is not None]
    if len(known) < 2:
        return []
    return [f"{where} it {span_text(known)}."]
