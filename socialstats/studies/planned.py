"""The hypotheses of a plan as a block of the page, and the page marked as planned or exploratory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from socialstats.registry import Metric
from socialstats.results import Result, joined
from socialstats.studies.base import Design, StudyOptions
from socialstats.studies.estimates import label_of, numbers_text, p_text, verify_all
from socialstats.studies.hypotheses import Examined, Findings, Hypothesis, departures, examine
from socialstats.studies.outcome import Block, Outcome, Table
from socialstats.studies.verdicts import NULLS
from socialstats.text import count, listing, number, p_value, shorten

HEADER = ("Hypothesis", "Verdict", "Tested by", "Alternative", "Estimate", "Low", "High", "p", "p (Holm)", "Family",
          "Status")  # fmt: skip


def with_hypotheses(
    outcome: Outcome,
    hypotheses: Sequence[Hypothesis],
    design: Design,
    options: StudyOptions,
    metrics: Mapping[str, Metric],
) -> tuple[Outcome, tuple[str, ...]]:
    """Put the verdicts on a plan's hypotheses first on the page, and mark everything else as exploratory.

    Parameters
    ----------
    outcome : Outcome
        The page without them.
    hypotheses : sequence of Hypothesis
    design, options
        What the page was made from: a metric that the study leaves out is run on them.
    metrics : mapping of str to Metric

    Returns
    -------
    outcome : Outcome
    deviations : tuple of str
        Planned tests not run, and tests that are not in the plan.
    """
    if not hypotheses:
        return outcome, ()
    findings = examine(outcome, hypotheses, design, options, metrics)
    block = hypotheses_block(findings, hypotheses, options)
    sources = {id(test.source) for test in findings.tests if test.hypothesis.status == "confirmatory"}
    others = tuple(marked(other, sources) for other in outcome.blocks)
    new = verify_all({}, (block,)) if options.verify else {}
    references = dict.fromkeys((*outcome.references, *(key for r in block.results for key in r.references)))
    return (
        replace(
            outcome, blocks=(block, *others), references=tuple(references),
            verifications=joined(new, outcome.verifications),
        ),
        departures(outcome, findings),
    )  # fmt: skip


def marked(block: Block, sources: set[int]) -> Block:
    """Mark a block: confirmatory where a planned test came from it."""
    planned = any(id(result) in sources for result in block.results)
    return replace(block, status="confirmatory" if planned else "exploratory")


def hypotheses_block(findings: Findings, hypotheses: Sequence[Hypothesis], options: StudyOptions) -> Block:
    """Return the block: a sentence and a line of the table for each test."""
    confirmatory = [h for h in hypotheses if h.status == "confirmatory"]
    results: tuple[Result, ...] = (*findings.families, *findings.added)
    untested = [
        f"{h.id}{says(h)} was not tested: {findings.problems[h.id].split(chr(10))[0].rstrip('.')}."
        for h in hypotheses if h.id in findings.problems
    ]  # fmt: skip
    return Block(
        id="hypotheses",
        question="What becomes of the hypotheses of the plan?",
        sentences=(*(sentence(test) for test in findings.tests), *untested),
        tables=(table(findings, hypotheses),),
        results=results,
        status="confirmatory" if confirmatory else "exploratory",
        caption=caption(findings, options),
    )


def caption(findings: Findings, options: StudyOptions) -> str:
    """Name the families, their sizes, and the rule of decision."""
    names = [f"'{shorten(family, 60)}' (m = {m})" for r in findings.families for family, m in r.extras["m"].items()]
    rule = f"confirmatory tests are called at an adjusted p below {number(1 - options.level, 3, bounded=True)}"
    return f"Families, each adjusted by Holm's method: {listing(names, most=10)}; {rule}." if names else ""


def says(hypothesis: Hypothesis) -> str:
    """Return the hypothesis in its own words, in brackets."""
    return f" ({shorten(hypothesis.text, 200).rstrip('.')})" if hypothesis.text else ""


def sentence(test: Examined) -> str:
    """Say what a test settles, with its numbers.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> row = Row(term="difference", estimate=0.31, conf_low=0.11, conf_high=0.51, p_value=0.002, p_adjusted=0.004)
    >>> h = Hypothesis(id="H1", metric="mcnemar", text="reminders help", alternative="greater", family="main")
    >>> print(sentence(Examined(hypothesis=h, label="H1", row=row, source=None, bounds=row, verdict="above")))
    H1 (reminders help) is supported: difference 0.310, 95% CI [0.110, 0.510], one-sided p = .002, adjusted p = .004.
    """
    row, h = test.row, test.hypothesis
    parts = [numbers_text(row, digits=3)] if row.estimate is not None or row.p_value is None else []
    if row.p_value is not None:
        side = "" if h.alternative == "two-sided" else "one-sided "
        parts.append(side + p_value(row.p_value))
    if row.p_adjusted is not None:
        parts.append(f"adjusted {p_value(row.p_adjusted)}")
    bare = row.p_value is None and h.status == "confirmatory" and test.verdict in ("above", "below")
    note = "; it has no p-value, so its interval decides, adjusted for nothing" if bare else ""
    return f"{test.label}{says(h)} {words(test)}: {label_of(row)} {', '.join(parts)}{note}."


def words(test: Examined) -> str:
    """Return the verdict in words.

    Those of a confirmatory test speak of support; those of an exploratory one only of where its interval lies.
    """
    h, settled = test.hypothesis, test.verdict
    zero = {0.0: "zero", 1.0: "one"}[NULLS.get(test.row.term, 0.0)]
    size = number(h.smallest_effect, 3)
    if settled == "equal":
        return f"is practically nothing, between {number(-(h.smallest_effect or 0.0), 3)} and {size}"
    if settled == "none":
        return "has no verdict"
    if h.status == "exploratory":
        where = {"above": "above", "below": "below"}.get(settled)
        return f"is exploratory, with an interval {where} {zero}" if where else "is exploratory, and not settled"
    if settled == "open":
        return "is not settled by the data"
    expected = {"greater": "above", "less": "below"}.get(h.alternative)
    if expected is not None and settled != expected:
        return "is not supported, and the interval lies on the other side"
    return "is supported" if expected or settled == "differs" else f"is supported ({settled} {zero})"


def table(findings: Findings, hypotheses: Sequence[Hypothesis]) -> Table:
    """Return a line for each test, and for each hypothesis that was not tested."""
    cells: list[tuple[str | float | int | None, ...]] = [
        (
            test.label, words(test).removeprefix("is "), tested_by(test),
            test.hypothesis.alternative, test.row.estimate, test.row.conf_low, test.row.conf_high,
            p_text(test.row.p_value), p_text(test.row.p_adjusted), test.hypothesis.family, test.hypothesis.status,
        )
        for test in findings.tests
    ]  # fmt: skip
    cells += [
        (h.id, "not tested", spaced(h.metric), h.alternative, *[None] * 5, h.family, h.status)
        for h in hypotheses if h.id in findings.problems
    ]  # fmt: skip
    n = len(findings.tests)
    return Table(
        caption=f"The plan's {count(len(hypotheses), 'hypothesis', 'hypotheses')}, {count(n, 'test')}",
        header=HEADER, cells=tuple(cells),
    )  # fmt: skip


def tested_by(test: Examined) -> str:
    """Return metric and row of a test, and the two levels of a difference."""
    labels = test.source.settings.get("labels")
    pair = f", {shorten(labels[0], 30)} minus {shorten(labels[1], 30)}" if isinstance(labels, tuple) else ""
    return f"{spaced(test.hypothesis.metric)}: {label_of(test.row)}{pair}"


def spaced(name: str) -> str:
    """Return the name of a metric in words, which a table can break."""
    return name.replace("_", " ")
