"""What the power functions are given: one quantity left out, all others in their range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from socialstats.errors import InputError
from socialstats.inference.proportions import wilson
from socialstats.inference.rows import with_ends
from socialstats.models.power import Alternative, Test, smallest_effect, smallest_n
from socialstats.results import Row
from socialstats.text import count, number

By = Literal["formula", "simulation"]
CHOICES: dict[str, tuple[str, ...]] = {
    "alternative": get_args(Alternative), "test": get_args(Test), "by": get_args(By),
}  # fmt: skip
MOST_NUMBERS = 4_000_000
FEWEST_SIMULATIONS = 100


def left_out(given: dict[str, Any]) -> str:
    """Return the name of the one quantity that is None.

    Raises
    ------
    InputError
        If not exactly one is.
    """
    missing = [name for name, value in given.items() if value is None]
    if len(missing) != 1:
        said = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None) or "nothing"
        raise InputError(f"leave out exactly one of {', '.join(given)}: it is computed from the others (given: {said})")
    return missing[0]


def choice(name: str, value: str) -> None:
    """Raise InputError unless the value of a named option is one of its choices."""
    if value not in CHOICES[name]:
        raise InputError(f"{name} '{value}' is not one of {', '.join(CHOICES[name])}")


def finite(name: str, value: Any) -> float:
    """Return a finite number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not math.isfinite(value):
        raise InputError(f"{name} must be a finite number, not {value!r}")
    return float(value)


def share(name: str, value: Any, *, least: float = 0.0) -> float:
    """Return a number strictly between `least` and 1."""
    found = finite(name, value)
    if not least < found < 1:
        raise InputError(f"{name} must be above {least:g} and below 1, not {value!r}")
    return found


def whole(name: str, value: Any, *, least: int) -> int:
    """Return a whole number of at least `least`."""
    found = finite(name, value)
    if found < least or found % 1:
        raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(found)


def solve(
    n: int | None, effect: float | None, power: float | None, power_at: Callable[[int, float], float], *,
    alpha: float, least: int, largest: float, steady: bool = True,
) -> tuple[int, float]:  # fmt: skip
    """Return n and effect, the one that was left out computed; `power` is in its range, or None.

    Parameters
    ----------
    power_at : callable
        (n, effect) -> power.
    least : int
        Smallest n.
    largest : float
        Largest effect; its sign is that of the effect looked for.
    steady : bool
        As in `smallest_n`.
    """
    if power is None:
        assert n is not None
        assert effect is not None
        return n, effect
    target = share("power", power, least=alpha)
    if effect is not None:
        return smallest_n(lambda k: power_at(k, effect), target, least=least, steady=steady), effect
    assert n is not None
    sign = math.copysign(1.0, largest)
    return n, sign * smallest_effect(lambda x: power_at(n, sign * x), target, largest=abs(largest))


def with_simulation(
    rows: list[Row], by: str, simulations: Any, alpha: float, seed: Any, reject: Callable[[int, int], int]
) -> tuple[Row, ...]:
    """Return the rows, with a simulated one where asked: ``reject(simulations, seed)`` counts the rejections."""
    if by == "formula":
        return tuple(rows)
    done = whole("simulations", simulations, least=FEWEST_SIMULATIONS)
    return (*rows, simulated_row(reject(done, whole("seed", seed, least=0)), done, alpha))


def simulated_row(rejections: int, simulations: int, alpha: float) -> Row:
    """The simulated power with its Monte-Carlo error and Wilson interval."""
    p = rejections / simulations
    low, high = wilson(np.array([p]), np.array([float(simulations)]))
    error = math.sqrt(p * (1 - p) / simulations)
    row = Row(
        term="power_simulated", estimate=p, std_error=error or None, n=float(simulations),
        method=f"share of simulated studies with p below {alpha:g}; Wilson interval of the Monte-Carlo error",
    )  # fmt: skip
    return with_ends(row, float(low[0]), float(high[0]), 0.95)


def solved_rows(terms: dict[str, tuple[float, str]], solved: str) -> list[Row]:
    """Rows of the plan: which quantity was computed, and which were given."""
    return [
        Row(term=term, estimate=float(value), method="computed" if term == solved else how)
        for term, (value, how) in terms.items()
    ]


def power_of(rows: Sequence[Row], by: str) -> str:
    """The simulated power beside the formula's, for the sentence."""
    if by == "formula":
        return ""
    row = rows[-1]
    return f" (simulated: {number(row.estimate, 3, bounded=True)} of {count(row.n or 0, 'study', 'studies')})"
