"""What people type first, on tables that say little by name: the proposed command, and the numbers that it leads to."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats import krippendorff_alpha
from socialstats.cli import main

N = 24
DRAW = np.random.default_rng(20)
ITEMS = [f"q{k}" for k in range(N)]
EASE = DRAW.normal(size=N)


def marks(spread: float = 0.6) -> list[int]:
    """Marks from 1 to 5 of the items, which agree."""
    drawn = np.round(3 + EASE + DRAW.normal(size=N) * spread)
    return [int(x) for x in np.clip(drawn, 1, 5)]


def points() -> list[float]:
    """Points with decimals, which agree."""
    return [float(x) for x in np.round(50 + 15 * EASE + 8 * DRAW.normal(size=N), 1)]


def answers(heads: Sequence[str], sources: Sequence[str], takes: int) -> pd.DataFrame:
    """Several answers of each source to each item, which nothing numbers."""
    rows = [
        (item, source, round(float(5 + ease + 0.3 * k + DRAW.normal() * 0.5), 2))
        for item, ease in zip(ITEMS, EASE, strict=True)
        for k, source in enumerate(sources)
        for _ in range(takes)
    ]
    return pd.DataFrame(rows, columns=[*heads])


def waves(labels: Sequence[Any], names: Sequence[str]) -> pd.DataFrame:
    """Persons, a row each wave, with a column for each item of a scale."""
    rows = [
        (
            f"p{k}",
            label,
            *np.clip(np.round(3 + EASE[k] + 0.4 * at + DRAW.normal(size=len(names))), 1, 5),
        )
        for k in range(N)
        for at, label in enumerate(labels)
    ]
    return pd.DataFrame(rows, columns=["respondent", "wave", *names]).astype(
        dict.fromkeys(names, int)
    )


def times(column: str) -> pd.DataFrame:
    return pd.DataFrame(
        {"group": ["human", "model"] * 20, column: np.geomspace(0.2, 40, 40).round(2)}
    )


def runs(names: Sequence[str]) -> pd.DataFrame:
    rows = [
        (model, item, *DRAW.uniform(size=3).round(2))
        for model in ("gpt", "claude", "llama")
        for item in ITEMS
    ]
    return pd.DataFrame(rows, columns=["model", "item", *names])


def columns(**held: Any) -> pd.DataFrame:
    return pd.DataFrame({"item": ITEMS, **held})


ONCE = ["trust1", "trust2", "trust3", "trust4"]
SCALE = ",".join(ONCE)
PROPOSED: Mapping[str, tuple[pd.DataFrame, str]] = {
    "answers that nothing numbers": (
        answers(("Frage", "Bedingung", "Punkte"), ("neutral", "warm"), 3),
        "--map unit=Frage --map condition=Bedingung --map value=Punkte --map repeat=true --conditions neutral,warm",
    ),
    "a scale by wave": (
        waves((1, 2), ONCE),
        f"--map unit=respondent --map condition=wave --map value={SCALE} --conditions 2,1",
    ),
    "waves in words": (
        waves(("wave 1", "wave 2", "wave 10"), ONCE),
        f"--map unit=respondent --map condition=wave --map value={SCALE} --conditions 'wave 10,wave 1'",
    ),
    "items of waves in rows": (
        waves((1, 2), ONCE).melt(["respondent", "wave"], var_name="item", value_name="score"),
        "--map unit=respondent --map condition=wave --map value=score --map repeat=item --conditions 2,1",
    ),
    "times of two groups": (
        times("seconds"),
        "--map group=group --map value=seconds --design groups",
    ),
    "runs in columns": (
        runs(["run1", "run2", "run3"]),
        "--study leaderboard --map rater=model --map unit=item --map value=run1,run2,run3",
    ),
    "people and a model": (
        columns(human1=marks(), human2=marks(), gpt=marks()),
        "--raters human1,human2,gpt --map unit=item",
    ),
    "raters and models": (
        columns(rater_1=points(), rater_2=points(), llm=points()),
        "--raters rater_1,rater_2,llm --map unit=item",
    ),
    "people and a model, in French": (
        columns(humain=marks(), modèle=marks()),
        "--raters 'humain,modèle' --map unit=item",
    ),
    "people and models, in French": (
        columns(humain=marks(), gpt=marks(), claude=marks()),
        "--raters humain,gpt,claude --map unit=item",
    ),
    "raters by their names": (
        columns(Jürgen=points(), Agnès=points(), Søren=points()),
        "--raters 'Jürgen,Agnès,Søren' --map unit=item",
    ),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", PROPOSED)
def test_the_first_command_is_the_one_that_was_wanted(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table, wanted = PROPOSED[name]
    table.to_csv("t.csv", index=False)
    assert main(["check", "t.csv"]) == 2
    out, err = capsys.readouterr()
    commands = [line.strip() for line in out.splitlines() if line.startswith("  socialstats ")]
    assert commands[0] == f"socialstats report t.csv {wanted}"
    assert len(err.splitlines()) == 1  # what is wrong, and no list of names that were looked for
    assert main(["check", *shlex.split(commands[0])[2:]]) == 0


def test_faults_of_a_table_are_told_in_full(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a command every name that was looked for is told, and every unit without a partner."""
    pd.DataFrame({"x": ["a", "b"], "y": ["c", "d"]}).to_csv("t.csv", index=False)
    assert main(["check", "t.csv"]) == 2
    assert "looked for item_a" in capsys.readouterr().err
    whole = answers(("item", "condition", "score"), ("before", "after"), 1)
    whole.drop(index=[1, 5]).to_csv("t.csv", index=False)
    assert main(["check", "t.csv"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 3


REPEATED = answers(("item", "condition", "score"), ("before", "after"), 3)


def test_an_error_names_the_word_for_answers_that_nothing_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    REPEATED.to_csv("t.csv", index=False)
    assert main(["report", "t.csv"]) == 2
    assert "say --map repeat=true to take their mean" in capsys.readouterr().err
    assert main(["estimate", "paired_difference", "t.csv"]) == 2
    assert "say --repeat true to take their mean" in capsys.readouterr().err


@pytest.mark.parametrize("typed", ["--map repeat=true", "--repeat true"])
def test_answers_that_nothing_numbers_are_averaged_by_estimate(
    typed: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    REPEATED.to_csv("t.csv", index=False)
    said = ["estimate", "paired_difference", "t.csv", *typed.split(), "--format", "json"]
    assert main(said) == 0
    row = json.loads(capsys.readouterr().out)["terms"][0]
    means = REPEATED.groupby(["item", "condition"])["score"].mean().unstack()
    test = stats.ttest_rel(means["after"], means["before"])
    assert row["estimate"] == pytest.approx((means["after"] - means["before"]).mean(), abs=1e-9)
    assert (row["statistic"], row["df"]) == pytest.approx((test.statistic, N - 1), abs=1e-9)


def test_a_plan_says_that_nothing_numbers_the_answers(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`init` writes what `--map` said, and the plan reads the table."""
    REPEATED.to_csv("t.csv", index=False)
    assert main(["init", "t.csv", "--map", "repeat=true"]) == 0
    plan = capsys.readouterr().out
    assert '"repeat" = true' in plan
    for line in ('"repeat" = true', '"repeat" = "true"'):
        Path("plan.toml").write_text(plan.replace('"repeat" = true', line), encoding="utf-8")
        assert main(["check", "--plan", "plan.toml"]) == 0
        assert "repeats     3 answers each" in capsys.readouterr().out
    Path("plan.toml").write_text(plan.replace('"item"', "true"), encoding="utf-8")
    assert main(["check", "--plan", "plan.toml"]) == 2
    assert "line 12: map.unit = true is not text" in capsys.readouterr().err


def test_a_board_takes_the_word_that_it_does_not_need(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(("item", "model", "score"), ("gpt", "claude"), 3).to_csv("t.csv", index=False)
    assert main(["check", "t.csv", "--map", "repeat=true"]) == 0
    assert "repeats     3 answers each" in capsys.readouterr().out


def estimated(capsys: pytest.CaptureFixture[str], *typed: str) -> list[dict[str, Any]]:
    assert main(["estimate", *typed, "--format", "json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["terms"]
    return rows


@pytest.mark.parametrize("typed", ["--value", "--map value="])
def test_the_mean_of_several_columns_is_the_value_of_pairs(
    typed: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = waves((1, 2), ONCE)
    table.to_csv("t.csv", index=False)
    value = [*typed.split(), SCALE] if "=" not in typed else ["--map", f"value={SCALE}"]
    parts = ["--unit", "respondent", "--condition", "wave", "--conditions", "2,1"]
    row = estimated(capsys, "paired_difference", "t.csv", *parts, *value)[0]
    mean = table.assign(mean=table[ONCE].mean(axis=1)).pivot(
        index="respondent", columns="wave", values="mean"
    )
    test = stats.ttest_rel(mean[2], mean[1])
    assert row["estimate"] == pytest.approx((mean[2] - mean[1]).mean(), abs=1e-9)
    assert (row["statistic"], row["df"]) == pytest.approx((test.statistic, N - 1), abs=1e-9)


@pytest.mark.parametrize("named", [True, False])
def test_the_mean_of_several_columns_is_the_value_of_groups(
    named: bool, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A row is a unit, whether or not a column names the units: three columns are no three units."""
    table = pd.DataFrame(
        {"group": ["a", "b"] * (N // 2), "q1": marks(), "q2": marks(), "q3": marks()}
    )
    if named:
        table.insert(0, "participant", range(N))
    table.to_csv("t.csv", index=False)
    row = estimated(capsys, "two_means", "t.csv", "--group", "group", "--value", "q1,q2,q3")[0]
    mean = table[["q1", "q2", "q3"]].mean(axis=1)
    a, b = (mean[table["group"] == name] for name in "ab")
    test = stats.ttest_ind(a, b, equal_var=False)
    sign = np.sign(row["estimate"]) * np.sign(a.mean() - b.mean())
    assert sign * row["estimate"] == pytest.approx(a.mean() - b.mean(), abs=1e-9)
    assert sign * row["statistic"] == pytest.approx(test.statistic, abs=1e-9)
    assert main(["check", "t.csv", "--design", "groups", "--map", "value=q1,q2,q3"]) == 0
    out = capsys.readouterr().out
    assert f"values read: {3 * N} (t.csv)" in out
    assert f"units analysed: {N}" in out


def test_several_columns_of_values_stand_in_the_plan_as_they_were_said(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waves((1, 2), ONCE).to_csv("t.csv", index=False)
    assert main(["init", "t.csv"]) == 0
    plan = capsys.readouterr().out
    assert f'"value" = "{SCALE}"' in plan
    Path("plan.toml").write_text(plan, encoding="utf-8")
    assert main(["check", "--plan", "plan.toml"]) == 0
    assert "repeats     4 answers each" in capsys.readouterr().out


def test_a_column_of_that_very_name_is_one_column(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = answers(("item", "condition", "a,b"), ("before", "after"), 1)
    table.to_csv("t.csv", index=False)
    assert main(["check", "t.csv", "--map", "value=a,b"]) == 0
    assert "repeats" not in capsys.readouterr().out


def test_plurals_are_made_of_english_nouns_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = answers(("Frage", "Bedingung", "Punkte"), ("kalt", "warm", "lau"), 1)
    table.to_csv("t.csv", index=False)
    said = ["--rater", "Bedingung", "--unit", "Frage", "--value", "Punkte"]
    assert main(["estimate", "leaderboard", "t.csv", *said]) == 0
    out = capsys.readouterr().out
    assert "had the highest mean score of 3 sources" in out
    assert "bedingungs" not in out.casefold()
    assert "frages" not in out.casefold()


@pytest.mark.parametrize(("raters", "lowest"), [("xy", -1.0), ("xyz", -0.5)])
@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
def test_the_interval_of_alpha_ends_at_the_lowest_alpha(
    raters: str, lowest: float, scale: Any
) -> None:
    """Raters who never agree, with as many units as wanted, lead to -1 / (m - 1), and no data below it."""
    rows = {
        "item": np.repeat(["a", "b", "c"], len(raters)),
        "rater": [*raters] * 3,
        "value": [1, 3, 2, 2, 1, 3, 3, 2, 1][: 3 * len(raters)],
    }
    found = krippendorff_alpha(rows, scale=scale, levels=[1, 2, 3], level=0.999)
    row = found.row("alpha")
    if row.conf_low is not None:
        assert (row.conf_low, row.limits) == (lowest, (lowest, 1.0))
        assert found.verify().ok
    many = {
        "item": np.repeat(np.arange(3000), 2),
        "rater": ["x", "y"] * 3000,
        "value": [1, 3] * 3000,
    }
    assert krippendorff_alpha(many, scale=scale, levels=[1, 2, 3]).row(
        "alpha"
    ).estimate == pytest.approx(-1.0, abs=1e-3)
