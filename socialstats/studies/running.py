"""The page of a study: its outcome, and what every page is told beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from socialstats.registry import refuse_weights
from socialstats.results import Row
from socialstats.results.rows import difference_places, subtracts
from socialstats.studies.page import Design, Outcome, Study, StudyOptions, order_cautions
from socialstats.studies.second import with_turned

COMPARED = "by_model"  # what `compare_models` leaves beside its rows
UNROUNDED = (
    "Differences were computed from unrounded estimates. They can differ by one unit of the last decimal from the "
    "differences of printed estimates."
)
UNADJUSTED = (
    "CIs are unadjusted also where they stand beside Holm-adjusted p values, unless "
    "they are called simultaneous."
)


def run_study(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on a design, or on each level of its by factor; with `options.reread`, on another reading too.

    More than four levels have their leading blocks each, more than thirty only the comparison of all.

    Raises
    ------
    InputError
        Whatever the study raises, naming the level; for units with sampling weights, which no page has.
    """
    refuse_weights(design, f"the page '{study.name}'", study.weighted)
    outcome = with_turned(run_alone_or_by_levels(study, design, options))
    notes = (
        r.cautions
        for b in outcome.blocks
        if not b.level
        for r in b.results
        # cautions of comparisons are about the whole page
        if COMPARED in r.extras
    )
    outcome = replace(outcome, cautions=order_cautions(*notes, outcome.cautions, once=False))
    results = [r for b in outcome.blocks for r in b.results]
    if any(r.metric == "multiverse" for r in results) or not all_subtract(
        [r.rows for r in results]
    ):
        outcome = replace(outcome, methods=(*outcome.methods, UNROUNDED))
    if any(
        row.p_adjusted is not None and row.conf_low is not None
        for result in results
        for row in result.rows
    ):
        outcome = replace(outcome, methods=(*outcome.methods, UNADJUSTED))
    if options.reread is None:
        return outcome
    # few pages have a second parsing, and its code loads that of several studies
    from socialstats.studies.reread import with_reread

    return with_reread(outcome, design, options)


def run_alone_or_by_levels(study: Study, design: Design, options: StudyOptions) -> Outcome:
    """Run a study on a design without a by factor, or on each level of it."""
    if design.by is None:
        return study.run(design, options)
    # a page without levels does not load what compares them
    from socialstats.studies.grouped import run_levels

    return run_levels(study, design, options)


def all_subtract(results: Sequence[Sequence[Row]]) -> bool:
    """Return whether each difference is printed as that of two estimates printed in the same result."""
    for rows in results:
        places = {triple.difference: triple for triple in difference_places(rows)}
        for at, row in enumerate(rows):
            if (
                row.role == "difference"
                and row.estimate is not None
                and (at not in places or not subtracts(rows, places[at], row.decimals))
            ):
                return False
    return True
