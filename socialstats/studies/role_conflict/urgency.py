"""Effects of urgency on choices between roles: blocks, tables, sentences, analysis variants."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.choices.choice_entropy import choice_entropy
from socialstats.choices.sensitivity import kind_of_s, lead_row, reference_values, sensitivity
from socialstats.choices.win_rates import win_rates
from socialstats.custom.multiverse import SAME, Variant, distinct, multiverse, without_label
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import combine_designs, merged, without_cited
from socialstats.designs.parts import A_WON, B_WON, TIED
from socialstats.errors import Caution, UndefinedStatistic, caution
from socialstats.figures import dumbbell, forest
from socialstats.inference.dependence import cluster_factors, settled_cluster, share_cautions
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, Row
from socialstats.studies.comparisons import (
    MOST_ROWS,
    choose_groups,
    errors_text,
    fit_model,
    group_matrix,
    presented,
    row_table,
)
from socialstats.studies.estimates import (
    Column,
    beside,
    counts_table,
    ends,
    pairs_to_halve,
    single,
    table_of,
)
from socialstats.studies.multiverse import MOST_LEFT_OUT, multiverse_block, other_analyses
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.studies.role_conflict.cited import cited_question, count_cited
from socialstats.studies.role_conflict.labels import LabelNumbers, check_labels, labels_question
from socialstats.studies.second import turned
from socialstats.studies.sources import RULES, Rule, refusal_block, replies_by
from socialstats.studies.verdicts import Certainty, Conclusion, of_ten, verdict_of
from socialstats.text import capital, count, listing, number, percent, percent_of, shorten

FAR = 3.29  # standard errors that chance alone exceeds in 1 of 1,000 samples
TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}


def sensitivity_block(s: Result, effect: str = "") -> Block:
    """Return S, its components and the reference choosers; `effect`: what the caption says of the clusters."""
    choosers = tuple((line.label, line.value, line.words) for line in reference_values(s))
    kind, parts = kind_of_s(lead_row(s)), parts_of(s)
    largest = max(parts[1:], key=lambda row: row.estimate or 0.0)
    where = f"{largest.label('part')} {s.settings['covariate']}"
    less = ", less sampling error" if kind == "bias-corrected" else ""
    return Block(
        id="sensitivity",
        question=f"How far were choices from following {s.settings['covariate']} alone?",
        sentences=(
            *plug_in_sentence(s),
            f"Comparisons at {where} contributed most ({number(largest.estimate)}).",
            *halving_sentence(s),
        ),
        draw=partial(forest, parts, xlabel=f"{kind} S and its parts", sort=False),
        figure_title=f"{capital(kind)} S and its parts",
        caption=f"Points: 100 times the mean squared distance of win rates from 1, .50 and 0{less}; "
        f"{percent_of(s.settings['level'])} CIs ({s.inference}); n = {count(s.counts['comparisons'])} comparisons."
        f"{effect}",
        tables=(
            parts_table(s, parts),
            PageTable(
                "S of reference choosers on this design",
                ("Chooser", "S", "Rule of choice"),
                choosers,
                1,
            ),
        ),
        results=(s,),
    )


def plug_in_sentence(s: Result) -> tuple[str, ...]:
    """Return the plug-in S beside the bias-corrected one; nothing where the plug-in S is quoted."""
    if lead_row(s).term == "S":
        return ()
    return (f"Sampling error inflated the plug-in S to {number(s.row('S').estimate)}.",)


def halving_sentence(s: Result) -> tuple[str, ...]:
    """Return how many more pairs of roles halve the interval of S."""
    more = clusters_to_halve(lead_row(s))
    return () if more is None else pairs_to_halve(more, s.design, "role", "S", drawn=True)


def parts_of(s: Result) -> tuple[Row, ...]:
    """Return the rows of the quoted S and its parts, with names in words."""
    name = s.settings["covariate"]
    words = {
        "S": "S",
        "higher": f"higher {name} (target 1)",
        "equal": f"equal {name} (target .50)",
        "lower": f"lower {name} (target 0)",
    }
    kind = lead_row(s).label("kind")
    return tuple(
        replace(r, term=words[r.label("part") or ""], group=None)
        for r in s.rows
        if r.label("kind") == kind
    )


def parts_table(s: Result, parts: Sequence[Row]) -> PageTable:
    """Return S and its parts with their intervals, and the plug-in values beside bias-corrected ones."""
    columns: dict[str, Column] = {capital(kind_of_s(lead_row(s))): "estimate"}
    columns |= {"SE": "std_error", "Low": "conf_low", "High": "conf_high"}
    plain = {row.label("part"): row.shown() for row in s.rows if row.label("kind") == "plug_in"}
    if kind_of_s(lead_row(s)) == "bias-corrected":
        columns["Plug-in"] = lambda row: plain[row.label("part")]
    columns["Why no interval"] = "undefined"
    return table_of(parts, "S and its parts", ("Part", "term"), columns)


def rates_blocks(
    rates: Result, order: Sequence[str], options: StudyOptions, pooled: Result
) -> tuple[Block, Block]:
    """Return the figure of each role's win rates with the rate over all comparisons, and the tables behind it.

    Parameters
    ----------
    rates, pooled : Result
        Of roles (means over opponents), and over all comparisons.
    order : sequence of str
        Roles, first to last.
    options : StudyOptions
    """
    name, drawn = options.covariate, list(order)[:MOST_ROWS]
    every = "each role" if len(drawn) == len(order) else f"the first {count(len(drawn), 'role')}"
    own, whole = (
        [r for r in rates.rows if r.term in drawn],
        [r for r in pooled.rows if r.term == "all"],
    )
    main = Block(
        id="win-rates",
        question=f"How often did roles win by {name}?",
        sentences=(higher_sentence(rates, name),),
        draw=partial(dumbbell, own, targets=TARGETS, order=drawn, xlabel="win rate"),
        figure_title=f"Win rates of {every} at higher, equal and lower {name}",
        caption=f"Means over opponents; dotted lines: rates if {name} alone decided (1, .50, 0); "
        f"{percent_of(options.level)} CIs ({rates.inference}); n = {count(rates.counts['comparisons'])} comparisons"
        f"{_trials_effect(rates)}.",
        results=(pooled,),
    )
    tables = Block(
        id="win-rates-roles",
        question=f"What were the win rates of each role by {name}?",
        sentences=(
            "Rates of roles are unweighted means over opponents. Their mean over roles differs from the rate over "
            "comparisons, as roles met different numbers of opponents.",
        ),
        tables=(
            row_table(whole, "Win rates over all comparisons, each counted once"),
            roles_table(rates, list(order), name),
        ),
        results=(rates,),
        part="appendix",
    )
    return main, tables


def roles_table(rates: Result, order: Sequence[str], covariate: str) -> PageTable:
    """Return one line per role: its win rates with intervals at higher, equal and lower values of the covariate."""
    found: dict[str, dict[str, Row]] = {
        f"{capital(condition)} {covariate}": {} for condition in TARGETS
    }
    for row in rates.rows:
        found[f"{capital(row.label('condition') or '')} {covariate}"][
            row.label("item") or ALL_ROLES
        ] = row
    return beside("Win rates of roles, means over opponents", ("Role",), found, [*order, ALL_ROLES])


ALL_ROLES = "(mean over roles)"


def higher_sentence(rates: Result, covariate: str) -> str:
    """Return how many roles won more often at higher than at lower values of the covariate."""
    known = {
        (r.term, r.group): r.estimate
        for r in rates.rows
        if r.estimate is not None and r.term != "all"
    }
    both = [
        (p, known[role, "lower"])
        for (role, group), p in known.items()
        if group == "higher" and (role, "lower") in known
    ]
    more = sum(high > low for high, low in both)
    return f"{count(more)} of {count(len(both), 'role')} won more often at higher than at lower {covariate}."


def rate_sentence(pooled: Result, covariate: str, start: str) -> str:
    """Return the rate at which the role with the higher covariate won, over all comparisons."""
    high = pooled.row("all", group="higher")
    if high.estimate is None:
        return sentences.no_number(
            f"the win rate at higher {covariate}", high.undefined or "no estimate"
        )
    n = f"{count(round(high.n or 0), 'comparison')} at unequal {covariate}"
    rate = f"the role with the higher {covariate} won at a rate of {sentences.estimate_text(high)} ({n})."
    return f"{start}: {rate}" if start else capital(rate)


def _trials_effect(rates: Result) -> str:
    """Return the median design effect of the clusters on the win rates: variance over that of independent rows."""
    found = [
        row.std_error**2 * row.n / (row.estimate * (1 - row.estimate))
        for row in rates.rows
        if row.std_error
        and row.n
        and row.estimate is not None
        and 0 < row.estimate < 1
        and row.term != "all"
    ]
    return f"; median design effect {number(statistics.median(found), 1)}" if found else ""


def weight_block(fit: BradleyTerryResult, ratio: Result | None, options: StudyOptions) -> Block:
    """Return the urgency step beside the spread of the roles, in one model."""
    name, step = options.covariate, fit.row(options.covariate, group="covariate")
    rows = [replace(step, term=f"one step of {options.covariate}")]
    said = [
        f"The effect of one step of {name} on the log-odds of being chosen was {sentences.stat(step)}."
    ]
    if ratio is not None:
        spread, chance = ratio.row("SD of strengths"), ratio.rows[2]
        rows.append(replace(spread, term="1 SD of role strengths"))
        said += [
            f"A role 1 SD weaker but one step higher in {name} had win probability {sentences.estimate_text(chance)}.",
        ]
    else:
        said.append("Role strengths varied no more than their sampling error.")
    held = [f"difference in {name}", *(["order of presentation"] * fit.design.order_known)]
    return Block(
        id="urgency-against-roles",
        question=f"How large was the effect of {name} beside role preferences?",
        sentences=tuple(said),
        draw=partial(forest, tuple(rows), xlabel="log-odds", sort=False),
        figure_title=f"One step of {name} beside 1 SD of role strengths",
        caption=f"Points: log-odds from one model with role strengths, {listing(held)}; "
        f"{percent_of(options.level)} CIs ({errors_text(fit)}); "
        f"n = {count(fit.design.n_rows)} comparisons. The SD excludes sampling error.",
        tables=(
            row_table(
                (*ratio.rows, step) if ratio else (step,),
                f"Effect of {name} and spread of the roles",
            ),
        ),
        results=(ratio,) if ratio else (),
    )


def entropy_block(entropy: Result) -> Block:
    """Return the entropy of the choices between two roles."""
    low, high = (count(float(n)) for n in (entropy.extras["n"].min(), entropy.extras["n"].max()))
    few = (
        f"With {low if low == high else f'{low} to {high}'} stories per pair, the plug-in estimate is too small. "
        "Report the bias-corrected one. Entropy is 0 bits if one role always wins and 1 bit if both win equally often."
    )
    words = {"H": "mean entropy, plug-in", "H_corrected": "mean entropy, bias-corrected"}
    if entropy.design.replies is not None:
        few = (
            "Entropy of mean probabilities is 0 bits if all replies of a pair are certain of the same role. That of "
            "single replies is 0 bits if each reply is certain of some role."
        )
        words = {
            "H": "entropy of the pairs' mean probabilities",
            "H_reply": "mean entropy of single replies",
            "H_reply_low": "mean entropy of single replies, lower bound if other answers were one of both",
            "H_reply_high": "mean entropy of single replies, upper bound if other answers were one of both",
        }
    rows = [replace(row, term=words.get(row.term, row.term)) for row in entropy.rows]
    return Block(
        id="entropy",
        question="How undecided were choices between two roles?",
        sentences=(entropy.sentence(), few),
        tables=(row_table(rows, "Entropy of the choices between two roles"),),
        results=(entropy,),
        part="appendix",
    )


PUBLISHED_BASELINE = 100.0
MOST_IMBALANCE = (
    0.05  # distance of the share of rows whose more urgent role is shown first, from one half
)


def own_cautions(
    design: Comparisons, fit: BradleyTerryResult | None, options: StudyOptions
) -> tuple[Caution, ...]:
    """Return the cautions that belong to this study: simulated data and the order of presentation."""
    name, imbalance = options.covariate, _order_imbalance(design, options.covariate)
    found = (
        [caution("SS401", options.simulated, affects="everything on this page")]
        if options.simulated
        else []
    )
    order = next((r for r in (fit.rows if fit is not None else ()) if r.group == "order"), None)
    if order is not None and sentences.is_significant(order):
        first = "first" if (order.estimate or 0.0) > 0 else "second"
        said = f"the role shown {first} was preferred (order effect {sentences.estimate_text(order)}, log-odds)"
        fix = f"no action for averages, as orders are balanced over {name}; adjust single pairs for order"
        if imbalance > MOST_IMBALANCE:
            fix = "balance or randomise the order within every story"
        found.append(
            caution(
                "SS107", said, affects="win rates and S, which are not adjusted for order", fix=fix
            )
        )
    if design.order_known and imbalance > MOST_IMBALANCE:
        said = f"the share of rows that show the role with the higher {name} first differs from one half by "
        said += percent(imbalance)
        fix = f"randomise the order independently of {name}"
        found.append(caution("SS108", said, affects="win rates and S", fix=fix))
    return tuple(found)


def _order_imbalance(design: Comparisons, covariate: str) -> float:
    more = steps(design, covariate) * design.first
    unequal = design.count * (more != 0)
    return float(abs((unequal * (more > 0)).sum() / max(unequal.sum(), 1) - 0.5))


def grid_table(design: Comparisons, covariate: str) -> PageTable:
    """Count rows and wins by the covariate of both sides."""
    c = design.covariates[covariate]
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON) * design.count
    cells = []
    for x, y in product(np.unique(np.concatenate([c.a, c.b])), repeat=2):
        here = (c.a == x) & (c.b == y)
        n = float(design.count[here].sum())
        cells.append(
            (f"{x:g}", f"{y:g}", int(n), percent(float(won[here].sum() / n)) if n else "none")
        )
    header = (f"{capital(covariate)} of a", f"{capital(covariate)} of b", "Rows", "a chosen")
    return PageTable(f"Comparisons by {covariate} of both roles", header, tuple(cells))


def balance_table(design: Comparisons, covariate: str) -> PageTable:
    """Count who was shown first (or stood in which column) by which side is more urgent."""
    first, second = presented(design)
    difference = steps(design, covariate) * design.first
    labels = {
        1: f"more {covariate}: {first}",
        0: f"equal {covariate}",
        -1: f"more {covariate}: {second}",
    }
    parts = [(label, design.count[difference == sign].sum()) for sign, label in labels.items()]
    what = "order of presentation" if design.order_known else "column of the items"
    return counts_table(
        f"Balance of the {what}", ("Rows with", "Rows", "Share"), parts, design.n_rows
    )


def brief_methods(s: Result, options: StudyOptions, fit: BradleyTerryResult | None) -> str:
    """Return the brief methods paragraph of a page."""
    name, row = options.covariate, lead_row(s)
    less = ", less sampling error" if kind_of_s(row) == "bias-corrected" else ""
    ways = {"jackknife": "the jackknife", "basic": "the basic bootstrap"}
    model = ""
    if fit is not None:
        terms = [
            f"{r.term} effect" if r.group == "order" else r.term
            for r in fit.rows
            if r.group in BESIDE_STRENGTHS
        ]
        model = f" Strengths were estimated by a Bradley-Terry model with {listing(terms)}."
    return (
        "The win rate counted each comparison once. S was 100 times the summed mean squared distance of roles' "
        f"win rates from 1, .50 and 0 at higher, equal and lower {name}{less}. Its "
        f"{percent_of(options.level)} CI used {ways.get(str(row.interval), 'the bootstrap')} over "
        f"{count(s.counts['pairs'], 'pair')} of roles.{model}"
    )


BESIDE_STRENGTHS = ("order", "covariate")


def sensitivity_methods(options: StudyOptions, *, drawn: bool) -> tuple[str, ...]:
    """Return the methods paragraphs of S and the win rates, of winners that are drawn or probabilities."""
    bias = (
        "Sampling error inflates the plug-in S; the bias-corrected S subtracts the sampling variance of the rates, and "
        "is the S of this page. Reference choosers have the S of their win probabilities, without sampling error."
        if drawn
        else "The plug-in S is inflated where replies to the same pair differ; no bias-corrected value is known."
    )
    return (
        f"Win rates of roles are means over opponents of a role's share of wins, by higher, equal or lower "
        f"{options.covariate} than the opponent's. {bias} Bootstraps resample pairs of roles "
        f"({options.resamples:,} resamples, seed {options.seed}).",
        f"S = {PUBLISHED_BASELINE:g} has been published as the random baseline of this index. No random chooser has "
        "that value on this design (table of reference choosers).",
    )


def answer_sentences(s: Result, pooled: Result, options: StudyOptions) -> tuple[str, ...]:
    """Return the verdict with the win rate at the higher covariate, and S beside coin flips."""
    row, high, name = lead_row(s), pooled.row("all", group="higher"), options.covariate
    coin = reference_values(s)[1].value
    quantity = capital(f"{kind_of_s(row)} S (0: {name} alone decides)")
    said = [
        rate_sentence(pooled, name, verdict(row, high, coin, name)),
        sentences.reference_sentence(quantity, row, coin, "coin flips"),
    ]
    if (
        high.estimate in (0.0, 1.0)
        and s.row("S").estimate
        and s.row("S_equal").estimate == s.row("S").estimate
    ):
        said.append(
            f"All of S came from comparisons of equal {name}, in which some roles were preferred."
        )
    return tuple(said)


def verdict_on_covariate(s: Result, pooled: Result, options: StudyOptions) -> Conclusion:
    """Return whether the covariate decides, influences or does not show in the choices, and how often its side wins."""
    row, high, name = lead_row(s), pooled.row("all", group="higher"), options.covariate
    coin = reference_values(s)[1].value
    far = (high.estimate is not None and bool(high.std_error)) and (
        abs(high.estimate - 0.5) > FAR * (high.std_error or 0.0)
    )
    sure: Certainty = "clear" if far else "shown"
    size = (
        ""
        if high.estimate is None
        else f": the side with more of it wins {of_ten(high.estimate)} times"
    )
    if high.estimate in (0.0, 1.0):
        against = "" if high.estimate else "the reverse of "
        return verdict_of(
            f"choices follow {against}{name} wherever the two sides differ in it",
            certainty="interval",
        )
    if row.conf_high is not None and row.conf_high < 1:
        return verdict_of(f"{name} decides almost every choice", size, certainty=sure)
    if row.conf_high is not None and row.conf_high < coin:
        return verdict_of(
            f"the data show that {name} influences choices but does not decide them",
            size,
            certainty=sure,
        )
    return verdict_of(
        f"the data do not show that choices follow {name} more than coin flips do",
        size,
        certainty="open",
    )


def verdict(row: Row, high: Row, coin: float, covariate: str) -> str:
    """State whether choices follow the rule (or its reverse), or come nearer to it than coin flips do; else nothing."""
    name = capital(covariate)
    if high.estimate in (0.0, 1.0):
        reverse = "" if high.estimate else " in reverse"
        return f"{name} decided every comparison whose sides differed in it{reverse}"
    if row.conf_high is not None and row.conf_high < 1:
        return f"{name} determined choices"
    near = row.conf_high is not None and row.conf_high < coin
    return f"{name} influenced but did not determine choices" if near else ""


PARTS: tuple[Literal["main", "appendix"], ...] = (
    "main",
    "appendix",
)  # bounds of S, bounds of the share
EQUAL = (
    "Between equals, a refusal counts half for each role, or (against) for the role that "
    "won more other comparisons."
)


def refusal_blocks(design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return the bounds of both numbers where the table has refusals; none otherwise."""
    refused, covariate = design.refused, options.covariate
    if refused is None:
        return ()
    unequal = int(refused.count[steps(refused, covariate) != 0].sum())
    about = f"{count(refused.n_rows, 'refusal')}, {unequal:,} of them between unequal sides."
    share, s = (
        partial(share_of, design, covariate, options),
        partial(s_of, design, covariate, options),
    )
    what = f"win rate of the role with the higher {covariate}"
    found = {
        "refusals-s": refusal_block(
            s,
            refused.n_rows,
            quantity="S",
            lead=lead_row,
            target=f"the higher {covariate}",
            reference=lambda found: reference_values(found)[1].value,
        ),
        "refusals-share": refusal_block(
            share,
            unequal,
            quantity=what,
            lead=_higher,
            target="the higher side",
            reference=lambda found: 0.5,
        ),
    }
    return tuple(
        replace(block, id=name, caption=f"{block.caption} {about} {EQUAL}", part=part)
        for (name, block), part in zip(found.items(), PARTS, strict=True)
        if block is not None
    )


def refusals_by_level(
    parts: Mapping[str, Comparisons], by: str, options: StudyOptions, silent: Mapping[str, str]
) -> Block | None:
    """Return the bounds of the share of choices for the higher covariate, of every level; None without refusals.

    `silent`: why further levels have no choice; nothing bounds their share.
    """
    held = parts.items()
    if not any(part.refused is not None for _, part in held):
        return None
    results = {
        name: [share_of(part, options.covariate, options, rule) for rule in RULES]
        for name, part in held
    }
    rows = {name: [_higher(result) for result in found] for name, found in results.items()}
    refused = {name: 0 if part.refused is None else part.refused.n_rows for name, part in held}
    shares = {name: n / max(parts[name].n_rows + n, 1) for name, n in refused.items()}
    most = max(shares, key=lambda name: shares[name])
    own, against, favour = rows[most]
    shown = tuple(replace(three[0], term=name, group=None) for name, three in rows.items())
    cells = tuple(
        (name, refused[name], *(x for row in three for x in ends(row)))
        for name, three in rows.items()
    )
    header = [
        x
        for words in ("excluded", "against", "for")
        for x in (words, f"{words}: low", f"{words}: high")
    ]
    about = "Win rates with all refusals excluded, counted against, and counted for"
    what = f"win rate of the role with the higher {options.covariate}"
    return Block(
        id="refusals",
        question="How much could refusals change the rates?",
        sentences=(
            *(f"{shorten(name, 40)} has no bounds: {why}." for name, why in silent.items()),
            f"{shorten(most, 40)} refused most often ({percent(shares[most])} of its stories).",
            f"Its {what} was {sentences.estimate_text(own)} without refusals.",
            f"Counting all refusals against the higher side gives {number(against.shown())}; for it, "
            f"{number(favour.shown())}.",
        ),
        draw=partial(forest, shown, xlabel=what, label=by, reference=0.5),
        figure_title=f"{capital(what)}, refusals excluded",
        caption="Levels that refused different stories are compared on the stories that both answered.",
        tables=(PageTable(about, (by, "Refusals", *header), cells),),
        results=tuple(result for found in results.values() for result in found),
        turned=tuple(
            text
            for name, (own, *others) in rows.items()
            for text in turned(
                own,
                zip(
                    (
                        f"{shorten(name, 40)}: with {RULES[rule]} the higher side"
                        for rule in ("against", "for")
                    ),
                    others,
                    strict=True,
                ),
                f"the {what}",
                0.5,
            )
        ),
    )


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
    return combine_designs(design, replace(refused, outcome=outcome.astype(np.int8)))


def steps(design: Comparisons, covariate: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the sign of the difference of the covariate, side a minus side b, (cells,)."""
    c = design.covariates[covariate]
    return np.asarray(np.sign(c.a.astype(np.float64) - c.b.astype(np.float64)))


def won_share(design: Comparisons) -> dict[str, float]:
    """Return the share of its comparisons that each item won, ties as halves."""
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON) * design.count
    k = len(design.items)
    wins = np.bincount(design.item_a, won, k) + np.bincount(design.item_b, design.count - won, k)
    games = np.bincount(design.item_a, design.count, k) + np.bincount(
        design.item_b, design.count, k
    )
    return dict(zip(design.items, (wins / games).tolist(), strict=True))


def share_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return pooled win rates under a rule."""
    return single(
        win_rates(filled(design, covariate, rule), covariate, weights="pooled", level=options.level)
    )


def s_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return S under a rule."""
    return single(sensitivity(filled(design, covariate, rule), covariate, **options.chosen()))


def _higher(result: Result) -> Row:
    return result.row("all", group="higher")


OWN = "as on this page"
POOLED = "pooled over opponents (micro)"
TIE_RULES = ("davidson", "rao_kupper", "half")
FEWEST_LEFT = 3  # levels that a factor needs before leaving one out says something


def urgency_multiverses(
    design: Comparisons,
    fit: BradleyTerryResult | None,
    s: Result,
    groups: dict[str, dict[str, Any]],
    options: StudyOptions,
) -> tuple[Block, ...]:
    """Return both multiverses: of S, and of the effect of urgency where it has an estimate."""
    covariate = options.covariate
    about_s = of_sensitivity(design, s, groups, options)
    lost = any(caution.code == "SS301" for caution in design.cautions)
    refusals = (
        "Rows without a choice are not in the table of comparisons and so in no analysis."
        if lost
        else ""
    )
    blocks = [
        multiverse_block(
            about_s,
            id="multiverse-s",
            question=other_analyses("S"),
            quantity="S",
            note=f"{_pooled_note(about_s)}{refusals}",
        )
    ]
    about_effect = None if fit is None else of_effect(design, fit, groups, options)
    if about_effect is not None:
        blocks.append(
            multiverse_block(
                about_effect,
                id="multiverse-urgency",
                question=other_analyses(f"the effect of {covariate}"),
                quantity=f"effect of one step of {covariate} (log-odds)",
                note=refusals,
            )
        )
    return tuple(blocks)


def _pooled_note(found: Result) -> str:
    """State why pooling changes nothing where all pairs have equal counts, which looks like a mistake otherwise."""
    leads = found.extras["leads"]
    own, pooled = (leads[label].estimate if label in leads else None for label in (OWN, POOLED))
    same = own is not None and pooled is not None and abs(own - pooled) <= SAME * max(1.0, abs(own))
    return (
        "Pooling over opponents changes nothing where every pair has as many stories. "
        if same
        else ""
    )


def of_sensitivity(
    design: Comparisons,
    s: Result,
    groups: dict[str, dict[str, Any]],
    options: StudyOptions,
    *,
    clusters: bool = True,
) -> Result:
    """Compute S by other weights, clusters and tie rules, as plug-in value, and without each group in turn.

    Without `clusters`, the choices that move intervals only are left out.
    """

    def way(
        label: str, choice: str, make: Callable[[], Comparisons] = lambda: design, **more: Any
    ) -> Variant:
        def again() -> Result:
            return single(sensitivity(make(), options.covariate, **options.chosen(), **more))

        return Variant(label=label, choice=choice, compute=again, lead=lead)

    term = lead_row(s).term

    def lead(result: Result) -> Row:
        return result.row(term)

    variants = [Variant(label=OWN, choice=OWN, compute=lambda: s, lead=lead)]
    if term != "S":
        plain = partial(plug_in_alone, s)
        variants.append(
            Variant(
                label="plug-in", choice="bias correction", compute=plain, lead=lambda r: r.row("S")
            )
        )
    variants.append(way(POOLED, "weights", weights="pooled"))
    if clusters:
        names = [f.name for f in design.clusters if f.name != "pair"]
        variants.append(way("rows independent", "clusters", cluster=None))
        variants += [
            way(f"clustered by {shorten(name, 30)}", "clusters", cluster=name) for name in names
        ]
    variants += [way(*other) for other in altered(design, groups, options.covariate)]
    coin = reference_values(s)[1]
    return multiverse(
        "sensitivity", "S", distinct(variants), reference=coin.value, words=f"S of {coin.label}"
    )


def plug_in_alone(s: Result) -> Result:
    """Return S without the interval of the plug-in value, which is that of the bias-corrected one."""
    why = "its interval is that of the bias-corrected S"
    plain = replace(s.row("S"), conf_low=None, conf_high=None, conf_level=None, undefined=why)
    return replace(s, rows=tuple(plain if row.term == "S" else row for row in s.rows))


def of_effect(
    design: Comparisons,
    fit: BradleyTerryResult,
    groups: dict[str, dict[str, Any]],
    options: StudyOptions,
    *,
    clusters: bool = True,
) -> Result | None:
    """Compute the effect by other clusters, models of ties and order, and without each group in turn.

    None where there is no other analysis (a penalty or prior leaves fewer).
    """
    formula, own = (
        options.formula,
        settled_cluster(design, "auto", parameters=len(design.items) - 1),
    )

    def lead(result: Result) -> Row:
        return result.row(options.covariate, group="covariate")

    def way(
        label: str,
        choice: str,
        make: Callable[[], Comparisons] = lambda: design,
        cluster: Any = own,
        order: bool | None = None,
        **more: Any,
    ) -> Variant:
        def again() -> Result:
            return fit_model(
                make(), replace(options, **more), formula, cluster=cluster, order=order
            )

        return Variant(label=label, choice=choice, compute=again, lead=lead)

    def alone() -> Result:
        given = options.chosen("ties", "level") | {
            "order": design.order_known,
            "cluster": own,
            "by": None,
        }
        return single(bradley_terry(design, formula, strengths="none", **given))

    declared = [f.name for f in design.clusters]
    found = [Variant(label=OWN, choice=OWN, compute=lambda: fit, lead=lead)]
    for name in dict.fromkeys([None, *declared, "pair"] if clusters else []):
        if name != own and not (own == "declared" and declared == [name]):
            label = "rows independent" if name is None else f"clustered by {shorten(name, 30)}"
            found.append(way(label, "clusters", cluster=name))
    if any(row.group == "order" for row in fit.rows):
        found.append(way("order of presentation left out", "order", order=False))
    if not options.prior:
        about = "leaving out the roles' strengths"
        found.append(
            Variant(label="role strengths left out", choice=about, lead=lead, compute=alone)
        )
    if not fit.fitted_state.penalised:
        found.append(way("strengths pulled together (Firth)", "penalty", penalty="firth"))
    rules = [rule for rule in TIE_RULES if design.n_ties and rule != fit.settings["ties"]]
    found += [way(f"ties: {rule.replace('_', ' and ')}", "ties", ties=rule) for rule in rules]
    found += [way(*other) for other in altered(design, groups, options.covariate)]
    quantity = f"the effect of one step of {options.covariate} (log-odds)"
    made = distinct(found)
    return (
        multiverse("bradley_terry", quantity, made, reference=0.0, words="zero")
        if len(made) > 1
        else None
    )


def altered(
    design: Comparisons, groups: dict[str, dict[str, Any]], covariate: str
) -> list[tuple[str, str, Callable[[], Comparisons]]]:
    """Return designs of other rows, made when asked for: label, choice, and what makes the design."""
    found: list[tuple[str, str, Callable[[], Comparisons]]] = []
    if design.n_ties:
        found += [
            ("ties left out", "ties", design.drop_ties),
            (
                f"ties count for the higher {covariate}",
                "ties",
                partial(ties_for, design, covariate, 1),
            ),
            (
                f"ties count for the lower {covariate}",
                "ties",
                partial(ties_for, design, covariate, -1),
            ),
        ]
    for name, mapping in groups.items():
        levels = sorted({str(v) for v in mapping.values()})
        choice = f"leaving out one {shorten(name, 20)}"
        for level in levels if FEWEST_LEFT <= len(levels) <= MOST_LEFT_OUT else ():
            found.append(
                (without_label(name, level), choice, partial(without_group, design, mapping, level))
            )
    for factor in design.clusters:
        choice = f"leaving out one {shorten(factor.name, 20)}"
        for code, level in enumerate(
            factor.levels if FEWEST_LEFT <= len(factor.levels) <= MOST_LEFT_OUT else ()
        ):
            make = partial(design.take, factor.codes != code, note=f"without {factor.name} {level}")
            found.append((without_label(factor.name, level), choice, make))
    return found


def ties_for(design: Comparisons, covariate: str, sign: int) -> Comparisons:
    """Return the design with every tie of unequal sides won by the side with more (or less) of the covariate."""
    more = steps(design, covariate) * sign
    decided = np.where(more > 0, A_WON, B_WON)
    outcome = np.where((design.outcome == TIED) & (more != 0), decided, design.outcome).astype(
        np.int8
    )
    return merged(replace(design, outcome=outcome))


def without_group(design: Comparisons, mapping: dict[str, Any], level: str) -> Comparisons:
    """Return the design without the items of one group."""
    out = np.array([str(mapping[item]) == level for item in design.items])
    return design.take(~(out[design.item_a] | out[design.item_b]), note=f"without {level}")


Groups = dict[str, dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Numbers that need no strengths; `groups`: the groupings of the roles."""

    s: Result
    rates: Result
    pooled: Result
    entropy: Result | None
    groups: Groups
    values: Mapping[str, Result]
    replies: tuple[Block, ...]
    refusals: tuple[Block, ...]
    labels: LabelNumbers | None

    def named(self) -> dict[str, Result]:
        """Return the results that are recomputed by other packages, by name."""
        found = {"Sensitivity S": self.s, "Win rates": self.rates}
        found |= {} if self.entropy is None else {"Entropy": self.entropy}
        found |= {f"Values cited, {group}": result for group, result in self.values.items()}
        return found | self.label_results()

    def label_results(self) -> dict[str, Result]:
        """Return the results of the check of labels, by name."""
        results = {} if self.labels is None else self.labels.results
        return {f"Label check: {name}": result for name, result in results.items()}

    def results(self) -> list[Result]:
        """Return the results whose cautions and references belong on the page."""
        found = [self.s, self.rates, *([] if self.entropy is None else [self.entropy])]
        found += [result for block in (*self.replies, *self.refusals) for result in block.results]
        return [*found, *self.values.values(), *self.label_results().values()]

    def cautions(self) -> list[tuple[Caution, ...]]:
        """Return the cautions, result by result, without those that Methods and the entropy's own block state.

        Those of the bounds are about other tables: of refusals that count as choices, or as ties of equals.
        """
        stated = {"SS305"} | ({"SS304"} if lead_row(self.s).term != "S" else set())
        bounds = [result for block in self.refusals for result in block.results]
        left = (self.entropy, *bounds)
        kept = (result for result in self.results() if all(result is not one for one in left))
        return [tuple(c for c in result.cautions if c.code not in stated) for result in kept]


def count_up(design: Comparisons, options: StudyOptions) -> Counts:
    """Compute everything that needs no strengths."""
    groups = choose_groups(design, options)
    values = count_cited(design, list(groups), options)
    design, name = without_cited(design), options.covariate
    by_group = next(iter(groups.values()), None)
    return Counts(
        s=single(sensitivity(design, name, groups=by_group, **options.chosen())),
        rates=single(win_rates(design, name, level=options.level)),
        pooled=overall_rates(design, options),
        entropy=entropy_of(design, options),
        groups=groups,
        values=values,
        replies=tuple(filter(None, [replies_by(design, options.level)])),
        refusals=refusal_blocks(design, options),
        labels=None if options.labels is None else check_labels(options.labels, options),
    )


def overall_rates(design: Comparisons, options: StudyOptions) -> Result:
    """Return the win rates over comparisons, with the cautions of the rates of all roles together."""
    found = single(win_rates(design, options.covariate, weights="pooled", level=options.level))
    own = share_cautions(
        design, cluster_factors(design, "pair"), [row for row in found.rows if row.term == "all"]
    )
    others = (c for c in found.cautions if c.code not in OF_ROLES)
    return replace(found, cautions=(*others, *(c for c in own if c.code in OF_ROLES)))


OF_ROLES = ("SS202", "SS211", "SS212")  # cautions about single rates


def later_blocks(counts: Counts, design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return the blocks after the strengths: values, labels, refusals; win rates of groups and entropy (appendix)."""
    matrices = (
        group_matrix(design, mapping, name, options.level)
        for name, mapping in counts.groups.items()
    )
    return (
        *filter(
            None, (cited_question(r, name, design.n_ties) for name, r in counts.values.items())
        ),
        *label_blocks(options, counts.labels),
        *counts.refusals,
        *(replace(block, part="appendix") for block in (*matrices, *counts.replies)),
        *([] if counts.entropy is None else [entropy_block(counts.entropy)]),
    )


def entropy_of(design: Comparisons, options: StudyOptions) -> Result | None:
    """Return the entropy of the choices, or None where every pair met once."""
    try:
        return single(choice_entropy(design, level=options.level))
    except UndefinedStatistic:
        return None


def label_blocks(options: StudyOptions, numbers: LabelNumbers | None) -> list[Block]:
    """Return the check of labels as a block, where there is one."""
    if numbers is None:
        return []
    block = labels_question(options.labels, numbers, f"labels of {options.covariate}")
    return [] if block is None else [block]
