"""Make the small tables that README and docs name: ``python examples/data/make_data.py``. All of them are simulated."""

from __future__ import annotations

import json
import math
import sys
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from socialstats import datasets

HERE = Path(__file__).parent
MODELS = ("alder", "birch", "cedar", "douglas")
STAMP = "2026-11-21T10-00-00.000000"


def write_csv(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of values without commas and quotes."""
    lines = [",".join(columns), *(",".join(str(value) for value in row) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def chance(eta: float) -> float:
    return 1 / (1 + math.exp(-eta))


def level(draw: Random, mean: float, names: Sequence[Any]) -> Any:
    """Return one of ordered names: the mean with normal noise, rounded and kept inside."""
    return names[min(len(names) - 1, max(0, round(mean + draw.gauss(0, 0.8))))]


def choices(folder: Path) -> None:
    """Which of two models answers a prompt better: `order` is shown first, and has a small advantage."""
    draw, rows = Random(1), []
    for prompt in range(60):
        for one, other in (
            ("alder", "birch"),
            ("cedar", "douglas"),
            ("birch", "cedar"),
            ("alder", "douglas"),
        ):
            a, b = (one, other) if draw.random() < 0.5 else (other, one)
            eta = 0.5 * (MODELS.index(b) - MODELS.index(a)) + 0.3
            rows.append((f"p{prompt:02d}", a, b, a, a if draw.random() < chance(eta) else b))
    write_csv(folder / "choices.csv", ("prompt", "item_a", "item_b", "order", "winner"), rows)


def arena(folder: Path) -> None:
    """The same with ties, by twelve workers; who was shown first was not recorded."""
    draw, rows = Random(2), []
    for prompt in range(30):
        for worker in draw.sample(range(12), 6):
            a, b = draw.sample(MODELS, 2)
            won = a if draw.random() < chance(0.6 * (MODELS.index(b) - MODELS.index(a))) else b
            rows.append(
                (f"p{prompt:02d}", f"w{worker:02d}", a, b, "tie" if draw.random() < 0.15 else won)
            )
    write_csv(folder / "arena.csv", ("prompt", "worker", "left", "right", "winner"), rows)


def answers(folder: Path) -> None:
    """Right or wrong with and without a reminder: four questions of each of 25 scenarios, by four pairs of names."""
    draw, rows = Random(3), []
    for scenario in range(25):
        own = draw.gauss(0, 0.8)
        for question in range(4):
            for condition, effect in (("plain", 0.0), ("reminded", 0.7)):
                right = int(draw.random() < chance(own + effect))
                rows.append(
                    (
                        f"s{scenario:02d}-{question}",
                        f"s{scenario:02d}",
                        f"n{question}",
                        condition,
                        right,
                    )
                )
    write_csv(
        folder / "answers.csv", ("item", "scenario", "name_pair", "condition", "correct"), rows
    )


def scores(folder: Path) -> None:
    """A score from 0 to 20 of 40 stories, before and after a change of the prompt."""
    draw, rows = Random(4), []
    for story in range(40):
        before = draw.gauss(11, 2)
        rows.append(
            (f"story {story:02d}", round(before, 1), round(before + draw.gauss(0.6, 1.2), 1))
        )
    write_csv(folder / "scores.csv", ("id", "before", "after"), rows)


def samples(folder: Path) -> None:
    """Five answers of two models to each item, right or wrong: items differ, and so do the models on each of them."""
    draw, rows = Random(7), []
    for item in range(60):
        ease = draw.gauss(0, 1.2)
        for model, skill in (("alder", -0.25), ("birch", 0.25)):
            right = chance(ease + skill + draw.gauss(0, 0.8))
            rows += [
                (model, f"q{item:02}", sample, int(draw.random() < right)) for sample in range(1, 6)
            ]
    write_csv(folder / "samples.csv", ("model", "item", "sample", "correct"), rows)


def ratings(folder: Path) -> None:
    """Ratings of 48 replies to twelve stories in two domains, by three people."""
    draw, rows = Random(5), []
    for unit in range(48):
        story = unit % 12
        mean = draw.gauss(1, 0.7)
        for rater in ("ann", "bob", "cid"):
            value = level(draw, mean, ("low", "medium", "high"))
            rows.append(
                (
                    f"reply {unit:02d}",
                    rater,
                    value,
                    ("home", "work")[story % 2],
                    f"story {story:02d}",
                )
            )
    write_csv(folder / "ratings.csv", ("unit", "rater", "value", "domain", "story"), rows)


def role_choices(folder: Path) -> None:
    """Choices between two roles under urgencies 1 to 3, of 420 stories."""
    roles = {
        "nurse": "work",
        "teacher": "work",
        "manager": "work",
        "mother": "family",
        "brother": "family",
        "friend": "friends",
        "neighbour": "friends",
    }
    names, draw, rows = list(roles), Random(6), []
    for a, b in [(a, b) for a in names for b in names if a < b]:
        for x, y in [(x, y) for x in (1, 2, 3) for y in (1, 2, 3)] * 2:
            left, right, u, v = (a, b, x, y) if draw.random() < 0.5 else (b, a, y, x)
            eta = 0.6 * (u - v) + 0.25 * (names.index(right) - names.index(left))
            winner = left if draw.random() < chance(eta) else right
            rows.append((left, right, u, v, draw.choice((left, right)), winner))
    write_csv(folder / "role_choices.csv", ("left", "right", "x", "y", "first", "winner"), rows)


def norm_choices(folder: Path) -> None:
    """Five scenarios of each domain of data set norm_goal, under three of its six pressures."""
    data = datasets.norm_goal()
    keep = data["scenario"].str[-2:].astype(int).between(1, 5) & data["pressure"].isin(
        ["none", "goal", "risk"]
    )
    data[keep].to_csv(folder / "norm_choices.csv", index=False, lineterminator="\n")


def quality(folder: Path) -> None:
    """Three raters' grades of 20 scenarios, by two criteria."""
    draw, rows = Random(7), []
    for scenario in range(20):
        for criterion, base in (("clear", 3.2), ("realistic", 2.4)):
            mean = base + draw.gauss(0, 0.6)
            rows += [
                (f"s{scenario:02d}", criterion, rater, level(draw, mean, (1, 2, 3, 4, 5)))
                for rater in "abc"
            ]
    write_csv(folder / "quality.csv", ("scenario", "criterion", "rater", "grade"), rows)


def norm_answers(folder: Path) -> None:
    """Ten items of each area of data set social_norms, with every fourth person and four models."""
    data = datasets.social_norms()
    few = data["item"].str[-3:].astype(int) <= 10
    who = data["rater"].str[-3:].astype(int)
    keep = few & (
        (data["source"] == "human") & (who % 4 == 0) | (data["source"] == "model") & (who <= 4)
    )
    columns = ["item", "area", "source", "rater", "answer", "gender", "age"]
    data.loc[keep, columns].to_csv(folder / "norm_answers.csv", index=False, lineterminator="\n")


def model_answers(folder: Path) -> None:
    """Answers of four models to 40 rules of thumb in two prompts, and a second reading of the same replies."""
    draw, rows = Random(8), []
    for item in range(40):
        area, mean = ("advice", "conflicts")[item % 2], draw.gauss(2, 1)
        for model in MODELS:
            for prompt in ("options", "table"):
                answer = (
                    "F"
                    if draw.random() < 0.03
                    else "NA"
                    if draw.random() < 0.02
                    else level(draw, mean, "ABCDE")
                )
                again = (
                    level(draw, mean, "ABCDE")
                    if prompt == "table" and draw.random() < 0.05
                    else answer
                )
                rows.append((model, prompt, f"r{item:02d}", area, answer, again))
    write_csv(
        folder / "model_answers.csv",
        ("model", "prompt", "rot_id", "area", "answer", "answer_reparsed"),
        rows,
    )


def stances(folder: Path) -> None:
    """The stance of each of 90 answers, as somebody labelled it."""
    draw, rows = Random(9), []
    for scenario in range(30):
        for k, model in enumerate(MODELS[:3]):
            stance = draw.choices(("agrees", "refuses", "weighs"), (3 - k, 1, 2 + k))[0]
            rows.append((f"a{scenario:02d}-{model}", model, f"s{scenario:02d}", stance))
    write_csv(folder / "stances.csv", ("answer", "model", "scenario", "stance"), rows)


def items(folder: Path) -> None:
    """Questions for `socialstats collect`."""
    texts = (
        "A guest leaves without saying goodbye.",
        "A driver waves a cyclist through.",
        "A colleague reads private mail.",
        "A child is praised for telling the truth.",
    )
    write_csv(
        folder / "items.csv",
        ("item_id", "text"),
        [(f"i{k}", text) for k, text in enumerate(texts, start=1)],
    )


def tables(folder: Path) -> None:
    """Tables as a paper prints them: overall scores, scores by topic, shares of two groups."""
    write_csv(
        folder / "table2.csv",
        ("model", "group", "score", "score_2", "percent"),
        [
            ("M-1", "g", "0.35", "0.41", 60),
            ("M-2", "g", "0.24", "0.30", 40),
            ("Mean", "h", "0.30", "0.36", 100),
        ],
    )
    columns = ("model", "topic", "score", "score_2")
    write_csv(
        folder / "table3a.csv",
        columns,
        [("M-1", "a", "0.380*", "0.380"), ("M-2", "a", "0.270", "0.330")],
    )
    write_csv(
        folder / "table3b.csv",
        columns,
        [("M1", "b", "0.340", "0.420"), ("M-2", "b", "0.230", "0.290")],
    )


def counted(folder: Path) -> None:
    """Votes, pairs and ratings that were counted: with a column of frequencies, and as cross tables."""
    draw, labels = Random(12), ("low", "middle", "high")
    votes = [
        ("A", "B", "A", 120),
        ("A", "B", "B", 80),
        ("B", "C", "B", 10),
        ("B", "C", "C", 90),
        ("A", "C", "A", 40),
        ("A", "C", "C", 60),
    ]
    write_csv(folder / "votes.csv", ("item_a", "item_b", "winner", "n"), votes)
    pairs = [(before, after, draw.randint(5, 40)) for before in (0, 1) for after in (0, 1)]
    write_csv(folder / "pairs.csv", ("before", "after", "Freq"), pairs)
    square = {
        (one, other): draw.randint(2, 9) + 30 * (one == other) for one in labels for other in labels
    }
    write_csv(
        folder / "readers.csv", ("ann", "bob", "Freq"), [(*cell, n) for cell, n in square.items()]
    )
    write_csv(
        folder / "cross.csv",
        ("", *labels),
        [(one, *(square[one, other] for other in labels)) for one in labels],
    )
    wins = [
        (one, *(0 if one == other else draw.randint(3, 20) for other in MODELS)) for one in MODELS
    ]
    write_csv(folder / "wins.csv", ("", *MODELS), wins)


def benchmark(folder: Path) -> None:
    """Right or wrong answers of four models to 25 items of each of three tasks; and Inspect logs of three of them."""
    draw, rows = Random(11), []
    for task in ("ethics", "law", "logic"):
        for item in range(25):
            ease = draw.gauss(0.5, 1)
            for place, model in enumerate(MODELS):
                rows.append((model, task, item, int(draw.random() < chance(ease - 0.4 * place))))
    write_csv(folder / "benchmark.csv", ("model", "task", "item", "correct"), rows)
    for model in MODELS[1:]:
        right = {
            f"q{k:02d}": int(draw.random() < 0.8 - 0.15 * MODELS.index(model)) for k in range(40)
        }
        inspect_log(folder / f"{model}.eval", model, right)


def logs(folder: Path) -> None:
    """A run of Inspect, and one of lm-evaluation-harness, with the numbers that they print."""
    draw = Random(10)
    right = {f"q{k:02d}": int(draw.random() < 0.7) for k in range(40)}
    mean, error = inspect_log(folder / "run.eval", "alder", right)
    results_of_lm_eval(folder / "results", right, mean, error)


def inspect_log(path: Path, model: str, right: dict[str, int]) -> tuple[float, float]:
    """Write an Inspect log of right and wrong answers; return the mean and its standard error, as it prints them."""
    mean = sum(right.values()) / len(right)
    error = math.sqrt(mean * (1 - mean) / (len(right) - 1))
    samples = [
        {
            "id": unit,
            "epoch": 1,
            "input": "?",
            "target": "A",
            "metadata": {"story": f"s{k // 4}"},
            "scores": {"choice": {"value": "C" if ok else "I", "answer": "A" if ok else "B"}},
        }
        for k, (unit, ok) in enumerate(right.items())
    ]
    metrics = {
        name: {"name": name, "value": value, "params": {}}
        for name, value in (("accuracy", mean), ("stderr", error))
    }
    printed = {"name": "choice", "scorer": "choice", "params": {}, "metrics": metrics}
    scorer = {"name": "choice", "metrics": [{"name": name, "options": {}} for name in metrics]}
    about = {
        "task": "manners",
        "model": model,
        "dataset": {},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [scorer],
    }
    header = {
        "version": 2,
        "status": "success",
        "eval": about,
        "results": {"total_samples": 40, "completed_samples": 40, "scores": [printed]},
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {"header.json": header, **{f"samples/{s['id']}_epoch_1.json": s for s in samples}}
        for name, part in parts.items():
            archive.writestr(
                zipfile.ZipInfo(name, (2026, 11, 21, 10, 0, 0)),
                json.dumps(part),
                zipfile.ZIP_DEFLATED,
            )
    return mean, error


def results_of_lm_eval(folder: Path, right: dict[str, int], mean: float, error: float) -> None:
    """Write samples and results of a run of lm-evaluation-harness."""
    folder.mkdir(exist_ok=True)
    lines = [
        {
            "doc_id": k,
            "doc": {"id": unit, "story": f"s{k // 4}"},
            "target": "1",
            "arguments": {},
            "resps": [["r"]],
            "filtered_resps": ["r"],
            "filter": "none",
            "metrics": ["acc"],
            "acc": ok,
        }
        for k, (unit, ok) in enumerate(right.items())
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"samples_manners_{STAMP}.jsonl").write_text(text, encoding="utf-8")
    results = {
        "results": {"manners": {"alias": "manners", "acc,none": mean, "acc_stderr,none": error}},
        "configs": {},
        "n-samples": {"manners": {"original": 40, "effective": 40}},
        "lm_eval_version": "0.4.9",
        "model_name": "alder",
    }
    path = folder / f"results_{STAMP}.json"
    path.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def accuracy(folder: Path) -> None:
    """Six questions of each of ten topics, answered right or wrong by one model."""
    draw, rows = Random(21), []
    for topic in range(10):
        own = draw.gauss(1, 0.8)
        rows += [
            (f"q{topic}{k}", f"topic {topic}", int(draw.random() < chance(own))) for k in range(6)
        ]
    write_csv(folder / "accuracy.csv", ("item", "topic", "correct"), rows)


def trial(folder: Path) -> None:
    """Seventy people of fourteen wards, each treated with a drug or a placebo: a score, an outcome and an answer."""
    draw, rows = Random(22), []
    for person in range(70):
        arm, effect = (("placebo", 0.0), ("drug", 0.8))[person % 2]
        score = draw.gauss(5 + effect, 1.5)
        passed = ("no", "yes")[draw.random() < chance(effect)]
        answer = level(draw, 1 + effect / 2, ("worse", "same", "better"))
        rows.append(
            (f"p{person:02d}", arm, f"ward {person // 5:02d}", round(score, 1), passed, answer)
        )
    write_csv(folder / "trial.csv", ("person", "arm", "ward", "score", "passed", "answer"), rows)


def judged(folder: Path) -> None:
    """Grades of 60 replies by three people and a model as judge, which is a little kinder."""
    draw, rows = Random(23), []
    for unit in range(60):
        mean = draw.gauss(1.5, 0.9)
        for rater, source, bias in (
            ("ann", "human", 0),
            ("bob", "human", 0),
            ("cid", "human", 0),
            ("m1", "judge", 0.4),
        ):
            rows.append(
                (f"reply {unit:02d}", rater, source, level(draw, mean + bias, (1, 2, 3, 4)))
            )
    write_csv(folder / "judged.csv", ("unit", "rater", "source", "grade"), rows)


def cited(folder: Path) -> None:
    """Values that the reasons of 80 choices cite, up to three of five."""
    draw, rows = Random(24), []
    for story in range(80):
        names = draw.sample(
            ("care", "fairness", "loyalty", "liberty", "safety"), draw.choice((1, 1, 2, 3))
        )
        rows.append((f"story {story:02d}", ";".join(names)))
    write_csv(folder / "cited.csv", ("story", "values"), rows)


def people(folder: Path) -> None:
    """Twelve people on the rules that the models were asked about, and the age of each of them."""
    draw = Random(25)
    names = [f"person {k:02d}" for k in range(12)]
    rules = [
        (f"r{rule:02d}", rater, level(draw, 2.2, "ABCDE")) for rule in range(40) for rater in names
    ]
    write_csv(folder / "people.csv", ("rot_id", "rater", "answer"), rules)
    write_csv(
        folder / "ages.csv",
        ("rater", "age"),
        [(name, draw.choice(("18-29", "30-49", "50-69"))) for name in names],
    )


def foundations(folder: Path) -> None:
    """Four judges score 30 answers of three models under two conditions on five moral foundations, three items each.

    Pressure raises authority by 0.8 and lowers care by 0.5. The third item of each foundation is worded the other way.
    """
    draw, rows = Random(26), []
    names = ("care", "fairness", "loyalty", "authority", "purity")
    effects = {"care": -0.5, "authority": 0.8}
    severity = {"judge 1": 0.0, "judge 2": 0.2, "judge 3": -0.2, "judge 4": 0.1}
    heads = [f"{name}{k}" for name in names for k in (1, 2, 3)]
    for scenario in range(1, 31):
        base = 3 + draw.gauss(0, 0.4)
        for model, level_of_model in (("alder", 0.0), ("birch", 0.3), ("cedar", -0.3)):
            for condition in ("plain", "pressure"):
                shown = {name: base + level_of_model + draw.gauss(0, 0.4) for name in names}
                for name, effect in effects.items():
                    shown[name] += effect if condition == "pressure" else 0
                for judge, bias in severity.items():
                    values = []
                    for name in names:
                        noisy = [shown[name] + bias + draw.gauss(0, 0.5) for _ in range(3)]
                        values += [noisy[0], noisy[1], 6 - noisy[2]]
                    grades = [min(5, max(1, round(value))) for value in values]
                    rows.append((f"s{scenario:02d}", model, condition, judge, *grades))
    write_csv(folder / "foundations.csv", ("scenario", "model", "condition", "judge", *heads), rows)


def survey(folder: Path) -> None:
    """Answers of 60 people to six statements (1 to 7), a row each, and of two models in five rounds, a row an answer.

    Birch agrees more than people do, by 1.5; alder answers as they do.
    """
    draw, centres = Random(39), (2.4, 3.1, 3.8, 4.4, 5.0, 5.6)
    names = [f"s{k}" for k in range(1, 7)]

    def answer(centre: float, spread: float) -> int:
        return min(7, max(1, round(draw.gauss(centre, spread))))

    rows = []
    for k in range(1, 61):
        age = draw.choice(("18-29", "30-49", "50-69"))
        values = [answer(centre, 1.4) for centre in centres]
        rows.append((f"p{k:02d}", age, *("" if draw.random() < 0.03 else v for v in values)))
    write_csv(folder / "survey.csv", ("person", "age", *names), rows)
    of_models = [
        (model, name, run, answer(centre + shift, 0.7))
        for model, shift in (("alder", 0.0), ("birch", 1.5))
        for name, centre in zip(names, centres, strict=True)
        for run in range(1, 6)
    ]
    head = ("model", "statement", "run", "answer")
    write_csv(folder / "survey_models.csv", head, of_models)


MADE: tuple[Callable[[Path], None], ...] = (
    choices,
    arena,
    answers,
    scores,
    ratings,
    role_choices,
    norm_choices,
    quality,
    norm_answers,
    model_answers,
    stances,
    items,
    tables,
    counted,
    benchmark,
    logs,
    samples,
    accuracy,
    trial,
    judged,
    cited,
    people,
    foundations,
    survey,
)


def main(folder: Path = HERE) -> None:
    """Write every file into a folder."""
    for make in MADE:
        make(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
