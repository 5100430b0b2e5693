"""From a reply to the columns of a table: its status first, then what a parser finds in its text."""

from __future__ import annotations

from collections.abc import Callable

from socialstats_collect.ask import Reply
from socialstats_collect.parse import VERSION, Parsed
from socialstats_collect.parse.refusal import refuses

NOT_ASKED = "missing"
"""Status of a unit without any answer on record."""


def read(reply: Reply | None, parser: Callable[[str], Parsed]) -> dict[str, object]:
    """Return answer, answer_status, rule, conflict, parser version and the reply's own status as columns.

    A content filter's block and a marked refusal are refusals whatever else stands there; a cut-off reply is parsed as
    far as it goes. Nothing becomes a value that was not read.

    Examples
    --------
    >>> from socialstats_collect.parse import parse_answer
    >>> read(Reply(key="", status="truncated", content='{"Answer": "B", "Rea'), parse_answer)["answer"]
    'B'
    >>> read(None, parse_answer)["answer_status"]
    'missing'
    """
    if reply is None:
        parsed, status = Parsed(status="empty", rule=NOT_ASKED), NOT_ASKED
        return _columns(parsed, NOT_ASKED, status)
    parsed = decide(reply, parser)
    return _columns(parsed, parsed.status, reply.status)


def decide(reply: Reply, parser: Callable[[str], Parsed]) -> Parsed:
    """Return what a reply says: a block, a marked refusal, an answer, a refusal in words, or nothing."""
    if reply.status == "content_filter":
        return Parsed(status="refusal", rule="content_filter")
    if reply.status == "refusal":
        return Parsed(status="refusal", rule="marked_refusal")
    parsed = parser(reply.content)
    if parsed.status == "unparsed" and refuses(reply.content):
        return Parsed(status="refusal", rule="refusal")
    return parsed


def _columns(parsed: Parsed, answer_status: str, reply_status: str) -> dict[str, object]:
    return {
        "answer": parsed.label,
        "answer_status": answer_status,
        "rule": parsed.rule,
        "conflict": parsed.conflict,
        "parser_version": VERSION,
        "reply_status": reply_status,
    }
