"""A study of a user's own: scores by hand, questions, tables, the first file, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.cli.own_study import read_study
from socialstats.errors import InputError
from socialstats.results import ResultGroup

DATA = Path(__file__).parents[2] / "examples" / "data"
STUDY = (DATA / "foundations.toml").read_text(encoding="utf-8")
FOUNDATIONS = ("care", "fairness", "loyalty", "authority", "purity")
GERMAN = {
    "scenario": "Szenario",
    "model": "Modell",
    "condition": "Bedingung",
    "judge": "Richter",
    **{
        f"{name}{k}": f"{word}_{k}"
        for name, word in zip(
            FOUNDATIONS, ("Fürsorge", "Fairness", "Loyalität", "Autorität", "Reinheit"), strict=True
        )
        for k in (1, 2, 3)
    },
}
CHINESE = {"scenario": "场景", "model": "模型", "condition": "条件", "judge": "评委"}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.read_csv(DATA / "foundations.csv")


def written(folder: Path, text: str, name: str = "study.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def by_hand(table: pd.DataFrame, foundation: str, weight: float = 1) -> pd.Series:
    """Return the score of each row: the mean of three items, the first with a weight, the third turned."""
    one, two, three = (table[f"{foundation}{k}"] for k in (1, 2, 3))
    return (weight * one + two + (6 - three)) / (weight + 2)


def test_scores_are_weighted_means_of_keyed_items(table: pd.DataFrame) -> None:
    scores = read_study(str(DATA / "foundations.toml")).scores(table)
    for name in FOUNDATIONS:
        found = scores.loc[scores["scale"] == name, "score"].to_numpy()
        expected = by_hand(table, name, 2 if name == "care" else 1).to_numpy()
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def test_answers_are_those_of_pandas(table: pd.DataFrame) -> None:
    answers = read_study(str(DATA / "foundations.toml")).answers(table)
    table = table.assign(score=by_hand(table, "care", 2))
    means = table.groupby(["scenario", "model", "condition"])["score"].mean().unstack("condition")
    gaps = (means["pressure"] - means["plain"]).unstack("model")
    care, level = answers["care"], answers["level"]
    assert isinstance(care, ResultGroup)
    assert isinstance(level, ResultGroup)
    for model in ("alder", "birch", "cedar"):
        row = care[f"care / {model}"].row("difference")
        assert row.estimate == pytest.approx(gaps[model].mean(), rel=1e-12)
        assert row.std_error == pytest.approx(gaps[model].std() / np.sqrt(30), rel=1e-12)
        assert dict(row.key)["scale"] == "care"
        assert dict(row.key)["model"] == model
        mean = level[f"care / {model} / plain"].rows[0]
        assert mean.estimate == pytest.approx(
            means["plain"].unstack("model")[model].mean(), rel=1e-12
        )
    assert answers["agreement"].verify().ok


def test_the_known_truth_lies_within_the_intervals(table: pd.DataFrame) -> None:
    answers = read_study(str(DATA / "foundations.toml")).answers(table, ["authority", "care"])
    for question, truth in (("authority", 0.8), ("care", -0.5)):
        rows = [result.rows[0] for result in answers[question].results.values()]  # type: ignore[union-attr]
        assert all(row.conf_low < truth < row.conf_high for row in rows)


def test_long_and_wide_tables_have_the_same_scores(table: pd.DataFrame, tmp_path: Path) -> None:
    keys = ["scenario", "model", "condition", "judge"]
    long = table.melt(id_vars=keys, var_name="item", value_name="grade").sample(
        frac=1, random_state=1
    )
    text = STUDY.replace('rater = "judge"', 'rater = "judge"\nitem = "item"\nvalue = "grade"')
    scores = read_study(written(tmp_path, text)).scores(long)
    wide = read_study(str(DATA / "foundations.toml")).scores(table)
    both = wide.merge(scores, on=[*keys, "scale"], suffixes=("", "_long"))
    assert len(both) == len(wide) == len(scores) == 720 * 5
    np.testing.assert_allclose(both["score"], both["score_long"], rtol=1e-14)


def test_sums_options_and_missing_items(tmp_path: Path) -> None:
    text = """
    [data]
    map = {unit = "person"}
    na = ["?"]
    [scale.mood]
    items = ["glad", "low"]
    reversed = ["low"]
    options = ["never", "sometimes", "often"]
    weights = {glad = 2}
    score = "sum"
    fewest = 1
    [[question]]
    id = "mood"
    metric = "mean_ratings"
    """
    study = read_study(written(tmp_path, text))
    people = {"person": [1, 2, 3], "glad": ["often", "never", "?"], "low": ["never", "?", "?"]}
    scores = study.scores(people)
    # (2 * 3 + 3), and of one item its mean times the sum of the weights
    assert scores[["person", "score"]].to_numpy().tolist() == [[1, 9.0], [2, 3.0]]
    flow = study.outcome(
        {
            key: [*values, values[0]] if key != "person" else [*values, 4]
            for key, values in people.items()
        },
        resamples=100,
    ).flow
    assert [(step.label, step.rows) for step in flow] == [
        ("rows read", 4),
        ("answers without a score of mood", 1),
        ("scores", 3),
    ]


@pytest.mark.parametrize("names", [GERMAN, CHINESE], ids=["German", "Chinese"])
def test_from_a_table_of_another_language_to_numbers_without_code(
    names: dict[str, str],
    table: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    labels = {"condition": {"plain": "neutral", "pressure": "Druck"}}
    table.replace(labels).rename(columns=names).to_csv("t.csv", index=False)
    assert main(["new", "t.csv"]) == 0
    text = Path("study.toml").read_text(encoding="utf-8")
    parts = read_study("study.toml").declaration.parts
    assert parts == {
        "source": (names["model"],),
        "rater": (names["judge"],),
        "unit": (names["scenario"],),
        "condition": (names["condition"],),
    }
    assert text.count("[scale.") == 5
    assert text.count("# reversed = ") == 5
    Path("study.toml").write_text(text.replace("# reversed = ", "reversed = "), encoding="utf-8")
    assert main(["check", "t.csv", "--study", "study.toml"]) == 0
    assert "3 questions" in capsys.readouterr().out
    first = read_study("study.toml").answers("t.csv", ["difference"])["difference"]
    scale = names.get("authority1", "authority1").rstrip("_1")
    scored = table.assign(score=by_hand(table, "authority"))
    means = scored[scored["model"] == "birch"].groupby(["scenario", "condition"])["score"].mean()
    gap = means.unstack().eval("pressure - plain").mean()
    assert first[f"{scale} / birch"].rows[0].estimate == pytest.approx(gap, rel=1e-12)  # type: ignore[index]
    assert main(["new", "t.csv"]) == 2
    assert "replaces nothing" in capsys.readouterr().err


@pytest.mark.slow
def test_the_page_has_answer_table_and_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = str(tmp_path / "page.html")
    table = str(DATA / "foundations.csv")
    assert main(["report", table, "--study", str(DATA / "foundations.toml"), "-o", page, "-q"]) == 0
    assert main(["show", page]) == 0
    said = capsys.readouterr().out
    assert "'pressure' lay above 'plain' in 3 of 3 cells" in said
    assert "are simulated" in said
    assert main(["show", page, "--table", "Means by model and condition", "--format", "csv"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    scales = [name for name in head.split(",") if " " not in name]
    assert scales == ["model", "condition", "Care", "fairness", "loyalty", "Authority", "purity"]
    assert len(rows) == 6


def test_estimate_and_show_take_a_study(capsys: pytest.CaptureFixture[str]) -> None:
    study, table = str(DATA / "foundations.toml"), str(DATA / "foundations.csv")
    assert main(["estimate", "authority", table, "--study", study, "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("difference,authority / alder,")
    assert main(["show", study]) == 0
    assert (
        "contrast    more: pressure minus plain, expected greater than 0" in capsys.readouterr().out
    )


# what is changed in the file, the line that the message names, the value in it, and the fix
WRONG = {
    "unknown key": ('title = "Care"', 'titel = "Care"', "titel", "titel", "Did you mean 'title'"),
    "no column": ('items = ["purity1"', 'items = ["puriti1"', "items", "'puriti1'", "'purity1'"),
    "no item": ('reversed = ["care3"]', 'reversed = ["care4"]', "reversed", "'care4'", "'care3'"),
    "weight": ("care1 = 2}", "care1 = -2}", "weights", "weights", "reversed"),
    "range": ("range = [1, 5] ", "range = [5, 1] ", "range", "range", "[1, 7]"),
    "no label": ('"pressure", "plain"', '"presure", "plain"', "pair", "'presure'", "'pressure'"),
    "no metric": ("mean_ratings", "mean_rating", "metric", "'mean_rating'", "'mean_ratings'"),
    "no contrast": ('contrast = "more"', 'contrast = "mor"', "contrast", "mor", "'more'"),
    "no option": (
        'scales = "authority"',
        'scales = "authority"\ncii = "t"',
        "cii",
        "cii",
        "Did you mean 'ci'",
    ),
    "each": (
        'each = ["scale", "model", "condition"]',
        'each = "condition"',
        "each",
        "scale and model",
        "'scale' and 'model'",
    ),
    "no part": ('rater = "judge" ', 'judge = "judge" ', "judge", "judge", "Parts: "),
    "no such setting": (
        "range = [1, 5] ",
        'design = "paired"\nrange = [1, 5] ',
        "design",
        "design",
        "question",
    ),
    "grid": ('columns = "scale"', 'columns = "scael"', "columns", "'scael'", "'scale'"),
    "grid question": (
        'question = "level"',
        'question = "levels"',
        "question",
        "'levels'",
        "Did you mean 'level'",
    ),
    "two tables of one name": (
        "[[table]]",
        '[[table]]\nname = "means"\nquestion = "level"\nrows = "model"\ncolumns = "scale"\n\n'
        '[[table]]\nname = "means"',
        "name",
        "'means' is that of an earlier table",
        "another name",
    ),
    "outside": (
        "range = [1, 5] ",
        'file = "../t.csv"\nrange = [1, 5] ',
        "file",
        "../t.csv",
        "command",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors_name_file_line_key_value_and_fix(
    case: str, table: pd.DataFrame, tmp_path: Path
) -> None:
    old, new, key, value, fix = WRONG[case]
    assert old in STUDY
    path = written(tmp_path, STUDY.replace(old, new, 1))
    with pytest.raises(InputError) as raised:
        read_study(path).outcome(table, resamples=100, verify=False)
    problem = raised.value.problems[0]
    assert problem.source == path
    assert value in problem.message
    (line,) = problem.lines
    assert Path(path).read_text(encoding="utf-8").splitlines()[line - 1].startswith(key)
    assert fix in str(problem)


def test_values_out_of_range_name_rows_of_the_table(table: pd.DataFrame, tmp_path: Path) -> None:
    table = table.astype({"care1": object})
    table.loc[3, "care1"] = 7
    table.loc[5, "care1"] = "n/k"
    table.to_csv(tmp_path / "t.csv", index=False)
    study = read_study(str(DATA / "foundations.toml"))
    with pytest.raises(InputError) as raised:
        study.scores(str(tmp_path / "t.csv"))
    text = str(raised.value)
    assert "line 5, column 'care1': '7' is not a number from 1 to 5" in text
    assert "line 7, column 'care1': 'n/k' is not a number from 1 to 5" in text


def test_two_values_of_an_item_are_refused(tmp_path: Path) -> None:
    text = """
    [data]
    map = {unit = "u", item = "i", value = "v"}
    [scale.s]
    items = ["a", "b"]
    [[question]]
    id = "q"
    metric = "mean_ratings"
    """
    rows = {"u": [1, 1, 1], "i": ["a", "b", "a"], "v": [1, 2, 3]}
    with pytest.raises(InputError, match="two values of an item"):
        read_study(written(tmp_path, text)).scores(rows)


def test_opposed_items_are_cautioned(table: pd.DataFrame, tmp_path: Path) -> None:
    text = STUDY.replace('reversed = ["care3"]', "").replace('reversed = ["purity3"]', "")
    outcome = read_study(written(tmp_path, text)).outcome(table, resamples=100, verify=False)
    said = [caution.detail for caution in outcome.cautions if caution.code == "SS346"]
    assert len(said) == 1
    assert "'care3'" in said[0]
    whole = read_study(str(DATA / "foundations.toml")).outcome(table, resamples=100, verify=False)
    assert not [caution for caution in whole.cautions if caution.code == "SS346"]


def test_a_plan_is_no_study_and_options_stay_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = written(tmp_path, '[study]\nname = "paired"\n')
    with pytest.raises(InputError, match="no \\[\\[question\\]\\]"):
        read_study(plan)
    table = str(DATA / "foundations.csv")
    study = str(DATA / "foundations.toml")
    assert main(["check", table, "--study", study, "--cluster", "model"]) == 2
    assert "Write it there" in capsys.readouterr().err
    assert main(["check", table, "--study", study, "--plan", plan]) == 2
    assert "Keep one of them" in capsys.readouterr().err
    assert main(["check", table, "--study", study, "--where", "model=alder"]) == 0


def test_read_study_is_public() -> None:
    assert ss.read_study is read_study


def test_questions_about_labels_and_pairs_of_items(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"scenario": f"s{k}", "who": f"{kind}{n}", "kind": kind, "action": action}
        for k in range(20)
        for kind, several in (("human", 4), ("gpt-x", 1))
        for n in range(several)
        for action in [str(rng.choice(["comply", "deviate"]))]
    ]
    table = pd.DataFrame(rows)
    text = """
    [data]
    scale = "nominal"
    map = {unit = "scenario", rater = "who", kind = "kind", value = "action"}
    [[question]]
    id = "shares"
    metric = "choice_shares"
    [[table]]
    question = "shares"
    rows = "source"
    columns = "level"
    """
    study = read_study(written(tmp_path, text))
    shares = study.answers(table)["shares"]
    expected = table[table["kind"] == "human"].groupby("scenario")["action"].value_counts()
    mean = expected.unstack().fillna(0)["comply"].mean() / 4
    assert shares.row("comply", group="human").estimate == pytest.approx(mean)  # type: ignore[union-attr]
    grid = study.outcome(table, resamples=100, verify=False).blocks[0].tables[0]
    assert grid.header == ("source", "comply", "deviate")
    assert [line[0] for line in grid.cells] == ["gpt-x", "human"]


DATA = Path(__file__).parents[2] / "examples" / "data"
SCALE_OF_FIVE = ["disagree", "strongly disagree", "agree", "neither", "strongly agree"]
FIRST_FILES = {
    "repeats, clusters and conditions by structure": (
        {
            "question": [f"q{k}" for k in range(30) for _ in range(12)],
            "topic": [f"t{k % 6}" for k in range(30) for _ in range(12)],
            "llm": ["gpt-x", "claude-y"] * 180,
            "turn": ["first", "first", "pushback", "pushback"] * 90,
            "run": [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3] * 30,
            "correct": [int((7 * k) % 11 < 5) for k in range(360)],
        },
        {
            "source": ("llm",),
            "value": ("correct",),
            "unit": ("question",),
            "repeat": ("run",),
            "condition": ("turn",),
            "cluster": ("topic",),
        },
    ),
    "people and models in one column": (
        {
            "scenario": [f"s{k}" for k in range(20) for _ in range(4)],
            "who": ["ann", "bob", "cleo", "gpt-x"] * 20,
            "kind": ["human", "human", "human", "gpt-x"] * 20,
            "action": ["comply", "deviate", "comply", "escalate"] * 20,
        },
        {"kind": ("kind",), "rater": ("who",), "value": ("action",), "unit": ("scenario",)},
    ),
    "labels of items in order": (
        {
            "respondent": [f"r{k}" for k in range(20) for _ in range(4)],
            "item": ["harm_1", "harm_2", "fair_1", "fair_2"] * 20,
            "response": SCALE_OF_FIVE * 16,
        },
        {"value": ("response",), "unit": ("respondent",), "item": ("item",)},
    ),
    "several columns of grades": (
        {
            "scénario": [f"s{k}" for k in range(20) for _ in range(4)],
            "modèle": ["mistral", "mistral", "gemma", "gemma"] * 20,
            "registre": ["formel", "familier"] * 40,
            "clarté": [1 + (3 * k) % 5 for k in range(80)],
            "utilité": [1 + (7 * k) % 11 % 5 for k in range(80)],
        },
        {"source": ("modèle",), "unit": ("scénario",), "condition": ("registre",)},
    ),
    "a row for each trait": (
        {
            "情景": [f"情景{k}" for k in range(20) for _ in range(6)],
            "模型": ["文心", "文心", "文心", "通义", "通义", "通义"] * 20,
            "基础": ["关怀", "公平", "忠诚"] * 40,
            "分数": [1 + (5 * k) % 7 % 5 for k in range(120)],
        },
        {"source": ("模型",), "value": ("分数",), "unit": ("情景",), "item": ("基础",)},
    ),
}


@pytest.mark.parametrize("case", FIRST_FILES)
def test_the_first_file_of_a_table_runs(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns, parts = FIRST_FILES[case]
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(columns).to_csv("t.csv", index=False)
    assert main(["new", "t.csv"]) == 0
    assert read_study("study.toml").declaration.parts == parts
    assert main(["check", "t.csv", "--study", "study.toml"]) == 0


@pytest.mark.parametrize("name", ["ratings", "stances", "benchmark", "quality", "trial", "people"])
def test_the_first_file_of_an_example_runs_and_stays(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = str(DATA / f"{name}.csv")
    assert main(["new", path]) == 0
    text = Path("study.toml").read_text()
    assert main(["check", path, "--study", "study.toml"]) == 0
    capsys.readouterr()
    assert main(["new", path]) == 2
    assert "new replaces nothing" in capsys.readouterr().err
    assert Path("study.toml").read_text() == text


@pytest.mark.parametrize("pair", [("new", "old"), ("old", "new")])
def test_a_probability_of_superiority_is_compared_with_one_half(
    pair: tuple[str, str], tmp_path: Path
) -> None:
    text = f"""
    [study]
    status = "confirmatory"
    [data]
    levels = ["never", "often"]
    map = {{unit = "id", value = "answer"}}
    [contrast.group]
    column = "group"
    pair = {list(pair)}
    expect = "greater"
    [[question]]
    id = "order"
    metric = "two_ordinal"
    contrast = "group"
    """
    answers = ["often"] * 32 + ["never"] * 8 + ["often"] * 8 + ["never"] * 32
    table = {"id": range(80), "group": ["new"] * 40 + ["old"] * 40, "answer": answers}
    outcome = read_study(written(tmp_path, text)).outcome(table, resamples=100, verify=False)
    (sentence,) = outcome.blocks[0].sentences
    higher = pair[0] == "new"
    assert ("is supported" in sentence) == higher
    assert ("one-sided p < .001" in sentence) == higher
    assert outcome.verdict is not None
    side = "higher" if higher else "lower"
    assert (
        outcome.verdict.text
        == f"The data show that values are {side} for {pair[0]} than for {pair[1]}."
    )


def test_nothing_in_a_file_is_run(tmp_path: Path) -> None:
    made = tmp_path / "made"
    text = f"""
    [[question]]
    id = "strengths"
    metric = "bradley_terry"
    formula = "~ {{open('{made}', 'w').write('x')}}"
    """
    rows = {"item_a": [*"aabbcc"] * 4, "item_b": [*"bcacab"] * 4, "winner": [*"aabccb"] * 4}
    with pytest.raises(InputError, match="is not part of a formula"):
        read_study(written(tmp_path, text)).answers(rows)
    assert not made.exists()
