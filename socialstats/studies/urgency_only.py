"""Role conflict where the model of strengths has no finite estimate, as when urgency decides every choice.

S, the win rates, the matrices of groups and the entropy need no such model; what would stand on it says why not.
"""

from __future__ import annotations

from dataclasses import replace

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.views import without_cited
from socialstats.errors import MleDoesNotExist
from socialstats.studies.base import StudyOptions, order_cautions
from socialstats.studies.comparisons import describe
from socialstats.studies.estimates import verify_named
from socialstats.studies.outcome import Block, Diagnostic, Outcome
from socialstats.studies.pair_tables import evenness_check, order_table
from socialstats.studies.urgency_blocks import rates_block, sensitivity_block, sensitivity_strip
from socialstats.studies.urgency_counts import Counts, count_up, later_blocks
from socialstats.studies.urgency_multiverse import urgency_multiverses
from socialstats.studies.urgency_refusals import won_share
from socialstats.studies.urgency_tables import balance_table, grid_table, own_cautions, sensitivity_methods
from socialstats.studies.urgency_words import lead_sentence

CHECK = "Does a finite estimate of the strengths exist? (Ford's condition; separation)"
FIRTH = "Firth's penalty (--penalty firth) makes all of them finite, and pulls them together."
LITERATURE = ("ford1957", "konis2007", "firth1993", "steegen2016")
PRIOR = "Pseudo-wins (--prior 0.5) tie the groups by assumption; data tie them where their roles are compared."


def without_model(design: Comparisons, options: StudyOptions, error: MleDoesNotExist) -> Outcome:
    """Answer what can be answered without strengths, and say why there are none.

    Parameters
    ----------
    design : Comparisons
    options : StudyOptions
    error : MleDoesNotExist
        What the fit raised.
    """
    counts = count_up(design, options)
    design, covariate = without_cited(design), options.covariate
    strips = urgency_multiverses(design, None, counts.s, counts.groups, options)
    verified = counts.named() | {result.title: result for block in strips for result in block.results}
    return Outcome(
        study="role-conflict",
        title=f"Does {covariate} decide, or the role?",
        design=describe(design, None),
        answer=(lead_sentence(counts.s, counts.pooled, options), lacking(error, covariate)),
        strip=sensitivity_strip(counts.s),
        cautions=order_cautions(own_cautions(design, None, options), design.cautions, *counts.cautions()),
        blocks=(*blocks_of_urgency(design, counts, options, error), *strips),
        flow=design.flow,
        data=(grid_table(design, covariate), balance_table(design, covariate), order_table(design)),
        diagnostics=(
            Diagnostic(check=CHECK, found=f"No: {reason(error)}.", so_what=way_out(error)),
            evenness_check(design),
        ),
        methods=(sensitivity_methods(options),),
        references=tuple(dict.fromkeys((*counts.references(), *LITERATURE))),
        verifications=verify_named(verified) if options.verify else {},
        settings=options.echo(),
        simulated=options.simulated,
    )


def blocks_of_urgency(
    design: Comparisons, counts: Counts, options: StudyOptions, error: MleDoesNotExist
) -> tuple[Block, ...]:
    """Return the questions in the order of the page; that of the strengths with the reason why it has no answer."""
    missing = Block(
        id="strengths",
        question=f"Which role is preferred at equal {options.covariate}, and by how much?",
        sentences=(lacking(error, options.covariate), way_out(error)),
    )
    return (
        sensitivity_block(counts.s),
        replace(
            rates_block(counts.rates, by_wins(design), options, counts.pooled),
            figure_title=f"Win rates of every role by {options.covariate}, most wins first",
        ),
        missing,
        *later_blocks(counts, design, options),
    )


def reason(error: MleDoesNotExist) -> str:
    """Return why there is no finite estimate, without the ways out."""
    return str(error).split(". Ways out")[0].split(": ", 1)[-1]


def way_out(error: MleDoesNotExist) -> str:
    """Return what makes the estimates finite: a penalty, or wins that nobody had between groups that never met."""
    return PRIOR if error.separate else FIRTH


def lacking(error: MleDoesNotExist, covariate: str) -> str:
    """Say which numbers do not exist, and why."""
    return (
        f"Strengths of the roles, the weight of {covariate} against them, worths (RPI) and preference shares stand on "
        f"one model of all choices, which has no finite estimate here: {reason(error)}."
    )


def by_wins(design: Comparisons) -> list[str]:
    """Return the items by their share of comparisons won, largest first."""
    shares = won_share(design)
    return sorted(design.items, key=lambda item: -shares[item])
