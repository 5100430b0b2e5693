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
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError, NothingToAnalyse, Problem
from socialstats.planning.plan import PlanResult
from socialstats.planning.power import clustered_mean_width, power_clustered_mean
from socialstats.tables import as_text, read_table
from socialstats.tables.spelling import spelled_alike
from socialstats.text import count, listing, meant, number, quoted, shorten, unknown
from socialstats.voice import option

if TYPE_CHECKING:
    import pandas as pd

Row = dict[str, str]
COMMON = ("seed", "precision", "write", "columns")
NONE = "none"
FIELD = re.compile(r"\{(\w+)\}")
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
        stated = {name: value for name, value in self.assumed.items() if name in ("power", "alpha")}
        how: dict[str, Any] = {"power": 0.8, **stated}
        return power_clustered_mean(clusters=clusters, size=size, sd=self.sd, icc=self.icc, **how)

    @property
    def size(self) -> tuple[int, int]:
        """Clusters, and the values of each (their harmonic mean: unequal clusters count for less)."""
        held = [n for n in self.values.values() if n]
        return len(held), round(len(held) / sum(1 / n for n in held)) if held else 0

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
            each = (
                f"{few:,} items each"
                if few == many
                else f"{few:,} to {many:,} items each (not balanced)"
            )
            shown = listing([f"{shorten(label, 24)} {n:,}" for label, n in levels.items()], 8)
            lines.append(
                f"{name}: {count(len(levels), 'level')}, {each}"
                if few == many
                else f"{name}: {shown}; {each}"
            )
        clusters, size = self.size
        if not clusters:
            why = f": {self.about.none}" if self.about.none else ""
            return [*lines, f"precision: no item tells {self.about.what}{why}"]
        if clusters < 2:
            return [*lines, f"precision: no interval from fewer than two {self.about.cluster}"]
        of = f"precision of {self.about.what}, by model"
        held = f"{clusters:,} {self.about.cluster} x {count(size, 'value')}"
        assumed = f"(assumed: SD {self.sd:g}, intraclass correlation {self.icc:g}; state others in [precision])"
        width, plan = self.half_width(), self.power()
        effect = plan.row("effect").estimate or math.inf
        if max(width, effect) > self.about.largest:
            lines.append(f"{of}: {held} are too few to find any possible effect {assumed}")
        else:
            found = f"find an effect of {number(effect, 3)} with power {plan.settings['power']:g}"
            lines.append(
                f"{of}: {held} give a 95% interval of about +-{number(width, 3)} and {found} {assumed}"
            )
        return lines


@dataclass(slots=True)
class Spec:
    """A design file as read: its values, and where its tables are."""

    values: Mapping[str, Any]
    source: str = "design"
    folder: Path = field(default_factory=Path)

    def known(self, keys: Sequence[str]) -> None:
        """Refuse keys that the protocol does not have."""
        for name in self.values:
            if name not in (*keys, *COMMON):
                fix = f"{meant(name, keys)}Keys: {', '.join((*keys, *COMMON))}"
                raise InputError(
                    Problem(source=self.source, message=f"unknown key '{shorten(name)}'", fix=fix)
                )

    def wrong(self, key: str, message: str, fix: str = "") -> InputError:
        """Return an error about a key."""
        value = self.values.get(key)
        said = f"{option(key, value) if isinstance(value, str | int | float) else key}: {message}"
        return InputError(Problem(source=self.source, message=said, fix=fix))

    @property
    def seed(self) -> int:
        """Seed of every draw."""
        return self.whole("seed", 1, least=0)

    @property
    def named(self) -> dict[str, str]:
        """Columns that lists call otherwise."""
        given = self.values.get("columns", {})
        if not isinstance(given, Mapping) or not all(
            isinstance(name, str) for name in given.values()
        ):
            raise self.wrong("columns", 'not a table such as { text = "answer" }')
        return dict(given)

    def whole(self, key: str, usual: int, *, least: int = 1) -> int:
        """Return a whole number."""
        value = self.values.get(key, usual)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.wrong(key, f"not a whole number of at least {least}")
        return value

    def word(self, key: str, usual: str, choices: Sequence[str] = ()) -> str:
        """Return a text, one of its choices where there are such."""
        value = self.values.get(key, usual)
        if not isinstance(value, str) or (choices and value not in choices):
            raise self.wrong(key, f"not one of {', '.join(choices)}" if choices else "not a text")
        return value

    def words(self, key: str, usual: Sequence[str]) -> list[str]:
        """Return a list of texts."""
        value = self.values.get(key, list(usual))
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise self.wrong(key, "not a list of texts")
        return list(value)

    def flag(self, key: str, usual: bool) -> bool:
        """Return a truth value."""
        value = self.values.get(key, usual)
        if not isinstance(value, bool):
            raise self.wrong(key, "not true or false")
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
        named = {
            ours: theirs
            for ours, theirs in self.named.items()
            if ours in needed and rows and theirs in rows[0]
        }
        rows = [{**row, **{ours: row[theirs] for ours, theirs in named.items()}} for row in rows]
        lacking = [name for name in needed if rows and name not in rows[0]]
        if lacking:
            fix = f"Columns: {listing([shorten(name) for name in rows[0]], 12)}"
            raise InputError(
                Problem(source=source, message=f"no column {quoted(lacking)}", fix=fix)
            )
        seen: dict[tuple[str, ...], int] = {}
        for line, row in zip(lines, rows, strict=True):
            at = (line,) if line else ()
            empty = [name for name in needed if not row[name].strip()]
            if empty:
                raise InputError(
                    Problem(source=source, message="empty", column=empty[0], lines=at, unit=unit)
                )
            place = tuple(row[name] for name in unique)
            if unique and place in seen:
                message = f"{quoted(place)} was already used" + (
                    f" in {unit} {seen[place]}" if line else ""
                )
                raise InputError(
                    Problem(source=source, message=message, column=unique[0], lines=at, unit=unit)
                )
            seen[place] = line
        return rows

    def _rows(self, key: str, value: Any, first: str) -> tuple[str, str, list[int], list[Row]]:
        if isinstance(value, str):
            table = read_table(self.folder / value)
            columns = [[text or "" for text in table.texts(name)] for name in table.columns]
            rows = [
                dict(zip(table.columns, cells, strict=True)) for cells in zip(*columns, strict=True)
            ]
            return table.source, table.unit, list(table.places(range(len(rows))).values()), rows
        listed = (
            [{first: one} if isinstance(one, str) else one for one in value]
            if isinstance(value, list)
            else []
        )
        if not listed or not all(isinstance(one, Mapping) for one in listed):
            raise self.wrong(key, "neither the name of a table nor a list of texts or tables")
        names = dict.fromkeys(name for one in listed for name in one)
        return (
            f"{self.source}, {key}",
            "line",
            [0] * len(listed),
            [{name: as_text(one.get(name)) or "" for name in names} for one in listed],
        )


Texts = Mapping[str, str]
Built = tuple[list[Row], list[Row], Mapping[str, int]]
"""Items, prompts of texts that a model writes, and the values of each cluster."""


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
    >>> made = design_items("norm-goal", {"scenarios": scenarios, "pressures": pressures})
    >>> [(row["item_id"], row["pressure_text"]) for row in made.rows]
    [('s1-none', ''), ('s1-boss', 'Do it.')]
    """
    if protocol not in BUILDERS:
        raise InputError(unknown("protocol", protocol, BUILDERS))
    builder, keys, crossed, about = BUILDERS[protocol]
    read = Spec(spec, source, Path(folder))
    read.known(keys)
    assumed = checked_precision(read)
    rows, prompts, values = builder(read, texts or {})
    twice = [name for name, n in Counter(row["item_id"] for row in rows).items() if n > 1]
    if twice:
        raise InputError(
            f"{source}: two items would be called {quoted(twice)}. Give their parts names that differ"
        )
    for name in dict.fromkeys(name for names in crossed for name in names):
        if alike := spelled_alike(dict.fromkeys(row[name] for row in rows if row.get(name))):
            raise InputError(
                f"{source}: {name} is spelled in two ways: {listing(alike, 5)}. Spell it in one way"
            )
    missing = tuple(row["item_id"] for row in prompts if row["item_id"] not in (texts or {}))
    if not rows and not missing:
        raise NothingToAnalyse(f"{source}: these lists make no item")
    counted = dict(counts_of([row for row in rows if not row.get("control")], crossed))
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
    given = spec.values.get("precision", {})
    names = ("sd", "icc", "power", "alpha")
    if not isinstance(given, Mapping) or not set(given) <= set(names):
        raise spec.wrong("precision", f"not a table with {', '.join(names)}")
    ranges = {"sd": (0, math.inf), "icc": (-1e-9, 1), "power": (0, 1), "alpha": (0, 1)}
    for name, value in given.items():
        low, high = ranges[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not low < value <= high:
            raise spec.wrong(
                "precision",
                f"{option(name, value)} is not a number between {max(low, 0):g} and {high:g}",
            )
    return {name: float(value) for name, value in given.items()}


def counts_of(
    rows: Sequence[Row], crossed: Sequence[tuple[str, ...]]
) -> Iterator[tuple[str, dict[str, int]]]:
    """Count items by factors and by crossed factors; factors of one level say nothing."""
    for names in crossed:
        held = [name for name in names if rows and name in rows[0]]
        found = Counter(" x ".join(row[name] or "-" for name in held) for row in rows)
        if len(held) == len(names) and len(found) > 1:
            yield " x ".join(names), dict(sorted(found.items()))


def shuffled(labels: Iterable[Any], *salt: object) -> list[Any]:
    """Arrange labels in an order that follows from the salt and the labels alone.

    Examples
    --------
    >>> shuffled("abc", 1) == shuffled("cab", 1)
    True
    """
    return sorted(labels, key=lambda one: hashlib.sha256(repr((*salt, one)).encode()).digest())


def filled(template: str, values: Mapping[str, str], spec: Spec, key: str) -> str:
    """Fill the fields of a text; a field without a value is an error."""
    lacking = [name for name in FIELD.findall(template) if name not in values]
    if lacking:
        raise spec.wrong(
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


def item(identifier: str, *parts: Mapping[str, str]) -> Row:
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


def norms(spec: Spec, texts: Texts) -> Built:
    """Cross scenarios with pressures and with none; a pressure of a scenario or domain stands before a general one."""
    scenarios = spec.table(
        "scenarios", ["scenario", "goal", "situation", "norm"], unique=["scenario"]
    )
    pressures = spec.table("pressures", ["pressure", "text"])
    names = list(dict.fromkeys(row["pressure"] for row in pressures))
    if NONE in names:
        raise spec.wrong(
            "pressures", f"'{NONE}' is the base, which every scenario has without a text"
        )
    dev = set(split_off(spec, scenarios))
    rows = []
    for scenario in scenarios:
        for name in (NONE, *names):
            text = (
                ""
                if name == NONE
                else pressure_text(spec, scenario, [p for p in pressures if p["pressure"] == name])
            )
            split = (
                {"split": "dev" if scenario["scenario"] in dev else "test"}
                if "dev" in spec.values
                else {}
            )
            identifier = slug(scenario["scenario"], name)
            rows.append(
                item(identifier, scenario, split, {"pressure": name, "pressure_text": text})
            )
    return rows, [], {row["scenario"]: 1 for row in scenarios}


def pressure_text(spec: Spec, scenario: Row, rows: Sequence[Row]) -> str:
    """Return the text of one pressure on a scenario."""
    fits = [
        row
        for row in rows
        if all(row.get(name, "") in ("", scenario.get(name, "")) for name in ("scenario", "domain"))
    ]
    ranked = sorted(fits, key=lambda row: (not row.get("scenario"), not row.get("domain")))
    levels = [(bool(row.get("scenario")), bool(row.get("domain"))) for row in ranked]
    where = f"pressure '{rows[0]['pressure']}' of scenario '{scenario['scenario']}'"
    if not ranked:
        raise spec.wrong(
            "pressures",
            f"no text for {where}",
            "Add a row, so that every scenario has every pressure.",
        )
    if levels.count(levels[0]) > 1:
        raise spec.wrong("pressures", f"two texts for {where}", "Keep one of them.")
    return filled(ranked[0]["text"], scenario, spec, "pressures")


def split_off(spec: Spec, scenarios: Sequence[Row]) -> Iterator[str]:
    """Draw the scenarios of the development set: a share of every domain."""
    share = spec.values.get("dev", 0.0)
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share < 1:
        raise spec.wrong("dev", "not a share of at least 0 and below 1")
    for domain, found in grouped(scenarios, "domain").items():
        names = shuffled((row["scenario"] for row in found), spec.seed, "dev", domain)
        yield from names[: round(share * len(names))]


def grouped(rows: Iterable[Row], column: str) -> dict[str, list[Row]]:
    """Return rows by the label of a column; without it, all under an empty label."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.get(column, ""), []).append(row)
    return found


def couples(spec: Spec, texts: Texts) -> Built:
    """Cross scenarios with pairs of names of all ordered types of groups; a type and its reverse share their pairs."""
    scenarios = spec.table("scenarios", ["scenario", "text"], unique=["scenario"])
    for row in scenarios:
        if not {"NAME1", "NAME2"} <= set(re.findall(r"NAME[12]", row["text"])):
            raise spec.wrong(
                "scenarios",
                f"scenario '{row['scenario']}' lacks NAME1 or NAME2",
                "Write both into its text.",
            )
    names = grouped(spec.table("names", ["name", "group"], unique=["name"]), "group")
    anew, same = (
        spec.word("draw", "once", ["once", "scenario"]) == "scenario",
        spec.flag("same_group", True),
    )
    rows = []
    for scenario in scenarios:
        salt = (spec.seed, scenario["scenario"]) if anew else (spec.seed,)
        for first, second in itertools.combinations_with_replacement(sorted(names), 2):
            if first == second and not same:
                continue
            of = [
                shuffled((row["name"] for row in names[group]), *salt, group)
                for group in (first, second)
            ]
            for a, b in name_pairs(spec, first, second, *of):
                for one, other, of_one, of_other in ((a, b, first, second), (b, a, second, first)):
                    asked = {
                        "group_first": of_one,
                        "group_second": of_other,
                        "name_first": one,
                        "name_second": other,
                        "pair": slug(*sorted((a, b))),
                    }
                    rows.append(item(slug(scenario["scenario"], one, other), scenario, asked))
    pairs = Counter(row["scenario"] for row in rows if row["group_first"] < row["group_second"])
    return rows, [], pairs and {name: n // math.comb(len(names), 2) for name, n in pairs.items()}


def name_pairs(
    spec: Spec, first: str, second: str, names: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Yield pairs of names of two groups (or of one), every name as often as the others, give or take one.

    Of two groups of a and b names pair i is (i mod a, (i + floor(i/lcm(a, b))) mod b): each of the a b pairs comes
    once. Of one group pairs are steps 1, 2, ... round a circle; both orders of each are asked, so half as many are
    drawn.
    """
    one = first == second
    largest = len(names) * (len(names) - 1) if one else len(names) * len(others)
    wanted = spec.whole("pairs", min(20, largest))
    if wanted > largest or (one and wanted % 2):
        why = (
            f"{first} and {second} have {largest} pairs of names"
            if wanted > largest
            else "odd: same groups need both orders"
        )
        raise spec.wrong("pairs", why, "Add names, or ask for fewer pairs.")
    if not one:
        around = math.lcm(len(names), len(others))
        for i in range(wanted):
            yield names[i % len(names)], others[(i + i // around) % len(others)]
        return
    circle = (
        (names[i], names[(i + step) % len(names)])
        for step in range(1, len(names) // 2 + 1)
        for i in range(len(names) if 2 * step < len(names) else step)
    )
    yield from itertools.islice(circle, wanted // 2)


def rules(spec: Spec, texts: Texts) -> Built:
    """Draw rules of thumb, as many of each area, and cross them with groups of people."""
    found = spec.table("rules", ["item_id", "text"], unique=["item_id"])
    drawn = found
    if "per_area" in spec.values:
        wanted, drawn = spec.whole("per_area", 1), []
        for area, held in grouped(found, "area").items():
            if len(held) < wanted:
                raise spec.wrong("per_area", f"area '{area}' has {len(held)} rules")
            chosen = set(shuffled((row["item_id"] for row in held), spec.seed, area)[:wanted])
            drawn += [row for row in held if row["item_id"] in chosen]
    if "groups" not in spec.values:
        return drawn, [], {row["item_id"]: 1 for row in drawn}
    groups = spec.table("groups", ["group"], unique=["group"])
    wording = spec.word("wording", "Think of {group} only. {text}")
    rows = []
    for row in drawn:
        if spec.flag("plain", True):
            rows.append({**row, "rule": row["item_id"], "group": "everybody"})
        for group in groups:
            text = filled(wording, {**row, **group}, spec, "wording")
            more = {"text": text, "rule": row["item_id"]}
            rows.append(item(slug(row["item_id"], group["group"]), row, group, more))
    return rows, [], {row["item_id"]: 1 for row in drawn}


STAGES = tuple(f"stage_{k}" for k in range(1, 5))


def stages(spec: Spec, texts: Texts) -> Built:
    """Cross scenarios (in all their wordings) with personas; control texts stand beside them, once each."""
    given = spec.table("scenarios", ["scenario", "baseline", *STAGES])
    scenarios = [{**row, "wording": row.get("wording") or "1"} for row in given]
    personas: list[Row] = []
    if "personas" in spec.values:
        personas = spec.table("personas", ["persona", "text"], unique=["persona"])
    plain = {"persona": NONE, "text": ""}
    extra = [
        name
        for name in scenarios[0]
        if name not in ("scenario", "wording", "control", "baseline", *STAGES)
    ]
    rows = []
    for row in scenarios:
        for persona in ([plain] if spec.flag("plain", True) or not personas else []) + personas:
            label = [persona["persona"]] if personas else []
            said = {
                name: f"{persona['text']} {row[name]}".strip() for name in ("baseline", STAGES[0])
            }
            rows.append(
                {
                    "item_id": slug(row["scenario"], row["wording"], *label),
                    "scenario": row["scenario"],
                    "wording": row["wording"],
                    **({"persona": persona["persona"]} if personas else {}),
                    **{name: row[name] for name in extra},
                    "control": "",
                    **{name: row[name] for name in ("baseline", *STAGES)},
                    **said,
                }
            )
    if "controls" in spec.values:
        for control in spec.table("controls", ["control", "text"], unique=["control"]):
            own = {"item_id": control["control"], "scenario": control["control"], "wording": "1"}
            rows.append({**dict.fromkeys(rows[0], ""), **own, "control": control["text"]})
    return rows, [], Counter(row["scenario"] for row in scenarios)


def roles(spec: Spec, texts: Texts) -> Built:
    """Pair roles, take one expectation of each, and cross the urgencies of both."""
    held = {row["role"]: row for row in spec.table("roles", ["role", "domain"], unique=["role"])}
    urgencies = spec.table("urgencies", ["urgency"], unique=["urgency"], usual=URGENCIES)
    writing = Writing(spec, texts)
    known = (
        situations_given(spec)
        if "situations" in spec.values
        else situations_asked(spec, held, urgencies, writing)
    )
    stories: dict[str, str] = {}
    if "stories" in spec.values:
        stories = {
            row["item_id"]: row["story"]
            for row in spec.table("stories", ["item_id", "story"], unique=["item_id"])
        }
    rows, values = [], {}
    pairs = paired_roles(spec, held)
    brought = expectations_of(spec, pairs, known)
    turns: Counter[str] = Counter()
    for one, other in pairs:
        a, b = (one, other) if turns[one] <= turns[other] else (other, one)
        turns[a] += 1
        turns[b] -= 1
        taken = brought[a, b], brought[b, a]
        values[slug(*sorted((a, b)))] = len(urgencies) * (len(urgencies) - 1)
        scenario = slug(a, taken[0], b, taken[1])
        for first, second in itertools.product((row["urgency"] for row in urgencies), repeat=2):
            row: Row = {
                "item_id": slug(scenario, f"{first}{second}"),
                "scenario": scenario,
                "pair": slug(*sorted((a, b))),
            }
            for side, role, key, urgency in (("a", a, taken[0], first), ("b", b, taken[1], second)):
                row |= {
                    f"role_{side}": role,
                    f"domain_{side}": held[role]["domain"],
                    f"urgency_{side}": urgency,
                    f"expectation_no_{side}": key,
                }
            parts = {
                **row,
                **situation(spec, known, a, taken[0], first, "a"),
                **situation(spec, known, b, taken[1], second, "b"),
            }
            story = stories.get(row["item_id"]) if stories else told(spec, parts, writing)
            if stories and story is None:
                raise spec.wrong("stories", f"no story of item '{row['item_id']}'")
            if story is not None:
                rows.append({**row, "story": story})
    return rows, writing.prompts, values


class Writing:
    """Texts that a model writes: what was asked for, and what is there."""

    def __init__(self, spec: Spec, texts: Texts) -> None:
        self.spec, self.texts = spec, texts
        self.prompts: list[Row] = []
        own = spec.values.get("write", {})
        self.own: Mapping[str, Any] = own if isinstance(own, Mapping) else {}

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
        prompt = filled(str(self.own.get(step, ASKED[step])), values, self.spec, "write")
        self.prompts.append({"item_id": identifier, "step": step, "prompt": prompt})
        return self.texts.get(identifier)


Known = dict[str, dict[str, dict[str, tuple[str, str]]]]
"""Role, expectation and urgency to the texts of expectation and situation; empty where they are not written yet."""


def situations_given(spec: Spec) -> Known:
    """Read the situations that somebody wrote."""
    known: Known = {}
    numbers: dict[tuple[str, str], str] = {}
    needed = ["role", "expectation", "urgency", "situation"]
    for row in spec.table("situations", needed, unique=["role", "expectation", "urgency"]):
        of_role = known.setdefault(row["role"], {})
        key = numbers.setdefault((row["role"], row["expectation"]), str(len(of_role) + 1))
        of_role.setdefault(key, {})[row["urgency"]] = (row["expectation"], row["situation"])
    return known


def situations_asked(
    spec: Spec, held: Mapping[str, Row], urgencies: Sequence[Row], writing: Writing
) -> Known:
    """Return the situations that a model wrote for the obligations of each role, as far as they are written."""
    obligations = spec.table("obligations", ["obligation"])
    known: Known = {}
    for role, row in held.items():
        own = [
            one
            for one in obligations
            if one.get("role", "") in ("", role) and one.get("domain", "") in ("", row["domain"])
        ]
        for k, one in enumerate(own, 1):
            values = {**one, **row}
            text = (
                one.get("expectation") or writing.text("expectation", [role, str(k)], values) or ""
            )
            of_key = known.setdefault(role, {}).setdefault(str(k), {})
            for urgency in urgencies if text else ():
                meaning = urgency.get("meaning", f"urgency {urgency['urgency']}")
                said = {
                    **values,
                    "expectation": text,
                    "urgency": urgency["urgency"],
                    "meaning": meaning,
                }
                written = writing.text("situation", [role, str(k), urgency["urgency"]], said)
                if text and written:
                    of_key[urgency["urgency"]] = (text, written)
    return known


def situation(spec: Spec, known: Known, role: str, key: str, urgency: str, side: str) -> Row:
    """Return expectation and situation of one side; empty where a model has still to write them."""
    texts = known[role][key].get(urgency)
    if texts is None and "situations" in spec.values:
        raise spec.wrong(
            "situations",
            f"role '{role}' has no situation of urgency {urgency} for expectation {key}",
            "Write one for every expectation and urgency.",
        )
    return {f"expectation_{side}": texts[0], f"situation_{side}": texts[1]} if texts else {}


def told(spec: Spec, parts: Mapping[str, str], writing: Writing) -> str | None:
    """Return the story of an item: by the template of the design, or as a model wrote it; None if not written yet."""
    if not {"situation_a", "situation_b"} <= set(parts):
        return None
    if "story" in spec.values:
        return filled(spec.word("story", ""), parts, spec, "story")
    return writing.text("story", [parts["item_id"]], parts)


def expectations_of(
    spec: Spec, pairs: Sequence[tuple[str, str]], known: Known
) -> dict[tuple[str, str], str]:
    """Return the expectation that each role brings to each partner: all of its own equally often, give or take one."""
    partners: dict[str, list[str]] = {}
    for a, b in pairs:
        partners.setdefault(a, []).append(b)
        partners.setdefault(b, []).append(a)
    brought: dict[tuple[str, str], str] = {}
    for role, met in partners.items():
        if not known.get(role):
            key = "situations" if "situations" in spec.values else "obligations"
            raise spec.wrong(
                key, f"role '{role}' has none", "Add rows of it, or leave the role out."
            )
        own = shuffled(known[role], spec.seed, role)
        brought |= {
            (role, one): str(own[k % len(own)])
            for k, one in enumerate(shuffled(met, spec.seed, role))
        }
    return brought


def paired_roles(spec: Spec, held: Mapping[str, Row]) -> list[tuple[str, str]]:
    """Return the pairs of roles: all that may meet, or so many that every role meets about as many others.

    Raises
    ------
    InputError
        If the pairs leave roles without a way to each other: then no strengths can be compared (Ford 1957).
    """
    columns = next(iter(held.values()))
    across = spec.words("across", ["domain"])
    apart = spec.words("not_across", [name for name in ("gender",) if name in columns])
    for key, names in (("across", across), ("not_across", apart)):
        strange = [name for name in names if name not in columns]
        if strange:
            raise spec.wrong(
                key,
                f"roles have no column {quoted(strange)}",
                f"Columns: {listing([*columns], 12)}",
            )
    able = [
        (a, b)
        for a, b in itertools.combinations(held, 2)
        if all(held[a][name] != held[b][name] for name in across)
        and all(
            not held[a][name] or not held[b][name] or held[a][name] == held[b][name]
            for name in apart
        )
    ]
    wanted = spec.whole("pairs", max(1, len(able)))
    if wanted > len(able):
        raise spec.wrong(
            "pairs",
            f"{count(len(able), 'pair')} of roles may meet",
            "Ask for fewer, or loosen across.",
        )
    chosen, groups = spread(shuffled(able, spec.seed, "pairs"), held, wanted)
    if len(groups) > 1:
        smallest = min(map(sorted, groups), key=len)
        said = f"{count(len(held), 'role')} in {len(groups)} groups that never meet (one is {quoted(smallest)})"
        fix = f"{len(held)} roles need at least {len(held) - 1} pairs. Ask for more, or loosen across."
        raise spec.wrong("pairs", said, fix)
    return chosen


def spread(
    able: list[tuple[str, str]], names: Iterable[str], wanted: int
) -> tuple[list[tuple[str, str]], list[set[str]]]:
    """Take pairs one after the other: first those that join groups of names, then those of names met least.

    Returns
    -------
    chosen : list of pairs
    groups : list of sets of names
        One where every name has a way to every other.
    """
    met: Counter[str] = Counter()
    group = {name: {name} for name in names}
    rest = dict.fromkeys(able)
    chosen: list[tuple[str, str]] = []
    for _ in range(wanted):
        a, b = min(
            rest,
            key=lambda p: (
                group[p[0]] is group[p[1]],
                met[p[0]] + met[p[1]],
                max(met[p[0]], met[p[1]]),
            ),
        )
        del rest[a, b]
        chosen.append((a, b))
        met.update((a, b))
        joined = group[a] | group[b]
        group |= dict.fromkeys(joined, joined) if group[a] is not group[b] else {}
    return chosen, list({id(found): found for found in group.values()}.values())


Builder = tuple[
    Callable[[Spec, Texts], Built], tuple[str, ...], Sequence[tuple[str, ...]], Precision
]
BUILDERS: dict[str, Builder] = {
    "pairwise-roles": (
        roles,
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
    "norm-goal": (
        norms,
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
    "who-is-right": (
        couples,
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
    "ordinal": (
        rules,
        ("rules", "per_area", "groups", "wording", "plain"),
        [("area",), ("group",), ("area", "group")],
        Precision(
            what="a difference of mean distances", cluster="rules", sd=1.0, icc=0.0, largest=4.0
        ),
    ),
    "staged-values": (
        stages,
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
"""Protocol to its builder, the keys of its design, the factors that are counted, and what its precision is about."""
