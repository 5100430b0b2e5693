"""What a table looks like and nobody declared: columns that may be clusters, rows that may be copies."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from socialstats import text
from socialstats.errors import Caution, InputError, caution
from socialstats.tables import Table

WORDS = (
    "scenario", "story", "topic", "domain", "template", "cluster", "group", "worker", "participant", "subject",
    "annotator", "passage", "document", "dialogue", "conversation", "persona", "site", "school", "household",
)  # fmt: skip
NAME = re.compile(rf"(?:^|_)(?:{'|'.join(WORDS)})s?(?:_?(?:id|nr|no|name|number))?$", re.IGNORECASE)
STORIES = re.compile(
    r"^(?:(?:scenario|story|vignette|dilemma|situation|case|dialogue|conversation|question|sample|trial)s?"
    r"(?:_?(?:id|nr|no|number))?|id|uuid|row_?id|row)$",
    re.IGNORECASE,
)  # what is put to a model once: two rows that agree here and in all else may be one
ITEM = re.compile(r"(?P<stem>[^\W\d]+(?:[_. -][^\W\d]+)*)[_. -]?\d+", re.UNICODE)
RATER_STEMS = frozenset({
    "rater", "r", "judge", "j", "coder", "annotator", "ann", "grader", "expert", "reviewer", "evaluator", "labeler",
    "labeller", "observer", "obs", "doctor", "physician", "reader", "assessor", "examiner", "scorer", "critic", "person",
    "human", "h", "worker", "participant", "model", "m", "llm", "gpt", "run", "epoch", "sample", "seed", "prompt", "x", "y",
    "v", "var", "col", "column", "rating", "score", "value", "label", "time", "t",
})  # fmt: skip
MOST = 5
FEWEST = 5  # values that a cluster needs: with fewer no standard error can be estimated from them


def cluster_suspects(table: Table, used: Collection[str], units: int) -> list[Caution]:
    """Return caution SS311 where a free column has the name of a cluster, at least 5 values, and fewer than units.

    Parameters
    ----------
    table : Table
    used : collection of str
        Columns that play a part already.
    units : int
        Units of the design: a column with a value of its own for each says nothing about dependence.
    """
    found = []
    for column in [c for c in table.columns if c not in used and NAME.search(c)][:MOST]:
        try:
            levels = len(table.counts([column]).columns[column].labels().levels)
        except (InputError, TypeError):  # it holds no labels
            continue
        if FEWEST <= levels < units:
            found.append((column, levels))
    if not found:
        return []
    listed = "; ".join(f"'{text.shorten(column)}' ({levels:,} values)" for column, levels in found)
    fix = f"cluster='{text.shorten(found[0][0])}' (--map cluster={text.shorten(found[0][0])}) if its rows are alike"
    return [caution("SS311", f"{listed}, {units:,} units", affects="standard errors, intervals, p-values", fix=fix)]


def item_suspects(raters: Sequence[str]) -> list[Caution]:
    """Return caution SS326 where columns taken as raters are numbered like items of a questionnaire (A1, A2, ...)."""
    stems = [match["stem"] if (match := ITEM.fullmatch(name.strip())) else "" for name in raters]
    items = [name for name, stem in zip(raters, stems, strict=True) if stem and stem.casefold() not in RATER_STEMS]
    if len(raters) < 2 or len(items) < len(raters):
        return []
    fix = "rate agreement only if each column is a rater; the rows of a questionnaire are its raters (raters_in='rows')"
    return [caution("SS326", text.quoted(items), affects="every number", fix=fix)]


def repeated_rows(table: Table) -> list[Caution]:
    """Return caution SS321 where rows equal another one in every column, a column of stories among them.

    Without such a column equal rows are answers of their own: pairs meet more than once.
    """
    story = next((column for column in table.columns if STORIES.match(column)), None)
    if story is None:
        return []
    try:
        stories = table.counts([story]).n
        if len(stories) == stories.sum():
            return []
        rows = table.counts([story, *table.columns]).n
    except (InputError, TypeError, ValueError):  # a column of lists, say
        return []
    copies = int(rows.sum()) - len(rows)
    if not copies:
        return []
    name = text.shorten(story)
    return [caution(
        "SS321", f"{copies:,} of {int(rows.sum()):,} rows equal another row in every column, '{name}' among them",
        affects="n, standard errors, intervals, p-values",
        fix=f"leave copies out; where each is an answer of its own, number the answers of a '{name}' in a column, and "
        f"declare cluster='{name}' (--cluster {name})",
    )]  # fmt: skip
