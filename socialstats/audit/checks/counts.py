"""Intervals, tests, ratios and shares against counts: two-by-two tables, confusion tables, win rates, repeated rows."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

from socialstats.audit.checks.arithmetic import needed
from socialstats.audit.checks.summaries import outside
from socialstats.audit.checks.variants import (
    Range,
    Variant,
    exactly,
    hull_of_ranges,
    inside,
    judge,
    mean_of_ranges,
    nearly,
    outward,
    span,
    tailed,
)
from socialstats.audit.checks.whole_numbers import EXPLAINED, multiples
from socialstats.audit.numbers import Finding, Printed, possible, printed, unchecked, whole
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value

Ends = tuple[float, float]


def count_ci(
    low: Any,
    high: Any,
    n: Any,
    *,
    count: Any = None,
    share: Any = None,
    confidence: float = 0.95,
    scale: int = 1,
) -> Finding:
    """Check a confidence interval of a share against its count, or against the counts that the share allows.

    Wald intervals are tried with the normal or t quantile, divisor n or n - 1, and cut off at 0 and 1 or not. The
    intervals of Wilson (with and without continuity correction), Clopper-Pearson, Agresti-Coull and Jeffreys are tried
    too (Brown, Cai & DasGupta 2001).

    Parameters
    ----------
    low, high : printed numbers
    n : whole number
    count : whole number, optional
    share : printed number, optional
        Instead of the count.
    confidence : float
    scale : int
        100 for numbers in percent without a ``%``.

    Returns
    -------
    Finding
        ``details["variant"]`` names the interval that fits. An interval that none gives is a minor disagreement, since
        clusters or a bootstrap may explain it; one without its own share is major.

    References
    ----------
    Brown, L. D., Cai, T. T., & DasGupta, A. (2001). Statistical Science, 16(2), 101-133.
    https://doi.org/10.1214/ss/1009213286

    Examples
    --------
    >>> count_ci("0.346", "0.553", 85, count=38).details["variant"]
    'Wilson'
    >>> count_ci("34.6%", "55.3%", 85, share="60%").message
    'sources disagree: the interval 34.6% to 55.3% does not hold its share 60%'
    """
    size = whole(n, "n")
    ends_and_share = {"low": low, "high": high, "share": share}
    numbers = {k: printed(x).share(scale) for k, x in ends_and_share.items() if x is not None}
    text = f"{numbers['low'].text} to {numbers['high'].text}"
    if count is not None:
        counts = [whole(count, "count", least=0)]
    elif share is not None:
        possible_counts = multiples(*numbers["share"].bounds, Fraction(1, size))
        counts = [k for k in possible_counts if 0 <= k <= size]
    else:
        raise InputError("give the count or the share that the interval belongs to")
    if not counts:
        message = f"no count of {size} has a share of {numbers['share'].text} (see grim)"
        return unchecked("count_ci", message, text)
    if counts[-1] > size:
        return unchecked("count_ci", f"count={counts[0]} is above n={size}", text)
    middle = numbers.pop("share", printed(Fraction(counts[0], size)))
    contradiction = outside("count_ci", text, numbers | {"share": middle}, "share")
    if contradiction is not None:
        return contradiction
    first, last = (_intervals(k, size, inside(confidence)) for k in (counts[0], counts[-1]))
    variants = []
    for name in first:
        lows, highs = zip(first[name], last[name], strict=True)
        variants.append(Variant(name=name, gives={"low": outward(*lows), "high": outward(*highs)}))
    source = f"{counts[0] if len(counts) == 1 else middle.text} of {size}"
    finding = judge("count_ci", numbers, variants, source)
    if finding:
        return finding
    message = f"{finding.message}, and no other interval fits; {EXPLAINED}"
    return replace(finding, severity="minor", message=message)


@functools.lru_cache(maxsize=1_000)  # the exact one is searched for, and tables repeat counts
def _intervals(k: int, n: int, confidence: float) -> dict[str, Ends]:
    """Return the intervals of k of n, each by its name."""
    from scipy.special import betaincinv
    from scipy.stats import binomtest

    test, p, m = binomtest(k, n), k / n, max(n - 1, 1)
    z, tail = critical_value(confidence), (1 - confidence) / 2
    more = (k + z * z / 2) / (n + z * z)
    less = math.sqrt(p * (1 - p) / m)
    beta = k + 0.5, n - k + 0.5

    def around(middle: float, half: float) -> Ends:
        return middle - half, middle + half

    def exact(method: Literal["wilson", "wilsoncc", "exact"]) -> Ends:
        ends = test.proportion_ci(confidence, method)
        return float(ends.low), float(ends.high)

    intervals = {
        "Wald": around(p, z * math.sqrt(p * (1 - p) / n)),
        "Wilson": exact("wilson"),
        "Clopper-Pearson": exact("exact"),
        "Wilson with continuity correction": exact("wilsoncc"),
        "Jeffreys": (
            float(betaincinv(*beta, tail)) if k else 0.0,
            float(betaincinv(*beta, 1 - tail)) if k < n else 1.0,
        ),
        "Agresti-Coull": around(more, z * math.sqrt(more * (1 - more) / (n + z * z))),
        "Wald with divisor n - 1": around(p, z * less),
        "the t interval": around(p, critical_value(confidence, m) * less),
    }
    cut_off = {
        f"{name} cut off at 0 and 1": (max(low, 0.0), min(high, 1.0))
        for name, (low, high) in intervals.items()
    }
    return intervals | cut_off


def ratio_from_counts(
    value: Any,
    a: Any,
    b: Any,
    c: Any,
    d: Any,
    *,
    low: Any = None,
    high: Any = None,
    kind: Literal["odds", "risk"] = "odds",
    confidence: float = 0.95,
) -> Finding:
    """Check an odds ratio or a risk ratio, and its interval, against the counts of a two-by-two table.

    The odds ratio a d / (b c) has Woolf's interval, with or without 1/2 added to each count; the conditional one has
    Fisher's exact interval. The risk ratio a (c + d) / (c (a + b)) has Katz' interval.

    Parameters
    ----------
    value : printed number
        None to check the interval alone.
    a, b, c, d : whole number
        Row by row: with and without the event in group 1, then in group 2.
    low, high : printed number, optional
    kind : {"odds", "risk"}
    confidence : float

    Returns
    -------
    Finding
        Minor where the ratio of the groups in the other order fits.

    Examples
    --------
    >>> ratio_from_counts("2.67", 20, 15, 10, 20, low="0.97", high="7.34").details["variant"]
    "the odds ratio with Woolf's interval"
    >>> ratio_from_counts("1.71", 20, 15, 10, 20).message.partition("; ")[2]
    'the risk ratio fits'
    """
    cells = [whole(value, name, least=0) for name, value in zip("abcd", (a, b, c, d), strict=True)]
    orders = {"": cells, " of the groups in the other order": cells[2:] + cells[:2]}
    variants = [
        Variant(name=name + words, gives=gives, usual=kind in name and not words)
        for words, order in orders.items()
        for name, gives in _ratios(tuple(order), inside(confidence)).items()
    ]
    source = ", ".join(map(str, cells))
    if not any(variant.usual for variant in variants):
        message = f"the {kind} ratio of {source} is undefined: it divides by 0"
        return unchecked("ratio_from_counts", message)
    said = {"ratio": value, "low": low, "high": high}
    return judge("ratio_from_counts", said, variants, source)


@functools.lru_cache(maxsize=1_000)  # as above
def _ratios(cells: tuple[int, ...], confidence: float) -> dict[str, dict[str, Range]]:
    from scipy.stats.contingency import odds_ratio

    a, b, c, d = cells
    more = [cell + 0.5 for cell in cells]
    # each ratio with the variance of its logarithm
    ratios: dict[str, Ends] = {}
    if min(cells):
        odds = a * d / (b * c)
        ratios["the odds ratio with Woolf's interval"] = odds, sum(1 / cell for cell in cells)
    if a and c:
        risk = a * (c + d) / (c * (a + b))
        ratios["the risk ratio"] = risk, 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)
    odds = more[0] * more[3] / (more[1] * more[2])
    ratios["the odds ratio with 1/2 added"] = odds, sum(1 / cell for cell in more)
    ranges = {}
    for name, (ratio, variance) in ratios.items():
        reach = math.exp(critical_value(confidence) * math.sqrt(variance))
        ranges[name] = [nearly(ratio), nearly(ratio / reach), nearly(ratio * reach)]
    if a + b and c + d and a + c and b + d:
        conditional = odds_ratio([[a, b], [c, d]], kind="conditional")
        ends = [_solved(end) for end in conditional.confidence_interval(confidence)]
        name = "the conditional odds ratio with the exact interval"
        ranges[name] = [_solved(conditional.statistic), *ends]
        if b * c:
            ranges["the odds ratio with the exact interval"] = [nearly(a * d / (b * c)), *ends]
    names = ("ratio", "low", "high")
    return {name: dict(zip(names, triple, strict=True)) for name, triple in ranges.items()}


def _solved(x: float) -> Range:
    """Return an exact ratio with its error: R's fisher.test finds it to 1.2e-4 of the ratio or of its inverse."""
    error = 1.3e-4 * x * max(x, 1 / x) if 0 < x < math.inf else 0.0
    return outward(x - error, x + error)


def chi2_from_counts(
    counts: Sequence[Sequence[Any]],
    *,
    chi2: Any = None,
    p: Any = None,
    df: Any = None,
    level: float = 0.05,
) -> Finding:
    """Check the chi-squared statistic, or its p, against the table of counts: with and without Yates' correction.

    Parameters
    ----------
    counts : sequence of rows of whole numbers, or the four of a two-by-two table
    chi2, p, df : printed number
    level : float

    Returns
    -------
    Finding
        ``details["variant"]`` names Pearson's or Yates'. Minor where the likelihood ratio G, or Fisher's p, fits.

    Examples
    --------
    >>> chi2_from_counts([[20, 15], [10, 20]], chi2="2.79").details["variant"]
    "Yates' chi2"
    >>> chi2_from_counts([20, 15, 10, 20], chi2="3.68", p=".055").verdict
    'agree'
    """
    import numpy as np
    from scipy.stats import chi2_contingency, fisher_exact

    rows = list(counts)
    if len(rows) == 1 and isinstance(rows[0], list | tuple):
        rows = list(rows[0])
    if not rows or not isinstance(rows[0], list | tuple):
        rows = [rows[:2], rows[2:]]
    table = [[whole(x, "counts", least=0) for x in row] for row in rows]
    if len(table) < 2 or len({len(row) for row in table}) > 1 or len(table[0]) < 2:
        raise InputError("counts must be rows of one length, at least two by two")
    if not all(map(sum, table)) or not all(map(sum, zip(*table, strict=True))):
        message = "a row or a column of the counts is empty: chi2 is undefined"
        return unchecked("chi2_from_counts", message)
    free = (len(table) - 1) * (len(table[0]) - 1)
    free_range = exactly(free)
    tests: dict[str, dict[str, Any]] = {
        "Pearson's chi2": {"correction": False},
        "Yates' chi2": {"correction": True},
        "G": {"correction": False, "lambda_": "log-likelihood"},
    }
    if free > 1:
        del tests["Yates' chi2"]
    variants: list[Variant] = []
    for name, how in tests.items():
        value = nearly(max(float(chi2_contingency(table, **how).statistic), 0.0))
        variants += tailed(name, "chi2", value, [free_range], usual=name != "G", df=free_range)
    if free == 1 and chi2 is None:
        p_exact = Fraction(float(fisher_exact(np.array(table)).pvalue))
        near = p_exact * (1 - FISHER_ERROR), p_exact * (1 + FISHER_ERROR)
        variants.append(Variant(name="Fisher's exact test", gives={"p": near, "df": free_range}))
    source = f"the {len(table)} x {len(table[0])} table of {sum(map(sum, table)):,}"
    said = {"chi2": chi2, "p": p, "df": df}
    return judge("chi2_from_counts", said, variants, source, level=level)


FISHER_ERROR = Fraction(1, 10**7)  # relative error that a computed p may have


def rating_win_rate(
    win_rate: Any,
    rating: Any,
    opponents: Sequence[Any],
    *,
    scale: Literal["either", "logit", "elo"] = "either",
) -> Finding:
    """Check a win rate against Bradley-Terry or Elo ratings.

    The expected rate is the mean over the opponents of 1 / (1 + exp(r_j - r_i)) in logits, or of
    1 / (1 + 10^((r_j - r_i) / 400)) on Elo's scale. In a balanced tournament the fitted model repeats each observed
    rate.

    Parameters
    ----------
    win_rate, rating : printed numbers
        Rates are shares, or percentages with ``%``.
    opponents : sequence of printed numbers
        The ratings of all opponents, met equally often.
    scale : {"either", "logit", "elo"}

    Returns
    -------
    Finding
        ``details["variant"]`` names the scale. Minor where only the size differs (unequal games, or ratings updated
        game by game); major where the better one has the lower rate.

    Examples
    --------
    >>> rating_win_rate("0.76", "1200", ["1000"]).details["variant"]
    'Elo 400'
    >>> rating_win_rate("0.24", "1200", ["1000"]).changes
    'the lower rating has the higher win rate'
    """
    number, ratings = printed(win_rate).share(), needed(opponents, "opponents")
    units = {"logit": ("logits", 1.0), "elo": ("Elo 400", math.log(10) / 400)}
    variants = []
    for name, factor in (units[key] for key in units if scale in (key, "either")):
        expected = functools.partial(_expected_rate, factor)
        rates = [span(expected, printed(rating).bounds, other.bounds) for other in ratings]
        variants.append(Variant(name=name, gives={"win rate": mean_of_ranges(rates)}))
    against = ratings[0].text if len(ratings) == 1 else len(ratings)
    source = f"rating {printed(rating).text} against {against}"
    finding = judge("rating_win_rate", {"win rate": number}, variants, source)
    if finding:
        return finding
    (least, most), half = number.bounds, Fraction(1, 2)
    low, high = hull_of_ranges(variant.gives["win rate"] for variant in variants)
    if most < half < low or high < half < least:
        changes = "the lower rating has the higher win rate"
        message = f"{finding.message}; {changes}"
        return replace(finding, severity="major", message=message, changes=changes)
    message = f"{finding.message}; unequal games would explain it"
    return replace(finding, severity="minor", message=message)


def _expected_rate(factor: float, rating: float, opponent: float) -> float:
    return 1 / (1 + math.exp(min(factor * (opponent - rating), 700)))


def shared_denominator(
    percents: Sequence[Any], most: Any, *, scale: int = 100, whole_sample: bool = False
) -> Finding:
    """Check that some n up to a limit can have all of the printed percentages.

    Parameters
    ----------
    percents : sequence of printed numbers
        At least two.
    most : whole number
        The largest n that is possible.
    scale : int
        100 for percentages, 1 for shares.
    whole_sample : bool
        True where the percentages are all parts of the n: their counts must add up to it.

    Returns
    -------
    Finding
        ``details["possible"]`` holds up to 20 n that are.

    Examples
    --------
    >>> shared_denominator(["33.3", "41.7", "25.0"], 20).details["possible"]
    [12]
    >>> shared_denominator(["33.3", "41.7", "26.1"], 40).verdict
    'disagree'
    """
    import numpy as np

    numbers = [printed(x).share(scale) for x in needed(percents, "percents", 2)]
    if any(x.value < 0 or x.value > 1 for x in numbers):
        raise InputError(
            f"percents are not all from 0 to {scale}: set scale=100 for percentages, 1 for shares"
        )
    largest = min(whole(most, "most"), 100_000)
    dtype = object if min(x.unit for x in numbers) < SMALL else int
    n = np.arange(1, largest + 1, dtype=dtype)

    def fitting(*numbers: Printed) -> Any:
        """Return which n have a count for each number; for a whole sample, counts that add up to n."""
        lows, highs = zip(*(x.bounds for x in numbers), strict=True)
        least = [-(-end.numerator * n // end.denominator) for end in lows]
        most = [end.numerator * n // end.denominator for end in highs]
        fine = np.all([a <= b for a, b in zip(least, most, strict=True)], axis=0)
        if whole_sample:
            fine &= (sum(least) <= n) & (n <= sum(most))
        return fine

    fits = [int(x) for x in n[fitting(*numbers)][:20]]
    said = ", ".join(x.text for x in numbers)
    asked = {str(i): number for i, number in enumerate(numbers)}
    finding = possible(
        "shared_denominator",
        said,
        asked,
        lambda *xs: bool(fitting(*xs).any()),
        shares=list(asked),
        yes=f"some n up to {largest:,} has all of {said}",
        no=f"no n up to {largest:,} has all of {said}",
    )
    return replace(finding, details={"possible": fits}, expected="" if fits else "one n")


SMALL = Fraction(1, 10**8)  # finer numbers are compared beyond 64 bits
FEWEST = 6  # different rows that tell whether one column follows from another
CHANCE = 0.01  # expected number of pairs of equal rows from which on a repetition is named


def duplicate_rows(rows: Sequence[Sequence[Any]]) -> Finding:
    """Check that no two rows of a table print the same numbers, unless chance would have it.

    A column counts as chance where a quadratic curve on a column that counts already does not predict it (an s.e.
    follows from its share). Two rows then agree in it once in so many units as its interquartile range holds.

    Parameters
    ----------
    rows : sequence of sequences of printed numbers

    Returns
    -------
    Finding
        A repetition that chance gives less than once in 100 such tables is a minor disagreement.

    Examples
    --------
    >>> rows = [["12.31", "0.412", "88"], ["15.02", "0.377", "91"], ["9.75", "0.391", "12"], ["11.18", "0.468", "54"],
    ...         ["13.90", "0.325", "73"], ["10.44", "0.440", "37"]]
    >>> duplicate_rows(rows).verdict, duplicate_rows([*rows, rows[1]]).verdict
    ('agree', 'disagree')
    """
    import numpy as np

    table = [[printed(x) for x in row] for row in rows]
    if len(table) < 2 or len({len(row) for row in table}) > 1 or not table[0]:
        raise InputError("rows must be two or more of one length")
    keys = [tuple((x.value, x.relation) for x in row) for row in table]
    pairs = [pair for pair in combinations(range(len(keys)), 2) if keys[pair[0]] == keys[pair[1]]]
    values = np.array([[float(value) for value, _ in key] for key in dict.fromkeys(keys)])
    chosen: list[int] = []
    expected = float(math.comb(len(table), 2))
    for j, y in enumerate(values.T if len(values) >= FEWEST else []):
        unit = max(float(min(row[j].unit for row in table)), 1e-12)
        units = float(np.subtract(*np.percentile(y, [75, 25]))) / unit
        if units > 1 and not any(_predicted(values[:, i], y) for i in chosen):
            chosen.append(j)
            expected /= units
    finding = Finding(
        rule="duplicate_rows",
        verdict="agree",
        published=f"{len(table)} rows",
        details={"pairs": pairs},
        message=f"no two of {len(table)} rows print the same numbers",
    )
    if expected > CHANCE:
        message = f"so few numbers that rows may be equal by chance ({len(pairs)} pairs are)"
        return replace(finding, verdict="no_power", message=message)
    if not pairs:
        return finding
    first, second = pairs[0]
    message = f"sources disagree: rows {first + 1} and {second + 1} print the same {len(table[0])} numbers"
    return replace(
        finding,
        verdict="disagree",
        severity="minor",
        expected="rows that differ",
        message=f"{message}; by chance {expected:.1g} such pairs are expected",
    )


def _predicted(x: Any, y: Any) -> bool:
    import numpy as np

    scaled = (x - x.mean()) / x.std()
    left = y - np.polyval(np.polyfit(scaled, y, 2), scaled)
    return bool(left.var() < 0.1 * y.var())
