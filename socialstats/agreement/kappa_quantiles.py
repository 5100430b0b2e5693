"""Quantiles of the kappas of all pairs of raters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from socialstats.agreement.pair_tables import has_chance, plain_pairs
from socialstats.agreement.weighted_kappa import NO_PAIR
from socialstats.crosscheck.definition import Definition
from socialstats.errors import UndefinedStatistic
from socialstats.results import Result, Row
from socialstats.results.definitions import PlainSample, RowKey
from socialstats.text import count, number

PLACES = {
    "smallest": 0.0,
    "10th percentile": 0.1,
    "lower quartile": 0.25,
    "median": 0.5,
    "upper quartile": 0.75,
    "90th percentile": 0.9,
    "largest": 1.0,
}


def kappas_of(kappa: Result) -> dict[str, tuple[float, float]]:
    """Return kappa and number of units of each pair of raters that has a kappa."""
    by_pair = next(iter(kappa.extras["pairs"].values()))  # those of all units
    kappas = {name: (facts["kappa"], facts["n"]) for name, facts in by_pair.items()}
    return {
        name: (value, n)
        for name, (value, n) in kappas.items()
        if value is not None and np.isfinite(value)
    }


def kappa_quantiles(kappa: Result) -> Result:
    """Return quantiles of the kappas of all pairs of raters.

    Parameters
    ----------
    kappa : Result
        Of `weighted_kappa`.

    Returns
    -------
    Result
        Rows from ``"smallest"`` to ``"largest"``, linear between the values (as numpy and R's type 7), without
        intervals: the pairs are those that are there. `n` is the number of pairs with a kappa.

    Raises
    ------
    UndefinedStatistic
        If no pair has a kappa.

    References
    ----------
    Cohen, J. (1968). Weighted kappa. doi:10.1037/h0026256

    Examples
    --------
    >>> from socialstats import weighted_kappa
    >>> table = {"ann": [1, 2, 3, 3, 1], "bob": [1, 2, 3, 2, 2], "cia": [1, 2, 3, 3, 2]}
    >>> kappas = weighted_kappa(table, raters=["ann", "bob", "cia"], scale="ordinal", weights="linear")
    >>> round(kappa_quantiles(kappas).row("median").estimate, 3)
    0.737
    """
    kappas = kappas_of(kappa)
    if not kappas:
        raise UndefinedStatistic(NO_PAIR)
    values = np.array([value for value, _ in kappas.values()])
    quantiles = np.quantile(values, list(PLACES.values())).tolist()
    n = float(len(values))
    rows = [
        Row(term=name, group="pairs", estimate=x, n=n)
        for name, x in zip(PLACES, quantiles, strict=True)
    ]
    return Result(
        metric="weighted_kappa",
        title=f"{kappa.title} of all pairs of raters, distribution",
        rows=tuple(rows),
        inference="no intervals: the pairs that are there",
        counts={"pairs": len(values)},
        settings=dict(kappa.settings),
        references=kappa.references,
        design=kappa.design,
        words=f"The median of {count(len(values), 'kappa')} is {number(rows[3].estimate, 3, bounded=True)}.",
        extras={"weights": kappa.extras["weights"], "places": PLACES},
        check=Definition(samples=sample_kappas_of_pairs),
    )


def sample_kappas_of_pairs(result: Result) -> Iterator[PlainSample]:
    """Yield the pairs of raters with their kappas, and the quantiles of these."""
    _, units = next(plain_pairs(result))
    sums = units.disagreements(units.count)
    _, observed, chance = sums[has_chance(sums) & (sums[:, 0] >= 2)].T
    kappas = 1 - observed / chance
    quantiles: dict[RowKey, float] = {
        ("pairs", name): float(np.quantile(kappas, place)) for name, place in PLACES.items()
    }
    yield PlainSample(count=np.ones(len(kappas)), plain=lambda _: quantiles)
