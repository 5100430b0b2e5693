"""`estimate` and `report` take the same words: one name, one meaning, one way of typing several values."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from socialstats.cli.analysis import prepare
from socialstats.cli.estimate import _readers_of, function_of, parser_of
from socialstats.cli.parser import make_parser
from socialstats.cli.parsers.estimate import NAMES
from socialstats.designs.settings import COMPUTED, DESIGNS, READ, SETTINGS
from socialstats.studies.plan_files import load_plan

DATA = Path(__file__).parents[2] / "examples" / "data"
ELSEWHERE = {
    "reread": "compares two readings of the replies on a page",
    "unmatched": "is spelled --missing in report",
}  # settings of how a table is read that no metric has, and why
OTHERS = {
    ("ada_met", "group"): "a factor of people",
    ("sensitivity", "groups"): "the group of each item",
    ("label_counts", "group"): "a factor of units",
    ("group_win_rates", "groups"): "the group of each item",
    ("preference_shares", "groups"): "the group of each item",
    ("relationship_bias", "groups"): "the groups of names, in order",
    ("preference_shares", "scale"): "of the strengths, not of the values",
    ("majority_vote_accuracy", "ties"): "levels with equally many votes",
    ("ada_met", "ties"): "of modes",
    **{
        (name, "group"): "the column of the groups"
        for name in ("two_means", "two_ordinal", "two_proportions", "equivalence")
    },
    **{
        (name, "unmatched"): "pairs that only one of two designs has"
        for name in ("choice_entropy_difference", "sensitivity_difference")
    },
}  # options that report spells alike for another design


def options_of(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {spelling: action for action in parser._actions for spelling in action.option_strings}


def designs_of(name: str) -> set[str]:
    """Return the general designs that a metric reads its table as."""
    return {reader.__name__.lower() for reader in _readers_of(function_of(name))} & {*DESIGNS}


METRICS = [name for name in NAMES if designs_of(name)]


@pytest.mark.parametrize("name", METRICS)
def test_every_word_of_how_a_table_is_read_is_one_of_estimate(name: str) -> None:
    options, designs = options_of(parser_of(function_of(name))[0]), designs_of(name)
    wanted = [
        one
        for one in READ
        if one.key not in ELSEWHERE and (not one.of or {*one.of.split()} & designs)
    ]
    lacking = [one.option for one in wanted if one.option not in options]
    assert not lacking
    report = options_of(make_parser().commands()["report"])
    for one in wanted:
        several = one.kind in ("texts", "labels", "rows", "parts")
        assert isinstance(options[one.option], argparse._AppendAction) == several, one.option
        assert isinstance(report[one.option], argparse._AppendAction) == several, one.option
        assert options[one.option].help


@pytest.mark.parametrize("name", METRICS)
def test_choices_of_a_shared_word_are_choices_of_both(name: str) -> None:
    """What report allows for a word is allowed for the metric, or belongs to another design."""
    hints, designs = parser_of(function_of(name))[1], designs_of(name)
    for one in (*READ, *COMPUTED):
        if not one.choices or one.key not in hints or (one.of and not {*one.of.split()} & designs):
            continue
        literal = {kind for kind in hints[one.key] if isinstance(kind, str)}
        if (
            one.key == "scale"
        ):  # which the designs divide among themselves, and preference_shares has of its own
            continue
        assert not literal or {*one.choices.split()} <= literal | {"none"}, one.option


@pytest.mark.parametrize("name", METRICS)
def test_a_word_of_an_analysis_is_one_of_its_design(name: str) -> None:
    """A metric's option that report has as well is of the same design there, or is told apart here."""
    hints, designs = parser_of(function_of(name))[1], designs_of(name)
    apart = {
        key
        for key in hints
        if key in SETTINGS and SETTINGS[key].of and not {*SETTINGS[key].of.split()} & designs
    }
    assert apart == {key for metric, key in OTHERS if metric == name} & apart
    assert {key for metric, key in OTHERS if metric == name} <= {*hints}


def numbers(*words: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    assert main(["estimate", *words, "--format", "json"]) == 0, capsys.readouterr().err
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["terms"]
    return found


def page_rows(table: str, *words: str) -> list[tuple[Any, ...]]:
    """Return metric, term, group, estimate and standard error of the rows of a page."""
    outcome, _ = prepare(
        make_parser().parse_args(["report", str(DATA / table), *words]), load_plan(None)
    ).run()
    results = [result for block in outcome.blocks for result in block.results]
    return [
        (result.metric, row.term, row.group, row.estimate, row.std_error)
        for result in results
        for row in result.rows
    ]


@pytest.mark.parametrize(
    ("metric", "table", "words", "only"),
    [
        (
            "mcnemar",
            "answers.csv",
            ["--conditions", "reminded,plain", "--cluster", "scenario", "--cluster", "name_pair"],
            "difference",
        ),
        (
            "mcnemar",
            "answers.csv",
            ["--conditions", "reminded,plain", "--cluster", "scenario,name_pair"],
            "difference",
        ),
        (
            "paired_difference",
            "scores.csv",
            ["--map", "first=after", "--map", "second=before"],
            "difference",
        ),
        (
            "paired_difference",
            "scores.csv",
            ["--map", "first=after", "--map", "second=before", "--exclude", "id=story 00"],
            "difference",
        ),
        (
            "weighted_kappa",
            "cross.csv",
            [
                "--crosstab",
                "--design",
                "ratings",
                "--levels",
                "low,middle,high",
                "--scale",
                "ordinal",
            ],
            "rater 1 | rater 2",
        ),
        (
            "krippendorff_alpha",
            "judged.csv",
            ["--map", "value=grade", "--where", "source=human", "--scale", "ordinal"],
            "alpha",
        ),
        (
            "krippendorff_alpha",
            "ratings.csv",
            ["--levels", "low,medium,high", "--exclude-raters", "rater=ann"],
            "alpha",
        ),
        (
            "krippendorff_alpha",
            "ratings.csv",
            ["--levels", "low,medium,high", "--strata", "domain", "--cluster", "story"],
            "alpha",
        ),
        (
            "two_proportions",
            "trial.csv",
            ["--design", "groups", "--map", "value=passed", "--map", "unit=person"],
            "difference",
        ),
        ("mean_ratings", "accuracy.csv", ["--cluster", "topic"], "all units"),
        ("mean_ratings", "accuracy.csv", ["--map", "rater=", "--strata", "topic"], "all units"),
    ],
)
@pytest.mark.slow
def test_the_same_words_give_the_same_numbers(
    metric: str, table: str, words: list[str], only: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = numbers(metric, str(DATA / table), *words, capsys=capsys)
    shown = page_rows(table, *words)
    rows = [row for row in typed if row["term"] == only]
    assert rows
    for row in rows:
        named = (metric, row["term"], row.get("group"))
        ours = [found[3:] for found in shown if found[:3] == named]
        assert ours
        assert any(one == pytest.approx((row["estimate"], row.get("std_error"))) for one in ours), (
            ours
        )


@pytest.mark.parametrize("twice", [["--map", "cluster=story", "--cluster", "domain"]])
def test_clusters_of_both_spellings_are_two(
    twice: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    table, levels = str(DATA / "ratings.csv"), ["--levels", "low,medium,high"]
    assert main(["estimate", "krippendorff_alpha", table, *levels, *twice]) == 2
    assert "said twice" in capsys.readouterr().err


def test_report_takes_several_columns_in_one_word_or_in_several() -> None:
    both = [
        ["--cluster", "scenario,name_pair"],
        ["--cluster", "scenario", "--cluster", "name_pair"],
    ]
    one, other = (
        page_rows("answers.csv", "--conditions", "reminded,plain", *words) for words in both
    )
    assert one == other
