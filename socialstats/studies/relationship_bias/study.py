"""Study relationship-bias: with whom does a model side in a couple?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np

from socialstats.designs.couples import EXTRA, RATERS, couples_design, written_answers
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import OK, Ratings
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.metrics.relationship_bias import relationship_bias
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    cluster_words,
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
from socialstats.studies.relationship_bias.words import (
    AS_WRITTEN,
    FAMILY,
    RUNGS,
    answer,
    rung_of,
    scenario_blocks,
)
from socialstats.tables import Table
from socialstats.text import count, level_text, listing, number, shorten

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
