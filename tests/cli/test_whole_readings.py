"""Proposals that keep every row, measure and tie, and say what names leave open: generated look-alikes, a rule each.

The tables are made here, in the shapes of results of games, model arenas, solver runs, questionnaires and coders.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main

TEAMS = ("Ash", "Beech", "Cedar", "Elm", "Fir")
PLACES = ("Oslo", "Rome", "Kyiv", "Lima", "Bonn")
Frame = pd.DataFrame


def draw(seed: int = 3) -> np.random.Generator:
    return np.random.default_rng(seed)


def results(n: int = 120, ties: float = 0.15) -> list[tuple[str, str, int]]:
    """Two teams, and who won: 1 the first, -1 the second, 0 none."""
    made = draw()
    rows = []
    for _ in range(n):
        a, b = (TEAMS[k] for k in made.choice(5, 2, replace=False))
        p = 0.5 + 0.08 * (TEAMS.index(b) - TEAMS.index(a))
        rows.append((a, b, 0 if made.random() < ties else 1 if made.random() < p else -1))
    return rows


def with_losers(tie: str | None, **more: Any) -> Frame:
    rows = [
        (a, b, *((a, b) if w > 0 else (b, a) if w < 0 else (tie, tie))) for a, b, w in results()
    ]
    return Frame(rows, columns=["team_1", "team_2", "winner", "loser"]).assign(**more)


def goals(winner: str) -> Frame:
    rows = [
        (a, 2 + w + k % 3, 2 + k % 3, b, a if w > 0 else b if w < 0 else None)
        for k, (a, b, w) in enumerate(results())
    ]
    return Frame(rows, columns=["home", "home_goals", "away_goals", "away", winner])


def flags(names: str, both_bad: bool = False) -> Frame:
    made, rows = draw(), []
    for a, b, w in results():
        bad = both_bad and w == 0 and made.random() < 0.5
        rows.append((a, b, int(w > 0), int(w < 0), int(w == 0 and not bad), int(bad)))
    return Frame([row[: len(names.split())] for row in rows], columns=names.split())


def verdicts(
    labels: tuple[str, str, str], name: str = "verdict", a: str = "model_1", b: str = "model_2"
) -> Frame:
    said = {1: labels[0], -1: labels[1], 0: labels[2]}
    rows = [
        (k % 40, ("math", "coding")[k % 2], x, y, said[w]) for k, (x, y, w) in enumerate(results())
    ]
    return Frame(rows, columns=["question_id", "category", a, b, name])


def finals(west: str, east: str, winner: str = "winner", one: bool = False) -> Frame:
    made, rows = draw(), []
    for k in range(40):
        a, b = TEAMS[0 if one else made.integers(5)], PLACES[made.integers(5)]
        rows.append((1950 + k, a if made.random() < 0.5 else b, a, b))
    return Frame(rows, columns=["year", winner, west, east])


def refused(*names: str) -> Frame:
    rows = [
        ("J1", *((a, b) if w > 0 else (b, a)), 3.5 + k)
        for k, (a, b, w) in enumerate(results(ties=0))
    ]
    return Frame(rows, columns=["Judge", *names, "TimeTaken"])


def graded(rater: str, unit: str, items: list[str]) -> Frame:
    made = draw()
    rows = [(u, r) for u in range(1, 121) for r in range(1, 4) if made.random() < 0.6]
    frame = Frame(rows, columns=[unit, rater])
    return frame.assign(**{name: made.integers(0, 2, len(frame)) for name in items}).reset_index(
        names=""
    )


def rounds(unit: str, turn: str) -> Frame:
    made = draw()
    return Frame(
        {
            "": range(1, 121),
            "Tot": made.poisson(1.2, 120),
            unit: np.repeat(range(1, 61), 2),
            turn: ["b", "a"] * 60,
        }
    )


def votes(names: str, total: str | None, first: str = "") -> Frame:
    made = draw()
    counts = np.array([made.multinomial(n, [0.1, 0.6, 0.3]) for n in made.choice([3, 3, 6, 9], 80)])
    frame = Frame(counts, columns=names.split()).assign(verdict=counts.argmax(axis=1))
    frame = frame if total is None else frame.assign(**{total: counts.sum(axis=1)})
    return frame.assign(tweet=[f"a text {k} of many" for k in range(80)]).reset_index(names=first)


def crossed(names: list[str]) -> Frame:
    base = draw().normal(100, 20, 50).round()
    made = {
        name: base / (1 + k // 2) + draw(k).normal(4, 9, 50).round() for k, name in enumerate(names)
    }
    return Frame({"station": [f"S{k:03}" for k in range(50)], **made})


def solved(key: str, rows: int = 90, columns: int = 7) -> Frame:
    names = ("minisat", "glucose", "clasp", "kcnfs", "march", "riss", "rsat", "mxc")[:columns]
    times = np.minimum(3600, draw().lognormal(2, 3, (rows, columns))).round(4)
    times[:2] = 3600
    return Frame({key: range(3, 3 + 2 * rows, 2), **dict(zip(names, times.T, strict=True))})


def indicators(columns: int = 9) -> Frame:
    names = ("Cy0", "LinReg", "Standard", "Miner", "MAK", "LRE", "PSM", "DART", "FPLM")[:columns]
    ranks = {name: (2 + k + draw(k).random(4)).round(2) for k, name in enumerate(names)}
    return Frame({"": ["Bias", "Linearity", "Precision", "Resolution"], **ranks})


def passed(yes: str, no: str, names: tuple[str, ...]) -> Frame:
    made = {
        name: np.where(draw(k).random(60) < 0.5 + 0.06 * k, yes, no) for k, name in enumerate(names)
    }
    return Frame(
        {"test_id": [f"tc-{k:03}" for k in range(60)], "topic": ["a", "b", "c"] * 20, **made}
    )


def metrics(metric: str, model: str, folds: str = "id id2") -> Frame:
    one, two = folds.split()
    every = itertools.product(
        ("logit", "knn", "tree", "svm"),
        ("R1", "R2", "R3"),
        ("F1", "F2", "F3"),
        ("accuracy", "roc_auc"),
    )
    return Frame([*every], columns=[model, one, two, metric]).assign(
        **{".estimate": draw().random(72).round(5)}
    )


def long_pairs(
    unit: str, condition: str, levels: tuple[str, str] = ("Stung", "Fresh"), value: str = "Stingers"
) -> Frame:
    rows = [
        (name, level)
        for level in levels
        for name in ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX")
    ]
    return (
        Frame(rows, columns=[unit, condition])
        .assign(**{value: draw().integers(4, 70, 18)})
        .reset_index(names="")
    )


def studies() -> Frame:
    made = draw()
    sizes = made.integers(40, 200, (2, 22))
    return Frame(
        {
            "trial": [f"T{k}" for k in range(22)],
            "ai": made.integers(1, 30, 22),
            "n1i": sizes[0],
            "ci": made.integers(1, 30, 22),
            "n2i": sizes[1],
        }
    )


def groups() -> Frame:
    made = draw()
    return Frame(
        {
            "Control": made.normal(50, 9, 18).round(1),
            "Treated": [*made.normal(60, 9, 13).round(1), *[None] * 5],
        }
    )


def questionnaire(stem: str) -> Frame:
    answers = {f"{stem}{k}": draw(k).integers(1, 6, 40) for k in range(1, 11)}
    return Frame(
        {
            "ResponseId": [f"R_{k:04}" for k in range(40)],
            "age": draw().integers(20, 70, 40),
            **answers,
        }
    )


def criteria() -> Frame:
    made = draw()
    every = [*itertools.product([f"P{k:02}" for k in range(12)], ("old", "new"), ("find", "book"))]
    return Frame(every, columns=["participant", "interface", "task"]).assign(
        time_on_task_s=made.normal(40, 9, 48).round(1), errors=made.poisson(2, 48)
    )


GPT = ("gpt-4o-mini", "claude-3-haiku", "mistral-small", "llama3.2", "gemini-flash")
TEAM = "--map item_a=team_1 --map item_b=team_2 --map winner=winner"
MODEL = "--map item_a=model_1 --map item_b=model_2 --map winner="
BOARD = "--study leaderboard"
SOLVERS = "minisat,glucose,clasp,kcnfs,march,riss,rsat"
EXPECTED: dict[str, tuple[Callable[[], Frame], str]] = {
    # a reading that keeps ties comes before winners and losers without them
    "draws": (lambda: with_losers("Draw"), f"{TEAM} --tie Draw"),
    "ties and a date": (lambda: with_losers("tie", date="2001-01-01"), TEAM),
    "no winner": (lambda: with_losers(None), f"{TEAM} --missing drop"),
    "goals": (
        lambda: goals("winner"),
        "--map item_a=home --map item_b=away --map score_a=home_goals --map score_b=away_goals",
    ),
    # columns of 0 and 1 are one result together
    "votes with both bad": (
        lambda: flags("left_model right_model left_vote right_vote tie_vote bothbad_vote", True),
        "--map item_a=left_model --map item_b=right_model --map score_a=left_vote --map score_b=right_vote",
    ),
    "votes with ties": (
        lambda: flags("model_a model_b vote_a vote_b vote_tie"),
        "--map item_a=model_a "
        "--map item_b=model_b --map wins_a=vote_a --map wins_b=vote_b --map ties=vote_tie",
    ),
    "votes without ties": (
        lambda: flags("team1 team2 won1 won2"),
        "--map item_a=team1 --map item_b=team2 --map score_a=won1 --map score_b=won2",
    ),
    "sides": (
        lambda: flags("item_left item_right left right tie bothbad", True),
        "--map item_a=item_left --map item_b=item_right --map score_a=left --map score_b=right",
    ),
    # verdicts of judges
    "[[C]]": (
        lambda: verdicts(("[[A]]", "[[B]]", "[[C]]")),
        f"{MODEL}verdict --winner-coding side --tie '[[C]]' --cluster question_id",
    ),
    "C": (
        lambda: verdicts(("A", "B", "C")),
        f"{MODEL}verdict --winner-coding side --tie C --cluster question_id",
    ),
    "judgement": (
        lambda: verdicts(("A", "B", "tie"), "judgement"),
        f"{MODEL}judgement --winner-coding side --cluster question_id",
    ),
    "output": (
        lambda: verdicts(("[[A]]", "[[B]]", "[[C]]"), "output"),
        f"{MODEL}output --winner-coding side --tie '[[C]]' --cluster question_id",
    ),
    # a winner is named in one of two columns in every row
    "west and east": (
        lambda: finals("western_champions", "eastern_champions"),
        "--map item_a=western_champions --map item_b=eastern_champions --map winner=winner",
    ),
    "one champion": (
        lambda: finals("challenger", "reference", "preferred", True),
        "--map item_a=challenger --map item_b=reference --map winner=preferred",
    ),
    "victor": (
        lambda: finals("reds", "blues", "victor"),
        "--map item_a=reds --map item_b=blues --map winner=victor",
    ),
    # what was not chosen lost
    "not chosen": (
        lambda: refused("Chosen", "NotChosen"),
        "--map item_a=Chosen --map item_b=NotChosen --map winner=Chosen",
    ),
    "not selected": (
        lambda: refused("selected", "not selected"),
        "--map item_a=selected --map 'item_b=not selected' --map winner=selected",
    ),
    # a column called like a rater is the rater
    "rater": (
        lambda: graded("rater", "pid", [f"I000{k}" for k in range(1, 6)]),
        "--map unit=pid --map rater=rater --map value=I0001",
    ),
    "reader": (
        lambda: graded("reader", "film", ["clear", "vivid", "short", "warm"]),
        "--map unit=film --map rater=reader --map value=clear",
    ),
    # ids are no counts
    "ids": (
        lambda: rounds("TransectID", "Round"),
        "--map unit=TransectID --map condition=Round --map value=Tot --conditions a,b",
    ),
    "numbers of units": (
        lambda: rounds("Transect", "observer"),
        "--map unit=Transect --map rater=observer --map value=Tot",
    ),
    # a total is the sum of the columns that count levels
    "count": (
        lambda: votes("hate insult neither", "count"),
        "--level-columns hate,insult,neither --scale nominal",
    ),
    "raters": (
        lambda: votes("yes no unsure", "n_raters"),
        "--level-columns yes,no,unsure --scale nominal",
    ),
    "total": (
        lambda: votes("a b c", "total", "id"),
        "--level-columns a,b,c --scale nominal --map unit=id",
    ),
    # conditions within measurements
    "years": (
        lambda: crossed(["dx70_1948", "dx70_2018", "dx90_1948", "dx90_2018"]),
        "--map unit=station --map first=dx70_1948 --map second=dx70_2018",
    ),
    "pre first": (
        lambda: crossed(["pre_math", "post_math", "pre_read", "post_read"]),
        "--map unit=station --map first=post_math --map second=pre_math",
    ),
    "pressures": (
        lambda: crossed(["sbp_base", "sbp_end", "dbp_base", "dbp_end"]),
        "--map unit=station --map first=sbp_end --map second=sbp_base",
    ),
    # leaderboards
    "times": (
        lambda: solved("benchmark_id"),
        f"{BOARD} --raters {SOLVERS} --map unit=benchmark_id",
    ),
    "tasks": (
        lambda: solved("task", 20, 5),
        f"{BOARD} --raters {SOLVERS.removesuffix(',riss,rsat')} --map unit=task",
    ),
    "few rows": (indicators, f"{BOARD} --raters Cy0,LinReg,Standard,Miner,MAK,LRE,PSM,DART,FPLM"),
    "PASS": (
        lambda: passed("PASS", "FAIL", GPT),
        f"{BOARD} --raters {','.join(GPT)} --map unit=test_id",
    ),
    "right": (
        lambda: passed("right", "wrong", GPT),
        f"{BOARD} --raters {','.join(GPT)} --map unit=test_id",
    ),
    "metrics": (
        lambda: metrics(".metric", "model"),
        f"{BOARD} --map rater=model --map unit=id --map value=.estimate --map repeat=id2 --where .metric=accuracy",
    ),
    "workflows": (
        lambda: metrics(".metric", "wflow_id").assign(model="a"),
        f"{BOARD} --map rater=wflow_id --map unit=id --map value=.estimate --map repeat=id2 --where .metric=accuracy",
    ),
    "folds": (
        lambda: metrics("metric_name", "algorithm", "dataset fold"),
        f"{BOARD} --map rater=algorithm "
        "--map unit=dataset --map value=.estimate --map repeat=fold --where metric_name=accuracy",
    ),
    # each unit meets each condition once
    "occasions": (
        lambda: long_pairs("Occasion", "Treatment"),
        "--map unit=Occasion --map condition=Treatment --map value=Stingers --conditions Fresh,Stung",
    ),
    "sessions": (
        lambda: long_pairs("session", "drug", ("A", "B"), "yield"),
        "--map unit=session --map condition=drug --map value=yield --conditions A,B",
    ),
    "entry and week": (
        lambda: Frame(
            {
                "": range(1, 8),
                "entry": [40, 50, 56, 58, 60, 62, 66],
                "week": [73, 52, 80, 85, 64, 73, 70],
            }
        ),
        "--map first=entry --map second=week",
    ),
}


def checked(make: Callable[[], Frame], path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what `check` prints of a table that fits no design by name."""
    make().to_csv(path, index=False)
    capsys.readouterr()
    assert main(["check", str(path)]) == 2
    return capsys.readouterr().out


def commands(printed: str) -> list[str]:
    return [line.strip() for line in printed.splitlines() if line.startswith("  socialstats ")]


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.slow
def test_the_first_proposal_is_the_one_meant_and_runs(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, (make, expected) = tmp_path / "t.csv", EXPECTED[name]
    first, *_ = found = commands(checked(make, path, capsys))
    assert first.removesuffix(" --prior 0.5") == f"socialstats report {path} {expected}"
    for command in found:
        assert main(["check", *shlex.split(command)[2:]]) == 0, command


def test_votes_keep_their_ties(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    first, *_ = commands(checked(EXPECTED["votes with both bad"][0], path, capsys))
    assert main(["check", *shlex.split(first)[2:]]) == 0
    assert "120 comparisons of 5 items" in capsys.readouterr().out
    flags("home away home_win away_win").to_csv(path, index=False)
    ties = sum(w == 0 for *_, w in results())
    assert main(["check", str(path)]) == 0
    assert f"flow        every count is 0: {ties} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("make", "doubt"),
    [
        (studies, "'n1i' and 'n2i' are called like sizes of two groups"),
        (groups, "'Treated' has 13 values and 'Control' 18: they may be two groups side by side"),
        (
            lambda: questionnaire("SUS"),
            "'SUS1' and 'SUS10' are numbered like items: the page says what people answer",
        ),
        (indicators, "no name says that the 9 columns are models, nor that higher is better"),
        (
            EXPECTED["occasions"][0],
            "no name says that 'Treatment' holds conditions that each unit met",
        ),
        (EXPECTED["not chosen"][0], "that each row is a comparison of two items"),
    ],
    ids=["studies", "groups", "questionnaire", "few rows", "occasions", "alone"],
)
def test_what_names_leave_open_is_said(
    make: Callable[[], Frame], doubt: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = checked(make, tmp_path / "t.csv", capsys).splitlines()
    first = next(k for k, line in enumerate(lines) if line.startswith("  socialstats "))
    assert lines[first + 2].startswith(f"      Check first: {doubt}")
    assert not any("--map first=n1i" in line for line in lines)


def test_numbered_annotators_are_no_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    Frame({f"annotator_{k}": draw(k).integers(0, 3, 30) for k in (1, 2, 3)}).to_csv(
        path, index=False
    )
    assert main(["check", str(path), "--raters", "annotator_1,annotator_2,annotator_3"]) == 0
    assert "SS326" not in capsys.readouterr().err


def test_messages_name_what_is_missing_and_what_may_stand_instead(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    rows = Frame(
        {
            "user_id": range(60),
            "Treatment": ["a", "b"] * 30,
            "yield": draw().normal(9, 2, 60).round(2),
        }
    )
    found = checked(lambda: rows, path, capsys)
    assert "'Treatment' ('a' and 'b') tells groups of different units apart" in found
    assert "compare them as independent samples" in found
    printed = checked(criteria, path, capsys)
    assert "'errors' of the same 'participant' under two of 'interface'; 'task' averaged" in printed
    assert "Not used: 'time_on_task_s'" in printed
    both = "--map item_a=winner --map item_b=loser --map winner=winner --exclude winner==loser"
    with_losers("Draw").to_csv(path, index=False)
    assert main(["check", str(path), *both.split()]) == 0
    assert "excluded: 'winner' and 'loser' are the same" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("head", "sides"), [("May", ("May", "columns")), ("May / June", ("May", "June"))]
)
def test_a_cross_table_of_pairs_names_its_sides(
    head: str, sides: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{head},no,yes\nno,20,12\nyes,2,16\n", encoding="utf-8")
    assert main(["check", str(path), "--design", "paired", "--crosstab"]) == 0
    assert f"difference  {' minus '.join(sides)}\n" in capsys.readouterr().out


def test_a_model_and_its_workflow_are_one_rater(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = metrics(".metric", "wflow_id")
    first, *_ = commands(
        checked(lambda: frame.assign(model=frame["wflow_id"].str[:2]), tmp_path / "t.csv", capsys)
    )
    assert f"{BOARD} --map rater=wflow_id --map unit=id " in first
    assert "--map repeat=id2" in first
    assert first.endswith("--where .metric=accuracy")
