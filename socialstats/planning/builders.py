"""Items of the five protocols from lists of parts: crossed, balanced, drawn with a seed, counted.

Draws depend on the seed and on names, never on the place of a row in its list.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.planning.plan import PlanResult
from socialstats.planning.power import clustered_mean_width, power_clustered_mean
from socialstats.tables import label_text, read_table
from socialstats.tables.spelling import spelled_alike
from socialstats.text import count, listing, meant, number, quoted, shorten, unknown
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, str]
COMMON = ("seed", "precision", "write", "columns")  # keys that every design may have
NONE = "none"  # the pressure, or persona, of the base items
FIELD = re.compile(r"\{(\w+)\}")
# prompts for a model that writes the texts of role conflicts, where the design has none
ASKED = {
    "expectation": "Somebody is {role} ({domain}). One of the obligations of this role: {obligation}\n\nWrite in one "
    "sentence what other people expect of {role} because of it. Reply with the sentence and nothing else.",
    "situation": "Somebody is {role}. People expect: {expectation}\n\nDescribe in one or two sentences a situation in "
    "which this is called for, and how urgent it is: {meaning}. Do not name the urgency, show it. Reply with the "
    "description and nothing else.",
    "story": "Write a story of 100 to 200 words in the first person. The teller is both {role_a} and {role_b}; at the "
    "same time both roles call.\n\nAs {role_a}: {expectation_a} {situation_a}\nAs {role_b}: {expectation_b} "
    "{situation_b}\n\nKeep both situations as they are, favour neither role, and end before the teller decides. Reply "
    "with the story and nothing else.",
}
URGENCIES = [
    {"urgency": "1", "meaning": "it is routine and can wait"},
    {"urgency": "2", "meaning": "it is important, but can be put off"},
    {"urgency": "3", "meaning": "it is critical and cannot wait"},
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Precision:
    """What the precision of a design is about: a mean of values in clusters.

    Attributes
    ----------
    what : str
        The number.
    cluster : str
        What the clusters are.
    sd, icc : float
        Assumed standard deviation of the values, and share of the variance between clusters.
    largest : float
        Largest effect that is possible.
    none : str
        What it means that no item tells the number.
    """

    what: str
    cluster: str
    sd: float
    icc: float
    largest: float
    none: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Items of a protocol, as `design_items` makes them.

    Attributes
    ----------
    protocol : str
    rows : tuple of mapping
        The items, without those whose text is still to be written.
    counted : mapping of str to mapping of str to int
        Items by level of each factor, and of the cells of two crossed ones.
    prompts : tuple of mapping
        Texts that a model is asked for: ``item_id``, ``step``, ``prompt``.
    missing : tuple of str
        Identifiers of texts that are not written yet.
    about : Precision
    assumed : mapping of str to float
        Power, alpha, sd and icc that the design states.
    values : mapping of str to int
        Values that each cluster gives to the main mean, of one model and once asked.
    """

    protocol: str
    rows: tuple[Row, ...]
    counted: Mapping[str, Mapping[str, int]]
    about: Precision
    assumed: Mapping[str, float]
    values: Mapping[str, int]
    prompts: tuple[Row, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def frame(self) -> pd.DataFrame:
        """The items as a table, ready for ``socialstats collect``."""
        import pandas as pd

        return pd.DataFrame(list(self.rows), dtype="object")

    def power(self) -> PlanResult:
        """Return the smallest effect that the test of the protocol's main mean finds with these items.

        Raises
        ------
        InputError
            With fewer than two clusters.
        """
        clusters, size = self.size
        how: dict[str, Any] = {"power": 0.8}
        how |= {name: self.assumed[name] for name in ("power", "alpha") if name in self.assumed}
        return power_clustered_mean(clusters=clusters, size=size, sd=self.sd, icc=self.icc, **how)

    @property
    def size(self) -> tuple[int, int]:
        """Clusters, and the values of each (their harmonic mean: unequal clusters count for less)."""
        sizes = [n for n in self.values.values() if n]
        return len(sizes), round(len(sizes) / sum(1 / n for n in sizes)) if sizes else 0

    @property
    def sd(self) -> float:
        """Standard deviation of the values, stated or assumed."""
        return float(self.assumed.get("sd", self.about.sd))

    @property
    def icc(self) -> float:
        """Share of the variance between clusters, stated or assumed."""
        return float(self.assumed.get("icc", self.about.icc))

    def half_width(self) -> float:
        """Return half the width of the 95% interval of the main mean, t with clusters - 1 degrees of freedom."""
        return clustered_mean_width(*self.size, self.sd, self.icc)

    def sentences(self) -> list[str]:
        """State how many items of which kind there are, and what that means for precision."""
        controls = sum(bool(row.get("control")) for row in self.rows)
        lines = [
            count(len(self.rows), "item")
            + (f", {controls} of them control texts" if controls else "")
        ]
        for name, levels in self.counted.items():
            few, many = min(levels.values()), max(levels.values())
            if few == many:
                lines.append(f"{name}: {count(len(levels), 'level')}, {few:,} items each")
                continue
            counts = listing([f"{shorten(label, 24)} {n:,}" for label, n in levels.items()], 8)
            lines.append(f"{name}: {counts}; {few:,} to {many:,} items each (not balanced)")
        clusters, size = self.size
        if not clusters:
            why = f": {self.about.none}" if self.about.none else ""
            return [*lines, f"precision: no item tells {self.about.what}{why}"]
        if clusters < 2:
            return [*lines, f"precision: no interval from fewer than two {self.about.cluster}"]
        subject = f"precision of {self.about.what}, by model"
        sample = f"{clusters:,} {self.about.cluster} x {count(size, 'value')}"
        assumed = f"(assumed: SD {self.sd:g}, intraclass correlation {self.icc:g}; state others in [precision])"
        width, plan = self.half_width(), self.power()
        effect = plan.row("effect").estimate or math.inf
        if max(width, effect) > self.about.largest:
            return [
                *lines,
                f"{subject}: {sample} are too few to find any possible effect {assumed}",
            ]
        power = f"find an effect of {number(effect, 3)} with power {plan.settings['power']:g}"
        interval = f"give a 95% interval of about +-{number(width, 3)}"
        return [*lines, f"{subject}: {sample} {interval} and {power} {assumed}"]


@dataclass(slots=True)
class Spec:
    """A design file as read: its values, and where its tables are."""

    values: Mapping[str, Any]
    source: str = "design"
    folder: Path = field(default_factory=Path)

    def refuse_unknown_keys(self, keys: Sequence[str]) -> None:
        """Refuse keys that the protocol does not have."""
        for name in self.values:
            if name not in (*keys, *COMMON):
                fix = f"{meant(name, keys)}Keys: {', '.join((*keys, *COMMON))}"
                raise InputError(
                    Problem(source=self.source, message=f"unknown key '{shorten(name)}'", fix=fix)
                )

    def error(self, key: str, message: str, fix: str = "") -> InputError:
        """Return an error about a key."""
        value = self.values.get(key)
        subject = option(key, value) if isinstance(value, str | int | float) else key
        return InputError(Problem(source=self.source, message=f"{subject}: {message}", fix=fix))

    @property
    def seed(self) -> int:
        """Seed of every draw."""
        return self.whole_number("seed", 1, least=0)

    @property
    def column_names(self) -> dict[str, str]:
        """Columns that lists call otherwise."""
        columns = self.values.get("columns", {})
        if not isinstance(columns, Mapping) or not all(
            isinstance(name, str) for name in columns.values()
        ):
            raise self.error("columns", 'not a table such as { text = "answer" }')
        return dict(columns)

    def whole_number(self, key: str, usual: int, *, least: int = 1) -> int:
        """Return a whole number."""
        value = self.values.get(key, usual)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.error(key, f"not a whole number of at least {least}")
        return value

    def text(self, key: str, usual: str, choices: Sequence[str] = ()) -> str:
        """Return a text, one of its choices where there are such."""
        value = self.values.get(key, usual)
        if not isinstance(value, str) or (choices and value not in choices):
            raise self.error(key, f"not one of {', '.join(choices)}" if choices else "not a text")
        return value

    def texts(self, key: str, usual: Sequence[str]) -> list[str]:
        """Return a list of texts."""
        value = self.values.get(key, list(usual))
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            raise self.error(key, "not a list of texts")
        return list(value)

    def flag(self, key: str, usual: bool) -> bool:
        """Return a truth value."""
        value = self.values.get(key, usual)
        if not isinstance(value, bool):
            raise self.error(key, "not true or false")
        return value

    def table(
        self, key: str, needed: Sequence[str], *, unique: Sequence[str] = (), usual: Any = None
    ) -> list[Row]:
        """Return the rows of a table: the name of a file, or a list (of tables, or of first cells)."""
        value = self.values.get(key, usual)
        if value is None:
            fix = f'Write {key} = "{key}.csv", a table with the columns {", ".join(needed)}.'
            raise InputError(Problem(source=self.source, message=f"no '{key}'", fix=fix))
        source, unit, lines, rows = self._rows(key, value, needed[0])
        # columns that have another name in the table stand in the rows under both
        renamed = {
            name: name_in_table
            for name, name_in_table in self.column_names.items()
            if name in needed and rows and name_in_table in rows[0]
        }
        rows = [
            {**row, **{name: row[name_in_table] for name, name_in_table in renamed.items()}}
            for row in rows
        ]
        lacking = [name for name in needed if rows and name not in rows[0]]
        if lacking:
            fix = f"Columns: {listing([shorten(name) for name in rows[0]], 12)}"
            raise InputError(
                Problem(source=source, message=f"no column {quoted(lacking)}", fix=fix)
            )
        line_of_key: dict[tuple[str, ...], int] = {}
        for line, row in zip(lines, rows, strict=True):
            at = (line,) if line else ()
            empty = [name for name in needed if not row[name].strip()]
            if empty:
                raise InputError(
                    Problem(source=source, message="empty", column=empty[0], lines=at, unit=unit)
                )
            labels = tuple(row[name] for name in unique)
            if unique and labels in line_of_key:
                where = f" in {unit} {line_of_key[labels]}" if line else ""
                message = f"{quoted(labels)} was already used{where}"
                raise InputError(
                    Problem(source=source, message=message, column=unique[0], lines=at, unit=unit)
                )
            line_of_key[labels] = line
        return rows

    def _rows(self, key: str, value: Any, first: str) -> TableRows:
        """Return the rows of a file or of a list in the design, whose texts are cells of column `first`."""
        if isinstance(value, str):
            table = read_table(self.folder / value)
            columns = [[text or "" for text in table.texts(name)] for name in table.columns]
            rows = [
                dict(zip(table.columns, cells, strict=True)) for cells in zip(*columns, strict=True)
            ]
            lines = list(table.places(range(len(rows))).values())
            return TableRows(table.source, table.unit, lines, rows)
        entries = value if isinstance(value, list) else []
        entries = [{first: entry} if isinstance(entry, str) else entry for entry in entries]
        if not entries or not all(isinstance(entry, Mapping) for entry in entries):
            raise self.error(key, "neither the name of a table nor a list of texts or tables")
        names = dict.fromkeys(name for entry in entries for name in entry)
        rows = [{name: label_text(entry.get(name)) or "" for name in names} for entry in entries]
        return TableRows(f"{self.source}, {key}", "line", [0] * len(rows), rows)


class TableRows(NamedTuple):
    """Rows of a table, its name in messages, what a line of it is called, and the line of each row (0: none)."""

    source: str
    unit: str
    lines: list[int]
    rows: list[Row]


Texts = Mapping[str, str]


class BuiltItems(NamedTuple):
    """Items, prompts of texts that a model writes, and the values of each cluster."""

    rows: list[Row]
    prompts: list[Row]
    values: Mapping[str, int]


def design_items(
    protocol: str,
    spec: Mapping[str, Any],
    *,
    folder: str | Path = ".",
    texts: Texts | None = None,
    source: str = "design",
) -> Items:
    """Make the items of a protocol from lists of parts.

    Parameters
    ----------
    protocol : {"pairwise-roles", "norm-goal", "who-is-right", "ordinal", "staged-values"}
    spec : mapping
        The design (docs/design.md). Tables are names of files, or lists.
    folder : path
        Where the tables are.
    texts : mapping of str to str, optional
        Texts that a model wrote, by identifier.
    source : str
        Name of the design in messages.

    Returns
    -------
    Items

    Raises
    ------
    InputError
        For unknown keys, missing columns, names that repeat, more pairs than there are, cells without a text.

    Examples
    --------
    >>> scenarios = [{"scenario": "s1", "goal": "g", "situation": "s", "norm": "n"}]
    >>> pressures = [{"pressure": "boss", "text": "Do it."}]
    >>> items = design_items("norm-goal", {"scenarios": scenarios, "pressures": pressures})
    >>> [(row["item_id"], row["pressure_text"]) for row in items.rows]
    [('s1-none', ''), ('s1-boss', 'Do it.')]
    """
    if protocol not in BUILDERS:
        raise InputError(unknown("protocol", protocol, BUILDERS))
    build, keys, crossed, about = BUILDERS[protocol]
    design = Spec(spec, source, Path(folder))
    design.refuse_unknown_keys(keys)
    assumed = checked_precision(design)
    rows, prompts, values = build(design, texts or {})
    twice = [name for name, n in Counter(row["item_id"] for row in rows).items() if n > 1]
    if twice:
        raise InputError(
            f"{source}: two items would be called {quoted(twice)}. Give their parts names that differ"
        )
    for name in dict.fromkeys(name for names in crossed for name in names):
        # levels that differ in case or spaces only would be counted as two
        if alike := spelled_alike(dict.fromkeys(row[name] for row in rows if row.get(name))):
            raise InputError(
                f"{source}: {name} is spelled in two ways: {listing(alike, 5)}. Spell it in one way"
            )
    missing = tuple(row["item_id"] for row in prompts if row["item_id"] not in (texts or {}))
    if not rows and not missing:
        raise NothingToAnalyse(f"{source}: these lists make no item")
    counted = dict(counts_by_factor([row for row in rows if not row.get("control")], crossed))
    return Items(
        protocol=protocol,
        rows=tuple(rows),
        counted=counted,
        about=about,
        assumed=assumed,
        values=values,
        prompts=tuple(prompts),
        missing=missing,
    )


def checked_precision(spec: Spec) -> dict[str, float]:
    """Return what the design states for its power."""
    stated = spec.values.get("precision", {})
    names = ("sd", "icc", "power", "alpha")
    if not isinstance(stated, Mapping) or not set(stated) <= set(names):
        raise spec.error("precision", f"not a table with {', '.join(names)}")
    ranges = {"sd": (0, math.inf), "icc": (-1e-9, 1), "power": (0, 1), "alpha": (0, 1)}
    for name, value in stated.items():
        low, high = ranges[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low < value <= high:
            raise spec.error(
                "precision",
                f"{option(name, value)} is not a number between {max(low, 0):g} and {high:g}",
            )
    return {name: float(value) for name, value in stated.items()}


def counts_by_factor(
    rows: Sequence[Row], crossed: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, dict[str, int]]]:
    """Count items by factors and by crossed factors; factors of one level say nothing."""
    for names in crossed:
        if not rows or not all(name in rows[0] for name in names):
            continue
        counts = Counter(" x ".join(row[name] or "-" for name in names) for row in rows)
        if len(counts) > 1:
            yield " x ".join(names), dict(sorted(counts.items()))


def hash_ordered(labels: Iterable[Any], *salt: object) -> list[Any]:
    """Arrange labels in an order that follows from the salt and the labels alone.

    Examples
    --------
    >>> hash_ordered("abc", 1) == hash_ordered("cab", 1)
    True
    """
    return sorted(labels, key=lambda label: hashlib.sha256(repr((*salt, label)).encode()).digest())


def fill_template(template: str, values: Mapping[str, str], spec: Spec, key: str) -> str:
    """Fill the fields of a text; a field without a value is an error."""
    lacking = [name for name in FIELD.findall(template) if name not in values]
    if lacking:
        raise spec.error(
            key, f"{{{lacking[0]}}} is no column", f"There are: {listing([*values], 20)}"
        )
    return FIELD.sub(lambda match: values[match[1]], template)


def slug(*parts: str) -> str:
    """Return an identifier of several names.

    Examples
    --------
    >>> slug("choir leader", "33")
    'choir_leader-33'
    """
    return "-".join("_".join(part.split()) for part in parts)


def make_item(identifier: str, *parts: Mapping[str, str]) -> Row:
    """Return an item of several parts; its identifier stands first and is none of theirs.

    Raises
    ------
    InputError
        For a column of two parts with other values, unless it is the text that was put together.
    """
    row = {"item_id": identifier}
    for part in parts:
        clash = [
            name
            for name in part
            if name not in ("item_id", "text") and row.get(name, part[name]) != part[name]
        ]
        if clash:
            raise InputError(
                f"item '{identifier}': two parts have a column '{clash[0]}'. Rename it in its table"
            )
        row |= part
    return row | {"item_id": identifier}


def norm_items(spec: Spec, texts: Texts) -> BuiltItems:
    """Cross scenarios with pressures and with none; a pressure of a scenario or domain stands before a general one."""
    scenarios = spec.table(
        "scenarios", ["scenario", "goal", "situation", "norm"], unique=["scenario"]
    )
    pressures = spec.table("pressures", ["pressure", "text"])
    names = list(dict.fromkeys(row["pressure"] for row in pressures))
    if NONE in names:
        raise spec.error(
            "pressures", f"'{NONE}' is the base, which every scenario has without a text"
        )
    # scenarios of the development set
    dev = set(split_off(spec, scenarios))
    rows = []
    for scenario in scenarios:
        split = {}
        if "dev" in spec.values:
            split = {"split": "dev" if scenario["scenario"] in dev else "test"}
        for name in (NONE, *names):
            text = ""
            if name != NONE:
                of_name = [p for p in pressures if p["pressure"] == name]
                text = pressure_text(spec, scenario, of_name)
            identifier = slug(scenario["scenario"], name)
            rows.append(
                make_item(identifier, scenario, split, {"pressure": name, "pressure_text": text})
            )
    return BuiltItems(rows, [], {row["scenario"]: 1 for row in scenarios})


def pressure_text(spec: Spec, scenario: Row, rows: Sequence[Row]) -> str:
    """Return the text of one pressure on a scenario."""
    fits = [
        row
        for row in rows
        if all(row.get(name, "") in ("", scenario.get(name, "")) for name in ("scenario", "domain"))
    ]
    # the text of a scenario stands before that of its domain, and that before a general one
    ranked = sorted(fits, key=lambda row: (not row.get("scenario"), not row.get("domain")))
    levels = [(bool(row.get("scenario")), bool(row.get("domain"))) for row in ranked]
    where = f"pressure '{rows[0]['pressure']}' of scenario '{scenario['scenario']}'"
    if not ranked:
        raise spec.error(
            "pressures",
            f"no text for {where}",
            "Add a row, so that every scenario has every pressure.",
        )
    if levels.count(levels[0]) > 1:
        raise spec.error("pressures", f"two texts for {where}", "Keep one of them.")
    return fill_template(ranked[0]["text"], scenario, spec, "pressures")


def split_off(spec: Spec, scenarios: Sequence[Row]) -> Iterator[str]:
    """Draw the scenarios of the development set: a share of every domain."""
    share = spec.values.get("dev", 0.0)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
        raise spec.error("dev", "not a share of at least 0 and below 1")
    for domain, of_domain in rows_by_label(scenarios, "domain").items():
        names = hash_ordered((row["scenario"] for row in of_domain), spec.seed, "dev", domain)
        yield from names[: round(share * len(names))]


def rows_by_label(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Return rows by the label of a column; without it, all under an empty label."""
    by_label: dict[str, list[Row]] = {}
    for row in rows:
        by_label.setdefault(row.get(column, ""), []).append(row)
    return by_label


def couple_items(spec: Spec, texts: Texts) -> BuiltItems:
    """Cross scenarios with pairs of names of all ordered types of groups; a type and its reverse share their pairs."""
    scenarios = spec.table("scenarios", ["scenario", "text"], unique=["scenario"])
    for row in scenarios:
        if not {"NAME1", "NAME2"} <= set(re.findall(r"NAME[12]", row["text"])):
            raise spec.error(
                "scenarios",
                f"scenario '{row['scenario']}' lacks NAME1 or NAME2",
                "Write both into its text.",
            )
    names = rows_by_label(spec.table("names", ["name", "group"], unique=["name"]), "group")
    draws_by_scenario = spec.text("draw", "once", ["once", "scenario"]) == "scenario"
    same_group = spec.flag("same_group", True)
    rows = []
    for scenario in scenarios:
        salt = (spec.seed, scenario["scenario"]) if draws_by_scenario else (spec.seed,)
        for group_a, group_b in itertools.combinations_with_replacement(sorted(names), 2):
            if group_a == group_b and not same_group:
                continue
            names_a, names_b = (
                hash_ordered((row["name"] for row in names[group]), *salt, group)
                for group in (group_a, group_b)
            )
            for a, b in name_pairs(spec, group_a, group_b, names_a, names_b):
                pair = slug(*sorted((a, b)))
                sides = (a, group_a), (b, group_b)
                # both orders of the pair are asked
                for (first, group_first), (second, group_second) in (sides, sides[::-1]):
                    prompts = {
                        "group_first": group_first,
                        "group_second": group_second,
                        "name_first": first,
                        "name_second": second,
                        "pair": pair,
                    }
                    identifier = slug(scenario["scenario"], first, second)
                    rows.append(make_item(identifier, scenario, prompts))
    pairs = Counter(row["scenario"] for row in rows if row["group_first"] < row["group_second"])
    # types of two different groups; each gives as many values in every scenario
    n_types = math.comb(len(names), 2)
    return BuiltItems(rows, [], {name: n // n_types for name, n in pairs.items()})


def name_pairs(
    spec: Spec, first: str, second: str, names: Sequence[str], second_names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of two groups (or of one), every name as often as the others, give or take one.

    Of two groups of a and b names pair i is (i mod a, (i + floor(i/lcm(a, b))) mod b): each of the a b pairs comes
    once. Of one group pairs are steps 1, 2, ... round a circle; both orders of each are asked, so half as many are
    drawn.
    """
    same_group = first == second
    largest = len(names) * (len(names) - 1) if same_group else len(names) * len(second_names)
    n_pairs = spec.whole_number("pairs", min(20, largest))
    if n_pairs > largest or (same_group and n_pairs % 2):
        why = (
            f"{first} and {second} have {largest} pairs of names"
            if n_pairs > largest
            else "odd: same groups need both orders"
        )
        raise spec.error("pairs", why, "Add names, or ask for fewer pairs.")
    if not same_group:
        period = math.lcm(len(names), len(second_names))
        for i in range(n_pairs):
            yield names[i % len(names)], second_names[(i + i // period) % len(second_names)]
        return
    # half way round the circle each pair would come twice: only half of the starts are taken
    circle = (
        (names[i], names[(i + step) % len(names)])
        for step in range(1, len(names) // 2 + 1)
        for i in range(len(names) if 2 * step < len(names) else step)
    )
    yield from itertools.islice(circle, n_pairs // 2)


def rule_items(spec: Spec, texts: Texts) -> BuiltItems:
    """Draw rules of thumb, as many of each area, and cross them with groups of people."""
    rules = spec.table("rules", ["item_id", "text"], unique=["item_id"])
    drawn = rules
    if "per_area" in spec.values:
        per_area, drawn = spec.whole_number("per_area", 1), []
        for area, of_area in rows_by_label(rules, "area").items():
            if len(of_area) < per_area:
                raise spec.error("per_area", f"area '{area}' has {len(of_area)} rules")
            ordered = hash_ordered((row["item_id"] for row in of_area), spec.seed, area)
            drawn += [row for row in of_area if row["item_id"] in ordered[:per_area]]
    values = {row["item_id"]: 1 for row in drawn}
    if "groups" not in spec.values:
        return BuiltItems(drawn, [], values)
    groups = spec.table("groups", ["group"], unique=["group"])
    wording = spec.text("wording", "Think of {group} only. {text}")
    rows = []
    for row in drawn:
        if spec.flag("plain", True):
            rows.append({**row, "rule": row["item_id"], "group": "everybody"})
        for group in groups:
            text = fill_template(wording, {**row, **group}, spec, "wording")
            text_and_rule = {"text": text, "rule": row["item_id"]}
            rows.append(make_item(slug(row["item_id"], group["group"]), row, group, text_and_rule))
    return BuiltItems(rows, [], values)


STAGES = tuple(f"stage_{k}" for k in range(1, 5))


def stage_items(spec: Spec, texts: Texts) -> BuiltItems:
    """Cross scenarios (in all their wordings) with personas; control texts stand beside them, once each."""
    scenarios = [
        {**row, "wording": row.get("wording") or "1"}
        for row in spec.table("scenarios", ["scenario", "baseline", *STAGES])
    ]
    personas: list[Row] = []
    if "personas" in spec.values:
        personas = spec.table("personas", ["persona", "text"], unique=["persona"])
    plain = {"persona": NONE, "text": ""}
    # further columns of the table are kept in the items
    extra = [
        name
        for name in scenarios[0]
        if name not in ("scenario", "wording", "control", "baseline", *STAGES)
    ]
    has_plain = spec.flag("plain", True) or not personas
    rows = []
    for row in scenarios:
        for persona in ([plain] if has_plain else []) + personas:
            label = {"persona": persona["persona"]} if personas else {}
            texts_of_stages = {name: row[name] for name in ("baseline", *STAGES)}
            # the persona is told before the first text of a conversation
            for name in ("baseline", STAGES[0]):
                texts_of_stages[name] = f"{persona['text']} {row[name]}".strip()
            rows.append(
                {
                    "item_id": slug(row["scenario"], row["wording"], *label.values()),
                    "scenario": row["scenario"],
                    "wording": row["wording"],
                    **label,
                    **{name: row[name] for name in extra},
                    "control": "",
                    **texts_of_stages,
                }
            )
    if "controls" in spec.values:
        for control in spec.table("controls", ["control", "text"], unique=["control"]):
            name = control["control"]
            cells = {"item_id": name, "scenario": name, "wording": "1", "control": control["text"]}
            rows.append({**dict.fromkeys(rows[0], ""), **cells})
    return BuiltItems(rows, [], Counter(row["scenario"] for row in scenarios))


def role_items(spec: Spec, texts: Texts) -> BuiltItems:
    """Pair roles, take one expectation of each, and cross the urgencies of both."""
    roles = {row["role"]: row for row in spec.table("roles", ["role", "domain"], unique=["role"])}
    urgencies = spec.table("urgencies", ["urgency"], unique=["urgency"], usual=URGENCIES)
    writing = Writing(spec, texts)
    situations = (
        situations_given(spec)
        if "situations" in spec.values
        else situations_asked(spec, roles, urgencies, writing)
    )
    stories: dict[str, str] = {}
    if "stories" in spec.values:
        stories = {
            row["item_id"]: row["story"]
            for row in spec.table("stories", ["item_id", "story"], unique=["item_id"])
        }
    rows, values = [], {}
    pairs = pair_roles(spec, roles)
    expectations = expectations_of(spec, pairs, situations)
    # how often a role stood first, less how often second: about 0 for every role
    balance: Counter[str] = Counter()
    for pair in pairs:
        a, b = pair if balance[pair[0]] <= balance[pair[1]] else pair[::-1]
        balance[a] += 1
        balance[b] -= 1
        key_a, key_b = expectations[a, b], expectations[b, a]
        pair_name = slug(*sorted((a, b)))
        # items in which one role is more urgent than the other
        values[pair_name] = len(urgencies) * (len(urgencies) - 1)
        scenario = slug(a, key_a, b, key_b)
        for first, second in itertools.product((row["urgency"] for row in urgencies), repeat=2):
            row: Row = {
                "item_id": slug(scenario, f"{first}{second}"),
                "scenario": scenario,
                "pair": pair_name,
            }
            parts: Row = {}
            for side, role, key, urgency in (("a", a, key_a, first), ("b", b, key_b, second)):
                row |= {
                    f"role_{side}": role,
                    f"domain_{side}": roles[role]["domain"],
                    f"urgency_{side}": urgency,
                    f"expectation_no_{side}": key,
                }
                parts |= situation_texts(spec, situations, role, key, urgency, side)
            parts = row | parts
            story = stories.get(row["item_id"]) if stories else story_text(spec, parts, writing)
            if stories and story is None:
                raise spec.error("stories", f"no story of item '{row['item_id']}'")
            if story is not None:
                rows.append({**row, "story": story})
    return BuiltItems(rows, writing.prompts, values)


class Writing:
    """Texts that a model writes: what was asked for, and what is there."""

    def __init__(self, spec: Spec, texts: Texts) -> None:
        self.spec, self.texts = spec, texts
        self.prompts: list[Row] = []
        prompts = spec.values.get("write", {})
        self.prompt_templates: Mapping[str, Any] = prompts if isinstance(prompts, Mapping) else {}

    def text(self, step: str, name: Sequence[str], values: Mapping[str, str]) -> str | None:
        """Return a text if it is written, and note its prompt."""
        if "write" not in self.spec.values:
            fix = "Add [write] with a model and base_url, or give the texts as tables (docs/design.md)."
            raise InputError(
                Problem(
                    source=self.spec.source,
                    message=f"no text of {step} {quoted([slug(*name)])}",
                    fix=fix,
                )
            )
        identifier = slug(step, *name)
        template = str(self.prompt_templates.get(step, ASKED[step]))
        prompt = fill_template(template, values, self.spec, "write")
        self.prompts.append({"item_id": identifier, "step": step, "prompt": prompt})
        return self.texts.get(identifier)


SituationTexts = dict[str, dict[str, dict[str, tuple[str, str]]]]
"""Role, expectation and urgency to the texts of expectation and situation; empty where they are not written yet."""


def situations_given(spec: Spec) -> SituationTexts:
    """Read the situations that somebody wrote."""
    situations: SituationTexts = {}
    numbers: dict[tuple[str, str], str] = {}
    needed = ["role", "expectation", "urgency", "situation"]
    for row in spec.table("situations", needed, unique=["role", "expectation", "urgency"]):
        of_role = situations.setdefault(row["role"], {})
        # the expectations of a role are numbered in the order of the table
        key = numbers.setdefault((row["role"], row["expectation"]), str(len(of_role) + 1))
        of_role.setdefault(key, {})[row["urgency"]] = (row["expectation"], row["situation"])
    return situations


def situations_asked(
    spec: Spec, roles: Mapping[str, Row], urgencies: Sequence[Row], writing: Writing
) -> SituationTexts:
    """Return the situations that a model wrote for the obligations of each role, as far as they are written."""
    obligations = spec.table("obligations", ["obligation"])
    situations: SituationTexts = {}
    for role, role_row in roles.items():
        # an obligation without a role (or domain) is one of all roles (of all domains)
        of_role = [
            row
            for row in obligations
            if row.get("role", "") in ("", role)
            and row.get("domain", "") in ("", role_row["domain"])
        ]
        for k, obligation in enumerate(of_role, 1):
            values = {**obligation, **role_row}
            expectation = obligation.get("expectation") or writing.text(
                "expectation", [role, str(k)], values
            )
            by_urgency = situations.setdefault(role, {}).setdefault(str(k), {})
            if not expectation:
                continue
            for row in urgencies:
                urgency = row["urgency"]
                fields = {
                    **values,
                    "expectation": expectation,
                    "urgency": urgency,
                    "meaning": row.get("meaning", f"urgency {urgency}"),
                }
                written = writing.text("situation", [role, str(k), urgency], fields)
                if written:
                    by_urgency[urgency] = (expectation, written)
    return situations


def situation_texts(
    spec: Spec, situations: SituationTexts, role: str, key: str, urgency: str, side: str
) -> Row:
    """Return expectation and situation of one side; empty where a model has still to write them."""
    texts = situations[role][key].get(urgency)
    if texts is None and "situations" in spec.values:
        raise spec.error(
            "situations",
            f"role '{role}' has no situation of urgency {urgency} for expectation {key}",
            "Write one for every expectation and urgency.",
        )
    return {f"expectation_{side}": texts[0], f"situation_{side}": texts[1]} if texts else {}


def story_text(spec: Spec, parts: Mapping[str, str], writing: Writing) -> str | None:
    """Return the story of an item: by the template of the design, or as a model wrote it; None if not written yet."""
    if not {"situation_a", "situation_b"} <= set(parts):
        return None
    if "story" in spec.values:
        return fill_template(spec.text("story", ""), parts, spec, "story")
    return writing.text("story", [parts["item_id"]], parts)


def expectations_of(
    spec: Spec, pairs: Sequence[tuple[str, str]], situations: SituationTexts
) -> dict[tuple[str, str], str]:
    """Return the expectation that each role brings to each partner: all of its own equally often, give or take one."""
    partners: dict[str, list[str]] = {}
    for a, b in pairs:
        partners.setdefault(a, []).append(b)
        partners.setdefault(b, []).append(a)
    expectations: dict[tuple[str, str], str] = {}
    for role, partners_of_role in partners.items():
        if not situations.get(role):
            key = "situations" if "situations" in spec.values else "obligations"
            raise spec.error(
                key, f"role '{role}' has none", "Add rows of it, or leave the role out."
            )
        keys = hash_ordered(situations[role], spec.seed, role)
        for k, partner in enumerate(hash_ordered(partners_of_role, spec.seed, role)):
            expectations[role, partner] = str(keys[k % len(keys)])
    return expectations


def pair_roles(spec: Spec, roles: Mapping[str, Row]) -> list[tuple[str, str]]:
    """Return the pairs of roles: all that may meet, or so many that every role meets about as many others.

    Raises
    ------
    InputError
        If the pairs leave roles without a way to each other: then no strengths can be compared (Ford 1957).
    """
    columns = next(iter(roles.values()))
    across = spec.texts("across", ["domain"])
    not_across = spec.texts("not_across", [name for name in ("gender",) if name in columns])
    for key, names in (("across", across), ("not_across", not_across)):
        strange = [name for name in names if name not in columns]
        if strange:
            raise spec.error(
                key,
                f"roles have no column {quoted(strange)}",
                f"Columns: {listing([*columns], 12)}",
            )

    def may_meet(a: Row, b: Row) -> bool:
        """Whether all columns of `across` differ, and those of `not_across` are equal or empty."""
        if any(a[name] == b[name] for name in across):
            return False
        return all(not a[name] or not b[name] or a[name] == b[name] for name in not_across)

    possible = [(a, b) for a, b in itertools.combinations(roles, 2) if may_meet(roles[a], roles[b])]
    # all possible pairs, unless the design asks for fewer
    n_pairs = spec.whole_number("pairs", max(1, len(possible)))
    if n_pairs > len(possible):
        raise spec.error(
            "pairs",
            f"{count(len(possible), 'pair')} of roles may meet",
            "Ask for fewer, or loosen across.",
        )
    pairs, groups = choose_pairs(hash_ordered(possible, spec.seed, "pairs"), roles, n_pairs)
    if len(groups) > 1:
        n, smallest = len(roles), min(map(sorted, groups), key=len)
        message = f"{count(n, 'role')} in {len(groups)} groups that never meet (one is {quoted(smallest)})"
        fix = f"{n} roles need at least {n - 1} pairs. Ask for more, or loosen across."
        raise spec.error("pairs", message, fix)
    return pairs


def choose_pairs(
    possible: list[tuple[str, str]], names: Iterable[str], n_chosen: int
) -> tuple[list[tuple[str, str]], list[set[str]]]:
    """Take pairs one after the other: first those that join groups of names, then those of names met least.

    Returns
    -------
    chosen : list of pairs
    groups : list of sets of names
        One where every name has a way to every other.
    """
    n_pairs: Counter[str] = Counter()
    group = {name: {name} for name in names}

    def rank(pair: tuple[str, str]) -> tuple[bool, int, int]:
        n_a, n_b = n_pairs[pair[0]], n_pairs[pair[1]]
        return group[pair[0]] is group[pair[1]], n_a + n_b, max(n_a, n_b)

    remaining = dict.fromkeys(possible)
    chosen: list[tuple[str, str]] = []
    for _ in range(n_chosen):
        a, b = min(remaining, key=rank)
        del remaining[a, b]
        chosen.append((a, b))
        n_pairs.update((a, b))
        if group[a] is not group[b]:
            # the pair joins two groups into one
            union = group[a] | group[b]
            group |= dict.fromkeys(union, union)
    # names of a group share one set
    return chosen, list({id(members): members for members in group.values()}.values())


class Builder(NamedTuple):
    """A protocol: what makes its items, keys of its design, factors that are counted, and its precision."""

    build: Callable[[Spec, Texts], BuiltItems]
    keys: tuple[str, ...]
    crossed: Sequence[tuple[str, ...]]
    about: Precision


BUILDERS: dict[str, Builder] = {
    "pairwise-roles": Builder(
        role_items,
        (
            "roles",
            "obligations",
            "situations",
            "stories",
            "story",
            "urgencies",
            "across",
            "not_across",
            "pairs",
        ),
        [("urgency_a", "urgency_b"), ("domain_a", "domain_b")],
        Precision(
            what="the share of choices for the more urgent role",
            cluster="pairs of roles",
            sd=0.5,
            icc=0.2,
            largest=0.5,
        ),
    ),
    "norm-goal": Builder(
        norm_items,
        ("scenarios", "pressures", "dev"),
        [("pressure",), ("domain", "pressure"), ("split",)],
        Precision(
            what="the change of an action's share under a pressure",
            cluster="scenarios",
            sd=0.7,
            icc=0.0,
            largest=1.0,
        ),
    ),
    "who-is-right": Builder(
        couple_items,
        ("scenarios", "names", "pairs", "draw", "same_group"),
        [("group_first", "group_second"), ("topic",), ("kind",)],
        Precision(
            what="the bias B between two groups",
            cluster="scenarios",
            sd=1.4,
            icc=0.1,
            largest=2.0,
            none="all names are of one group",
        ),
    ),
    "ordinal": Builder(
        rule_items,
        ("rules", "per_area", "groups", "wording", "plain"),
        [("area",), ("group",), ("area", "group")],
        Precision(
            what="a difference of mean distances", cluster="rules", sd=1.0, icc=0.0, largest=4.0
        ),
    ),
    "staged-values": Builder(
        stage_items,
        ("scenarios", "personas", "controls", "plain"),
        [("wording",), ("persona",)],
        Precision(
            what="the change of the composite between stages",
            cluster="scenarios",
            sd=15.0,
            icc=0.3,
            largest=200.0,
        ),
    ),
}
