"""What a table's columns may mean where nobody said it: for `init` only, whose plan a person reads and corrects.

Guesses rest on names of columns and on their values. What was said is never changed. `report` and `check` run on what
was said and guess one thing only: the column that says which raters are people (`guesses.people_and_models`).
"""

from __future__ import annotations

from socialstats.designs.aliases import Fields
from socialstats.designs.settings import Settings
from socialstats.errors import InputError
from socialstats.proposals.deciding import NoDesign, decide, words
from socialstats.proposals.guesses import Remaining, settings_of_rest
from socialstats.proposals.proposing import proposals, reading
from socialstats.proposals.shapes import shaped
from socialstats.tables import Table


def guessed(table: Table, settings: Settings, chosen: str | None = None) -> Fields:
    """Return the settings with guesses for what they leave open; those of a study's own shape as they are.

    Parameters
    ----------
    table : Table
    settings : mapping of str to value
        What was said.
    chosen : str, optional
        Design of the study that was asked for.
    """
    typed = dict(settings)
    if shaped(table, typed) is not None:
        return typed
    design, typed = fitting(table, typed, chosen)
    try:
        remaining = Remaining(table, typed, design) if design is not None else None
    except InputError:
        remaining = None
    if remaining is None or (design == "paired" and "condition" not in remaining.parts):
        return typed
    guess = settings_of_rest(remaining)
    entries = [*words(typed.get("map")), *guess.pop("map", [])]
    guessed_settings = {key: value for key, value in guess.items() if value and not typed.get(key)}
    return typed | guessed_settings | ({"map": entries} if entries else {})


def fitting(table: Table, settings: Fields, chosen: str | None) -> tuple[str | None, Fields]:
    """Return the design that the columns fit by name, or the most likely proposal; None where none does."""
    try:
        return decide(table, settings, chosen), settings
    except NoDesign:
        proposed = proposals(table, settings, lambda typed: reading(table, typed))
    except InputError:
        return None, settings
    return (proposed[0].design, proposed[0].settings) if proposed else (None, settings)
