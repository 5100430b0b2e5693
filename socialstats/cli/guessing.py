"""What a table's columns may mean where nobody said it: for `init` only, whose plan a person reads and corrects.

Guesses rest on names of columns and on their values. What was said is never changed. `report` and `check` run on what
was said and guess one thing only: the column that says which raters are people (`guesses.people_and_models`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from socialstats.cli.deciding import decide, words
from socialstats.cli.guesses import Columns, ratings_guess
from socialstats.cli.shapes import shaped
from socialstats.errors import DesignError, InputError
from socialstats.tables import Table

EXTRA_NAMES = {
    "value": ("action", "verdict", "decision", "stance", "category", "class", "reply", "grade"),
    "unit": ("scenario", "scenario_id", "vignette", "dilemma", "case", "statement", "post", "situation"),
    "condition": ("framing", "frame", "wave", "order"),
    "rater": ("source", "system", "llm", "who"),
}  # beside the names that every command knows
NEEDED = {"ratings": ("unit", "rater", "value"), "paired": ("unit", "condition", "value")}
TIES = {"tie", "tied", "draw", "both", "neither", "equal", ""}


def guessed(table: Table, settings: Mapping[str, Any], chosen: str | None = None) -> dict[str, Any]:
    """Return the settings with guesses for what they leave open; those of a study's own shape as they are.

    Parameters
    ----------
    table : Table
    settings : mapping of str to value
        What was said.
    chosen : str, optional
        Design of the study that was asked for.
    """
    said = dict(settings)
    if shaped(table, said) is not None:
        return said
    columns = Columns(table, said)
    design, said = fitting(table, columns, said, chosen)
    if design is None or (design == "paired" and not columns.part("condition")):
        return said
    guess = GUESSES[design](columns)
    entries = [*words(said.get("map")), *guess.pop("map", [])]
    found = {key: value for key, value in guess.items() if value and not said.get(key)}
    return said | found | ({"map": entries} if entries else {})


def fitting(
    table: Table, columns: Columns, settings: dict[str, Any], chosen: str | None
) -> tuple[str | None, dict[str, Any]]:
    """Return the design that the columns fit, with entries of the mapping that make them fit; None where none does."""
    for entries in ([], *mappings(columns)):
        trial = settings | ({"map": [*words(settings.get("map")), *entries]} if entries else {})
        try:
            design = decide(table, trial, chosen)
            columns.look(design, trial)
        except (DesignError, InputError):
            continue
        return design, trial
    return None, settings


def mappings(columns: Columns) -> list[list[str]]:
    """Return what could be added to the mapping, the best guess first."""
    found = []
    for parts in NEEDED.values():
        given = [part for part in parts if not columns.said(part)]
        entries = {part: columns.first(EXTRA_NAMES[part]) for part in given}
        named = {part: column for part, column in entries.items() if column is not None}
        found += [[f"{part}={column}" for part, column in named.items() if part in kept]
                  for kept in ({"value"}, {"unit"}, {"unit", "value"}, set(named))]  # fmt: skip
    return [*winners(columns), *(entries for entries in found if entries)]


def winners(columns: Columns) -> list[list[str]]:
    """Return two columns of labels and one that names which of the two won (or a tie), where there are such."""
    labels = {name: set(columns.labels(name)) for name in columns.free()}
    for winner in (name for name in labels if name in ("winner", "choice", "chosen", "preferred", "result")):
        others = [name for name in labels if name != winner and len(labels[name] & labels[winner]) > 1]
        for k, one in enumerate(others):
            for other in others[k + 1 :]:
                known = labels[one] | labels[other]
                if all(label in known or label.strip().casefold() in TIES for label in labels[winner]):
                    return [[f"item_a={one}", f"item_b={other}", f"winner={winner}"]]
    return []


def pairs_guess(columns: Columns) -> dict[str, Any]:
    """Guess clusters of pairs, and what they are analysed by."""
    clusters = [name for name in columns.free() if columns.is_cluster(name) and columns.constant(name, "unit")]
    return {"cluster": clusters[:1], "by": columns.model()}


def comparisons_guess(columns: Columns) -> dict[str, Any]:
    """Guess clusters of comparisons, and what they are analysed by."""
    return {"cluster": [name for name in columns.free() if columns.is_cluster(name)][:1], "by": columns.model()}


GUESSES: dict[str, Callable[[Columns], dict[str, Any]]] = {
    "comparisons": comparisons_guess, "paired": pairs_guess, "ratings": ratings_guess,
}  # fmt: skip
