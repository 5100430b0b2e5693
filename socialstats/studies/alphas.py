"""Krippendorff's alpha on pages: customary minima, kinds of alpha, groups of raters, strata and analysis variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np

from socialstats.agreement.krippendorff_alpha import krippendorff_alpha
from socialstats.custom.multiverse import Variant
from socialstats.designs.level_orders import Scale
from socialstats.designs.parts import OK, REFUSAL
from socialstats.designs.ratings import Ratings
from socialstats.planning.adjusting import adjust_family_by_holm
from socialstats.results import Result, Row
from socialstats.scales.measures import ALPHA
from socialstats.scales.ratings_difference import ratings_difference
from socialstats.studies.asking import Part, ask_rows, attempt_result
from socialstats.studies.estimates import rows_table
from socialstats.studies.multiverse import analysis_variants, multiverse_question
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.row_figures import interval_points
from socialstats.studies.row_picking import add_labels, pick_rows, rows_by
from socialstats.studies.row_sentences import span_sentence
from socialstats.studies.row_tables import compact_table, grid_table
from socialstats.text import as_words, count, number, shorten

FIRM, TENTATIVE = 0.8, 0.667  # Krippendorff's customary minima
FEWEST = 5  # independent units or clusters that a verdict needs
NOMINAL = "nominal"
REFUSALS_AS_LEVEL = "nominal, refusals as a level"
MOST_REPEATED = 20  # levels; more are numbers that are rarely repeated
MOST_RATERS_OUT = 20  # raters that are left out in turn
MOST_MAIN = 2  # strata among the main results

Alphas = Mapping[tuple[str, str], Result]
"""Alphas by the raters that agree (or the level of the by factor) and the kind of alpha."""
Band = Literal["firm", "tentative", "below", "open"]
# where an interval lies: in a verdict, and after the number
BANDS: dict[Band, tuple[str, str]] = {
    "firm": (
        "this is enough for firm conclusions",
        "{how} at least .80, the customary minimum for firm conclusions",
    ),
    "tentative": (
        "this is enough for tentative conclusions only",
        "{how} at least .667, the customary minimum for tentative conclusions",
    ),
    "below": (
        "this is too little for conclusions from their ratings",
        "{how} below .667, the customary minimum",
    ),
    "open": (
        "the data do not show whether this is enough for conclusions",
        "inconclusive against .667, the customary minimum",
    ),
}


# customary minima


def rests_on_few(row: Row) -> bool:
    """Return whether a coefficient rests on too few independent units or clusters for a verdict."""
    return row.df is not None and row.df + 1 < FEWEST


def band_of(row: Row) -> Band:
    """Return where the interval of a coefficient lies among Krippendorff's minima.

    Examples
    --------
    >>> band_of(Row(term="alpha", estimate=0.5, conf_low=0.4, conf_high=0.6, df=59.0))
    'below'
    """
    if row.conf_low is None or row.conf_high is None or rests_on_few(row):
        return "open"
    if row.conf_low >= FIRM:
        return "firm"
    if row.conf_low >= TENTATIVE:
        return "tentative"
    return "below" if row.conf_high < TENTATIVE else "open"


def band_text(row: Row) -> str:
    """Return the same in words, after the number; empty without an interval.

    Examples
    --------
    >>> band_text(Row(term="alpha", estimate=0.5, conf_low=0.4, conf_high=0.6, df=59.0))
    'reliably below .667, the customary minimum'
    """
    if row.conf_low is None or row.conf_high is None:
        return ""
    if rests_on_few(row):
        independent = count((row.df or 0.0) + 1)
        return f"too uncertain for a verdict ({independent} independent units or clusters)"
    how = "by its approximate interval" if row.approximate else "reliably"
    return BANDS[band_of(row)][1].format(how=how)


# kinds of alpha, and groups of raters


def alphas_of(design: Ratings, options: StudyOptions) -> dict[str, Result]:
    """Return alpha of each kind, that on the scale of the design last; empty where no unit has two ratings."""
    kinds: dict[str, dict[str, str]] = {}
    if np.any(design.status == REFUSAL):
        kinds[REFUSALS_AS_LEVEL] = {"scale": NOMINAL, "refusal": "level"}
    kinds |= {scale: {"scale": scale} for scale in (NOMINAL, design.scale)}
    together = replace(design, by=None)
    alphas = {
        kind: attempt_result(krippendorff_alpha, together, **choices, **options.chosen())
        for kind, choices in kinds.items()
    }
    return {} if None in alphas.values() else alphas


def alphas_by_part(parts: Mapping[str, Ratings], options: StudyOptions) -> Alphas:
    """Return the alphas of each part of a table, such as a source or a level, and of groups of raters."""
    return {
        (name, kind): result
        for name, part in parts.items()
        for kind, result in alphas_of(part, options).items()
    }


def groups_of_raters(design: Ratings) -> dict[str, Ratings]:
    """Return the ratings of each group of raters that has two, beside other raters."""
    groups = {}
    for name, factor in design.rater_groups.items():
        for code, level in enumerate(factor.levels):
            raters = [design.raters[place] for place in np.flatnonzero(factor.codes == code)]
            if 2 <= len(raters) < len(design.raters):
                size = count(len(raters), "rater")
                label = f"{shorten(name, 30)} {shorten(level, 40)} ({size})"
                groups[label] = design.of_raters(raters)
    return groups


def alpha_differences(
    parts: Mapping[str, Ratings], reference: str, options: StudyOptions
) -> list[Result]:
    """Return alpha of each part minus that of the reference, with the order of the levels and without.

    Units are resampled in both together, so the difficulty of units cancels.
    """
    scales: dict[Scale, None] = dict.fromkeys((parts[reference].scale, "nominal"))
    differences = []
    for name, scale in product([name for name in parts if name != reference], scales):
        labels = (name, reference)
        pair = [replace(parts[label], by=None, scale=scale) for label in labels]
        result = attempt_result(ratings_difference, *pair, labels=labels, **options.chosen())
        rows = () if result is None else tuple(row for row in result.rows if row.group == ALPHA)
        if rows:
            title = f"Alpha ({scale}): {' minus '.join(labels)}"
            differences.append(replace(result, rows=rows, title=title))
    return differences


def alpha_rows(alphas: Alphas) -> list[Row]:
    """Return the alphas as rows of one table."""
    return [
        row
        for (part, kind), result in alphas.items()
        for row in add_labels(result.rows[:1], part=part, kind=kind)
    ]


def agreement_question(
    alphas: Alphas,
    say: Iterable[str],
    differences: Sequence[Result] = (),
    *,
    id: str = "agreement",
    question: str = "",
    note: str = "",
    part: Part = "main",
) -> Block | None:
    """Ask whether raters of each part agree, and whether the order of the levels matters."""
    rows = alpha_rows(alphas)
    ordered = len(rows_by(rows, "kind")) > 1
    title = "Krippendorff's alpha (1: perfect, 0: chance)"
    names = [f"{row.label('part')}: {row.label('kind')}" for row in rows]
    # differences of several parts stand in one table
    gaps = [row for result in differences for row in add_labels(result.rows, of=result.title)]
    kinds = "The nominal alpha ignores the order of the levels. Refusals are excluded, or one more level."
    return ask_rows(
        id,
        question or f"Did raters agree{', and did the order of the levels matter' * ordered}?",
        alphas,
        rows,
        quantity=title,
        say=say,
        names=names,
        table=grid_table(
            rows, title, "part", "kind", name="alphas", cell="interval", headings={"part": "Raters"}
        ),
        more=[compact_table(rows_table(rows, title, labels=names))],
        draw=interval_points(),
        tables={"Differences on the same units": gaps},
        results=differences,
        note=f"{kinds * ordered} {note}".strip(),
        part=part,
    )


def kinds_sentences(alphas: Alphas) -> list[str]:
    """State the range of each kind of alpha, that on the scale of the design first."""
    kinds = rows_by(alpha_rows(alphas), "kind")
    order = sorted(kinds, key=lambda kind: kind in (NOMINAL, REFUSALS_AS_LEVEL))
    return [span_sentence(kinds[kind], f"Krippendorff's α ({kind})") for kind in order]


# strata


def strata_questions(
    parts: Mapping[str, Ratings], strata: Iterable[str], options: StudyOptions
) -> Iterator[Block | None]:
    """Ask of each stratum how well raters agree at its levels, for each part of the table."""
    for k, stratum in enumerate(strata):
        words = as_words(stratum)
        results, rows = list[Result | None](), list[Row]()
        for name, part in parts.items():
            together = replace(part, by=None)
            result = attempt_result(
                krippendorff_alpha, together, stratum=stratum, **options.chosen()
            )
            if result is not None:
                levels = pick_rows(result.rows, stratum=True)
                tested, adjusted = adjust_family_by_holm(levels, f"levels of {stratum}")
                results += [result, adjusted]
                rows += add_labels(tested, part=name)
        yield ask_rows(
            f"stratum-{k + 1}",
            f"How well did raters agree at each level of {words}?",
            results,
            rows,
            quantity=f"Krippendorff's alpha by {words}",
            say=[span_sentence(rows, "alpha"), "Differences between levels were not tested."],
            draw=interval_points(label=words),
            note="Where ratings vary little, alpha is low even if raters mostly agree.",
            part="main" if k < MOST_MAIN else "appendix",
        )


# analysis variants


def alpha_multiverse(design: Ratings, alpha: Result, options: StudyOptions) -> Block:
    """Ask whether alpha depends on the scale, clusters, interval, refusals, units, and single raters."""
    compute = partial(krippendorff_alpha, **options.chosen())
    page = Variant(
        label=f"{design.scale}, all raters", choice="as on this page", compute=lambda: alpha
    )
    analyses: list[tuple[str, str, dict[str, Any]]] = [
        *(("scale", f"{scale} scale", {"scale": scale}) for scale in scales(design)),
        ("interval", "bootstrap, percentile", {"ci": "percentile"}),
    ]
    if design.scale == NOMINAL and np.any(design.status == REFUSAL):
        analyses.append(("refusals", "refusals as a level", {"refusal": "level"}))
    if 3 <= len(design.raters) <= MOST_RATERS_OUT and design.raters_known:
        for name in design.raters:
            others = [rater for rater in design.raters if rater != name]
            analyses.append(("rater left out", f"without {shorten(name, 40)}", {"raters": others}))
    ratings = np.bincount(design.unit[design.status == OK], minlength=len(design.units))
    complete = ratings == len(design.raters)
    tables = []
    if complete.any() and not complete.all():
        by_all = partial(design.take, complete[design.unit], note="one level left out")
        tables.append(("missing ratings", "units that all raters rated", by_all))
    variants = analysis_variants(page, compute, design, analyses, (), tables)
    return multiverse_question(
        "krippendorff_alpha",
        "coefficient alpha",
        variants,
        reference=TENTATIVE,
        words=number(TENTATIVE, 3, bounded=True),
        note="Another scale defines disagreement differently.",
    )


def scales(design: Ratings) -> list[str]:
    """Return the other scales on which the levels could be taken."""
    ordered = design.scale != NOMINAL
    possible = [NOMINAL] * (len(design.levels) <= MOST_REPEATED)
    possible += ["ordinal"] * ordered + ["interval"] * (design.numeric and ordered)
    return [scale for scale in possible if scale != design.scale]
