"""The role-conflict study under other reasonable choices: S, and the weight of one step of urgency."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from socialstats.designs.cells import merged
from socialstats.designs.comparisons import A_WON, B_WON, TIED, Comparisons
from socialstats.errors import InputError
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.metrics.sensitivity import sensitivity
from socialstats.results import Result, ResultGroup, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    SAME,
    Multiverse,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.outcome import Block
from socialstats.studies.pair_model import default_cluster, fit_model
from socialstats.text import shorten

OWN = "as on this page"
POOLED = "pooled over opponents (micro)"
FEWEST_LEFT = 3  # levels that a factor needs before leaving one out says something


def urgency_multiverses(
    design: Comparisons, fit: BradleyTerryResult | None, s: Result, groups: dict[str, dict[str, Any]],
    options: StudyOptions,
) -> tuple[Block, ...]:  # fmt: skip
    """Return both multiverses: of S, and of the effect of urgency where it has an estimate."""
    covariate = options.covariate
    about_s = of_sensitivity(design, s, groups, options)
    refusals = (
        "Rows without a choice are not in the table of comparisons and so in no analysis." if _lost(design) else ""
    )
    first = multiverse_block(
        about_s, id="multiverse-s", question="Does S hang on how it is computed?", quantity="S",
        note=f"{_pooled_note(about_s)}{refusals}",
    )  # fmt: skip
    if fit is None:
        return (first,)
    second = multiverse_block(
        of_effect(design, fit, groups, options), id="multiverse-urgency",
        question=f"Does the effect of {covariate} hang on the analysis?",
        quantity=f"effect of one step of {covariate} (log-odds)", note=refusals,
    )  # fmt: skip
    return first, second


def _pooled_note(found: Multiverse) -> str:
    """Say why pooling changes nothing where all pairs have equal counts, which looks like a mistake otherwise."""
    leads = found.extras["leads"]
    own, pooled = (leads[label].estimate if label in leads else None for label in (OWN, POOLED))
    same = own is not None and pooled is not None and abs(own - pooled) <= SAME * max(1.0, abs(own))
    return "Pooling over opponents changes nothing where every pair has as many stories. " if same else ""


def of_sensitivity(
    design: Comparisons, s: Result, groups: dict[str, dict[str, Any]], options: StudyOptions, *, clusters: bool = True
) -> Multiverse:
    """Compute S by other weights, clusters and tie rules, without its noise, and without each group in turn.

    Without `clusters`, the choices that move intervals only are left out.
    """

    def again(other: Comparisons, **more: Any) -> Result:
        found = sensitivity(
            other, options.covariate, resamples=options.resamples, seed=options.seed, level=options.level, **more
        )
        return single(found)

    variants = [
        Variant(label=OWN, choice=OWN, compute=lambda: s, lead=_plug_in),
        Variant(label="corrected for noise", choice="noise", compute=lambda: s, lead=lambda r: r.row("S_corrected")),
        Variant(label=POOLED, choice="weights",
                compute=partial(again, design, weights="pooled"), lead=_plug_in),
    ]  # fmt: skip
    others = {f"clustered by {shorten(f.name, 30)}": f.name for f in design.clusters if f.name != "pair"}
    if clusters:
        variants += [
            Variant(label=label, choice="clusters", compute=partial(again, design, cluster=name), lead=_plug_in)
            for label, name in ({"rows independent": None} | others).items()
        ]
    variants += _each(altered(design, groups, options.covariate), again, _plug_in)
    coin = s.extras["reference_lines"][1]
    return multiverse("sensitivity", "S", distinct(variants), reference=coin.value, words=f"S of {coin.label}")


def of_effect(
    design: Comparisons, fit: BradleyTerryResult, groups: dict[str, dict[str, Any]], options: StudyOptions, *,
    clusters: bool = True,
) -> Multiverse:  # fmt: skip
    """Compute the effect by other clusters, models of ties and order, and without each group in turn."""
    formula, cluster = f"~ {options.covariate}", default_cluster(design)

    def again(other: Comparisons, cluster: Any = cluster, order: bool = True, **more: Any) -> Result:
        return fit_model(other, replace(options, **more), formula, cluster=cluster, order=order)

    def lead(result: Result) -> Row:
        return result.row(options.covariate, group="covariate")

    def variant(label: str, choice: str, **more: Any) -> Variant:
        return Variant(label=label, choice=choice, compute=partial(again, design, **more), lead=lead)

    names = [None, *(f.name for f in design.clusters), "pair"]
    found = [Variant(label=OWN, choice=OWN, compute=lambda: fit, lead=lead)]
    for name in dict.fromkeys(names if clusters else []):
        if name != cluster and not (cluster == "declared" and [f.name for f in design.clusters] == [name]):
            label = "rows independent" if name is None else f"clustered by {shorten(name, 30)}"
            found.append(variant(label, "clusters", cluster=name))
    if any(row.group == "order" for row in fit.rows):
        found.append(variant("order of presentation left out", "order", order=False))
    if not options.prior:
        found.append(
            Variant(label="role strengths left out", choice="leaving out the roles' strengths", lead=lead,
                    compute=partial(without_strengths, design, formula, cluster, options))
        )  # fmt: skip
    if not fit.fitted_state.penalised:
        found.append(variant("strengths pulled together (Firth)", "penalty", penalty="firth"))
    found += [variant(f"ties: {rule.replace('_', ' and ')}", "ties", ties=rule) for rule in other_ties(design, fit)]
    found += _each(altered(design, groups, options.covariate), again, lead)
    return multiverse(
        "bradley_terry",
        f"the effect of one step of {options.covariate} (log-odds)",
        distinct(found),
        reference=0.0,
        words="zero",
    )


def other_ties(design: Comparisons, fit: BradleyTerryResult) -> list[str]:
    """Return the models of ties that the page does not use; none without ties."""
    rules = ("davidson", "rao_kupper", "half") if design.n_ties else ()
    return [rule for rule in rules if rule != fit.settings["ties"]]


def without_strengths(design: Comparisons, formula: str, cluster: Any, options: StudyOptions) -> Result:
    """Fit the effects alone, as if all roles were equal."""
    found = bradley_terry(
        design, formula, strengths="none", order=design.order_known, cluster=cluster, ties=options.ties,
        level=options.level, by=None,
    )  # fmt: skip
    return single(found)


def altered(
    design: Comparisons, groups: dict[str, dict[str, Any]], covariate: str
) -> list[tuple[str, str, Callable[[], Comparisons]]]:
    """Return designs of other rows, made when asked for: label, choice, and what makes the design."""
    found: list[tuple[str, str, Callable[[], Comparisons]]] = []
    if design.n_ties:
        found += [
            ("ties left out", "ties", design.drop_ties),
            (f"ties count for the higher {covariate}", "ties", partial(ties_for, design, covariate, 1)),
            (f"ties count for the lower {covariate}", "ties", partial(ties_for, design, covariate, -1)),
        ]
    for name, mapping in groups.items():
        levels = sorted({str(v) for v in mapping.values()})
        if FEWEST_LEFT <= len(levels) <= MOST_LEFT_OUT:
            found += [
                (without_label(name, level), f"leaving out one {shorten(name, 20)}",
                 partial(without_group, design, mapping, level))
                for level in levels
            ]  # fmt: skip
    for factor in design.clusters:
        if FEWEST_LEFT <= len(factor.levels) <= MOST_LEFT_OUT:
            found += [
                (without_label(factor.name, level),
                 f"leaving out one {shorten(factor.name, 20)}",
                 partial(design.take, factor.codes != code, note=f"without {factor.name} {level}"))
                for code, level in enumerate(factor.levels)
            ]  # fmt: skip
    return found


def ties_for(design: Comparisons, covariate: str, sign: int) -> Comparisons:
    """Return the design with every tie of unequal sides won by the side with more (or less) of the covariate."""
    c = design.covariates[covariate]
    more = np.sign(np.asarray(c.a, dtype=np.float64) - np.asarray(c.b, dtype=np.float64)) * sign
    decided = np.where(more > 0, A_WON, B_WON)
    outcome = np.where((design.outcome == TIED) & (more != 0), decided, design.outcome).astype(np.int8)
    return merged(replace(design, outcome=outcome))


def without_group(design: Comparisons, mapping: dict[str, Any], level: str) -> Comparisons:
    """Return the design without the items of one group."""
    out = np.array([str(mapping[item]) == level for item in design.items])
    return design.take(~(out[design.item_a] | out[design.item_b]), note=f"without {level}")


def single(result: Result | ResultGroup) -> Result:
    """Return the result of a design without a by factor."""
    if isinstance(result, ResultGroup):
        raise InputError("one model at a time")
    return result


def _each(
    others: Sequence[tuple[str, str, Callable[[], Comparisons]]],
    again: Callable[..., Result], lead: Callable[[Result], Row],
) -> list[Variant]:  # fmt: skip
    """Return one variant a design of other rows."""
    return [
        Variant(label=label, choice=choice, compute=partial(_compose, again, make), lead=lead)
        for label, choice, make in others
    ]


def _compose(again: Callable[..., Result], make: Callable[[], Comparisons]) -> Result:
    return again(make())


def _plug_in(result: Result) -> Row:
    return result.row("S")


def _lost(design: Comparisons) -> bool:
    return any(caution.code == "SS301" for caution in design.cautions)
