"""Surveys: what tells them from judging tasks, numbers by hand, people beside models, and tables that stand nowhere."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.cli import main
from socialstats.designs.surveys import is_survey, read_survey
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.tables import as_table

FAST = StudyOptions(resamples=200, verify=False)
QUESTIONS = [f"q{k}" for k in range(1, 7)]


def people(n: int = 40, questions: list[str] = QUESTIONS, seed: int = 1) -> pd.DataFrame:
    """Return a row a person; each question has a mean of its own."""
    rng = np.random.default_rng(seed)
    centres = np.linspace(2.5, 5.5, len(questions))
    values = np.clip(np.rint(rng.normal(centres, 1.3, (n, len(questions)))), 1, 7).astype(int)
    return pd.DataFrame(values, columns=questions).assign(id=[f"p{k:02}" for k in range(n)])


def models(runs: int = 5, seed: int = 2) -> pd.DataFrame:
    """Return a row an answer of two models: 'high' lies above people, 'like' does not."""
    rng = np.random.default_rng(seed)
    rows = [
        (name, question, run, int(np.clip(np.rint(rng.normal(centre + shift, 0.7)), 1, 7)))
        for name, shift in (("high", 1.8), ("like", 0.0))
        for question, centre in zip(QUESTIONS, np.linspace(2.5, 5.5, 6), strict=True)
        for run in range(1, runs + 1)
    ]
    return pd.DataFrame(rows, columns=["model", "question", "run", "answer"])


def long(raters: int, units: int, name: str, share: float = 1.0) -> ss.Ratings:
    """Return ratings in which each rater gave values to a share of the units."""
    rng = np.random.default_rng(raters * 100 + units)
    rows = [
        (f"u{u}", f"r{r}", int(rng.integers(1, 6)))
        for u in range(units)
        for r in range(raters)
        if (u + r) % 10 < 10 * share
    ]
    table = pd.DataFrame(rows, columns=["unit", name, "value"])
    return ss.Ratings.from_frame(table, unit="unit", rater=name, value="value")


@pytest.mark.parametrize(
    ("raters", "units", "name", "share", "survey"),
    [
        (60, 8, "rater", 1.0, True),  # many people, few questions
        (60, 1, "id", 1.0, True),
        (25, 20, "id", 0.8, True),  # some answers are missing
        (3, 60, "rater", 1.0, False),  # judges of many texts
        (20, 20, "id", 1.0, False),  # people do not outnumber questions
        (60, 8, "annotator", 1.0, False),  # annotators never answer a survey
        (60, 8, "judge", 1.0, False),
        (60, 30, "id", 0.1, False),  # workers share a judging task
        (8, 5, "respondent", 1.0, True),  # few people, who are called so
        (8, 5, "expert", 1.0, False),
        (8, 5, "rater", 1.0, False),
    ],
)
def test_structure_tells_a_survey_from_a_judging_task(
    raters: int, units: int, name: str, share: float, survey: bool
) -> None:
    design = long(raters, units, name, share)
    assert is_survey(design) is survey
    assert (pick(STUDIES, None, design).name == "survey") is survey


def test_many_people_are_no_sign_that_rows_and_columns_are_exchanged() -> None:
    design = long(60, 5, "id")
    assert "SS309" in [c.code for c in design.cautions]
    outcome = run_study(STUDIES["survey"], design, FAST)
    assert "SS309" not in [c.code for c in outcome.cautions]


def test_the_user_says_that_it_is_a_judging_task() -> None:
    assert pick(STUDIES, "agreement", long(60, 8, "rater")).name == "agreement"


def test_repeated_answers_are_no_survey() -> None:
    table = people().melt("id", var_name="unit", value_name="value")
    twice = pd.concat([table.assign(run=1), table.assign(run=2)])
    assert not is_survey(ss.Ratings.from_frame(twice, unit="unit", rater="id", repeat="run"))


def test_means_are_those_of_numpy_in_every_orientation() -> None:
    wide = people()
    by_unit = ss.Ratings.from_wide(wide, raters_in="rows", rater="id", units=QUESTIONS)
    stacked = wide.melt("id", var_name="question", value_name="answer")
    designs = [
        by_unit,
        read_survey(as_table(wide)),
        read_survey(as_table(stacked), person="id"),
    ]
    for design in designs:
        outcome = run_study(STUDIES["survey"], design, FAST)
        (block,) = [block for block in outcome.blocks if block.id == "means"]
        rows = {row.term: row for row in block.tables[0].rows}
        for question in QUESTIONS:
            values = wide[question].to_numpy()
            reach = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
            assert rows[question].estimate == pytest.approx(values.mean(), rel=1e-12)
            assert rows[question].conf_low == pytest.approx(values.mean() - reach, rel=1e-9)
        assert outcome.verdict is not None
        assert "q6" in outcome.verdict.text
        assert outcome.blocks[0].id == "means"
        assert outcome.blocks[-1].id == "agreement"
        assert outcome.blocks[-1].part == "appendix"


def differences(outcome: Any) -> dict[tuple[str, str], Any]:
    """Return the rows of the differences by question and model."""
    (block,) = [block for block in outcome.blocks if block.id == "differences"]
    return {(r.label("question"), r.label("source")): r for r in block.tables[0].rows}


def joined_outcome(runs: int) -> Any:
    from socialstats.designs.respondents import join_people

    joined = join_people(models(runs), people(), source="model", item="question", value="answer")
    design = read_survey(
        joined.table, person="model", question="question", value="answer", kind=joined.kind
    )
    return run_study(STUDIES["survey"], design, FAST)


# five equal answers have no variance, of which scipy warns; Welch's formula holds all the same
@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")
def test_differences_from_people_are_welchs() -> None:
    rows = differences(joined_outcome(5))
    answers, of_people = models(5), people()
    for (question, model), row in rows.items():
        chosen = (answers["model"] == model) & (answers["question"] == question)
        one, other = answers.loc[chosen, "answer"], of_people[question]
        expected = stats.ttest_ind(one, other, equal_var=False)
        assert row.estimate == pytest.approx(one.mean() - other.mean(), rel=1e-12)
        assert row.p_value == pytest.approx(expected.pvalue, rel=1e-9)
        low, high = expected.confidence_interval()
        assert (row.conf_low, row.conf_high) == pytest.approx((low, high), rel=1e-9)
        assert row.p_adjusted >= row.p_value


def test_a_single_answer_of_a_model_is_a_fixed_number() -> None:
    rows = differences(joined_outcome(1))
    answers, of_people = models(1), people()
    for (question, model), row in rows.items():
        chosen = (answers["model"] == model) & (answers["question"] == question)
        value = answers.loc[chosen, "answer"].iloc[0]
        expected = stats.ttest_1samp(of_people[question], value)
        assert row.estimate == pytest.approx(value - of_people[question].mean(), rel=1e-12)
        assert row.p_value == pytest.approx(expected.pvalue, rel=1e-9)


def null_page(rng: np.random.Generator, rounds: int) -> Any:
    """Return the page of people and of a model that draw from the same answers to eight questions."""
    from socialstats.designs.respondents import join_people

    names = [f"q{k}" for k in range(1, 9)]
    of_people = pd.DataFrame({name: rng.integers(1, 4, 20) for name in names})
    answers = [("birch", name, run, rng.integers(1, 4)) for name in names for run in range(rounds)]
    joined = join_people(
        pd.DataFrame(answers, columns=["model", "question", "run", "answer"]),
        of_people.assign(id=[f"p{k:02}" for k in range(20)]),
        source="model",
        item="question",
        value="answer",
    )
    design = read_survey(
        joined.table, person="model", question="question", value="answer", kind=joined.kind
    )
    return run_study(STUDIES["survey"], design, FAST)


@pytest.mark.parametrize("rounds", [1, 3])
def test_few_equal_answers_of_a_model_prove_nothing_of_it(rounds: int) -> None:
    """A model that draws its answers as people do: single answers, and few equal ones, have no variance."""
    rng = np.random.default_rng(5)
    pages = [null_page(rng, rounds) for _ in range(6)]
    assert any(page.verdict.certainty == "fixed" for page in pages)
    for page in pages:
        assert not page.verdict.text.startswith("The data show that")
        if page.verdict.text.startswith("The data do not show"):
            continue
        assert page.verdict.text.startswith(f"As far as {rounds} answer")
        assert page.verdict.certainty == "fixed"
        (few,) = [c for c in page.cautions if "not show how much" in c.detail]
        assert "at least 10 " in few.fix


@pytest.mark.slow
def test_ten_answers_a_question_hold_the_level() -> None:
    """What SS312 advises for few equal answers: 60 pages of eight tests at a family-wise level of .05."""
    rng = np.random.default_rng(6)
    wrong = sum(
        not null_page(rng, 10).verdict.text.startswith("The data do not show") for _ in range(60)
    )
    # three standard errors of a share of .05 in 60 pages
    assert wrong <= 8


def test_the_verdict_says_which_model_differs() -> None:
    verdict = joined_outcome(5).verdict
    assert verdict.text.startswith("The data show that 1 of 2 models differs from people: high at ")


def test_shares_of_labels_lead_and_are_wilsons() -> None:
    rng = np.random.default_rng(3)
    labels = np.array(["car", "bus", "bike"])
    table = pd.DataFrame({q: labels[rng.choice(3, 50, p=[0.6, 0.3, 0.1])] for q in ("way", "home")})
    design = read_survey(as_table(table), scale="nominal")
    outcome = run_study(STUDIES["survey"], design, FAST)
    assert outcome.blocks[0].id == "shares"
    assert outcome.verdict is not None
    assert outcome.verdict.text.startswith("People agree most on ")
    rows = [r for r in outcome.blocks[0].tables[0].rows if r.label("question") == "way"]
    for row in rows:
        ones = int((table["way"] == row.term).sum())
        interval = stats.binomtest(ones, 50).proportion_ci(method="wilson")
        assert row.estimate == ones / 50
        assert (row.conf_low, row.conf_high) == pytest.approx((interval.low, interval.high))


def test_weights_of_people_count() -> None:
    table = people().assign(w=np.linspace(0.5, 3.0, 40))
    outcome = run_study(STUDIES["survey"], read_survey(as_table(table), weight="w"), FAST)
    rows = {row.term: row for row in outcome.blocks[0].tables[0].rows}
    for question in QUESTIONS:
        expected = np.average(table[question], weights=table["w"])
        assert rows[question].estimate == pytest.approx(expected, rel=1e-12)


def test_columns_that_say_who_people_are_are_no_questions() -> None:
    """Their values, such as school 7, could be answers."""
    rng = np.random.default_rng(4)
    more = {name: rng.integers(1, 8, 40) for name in ("school", "Alter", "weight")}
    design = read_survey(as_table(people().assign(**more)))
    assert list(design.raters) == QUESTIONS
    assert "'school', 'Alter' and 'weight'" in design.flow[0].note


def test_many_questions_are_not_ranked() -> None:
    names = [f"item{k}" for k in range(1, 41)]
    outcome = run_study(STUDIES["survey"], read_survey(as_table(people(50, names))), FAST)
    assert outcome.verdict is not None
    assert outcome.verdict.text.startswith("The highest of 40 questions in these data is item")
    assert [line[0] for line in outcome.blocks[0].tables[0].cells] == names


def test_each_caution_of_many_questions_is_told_once() -> None:
    rng = np.random.default_rng(6)
    skewed = pd.DataFrame({q: 1 + rng.poisson(0.15, 70) for q in QUESTIONS})
    codes = [
        c.code for c in run_study(STUDIES["survey"], read_survey(as_table(skewed)), FAST).cautions
    ]
    assert "SS317" in codes
    assert len(codes) == len({*codes})


def test_questions_that_few_answered_keep_their_own_n() -> None:
    table = people().astype(dict.fromkeys(QUESTIONS, float))
    table.loc[10:, "q3"] = np.nan
    outcome = run_study(STUDIES["survey"], read_survey(as_table(table)), FAST)
    rows = {row.term: row for row in outcome.blocks[0].tables[0].rows}
    assert (rows["q3"].n_units, rows["q4"].n_units) == (10, 40)
    assert rows["q3"].estimate == pytest.approx(table["q3"].mean())


def test_an_unnamed_survey_is_proposed_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(7)
    answers = {name: np.where(rng.random(30) < 0.6, "ja", "nein") for name in "abcd"}
    path = tmp_path / "t.csv"
    pd.DataFrame({"respondent": range(30), **answers}).to_csv(path, index=False)
    assert main(["report", str(path), "-o", str(tmp_path / "t.html")]) == 2
    lines = capsys.readouterr().err.splitlines()
    first = next(line for line in lines if line.startswith("  socialstats "))
    assert "--study survey --units a,b,c,d --map person=respondent" in first


def test_report_joins_people_to_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    people().to_csv("people.csv", index=False)
    models().to_csv("models.csv", index=False)
    command = ["report", "models.csv", "--people", "people.csv", "-o", "page.html", "--no-verify"]
    assert main(command) == 0
    assert main(["show", "page.html", "--table", "questions"]) == 0
    printed = capsys.readouterr().out
    head = printed.splitlines()[0].split(",")
    assert [name for name in head if " " not in name] == ["Question", "people", "high", "like"]
    assert len(printed.splitlines()) == 7


NAMES_OF_PARTS = {
    "German": ("Modell", "Person", "Frage", "Antwort"),
    "labels alone": ("Quelle", "person", "qid", "Bewertung"),
}


@pytest.mark.parametrize("names", NAMES_OF_PARTS.values(), ids=NAMES_OF_PARTS)
def test_long_tables_of_people_and_models_need_no_map(
    names: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    model, person, question, answer = names
    asked = [f"q{k}" for k in range(6)]
    rows = [(name, q, int(rng.integers(1, 6))) for name in ("gpt-4", "claude") for q in asked]
    pd.DataFrame(rows, columns=[model, question, answer]).to_csv("models.csv", index=False)
    rows = [(f"P{k:02d}", q, int(rng.integers(1, 6))) for k in range(12) for q in asked]
    of_people = pd.DataFrame(rows, columns=[person, question, answer])
    of_people.to_csv("people.csv", index=False)
    command = ["report", "models.csv", "--people", "people.csv", "-o", "page.html", "--no-verify"]
    assert main([*command, "-q"]) == 0
    assert main(["show", "page.html", "--table", "questions"]) == 0
    printed = capsys.readouterr().out
    table = pd.read_csv(StringIO(printed), index_col=0)
    assert {"people", "claude", "gpt-4"} <= {*table.columns}
    means = of_people.groupby(question)[answer].mean()
    shown = table["people"].astype(str).str.extract(r"([\d.]+)", expand=False).astype(float)
    assert shown.to_dict() == pytest.approx(means.to_dict(), abs=0.005)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda t: t.assign(q2=["often", *t["q2"][1:]]), ("people.csv line 2", "'q2'", "'often'")),
        (
            lambda t: t.rename(columns=dict.fromkeys(QUESTIONS, "x")).iloc[:, [0, -1]],
            ("no question",),
        ),
        (lambda t: t.assign(id="same"), ("people.csv", "'id'", "several rows")),
    ],
)
def test_people_that_do_not_fit_are_refused(
    change: Any,
    parts: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    change(people()).to_csv("people.csv", index=False)
    models().to_csv("models.csv", index=False)
    assert main(["report", "models.csv", "--people", "people.csv", "-o", "page.html"]) == 2
    message = capsys.readouterr().err
    for part in parts:
        assert part in message
