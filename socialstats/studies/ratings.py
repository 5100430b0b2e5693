"""Study of ratings: how far do raters agree?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from socialstats import sentences
from socialstats.agreement.fleiss_kappa import fleiss_kappa
from socialstats.agreement.gwet_ac import gwet_ac
from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.agreement.percent_agreement import percent_agreement
from socialstats.agreement.weighted_kappa import weighted_kappa
from socialstats.designs.parts import MISSING, OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, SocialStatsError
from socialstats.figures.squares import MOST_LEVELS
from socialstats.progress import say
from socialstats.results import Result
from socialstats.scales.judge_agreement import judge_agreement
from socialstats.scales.judged_units import people_and_judges
from socialstats.studies.alphas import (
    BANDS,
    agreement_question,
    alpha_multiverse,
    alphas_by_part,
    band_of,
    band_text,
    groups_of_raters,
    kinds_sentences,
    strata_questions,
)
from socialstats.studies.asking import ask_rows, attempt_result, page_of
from socialstats.studies.estimates import (
    cluster_words,
    counts_table,
    declared_clusters,
    halved,
    rows_table,
    single,
)
from socialstats.studies.judges_and_people import (
    answer_of_judges,
    gaps,
    judges_question,
    methods_of_judges,
    title,
    verdict_on_judges,
)
from socialstats.studies.multiverse import Way, dependence_block, with_design_effect
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    PageTable,
    StudyOptions,
    check_single,
    reason_of,
)
from socialstats.studies.rater_pairs import (
    MOST_RATERS,
    crossed_question,
    many_pairs_question,
    rater_pairs_question,
)
from socialstats.studies.rating_means import mean_ratings_question
from socialstats.studies.repeats import each_answer, repeats_block
from socialstats.studies.row_figures import interval_points
from socialstats.studies.verdicts import Certainty, Conclusion, between, of_ten, verdict_of
from socialstats.text import (
    Shown,
    count,
    listing,
    number,
    percent_of,
    quoted,
    shorten,
    with_article,
)

SHARE = "Percent agreement"
USED = ("seed", "resamples", "level", "verify")
MOST_LISTED = 200  # raters
SLOW_PAIRS = 5000  # pairs of raters, whose kappas take a second or more
MOST_JUDGED = 2000  # levels in judge_agreement, whose tables are levels by levels
KAPPA_LEVELS = 60  # more levels than this are numbers, for which no kappa of levels is made


# compute


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementPage:
    """The results that questions pick their rows from.

    Attributes
    ----------
    design : Ratings
    options : StudyOptions
    coefficients : mapping of str to Result
        Alpha first; each with all units in its first row.
    skipped : mapping of str to str
        Coefficients that the data do not give, with the reason.
    judged : Result or None
        Judges against people, where a group of raters tells them apart.
    """

    design: Ratings
    options: StudyOptions
    coefficients: Mapping[str, Result]
    skipped: Mapping[str, str]
    judged: Result | None

    @property
    def alpha(self) -> Result:
        """Alpha of all units and raters."""
        return next(iter(self.coefficients.values()))

    @property
    def compared(self) -> Result | None:
        """Judges against people, where one of them can be compared."""
        return self.judged if self.judged and gaps(self.judged) else None


def compute(design: Ratings, options: StudyOptions) -> AgreementPage:
    """Compute the coefficients, and judges against people."""
    raters, levels, common = len(design.raters), len(design.levels), options.chosen()
    alpha = single(krippendorff_alpha(design, **common))
    coefficients, skipped = {alpha.title: alpha}, dict[str, str]()
    metrics: dict[str, Any] = {
        "Fleiss' kappa": fleiss_kappa,
        "Gwet's AC": gwet_ac,
        "Weighted kappa": weighted_kappa,
        SHARE: percent_agreement,
    }
    if design.scale != "nominal":
        del metrics["Fleiss' kappa"]
    for name, metric in metrics.items():
        of_pairs = metric is weighted_kappa
        pooled = raters > MOST_RATERS and (of_pairs or name == SHARE)
        if name == SHARE and design.repeats is not None:
            skipped[name] = "the ratings are means of repeated answers"
        elif name != SHARE and levels > KAPPA_LEVELS:
            skipped[name] = f"{count(levels)} distinct values are numbers, not levels"
        elif of_pairs and not design.raters_known:
            skipped[name] = "the table has no rater column"
        else:
            slow = of_pairs and math.comb(raters, 2) > SLOW_PAIRS
            say(f"{name} of {count(raters, 'rater')}", slow=slow)
            try:
                result = single(metric(design, **common, **({"pairs": "pooled"} if pooled else {})))
            except SocialStatsError as error:
                skipped[name] = reason_of(error)
                continue
            # a title names scale and weights
            coefficients[name if name == SHARE else result.title] = result
    judged = None
    if levels <= MOST_JUDGED and people_and_judges(design) is not None:
        judged = single(judge_agreement(design, level=options.level))
    return AgreementPage(
        design=design, options=options, coefficients=coefficients, skipped=skipped, judged=judged
    )


# questions


def questions(a: AgreementPage) -> Iterator[Block | None]:
    """Yield the questions, the most important first."""
    design, options = a.design, a.options
    by_metric = {result.metric: result for result in a.coefficients.values()}
    kappa, shares = by_metric.get("weighted_kappa"), by_metric.get("percent_agreement")
    yield coefficients_question(a)
    if kappa is not None and shares is not None:
        yield rater_pairs_question(design, kappa, shares)
    if kappa is not None:
        yield many_pairs_question(design, kappa, options)
    yield crossed_question(design)
    yield mean_ratings_question(design, options)
    yield from strata_questions({"": design}, design.strata, options)
    yield kinds_question(a)

    def alpha(way: Way) -> Result:
        return single(krippendorff_alpha(design, cluster=way, level=options.level))

    yield dependence_block(declared_clusters(design), alpha, rows="units", quantity="alpha")
    if a.alpha.rows[0].estimate is not None and not options.brief:
        yield alpha_multiverse(design, a.alpha, options)
    yield repeats_block(design.repeats)


def coefficients_question(a: AgreementPage) -> Block | None:
    """Show the coefficients side by side; they define agreement by chance differently."""
    rows = [replace(result.rows[0], term=name) for name, result in a.coefficients.items()]
    return ask_rows(
        "agreement",
        "How well did the raters agree?",
        a.coefficients,
        rows,
        quantity="agreement: 1 = perfect, 0 = chance (percent agreement: 0 = none)",
        say=[result.sentence() for result in a.coefficients.values()],
        draw=interval_points(),
        table=rows_table(
            rows, "Coefficients of all units and raters", term="Coefficient", units=True
        ),
        note="Percent agreement is not corrected for chance, so it is not comparable with the others.",
    )


def kinds_question(a: AgreementPage) -> Block | None:
    """Ask how well raters of one group agree, and how far refusals and the order of levels matter."""
    groups = groups_of_raters(a.design)
    if not groups and REFUSAL not in a.design.status:
        return None
    alphas = alphas_by_part({"all raters": a.design, **groups}, a.options)
    return agreement_question(
        alphas,
        kinds_sentences(alphas),
        id="alphas",
        note="Units with two ratings or more.",
        part="main" if groups else "appendix",
    )


# tables of the ratings


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
    replicates, units = design.unit_count[design.unit], float(design.unit_count.sum())
    k, m = len(design.raters), len(design.levels)
    status, levels = np.zeros((k, 3)), np.zeros((k, m))
    np.add.at(status, (design.rater, design.status), replicates)
    ok = design.status == OK
    np.add.at(levels, (design.rater[ok], design.value[ok]), replicates[ok])
    listed = design.raters[:MOST_LISTED]
    which = "" if len(listed) == k else f" (the first {count(len(listed))} of {count(k)})"
    answered: list[tuple[str | int, ...]] = [
        (name, *(int(n) for n in row[[OK, REFUSAL, MISSING]]), int(units - row.sum()))
        for name, row in zip(listed, status, strict=False)
    ]
    header = ("Rater", "Ratings", "Refusals", "Missing values", "Units without a row")
    tables = [PageTable(f"Ratings by rater{which}", header, tuple(answered)), united(design)]
    if m <= MOST_LEVELS:
        shares = tuple(
            (name, *(Shown(float(n / row.sum()), 3, True) if row.sum() else None for n in row))
            for name, row in zip(listed, levels, strict=False)
        )
        caption = f"Shares of the levels among each rater's ratings{which}"
        tables.append(PageTable(caption, ("Rater", *design.levels), shares))
    return tuple(tables)


def level_words(design: Ratings) -> str:
    """Name the levels, or their range where they are many numbers."""
    if len(design.levels) <= MOST_LEVELS:
        return listing([shorten(level, 24) for level in design.levels], most=MOST_LEVELS)
    ends = number(float(design.scores.min()), 2), number(float(design.scores.max()), 2)
    return f"{count(len(design.levels))} values from {ends[0]} to {ends[1]}"


# the page


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer how well the raters agree, who with whom, and where."""
    check_single(design)
    a = compute(design, options)
    questions_asked = [block for block in questions(a) if block is not None]
    blocks: list[Block | None] = [*with_design_effect(questions_asked, design.clusters)]
    heading, verdict = f"Do the {count(len(design.raters))} raters agree?", verdict_on_raters(a)
    row, estimate = a.alpha.rows[0], "agreement"
    answers = [answer(a.alpha), *without_constant(a)]
    results = dict(a.coefficients)
    if a.judged is not None:
        results = {"Judges against people": a.judged, **results}
        # judges who cannot be compared do not lead
        blocks.insert(0 if a.compared else 1, judges_question(a.judged))
        answers.insert(0 if a.compared else len(answers), answer_of_judges(a.judged))
    if a.compared is not None:
        heading, verdict = title(a.compared), verdict_on_judges(a.compared)
        row, *others = gaps(a.compared)
        name = f" of '{shorten(row.group or '', 30)}'" if others else ""
        estimate = f"the difference{name}"
    units = None if row.df is None else round(row.df) + 1
    # units that one of two groups of raters lacks
    matched = [r for block in questions_asked for r in block.results if "groups" in r.extras]
    lost = [one for r in matched for one in r.cautions if one.code == "SS301"]
    return page_of(
        "agreement",
        heading,
        design,
        options,
        describe=describe(design),
        verdict=verdict,
        answer=answers,
        planning=halved(design.clusters, row, units, estimate),
        leading=results,
        blocks=blocks,
        uses=USED,
        cautions=[(*likewise([*results.values()]), *lost)],
        data=about_ratings(design),
        diagnostics=diagnostics(a),
        methods=list(methods(a)),
    )


def answer(alpha: Result) -> str:
    """State alpha, and where its interval lies among Krippendorff's customary minima."""
    row = alpha.rows[0]
    if row.estimate is None:
        return alpha.sentence()
    name = f"Krippendorff's α ({alpha.settings['scale']})"
    units, raters = alpha.counts["units"], alpha.counts.get("raters")
    return sentences.agreement_sentence(name, row, units, raters, band_text(row))


def verdict_on_raters(a: AgreementPage) -> Conclusion:
    """Return how often two raters agree, and whether that is enough for conclusions."""
    row, share = a.alpha.rows[0], a.coefficients.get(SHARE)
    if row.estimate is None:
        return verdict_of("The data do not show whether the raters agree", certainty="open")
    raters, band = f"the {count(len(a.design.raters))} raters", band_of(row)
    agree = f"{raters} agree to some degree"
    within, rate = "", None
    if share is not None and a.design.scale != "interval":
        rate, ends = share.rows[0].estimate, share.rows[0].ends()
        within = "" if ends is None else f"{between(*ends)} units"
    if rate is not None:
        agree = f"two of {raters}, taken at random, agree on {of_ten(rate)} units"
    certainty: Certainty = "open" if band == "open" else "interval"
    return verdict_of(f"{agree}; {BANDS[band][0]}", certainty=certainty, within=within)


def without_constant(a: AgreementPage) -> Iterator[str]:
    """Yield alpha without each rater who gave one level only, where it lies outside the interval of alpha."""
    design, lead = a.design, a.alpha.rows[0]
    if lead.conf_low is None or lead.conf_high is None or a.options.brief:
        return
    for code, name in enumerate(design.raters):
        values = design.value[(design.rater == code) & (design.status == OK)]
        others = [rater for rater in design.raters if rater != name]
        if len(values) < 2 or len(np.unique(values)) > 1 or len(others) < 2:
            continue
        result = attempt_result(krippendorff_alpha, design, raters=others, **a.options.chosen())
        row = lead if result is None else result.rows[0]
        if row.has_interval and not lead.conf_low <= (row.estimate or 0.0) <= lead.conf_high:
            level = shorten(design.levels[int(values[0])], 40)
            estimate = sentences.estimate_text(row)
            yield f"Without {quoted([name])}, who always gave '{level}', it was {estimate}."


def likewise(results: Sequence[Result]) -> Iterator[Caution]:
    """Yield the cautions that several coefficients have, each once, with the titles of all that it is about."""
    for code in ("SS317", "SS329"):
        coded = [
            (one, result.title) for result in results for one in result.cautions if one.code == code
        ]
        _, *further = dict.fromkeys(title for _, title in coded) or [""]
        if further:
            first, _ = coded[0]
            detail = f"{first.detail}. The same applies to {listing(further)}"
            yield replace(first, detail=detail, rows=None)


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


def diagnostics(a: AgreementPage) -> list[Diagnostic]:
    """Report units with fewer than two ratings, and the coefficients that could not be computed."""
    times = a.design.level_counts().sum(axis=1)
    alone = float(a.design.unit_count[times < 2].sum())
    fewer = f"No: {count(alone, 'unit has', 'units have')} fewer." if alone else "Yes."
    so_what = "Observed agreement rests on the other units." if alone else "All units were used."
    checks = [Diagnostic("Does every unit have at least two ratings?", fewer, so_what)]
    if a.skipped:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in a.skipped.items())
        so_what = "This page does not report them."
        checks.append(Diagnostic("Which coefficients were not computed?", reasons, so_what))
    return checks


def methods(a: AgreementPage) -> Iterator[str]:
    """Yield the methods: a brief paragraph, then judges, scale and the inference of each coefficient."""
    design, row = a.design, a.alpha.rows[0]
    ends = f"{percent_of(a.options.level)} CIs used {a.alpha.inference}."
    if row.conf_low is None and row.undefined:
        ends = f"There was no test or CI: {sentences.because(row.undefined)}."
    brief = f"Agreement was estimated by Krippendorff's alpha ({a.alpha.settings['scale']}). {ends}"
    if a.compared is not None:
        people, weights = a.compared.extras["named"], a.compared.settings["weights"]
        brief = (
            f"Judges were compared with {people} by {weights} kappa pooled over pairs of raters, on the same units. "
            f"{brief}"
        )
    yield brief
    if a.judged is not None:
        yield methods_of_judges(a.judged)
    declared = "were declared"
    if not design.levels_declared:
        declared = "were not declared; the levels that occur were used"
    yield (
        f"Ratings were on {with_article(design.scale)} scale of {count(len(design.levels), 'level')}. Levels "
        f"{declared}. Krippendorff's customary minima (.667 for tentative, .80 for firm conclusions) are conventions, "
        "not tests. Coefficients define agreement by chance differently."
    )
    yield " ".join(
        f"{name}: {result.inference}."
        for name, result in a.coefficients.items()
        if any(row.conf_low is not None for row in result.rows)
    )
