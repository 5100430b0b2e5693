"""What is chosen of a test: its side, and the seed of its draws."""

from __future__ import annotations

import re
from typing import Any, Literal, cast, get_args

import numpy as np

from socialstats.errors import InputError
from socialstats.voice import check_allowed

Alternative = Literal["two_sided", "greater", "less"]
ALTERNATIVES: tuple[str, ...] = get_args(Alternative)


def checked_alternative(alternative: Any) -> Alternative:
    """Return an alternative, which may be spelled as in R, scipy or statsmodels, or raise InputError.

    Examples
    --------
    >>> checked_alternative("two.sided"), checked_alternative("two-sided"), checked_alternative("larger")
    ('two_sided', 'two_sided', 'greater')
    """
    plain = in_our_spelling(alternative) if isinstance(alternative, str) else alternative
    if plain not in ALTERNATIVES:
        check_allowed("alternative", alternative, ALTERNATIVES)
    return cast(Alternative, plain)


def in_our_spelling(alternative: str) -> str:
    """Return an alternative in the spelling used here; what is none is returned as it is, but for dots and dashes.

    Examples
    --------
    >>> in_our_spelling("two.sided"), in_our_spelling("smaller"), in_our_spelling("up")
    ('two_sided', 'less', 'up')
    """
    plain = re.sub(r"[-. ]", "_", alternative)
    return {"larger": "greater", "smaller": "less"}.get(plain, plain)


def checked_seed(seed: int) -> int:
    """Return a seed, or raise InputError when it is no whole number of at least 0."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)
