"""Which design a table is: by what was asked for, by the parts that were mapped, by its columns."""

from __future__ import annotations

import csv
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from socialstats.designs.aliases import Fields, Pair, Texts
from socialstats.designs.column_profile import FEW
from socialstats.designs.columns import assign
from socialstats.designs.design_kinds import BY_COLUMNS, DESIGN_KINDS
from socialstats.designs.options import Options, map_options, mapped_repeat
from socialstats.designs.paired_reading import PairedOptions, paired_roles, wide_pair
from socialstats.designs.profile import TableProfile
from socialstats.designs.settings import DESIGNS, OWN, SETTINGS, Settings
from socialstats.designs.vocabulary import UNNUMBERED, VAGUE
from socialstats.errors import DesignError, InputError, Problem
from socialstats.tables import Table
from socialstats.text import capital, listing, meant, shorten

PartColumns = dict[str, str]
MOST_CONDITIONS = 12  # labels of a condition that is taken by its name
OF_WINNERS = {"refusal", "status"}  # settings of winners as well as of ratings
FREE = ("order", "values")  # parts that may be said without a column
SAY_PARTS = (
    "Name the columns. Comparisons: --map item_a=COLUMN --map item_b=COLUMN --map winner=COLUMN. Paired: "
    "--map unit=COLUMN --map condition=COLUMN --map value=COLUMN, or --map first=COLUMN --map second=COLUMN with one "
    "row per unit. Ratings: --map unit=COLUMN --map rater=COLUMN --map value=COLUMN, or --map rater= where all "
    "values are of one source"
)


class NoDesign(DesignError):
    """The columns fit no design by their names, or two, or the one they fit does not read them.

    Attributes
    ----------
    table : Table
    settings : mapping
        What was said of it.
    design : str
        The design that the names fit; empty for none.
    apart : str
        The column that tells rows apart which the design takes as one answer; empty where none does.
    brief : str
        The message for where commands follow that read the table: without the names that were looked for.
    """

    def __init__(
        self,
        message: str | Sequence[Problem],
        table: Table,
        settings: Settings,
        design: str = "",
        brief: str = "",
        apart: str = "",
    ) -> None:
        super().__init__(message)
        self.table, self.settings, self.design, self.apart = table, settings, design, apart
        self.brief = f"{table.source}: {brief}" if brief else str(self)


def decide(table: Table, settings: Settings, chosen: str | None = None) -> str:
    """Return the design: as asked for, of the study, of the parts and options that only it has, or by the columns.

    Raises
    ------
    DesignError
        If the columns fit no design, or two; the message says what each looked for and how to say it.
    """
    design = settings.get("design")
    if design is not None and design not in DESIGNS:
        raise InputError(f"--design {shorten(design)}: the designs are {listing(DESIGNS)}")
    if design is not None or chosen is not None:
        return str(design or chosen)
    if settings.get("crosstab"):
        raise NoDesign(
            f"{table.source}: say what --crosstab counts: --design {' or '.join(DESIGNS)}",
            table,
            settings,
        )
    named = {*mapped_columns(settings)}
    named |= {key for options in OWN.values() for key in options if settings.get(key)}
    if named & OF_WINNERS and _fits("comparisons", table, settings):
        named -= OF_WINNERS
    marked = [name for name, kind in DESIGN_KINDS.items() if kind.marks & named]
    marked += (
        ["comparisons"] if not marked and any(part[-2:] in ("_a", "_b") for part in named) else []
    )
    if len(marked) == 1:
        refuse_mark(table, settings, marked[0], named)
        return marked[0]
    return by_columns(table, settings)


def refuse_mark(table: Table, settings: Settings, marked: str, named: set[str]) -> None:
    """Refuse an option of one design where the columns lack its parts and fit another design.

    Raises
    ------
    InputError
        Naming the option and the design that the columns fit.
    """
    options = [key for key in OWN[marked] if key in DESIGN_KINDS[marked].marks & named]
    if not options or settings.get("map") or settings.get("raters"):
        return
    fits = [name for name in BY_COLUMNS if _fits(name, table, settings)]
    if (
        len(fits) == 1
        and fits[0] != marked
        and not (marked == "paired" and wide_pair(table.columns))
    ):
        option = SETTINGS[options[0]].option
        parts = _parts_text(parts_of(fits[0], table, settings))
        if marked == "comparisons":
            raise InputError(f"{option} is for {marked}; this table is read as {fits[0]} ({parts})")
        raise InputError(
            f"{option} is for {marked}, and the columns of {table.source} are those of {fits[0]} ({parts}). Leave it "
            f"out, or name the columns of {marked} with --map ({', '.join(DESIGN_KINDS[marked].parts[:3])})"
        )


def _fits(name: str, table: Table, settings: Settings) -> bool:
    try:
        parts_of(name, table, settings)
    except InputError:
        return False
    return True


def by_columns(table: Table, settings: Settings) -> str:
    """Return the one design whose parts are all among the columns."""
    fits: dict[str, PartColumns] = {}
    misses: dict[str, tuple[Problem, ...]] = {}
    for name in BY_COLUMNS:
        try:
            fits[name] = parts_of(name, table, settings)
        except InputError as error:
            misses[name] = error.problems
    condition = fits.get("paired", {}).get("condition")
    if condition is not None and len(table.levels(condition)) > MOST_CONDITIONS:  # texts, say
        misses["paired"] = (
            Problem(message=f"'{shorten(condition)}' has too many labels for a condition"),
        )
        del fits["paired"]
    for name in [name for name, parts in fits.items() if holds_prose(table, parts.get("value"))]:
        misses[name] = (
            Problem(
                message=f"'{shorten(fits.pop(name)['value'])}' holds free texts, and no values"
            ),
        )
    if fits and is_cross_table(table):
        raise NoDesign(
            f"{table.source}: this is a cross table of counts; --crosstab reads it", table, settings
        )
    if "comparisons" in fits:
        return "comparisons"
    if len(fits) == 2 and len(table.levels(fits["paired"]["condition"])) == 1:
        del fits["paired"]  # one condition alone has nothing to be compared with
    if len(fits) == 2:
        vague = {
            name: fits[name].get("condition", fits[name].get("rater")) in VAGUE for name in fits
        }
        clear = [name for name, is_vague in vague.items() if not is_vague]
        fits = {name: fits[name] for name in clear} if len(clear) == 1 else fits
    if len(fits) == 1:
        return next(iter(fits))
    if not fits and wide_pair(table.columns):
        return "paired"
    columns = columns_text(table)
    if fits:
        listed = "\n".join(
            f"  {name} ({DESIGN_KINDS[name].asks}): {_parts_text(parts)}"
            for name, parts in fits.items()
        )
        fix = " or ".join(f"--design {name}" for name in fits)
        fix += (
            " or --study leaderboard (scores of models)"
            if fit_both(table, settings) is not None
            else ""
        )
        two = "the columns fit two designs"
        message = f"{table.source}: {two} ({columns}). Say which: {fix}\n{listed}"
        raise NoDesign(message, table, settings, brief=f"{two}. Say which: {fix}")
    if table.doubt:
        raise NoDesign(
            f"{table.source}: the columns fit no design ({columns}). {table.doubt}", table, settings
        )
    refuse_strange(table, settings)
    lone_part(table, misses, settings)
    listed = "\n".join(f"  {name}: {messages(problems)}" for name, problems in misses.items())
    none = "the columns fit no design"
    raise NoDesign(
        f"{table.source}: {none} ({columns})\n{listed}\n  {SAY_PARTS}",
        table,
        settings,
        brief=f"{none} by their names",
    )


def is_cross_table(table: Table) -> bool:
    """Whether the labels of the first column are the names of the other columns, over counts."""
    from socialstats.designs.crosstabs import crosstab

    first = table.counts([table.columns[0]]).columns[table.columns[0]].values.tolist()
    if not 1 < len(first) < len(table.columns) + 2 or not {*map(str, first)} & {*table.columns[1:]}:
        return False
    try:
        return len(crosstab(table)) > 1
    except InputError:
        return False


def fit_both(table: Table, settings: Settings) -> PartColumns | None:
    """Return the parts of ratings of a table whose columns fit pairs as well, with one column as condition and rater.

    None for any other table.
    """
    entries = [first_of_joint(entry, table) for entry in words(settings.get("map"))]
    units = [entry.partition("=")[2] for entry in entries]
    clusters = [name for name in words(settings.get("cluster")) if name not in units]
    settings = {**settings, "map": entries, "cluster": clusters} if entries else settings
    try:
        paired, rated = (parts_of(design, table, settings) for design in ("paired", "ratings"))
    except InputError:
        return None
    alike = (
        all(paired[part] == rated[part] for part in ("unit", "value"))
        and paired["condition"] == rated["rater"]
    )
    return rated if alike and not _fits("comparisons", table, settings) else None


def holds_prose(table: Table, column: str | None) -> bool:
    """Whether a column of values holds texts of several words that differ in most rows: answers in full."""
    profile = TableProfile(table).column(column) if column is not None and not table.lazy else None
    return (
        profile is not None
        and profile.prose
        and (2 * profile.size > profile.rows or profile.size > FEW)
    )


def first_of_joint(entry: str, table: Table) -> str:
    """Return ``unit=a`` for ``unit=a,b``, whose columns name the unit together; another entry as it is."""
    part, _, column = entry.partition("=")
    return (
        f"unit={column.partition(',')[0]}"
        if part == "unit" and column not in table.columns
        else entry
    )


def columns_text(table: Table) -> str:
    """Return the names of the columns for a message."""
    return f"columns: {listing([shorten(column) for column in table.columns], most=20)}"


def messages(problems: Sequence[Problem]) -> str:
    """Return what is wrong, without places and cures."""
    return "; ".join(problem.message for problem in problems)


def refuse_strange(table: Table, settings: Settings) -> None:
    """Refuse a column of ``--map`` that the table lacks, with the nearest.

    Raises
    ------
    DesignError
        Naming the entry.
    """
    for entry in words(settings.get("map")):
        part, _, names = entry.partition("=")
        if entry == f"repeat={UNNUMBERED}":
            continue
        strange = [name for name in next(csv.reader([names]), []) if name not in table.columns]
        if strange and names not in table.columns and part not in FREE:
            near = meant(strange[0], table.columns)
            problem = f"--map {shorten(entry)}: no column '{shorten(strange[0])}'. {near}{capital(columns_text(table))}"
            raise DesignError(f"{table.source}: {problem}")


def lone_part(table: Table, misses: Mapping[str, Sequence[Problem]], settings: Settings) -> None:
    """Refuse a table that lacks a single part of ratings (or of pairs as well), saying only that.

    Raises
    ------
    DesignError
        Naming the part, and columns called like identifiers that may play it.
    """
    lacking = {
        name: [problem.part for problem in problems if problem.part]
        for name, problems in misses.items()
    }
    alone = {name: parts[0] for name, parts in lacking.items() if len(parts) == 1}
    if "ratings" not in alone or len(set(alone.values())) > 1:
        return
    part = alone["ratings"]
    likely = [
        c
        for c in table.columns
        if part == "unit" and c.casefold().endswith(("_id", "_no", "_number", "_key"))
    ]
    fix = (
        f"perhaps --map {part}={shorten(likely[0])}"
        if len(likely) == 1
        else f"with --map {part}=COLUMN"
    )
    lacks, missed = (
        f"only one part is missing for {listing(list(alone))}",
        messages(misses["ratings"]),
    )
    raise NoDesign(
        f"{table.source}: {lacks}: {missed}. Say which column it is, {fix} ({columns_text(table)})",
        table,
        settings,
        brief=f"{lacks}, '{part}'. Say which column it is, {fix}",
    )


def _parts_text(parts: Mapping[str, str]) -> str:
    return ", ".join(f"{part} = {shorten(column)}" for part, column in parts.items())


def parts_of(design: str, table: Table, settings: Settings) -> PartColumns:
    """Return the columns that play the parts of a design, in a table of one row per value.

    Raises
    ------
    InputError
        Where the column of a part is missing.
    """
    from socialstats.designs.groups_reading import GroupsOptions, groups_roles
    from socialstats.designs.ratings_options import RatingsOptions
    from socialstats.designs.ratings_reading import lone_source, ratings_roles

    if design == "comparisons":
        return assign(
            table, Options(**map_options(known_entries(settings, DESIGN_KINDS[design].marks)))
        ).parts()
    readers: dict[str, tuple[str, Callable[..., Any], Callable[..., Any]]] = {
        "groups": ("group", GroupsOptions, groups_roles),
        "paired": ("condition", PairedOptions, paired_roles),
        "ratings": ("rater", RatingsOptions, ratings_roles),
    }
    source, options, roles = readers[design]
    named = map_parts(known_entries(settings, {"unit", source, "value"}), design)
    how = options(**named, **taken_columns(table, settings))
    parts: PartColumns = roles(
        table, lone_source(table, how) if design == "ratings" else how
    ).parts()
    return parts


def taken_columns(table: Table, settings: Settings) -> Fields:
    """Return the columns that are declared as something else, and so play no part of a design."""
    entries = [entry.partition("=")[::2] for entry in words(settings.get("map"))]
    clusters = words(settings.get("cluster")) + [
        column for part, column in entries if part == "cluster"
    ]
    by = settings.get("by") or next((column for part, column in entries if part == "by"), None)
    columns: Fields = {"cluster": tuple(name for name in clusters if name in table.columns)}
    return columns | ({"by": by} if by in table.columns else {})


def mapped_columns(settings: Settings) -> PartColumns:
    """Return the column of each part that the mapping names."""
    return dict(entry.partition("=")[::2] for entry in words(settings.get("map")))


def several_columns(table: Table, names: str) -> list[str]:
    """Return the columns of ``a,b,c``; none for one column, and where a column is called that."""
    columns = split_list([names]) if "," in names and names not in table.columns else []
    return columns if {*columns} <= {*table.columns} else []


def known_entries(settings: Settings, parts: Collection[str]) -> list[str]:
    """Return the entries of the mapping that name one of some parts."""
    return [entry for entry in words(settings.get("map")) if entry.partition("=")[0] in parts]


def map_parts(entries: Texts, name: str) -> Fields:
    """Turn ``part=column`` entries into options of a design of pairs or ratings.

    Examples
    --------
    >>> map_parts(["unit=question", "cluster=topic", "cluster=model"], "paired")
    {'unit': 'question', 'cluster': ('topic', 'model')}
    """
    done: Fields = {}
    parts = DESIGN_KINDS[name].parts
    for entry in entries:
        part, equals, column = entry.partition("=")
        if equals and not column and part == DESIGN_KINDS[name].may_lack:
            done[part] = False
            continue
        if not equals or not part or not column:
            raise InputError(
                f"--map {shorten(entry)}: write part=column. Parts of {name}: {', '.join(parts)}"
            )
        if part not in parts:
            listed = ", ".join(parts)
            longer = [
                name_of_part for name_of_part in parts if name_of_part.endswith(f"_{part}")
            ]  # `source` is meant as rater_source
            hint = meant(longer[0] if longer else part, parts)
            raise InputError(
                f"--map {shorten(entry)}: no part '{shorten(part)}' in {name}. {hint}Parts: {listed}"
            )
        if part in ("cluster", "repeat"):
            done[part] = (*done.get(part, ()), column)
        elif part in done:
            raise InputError(f"--map {shorten(entry)}: '{part}' is mapped twice")
        else:
            done[part] = column
    if "repeat" in done:
        done["repeat"] = mapped_repeat(done["repeat"])
    return done


def refuse_foreign(name: str, settings: Settings) -> None:
    """Refuse options that belong to other designs only.

    Raises
    ------
    InputError
        Naming the option and the designs that have it.
    """
    for key in dict.fromkeys(key for options in OWN.values() for key in options):
        if settings.get(key) and key not in OWN[name]:
            homes = [home for home, options in OWN.items() if key in options]
            option = SETTINGS[key].option
            raise InputError(
                f"{option} is for {listing(homes)}; this table is read as {name} (--design says another)"
            )
    scale = settings.get("scale")
    if scale is not None and scale not in DESIGN_KINDS[name].scales:
        raise InputError(
            f"--scale {shorten(scale)}: scales of {name} are {', '.join(DESIGN_KINDS[name].scales)}"
        )


def words(value: Any) -> list[str]:
    """Return one or several texts as a list."""
    return [] if value is None else [value] if isinstance(value, str) else list(value)


def where(word: str, option: str = "--where") -> Pair:
    """Split COLUMN=VALUE.

    Examples
    --------
    >>> where("model=a=b")
    ('model', 'a=b')
    """
    column, equals, value = word.partition("=")
    if not equals or not column:
        raise InputError(
            f"{option} {shorten(word)}: write it as COLUMN=VALUE, such as {option} model=gpt-4"
        )
    return column, value


def split_list(entries: Texts) -> list[str]:
    """Split comma-separated labels; a label with a comma stands in double quotes.

    Examples
    --------
    >>> split_list(["low,medium", '"high, or more"'])
    ['low', 'medium', 'high, or more']
    """
    try:
        parts = [
            part.strip()
            for entry in entries
            for part in next(csv.reader([entry], skipinitialspace=True), [])
        ]
    except csv.Error as error:
        message = (
            f"labels between commas, typed '{shorten(entries[0])}', cannot be told apart: {error}"
        )
        raise InputError(message) from error
    return [part for part in parts if part]
