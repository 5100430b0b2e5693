"""The difference of two proportions that takes ratings as independent: closed form, repeats, no variation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from socialstats.results import Result
from socialstats.shares.independent_ratings import independent_ratings

AS = {
    "rater_groups": "who",
    "scale": "nominal",
    "source": "who",
    "first": "model",
    "second": "human",
    "choice": "yes",
}


def table(people: int, units: int = 30, seed: int = 1) -> pd.DataFrame:
    """Ratings of a model and of some people of every unit."""
    rng = np.random.default_rng(seed)
    raters = [*(f"p{k}" for k in range(people)), "m"]
    rows = [
        (unit, rater, "model" if rater == "m" else "human", rng.choice(["no", "yes"]))
        for unit in range(units)
        for rater in raters
    ]
    return pd.DataFrame(rows, columns=["unit", "rater", "who", "value"])


def result_of(frame: pd.DataFrame) -> Result:
    found = independent_ratings(frame, levels=["no", "yes"], **AS)  # type: ignore[arg-type]
    assert isinstance(found, Result)
    return found


def test_walds_interval_by_hand() -> None:
    frame = table(1)
    row = result_of(frame).rows[0]
    p, q = (
        float((frame.loc[frame["who"] == who, "value"] == "yes").mean())
        for who in ("model", "human")
    )
    error = np.sqrt(p * (1 - p) / 30 + q * (1 - q) / 30)
    reach = norm.ppf(0.975) * error
    got = (row.estimate, row.std_error, row.conf_low, row.conf_high)
    assert got == pytest.approx((p - q, error, p - q - reach, p - q + reach))


def test_several_ratings_of_a_source_are_cautioned() -> None:
    assert result_of(table(1)).cautions == ()
    (said,) = result_of(table(3)).cautions
    assert (said.code, said.detail) == (
        "SS322",
        "30 units of 30 with several ratings of one source",
    )


def test_shares_without_variation_have_no_interval_and_say_why() -> None:
    frame = table(1)
    row = result_of(frame.assign(value=np.where(frame["who"] == "model", "yes", "no"))).rows[0]
    assert (row.estimate, row.conf_low, row.p_value) == (1.0, None, None)
    assert (row.undefined, row.reason) == (
        "both shares are 0 or 1: no standard error",
        "no_variation",
    )


def test_an_interval_ends_where_a_difference_of_shares_does() -> None:
    frame = table(1, units=4)
    frame["value"] = np.where(frame["who"] == "human", "yes", "no")
    frame.loc[1, "value"] = "yes"
    result = result_of(frame)
    assert (result.rows[0].estimate, result.rows[0].conf_low) == (-0.75, -1.0)
    assert result.verify().ok
