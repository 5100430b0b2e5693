"""Study relationship-bias: with whom does a model side in a couple?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.couples import EXTRA, RATERS, couples_design, written_answers
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.figures import estimation
from socialstats.metrics.relationship_bias import relationship_bias
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    Verdict,
    cluster_words,
    df_text,
    equivalence_bounds,
    numbers_text,
    planned_verdict,
    rows_table,
    settings_of,
    verify_all,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    dependence_block,
    distinct,
    multiverse,
    multiverse_block,
    with_design_effect,
    without_label,
)
from socialstats.studies.page import Block, Diagnostic, Mark, Outcome, Strip, Study, StudyOptions, order_cautions
from socialstats.studies.relationship_bias.blocks import (
    answers_block,
    bias_block,
    missing_block,
    naive_block,
    overall_block,
    position_block,
    strata_blocks,
)
from socialstats.studies.relationship_bias.names import check_names, names_block, read_names
from socialstats.tables import Table
from socialstats.text import count, interval, level_text, listing, number, p_value, shorten

FAMILY = "pairs of groups"
MOST = 2.0


def settled(row: Row, options: StudyOptions) -> Verdict:
    """Say what a bias settles: by its adjusted p, and by the smallest effect where one was given."""
    return planned_verdict(
        row, alpha=1 - options.level, bounds=equivalence_bounds(row), smallest=options.smallest_effect
    )


def groups_of(row: Row, groups: Sequence[str] = ()) -> tuple[str, str]:
    """Return the two groups of a bias; `groups` tells them apart where their names hold a dash.

    Examples
    --------
    >>> groups_of(Row(term="a - b - c"), ("a - b", "c"))
    ('a - b', 'c')
    """
    known = [(one, other) for one in groups for other in groups if row.term == f"{one} - {other}"]
    first, _, second = row.term.partition(" - ")
    return known[0] if known else (first, second)


def sides(row: Row, groups: Sequence[str] = ()) -> tuple[str, str]:
    """Return the two groups of a bias, ready for a sentence."""
    first, second = groups_of(row, groups)
    return shorten(first, 40), shorten(second, 40)


def favoured(row: Row, options: StudyOptions, groups: Sequence[str] = (), *, brief: bool = False) -> str:
    """Say who is favoured over whom, or that the data do not settle it.

    Examples
    --------
    >>> row = Row(term="woman - man", estimate=0.3, conf_low=0.1, conf_high=0.5, conf_level=0.95, statistic=3.1,
    ...           df=19.0, p_value=0.006, p_adjusted=0.012)
    >>> favoured(row, StudyOptions()).partition(", t(19)")[0]
    "'woman' names are favoured over 'man' names (B = 0.30, 95% CI [0.10, 0.50]"
    """
    first, second = (f"'{side}'" for side in sides(row, groups))
    if row.estimate is None or (row.p_value is None and row.conf_low is None):
        return unheard(row, first, second)
    inside, what = bias_text(row, brief=brief), settled(row, options)
    if what == "equal":
        near = number(options.smallest_effect)
        return f"{first} and {second} names are practically equal, within ±{near} ({inside})"
    if what in ("above", "below"):
        one, other = (first, second) if what == "above" else (second, first)
        return f"{one} names are favoured over {other} names ({inside})"
    alone = row.p_adjusted is not None and row.p_value is not None and row.p_value < 1 - options.level
    after = "after adjustment for several tests " if alone else ""
    return f"{after}the data do not settle whether {first} or {second} names are favoured ({inside})"


def unheard(row: Row, first: str, second: str) -> str:
    """Say what a bias without interval and test still shows: everything, where one group was always chosen.

    Examples
    --------
    >>> unheard(Row(term="a - b", estimate=-2.0, n=80.0), "'a'", "'b'").partition(" (B")[0]
    "'b' names were chosen over 'a' names in all 80 answers"
    """
    if row.estimate is not None and abs(row.estimate) == MOST:
        one, other = (first, second) if row.estimate > 0 else (second, first)
        return (
            f"{one} names were chosen over {other} names in all {count(row.n or 0)} answers (B = "
            f"{number(row.estimate, 0)}, the largest there can be; no standard error, as no answer differs)"
        )
    return f"no verdict on {first} and {second} names ({numbers_text(row)})"


def opened(said: str) -> str:
    """Begin a sentence with a capital, and leave the name of a group as it is written."""
    own = said.startswith(("the data ", "no verdict ", "after "))
    return f"{said[0].upper()}{said[1:]}" if own else said


def bias_text(row: Row, *, brief: bool = False) -> str:
    """Write B with its interval and test (`brief`: the adjusted p alone, where there is one)."""
    text = f"B = {number(row.estimate)}"
    if row.conf_low is not None:
        text += f", {interval(row.conf_low, row.conf_high, level=row.conf_level or 0.95)}"
    if row.statistic is not None and row.p_value is not None and not (brief and row.p_adjusted is not None):
        text += f", t({df_text(row.df)}) = {number(row.statistic)}, {p_value(row.p_value)}"
    if row.p_adjusted is not None:
        text += f", {p_value(row.p_adjusted, name='Holm-adjusted p')}"
    return text


def answer(main: Result, biases: Sequence[Row], options: StudyOptions) -> tuple[str, ...]:
    """Return who is favoured, B_all beside what chance gives it, and what a row-level test would have claimed."""
    ordered = sorted(biases, key=lambda row: {"open": 1, "none": 2}.get(settled(row, options), 0))
    said = ". ".join(opened(favoured(row, options, main.extras["groups"], brief=True)) for row in ordered)
    n, group = main.counts, sides(biases[0], main.extras["groups"])[0]
    first = f"{said}. B of '{shorten(biases[0].term, 60)}' is positive where '{group}' names are favoured."
    better = main.row("B_all corrected", group="overall")
    null = main.row("B_all", group="overall, without any bias")
    second = f"Over all pairs of groups the mean size of the bias is {numbers_text(better)} (B_all, corrected)"
    if null.estimate is not None:
        plain = main.row("B_all", group="overall")
        second += (
            f"; uncorrected it is {number(plain.estimate)}, and would be {number(null.estimate)} on average if nobody "
            f"were favoured (test of no bias: {p_value(null.p_value)})"
        )
    naive = disagreements(main, biases, options)
    third = (
        f"A test that takes the {n['complete couples']:,} couples as independent would have claimed {naive}."
        if naive else ""
    )  # fmt: skip
    return tuple(text for text in (first, f"{second}.", third) if text)


def disagreements(main: Result, biases: Sequence[Row], options: StudyOptions) -> str:
    """Name what McNemar's test calls significant and the clustered test leaves open."""
    claims = []
    for row in biases:
        naive = main.row(row.term, group="McNemar, ignoring clusters")
        if naive.p_value is not None and naive.p_value < 1 - options.level and settled(row, options) == "open":
            pair = sides(row, main.extras["groups"])
            one, other = pair if (naive.estimate or 0.0) > 0 else pair[::-1]
            claims.append(
                f"that '{one}' names are favoured over '{other}' names ({p_value(naive.p_value)}, not adjusted)"
            )
    return "; ".join(claims)


RUNGS = ("rung", "variant")  # columns that say which wording of a question was answered
AS_WRITTEN = ("0", "original", "as written")


def rung_of(design: Ratings) -> Factor | None:
    """Return the wording that was tried last, where the table says it."""
    return next((design.strata[name] for name in RUNGS if name in design.strata), None)


def scenario_scores(design: Ratings, first: str, second: str) -> tuple[FloatArray, FloatArray]:
    """Return the scenarios' mean answers with `first` in the second place, and with `first` in the first place.

    Scenarios without answers in both orders are left out.
    """
    scenario = factor_of(design, "scenario")
    labels = [np.array(design.strata[n].levels)[design.strata[n].codes[design.unit]]
              for n in ("group_first", "group_second")]  # fmt: skip
    score = np.where(np.array(design.levels)[np.maximum(design.value, 0)] == "1", 1.0, -1.0)
    weight = design.unit_count[design.unit] * (design.status == OK)
    size = len(scenario.levels)
    means = []
    for one, other in ((second, first), (first, second)):
        mine = (labels[0] == one) & (labels[1] == other)
        code = scenario.codes[design.unit][mine]
        n = np.bincount(code, weights=weight[mine], minlength=size)
        total = np.bincount(code, weights=(weight * score)[mine], minlength=size)
        means.append(np.divide(total, n, out=np.full(size, np.nan), where=n > 0))
    both = np.isfinite(means[0]) & np.isfinite(means[1])
    return means[0][both], means[1][both]


def factor_of(design: Ratings, name: str) -> Factor:
    """Return a stratum or cluster of the units."""
    known = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    return known[name]


def scenario_blocks(design: Ratings, main: Result, scenarios: Result, biases: Sequence[Row]) -> tuple[Block, ...]:
    """Return the estimation plot of the scenarios' differences of each pair of groups."""
    found = []
    for k, row in enumerate(biases):
        mean, flip = (main.row(row.term, group=g) for g in ("scenario means", "scenario sign flip"))
        if mean.estimate is None:
            continue
        first, second = sides(row, main.extras["groups"])
        after, before = scenario_scores(design, *groups_of(row, main.extras["groups"]))
        each = [replace(r, term=(r.group or "").partition(" = ")[2], group=None) for r in scenarios.rows
                if r.term == row.term and (r.group or "").startswith("scenario = ")]  # fmt: skip
        above = sum((r.estimate or 0.0) > 0 for r in each)
        below = sum((r.estimate or 0.0) < 0 for r in each)
        found.append(
            Block(
                id=f"scenarios-{k + 1}",
                question=f"Do the scenarios agree about '{first}' and '{second}'?",
                sentences=(
                    f"{count(above)} of {count(len(each), 'scenario')} favour '{first}' and {count(below)} '{second}'. "
                    f"With one difference a scenario, all alike, B is {numbers_text(mean)}{test_text(mean)}; "
                    f"sign flips of whole scenarios give {p_value(flip.p_value)}. "
                    "Both take the pairs of names as given.",
                ),
                draw=partial(estimation, after, before, None, mean, binary=False, ylabel="mean answer of a scenario",
                             conditions=(f"{first} second", f"{first} first"), unit="scenario"),
                figure_title=f"Mean answers of the scenarios in both orders of {first} and {second}, and their "
                "difference",
                caption=f"Left: the same scenario with {first} in the second and in the first place (+1: the second "
                f"name is right). Right: their differences, above 0 where {first} is favoured.",
                tables=(rows_table(each, f"Bias {row.term} of each scenario; intervals by pairs of names, within the "
                                   "scenario", term="Scenario"),),
                results=(scenarios,) if k == 0 else (),
            )
        )  # fmt: skip
    return tuple(found)


def test_text(row: Row) -> str:
    """Write the t test of a row, after a comma."""
    if row.statistic is None or row.df is None:
        return ""
    return f", t({number(row.df, 0)}) = {number(row.statistic)}, {p_value(row.p_value)}"


OWN = "as on this page"
FEW_RESAMPLES = 100
SIDES = ("missing answers for the first group of each B", "missing answers for the second group of each B")
Compute = Callable[[], Result]


def filled(design: Ratings, side: int) -> Ratings:
    """Return the design with every missing answer counted for the first (0) or second (1) group of each B.

    Groups are in the order of `relationship_bias`, sorted. Couples of one group keep their missing answers.
    """
    first, second = (
        np.array(design.strata[name].levels)[design.strata[name].codes[design.unit]]
        for name in ("group_first", "group_second")
    )
    lost = (design.status != OK) & (first != second)
    place = {label: design.levels.index(label) for label in ("-1", "1")}
    chosen = (first < second) == (side == 0)  # the name that is favoured stands first
    value = np.where(lost, np.where(chosen, place["-1"], place["1"]), design.value)
    status = np.where(lost, OK, design.status).astype(design.status.dtype)
    return replace(design, value=value, status=status)


def without(design: Ratings, factor: Factor, code: int, *, only: bool = False) -> Ratings:
    """Return the answers outside a level of a factor of the units; with `only`, those inside."""
    inside = factor.codes[design.unit] == code
    return design.take(inside if only else ~inside)


def bias_multiverses(design: Ratings, options: StudyOptions, biases: Sequence[Row]) -> tuple[Block, ...]:
    """Return one multiverse a pair of groups; every analysis is computed once."""
    made = variants(design, options)
    blocks = []
    for k, row in enumerate(biases):
        lead = partial(bias_row, row.term)
        quantity = f"bias B of {shorten(row.term, 40)}"
        listed = distinct([replace(v, lead=lead) for v in made])
        found = multiverse("relationship_bias", quantity, listed, reference=0.0, words="0")
        blocks.append(
            multiverse_block(
                found, id=f"multiverse-{k + 1}", question=f"Does B of {shorten(row.term, 40)} hang on the analysis?",
                quantity=quantity,
            )
        )  # fmt: skip
    return tuple(blocks)


def of_bias(result: Result) -> str:
    """Say how the interval of B was obtained: of a sentence about all intervals, what is about B's."""
    kind = "t" if result.settings["ci"] == "closed" else f"{result.settings['ci']} bootstrap"
    return f"{kind}; {result.inference.rpartition('; ')[2]}"


def bias_row(term: str, result: Result) -> Row:
    """Return the row of a bias, or one that says that it is not there."""
    found = [row for row in result.rows if row.group == "bias" and row.term == term]
    return found[0] if found else Row(term=term, group="bias", undefined="no couples of these groups are left")


def variants(design: Ratings, options: StudyOptions) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Ratings] = lambda: design, **choices: Any) -> Variant:
        given = {"level": options.level, "seed": options.seed, "resamples": FEW_RESAMPLES} | choices

        @cache
        def compute() -> Result:
            found: Any = relationship_bias(data(), **given)
            result: Result = found
            return replace(result, inference=of_bias(result))

        return Variant(label=label, choice=choice, compute=compute)

    made = [way("all answers, scenario x pair crossed", OWN)]
    made += [way(f"clustered by {shorten(f.name, 30)} alone", "clusters", cluster=f.name) for f in design.clusters]
    made += [
        way("answers independent", "clusters", cluster=None),
        way("bootstrap of the clusters, percentile", "interval", ci="percentile", resamples=options.resamples),
        way("scenarios weigh alike", "weights", aggregate="scenario"),
        way("couples answered in both orders only", "missing answers", couples="complete"),
    ]
    if np.any(design.status != OK):
        made += [way(label, "missing answers", partial(filled, design, side)) for side, label in enumerate(SIDES)]
    rung = rung_of(design)
    written = None if rung is None else next((k for k, level in enumerate(rung.levels) if level in AS_WRITTEN), None)
    if rung is not None and written is not None:
        story = partial(without, design, rung, written, only=True)
        made.append(way("story as written only", "rewordings", story))
    for name in ("kind", "topic"):
        factor = design.strata.get(name)
        if factor is not None and 2 < len(factor.levels) <= MOST_LEFT_OUT:
            made += [
                way(without_label(name, level), f"{name} left out", partial(without, design, factor, code))
                for code, level in enumerate(factor.levels)
            ]
    return made


USED = ("seed", "resamples", "level", "smallest_effect", "verify")
COLUMNS = ("scenario", "pair", "group_first", "group_second", "answer")
STRATA = (*EXTRA, *RUNGS)
FEW = 100  # resamples where no bootstrap interval is shown
MOST_PAIRS = 6  # pairs of groups that get blocks of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes.

    Attributes
    ----------
    main : Result
        B, B_all, position and tests.
    strata : mapping of stratum to Result
    scenarios : Result
        B of each scenario.
    bounds : mapping of str to Result
        With all missing answers for the first, and for the second group of each B.
    names : Result or None
        For what the model takes the names.
    each : Result or None
        With several models: of each by itself, then averaged.
    """

    main: Result
    strata: dict[str, Result]
    scenarios: Result
    bounds: dict[str, Result]
    names: Result | None
    each: Result | None

    def all(self) -> dict[str, Result]:
        """Return every result by a name of its own."""
        found = {"Biases": self.main, "Biases by scenario": self.scenarios}
        found |= {} if self.names is None else {"Names": self.names}
        found |= {} if self.each is None else {"Biases, model by model": self.each}
        found |= {f"Biases by {shorten(name, 40)}": result for name, result in self.strata.items()}
        return found | {f"Biases, {name}": result for name, result in self.bounds.items()}

    @property
    def biases(self) -> list[Row]:
        """Rows of B."""
        return [row for row in self.main.rows if row.group == "bias"]


def read(
    table: Table, *, by: str | None = None, na: Sequence[str] = (), refusal: Sequence[str] = (),
    cluster: Sequence[str] = (), missing: str | None = None,
) -> Ratings:  # fmt: skip
    """Read a table with one answer a row: -1 the first name is right, 1 the second (or 1 and 2, NAME1 and NAME2).

    Raises
    ------
    InputError
        For clusters (scenario and pair are crossed clusters already), and whatever `couples_design` finds.
    """
    if cluster:
        raise InputError("--cluster: this study takes scenario and pair as crossed clusters; leave the option out")
    alone = by is None and not any(column in table.columns for column in RATERS)
    strata = [column for column in STRATA if column in table.columns and (alone or column not in RUNGS)]
    answers = written_answers(table) or ("-1", "1")
    found = couples_design(
        table, strata=strata, by=by, na=na, refusal=refusal, answers=answers, source=table.source
    )  # fmt: skip
    return replace(found, levels=("-1", "1"), scores=np.array([-1.0, 1.0]), numeric=True)


def suits(design: Ratings) -> bool:
    """Tell whether the design has the parts of couples, under the names that `read` gives them."""
    known = {*design.strata, *(factor.name for factor in design.clusters)}
    return set(COLUMNS[:4]) <= known and set(design.levels) == {"-1", "1"}


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: whom does the model favour, how much does the order of names decide, and how sure is that?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    numbers = compute(design, options)
    shown = blocks(design, numbers, options)
    return Outcome(
        study="relationship-bias",
        title="With whom does the model side in a couple?",
        design=describe(design, numbers.main),
        answer=answer(numbers.main, numbers.biases, options),
        strip=strip(numbers),
        cautions=order_cautions(numbers.main.cautions, design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(answers_block(design),),
        diagnostics=diagnostics(design, numbers),
        methods=methods(numbers, options),
        references=tuple(dict.fromkeys((*numbers.main.references, "steegen2016"))),
        verifications=verify_all(numbers.all(), shown) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def bias(design: Ratings, options: StudyOptions, **choices: Any) -> Result:
    """Return the biases of a design without a by factor."""
    given = {"level": options.level, "seed": options.seed, "resamples": FEW} | choices
    found: Any = relationship_bias(design, **given)
    result: Result = found
    return result


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute every number of the page that does not belong to a multiverse."""
    lost = bool(np.any(design.status != OK))
    sides = {"missing answers for the first group": 0, "missing answers for the second group": 1} if lost else {}
    return Numbers(
        main=bias(design, options, resamples=options.resamples),
        strata={
            name: bias(design, options, stratum=name, stratum_rows="scores" if name == "kind" else "biases")
            for name in EXTRA
            if name in design.strata
        },
        scenarios=bias(design, options, stratum="scenario", cluster="pair"),
        bounds={label: bias(filled(design, side), options) for label, side in sides.items()},
        names=None if options.names is None else check_names(options.names, options),
        each=bias(design, options, aggregate="rater") if len(np.unique(design.rater)) > 1 else None,
    )


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    main, biases = numbers.main, [row for row in numbers.biases if row.estimate is not None][:MOST_PAIRS]
    if not biases:
        raise NothingToAnalyse(f"{design.source}: no pair of groups was answered in both orders, which B compares")
    strongest = max(biases, key=lambda row: abs(row.estimate or 0.0))
    found: list[Block | None] = [
        bias_block(main, options), overall_block(main, numbers.each), position_block(main),
        *scenario_blocks(design, main, numbers.scenarios, biases),
        *strata_blocks(design, numbers.strata, numbers.scenarios),
        None if numbers.names is None else names_block(options.names, numbers.names), naive_block(main),
        missing_block(main, numbers.bounds),
        dependence_block(
            design.clusters, lambda way: bias(design, options, cluster=way), rows="answers",
            quantity=f"bias B of {shorten(strongest.term, 40)}",
            lead=lambda result: result.row(strongest.term, group="bias"),
        ),
        *bias_multiverses(design, options, biases),
    ]  # fmt: skip
    kept = [block for block in found if block is not None]
    return with_design_effect(
        kept, design.clusters, lead=lambda result: result.row(strongest.term, group="bias")
    )  # fmt: skip


def describe(design: Ratings, main: Result) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = main.counts
    parts = [
        count(n["answers"], "answer"), count(len(main.extras["groups"]), "group of names", "groups of names"),
        count(n["complete couples"], "couple answered in both orders", "couples answered in both orders"),
        *([count(n["raters"], "model")] if "raters" in n else []), *cluster_words(design),
    ]  # fmt: skip
    return "Couples asked in both orders: " + ", ".join(parts)


def strip(numbers: Numbers) -> Strip:
    """Return the biases beside no bias, and B_all corrected beside what chance gives B_all."""
    marks = [Mark(label="nobody is favoured", value=0.0, kind="reference")]
    better = numbers.main.row("B_all corrected", group="overall")
    for row in (*numbers.biases[:MOST_PAIRS], better):
        label = row.term if row is better else f"B {row.term}"
        marks.append(Mark(label=shorten(label, 40), value=row.estimate, low=row.conf_low, high=row.conf_high,
                          undefined="" if row.estimate is not None else row.undefined or ""))  # fmt: skip
    return Strip(title="Bias B of each pair of groups: above 0, the group named first is favoured",
                 axis="B, from −2 to 2", marks=tuple(marks))  # fmt: skip


def diagnostics(design: Ratings, numbers: Numbers) -> tuple[Diagnostic, ...]:
    """Say what the order of names does, how balanced both orders are, and which answers are missing."""
    place = next((r for r in numbers.main.rows if r.group == "position, mean"), None)
    n, lost = numbers.main.counts, float(design.unit_count[design.unit[design.status != OK]].sum())
    single = n["couples answered in one order only"]
    found = [
        Diagnostic(
            check="Was every couple answered in both orders?",
            found=f"{count(single, 'couple was', 'couples were')} not, of "
            f"{count(n['complete couples'] + single, 'couple')}." if single else "Yes.",
            so_what="B compares the two orders: a missing one weighs on it if it is not missing by chance; the bounds "
            "on this page count all missing answers one way." if lost else "The effect of the order cancels in B.",
        )
    ]  # fmt: skip
    if place is not None and place.estimate is not None:
        which = "second" if place.estimate > 0 else "first"
        found.append(
            Diagnostic(
                check="Does the order of the names decide?",
                found=f"Between names of one group the mean answer is {number(place.estimate)} (0 = no effect of the "
                f"order; below 0 the first name is right).",
                so_what=f"The {which} name has an advantage in this sample, which B takes out by asking both orders; "
                "a study that asks one order only would take it for a preference.",
            )
        )
    return tuple(found)


def methods(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraph."""
    groups = listing([f"'{shorten(g, 30)}'" for g in numbers.main.extras["groups"]])
    return (
        f"Answers score −1 for the first and +1 for the second name. S is the mean answer to couples of two groups of "
        f"names ({groups}) in one order; B = S with the group second minus S with the group first, from −2 to 2. "
        f"{numbers.main.inference}; {level_text(options.level)} intervals; p-values of B adjusted by Holm's method "
        f"over the {FAMILY}, and verdicts by the adjusted p. B_all is the mean of |B|, which is above 0 without any "
        "bias: it stands beside the mean that it has then, given the clustered errors, and is corrected; its "
        "interval holds the sizes that would not make the one observed a rare one. McNemar's test takes couples of "
        "one scenario as independent and is shown because publications use it.",
    )


STUDY = Study(
    name="relationship-bias",
    title="With whom does a model side in a couple, by the groups of two names?",
    design="ratings",
    needs="scenario, pair, group_first, group_second, answer (-1 first, 1 second, or 1, 2); best: topic, kind, rung",
    suits=suits,
    run=run,
    read=read,
    columns=COLUMNS,
    beside={"names": read_names},
)
