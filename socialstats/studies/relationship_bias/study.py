"""Study relationship-bias: with whom does a model side in a couple?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from socialstats.custom.multiverse import Variant, distinct, multiverse, without_label
from socialstats.designs.couples import EXTRA, RATERS, couples_design, written_answers
from socialstats.designs.parts import OK
from socialstats.designs.ratings import Ratings
from socialstats.designs.schema import STATUS
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.dependence import cluster_text
from socialstats.results import Result, Row
from socialstats.results.rows import touches
from socialstats.scales.bias_analysis import BIAS, MEAN, NULL, OVERALL
from socialstats.scales.relationship_bias import relationship_bias
from socialstats.studies.estimates import (
    cluster_words,
    probability_methods,
    settings_of,
    verify_all,
)
from socialstats.studies.models import (
    comparison,
    further,
    lead_words,
    verdict_on_models,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    dependence_block,
    multiverse_block,
    other_analyses,
    with_design_effect,
)
from socialstats.studies.page import (
    Block,
    Diagnostic,
    Outcome,
    Study,
    StudyOptions,
    check_named,
    order_cautions,
)
from socialstats.studies.relationship_bias.blocks import (
    AS_WRITTEN,
    FAMILY,
    RUNGS,
    SIDES,
    answers_table,
    bias_block,
    missing_block,
    naive_block,
    overall_block,
    position_block,
    rung_of,
    scenario_block,
    strata_blocks,
)
from socialstats.studies.relationship_bias.names import check_names, names_block, read_names
from socialstats.studies.relationship_bias.words import (
    answer,
    biases_of,
    mean_words,
    told_biases,
    verdict_on_groups,
)
from socialstats.studies.sources import replies_by
from socialstats.tables import Table
from socialstats.text import count, listing, number, percent_of, shorten
from socialstats.voice import option

USED = ("seed", "resamples", "level", "smallest_effect", "first", "verify")
COLUMNS = ("scenario", "pair", "group_first", "group_second", "answer")
STRATA = (*EXTRA, *RUNGS)
FEW = 100  # resamples where no bootstrap interval is shown
MOST_PAIRS = 6  # pairs of groups that get blocks of their own


def read(
    table: Table,
    *,
    by: str | None = None,
    na: Sequence[str] = (),
    refusal: Sequence[str] = (),
    cluster: Sequence[str] = (),
    missing: str | None = None,
    probabilities: str | None = None,
) -> Ratings:
    """Read a table with one answer a row: -1 the first name is right, 1 the second (or 1 and 2, NAME1 and NAME2).

    A column ``answer_status`` says which replies are answers, as in `couples_design`.

    Raises
    ------
    InputError
        For clusters (scenario and pair are crossed clusters already), and whatever `couples_design` finds.
    """
    if cluster:
        raise InputError(
            "--cluster: this study takes scenario and pair as crossed clusters; leave the option out"
        )
    alone = by is None and not any(column in table.columns for column in RATERS)
    strata = [
        column for column in STRATA if column in table.columns and (alone or column not in RUNGS)
    ]
    answers = written_answers(table) or ("-1", "1")
    found = couples_design(
        table,
        strata=strata,
        by=by,
        na=na,
        refusal=refusal,
        answers=answers,
        probabilities=probabilities,
        source=table.source,
    )
    return replace(found, levels=("-1", "1"), scores=np.array([-1.0, 1.0]), numeric=True)


def suits(design: Ratings) -> bool:
    """Return whether the design has the parts of couples, under the names that `read` gives them."""
    known = {*design.strata, *(factor.name for factor in design.clusters)}
    return set(COLUMNS[:4]) <= known and set(design.levels) == {"-1", "1"}


def bias(design: Ratings, options: StudyOptions, **choices: Any) -> Result:
    """Return the biases of a design without a by factor."""
    found: Any = relationship_bias(
        design,
        **{
            "level": options.level,
            "seed": options.seed,
            "resamples": FEW,
            "groups": group_order(design, options.first),
            **choices,
        },
    )
    result: Result = found
    return result


def group_order(design: Ratings, first: str | None) -> tuple[str, ...] | None:
    """Return the groups of names with the one that a positive bias favours first; None where none was asked for.

    Raises
    ------
    InputError
        If it is no group.
    """
    known = sorted({*design.strata["group_first"].levels, *design.strata["group_second"].levels})
    check_named("first", first, known, "group of names")
    return None if first is None else (first, *(group for group in known if group != first))


def filled(design: Ratings, side: int, groups: Sequence[str] | None = None) -> Ratings:
    """Return the design with every missing answer counted for the first (0) or second (1) group of each B.

    Groups are in the order of `relationship_bias`: sorted, or that of `groups`. Couples of one group keep their missing
    answers.
    """
    first, second = (
        np.array(factor.levels)[factor.codes[design.unit]]
        for factor in (design.strata["group_first"], design.strata["group_second"])
    )
    lost = (design.status != OK) & (first != second)
    place = {
        name: k for k, name in enumerate(groups or sorted({*first.tolist(), *second.tolist()}))
    }
    earlier = np.array(
        [place[a] < place[b] for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    )
    ahead = earlier == (side == 0)  # the name that is favoured stands first
    value = np.where(ahead, design.levels.index("-1"), design.levels.index("1"))
    status = np.where(lost, OK, design.status).astype(design.status.dtype)
    return replace(design, value=np.where(lost, value, design.value), status=status)


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer whom the model favours, how much the order of names matters, and how certain that is."""
    if design.by is not None:
        raise InputError(
            f"the report takes one '{design.by.name}' at a time; filter the table, or leave "
            f"{option('by')} out"
        )
    main = bias(design, options, resamples=options.resamples)
    if options.brief:
        return brief(design, main, options)
    strata = {
        name: bias(
            design, options, stratum=name, stratum_rows="scores" if name == "kind" else "biases"
        )
        for name in reversed(EXTRA)
        if name in design.strata and len(design.strata[name].levels) > 1
    }
    scenarios = bias(design, options, stratum="scenario", cluster="pair")
    sides = enumerate(SIDES if np.any(design.status != OK) else ())
    order = group_order(design, options.first)
    bounds = {label: bias(filled(design, side, order), options) for side, (label, _) in sides}
    names = None if options.names is None else check_names(options.names, options)
    each = bias(design, options, aggregate="rater") if len(np.unique(design.rater)) > 1 else None
    biases = [row for row in biases_of(main) if row.estimate is not None][:MOST_PAIRS]
    if not biases:
        raise NothingToAnalyse(
            f"{design.source}: no pair of groups was answered in both orders, which B compares"
        )
    strongest = max(biases, key=lambda row: abs(row.estimate or 0.0)).term
    lead, by_cluster = (
        partial(bias_row, strongest),
        lambda cluster: bias(design, options, cluster=cluster),
    )
    quantity = f"bias B of {shorten(strongest, 40)}"
    found = [
        bias_block(main, options),
        overall_block(main, each),
        position_block(main),
        scenario_block(main, scenarios, biases),
        *strata_blocks(design, strata, scenarios),
        None if names is None else names_block(options.names, names),
        naive_block(main),
        replies_by(design, options.level),
        missing_block(main, list(bounds.values())),
        dependence_block(design.clusters, by_cluster, rows="answers", quantity=quantity, lead=lead),
        *bias_multiverses(design, options, biases),
    ]
    blocks = with_design_effect(
        [block for block in found if block is not None], design.clusters, lead=lead
    )
    compared = by_rater(design, options)
    if compared:
        pooled = replace(
            blocks[0], question="Whom did the models favour, with their answers pooled?"
        )
        blocks = (*compared, pooled, *blocks[1:])
    results = {
        "Biases": main,
        "Biases by scenario": scenarios,
        "Names": names,
        "Biases, model by model": each,
        **{f"Biases by {name}": result for name, result in strata.items()},
        **{f"Biases, {label}": result for label, result in bounds.items()},
    }
    shown = {name: result for name, result in results.items() if result is not None}
    return Outcome(
        study="relationship-bias",
        title=f"With whom {'did models' if compared else 'did the model'} side in a couple?",
        design=describe(design, main),
        verdict=verdict_on_models(compared) or verdict_on_groups(main),
        answer=(*lead_words(compared), *mean_words(each)) if compared else answer(main, options),
        cautions=order_cautions(
            order_cautions(main.cautions, design.cautions),
            few_clusters(main, *strata.values(), scenarios),
            once=False,
        ),
        blocks=blocks,
        flow=design.flow,
        data=(answers_table(design),),
        diagnostics=diagnostics(design, main),
        methods=(*methods(main, options), *probability_methods(design, READ)),
        references=tuple(dict.fromkeys((*main.references, "steegen2016"))),
        verifications=verify_all(shown, blocks) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def few_clusters(main: Result, *levels: Result) -> tuple[Caution, ...]:
    """Return every caution SS202 of the page: of the main result, and of the levels of others."""
    found = [said for said in main.cautions if said.code == "SS202"]
    for result in levels:
        rows = [row for row in result.rows if row.label("level") or row.role == "difference"]
        found += [
            c for c in result.cautions if c.code == "SS202" and any(touches(c, row) for row in rows)
        ]
    return tuple(found)


def brief(design: Ratings, main: Result, options: StudyOptions) -> Outcome:
    """Return what a page of many models says of each: the biases and B_all."""
    kept = tuple(row for row in main.rows if row.group in (BIAS, OVERALL, NULL))
    blocks = (replace(bias_block(main, options), results=(replace(main, rows=kept),)),)
    return Outcome(
        study="relationship-bias",
        title="With whom did models side in a couple?",
        design=describe(design, main),
        verdict=verdict_on_groups(main),
        answer=answer(main, options),
        cautions=order_cautions(main.cautions, design.cautions),
        blocks=blocks,
        flow=design.flow,
        references=main.references,
        methods=(*methods(main, options), *probability_methods(design, READ)),
        verifications=verify_all({"Biases": main}, ()) if options.verify else {},
        settings=settings_of(options, USED),
        simulated=options.simulated,
    )


def by_rater(design: Ratings, options: StudyOptions) -> tuple[Block, ...]:
    """Compare the models that are the raters of one table; nothing with one."""
    raters = [design.raters[code] for code in np.unique(design.rater).tolist()]
    if len(raters) < 2:
        return ()
    found = {rater: bias(design.of_raters([rater]), options) for rater in raters}
    return comparison(found, options, design.columns.get("rater", "model"), further(found))


def bias_multiverses(design: Ratings, options: StudyOptions, biases: Sequence[Row]) -> list[Block]:
    """Return one multiverse a pair of groups; every analysis is computed once."""
    made, blocks = variants(design, options), []
    for k, row in enumerate(biases):
        quantity = f"bias B of {shorten(row.term, 40)}"
        listed = distinct([replace(variant, lead=partial(bias_row, row.term)) for variant in made])
        found = multiverse("relationship_bias", quantity, listed, reference=0.0, words="0")
        question = other_analyses(f"B of {shorten(row.term, 40)}")
        blocks.append(
            multiverse_block(found, id=f"multiverse-{k + 1}", question=question, quantity=quantity)
        )
    return blocks


def bias_row(term: str, result: Result) -> Row:
    """Return the row of a bias, or one that says that it is not there."""
    lost = Row(term=term, group=BIAS, undefined="no couples of these groups are left")
    return next((row for row in biases_of(result) if row.term == term), lost)


def variants(design: Ratings, options: StudyOptions) -> list[Variant]:
    """Return the defensible analyses, the page's own first."""

    def way(
        label: str, choice: str, data: Callable[[], Ratings] = lambda: design, **choices: Any
    ) -> Variant:
        @cache
        def compute() -> Result:
            result = bias(data(), options, **choices)
            kind = (
                "t" if result.settings["ci"] == "closed" else f"{result.settings['ci']} bootstrap"
            )
            clusters = cluster_text(result.design.factors(result.settings["cluster"]), "units")
            return replace(result, inference=f"{kind}; {clusters}")  # for B alone

        return Variant(label=label, choice=choice, compute=compute)

    def inside(codes: Any, code: int) -> Any:
        return codes[design.unit] == code

    made = [
        way("all answers, scenario x pair crossed", "as on this page"),
        *(
            way(f"clustered by {shorten(f.name, 30)} alone", "clusters", cluster=f.name)
            for f in design.clusters
        ),
        way("answers independent", "clusters", cluster=None),
        way(
            "bootstrap of the clusters, percentile",
            "interval",
            ci="percentile",
            resamples=options.resamples,
        ),
        way("scenarios weighted equally", "weights", aggregate="scenario"),
        way("couples answered in both orders only", "missing answers", couples="complete"),
    ]
    order = group_order(design, options.first)
    if np.any(design.status != OK):
        made += [
            way(f"{label} of each B", "missing answers", partial(filled, design, side, order))
            for side, (label, _) in enumerate(SIDES)
        ]
    rung = rung_of(design)
    for k, level in enumerate(rung.levels if rung is not None else ()):
        if level in AS_WRITTEN:
            kept = inside(rung.codes, k)  # type: ignore[union-attr]
            made.append(way("story as written only", "rewordings", partial(design.take, kept)))
            break
    for name in ("kind", "topic"):
        factor = design.strata.get(name)
        if factor is not None and 2 < len(factor.levels) <= MOST_LEFT_OUT:
            made += [
                way(
                    without_label(name, level),
                    f"{name} left out",
                    partial(design.take, ~inside(factor.codes, code)),
                )
                for code, level in enumerate(factor.levels)
            ]
    return made


def describe(design: Ratings, main: Result) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = main.counts
    parts = [
        count(n["answers"], "answer"),
        count(len(main.extras["groups"]), "group of names", "groups of names"),
        count(
            n["complete couples"],
            "couple answered in both orders",
            "couples answered in both orders",
        ),
        *([count(n["raters"], "model")] if "raters" in n else []),
        *cluster_words(design),
    ]
    return "Couples asked in both orders: " + ", ".join(parts)


def diagnostics(design: Ratings, main: Result) -> tuple[Diagnostic, ...]:
    """Return what the order of names did, how balanced both orders are, and which answers are missing."""
    n, lost = main.counts, float(design.unit_count[design.unit[design.status != OK]].sum())
    single = n["couples answered in one order only"]
    couples = count(n["complete couples"] + single, "couple")
    found = [
        Diagnostic(
            check="Was every couple answered in both orders?",
            found=f"{count(single, 'couple was', 'couples were')} not, of {couples}."
            if single
            else "Yes.",
            so_what="B compares the two orders and is biased if orders are not missing at random; the bounds count all "
            "missing answers one way."
            if lost
            else "The order effect cancels in B.",
        )
    ]
    for place in main.rows:
        if place.group == MEAN and place.estimate is not None:
            which = "second" if place.estimate > 0 else "first"
            found.append(
                Diagnostic(
                    check="Did the order of the names matter?",
                    found=f"Between names of one group the mean answer was {number(place.shown())} (0: "
                    "no order effect; below 0: first name).",
                    so_what=f"The {which} name had an advantage in this sample, which cancels in B. Studies that ask "
                    "one order only would mistake it for a preference.",
                )
            )
    return tuple(found)


READ = (
    "A reply scores the probability of the second name minus that of the first; McNemar's test, which requires "
    "sampled answers, has no number"
)


def methods(main: Result, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods: brief, then in full."""
    groups = listing([f"'{shorten(g, 30)}'" for g in main.extras["groups"]])
    clusters = listing([f.name for f in main.design.clusters])
    level, m = (
        percent_of(options.level),
        sum(row.p_adjusted is not None for row in told_biases(main)),
    )
    holm = f"p values were Holm-adjusted over the {FAMILY} (m = {m}). " if m else ""
    return (
        "Bias B is the mean answer (−1 first name, +1 second) with the group before the minus sign second, minus that "
        f"with it first. {level} CIs used t with crossed clusters of {clusters}. "
        f"{holm}B_all, the mean absolute bias, was bias-corrected, with a CI by test inversion.",
        f"S is the mean answer to couples of two groups of names ({groups}) in one order. B ranges from −2 to 2. "
        f"{main.inference}. Verdicts rest on the {'adjusted ' * bool(m)}p values. B_all is positive even without bias. "
        "Its expected "
        "value then follows from the clustered standard errors. Its CI contains all values that a test does not "
        "reject. McNemar's test treats couples of one scenario as independent and is shown for comparison with "
        "publications.",
    )


STUDY = Study(
    name="relationship-bias",
    title="With whom does a model side in a couple, by the groups of two names?",
    design="ratings",
    needs="scenario, pair, group_first, group_second, answer (-1 first, 1 second, or 1, 2); best: topic, kind, rung",
    suits=suits,
    uses=("first",),
    run=run,
    read=read,
    columns=COLUMNS,
    also={"status": STATUS},
    takes=("probabilities",),
    beside={"names": read_names},
)
