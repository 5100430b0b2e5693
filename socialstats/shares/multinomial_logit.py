"""The multinomial logit of levels on who gave them and on strata of the units.

Take a row with n ratings, y of which gave each level but the first. x are its columns, p the chances of these levels,
and W = diag(p) - p p'. Its score is (y - n p) (x) x and its information n W (x) x x', where (x) is Kronecker's product.
With Cholesky's L L' = W, the rows sqrt(n) L' (x) x' have this information as their cross product, and the residuals
e = L^-1 (y - n p) / sqrt(n), of variance 1 under the model, give this score:

    (sqrt(n) L (x) x) (sqrt(n) L' (x) x') = n W (x) x x',        (sqrt(n) L (x) x) e = (y - n p) (x) x.

The fit is thus a whitened linear regression, and `socialstats.inference.robust` has its errors and tests. Another root
of W turns the rows of a cluster among themselves and changes nothing. The expected information is the observed one, as
the logit is the canonical link.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import log_softmax

from socialstats.arrays import FloatArray, IntArray, unique_rows
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.options import texts
from socialstats.designs.parts import OK
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, UndefinedStatistic, caution
from socialstats.inference.dependence import robust_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.one_way import ContrastErrors
from socialstats.inference.robust import Joint, Robust, cluster_robust
from socialstats.inference.rows import with_each_t
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import PeerNumbers, RowKey, key_of_row
from socialstats.results.equations import (
    EquationModel,
    EquationSample,
    ParameterFunction,
    sparse_columns,
)
from socialstats.results.peers import load_peer
from socialstats.sentences import estimate_text as estimated
from socialstats.shares.counts import source_counts
from socialstats.shares.sources import RaterSource, human_source
from socialstats.text import count, listing, number, p_value, quoted, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_TERMS = 60
SOURCE = "source"  # the kind of the terms of the sources
NO_VARIATION = 1e-12  # share of the model's variance below which the clusters' variance is rounding
ALIKE = "the clusters do not differ: no standard error"
FIX = "collect more clusters at these levels, or name fewer strata"


# a smaller chance is a level that is ruled out, its coefficient on the way to infinity
RULED_OUT = 1e-7
STEP_TOLERANCE = 1e-9  # Newton's error after the last step is of the order of its square
MOST_STEPS = 100
ROUNDING = 1e-6  # error of degrees of freedom
MOST_NUMBERS = 4_000_000  # numbers of a table that is fitted again
MOST_RATINGS = 60_000  # which statsmodels takes one by one
NO_MAXIMUM = "the multinomial logit has no finite maximum: some columns rule a level out"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logit:
    """A fit.

    Attributes
    ----------
    coef : (levels - 1, terms) float64 array
        Log-odds of each level against the first, a column for each column of the design matrix.
    bread : (k, k) float64 array
        Inverse information, level by level, k = (levels - 1) terms: the covariance if all ratings were independent.
    robust : Robust
        Cluster-robust covariance of the same coefficients.
    """

    coef: FloatArray
    bread: FloatArray
    robust: Robust

    @property
    def groups(self) -> int:
        """Return the number of clusters."""
        return self.robust.n_clusters[0]

    def joint_test(self, columns: IntArray) -> Joint | str:
        """Test that the coefficients of some columns are 0 for every level (HTZ), or say why there is no test.

        With fewer denominator degrees of freedom than coefficients the size of HTZ falls far below its level. At .05
        it was .003 for 6 coefficients of 12 clusters (1.2 df), .008 for 7 of 24 (3.1 df) and .008 to .025 for 6 of 16
        (4.3 df). With more it was .016 to .06 (400 or 500 simulations each). A test that cannot reject is not given.
        """
        levels, terms = self.coef.shape
        places = np.concatenate([level * terms + columns for level in range(levels)])
        test = self.robust.joint(np.eye(self.coef.size)[places], self.coef.ravel()[places])
        if isinstance(test, str) or test.df_denominator >= test.df - ROUNDING:
            return test
        return f"too few clusters for {count(test.df, 'coefficient')} at once: the test would hardly ever reject"


def fit_logit(x: FloatArray, counts: FloatArray, codes: IntArray) -> Logit:
    """Fit log(p_k / p_0) = x b_k by maximum likelihood, with cluster-robust errors.

    Parameters
    ----------
    x : (rows, terms) float64 array
    counts : (rows, levels) float64 array
        How often each level was chosen; the first is the one that the others are set against.
    codes : (rows,) int64 array
        Clusters.

    Raises
    ------
    UndefinedStatistic
        If there is a single cluster, or no finite maximum (a level that some columns rule out).

    References
    ----------
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In Frontiers in econometrics.
    Pustejovsky, J. E., & Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation.
    doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> counts = np.array([[10.0, 30.0], [20.0, 20.0]])
    >>> fit = fit_logit(np.ones((2, 1)), counts, np.arange(2))
    >>> round(float(fit.coef[0, 0]), 4), round(float(np.log(50 / 30)), 4)
    (0.5108, 0.5108)
    """
    cluster = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    if cluster.max() < 1:
        raise UndefinedStatistic("a single cluster: no standard errors")
    cluster, x, counts = sum_alike_rows(cluster, x, counts)
    coef, bread = fit_maximum(x, counts)
    rows, residuals = whitened_rows(x, counts, probabilities(x, coef))
    robust = cluster_robust(rows, residuals, [np.tile(cluster, len(coef))], bread)
    return Logit(coef=coef, bread=bread, robust=robust)


def sum_alike_rows(
    cluster: IntArray, x: FloatArray, counts: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Sum the counts of rows of one cluster with the same columns."""
    distinct, _, row_index = unique_rows(np.column_stack([cluster, x]))
    membership = sparse.csr_array(
        (np.ones(len(row_index)), (row_index, np.arange(len(row_index)))),
        (len(distinct), len(row_index)),
    )
    return distinct[:, 0].astype(np.int64), distinct[:, 1:], np.asarray(membership @ counts)


def probabilities(x: FloatArray, coef: FloatArray) -> FloatArray:
    """Return the chances of all levels, (rows, levels)."""
    return np.exp(log_probabilities(x, coef))


def log_probabilities(x: FloatArray, coef: FloatArray) -> FloatArray:
    """Return their logarithms."""
    return np.asarray(log_softmax(np.column_stack([np.zeros(len(x)), x @ coef.T]), axis=1))


def fit_maximum(x: FloatArray, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the coefficients of the largest likelihood and the inverse information, by Newton with step halving.

    The log-likelihood is concave. Where columns rule a level out it grows without end, and the chance of that level
    falls below `RULED_OUT`.
    """
    coef = np.zeros((counts.shape[1] - 1, x.shape[1]))
    loglik = float(np.sum(counts * log_probabilities(x, coef)))
    for _ in range(MOST_STEPS):
        p = probabilities(x, coef)
        slope = ((counts - counts.sum(axis=1, keepdims=True) * p)[:, 1:].T @ x).ravel()
        try:
            step = np.linalg.solve(information(x, counts, p), slope).reshape(coef.shape)
        except np.linalg.LinAlgError as error:
            raise UndefinedStatistic(NO_MAXIMUM) from error
        coef, loglik = halved_step(x, counts, coef, step, loglik)
        if np.abs(step).max() <= STEP_TOLERANCE * (1 + np.abs(coef).max()):
            break
    else:
        raise UndefinedStatistic(NO_MAXIMUM)
    p = probabilities(x, coef)
    if p.min() <= RULED_OUT:
        raise UndefinedStatistic(NO_MAXIMUM)
    return coef, np.asarray(np.linalg.inv(information(x, counts, p)), dtype=np.float64)


def halved_step(
    x: FloatArray, counts: FloatArray, coef: FloatArray, step: FloatArray, loglik: float
) -> tuple[FloatArray, float]:
    """Take a step, halved until the log-likelihood does not fall."""
    tolerance = 1e-12 * (1 + abs(loglik))
    for size in 0.5 ** np.arange(40):
        new_loglik = float(np.sum(counts * log_probabilities(x, coef + size * step)))
        if new_loglik >= loglik - tolerance:
            return coef + size * step, new_loglik
    return coef, loglik


def information(x: FloatArray, counts: FloatArray, p: FloatArray) -> FloatArray:
    """Return the sum of n W (x) x x' over rows, a block for each two levels."""
    n, terms, levels = counts.sum(axis=1), x.shape[1], range(1, p.shape[1])

    def block(j: int, k: int) -> FloatArray:
        return np.asarray(x.T @ ((n * p[:, j] * ((j == k) - p[:, k]))[:, None] * x))

    blocks = [[block(j, k) for k in levels] for j in levels]
    return np.block(blocks).reshape(len(levels) * terms, -1)


def whitened_rows(
    x: FloatArray, counts: FloatArray, p: FloatArray
) -> tuple[sparse.csr_array, FloatArray]:
    """Return the whitened rows and residuals, those of the first level of all rows first (see the module)."""
    n, chances = counts.sum(axis=1), p[:, 1:]
    # L of each row, (rows, levels - 1, levels - 1)
    diagonal = chances[:, :, None] * np.eye(chances.shape[1])
    root = np.linalg.cholesky(diagonal - chances[:, :, None] * chances[:, None])
    deviation = (counts[:, 1:] - n[:, None] * chances) / np.sqrt(n)[:, None]
    residuals = np.linalg.solve(root, deviation[:, :, None])[:, :, 0]
    scale, columns = root * np.sqrt(n)[:, None, None], sparse.csr_array(x)
    levels = range(chances.shape[1])
    # block (j, k) of sqrt(n) L' (x) x' has the entry (k, j) of L
    rows = sparse.block_array(
        [[sparse.diags_array(scale[:, k, j]) @ columns for k in levels] for j in levels]
    )
    return sparse.csr_array(rows), residuals.T.ravel()


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


def matrix_of(design: Ratings, source: RaterSource, strata: Sequence[str]) -> Matrix:
    """Return source x first stratum + the other strata; people, the first level of each stratum are the base."""
    data = source_counts(design, source.name, "missing")
    who = [data.index(name, "source") for name in (source.human, *source.others)]
    n = len(design.units)
    place, unit = np.repeat(np.arange(len(who)), n), np.tile(np.arange(n), len(who))
    # the level that people chose most often is the one that others are set against
    base = int((data.counts[:, who[0]] * data.copies[:, None]).sum(axis=0).argmax())
    order = [base, *(k for k in range(len(data.levels)) if k != base)]
    counts = np.concatenate([data.counts[:, k][:, order] * data.copies[:, None] for k in who])
    # one row for each source and unit: its source is `place`
    whose = [(name, place == t) for t, name in enumerate(source.others, 1)]
    columns = [
        ("intercept", "intercept", np.ones(len(unit), dtype=bool)),
        *((SOURCE, *column) for column in whose),
    ]
    for name in strata:
        factor = design.strata[name]
        # the first level is the base: it has no column
        main = [(level, factor.codes[unit] == k) for k, level in enumerate(factor.levels) if k]
        columns += [(name, *column) for column in main]
        if name == strata[0]:
            columns += [
                (f"{SOURCE} x {name}", f"{other} x {level}", of_source & indicator)
                for other, of_source in whose
                for level, indicator in main
            ]
    cluster = design.clusters[0].codes if design.clusters else np.arange(n)
    kept = counts.sum(axis=1) > 0
    return Matrix(
        names=tuple(name for _, name, _ in columns),
        kinds=tuple(kind for kind, _, _ in columns),
        x=np.column_stack([indicator for _, _, indicator in columns])[kept].astype(np.float64),
        counts=counts[kept],
        levels=tuple(data.levels[k] for k in order),
        codes=cluster[unit][kept],
    )


@reads(Ratings, labels="single")
def multinomial_logit(
    ratings: Ratings | TableLike,
    *,
    terms: Sequence[str] | None = None,
    level: float = 0.95,
    **columns: Any,
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
        (`group` names the two levels). Estimates are by maximum likelihood, with CR2 standard errors clustered by the
        declared factor or by unit (Bell & McCaffrey 2002). Each t has Satterthwaite's degrees of freedom of its own.
        Joint tests are HTZ (Pustejovsky & Tipton 2018). Their statistic is F, `df` is its numerator's, and the
        denominator's are in ``extras["df_denominator"]`` by kind. A coefficient that rests on single clusters has no
        interval. A joint test with fewer denominator degrees of freedom than coefficients is undefined.

    Raises
    ------
    InputError
        Without people beside other sources, for unknown strata, two crossed clusters, and more than 60 coefficients.
    UndefinedStatistic
        If there is a single level, coefficients are not identified, or the likelihood has no finite maximum.

    Notes
    -----
    Size at .05 was simulated with 12, 24 and 48 topics as clusters and 500 draws a cell. Strata of 4 and 8 levels were
    constant or varied within topics. There were 2 and 4 levels of ratings, one of them rare or not. In cells
    where half of the draws had a fit, t tests rejected in .01 to .07 of draws, and joint tests, where there is one,
    likewise. (Cells with more were repeated with 1,500 and 2,000 draws.) F and t with G - 1 degrees of freedom had
    rejected in .28 to .47 of draws of 12 topics in 4 domains.

    References
    ----------
    McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In P. Zarembka (Ed.), Frontiers in
    econometrics (pp. 105-142). Academic Press.
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Pustejovsky, J. E., & Tipton, E. (2018). doi:10.1080/07350015.2016.1247004

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
        raise InputError(
            f"{design.source}: needs a rater group of which one level is called human, and others"
        )
    strata = list(design.strata if terms is None else texts(terms))
    if unknown := [name for name in strata if name not in design.strata]:
        raise InputError(
            f"terms: {quoted(unknown)} not declared; strata: {quoted(list(design.strata)) or 'none'}"
        )
    if len(design.clusters) > 1:
        raise InputError("a multinomial logit takes one cluster factor, and two are declared")
    if len(design.levels) < 2:
        raise UndefinedStatistic("there is a single level")
    matrix = matrix_of(design, source, strata)
    # each level but the first has a coefficient for each column
    size = matrix.x.shape[1] * (len(matrix.levels) - 1)
    if size > MOST_TERMS:
        raise InputError(
            f"{count(size, 'coefficient')} exceed the maximum of {MOST_TERMS}: name fewer strata"
        )
    # a combination of terms without a rating makes columns of the matrix dependent
    if not len(matrix.x) or np.linalg.matrix_rank(matrix.x) < matrix.x.shape[1]:
        raise UndefinedStatistic(
            "the coefficients are not identified: some combination of terms has no rating"
        )
    fit = fit_logit(matrix.x, matrix.counts, matrix.codes)
    by = design.clusters[0].name if design.clusters else "unit"
    kinds = np.array(matrix.kinds)
    tests = {kind: fit.joint_test(np.flatnonzero(kinds == kind)) for kind in kinds_of(matrix)}
    df_denominator = {
        kind: test.df_denominator for kind, test in tests.items() if isinstance(test, Joint)
    }
    errors = fit.robust.errors(np.eye(fit.coef.size))
    rows = coefficients(matrix, fit, errors, by, level)
    dfs = [row.df for row in rows if row.df is not None]
    leverage, n_ratings = fit.robust.largest_leverage, int(matrix.counts.sum())
    reference = {SOURCE: source.human} | {name: design.strata[name].levels[0] for name in strata}
    return Result(
        metric="multinomial_logit",
        title=f"Multinomial logit against '{shorten(matrix.levels[0], 40)}'",
        rows=(*tests_of(tests, fit.groups), *rows),
        inference=f"maximum likelihood, errors clustered by {shorten(by, 40)} (CR2, {count(fit.groups)}), t with "
        "Satterthwaite's df; joint tests by HTZ",
        counts={"ratings": n_ratings},
        fit={
            "nobs": n_ratings,
            "n_clusters": fit.groups,
            "effective_df": min(dfs, default=None),
            "largest_leverage": leverage,
        },
        settings={"terms": strata, "level": level, "reference_levels": reference},
        references=METRIC.references,
        design=design,
        cautions=tuple(logit_cautions(rows, errors, by, leverage)),
        extras={"matrix": matrix, "df_denominator": df_denominator},
    )


def kinds_of(matrix: Matrix) -> list[str]:
    """Return the kinds of terms beside the intercept."""
    return list(dict.fromkeys(matrix.kinds[1:]))


def tests_of(tests: Mapping[str, Joint | str], groups: int) -> list[Row]:
    """Return the joint tests of each kind of term, all levels at once."""
    rows = []
    for kind, test in tests.items():
        row = Row(
            term=kind,
            group="all at once",
            key=(("kind", kind),),
            role="test",
            test="f",
            n_clusters=groups,
        )
        if isinstance(test, str):
            rows.append(replace(row, undefined=test, reason="unidentified"))
            continue
        method = f"HTZ, F with {test.df} and {number(test.df_denominator, 1)} df"
        rows.append(replace(row, statistic=test.f, df=test.df, p_value=test.p, method=method))
    return rows


def coefficients(
    matrix: Matrix, fit: Logit, errors: ContrastErrors, by: str, level: float
) -> list[Row]:
    """Return log-odds ratios of each level against the first, term by term."""
    rows = [
        Row(
            term=name,
            group=f"{action} against {matrix.levels[0]}",
            estimate=float(b),
            n_clusters=fit.groups,
            key=(("action", action), ("kind", kind), ("column", name)),
            role="estimate",
        )
        for action, bs in zip(matrix.levels[1:], fit.coef, strict=True)
        for kind, name, b in zip(matrix.kinds, matrix.names, bs, strict=True)
    ]
    alike = errors.variance <= NO_VARIATION * np.diagonal(fit.bread)
    on_single_clusters = (
        f"rests on single clusters ({shorten(by, 40)}), whose own effects cannot be told from it"
    )
    # a refused coefficient has a variance too, borrowed from other clusters
    why = np.select([errors.refused, alike], [on_single_clusters, ALIKE], "").tolist()
    with_tests = with_each_t(rows, errors.std_error, errors.df, level, why)
    reasons = np.where(errors.refused, "unidentified", "no_variation").tolist()
    return [
        replace(row, reason=reason) if row.undefined else row
        for row, reason in zip(with_tests, reasons, strict=True)
    ]


def logit_cautions(
    rows: Sequence[Row], errors: ContrastErrors, by: str, largest: float
) -> Iterator[Caution]:
    """Yield SS209 (terms that rest on single clusters) and the cautions of `robust_cautions`."""
    none = [row.name for row, refused in zip(rows, errors.refused, strict=True) if refused]
    if none:
        names = listing([shorten(name, 60) for name in none], 3)
        yield caution(
            "SS209",
            f"{count(len(none), 'coefficient')} ({names}) rest{'s' * (len(none) == 1)} on single clusters "
            f"({by}), so that effects of terms and of clusters cannot be separated",
            affects="their intervals and tests, which are undefined",
            fix=FIX,
            rows=none,
        )
    yield from robust_cautions(
        by, [row.name for row in rows], [row.df for row in rows], errors, largest, fix=FIX
    )


def sentence(result: Result) -> str:
    """Return the joint tests, and the log-odds ratio with the largest test statistic."""
    tests = [r for r in result.rows if r.role == "test" and r.p_value is not None]
    joint = "; ".join(joint_text(row, result) for row in tests)
    start = f"Joint tests of all actions at once: {joint}. " if tests else ""
    return start + largest_text(result)


def joint_text(row: Row, result: Result) -> str:
    """Return the test of all terms of one kind."""
    # F of HTZ has degrees of freedom of its own in the denominator
    degrees = [number(df, 1) for df in (row.df, result.extras["df_denominator"][row.term])]
    value = number(row.statistic)
    return f"{shorten(row.term)}, F({', '.join(degrees)}) = {value}, {p_value(row.p_value)}"


def largest_text(result: Result) -> str:
    """Return the log-odds ratio with the largest test statistic."""
    rows = [r for r in result.rows if r.label("action") and r.label("kind") != "intercept"]
    top = max(rows, key=lambda r: abs(r.statistic or 0.0))
    base = result.extras["matrix"].levels[0]
    text = f"The largest test statistic was for {shorten(top.term)}, log-odds ratio of "
    text += f"'{shorten(str(top.label('action')))}' against '{shorten(base)}' = "
    reference = listing(
        [
            f"{shorten(level)} ({name})"
            for name, level in result.settings["reference_levels"].items()
        ]
    )
    against = f"Reference levels are {reference}."
    if top.conf_low is None:
        return f"{text}{number(top.estimate)} ({top.undefined}). {against}"
    return f"{text}{estimated(top)}, {p_value(top.p_value)}. {against}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the log-odds ratios as a forest."""
    from socialstats.figures import forest

    rows = [
        replace(r, term=f"{r.group}: {r.term}", group=None)
        for r in result.rows
        if r.label("action")
    ]
    return forest(rows, ax=ax, **{"sort": False, "xlabel": "log-odds ratio", **options})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountedChoices:
    """Cells of ratings of one cluster that have the same columns and the same level.

    Attributes
    ----------
    x : (cells, terms) float64 array
    place : (cells,) int64 array
        Of the level that was chosen; 0 is the level that people chose most often.
    cluster : (cells,) int64 array
    count : (cells,) float64 array
    keys : list of RowKey
        Of the coefficients, level by level.
    """

    x: FloatArray
    place: IntArray
    cluster: IntArray
    count: FloatArray
    keys: list[RowKey]


def counted_choices(result: Result) -> CountedChoices:
    """Count the ratings of a design by level, source, strata and cluster."""
    design = result.design
    people = human_source(design)
    assert people is not None
    group = design.rater_groups[people.name]
    used = (design.status == OK) & (group.codes[design.rater] >= 0)
    unit, value = design.unit[used], design.value[used]
    who = np.array(group.levels, dtype=object)[group.codes[design.rater[used]]]
    count = design.unit_count[unit]
    by_people = np.bincount(value, count * (who == people.human), len(design.levels))
    first = int(by_people.argmax())
    order = [first, *(k for k in range(len(design.levels)) if k != first)]
    names, columns = ["intercept"], [np.ones(len(unit), dtype=bool)]
    for source in people.others:
        names.append(source)
        columns.append(who == source)
    for name in result.settings["terms"]:
        stratum = design.strata[name]
        is_level = [(level, stratum.codes[unit] == k) for k, level in enumerate(stratum.levels)]
        names += [level for level, _ in is_level[1:]]
        columns += [indicator for _, indicator in is_level[1:]]
        if name == result.settings["terms"][0]:
            for source in people.others:
                names += [f"{source} x {level}" for level, _ in is_level[1:]]
                columns += [(who == source) & indicator for _, indicator in is_level[1:]]
    cluster = design.clusters[0].codes[unit] if design.clusters else unit
    table = np.column_stack([*columns, np.argsort(order)[value], cluster])
    cells, _, cell = unique_rows(table)
    levels = [design.levels[k] for k in order]
    keys: list[RowKey] = [
        (f"{level} against {levels[0]}", name) for level in levels[1:] for name in names
    ]
    place, cluster = cells[:, -2:].T.astype(np.int64)
    return CountedChoices(
        x=cells[:, :-2].astype(np.float64),
        place=place,
        cluster=cluster,
        count=np.bincount(cell.ravel(), count).astype(np.float64),
        keys=keys,
    )


def sample_choices(result: Result) -> Iterator[EquationSample | str]:
    """Yield the ratings: log(p_k / p_1) is a sum of terms, with parameters of each level k but the first."""
    cells = counted_choices(result)
    size, terms = cells.x.shape
    levels = len(cells.keys) // terms
    if size * levels * len(cells.keys) > MOST_NUMBERS:
        yield "a table of so many numbers that its maximum would take minutes"
        return
    columns = np.zeros((size, levels, len(cells.keys)))
    for k in range(levels):
        columns[:, k, k * terms : (k + 1) * terms] = cells.x

    def log_likelihood(predictors: Any) -> Any:
        log_odds = np.vstack([np.zeros(size), predictors])
        return log_odds[cells.place, np.arange(size)] - np.log(np.exp(log_odds).sum(axis=0))

    # levels of two strata may have one name
    places = {key: k for k, key in enumerate(cells.keys) if cells.keys.count(key) == 1}
    model = EquationModel(
        columns=sparse_columns(columns),
        log_likelihood=log_likelihood,
        weight=cells.count,
        squares=cells.count,
        clusters=(cells.cluster,),
        errors="clusters",
    )
    estimates = {key: ParameterFunction(itemgetter(k)) for key, k in places.items()}
    yield EquationSample(model=model, estimates=estimates)


def ask_peers(result: Result) -> Iterator[PeerNumbers]:
    """Yield statsmodels' coefficients, and scipy's p of the joint tests."""
    from scipy.stats import f

    for row in result.rows:
        if row.role == "test" and row.statistic is not None and row.df is not None:
            df_denominator = result.extras["df_denominator"][row.label("kind")]
            p = float(f.sf(row.statistic, row.df, df_denominator))
            yield PeerNumbers(package="scipy", row=key_of_row(row), numbers={"p_value": p})
    cells = counted_choices(result)
    times = cells.count.astype(np.int64)
    if times.sum() > MOST_RATINGS:
        return
    MNLogit = load_peer("statsmodels.discrete.discrete_model", "MNLogit")
    model = MNLogit(cells.place.repeat(times), cells.x.repeat(times, axis=0))
    params = np.asarray(model.fit(method="newton", disp=0, tol=1e-12).params, dtype=np.float64)
    values = np.broadcast_to(params.T.ravel(), len(cells.keys))
    for key, value in zip(cells.keys, values.tolist(), strict=True):
        if cells.keys.count(key) == 1:
            yield PeerNumbers(
                package="statsmodels", row=key, numbers={"estimate": value}, close=1e-5
            )


METRIC = Metric(
    name="multinomial_logit",
    title="Multinomial logit of levels on sources and strata",
    design="ratings",
    function=multinomial_logit,
    sentence=sentence,
    plot=plot,
    definition=Definition(equations=sample_choices, peers=ask_peers),
    estimand="Log-odds ratios of each level against the first between sources, and between strata of the units.",
    assumptions=(
        "clusters (or units, where none are declared) are independent of each other",
        "terms add up on the scale of log-odds",
    ),
    references=("mcfadden1974", "bellmccaffrey2002", "pustejovskytipton2018"),
    swap="none",
    values="sources",
    raters="pooled",
)
