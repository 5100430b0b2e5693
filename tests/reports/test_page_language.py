"""Every sentence of every page: no banned phrase, at most 25 words, no name of a column as a file spells it."""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import example_pages
import pytest
from study_examples import PAGES

sys.path.insert(0, str(Path(__file__).parents[1]))
from test_language import AS_ONE, END, PHRASES, SLOT, WORD, WORDS

pytestmark = pytest.mark.slow
UNREAD = re.compile(
    r"(?s)<(script|style|svg|pre|head|ul class=\"references\"|nav)\b.*?</(script|style|svg|pre|head|ul|nav)>"
)
PART = re.compile(r"(?s)<(p|li|figcaption|caption|h1|h2|h3|summary|td|dd)\b[^>]*>(.*?)</\1>")
NAMED = re.compile(r"(?<=[.)])\.?\s+(?=[a-z]+\d)")  # a sentence that begins with the name of a model, as m3
CLAUSE = re.compile(rf"{END.pattern}|;\s")
SPELLED = re.compile(
    r"\b(?:marital_status|social_class|gender_in_family|group_first|name_first|rater_source|authority_deference|"
    r"individual_responsibility|collective_responsibility|risk_aversion|moral_certainty|nuanced_pragmatism)\b"
)


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


@pytest.mark.parametrize("name", PAGES)
def test_the_sentences_of_a_page(name: str) -> None:
    faults = []
    for kind, text in parts(example_pages.made(name)[1]):
        faults += [f"{kind}: {found[0]!r} in {text[:120]}" for found in PHRASES.finditer(text)]
        faults += [f"{kind}: {found[0]!r} in {text[:120]}" for found in SPELLED.finditer(text)]
        faults += [
            f"{kind}: {n} words: {one}" for one in sentences(kind, text) if (n := len(WORD.findall(one))) > WORDS
        ]
    assert faults == []


def test_the_rules_find_what_they_should() -> None:
    page = "<p>The data settle it.</p><li>By marital_status</li><td>" + "word " * 26 + "</td><pre>nobody</pre>"
    assert [kind for kind, text in parts(page)] == ["p", "li", "td"]
    assert PHRASES.search("The data settle it.")
    assert SPELLED.search("By marital_status")
