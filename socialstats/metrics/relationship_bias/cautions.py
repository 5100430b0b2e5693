"""What to know before quoting a relationship bias."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.errors import Caution, caution
from socialstats.inference.clustered_mean import ClusteredMean
from socialstats.inference.dependence import mean_cautions
from socialstats.metrics.relationship_bias.data import Data
from socialstats.metrics.relationship_bias.options import Options
from socialstats.metrics.relationship_bias.rows import BIAS, FLOORED, MCNEMAR
from socialstats.models.couples import Answers
from socialstats.models.mean_size import NoBias
from socialstats.resampling import Bootstrap
from socialstats.resampling.engine import lost_caution
from socialstats.results import Row
from socialstats.text import count, listing, number, shorten

LINE = 0.05


def all_cautions(
    data: Data, rows: tuple[Row, ...], means: Sequence[ClusteredMean], boot: Bootstrap | None, null: NoBias | str,
    one_order: int, options: Options,
) -> tuple[Caution, ...]:  # fmt: skip
    """Cautions SS201, SS202, SS204 to SS206, SS211, SS301, SS304, SS316 and SS317, those that apply."""
    own = (
        incomplete(one_order, options), plug_in(null), disagreement(rows), lost_resamples(boot),
        design_effect(data, rows), floored(rows),
    )  # fmt: skip
    told = mean_cautions(
        data.design, data.factors, means, what="couples", bounded=True, resampled=options.ci != "closed"
    )
    return (*told, *(c for c in own if c is not None))


def incomplete(one_order: int, options: Options) -> Caution | None:
    """SS301: couples that were answered in one order only."""
    if not one_order:
        return None
    did = "their answers count in S and B, not in McNemar's test" if options.couples == "all" else "they were left out"
    verb = "was" if one_order == 1 else "were"
    return caution("SS301", f"{count(one_order, 'couple')} {verb} answered in one order only; {did}",
                   affects="S and B: answers must be missing at random",
                   fix="ask the missing orders again, or quote the bounds that they leave")  # fmt: skip


def plug_in(null: NoBias | str) -> Caution | None:
    """SS304: B_all is above 0 without any bias."""
    if isinstance(null, str):
        return None
    said = f"without any bias B_all would be {number(null.null_mean, 3)} on average, not 0"
    return caution("SS304", said, affects="B_all", fix="quote B_all corrected, with its interval")


def disagreement(rows: tuple[Row, ...]) -> Caution | None:
    """SS316: McNemar's test, which ignores clusters, and the clustered one disagree."""
    plain = {row.term: row.p_value for row in rows if row.group == MCNEMAR}
    split = [
        row.term
        for row in rows
        if row.group == BIAS and row.p_value is not None and plain.get(row.term) is not None
        and (row.p_value < LINE) != ((plain[row.term] or 0.0) < LINE)
    ]  # fmt: skip
    if not split:
        return None
    return caution("SS316", "the clustered test and McNemar's, which takes couples as independent, lie on different "
                   f"sides of .05 for {listing([shorten(s) for s in split])}",
                   affects="McNemar's test", fix="quote the clustered test")  # fmt: skip


def lost_resamples(boot: Bootstrap | None) -> Caution | None:
    """SS204: resamples without answers of some kind of couple."""
    fix = "collect more answers about couples of every kind"
    return (
        None if boot is None else lost_caution(int(boot.n_degenerate.max()), boot.resamples, "bootstrap intervals", fix)
    )


def floored(rows: tuple[Row, ...]) -> Caution | None:
    """SS206: two-way variances that were smaller than that of one factor."""
    listed = [f"{shorten(row.term)} ({shorten(row.group or '')})" for row in rows if FLOORED in (row.method or "")]
    if not listed:
        return None
    return caution("SS206", "the errors of scenarios and of names together, less what both count, came out below those "
                   f"of one alone in {count(len(listed), 'row')}, and the larger of both took their place: "
                   f"{listing(listed, 3)}",
                   affects="those intervals and tests, which are cautious",
                   fix="nothing: they are a little long at worst")  # fmt: skip


def design_effect(data: Data, rows: tuple[Row, ...]) -> Caution | None:
    """SS205: how much clustering changes the standard errors of B."""
    if not data.factors:
        return None
    ratios = []
    for row, pair in zip((r for r in rows if r.group == BIAS), data.pairs, strict=True):
        plain = independent_error(data.answers, pair)
        if row.std_error is not None and plain:
            ratios.append(row.std_error / plain)
    if not ratios:
        return None
    low, high = number(min(ratios)), number(max(ratios))
    spread = low if low == high else f"{low} to {high}"
    return caution("SS205", f"standard errors of B are {spread} times those of independent answers")


def independent_error(answers: Answers, pair: tuple[int, int]) -> float:
    """Standard error of B when all answers are independent: sqrt of the sum of (1 - S^2)/n over both orders."""
    total = 0.0
    for first, second in (pair, pair[::-1]):
        mine = answers.take((answers.first == first) & (answers.second == second))
        if not mine.n:
            return 0.0
        mean = float(mine.count @ mine.score) / mine.n
        total += (1 - mean**2) / mine.n
    return float(total**0.5)
