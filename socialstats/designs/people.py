"""Which labels name people, and which machines: one list of words, for tables, readers, metrics and pages."""

from __future__ import annotations

import re

from socialstats.designs.aliases import Texts
from socialstats.designs.vocabulary import spelled, without_accents

# what people are called beside other sources
HUMANS = spelled(
    "human humans people person persons crowd humain humains humaine humana humanas humano humanos umana umane "
    "umano umani mensch menschen mens mensen personne personnes persone pessoa pessoas personen adults respondents "
    "participants "
    "人类 人間 人间 真人 被试 受访者"
)
# what they are called in a column that is declared to name sources
PERSONS = (
    *HUMANS,
    *spelled(
        "persona personas annotator annotators crowdworker crowdworkers expert experts mturk "
        "participant prolific student students turker turkers volunteer volunteers worker workers"
    ),
)
MACHINES = spelled(
    "ai ia ki algorithm bot bots gpt llm llms machine machines maquina maschine maschinen model models modell "
    "modelle modele modeles modelo modelos modello modelli 模型"
)


def words_of_label(label: str) -> set[str]:
    """Split a label into its words, in lower case and without accents."""
    return {*re.findall(r"[^\W\d_]+", without_accents(label).casefold())}


def is_people(label: str, words: Texts = PERSONS) -> bool:
    """Whether a label says people and no machine.

    Examples
    --------
    >>> is_people("Human raters"), is_people("crowd_1"), is_people("simulated human, LLM"), is_people("gpt-4")
    (True, True, False, False)
    """
    told = words_of_label(label)
    return not told.isdisjoint(words) and told.isdisjoint(MACHINES)


def people_level(levels: Texts, words: Texts = HUMANS) -> str:
    """Return the level that names people beside others; empty where none or several do, or where nothing is beside it.

    Of several the one that is such a word and nothing else is meant.

    Examples
    --------
    >>> people_level(["gpt-4", "human"]), people_level(["human expert", "human novice"]), people_level(["human"])
    ('human', '', '')
    """
    named = [level for level in levels if is_people(level, words)]
    exact = [level for level in named if level.strip().casefold() in words]
    best = exact[:1] or named
    return best[0] if len(best) == 1 and len(levels) > 1 else ""
