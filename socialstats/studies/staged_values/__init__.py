"""Study staged-values: which traits does a model show, stage by stage?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from socialstats.arrays import IntArray
from socialstats.designs.ratings import OK, Ratings
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.errors import Caution, InputError, NothingToAnalyse
from socialstats.inference.dependence import is_inside
from socialstats.metrics.paraphrase_spread import paraphrase_spread
from socialstats.metrics.trait_profile import trait_profile
from socialstats.models.traits import EQUAL_WEIGHTS, TRAIT_WEIGHTS
from socialstats.results import Result, Row
from socialstats.studies.estimates import (
    Verdict,
    cluster_words,
    df_text,
    equivalence_bounds,
    numbers_text,
    planned_verdict,
    settings_of,
    verify_all,
    with_holm,
)
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.page import Block, Mark, Outcome, Strip, Study, StudyOptions, Table, order_cautions
from socialstats.studies.staged_values.blocks import (
    activation_block,
    by_models,
    changes_block,
    commitment_block,
    lean_block,
    traits_block,
    trajectories_block,
    units_block,
    weights_block,
)
from socialstats.studies.staged_values.judges import (
    Agreement,
    agreement_block,
    agreement_of,
    controls_of,
    diagnostics,
    judges_block,
    unknown_zero,
    weights_of,
    with_zero,
    wordings_block,
)
from socialstats.tables import Table as DataTable
from socialstats.text import count, interval, level_text, listing, number, p_value, quoted, shorten

ALL = "by stage of all models"


def settled(row: Row, options: StudyOptions, smallest: float | None = None) -> Verdict:
    """Say what a row settles: by its adjusted p, and by the smallest effect where one was given."""
    return planned_verdict(row, alpha=1 - options.level, bounds=equivalence_bounds(row), smallest=smallest)


def with_test(row: Row, digits: int = 2) -> str:
    """Write estimate, interval and test of a row, with the adjusted p where it has one."""
    text = numbers_text(row, digits=digits)
    if row.statistic is None or row.p_value is None:
        return text
    p = p_value(row.p_value) if row.p_adjusted is None else p_value(row.p_adjusted, name="Holm-adjusted p")
    return f"{text}, t({df_text(row.df)}) = {number(row.statistic)}, {p}"


def changes(result: Result, measure: str = "composite") -> list[Row]:
    """Return the changes of all models against the baseline; of the only model where there is one."""
    joint = [r for r in result.rows if r.group == f"{measure} change {ALL}"]
    start = f"{measure} change: "
    return joint or [r for r in result.rows if (r.group or "").startswith(start)]


def change_name(row: Row) -> str:
    """Return ``stage 4 minus baseline`` of a row of changes."""
    group = row.group or ""
    return group.partition(": ")[2] if ": " in group else row.term


def size_of(result: Result, row: Row, measure: str = "composite") -> Row | None:
    """Return the d_z of a change."""
    group = (row.group or "").replace(f"{measure} change", f"{measure} d_z")
    return next((r for r in result.rows if r.group == group and r.term == row.term), None)


def last_change(result: Result, measure: str = "composite") -> Row:
    """Return the change at the last stage of the play: the last but a debrief."""
    rows = changes(result, measure)
    inside = [r for r in rows if not change_name(r).lower().startswith(("debrief", "after", "post", "end"))]
    return (inside or rows)[-1]


def changed(result: Result, row: Row, what: str, options: StudyOptions, measure: str = "composite") -> str:
    """Say what a change settles, with d_z."""
    size = size_of(result, row, measure)
    d_z = ""
    if size is not None and size.estimate is not None:
        d_z = f", d_z = {number(size.estimate)}"
        if size.conf_low is not None:
            d_z += f", {interval(size.conf_low, size.conf_high, level=size.conf_level or 0.95)}"
    name, inside = shorten(change_name(row), 60), f"{with_test(row)}{d_z}"
    verdict = settled(row, options)
    if row.estimate is None or verdict == "none":
        return f"no verdict on the change of {what} ({name}): {inside}"
    if verdict == "open":
        return f"the data do not settle whether {what} changed ({name}: {inside})"
    return f"{what} {'rose' if verdict == 'above' else 'fell'} ({name}: {inside})"


def changes_text(
    result: Result, what: str, options: StudyOptions, measure: str = "composite"
) -> str:  # fmt: skip
    """Say at which stages a measure rose, fell, or did not settle, each with interval and d_z."""
    words = {
        "above": f"{what} rose at", "below": f"{what} fell at", "equal": f"{what} is practically the same at",
        "open": f"the data do not settle whether {what} changed at", "none": f"no verdict on {what} at",
    }  # fmt: skip
    found: dict[str, list[str]] = {}
    for row in changes(result, measure):
        stage = change_name(row).removesuffix(f" minus {result.settings['baseline']}")
        size = size_of(result, row, measure)
        d_z = f", d_z = {number(size.estimate)}" if size is not None and size.estimate is not None else ""
        found.setdefault(settled(row, options), []).append(f"{shorten(stage, 40)} ({numbers_text(row)}{d_z})")
    parts = [f"{word} {listing(found[verdict])}" for verdict, word in words.items() if verdict in found]
    text = f"Against {shorten(str(result.settings['baseline']), 40)}, {'; '.join(parts)}."
    known = [r.p_adjusted for r in changes(result, measure) if r.p_adjusted is not None]
    return f"{text} {largest_p(known)}" if known else text


def largest_p(known: Sequence[float]) -> str:
    """Say how large the adjusted p-values are."""
    if len(known) == 1:
        return f"{p_value(known[0], name='Holm-adjusted p')}."
    return f"Largest of the {count(len(known))} Holm-adjusted p-values: {p_value(max(known))}."


def models_changed(profile: Result) -> str:
    """Name the families of the tests of changes."""
    models = profile.counts["models"]
    return "the stages" if models == 1 else "models and stages, and over the stages for all models together"


def leans(rows: Sequence[Row], options: StudyOptions) -> str:
    """Say how many models lie above, below, practically at, or undecided about the zero."""
    where = {"above": "above", "below": "below", "equal": "practically at"}
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(settled(row, options, options.smallest_effect), []).append(row)
    parts = []
    for verdict, word in where.items():
        if verdict in found:
            names = listing([shorten(r.term, 30) for r in found[verdict]], most=6)
            parts.append(f"{count(len(found[verdict]))} {word} it ({names})")
    if "open" in found:
        names = listing([shorten(r.term, 30) for r in found["open"]], most=6)
        after = " after adjustment" if any(r.p_adjusted is not None for r in found["open"]) else ""
        parts.append(f"for {count(len(found['open']))} the data do not settle it{after} ({names})")
    if "none" in found:
        names = listing([shorten(r.term, 30) for r in found["none"]], most=6)
        why = found["none"][0].undefined or "there is no interval"
        parts.append(f"for {count(len(found['none']))} there is no test ({names}: {why})")
    return listing(parts)


def ends_text(rows: Sequence[Row], *, at: str, digits: int = 2) -> str:
    """Say where a measure is highest and lowest, or that it is the same everywhere (as far as it is printed).

    Examples
    --------
    >>> rows = [Row(term="start", estimate=3.0), Row(term="end", estimate=3.001)]
    >>> ends_text(rows, at="at"), ends_text(rows[:1], at="at")
    ('the same at all of them (start and end): 3.00', '3.00 at start')
    >>> ends_text(rows, at="at", digits=3)
    'highest at end (3.001) and lowest at start (3.000)'
    """
    high, low = max(rows, key=lambda r: r.estimate or 0.0), min(rows, key=lambda r: r.estimate or 0.0)
    if len(rows) == 1:
        return f"{numbers_text(high, digits=digits)} {at} {shorten(high.term, 40)}"
    if number(high.estimate or 0.0, digits) == number(low.estimate or 0.0, digits):
        names = listing([shorten(r.term, 40) for r in rows], most=6)
        return f"the same {at} all of them ({names}): {number(high.estimate or 0.0, digits)}"
    ends = [f"{at} {shorten(r.term, 40)} ({numbers_text(r, digits=digits)})" for r in (high, low)]
    return f"highest {ends[0]} and lowest {ends[1]}"


def answer(
    profile: Result, lean: Sequence[Row], commitment: Result | None, options: StudyOptions
) -> tuple[str, ...]:  # fmt: skip
    """Return where the models lean, what the stages change, and how commitment moves."""
    place = "the judges' own zero" if options.zero is not None else "the centre of the scale"
    known = sorted((r for r in lean if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    first = f"Against {place}, of {count(len(lean), 'model')}: {leans(lean, options)}."
    if len(known) > 1 and number(known[0].estimate or 0.0) == number(known[-1].estimate or 0.0):
        first += f" All have the same composite, {number(known[0].estimate or 0.0)}."
    elif len(known) > 1:
        high, low = (f"{shorten(r.term, 40)} ({with_test(r)})" for r in (known[0], known[-1]))
        first += f" The highest is {high}, the lowest {low}."
    elif known:
        first += f" {shorten(known[0].term, 40)}: {with_test(known[0])}."
    moved = changed(profile, last_change(profile), "the composite", options)
    said = [first, f"{moved[0].upper()}{moved[1:]}."]
    if commitment is not None:
        row = last_change(commitment)
        text = changed(commitment, row, "commitment", options)
        said.append(f"{text[0].upper()}{text[1:]}.")
    return tuple(said)


COMMITMENT = "commitment"
BEFORE = ("baseline", "before", "pre", "start")
AFTER = ("debrief", "after", "post", "end")


def ordered_stages(levels: Sequence[str]) -> tuple[str, ...]:
    """Return the stages in order: a baseline first, a debrief last, others as they are sorted.

    Examples
    --------
    >>> ordered_stages(["baseline", "debrief", "stage 1", "stage 2"])
    ('baseline', 'stage 1', 'stage 2', 'debrief')
    """

    def place(label: str) -> int:
        low = label.strip().lower()
        return -1 if low in BEFORE else 1 if low in AFTER else 0

    return tuple(sorted(levels, key=place))


def codes_of(design: Ratings, part: str) -> tuple[IntArray, tuple[str, ...]]:
    """Return the codes of a part over the ratings, and its labels; one nameless level where the part is absent."""
    factor = design.strata.get(part)
    if factor is None:
        return np.zeros(len(design.unit), dtype=np.int64), ("all",)
    return factor.codes[design.unit], factor.levels


def only(design: Ratings, part: str, levels: Sequence[str]) -> Ratings:
    """Return the ratings of some levels of a part; the design itself where these are all, or the part is absent."""
    codes, known = codes_of(design, part)
    if part not in design.strata or set(known) <= set(levels):
        return design
    wanted = [k for k, level in enumerate(known) if level in levels]
    return design.take(np.isin(codes, wanted), note=f"{part} {quoted(list(levels), 4)}")


def without(design: Ratings, part: str, level: str) -> Ratings:
    """Return the ratings outside one level of a part."""
    codes, known = codes_of(design, part)
    return design.take(codes != known.index(level), note=f"without {part} {quoted([level])}")


def main_wordings(design: Ratings) -> tuple[str, ...]:
    """Return the wordings that every stage was asked in; all, where there is none."""
    wording, names = codes_of(design, "wording")
    stage, stages = codes_of(design, "stage")
    seen = np.zeros((len(names), len(stages)), dtype=bool)
    seen[wording, stage] = True
    full = [name for name, has in zip(names, seen, strict=True) if has.all()]
    return tuple(full or names)


def all_stages(design: Ratings, stages: Sequence[str]) -> bool:
    """Tell whether every model has every scenario at every stage."""
    parts = [codes_of(design, part) for part in ("model", "scenario", "stage")]
    seen = np.zeros([len(names) for _, names in parts], dtype=bool)
    ok = design.status == OK
    seen[tuple(codes[ok] for codes, _ in parts)] = True
    return bool(seen.all())


def score_table(design: Ratings) -> Table:
    """Describe the scores of each trait: how many, their range, mean and standard deviation."""
    trait, names = codes_of(design, "trait")
    ok = design.status == OK
    cells = []
    for k, name in enumerate(names):
        mine = trait == k
        values = design.scores[design.value[mine & ok]]
        lost = int((mine & ~ok).sum())
        if len(values):
            sd = number(float(values.std(ddof=1))) if len(values) > 1 else None
            ends = (number(float(values.min()), 0), number(float(values.max()), 0))
            cells.append((name.replace("_", " "), len(values), lost, *ends, number(float(values.mean())), sd))
    return Table(caption="Scores of each trait, all judges and answers",
                 header=("Trait", "Scores", "Missing", "Lowest", "Highest", "Mean", "SD"),
                 cells=tuple(cells))  # fmt: skip


OWN = "as on this page"


def stage_multiverses(design: Ratings, stages: Sequence[str], options: StudyOptions) -> tuple[Block, ...]:
    """Return the multiverse of the last change of the composite, and of commitment where it was scored."""
    held = COMMITMENT in design.strata["trait"].levels
    return tuple(stage_multiverse(design, stages, options, held=one) for one in (False, True)[: 1 + held])


def stage_multiverse(design: Ratings, stages: Sequence[str], options: StudyOptions, *, held: bool) -> Block:
    """Return the multiverse of the last change: of commitment (`held`), or of the composite."""
    part = only(design, "trait", (COMMITMENT,) if held else tuple(TRAIT_WEIGHTS))
    main = only(part, "wording", main_wordings(design))
    given: dict[str, Any] = {
        "stages": stages, "activation": None, "level": options.level, "seed": options.seed,
        "resamples": options.resamples, "model": "model" if "model" in design.strata else None,
    }  # fmt: skip
    given |= (
        {"weights": {COMMITMENT: 1.0}, "free_weights": True, "centre": 0.0} if held else {"weights": options.weights}
    )
    listed = distinct(variants(part, main, given))
    what = "commitment" if held else "the composite"
    name = shorten(change_name(last_change(listed[0].compute())), 50)
    quantity = f"the change of {what} ({name})"
    found = multiverse("trait_profile", quantity, listed, reference=0.0, words="0")
    return multiverse_block(
        found, id="multiverse" if held else "multiverse-composite", quantity=quantity,
        question=f"Does the change of {what} hang on the analysis?",
        note="With models as units of analysis the estimate is the same mean, with another error.",
    )  # fmt: skip


def variants(part: Ratings, main: Ratings, given: dict[str, Any]) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Ratings] = lambda: main, **choices: Any) -> Variant:
        def compute() -> Result:
            found: Any = trait_profile(data(), **(given | choices))
            result: Result = found
            return result

        return Variant(label=label, choice=choice, compute=compute, lead=last_change)

    models = codes_of(main, "model")[1]
    made = [
        way("scenarios as units, judges fixed", OWN),
        way("judges drawn too", "judges", judges="random"),
        way("bootstrap of scenarios, percentile", "interval", ci="percentile"),
    ]
    scenario = main.strata["scenario"]
    if any(not is_inside(factor, scenario) for factor in main.clusters):  # clusters that hold several scenarios
        made.append(way("clusters ignored", "clusters", cluster=None))
    if given["weights"] != dict(EQUAL_WEIGHTS) and not given.get("free_weights"):
        made.append(way("equal weights of the traits", "weights", weights=EQUAL_WEIGHTS))
    if len(models) > 2:
        made.append(way("models as units", "units of analysis", unit_of_analysis="model", cluster=None))
    if part is not main:
        made.append(way("all wordings", "wordings", lambda: part))
    if 1 < len(main.raters) <= MOST_LEFT_OUT:
        made += [
            way(without_label("judge", judge), "judge left out", partial(without_judge, main, judge))
            for judge in main.raters
        ]
    if 1 < len(models) <= MOST_LEFT_OUT:
        made += [
            way(without_label("model", model), "model left out", partial(without, main, "model", model))
            for model in models
        ]
    return made


def without_judge(design: Ratings, judge: str) -> Ratings:
    """Return the ratings of the other judges."""
    return design.of_raters([rater for rater in design.raters if rater != judge])


USED = ("seed", "resamples", "level", "smallest_effect", "zero", "weights", "verify")
PARTS = ("scenario", "stage", "judge")
COLUMNS = (*PARTS, *TRAIT_WEIGHTS)
SINGLE: dict[str, Any] = {"weights": {COMMITMENT: 1.0}, "free_weights": True, "centre": 0.0}  # a score by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """What the study computes.

    Attributes
    ----------
    stages : tuple of str
        In their order.
    profile : Result
        Composites, activation, judges and weights.
    lean : tuple of Row
        Composite of each model over all stages, against the judges' own zero where that is known; Holm-adjusted.
    lean_tests : Result or None
        What holds the adjusted tests.
    commitment, spread : Result or None
    units : mapping of str to pair of Result
        What is measured -> with scenarios, and with models as the units of analysis; empty for one or two models.
    agreement : Agreement or None
        Of the judges, in all and by stage; None with a single judge.
    """

    stages: tuple[str, ...]
    profile: Result
    lean: tuple[Row, ...]
    lean_tests: Result | None
    commitment: Result | None
    spread: Result | None
    units: Mapping[str, tuple[Result, Result]]
    agreement: Agreement | None

    def all(self) -> dict[str, Result]:
        """Return every result by a name of its own."""
        found = {
            "Composites": self.profile, "Lean of the models": self.lean_tests, "Commitment": self.commitment,
            "Spread over wordings": self.spread, **({} if self.agreement is None else self.agreement.all()),
        }  # fmt: skip
        found |= {f"{what}, models as units": models for what, (_, models) in self.units.items()}
        return {name: result for name, result in found.items() if result is not None}


def read(
    table: DataTable, *, by: str | None = None, na: Sequence[str] = (), refusal: Sequence[str] = (),
    cluster: Sequence[str] = (), missing: str | None = None,
) -> Ratings:  # fmt: skip
    """Read a table with one row an answer and judge, one column a trait, and a column ``commitment`` if there is one.

    Raises
    ------
    InputError
        As `trait_ratings`; and for a by factor that is a part of the design.
    """
    if by in ("model", *PARTS, "wording"):
        raise InputError(f"--by {by}: this study compares models, stages and judges itself; leave it out")
    if "stage" not in table.columns:
        raise InputError(f"{table.source}: no column 'stage'; this study is about changes over stages. Columns: "
                         f"{quoted(table.columns, 20)}. Say which it is: --map stage=COLUMN")  # fmt: skip
    traits = [*TRAIT_WEIGHTS, *([COMMITMENT] if COMMITMENT in table.columns else [])]
    given: dict[str, Any] = {"by": by, "na": na, "refusal": refusal, "source": table.source}
    given |= {"missing": missing} if missing else {}
    return trait_ratings(
        table, traits=traits, model="model" if "model" in table.columns else None, cluster=cluster or "scenario",
        **given,
    )  # fmt: skip


def suits(design: Ratings) -> bool:
    """Tell whether the design holds trait scores of stages, under the names that `trait_ratings` gives them."""
    if not {"scenario", "stage", "trait"} <= set(design.strata):
        return False
    traits = set(design.strata["trait"].levels)
    return set(TRAIT_WEIGHTS) <= traits and len(design.strata["stage"].levels) > 1


def run(design: Ratings, options: StudyOptions) -> Outcome:
    """Answer: where do the models lean, how does that change over the stages, and do the judges agree?"""
    if design.by is not None:
        raise InputError(f"the report takes one '{design.by.name}' at a time; filter the table, or leave by= out")
    stages = design.strata["stage"].levels if "stage" in design.strata else ()
    if len(stages) == 1:
        raise InputError(
            f"this study is about changes over stages, and the only stage is '{shorten(stages[0], 40)}'; "
            "trait_profile(...) gives the composites of a single stage"
        )
    options = with_zero(options)
    numbers = compute(design, options)
    results = numbers.all().values()
    shown = blocks(design, numbers, options)
    return Outcome(
        study="staged-values",
        title="Where do the models lean, and what do the stages change?",
        design=describe(design, numbers),
        answer=answer(numbers.profile, numbers.lean, numbers.commitment, options),
        strip=strip(numbers, options),
        cautions=order_cautions(unknown_zero(options), *cautions_of(numbers), design.cautions),
        blocks=shown,
        flow=design.flow,
        data=(score_table(design),),
        diagnostics=diagnostics(design, numbers.profile, numbers.stages, options),
        methods=methods(numbers, options),
        references=tuple(dict.fromkeys([*(key for r in results for key in r.references), "steegen2016"])),
        verifications=verify_all(numbers.all(), shown) if options.verify else {},
        settings=settings_of(options, USED) | {"zero": None if options.zero is None else dict(options.zero)},
        simulated=options.simulated,
    )


def compute(design: Ratings, options: StudyOptions) -> Numbers:
    """Compute every number of the page that does not belong to the multiverse."""
    stages = ordered_stages(design.strata["stage"].levels)
    main = only(design, "wording", main_wordings(design))
    traits = only(main, "trait", tuple(TRAIT_WEIGHTS))
    common: dict[str, Any] = {"level": options.level, "seed": options.seed, "resamples": options.resamples}
    names: dict[str, Any] = {"model": "model" if "model" in design.strata else None}
    weighted = names | common | {"weights": options.weights}
    profile: Any = trait_profile(traits, stages=stages, zero=options.zero, entropy="nats", **weighted)
    lean, tests = leaning(profile, options)
    held = COMMITMENT in main.strata["trait"].levels
    alone = only(main, "trait", (COMMITMENT,)) if held else None
    commitment = None if alone is None else commitment_of(alone, stages, names | common)
    return Numbers(
        stages=stages, profile=profile, lean=lean, lean_tests=tests, commitment=commitment,
        units=units_of(profile, traits, commitment, alone, weighted | {"stages": stages}),
        spread=spread_of(only(design, "trait", tuple(TRAIT_WEIGHTS)), stages, weighted),
        agreement=agreement_of(traits, alone, stages, options.weights, common),
    )  # fmt: skip


def leaning(profile: Result, options: StudyOptions) -> tuple[tuple[Row, ...], Result | None]:
    """Return the models' composites against the zero that is known, adjusted over the models."""
    group = "composite" if options.zero is None else "composite minus zero"
    return with_holm([row for row in profile.rows if row.group == group], "models")


def cautions_of(numbers: Numbers) -> list[tuple[Caution, ...]]:
    """Return the cautions of every result but those with models as units, whose sentence says what they are."""
    beside = [id(models) for _, models in numbers.units.values()]
    return [result.cautions for result in numbers.all().values() if id(result) not in beside]


def units_of(
    profile: Result, traits: Ratings, commitment: Result | None, alone: Ratings | None, options: dict[str, Any]
) -> dict[str, tuple[Result, Result]]:
    """Return composite and commitment with scenarios and with models as the units of analysis."""
    n = profile.counts["models"]
    found = {"the composite": (profile, by_models(traits, n, options))}
    if commitment is not None and alone is not None:
        found["commitment"] = (commitment, by_models(alone, n, options | SINGLE))
    return {what: (one, other) for what, (one, other) in found.items() if other is not None}


def commitment_of(design: Ratings, stages: tuple[str, ...], options: dict[str, Any]) -> Result:
    """Return mean commitment and its changes: a composite of one score with weight 1 and centre 0."""
    found: Any = trait_profile(design, activation=None, stages=stages, **SINGLE, **options)
    result: Result = found
    return result


def spread_of(design: Ratings, stages: tuple[str, ...], options: dict[str, Any]) -> Result | None:
    """Return the spread over wordings, or None where no question has two."""
    if "wording" not in design.strata or len(design.strata["wording"].levels) < 2:
        return None
    try:
        found: Any = paraphrase_spread(design, stages=stages, **options)
    except NothingToAnalyse:
        return None
    result: Result = found
    return result


def blocks(design: Ratings, numbers: Numbers, options: StudyOptions) -> tuple[Block, ...]:
    """Return the questions in the order of a reader's interest."""
    profile, stages = numbers.profile, numbers.stages
    found = (
        lean_block(profile, numbers.lean, numbers.lean_tests, options),
        trajectories_block(profile, stages, options),
        changes_block(profile, options),
        None if numbers.commitment is None else commitment_block(numbers.commitment, stages, options),
        units_block(numbers.units),
        activation_block(profile),
        agreement_block(numbers.agreement, stages),
        judges_block(profile, options),
        None if numbers.spread is None else wordings_block(numbers.spread),
        weights_block(profile),
        traits_block(profile),
        *stage_multiverses(design, numbers.stages, options),
    )
    return tuple(block for block in found if block is not None)


def describe(design: Ratings, numbers: Numbers) -> str:
    """Return the design in one line: kind, and n at every level."""
    n = numbers.profile.counts
    parts = [
        count(n["models"], "model"), count(n["scenarios"], "scenario"), count(n["stages"], "stage"),
        count(n["judges"], "judge"), count(n["traits"], "trait"), count(design.n_rows, "score"),
        *cluster_words(design),
    ]  # fmt: skip
    return "Trait scores by judges: " + ", ".join(parts)


def strip(numbers: Numbers, options: StudyOptions) -> Strip | None:
    """Return the composite of the models that lean most, and of all, beside the zero."""
    anchored = options.zero is not None
    label = "the judges' own zero" if anchored else "centre of the scale"
    known = sorted((r for r in numbers.lean if r.estimate is not None), key=lambda r: -(r.estimate or 0.0))
    if not known:
        return None
    shown = known if len(known) <= 4 else [known[0], known[1], known[-2], known[-1]]
    marks = [Mark(label=label, value=0.0, kind="reference")]
    marks += [Mark(label=shorten(r.term, 30), value=r.estimate, low=r.conf_low, high=r.conf_high) for r in shown]
    which = "" if len(shown) == len(known) else ": the two highest and the two lowest models"
    axis = "composite minus the judges' own zero" if anchored else "composite, from −100 to 100"
    return Strip(title=f"Weighted composite over all stages{which}", axis=axis, digits=1, marks=tuple(marks))


def methods(numbers: Numbers, options: StudyOptions) -> tuple[str, ...]:
    """Return the methods paragraph."""
    low, high = numbers.profile.extras["range"]
    weights = ", ".join(f"{name.replace('_', ' ')} {number(w, 3)}"
                        for name, w in numbers.profile.extras["weights"].items())  # fmt: skip
    text = (
        f"The composite of an answer, as a judge sees it, is the sum over traits of weight x (score − 10), from "
        f"{number(low, 0)} to {number(high, 0)} (weights: {weights}); it is averaged over judges, and scenarios are "
        f"the units of analysis. {numbers.profile.inference}; {level_text(options.level)} intervals. Leans: t tests of "
        f"{'the judges’ own zero' if options.zero is not None else '0'}{zero_words(numbers.profile)}, "
        "p-values adjusted by Holm's method over the models, verdicts by the adjusted p. Changes: paired t tests "
        "against the baseline, adjusted over "
        f"{models_changed(numbers.profile)}; d_z is their mean over their standard deviation, with a noncentral t "
        "interval. A trait is active from a mean score of 14 of 20."
    )
    return (text,)


def zero_words(profile: Result) -> str:
    """Say how the error of the judges' zero enters."""
    error = profile.settings.get("zero_error")
    if error is None:
        return ""
    source = "by the means of neutral texts" if error["basis"] == "texts" else "by the judges' noise on control texts"
    return f" (its error, {source}, adds to theirs; degrees of freedom by Cochran's weighted critical value)"


STUDY = Study(
    name="staged-values",
    title="Where do models lean in staged role play, and what do the stages change?",
    design="ratings",
    needs=f"scenario, stage, judge and the traits {', '.join(TRAIT_WEIGHTS)}; best with model, wording, commitment",
    suits=suits,
    run=run,
    read=read,
    columns=COLUMNS,
    beside={"controls": controls_of, "weights": weights_of},
)
