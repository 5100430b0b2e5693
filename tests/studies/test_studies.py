"""Studies: what they answer, on data with known truth, on real data, and on tables at the edge."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from study_examples import choices

import socialstats as ss
from socialstats.errors import InputError
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.page import Outcome

ARENA = Path(__file__).parents[2].parent / "shared" / "data" / "arena" / "llmfao.csv"
FAST = StudyOptions(resamples=200)


@pytest.fixture(scope="module")
def role_conflict() -> Outcome:
    design = ss.Comparisons.from_frame(ss.datasets.role_conflict())
    return STUDIES["role-conflict"].run(design, replace(FAST, simulated="These data are simulated."))


def round_robin(items: list[str], repeats: int = 6) -> pd.DataFrame:
    rows = [
        {"item_a": a, "item_b": b, "winner": a if (i + j + k) % 3 else b}
        for k in range(repeats)
        for i, a in enumerate(items)
        for j, b in enumerate(items)
        if i != j
    ]
    return pd.DataFrame(rows)


@pytest.mark.slow
def test_role_conflict_answers_with_estimate_interval_and_reference_lines(role_conflict: Outcome) -> None:
    rate, s = role_conflict.answer[:2]
    assert rate.startswith(
        "Urgency influenced but did not determine choices: the role with the higher urgency won at a"
    )
    assert s == "Bias-corrected S was 41.19, 95% CI [39.28, 43.11], below coin flips (50)."
    kinds = [mark.kind for mark in role_conflict.strip.marks] if role_conflict.strip else []
    assert kinds.count("estimate") == 1
    assert kinds.count("reference") >= 4


def test_role_conflict_recovers_the_simulated_effects(role_conflict: Outcome) -> None:
    truth = ss.datasets.role_conflict_truth()
    fit = next(r for b in role_conflict.blocks for r in b.results if isinstance(r, ss.BradleyTerryResult))
    shrink = (1 + 0.346 * truth.pair_sd**2) ** -0.5  # marginal over the pair effect, logistic-normal approximation
    for term, true in (("urgency", truth.urgency), ("order", truth.order)):
        row = fit.row(term)
        assert row.estimate == pytest.approx(true * shrink, abs=3 * (row.std_error or 0))


@pytest.mark.slow
def test_role_conflict_page_has_every_part(role_conflict: Outcome) -> None:
    ids = [block.id for block in role_conflict.blocks]
    assert ids == [
        "sensitivity", "win-rates", "urgency-against-roles", "strengths", "shares", "shares-more", "values-domain",
        "matrix-domain", "entropy", "win-rates-roles", "effects", "clusters", "multiverse-s", "multiverse-urgency",
    ]  # fmt: skip
    main = [block.id for block in role_conflict.blocks if block.part == "main"]
    assert main == [*ids[:5], "values-domain"]
    codes = [c.code for c in role_conflict.cautions]
    assert {"SS107", "SS401"} <= set(codes)
    assert not {"SS304", "SS305"} & set(codes)  # stated in Methods: the page quotes the bias-corrected S
    assert len(codes) == len(set(codes))
    assert [c.severity for c in role_conflict.cautions] == sorted(
        (c.severity for c in role_conflict.cautions), key=["stop", "caution", "info"].index
    )
    assert role_conflict.verifications
    assert all(v.ok for v in role_conflict.verifications.values())


def test_every_number_of_a_sentence_is_printable(role_conflict: Outcome) -> None:
    texts = [*role_conflict.answer, *(s for b in role_conflict.blocks for s in b.sentences), *role_conflict.methods]
    texts += [d.found for d in role_conflict.diagnostics]
    for text in texts:
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|-0\.00|p = \.000", text), text


@pytest.mark.slow
def test_position_bias_is_cautioned_only_where_it_is_seen() -> None:
    frame = ss.datasets.role_conflict()
    fair = frame.assign(first=frame["role_a"])  # order now says nothing: sides are alphabetical
    outcome = STUDIES["role-conflict"].run(ss.Comparisons.from_frame(fair), replace(FAST, verify=False))
    effect = next(r for b in outcome.blocks for x in b.results for r in x.rows if r.group == "order")
    seen = any(c.code == "SS107" for c in outcome.cautions)
    assert seen == ((effect.p_value or 0) < 0.05)


def test_the_most_specific_study_is_picked_and_others_explain_themselves() -> None:
    plain = ss.Comparisons.from_frame(round_robin(["a", "b", "c"]))
    assert pick(STUDIES, None, plain).name == "comparisons"
    with pytest.raises(InputError, match="there are no columns urgency_a and urgency_b"):
        pick(STUDIES, "role-conflict", plain)
    with pytest.raises(InputError, match="no study 'x'; studies: role-conflict, comparisons"):
        pick(STUDIES, "x", plain)


@pytest.mark.parametrize("items", [["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d", "e"]])
def test_small_tables_have_a_page(items: list[str]) -> None:
    outcome = run_study(STUDIES["comparisons"], ss.Comparisons.from_frame(round_robin(items)), FAST)
    assert outcome.answer
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw()


@pytest.mark.parametrize("ties", ["davidson", "rao_kupper", "half"])
def test_tie_models(ties: str) -> None:
    frame = round_robin(["a", "b", "c", "d"])
    frame.loc[::4, "winner"] = "tie"
    outcome = run_study(STUDIES["comparisons"], ss.Comparisons.from_frame(frame), replace(FAST, ties=ties))  # type: ignore[arg-type]
    codes = {c.code for c in outcome.cautions}
    assert ("SS105" in codes) == (ties == "half")
    assert all(v.ok for v in outcome.verifications.values())


def test_an_unbeaten_item_has_a_page_with_a_penalty_that_says_so() -> None:
    frame = round_robin(["a", "b", "c"])
    frame.loc[(frame.item_a == "a") | (frame.item_b == "a"), "winner"] = "a"
    design = ss.Comparisons.from_frame(frame)
    with pytest.raises(ss.MleDoesNotExist, match="'a' never lost"):
        run_study(STUDIES["comparisons"], design, FAST)
    outcome = run_study(STUDIES["comparisons"], design, replace(FAST, penalty="firth"))
    assert "SS102" in {c.code for c in outcome.cautions}


def test_levels_of_a_by_factor_share_a_page_that_names_the_level_without_an_answer() -> None:
    frame = pd.concat([round_robin(["a", "b", "c"]).assign(model=m) for m in ("m1", "m2")])
    outcome = run_study(STUDIES["comparisons"], ss.Comparisons.from_frame(frame, by="model"), FAST)
    assert [a.split(":")[0] for a in outcome.answer] == ["m1", "m2"]
    assert len({b.id for b in outcome.blocks}) == len(outcome.blocks)
    bad = frame.copy()
    bad.loc[(bad.model == "m2") & ((bad.item_a == "a") | (bad.item_b == "a")), "winner"] = "a"
    outcome = run_study(STUDIES["comparisons"], ss.Comparisons.from_frame(bad, by="model"), FAST)
    assert outcome.answer[-1].startswith("m2: nothing could be computed: no finite strengths")
    never = ss.Comparisons.from_frame(bad[bad.model == "m2"], by="model")
    with pytest.raises(ss.MleDoesNotExist, match="model = m2: no finite strengths"):
        run_study(STUDIES["comparisons"], never, FAST)


@pytest.mark.skipif(not ARENA.exists(), reason="the crowd comparisons lie outside the project")
@pytest.mark.slow
def test_real_crowd_comparisons() -> None:
    design = ss.read_comparisons(ARENA, item_a="left", item_b="right", order="item_a", cluster=["worker", "prompt"])
    outcome = run_study(STUDIES["comparisons"], design, FAST)
    assert "8,931 comparisons, 59 items" in outcome.design
    assert "38.9% ties" in outcome.design
    assert "124 workers, 13 prompts" in outcome.design
    clusters = next(b for b in outcome.blocks if b.id == "clusters").tables[0].cells
    ratio = {str(row[0]): row[3] for row in clusters}
    assert ratio["clustered by worker"] == pytest.approx(1.18, abs=0.01)  # CR2 (1.16 by CR1)
    assert ratio["clustered by prompt"] == pytest.approx(1.57, abs=0.01)  # CR2 (1.53 by CR1)
    assert {"SS202", "SS205", "SS109"} <= {c.code for c in outcome.cautions}
    assert all(v.ok for v in outcome.verifications.values())


@pytest.mark.slow
def test_every_grouping_of_the_roles_has_its_shares_and_they_sum_to_one() -> None:
    frame = ss.datasets.role_conflict()
    for side in ("a", "b"):
        kin = frame[f"domain_{side}"].eq("family").map({True: "kin", False: "other"})
        frame[f"kinship_{side}"] = kin
    outcome = STUDIES["role-conflict"].run(ss.Comparisons.from_frame(frame), replace(FAST, verify=False))
    block = next(b for b in outcome.blocks if b.id == "shares")
    for name, k in (("domain", 5), ("kinship", 2)):
        result = next(r for r in block.results if r.title == f"Preference shares by {name}")
        rows = [r for r in result.rows if r.group == "arithmetic"]
        assert len(rows) == k
        assert sum(r.estimate or 0 for r in rows) == pytest.approx(1)


def test_the_sd_of_the_roles_has_an_interval_and_is_that_of_the_simulation(role_conflict: Outcome) -> None:
    block = next(b for b in role_conflict.blocks if b.id == "urgency-against-roles")
    spread = block.results[0].row("SD of strengths")
    truth = ss.datasets.role_conflict_truth()
    true = pd.Series(truth.strengths).std() * (1 + 0.346 * truth.pair_sd**2) ** -0.5
    assert spread.conf_low is not None
    assert spread.conf_high is not None
    assert spread.conf_low < true < spread.conf_high
    fit = next(r for b in role_conflict.blocks for r in b.results if isinstance(r, ss.BradleyTerryResult))
    boot = fit.bootstrap(by="pair", resamples=300, seed=3)
    assert spread.std_error == pytest.approx(boot.strengths.std(axis=1, ddof=1).std(ddof=1), rel=0.15)
    chance = 1 / (1 + np.exp(spread.estimate - (fit.row("urgency").estimate or 0)))
    assert f"had win probability {chance:.3f}".replace(" 0.", " .") in block.sentences[-1]


def test_effects_are_a_family_and_the_caption_has_the_design_effect() -> None:
    frame = choices()
    outcome = run_study(STUDIES["role-conflict"], ss.Comparisons.from_frame(frame, cluster="story"), FAST)
    effects = next(b for b in outcome.blocks if b.id == "effects")
    p = sorted(r.p_value for r in effects.results[0].rows)  # type: ignore[type-var]
    adjusted = sorted(r.p_adjusted for r in effects.results[0].rows)  # type: ignore[type-var]
    assert len(p) == 2
    assert adjusted == pytest.approx([min(1.0, 2 * p[0]), max(min(1.0, 2 * p[0]), p[1])])  # type: ignore[operator]
    assert "p (Holm)" in effects.tables[0].header
    assert "(m = 2)" in effects.tables[0].caption
    strengths = next(b for b in outcome.blocks if b.id == "strengths")
    table = next(b for b in outcome.blocks if b.id == "clusters").tables[0]
    own = next(row for row in table.cells if row[0] == "clustered by story")
    assert f"Median design effect: {own[-1]}." in strengths.caption
