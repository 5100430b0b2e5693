"""Sampling weights of units: numbers of R, equal and rescaled weights, counts, refusals, and what is said of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.metrics import METRICS
from socialstats.registry import Metric
from tests.golden_data import golden

R = golden("weights")
DATA = pd.DataFrame(R["data"])
WIDE = {"first": "x", "second": "y"}
FIELDS = {"std_error": "std_error", "df": "df", "conf_low": "low", "conf_high": "high"}
CLOSE = 1e-9  # of R's 15 digits; ends of shares are roots by uniroot


def of_r(
    row: ss.Row, theirs: dict[str, float], estimate: str = "mean", close: float = CLOSE
) -> None:
    assert row.estimate == pytest.approx(theirs[estimate], rel=close)
    for ours, name in FIELDS.items():
        assert getattr(row, ours) == pytest.approx(theirs[name], rel=close), ours


def units(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {"unit": np.arange(len(DATA)), "value": DATA["x"], "w": DATA["w"], "k": DATA["k"]} | columns
    )


@pytest.mark.parametrize(("cluster", "key"), [((), "mean"), ("k", "mean_clusters")])
def test_a_weighted_mean_is_that_of_r(cluster: Any, key: str) -> None:
    result = ss.mean_ratings(units(), scale="interval", rater=False, weight="w", cluster=cluster)
    of_r(result.rows[0], R[key])
    assert result.counts["effective units"] == round(R[key]["kish"])
    assert result.verify().ok


@pytest.mark.parametrize(("cluster", "key"), [((), "difference"), ("k", "difference_clusters")])
def test_a_weighted_mean_difference_is_that_of_r(cluster: Any, key: str) -> None:
    result = ss.paired_difference(DATA, **WIDE, weight="w", cluster=cluster)
    of_r(result.rows[0], R[key])
    assert result.rows[0].p_value == pytest.approx(R[key]["p"], rel=CLOSE)
    assert result.row("difference", group="sd").estimate == pytest.approx(R[key]["sd"], rel=CLOSE)
    assert result.row("x", group="mean").estimate == pytest.approx(R["mean"]["mean"], rel=CLOSE)
    assert result.row("x", group="sd").estimate == pytest.approx(R["mean"]["sd"], rel=CLOSE)
    assert result.row("r").estimate == pytest.approx(R["r"], rel=CLOSE)
    assert result.verify().ok


def test_weighted_means_of_groups_are_those_of_r() -> None:
    table = DATA.assign(am=DATA["am"].map({0: "auto", 1: "manual"}))
    named = {"group": "am", "value": "x", "groups": ("auto", "manual"), "weight": "w"}
    result = ss.two_means(table, **named)
    of_r(result.rows[0], R["gap"], "estimate")
    for row, theirs in zip(result.rows[1:3], R["groups"], strict=True):
        of_r(row, theirs)
    assert (result.rows[0].statistic, result.rows[0].p_value) == pytest.approx(
        (R["gap"]["t"], R["gap"]["p"])
    )
    assert result.verify().ok
    clustered = ss.two_means(table, **named, cluster="k")
    error = math.sqrt(R["gap_clusters"]["variance"])
    assert clustered.rows[0].std_error == pytest.approx(error, rel=CLOSE)
    assert clustered.rows[0].df <= R["gap_clusters"]["df"] * (
        1 + CLOSE
    )  # Welch's where these are fewer
    assert clustered.verify().ok


def test_weighted_shares_are_those_of_r() -> None:
    table = DATA.assign(am=DATA["am"].map({0: "auto", 1: "manual"}))
    result = ss.two_proportions(
        table, group="am", value="vs", groups=("auto", "manual"), weight="w"
    )
    for row, theirs in zip(result.rows[1:], R["shares"], strict=True):
        of_r(row, theirs, "estimate", 1e-7)
        assert row.effective == pytest.approx(theirs["effective"], rel=1e-7)
    lead = result.rows[0]
    ends = R["share_gap"]
    assert (lead.estimate, lead.conf_low, lead.conf_high) == pytest.approx(
        (ends["estimate"], ends["low"], ends["high"]), rel=1e-6
    )
    assert lead.test == "t"
    assert "exact" not in result.sentence()
    assert result.verify().ok


def test_a_row_counted_twice_is_two_rows_of_its_weight() -> None:
    times = np.tile([1, 2], 16)
    counted = ss.two_means(
        DATA.assign(n=times, g="a"), group="am", value="x", weight="w", count="n"
    )
    written = ss.two_means(
        DATA.loc[np.repeat(DATA.index, times)], group="am", value="x", weight="w"
    )
    for one, other in zip(counted.rows, written.rows, strict=True):
        assert (one.estimate, one.std_error, one.df, one.n) == pytest.approx(
            (other.estimate, other.std_error, other.df, other.n), nan_ok=True
        ) or one.std_error is None
    pairs = ss.paired_difference(
        DATA.assign(zero=0.0, n=times), first="x", second="zero", weight="w", count="n"
    )
    of_r(pairs.rows[0], R["counted"])
    assert pairs.rows[0].n == R["counted"]["n"]


CALLS: dict[str, Any] = {
    "paired_difference": lambda w, **more: ss.paired_difference(
        DATA.assign(w=w), **WIDE, weight="w", **more
    ),
    "two_means": lambda w, **more: ss.two_means(
        DATA.assign(w=w), group="am", value="x", weight="w", **more
    ),
    "two_proportions": lambda w, **more: ss.two_proportions(
        DATA.assign(w=w), group="am", value="vs", weight="w", **more
    ),
    "mean_ratings": lambda w, **more: ss.mean_ratings(
        units(w=w), scale="interval", rater=False, weight="w", **more
    ),
    "choice_shares": lambda w, **more: ss.choice_shares(
        units(value=DATA["vs"], w=w), scale="nominal", rater=False, weight="w", **more
    ),
}


def test_every_metric_that_takes_weights_is_tried_here() -> None:
    taking = {name for name, metric in METRICS.items() if metric.weighted}
    assert taking == {*CALLS}


@pytest.mark.parametrize("cluster", [(), "k"])
@pytest.mark.parametrize("name", CALLS)
def test_equal_weights_give_exactly_what_none_give(name: str, cluster: Any) -> None:
    call = CALLS[name]
    equal, none = (call(w, cluster=cluster) for w in (0.3, 1))
    assert equal.rows == none.rows
    assert equal.sentence() == none.sentence()
    assert equal.counts == none.counts


@pytest.mark.parametrize("cluster", [(), "k"])
@pytest.mark.parametrize("name", CALLS)
def test_weights_have_no_unit(name: str, cluster: Any) -> None:
    one, other = (CALLS[name](DATA["w"] * factor, cluster=cluster) for factor in (1, 7))
    for a, b in zip(one.rows, other.rows, strict=True):
        for field in ("estimate", *FIELDS):
            ours, scaled = getattr(a, field), getattr(b, field)
            assert ours == scaled or ours == pytest.approx(scaled, rel=1e-12), (a.name, field)
    assert one.sentence() == other.sentence()
    assert one.sentence() != CALLS[name](1, cluster=cluster).sentence()


@pytest.mark.parametrize("cluster", [(), "k"])
@pytest.mark.parametrize("name", CALLS)
def test_weighted_numbers_are_recomputed(name: str, cluster: Any) -> None:
    result = CALLS[name](DATA["w"], cluster=cluster)
    found = result.verify()
    assert found.ok
    assert not found.recomputed().kinds["standard errors"].disagree
    assert found.recomputed().kinds["estimates"].agree


def other_call(metric: Metric) -> Any:
    """A weighted design of a kind that a metric takes."""
    designs = {
        ss.Paired: lambda: ss.Paired.from_wide(DATA, first="vs", second="am", weight="w"),
        ss.Groups: lambda: ss.Groups.from_frame(DATA, group="am", value="vs", weight="w"),
        ss.Ratings: lambda: ss.Ratings.from_wide(
            DATA[["vs", "am", "w"]],
            raters_in="columns",
            raters=["vs", "am"],
            weight="w",
            scale="nominal",
        ),
    }
    return next((make for kind, make in designs.items() if kind in metric.readers), None)


REFUSING = [
    name
    for name, metric in METRICS.items()
    if not metric.weighted and other_call(metric) is not None
]


@pytest.mark.parametrize("name", REFUSING)
def test_a_metric_that_would_ignore_weights_refuses_them(name: str) -> None:
    metric = METRICS[name]
    design = other_call(metric)()
    tables = [design] * vars(metric.function)["tables"]
    with pytest.raises(
        ss.InputError, match=rf"{name}\(\) counts each unit once.*column 'w'.*takes weights: "
    ):
        metric.function(*tables)


def test_functions_of_designs_without_a_metric_refuse_weights_too() -> None:
    pairs = ss.Paired.from_wide(DATA, first="vs", second="am", weight="w", cluster="k")
    rated = ss.Ratings.from_wide(
        DATA[["vs", "am", "w"]],
        raters_in="columns",
        raters=["vs", "am"],
        weight="w",
        scale="nominal",
    )
    calls: dict[str, Any] = {
        "leave_one_out": lambda: ss.leave_one_out(pairs, cluster="k"),
        "changed_shares": lambda: ss.changed_shares(rated, rated),
        "changed_means": lambda: ss.changed_means(rated, rated),
        "judge_zeros": lambda: ss.judge_zeros(rated),
    }
    for name, call in calls.items():
        with pytest.raises(ss.InputError, match=rf"{name}\(\) counts each unit once"):
            call()


def test_what_is_left_of_a_metric_without_a_weighted_form_is_refused() -> None:
    result = ss.paired_difference(DATA, **WIDE, weight="w")
    for term in ("wilcoxon", "sign_flip"):
        row = result.row(term)
        assert row.p_value is None
        assert "sampling weights" in str(row.undefined)
    with pytest.raises(ss.InputError, match="ci='bca' resamples units"):
        ss.paired_difference(DATA, **WIDE, weight="w", ci="bca")
    with pytest.raises(ss.InputError, match=r"equivalence\(\) counts each unit once"):
        ss.equivalence(result, bounds=(-1, 1))
    table = units(value=DATA["vs"], s=np.where(DATA["am"], "p", "q"))
    named = {"scale": "nominal", "rater": False, "weight": "w", "strata": "s"}
    with pytest.raises(ss.InputError, match="base='p' compares shares within clusters"):
        ss.choice_shares(table, **named, stratum="s", base="p", cluster="k")
    with pytest.raises(ss.InputError, match="ci='percentile' resamples units"):
        ss.choice_shares(table, **named, ci="percentile")


BAD = [
    ("-1", "a weight is negative: -1"),
    ("inf", "a weight is not a finite number: inf"),
    ("", "the weight is missing"),
    ("two", "a weight is not a finite number: two"),
]


@pytest.mark.parametrize(("value", "message"), BAD)
@pytest.mark.parametrize("read", ["paired", "groups", "ratings"])
def test_bad_weights_are_named_with_file_line_and_column(
    read: str, value: str, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"unit,arm,score,w\n1,a,3,1\n2,b,4,{value}\n3,a,3,2\n4,b,5,1\n")
    calls: dict[str, Any] = {
        "paired": lambda: ss.Paired.from_file(path, first="score", second="unit", weight="w"),
        "groups": lambda: ss.read_groups(path, weight="w"),
        "ratings": lambda: ss.read_ratings(path, rater="arm", weight="w", scale="interval"),
    }
    with pytest.raises(ss.InputError, match=rf"t.csv line 3, column 'w': {message}"):
        calls[read]()


def test_units_of_weight_zero_are_left_out_and_counted() -> None:
    table = DATA.assign(w=DATA["w"].where(DATA.index > 1, 0.0))
    design = ss.Paired.from_wide(table, **WIDE, weight="w")
    assert design.n_pairs == len(DATA) - 2
    assert [(step.label, step.rows) for step in design.flow][1] == ("weight 0 in 'w'", 2)
    rest = ss.Paired.from_wide(table[2:], **WIDE, weight="w")
    assert ss.paired_difference(design).rows == ss.paired_difference(rest).rows
    with pytest.raises(ss.NothingToAnalyse, match="weight 0 in 'w'"):
        ss.Paired.from_wide(table.assign(w=0), **WIDE, weight="w")


def test_the_rows_of_a_unit_have_one_weight() -> None:
    table = {
        "unit": [1, 1, 2, 2],
        "condition": ["x", "y"] * 2,
        "value": [3, 5, 4, 4],
        "w": [1, 2, 3, 3],
    }
    with pytest.raises(ss.InputError, match="unit '1' has several values of 'w'"):
        ss.Paired.from_frame(table, conditions=("x", "y"), weight="w")
    design = ss.Paired.from_frame(table | {"w": [2, 2, 3, 3]}, conditions=("x", "y"), weight="w")
    assert design.weight is not None
    assert design.table()["weight"].tolist() == [2.0, 3.0]


def test_weights_may_be_a_vector() -> None:
    pairs = ss.paired_difference(DATA["x"], DATA["y"], weight=DATA["w"])
    assert pairs.rows[0].std_error == pytest.approx(R["difference"]["std_error"])
    mean = ss.mean_ratings(DATA["x"].tolist(), weight=DATA["w"].tolist(), scale="interval")
    assert mean.rows[0].std_error == pytest.approx(R["mean"]["std_error"])
    groups = ss.two_means(DATA["x"], group=DATA["am"], weight=DATA["w"])
    assert groups.rows[0].std_error == pytest.approx(R["gap"]["std_error"])


def test_levels_of_by_have_their_own_weights() -> None:
    table = DATA.assign(w=np.where(DATA["am"] == 1, DATA["w"], 2.0))
    both = ss.paired_difference(table, **WIDE, weight="w", by="am")
    alone = ss.paired_difference(table[table["am"] == 0], **WIDE)
    assert both["0"].rows == alone.rows  # all weights of this level are equal
    assert "effective pairs" in both["1"].counts


def test_people_who_are_a_sample_are_crossed_with_weighted_units() -> None:
    rng = np.random.default_rng(5)
    unit = np.repeat(np.arange(12), 6)
    table = pd.DataFrame(
        {"unit": unit, "rater": np.tile([*"abcdef"], 12), "value": rng.integers(1, 6, 72)}
    )
    table["w"] = np.repeat(rng.lognormal(size=12), 6)
    for result in (
        ss.mean_ratings(table, scale="interval", weight="w", people="random"),
        ss.choice_shares(table, scale="nominal", weight="w", people="random"),
    ):
        assert result.verify().ok
        fixed = (ss.mean_ratings if result.metric == "mean_ratings" else ss.choice_shares)(
            table, scale="interval", weight="w", people="fixed"
        )
        assert result.rows[0].std_error >= fixed.rows[0].std_error
        assert result.rows[0].estimate == fixed.rows[0].estimate


def test_uneven_weights_are_cautioned() -> None:
    codes = [said.code for said in ss.paired_difference(DATA, **WIDE, weight="w").cautions]
    assert "SS216" in codes
    even = ss.paired_difference(DATA.assign(w=np.tile([1, 2], 16)), **WIDE, weight="w")
    assert "SS216" not in [said.code for said in even.cautions]
    assert even.counts["effective pairs"] == round(48**2 / (16 + 64))


def test_the_command_line_takes_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cars.csv"
    DATA.to_csv(path, index=False)
    words = ["estimate", "paired_difference", str(path), "--first", "x", "--second", "y"]
    assert main([*words, "--weight", "w"]) == 0
    assert "effective number 9.4" in capsys.readouterr().out
    assert main(["estimate", "effect_sizes", *words[2:], "--weight", "w"]) != 0
    assert "counts each unit once" in capsys.readouterr().err
    mapped = ["--map", "first=x", "--map", "second=y", "--map", "weight=w"]
    assert main(["check", str(path), *mapped]) == 0
    shown = capsys.readouterr().out
    assert "weight = w" in shown
    assert "32 pairs count as 9.4 equal ones (Kish)" in shown
    assert main(["report", str(path), *mapped, "-o", str(tmp_path / "r.html")]) != 0
    assert "the page 'paired' counts each unit once" in capsys.readouterr().err


def test_long_tails_of_weights_do_not_overflow() -> None:
    huge = DATA.assign(w=DATA["w"] * 1e90, x=DATA["x"] * 1e150, y=DATA["y"] * 1e150)
    row = ss.paired_difference(huge, **WIDE, weight="w").rows[0]
    assert row.std_error == pytest.approx(R["difference"]["std_error"] * 1e150)


@pytest.mark.parametrize("side", ["greater", "less"])
@pytest.mark.parametrize("metric", [ss.two_proportions, ss.two_means, ss.paired_difference])
def test_weights_go_with_one_side(metric: Any, side: str) -> None:
    rng = np.random.default_rng(2)
    x, w = rng.integers(0, 2, 60), rng.lognormal(sigma=0.5, size=60)
    if metric is ss.paired_difference:
        call: dict[str, Any] = {"first": "first", "second": "second"}
        table: dict[str, Any] = {"first": x, "second": 1.0 - x[::-1] / 2, "w": w}
    else:
        call, table = {}, {"group": np.repeat(["a", "b"], 30), "value": x, "w": w}
    found = metric(table, weight="w", alternative=side, **call)
    assert f"(one-sided: {side})" in found.sentence()
    assert found.verify().ok
