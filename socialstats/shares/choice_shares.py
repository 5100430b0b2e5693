"""Shares of levels among the ratings of each source, and their differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from scipy.special import xlogy

from socialstats import sentences
from socialstats.arrays import BoolArray, FloatArray, IntArray
from socialstats.crosscheck.definition import Definition
from socialstats.designs.calls import TableLike
from socialstats.designs.ratings import Ratings
from socialstats.designs.ratings_data import Refusal
from socialstats.inference.clustered_mean import clustered_mean
from socialstats.inference.dependence import (
    cluster_factors,
    cluster_facts,
    cluster_text,
    drawn_cautions,
    share_cautions,
)
from socialstats.inference.intervals import checked_level
from socialstats.inference.means import DrawnRaters
from socialstats.inference.rows import with_mean
from socialstats.inference.weights import (
    NAMED,
    WORKS,
    Weighing,
    effective_text,
    refuse_resamples,
    weight_cautions,
    weight_counts,
)
from socialstats.registry import Metric, reads
from socialstats.resampling.options import checked_seed
from socialstats.resampling.permutation import checked_draws
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.definitions import (
    PeerNumbers,
    PlainSample,
    RowKey,
    sample_of_mean,
)
from socialstats.sentences import p_of
from socialstats.shares.counts import (
    ONE_PERSON,
    RESAMPLED,
    IntervalOptions,
    cells_of,
    free_label,
    level_share_cells,
    probabilities_text,
    share_row,
    source_cautions,
    source_counts,
    source_factor,
)
from socialstats.shares.plain_ratings import PlainRatings, factor_at
from socialstats.shares.ratings_by_source import (
    RatingsBySource,
    fill_f_test,
    holm_adjusted,
    row_of_level,
)
from socialstats.shares.share_changes import (
    ask_for_hotelling,
    change_sample,
    of_people,
    share_change_rows,
)
from socialstats.shares.sources import People, population, population_cautions
from socialstats.shares.two_sources import (
    PairTable,
    joint_share_test,
    pearson_chi_square,
    rated_by_both,
    share_differences,
    swap_p,
)
from socialstats.text import count, number, p_value, quoted, shorten
from socialstats.voice import check_allowed, option

if TYPE_CHECKING:
    from matplotlib.axes import Axes


HUMAN = "human"  # the source that others are compared with by default
# methods of the tests, and why there is none
SWAPPED = "sources swapped in whole clusters"
ROW_LEVEL = "chi-square, treating ratings as independent"
NOT_DRAWN = "replies count with probabilities or shares, whose chi-square does not follow the chi-square distribution"
NO_SWAPS = "swaps and chi-square count each unit once, and these have sampling weights"
NO_UNITS = "no unit was rated by both sources"


def rows_and_tests(counted: RatingsBySource) -> list[Row]:
    """Shares of all units and of each stratum, then differences and tests, adjusted over the strata."""
    data = counted.data
    cells = counted.cells
    first = counted.first
    # all units are the first stratum
    strata: list[tuple[str | None, BoolArray]] = [(None, np.ones(len(cells.codes), dtype=bool))]
    strata += [(label, cells.codes == k) for k, label in enumerate(cells.labels)]
    rows = []
    for label, units in strata:
        for k in range(len(data.sources)):
            rows += source_share_rows(counted, k, label, units)
    for k in counted.further:
        pairs = []
        for label, units in strata:
            base = counted.base((k, first), label, n=0.0, n_units=0)
            pair = rated_by_both(
                data.counts[:, k],
                data.counts[:, first],
                data.copies,
                counted.codes,
                units,
                data.weight,
            )
            shared_units = units & (data.n[:, [k, first]] > 0).all(axis=1)
            drawn = [
                *data.drawn(k, counted.codes, shared_units),
                *data.drawn(first, counted.codes, shared_units, sign=-1.0),
            ]
            pairs.append((base, pair, drawn))
        # tests of all units and those of strata answer different questions: two families
        rows += difference_family(counted, pairs[:1], "levels")
        rows += difference_family(counted, pairs[1:], "levels and strata")
    return rows


def source_share_rows(
    counted: RatingsBySource, k: int, label: str | None, units: BoolArray
) -> list[Row]:
    """Rows of the shares of all levels in the ratings of one source."""
    data = counted.data
    settings = counted.settings
    counts = np.where(units[:, None], data.counts[:, k], 0.0)  # (units, levels)
    rated = counts.sum(axis=1) > 0
    base = counted.base((k,), label, n=0.0, n_units=0, role="estimate")
    # people beside models may have given whole answers
    probable = counted.probable and bool(np.any(counts % 1))
    how = IntervalOptions(**{name: settings[name] for name in ("ci", "level", "resamples", "seed")})
    drawn = data.drawn(k, counted.codes, units)
    rows = []
    for j, level in enumerate(data.levels):
        row = row_of_level(base, level)
        if not rated.any():
            rows.append(replace(row, undefined="no rating", reason="no_data"))
            continue
        shares = level_share_cells(
            counts,
            j,
            data.copies,
            counted.codes,
            probable=probable,
            drawn=drawn,
            sampled=data.weight,
        )
        row = replace(share_row(row, shares, how), n_units=int(data.copies[rated].sum()))
        if not counted.codes:  # units are no clusters
            row = replace(row, n_clusters=None, leverage=None, effective=None)
        rows.append(row)
    return [*rows, *source_entropy_rows(counted, k, replace(base, role="component"), units)]


def source_entropy_rows(counted: RatingsBySource, k: int, base: Row, units: BoolArray) -> list[Row]:
    """Mean entropies of one source: of a unit's mean probabilities, and of single replies; none without probabilities.

    The entropy of single replies is how undecided a reply is. The entropy of a unit's mean probabilities also contains
    the differences between replies to the unit. It is at least the mean of its replies'. Both are conditional on an
    answer that is one of the levels. The latter is undefined for a unit with any reply without probabilities.
    """
    if counted.replies is None:
        return []
    unit, source, entropy = counted.replies
    of_source = (source == k) & units[unit]
    if not of_source.any():
        return []
    data = counted.data
    readable = np.bincount(unit[of_source], minlength=len(units))  # replies with probabilities
    # units all of whose replies are readable
    complete = np.flatnonzero((readable > 0) & (data.n[:, k] < readable + 0.5))
    most = math.log2(len(data.levels))  # all levels alike
    rows = []
    for name, values, unit_of_value in (
        ("H", entropy_in_bits(data.counts[complete, k]), complete),
        ("H_reply", entropy[of_source], unit[of_source]),
    ):
        row = replace(base, term=free_label(name, data.levels), key=(*base.key, ("entropy", name)))
        n = len(unit_of_value)
        if not n:
            why = "every unit has a reply without probabilities"
            rows.append(replace(row, undefined=why, reason="no_data"))
            continue
        # without clusters a unit holds its replies together
        codes = [code[unit_of_value] for code in counted.codes] or [unit_of_value]
        copies = data.copies[unit_of_value]
        weight = None if data.weight is None else data.weight[unit_of_value]
        mean = clustered_mean(values, copies, codes, magnitude=most, weight=weight)
        row = replace(row, estimate=mean.mean, n=float(n), n_units=len(np.unique(unit_of_value)))
        row = replace(row, method=f"t ({mean.kind})")
        rows.append(with_mean(row, mean, counted.settings["level"], within=(0.0, most), test=False))
    return rows


def entropy_in_bits(counts: FloatArray) -> FloatArray:
    """Entropies in bits of the shares in rows of counts."""
    p = counts / counts.sum(axis=-1, keepdims=True)
    # Shannon (1948): -sum p log p, and 0 log 0 = 0
    return np.asarray(-xlogy(p, p).sum(axis=-1) / math.log(2))


def reply_entropies_by_source(
    design: Ratings, source: str | None
) -> tuple[IntArray, IntArray, FloatArray] | None:
    """Return unit, source and entropy of the replies that have probabilities; None without such columns."""
    if design.probabilities is None or design.shared is not None:
        return None
    # a reply whose probabilities are known in part has no entropy
    readable = np.flatnonzero(~np.isnan(design.probabilities).any(axis=1))
    source_code = source_factor(design, source, True).codes[design.rater[readable]]
    return design.unit[readable], source_code, entropy_in_bits(design.read_as()[readable])


def difference_family(
    counted: RatingsBySource, pairs: Sequence[tuple[Row, PairTable, list[DrawnRaters]]], over: str
) -> list[Row]:
    """Differences and tests of two sources in some strata, with Holm's p over all of them."""
    differences: list[Row] = []
    swap_tests = []
    row_tests = []
    levels = counted.data.levels
    for base, pair, drawn in pairs:
        # one person says nothing of how people differ
        single_person = any(group.raters < 2 for group in drawn)
        if not len(pair.copies) or single_person:
            undefined = replace(base, undefined=NO_UNITS, reason="no_data")
            if single_person:
                undefined = replace(base, undefined=ONE_PERSON, reason="unidentified")
            differences += [row_of_level(undefined, level, role="difference") for level in levels]
            terms = counted.terms_of_tests()
            tests = [replace(undefined, term=term, role="test") for term in terms]
        else:
            base = replace(
                base,
                n=float(pair.totals.sum()),
                n_units=int(pair.copies.sum()),
                n_clusters=min((len(np.unique(code)) for code in pair.codes), default=None),
            )
            for level, mean in zip(levels, share_differences(pair, drawn), strict=True):
                row = row_of_level(base, level, role="difference", estimate=mean.mean)
                row = replace(row, method=f"t, paired units ({mean.kind})")
                row = with_mean(row, mean, counted.settings["level"], within=(-1.0, 1.0))
                differences.append(row)
            tests = equality_tests(counted, base, pair, drawn)
        swap_tests.append(replace(tests[0], test="f" if drawn else "permutation"))
        row_tests.append(replace(tests[1], test="chi2"))
    return [*holm_adjusted(differences, over), *holm_adjusted(swap_tests, "strata"), *row_tests]


def equality_tests(
    counted: RatingsBySource, base: Row, pair: PairTable, drawn: Sequence[DrawnRaters]
) -> list[Row]:
    """Rows of the tests of equal shares: sources swapped, or F of drawn raters; and ratings taken as independent."""
    base, row_test = (replace(base, term=term, role="test") for term in counted.terms_of_tests())
    value, df, p = pearson_chi_square(pair)
    if df < 1:
        why = "every rating is of one level: nothing to compare"
        return [replace(row, undefined=why, reason="no_variation") for row in (base, row_test)]
    if pair.weight is not None:
        return [replace(row, undefined=NO_SWAPS) for row in (base, row_test)]
    if counted.probable and np.any(np.concatenate([pair.first, pair.second]) % 1):
        row_test = replace(row_test, undefined=NOT_DRAWN)
    else:
        row_test = replace(row_test, statistic=value, df=float(df), p_value=p, method=ROW_LEVEL)
    if drawn:
        return [fill_f_test(base, joint_share_test(pair, drawn)), row_test]
    settings = counted.settings
    # Canay et al. (2017): sources are exchangeable cluster by cluster under the null hypothesis
    test = swap_p(pair, permutations=settings["permutations"], seed=settings["seed"])
    if test is None:
        why = "two crossed factors: no swap of whole clusters"
        return [replace(base, undefined=why, reason="unidentified"), row_test]
    if math.isnan(test.p_value[0]):
        why = "a single cluster: no test"
        return [replace(base, undefined=why, reason="one_cluster"), row_test]
    swap_test = replace(
        base,
        statistic=value,
        df=float(df),
        p_value=float(test.p_value[0]),
        method=f"chi-square; {SWAPPED}, {count(test.draws, 'draw')}",
    )
    return [swap_test, row_test]


Ci = Literal["auto", "wilson", "percentile", "basic", "bca"]
MOST_NAMED = 4
MOST_PLOTTED = 200


@reads(Ratings, labels="shares", weighted=True)
def choice_shares(
    ratings: Ratings | TableLike,
    *,
    source: str | None = None,
    reference: str | None = None,
    stratum: str | Sequence[str] | None = None,
    base: str | None = None,
    refusal: Refusal = "missing",
    ci: Ci = "auto",
    permutations: int = 2000,
    cluster: str | Sequence[str] | None = "declared",
    people: People = "auto",
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
    **columns: Any,
) -> Result | ResultGroup:
    """Estimate the share of each level among the ratings of each source, and the differences between sources.

    Parameters
    ----------
    ratings : Ratings, data frame, mapping of columns, or path of a file
        With a ``by`` factor: one result per level.
    source : str, optional
        Declared group of raters that gives the source, or ``"rater"`` (each rater is a source). By default the only
        one, or the one called source; without any, all raters are one source.
    reference : str, optional
        The source that is subtracted from the others; by default ``"human"`` where there is one, else the first.
    stratum : str or sequence of str, optional
        Declared strata of units: rows for each combination of their levels follow those of all units.
    base : str, optional
        A level of `stratum`, such as no pressure. Rows have the changes from it to the other levels, paired within the
        declared cluster (the scenario that the strata vary).
    refusal : {"missing", "level"}
        A refusal is no rating, or a level of its own.
    ci : {"auto", "wilson", "percentile", "basic", "bca"}
        Of the shares. ``"auto"`` is Wilson's, with the number of independent ratings that the clusters leave (CR2
        standard error, t quantile; Korn & Graubard 1998). Else a bootstrap of clusters.
    permutations : int
        Of the test of equal shares.
    cluster : str, sequence of str or None
        Declared factors whose levels are independent (two: crossed); None takes units as independent. Ratings of one
        unit never are.
    people : {"auto", "random", "fixed"}
        ``"random"``: human raters are a sample, as units are. Standard errors are those of two crossed factors, units
        (or one cluster) and raters, and speak of other people too. ``"fixed"``: they speak of these raters alone.
        ``"auto"``: a sample, where five or more are known and at most one cluster is declared. Raters are people where
        their source says so, or where nothing says that they are models. Models are fixed. `inference` says which.
    level : float
    resamples, seed : int
        Of the bootstrap; `seed` of the test too.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_ratings`.

    Returns
    -------
    Result
        For all units, then for each stratum: the shares (term: the level, group: ``source`` or ``source, stratum``).
        For each other source the differences ``other - reference`` on the units that both rated, with t interval (cut
        at -1 and 1), t, df and p. `p_adjusted` is Holm's over levels and strata, for all units over levels. Also ``any
        level``, the test of any difference. There `statistic` is Pearson's chi-square. Its p comes from swapping the
        two sources in whole clusters (units where none are declared). In the row ``any level (ratings independent)`` it
        comes from the chi-square distribution, which counts ratings of one unit as independent. Where people are a
        sample, swaps would ignore that a person answers alike in all units. ``any level`` then has the F of all levels,
        units and raters being crossed factors; changes have t and F in place of flips and T-squared. With `base` the
        changes follow, groups ``source: stratum - base`` and (difference of differences) ``other - reference: stratum -
        base``. They are means over clusters of the change of the share, with t interval. Their p comes from flipping
        the signs of whole clusters, adjusted by Holm over levels and strata. Also ``any level``, Hotelling's T-squared
        of all levels. `extras`: ``people`` (those who are a sample), ``counts``
        (source -> level -> ratings).

        The design may have `probabilities` (``probabilities="p_"`` of `Ratings.from_frame`). A reply then counts for
        each level with its probability, given an answer among them: a share is a mean of probabilities. Intervals and
        tests are those of units and clusters all the same; ``any level (ratings independent)`` has none. Each source
        also has two entropies in bits. ``H`` is the mean over units of the entropy of the unit's mean probabilities,
        ``H_reply`` the mean entropy of its single replies.

        With sampling weights of units (``weight=``) all ratings of a unit have its weight. Errors of single ratings are
        linearised, as in R's survey, others CR2. Differences have their t tests; ``any level``, `base` and a bootstrap
        have no weighted form.

    Raises
    ------
    InputError
        For an unknown option, source, stratum or cluster.
    NothingToAnalyse
        If there is no rating.

    References
    ----------
    Wilson, E. B. (1927). doi:10.1080/01621459.1927.10502953
    Korn, E. L., & Graubard, B. I. (1998). Survey Methodology, 24(2), 193-201.
    Pearson, K. (1900). doi:10.1080/14786440009463897
    Hotelling, H. (1931). The generalization of Student's ratio. doi:10.1214/aoms/1177732979
    Holm, S. (1979). A simple sequentially rejective multiple test procedure.
    Canay, I. A., Romano, J. P., & Shaikh, A. M. (2017). doi:10.3982/ECTA13081

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.designs.ratings import Ratings
    >>> rows = pd.DataFrame({"unit": ["p", "q", "r", "s"] * 2, "rater": ["ann"] * 4 + ["bot"] * 4,
    ...                      "source": ["human"] * 4 + ["model"] * 4, "value": list("xxyyxxxy")})
    >>> result = choice_shares(Ratings.from_frame(rows, scale="nominal", rater_source="source"))
    >>> result.row("x", group="model").estimate, result.row("x", group="model - human").estimate
    (0.75, 0.25)
    """
    check_allowed("ci", ci, get_args(Ci))
    settings = {
        "source": source,
        "reference": reference,
        "stratum": stratum,
        "base": base,
        "refusal": refusal,
        "ci": "wilson" if ci == "auto" else ci,
        "permutations": checked_draws(permutations, "permutations"),
        "cluster": cluster,
        "people": people,
        "level": checked_level(level),
        "resamples": resamples,
        "seed": checked_seed(seed),
    }
    return estimate(ratings, settings)


def estimate(design: Ratings, settings: dict[str, Any]) -> Result:
    """Compute the shares of one design."""
    factors = cluster_factors(design, settings["cluster"])
    probable = design.probabilities is not None
    no_people = "BCa intervals have no second factor" if settings["ci"] == "bca" else ""
    sampling = population(design, settings["people"], factors, unable=no_people)
    data = source_counts(
        design,
        settings["source"],
        settings["refusal"],
        alone=True,
        probable=probable,
        drawn=sampling.drawn,
    )
    sampling = sampling.for_sources(data.people)
    weighing = None
    if data.weight is not None:
        weighing = Weighing.of_units(data.copies * (data.n.sum(axis=1) > 0), data.weight)
    if settings["ci"] in RESAMPLED:
        refuse_resamples(weighing, option("ci", settings["ci"]), design)
    cells = cells_of(design, settings["stratum"], "stratum")
    reference = settings["reference"]
    # by default others are compared with people, where there are any
    if reference is None:
        reference = HUMAN if HUMAN in data.sources else data.sources[0]
    first = data.index(reference, "reference")
    counted = RatingsBySource(
        data=data,
        cells=cells,
        codes=tuple(factor.codes for factor in factors),
        first=first,
        settings=settings,
        probable=probable,
        replies=reply_entropies_by_source(design, settings["source"]),
    )
    rows = [*rows_and_tests(counted), *share_change_rows(counted)]
    # rows of sources whose people are a sample
    people = {
        name for name, part in zip(data.sources, data.people, strict=False) if part is not None
    }
    drawn = [row for row in rows if people & {row.label("source"), row.label("reference")}]
    counts = (data.counts * data.copies[:, None, None]).sum(axis=0)  # (sources, levels)
    rated = data.n.sum(axis=1) > 0
    ci = settings["ci"]
    nobs = round(counts.sum())
    intervals = "Wilson intervals" if ci == "wilson" else f"bootstrap ({ci}) intervals"
    intervals += ", differences by t" * any(row.role == "difference" for row in rows)
    fit = {"nobs": nobs, "method": ci, "seed": settings["seed"]}
    fit |= cluster_facts(rows) if factors else {}
    fit |= {"resamples": settings["resamples"]} if ci in RESAMPLED else {}
    settings = settings | {
        "source": data.name,
        "reference": data.sources[first],
        "people": sampling.setting,
    }
    counts_by_source = {
        name: dict(zip(data.levels, by_level, strict=True))
        for name, by_level in zip(data.sources, counts.tolist(), strict=True)
    }
    sizes = {
        "ratings": nobs,
        "units": int(data.copies[rated].sum()),
        **weight_counts(weighing, "units"),
        "sources": len(data.sources),
        **({"strata": len(cells.labels)} if cells.labels else {}),
    }
    cautions = (
        *source_cautions(data),
        *share_cautions(design, factors, rows),
        *drawn_cautions(drawn, sampling.n),
        *population_cautions(sampling),
        *weight_cautions([weighing] if weighing else (), "unit", design),
    )
    return Result(
        metric="choice_shares",
        title="Choice shares" + probabilities_text(design),
        inference=f"{intervals}{NAMED if weighing else ''}; {cluster_text(factors, 'units')}; {sampling.text()}",
        rows=tuple(rows),
        counts=sizes,
        fit=fit,
        settings=settings,
        cautions=cautions,
        references=(*METRIC.references, *(WORKS if weighing else ())),
        design=design,
        extras={
            "people": sampling.names(design),
            "weighing": weighing,
            "counts": counts_by_source,
        },
    )


def sentence(result: Result) -> str:
    """Return the shares of all units, and of two sources the differences with the test of any."""
    base = str(result.settings["reference"])
    names = [base, *(name for name in result.extras["counts"] if name != base)]
    shares = "; ".join(f"{shorten(name)}: {shares_text(result, name)}" for name in names[:2])
    more = f"; {count(len(names) - 2, 'more source')} in the rows" if len(names) > 2 else ""
    size = f"{count(result.counts['ratings'], 'rating')} of {count(result.counts['units'], 'unit')}"
    if weighing := result.extras.get("weighing"):
        size += f" ({effective_text(weighing)})"
    text = f"Shares over {size} were: {shares}{more}."
    return text if len(names) < 2 else f"{text} {difference_text(result, names[1], base)}"


def has_levels_of(row: Row, key: tuple[tuple[str, str], ...]) -> bool:
    """Return whether a key starts with another one and a level; a study adds the labels of a cell behind these."""
    size = len(key)
    return row.key[:size] == key and [name for name, _ in row.key[size : size + 1]] == ["level"]


def shares_text(result: Result, name: str) -> str:
    """Return the shares of one source."""
    key = (("source", name),)
    rows = [row for row in result.rows if row.role == "estimate" and has_levels_of(row, key)]
    parts = []
    for row in rows[:MOST_NAMED]:
        value = "undefined" if row.estimate is None else sentences.estimate_text(row)
        parts.append(f"{shorten(row.term)} {value}")
    more = f" and {len(rows) - MOST_NAMED} more levels" if len(rows) > MOST_NAMED else ""
    return ", ".join(parts) + more


def difference_text(result: Result, source: str, base: str) -> str:
    """Return the differences of two sources in all units, and the test of any."""
    key = (("source", source), ("reference", base))
    rows = [row for row in result.rows if row.role == "difference" and has_levels_of(row, key)]
    tests = [row for row in result.rows if row.test in ("permutation", "f")]
    # the test of all units comes before those of strata
    test = next(row for row in tests if row.key[: len(key)] == key)
    name = shorten(rows[0].group or "")
    if rows[0].estimate is None:
        return f"{name}: {rows[0].undefined}."
    differences = ", ".join(difference_and_p(row) for row in rows[:MOST_NAMED])
    if test.p_value is None or test.statistic is None:
        return f"{name}: {differences}."
    letter = "χ²"
    how = "cluster permutation test"
    if test.test == "f":
        letter = "F"
        how = "units and raters as crossed factors"
    chosen = chosen_text(rows)
    return (
        f"{name}: {differences}. Any difference: {letter}({number(test.df, 0)}) = {number(test.statistic)}, "
        f"{p_value(test.p_value)} ({how}).{f' {chosen}' if chosen else ''}"
    )


def chosen_text(rows: Sequence[Row]) -> str:
    """State which levels a source chose significantly more, and less, often than its reference; empty where none.

    Examples
    --------
    >>> key = (("source", "model"), ("reference", "human"))
    >>> chosen_text([Row(term=t, key=key, estimate=e, p_adjusted=0.01) for t, e in (("yes", 0.2), ("no", -0.2))])
    "model chose 'yes' more often and 'no' less often than human (Holm)."
    """
    ways = []
    for how, sign in (("more", 1), ("less", -1)):
        levels = [
            shorten(row.term, 30)
            for row in rows
            if sentences.is_significant(row) and sign * (row.estimate or 0.0) > 0
        ]
        ways += [f"{quoted(levels)} {how} often"] if levels else []
    if not ways:
        return ""
    source, reference = (shorten(rows[0].label(side) or "", 30) for side in ("source", "reference"))
    return f"{source} chose {' and '.join(ways)} than {reference} (Holm)."


def difference_and_p(row: Row) -> str:
    """Return one difference."""
    adjusted_p = "" if row.p_adjusted is None else f", {p_of(row)}"
    return f"{shorten(row.term)} {sentences.estimate_text(row)}{adjusted_p if row.conf_low is not None else ''}"


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the shares of all units and (up to 200 rows) of the strata with their intervals."""
    from socialstats.figures import forest

    estimates = [row for row in result.rows if row.role == "estimate"]
    if len(estimates) > MOST_PLOTTED:
        estimates = [row for row in estimates if row.label("stratum") is None]
    plotted = [replace(r, term=f"{r.term} ({r.group})") for r in estimates]
    settings = {"xlabel": "Share of ratings", "sort": False, "reference": None}
    return forest(plotted, ax=ax, **{**settings, **options})


def sample_shares(result: Result) -> Iterator[PlainSample]:
    """Yield the ratings or units of each row: shares, entropies, differences of two sources, and changes."""
    ratings = PlainRatings.of(result)
    for row in result.rows:
        if row.estimate is None or row.role == "test":
            continue
        if row.label("base") is not None:
            yield change_sample(ratings, row)
        elif row.label("entropy") is not None:
            yield entropy_sample(ratings, row)
        elif row.role == "estimate":
            yield share_sample(ratings, row)
        else:
            yield difference_sample(ratings, row)


def share_sample(ratings: PlainRatings, row: Row) -> PlainSample:
    """Return the ratings of one source, with what each counts for the level of a row."""
    inside = ratings.inside(row.label("source"), row.label("stratum"))
    hit, weight, key = ratings.hits(row.term)[inside], ratings.weight[inside], (row.group, row.term)
    single = len(np.unique(ratings.unit[inside])) == len(hit)
    probable = bool(np.any(ratings.shares[inside] % 1))
    # a unit with several ratings is a cluster of them
    alone = single and not ratings.clusters and not probable
    factors = () if alone else ratings.factors(inside)
    answers = math.inf if probable else float(weight.sum() ** 2 / (weight @ weight))
    people = ratings.people(inside)
    if not np.ptp(weight):
        return sample_of_mean(key, hit, np.ones(len(hit)), factors, answers, people)

    def share(count: FloatArray) -> dict[RowKey, float]:
        return {key: float((count * weight) @ hit / (count @ weight))}

    return PlainSample(
        count=np.ones(len(hit)),
        plain=share,
        factors=factors,
        people=people,
        alike=np.column_stack([hit, weight]),
        counted={key: weight},
        answers={key: answers},
        unbiased=True,
    )


def entropy_sample(ratings: PlainRatings, row: Row) -> PlainSample:
    """Return entropies in bits of single replies, or of the mean probabilities of units that have all of them."""
    inside = ratings.inside(row.label("source"), row.label("stratum"))
    shares, readable = ratings.shares[inside], ratings.has_probabilities[inside]
    factors = ratings.factors(inside)
    if row.label("entropy") == "H":
        _, first, place = np.unique(ratings.unit[inside], return_index=True, return_inverse=True)
        size = np.bincount(place)
        columns = [np.bincount(place, column) / size for column in shares.T]
        shares, readable = np.column_stack(columns), np.bincount(place, readable) == size
        factors = tuple(factor_at(factor, first) for factor in factors)
    logarithms = np.log2(np.where(shares > 0, shares, 1.0))
    entropy = np.where(readable, -(shares * logarithms).sum(axis=1), np.nan)
    return sample_of_mean((row.group, row.term), entropy, np.ones(len(entropy)), factors)


def sides_of(ratings: PlainRatings, row: Row) -> list[BoolArray]:
    """Return which ratings are of the source of a row, and of its reference, in the units that both rated."""
    cell = row.label("stratum")
    sides = [ratings.inside(row.label(part), cell) for part in ("source", "reference")]
    units = [set(ratings.unit[side].tolist()) for side in sides]
    shared = np.isin(ratings.unit, list(units[0] & units[1]))
    return [side & shared for side in sides]


def difference_sample(ratings: PlainRatings, row: Row) -> PlainSample:
    """Return the ratings of two sources in the units that both rated, whose shares of a level differ."""
    sides = sides_of(ratings, row)
    inside = sides[0] | sides[1]
    hit, weight = ratings.hits(row.term)[inside], ratings.weight[inside]
    first, people = sides[0][inside], ratings.people(inside)
    _, unit, size = np.unique(ratings.unit[inside], return_inverse=True, return_counts=True)
    key = (row.group, row.term)

    def difference(count: FloatArray) -> dict[RowKey, float]:
        shares = [
            float((count * weight)[side] @ hit[side] / (count @ (weight * side)))
            for side in (first, ~first)
        ]
        return {key: shares[0] - shares[1]}

    drawn = np.zeros(len(hit), dtype=bool) if people is None else people.codes >= 0
    drawn_twice = drawn[first].any() and drawn[~first].any()
    # units weigh the same in the mean of their linearised values, however many ratings they have
    unit_weight = weight / size[unit]
    return PlainSample(
        count=np.ones(len(hit)),
        plain=difference,
        factors=ratings.factors(inside),
        people=people,
        people_weight=weight,
        independent_units=not ratings.clusters and bool(np.ptp(weight)),
        alike=np.column_stack([hit, weight, first, size[unit]]),
        counted={key: unit_weight},
        unbiased=True,
        no_errors="people of both sources are a sample" if drawn_twice else "",
    )


def ask_for_tests(result: Result) -> Iterator[PeerNumbers]:
    """Chi-square of scipy, as if all ratings were independent, and Hotelling's test of changes of statsmodels."""
    ratings = PlainRatings.of(result)
    for row in result.rows:
        is_test = row.role == "test" and row.statistic is not None
        if not is_test:
            continue
        if row.label("base") is None and row.test != "f":
            yield ask_for_chi_square(ratings, row)
        elif row.label("base") is not None and not of_people(ratings, row).any():
            yield from ask_for_hotelling(ratings, row)


def ask_for_chi_square(ratings: PlainRatings, row: Row) -> PeerNumbers:
    """Return scipy's chi-square of the ratings of two sources by level."""
    from scipy.stats import chi2_contingency

    table = np.array([ratings.shares[side].sum(axis=0) for side in sides_of(ratings, row)])
    test = chi2_contingency(table[:, table.any(axis=0)], correction=False)
    numbers = {"statistic": float(test.statistic), "df": float(test.dof)}
    # a permutation test has p of its own
    if row.test == "chi2":
        numbers["p_value"] = float(test.pvalue)
    return PeerNumbers(package="scipy", row=(row.group, row.term), numbers=numbers)


def family_of(row: Row) -> tuple[object, ...]:
    """Return what tells apart families of tests: kinds of tests, all units or strata, sources, and changes."""
    test = row.test if row.role == "test" else None
    labels = [row.label(name) for name in ("source", "reference", "base")]
    return row.family, row.role, test, row.label("stratum") is None, *labels


METRIC = Metric(
    name="choice_shares",
    title="Choice shares",
    design="ratings",
    function=choice_shares,
    sentence=sentence,
    plot=plot,
    definition=Definition(samples=sample_shares, peers=ask_for_tests, family=family_of),
    estimand="The share of each level among the ratings of a source, and its difference between two sources.",
    assumptions=(
        "units (or the named clusters) are independent draws from the units of interest",
        "people='random': human raters are independent draws from the people of interest",
        "a source's ratings are missing without regard to their value",
        "test of any difference: which source is which is exchangeable, cluster by cluster",
    ),
    references=(
        "wilson1927",
        "korngraubard1998",
        "pearson1900",
        "hotelling1931",
        "holm1979",
        "canay2017",
        "phipsonsmyth2010",
    ),
    values="sources",
    raters="pooled",
)
