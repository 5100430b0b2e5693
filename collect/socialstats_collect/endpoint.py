"""An endpoint: what its response means, and the door that all workers share when it has no time for them."""

from __future__ import annotations

import asyncio
import email.utils
import json
import math
import random
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
FINISH: Mapping[str, str] = {
    **dict.fromkeys(
        ("stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "done"),
        "ok",
    ),
    **dict.fromkeys(
        (
            "length",
            "max_tokens",
            "max_output_tokens",
            "model_length",
            "max_length",
            "incomplete",
            "model_context_window_exceeded",
        ),
        "truncated",
    ),
    **dict.fromkeys(
        (
            "content_filter",
            "content_filtered",
            "safety",
            "prohibited_content",
            "blocklist",
            "spii",
            "recitation",
            "image_safety",
            "refusal",
            "moderation",
            "guardrail_intervened",
            "sensitive",
            "blocked",
        ),
        "blocked",
    ),
    **dict.fromkeys(
        ("error", "abort", "cancelled", "load", "network_error", "insufficient_system_resource"),
        "malformed",
    ),
}
"""Finish reasons of OpenAI, Azure, Gemini, Anthropic, Mistral, vLLM, TGI, llama.cpp and Ollama, in lower case."""
BLOCKS = re.compile(
    r"content[ _-]?(management )?(filter|policy)|moderation|responsibleai|flagged|invalid_prompt|data_inspection|"
    r"prohibited|safety (system|filter|setting)|blockreason",
    re.IGNORECASE,
)
BLOCKING = (200, 400, 403, 422, 451)  # codes with which a filter answers


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
        said = self.detail.get("error_message") or self.detail.get("error_code") or self.status
        status = f"status {self.http_status}: " if self.http_status else ""
        return f"{status}{str(said)[:200]}"

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


def judge(
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
    >>> judge(b"<html>busy</html>").status, judge(b'{"error": {"code": "overloaded"}}').status
    ('malformed', 'http_error')
    >>> judge(b'{"error": {"code": "content_filter", "message": "filtered"}}', 400).status
    'blocked'
    >>> judge(b'{"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}').content
    'A'
    """
    text, headers = text_of(body), headers or {}
    response, fault = _parsed(text)
    if response is None and http_status >= 300:
        response = {"error": {"message": _short(text)}}
    if response is None:
        outcome = _malformed(fault, text)
    elif http_status >= 300 or response.get("error"):
        outcome = _failed(response, http_status, retry_after(headers))
    else:
        outcome = _answered(response, text)
    kept = {
        "request_id": headers.get("x-request-id"),
        **usage_of(response or {} if usage else {}),
        **outcome.detail,
    }
    return _without_keys(
        replace(outcome, detail=kept, http_status=outcome.http_status or http_status)
    )


def text_of(body: bytes) -> str:
    """Return the text of a response."""
    return body.decode("utf-8-sig", "replace")


def _parsed(text: str) -> tuple[dict[str, Any] | None, str]:
    """Return the JSON object that a response is, or None and what is wrong with it."""
    try:
        response = json.loads(text)
    except RecursionError:
        return None, "JSON that is nested too deeply"
    except ValueError:
        return None, "not a JSON object"
    if _deeper(response, DEEPEST):
        return None, f"JSON that is nested more than {DEEPEST} levels deep"
    return (response, "") if isinstance(response, dict) else (None, "not a JSON object")


def _deeper(value: object, levels: int) -> bool:
    """Return whether a JSON value is nested deeper than so many levels."""
    inner = [value]
    while inner and levels:
        levels -= 1
        parts = (
            one.values() if isinstance(one, dict) else one
            for one in inner
            if isinstance(one, dict | list)
        )
        inner = [part for several in parts for part in several if isinstance(part, dict | list)]
    return bool(inner)


def _without_keys(outcome: Outcome) -> Outcome:
    """Return an outcome without secrets; the tokens of a text that held one are left out, as they spell it."""
    content, refusal = hide(outcome.content), hide(outcome.refusal)
    detail = {name: hide(value) for name, value in outcome.detail.items()}
    if (content, refusal) != (outcome.content, outcome.refusal):
        detail.pop("logprobs", None)
    return replace(outcome, content=content, refusal=refusal, detail=detail)


COUNTED = ("prompt_tokens", "completion_tokens", "cost")
"""What a reply's ``usage`` says of tokens and money; the others are kept, and count for nothing."""


def usage_of(response: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a response says that it took, for the log; what is no amount stands in ``usage_wrong`` as text.

    Examples
    --------
    >>> usage_of({"usage": {"prompt_tokens": 9, "completion_tokens": 2.0, "cost": 0.5}})
    {'prompt_tokens': 9, 'completion_tokens': 2, 'cost_reported': 0.5}
    >>> usage_of({"usage": {"prompt_tokens": -1, "cost": [1]}})
    {'usage_wrong': 'usage.prompt_tokens = -1, usage.cost = [1]'}
    """
    usage = response.get("usage") or {}
    if not isinstance(usage, dict):
        return {"usage_wrong": f"usage = {_short(json.dumps(usage), SHOWN_AMOUNT)}"}
    inner = {
        "reasoning_tokens": "completion_tokens_details",
        "cached_tokens": "prompt_tokens_details",
    }
    details = {name: usage.get(outer) for name, outer in inner.items()}
    given = {
        **{name: usage.get(name) for name in COUNTED},
        **{name: outer.get(name) for name, outer in details.items() if isinstance(outer, dict)},
    }
    kept: dict[str, Any] = {}
    for name, value in given.items():
        if (number := amount(value)) is not None:
            kept["cost_reported" if name == "cost" else name] = (
                number if name == "cost" else math.ceil(number)
            )
    wrong = [
        f"usage.{name} = {_short(json.dumps(given[name]), SHOWN_AMOUNT)}"
        for name in COUNTED
        if given[name] is not None and amount(given[name]) is None
    ]
    return {**kept, "usage_wrong": ", ".join(wrong)} if wrong else kept


def _failed(response: Mapping[str, Any], http_status: int, wait: float | None) -> Outcome:
    """An error: a filter's block is an answer, all else is a failure on the way."""
    error = response.get("error", response)
    error = error if isinstance(error, dict) else {"message": error}
    named = {
        "error_type": error.get("type"),
        "error_code": error.get("code"),
        "error_message": error.get("message"),
    }
    detail: dict[str, Any] = {
        name: _short(value) for name, value in named.items() if value is not None
    }
    code = _short(error.get("code"))
    if http_status < 300 and re.fullmatch("[45][0-9][0-9]", code):
        http_status = int(code)
    if http_status in BLOCKING and (words := BLOCKS.search(json.dumps(error))):
        metadata = error.get("metadata")
        reasons = metadata.get("reasons") if isinstance(metadata, dict) else None
        by = (
            ", ".join(map(_short, reasons))
            if isinstance(reasons, list)
            else code
            if BLOCKS.search(code)
            else words[0]
        )
        return Outcome(
            status="blocked", detail={**detail, "blocked_by": by[:SHOWN]}, http_status=http_status
        )
    return Outcome(status="http_error", detail=detail, http_status=http_status, retry_after=wait)


def _answered(response: Mapping[str, Any], text: str) -> Outcome:
    """A completion, or what stands in its place."""
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        for name in ("prompt_feedback", "promptFeedback"):
            if response.get(name):
                return Outcome(status="blocked", detail={"blocked_by": _short(response[name])})
        return _malformed("no choice with a message", text)
    parts = _parts(message.get("content"))
    if parts is None:
        return _malformed("content is not text", text)
    content, thought, refused = parts
    refusal = _text(message.get("refusal")) or refused
    finish = _text(choice.get("finish_reason"))
    word = (finish or "").rpartition(".")[2].partition(":")[0].strip().lower()
    tools = message.get("tool_calls")
    means = FINISH.get(word, "ok" if content.strip() or tools else "malformed")
    if means == "malformed":
        return _malformed(f"finish_reason {finish!r}", text)
    status: Status = "blocked" if means == "blocked" else "refusal" if refusal else "ok"
    if means == "truncated" and status == "ok":
        status = "truncated"
    detail = {
        "finish_reason": finish,
        "blocked_by": finish if status == "blocked" else None,
        "tool_calls": tools,
        "model_returned": _text(response.get("model")),
        "response_id": _text(response.get("id")),
        "created": amount(response.get("created")),
        "system_fingerprint": _text(response.get("system_fingerprint")),
        "reasoning": _text(message.get("reasoning_content") or message.get("reasoning"))
        or thought
        or None,
        "logprobs": choice.get("logprobs"),
    }
    empty = status == "ok" and not content.strip()
    return Outcome(
        status="empty" if empty else status, content=content, refusal=refusal, detail=detail
    )


def _parts(content: object) -> tuple[str, str, str] | None:
    """The answer's text, the thoughts before it and a refusal, of a string or a list of parts; None of neither."""
    if content is None or isinstance(content, str):
        return content or "", "", ""
    if not isinstance(content, list):
        return None
    texts = {"text": "", "thinking": "", "refusal": ""}
    for part in content:
        kind = str(part.get("type", "text")) if isinstance(part, dict) else ""
        value = part.get(kind) or part.get("text") if kind else None
        value = "".join(_parts(value) or ()) if isinstance(value, list) else value
        if not isinstance(value, str):
            return None
        name = (
            "thinking" if kind in ("thinking", "reasoning") else kind if kind in texts else "text"
        )
        texts[name] += value
    return texts["text"], texts["thinking"], texts["refusal"]


def _text(value: object) -> str | None:
    """Return a JSON value as text: a text as it is, null as None, anything else as JSON."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _short(value: object, most: int = SHOWN) -> str:
    """Return the head of a value as text; no secret is cut in two."""
    return str(hide(str(_text(value))[: 2 * SHOWN]))[:most]


def _malformed(why: str, text: str) -> Outcome:
    return Outcome(status="malformed", detail={"error_message": why, "body": _short(text)})


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


FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LOST = {
    401: "the endpoint does not accept the key",
    402: "the account has no credit left",
    404: "the endpoint does not know this address or model",
    "insufficient_quota": "the account's quota is used up",
    "invalid_api_key": "the endpoint does not accept the key",
    "model_not_found": "the endpoint does not know this model",
    "billing_hard_limit_reached": "the account's billing limit is reached",
}  # codes after which asking again is in vain: of a model (404), or of all models at the endpoint


def lost(outcome: Outcome) -> tuple[str, bool]:
    """Return why asking further is in vain after an outcome, if it is, and whether that holds for one model alone.

    Examples
    --------
    >>> lost(Outcome(status="http_error", http_status=401))
    ('the endpoint does not accept the key', False)
    >>> lost(Outcome(status="http_error", http_status=429))
    ('', False)
    """
    if outcome.status != "http_error":
        return "", False
    codes = (
        outcome.detail.get("error_code"),
        outcome.detail.get("error_type"),
        outcome.http_status,
    )
    code = next((one for one in codes if one in LOST), None)
    return (LOST[code], code in (404, "model_not_found")) if code is not None else ("", False)


@dataclass(slots=True)
class Door:
    """Lets attempts at one endpoint start: no faster than it allows, and none while it has no time.

    Attributes
    ----------
    per_minute
        Requests a minute; None for no limit of our own.
    latest
        When the last attempt started that ended in an answer.
    since
        When the failures began that no answer has followed yet; None without.
    """

    per_minute: float | None = None
    latest: float = 0.0
    since: float | None = None
    _next: float = 0.0
    _closed_until: float = 0.0
    _failures: int = 0
    _opened: float = 0.0

    async def opened(self) -> None:
        """Return when the door is open."""
        clock = asyncio.get_running_loop().time
        while (left := self._closed_until - clock()) > 0:
            await asyncio.sleep(left)

    async def wait(self) -> None:
        """Return when the next attempt may start."""
        clock = asyncio.get_running_loop().time
        while True:
            await self.opened()
            if not self.per_minute:
                return
            start = max(clock(), self._next)
            self._next = start + 60.0 / self.per_minute
            await asyncio.sleep(max(0.0, start - clock()))
            if clock() >= self._closed_until:
                return

    def answered(self, started: float) -> None:
        """Note an answer: whatever was wrong is over."""
        self.latest, self.since, self._failures = max(self.latest, started), None, 0

    def failed(self, wait: float | None, started: float) -> None:
        """Close after a failure: as long as the endpoint asks, else a while that doubles with each closing."""
        now = asyncio.get_running_loop().time()
        self.since = started if self.since is None else self.since
        if wait is None:
            if started < self._opened:
                return  # begun before the door closed last: the same failure
            self._failures += 1
            wait = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (self._failures - 1)) * random.uniform(
                0.5, 1.0
            )
        self._closed_until = max(self._closed_until, now + wait)
        self._opened = self._closed_until

    @property
    def failing(self) -> float:
        """Seconds since the first of the failures that no answer followed."""
        return 0.0 if self.since is None else asyncio.get_running_loop().time() - self.since
