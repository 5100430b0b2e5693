"""How far refusals to choose could move S and the share of the more urgent role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from socialstats.designs.comparisons import A_WON, B_WON, TIED, Comparisons
from socialstats.designs.joining import joined
from socialstats.errors import InputError
from socialstats.figures import forest
from socialstats.metrics.sensitivity import sensitivity
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result, ResultGroup, Row
from socialstats.studies.base import StudyOptions
from socialstats.studies.estimates import numbers_text
from socialstats.studies.outcome import Block, Table
from socialstats.studies.refusals import RULES, Rule, refusal_block
from socialstats.text import count, number, percent, shorten

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


def refusals_by_level(parts: Mapping[str, Comparisons], by: str, options: StudyOptions) -> Block | None:
    """Return the bounds of the share of choices for the higher covariate, of every level; None without refusals."""
    if not any(part.refused is not None for part in parts.values()):
        return None
    rows: list[tuple[str, int, list[Row]]] = []
    results: list[Result] = []
    for name, part in parts.items():
        found = [share_of(part, options.covariate, options, rule) for rule in RULES]
        results += found
        refused = 0 if part.refused is None else part.refused.n_rows
        rows.append((name, refused, [_higher(result) for result in found]))
    most = max(rows, key=lambda row: row[1] / max(parts[row[0]].n_rows + row[1], 1))
    shown = tuple(replace(row[2][0], term=row[0], group=None) for row in rows)
    cells = tuple(
        (name, n, *(value for r in three for value in (r.estimate, r.conf_low, r.conf_high))) for name, n, three in rows
    )
    ends = [x for words in ("left out", "against", "for") for x in (words, f"{words}: low", f"{words}: high")]
    share = percent(most[1] / (parts[most[0]].n_rows + most[1]))
    return Block(
        id="refusals",
        question="How far could refusals move the shares?",
        sentences=(
            f"'{shorten(most[0], 40)}' refused most often: {share} of its stories. Its share of choices for the higher "
            f"{options.covariate} is {numbers_text(most[2][0], digits=3, bounded=True)} without them; had all gone "
            f"against it, it would be {number(most[2][1].estimate, 3, bounded=True)}, had all gone for it, "
            f"{number(most[2][2].estimate, 3, bounded=True)}.",
        ),
        draw=partial(forest, shown, xlabel=f"share of choices for the higher {options.covariate}", label=by, digits=3,
                     reference=0.5),
        figure_title=f"Share of choices for the higher {options.covariate}, refusals left out",
        caption="Levels that refuse different stories are compared on the stories that both answered.",
        tables=(Table(caption="Shares with all refusals left out, counted against, and counted for",
                      header=(by, "Refusals", *ends), cells=cells),),
        results=tuple(results),
    )  # fmt: skip


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
