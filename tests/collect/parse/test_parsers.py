"""Every parser: hand-made replies, the shared golden cases, and any string at all."""

from __future__ import annotations

import csv
import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.tables.files import read_table
from socialstats_collect import parse
from socialstats_collect.parse import Option, Parsed, parse_who

SHARED = Path(__file__).parents[4] / "shared" / "data" / "parsing"
needs_shared = pytest.mark.skipif(
    not SHARED.exists(), reason="the shared reply collections are not here"
)

SHARES = (
    Option(
        letter="A",
        text="<1%",
        descriptions=("Almost no one agrees with this", "Almost no one thinks this"),
    ),
    Option(
        letter="B",
        text="5%-25%",
        descriptions=("A small portion of people occasionally agree with this",),
    ),
    Option(
        letter="C",
        text="50%",
        descriptions=("This is a controversial belief; people are likely to be divided",),
    ),
    Option(
        letter="D",
        text="75%-90%",
        descriptions=("This is a common belief, shared by many", "Common belief"),
    ),
    Option(
        letter="E",
        text=">90%",
        descriptions=("This is a universally accepted belief", "Universally true"),
    ),
)
LIKERT = tuple(
    Option(letter=str(n), text=text)
    for n, text in enumerate(["never", "rarely", "often", "always"], 1)
)
NAMES = ("James", "Mary")
TABLE = "| Option | Description |\n|---|---|\n| <1% | Almost no one |\n| 50% | Divided |\n| >90% | Universal |\n"
LIST = "A) <1%\nB) 5%-25%\nC) 50%\nD) 75%-90%\nE) >90%\n"


@pytest.mark.parametrize(
    ("raw", "label", "status"),
    [
        ("D", "D", "ok"),
        ("**75%-90%**", "D", "ok"),
        (">75%-90%", "D", "ok"),
        ("over 90 percent", "E", "ok"),
        ("Answer: D) 75%-90%, not >90%", "D", "ok"),
        (f">90%\n\n{TABLE}", "E", "ok"),
        (f"{TABLE}\n5%-25%", "B", "ok"),
        (f"{LIST}\nAnswer: C", "C", "ok"),
        (LIST, None, "ambiguous"),
        (f"75%-90%\n{LIST}\nAnswer: D", "D", "ok"),
        ("If it were universal the answer is E) >90%. Here the answer is B.", "B", "ok"),
        ("A interesting question! I would say 50%.", "C", "ok"),
        ("A small portion of people occasionally agree with this.", "B", "ok"),
        ("It's hard to say. Still, D) 75%-90%.", "D", "ok"),
        ("I cannot provide an answer to this.", None, "refusal"),
        ("D or E", None, "ambiguous"),
        ("D) or E)", None, "ambiguous"),
        ("Around 60% of people.", None, "unparsed"),
        ("less than 50% of people", None, "unparsed"),
        ("between 50% and 75%", None, "unparsed"),
        ("<think>E) >90%</think>B", "B", "ok"),
        ("Ｄ）", "D", "ok"),
        (" \n ", None, "empty"),
    ],
)
def test_a_closed_question(raw: str, label: str | None, status: str) -> None:
    read = parse.parse_options(raw, SHARES)
    assert (read.label, read.status) == (label, status)


def test_a_later_answer_is_a_conflict_and_the_first_one_stands() -> None:
    read = parse.parse_options("A) <1%\n\nTherefore, the correct answer is E) >90%.", SHARES)
    assert (read.label, read.conflict) == ("A", True)
    assert not parse.parse_options("A) <1%\n\nSo the answer is A.", SHARES).conflict


def test_a_corrected_answer_is_the_last_one() -> None:
    raw = "**A** - no wait, **D**"
    read = parse.parse_options(raw, SHARES)
    assert (read.label, read.status, read.conflict) == ("D", "corrected", False)
    assert read.span is not None
    assert raw[slice(*read.span)] == "D"
    assert parse.parse_options("A. No wait, D. Actually, B.", SHARES).label == "B"
    assert parse.parse_options("A. No wait, D. No, A.", SHARES).status == "ok"
    assert parse.parse_answer('{"Answer": "A - no wait, B"}').status == "corrected"


@pytest.mark.parametrize(
    ("raw", "label", "rule"),
    [
        ("80%", "D", "within"),
        ("90%", None, "border"),
        ("75%", None, "border"),
        ("60%", None, "none"),
        ("50%", "C", ""),
    ],
)
def test_a_bare_percentage(raw: str, label: str | None, rule: str) -> None:
    for options in (SHARES, SHARES[::-1]):
        read = parse.parse_options(raw, options)
        assert read.label == label
        assert read.rule == rule or not rule
    assert parse.parse_options("80%", LIKERT).label is None


def test_the_span_is_a_place_in_the_raw_reply() -> None:
    raw = "<think>no</think> My answer: **Ｄ**"
    read = parse.parse_options(raw, SHARES)
    assert read.span is not None
    assert raw[slice(*read.span)] == "Ｄ"


@pytest.mark.parametrize(
    ("raw", "label"),
    [("3", "3"), ("often", "3"), ("2. rarely", "2"), ("Answer: 4", "4"), ("2 or 3", None)],
)
def test_numbered_options_without_percentages(raw: str, label: str | None) -> None:
    assert parse.parse_options(raw, LIKERT).label == label


@pytest.mark.parametrize(
    ("raw", "label", "status"),
    [
        ('{"Answer": "(B) Advocate"}', "B", "ok"),
        ('{"Answer": "B) Area manager"}', "B", "ok"),
        ('{"Answer": A, "Reason": "x"', "A", "ok"),
        ('{"Answer": "A", "Reason": "said "no""}', "A", "ok"),
        ("```json\n{'answer': 'b'}\n```", "B", "ok"),
        ('{"Answer": "A"} then {"Answer": "B"}', None, "ambiguous"),
        ('{"Answer": "A"} then {"answer": "A"}', "A", "ok"),
        ('{"Answer": "either A or B"}', None, "ambiguous"),
        ('{"Answer": "A nurse"}', None, "unparsed"),
        ('{"Answer": "I cannot choose"}', None, "refusal"),
        ('{"Answer": null}', None, "unparsed"),
        ('{"Answer": true}', None, "unparsed"),
        ("(B)", "B", "ok"),
        ("", None, "empty"),
    ],
)
def test_a_json_answer(raw: str, label: str | None, status: str) -> None:
    read = parse.parse_answer(raw)
    assert (read.label, read.status) == (label, status)


@pytest.mark.parametrize(
    ("raw", "label", "status"),
    [
        ("1. James\n2. Mary.", None, "ambiguous"),
        ("1) James, because Mary was rude", "1", "ok"),
        ("２）Mary", "2", "ok"),
        ("1) Mary", None, "ambiguous"),
        ("Mary is right.", "2", "ok"),
        ("Mary is not right.", None, "unparsed"),
        ("Both of them are right", None, "refusal"),
        ("Both James and Mary are right.", None, "unparsed"),
        ("Response: 2", "2", "ok"),
        ("In 2023, 12 people", None, "unparsed"),
    ],
)
def test_who_is_right(raw: str, label: str | None, status: str) -> None:
    read = parse.parse_who(raw, NAMES)
    assert (read.label, read.status) == (label, status)


def test_names_are_taken_word_for_word() -> None:
    assert parse.parse_who("Ann is right", ("Ann", "Anna")).label == "1"
    assert parse.parse_who("A.*( is right", ("A.*(", "B")).label in {"1", None}
    assert parse.parse_who("2) Sam", ("Sam", "Sam")).label == "2"


@pytest.mark.parametrize(
    ("raw", "label", "status"),
    [
        ("comply", "comply", "ok"),
        ("I would not comply; I would deviate.", None, "ambiguous"),
        ("not comply", None, "unparsed"),
        ("規範に従わない", "deviate", "ok"),
        ('{"action": "escalate", "explanation": "not comply"}', "escalate", "ok"),
        ("I'm sorry, I cannot help.", None, "refusal"),
    ],
)
def test_an_action(raw: str, label: str | None, status: str) -> None:
    read = parse.parse_action(raw)
    assert (read.label, read.status) == (label, status)


@pytest.mark.parametrize(
    ("value", "label", "status"),
    [
        ("14", "14", "ok"),
        ('"7/20"', "7", "ok"),
        ('"out of 20, I give 7"', "7", "ok"),
        ("-3", None, "out_of_range"),
        ("150", None, "out_of_range"),
        ("true", None, "unparsed"),
        ("NaN", None, "unparsed"),
        ("1e999", None, "unparsed"),
        ('"10 to 12"', None, "unparsed"),
        ('{"score": 3, "why": "x"}', "3", "ok"),
    ],
)
def test_a_score(value: str, label: str | None, status: str) -> None:
    read = parse.parse_scores(f'{{"order": {value}}}', ("order",), low=0, high=20)["order"]
    assert (read.label, read.status) == (label, status)


def test_a_missing_key_is_said_and_not_filled() -> None:
    read = parse.parse_scores('{"order": 3}', ("order", "zeal"), low=0, high=5)
    assert (read["zeal"].status, read["zeal"].rule) == ("unparsed", "missing_key")


ODD = "".join(map(chr, [*range(256), 0x2028, 0xD800, 0xDFFF, 0xFEFF, 0xFFFE, 0x1F600]))


def test_a_reply_in_a_cell_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    """Every control character in a cell of a table that ``report`` reads; offsets into the reply stay the same."""
    cell = parse.printable(ODD)
    assert len(cell) == len(ODD)
    assert [one for one in cell if unicodedata.category(one) in {"Cc", "Cs"}] == ["\t", "\n"]
    assert parse.printable("plain é 答 \t\n") == "plain é 答 \t\n"
    path = tmp_path / "table.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["unit", "reply", "answer"], ["1", cell, "A"], ["2", f"x{cell}x", "B"]]
        )
    frame = read_table(path).frame.lazy().collect()
    assert frame["answer"].to_list() == ["A", "B"]
    assert frame["reply"].to_list() == [cell, f"x{cell}x"]


def _rows(name: str) -> list[dict[str, str]]:
    with (SHARED / name).open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@needs_shared
def test_real_replies_to_the_ordinal_question() -> None:
    rows = _rows("parse_cases.csv")
    read = [parse.parse_options(row["raw_response"], SHARES) for row in rows]
    labels = ["F" if one.status == "refusal" else one.label for one in read]
    right = sum(label == row["label"] for label, row in zip(labels, rows, strict=True))
    assert right >= 472
    assert not [
        row for label, row in zip(labels, rows, strict=True) if label not in {row["label"], None}
    ]


@needs_shared
def test_no_wrong_label_in_the_other_protocols() -> None:
    for row in _rows("parse_cases_other.csv"):
        read = _by_protocol(row["protocol"], row["raw_response"])
        expected = row["label"] if row["label"] not in {"", "refusal", "out_of_range"} else None
        assert read.label == expected, row
        if row["label"] in {"refusal", "out_of_range"}:
            assert read.status == row["label"], row


def _by_protocol(protocol: str, raw: str) -> Parsed:
    if protocol == "json_answer":
        return parse.parse_answer(raw)
    if protocol == "action3":
        return parse.parse_action(raw)
    if protocol.startswith("trait"):
        key = protocol.split(":")[1]
        return parse.parse_scores(raw, (key,), low=0, high=20)[key]
    first, second = protocol.split("_")[1:]
    return parse.parse_who(raw, (first, second))


PIECES = st.sampled_from(
    [
        *(
            "A",
            "B)",
            "(C)",
            "50%",
            ">90%",
            "75%-90%",
            "or",
            "not",
            "Answer:",
            '{"Answer":',
            '"A"',
            "}",
            "{",
            "1.",
            "2)",
        ),
        *(
            "James",
            "Mary",
            "is right",
            "comply",
            "逸脱",
            "\n",
            "| x | y |",
            "<think>",
            "</think>",
            "I cannot answer",
            "20",
        ),
        *("\ud800", "\x00"),
    ]
)
REPLIES = st.one_of(st.text(), st.lists(PIECES, max_size=30).map(" ".join))


@settings(max_examples=400, deadline=None)
@given(REPLIES)
@pytest.mark.slow
def test_no_reply_raises_and_every_label_has_a_place(raw: str) -> None:
    for read in (
        parse.parse_options(raw, SHARES),
        parse.parse_options(raw, LIKERT),
        parse.parse_answer(raw),
        parse.parse_who(raw, NAMES),
        parse.parse_action(raw),
        *parse.parse_scores(raw, ("order", "zeal"), low=0, high=20).values(),
    ):
        assert read.status in parse.STATUSES
        assert (read.label is not None) == (read.status == "ok")
        if read.span is not None:
            assert 0 <= read.span[0] < read.span[1] <= len(raw)


@pytest.mark.parametrize(
    "raw", ["{" * 100_000, '{"a":' * 20_000, "A)\n" * 20_000, "<think>" * 20_000, "not " * 20_000]
)
def test_hostile_replies_end(raw: str) -> None:
    parse.parse_options(raw, SHARES)
    parse.parse_answer(raw)
    parse.parse_who(raw, NAMES)
    parse.parse_action(raw)


def test_no_pattern_is_compiled_for_a_pair_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    replies = (
        "1",
        "{b}",
        "Answer: 2) {b}",
        "{a} is right.",
        "Both {a} and {b} are right, I cannot say.",
        "No idea - {a}",
    )
    for reply in replies:
        parse_who(reply.format(a="Aa", b="Bb"), ("Aa", "Bb"))
    compiled: list[str] = []
    compile_ = re._compiler.compile  # type: ignore[attr-defined]
    monkeypatch.setattr(re._compiler, "compile", lambda *a: compiled.append(a[0]) or compile_(*a))  # type: ignore[attr-defined,func-returns-value]
    for k in range(300):
        names = f"Ann{k}", f"Bob{k}"
        for reply in replies:
            parse_who(reply.format(a=names[0], b=names[1]), names)
    assert not compiled
