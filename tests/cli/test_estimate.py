"""The estimate command: any metric of a table, with options made from its signature."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.cli.estimate import function_of, parser_of
from socialstats.cli.parsers.estimate import NAMES

RATINGS = "unit,rater,value,story\n" + "".join(
    f"{k},{rater},{value},{k % 5}\n"
    for k, values in enumerate(["aa", "ab", "bb", "cb", "cc", "ac", "bb", "aa", "ba", "cc"])
    for rater, value in zip("xy", values, strict=True)
)
PAIRS = "story,old,new\ns1,0,1\ns1,0,1\ns2,1,1\ns2,0,0\ns3,1,0\ns3,0,1\ns4,0,1\ns5,0,1\n"


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(RATINGS, encoding="utf-8")
    return path


@pytest.fixture
def pairs(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text(PAIRS, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_metric_has_a_help_that_describes_its_options(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["estimate", name, "--help-all"])
    said = capsys.readouterr().out
    assert stop.value.code == 0
    assert "--level NUMBER" in said
    assert "--format" in said
    assert "columns of the table" in said
    parser, hints = parser_of(function_of(name))
    assert {"level", "cluster", "by"} & set(hints)
    undescribed = [a.dest for a in parser._actions if a.dest in hints and not a.help]
    assert not undescribed


def test_text_is_the_summary_and_the_sentence(ratings, capsys):
    assert (
        main(
            [
                "estimate",
                "krippendorff_alpha",
                str(ratings),
                "--levels",
                "a,b,c",
                "--cluster",
                "story",
            ]
        )
        == 0
    )
    result = ss.krippendorff_alpha(ratings, levels=["a", "b", "c"], cluster="story")
    said = capsys.readouterr().out
    assert result.table_text() in said
    assert said.endswith(result.sentence() + "\n")


def test_a_name_may_be_typed_with_hyphens(pairs, capsys):
    words = ["--first", "new", "--second", "old", "--format", "csv"]
    assert main(["estimate", "paired-difference", str(pairs), *words]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    result = ss.paired_difference(pairs, first="new", second="old")
    estimates = [float(row["estimate"]) if row["estimate"] else None for row in rows]
    assert estimates == pytest.approx([row.estimate for row in result.rows])


def test_json_holds_every_number_and_the_version(pairs, capsys):
    assert (
        main(
            [
                "estimate",
                "mcnemar",
                str(pairs),
                "--first",
                "new",
                "--second",
                "old",
                "--format",
                "json",
            ]
        )
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert found["socialstats"] == ss.__version__
    expected = ss.mcnemar(pairs, first="new", second="old").to_dict()
    assert found["terms"] == json.loads(json.dumps(expected["terms"]))


def test_groups_are_one_table_with_the_level_in_the_first_column(tmp_path, capsys):
    path = tmp_path / "by.csv"
    path.write_text(
        "model,story,old,new\nm,1,0,1\nm,2,1,1\nm,3,0,0\nn,1,0,1\nn,2,0,1\nn,3,1,1\n",
        encoding="utf-8",
    )
    words = [
        "estimate",
        "paired_difference",
        str(path),
        "--first",
        "new",
        "--second",
        "old",
        "--by",
        "model",
    ]
    assert main([*words, "--format", "md"]) == 0
    head, rule, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("| model | term |")
    assert rule.startswith("|:--|:--|:--|--:|")
    assert {line.split(" | ")[0] for line in lines} == {"| m", "| n"}
    assert main([*words, "--format", "latex"]) == 0
    assert len(re.findall(r" \\\\$", capsys.readouterr().out, re.MULTILINE)) == len(lines) + 1


def test_two_tables(tmp_path, capsys):
    head = "item_a,item_b,winner\n"
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text(head + "x,y,x\nx,y,y\ny,z,y\ny,z,z\nx,z,x\nx,z,x\n", encoding="utf-8")
    two.write_text(head + "x,y,x\nx,y,x\ny,z,y\ny,z,y\nx,z,x\nx,z,z\n", encoding="utf-8")
    words = ["estimate", "choice_entropy_difference", str(one), str(two), "--labels", "old,new"]
    assert main([*words, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    result = ss.choice_entropy_difference(one, two, labels=("old", "new"))
    assert [row["term"] for row in rows] == [row.term for row in result.rows]


def test_words_become_the_values_that_python_takes(tmp_path, capsys):
    path = tmp_path / "fit.csv"
    path.write_text(
        "item_a,item_b,winner,urgency_a,urgency_b\n" + "x,y,x,1,0\ny,z,y,0,1\nx,z,z,1,1\n" * 6
    )
    words = [
        "--formula",
        "~ urgency",
        "--covariates",
        "urgency=urgency_a:urgency_b",
        "--strengths",
        "none",
    ]
    assert main(["estimate", "bradley_terry", str(path), *words, "--order", "--format", "csv"]) == 0
    terms = [row["term"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))]
    fit = ss.bradley_terry(
        path,
        "~ urgency",
        covariates={"urgency": ("urgency_a", "urgency_b")},
        strengths="none",
        order=True,
    )
    assert terms == [row.term for row in fit.rows]


def test_an_output_replaces_only_a_table_of_its_kind(ratings, tmp_path, capsys):
    words = [
        "estimate",
        "fleiss_kappa",
        str(ratings),
        "--scale",
        "nominal",
        "--format",
        "csv",
        "-o",
    ]
    target = tmp_path / "out.csv"
    assert main([*words, str(target)]) == 0
    assert main([*words, str(target)]) == 0
    before = RATINGS
    assert main([*words, str(ratings)]) == 2
    assert "would be written over, though it is read" in capsys.readouterr().err
    target.write_text("my,notes\n1,2\n", encoding="utf-8")
    assert main([*words, str(target)]) == 2
    assert "Name another file, or add --overwrite" in capsys.readouterr().err
    assert target.read_text(encoding="utf-8") == "my,notes\n1,2\n"
    assert ratings.read_text(encoding="utf-8") == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing", "T"], "no metric 'nothing'. Metrics: ada_met, bradley_terry"),
        (
            ["fleiss_kappa", "T", "--ci", "closd"],
            "--ci closd: one of closed, percentile, basic, bca",
        ),
        (["fleiss_kappa", "T", "--resamples", "many"], "--resamples many: not a number"),
        (["fleiss_kappa", "T"], "--levels"),
        (["fleiss_kappa", "T", "--scale", "nominal", "--cluster", "stori"], "stori"),
        (["preference_shares", "T", "--groups", "x"], "--groups x: "),
    ],
)
def test_what_does_not_fit_is_said_with_the_option(words, said, ratings, capsys):
    assert main(["estimate", *(str(ratings) if word == "T" else word for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "(in Python)" not in error


def test_a_misspelt_option_is_named_with_the_nearest(ratings, capsys):
    with pytest.raises(SystemExit):
        main(["estimate", "fleiss_kappa", str(ratings), "--weigths", "linear"])
    assert "Did you mean '--weights'?" in capsys.readouterr().err


def test_verification_says_how_many_numbers_agree(ratings, capsys):
    assert main(["estimate", "gwet_ac", str(ratings), "--scale", "nominal", "--verify"]) == 0
    assert (
        "7 of the 9 numbers were recomputed by independent code and agree"
        in capsys.readouterr().err
    )


def test_a_formula_names_the_columns(pairs, capsys):
    assert (
        main(["estimate", "paired_difference", str(pairs), "--formula", "new + old ~ 1 | story"])
        == 0
    )
    found = capsys.readouterr().out
    words = ["--first", "new", "--second", "old", "--cluster", "story"]
    assert main(["estimate", "paired_difference", str(pairs), *words]) == 0
    assert capsys.readouterr().out == found
    assert (
        main(["estimate", "paired_difference", str(pairs), "--formula", "new + old ~ 1 | sotry"])
        == 2
    )
    assert "Did you mean --cluster story ?" in capsys.readouterr().err


def test_estimate_takes_the_words_of_report(ratings, pairs, capsys):
    """Parts by --map, and rows by --where and --exclude; the same numbers as with options of their own."""

    def numbers(*words):
        assert main(["estimate", *words, "--format", "json"]) == 0
        return json.loads(capsys.readouterr().out)["terms"]

    named = numbers(
        "krippendorff_alpha",
        str(ratings),
        "--unit",
        "unit",
        "--cluster",
        "story",
        "--scale",
        "nominal",
    )
    parts = ["--map", "unit=unit", "--map", "cluster=story", "--scale", "nominal"]
    assert numbers("krippendorff_alpha", str(ratings), *parts) == named
    wide = numbers(
        "mcnemar", str(pairs), "--first", "new", "--second", "old", "--exclude", "story=s3"
    )
    mapped = ["--map", "first=new", "--map", "second=old", "--where", "story=s1"]
    assert wide[0]["n"] == 6
    assert numbers("mcnemar", str(pairs), *mapped)[0]["n"] == 2


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--map", "first=new", "--first", "new", "--second", "old"],
            "first is said twice, by --first and by --map",
        ),
        (["--map", "rater=new"], "no part 'rater' in paired"),
        (["--map", "first"], "write part=column"),
        (["--first", "new", "--second", "old", "--where", "story=s9"], "s9"),
    ],
)
def test_parts_and_rows_that_cannot_be_are_errors(words, told, pairs, capsys):
    assert main(["estimate", "mcnemar", str(pairs), *words]) in (2, 3)
    assert told in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "read"), [("greater", "greater"), ("larger", "greater"), ("Two.Sided", "two_sided")]
)
def test_an_alternative_is_typed_in_any_spelling(pairs, capsys, typed, read):
    reading = {"first": "old", "second": "new", "cluster": "story"}
    words = [word for key, value in reading.items() for word in (f"--{key}", value)]
    assert main(["estimate", "mcnemar", str(pairs), *words, "--alternative", typed]) == 0
    known = ss.mcnemar(pairs, **reading, alternative=read).sentence()
    assert capsys.readouterr().out.endswith(known + "\n")
    assert ("one-sided" in known) == (read != "two_sided")
    assert main(["estimate", "mcnemar", str(pairs), *words, "--alternative", "bigger"]) == 2
    assert "--alternative bigger: one of two_sided, greater, less" in capsys.readouterr().err
