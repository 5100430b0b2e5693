"""Definitions of a printed number: the documented one, and the others that are tried when it does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from socialstats.audit.claims.formulas import (
    COUNTS,
    DEVIATIONS,
    ERRORS,
    GROUP_DEVIATIONS,
    GROUP_ERRORS,
    GROUP_MEANS,
    MEANS,
    SUMS,
    Formula,
    ends,
    squared,
)
from socialstats.audit.claims.samples import (
    ALL_FILTERS,
    COUNTING,
    FILTER,
    KEPT,
    OK,
    POOLED,
    UNPARSED,
    WITHOUT,
    ZERO,
    Reading,
    RowTable,
    Sample,
    is_known,
    name_and_k,
    repeats_in_words,
)
from socialstats.errors import InputError
from socialstats.harness_logs.log import KEYS, SCORE_TEXT, Claim
from socialstats.text import quoted, shorten

PERCENT = 100.0
MOST_COLUMNS = 12
REDUCERS = ("mean", POOLED, "first", "median", "mode", "max", "min")
FORMULAS: dict[str, Mapping[str, Formula]] = {
    "mean": MEANS,
    "share": MEANS,
    "std_error": ERRORS,
    "std_dev": DEVIATIONS,
    "variance": squared(DEVIATIONS),
    "conf_low": ends("conf_low"),
    "conf_high": ends("conf_high"),
    "median": {
        "median": Formula("median", lambda s, c: float(np.median(s.value))),
        "mean": MEANS["mean"],
    },
    "sum": SUMS,
    "count": COUNTS,
}
NO_SCALE = ("count", "sum")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberDefinition:
    """Rows, repeats, formula and scale: all that a number depends on.

    Attributes
    ----------
    reading : Reading
    quantity, formula : str
        Keys of `FORMULAS`.
    column : str
        That the formula groups by; empty for others.
    scale : float
        1, or 100 for percent.
    """

    reading: Reading
    quantity: str
    formula: str
    column: str = ""
    scale: float = 1.0

    @property
    def entry(self) -> Formula:
        """The formula."""
        return FORMULAS[self.quantity][self.formula]

    def words(self, *, repeated: bool) -> str:
        """State the definition; how repeats are joined only where there are any."""
        parts = [
            self.entry.words.replace("{column}", f"'{shorten(self.column)}'"),
            self.reading.words(),
        ]
        if repeated:
            parts.insert(1, repeats_in_words(self.reading.repeats))
        if self.scale == PERCENT:
            parts.append("in percent")
        return "; ".join(part for part in parts if part)

    @property
    def has_threshold(self) -> bool:
        """Whether repeats pass from another score than 1."""
        return "@" in self.reading.repeats

    def choices(self) -> tuple[tuple[str, str], ...]:
        """Rows, repeats, formula and scale: the name that `DEPARTURES` has for each, and all that it stands for."""
        rows, repeats = self.reading.rows, self.reading.repeats
        scale = "percent" if self.scale == PERCENT else ""
        reducer = "threshold" if self.has_threshold else name_and_k(repeats)[0]
        return (
            (rows.partition(":")[0], rows),
            (reducer, repeats),
            (self.formula, f"{self.formula} {self.column}"),
            (scale, scale),
        )

    def departures(self, other: NumberDefinition) -> int:
        """Count the choices in which two definitions differ."""
        return sum(mine != its for mine, its in zip(self.choices(), other.choices(), strict=True))

    def is_accepted(self, base: NumberDefinition, accepted: frozenset[str]) -> bool:
        """Return whether each choice in which this departs from the documented definition is accepted."""
        pairs = zip(self.choices(), base.choices(), strict=True)
        return all(mine == its or mine[0] in accepted for mine, its in pairs)


def candidate_columns(table: RowTable) -> tuple[str, ...]:
    """Return columns that rows may be grouped by: at least two values, and fewer than rows."""
    columns = []
    for name in table.columns:
        if (name in KEYS and name not in ("task", "epoch", "model")) or name == SCORE_TEXT:
            continue
        codes, labels = table.column(name)
        if 1 < len(labels) < len(codes):
            columns.append(name)
    return tuple(columns[:MOST_COLUMNS])


def usable_columns(table: RowTable, claims: Sequence[Claim], cluster: str) -> tuple[str, ...]:
    """Return the columns that any definition needs: those that claims name, our clusters, and the candidates."""
    named = [
        str(c.settings[key]) for c in claims for key in ("cluster", "macro") if c.settings.get(key)
    ]
    names = dict.fromkeys([*named, cluster, "epoch", *candidate_columns(table)])
    return tuple(name for name in names if name in table.columns)


def formula_choices(quantity: str, columns: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return formulas of a quantity with each column that they may use, simple ones first."""
    plain = [(key, "") for key, f in FORMULAS[quantity].items() if not f.by_column]
    grouped = [
        (key, column) for key, f in FORMULAS[quantity].items() if f.by_column for column in columns
    ]
    return plain + grouped


def is_redundant(definition: NumberDefinition, sample: Sample) -> bool:
    """Return whether a definition must give what a simpler one gives, whatever the scores, and so is redundant."""
    column = sample.columns.get(definition.column)
    if column is not None and not np.ptp(column):
        return True
    if definition.formula in ("full", "positive", "share", "share_t", "share_z"):
        return bool(np.isin(sample.value, (0.0, 1.0)).all())
    if column is not None and len(np.unique(column)) == sample.n:  # each group holds one unit
        return definition.formula not in ("groups",)
    return definition.formula == "unit_spread" and sample.n == sample.ok_rows


def row_choices(claim: Claim, table: RowTable) -> list[str]:
    """Return the ways to choose rows that differ for this claim."""
    choices = [OK, *([UNPARSED] if "unparsed" in table.status else []), ZERO]
    if "filter" in claim.select and "filter" in table.columns:
        labels = [label for label in table.column("filter")[1] if label != claim.select["filter"]]
        choices += [ALL_FILTERS] * bool(labels) + [FILTER + label for label in labels[:4]]
    return choices + [WITHOUT + name for name in claim.select if name not in KEYS]


def repeat_choices(base: NumberDefinition, table: RowTable, repeats: int) -> list[str]:
    """Return the ways to join repeats: one where no unit has any."""
    name, k = name_and_k(base.reading.repeats)
    if name not in COUNTING and repeats < 2:
        return ["mean"]
    if name not in COUNTING:
        return [*REDUCERS, *(f"{count}_{k}" for k in sorted({2, repeats}) for count in COUNTING)]
    levels = np.unique(table.value[~np.isnan(table.value)])
    thresholds = [f"{name}_{k}@{level:g}" for level in levels[:MOST_COLUMNS].tolist() if level != 1]
    sizes = sorted({2, repeats, k})
    return [*REDUCERS, *(f"{count}_{size}" for size in sizes for count in COUNTING), *thresholds]


def others(
    claim: Claim, base: NumberDefinition, table: RowTable, repeats: int, *, most: int
) -> Iterator[NumberDefinition]:
    """Return definitions that differ from the documented one in at most `most` choices, the simplest first.

    Writing a number in percent is not counted as a difference.

    Parameters
    ----------
    claim : Claim
    base : Definition
    table : RowTable
    repeats : int
        Most repeats of one unit.
    most : int
    """
    columns = candidate_columns(table)
    columns += tuple(c for c in (base.column,) if c and c not in columns)
    rows = dict.fromkeys([base.reading.rows, *row_choices(claim, table)])
    repeats_joined = dict.fromkeys([base.reading.repeats, *repeat_choices(base, table, repeats)])
    formulas = dict.fromkeys(
        [(base.formula, base.column), *formula_choices(base.quantity, columns)]
    )
    near = []
    for kind, how, (formula, column) in product(rows, repeats_joined, formulas):
        reading = Reading(rows=kind, repeats=how)
        definition = replace(base, reading=reading, formula=formula, column=column)
        if 0 < definition.departures(base) <= most:
            near.append(definition)
    if base.quantity not in NO_SCALE:
        near += [replace(definition, scale=PERCENT) for definition in (base, *near)]
    yield from sorted(near, key=lambda definition: definition.departures(base))


# what nobody documents: other reducers, other scores, and formulas of another quantity
HINTS = frozenset(
    [
        "first",
        "min",
        "sum",
        "weighted",
        "full",
        "positive",
        "below",
        "unit_spread",
        "deviation",
        "error",
        "combined",
        "without_n",
    ]
)
GROUP_FORMULAS = (*GROUP_MEANS, *GROUP_ERRORS, *GROUP_DEVIATIONS)
DEPARTURES: dict[str, frozenset[str]] = {
    "inspect": frozenset({UNPARSED, "threshold"}),
    "lm-eval": frozenset(),
    "": frozenset(
        {OK, UNPARSED, ZERO, ALL_FILTERS, FILTER[:-1], "percent", "threshold"}
        | {*REDUCERS, *COUNTING, *GROUP_FORMULAS}
        | {formula for formulas in FORMULAS.values() for formula in formulas}
    )
    - HINTS,
}
"""What a printed number may rest on beside the documented definition: what the harness documents and its log does not
record. For numbers from elsewhere (no harness) what textbooks and harnesses define. All else is a hint only."""


REDUCER_SETTINGS = (
    "mean",
    "median",
    "mode",
    "max",
    "min",
    "first",
    "at_least_k",
    "pass_at_k",
    "pass_k",
    "none",
)
METHODS = ("normal", "t", "bootstrap", "wilson", "halves")
T_BY_DEFAULT = ("inspect",)  # its ci() takes t quantiles
TRIALS = "epoch"


def harness_name(name: str) -> str:
    """Return a harness' name in one spelling.

    Examples
    --------
    >>> harness_name("LM_Eval"), harness_name("openai/evals")
    ('lm-eval', 'openai-evals')
    """
    return name.strip().lower().replace("_", "-").replace("/", "-").replace(" ", "-")


def documented(claim: Claim, harness: str = "") -> NumberDefinition:
    """Return the definition that the log's settings describe; what they leave open is the harness' default.

    Parameters
    ----------
    claim : Claim
        Of a quantity other than ``other``.
    harness : str

    Raises
    ------
    InputError
        For a setting with a value that is none of those allowed.

    Examples
    --------
    >>> claim = Claim(name="stderr", quantity="std_error", printed="0.1", settings={"cluster": "story"})
    >>> documented(claim, "inspect").words(repeated=False)
    "clustered by 'story', with C/(C − 1)"
    """
    name, settings = harness_name(harness), claim.settings
    reading = Reading(rows=rows_of(settings), repeats=repeats_of(settings))
    if name == "helm" and claim.quantity in TRIAL_FORMULAS and "reducer" not in settings:
        formula, column = TRIAL_FORMULAS[claim.quantity], TRIALS
        reading = Reading(rows=reading.rows, repeats=POOLED)
    else:
        formula, column = formula_of(claim, name)
    return NumberDefinition(
        reading=reading, quantity=claim.quantity, formula=formula, column=column
    )


TRIAL_FORMULAS = {
    "mean": "macro",
    "share": "macro",
    "std_dev": "between_population",
    "variance": "between_population",
    "sum": "macro",
    "count": "groups",
}
"""HELM's statistics are about the means of training trials, not about instances."""


def rows_of(settings: Mapping[str, Any]) -> str:
    """Return what becomes of rows without a score."""
    how = {"dropped": OK, "zero": ZERO, "kept": KEPT}
    return how[one_of(settings, "errors", tuple(how), "dropped")]


def repeats_of(settings: Mapping[str, Any]) -> str:
    """Return how repeats are joined."""
    reducer = str(settings.get("reducer") or "mean")
    how = POOLED if reducer in ("none", "rows") else reducer
    if name_and_k(how)[0] in COUNTING and settings.get("k"):
        how = f"{name_and_k(how)[0]}_{settings['k']}"
    if how.endswith("_k") and how != "pass_k" and settings.get("k"):
        how = how.removesuffix("k") + str(settings["k"])
    if not is_known(how):
        raise InputError(f"reducer = {quoted([reducer])} is none of {', '.join(REDUCER_SETTINGS)}")
    return how


def one_of(settings: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str) -> str:
    """Return a setting, or raise InputError that lists what is allowed."""
    value = str(settings.get(key) or default)
    if value not in allowed:
        raise InputError(f"{key} = {quoted([value])} is none of {', '.join(allowed)}")
    return value


def formula_of(claim: Claim, harness: str) -> tuple[str, str]:
    """Return the documented formula of a claim, and the column that it groups by (empty without one)."""
    settings, quantity = claim.settings, claim.quantity
    if quantity in ("mean", "share"):
        macro = str(settings.get("macro") or "")
        return ("macro" if macro else "weighted" if settings.get("weights") else "mean"), macro
    if quantity in ("std_dev", "variance"):
        return ("population" if ddof_of(claim) == 0 else "sd"), ""
    if quantity not in ("std_error", "conf_low", "conf_high"):
        return {"median": "median", "sum": "sum", "count": "units"}[quantity], ""
    of_end, column = quantity != "std_error", str(settings.get("cluster") or "")
    method = one_of(
        settings, "method", METHODS, "t" if of_end and harness in T_BY_DEFAULT else "normal"
    )
    if of_end and method == "wilson":
        return "wilson", ""
    if of_end and method == "bootstrap":
        return ("percentile_clustered" if column else "percentile"), column
    drawn = method == "bootstrap" or "strap_std" in claim.name
    if column:
        spread = "clustered"
    elif method == "halves" or (drawn and harness.startswith("openai")):
        spread = "halves"
    elif method == "bootstrap":
        spread = "bootstrap"
    else:
        spread = "plain" if ddof_of(claim) else "population"
    return f"{spread}_{'t' if method == 't' else 'z'}" if of_end else spread, column


def ddof_of(claim: Claim) -> int:
    """Return what is taken off n: 0 or 1."""
    ddof = claim.settings.get("ddof", 1)
    if ddof not in (0, 1):
        raise InputError(f"ddof = {ddof!r} is none of 0, 1")
    return int(str(ddof))
