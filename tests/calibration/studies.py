"""What is simulated: one function a study, each returning finished lines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit
from simulate import FloatArray, Layout, marginal, strengths
from tally import Line, Tally, Widths

import socialstats as ss

RESAMPLES = 399
PAIR_CLUSTER = (0.93, 0.97)
WIDTH, ALL_AT_ONCE = (0.0, 1.25), (0.925, 1.0)
WIDTHS = "Median width of intervals of strengths, over the oracle's"
DRAWS = 1000
SLOW = 5  # bootstraps of refits are made in every fifth simulation


def strength_rows(result: Any) -> list[Any]:
    """Rows of group strength, in the order of the items."""
    return [row for row in result.rows if row.group == "strength"]


def pair_effect(rng: np.random.Generator, sims: int) -> list[Line]:
    """Strengths, ranks and preference shares with and without a pair effect; truth: the marginal strengths."""
    layout = Layout.role_conflict()
    lines: list[Line] = []
    for sd in (1.0, 0.0):
        truth = strengths(len(layout.items), 0.8, rng)
        log_odds = truth[layout.a] - truth[layout.b]
        marginal_truth = layout.pseudo_true(log_odds, sd)
        one = Tally("Strengths: 65 items, 1,546 pairs x 9 choices", f"pair effect SD {sd:g}")
        widths = Widths(WIDTHS, f"65 items, 1,546 pairs x 9 choices, pair effect SD {sd:g}")
        ranks = Tally("Rank sets: 65 items, pair-cluster covariance", f"pair effect SD {sd:g}")
        shares = Tally("Preference shares of five domains", f"pair effect SD {sd:g}")
        for k in range(sims):
            design = layout.design(layout.choose(rng, log_odds, sd))
            fit = strengths_covered(one, design, marginal_truth, drawn=k % SLOW == 0)
            widths.add("pair cluster", "strengths", strength_rows(fit))
            ranks_covered(ranks, fit, marginal_truth)
            shares_covered(shares, fit, layout, marginal_truth, drawn=k % SLOW == 0)
        insisted = {("pair cluster", "strengths"): PAIR_CLUSTER}
        all_ranks = {("simultaneous sets", "all ranks at once"): ALL_AT_ONCE}
        lines += one.lines(insisted) + ranks.lines(all_ranks) + shares.lines() + widths.lines(WIDTH)
    return sorted(lines, key=lambda line: line.study)


def strengths_covered(tally: Tally, design: Any, truth: FloatArray, *, drawn: bool) -> Any:
    """Intervals of one data set, of bootstraps too where they are `drawn`."""
    fits = {
        "model": ss.bradley_terry(design, cluster=None),
        "sandwich by row": ss.bradley_terry(design, vcov="sandwich"),
        "pair cluster": ss.bradley_terry(design, cluster="pair"),
    }
    for method, fit in fits.items():
        tally.covers(method, "strengths", strength_rows(fit), truth, fit.cautions)
    if drawn:
        boot = fits["pair cluster"].bootstrap(by="pair", resamples=RESAMPLES, seed=1)
        tally.covers(
            "pair bootstrap, percentile", "strengths", strength_rows(boot), truth, boot.cautions
        )
    return fits["pair cluster"]


def ranks_covered(tally: Tally, fit: Any, truth: FloatArray) -> None:
    """Share of ranks covered, and whether all were."""
    rank = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    for kind in ("marginal", "simultaneous"):
        found = fit.ranks(kind=kind, draws=DRAWS, seed=1)
        held = [row.conf_low <= r <= row.conf_high for row, r in zip(found.rows, rank, strict=True)]
        tally.add(f"{kind} sets", "each rank", float(np.mean(held)), found.cautions)
        tally.add(f"{kind} sets", "all ranks at once", float(all(held)), found.cautions)


def shares_covered(
    tally: Tally, fit: Any, layout: Layout, truth: FloatArray, *, drawn: bool
) -> None:
    """Arithmetic and geometric shares, by refits and by the delta method."""
    names = sorted(set(layout.groups.values()))
    member = np.array([names.index(layout.groups[item]) for item in layout.items])
    means = {
        "arithmetic": np.array([np.exp(truth[member == g]).mean() for g in range(len(names))]),
        "geometric": np.array([np.exp(truth[member == g].mean()) for g in range(len(names))]),
    }
    for ci in ("basic", "delta") if drawn else ("delta",):
        found = ss.preference_shares(fit, layout.groups, ci=ci, resamples=RESAMPLES, seed=1)
        for scale, mean in means.items():
            rows = {row.term: row for row in found.rows if row.group == scale}
            method = (
                "bootstrap by pair, basic" if ci == "basic" else "delta, pair cluster (default)"
            )
            tally.covers(
                method,
                f"{scale} shares",
                [rows[name] for name in names],
                mean / mean.sum(),
                found.cautions,
            )


def crossed(rng: np.random.Generator, sims: int) -> list[Line]:
    """Two crossed factors: every worker answers every prompt once, about a random pair of items."""
    items, workers, prompts = 12, 40, 30
    truth = strengths(items, 0.8, rng)
    gap = truth[:, None] - truth[None, :]
    seen = fit_to_probabilities(marginal(gap, 1.0))
    tally = Tally(
        "Strengths under two crossed factors: 12 items, 40 workers x 30 prompts",
        "each with SD 0.5 per item",
    )
    widths = Widths(WIDTHS, "12 items, 40 workers x 30 prompts")
    w, p = (x.ravel() for x in np.meshgrid(np.arange(workers), np.arange(prompts), indexing="ij"))
    for k in range(sims):
        a = rng.integers(0, items, len(w))
        b = (a + rng.integers(1, items, len(w))) % items
        by_worker, by_prompt = (0.5 * rng.standard_normal((n, items)) for n in (workers, prompts))
        log_odds = gap[a, b] + by_worker[w, a] - by_worker[w, b] + by_prompt[p, a] - by_prompt[p, b]
        names = np.array([f"item {i:02d}" for i in range(items)])
        frame = pd.DataFrame(
            {
                "item_a": names[a],
                "item_b": names[b],
                "worker": w,
                "prompt": p,
                "winner": np.where(rng.random(len(w)) < expit(log_odds), "item_a", "item_b"),
            }
        )
        design = ss.Comparisons.from_frame(frame, cluster=["worker", "prompt"])
        for method, cluster in {
            "model": None,
            "worker cluster": "worker",
            "prompt cluster": "prompt",
            "two-way cluster": ("worker", "prompt"),
        }.items():
            fit = ss.bradley_terry(design, cluster=cluster)
            tally.covers(method, "strengths", strength_rows(fit), seen, fit.cautions)
        widths.add("two-way cluster", "strengths", strength_rows(fit))
        if k % SLOW == 0:
            boot = fit.bootstrap(by="cluster", resamples=RESAMPLES, seed=1)
            tally.covers(
                "two-way bootstrap, percentile",
                "strengths",
                strength_rows(boot),
                seen,
                boot.cautions,
            )
    return tally.lines({("two-way cluster", "strengths"): ALL_AT_ONCE}) + widths.lines(WIDTH)


def fit_to_probabilities(p: FloatArray) -> FloatArray:
    """Centred log-strengths of the Bradley-Terry model closest to a full matrix of win probabilities (MM)."""
    n = len(p)
    worth = np.ones(n)
    wins = p.sum(axis=1) - np.diagonal(p)
    for _ in range(20000):
        rate = 1 / (worth[:, None] + worth[None, :])
        np.fill_diagonal(rate, 0)
        new = wins / rate.sum(axis=1)
        new /= np.exp(np.log(new).mean())
        done = np.abs(np.log(new / worth)).max() < 1e-13
        worth = new
        if done:
            break
    return np.log(worth)


def choosers(layout: Layout, rng: np.random.Generator) -> dict[str, tuple[FloatArray, float]]:
    """Log-odds that a is chosen, and the sd of the pair effect, for choosers of known kinds."""
    step = (layout.urgency_a - layout.urgency_b).astype(float)
    rank = strengths(len(layout.items), 1.0, rng)
    gap = rank[layout.a] - rank[layout.b]
    return {
        "coin flips": (np.zeros(len(step)), 0.0),
        "urgency, mostly": (2.0 * np.sign(step), 0.0),
        "hierarchy of roles": (2.0 * gap, 0.0),
        "roles and urgency, pair effect SD 1": (0.5 * step + 0.8 * gap, 1.0),
    }


def true_rates(layout: Layout, p: FloatArray) -> FloatArray:
    """Win rate of every item when its urgency is higher, equal, lower: mean over opponents of mean over rows."""
    n = len(layout.items)
    rates = np.empty((3, n))
    step = np.sign(layout.urgency_a - layout.urgency_b)
    for k, sign in enumerate((1, 0, -1)):
        total, count = np.zeros((n, n)), np.zeros((n, n))
        for i, j, q, s in ((layout.a, layout.b, p, step), (layout.b, layout.a, 1 - p, -step)):
            here = s == sign
            np.add.at(total, (i[here], j[here]), q[here])
            np.add.at(count, (i[here], j[here]), 1)
        met = count > 0
        rates[k] = np.where(met, total / np.where(met, count, 1), 0).sum(axis=1) / met.sum(axis=1)
    return rates


def urgency(rng: np.random.Generator, sims: int) -> list[Line]:
    """Sensitivity and conditional win rates for choosers of known kinds."""
    layout = Layout.role_conflict()
    lines: list[Line] = []
    for name, (log_odds, sd) in choosers(layout, rng).items():
        rates = true_rates(layout, marginal(log_odds, sd))
        s = 100 * ((rates - np.array([1.0, 0.5, 0.0])[:, None]) ** 2).mean(axis=1).sum()
        index = Tally("Sensitivity S: 65 items, pairs resampled", f"{name}: S = {s:.1f}")
        wins = Tally("Conditional win rates: 65 items", name)
        for draw in range(sims):
            design = layout.design(layout.choose(rng, log_odds, sd), urgency=True)
            for ci in ("jackknife", "basic", "percentile") if draw % SLOW == 0 else ("jackknife",):
                found = ss.sensitivity(design, resamples=RESAMPLES, seed=1, ci=ci)
                for term in ("S", "S_corrected"):
                    index.covers(
                        "jackknife t (default)" if ci == "jackknife" else f"{ci} bootstrap",
                        term,
                        [found.row(term)],
                        [s],
                        found.cautions,
                    )
            for ci, method in (
                ("wilson", "Wilson, rows independent"),
                ("cluster", "pair cluster (default)"),
            ):
                found = ss.win_rates(design, ci=ci)
                rows = {(row.group, row.term): row for row in found.rows}
                for k, group in enumerate(("higher", "equal", "lower")):
                    wins.covers(
                        method,
                        group,
                        [rows[group, item] for item in layout.items],
                        rates[k],
                        found.cautions,
                    )
        lines += index.lines() + wins.lines()
    return sorted(lines, key=lambda line: line.study)


def entropy(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of a true null by the paired t of choice entropies."""
    layout = Layout.role_conflict()
    truth = strengths(len(layout.items), 0.8, rng)
    log_odds = truth[layout.a] - truth[layout.b]
    lines: list[Line] = []
    within = (
        np.arange(len(layout.a))
        - np.flatnonzero(np.r_[True, np.diff(layout.pair) != 0])[
            np.cumsum(np.r_[True, np.diff(layout.pair) != 0]) - 1
        ]
    )
    for setting, keep in {
        "9 and 9 choices a pair": None,
        "9 and 5 choices a pair": within < 5,
    }.items():
        tally = Tally(
            "Choice entropy: paired t over 1,546 pairs, no difference", setting, nominal=0.05
        )
        for _ in range(sims):
            effect = rng.standard_normal(layout.n_pairs)[layout.pair]
            p = expit(log_odds + np.where(layout.a < layout.b, effect, -effect))
            first, second = (rng.random(len(p)) < p for _ in range(2))
            found = ss.choice_entropy_difference(
                layout.design(first), layout.design(second, keep=keep)
            )
            for term in ("H", "H_corrected"):
                p = found.row(term, group="difference").p_value
                tally.add(
                    "paired t (default)",
                    term,
                    p < 0.05,
                    any(said.code == "SS303" for said in found.cautions),
                )
        lines += tally.lines()
    return lines


def order_effect(rng: np.random.Generator, sims: int) -> list[Line]:
    """Rejections of a true null: no order effect, but a pair effect of SD 1."""
    layout = Layout.role_conflict()
    truth = strengths(len(layout.items), 0.8, rng)
    log_odds = truth[layout.a] - truth[layout.b]
    ways: dict[str, Callable[[], Any]] = {
        "order drawn for every choice": lambda: rng.random(len(layout.a)) < 0.5,
        "one order a pair": lambda: (rng.random(layout.n_pairs) < 0.5)[layout.pair],
    }
    lines: list[Line] = []
    for setting, draw in ways.items():
        tally = Tally("Order effect: none, with a pair effect of SD 1", setting, nominal=0.05)
        for _ in range(sims):
            a_won = layout.choose(rng, log_odds, 1.0)
            design = layout.design(a_won, first=np.where(draw(), "item_a", "item_b"))
            for method, cluster in (
                ("likelihood ratio, rows independent", None),
                ("Wald, pair cluster", "pair"),
            ):
                small, large = (
                    ss.bradley_terry(design, order=o, cluster=cluster) for o in (False, True)
                )
                test = large.anova(small)
                tally.add(
                    method, "order", test.rows[0].p_value < 0.05, [*test.cautions, *large.cautions]
                )
        lines += tally.lines()
    return lines


STUDIES: dict[str, Callable[[np.random.Generator, int], list[Line]]] = {
    "pair_effect": pair_effect,
    "crossed": crossed,
    "urgency": urgency,
    "entropy": entropy,
    "order_effect": order_effect,
}
