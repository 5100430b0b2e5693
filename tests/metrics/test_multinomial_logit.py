"""The multinomial logit of sources and strata: R, the saturated table, what does not exist."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from socialstats.errors import InputError, UndefinedStatistic
from socialstats.metrics.multinomial_logit import multinomial_logit
from tests.golden_data import golden


def actions(seed: int = 2) -> pd.DataFrame:
    """30 units of two topics, three actions, three people and a model."""
    rng = np.random.default_rng(seed)
    rows = [
        (unit, rater, "model" if rater == "m" else "human", ("home", "work")[unit % 2], f"s{unit // 3}",
         rng.choice(["go", "stay", "wait"], p=[0.5, 0.3, 0.2] if rater != "m" else [0.3, 0.4, 0.3]))
        for unit in range(30) for rater in ("p1", "p2", "p3", "m")
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["unit", "rater", "who", "topic", "story", "value"])


def test_saturated_coefficients_are_logs_of_ratios_of_shares() -> None:
    table = actions()
    result = multinomial_logit(table, rater_groups="who", strata="topic", scale="nominal")
    counts = table.groupby(["who", "topic"])["value"].value_counts().unstack()
    base = str(table.loc[table["who"] == "human", "value"].mode()[0])
    for action in sorted(set(table["value"]) - {base}):
        logs = np.log(counts[action] / counts[base])
        own = {r.term: r.estimate for r in result.rows if r.label("action") == action}
        assert own["intercept"] == pytest.approx(logs["human", "home"], abs=1e-8)
        assert own["model"] == pytest.approx(logs["model", "home"] - logs["human", "home"], abs=1e-8)
        crossed = logs["model", "work"] - logs["human", "work"] - logs["model", "home"] + logs["human", "home"]
        assert own["model x work"] == pytest.approx(crossed, abs=1e-8)


def test_r_gives_the_same() -> None:
    wanted = golden("multinomial_logit_sources")
    table = pd.DataFrame({name: wanted[name] for name in ("unit", "rater", "who", "topic", "story", "value")})
    result = multinomial_logit(table, rater_groups="who", strata="topic", cluster="story", scale="nominal")
    places = {
        "intercept": "(Intercept)",
        "model": "whomodel",
        "work": "topicwork",
        "model x work": "whomodel:topicwork",
    }
    for k, action in enumerate(("stay", "wait")):
        for name, place in places.items():
            row = result.row(name, group=f"{action} against go")
            at = wanted["terms"].index(place)
            assert row.estimate == pytest.approx(wanted["coef"][k][at], abs=1e-6)  # nnet stops near 3e-8
            assert row.std_error == pytest.approx(wanted["std_error"][k][at], rel=1e-6)
            assert row.df == wanted["groups"] - 1


def test_what_does_not_exist_says_why() -> None:
    table = actions()
    with pytest.raises(InputError, match="one level is called human"):
        multinomial_logit(table, scale="nominal")
    with pytest.raises(InputError, match="terms: 'x' not declared"):
        multinomial_logit(table, rater_groups="who", terms=["x"], scale="nominal")
    with pytest.raises(InputError, match="two are declared"):
        multinomial_logit(table, rater_groups="who", cluster=["story", "topic"], scale="nominal")
    with pytest.raises(InputError, match="maximum of 60"):
        multinomial_logit(
            table.assign(topic=table["unit"].astype(str)), rater_groups="who", strata="topic", scale="nominal"
        )
    with pytest.raises(UndefinedStatistic, match="not identified"):
        multinomial_logit(table[(table["who"] == "human") | (table["topic"] == "home")], rater_groups="who",
                          strata="topic", scale="nominal")  # fmt: skip
