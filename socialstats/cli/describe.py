"""What a design holds, one line per fact; and the same as the data section of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from socialstats.designs.aliases import Fields, Levels
from socialstats.designs.parts import MISSING, REFUSAL
from socialstats.designs.settings import ROWS, Settings
from socialstats.proposals.deciding import mapped_columns
from socialstats.studies.page import Design
from socialstats.tables import Table, as_number
from socialstats.text import as_given, count, listing, number, percent, shorten

if TYPE_CHECKING:
    from socialstats.designs.comparisons import Comparisons
    from socialstats.designs.groups import Groups
    from socialstats.designs.paired import Paired
    from socialstats.designs.ratings import Ratings

MOST = 12  # labels that a line names
MOST_COLUMNS = 40  # columns that are described
RAREST = 3


def describe(design: Design) -> list[str]:
    """Return what a design holds, one line per fact."""
    from socialstats.studies import STUDIES
    from socialstats.studies.repeats import each_answer

    parts = ", ".join(f"{part} = {shorten(column)}" for part, column in design.columns.items())
    _, *facts = lines_of_kind(design)
    scan = design.scan if design.kind == "comparisons" else None
    stored = [f"{shorten(name)} (stays with the table)" for name in (scan.clusters if scan else ())]
    named = [f"{shorten(c.name)} ({len(c.levels):,})" for c in design.clusters]
    clusters = ", ".join([*stored, *named]) or "none declared"
    lines = [
        first_line(design),
        f"columns     {parts or 'all of a cross table, or one a rater'}",
        *facts,
        f"clusters    {clusters}",
    ]
    repeats = None if design.kind == "comparisons" else design.repeats
    if repeats is not None:
        apart = f", told apart by {listing(list(repeats.columns))}" if repeats.columns else ""
        lines.append(f"repeats     {each_answer(repeats)}{apart}; their mean is the value")
    if design.by is not None:
        lines.append(f"by          {shorten(design.by.name)} ({_names(design.by.levels)})")
    for step in design.flow:
        lines.append(
            f"flow        {step.label}: {count(step.rows)}"
            + (f" ({step.note})" if step.note else "")
        )
    if design.kind == "comparisons":
        lines.append(f"strengths   {_strengths(design)}")
    if weighed := _weights(design):
        return [
            *lines,
            weighed,
            "studies     none: a page counts each unit once; socialstats estimate takes --weight",
        ]
    lines.append(f"studies     {', '.join(s.name for s in STUDIES.values() if s.applies(design))}")
    return lines


def first_line(design: Design) -> str:
    """Return how large a design is, the first line of `describe`."""
    return f"{shorten(design.source)}: {lines_of_kind(design)[0]}"


def lines_of_kind(design: Design) -> list[str]:
    """Return the size of a design, then what only designs of its kind have."""
    if design.kind == "comparisons":
        return _comparisons(design)
    if design.kind == "groups":
        return _groups(design)
    return _paired(design) if design.kind == "paired" else _ratings(design)


def _weights(design: Design) -> str:
    """Return how many equal units those with sampling weights count as; nothing without weights."""
    from socialstats.inference.weights import Weighing

    if design.kind == "comparisons":
        return ""
    weight = design.unit_weight if design.kind == "ratings" else design.weight
    if weight is None:
        return ""
    weighing, what = (
        Weighing.of_units(design.count, weight),
        "pair" if design.kind == "paired" else "unit",
    )
    return f"weights     {count(weighing.units, what)} count as {number(weighing.effective, 1)} equal ones (Kish)"


def columns_read(design: Design, table: Table) -> list[str]:
    """Return what each column that was used holds, a line each: its range or levels, and the three rarest values.

    Of a column that stays with the table its range is found by the engine, which hands over no row.
    """
    value_columns = design.conditions if design.kind == "paired" else getattr(design, "raters", ())
    used = dict.fromkeys([*design.columns.values(), *value_columns])
    scan = design.scan if design.kind == "comparisons" else None
    stays = {column for pair in (scan.covariates if scan else {}).values() for column in pair}
    lines = []
    for name in [column for column in used if column in table.columns][:MOST_COLUMNS]:
        if name in stays:
            low, high = map(as_given, table.ends(name))
            lines.append(f"column      {shorten(name, 40)}: {low} to {high} (stays with the table)")
            continue
        cells = table.counts([name])
        labels = cells.columns[name].labels()
        full = labels.codes >= 0
        rows = np.bincount(labels.codes[full], weights=cells.n[full], minlength=len(labels.levels))
        numbers = [as_number(level) for level in labels.levels]
        values = [x for x in numbers if x is not None]
        what = (
            f"{as_given(min(values))} to {as_given(max(values))}, "
            if values and len(values) == len(numbers)
            else ""
        )
        what += f"{count(len(labels.levels), 'value')}"
        order = np.argsort(rows, kind="stable")[:RAREST].tolist()
        if rows.size and rows.min() < rows.max():
            rare = (f"{shorten(labels.levels[k], 30)} ({count(rows[k], 'row')})" for k in order)
            what += f"; rarest: {', '.join(rare)}"
        empty = int(cells.n[labels.codes < 0].sum())
        lines.append(
            f"column      {shorten(name, 40)}: {what}"
            + (f"; {count(empty, 'empty field')}" if empty else "")
        )
    return lines


def _comparisons(design: Comparisons) -> list[str]:
    ties = f"ties        {count(design.n_ties)} ({percent(design.n_ties / design.n_rows)})"
    return [
        f"{count(design.n_rows, 'comparison')} of {count(len(design.items), 'item')}",
        f"pairs       {count(len(design.pair.levels))} met",
        *([ties] if design.ties_possible else []),
        f"order       {_order(design)}",
        f"covariates  {', '.join(design.covariate_names) or 'none'}",
    ]


def _order(design: Comparisons) -> str:
    """Return what declares who was shown first; where nothing does, whether the columns could show it at all."""
    order = declared_order(design)
    if order in ("item_a", "item_b"):
        return f"{'first' if order == 'item_a' else 'second'} column, {shorten(design.columns[order])} (declared)"
    if order:
        return f"column {shorten(order)}"
    none = "not declared: no order effect is estimated"
    before = design.item_a < design.item_b
    if before.all() or not before.any():
        return f"{none} (labels are sorted in every row, so the columns do not show who was first)"
    low, high = np.minimum(design.item_a, design.item_b), np.maximum(design.item_a, design.item_b)
    directions = np.unique(np.stack([low, high, before]), axis=1).shape[1]
    if directions == len(design.pair.levels):
        return f"{none} (no pair is in both orders: an order effect would rest on the model alone)"
    return none


def declared_order(design: Comparisons) -> str:
    """Return the order as `--order` takes it: item_a, item_b, a column, or nothing where it was not declared."""
    column = design.columns.get("order", "")
    return next(
        (part for part in ("item_a", "item_b") if design.columns.get(part) == column), column
    )


def _groups(design: Groups) -> list[str]:
    sizes = (
        f"{count(n, 'unit')} of {shorten(name)}"
        for n, name in zip(design.n_units, design.groups, strict=True)
    )
    return [listing(list(sizes)), *_contrast(design, design.groups)]


def _contrast(design: Groups | Paired, names: Levels) -> list[str]:
    """Return which difference is taken, and on which scale."""
    levels = f": {_names(design.levels)}" if design.levels else ""
    return [
        f"difference  {' minus '.join(map(shorten, names))}",
        f"scale       {design.scale}{levels}",
    ]


def _paired(design: Paired) -> list[str]:
    names = " and ".join(map(shorten, design.conditions))
    lines = [f"{count(design.n_pairs, 'pair')}, {names}", *_contrast(design, design.conditions)]
    if design.unmatched:
        lines.append(
            f"unmatched   {count(len(design.unmatched))} left out ({_names(design.unmatched)})"
        )
    return lines


def _ratings(design: Ratings) -> list[str]:
    order = "" if design.scale == "nominal" else ", in this order"
    origin = "declared" if design.levels_declared else "those that occur"
    replicates = design.unit_count[design.unit]
    lines = [
        f"{count(design.n_rows, 'rating')} of {count(design.unit_count.sum(), 'unit')} "
        f"by {count(len(design.raters), 'rater')}",
        f"raters      {_names(design.raters)}",
        f"scale       {design.scale}",
        f"levels      {_names(design.levels)} ({origin}{order})",
        f"missing     {count(replicates[design.status == MISSING].sum())}",
        f"refusals    {count(replicates[design.status == REFUSAL].sum())}",
    ]
    for what, factors in (("strata", design.strata), ("rater group", design.rater_groups)):
        lines += [
            f"{what:<12}{shorten(name)} ({_names(factor.levels)})"
            for name, factor in factors.items()
        ]
    return lines


def _names(labels: Levels) -> str:
    return listing([shorten(label, 40) for label in labels], most=MOST)


def _strengths(design: Comparisons) -> str:
    """State whether every strength is finite, and if not why."""
    from socialstats.choices.bradley_terry.fitting import win_graph
    from socialstats.choices.bradley_terry.likelihoods import pair_data

    graph = win_graph(pair_data(design, np.zeros((len(design.item_a), 0)), ()))
    if graph.connected:
        return "finite: every item can be compared with every other"
    lone = [f"{shorten(design.items[i])} never lost" for i in graph.unbeaten[:5]]
    lone += [f"{shorten(design.items[i])} never won" for i in graph.winless[:5]]
    return f"not finite: {'; '.join(lone) or count(len(graph.groups), 'separate group')}"


def data_section(design: Design, settings: Settings) -> Fields:
    """Return the keys of a plan that read the same design again."""
    name = type(design).__name__.lower()
    section: Fields = {
        "design": name,
        "map": mapped_parts(design, settings),
        "cluster": [c.name for c in design.clusters],
        "by": design.by.name if design.by is not None else None,
        **{key: settings.get(key) for key in (*ROWS, "encoding", "na", "count", "crosstab")},
        "missing": settings.get("missing", "drop" if name == "ratings" else "error"),
    }
    if design.kind == "comparisons":
        order = declared_order(design)
        section["map"].pop("order", None)
        return (
            section
            | {"order": order}
            | {key: settings.get(key) for key in ("tie", "refusal", "winner_coding")}
        )
    section |= {"scale": design.scale, "levels": _plan_levels(design)}
    if design.kind == "groups":
        return section | {"groups": list(design.groups)}
    if design.kind == "paired":
        return section | {
            "conditions": list(design.conditions),
            "unmatched": settings.get("unmatched"),
        }
    source = design.columns.get("rater_source")
    return section | {
        "refusal": settings.get("refusal"),
        "strata": list(design.strata),
        "raters": settings.get("raters"),
        "units": settings.get("units"),
        "level_columns": settings.get("level_columns"),
        "reread": settings.get("reread"),
        "rater_groups": [name for name in design.rater_groups if name != source],
    }


def shaped_section(settings: Settings) -> Fields:
    """Return the keys of a plan that read a table by a study's own columns again: what was said, and no more."""
    keys = ("encoding", "by", "cluster", "na", "refusal", *ROWS, "missing", "raters")
    return {"map": mapped_columns(settings)} | {key: settings.get(key) for key in keys}


def _plan_levels(design: Groups | Paired | Ratings) -> list[str] | None:
    """Return the levels to declare: none for numbers that were found in the data."""
    if design.kind == "groups" or design.kind == "paired":
        return None if design.scale == "numeric" else list(design.levels)
    return list(design.levels) if design.levels_declared or not design.numeric else None


def mapped_parts(design: Design, settings: Settings) -> dict[str, str | list[str] | bool]:
    """Return the parts of the mapping that `--map` understands.

    A list where several columns number the repeats, and True where none does. Columns of values are as they were said.
    """
    mapped = mapped_columns(settings)
    if "," in mapped.get("value", "") and mapped["value"] not in design.columns.values():
        return {**mapped}
    counted_parts = ("cluster", "stratum", "rater_group", "repeat")
    skip = {"by"} | {c.name for c in design.clusters}
    parts: dict[str, str | list[str] | bool] = {
        part: column
        for part, column in design.columns.items()
        if part not in skip and not part.startswith(counted_parts)
    }
    repeats = [column for part, column in design.columns.items() if part.startswith("repeat")]
    if repeats:
        parts["repeat"] = repeats if len(repeats) > 1 else repeats[0]
    elif design.kind in ("paired", "ratings") and (design.repeats or averaged_labels(design)):
        parts["repeat"] = True
    return parts


def averaged_labels(design: Paired | Ratings) -> bool:
    """Whether labels of several answers are shares of each level."""
    return design.kind == "ratings" and design.shared is not None
