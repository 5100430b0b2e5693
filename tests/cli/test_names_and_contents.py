"""Proposals rest on names and contents together: where they differ, a doubt is said, and what is left aside is named.

Each table is a small look-alike of an export or a published table.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.designs.level_orders import conventional_order
from tests.cli.test_proposals import DRAW, games, proposed, same_draws

__all__ = ["same_draws"]


def table(columns: str, rows: list[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split(","))


def far_right() -> pd.DataFrame:
    """Items and results behind many columns that say something of the match."""
    rows = [
        (
            f"M{k}",
            *(f"{part}{k % 7}" for part in "abcdefghijk"),
            k % 2,
            (k + 1) % 2,
            f"T{a}",
            a,
            f"T{b}",
            b,
            "draw" if k % 7 == 0 else "home team win" if won else "away team win",
        )
        for k, (a, b, won) in enumerate(games())
    ]
    names = [f"fact_{part}" for part in "abcdefghijk"]
    return table(
        f"match_id,{','.join(names)},extra_time,replayed,home_team_id,home_team_name,away_team_id,"
        "away_team_name,result",
        rows,
    )


def away_first() -> pd.DataFrame:
    rows = [
        (a, b, "D" if k % 7 == 0 else "A" if won else "H") for k, (a, b, won) in enumerate(games())
    ]
    return table("AwayTeam,HomeTeam,FTR", rows)


def said_in_words() -> pd.DataFrame:
    said = {True: "Response A is better", False: "Response B is better"}
    rows = [
        (
            k,
            a,
            b,
            "Both good" if k % 8 == 0 else "Both bad" if k % 8 == 1 else said[won],
            f"u{k % 6}",
        )
        for k, (a, b, won) in enumerate(games())
    ]
    return table("task,response_a_model,response_b_model,Which is better?,rater", rows)


def corners() -> pd.DataFrame:
    return table(
        "R_fighter,B_fighter,Winner", [(a, b, "Red" if won else "Blue") for a, b, won in games()]
    )


def labels_of_sides() -> pd.DataFrame:
    rows = [
        (
            f"{a}-{k}",
            f"{b}-{k}x",
            a,
            b,
            *((0.5, 0.5) if k % 7 == 0 else (won * 1.0, (not won) * 1.0)),
            k % 31,
            k % 23,
        )
        for k, (a, b, won) in enumerate(games())
    ]
    return table("image_0_uid,image_1_uid,model_0,model_1,label_0,label_1,user_id,ranking_id", rows)


def pressed() -> pd.DataFrame:
    rows = [
        (500.0 + k, k % 30, f"s{k // 30}", a, b, int(not won))
        for k, (a, b, won) in enumerate(games())
    ]
    return table("rt,trial_index,subject_id,left_image,right_image,response", rows)


def initiated() -> pd.DataFrame:
    rows = [
        (f"pen{k % 3}", a, b, "draw" if k % 9 == 0 else "won" if won else "lost")
        for k, (a, b, won) in enumerate(games())
    ]
    return table("Site,Initiator,Recipient,Outcome", rows)


def hashed() -> pd.DataFrame:
    rows = [
        (
            f"text {k}",
            -387182794 + 97 * k,
            -372000869 + 89 * k,
            "NEWS",
            f"news-{who}",
            DRAW.choice(["accept", "reject"]),
        )
        for k in range(20)
        for who in ("ann", "bob", "cy")
    ]
    return table("text,_input_hash,_task_hash,label,_annotator_id,answer", rows)


def organic() -> pd.DataFrame:
    rows = [
        (
            who,
            what,
            f"Day{day}",
            float(x := DRAW.integers(0, 30)) / 10,
            float(y := DRAW.integers(0, 8)) / 10,
            (x - y) / 10,
        )
        for who in ("Father", "Mother")
        for what in ("24D", "DEP", "MDA")
        for day in (1, 3, 4, 6)
    ]
    return table("Person,Pesticide,Day,NonOrganic,Organic,Diff", rows)


def eyes() -> pd.DataFrame:
    rows = [
        (
            k,
            "argon" if k % 2 else "xenon",
            eye,
            int((eye == "left") == (k % 3 == 0)),
            round(float(DRAW.gamma(3, 12)), 2),
        )
        for k in range(30)
        for eye in ("left", "right")
    ]
    return table("id,laser,eye,trt,time", rows)


def right_and_wrong() -> pd.DataFrame:
    return table("zero_shot,correct,wrong", [("correct", 412, 37), ("wrong", 68, 183)])


def couple() -> pd.DataFrame:
    rows = [
        (
            f"Beer {k % 9}",
            f"B{k % 5}",
            int(x := DRAW.integers(2, 9)),
            int(x + DRAW.integers(-1, 2)),
            2000 + k % 4,
        )
        for k in range(18)
    ]
    return table("Name,Brewer,WifeRating,HusbandRating,Year", rows)


def psychiatrists() -> pd.DataFrame:
    rows = [
        (k, int(x := DRAW.integers(3, 14)), int(y := x + DRAW.integers(-2, 3)), abs(int(x - y)))
        for k in range(20)
    ]
    return table("inmate,psych1,psych2,differ", rows)


def letters() -> pd.DataFrame:
    ranks = np.array([DRAW.permutation(8) + 1 for _ in range(25)]).T
    return pd.DataFrame(
        ranks, columns=[*"abcdefghijklmnopqrstuvwxy"], index=[*"ABCDEFGH"]
    ).reset_index(names="")


SCALE = ["Very unacceptable", "Unacceptable", "Neutral", "Acceptable", "Very acceptable"]
STORIES = ("The borrowed car", "The late nurse", "Skipping the queue", "Leaving the party")


def matrix() -> pd.DataFrame:
    made = pd.DataFrame(
        {
            "Timestamp": [f"2024/03/04 1:{k:02}:49 PM" for k in range(30)],
            "Username": [f"s{k}@uni.edu" for k in range(30)],
            "How old are you?": DRAW.integers(18, 30, 30),
        }
    )
    return made.assign(
        **{f"How acceptable? [{story}]": DRAW.choice(SCALE, 30) for story in STORIES}
    )


def classified() -> pd.DataFrame:
    truth = DRAW.choice(["VF", "F", "M"], 60)
    shares = DRAW.dirichlet([1, 1, 1], 60)
    made = pd.DataFrame({"obs": truth, "pred": np.where(DRAW.random(60) < 0.7, truth, "F")})
    return made.assign(VF=shares[:, 0], F=shares[:, 1], M=shares[:, 2])


def solved() -> pd.DataFrame:
    made = pd.DataFrame(
        {"idx": range(60), "subject": ["law", "biology", "history"] * 20, "answer": [*"ABCD"] * 15}
    )
    right = {
        name: DRAW.random(60) < p
        for name, p in (("gpt-x", 0.8), ("claude-y", 0.7), ("llama-z", 0.5))
    }
    return made.assign(**right)


def named_coders() -> pd.DataFrame:
    rows = [(k, DRAW.choice(["spam", "ham"]), DRAW.choice(["spam", "ham"])) for k in range(40)]
    return table("id,alice_label,bob_label", rows)


HOME, MODELS = (
    "--map item_a=home_team_name --map item_b=away_team_name",
    "--map item_a=model_0 --map item_b=model_1",
)
EXPECTED: dict[Callable[[], pd.DataFrame], str] = {
    far_right: f"{HOME} --map winner=result --winner-coding side --tie draw",
    away_first: "--map item_a=HomeTeam --map item_b=AwayTeam --map winner=FTR --winner-coding side --tie D",
    said_in_words: "--map item_a=response_a_model --map item_b=response_b_model --map 'winner=Which is better?' "
    "--winner-coding side --tie 'Both bad' --tie 'Both good' --cluster rater",
    corners: "--map item_a=R_fighter --map item_b=B_fighter --map winner=Winner --winner-coding side",
    labels_of_sides: f"{MODELS} --map score_a=label_0 --map score_b=label_1 --cluster ranking_id --cluster user_id",
    pressed: "--map item_a=right_image --map item_b=left_image --map winner=response --winner-coding score",
    initiated: "--map item_a=Initiator --map item_b=Recipient --map winner=Outcome --winner-coding side --tie draw",
    hashed: "--map unit=text --map rater=_annotator_id --map value=answer --scale nominal",
    organic: "--map unit=Person,Pesticide,Day --map first=NonOrganic --map second=Organic --cluster Person",
    right_and_wrong: "--design paired --crosstab --levels correct,wrong",
    couple: "--raters WifeRating,HusbandRating --cluster Name --map unit=Name,Year",
    psychiatrists: "--raters psych1,psych2",
    letters: f"--raters {','.join('abcdefghijklmnopqrstuvwxy')}",
    matrix: "--study survey --units '"
    + ",".join(f"How acceptable? [{story}]" for story in STORIES)
    + f"' --map person=Username --levels '{','.join(SCALE)}'",
    classified: "--raters obs,pred --scale nominal",
    solved: "--study leaderboard --raters gpt-x,claude-y,llama-z --map unit=idx",
    named_coders: "--raters alice_label,bob_label --scale nominal --map unit=id",
}


def test_times_are_proposed_as_no_measure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    eyes().to_csv(path, index=False)
    assert not proposed(capsys, path)


@pytest.mark.parametrize("make", EXPECTED, ids=lambda make: make.__name__)
@pytest.mark.slow
def test_names_and_contents_decide_together(
    make: Callable[[], pd.DataFrame], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    make().to_csv(path, index=False)
    commands = proposed(capsys, path)
    assert commands[0] == f"socialstats report {path} {EXPECTED[make]}"
    for command in commands:
        assert main(["check", *shlex.split(command)[2:]]) == 0, command


def test_sides_in_words_and_turned_columns_count_the_wins_that_were_written(tmp_path: Path) -> None:
    """The columns away, home with H, A and D: the winner by label is what the codes say."""
    from socialstats import Comparisons
    from socialstats.designs.suspects import votes

    coded = away_first()
    named = coded.assign(
        winner=coded["HomeTeam"]
        .where(coded["FTR"] == "H", coded["AwayTeam"])
        .where(coded["FTR"] != "D", "tie")
    )
    by_name = Comparisons.from_frame(named, item_a="HomeTeam", item_b="AwayTeam", winner="winner")
    by_code = Comparisons.from_frame(
        coded, item_a="HomeTeam", item_b="AwayTeam", winner="FTR", winner_coding="side", tie=["D"]
    )
    assert votes(by_code) == votes(by_name)


def test_an_unconfirmed_reading_says_so_and_names_what_it_leaves_aside(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    made = {
        "length": DRAW.normal(20, 3, 30).round(1),
        "depth": DRAW.normal(19, 3, 30).round(1),
        "place": ["n", "s", "e"] * 10,
    }
    pd.DataFrame(made).to_csv(path, index=False)
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().out
    assert "nothing in the names confirms it" in told
    assert "'length' and 'depth' stand together only because their values share a scale" in told
    assert "Not used: 'place'" in told


def test_a_joint_unit_is_named_by_all_its_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        (wine, judge, rep, int(DRAW.integers(1, 10)))
        for wine in "ABCDEF"
        for judge in range(8)
        for rep in (1, 2)
    ]
    path = tmp_path / "t.csv"
    table("wine,taster,session,liking", rows).to_csv(path, index=False)
    assert main(["check", str(path)]) == 2
    told = capsys.readouterr().out
    assert "--map unit=wine" in told
    assert "--map repeat=session" in told
    assert (
        "'taster' rates 'wine', 'liking' is the rating. Answers told apart by 'session' are averaged"
        in told
    )


def test_levels_of_two_poles_are_ordered_by_their_words() -> None:
    assert conventional_order([*SCALE[::-1]]) == SCALE
    agree = [
        "Strongly disagree",
        "Disagree",
        "Neither agree nor disagree",
        "Agree",
        "Strongly agree",
    ]
    assert conventional_order(sorted(agree)) == agree
    assert conventional_order(["very red", "blue", "green"]) == []
    assert (
        conventional_order(["Negative", "Neutral", "Positive"]) == []
    )  # labels of texts are mostly nominal
