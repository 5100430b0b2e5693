"""Study role-conflict: does a covariate (urgency) decide choices between two items (roles), or the item?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialstats import sentences
from socialstats.arrays import unique_rows
from socialstats.choices.bradley_terry import BradleyTerryResult, effect_sentence
from socialstats.choices.choice_entropy import choice_entropy
from socialstats.choices.sensitivity import kind_of_s, lead_row, sensitivity
from socialstats.choices.win_rates import win_rates
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import without_cited
from socialstats.designs.parts import A_WON, TIED
from socialstats.errors import Caution, MleDoesNotExist, caution
from socialstats.figures import dumbbell, forest
from socialstats.inference.dependence import cluster_factors, share_cautions
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, combine_verifications
from socialstats.studies.asking import (
    ask_result,
    ask_rows,
    attempt_result,
    design_effect_note,
    grid_table,
    interval_points,
    page_of,
    pick_rows,
    rows_by,
)
from socialstats.studies.compare import study as compare
from socialstats.studies.comparisons import (
    EXISTS,
    Pairs,
    change_cautions,
    choose_groups,
    choosers_table,
    clusters_question,
    describe,
    effects_question,
    evenness_check,
    fit_diagnostics,
    fit_model,
    further_groups,
    group_question,
    lead_sentence,
    model_methods,
    order_table,
    presented,
    rank_answer,
    strengths_question,
    strongest,
    unmatched_items,
    without_order,
)
from socialstats.studies.estimates import (
    counts_table,
    literature,
    pairs_to_halve,
    probability_methods,
    single,
    verify_named,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    StudyOptions,
    check_single,
)
from socialstats.studies.role_conflict.cited import cited_question, count_cited
from socialstats.studies.role_conflict.declaration import (
    ITEM,
    PUBLISHED_BASELINE,
    STORY,
    TARGETS,
)
from socialstats.studies.role_conflict.labels import (
    LabelNumbers,
    check_labels,
    labels_question,
)
from socialstats.studies.role_conflict.shares import (
    SHARE_METHODS,
    Groupings,
    share_questions,
    shares_by_grouping,
)
from socialstats.studies.role_conflict.variants import (
    coin_value,
    effect_variants,
    higher_rate,
    refusal_questions,
    sensitivity_variants,
    steps,
    variant_questions,
)
from socialstats.studies.sources import replies_by
from socialstats.studies.verdicts import Certainty, Conclusion, of_ten, verdict_of
from socialstats.text import capital, count, number, percent

FIRTH = "Use Firth's penalty (--penalty firth), which makes all of them finite and shrinks them."
PRIOR = (
    "Use pseudo-wins (--prior 0.5), which connect the groups by assumption, or compare "
    f"{ITEM}s of both groups."
)
FAR = 3.29  # standard errors that chance alone exceeds in 1 of 1,000 samples
MOST_IMBALANCE = 0.05  # distance from one half of the share of rows that show the higher side first
OF_ITEMS = ("SS202", "SS211", "SS212")  # cautions about single rates
MOST_DRAWN = 200  # items of a figure; the table has all
USES = (
    *("seed", "resamples", "level", "ties", "penalty", "prior", "covariate", "group"),
    *("value_levels", "verify"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAnswers:
    """What was computed of one table.

    Attributes
    ----------
    design : Comparisons
    options : StudyOptions
    groups : mapping of grouping to mapping of item to group
        Groupings of the items that the table has.
    s, rates, pooled : Result
        S; win rates by condition of each item, and over all comparisons.
    entropy : Result or None
        Of the choices; None where every pair met once.
    cited : mapping of grouping to Result
    labels : LabelNumbers or None
    replies : Block or None
    fit : BradleyTerryResult or None
        None where no finite strengths exist; `lost` says why.
    lost : MleDoesNotExist or None
    pairs : mapping
        The fit beside the one without its order effect.
    ratio : Result or None
        The effect of the covariate in SD of the strengths.
    shares, plain_shares : mapping of title to Result
        Preference shares, by the fit and by one of strengths alone.
    worths : mapping of fit to Result
        Worth (RPI) of every item, by the fit of strengths alone, as papers have it, and by the fit of the page.
    varied_s, varied_effect : Result or None
        S and the effect of the covariate under other analyses.
    """

    design: Comparisons
    options: StudyOptions
    groups: Groupings
    s: Result
    rates: Result
    pooled: Result
    entropy: Result | None
    cited: Mapping[str, Result]
    labels: LabelNumbers | None
    replies: Block | None
    fit: BradleyTerryResult | None
    lost: MleDoesNotExist | None
    pairs: Pairs
    ratio: Result | None
    shares: Mapping[str, Result]
    plain_shares: Mapping[str, Result]
    worths: Mapping[str, Result]
    varied_s: Result
    varied_effect: Result | None

    @property
    def leading(self) -> dict[str, Result]:
        """Results that lead the page, by name."""
        results = {"Sensitivity S": self.s, "Win rates": self.rates}
        if self.fit is not None:
            results["Strengths and effects"] = self.fit
        results |= {f"Cited labels, {group}": result for group, result in self.cited.items()}
        return results | label_checks(self.labels) | dict(self.shares)


def label_checks(labels: LabelNumbers | None) -> dict[str, Result]:
    """Return the results of a check of labels, by name."""
    results = {} if labels is None else labels.results
    return {f"Label check: {name}": result for name, result in results.items()}


def compute(table: Comparisons, options: StudyOptions) -> ChoiceAnswers:
    """Compute everything that the table gives."""
    design, covariate, level = without_cited(table), options.covariate, options.level
    groups = choose_groups(table, options)
    s = single(
        sensitivity(design, covariate, groups=next(iter(groups.values()), None), **options.chosen())
    )
    fit, lost, pairs = None, None, {}
    try:
        fit = fit_model(design, options, options.formula)
        pairs = without_order(fit, design, options, options.formula)
    except MleDoesNotExist as error:
        lost = error
    ratio, shares, plain_shares, worths = None, {}, {}, dict[str, Result]()
    if fit is not None:
        ratio = attempt_result(fit.effect_in_sds, covariate, level=level)
        if not fit.fitted_state.penalised:
            groupings = groups | further_groups(design, options)
            shares = shares_by_grouping(fit, groupings, level)
            plain = attempt_result(fit_model, design, options, None, order=False)
            if plain is not None:
                plain_shares = shares_by_grouping(plain, groupings, level, ", plain fit")
                worths["plain fit"] = plain.worth(level=level)
            worths[f"{held_equal(fit, options)} held equal"] = fit.worth(level=level)
    return ChoiceAnswers(
        design=design,
        options=options,
        groups=groups,
        s=replace(s, cautions=tuple(c for c in s.cautions if c.code not in in_methods(s))),
        rates=single(win_rates(design, covariate, level=level)),
        pooled=rates_over_comparisons(design, options),
        entropy=attempt_result(choice_entropy, design, level=level),
        cited=count_cited(table, list(groups), options),
        labels=None if options.labels is None else check_labels(options.labels, options),
        replies=replies_by(design, level),
        fit=fit,
        lost=lost,
        pairs=pairs,
        ratio=ratio,
        shares=shares,
        plain_shares=plain_shares,
        worths=worths,
        varied_s=sensitivity_variants(design, s, groups, options),
        varied_effect=None if fit is None else effect_variants(design, fit, groups, options),
    )


def held_equal(fit: BradleyTerryResult, options: StudyOptions) -> str:
    """Return what the fit of the page holds equal."""
    return " and ".join([options.covariate, *(["order"] if fit.design.order_known else [])])


def in_methods(s: Result) -> tuple[str, ...]:
    """Return the cautions of S whose substance stands in the methods: the baseline, and a corrected sampling error."""
    return ("SS305",) if lead_row(s).term == "S" else ("SS304", "SS305")


def rates_over_comparisons(design: Comparisons, options: StudyOptions) -> Result:
    """Return the win rates over comparisons, with the cautions of the rates of all items together."""
    rates = single(win_rates(design, options.covariate, weights="pooled", level=options.level))
    overall = pick_rows(rates.rows, item=False)
    about_all = share_cautions(design, cluster_factors(design, "pair"), overall)
    cautions = [c for c in rates.cautions if c.code not in OF_ITEMS]
    cautions += [c for c in about_all if c.code in OF_ITEMS]
    return replace(rates, cautions=tuple(cautions))


# questions


def questions(a: ChoiceAnswers) -> Iterator[Block | None]:
    """Yield the questions of the page in order."""
    fit, options = a.fit, a.options
    yield sensitivity_question(a)
    yield rates_question(a)
    if fit is None:
        yield missing_strengths(a)
    else:
        terms = held_equal(fit, options)
        yield effect_question(a, fit)
        yield strengths_question(
            fit,
            options,
            ITEM,
            [
                lead_sentence(fit, options),
                f"Ranks come from the model, which holds opponents, {terms} equal; win rates do not.",
            ],
        )
        yield from share_questions(fit, a.shares, a.plain_shares, a.worths, options)
    for group, result in a.cited.items():
        yield cited_question(result, group, a.design.n_ties)
    if a.labels is not None:
        yield labels_question(options.labels, a.labels, f"labels of {options.covariate}")
    yield from refusal_questions(a.design, options)
    for name, groups in a.groups.items():
        yield group_question(a.design, groups, name, options.level, "appendix")
    yield a.replies
    yield ask_result(
        "entropy",
        a.entropy,
        f"How undecided were choices between two {ITEM}s?",
        note=f"0 bits: the same {ITEM} is certain; 1 bit: both are as likely.",
        part="appendix",
    )
    if fit is not None:
        yield effects_question(fit, a.pairs, (options.covariate,), "appendix")
        yield clusters_question(a.design, options, options.formula, fit)
    left_out = any(c.code == "SS301" for c in a.design.cautions)
    lost = "Rows without a choice are not in the table of comparisons and so in no analysis."
    yield from variant_questions(
        a.varied_s, a.varied_effect, options.covariate, lost if left_out else ""
    )


def sensitivity_question(a: ChoiceAnswers) -> Block | None:
    """Ask how far choices were from following the covariate alone: S, its parts, and reference choosers."""
    s, row, covariate = a.s, lead_row(a.s), a.options.covariate
    parts = pick_rows(s.rows, None, kind=row.label("kind") or "")
    largest = max(parts[1:], key=lambda part: part.estimate or 0.0)
    plug_in = pick_rows(s.rows, None, kind="plug_in")
    return ask_rows(
        "sensitivity",
        f"How far were choices from following {covariate} alone?",
        s,
        parts,
        quantity=f"{kind_of_s(row)} S and its parts",
        names=["S", *(f"{part.label('part')} {covariate}" for part in parts[1:])],
        say=[
            ""
            if row.term == "S"
            else f"Sampling error inflated the plug-in S to {number(plug_in[0].estimate)}.",
            f"Comparisons at {largest.label('part')} {covariate} contributed most "
            f"({number(largest.estimate)}).",
        ],
        draw=interval_points(),
        tables={} if row.term == "S" else {"Plug-in S and its parts": plug_in},
        more=[choosers_table(s)],
        note="100 times the mean squared distance of win rates from 1, .50 and 0 at higher, equal and "
        f"lower {covariate}.",
    )


def rates_question(a: ChoiceAnswers) -> Block | None:
    """Ask how often items won at higher, equal and lower values of the covariate."""
    covariate = a.options.covariate
    items = a.design.items if a.fit is None else [row.term for row in strongest(a.fit)]
    order = list(items)[:MOST_DRAWN]
    of_items = [row for row in a.rates.rows if row.label("item") in order]
    quantity = f"win rates of {ITEM}s by {covariate}, means over opponents"
    return ask_rows(
        "win-rates",
        f"How often did {ITEM}s win by {covariate}?",
        a.rates,
        a.rates.rows,
        quantity=quantity,
        say=[higher_sentence(a.rates, covariate)],
        draw=lambda *_: partial(
            dumbbell, of_items, targets=TARGETS, order=order, xlabel="win rate"
        ),
        table=grid_table(
            a.rates.rows, quantity, "item", "condition", cell="interval", none=f"mean over {ITEM}s"
        ),
        tables={
            "Win rates over all comparisons, each counted once": pick_rows(
                a.pooled.rows, item=False
            )
        },
        results=[a.pooled],
        note=f"Dotted lines: rates if {covariate} alone decided (1, .50, 0). Means over {ITEM}s differ "
        f"from the rate over comparisons. {design_effect_note(of_items)}",
    )


def higher_sentence(rates: Result, covariate: str) -> str:
    """Return how many items won more often at higher than at lower values of the covariate."""
    compared = more = 0
    for rows in rows_by(pick_rows(rates.rows, item=True), "item").values():
        rate = {row.label("condition"): row.estimate for row in rows}
        higher, lower = rate.get("higher"), rate.get("lower")
        if higher is not None and lower is not None:
            compared += 1
            more += higher > lower
    return f"{count(more)} of {count(compared, ITEM)} won more often at higher than at lower {covariate}."


def effect_question(a: ChoiceAnswers, fit: BradleyTerryResult) -> Block | None:
    """Ask how large the effect of the covariate was beside the preferences of items, in one model."""
    covariate = a.options.covariate
    step = replace(fit.row(covariate, group="covariate"), term=f"one step of {covariate}")
    results = [] if a.ratio is None else [a.ratio]
    texts = [f"{ITEM.capitalize()} strengths varied no more than their sampling error."]
    rows, drawn = [step], [step]
    if a.ratio is not None:
        _, spread, chance = a.ratio.rows
        rows, drawn = (
            [step, *a.ratio.rows],
            [step, replace(spread, term=f"1 SD of {ITEM} strengths")],
        )
        texts = [
            a.ratio.sentence(),
            f"A {ITEM} 1 SD weaker but one step higher in {covariate} had win probability "
            f"{sentences.estimate_text(chance)}.",
        ]
    return ask_rows(
        "urgency-against-roles",
        f"How large was the effect of {covariate} beside {ITEM} preferences?",
        fit,
        rows,
        quantity=f"effect of {covariate} and spread of the {ITEM}s",
        say=texts,
        draw=lambda *_: partial(forest, drawn, xlabel="log-odds", sort=False),
        results=results,
        note=f"One model of strengths and {covariate}. The SD excludes sampling error.",
    )


def reason_without_strengths(lost: MleDoesNotExist | None) -> str:
    """Return why no finite strengths exist."""
    return "" if lost is None else lost.reason.split(": ", 1)[-1]


def lacking_sentence(lost: MleDoesNotExist | None) -> str:
    """Return that the model has no estimate, and why."""
    why = f"no finite estimate exists; {reason_without_strengths(lost)}"
    return sentences.no_number("the Bradley-Terry model of these choices", why)


def way_out(lost: MleDoesNotExist | None) -> str:
    """Return what gives strengths all the same."""
    return PRIOR if lost is not None and lost.separate else FIRTH


def missing_strengths(a: ChoiceAnswers) -> Block:
    """Return the question of the strengths, which have no estimate."""
    return Block(
        id="strengths",
        question=f"Which {ITEM} was preferred at equal {a.options.covariate}?",
        sentences=(
            lacking_sentence(a.lost),
            "Strengths, worths (RPI) and preference shares need that model.",
            way_out(a.lost),
        ),
    )


# the answer


def verdict_on_covariate(s: Result, pooled: Result, covariate: str) -> Conclusion:
    """Return whether the covariate decides, influences or does not show in the choices, and how often its side wins."""
    limit, high = lead_row(s).conf_high, higher_rate(pooled)
    share, error = high.estimate, high.std_error or 0.0
    if share in (0.0, 1.0):
        against = "" if share else "the reverse of "
        return verdict_of(
            f"choices follow {against}{covariate} wherever the two sides differ in it",
            certainty="interval",
        )
    size = "" if share is None else f": the side with more of it wins {of_ten(share)} times"
    if limit is None or limit >= coin_value(s):
        return verdict_of(
            f"the data do not show that choices follow {covariate} more than coin flips do",
            size,
            certainty="open",
        )
    far = share is not None and error > 0 and abs(share - 0.5) > FAR * error
    sure: Certainty = "clear" if far else "shown"
    if limit < 1:
        return verdict_of(f"{covariate} decides almost every choice", size, certainty=sure)
    return verdict_of(
        f"the data show that {covariate} influences choices but does not decide them",
        size,
        certainty=sure,
    )


def sensitivity_answer(s: Result, covariate: str) -> Iterator[str]:
    """Yield S beside coin flips, and that all of it came from equals where this is so."""
    row, plug_in = lead_row(s), s.row("S").estimate
    quantity = capital(f"{kind_of_s(row)} S (0: {covariate} alone decides)")
    yield sentences.reference_sentence(quantity, row, coin_value(s), "coin flips")
    if plug_in and plug_in == s.row("S_equal").estimate:
        yield f"All of S came from comparisons of equal {covariate}, in which some {ITEM}s were preferred."


def answer(a: ChoiceAnswers) -> Iterator[str]:
    """Yield the win rate at the higher covariate, S beside coin flips, the effect of a step, and the extreme items."""
    covariate = a.options.covariate
    yield a.pooled.sentence()
    yield from sensitivity_answer(a.s, covariate)
    if a.fit is None:
        yield lacking_sentence(a.lost)
        return
    yield effect_sentence(a.fit.row(covariate, group="covariate"))
    yield f"At equal {covariate}, {' '.join(rank_answer(a.fit, a.options))}"


# cautions, data and methods


def order_cautions_of(a: ChoiceAnswers) -> Iterator[Caution]:
    """Yield the cautions about the order of presentation, which win rates and S are not adjusted for."""
    covariate, imbalance = a.options.covariate, order_imbalance(a.design, a.options.covariate)
    uneven = imbalance > MOST_IMBALANCE
    affects = "win rates and S, which are not adjusted for order"
    rows = a.fit.rows if a.fit is not None else ()
    for row in (row for row in rows if row.group == "order" and sentences.is_significant(row)):
        first = "first" if (row.estimate or 0.0) > 0 else "second"
        effect = sentences.estimate_text(row)
        fix = f"balance or randomise the order within every {STORY[0]}"
        if not uneven:
            fix = f"no action for averages, as orders are balanced over {covariate}; adjust single pairs for order"
        detail = f"the {ITEM} shown {first} was preferred (order effect {effect}, log-odds)"
        yield caution("SS107", detail, affects=affects, fix=fix)
    if a.design.order_known and uneven:
        detail = (
            f"the share of rows that show the {ITEM} with the higher {covariate} first differs from "
            f"one half by {percent(imbalance)}"
        )
        fix = f"randomise the order independently of {covariate}"
        yield caution("SS108", detail, affects="win rates and S", fix=fix)


def order_imbalance(design: Comparisons, covariate: str) -> float:
    """Return how far the share of unequal rows that show the higher side first is from one half."""
    more = steps(design, covariate) * design.first
    unequal = design.count * (more != 0)
    return float(abs((unequal * (more > 0)).sum() / max(unequal.sum(), 1) - 0.5))


def covariate_table(design: Comparisons, covariate: str) -> PageTable:
    """Count rows and wins by the covariate of both sides."""
    sides = design.covariates[covariate]
    values, _, place = unique_rows(np.column_stack([sides.a, sides.b]))
    n = np.bincount(place.ravel(), design.count)
    won = np.where(design.outcome == TIED, 0.5, design.outcome == A_WON) * design.count
    shares = np.bincount(place.ravel(), won) / n
    lines = zip(values.tolist(), n.tolist(), shares.tolist(), strict=True)
    return PageTable(
        f"Comparisons by {covariate} of both {ITEM}s",
        (f"{capital(covariate)} of a", f"{capital(covariate)} of b", "Rows", "a chosen"),
        tuple((f"{a:g}", f"{b:g}", int(rows), percent(share)) for (a, b), rows, share in lines),
    )


def balance_table(design: Comparisons, covariate: str) -> PageTable:
    """Count who was shown first (or stood in which column) by which side has the higher covariate."""
    first, second = presented(design)
    difference = steps(design, covariate) * design.first
    labels = {
        f"more {covariate}: {first}": 1,
        f"equal {covariate}": 0,
        f"more {covariate}: {second}": -1,
    }
    parts = [(label, design.count[difference == sign].sum()) for label, sign in labels.items()]
    what = "order of presentation" if design.order_known else "column of the items"
    return counts_table(
        f"Balance of the {what}", ("Rows with", "Rows", "Share"), parts, design.n_rows
    )


def methods(a: ChoiceAnswers) -> Iterator[str]:
    """Yield the methods, the brief paragraph first."""
    covariate, options = a.options.covariate, a.options
    less = ", less sampling error" if kind_of_s(lead_row(a.s)) == "bias-corrected" else ""
    yield (
        f"The win rate counted each comparison once. S was 100 times the summed mean squared distance of {ITEM}s' "
        f"win rates from 1, .50 and 0 at higher, equal and lower {covariate}{less}. Its interval: {a.s.inference}."
    )
    bias = "The plug-in S is inflated where replies to the same pair differ; no bias-corrected value is known."
    if a.design.replies is None:
        bias = (
            "Sampling error inflates the plug-in S; the bias-corrected S subtracts the sampling variance of the "
            "rates, and is the S of this page. Reference choosers have the S of their win probabilities, without "
            "sampling error."
        )
    yield (
        f"Win rates of {ITEM}s are means over opponents of a {ITEM}'s share of wins. {bias} Bootstraps resample pairs "
        f"of {ITEM}s ({options.resamples:,} resamples, seed {options.seed}). S = {PUBLISHED_BASELINE:g} has been "
        "published as the random baseline of this index. No random chooser has that value on this design (table of "
        "reference choosers)."
    )
    if a.fit is not None:
        yield from model_methods(a.fit, options)
    if a.shares:
        yield SHARE_METHODS
    yield from probability_methods(a.design)


def diagnostics(a: ChoiceAnswers) -> tuple[Diagnostic, ...]:
    """Return the checks of the data and the model."""
    if a.fit is not None:
        return fit_diagnostics(a.fit, a.design)
    reason = f"No finite strengths: {reason_without_strengths(a.lost)}."
    return Diagnostic(EXISTS, reason, way_out(a.lost)), evenness_check(a.design)


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Analyse the effects of the covariate and of preferences of items on choices."""
    design = design.whole()
    check_single(design)
    a = compute(design, options)
    simulated = [caution("SS401", options.simulated, affects="everything on this page")]
    replies = () if a.replies is None else a.replies.results
    more = clusters_to_halve(lead_row(a.s))
    return page_of(
        "role-conflict",
        f"Does {options.covariate} decide, or the {ITEM}?",
        a.design,
        options,
        describe=describe(a.design, a.fit),
        verdict=verdict_on_covariate(a.s, a.pooled, options.covariate),
        answer=answer(a),
        leading=a.leading,
        blocks=questions(a),
        uses=USES,
        cautions=[
            *([tuple(simulated)] if options.simulated else []),
            change_cautions(a.pairs),
            tuple(order_cautions_of(a)),
            *(result.cautions for result in replies),
            unmatched_items(a.design, options),
        ],
        data=[
            covariate_table(a.design, options.covariate),
            balance_table(a.design, options.covariate),
            order_table(a.design),
        ],
        diagnostics=diagnostics(a),
        methods=tuple(methods(a)),
        references=("mogstad2024", "firth2004", "steegen2016")
        if a.fit is not None
        else ("ford1957", "konis2007", "firth1993", "steegen2016"),
        planning=pairs_to_halve(more, a.design, ITEM, "S", drawn=True) if more else (),
        opening="win-rates",
    )


def levels(design: Comparisons, options: StudyOptions) -> Outcome:
    """Compare models (or prompts) on the same pairs of items."""
    outcome = replace(compare.run(design, options), study="role-conflict")
    if options.labels is None:
        return outcome
    labels = check_labels(options.labels, options)
    results = label_checks(labels)
    block = labels_question(options.labels, labels, f"labels of {options.covariate}")
    verified = verify_named(results) if options.verify else {}
    references = [*outcome.references, *literature([*results.values()])]
    return replace(
        outcome,
        blocks=(*outcome.blocks, *([] if block is None else [block])),
        verifications=combine_verifications(outcome.verifications, verified),
        references=tuple(dict.fromkeys(references)),
    )
