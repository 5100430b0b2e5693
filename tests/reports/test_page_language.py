"""Every sentence of every page: no banned phrase, at most 25 words, no name of a column as a file spells it."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import example_pages
import pandas as pd
import pytest
from study_examples import FAST, PAGES, choices

from socialstats import datasets
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.model_scores import model_scores
from socialstats.designs.ratings import Ratings
from socialstats.studies import STUDIES, run_study
from socialstats.tables import as_table
from socialstats_reports import render

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_language import AS_ONE, END, PHRASES, SLOT, WORD, WORDS

pytestmark = pytest.mark.slow
UNREAD = re.compile(
    r"(?s)<(script|style|svg|pre|head|ul class=\"references\"|nav)\b.*?</(script|style|svg|pre|head|ul|nav)>"
)
PART = re.compile(r"(?s)<(p|li|figcaption|caption|h1|h2|h3|summary|td|dd)\b[^>]*>(.*?)</\1>")
NAMED = re.compile(
    r"(?<=[.)])\.?\s+(?=[a-z]+\d)|(?<=\))\.\s+"
)  # before the name of a model, as m3 or lynx
CLAUSE = re.compile(rf"{END.pattern}|;\s")
SPELLED = re.compile(
    r"(?<!')\b(?:marital_status|social_class|gender_in_family|group_first|name_first|rater_source|authority_deference|"
    r"individual_responsibility|collective_responsibility|risk_aversion|moral_certainty|nuanced_pragmatism)\b"
)  # a caution quotes a column as the file spells it


def parts(page: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of a page with their elements, without code, figures and the list of works."""
    for found in PART.finditer(UNREAD.sub(" ", page)):
        text = " ".join(html.unescape(re.sub(r"<[^>]+>", "", found[2])).split())
        if text:
            yield found[1], text


def sentences(kind: str, text: str) -> Iterator[str]:
    """Yield sentences; quotations and lists of names are one word, as in the test of the sources.

    In captions, lists and cells semicolons part clauses of the templates, and a work has a title of any length.
    """
    for pattern in AS_ONE:
        text = re.sub(pattern, SLOT, text)
    for one in () if kind == "li" and SLOT in text[-len(SLOT) :] else NAMED.split(text):
        yield from END.split(one) if kind == "p" else CLAUSE.split(one)


def refusing(frame: pd.DataFrame) -> pd.DataFrame:
    """A model that refuses a third of the scenarios, and one that gives few levels."""
    frame = frame[frame["scenario"].isin(list(dict.fromkeys(frame["scenario"]))[::8])].reset_index(
        drop=True
    )
    model = frame["source"].ne("human")
    third = frame["scenario"].str[-1].isin(list("369"))
    other = frame[model].assign(source="lynx", rater=frame["rater"] + " of lynx")
    action = frame["action"].mask(model & third, "refused")
    return pd.concat(
        [frame.assign(action=action), other[other["scenario"].isin(other["scenario"].unique()[:3])]]
    )


def biases(frame: pd.DataFrame) -> pd.DataFrame:
    """Names of two groups alone, in six scenarios."""
    kept = list(dict.fromkeys(frame["scenario"]))[::5][:6]
    pairs = frame["group_first"].isin(["woman", "man"]) & frame["group_second"].isin(
        ["woman", "man"]
    )
    return frame[pairs & frame["scenario"].isin(kept)].reset_index(drop=True)


def without_strengths(_: object) -> Comparisons:
    parts = [choices(3, seed=k, urgency=False).assign(model=f"m{k}") for k in range(3)]
    return Comparisons.from_frame(pd.concat(parts), cluster="story", by="model")


def two_tasks(_: object) -> Ratings:
    sizes = (("law", 5), ("art", 60))
    rows = [
        (m, f"{t}{k}", int(t == "law" or (k + s) % 3 > 0), t)
        for s, m in enumerate(("dog", "bee", "cat"))
        for t, n in sizes
        for k in range(n)
    ]
    return model_scores(pd.DataFrame(rows, columns=["model", "item", "correct", "task"]))


def of_study(study: str, frame: pd.DataFrame, **options: Any) -> Any:
    read = STUDIES[study].read
    assert read is not None
    return read(as_table(frame), **options)


FURTHER: dict[
    str, tuple[str, Callable[[object], Any]]
] = {  # tables of strangers whose sentences were too long
    "refusals of two models": (
        "norm-goal",
        lambda _: Ratings.from_frame(
            refusing(datasets.norm_goal()),
            unit="scenario",
            rater="rater",
            value="action",
            rater_source="source",
            scale="nominal",
            strata="domain",
            by="pressure",
            refusal="refused",
        ),
    ),
    "one pair of groups": (
        "relationship-bias",
        lambda _: of_study("relationship-bias", biases(datasets.relationship_bias())),
    ),
    "levels without strengths": ("compare", without_strengths),
    "a board of two tasks": ("leaderboard", two_tasks),
}


@pytest.mark.parametrize("name", [*PAGES, *FURTHER])
def test_the_sentences_of_a_page(name: str) -> None:
    faults = []
    if name in FURTHER:
        study, make = FURTHER[name]
        page = render(run_study(STUDIES[study], make(None), FAST), **example_pages.RUN)
    else:
        page = example_pages.made(name)[1]
    for kind, text in parts(page):
        faults += [f"{kind}: {found[0]!r} in {text[:120]}" for found in PHRASES.finditer(text)]
        faults += [f"{kind}: {found[0]!r} in {text[:120]}" for found in SPELLED.finditer(text)]
        faults += [
            f"{kind}: {n} words: {one}"
            for one in sentences(kind, text)
            if (n := len(WORD.findall(one))) > WORDS
        ]
    assert faults == []


def test_the_rules_find_what_they_should() -> None:
    page = (
        "<p>The data settle it.</p><li>By marital_status</li><td>"
        + "word " * 26
        + "</td><pre>nobody</pre>"
    )
    assert [kind for kind, text in parts(page)] == ["p", "li", "td"]
    assert PHRASES.search("The data settle it.")
    assert SPELLED.search("By marital_status")
