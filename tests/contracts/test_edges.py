"""Numbers at the edge, for every registered metric: extreme values, weights, counts and types, and tiny tables.

Whatever the table, a metric raises one of our errors, or publishes finite numbers and reasons. Runs of thousands of
examples: ``SOCIALSTATS_EXAMPLES=2000 pytest tests/contracts/test_edges.py``.
"""

from __future__ import annotations

import inspect
import json
import math
import os
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.errors import SocialStatsError
from socialstats.metrics import METRICS
from socialstats.results import ResultGroup, Row
from tests.contracts.subjects import (
    ComparisonsSubject,
    CouplesSubject,
    LabelsSubject,
    PairedSubject,
    SourcesSubject,
    TraitsSubject,
    run,
    subject_of,
)

EXAMPLES = int(os.environ.get("SOCIALSTATS_EXAMPLES", "6"))
bounded = settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
each_metric = pytest.mark.parametrize("name", METRICS)

POWERS = st.sampled_from([-323, -310, -300, -200, -162, -154, -100, -30, -8, 0, 8, 30, 100, 150, 154, 162, 200, 300, 307])
COUNTS = st.sampled_from([1, 2, 7, 10**6, 10**9, 10**12, 10**14, 2**53])
SIZES = st.sampled_from([1, 2, 3, 5, 12, 40, 10_000])
FEWER = {"resamples": 99, "flips": 99, "permutations": 99, "splits": 5}
NAMED = {
    ComparisonsSubject: None, PairedSubject: "unit", SourcesSubject: "unit", CouplesSubject: "scenario",
    TraitsSubject: "scenario", LabelsSubject: "unit",
}  # fmt: skip


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
        "normal": rng.normal(size=n), "whole": rng.integers(0, 3, n).astype(float), "constant": np.full(n, 1.0),
        "shifted": 1 + 1e-9 * rng.normal(size=n), "one far off": np.r_[np.full(n - 1, 1.0), 1e12],
        "mixed": rng.normal(size=n) * 10.0 ** rng.integers(-150, 150, n),
    }[kind]  # fmt: skip
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
            rows["w"] = np.clip(10.0 ** np.clip(draw(POWERS) + spread * rng.random(len(rows)), -323, 308), 5e-324, 1e308)
            options["weight"] = "w"
        if kind == "counts":
            rows = rows.drop_duplicates(["item_a", "item_b", "urgency_a", "urgency_b", "winner", "first", "worker"])
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
                    before = after - after.dtype.type(0.1) if how == "difference" else np.zeros_like(after)
                values = np.r_[after, before]
            if np.all(np.isfinite(values)):
                rows["value"] = values
        if draw(st.booleans()):
            times = {unit: draw(COUNTS) for unit in rows["unit"].unique()[:6]}
            rows["times"] = [times.get(unit, 1) for unit in rows["unit"]]
            options["count"] = "times"
        return rows, options
    if METRICS and subject.kind == "ratings" and type(subject).__name__ == "RatingsSubject":
        if subject.values != "binary":
            base = draw(st.sampled_from([(1.0, 2.0, 3.0), (0.0, 1.0, 10.0), (1.0, 1.5, 1e9), (-1.0, 0.0, 1.0)]))
            power = draw(POWERS)
            numbers = [x * 10.0 ** max(power, -300) * 10.0 ** min(power + 300, 0) for x in base]
            if len(set(numbers)) == 3 and np.all(np.isfinite(numbers)):
                rows["value"] = rows["value"].map(dict(zip(("low", "medium", "high"), numbers, strict=True)))
                options |= {"levels": numbers, "scale": draw(st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))}
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
        assert "nan" not in sentence.lower()
        assert "None" not in sentence
        one.summary()


def fewer(name):
    """Options that make resampling short."""
    return {k: v for k, v in FEWER.items() if k in inspect.signature(METRICS[name].function).parameters}


@each_metric
@bounded
@given(data=st.data())
def test_extreme_tables_give_numbers_or_reasons(name, data):
    subject = subject_of(name)
    named = next((v for k, v in NAMED.items() if isinstance(subject, k)), "unit")
    rows = part_of(subject.rows(seed=data.draw(st.integers(0, 3))), named, data.draw(SIZES), data.draw(st.integers(0, 9)))
    rows, options = table_of(data.draw, subject, rows)
    reading = {**subject.reading(), **options}
    kept = {k: v for k, v in reading.items() if k not in subject.reading() or options.get(k) is not None}
    subject_reading = type(subject).reading
    try:
        try:
            type(subject).reading = lambda self: {k: v for k, v in subject_reading(self).items() if k not in kept}
            design = subject.design(rows, **kept)
        finally:
            type(subject).reading = subject_reading
        result = run(name, design, **fewer(name))
    except SocialStatsError as error:
        assert len(str(error)) > 10  # noqa: PT017
        return
    claims(result)
