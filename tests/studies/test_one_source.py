"""The page of one source: its mean or share, of 0 and 1, numbers and labels; how such tables are read."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import socialstats as ss
from socialstats.cli import main
from socialstats.cli.analysis import prepare
from socialstats.cli.parser import make_parser
from socialstats.errors import InputError
from socialstats.results import Row
from socialstats.studies.page import Outcome
from socialstats.studies.plan_files import load_plan


def page(path: Path, *words: str) -> Outcome:
    return prepare(make_parser().parse_args(["report", str(path), *words]), load_plan(None)).run()[
        0
    ]


def written(path: Path, **columns: object) -> Path:
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def lead(outcome: Outcome) -> Row:
    return outcome.blocks[0].results[0].rows[0]


def wilson(p: float, n: float, q: float) -> tuple[float, float]:
    """Solve (p - x)^2 = q^2 x (1 - x) / n."""
    middle, reach = (
        (p + q**2 / 2 / n) / (1 + q**2 / n),
        q * math.sqrt(p * (1 - p) / n + q**2 / 4 / n**2),
    )
    return middle - reach / (1 + q**2 / n), middle + reach / (1 + q**2 / n)


@pytest.mark.parametrize("right", [38, 25, 0])
@pytest.mark.parametrize("named", [{}, {"model": "m1"}, {"judge": "j"}])
def test_a_share_of_right_answers_has_wilsons_interval(
    right: int, named: dict[str, str], tmp_path: Path
) -> None:
    """Also where all answers, or none, are right: 38 of 38 is 1, 95% CI [.908, 1]."""
    columns = {"unit": [f"u{k}" for k in range(38)], "correct": [1] * right + [0] * (38 - right)}
    outcome = page(written(tmp_path / "t.csv", **named, **columns))
    row = lead(outcome)
    assert outcome.study == "one-source"
    assert (row.estimate, row.n_units) == (right / 38, 38)
    assert (row.conf_low, row.conf_high) == pytest.approx(
        proportion_confint(right, 38, method="wilson"), abs=1e-12
    )
    assert f"({right} of 38 units)" in outcome.answer[0]
    assert all(found.ok for found in outcome.verifications.values())


def test_a_page_of_one_source_names_no_raters_and_no_differences(tmp_path: Path) -> None:
    """Without a difference there is no test of one, and one source is no rater among others."""
    columns = {"unit": [f"u{k}" for k in range(30)], "value": [1, 2, 4, 4, 5] * 6}
    for words in (("--map", "rater="), ("--map", "rater=", "--scale", "nominal")):
        outcome = page(written(tmp_path / "t.csv", **columns), *words)
        assert outcome.study == "one-source"
        said = " ".join((*outcome.methods, *(block.caption or "" for block in outcome.blocks)))
        assert "for this source" in said
        assert "for this rater" not in said
        assert "all raters" not in json.dumps(
            [found.to_dict() for found in outcome.verifications.values()]
        )
        assert "differences by t" not in said


def test_clusters_count_as_clusters(tmp_path: Path) -> None:
    """Ten topics of six questions: errors over topic means, and Wilson's interval of as many effective answers."""
    rng = np.random.default_rng(3)
    ease = np.repeat(rng.normal(0.8, 1.2, 10), 6)
    frame = pd.DataFrame(
        {
            "item": range(60),
            "topic": np.arange(60) // 6,
            "correct": (rng.random(60) < 1 / (1 + np.exp(-ease))).astype(int),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    means = frame.groupby("topic")["correct"].mean()
    p, variance = means.mean(), means.var(ddof=1) / 10
    ends = wilson(p, p * (1 - p) / variance, stats.t.ppf(0.975, 9))
    row = lead(page(tmp_path / "t.csv", "--cluster", "topic"))
    assert row.df == pytest.approx(9)
    assert row.std_error == pytest.approx(math.sqrt(variance))
    assert (row.conf_low, row.conf_high) == pytest.approx(ends)


def test_numbers_have_a_mean_with_its_t_interval(tmp_path: Path) -> None:
    values = np.random.default_rng(4).normal(5, 1, 40).round(2)
    outcome = page(written(tmp_path / "t.csv", item=range(40), score=values))
    row = lead(outcome)
    ends = stats.t.interval(0.95, 39, values.mean(), stats.sem(values))
    assert (row.estimate, row.df) == pytest.approx((values.mean(), 39))
    assert (row.conf_low, row.conf_high) == pytest.approx(ends)
    assert outcome.title == "How high is the mean of 'score'?"


@pytest.mark.parametrize("labels", [("no", "yes"), ("False", "True"), ("incorrect", "correct")])
def test_the_share_of_yes_is_that_of_the_second_label(
    labels: tuple[str, str], tmp_path: Path
) -> None:
    values = [labels[k % 5 == 0] for k in range(50)]
    outcome = page(written(tmp_path / "t.csv", unit=range(50), value=values))
    assert outcome.answer[0].startswith(
        f"The share of '{labels[1]}' in 'value' was .200, 95% CI [.112, .330]"
    )


def test_labels_have_a_share_each(tmp_path: Path) -> None:
    levels = ["low", "mid", "high"]
    values = [levels[k % 6 // 2] if k > 9 else "low" for k in range(60)]
    outcome = page(
        written(tmp_path / "t.csv", unit=range(60), value=values), "--levels", "low,mid,high"
    )
    rows = {row.term: row for row in outcome.blocks[0].results[0].rows}
    for name in levels:
        n = rows[name].estimate * 60
        known = proportion_confint(round(n), 60, method="wilson")
        assert (rows[name].conf_low, rows[name].conf_high) == pytest.approx(known)
    assert sum(row.estimate for row in rows.values()) == pytest.approx(1)


@pytest.mark.parametrize("share", [0.95, 1.0])
@pytest.mark.parametrize("alike", [False, True])
def test_means_of_repeated_right_answers_stay_within_0_and_1(
    share: float, alike: bool, tmp_path: Path
) -> None:
    """Answers to one question are averaged, also where they are all alike; the interval is still one of a share."""
    rng = np.random.default_rng(5)
    right = {
        (k, run): int(rng.random() < share or 1 < k < 4) for k in range(12) for run in (1, 2, 3)
    }
    rows = [(k, run, right[k, 1 if alike else run]) for k, run in right]
    frame = pd.DataFrame(rows, columns=["item", "run", "correct"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    outcome = page(tmp_path / "t.csv")
    row = lead(outcome)
    assert row.estimate == pytest.approx(frame["correct"].mean())
    assert row.n_units == 12
    assert row.conf_low is not None
    assert 0 < row.conf_low < row.estimate
    assert row.conf_high is not None
    assert row.estimate <= row.conf_high <= 1
    assert "repeats" in [block.id for block in outcome.blocks]
    assert all(found.ok for found in outcome.verifications.values())


def test_a_leaderboard_of_one_model_is_the_page_of_one_source(tmp_path: Path) -> None:
    path = written(
        tmp_path / "t.csv",
        model="m",
        task=["a", "b"] * 20,
        item=range(40),
        correct=[1, 0, 1, 1] * 10,
    )
    analysis = prepare(
        make_parser().parse_args(["report", str(path), "--study", "leaderboard"]), load_plan(None)
    )
    assert analysis.study.name == "one-source"
    assert any("cannot be run (it has one model, 'm')" in note for note in analysis.notes)
    outcome, _ = analysis.run()
    by_task = next(block for block in outcome.blocks if block.id == "mean").drawn
    assert {row.term: row.estimate for row in by_task} == {
        "all units": 0.75,
        "task: a": 1.0,
        "task: b": 0.5,
    }


def test_estimate_and_python_read_such_tables_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = {"unit": [*range(10)], "correct": [1] * 9 + [0], "text": list("abcdefghij")}
    path = written(tmp_path / "t.csv", **table)
    known = proportion_confint(9, 10, method="wilson")
    row = ss.mean_ratings(table, rater=False).rows[0]
    assert (row.conf_low, row.conf_high) == pytest.approx(known)
    assert "rater" not in ss.Ratings.from_frame(table, rater=False).columns
    for words in (["--map", "rater="], ["--rater", "False"]):
        assert main(["estimate", "mean_ratings", str(path), *words]) == 0
        assert ".900, approximate 95% CI [.596, .982]" in capsys.readouterr().out


def test_a_source_of_people_and_machines_beside_no_rater_is_no_crash(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Readings that name no rater are tried on such tables; so is a plan guessed for one."""
    path = written(
        tmp_path / "t.csv",
        participant=[f"p{k}" for k in range(50)],
        group=["human", "machine"] * 25,
        response=["yes", "no", "no", "yes", "yes"] * 10,
    )
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr()
    assert "--map group=group" in told.err
    assert "rater=" not in told.out
    alone = ["--map", "unit=participant", "--map", "value=response", "--map", "rater="]
    assert main(["init", str(path), *alone]) == 0
    plan = tmp_path / "plan.toml"
    plan.write_text(capsys.readouterr().out, encoding="utf-8")
    assert main(["check", str(path), "--plan", str(plan)]) == 0


def test_a_column_that_may_say_who_rated_is_asked_for() -> None:
    table = {"unit": [1, 2, 3], "value": [1, 2, 3], "who": ["a", "b", "a"]}
    with pytest.raises(
        InputError,
        match=r"no column for 'rater'.*Where all values are of one source, say rater=False",
    ):
        ss.mean_ratings(table)


@pytest.mark.parametrize("name", ["qid", "task_no"])
def test_check_prints_the_command_for_other_names(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(
        tmp_path / "t.csv",
        **{name: [f"q{k}" for k in range(30)]},
        prompt=[f"text {k}" for k in range(30)],
        is_correct=[1, 0, 1] * 10,
    )
    assert main(["check", str(path)]) == 2
    said = capsys.readouterr().out
    command = next(
        line.split() for line in said.splitlines() if line.startswith("  socialstats report")
    )
    assert command[3:] == ["--map", f"unit={name}", "--map", "value=is_correct", "--map", "rater="]
    assert lead(page(path, *command[3:])).estimate == pytest.approx(2 / 3)
