"""The verdict of one claim: its documented definition, contradictions, then other definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from socialstats.claims import contradictions as rules
from socialstats.claims.bench import Bench
from socialstats.claims.definitions import Definition
from socialstats.claims.documented import documented
from socialstats.claims.judge_groups import of_group
from socialstats.claims.judged import Judged, finite, none_of
from socialstats.claims.own import own_estimate
from socialstats.claims.remarks import remark
from socialstats.claims.repeats import POOLED
from socialstats.claims.samples import Reading, Sample
from socialstats.claims.search import search
from socialstats.claims.target import Target, digits_in, target_of
from socialstats.claims.types import Claim
from socialstats.errors import InputError
from socialstats.text import count, shorten, with_article

MOST_DEPARTURES = 2
TELLING_DIGITS = 5  # with fewer, one of some hundred definitions is likely to give a number by chance
WITH_INTERVAL = ("mean", "share")
PLAIN_MEANS = ("mean", "nanmean")


def judge(bench: Bench, claim: Claim, *, full: bool, cluster: str) -> Judged:
    """Return a claim's verdict.

    Parameters
    ----------
    bench : Bench
    claim : Claim
    full : bool
        The number is printed with all its digits.
    cluster : str
        Column of our own interval; empty for independent units.
    """
    base = Judged(claim=claim, verdict="not_computable")
    if claim.quantity == "other":
        return replace(base, reason="a kind of number that is not recomputed here")
    joined = str(claim.settings.get("aggregation") or "mean")
    if joined not in PLAIN_MEANS and claim.quantity != joined:
        what = with_article(rules.QUANTITY_WORDS[claim.quantity])
        return replace(base, reason=f"{what} of scores joined by '{shorten(joined)}', which is not recomputed here")
    nested = rules.scores_with_parts(bench, claim)
    if nested:
        missing = "; the log declares it and does not print it" if not claim.printed.strip() else ""
        return replace(base, verdict="not_reproduced", reason=nested + missing)
    target = target_of(claim.printed, full=full)
    if target is None and claim.printed.strip():
        return replace(base, reason=f"the log prints {claim.printed[:40]!r}, which is no number")
    try:
        found = of_group(bench, claim, target) if claim.parts else of_rows(bench, claim, target)
    except InputError as error:
        return without_rows(bench, base, target, str(error))
    own = None
    if claim.quantity in WITH_INTERVAL:
        own = own_estimate(bench, claim, reading_of(bench, claim), cluster)
    return replace(found, own=own)


def reading_of(bench: Bench, claim: Claim) -> Reading:
    """Return the rows and repeats of our own estimate: the documented ones, but repeats are never independent."""
    reading = documented(claim, bench.log.harness).reading
    return replace(reading, repeats="mean") if reading.repeats == POOLED else reading


def without_rows(bench: Bench, base: Judged, target: Target | None, why: str) -> Judged:
    """Return what can be said when there is nothing to recompute from."""
    said = rules.not_printed(bench, base.claim)
    if target is not None and target.holds(0.0) and only_labels(bench, base.claim):
        return replace(
            base, verdict="explained", value=0.0, definition="all scores are no numbers, and each counted as 0"
        )
    if target is not None:
        said = rules.first_of(rules.DECISIVE, bench, base.claim, target, None)
    if said:
        return replace(base, verdict="inconsistent", reason=said)
    binary = "" if target is None else rules.as_if_binary(bench, base.claim, target)
    return replace(base, reason=f"{why}; {binary}" if binary else why)


def only_labels(bench: Bench, claim: Claim) -> bool:
    """Tell whether every row with a score holds text that is no number."""
    if claim.parts or claim.settings.get("to_float"):
        return False
    try:
        status = set(bench.table.status[bench.table.where(claim.select)])
    except InputError:
        return False
    return "unparsed" in status and "ok" not in status


def of_rows(bench: Bench, claim: Claim, target: Target | None) -> Judged:
    """Judge a claim about its own rows."""
    first = documented(claim, bench.log.harness)
    sample = bench.sample_for(claim, first.reading)
    check_column(bench, first, sample)
    repeats = bench.repeats(claim)
    value = bench.value(claim, first)
    base = Judged(
        claim=claim, verdict="not_reproduced", recomputed=finite(value), value=finite(value), tried=1,
        definition=first.words(repeated=repeats > 1),
    )  # fmt: skip
    if target is None:
        return replace(base, verdict="inconsistent", reason=rules.not_printed(bench, claim))
    size = bench.size(claim, first.reading)
    noise = bench.noise(claim, first, value) if math.isfinite(value) else 0.0
    lost = bench.cancellation(claim, first, value) if math.isfinite(value) else 0.0
    stands = target.holds(value, size=size, noise=noise + lost)
    if not stands:
        said = rules.first_of(rules.DECISIVE, bench, claim, target, sample)
        if said:
            return replace(base, verdict="inconsistent", reason=said)
    tried, fitting = search(bench, claim, first, target, repeats, most=1 if stands else MOST_DEPARTURES)
    base = replace(base, tried=tried + 1)
    if not stands:
        return otherwise(bench, base, first, fitting, target, repeats)
    words = words_of(fitting, repeats)
    drawn = "within the Monte-Carlo error of the harness' own draws" if noise else ""
    reason = f"{drawn}{other_n(claim, sample)}".removeprefix("; ")
    return replace(
        base, verdict="reproduced", matches=words, discriminating=not words if tried else None, reason=reason
    )


def otherwise(
    bench: Bench, base: Judged, first: Definition, fitting: Sequence[Definition], target: Target, repeats: int
) -> Judged:
    """Judge a claim that its documented definition does not give."""
    claim, words = base.claim, words_of(fitting, repeats)
    if words:
        known = (remark(bench, claim, first, fitting[0]), luck(claim, first, fitting[0]))
        return replace(
            base, verdict="explained", definition=words[0], value=bench.value(claim, fitting[0]), matches=words[1:],
            discriminating=len(words) == 1, reason="; ".join(said for said in known if said),
        )  # fmt: skip
    if claim.settings.get("to_float") and "value_to_float" not in str(claim.settings["to_float"]):
        return replace(base, verdict="not_computable", reason="labels became numbers by a function of the task's own")
    sample = bench.sample_for(claim, first.reading)
    said = rules.first_of(rules.LATE, bench, claim, target, sample)
    reason = said or none_of(base.tried) + other_n(claim, sample)
    return replace(base, verdict="inconsistent" if said else "not_reproduced", reason=reason)


def words_of(definitions: Sequence[Definition], repeats: int) -> tuple[str, ...]:
    """Return definitions in words, each once."""
    return tuple(dict.fromkeys(d.words(repeated=repeats > 1) for d in definitions))


def luck(claim: Claim, base: Definition, found: Definition) -> str:
    """Say that a number of few digits may fit one of many definitions by chance."""
    far = found.departures(base) - (found.scale != base.scale)
    if far < MOST_DEPARTURES or digits_in(claim.printed) >= TELLING_DIGITS:
        return ""
    return "it departs twice and the number has few digits: this may be a coincidence"


def other_n(claim: Claim, sample: Sample) -> str:
    """Say that the log's n is not that of the rows."""
    if claim.n is None or claim.n in (sample.n, sample.rows, sample.ok_rows):
        return ""
    return f"; the log says n = {claim.n:,}, the rows hold {count(sample.n, 'unit')} with a score"


def check_column(bench: Bench, definition: Definition, sample: Sample) -> None:
    """Raise InputError where the column that the log names is absent or does not hold whole units."""
    name = definition.column
    if not name or name in sample.columns:
        return
    if name not in bench.table.columns:
        raise InputError(f"the rows have no column '{name}', which the log names for this number")
    raise InputError(f"column '{name}', which the log names for this number, is empty or differs within units")
