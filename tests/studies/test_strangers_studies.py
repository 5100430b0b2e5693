"""What a stranger met on pages of studies: zeros of nothing, settings that name nothing, models that vanish."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_examples import EXAMPLES, FAST, choices

import socialstats as ss
from socialstats import datasets
from socialstats.cli import main
from socialstats.designs.couples import couples_design
from socialstats.designs.replies import replies_of
from socialstats.errors import InputError, MleDoesNotExist
from socialstats.inference.proportions import clustered_share
from socialstats.planning.builders import design_items
from socialstats.proposals.shapes import read_shape
from socialstats.scales.judge_zeros import judge_zeros, zero_of
from socialstats.scales.trait_weights import PAPER
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.sources import replies_by
from socialstats.studies.staged_values.declaration import NEUTRAL, with_controls
from socialstats.studies.staged_values.study import no_zero
from socialstats.tables import as_table, read_table
from socialstats.tables.writing import text_like, write_whole

ROOT = Path(__file__).parents[2]
SCORES = pd.DataFrame(
    {
        "unit": np.repeat(range(40), 3),
        "rater": [*"abc"] * 40,
        "value": np.random.default_rng(3).integers(1, 6, 120),
    }
)
CONTROLS = datasets.staged_values_controls()


def controls(texts: pd.DataFrame) -> ss.Ratings:
    return STUDIES["staged-values"].beside["controls"](as_table(texts, "controls.csv"))


def test_controls_without_a_neutral_text_give_no_zero() -> None:
    leaning = StudyOptions(controls=controls(CONTROLS[CONTROLS["text"] != "balanced"]))
    assert with_controls(leaning, PAPER).zero is None
    assert (
        no_zero(leaning)
        == "none of 2 control texts ('left' and 'right') is called balanced... or neutral..."
    )
    with_neutral = replace(leaning, controls=controls(CONTROLS))
    assert with_controls(with_neutral, PAPER).zero is not None
    spec = tomllib.loads((ROOT / "examples/design/staged_values.toml").read_text())
    assert any(NEUTRAL.match(control["control"]) for control in spec["controls"])


def test_control_texts_of_other_judges_are_named_with_their_file() -> None:
    other = CONTROLS.assign(judge=CONTROLS["judge"].str.upper())
    zero = judge_zeros(controls(other))
    first = CONTROLS["judge"].iloc[0]
    with pytest.raises(InputError) as caught:
        zero_of(zero, [first])
    said = str(caught.value)
    assert said.startswith(
        f"controls.csv: no control text was scored by '{first}' (judges of the answers: '{first}')"
    )
    assert f"Did you mean '{first.upper()}'? Let the same judges score" in said
    with pytest.raises(InputError, match=r"^controls\.csv: the score 99\.00 of trait 'openness'"):
        judge_zeros(controls(CONTROLS.assign(openness=99)))


@pytest.mark.parametrize(
    ("study", "setting", "design"),
    [
        ("norm-goal", "reference", "norm-goal"),
        ("staged-values", "reference", "staged-values"),
        ("relationship-bias", "first", "relationship-bias"),
        ("compare", "reference", "compare"),
        ("compare", "group", "compare"),
        ("role-conflict", "group", "role-conflict"),
    ],
)
def test_settings_that_name_a_level_are_checked(study: str, setting: str, design: str) -> None:
    with pytest.raises(InputError, match=rf"^{setting}='zz' is no .*There (are '|is '|are none)"):
        run_study(STUDIES[study], EXAMPLES[design](False), replace(FAST, **{setting: "zz"}))


def test_a_model_with_no_factor_has_a_row_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("model,size,family\nm1,small,a\nm2,,\nm3,large,b\n")
    wanted = {"size": {"m1": "small", "m3": "large"}, "family": {"m1": "a", "m3": "b"}}
    assert ss.factors_of_models(read_table(tmp_path / "m.csv"), ["m1", "m2", "m3"]) == wanted
    frame = {
        "model": ["m1", "m2", "m3"],
        "size": ["small", None, "large"],
        "family": ["a", float("nan"), "b"],
    }
    assert ss.factors_of_models(frame, ["m1", "m2", "m3"]) == wanted
    with pytest.raises(InputError, match="no row of 'm4'"):
        ss.factors_of_models(frame, ["m4"])


@pytest.mark.parametrize("words", [["--help"], ["-h"], []])
def test_estimate_lists_its_metrics(words: list[str], capsys) -> None:
    if words:
        with pytest.raises(SystemExit) as left:
            main(["estimate", *words])
        assert left.value.code == 0
    else:
        assert main(["estimate"]) == 0
    assert "\n  bradley_terry " in capsys.readouterr().out
    with pytest.raises(SystemExit) as left:
        main(["estimate", "sensitivity", "--help"])
    assert left.value.code == 0


def test_a_single_name_stands_for_a_list_of_names() -> None:
    made = {
        m: ss.mean_ratings({"unit": [1, 2, 3], "rater": ["r"] * 3, "value": x}, levels=[1, 2, 3])
        for m, x in {"m1": [1, 2, 3], "m2": [2, 3, 3]}.items()
    }
    assert ss.over_models(made, "all units").rows == ss.over_models(made, ["all units"]).rows
    for wrong in (list(made.values()), {"m1": 3}):
        for function in (ss.compare_models, lambda results: ss.over_models(results, ["all units"])):
            with pytest.raises(
                InputError, match=r"takes one result a model under.*this is a (list|dict)"
            ):
                function(wrong)
    cited = pd.DataFrame({"unit": [1, 2, 3], "cites": ["care", "care", "care"]})
    counted = ss.label_counts(cited, labels="cites", unit="unit", levels="care")
    assert counted.row("care").estimate == 3
    with pytest.raises(InputError, match=r"'care' cited, and not among levels=\['care,duty'\]"):
        ss.label_counts(cited, labels="cites", unit="unit", levels="care,duty")
    one = ss.krippendorff_alpha(SCORES, scale="ordinal", raters=["a", "b"])
    assert one.counts["raters"] == 2
    with pytest.raises(InputError, match="no rater 'ab'"):
        ss.krippendorff_alpha(SCORES, scale="ordinal", raters="ab")


def test_a_folder_that_is_not_there_is_named_by_the_file_asked_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"em.csv: .*folder"):
        write_whole(tmp_path / "nodir" / "em.csv", b"", text_like("a text"))


def test_couples_need_two_groups_that_are_spelled_apart() -> None:
    spec = tomllib.loads((ROOT / "examples/design/who_is_right.toml").read_text())
    alike = [name | {"group": "woman"} for name in spec["names"]]
    said = design_items("who-is-right", spec | {"names": alike}).sentences()
    assert (
        said[-1]
        == "precision: no item tells the bias B between two groups: all names are of one group"
    )
    twice = [name | {"group": ("woman", "Woman")[k % 2]} for k, name in enumerate(spec["names"])]
    with pytest.raises(InputError, match="spelled in two ways: 'Woman' = 'woman'"):
        design_items("who-is-right", spec | {"names": twice})


def test_a_key_in_another_unicode_form_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"'Zoë' \(U\+00EB\) is spelled .*U\+0308.*\) in the other table"
    ):
        ss.join(
            {"rater": ["Zo\u00eb", "Bo"]}, {"rater": ["Zoe\u0308", "Bo"], "age": [1, 2]}, "rater"
        )


@pytest.mark.slow
def test_a_model_without_strengths_leaves_the_page_of_all_whole() -> None:
    parts = [choices(seed=5).assign(model="mixed"), choices(seed=6).assign(model="other")]
    more = parts[0]["urgency_a"] - parts[0]["urgency_b"]
    follower = parts[0].assign(model="follower")
    follower["winner"] = follower["item_a"].where(
        more > 0, follower["item_b"].where(more < 0, follower["winner"])
    )
    design = ss.Comparisons.from_frame(pd.concat([*parts, follower]), cluster="story", by="model")
    outcome = run_study(STUDIES["role-conflict"], design, FAST)
    blocks = {block.id: block for block in outcome.blocks}
    assert "follower" in {row[0] for row in blocks["models"].tables[0].cells}  # S exists
    said = blocks["levels-strengths"].sentences[-1]
    assert said.startswith("The strengths of follower are undefined: no finite estimate exists")
    (note,) = (row[-1] for row in outcome.data[0].cells if row[0] == "follower")
    assert "no strengths: no finite estimate exists" in note
    alone = ss.Comparisons.from_frame(
        pd.concat([follower, follower.assign(model="twin")]), by="model"
    )
    assert run_study(STUDIES["role-conflict"], alone, FAST).blocks[0].id == "models"
    with pytest.raises(MleDoesNotExist, match=r"^follower: "):
        run_study(STUDIES["compare"], never_lost(), FAST)


def never_lost() -> ss.Comparisons:
    """Choices of two models, both of which always choose x."""
    rows = {"item_a": ["x", "y"] * 2, "item_b": ["y", "z"] * 2, "winner": ["x", "y"] * 2}
    return ss.Comparisons.from_frame(rows | {"model": ["follower"] * 2 + ["twin"] * 2}, by="model")


def test_a_model_without_answers_leaves_the_page_of_all_whole() -> None:
    frame = datasets.relationship_bias()
    frame = frame[frame["name_first"].str.endswith(("01", "02"))]
    some = frame[frame["scenario"].isin(frame["scenario"].unique()[:5])]
    parts = [some.assign(model=f"m{k}") for k in range(4)] + [
        some.assign(model="none", answer=None)
    ]  # brief pages
    read = STUDIES["relationship-bias"].read
    assert read is not None
    outcome = run_study(
        STUDIES["relationship-bias"], read(as_table(pd.concat(parts)), by="model"), FAST
    )
    assert outcome.answer[-1].startswith("The result of none is undefined: ")
    (block,) = (block for block in outcome.blocks if block.id == "models")
    *_, last = block.tables[0].cells
    assert last[0] == "none"
    assert "was answered" in str(last[-1])


def refusing() -> pd.DataFrame:
    """Choices of three models: one answers, one refuses two and is unreadable once, one refuses all."""
    first = choices(items=5, seed=5).assign(answer_status="ok", reply_status="ok")
    second, third = (
        choices(items=5, seed=6).assign(answer_status="ok", reply_status="ok"),
        first.copy(),
    )
    second.loc[second.index[:3], "answer_status"] = ["refusal", "unparsed", "unparsed"]
    second.loc[second.index[1], "reply_status"] = "blocked"
    second.loc[second.index[:3], "winner"] = ""
    third = third.assign(winner="", answer_status="refusal")
    return pd.concat(
        [first.assign(model="m1"), second.assign(model="m2"), third.assign(model="refuser")]
    )


def test_refusals_of_collected_comparisons_are_counted_and_bounded() -> None:
    frame = refusing()
    n = len(frame) // 3
    design = ss.Comparisons.from_frame(frame, by="model", cluster="story")
    assert design.by.levels == ("m1", "m2")
    assert (design.refused.n_rows, design.unread.n_rows) == (n + 2, 1)
    assert [(step.label, step.rows) for step in design.flow[1:-1]] == [
        ("blocked by a filter of the provider", 1),
        ("refused", n + 1),
        ("status 'unparsed'", 1),
    ]
    assert list(design.silent()) == ["refuser"]
    shares = ss.reply_shares(replies_of(design), source="rater")
    wanted = {"usable": n - 3, "refused": 2, "missing or unreadable": 1, "refused at most": 3}
    for kind, count in wanted.items():
        assert shares.row(kind, group="m2").estimate == pytest.approx(count / n)
        assert shares.row(kind, group="refuser").estimate == (
            kind in ("refused", "refused at most")
        )
    assert shares.verify().ok
    renamed = frame.rename(columns={"answer_status": "said"}).drop(columns="reply_status")
    other = ss.Comparisons.from_frame(renamed, by="model", cluster="story", status="said")
    assert (other.refused.n_rows, other.unread.n_rows) == (n + 1, 2)
    dropped = ss.Comparisons.from_frame(renamed.drop(columns="said"), by="model", missing="drop")
    assert list(dropped.silent()) == ["refuser"]
    with pytest.raises(InputError, match="the value is missing"):
        ss.Comparisons.from_frame(frame.assign(answer_status="ok"), by="model")


def test_refusals_by_model_and_prompt_are_in_the_flow_of_a_page() -> None:
    """Of 4 replies each to prompt 2, the first model refused one, the second did not answer two; people answered."""
    people = pd.DataFrame(
        [(u, f"h{k}", "human", str(k % 2), None) for u in "abcd" for k in range(3)]
    )
    models = pd.DataFrame(
        [(u, m, "model", "1", p) for p in ("p1", "p2") for m in ("m1", "m2") for u in "abcd"]
    )
    rows = pd.concat([people, models], ignore_index=True)
    rows.columns = pd.Index(["unit", "rater", "source", "value", "prompt"])
    second = rows["prompt"] == "p2"
    rows.loc[second & (rows["rater"] == "m1") & (rows["unit"] == "a"), "value"] = "no"
    rows.loc[second & (rows["rater"] == "m2") & rows["unit"].isin(["a", "b"]), "value"] = None
    design = ss.Ratings.from_frame(
        rows,
        by="prompt",
        shared="people",
        rater_source="source",
        refusal="no",
        levels=["0", "1"],
        scale="ordinal",
    )
    block = replies_by(design, 0.95)
    assert block is not None
    (lost,) = block.results
    at = {
        group: (
            lost.row("refused", group=group).estimate,
            lost.row("refused at most", group=group).estimate,
        )
        for group in ("m1, p1", "m1, p2", "m2, p2", "m2", "all sources, p2", "all sources")
    }
    assert at == {
        "m1, p1": (0, 0),
        "m1, p2": (0.25, 0.25),
        "m2, p2": (0, 0.5),
        "m2": (0, 0.25),
        "all sources, p2": (0.125, 0.375),
        "all sources": (1 / 16, 3 / 16),
    }
    assert lost.verify().ok
    alone = design.of_raters(["m1"])
    block = replies_by(alone, 0.95)
    assert block is not None
    assert block.results[0].row("refused", group="p2").estimate == 0.25


@pytest.mark.slow
def test_a_model_that_refuses_everything_is_on_the_page() -> None:
    outcome = run_study(
        STUDIES["role-conflict"], ss.Comparisons.from_frame(refusing(), by="model"), FAST
    )
    n = len(refusing()) // 3
    assert (
        f"The result of refuser is undefined: none of its {n} replies is a choice "
        f"({n} refused, 0 missing or unreadable)."
    ) in outcome.answer
    blocks = {block.id: block for block in outcome.blocks}
    assert blocks["models"].tables[0].cells[-1][0] == "refuser"
    assert "refuser" in blocks["replies"].sentences[0]
    assert outcome.data[0].cells[-1][:2] == ("refuser", 0)
    alone = refusing().query("model != 'm2'")
    outcome = run_study(
        STUDIES["role-conflict"], ss.Comparisons.from_frame(alone, by="model"), FAST
    )
    assert any(
        said.startswith("The result of refuser is undefined: none of its")
        for said in outcome.answer
    )


def test_couples_have_statuses(tmp_path: Path) -> None:
    frame = datasets.relationship_bias().iloc[:8].assign(answer_status="ok", reply_status="ok")
    frame.loc[frame.index[:3], "answer_status"] = ["refusal", "missing", "ok"]
    frame.loc[frame.index[2], "reply_status"] = "blocked"
    frame.loc[frame.index[:3], "answer"] = None
    design = couples_design(frame)
    assert sorted(design.status.tolist()) == [0] * 5 + [1, 2, 2]
    assert ("blocked by a filter of the provider", 1) in {
        (step.label, step.rows) for step in design.flow
    }
    frame.rename(columns={"answer_status": "said"}).to_csv(tmp_path / "t.csv", index=False)
    read = read_shape(
        STUDIES["relationship-bias"], read_table(tmp_path / "t.csv"), {"map": ["status=said"]}
    )
    assert sorted(read.status.tolist()) == [0] * 5 + [1, 2, 2]


def test_shares_that_are_the_same_in_every_cluster_have_no_rounding_in_their_df() -> None:
    """One of three is refused in every row and column: V1 and V2 are rounding, and their ratio says nothing."""
    cells = [(a, b, k) for a in range(3) for b in range(12) for k in range(3)]
    values = np.array([float(k == 0) for *_, k in cells])
    factors = [np.array([cell[place] for cell in cells]) for place in (0, 1)]
    assert clustered_share(values, np.ones(len(cells)), factors).df == 2.0


def test_norm_goal_without_people_compares_the_pressures_alone(tmp_path: Path, capsys) -> None:
    frame = datasets.norm_goal()
    frame = frame[
        (frame["source"] != "human") & frame["scenario"].isin(frame["scenario"].unique()[:8])
    ]
    design = ss.Ratings.from_frame(
        frame, unit="scenario", rater="rater", value="action", by="pressure", scale="nominal"
    )
    assert pick(STUDIES, "norm-goal", design).name == "compare-ratings"
    assert pick(STUDIES, None, design).name != "norm-goal"
    with pytest.raises(InputError, match="which raters are people is undeclared"):
        pick(STUDIES, "norm-goal", replace(design, by=None))
    frame.to_csv(tmp_path / "t.csv", index=False)
    words = [
        "--map",
        "unit=scenario",
        "--map",
        "value=action",
        "--by",
        "pressure",
        "--scale",
        "nominal",
    ]
    assert main(["check", str(tmp_path / "t.csv"), "--study", "norm-goal", *words]) == 0
    assert "study norm-goal cannot be run (" in capsys.readouterr().out
