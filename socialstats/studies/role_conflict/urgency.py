"""What urgency does to choices between roles: blocks, tables, sentences, other choices of analysis."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from socialstats.designs.comparisons import A_WON, B_WON, TIED, Comparisons, joined, merged, without_cited
from socialstats.errors import Caution, UndefinedStatistic, caution
from socialstats.figures import dumbbell, forest
from socialstats.metrics.bradley_terry import BradleyTerryResult, bradley_terry
from socialstats.metrics.choice_entropy import choice_entropy
from socialstats.metrics.multiverse import SAME, Variant, distinct, multiverse, without_label
from socialstats.metrics.sensitivity import sensitivity
from socialstats.metrics.win_rates import win_rates
from socialstats.results import Result, Row
from socialstats.studies.comparisons import (
    MOST_ROWS,
    choose_groups,
    default_cluster,
    fit_model,
    group_matrix,
    presented,
    row_table,
)
from socialstats.studies.estimates import counts_table, ends, mark_of, numbers_text, single
from socialstats.studies.multiverse import MOST_LEFT_OUT, multiverse_block, other_analyses
from socialstats.studies.page import Block, Mark, Strip, StudyOptions, Table
from socialstats.studies.role_conflict.labels import Checked, check_labels, labels_block, value_blocks
from socialstats.studies.sources import RULES, Rule, refusal_block, replies_by
from socialstats.text import capital, count, inconclusive, interval, listing, number, percent, shorten

TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}
SENSITIVITY = (
    "S is 100 times the mean squared distance of win rates from 1 (of the more urgent role), 1/2 and 0: the sum of the "
    "three parts. Scatter of the win rates makes S too large: 'corrected for noise' removes what single answers add. "
    "The intervals remove what whole pairs of roles add as well (resamples show how much), and so lie "
    "mostly below the estimate. {n} comparisons; {inference}."
)


def sensitivity_strip(s: Result) -> Strip:
    """Return S on its number line, beside what it is for choosers of known kinds."""
    lines = s.extras["reference_lines"]
    return Strip(
        title="Sensitivity S beside choosers of known kinds: "
        f"{count(s.counts['comparisons'])} comparisons, {s.inference.split(', ', 1)[-1]}",
        axis="S (0 = follows urgency alone)",
        digits=1,
        marks=(mark_of(s.row("S"), "S"), *(Mark(label=x.label, value=x.value, kind="reference") for x in lines)),
    )


def sensitivity_block(s: Result, effect: str = "") -> Block:
    """Return S, its components and the reference lines; `effect`: what the caption says of the clusters."""
    choosers = tuple((line.label, line.value, line.words) for line in s.extras["reference_lines"])
    about = "What S is for choosers of known kinds on this very design"
    return Block(
        id="sensitivity",
        question="How far are the choices from following urgency alone?",
        sentences=(s.sentence(),),
        draw=partial(forest, named(s), xlabel="S and its components", sort=False),
        figure_title="Sensitivity S: plug-in, corrected for noise, and by condition",
        caption=SENSITIVITY.format(inference=s.inference, n=count(s.counts["comparisons"])) + effect,
        tables=(
            row_table(named(s), "Sensitivity and its components", digits=2),
            Table(about, ("Chooser", "S", "How it chooses"), choosers, 1),
        ),
        results=(s,),
    )


def named(s: Result) -> tuple[Row, ...]:
    """Return the rows of S with names in words."""
    name = s.settings["covariate"]
    words = {"S": "S", "S_higher": f"part of higher {name} (from 1)", "S_equal": f"part of equal {name} (from 1/2)"}
    words["S_lower"] = f"part of lower {name} (from 0)"
    words |= {f"{term}_corrected": f"{said}, corrected for noise" for term, said in words.items()}
    return tuple(replace(row, term=words[row.term], group=None) for row in s.rows)


def rates_block(rates: Result, order: Sequence[str], options: StudyOptions, pooled: Result) -> Block:
    """Return each role's win rates by urgency as dumbbells, strongest first; `pooled`: over all comparisons."""
    drawn = list(order)[:MOST_ROWS]
    every = "every role" if len(drawn) == len(order) else f"the {count(len(drawn), 'strongest role')}"
    own, whole = [r for r in rates.rows if r.term in drawn], [r for r in pooled.rows if r.term == "all"]
    high = pooled.row("all", group="higher")
    inside = interval(high.conf_low, high.conf_high, 3, level=high.conf_level or 0.95, bounded=True)
    said = (
        "Over all comparisons, each counted once, the more urgent role won at a rate of "
        f"{number(high.estimate, 3, bounded=True)}, {inside}; means over roles weigh every role alike, however many "
        "opponents it met, so that the rates of higher and lower need not add to 1."
    )
    return Block(
        id="win-rates",
        question=f"How often does a role win when its {options.covariate} is higher, equal, or lower?",
        sentences=(rates.sentence(), *([] if high.estimate is None else [said])),
        draw=partial(dumbbell, own, targets=TARGETS, order=drawn, xlabel="win rate"),
        figure_title=f"Win rates of {every} by {options.covariate}, strongest role first",
        caption="Dotted lines: where the rates would be if urgency alone decided (1, .50, 0). Intervals: "
        f"{rates.inference}; {count(rates.counts['comparisons'])} comparisons{_trials_effect(rates)}.",
        tables=(
            row_table(rates.rows, "Win rates by role and condition"),
            row_table(whole, "Win rates over all comparisons, each counted once"),
        ),
        results=(rates, pooled),
    )


def _trials_effect(rates: Result) -> str:
    """Return the median design effect of the clusters on the win rates: variance over that of independent rows."""
    found = [
        row.std_error**2 * row.n / (row.estimate * (1 - row.estimate))
        for row in rates.rows
        if row.std_error and row.n and row.estimate is not None and 0 < row.estimate < 1 and row.term != "all"
    ]
    return f"; design effect of the clusters {number(statistics.median(found), 1)} (median)" if found else ""


def weight_block(fit: BradleyTerryResult, ratio: Result | None, options: StudyOptions) -> Block:
    """Return the urgency step against the spread of the roles, in one model."""
    step = fit.row(options.covariate, group="covariate")
    rows = [replace(step, term=f"one step of {options.covariate}")]
    sentences = [
        f"One step of {options.covariate} adds {number(step.estimate)} to the log-odds, "
        f"{interval(step.conf_low, step.conf_high, level=options.level)}."
    ]
    if ratio is not None:
        spread, chance = ratio.row("sd of strengths"), ratio.rows[2]
        rows.append(replace(spread, term="one sd between roles"))
        sentences += [
            ratio.sentence(),
            f"Of two roles that lie one sd ({number(spread.estimate)} log-odds) apart, the weaker one with one more "
            f"step of {options.covariate} is expected to be chosen {percent(chance.estimate or 0.0)} of the time, "
            f"{percent_interval(chance, options.level)}.",
        ]
    else:
        sentences.append("The roles differ no more than chance would make them differ.")
    held = [f"difference in {options.covariate}", *(["order of presentation"] * fit.design.order_known)]
    return Block(
        id="urgency-against-roles",
        question=f"How much does {options.covariate} weigh against the preference between roles?",
        sentences=tuple(sentences),
        draw=partial(forest, tuple(rows), xlabel="log-odds", sort=False),
        figure_title=f"One step of {options.covariate} beside the spread of the roles",
        caption=f"Both in log-odds, from one model with role strengths, {listing(held)}. "
        "The sd is that of the true strengths: sampling variance was subtracted.",
        tables=(row_table((*ratio.rows, step) if ratio else (step,), "Urgency against role preference"),),
        results=(ratio,) if ratio else (),
    )


def entropy_block(entropy: Result) -> Block:
    """Return how undecided the choices between two roles are."""
    low, high = (count(float(n)) for n in (entropy.extras["n"].min(), entropy.extras["n"].max()))
    few = (
        f"A pair has {low if low == high else f'{low} to {high}'} stories, so few that the plug-in value is too small: "
        "compare it only between equal numbers of stories, or use the corrected one (0 bits: always the same role, "
        "1 bit: either equally often)."
    )
    words = {"H": "mean entropy, plug-in", "H_corrected": "mean entropy, corrected for small counts"}
    if entropy.design.replies is not None:
        few = (
            "The first is 0 bits where every reply is certain of its role, whichever that is; the second where all "
            "replies of a pair are certain of the same role."
        )
        words = {
            "H": "entropy of the pairs' mean probabilities", "H_reply": "mean entropy of single replies",
            "H_reply_low": "mean entropy of single replies, at least, if other answers were one of both",
            "H_reply_high": "mean entropy of single replies, at most, if other answers were one of both",
        }  # fmt: skip
    rows = [replace(row, term=words.get(row.term, row.term)) for row in entropy.rows]
    return Block(
        id="entropy",
        question="How undecided are the choices between two roles?",
        sentences=(entropy.sentence(), few),
        tables=(row_table(rows, "Entropy of the choices between two roles"),),
        results=(entropy,),
    )


PUBLISHED_BASELINE = 100.0
MOST_IMBALANCE = 0.05  # of the share of rows whose more urgent role is shown first, from one half


def own_cautions(design: Comparisons, fit: BradleyTerryResult | None, options: StudyOptions) -> tuple[Caution, ...]:
    """Return the cautions that belong to this study: simulated data, position bias, the published baseline."""
    name, imbalance = options.covariate, _order_imbalance(design, options.covariate)
    found = [caution("SS401", options.simulated, affects="everything on this page")] if options.simulated else []
    order = next((r for r in (fit.rows if fit is not None else ()) if r.group == "order"), None)
    if order is not None and order.p_value is not None and order.p_value < 0.05:
        size = order.estimate or 0.0
        said = (
            f"the role shown {'first' if size > 0 else 'second'} is preferred: {number(abs(size))} log-odds, "
            f"{interval(order.conf_low, order.conf_high, level=options.level)}"
        )
        fix = (
            f"nothing for averages: orders are balanced over {name} here, so that it adds scatter, not bias; adjust "
            "for it, as the strengths do, where single pairs are compared"
        )
        if imbalance > MOST_IMBALANCE:
            fix = "balance or randomise the order within every story"
        found.append(caution("SS107", said, affects="win rates and S, which do not adjust for it", fix=fix))
    if design.order_known and imbalance > MOST_IMBALANCE:
        said = f"the share of rows whose more urgent role is shown first differs from one half by {percent(imbalance)}"
        fix = f"randomise the order independently of {name}"
        found.append(caution("SS108", said, affects="win rates and S", fix=fix))
    said = (
        f"S = {PUBLISHED_BASELINE:g} has been published as the random baseline of this index; "
        "no random chooser has that value (see the table of choosers)"
    )
    return (*found, caution("SS305", said, affects="comparisons with published S"))


def _order_imbalance(design: Comparisons, covariate: str) -> float:
    more = steps(design, covariate) * design.first
    unequal = design.count * (more != 0)
    return float(abs((unequal * (more > 0)).sum() / max(unequal.sum(), 1) - 0.5))


def grid_table(design: Comparisons, covariate: str) -> Table:
    """Count rows and wins by the covariate of both sides."""
    c = design.covariates[covariate]
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON) * design.count
    cells = []
    for x, y in product(np.unique(np.concatenate([c.a, c.b])), repeat=2):
        here = (c.a == x) & (c.b == y)
        n = float(design.count[here].sum())
        cells.append((f"{x:g}", f"{y:g}", int(n), percent(float(won[here].sum() / n)) if n else "none"))
    header = (f"{covariate} of one side (a)", f"{covariate} of the other (b)", "Rows", "a chosen")
    return Table(f"The design grid: comparisons by {covariate} of both sides", header, tuple(cells))


def balance_table(design: Comparisons, covariate: str) -> Table:
    """Count who was shown first (or stood in which column) by which side is more urgent."""
    first, second = presented(design)
    difference = steps(design, covariate) * design.first
    labels = {1: f"more {covariate}: {first}", 0: f"equal {covariate}", -1: f"more {covariate}: {second}"}
    parts = [(label, design.count[difference == sign].sum()) for sign, label in labels.items()]
    what = "order of presentation" if design.order_known else "column of the items"
    return counts_table(f"Is the {what} balanced?", ("Rows with", "Rows", "Share"), parts, design.n_rows)


def sensitivity_methods(options: StudyOptions, *, drawn: bool) -> str:
    """Return the methods paragraph of S and the win rates, of winners that are drawn or probabilities."""
    noise = (
        "its plug-in value is too high by the sampling variance of the rates, which the corrected value takes off"
        if drawn
        else "its plug-in value is too high where replies to the same pair differ, and no corrected value is known"
    )
    return (
        f"Win rates are means over opponents of a role's share of wins when its {options.covariate} is higher, equal "
        "or lower than the opponent's. S = 100 times the sum over the three conditions of the mean squared distance "
        f"of the rates from 1, 1/2 and 0; {noise}. Intervals resample pairs of roles "
        f"({options.resamples:,} resamples, seed {options.seed})."
    )


def lead_sentence(s: Result, pooled: Result, options: StudyOptions) -> str:
    """Return the verdict with the win rate of the more urgent role, and S beside its reference lines."""
    high, total, fixed = pooled.row("all", group="higher"), s.row("S"), s.row("S_corrected")
    lines = s.extras["reference_lines"]
    known = ", ".join(f"{number(line.value, 1)} = {line.label}" for line in lines[:3])
    ends = "" if total.conf_low is None else f", {interval(total.conf_low, total.conf_high, level=options.level)}"
    better = fixed if total.conf_low is None and fixed.conf_low is not None else total
    corrected = numbers_text(fixed) if better is fixed else number(fixed.estimate)
    noise = f"; corrected for the scatter of single answers, {corrected}"
    noise = "" if None in (total.estimate, fixed.estimate) else noise
    few = any(caution.code == "SS202" for caution in s.cautions)
    alike = s.row("S_equal")
    if high.estimate in (0.0, 1.0) and total.estimate and alike.estimate == total.estimate:
        noise += f"; all of S comes from comparisons of equal {options.covariate}, where roles were preferred"
    reserve = " They rest on few clusters, and the interval of S allows for that." if few else ""
    return (
        f"{verdict(better, high, lines[1].value, options.covariate)}: the role with the higher {options.covariate} was "
        f"chosen {percent(high.estimate)} of the time, {percent_interval(high)}, and S = {number(total.estimate)}"
        f"{ends} ({known}){noise}.{reserve}"
    )


def verdict(total: Row, high: Row, coin: float, covariate: str) -> str:
    """Say whether every choice follows the rule (or its reverse), else where S lies beside rule and coin flips."""
    name = capital(covariate)
    if high.estimate in (0.0, 1.0):
        rule = "decides" if high.estimate else "decides in reverse"
        return f"{name} {rule} in every comparison whose sides differ in it"
    if total.conf_low is None or total.conf_high is None:
        return f"S is undefined ({total.undefined})"
    if total.conf_high < 1:
        return f"{name} decides"
    if total.conf_high < coin:
        return f"{name} sways the choices but does not decide them"
    if total.conf_low > coin:
        return f"{name} decides less than coin flips would, because roles are preferred whatever their {covariate}"
    return capital(inconclusive(f"{covariate} decides more than coin flips would"))


def percent_interval(row: Row, level: float | None = None) -> str:
    """Return the interval of a share in percent, at its level or one that is given."""
    low, high = (None if v is None else 100 * v for v in (row.conf_low, row.conf_high))
    return interval(low, high, 1, level=level or row.conf_level or 0.95).replace("]", "] %")


EQUAL = (
    "A refusal between equals counts half for each role where refusals count for urgency, and for the role that won "
    "more of the other comparisons where they count against it."
)


def refusal_blocks(design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return the bounds of both numbers where the table has refusals; none otherwise."""
    refused, covariate = design.refused, options.covariate
    if refused is None:
        return ()
    unequal = int(refused.count[steps(refused, covariate) != 0].sum())
    about = f"{count(refused.n_rows, 'refusal')}, {unequal:,} of them between unequal sides."
    share, s = partial(share_of, design, covariate, options), partial(s_of, design, covariate, options)
    what = f"share of choices for the higher {covariate}"
    found = {
        "refusals-share": refusal_block(share, unequal, quantity=what, lead=_higher, bounded=True),
        "refusals-s": refusal_block(s, refused.n_rows, quantity="sensitivity S", lead=_total),
    }
    return tuple(
        replace(block, id=name, caption=f"{block.caption} {about} {EQUAL}")
        for name, block in found.items()
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
    results = {name: [share_of(part, options.covariate, options, rule) for rule in RULES] for name, part in held}
    rows = {name: [_higher(result) for result in found] for name, found in results.items()}
    refused = {name: 0 if part.refused is None else part.refused.n_rows for name, part in held}
    shares = {name: n / max(parts[name].n_rows + n, 1) for name, n in refused.items()}
    most = max(shares, key=lambda name: shares[name])
    own, against, favour = rows[most]
    shown = tuple(replace(three[0], term=name, group=None) for name, three in rows.items())
    cells = tuple((name, refused[name], *(x for row in three for x in ends(row))) for name, three in rows.items())
    header = [x for words in ("left out", "against", "for") for x in (words, f"{words}: low", f"{words}: high")]
    about = "Shares with all refusals left out, counted against, and counted for"
    what = f"share of choices for the higher {options.covariate}"
    return Block(
        id="refusals",
        question="How far could refusals move the shares?",
        sentences=(
            *(f"{shorten(name, 40)}: {why}; its {what} could be anything." for name, why in silent.items()),
            f"{'Of the others, ' if silent else ''}'{shorten(most, 40)}' refused most often: {percent(shares[most])} "
            f"of its stories. Its {what} is {numbers_text(own, digits=3, bounded=True)} without them; had all gone "
            f"against it, it would be {number(against.estimate, 3, bounded=True)}, had all gone for it, "
            f"{number(favour.estimate, 3, bounded=True)}.",
        ),
        draw=partial(forest, shown, xlabel=what, label=by, digits=3, reference=0.5),
        figure_title=f"S{what[1:]}, refusals left out",
        caption="Levels that refuse different stories are compared on the stories that both answered.",
        tables=(Table(about, (by, "Refusals", *header), cells),),
        results=tuple(result for found in results.values() for result in found),
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
    return joined(design, replace(refused, outcome=outcome.astype(np.int8)))


def steps(design: Comparisons, covariate: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the sign of the difference of the covariate, side a minus side b, (cells,)."""
    c = design.covariates[covariate]
    return np.asarray(np.sign(c.a.astype(np.float64) - c.b.astype(np.float64)))


def won_share(design: Comparisons) -> dict[str, float]:
    """Return the share of its comparisons that each item won, ties as halves."""
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON) * design.count
    k = len(design.items)
    wins = np.bincount(design.item_a, won, k) + np.bincount(design.item_b, design.count - won, k)
    games = np.bincount(design.item_a, design.count, k) + np.bincount(design.item_b, design.count, k)
    return dict(zip(design.items, (wins / games).tolist(), strict=True))


def share_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return pooled win rates under a rule."""
    return single(win_rates(filled(design, covariate, rule), covariate, weights="pooled", level=options.level))


def s_of(design: Comparisons, covariate: str, options: StudyOptions, rule: Rule) -> Result:
    """Return S under a rule."""
    return single(sensitivity(filled(design, covariate, rule), covariate, **options.chosen()))


def _higher(result: Result) -> Row:
    return result.row("all", group="higher")


def _total(result: Result) -> Row:
    return result.row("S")


OWN = "as on this page"
POOLED = "pooled over opponents (micro)"
TIE_RULES = ("davidson", "rao_kupper", "half")
FEWEST_LEFT = 3  # levels that a factor needs before leaving one out says something


def urgency_multiverses(
    design: Comparisons, fit: BradleyTerryResult | None, s: Result, groups: dict[str, dict[str, Any]],
    options: StudyOptions,
) -> tuple[Block, ...]:  # fmt: skip
    """Return both multiverses: of S, and of the effect of urgency where it has an estimate."""
    covariate = options.covariate
    about_s = of_sensitivity(design, s, groups, options)
    lost = any(caution.code == "SS301" for caution in design.cautions)
    refusals = "Rows without a choice are not in the table of comparisons and so in no analysis." if lost else ""
    blocks = [
        multiverse_block(
            about_s, id="multiverse-s", question=other_analyses("S"), quantity="S",
            note=f"{_pooled_note(about_s)}{refusals}",
        )
    ]  # fmt: skip
    if fit is not None:
        blocks.append(multiverse_block(
            of_effect(design, fit, groups, options), id="multiverse-urgency",
            question=other_analyses(f"the effect of {covariate}"),
            quantity=f"effect of one step of {covariate} (log-odds)", note=refusals,
        ))  # fmt: skip
    return tuple(blocks)


def _pooled_note(found: Result) -> str:
    """Say why pooling changes nothing where all pairs have equal counts, which looks like a mistake otherwise."""
    leads = found.extras["leads"]
    own, pooled = (leads[label].estimate if label in leads else None for label in (OWN, POOLED))
    same = own is not None and pooled is not None and abs(own - pooled) <= SAME * max(1.0, abs(own))
    return "Pooling over opponents changes nothing where every pair has as many stories. " if same else ""


def of_sensitivity(
    design: Comparisons, s: Result, groups: dict[str, dict[str, Any]], options: StudyOptions, *, clusters: bool = True
) -> Result:
    """Compute S by other weights, clusters and tie rules, without its noise, and without each group in turn.

    Without `clusters`, the choices that move intervals only are left out.
    """

    def way(label: str, choice: str, make: Callable[[], Comparisons] = lambda: design, **more: Any) -> Variant:
        def again() -> Result:
            return single(sensitivity(make(), options.covariate, **options.chosen(), **more))

        return Variant(label=label, choice=choice, compute=again, lead=_total)

    variants = [
        Variant(label=OWN, choice=OWN, compute=lambda: s, lead=_total),
        Variant(label="corrected for noise", choice="noise", compute=lambda: s, lead=lambda r: r.row("S_corrected")),
        way(POOLED, "weights", weights="pooled"),
    ]
    if clusters:
        names = [f.name for f in design.clusters if f.name != "pair"]
        variants.append(way("rows independent", "clusters", cluster=None))
        variants += [way(f"clustered by {shorten(name, 30)}", "clusters", cluster=name) for name in names]
    variants += [way(*other) for other in altered(design, groups, options.covariate)]
    coin = s.extras["reference_lines"][1]
    return multiverse("sensitivity", "S", distinct(variants), reference=coin.value, words=f"S of {coin.label}")


def of_effect(
    design: Comparisons, fit: BradleyTerryResult, groups: dict[str, dict[str, Any]], options: StudyOptions, *,
    clusters: bool = True,
) -> Result:  # fmt: skip
    """Compute the effect by other clusters, models of ties and order, and without each group in turn."""
    formula, own = f"~ {options.covariate}", default_cluster(design)

    def lead(result: Result) -> Row:
        return result.row(options.covariate, group="covariate")

    def way(
        label: str, choice: str, make: Callable[[], Comparisons] = lambda: design, cluster: Any = own,
        order: bool = True, **more: Any,
    ) -> Variant:  # fmt: skip
        def again() -> Result:
            return fit_model(make(), replace(options, **more), formula, cluster=cluster, order=order)

        return Variant(label=label, choice=choice, compute=again, lead=lead)

    def alone() -> Result:
        given = options.chosen("ties", "level") | {"order": design.order_known, "cluster": own, "by": None}
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
        found.append(Variant(label="role strengths left out", choice=about, lead=lead, compute=alone))
    if not fit.fitted_state.penalised:
        found.append(way("strengths pulled together (Firth)", "penalty", penalty="firth"))
    rules = [rule for rule in TIE_RULES if design.n_ties and rule != fit.settings["ties"]]
    found += [way(f"ties: {rule.replace('_', ' and ')}", "ties", ties=rule) for rule in rules]
    found += [way(*other) for other in altered(design, groups, options.covariate)]
    quantity = f"the effect of one step of {options.covariate} (log-odds)"
    return multiverse("bradley_terry", quantity, distinct(found), reference=0.0, words="zero")


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
        choice = f"leaving out one {shorten(name, 20)}"
        for level in levels if FEWEST_LEFT <= len(levels) <= MOST_LEFT_OUT else ():
            found.append((without_label(name, level), choice, partial(without_group, design, mapping, level)))
    for factor in design.clusters:
        choice = f"leaving out one {shorten(factor.name, 20)}"
        for code, level in enumerate(factor.levels if FEWEST_LEFT <= len(factor.levels) <= MOST_LEFT_OUT else ()):
            make = partial(design.take, factor.codes != code, note=f"without {factor.name} {level}")
            found.append((without_label(factor.name, level), choice, make))
    return found


def ties_for(design: Comparisons, covariate: str, sign: int) -> Comparisons:
    """Return the design with every tie of unequal sides won by the side with more (or less) of the covariate."""
    more = steps(design, covariate) * sign
    decided = np.where(more > 0, A_WON, B_WON)
    outcome = np.where((design.outcome == TIED) & (more != 0), decided, design.outcome).astype(np.int8)
    return merged(replace(design, outcome=outcome))


def without_group(design: Comparisons, mapping: dict[str, Any], level: str) -> Comparisons:
    """Return the design without the items of one group."""
    out = np.array([str(mapping[item]) == level for item in design.items])
    return design.take(~(out[design.item_a] | out[design.item_b]), note=f"without {level}")


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
    replies: tuple[Block, ...]
    refusals: tuple[Block, ...]
    labels: Checked | None

    def named(self) -> dict[str, Result]:
        """Return the results that are recomputed by other packages, by name."""
        found = {"Sensitivity S": self.s, "Win rates": self.rates}
        found |= {} if self.entropy is None else {"Entropy": self.entropy}
        for block in self.values:
            about = block.id.removeprefix("values-").replace("-", " ")
            found |= {f"Values cited, {about}": result for result in block.results}
        return found | ({} if self.labels is None else self.labels.named())

    def results(self) -> list[Result]:
        """Return the results whose cautions and references belong on the page."""
        found = [self.s, self.rates, *([] if self.entropy is None else [self.entropy])]
        found += [result for block in (*self.values, *self.replies, *self.refusals) for result in block.results]
        return found + ([] if self.labels is None else list(self.labels.all()))

    def cautions(self) -> list[tuple[Caution, ...]]:
        """Return the cautions, result by result; those of the entropy stand in its own words on the page."""
        return [result.cautions for result in self.results() if result is not self.entropy]


def count_up(design: Comparisons, options: StudyOptions) -> Counts:
    """Compute everything that needs no strengths."""
    groups = choose_groups(design, options)
    values = value_blocks(design, list(groups), options)
    design, name = without_cited(design), options.covariate
    by_group = next(iter(groups.values()), None)
    return Counts(
        s=single(sensitivity(design, name, groups=by_group, **options.chosen())),
        rates=single(win_rates(design, name, level=options.level)),
        pooled=single(win_rates(design, name, weights="pooled", level=options.level)),
        entropy=entropy_of(design, options),
        groups=groups,
        values=values,
        replies=tuple(filter(None, [replies_by(design, options.level)])),
        refusals=refusal_blocks(design, options),
        labels=None if options.labels is None else check_labels(options.labels, options),
    )


def later_blocks(counts: Counts, design: Comparisons, options: StudyOptions) -> tuple[Block, ...]:
    """Return what stands after the strengths: groups against each other, entropy, values, labels, refusals."""
    return (
        *(group_matrix(design, mapping, name, options.level) for name, mapping in counts.groups.items()),
        *([] if counts.entropy is None else [entropy_block(counts.entropy)]),
        *counts.values,
        *([] if counts.labels is None else [labels_block(options.labels, counts.labels)]),
        *counts.replies,
        *counts.refusals,
    )


def entropy_of(design: Comparisons, options: StudyOptions) -> Result | None:
    """Return the entropy of the choices, or None where every pair met once."""
    try:
        return single(choice_entropy(design, level=options.level))
    except UndefinedStatistic:
        return None
