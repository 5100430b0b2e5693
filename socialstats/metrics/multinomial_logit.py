"""The multinomial logit of levels on who gave them and on strata of the units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.designs.calls import TableLike
from socialstats.designs.options import texts
from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_each_t
from socialstats.models.multinomial_logit import Logit, joint_test
from socialstats.models.multinomial_logit import multinomial_logit as fitted
from socialstats.models.shares import source_counts
from socialstats.models.sources import Source, human_source
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.sentences import estimate as estimated
from socialstats.text import count, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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


@reads(Ratings)
def multinomial_logit(
    ratings: Ratings | TableLike, *, terms: Sequence[str] | None = None, level: float = 0.95, **columns: Any
) -> Result | ResultGroup:
    """Fit a multinomial logit of all levels on the source of a rating and on strata of the units.

    log(p_k / p_1) = terms of each source beside people, of each level of the strata, and of each source at each level
    of the first stratum. People, and the first level of each stratum, are the base; level 1 is the one
    that people chose most often.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a rater group of which one level is called human. With a ``by`` factor: one result per level.
    terms : sequence of str, optional
        Declared strata; by default all.
    level : float
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        First the F tests of each kind of term, all levels at once (group ``"all at once"``), then the log-odds ratios
        (`group` names the two levels). Estimates are by maximum likelihood, with standard errors clustered by the
        declared factor or by unit (Liang & Zeger 1986). Their t has one degree of freedom less than clusters.

    Raises
    ------
    InputError
        Without people beside other sources, for unknown strata, two crossed clusters, and more than 60 coefficients.
    UndefinedStatistic
        If there is a single level, coefficients are not identified, or the likelihood has no finite maximum.

    References
    ----------
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In P. Zarembka (Ed.), Frontiers in
    econometrics (pp. 105-142). Academic Press.
    Liang, K.-Y., & Zeger, S. L. (1986). doi:10.1093/biomet/73.1.13

    Examples
    --------
    >>> table = {"unit": [k for k in range(8) for _ in "ab"], "rater": ["ann", "m"] * 8,
    ...          "value": [*"yynyynnnyynnyyny"], "source": ["human", "model"] * 8}
    >>> result = multinomial_logit(table, rater_groups="source", scale="nominal")
    >>> round(result.row("model").estimate, 3)
    0.511
    """
    return estimate(ratings, terms=terms, level=checked_level(level))


def estimate(design: Ratings, *, terms: Sequence[str] | None, level: float) -> Result:
    """Fit one design."""
    source = human_source(design)
    if source is None:
        raise InputError(f"{design.source}: needs a rater group of which one level is called human, and others")
    strata = list(design.strata if terms is None else texts(terms))
    if unknown := [name for name in strata if name not in design.strata]:
        raise InputError(f"terms: {quoted(unknown)} not declared; strata: {quoted(list(design.strata)) or 'none'}")
    if len(design.clusters) > 1:
        raise InputError("a multinomial logit takes one cluster factor, and two are declared")
    if len(design.levels) < 2:
        raise UndefinedStatistic("there is a single level")
    made = matrix_of(design, source, strata)
    size = made.x.shape[1] * (len(made.levels) - 1)
    if size > MOST_TERMS:
        raise InputError(f"{count(size, 'coefficient')} exceed the maximum of {MOST_TERMS}: name fewer strata")
    if not len(made.x) or np.linalg.matrix_rank(made.x) < made.x.shape[1]:
        raise UndefinedStatistic("the coefficients are not identified: some combination of terms has no rating")
    fit = fitted(made.x, made.counts, made.codes)
    by = design.clusters[0].name if design.clusters else "unit"
    return Result(
        metric="multinomial_logit", title=f"Multinomial logit against '{shorten(made.levels[0], 40)}'",
        rows=(*tests_of(made, fit), *coefficients(made, fit, level)),
        inference=f"maximum likelihood, errors clustered by {shorten(by, 40)} ({count(fit.groups)}), t with "
        f"{count(fit.groups - 1)} df; joint tests by F", counts={"ratings": int(made.counts.sum())},
        fit={"nobs": int(made.counts.sum()), "n_clusters": fit.groups, "effective_df": fit.groups - 1.0,
             "largest_leverage": float(np.bincount(made.codes, made.counts.sum(axis=1)).max() / made.counts.sum())},
        settings={"terms": strata, "level": level}, references=METRIC.references, design=design,
        extras={"matrix": made},
    )  # fmt: skip


def tests_of(made: Matrix, fit: Logit) -> list[Row]:
    """Joint tests of each kind of term, all actions at once."""
    rows = []
    for kind in dict.fromkeys(made.kinds[1:]):
        row = Row(term=kind, group="all at once", key=(("kind", kind),), role="test", test="f", n_clusters=fit.groups)
        found = joint_test(fit, np.flatnonzero([own == kind for own in made.kinds]))
        if isinstance(found, str):
            rows.append(replace(row, undefined=found, reason="unidentified"))
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
    return with_each_t(rows, fit.std_error, np.full(len(rows), fit.groups - 1.0), level, [""] * len(rows))


def sentence(result: Result) -> str:
    """Return the log-odds ratio with the largest test statistic."""
    top = max((r for r in result.rows if r.label("action")), key=lambda r: abs(r.statistic or 0.0))
    base = result.extras["matrix"].levels[0]
    text = f"The largest test statistic was for {shorten(top.term)}, log-odds ratio of "
    text += f"'{shorten(str(top.label('action')))}' against '{shorten(base)}' = "
    if top.conf_low is None:
        return f"{text}{number(top.estimate)} ({top.undefined})."
    return f"{text}{estimated(top)}, {p_value(top.p_value)}."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the log-odds ratios as a forest."""
    from socialstats.figures import forest

    rows = [replace(r, term=f"{r.group}: {r.term}", group=None) for r in result.rows if r.label("action")]
    return forest(rows, ax=ax, **{"sort": False, "xlabel": "log-odds ratio", **options})


METRIC = Metric(
    name="multinomial_logit", title="Multinomial logit of levels on sources and strata", design="ratings",
    function=multinomial_logit, sentence=sentence, plot=plot,
    crosscheck="socialstats.crosscheck.multinomial_logit:checks_of",
    estimand="Log-odds ratios of each level against the first between sources, and between strata of the units.",
    assumptions=("clusters (or units, where none are declared) are independent of each other",
                 "terms add up on the scale of log-odds"),
    references=("mcfadden1974", "liangzeger1986"), swap="none", values="sources",
)  # fmt: skip
