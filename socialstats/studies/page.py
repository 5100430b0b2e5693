"""What a study is, what it is asked with, and the page that it makes: blocks, tables, sentences."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from socialstats.designs.parts import FlowStep
from socialstats.designs.terms import column_term
from socialstats.errors import Caution, InputError, SocialStatsError, caution
from socialstats.inference.intervals import checked_level
from socialstats.results import Result, Row, Verification
from socialstats.studies.verdicts import Conclusion
from socialstats.text import Shown, count, meant, quoted, shorten, unknown
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from socialstats.designs.comparisons import Comparisons
    from socialstats.designs.groups import Groups
    from socialstats.designs.paired import Paired
    from socialstats.designs.ratings import Ratings

__all__ = ["Block", "Diagnostic", "FlowStep", "Outcome", "Row", "PageTable"]


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table for the page: header, rows of cells (text or numbers), decimals of all columns or of each.

    `rows` are those of results that it shows; where none are given, those that its cells were read from. `name` is
    short, and stays the same where other tables come or go. A table by the keys of rows (`socialstats.studies.grids`)
    has its layout (`grid`), and its rows with their labels.
    """

    caption: str
    header: tuple[str, ...]
    cells: tuple[tuple[str | float | int | None, ...], ...]
    digits: int | tuple[int, ...] = 2
    rows: tuple[Row, ...] = field(default=(), compare=False, repr=False)
    name: str = ""
    grid: Any = field(default=None, compare=False, repr=False)
    labelled: tuple[tuple[Mapping[str, str], Row], ...] = field(
        default=(), compare=False, repr=False
    )

    def __post_init__(self) -> None:
        read = {
            id(v.row): v.row
            for cells in self.cells
            for v in cells
            if isinstance(v, Shown) and v.row is not None
        }
        object.__setattr__(self, "rows", self.rows or tuple(read.values()))


@dataclass(frozen=True, slots=True)
class SecondAnalysis:
    """An analysis that turns a conclusion: refusals counted otherwise, other weights, tests or models.

    Attributes
    ----------
    text : str
        How the analysis differs, and its result, as a sentence for the answer.
    short : str
        The same in plain words without statistics, for the opening of the page.
    how, change : str
        How it differs, and what it changes, as parts of `short`. Analyses of the same change are told together.
    here : str
        How the page analyses instead, where the other analysis turns its verdict, such as
        ``with refusals counted as they are here``.
    """

    text: str
    short: str
    how: str = ""
    change: str = ""
    here: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One question with its answer.

    Attributes
    ----------
    id : str
        Anchor on the page.
    question : str
    sentences : tuple of str
        Plain text; made from rows of `results`.
    draw : callable or None
        Draws the figure and returns its Axes (a function of `socialstats.figures` bound to its rows).
    figure_title, caption : str
    tables : tuple of Table
    results : tuple of Result
        The numbers behind the block; they go into the embedded JSON.
    level : str
        Level of the by factor that the block is about; empty without one.
    part : {"main", "appendix"}
        Where the page prints the block: among the results, or in its one closed appendix.
    status : {"", "confirmatory", "exploratory"}
        Whether the block answers what a plan asked in advance; empty where there is no such plan.
    turned : tuple of SecondAnalysis
        Those that turn a conclusion, which the answer of the page states (`socialstats.studies.second`).
    """

    id: str
    question: str
    sentences: tuple[str, ...]
    draw: Callable[[], Axes] | None = None
    figure_title: str = ""
    caption: str = ""
    tables: tuple[PageTable, ...] = ()
    results: tuple[Result, ...] = ()
    level: str = ""
    part: Literal["main", "appendix"] = "main"
    status: Literal["", "confirmatory", "exploratory"] = ""
    turned: tuple[SecondAnalysis, ...] = ()

    @property
    def drawn(self) -> tuple[Row, ...]:
        """The rows of results that the figure shows: those that its function is bound to."""
        draw: Any = self.draw
        arguments: list[Any] = []
        while isinstance(draw, partial):
            arguments += [*draw.args, *draw.keywords.values()]
            draw = draw.func
        return tuple(rows_within(arguments))


def rows_within(content: Any) -> Iterator[Row]:
    """Yield the rows in what a function is bound to: sequences and mappings, however deep, and what has rows.

    Examples
    --------
    >>> [row.term for row in rows_within({"a": [Row(term="x")], "b": (1, Row(term="y"))})]
    ['x', 'y']
    """
    if isinstance(content, Row):
        yield content
    elif hasattr(content, "rows"):
        yield from rows_within(content.rows)
    elif isinstance(content, Mapping | list | tuple):
        for part in content.values() if isinstance(content, Mapping) else content:
            yield from rows_within(part)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A check of the data or the model: what was looked at, what was found, so what."""

    check: str
    found: str
    so_what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Contents of a report on one table.

    Attributes
    ----------
    study, title : str
        Registry name, and the question as the page's heading.
    design : str
        One line: kind of design, n at every level.
    verdict : Conclusion or None
        The answer in one sentence of at most 25 words without symbols.
    answer : tuple of str
        The answer in one to three sentences, with estimate, interval and comparison points.
    turned : tuple of SecondAnalysis
        Those that turn a conclusion; their texts are the last sentences of the answer.
    planning : tuple of str
        How much more data would halve the interval of the answer; the page says it, the quotation does not.
    opening : str
        Id of the block whose figure opens the page; by default the first of the main part that has a figure.
    cautions : tuple of Caution
        Ordered by their effect on the conclusion.
    blocks : tuple of Block
    flow : tuple of FlowStep
    data : tuple of Table
        Balance, missing values, counts by condition.
    diagnostics : tuple of Diagnostic
    methods : tuple of str
        Paragraphs. The first is brief: it stands among the results and in the quotation.
    references : tuple of str
        Keys of `socialstats.references`.
    verifications : mapping of str to Verification
    settings : mapping
        Options that produced the numbers (seed, resamples, level, ties, clusters ...).
    simulated : str
        Not empty when the data are simulated: says so at the top of the page.
    """

    study: str
    title: str
    design: str
    answer: tuple[str, ...]
    cautions: tuple[Caution, ...]
    blocks: tuple[Block, ...]
    flow: tuple[FlowStep, ...]
    data: tuple[PageTable, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    methods: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    verifications: Mapping[str, Verification] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    simulated: str = ""
    planning: tuple[str, ...] = ()
    turned: tuple[SecondAnalysis, ...] = ()
    verdict: Conclusion | None = None
    opening: str = ""

    def checked_cautions(self) -> tuple[Caution, ...]:
        """Return caution SS402 for each result that was recomputed otherwise, then the cautions of the study.

        Recomputes what was not yet.
        """
        warnings = []
        for name, verification in self.verifications.items():
            wrong = [
                check.quantity
                for check in verification
                if check.row is not None and check.ok is False
            ]
            if wrong:
                text = f"{shorten(name, 80)}: {count(len(wrong), 'value')} ({quoted(wrong, 3)})"
                fix = "do not quote them until the difference is explained"
                warnings.append(caution("SS402", text, affects="these values", fix=fix))
        return (*warnings, *self.cautions)


DECLARED = "declared"
FACTORS = "models-factors"  # start of the ids of blocks on groups of models
# not settings: what was read beside the table
BESIDE = (
    "simulated",
    "labels",
    "item_groups",
    "controls",
    "names",
    "reread",
    "stances",
    "models",
    "brief",
)
# a text, as pages of one kind of design do not load the others
Design: TypeAlias = "Comparisons | Groups | Paired | Ratings"


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """Choices that a study passes on to its metrics.

    Attributes
    ----------
    seed, resamples : int
    level : float
    ties : str
        As in `bradley_terry`.
    penalty : str or None
    prior : float
    covariate : str
        The variable that should decide, such as urgency.
    group : str or None
        Covariate that groups the items, such as domain; found by itself when None.
    reference : str or None
        Level of the by factor (stage of the staged-values study) that the others are compared with; found by its name
        (default, baseline, ...) when None.
    first : str or None
        Group of names of the relationship-bias study whose bias against each other group is positive where it is
        favoured. By default groups are in the order of their names.
    adjust : tuple of str
        Covariates to hold equal in the model of the comparisons study.
    smallest_effect : float or None
        Differences of pairs between minus and plus this are practically nothing; None leaves the question out.
    effect_scale : {"raw", "d_z"}
        Unit of `smallest_effect`: that of the values, or standard deviations of the differences.
    zero : mapping of str to float, or None
        What each judge gives to neutral texts (`socialstats.judge_zeros`), for the staged-values study; None: that of
        `controls`, where these are given.
    controls : Ratings or None
        Scores of control texts, for the staged-values study.
    reread : Ratings or None
        Another reading of the same replies (the same table with another column of values), for studies of ratings.
    names : NameCheck or None
        For what a model takes the names of the relationship-bias study (`socialstats.studies.relationship_bias.names`).
    stances : Table or None
        Stances of answers in words (`socialstats.studies.staged_values.stances`), for the staged-values study.
    value_levels : tuple of str
        Every value that a story could cite, for the role-conflict study. By default Schwartz's ten where every value
        cited is one of them, else those cited.
    pooling : {"tasks", "units"}
        What weighs the same in a leaderboard's mean over several tasks.
    weights : mapping of str to float, str or None
        Weight of each trait in the composite of the staged-values study, or their name; None: those declared.
    labels : LabelCheck or None
        Labels of stories by people and judges, as `socialstats.studies.role_conflict.labels.read_labels` reads them.
    item_groups : mapping of str to mapping of item to group, or None
        Groupings of the items that no column has, such as gender; items without a group are in none.
    models : Table or None
        Factors of the models that a page compares (`socialstats.factors_of_models`).
    brief : bool
        Leave out what only the page of a single model has room for: other analyses and what rests on many fits.
    verify : bool
        Recompute the numbers with independent implementations.
    simulated : str
        Says so when the data are simulated.
    """

    seed: int = 0
    resamples: int = 2000
    level: float = 0.95
    ties: Literal["auto", "davidson", "rao_kupper", "half", "none"] = "auto"
    penalty: Literal["firth"] | None = None
    prior: float = 0.0
    covariate: str = "urgency"
    group: str | None = None
    reference: str | None = None
    first: str | None = None
    adjust: tuple[str, ...] = ()
    smallest_effect: float | None = None
    effect_scale: Literal["raw", "d_z"] = "raw"
    zero: Mapping[str, float] | None = None
    controls: Ratings | None = None
    names: Any = None
    reread: Ratings | None = None
    stances: Any = None
    value_levels: tuple[str, ...] = ()
    pooling: Literal["tasks", "units"] = "tasks"
    weights: Mapping[str, float] | str | None = None
    labels: Any = None
    item_groups: Mapping[str, Mapping[str, str]] | None = None
    models: Any = None
    brief: bool = False
    verify: bool = True
    simulated: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.seed, bool) or self.seed < 0:
            raise InputError(f"{option('seed', self.seed)} is not a whole number of at least 0")
        if self.resamples < 100:
            raise InputError(
                f"{option('resamples', self.resamples)} is too few for intervals; use at least 100"
            )
        checked_level(self.level)
        if self.smallest_effect is not None and not 0 < self.smallest_effect < float("inf"):
            raise InputError(
                f"{option('smallest_effect', self.smallest_effect)}: it is a size, a number above 0"
            )
        if self.effect_scale not in ("raw", "d_z"):
            raise InputError(
                f"{option('effect_scale', self.effect_scale)} is not an option. Choose from 'raw', 'd_z'"
            )
        if self.pooling not in ("tasks", "units"):
            raise InputError(
                f"{option('pooling', self.pooling)} is not an option. Choose from 'tasks', 'units'"
            )

    @property
    def formula(self) -> str:
        """The covariate as a formula: it is a column, whatever its name looks like."""
        return f"~ {column_term(self.covariate)}"

    def chosen(self, *names: str) -> dict[str, Any]:
        """Return some of the choices by name; without names those that metrics with resamples share."""
        return {name: getattr(self, name) for name in names or ("level", "seed", "resamples")}

    def chosen_for(self, function: Callable[..., Any]) -> dict[str, Any]:
        """Return the choices that metrics share, as far as a function takes them."""
        parameters = inspect.signature(function).parameters
        return {name: value for name, value in self.chosen().items() if name in parameters}

    def echo(self) -> dict[str, Any]:
        """Return the settings as a mapping."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in BESIDE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """A named analysis.

    Attributes
    ----------
    name : str
        As used on the command line.
    title : str
        The question, in one line.
    design : {"comparisons", "groups", "paired", "ratings"}
        Kind of design that it takes.
    needs : str
        The columns it needs, for `socialstats studies`.
    suits : callable
        Design of this kind -> bool: True when the study can be run on this table.
    lacks : callable or None
        The same -> str: what keeps the study from a table that it does not suit; empty where its needs say it.
    run : callable
        (design, StudyOptions) -> Outcome.
    levels : callable or None
        The same for a design with a by factor; None: one page after the other, for each level.
    read : callable or None
        (Table, keyword options by, na, refusal, cluster, missing) -> design, from the study's own columns; None: the
        table is read as any table of this design.
    columns : tuple of str
        Columns by which the command line knows a table of `read`.
    declared : tuple of str
        Columns by which it knows one that declares its own values.
    also : mapping of str to str
        Further parts that ``--map`` names -> the column by which `read` knows them.
    otherwise : str
        The study that answers what a table without people (or whatever it lacks) can answer.
    parts : tuple of str
        Parts that ``--map`` names and `read` takes by keyword, for a study whose columns have no fixed names.
    uses : tuple of str
        Which of the settings ``reference``, ``first``, ``rater_groups`` and ``pooling`` it looks at; ``by reference``:
        the first of them on pages by a factor alone. Others are refused.
    takes : tuple of str
        Further settings that `read` takes, which otherwise say how a general design is read.
    knows : callable or None
        (Table, parts of ratings by column) -> bool: True for a table of `read` among those that fit two designs.
    scale : str
        Scale that its values are read on where nothing is said; empty: as their levels tell.
    beside : mapping of str to callable
        Further tables that the study takes: field of `StudyOptions` -> what reads the Table (or a name that stands for
        one) for it.
    weighted : bool
        Whether its page takes sampling weights of units.
    """

    name: str
    title: str
    design: Literal["comparisons", "groups", "paired", "ratings"]
    needs: str
    suits: Callable[[Any], bool]
    run: Callable[[Any, StudyOptions], Outcome]
    lacks: Callable[[Any], str] | None = None
    levels: Callable[[Any, StudyOptions], Outcome] | None = None
    read: Callable[..., Any] | None = None
    columns: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    also: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""
    parts: tuple[str, ...] = ()
    uses: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    knows: Callable[[Any, Mapping[str, str]], bool] | None = None
    scale: str = ""
    beside: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    weighted: bool = False

    def applies(self, design: Design) -> bool:
        """Return whether the study can be run on this design."""
        return design.kind == self.design and self.suits(design)

    def reason(self, design: Design) -> str:
        """Return why the study cannot be run on this design; empty where nothing more than its needs can be said.

        Examples
        --------
        >>> import socialstats as ss
        >>> same = {"urgency_a": [1, 2], "urgency_b": [1, 2]}
        >>> table = {"item_a": ["nun", "son"], "item_b": ["son", "judge"], "winner": ["nun", "judge"], **same}
        >>> ss.STUDIES["role-conflict"].reason(ss.Comparisons.from_frame(table))
        'urgency is the same on both sides of all 2 comparisons, so its effect cannot be estimated'
        """
        return "" if self.lacks is None else self.lacks(design)


def check_single(design: Design) -> None:
    """Raise InputError for a design with a by factor, where a page is about one level."""
    if design.by is not None:
        raise InputError(
            f"the report takes one '{design.by.name}' at a time; filter the table, or leave "
            f"{option('by')} out"
        )


def reason_of(error: SocialStatsError) -> str:
    """Return why a statistic is undefined, as a phrase, without advice."""
    return error.reason.split("\n")[0]


def check_named(name: str, value: str | None, labels: Sequence[str], what: str) -> None:
    """Raise InputError for a setting that names something which is not there; None names nothing.

    Examples
    --------
    >>> check_named("first", "men", ["man", "woman"], "group of names")
    Traceback (most recent call last):
    socialstats.errors.InputError: first='men' is no group of names. Did you mean 'man'? There are 'man' and 'woman'
    """
    if value is not None and value not in labels:
        there = quoted(list(labels), 20) or "none"
        raise InputError(
            f"{option(name, shorten(value))} is no {what}. {meant(value, labels)}There are {there}"
        )


class TableRead(Protocol):
    """What a page says of any table: which rows it lost when it was read, and what to be careful about."""

    @property
    def flow(self) -> tuple[FlowStep, ...]: ...

    @property
    def cautions(self) -> tuple[Caution, ...]: ...


LEFT_OUT = "SS301"  # each is about other rows


def order_cautions(*groups: tuple[Caution, ...], once: bool = True) -> tuple[Caution, ...]:
    """Merge cautions, most serious first; with `once`, the first of each code, and all that tell what is left out."""
    kept_cautions: dict[str, Caution] = {}
    for raised in (c for group in groups for c in group):
        kept_cautions.setdefault(
            raised.code if once and raised.code != LEFT_OUT else f"{raised.code} {raised.detail}",
            raised,
        )
    rank = {"stop": 0, "caution": 1, "info": 2}
    return tuple(sorted(kept_cautions.values(), key=lambda c: rank[c.severity]))


def named(studies: Mapping[str, Study], name: str) -> Study:
    """Return the study of a name.

    Raises
    ------
    InputError
        For an unknown one, with the nearest.
    """
    if name not in studies:
        raise InputError(unknown("study", name, studies, "studies"))
    return studies[name]


def pick(studies: Mapping[str, Study], name: str | None, design: Design) -> Study:
    """Return the study by name (or the one that it names for tables which lack what it needs), or the most specific.

    Raises
    ------
    InputError
        For an unknown name, a study of another design, or one whose columns are missing.
    """
    if name is None:
        return next(study for study in studies.values() if study.applies(design))
    study = named(studies, name)
    if design.kind != study.design:
        raise InputError(
            f"study '{name}' is for {study.design}; this table was read as {type(design).__name__.lower()}"
        )
    if not study.applies(design):
        if study.otherwise and studies[study.otherwise].applies(design):
            return studies[study.otherwise]
        reason = study.reason(design)
        raise InputError(
            f"study '{name}' cannot be run: {reason}"
            if reason
            else f"study '{name}' needs {study.needs}"
        )
    return study
