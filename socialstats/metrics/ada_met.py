"""ADA-Met: the mean distance of a model's answers from the mode of the people's answers."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from inspect import signature
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from socialstats import sentences
from socialstats.arrays import BoolArray, FloatArray, IntArray, size_unit
from socialstats.designs.calls import TableLike
from socialstats.designs.parts import Factor
from socialstats.designs.ratings import MISSING, REFUSAL, Ratings
from socialstats.errors import Caution, InputError, caution
from socialstats.halves import in_halves
from socialstats.inference.compare import with_holm
from socialstats.inference.dependence import (
    cluster_cautions,
    cluster_factors,
    cluster_text,
    small_sample,
)
from socialstats.inference.how import RESAMPLED
from socialstats.inference.intervals import checked_level
from socialstats.inference.rows import with_ends, with_t
from socialstats.models.alignment import (
    MODE_TIES,
    NOT_ASKED,
    REFUSAL_RULES,
    JoinedAnswers,
    ModeTies,
    Panel,
    Targets,
    TwoWay,
    constant_shares,
    join_answers,
    model_shares,
    resample_people,
    source_and_reference,
)
from socialstats.models.kappa import units_by_stratum
from socialstats.models.shares import IntervalOptions, merge_cells, probabilities_text, share_row
from socialstats.registry import Metric, reads
from socialstats.resampling import basic, percentile
from socialstats.resampling.engine import Replicates, check_resamples
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import OUT_OF_RANGE, Reason, lowest_and_highest, undefined_text
from socialstats.rounding import alike
from socialstats.text import count, listing, number, quoted, shorten
from socialstats.voice import one_of, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["METRIC", "ada_met"]


AlignmentCi = Literal["two_way", "centred", "percentile", "basic"]
CIS: tuple[str, ...] = get_args(AlignmentCi)
Unparsed = Literal["exclude", "refusal"]
UNPARSED: tuple[str, ...] = get_args(Unparsed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlignmentOptions:
    """Options of `ada_met`."""

    reference: str | None
    source: str
    ties: str
    refusal: Any
    unparsed: str
    group: str | None
    stratum: str | None
    ci: str
    cluster: str | Sequence[str] | None
    level: float
    resamples: int
    seed: int

    def check(self) -> None:
        """Raise InputError for an impossible option."""
        checked_level(self.level)
        for name, allowed in (("ties", MODE_TIES), ("unparsed", UNPARSED), ("ci", CIS)):
            one_of(name, getattr(self, name), allowed)
        is_number = isinstance(self.refusal, int | float) and not isinstance(self.refusal, bool)
        if not (
            self.refusal in REFUSAL_RULES
            if not is_number
            else math.isfinite(self.refusal) and self.refusal >= 0
        ):
            raise InputError(
                f"{option('refusal', self.refusal)} is not one of {', '.join(REFUSAL_RULES)}, or a distance of 0 "
                "or more"
            )
        if self.group is not None and self.group in (self.stratum, self.source):
            raise InputError(
                f"{option('group', self.group)} is the stratum or the source too; name an attribute of "
                "the raters"
            )
        check_resamples(self.resamples, self.level)


NO_UNIT = "no unit has an answer of this model that counts and a mode of the reference"
CONSTANT = alike("units and the people")
ALONE = "a single unit or cluster: no interval"
OUTSIDE = "the interval excludes the estimate: the modes of the resamples are noisier; use "
METHODS = {
    "two_way": "t of people and units",
    "centred": "two-way bootstrap, centred percentile",
    "percentile": "two-way bootstrap, percentile",
    "basic": "two-way bootstrap, basic",
}
Why = tuple[str, Reason | None]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class State:
    """A design with its joined answers.

    Attributes
    ----------
    reference : str
        Label of the source that is the reference.
    factors : tuple of Factor
        Clusters of the units, over all units of the design.
    clusters : tuple of (units,) int64 arrays
        The same over the units compared.
    """

    design: Ratings
    options: AlignmentOptions
    source: Factor
    reference: str
    answers: JoinedAnswers
    factors: tuple[Factor, ...]

    @classmethod
    def of(cls, design: Ratings, options: AlignmentOptions) -> State:
        """Join the answers."""
        source, code = source_and_reference(design, options.source, options.reference)
        rule = options.refusal if isinstance(options.refusal, str) else float(options.refusal)
        answers = join_answers(
            design, source, code, unparsed=options.unparsed, ties=options.ties, refusal=rule
        )
        if size_unit(answers.scores) != 1:
            raise InputError(f"{design.source}: distances between levels are {OUT_OF_RANGE}")
        return cls(
            design=design,
            options=options,
            source=source,
            reference=source.levels[code],
            answers=answers,
            factors=cluster_factors(design, options.cluster),
        )

    @property
    def clusters(self) -> tuple[IntArray, ...]:
        """Clusters of the units compared."""
        return tuple(factor.codes[self.answers.unit] for factor in self.factors)

    @property
    def models(self) -> list[str]:
        """Labels of the models."""
        return [self.design.raters[m] for m in self.answers.models.tolist()]

    @property
    def tied(self) -> BoolArray:
        """(units,) bool array: several levels have most answers."""
        counts = self.answers.pooled_counts
        return np.asarray((counts == counts.max(axis=1, keepdims=True)).sum(axis=1) > 1)

    @property
    def leverage(self) -> float:
        """Largest share of the units that one cluster holds, or of the answers that one person gave."""
        weight, given = self.answers.weight, self.answers.table.sum(axis=1)
        held = [
            np.bincount(codes, weight).max() / weight.sum()
            for codes in self.clusters or (np.arange(len(weight)),)
        ]
        return float(max(given.max() / given.sum(), *held))

    def no_resampling(self, people: int) -> Why:
        """Return why this many people and these units cannot be resampled, with its code, or an empty text."""
        for factor, codes in zip(self.factors, self.clusters, strict=True):
            if len(np.unique(codes)) < 2:
                return f"a single level of the cluster '{factor.name}': no interval", "one_cluster"
        if self.answers.weight.sum() < 2:
            return "a single unit: no interval", "one_unit"
        return (
            ("", None) if people > 1 else ("a single reference rater: no interval", "no_interval")
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Found:
    """Rows with their intervals.

    Attributes
    ----------
    rows : list of Row
    bias : (rows,) float64 array
        Mean of the resamples minus the estimate.
    df : float or None
        Least degrees of freedom of a t interval.
    caution : Caution or None
        SS204.
    """

    rows: list[Row]
    bias: FloatArray
    df: float | None = None
    caution: Caution | None = None


def with_intervals(
    state: State,
    rows: Sequence[Row],
    watches: Sequence[TwoWay],
    drawn: Sequence[FloatArray],
    why: Why,
    shift: FloatArray | float = 0.0,
) -> Found:
    """Fill rows with the estimates of the sample less `shift`, and the intervals that `ci` names.

    Parameters
    ----------
    state : State
    rows : sequence of Row
        Their names; differences may be below 0.
    watches : sequence of TwoWay
        Of the sample, and with ``ci="two_way"`` of the resampled people.
    drawn : sequence of (resamples, means) float64 arrays
        Resamples of a bootstrap.
    why : (str, Reason or None)
        Why nothing can be resampled, or an empty text.
    """
    value = np.concatenate([watch.value for watch in watches]) - shift
    size = np.concatenate([watch.size for watch in watches])
    clusters = min(len(np.unique(codes)) for codes in state.clusters) if state.factors else None
    out = []
    for row, one, n in zip(rows, value.tolist(), size.tolist(), strict=True):
        row = replace(row, n=n, n_units=int(n), n_clusters=clusters)
        if np.isnan(one):
            out.append(replace(row, method=None, undefined=NO_UNIT, reason="no_data"))
        else:
            method = row.method or METHODS[state.options.ci]
            out.append(
                replace(row, estimate=one, method=method, undefined=why[0] or None, reason=why[1])
            )
    if why[0]:
        return Found(rows=out, bias=np.full(len(out), np.nan))
    if state.options.ci == "two_way":
        return with_t_intervals(state, out, watches)
    return bootstrapped(state, out, value, np.hstack(drawn) - shift)


def least(row: Row) -> float:
    """Return what the quantity cannot be below."""
    return -math.inf if row.role == "difference" else 0.0


def with_t_intervals(state: State, rows: Sequence[Row], watches: Sequence[TwoWay]) -> Found:
    """Fill rows with t intervals over people and units, and tests of differences."""
    error, df, bias = (
        np.concatenate(parts) for parts in zip(*(watch.spread() for watch in watches), strict=True)
    )
    pieces, level = np.concatenate([watch.pieces for watch in watches]), state.options.level
    out = []
    for row, e, d, p in zip(rows, error.tolist(), df.tolist(), pieces.tolist(), strict=True):
        if row.estimate is None:
            out.append(row)
        elif p < 2:
            out.append(
                replace(row, undefined=ALONE, reason="one_cluster" if state.factors else "one_unit")
            )
        elif not e > 0:
            out.append(replace(row, undefined=CONSTANT, reason="no_variation"))
        else:
            test = row.role == "difference"
            out.append(
                with_t(replace(row, df=d), e, d, level, within=(least(row), math.inf), test=test)
            )
    known = [
        d
        for row, d in zip(out, df.tolist(), strict=True)
        if row.conf_level and row.role != "difference"
    ]
    return Found(rows=out, bias=bias, df=min(known, default=None))


def bootstrapped(state: State, rows: Sequence[Row], value: FloatArray, drawn: FloatArray) -> Found:
    """Fill rows with the intervals of a bootstrap of people and units, (resamples, rows)."""
    ci, level = state.options.ci, state.options.level
    width = float(state.answers.scores[-1] - state.answers.scores[0])
    boot = Replicates(
        estimate=value, replicates=drawn, n_degenerate=np.isnan(drawn).sum(axis=0), size=width
    )
    bias = np.where(np.all(np.isnan(drawn), axis=0), np.nan, boot.bias)
    ends = (basic if ci == "basic" else percentile)(boot, level=level)
    errors, out = boot.std_error, []
    for j, row in enumerate(rows):
        if row.estimate is None:
            out.append(row)
            continue
        move = bias[j] if ci == "centred" else 0.0
        low, high = (max(float(end - move), least(row)) for end in (ends.low[j], ends.high[j]))
        outside = not low <= row.estimate <= high or low == high
        why = ends.undefined[j] or (OUTSIDE + option("ci", "centred") if outside else "")
        row = replace(row, std_error=float(errors[j]) if errors[j] > 0 else None)
        kind: Literal["basic", "percentile"] = "basic" if ci == "basic" else "percentile"
        out.append(with_ends(row, low, high, level, why=why, interval=kind))
    return Found(rows=out, bias=bias, caution=boot.caution("intervals"))


def watched(state: State, panel: Panel) -> list[TwoWay]:
    """Return the means of the sample, for each set of a panel."""
    some = zip(panel.targets, panel.sample(), panel.raters, strict=True)
    return [
        TwoWay(targets, sample, state.answers.weight, state.clusters, n)
        for targets, sample, n in some
    ]


LINE = "reference line"
PAIRED = "{ci}, on the units that both answered; p of the same t, Holm over the models"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Whole:
    """Rows about all people.

    Attributes
    ----------
    models, lines, gaps : list of Row
        Models (all units, then strata); reference lines; models less the nearest one, and less the best constant.
    found : Found
        All of them.
    effects : dict of model to float
        Design effects: variance over that of units taken as independent, with the people held (Kish, 1965).
    """

    models: list[Row]
    lines: list[Row]
    gaps: list[Row]
    found: Found
    effects: dict[str, float]


def whole_targets(state: State) -> tuple[list[Row], list[FloatArray]]:
    """Name the models over all units, the models by stratum, and the answers that need no model; with their shares."""
    shares, rows, picked = model_shares(state.answers), list[Row](), list[FloatArray]()
    for level, among in units_by_stratum(state.design, state.options.stratum):
        inside = among[state.answers.unit].astype(np.float64)[:, None]
        for model, one in zip(state.models, shares, strict=True):
            row = Row(term=model, role="estimate", key=(("model", model),))
            if level is not None:
                row = replace(
                    row,
                    group=f"{state.options.stratum} = {level}",
                    key=(*row.key, ("stratum", level)),
                )
            rows.append(row)
            picked.append(one * inside)
    line = Row(term="uniform answer", group=LINE, role="reference", key=(("line", "uniform"),))
    rows += [
        replace(line, term=f"always {label}", key=(("line", "constant"), ("answer", label)))
        for label in state.answers.labels
    ]
    rows.append(line)
    return rows, [*picked, *constant_shares(state.answers)]


def gaps(
    state: State, rows: Sequence[Row], shares: Sequence[FloatArray]
) -> list[tuple[Row, FloatArray, FloatArray]]:
    """Name the differences in distance from the nearest model (of several) and from the best constant answer.

    With the shares of the one and of the other; nothing where no difference exists.
    """
    answers, m, k = state.answers, len(state.models), len(state.answers.scores)
    distances, known = answers.distances(answers.pooled_counts[None])
    found = []
    for kind, at in (("nearest", range(m)), ("constant", range(len(rows) - k - 1, len(rows) - 1))):
        far = Targets.from_shares([shares[j] for j in at]).means(distances, answers.weight * known)[
            0
        ]
        if np.isnan(far).all() or (kind == "nearest" and m == 1):
            continue
        first = at[int(np.nanargmin(far))]
        for j, model in enumerate(state.models):
            if j != first:
                key = (("model", model), (kind, rows[first].label("answer") or rows[first].term))
                row = Row(
                    term=model,
                    group=f"minus {kind} = {rows[first].term}",
                    role="difference",
                    key=key,
                    method=PAIRED.format(ci=METHODS[state.options.ci]),
                )
                found.append((row, shares[j], shares[first]))
    return found


def whole_rows(state: State) -> Whole:
    """Rows of models, of the reference lines and of differences between them."""
    answers, o, m = state.answers, state.options, len(state.models)
    rows, shares = whole_targets(state)
    why, two_way = state.no_resampling(len(answers.people)), o.ci == "two_way"
    apart = gaps(state, rows, shares) if two_way and not why[0] else []
    top = Row(
        term=f"random {state.reference}",
        group=LINE,
        role="reference",
        key=(("line", "ceiling"),),
        method=f"{METHODS[o.ci]}, with the modes of the others held",
    )
    targets = Targets.from_shares(
        [*shares, *(one for _, one, _ in apart)], [other for _, _, other in apart]
    )
    panel = Panel.everyone(answers, targets)
    watches, drawn = watched(state, panel), list[FloatArray]()
    if not why[0]:
        seen, kept = (watches, 0) if two_way else ([], 2)
        drawn = resample_people(panel, seen, state.clusters, o.resamples, o.seed, kept=kept)
    found = with_intervals(state, [*rows, *(row for row, _, _ in apart), top], watches, drawn, why)
    differences = found.rows[len(rows) : -1]
    effects = {}
    if two_way and not why[0]:
        alone = TwoWay(
            Targets.from_shares(shares[:m]), panel.sample()[0], answers.weight, (), 1
        ).units
        error = watches[0].spread()[0][:m]
        effects = {
            one: float(e**2 / v)
            for one, e, v in zip(state.models, error, alone, strict=True)
            if v > 0 and e > 0
        }
    return Whole(
        models=[row for row in found.rows if row.role == "estimate"],
        lines=[found.rows[-1], *(row for row in found.rows[:-1] if row.role == "reference")],
        gaps=[
            row
            for kind in ("nearest", "constant")
            for row in with_holm(
                [row for row in differences if row.label(kind)], family=f"models, {kind}"
            )
        ],
        found=found,
        effects=effects,
    )


FEW_ANSWERS = 10.0
ENOUGH = 500  # permutations for a mean or a share that no test rests on
PERMUTED = "{ci}, corrected for group size; p by permuting people between the two groups, Holm over a model's pairs"
SAME_T = (
    "{ci}, corrected for group size (people permuted); p of the same t, Holm over a model's pairs"
)


def grouped(state: State) -> tuple[list[Row], list[Caution], dict[str, Any]]:
    """Return the rows, cautions and extras of the attribute that `group` names; nothing without one."""
    o, answers, models = state.options, state.answers, state.models
    if o.group is None:
        return [], [], {}
    labels, people = members(state, o.group)
    targets, n = Targets.from_shares(model_shares(answers)), len(labels)
    panel, two_way = Panel.by_group(answers, targets, people), o.ci == "two_way"
    watches, drawn = watched(state, panel), list[FloatArray]()
    if not state.no_resampling(2)[0]:
        kept, seen = (n, watches) if two_way else (len(watches), [])
        drawn = resample_people(panel, seen, state.clusters, o.resamples, o.seed, kept=kept)
    permutations = (
        min(o.resamples, ENOUGH) if two_way else o.resamples
    )  # there they give no p of a row
    dealt = [
        Panel.by_group(answers, targets, (people[i], people[j])).permuted_means(
            permutations, o.seed, 1 + k
        )[:, 2]
        for k, (i, j) in enumerate(panel.pairs)
    ]
    shifts = [
        by_sizes(one, len(people[i]) == len(people[j]))
        for one, (i, j) in zip(dealt, panel.pairs, strict=True)
    ]
    p = [
        [permutation_p(x, own) for x, own in zip(watch.value.tolist(), one.T, strict=True)]
        for watch, one in zip(watches[n:], dealt, strict=True)
    ]

    said, pairs = pair_labels(labels), panel.pairs
    names: list[dict[str, Any]] = [
        {
            "group": f"{o.group} = {label}",
            "role": "estimate",
            "key": (("attribute", o.group), ("people", label)),
        }
        for label in labels
    ]
    names += [
        {
            "group": f"{o.group}: {name}",
            "role": "difference",
            "key": (
                ("attribute", o.group),
                ("people", labels[i]),
                ("versus", labels[j]),
                ("contrast", name),
            ),
            "method": (SAME_T if two_way else PERMUTED).format(ci=METHODS[o.ci]),
        }
        for name, (i, j) in zip(said, pairs, strict=True)
    ]
    found = []
    for j, (name, raters) in enumerate(zip(names, panel.raters, strict=True)):
        rows = [
            Row(term=model, **{**name, "key": (("model", model), *name["key"])}) for model in models
        ]
        own = [] if two_way else drawn[j : j + 1]
        found.append(
            with_intervals(
                state,
                rows,
                watches[j : j + 1],
                own,
                state.no_resampling(raters),
                shifts[j - n] if j >= n else 0.0,
            )
        )
    rows = [one.rows[m] for m in range(len(models)) for one in found[:n]]
    for m, model in enumerate(models):
        tests = [one.rows[m] for one in found[n:]]
        if not two_way:
            tests = [
                replace(row, p_value=each[m], test="permutation")
                for row, each in zip(tests, p, strict=True)
            ]
        rows += with_holm(tests, family=f"pairs of {o.group}, {model}")
    if n > 1:
        rows += closest_rows(
            state, labels, np.array([watch.value for watch in watches[:n]]), drawn[:n]
        )
    each = [float(answers.table[index].sum()) / len(answers.unit) for index in people]
    again = Panel.by_group(answers, targets, people, pairs=False).permuted_means(
        min(o.resamples, ENOUGH), o.seed, 0
    )
    lost = [one.caution for one in found if one.caution is not None][:1]
    given = [[None if np.isnan(x) else x for x in some.tolist()] for some in shifts]
    return (
        rows,
        [*lost, *few_answers(labels, [len(index) for index in people], each)],
        {
            "group_raters": dict(zip(labels, map(len, people), strict=True)),
            "group_answers": dict(zip(labels, each, strict=True)),
            "permuted_closest": dict(
                zip(labels, is_closest(again).mean(axis=(0, 2)).tolist(), strict=True)
            ),
            "permuted_differences": {
                n: dict(zip(models, x, strict=True)) for n, x in zip(said, given, strict=True)
            },
            "permutation_p": {
                n: dict(zip(models, x, strict=True)) for n, x in zip(said, p, strict=True)
            },
            "permutations": permutations,
        },
    )


def members(state: State, name: str) -> tuple[list[str], list[IntArray]]:
    """Return the groups of an attribute, and the positions of their people among the reference raters.

    Raises
    ------
    InputError
        If the attribute is not declared, or no reference rater has a value of it.
    """
    known = state.design.rater_groups
    if name not in known:
        others = [other for other in known if other != state.source.name]
        raise InputError(
            f"{option('group', shorten(name))} is no rater group (declared: {quoted(others) or 'none'}); make the "
            "design with " + option("rater_groups")
        )
    factor = known[name]
    codes = factor.codes[state.answers.people]
    used = [code for code in range(len(factor.levels)) if np.any(codes == code)]
    if not used:
        raise InputError(
            f"no {state.reference} rater with an answer has a value of '{shorten(name)}'"
        )
    return [factor.levels[code] for code in used], [np.flatnonzero(codes == code) for code in used]


def by_sizes(dealt: FloatArray, alike: bool) -> FloatArray:
    """Mean difference of a pair under random regrouping of its people, (models,): the effect of group sizes.

    Groups of equal size have none, because every regrouping has one with the two groups exchanged.
    """
    n = np.sum(~np.isnan(dealt), axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(alike & (n > 0), 0.0, np.nansum(dealt, axis=0) / n))


def pair_labels(labels: Sequence[str]) -> list[str]:
    """Name each pair ``first - second``; in quotes where a label holds a dash between blanks itself."""
    said = (
        [json.dumps(label) for label in labels]
        if any(" - " in label for label in labels)
        else list(labels)
    )
    return [f"{one} - {other}" for one, other in combinations(said, 2)]


def permutation_p(value: float, dealt: FloatArray) -> float | None:
    """Two-sided p: twice the smaller tail, the sample counted among the permutations (Phipson & Smyth 2010)."""
    usable = dealt[~np.isnan(dealt)]
    if np.isnan(value) or not len(usable):
        return None
    slack = 1e-9
    below, above = np.sum(usable <= value + slack) + 1, np.sum(usable >= value - slack) + 1
    return min(1.0, 2.0 * float(min(below, above)) / (len(usable) + 1))


def is_closest(means: FloatArray) -> FloatArray:
    """Share of the smallest mean that each group has: (b, groups, models); ties share, NaN is never smallest."""
    filled = np.where(np.isnan(means), np.inf, means)
    hit = (filled <= filled.min(axis=1, keepdims=True) + 1e-9) & np.isfinite(filled)
    return np.asarray(hit / np.maximum(hit.sum(axis=1, keepdims=True), 1))


def closest_rows(
    state: State, labels: Sequence[str], means: FloatArray, drawn: Sequence[FloatArray]
) -> list[Row]:
    """Share of the resamples in which the closest group of the sample, of means (groups, models), is closest again."""
    rows, first = [], is_closest(means[None])[0] > 0
    again = is_closest(np.stack(drawn, axis=1)) if drawn else None
    for m, model in enumerate(state.models):
        chosen = np.flatnonzero(first[:, m])
        if not len(chosen):
            continue
        name = " and ".join(labels[g] for g in chosen.tolist())
        row = Row(
            term=model,
            group=f"closest {state.options.group} = {name}",
            role="rank",
            limits=(0.0, 1.0),
            key=(("model", model), ("attribute", state.options.group or ""), ("closest", name)),
        )
        if again is None:
            why, reason = state.no_resampling(2)
            rows.append(replace(row, undefined=why, reason=reason))
        else:
            share = float(again[:, chosen, m].sum(axis=1).mean())
            rows.append(
                replace(row, estimate=share, method="share of resamples in which it is closest")
            )
    return rows


def few_answers(
    labels: Sequence[str], people: Sequence[int], each: Sequence[float]
) -> tuple[Caution, ...]:
    """Caution SS312: modes of few answers (`each` per unit) are noisy, which inflates distances."""
    few = [
        f"{shorten(label, 30)} {number(n, 1)} ({count(size, 'rater')})"
        for label, size, n in zip(labels, people, each, strict=True)
        if n < FEW_ANSWERS
    ]
    return small_sample(
        min(each),
        FEW_ANSWERS,
        f"few answers per unit: {listing(few)}; the most is {number(max(each), 1)}",
        affects="distances to groups and the closest group: modes of few answers inflate distances",
        fix="interpret the differences between groups, which are corrected for group size",
    )


AT, MOST_STEPS = "share at distance", 12
SHARES = (("share refused", "refused", REFUSAL), ("share unparsed", "unparsed", MISSING))


def share_rows(state: State) -> list[Row]:
    """Shares of refusals of each model among the answers asked for, and of unparsed answers where there are any."""
    given, rows = state.answers.status, []
    for level, among in units_by_stratum(state.design, state.options.stratum):
        place = "" if level is None else f", {state.options.stratum} = {level}"
        more = () if level is None else (("stratum", level),)
        for name, kind, code in SHARES if (given == MISSING).any() else SHARES[:1]:
            for model, status in zip(state.models, given, strict=True):
                row = Row(
                    term=model,
                    group=f"{name}{place}",
                    key=(("model", model), ("share", kind), *more),
                )
                asked = among[state.answers.unit] & (status != NOT_ASKED)
                rows.append(one_share(state, row, (status == code).astype(np.float64), asked))
    return rows


def distance_rows(state: State) -> list[Row]:
    """Share of the units of each model at each distance, rounded up to whole steps: only the mode itself is at 0."""
    answers, rows = state.answers, []
    steps = float(answers.scores[-1] - answers.scores[0])
    if not 1 <= steps <= MOST_STEPS:
        return []
    found, known = answers.distances(answers.pooled_counts)
    for model, shares in zip(state.models, model_shares(answers), strict=True):
        used = shares.any(axis=1) & (known > 0)
        at = np.ceil(found.round(9))
        for step in range(int(max(steps, at[used][shares[used] > 0].max(initial=0.0))) + 1):
            row = Row(
                term=model, group=f"{AT} {step}", key=(("model", model), ("distance", str(step)))
            )
            rows.append(one_share(state, row, ((at == step) * shares).sum(axis=1), used))
    return rows


def one_share(state: State, row: Row, hit: FloatArray, used: BoolArray) -> Row:
    """Share of one kind of answer of one model, over the units that count; a probability counts as a part of one."""
    row = replace(row, role="component")
    if not used.any():
        return replace(
            row, n=0.0, n_units=0, undefined="not asked about these units", reason="no_data"
        )
    how = IntervalOptions(
        ci="wilson",
        level=state.options.level,
        resamples=state.options.resamples,
        seed=state.options.seed,
    )
    weight, codes = state.answers.weight[used], [c[used] for c in state.clusters]
    most = math.inf if np.any(hit[used] % 1) else float(weight.sum())
    return share_row(row, merge_cells(hit[used], weight, codes, most), how)


FEW_PEOPLE = 20
NOISY = 0.5  # standard errors
COUNTED = {
    "max": "counted as the width of the scale",
    "item_max": "counted as the farthest possible answer",
    "exclude": "excluded",
}
MOST_SHOWN = 60


def inference_text(state: State) -> str:
    """Describe how the intervals were obtained."""
    o = state.options
    units = cluster_text(state.factors, "units")
    how = f"two-way bootstrap of {state.reference} raters and units, {o.ci} intervals"
    if o.ci == "two_way":
        how = (
            f"t intervals with the variance over units and over resampled {state.reference} raters"
        )
    return f"{how}, {count(o.resamples, 'resample')}, seed {o.seed}; {units}"


def counts_of(state: State) -> dict[str, int]:
    """Number of units, reference raters and answers, models, and units with tied modes."""
    answers = state.answers
    return {
        "units": int(answers.weight.sum()),
        "reference raters": len(answers.people),
        "reference answers": int(
            (answers.table @ np.repeat(answers.weight, len(answers.scores))).sum()
        ),
        "models": len(answers.models),
        "units with tied modes": int(answers.weight[state.tied].sum()),
    }


def cautions_of(state: State, ties: int) -> tuple[Caution, ...]:
    """Cautions on clusters, what was left out, refusals, ties, few people, undeclared distances."""
    drawn = [None] if state.options.ci in RESAMPLED else None
    found = [
        *cluster_cautions(state.design, state.factors, df=drawn),
        *left_out(state),
        *refusals(state),
    ]
    if state.options.ties == "nearest" and ties:
        said = f"the nearest of tied modes was chosen for {count(ties, 'unit')} after the answer was known"
        found.append(
            caution(
                "SS333",
                said,
                affects="every distance, which is too small",
                fix=f"use {option('ties', 'mean')}",
            )
        )
    people = len(state.answers.people)
    found += small_sample(
        people,
        FEW_PEOPLE,
        count(people, "reference rater"),
        affects="intervals, which may be anticonservative",
        fix=f"ask at least {FEW_PEOPLE} people",
    )
    if not state.design.numeric:
        said = (
            f"distances between levels were not declared; levels count as 0 to "
            f"{len(state.answers.scores) - 1} in order"
        )
        found.append(caution("SS310", said, affects="every distance"))
    return tuple(found)


def left_out(state: State) -> list[Caution]:
    """Caution SS301: units of models without a reference answer, and the other way round."""
    answers, found = state.answers, []
    if answers.left_out:
        said = f"{count(len(answers.left_out), 'unit')} without an answer of the reference: {quoted(answers.left_out)}"
        found.append(
            caution("SS301", said, affects="every row", fix="check that units are spelled alike")
        )
    if answers.unanswered:
        said = f"{count(answers.unanswered, 'unit')} of the reference without an answer of a model"
        found.append(caution("SS301", said, affects="which units are compared"))
    return found


def noisy_modes(state: State, found: Found, answers: int) -> list[Caution]:
    """Caution SS333: where the modes rest on few answers, their noise is part of the distance."""
    models = found.rows[: len(state.models)]
    touched = [
        (float(bias), row)
        for bias, row in zip(found.bias, models, strict=False)
        if bias > NOISY * (0.0 if row.std_error is None else row.std_error)
    ]
    if not touched:
        return []
    bias, worst = max(touched, key=lambda one: one[0])
    each = number(answers / max(float(state.answers.weight.sum()), 1.0), 1)
    said = (
        f"modes rest on {each} answers per unit on average, which inflates distances; most that of "
        f"'{shorten(worst.term, 30)}' ({number(worst.estimate)}), by {number(bias)}"
    )
    fix = "interpret them as distances from modes of as many raters as these"
    return [
        caution(
            "SS333",
            said,
            affects="distances, small ones most",
            fix=fix,
            rows=[row.term for _, row in touched],
        )
    ]


def refusals(state: State) -> list[Caution]:
    """Caution SS315: how refusals and unparsed answers count, and how many exceed any possible answer."""
    answers, o = state.answers, state.options
    refused, unparsed = (int((answers.status == code).sum()) for code in (REFUSAL, MISSING))
    if not refused and not unparsed:
        return []
    rule = (
        COUNTED[o.refusal]
        if isinstance(o.refusal, str)
        else f"counted as {number(o.refusal)} levels"
    )
    said = f"{count(refused, 'refusal')} {rule}"
    if unparsed:
        said += f"; {count(unparsed, 'unparsed answer')} " + (
            "counted as refusals" if o.unparsed == "refusal" else "excluded"
        )
    k = len(answers.scores)
    distances, _ = answers.distances(answers.pooled_counts)
    farther = distances[:, k] > distances[:, :k].max(axis=1) + 1e-12
    beyond = int(((answers.answer == k) & farther).sum())
    if beyond:
        said += f"; {count(beyond)} assigned distances exceed any possible answer's"
    fix = "compare the other rules: farthest possible answer, excluded"
    return [caution("SS315", said, affects="distances of models that refuse", fix=fix)]


def sentence(result: Result) -> str:
    """State the smallest and the largest distance, refusals, and the distances of one person and of random answers."""
    n, away = result.counts, f"the mode of the {shorten(result.settings['reference'], 30)} answers"
    among = f"{count(n['units'], 'unit')}, {count(n['reference raters'], 'reference rater')}"
    rows = [row for row in result.rows if row.group is None]
    known = sorted(
        (row for row in rows if row.estimate is not None), key=lambda row: row.estimate or 0.0
    )
    if not known:
        return sentences.undefined(f"The distance from {away}", undefined_text(rows))
    low, high = lowest_and_highest(known)
    near, far = (quoted([row.term for row in end], 3) for end in (low, high))
    first, last = (sentences.estimate(row) for row in (low[0], high[0]))
    if len(known) == 1:
        said = f"The distance of {near} from {away} was {first} ({among})."
    elif len(low) == len(known):
        said = f"The distance from {away} was the same for all {count(len(known), 'model')}: {first} ({among})."
    else:
        said = (
            f"{near} {'was' if len(low) == 1 else 'were'} nearest to {away}, ADA-Met = {first} ({among}). {far} "
            f"{'was' if len(high) == 1 else 'were'} farthest, {last}."
        )
    top, uniform = (
        next(row for row in result.rows if row.label("line") == kind)
        for kind in ("ceiling", "uniform")
    )
    person = (
        f"One reference rater was {number(top.estimate)} from the mode of the others; "
        if top.estimate
        else ""
    )
    at_random = f"an answer at random would be {number(uniform.estimate)} from the mode."
    return (
        f"{said} "
        f"{refused_text(result, known)}{person}{at_random if person else at_random[:1].upper() + at_random[1:]}"
    )


def refused_text(result: Result, known: Sequence[Row]) -> str:
    """State how many units the nearest and the farthest model refused."""
    ends = (
        known[:1]
        if len(known) == 1
        else ()
        if known[0].estimate == known[-1].estimate
        else (known[0], known[-1])
    )
    shares = {
        r.term: r.estimate
        for r in result.rows
        if r.label("share") == "refused" and r.label("stratum") is None
    }
    said = [
        f"'{shorten(row.term)}' had a refusal rate of {number(shares[row.term], 3, bounded=True)}"
        for row in ends
        if shares.get(row.term)
    ]
    return f"{' and '.join(said)}. " if said else ""


def plot(
    result: Result, ax: Axes | None = None, *, group: str | None = None, **options: Any
) -> Axes:
    """Draw the distance of each model between the ceiling and the floor, the smallest first.

    Parameters
    ----------
    result : Result
    ax : Axes, optional
    group : str, optional
        Draw the rows of this group (``"area = work"``) in place of all units, or those of all groups of an attribute or
        stratum (``"area"``), one line a model.
    **options
        Of `socialstats.figures.forest`, or of `socialstats.figures.dumbbell` for several groups.

    Raises
    ------
    InputError
        For a group that the result does not have.
    """
    from socialstats.figures import dumbbell, forest

    groups = dict.fromkeys(row.group for row in result.rows if row.group)
    several = [name for name in groups if name.startswith(f"{group} = ")]
    if group is not None and group not in groups and not several:
        raise InputError(f"no group '{shorten(group)}'; groups: {quoted([*groups], 12)}")
    rows = [row for row in result.rows if row.group == group or row.group in several]
    rows = sorted(rows, key=lambda row: (row.estimate is None, row.estimate or 0.0))
    settings: dict[str, Any] = {"xlabel": "mean distance from the mode of the reference (levels)"}
    if several:
        kept = list(dict.fromkeys(row.term for row in rows))[:MOST_SHOWN]
        settings |= {"targets": dict.fromkeys(several), "order": kept}
        return dumbbell([row for row in rows if row.term in kept], ax=ax, **{**settings, **options})
    lines = (
        [r for r in result.rows if r.label("line") in ("ceiling", "uniform")]
        if group is None
        else []
    )
    shown = [replace(row, group=None) for row in (*lines[:1], *rows[:MOST_SHOWN], *lines[1:])]
    return forest(shown, ax=ax, **{**settings, "sort": False, "reference": None, **options})


@reads(Ratings, labels="shares")
def ada_met(
    ratings: Ratings | TableLike,
    *,
    reference: str | None = None,
    source: str = "source",
    ties: ModeTies = "mean",
    refusal: Literal["max", "item_max", "exclude"] | float = "max",
    unparsed: Unparsed = "exclude",
    group: str | None = None,
    stratum: str | None = None,
    ci: AlignmentCi = "two_way",
    cluster: str | Sequence[str] | None = "declared",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate how far each model's answers lie from the mode of the reference's answers to the same unit.

    The distance of a unit is abs(mode of the reference's answers - answer of the model). Levels count as 0, 1, ..., k -
    1 (numeric levels: their numbers). ADA-Met is its mean over the units that both answered. Units are joined by their
    labels, never by position.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        Long table with a group of raters that says who is the reference (``rater_source=``). Raters of all other
        sources are the models. Ordinal or numeric levels. With a ``by`` factor: one result a level.
    reference : str, optional
        Level of `source` that is the reference; ``"human"`` by default.
    source : str
        The rater group that tells sources apart (by default also the one declared by ``rater_source=``).
    ties : {"mean", "low", "high", "nearest", "drop"}
        Rule for several levels with most answers: their mean, the lowest, the highest, or the one nearest to the
        model's answer. The nearest gives too small a distance (SS333). With ``"drop"`` the unit is excluded.
    refusal : {"max", "item_max", "exclude"} or float
        Distance of a refusal: the width of the scale, the largest distance of any possible answer, or a number. With
        ``"exclude"`` the unit is excluded for this model. The width may exceed any possible answer's distance: with the
        mode in the middle of five levels that is 2.
    unparsed : {"exclude", "refusal"}
        Missing answers of models are excluded, or counted as refusals. Units not in a model's rows are excluded.
    group : str, optional
        An attribute of the reference raters (a rater group): rows by group, paired differences, closest group.
    stratum : str, optional
        A declared stratum (or cluster) of the units: rows for each of its levels.
    ci : {"two_way", "centred", "percentile", "basic"}
        ``"two_way"``: a t interval for the distance expected with as many raters as these. Its variance is that over
        units, plus what reference raters, resampled with their modes computed anew, make units have in common:
        V_units + V_raters - V_both, so that the noise of single answers counts once. The others are bootstraps of
        raters and units at once, which count it twice (Owen 2007) and cover more than they say. The modes of resamples
        are noisier, which inflates distances. ``"centred"`` moves the percentiles until the mean of the resamples is
        the estimate; ``"percentile"`` keeps the extra distance; ``"basic"`` reflects the percentiles.
    cluster : str, pair of str or None
        Declared clusters of units (two: crossed), resampled whole; None takes units as independent.
    level : float
    resamples, seed : int
        Of the bootstrap, and of the permutations.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        Rows, `term` a model: all units (group None), then ``area = work`` for a stratum.

        With `group`: ``gender = woman`` is the distance from the mode of these people. ``gender: man - woman`` is the
        difference over the units for which both have a mode, corrected for group size. The correction is the mean
        difference when people are assigned at random to groups of these sizes. With ``ci="two_way"`` interval and p are
        those of one t; with a bootstrap p is that of permuting people. Holm is over the pairs of a model. ``closest
        gender = woman`` is the group of the smallest distance, with the share of resamples in which it is again.

        ``share refused`` (and ``share unparsed``), and ``share refused, area = work``. ``share at distance 1``: of the
        units, by their distance rounded up to whole steps (0: the mode itself), on scales of 12 steps at most.

        Group ``reference line``: ``random human``, a random person against the mode of the others; ``always A``;
        ``uniform answer``. With ``ci="two_way"`` also ``minus nearest = m1`` and ``minus constant = always A``: the
        paired differences from the nearest model and from the best constant answer, Holm over the models.

        `extras`: ``share_tied``, ``design_effect``, ``units_left_out``, ``bootstrap_bias``. The design effect (by
        model) is the variance over that of independent units with the people held. With `group` also
        ``group_raters``, ``group_answers`` (per unit), ``permuted_differences`` (the correction for group size),
        ``permutation_p``, ``permutations`` and ``permuted_closest``. With ``"two_way"`` at most 500 permutations are
        made, as no interval or p of a row uses them. ``permuted_closest`` says how often each group is the closest when
        people are permuted.

    Raises
    ------
    InputError
        For unknown options, sources, attributes or strata, and nominal levels.
    NothingToAnalyse
        If no unit has an answer of the reference and of a model.

    References
    ----------
    Owen, A. B. (2007). The pigeonhole bootstrap. doi:10.1214/07-AOAS122
    Satterthwaite, F. E. (1946). Biometrics Bulletin, 2(6), 110-114. doi:10.2307/3002019
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. doi:10.1017/CBO9780511802843
    Phipson, B., & Smyth, G. K. (2010). doi:10.2202/1544-6115.1585
    Holm, S. (1979). Scandinavian Journal of Statistics, 6(2), 65-70.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = pd.DataFrame({
    ...     "unit": ["p", "p", "p", "q", "q", "q", "p", "q"], "rater": ["ann", "bob", "cid"] * 2 + ["m1"] * 2,
    ...     "source": ["human"] * 6 + ["model"] * 2, "value": ["A", "A", "C", "B", "C", "B", "C", "B"]})
    >>> design = Ratings.from_frame(rows, levels=["A", "B", "C"], rater_source="source")
    >>> ada_met(design, resamples=99).row("m1", group=None).estimate  # |0 - 2| and |1 - 1|
    1.0
    """
    options = AlignmentOptions(
        reference=reference,
        source=source,
        ties=ties,
        refusal=refusal,
        unparsed=unparsed,
        group=group,
        stratum=stratum,
        ci=ci,
        cluster=cluster,
        level=level,
        resamples=resamples,
        seed=seed,
    )
    options.check()
    return estimate(ratings, options)


def by_attribute(ratings: Ratings, attributes: Sequence[str], **options: Any) -> dict[str, Result]:
    """Return what `ada_met` gives with each of several attributes as `group`; what they share is computed once.

    Parameters
    ----------
    ratings : Ratings
        Without a ``by`` factor.
    attributes : sequence of str
    **options
        Of `ada_met`.
    """
    first = {
        name: one.default
        for name, one in signature(ada_met).parameters.items()
        if one.default is not one.empty
    }
    states = []
    for name in attributes:
        chosen = AlignmentOptions(**{**first, **options, "group": name})
        chosen.check()
        states.append(State.of(ratings, chosen))
    if not states:
        return {}
    whole = whole_rows(states[0])
    found = in_halves(lambda k: assembled(states[k], whole), len(states), least=2)
    return dict(zip(attributes, found, strict=True))


def estimate(design: Ratings, options: AlignmentOptions) -> Result:
    """Compute the distances of one design."""
    state = State.of(design, options)
    return assembled(state, whole_rows(state))


def assembled(state: State, whole: Whole) -> Result:
    """Combine the rows about all people with those by group."""
    options, counts, (rows, said, extras) = state.options, counts_of(state), grouped(state)
    named = zip(state.models, whole.found.bias.tolist(), strict=False)
    cautions = [
        *cautions_of(state, counts["units with tied modes"]),
        *noisy_modes(state, whole.found, counts["reference answers"]),
        *said,
        whole.found.caution,
    ]
    return Result(
        metric="ada_met",
        title="ADA-Met: mean distance from the mode of the reference"
        + probabilities_text(state.design),
        inference=inference_text(state),
        rows=(
            *whole.models,
            *rows,
            *share_rows(state),
            *distance_rows(state),
            *whole.lines,
            *whole.gaps,
        ),
        counts=counts,
        fit={
            "nobs": counts["units"],
            "n_clusters": whole.models[0].n_clusters,
            "method": whole.models[0].method,
            "seed": options.seed,
            "resamples": options.resamples,
            "effective_df": whole.found.df,
            "largest_leverage": state.leverage,
        },
        settings=asdict(options) | {"reference": state.reference},
        cautions=tuple(dict.fromkeys(one for one in cautions if one is not None)),
        references=METRIC.references,
        design=state.design,
        extras={
            "share_tied": float(state.tied.mean()),
            "units_left_out": state.answers.left_out,
            "bootstrap_bias": {model: one for model, one in named if not np.isnan(one)},
            "design_effect": whole.effects,
            **extras,
        },
    )


METRIC = Metric(
    name="ada_met",
    title="ADA-Met",
    design="ratings",
    function=ada_met,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.ada_met:verify",
    estimand="Mean over units of the distance of a model's answer from the mode of the reference's answers, in levels.",
    assumptions=(
        "reference raters and units (or the named clusters) are independent draws from those of interest",
        "neighbouring levels are equally far apart (numeric levels: by their numbers)",
        "units are the same thing for reference and models: they are joined by their labels",
    ),
    references=(
        "owen2007",
        "satterthwaite1946",
        "davisonhinkley1997",
        "phipsonsmyth2010",
        "holm1979",
        "wilson1927",
    ),
    values="sources",
)
