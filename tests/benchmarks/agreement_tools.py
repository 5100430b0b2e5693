"""Jobs about agreement and pairs. `prepare` turns the data into what the tool takes, untimed; `call` is timed.

Each returns the point estimate (or p-value), so that a tool that computes something else is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SEED = 1
LEVELS = (1, 2, 3)


def same(data: Any) -> Any:
    """The data as they are."""
    return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job in two steps.

    Attributes
    ----------
    call : callable
        prepared data -> {name: number}
    prepare : callable
    """

    call: Callable[[Any], dict[str, float]]
    prepare: Callable[[Any], Any] = same

    def __call__(self, prepared: Any) -> dict[str, float]:
        return self.call(prepared)


def two_raters(rows: int = 13_914) -> Any:
    """Two raters' levels 1, 2, 3 of the same units, as columns."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    value = rng.standard_normal(rows)
    columns = {
        name: 1 + np.digitize(value + 0.5 * rng.standard_normal(rows), (-0.3, 0.8))
        for name in ("ann", "bob")
    }
    return pd.DataFrame(columns)


def many_raters(units: int = 400, raters: int = 100, levels: int = 5) -> Any:
    """Levels 1 to 5 of units (rows) by raters (columns), half of them missing."""
    import pandas as pd

    rng = np.random.default_rng(SEED)
    seen = rng.standard_normal((units, 1)) + rng.standard_normal((units, raters))
    level = 1.0 + np.digitize(seen, np.linspace(-1.5, 1.5, levels - 1))
    level[rng.random(level.shape) < 0.5] = np.nan
    return pd.DataFrame(level, columns=[f"rater {k:03d}" for k in range(raters)])


def differences(n: int = 1546) -> Any:
    """Differences of pairs, all distinct."""
    return np.random.default_rng(SEED).standard_normal(n) + 0.05


def persons_by_items(persons: int = 316, items: int = 24) -> Any:
    """A value for every person and item."""
    rng = np.random.default_rng(SEED)
    return (
        rng.standard_normal((persons, 1))
        + 0.5 * rng.standard_normal(items)
        + rng.standard_normal((persons, items))
    )


def long(frame: Any) -> Any:
    """One rating a row."""
    return (
        frame.rename_axis("unit")
        .reset_index()
        .melt("unit", var_name="rater", value_name="value")
        .dropna()
    )


def design(frame: Any, levels: Any) -> Any:
    from socialstats import Ratings

    return Ratings.from_frame(long(frame), levels=list(levels), scale="ordinal")


def ours_kappa(resamples: int = 2000) -> Job:
    from socialstats import weighted_kappa

    def call(ratings: Any) -> dict[str, float]:
        row = weighted_kappa(
            ratings, weights="quadratic", ci="percentile", resamples=resamples, seed=SEED
        ).rows[0]
        return {"estimate": row.estimate}

    return Job(call=call, prepare=lambda frame: design(frame, LEVELS))


def sklearn_kappa(resamples: int) -> Job:
    from sklearn.metrics import cohen_kappa_score

    def call(pair: tuple[Any, Any]) -> dict[str, float]:
        a, b = pair
        options = {"weights": "quadratic", "labels": list(LEVELS)}
        rng, found = np.random.default_rng(SEED), []
        for _ in range(resamples):
            index = rng.integers(0, len(a), len(a))
            found.append(cohen_kappa_score(a[index], b[index], **options))
        np.quantile(found, [0.025, 0.975])
        return {"estimate": float(cohen_kappa_score(a, b, **options))}

    return Job(call=call, prepare=lambda frame: (frame["ann"].to_numpy(), frame["bob"].to_numpy()))


def ours_alpha(resamples: int = 2000) -> Job:
    from socialstats import krippendorff_alpha

    def call(ratings: Any) -> dict[str, float]:
        row = krippendorff_alpha(
            ratings, scale="ordinal", ci="percentile", resamples=resamples, seed=SEED
        ).rows[0]
        return {"estimate": row.estimate}

    return Job(call=call, prepare=lambda frame: design(frame, range(1, 6)))


def krippendorff_loop(resamples: int) -> Job:
    import krippendorff

    def call(table: Any) -> dict[str, float]:
        options = {"level_of_measurement": "ordinal", "value_domain": [1.0, 2.0, 3.0, 4.0, 5.0]}
        rng, found = np.random.default_rng(SEED), []
        for _ in range(resamples):
            index = rng.integers(0, table.shape[1], table.shape[1])
            found.append(krippendorff.alpha(reliability_data=table[:, index], **options))
        np.quantile(found, [0.025, 0.975])
        return {"estimate": float(krippendorff.alpha(reliability_data=table, **options))}

    return Job(call=call, prepare=lambda frame: frame.to_numpy().T.copy())


def ours_flips(flips: int = 100_000) -> Job:
    from socialstats.resampling.permutation import sign_flip_test

    return Job(
        call=lambda d: {
            "statistic": float(sign_flip_test(d, flips=flips, seed=SEED, exact=False).statistic[0])
            / len(d)
        }
    )


def scipy_flips(flips: int = 100_000) -> Job:
    from scipy.stats import permutation_test

    def mean(d: Any, axis: int) -> Any:
        return d.mean(axis=axis)

    def call(d: Any) -> dict[str, float]:
        found = permutation_test(
            (d,),
            mean,
            permutation_type="samples",
            n_resamples=flips,
            batch=2000,
            vectorized=True,
            rng=SEED,
        )
        return {"statistic": float(found.statistic)}

    return Job(call=call)


def ours_crossed(resamples: int = 2000) -> Job:
    from socialstats.resampling import PlanUnits, bootstrap_sums, percentile

    def call(table: Any) -> dict[str, float]:
        x, (row, column) = table.ravel(), (i.ravel() for i in np.indices(table.shape))
        sums = np.column_stack([x, np.ones(x.size)])
        units = PlanUnits.clusters(row, column)
        boot = bootstrap_sums(
            sums, lambda s: s[:, :1] / s[:, 1:], units, resamples=resamples, seed=SEED
        )
        percentile(boot)
        return {"estimate": float(boot.estimate[0])}

    return Job(call=call)


def numpy_crossed(resamples: int) -> Job:
    def call(table: Any) -> dict[str, float]:
        rng, found = np.random.default_rng(SEED), []
        for _ in range(resamples):
            rows, columns = (rng.integers(0, n, n) for n in table.shape)
            found.append(table[np.ix_(rows, columns)].mean())
        np.quantile(found, [0.025, 0.975])
        return {"estimate": float(table.mean())}

    return Job(call=call)
