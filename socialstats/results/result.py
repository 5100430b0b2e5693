"""What every metric returns: rows, a header, cautions, and the ways to read them; several by a factor."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from html import escape
from statistics import median_low
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from socialstats.arrays import FloatArray, size_unit
from socialstats.errors import (
    Caution,
    InputError,
    MissingDependency,
    SocialStatsError,
    UndefinedStatistic,
    not_installed,
)
from socialstats.metrics import lookup
from socialstats.references import citation
from socialstats.results.latex import latex
from socialstats.results.lone import THEIRS, Ends, call_for, lone_ends, only_row
from socialstats.results.rows import (
    GLANCE_COLUMNS,
    Row,
    add_cautions,
    aligned_text,
    builtin_value,
    checked_level,
    html_table,
    markdown_table,
    places_by_column,
    print_column,
    share_decimals,
    text_table,
    tidy_table,
    touches,
    undefine_overflow,
    word_columns,
)
from socialstats.results.verification import (
    Check,
    Verification,
    rows_with_places,
    with_missing_checks,
)
from socialstats.text import count, count_with_noun, listing, number, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


# cautions that a result without an interval or test does not carry
OF_INTERVALS = (
    "SS312",
    "SS317",
    "SS329",
)
# rows of the table that a result prints as itself
REPR_ROWS = 10


Checker: TypeAlias = Callable[["Result"], Iterable[Check]]
"""Returns the checks of the numbers of a result."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Result:
    """What a metric returns.

    Attributes
    ----------
    metric : str
        Registry name.
    title : str
        Estimator in words.
    inference : str
        How the uncertainty was obtained, in words.
    rows : tuple of Row
    counts : mapping of str to int
        n at every level: rows, items, pairs, clusters.
    fit : mapping
        Values of `GLANCE_COLUMNS` that apply.
    settings : mapping
        Everything the caller chose (or left at its default), echoed.
    cautions : tuple of Caution
    references : tuple of str
        Keys of `socialstats.references`.
    names, covariance : tuple of str, (k, k) array or None
        Covariance of the coefficients `names`.
    design : object
        The design the numbers were computed from.
    extras : mapping
        Further named values of the metric (arrays, tables).
    words : str
        The sentence of a result derived from another one (a contrast, a test); empty for a metric's own result.
    check : callable, optional
        Returns the checks of a derived result, whose figure is a forest of its rows: a function of the result, such as
        a `socialstats.crosscheck.definition.Definition`. None for a metric's own result.

    Examples
    --------
    >>> import socialstats as ss
    >>> result = ss.paired_difference({"before": [1, 2, 2, 4], "after": [2, 2, 5, 6]}, first="after", second="before")
    >>> print(result.sentence())
    The mean difference (after minus before) was 1.50 over 4 pairs, approximate 95% CI [−0.55, 3.55], t(3) = 2.32, p
    = .103.
    >>> row = result.row("difference")
    >>> row.estimate, round(row.std_error, 3), row.df
    (1.5, 0.645, 3.0)
    >>> print(result.confint().round(2).loc["difference"].to_string())
    2.5 %    -0.55
    97.5 %    3.55
    >>> result.verify().ok
    True
    """

    metric: str
    title: str
    rows: tuple[Row, ...]
    inference: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    fit: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    references: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    covariance: FloatArray | None = None
    design: Any = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    words: str = ""
    check: Checker | None = None

    def __post_init__(self) -> None:
        rows = [undefine_overflow(row) for row in self.rows]
        cautions = tuple(
            caution
            for caution in self.cautions
            if caution.code not in OF_INTERVALS
            or any(
                (row.conf_low is not None or row.p_value is not None) and touches(caution, row)
                for row in rows
            )
        )
        object.__setattr__(self, "cautions", cautions)
        object.__setattr__(
            self, "rows", share_decimals(tuple(add_cautions(row, cautions) for row in rows))
        )

    def __repr__(self) -> str:
        size = ", ".join(count_with_noun(n, what) for what, n in self.counts.items())
        lines = [
            f"<{self.title}: {size}; {self.inference}>",
            aligned_text(*text_table(self.rows[:REPR_ROWS])),
        ]
        left = len(self.rows) - REPR_ROWS
        warned = sum(c.severity != "info" for c in self.cautions)
        below = [f"{count(left, 'more row')} in tidy()"] if left > 0 else []
        below += [f"{count(warned, 'caution')} in summary()"] if warned else []
        lacking = any(row.estimate is None and row.undefined for row in self.rows)
        below += ["why a number is missing: summary()"] if lacking else []
        return "\n".join([*lines, *([f"({'; '.join(below)})"] if below else [])])

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise the error of a name that is not there, with what to write where it is another package's."""
            hint = f". Write {THEIRS[name]}" if name in THEIRS else ""
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute '{name}'{hint}",
                name=name,
                obj=self,
            )

        def __getitem__(self, key: object) -> Any:
            """Raise the error of what is no table or tuple, with what to write for a term, a column or a place."""
            raise TypeError(
                f"a {type(self).__name__} has no [{key!r}]. Write {call_for(key, self.rows)}"
            )

    def tidy(self, *, all: bool = False) -> pd.DataFrame:
        """Return one row per term, with those of the columns of `TIDY_COLUMNS` that hold a value.

        Where a value, an interval or a test is missing, `undefined` says why, and `reason` names the kind of reason.

        Parameters
        ----------
        all : bool
            True: every column, also the empty ones, for programs that read one by its name.

        Examples
        --------
        >>> from socialstats import mcnemar
        >>> found = mcnemar([[30, 12], [5, 53]])
        >>> "by" in found.tidy(), "by" in found.tidy(all=True)
        (False, True)
        """
        return tidy_table(self.rows, all=all)

    def glance(self) -> pd.DataFrame:
        """Return one row that describes the whole fit."""
        import pandas as pd

        return pd.DataFrame({name: [self.fit.get(name)] for name in GLANCE_COLUMNS})

    def augment(self) -> pd.DataFrame:
        """Return the observations as they were used: the table of the design.

        Raises
        ------
        UndefinedStatistic
            For a result without a table of its own, such as one of published numbers.

        Examples
        --------
        >>> from socialstats import paired_difference
        >>> pairs = {"old": [0.5, 1.0], "new": [1.5, 1.0]}
        >>> paired_difference(pairs, first="new", second="old").augment().to_dict("list")
        {'first': [1.0, 1.5], 'second': [1.0, 0.5], 'count': [1.0, 1.0]}
        """
        if not hasattr(self.design, "table"):
            raise UndefinedStatistic(f"{self.title} has no table of observations")
        table: pd.DataFrame = self.design.table()
        return table

    def row(self, term: str, *, group: str | None = None, by: str | None = None) -> Row:
        """Return the row of a term.

        Raises
        ------
        InputError
            If there is no such term, or it stands in several groups, each of them named, and `group` is not given.
        """
        matches = [
            r
            for r in self.rows
            if r.term == term and (group is None or r.group == group) and (by is None or r.by == by)
        ]
        if not matches:
            terms = ", ".join(dict.fromkeys(r.term for r in self.rows))
            raise InputError(f"no term '{term}' in this result; terms: {terms}")
        if len(matches) > 1 and group is None:
            plain_rows = [r for r in matches if r.group is None]
            # the row that leads: the others say what group they are
            if len(plain_rows) == 1:
                return plain_rows[0]
            groups = ", ".join(repr(r.group) for r in matches)
            raise InputError(
                f"term '{term}' stands in several groups ({groups}): say which with {option('group')}"
            )
        return matches[0]

    def labels(self, rows: Sequence[Row]) -> list[str]:
        """Return a name for each row that no other row has: its term, with its group where terms repeat."""
        repeated = len({r.term for r in rows}) < len(rows)
        return [r.name if repeated else r.term for r in rows]

    def coef(self) -> dict[str, float]:
        """Return the coefficients by name (or the estimates by term, where there is no covariance)."""
        if self.names:
            chosen = {r.term: r.estimate for r in self.rows}
            return {name: float(chosen[name] or 0.0) for name in self.names}
        pairs = zip(self.labels(self.rows), self.rows, strict=True)
        return {label: r.estimate for label, r in pairs if r.estimate is not None}

    @property
    def params(self) -> pd.Series:
        """Coefficients by name, as statsmodels calls them: `coef` as a Series."""
        import pandas as pd

        return pd.Series(self.coef(), dtype="float64", name="estimate")

    @property
    def bse(self) -> pd.Series:
        """Standard errors of the terms, as statsmodels calls them; NaN where there is none."""
        return self._column("std_error")

    @property
    def pvalues(self) -> pd.Series:
        """P-values of the terms, as statsmodels calls them; NaN where there is none."""
        return self._column("p_value")

    @property
    def pvalue(self) -> float:
        """The p-value of the only test, as scipy calls it; a result of several tests has `pvalues`.

        Raises
        ------
        InputError
            For several tests; the message has the call for each.
        UndefinedStatistic
            For a result without a test.

        Examples
        --------
        >>> from socialstats import two_means
        >>> found = two_means([3, 5, 4, 6, 5], [2, 3, 4, 4])
        >>> round(found.pvalue, 4), round(found.statistic, 4), found.confidence_interval(0.9)
        (0.0952, 1.9302, Ends(low=0.0236..., high=2.6763...))
        """
        return self._tested("p_value", "p-value", "pvalues")

    @property
    def statistic(self) -> float:
        """The statistic of the only test, as scipy calls it.

        Raises
        ------
        InputError, UndefinedStatistic
            As `pvalue`; also for a test without a statistic, such as an exact one.
        """
        return self._tested("statistic", "test", "tidy()['statistic']")

    def _tested(self, name: str, what: str, every: str) -> float:
        """Return a field of the only row with a p-value."""
        row = only_row(
            self.rows, lambda row: row.p_value is not None, self.title, what, name, every
        )
        value: float | None = getattr(row, name)
        if value is None:
            raise UndefinedStatistic(f"the test of '{row.name}' has no {name}: {row.method}")
        return value

    def confidence_interval(self, confidence_level: float | None = None) -> Ends:
        """Return the interval of what is tested, as scipy calls it; of all rows: `confint`.

        Parameters
        ----------
        confidence_level : float, optional
            By default that of the result. See `confint`.

        Returns
        -------
        Ends
            ``low`` and ``high``, infinite where a one-sided interval has one end.

        Raises
        ------
        InputError
            As `confint`, and where several rows have an interval; the message has the call for each.
        UndefinedStatistic
            For a result without an interval.
        """
        level = confidence_level
        return lone_ends(self.rows if level is None else self._rows_at(level), self.title)

    def _column(self, name: str) -> pd.Series:
        """Return a field of the rows by the label of each row."""
        import pandas as pd

        values = [getattr(row, name) for row in self.rows]
        return pd.Series(values, index=self.labels(self.rows), dtype="float64", name=name)

    def conf_int(self, alpha: float | None = None, *, level: float | None = None) -> pd.DataFrame:
        """Return the intervals as statsmodels calls them: `confint` at the level 1 - alpha.

        Parameters
        ----------
        alpha : float, optional
            By default that of the result.
        level : float, optional
            Confidence level in place of `alpha`, as in `confint`.

        Raises
        ------
        InputError
            As `confint`, and for both `alpha` and `level`.
        """
        if alpha is not None and level is not None:
            raise InputError(
                f"{option('alpha', alpha)} and {option('level', level)} both say the level of the intervals. "
                "Leave one of them out"
            )
        return self.confint(level if alpha is None else 1 - alpha)

    def cov_params(self) -> pd.DataFrame:
        """Return the covariance matrix of the coefficients, as statsmodels calls it: `vcov`.

        Raises
        ------
        UndefinedStatistic
            If the metric has none.
        """
        return self.vcov()

    def vcov(self) -> pd.DataFrame:
        """Return the covariance matrix of the coefficients.

        Raises
        ------
        UndefinedStatistic
            If the metric has none.
        """
        if self.covariance is None:
            raise UndefinedStatistic(
                f"{self.title} has no covariance matrix; its intervals are {self.inference}"
            )
        import pandas as pd

        return pd.DataFrame(self.covariance, index=list(self.names), columns=list(self.names))

    def confint(self, level: float | None = None) -> pd.DataFrame:
        """Return the intervals, one row per term, with R's column names.

        Parameters
        ----------
        level : float, optional
            Intervals that follow from estimate, standard error and degrees of freedom (t, z, and these on Fisher's z
            scale), and the metric's own where it can, are computed again.

        Raises
        ------
        InputError
            Where some interval cannot be computed again: the metric must be called with ``level=``. For a level that
            is no number between 0 and 1, such as a term: that of one term is ``confint().loc[term]``.
        """
        import pandas as pd

        rows = self.rows if level is None else self._rows_at(level)
        used = next((r.conf_level for r in rows if r.conf_level is not None), 0.95)
        names = [f"{50 * (1 - used):g} %", f"{50 * (1 + used):g} %"]
        data = [[r.conf_low, r.conf_high] for r in rows]
        return pd.DataFrame(data, index=self.labels(rows), columns=names, dtype="float64")

    def _rows_at(self, level: float) -> tuple[Row, ...]:
        """Return the rows with intervals at a level that the caller named."""
        checked_level(level, "; one term: confint().loc[term]" if isinstance(level, str) else "")
        return self.rows_at(level)

    def rows_at(self, level: float) -> tuple[Row, ...]:
        """Return the rows with intervals at another level, or raise `InputError`."""
        if all(r.conf_level in (None, level) for r in self.rows):
            return self.rows
        at_level: Callable[[Row, float], Row | None] = importlib.import_module(
            "socialstats.inference.rows"
        ).row_at_level
        converted = [at_level(row, level) for row in self.rows]
        rows = tuple(row for row in converted if row is not None)
        if len(rows) == len(converted):
            return rows
        raise InputError(
            f"these intervals are {self.inference}; call {self.metric}(..., level={level}) again"
        )

    def summary(self) -> str:
        """Return the result as text: estimator, how the errors were obtained, n, terms, cautions."""
        size = ", ".join(count_with_noun(n, what) for what, n in self.counts.items())
        lines = [self.title, f"Inference: {self.inference}", f"Data: {size}"]
        facts = [
            f"{k} {number(v, 4) if isinstance(v, float) else v}"
            for k, v in self.fit.items()
            if v is not None
        ]
        if facts:
            lines.append("Fit: " + ", ".join(facts))
        lines += ["", self.table_text(), *self.undefined_lines(), ""]
        lines += [f"Caution {c}" for c in self.cautions if c.severity != "info"]
        lines += [f"Note {c}" for c in self.cautions if c.severity == "info"]
        return "\n".join(lines).rstrip()

    def undefined_lines(self) -> list[str]:
        """Return a line for each reason why terms have no value, no interval or no test, with the terms."""
        reasons: dict[str, list[str]] = {}
        for label, row in zip(self.labels(self.rows), self.rows, strict=True):
            if row.undefined:
                reasons.setdefault(row.undefined, []).append(label)
        return [f"Undefined: {quoted(terms)}: {why}" for why, terms in reasons.items()]

    def table_text(self) -> str:
        """Return the terms as an aligned text table, columns without values left out."""
        return aligned_text(*text_table(self.rows))

    def to_markdown(self) -> str:
        """Return the terms as a Markdown table, columns without values left out."""
        return markdown_table(*text_table(self.rows))

    def to_latex(self) -> str:
        """Return the terms as a LaTeX tabular (package booktabs), columns without values left out."""
        head, cells = text_table(self.rows)
        return latex(head, cells, word_columns(head))

    def _repr_html_(self) -> str:
        """Return title, sentence, terms and cautions for notebooks."""
        parts = [
            f"<p><b>{escape(self.title)}</b></p>",
            f"<p>{escape(self.sentence())}</p>",
            html_table(*text_table(self.rows)),
        ]
        return "".join(
            parts + [f"<p>{escape(str(c))}</p>" for c in self.cautions if c.severity != "info"]
        )

    def sentence(self) -> str:
        """Return the result as one APA 7 sentence, made from the rows of `tidy()`."""
        text: str = self.words or self.entry().sentence(self)
        return text

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draw the result and return the matplotlib Axes.

        Raises
        ------
        InputError
            For an option that the figure does not have; the message names those it has.
        MissingDependency
            If matplotlib is not installed.
        """
        try:
            from socialstats.figures import forest

            draw = partial(forest, self.rows) if self.check else partial(self.entry().plot, self)
            axes: Axes = draw(ax=ax, **options)
        except ModuleNotFoundError as error:
            raise MissingDependency(not_installed(error)) from error
        return axes

    def verify(self) -> Verification:
        """Recompute the numbers with independent implementations and compare.

        Returns
        -------
        Verification
            At least one check of every published number: it agrees, disagrees, or was not checked, with the reason.

        Raises
        ------
        InputError
            If rows were taken out, or put in another order, and the crosscheck of the metric needs them all.
        """
        rows = rows_with_places(self.rows)
        with warnings.catch_warnings():
            # a peer's complaints are its own; its numbers are compared
            warnings.simplefilter("ignore")
            try:
                return with_missing_checks(rows, replace(self, rows=rows).crosscheck())
            except (LookupError, ValueError, StopIteration) as error:
                raise InputError(
                    f"verify() needs all rows of a result, in the order in which {self.metric}() made them, and these "
                    f"{len(rows)} are others: verify the whole result"
                ) from error

    def crosscheck(self) -> Iterable[Check]:
        """Return the comparisons behind `verify`: those of the metric; a derived result names its own."""
        # derived from another result, by a formula that the metric's crosscheck does not know
        if self.words and not self.check:
            return ()
        if self._beyond_peers():
            return (
                Check(
                    quantity="all numbers",
                    ours=None,
                    theirs=None,
                    package="none",
                    version="",
                    tolerance=0.0,
                    ok=None,
                    note="squares of such large or small values leave the range of floats in other packages",
                ),
            )
        check: Checker = self.check or self.entry().definition
        return check(self)

    def _beyond_peers(self) -> bool:
        """Return whether the design holds values that are divided by their `size_unit` before they are squared."""
        values: list[Any] = [
            getattr(self.design, name, None) for name in ("first", "second", "scores")
        ]
        numbers = [array for array in values if str(getattr(array, "dtype", "")) == "float64"]
        return bool(size_unit(*numbers) != 1)

    def entry(self) -> Any:
        """Return the registry entry (`socialstats.registry.Metric`) of this result's metric."""
        return lookup(self.metric)

    def cite(self) -> str:
        """Return the references of the method, one a line."""
        return "\n".join(citation(key) for key in self.references)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as built-in types (for JSON, and for R's reticulate)."""
        texts = {name: getattr(self, name) for name in ("metric", "title", "inference")}
        mappings = {
            name: builtin_value(getattr(self, name)) for name in ("counts", "fit", "settings")
        }
        return {
            **texts,
            **mappings,
            "terms": [row_dict(row) for row in self.rows],
            "cautions": [builtin_value(asdict(c)) for c in self.cautions],
            "references": [citation(key) for key in self.references],
            "sentence": self.sentence(),
        }


def row_dict(row: Row) -> dict[str, Any]:
    """Return the fields of a row that hold something, as built-in types."""
    # limits, cautions and places serve the printing of a row
    names = [f.name for f in fields(Row) if f.name not in ("limits", "cautions", "places")]
    values = {name: getattr(row, name) for name in names}
    values["key"] = dict(row.key) or None
    values["approximate"] = row.approximate
    return {
        name: builtin_value(value)
        for name, value in values.items()
        if value not in (None, ()) and value is not False
    }


R = TypeVar("R")
# a metric says how many and how it used them; other codes tell of different things
REPORTED_BY_METRIC = ("SS315",)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ResultGroup:
    """One result for each level of `by=`, readable as one table.

    Attributes
    ----------
    by : str
        Name of the variable.
    results : mapping of str to Result (or to another group)

    Examples
    --------
    >>> from socialstats import Comparisons, bradley_terry
    >>> rows = {"model": [*"mmmnnn"], "item_a": [*"xxxxxx"], "item_b": [*"yyyyyy"], "winner": [*"xxyxyy"]}
    >>> group = bradley_terry(Comparisons.from_frame(rows, by="model"))
    >>> {model: round(strengths["x"], 3) for model, strengths in group.coef().items()}
    {'m': 0.347, 'n': -0.347}
    """

    by: str
    results: Mapping[str, Any]

    def __repr__(self) -> str:
        names = listing([shorten(name, 30) for name in self.results], most=5)
        return f"<ResultGroup by {shorten(self.by)}: {count(len(self.results), 'level')} ({names})>"

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise the error of a name that is not there, with the call where each level has it."""
            exists_by_level = hasattr(Result, name) or name in THEIRS
            first = next(iter(self.results), "") if exists_by_level else ""
            hint = (
                f". There is one result a level: group[{first!r}].{name}" if exists_by_level else ""
            )
            raise AttributeError(f"'ResultGroup' object has no attribute '{name}'{hint}")

    def __getitem__(self, level: str) -> Any:
        if level not in self.results:
            levels = listing([shorten(name) for name in self.results], most=20)
            raise InputError(f"no level '{shorten(str(level))}' of {self.by}; levels: {levels}")
        return self.results[level]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def tidy(self, *, all: bool = False) -> pd.DataFrame:
        """Return the terms of all levels, the level in column ``by``; `all` as for `Result.tidy`."""
        return tidy_table(self.rows(), all=all)

    def glance(self) -> pd.DataFrame:
        """Return one row per level."""
        import pandas as pd

        parts: list[pd.DataFrame] = [r.glance() for r in self.results.values()]
        return pd.concat(parts, keys=list(self.results), names=[self.by])

    def augment(self) -> pd.DataFrame:
        """Return the observations of all levels, the level in a column called as `by`; see `Result.augment`."""
        import pandas as pd

        parts: dict[str, pd.DataFrame] = self._each(lambda r: r.augment())
        return pd.concat(
            [part.assign(**{self.by: level}) for level, part in parts.items()], ignore_index=True
        )

    def summary(self) -> str:
        """Return the summaries of all levels."""
        return "\n\n".join(
            f"{self.by} = {level}\n{r.summary()}" for level, r in self.results.items()
        )

    def to_markdown(self) -> str:
        """Return the terms of all levels as one Markdown table, the level in its first column."""
        return markdown_table(*text_table(self.rows(), by=self.by))

    def to_latex(self) -> str:
        """Return the terms of all levels as one LaTeX tabular (package booktabs), the level in its first column."""
        head, cells = text_table(self.rows(), by=self.by)
        return latex(head, cells, word_columns(head))

    def _repr_html_(self) -> str:
        """Return the terms of all levels for notebooks."""
        return f"<p><b>{escape(repr(self)[1:-1])}</b></p>{html_table(*text_table(self.rows(), by=self.by))}"

    def rows(self) -> tuple[Row, ...]:
        """Return the rows of all levels, each with its level as `by`."""
        return tuple(
            replace(row, by=level if row.by is None else f"{level}, {row.by}")
            for level, result in self.results.items()
            for row in (result.rows() if isinstance(result, ResultGroup) else result.rows)
        )

    def sentence(self) -> str:
        """Return the sentences of all levels, one a line."""
        return "\n".join(f"{level}: {r.sentence()}" for level, r in self.results.items())

    def coef(self) -> dict[str, Any]:
        """Return the coefficients of each level by name."""
        return {level: r.coef() for level, r in self.results.items()}

    def vcov(self) -> dict[str, pd.DataFrame]:
        """Return the covariance matrix of each level; levels are independent fits, so there is none between them.

        Raises
        ------
        UndefinedStatistic
            If the metric has none.
        """
        return self._each(lambda r: r.vcov())

    def confint(self, level: float | None = None) -> pd.DataFrame:
        """Return the intervals of all levels, indexed by level and term.

        Parameters
        ----------
        level : float, optional
            Confidence level, as in `Result.confint`.
        """
        import pandas as pd

        parts: dict[str, pd.DataFrame] = self._each(lambda r: r.confint(level))
        return pd.concat(parts.values(), keys=list(parts), names=[self.by, "term"])

    def plot(self, **options: Any) -> dict[str, Axes]:
        """Draw a figure for each level and return its Axes by level; options as in the metric's own plot."""
        axes: dict[str, Axes] = self._each(lambda r: r.plot(**options))
        for level, ax in axes.items():
            title = f"{shorten(self.by, 30)} = {shorten(level, 40)}"
            metric_title = ax.get_title(loc="left")
            ax.set_title(f"{title}: {metric_title}" if metric_title else title, loc="left")
        return axes

    def verify(self) -> Verification:
        """Recompute every level by independent implementations: one table, the level before each quantity."""
        checks, rows = list[Check](), list[Row]()
        for level, verification in self._each(lambda r: r.verify()).items():
            checks += [
                replace(
                    check,
                    quantity=f"{shorten(level, 40)}: {check.quantity}",
                    row=None if check.row is None else check.row + len(rows),
                )
                for check in verification
            ]
            rows += verification.rows
        return Verification(checks=tuple(checks), rows=tuple(rows))

    def cite(self) -> str:
        """Return the references of the method, one a line, each once."""
        lines = [line for r in self.results.values() for line in r.cite().split("\n")]
        return "\n".join(dict.fromkeys(lines))

    def _each(self, call: Callable[[Any], Any]) -> dict[str, Any]:
        """Call something of each level; an error names the level."""
        return each_level(self.by, self.results, call)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as built-in types."""
        return {"by": self.by, "results": {level: r.to_dict() for level, r in self.results.items()}}


def each_level(by: str, parts: Mapping[str, Any], call: Callable[[Any], Any]) -> dict[str, Any]:
    """Call something of the part of each level; an error names the level."""
    values = {}
    for level, part in parts.items():
        try:
            values[level] = call(part)
        except SocialStatsError as error:
            error.args = (f"{shorten(by)} = '{shorten(level)}': {error}",)
            raise
    return values


def with_cautions(result: R, cautions: tuple[Caution, ...]) -> R:
    """Return a result that also carries what was noticed while its table was read.

    What the metric itself says on missing ratings (its own `SAID_BY_METRIC` codes) is not said twice.
    """
    if not isinstance(result, Result):
        return result
    present = {(c.code, c.detail) for c in result.cautions}
    reported = {c.code for c in result.cautions}.intersection(REPORTED_BY_METRIC)
    more = tuple(
        c for c in cautions if (c.code, c.detail) not in present and c.code not in reported
    )
    return replace(result, cautions=(*result.cautions, *more)) if more else result


def printed_alike(lead: Result, *followers: Result) -> tuple[Result, ...]:
    """Return other results with the decimals of a leading one, column by column (`rows.columns_of`)."""
    digits = {
        column: median_low(lead.rows[k].decimals for k in at)
        for column, at in places_by_column(lead.rows).items()
    }
    return tuple(
        replace(
            result,
            rows=tuple(
                replace(row, places=max(row.decimals, digits.get(print_column(row), 0)))
                for row in result.rows
            ),
        )
        for result in followers
    )


def results_by_model(results: object, function: str) -> dict[str, Result]:
    """Return the results of models by name.

    Raises
    ------
    InputError
        For anything that does not name the model of each result.
    """
    by_model = results.results if isinstance(results, ResultGroup) else results
    wrong = (
        []
        if not isinstance(by_model, Mapping)
        else [
            shorten(type(result).__name__)
            for result in by_model.values()
            if not isinstance(result, Result)
        ]
    )
    if not isinstance(by_model, Mapping) or wrong:
        description = type(results).__name__ + (f" of {wrong[0]}" if wrong else "")
        raise InputError(
            f"{function}() takes one result a model under the model's name, {{'m1': result, 'm2': ...}}, "
            f"or the results by a factor of one call; this is a {description}"
        )
    return {str(model): result for model, result in by_model.items()}
