"""The multinomial logit of actions on conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from socialstats import sentences
from socialstats.designs.ratings import Ratings
from socialstats.errors import SocialStatsError
from socialstats.figures import forest
from socialstats.results import Result, Row
from socialstats.shares.multinomial_logit import SOURCE, multinomial_logit
from socialstats.shares.sources import RaterSource
from socialstats.studies.estimates import df_text, p_text, rows_table, single
from socialstats.studies.page import Block, PageTable, StudyOptions
from socialstats.text import capital, number, p_value, shorten


def logit_block(
    design: Ratings, source: RaterSource, strata: Sequence[str], options: StudyOptions
) -> Block | None:
    """Return the model of all actions; None where it cannot be fitted."""
    try:
        result = single(multinomial_logit(design, terms=strata, level=options.level))
    except SocialStatsError:
        return None
    made = result.extras["matrix"]
    tests = [r for r in result.rows if r.role == "test"]
    known = [r for r in result.rows if r.role == "estimate"]
    beyond = [SOURCE, *(f"{SOURCE} x {name}" for name in strata[:1])]
    lines = [
        replace(r, term=f"{r.group}: {r.term}", group=None)
        for r in known
        if r.label("kind") in beyond
    ]
    labels = [f"{shorten(r.group or '', 60)}: {shorten(r.term, 60)}" for r in known]
    where = f" at '{shorten(design.strata[strata[0]].levels[0], 30)}'" if strata else ""
    terms = f" x {' + '.join(shorten(name, 30) for name in strata)}" if strata else ""
    return Block(
        id="logit",
        question="Which factors influenced the actions in one model of all of them?",
        part="appendix",
        sentences=(
            *test_sentences(result, strata, options.level),
            odds_sentence(known, source, where),
        ),
        draw=partial(forest, lines[:200], sort=False, xlabel="log-odds ratio"),
        figure_title=f"Log-odds ratios of each action against '{shorten(made.levels[0], 30)}', sources versus people",
        caption=f"Multinomial logit: source{terms}. Points: sources{where}, and differences between their changes and "
        f"people's. CIs: {result.inference}.",
        tables=(
            PageTable(
                caption="Joint tests of each kind of term, all actions at once",
                header=("Terms", "F", "df", "p", "Clusters", "Test", "Why not"),
                cells=tuple(
                    (
                        r.term,
                        r.statistic,
                        df_text(r.df),
                        p_text(r.p_value),
                        r.n_clusters,
                        r.method,
                        r.undefined,
                    )
                    for r in tests
                ),
                rows=tuple(tests),
            ),
            rows_table(
                known,
                f"Log-odds ratios against '{shorten(made.levels[0], 30)}'",
                term="Action and term",
                labels=labels,
            ),
        ),
        results=(result,),
    )


def test_sentences(result: Result, strata: Sequence[str], level: float) -> tuple[str, ...]:
    """Return whether the sources changed differently over the first stratum, and whether the others mattered."""
    said = []
    for row in result.rows:
        if row.role != "test" or row.p_value is None or row.term in (SOURCE, *strata[:1]):
            continue
        own = row.term not in strata
        name = shorten((strata[0] if own else row.term).replace("_", " "), 40)
        what = f"the effect of {name} on actions" if own else "the actions"
        clear = sentences.is_significant(row, round(1 - level, 12))
        over = "between sources" if own else f"by {name}"
        dfs = f"{df_text(row.df)}, {df_text(result.extras['df_denominator'][row.term])}"
        said.append(
            f"{capital(what)} {'differed' if clear else 'did not differ'} significantly {over}, F({dfs}) = "
            f"{number(row.statistic)}, {p_value(row.p_value)}."
        )
    return tuple(said)


def odds_sentence(rows: Sequence[Row], source: RaterSource, where: str) -> str:
    """Return the log-odds ratio of a source and people with the largest test statistic."""
    own = [r for r in rows if r.label("kind") == SOURCE and r.label("column") in source.others]
    top = max(own, key=lambda r: abs(r.statistic or 0.0))
    first = top.label("column") or ""
    what = f"The log-odds of {shorten(top.group or '', 60)}{where}"
    if top.conf_low is None:
        return f"{what} have no interval for {shorten(first, 30)}: {top.undefined}."
    side = "higher" if (top.estimate or 0.0) > 0 else "lower"
    how = side if sentences.reliable(top) else f"not reliably {side}"
    return (
        f"{what} were {how} for {shorten(first, 30)} than "
        f"{shorten(source.human, 30)} raters (difference = {sentences.estimate_text(top)})."
    )
