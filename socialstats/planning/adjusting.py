"""Families of tests and their adjusted p-values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.habits import knows_habits
from socialstats.errors import InputError
from socialstats.inference.adjusted_p import P_METHODS, AdjustMethod, adjust_p_values, method_named
from socialstats.inference.intervals import checked_level, not_zero, two_sided_p
from socialstats.inference.rows import with_ends
from socialstats.planning.joint_peers import recheck_families
from socialstats.planning.plan import PlanResult
from socialstats.results import Result, ResultGroup, Row
from socialstats.text import count, number, p_value, quoted, shorten

NO_P = "no p-value was given"
AGAIN = ("test", "ignoring clusters")  # groups that test the hypothesis of the leading row again


def correlation_of(covariance: FloatArray) -> FloatArray:
    """Return the correlation matrix of a covariance matrix; negative eigenvalues (two-way clustering) are set to 0.

    Raises
    ------
    InputError
        If the matrix is not square, symmetric and finite with positive variances.
    """
    v = np.asarray(covariance, dtype=np.float64)
    if (
        v.ndim != 2
        or v.shape[0] != v.shape[1]
        or not np.all(np.isfinite(v))
        or not np.allclose(v, v.T)
    ):
        raise InputError(
            f"covariance must be a square symmetric matrix of finite numbers (its shape is {v.shape})"
        )
    variance = np.diagonal(v)
    if np.any(variance <= 0):
        raise InputError(
            f"covariance has a variance of {variance.min():g}; every test needs one above 0"
        )
    values, vectors = np.linalg.eigh(v / np.sqrt(np.outer(variance, variance)))
    # rows of the root get length 1 again, so that the diagonal is 1
    root = vectors * np.sqrt(np.maximum(values, 0))
    root /= np.sqrt((root**2).sum(axis=1))[:, None]
    return np.asarray(root @ root.T)


def replicate_draws(replicates: FloatArray) -> FloatArray:
    """Turn bootstrap replicates of estimates into draws of statistics under the hypothesis of no effect.

    Each column is centred at its mean and divided by its standard deviation. Resamples in which an estimate does not
    exist are left out whole, so that the draws stay joint.

    Parameters
    ----------
    replicates : (B, m) float64 array
        NaN where a resample had no estimate.

    Returns
    -------
    (at most B, m) float64 array

    Raises
    ------
    InputError
        If fewer than two resamples are whole, or an estimate never varies.
    """
    complete = replicates[np.all(np.isfinite(replicates), axis=1)]
    if len(complete) < 2:
        raise InputError(
            f"{len(complete)} of {len(replicates)} resamples have every estimate; max_t needs many"
        )
    sd = complete.std(axis=0, ddof=1)
    if np.any(sd <= 1e-12 * np.maximum(1, np.abs(complete).max(axis=0))):
        raise InputError(f"column {int(np.argmin(sd)) + 1} of the replicates never varies")
    return np.asarray((complete - complete.mean(axis=0)) / sd)


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Tests that are adjusted together.

    Attributes
    ----------
    name : str
    rows : tuple of Row
        Those with a p-value, and those whose test is undefined.
    source : Result or None
        The one result all rows came from, where there is one.
    """

    name: str
    rows: tuple[Row, ...]
    source: Result | None = None

    @property
    def tested(self) -> tuple[Row, ...]:
        """Rows with a p-value: the m tests of the family."""
        return tuple(row for row in self.rows if row.p_value is not None)


def families_of(
    results: Any, name: str | None, terms: Sequence[str] | None, groups: Sequence[str] | None
) -> list[Family]:
    """Return the families that the caller's argument holds.

    Raises
    ------
    InputError
        If something is no test, a p-value is not between 0 and 1, or a family has no test.
    """
    results = results.to_dict() if is_labelled(results) else results
    # a mapping of labels to p-values is one family, any other mapping is one family a key
    parts: dict[str, Any] = {name or "": results}
    if isinstance(results, Mapping) and not all(is_p(value) for value in results.values()):
        if name is not None:
            raise InputError(
                f"family='{shorten(name)}' and a mapping of families: give the names in one place"
            )
        # each key names a family of its own
        parts = {str(key): value for key, value in results.items()}
    families = []
    for family, members in parts.items():
        titled = list(titled_rows(members, again=groups is not None, named=terms is not None))
        rows = select_rows([row for _, row in titled], terms, groups)
        if not any(row.p_value is not None for row in rows):
            raise InputError(
                f"family '{shorten(family or 'all tests')}' has no test with a p-value to adjust"
            )
        source = members if isinstance(members, Result) else None
        titles = tuple(dict.fromkeys(title for title, _ in titled if title))
        description = "all tests of " + quoted(titles, 3) if titles else "all tests given"
        families.append(Family(name=family or description, rows=rows, source=source))
    return distinguish_rows(families)


def is_labelled(results: Any) -> bool:
    """Return whether p-values are a pandas Series with labels of its own."""
    index: Any = getattr(results, "index", None)
    return bool(getattr(index, "is_unique", False)) and all(
        isinstance(label, str) for label in index
    )


def is_p(value: Any) -> bool:
    """Return whether a value is meant as one p-value (None stands for a test that does not exist)."""
    return value is None or isinstance(value, int | float | np.number)


def titled_rows(members: Any, *, again: bool, named: bool) -> Iterable[tuple[str, Row]]:
    """Yield each row with the title of its result (empty for bare rows and p-values).

    Of a result that has leading tests, those that test the same hypothesis again only where `again`. Of one that names
    terms which sum up others, these only where terms are `named`.
    """
    if isinstance(members, Result):
        rows = members.rows if again else leading_rows(members.rows)
        rows = rows if named else without_summaries(rows, members.extras.get("together", ()))
        yield from ((members.title, row) for row in rows)
    elif isinstance(members, ResultGroup):
        for level, result in members.results.items():
            of_level = titled_rows(result, again=again, named=named)
            yield from ((title, replace(row, by=row.by or level)) for title, row in of_level)
    elif isinstance(members, Row):
        yield "", checked_p(members)
    elif isinstance(members, Mapping):
        for label, value in members.items():
            yield "", row_of_p(str(label), value)
    elif isinstance(members, str) or not isinstance(members, Iterable):
        raise InputError(
            f"a family is made of results, rows or p-values, not {type(members).__name__} {members!r}"
        )
    else:
        for k, member in enumerate(members):
            if is_p(member):
                yield "", row_of_p(f"test {k + 1}", member)
            else:
                yield from titled_rows(member, again=again, named=named)


def leading_rows(rows: Sequence[Row]) -> Sequence[Row]:
    """Leave out rows that test again what another row of the result tests, where there is such a row."""
    first = [row for row in rows if row.group not in AGAIN and row.label("factor") is None]
    # a result that has nothing but such rows keeps them
    has_test = any(row.p_value is not None or row.undefined is not None for row in first)
    return first if has_test else rows


def without_summaries(rows: Sequence[Row], together: Sequence[str]) -> Sequence[Row]:
    """Leave out the terms that sum up others, and then rows without p, where other tests remain."""
    if not together:
        return rows
    separate = [row for row in rows if row.term not in together and row.p_value is not None]
    return separate or rows


def row_of_p(label: str, p: Any) -> Row:
    """Turn a bare p-value into a row; None and NaN stand for a test that does not exist."""
    if not is_p(p) or isinstance(p, bool):
        raise InputError(f"'{shorten(label)}' has {p!r} where a p-value should be")
    if p is None or math.isnan(p):
        return Row(term=label, undefined=NO_P)
    return checked_p(Row(term=label, p_value=float(p)))


def checked_p(row: Row) -> Row:
    """Return the row, or say that its p-value is none."""
    if row.p_value is not None and not 0 <= row.p_value <= 1:
        raise InputError(
            f"'{shorten(row.term)}' has p = {row.p_value!r}; a p-value is between 0 and 1"
        )
    return row


def select_rows(
    rows: Sequence[Row], terms: Sequence[str] | None, groups: Sequence[str] | None
) -> tuple[Row, ...]:
    """Rows of some terms and groups; of those, the tests and what should have been one."""
    for field, labels_wanted, labels in (
        ("term", terms, [r.term for r in rows]),
        ("group", groups, [r.group for r in rows if r.group is not None]),
    ):
        missing = [w for w in as_tuple(labels_wanted) if w not in labels]
        if missing:
            raise InputError(
                f"no {field} '{shorten(missing[0])}' in these tests; {field}s: {quoted(sorted({*labels}), 10)}"
            )
    selected = [
        row
        for row in rows
        if (terms is None or row.term in as_tuple(terms))
        and (groups is None or row.group in as_tuple(groups))
    ]
    return tuple(
        checked_p(row) for row in selected if row.p_value is not None or row.undefined is not None
    )


def as_tuple(names: Sequence[str] | str | None) -> tuple[str, ...]:
    """A name, several, or none, as a tuple."""
    if names is None:
        return ()
    return (names,) if isinstance(names, str) else tuple(names)


def distinguish_rows(families: list[Family]) -> list[Family]:
    """Give rows that no field tells apart a group that does: the family, or a running number."""
    times: Counter[tuple[str, str | None, str | None]] = Counter()
    distinct = []
    for family in families:
        rows = []
        for row in family.rows:
            group = row.group
            if len(families) > 1:
                group = f"{family.name}: {group}" if group else family.name
            key = (row.term, group, row.by)
            times[key] += 1
            if times[key] > 1:
                group = f"{group or 'test'} #{times[key]}"
            rows.append(replace(row, group=group))
        distinct.append(replace(family, rows=tuple(rows)))
    return distinct


Method = AdjustMethod | Literal["max_t", "max_t_single_step"]
MAX_T = {"max_t": "step-down max-t", "max_t_single_step": "single-step max-t"}
FEWEST_DRAWS = 1000
SAME_P = 1e-6  # share by which a p may differ from that of its statistic


@knows_habits
def adjust(
    results: Any,
    method: Method = "holm",
    *,
    family: str | None = None,
    terms: Sequence[str] | str | None = None,
    groups: Sequence[str] | str | None = None,
    covariance: Any = None,
    replicates: Any = None,
    level: float = 0.95,
    draws: int = 100_000,
    seed: int = 0,
) -> PlanResult:
    """Adjust the p-values of a family of tests, which may come from several results.

    With m tests in the family, in ascending order p(1) .. p(m): Holm max over j <= i of (m-j+1) p(j); Bonferroni m p;
    Hochberg min over j >= i of (m-j+1) p(j); Benjamini-Hochberg min over j >= i of m p(j)/j; Benjamini-Yekutieli the
    same times 1 + 1/2 + .. + 1/m; Sidak 1 - (1 - p)^m, and Holm-Sidak its step-down form; Hommel the largest p of Simes
    among the sets of tests that hold the test. All at most 1. max-t: the share of draws from the joint null
    distribution whose largest abs(t) (step-down: of tests not yet called) reaches the observed one, (b + 1)/(B + 1).

    All but BH and BY control the probability of any false call. Hochberg, Hommel and Sidak need positive dependence,
    and max-t is as good as the joint distribution is known. BH and BY control the expected share of false calls among
    the calls (BH under positive dependence, BY under any).

    Parameters
    ----------
    results : Result, ResultGroup, Row, p-value, a sequence of those, or a mapping
        A mapping of labels to p-values is one family; any other mapping is one family a key, such as ``{"bias by
        topic": by_topic, "bias by type": by_type}``, each adjusted over its own tests. Rows without a p-value (means,
        sizes) are no tests and are left out. So are rows of a result that test its leading hypothesis again (groups
        ``"test"``, ``"ignoring clusters"``, ``"... alone"``), unless `groups` names them. Of `weighted_kappa` the pairs
        of raters with a p-value are taken. Rows ``"mean"`` and ``"pooled"``, which are no separate hypotheses, are left
        out. So are pairs without a p-value, unless `terms` is given or no pair has a p-value. An undefined test
        (`undefined`, a p of NaN or None) otherwise stays in the table without a p. It is *not* counted in m, as in R's
        `p.adjust`.
    method : {"holm", "bonferroni", "hochberg", "hommel", "sidak", "holm_sidak", "bh", "by", "max_t", \
"max_t_single_step"}
        Names of R, statsmodels and pingouin, such as ``"BH"``, ``"fdr_bh"`` or ``"holm-sidak"``, are taken too.
    family : str, optional
        Name of the family, for the method column and the sentence. By default the family is described by what it
        was made of.
    terms, groups : str or sequence of str, optional
        Take only these terms (groups) of the results: say which test a family is about where a result has several
        tests of one hypothesis.
    covariance : (m, m) array, optional
        For max-t: of the m estimates (or of their statistics), in the order of the tests. Noise is multivariate normal,
        or t with the smallest df of the tests. A single result brings its own covariance.
    replicates : (B, m) array, optional
        For max-t, instead: bootstrap replicates of the m estimates from one set of resamples.
    level : float
        Tests are called at 1 - level; simultaneous intervals (max-t) have this level.
    draws : int
        For max-t with a covariance: at least 1,000.
    seed : int

    Returns
    -------
    PlanResult
        One row per test, with `p_adjusted` filled, and with the method, the family and its m in `method`. Max-t
        replaces the tests' intervals by simultaneous ones (estimate plus or minus the single-step critical value
        times the s.e.). `counts`: tests, tests below 1 - level before and after, undefined tests.

    Raises
    ------
    InputError
        For a p outside [0, 1], a family without tests, an unknown method, or max-t without a joint distribution or
        for tests that are not two-sided z or t.

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Hochberg, Y. (1988). doi:10.1093/biomet/75.4.800
    Hommel, G. (1988). doi:10.1093/biomet/75.2.383
    Sidak, Z. (1967). doi:10.1080/01621459.1967.10482935
    Benjamini, Y., & Hochberg, Y. (1995). doi:10.1111/j.2517-6161.1995.tb02031.x
    Benjamini, Y., & Yekutieli, D. (2001). doi:10.1214/aos/1013699998
    Westfall, P. H., & Young, S. S. (1993). Resampling-based multiple testing.
    Romano, J. P., & Wolf, M. (2005). doi:10.1198/016214504000000539

    Examples
    --------
    >>> adjusted = adjust({"topic": 0.01, "type": 0.04, "stage": 0.03}, family="bias")
    >>> [round(row.p_adjusted, 6) for row in adjusted.rows]
    [0.03, 0.06, 0.06]
    >>> adjusted.rows[0].method
    "Holm over the family 'bias' (m = 3)"
    """
    method = cast(Method, method_named(method, *MAX_T))
    checked_level(level)
    families = families_of(results, family, terms, groups)
    if method not in MAX_T and (covariance is not None or replicates is not None):
        raise InputError(
            f"method '{method}' uses no joint distribution; covariance and replicates are for max_t"
        )
    settings = {
        "method": method,
        "family": [part.name for part in families],
        "level": level,
        "draws": draws,
        "seed": seed,
    }
    if method not in MAX_T:
        rows = tuple(row for part in families for row in p_rows(part, method))
        return adjusted_result(families, rows, settings, {})
    if len(families) > 1:
        raise InputError(f"max-t adjusts one family at a time, got {len(families)}")
    noise, basis = draw_joint_noise(families[0], covariance, replicates, draws, seed)
    noise_text = f"{count(len(noise))} {basis['noise']}"
    if basis["noise"] == "draws":
        noise_text += ", normal" if basis["df"] is None else f", t with {basis['df']:g} df"
    rows = max_t_rows(families[0], method, noise, noise_text, level)
    return adjusted_result(families, rows, settings, basis)


def p_rows(family: Family, method: str) -> tuple[Row, ...]:
    """Fill `p_adjusted` from the p-values alone."""
    p = np.array([row.p_value for row in family.tested], dtype=np.float64)
    p_adjusted = iter(adjust_p_values(p, method).tolist())
    adjustment = method_label(P_METHODS[method][0], family)
    return tuple(
        row if row.p_value is None else adjusted_row(row, next(p_adjusted), family, adjustment)
        for row in family.rows
    )


def method_label(method: str, family: Family) -> str:
    """Name method, family and size."""
    return f"{method} over the family '{shorten(family.name)}' (m = {len(family.tested)})"


def adjusted_row(row: Row, p: float, family: Family, adjustment: str) -> Row:
    """A test with its adjusted p, its family, and what was done to its p after its own method."""
    return replace(
        row,
        p_adjusted=p,
        family=family.name,
        method=f"{row.method}; {adjustment}" if row.method else adjustment,
    )


def max_t_rows(
    family: Family, method: str, noise: FloatArray, noise_text: str, level: float
) -> tuple[Row, ...]:
    """Fill `p_adjusted` and simultaneous intervals from joint draws of the statistics, (draws, tests)."""
    # Holm's method draws nothing
    from socialstats.resampling.permutation import max_t, max_t_critical

    # (tests,) array in the order of the family's tests, as the columns of the draws are
    statistics = np.array([two_sided_statistic(row) for row in family.tested])
    steps: Literal["step_down", "single_step"] = "step_down" if method == "max_t" else "single_step"
    p_adjusted = iter(max_t(statistics, noise, method=steps).p_adjusted)
    critical = max_t_critical(noise, level)
    adjustment = f"{method_label(MAX_T[method], family)}, {noise_text}"
    rows = []
    for row in family.rows:
        if row.p_value is not None:
            p = float(not_zero(next(p_adjusted)))
            adjusted = adjusted_row(row, p, family, adjustment)
            row = with_simultaneous_interval(adjusted, critical, level)
        rows.append(row)
    return tuple(rows)


def with_simultaneous_interval(row: Row, critical: float, level: float) -> Row:
    """A test with its simultaneous interval, where it has a standard error."""
    if row.estimate is None or row.std_error is None:
        return with_ends(row, None, None, level, why=row.undefined)
    reach = critical * row.std_error
    return with_ends(row, row.estimate - reach, row.estimate + reach, level)


def two_sided_statistic(row: Row) -> float:
    """Return the statistic of a two-sided z or t test.

    Raises
    ------
    InputError
        If the row's p is not the two-sided p of its statistic.
    """
    if row.statistic is not None and row.p_value is not None:
        p = float(two_sided_p(np.array(row.statistic), row.df))
        if abs(p - row.p_value) <= SAME_P * max(p, row.p_value) + 1e-300:
            return row.statistic
    raise InputError(
        f"max_t needs two-sided z or t tests; the p of '{shorten(row.term)}' is not that of its statistic"
        f" ({number(row.statistic, 3)}, df {number(row.df, 1)}): use method='holm', which needs only p-values"
    )


def draw_joint_noise(
    family: Family, covariance: Any, replicates: Any, draws: int, seed: int
) -> tuple[FloatArray, dict[str, Any]]:
    """Draw the statistics under no effect from their covariance, or take bootstrap replicates.

    Returns
    -------
    draws : (B, m) float64 array
    basis : dict
        What a check needs of them: ``noise`` (draws or resamples), ``df`` (None: normal), ``correlation``, and
        ``resampled`` where they are not made from the correlation.
    """
    m = len(family.tested)
    # the smallest degrees of freedom give the widest joint distribution
    df = min((row.df for row in family.tested if row.df is not None), default=None)
    if covariance is not None and replicates is not None:
        raise InputError("give covariance or replicates, not both")
    if replicates is not None:
        table = np.asarray(replicates, dtype=np.float64)
        if table.ndim != 2 or table.shape[1] != m:
            raise InputError(
                f"replicates have shape {table.shape}; these {m} tests need (resamples, {m})"
            )
        noise = replicate_draws(table)
        correlation = correlation_of(noise.T @ noise)
        if df is not None:
            # replicates have the joint shape, but not that the standard errors are estimates
            chi_square = np.random.default_rng(seed).chisquare(df, len(noise))
            noise = noise / np.sqrt(chi_square / df)[:, None]
        return noise, {
            "noise": "resamples",
            "df": df,
            "correlation": correlation,
            "resampled": noise,
        }
    matrix = (
        source_covariance(family)
        if covariance is None
        else np.asarray(covariance, dtype=np.float64)
    )
    if matrix.shape != (m, m):
        raise InputError(f"covariance has shape {matrix.shape}; these {m} tests need ({m}, {m})")
    if isinstance(draws, bool) or not isinstance(draws, int | np.integer) or draws < FEWEST_DRAWS:
        raise InputError(
            f"draws must be a whole number of at least {FEWEST_DRAWS:,}, not {draws!r}"
        )
    correlation = correlation_of(matrix)
    # a covariance is rarely given
    from socialstats.resampling.permutation import normal_draws

    noise = normal_draws(correlation, df=df, draws=int(draws), seed=seed)
    return noise, {"noise": "draws", "df": df, "correlation": correlation}


def source_covariance(family: Family) -> FloatArray:
    """The covariance of the result that all tests came from."""
    source = family.source
    names = {} if source is None else {name: k for k, name in enumerate(source.names)}
    terms = [row.term for row in family.tested]
    if (
        source is None
        or source.covariance is None
        or len({*terms}) < len(terms)
        or not {*terms} <= {*names}
    ):
        raise InputError(
            "max_t needs the joint distribution of these tests, which they do not bring along: pass covariance= or "
            "replicates= (bootstrap replicates of the estimates), or use method='holm'"
        )
    # rows and columns of the covariance that belong to the tests
    index = [names[term] for term in terms]
    return np.asarray(source.covariance)[np.ix_(index, index)]


def adjusted_result(
    families: list[Family],
    rows: tuple[Row, ...],
    settings: dict[str, Any],
    extras: dict[str, Any],
) -> PlanResult:
    """Return the result of an adjustment: rows, counts, sentence."""
    method, alpha = settings["method"], round(1 - settings["level"], 12)  # 1 - 0.95 is above 0.05
    tested = [row for row in rows if row.p_value is not None]
    counts = {
        "tests": len(tested),
        "below before": sum(row.p_value is not None and row.p_value < alpha for row in tested),
        "below after": sum(row.p_adjusted is not None and row.p_adjusted < alpha for row in tested),
        "undefined": len(rows) - len(tested),
    }
    is_max_t = method in MAX_T
    name = MAX_T[method] if is_max_t else P_METHODS[method][0]
    references = ("westfallyoung1993", "romanowolf2005") if is_max_t else P_METHODS[method][2]
    sizes = "; ".join(f"'{shorten(f.name)}' (m = {len(f.tested)})" for f in families)
    facts = {
        "family": tuple(f.name for f in families for _ in f.rows),
        "m": {f.name: len(f.tested) for f in families},
        "alpha": alpha,
    }
    return PlanResult(
        metric="adjust",
        title=f"Tests adjusted by {name}",
        inference=f"{name} over {sizes}",
        rows=rows,
        counts=counts,
        fit={"nobs": len(tested), "method": name, "seed": settings["seed"] if is_max_t else None},
        settings=settings,
        references=references,
        extras=facts | extras,
        words=adjust_sentence(families, tested, name, alpha, counts),
        check=recheck_families,
    )


def adjust_sentence(
    families: list[Family], tested: list[Row], name: str, alpha: float, counts: dict[str, int]
) -> str:
    """State family, size, how many tests are called, and the smallest adjusted p."""
    over = " and ".join(f"'{shorten(f.name)}' ({count(len(f.tested), 'test')})" for f in families)
    smallest = min(tested, key=lambda row: (row.p_adjusted or 0.0, row.p_value or 0.0))
    undefined = (
        f"; {count(counts['undefined'], 'undefined row')} did not count"
        if counts["undefined"]
        else ""
    )
    alpha_text = number(alpha, 2 if round(alpha, 2) == round(alpha, 6) else 4, bounded=True)
    return (
        f"Adjusted by {name} over {over}, {counts['below after']} of {count(len(tested), 'test')} had p < {alpha_text} "
        f"({counts['below before']} before); the smallest was that of {shorten(smallest.term)}, "
        f"adjusted {p_value(smallest.p_adjusted)}{undefined}."
    )


def adjust_family_by_holm(
    rows: Sequence[Row], family: str
) -> tuple[tuple[Row, ...], Result | None]:
    """Adjust the tests of a family by Holm's method, where there are several.

    Returns
    -------
    rows : tuple of Row
        In the order given, with `p_adjusted`.
    adjusted : Result or None
        What holds the adjusted values; None where there is a single test or none.
    """
    m = sum(r.p_value is not None for r in rows)
    if m < 2:
        return tuple(rows), None
    adjusted = adjust(list(rows), method="holm", family=family)
    in_family = ("family", f"'{shorten(family)}' (m = {m})")
    tests = tuple(
        r if r.p_adjusted is None else replace(r, key=(*r.key, in_family)) for r in adjusted.rows
    )
    by_test = {(r.term, r.group): r for r in tests}
    # rows that are no tests are not among the adjusted ones
    missing = [r for r in rows if (r.term, r.group) not in by_test]
    in_order = tuple(by_test.get((r.term, r.group), r) for r in rows) if missing else tests
    return in_order, replace(adjusted, rows=tests)
