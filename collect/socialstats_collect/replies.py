"""What a response means: an answer of the model, a filter's block, or a failure on the way."""

from __future__ import annotations

import email.utils
import json
import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import Any

from socialstats_collect.ask import DATA, Status
from socialstats_collect.secrets import hide
from socialstats_collect.tally import amount

SHOWN = 2000  # characters of a malformed body kept in the log
SHOWN_AMOUNT = 60  # characters of an amount that is none
DEEPEST = 64  # levels of a reply's JSON; those of every endpoint have fewer than 10
FINISHES = {
    "ok": "stop end_turn stop_sequence eos eos_token complete completed done",
    "truncated": "length max_tokens max_output_tokens model_length max_length incomplete model_context_window_exceeded",
    "blocked": "content_filter content_filtered safety prohibited_content blocklist spii recitation image_safety "
    "refusal moderation guardrail_intervened sensitive blocked",
    "malformed": "error abort cancelled load network_error insufficient_system_resource",
}
FINISH = {word: status for status, words in FINISHES.items() for word in words.split()}
"""Finish reasons of OpenAI, Azure, Gemini, Anthropic, Mistral, vLLM, TGI, llama.cpp and Ollama, in lower case."""
BLOCKS = re.compile(
    r"content[ _-]?(management )?(filter|policy)|moderation|responsibleai|flagged|invalid_prompt|data_inspection|"
    r"prohibited|safety (system|filter|setting)|blockreason",
    re.IGNORECASE,
)
BLOCKING = (200, 400, 403, 422, 451)  # codes with which a filter answers


AMOUNTS = {
    "prompt_tokens": ("prompt_tokens",),
    "completion_tokens": ("completion_tokens",),
    "cost_reported": ("cost",),
    "reasoning_tokens": ("completion_tokens_details", "reasoning_tokens"),
    "cached_tokens": ("prompt_tokens_details", "cached_tokens"),
}
"""What a line of the log calls an amount of ``usage``, and where it stands. Budgets count those of one step."""


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
        The response's status code, or the one in its error; None where there was no response.
    retry_after
        Seconds the endpoint asks to wait.
    sent
        Whether the request left this machine.
    """

    status: Status
    content: str = ""
    refusal: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    http_status: int | None = None
    retry_after: float | None = None
    sent: bool = True

    @property
    def words(self) -> str:
        """What the endpoint said, for a message."""
        message = self.detail.get("error_message") or self.detail.get("error_code") or self.status
        status = f"status {self.http_status}: " if self.http_status else ""
        return f"{status}{str(message)[:200]}"

    @property
    def shared(self) -> bool:
        """Whether the endpoint has no time for anybody, whatever is asked: too many requests, 5xx, no connection."""
        return (
            self.status == "connection"
            or self.http_status in (408, 429)
            or (self.http_status or 0) >= 500
        )

    @property
    def own(self) -> bool:
        """Whether the request itself is at fault, and asking again would bring the same."""
        return self.status == "http_error" and not self.shared

    @property
    def billed(self) -> bool:
        """Whether there is an answer that costs."""
        return self.status in DATA and (self.http_status or 0) < 300

    @property
    def billable(self) -> bool:
        """Whether the call may have been billed, with or without an answer."""
        return self.sent and self.status != "http_error" and (self.http_status or 200) < 300


def at(value: Any, *steps: str | int) -> Any:
    """Return what a JSON value holds at a path; None where it holds nothing there.

    Examples
    --------
    >>> at({"choices": [{"index": 0}]}, "choices", 0, "index"), at({"choices": "x"}, "choices", 0, "index")
    (0, None)
    """
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    return value


def response_outcome(
    body: bytes,
    http_status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    usage: bool = True,
) -> Outcome:
    """Return the outcome that a response means; only a well-formed completion is an answer.

    With `usage` its counts of tokens and its cost are kept.

    Examples
    --------
    >>> response_outcome(b"<html>busy</html>").status, response_outcome(b'{"error": {"code": "overloaded"}}').status
    ('malformed', 'http_error')
    >>> response_outcome(b'{"error": {"code": "content_filter", "message": "filtered"}}', 400).status
    'blocked'
    >>> response_outcome(b'{"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}').content
    'A'
    """
    text, headers = text_of(body), headers or {}
    response, fault = parsed_json(text)
    if http_status >= 300 or at(response, "error"):
        error = {"message": text} if response is None else response.get("error", response)
        outcome = _failed(error, http_status, retry_after(headers))
    elif response is None:
        outcome = _malformed(fault, text)
    else:
        outcome = _answered(response, text)
    detail = {"request_id": headers.get("x-request-id")}
    detail |= usage_of(at(response, "usage")) if usage else {}
    detail |= outcome.detail
    http_status = outcome.http_status or http_status
    return _without_keys(replace(outcome, detail=detail, http_status=http_status))


def text_of(body: bytes) -> str:
    """Return the text of a response."""
    return body.decode("utf-8-sig", "replace")


def parsed_json(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the JSON object that a response is, or None and what is wrong with it."""
    try:
        response = json.loads(text)
    except RecursionError:
        return None, "JSON that is nested too deeply"
    except ValueError:
        return None, "not a JSON object"
    if is_deeper(response, DEEPEST):
        return None, f"JSON that is nested more than {DEEPEST} levels deep"
    return (response, "") if isinstance(response, dict) else (None, "not a JSON object")


def is_deeper(value: object, levels: int) -> bool:
    """Return whether a JSON value is nested deeper than so many levels."""
    if not isinstance(value, dict | list):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_deeper(part, levels - 1) for part in parts)


def _without_keys(outcome: Outcome) -> Outcome:
    """Return an outcome without secrets; the tokens of a text that held one are left out, as they spell it."""
    content, refusal = hide(outcome.content), hide(outcome.refusal)
    detail = {name: hide(value) for name, value in outcome.detail.items()}
    if (content, refusal) != (outcome.content, outcome.refusal):
        detail.pop("logprobs", None)
    return replace(outcome, content=content, refusal=refusal, detail=detail)


def usage_of(usage: Any) -> dict[str, Any]:
    """Return what a response says that it took, for the log; what is no amount stands in ``usage_wrong`` as text.

    Examples
    --------
    >>> usage_of({"prompt_tokens": 9, "completion_tokens": 2.0, "cost": 0.5})
    {'prompt_tokens': 9, 'completion_tokens': 2, 'cost_reported': 0.5}
    >>> usage_of({"prompt_tokens": -1, "cost": [1]})
    {'usage_wrong': 'usage.prompt_tokens = -1, usage.cost = [1]'}
    """
    if usage and not isinstance(usage, dict):
        return {"usage_wrong": f"usage = {as_short_text(json.dumps(usage), SHOWN_AMOUNT)}"}
    amounts: dict[str, Any] = {}
    wrong = []
    for name, steps in AMOUNTS.items():
        value = at(usage, *steps)
        number = amount(value)
        if number is not None:
            amounts[name] = number if name == "cost_reported" else math.ceil(number)
        elif value is not None and len(steps) == 1:
            wrong.append(f"usage.{steps[0]} = {as_short_text(json.dumps(value), SHOWN_AMOUNT)}")
    if wrong:
        amounts["usage_wrong"] = ", ".join(wrong)
    return amounts


def _failed(error: Any, http_status: int, wait: float | None) -> Outcome:
    """Return an error: a filter's block is an answer, all else is a failure on the way."""
    if not isinstance(error, dict):
        error = {"message": error}
    detail: dict[str, Any] = {
        f"error_{name}": as_short_text(error[name])
        for name in ("type", "code", "message")
        if error.get(name) is not None
    }
    code = as_short_text(error.get("code"))
    if http_status < 300 and re.fullmatch("[45][0-9][0-9]", code):
        http_status = int(code)
    words = BLOCKS.search(json.dumps(error))
    if words is None or http_status not in BLOCKING:
        return Outcome(
            status="http_error", detail=detail, http_status=http_status, retry_after=wait
        )
    reasons = at(error, "metadata", "reasons")
    by = code if BLOCKS.search(code) else words[0]
    if isinstance(reasons, list):
        by = ", ".join(map(as_short_text, reasons))
    detail["blocked_by"] = by[:SHOWN]
    return Outcome(status="blocked", detail=detail, http_status=http_status)


def _answered(response: Mapping[str, Any], text: str) -> Outcome:
    """Return a completion, or what stands in its place."""
    choice = at(response, "choices", 0)
    message = at(choice, "message")
    if not isinstance(message, dict):
        feedback = response.get("prompt_feedback") or response.get("promptFeedback")
        if feedback:
            return Outcome(status="blocked", detail={"blocked_by": as_short_text(feedback)})
        return _malformed("no choice with a message", text)
    texts = content_texts(message.get("content"))
    if texts is None:
        return _malformed("content is not text", text)
    content = texts["text"]
    refusal = as_json_text(message.get("refusal")) or texts["refusal"]
    finish = as_json_text(choice.get("finish_reason"))
    tools = message.get("tool_calls")
    word = (finish or "").rpartition(".")[2].partition(":")[0].strip().lower()
    status: Any = FINISH.get(word, "ok" if content.strip() or tools else "malformed")
    if status == "malformed":
        return _malformed(f"finish_reason {finish!r}", text)
    if status != "blocked" and refusal:
        status = "refusal"
    thoughts = message.get("reasoning_content") or message.get("reasoning") or texts["thinking"]
    detail = {
        "finish_reason": finish,
        "blocked_by": finish if status == "blocked" else None,
        "tool_calls": tools,
        "model_returned": as_json_text(response.get("model")),
        "response_id": as_json_text(response.get("id")),
        "created": amount(response.get("created")),
        "system_fingerprint": as_json_text(response.get("system_fingerprint")),
        "reasoning": as_json_text(thoughts or None),
        "logprobs": choice.get("logprobs"),
    }
    if status == "ok" and not content.strip():
        status = "empty"
    return Outcome(status=status, content=content, refusal=refusal, detail=detail)


def content_texts(content: object) -> dict[str, str] | None:
    """Return the text, the thinking and the refusal in a string or a list of parts; None where it is neither."""
    texts = {"text": "", "thinking": "", "refusal": ""}
    if content is None or isinstance(content, str):
        return texts | {"text": content or ""}
    if not isinstance(content, list):
        return None
    for part in content:
        kind = str(part.get("type", "text")) if isinstance(part, dict) else ""
        value = (at(part, kind) or at(part, "text")) if kind else None
        if isinstance(value, list):
            value = "".join((content_texts(value) or {}).values())
        if not isinstance(value, str):
            return None
        kind = "thinking" if kind == "reasoning" else kind
        texts[kind if kind in texts else "text"] += value
    return texts


def as_json_text(value: object) -> str | None:
    """Return a JSON value as text: a text as it is, null as None, anything else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def as_short_text(value: object, most: int = SHOWN) -> str:
    """Return the head of a value as text; no secret is cut in two."""
    return str(hide(str(as_json_text(value))[: 2 * SHOWN]))[:most]


def _malformed(why: str, text: str) -> Outcome:
    return Outcome(status="malformed", detail={"error_message": why, "body": as_short_text(text)})


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return how many seconds an endpoint asks to wait: ``retry-after-ms``, or ``retry-after`` as seconds or a date.

    Examples
    --------
    >>> retry_after({"retry-after": "2.5"}), retry_after({"retry-after-ms": "300"}), retry_after({})
    (2.5, 0.3, None)
    >>> retry_after({"retry-after": "Thu, 01 Jan 1970 00:00:30 GMT"}, now=10)
    20.0
    """
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, date.timestamp() - (time.time() if now is None else now))
    except (ValueError, OverflowError):
        return None
