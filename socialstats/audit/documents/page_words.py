"""Words of a page in their places: boxes, rows, and runs of words without a wide gap between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PageBox:
    """A part of a page, in points; `top` and `bottom` grow from the upper edge of the page as it is read."""

    left: float
    right: float
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        """Height of its middle."""
        return (self.top + self.bottom) / 2

    @property
    def height(self) -> float:
        """Distance from its upper to its lower edge."""
        return self.bottom - self.top

    @property
    def width(self) -> float:
        """Distance from its left to its right edge."""
        return self.right - self.left


@dataclass(frozen=True, slots=True, kw_only=True)
class PdfWord(PageBox):
    """A word and its box; `line` is the number of its line in reading order."""

    text: str
    line: int


Words = list[PdfWord]


def joined_text(words: Iterable[PdfWord]) -> str:
    """Return words as text."""
    return " ".join(word.text for word in words)


def box_around(words: Sequence[PageBox]) -> PageBox:
    """Return the least box that holds others."""
    return PageBox(
        left=min(word.left for word in words),
        right=max(word.right for word in words),
        top=min(word.top for word in words),
        bottom=max(word.bottom for word in words),
    )


def rows_of_words(words: Iterable[PdfWord]) -> list[Words]:
    """Return words by their heights, each row from left to right."""
    rows: list[Words] = []
    for word in sorted(words, key=lambda word: word.middle):
        first = rows[-1][0] if rows else None
        if first and word.middle - first.middle < 0.45 * first.height:
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda word: word.left) for row in rows]


def runs_in_row(row: Iterable[PdfWord], gap: float) -> list[Words]:
    """Part a row where its words are farther apart than `gap` times their height."""
    runs: list[Words] = []
    for word in row:
        if runs and word.left - runs[-1][-1].right < gap * word.height:
            runs[-1].append(word)
        else:
            runs.append([word])
    return runs


def words_outside(words: Iterable[PdfWord], inside: Iterable[PdfWord]) -> Words:
    """Return the words that are not among others."""
    gone = set(map(id, inside))
    return [word for word in words if id(word) not in gone]
