"""GRIM, GRIMMER and DEBIT against R's scrutiny: the same verdicts, or a difference that brute force decides."""

from __future__ import annotations

import csv
import math
from fractions import Fraction
from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.numbers import printed

GOLDEN = Path(__file__).parents[1] / "golden"
ROUNDING = {
    "up_or_down": "half",
    "ceiling_or_floor": "any",
    "ceiling": "ceil",
    "floor": "floor",
    "trunc": "truncate",
}


def table(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((GOLDEN / name).read_text(encoding="utf-8").splitlines()))


def consistent(row: dict[str, str]) -> bool:
    """Our verdict."""
    mean = row["mean"] + "%" * (row["percent"] == "1")
    if row["check"] == "grim":
        return bool(
            ss.audit.grim(mean, row["n"], items=row["items"], rounding=ROUNDING[row["rounding"]])
        )
    if row["check"] == "debit":
        return bool(ss.audit.debit(mean, row["sd"], row["n"], ddof=1))
    return bool(ss.audit.grimmer(mean, row["sd"], row["n"], items=row["items"], ddof=1))


def attainable(row: dict[str, str]) -> bool:
    """Whether n whole numbers (0 and 1 for DEBIT) have mean and sd: every total, sums of squares of real samples."""
    n, mean, sd = int(row["n"]), printed(row["mean"]), printed(row["sd"])
    for total in range(math.ceil(mean.bounds[0] * n), math.floor(mean.bounds[1] * n) + 1):
        below, more = divmod(total, n)
        least = (n - more) * below**2 + more * (below + 1) ** 2  # values as equal as they can be
        pairs = (
            (n - more) // 2
        ) + more // 2  # equal values that can be moved apart by one each: two more a pair
        for squares in range(least, least + (1 if row["check"] == "debit" else 2 * pairs + 1), 2):
            variance = (squares - Fraction(total**2, n)) / (n - 1)
            if sd.bounds[0] ** 2 <= variance <= sd.bounds[1] ** 2:
                return True
    return False


@pytest.mark.slow
def test_scrutiny_has_the_same_verdicts_or_brute_force_decides() -> None:
    known = {
        tuple(row[k] for k in ("check", "mean", "sd", "n")): row
        for row in table("scrutiny_differences.csv")
    }
    rows = table("scrutiny.csv")
    assert len(rows) > 1500
    assert all(row["right"] == "ours" and row["why"] for row in known.values())
    for row in rows:
        ours = consistent(row)
        if ours == (row["consistent"] == "1"):
            continue
        difference = known.pop((row["check"], row["mean"], row["sd"], row["n"]))
        assert difference["scrutiny"] == row["consistent"]
        assert difference["ours"] == str(int(ours))
        assert ours == attainable(row), row
    assert not known
