"""Studies: what they answer, on data with known truth, on real data, and on tables at the edge."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests
from study_examples import choices

import socialstats as ss
from socialstats.choices.bradley_terry import effect_sentence
from socialstats.errors import InputError
from socialstats.inference.halving import clusters_to_halve
from socialstats.results import Row
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.comparisons import fit_check
from socialstats.studies.page import Outcome
from socialstats.studies.role_conflict.shares import share_sentences
from socialstats.studies.role_conflict.study import verdict_on_covariate

ARENA = Path(__file__).parents[2].parent / "shared" / "data" / "arena" / "llmfao.csv"
FAST = StudyOptions(resamples=200)


@pytest.fixture(scope="module")
def role_conflict() -> Outcome:
    design = ss.Comparisons.from_frame(ss.datasets.role_conflict())
    return STUDIES["role-conflict"].run(
        design, replace(FAST, simulated="These data are simulated.")
    )


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
def test_role_conflict_answers_with_estimate_interval_and_reference_lines(
    role_conflict: Outcome,
) -> None:
    rate, s = role_conflict.answer[:2]
    assert rate.startswith("The item with the higher urgency won at a rate of .612, 95% CI [.604,")
    assert role_conflict.verdict is not None
    assert role_conflict.verdict.text.startswith(
        "The data clearly show that urgency influences choices but does not decide them"
    )
    assert (
        s
        == "The distance of choices from urgency alone (bias-corrected S; 0 if it decides) was 41.19, "
        "95% CI [39.28, 43.11], below coin flips (50)."
    )
    assert role_conflict.opening == "win-rates"


@pytest.mark.slow
def test_every_s_of_the_page_is_the_bias_corrected_one(role_conflict: Outcome) -> None:
    blocks = {block.id: block for block in role_conflict.blocks}
    s = blocks["sensitivity"].results[0]
    lead = s.row("S_corrected")
    own = blocks["multiverse-s"].results[0].rows[0]
    assert (own.estimate, own.conf_low, own.conf_high) == (
        lead.estimate,
        lead.conf_low,
        lead.conf_high,
    )
    drawn = blocks["sensitivity"].draw.args[0][0]  # type: ignore[union-attr]
    assert (drawn.estimate, drawn.conf_low) == (lead.estimate, lead.conf_low)
    assert blocks["sensitivity"].tables[0].cells[0][1] == lead.estimate
    intervals = [
        row for row in blocks["multiverse-s"].results[0].rows if row.conf_low == lead.conf_low
    ]
    assert {row.estimate for row in intervals} == {
        lead.estimate
    }  # no interval beside another estimate
    more = clusters_to_halve(lead)
    assert role_conflict.planning[0].endswith(f"collect about {more:,} more pairs of roles.")


@pytest.mark.slow
def test_no_caution_asks_to_quote_what_the_answer_does_not(role_conflict: Outcome) -> None:
    told = " ".join(role_conflict.answer)
    asked = [
        x
        for c in role_conflict.cautions
        for x in re.findall(r"quote [^.;]*?(\d+\.\d+)", f"{c.detail} {c.fix}")
    ]
    assert all(number in told for number in asked)
    assert "41.63" not in told


@pytest.mark.slow
def test_the_rate_of_the_more_urgent_role_has_one_value_on_the_page(role_conflict: Outcome) -> None:
    frame = ss.datasets.role_conflict()
    unequal = frame[frame["urgency_a"] != frame["urgency_b"]]
    more = np.where(
        unequal["urgency_a"] > unequal["urgency_b"], unequal["role_a"], unequal["role_b"]
    )
    rate = f"{np.mean(more == unequal['choice']):.3f}".removeprefix("0")
    told = " ".join(
        (*role_conflict.answer, *(s for b in role_conflict.blocks for s in b.sentences))
    )
    assert re.findall(r"with the higher urgency won at a rate of (\.\d+)", told) == [rate]
    assert f"{100 * float(rate):.1f}%" not in told


@pytest.mark.slow
def test_shares_of_groups_are_one_family_and_two_groups_one_test() -> None:
    frame = ss.datasets.role_conflict()
    for side in ("a", "b"):
        frame[f"kinship_{side}"] = (
            frame[f"domain_{side}"].eq("family").map({True: "kin", False: "other"})
        )
    outcome = STUDIES["role-conflict"].run(
        ss.Comparisons.from_frame(frame), replace(FAST, verify=False)
    )
    shares = {
        r.settings["groups"]["child"]: r
        for b in outcome.blocks
        if b.id == "shares"
        for r in b.results[:2]
    }
    rows = [r for r in shares["family"].rows if r.group == "arithmetic"]
    two = [r for r in shares["kin"].rows if r.group == "arithmetic"]
    assert two[0].p_value == pytest.approx(two[1].p_value)
    p = [r.p_value for r in (*rows, two[0])]
    holm = dict(
        zip([*(r.term for r in rows), "kin"], multipletests(p, method="holm")[1], strict=True)
    )
    block = next(b for b in outcome.blocks if b.id == "shares")
    for row in block.tables[0].rows:
        group = row.label("group") or ""
        # the smaller of two shares has the test of the larger
        alone = row.p_adjusted is None and group in ("kin", "other")
        assert alone or row.p_adjusted == pytest.approx(holm["kin" if group == "other" else group])
    assert "of 6 differences from an equal share were significant (Holm)" in block.sentences[0]


def test_a_share_without_a_test_is_undefined_and_not_inconclusive() -> None:
    row = Row(term="a", estimate=0.5, statistic=2.0, p_value=0.01, conf_level=0.95)
    lost = Row(term="b", estimate=0.2, undefined="one cluster")
    assert share_sentences([row, lost]) == [
        "The difference from an equal share was significant. 1 has no test.",
        "More than an equal share was held by a.",
    ]
    open_ = replace(row, p_adjusted=0.06)
    assert share_sentences([open_]) == ["The difference from an equal share was not significant."]


def test_an_effect_is_significant_by_the_p_that_is_printed() -> None:
    row = Row(
        term="order",
        group="order",
        estimate=0.2,
        conf_low=0.01,
        conf_high=0.39,
        conf_level=0.95,
        p_value=0.04,
    )
    assert effect_sentence(row).startswith("Items shown first were preferred (0.20, 95% CI")
    held = effect_sentence(replace(row, p_adjusted=0.08))
    assert (
        held
        == "The order effect was not significant (0.20, unadjusted 95% CI [0.01, 0.39], p_Holm = .080, log-odds)."
    )
    assert "undefined" in effect_sentence(
        replace(row, conf_low=None, conf_high=None, undefined="one cluster")
    )


def test_s_above_coin_flips_names_no_cause() -> None:
    frame = choices()
    frame["winner"] = frame[["item_a", "item_b"]].min(axis=1)  # a ranking decides every choice
    design = ss.Comparisons.from_frame(frame)
    s = ss.sensitivity(design, resamples=100)
    assert (s.row("S_corrected").estimate or 0.0) > 75
    said = verdict_on_covariate(s, ss.win_rates(design, weights="pooled"), "urgency")
    assert said.text.startswith(
        "The data do not show that choices follow urgency more than coin flips do"
    )
    assert said.certainty == "open"


@pytest.mark.parametrize(
    ("cluster", "said"), [(None, "deviated from the model"), ("judge", "dependence within")]
)
def test_misfit_of_dependent_rows_is_no_preference_of_pairs(cluster: str | None, said: str) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for judge in range(12):
        for a, b in combinations("abcdef", 2):
            chance = rng.beta(0.2, 0.2)  # each judge has a preference of its own in every pair
            rows += [(a, b, a if rng.random() < chance else b, f"j{judge}") for _ in range(8)]
    frame = pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "judge"])
    fit = ss.bradley_terry(ss.Comparisons.from_frame(frame, cluster=cluster), cluster=cluster)
    assert said in fit_check(fit).so_what
    assert "preferences" not in fit_check(fit).so_what


def test_a_rank_is_marginal_where_a_caution_touches_joint_tests() -> None:
    frame = round_robin(["a", "b", "c", "d"]).assign(judge=lambda t: np.arange(len(t)) % 3)
    few = run_study(
        STUDIES["comparisons"],
        ss.Comparisons.from_frame(frame, cluster="judge"),
        replace(FAST, verify=False),
    )
    assert {"SS203", "SS206"} & {c.code for c in few.cautions}
    told = " ".join((*few.answer, *(s for b in few.blocks for s in b.sentences)))
    assert "approximate 95% marginal rank interval" in told
    assert "simultaneous" not in told


@pytest.mark.slow
def test_role_conflict_recovers_the_simulated_effects(role_conflict: Outcome) -> None:
    truth = ss.datasets.role_conflict_truth()
    fit = next(
        r for b in role_conflict.blocks for r in b.results if isinstance(r, ss.BradleyTerryResult)
    )
    shrink = (
        1 + 0.346 * truth.pair_sd**2
    ) ** -0.5  # marginal over the pair effect, logistic-normal approximation
    for term, true in (("urgency", truth.urgency), ("order", truth.order)):
        row = fit.row(term)
        assert row.estimate == pytest.approx(true * shrink, abs=3 * (row.std_error or 0))


@pytest.mark.slow
def test_role_conflict_page_has_every_part(role_conflict: Outcome) -> None:
    ids = [block.id for block in role_conflict.blocks]
    assert ids == [
        "sensitivity",
        "win-rates",
        "urgency-against-roles",
        "strengths",
        "shares",
        "shares-more",
        "worth",
        "values-domain",
        "matrix-domain",
        "entropy",
        "effects",
        "order",
        "dependence",
        "multiverse-s",
        "multiverse-urgency",
    ]
    main = [block.id for block in role_conflict.blocks if block.part == "main"]
    assert main == [*ids[:5], "values-domain"]
    codes = [c.code for c in role_conflict.cautions]
    assert {"SS107", "SS401"} <= set(codes)
    assert not {"SS304", "SS305"} & set(
        codes
    )  # stated in Methods: the page quotes the bias-corrected S
    assert len(codes) == len(set(codes))
    assert [c.severity for c in role_conflict.cautions] == sorted(
        (c.severity for c in role_conflict.cautions), key=["stop", "caution", "info"].index
    )
    assert role_conflict.verifications
    assert all(v.ok for v in role_conflict.verifications.values())


@pytest.mark.slow
def test_every_number_of_a_sentence_is_printable(role_conflict: Outcome) -> None:
    texts = [
        *role_conflict.answer,
        *(s for b in role_conflict.blocks for s in b.sentences),
        *role_conflict.methods,
    ]
    texts += [d.found for d in role_conflict.diagnostics]
    for text in texts:
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|-0\.00|p = \.000", text), text


@pytest.mark.slow
def test_position_bias_is_cautioned_only_where_it_is_seen() -> None:
    frame = ss.datasets.role_conflict()
    fair = frame.assign(first=frame["role_a"])  # order now says nothing: sides are alphabetical
    outcome = STUDIES["role-conflict"].run(
        ss.Comparisons.from_frame(fair), replace(FAST, verify=False)
    )
    effect = next(
        r for b in outcome.blocks for x in b.results for r in x.rows if r.group == "order"
    )
    seen = any(c.code == "SS107" for c in outcome.cautions)
    assert seen == ((effect.p_value or 0) < 0.05)


def test_the_most_specific_study_is_picked_and_others_explain_themselves() -> None:
    plain = ss.Comparisons.from_frame(round_robin(["a", "b", "c"]))
    assert pick(STUDIES, None, plain).name == "comparisons"
    with pytest.raises(InputError, match="there are no columns urgency_a and urgency_b"):
        pick(STUDIES, "role-conflict", plain)
    with pytest.raises(InputError, match=r"no study 'x'\. Studies: role-conflict, comparisons"):
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
    outcome = run_study(
        STUDIES["comparisons"], ss.Comparisons.from_frame(frame), replace(FAST, ties=ties)
    )  # type: ignore[arg-type]
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
    assert [a.split(":")[0] for a in outcome.answer[:-1]] == ["m1", "m2"]
    assert outcome.answer[-1] == "Differences between levels of model were not tested."
    assert len({b.id for b in outcome.blocks}) == len(outcome.blocks)
    bad = frame.copy()
    bad.loc[(bad.model == "m2") & ((bad.item_a == "a") | (bad.item_b == "a")), "winner"] = "a"
    outcome = run_study(STUDIES["comparisons"], ss.Comparisons.from_frame(bad, by="model"), FAST)
    assert outcome.answer[-1].startswith("The result of m2 is undefined: no finite strengths")
    never = ss.Comparisons.from_frame(bad[bad.model == "m2"], by="model")
    with pytest.raises(ss.MleDoesNotExist, match="model = m2: no finite strengths"):
        run_study(STUDIES["comparisons"], never, FAST)


@pytest.mark.skipif(not ARENA.exists(), reason="the crowd comparisons lie outside the project")
@pytest.mark.slow
def test_real_crowd_comparisons() -> None:
    design = ss.read_comparisons(
        ARENA, item_a="left", item_b="right", order="item_a", cluster=["worker", "prompt"]
    )
    outcome = run_study(STUDIES["comparisons"], design, FAST)
    assert "8,931 comparisons, 59 items" in outcome.design
    assert "38.9% ties" in outcome.design
    assert "124 workers, 13 prompts" in outcome.design
    block = next(b for b in outcome.blocks if b.id == "dependence")
    ways = [cells[0] for cells in block.tables[0].cells]
    ratio = {
        way: np.median(fit.fitted_state.design_effects)
        for way, fit in zip(ways[1:], block.results[1:], strict=True)
    }
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
    outcome = STUDIES["role-conflict"].run(
        ss.Comparisons.from_frame(frame), replace(FAST, verify=False)
    )
    block = next(b for b in outcome.blocks if b.id == "shares")
    for name, k in (("domain", 5), ("kinship", 2)):
        result = next(r for r in block.results if r.title == f"Preference shares by {name}")
        rows = [r for r in result.rows if r.group == "arithmetic"]
        assert len(rows) == k
        assert sum(r.estimate or 0 for r in rows) == pytest.approx(1)


@pytest.mark.slow
def test_the_sd_of_the_roles_has_an_interval_and_is_that_of_the_simulation(
    role_conflict: Outcome,
) -> None:
    block = next(b for b in role_conflict.blocks if b.id == "urgency-against-roles")
    spread = block.results[0].row("SD of strengths")
    truth = ss.datasets.role_conflict_truth()
    true = pd.Series(truth.strengths).std() * (1 + 0.346 * truth.pair_sd**2) ** -0.5
    assert spread.conf_low is not None
    assert spread.conf_high is not None
    assert spread.conf_low < true < spread.conf_high
    fit = next(
        r for b in role_conflict.blocks for r in b.results if isinstance(r, ss.BradleyTerryResult)
    )
    boot = fit.bootstrap(by="pair", resamples=300, seed=3)
    assert spread.std_error == pytest.approx(
        boot.strengths.std(axis=1, ddof=1).std(ddof=1), rel=0.15
    )
    chance = 1 / (1 + np.exp(spread.estimate - (fit.row("urgency").estimate or 0)))
    assert f"had win probability {chance:.3f}".replace(" 0.", " .") in block.sentences[-1]


def test_effects_are_a_family_and_the_caption_has_the_design_effect() -> None:
    frame = choices()
    outcome = run_study(
        STUDIES["role-conflict"], ss.Comparisons.from_frame(frame, cluster="story"), FAST
    )
    effects = next(b for b in outcome.blocks if b.id == "effects")
    p = sorted(r.p_value for r in effects.results[0].rows)  # type: ignore[type-var]
    adjusted = sorted(r.p_adjusted for r in effects.results[0].rows)  # type: ignore[type-var]
    assert len(p) == 2
    assert adjusted == pytest.approx([min(1.0, 2 * p[0]), max(min(1.0, 2 * p[0]), p[1])])  # type: ignore[operator]
    assert "p (Holm)" in effects.tables[0].header
    assert "(m = 2)" in effects.tables[0].caption
    strengths = next(b for b in outcome.blocks if b.id == "strengths")
    design = ss.Comparisons.from_frame(frame, cluster="story")
    clustered, independent = (
        ss.bradley_terry(design, "~ urgency", cluster=cluster) for cluster in ("story", None)
    )
    ratios = [
        (clustered.row(item).std_error / independent.row(item).std_error) ** 2
        for item in design.items
    ]
    assert f"Median design effect: {np.median(ratios):.2f}." in strengths.caption
