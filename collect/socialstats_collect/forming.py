"""Forms for people: one page that works offline, or a table to fill in, of the questions that the models are asked."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from socialstats.errors import InputError
from socialstats.tables.writing import Kind, kind_by_mark
from socialstats_collect.ask import digest
from socialstats_collect.design import RunDesign
from socialstats_collect.people import questions

KIND = "socialstats form"
GENERATOR = '<meta name="generator" content="socialstats-form">'
PAGE = kind_by_mark("a form of socialstats", f".*{GENERATOR}")
TO_FILL_IN = Kind("a table to fill in", lambda path: False)  # it may hold answers by now
PART = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def form_data(design: RunDesign, parts: Sequence[Sequence[int]] = ()) -> dict[str, Any]:
    """Return what the page asks, as JSON: questions with their choices, and the parts that raters are given."""
    asked = [
        {
            "item_id": question.unit.item_id,
            "option_order": question.unit.factors.get("order", ""),
            "question_id": question.id,
            "text": question.text,
            "choices": [[str(choice.value), choice.words] for choice in question.choices],
        }
        for question in questions(design)
    ]
    return {
        "kind": KIND,
        "form_id": digest(asked)[:12],
        "column": design.protocol.column,
        "parts": parts,
        "questions": asked,
    }


def parts_of(n: int, raters: int, each: int, seed: int) -> list[list[int]]:
    """Return the questions that each rater is given: each question to as many raters as any other, or one more.

    Examples
    --------
    >>> [len(part) for part in parts_of(5, raters=3, each=2, seed=1)]
    [2, 2, 2]
    """
    if not 1 <= each <= n or raters < 1:
        raise InputError(
            f"--raters {raters} --per-rater {each}: at least 1 rater, and 1 to {n} questions each"
        )
    drawn = list(range(n))
    random.Random(seed).shuffle(drawn)
    return [
        sorted(drawn[place % n] for place in range(rater * each, (rater + 1) * each))
        for rater in range(raters)
    ]


def page(data: Mapping[str, Any]) -> bytes:
    """Return the page: a text of the items is data in it, never markup, and nothing else in it may run or load."""
    text = (files("socialstats_collect") / "templates" / "form.html").read_text("utf-8")
    hashes = {name: hashlib.sha256(body.encode()).digest() for name, body in PART.findall(text)}
    script, style = (base64.b64encode(hashes[name]).decode() for name in ("script", "style"))
    policy = f"default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'"
    head = f'{GENERATOR}\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    content = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    return text.replace("<!-- head -->", head).replace("<!-- data -->", content).encode()


def rows_to_fill_in(data: Mapping[str, Any]) -> Iterator[dict[str, object]]:
    """Yield the rows of a table in which raters write their answers: all questions, or those of each part."""
    several = data["questions"]
    for number, part in enumerate(data["parts"] or [range(len(several))], 1):
        for place in part:
            question = several[place]
            yield {
                "item_id": question["item_id"],
                "rater": f"rater {number}" if data["parts"] else "",
                "option_order": question["option_order"],
                "form_id": data["form_id"],
                "question_id": question["question_id"],
                "question_shown": question["text"],
                "choices_shown": " | ".join(words for _, words in question["choices"]),
                data["column"]: "",
            }
