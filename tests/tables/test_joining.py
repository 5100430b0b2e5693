"""Tables by a checked key: compared with pandas' validated merge, and refused where a key is not one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.errors import InputError

ANSWERS = {
    "rater": ["p1", "p2", "p1", "gpt"],
    "item": ["1", "1", "2", "1"],
    "answer": ["A", "B", "C", "D"],
}
PEOPLE = {"rater": ["p1", "p2", "p3"], "age": ["30", "41", "22"], "gender": ["w", "m", "w"]}


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_validated_left_join_of_pandas(seed: int) -> None:
    draw = random.Random(seed)
    left = pd.DataFrame(
        {"a": draw.choices("xyz", k=40), "b": draw.choices([1.0, 2.0], k=40), "v": range(40)}
    )
    right = pd.DataFrame(
        [(a, b, f"{a}{b}") for a in "xy" for b in (1, 2)], columns=["a", "b", "w"]
    ).sample(frac=1, random_state=seed)
    found = ss.join(left, right, ["a", "b"])
    expected = left.merge(right, on=["a", "b"], how="left", validate="many_to_one")
    assert found.frame["v"].tolist() == list(range(40))
    assert found.frame["w"].fillna("").tolist() == expected["w"].fillna("").tolist()
    assert sum(found.lacking.values()) == int(expected["w"].isna().sum())


def test_keys_without_a_partner_are_kept_dropped_or_refused() -> None:
    kept = ss.join(ANSWERS, PEOPLE, "rater")
    assert (len(kept.frame), kept.lacking, kept.unused, kept.added) == (
        4,
        {("gpt",): 1},
        (("p3",),),
        ("age", "gender"),
    )
    assert ss.join(ANSWERS, PEOPLE, "rater", unmatched="drop").frame["age"].tolist() == [
        "30",
        "41",
        "30",
    ]
    with pytest.raises(InputError, match=r"row 3, column 'rater': no row in data frame for 'gpt'"):
        ss.join(ANSWERS, PEOPLE, "rater", unmatched="error")
    assert ss.join(ANSWERS, PEOPLE, "rater", columns=["gender"]).added == ("gender",)


REFUSED: list[tuple[dict[str, Any], dict[str, Any], Any, str]] = [
    (ANSWERS, {"rater": ["p1", "p1"], "age": ["3", "4"]}, "rater", "'p1' has 2 rows"),
    (
        PEOPLE,
        {"rater": ["p1", "p1"], "x": ["3", "4"]},
        "rater",
        "name the tables the other way round",
    ),
    (
        ANSWERS,
        {"rater": ["p1", None], "age": ["3", "4"]},
        "rater",
        "row 1, column 'rater': an empty key",
    ),
    (
        ANSWERS,
        {"rater": ["P1", "p2"], "age": ["3", "4"]},
        "rater",
        "'p1' is spelled 'P1' in the other table",
    ),
    ({"r": ["01", "2"]}, {"r": ["1", "2"], "x": ["a", "b"]}, "r", "'01' is spelled '1'"),
    (ANSWERS, {"rater": ["q"], "age": ["3"]}, "rater", "no rater in common"),
    (ANSWERS, {"who": ["p1"], "age": ["3"]}, "rater", "no column 'rater'"),
    (
        ANSWERS,
        {"rater": ["p1"], "answer": ["B"]},
        "rater",
        "column 'answer': 'A', and 'B' in data frame",
    ),
    (ANSWERS, {"rater": ["p1"]}, "rater", "no column to add"),
    (ANSWERS, PEOPLE, [], "on= names no column"),
]


@pytest.mark.parametrize(("table", "other", "on", "message"), REFUSED)
def test_what_is_no_key_is_refused(
    table: dict[str, Any], other: dict[str, Any], on: Any, message: str
) -> None:
    with pytest.raises(InputError) as error:
        ss.join(table, other, on)
    assert message in str(error.value)


def test_the_same_column_in_both_is_held_once_where_it_says_the_same() -> None:
    found = ss.join(
        {"k": ["1", "2"], "x": ["a", "b"]}, {"k": ["2", "1"], "x": ["b", "a"], "y": ["u", "v"]}, "k"
    )
    assert found.frame.to_dict("list") == {"k": ["1", "2"], "x": ["a", "b"], "y": ["v", "u"]}


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    paths = tmp_path / "answers.csv", tmp_path / "people.csv", tmp_path / "models.csv"
    models = pd.DataFrame(
        {
            "item": ["1", "2"],
            "rater": "gpt",
            "answer": ["A", "D"],
            "source": "gpt",
            "prompt": "zero",
        }
    )
    for path, table in zip(
        paths, (pd.DataFrame(ANSWERS).iloc[:3], pd.DataFrame(PEOPLE), models), strict=True
    ):
        table.to_csv(path, index=False)
    return paths


def test_people_what_is_known_of_them_and_models_become_one_table(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    answers, people, models = map(str, files)
    one, all_ = str(tmp_path / "one.csv"), str(tmp_path / "all.csv")
    assert main(["join", answers, people, "--on", "rater", "-o", one]) == 0
    said = capsys.readouterr().err
    assert "3 rows, with age and gender of people.csv" in said
    assert "1 key of people.csv in no row of answers.csv: 'p3'" in said
    assert main(["join", models, one, "--rows", "--fill", "source=human", "-o", all_]) == 0
    assert "one.csv has no 'prompt': empty there" in capsys.readouterr().err
    table = pd.read_csv(all_, dtype=str).fillna("")
    assert table["source"].tolist() == ["gpt", "gpt", "human", "human", "human"]
    assert table["age"].tolist() == ["", "", "30", "41", "30"]


def test_rows_of_people_below_models_that_are_called_otherwise(
    files: tuple[Path, Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models, all_ = tmp_path / "asked.csv", tmp_path / "all.csv"
    models.write_text("model,prompt,item,answer\ngpt,zero,1,A\ngpt,table,1,B\n")
    words = [
        "--rows",
        "--on",
        "model=rater",
        "--fill-table",
        "source=model",
        "--fill",
        "source=human",
    ]
    assert main(["join", str(models), str(files[0]), *words, "-o", str(all_)]) == 0
    assert capsys.readouterr().err.splitlines() == [
        "5 rows",
        "answers.csv has no 'prompt': empty there",
    ]
    table = pd.read_csv(all_, dtype=str).fillna("")
    assert table["model"].tolist() == ["gpt", "gpt", "p1", "p2", "p1"]
    assert table["source"].tolist() == ["model", "model", "human", "human", "human"]
    assert table["answer"].tolist() == ["A", "B", "A", "B", "C"]
    assert "rater" not in table


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say how the tables belong together"),
        (["--on", "rater=who", "--rows"], "no column 'who'"),
        (["--on", "who=rater", "--rows"], "no column 'who'"),
        (["--on", "item=age,rater=gender", "--rows"], "people.csv has a column 'rater' too"),
        (["--rows", "--fill-table", "item=1"], "leave out --fill-table item"),
        (["--on", "rater", "--fill-table", "a=b"], "--fill-table to --rows"),
        (["--rows", "--columns", "age"], "belong to --on"),
        (["--rows", "--fill", "source"], "write COLUMN=VALUE"),
        (["--on", "rater", "--fill", "a=b"], "--fill and --fill-table to --rows"),
        (["--on", "answer=age"], "no answer in common"),
        (["--on", "rater", "-o", "x.txt"], "no format has the suffix"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    words: list[str],
    message: str,
    files: tuple[Path, Path, Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["join", str(files[0]), str(files[1]), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_table_is_not_overwritten(
    files: tuple[Path, Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = files[0].read_bytes()
    assert main(["join", str(files[0]), str(files[1]), "--on", "rater", "-o", str(files[0])]) == 2
    assert files[0].read_bytes() == before
