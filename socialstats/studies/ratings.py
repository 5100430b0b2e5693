"""Ratings: do the raters agree?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from socialstats.designs.ratings import REFUSAL, Ratings
from socialstats.errors import InputError, NothingToAnalyse, UndefinedStatistic
from socialstats.metrics.fleiss_kappa import fleiss_kappa
from socialstats.metrics.gwet_ac import gwet_ac
from socialstats.metrics.krippendorff_alpha import krippendorff_alpha
from socialstats.metrics.percent_agreement import percent_agreement
from socialstats.metrics.weighted_kappa import weighted_kappa
from socialstats.models.kappa import too_many_pairs
from socialstats.progress import say
from socialstats.results import Result, Row
from socialstats.studies.base import Study, StudyOptions, order_cautions
from socialstats.studies.estimates import cluster_words, numbers_text, references_of, settings_of, verify_all
from socialstats.studies.many_raters import MOST_RATERS, many_pairs_block
from socialstats.studies.outcome import Block, Diagnostic, Mark, Outcome, Strip
from socialstats.studies.rating_means import means_block
from socialstats.studies.ratings_blocks import (
    about_ratings,
    coefficients_block,
    crossed_block,
    level_words,
    pairs_block,
    raters_block,
    refusals_block,
    stratum_block,
)
from socialstats.studies.ratings_judges import (
    answer_of_judges,
    is_known,
    judged,
    judges_block,
    methods_of_judges,
    strip_of_judges,
    title,
    unknown,
)
from socialstats.studies.ratings_multiverse import alpha_multiverse
from socialstats.studies.robustness import Way, dependence_block, with_design_effect
from socialstats.text import count, level_text, listing, number, shorten, with_article

USED = ("seed", "resamples", "level", "verify")
TENTATIVE, FIRM = 0.667, 0.8  # Krippendorff's customary lines
LINES = f"customary lines: {number(TENTATIVE, 3, bounded=True)} for tentative, .80 for firm conclusions"
FEWEST = 5  # independent units or clusters that a verdict needs
MOST_RATERS_OUT = 20  # raters that are left out in turn
SLOW_PAIRS = 5000  # of raters: kappa takes a second or more
MOST_JUDGED = 2000  # of judge_agreement, whose tables are levels by levels
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
        for what, results in (("alpha by", self.strata), ("alpha", self.groups), ("alpha", self.left_out)):
            found |= {f"{what} {shorten(name, 40)}": result for name, result in results.items()}
        return found | ({"alpha with refusals": self.refused} if self.refused is not None else {})


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: how well do the raters agree, who with whom, where, and how sure is that?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    numbers = compute(design, options)
    results = (*([numbers.judged] if numbers.judged is not None else []), *numbers.coefficients.values())
    shown = blocks(design, numbers, options)
    judged = numbers.judged if is_known(numbers.judged) else None
    said = [answer(numbers.alpha.rows[0])]
    if judged is not None:
        whole = numbers_text(numbers.alpha.rows[0], bounded=True)
        said = [
            answer_of_judges(judged),
            f"Krippendorff's alpha of all {count(len(design.raters), 'rater')} together was {whole} ({LINES}).",
        ]
    elif numbers.judged is not None:
        said.append(unknown(numbers.judged))
    return Outcome(
        study="agreement",
        title=f"Do the {count(len(design.raters))} raters agree?" if judged is None else title(judged),
        design=describe(design),
        answer=tuple(said),
        strip=strip(numbers) if judged is None else strip_of_judges(judged),
        cautions=order_cautions(*(r.cautions for r in results), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=about_ratings(design),
        diagnostics=diagnostics(design, numbers),
        methods=methods(design, numbers, options),
        references=references_of(results, shown),
        verifications=verify_all(numbers.all(), shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute every number of the page."""
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    alpha = krippendorff_alpha(design, **common)
    found: dict[str, Any] = {"Krippendorff's alpha": alpha}
    skipped: dict[str, str] = {}
    discrete = len(design.levels) <= KAPPA_LEVELS
    more: dict[str, Any] = {
        "Gwet's AC": gwet_ac,
        "Weighted kappa": weighted_kappa,
        "Percent agreement": percent_agreement,
    }
    raters = len(design.raters)
    many, pairs = raters > MOST_RATERS, raters * (raters - 1) // 2
    pooled = {name: {"pairs": "pooled"} for name in ("Weighted kappa", "Percent agreement")} if many else {}
    if design.scale == "nominal":
        more = {"Fleiss' kappa": fleiss_kappa} | more
    for name, metric in more.items():
        if not discrete and name != "Percent agreement":
            skipped[name] = f"{count(len(design.levels))} distinct values are numbers, not levels"
            continue
        if name == "Weighted kappa" and not design.raters_known:
            skipped[name] = "the table does not say who gave which rating"
            continue
        if name == "Weighted kappa" and too_many_pairs(raters):
            skipped[name] = f"it compares raters two by two, and {too_many_pairs(raters)}"
            say(f"{name} is left out: {skipped[name]}", slow=True)
            continue
        say(f"{name} of {count(raters, 'rater')}", slow=name == "Weighted kappa" and pairs > SLOW_PAIRS)
        try:
            found[name] = metric(design, **common, **pooled.get(name, {}))
        except (UndefinedStatistic, NothingToAnalyse) as error:
            skipped[name] = str(error)
    refusals = bool(np.any(design.status == REFUSAL))
    return Numbers(
        coefficients=renamed(found),
        strata={name: alpha_of(design, stratum=name, **common) for name in design.strata},
        groups=attempts(design, by_group(design), common),
        left_out=attempts(design, without_each(design), common),
        refused=alpha_of(design, scale="nominal", refusal="level", **common) if refusals else None,
        plain=alpha_of(design, scale="nominal", **common) if refusals else None,
        judged=judged(design, level=options.level) if len(design.levels) <= MOST_JUDGED else None,
        skipped=skipped,
    )


def alpha_of(design: Ratings, **options: Any) -> Result:
    """Return alpha of a design without a by factor: a single result."""
    found: Any = krippendorff_alpha(design, **options)
    result: Result = found
    return result


def renamed(found: dict[str, Result]) -> dict[str, Result]:
    """Call each coefficient by the title of its result, which names scale and weights."""
    return {result.title if name != "Percent agreement" else name: result for name, result in found.items()}


def by_group(design: Ratings) -> dict[str, tuple[str, ...]]:
    """Return the raters of each group that has two."""
    found = {}
    for name, factor in design.rater_groups.items():
        for code, level in enumerate(factor.levels):
            names = tuple(rater for rater, own in zip(design.raters, factor.codes.tolist(), strict=True) if own == code)
            if 2 <= len(names) < len(design.raters):
                found[f"{shorten(name, 30)} {shorten(level, 40)} ({count(len(names), 'rater')})"] = names
    return found


def without_each(design: Ratings) -> dict[str, tuple[str, ...]]:
    """Return all raters but one, for each of them; nothing for two raters, or more than 20."""
    if not 3 <= len(design.raters) <= MOST_RATERS_OUT or not design.raters_known:
        return {}
    return {f"without {shorten(name, 40)}": tuple(r for r in design.raters if r != name) for name in design.raters}


def attempts(design: Ratings, groups: dict[str, tuple[str, ...]], common: dict[str, Any]) -> dict[str, Result]:
    """Compute alpha of each group of raters, leaving out those who share no unit."""
    found: dict[str, Any] = {}
    for label, raters in groups.items():
        try:
            found[label] = krippendorff_alpha(design, raters=raters, **common)
        except (UndefinedStatistic, NothingToAnalyse):
            continue
    return found


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    by_metric = {result.metric: result for result in numbers.coefficients.values()}
    found = [coefficients_block(numbers.coefficients)]
    kappa, shares = by_metric.get("weighted_kappa"), by_metric.get("percent_agreement")
    optional = [pairs_block(design, kappa, shares) if kappa is not None and shares is not None else None]
    optional.append(many_pairs_block(design, kappa, options))
    optional.append(crossed_block(design))
    optional.append(means_block(design, options))
    optional += [stratum_block(design, name, result) for name, result in numbers.strata.items()]
    optional.append(raters_block(numbers.groups, numbers.alpha, "within each group of raters"))
    optional.append(raters_block(numbers.left_out, numbers.alpha, "when one of them is left out"))
    optional.append(refusals_block(numbers.refused, numbers.alpha, numbers.plain))

    def alpha(way: Way) -> Any:
        return krippendorff_alpha(design, cluster=way, level=options.level)

    optional.append(dependence_block(design.clusters, alpha, rows="units", quantity="alpha", bounded=True))
    if numbers.alpha.rows[0].estimate is not None:
        optional.append(alpha_multiverse(design, options, numbers.left_out, line=TENTATIVE))
    shown = with_design_effect(found + [block for block in optional if block is not None], design.clusters)
    if numbers.judged is None:
        return shown
    lead = int(not is_known(numbers.judged))  # what cannot be compared does not lead
    return (*shown[:lead], judges_block(numbers.judged), *shown[lead:])


def answer(row: Row) -> str:
    """Return the verdict by Krippendorff's customary lines, with its numbers."""
    inside = f"alpha {numbers_text(row, bounded=True)}"
    if row.estimate is None or row.conf_low is None or row.conf_high is None:
        return f"No verdict: {inside}."
    if row.df is not None and row.df + 1 < FEWEST:
        return f"No verdict: {count(row.df + 1)} independent units or clusters are too few; {inside}."
    if row.conf_low >= FIRM:
        return f"Yes: the raters agree well enough for firm conclusions; {inside} ({LINES})."
    if row.conf_low >= TENTATIVE:
        return f"The raters agree well enough for tentative conclusions; {inside} ({LINES})."
    if row.conf_high < TENTATIVE:
        return f"No: the raters agree too little to rely on single ratings; {inside} ({LINES})."
    return f"It is inconclusive whether the raters agree well enough: {inside} ({LINES})."


def strip(numbers: Numbers) -> Strip:
    """Return the coefficients beside chance and the customary lines."""
    marks = [
        Mark(label="chance", value=0.0, kind="reference"),
        Mark(label="tentative", value=TENTATIVE, kind="reference"),
        Mark(label="firm", value=FIRM, kind="reference"),
    ]
    for name, result in numbers.coefficients.items():
        if result.metric != "percent_agreement":
            r = result.rows[0]
            marks.append(Mark(label=shorten(name, 48), value=r.estimate, low=r.conf_low, high=r.conf_high,
                              undefined=r.undefined or ""))  # fmt: skip
    return Strip(title="Agreement beyond chance, beside Krippendorff's customary lines", axis="1 = perfect agreement",
                 marks=tuple(marks), digits=3)  # fmt: skip


def describe(design: Ratings) -> str:
    """Return the design in one line: kind, and n at every level."""
    parts = [
        count(design.n_rows, "rating"), f"{count(design.unit_count.sum(), 'unit')}",
        f"{count(len(design.raters), 'rater')}", f"{design.scale} scale ({level_words(design)})",
        *cluster_words(design),
    ]  # fmt: skip
    return "Ratings: " + ", ".join(parts)


def diagnostics(design: Ratings, numbers: Numbers) -> tuple[Diagnostic, ...]:
    """Say how many ratings a unit has, and which coefficients could not be computed."""
    times = design.level_counts().sum(axis=1)
    alone = float(design.unit_count[times < 2].sum())
    found = [
        Diagnostic(
            check="Does every unit have at least two ratings?",
            found=f"No: {count(alone, 'unit has', 'units have')} fewer." if alone else "Yes.",
            so_what="Such units say nothing about agreement and do not enter." if alone else "All units enter.",
        )
    ]
    if numbers.skipped:
        found.append(
            Diagnostic(
                check="Which coefficients are left out?",
                found="; ".join(f"{name}: {reason}" for name, reason in numbers.skipped.items()),
                so_what="They are not on this page.",
            )
        )
    return tuple(found)


def methods(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraph."""
    how = "; ".join(f"{name}: {result.inference}" for name, result in numbers.coefficients.items())
    scale = "declared" if design.levels_declared else "not declared: those that occur"
    return (
        *([methods_of_judges(numbers.judged)] if numbers.judged is not None else []),
        f"Agreement on {with_article(design.scale)} scale of {count(len(design.levels), 'level')} ({scale}). {how}. "
        f"{level_text(options.level)} intervals. The customary lines are conventions (Krippendorff), not tests; "
        f"coefficients differ in what they call chance: {listing(list(numbers.coefficients))}.",
    )


STUDY = Study(
    name="agreement",
    title="Do the raters agree, who with whom, and where?",
    design="ratings",
    needs="unit, rater, value",
    suits=lambda design: True,
    run=run,
)
