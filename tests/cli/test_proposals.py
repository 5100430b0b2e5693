"""Tables that fit no design by name: what is proposed, and that every proposed command reads the table.

The tables are made here, in the shapes of tables of R and Python packages.
"""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main

DRAW = np.random.default_rng(8)
TEAMS = ("Ash", "Beech", "Cedar", "Elm", "Fir")
STRENGTH = dict(zip(TEAMS, (1.0, 0.6, 0.2, -0.4, -0.8), strict=True))


@pytest.fixture(autouse=True)
def same_draws() -> None:
    """Every test draws the same tables, in whatever order the tests run."""
    DRAW.bit_generator.state = np.random.default_rng(8).bit_generator.state


def games(n: int = 90) -> list[tuple[str, str, bool]]:
    drawn = [tuple(DRAW.choice(TEAMS, 2, replace=False)) for _ in range(n)]
    return [
        (a, b, bool(DRAW.random() < 1 / (1 + np.exp(STRENGTH[b] - STRENGTH[a])))) for a, b in drawn
    ]


def cross(labels: tuple[str, ...], agree: int) -> pd.DataFrame:
    counts = DRAW.integers(2, 9, (len(labels), len(labels))) + agree * np.eye(
        len(labels), dtype=int
    )
    return pd.DataFrame(counts, index=list(labels), columns=list(labels))


def winner_loser() -> pd.DataFrame:
    rows = [(a, b) if won else (b, a) for a, b, won in games()]
    return pd.DataFrame(rows, columns=["Winner", "Loser"]).assign(Date="2001-01-01")


def home_away() -> pd.DataFrame:
    rows = [
        (2001, a, b, DRAW.choice([1, 0, -1]) if k % 5 == 0 else 1 if won else -1)
        for k, (a, b, won) in enumerate(games())
    ]
    return pd.DataFrame(rows, columns=["season", "home", "away", "outcome"])


def points() -> pd.DataFrame:
    rows = [
        (a, b, 20 + 7 * won + int(DRAW.integers(0, 9)), 22 + int(DRAW.integers(0, 9)))
        for a, b, won in games()
    ]
    return pd.DataFrame(
        rows, columns=["team.Home", "team.Visitor", "points.Home", "points.Visitor"]
    )


def named_winner() -> pd.DataFrame:
    rows = [(a, b, DRAW.choice([a, b]), a if won else b) for a, b, won in games()]
    return pd.DataFrame(rows, columns=["team1", "team2", "toss_winner", "match_winner"])


def preferences() -> pd.DataFrame:
    rows = [(a, b) if won else (b, a) for a, b, won in games()]
    return pd.DataFrame(rows, columns=["chosen_model", "rejected_model"])


def swapped_scores() -> pd.DataFrame:
    rows = [
        (b, a, 20 + 7 * won + int(DRAW.integers(0, 9)), 22 + int(DRAW.integers(0, 9)))
        for a, b, won in games()
    ]
    return pd.DataFrame(rows, columns=["away", "home", "home.score", "away.score"])


def persons() -> pd.DataFrame:
    rows = [(word, person, int(DRAW.integers(1, 8))) for word in TEAMS for person in range(9)]
    return pd.DataFrame(rows, columns=["Word", "Subject", "Rating"])


def counted_wins() -> pd.DataFrame:
    rows = [(a, b, *DRAW.integers(1, 9, 3)) for a, b in itertools.combinations(TEAMS, 2)]
    return pd.DataFrame(rows, columns=["school1", "school2", "win1", "win2", "tied"])


def win_matrix() -> pd.DataFrame:
    wins = pd.DataFrame(DRAW.integers(1, 9, (5, 5)), index=list(TEAMS), columns=list(TEAMS))
    np.fill_diagonal(values := wins.to_numpy().copy(), 0)
    return pd.DataFrame(values, index=list(TEAMS), columns=list(TEAMS)).reset_index(names="")


def matched_pairs() -> pd.DataFrame:
    square = cross(("high", "middle", "low"), 12)
    rows = [(a, b, square.loc[a, b]) for a in square.index for b in square.columns]
    return pd.DataFrame(rows, columns=["father", "son", "Freq"])


def neurologists() -> pd.DataFrame:
    square = cross(("Certain", "Probable", "Doubtful"), 40)
    rows = [(a, b, square.loc[a, b]) for a in square.index for b in square.columns]
    return pd.DataFrame(rows, columns=["Reader.One", "Reader.Two", "Freq"])


def raters_square() -> pd.DataFrame:
    return cross(("Neurosis", "Depression", "Other"), 40).reset_index(names="")


def sleep() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "extra": DRAW.normal(1, 1, 20).round(1),
            "group": [1] * 10 + [2] * 10,
            "ID": [*range(1, 11)] * 2,
        }
    )


def phases() -> pd.DataFrame:
    rows = [
        (k, phase, hour, int(DRAW.integers(1, 9)))
        for k in range(12)
        for phase in ("pre", "post")
        for hour in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["Subject", "Phase", "Hour", "Performance"])


def weights() -> pd.DataFrame:
    before = DRAW.normal(80, 5, 30).round(1)
    return pd.DataFrame(
        {
            "Treat": ["CBT", "FT", "Cont"] * 10,
            "Prewt": before,
            "Postwt": (before + DRAW.normal(2, 3, 30)).round(1),
        }
    )


def preparations() -> pd.DataFrame:
    base = DRAW.integers(10, 30, 9)
    return pd.DataFrame(
        {
            "Plant": [f"P{k}" for k in range(9)],
            "Preparation_1": base,
            "Preparation_2": base + DRAW.integers(-4, 6, 9),
        }
    )


def raters_wide() -> pd.DataFrame:
    true = DRAW.integers(1, 8, 20)
    made = {f"rater{k}": np.clip(true + DRAW.integers(-1, 2, 20), 1, 7) for k in (1, 2, 3)}
    return pd.DataFrame(made)


def judges_long() -> pd.DataFrame:
    rows = [
        (j, p, s, int(DRAW.integers(0, 9)))
        for j in range(8)
        for p in ("choc1", "choc2", "choc3", "choc4")
        for s in (1, 2)
    ]
    return pd.DataFrame(rows, columns=["Panelist", "Product", "Session", "Sweetness"])


def fleiss() -> pd.DataFrame:
    rows = DRAW.multinomial(6, [0.5, 0.3, 0.2], 15)
    return pd.DataFrame(rows, columns=["Depression", "Neurosis", "Other"])


def patterns() -> pd.DataFrame:
    every = list(itertools.product([False, True], repeat=3))
    return pd.DataFrame(
        [(*p, int(n)) for p, n in zip(every, DRAW.integers(2, 30, 8), strict=True)],
        columns=["A", "B", "C", "n"],
    )


def transposed() -> pd.DataFrame:
    return pd.DataFrame(
        {"coder": ["k", "l", "m"], **{f"u{k}": DRAW.integers(1, 4, 3) for k in range(1, 10)}}
    )


EXPECTED: dict[Callable[[], pd.DataFrame], str] = {
    winner_loser: "--map item_a=Winner --map item_b=Loser --map winner=Winner",
    home_away: "--map item_a=home --map item_b=away --map winner=outcome --winner-coding side --tie 0",
    points: "--map item_a=team.Home --map item_b=team.Visitor --map score_a=points.Home --map score_b=points.Visitor",
    named_winner: "--map item_a=team1 --map item_b=team2 --map winner=match_winner",
    preferences: "--map item_a=chosen_model --map item_b=rejected_model --map winner=chosen_model",
    swapped_scores: "--map item_a=away --map item_b=home --map score_a=away.score --map score_b=home.score",
    persons: "--map unit=Word --map rater=Subject --map value=Rating",
    counted_wins: "--map item_a=school1 --map item_b=school2 --map wins_a=win1 --map wins_b=win2",
    win_matrix: "--design comparisons --crosstab",
    matched_pairs: "--map first=father --map second=son --count Freq --scale nominal",
    neurologists: "--raters Reader.One,Reader.Two --count Freq --scale nominal",
    raters_square: "--design ratings --crosstab --scale nominal",
    sleep: "--map unit=ID --map condition=group --map value=extra --conditions 1,2",
    phases: "--map unit=Subject --map condition=Phase --map value=Performance --map repeat=Hour --conditions post,pre",
    weights: "--map group=Treat --map value=Postwt --design groups --groups CBT,Cont",
    preparations: "--map unit=Plant --map first=Preparation_1 --map second=Preparation_2",
    raters_wide: "--raters rater1,rater2,rater3",
    judges_long: "--map unit=Product --map rater=Panelist --map value=Sweetness --map repeat=Session",
    fleiss: "--level-columns Depression,Neurosis,Other --scale nominal",
    patterns: "--raters A,B,C --count n",
    transposed: f"--map rater=coder --units {','.join(f'u{k}' for k in range(1, 10))}",
}


def proposed(capsys: pytest.CaptureFixture[str], path: Path) -> list[str]:
    """Return the commands that `check` proposes."""
    capsys.readouterr()
    assert main(["check", str(path)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("error: ")
    assert "By what it holds: " in printed.out
    return [line.strip() for line in printed.out.splitlines() if line.startswith("  socialstats ")]


@pytest.mark.parametrize("make", EXPECTED, ids=lambda make: make.__name__)
@pytest.mark.slow
def test_a_foreign_table_is_proposed_as_meant(
    make: Callable[[], pd.DataFrame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    make().to_csv(path, index=False)
    commands = proposed(capsys, path)
    assert commands[0] == f"socialstats report {path} {EXPECTED[make]}"
    assert len(commands) <= 3
    for command in commands:
        assert main(["check", *shlex.split(command)[2:]]) == 0, command


@pytest.mark.parametrize(
    "make", [home_away, counted_wins, neurologists, phases, fleiss], ids=lambda make: make.__name__
)
@pytest.mark.slow
def test_the_first_command_writes_a_page(
    make: Callable[[], pd.DataFrame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    make().to_csv(path, index=False)
    words = shlex.split(proposed(capsys, path)[0])[1:]
    page = tmp_path / "t.html"
    assert main([*words, "-q", "--no-verify", "--resamples", "100", "-o", str(page)]) == 0
    assert page.stat().st_size > 20_000


@pytest.mark.parametrize(
    "table",
    [
        {"weight": [4.2, 5.1, 3.3, 6.0], "group": ["ctrl", "ctrl", "trt", "trt"]},
        {"mpg": [21.0, 22.8, 18.7], "cyl": [6, 4, 8], "name": ["a", "b", "c"]},
        {
            "year": [*range(1949, 1961)],
            "passengers": [112, 118, 132, 129, 121, 135, 148, 148, 136, 119, 104, 118],
        },
    ],
)
def test_other_tables_are_proposed_as_nothing_certain(
    table: dict[str, list[object]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().out.startswith("By what it holds: t.csv has ")


@pytest.mark.slow
def test_init_writes_the_first_proposal_as_a_plan_that_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, plan = tmp_path / "t.csv", tmp_path / "plan.toml"
    for make in (win_matrix, neurologists, fleiss, transposed, phases):
        make().to_csv(path, index=False)
        capsys.readouterr()
        assert main(["init", str(path)]) == 0, make
        text = capsys.readouterr().out
        assert text.startswith("# By what it holds: t.csv has ")
        plan.write_text(text, encoding="utf-8")
        assert main(["check", str(path), "--plan", str(plan)]) == 0, make


def test_what_was_said_stays_in_the_proposals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    sleep().to_csv(path, index=False)
    assert main(["check", str(path), "--map", "unit=ID", "--where", "group=1"]) == 2
    commands = [
        line for line in capsys.readouterr().out.splitlines() if line.startswith("  socialstats ")
    ]
    assert all("--map unit=ID" in command for command in commands)


def test_counts_of_ten_votes_run_as_the_votes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = tmp_path / "cnt.csv", tmp_path / "p.html"
    path.write_text(
        "item_a,item_b,winner,count\nA,B,A,120\nA,B,B,80\nB,C,B,10\nB,C,C,90\nA,C,A,40\nA,C,C,60\n"
    )
    assert main(["report", str(path), "-o", str(page), "--no-verify"]) == 0
    told = capsys.readouterr().err
    assert "\nC ranked first (" in told
    assert "log-strength 0.75" in told
    assert "400" in page.read_text(encoding="utf-8")
    assert "SS323" in told
    assert "--count ''" in told
    assert main(["check", str(path), "--count", ""]) == 0
    assert "6 comparisons" in capsys.readouterr().out


def test_a_cross_table_gives_kappa_without_python(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cohen (1968): kappa .492 unweighted and .348 with his weights; psych::cohen.kappa gives .49 for this table."""
    path, numbers = tmp_path / "cohen.csv", tmp_path / "n.json"
    path.write_text(",a,b,c\na,88,14,18\nb,10,40,10\nc,2,6,12\n", encoding="utf-8")
    words = [
        "--design",
        "ratings",
        "--crosstab",
        "--raters",
        "ann,bob",
        "--scale",
        "nominal",
        "--no-verify",
        "-q",
    ]
    assert (
        main(
            [
                "report",
                str(path),
                *words,
                "--resamples",
                "200",
                "-o",
                str(tmp_path / "p.html"),
                "--json",
                str(numbers),
            ]
        )
        == 0
    )
    assert '"estimate": 0.4915254237288' in numbers.read_text(encoding="utf-8")
    assert "0.492" in (tmp_path / "p.html").read_text(encoding="utf-8") or ".492" in (
        tmp_path / "p.html"
    ).read_text(encoding="utf-8")


def test_check_shows_ranges_and_the_rarest_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "r.csv"
    rows = pd.DataFrame(
        {
            "unit": [*range(30)] * 2,
            "rater": ["a"] * 30 + ["b"] * 30,
            "rating": DRAW.integers(1, 6, 60),
        }
    )
    rows.loc[4, "rating"] = 99
    rows.to_csv(path, index=False)
    assert main(["check", str(path)]) == 0
    printed = capsys.readouterr()
    (line,) = [line for line in printed.out.splitlines() if line.startswith("column      rating")]
    assert line.startswith("column      rating: 1 to 99, 6 values; rarest: 99 (1 row), ")
    assert "SS325" in printed.err
    assert "'99' in 'rating' (line 6), beside 1 to 5" in printed.err
    assert "--na 99" in printed.err


def test_proposed_commands_repeat_every_option_that_was_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "t.csv"
    winner_loser().to_csv(table, index=False)
    main(["check", str(table), "--level", "0.9", "--seed", "3"])
    proposed = [
        line
        for line in capsys.readouterr().out.splitlines()
        if line.startswith("  socialstats report")
    ]
    assert proposed
    assert all("--level 0.9" in line and "--seed 3" in line for line in proposed)
    main(["report", str(table), "-o", "my page.html"])
    proposed = [
        line
        for line in capsys.readouterr().err.splitlines()
        if line.startswith("  socialstats report")
    ]
    assert proposed
    assert all("-o 'my page.html'" in line for line in proposed)
    main(["report", str(table)])
    assert " -o " not in capsys.readouterr().err


def test_times_of_two_groups_are_told_how_they_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    times = pd.DataFrame(
        {"group": ["human", "model"] * 20, "seconds": np.geomspace(0.2, 40, 40).round(2)}
    )
    times.assign(cost=times["seconds"].to_numpy()[::-1] / 100).to_csv("t.csv", index=False)
    assert main(["check", "t.csv"]) == 2
    said = capsys.readouterr().out
    assert "with --design groups" in said
    assert "say --design groups --map group=group --map value=COLUMN" in said
    assert main(["check", "t.csv", "--map", "value=seconds"]) == 2
    assert "Nothing in the table judges" not in capsys.readouterr().out
    assert main(["check", "t.csv", "--map", "value=seconds", "--design", "groups"]) == 0


def test_a_pair_of_several_labels_says_how_many_there_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    grades = ["gering", "mittel", "hoch"]
    rows = [
        (f"t{k}", who, grades[(k * i + k // 3) % 3])
        for k in range(30)
        for i, who in enumerate(["Ute", "Ina", "Kai"])
    ]
    pd.DataFrame(rows, columns=["antwort", "prüferin", "stufe"]).to_csv(
        tmp_path / "t.csv", index=False
    )
    assert main(["check", str(tmp_path / "t.csv")]) == 2
    assert "under two of the 3 labels of 'prüferin'" in capsys.readouterr().out
