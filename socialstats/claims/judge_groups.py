"""The verdict of a claim about several parts together: from their rows, or from the numbers printed about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from socialstats.claims import contradictions as rules
from socialstats.claims.bench import Bench
from socialstats.claims.documented import harness_name, repeats_of, rows_of
from socialstats.claims.groups import GROUP_DEVIATIONS, GROUP_ERRORS, GROUP_MEANS, GroupFormula, Parts
from socialstats.claims.judged import Judged, finite, none_of
from socialstats.claims.remarks import group_remark
from socialstats.claims.samples import Reading, Sample
from socialstats.claims.target import Target
from socialstats.claims.types import Claim
from socialstats.claims.weighting import weighs_by_size
from socialstats.errors import InputError
from socialstats.text import with_article

GROUPS: dict[str, dict[str, GroupFormula]] = {
    "mean": GROUP_MEANS, "share": GROUP_MEANS, "std_error": GROUP_ERRORS, "std_dev": GROUP_DEVIATIONS,
}  # fmt: skip
PERCENT = 100.0


def of_group(bench: Bench, claim: Claim, target: Target | None) -> Judged:
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
    parts = bench.parts(claim, Reading(rows=rows_of(claim.settings), repeats=repeats_of(claim.settings)))
    values = {key: formula.compute(parts) for key, formula in formulas.items()}
    first = group_key(bench, claim, parts)
    known = [key for key, value in values.items() if finite(value) is not None]
    base = Judged(
        claim=claim, verdict="not_reproduced", recomputed=finite(values[first]), value=finite(values[first]),
        definition=words_of([first], formulas, parts)[0], tried=len(known),
    )  # fmt: skip
    if target is None:
        return replace(base, verdict="inconsistent", reason=rules.not_printed(bench, claim))
    said = rules.first_of(rules.DECISIVE, bench, claim, target, Sample(value=parts.value) if len(parts.value) else None)
    size = float(abs(parts.value).max(initial=1.0))
    fitting = [key for key in known if target.holds(values[key], size=size)]
    if said and (first not in fitting or not len(parts.value)):
        return replace(base, verdict="inconsistent", reason=said)
    if first in fitting:
        matches = words_of([key for key in fitting if key != first], formulas, parts)
        return replace(base, verdict="reproduced", matches=matches, discriminating=not matches)
    if fitting:
        reason = group_remark(bench, claim, fitting[0])
        return explained(base, words_of(fitting, formulas, parts), values[fitting[0]], reason)
    percent = [key for key in known if target.holds(PERCENT * values[key], size=PERCENT * size)]
    if percent:
        words = [f"{said}; in percent" for said in words_of(percent, formulas, parts)]
        return explained(base, words, PERCENT * values[percent[0]], "")
    if base.recomputed is None:
        return replace(base, verdict="not_computable", reason="the rows are not here, and the sizes are not printed")
    return replace(base, reason=none_of(len(known)))


def explained(base: Judged, words: Sequence[str], value: float, reason: str) -> Judged:
    """Return a claim that other definitions give, the first of them leading."""
    return replace(
        base, verdict="explained", definition=words[0], value=value, matches=tuple(words[1:]),
        discriminating=len(words) == 1, reason=reason,
    )  # fmt: skip


def words_of(keys: Sequence[str], formulas: dict[str, GroupFormula], parts: Parts) -> tuple[str, ...]:
    """Return definitions in words, with what they were computed from."""
    source = "" if len(parts.value) else "; from the numbers printed for the parts"
    return tuple(formulas[key].words + source for key in keys)


def group_key(bench: Bench, claim: Claim, parts: Parts) -> str:
    """Return the documented formula of a group."""
    harness = harness_name(bench.log.harness)
    by_size = weighs_by_size(bench, claim, parts)
    if claim.quantity == "std_error":
        if claim.settings.get("over_parts") == "mean":
            return "mean"
        return ("pooled" if harness == "lm-eval" else "by_size") if by_size else "equal"
    return "of_means" if claim.quantity == "std_dev" else ("by_size" if by_size else "equal")
