"""Rules of proposals that rest on content: generated look-alikes of public tables, a rule each, and what must not pass.

The tables are made here, in the shapes of tables of R and Python packages, crowd platforms and model arenas.
"""

from __future__ import annotations

import itertools
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Comparisons
from socialstats.cli import main

DRAW = np.random.default_rng(5)
TEAMS = ("Ash", "Beech", "Cedar", "Elm", "Fir")
BOTH = list(itertools.permutations(TEAMS, 2))


@pytest.fixture(autouse=True)
def same_draws() -> None:
    """Every test draws the same tables, in whatever order the tests run."""
    DRAW.bit_generator.state = np.random.default_rng(5).bit_generator.state


def games(n: int = 120) -> list[tuple[str, str, bool]]:
    drawn = [tuple(DRAW.choice(TEAMS, 2, replace=False)) for _ in range(n)]
    return [
        (a, b, bool(DRAW.random() < 0.5 + 0.15 * (TEAMS.index(b) - TEAMS.index(a)) / 2))
        for a, b in drawn
    ]


def table(columns: str, rows: Any) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns.split())


def whole(high: int, *shape: int) -> Any:
    return DRAW.integers(1, high, shape)


def seen_from_both_sides() -> pd.DataFrame:
    rows = [
        (k, *row)
        for k, (a, b, w) in enumerate(games())
        for row in ((a, b, int(w)), (b, a, int(not w)))
    ]
    return table("match player opponent won", rows)


def one_hot() -> pd.DataFrame:
    made = [(a, b, DRAW.integers(0, 3)) for a, b, _ in games()]
    rows = [(a, b, int(k == 0), int(k == 1), int(k == 2)) for a, b, k in made]
    return table("model_a model_b winner_model_a winner_model_b winner_tie", rows)


def home_won() -> pd.DataFrame:
    return table(
        "away home attendance home_win", [(b, a, whole(99), int(w)) for a, b, w in games()]
    )


def own_columns() -> pd.DataFrame:
    rows = [(int(w), a, b, *DRAW.integers(0, 2, 2)) for a, b, w in games()]
    return table("fighter1.win fighter1 fighter2 fighter1.lefty fighter2.lefty", rows)


def reference() -> pd.DataFrame:
    rows = [(k, "davinci", t, float(DRAW.choice([1, 2, 2, 0]))) for k in range(50) for t in TEAMS]
    return table("instruction_id generator_1 generator_2 preference", rows)


def strata() -> pd.DataFrame:
    rows = [
        (*key, whole(9) + 12 * (key[1] == key[2])) for key in itertools.product("123", "123", "123")
    ]
    return table("educ orig dest Freq", rows)


def lost_header(diagonal: int) -> pd.DataFrame:
    cells = whole(9, 5, 5) * (1 - np.eye(5, dtype=int)) + diagonal * np.eye(5, dtype=int)
    made = pd.DataFrame(cells, columns=[f"V{k}" for k in range(1, 6)])
    made.insert(0, "", range(1, 6))
    return made


def levels_in_the_header() -> pd.DataFrame:
    rows = [DRAW.multinomial(k, [0.4, 0.3, 0.2, 0.1]) for k in DRAW.integers(2, 7, 25)]
    made = pd.DataFrame(rows, columns=["0", "1", "2", "3"])
    made.insert(0, "", range(100, 125))
    return made


def several_values() -> pd.DataFrame:
    rows = [
        (k, r, *DRAW.integers(0, 4, 3))
        for k in range(60)
        for r in DRAW.choice(4, 1 + (k < 20), replace=False)
    ]
    made = table("idstud rater a1 a2 a3", [(k, f"DR{r}", *values) for k, r, *values in rows])
    made.insert(0, "", range(1, len(made) + 1))
    return made


def trials() -> pd.DataFrame:
    every = [(s, w, t) for s in range(12) for t, w in enumerate(DRAW.permutation(20))]
    return table(
        "Subject Rating Trial Word", [(f"S{s}", whole(8), t, f"w{w}") for s, w, t in every]
    )


def crowd() -> pd.DataFrame:
    rows = [
        (f"H{k:02}", f"A{w}", whole(300), f"x/{k}.png", DRAW.choice(["good", "bad", "neither"]))
        for k in range(40)
        for w in DRAW.choice(12, 3, replace=False)
    ]
    return table("HITId WorkerId WorkTimeInSeconds Input.url Answer.sentiment", rows)


def annotations() -> pd.DataFrame:
    rows = [
        (
            k,
            DRAW.choice(["good", "bad", "neither"]),
            f"u{a}@x.org",
            round(float(DRAW.uniform(3, 60)), 3),
        )
        for k in range(40)
        for a in DRAW.choice(5, 3, replace=False)
    ]
    return table("id sentiment annotator lead_time", rows)


def survey() -> pd.DataFrame:
    rows = [
        ["Start", "Before?", "After?"],
        ['{"ImportId":"s"}', '{"ImportId":"a"}', '{"ImportId":"b"}'],
    ]
    return table(
        "StartDate Q1_pre Q1_post", [*rows, *(["2020-01-01", *whole(8, 2)] for _ in range(30))]
    )


def with_consensus() -> pd.DataFrame:
    names = "text annotator_1 annotator_2 annotator_3 majority"
    return table(names, [(f"t{k}", *DRAW.choice(["good", "bad", "neither"], 4)) for k in range(40)])


def judges() -> pd.DataFrame:
    true = DRAW.uniform(7, 9.5, 20)
    return pd.DataFrame(
        {f"Jude.{k}": (true + DRAW.normal(0, 0.2, 20)).round(1) for k in range(1, 9)}
    )


def reported() -> pd.DataFrame:
    weight, height = DRAW.normal(70, 10, 60).round(), DRAW.normal(170, 9, 60).round()
    weight[0], height[0] = 166, 57
    return pd.DataFrame(
        {"weight": weight, "height": height, "repwt": weight + DRAW.integers(-2, 3, 60)}
    )


def season(low: str, high: str) -> pd.DataFrame:
    base = DRAW.normal(50, 8, 30).round(1)
    return pd.DataFrame(
        {
            "id": range(1, 31),
            "age": DRAW.integers(18, 60, 30),
            low: base,
            high: (base + DRAW.normal(3, 4, 30)).round(1),
        }
    )


def foods() -> pd.DataFrame:
    rows = [(f"P{k}", *(int(DRAW.integers(2, 9)) + DRAW.integers(-1, 2, 4))) for k in range(20)]
    return table("participant insect eye grub fish", rows)


def sizes() -> pd.DataFrame:
    base = DRAW.integers(180, 260, 40)
    made = {name: base + DRAW.integers(-9, 9, 40) for name in ("Fly", "Shukla", "Ikeda", "Turau")}
    return pd.DataFrame({"Size": [1000] * 20 + [2000] * 20, **made})


def habits() -> pd.DataFrame:
    rows = [(c, *x, *whole(8, 2), p) for c in range(20) for x in [whole(5, 3)] for p in "ABC"]
    return table("Consumer Frequency Age Homesize Preference Sweetness Product", rows)


def averaged() -> pd.DataFrame:
    made = pd.DataFrame(DRAW.uniform(0.6, 0.95, (20, 2)).round(3), columns=["SVM", "Forest"])
    made.insert(0, "dataset", [f"d{k}" for k in range(20)])
    made.loc[20] = ["Average", *made[["SVM", "Forest"]].mean().round(3)]
    return made


def counted(names: str) -> pd.DataFrame:
    return table(names, [(a, b, *whole(20, len(names.split()) - 2)) for a, b in BOTH])


EXPECTED: dict[str, tuple[Any, str]] = {
    "mirror": (
        seen_from_both_sides,
        "--map item_a=player --map item_b=opponent --map winner=won "
        "--winner-coding score --where won=1",
    ),
    "one hot": (
        one_hot,
        "--map item_a=model_a --map item_b=model_b --map wins_a=winner_model_a "
        "--map wins_b=winner_model_b --map ties=winner_tie",
    ),
    "side in the name": (
        home_won,
        "--map item_a=home --map item_b=away --map winner=home_win --winner-coding score",
    ),
    "own columns": (
        own_columns,
        "--map item_a=fighter1 --map item_b=fighter2 --map winner=fighter1.win "
        "--winner-coding score",
    ),
    "reference": (
        reference,
        "--map item_a=generator_1 --map item_b=generator_2 --map winner=preference "
        "--winner-coding side --tie 0.0 --cluster instruction_id",
    ),
    "side as prefix": (
        lambda: counted("white black white_wins white_draws white_loses"),
        "--map item_a=white "
        "--map item_b=black --map wins_a=white_wins --map wins_b=white_loses --map ties=white_draws",
    ),
    "actors": (
        lambda: counted("Initiator1 Recipient1 Freq"),
        "--map item_a=Initiator1 --map item_b=Recipient1 --map winner=Initiator1 --count Freq",
    ),
    "no names": (
        lambda: counted("Var1 Var2 Freq"),
        "--map item_a=Var1 --map item_b=Var2 --map winner=Var1 --count Freq",
    ),
    "strata": (strata, "--map first=orig --map second=dest --count Freq"),
    "lost header": (lambda: lost_header(40), "--design ratings --crosstab --scale nominal"),
    "lost header of wins": (lambda: lost_header(0), "--design comparisons --crosstab"),
    "levels in the header": (levels_in_the_header, "--level-columns 0,1,2,3 --scale nominal"),
    "several values": (several_values, "--map unit=idstud --map rater=rater --map value=a1"),
    "trials": (trials, "--map unit=Word --map rater=Subject --map value=Rating"),
    "crowd": (
        crowd,
        "--map unit=HITId --map rater=WorkerId --map value=Answer.sentiment --scale nominal",
    ),
    "annotations": (
        annotations,
        "--map unit=id --map rater=annotator --map value=sentiment --scale nominal",
    ),
    "survey": (
        survey,
        "--map first=Q1_post --map second=Q1_pre --exclude StartDate=Start "
        '--exclude \'StartDate={"ImportId":"s"}\'',
    ),
    "consensus": (
        with_consensus,
        "--raters annotator_1,annotator_2,annotator_3 --scale nominal --map unit=text",
    ),
    "judges": (judges, f"--raters {','.join(f'Jude.{k}' for k in range(1, 9))}"),
    "reported": (reported, "--map first=weight --map second=repwt"),
    "seasons": (
        lambda: season("math_fall", "math_spring"),
        "--map unit=id --map first=math_spring --map second=math_fall",
    ),
    "shared word": (
        lambda: season("eyes_open", "eyes_closed"),
        "--map unit=id --map first=eyes_open --map second=eyes_closed",
    ),
    "no shared word": (
        lambda: season("sad", "happy"),
        "--map unit=id --map first=sad --map second=happy",
    ),
    "foods": (
        foods,
        "--study survey --units insect,eye,grub,fish --map person=participant",
    ),
    "sizes": (sizes, "--raters Fly,Shukla,Ikeda,Turau"),
    "habits": (habits, "--map unit=Product --map rater=Consumer --map value=Preference"),
    "averages": (
        averaged,
        "--map unit=dataset --map first=SVM --map second=Forest --exclude dataset=Average",
    ),
}


def proposed(capsys: pytest.CaptureFixture[str], path: Path) -> list[str]:
    capsys.readouterr()
    assert main(["check", str(path)]) == 2
    return [
        line.strip()
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("  socialstats ")
    ]


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.slow
def test_a_foreign_table_is_proposed_as_meant(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, (make, expected) = tmp_path / "t.csv", EXPECTED[name]
    make().to_csv(path, index=False)
    commands = proposed(capsys, path)
    assert commands[0] == f"socialstats report {path} {expected}"
    for command in commands:
        assert main(["check", *shlex.split(command)[2:]]) == 0, command


@pytest.mark.parametrize(("no", "yes"), [("-", "+"), ("noCR", "CR"), ("absent", "present")])
def test_the_yes_of_two_answers_is_the_higher_level(
    no: str, yes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    table("pid before after", [(k, *DRAW.choice([no, yes], 2)) for k in range(1, 41)]).to_csv(
        path, index=False
    )
    assert proposed(capsys, path)[0].endswith(
        f"--map first=after --map second=before --levels {no},{yes}"
    )


@pytest.mark.parametrize(
    ("no", "yes"), [("nein", "ja"), ("incorrect", "correct"), ("fail", "pass")]
)
def test_known_opposites_need_no_levels(
    no: str, yes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    table("pid before after", [(k, *DRAW.choice([no, yes], 2)) for k in range(1, 41)]).to_csv(
        path, index=False
    )
    assert main(["check", str(path)]) == 0
    assert f"binary: {no} and {yes}" in capsys.readouterr().out


def test_neither_distances_nor_graded_results_are_taken_for_something_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is proposed for a matrix of distances, nor two teams as two measures of a match."""
    path, far = tmp_path / "t.csv", DRAW.uniform(1, 9, (5, 5)).round(2)
    pd.DataFrame(far + far.T, index=list(TEAMS), columns=list(TEAMS)).to_csv(path)
    assert proposed(capsys, path) == []
    table("TeamHome TeamAway Result", [(a, b, whole(6)) for a, b, _ in games()]).to_csv(
        path, index=False
    )
    assert not [command for command in proposed(capsys, path) if "first=TeamHome" in command]


def test_contests_from_both_sides_are_named_and_a_declared_order_is_not() -> None:
    rows = [(a, b, a if w else b) for a, b, w in games()]
    twice = table(
        "item_a item_b winner first", [r for a, b, w in rows for r in ((a, b, w, a), (b, a, w, a))]
    )
    assert "SS328" in {
        c.code for c in Comparisons.from_frame(twice[["item_a", "item_b", "winner"]]).cautions
    }
    assert "SS328" in {c.code for c in Comparisons.from_frame(twice, order="first").cautions}
    assert "SS328" not in {c.code for c in Comparisons.from_frame(twice, order="item_a").cautions}
    assert "SS328" not in {c.code for c in Comparisons.from_frame(twice[::2], order=False).cautions}


def test_contests_with_scores_from_both_sides_are_said_to_occur_twice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, rows = tmp_path / "t.csv", []
    for a, b, w in games():
        x, y = int(whole(4)) + 2 * w, int(whole(4))
        rows += [(a, b, x, y), (b, a, y, x)]
    table("team opponent goals_for goals_against", rows).to_csv(path, index=False)
    assert main(["check", str(path)]) == 2
    assert (
        "each contest is a row from either side: keep one of these first" in capsys.readouterr().out
    )


def test_a_leaderboard_leaves_out_ranks_and_averages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    board = pd.DataFrame(
        DRAW.uniform(30, 90, (8, 4)).round(1), columns=["MMLU", "ARC", "GSM8K", "Truth"]
    )
    board["All tasks"] = board.mean(axis=1).round(2)
    board.insert(0, "Model", [f"m{k}" for k in range(8)])
    board.assign(Rank=range(1, 9)).to_csv(path, index=False)
    first = proposed(capsys, path)[0]
    assert first.endswith("--study leaderboard --map rater=Model --map task=MMLU,ARC,GSM8K,Truth")
    assert main(["check", *shlex.split(first)[2:]]) == 0
    assert "value = MMLU, ARC, GSM8K and Truth\n" in capsys.readouterr().out
