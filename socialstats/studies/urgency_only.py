"""Role conflict where the model of strengths has no finite estimate, as when urgency decides every choice.

S, the win rates, the matrices of groups and the entropy need no such model; what would stand on it says why not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.views import without_cited
from socialstats.errors import Caution, InputError, MleDoesNotExist, UndefinedStatistic
from socialstats.metrics.choice_entropy import choice_entropy
from socialstats.metrics.sensitivity import sensitivity
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result
from socialstats.studies.base import StudyOptions, order_cautions
from socialstats.studies.comparisons import describe, item_groups
from socialstats.studies.estimates import verify_named
from socialstats.studies.label_blocks import labels_block, references_of
from socialstats.studies.label_check import Checked, check_labels
from socialstats.studies.outcome import Block, Diagnostic, Outcome
from socialstats.studies.pair_matrix import group_matrix
from socialstats.studies.pair_tables import evenness_check, order_table
from socialstats.studies.urgency_blocks import entropy_block, rates_block, sensitivity_block, sensitivity_strip
from socialstats.studies.urgency_multiverse import single, urgency_multiverses
from socialstats.studies.urgency_refusals import refusal_blocks, won_share
from socialstats.studies.urgency_tables import balance_table, grid_table, own_cautions, sensitivity_methods
from socialstats.studies.urgency_words import lead_sentence
from socialstats.studies.value_blocks import value_blocks

CHECK = "Does a finite estimate of the strengths exist? (Ford's condition; separation)"
FIRTH = "Firth's penalty (--penalty firth) makes all of them finite, and pulls them together."
PRIOR = "Pseudo-wins (--prior 0.5) tie the groups by assumption; data tie them where their roles are compared."


@dataclass(frozen=True, slots=True, kw_only=True)
class Without:
    """What can be computed without strengths."""

    s: Result
    rates: Result
    pooled: Result
    entropy: Result | None
    groups: dict[str, dict[str, Any]]
    values: tuple[Block, ...]
    refusals: tuple[Block, ...]
    labels: Checked | None
    strips: tuple[Block, ...]


def without_model(design: Comparisons, options: StudyOptions, error: MleDoesNotExist) -> Outcome:
    """Answer what can be answered without strengths, and say why there are none.

    Parameters
    ----------
    design : Comparisons
    options : StudyOptions
    error : MleDoesNotExist
        What the fit raised.
    """
    found = compute(design, options)
    design = without_cited(design)
    s, rates, covariate = found.s, found.rates, options.covariate
    keys = (*s.references, *rates.references, "ford1957", "konis2007", "firth1993", "steegen2016")
    keys += () if found.entropy is None else found.entropy.references
    keys += tuple(key for block in (*found.values, *found.refusals) for r in block.results for key in r.references)
    keys += () if found.labels is None else references_of(found.labels)
    return Outcome(
        study="role-conflict",
        title=f"Does {covariate} decide, or the role?",
        design=describe(design, None),
        answer=(lead_sentence(s, found.pooled, options), lacking(error, covariate)),
        strip=sensitivity_strip(s),
        cautions=cautions(design, found, options),
        blocks=blocks(design, found, options, error),
        flow=design.flow,
        data=(grid_table(design, covariate), balance_table(design, covariate), order_table(design)),
        diagnostics=(
            Diagnostic(check=CHECK, found=f"No: {reason(error)}.", so_what=way_out(error)),
            evenness_check(design),
        ),
        methods=(sensitivity_methods(options),),
        references=tuple(dict.fromkeys(keys)),
        verifications=verify_named(named(found)) if options.verify else {},
        settings=options.echo(),
        simulated=options.simulated,
    )


def compute(design: Comparisons, options: StudyOptions) -> Without:
    """Compute everything that needs no strengths."""
    groups = choose_groups(design, options)
    values = tuple(value_blocks(design, list(groups), options))
    design = without_cited(design)
    resampling: dict[str, Any] = {"resamples": options.resamples, "seed": options.seed, "level": options.level}
    s = single(sensitivity(design, options.covariate, groups=next(iter(groups.values()), None), **resampling))
    return Without(
        s=s,
        rates=single(win_rates(design, options.covariate, level=options.level)),
        pooled=single(win_rates(design, options.covariate, weights="pooled", level=options.level)),
        entropy=entropy_of(design, options),
        groups=groups,
        values=values,
        refusals=refusal_blocks(design, options),
        labels=None if options.labels is None else check_labels(options.labels, options),
        strips=urgency_multiverses(design, None, s, groups, options),
    )


def named(found: Without) -> dict[str, Result]:
    """Return the results that are recomputed by other packages, by name."""
    results = {"Sensitivity S": found.s, "Win rates": found.rates}
    results |= {} if found.entropy is None else {"Entropy": found.entropy}
    results |= {
        f"Values cited, {block.id.removeprefix('values-').replace('-', ' ')}": result
        for block in found.values
        for result in block.results
    }
    results |= {} if found.labels is None else found.labels.named()
    return results | {result.title: result for block in found.strips for result in block.results}


def cautions(design: Comparisons, found: Without, options: StudyOptions) -> tuple[Caution, ...]:
    """Return the cautions of the study, its results and the table, most serious first."""
    beside = [result.cautions for block in (*found.values, *found.refusals) for result in block.results]
    beside += [] if found.labels is None else [result.cautions for result in found.labels.all()]
    own = own_cautions(design, None, options)
    return order_cautions(own, found.s.cautions, found.rates.cautions, design.cautions, *beside)


def blocks(design: Comparisons, found: Without, options: StudyOptions, error: MleDoesNotExist) -> tuple[Block, ...]:
    """Return the questions in the order of the page; that of the strengths with the reason why it has no answer."""
    missing = Block(
        id="strengths",
        question=f"Which role is preferred at equal {options.covariate}, and by how much?",
        sentences=(lacking(error, options.covariate), way_out(error)),
    )
    label = () if found.labels is None else (labels_block(options.labels, found.labels),)
    return (
        sensitivity_block(found.s),
        replace(
            rates_block(found.rates, by_wins(design), options, found.pooled),
            figure_title=f"Win rates of every role by {options.covariate}, most wins first",
        ),
        missing,
        *(group_matrix(design, mapping, name, options.level) for name, mapping in found.groups.items()),
        *(() if found.entropy is None else (entropy_block(found.entropy),)),
        *found.values,
        *label,
        *found.refusals,
        *found.strips,
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


def entropy_of(design: Comparisons, options: StudyOptions) -> Result | None:
    """Return the entropy of the choices, or None where every pair met once."""
    try:
        return single(choice_entropy(design, level=options.level))
    except UndefinedStatistic:
        return None


def choose_groups(design: Comparisons, options: StudyOptions) -> dict[str, dict[str, Any]]:
    """Return the groupings of the roles to report: the one asked for, or all that the table has."""
    found = item_groups(design)
    if options.group is None:
        return found
    if options.group not in found:
        raise InputError(f"no grouping '{options.group}' of the items; groupings: {', '.join(found) or 'none'}")
    return {options.group: found[options.group]}
