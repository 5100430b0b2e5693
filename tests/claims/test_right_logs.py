"""Numbers computed by a documented formula are always reproduced; those of another are never called reproduced."""

import itertools
import math
import statistics
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from made_logs import claim, clustered_error, log_of, rows, std_error

from socialstats.claims import check

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SCORES = st.sampled_from([0.0, 1.0, 0.5, 0.25, 3.0])


def pass_at(values, k):
    """Share of all ways to draw k repeats that hold a score of 1."""
    draws = list(itertools.combinations(values, k))
    return sum(any(v >= 1 for v in draw) for draw in draws) / len(draws)


def all_pass(values, k):
    draws = list(itertools.combinations(values, k))
    return sum(all(v >= 1 for v in draw) for draw in draws) / len(draws)


REDUCERS = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "mode": lambda values: statistics.mode(values),
    "max": max,
    "at_least_2": lambda values: float(sum(v >= 1 for v in values) >= 2),
    "pass_at_2": lambda values: pass_at(values, 2),
    "pass_k_2": lambda values: all_pass(values, 2),
}


@st.composite
def repeated(draw):
    epochs = draw(st.integers(2, 4))
    units = draw(st.integers(2, 9))
    return {f"u{i}": draw(st.lists(SCORES, min_size=epochs, max_size=epochs)) for i in range(units)}


@QUICK
@given(repeated(), st.sampled_from(sorted(REDUCERS)))
@pytest.mark.slow
def test_mean_and_error_after_any_documented_reducer_are_reproduced(scores, reducer):
    joined = [float(REDUCERS[reducer](values)) for values in scores.values()]
    how = {"reducer": reducer}
    log = log_of(
        rows(scores),
        claim("mean", repr(math.fsum(joined) / len(joined)), settings=how),
        claim("std_error", repr(std_error(joined)), settings=how),
        claim("std_dev", repr(statistics.stdev(joined)), settings=how),
        claim("variance", repr(statistics.pvariance(joined)), settings={**how, "ddof": 0}),
        claim("median", repr(statistics.median(joined)), settings=how),
    )
    assert [one.verdict for one in check(log).judged] == ["reproduced"] * 5


@QUICK
@given(st.lists(st.tuples(SCORES, st.sampled_from("abcd")), min_size=4, max_size=20))
def test_clustered_error_and_grouped_means_are_reproduced(pairs):
    values, stories = [v for v, _ in pairs], [c for _, c in pairs]
    if len(set(stories)) < 2:
        return
    error = clustered_error(values, stories)
    claims = [claim("std_error", repr(error), settings={"cluster": "story"})]
    for story in sorted(set(stories)):
        chosen = [v for v, c in pairs if c == story]
        claims.append(
            claim(
                "mean", repr(sum(chosen) / len(chosen)), select={"scorer": "match", "story": story}
            )
        )
    means = [statistics.fmean([v for v, c in pairs if c == s]) for s in sorted(set(stories))]
    parts = tuple({"story": story} for story in sorted(set(stories)))
    claims.append(claim("mean", repr(math.fsum(means) / len(means)), parts=parts))
    judged = check(log_of(rows(values, story=stories), *claims)).judged
    assert [one.verdict for one in judged] == ["reproduced"] * len(claims)


@QUICK
@given(st.lists(SCORES, min_size=2, max_size=30), st.integers(1, 4))
def test_a_rounded_number_stands_in_whatever_direction_ties_went(values, places):
    from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal

    mean = Decimal(sum(int(4 * v) for v in values)) / 4 / len(values)
    unit = Decimal(1).scaleb(-places)
    for way in (ROUND_HALF_UP, ROUND_HALF_DOWN, ROUND_HALF_EVEN):
        assert (
            check(rows(values), [claim("mean", mean.quantize(unit, way))]).judged[0].verdict
            == "reproduced"
        )
    cut = mean.quantize(unit, ROUND_DOWN)
    if mean - cut > unit / 2 + Decimal("1e-9"):
        assert check(rows(values), [claim("mean", cut)]).judged[0].verdict != "reproduced"


@QUICK
@given(st.lists(SCORES, min_size=3, max_size=20), st.floats(1e-6, 2.0))
def test_a_number_of_the_harness_that_is_off_is_never_called_reproduced(values, off):
    mean = math.fsum(values) / len(values)
    log = log_of(rows(values), claim("mean", repr(mean + off)))
    one = check(log).judged[0]
    assert one.verdict != "reproduced"
    assert one.recomputed == pytest.approx(mean, rel=1e-12)


EXPLAINED = {
    "every repeat as a row of its own": lambda s, d: (
        std_error([v for vs in s.values() for v in vs]),
        "std_error",
    ),
    "divided by n, not n": lambda s, d: (
        std_error([statistics.fmean(v) for v in s.values()], 0),
        "std_error",
    ),
    "the standard deviation, not": lambda s, d: (
        statistics.stdev([statistics.fmean(v) for v in s.values()]),
        "std_error",
    ),
    "only the first": lambda s, d: (statistics.fmean([v[0] for v in s.values()]), "mean"),
    "the best of a unit's": lambda s, d: (statistics.fmean([max(v) for v in s.values()]), "mean"),
    "in percent": lambda s, d: (
        100 * statistics.fmean([statistics.fmean(v) for v in s.values()]),
        "mean",
    ),
    "mean of the means of each 'domain'": lambda s, d: (
        statistics.fmean(
            [
                statistics.fmean(
                    [statistics.fmean(v) for v, c in zip(s.values(), d, strict=True) if c == k]
                )
                for k in sorted(set(d))
            ]
        ),
        "mean",
    ),
}


HINTS = ("the standard deviation, not", "only the first")


@pytest.mark.parametrize("words", sorted(EXPLAINED))
def test_a_number_by_another_definition_is_explained_by_that_one(words):
    rng = np.random.default_rng(5)
    scores = {f"u{i}": [float(v) for v in rng.choice([0, 0.25, 1, 3], 3)] for i in range(11)}
    domain = list("aaaaaabbbcc")
    value, quantity = EXPLAINED[words](scores, domain)
    frame = rows(scores, domain=domain)
    one = check(frame, [claim(quantity, repr(value))]).judged[0]
    assert one.tried > 20
    if words in HINTS:
        assert one.verdict == "not_reproduced"
        assert words in one.reason
        return
    assert one.verdict == "explained"
    assert words in one.definition
    assert one.value == pytest.approx(value, rel=1e-12)
    own = check(log_of(frame, claim(quantity, repr(value)))).judged[0]
    assert own.wrong  # Inspect's log says how its own numbers were computed
    assert "no documented definition gives it; it would fit" in own.reason


def test_rows_without_a_score_dropped_or_zero():
    scores = {"a": [1.0], "b": [None], "c": [0.0], "d": [1.0], "e": [1.0]}
    one = check(rows(scores), [claim("mean", "0.6")]).judged[0]
    assert one.verdict == "explained"
    assert "counted as 0" in one.definition
    assert "counted as 0" in check(log_of(rows(scores), claim("mean", "0.6"))).judged[0].reason
    assert check(log_of(rows(scores), claim("mean", "0.75"))).judged[0].verdict == "reproduced"
    zero = claim("mean", "0.6", settings={"errors": "zero"})
    assert check(log_of(rows(scores), zero)).judged[0].verdict == "reproduced"


def test_another_filter_and_all_filters():
    strict, loose = (
        rows([1.0, 0.0, 0.0, 0.0]).assign(filter="strict"),
        rows([1.0, 1.0, 1.0, 0.0]).assign(filter="loose"),
    )
    frame = pd.concat([strict, loose], ignore_index=True)
    about = {"scorer": "match", "filter": "strict"}
    other = check(frame, [claim("mean", "0.75", select=about)]).judged[0]
    assert (other.verdict, "filter 'loose'" in other.definition) == ("explained", True)
    own = check(log_of(frame, claim("mean", "0.75", select=about), harness="lm-eval")).judged[0]
    assert (own.verdict, "it would fit: mean; filter 'loose'" in own.reason) == (
        "not_reproduced",
        True,
    )
    both = check(frame, [claim("mean", "0.5", select=about)]).judged[0]
    assert (both.verdict, "all filters together" in both.definition) == ("explained", True)


def test_bootstrap_errors_stand_within_their_monte_carlo_error_and_not_beyond():
    values = [1.0] * 9 + [0.0] * 11
    exact = std_error(values, 0)
    how = {"method": "bootstrap", "resamples": 200}
    near, far = exact * (1 + 3 / math.sqrt(400)), exact * (1 + 6 / math.sqrt(400))
    log = log_of(rows(values), *(claim("std_error", repr(v), settings=how) for v in (near, far)))
    judged = check(log).judged
    assert judged[0].verdict == "reproduced"
    assert "Monte-Carlo" in judged[0].reason
    assert judged[1].verdict != "reproduced"


@pytest.mark.parametrize("n", [50, 13])
def test_openai_bootstrap_is_the_spread_of_half_samples(n):
    """Drawn here as openai/evals does: 1,000 halves without replacement."""
    rng = np.random.default_rng(n)
    values = rng.integers(0, 2, n).astype(float)
    drawn = np.std([rng.choice(values, n // 2, replace=False).mean() for _ in range(1000)])
    log = log_of(
        rows(values.tolist()),
        claim("std_error", repr(float(drawn)), name="boostrap_std"),
        harness="openai-evals",
        version=None,
    )
    one = check(log).judged[0]
    assert one.verdict == "reproduced"
    assert "halves" in one.definition


def test_percentile_interval_of_a_bootstrap():
    rng = np.random.default_rng(1)
    values = rng.normal(size=40)
    means = rng.choice(values, (1000, 40)).mean(axis=1)
    how = {"method": "bootstrap", "resamples": 1000}
    low, high = np.quantile(means, [0.025, 0.975])
    log = log_of(
        rows(values.tolist()),
        claim("conf_low", repr(float(low)), settings=how),
        claim("conf_high", repr(float(high)), settings=how),
    )
    assert [one.verdict for one in check(log).judged] == ["reproduced"] * 2


def test_helm_statistics_are_about_trials():
    scores = {f"i{i}": [float(i < 12), float(i < 14), float(i < 15)] for i in range(20)}
    means = [0.6, 0.7, 0.75]
    log = log_of(
        rows(scores),
        claim("mean", repr(statistics.fmean(means))),
        claim("std_dev", repr(statistics.pstdev(means))),
        claim("count", "3"),
        claim("sum", repr(math.fsum(means))),
        harness="helm",
        version=None,
    )
    found = check(log)
    assert [one.verdict for one in found.judged] == ["reproduced"] * 4
    assert (
        found.judged[0].own.n_units == 20
    )  # repeats averaged: trials of one instance are not independent


def test_a_spread_between_trials_that_agree_may_hold_the_rounding_of_its_formula():
    """HELM computes sum of squares / n - mean^2: sqrt(5.6e-17) for three trials of 0.7."""
    scores = {f"i{i}": [float(i < 7)] * 3 for i in range(10)}
    left = math.sqrt(5.551115123125783e-17)
    log = log_of(
        rows(scores),
        claim("std_dev", repr(left)),
        claim("std_dev", "0.001"),
        harness="helm",
        version=None,
    )
    assert [one.verdict for one in check(log).judged] == ["reproduced", "not_reproduced"]


def test_what_is_not_recomputed_is_never_called_wrong():
    log = log_of(
        rows([1.0, 2.0, 5.0]),
        claim("std_error", "0.3", settings={"aggregation": "median", "method": "bootstrap"}),
        claim("mean", "0.9", settings={"to_float": "my_scale"}),
        claim("mean", "0.9", settings={"reducer": "task_specific"}),
        claim("other", "17.2", name="perplexity"),
        claim("mean", "N/A"),
    )
    found = check(log)
    assert [one.verdict for one in found.judged] == ["not_computable"] * 5
    assert all(one.reason for one in found.judged)
    assert found.ok


def test_an_empty_filter_means_rows_without_one():
    about = {"scorer": "match", "filter": ""}
    for empty in (None, ""):
        frame = rows([1.0, 0.0]).assign(filter=empty)
        assert check(log_of(frame, claim("mean", "0.5", select=about), harness="lm-eval")).ok


def test_another_n_than_the_rows_is_said():
    one = check(log_of(rows([1.0, 0.0]), claim("mean", "0.5", n=300))).judged[0]
    assert (one.verdict, one.reason) == (
        "reproduced",
        "the log says n = 300, the rows hold 2 units with a score",
    )


def test_a_number_of_few_digits_that_departs_twice_may_be_chance():
    """Best repeats, and the unit that was lost counted as 0: 4 of 7, where the documented mean is 1/3."""
    scores = (
        {f"u{i}": [0.0, 1.0] for i in range(4)}
        | {f"v{i}": [0.0, 0.0] for i in range(2)}
        | {"lost": [None, None]}
    )
    short = check(rows(scores), [claim("mean", "0.571")]).judged[0]
    assert short.verdict == "explained"
    assert "coincidence" in short.reason
    for part in ("the best of", "counted as 0"):
        assert part in short.definition
    full = check(rows(scores), [claim("mean", repr(4 / 7))]).judged[0]
    assert full.verdict == "explained"
    assert "coincidence" not in full.reason
    once = check(rows(scores), [claim("mean", "0.667")]).judged[0]
    assert "the best of" in once.definition
    assert "coincidence" not in once.reason


def test_weights_that_the_log_declares_or_only_holds():
    frame = rows([1.0, 0.0, 1.0, 0.0], sample_weight=[3.0, 1.0, 2.0, 1.0])
    weighted = repr(5 / 7)
    declared = claim("mean", weighted, settings={"weights": "sample_weight"})
    assert check(log_of(frame, declared)).judged[0].verdict == "reproduced"
    for held in (
        check(log_of(frame, claim("mean", weighted))),
        check(frame, [claim("mean", weighted)]),
    ):
        assert held.judged[0].wrong  # nobody said that the column weighs these scores
        assert "it would fit: mean with the log's weights" in held.judged[0].reason
    lost = check(log_of(frame, claim("mean", "0.5", settings={"weights": "wt"}))).judged[0]
    assert lost.verdict == "not_computable"
    assert "no column 'wt' with the weights" in lost.reason


def test_labels_that_are_no_number_counted_as_zero():
    frame = rows([1.0, 1.0, 0.0, 1.0])
    frame.loc[3, ["value", "status"]] = [math.nan, "unparsed"]
    frame = pd.concat([frame, rows({"lost": [None]})], ignore_index=True)
    one = check(log_of(frame, claim("mean", "0.5"))).judged[0]
    assert one.verdict == "explained"
    assert "scores that are no number counted as 0" in one.definition
