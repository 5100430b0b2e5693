"""Hypotheses of a plan: found on the page or run, adjusted in families, judged, and every departure listed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from study_tables import LEVELS, answers, ratings, scores, stray_decimals

from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.metrics import METRICS
from socialstats.results import Result, Row
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.page import Block, Outcome
from socialstats.studies.plan import Examined, Hypothesis, examine, judge, sentence, with_hypotheses

FAST = StudyOptions(resamples=200, verify=False)


@pytest.fixture(scope="module")
def pairs() -> Paired:
    return Paired.from_frame(answers(), conditions=("reminded", "plain"), cluster="scenario")


@pytest.fixture(scope="module")
def page(pairs: Paired) -> Outcome:
    return run_study(STUDIES["paired"], pairs, FAST)


def planned(
    page: Outcome, pairs: object, *hypotheses: Hypothesis
) -> tuple[Outcome, tuple[str, ...]]:
    return with_hypotheses(page, hypotheses, pairs, FAST, METRICS)  # type: ignore[arg-type]


def main_row(page: Outcome) -> Row:
    return page.blocks[0].results[0].rows[0]


def test_a_hypothesis_uses_the_numbers_of_the_page(page: Outcome, pairs: Paired) -> None:
    lead = main_row(page)
    done, deviations = planned(
        page, pairs, Hypothesis(id="H1", metric="mcnemar", alternative="greater")
    )
    block = done.blocks[0]
    assert (block.id, block.status) == ("hypotheses", "confirmatory")
    (row,) = block.results[0].rows
    assert (row.estimate, row.conf_low, row.conf_high) == (
        lead.estimate,
        lead.conf_low,
        lead.conf_high,
    )
    assert row.p_value == pytest.approx((lead.p_value or 0) / 2)
    assert row.p_adjusted == row.p_value  # a family of one
    assert "H1 is supported: difference" in block.sentences[0]
    assert stray_decimals(done, list(block.sentences), {0.05}) == []
    assert deviations[-1].startswith("tests not in the plan, exploratory: ")
    assert not any(text.startswith("planned test not run") for text in deviations)


def test_tests_that_no_hypothesis_asked_for_are_counted(page: Outcome, pairs: Paired) -> None:
    results = [result for block in page.blocks for result in block.results]
    n = sum(
        row.p_value is not None
        for result in results
        for row in result.rows
        if result.metric == "mcnemar"
    )
    _, deviations = planned(page, pairs, Hypothesis(id="H1", metric="mcnemar"))
    assert deviations == (f"tests not in the plan, exploratory: {n - 1} of mcnemar",)


def test_blocks_are_marked_by_where_the_planned_tests_come_from(
    page: Outcome, pairs: Paired
) -> None:
    done, _ = planned(page, pairs, Hypothesis(id="H1", metric="mcnemar"))
    statuses = {block.id: block.status for block in done.blocks}
    assert statuses["difference"] == "confirmatory"
    assert {
        status for name, status in statuses.items() if name not in ("difference", "hypotheses")
    } == {"exploratory"}
    done, _ = planned(page, pairs, Hypothesis(id="H1", metric="mcnemar", status="exploratory"))
    assert {block.status for block in done.blocks} == {"exploratory"}
    assert with_hypotheses(page, (), pairs, FAST, METRICS) == (page, ())


def made(
    ps: list[float | None], estimates: list[float] | None = None
) -> tuple[Outcome, list[Hypothesis]]:
    """A page with one result of bare tests, and a hypothesis for each."""
    values = estimates or [1.0] * len(ps)
    rows = tuple(
        Row(term=f"t{k}", estimate=e, p_value=p)
        for k, (p, e) in enumerate(zip(ps, values, strict=True))
    )
    result = Result(metric="mcnemar", title="Made", rows=rows)
    block = Block(id="b", question="?", sentences=(), results=(result,))
    outcome = Outcome(
        study="paired",
        title="t",
        design="d",
        answer=("a",),
        cautions=(),
        blocks=(block,),
        flow=(),
    )
    return outcome, [
        Hypothesis(id=f"H{k}", metric="mcnemar", terms=(f"t{k}",)) for k in range(len(ps))
    ]


def test_a_family_is_adjusted_by_holm_and_decides(pairs: Paired) -> None:
    outcome, hypotheses = made([0.01, 0.04, 0.03])
    found = examine(outcome, hypotheses, pairs, FAST, METRICS)
    assert [test.row.p_adjusted for test in found.tests] == pytest.approx(
        [0.03, 0.06, 0.06]
    )  # R: p.adjust, "holm"
    assert [test.verdict for test in found.tests] == ["above", "open", "open"]
    assert found.families[0].extras["m"] == {"all hypotheses": 3}
    apart = [replace(h, family=h.id) for h in hypotheses]
    found = examine(outcome, apart, pairs, FAST, METRICS)
    assert [test.row.p_adjusted for test in found.tests] == pytest.approx([0.01, 0.04, 0.03])
    assert {test.verdict for test in found.tests} == {"above"}


def test_exploratory_tests_do_not_cost_the_planned_ones_and_get_no_verdict_by_p(
    pairs: Paired,
) -> None:
    outcome, hypotheses = made([0.01, 0.04, 0.03])
    hypotheses[1:] = [replace(h, status="exploratory") for h in hypotheses[1:]]
    found = examine(outcome, hypotheses, pairs, FAST, METRICS)
    assert [test.row.p_adjusted for test in found.tests] == pytest.approx([0.01, 0.06, 0.06])
    assert [test.verdict for test in found.tests] == ["above", "none", "none"]
    assert "supported" not in sentence(found.tests[1])


def test_several_terms_are_several_tests_of_one_family(page: Outcome, pairs: Paired) -> None:
    outcome, _ = made([0.01, 0.04, None])
    both = Hypothesis(id="H", metric="mcnemar", terms=("t0", "t1"), family="f")
    found = examine(outcome, [both], pairs, FAST, METRICS)
    assert [test.label for test in found.tests] == ["H: t0", "H: t1"]
    assert [test.row.p_adjusted for test in found.tests] == pytest.approx([0.02, 0.04])


LINE = Row(
    term="difference",
    estimate=0.4,
    conf_low=0.1,
    conf_high=0.7,
    conf_level=0.95,
    p_value=0.01,
    p_adjusted=0.01,
)
H = Hypothesis(id="H", metric="mcnemar")
CASES = [
    (H, LINE, "is supported (above zero)"),
    (replace(H, alternative="greater"), LINE, "is supported"),
    (
        replace(H, alternative="less"),
        replace(LINE, p_value=0.99, p_adjusted=0.99),
        "is not supported, and the interval lies on the other side",
    ),
    (H, replace(LINE, p_adjusted=0.2), "is inconclusive"),
    (replace(H, smallest_effect=1.0), LINE, "is equivalent to zero within ±1.000"),
    (replace(H, smallest_effect=0.5), LINE, "is supported (above zero)"),
    (H, Row(term="chi2", statistic=9.0, df=2.0, p_value=0.011, p_adjusted=0.011), "is supported"),
    (H, Row(term="alpha", undefined="no variation"), "has no verdict"),
    (
        H,
        Row(term="odds_ratio", estimate=3.0, conf_low=2.0, conf_high=5.0),
        "is supported (above one)",
    ),
    (replace(H, status="exploratory"), LINE, "is exploratory, with an interval above zero"),
    (
        replace(H, status="exploratory"),
        replace(LINE, conf_low=-0.1),
        "is exploratory, and inconclusive",
    ),
]


@pytest.mark.parametrize(("hypothesis", "row", "words"), CASES)
def test_verdicts_in_words(hypothesis: Hypothesis, row: Row, words: str) -> None:
    source = Result(metric="mcnemar", title="Made", rows=(row,))
    test = judge(
        Examined(hypothesis=hypothesis, label="H", row=row, source=source, bounds=row), 0.05
    )
    assert sentence(test).startswith(f"H {words}: ")
    if row.p_value is None and row.estimate is not None:
        assert "it has no p-value, so its interval decides, adjusted for nothing" in sentence(test)


@pytest.mark.parametrize(
    ("hypothesis", "reason"),
    [
        (replace(H, metric="cochran_q"), "cochran_q is for ratings; this table is paired"),
        (replace(H, metric="symmetry"), None),
        (replace(H, terms=("nothing",)), "no term 'nothing' in this result; terms: difference"),
        (replace(H, terms=("odds_ratio",), smallest_effect=0.1), "odds_ratio is not"),
        (replace(H, by="m1"), "the table has no by factor"),
        (replace(H, group="nowhere"), "no group 'nowhere'"),
    ],
)
def test_what_cannot_be_tested_is_a_deviation_with_its_reason(
    page: Outcome, pairs: Paired, hypothesis: Hypothesis, reason: str | None
) -> None:
    done, deviations = planned(page, pairs, hypothesis)
    missing = [text for text in deviations if text.startswith("planned test not run: H: ")]
    assert len(missing) == (reason is not None)
    if reason is not None:
        assert reason in missing[0]
        assert "H was not tested: " in done.blocks[0].sentences[-1]
        assert done.blocks[0].tables[0].cells[-1][:2] == ("H", "not tested")


def test_an_exact_test_has_no_one_sided_p() -> None:
    few = Paired.from_frame(
        answers().query("scenario in ('s00', 's01')"), conditions=("reminded", "plain")
    )
    outcome = run_study(STUDIES["paired"], few, FAST)
    exact = next(
        r
        for b in outcome.blocks
        for x in b.results
        for r in x.rows
        if r.p_value and r.statistic is None
    )
    one = Hypothesis(
        id="H", metric="mcnemar", terms=(exact.term,), group=exact.group, alternative="greater"
    )
    _, deviations = planned(outcome, few, one)
    assert "has no one-sided p-value" in deviations[0]


def test_a_metric_that_the_study_leaves_out_is_run_once_and_verified(
    pairs: Paired, page: Outcome
) -> None:
    wanted = [
        Hypothesis(id=f"H{k}", metric="effect_sizes", terms=(term,))
        for k, term in enumerate(("d_z", "g_z"))
    ]
    done, deviations = with_hypotheses(page, wanted, pairs, replace(FAST, verify=True), METRICS)
    run = [result for result in done.blocks[0].results if result.metric == "effect_sizes"]
    assert len(run) == 1
    checks = [check for verification in done.verifications.values() for check in verification]
    assert checks
    assert all(check.ok is not False for check in checks)
    assert not any("not run" in text for text in deviations)
    assert set(run[0].references) <= set(done.references)


def test_the_bounds_of_equivalence_are_those_of_the_page(pairs: Paired) -> None:
    options = replace(FAST, smallest_effect=0.5)
    outcome = run_study(STUDIES["paired"], pairs, options)
    ninety = next(
        r for b in outcome.blocks if b.id == "equivalence" for x in b.results for r in x.rows
    )
    found = examine(outcome, [replace(H, smallest_effect=0.5)], pairs, options, METRICS)
    assert found.tests[0].bounds == ninety
    assert found.tests[0].verdict == "equal"


def test_levels_of_a_by_factor_are_named() -> None:
    frame = scores().assign(model="m1")
    frame = frame.merge(scores(4).assign(model="m2"), how="outer")
    design = Paired.from_frame(frame, by="model")
    outcome = run_study(STUDIES["paired"], design, FAST)
    wanted = [replace(H, id=level, metric="paired_difference", by=level) for level in ("m1", "m2")]
    found = examine(outcome, wanted, design, FAST, METRICS)
    assert not found.problems
    sources = [test.source for test in found.tests]
    assert sources[0] is not sources[1]
    none = examine(outcome, [replace(H, metric="paired_difference")], design, FAST, METRICS)
    assert "say which level" in none.problems["H"]
    other = examine(
        outcome, [replace(H, metric="paired_difference", by="m9")], design, FAST, METRICS
    )
    assert "m9" in other.problems["H"]
    gap = examine(
        outcome, [replace(H, metric="paired_difference", terms=("m1 - m2",))], design, FAST, METRICS
    )
    board = outcome.blocks[0].results[0]
    assert gap.tests[0].row.p_value == board.row("m1 - m2").p_value is not None


def test_ratings_are_judged_by_the_interval_of_alpha() -> None:
    design = Ratings.from_frame(ratings(), levels=list(LEVELS), refusal="refused", cluster="story")
    outcome = run_study(STUDIES["agreement"], design, FAST)
    found = examine(outcome, [replace(H, metric="krippendorff_alpha")], design, FAST, METRICS)
    alpha = main_row(outcome)
    assert found.tests[0].row.estimate == alpha.estimate
    assert found.tests[0].verdict == "above"
