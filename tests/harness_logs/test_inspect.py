"""Inspect logs, written here in both formats and in new and old versions; what the harness prints by hand formulas."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from socialstats.claims import check
from socialstats.errors import InputError
from socialstats.harness_logs import inspect, read_log
from socialstats.harness_logs.files import look
from socialstats.harness_logs.inspect import to_float
from socialstats.harness_logs.log import KEYS, Claim, Log
from tests.harness_logs.logs import SAMPLES, dump, header, printed_score, sample, zipped


def as_eval(
    path: Path,
    top: dict[str, Any],
    samples: list[dict[str, Any]],
    *,
    thin: bool = True,
    **rest: Any,
) -> Path:
    entries = {f"samples/{s['id']}_epoch_{s['epoch']}.json": {**s, "messages": []} for s in samples}
    entries["summaries.json"] = samples if thin else [{**s, "scores": {}} for s in samples]
    return zipped(path, {**entries, "header.json": top}, **rest)


def as_json(path: Path, top: dict[str, Any], samples: list[dict[str, Any]]) -> Path:
    return dump(path, {**top, "samples": samples})


def claim(log: Log, name: str) -> Claim:
    return next(c for c in log.claims if c.name == name)


def cells(log: Log, *columns: str) -> list[tuple[Any, ...]]:
    return [
        tuple(None if v != v else v for v in row)
        for row in log.rows[[*columns]].itertuples(index=False)
    ]


SCORED = [
    sample(
        k,
        e,
        scores={"match": "C" if (k + e) % 3 else "I"},
        metadata={"scenario": f"s{k % 2}", "n": k},
    )
    for e in (1, 2)
    for k in range(4)
]


@pytest.mark.parametrize(
    "how", ["deflate", "zstd", "zstd in frames", "json", "without summaries", "thin summaries"]
)
def test_every_format_gives_the_same_rows(how: str, tmp_path: Path) -> None:
    top = header([printed_score("match", {"accuracy": 0.625})])
    if how == "json":
        path = as_json(tmp_path / "x.json", top, SCORED)
    elif how == "without summaries":
        path = zipped(
            tmp_path / "x.eval",
            {f"samples/{s['id']}_epoch_{s['epoch']}.json": s for s in SCORED}
            | {"header.json": top},
        )
    else:
        path = as_eval(
            tmp_path / "x.eval",
            top,
            SCORED,
            thin=how != "thin summaries",
            zstd="zstd" in how,
            frames=3 if "frames" in how else 1,
        )
    log = read_log(path)
    assert (log.harness, log.version, tuple(log.rows.columns)) == (
        "inspect",
        "0.3.200",
        (*KEYS, "scenario", "n", "target"),
    )
    expected = [
        (
            str(s["id"]),
            str(s["epoch"]),
            "match",
            float((s["id"] + s["epoch"]) % 3 > 0),
            "ok",
            f"s{s['id'] % 2}",
        )
        for s in SCORED
    ]
    assert sorted(cells(log, "unit", "epoch", "scorer", "value", "status", "scenario")) == sorted(
        expected
    )
    assert log.rows["value"].dtype == np.float64
    assert (log.claims[0].printed, log.claims[0].quantity, dict(log.claims[0].select)) == (
        "0.625",
        "mean",
        {"scorer": "match"},
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("C", 1.0),
        ("I", 0.0),
        ("P", 0.5),
        ("N", 0.0),
        (True, 1.0),
        (0, 0.0),
        (3.5, 3.5),
        ("yes", 1.0),
        ("FALSE", 0.0),
        ("0.25", 0.25),
        ("-2", -2.0),
    ],
)
def test_values_are_numbers_as_documented(value: Any, expected: float) -> None:
    assert to_float(value) == (expected, "ok")


@pytest.mark.parametrize("value", ["c", "maybe", "", "nan", "inf", [1, 2], {"a": 1}])
def test_values_that_are_no_numbers_are_never_zero(value: Any) -> None:
    assert to_float(value) == (None, "unparsed")


def test_every_row_keeps_its_status(tmp_path: Path) -> None:
    samples = [
        sample("ok", scores={"m": "C"}),
        sample("odd", scores={"m": "maybe"}),
        sample("nan", scores={"m": math.nan}),
        sample("null", scores={"m": None}),
        sample("bad", scores={}, error={"message": "no luck", "traceback": "..."}),
        sample("gone", scores={"other": 1}),
        sample("late", scores={"m": "I"}, error="timeout", limit="token"),
    ]
    ids = ["ok", "odd", "nan", "null", "bad", "gone", "late", "never"]
    top = header(dataset={"sample_ids": ids}, packages={"inspect_ai": "0.3.248"})
    for path in (
        as_json(tmp_path / "x.json", top, samples),
        as_eval(tmp_path / "x.eval", top, samples),
    ):
        log = read_log(path)
        mine = log.rows[log.rows["scorer"] == "m"]
        assert dict(zip(mine["unit"], mine["status"], strict=True)) == {
            "ok": "ok",
            "odd": "unparsed",
            "nan": "unscored",
            "null": "unscored",
            "bad": "error",
            "gone": "missing",
            "late": "ok",
            "never": "missing",
        }
        assert mine["value"].notna().sum() == 2
        assert mine.set_index("unit")["sample_error"]["bad"] == "no luck"
        said = " ".join(log.notes)
        assert "1 sample ended in an error and have a score" in said
        assert "stopped at a limit" in said
        assert "status error: 3 of 16 rows" in said
    old = read_log(as_json(tmp_path / "old.json", header(dataset={"sample_ids": ids}), samples))
    assert old.rows.set_index(["unit", "scorer"])["status"]["late", "m"] == "error"
    assert "this version of Inspect does not count it" in " ".join(old.notes)


def test_samples_without_any_score_are_unscored_rows_of_the_printed_scorer(tmp_path: Path) -> None:
    top = header([printed_score("includes", {"accuracy": 1.0})])
    log = read_log(as_json(tmp_path / "x.json", top, [sample("a"), sample("b", error="x")]))
    assert cells(log, "unit", "scorer", "status") == [
        ("a", "includes", "unscored"),
        ("b", "includes", "error"),
    ]


def test_an_infinite_score_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a score is infinite"):
        read_log(as_json(tmp_path / "x.json", header(), [sample("a", scores={"m": math.inf})]))


def test_dict_and_list_values_are_parts(tmp_path: Path) -> None:
    samples = [
        sample(
            "a", scores={"likert": {"value": {"comply": "C", "tone": 4}}, "pair": {"value": [1, 0]}}
        ),
        sample("b", scores={"likert": {"value": {"comply": "I"}}, "pair": {"value": [0, 0]}}),
        sample("c", scores={"likert": math.nan}),
        sample("d", scores={}, error="x"),
    ]
    log = read_log(as_json(tmp_path / "x.json", header(), samples))
    found = {
        (u, s): (v, status) for u, s, v, status in cells(log, "unit", "scorer", "value", "status")
    }
    assert found["a", "likert/comply"] == (1.0, "ok")
    assert found["b", "likert/tone"] == (None, "unscored")
    assert found["c", "likert/tone"] == (None, "unscored")
    assert found["d", "pair/1"] == (None, "error")
    assert found["c", "pair/0"] == (None, "missing")
    assert found["b", "pair/1"] == (0.0, "ok")
    assert len(found) == len(log.rows) == 16


def metric(name: str, value: float, *, group: str | None = None, **params: Any) -> dict[str, Any]:
    held = {"name": name, "value": value, "params": params}
    return held if group is None else {**held, "group": group}


def test_metrics_are_told_apart_by_name_group_and_parameters(tmp_path: Path) -> None:
    by = {"metric": {"type": "metric", "name": "mean", "params": {}}, "group_key": "scenario"}
    metrics = {
        "stderr": metric("stderr", 0.1),
        "stderr2": metric("stderr", 0.2, cluster="scenario"),
        "lower2": metric("lower", 0.3, group="ci", level=0.9, cluster="scenario"),
        "upper": metric("upper", 0.4, group="ci", method="bootstrap", num_samples=77),
        "boot": metric("bootstrap_stderr", 0.5, num_samples=200),
        "s0": metric("s0", 0.6, group="grouped", **by),
        "all": metric("all", 0.7, group="grouped", **by),
        "all2": metric("all", 0.8, group="grouped", **by, all="groups"),
        "std": metric("std", 0.9),
        "mine": metric("mine", 1.5),
        "nan": metric("var", math.nan),
        "sum": metric(
            "sum",
            2.5,
            group="aggregate",
            key="x",
            agg={"type": "metric", "name": "mean", "params": {}},
        ),
    }
    log = read_log(
        as_json(
            tmp_path / "x.json", header([printed_score("match", metrics, scored_samples=4)]), SCORED
        )
    )
    found = {
        c.printed: (c.quantity, dict(c.select), [dict(p) for p in c.parts], dict(c.settings))
        for c in log.claims
    }
    one, mean = {"scorer": "match"}, {"reducer": "mean"}
    ends = {
        **mean,
        "undefined": "mean",
    }  # 0.3.200: NaN, not 0, for the standard error of one cluster
    assert found["0.1"] == ("std_error", one, [], {**mean, "ddof": 1, "undefined": "0"})
    assert found["0.2"] == ("std_error", one, [], {**mean, "ddof": 1, "cluster": "scenario"})
    assert found["0.3"] == (
        "conf_low",
        one,
        [],
        {**mean, "method": "t", "conf_level": 0.9, "cluster": "scenario"},
    )
    assert found["0.4"] == (
        "conf_high",
        one,
        [],
        {**ends, "method": "bootstrap", "conf_level": 0.95, "resamples": 77},
    )
    assert found["0.5"] == (
        "std_error",
        one,
        [],
        {**mean, "method": "bootstrap", "resamples": 200, "ddof": 0},
    )
    assert found["0.6"] == ("mean", {**one, "scenario": "s0"}, [], mean)
    assert found["0.7"] == ("mean", one, [], mean)
    groups = [{**one, "scenario": "s0"}, {**one, "scenario": "s1"}]
    assert found["0.8"] == ("mean", one, groups, {**mean, "by_size": False})
    assert found["0.9"] == ("std_dev", one, [], {**mean, "ddof": 1, "undefined": "0"})
    assert found["1.5"][0] == "other"
    assert found["NaN"][0] == "variance"
    assert found["4"][:2] == ("count", one)
    said = next(one for one in check(log).judged if one.claim.printed == "NaN")
    assert (said.verdict, said.reason) == (
        "not_computable",
        "the log prints 'NaN', which is not a number",
    )
    assert found["2.5"][:2] == ("mean", {"scorer": "match/x"})


def test_numbers_are_kept_as_printed(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    text = json.dumps({**header([printed_score("match", {"accuracy": 0.5})]), "samples": SCORED})
    path.write_text(text.replace('"value": 0.5', '"value": 0.500'))
    assert read_log(path).claims[0].printed == "0.500"


def test_declared_metrics_that_are_not_printed_are_claims_without_a_number(tmp_path: Path) -> None:
    """Inspect drops the second standard error of a part: both have one name in its table."""
    declared = [
        {"name": "inspect_ai/mean", "options": {}},
        {"name": "inspect_ai/stderr", "options": {}},
        {"name": "inspect_ai/stderr", "options": {"cluster": "scenario"}},
    ]
    samples = [
        sample(k, scores={"likert": {"value": {"comply": k % 2, "tone": 3}}}) for k in range(4)
    ]
    printed = [
        printed_score(part, {"mean": 0.5, "stderr": 0.1}, scorer="likert")
        for part in ("comply", "tone")
    ]
    about = {"scorers": [{"name": "likert", "metrics": {"com*": declared, "tone": declared[:2]}}]}
    log = read_log(as_json(tmp_path / "x.json", header(printed, **about), samples))
    empty = [c for c in log.claims if c.printed == ""]
    assert [(c.name, c.quantity, dict(c.select)) for c in empty] == [
        ("stderr (cluster=scenario)", "std_error", {"scorer": "likert/comply"})
    ]
    assert empty[0].settings["cluster"] == "scenario"


def test_metrics_printed_in_another_entry_are_not_missing(tmp_path: Path) -> None:
    """Reduced and unreduced metrics of one scorer, and several reducers, are entries of their own."""
    declared = [
        {"name": "inspect_ai/accuracy", "options": {}},
        {"name": "inspect_ai/stderr", "options": {"x": 1}},
        {"name": "inspect_ai/frequency", "options": {}},
        {"name": "mine/mean", "options": {}},
    ]
    printed = [
        printed_score("match", {"accuracy": 0.5, "stderr": 0.1}, reducer="mean"),
        printed_score("match", {"accuracy": 0.6, "stderr": 0.2}, reducer="max"),
        printed_score(
            "match",
            {"C": {**metric("C", 0.5), "group": "frequency"}, "mine/mean": 7.0},
            scored_samples=8,
        ),
    ]
    about = {"scorers": [{"name": "match", "metrics": declared}], "config": {"epochs": 2}}
    log = read_log(as_json(tmp_path / "x.json", header(printed, **about), SCORED))
    assert [(c.printed, c.quantity, c.settings["reducer"]) for c in log.claims] == [
        ("0.5", "mean", "mean"),
        ("0.1", "std_error", "mean"),
        ("0.6", "mean", "max"),
        ("0.2", "std_error", "max"),
        ("0.5", "other", "none"),
        ("7.0", "other", "none"),
        ("8", "count", "none"),
    ]


def test_plain_metrics_of_dict_values_are_about_the_scorer_itself(tmp_path: Path) -> None:
    """The harness counts such values as 0.0 in silence; the rows are the parts, so nothing hides it."""
    samples = [
        sample(k, scores={"likert": {"value": {"comply": 1, "likert": 2}}}) for k in range(4)
    ]
    about = {
        "scorers": [{"name": "likert", "metrics": [{"name": "inspect_ai/accuracy", "options": {}}]}]
    }
    log = read_log(
        as_json(
            tmp_path / "x.json",
            header([printed_score("likert", {"accuracy": 0.0})], **about),
            samples,
        )
    )
    assert dict(log.claims[0].select) == {"scorer": "likert"}
    assert set(log.rows["scorer"]) == {"likert/comply", "likert/likert"}


@pytest.mark.parametrize(
    ("printed", "config", "expected"),
    [
        ({"reducer": "at_least_2"}, {}, "at_least_2"),
        ({}, {"epochs_reducer": ["mode"]}, "mode"),
        ({}, {}, "mean"),
        ({"scored_samples": 8}, {}, "none"),
        ({"scored_samples": 4}, {}, "mean"),
    ],
)
def test_how_epochs_are_joined(
    printed: dict[str, Any], config: dict[str, Any], expected: str, tmp_path: Path
) -> None:
    top = header(
        [printed_score("match", {"accuracy": 0.5}, **printed)], config={"epochs": 2, **config}
    )
    assert (
        read_log(as_json(tmp_path / "x.json", top, SCORED)).claims[0].settings["reducer"]
        == expected
    )


def test_the_oldest_logs_have_one_scorer(tmp_path: Path) -> None:
    top = header()
    top["results"] = {
        "scorer": {"name": "match"},
        "metrics": {"accuracy": {"name": "accuracy", "value": 0.5, "options": {}}},
    }
    samples = [
        {"id": k, "epoch": 1, "target": "A", "score": {"value": "C" if k else "I"}} for k in (0, 1)
    ]
    log = read_log(as_json(tmp_path / "x.json", top, samples))
    assert cells(log, "unit", "value") == [("0", 0.0), ("1", 1.0)]
    assert (log.claims[0].name, log.claims[0].printed) == ("accuracy", "0.5")


def test_a_run_that_did_not_end_is_read_from_its_journal(tmp_path: Path) -> None:
    start = {key: value for key, value in header().items() if key in ("version", "eval")}
    path = zipped(
        tmp_path / "x.eval",
        {
            "_journal/start.json": start,
            "_journal/summaries/2.json": SCORED[4:6],
            "_journal/summaries/1.json": SCORED[:4],
            "samples/2_epoch_2.json": SCORED[6],
        },
    )
    log = read_log(path)
    assert len(log.rows) == 7
    assert log.claims == ()
    assert any("did not end well: its status is 'started'" in note for note in log.notes)


def test_metadata_that_summaries_leave_out_is_read_from_the_samples(tmp_path: Path) -> None:
    """Summaries drop metadata of more than 1 kB; a number clustered by it needs the samples."""
    metrics = {"stderr": metric("stderr", 0.1, cluster="story")}
    whole = [
        sample(k, scores={"m": k % 2}, metadata={"story": f"t{k % 2}" + "x" * 150})
        for k in range(4)
    ]
    entries: dict[str, Any] = {f"samples/{s['id']}_epoch_1.json": s for s in whole}
    entries |= {
        "summaries.json": [{**s, "metadata": {}} for s in whole],
        "header.json": header([printed_score("m", metrics)]),
    }
    log = read_log(zipped(tmp_path / "x.eval", entries))
    assert log.rows["story"].nunique() == 2


def test_a_log_without_samples_gives_its_reductions(tmp_path: Path) -> None:
    reductions = [
        {
            "scorer": "m",
            "samples": [{"value": 0.5, "sample_id": "a"}, {"value": 1.0, "sample_id": "b"}],
        }
    ]
    for top in (header() | {"reductions": reductions}, header()):
        top.setdefault("results", {})["sample_reductions"] = reductions
        log = read_log(dump(tmp_path / "x.json", top))
        assert cells(log, "unit", "scorer", "value") == [("a", "m", 0.5), ("b", "m", 1.0)]
        assert "without metadata" in log.notes[0]


def test_metadata_never_hides_the_logs_own_columns(tmp_path: Path) -> None:
    metrics = {"stderr": metric("stderr", 0.1, cluster="model")}
    samples = [
        sample(k, scores={"m": 1}, metadata={"model": "x", "value": 7, "who": {"age": k}})
        for k in range(3)
    ]
    log = read_log(as_json(tmp_path / "x.json", header([printed_score("m", metrics)]), samples))
    assert list(log.rows.columns[:9]) == list(KEYS)
    assert cells(log, "model", "meta_model", "meta_value", "who_age")[1] == (
        "mock/m",
        "x",
        "7",
        "1",
    )
    assert log.claims[0].settings["cluster"] == "meta_model"


def test_strange_texts_come_through(tmp_path: Path) -> None:
    odd = "\ud800 \0 =cmd|' /C calc'!A0 \u202e\n"
    log = read_log(
        as_json(
            tmp_path / "x.json", header(), [sample("a\nb", scores={"m": "C"}, metadata={"k": odd})]
        )
    )
    text = log.rows["k"][0]
    assert text.encode("utf-8")
    assert "\0" not in text
    assert log.rows["unit"][0] == "a\nb"


def test_long_texts_are_left_out_and_named(tmp_path: Path) -> None:
    log = read_log(
        as_json(
            tmp_path / "x.json",
            header(),
            [sample("a", scores={"m": 1}, metadata={"story": "x" * 300, "k": 1})],
        )
    )
    assert "story" not in log.rows.columns
    assert "columns with long texts were left out: story" in log.notes


def test_a_log_of_many_samples_is_read_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a sample only what is needed is kept: memory does not grow with messages."""
    from socialstats.harness_logs import streaming

    samples = [
        sample(k, scores={"m": k % 2}, messages=[{"content": "long " * 400}]) for k in range(300)
    ]
    source = look(as_json(tmp_path / "x.json", header(), samples))
    monkeypatch.setattr(streaming, "CHUNK", 1 << 12)
    held: list[int] = []
    more = streaming.JsonStream._more

    def watched(self: streaming.JsonStream) -> bool:
        found = more(self)
        held.append(len(self._text))
        return found

    monkeypatch.setattr(streaming.JsonStream, "_more", watched)
    log = inspect.read(source)
    assert log.rows["value"].mean() == 0.5
    assert max(held) < 1 << 15
    assert (tmp_path / "x.json").stat().st_size > 1 << 19


def real(name: str) -> Log:
    found = sorted((SAMPLES / "inspect").glob(name))
    if not found:
        pytest.skip("shared/data/harness_samples is not beside the project")
    return read_log(found[0])


def of_units(log: Log, **select: str) -> Any:
    rows = log.rows
    for column, value in select.items():
        rows = rows[rows[column] == value]
    return rows.groupby("unit", sort=False).agg(
        {"value": "mean", "scenario": "first", "gender": "first"}
    )


@pytest.mark.parametrize(
    "name", ["*n7YVZM*.eval", "*VN9mJC*.eval", "*KMAug3*.json", "*e3YaWQ*.json"]
)
def test_real_logs_give_their_accuracy_and_standard_error(name: str) -> None:
    log = real(name)
    assert len(log.rows) == 96
    values = of_units(log, scorer="choice")["value"]
    first = {
        c.name: float(c.printed) for c in reversed(log.claims) if c.select.get("scorer") == "choice"
    }
    assert values.mean() == pytest.approx(first["accuracy"], rel=1e-12)
    assert values.std(ddof=1) / math.sqrt(len(values)) == pytest.approx(first["stderr"], rel=1e-12)


@pytest.mark.parametrize("name", ["*n7YVZM*.eval", "*VN9mJC*.eval"])
def test_real_logs_give_their_clustered_error_and_grouped_means(name: str) -> None:
    log = real(name)
    units = of_units(log, scorer="choice")
    rest = units["value"] - units["value"].mean()
    sums = rest.groupby(units["scenario"]).sum()
    c, n = len(sums), len(units)
    assert math.sqrt((sums**2).sum() * c / (c - 1)) / n == pytest.approx(
        float(claim(log, "stderr (cluster=scenario)").printed), rel=1e-12
    )
    groups = units.groupby("gender")["value"].mean()
    assert groups["f"] == pytest.approx(float(claim(log, "mean (gender = f)").printed), rel=1e-12)
    assert groups.mean() == pytest.approx(
        float(claim(log, "mean (mean over gender)").printed), rel=1e-12
    )
    assert [dict(p) for p in claim(log, "mean (mean over gender)").parts] == [
        {"scorer": "choice", "gender": "f"},
        {"scorer": "choice", "gender": "m"},
    ]


def test_real_log_declares_a_clustered_error_that_it_does_not_print() -> None:
    empty = [c for c in real("*e3YaWQ*.json").claims if not c.printed]
    assert [(c.name, dict(c.select)) for c in empty] == [
        ("stderr (cluster=scenario)", {"scorer": "likert/comply"})
    ]


@pytest.mark.parametrize(
    ("name", "rows", "mean", "version"),
    [
        ("*dPiJif*", 10, None, "0.3.58"),
        ("*mj7khq*", 10, 0.8, "0.3.58"),
        ("log_formats.eval", 1, 0.0, "0.3.41"),
        ("log_formats.json", 1, 0.0, "0.3.41"),
        ("mmlu*", 1, 0.0, "0.3.154"),
        ("2025-05-12*", 3, 2 / 3, "0.3.95"),
    ],
)
def test_real_logs_of_old_versions(name: str, rows: int, mean: float | None, version: str) -> None:
    log = real(f"fixtures/{name}")
    assert len(log.rows) == rows
    assert log.version is not None
    assert log.version.startswith(version)
    if mean is None:
        assert set(log.rows["status"]) == {"unscored"}
    else:
        assert log.rows["value"].mean() == pytest.approx(mean)
        assert float(claim(log, "accuracy").printed) == pytest.approx(mean)


def verdicts(log: Log) -> dict[str, str]:
    return {one.claim.name: one.verdict for one in check(log).judged}


def test_the_mode_of_epochs_counts_labels_and_not_their_numbers(tmp_path: Path) -> None:
    """I and N are both worth 0, and Inspect's mode takes C of C, I, C, N, and of N, C, I, C."""
    given = {"a": "CICN", "b": "NCIC", "c": "IINC", "d": "CCII"}
    modes = [1.0, 1.0, 0.0, 1.0]
    samples = [
        sample(u, e, scores={"match": v})
        for u, held in given.items()
        for e, v in enumerate(held, 1)
    ]
    printed = printed_score(
        "match", {"accuracy": np.mean(modes), "stderr": np.std(modes, ddof=1) / 2}, reducer="mode"
    )
    log = read_log(as_json(tmp_path / "x.json", header([printed]), samples))
    assert verdicts(log) == {"accuracy": "reproduced", "stderr": "reproduced"}
    assert log.rows["score_text"].tolist() == list("".join(given.values()))
    assert "score_text" not in read_log(as_json(tmp_path / "y.json", header(), SCORED)).rows.columns


def by_group(name: str, value: float, *, inner: str = "mean", **params: Any) -> dict[str, Any]:
    held = {"metric": {"name": f"inspect_ai/{inner}", "params": {}}, "group_key": "g", **params}
    return {"name": name, "group": "grouped", "value": value, "params": held}


@pytest.mark.parametrize(
    ("reducer", "joined"),
    [
        ("max", [1, 1, 1, 0]),
        ("median", [0.5, 1, 0.5, 0]),
        ("mean", [0.5, 1, 0.5, 0]),
        ("at_least_2", [0, 1, 0, 0]),
    ],
)
def test_numbers_about_groups_take_the_reducer_of_epochs(
    reducer: str, joined: list[float], tmp_path: Path
) -> None:
    """One group has no name: Inspect calls it None."""
    given, groups = (
        {"a": (1, 0), "b": (1, 1), "c": (0, 1), "d": (0, 0)},
        {"a": "x", "b": "x", "c": "x", "d": None},
    )
    samples = [
        sample(u, e, scores={"match": v}, metadata={"g": groups[u]})
        for u, held in given.items()
        for e, v in enumerate(held, 1)
    ]
    within, alone = sum(joined[:3]) / 3, float(joined[3])
    metrics = {
        "x": by_group("x", within),
        "None": by_group("None", alone),
        "all": by_group("all", (within + alone) / 2, all="groups"),
        "wrong": by_group("all", (within + alone) / 2 + 0.01, all="groups"),
    }
    log = read_log(
        as_json(
            tmp_path / "x.json", header([printed_score("match", metrics, reducer=reducer)]), samples
        )
    )
    assert [one.verdict for one in check(log).judged] == ["reproduced"] * 3 + ["not_reproduced"]


def test_the_mean_of_the_groups_standard_errors_is_called_what_it_is(tmp_path: Path) -> None:
    values = [0.1, 0.5, 0.7, 0.2, 0.9]
    groups = [values[:3], values[3:]]
    error = np.mean([np.std(g, ddof=1) / math.sqrt(len(g)) for g in groups])
    samples = [
        sample(f"u{i}", scores={"s": v}, metadata={"g": "x" if i < 3 else "y"})
        for i, v in enumerate(values)
    ]
    metrics = {
        "all": by_group("all", error, inner="stderr", all="groups"),
        "off": by_group("all", error * 1.01, inner="stderr", all="groups"),
    }
    right, wrong = check(
        read_log(as_json(tmp_path / "x.json", header([printed_score("s", metrics)]), samples))
    ).judged
    assert (right.verdict, wrong.verdict) == ("reproduced", "not_reproduced")
    assert "not the standard error of their mean" in right.sentence()


def test_labels_of_which_none_is_a_number_counted_as_zero(tmp_path: Path) -> None:
    samples = [
        sample(f"u{i}", scores={"judge": label}) for i, label in enumerate(["good", "bad", "good"])
    ]
    metrics = {"accuracy": 0.0, "stderr": 0.0, "mean": 0.5}
    path = as_json(tmp_path / "x.json", header([printed_score("judge", metrics)]), samples)
    found = {one.claim.name: one for one in check(read_log(path)).judged}
    assert [found[name].verdict for name in metrics] == ["explained", "explained", "not_computable"]
    assert "counted as 0" in found["accuracy"].sentence()


def test_the_number_of_scored_samples_is_a_number_to_check(tmp_path: Path) -> None:
    """Units with a score: one of five is unscored in both epochs, one in one."""
    given = {"a": (1, 0), "b": (1, 1), "c": (0, math.nan), "d": (math.nan, math.nan), "e": (0, 0)}
    samples = [
        sample(u, e, scores={"match": v})
        for u, held in given.items()
        for e, v in enumerate(held, 1)
    ]
    for said, verdict in ((4, "reproduced"), (21, "not_reproduced")):
        top = header([printed_score("match", {"mean": 0.375}, scored_samples=said)])
        found = verdicts(read_log(as_json(tmp_path / "x.json", top, samples)))
        assert found == {"mean": "reproduced", "scored_samples": verdict}, said


def test_an_infinite_score_is_named_by_its_sample(tmp_path: Path) -> None:
    samples = [sample("a"), sample("b", 2, scores={"s": math.inf})]
    with pytest.raises(InputError, match="sample 'b', epoch 2: a score is infinite"):
        read_log(as_json(tmp_path / "x.json", header(), samples))
