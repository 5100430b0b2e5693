"""The verdict of each claim of a log: documented definition, contradictions, other definitions; cautions of the log."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from socialstats.audit.claims import contradictions as rules
from socialstats.audit.claims.bench import (
    Bench,
    digits_in,
    may_be_printed,
    target_of,
    weighs_by_size,
)
from socialstats.audit.claims.definitions import (
    DEPARTURES,
    FORMULAS,
    PERCENT,
    NumberDefinition,
    documented,
    harness_name,
    is_redundant,
    others,
    repeats_of,
    rows_of,
    usable_columns,
)
from socialstats.audit.claims.formulas import (
    GROUP_DEVIATIONS,
    GROUP_ERRORS,
    GROUP_MEANS,
    GroupFormula,
    Parts,
)
from socialstats.audit.claims.judged import Checked, Judged, finite, none_of
from socialstats.audit.claims.own_estimates import cluster_column, own_estimate
from socialstats.audit.claims.samples import (
    KEPT,
    OK,
    POOLED,
    UNPARSED,
    ZERO,
    Reading,
    RowTable,
    Sample,
)
from socialstats.audit.numbers import Printed
from socialstats.errors import Caution, InputError, caution
from socialstats.harness_logs.log import Claim, Log, version_of
from socialstats.inference.dependence import FEW_CLUSTERS
from socialstats.text import count, listing, quoted, shorten, with_article

if TYPE_CHECKING:
    import pandas as pd


FIXED = (0, 4, 13)
"""lm-eval: the standard error of an unweighted group follows its mean (pull request 3882)."""


def group_remark(bench: Bench, claim: Claim, key: str) -> str:
    """State what is known about a formula of a group that lm-eval took; nothing where it never did."""
    version = version_of(bench.log.version)
    if harness_name(bench.log.harness) != "lm-eval" or claim.quantity != "std_error":
        return ""
    if key in ("combined", "without_n"):
        return "an early formula of lm-eval (its pull requests 1390 and 1427), not a standard error of this mean"
    if key != "pooled_within":
        return ""
    history = "lm-eval took it for every group before 0.4.13, although this group's mean does not weigh by size"
    if not version:
        return f"{history}; the log does not say its version"
    return history if version < FIXED else f"{history}; version {bench.log.version} should not"


def accepted_departures(log: Log, *, of_log: bool) -> frozenset[str]:
    """Return what a number may rest on beside its documented definition (see `DEPARTURES`)."""
    name = harness_name(log.harness)
    if not of_log or not name:
        return DEPARTURES[""]
    version = version_of(log.version)
    of_versions = {
        "inspect": () if version else (KEPT, OK, "pass_at", "pass_at_equal", "pass_at_short"),
        "lm-eval": () if version >= FIXED else ("pooled_within", "combined", "without_n"),
    }
    return DEPARTURES.get(name, frozenset()) | {*of_versions.get(name, ())}


def remark(claim: Claim, base: NumberDefinition, fitting: NumberDefinition) -> str:
    """State what is known about a definition that departs from the documented one."""
    if base.formula.startswith("clustered") and not fitting.column:
        table = " (Inspect's table of runs carries the unclustered standard error of the headline metric)"
        return f"the clusters {quoted([base.column])} were ignored{table if 'headline' in claim.name else ''}"
    pooled = base.reading.repeats != fitting.reading.repeats == POOLED
    return "repeats of a unit are not independent of each other" if pooled else ""


DIGITS = 13  # digits of values that count as equal


class Twins:
    """Readings and columns that were met, so that none is counted twice under another name."""

    def __init__(self) -> None:
        self.met: dict[bytes, object] = {}

    def add(self, definition: NumberDefinition, sample: Sample) -> bool:
        """Return whether no earlier reading has the same values, and no earlier column the same groups."""
        import pandas as pd

        values = b"values" + np.round(sample.value, DIGITS).tobytes()
        if self.met.setdefault(values, definition.reading) != definition.reading:
            return False
        if definition.column not in sample.columns:
            return True
        # groups by their order of appearance: their codes do not matter
        codes = pd.factorize(sample.columns[definition.column])[0]
        groups = b"groups" + codes.tobytes()
        return self.met.setdefault(groups, definition.column) == definition.column


def search(
    bench: Bench,
    claim: Claim,
    base: NumberDefinition,
    target: Printed,
    repeats: int,
    accepted: frozenset[str],
    *,
    most: int,
) -> tuple[int, list[NumberDefinition]]:
    """Try definitions other than the documented one.

    Parameters
    ----------
    bench, claim, base, target
        The log, the claim, its documented definition, and what its print can stand for.
    repeats : int
        Most repeats of one unit.
    accepted : frozenset of str
        Departures that explain a number: these are tried first.
    most : int
        Choices in which a definition may differ from `base`.

    Returns
    -------
    tried : int
        Definitions that have a value and differ in what they look at or compute.
    fitting : list of Definition
        Those that give the printed number: those of known departures first, then the simplest.
    """
    tried, fitting = 0, []
    sample_of_base = bench.sample(claim.select, base.reading)
    all_scored = sample_of_base.rows == sample_of_base.ok_rows
    twins = Twins()
    twins.add(base, sample_of_base)
    candidates = others(claim, base, bench.table, repeats, most=most)
    for candidate in sorted(candidates, key=lambda d: not d.is_accepted(base, accepted)):
        if candidate.entry.random and not base.entry.random:
            continue
        if all_scored and candidate.reading.rows in (ZERO, UNPARSED):
            continue
        try:
            sample = bench.sample(claim.select, candidate.reading)
            if is_redundant(candidate, sample) or not twins.add(candidate, sample):
                continue
            value = bench.value(claim, candidate)
        except InputError:
            continue
        if not math.isfinite(value) or (value == 0 and candidate.scale != 1):
            continue
        tried += 1
        size = bench.size(claim, candidate.reading) * candidate.scale
        if may_be_printed(target, value, size=size, noise=bench.noise(claim, candidate, value)):
            fitting.append(candidate)
    return tried, fitting


GROUPS: dict[str, dict[str, GroupFormula]] = {
    "mean": GROUP_MEANS,
    "share": GROUP_MEANS,
    "std_error": GROUP_ERRORS,
    "std_dev": GROUP_DEVIATIONS,
}


def of_group(
    bench: Bench, claim: Claim, target: Printed | None, accepted: frozenset[str]
) -> Judged:
    """Judge a claim about several parts together.

    Raises
    ------
    InputError
        For quantities that are not recomputed of parts, and parts without rows and printed numbers.
    """
    formulas = GROUPS.get(claim.quantity)
    if formulas is None:
        what = with_article(rules.QUANTITY_WORDS[claim.quantity])
        raise InputError(f"{what} of several parts together is not recomputed here")
    reading = Reading(rows=rows_of(claim.settings), repeats=repeats_of(claim.settings))
    parts = bench.parts(claim, reading)
    values = {key: formula.compute(parts) for key, formula in formulas.items()}
    source = "" if len(parts.value) else "; from the numbers printed for the parts"
    words = {key: formula.words + source for key, formula in formulas.items()}
    first = group_key(bench, claim, parts)
    defined = [key for key, value in values.items() if finite(value) is not None]
    base = Judged(
        claim=claim,
        verdict="not_reproduced",
        recomputed=finite(values[first]),
        value=finite(values[first]),
        definition=words[first],
        tried=len(defined),
    )
    if target is None:
        return replace(base, verdict="inconsistent", reason=rules.not_printed(claim))
    sample = Sample(value=parts.value) if len(parts.value) else None
    contradiction = rules.first_of(rules.DECISIVE, bench, claim, target, sample)
    size = float(abs(parts.value).max(initial=1.0))
    fitting = [key for key in defined if may_be_printed(target, values[key], size=size)]
    if contradiction and (first not in fitting or sample is None):
        return replace(base, verdict="inconsistent", reason=contradiction)
    if first in fitting:
        matches = tuple(words[key] for key in fitting if key != first)
        return replace(base, verdict="reproduced", matches=matches, discriminating=not matches)
    explaining = [key for key in fitting if key in accepted]
    if explaining:
        reason = group_remark(bench, claim, explaining[0])
        return base.explained([words[key] for key in explaining], values[explaining[0]], reason)
    percents = {key: PERCENT * values[key] for key in defined}
    percents = {
        key: value
        for key, value in percents.items()
        if may_be_printed(target, value, size=PERCENT * size)
    }
    in_percent = [f"{words[key]}; in percent" for key in percents]
    if in_percent and "percent" in accepted:
        return base.explained(in_percent, next(iter(percents.values())))
    if base.recomputed is None:
        why = "the rows are not here, and the sizes are not printed"
        return replace(base, verdict="not_computable", reason=why)
    reason = none_of(len(defined), [*(words[key] for key in fitting), *in_percent])
    history = group_remark(bench, claim, fitting[0]) if fitting else ""
    return replace(base, reason=f"{reason} ({history})" if history else reason)


def group_key(bench: Bench, claim: Claim, parts: Parts) -> str:
    """Return the documented formula of a group."""
    harness = harness_name(bench.log.harness)
    by_size = weighs_by_size(bench, claim, parts)
    if claim.quantity == "std_error":
        if claim.settings.get("over_parts") == "mean":
            return "mean"
        return ("pooled_within" if harness == "lm-eval" else "by_size") if by_size else "equal"
    return "of_means" if claim.quantity == "std_dev" else ("by_size" if by_size else "equal")


MOST_DEPARTURES = 2
TELLING_DIGITS = (
    5  # with fewer, one of some hundred definitions is likely to give a number by chance
)
WITH_INTERVAL = ("mean", "share")
PLAIN_MEANS = ("mean", "nanmean")


def judge(
    bench: Bench, claim: Claim, accepted: frozenset[str], *, full: bool, cluster: str
) -> Judged:
    """Return a claim's verdict.

    Parameters
    ----------
    bench : Bench
    claim : Claim
    accepted : frozenset of str
        Departures from the documented definition that explain a number (`accepted_departures`).
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
        return replace(
            base,
            reason=f"{what} of scores joined by '{shorten(joined)}', which is not recomputed here",
        )
    nested = rules.scores_with_parts(bench, claim)
    if nested:
        missing = "; the log declares it and does not print it" if not claim.printed.strip() else ""
        return replace(base, verdict="not_reproduced", reason=nested + missing)
    target = target_of(claim.printed, full=full)
    if target is None and claim.printed.strip():
        return replace(base, reason=f"the log prints {claim.printed[:40]!r}, which is not a number")
    try:
        judged = (of_group if claim.parts else of_rows)(bench, claim, target, accepted)
    except InputError as error:
        return without_rows(bench, base, target, str(error))
    if claim.quantity not in WITH_INTERVAL:
        return judged
    return replace(judged, own=own_estimate(bench, claim, reading_of(bench, claim), cluster))


def reading_of(bench: Bench, claim: Claim) -> Reading:
    """Return the rows and repeats of our own estimate: the documented ones, but repeats are never independent."""
    reading = documented(claim, bench.log.harness).reading
    rows = OK if reading.rows == KEPT else reading.rows
    return Reading(rows=rows, repeats="mean" if reading.repeats == POOLED else reading.repeats)


def without_rows(bench: Bench, base: Judged, target: Printed | None, why: str) -> Judged:
    """Return what can be said when there is nothing to recompute from."""
    if target is None:
        absent = rules.not_printed(base.claim)
        return replace(
            base, verdict="inconsistent" if absent else base.verdict, reason=absent or why
        )
    if may_be_printed(target, 0.0) and only_labels(bench, base.claim):
        words = "all scores are no numbers, and each counted as 0"
        return replace(base, verdict="explained", value=0.0, definition=words)
    contradiction = rules.first_of(rules.DECISIVE, bench, base.claim, target, None)
    if contradiction:
        return replace(base, verdict="inconsistent", reason=contradiction)
    binary = rules.as_if_binary(bench, base.claim, target)
    return replace(base, reason=f"{why}; {binary}" if binary else why)


def only_labels(bench: Bench, claim: Claim) -> bool:
    """Return whether every row with a score holds text that is no number."""
    if claim.parts or claim.settings.get("to_float"):
        return False
    try:
        status = set(bench.table.status[bench.table.where(claim.select)])
    except InputError:
        return False
    return "unparsed" in status and "ok" not in status


def of_rows(bench: Bench, claim: Claim, target: Printed | None, accepted: frozenset[str]) -> Judged:
    """Judge a claim about its own rows."""
    first = documented_here(bench, claim)
    sample = bench.sample_for(claim, first.reading)
    check_column(bench, first, sample)
    repeats = bench.repeats(claim)
    value = bench.value(claim, first)
    base = Judged(
        claim=claim,
        verdict="not_reproduced",
        recomputed=finite(value),
        value=finite(value),
        tried=1,
        definition=first.words(repeated=repeats > 1),
    )
    if target is None:
        return replace(base, verdict="inconsistent", reason=rules.not_printed(claim))
    size = bench.size(claim, first.reading)
    undefined = str(claim.settings.get("undefined"))
    instead = {"0": 0.0, "mean": float(sample.value.mean())}.get(undefined)
    if base.recomputed is None and may_be_printed(target, instead, size=size):
        base = replace(base, recomputed=instead, value=instead)
        return replace(base, verdict="reproduced", reason=UNDEFINED)
    noise = bench.noise(claim, first, value) if math.isfinite(value) else 0.0
    lost = bench.cancellation(claim, first, value) if math.isfinite(value) else 0.0
    stands = may_be_printed(target, value, size=size, noise=noise + lost)
    most = 1 if stands else MOST_DEPARTURES
    tried, fitting = search(bench, claim, first, target, repeats, accepted, most=most)
    base = replace(base, tried=tried + 1)
    if not stands:
        return otherwise(bench, base, first, fitting, target, accepted)
    words = definitions_in_words(fitting, repeats)
    drawn = "within the Monte-Carlo error of the harness' own draws" if noise else ""
    reason = f"{drawn}{other_n(claim, sample)}".removeprefix("; ")
    return replace(
        base,
        verdict="reproduced",
        matches=words,
        discriminating=not words if tried else None,
        reason=reason,
    )


def documented_here(bench: Bench, claim: Claim) -> NumberDefinition:
    """Return the documented definition of a claim; what it does with unscored repeats only where there are any."""
    first = documented(claim, bench.log.harness)
    if first.reading.rows == KEPT and "unscored" not in bench.table.status:
        return replace(first, reading=replace(first.reading, rows=OK))
    return first


UNDEFINED = "a single score or cluster has no standard error: Inspect prints 0 in its place, and the mean as both ends"


def otherwise(
    bench: Bench,
    base: Judged,
    first: NumberDefinition,
    fitting: Sequence[NumberDefinition],
    target: Printed,
    accepted: frozenset[str],
) -> Judged:
    """Judge a claim that its documented definition does not give; what nobody documents is a hint, no explanation."""
    claim, sample = base.claim, bench.sample_for(base.claim, first.reading)
    repeats = bench.repeats(claim)
    explaining = [d for d in fitting if d.is_accepted(first, accepted)]
    explaining = [d for d in explaining if not d.has_threshold or fits_all(bench, claim, d)]
    contradiction = rules.first_of(rules.DECISIVE, bench, claim, target, sample)
    if contradiction and not any(d.has_threshold for d in explaining):
        return replace(base, verdict="inconsistent", reason=contradiction)
    if explaining:
        leading = explaining[0]
        remarks = remark(claim, first, leading), luck(claim, first, leading)
        words = definitions_in_words(explaining, repeats)
        return base.explained(words, bench.value(claim, leading), "; ".join(filter(None, remarks)))
    if claim.settings.get("to_float") and "value_to_float" not in str(claim.settings["to_float"]):
        why = "labels became numbers by a function of the task's own"
        return replace(base, verdict="not_computable", reason=why)
    hints = none_of(base.tried, definitions_in_words(fitting, repeats))
    contradiction = rules.first_of(rules.LATE, bench, claim, target, sample)
    if not contradiction:
        return replace(base, reason=hints + other_n(claim, sample))
    reason = f"{contradiction}; {hints}" if fitting else contradiction
    return replace(base, verdict="inconsistent", reason=reason)


def fits_all(bench: Bench, claim: Claim, definition: NumberDefinition) -> bool:
    """Return whether a threshold that the log does not record gives the other numbers too, and 1 does not."""
    with_threshold: list[bool] = []
    usual: list[bool] = []
    for sibling in bench.siblings(claim):
        target = target_of(sibling.printed, full=True)
        alike = sibling.settings.get("reducer") == claim.settings.get("reducer")
        if target is None or not alike or sibling.quantity not in {*FORMULAS} - {"count"}:
            continue
        first = documented(sibling, bench.log.harness)
        changed = replace(first, reading=definition.reading)
        for fits, tried in ((usual, first), (with_threshold, changed)):
            value = bench.value(sibling, tried)
            noise = bench.noise(sibling, tried, value)
            fits.append(may_be_printed(target, value, noise=noise))
    return all(with_threshold) and not all(usual)


def definitions_in_words(definitions: Sequence[NumberDefinition], repeats: int) -> tuple[str, ...]:
    """Return definitions in words, each once."""
    return tuple(dict.fromkeys(d.words(repeated=repeats > 1) for d in definitions))


def luck(claim: Claim, base: NumberDefinition, fitting: NumberDefinition) -> str:
    """State that a number of few digits may fit one of many definitions by chance."""
    far = fitting.departures(base) - (fitting.scale != base.scale)
    if far < MOST_DEPARTURES or digits_in(claim.printed) >= TELLING_DIGITS:
        return ""
    return "it departs twice and the number has few digits: this may be a coincidence"


def other_n(claim: Claim, sample: Sample) -> str:
    """State that the log's n is not that of the rows."""
    if claim.n is None or claim.n in (sample.n, sample.rows, sample.ok_rows):
        return ""
    return f"; the log says n = {claim.n:,}, the rows hold {count(sample.n, 'unit')} with a score"


def check_column(bench: Bench, definition: NumberDefinition, sample: Sample) -> None:
    """Raise InputError where the column that the log names is absent or does not hold whole units."""
    name = definition.column
    if not name or name in sample.columns:
        return
    if name not in bench.table.columns:
        raise InputError(f"the rows have no column '{name}', which the log names for this number")
    raise InputError(
        f"column '{name}', which the log names for this number, is empty or differs within units"
    )


def traps(bench: Bench, cluster: str) -> tuple[Caution, ...]:
    """Return the cautions of a log.

    SS301 where rows have no score, and the reader of the log has not said so. SS201 where the log prints standard
    errors that ignore the clusters we see; SS202 where our own intervals rest on few clusters.
    """
    cautions = []
    status = bench.table.status
    without = Counter(str(s) for s in status.tolist() if s != "ok")
    if without and not any("status" in note for note in bench.log.notes):
        kinds = listing([f"{n:,} {name}" for name, n in without.items()])
        detail = f"{count(without.total(), 'row')} of {len(status):,} without a score ({kinds})"
        cautions.append(
            caution(
                "SS301",
                detail,
                affects="means, where rows without a score differ from the others",
                fix="read each number with the count of rows behind it",
            )
        )
    plain = [c for c in bench.claims if c.quantity == "std_error" and not c.settings.get("cluster")]
    levels = len(bench.table.column(cluster)[1]) if cluster else FEW_CLUSTERS
    if cluster and plain:
        cautions.append(
            caution(
                "SS201",
                f"{count(len(plain), 'standard error')} take units as independent; column {quoted([cluster])} has "
                f"{levels:,} values",
                affects="standard errors and intervals of the log",
                fix="our intervals use the clusters; say another column, or 'none', where they are not what depends",
            )
        )
    if levels < FEW_CLUSTERS:
        cautions.append(
            caution(
                "SS202",
                f"{levels} levels of {quoted([cluster])}",
                fix="more clusters",
                affects="our intervals, which are approximate",
            )
        )
    return tuple(cautions)


Precision = Literal["auto", "full", "printed"]
ROUNDING = (
    "eq-bench",
    "eqbench",
    "eqbench3",
    "eq-bench3",
    "politicsbench",
    "roleconflictbench",
    "promptfoo-csv",
)
"""Harnesses whose files hold rounded numbers; the others write all digits of a float."""
MANY_DIGITS = 12


def check(
    log: Log | pd.DataFrame,
    claims: Sequence[Claim] | None = None,
    *,
    cluster: str | None = None,
    precision: Precision = "auto",
    only_claims: bool = False,
) -> Checked:
    """Recompute every claimed number from the rows, and say which stand.

    A number is *reproduced* when the definition that the log documents gives it. *explained* when another definition
    does (repeats averaged or not, another divisor, other clusters, other rows, percent, ...; every one that fits is
    named). *inconsistent* when it cannot be, whatever the rows; *not_reproduced* when nothing gives it.

    Parameters
    ----------
    log : Log or DataFrame
        A log as a reader returns it; or its rows: a column ``value``, and ``unit``, ``epoch``, ``scorer``, ``status``,
        ... where there are any (`socialstats.claims.KEYS`). Further columns are metadata.
    claims : sequence of Claim, optional
        Numbers beyond those of the log.
    cluster : str, optional
        Column whose levels are the independent units of our own intervals; ``"none"`` for units. Default: the clusters
        that the log's claims name, or a column with the name of a cluster (scenario, group, story, ...).
    precision : {"auto", "full", "printed"}
        ``printed``: a number stands for everything that rounds to it. ``full``: it has all digits of a float, and only
        the number itself counts, to 1e-12. ``auto``: full for a harness' own numbers unless it is known to round,
        printed for `claims` with fewer than 12 digits.
    only_claims : bool
        Leave out the log's own numbers.

    Returns
    -------
    Checked

    Raises
    ------
    InputError
        For an unknown option or cluster, and rows without a column ``value``.

    References
    ----------
    Brown, N. J. L., & Heathers, J. A. J. (2017). The GRIM test. doi:10.1177/1948550616673876

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats.claims import Claim, check
    >>> rows = pd.DataFrame({"unit": ["a", "a", "b", "b"], "value": [1, 1, 0, 1]})
    >>> checked = check(rows, [Claim(name="accuracy", quantity="mean", printed="0.75")])
    >>> checked.judged[0].verdict, checked.ok
    ('reproduced', True)
    """
    if precision not in get_args(Precision):
        raise InputError(f"precision={precision!r} is none of {', '.join(get_args(Precision))}")
    if not isinstance(log, Log):
        log = Log(harness="", files=(), rows=log)
    source = ", ".join(log.files) or "the rows"
    table = RowTable.of(log.rows, source)
    further = tuple(claims or ())
    every = (*log.claims, *further)
    column = cluster_column(table, every, cluster)
    bench = Bench(
        log=log,
        table=table,
        claims=every,
        columns=usable_columns(table, every, column),
        weight_column=next((name for name in table.columns if "weight" in name.lower()), ""),
    )

    def verdict(claim: Claim, *, of_log: bool) -> Judged:
        accepted = accepted_departures(log, of_log=of_log)
        full = is_full(claim, precision, harness=log.harness if of_log else None)
        return judge(bench, claim, accepted, full=full, cluster=column)

    judged = [] if only_claims else [verdict(claim, of_log=True) for claim in log.claims]
    judged += [verdict(claim, of_log=False) for claim in further]
    return Checked(
        source=source,
        harness=log.harness,
        version=log.version or "",
        judged=tuple(judged),
        rows=dict(Counter(table.status.tolist())),
        notes=log.notes,
        cautions=traps(bench, column),
    )


def is_full(claim: Claim, precision: Precision, *, harness: str | None = None) -> bool:
    """Return whether a number is printed with all its digits (harness None: it is not the log's own)."""
    if precision != "auto":
        return precision == "full"
    if "decimals" in claim.settings:
        return False
    if digits_in(claim.printed) >= MANY_DIGITS:
        return True
    return harness is not None and harness.lower() not in ROUNDING
