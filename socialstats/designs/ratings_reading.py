"""From a table to ratings: long, wide, counted by level, or crossed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.aliases import (
    Fields,
    Levels,
    Pair,
    Texts,
)
from socialstats.designs.cells import unequal
from socialstats.designs.crosstabs import may_count
from socialstats.designs.frequencies import frequency, frequency_columns, holds_numbers
from socialstats.designs.level_orders import Scale, conventional_order
from socialstats.designs.levels import (
    categories,
    declared_levels,
    number_label,
    opposites,
    sort_labels,
)
from socialstats.designs.means import Means, mean_answers, refuse_averaging
from socialstats.designs.parts import MISSING, OK, REFUSAL, Factor, FlowStep, StatusArray, taken
from socialstats.designs.people import is_people
from socialstats.designs.ratings_data import RatingsData
from socialstats.designs.ratings_options import RatingsOptions, check_scale
from socialstats.designs.repeated_answers import repeat_columns
from socialstats.designs.rows import FILL, Rows, if_labels
from socialstats.designs.schema import BLOCKS, UNIT, DesignPart, Finder, Roles, plain_parts
from socialstats.designs.stacking import with_constant
from socialstats.designs.statuses import statuses_of
from socialstats.designs.suspects import code_suspects, label_cautions, probability_cautions
from socialstats.designs.tables import begun, times_of, unit_weights
from socialstats.designs.undeclared import of_ratings, with_dependence
from socialstats.designs.vocabulary import (
    PEOPLE_AS_RATERS,
    RATERS,
    RATING_FIRST,
    REPEATS,
    RIGHT,
    UNITS,
    VALUES,
    bare,
)
from socialstats.errors import Caution, DesignError, InputError, caution
from socialstats.tables import Table, as_number
from socialstats.tables.lazy import asks
from socialstats.text import count as counted
from socialstats.text import quoted, shorten
from socialstats.voice import Word, option

# columns that a collected table has beside those of levels
BESIDE = (
    "p_rest",
    "p_bound",
    "p_reason",
    "p_role_a",
)
# columns that a message names
MOST_NAMED = 8
ZERO_LEVELS = "no rating has a value"


RATED_UNITS = tuple(name for name in UNITS.names if name not in PEOPLE_AS_RATERS)
RATINGS = (*RATING_FIRST, *(name for name in VALUES.names if name not in RATING_FIRST))
PARTS = (
    DesignPart("unit", "unit", RATED_UNITS),
    DesignPart("within", "within"),
    DesignPart("rater", "rater", RATERS.names),
    DesignPart("value", "value", RATINGS),
    *plain_parts("by status"),
    BLOCKS,
    *plain_parts(
        "rater_source:source count weight rater_groups:rater_group strata:stratum cluster "
        "probabilities:probability repeat"
    ),
)


def ratings_roles(table: Table, options: RatingsOptions) -> Roles:
    """Decide which column plays which part.

    Raises
    ------
    DesignError
        Naming every column that is missing, where it was looked for, and the likeliest cure.
    """
    finder = Finder(table)
    prefix = options.probabilities
    if isinstance(prefix, Mapping):
        probable = tuple(prefix.values())
    else:
        probable = tuple(
            name
            for name in table.columns
            if prefix and name.startswith(prefix) and name not in BESIDE
        )
        if prefix and not probable:
            finder.miss(
                "probabilities", f"no column that begins with '{shorten(prefix)}'", [prefix]
            )
    roles = finder.roles(PARTS, options, probabilities=probable)
    part, cure = other_layout(table, roles)
    for k, problem in enumerate(finder.problems):
        if part and problem.part == part:
            finder.problems[k] = replace(problem, fix=f"{problem.fix}. {cure}")
    finder.finish()
    return roles


def other_layout(table: Table, roles: Roles) -> Pair:
    """Return the part that a table of another layout lacks, and what to write where it has that; empty for neither."""
    alike = [] if roles["value"] else _rating_columns(table, roles)
    if alike:
        counts = f"where each counts the ratings of a level, {option('columns', alike)}"
        return "value", f"Where each column is a rater, say {option('raters', alike)}; {counts}"
    nothing = not any(roles[part] for part in ("unit", "rater", "value"))
    if nothing and not table.lazy and (texts := _of_same_labels(table)):
        return "value", f"Where each column is a rater, say {option('raters', texts)}"
    if not roles.columns() and _of_numbers(table):
        return "value", (
            f"Where each row is a rater, say {option('raters_in', 'rows')}; where each column is one, "
            f"{option('raters_in', 'columns')}"
        )
    if roles["unit"] and roles["value"]:
        alone = option("rater", False, "--map rater=")
        return "rater", f"Where all values are of one source, say {alone}"
    return "", ""


def lone_source(table: Table, options: RatingsOptions) -> RatingsOptions:
    """Take all values as of one source where no column is left that could say who gave them."""
    if options.rater is not None:
        return options
    try:
        roles = Finder(table).roles(PARTS, replace(options, rater=False))
    except DesignError:
        return options
    named = roles["unit"] and roles["value"] and not (options.rater_source or options.rater_groups)
    left = {*table.columns} - {*roles.columns()}
    return replace(options, rater=False) if named and left <= {*REPEATS.names} else options


def with_source(table: Table, roles: Roles) -> tuple[Table, Roles]:
    """Add the column of who gave the values, where they are all of one source."""
    if roles["rater"]:
        return table, roles
    table, who = with_constant(table, "source", roles["value"])
    return table, roles.replaced(rater=[who])


def rater_columns(table: Table, options: RatingsOptions) -> Levels:
    """Return all columns where each can only be a rater; empty where one can be a level, with counts, or a unit.

    Examples
    --------
    >>> from socialstats.tables import as_table
    >>> rater_columns(as_table({"ann": [1, 2, 3], "bob": [1, 2, 1]}), RatingsOptions())
    ('ann', 'bob')
    """
    roles = Finder(table).roles(PARTS, options)
    columns = tuple(table.columns)
    if any(roles[part] for part in ("unit", "rater", "value")) or frequency_columns(
        table, [], options.na_labels
    ):
        return ()
    if len(_rating_columns(table, roles, most=len(columns))) < 2:
        return ()
    levels_of = {name: {*table.levels(name)} for name in columns}
    shared = {
        name: levels_of[name].intersection(
            *(levels_of[second] for second in columns if second != name)
        )
        for name in columns
    }
    if not all(2 * len(shared[name]) > len(levels_of[name]) for name in columns):
        return ()
    numbers = [[as_number(text or "") for text in table.texts(name)] for name in columns]
    return () if may_count([*zip(*numbers, strict=True)]) else columns


def _rating_columns(table: Table, roles: Roles, most: int = 0) -> list[str]:
    """Return columns that share values, as columns of ratings do: beside the unit, or numbers; none of too many."""
    used = roles.replaced(rater=()).columns()
    columns = [c for c in table.columns if c not in used]
    if not 1 < len(columns) <= (most or MOST_NAMED) or not (
        roles["unit"] or all(holds_numbers(table, c) for c in columns)
    ):
        return []
    levels_of = {name: {*table.levels(name)} for name in columns}
    alike = [
        name
        for name in columns
        if any(levels_of[name] & levels_of[second] for second in columns if second != name)
    ]
    return alike if len(alike) > 1 else []


def _of_numbers(table: Table) -> bool:
    """Whether a table holds numbers alone, in more columns than a message names."""
    columns = table.columns
    return (
        len(columns) > MOST_NAMED
        and not table.lazy
        and all(as_number(text) is not None for name in columns for text in table.levels(name))
    )


def _of_same_labels(table: Table) -> list[str]:
    """Return columns that hold the same few texts, as those of raters do; none where there is one, or too many."""
    levels_of = {
        name: {*table.levels(name)} for name in table.columns if not holds_numbers(table, name)
    }
    few = {
        name: levels for name, levels in levels_of.items() if 1 < len(levels) <= table.height / 2
    }
    alike_columns = [
        name for name in few if any(few[name] == few[second] for second in few if second != name)
    ]
    return alike_columns if len(alike_columns) <= MOST_NAMED else []


@dataclass(frozen=True)
class ChosenLevels:
    """The levels of the values, with how they came about.

    Attributes
    ----------
    levels : tuple of str
    scale : {"nominal", "ordinal", "interval", "ratio"}
    declared : bool
    caution : str
        What was assumed of levels that are not declared.
    """

    levels: Levels
    scale: Scale
    declared: bool
    caution: str = ""

    @cached_property
    def numeric(self) -> bool:
        """Whether all levels are different numbers."""
        numbers = [as_number(level) for level in self.levels]
        return None not in numbers and len(set(numbers)) == len(numbers)

    @cached_property
    def scores(self) -> FloatArray:
        """(levels,) float64 array: the numbers that all levels are, else 0, 1, 2, ..."""
        return np.array(
            [*map(as_number, self.levels)] if self.numeric else range(len(self.levels)),
            dtype=np.float64,
        )


def scale_ends(scores: FloatArray, declared: bool) -> tuple[float, float] | None:
    """Return the lowest and the highest declared level; 0 and 1 where just these occur; None for an open scale.

    Examples
    --------
    >>> scale_ends(np.array([1.0, 2.0, 7.0]), True), scale_ends(np.array([1.0, 2.0]), False)
    ((1.0, 7.0), None)
    """
    if not len(scores):
        return None
    low = float(scores[0])
    high = float(scores[-1])
    evident = len(scores) == 2 and (low, high) == (0.0, 1.0)
    return (low, high) if low < high and (declared or evident) else None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rated:
    """Decoded ratings.

    Attributes
    ----------
    chosen : ChosenLevels
    value : (rows,) int64 array
        Index into the levels; -1 where `status` is not 0.
    status : (rows,) int8 array
    cautions : tuple of Caution
    ends : pair of float, or None
        As in `Ratings`.
    """

    chosen: ChosenLevels
    value: IntArray
    status: StatusArray
    cautions: tuple[Caution, ...]
    ends: tuple[float, float] | None = None


def rate(rows: Rows, roles: Roles, options: RatingsOptions) -> Rated:
    """Decode the value column.

    Raises
    ------
    DesignError
        For texts without an order; says what to pass.
    InputError
        For a scale that the levels do not have.
    """
    status = statuses(rows, roles, options)
    column = roles["value"]
    rated = rows.use & (status == OK)
    chosen = choose_levels(rows, column, options, rated)
    judged = rated if chosen.declared or not rows.pending else np.zeros_like(rated)
    codes = rows.in_levels(column, chosen.levels, judged, ["refusal", "na"])
    declare = f"declare {option('scale', typed='--scale')} and {option('levels', typed='--levels')}"
    cautions = undeclared_levels(chosen.caution, declare)
    if chosen.numeric and not chosen.declared:
        cautions += code_suspects(rows, [column], rated)
    value = np.where(status == OK, codes, -1)
    ends = scale_ends(chosen.scores, chosen.declared) if chosen.numeric else None
    return Rated(chosen=chosen, value=value, status=status, cautions=tuple(cautions), ends=ends)


def undeclared_levels(assumed: str, fix: str) -> list[Caution]:
    """Return caution SS310 on what was assumed of levels that are not declared."""
    affects = "weights and distances between levels"
    return [caution("SS310", assumed, affects=affects, fix=fix)] if assumed else []


RIGHT_OR_NOT = ("0", "1")
# characters of a level, from which a caution writes it as 1e+200
LONG = 16


def statuses(rows: Rows, roles: Roles, options: RatingsOptions) -> StatusArray:
    """Return for each row whether it is a rating, a refusal or missing; count the latter two in the flow."""
    column = roles["value"]
    refusals = options.refusal_labels
    labels = rows.labels(column)
    out = labels.mapped(lambda label: REFUSAL if label in refusals else OK, MISSING, np.int8)
    absent = rows.use & (labels.codes < 0)
    if roles["status"]:
        statuses = statuses_of(rows, roles)
        statuses = statuses.within(absent) if options.why_missing else statuses
        out = np.where(statuses.kind == OK, out, statuses.kind)
        absent &= statuses.kind == OK
        for label, which in statuses.unread.items():
            _count_problem(rows, which, label)
        _count_problem(
            rows, statuses.blocked, "blocked by a filter of the provider", "among the refusals"
        )
    if absent.any() and options.missing == "error":
        keep = f"Fill it in, or say {option('missing', 'drop', '--missing drop')} to keep such ratings as missing"
        rows.add_missing(column, absent, fix=keep)
    read = rows.counts.columns[column].texts_of(absent)
    note = (
        f"missing: no rating ({quoted(read, 5)} read as missing)" if read else "missing: no rating"
    )
    _count_problem(rows, absent, f"no value in '{shorten(column)}'", note)
    _count_problem(rows, out == REFUSAL, "refusals", "kept as refusals")
    return out


def _count_problem(
    rows: Rows, which: BoolArray, label: str, note: str = "missing: no rating"
) -> None:
    n = int(rows.n[rows.use & which].sum())
    if n:
        rows.flow.append(FlowStep(label=label, rows=n, note=note))


def choose_levels(
    rows: Rows, column: str, options: RatingsOptions, rated: BoolArray
) -> ChosenLevels:
    """Decide on levels and scale: as declared, as the column's type says, as numbers; never by alphabet."""
    place = rows.table.place(column)
    levels = declared_levels(options.levels)
    if levels is None and (typed := categories(rows.table, column)) is not None:
        levels = tuple(
            level for level in typed if level not in options.refusal_labels | options.na_labels
        )
    # the type of a column, such as an ordered factor, declares its levels too
    declared = levels is not None
    if levels is None:
        levels = _found_levels(rows, column, options, rated, place)
    check_scale(options.scale, levels, place)
    numbers = bool(levels) and None not in map(as_number, levels)
    scale = options.scale or ("interval" if numbers else "ordinal" if declared else "nominal")
    if declared or options.scale is not None:
        return ChosenLevels(levels, scale, declared)
    if not numbers:
        return ChosenLevels(
            levels, scale, False, f"{quoted(levels)} taken as nominal" if levels else ZERO_LEVELS
        )
    first, *_, last = (
        label if len(label) <= LONG else f"{float(label):g}" for label in (levels[0], levels[-1])
    )
    span = f"numbers from {first} to {last}" if len(levels) > 1 else f"the number {first} only"
    occur = counted(len(levels), "level that occurs", "levels that occur")
    return ChosenLevels(
        levels, scale, False, f"{span}, taken as an interval scale with the {occur}"
    )


def _found_levels(
    rows: Rows, column: str, options: RatingsOptions, rated: BoolArray, place: str
) -> Levels:
    """Return the levels that occur: numbers ascending, nominal labels sorted; other texts have no order."""
    used = rows.used_labels(column, rated)
    if options.scale == "nominal":
        return sort_labels(used)
    rows.refuse_spellings(column, rated, if_labels())
    words = rows.texts(column, rated)
    if words.any() and (pair := opposites(used)):
        return pair
    if words.all() and len(used) <= 2 and options.scale is None:
        # two levels need no order
        return sort_labels(used)
    if (
        not words.any()
        or options.scale in ("interval", "ratio")
        or rows.mostly_numbers(column, rated)
    ):

        def cure(label: str) -> str:
            ways = f"{option('refusal', label)} or {option('na', label)}"
            return f"Correct it, or say {ways}, or {option('scale', 'nominal')} if these are labels"

        rows.each_value(column, words, [column], "'{}' is not a finite number", fix=cure)
        numbers = tuple(
            number_label(x) for x in sorted({x for x in map(as_number, used) if x is not None})
        )
        right = len(numbers) == 1 and {*numbers} < {*RIGHT_OR_NOT} and bare(column).endswith(RIGHT)
        # 38 of 38 are shares of right answers
        return RIGHT_OR_NOT if right else numbers
    level_order = conventional_order(used)
    say = option("levels", level_order or [Word("LOWEST"), Word("..."), Word("HIGHEST")])
    raise DesignError(
        f"{place}: the values are texts whose order is undeclared: {quoted(sort_labels(used), 12)}. Pass all "
        f"levels, the lowest first, {'perhaps' if level_order else 'as'} {say}, "
        f"or {option('scale', 'nominal', '--scale nominal')} if they have none. Declare a refusal apart: "
        f"{option('refusal', 'LABEL', '--refusal LABEL')}"
    )


@asks
def build_from(
    table: Table,
    roles: Roles,
    options: RatingsOptions,
    *,
    wide: Table | None = None,
    noticed: Sequence[Caution] | None = None,
) -> RatingsData:
    """Read a long table whose columns are known.

    Parameters
    ----------
    table : Table
    roles : RatingsRoles
    options : RatingsOptions
    wide : Table, optional
        The table that `table` was made of.
    noticed : sequence of Caution, optional
        What was said of the columns already; None where no column of frequencies was looked for.

    Raises
    ------
    DesignError
        When texts have no declared order.
    InputError
        When rows are wrong: up to 20 problems of all kinds at once, with places.
    NothingToAnalyse
        When no row is left.
    """
    may_miss = ["by"] if options.shared else []
    if noticed is None:
        played = roles.columns()
        weighs = roles["weight"] or None
        noticed = frequency(table, options.count, [], played, options.na_labels, weighs).cautions
    rows = begun(table, roles, options, fix=FILL, wide=wide, may_miss=may_miss)
    if options.shared and roles["by"] and roles["rater_source"]:
        refuse_unshared(rows, roles["by"], roles["rater_source"])
    rated = rate(rows, roles, options)
    repeat = repeat_columns(
        rows, roles, unnumbered=options.repeat is True, wide=wide is not None, cure=options.cure
    )
    times = times_of(rows, roles)
    rows.refuse_several(roles, UNIT)
    # `missing` is about ratings
    weight = unit_weights(rows, roles, options, droppable=False)
    for column in roles.of("rater_group"):
        _rater_group(rows, roles.of(*RATER), column)
    probabilities = level_probabilities(rows, roles, options, rated)
    rows.raise_if_any()
    means = None
    if repeat is not None:
        roles = roles.replaced(repeat=repeat)
        rated, means = average_by_rater(rows, roles, rated)
    done = _finish_ratings(rows, roles, rated, times, noticed, probabilities, means, weight)
    # undeclared columns are tried by reading again, which needs one row an answer
    again = None if wide is not None or roles["count"] else partial(build_from, table)
    used = done.raters if wide is not None else ()
    return with_dependence(
        done, wide or table, roles, options, done.count.sum(), of_ratings, again, used=used
    )


# by how much a sum of probabilities may exceed 1, as of servers that round them
SUM_ROUNDED = 0.01


def level_probabilities(
    rows: Rows, roles: Roles, options: RatingsOptions, rated: Rated
) -> FloatArray | None:
    """Return the probability of each level in each row, NaN in rows that lack one; None without such columns."""
    probable = roles.of("probability")
    if not probable:
        return None
    given = options.probabilities
    named = [
        given.get(level, level) if isinstance(given, Mapping) else f"{given}{level}"
        for level in rated.chosen.levels
    ]
    if {*named} != {*probable}:
        raise InputError(
            f"{rows.table.source}: columns {quoted(sorted({*named} ^ {*probable}))} of "
            f"{option('probabilities', given)} do not match the levels. Name all levels with "
            f"{option('levels', typed='--levels')}, and give each a column"
        )
    p = np.stack([rows.probabilities(column) for column in named], axis=1)
    total = p.sum(axis=1)
    beyond = rows.use & (total > 1 + SUM_ROUNDED)
    if beyond.any():
        rows.add(
            "the probabilities of a row sum to more than 1", beyond, probable, fix="Correct them"
        )
    p[~(total > 0) | (rated.status != OK)] = np.nan
    return p


def average_by_rater(rows: Rows, roles: Roles, rated: Rated) -> tuple[Rated, Means | None]:
    """Keep one row of each unit and rater, with the mean of its scores; say how many rows were averaged.

    A rater with a score of the unit has no refusal and no missing rating of it. Labels have no mean: beside people the
    first answer of each unit and rater is kept, with the shares of all levels.

    Raises
    ------
    InputError
        For labels where no column says who is a person.
    """
    chosen = rated.chosen
    scores = rated.chosen.scores
    numeric = chosen.numeric and chosen.scale != "nominal"
    labels = not (numeric or len(chosen.levels) <= 2) or (
        bool(roles["rater_source"]) and not chosen.numeric
    )
    if roles.of("probability") or (labels and not roles["rater_source"]):
        refuse_averaging(rows, roles, numeric=chosen.numeric)
    ok = rows.use & (rated.status == OK)
    if not ok.any():
        return rated, None
    means = mean_answers(rows, roles, np.where(ok, scores[rated.value], np.nan))
    if len(chosen.levels) <= MOST_SHARED:
        means = means.with_levels(rows, chosen.levels, chosen.scale, rated.value, ok)
    if labels:
        note = caution(
            means.note.code,
            means.note.detail.replace("means", "shares of levels"),
            affects=SHARED_BY,
        )
        unknown = np.full_like(means.variance, np.nan)
        return replace(rated, cautions=(*rated.cautions, note)), replace(
            means, note=note, variance=unknown
        )
    there = ~np.isnan(means.values)
    levels, value = np.unique(means.values[there], return_inverse=True)
    values = np.full(len(there), -1, dtype=np.int64)
    values[there] = value
    # the levels are means now: nothing was guessed of them
    cautions = (*(c for c in rated.cautions if c.code != "SS310"), means.note)
    of_means = ChosenLevels(tuple(number_label(x) for x in levels.tolist()), "interval", False)
    ends = scale_ends(scores, chosen.declared)
    return replace(rated, chosen=of_means, value=values, cautions=cautions, ends=ends), means


# levels whose shares among repeated answers are kept
MOST_SHARED = 30
SHARED_BY = "nothing: units, not repeats, are taken as independent"


def _rater_group(rows: Rows, who: Texts, column: str) -> None:
    """Report a column of raters that changes within a rater, is empty in some of a rater's rows, or in all rows."""
    rater = rows.key(who)
    named = rows.use & (rows.codes(column) >= 0)
    # raters without a group in any row are in none: only mixed ones are wrong
    partly = rows.use & ~named & np.isin(rater, rater[named])
    if rows.use.any() and not named.any():
        groups = option("rater_groups")
        rows.pend(
            "no rater has a value",
            column,
            f"It belongs to the rater: fill it in, or take it out of {groups}",
        )
    elif partly.any():
        rows.add(
            "the value is missing", partly, [*who, column], column=column, fix=FIX_OF_RATER_GROUPS
        )
        rows.use = rows.use & ~partly
    rows.constant(
        who, column, "rater", "It belongs to the rater: give the rater's rows the same value"
    )


# kinds of columns that tell raters apart
RATER = ("rater", "source")
FIX_OF_RATER_GROUPS = (
    "It belongs to the rater: fill it in, or leave it empty in all rows of a rater who has no such "
    "group"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Named:
    """Units or raters: sorted labels, the code of each row, and one row of each."""

    labels: Levels
    codes: IntArray
    row: IntArray


def joined_label(labels: Texts) -> str:
    """Return labels with bars between them; bars inside are escaped, so that different rows keep different labels.

    Examples
    --------
    >>> joined_label(["a", "b|c"]), joined_label(["b|c"])
    ('a | b\\\\|c', 'b|c')
    """
    if len(labels) == 1:
        return labels[0]
    return " | ".join(label.replace("\\", "\\\\").replace("|", "\\|") for label in labels)


def _label_by_columns(rows: Rows, index: IntArray, roles: Roles, kinds: Pair) -> Named:
    """Label units or raters by the columns of one kind; that of another kind stands before namesakes."""
    columns, space = (roles.of(kind) for kind in kinds)
    key = rows.key([*columns, *space])[index]
    at = index[np.unique(key, return_index=True)[1]]
    labels = [joined_label([rows.label(column, row) for column in columns]) for row in at.tolist()]
    if space:
        full = [
            f"{rows.label(space[0], row)}: {name}"
            for row, name in zip(at.tolist(), labels, strict=True)
        ]
        times = Counter(labels)
        labels = [
            long if times[short] > 1 else short for long, short in zip(full, labels, strict=True)
        ]
        # a long name may be another's short one
        labels = labels if len({*labels}) == len(labels) else full
        if len({*labels}) < len(labels):
            clash = max(labels, key=labels.count)
            raise DesignError(
                f"{rows.table.source}: two would be called '{shorten(clash)}'. Rename one"
            )
    order = np.argsort(np.array(labels, dtype=object))
    return Named(
        labels=tuple(labels[k] for k in order.tolist()), codes=np.argsort(order)[key], row=at[order]
    )


def refuse_unshared(rows: Rows, by: str, source: str) -> None:
    """Refuse rows of people with a level of the shared factor, and rows of others without one."""
    people = rows.labels(source).mapped(is_people, False, bool)
    given = rows.codes(by) >= 0
    shared = option("shared", "people")
    both = f"{shared}: people have no value in '{shorten(by)}', and this row has one"
    for message, bad, fix in (
        (both, people & given & rows.use, "Leave it empty, or leave the option out"),
        ("the value is missing", ~people & ~given & rows.use, FILL),
    ):
        if bad.any():
            rows.add(message, bad, [by, source], column=by, fix=fix)
            rows.use = rows.use & ~bad
    lacking = ""
    if not people.any():
        lacking = f"no row of column '{shorten(source)}' names people (such as human)"
    elif not (given & rows.use).any() and not rows.pending:
        lacking = (
            f"no row has a value in '{shorten(by)}' that the ratings of people could belong to"
        )
    if lacking:
        raise InputError(f"{rows.table.source}: {shared}, and {lacking}")


def _finish_ratings(
    rows: Rows,
    roles: Roles,
    rated: Rated,
    times: FloatArray,
    noticed: Sequence[Caution],
    probabilities: FloatArray | None,
    means: Means | None,
    weight: FloatArray | None,
) -> RatingsData:
    index = np.flatnonzero(rows.use)
    if not len(index):
        raise rows.nothing("rating")
    units = _label_by_columns(rows, index, roles, UNIT)
    raters = _label_by_columns(rows, index, roles, RATER)
    by = rows.by(roles, index)
    # by level, unit and rater: the same table in another order makes the same design
    order = np.lexsort((raters.codes, units.codes, *([by.codes] if by else [])))
    index = index[order]
    unit = units.codes[order]
    rater = raters.codes[order]
    status = rated.status[index]
    unit_count = times[units.row]
    note = "each row counts several units" if roles["count"] else ""
    step = FlowStep(
        label="ratings analysed", rows=int(unit_count[unit][status == OK].sum()), note=note
    )
    of_units: Fields = {
        "units": units.labels,
        "unit": unit,
        "unit_count": unit_count,
        "unit_weight": unequal(taken(weight, units.row)),
        "clusters": rows.factors(roles.of("cluster"), units.row),
        "strata": factors_by_name(rows, roles.of("stratum"), units.row),
    }
    groups = factors_by_name(rows, roles.of("source", "rater_group"), raters.row)
    chosen = rated.chosen
    of_levels: Fields = {
        "levels": chosen.levels,
        "scores": chosen.scores,
        "scale": chosen.scale,
        "levels_declared": chosen.declared,
        "numeric": chosen.numeric,
        "ends": rated.ends,
    }
    cautions = [*noticed, *rated.cautions]
    if not roles["rater_source"]:
        cautions += size_cautions(int(unit_count.sum()), len(raters.labels))
    cautions += cautions_of_missing(rows, roles, status, index)
    labels = {"levels": chosen.levels, "raters": raters.labels}
    factors = (*of_units["clusters"], *of_units["strata"].values(), *groups.values())
    cautions += label_cautions(labels, (by, *factors))
    repeats = None
    if means is not None:
        repeats = means.behind(index, raters.labels, rater, np.arange(len(index)))
    design = RatingsData(
        raters=raters.labels,
        rater=rater,
        rater_groups=groups,
        value=rated.value[index],
        status=status,
        by=by and replace(by, codes=by.codes[order], mixed=()),
        flow=(*rows.flow, step),
        source=rows.table.source,
        columns=roles.parts(),
        probabilities=taken(probabilities, index),
        repeats=repeats,
        **of_units,
        **of_levels,
    )
    if design.coverage is not None:
        cautions += probability_cautions(design.coverage)
    return replace(design, cautions=tuple(cautions))


def factors_by_name(rows: Rows, columns: Texts, at: IntArray) -> dict[str, Factor]:
    """Return columns as factors over some rows, by their names."""
    return {column: rows.factor(column, at) for column in columns}


def cautions_of_missing(
    rows: Rows, roles: Roles, status: StatusArray, index: IntArray
) -> list[Caution]:
    """Return caution SS315 where ratings are refusals or missing; `index` is the row of each rating."""
    refused = int((status == REFUSAL).sum())
    missing = index[status == MISSING]
    if not refused and not len(missing):
        return []
    at = np.isin(np.arange(len(rows.use)), missing)
    blank = rows.counts.columns[roles["value"]].texts_of(at)
    detail = f"{counted(refused, 'refusal')} and {counted(len(missing), 'missing rating')} of {len(status):,}"
    if blank:
        detail += f" ({quoted(blank, 5)} read as missing)"
    affects = "which units and raters count"
    return [caution("SS315", detail, affects=affects, fix="metrics say how they use them")]


def size_cautions(units: int, raters: int) -> list[Caution]:
    """Return caution SS309 where there are more raters than units."""
    if raters <= units:
        return []
    detail = f"{counted(raters, 'rater')}, {counted(units, 'unit')}"
    fix = f"check which column is the unit and which the rater (in wide tables: {option('raters_in')})"
    return [caution("SS309", detail, affects="every number", fix=fix)]
