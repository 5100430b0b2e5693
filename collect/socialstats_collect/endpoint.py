"""An endpoint: one request and what came back, and the door that all workers share when it has no time for them."""

from __future__ import annotations

import asyncio
import base64
import email.utils
import json
import random
import re
import time
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from socialstats.errors import MissingDependency
from socialstats_collect.ask import Ask, Status
from socialstats_collect.secrets import hide, remember

if TYPE_CHECKING:
    import httpx2

SHOWN = 2000  # characters of a malformed body kept in the log
FINISH: Mapping[str, str] = {
    **dict.fromkeys(("stop", "end_turn", "stop_sequence", "eos", "eos_token", "complete", "completed", "done"), "ok"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length", "max_length", "incomplete",
                     "model_context_window_exceeded"), "truncated"),
    **dict.fromkeys(("content_filter", "content_filtered", "safety", "prohibited_content", "blocklist", "spii",
                     "recitation", "image_safety", "refusal", "moderation", "guardrail_intervened", "sensitive",
                     "blocked"), "blocked"),
    **dict.fromkeys(("error", "abort", "cancelled", "load", "network_error", "insufficient_system_resource"),
                    "malformed"),
}  # fmt: skip
"""Finish reasons of OpenAI, Azure, Gemini, Anthropic, Mistral, vLLM, TGI, llama.cpp and Ollama, in lower case."""
BLOCKS = re.compile(
    r"content[ _-]?(management )?(filter|policy)|moderation|responsibleai|flagged|invalid_prompt|data_inspection|"
    r"prohibited|safety (system|filter|setting)|blockreason", re.IGNORECASE)  # fmt: skip
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
    """

    status: Status
    content: str = ""
    refusal: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    http_status: int | None = None
    retry_after: float | None = None

    @property
    def words(self) -> str:
        """What the endpoint said, for a message."""
        said = self.detail.get("error_message") or self.detail.get("error_code") or self.status
        status = f"status {self.http_status}: " if self.http_status else ""
        return f"{status}{str(said)[:200]}"

    @property
    def shared(self) -> bool:
        """Whether the endpoint has no time for anybody, whatever is asked: too many requests, 5xx, no connection."""
        return self.status == "connection" or self.http_status in (408, 429) or (self.http_status or 0) >= 500

    @property
    def own(self) -> bool:
        """Whether the request itself is at fault, and asking again would bring the same."""
        return self.status == "http_error" and not self.shared


def judge(body: bytes, http_status: int = 200, headers: Mapping[str, str] | None = None) -> Outcome:
    """Return the outcome that a response means; only a well-formed completion is an answer.

    Examples
    --------
    >>> judge(b"<html>busy</html>").status, judge(b'{"error": {"code": "overloaded"}}').status
    ('malformed', 'http_error')
    >>> judge(b'{"error": {"code": "content_filter", "message": "filtered"}}', 400).status
    'blocked'
    >>> judge(b'{"choices": [{"message": {"content": "A"}, "finish_reason": "stop"}]}').content
    'A'
    """
    text = hide(body.decode("utf-8-sig", "replace"))
    ids = {"request_id": (headers or {}).get("x-request-id"), "retry_after": None}
    try:
        response = json.loads(text)
    except (ValueError, RecursionError):
        response = None
    if not isinstance(response, dict):
        if http_status >= 300:
            response = {"error": {"message": text[:500]}}
        else:
            return _malformed("not a JSON object", text, http_status)
    if http_status >= 300 or response.get("error"):
        return _failed(response, http_status, retry_after(headers or {}), ids)
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        for name in ("prompt_feedback", "promptFeedback"):
            if response.get(name):
                return Outcome(status="blocked", detail={"blocked_by": str(response[name])[:SHOWN], **ids},
                               http_status=http_status)  # fmt: skip
        return _malformed("no choice with a message", text, http_status)
    return _answer(response, choice, message, text, http_status, ids)


def _failed(response: Mapping[str, Any], http_status: int, wait: float | None, ids: Mapping[str, Any]) -> Outcome:
    """An error: a filter's block is an answer, all else is a failure on the way."""
    error = response.get("error", response)
    error = error if isinstance(error, dict) else {"message": error}
    named = {"error_type": error.get("type"), "error_code": error.get("code"), "error_message": error.get("message")}
    detail = {name: str(value)[:SHOWN] for name, value in named.items() if value is not None}
    code = str(error.get("code"))
    if http_status < 300 and code.isdigit() and 400 <= int(code) < 600:
        http_status = int(code)
    if http_status in BLOCKING and (found := BLOCKS.search(json.dumps(error))):
        words = error.get("metadata")
        words = words.get("reasons") if isinstance(words, dict) else None
        by = ", ".join(map(str, words)) if isinstance(words, list) else code if BLOCKS.search(code) else found[0]
        return Outcome(status="blocked", detail={**detail, "blocked_by": by, **ids}, http_status=http_status)
    return Outcome(status="http_error", detail={**detail, **ids}, http_status=http_status, retry_after=wait)


def _answer(
    response: Mapping[str, Any], choice: Mapping[str, Any], message: Mapping[str, Any], text: str, http_status: int,
    ids: Mapping[str, Any],
) -> Outcome:  # fmt: skip
    parts = _parts(message.get("content"))
    if parts is None:
        return _malformed("content is not text", text, http_status)
    content, thought, refused = parts
    refusal = str(message.get("refusal") or refused)
    finish = choice.get("finish_reason")
    word = str(finish or "").rpartition(".")[2].partition(":")[0].strip().lower()
    tools = message.get("tool_calls")
    means = FINISH.get(word, "ok" if content.strip() or tools else "malformed")
    if means == "malformed":
        return _malformed(f"finish_reason {finish!r}", text, http_status)
    status: Status = "blocked" if means == "blocked" else "refusal" if refusal else "ok"
    if means == "truncated" and status == "ok":
        status = "truncated"
    usage = response.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    kept = {
        "finish_reason": finish, "blocked_by": str(finish) if status == "blocked" else None, "tool_calls": tools,
        "model_returned": response.get("model"), "response_id": response.get("id"), "created": response.get("created"),
        "system_fingerprint": response.get("system_fingerprint"), "prompt_tokens": usage.get("prompt_tokens"),
        "completion_tokens": usage.get("completion_tokens"), "cost": usage.get("cost"),
        "reasoning_tokens": _inner(usage, "completion_tokens_details", "reasoning_tokens"),
        "cached_tokens": _inner(usage, "prompt_tokens_details", "cached_tokens"),
        "reasoning": message.get("reasoning_content") or message.get("reasoning") or thought or None,
        "logprobs": choice.get("logprobs"), **ids,
    }  # fmt: skip
    return Outcome(
        status="empty" if status == "ok" and not content.strip() else status, content=content, refusal=refusal,
        detail=kept, http_status=http_status,
    )  # fmt: skip


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
        name = "thinking" if kind in ("thinking", "reasoning") else kind if kind in texts else "text"
        texts[name] += value
    return texts["text"], texts["thinking"], texts["refusal"]


def _inner(usage: Mapping[str, Any], outer: str, name: str) -> Any:
    details = usage.get(outer)
    return details.get(name) if isinstance(details, dict) else None


def _malformed(why: str, text: str, http_status: int) -> Outcome:
    return Outcome(status="malformed", detail={"error_message": why, "body": text[:SHOWN]}, http_status=http_status)


@dataclass(slots=True)
class Client:
    """Sends requests to one endpoint; it never retries.

    Parameters
    ----------
    base_url, key
        Where to, and with which key; a user and password in the address are sent as such where there is no key.
    connections
        At most so many at a time.
    raw
        Keep the whole body of each response, compressed.
    """

    base_url: str
    key: str
    connections: int = 8
    raw: bool = False
    _client: httpx2.AsyncClient | None = None
    _url: str = ""

    async def __aenter__(self) -> Client:
        try:
            import httpx2
        except ImportError:
            raise MissingDependency("collecting needs httpx2: pip install 'socialstats[collect]'") from None
        parts = urlsplit(self.base_url)
        headers = {"content-type": "application/json", "user-agent": "socialstats"}
        if parts.password and not self.key:
            pair = base64.b64encode(f"{parts.username}:{parts.password}".encode()).decode()
            remember(pair)
            headers["authorization"] = f"Basic {pair}"
        elif self.key:
            headers["authorization"] = f"Bearer {self.key}"
        path = f"{parts.path.rstrip('/')}/chat/completions"
        self._url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], path=path))
        limits = httpx2.Limits(max_connections=self.connections, max_keepalive_connections=self.connections)
        self._client = httpx2.AsyncClient(limits=limits, headers=headers, timeout=None)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def attempt(self, ask: Ask, *, timeout: float) -> Outcome:
        """Make one request and return how it ended; nothing is raised but cancellation.

        Parameters
        ----------
        ask
            The request; its parameters are sent as they are, nothing is added.
        timeout
            Seconds for the whole attempt, a stalled body included.
        """
        assert self._client is not None
        body = {"model": ask.model, "messages": [dict(message) for message in ask.messages], **ask.parameters}
        try:
            async with asyncio.timeout(timeout):
                response = await self._client.post(self._url, content=json.dumps(body).encode())
        except TimeoutError:
            return Outcome(status="timeout", detail={"error_message": f"no answer within {timeout:g} s"})
        except Exception as error:  # whatever a transport raises: the connection failed, and the run goes on
            name, words = type(error).__name__, hide(str(error)) or type(error).__name__
            return Outcome(status="connection", detail={"error_type": name, "error_message": words})
        outcome = judge(response.content, response.status_code, response.headers)
        if self.raw:
            packed = base64.b64encode(zlib.compress(hide(response.text).encode("utf-8", "replace"))).decode()
            return Outcome(**{name: getattr(outcome, name) for name in Outcome.__slots__ if name != "detail"},
                           detail={**outcome.detail, "raw": packed})  # fmt: skip
        return outcome


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
    codes = (outcome.detail.get("error_code"), outcome.detail.get("error_type"), outcome.http_status)
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

    async def wait(self) -> None:
        """Return when the next attempt may start."""
        clock = asyncio.get_running_loop().time
        while True:
            if (left := self._closed_until - clock()) > 0:
                await asyncio.sleep(left)
                continue
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
            wait = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (self._failures - 1)) * random.uniform(0.5, 1.0)
        self._closed_until = max(self._closed_until, now + wait)
        self._opened = self._closed_until

    @property
    def failing(self) -> float:
        """Seconds since the first of the failures that no answer followed."""
        return 0.0 if self.since is None else asyncio.get_running_loop().time() - self.since
