"""Numbers at the edge, for every registered metric: extreme values, weights, counts and types, and tiny tables.

Whatever the table, a metric raises one of our errors, or publishes finite numbers and reasons. Runs of thousands of
examples: ``SOCIALSTATS_EXAMPLES=2000 pytest tests/contracts/test_edges.py``.
"""

from __future__ import annotations

import inspect
import json
import math
import os
import re
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.designs.ratings import Ratings
from socialstats.errors import SocialStatsError
from socialstats.metrics import METRICS
from socialstats.results import ResultGroup, Row
from tests.contracts.subjects import (
    ComparisonsSubject,
    CouplesSubject,
    LabelsSubject,
    PairedSubject,
    RatingsSubject,
    SourcesSubject,
    TraitsSubject,
    run,
    subject_of,
)

EXAMPLES = int(os.environ.get("SOCIALSTATS_EXAMPLES", "6"))
bounded = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
each_metric = pytest.mark.parametrize("name", METRICS)

POWERS = st.sampled_from(
    [-323, -310, -300, -200, -162, -154, -100, -30, -8, 0, 8, 30, 100, 150, 154, 162, 200, 300, 307]
)
COUNTS = st.sampled_from([1, 2, 7, 10**6, 10**9, 10**12, 10**14, 2**53])
SIZES = st.sampled_from([1, 2, 3, 5, 12, 40, 10_000])
FEWER = {"resamples": 99, "flips": 99, "permutations": 99, "splits": 5}
NAMED = {
    ComparisonsSubject: None,
    PairedSubject: "unit",
    SourcesSubject: "unit",
    CouplesSubject: "scenario",
    TraitsSubject: "scenario",
    LabelsSubject: "unit",
}


def part_of(rows, column, size, seed):
    """Some of the units of a table; some of its rows where it has no units."""
    rng = np.random.default_rng(seed)
    if column is None:
        return rows.iloc[np.sort(rng.permutation(len(rows))[:size])].reset_index(drop=True)
    units = rows[column].unique()
    kept = rng.permutation(units)[:size]
    return rows[rows[column].isin(kept)].reset_index(drop=True)


def numbers_of(draw, n):
    """Numbers of any size: alike, all equal, with one far off, of mixed sizes; in double or single precision."""
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    kind = draw(st.sampled_from(["normal", "whole", "constant", "shifted", "one far off", "mixed"]))
    x = {
        "normal": rng.normal(size=n),
        "whole": rng.integers(0, 3, n).astype(float),
        "constant": np.full(n, 1.0),
        "shifted": 1 + 1e-9 * rng.normal(size=n),
        "one far off": np.r_[np.full(n - 1, 1.0), 1e12],
        "mixed": rng.normal(size=n) * 10.0 ** rng.integers(-150, 150, n),
    }[kind]
    power = draw(POWERS)
    with np.errstate(all="ignore"):
        x = x * 10.0 ** max(power, -300) * 10.0 ** min(power + 300, 0)
        single = draw(st.booleans())
        y = x.astype(np.float32) if single else x
    return y if np.all(np.isfinite(y)) else np.clip(np.nan_to_num(x), -1e308, 1e308)


def table_of(draw, subject, rows):
    """The rows with extreme numbers in the columns that hold any, and the options to read them with."""
    options = {}
    if isinstance(subject, ComparisonsSubject):
        kind = draw(st.sampled_from(["plain", "weights", "counts", "only ties"]))
        rng = np.random.default_rng(draw(st.integers(0, 9)))
        if kind == "weights":
            spread = draw(st.sampled_from([0, 0, 3, 12, 80]))
            rows["w"] = np.clip(
                10.0 ** np.clip(draw(POWERS) + spread * rng.random(len(rows)), -323, 308),
                5e-324,
                1e308,
            )
            options["weight"] = "w"
        if kind == "counts":
            rows = rows.drop_duplicates(
                ["item_a", "item_b", "urgency_a", "urgency_b", "winner", "first", "worker"]
            )
            rows = rows.assign(times=[draw(COUNTS) for _ in range(len(rows))][: len(rows)])
            options["count"] = "times"
        if kind == "only ties":
            rows["winner"] = "tie"
        return rows, options
    if isinstance(subject, PairedSubject):
        if subject.values == "numeric":
            first = rows["condition"] == "after"
            after = numbers_of(draw, int(first.sum()))
            how = draw(st.sampled_from(["both", "difference", "alone"]))
            if how == "both":
                values = np.r_[after, numbers_of(draw, int((~first).sum()))]
            else:
                with np.errstate(all="ignore"):
                    before = (
                        after - after.dtype.type(0.1)
                        if how == "difference"
                        else np.zeros_like(after)
                    )
                values = np.r_[after, before]
            if np.all(np.isfinite(values)):
                rows["value"] = values
        if draw(st.booleans()):
            times = {unit: draw(COUNTS) for unit in rows["unit"].unique()[:6]}
            rows["times"] = [times.get(unit, 1) for unit in rows["unit"]]
            options["count"] = "times"
        return rows, options
    if type(subject) is RatingsSubject:
        if subject.values != "binary":
            base = draw(
                st.sampled_from(
                    [(1.0, 2.0, 3.0), (0.0, 1.0, 10.0), (1.0, 1.5, 1e9), (-1.0, 0.0, 1.0)]
                )
            )
            power = draw(POWERS)
            numbers = [x * 10.0 ** max(power, -300) * 10.0 ** min(power + 300, 0) for x in base]
            if len(set(numbers)) == 3 and np.all(np.isfinite(numbers)):
                rows["value"] = rows["value"].map(
                    dict(zip(("low", "medium", "high"), numbers, strict=True))
                )
                options |= {
                    "levels": numbers,
                    "scale": draw(st.sampled_from(["nominal", "ordinal", "interval", "ratio"])),
                }
        if draw(st.booleans()):
            times = {unit: draw(COUNTS) for unit in rows["unit"].unique()[:6]}
            rows["times"] = [times.get(unit, 1) for unit in rows["unit"]]
            options["count"] = "times"
    return rows, options


def claims(result):
    """What holds of every published number."""
    for one in result.values() if isinstance(result, ResultGroup) else [result]:
        for row in one.rows:
            for field in fields(Row):
                value = getattr(row, field.name)
                assert not isinstance(value, float) or math.isfinite(value), (field.name, row)
            assert row.estimate is not None or row.statistic is not None or row.undefined, row
            assert row.std_error is None or row.std_error > 0, row
            assert row.p_value is None or 0 < row.p_value <= 1, row
            # p = 1 only where the statistic is at its centre, not where a standard error overflowed
            if row.p_value == 1 and row.std_error is not None and row.statistic is not None:
                assert row.std_error < 1e300, row
            if row.conf_low is not None and row.conf_high is not None and row.estimate is not None:
                slack = 1e-12 * max(abs(row.conf_low), abs(row.conf_high))
                assert row.conf_low - slack <= row.estimate <= row.conf_high + slack, row
        json.dumps(one.to_dict(), allow_nan=False)
        sentence = one.sentence()
        assert not re.search(r"\bnan\b", sentence.lower())
        assert "None" not in sentence
        one.summary()


def fewer(name):
    """Options that make resampling short."""
    return {
        k: v for k, v in FEWER.items() if k in inspect.signature(METRICS[name].function).parameters
    }


def chosen(draw, name):
    """Now and then another interval, or no clusters."""
    known = inspect.signature(METRICS[name].function).parameters
    options = fewer(name)
    if "cluster" in known and draw(st.booleans()):
        options["cluster"] = None
    if "ci" in known and draw(st.booleans()):
        options["ci"] = draw(st.sampled_from(["closed", "percentile", "basic", "bca"]))
    return options


@each_metric
@bounded
@given(data=st.data())
@pytest.mark.slow
def test_extreme_tables_give_numbers_or_reasons(name, data):
    subject = subject_of(name)
    named = next((v for k, v in NAMED.items() if isinstance(subject, k)), "unit")
    rows = part_of(
        subject.rows(seed=data.draw(st.integers(0, 3))),
        named,
        data.draw(SIZES),
        data.draw(st.integers(0, 9)),
    )
    rows, options = table_of(data.draw, subject, rows)
    try:
        design = (
            subject.design(rows, **options)
            if "levels" not in options
            else Ratings.from_frame(rows, **{**subject.reading(), **options})
        )
        result = run(name, design, **chosen(data.draw, name))
    except SocialStatsError as error:
        assert len(str(error)) > 10  # noqa: PT017
        return
    claims(result)


# --- the same numbers in another unit -----------------------------------------------------------------------------

SHIFTED = st.sampled_from([-1000, -900, -540, -300, -3, 1, 300, 512, 540, 900, 1000])
NUMBERS = ("estimate", "std_error", "conf_low", "conf_high", "statistic", "p_value")
OF_VALUES = ("paired_difference", "effect_sizes", "equivalence")
OF_LEVELS = ("weighted_kappa", "percent_agreement", "krippendorff_alpha", "gwet_ac", "fleiss_kappa")
OF_COMPARISONS = [name for name, metric in METRICS.items() if metric.design == "comparisons"]
UNITLESS = {"d_z", "g_z", "d_av", "d_rm", "r", "wilcoxon", "above low", "below high"}


def same_rows(one, other, factor=1.0, tolerance=1e-12, names=NUMBERS):
    """Compare the rows of two results, those in the unit of the values after multiplication by a factor."""
    assert len(one.rows) == len(other.rows)
    for a, b in zip(one.rows, other.rows, strict=True):
        assert (a.term, a.group, a.undefined) == (b.term, b.group, b.undefined)
        for name in names:
            x, y = getattr(a, name), getattr(b, name)
            in_unit = a.term not in UNITLESS and (
                name in NUMBERS[:4] or (a.term, name) == ("sign_flip", "statistic")
            )
            assert (x is None) == (y is None), (a.term, name)
            if x is not None:
                assert y == pytest.approx(
                    x * factor if in_unit else x, rel=tolerance, abs=0 if x else 1e-300
                ), (a, b)


@pytest.mark.parametrize("name", OF_VALUES)
@pytest.mark.parametrize("clustered", [True, False])
@bounded
@given(power=SHIFTED, seed=st.integers(0, 99))
def test_values_in_another_unit(name, clustered, power, seed):
    subject, factor = subject_of(name), 2.0**power
    rows = part_of(subject.rows(seed), "unit", 12, seed)
    cluster = {} if clustered else {"cluster": None}
    bounds = {"low": -factor, "high": factor} if name == "equivalence" else {}
    more = {**fewer(name), **cluster}
    plain = METRICS[name].function(
        subject.design(rows), **more, **({"low": -1, "high": 1} if bounds else {})
    )
    moved = METRICS[name].function(
        subject.design(rows.assign(value=rows["value"] * factor)), **more, **bounds
    )
    same_rows(plain, moved, factor)


@pytest.mark.parametrize("name", OF_LEVELS)
@bounded
@given(
    power=SHIFTED, scale=st.sampled_from(["ordinal", "interval", "ratio"]), seed=st.integers(0, 99)
)
def test_levels_in_another_unit(name, power, scale, seed):
    subject = subject_of(name)
    rows = part_of(subject.rows(seed), "unit", 12, seed)

    def result(factor):
        numbers = dict(
            zip(("low", "medium", "high"), (factor, 1.5 * factor, 7 * factor), strict=True)
        )
        named = {
            "unit": "unit",
            "levels": list(numbers.values()),
            "scale": scale,
            "cluster": "story",
        }
        design = Ratings.from_frame(rows.assign(value=rows["value"].map(numbers)), **named)
        return METRICS[name].function(design, **fewer(name))

    same_rows(result(1.0), result(2.0**power))


@pytest.mark.parametrize("name", OF_COMPARISONS)
@bounded
@given(power=st.sampled_from([-99, -60, -9, 9, 60, 97]), seed=st.integers(0, 9))
@pytest.mark.slow
def test_a_common_factor_of_all_weights_changes_nothing(name, power, seed):
    subject = subject_of(name)
    rows = subject.rows(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, len(rows))
    one, two = (
        run(name, subject.design(rows.assign(w=w), weight="w"), **fewer(name))
        for w in (weights, weights * 10.0**power)
    )
    same_rows(one, two, tolerance=1e-7)


COUNTED = [
    name
    for name, metric in METRICS.items()
    if metric.design in ("comparisons", "paired")
    or (metric.design == "ratings" and metric.values in ("any", "binary"))
    if name != "flip_rate"  # a row is one answer
]


@pytest.mark.parametrize("name", COUNTED)
@bounded
@given(seed=st.integers(0, 9))
@pytest.mark.slow
def test_counts_of_a_million_million(name, seed):
    """A thousand times the counts: the same estimates, standard errors the same (clusters) or by a root smaller."""
    subject = subject_of(name)
    rng = np.random.default_rng(seed)
    named = NAMED.get(type(subject), "unit")
    rows = part_of(subject.rows(seed), named, 40, seed)
    if named is None:
        rows = rows.drop_duplicates(
            ["item_a", "item_b", "urgency_a", "urgency_b", "winner", "first", "worker"]
        )
        times = rng.integers(1, 5, len(rows))
    else:
        drawn = dict(
            zip(rows[named].unique(), rng.integers(1, 5, rows[named].nunique()), strict=True)
        )
        times = np.array([drawn[unit] for unit in rows[named]])

    def result(factor):
        return run(
            name, subject.design(rows.assign(times=times * factor), count="times"), **fewer(name)
        )

    try:
        one, two = result(10**9), result(10**12)
    except SocialStatsError as error:
        assert name == "leaderboard" or "no finite" in str(error), error  # noqa: PT017
        return
    claims(one)
    claims(two)
    for a, b in zip(one.rows, two.rows, strict=True):
        assert (a.term, a.group, a.estimate is None) == (b.term, b.group, b.estimate is None)
        if a.estimate is not None:
            assert b.estimate == pytest.approx(a.estimate, rel=1e-6, abs=1e-7), (a, b)
        if (
            a.std_error is not None
            and b.std_error is not None
            and not (a.method or "").count("bootstrap")
        ):
            ratio = a.std_error / b.std_error
            assert ratio == pytest.approx(1, rel=1e-4) or ratio == pytest.approx(
                1000**0.5, rel=1e-4
            ), (a, b)
