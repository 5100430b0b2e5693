"""What columns hold decides what is proposed: row numbers, times, differences, answers, scores, indices of winners."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from tests.cli.test_proposals import DRAW, TEAMS, games, proposed, same_draws

__all__ = ["same_draws"]


def indexed() -> pd.DataFrame:
    rows = [(a, b, int(not won)) for a, b, won in games()]
    return pd.DataFrame(rows, columns=["side0", "side1", "y"])


def chess() -> pd.DataFrame:
    rows = [
        (1 + k % 2, a, b, "1/2-1/2" if k % 7 == 0 else "1-0" if won else "0-1", 2500 + k, 2450 + k)
        for k, (a, b, won) in enumerate(games())
    ]
    return pd.DataFrame(rows, columns=["Round", "White", "Black", "Result", "WhiteElo", "BlackElo"])


def one_hot() -> pd.DataFrame:
    rows = [
        (a, b, *(np.eye(3, dtype=int)[2 if k % 9 == 0 else int(not won)]))
        for k, (a, b, won) in enumerate(games())
    ]
    return pd.DataFrame(
        rows, columns=["model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"]
    )


def tasted() -> pd.DataFrame:
    rows = [(a, b, *DRAW.integers(4, 20, 3)) for a, b in itertools.combinations(TEAMS, 2)]
    made = pd.DataFrame(rows, columns=["Brand1", "Brand2", "Prefer1", "Prefer2", "NoPreference"])
    return made.assign(Total=made[["Prefer1", "Prefer2", "NoPreference"]].sum(axis=1))


def both_bad() -> pd.DataFrame:
    rows = [
        (
            a,
            b,
            "tie (bothbad)"
            if k % 6 == 0
            else "tie"
            if k % 6 == 1
            else "model_a"
            if won
            else "model_b",
        )
        for k, (a, b, won) in enumerate(games())
    ]
    return pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])


def self_met() -> pd.DataFrame:
    rows = [
        (a, a if k % 30 == 7 else b) if won else (b, a) for k, (a, b, won) in enumerate(games())
    ]
    return pd.DataFrame(rows, columns=["winner", "loser"])


def crowd_sides() -> pd.DataFrame:
    rows = [
        (
            f"H{k // 3}",
            f"W{k % 3}",
            int(DRAW.integers(20, 300)),
            a,
            b,
            "same" if k % 8 == 0 else "left" if won else "right",
        )
        for k, (a, b, won) in enumerate(games())
    ]
    names = [
        "HITId",
        "WorkerId",
        "WorkTimeInSeconds",
        "Input.system_left",
        "Input.system_right",
        "Answer.better",
    ]
    return pd.DataFrame(rows, columns=names)


def numbered_rows() -> pd.DataFrame:
    rows = [
        (a, p, round(float(DRAW.normal(20, 4)), 1))
        for p in ("DSW", "LSW", "REM")
        for a in "ABCDEFG"
    ]
    made = pd.DataFrame(rows, columns=["Vole", "Phase", "Rate"])
    return made.rename(columns={"Vole": "Animal"}).rename_axis("rownames").reset_index()


def with_difference() -> pd.DataFrame:
    rows = [
        (
            f"month {k // 2}",
            int(x := DRAW.integers(9000, 9900)),
            int(y := x - DRAW.integers(0, 300)),
            int(x - y),
            "east" if k % 2 else "west",
        )
        for k in range(24)
    ]
    return pd.DataFrame(rows, columns=["date", "sixth", "thirteenth", "diff", "location"])


def judged_scores() -> pd.DataFrame:
    rows = [
        (
            f"q{k:03}",
            m,
            f,
            DRAW.choice([*"ABCD"]),
            bool(DRAW.random() < 0.6),
            round(float(DRAW.gamma(2)), 3),
        )
        for k in range(30)
        for m in ("gpt-x", "llama-y", "qwen-z")
        for f in ("neutral", "pressed")
    ]
    return pd.DataFrame(
        rows, columns=["question_id", "model", "framing", "answer", "is_correct", "latency_s"]
    )


def topic_called_subject() -> pd.DataFrame:
    right = [DRAW.random(60) < p for p in (0.5, 0.7)]
    made = {"idx": range(60), "subject": ["law", "biology", "history"] * 20}
    for name, found in zip(("base", "ft"), right, strict=True):
        made |= {f"{name}_pred": DRAW.choice([*"ABCD"], 60), f"{name}_correct": found}
    return pd.DataFrame(made)


MOODS = ["Neutral", "Positive", "Negative"]


def annotated() -> pd.DataFrame:
    rows = [
        (900 + 3 * k + j, who, 100 + k, round(float(DRAW.gamma(3)), 3), DRAW.choice(MOODS))
        for k in range(20)
        for j, who in enumerate(("ann@lab", "bob@lab", "cy@lab"))
    ]
    return pd.DataFrame(
        rows, columns=["annotation_id", "annotator", "id", "lead_time", "sentiment"]
    )


def listeners() -> pd.DataFrame:
    made = pd.DataFrame(
        DRAW.integers(1, 6, (80, 6)), columns=["jazz", "folk", "rap", "soul", "opera", "blues"]
    )
    return made.assign(age=DRAW.integers(18, 80, 80), educ=DRAW.integers(0, 21, 80))


def questions() -> pd.DataFrame:
    made = pd.DataFrame(DRAW.integers(1, 8, (40, 5)), columns=[f"Q7_{k}" for k in range(1, 6)])
    return pd.DataFrame({"ResponseId": [f"R_{k}" for k in range(40)]}).join(made)


def three_readings() -> pd.DataFrame:
    true = DRAW.integers(1, 8, 20)
    return pd.DataFrame(
        {name: np.clip(true + DRAW.integers(-1, 2, 20), 1, 7) for name in ("scale", "whole", "cut")}
    )


def spirometers() -> pd.DataFrame:
    rows = [
        (m, k, 3000 + 100 * k + int(DRAW.integers(0, 50)))
        for m in ("dry", "wet", "old")
        for k in range(1, 13)
    ]
    return pd.DataFrame(rows, columns=["meth", "item", "y"])


def board_long() -> pd.DataFrame:
    rows = [
        (m, 2019, t, round(float(DRAW.normal(70, 9)), 1))
        for m in ("Ada", "Bel", "Cho")
        for t in "QRSTUVWX"
    ]
    return pd.DataFrame(rows, columns=["Model", "Year", "Task", "Score"])


def board_repeats() -> pd.DataFrame:
    rows = [
        (a, f"f{d}", float(DRAW.gamma(2)), d, s)
        for a in ("PSO", "SA", "NM")
        for d in (2, 4, 6)
        for s in range(5)
    ]
    return pd.DataFrame(rows, columns=["Algorithm", "Benchmark", "Gap", "Dimensions", "simNumber"])


def board_rows() -> pd.DataFrame:
    made = pd.DataFrame(DRAW.uniform(20, 80, (6, 4)).round(2), columns=["IFx", "BBx", "GPx", "MUx"])
    made.insert(0, "Average", made.mean(axis=1).round(2))
    made.insert(0, "Model", [f"m-{k}" for k in range(6)])
    return made.assign(
        **{"#Params (B)": [7, 70, 13, 8, 34, 72], "Likes": DRAW.integers(10, 900, 6)}
    )


def board_columns() -> pd.DataFrame:
    models = ("gpt-4-x", "claude-2-y", "starcoder-15b", "deepseek-coder")
    return pd.DataFrame(
        {"task_id": [f"H/{k}" for k in range(40)], **{m: DRAW.random(40) < 0.6 for m in models}}
    )


def debate() -> pd.DataFrame:
    return pd.DataFrame({"": ["Support", "Oppose"], "Support": [60, 27], "Oppose": [13, 41]})


FURTHER: dict[Callable[[], pd.DataFrame], str] = {
    indexed: "--map item_a=side1 --map item_b=side0 --map winner=y --winner-coding score",
    chess: "--map item_a=White --map item_b=Black --map winner=Result --winner-coding side --tie 1/2-1/2",
    one_hot: "--map item_a=model_a --map item_b=model_b --map wins_a=winner_model_a --map wins_b=winner_model_b "
    "--map ties=winner_tie",
    tasted: "--map item_a=Brand1 --map item_b=Brand2 --map wins_a=Prefer1 --map wins_b=Prefer2 --map ties=NoPreference",
    self_met: "--map item_a=winner --map item_b=loser --map winner=winner --exclude winner==loser",
    crowd_sides: "--map item_a=Input.system_left --map item_b=Input.system_right --map winner=Answer.better "
    "--winner-coding side --tie same --cluster HITId",
    numbered_rows: "--study leaderboard --map rater=Phase --map unit=Animal --map value=Rate",
    with_difference: "--map first=sixth --map second=thirteenth",
    judged_scores: "--map unit=question_id --map condition=framing --map value=is_correct "
    "--conditions neutral,pressed --by model",
    topic_called_subject: "--map unit=idx --map first=ft_correct --map second=base_correct",
    annotated: "--map unit=id --map rater=annotator --map value=sentiment --scale nominal",
    listeners: "--units jazz,folk,rap,soul,opera,blues",
    questions: "--map rater=ResponseId --units Q7_1,Q7_2,Q7_3,Q7_4,Q7_5",
    three_readings: "--raters scale,whole,cut",
    spirometers: "--map unit=item --map rater=meth --map value=y",
    board_long: "--study leaderboard --map rater=Model --map unit=Task --map value=Score",
    board_repeats: "--study leaderboard --map rater=Algorithm --map unit=simNumber --map value=Gap "
    "--map task=Benchmark",
    board_rows: "--study leaderboard --map rater=Model --map task=IFx,BBx,GPx,MUx",
    board_columns: "--study leaderboard --raters gpt-4-x,claude-2-y,starcoder-15b,deepseek-coder --map unit=task_id",
    debate: "--design paired --crosstab --levels Support,Oppose",
}


def test_both_bad_is_a_tie(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    both_bad().to_csv(path, index=False)
    assert main(["check", str(path)]) == 0
    assert "ties        30 (33.3%)" in capsys.readouterr().out


@pytest.mark.parametrize("make", FURTHER, ids=lambda make: make.__name__)
@pytest.mark.slow
def test_columns_are_told_by_what_they_hold(
    make: Callable[[], pd.DataFrame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    make().to_csv(path, index=False)
    commands = proposed(capsys, path)
    assert commands[0].removesuffix(" --prior 0.5") == f"socialstats report {path} {FURTHER[make]}"
    for command in commands:
        assert main(["check", *shlex.split(command)[2:]]) == 0, command


def test_both_codings_of_a_winner_are_offered_and_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    indexed().to_csv(path, index=False)
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().out
    assert "0 is 'side0', 1 is 'side1'" in told
    assert "1 is 'side0', 0 is 'side1'" in told


def test_rows_of_one_item_are_left_out_and_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    table = self_met()
    table.to_csv(path, index=False)
    same = int((table["winner"] == table["loser"]).sum())
    words = [
        "--map",
        "item_a=winner",
        "--map",
        "item_b=loser",
        "--map",
        "winner=winner",
        "--exclude",
        "winner==loser",
    ]
    assert main(["check", str(path), *words]) == 0
    told = capsys.readouterr().out
    assert f"{len(table) - same} comparisons" in told
    assert "--exclude winner==loser" in told
    assert same > 0


def test_what_write_table_of_r_writes_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "wins.txt"
    path.write_text('"a" "b" "c"\n"a" 0 6 4\n"b" 2 0 5\n"c" 3 1 0\n', encoding="utf-8")
    commands = proposed(capsys, path)
    assert commands[0] == f"socialstats report {path} --design comparisons --crosstab"


def test_why_nothing_is_proposed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text\nsome words\nmore words\n", encoding="utf-8")
    assert main(["check", str(path)]) == 2
    assert "It has one column: fields are told apart by " in capsys.readouterr().out


def test_counts_within_strata_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    every = itertools.product("fm", ("no", "yes"), ("no", "yes"))
    rows = [(*key, int(n)) for key, n in zip(every, DRAW.integers(3, 30, 8), strict=True)]
    pd.DataFrame(rows, columns=["sex", "before", "after", "n"]).to_csv(path, index=False)
    assert main(["check", str(path)]) == 0
    printed = capsys.readouterr()
    assert f"{sum(row[3] for row in rows)} pairs" in printed.out
    assert "SS323" in printed.err


def test_a_judge_asked_in_both_orders_is_no_mirror(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    rows = [(a, b, a if won else b, 1) for a, b, won in games(40)]
    table = pd.DataFrame(
        [*rows, *((b, a, w, 2) for a, b, w, _ in rows)], columns=["item_a", "item_b", "winner", "z"]
    )
    for column, seen in (("run", False), ("z", True)):
        table.rename(columns={"z": column}).to_csv(path, index=False)
        assert main(["check", str(path)]) == 0
        assert ("SS328" in capsys.readouterr().err) is seen


def test_seeds_repeat_a_data_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [
        (d, a, s, round(0.8 + 0.01 * k + 0.002 * s, 4))
        for k, a in enumerate(("lightgbm", "xgboost", "mlp"))
        for d in ("adult", "churn", "credit", "higgs")
        for s in range(5)
    ]
    path = tmp_path / "runs.csv"
    pd.DataFrame(rows, columns=["dataset", "algorithm", "seed", "auc"]).to_csv(path, index=False)
    main(["check", str(path)])
    text = capsys.readouterr()
    first = next(
        line
        for line in (text.out + text.err).splitlines()
        if line.strip().startswith("socialstats report")
    )
    assert "--map unit=dataset" in first
    assert "--map repeat=seed" in first
