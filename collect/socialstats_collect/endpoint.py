"""An endpoint: one attempt at a request, what came back, and when the next attempt may start."""

from __future__ import annotations

import asyncio
import email.utils
import json
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from socialstats.errors import MissingDependency
from socialstats_collect.ask import Ask, Status

if TYPE_CHECKING:
    import openai


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


def open_client(base_url: str, key: str, *, connections: int) -> openai.AsyncOpenAI:
    """Return a client for one endpoint; it never retries and never waits longer than it is told for each attempt.

    Raises
    ------
    MissingDependency
        Where the openai package is not installed.
    """
    try:
        import openai
    except ImportError:
        raise MissingDependency("collecting needs the openai package: pip install 'socialstats[collect]'") from None
    import httpx2

    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    return openai.AsyncOpenAI(
        base_url=base_url,
        api_key=key or "none",
        max_retries=0,
        timeout=None,
        http_client=openai.DefaultAsyncHttpxClient(limits=limits),
    )


async def attempt(client: openai.AsyncOpenAI, ask: Ask, *, timeout: float) -> Outcome:
    """Make one request and return how it ended; nothing is raised but cancellation.

    Parameters
    ----------
    client
        From `open_client`.
    ask
        The request; its parameters are sent as they are, nothing is added.
    timeout
        Seconds for the whole attempt, a stalled body included.
    """
    import openai

    try:
        async with asyncio.timeout(timeout):
            response = await client.chat.completions.with_raw_response.create(
                model=ask.model,
                messages=[dict(message) for message in ask.messages],  # type: ignore[misc]
                extra_body=dict(ask.parameters),
            )
            return judge(response.http_response.content, response.http_response.status_code)
    except (TimeoutError, openai.APITimeoutError):
        return Outcome(status="timeout", detail={"error_message": f"no answer within {timeout:g} s"})
    except openai.APIStatusError as error:
        return _refused(error.response.status_code, error.response.content, error.response.headers)
    except openai.APIConnectionError as error:
        cause = error.__cause__ or error
        return Outcome(status="connection", detail={"error_type": type(cause).__name__, "error_message": str(cause)})


def _refused(http_status: int, body: bytes, headers: Mapping[str, str]) -> Outcome:
    text = body.decode("utf-8", "replace")
    try:
        detail = error_of(json.loads(text))
    except (ValueError, RecursionError):
        detail = {"error_message": text[:500]}
    return Outcome(status="http_error", detail=detail, http_status=http_status, retry_after=retry_after(headers))


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
    date = email.utils.parsedate_tz(headers.get("retry-after", ""))
    if date is None:
        return None
    return max(0.0, float(email.utils.mktime_tz(date)) - (time.time() if now is None else now))


RETRIED: tuple[Status, ...] = ("malformed", "http_error", "timeout", "connection")
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
FATAL_STATUS = {
    401: "the endpoint does not accept the key",
    404: "the endpoint does not know this address or model",
    402: "the account has no credit left",
}
FATAL_CODES = {
    "insufficient_quota": "the account's quota is used up",
    "invalid_api_key": "the endpoint does not accept the key",
    "model_not_found": "the endpoint does not know this model",
    "billing_hard_limit_reached": "the account's billing limit is reached",
}
GIVEN_UP = (400, 403, 405, 413, 415, 422)  # the request itself is at fault: asking again brings the same


@dataclass(slots=True)
class Pacer:
    """Lets attempts at one endpoint start, no faster than it allows.

    Parameters
    ----------
    per_minute
        Requests a minute; None for no limit of our own.

    Examples
    --------
    >>> pacer = Pacer(per_minute=None)
    >>> asyncio.run(pacer.wait())
    """

    per_minute: float | None = None
    _next: float = 0.0
    _closed_until: float = 0.0

    @property
    def open(self) -> bool:
        """Whether an attempt may start at once."""
        return not self.per_minute and asyncio.get_running_loop().time() >= self._closed_until

    async def wait(self) -> None:
        """Return when the next attempt may start."""
        clock = asyncio.get_running_loop().time
        while (left := self._closed_until - clock()) > 0:
            await asyncio.sleep(left)
        if self.per_minute:
            start = max(clock(), self._next)
            self._next = start + 60.0 / self.per_minute
            await asyncio.sleep(max(0.0, start - clock()))

    def close_for(self, seconds: float) -> None:
        """Start nothing for so many seconds: an endpoint's ``Retry-After`` holds for every worker."""
        self._closed_until = max(self._closed_until, asyncio.get_running_loop().time() + seconds)


@dataclass(frozen=True, slots=True)
class Backoff:
    """How long to wait before attempt ``n + 1``: doubling pauses with jitter, or what the endpoint asks for."""

    seed: int = 0
    _random: random.Random = field(default_factory=random.Random)

    def pause(self, attempt: int) -> float:
        """Return seconds to wait after failed attempt number ``attempt`` (1, 2, ...).

        Examples
        --------
        >>> 0.25 <= Backoff().pause(1) <= 0.5
        True
        """
        full = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (attempt - 1))
        return full * self._random.uniform(0.5, 1.0)


def fatal(outcome: Outcome) -> str | None:
    """Return why the whole run must stop after an outcome, or None.

    Examples
    --------
    >>> fatal(Outcome(status="http_error", http_status=401))
    'the endpoint does not accept the key'
    >>> fatal(Outcome(status="http_error", http_status=429)) is None
    True
    """
    if outcome.status != "http_error":
        return None
    for name in ("error_code", "error_type"):
        if why := FATAL_CODES.get(str(outcome.detail.get(name))):
            return why
    return FATAL_STATUS.get(outcome.http_status or 0)


def again(outcome: Outcome) -> bool:
    """Return whether another attempt could end differently."""
    return outcome.status in RETRIED and outcome.http_status not in GIVEN_UP
