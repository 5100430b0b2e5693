"""What a metric declares about itself; contract tests and the report read it from here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import (
    OF_FILES,
    Reader,
    as_design,
    by_keywords,
    docstring_of,
    keywords,
    keywords_of_call,
    open_table,
    reader_of,
)
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.habits import OF_KAPPA, refuse_habits
from socialstats.designs.level_orders import SCALES
from socialstats.designs.parts import Read
from socialstats.designs.vectors import CALLS, OF_TOTALS, by_text, calls, from_vectors
from socialstats.errors import InputError
from socialstats.metrics import METRICS, lookup
from socialstats.resampling.options import checked_alternative
from socialstats.results import Result, ResultGroup
from socialstats.results.result import each_level, with_cautions
from socialstats.text import listing
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DesignName = Literal["comparisons", "groups", "paired", "ratings", "labels"]
F = TypeVar("F", bound=Callable[..., Any])
Swap = Literal["negates", "invariant", "none"]
UseOfRaters = Literal["compared", "pooled", "models"]
Values = Literal["any", "numeric", "ordinal", "binary", "nominal", "couples", "sources", "traits"]


def reads(
    *readers: Reader,
    tables: int = 1,
    scans: bool = False,
    streams: bool = False,
    labels: Literal["", "single", "shares"] = "",
    also: tuple[type, ...] = (),
    square: bool = False,
    weighted: bool = False,
) -> Callable[[F], F]:
    """Let a function of a design take a table instead, and run once for each level of its ``by`` factor.

    Parameters
    ----------
    *readers : type or callable
        As in `as_design`; those that are types, the last among them, are the designs that the function takes.
    tables : int
        How many of the function's first arguments are designs; a function of two is not run by levels.
    scans : bool
        Whether the function reads clusters that stay with the table; else it gets designs that hold them.
    streams : bool
        Whether it also reads covariates that stay with the table.
    labels : {"", "single", "shares"}
        "single": the function counts labels, and means of repeated answers are none. "shares": it takes the shares of
        labels among repeated answers.
    also : tuple of type
        What the function takes as it is, in place of a table.
    square : bool
        Whether an array without labels is one of counts, square or of two groups, and not of values.
    weighted : bool
        Whether the function takes sampling weights of pairs, of units of groups, and of rated units. Else it refuses
        designs with them. Functions of comparisons all take those of comparisons.

    Returns
    -------
    callable
        Decorator. The function declares ``**columns``, which the decorator takes: the function gets designs only, and
        with levels the caller gets a ResultGroup. An option ``by=None`` of the function ignores the levels.

    Raises
    ------
    InputError
        For a design of another kind, a `by` that is not declared, means where labels are counted, or weights where
        units are.

    Notes
    -----
    A keyword that both the function and the readers know is the function's where it lists the value among its choices.
    Otherwise it is the table's. Names of clusters are both. An option that names a part of the design (`PARTS_NAMED`)
    declares the column as this part.

    The function gets attributes ``readers`` and ``tables``, of which the command ``estimate`` makes its options, and
    ``weighted``.

    Examples
    --------
    >>> from socialstats import Paired
    >>> @reads(Paired)
    ... def pairs(paired, *, cluster="declared", **columns):
    ...     return paired.n_pairs, [factor.name for factor in paired.factors(cluster)]
    >>> table = {"story": ["s", "s", "t"], "old": [0, 1, 1], "new": [1, 1, 0]}
    >>> pairs(table, first="new", second="old", cluster="story")
    (3, ['story'])
    """

    def decorate(function: F) -> F:
        calling = TableCall(
            function=function,
            readers=readers,
            tables=tables,
            scans=scans,
            streams=streams,
            labels=labels,
            also=also,
            square=square,
            weighted=weighted,
        )

        # help() and documentation show the function's own signature
        @functools.wraps(function)
        def call(*args: Any, **keys: Any) -> Any:
            options, columns = calling.options_and_columns(args, keys)
            if calling.has_result(options, columns):
                return function(**options)
            for place in calling.parameters[:tables]:
                options[place] = calling.design_of(options[place], options, columns)
            if tables > 1:
                return function(**options)
            by = calling.level_factor(options)
            if by is not None:
                return calling.by_level(options, by)
            return with_cautions(function(**options), options[calling.parameters[0]].cautions)

        call.__doc__ = docstring_of(function.__doc__, readers[0], function.__name__)
        vars(call).update(readers=readers, tables=tables, weighted=weighted)
        return cast(F, call)

    return decorate


@dataclass(frozen=True, kw_only=True)
class TableCall:
    """A function of designs that is called with tables; attributes beside `function` are the arguments of `reads`."""

    function: Callable[..., Any]
    readers: tuple[Reader, ...]
    tables: int
    scans: bool
    streams: bool
    labels: str
    also: tuple[type, ...]
    square: bool
    weighted: bool

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The signature of the function."""
        return inspect.signature(self.function)

    @functools.cached_property
    def parameters(self) -> list[str]:
        """Names of the parameters: designs first, then options, without ``**columns``."""
        *names, _ = self.signature.parameters
        return names

    @functools.cached_property
    def options(self) -> list[str]:
        """Names of the options."""
        return self.parameters[self.tables :]

    @functools.cached_property
    def places(self) -> int:
        """How many arguments have a place."""
        kinds = [part.kind for part in self.signature.parameters.values()]
        return kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD)

    @functools.cached_property
    def numbers(self) -> dict[str, str]:
        """Options that are numbers, and their annotations."""
        annotations = {key: str(part.annotation) for key, part in self.signature.parameters.items()}
        return {
            key: kind
            for key, kind in annotations.items()
            if kind.removesuffix(" | None") in ("int", "float")
        }

    @functools.cached_property
    def designs(self) -> tuple[type, ...]:
        """Kinds of designs that the function takes; none where a reader, which is no class, may make any kind."""
        kinds = tuple(reader for reader in self.readers if isinstance(reader, type))
        return kinds if isinstance(self.readers[-1], type) else ()

    @property
    def name(self) -> str:
        """The call as messages name it."""
        return f"{self.function.__name__}()"

    def options_and_columns(
        self, args: tuple[Any, ...], keys: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the arguments of the function by name, and the keywords that read its tables.

        Raises
        ------
        InputError, TypeError
            For unknown, repeated or misplaced arguments.
        """
        name, first = self.name, self.parameters[0]
        if "alternative" in keys and "alternative" not in self.options:
            raise InputError(
                f"{name} tests both sides only; {option('alternative')} is an option of "
                f"{', '.join(with_a_side())}, and of contrast() of a fit"
            )
        # the data passed by its name is the same call
        if not args and self.tables == 1 and first in keys:
            args, keys = (keys[first],), {k: v for k, v in keys.items() if k != first}
        # options of other packages are told first: their vectors may not be ours
        refuse_unknown(keys, self.parameters, self.readers, name, self.square)
        placed: Sequence[Any] = args
        if self.tables == 1:
            labelled = bool(self.labels)
            placed, keys = from_vectors(args, keys, self.readers, name, self.square, labelled)
        values, keys = by_keywords(placed, keys, self.readers, self.parameters, name)
        if twice := {*self.parameters[: len(values)]} & {*keys}:
            raise TypeError(
                f"{name}: {first} is what stands first in the call. Leave {min(twice)}= out"
            )
        # options have no fixed order, so that a place would change its meaning
        if len(values) > self.places:
            vectors = needs(self.readers, name, self.square)
            refuse_places(values[self.places :], self.options, name, vectors)
        return self.bind(values, keys)

    def bind(
        self, values: Sequence[Any], keys: Mapping[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Bind arguments to the signature, with numbers and sides checked."""
        try:
            options = self.signature.bind(*values, **keys).arguments
        # keywords of tables get the error of their reader, which knows near names
        except TypeError as error:
            unknown = {key: value for key, value in keys.items() if key not in self.parameters}
            reader_of(unknown, self.readers, self.name, self.options)
            raise TypeError(f"{self.name}: {error}") from None
        columns = options.pop("columns", {})
        for key in self.numbers.keys() & options.keys():
            options[key] = numeric(key, options[key], self.numbers[key])
        if "alternative" in options:
            options["alternative"] = checked_alternative(options["alternative"])
        return options, columns

    def has_result(self, options: Mapping[str, Any], columns: Mapping[str, Any]) -> bool:
        """Whether the first argument is a result or a fit, which brings its design: no table is read for it.

        Raises
        ------
        InputError
            For weights that the function does not take, and for keywords that read tables.
        """
        first = options[self.parameters[0]]
        if not (self.also and isinstance(first, self.also)):
            return False
        refuse_weights(getattr(first, "design", None), self.name, self.weighted)
        if columns:
            raise InputError(
                f"{self.name}: {', '.join(map(option, columns))} tells how to read a table, and this is "
                "a result"
            )
        return True

    def level_factor(self, options: Mapping[str, Any]) -> str | None:
        """Return the factor by whose levels the function runs, None where it runs once."""
        design = options[self.parameters[0]]
        return level_factor(design, options.get("by", "declared"), self.designs)

    def by_level(self, options: Mapping[str, Any], by: str) -> ResultGroup:
        """Call the function for each level of a factor of its design."""
        first = self.parameters[0]

        def of_level(part: Any) -> Any:
            return with_cautions(self.function(**{**options, first: part}), part.cautions)

        return ResultGroup(by=by, results=each_level(by, options[first].split(), of_level))

    def design_of(self, data: Any, options: dict[str, Any], columns: dict[str, Any]) -> Any:
        """Return the design of a table, or a design as it is, with what the function can hold."""
        columns = by_text(data, columns)
        reading = columns
        if not isinstance(data, Read):
            reader = reader_of(columns, self.readers, self.name, self.options)
            of_files = {key: columns[key] for key in OF_FILES if key in columns}
            data = open_table(data, **of_files)
            reading = keywords_of_call(self.function, options, columns, reader, data)
        design = as_design(data, reading, *self.readers, name=self.name, options=self.options)
        if self.labels == "shares" and is_of_ratings(design):
            design = design.of_answers()
        elif self.labels == "single" or holds_first_answers(design):
            refuse_means(design, self.name)
        refuse_weights(design, self.name, self.weighted)
        scan = getattr(design, "scan", None)
        streamed = self.scans and (self.streams or not getattr(scan, "covariates", None))
        return design if scan is None or streamed else design.whole()


def refuse_unknown(
    given: Mapping[str, Any],
    option_names: Sequence[str],
    readers: Sequence[Reader],
    name: str,
    square: bool,
) -> None:
    """Refuse what other packages call an option of ours, before vectors are read, with the call that works."""
    known = dict.fromkeys(
        [*option_names, "data", "formula", *(k for metric in readers for k in keywords(metric))]
    )
    if "Groups" in map(reader_name, readers) and not given.keys().isdisjoint(("n", "nobs")):
        known |= dict.fromkeys(OF_TOTALS)
    refuse_habits(given, [*known], name, needs(readers, name, square))


def refuse_places(values: Sequence[Any], options: Sequence[str], name: str, calls_of: str) -> None:
    """Refuse options and columns that are passed by their place.

    Raises
    ------
    InputError
    """
    parts = [repr(v) if isinstance(v, str | Real) else f"a {type(v).__name__}" for v in values]
    kappa = [v for v in values if isinstance(v, str) and v in OF_KAPPA and "weights" in options]
    fix = (
        f"Say {option('weights', kappa[0])}"
        if kappa
        else f"Options: {', '.join(map(option, options))}. {calls_of}"
    )
    raise InputError(
        f"{name} takes options and columns by name, not by place: {listing(parts)}. {fix}"
    )


def needs(readers: Sequence[Reader], name: str, square: bool) -> str:
    """Return how vectors are passed to a function; empty where it takes none."""
    kind = next((kind for kind in map(reader_name, readers) if kind in CALLS), "")
    return calls(kind, name, square) if kind else ""


def reader_name(reader: Reader) -> str:
    """Return the name of a design, or of a function that makes one."""
    return reader.__name__


def with_a_side() -> list[str]:
    """Return the names of the metrics whose tests may be one-sided.

    Examples
    --------
    >>> "two_means" in with_a_side(), "cochran_q" in with_a_side()
    (True, False)
    """
    return [
        name
        for name, metric in METRICS.items()
        if "alternative" in inspect.signature(metric.function).parameters
    ]


def numeric(name: str, value: Any, kind: str) -> Any:
    """Return a number that an option was given; a whole one where the option counts, also if written as 2000.0.

    Raises
    ------
    InputError
        For anything else.
    """
    # a missing level has an error of its own
    if value is None and (kind.endswith("None") or name == "level"):
        return value
    number = isinstance(value, Real) and not isinstance(value, bool)
    if kind.startswith("float"):
        if not number:
            scale = (
                f". The scale of values: {option('scale', value)}"
                if name == "level" and value in SCALES
                else ""
            )
            raise InputError(f"{option(name, value)} is not a number{scale}")
        return value
    if not number or not float(value).is_integer():
        raise InputError(f"{option(name, value)} is not a whole number")
    return int(value)


def is_of_ratings(design: Any) -> bool:
    """Whether a design is one of ratings."""
    return bool(getattr(design, "kind", "") == "ratings")


def holds_first_answers(design: Any) -> bool:
    """Whether the values of a design are the first of several labels, which have no mean."""
    return is_of_ratings(design) and design.repeats is not None and not design.numeric


def refuse_means(design: Any, name: str) -> None:
    """Refuse a design whose values are means of repeated answers, where a function counts labels."""
    repeats = getattr(design, "repeats", None)
    if repeats is None:
        return
    unit = design.columns.get("unit", "unit")
    if holds_first_answers(design) and repeats.columns:
        column = repeats.columns[0]
        raise InputError(
            f"{name} takes one answer of a rater to a unit, and {design.source} has several. Keep one each, as in "
            f"--where {column}=1. Shares, similarities and distances take all of them"
        )
    joint = [unit, *repeats.columns]
    typed = f"--map unit={','.join(joint)}"
    raise InputError(
        f"{name} counts labels, and the values of {design.source} are means of repeated answers. Take each answer as a "
        f"unit within clusters: {option('unit', joint, typed)} and "
        f"{option('cluster', unit, f'--cluster {unit}')}"
    )


def refuse_weights(design: Any, name: str, allowed: bool = False) -> None:
    """Refuse a design with sampling weights of units, where a function would ignore them.

    Raises
    ------
    InputError
        Naming the metrics of such designs that take weights.
    """
    if allowed or isinstance(design, Comparisons) or not getattr(design, "weighted", False):
        return
    able = [
        key
        for key, metric in METRICS.items()
        if metric.weighted and isinstance(design, metric.readers)
    ]
    raise InputError(
        f"{name} counts each unit once, so that it would ignore the sampling weights in column "
        f"'{design.columns.get('weight', 'weight')}' of {design.source}. Leave {option('weight')} out, or use what "
        f"takes weights: {', '.join(able)}"
    )


def level_factor(design: Any, by: str | None, kinds: tuple[type, ...]) -> str | None:
    """Return the factor by whose levels a metric of designs of some kinds runs, None where it runs once."""
    # named here, as the error of an attribute would say nothing of designs
    if kinds and not isinstance(design, kinds):
        takes = " or ".join(kind.__name__ for kind in kinds)
        raise InputError(f"this metric takes {takes}, not {type(design).__name__}: {design!r}")
    name = None if design.by is None else str(design.by.name)
    if by not in ("declared", None, name):
        known = "it has no by factor" if name is None else f"its by factor is '{name}'"
        raise InputError(
            f"{option('by', by)} is not declared in this design ({known}); pass {option('by')} when "
            "making the design"
        )
    return None if by is None else name


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric's entry in the registry.

    Attributes
    ----------
    name : str
        Name of the public function.
    title : str
        The estimand in a few words.
    design : {"comparisons", "groups", "paired", "ratings", "labels"}
        What the function takes; labels: lists of labels, several a unit.
    function : callable
        The function: design first, options by keyword.
    sentence : callable
        Result -> APA 7 sentence, made only from its rows.
    plot : callable
        ``plot(result, ax=None, **options)`` -> matplotlib Axes.
    definition : Definition
        From which `socialstats.crosscheck.engine` recomputes results.
    estimand : str
        What is estimated, in one or two sentences.
    assumptions : tuple of str
    references : tuple of str
        Keys of `socialstats.references`.
    swap : {"negates", "invariant", "none"}
        What swapping the two sides of every comparison (conditions, raters) does to the estimates.
    values : {"any", "numeric", "ordinal", "binary", "nominal", "couples", "sources", "traits"}
        What the values of groups, pairs or ratings must be. ``couples``: -1 and 1, of couples of groups in both
        orders. ``sources``: of people and of models, told apart by a rater group. ``traits``: scores of traits of
        answers, by judges.
    raters : {"compared", "pooled", "models"}
        What a metric of ratings does with raters. It compares their answers (agreement), or its first rows pool them.
        ``models``: the raters are models, and each has a row.
    options : mapping
        Options that contract tests must pass for the metric to be defined on generic data.
    """

    name: str
    title: str
    design: DesignName
    function: Callable[..., Result | ResultGroup]
    sentence: Callable[[Result], str]
    plot: Callable[..., Axes]
    estimand: str
    assumptions: tuple[str, ...]
    references: tuple[str, ...]
    definition: Definition
    swap: Swap = "none"
    values: Values = "any"
    raters: UseOfRaters = "compared"
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def readers(self) -> tuple[type, ...]:
        """The kinds of designs that the function takes."""
        return tuple(
            reader for reader in vars(self.function).get("readers", ()) if isinstance(reader, type)
        )

    @property
    def weighted(self) -> bool:
        """Whether the function takes sampling weights of units."""
        return bool(vars(self.function).get("weighted", False))


def fit_of(data: Any, columns: Mapping[str, Any], name: str) -> Any:
    """Return the Bradley-Terry fit of comparisons or of a table; a fit is returned as it is.

    Parameters
    ----------
    data : BradleyTerryResult, Comparisons, data frame, mapping of columns, or path of a file
    columns : mapping of str to object
        Keywords of `read_comparisons`, of a table.
    name : str
        The function that was called, for messages.

    Raises
    ------
    InputError
        For keywords that come with a fit, and a table with a ``by`` column, which has several fits.
    """
    if not hasattr(data, "strengths") and not isinstance(data, ResultGroup):
        data = lookup("bradley_terry").function(as_design(data, columns, Comparisons, name=name))
    elif columns:
        reader_of(columns, [Comparisons], name, [])
        raise InputError(
            f"{name}: {', '.join(option(key) for key in columns)} tells how to read a table, and this is "
            "a fit already"
        )
    if isinstance(data, ResultGroup):
        raise InputError(
            f"{name} takes one fit, and these are {len(data)}, by {data.by}: pass one, fits[LEVEL]"
        )
    return data
