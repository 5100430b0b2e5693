"""What the main part says only once: results of the opening, and the marks that figures share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from socialstats_reports.text import ended

END = re.compile(r"(?<=[.!?])\s+")
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
NUMBER = re.compile(r"\u2212?\.?\d+(?:[.,]\d+)*")
SHARED = 6  # words of a sentence that a later caption refers to instead of saying it again


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text.

    Examples
    --------
    >>> split_sentences("The odds rose (p = .01). n = 20 pairs.")
    ['The odds rose (p = .01).', 'n = 20 pairs.']
    """
    return [part for part in END.split(text) if part]


def words_outside_brackets(text: str) -> str:
    """Return a sentence without its statistics, by which its repetition is known.

    Examples
    --------
    >>> words_outside_brackets("A was higher than B (difference = 0.2, 95% CI [0.1, 0.3], p = .01).")
    'A was higher than B'
    """
    outside = text
    # the inner brackets first: an interval stands within those of the statistics
    while outside != (outside := BRACKETS.sub(" ", outside)):
        continue
    return " ".join(outside.split()).replace(" ,", ",").rstrip(" .")


class Statements:
    """Sentences that the opening of a page has said.

    Parameters
    ----------
    texts : iterable of str
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self.numbers: dict[str, list[set[str]]] = {}
        for text in texts:
            for sentence in split_sentences(text):
                numbers = set(NUMBER.findall(sentence))
                self.numbers.setdefault(words_outside_brackets(sentence), []).append(numbers)

    def has(self, sentence: str) -> bool:
        """Whether the opening has a sentence of the same words, and no number that this one lacks."""
        numbers = set(NUMBER.findall(sentence))
        return any(
            stated <= numbers for stated in self.numbers.get(words_outside_brackets(sentence), ())
        )

    def without(self, texts: Sequence[str]) -> tuple[str, ...]:
        """Return texts without the sentences that the opening has."""
        remaining = (
            " ".join(sentence for sentence in split_sentences(text) if not self.has(sentence))
            for text in texts
        )
        return tuple(text for text in remaining if text)


class Captions:
    """Captions of the figures of a page, in reading order: what an earlier one says, a later one refers to."""

    def __init__(self) -> None:
        self.figures: dict[str, str] = {}

    def brief(self, caption: str, figure: str) -> str:
        """Return a caption without the long sentences of earlier ones, and with a reference to the first of them."""
        new, earlier = [], ""
        for sentence in split_sentences(caption):
            if sentence in self.figures:
                earlier = earlier or self.figures[sentence]
                continue
            new.append(sentence)
            if len(sentence.split()) >= SHARED:
                self.figures[sentence] = figure
        if earlier:
            new.append(f"Otherwise as Figure {earlier}.")
        return ended(" ".join(new))
