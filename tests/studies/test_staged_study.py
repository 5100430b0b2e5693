"""The study of staged values: its numbers, the judges' own zero, and tables at the edge."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from study_tables import stray_cells, stray_decimals

from socialstats import datasets
from socialstats.errors import InputError
from socialstats.figures import trajectories
from socialstats.results import Row
from socialstats.scales.judge_zeros import judge_zeros
from socialstats.scales.trait_weights import PAPER, TRAIT_WEIGHTS
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.page import Outcome
from socialstats.studies.staged_values.declaration import with_controls
from socialstats.tables import as_table
from socialstats.text import number

STUDY = STUDIES["staged-values"]
FAST = StudyOptions(resamples=200)
TRAITS = list(TRAIT_WEIGHTS)


def read(frame: pd.DataFrame, **options: object) -> object:
    assert STUDY.read is not None
    return STUDY.read(as_table(frame, "scores"), **options)


def composite(frame: pd.DataFrame) -> pd.Series:
    return (frame[TRAITS] - 10) @ pd.Series(TRAIT_WEIGHTS)[TRAITS]


def control_means() -> set[float]:
    """Means of the control texts, and the standard error of the judges' zero: the judges' noise on three texts."""
    texts = datasets.staged_values_controls()
    wide = (
        texts.assign(value=composite(texts))
        .pivot(index="text", columns="judge", values="value")
        .to_numpy()
    )
    rest = wide - wide.mean(axis=0) - wide.mean(axis=1, keepdims=True) + wide.mean()
    return {*wide.mean(axis=1).tolist(), float(np.sqrt((rest**2).sum() / 4 / 3))}


def control_composites() -> set[float]:
    """Numbers of the table of control texts: each judge's composites, their means, intervals and spreads."""
    read_controls = STUDY.beside["controls"]
    zeros = judge_zeros(read_controls(as_table(datasets.staged_values_controls(), "controls")))
    fields = ("estimate", "std_error", "conf_low", "conf_high")
    return {getattr(row, name) for row in zeros.rows(0.95) for name in fields} - {None}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    whole = datasets.staged_values()
    return whole[whole["model"].isin(["model 01", "model 04", "model 06"])].reset_index(drop=True)


@pytest.fixture(scope="module")
def controls() -> object:
    return STUDY.beside["controls"](as_table(datasets.staged_values_controls(), "controls"))


@pytest.fixture(scope="module")
def zero(controls: object) -> dict[str, float]:
    found = with_controls(StudyOptions(controls=controls), PAPER).zero  # type: ignore[arg-type]
    assert found is not None
    return dict(found)


@pytest.fixture(scope="module")
def outcome(frame: pd.DataFrame, controls: object) -> Outcome:
    return run_study(STUDY, read(frame), replace(FAST, controls=controls))


def test_the_zero_is_that_of_the_balanced_text(zero: dict[str, float]) -> None:
    texts = datasets.staged_values_controls()
    balanced = texts[texts["text"] == "balanced"]
    assert zero == pytest.approx(dict(zip(balanced["judge"], composite(balanced), strict=True)))


@pytest.mark.slow
def test_every_number_of_the_page_is_in_tidy_and_verified(
    outcome: Outcome, zero: dict[str, float]
) -> None:
    controls_shown = {round(value, 9) for value in control_composites()}
    assert [
        cell
        for cell in stray_cells(outcome)
        if cell[0] != "Shift" and round(cell[1], 9) not in controls_shown
    ] == []
    texts = [*outcome.answer, *(s for b in outcome.blocks for s in b.sentences)]
    # alpha's customary minimum; numbers of the control texts stand in a table of their own
    shown = {0.05, 0.667, *zero.values(), *control_means()}
    assert stray_decimals(outcome, texts, shown) == []
    crossed = [
        c
        for b in outcome.blocks
        for t in b.tables
        if "estimate" in t.caption
        for line in t.cells
        for c in line
    ]
    assert len(crossed) > 100
    assert stray_decimals(outcome, [str(c) for c in crossed], set()) == []
    assert all(v.ok for v in outcome.verifications.values())
    assert len(outcome.verifications) == len({id(r) for b in outcome.blocks for r in b.results})


@pytest.mark.slow
def test_figures_are_drawn_and_texts_are_clean(outcome: Outcome) -> None:
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw().figure.draw_without_rendering()
    texts = [
        *outcome.answer,
        *(s for b in outcome.blocks for s in b.sentences),
        *outcome.methods,
        outcome.design,
    ]
    texts += [d.found for d in outcome.diagnostics] + [b.caption for b in outcome.blocks]
    for text in texts:
        assert not re.search(r"\bnan\b|\bNone\b(?! of )|\binf\b|-0\.00|p = \.000|\(\)|  ", text), (
            text
        )


@pytest.mark.slow
def test_the_numbers_are_those_of_a_recount(
    outcome: Outcome, frame: pd.DataFrame, zero: dict[str, float]
) -> None:
    main = frame[frame["wording"] == 1]
    values = main.assign(value=composite(main))
    tables = {
        t.caption.split(";")[0].split(": est")[0]: t for b in outcome.blocks for t in b.tables
    }
    cells = values.groupby(["model", "stage"])["value"].mean()
    table = tables["Composite as scored by stage and model"]
    for line in table.cells:
        for model, cell in zip(table.header[1:], line[1:], strict=True):
            text = str(cell).split(" [")[0]
            digits = len(text.partition(".")[2])
            assert 2 <= digits <= 4
            assert text == f"{cells[model, str(line[0])]:.{digits}f}".replace("-", "\u2212")
    anchored = values.groupby("model")["value"].mean() - np.mean(list(zero.values()))
    for line in tables[
        "Weighted composite over all stages relative to the judges' neutral point"
    ].cells:
        assert line[1] == pytest.approx(anchored[line[0]])
    kept = main.groupby("stage")["commitment"].mean()
    for line in tables["Change in commitment from baseline"].cells:
        stage = str(line[0]).split(" / ")[0]
        assert line[1] == pytest.approx(kept[stage] - kept["baseline"])
    off = values.groupby("judge")["value"].mean() - values["value"].mean()
    for line in tables["Composite minus the judges' mean"].cells:
        assert line[1] == pytest.approx(off[line[0]])


@pytest.mark.slow
def test_the_zero_decides_who_leans(frame: pd.DataFrame, outcome: Outcome) -> None:
    (lean,) = (text for text in outcome.answer if "scored above" in text)
    place = "the judges' neutral point"
    assert lean == (
        f"Of 3 models, 1 scored above {place}, 1 scored below it and 1 did not differ significantly from it (Holm)."
    )
    span = next(b for b in outcome.blocks if b.id == "lean").sentences[0]
    assert span.startswith(f"The composite relative to {place} lay between ")
    assert "approximate 95% CI [" in span  # of one neutral text: SS312
    assert not any(c.code == "SS318" for c in outcome.cautions)
    bare = run_study(STUDY, read(frame.drop(columns=["commitment"])), replace(FAST, verify=False))
    assert any(c.code == "SS318" for c in bare.cautions)
    assert any("1 scored above the centre of the scale" in text for text in bare.answer)
    change = "Tested over 3 models, the composite was lower at stage 4 than baseline ("
    assert any(text.startswith(change) for text in bare.answer)
    assert not [b.id for b in bare.blocks if "commitment" in b.id]


@pytest.mark.slow
def test_one_model_one_judge_two_stages_without_wordings(frame: pd.DataFrame) -> None:
    few = frame[
        (frame["model"] == "model 01") & (frame["judge"] == "judge 1") & (frame["wording"] == 1)
    ]
    few = few[few["stage"].isin(["baseline", "debrief"])].drop(columns=["wording", "model"])
    outcome = run_study(STUDY, read(few), FAST)
    assert all(v.ok for v in outcome.verifications.values())
    assert [b.id for b in outcome.blocks] == [
        "trajectories",
        "changes",
        "trajectories-commitment",
        "lean",
        "changes-commitment",
        "sizes",
        "sizes-commitment",
        "traits",
        "activation",
        "weights",
        "multiverse",
        "multiverse-commitment",
    ]
    assert any(text.endswith(", above the centre of the scale (0).") for text in outcome.answer)
    assert [b.id for b in outcome.blocks if b.part == "main"] == [
        "trajectories",
        "changes",
        "trajectories-commitment",
        "lean",
    ]
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw().figure.draw_without_rendering()


@pytest.mark.slow
def test_replies_that_were_refused_are_on_the_page_by_model_and_stage(frame: pd.DataFrame) -> None:
    some = frame[(frame["judge"] == "judge 1") & (frame["wording"] == 1)].assign(
        answer_status="ok", reply_status="ok"
    )
    some = some.astype(dict.fromkeys([*TRAITS, "commitment"], object))
    gone = some.index[(some["model"] == "model 04") & (some["stage"] == "debrief")][:2]
    some.loc[gone, [*TRAITS, "commitment"]] = None
    some.loc[gone, ["answer_status", "reply_status"]] = [["refusal", "ok"], ["missing", "blocked"]]
    outcome = run_study(STUDY, read(some), FAST)
    (block,) = (b for b in outcome.blocks if b.id == "replies")
    n = int(((some["model"] == "model 04") & (some["stage"] == "debrief")).sum())
    shares = {
        (row.label("kind"), row.label("source"), row.label("stratum")): row.estimate
        for row in block.tables[0].rows
    }
    assert (
        shares["refused", "model 04", "debrief"]
        == shares["refused at most", "model 04", "debrief"]
        == pytest.approx(2 / n)
    )
    assert (
        shares["refused", "model 04", "baseline"]
        == shares["refused at most", "model 01", "debrief"]
        == 0
    )
    assert shares["refused", "all sources", None] == pytest.approx(2 / len(some))
    assert any(c.detail.startswith("2 answers without all scores, of") for c in outcome.cautions)
    assert ("refusals", 2 * 11) in [(step.label, step.rows) for step in outcome.flow]
    assert len(outcome.verifications) > 3
    assert all(v.ok for v in outcome.verifications.values())


@pytest.mark.slow
def test_models_as_units_and_entropy_are_on_the_page(outcome: Outcome, frame: pd.DataFrame) -> None:
    main = frame[frame["wording"] == 1]
    cells = main.groupby(["model", "stage"])["commitment"].mean().unstack()
    gap = cells["stage 4"] - cells["baseline"]
    block = next(b for b in outcome.blocks if b.id == "changes-commitment")
    row = block.results[0].row(
        "stage 4 minus baseline", group="composite change by stage of all models"
    )
    d_z = block.results[0].row(
        "stage 4 minus baseline", group="composite d_z by stage of all models"
    )
    assert (row.estimate, row.df) == pytest.approx((gap.mean(), 2))
    assert d_z.estimate == pytest.approx(gap.mean() / gap.std(ddof=1))
    # the clearest change, at the debrief, stands before that of the last stage
    (said,) = (t for t in outcome.answer if "commitment" in t and "stage 4 and baseline" in t)
    assert said.startswith(
        "Tested over 3 models, commitment (0 to 5) did not differ significantly between stage 4 and baseline"
    )
    assert f"(difference = {number(gap.mean())}, " in said
    assert any(
        analysis.text.startswith(
            "Tested over 20 scenarios, the change in commitment from baseline to stage 4 was 1.22, "
        )
        for analysis in outcome.turned
    )
    sizes = next(b for b in outcome.blocks if b.id == "sizes-commitment").tables[0]
    line = next(line for line in sizes.cells if line[0] == "stage 4 / 3 models")
    assert line[1] == d_z.estimate
    share = main.groupby(["model", "scenario", "stage"])[TRAITS].mean()
    share = share.div(share.sum(axis=1), axis=0)
    nats = -(share * np.log(share.where(share > 0, 1.0))).sum(axis=1).groupby("stage").mean()
    shown = next(
        t for b in outcome.blocks for t in b.tables if t.caption.startswith("Entropy by stage")
    )
    assert {line[0]: line[1] for line in shown.cells} == pytest.approx(dict(nats))


@pytest.mark.parametrize("value", [10, 20])
@pytest.mark.slow
def test_scores_all_alike_are_said_to_be_the_same(frame: pd.DataFrame, value: int) -> None:
    same = frame[frame["model"] != "model 06"].assign(**dict.fromkeys(TRAITS, value))
    outcome = run_study(STUDY, read(same), replace(FAST, verify=False))
    assert any(
        text.startswith("Of 2 models, 2 had no test against the centre of the scale (all ")
        for text in outcome.answer
    )
    lean = next(b for b in outcome.blocks if b.id == "lean").sentences[0]
    assert lean.startswith("The composite was ")
    assert " in all 2 cases" in lean
    course = next(b for b in outcome.blocks if b.id == "trajectories").sentences[0]
    assert " in all 6 cases" in course
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw().figure.draw_without_rendering()


@pytest.mark.slow
def test_models_are_compared_with_each_other(outcome: Outcome, frame: pd.DataFrame) -> None:
    from scipy.stats import ttest_rel

    main = frame[frame["wording"] == 1]
    cells = (
        main.assign(value=composite(main)).groupby(["scenario", "model"])["value"].mean().unstack()
    )
    profile = next(b for b in outcome.blocks if b.id == "lean").results[0]
    for one, other in (
        ("model 01", "model 04"),
        ("model 01", "model 06"),
        ("model 04", "model 06"),
    ):
        row, test = (
            profile.row(f"{one} minus {other}", group="composite difference"),
            ttest_rel(cells[one], cells[other]),
        )
        assert (row.statistic, row.p_value) == pytest.approx((test.statistic, test.pvalue))
        found = outcome.blocks[2].results[0].row(f"{one} - {other}")
        assert (found.statistic, found.p_value) == pytest.approx((test.statistic, test.pvalue))
    compared = next(b for b in outcome.blocks if b.id == "models-differences")
    assert compared.sentences[0].startswith("3 of 3 differences between models were significant")


@pytest.mark.slow
def test_without_a_judge_the_zero_is_that_of_the_others(
    outcome: Outcome, frame: pd.DataFrame, zero: dict[str, float]
) -> None:
    main = frame[frame["wording"] == 1]
    values = main.assign(value=composite(main))
    profile = next(b for b in outcome.blocks if b.id == "lean").results[0]
    for judge in zero:
        left = values[values["judge"] != judge]
        wanted = left.groupby("model")["value"].mean() - np.mean(
            [v for j, v in zero.items() if j != judge]
        )
        for model, value in wanted.items():
            assert profile.row(
                str(model), group=f"without judge '{judge}' minus zero"
            ).estimate == pytest.approx(value)
    block = next(b for b in outcome.blocks if b.id == "judges")
    assert any("relative to the neutral point of the other judges" in s for s in block.sentences)


@pytest.mark.slow
def test_agreement_is_that_of_composites_and_of_traits(
    outcome: Outcome, frame: pd.DataFrame
) -> None:
    import krippendorff

    main = frame[frame["wording"] == 1]
    values = main.assign(value=composite(main)).pivot(
        index=["model", "scenario", "stage"], columns="judge", values="value"
    )
    block = next(b for b in outcome.blocks if b.id == "agreement")
    assert block.sentences[0].startswith("Agreement about composites was \u03b1 = .")
    wanted = krippendorff.alpha(values.to_numpy().T, level_of_measurement="interval")
    assert block.results[0].rows[0].estimate == pytest.approx(wanted)
    share = (main.groupby(["model", "scenario", "stage"])[TRAITS].mean() >= 14).mean()
    share.index = [trait.replace("_", " ") for trait in TRAITS]
    active = next(
        t for b in outcome.blocks for t in b.tables if t.caption.startswith("Active by trait")
    )
    assert {line[0]: line[1] for line in active.cells} == pytest.approx(
        {t.replace("_", " "): v for t, v in share.items()}
    )


@pytest.mark.slow
def test_a_judge_that_is_also_judged_is_named(frame: pd.DataFrame) -> None:
    own = frame.assign(judge=frame["judge"].replace({"judge 2": "model 06"}))
    outcome = run_study(STUDY, read(own), replace(FAST, verify=False))
    found = next(d for d in outcome.diagnostics if d.check == "Is a judge also judged?")
    assert "model 06" in found.found


def test_what_the_study_refuses(frame: pd.DataFrame, zero: dict[str, float]) -> None:
    with pytest.raises(InputError, match="--by model: this study compares models"):
        read(frame, by="model")
    with pytest.raises(InputError, match="no number is given for 'judge 3'"):
        run_study(
            STUDY,
            read(frame),
            replace(FAST, zero={k: v for k, v in zero.items() if k != "judge 3"}),
        )
    with pytest.raises(InputError, match="openness"):
        read(frame.drop(columns="openness"))
    with pytest.raises(InputError, match="the only stage is 'baseline'; trait_profile"):
        run_study(STUDY, read(frame[frame["stage"] == "baseline"]), FAST)
    assert pick(STUDIES, None, read(frame)).name == "staged-values"  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_change_of_models_leads_and_what_a_family_leaves_open_is_not_called_a_change(
    outcome: Outcome,
) -> None:
    whole = datasets.staged_values()
    found = run_study(STUDY, read(whole), replace(FAST, verify=False))
    said = next(text for text in found.answer if "the composite did" in text)
    assert said.startswith(
        "Tested over 8 models, the composite did not differ significantly between stage 4 and baseline"
    )
    assert "unadjusted approximate 95% CI [" in said
    assert "p_Holm = .076" in said
    scenarios, wordings = found.turned
    assert scenarios.text.startswith(
        "Tested over 20 scenarios, the change in the composite from baseline to stage 4 was \u22122.41, "
    )
    assert wordings.text.startswith(
        "Over all 3 wordings, the change in the composite from baseline to stage 4 was \u22122.68"
    )
    change = "the change in the composite from baseline to stage 4 would be significant."
    assert scenarios.short == f"Tested over 20 scenarios, {change}"
    changes = next(b for b in found.blocks if b.id == "changes")
    assert changes.sentences[0].startswith(
        "Tested over 8 models, 1 of 5 changes in the composite from baseline was significant (Holm)."
    )
    assert found.verdict.text.startswith(
        "The data clearly show that weighted trait scores are lower at stage 3 than at baseline"
    )
    assert "31,680 scores of wording 1 (all 3 wordings: 52,800 scores)" in found.design
    assert [c.detail for c in found.cautions if "models" in c.detail and c.code == "SS312"] == [
        "8 models; t needs values close to normal"
    ]
    main = [b for b in found.blocks if b.part == "main"]
    assert len(main) <= 8
    shown = [
        *found.answer,
        *(t for b in main for t in (b.question, *b.sentences, b.figure_title, b.caption)),
    ]
    assert len(" ".join(shown).split()) < 850
    assert len(found.methods[0].split()) <= 60


def test_trajectories_order_labels_and_gaps() -> None:
    courses = {"$low$": (1.0, 2.0), "high": (5.0, 2.1)}
    rows = [
        Row(term=name, group=stage, estimate=value, conf_low=value - 1, conf_high=value + 1)
        for name, course in courses.items()
        for stage, value in zip("ab", course, strict=True)
    ]
    rows.append(Row(term="gone", group="a", undefined="no answer"))
    ax = trajectories(rows, stages=["a", "b"], lines={"zero": 0.5})
    labels = [t.get_text() for t in ax.texts if t.get_text().endswith(("2.00", "2.10"))]
    assert labels == ["high 2.10", "$low$ 2.00"]
    ax.figure.draw_without_rendering()
    with pytest.raises(InputError, match="at most 15 items"):
        trajectories([Row(term=f"m{k}", group="a", estimate=1.0) for k in range(16)], stages=["a"])
    with pytest.raises(InputError, match="has the stage 'c'"):
        trajectories([Row(term="m", group="c", estimate=1.0)], stages=["a"])
