"""Study role-conflict: does a covariate (urgency) decide choices between two items (roles), or the item?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from socialstats import sentences
from socialstats.choices.bradley_terry import BradleyTerryResult, effect_sentence
from socialstats.choices.choice_entropy import choice_entropy
from socialstats.choices.sensitivity import kind_of_s, lead_row, sensitivity
from socialstats.choices.win_rates import win_rates
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.comparisons_data import without_cited
from socialstats.errors import Caution, MleDoesNotExist, caution
from socialstats.figures import dumbbell, forest
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Result, combine_verifications
from socialstats.studies.asking import ask_result, ask_rows, attempt_result, page_of
from socialstats.studies.compare import study as compare
from socialstats.studies.comparisons import (
    Pairs,
    change_cautions,
    choose_groups,
    choosers_table,
    clusters_question,
    describe,
    effects_question,
    fit_diagnostics,
    fit_model,
    further_groups,
    group_question,
    lead_sentence,
    model_methods,
    order_question,
    order_table,
    presented,
    rank_answer,
    rank_results,
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
from socialstats.studies.page import Block, Outcome, PageTable, StudyOptions, check_single
from socialstats.studies.role_conflict.cited import cited_question, count_cited
from socialstats.studies.role_conflict.declaration import ITEM, STORY, TARGETS
from socialstats.studies.role_conflict.labels import check_labels, labels_question
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
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import pick_rows, rows_by
from socialstats.studies.row_sentences import design_effect_note
from socialstats.studies.row_tables import grid_table
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
MOST_DRAWN = 200  # items of a figure; the table has all
USES = (
    *("seed", "resamples", "level", "ties", "penalty", "prior", "covariate", "group"),
    *("value_levels", "verify"),
)
WITH_FIT = ("mogstad2024", "firth2004", "steegen2016")
WITHOUT_FIT = ("ford1957", "konis2007", "firth1993", "steegen2016")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceAnswers:
    """What the questions share: a table, and the leading results.

    Attributes
    ----------
    design : Comparisons
    options : StudyOptions
    groups : mapping of grouping to mapping of item to group
        Groupings of the items that the table has.
    s, rates, pooled : Result
        S; win rates by condition of each item, and over all comparisons.
    fit : BradleyTerryResult or None
        None where no finite strengths exist.
    ranks : tuple of Result
        Ranks of the items, those of the answer first.
    pairs : mapping
        The fit beside the one without its order effect.
    why, cure : str
        Why no finite strengths exist, and what gives strengths all the same.
    """

    design: Comparisons
    options: StudyOptions
    groups: Groupings
    s: Result
    rates: Result
    pooled: Result
    fit: BradleyTerryResult | None
    ranks: tuple[Result, ...] = ()
    pairs: Pairs = field(default_factory=dict)
    why: str = ""
    cure: str = ""

    @property
    def covariate(self) -> str:
        """What should decide."""
        return self.options.covariate

    @property
    def equal_terms(self) -> str:
        """What the fit of the page holds equal."""
        return " and ".join([self.covariate, *(["order"] if self.design.order_known else [])])


def compute(table: Comparisons, options: StudyOptions) -> ChoiceAnswers:
    """Compute the leading results."""
    design, covariate, level = without_cited(table), options.covariate, options.level
    groups = choose_groups(table, options)
    first = next(iter(groups.values()), None)
    s = single(sensitivity(design, covariate, groups=first, **options.chosen()))
    # the methods say that sampling error is corrected, and what the baseline is
    in_methods = ("SS305",) if lead_row(s).term == "S" else ("SS304", "SS305")
    cautions = [c for c in s.cautions if c.code not in in_methods]
    shared: dict[str, Any] = {
        "design": design,
        "options": options,
        "groups": groups,
        "s": replace(s, cautions=tuple(cautions)),
        "rates": single(win_rates(design, covariate, level=level)),
        "pooled": single(win_rates(design, covariate, weights="pooled", level=level)),
    }
    try:
        fit = fit_model(design, options, options.formula)
    except MleDoesNotExist as error:
        why = error.reason.split(": ", 1)[-1]
        cure = PRIOR if error.separate else FIRTH
        return ChoiceAnswers(**shared, fit=None, why=why, cure=cure)
    ranks = rank_results(fit, options)
    return ChoiceAnswers(**shared, fit=fit, ranks=ranks, pairs=without_order({"": fit}))


# questions


def sensitivity_question(a: ChoiceAnswers) -> Block | None:
    """Ask how far choices were from following the covariate alone: S, its parts, and reference choosers."""
    row, covariate = lead_row(a.s), a.covariate
    parts = pick_rows(a.s.rows, None, kind=row.label("kind") or "")
    plug_in = pick_rows(a.s.rows, None, kind="plug_in")
    largest = max(parts[1:], key=lambda part: part.estimate or 0.0)
    say = [
        f"Comparisons at {largest.label('part')} {covariate} contributed most "
        f"({number(largest.estimate)})."
    ]
    tables = {}
    if row.term != "S":
        tables = {"Plug-in S and its parts": plug_in}
        say.append(f"Sampling error inflated the plug-in S to {number(plug_in[0].estimate)}.")
    return ask_rows(
        "sensitivity",
        f"How far were choices from following {covariate} alone?",
        a.s,
        parts,
        quantity=f"{kind_of_s(row)} S and its parts",
        names=["S", *(f"{part.label('part')} {covariate}" for part in parts[1:])],
        say=say,
        draw=interval_points(),
        tables=tables,
        more=[choosers_table(a.s)],
        note="100 times the mean squared distance of win rates from 1, .50 and 0 at higher, equal and "
        f"lower {covariate}.",
    )


def rates_question(a: ChoiceAnswers) -> Block | None:
    """Ask how often items won at higher, equal and lower values of the covariate."""
    covariate, rows = a.covariate, a.rates.rows
    order = list(a.design.items) if a.fit is None else [row.term for row in strongest(a.fit)]
    of_items = [row for row in rows if row.label("item") in order[:MOST_DRAWN]]
    quantity = f"win rates of {ITEM}s by {covariate}, means over opponents"
    overall = pick_rows(a.pooled.rows, item=False)
    draw = partial(dumbbell, of_items, targets=TARGETS, order=order[:MOST_DRAWN], xlabel="win rate")
    return ask_rows(
        "win-rates",
        f"How often did {ITEM}s win by {covariate}?",
        a.rates,
        rows,
        quantity=quantity,
        say=[higher_sentence(a.rates, covariate)],
        draw=lambda *_: draw,
        table=grid_table(
            rows, quantity, "item", "condition", cell="interval", none=f"mean over {ITEM}s"
        ),
        tables={"Win rates over all comparisons, each counted once": overall},
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


def model_questions(a: ChoiceAnswers, fit: BradleyTerryResult) -> Iterator[Block | None]:
    """Yield the questions on strengths: beside the covariate, of each item, and of groups of items."""
    options = a.options
    ratio = attempt_result(fit.effect_in_sds, a.covariate)
    yield effect_question(fit, ratio, a.covariate)
    how = f"Ranks come from the model, which holds opponents, {a.equal_terms} equal; win rates do not."
    varied = f"{ITEM.capitalize()} strengths varied no more than their sampling error."
    say = [lead_sentence(fit, a.ranks[0]), how, "" if ratio else varied]
    yield strengths_question(fit, a.ranks, ITEM, say)
    if fit.fitted_state.penalised:
        return
    groupings = {**a.groups, **further_groups(a.design, options)}
    plain = attempt_result(fit_model, a.design, options, None, order=False)
    plain_shares = shares_by_grouping(plain, groupings, ", plain fit") if plain else {}
    worths = {"plain fit": plain.worth()} if plain else {}
    worths[f"{a.equal_terms} held equal"] = fit.worth()
    yield from share_questions(
        shares_by_grouping(fit, groupings), plain_shares, worths, groupings, a.equal_terms
    )


def effect_question(fit: BradleyTerryResult, ratio: Result | None, covariate: str) -> Block | None:
    """Ask how large the effect of the covariate was beside the preferences of items, in one model."""
    if ratio is None:
        return None
    step = replace(fit.row(covariate, group="covariate"), term=f"one step of {covariate}")
    spread = replace(ratio.rows[1], term=f"1 SD of {ITEM} strengths")
    return ask_rows(
        "urgency-against-roles",
        f"How large was the effect of {covariate} beside {ITEM} preferences?",
        ratio,
        ratio.rows,
        quantity=f"effect of {covariate} and spread of the {ITEM}s",
        say=[ratio.sentence()],
        draw=lambda *_: partial(forest, [step, spread], xlabel="log-odds", sort=False),
        note=f"One model of strengths and {covariate}. The SD excludes sampling error.",
    )


def missing_strengths(a: ChoiceAnswers) -> Block:
    """Return the question of the strengths, which have no estimate."""
    return Block(
        id="strengths",
        question=f"Which {ITEM} was preferred at equal {a.covariate}?",
        sentences=(
            lacking_sentence(a),
            "Strengths, worths (RPI) and preference shares need that model.",
            a.cure,
        ),
    )


def lacking_sentence(a: ChoiceAnswers) -> str:
    """Return that the model has no estimate, and why."""
    why = f"no finite estimate exists; {a.why}"
    return sentences.no_number("the Bradley-Terry model of these choices", why)


def questions(
    a: ChoiceAnswers, cited: Mapping[str, Result], labels: Mapping[str, Result]
) -> Iterator[Block | None]:
    """Yield the questions of the page in order."""
    fit, design, options = a.fit, a.design, a.options
    yield sensitivity_question(a)
    yield rates_question(a)
    if fit is None:
        yield missing_strengths(a)
    else:
        yield from model_questions(a, fit)
    for group, result in cited.items():
        yield cited_question(result, group, design.n_ties)
    if options.labels is not None:
        yield labels_question(options.labels, labels, f"labels of {a.covariate}")
    yield from refusal_questions(design, options)
    for name, groups in a.groups.items():
        yield group_question(design, groups, name, options.level, "appendix")
    yield replies_by(design, options.level)
    yield ask_result(
        "entropy",
        attempt_result(choice_entropy, design, level=options.level),
        f"How undecided were choices between two {ITEM}s?",
        note=f"0 bits: the same {ITEM} is certain; 1 bit: both are as likely.",
        part="appendix",
    )
    about_effect = None
    if fit is not None:
        yield effects_question(fit, (a.covariate,), "appendix")
        yield order_question(a.pairs)
        yield clusters_question(design, options, options.formula, fit)
        about_effect = effect_variants(design, fit, a.groups, options)
    about_s = sensitivity_variants(design, a.s, a.groups, options)
    left_out = any(c.code == "SS301" for c in design.cautions)
    lost = "Rows without a choice are not in the table of comparisons and so in no analysis."
    yield from variant_questions(about_s, about_effect, a.covariate, lost * left_out)


# the answer


def verdict_on_covariate(s: Result, pooled: Result, covariate: str) -> Conclusion:
    """Return whether the covariate decides, influences or does not show in the choices, and how often its side wins."""
    limit, high = lead_row(s).conf_high, higher_rate(pooled)
    share, error = high.estimate, high.std_error or 0.0
    if share in (0.0, 1.0):
        against = "" if share else "the reverse of "
        text = f"choices follow {against}{covariate} wherever the two sides differ in it"
        return verdict_of(text, certainty="interval")
    size = "" if share is None else f": the side with more of it wins {of_ten(share)} times"
    if limit is None or limit >= coin_value(s):
        text = f"the data do not show that choices follow {covariate} more than coin flips do"
        return verdict_of(text, size, certainty="open")
    far = share is not None and error > 0 and abs(share - 0.5) > FAR * error
    sure: Certainty = "clear" if far else "shown"
    shown = "clearly show" if far else "show"
    text = f"the data {shown} that {covariate} influences choices but does not decide them"
    if limit < 1:
        text = f"{covariate} decides almost every choice"
    return replace(verdict_of(text, size, certainty=sure), claim="an influence")


def distance_from(covariate: str) -> str:
    """Return what S is, in words."""
    return f"the distance of choices from {covariate} alone"


def pairs_to_collect(a: ChoiceAnswers) -> tuple[str, ...]:
    """Return how many more pairs of items would make the interval of S half as long."""
    more, quantity = clusters_to_halve(lead_row(a.s)), distance_from(a.covariate)
    return pairs_to_halve(more, a.design, ITEM, quantity, drawn=True) if more else ()


def sensitivity_answer(s: Result, covariate: str) -> Iterator[str]:
    """Yield S beside coin flips, and that all of it came from equals where this is so."""
    row, plug_in = lead_row(s), s.row("S").estimate
    quantity = f"{capital(distance_from(covariate))} ({kind_of_s(row)} S; 0 if it decides)"
    yield sentences.reference_sentence(quantity, row, coin_value(s), "coin flips")
    if plug_in and plug_in == s.row("S_equal").estimate:
        yield f"All of S came from comparisons of equal {covariate}, in which some {ITEM}s were preferred."


def answer(a: ChoiceAnswers) -> Iterator[str]:
    """Yield the win rate at the higher covariate, S beside coin flips, the effect of a step, and the extreme items."""
    yield a.pooled.sentence()
    yield from sensitivity_answer(a.s, a.covariate)
    if a.fit is None:
        yield lacking_sentence(a)
        return
    yield effect_sentence(a.fit.row(a.covariate, group="covariate"))
    yield f"At equal {a.covariate}, {' '.join(rank_answer(a.fit, a.ranks[0]))}"


# cautions, data and methods


def order_cautions_of(a: ChoiceAnswers) -> Iterator[Caution]:
    """Yield the cautions about the order of presentation, which win rates and S are not adjusted for."""
    covariate = a.covariate
    affects = "win rates and S, which are not adjusted for order"
    more = steps(a.design, covariate) * a.design.first
    unequal = a.design.count * (more != 0)
    imbalance = abs((unequal * (more > 0)).sum() / max(unequal.sum(), 1) - 0.5)
    uneven = imbalance > MOST_IMBALANCE
    order = [row for row in (a.fit.rows if a.fit else ()) if row.group == "order"]
    for row in filter(sentences.is_significant, order):
        first = "first" if (row.estimate or 0.0) > 0 else "second"
        effect = sentences.estimate_text(row)
        detail = f"the {ITEM} shown {first} was preferred (order effect {effect}, log-odds)"
        fix = f"no action for averages, as orders are balanced over {covariate}; adjust single pairs for order"
        if uneven:
            fix = f"balance or randomise the order within every {STORY[0]}"
        yield caution("SS107", detail, affects=affects, fix=fix, basis=first)
    if a.design.order_known and uneven:
        detail = (
            f"the share of rows that show the {ITEM} with the higher {covariate} first differs from "
            f"one half by {percent(imbalance)}"
        )
        fix = f"randomise the order independently of {covariate}"
        yield caution("SS108", detail, affects=affects, fix=fix)


def balance_table(design: Comparisons, covariate: str) -> PageTable:
    """Count who was shown first (or stood in which column) by which side has the higher covariate."""
    first, second = presented(design)
    more = steps(design, covariate) * design.first
    signs = {
        f"more {covariate}: {first}": 1,
        f"equal {covariate}": 0,
        f"more {covariate}: {second}": -1,
    }
    parts = [(label, design.count[more == sign].sum()) for label, sign in signs.items()]
    what = "order of presentation" if design.order_known else "column of the items"
    header = ("Rows with", "Rows", "Share")
    return counts_table(f"Balance of the {what}", header, parts, design.n_rows)


def methods(a: ChoiceAnswers) -> Iterator[str]:
    """Yield the methods, the brief paragraph first."""
    options, corrected = a.options, kind_of_s(lead_row(a.s)) == "bias-corrected"
    less = ", less sampling error" * corrected
    yield (
        f"The win rate counted each comparison once. S was 100 times the summed mean squared distance of {ITEM}s' "
        f"win rates from 1, .50 and 0 at higher, equal and lower {a.covariate}{less}. Its interval: {a.s.inference}."
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
        f"of {ITEM}s ({options.resamples:,} resamples, seed {options.seed}). S = 100 has been published as the random "
        "baseline of this index. No random chooser has that value on this design (table of reference choosers)."
    )
    if a.fit is not None:
        yield from model_methods(a.fit, options)
        yield SHARE_METHODS
    yield from probability_methods(a.design)


def run(design: Comparisons, options: StudyOptions) -> Outcome:
    """Analyse the effects of the covariate and of preferences of items on choices."""
    table = design.whole()
    check_single(table)
    a = compute(table, options)
    fit = a.fit
    cited = count_cited(table, list(a.groups), options)
    labels = label_results(options)
    blocks = list(questions(a, cited, labels))
    leading = {"Sensitivity S": a.s, "Win rates": a.rates}
    leading |= {} if fit is None else {"Strengths and effects": fit}
    leading |= {f"Cited labels, {group}": result for group, result in cited.items()}
    results = {block.id: block.results for block in blocks if block}
    simulated = [caution("SS401", options.simulated, affects="everything on this page")]
    return page_of(
        "role-conflict",
        f"Does {a.covariate} decide, or the {ITEM}?",
        a.design,
        options,
        describe=describe(a.design, fit),
        verdict=verdict_on_covariate(a.s, a.pooled, a.covariate),
        answer=answer(a),
        leading=leading | labels,
        blocks=blocks,
        uses=USES,
        cautions=[
            tuple(simulated if options.simulated else ()),
            change_cautions(a.pairs),
            tuple(order_cautions_of(a)),
            *(
                result.cautions
                for name in ("replies", "shares")
                for result in results.get(name, ())
            ),
            unmatched_items(a.design, options),
        ],
        data=[
            balance_table(a.design, a.covariate),
            order_table(a.design),
        ],
        diagnostics=fit_diagnostics(fit, a.design, a.why, a.cure),
        methods=tuple(methods(a)),
        references=WITHOUT_FIT if fit is None else WITH_FIT,
        planning=pairs_to_collect(a),
        opening="win-rates",
    )


def label_results(options: StudyOptions) -> dict[str, Result]:
    """Return the results of a check of labels, by name; nothing without one."""
    results = {} if options.labels is None else check_labels(options.labels, options)
    return {f"Label check: {name}": result for name, result in results.items()}


def levels(design: Comparisons, options: StudyOptions) -> Outcome:
    """Compare models (or prompts) on the same pairs of items."""
    outcome = replace(compare.run(design, options), study="role-conflict")
    if options.labels is None:
        return outcome
    labels = label_results(options)
    block = labels_question(options.labels, labels, f"labels of {options.covariate}")
    verified = verify_named(labels) if options.verify else {}
    references = [*outcome.references, *literature([*labels.values()])]
    return replace(
        outcome,
        blocks=(*outcome.blocks, *([] if block is None else [block])),
        verifications=combine_verifications(outcome.verifications, verified),
        references=tuple(dict.fromkeys(references)),
    )
