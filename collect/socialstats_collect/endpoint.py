"""The door of an endpoint, which all workers share: closed while the endpoint has no time for them."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

from socialstats_collect.replies import Outcome

if TYPE_CHECKING:
    from openai import AsyncOpenAI

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
    code = next((code for code in codes if code in LOST), None)
    return (LOST[code], code in (404, "model_not_found")) if code is not None else ("", False)


@dataclass(slots=True)
class Door:
    """Lets attempts at one endpoint start: no faster than it allows, and none while it has no time.

    Attributes
    ----------
    client
        Sends requests.
    per_minute
        Requests a minute; None for no limit of our own.
    latest
        When the last attempt started that ended in an answer.
    since
        When the failures began that no answer has followed yet; None without.
    """

    client: AsyncOpenAI
    per_minute: float | None = None
    latest: float = 0.0
    since: float | None = None
    _next: float = 0.0
    _closed_until: float = 0.0
    _failures: int = 0
    _opened: float = 0.0

    @property
    def closed_for(self) -> float:
        """Seconds until the door opens; 0 or less where it is open."""
        return self._closed_until - asyncio.get_running_loop().time()

    def turn(self) -> float:
        """Return how many seconds it is to the next attempt that may start, and take that turn."""
        if not self.per_minute:
            return 0.0
        now = asyncio.get_running_loop().time()
        start = max(now, self._next)
        self._next = start + 60.0 / self.per_minute
        return start - now

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
            longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** (self._failures - 1))
            wait = longest * random.uniform(0.5, 1.0)
        self._closed_until = max(self._closed_until, now + wait)
        self._opened = self._closed_until

    @property
    def failing(self) -> float:
        """Seconds since the first of the failures that no answer followed."""
        return 0.0 if self.since is None else asyncio.get_running_loop().time() - self.since
