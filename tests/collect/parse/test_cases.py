"""A table of replies as models write them, each with the label that a reader gives it; a wrong label never passes."""

from __future__ import annotations

import csv
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from socialstats_collect import parse
from socialstats_collect.parse import Option, Parsed
from socialstats_collect.parse.text import LONGEST
from socialstats_collect.protocols.base import Settings
from socialstats_collect.protocols.shares import Shares

RISING = Shares(Settings()).offered("rising")
YES_NO = (Option(letter="A", text="yes"), Option(letter="B", text="no"))
LIKERT = tuple(
    Option(letter=str(n), text=text)
    for n, text in enumerate(["never", "rarely", "often", "always"], 1)
)
HOSTILE = (
    "{",
    '{"a":',
    '{"Answer":"',
    "A)\n",
    "A) <1%\n",
    "<think>",
    "</think>",
    "not ",
    "answer is ",
    "D",
    "1. ",
    "James ",
    "James is right ",
    "not comply ",
    "逸脱",
    "75%-",
    "[[",
    "\\",
    '"',
    "| ",
    "\n",
    " ",
    "A or B ",
    "Answer: A or ",
    "$\\boxed{",
    "**",
    "if ",
    "\u0301a",
    "é",
    "[x] A) ",
    "A, ",
    "out of 20 ",
    "I cannot ",
    "~~a",
)


def _cases() -> list[dict[str, str]]:
    with (Path(__file__).parent / "cases.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


CASES = _cases()


def _read(family: str, names: str, reply: str) -> Parsed:
    if family == "who":
        first, second = names.split("; ")
        return parse.parse_who(reply, (first, second))
    if family == "answer":
        return parse.parse_answer(reply)
    if family == "action":
        return parse.parse_action(reply)
    if family == "scores":
        return parse.parse_scores(reply, ("order",), low=0, high=20)["order"]
    options = {"options": RISING, "yesno": YES_NO, "likert": LIKERT}[family]
    return parse.parse_options(reply, options)


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{case['family']} {place}" for place, case in enumerate(CASES, 2)]
)
@pytest.mark.slow
def test_a_reply_is_read_as_a_reader_reads_it(case: dict[str, str]) -> None:
    read = _read(case["family"], case["names"], case["reply"])
    expected = None if case["abstains"] or not case["label"] else case["label"]
    assert read.label == expected, read
    if case["status"]:
        assert read.status == case["status"]


def test_the_table_is_large_and_few_of_its_answers_are_not_read() -> None:
    counts = Counter(
        "options" if case["family"] in {"yesno", "likert"} else case["family"] for case in CASES
    )
    assert min(counts[name] for name in ("options", "who", "answer", "action")) >= 150
    assert sum(bool(case["abstains"]) for case in CASES) <= 0.03 * len(CASES)


def test_the_table_has_corrections_and_replies_that_only_sound_like_them() -> None:
    words = re.compile(
        r"(?i)\b(?:no|wait|actually|i mean|correction|scratch|sorry|eigentlich|en fait|en realidad)\b"
    )
    assert sum(case["status"] == "corrected" for case in CASES) >= 60
    assert (
        sum(case["status"] == "ok" and words.search(case["reply"]) is not None for case in CASES)
        >= 60
    )


PARSERS: dict[str, Callable[[str], Parsed]] = {
    "options": lambda raw: parse.parse_options(raw, RISING),
    "likert": lambda raw: parse.parse_options(raw, LIKERT),
    "answer": parse.parse_answer,
    "who": lambda raw: parse.parse_who(raw, ("James", "Mary")),
    "action": parse.parse_action,
    "scores": lambda raw: parse.parse_scores(raw, ("order",), low=0, high=20)["order"],
}
ATOMS = (
    *HOSTILE,
    *" \t\u3000\xa0Aa9[]()'*`.,:;-/<>%#_~?!&=→",
    '{"answer":',
    "[0,",
    "1)",
    "Mary, ",
    "I would ",
    "the ",
    "comply ",
    "```",
    " not",
    "答",
    "\u200b",
    "ﬁ",
    "50% ",
    "category ",
    "right and ",
    '\\"',
    "no, it's ",
    "最",
    "order: ",
    'answer:"\\',
)


def _periodic(count: int, seed: int) -> list[str]:
    """Texts of 1 to 8 atoms for a fuzzer to repeat, each atom by itself first."""
    draw = random.Random(seed)
    return [*ATOMS, *("".join(draw.choices(ATOMS, k=draw.randint(2, 8))) for _ in range(count))]


def _seconds(parser: Callable[[str], Parsed], raw: str) -> float:
    """CPU time of a call."""
    start = time.thread_time()
    read = parser(raw)
    taken = time.thread_time() - start
    assert (read.label is not None) == (read.status == "ok")
    return taken


@pytest.mark.parametrize(
    ("name", "length"), [*((name, LONGEST - 9) for name in PARSERS), ("answer", 100_000)]
)
@pytest.mark.slow
def test_no_reply_takes_long(name: str, length: int) -> None:
    """50 ms for any reply on the developers' machine; four times as much here, and a slow call has a second chance.

    Of replies longer than `LONGEST` every parser reads the same: that they are.
    """
    limit = 4 * 0.050
    for piece in _periodic(4, seed=length):
        raw = (piece * (length // len(piece) + 1))[:length]
        for reply in (raw, f"Answer: {raw[:-9]}A", f'{{"answer": "{raw[:-15]}"}}'):
            quick = _seconds(PARSERS[name], reply) < limit or _seconds(PARSERS[name], reply) < limit
            assert quick, (piece, reply[:40])


def test_no_pattern_dwells_on_blanks() -> None:
    """Blanks are shortened before any pattern sees them, and what is kept of a reply has an end."""
    for blank in (" ", "\t", "\u3000", "\xa0", "\n", " \n", "\r\n"):
        seen = parse.text.clean(f"A{blank * 5000}B").text
        assert len(seen) <= 5
        assert seen.split() == ["A", "B"]
    assert len(parse.text.clean("A" * 1_000_000).text) <= LONGEST + 1
    assert PARSERS["options"](" " * 100_000 + "D").label == "D"


def test_unfinished_json_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder that starts anew at every brace reads no more characters in vain than the limit says."""
    starts: list[int] = []

    class Counting(json.JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> tuple[object, int]:
            starts.append(len(s) - idx)
            return super().raw_decode(s, idx)  # type: ignore[no-untyped-call, no-any-return, unused-ignore]

    monkeypatch.setattr(json, "JSONDecoder", Counting)
    assert parse.text.values_of(f'{{"a":[{"0," * 40}' * 300, "order") == []
    assert len(starts) > 1
    assert sum(starts[:-1]) <= parse.text.PATIENCE
