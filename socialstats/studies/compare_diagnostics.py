"""What was checked of the model of every level in the compare study, one row a check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from socialstats.metrics.bradley_terry import BradleyTerryResult
from socialstats.studies.compare_numbers import Level
from socialstats.studies.outcome import Block, Diagnostic
from socialstats.studies.pair_tables import fit_diagnostics
from socialstats.text import count, listing, number, shorten

MOST_TOLD = 6  # levels with a finding of their own that are written out


def diagnostics(levels: Mapping[str, Level]) -> tuple[Diagnostic, ...]:
    """Return the checks of every level's model: levels with one finding in one breath."""
    each = {name: fit_diagnostics(level.fit, level.design) for name, level in levels.items()}
    checks = range(len(next(iter(each.values()))))
    return tuple(together({name: found[k] for name, found in each.items()}) for k in checks)


def together(each: Mapping[str, Diagnostic]) -> Diagnostic:
    """Join the findings of one check.

    Examples
    --------
    >>> one = Diagnostic(check="Even?", found="Yes.", so_what="Fine.")
    >>> together({"a": one, "b": one}).found
    'All 2 levels: Yes.'
    >>> together({"a": one, "b": replace(one, found="No.")}).found
    'a: Yes. b: No.'
    """
    findings = _grouped({name: d.found for name, d in each.items()})
    more = len(findings) - MOST_TOLD
    told = findings[:MOST_TOLD] + (
        [f"{count(more, 'more finding')} on the pages of single levels."] if more > 0 else []
    )
    first = next(iter(each.values()))
    so_what = _grouped({name: d.so_what for name, d in each.items()}, alone=True)
    return Diagnostic(check=first.check, found=" ".join(told), so_what=" ".join(so_what))


def _grouped(texts: Mapping[str, str], *, alone: bool = False) -> list[str]:
    """Write every text once, after the levels that it is true of; `alone`: bare where it is true of all."""
    by_text: dict[str, list[str]] = {}
    for name, text in texts.items():
        by_text.setdefault(text, []).append(shorten(name, 30))
    if len(by_text) == 1:
        text = next(iter(by_text))
        return [text if alone or len(texts) == 1 else f"All {count(len(texts), 'level')}: {text}"]
    return [f"{listing(names, most=4)}: {text}" for text, names in by_text.items()]


def with_level_effect(blocks: Sequence[Block], fits: Mapping[str, BradleyTerryResult]) -> tuple[Block, ...]:
    """Say in the caption of the first figure how much the clusters weigh, as the median over the levels' strengths."""
    ratios = [fit.fitted_state.design_effects for fit in fits.values()]  # of standard errors
    found = [float(np.median(ratio**2)) for ratio in ratios if ratio is not None]
    first = next((k for k, block in enumerate(blocks) if block.draw is not None), None)
    if not found or first is None:
        return tuple(blocks)
    low, high = number(min(found)), number(max(found))
    said = f"Design effect of the clusters (median over the strengths): {low}" + ("." if low == high else
            f" to {high}, level by level.")  # fmt: skip
    told = replace(blocks[first], caption=f"{blocks[first].caption} {said}".lstrip())
    return (*blocks[:first], told, *blocks[first + 1 :])
