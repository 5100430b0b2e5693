"""Judgments of MT-Bench (FastChat): a rating from 1 to 10 of an answer, or the winner of a pair in both orders."""

from __future__ import annotations

import re
from typing import Any

from socialstats.harness_logs.files import Source, json_lines
from socialstats.harness_logs.log import Log, Status
from socialstats.harness_logs.tabular import Members, Row, cell, is_number, log_of, read_by, row

NEEDS = "lines with 'question_id', 'judge' and 'score' or 'g1_winner' (MT-Bench's model_judgment)"
FORMS = (
    ("lines", "question_id", "model", "judge", "score"),
    ("lines", "question_id", "model_1", "g1_winner"),
)
NO_RATING = -1
LEFT_OUT = "a score of -1 means that no rating was found in the judgment: show_result.py leaves it out, as here"
# A judge and its template, where a table was made of the lines: ['gpt-4', 'pair-v2']
LISTED = re.compile(r"""\[\s*["'](?P<judge>[^"']*)["']\s*,\s*["'](?P<template>[^"']*)["']\s*\]""")
TURNS = (
    "each turn is a game of its own, and those of a question depend on each other: --cluster unit"
)
ORDERS = "a pair whose winner differs between the two orders is a tie, as in show_result.py"


def read(source: Source) -> Log:
    """Read one row per judgment; the ratings of two turns are repeats of one question."""
    judgments = [judgment_row(judgment, number) for number, judgment in json_lines(source.path)]
    pairs = "item_a" in judgments[0]
    notes = (
        (ORDERS, TURNS, read_by(judgments, "comparisons", "--cluster unit"))
        if pairs
        else (LEFT_OUT,)
    )
    return log_of(__name__, source, judgments, about={"task": "mt_bench"}, notes=notes)


def judgment_row(judgment: Members, number: int) -> Row:
    """Return one judgment: a rating, or the winner of a pair."""
    unit, turn, judge = (
        judgment.get("question_id", number),
        judgment.get("turn", 1),
        judge_columns(judgment.get("judge")),
    )
    if "g1_winner" not in judgment:
        score = judgment.get("score")
        value = float(score) if is_number(score) and score != NO_RATING else None
        status: Status = "unparsed" if value is None else "ok"
        return row(
            unit=unit,
            epoch=turn,
            model=judgment.get("model"),
            scorer="score",
            score=(value, status),
            answer=score,
            metadata=judge,
        )
    a, b = (cell(judgment.get(name)) for name in ("model_1", "model_2"))
    winners = {cell(judgment[name]) for name in ("g1_winner", "g2_winner") if name in judgment}
    winner = {"model_1": a, "model_2": b}.get(str(*winners), "tie") if len(winners) == 1 else "tie"
    status = (
        "error"
        if "error" in winners
        else "ok"
        if winners <= {"model_1", "model_2", "tie"}
        else "unparsed"
    )
    value = {a: 1.0, b: 0.0}.get(winner, 0.5) if status == "ok" else None
    metadata = {"item_a": a, "item_b": b, "winner": winner if status == "ok" else None, **judge}
    answer = " / ".join(sorted(map(str, winners)))
    return row(
        unit=unit,
        epoch=turn,
        scorer="winner",
        score=(value, status),
        answer=answer,
        metadata=metadata,
    )


def judge_columns(value: Any) -> Row:
    """Return the judge apart from its template, which is another one in the second turn."""
    if isinstance(value, str) and (listed := LISTED.fullmatch(value.strip())):
        value = [listed["judge"], listed["template"]]
    if isinstance(value, list) and len(value) > 1:
        return {"judge": cell(value[0]), "template": cell(value[1])}
    return {"judge": cell(value)}
