"""Questions of a study of a user's own: what is compared, what is averaged, and what a question may not leave open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.cli.own_study import OwnStudy, read_study
from socialstats.errors import InputError
from socialstats.results import Result, ResultGroup
from socialstats.studies.declared.scoring import score_table
from socialstats.tables.joining import pandas_of

DATA = Path(__file__).parents[2] / "examples" / "data"
STUDY = (DATA / "foundations.toml").read_text(encoding="utf-8")
BOARD = """
[[question]]
id = "board"
ask = "Which model stresses care most?"
metric = "leaderboard"
scales = "care"
"""
ALL_IN_UNIT = """
[[question]]
id = "level"
metric = "mean_ratings"
each = ["scale"]
unit = ["scenario", "model", "condition"]
"""
LABELS = """
[data]
scale = "nominal"
map = {unit = "Frage", source = "Modell", value = "Antwort"}
[[question]]
id = "shares"
metric = "choice_shares"
"""


def study_of(folder: Path, text: str) -> OwnStudy:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return read_study(str(path))


def answers_of_two_models() -> pd.DataFrame:
    """Return labels of 30 questions: `A` of one model in 20, of the other in 6."""
    shares = {"eins": 20, "zwei": 6}
    rows = [
        {"Frage": f"f{k}", "Modell": model, "Antwort": "A" if k < n else "B"}
        for model, n in shares.items()
        for k in range(30)
    ]
    return pd.DataFrame(rows)


def test_a_leaderboard_ranks_sources_by_means_over_raters(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY + BOARD, encoding="utf-8")
    csv = str(DATA / "foundations.csv")
    boards = read_study(str(path)).answers(csv, ["board"])["board"]
    assert isinstance(boards, ResultGroup)
    table = pd.read_csv(csv)
    care = (2 * table["care1"] + table["care2"] + (6 - table["care3"])) / 4
    means = care.groupby([table["condition"], table["model"]]).mean()
    for condition in ("plain", "pressure"):
        board = boards[f"care / {condition}"]
        ranked = [row for row in board.rows if row.group == "mean"]
        assert {row.term for row in ranked} == {"alder", "birch", "cedar"}
        for row in ranked:
            assert row.estimate == pytest.approx(means[condition, row.term], rel=1e-12)
    assert boards.verify().ok
    assert main(["estimate", "board", csv, "--study", str(path)]) == 0
    assert "birch had the highest mean score of 3 models" in capsys.readouterr().out


def test_cells_of_one_source_each_leave_a_leaderboard_nothing_to_rank(tmp_path: Path) -> None:
    study = study_of(tmp_path, STUDY + BOARD + 'each = ["model", "condition"]\n')
    with pytest.raises(InputError, match=r"each: leaderboard compares the labels of 'model'"):
        study.answers(str(DATA / "foundations.csv"), ["board"])


def test_named_raters_may_be_ranked_within_sources(tmp_path: Path) -> None:
    extra = 'rater = "judge"\neach = ["scale", "model", "condition"]\n'
    boards = study_of(tmp_path, STUDY + BOARD + extra).answers(str(DATA / "foundations.csv"))
    board = boards["board"]
    assert isinstance(board, ResultGroup)
    assert "judge" in board.sentence()
    assert board.verify().ok


def test_shares_of_several_sources_are_not_pooled(tmp_path: Path) -> None:
    table = answers_of_two_models()
    shares = study_of(tmp_path, LABELS).answers(table)["shares"]
    assert isinstance(shares, ResultGroup)
    first, second = shares["eins"], shares["zwei"]
    assert first.row("A").estimate == pytest.approx(20 / 30)
    assert second.row("A").estimate == pytest.approx(6 / 30)


@pytest.mark.parametrize("metric", ["choice_shares", "multinomial_logit"])
def test_cells_that_would_pool_sources_are_refused(metric: str, tmp_path: Path) -> None:
    text = LABELS.replace("choice_shares", metric) + 'each = ["Thema"]\n'
    table = answers_of_two_models().assign(Thema=np.tile(["x", "y"], 30))
    with pytest.raises(InputError, match="each says nothing of Modell") as refusal:
        study_of(tmp_path, text).answers(table)
    assert "Modell" in str(refusal.value)
    assert "to each" in str(refusal.value)


def test_sources_may_be_compared_in_one_result(tmp_path: Path) -> None:
    text = LABELS + 'source = "rater"\n'
    shares = study_of(tmp_path, text).answers(answers_of_two_models())["shares"]
    assert isinstance(shares, Result)
    assert shares.row("A", group="eins").estimate == pytest.approx(20 / 30)


@pytest.mark.parametrize("spelling", ["pressure ", "Pressure"])
@pytest.mark.parametrize("column", ["condition", "model", "topic"])
def test_spellings_of_conditions_sources_and_cells_are_cautioned(
    spelling: str, column: str, tmp_path: Path
) -> None:
    table = pd.read_csv(DATA / "foundations.csv")
    table["topic"] = np.where(table["scenario"] < "s16", "pressure", "plain")
    table["model"] = table["model"].replace("alder", "pressure")
    table[column] = table[column].astype(object)
    table.loc[table.index[table[column] == "pressure"][0], column] = spelling
    text = STUDY.replace('each = "scale"', 'each = ["scale", "topic"]')
    analysis = study_of(tmp_path, text).analysis(table)
    notes = score_table(analysis.table, analysis.declaration).cautions
    assert {note.code for note in notes} == {"SS306"}
    assert any(f"column '{column}'" in note.detail and spelling in note.detail for note in notes)


def test_the_page_says_which_condition_has_two_spellings(tmp_path: Path) -> None:
    table = pd.read_csv(DATA / "foundations.csv")
    table.loc[table.index[table["condition"] == "pressure"][0], "condition"] = "Pressure"
    outcome = study_of(tmp_path, STUDY).outcome(table, resamples=100, verify=False)
    notes = [note for note in outcome.cautions if note.code == "SS306"]
    assert any("'Pressure'" in note.detail for note in notes)


def test_labels_of_one_spelling_have_no_caution(tmp_path: Path) -> None:
    outcome = study_of(tmp_path, STUDY).outcome(
        str(DATA / "foundations.csv"), resamples=100, verify=False
    )
    assert "SS306" not in {note.code for note in outcome.cautions}


@pytest.mark.parametrize("column", ["model", "condition", "scenario"])
def test_a_score_stands_on_the_line_of_its_answer(column: str, tmp_path: Path) -> None:
    table = pd.read_csv(DATA / "foundations.csv")
    table[column] = table[column].astype(object)
    table.loc[584, column] = None
    csv = tmp_path / "gaps.csv"
    table.to_csv(csv, index=False)
    text = STUDY.replace("[data.map]", 'missing = "error"\n\n[data.map]')
    short = text[: text.index("[[question]]")] + ALL_IN_UNIT
    with pytest.raises(InputError, match=r"gaps\.csv line 586") as refusal:
        study_of(tmp_path, short).answers(str(csv))
    assert column in str(refusal.value)


def test_scores_of_long_tables_stand_on_the_first_line_of_their_answer(tmp_path: Path) -> None:
    keys = ["scenario", "model", "condition", "judge"]
    long = pd.read_csv(DATA / "foundations.csv").melt(
        id_vars=keys, var_name="item", value_name="grade"
    )
    csv = tmp_path / "long.csv"
    long.to_csv(csv, index=False)
    text = STUDY.replace('rater = "judge"', 'rater = "judge"\nitem = "item"\nvalue = "grade"')
    analysis = study_of(tmp_path, text).analysis(str(csv))
    scores = score_table(analysis.table, analysis.declaration).scores
    positions = [0, 5, 720 + 5]
    lines = scores.places(positions)
    rows = pandas_of(scores).iloc[positions]
    file = csv.read_text(encoding="utf-8").splitlines()
    for position, (_, row) in zip(positions, rows.iterrows(), strict=True):
        assert file[lines[position] - 1].split(",")[:4] == [row[name] for name in keys]


LEVEL_FIRST = STUDY.replace(
    '[[question]]\nid = "authority"',
    "[[question]]\nid = 'first'\n"
    + (
        'metric = "mean_ratings"\neach = ["scale", "model", "condition"]\n\n'
        '[[question]]\nid = "authority"'
    ),
)


def test_the_verdict_is_that_of_the_tested_contrast(tmp_path: Path) -> None:
    outcome = study_of(tmp_path, LEVEL_FIRST).outcome(
        str(DATA / "foundations.csv"), resamples=100, verify=False
    )
    assert outcome.opening == "authority"
    assert outcome.verdict is not None
    assert "Authority is higher for pressure than for plain" in outcome.verdict.text


def test_highest_and_lowest_are_of_one_scale(tmp_path: Path) -> None:
    text = STUDY[: STUDY.index("[contrast.more]")] + (
        '[[question]]\nid = "level"\nmetric = "mean_ratings"\neach = ["scale", "model", "condition"]\n'
    )
    outcome = study_of(tmp_path, text).outcome(
        str(DATA / "foundations.csv"), resamples=100, verify=False
    )
    assert outcome.verdict is not None
    assert outcome.verdict.text == (
        "Mean ratings of Care: highest for birch / plain, lowest for cedar / pressure; "
        "no difference was tested."
    )


def test_questions_of_the_file_are_in_the_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(STUDY + BOARD, encoding="utf-8")
    assert main(["check", str(DATA / "foundations.csv"), "--study", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "not in the plan" not in printed
    assert "runs: 5 questions" in printed


def test_methods_name_each_metric_and_what_was_averaged(tmp_path: Path) -> None:
    csv = str(DATA / "foundations.csv")
    methods = study_of(tmp_path, STUDY + BOARD).outcome(csv, resamples=100, verify=False).methods
    quoted = methods[0]
    for title in (
        "Mean difference of pairs",
        "Mean ratings",
        "Krippendorff",
        "Mean scores of models",
    ):
        assert title in quoted
    assert "averaged over the labels of 'judge' (authority, care, level and board)" in quoted
    assert "Items had weights in Care." in quoted
    plain = study_of(tmp_path, STUDY.replace("weights = {care1 = 2}", ""))
    assert "weight" not in plain.outcome(csv, resamples=100, verify=False).methods[0].split("(")[0]


def test_sources_are_compared_in_each_cell(tmp_path: Path) -> None:
    table = answers_of_two_models().assign(Thema=np.tile(["x", "y"], 30))
    text = LABELS + 'source = "rater"\neach = ["Thema"]\n'
    shares = study_of(tmp_path, text).answers(table)["shares"]
    assert isinstance(shares, ResultGroup)
    lines = shares.sentence().splitlines()
    assert [line[:3] for line in lines] == ["x: ", "y: "]
    assert all("eins: A ." in line for line in lines)
    assert all("zwei - eins" in line for line in lines)
    assert shares.verify().ok


def test_messages_name_the_columns_of_repeats(tmp_path: Path) -> None:
    text = (STUDY + BOARD).replace('rater = "judge"', "")
    with pytest.raises(InputError, match=r'repeat = \["COLUMN"\]'):
        study_of(tmp_path, text).answers(str(DATA / "foundations.csv"), ["board"])
