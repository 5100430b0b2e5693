"""How far refusals to choose could move S and the share of the more urgent role."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.designs.comparisons import A_WON, B_WON, TIED, Comparisons
from socialstats.designs.joining import joined
from socialstats.errors import InputError
from socialstats.metrics.sensitivity import sensitivity
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result, ResultGroup, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Block
from socialstats.studies.refusals import Rule, refusal_block
from socialstats.text import count

EQUAL = (
    "A refusal between equals counts half for each role where refusals count for urgency, and for the role that won "
    "more of the other comparisons where they count against it."
)


def refusal_blocks(design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return the bounds of both numbers where the table has refusals; none otherwise."""
    if design.refused is None:
        return ()
    refused, covariate = design.refused, options.covariate
    unequal = int(refused.count[steps(refused, covariate) != 0].sum())
    about = f"{count(refused.n_rows, 'refusal')}, {unequal:,} of them between unequal sides."
    share = refusal_block(
        partial(share_of, design, covariate, options), unequal,
        quantity=f"share of choices for the higher {covariate}", lead=_higher, bounded=True,
    )  # fmt: skip
    s = refusal_block(
        partial(s_of, design, covariate, options), refused.n_rows, quantity="sensitivity S", lead=_total
    )  # fmt: skip
    found = [(block, name) for block, name in ((share, "refusals-share"), (s, "refusals-s")) if block is not None]
    return tuple(replace(block, id=name, caption=f"{block.caption} {about} {EQUAL}") for block, name in found)


def filled(design: Comparisons, covariate: str, rule: Rule) -> Comparisons:
    """Return the design with every refusal decided by a rule: left out, against the covariate, or for it."""
    refused = design.refused
    if rule == "drop" or refused is None:
        return design
    sign = steps(refused, covariate) * (1 if rule == "for" else -1)
    outcome = np.select([sign > 0, sign < 0], [A_WON, B_WON], default=TIED)
    if rule == "against":
        gap = np.array([won_share(design).get(name, 0.5) for name in refused.items])
        ahead = np.sign(gap[refused.item_a] - gap[refused.item_b])
        outcome = np.where((sign == 0) & (ahead != 0), np.where(ahead > 0, A_WON, B_WON), outcome)
    return joined(design, replace(refused, outcome=outcome.astype(np.int8)))


def steps(design: Comparisons, covariate: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the sign of the difference of the covariate, side a minus side b, (cells,)."""
    c = design.covariates[covariate]
    return np.asarray(np.sign(np.asarray(c.a, dtype=np.float64) - np.asarray(c.b, dtype=np.float64)))


def won_share(design: Comparisons) -> dict[str, float]:
    """Return the share of its comparisons that each item won, ties as halves."""
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON) * design.count
    k = len(design.items)
    wins = np.bincount(design.item_a, won, k) + np.bincount(design.item_b, design.count - won, k)
    games = np.bincount(design.item_a, design.count, k) + np.bincount(design.item_b, design.count, k)
    return dict(zip(design.items, (wins / games).tolist(), strict=True))


def share_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return pooled win rates under a rule."""
    return _one(win_rates(filled(design, covariate, rule), covariate, weights="pooled", level=options.level))


def s_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return S under a rule."""
    found = sensitivity(
        filled(design, covariate, rule), covariate, resamples=options.resamples, seed=options.seed, level=options.level
    )
    return _one(found)


def _one(result: Result | ResultGroup) -> Result:
    if isinstance(result, ResultGroup):
        raise InputError("one model at a time")
    return result


def _higher(result: Result) -> Row:
    return result.row("all", group="higher")


def _total(result: Result) -> Row:
    return result.row("S")
