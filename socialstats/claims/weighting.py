"""Whether the parts of a group are weighted by their sizes."""

from __future__ import annotations

from socialstats.claims.bench import Bench
from socialstats.claims.documented import harness_name
from socialstats.claims.groups import Parts, mean_by_size, mean_equal
from socialstats.claims.target import target_of
from socialstats.claims.types import Claim

SHORT = 8  # characters: a longer printed mean is not a rounded one


def weighs_by_size(bench: Bench, claim: Claim, parts: Parts) -> bool:
    """Tell whether the parts of a group are weighted by size; where the log does not say, its printed mean does.

    Where that fits both, or neither, the harness' default counts: lm-eval weights by size.
    """
    default = harness_name(bench.log.harness) == "lm-eval"
    if "by_size" in claim.settings:
        return bool(claim.settings["by_size"])
    means = (
        [claim] if claim.quantity in ("mean", "share") else [c for c in bench.siblings(claim) if c.quantity == "mean"]
    )
    for other in means:
        target = target_of(other.printed, full=len(other.printed) > SHORT)
        fits = [target is not None and target.holds(f(parts)) for f in (mean_by_size, mean_equal)]
        if any(fits):
            return default if all(fits) else fits[0]
    return default
