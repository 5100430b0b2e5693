"""Designs, choosers and truths for the calibration: everything random comes from one seeded generator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from socialstats import Comparisons, datasets
from socialstats.arrays import FloatArray, IntArray
from socialstats.choices.bradley_terry.fitting import fit_newton
from socialstats.choices.bradley_terry.likelihoods import LIKELIHOODS, pair_data

NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)


def marginal(log_odds: FloatArray, sd: float) -> FloatArray:
    """Probability averaged over a normal effect of that sd on the log-odds (Gauss-Hermite, 60 nodes)."""
    return np.asarray(expit(log_odds[..., None] + sd * NODES) @ WEIGHTS / WEIGHTS.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layout:
    """Who meets whom under which urgencies: 65 roles, 1,546 pairs, nine choices each.

    Attributes
    ----------
    items : list of str
    a, b, pair, urgency_a, urgency_b : (rows,) int64 arrays
    groups : dict of item to domain
    """

    items: list[str]
    a: IntArray
    b: IntArray
    pair: IntArray
    urgency_a: IntArray
    urgency_b: IntArray
    groups: dict[str, str]

    @classmethod
    def role_conflict(cls) -> Layout:
        """The design of the bundled data."""
        data = datasets.role_conflict()
        items = sorted({*data["role_a"], *data["role_b"]})
        code = {item: i for i, item in enumerate(items)}
        a, b = (data[c].map(code).to_numpy(dtype=np.int64) for c in ("role_a", "role_b"))
        low, high = np.minimum(a, b), np.maximum(a, b)
        pair = np.unique(low * len(items) + high, return_inverse=True)[1].astype(np.int64)
        u, v = (data[c].to_numpy(dtype=np.int64) for c in ("urgency_a", "urgency_b"))
        groups = dict(zip(data["role_a"], data["domain_a"], strict=True))
        groups |= dict(zip(data["role_b"], data["domain_b"], strict=True))
        return cls(items=items, a=a, b=b, pair=pair, urgency_a=u, urgency_b=v, groups=groups)

    @property
    def n_pairs(self) -> int:
        """Number of pairs of items."""
        return int(self.pair.max()) + 1

    def design(
        self, a_won: Any, *, urgency: bool = False, first: Any = None, keep: Any = None
    ) -> Comparisons:
        """Comparisons from outcomes, through the public door."""
        names = pd.Categorical.from_codes
        columns: dict[str, Any] = {
            "item_a": names(self.a, categories=self.items),
            "item_b": names(self.b, categories=self.items),
            "winner": np.where(a_won, "item_a", "item_b"),
        }
        if urgency:
            columns |= {"urgency_a": self.urgency_a, "urgency_b": self.urgency_b}
        if first is not None:
            columns["order"] = first
        frame = pd.DataFrame(columns)
        return Comparisons.from_frame(frame if keep is None else frame[keep])

    def choose(self, rng: np.random.Generator, log_odds: FloatArray, sd: float) -> Any:
        """Draw who is chosen, with a normal effect of each pair on the log-odds that a is chosen."""
        effect = sd * rng.standard_normal(self.n_pairs)[self.pair]
        return rng.random(len(self.a)) < expit(
            log_odds + np.where(self.a < self.b, effect, -effect)
        )

    def pseudo_true(self, log_odds: FloatArray, sd: float) -> FloatArray:
        """What the Bradley-Terry model estimates: its fit to the win probabilities averaged over the pair effects."""
        design = self.design(
            np.arange(len(self.a)) % 2 == 0
        )  # any outcome: only the pairs and their order matter
        data = pair_data(design, np.zeros((len(design.count), 0)), ())
        key = {
            (i, j): m for m, (i, j) in enumerate(zip(data.a.tolist(), data.b.tolist(), strict=True))
        }
        turned = self.a > self.b
        low, high = np.where(turned, self.b, self.a), np.where(turned, self.a, self.b)
        cell = np.array([key[i, j] for i, j in zip(low.tolist(), high.tolist(), strict=True)])
        p = marginal(log_odds, sd)
        p = np.where(turned, 1 - p, p)
        m = len(data.a)
        w = np.stack([np.bincount(cell, p, m), np.bincount(cell, 1 - p, m), np.zeros(m)])
        return fit_newton(replace(data, w=w, w_sq=w), LIKELIHOODS["none"]).beta


def strengths(n: int, sd: float, rng: np.random.Generator) -> FloatArray:
    """Distinct log-strengths, normal and centred."""
    drawn = sd * rng.standard_normal(n)
    return drawn - drawn.mean()
