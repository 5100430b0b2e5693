"""Comparisons of our numbers with those of others."""

from __future__ import annotations

import math
from functools import cache
from importlib import metadata

from socialstats.results import Check
from socialstats.results.verification import PEERS, install_line


@cache
def version(package: str) -> str:
    """Return the installed version of a package, its metadata read once; empty where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def compare(
    quantity: str,
    ours: float | None,
    theirs: float | None,
    *,
    package: str,
    tolerance: float,
    why: str,
    note: str = "",
) -> Check:
    """Make one check; a number that exists on one side only is a disagreement, one that became NaN not compared."""
    if theirs is not None and math.isnan(theirs):
        is_absent = package in PEERS and not version(package)
        theirs = None
        if not note:
            note = install_line(package) if is_absent else f"{package} gave no number"
    if ours is None and theirs is None:
        ok: bool | None = None
    elif ours is None or theirs is None:
        ok = None if note else False
    else:
        ok = bool(abs(ours - theirs) <= tolerance)
    return Check(
        quantity=quantity,
        ours=ours,
        theirs=None if theirs is None else float(theirs),
        package=package,
        version=version(package),
        tolerance=tolerance,
        ok=ok,
        why=why,
        note=note,
    )


def set_aside(
    name: str, ours: float | None, theirs: float | None, package: str, note: str
) -> Check:
    """Record a number of another package that is known to be wrong for these data, or does not exist."""
    return Check(
        quantity=name,
        ours=ours,
        theirs=theirs,
        package=package,
        version=version(package),
        tolerance=0.0,
        ok=None,
        note=note,
    )
