"""The file of a user's own study as a run file: what its sections declare is not written again in [collect]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats.studies.declared.declaration import Declaration, Scale, nearest_of
from socialstats.studies.declared.reading import COLLECT, SECTIONS
from socialstats.studies.plan_files import read_plan
from socialstats.tables.sources import small_file
from socialstats.tables.toml_files import read_toml, toml_of
from socialstats.text import as_given, quoted, shorten
from socialstats_collect.design import RunDesign
from socialstats_collect.protocols import protocol_class

RUN = "run"  # the key that names a run file
# parts of a study that a run fills, and what its table calls them; replicates are units where items have a part
COLLECTED = {
    "item": ("item_id",),
    "unit": ("item_id", "replicate"),
    "source": ("model",),
    "repeat": ("replicate",),
    "rater": ("judge",),
    "value": ("answer",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunValues:
    """The keys of a run file, as it has them or as a study declares them.

    Attributes
    ----------
    values : dict
        Keys of a run file, with those that the sections of a study say.
    folder : Path
        Where the files of the run lie.
    text : str
        The file in which they stand.
    study : Declaration or None
        The study, where the file is one.
    """

    values: dict[str, Any]
    folder: Path
    text: str
    study: Declaration | None = None


def is_study(content: Mapping[str, Any]) -> bool:
    """Return whether the content of a file is a study rather than a run."""
    return any(section in content for section in SECTIONS)


def declared_study(path: Path) -> Declaration:
    """Return the study that a file declares.

    Raises
    ------
    InputError
        As `read_plan`.
    """
    study = read_plan(str(path)).own
    assert study is not None
    return study


def run_values(path: Path) -> RunValues:
    """Return what a run file, or the file of a study, says of a run.

    Raises
    ------
    InputError
        For a file that cannot be read; for a study that says nothing of a run, or names a run file among other keys.
    """
    raw = small_file(path)
    values = toml_of(raw, path.name)
    run = RunValues(values=values, folder=path.parent, text=raw.decode("utf-8-sig"))
    if not is_study(values):
        return run
    study = declared_study(path)
    section = dict(study.collect)
    if not section:
        fix = 'Write [collect] with the keys of a run file, or run = "run.toml"'
        raise InputError(study.wrong(COLLECT, f"no section [{COLLECT}] says what is asked", fix))
    run = named_run(path, study, section) if RUN in section else replace(run, values=section)
    protocol = run.values.get("protocol")
    options = {"name": protocol} if isinstance(protocol, str) else dict(protocol or {})
    if isinstance(options.get("name"), str):
        run.values["protocol"] = {**protocol_options(study, options), **options}
    return replace(run, study=study)


def named_run(path: Path, study: Declaration, section: Mapping[str, Any]) -> RunValues:
    """Return the keys of the run file that a study names.

    Raises
    ------
    InputError
        For a file outside the folder of the study, and for further keys.
    """
    name = PurePath(str(section[RUN]))
    file = path.parent / name
    message = fix = ""
    if further := [key for key in section if key != RUN]:
        message = f"{further[0]}: the run file {name} says what is asked"
        fix = "Write it there, or take run out"
    if name.is_absolute() or ".." in name.parts:
        message = f"{RUN} = '{shorten(str(name))}' lies outside the folder"
        fix = "Name a run file beside the study"
    elif not message:
        raw, values = read_toml(file)
        if is_study(values):
            # another study may ask the same
            values = dict(declared_study(file).collect)
        if values and RUN not in values:
            return RunValues(values=values, folder=file.parent, text=raw.decode("utf-8-sig"))
        message = f"{RUN} = '{shorten(str(name))}' is the file of a study that asks nothing itself"
        fix = "Name its run file"
    raise InputError(study.wrong(COLLECT, message, fix))


def protocol_options(study: Declaration, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a protocol that the scales and levels of a study say.

    A protocol with judges takes the items and their range, one with labels the answers that are allowed.
    """
    takes = protocol_class(options["name"]).takes
    scales = study.scales.values()
    declared: dict[str, Any] = {}
    if "traits" in takes and scales and "traits" not in options:
        ends = {item: scale_range(scale) for scale in scales for item in scale.items}
        first = next(iter(ends.values()))
        declared["traits"] = [item for item, pair in ends.items() if pair == first]
        declared["scale"] = first
        declared["further"] = {item: pair for item, pair in ends.items() if pair != first}
    if "labels" in takes and not options.keys() & {"labels", "choices"}:
        labels = [label for scale in scales for label in allowed_answers(scale)]
        declared["labels"] = list(dict.fromkeys(labels or study.levels))
    return {key: value for key, value in declared.items() if value}


def scale_range(scale: Scale) -> list[float]:
    """Return the lowest and the highest value of a scale, whole numbers without decimals; nothing where it has none."""
    return [int(end) if end.is_integer() else end for end in scale.ends or ()]


def allowed_answers(scale: Scale) -> list[str]:
    """Return the answers that an item of a scale allows: its options, or the whole numbers of its range."""
    if scale.options or scale.ends is None:
        return [*scale.options]
    low, high = scale.ends
    steps = range(int(high - low) + 1) if low.is_integer() else ()
    return [as_given(low + step) for step in steps]


def declared_names(study: Declaration, columns: Sequence[str]) -> dict[str, str]:
    """Return the columns of a collected table that a study calls otherwise, and what it calls them.

    Parameters
    ----------
    study : Declaration
    columns : sequence of str
        Those that the table has before any is renamed.
    """
    names: dict[str, str] = {}
    for part, candidates in COLLECTED.items():
        free = [column for column in candidates if column in columns and column not in names]
        for name in study.of(part)[:1]:
            if name not in columns and free:
                names[free[0]] = name
    return names


def check_run(study: Declaration, design: RunDesign) -> None:
    """Refuse a run whose table lacks what a study declares.

    Raises
    ------
    InputError
        With the line of each column, label and item that the table will lack. Also for replicates and judges that the
        study does not tell apart.
    """
    columns = table_columns(design)
    names = declared_names(study, columns)
    table_names = [names.get(column, column) for column in columns]
    problems: list[Problem] = []
    for part, declared in study.parts.items():
        what = "no column of the collected table"
        problems += absent(study, "data", f"map: {part} = ", declared, table_names, what)
    for contrast in study.contrasts.values():
        section, column = f"contrast.{contrast.name}", contrast.column
        what = "neither a factor nor a column of the items"
        problems += absent(study, section, "column: ", [column], table_names, what)
        if labels := factor_labels(design, column):
            what = f"no label of '{column}'"
            problems += absent(study, section, "pair: ", contrast.pair, labels, what)
    there, what = table_names, "no column of the collected table"
    if study.of("item"):
        there, what = [item.id for item in design.asked], f"no item of {design.source}"
    for scale in study.scales.values():
        problems += absent(study, f"scale.{scale.name}", "items: ", scale.items, there, what)
    repeated = {
        "repeat": ("replicates", design.replicates),
        "rater": ("judges", len(design.protocol.settings.judges)),
    }
    for part, (key, several) in repeated.items():
        (column,) = COLLECTED[part]
        if several > 1 and not study.of(part) and column not in names:
            fix = f'Write {part} = "{column}" in [data.map]'
            message = f"map: nothing tells the {several} {key} of an answer apart"
            problems.append(study.wrong("data", message, fix))
    if problems:
        raise InputError(problems)


def absent(
    study: Declaration,
    section: str,
    key: str,
    names: Sequence[str],
    there: Sequence[str],
    what: str,
) -> list[Problem]:
    """Return a problem for each name of a section's key that is not there, with the nearest that is."""
    return [
        study.wrong(section, f"{key}'{shorten(name)}' is {what}", nearest_of(name, there))
        for name in names
        if name not in there
    ]


def table_columns(design: RunDesign) -> list[str]:
    """Return the columns that the table of a run has, before any is renamed."""
    unit = next(design.units())
    row = design.protocol.rows(unit, [])[0]
    return [*dict.fromkeys([*row, *unit.item])]


def factor_labels(design: RunDesign, column: str) -> list[str]:
    """Return the labels that a factor has, or a column of the items."""
    if column in design.factors:
        return [*design.factors[column]]
    labels = (item.columns.get(column, "") for item in design.asked)
    return [label for label in dict.fromkeys(labels) if label]


def next_words(path: Path | None) -> list[str]:
    """Return the options with which a report reads the table of a study's log; none of another run file."""
    return ["--study", str(path)] if path is not None and is_study(read_toml(path)[1]) else []


def renaming(path: Path | None, designs: Sequence[RunDesign]) -> dict[str, str]:
    """Return what the run file of a log calls the columns of its table, where it is that of a study."""
    if not designs or not next_words(path):
        return {}
    assert path is not None
    return declared_names(declared_study(path), table_columns(designs[-1]))


def named_columns(names: Mapping[str, str]) -> str:
    """Return which columns of a table are called as a study declares them, in words."""
    return "columns as declared: " + quoted([f"{new} ({old})" for old, new in names.items()], 8)
