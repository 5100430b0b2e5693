"""The multinomial logit of actions on conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import UndefinedStatistic
from socialstats.figures import forest
from socialstats.inference.rows import with_each_t
from socialstats.models.multinomial_logit import Logit, joint_test, multinomial_logit
from socialstats.models.shares import source_counts
from socialstats.results import Check, Result, Row
from socialstats.studies.estimates import df_text, numbers_text, p_text, rows_table
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.studies.sources import Source
from socialstats.text import count, inconclusive, number, p_value, shorten

MOST_TERMS = 60
SOURCE = "source"  # the kind of the terms of the sources


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matrix:
    """A design matrix: names of the columns, what each belongs to, counts and clusters of the rows.

    Attributes
    ----------
    names, kinds : tuple of str
    x : (rows, terms) float64 array
    counts : (rows, levels) float64 array
        The level that the others are set against is the first.
    levels : tuple of str
    codes : (rows,) int64 array
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    x: FloatArray
    counts: FloatArray
    levels: tuple[str, ...]
    codes: IntArray


class LogitResult(Result):
    """A multinomial logit; ``extras["matrix"]`` holds its design matrix."""

    __slots__ = ()

    def crosscheck(self) -> Sequence[Check]:
        """Fit it again row by row, by statsmodels' MNLogit with clusters."""
        from socialstats.crosscheck.multinomial_logit import checks_of

        checks: Sequence[Check] = checks_of(self)
        return checks


def matrix_of(design: Ratings, source: Source, strata: Sequence[str]) -> Matrix:
    """Return source x first stratum + the other strata; people, the first level of each stratum are the base."""
    data = source_counts(design, source.name, "missing")
    who = [data.index(name, "source") for name in (source.human, *source.others)]
    n = len(design.units)
    place, unit = np.repeat(np.arange(len(who)), n), np.tile(np.arange(n), len(who))
    base = int((data.counts[:, who[0]] * data.copies[:, None]).sum(axis=0).argmax())
    order = [base, *(k for k in range(len(data.levels)) if k != base)]
    counts = np.concatenate([data.counts[:, k][:, order] * data.copies[:, None] for k in who])
    whose = [(name, place == t) for t, name in enumerate(source.others, 1)]
    columns = [("intercept", "intercept", np.ones(len(unit), dtype=bool)), *((SOURCE, *one) for one in whose)]
    for name in strata:
        factor = design.strata[name]
        main = [(level, factor.codes[unit] == k) for k, level in enumerate(factor.levels) if k]
        columns += [(name, *one) for one in main]
        if name == strata[0]:
            columns += [(f"{SOURCE} x {name}", f"{other} x {level}", own & x)
                        for other, own in whose for level, x in main]  # fmt: skip
    cluster, kept = (design.clusters[0].codes if design.clusters else np.arange(n)), counts.sum(axis=1) > 0
    return Matrix(
        names=tuple(name for _, name, _ in columns), kinds=tuple(kind for kind, _, _ in columns),
        x=np.column_stack([x for _, _, x in columns])[kept].astype(np.float64), counts=counts[kept],
        levels=tuple(data.levels[k] for k in order), codes=cluster[unit][kept],
    )  # fmt: skip


def logit(design: Ratings, source: Source, strata: Sequence[str], level: float) -> LogitResult | None:
    """Fit the model of all actions; None with two crossed clusters, too many terms or no finite maximum."""
    if len(design.clusters) > 1 or len(design.levels) < 2:
        return None
    made = matrix_of(design, source, strata)
    if made.x.shape[1] * (len(made.levels) - 1) > MOST_TERMS or np.linalg.matrix_rank(made.x) < made.x.shape[1]:
        return None
    try:
        fit = multinomial_logit(made.x, made.counts, made.codes)
    except UndefinedStatistic:
        return None
    by = design.clusters[0].name if design.clusters else "unit"
    return LogitResult(
        metric="choice_shares", title=f"Multinomial logit against '{shorten(made.levels[0], 40)}'",
        rows=(*tests_of(made, fit), *coefficients(made, fit, level)),
        inference=f"maximum likelihood, errors clustered by {shorten(by, 40)} ({count(fit.groups)}), t with "
        f"{count(fit.groups - 1)} df; joint tests by F", counts={"ratings": int(made.counts.sum())},
        settings={"level": level}, references=("mcfadden1974", "liangzeger1986"), design=design,
        words="A multinomial logit of all actions.", extras={"matrix": made},
    )  # fmt: skip


def tests_of(made: Matrix, fit: Logit) -> list[Row]:
    """Joint tests of each kind of term, all actions at once."""
    rows = []
    for kind in dict.fromkeys(made.kinds[1:]):
        row = Row(term=kind, group="all at once", key=(("kind", kind),), role="test", test="f", n_clusters=fit.groups)
        found = joint_test(fit, np.flatnonzero([own == kind for own in made.kinds]))
        if found is None:
            rows.append(replace(row, undefined="as many coefficients as clusters", reason="unidentified"))
            continue
        f, df, rest, p = found
        rows.append(replace(row, statistic=f, df=df, p_value=p, method=f"F with {df:.0f} and {rest:.0f} df"))
    return rows


def coefficients(made: Matrix, fit: Logit, level: float) -> list[Row]:
    """Log-odds ratios of each action against the first, term by term."""
    rows = [
        Row(term=name, group=f"{action} against {made.levels[0]}", estimate=float(b), n_clusters=fit.groups,
            key=(("action", action), ("kind", kind), ("column", name)), role="estimate")
        for action, bs in zip(made.levels[1:], fit.coef, strict=True)
        for kind, name, b in zip(made.kinds, made.names, bs, strict=True)
    ]  # fmt: skip
    errors = np.sqrt(np.diag(fit.covariance))
    return with_each_t(rows, errors, np.full(len(rows), fit.groups - 1.0), level, [""] * len(rows))


def logit_block(design: Ratings, source: Source, strata: Sequence[str], options: StudyOptions) -> Block | None:
    """Show the model of all actions; None where it cannot be fitted."""
    result = logit(design, source, strata, options.level)
    if result is None:
        return None
    made: Matrix = result.extras["matrix"]
    tests = [r for r in result.rows if r.role == "test"]
    known = [r for r in result.rows if r.role == "estimate"]
    beyond = [SOURCE, *(f"{SOURCE} x {name}" for name in strata[:1])]
    lines = [replace(r, term=f"{r.group}: {r.term}", group=None) for r in known if r.label("kind") in beyond]
    labels = [f"{shorten(r.group or '', 60)}: {shorten(r.term, 60)}" for r in known]
    where = f" at '{shorten(design.strata[strata[0]].levels[0], 30)}'" if strata else ""
    terms = f" x {' + '.join(shorten(name, 30) for name in strata)}" if strata else ""
    return Block(
        id="logit", question="What does one model of all actions say?",
        sentences=(*test_sentences(tests, strata), odds_sentence(known, source, where)),
        draw=partial(forest, lines[:200], sort=False, digits=2, xlabel="log-odds ratio"),
        figure_title=f"Log-odds of each action against '{shorten(made.levels[0], 30)}', beyond those of people",
        caption=f"Multinomial logit: source{terms}, all actions at once. Shown: sources{where}, and by how much their "
        f"log-odds move more than people's. Intervals: {result.inference}.",
        tables=(
            Table(caption="Is a kind of term needed? All actions at once",
                  header=("Terms", "F", "df", "p", "Clusters", "Test", "Why not"),
                  cells=tuple((r.term, r.statistic, df_text(r.df), p_text(r.p_value), r.n_clusters, r.method,
                               r.undefined) for r in tests)),
            rows_table(known, f"Log-odds ratios against '{shorten(made.levels[0], 30)}'", term="Action and term",
                       labels=labels),
        ),
        results=(result,),
    )  # fmt: skip


def test_sentences(tests: Sequence[Row], strata: Sequence[str]) -> tuple[str, ...]:
    """Say whether the sources move differently over the first stratum, and whether the others move the actions."""
    said = []
    for row in tests:
        if row.p_value is None or row.term in (SOURCE, *strata[:1]):
            continue
        own = row.term not in strata
        moved = "the sources are moved differently" if own else "the actions differ"
        found = moved if row.p_value < 0.05 else inconclusive(moved)
        said.append(
            f"By {shorten(strata[0] if own else row.term, 40)} {found}: F({df_text(row.df)}, "
            f"{df_text((row.n_clusters or 0) - (row.df or 0.0))}) = {number(row.statistic)}, {p_value(row.p_value)}."
        )
    return tuple(said)


def odds_sentence(rows: Sequence[Row], source: Source, where: str) -> str:
    """Say by how much the log-odds of the first source lie apart from people's, where the test statistic is largest."""
    first = source.others[0]
    own = [r for r in rows if r.label("kind") == SOURCE and r.label("column") == first]
    top = max(own, key=lambda r: abs(r.statistic or 0.0))
    return (
        f"{shorten(first, 30)}: the log-odds of {shorten(top.group or '', 60)}{where} are those of "
        f"{shorten(source.human, 30)} raters plus {numbers_text(top)}."
    )
