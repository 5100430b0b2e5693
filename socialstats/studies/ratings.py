"""Study of ratings: how far do raters agree?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.agreement.gwet_ac import gwet_ac
from socialstats.agreement.kappa import pair_names, too_many_pairs_reason
from socialstats.agreement.kappa_quantiles import kappa_quantiles, kappas_of
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.percent_agreement import percent_agreement
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.custom.multiverse import Variant, distinct, multiverse
from socialstats.designs.paired import Paired
from socialstats.designs.parts import MISSING, OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.figures import forest, rater_heat, square
from socialstats.figures.forest import MOST_ROWS
from socialstats.figures.heat import MOST_GROUPS
from socialstats.figures.squares import MOST_LEVELS
from socialstats.inference.halving import clusters_to_halve
from socialstats.matching import match_keys
from socialstats.paired.paired_difference import paired_difference
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.progress import say
from socialstats.results import Result, Row
from socialstats.scales.judge_agreement import (
    DIFFERENCE,
    agreement_rows,
    judge_agreement,
    judge_sentence,
)
from socialstats.scales.judged_units import people_and_judges
from socialstats.scales.mean_ratings import mean_ratings
from socialstats.scales.measures import has_rating, unit_shares
from socialstats.scales.ratings_difference import with_matched_groups
from socialstats.studies.estimates import (
    cluster_ways,
    cluster_words,
    counts_table,
    ending,
    extremes,
    rows_table,
    single,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Way,
    dependence_block,
    multiverse_block,
    other_analyses,
    with_design_effect,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    Study,
    StudyOptions,
    check_single,
    order_cautions,
)
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.verdicts import (
    LABEL,
    Certainty,
    Conclusion,
    certainty_of,
    data_show,
    is_shown,
    of_ten,
    verdict_of,
)
from socialstats.text import (
    Shown,
    as_words,
    capital,
    count,
    listing,
    number,
    percent,
    percent_of,
    quoted,
    shorten,
    with_article,
)

PAIRS_OF_RATERS = "pairs of raters"
MOST_LISTED = 200  # raters
TOGETHER = ("mean", "pooled", "all pairs")


def coefficients_block(results: Mapping[str, Result]) -> Block:
    """Show the coefficients side by side; they define agreement by chance differently."""
    rows = [replace(result.rows[0], term=name) for name, result in results.items()]
    lead = next(iter(results.values()))
    means = {
        name: f" (mean of {count(math.comb(result.counts['raters'], 2), 'pair')} of raters, weighted equally"
        + constant_pairs(result)
        + ")"
        for name, result in results.items()
        if result.rows[0].term == "mean"
    }
    said = [
        sentences.no_number(row.term, row.undefined or "no estimate")
        if row.estimate is None
        else f"{row.term}{means.get(row.term, '')} was {sentences.estimate_text(row)}."
        for row in rows
    ]
    return Block(
        id="agreement",
        question="How well did the raters agree?",
        sentences=tuple(said),
        draw=partial(
            forest,
            rows,
            sort=False,
            xlabel="agreement: 1 = perfect, 0 = chance (percent agreement: 0 = none)",
        ),
        figure_title="Coefficients of agreement",
        caption=f"Points and bars: estimates and {percent_of(lead.settings['level'])} CIs. {sizes(lead)}. "
        "Percent agreement is not corrected for chance, so it is not comparable with the others.",
        tables=(
            rows_table(
                rows, "Coefficients of all units and raters", term="Coefficient", units=True
            ),
        ),
        results=tuple(results.values()),
    )


def constant_pairs(kappa: Result) -> str:
    """Return how many pairs of raters have a kappa of 0 whatever they say, because one gave a single level."""
    held = sum(
        row.group is None and row.estimate == 0 and row.std_error is None for row in kappa.rows
    )
    return f"; {count(held)} of them 0, as one rater gave one level only" if held else ""


def sizes(result: Result) -> str:
    """Return what a caption says of the sample: ``n = 60 units, 3 raters, 12 clusters of story``."""
    n = result.counts
    named = [count(n[f"{what}s"], what) for what in ("unit", "rater") if f"{what}s" in n]
    return ", ".join([f"n = {named[0]}", *named[1:]])


def pairs_block(design: Ratings, kappa: Result, percents: Result) -> Block | None:
    """Return the heat map over pairs of raters, with tests adjusted over the pairs; None for two raters."""
    pairs = tuple(combinations(design.raters, 2))
    known, shares = (
        [r for r in one.rows if r.group is None and r.term not in TOGETHER]
        for one in (kappa, percents)
    )
    if len(design.raters) < 3 or len(known) != len(pairs):
        return None
    rows, adjusted = adjust_family_by_holm(known, PAIRS_OF_RATERS)
    few = len(design.raters) <= MOST_GROUPS
    held = [r for r in rows if r.estimate is not None and r.undefined is None]
    flat = [
        r for r in rows if r.estimate is not None and r.undefined is not None
    ]  # 0 whatever the other rater said
    enough = [r for r in held if (r.n or 0.0) >= FEWEST_UNITS] or held
    told = f" with at least {FEWEST_UNITS} common units" if len(enough) < len(held) else ""
    said = [f"Kappa is undefined for all {count(len(pairs), 'pair')} of raters."]
    if held:
        low, high = (
            f"{quoted([r.term for r in enough if r.estimate == end.estimate], 3)}, {sentences.estimate_text(end)}"
            for end in extremes(enough)
        )
        compared = count(len(enough), "pair") + " whose raters both varied" * bool(
            flat and not told
        )
        said = [
            f"Of {compared}{'' if flat and not told else ' of raters'}{told}, agreement was highest for {high}.",
            *([f"It was lowest for {low}."] if len(enough) > 1 else []),
        ]
        if flat:
            said.append(
                f"Kappa says nothing of {count(len(flat), 'other pair')}: {flat[0].undefined}."
            )
        apart = [
            r.term
            for r in known
            if sentences.with_p(r)
            and r.conf_low is not None
            and sentences.reliable(r) != sentences.is_significant(replace(r, p_adjusted=None))
        ]
        if apart:
            said.append(
                f"CI and unadjusted test disagree for {quoted(apart, 3)}: they are of different methods."
            )
    by_pair = [(one, other, row) for (one, other), row in zip(pairs, rows, strict=True)]
    return Block(
        id="pairs",
        question="Which raters agreed with each other?",
        sentences=tuple(said),
        draw=partial(rater_heat, by_pair)
        if few
        else partial(forest, [*held, *flat][:MOST_LISTED], xlabel="kappa"),
        figure_title=f"{kappa.title} of each pair of raters",
        caption=(
            "Each cell: kappa and the units that both raters rated. Blue: above chance; orange: below."
            if few
            else f"Points and bars: kappa and {percent_of(kappa.settings['level'])} CIs."
        )
        + " Differences between pairs were not tested.",
        tables=(
            rows_table(rows, f"{kappa.title} of each pair", term="Pair"),
            rows_table(shares, "Percent agreement of each pair", term="Pair"),
        ),
        results=(kappa,) if adjusted is None else (kappa, adjusted),
    )


def crossed_block(design: Ratings) -> Block | None:
    """Return the square table of two raters; None for another number of raters, or too many levels."""
    if len(design.raters) != 2 or len(design.levels) > MOST_LEVELS:
        return None
    table = design.square(*design.raters)
    same, total = float(np.trace(table)), float(table.sum())
    if total == 0:
        return None
    one, other = (shorten(name, 40) for name in design.raters)
    return Block(
        id="pairs",
        question=f"Where did {one} and {other} differ?",
        sentences=(
            f"They gave the same level to {count(same)} of {count(total, 'unit')} ({percent(same / total)}).",
        ),
        draw=partial(square, table, levels=design.levels, conditions=design.raters),
        figure_title=f"Rows: {one}; columns: {other}",
        caption="Each cell: units and their share of the units that both raters rated.",
    )


def stratum_block(design: Ratings, name: str, result: Result) -> Block:
    """Return reliability by stratum."""
    whole, *parts = result.rows
    tested, adjusted = adjust_family_by_holm(parts, f"levels of {name}")
    rows = [
        replace(whole, term="all units"),
        *(replace(r, term=r.group or r.term, group=None) for r in tested),
    ]
    named, k = as_words(name), list(design.strata).index(name)
    said = [f"Alpha is undefined within every level of {named}."]
    if found := extremes(rows[1:]):
        low, high = (f"'{shorten(r.term, 40)}', {sentences.estimate_text(r)}" for r in found)
        said = [
            f"Over {count(len(parts), 'level')} of {named}, alpha was lowest for {low}.",
            f"It was highest for {high}. Differences between levels were not tested.",
        ]
    return Block(
        id=f"stratum-{k + 1}",
        question=f"How well did raters agree at each level of {named}?",
        sentences=tuple(said),
        draw=partial(
            forest, rows[:MOST_LISTED], sort=False, xlabel="alpha", reference=0.0, label=named
        ),
        figure_title=f"Krippendorff's alpha by {named}",
        caption=f"Points and bars: alpha and {percent_of(result.settings['level'])} CIs. Where ratings vary little, "
        "alpha is low even if raters mostly agree.",
        tables=(rows_table(rows, f"Alpha by {named}", term=capital(named)),),
        results=(result,) if adjusted is None else (result, adjusted),
        part="main" if k < MOST_STRATA else "appendix",
    )


def raters_block(results: Mapping[str, Result], whole: Result, what: str) -> Block | None:
    """Return alpha of each group of raters, or without each rater in turn; None where there is none."""
    if not results:
        return None
    rows = [replace(whole.rows[0], term="all raters")]
    rows += [replace(result.rows[0], term=label, group=None) for label, result in results.items()]
    said = [f"Alpha is undefined {what}."]
    if found := extremes(rows[1:]):
        low, high = (f"'{shorten(r.term, 60)}', {sentences.estimate_text(r)}" for r in found)
        said = [
            f"Alpha was highest for {high}.",
            *([f"It was lowest for {low}."] if len(rows) > 2 else []),
        ]
    return Block(
        id="raters-" + what.split()[0].lower(),
        question=f"How well did raters agree {what}?",
        sentences=tuple(said),
        draw=partial(forest, rows[:MOST_LISTED], sort=False, xlabel="alpha"),
        figure_title=f"Krippendorff's alpha {what}",
        caption=f"Points and bars: alpha and {percent_of(whole.settings['level'])} CIs, of units with two ratings or "
        "more. Differences were not tested.",
        tables=(rows_table(rows, f"Alpha {what}", term="Raters"),),
        results=tuple(results.values()),
        part="main" if what == WITHIN else "appendix",
    )


def refusals_block(refused: Result | None, whole: Result, plain: Result | None) -> Block | None:
    """Return alpha with refusals as a level of their own beside the same alpha without; None where nobody refused.

    Parameters
    ----------
    refused, plain : Result or None
        Nominal alpha with and without refusals.
    whole : Result
        Alpha of the page, on the scale of the ratings.
    """
    if refused is None or plain is None:
        return None
    without, held, own = plain.rows[0], refused.rows[0], whole.rows[0]
    rows = [
        replace(without, term="refusals excluded, nominal"),
        replace(held, term="refusals as a level, nominal"),
    ]
    scale = whole.settings["scale"]
    said = [
        f"With refusals as a level, nominal alpha was {sentences.estimate_text(held)}.",
        f"With refusals excluded, nominal alpha was {sentences.estimate_text(without)}.",
    ]
    if scale != "nominal":
        rows.append(replace(own, term=f"refusals excluded, {scale}"))
        said.append(f"Only these two are comparable; alpha elsewhere on this page is {scale}.")
    return Block(
        id="refusals",
        question="Did the raters agree about what cannot be rated?",
        sentences=tuple(said),
        tables=(rows_table(rows, "Alpha with and without refusals", term="Refusals"),),
        results=(refused,) if scale == "nominal" else (refused, plain),
        part="appendix",
    )


def united(design: Ratings) -> PageTable:
    """Count the units by how many of their raters gave the most frequent level."""
    counts, times = design.level_counts(), design.unit_count
    total, top = counts.sum(axis=1), counts.max(axis=1)
    ties = (counts == top[:, None]).sum(axis=1) > 1
    split = (total > 1) & (2 * top <= total)
    kinds = {
        "all raters gave one level": (total > 1) & (top == total),
        "more than half gave one level": (total > 1) & (top < total) & (2 * top > total),
        "one level most frequent, without a majority": split & ~ties,
        "several levels most frequent (a tie)": split & ties,
        "fewer than two ratings": total < 2,
    }
    parts = [(label, times[mask].sum()) for label, mask in kinds.items()]
    return counts_table(
        "Agreement within units", ("Unit", "Units", "Share"), parts, float(times.sum())
    )


def about_ratings(design: Ratings) -> tuple[PageTable, ...]:
    """Count ratings, refusals, missing ratings and levels by rater."""
    held, units = design.unit_count[design.unit], float(design.unit_count.sum())
    k, m = len(design.raters), len(design.levels)
    status, levels = np.zeros((k, 3)), np.zeros((k, m))
    np.add.at(status, (design.rater, design.status), held)
    ok = design.status == OK
    np.add.at(levels, (design.rater[ok], design.value[ok]), held[ok])
    shown = design.raters[:MOST_LISTED]
    some = "" if len(shown) == k else f" (the first {count(len(shown))} of {count(k)})"
    answered: list[tuple[str | int, ...]] = [
        (name, *(int(n) for n in row[[OK, REFUSAL, MISSING]]), int(units - row.sum()))
        for name, row in zip(shown, status, strict=False)
    ]
    header = ("Rater", "Ratings", "Refusals", "Missing values", "Units without a row")
    tables = [PageTable(f"Ratings by rater{some}", header, tuple(answered)), united(design)]
    if m <= MOST_LEVELS:
        shares = tuple(
            (name, *(Shown(float(n / row.sum()), 3, True) if row.sum() else None for n in row))
            for name, row in zip(shown, levels, strict=False)
        )
        caption = f"Shares of the levels among each rater's ratings{some}"
        tables.append(PageTable(caption, ("Rater", *design.levels), shares))
    return tuple(tables)


def level_words(design: Ratings) -> str:
    """Name the levels, or their range where they are many numbers."""
    if len(design.levels) <= MOST_LEVELS:
        return listing([shorten(level, 24) for level in design.levels], most=MOST_LEVELS)
    ends = number(float(design.scores.min()), 2), number(float(design.scores.max()), 2)
    return f"{count(len(design.levels))} values from {ends[0]} to {ends[1]}"


SHARE = "Percent agreement"
JUDGES = "judges"
LISTED = 5  # judges in a sentence


def is_known(result: Result | None) -> bool:
    """Return whether any judge can be compared with people."""
    return result is not None and bool(gaps(result))


def why_unknown(result: Result) -> str:
    """Return why no judge can be compared with people."""
    reasons = (row.undefined for row in result.rows if row.term == DIFFERENCE)
    return next(filter(None, reasons), "no estimate")


def gaps(result: Result) -> list[Row]:
    """Return the rows of the difference that have an estimate, in the order of the judges."""
    return [row for row in result.rows if row.term == DIFFERENCE and row.estimate is not None]


def title(result: Result) -> str:
    """Return the heading of the page."""
    people, judges = result.extras["named"], result.extras["judges"]
    one = len(judges) == 1
    who = f"Does '{shorten(judges[0], 40)}'" if one else f"Do the {count(len(judges), 'judge')}"
    return f"{who} agree with {people} as {people} agree with each other?"


def answer_of_judges(result: Result) -> str:
    """Compare the agreement of judges with people with that among people: of one judge, or of several."""
    known, people = gaps(result), result.extras["named"]
    if len(known) == 1:
        return judge_sentence(result, str(known[0].group))
    tested, _ = adjust_family_by_holm(known, JUDGES)
    clear = [
        row
        for row in tested
        if row.p_adjusted is not None and row.p_adjusted < 1 - result.settings["level"]
    ]
    said = []
    for what, sign in (("less", -1), ("more", 1)):
        some = [
            f"'{shorten(row.group or '', 30)}'" for row in clear if sign * (row.estimate or 0.0) > 0
        ]
        if some:
            said.append(
                f"{count(len(some))} agreed significantly {what} with {people} than {people} with each other "
                f"({listing(some, most=LISTED)})"
            )
    none = f"none agreed significantly more or less with {people} than {people} with each other"
    low, high = (
        f"{sentences.estimate_text(r)} ('{shorten(r.group or '', 30)}')" for r in extremes(known)
    )
    return (
        f"Of {count(len(known), 'judge')}, {listing(said) if said else none} (Holm). The difference in kappa (judge "
        f"with {people}, minus {people} with each other) was smallest at {low} and largest at {high}."
    )


def judges_block(result: Result) -> Block:
    """Return each judge against people, on the same units, with the tests of the differences."""
    people, known = result.extras["named"], gaps(result)
    tested, adjusted = adjust_family_by_holm(known, JUDGES)
    by_judge = {row.group: row for row in tested}
    rows = [by_judge.get(row.group, row) if row.term == DIFFERENCE else row for row in result.rows]
    labels = [f"{shorten(row.group or '', 40)}: {row.term}" for row in rows]
    said = [
        judge_sentence(result, str(row.group), adjusted=row.p_adjusted) for row in tested[:LISTED]
    ]
    lost = [row for row in result.rows if row.term == DIFFERENCE and row.estimate is None]
    said += [
        sentences.no_number(
            f"The difference of '{shorten(row.group or '', 40)}'", row.undefined or "no estimate"
        )
        for row in lost[:LISTED]
    ]
    drawn = [row for row in agreement_rows(result) if row.estimate is not None][:MOST_ROWS]
    xlabel = "kappa: 1 = perfect agreement, 0 = chance"
    return Block(
        id="judge" if len(result.extras["judges"]) == 1 else "judges",
        question=f"Did judges agree with {people} as {people} agreed with each other?",
        sentences=tuple(said),
        draw=partial(forest, drawn, sort=False, xlabel=xlabel) if drawn else None,
        figure_title=f"Agreement of each judge with {people}, and of {people} with each other",
        caption=f"Points and bars: kappa pooled over pairs of raters and {percent_of(result.settings['level'])} CIs "
        f"({result.inference}). Results do not generalise to other raters.",
        tables=(
            rows_table(
                rows,
                f"Judges against {people}, on the same units; n: ratings of {people}",
                term="Judge",
                labels=labels,
            ),
        ),
        results=(result,) if adjusted is None else (result, adjusted),
    )


def methods_of_judges(result: Result) -> str:
    """Return the paragraph about the comparison of judges with people."""
    people = result.extras["named"]
    return (
        f"Judges were compared with {people} on the units that the judge and at least two of them rated. Agreement was "
        f"{result.settings['weights']} kappa, pooled over pairs of raters (Conger, 1980): the judge with one of the "
        f"{people}, and two of the {people}. Single raters were the standard, not a majority: a judge who rates like "
        f"the {people} has an expected difference of 0. Differences were tested by t with standard errors linearised "
        "in both kappas."
    )


OWN = "as on this page"
MOST_REPEATED = 20  # levels; more are numbers that are rarely repeated


def alpha_multiverse(
    design: Ratings, options: StudyOptions, left_out: Mapping[str, Result]
) -> Block | None:
    """Return the block of analysis variants of alpha; None where there is one only.

    Parameters
    ----------
    design : Ratings
    options : StudyOptions
    left_out : mapping of str to Result
        Alpha without each rater, by what it is called.
    """
    made = variants(design, options)
    for label, found in left_out.items() if len(left_out) <= MOST_LEFT_OUT else ():
        made.append(Variant(label=label, choice="rater left out", compute=partial(single, found)))
    if len(made) < 2:
        return None
    line = number(TENTATIVE, 3, bounded=True)  # the customary minimum
    return multiverse_block(
        multiverse("krippendorff_alpha", "alpha", distinct(made), reference=TENTATIVE, words=line),
        id="multiverse",
        question=other_analyses("alpha"),
        quantity="alpha",
        note="Another scale defines disagreement differently.",
    )


def variants(design: Ratings, options: StudyOptions) -> list[Variant]:
    """Return the analysis variants of alpha, the page's own first."""

    def way(
        label: str, choice: str, data: Callable[[], Ratings] = lambda: design, **choices: Any
    ) -> Variant:
        def again() -> Result:
            return single(krippendorff_alpha(data(), **options.chosen(), **choices))

        return Variant(label=label, choice=choice, compute=again)

    ways = list(cluster_ways(design.clusters, "units").items())
    made = [way(f"{design.scale}, all raters", OWN)]
    made += [way(f"{scale} scale", "scale", scale=scale) for scale in scales(design)]
    made += [
        way(label, "clusters", cluster=clusters)
        for label, clusters in (ways[:-1] if design.clusters else [])
    ]
    made.append(way("bootstrap, percentile", "interval", ci="percentile"))
    if design.scale == "nominal" and np.any(design.status == REFUSAL):
        made.append(way("refusals as a level", "refusals", refusal="level"))
    whole = np.bincount(design.unit[design.status == OK], minlength=len(design.units)) == len(
        design.raters
    )
    if whole.any() and not whole.all():
        taken = partial(design.take, whole[design.unit], note="units that all raters rated")
        made.append(way("units that all raters rated", "missing ratings", taken))
    return made


def scales(design: Ratings) -> list[str]:
    """Return the other scales on which the levels could be taken."""
    ordered = design.scale != "nominal"
    known = ["nominal"] * (len(design.levels) <= MOST_REPEATED)
    known += ["ordinal"] * ordered + ["interval"] * (design.numeric and ordered)
    return [scale for scale in known if scale != design.scale]


MOST_RATERS = 30  # more have too many pairs to list them all
FEWEST_UNITS = 10  # common units of a pair among the highest and lowest
ENDS = 5


def at_the_ends(kappa: Result, design: Ratings, options: StudyOptions) -> list[Result]:
    """Return kappa of the pairs with the largest and the smallest ones, of those with ten units in common."""
    enough = {name: value for name, (value, n) in kappas_of(kappa).items() if n >= FEWEST_UNITS}
    order = sorted(enough, key=lambda name: (-enough[name], name))
    codes = {name: pair for pair, name in pair_names(design.raters).items()}
    found = []
    for name in order if len(order) <= 2 * ENDS else [*order[:ENDS], *order[-ENDS:]]:
        with suppress(UndefinedStatistic, NothingToAnalyse):
            pair = [design.raters[code] for code in codes[name]]
            found.append(single(weighted_kappa(design.of_raters(pair), level=options.level)))
    return found


def many_pairs_block(design: Ratings, kappa: Result | None, options: StudyOptions) -> Block | None:
    """Return the distribution of the pairs' kappas and its ends; None for few raters, or without two kappas."""
    if kappa is None or len(design.raters) <= MOST_RATERS or len(kappas_of(kappa)) < 2:
        return None
    spread, ends = kappa_quantiles(kappa), at_the_ends(kappa, design, options)
    rows = [replace(one.rows[0], group=None) for one in ends]
    joint = [replace(row, group=None) for row in kappa.rows if row.group is None]
    place = {row.term: number(row.shown()) for row in spread.rows}
    pairs = len(design.raters) * (len(design.raters) - 1) // 2
    cells = tuple((row.term, row.estimate) for row in spread.rows)
    return Block(
        id="pairs",
        question="Which raters agreed with each other?",
        sentences=(
            f"Kappa was defined for {count(spread.counts['pairs'])} of {count(pairs, 'pair')} of raters.",
            f"Its median was {place['median']}, with quartiles {place['lower quartile']} and "
            f"{place['upper quartile']} and extremes {place['smallest']} and {place['largest']}.",
        ),
        draw=partial(forest, [*joint, *rows], sort=False, xlabel="kappa"),
        figure_title=f"{kappa.title}: all pairs pooled, and the highest and lowest pairs",
        caption=f"Points and bars: kappa and {percent_of(options.level)} CIs. Highest and lowest: of pairs with at "
        f"least {FEWEST_UNITS} common units; selected extremes overstate differences.",
        tables=(
            PageTable("Kappas of all pairs of raters", ("Of all pairs", "Kappa"), cells),
            rows_table(
                [*joint, *rows],
                f"{kappa.title}: pooled, and the highest and lowest pairs",
                term="Pair",
            ),
        ),
        results=(spread, *ends),
    )


MOST_MEANS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupGap:
    """The difference of the mean ratings of two groups of raters, where they share two units; what it leaves out."""

    names: tuple[str, str]
    result: Result | None
    units: str

    @property
    def sentences(self) -> list[str]:
        """The difference in words, and the units that only one group rated."""
        first, second = (shorten(name, 40) for name in self.names)
        if self.result is None:
            return [f"The means of {first} and {second} were not compared: {self.units}."]
        row = self.result.rows[0]
        left = [f"These two groups were compared on {self.units}."] if self.units else []
        return [sentences.difference("the mean rating", first, second, row), *left]


def group_gaps(design: Ratings, level: float) -> list[GroupGap]:
    """Return the mean difference of the two groups that a factor tells raters apart by, on the units that both rated.

    A unit's value is the mean rating of a group, so raters are fixed. Clusters are the declared ones.
    """
    found = []
    for name, factor in design.rater_groups.items():
        names = np.array(design.raters, dtype=object)
        raters = {
            text: names[factor.codes == code].tolist() for code, text in enumerate(factor.levels)
        }
        raters = {text: own for text, own in raters.items() if own}
        if len(raters) != 2 or min(map(len, raters.values())) < 2:
            continue
        means = [unit_means(design.of_raters(own)) for own in raters.values()]
        match, labels = match_keys(*means), [quoted([text]) for text in raters]
        units = "" if match.complete else match.text("unit", labels)
        first, second = raters
        if len(match.keys) < 2:
            found.append(
                GroupGap(
                    names=(first, second), result=None, units=units or match.text("unit", labels)
                )
            )
            continue
        one, two = (f"{text} ({name})" for text in raters)
        values = match.values(*(np.array(list(own.values())) for own in means))
        table: dict[str, Any] = {"unit": match.keys, one: values[0], two: values[1]}
        at = match_keys(design.units, match.keys).places[0]
        clusters = {
            f"cluster {k}": [f.levels[c] for c in f.codes[at].tolist()]
            for k, f in enumerate(design.clusters)
        }
        columns: dict[str, Any] = {"cluster": list(clusters)} if clusters else {}
        pairs = Paired.from_wide(
            table | clusters,
            unit="unit",
            first=one,
            second=two,
            scale="numeric",
            na=False,
            **columns,
        )
        result = single(paired_difference(pairs, level=level))
        result = replace(
            result,
            cautions=(
                *match.cautions("unit", labels, "the difference of the two groups"),
                *result.cautions,
            ),
            extras={**result.extras, "ratings": design, "groups": (name, first, second)},
        )
        found.append(
            GroupGap(names=(first, second), result=with_matched_groups(result), units=units)
        )
    return found


def unit_means(design: Ratings) -> dict[str, float]:
    """Return the mean rating of each unit that has one."""
    means, known = unit_shares(design) @ design.scores, has_rating(design)
    return {unit: float(means[k]) for k, unit in enumerate(design.units) if known[k]}


def means_block(design: Ratings, options: StudyOptions) -> Block | None:
    """Show the mean ratings; None where levels are not numbers."""
    try:
        found = single(mean_ratings(design, level=options.level))
    except InputError:
        return None
    own = [row for row in found.rows if row.estimate is not None]
    groups = {
        as_words(name): [r for r in own if r.label("stratum") == name] for name in design.strata
    }
    said = [found.sentence()]
    for where, rows in (*groups.items(), ("rater", [r for r in own if r.label("rater")])):
        low, high = (
            f"{sentences.estimate_text(r)} ({shorten(r.term, 40)})"
            for r in extremes(rows) or (Row(term=""),) * 2
        )
        said += [f"By {where}, means ranged from {low} to {high}."] if len(rows) > 1 else []
    gaps = group_gaps(design, options.level)
    said += [text for gap in gaps for text in gap.sentences]
    compared = {gap.names: gap.result for gap in gaps if gap.result is not None}
    labels = [
        f"rater: {r.term}"
        if r.label("rater")
        else f"{as_words(str(r.label('stratum')), 30)}: {r.term}"
        if r.label("stratum")
        else r.term
        for r in found.rows
    ]
    by = [*groups, *(["rater"] if any(r.label("rater") for r in own) else [])]
    drawn = [
        replace(r, term=label, group=None) for r, label in zip(found.rows, labels, strict=True)
    ][:MOST_MEANS]
    return Block(
        id="means",
        question="How high were the ratings?",
        sentences=tuple(said),
        draw=partial(forest, drawn, sort=False, reference=None, xlabel="mean rating"),
        figure_title=f"Mean rating of all units{f', by {listing(by)}' if by else ''}",
        caption=f"Points and bars: means over units of their mean rating and {percent_of(options.level)} CIs "
        f"({found.inference}). {'Other differences' if compared else 'Differences'} were not tested.",
        tables=(
            rows_table(found.rows, "Mean rating", term="Ratings of", labels=labels),
            *(
                rows_table(
                    result.rows[:1],
                    "Mean rating of {} minus {}, on the units of both".format(*names),
                )
                for names, result in compared.items()
            ),
        ),
        results=(found, *compared.values()),
    )


USED = ("seed", "resamples", "level", "verify")
TENTATIVE, FIRM = (
    0.667,
    0.8,
)  # Krippendorff's customary minima for tentative and for firm conclusions
FEWEST = 5  # independent units or clusters that a verdict needs
MOST_STRATA = 2  # strata among the main results
WITHIN, LEFT_OUT = "within each group of raters", "with one rater left out"
MOST_RATERS_OUT = 20  # raters that are left out in turn
SLOW_PAIRS = 5000  # pairs of raters, whose kappas take a second or more
MOST_JUDGED = 2000  # levels in judge_agreement, whose tables are levels by levels
KAPPA_LEVELS = 60  # more levels than this are numbers, for which no kappa of levels is made


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes.

    Attributes
    ----------
    coefficients : mapping of str to Result
        Alpha first; each with all units in its first row.
    strata : mapping of stratum to Result
    groups, left_out : mapping of label to Result
        Alpha of each group of raters, and without each rater.
    refused, plain : Result or None
        Nominal alpha with refusals as a level, and with refusals left out.
    judged : Result or None
        Judges against people, where a group of raters tells them apart.
    """

    coefficients: dict[str, Result]
    strata: dict[str, Result]
    groups: dict[str, Result]
    left_out: dict[str, Result]
    refused: Result | None = None
    plain: Result | None = None
    judged: Result | None = None
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def alpha(self) -> Result:
        """Alpha of all units and raters."""
        return next(iter(self.coefficients.values()))

    def all(self) -> dict[str, Result]:
        """Return every result by a name of its own."""
        found = {"Judges against people": self.judged} if self.judged is not None else {}
        found |= self.coefficients
        for what, results in (
            ("alpha by", self.strata),
            ("alpha", self.groups),
            ("alpha", self.left_out),
        ):
            found |= {f"{what} {shorten(name, 40)}": result for name, result in results.items()}
        return found | ({"alpha with refusals": self.refused} if self.refused is not None else {})


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer how well the raters agree, who with whom, and where."""
    check_single(design)
    numbers = compute(design, options)
    results = (
        *([numbers.judged] if numbers.judged is not None else []),
        *numbers.coefficients.values(),
    )
    shown = blocks(design, numbers, options)
    judged = numbers.judged if is_known(numbers.judged) else None
    said = [answer(numbers.alpha), *without_constant(design, numbers)]
    if judged is not None:
        said.insert(0, answer_of_judges(judged))
    elif numbers.judged is not None:
        people = numbers.judged.extras["named"]
        said.append(f"Judges could not be compared with {people}: {why_unknown(numbers.judged)}.")
    return Outcome(
        study="agreement",
        title=f"Do the {count(len(design.raters))} raters agree?"
        if judged is None
        else title(judged),
        design=describe(design),
        verdict=verdict_on_raters(design, numbers) if judged is None else verdict_on_judges(judged),
        answer=tuple(said),
        planning=planned(numbers.alpha, judged),
        cautions=order_cautions(
            *likewise(results), *(r.cautions for r in results), design.cautions, lost_units(shown)
        ),
        data=about_ratings(design),
        diagnostics=diagnostics(design, numbers),
        methods=methods(design, numbers, options),
        **ending(design, options, numbers.all(), shown, USED),
    )


def lost_units(shown: Sequence[Block]) -> tuple[Caution, ...]:
    """Return which units the differences of groups of raters leave out, as one group did not rate them."""
    results = [result for block in shown for result in block.results if "groups" in result.extras]
    return tuple(one for result in results for one in result.cautions if one.code == "SS301")


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute all results of the page."""
    common, raters, levels = options.chosen(), len(design.raters), len(design.levels)
    alpha = partial(krippendorff_alpha, design, **common)
    first = single(alpha())
    found: dict[str, Result] = {first.title: first}
    skipped: dict[str, str] = {}
    more: dict[str, Any] = {
        "Gwet's AC": gwet_ac,
        "Weighted kappa": weighted_kappa,
        SHARE: percent_agreement,
    }
    if design.scale == "nominal":
        more = {"Fleiss' kappa": fleiss_kappa} | more
    if design.repeats is not None:
        del more[SHARE]
        skipped[SHARE] = "the ratings are means of repeated answers"
    for name, metric in more.items():
        pairwise, pooled = (
            name == "Weighted kappa",
            name in ("Weighted kappa", SHARE) and raters > MOST_RATERS,
        )
        if levels > KAPPA_LEVELS and name != SHARE:
            skipped[name] = f"{count(levels)} distinct values are numbers, not levels"
        elif pairwise and not design.raters_known:
            skipped[name] = "the table has no rater column"
        elif pairwise and too_many_pairs_reason(raters):
            skipped[name] = f"it compares pairs of raters, and {too_many_pairs_reason(raters)}"
            say(f"{name} was not computed: {skipped[name]}", slow=True)
        else:
            say(
                f"{name} of {count(raters, 'rater')}",
                slow=pairwise and math.comb(raters, 2) > SLOW_PAIRS,
            )
            try:
                one = single(metric(design, **common, **({"pairs": "pooled"} if pooled else {})))
                found[name if name == SHARE else one.title] = one  # a title names scale and weights
            except (UndefinedStatistic, NothingToAnalyse) as error:
                skipped[name] = str(error)
    refusals = bool(np.any(design.status == REFUSAL))
    apart = levels <= MOST_JUDGED and people_and_judges(design) is not None
    return Numbers(
        coefficients=found,
        strata={name: single(alpha(stratum=name)) for name in design.strata},
        groups=attempts(alpha, by_group(design)),
        left_out=attempts(alpha, without_each(design)),
        refused=single(alpha(scale="nominal", refusal="level")) if refusals else None,
        plain=single(alpha(scale="nominal")) if refusals else None,
        judged=single(judge_agreement(design, level=options.level)) if apart else None,
        skipped=skipped,
    )


def by_group(design: Ratings) -> dict[str, tuple[str, ...]]:
    """Return the raters of each group that has two."""
    found = {}
    for name, factor in design.rater_groups.items():
        for code, level in enumerate(factor.levels):
            names = tuple(
                rater
                for rater, own in zip(design.raters, factor.codes.tolist(), strict=True)
                if own == code
            )
            if 2 <= len(names) < len(design.raters):
                found[
                    f"{shorten(name, 30)} {shorten(level, 40)} ({count(len(names), 'rater')})"
                ] = names
    return found


def without_each(design: Ratings) -> dict[str, tuple[str, ...]]:
    """Return all raters but one, for each of them; nothing for two raters, or more than 20."""
    if not 3 <= len(design.raters) <= MOST_RATERS_OUT or not design.raters_known:
        return {}
    return {
        f"without {shorten(name, 40)}": tuple(r for r in design.raters if r != name)
        for name in design.raters
    }


def attempts(alpha: Callable[..., Any], groups: dict[str, tuple[str, ...]]) -> dict[str, Result]:
    """Compute alpha of each group of raters, leaving out those who share no unit."""
    found = {}
    for label, raters in groups.items():
        with suppress(UndefinedStatistic, NothingToAnalyse):
            found[label] = single(alpha(raters=raters))
    return found


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the blocks, the most important first."""
    by_metric = {result.metric: result for result in numbers.coefficients.values()}
    kappa, shares = by_metric.get("weighted_kappa"), by_metric.get("percent_agreement")

    def alpha(way: Way) -> Any:
        return krippendorff_alpha(design, cluster=way, level=options.level)

    known = numbers.alpha.rows[0].estimate is not None
    found = [
        coefficients_block(numbers.coefficients),
        pairs_block(design, kappa, shares) if kappa is not None and shares is not None else None,
        many_pairs_block(design, kappa, options),
        crossed_block(design),
        means_block(design, options),
        *(stratum_block(design, name, result) for name, result in numbers.strata.items()),
        raters_block(numbers.groups, numbers.alpha, WITHIN),
        raters_block(numbers.left_out, numbers.alpha, LEFT_OUT),
        refusals_block(numbers.refused, numbers.alpha, numbers.plain),
        dependence_block(design.clusters, alpha, rows="units", quantity="alpha"),
        alpha_multiverse(design, options, numbers.left_out)
        if known and not options.brief
        else None,
        repeats_block(design.repeats),
    ]
    shown = with_design_effect([block for block in found if block is not None], design.clusters)
    if numbers.judged is None:
        return shown
    lead = int(not is_known(numbers.judged))  # what cannot be compared does not lead
    return (*shown[:lead], judges_block(numbers.judged), *shown[lead:])


def answer(result: Result) -> str:
    """State alpha, and where its interval lies among Krippendorff's customary minima."""
    row, scale = result.rows[0], result.settings["scale"]
    if row.estimate is None:
        return sentences.no_number(
            f"Krippendorff's alpha ({scale})", row.undefined or "no estimate"
        )
    units, raters = result.counts["units"], result.counts.get("raters")
    return sentences.agreement_sentence(
        f"Krippendorff's α ({scale})", row, units, raters, band_of(row)
    )


RELIABLE = {
    "firm": "this is enough for firm conclusions",
    "tentative": "this is enough for tentative conclusions only",
    "below": "this is too little for conclusions from their ratings",
    "open": "the data do not show whether this is enough for conclusions",
}


def verdict_on_raters(design: Ratings, numbers: Numbers) -> Conclusion:
    """Return how often two raters agree, and whether that is enough for conclusions."""
    row = numbers.alpha.rows[0]
    if row.estimate is None:
        return verdict_of("The data do not show whether the raters agree", certainty="open")
    raters = f"the {count(len(design.raters))} raters"
    share = numbers.coefficients.get(SHARE)
    enough = RELIABLE[enough_of(row)]
    sure: Certainty = "open" if enough_of(row) == "open" else "interval"
    if share is None or share.rows[0].estimate is None or design.scale == "interval":
        return verdict_of(f"{raters} agree to some degree; {enough}", certainty=sure)
    often = of_ten(share.rows[0].estimate)
    return verdict_of(
        f"two of {raters}, taken at random, agree on {often} units; {enough}", certainty=sure
    )


def enough_of(row: Row) -> str:
    """Return among which of Krippendorff's minima the interval lies."""
    if (
        row.conf_low is None
        or row.conf_high is None
        or (row.df is not None and row.df + 1 < FEWEST)
    ):
        return "open"
    if row.conf_low >= FIRM:
        return "firm"
    if row.conf_low >= TENTATIVE:
        return "tentative"
    return "below" if row.conf_high < TENTATIVE else "open"


def verdict_on_judges(result: Result) -> Conclusion:
    """Return whether judges agree with people as people do with each other."""
    tested, _ = adjust_family_by_holm(gaps(result), JUDGES)
    people = result.extras["named"]
    clear = [row for row in tested if is_shown(row)]
    if len(tested) == 1:
        (row,) = tested
        name = shorten(row.group or "", LABEL)
        than = f"with {people} than {people} agree with each other"
        if not clear:
            return verdict_of(
                f"The data do not show whether {name} agrees more or less {than}", certainty="open"
            )
        side = "more" if (row.estimate or 0.0) > 0 else "less"
        return verdict_of(
            f"{data_show(row)} {name} agrees {side} {than}", certainty=certainty_of(row)
        )
    more, less = (sum(sign * (row.estimate or 0.0) > 0 for row in clear) for sign in (1, -1))
    judges = count(len(tested), "judge")
    if not clear:
        return verdict_of(
            f"The data do not show that any of {judges} agrees more or less with {people} than {people} do",
            certainty="open",
        )
    return verdict_of(
        f"Of {judges}, {count(less)} agree less with {people} than {people} with each other, and {count(more)} more",
        certainty="shown",
    )


def without_constant(design: Ratings, numbers: Numbers) -> list[str]:
    """Return alpha without each rater who gave one level only, where it lies outside the interval of alpha."""
    lead, said = numbers.alpha.rows[0], []
    for code, name in enumerate(design.raters):
        given = design.value[(design.rater == code) & (design.status == OK)]
        result = numbers.left_out.get(f"without {shorten(name, 40)}")
        if (
            result is None
            or len(given) < 2
            or len(np.unique(given)) > 1
            or result.rows[0].conf_low is None
        ):
            continue
        row = result.rows[0]
        if (
            lead.conf_low is None
            or lead.conf_high is None
            or not lead.conf_low <= (row.estimate or 0.0) <= lead.conf_high
        ):
            level = shorten(design.levels[int(given[0])], 40)
            n = f"{count(result.counts['units'], 'unit')}, {count(result.counts['raters'], 'rater')}"
            said.append(
                f"Without {quoted([name])}, who always gave '{level}', it was {sentences.estimate_text(row)} ({n})."
            )
    return said


def band_of(row: Row) -> str:
    """Return where the interval of a coefficient lies among the customary minima; empty without an interval.

    Examples
    --------
    >>> band_of(Row(term="alpha", estimate=0.5, conf_low=0.4, conf_high=0.6, df=59.0))
    'reliably below .667, the customary minimum'
    """
    if row.conf_low is None or row.conf_high is None:
        return ""
    if row.df is not None and row.df + 1 < FEWEST:
        return f"too uncertain for a verdict ({count(row.df + 1)} independent units or clusters)"
    minimum = number(TENTATIVE, 3, bounded=True)
    how = "by its approximate interval" if row.approximate else "reliably"
    if row.conf_low >= FIRM:
        return f"{how} at least .80, the customary minimum for firm conclusions"
    if row.conf_low >= TENTATIVE:
        return f"{how} at least {minimum}, the customary minimum for tentative conclusions"
    if row.conf_high < TENTATIVE:
        return f"{how} below {minimum}, the customary minimum"
    return f"inconclusive against {minimum}, the customary minimum"


def planned(alpha: Result, judged: Result | None) -> tuple[str, ...]:
    """Return how many more units or clusters would halve the interval of the main result."""
    row, what = (
        (alpha.rows[0], "alpha")
        if judged is None
        else (gaps(judged)[0], f"the difference of '{shorten(gaps(judged)[0].group or '', 30)}'")
    )
    if row.estimate is None or row.df is None:
        return ()
    what = "the difference" if judged is not None and len(gaps(judged)) == 1 else what
    more = clusters_to_halve(row, row.n_clusters or round(row.df) + 1)
    clusters = getattr(alpha.design, "clusters", ())
    unit = sentences.more_of(clusters[0].name if clusters else None)
    return (
        (sentences.more_clusters_sentence(more, unit, what),) if more is not None and unit else ()
    )


def likewise(results: Sequence[Result]) -> list[tuple[Caution, ...]]:
    """Return the cautions of several coefficients, each code once, with the titles of the others that it is about."""
    found: dict[str, dict[str, Caution]] = {}
    for result in results:
        for one in result.cautions:
            if one.code in ("SS317", "SS329"):
                found.setdefault(one.code, {}).setdefault(result.title, one)
    more = {code: list(told) for code, told in found.items() if len(told) > 1}
    return [
        (
            replace(
                found[code][first],
                detail=f"{found[code][first].detail}. The same applies to {listing(others)}",
                rows=None,
            ),
        )
        for code, (first, *others) in more.items()
    ]


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    refused = float(design.unit_count[design.unit[design.status == REFUSAL]].sum())
    parts = [
        count(design.n_rows, "rating"),
        *([count(refused, "refusal")] if refused else []),
        f"{count(design.unit_count.sum(), 'unit')}",
        f"{count(len(design.raters), 'rater')}",
        f"{design.scale} scale ({level_words(design)})",
        *cluster_words(design),
    ]
    if design.repeats is not None:
        parts.insert(1, f"means of {each_answer(design.repeats)}")
    times = design.level_counts().sum(axis=1)
    if design.raters_known and len(np.unique(times)) > 1:
        most = int(times.max())
        full = float(design.unit_count[times == most].sum())
        parts.append(f"{count(most, 'rating')} for {count(full, 'unit')} and fewer for the others")
    return "Ratings: " + ", ".join(parts)


def diagnostics(design: Ratings, numbers: Numbers) -> tuple[Diagnostic, ...]:
    """Report units with fewer than two ratings, and the coefficients that could not be computed."""
    times = design.level_counts().sum(axis=1)
    alone = float(design.unit_count[times < 2].sum())
    found = f"No: {count(alone, 'unit has', 'units have')} fewer." if alone else "Yes."
    so_what = "Observed agreement rests on the other units." if alone else "All units were used."
    checks = [Diagnostic("Does every unit have at least two ratings?", found, so_what)]
    if numbers.skipped:
        found = "; ".join(f"{name}: {reason}" for name, reason in numbers.skipped.items())
        checks.append(
            Diagnostic(
                "Which coefficients were not computed?", found, "This page does not report them."
            )
        )
    return tuple(checks)


def methods(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods: a brief paragraph, then judges, scale and the inference of each coefficient."""
    judged, alpha = numbers.judged if is_known(numbers.judged) else None, numbers.alpha
    told = (
        "were declared"
        if design.levels_declared
        else "were not declared; the levels that occur were used"
    )
    compared = (
        ()
        if judged is None
        else (
            f"Judges were compared with {judged.extras['named']} by {judged.settings['weights']} "
            f"kappa pooled over pairs",
            "of raters, on the same units. ",
        )
    )
    row, ends = alpha.rows[0], f"{percent_of(options.level)} CIs used {alpha.inference}."
    if row.conf_low is None and row.undefined:
        ends = f"There was no test or CI: {sentences.because(row.undefined)}."
    return (
        f"{' '.join(compared)}Agreement was estimated by Krippendorff's alpha ({alpha.settings['scale']}). {ends}",
        *([methods_of_judges(numbers.judged)] if numbers.judged is not None else []),
        f"Ratings were on {with_article(design.scale)} scale of {count(len(design.levels), 'level')}. Levels {told}. "
        "Krippendorff's customary minima (.667 for tentative, .80 for firm conclusions) are conventions, not tests. "
        "Coefficients define agreement by chance differently.",
        " ".join(
            f"{name}: {result.inference}."
            for name, result in numbers.coefficients.items()
            if any(row.conf_low is not None for row in result.rows)
        ),
    )


STUDY = Study(
    name="agreement",
    title="Do the raters agree, who with whom, and where?",
    design="ratings",
    needs="unit, rater, value",
    suits=lambda design: True,
    uses=("rater_groups",),
    run=run,
)
