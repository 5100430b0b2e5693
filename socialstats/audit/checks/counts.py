"""Intervals, tests, ratios and shares against counts: two-by-two tables, confusion tables, win rates, repeated rows."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

from socialstats.audit.checks.arithmetic import mean, needed
from socialstats.audit.checks.summaries import outside
from socialstats.audit.checks.variants import Range, Variant, inside, judge, outward, span, tailed
from socialstats.audit.checks.whole_numbers import EXPLAINED, multiples
from socialstats.audit.numbers import Finding, Printed, possible, printed, unchecked, whole
from socialstats.errors import InputError
from socialstats.inference.intervals import critical_value


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
    numbers = {
        name: printed(x).share(scale)
        for name, x in (("low", low), ("high", high), ("share", share))
        if x is not None
    }
    if count is None and share is None:
        raise InputError("give the count or the share that the interval belongs to")
    counts = (
        [whole(count, "count", least=0)]
        if count is not None
        else ([k for k in multiples(*numbers["share"].bounds, Fraction(1, size)) if 0 <= k <= size])
    )
    text = f"{numbers['low'].text} to {numbers['high'].text}"
    if not counts or counts[-1] > size:
        message = (
            f"no count of {size} has a share of {numbers['share'].text} (see grim)"
            if share
            else (f"count={counts[0]} is above n={size}")
        )
        return unchecked("count_ci", message, text)
    held = {"share": printed(Fraction(counts[0], size)), **numbers}
    apart = outside("count_ci", text, held, "share")
    if apart is not None:
        return apart
    first, last = (_intervals(k, size, inside(confidence)) for k in (counts[0], counts[-1]))
    variants = [
        Variant(
            name=name,
            gives={
                "low": outward(first[name][0], last[name][0]),
                "high": outward(first[name][1], last[name][1]),
            },
        )
        for name in first
    ]
    said = f"{counts[0]} of {size}" if len(counts) == 1 else f"{numbers['share'].text} of {size}"
    found = judge("count_ci", {k: x for k, x in numbers.items() if k != "share"}, variants, said)
    if found.verdict != "disagree":
        return found
    return replace(
        found, severity="minor", message=f"{found.message}, and no other interval fits; {EXPLAINED}"
    )


@functools.lru_cache(maxsize=1_000)  # the exact one is searched for, and tables repeat counts
def _intervals(k: int, n: int, confidence: float) -> dict[str, tuple[float, float]]:
    """Return the intervals of k of n, each by its name."""
    from scipy.special import betaincinv
    from scipy.stats import binomtest

    tail, p, m = (1 - confidence) / 2, k / n, max(n - 1, 1)
    z, test = critical_value(confidence), binomtest(k, n)
    more = (k + z * z / 2) / (n + z * z)
    root, less = math.sqrt(p * (1 - p) / n), math.sqrt(p * (1 - p) / m)
    of = {"Wald": (p - z * root, p + z * root)}
    methods: Any = (
        ("Wilson", "wilson"),
        ("Clopper-Pearson", "exact"),
        ("Wilson with continuity correction", "wilsoncc"),
    )
    for name, method in methods:
        ends = test.proportion_ci(confidence, method)
        of[name] = float(ends.low), float(ends.high)
    beta = k + 0.5, n - k + 0.5
    of["Jeffreys"] = (
        float(betaincinv(*beta, tail)) if k else 0.0,
        float(betaincinv(*beta, 1 - tail)) if k < n else 1.0,
    )
    for name, middle, half in (
        ("Agresti-Coull", more, z * math.sqrt(more * (1 - more) / (n + z * z))),
        ("Wald with divisor n - 1", p, z * less),
        ("the t interval", p, critical_value(confidence, m) * less),
    ):
        of[name] = middle - half, middle + half
    return of | {
        f"{name} cut off at 0 and 1": (max(a, 0.0), min(b, 1.0)) for name, (a, b) in of.items()
    }


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
    found = [
        Variant(name=name + words, gives=gives, usual=kind in name and not words)
        for words, order in (
            ("", cells),
            (" of the groups in the other order", cells[2:] + cells[:2]),
        )
        for name, gives in _ratios(tuple(order), inside(confidence)).items()
    ]
    if not any(v.usual for v in found):
        message = f"the {kind} ratio of {', '.join(map(str, cells))} is undefined: it divides by 0"
        return unchecked("ratio_from_counts", message)
    return judge(
        "ratio_from_counts",
        {"ratio": value, "low": low, "high": high},
        found,
        ", ".join(map(str, cells)),
    )


@functools.lru_cache(maxsize=1_000)  # as above
def _ratios(cells: tuple[int, ...], confidence: float) -> dict[str, dict[str, Range]]:
    from scipy.stats.contingency import odds_ratio

    z, (a, b, c, d) = critical_value(confidence), cells
    w, x, y, v = (cell + 0.5 for cell in cells)
    sizes: dict[str, tuple[float, float]] = {}
    if min(cells):
        sizes["the odds ratio with Woolf's interval"] = (
            a * d / (b * c),
            1 / a + 1 / b + 1 / c + 1 / d,
        )
    if a and c:
        sizes["the risk ratio"] = (
            a * (c + d) / (c * (a + b)),
            1 / a - 1 / (a + b) + 1 / c - 1 / (c + d),
        )
    sizes["the odds ratio with 1/2 added"] = w * v / (x * y), 1 / w + 1 / x + 1 / y + 1 / v
    of = {
        name: [
            outward(
                ratio * math.exp(s * z * math.sqrt(variance)),
                ratio * math.exp(s * z * math.sqrt(variance)),
            )
            for s in (0, -1, 1)
        ]
        for name, (ratio, variance) in sizes.items()
    }
    if a + b and c + d and a + c and b + d:
        made = odds_ratio([[a, b], [c, d]], kind="conditional")
        exact = [_solved(made.statistic), *map(_solved, made.confidence_interval(confidence))]
        of["the conditional odds ratio with the exact interval"] = exact
        if b * c:
            of["the odds ratio with the exact interval"] = [
                outward(a * d / (b * c), a * d / (b * c)),
                *exact[1:],
            ]
    return {
        name: dict(zip(("ratio", "low", "high"), ranges, strict=True))
        for name, ranges in of.items()
    }


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

    flat = (
        list(counts[0])
        if len(counts) == 1 and not isinstance(counts[0], Printed | str | int)
        else list(counts)
    )
    nested = flat if flat and isinstance(flat[0], list | tuple) else [flat[:2], flat[2:]]
    table = [[whole(x, "counts", least=0) for x in row] for row in nested]
    if len(table) < 2 or len({len(row) for row in table}) > 1 or len(table[0]) < 2:
        raise InputError("counts must be rows of one length, at least two by two")
    if not all(map(sum, table)) or not all(map(sum, zip(*table, strict=True))):
        return unchecked(
            "chi2_from_counts", "a row or a column of the counts is empty: chi2 is undefined"
        )
    free = Fraction((len(table) - 1) * (len(table[0]) - 1))
    variants: list[Variant] = []
    for name, how in (
        ("Pearson's chi2", {"correction": False}),
        ("Yates' chi2", {"correction": True}),
        ("G", {"correction": False, "lambda_": "log-likelihood"}),
    ):
        if free == 1 or name != "Yates' chi2":
            value = float(chi2_contingency(table, **how).statistic)
            variants += tailed(
                name,
                "chi2",
                outward(value, max(value, 0.0)),
                [(free, free)],
                usual=name != "G",
                df=(free, free),
            )
    if free == 1 and chi2 is None:
        exact = float(fisher_exact(np.array(table)).pvalue)
        near: Range = (Fraction(exact * (1 - 1e-7)), Fraction(exact * (1 + 1e-7)))
        variants.append(Variant(name="Fisher's exact test", gives={"p": near, "df": (free, free)}))
    source = f"the {len(table)} x {len(table[0])} table of {sum(map(sum, table)):,}"
    return judge(
        "chi2_from_counts", {"chi2": chi2, "p": p, "df": df}, variants, source, level=level
    )


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
    number, own, others = (
        printed(win_rate).share(),
        printed(rating).bounds,
        needed(opponents, "opponents"),
    )
    units = {"logit": ("logits", 1.0), "elo": ("Elo 400", math.log(10) / 400)}
    variants = []
    for name, factor in (units[k] for k in units if scale in (k, "either")):
        each = [
            span(
                lambda r, s, factor=factor: 1 / (1 + math.exp(min(factor * (s - r), 700))),
                own,
                o.bounds,
            )
            for o in others
        ]
        low, high = (mean([e[end] for e in each], [Fraction(1)] * len(each)) for end in (0, 1))
        variants.append(Variant(name=name, gives={"win rate": (low, high)}))
    source = f"rating {printed(rating).text} against {others[0].text if len(others) == 1 else len(others)}"
    found = judge("rating_win_rate", {"win rate": number}, variants, source)
    half, turned = Fraction(1, 2), "the lower rating has the higher win rate"
    if found.verdict != "disagree":
        return found
    if any(
        number.bounds[i] * s < half * s
        and all(v.gives["win rate"][1 - i] * s > half * s for v in variants)
        for i, s in ((1, 1), (0, -1))
    ):
        return replace(
            found, severity="major", message=f"{found.message}; {turned}", changes=turned
        )
    return replace(
        found, severity="minor", message=f"{found.message}; unequal games would explain it"
    )


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
    n = np.arange(
        1,
        min(whole(most, "most"), 100_000) + 1,
        dtype=object if min(x.unit for x in numbers) < SMALL else int,
    )

    def ends(x: Printed) -> tuple[Any, Any]:
        low, high = x.bounds
        return -(-low.numerator * n // low.denominator), high.numerator * n // high.denominator

    def fitting(*numbers: Printed) -> Any:
        every = [ends(x) for x in numbers]
        fine = np.all([a <= b for a, b in every], axis=0)
        return (
            fine & (sum(a for a, _ in every) <= n) & (n <= sum(b for _, b in every))
            if whole_sample
            else fine
        )

    fits, said = [int(x) for x in n[fitting(*numbers)][:20]], ", ".join(x.text for x in numbers)
    asked = {str(i): number for i, number in enumerate(numbers)}
    found = possible(
        "shared_denominator",
        said,
        asked,
        lambda *xs: bool(fitting(*xs).any()),
        shares=list(asked),
        yes=f"some n up to {len(n):,} has all of {said}",
        no=f"no n up to {len(n):,} has all of {said}",
    )
    return replace(found, details={"possible": fits}, expected="" if fits else "one n")


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
    kept: list[int] = []
    expected = float(math.comb(len(table), 2))
    for j, y in enumerate(values.T if len(values) >= FEWEST else []):
        units = float(np.subtract(*np.percentile(y, [75, 25]))) / max(
            float(min(row[j].unit for row in table)), 1e-12
        )
        if units > 1 and not any(_predicted(values[:, i], y) for i in kept):
            kept, expected = [*kept, j], expected / units
    base = Finding(
        rule="duplicate_rows",
        verdict="agree",
        published=f"{len(table)} rows",
        details={"pairs": pairs},
        message=f"no two of {len(table)} rows print the same numbers",
    )
    if expected > CHANCE:
        message = f"so few numbers that rows may be equal by chance ({len(pairs)} pairs are)"
        return replace(base, verdict="no_power", message=message)
    if not pairs:
        return base
    message = f"sources disagree: rows {pairs[0][0] + 1} and {pairs[0][1] + 1} print the same {len(table[0])} numbers"
    return replace(
        base,
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
