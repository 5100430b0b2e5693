"""Every exception and every numbered caution, in one place.

Exception
└── SocialStatsError
    ├── InputError (ValueError)              a file, table, plan or option that cannot be used: exit code 2
    │   └── DesignError                      the columns do not make the design that was asked for
    ├── NothingToAnalyse (ValueError)        a readable table without a single usable row: exit code 3
    ├── MissingDependency (ImportError)      an optional package is needed: says which extra to install
    └── UndefinedStatistic (ArithmeticError) the number asked for is undefined for these data
        ├── MleDoesNotExist                  unbeaten, winless or separate items; separated covariates
        ├── NotIdentified                    terms that the data cannot tell apart
        └── NonConvergence                   an iteration stopped before its tolerance; carries the gap

An undefined statistic is one of these exceptions, or a row whose ``undefined`` reason is filled:
never 0, never p = 0, never a silent NaN.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["info", "caution", "stop"]
MOST_PROBLEMS = 20
MOST_LINES = 5


class SocialStatsError(Exception):
    """Base class of everything socialstats raises on purpose.

    Attributes
    ----------
    reason : str
        What is wrong, as a phrase.
    advice : str
        What to do about it, in the imperative; empty where the reason says it.

    Examples
    --------
    >>> import socialstats as ss
    >>> try:
    ...     ss.Ratings.from_frame({"unit": [1, 2], "rater": ["ann", "bob"]}, value="grade")
    ... except ss.SocialStatsError as error:
    ...     print(type(error).__name__)
    DesignError
    """

    def __init__(self, reason: str = "", *, advice: str = "") -> None:
        super().__init__(f"{reason}. {advice}" if advice else reason)
        self.reason, self.advice = reason, advice


class InFile(int):
    """A row, or line, of one of several files that are read as one table; or of a partition.

    Examples
    --------
    >>> str(InFile(12, "part-07.parquet"))
    '12 of part-07.parquet'
    """

    file: str

    def __new__(cls, row: int, file: str) -> InFile:
        """Make a place of row and file."""
        place = super().__new__(cls, row)
        place.file = file
        return place

    def __str__(self) -> str:
        return f"{int(self)} of {self.file}"

    # equal rows of two files are two places
    def __eq__(self, other: object) -> bool:
        return isinstance(other, InFile) and (int(self), self.file) == (int(other), other.file)

    def __hash__(self) -> int:
        # as equality: a row of another file is another place
        return hash((int(self), self.file))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong with an input, and what to do about it.

    Attributes
    ----------
    message : str
        What is wrong, naming the value.
    source : str
        File name, or how the data frame was passed.
    column : str, tuple of str or None
        Column (or columns) as the user's table spells it.
    lines : tuple of int
        Lines of the file (or row positions of a data frame, see `unit`), the first few at least; of several files
        each is an `InFile`.
    n_rows : int
        How many rows have this problem.
    fix : str
        One sentence that says what to do.
    unit : str
        ``"line"`` for files, ``"row"`` for data frames.
    part : str
        The part of a design that no column plays, where that is what is wrong.
    noun : str
        What `n_rows` counts: rows, or the values of a table with several values in a row.
    """

    message: str
    source: str = ""
    column: str | tuple[str, ...] | None = None
    lines: tuple[int, ...] = ()
    n_rows: int = 0
    fix: str = ""
    unit: str = "line"
    part: str = ""
    noun: str = "rows"

    def __str__(self) -> str:
        return f"{self.fault}. {self.fix}" if self.fix else self.fault

    @property
    def fault(self) -> str:
        """The place and what is wrong, without the fix."""
        place = self.source
        if self.lines:
            # rows of several files name theirs
            first = self.lines[0]
            place = f"{first.file if isinstance(first, InFile) else place} {self.unit} {int(first)}"
        if self.column is not None:
            place += f", {in_columns(self.column)}"
        text = f"{place}: {self.message}" if place else self.message
        if self.n_rows > 1 and not self.lines:
            text += f" ({self.n_rows:,} {self.noun})"
        elif self.n_rows > 1:
            listed = ", ".join(str(line) for line in self.lines[:MOST_LINES])
            more = (
                ", ..."
                if (self.n_rows if self.noun == "rows" else len(self.lines)) > MOST_LINES
                else ""
            )
            text += f" ({self.n_rows:,} {self.noun}: {self.unit}{'s' if len(self.lines) > 1 else ''} {listed}{more})"
        return text


def in_columns(names: str | Sequence[str]) -> str:
    """Name a column, or several, for a message.

    Examples
    --------
    >>> in_columns("x"), in_columns(["x", "y"])
    ("column 'x'", "columns 'x' and 'y'")
    """
    quoted = [f"'{name}'" for name in ([names] if isinstance(names, str) else names)]
    if len(quoted) < 2:
        return f"column {''.join(quoted)}"
    last = f"{len(quoted) - MOST_COLUMNS} more" if len(quoted) > MOST_COLUMNS + 1 else quoted[-1]
    return f"columns {', '.join(quoted[: min(MOST_COLUMNS, len(quoted) - 1)])} and {last}"


MOST_COLUMNS = 5


class InputError(SocialStatsError, ValueError):
    """Input that cannot be used; carries up to 20 problems, each with its place and its fix.

    Examples
    --------
    >>> import socialstats as ss
    >>> try:
    ...     ss.paired_difference({"before": [1, 2], "after": [2, "x"]}, first="after", second="before")
    ... except ss.InputError as error:
    ...     print(error)
    data frame row 1, column 'after': 'x' is not a finite number. Correct it, or declare it with na='x' if it means a
    missing value
    """

    def __init__(self, problems: Problem | str | Sequence[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(message=problems)
        self.problems = (problems,) if isinstance(problems, Problem) else tuple(problems)
        listed = [str(problem) for problem in self.problems[:MOST_PROBLEMS]]
        if len(self.problems) > MOST_PROBLEMS:
            listed.append(f"... and {len(self.problems) - MOST_PROBLEMS} more problems")
        super().__init__("\n".join(listed))
        # the first problem speaks for all where an error has one line
        if self.problems:
            self.reason, self.advice = self.problems[0].fault, self.problems[0].fix


class DesignError(InputError):
    """The columns do not make the design that was asked for.

    Examples
    --------
    >>> import socialstats as ss
    >>> try:
    ...     ss.Comparisons.from_frame({"left": ["ash"], "right": ["elm"], "better": ["ash"]})
    ... except ss.DesignError as error:
    ...     print(error)
    data frame: no column for 'winner' (looked for winner, choice, chosen, preferred, preference, result and 3
    more). Columns: left, right and better. Say which it is: winner='COLUMN'
    """


class NothingToAnalyse(SocialStatsError, ValueError):
    """A readable table without a single usable row.

    Examples
    --------
    >>> import socialstats as ss
    >>> try:
    ...     ss.Comparisons.from_frame({"item_a": [], "item_b": [], "winner": []})
    ... except ss.NothingToAnalyse as error:
    ...     print(error)
    data frame has no rows: there is nothing to analyse
    """


def not_installed(error: ModuleNotFoundError) -> str:
    """Return which package a module lacks, and the line that installs it; a missing module of ours is raised again.

    Examples
    --------
    >>> not_installed(ModuleNotFoundError(name="matplotlib.axes"))
    'matplotlib is not installed: pip install matplotlib'
    """
    package = (error.name or "").partition(".")[0]
    # a missing module of ours is an error of the installation
    if not package or package.startswith("socialstats"):
        raise error
    return f"{package} is not installed: pip install {package}"


class MissingDependency(SocialStatsError, ImportError):
    """An optional package is needed; the message names the extra that brings it.

    Examples
    --------
    >>> import socialstats as ss
    >>> issubclass(ss.MissingDependency, ImportError)
    True
    >>> print(ss.MissingDependency("writing parquet needs pyarrow: pip install 'socialstats[parquet]'"))
    writing parquet needs pyarrow: pip install 'socialstats[parquet]'
    """


class UndefinedStatistic(SocialStatsError, ArithmeticError):
    """The statistic is undefined for these data; the message says why.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"unit": [1, 1, 2, 2], "rater": ["ann", "bob"] * 2, "value": [3, 3, 3, 3]}
    >>> try:
    ...     ss.krippendorff_alpha(table, on_undefined="raise")
    ... except ss.UndefinedStatistic as error:
    ...     print(error)
    alpha: no variation: every rating is '3', so agreement by chance is complete
    """


class MleDoesNotExist(UndefinedStatistic):
    """No finite maximum-likelihood estimate exists.

    Attributes
    ----------
    components : tuple of tuple of str
        Strongly connected components of the win graph, largest first.
    unbeaten, winless : tuple of str
        Items that never lost (or tied), and items that never won (or tied).
    separate : bool
        True when the comparison graph itself falls apart: some groups were never compared.
    terms : tuple of str
        Covariates (or the order effect) that separate the outcomes perfectly.
    penalty : bool
        Whether a penalty or a prior keeps the estimates finite.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"item_a": ["ash", "ash", "elm"], "item_b": ["elm", "oak", "oak"], "winner": ["ash", "ash", "oak"]}
    >>> try:
    ...     ss.bradley_terry(table)
    ... except ss.MleDoesNotExist as error:
    ...     print(error.unbeaten, error.winless)
    ('ash',) ('elm',)
    """

    def __init__(
        self,
        reason: str,
        *,
        advice: str = "",
        components: tuple[tuple[str, ...], ...] = (),
        unbeaten: tuple[str, ...] = (),
        winless: tuple[str, ...] = (),
        separate: bool = False,
        terms: tuple[str, ...] = (),
        penalty: bool = True,
    ) -> None:
        super().__init__(reason, advice=advice)
        self.penalty = penalty
        self.components = components
        self.unbeaten = unbeaten
        self.winless = winless
        self.separate = separate
        self.terms = terms


class NotIdentified(UndefinedStatistic):
    """Terms that these data cannot tell apart; `terms` names them.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"item_a": ["ash", "ash", "elm"] * 2, "item_b": ["elm", "oak", "oak"] * 2,
    ...          "winner": ["ash", "oak", "oak", "elm", "ash", "elm"]}
    >>> table |= {"x_a": [1, 2, 1, 2, 1, 2], "x_b": [2, 2, 1, 1, 1, 2]}
    >>> table |= {"y_a": [2 * x for x in table["x_a"]], "y_b": [2 * x for x in table["x_b"]]}  # y says what x says
    >>> try:
    ...     ss.bradley_terry(table, "~ x + y")
    ... except ss.NotIdentified as error:
    ...     print(error.terms)
    ('x', 'y')
    """

    def __init__(self, reason: str, *, advice: str = "", terms: tuple[str, ...] = ()) -> None:
        super().__init__(reason, advice=advice)
        self.terms = terms


class NonConvergence(UndefinedStatistic):
    """An iteration stopped before reaching its tolerance.

    Attributes
    ----------
    iterations : int
    gap : float
        What the stopping rule measured when it gave up.

    Examples
    --------
    >>> import socialstats as ss
    >>> stopped = ss.NonConvergence("the strengths did not converge", iterations=100, gap=0.02)
    >>> print(stopped)
    the strengths did not converge (100 iterations, remaining gap 0.02)
    >>> isinstance(stopped, ss.UndefinedStatistic)
    True
    """

    def __init__(self, reason: str, *, iterations: int, gap: float) -> None:
        super().__init__(f"{reason} ({iterations} iterations, remaining gap {gap:.3g})")
        self.iterations = iterations
        self.gap = gap


@dataclass(frozen=True, slots=True, kw_only=True)
class Caution:
    """Something to know before quoting a number.

    Attributes
    ----------
    code : str
        Stable number, listed in `CAUTIONS`.
    severity : {"info", "caution", "stop"}
    short : str
        One line.
    detail : str
        What was seen in these data, with its numbers.
    affects : str
        Which numbers it concerns.
    fix : str
        What to do, in the imperative.
    rows : tuple of str or None
        Names (`Row.name`), terms, groups, roles or labels of the rows that it touches; None: every row.
    basis : str
        What there is little of, with its number: ``4 pairs of items``.
    numbers : str
        Which numbers rest on it, where these are not all: ``8 shares, such as that of 'child'``.

    Examples
    --------
    >>> import socialstats as ss
    >>> pairs = {"before": [1, 2, 2, 4], "after": [2, 2, 5, 6]}
    >>> caution = ss.paired_difference(pairs, first="after", second="before").cautions[0]
    >>> caution.code, caution.severity, caution.short
    ('SS312', 'caution', 'the sample is small for this interval')
    """

    code: str
    severity: Severity
    short: str
    detail: str = ""
    affects: str = ""
    fix: str = ""
    rows: tuple[str, ...] | None = None
    basis: str = ""
    numbers: str = ""

    def __str__(self) -> str:
        return f"{self.code} {self.short}" + (f": {self.detail}" if self.detail else "")

    @property
    def advice(self) -> str:
        """The caution with what to do, as a terminal shows it."""
        # a setting is typed as it is: cluster = "story"
        setting = re.match(r"\w+ ?=", self.fix)
        fix = f"Write {self.fix}" if setting else self.fix[:1].upper() + self.fix[1:]
        return f"{self}. {fix}" if fix else str(self)


# cautions about an interval, which is then called approximate
APPROXIMATE = frozenset(
    (
        "SS202",
        "SS203",
        "SS206",
        "SS208",
        "SS211",
        "SS212",
        "SS213",
        "SS216",
        "SS304",
        "SS312",
        "SS314",
        "SS317",
        "SS333",
    )
)


# notes that touch no number
HARMLESS = frozenset(("SS307", "SS341", "SS344", "SS401", "SS403"))


CAUTIONS: dict[str, tuple[Severity, str]] = {
    "SS101": ("stop", "the comparison graph is disconnected"),
    "SS102": ("caution", "strengths were kept finite by a penalty or prior"),
    "SS103": ("caution", "few comparisons for some items"),
    "SS104": ("caution", "the model fits the counts of pairs poorly"),
    "SS105": ("caution", "each tie counts as half a win for both items"),
    "SS106": ("caution", "presentation order was not declared"),
    "SS107": ("caution", "presentation order had an effect"),
    "SS108": ("caution", "presentation order and covariates are unbalanced"),
    "SS109": ("info", "ties are modelled"),
    "SS110": ("info", "shares depend on the number of items in a group"),
    "SS111": ("caution", "the order effect changes a conclusion"),
    "SS201": ("caution", "clusters were ignored"),
    "SS202": ("caution", "few clusters"),
    "SS203": ("caution", "fewer clusters than parameters"),
    "SS204": ("caution", "some resamples had no finite estimate"),
    "SS205": ("info", "clustering changes the standard errors"),
    "SS206": ("info", "a covariance matrix was not positive semidefinite and was adjusted"),
    "SS207": ("info", "weights were used"),
    "SS208": ("caution", "part of a variance was estimated from other clusters"),
    "SS209": ("caution", "some estimates rest on single clusters and have no interval"),
    "SS210": ("info", "one cluster determines an estimate"),
    "SS211": ("caution", "one or a few clusters dominate an estimate"),
    "SS212": ("caution", "rare answers"),
    "SS213": ("caution", "skewed differences"),
    "SS214": ("caution", "a function uses the order of rows, or labels of units"),
    "SS215": ("info", "few people, taken as they are"),
    "SS216": ("caution", "a few units have much of the weight"),
    "SS301": ("caution", "rows were excluded"),
    "SS302": ("caution", "some conditions have no comparison"),
    "SS303": ("caution", "cells have different numbers of observations"),
    "SS304": ("info", "a plug-in estimate is biased; a corrected one stands beside it"),
    "SS305": ("info", "a published reference value does not match its description"),
    "SS306": (
        "caution",
        "labels differ only in case, white space, character encoding or a final .0",
    ),
    "SS307": ("info", "some columns were not used"),
    "SS308": ("info", "some covariates were not used"),
    "SS309": ("caution", "more raters than units: rows and columns may be exchanged"),
    "SS310": ("info", "scale, levels or order of conditions were not declared"),
    "SS311": ("caution", "a column that may hold clusters was not declared"),
    "SS312": ("caution", "the sample is small for this interval"),
    "SS313": ("caution", "some ratings do not vary"),
    "SS314": ("caution", "few discordant pairs"),
    "SS315": ("info", "ratings are missing or refused"),
    "SS316": ("info", "tests disagree at the chosen level"),
    "SS317": ("caution", "the interval's distributional assumption is violated"),
    "SS318": ("caution", "the neutral point of the scale is unknown"),
    "SS319": ("caution", "a second parsing changes answers"),
    "SS320": ("info", "a column was read as the source of the raters, by its name and values"),
    "SS321": ("caution", "rows are repeated"),
    "SS322": ("caution", "repeated answers of one source are not independent"),
    "SS323": ("caution", "a column was read as frequencies of the rows"),
    "SS324": ("caution", "a column that looks like frequencies was not used"),
    "SS325": ("caution", "extreme values may be codes for missing values"),
    "SS326": ("caution", "columns look like items of a questionnaire, not like raters"),
    "SS327": ("caution", "two columns were read as the conditions, by their names"),
    "SS328": ("caution", "every comparison occurs twice, with its sides exchanged"),
    "SS329": ("caution", "few disagreements behind a coefficient"),
    "SS330": ("info", "weights use the numeric values of ordinal levels, not their ranks"),
    "SS331": ("caution", "probabilities of answers are incomplete"),
    "SS332": ("caution", "judges agree too little about a score"),
    "SS333": ("caution", "an estimate is biased, and no corrected one stands beside it"),
    "SS341": ("info", "repeated scores of a unit were averaged"),
    "SS342": ("caution", "models were scored on different units"),
    "SS345": ("info", "the order of levels was not used"),
    "SS344": ("info", "columns that repeat were tried as clusters"),
    "SS343": ("caution", "a model answered under several names, or from several endpoints"),
    "SS346": ("caution", "items of a scale point in opposite directions"),
    "SS401": ("info", "the data are simulated"),
    "SS402": ("caution", "an independent implementation disagrees"),
    "SS403": ("info", "labels were shortened or cleaned for display"),
}


def caution(
    code: str,
    detail: str = "",
    *,
    affects: str = "",
    fix: str = "",
    short: str = "",
    rows: Iterable[str] | None = None,
    basis: str = "",
    numbers: str = "",
) -> Caution:
    """Make a numbered caution; its severity and short text come from `CAUTIONS`."""
    severity, default = CAUTIONS[code]
    return Caution(
        code=code,
        severity=severity,
        short=short or default,
        detail=detail,
        affects=affects,
        fix=fix,
        rows=None if rows is None else tuple(rows),
        basis=basis,
        numbers=numbers,
    )
