"""Which design a table is read as, and with which options."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from socialstats.designs.aliases import Fields, Texts
from socialstats.designs.crosstabs import crosstab, win_counts
from socialstats.designs.frequencies import holds_numbers
from socialstats.designs.options import map_options
from socialstats.designs.paired_reading import wide_pair
from socialstats.designs.parts import FlowStep
from socialstats.designs.schema import Finder
from socialstats.designs.settings import OWN, REASONS, ROWS, SETTINGS, Settings
from socialstats.designs.stacking import stack_values
from socialstats.designs.vocabulary import RATERS, ROW_NAMES, UNNUMBERED, bare
from socialstats.errors import Caution, InputError, Problem, caution
from socialstats.proposals.deciding import (
    NoDesign,
    PartColumns,
    decide,
    is_cross_table,
    map_parts,
    mapped_columns,
    parts_of,
    refuse_foreign,
    several_columns,
    split_list,
    where,
    words,
)
from socialstats.proposals.guesses import people_and_models
from socialstats.proposals.shapes import read_shape, shaped
from socialstats.studies.page import Design
from socialstats.tables import (
    Table,
    rows_unlike,
    rows_where,
    rows_without,
    rows_without_whole,
    with_joint,
)
from socialstats.text import count, listing, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from socialstats.designs.comparisons import Comparisons
    from socialstats.designs.groups import Groups
    from socialstats.designs.paired import Paired
    from socialstats.designs.ratings import Ratings

COLUMNS_OF = ("cluster", "strata", "rater_groups")  # settings that name several columns
COMMON = ("cluster", "by", "na", "missing", "count")


def read(table: Table, settings: Settings, chosen: str | None = None) -> Design:
    """Read a table as the settings say; `chosen` is the design of the study that was asked for.

    Raises
    ------
    InputError
        For a design that cannot be told, options of another design, and whatever reading finds.
    """
    table, settings = values_below(table, settings)
    table, settings = with_joint_parts(table, settings), columns_apart(table, settings)
    study = shaped(table, settings)
    name = study.design if study is not None else decide(table, settings, chosen)
    settings = with_scale(settings)
    refuse_foreign(name, settings)
    source, (table, steps) = table, selected(table, settings)
    try:
        design = (
            READERS[name](table, settings) if study is None else read_shape(study, table, settings)
        )
    except InputError as error:
        if study is None and not settings.get("crosstab") and is_cross_table(table):
            raise InputError(
                Problem(
                    source=table.source,
                    message="this is a cross table of counts",
                    fix="Say --crosstab",
                )
            ) from error
        if (
            study is not None
            or chosen is not None
            or any(settings.get(key) for key in ("design", "map", *OWN[name]))
        ):
            raise
        raise NoDesign(error.problems, table, settings, name, apart=column_apart(error)) from error
    design = replace(design, cautions=(*design.cautions, *answered_alike(table)))
    if not steps and source.stacked is None:
        return design
    label = "rows read" if source.stacked is None else "values read"
    read_all = FlowStep(label=label, rows=source.height, note=design.flow[0].note)
    return replace(design, flow=(read_all, *steps, *design.flow[1:]))


def column_apart(error: InputError) -> str:
    """Return the column that tells the rows of a unit and source apart, which one design takes as one answer."""
    from socialstats.designs.repeated_answers import OtherAnswers

    return error.column if isinstance(error, OtherAnswers) else ""


def values_below(table: Table, settings: Settings) -> tuple[Table, Fields]:
    """Stack the columns of ``value=a,b,c`` as repeats of one answer, so that their mean is the value.

    Returns
    -------
    table : Table
        With a row for each value, where several columns hold values; else as it is.
    settings : dict
        With the column of values, and the one that tells them apart among the repeats.
    """
    entries, mapped = words(settings.get("map")), mapped_columns(settings)
    columns = several_columns(table, mapped.get("value", ""))
    if not columns:
        return table, {**settings}
    by_column = (settings.get("design") == "groups" or "group" in mapped) and "unit" not in mapped
    table, parts = one_below_another(table, columns, mapped.get("group", ""), whole=by_column)
    remaining = [e for e in entries if not e.startswith("value=") and e != f"repeat={UNNUMBERED}"]
    of_parts = [f"{part}={name}" for part, name in parts.items()]
    return table, {**settings, "map": [*remaining, *of_parts]}


def one_below_another(
    table: Table, columns: Texts, group: str, *, whole: bool
) -> tuple[Table, PartColumns]:
    """Stack columns of values.

    Parameters
    ----------
    table : Table
    columns : sequence of str
    group : str
        The column of independent groups, where it was said.
    whole : bool
        Whether a row of independent groups is a unit where no column names the units.

    Returns
    -------
    table : Table
    parts : dict of str to str
        Columns of the table that are the value, the repeat and, where each row was a unit, the unit.
    """
    long = stack_values(table, columns)
    parts = {"value": long.value, "repeat": long.name}
    mapped = [f"value={long.value}", *([f"group={group}"] if group else [])]
    if whole and not parts_of("groups", long.table, {"map": mapped}).get("unit"):
        parts["unit"] = long.row
    return long.table, parts


def answered_alike(table: Table) -> tuple[Caution, ...]:
    """Caution of models that answered under several names or from several endpoints, by the columns of `tidy`."""
    problems: dict[str, str] = {}
    for column, what in (("model_returned", "name"), ("endpoint", "endpoint")):
        if not (table.has("model") and table.has(column)):
            continue
        cells = table.counts(["model", column])
        models, served = (cells.columns[name].labels() for name in ("model", column))
        by_model: dict[str, list[str]] = {}
        for model, server in zip(models.codes.tolist(), served.codes.tolist(), strict=True):
            if model >= 0 and server >= 0:
                by_model.setdefault(models.levels[model], []).append(served.levels[server])
        several = [
            f"'{shorten(model, 40)}': {quoted(names, 3)}"
            for model, names in by_model.items()
            if len(names) > 1
        ]
        if several:
            problems[column] = f"more than one {what}, {listing(several, 3)}"
    return (
        (
            caution(
                "SS343",
                "; ".join(problems.values()),
                affects="numbers of these models",
                fix=f"report each separately: --by {next(iter(problems))}",
            ),
        )
        if problems
        else ()
    )


def columns_apart(table: Table, settings: Settings) -> Settings:
    """Return the settings with ``--cluster a,b`` as ``--cluster a --cluster b``, where no column is called ``a,b``."""

    def apart(name: str) -> list[str]:
        return [name] if name in table.columns or "," not in name else split_list([name])

    several = {key: words(settings.get(key)) for key in COLUMNS_OF}
    return {
        **settings,
        **{
            key: [c for name in names for c in apart(name)]
            for key, names in several.items()
            if names
        },
    }


def with_joint_parts(table: Table, settings: Settings) -> Table:
    """Add a column for each part of the mapping that names several columns (``unit=task,id``).

    The tasks of a table with one row per model are columns of their own.
    """
    parts = mapped_columns(settings)
    models = parts.get("rater") if "unit" not in parts and "value" not in parts else None
    apart = models in table.columns and float(table.counts([str(models)]).n.max(initial=0)) == 1.0
    for part, column in parts.items():
        if "," in column and not (part == "task" and apart):
            table, _ = with_joint(table, column)
    return table


def with_scale(settings: Settings) -> Settings:
    """Return the settings with the scale of the study that was asked for, where no scale was said."""
    study = settings.get("study")
    if study is None or settings.get("scale"):
        return settings
    from socialstats.studies import STUDIES

    scale = STUDIES[study].scale if study in STUDIES else ""
    return {**settings, "scale": scale} if scale else settings


def second_reading(table: Table, settings: Settings, design: Design) -> Ratings | None:
    """Read the table again with the column of ``reread`` as values; None where there is no such setting.

    Raises
    ------
    InputError
        For a table that is not one rating a row, the column that was read already, and whatever reading finds.
    """
    column = settings.get("reread")
    if column is None:
        return None
    if design.kind != "ratings" or settings.get("raters") or shaped(table, settings) is not None:
        raise InputError(
            f"--reread {shorten(column)}: a second parsing needs ratings in a table of one row per rating with a "
            f"column of values. This table is read as {type(design).__name__.lower()}. Leave the option out"
        )
    if column == design.columns["value"]:
        raise InputError(
            f"--reread {shorten(column)} is the column that is read already; name the other one"
        )
    parts = {
        part: design.columns[part]
        for part in ("unit", "rater", "rater_source")
        if part in design.columns
    }
    entries = [
        e for e in words(settings.get("map")) if e.partition("=")[0] not in ("value", *parts)
    ]
    mapped = [*entries, *(f"{part}={name}" for part, name in parts.items()), f"value={column}"]
    design_again = read(table, {**settings, "map": mapped, "scale": design.scale}, "ratings")
    assert design_again.kind == "ratings"
    return design_again


def selected(table: Table, settings: Settings) -> tuple[Table, list[FlowStep]]:
    """Keep the rows of ``where``, leave out those of ``exclude``, and say how many went at each step and why."""
    steps = []
    reasons = settings.get(REASONS) or {}
    conditions = [(key, word) for key in ROWS for word in words(settings.get(key))]
    for key, word in conditions:
        option = SETTINGS[key].option
        column, value = where(word, option)
        named, note = (
            f"{shorten(column, 40)} is '{shorten(value, 40)}'",
            f"{option} {shorten(word)}",
        )
        if key == "where":
            everywhere = bool(settings.get("shared")) and column == settings.get(
                "by"
            )  # people belong to each level
            table, left_out = rows_where(table, column, value, missing=everywhere)
            label = f"{shorten(column, 40)} is not '{shorten(value, 40)}'"
        elif key == "exclude_raters":
            rater = (
                mapped_columns(settings).get("rater") or Finder(table).free(RATERS.names) or "rater"
            )
            table, left_out, names = rows_without_whole(table, column, value, rater)
            label, note = (
                f"excluded raters: {named} in some row",
                f"{count(names, 'rater')}, {note}",
            )
        elif value.startswith("=") and value[1:] in table.columns:  # COLUMN==COLUMN
            table, left_out = rows_unlike(table, column, value[1:])
            label = f"excluded: '{shorten(column, 40)}' and '{shorten(value[1:], 40)}' are the same"
        else:
            table, left_out = rows_without(table, column, value)
            label = f"excluded: {named}"
        note = shorten(reasons[word], 200) if key == "exclude" and word in reasons else note
        steps.append(FlowStep(label=label, rows=left_out, note=note))
    return table, steps


def options_of(name: str, settings: Settings) -> Fields:
    """Return the keyword options of the design's reader."""
    entries = words(settings.get("map"))
    options = map_options(entries) if name == "comparisons" else map_parts(entries, name)
    passed = {key: settings[key] for key in (*COMMON, *OWN[name]) if settings.get(key) is not None}
    clusters = tuple(dict.fromkeys((*options.get("cluster", ()), *words(passed.get("cluster")))))
    if "order" in passed:
        if "order" in options:
            raise InputError("the order is said twice, by --order and by --map: keep one of them")
        passed["order"] = passed["order"] or False
    options |= {key: passed[key] for key in passed if key != "cluster"}
    options |= {
        key: False for key in ("na", "count") if options.get(key) in ("", [""])
    }  # '' says: nothing is that
    return options | ({"cluster": clusters} if clusters else {})


def paired_by_settings(table: Table, settings: Settings) -> Paired:
    """Read pairs: one row per unit and condition, or one row per unit with two columns (mapped, or before/after)."""
    from socialstats.designs.paired import Paired

    options = options_of("paired", settings)
    if settings.get("crosstab"):
        chosen: Fields = {
            key: options[key] for key in ("conditions", "levels", "scale") if key in options
        }
        head = table.columns[
            0
        ].strip()  # what stands over the labels of the rows names them, or both sides
        two = [side.strip() for side in re.split(r"[\\/]", head)]
        sides = two if len({*two} - {""}) == 2 == len(two) else (head, "columns")
        if bare(head) not in (*ROW_NAMES, "columns"):
            chosen.setdefault("conditions", sides)
        return Paired.from_table(crosstab(table), **chosen, source=table.source)
    pair = wide_pair(table.columns)
    wide = "first" in options or "second" in options
    named = wide or "conditions" in options
    if not wide and pair is not None and "condition" not in options and "value" not in options:
        try:
            parts_of("paired", table, settings)
        except InputError:
            options, wide = {"first": pair[0], "second": pair[1]} | options, True
    if not wide:
        return Paired.from_frame(table, **options)
    lacking = [part for part in ("first", "second") if part not in options]
    if lacking:
        raise InputError(
            f"--map {lacking[0]}=COLUMN is missing: a table with one row per unit has two value columns"
        )
    order = options.pop("conditions", None)
    if order is not None:
        labels = (options["first"], options["second"])
        if set(order) != set(labels):
            raise InputError(
                f"--conditions names {listing(order)}; the columns are {listing(labels)}"
            )
        options["first"], options["second"] = order
    for part in ("condition", "value"):
        if part in options:
            raise InputError(
                f"--map {part}= is for one row per unit and condition; leave out {option('first')} and "
                f"{option('second')}"
            )
    design = Paired.from_wide(table, **options)
    if named:
        return design
    unused = [
        c for c in table.columns if c not in design.columns.values() and holds_numbers(table, c)
    ]
    if not unused:
        return design
    first, second = (shorten(name, 40) for name in design.conditions)
    note = caution(
        "SS327",
        f"'{first}' minus '{second}'; not used: {quoted(unused)}",
        affects="every number",
        fix=f"--map first={first} --map second={second} says so, or names two others",
    )
    return replace(design, cautions=(*design.cautions, note))


def ratings_by_settings(table: Table, settings: Settings) -> Ratings:
    """Read ratings: one row each, or one row per unit and a column each rater (``--raters a,b,c``)."""
    from socialstats.designs.ratings import Ratings

    options = options_of("ratings", settings)
    if "probabilities" in options and (settings.get("crosstab") or "level_columns" in options):
        raise InputError("--probabilities is for one row per rating, and here are counts")
    if settings.get("crosstab"):
        chosen = {key: options[key] for key in ("raters", "levels", "scale") if key in options}
        if chosen.get("scale") == "ordinal" and "levels" not in chosen:
            raise InputError(
                "--scale ordinal: say the order of the levels of a cross table, --levels LOW,...,HIGH"
            )
        return Ratings.from_table(crosstab(table), **chosen, source=table.source)
    if "level_columns" in options:
        belong = ("levels", "scale", "unit", "strata", "cluster", "by")
        named = {key: options[key] for key in belong if key in options}
        return Ratings.from_counts(table, columns=options["level_columns"], **named)
    if "units" in options:
        return Ratings.from_wide(table, raters_in="rows", **options)
    if "raters" not in options:
        source = people_and_models(table, settings)
        if source is None:
            return Ratings.from_frame(table, **options)
        ratings = Ratings.from_frame(table, **options, rater_source=source)
        note = caution(
            "SS320",
            f"'{shorten(source, 40)}', which says who is a person",
            affects="which study is made",
            fix="name the column yourself with --map rater_source=COLUMN",
        )
        return replace(ratings, cautions=(*ratings.cautions, note))
    for part in ("rater", "value", "status", "rater_source"):
        if part in options:
            raise InputError(
                f"--map {part}= is for one row per rating; with --raters the columns are raters"
            )
    if "rater_groups" in options:
        raise InputError(
            "--rater-groups is for one row per rating; with --raters the columns are raters"
        )
    return Ratings.from_wide(table, raters_in="columns", **options)


def comparisons_by_settings(table: Table, settings: Settings) -> Comparisons:
    """Read paired comparisons, one row each or counts."""
    from socialstats.designs.comparisons import Comparisons

    options = options_of("comparisons", settings)
    if settings.get("crosstab"):
        counts = win_counts(crosstab(table), table.columns[0])
        return replace(Comparisons.from_counts(counts, source=table.source), columns={})
    return Comparisons.from_keywords(table, options)


def groups_by_settings(table: Table, settings: Settings) -> Groups:
    """Read two independent groups: one row per unit, or several, whose mean is the unit's value."""
    from socialstats.designs.groups import Groups

    if settings.get("crosstab"):
        raise InputError(
            "--crosstab counts pairs of values or wins; counted groups have a row for each group and "
            "value, and --count COLUMN"
        )
    return Groups.from_frame(table, **options_of("groups", settings))


# a table is read as one design, and its page loads no other
READERS: dict[str, Callable[[Table, Settings], Design]] = {
    "comparisons": comparisons_by_settings,
    "groups": groups_by_settings,
    "paired": paired_by_settings,
    "ratings": ratings_by_settings,
}
