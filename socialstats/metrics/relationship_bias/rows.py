"""Rows of scores, biases and position effects, with their intervals and tests."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.rows import NO_WIDTH, with_ends, with_mean
from socialstats.metrics.relationship_bias.analysis import Analysis, Parts, differences
from socialstats.metrics.relationship_bias.data import Data
from socialstats.metrics.relationship_bias.options import Options
from socialstats.models import mcnemar as tests
from socialstats.models.couples import Linear, inference
from socialstats.resampling import Interval, sign_flip
from socialstats.results import Row
from socialstats.text import count

BIAS, POSITION, SCORE = "bias", "position", "score"
MEANS, FLIP = "scenario means", "scenario sign flip"
MCNEMAR, MID_P = "McNemar, ignoring clusters", "McNemar mid-p, ignoring clusters"
SAME = "same groups"
DEPENDENCE = {
    "rows": "t, units independent", "CR2": "t, clusters of {names} (CR2)",
    "two-way": "t, crossed clusters of {names}",
}  # fmt: skip


FLOORED = "by the one that varies more"
ALIKE = "couples of one kind were always answered alike: no standard error, no test"
TINY = 1e-15


def method_of(data: Data, found: ClusteredMean) -> str:
    """Say how standard error and test were obtained."""
    text = DEPENDENCE[found.kind].format(names=" x ".join(f.name for f in data.factors))
    return f"{text}, {FLOORED}" if found.floored else text


def linear_row(data: Data, combined: Linear, term: str, group: str, reach: float, options: Options) -> Row:
    """Row of a combination with its t interval, cut at what it can reach, and the test of 0."""
    found = inference(combined, data.design.unit_count, data.codes)
    base = Row(term=term, group=group, estimate=combined.estimate, n=combined.n,
               n_clusters=min(found.clusters, default=None))  # fmt: skip
    if found.undefined:
        alike = not np.any(np.abs(combined.influence) > TINY)
        return replace(base, undefined=ALIKE if alike and found.n > 1 else found.undefined)
    return with_mean(base, found, options.level, within=(-reach, reach), method=method_of(data, found))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Term:
    """A row to be: its names, its coefficients (once for each rater who has the cells), what it can reach."""

    term: str
    group: str
    parts: list[Parts]
    reach: float
    tested: bool = True


def bias_terms(found: Analysis, group: str = BIAS) -> list[Term]:
    """B of every pair of groups."""
    data = found.data
    return [Term(term=data.label(pair), group=group, parts=found.bias(pair), reach=2.0) for pair in data.pairs]


def position_terms(found: Analysis, group: str = POSITION) -> list[Term]:
    """S_aa of every group that met its own kind, and their mean: 0 without an effect of the position."""
    each = [
        Term(term=name, group=group, parts=found.parts([(1.0, k, k)]), reach=1.0)
        for k, name in enumerate(found.data.groups)
    ]
    each = [term for term in each if term.parts]
    mean = Term(term=SAME, group=f"{POSITION}, mean", parts=found.position(), reach=1.0)
    return [*each, mean] if len(each) > 1 else each


def score_terms(found: Analysis, group: str = SCORE) -> list[Term]:
    """S_ab of every pair of different groups, in both orders; no test: position and bias are both in it."""
    names = found.data.groups
    each = [
        Term(term=f"{names[a]}, {names[b]}", group=group, parts=found.parts([(1.0, a, b)]), reach=1.0, tested=False)
        for one, other in found.data.pairs
        for a, b in ((one, other), (other, one))
    ]
    return [term for term in each if term.parts]


def term_row(found: Analysis, term: Term, options: Options) -> Row:
    """Row of a term."""
    combined = found.linear(term.parts)
    if combined is None:
        return Row(term=term.term, group=term.group, undefined="couples of these groups have answers in one order only")
    row = linear_row(found.data, combined, term.term, term.group, term.reach, options)
    return row if term.tested else replace(row, statistic=None, df=None, p_value=None)


def with_bootstrap(rows: list[Row], terms: list[Term], ends: Interval, options: Options) -> list[Row]:
    """Put bootstrap intervals in place of the t intervals; `ends` has those of the terms first."""
    done = []
    for k, (row, term) in enumerate(zip(rows, terms, strict=True)):
        low, high, why = float(ends.low[k]), float(ends.high[k]), ends.undefined[k]
        why = why or ("" if low < high else NO_WIDTH)
        method = f"{row.method}; {options.ci} bootstrap interval"
        within = (-term.reach, term.reach)
        done.append(
            row if row.undefined else
            with_ends(row, low, high, options.level, why=why, within=within, method=method)
        )  # fmt: skip
    return done


def scenario_rows(found: Analysis, options: Options) -> list[Row]:
    """t and sign-flip tests on one difference a scenario."""
    rows = []
    for pair in found.data.pairs:
        table, label = differences(found, pair), found.data.label(pair)
        have = ~np.isnan(table)
        per = have.sum(axis=1)
        values = (np.where(have, table, 0.0).sum(axis=1)[per > 0]) / per[per > 0]
        if len(values):
            rows += [means_row(label, values, options), flip_row(label, values, options)]
        else:
            why = "no scenario has answers in both orders"
            rows += [Row(term=label, group=group, undefined=why) for group in (MEANS, FLIP)]
    return rows


def means_row(label: str, values: FloatArray, options: Options) -> Row:
    """t test that the mean of the scenarios' differences is 0."""
    mean = clustered_mean(values, np.ones(len(values)), magnitude=1.0)
    base = Row(term=label, group=MEANS, estimate=mean.mean, n=float(len(values)),
               method=f"t, {count(len(values), 'scenario')} weighing alike")  # fmt: skip
    return with_mean(base, mean, options.level, within=(-2.0, 2.0))


def flip_row(label: str, values: FloatArray, options: Options) -> Row:
    """Sign-flip test of the same differences; `statistic` is their sum."""
    base = Row(term=label, group=FLIP, n=float(len(values)), statistic=float(values.sum()))
    if len(values) < 2:
        return replace(base, statistic=None, undefined="a single scenario: its sign alone cannot be tested")
    if not np.any(values):
        return replace(base, p_value=1.0, method="sign flip: every scenario has the difference 0")
    test = sign_flip(values, seed=options.seed)
    how = "exact" if test.exact else f"{count(test.draws)} random flips"
    return replace(base, p_value=float(test.p_value[0]), method=f"sign flip of scenarios, {how}")


def mcnemar_rows(data: Data) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """McNemar's tests of complete couples taken as independent, and the cells."""
    rows, cells = [], {}
    for pair in data.pairs:
        label, matched = data.label(pair), data.matched[pair]
        table = matched.cells()
        if matched.repeated or table is None:
            why = "no couple was answered in both orders" if table is None else (
                f"{count(matched.repeated, 'couple')} with several answers in an order, or unlike counts: which belong "
                "together is not known")  # fmt: skip
            rows += [Row(term=label, group=group, undefined=why) for group in (MCNEMAR, MID_P)]
            continue
        cells[label] = {
            "first_group_both": table.b, "second_group_both": table.c, "first_place_both": table.a,
            "second_place_both": table.d,
        }  # fmt: skip
        chi, mid = tests.asymptotic(table), tests.mid_p(table)
        size, mixed = table.n, int(table.discordant)
        what = "complete couples as independent"
        rows += [
            Row(term=label, group=MCNEMAR, estimate=2 * table.difference, statistic=chi.statistic, df=chi.df,
                p_value=chi.p, method=f"chi-square, {what}", n=size, n_units=mixed),
            Row(term=label, group=MID_P, statistic=mid.statistic, p_value=mid.p, method=f"mid-p, {what}",
                n=size, n_units=mixed),
        ]  # fmt: skip
    return rows, cells
