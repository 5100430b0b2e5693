"""Hypotheses of a plan: which test decides, in which family, and what came out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Literal

from socialstats import sentences
from socialstats.errors import InputError, SocialStatsError
from socialstats.planning.adjusting import adjust
from socialstats.registry import Metric
from socialstats.results import Result, ResultGroup, Row, combine_verifications
from socialstats.studies.estimates import (
    NULLS,
    Alternative,
    Verdict,
    equivalence_bounds,
    label_of,
    literature,
    one_sided_p,
    p_cell,
    planned_verdict,
    verdict,
    verify_all,
)
from socialstats.studies.page import Block, Design, Outcome, PageTable, StudyOptions
from socialstats.text import count, listing, number, p_value, quoted, shorten

Status = Literal["confirmatory", "exploratory"]
MOST_TESTS = 8  # tests of a hypothesis with sentences of their own
MOST_SAID = 3  # tests that a sentence names
ONE_FAMILY = "all hypotheses"
HYPOTHESES = "hypotheses"  # the block of what became of them
SIDES: dict[str, Verdict] = {
    "greater": "above",
    "less": "below",
}  # what a one-sided hypothesis expects
OPPOSITE = {"greater": "less", "less": "greater"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One hypothesis of a plan.

    Attributes
    ----------
    id, text : str
        Its short name, and what it says in words.
    metric : str
        The metric that tests it, as in `socialstats.registry`.
    terms : tuple of str
        Terms of the metric's result, each a test; empty for the term that leads.
    group, by : str or None
        Group of the terms, and level of the by factor.
    minus : str or None
        With it the hypothesis is about a difference of the page: level `by` minus this one.
    alternative : {"two-sided", "greater", "less"}
    smallest_effect : float or None
        Estimates between minus and plus this are practically nothing.
    family : str
        Hypotheses of one family are adjusted together, by Holm's method.
    status : {"confirmatory", "exploratory"}
    question : str
        Of a study of a user's own: the question whose cells are tested, or that of the label `by`.
    """

    id: str
    metric: str
    text: str = ""
    terms: tuple[str, ...] = ()
    group: str | None = None
    by: str | None = None
    minus: str | None = None
    alternative: Alternative = "two-sided"
    smallest_effect: float | None = None
    family: str = ONE_FAMILY
    status: Status = "confirmatory"
    question: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """A test of a hypothesis.

    Attributes
    ----------
    hypothesis : Hypothesis
    label : str
        Id, with the term where the hypothesis has several.
    row : Row
        As on the page, with the p-value of the alternative, and `p_adjusted` over the family.
    source : Result
        What the row came from.
    bounds : Row
        The estimate with the interval of the test of equivalence.
    verdict : str
    """

    hypothesis: Hypothesis
    label: str
    row: Row
    source: Result
    bounds: Row
    verdict: Verdict = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What became of the hypotheses.

    Attributes
    ----------
    tests : tuple of Examined
    problems : mapping of id to reason
        Hypotheses that were not tested, and why.
    families : tuple of Result
        The adjusted tests of each family.
    added : tuple of Result
        Results that the study does not compute, and a hypothesis needed.
    """

    tests: tuple[Examined, ...]
    problems: Mapping[str, str]
    families: tuple[Result, ...]
    added: tuple[Result, ...]


def examine(
    outcome: Outcome,
    hypotheses: Sequence[Hypothesis],
    design: Design,
    options: StudyOptions,
    metrics: Mapping[str, Metric],
) -> Findings:
    """Find the test of each hypothesis on the page, or run it; adjust families; say what each settles."""
    tests: list[Examined] = []
    problems: dict[str, str] = {}
    added: dict[tuple[str, str | None], Result] = {}
    for hypothesis in hypotheses:
        try:
            source = on_page(outcome, hypothesis)
            if source is None:
                key = (hypothesis.metric, hypothesis.by)
                source = added.get(key) or run_metric(
                    metrics[hypothesis.metric], design, options, hypothesis.by
                )
                rows_of(source, hypothesis)
                added[key] = source
            tests += tests_of(hypothesis, source, results_of(outcome))
        except SocialStatsError as error:
            problems[hypothesis.id] = str(error)
    return findings_of(tests, problems, options, tuple(added.values()))


def findings_of(
    tests: Sequence[Examined],
    problems: Mapping[str, str],
    options: StudyOptions,
    added: tuple[Result, ...] = (),
) -> Findings:
    """Adjust the tests of each family, and say what each of them settles."""
    adjusted, families = adjust_all(tests)
    judged = tuple(judge(test, 1 - options.level) for test in adjusted)
    return Findings(tests=judged, problems=problems, families=families, added=added)


def on_page(outcome: Outcome, hypothesis: Hypothesis) -> Result | None:
    """Return the first result of the page that has the hypothesis' metric, level and terms; results of fits first.

    A comparison of all levels is about no level alone: its rows need terms.

    Raises
    ------
    InputError
        As `difference_on_page`.
    """
    differences = differences_of(outcome)
    if hypothesis.minus is not None or (hypothesis.by is None and differences):
        return difference_on_page(differences, hypothesis)
    candidates = [
        result
        for block in outcome.blocks
        if block.level == (hypothesis.by or "")
        for result in block.results
        if result.metric == hypothesis.metric
        if hypothesis.terms or "by_model" not in result.extras
    ]
    return first_with(sorted(candidates, key=lambda result: bool(result.words)), hypothesis)


def results_of(outcome: Outcome) -> list[Result]:
    """Return the results of all blocks of a page."""
    return [result for block in outcome.blocks for result in block.results]


def first_with(results: Sequence[Result], hypothesis: Hypothesis) -> Result | None:
    """Return the first result that has the rows of a hypothesis; None where none has."""
    for result in results:
        with suppress(InputError):
            rows_of(result, hypothesis)
            return result
    return None


def differences_of(outcome: Outcome) -> list[tuple[tuple[str, str], Result]]:
    """Return the results of a page that are differences of two levels, with these levels."""
    pairs = [(result.settings.get("labels"), result) for result in results_of(outcome)]
    return [
        (labels, result)
        for labels, result in pairs
        if isinstance(labels, tuple) and len(labels) == 2
    ]


def difference_on_page(
    differences: Sequence[tuple[tuple[str, str], Result]], hypothesis: Hypothesis
) -> Result:
    """Return the difference that a hypothesis is about: of its metric, or any that has its terms.

    Raises
    ------
    InputError
        If the page has no such difference, or several and the hypothesis does not say which.
    """
    pairs = list(dict.fromkeys(labels for labels, _ in differences))
    labels_wanted = (hypothesis.by, hypothesis.minus)
    if hypothesis.minus is None and len(pairs) == 1:
        labels_wanted = pairs[0]
    if labels_wanted not in pairs:
        choices = listing(
            [f"by = '{shorten(first)}', minus = '{shorten(second)}'" for first, second in pairs],
            most=4,
        )
        raise InputError(f"say which difference; this page has: {choices or 'none'}")
    candidates = sorted(
        (r for labels, r in differences if labels == labels_wanted),
        key=lambda r: r.metric != hypothesis.metric,
    )
    of_metric = [result for result in candidates if result.metric == hypothesis.metric]
    if result := first_with(candidates if hypothesis.terms else of_metric, hypothesis):
        return result
    terms = dict.fromkeys(row.term for result in candidates for row in result.rows)
    raise InputError(f"no such terms in this difference; terms: {quoted(list(terms), most=12)}")


def rows_of(result: Result, hypothesis: Hypothesis) -> tuple[Row, ...]:
    """Return the rows of the terms, or the leading one.

    Raises
    ------
    InputError
        If there is no such term, or group of it.
    """
    if hypothesis.terms:
        return tuple(result.row(term, group=hypothesis.group) for term in hypothesis.terms)
    rows = [row for row in result.rows if hypothesis.group in (None, row.group)]
    if not rows:
        groups = dict.fromkeys(repr(row.group) for row in result.rows)
        raise InputError(
            f"no group '{shorten(hypothesis.group or '')}' in this result; groups: {', '.join(groups)}"
        )
    tests = [row for row in rows if row.p_value is not None]
    return (rows[0] if rows[0].estimate is not None or not tests else tests[0],)


def run_metric(metric: Metric, design: Design, options: StudyOptions, by: str | None) -> Result:
    """Compute a metric that the study leaves out, with the plan's level, seed and resamples.

    Raises
    ------
    InputError
        If it is a metric of another design, or the level of the by factor is not said.
    """
    if design.kind != metric.design:
        raise InputError(
            f"{metric.name} is for {metric.design}; this table is {type(design).__name__.lower()}"
        )
    result = metric.function(design, **options.chosen_for(metric.function))
    if isinstance(result, ResultGroup):
        if by is None:
            raise InputError(
                f'the table is analysed by {shorten(result.by)}: say which level, by = "..."'
            )
        level: Result = result[by]
        return level
    if by is not None:
        raise InputError(f"by = '{shorten(by)}', and the table has no by factor")
    return result


def tests_of(
    hypothesis: Hypothesis, source: Result, results: Sequence[Result]
) -> Iterator[Examined]:
    """Yield the tests of a hypothesis, each with the p-value of its alternative.

    `results` are those of the page: one of them may have the interval of a test of equivalence.

    Raises
    ------
    InputError
        If the alternative is one-sided and the test is not, or a smallest effect is given for a ratio.
    """
    rows = rows_of(source, hypothesis)
    for row in rows:
        if hypothesis.smallest_effect is not None and NULLS.get(row.term, 0.0) != 0:
            raise InputError(
                f"smallest_effect is for quantities that are 0 where nothing is; {row.term} is not"
            )
        p = one_sided_p(row, hypothesis.alternative)
        if p is None and row.p_value is not None:
            raise InputError(
                f"the test of '{shorten(row.term)}' has no one-sided p-value ({row.method or source.inference}): "
                'alternative = "two-sided" has one'
            )
        label = hypothesis.id if len(rows) == 1 else f"{hypothesis.id}: {row.term}"
        yield Examined(
            hypothesis=hypothesis,
            label=label,
            row=replace(row, p_value=p, p_adjusted=None),
            source=source,
            bounds=bounds_of(row, source, results),
        )


def bounds_of(row: Row, source: Result, results: Sequence[Result]) -> Row:
    """Return the interval of the test of equivalence: that of the page, of the row's own s.e., or the row's."""
    for result in results:
        if result.metric != source.metric or result.design is not source.design:
            continue
        for candidate in result.rows:
            is_same = (candidate.term, candidate.group, candidate.estimate) == (
                row.term,
                row.group,
                row.estimate,
            )
            if (
                is_same
                and row.conf_level
                and candidate.conf_level
                and abs(candidate.conf_level - 2 * row.conf_level + 1) < 1e-9
            ):
                return candidate
    return equivalence_bounds(row)


def adjust_all(tests: Sequence[Examined]) -> tuple[tuple[Examined, ...], tuple[Result, ...]]:
    """Adjust the tests of each family by Holm's method; exploratory tests make a family of their own."""
    members: dict[str, list[int]] = {}
    for k, test in enumerate(tests):
        h = test.hypothesis
        name = h.family if h.status == "confirmatory" else f"{h.family}, exploratory"
        members.setdefault(name, []).append(k)
    done = list(tests)
    families: list[Result] = []
    for name, places in members.items():
        rows = [replace(tests[k].row, term=tests[k].label, group=None) for k in places]
        if all(row.p_value is None for row in rows):
            continue
        families.append(adjust(rows, method="holm", family=name))
        by_label = {row.term: row for row in families[-1].rows if row.p_value is not None}
        for k in places:
            if new := by_label.get(tests[k].label):
                done[k] = replace(
                    tests[k],
                    row=replace(tests[k].row, p_adjusted=new.p_adjusted, method=new.method),
                )
    return tuple(done), tuple(families)


def judge(test: Examined, alpha: float) -> Examined:
    """State what a test shows: a confirmatory one by its adjusted p, an exploratory one by its interval alone."""
    h, row = test.hypothesis, test.row
    expected, opposite = SIDES.get(h.alternative), SIDES.get(OPPOSITE.get(h.alternative, ""))
    settled: Verdict = "none"
    if h.status == "confirmatory":
        settled = planned_verdict(row, alpha=alpha, bounds=test.bounds, smallest=h.smallest_effect)
        if expected and settled in ("above", "below") and row.p_value is not None:
            settled = expected
        elif (
            opposite and settled == "open" and verdict(row) == opposite
        ):  # the interval lies wholly on the other side
            settled = opposite
    elif row.conf_low is not None or row.conf_high is not None:
        settled = verdict(row, bounds=test.bounds, smallest=h.smallest_effect)
    return replace(test, verdict=settled)


def departures(outcome: Outcome, findings: Findings, *, all_asked: bool = False) -> tuple[str, ...]:
    """Return, a sentence each, the planned tests that were not run, and the tests that no hypothesis asked for.

    There are none of the latter where the file asks every question of the page (`all_asked`).
    """
    missing = [
        f"planned test not run: {name}: {reason}" for name, reason in findings.problems.items()
    ]
    if all_asked:
        return tuple(missing)
    planned = {(id(test.source), test.row.term, test.row.group) for test in findings.tests}
    extra: dict[str, int] = {}
    for result in results_of(outcome):
        if result.metric == "adjust":  # tests of other results again, adjusted
            continue
        rows = [row for row in result.rows if row.p_value is not None]
        n = sum((id(result), row.term, row.group) not in planned for row in rows)
        extra[result.metric] = extra.get(result.metric, 0) + n
    more = [
        f"tests not in the plan, exploratory: {n:,} of {name}" for name, n in extra.items() if n
    ]
    return (*missing, *more)


HEADER = (
    "Hypothesis",
    "Verdict",
    "Tested by",
    "Alternative",
    "Estimate",
    "Low",
    "High",
    "p",
    "p (Holm)",
    "Family",
    "Status",
)


def with_hypotheses(
    outcome: Outcome,
    hypotheses: Sequence[Hypothesis],
    design: Design,
    options: StudyOptions,
    metrics: Mapping[str, Metric],
) -> tuple[Outcome, tuple[str, ...]]:
    """Place the verdicts on a plan's hypotheses first on the page, and mark everything else as exploratory.

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
    return with_findings(outcome, findings, hypotheses, options)


def with_findings(
    outcome: Outcome,
    findings: Findings,
    hypotheses: Sequence[Hypothesis],
    options: StudyOptions,
    *,
    all_asked: bool = False,
) -> tuple[Outcome, tuple[str, ...]]:
    """Place what became of hypotheses first on the page; `with_hypotheses` documents what is returned.

    `all_asked` says that the plan asks every question of the page, so that no test departs from it.
    """
    block = hypotheses_block(findings, hypotheses, options)
    sources = {
        id(test.source) for test in findings.tests if test.hypothesis.status == "confirmatory"
    }
    others = tuple(marked(other, sources) for other in outcome.blocks)
    new = verify_all({}, (block,)) if options.verify else {}
    page = replace(
        outcome,
        blocks=(block, *others),
        references=tuple(dict.fromkeys((*outcome.references, *literature(block.results)))),
        verifications=combine_verifications(new, outcome.verifications),
    )
    return page, departures(outcome, findings, all_asked=all_asked)


def marked(block: Block, sources: set[int]) -> Block:
    """Mark a block: confirmatory where a planned test came from it."""
    planned = any(id(result) in sources for result in block.results)
    return replace(block, status="confirmatory" if planned else "exploratory")


def hypotheses_block(
    findings: Findings, hypotheses: Sequence[Hypothesis], options: StudyOptions
) -> Block:
    """Return the block: a sentence and a line of the table for each test."""
    untested = [
        f"{h.id}{says(h)} was not tested: {findings.problems[h.id].split(chr(10))[0].rstrip('.')}."
        for h in hypotheses
        if h.id in findings.problems
    ]
    return Block(
        id=HYPOTHESES,
        question="Which planned hypotheses were supported?",
        sentences=(*said_of_tests(findings.tests), *untested),
        tables=(hypothesis_table(findings, hypotheses),),
        results=(*findings.families, *findings.added),
        status="confirmatory"
        if any(h.status == "confirmatory" for h in hypotheses)
        else "exploratory",
        caption=caption(findings, options),
    )


def said_of_tests(tests: Sequence[Examined]) -> list[str]:
    """Return a sentence for each test; of a hypothesis with many tests how many of them came out in each way."""
    by_hypothesis: dict[str, list[Examined]] = {}
    for test in tests:
        by_hypothesis.setdefault(test.hypothesis.id, []).append(test)
    texts = []
    for of_hypothesis in by_hypothesis.values():
        texts += (
            [counted(of_hypothesis)]
            if len(of_hypothesis) > MOST_TESTS
            else [sentence(test) for test in of_hypothesis]
        )
    return texts


def counted(tests: Sequence[Examined]) -> str:
    """State how many tests of a hypothesis came out in each way, and name some of them."""
    hypothesis = tests[0].hypothesis
    ways: dict[str, list[str]] = {}
    for test in tests:
        name = test.label.removeprefix(f"{hypothesis.id}: ")
        ways.setdefault(words(test).removeprefix("is "), []).append(shorten(name, 60))
    parts = [
        f"{way} in {count(len(names))} of {count(len(tests))} tests ({'; '.join(names[:MOST_SAID])}"
        f"{'; ...' if len(names) > MOST_SAID else ''})"
        for way, names in sorted(ways.items())
    ]
    return f"{hypothesis.id}{says(hypothesis)}: {'. It is '.join(parts)}."


def caption(findings: Findings, options: StudyOptions) -> str:
    """Name the families, their sizes, and the rule of decision."""
    names = [
        f"'{shorten(family, 60)}' (m = {m})"
        for r in findings.families
        for family, m in r.extras["m"].items()
    ]
    rule = f"confirmatory tests are called at an adjusted p below {number(1 - options.level, 3, bounded=True)}"
    return (
        f"Families, each adjusted by Holm's method: {listing(names, most=10)}; {rule}."
        if names
        else ""
    )


def says(hypothesis: Hypothesis) -> str:
    """Return the hypothesis in its own words, in brackets."""
    return f" ({shorten(hypothesis.text, 200).rstrip('.')})" if hypothesis.text else ""


def sentence(test: Examined) -> str:
    """State what a test shows, with its numbers.

    Examples
    --------
    >>> from socialstats.results import Row
    >>> row = Row(term="difference", estimate=0.31, conf_low=0.11, conf_high=0.51, p_value=0.002, p_adjusted=0.004)
    >>> h = Hypothesis(id="H1", metric="mcnemar", text="reminders help", alternative="greater", family="main")
    >>> print(sentence(Examined(hypothesis=h, label="H1", row=row, source=None, bounds=row, verdict="above")))
    H1 (reminders help) is supported: difference 0.31, 95% CI [0.11, 0.51], one-sided p = .002, adjusted p = .004.
    """
    row, h = test.row, test.hypothesis
    parts = (
        [sentences.estimate_text(row)] if row.estimate is not None or row.p_value is None else []
    )
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
    zero = {0.0: "zero", 0.5: "one half", 1.0: "one"}[NULLS.get(test.row.term, 0.0)]
    size = number(h.smallest_effect, 3)
    if settled == "equal":
        return f"is equivalent to {zero} within ±{size}"
    if settled == "none":
        return "has no verdict"
    if h.status == "exploratory":
        clear = settled in ("above", "below")
        return (
            f"is exploratory, with an interval {settled} {zero}"
            if clear
            else "is exploratory, and inconclusive"
        )
    if settled == "open":
        return "is inconclusive"
    expected = SIDES.get(h.alternative)
    if expected is not None and settled != expected:
        return "is not supported, and the interval lies on the other side"
    return (
        "is supported" if expected or settled == "differs" else f"is supported ({settled} {zero})"
    )


def hypothesis_table(findings: Findings, hypotheses: Sequence[Hypothesis]) -> PageTable:
    """Return a line for each test, and for each hypothesis that was not tested."""
    cells: list[tuple[str | float | int | None, ...]] = [
        (
            test.label,
            words(test).removeprefix("is "),
            tested_by(test),
            test.hypothesis.alternative,
            test.row.estimate,
            test.row.conf_low,
            test.row.conf_high,
            p_cell(test.row.p_value),
            p_cell(test.row.p_adjusted),
            test.hypothesis.family,
            test.hypothesis.status,
        )
        for test in findings.tests
    ]
    cells += [
        (h.id, "not tested", spaced(h.metric), h.alternative, *[None] * 5, h.family, h.status)
        for h in hypotheses
        if h.id in findings.problems
    ]
    caption = f"The plan's {count(len(hypotheses), 'hypothesis', 'hypotheses')}, {count(len(findings.tests), 'test')}"
    return PageTable(caption, HEADER, tuple(cells))


def tested_by(test: Examined) -> str:
    """Return metric and row of a test, and the two levels of a difference."""
    labels = test.source.settings.get("labels")
    pair = (
        f", {shorten(labels[0], 30)} minus {shorten(labels[1], 30)}"
        if isinstance(labels, tuple)
        else ""
    )
    return f"{spaced(test.hypothesis.metric)}: {label_of(test.row)}{pair}"


def spaced(name: str) -> str:
    """Return the name of a metric in words, which a table can break."""
    return name.replace("_", " ")
