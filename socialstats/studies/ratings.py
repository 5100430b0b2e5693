"""Study of ratings: how far do raters agree?"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.agreement.gwet_ac import gwet_ac
from socialstats.agreement.kappa import too_many_pairs_reason
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.percent_agreement import percent_agreement
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.parts import MISSING, OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, NothingToAnalyse, UndefinedStatistic
from socialstats.figures.squares import MOST_LEVELS
from socialstats.inference.halving import clusters_to_halve
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.progress import say
from socialstats.results import Result, Row
from socialstats.scales.judge_agreement import (
    judge_agreement,
)
from socialstats.scales.judged_units import people_and_judges
from socialstats.studies.alpha_variants import TENTATIVE, alpha_multiverse
from socialstats.studies.asking import ask_rows, interval_points
from socialstats.studies.estimates import (
    cluster_words,
    counts_table,
    declared_clusters,
    ending,
    extremes,
    rows_table,
    single,
)
from socialstats.studies.judges_and_people import (
    answer_of_judges,
    gaps,
    is_known,
    judges_block,
    methods_of_judges,
    title,
    verdict_on_judges,
    why_unknown,
)
from socialstats.studies.multiverse import (
    Way,
    dependence_block,
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
from socialstats.studies.rater_pairs import (
    MOST_RATERS,
    crossed_block,
    many_pairs_block,
    pairs_block,
)
from socialstats.studies.rating_means import means_block
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.verdicts import (
    Certainty,
    Conclusion,
    of_ten,
    verdict_of,
)
from socialstats.text import (
    Shown,
    as_words,
    count,
    listing,
    number,
    percent_of,
    quoted,
    shorten,
    with_article,
)

MOST_LISTED = 200  # raters


def coefficients_block(results: Mapping[str, Result]) -> Block | None:
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
    lines = [
        sentences.no_number(row.term, row.undefined or "no estimate")
        if row.estimate is None
        else f"{row.term}{means.get(row.term, '')} was {sentences.estimate_text(row)}."
        for row in rows
    ]
    return ask_rows(
        "agreement",
        "How well did the raters agree?",
        lead,
        rows,
        quantity="agreement: 1 = perfect, 0 = chance (percent agreement: 0 = none)",
        say=lines,
        draw=interval_points(),
        table=rows_table(
            rows, "Coefficients of all units and raters", term="Coefficient", units=True
        ),
        results=list(results.values())[1:],
        note=f"{sizes(lead)}. Percent agreement is not corrected for chance, so it is not comparable with the others.",
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


def ends_of_alpha(rows: Sequence[Row], where: str, what: str) -> list[str]:
    """State the smallest and the largest of some alphas, or that none is defined; `what` is in the plural.

    Examples
    --------
    >>> rows = [Row(term=t, estimate=e) for t, e in (("a", 0.2), ("b", 0.5))]
    >>> ends_of_alpha(rows, "at any level", "levels of area")[0]
    "Over 2 levels of area, alpha was lowest for 'a', 0.20."
    """
    ends = extremes(rows)
    if not ends:
        return [f"Alpha is undefined {where}."]
    low, high = (f"'{shorten(row.term, 60)}', {sentences.estimate_text(row)}" for row in ends)
    if len(rows) == 1:
        return [f"Alpha was {high}."]
    return [
        f"Over {count(len(rows))} {what}, alpha was lowest for {low}.",
        f"It was highest for {high}. Differences were not tested.",
    ]


def stratum_block(design: Ratings, name: str, result: Result) -> Block | None:
    """Return reliability by stratum."""
    whole, *parts = result.rows
    tested, adjusted = adjust_family_by_holm(parts, f"levels of {name}")
    by_level = [replace(row, term=row.group or row.term, group=None) for row in tested]
    words, k = as_words(name), list(design.strata).index(name)
    return ask_rows(
        f"stratum-{k + 1}",
        f"How well did raters agree at each level of {words}?",
        result,
        [replace(whole, term="all units"), *by_level],
        quantity=f"Krippendorff's alpha by {words}",
        say=ends_of_alpha(by_level, f"within every level of {words}", f"levels of {words}"),
        draw=interval_points(label=words),
        results=[adjusted],
        note="Where ratings vary little, alpha is low even if raters mostly agree.",
        part="main" if k < MOST_STRATA else "appendix",
    )


def raters_block(results: Mapping[str, Result], whole: Result, what: str) -> Block | None:
    """Return alpha of each group of raters, or without each rater in turn; None where there is none."""
    if not results:
        return None
    rows = [replace(result.rows[0], term=label, group=None) for label, result in results.items()]
    first, *further = results.values()
    return ask_rows(
        "raters-" + what.split()[0].lower(),
        f"How well did raters agree {what}?",
        first,
        [replace(whole.rows[0], term="all raters"), *rows],
        quantity=f"Krippendorff's alpha {what}",
        say=ends_of_alpha(rows, what, "sets of raters"),
        draw=interval_points(None),
        results=further,
        note="Units with two ratings or more.",
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
    scale = whole.settings["scale"]
    lines = [
        f"With refusals as a level, nominal alpha was {sentences.estimate_text(refused.rows[0])}.",
        f"With refusals excluded, nominal alpha was {sentences.estimate_text(plain.rows[0])}.",
    ]
    rows = [
        replace(plain.rows[0], term="refusals excluded, nominal"),
        replace(refused.rows[0], term="refusals as a level, nominal"),
    ]
    if scale != "nominal":
        rows.append(replace(whole.rows[0], term=f"refusals excluded, {scale}"))
        lines.append(f"Only these two are comparable; alpha elsewhere on this page is {scale}.")
    return ask_rows(
        "refusals",
        "Did the raters agree about what cannot be rated?",
        refused,
        rows,
        quantity="alpha with and without refusals",
        say=lines,
        results=[] if scale == "nominal" else [plain],
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


USED = ("seed", "resamples", "level", "verify")
FIRM = 0.8  # Krippendorff's customary minimum for firm conclusions
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
        dependence_block(declared_clusters(design), alpha, rows="units", quantity="alpha"),
        alpha_multiverse(design, options, numbers.left_out)
        if known and not options.brief
        else None,
        repeats_block(design.repeats),
    ]
    shown = with_design_effect([block for block in found if block is not None], design.clusters)
    if numbers.judged is None:
        return shown
    lead = int(not is_known(numbers.judged))  # what cannot be compared does not lead
    of_judges = judges_block(numbers.judged)
    return (*shown[:lead], *([] if of_judges is None else [of_judges]), *shown[lead:])


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
