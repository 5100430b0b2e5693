"""What an endpoint sent back, judged: an answer of the model, or a failure of the way to it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from socialstats_collect.ask import Status

FINISHED = ("stop", "length", "content_filter", "eos", "end_turn", "stop_sequence")
SHOWN = 2000  # characters of a malformed body kept in the log


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One attempt's outcome: a status, the answer's text if there is one, and everything worth keeping.

    Parameters
    ----------
    status
        See `socialstats_collect.ask.Status`.
    content, refusal
        The model's texts.
    detail
        For the log: finish_reason, model_returned, response_id, usage, error type and code, a malformed body's head.
    http_status
        The response's status code; None where there was no response.
    retry_after
        Seconds the endpoint asks to wait.
    """

    status: Status
    content: str = ""
    refusal: str = ""
    detail: dict[str, Any] = field(default_factory=dict)
    http_status: int | None = None
    retry_after: float | None = None


def judge(body: bytes, http_status: int = 200) -> Outcome:
    """Return the outcome that a response's body means; only a well-formed completion is an answer.

    Examples
    --------
    >>> judge(b"<html>busy</html>").status, judge(b'{"error": {"code": "overloaded"}}').status
    ('malformed', 'http_error')
    >>> judge(b'{"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}').content
    'A'
    """
    text = body.decode("utf-8", "replace")
    try:
        response = json.loads(text)
    except (ValueError, RecursionError):
        return _malformed("not JSON", text, http_status)
    if not isinstance(response, dict):
        return _malformed("not an object", text, http_status)
    if response.get("error"):
        return Outcome(status="http_error", detail=error_of(response), http_status=http_status)
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return _malformed("no choice with a message", text, http_status)
    finish = choice.get("finish_reason")
    if finish not in FINISHED:
        return _malformed(f"finish_reason {finish!r}", text, http_status)
    return _answer(response, message, str(finish), text, http_status)


def _answer(response: dict[str, Any], message: dict[str, Any], finish: str, text: str, http_status: int) -> Outcome:
    content = _text(message.get("content"))
    if content is None:
        return _malformed("content is not text", text, http_status)
    refusal = message.get("refusal")
    refusal = refusal if isinstance(refusal, str) else ""
    status: Status = "ok" if content.strip() else "empty"
    if refusal:
        status = "refusal"
    elif finish == "content_filter":
        status = "content_filter"
    elif finish == "length":
        status = "truncated"
    return Outcome(
        status=status,
        content=content,
        refusal=refusal,
        detail=_kept(response, message, finish),
        http_status=http_status,
    )


def _kept(response: dict[str, Any], message: dict[str, Any], finish: str) -> dict[str, Any]:
    usage = response.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    kept = {
        "finish_reason": finish,
        "model_returned": response.get("model"),
        "response_id": response.get("id"),
        "created": response.get("created"),
        "system_fingerprint": response.get("system_fingerprint"),
        "prompt_tokens": usage.get("prompt_tokens"),
        "completion_tokens": usage.get("completion_tokens"),
        "reasoning_tokens": _inner(usage, "completion_tokens_details", "reasoning_tokens"),
        "cached_tokens": _inner(usage, "prompt_tokens_details", "cached_tokens"),
        "reasoning": message.get("reasoning_content") or message.get("reasoning"),
    }
    return {name: value for name, value in kept.items() if value is not None}


def _inner(usage: dict[str, Any], outer: str, name: str) -> Any:
    details = usage.get(outer)
    return details.get(name) if isinstance(details, dict) else None


def _text(content: object) -> str | None:
    """The text of a message: a string, nothing, or a list of text parts as some endpoints send it."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(
        isinstance(part, dict) and isinstance(part.get("text"), str) for part in content
    ):
        return "".join(part["text"] for part in content)
    return None


def error_of(response: object) -> dict[str, Any]:
    """Return type, code and message of an error body, as far as it has them."""
    error = response.get("error", response) if isinstance(response, dict) else response
    if not isinstance(error, dict):
        return {"error_message": str(error)[:SHOWN]}
    kept = {"error_type": error.get("type"), "error_code": error.get("code"), "error_message": error.get("message")}
    return {name: str(value)[:SHOWN] for name, value in kept.items() if value is not None}


def _malformed(why: str, text: str, http_status: int) -> Outcome:
    return Outcome(status="malformed", detail={"error_message": why, "body": text[:SHOWN]}, http_status=http_status)
