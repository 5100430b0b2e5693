"""What the role-conflict study says without a model of strengths: S, win rates, entropy, values, refusals, labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.designs.views import without_cited
from socialstats.errors import Caution, InputError, UndefinedStatistic
from socialstats.metrics.choice_entropy import choice_entropy
from socialstats.metrics.sensitivity import sensitivity
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.comparisons import item_groups
from socialstats.studies.label_blocks import labels_block, references_of
from socialstats.studies.label_check import Checked, check_labels
from socialstats.studies.outcome import Block
from socialstats.studies.pair_matrix import group_matrix
from socialstats.studies.urgency_blocks import entropy_block
from socialstats.studies.urgency_multiverse import single
from socialstats.studies.urgency_refusals import refusal_blocks
from socialstats.studies.value_blocks import value_blocks

Groups = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Everything that needs no strengths; `groups`: the groupings of the roles."""

    s: Result
    rates: Result
    pooled: Result
    entropy: Result | None
    groups: Groups
    values: tuple[Block, ...]
    refusals: tuple[Block, ...]
    labels: Checked | None

    def results(self) -> list[Result]:
        """Return the results whose cautions and references belong on the page."""
        found = [self.s, self.rates, *(() if self.entropy is None else (self.entropy,))]
        return found + [result for block in (*self.values, *self.refusals) for result in block.results]

    def references(self) -> tuple[str, ...]:
        """Return the keys of the literature."""
        keys = tuple(key for result in self.results() for key in result.references)
        return keys + (() if self.labels is None else references_of(self.labels))

    def cautions(self) -> list[tuple[Caution, ...]]:
        """Return the cautions, result by result; those of the entropy stand in its own words on the page."""
        found = [result.cautions for result in self.results() if result is not self.entropy]
        return found + ([] if self.labels is None else [result.cautions for result in self.labels.all()])

    def named(self) -> dict[str, Result]:
        """Return the results that are recomputed by other packages, by name."""
        found = {"Sensitivity S": self.s, "Win rates": self.rates}
        found |= {} if self.entropy is None else {"Entropy": self.entropy}
        found |= {
            f"Values cited, {block.id.removeprefix('values-').replace('-', ' ')}": result
            for block in self.values for result in block.results
        }  # fmt: skip
        return found | ({} if self.labels is None else self.labels.named())


def count_up(design: Comparisons, options: StudyOptions) -> Counts:
    """Compute everything that needs no strengths."""
    groups = choose_groups(design, options)
    values = tuple(value_blocks(design, list(groups), options))
    design = without_cited(design)
    resampling: dict[str, Any] = {"resamples": options.resamples, "seed": options.seed, "level": options.level}
    return Counts(
        s=single(sensitivity(design, options.covariate, groups=next(iter(groups.values()), None), **resampling)),
        rates=single(win_rates(design, options.covariate, level=options.level)),
        pooled=single(win_rates(design, options.covariate, weights="pooled", level=options.level)),
        entropy=entropy_of(design, options),
        groups=groups,
        values=values,
        refusals=refusal_blocks(design, options),
        labels=None if options.labels is None else check_labels(options.labels, options),
    )


def later_blocks(counts: Counts, design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return what stands after the strengths: groups against each other, entropy, values, labels, refusals."""
    return (
        *(group_matrix(design, mapping, name, options.level) for name, mapping in counts.groups.items()),
        *(() if counts.entropy is None else (entropy_block(counts.entropy),)),
        *counts.values,
        *(() if counts.labels is None else (labels_block(options.labels, counts.labels),)),
        *counts.refusals,
    )


def entropy_of(design: Comparisons, options: StudyOptions) -> Result | None:
    """Return the entropy of the choices, or None where every pair met once."""
    try:
        return single(choice_entropy(design, level=options.level))
    except UndefinedStatistic:
        return None


def choose_groups(design: Comparisons, options: StudyOptions) -> Groups:
    """Return the groupings of the roles to report: the one asked for, or all that the table has."""
    found = item_groups(design)
    if options.group is None:
        return found
    if options.group not in found:
        raise InputError(f"no grouping '{options.group}' of the items; groupings: {', '.join(found) or 'none'}")
    return {options.group: found[options.group]}
