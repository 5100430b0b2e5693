"""Three versions of Inspect: every true number stands; no planted error does, and none is explained."""

import json
import math
import random
import statistics
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from inspect_versions import VERSIONS, made
from made_logs import std_error

from socialstats.claims import check
from socialstats.harness_logs import read_log
from tests.harness_logs.logs import dump, header, printed_score, sample

PASSED = ("reproduced", "explained")


def log_at(path, seed, version):
    path.write_text(json.dumps(made(seed, version)), encoding="utf-8")
    return read_log(path)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.slow
def test_twenty_logs_of_a_version_hold_no_wrong_number(version, tmp_path):
    verdicts = Counter()
    for seed in range(20):
        found = check(log_at(tmp_path / "x.json", seed, version))
        verdicts.update(one.verdict for one in found.judged)
        for one in found.judged:
            assert one.verdict in ("reproduced", "not_computable"), one.sentence()
    assert (
        verdicts["not_computable"] < 0.25 * verdicts.total()
    )  # NaN, as 0.3.60 prints it for one unscored sample
    assert verdicts["reproduced"] > 100


def planted(rng, log):
    """A claim of a log with an error in full precision; None where the error leaves the number as it is."""
    numbers = [c for c in log.claims if c.printed != "NaN"]
    if not numbers:
        return None
    right = rng.choice(numbers)
    value = float(right.printed)
    values = [v for v in log.rows["value"].tolist() if v == v]
    others = [
        float(c.printed) for c in log.claims if c.quantity == right.quantity and c.printed != "NaN"
    ]
    weights = log.rows["weight"].astype(float)
    errors = {
        "tiny": value * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-11, -1)),
        "away": value + rng.choice([-1, 1]) * rng.uniform(1e-9, 0.5),
        "digit": float(repr(value).replace(repr(value)[-1], rng.choice("123456789"), 1)),
        "percent": 100 * value,
        "half": value / 2,
        "twice": 2 * value,
        "root": math.sqrt(abs(value)),
        "another": rng.choice(others),
        "pooled": statistics.fmean(values),
        "rows": float(len(log.rows)),
        "pooled_error": std_error(values) if len(values) > 1 else value + 1,
        "zero": 0.0,
        "population": value * math.sqrt((len(values) - 1) / len(values)),
        "count": value + rng.choice([-1, 1]),
        "below": float(sum(v < 1 for v in values)),
        "positive": float(sum(v >= 1 for v in values)),
        "weighted": float(
            (log.rows["value"] * weights).sum() / weights[log.rows["value"].notna()].sum()
        ),
        "first": statistics.fmean(
            [v for v in log.rows.groupby("unit")["value"].first().tolist() if v == v] or [9]
        ),
        "least": statistics.fmean(
            [v for v in log.rows.groupby("unit")["value"].min().tolist() if v == v] or [9]
        ),
    }
    kind = rng.choice(sorted(errors))
    wrong = errors[kind]
    if math.isclose(wrong, value, rel_tol=5e-12, abs_tol=1e-13):
        return None
    printed = (
        repr(wrong) if right.quantity != "count" or not wrong.is_integer() else repr(int(wrong))
    )
    return kind, right, replace(right, printed=printed)


def passed_errors(tmp_path, logs, each):
    """Plant `each` errors in each of so many logs: how many, and those that passed."""
    rng, total, passed = random.Random(17), 0, []
    for seed in range(logs):
        log = log_at(tmp_path / "x.json", 100 + seed, rng.choice(sorted(VERSIONS)))
        for _ in range(each):
            if (found := planted(rng, log)) is None:
                continue
            kind, right, wrong = found
            near = [
                c
                for c in log.claims
                if (c.select, c.settings.get("reducer"))
                == (right.select, right.settings.get("reducer"))
            ]
            claims = tuple(wrong if c is right else c for c in near)
            one = check(replace(log, claims=claims)).judged[
                next(i for i, c in enumerate(near) if c is right)
            ]
            total += 1
            if one.verdict in PASSED:
                passed.append((kind, seed, log.version, one.sentence()))
    return total, passed


@pytest.mark.slow
def test_planted_errors_do_not_pass(tmp_path):
    total, passed = passed_errors(tmp_path, 12, 4)
    assert total > 35
    assert not passed


@pytest.mark.slow
def test_five_hundred_planted_errors_do_not_pass(tmp_path):
    total, passed = passed_errors(tmp_path, 100, 7)
    assert total >= 500
    assert not passed


def judged_in(path, metrics, values, version, metadata=None, **rest):
    """Judgments of a log with one scorer, whose values are given by sample and epoch."""
    samples = [
        sample(f"u{i}", e, scores={"judge": v}, metadata=(metadata or {}).get(i, {}))
        for i, held in enumerate(values)
        for e, v in enumerate(held, 1)
    ]
    score = printed_score("judge", metrics, **rest)
    top = {**header([score], packages={"inspect_ai": version}), "samples": samples}
    return check(read_log(dump(path, top))).judged


@pytest.mark.parametrize(("version", "other"), [("0.3.100", "0.3.101"), ("0.3.260", "0.3.100")])
def test_pass_at_k_is_that_of_the_logs_version(version, other, tmp_path):
    """Of 0, 1, 2 two pass from 1 on and one equals 1: pass@2 is 1, or 2/3."""
    values = [[0, 1, 2], [0, 0, 1], [0, 0, 0]]
    numbers = {"0.3.100": (2 / 3 + 2 / 3 + 0) / 3, "0.3.101": (1 + 2 / 3 + 0) / 3}
    numbers["0.3.260"] = numbers["0.3.101"]
    rest = {"reducer": "pass_at_2"}
    (right,) = judged_in(tmp_path / "x.json", {"mean": numbers[version]}, values, version, **rest)
    assert right.verdict == "reproduced"
    assert ("Inspect before 0.3.101" in right.definition) == (version == "0.3.100")
    (wrong,) = judged_in(tmp_path / "x.json", {"mean": numbers[other]}, values, version, **rest)
    assert wrong.wrong
    assert "it would fit" in wrong.reason


def test_an_error_of_zero_with_one_cluster_stands_and_is_named(tmp_path):
    story = {i: {"story": "a"} for i in range(4)}
    metrics = {"stderr": {"name": "stderr", "value": 0.0, "params": {"cluster": "story"}}}
    (one,) = judged_in(tmp_path / "x.json", metrics, [[1], [5], [7], [2]], "0.3.260", story)
    assert one.verdict == "reproduced"
    assert "a single score or cluster has no standard error" in one.reason
    (old,) = judged_in(tmp_path / "x.json", metrics, [[1], [5], [7], [2]], "0.3.200", story)
    assert old.wrong


def test_scores_of_a_scale_are_no_shares(tmp_path):
    """All 1 of a 1-7 scale: known by another group's scores, by metadata, or not at all; accuracy says yes or no."""
    ones = [[1]] * 4
    (unknown,) = judged_in(tmp_path / "x.json", {"mean": 1.0}, ones, "0.3.260")
    assert unknown.own.conf_low is None
    assert "nothing in the log says" in unknown.own.undefined
    (accuracy,) = judged_in(tmp_path / "x.json", {"accuracy": 1.0}, ones, "0.3.260")
    assert accuracy.own.conf_low == pytest.approx(0.283, abs=0.001)  # Wilson, t for 4 units
    scale = {i: {"scale": "1-7"} for i in range(4)}
    (known,) = judged_in(tmp_path / "x.json", {"accuracy": 1.0}, ones, "0.3.260", scale)
    assert known.own.conf_low is None
    arms = {i: {"arm": "x" if i < 4 else "y"} for i in range(8)}
    group = {
        "name": "x",
        "group": "grouped",
        "value": 1.0,
        "params": {"group_key": "arm", "metric": {"name": "mean", "params": {}}},
    }
    (mine,) = judged_in(
        tmp_path / "x.json", {"x": group}, [*ones, [7], [2], [5], [1]], "0.3.260", arms
    )
    assert (mine.verdict, mine.own.estimate, mine.own.conf_low) == ("reproduced", 1.0, None)
