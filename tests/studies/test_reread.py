"""Another reading of the same replies: shares by hand, errors by brute force, the page, the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_tables import stray_cells, stray_decimals

from socialstats.cli import main
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError
from socialstats.scales.rereading import (
    CHANGE,
    answers_of,
    changed_means,
    changed_shares,
    confusion,
    transitions,
)
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Block, Outcome
from socialstats_reports import read_results
from tests.golden_data import SHARED

LEVELS = ["A", "B", "C", "D"]
READ = {"unit": "item", "rater": "model", "levels": LEVELS, "refusal": ["R"], "by": "prompt"}
FAST = StudyOptions(resamples=200)


def replies(seed: int = 4, wrong: float = 0.4) -> pd.DataFrame:
    """30 items, two prompts, three models; the first reading takes replies of `echo` under `table` for an A."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(30):
        truth = rng.normal()
        for prompt in ("plain", "table"):
            for model in ("echo", "terse", "wordy"):
                said = LEVELS[int(np.clip(round(1.5 + truth + 0.8 * rng.normal()), 0, 3))]
                said = "R" if rng.random() < 0.03 else said
                lost = prompt == "table" and model == "echo" and rng.random() < wrong
                rows.append(
                    (f"i{item:02d}", f"g{item // 3}", prompt, model, "A" if lost else said, said)
                )
    return pd.DataFrame(rows, columns=["item", "group", "prompt", "model", "answer", "again"])


def both(frame: pd.DataFrame, **more: object) -> tuple[Ratings, Ratings]:
    one, two = (Ratings.from_frame(frame, value=c, **{**READ, **more}) for c in ("answer", "again"))  # type: ignore[arg-type]
    return one, two


def page(frame: pd.DataFrame, study: str = "ordinal-alignment", **more: object) -> Outcome:
    one, two = both(frame, **more)
    return run_study(STUDIES[study], one, StudyOptions(resamples=200, reread=two))


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return page(replies())


def reread_block(outcome: Outcome) -> Block:
    """Return the question on what a second parsing changed."""
    (block,) = (block for block in outcome.blocks if block.id == "reread")
    return block


def test_shares_and_transitions_are_those_that_pandas_counts() -> None:
    frame = replies()
    answers = answers_of(*both(frame))
    frame["moved"] = frame["answer"] != frame["again"]
    rows = changed_shares(*both(frame)).rows
    expected = [
        frame["moved"].mean(),
        *frame.groupby("prompt")["moved"].mean(),
        *frame.groupby("model")["moved"].mean(),
    ]
    assert [r.estimate for r in rows] == pytest.approx(expected)
    assert [r.term for r in rows] == ["all answers", "plain", "table", "echo", "terse", "wordy"]
    names = {"R": "refusal"}
    counts = (
        frame[frame["moved"]]
        .replace({"answer": names, "again": names})
        .value_counts(["answer", "again"])
    )
    assert {key: n for key, n in transitions(answers).items()} == counts.to_dict()  # noqa: C416
    assert confusion(answers).sum() == len(frame)
    assert np.trace(confusion(answers)) == (~frame["moved"]).sum()


@pytest.mark.parametrize("cluster", ["item", "group"])
def test_errors_of_changes_are_those_of_a_mean_in_clusters(cluster: str) -> None:
    """Brute force: V = sum_g e_g^2 / (1 - n_g/n) / n^2 over the residuals summed by cluster (Bell & McCaffrey 2002)."""
    frame = replies()
    more = {} if cluster == "item" else {"cluster": "group"}
    found = changed_means(*both(frame, **more))
    row = next(
        r for r in found.rows if r.group == CHANGE and r.by == "table" and r.term == "all answers"
    )
    own = frame[(frame["prompt"] == "table") & (frame["answer"] != "R") & (frame["again"] != "R")]
    gap = own["again"].map(LEVELS.index) - own["answer"].map(LEVELS.index)
    sums = (gap - gap.mean()).groupby(own[cluster]).agg(["sum", "size"])
    n = len(own)
    assert row.estimate == pytest.approx(gap.mean())
    assert row.std_error == pytest.approx(
        np.sqrt((sums["sum"] ** 2 / (1 - sums["size"] / n)).sum()) / n
    )
    assert row.n == n


def test_every_number_of_the_page_is_in_tidy_and_verified(outcome: Outcome) -> None:
    block = reread_block(outcome)
    counts = [t for t in block.tables if t.digits == 0]
    assert len(counts) == 1
    assert [cell for cell in stray_cells(outcome) if not cell[0].startswith("now ")] == []
    assert stray_decimals(outcome, [*outcome.answer, *block.sentences], {0.0}) == []
    assert all(v.ok for v in outcome.verifications.values())
    assert [c.code for c in outcome.cautions].count("SS319") == 1
    assert block.draw is not None
    block.draw()


def test_sentences_name_the_model_the_prompt_and_the_labels(outcome: Outcome) -> None:
    said = " ".join(reread_block(outcome).sentences)
    assert "'echo'" in said
    assert "prompt 'table'" in said
    assert "'A' became" in said
    assert "The largest difference was for 'echo': " in said
    assert "Krippendorff's α (ordinal) lay between" in " ".join(outcome.blocks[-1].sentences)
    assert any("column 'again'" in text for text in outcome.methods)


def test_alphas_of_the_second_reading_are_those_of_a_page_of_its_own(outcome: Outcome) -> None:
    frame = replies()
    alone = run_study(STUDIES["ordinal-alignment"], both(frame)[1], FAST)
    theirs = [result.rows[0].estimate for result in alone.blocks[0].results]
    block = outcome.blocks[-1]
    assert block.id == "reread-alphas"
    parts = [(str(row.label("part")), row.estimate) for row in block.tables[0].rows]
    ours = [estimate for part, estimate in parts if part.endswith("second parsing")]
    assert ours == pytest.approx(theirs)


def test_readings_that_agree_say_so_and_raise_no_caution() -> None:
    outcome = page(replies(wrong=0.0))
    block = reread_block(outcome)
    assert (
        block.sentences[0]
        == "The second parsing (column 'again') gave the same answer to all 180 replies."
    )
    assert block.draw is None
    assert "SS319" not in [c.code for c in outcome.cautions]


@pytest.mark.parametrize("study", ["agreement", "compare-ratings"])
def test_other_studies_of_ratings_have_the_block_too(study: str) -> None:
    outcome = page(replies(), study)
    assert reread_block(outcome).sentences
    assert all(v.ok for v in outcome.verifications.values())


def test_numbers_without_declared_levels_and_nominal_labels() -> None:
    frame = replies().query("answer != 'R' and again != 'R' and prompt == 'table'")
    frame = frame.assign(
        answer=frame["answer"].map(LEVELS.index), again=frame["again"].map(LEVELS.index) + 0
    )
    frame.loc[frame.index[0], "again"] = 7
    more = {"levels": None, "by": None, "refusal": ()}
    outcome = page(frame, "agreement", **more)
    assert all(v.ok for v in outcome.verifications.values())
    nominal = page(frame, "agreement", **more, scale="nominal")
    means = [
        any("mean before" in table.header for table in reread_block(one).tables)
        for one in (outcome, nominal)
    ]
    assert means == [True, False]


def test_readings_that_do_not_match_are_refused() -> None:
    frame = replies()
    one, two = both(frame)
    fewer = both(frame.iloc[:-6])[1]
    with pytest.raises(InputError, match="other rows"):
        answers_of(one, fewer)
    nominal = both(frame, scale="nominal", levels=None)[1]
    with pytest.raises(InputError, match="nominal"):
        answers_of(one, nominal)
    pairs = Paired.from_frame(
        frame[frame["model"] == "echo"], unit="item", condition="prompt", value="again"
    )
    with pytest.raises(InputError, match="ratings"):
        run_study(STUDIES["paired"], pairs, StudyOptions(resamples=100, reread=two))


QUICK = ["--resamples", "100", "--no-verify", "-q"]
WORDS = ["--map", "unit=item", "--levels", "A,B,C,D", "--refusal", "R", "--by", "prompt"]


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    replies().to_csv(tmp_path / "replies.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ids(name: str) -> list[str]:
    return [b["id"] for b in read_results(Path(name).read_text(encoding="utf-8"))["blocks"]]


def test_the_option_and_the_key_of_a_plan_make_the_same_block(file: Path) -> None:
    assert main(["report", "replies.csv", *WORDS, "--reread", "again", *QUICK, "-o", "a.html"]) == 0
    (file / "plan.toml").write_text(
        '[data]\nfile = "replies.csv"\nmap = {unit = "item"}\nlevels = ["A", "B", "C", "D"]\nrefusal = "R"\n'
        'by = "prompt"\nreread = "again"\n',
        encoding="utf-8",
    )
    assert main(["report", "--plan", "plan.toml", *QUICK, "-o", "b.html"]) == 0
    assert ids("a.html") == ids("b.html") == ["agreement", "reread", "reread-alphas"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--reread", "answer"], "read already"),
        (["--reread", "nothing"], "nothing"),
        (["--reread", "group"], "g0"),
    ],
)
def test_what_cannot_be_read_again_is_said(
    file: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["report", "replies.csv", *WORDS, *words, *QUICK, "-o", "a.html"]) == 2
    assert said in capsys.readouterr().err


def test_pairs_have_no_second_reading(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    frame = replies().query("model == 'echo' and answer != 'R' and again != 'R'")
    full = frame[frame.groupby("item")["prompt"].transform("size") == 2]
    full.assign(score=full["answer"].map(LEVELS.index)).to_csv("pairs.csv", index=False)
    parts = [
        "--map",
        "unit=item",
        "--map",
        "condition=prompt",
        "--map",
        "value=score",
        "--design",
        "paired",
    ]
    assert main(["report", "pairs.csv", *parts, "--reread", "again", *QUICK, "-o", "a.html"]) == 2
    assert "--reread" in capsys.readouterr().err


ANSWERS = SHARED / "data" / "adamet" / "adamet_llm_answers.csv"


@pytest.mark.skipif(
    not ANSWERS.exists(), reason="the published answers are not part of the project"
)
@pytest.mark.slow
def test_published_answers_read_again(tmp_path: Path) -> None:
    """Alphas of the prompt with a table .155 -> .175 (nominal), .305 -> .357 (ordinal); two models move most."""
    words = [
        "--map",
        "unit=rot_id",
        "--levels",
        "A,B,C,D,E",
        "--refusal",
        "F",
        "--refusal",
        "NA",
        "--by",
        "prompt",
    ]
    target = tmp_path / "page.html"
    assert (
        main(
            [
                "report",
                str(ANSWERS),
                *words,
                "--reread",
                "answer_reparsed",
                *QUICK,
                "-o",
                str(target),
            ]
        )
        == 0
    )
    blocks = read_results(target.read_text(encoding="utf-8"))["blocks"]
    (block,) = (block for block in blocks if block["id"] == "reread")
    shares = {t["term"]: t["estimate"] for t in block["results"][0]["terms"]}
    raters = sorted(
        (name for name in shares if "_" not in name and name != "all answers"),
        key=lambda n: -shares[n],
    )
    assert raters[:2] == ["Llama-3.1-8B", "DBRX"]
    assert "Llama-3.1-8B" in block["sentences"][0]
    (agreement,) = (block for block in blocks if block["id"] == "reread-alphas")
    alphas = {line[0]: line[1] for line in agreement["tables"][-1]["cells"]}
    changed = {"zero_shot_table": (0.305, 0.357), "zero_shot": (0.246, 0.246)}
    for prompt, published in changed.items():
        names = [f"{prompt}, {reading} parsing: ordinal" for reading in ("first", "second")]
        assert [alphas[name] for name in names] == pytest.approx(published, abs=5e-4)


def codes(cautions: tuple[Caution, ...]) -> dict[str, tuple[str, ...] | None]:
    return {said.code: said.rows for said in cautions}


def test_few_and_rare_changes_are_cautioned_by_row() -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "unit": np.repeat(np.arange(60), 2),
            "rater": ["echo", "terse"] * 60,
            "one": rng.integers(1, 6, 120),
        }
    )
    frame["two"] = frame["one"]
    echo = frame.index[frame["rater"] == "echo"]
    frame.loc[echo[:3], "two"] = 6 - frame.loc[echo[:3], "one"]
    terse = frame.index[frame["rater"] == "terse"]
    frame.loc[terse, "two"] = np.clip(frame.loc[terse, "one"] + rng.integers(-1, 2, 60), 1, 5)
    readings = [
        Ratings.from_frame(frame, value=name, levels=[1, 2, 3, 4, 5], scale="interval")
        for name in ("one", "two")
    ]
    shares, means = changed_shares(*readings), changed_means(*readings)
    assert codes(shares.cautions) == {"SS212": ("echo [share changed]",)}
    assert codes(means.cautions)["SS212"] == (f"echo [{CHANGE}]",)
    assert f"echo [{CHANGE}]" in (codes(means.cautions)["SS317"] or ())
    assert not means.row("terse", group=CHANGE).approximate
