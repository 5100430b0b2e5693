"""The columns of a table as guesses see them; and what may be guessed for ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from socialstats.cli.deciding import ROLES, map_parts, words
from socialstats.designs.profile import Profile
from socialstats.designs.roles import clusters_of
from socialstats.designs.vocabulary import CLUSTER_NAME, couples
from socialstats.errors import InputError
from socialstats.tables import Table, as_number

MODELS = ("model", "system", "llm", "prompt", "persona")  # what a table is likely to be analysed by
SOURCES = ("source", "rater_source", "rater_type", "rater_kind")
KINDS = ("domain", "topic", "group")
PEOPLE = {"human", "humans", "people", "person", "crowd"}
REFUSALS = {"refusal", "refused", "refuse", "declined", "no answer", "cannot answer", "can't say"}
ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("none", "mild", "moderate", "severe"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("very bad", "bad", "ok", "good", "very good"),
    ("very poor", "poor", "fair", "good", "excellent"),
    ("not at all", "slightly", "moderately", "very", "extremely"),
    ("not at all", "a little", "somewhat", "quite", "very much"),
    ("unsatisfactory", "satisfactory", "good", "very good", "excellent"),
    ("false", "mostly false", "half true", "mostly true", "true"),
    *(
        tuple(order.split(", "))
        for order in (
            "trifft gar nicht zu, trifft überhaupt nicht zu, trifft nicht zu, trifft eher nicht zu, teils teils, "
            "teils/teils, weder noch, trifft eher zu, trifft zu, trifft voll zu, trifft voll und ganz zu",
            "stimme gar nicht zu, stimme überhaupt nicht zu, lehne ab, stimme nicht zu, stimme eher nicht zu, "
            "teils teils, teils/teils, weder noch, neutral, stimme eher zu, stimme zu, stimme voll zu, "
            "stimme voll und ganz zu",
            "sehr niedrig, niedrig, mittel, hoch, sehr hoch",
            "gering, mittel, hoch",
            "muy bajo, bajo, medio, alto, muy alto",
            "muy baja, baja, media, alta, muy alta",
            "très faible, faible, moyen, élevé, très élevé",
            "低, 中, 高",
            "sehr schlecht, schlecht, mittel, mittelmäßig, gut, sehr gut",
            "nie, selten, manchmal, oft, immer",
            "sehr unzufrieden, unzufrieden, neutral, zufrieden, sehr zufrieden",
            "totalmente en desacuerdo, muy en desacuerdo, en desacuerdo, neutral, ni de acuerdo ni en desacuerdo, "
            "de acuerdo, muy de acuerdo, totalmente de acuerdo",
            "nunca, rara vez, a veces, a menudo, casi siempre, siempre",
            "muy malo, malo, regular, bueno, muy bueno, excelente",
            "muy insatisfecho, insatisfecho, neutral, satisfecho, muy satisfecho",
            "pas du tout d'accord, plutôt pas d'accord, pas d'accord, neutre, ni d'accord ni pas d'accord, "
            "plutôt d'accord, d'accord, tout à fait d'accord",
            "jamais, rarement, parfois, souvent, toujours",
            "très mauvais, mauvais, moyen, bon, très bon",
            "非常不同意, 不同意, 中立, 一般, 同意, 非常同意",
            "从不, 很少, 有时, 经常, 总是",
            "很差, 差, 一般, 好, 很好",
            "not relevant, slightly relevant, somewhat relevant, relevant, highly relevant",
            "poor, weak, fair, good, strong, excellent",
        )
    ),
    ("daily", "weekly", "monthly", "yearly", "never")[::-1],
)
DEGREES = {
    "slightly": 1, "somewhat": 1, "rather": 1, "a little": 1, "partly": 1, "mildly": 1, "moderately": 2, "mostly": 2,
    "": 3, "very": 4, "strongly": 4, "highly": 4, "definitely": 4, "completely": 5, "totally": 5, "extremely": 5,
    "fully": 5,
}  # how strongly a word is meant  # fmt: skip
MIDDLE = frozenset({
    "neutral", "undecided", "unsure", "neither", "neither agree nor disagree", "no opinion", "mixed", "equal", "ok",
    "about the same", "the same", "indifferent",
})  # fmt: skip
NOT = ("un", "dis", "in", "im", "not ", "il", "ir")
AGAINST = couples(
    "bad good, poor good, negative positive, worse better, wrong right, false true, no yes, low high, weak strong, "
    "never always, rarely often, oppose support, reject accept, easy difficult"
)
MOST_GROUPS, MOST_BY, FEWEST_CLUSTERS = 12, 50, 5


class Columns:
    """Which columns play a part and which are free; `Profile` says what they hold."""

    def __init__(self, table: Table, settings: Mapping[str, Any]) -> None:
        self.table, self.settings = table, settings
        self.parts: dict[str, str] = {}
        self.seen = Profile(table)

    def look(self, design: str, settings: Mapping[str, Any]) -> None:
        """Take the parts of a design as its reader finds them.

        Raises
        ------
        InputError
            If one is missing.
        """
        self.settings = settings
        if design == "comparisons":
            from socialstats.designs.columns import assign
            from socialstats.designs.options import Options, map_options

            self.parts = assign(self.table, Options(**map_options(words(settings.get("map"))))).parts()
        elif design == "groups":
            from socialstats.designs.groups_reading import GroupsOptions, groups_roles

            self.parts = groups_roles(
                self.table, GroupsOptions(**map_parts(words(settings.get("map")), design))
            ).parts()
        else:
            self.parts = ROLES[design](self.table, settings)

    def said(self, part: str) -> str | None:
        """Return the column that the mapping names for a part."""
        entries = dict(entry.partition("=")[::2] for entry in words(self.settings.get("map")))
        return entries.get(part)

    def free(self, names: Sequence[str] = ()) -> list[str]:
        """Return the columns that play no part and were named nowhere, and that hold two labels or more.

        With `names` only columns that are called so, in any case: the labels of the others are not counted.
        """
        rows = [word for key in ("where", "exclude", "exclude_raters") for word in words(self.settings.get(key))]
        keys = ("by", "cluster", "strata", "rater_groups", "raters")
        named = {column for key in keys for column in words(self.settings.get(key))}
        named |= {entry.partition("=")[0] for entry in rows} | set(self.parts.values())
        named |= {entry.partition("=")[2] for entry in words(self.settings.get("map"))}
        wanted = [name for name in self.table.columns if not names or name.casefold() in names]
        return [name for name in wanted if name not in named and len(self.labels(name)) > 1]

    def labels(self, name: str) -> tuple[str, ...]:
        """Return the labels of a column; none where it holds values that are no labels."""
        column = self.seen.column(name)
        return column.levels if column is not None else ()

    def first(self, names: Sequence[str]) -> str | None:
        """Return the first free column of these names, in any case."""
        free = {name.casefold(): name for name in self.free(names)}
        return next((free[name] for name in names if name in free), None)

    def constant(self, name: str, part: str) -> bool:
        """Return whether a column has one value (or always none) for each label of a part."""
        outer, inner = self.seen.column(self.parts.get(part) or ""), self.seen.column(name)
        return outer is not None and inner is not None and self.seen.constant(inner, outer)

    def is_cluster(self, name: str) -> bool:
        """Return whether a column is called like a cluster, and has several rows for each of at least 5 labels.

        Prompts are clusters where they are too many to report one by one.
        """
        column = self.seen.column(name)
        several = column is not None and FEWEST_CLUSTERS <= len(column.levels) < column.rows / 1.5
        prompts = column is not None and name.casefold() == "prompt" and len(column.levels) > MOST_GROUPS
        return several and (prompts or bool(CLUSTER_NAME.search(name)))

    def clusters(self, design: str) -> list[str]:
        """Return the clusters of comparisons (judges and prompts), or the one of pairs."""
        if design == "comparisons" and {"item_a", "item_b"} <= {*self.parts}:
            free = self.free()
            used = [name for name in self.table.columns if name not in free]
            return clusters_of(self.seen, (self.parts["item_a"], self.parts["item_b"]), used)
        named = [name for name in self.free() if self.is_cluster(name)]
        return [name for name in named if design != "paired" or self.constant(name, "unit")][:1]

    def model(self) -> str | None:
        """Return the column that tells models or prompts apart."""
        found = self.first([name for name in MODELS if not any(self.is_cluster(c) for c in self.free([name]))])
        return found if found is not None and len(self.labels(found)) <= MOST_BY else None


def ratings_guess(columns: Columns) -> dict[str, Any]:
    """Guess source, strata, clusters, groups of raters, by, levels and refusals of ratings."""
    source = columns.said("rater_source") or _source(columns)
    free = [name for name in columns.free() if name != source]
    sizes = {name: len(columns.labels(name)) for name in free}
    of_units = [name for name in free if columns.constant(name, "unit")]
    of_raters = [name for name in free if name not in of_units and columns.constant(name, "rater")]
    clusters = [name for name in of_units if columns.is_cluster(name)]
    clusters = [name for name in clusters if sizes[name] > MOST_GROUPS or not any(k in name.casefold() for k in KINDS)]
    clusters = clusters[:1]  # a kind of units is as likely something to report by
    loose = [name for name in free if name not in (*of_units, *of_raters) and sizes[name] <= MOST_BY]
    new = [] if source is None or columns.said("rater_source") else [f"rater_source={source}"]
    guess: dict[str, Any] = {
        "strata": [name for name in of_units if sizes[name] <= MOST_GROUPS and name not in clusters],
        "rater_groups": [name for name in of_raters if sizes[name] <= MOST_GROUPS],
        "cluster": clusters, "by": loose[0] if loose else None, "map": new,
    }  # fmt: skip
    return guess | levels_guess(columns, source)


def _source(columns: Columns) -> str | None:
    """Return the column that tells people's ratings from those of models."""
    found = columns.first(SOURCES)
    return found if found is not None and columns.constant(found, "rater") else None


def people_and_models(table: Table, settings: Mapping[str, Any]) -> str | None:
    """Return the column of ratings that is called like a source and says human of some raters, not of others.

    None where a source was named, the column plays another part, or a rater has two sources.
    """
    columns = Columns(table, settings)
    if columns.said("rater_source"):
        return None
    try:
        columns.look("ratings", settings)
    except InputError:
        return None
    found = _source(columns)
    named = {label.strip().casefold() for label in columns.labels(found)} if found is not None else set()
    return found if named & PEOPLE and len(named) > 1 else None


def levels_guess(columns: Columns, source: str | None) -> dict[str, Any]:
    """Guess refusals, and the order of levels that are texts: letters, words of a known order, or none."""
    value = columns.parts.get("value")
    if value is None or columns.settings.get("levels") or columns.settings.get("scale"):
        return {}
    out = {*words(columns.settings.get("refusal")), *words(columns.settings.get("na"))}
    labels = [label for label in columns.labels(value) if label not in out]
    refusals = [label for label in labels if label.strip().casefold() in REFUSALS]
    refusals = refusals or _letters_of_models(columns, value, source, labels)
    levels = [label for label in labels if label not in refusals]
    if not levels or all(as_number(label) is not None for label in levels):
        return {"refusal": refusals}
    order = ordered(levels)
    return {"refusal": refusals} | ({"levels": order} if order else {"scale": "nominal"})


def ordered(levels: Sequence[str]) -> list[str]:
    """Return levels in an order that everybody knows; an empty list where there is none.

    Examples
    --------
    >>> ordered(["High", "Low"]), ordered(["C", "A", "B"]), ordered(["red", "blue"])
    (['Low', 'High'], ['A', 'B', 'C'], [])
    """
    if len(levels) > 2 and all(len(label) == 1 and label.isascii() and label.isalpha() for label in levels):
        return sorted(levels)
    for order in ORDERS:
        if all(label.strip().casefold() in order for label in levels):
            return sorted(levels, key=lambda label: order.index(label.strip().casefold()))
    placed = {label: _place(label, levels) for label in levels}
    known = [place for place in placed.values() if place is not None]
    graded = any(abs(place) not in (0, DEGREES[""]) for place in known)
    two_sided = graded and len(known) == len(levels) > 2 and len({*known}) == len(known) and min(known) < 0 < max(known)
    return sorted(levels, key=lambda label: placed[label] or 0) if two_sided else []


def _place(label: str, levels: Sequence[str]) -> int | None:
    """Return where a level stands on a scale of two poles, such as (very) acceptable and unacceptable; None if not so.

    Examples
    --------
    >>> levels = ["Very unfair", "Unfair", "Neutral", "Fair"]
    >>> [_place(level, levels) for level in levels]
    [-4, -3, 0, 3]
    """

    def parts(text: str) -> tuple[int, str]:
        degree = max((d for d in DEGREES if text.startswith(f"{d} ")), key=len, default="")
        return DEGREES[degree], text.removeprefix(degree).strip()

    folded = [" ".join(level.casefold().split()) for level in levels]
    text = " ".join(label.casefold().split())
    degree, word = parts(text)
    words = {parts(one)[1] for one in folded}
    if text in MIDDLE or text.startswith("neither "):
        return 0
    if any(f"{no}{word}" in words for no in NOT) or word in dict(AGAINST).values():
        return degree
    negated = any(word.removeprefix(no) in words for no in NOT if word.startswith(no))
    return -degree if negated or word in dict(AGAINST) else None


def _letters_of_models(columns: Columns, value: str, source: str | None, labels: Sequence[str]) -> list[str]:
    """Return the last letters of a scale that people never chose: what models answer who refuse."""
    if source is None or not ordered(labels) or any(len(label) > 1 for label in labels):
        return []
    pairs = columns.table.counts([source, value])
    who, what = (pairs.columns[name].labels() for name in (source, value))
    people = [code for code, name in enumerate(who.levels) if name.strip().casefold() in PEOPLE]
    chosen = {what.levels[code] for code in what.codes[np.isin(who.codes, people)].tolist() if code >= 0}
    return [label for label in labels if chosen and label not in chosen and label > max(chosen)]
