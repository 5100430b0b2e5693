"""What sentences call the raters and the units of a design: models, phases, sources; items, stories, units."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from socialstats.designs.aliases import Texts
from socialstats.designs.column_profile import SPACED, ColumnProfile
from socialstats.designs.roles import called_model, holds_families
from socialstats.designs.vocabulary import IDENTITIES, NUMBERINGS, TASK, spelled
from socialstats.text import as_words, count, shorten

if TYPE_CHECKING:
    from socialstats.designs.ratings import Ratings

MODEL = "model"
SOURCE = "source"
UNIT = "unit"
# labels that say so, as "model 3" does
MODEL_LABEL = re.compile(r"(?:\b|_)model(?:\b|_|\d)", re.IGNORECASE)
WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
# letters and words of a name that reads as a noun
LEAST = 3
MOST = 30
MOST_WORDS = 3
# last words that say how the labels are written
ENDS = ("name", *IDENTITIES, *NUMBERINGS)
# first words of names that are no nouns
QUESTIONS = spelled("is has was did had does are")
# what the sentences of a leaderboard call something else
RESERVED = spelled("rater source unit score rank mean difference pair row interval cluster number")
# words that are a plural already, or whose plural is not regular
NO_PLURAL = spelled(
    "people men women children data criteria media criterion phenomenon man woman child series species"
)
# names of columns of units that a page repeats
UNITS_CALLED = spelled(
    "item question prompt story scenario vignette dilemma problem example document text image statement sentence claim "
    "query comment poem person student participant respondent subject task"
)
# nouns that columns are called, whose plural is known: that of a word of another language is not
# made with an s
ENGLISH = (
    *UNITS_CALLED,
    *spelled(
        "model system engine agent assistant bot chatbot provider vendor version variant "
        "checkpoint family size rater judge annotator coder grader labeler labeller evaluator "
        "reviewer expert worker teacher pupil patient user customer client voter juror player "
        "team speaker author writer editor critic referee psychologist doctor condition phase "
        "stage arm treatment group wave visit session period round block trial run epoch seed "
        "occasion day week month year season country language dialect city region site location "
        "school class classroom household ward hospital clinic company brand product cluster "
        "pair couple template topic domain category theme dataset benchmark subset field area "
        "type kind style strategy tactic technique method policy tone frame framing wording "
        "persona role profession occupation character instruction message conversation dialogue "
        "turn thread chapter passage paragraph article post review book page section video clip "
        "song case caption summary essay answer reply response request utterance word letter "
        "name label tool temperature level factor setting trait dimension value culture nation "
        "party religion gender race age generation game match opponent tournament league survey "
        "experiment study paper lab pressure sample firm village reader job status side sex "
        "probe step batch plate scene forum code position llm ranking brief dyad element office "
        "store shop market sector industry district province plant animal test lesson course "
        "visitor candidate employer recruiter parent friend neighbour neighbor form draft "
        "edition episode log record signal sensor device platform channel source unit state "
        "file call"
    ),
)


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
    words = name_words(design.columns.get("unit", UNIT))
    return (
        words[0]
        if len(words) == 1 and words[0] in UNITS_CALLED and words[0] not in design.strata
        else UNIT
    )


def name_words(name: str) -> list[str]:
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
    >>> {noun_for(name, ["a", "b"]) for name in ("x", "rater", "rate (n)", "条件", "Bedingung", "is_calm", "people")}
    {'source'}
    """
    column = ColumnProfile(name=name, levels=tuple(labels), rows=len(labels), filled=len(labels))
    if called_model(column) or holds_families(column):
        return MODEL
    words = name_words(name)
    if is_noun(words):
        return shorten(" ".join(words))
    return (
        MODEL
        if 2 * sum(bool(MODEL_LABEL.search(label)) for label in labels) > len(labels)
        else SOURCE
    )


def noun_or(name: str, default: str) -> str:
    """Return the name of a column where it is a noun whose plural is known, else another noun.

    Examples
    --------
    >>> noun_or("judge_model", "group"), noun_or("Bedingung", "group")
    ('judge model', 'group')
    """
    words = name_words(name)
    return shorten(" ".join(words), 40) if words[-1:] and words[-1] in ENGLISH else default


def count_of(n: float, name: str) -> str:
    """Return how many labels a column has, by its name.

    Examples
    --------
    >>> count_of(40, "question_id"), count_of(1, "judge"), count_of(40, "Frage")
    ('40 questions', '1 judge', '40 of Frage')
    """
    noun = noun_or(name, "")
    return count(n, noun) if noun else f"{count(n)} of {as_words(name)}"


def is_noun(words: Texts) -> bool:
    """Whether the words of a name read as an English noun, and one that a page calls nothing else."""
    noun = " ".join(words)
    if not (LEAST <= len(noun) <= MOST and len(words) <= MOST_WORDS) or words[0] in QUESTIONS:
        return False
    plain = all(map(WORD.fullmatch, words)) and words[-1] in ENGLISH
    return plain and words[-1] not in (*RESERVED, *NO_PLURAL) and not re.search("(?<![su])s$", noun)
