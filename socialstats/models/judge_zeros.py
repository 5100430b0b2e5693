"""What judges give to texts whose composite is known to be 0, with its error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.errors import InputError
from socialstats.text import number, quoted

Basis = Literal["texts", "judging"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroError:
    """Error of the judges' mean zero.

    Attributes
    ----------
    std_error, df : float
    basis : {"texts", "judging"}
        ``"texts"``: neutral texts differ. ``"judging"``: there is one neutral text, and the judges' noise is that of
        all control texts.
    """

    std_error: float
    df: float
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JudgeZeros(Mapping[str, float]):
    """Each judge's mean composite of neutral texts: a mapping of judge to zero that knows its own error.

    Attributes
    ----------
    texts, judges, traits : tuple of str
        Of all control texts.
    neutral : tuple of str
        Texts that give the zero.
    scores : (texts, judges, traits) float64 array
    weights : mapping of str to float
        Of the traits, in their order.
    centre : float

    Examples
    --------
    >>> scores = np.array([[[12.0, 9.0], [14.0, 10.0]], [[11.0, 9.0], [12.0, 10.0]]])
    >>> zero = JudgeZeros(texts=("a", "b"), judges=("j1", "j2"), traits=("open", "shy"), neutral=("a", "b"),
    ...                   scores=scores, weights={"open": 5.0, "shy": -5.0}, centre=10.0)
    >>> dict(zero), zero.error().std_error, zero.error().df
    ({'j1': 12.5, 'j2': 15.0}, 3.75, 1.0)
    """

    texts: tuple[str, ...]
    judges: tuple[str, ...]
    traits: tuple[str, ...]
    neutral: tuple[str, ...]
    scores: FloatArray
    weights: Mapping[str, float]
    centre: float

    def __getitem__(self, judge: str) -> float:
        if judge not in self.judges:
            raise KeyError(judge)
        return float(self.composites()[self.places(), self.judges.index(judge)].mean())

    def __iter__(self) -> Iterator[str]:
        return iter(self.judges)

    def __len__(self) -> int:
        return len(self.judges)

    def __repr__(self) -> str:
        inside = ", ".join(f"{judge!r}: {number(value)}" for judge, value in self.items())
        return f"JudgeZeros({{{inside}}}, texts={list(self.neutral)!r})"

    def places(self) -> list[int]:
        """Return the places of the neutral texts."""
        return [k for k, text in enumerate(self.texts) if text in self.neutral]

    def composites(self) -> FloatArray:
        """(texts, judges) float64 array of composites."""
        return np.asarray((self.scores - self.centre) @ np.array([self.weights[t] for t in self.traits]))

    def under(self, weights: Mapping[str, float]) -> JudgeZeros:
        """Return the zero of the same texts under other weights.

        Raises
        ------
        InputError
            If the weights name other traits.
        """
        if set(weights) != set(self.traits):
            raise InputError(
                f"zero: the control texts are scored on {quoted(self.traits, 12)}, the weights are of "
                f"{quoted(list(weights), 12)}; give the zero of this composite"
            )
        return replace(self, weights=dict(weights))

    def without(self, judge: str) -> JudgeZeros:
        """Return the zero of the other judges."""
        keep = [k for k, name in enumerate(self.judges) if name != judge]
        return replace(self, judges=tuple(self.judges[k] for k in keep), scores=self.scores[:, keep])

    def error(self) -> ZeroError | None:
        """Return the error of the mean of the judges' zeros; None where nothing tells it.

        Notes
        -----
        With m neutral texts and c_t the judges' mean composite of text t: s.e. = sd(c_t) / sqrt(m), m - 1 degrees of
        freedom. With one, the judges' noise alone: with E the mean square of the rest of the table of all M control
        texts by k judges (means of texts and judges taken off), s.e. = sqrt(E / k), (M - 1)(k - 1) degrees of freedom.
        None with a single control text or judge, or where all are scored alike.
        """
        x, at = self.composites(), self.places()
        if len(at) > 1:
            means = x[at].mean(axis=1)
            found = ZeroError(
                std_error=float(means.std(ddof=1)) / math.sqrt(len(at)), df=len(at) - 1.0, basis="texts"
            )  # fmt: skip
        else:
            df = (len(x) - 1.0) * (x.shape[1] - 1.0)
            if df < 1:
                return None
            rest = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
            found = ZeroError(std_error=math.sqrt(float((rest**2).sum()) / df / x.shape[1]), df=df, basis="judging")
        return found if found.std_error > np.finfo(np.float64).eps * max(1.0, float(np.abs(x).max())) else None
