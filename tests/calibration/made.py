"""Pairs and ratings with known truths: everything random comes from the generator that is passed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, ndtr, ndtri

from socialstats import Paired, Ratings
from socialstats.arrays import FloatArray
from socialstats.designs.parts import Factor

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
DISCORDANT = 0.4


def factor(name: str, codes: Any) -> Factor:
    """A cluster factor over codes 0, 1, ..."""
    dense = np.asarray(codes, dtype=np.int64).ravel()
    return Factor(
        name=name, codes=dense, levels=tuple(f"{name} {k:03d}" for k in range(int(dense.max()) + 1))
    )


def crossed_answers(
    rng: np.random.Generator, scenarios: int, pairs: int, sd_scenario: float, sd_pair: float
) -> Paired:
    """Yes or no under two conditions for every scenario x name pair; no difference on average.

    40% of the answers differ between the conditions; which of the two then says yes has log-odds u(scenario) +
    v(pair), both normal with mean 0.
    """
    shape = (scenarios, pairs)
    log_odds = sd_scenario * rng.standard_normal((scenarios, 1)) + sd_pair * rng.standard_normal(
        (1, pairs)
    )
    differs, first_yes, both_yes = (
        rng.random(shape) < DISCORDANT,
        rng.random(shape) < expit(log_odds),
        rng.random(shape) < 0.5,
    )
    first = np.where(differs, first_yes, both_yes).ravel().astype(np.float64)
    second = np.where(differs, ~first_yes, both_yes).ravel().astype(np.float64)
    codes = np.indices(shape)
    return Paired(
        conditions=("original", "exchanged"),
        first=first,
        second=second,
        count=np.ones(first.size),
        scale="binary",
        levels=("no", "yes"),
        clusters=(factor("scenario", codes[0]), factor("pair", codes[1])),
    )


def differences(rng: np.random.Generator, n: int, d_z: float, shape: str) -> Paired:
    """Pairs of scores whose differences have mean d_z and standard deviation 1.

    ``"normal"``; or exponential with its long tail ``"towards"`` values above the mean or ``"away"`` from them.
    """
    tail = rng.standard_exponential(n) - 1
    noise = {"normal": rng.standard_normal(n), "towards": tail, "away": -tail}[shape]
    before = rng.standard_normal(n)
    return Paired(
        conditions=("after", "before"),
        first=before + d_z + noise,
        second=before,
        count=np.ones(n),
        scale="numeric",
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Raters:
    """Raters who see a unit's normal value with normal noise, and cut it into levels.

    Attributes
    ----------
    reliability : float
        Correlation of two raters' noisy values.
    shares : (levels,) float64 array
        Share of each level.
    missing : float
        Share of ratings that are missing at random.
    raters : int
    """

    reliability: float
    shares: FloatArray
    missing: float = 0.0
    raters: int = 2

    @property
    def cuts(self) -> FloatArray:
        """Where the levels end."""
        return np.asarray(ndtri(np.cumsum(self.shares)[:-1]))

    def joint(self) -> FloatArray:
        """(levels, levels) probabilities of two raters' levels, by Gauss-Hermite over the unit's value."""
        noise = np.sqrt(1 - self.reliability)
        below = ndtr((self.cuts[:, None] - np.sqrt(self.reliability) * NODES) / noise)
        level = np.diff(np.vstack([np.zeros(len(NODES)), below, np.ones(len(NODES))]), axis=0)
        return np.asarray((level * WEIGHTS / WEIGHTS.sum()) @ level.T)

    def draw(self, rng: np.random.Generator, n: int, clusters: int = 0) -> Ratings:
        """Ratings of n units; with clusters of equal size, .36 of the units' and of the raters' variance is theirs."""

        def normal(columns: int) -> FloatArray:
            if not clusters:
                return rng.standard_normal((n, columns))
            group = np.repeat(rng.standard_normal((clusters, columns)), n // clusters, axis=0)
            return 0.6 * group + 0.8 * rng.standard_normal((n, columns))

        value = np.sqrt(self.reliability) * normal(1)
        seen = value + np.sqrt(1 - self.reliability) * normal(self.raters)
        level = np.searchsorted(self.cuts, seen)
        kept = rng.random(level.shape) >= self.missing
        unit, rater = np.nonzero(kept)
        return Ratings(
            units=tuple(f"{k:06d}" for k in range(n)),
            raters=tuple(f"rater {k}" for k in range(self.raters)),
            levels=tuple(str(k + 1) for k in range(len(self.shares))),
            scores=np.arange(1.0, len(self.shares) + 1),
            scale="ordinal",
            unit=unit.astype(np.int64),
            rater=rater.astype(np.int64),
            value=level[kept].astype(np.int64),
            status=np.zeros(len(unit), dtype=np.int8),
            unit_count=np.ones(n),
            numeric=True,
            clusters=(factor("story", np.repeat(np.arange(clusters), n // clusters)),)
            if clusters
            else (),
        )


def rank_correlation(joint: FloatArray) -> float:
    """Spearman's rho of a table of probabilities: the correlation of midranks."""
    f, g = (
        np.cumsum(margin) - margin / 2 - 0.5 for margin in (joint.sum(axis=1), joint.sum(axis=0))
    )
    return float(f @ joint @ g / np.sqrt((joint.sum(axis=1) @ f**2) * (joint.sum(axis=0) @ g**2)))


def quadratic_kappa(joint: FloatArray) -> float:
    """Kappa with quadratic weights of a table of probabilities."""
    k = np.arange(len(joint))
    distance = (k[:, None] - k[None, :]) ** 2
    return float(
        1
        - (distance * joint).sum()
        / (distance * np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum()
    )


def ordinal_alpha(joint: FloatArray) -> float:
    """Krippendorff's ordinal alpha of infinitely many units: distances between mid-ranks of the margins."""
    margin = (joint.sum(axis=0) + joint.sum(axis=1)) / 2
    rank = np.cumsum(margin) - margin / 2
    distance = (rank[:, None] - rank[None, :]) ** 2
    both = (joint + joint.T) / 2
    return float(1 - (distance * both).sum() / (distance * np.outer(margin, margin)).sum())
