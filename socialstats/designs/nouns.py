"""What sentences call the raters and the units of a design: models, phases, sources; items, stories, units."""

from __future__ import annotations

import re

from socialstats.designs.aliases import Texts
from socialstats.designs.model_scores import TASK
from socialstats.designs.profile import SPACED, Column
from socialstats.designs.ratings import Ratings
from socialstats.designs.roles import called_model, holds_families
from socialstats.designs.vocabulary import IDENTITIES, NUMBERINGS, spelled, without_accents
from socialstats.text import shorten

MODEL, SOURCE, UNIT = "model", "source", "unit"
MODEL_LABEL = re.compile(
    r"(?:\b|_)model(?:\b|_|\d)", re.IGNORECASE
)  # labels that say so, as "model 3" does
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
LEAST, MOST, MOST_WORDS = 3, 30, 3  # letters and words of a name that reads as a noun
ENDS = ("name", *IDENTITIES, *NUMBERINGS)  # last words that say how the labels are written
QUESTIONS = spelled("is has was did had does are")  # first words of names that are no nouns
TAKEN = spelled(
    "rater source unit score rank mean difference pair row interval cluster number"
)  # what the sentences of a leaderboard call something else
NO_PLURAL = spelled(
    "people men women children data criteria media criterion phenomenon man woman child series species"
)  # words that are a plural already, or whose plural is not regular
UNITS_CALLED = spelled(
    "item question prompt story scenario vignette dilemma problem example document text image statement sentence claim "
    "query comment poem person student participant respondent subject task"
)  # names of columns of units that a page repeats


def noun_of(design: Ratings) -> str:
    """Return what the raters of a design are called, in the singular.

    Models are called so; without a column that names raters, its columns are those of models. Others have the name of
    their column, or are sources where it does not read as a noun.

    Examples
    --------
    >>> import socialstats as ss
    >>> rows = {"unit": [1, 1, 2, 2], "phase": ["calm", "busy"] * 2, "value": [3, 4, 3, 5]}
    >>> noun_of(ss.Ratings.from_frame(rows, rater="phase", scale="interval"))
    'phase'
    """
    name = design.columns.get("rater")
    noun = MODEL if name is None else noun_for(name, design.raters)
    return SOURCE if noun == TASK and TASK in design.strata else noun


def unit_noun(design: Ratings) -> str:
    """Return what the units of a design are called, in the singular: the name of their column where it is plain.

    Examples
    --------
    >>> import socialstats as ss
    >>> rows = {"item_id": [1, 1, 2, 2], "model": ["a", "b"] * 2, "value": [3, 4, 3, 5]}
    >>> unit_noun(ss.Ratings.from_frame(rows, unit="item_id", rater="model", scale="interval"))
    'item'
    """
    words = readable(design.columns.get("unit", UNIT))
    return (
        words[0]
        if len(words) == 1 and words[0] in UNITS_CALLED and words[0] not in design.strata
        else UNIT
    )


def readable(name: str) -> list[str]:
    """Return the words of a column's name in lower case, without a last one that says how labels are written."""
    words = SPACED.sub(" ", re.sub(r"[_.]", " ", name)).lower().split()
    while len(words) > 1 and words[-1] in ENDS:
        words.pop()
    return words


def noun_for(name: str, labels: Texts) -> str:
    """Return what the labels of a column are called: "model", the name of the column made readable, or "source".

    Examples
    --------
    >>> noun_for("engine", ["a", "b"]), noun_for("who", ["gpt-4", "claude", "Ann"]), noun_for("rater", ["model 1"])
    ('model', 'model', 'model')
    >>> noun_for("Phase", ["calm"]), noun_for("personaType", ["kind"]), noun_for("stage_id", ["one"])
    ('phase', 'persona type', 'stage')
    >>> {noun_for(name, ["a", "b"]) for name in ("x", "rater", "rate (n)", "条件", "phases", "is_calm", "people", "q2")}
    {'source'}
    """
    column = Column(name=name, levels=tuple(labels), rows=len(labels), filled=len(labels))
    if called_model(column) or holds_families(column):
        return MODEL
    words = readable(name)
    if is_noun(words):
        return shorten(" ".join(words))
    return (
        MODEL
        if 2 * sum(bool(MODEL_LABEL.search(label)) for label in labels) > len(labels)
        else SOURCE
    )


def is_noun(words: Texts) -> bool:
    """Whether the words of a name read as a noun whose plural is regular, and which a page calls nothing else."""
    noun = " ".join(words)
    if not (LEAST <= len(noun) <= MOST and len(words) <= MOST_WORDS) or words[0] in QUESTIONS:
        return False
    plain = all(WORD.fullmatch(word) and without_accents(word).isascii() for word in words)
    return plain and words[-1] not in (*TAKEN, *NO_PLURAL) and not re.search("(?<![su])s$", noun)
