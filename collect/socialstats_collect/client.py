"""One attempt at one request: the openai client without its own retries, and every way it can end as an outcome."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from socialstats.errors import MissingDependency
from socialstats_collect.ask import Ask
from socialstats_collect.replies import Outcome, error_of, judge

if TYPE_CHECKING:
    import openai


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
