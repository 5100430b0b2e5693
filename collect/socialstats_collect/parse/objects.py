"""JSON answers as models write them: fenced, cut off, with comments around them, or with quotes that do not match."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

VALUE = r"[ :]{0,3}\\?[\"']?\s{0,9}[:=]\s{0,9}"
WORD = (
    r"\\?(?:\"((?:[^\"\\\n]|\\.)*)\"|'((?:[^'\\\n]|\\.)*)'"  # quoted
    r"|\[\s*[\"']?([^\"'\]\n,]*)[\"']?\s*\]"  # a list of one
    r"|([^\s,;}\]\"'][^,;}\]\n\"']*))"  # bare
)


START = r"(?<![\w\]])(?:(?<![\w,.;:] )|(?<=final )|(?<=my )|(?<=correct )|(?<=the )|(?<=[,;] ))"
MORE = re.compile(r"\s*(?:or|and|/|\||&)\s*[^,;}\]\n]{1,100}", re.IGNORECASE)
MOST = 1000  # braces looked at in one reply: a bound on hostile ones


@dataclass(frozen=True, slots=True)
class Found:
    """A value under a wanted key, and its place in the text. ``whole`` says that it came from complete JSON."""

    value: object
    start: int
    end: int
    whole: bool


class Pairs(dict[str, object]):
    """An object that remembers every pair, also where a key is given twice."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        self.all = pairs


def values_of(text: str, key: str) -> list[Found]:
    """Return every value that a text gives a key, at any depth; letter case of the key does not matter.

    Complete JSON objects are read first; only where there are none is the text searched for ``"key": value``.

    Examples
    --------
    >>> [found.value for found in values_of('Sure! {"answer": "B", "Reason": "x"}', "Answer")]
    ['B']
    >>> [found.value for found in values_of('{"Answer": "A", "Reason": "It is im', "Answer")]
    ['A']
    """
    found = [
        Found(value, start, end, True)
        for thing, start, end in _objects(text)
        for name, value in _pairs(thing)
        if name.strip(" :*_").casefold() == key.casefold()
    ]
    return found or list(_salvaged(text, key))


def _objects(text: str) -> Iterator[tuple[object, int, int]]:
    decoder = json.JSONDecoder(strict=False, parse_constant=str, object_pairs_hook=Pairs)
    place = text.find("{")
    for _ in range(MOST):
        if place < 0:
            return
        try:
            thing, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        yield thing, place, end
        place = text.find("{", end)


def _pairs(thing: object, depth: int = 0) -> Iterator[tuple[str, object]]:
    if depth > 20:
        return
    if isinstance(thing, Pairs):
        for name, value in thing.all:
            yield str(name), value
            yield from _pairs(value, depth + 1)
    elif isinstance(thing, list):
        for value in thing:
            yield from _pairs(value, depth + 1)


def _salvaged(text: str, key: str) -> Iterator[Found]:
    """Values after a key at the beginning of a line or a field; ``"A" or "B"`` is one value."""
    for match in re.finditer(rf"{START}{re.escape(key)}{VALUE}{WORD}", text, re.IGNORECASE):
        group = next(number for number in range(1, 5) if match[number] is not None)
        more = MORE.match(text, match.end())
        value = text[match.start(group) : more.end()] if more else match[group]
        yield Found(value.strip(), match.start(group), match.end(group), False)
