"""A table of replies as models write them, each with the label that a reader gives it; a wrong label never passes."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from socialstats_collect import parse
from socialstats_collect.parse import Option, Parsed
from socialstats_collect.protocols.base import Settings
from socialstats_collect.protocols.shares import Shares

RISING = Shares(Settings()).offered("rising")
YES_NO = (Option(letter="A", text="yes"), Option(letter="B", text="no"))
LIKERT = tuple(Option(letter=str(n), text=text) for n, text in enumerate(["never", "rarely", "often", "always"], 1))
HOSTILE = (
    "{", '{"a":', '{"Answer":"', "A)\n", "A) <1%\n", "<think>", "</think>", "not ", "answer is ", "D", "1. ", "James ",
    "James is right ", "not comply ", "逸脱", "75%-", "[[", "\\", '"', "| ", "\n", " ", "A or B ", "Answer: A or ",
    "$\\boxed{", "**", "if ", "\u0301a", "é", "[x] A) ", "A, ", "out of 20 ", "I cannot ", "~~a",
)  # fmt: skip


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


@pytest.mark.parametrize("case", CASES, ids=[f"{case['family']} {place}" for place, case in enumerate(CASES, 2)])
@pytest.mark.slow
def test_a_reply_is_read_as_a_reader_reads_it(case: dict[str, str]) -> None:
    read = _read(case["family"], case["names"], case["reply"])
    expected = None if case["abstains"] or not case["label"] else case["label"]
    assert read.label == expected, read
    if case["status"]:
        assert read.status == case["status"]


def test_the_table_is_large_and_few_of_its_answers_are_not_read() -> None:
    counts = Counter("options" if case["family"] in {"yesno", "likert"} else case["family"] for case in CASES)
    assert min(counts[name] for name in ("options", "who", "answer", "action")) >= 150
    assert sum(bool(case["abstains"]) for case in CASES) <= 0.03 * len(CASES)


@pytest.mark.parametrize(
    ("piece", "length"), [(piece, 15_000) for piece in HOSTILE] + [(piece, 1_000_000) for piece in HOSTILE[::5]]
)
@pytest.mark.slow
def test_no_reply_is_too_long_or_too_odd(piece: str, length: int) -> None:
    raw = piece * (length // len(piece))
    for read in (
        parse.parse_options(raw, RISING),
        parse.parse_answer(raw),
        parse.parse_who(raw, ("James", "Mary")),
        parse.parse_action(raw),
        parse.parse_scores(raw, ("order",), low=0, high=20)["order"],
    ):
        assert (read.label is not None) == (read.status == "ok")
