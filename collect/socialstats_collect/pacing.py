"""When the next attempt may start: requests a minute, waits that endpoints ask for, growing pauses after failures."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from socialstats_collect.ask import Status
from socialstats_collect.replies import Outcome

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
