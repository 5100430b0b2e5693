"""Probabilities of answers: against a toy language model whose continuations are all enumerated."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest

from socialstats_collect.parse import parse_action, parse_answer, parse_options
from socialstats_collect.parse.options import Option
from socialstats_collect.parse.probabilities import choice_probabilities

Model = dict[tuple[str, ...], dict[str, float]]
END = "<end>"
LETTERS: Model = {
    (): {"The answer is": 0.7, "I pick": 0.3},
    ("The answer is",): {
        " A": 0.5,
        " B": 0.2,
        ":": 0.1,
        " A.": 0.08,
        " (B": 0.06,
        " C": 0.03,
        " hard": 0.02,
        " b": 0.01,
    },
    ("The answer is", ":"): {" A": 0.6, " B": 0.4},
    ("I pick",): {" B": 0.9, " A": 0.1},
}
WORDS: Model = {
    (): {"com": 0.5, "dev": 0.2, "escalate": 0.1, " Com": 0.08, "I": 0.12},
    ("com",): {"ply": 1.0},
    (" Com",): {"ply": 1.0},
    ("dev",): {"iate": 1.0},
    ("I",): {" com": 0.75, " dev": 0.25},
    ("I", " com"): {"ply": 1.0},
    ("I", " dev"): {"iate": 1.0},
}


def _continuations(
    model: Model, before: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], float]]:
    """Every text the model can write, as tokens, with its probability."""
    after = model.get(before)
    if after is None:
        return [(before, 1.0)]
    return [
        (tokens, p * q)
        for token, p in after.items()
        for tokens, q in _continuations(model, (*before, token))
    ]


def _logprobs(model: Model, tokens: tuple[str, ...], most: int = 20) -> dict[str, Any]:
    content = []
    for place, token in enumerate(tokens):
        after = sorted(model[tokens[:place]].items(), key=lambda one: -one[1])[:most]
        top = [{"token": t, "logprob": math.log(p), "bytes": list(t.encode())} for t, p in after]
        p = model[tokens[:place]][token]
        content.append(
            {
                "token": token,
                "logprob": math.log(p),
                "bytes": list(token.encode()),
                "top_logprobs": top,
            }
        )
    return {"content": content}


@pytest.mark.parametrize(
    ("tokens", "prefix"), [(("The answer is", " A"), 1), (("The answer is", ":", " B"), 2)]
)
def test_letters_as_all_continuations_have_them(tokens: tuple[str, ...], prefix: int) -> None:
    text = "".join(tokens)
    parsed = parse_answer(text, labels=("A", "B", "C"))
    read = choice_probabilities(_logprobs(LETTERS, tokens), text, ("A", "B", "C"), parsed.span)
    given = [(t, p) for t, p in _continuations(LETTERS) if t[:prefix] == tokens[:prefix]]
    whole = math.fsum(p for _, p in given)
    for label in "ABC":
        enumerated = math.fsum(p for t, p in given if t[prefix].strip(" (.") == label) / whole
        assert (read.p[label] or 0.0) == pytest.approx(enumerated, abs=1e-12)
    assert read.rest == pytest.approx(
        1 - math.fsum(p for p in read.p.values() if p is not None), abs=1e-12
    )
    assert read.unlisted == pytest.approx(0.0, abs=1e-12)


def test_a_label_of_several_tokens_is_settled_by_its_first() -> None:
    for tokens, prefix in ((("com", "ply"), 0), (("I", " dev", "iate"), 1)):
        text = "".join(tokens)
        labels = ("comply", "deviate", "escalate")
        read = choice_probabilities(
            _logprobs(WORDS, tokens), text, labels, parse_action(text).span, any_case=True
        )
        given = [(t, p) for t, p in _continuations(WORDS) if t[:prefix] == tokens[:prefix]]
        whole = math.fsum(p for _, p in given)
        for label in labels:
            enumerated = (
                math.fsum(p for t, p in given if "".join(t[prefix:]).strip().casefold() == label)
                / whole
            )
            assert (read.p[label] or 0.0) == pytest.approx(enumerated, abs=1e-12)
    cased = choice_probabilities(_logprobs(WORDS, ("com", "ply")), "comply", labels)
    assert cased.p["comply"] == pytest.approx(0.5)


@pytest.mark.parametrize("most", range(1, 9))
def test_what_is_not_listed_is_bounded_and_never_0(most: int) -> None:
    tokens = ("The answer is", " A")
    full = choice_probabilities(_logprobs(LETTERS, tokens), "The answer is A", ("A", "B", "C"))
    read = choice_probabilities(
        _logprobs(LETTERS, tokens, most), "The answer is A", ("A", "B", "C")
    )
    assert read.unlisted is not None
    assert read.bound is not None
    after = sorted(LETTERS["The answer is",].values(), reverse=True)
    assert all(p <= read.bound + 1e-12 for p in after[most:])
    for label in "ABC":
        low, true = read.p[label], full.p[label]
        assert low is None or low > 0
        assert (low or 0.0) - 1e-12 <= (true or 0.0) <= (low or 0.0) + read.unlisted + 1e-12
    assert (read.p["C"] is None) == (most < 6)


@pytest.mark.parametrize(
    ("logprobs", "text", "labels", "reason"),
    [
        (None, "A", ("A", "B"), "none_given"),
        ({"content": None}, "A", ("A", "B"), "none_given"),
        ({"content": [{"token": "A"}]}, "A", ("A", "B"), "malformed"),
        ({"content": [{"token": "A", "logprob": "x"}]}, "A", ("A", "B"), "malformed"),
        ({"content": "A"}, "A", ("A", "B"), "malformed"),
        ({"content": [{"token": "A", "logprob": -1.0}]}, "B", ("A", "B"), "tokens_differ"),
        ({"content": [{"token": "Aunt", "logprob": -1.0}]}, "Aunt", ("A", "B"), "no_answer_token"),
        (
            {"content": [{"token": "A", "logprob": -1.0}, {"token": "unt", "logprob": -1.0}]},
            "Aunt",
            ("A",),
            "no_answer_token",
        ),
        ({"content": [{"token": "1", "logprob": -1.0}]}, "1", ("1", "10"), "shared_first_token"),
    ],
)
def test_no_number_without_a_reason(
    logprobs: Any, text: str, labels: tuple[str, ...], reason: str
) -> None:
    read = choice_probabilities(logprobs, text, labels)
    assert (read.reason, dict(read.p), read.rest, read.bound) == (reason, {}, None, None)


def _even(tokens: list[str | bytes], at: int, top: dict[str, float]) -> dict[str, Any]:
    """Sure tokens, but for one place."""
    content: list[dict[str, Any]] = []
    for number, token in enumerate(tokens):
        raw = token if isinstance(token, bytes) else token.encode()
        likely = top if number == at else {raw.decode("utf-8", "replace"): 1.0}
        listed = [
            {"token": t, "logprob": math.log(p), "bytes": list(t.encode())}
            for t, p in likely.items()
        ]
        shown = raw.decode("utf-8", "replace")
        content.append(
            {
                "token": shown,
                "logprob": math.log(likely[shown]),
                "bytes": list(raw),
                "top_logprobs": listed,
            }
        )
    return {"content": content}


def test_the_answer_is_where_the_parser_read_it() -> None:
    text = '{"thoughts": "A or B?", "Answer": "B"}'
    tokens: list[str | bytes] = [
        '{"',
        "thoughts",
        '": "',
        "A",
        " or",
        " B",
        '?", "',
        "Answer",
        '": "',
        "B",
        '"}',
    ]
    span = parse_answer(text).span
    read = choice_probabilities(_even(tokens, 9, {"B": 0.75, "A": 0.25}), text, ("A", "B"), span)
    assert [read.p["A"], read.p["B"]] == [pytest.approx(0.25), pytest.approx(0.75)]


def test_tokens_that_split_characters_and_thinking_before_the_reply() -> None:
    pieces = "我选".encode()
    tokens: list[str | bytes] = [
        "<think>A?</think>",
        pieces[:2],
        pieces[2:4],
        pieces[4:],
        "B",
        "。",
    ]
    options = tuple(Option(letter=one, text=f"text {one}") for one in "AB")
    span = parse_options("我选B。", options).span
    read = choice_probabilities(
        _even(tokens, 4, {"B": 0.5, "A": 0.25}), "我选B。", ("A", "B"), span
    )
    assert [read.p["A"], read.p["B"], read.rest] == [
        pytest.approx(0.25),
        pytest.approx(0.5),
        pytest.approx(0.25),
    ]


def test_sums_of_any_listed_tokens_stay_between_0_and_1() -> None:
    for p, q, r in itertools.product((1e-300, 1e-9, 0.3, 0.6), repeat=3):
        read = choice_probabilities(_even(["A"], 0, {"A": p, "B": q, "x": r}), "A", ("A", "B"))
        if p + q + r > 1.1:
            assert read.reason == "malformed"
        else:
            assert read.rest == pytest.approx(1 - p - q, abs=1e-12)


def test_a_token_outside_the_list_is_unknown() -> None:
    top = [{"token": "A", "logprob": math.log(0.9)}, {"token": "x", "logprob": math.log(0.04)}]
    content = [{"token": "B", "logprob": -9999.0, "top_logprobs": top}]
    read = choice_probabilities({"content": content}, "B", ("A", "B"))
    assert [read.p["A"], read.bound] == [pytest.approx(0.9), pytest.approx(0.04)]
    assert read.p["B"] is None
