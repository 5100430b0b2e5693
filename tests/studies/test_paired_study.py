"""The study of pairs: its verdicts, its numbers, what it does with clusters, and tables at the edge."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from study_tables import answers, scores, stray_cells, stray_decimals

from socialstats import paired_difference, sentences
from socialstats.designs.paired import Paired
from socialstats.errors import InputError
from socialstats.paired.symmetry import simultaneous_intervals
from socialstats.studies import STUDIES, StudyOptions, pick, run_study
from socialstats.studies.page import Outcome
from socialstats.text import percent
from socialstats_reports.data import as_json
from socialstats_reports.page import table_view
from socialstats_reports.verification import verification_words

FAST = StudyOptions(resamples=200)


def report(frame: pd.DataFrame, options: StudyOptions = FAST, **reading: object) -> Outcome:
    return run_study(STUDIES["paired"], Paired.from_frame(frame, **reading), options)  # type: ignore[arg-type]


def beside(first: list[float], second: list[float]) -> pd.DataFrame:
    values = {"first": first, "second": second}
    made = [
        {"unit": k, "condition": name, "value": x}
        for name, xs in values.items()
        for k, x in enumerate(xs)
    ]
    return pd.DataFrame(made)


@pytest.fixture(scope="module")
def binary() -> Outcome:
    return report(answers(), conditions=("reminded", "plain"), cluster="scenario")


@pytest.fixture(scope="module")
def numeric() -> Outcome:
    return report(scores(), replace(FAST, smallest_effect=0.5), conditions=("before", "after"))


@pytest.fixture(scope="module")
def nominal() -> Outcome:
    frame = answers()
    rng = np.random.default_rng(1)
    frame["correct"] = np.where(
        rng.random(len(frame)) < 0.3, "unsure", np.where(frame["correct"] > 0, "yes", "no")
    )
    return report(frame, conditions=("reminded", "plain"), cluster="scenario", scale="nominal")


@pytest.mark.parametrize("name", ["binary", "numeric", "nominal"])
def test_every_number_of_the_page_is_in_tidy_and_verified(
    name: str, request: pytest.FixtureRequest
) -> None:
    outcome: Outcome = request.getfixturevalue(name)
    assert stray_cells(outcome) == []
    texts = [*outcome.answer, *(s for b in outcome.blocks for s in b.sentences)]
    also = {
        -0.5,
        0.5,
        0.05,
        *(float(r.extras.get("df_denominator", 0)) for b in outcome.blocks for r in b.results),
    }
    also |= {
        float(v)
        for b in outcome.blocks
        if b.id == "outliers"
        for v in b.results[0].design.difference
    }
    also |= set(
        scores()
        .pivot(index="subject", columns="time", values="score")
        .diff(axis=1)["before"]
        .round(6)
    )
    also |= {row[3] for row in outcome.blocks[-1].tables[0].cells}  # type: ignore[arg-type]  # shifts, in their table
    assert stray_decimals(outcome, texts, also) == []
    assert all(v.ok for v in outcome.verifications.values())
    verified = {id(r) for b in outcome.blocks for r in b.results}
    assert len(outcome.verifications) == len(verified)


@pytest.mark.parametrize("name", ["binary", "numeric", "nominal"])
def test_figures_are_drawn_and_texts_are_clean(name: str, request: pytest.FixtureRequest) -> None:
    outcome: Outcome = request.getfixturevalue(name)
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
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|-0\.00|p = \.000|\(\)|  ", text), text


def test_the_blocks_of_each_scale(binary: Outcome, numeric: Outcome, nominal: Outcome) -> None:
    assert [b.id for b in binary.blocks] == [
        "difference",
        "cells",
        "tests",
        "dependence",
        "influence",
        "multiverse",
    ]
    assert [b.id for b in numeric.blocks] == [
        "difference",
        "effect-sizes",
        "equivalence",
        "outliers",
        "tests",
        "multiverse",
    ]
    assert [b.id for b in numeric.blocks if b.part == "main"] == [
        "difference",
        "effect-sizes",
        "outliers",
    ]
    assert [b.id for b in binary.blocks if b.part == "main"] == ["difference", "cells"]
    assert [b.id for b in nominal.blocks] == ["difference", "tests", "dependence", "multiverse"]


def test_the_answer_names_the_direction_and_agrees_with_a_recount(binary: Outcome) -> None:
    frame = answers().pivot(index="item", columns="condition", values="correct")
    gap = float((frame["reminded"] - frame["plain"]).mean())
    assert binary.answer[0].startswith(
        "The share of '1' was higher for 'reminded' than 'plain' (difference = "
    )
    assert f"= .{round(1000 * gap):03d}, 95% CI [" in binary.answer[0]
    swapped = report(answers(), conditions=("plain", "reminded"), cluster="scenario")
    assert (
        f"lower for 'plain' than 'reminded' (difference = −.{round(1000 * gap):03d}"
        in swapped.answer[0]
    )
    cells = {row[:2]: row[2] for row in binary.blocks[1].tables[0].cells}
    assert cells == frame.astype(str).groupby(["reminded", "plain"]).size().to_dict()


def test_the_row_level_claim_stands_beside_the_clustered_one(binary: Outcome) -> None:
    block = next(b for b in binary.blocks if b.id == "dependence")
    lines = {row[0]: row for row in block.tables[0].cells}
    assert list(lines) == ["pairs independent", "clustered by scenario"]
    assert lines["pairs independent"][2] == lines["clustered by scenario"][2]
    assert lines["pairs independent"][3] != lines["clustered by scenario"][3]
    assert block.sentences[0].startswith("Treating pairs as independent gave .")


def test_two_crossed_clusters_are_four_assumptions() -> None:
    frame = answers().assign(kind=lambda d: "k" + d["item"].str[-1])
    outcome = report(frame, conditions=("reminded", "plain"), cluster=["scenario", "kind"])
    block = next(b for b in outcome.blocks if b.id == "dependence")
    assert [row[0] for row in block.tables[0].cells] == [
        "pairs independent",
        "clustered by scenario",
        "clustered by kind",
        "clustered by scenario x kind",
    ]
    assert stray_cells(outcome) == []
    assert all(v.ok for v in outcome.verifications.values())


def test_leaving_out_one_cluster_is_a_recount(binary: Outcome) -> None:
    frame = answers().pivot(index=["scenario", "item"], columns="condition", values="correct")
    gap = (frame["reminded"] - frame["plain"]).rename("gap").reset_index()
    values = {s: gap.loc[gap["scenario"] != s, "gap"].mean() for s in gap["scenario"].unique()}
    rows = next(b for b in binary.blocks if b.id == "influence").tables[0].cells
    assert [row[2] for row in rows] == pytest.approx([min(values.values()), max(values.values())])
    result = next(b for b in binary.blocks if b.id == "influence").results[0]
    wrong = replace(result.rows[0], estimate=(result.rows[0].estimate or 0) + 0.01)
    assert not replace(result, rows=(wrong, *result.rows[1:])).verify().ok


@pytest.mark.parametrize(
    ("frame", "options", "start", "second"),
    [
        (
            scores(shift=0.1),
            FAST,
            "The mean score did not differ significantly between 'before' and 'after' (",
            "",
        ),
        (
            scores(shift=0.1),
            replace(FAST, smallest_effect=3.0),
            "The mean score did not differ significantly",
            "'before' and 'after' were equivalent within ±3 (90% CI [",
        ),
        (
            scores(),
            replace(FAST, smallest_effect=9.0),
            "The mean score was higher for 'before' than 'after' (",
            "'before' and 'after' were equivalent within ±9 (90% CI [",
        ),
        (
            scores(),
            replace(FAST, smallest_effect=0.5),
            "The mean score was higher for 'before' than 'after' (",
            "'before' and 'after' were not shown to be equivalent within ±0.5 (90% CI [",
        ),
        (
            scores(shift=4.0),
            FAST,
            "The mean score was lower for 'before' than 'after' (difference = −",
            "",
        ),
    ],
)
def test_verdicts(frame: pd.DataFrame, options: StudyOptions, start: str, second: str) -> None:
    outcome = report(frame, replace(options, verify=False), conditions=("before", "after"))
    assert outcome.answer[0].startswith(start)
    assert [text[: len(second)] for text in outcome.answer[1:]] == ([second] if second else [])
    assert outcome.planning[0].startswith(
        "To know the difference twice as precisely, collect about "
    )
    assert "different" not in "".join(
        s for b in outcome.blocks if b.id == "equivalence" for s in b.sentences
    )


def test_the_pairs_that_halve_the_interval_halve_it() -> None:
    from scipy.stats import t

    outcome = report(scores(), replace(FAST, verify=False), conditions=("before", "after"))
    more = int(re.findall(r"about ([\d,]+) more pairs", outcome.planning[0])[0].replace(",", ""))
    short, long = (t.ppf(0.975, n - 1) / np.sqrt(n) for n in (40 + more, 40))
    assert short <= long / 2 < t.ppf(0.975, 38 + more) / np.sqrt(39 + more)


def test_the_difference_without_the_most_extreme_pair_is_a_recount(numeric: Outcome) -> None:
    wide = scores().pivot(index="subject", columns="time", values="score")
    gap = wide["before"] - wide["after"]
    far = (gap - gap.mean()).abs().idxmax()
    block = next(b for b in numeric.blocks if b.id == "outliers")
    assert block.results[0].rows[0].estimate == pytest.approx(gap.drop(far).mean())
    drawn = [text.get_text() for text in block.draw().texts]
    assert any(text.startswith(f"{gap[far]:.2f}".replace("-", "\u2212")) for text in drawn), drawn


def test_intervals_of_one_estimate_are_compared_not_run_from_it_to_itself(numeric: Outcome) -> None:
    block = numeric.blocks[-1]
    assert "was 1.89 under all 4 analysis variants" in block.sentences[0]
    assert "lies above 0, as in all 3 other variants" in block.sentences[0]
    assert not re.search("runs from|No choice moves", block.sentences[0] + block.caption)


def test_equivalent_shares_by_the_interval_of_two_one_sided_tests() -> None:
    options = replace(FAST, smallest_effect=0.15, verify=False)
    frame = answers(shift=0.0)
    outcome = report(frame, options, conditions=("reminded", "plain"), cluster="scenario")
    row = next(b for b in outcome.blocks if b.id == "equivalence").results[0].rows[0]
    assert row.conf_level == pytest.approx(0.9)
    inside = (row.conf_low or 0) > -0.15 and (row.conf_high or 0) < 0.15
    said = "'reminded' and 'plain' were equivalent within ±.15 (90% CI ["
    assert outcome.answer[1].startswith(said) == inside
    with pytest.raises(InputError, match="effect_scale='d_z' is for numbers"):
        report(frame, replace(options, effect_scale="d_z"), conditions=("reminded", "plain"))


@pytest.mark.parametrize("change", ["equal", "shifted", "two pairs", "no ones"])
@pytest.mark.slow
def test_tables_at_the_edge_have_a_page_or_a_reason(change: str) -> None:
    frame = scores() if change != "no ones" else answers().assign(correct=0)
    first = "before" if change != "no ones" else "plain"
    if change in ("equal", "shifted"):
        base = frame.groupby("subject")["score"].transform("first")
        frame = frame.assign(score=base + (frame["time"] == "before") * (change == "shifted"))
    if change == "two pairs":
        frame = frame[frame["subject"].isin(["p00", "p01"])]
    second = "after" if first == "before" else "reminded"
    outcome = report(
        frame, conditions=(first, second), **({"scale": "binary"} if change == "no ones" else {})
    )
    assert outcome.answer[0]
    assert not re.search(r"\bnan\b|\binf\b", " ".join(outcome.answer))
    for block in outcome.blocks:
        if block.draw is not None:
            block.draw()
    assert stray_cells(outcome) == []


def levels(**shifts: float) -> pd.DataFrame:
    """The same subjects at several levels, each with errors of its own."""
    return pd.concat(
        [scores(seed, shift).assign(model=m) for seed, (m, shift) in enumerate(shifts.items(), 3)]
    )


@pytest.mark.slow
def test_tests_of_levels_are_one_family_and_their_differences_another() -> None:
    frame = levels(m_1=-1.5, m_2=-0.1, m_3=-0.9)
    outcome = report(frame, conditions=("before", "after"), by="model")
    assert [b.id for b in outcome.blocks[:2]] == ["models", "models-differences"]
    (board,) = outcome.blocks[0].results
    wide = frame.pivot(index=["model", "subject"], columns="time", values="score")
    d = (wide["before"] - wide["after"]).unstack("model")
    own, gaps = ([r for r in board.rows if r.group == group] for group in ("number", "difference"))
    for rows in (own, gaps):
        steps = sorted(r.p_value for r in rows)  # type: ignore[type-var]
        by_hand = {
            x: max(min(1.0, (3 - k) * y) for k, y in enumerate(steps[: steps.index(x) + 1]))
            for x in steps
        }  # type: ignore[operator]
        assert [r.p_adjusted for r in rows] == pytest.approx([by_hand[r.p_value] for r in rows])
    assert gaps[0].p_value == pytest.approx(stats.ttest_rel(d["m_1"], d["m_2"]).pvalue)
    # what leaving out a pair changes stands last
    *each, alone, compared = outcome.answer[:5]
    assert [a.split(":")[0] for a in each] == ["m_1", "m_2", "m_3"]
    clear = {
        True: sum(r.p_adjusted < 0.05 for r in own),
        False: sum(r.p_adjusted < 0.05 for r in gaps),
    }  # type: ignore[operator]
    assert (
        alone
        == f"These p values are unadjusted. {sentences.some_of(clear[True], 3, 'tests of single levels')}"
    )
    assert sentences.some_of(clear[False], 3, "differences between models") in compared
    assert (
        "The mean difference (before minus after) was higher for m_1 than m_2 (difference = 2.09"
        in compared
    )
    assert (
        "Levels of model were compared by t tests on shared units, with Holm-adjusted"
        in outcome.methods[0]
    )
    assert outcome.methods[0].endswith("These numbers are of each level.")
    assert [a.split(":")[0] for a in outcome.planning] == ["m_1", "m_2", "m_3"]
    first = (frame["model"] == "m_1").cumsum()
    other = report(frame[first > 4], conditions=("before", "after"), by="model")
    assert (
        "These numbers are of 'm_1'; other levels were analysed in the same way."
        in other.methods[0]
    )
    assert len({b.id for b in outcome.blocks}) == len(outcome.blocks)
    assert stray_cells(outcome) == []
    assert all(v.ok for v in outcome.verifications.values())


def test_two_groups_of_people_are_compared_by_welchs_test() -> None:
    frame = levels(a=-3.0, b=0.5)
    frame["subject"] = frame["model"] + frame["subject"]
    outcome = report(frame, replace(FAST, verify=False), conditions=("before", "after"), by="model")
    wide = frame.pivot(index=["model", "subject"], columns="time", values="score")
    d = wide["before"] - wide["after"]
    theirs = stats.ttest_ind(d["a"], d["b"], equal_var=False)
    (row,) = (r for r in outcome.blocks[0].results[0].rows if r.group == "difference")
    assert (row.p_value, row.df) == pytest.approx((theirs.pvalue, theirs.df))
    said = sentences.stat(replace(row, p_adjusted=None))
    assert outcome.answer[3].endswith(
        f"The mean difference (before minus after) was higher for a than b (difference = {said})."
    )
    assert [a.split(":")[0] for a in outcome.answer[:2]] == ["a", "b"]
    assert [b.id for b in outcome.blocks[:2]] == ["models", "difference-1"]
    assert (
        "Levels of model were compared by Welch's t tests of independent levels"
        in outcome.methods[0]
    )
    (caption,) = (t.caption for t in outcome.blocks[0].tables if "first minus second" in t.caption)
    assert "by Welch's t tests of independent levels" in caption
    page = " ".join(
        [
            *outcome.answer,
            *outcome.methods,
            *(x for b in outcome.blocks for x in (b.question, b.caption)),
        ]
    )
    assert "shared units" not in page
    assert "rank" not in " ".join(
        [*outcome.answer, *outcome.blocks[0].sentences, outcome.blocks[0].caption]
    )


def test_levels_of_several_answers_are_said_not_to_be_compared() -> None:
    frame = answers().assign(
        correct=lambda f: np.where(f.index % 3 == 0, "unsure", f["correct"].astype(str))
    )
    both = pd.concat([frame.assign(model=m) for m in ("a", "b")])
    outcome = report(
        both,
        replace(FAST, verify=False),
        conditions=("reminded", "plain"),
        by="model",
        scale="nominal",
    )
    assert outcome.answer[-1] == "Differences between levels of model were not tested."


def test_the_study_is_picked_by_the_design() -> None:
    design = Paired.from_frame(scores(), conditions=("before", "after"))
    assert pick(STUDIES, None, design).name == "paired"
    with pytest.raises(
        InputError, match="study 'comparisons' is for comparisons; this table was read as paired"
    ):
        pick(STUDIES, "comparisons", design)


def test_hostile_labels_stay_what_they_are() -> None:
    evil = "</script><script>alert(1)</script>$x_1$\u202e"
    frame = answers().replace({"condition": {"plain": evil}, "scenario": {"s00": evil}})
    outcome = report(frame, conditions=("reminded", evil), cluster="scenario")
    from socialstats_reports import render

    page = render(outcome)
    assert "<script>alert" not in page
    assert page.count("</script>") == page.count("<script type=")


@pytest.mark.parametrize(
    ("factor", "digits"), [(1 / 2000, 5), (1.0, 2), (5000.0, 0)]
)  # the means subtract at 5
def test_decimals_follow_the_standard_error(factor: float, digits: int) -> None:
    frame = scores().assign(score=lambda d: d["score"] * factor)
    outcome = report(frame, replace(FAST, verify=False), conditions=("before", "after"))
    wide = scores().pivot(index="subject", columns="time", values="score") * factor
    mean = float((wide["before"] - wide["after"]).mean())
    assert f"difference = {mean:,.{digits}f}, 95% CI [" in outcome.answer[0]
    assert f"was {wide['before'].mean():,.{digits}f}" in outcome.blocks[0].sentences[0]
    table = table_view(outcome.blocks[0].tables[0])
    at = table["header"].index("Estimate")
    cell = table["rows"][0][at].replace(",", "")
    assert len(cell.partition(".")[2]) == digits
    assert abs(float(cell) - mean) <= 0.51 * 10.0**-digits
    r = float(np.corrcoef(wide["before"], wide["after"])[0, 1])
    shown = next(row[at] for row in table["rows"] if row[0] == "correlation")
    assert abs(float(shown) - r) < 1e-3


def test_small_values_beside_a_huge_one_keep_their_digits() -> None:
    first, second = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.5, 2.2, 3.9, 4.4, 5.6, 1e6]
    outcome = report(beside(first, second), conditions=("first", "second"))
    assert verification_words(outcome, outcome.verifications)["wrong"] == ""
    assert "NaN" not in as_json(outcome)
    difference, outlier = outcome.blocks[0], next(b for b in outcome.blocks if b.id == "outliers")
    assert "was 3.50 (SD = 1.87) for first" in difference.sentences[0]
    assert (
        "the difference was \u22120.52, approximate 95% CI [\u22120.84, \u22120.20]"
        in outlier.sentences[0]
    )
    cells = {row[0]: row[1] for row in table_view(difference.tables[0])["rows"]}
    assert (cells["first"], cells["first (sd)"]) == ("3.50", "1.87")


def test_constant_differences_have_no_test_and_the_page_claims_none() -> None:
    outcome = report(
        beside([1.0, 2.0, 3.0, 4.0], [3.0, 4.0, 5.0, 6.0]), conditions=("first", "second")
    )
    assert outcome.answer[0].endswith(
        "was \u22122.00, no interval: all 4 values equal \u22122; no standard error, no test."
    )
    assert outcome.answer[0].count(":") == 1
    said = " ".join(sentence for block in outcome.blocks for sentence in block.sentences)
    assert "The tests that have a p value agreed" in said
    assert "0 of 0" not in said
    assert not any("tails of their differences" in caution.detail for caution in outcome.cautions)


def test_two_columns_are_joined_by_row_and_conditions_by_key() -> None:
    long = beside([1.0, 2.0, 4.0], [3.0, 4.0, 5.0])
    wide = long.pivot(index="unit", columns="condition", values="value")
    design = Paired.from_wide(wide, first="first", second="second")
    found = run_study(STUDIES["paired"], design, FAST), report(long, conditions=("first", "second"))
    assert [one.diagnostics[0].so_what for one in found] == [
        "Each row is a pair, or counts pairs.",
        "Pairs were joined by key, not by position.",
    ]
    counts = {"before": ["no", "no", "yes"], "after": ["no", "yes", "no"], "n": [9, 4, 2]}
    counted = (
        Paired.from_counts(counts, first="before", second="after", count="n"),
        Paired.from_cells(a=1, b=2, c=3, d=4),
    )
    said = [run_study(STUDIES["paired"], one, FAST).diagnostics[0].so_what for one in counted]
    assert said == ["Each row is a pair, or counts pairs."] * 2


def test_other_tests_are_said_to_ask_what_they_ask(
    binary: Outcome, numeric: Outcome, nominal: Outcome
) -> None:
    said = {
        o.design: next(b for b in o.blocks if b.id == "tests").sentences[0]
        for o in (binary, numeric, nominal)
    }
    assert "All tests have the same null hypothesis." in said[binary.design]
    assert (
        "Wilcoxon's test and the sign flips are of differences symmetric about 0"
        in said[numeric.design]
    )
    assert "Bowker's test is of symmetry: each change between two levels" in said[nominal.design]
    assert "same null" not in said[numeric.design] + said[nominal.design]


def test_the_methods_of_shares_name_test_and_intervals(binary: Outcome) -> None:
    text = " ".join(binary.methods)
    assert all(len(o.split()) <= 60 for o in binary.methods[:1])
    assert "Test and 95% CI: cluster-robust t interval" in binary.methods[0]
    assert "cluster-robust t test;" in binary.methods[0]
    assert (
        "odds ratio: odds of Wilson's interval for the effective number of discordant pairs, t"
        in text
    )
    assert "Cohen's g is the share of reminded among the discordant pairs minus one half" in text


@pytest.mark.parametrize(
    ("frame", "options", "read", "message"),
    [
        (
            answers(),
            {"smallest_effect": 3.0},
            {},
            "smallest_effect=3 cannot be: differences of shares lie within -1 and 1",
        ),
        (
            answers(),
            {"smallest_effect": 0.1, "effect_scale": "d_z"},
            {},
            "effect_scale='d_z' is for numbers",
        ),
        (
            answers(),
            {"smallest_effect": 3.0},
            {"scale": "nominal"},
            "differences of shares lie within -1 and 1",
        ),
        (
            scores(),
            {"smallest_effect": 0.1, "effect_scale": "d_z"},
            {"cluster": "team"},
            "needs independent pairs",
        ),
    ],
)
def test_a_smallest_effect_that_cannot_be_is_refused(
    frame: pd.DataFrame, options: dict[str, Any], read: dict[str, Any], message: str
) -> None:
    first = frame.columns[0]
    frame = frame.assign(team=frame[first].str[-1])
    with pytest.raises(InputError, match=message):
        report(frame, replace(FAST, **options), **read)


def answered(shares: dict[str, tuple[int, int]], **options: Any) -> Outcome:
    """Return the page of pairs where each level has these counts under either condition, in opposite orders."""
    one = [level for level, (n, _) in shares.items() for _ in range(n)]
    other = [level for level, (_, n) in reversed(shares.items()) for _ in range(n)]
    rows = [
        (k, when, value)
        for k, both in enumerate(zip(one, other, strict=True))
        for when, value in zip(("base", "pressed"), both, strict=True)
    ]
    frame = pd.DataFrame(rows, columns=["item", "condition", "answer"])
    return report(frame, replace(FAST, **options), conditions=("base", "pressed"), scale="nominal")


def test_several_levels_are_called_by_intervals_that_hold_at_once() -> None:
    outcome = answered({"comply": (120, 60), "deviate": (40, 42), "escalate": (40, 98)})
    text = outcome.answer[0]
    assert text.startswith("Shares differed reliably between 'base' and 'pressed' (Stuart-Maxwell")
    assert "that of 'comply' (.300, simultaneous 95% CI [." in text
    assert "]) was higher for 'base'; that of 'escalate' (\u2212.290, simultaneous 95% CI [" in text
    assert text.endswith("Inconclusive: deviate.")
    together = simultaneous_intervals(outcome.blocks[0].results[0])
    assert [row.conf_level for row in together] == [pytest.approx(1 - 0.05 / 3)] * 3
    assert outcome.verdict is not None
    assert "'comply' is more frequent for base than for pressed" in outcome.verdict.text


def test_a_small_joint_p_alone_is_no_yes() -> None:
    """The joint test is below .05; no interval that holds for all levels at once excludes zero."""
    outcome = answered(
        {level: (50, n) for level, n in zip("abcdef", (64, 64, 64, 36, 36, 36), strict=True)}
    )
    test = next(row for row in outcome.blocks[0].results[0].rows if row.group == "test")
    together = simultaneous_intervals(outcome.blocks[0].results[0])
    assert test.p_value is not None
    assert test.p_value < 0.05
    assert all((row.conf_low or 0.0) < 0 < (row.conf_high or 0.0) for row in together)
    said = "The shares of the 6 levels did not differ reliably between 'base' and 'pressed'"
    assert outcome.answer[0].startswith(said)


def test_levels_can_be_equivalent() -> None:
    shares = {"comply": (400, 396), "deviate": (300, 303), "escalate": (300, 301)}
    outcome = answered(shares, smallest_effect=0.1)
    assert outcome.answer[1].startswith("Equivalence within ±.1 was shown for every level.")
    block = next(b for b in outcome.blocks if b.id == "equivalence")
    assert block.sentences[0].startswith("Equivalence within ±.1 was shown for every level.")
    assert [row.conf_level for row in block.results[0].rows if row.group == "margin"] == [
        pytest.approx(0.9)
    ] * 3
    assert (
        answered(shares, smallest_effect=0.001)
        .answer[0]
        .startswith("The shares of the 3 levels did not differ")
    )
    assert answered(shares).answer[0].startswith("The shares of the 3 levels did not differ")


def test_the_multiverse_holds_what_it_names(
    binary: Outcome, numeric: Outcome, nominal: Outcome
) -> None:
    rows = {r.term: r for r in binary.blocks[-1].results[0].rows}
    assert list(rows)[:3] == [
        "all pairs, clustered by scenario",
        "pairs independent",
        "clusters weighted equally",
    ]
    assert [r.group for r in rows.values()][3:] == ["scenario left out"] * 2
    frame = answers().pivot(index="item", columns="condition", values="correct")
    story = answers().drop_duplicates("item").set_index("item")["scenario"]
    gaps = frame["reminded"] - frame["plain"]
    assert rows["clusters weighted equally"].estimate == pytest.approx(
        gaps.groupby(story).mean().mean()
    )
    each = {name: gaps[story != name].mean() for name in story.unique()}
    found = [row for term, row in rows.items() if term.startswith("without")]
    assert [row.estimate for row in found] == [
        pytest.approx(min(each.values())),
        pytest.approx(max(each.values())),
    ]
    assert all(row.conf_low is not None for row in found)
    kinds = [r.group for r in numeric.blocks[-1].results[0].rows]
    assert kinds == ["as on this page", "interval", "interval", "interval"]
    assert {r.estimate for r in numeric.blocks[-1].results[0].rows} == {
        numeric.blocks[0].results[0].rows[0].estimate
    }
    assert [r.group for r in nominal.blocks[-1].results[0].rows] == ["as on this page", "clusters"]


def test_the_literature_of_every_block_is_listed(binary: Outcome, nominal: Outcome) -> None:
    for outcome in (binary, nominal):
        used = {key for b in outcome.blocks for r in b.results for key in r.references}
        assert used <= set(outcome.references)
        assert "steegen2016" in used


@pytest.mark.parametrize(("last", "turned"), [(15.0, True), (5.9, False)])
def test_tests_that_disagree_stand_in_the_answer(last: float, turned: bool) -> None:
    """One pair far out kept the t test at p = .207; the sign flips and the ranks stood in the appendix alone."""
    before = [5.1, 4.8, 6.2, 5.5, 4.9, 5.7, 6.0, 5.2]
    after = [5.6, 5.0, 6.9, 5.8, 5.6, 5.9, 6.6, last]
    outcome = report(beside(before, after), replace(FAST, verify=False))
    tests = ("By the exact signed-rank test", "By the sign-flip test")
    texts = [text for text in outcome.answer if text.startswith(tests)]
    assert [text.split(",")[0] for text in texts] == list(tests) * turned
    assert all(text.endswith("p = .008.") for text in texts)
    short = [analysis.short for analysis in outcome.turned if analysis.text in texts]
    assert short == [f"{name}, the difference would be significant." for name in tests] * turned


def test_one_pair_that_makes_the_difference_stands_in_the_answer_and_plans_nothing() -> None:
    """A page advised 353 more pairs where one pair widened the interval five times, and said not significant."""
    gaps = np.append(np.random.default_rng(4).normal(0.18, 1.0, 119), 60.0)
    wide = pd.DataFrame({"subject": np.arange(120), "b": 5.0 + np.arange(120) % 3})
    wide["a"] = wide["b"] + gaps
    frame = wide.melt("subject", var_name="time", value_name="score")
    found = report(frame, conditions=("a", "b"))
    kept = paired_difference(frame[frame["subject"] < 119], conditions=("a", "b")).rows[0]
    said = next(text for text in found.answer if text.startswith("Without the pair"))
    assert sentences.stat(kept) in said
    assert found.planning == ()
    block = next(b for b in found.blocks if b.id == "outliers")
    share = 1 - gaps[:-1].mean() / gaps.mean()
    assert block.sentences[1] == f"Without it the difference was {percent(share)} smaller."
    sizes = next(b for b in found.blocks if b.id == "effect-sizes").sentences[-1]
    assert "disagree about 0; quote the mean difference" in sizes
    even = report(frame[frame["subject"] < 119], conditions=("a", "b"))
    assert not any(text.startswith("Without the pair") for text in even.answer)
    assert even.planning != ()
