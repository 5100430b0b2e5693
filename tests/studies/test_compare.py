"""Compare: models or prompts on the same pairs of items, paired."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.choices.conditions import condition_table, sensitivity_terms
from socialstats.errors import InputError, UndefinedStatistic
from socialstats.metrics import METRICS
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.compare.study import reference_of
from socialstats.studies.compare.study import run as compare_levels
from socialstats.studies.page import Block, Outcome
from socialstats.studies.plan import Hypothesis, examine, with_hypotheses
from socialstats.text import number

ROOT = Path(__file__).parents[2]
FAST = StudyOptions(resamples=200)
ITEMS = "abcdefgh"
LEAD = "Design effect of the clusters"
PLAIN, FOND = {"a": 0.5, "h": -0.5}, {"a": 0.5, "h": 2.5}


def chooser(step: float, strengths: dict[str, float], seed: int, model: str) -> pd.DataFrame:
    """Choices of a model that follows urgency by `step` log-odds and prefers items by `strengths`."""
    rng = np.random.default_rng(seed)
    rows = []
    for i, a in enumerate(ITEMS):
        for b in ITEMS[i + 1 :]:
            for ua in (1, 2, 3):
                for ub in (1, 2, 3):
                    for _ in range(3):
                        eta = step * (ua - ub) + strengths.get(a, 0.0) - strengths.get(b, 0.0)
                        won = a if rng.random() < 1 / (1 + np.exp(-eta)) else b
                        rows.append(
                            (
                                a,
                                b,
                                won,
                                ua,
                                ub,
                                "early" if a < "e" else "late",
                                "early" if b < "e" else "late",
                            )
                        )
    names = ["item_a", "item_b", "winner", "urgency_a", "urgency_b", "team_a", "team_b"]
    return pd.DataFrame(rows, columns=names).assign(model=model)


def design_of(*frames: pd.DataFrame, **reading: object) -> ss.Comparisons:
    return ss.Comparisons.from_frame(pd.concat(frames), by="model", **reading)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run_study(
        STUDIES["role-conflict"],
        design_of(
            chooser(0.4, PLAIN, 1, "default"),
            chooser(1.6, PLAIN, 2, "firm"),
            chooser(0.4, FOND, 3, "fond"),
        ),
        FAST,
    )


def block(outcome: Outcome, name: str) -> Block:
    return next(b for b in outcome.blocks if b.id == name)


def test_known_differences_are_found_with_their_direction(outcome: Outcome) -> None:
    assert outcome.answer[0] == block(outcome, "models").results[0].sentence()
    assert any(
        text.startswith("The corrected sensitivity S was lower for firm than default (")
        for text in outcome.answer
    )
    firm = next(
        r for r in block(outcome, "differences-strengths").results if "firm minus" in r.title
    ).row("urgency")
    assert firm.conf_low is not None
    assert firm.conf_high is not None
    assert firm.conf_low < 1.2 < firm.conf_high
    assert firm.conf_low > 0
    fond = next(
        r for r in block(outcome, "differences-strengths").results if "fond minus" in r.title
    )
    h = fond.row("h")
    assert h.estimate == max(r.estimate or 0 for r in fond.rows if r.group == "strength")
    assert (h.conf_low or 0) > 0
    assert fond.row("share of late").estimate > 0  # type: ignore[operator]


def test_all_blocks_are_there_drawn_and_verified(outcome: Outcome) -> None:
    ids = [b.id for b in outcome.blocks]
    assert ids == [
        "models",
        "models-differences",
        "levels-s",
        "differences-s",
        "levels-effects",
        "levels-shares",
        "differences-shares",
        "levels-strengths",
        "differences-strengths",
        "differences-entropy",
        "multiverse",
    ]
    assert all(b.draw is None or b.draw() for b in outcome.blocks)
    assert outcome.verifications
    assert all(v.ok for v in outcome.verifications.values())
    assert all(r.verify().ok for r in block(outcome, "differences-strengths").results)


def test_what_a_level_says_by_itself_has_its_interval(outcome: Outcome) -> None:
    shares = block(outcome, "levels-shares")
    assert len(shares.results) == 3
    table = shares.tables[0]
    for result, column in zip(shares.results, range(2, 5), strict=True):
        for row, cells in zip(result.rows, table.cells, strict=True):
            said = f"{row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}]".replace(
                "0.", "."
            )
            assert (row.term, row.group, said) == (cells[0], cells[1], cells[column])
    effects, ratios = block(outcome, "levels-effects").tables[:2]
    assert effects.caption.startswith("Effect of one step of urgency (log-odds)")
    assert ratios.caption.startswith("Effect in SDs of the strengths")
    for table_of_effects in (effects, ratios):
        ends = [table_of_effects.header.index(name) for name in ("Estimate", "Low", "High")]
        assert all(isinstance(line[k], float) for line in table_of_effects.cells for k in ends)
    strengths, worths = block(outcome, "levels-strengths").tables[:2]
    fit = next(r for r in block(outcome, "levels-shares").results).extras["fit"]
    first = strengths.cells[0]
    row = fit.row(str(first[0]), group="strength")
    assert first[1] == f"{row.estimate:.2f} [{row.conf_low:.2f}, {row.conf_high:.2f}]".replace(
        "-", "\u2212"
    )
    assert all("[" in str(cell) for cells in worths.cells for cell in cells[1:])


def test_every_level_is_checked_and_the_clusters_are_weighed_in_the_first_caption(
    outcome: Outcome,
) -> None:
    checks = [d.check for d in outcome.diagnostics]
    assert checks[0].startswith("Existence of finite strengths")
    assert len(set(checks)) == 3
    effects = []
    for frame in (
        chooser(0.4, PLAIN, 1, "default"),
        chooser(1.6, PLAIN, 2, "firm"),
        chooser(0.4, FOND, 3, "fond"),
    ):
        design = ss.Comparisons.from_frame(frame)
        pair, rows = (ss.bradley_terry(design, "~ urgency", cluster=by) for by in ("pair", None))
        errors = [[r.std_error for r in fit.rows[: len(ITEMS)]] for fit in (pair, rows)]
        effects.append(float(np.median(np.divide(*errors) ** 2)))
    said = f"(median over the strengths): {number(min(effects))} to {number(max(effects))}, level by level."
    assert f"{LEAD} {said}" in block(outcome, "levels-strengths").caption


def test_intervals_are_ordered_and_levels_are_adjusted_as_one_family(outcome: Outcome) -> None:
    for b in outcome.blocks:
        for result in b.results:
            for row in result.rows:
                if (
                    row.conf_low is not None
                    and row.conf_high is not None
                    and row.estimate is not None
                ):
                    assert row.conf_low <= row.estimate <= row.conf_high
    rows = block(outcome, "differences-s").results[-1].rows
    p = sorted(r.p_value for r in rows if r.p_value is not None)
    assert sorted(r.p_adjusted for r in rows if r.p_adjusted is not None) == pytest.approx(
        [min(1, 2 * p[0]), max(min(1, 2 * p[0]), p[1])]
    )


def test_differences_swap_sign_with_the_reference(outcome: Outcome) -> None:
    frames = [chooser(0.4, {}, 1, "one"), chooser(1.0, {}, 2, "two")]
    results = []
    for reference in ("one", "two"):
        found = run_study(
            STUDIES["compare"], design_of(*frames), replace(FAST, reference=reference, verify=False)
        )
        results.append(
            {(r.term, r.group): r for r in block(found, "differences-strengths").results[0].rows}
        )
    for key, row in results[0].items():
        other = results[1][key]
        assert row.estimate == pytest.approx(-(other.estimate or 0), abs=1e-9)
        assert row.conf_low == pytest.approx(-(other.conf_high or 0), abs=1e-9)
        assert row.p_value == pytest.approx(other.p_value, abs=1e-9)


def test_one_estimand_of_s_leads_and_subtracts() -> None:
    """Answer, figure, table and difference have the corrected S, as the caution recommends."""
    frames = [chooser(0.8, PLAIN, 1, "alpha"), chooser(1.4, PLAIN, 2, "beta")]
    found = run_study(STUDIES["compare"], design_of(*frames), replace(FAST, verify=False))
    own = {
        row.term: row.estimate
        for row in block(found, "models").results[0].rows
        if row.group == "number"
    }
    levels = block(found, "levels-s")
    assert {cells[0]: cells[1] for cells in levels.tables[0].cells} == own
    assert {r.row("S_corrected").estimate for r in levels.results} == set(own.values())
    gap = block(found, "differences-s").results[0].row("S_corrected", group="difference")
    high, low = (number(own[name], 2) for name in ("alpha", "beta"))
    said = number(-(gap.estimate or 0.0), 2)
    assert f"highest for alpha ({high}, " in found.answer[0]
    assert f"lowest for beta ({low}, " in found.answer[0]
    assert f"higher for alpha than beta (difference = {said}, " in found.answer[0]
    assert float(high) - float(low) == pytest.approx(float(said), abs=0.001)
    assert {row.estimate for row in found.blocks[0].drawn} == set(own.values())


def test_the_difference_of_s_is_the_difference_of_both_tables(outcome: Outcome) -> None:
    plain = {"a": 0.5, "h": -0.5}
    values = []
    for frame in (chooser(1.6, plain, 2, "firm"), chooser(0.4, plain, 1, "default")):
        design = ss.Comparisons.from_frame(frame)
        table = condition_table(design, "urgency", "opponent")
        sums = np.asarray(table.statistics.sum(axis=0)).reshape(1, -1)
        values.append(sensitivity_terms(sums, len(design.items))[0, 1])
    row = next(r for r in block(outcome, "differences-s").results if r.metric == "sensitivity").row(
        "S_corrected", group="difference"
    )
    assert row.estimate == pytest.approx(values[0] - values[1], abs=1e-9)


def test_reference_level() -> None:
    assert reference_of(("a", "Baseline", "default"), None) == "default"
    assert reference_of(("b", "a"), None) == "b"
    assert reference_of(("b", "a"), "a") == "a"
    with pytest.raises(InputError, match=r"reference='x' is no level\. There are 'b' and 'a'"):
        reference_of(("b", "a"), "x")


def test_without_urgency_strengths_and_entropy_are_compared() -> None:
    frames = [chooser(0.0, {"a": 2.0}, 1, "one"), chooser(0.0, {"h": 2.0}, 2, "two")]
    design = design_of(*(f.drop(columns=["urgency_a", "urgency_b"]) for f in frames))
    found = run_study(STUDIES["compare"], design, FAST)
    said = " ".join(found.answer)
    assert "of 8 differences in strength from one were significant (Holm)." in said
    assert "2 of 2 differences in preference shares from one were significant (Holm)." in said
    rows = next(
        r for r in block(found, "differences-strengths").results if "two minus" in r.title
    ).rows
    top = max((r for r in rows if r.group == "strength"), key=lambda r: abs(r.estimate or 0.0))
    name = f"'two: {top.term}'"
    assert f"difference was for {name}: {number(top.estimate, 2)}, 95% CI [" in said
    assert [b.id for b in found.blocks][-3:] == [
        "levels-strengths",
        "differences-strengths",
        "differences-entropy",
    ]
    assert found.verdict is not None
    assert found.verdict.text.startswith("The data show ")


def test_pairs_of_one_level_only_are_left_out_of_the_difference_with_a_caution() -> None:
    one, two = chooser(0.4, {}, 1, "one"), chooser(1.0, {}, 2, "two")
    found = run_study(
        STUDIES["compare"],
        design_of(one, two[~((two.item_a == "a") & (two.item_b == "b"))]),
        replace(FAST, verify=False),
    )
    made = block(found, "differences-strengths").results[0]
    assert made.counts["pairs"] == 27
    assert "SS301" in {c.code for c in found.cautions}


def test_levels_that_cannot_be_told_apart_read_as_one_number() -> None:
    """The same choices under two names: no name is changed, and no number runs from itself to itself."""
    same = chooser(0.8, PLAIN, 4, "m1")
    found = run_study(
        STUDIES["compare"], design_of(same, same.assign(model="m2")), replace(FAST, verify=False)
    )
    assert found.answer[0].startswith("The corrected sensitivity S was the same for all 2 models (")
    share = (
        same["winner"]
        == np.where(same["urgency_a"] > same["urgency_b"], same["item_a"], same["item_b"])
    )[same["urgency_a"] != same["urgency_b"]].mean()
    won = f"was {number(share, 3, bounded=True)} in all 2 cases."
    assert found.answer[1] == "Lower S is closer to following urgency alone."
    assert found.answer[2] == f"The share of choices won by the side with higher urgency {won}"
    said = [block(found, name).sentences[0] for name in ("levels-s", "levels-effects")]
    assert all(" in all 2 cases" in text and "lay between" not in text for text in said)


def test_a_hypothesis_is_about_a_difference_of_two_levels(outcome: Outcome) -> None:
    design = design_of(
        chooser(0.4, PLAIN, 1, "default"),
        chooser(1.6, PLAIN, 2, "firm"),
        chooser(0.4, FOND, 3, "fond"),
    )
    wanted = [
        Hypothesis(
            id="effect", metric="bradley_terry", terms=("urgency",), by="firm", minus="default"
        ),
        Hypothesis(id="item", metric="bradley_terry", terms=("h",), by="fond", minus="default"),
        Hypothesis(
            id="S",
            metric="sensitivity",
            terms=("S_corrected",),
            group="difference",
            by="firm",
            minus="default",
        ),
        Hypothesis(
            id="H",
            metric="choice_entropy",
            terms=("H",),
            group="difference",
            by="fond",
            minus="default",
        ),
        Hypothesis(id="which", metric="bradley_terry", terms=("urgency",)),
        Hypothesis(
            id="none", metric="bradley_terry", terms=("urgency",), by="default", minus="firm"
        ),
        Hypothesis(id="term", metric="bradley_terry", terms=("zeal",), by="firm", minus="default"),
    ]
    found = examine(outcome, wanted, design, FAST, METRICS)
    tests = {test.label: test for test in found.tests}
    models = {
        r.settings["labels"][0]: r for r in block(outcome, "differences-strengths").results[:2]
    }
    assert tests["effect"].row.estimate == models["firm"].row("urgency").estimate
    assert tests["item"].row.estimate == models["fond"].row("h").estimate
    assert (
        tests["S"].row.estimate
        == block(outcome, "differences-s")
        .results[0]
        .row("S_corrected", group="difference")
        .estimate
    )
    assert set(tests) == {"effect", "item", "S", "H"}
    assert found.problems["which"].startswith(
        "say which difference; this page has: by = 'firm', minus = 'default' and"
    )
    assert found.problems["none"].startswith("say which difference")
    assert "terms: 'urgency', 'a', 'b', " in found.problems["term"]
    done, _ = with_hypotheses(outcome, wanted, design, FAST, METRICS)
    cells = {cell[0]: cell[2] for cell in done.blocks[0].tables[0].cells}
    assert cells["effect"] == "bradley terry: urgency (effect), firm minus default"


def test_compare_needs_levels() -> None:
    design = ss.Comparisons.from_frame(chooser(0.4, {}, 1, "one"))
    with pytest.raises(InputError, match=r"needs|cannot be run"):
        pick(STUDIES, "compare", design)
    with pytest.raises(InputError, match="needs by="):
        STUDIES["compare"].run(design, FAST)


@pytest.mark.slow
def test_the_page_is_the_same_under_another_hash_seed(tmp_path: Path) -> None:
    pd.concat([chooser(0.4, {}, 1, "one"), chooser(1.0, {}, 2, "two")]).to_csv(
        tmp_path / "two.csv", index=False
    )
    pages = []
    for seed in ("0", "77"):
        page = tmp_path / "page.html"
        subprocess.run(
            [
                sys.executable,
                "-m",
                "socialstats",
                "report",
                "two.csv",
                "--by",
                "model",
                "--resamples",
                "200",
                "-q",
                "-o",
                "page.html",
            ],
            cwd=tmp_path,
            check=True,
            env=os.environ
            | {
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": os.pathsep.join(str(ROOT / p) for p in ("", "collect", "reports")),
            },
        )
        pages.append(page.read_bytes())
    assert pages[0] == pages[1]


def test_strengths_that_are_not_tested_are_said_to_be_so_with_the_reason() -> None:
    levels = [chooser(0.4, PLAIN, seed, name) for seed, name in ((1, "default"), (2, "firm"))]
    prior = run_study(STUDIES["role-conflict"], design_of(*levels), replace(FAST, prior=0.5))
    assert (
        block(prior, "differences-strengths").sentences[0]
        == "None of 8 differences in strength from default was significant (Holm)."
    )
    brief = compare_levels(
        design_of(*levels), replace(FAST, brief=True, verify=False)
    )  # as of many levels
    assert block(brief, "levels-strengths").sentences == (
        "Differences in strength were not tested (a page with many levels).",
    )


def test_without_tests_of_strengths_the_answer_has_the_shares_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    why = "the two fits have other clusters"

    def lost(*given: object, **options: object) -> None:
        raise UndefinedStatistic(why)

    monkeypatch.setattr(
        sys.modules["socialstats.studies.compare.study"], "bradley_terry_difference", lost
    )
    told = ((PLAIN, 1, "default"), (FOND, 2, "firm"))
    frames = [chooser(0.0, *one).drop(columns=["urgency_a", "urgency_b"]) for one in told]
    levels = [frame.assign(story=np.arange(len(frame))) for frame in frames]
    page = compare_levels(design_of(*levels, cluster="story"), FAST)
    assert (
        page.answer[0]
        == f"No difference in strength could be computed. For firm minus default: {why}."
    )
    assert page.answer[1] == block(page, "differences-items").sentences[0]
