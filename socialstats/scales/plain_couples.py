"""The plain definition of relationship bias: mean scores of kinds of couples, and their contrasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.designs.parts import OK, Factor
from socialstats.designs.ratings import Ratings
from socialstats.results import Result, Row
from socialstats.results.definitions import (
    PeerNumbers,
    PlainSample,
    RowKey,
    key_of_row,
    sample_of_mean,
)
from socialstats.results.peers import load_peer
from socialstats.tables import label_text

if TYPE_CHECKING:
    import pandas as pd

LARGEST = 2.0  # the largest size of B
MOST_FLIPPED = 12  # scenarios whose signs are all tried
ALL_LEVELS = ""  # the level of rows about all answers
COPIES = "alike couples are drawn together"
Kind = tuple[str, int, str, str]
"""Level of the stratum, rater (-1 where raters are pooled), group of the first name, and group of the second."""


def answer_table(result: Result) -> pd.DataFrame:
    """Return one record an answer, also of those that do not count: labels, score and places of the design.

    The score is -1 for the first name and 1 for the second; a reply with probabilities has their mean.
    """
    import pandas as pd

    design: Ratings = result.design
    settings = result.settings
    first_answer = label_text(settings["answers"][0])
    sides = np.array([-1.0 if level == first_answer else 1.0 for level in design.levels])
    status_ok = design.status == OK
    score = np.zeros(len(design.unit))
    score[status_ok] = design.read_as()[status_ok] @ sides
    table = pd.DataFrame({"unit": design.unit, "rater": design.rater, "score": score})
    table["answered"] = status_ok
    table["copies"] = table["count"] = design.unit_count[design.unit]
    table["copy_of_unit"] = table["unit"]
    if not design.factors(settings["cluster"]):
        table = with_copies_apart(table)
    factors = {**design.strata, **{factor.name: factor for factor in design.clusters}}
    for name in ("scenario", "pair", "group_first", "group_second"):
        table[name] = factors[settings[name]].labels()[table["unit"]]
    stratum = settings["stratum"]
    if stratum is None:
        table["level"] = ALL_LEVELS
    elif stratum in design.rater_groups:
        table["level"] = design.rater_groups[stratum].labels()[table["rater"]]
    else:
        table["level"] = factors[stratum].labels()[table["unit"]]
    groups = list(result.extras["groups"])
    counts = table["answered"] & table[["group_first", "group_second"]].isin(groups).all(axis=1)
    if settings["couples"] == "complete":
        counts &= is_complete(table.where(counts)) | (table["group_first"] == table["group_second"])
    return table.assign(counts=counts)


def with_copies_apart(table: pd.DataFrame) -> pd.DataFrame:
    """Return each of alike units, which are independent, as a unit of its own."""
    table = table.loc[table.index.repeat(table["count"].astype(int))]
    copy = table.groupby(level=0).cumcount()
    unit = table.assign(copy=copy).groupby(["unit", "copy"]).ngroup()
    return table.assign(count=1.0, copy_of_unit=unit).reset_index(drop=True)


def is_complete(table: pd.DataFrame) -> Any:
    """Return whether the couple of each answer was answered in both orders."""
    names = table[["group_first", "group_second"]].astype(str)
    kind = names.min(axis=1) + " / " + names.max(axis=1)
    couples = [table["scenario"], table["pair"], table["rater"], kind]
    return table.groupby(couples)["group_first"].transform("nunique") == 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlainCouples:
    """The answers about couples, and what kinds of couples they are of.

    Attributes
    ----------
    table : DataFrame
        As `answer_table` returns it, for the levels of some rows.
    weight : (answers,) float64 array
        What an answer weighs in the mean of its kind of couples; 0 where it does not count.
    kinds : list of Kind
    kind : (answers,) int64 array
        Place of the kind of an answer; of no meaning where it does not count.
    """

    table: pd.DataFrame
    weight: FloatArray
    kinds: list[Kind]
    kind: IntArray

    @classmethod
    def of(cls, table: pd.DataFrame, aggregate: str, alike: bool = False) -> PlainCouples:
        """Number the kinds of couples; `alike`: all levels of the stratum weigh alike."""
        counts = table["counts"].to_numpy(dtype=bool)
        rater = table["rater"] if aggregate == "rater" else np.full(len(table), -1)
        level = np.full(len(table), ALL_LEVELS, dtype=object) if alike else table["level"]
        named = table.assign(level_of_kind=level, rater_of_kind=rater)
        keys = ["level_of_kind", "rater_of_kind", "group_first", "group_second"]
        by_kind = named[counts].groupby(keys)
        kind = np.zeros(len(table), dtype=np.int64)
        kind[counts] = by_kind.ngroup().to_numpy()
        weight = counts.astype(np.float64)
        parts = ["scenario"] if aggregate == "scenario" else []
        if alike:
            parts = ["level"]
        if parts:
            # scenarios, or levels, weigh alike in the mean of a kind
            sizes = named[counts].groupby([*keys, *parts])["count"].transform("sum")
            weight[counts] = 1 / sizes.to_numpy()
        kinds: list[Kind] = sorted(by_kind.groups)  # type: ignore[arg-type]
        return cls(table=table, weight=weight, kinds=kinds, kind=kind)

    def means(self, count: FloatArray) -> FloatArray:
        """Return the mean score of each kind of couples, NaN without answers."""
        weight = count * self.weight
        size = np.bincount(self.kind, weight, len(self.kinds))
        total = np.bincount(self.kind, weight * self.table["score"], len(self.kinds))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(total / size)

    def contrasts(self, row: Row, level: str) -> FloatArray:
        """Return the coefficients of the means that a row is about, (raters who have all of them, kinds)."""
        lines = []
        for rater in sorted({kind[1] for kind in self.kinds if kind[0] == level}):
            places = {
                kind[2:]: k for k, kind in enumerate(self.kinds) if kind[:2] == (level, rater)
            }
            coefficients = contrast_of_groups(row, list(places))
            if coefficients and set(coefficients) <= set(places):
                line = np.zeros(len(self.kinds))
                for groups, coefficient in coefficients.items():
                    line[places[groups]] = coefficient
                lines.append(line)
        return np.array(lines).reshape(-1, len(self.kinds))


def contrast_of_groups(row: Row, groups: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """Return the coefficients of the mean scores S, by the groups of both names.

    B_ab is S_ba - S_ab. An order effect is S_aa, or the mean of those; in (S_ab + S_ba) / 2 the bias B cancels.
    """
    labels = [row.label(name) for name in ("group", "other", "first", "second")]
    a, b, first, second = ["" if label is None else str(label) for label in labels]
    if a:
        return {(b, a): 1.0, (a, b): -1.0}
    if first:
        return {(first, second): 1.0}
    if row.label("orders"):
        two_orders = [pair for pair in groups if pair[0] != pair[1] and pair[::-1] in groups]
        return dict.fromkeys(two_orders, 1 / max(len(two_orders), 1))
    order_effects = [pair for pair in groups if pair[0] == pair[1]]
    return dict.fromkeys(order_effects, 1 / max(len(order_effects), 1))


def sample_couples(result: Result) -> Iterator[PlainSample]:
    """Yield the answers of all couples, of each level, of any two levels, and the differences of scenarios."""
    table = answer_table(result)
    by_levels: dict[tuple[str, ...], list[Row]] = {}
    for row in result.rows:
        if row.role in ("estimate", "difference") and row.estimate is not None:
            by_levels.setdefault(levels_of_row(row), []).append(row)
    for levels, rows in by_levels.items():
        couples = couples_of_levels(result, table, levels)
        linear = [row for row in rows if not row.label("quantity")]
        if linear:
            yield contrast_sample(result, couples, levels, linear)
        yield from size_samples(result, couples, levels, rows)
    means = means_by_scenario(result, table)
    complete = CompleteCouples(table)
    for row in result.rows:
        if row.group == "scenario means" and row.estimate is not None:
            values = scenario_differences(means, row).mean(axis=1).dropna().to_numpy()
            sample = sample_of_mean(key_of_row(row), values, np.ones(len(values)))
            limits = {key_of_row(row): (-LARGEST, LARGEST)}
            yield replace(sample, yes_or_no=False, unbiased=True, limits=limits)
        elif row.test == "chi2" and row.estimate is not None:
            yield sample_of_couples(complete, row)


def sample_of_couples(complete: CompleteCouples, row: Row) -> PlainSample:
    """Return the complete couples of two groups: B of those that favour the same group in both orders."""

    def bias(count: FloatArray) -> dict[RowKey, float]:
        _, for_first, for_second, _ = count.tolist()
        return {key_of_row(row): 2 * (for_first - for_second) / float(count.sum())}

    count = np.array(complete.counts(row))
    return PlainSample(count=count, plain=bias, no_errors="the test is McNemar's")


def levels_of_row(row: Row) -> tuple[str, ...]:
    """Return the levels of the stratum that a row is about; nothing for all levels weighing alike."""
    if row.label("alike"):
        return ()
    if row.role == "difference":
        return str(row.label("first level")), str(row.label("second level"))
    level = row.label("level")
    return (ALL_LEVELS if level is None else str(level),)


def couples_of_levels(result: Result, table: pd.DataFrame, levels: tuple[str, ...]) -> PlainCouples:
    """Return the answers of some levels of the stratum; of all levels weighing alike for no levels."""
    aggregate = result.settings["aggregate"]
    if levels == (ALL_LEVELS,):
        return PlainCouples.of(table.assign(level=ALL_LEVELS), aggregate)
    if not levels:
        return PlainCouples.of(table[table["level"].notna()], aggregate, alike=True)
    return PlainCouples.of(table[table["level"].isin(levels)], aggregate)


def contrast_sample(
    result: Result, couples: PlainCouples, levels: tuple[str, ...], rows: Sequence[Row]
) -> PlainSample:
    """Return the answers behind some rows, each a contrast of the mean scores of kinds of couples."""
    lines: dict[RowKey, FloatArray] = {}
    for row in rows:
        of_levels = [
            couples.contrasts(row, level).mean(axis=0) for level in levels or (ALL_LEVELS,)
        ]
        lines[key_of_row(row)] = of_levels[0] - sum(of_levels[1:])
    # a difference has answers of a second level
    second = None
    if len(levels) > 1:
        second = (couples.table["level"] == levels[1]).to_numpy(dtype=bool)

    def estimates(count: FloatArray) -> dict[RowKey, float]:
        means = couples.means(count)
        # kinds of couples that a contrast does not use need no answer
        return {
            key: float(np.where(line != 0, line * means, 0.0).sum()) for key, line in lines.items()
        }

    place = units_of_answers(couples, second)
    shares = {key: shares_of_units(couples, line, place) for key, line in lines.items()}
    limits = {key_of_row(row): limits_of(row) for row in rows}
    resampled = result.settings["ci"] != "closed"
    copies = resampled and bool(couples.table["copies"].max() > 1)
    count = couples.table["count"].to_numpy(dtype=np.float64)
    clusters = clusters_of_answers(result, couples.table)
    clustered = bool(result.design.factors(result.settings["cluster"]))
    # answers alike in kind, score and weight add the same to an estimate
    alike = np.column_stack([couples.kind, couples.table["score"], couples.weight])
    return PlainSample(
        count=count,
        plain=estimates,
        factors=clusters,
        independent_units=not clustered,
        alike=alike,
        counted=shares,
        second=second,
        limits=limits,
        resampled_errors=False,
        cost=3.0,
        no_errors=COPIES if copies else "",
    )


def clusters_of_answers(result: Result, table: pd.DataFrame) -> tuple[Factor, ...]:
    """Return the clusters of answers, or their units."""
    unit = table["unit"].to_numpy()
    factors = result.design.factors(result.settings["cluster"])
    if not factors:
        return (Factor(name="unit", codes=table["copy_of_unit"].to_numpy(), levels=()),)
    return tuple(replace(factor, codes=factor.codes[unit]) for factor in factors)


def units_of_answers(couples: PlainCouples, second: BoolArray | None) -> IntArray:
    """Return the unit of each answer, numbered from 0; the answers of a second level are units of their own."""
    unit = couples.table["copy_of_unit"].to_numpy()
    side = np.zeros(len(unit), dtype=np.int64) if second is None else second.astype(np.int64)
    place: IntArray = np.unique(2 * unit + side, return_inverse=True)[1]
    return place


def shares_of_units(couples: PlainCouples, line: FloatArray, place: IntArray) -> FloatArray:
    """Return 1 over the answers of a unit that a contrast uses: a unit counts once, of either level."""
    used = (line[couples.kind] != 0) & (couples.weight > 0)
    answers = np.bincount(place, used)[place]
    shares: FloatArray = used / np.maximum(answers, 1)
    return shares


def limits_of(row: Row) -> tuple[float, float]:
    """Return what a mean score, a bias B, or a difference of either can be."""
    reach = LARGEST if row.label("group") else 1.0
    if row.role == "difference":
        reach *= 2
    return -reach, reach


def size_samples(
    result: Result, couples: PlainCouples, levels: tuple[str, ...], rows: Sequence[Row]
) -> Iterator[PlainSample]:
    """Yield B_all of a level: the mean of abs(B) over pairs of groups, and over raters within a pair."""
    uncorrected = [row for row in rows if row.label("quantity") == "B_all"]
    if len(levels) != 1 or not uncorrected:
        return
    biases = [row for row in result.rows if row.group == "bias"]
    lines = [couples.contrasts(row, levels[0]) for row in biases]

    def mean_size(count: FloatArray) -> dict[RowKey, float]:
        means = np.nan_to_num(couples.means(count))
        sizes = [np.abs(of_pair @ means).mean() for of_pair in lines if len(of_pair)]
        return {key_of_row(uncorrected[0]): float(np.mean(sizes))}

    count = couples.table["count"].to_numpy(dtype=np.float64)
    yield PlainSample(count=count, plain=mean_size, no_errors="intervals of B_all invert tests")


def means_by_scenario(result: Result, table: pd.DataFrame) -> pd.DataFrame:
    """Return the mean score of each scenario and rater (rows) and kind of couples (columns), NaN without answers."""
    answers = table[table["counts"]].assign(total=lambda t: t["score"] * t["count"])
    if result.settings["aggregate"] != "rater":
        answers = answers.assign(rater=0)
    keys = ["scenario", "rater", "group_first", "group_second"]
    sums = answers.groupby(keys)[["total", "count"]].sum()
    means: pd.DataFrame = (sums["total"] / sums["count"]).unstack([2, 3])
    return means


def scenario_differences(means: pd.DataFrame, row: Row) -> pd.DataFrame:
    """Return S_ba - S_ab of each scenario (rows) and rater with both orders (columns), NaN where one is missing."""
    groups = (str(row.label("group")), str(row.label("other")))
    if groups not in means or groups[::-1] not in means:
        return means.iloc[:0, :0]
    answered = means[[groups, groups[::-1]]].notna().groupby("rater").any().all(axis=1)
    differences: pd.DataFrame = (means[groups[::-1]] - means[groups]).unstack("rater")
    return differences[answered.index[answered]]


def tests_of_contrasts(row: Row) -> tuple[object, ...]:
    """Return what tells apart families of tests: biases of all answers, of levels alike, and differences of B or S."""
    return row.family, row.role, row.label("group") is None, bool(row.label("alike"))


def ask_for_tests_of_couples(result: Result) -> Iterator[PeerNumbers]:
    """McNemar's tests of statsmodels, and flips of the signs of scenarios of scipy."""
    table = answer_table(result)
    means, complete = means_by_scenario(result, table), CompleteCouples(table)
    tables: list[pd.DataFrame] = []
    for row in result.rows:
        if row.p_value is None:
            continue
        if row.test == "chi2" or row.test == "mid_p":
            yield from ask_for_complete_couples(complete, row)
        elif row.test == "sign_flip" and row.label("group"):
            values = scenario_differences(means, row)
            tables.append(values)
            mean = values.mean(axis=1).dropna().to_numpy(dtype=np.float64)
            yield from ask_for_flips(row, mean[:, None], np.ones(1), float(mean.sum()))
        elif row.test == "sign_flip":
            yield from ask_for_flips_of_all(row, [part for part in tables if part.shape[1]])


def ask_for_flips_of_all(row: Row, tables: Sequence[pd.DataFrame]) -> Iterator[PeerNumbers]:
    """Return the flips of the signs of scenarios in all pairs of groups at once, which weigh alike."""
    import pandas as pd

    values = pd.concat(tables, axis=1).dropna(how="all").to_numpy(dtype=np.float64)
    weight = np.concatenate(
        [np.full(part.shape[1], 1 / part.shape[1] / len(tables)) for part in tables]
    )
    observed = float(np.abs(np.nanmean(values, axis=0)) @ weight)
    yield from ask_for_flips(row, values, weight, observed)


def ask_for_flips(
    row: Row, values: FloatArray, weight: FloatArray, observed: float
) -> Iterator[PeerNumbers]:
    """Return p of all patterns of signs of (scenarios, columns) values, whose mean sizes are weighed."""
    from scipy import stats

    numbers = {"statistic": observed}
    filled = np.nan_to_num(values)
    size = (~np.isnan(values)).sum(axis=0)

    def mean_size(signs: FloatArray, axis: int) -> FloatArray:
        signed = np.sign(np.moveaxis(signs, axis, -1)) @ filled
        # ties differ by rounding
        return np.asarray(np.round(np.abs(signed / size) @ weight, 12))

    if len(values) <= MOST_FLIPPED:
        permuted: Any = stats.permutation_test
        test = permuted(
            (np.ones(len(values)),),
            mean_size,
            permutation_type="samples",
            vectorized=True,
            alternative="greater",
            n_resamples=np.inf,
        )
        numbers["p_value"] = float(test.pvalue)
    yield PeerNumbers(package="scipy", row=key_of_row(row), numbers=numbers)


def ask_for_complete_couples(complete: CompleteCouples, row: Row) -> Iterator[PeerNumbers]:
    """Return McNemar's test of complete couples as independent; mid-p is the exact p less the point probability."""
    from scipy.stats import binom

    mcnemar = load_peer("statsmodels.stats.contingency_tables", "mcnemar")
    first_places, for_first, for_second, second_places = complete.counts(row)
    cells = np.array([[first_places, for_first], [for_second, second_places]])
    key = key_of_row(row)
    if row.test == "chi2":
        test = mcnemar(cells, exact=False, correction=False)
        numbers = {"statistic": float(test.statistic), "p_value": float(test.pvalue)}
        yield PeerNumbers(package="numpy", row=key, numbers={"df": 1.0})
        yield PeerNumbers(package="statsmodels", row=key, numbers=numbers)
        return
    # the statistic of the mid-p test is the number of couples that favour the first group
    yield PeerNumbers(package="numpy", row=key, numbers={"statistic": for_first})
    discordant = for_first + for_second
    p = mcnemar(cells, exact=True).pvalue
    p -= binom.pmf(min(for_first, for_second), discordant, 0.5)
    if for_first == for_second:
        # both tails hold the point; without statsmodels p is no number
        p += 1.0 - p
    yield PeerNumbers(package="statsmodels", row=key, numbers={"p_value": p})


class CompleteCouples:
    """The couples of a table that were answered in both orders, counted for each level that a row is about.

    Parameters
    ----------
    table : DataFrame
        As `answer_table` returns it.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        answers = table[table["counts"] & (table["group_first"] != table["group_second"])]
        answers = answers.loc[answers.index.repeat(answers["count"].astype(int))]
        groups = answers[["group_first", "group_second"]].to_numpy(dtype=str)
        low, high = np.sort(groups, axis=1).T
        self.answers = answers.assign(
            low=low, high=high, low_first=groups[:, 0] == low, first_place=answers["score"] == -1.0
        )
        self.by_level: dict[object, dict[tuple[str, str], BoolArray]] = {}

    def counts(self, row: Row) -> tuple[float, float, float, float]:
        """Count the couples of two groups: first place in both orders, first group, second group, second place."""
        level = row.label("level")
        if level not in self.by_level:
            answers = self.answers
            if level is not None:
                answers = answers[answers["level"] == level]
            self.by_level[level] = places_by_groups(answers)
        first, second = str(row.label("group")), str(row.label("other"))
        low, high = sorted((first, second))
        places = self.by_level[level].get((low, high), np.zeros((0, 2), dtype=bool))
        in_first, in_second = places.T if first == low else places.T[::-1]
        return (
            float((in_first & in_second).sum()),
            float((in_first & ~in_second).sum()),
            float((~in_first & in_second).sum()),
            float((~in_first & ~in_second).sum()),
        )


def places_by_groups(answers: pd.DataFrame) -> dict[tuple[str, str], BoolArray]:
    """Return by pair of groups whether the first place was chosen, (complete couples, 2).

    The columns are the order with the first group of the pair in the first place, and the other order.
    """
    couple = ["low", "high", "scenario", "pair", "rater"]
    copy = answers.groupby([*couple, "low_first"]).cumcount()
    places = answers.assign(copy=copy).pivot_table(
        index=[*couple, "copy"], columns="low_first", values="first_place", aggfunc="first"
    )
    complete = places.reindex(columns=[True, False]).dropna().astype(bool)
    by_groups: dict[tuple[str, str], BoolArray] = {}
    for groups, of_groups in complete.groupby(["low", "high"]):
        low, high = groups
        by_groups[str(low), str(high)] = of_groups.to_numpy()
    return by_groups
