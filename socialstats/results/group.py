"""One result for each level of a by factor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from socialstats.designs.comparisons import Comparisons
from socialstats.errors import Caution, InputError, SocialStatsError
from socialstats.results.result import Result
from socialstats.results.rows import Row
from socialstats.results.tables import latex, markdown, printed
from socialstats.results.verification import Verification
from socialstats.text import count, listing, shorten

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

R = TypeVar("R")
SAID_BY_METRIC = ("SS315",)  # a metric says how many and how it used them; other codes tell of different things


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

    def __getitem__(self, level: str) -> Any:
        if level not in self.results:
            known = listing([shorten(name) for name in self.results], most=20)
            raise InputError(f"no level '{shorten(str(level))}' of {self.by}; levels: {known}")
        return self.results[level]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def tidy(self) -> pd.DataFrame:
        """Return the terms of all levels, the level in column ``by``."""
        import pandas as pd

        parts: list[pd.DataFrame] = [r.tidy().assign(by=level) for level, r in self.results.items()]
        return pd.concat(parts, ignore_index=True)

    def glance(self) -> pd.DataFrame:
        """Return one row a level."""
        import pandas as pd

        parts: list[pd.DataFrame] = [r.glance() for r in self.results.values()]
        return pd.concat(parts, keys=list(self.results), names=[self.by])

    def summary(self) -> str:
        """Return the summaries of all levels."""
        return "\n\n".join(f"{self.by} = {level}\n{r.summary()}" for level, r in self.results.items())

    def to_markdown(self) -> str:
        """Return the terms of all levels as one Markdown table, the level in its first column."""
        return markdown(*printed(self.rows(), by=self.by))

    def to_latex(self) -> str:
        """Return the terms of all levels as one LaTeX tabular (package booktabs), the level in its first column."""
        return latex(*printed(self.rows(), by=self.by))

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
            own = ax.get_title(loc="left")
            ax.set_title(f"{title}: {own}" if own else title, loc="left")
        return axes

    def verify(self) -> Verification:
        """Recompute every level by independent implementations: one table, the level before each quantity."""
        checks, before = [], 0
        for level, found in self._each(lambda r: (len(r.tidy()), r.verify())).items():
            checks += [
                replace(check, quantity=f"{shorten(level, 40)}: {check.quantity}",
                        row=None if check.row is None else check.row + before)
                for check in found[1]
            ]  # fmt: skip
            before += found[0]
        return Verification(checks=tuple(checks))

    def cite(self) -> str:
        """Return the references of the method, one a line, each once."""
        lines = [line for r in self.results.values() for line in r.cite().split("\n")]
        return "\n".join(dict.fromkeys(lines))

    def _each(self, call: Callable[[Any], Any]) -> dict[str, Any]:
        """Call something of each level; an error names the level."""
        found = {}
        for level, result in self.results.items():
            try:
                found[level] = call(result)
            except SocialStatsError as error:
                error.args = (f"{shorten(self.by)} = '{shorten(level)}': {error}",)
                raise
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return everything as built-in types."""
        return {"by": self.by, "results": {level: r.to_dict() for level, r in self.results.items()}}


def by_levels(
    design: Any, by: str | None, compute: Callable[[Any], R], kind: type[Any] = Comparisons
) -> R | ResultGroup:
    """Run a metric on the whole design, or once for each level of its `by` factor.

    Parameters
    ----------
    design : Comparisons, Paired or Ratings
        The `kind` that the metric takes.
    by : {"declared"} or None
        None ignores the factor.
    compute : callable
        Design -> Result.
    kind : type
        Design that the metric takes.

    Raises
    ------
    InputError
        For a design of another kind, or a `by` that is not declared.
    """
    if not isinstance(design, kind):
        raise InputError(f"this metric takes {kind.__name__}, not {type(design).__name__}: {design!r}")
    if by not in ("declared", None) and (design.by is None or by != design.by.name):
        known = f"its by factor is '{design.by.name}'" if design.by is not None else "it has no by factor"
        raise InputError(f"by='{by}' is not declared in this design ({known}); pass by= when making the design")
    if by is None or design.by is None:
        return with_cautions(compute(design), design.cautions)
    results = {}
    for level, part in design.split().items():
        try:
            results[level] = with_cautions(compute(part), part.cautions)
        except SocialStatsError as error:
            error.args = (f"{design.by.name} = '{shorten(level)}': {error}",)
            raise
    return ResultGroup(by=design.by.name, results=results)


def with_cautions(result: R, cautions: tuple[Caution, ...]) -> R:
    """Return a result that also carries what was noticed while its table was read.

    What the metric itself says on missing ratings (its own `SAID_BY_METRIC` codes) is not said twice.
    """
    if not isinstance(result, Result):
        return result
    known = {(c.code, c.detail) for c in result.cautions}
    own = {c.code for c in result.cautions}.intersection(SAID_BY_METRIC)
    more = tuple(c for c in cautions if (c.code, c.detail) not in known and c.code not in own)
    return replace(result, cautions=(*result.cautions, *more)) if more else result
