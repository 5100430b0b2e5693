"""Shares over simulations with their Monte-Carlo error, and how often a caution warned of the result."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

# Cautions that say an interval or test may not hold; cautions about labels, ties or refusals do not count as a warning.
DOUBTS = frozenset(
    {
        "SS102",
        "SS104",
        "SS201",
        "SS202",
        "SS203",
        "SS208",
        "SS211",
        "SS212",
        "SS213",
        "SS216",
        "SS312",
        "SS314",
        "SS317",
        "SS322",
        "SS329",
    }
)
LOWEST, HIGHEST, LARGEST_SIZE, ALWAYS = 0.925, 0.99, 0.07, 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of the page.

    Attributes
    ----------
    study, setting, method, quantity : str
    share, error : float
        Mean over simulations of the share that held (or was rejected), and its standard error.
    simulations : int
    nominal : float
        1 of a width, which is a ratio to the oracle's.
    cautioned : float or None
        Share of simulations whose result had a caution of `DOUBTS`.
    silent : float or None
        `share` over the simulations without such a caution.
    must : pair of float or None
        Bounds that `make calibrate` insists on.
    """

    study: str
    setting: str
    method: str
    quantity: str
    share: float
    error: float
    simulations: int
    nominal: float
    cautioned: float | None = None
    silent: float | None = None
    must: tuple[float, float] | None = None

    @property
    def holds(self) -> bool:
        """False when the share is outside what is insisted on."""
        return self.must is None or self.must[0] <= self.share <= self.must[1]

    @property
    def is_claim(self) -> bool:
        """Whether the package gives this result unasked, or the page insists on it."""
        return "(default" in self.method or self.must is not None

    @property
    def is_wrong(self) -> bool:
        """Whether coverage is below .925, or a type I error rate above .07."""
        return out_of_reach(self.share, self.nominal)

    @property
    def is_beyond_noise(self) -> bool:
        """Whether the share is more than two Monte-Carlo errors off what the project asks for."""
        off = LOWEST - self.share if self.nominal > LOWEST else self.share - LARGEST_SIZE
        return off > 2 * self.error

    @property
    def is_silent(self) -> bool:
        """Whether results are wrong, not nearly always cautioned, and wrong where silent; False if not measured."""
        if not self.is_wrong:
            return False
        if self.cautioned is None:
            return False
        return (
            self.cautioned < ALWAYS
            and self.silent is not None
            and out_of_reach(self.silent, self.nominal)
        )


def out_of_reach(share: float, nominal: float) -> bool:
    """Return whether a coverage or an error rate is not what the project asks for."""
    return {0.95: share < LOWEST, 0.05: share > LARGEST_SIZE}.get(nominal, False)


@dataclass(slots=True)
class Tally:
    """Shares by (method, quantity), one number per simulation."""

    study: str
    setting: str
    nominal: float = 0.95
    shares: dict[tuple[str, str], list[float]] = field(default_factory=dict)
    said: dict[tuple[str, str], list[bool]] = field(default_factory=dict)

    def add(
        self, method: str, quantity: str, share: float, said: Iterable[Any] | bool | None = None
    ) -> None:
        """Note the share of one simulation; `said` has the cautions of its result, or whether one warned of it."""
        self.shares.setdefault((method, quantity), []).append(float(share))
        if said is not None:
            warned = (
                said if isinstance(said, bool | np.bool_) else any(c.code in DOUBTS for c in said)
            )
            self.said.setdefault((method, quantity), []).append(bool(warned))

    def covers(
        self,
        method: str,
        quantity: str,
        rows: Iterable[Any],
        truth: Iterable[float],
        said: Iterable[Any] | bool | None = None,
    ) -> None:
        """Note the share of rows whose interval holds its truth; a row without an interval does not count."""
        held = [
            row.conf_low - 1e-12 <= value <= row.conf_high + 1e-12
            for row, value in zip(rows, truth, strict=True)
            if row.conf_low is not None and row.conf_high is not None
        ]
        if held:
            self.add(method, quantity, float(np.mean(held)), said)

    def lines(self, must: dict[tuple[str, str], tuple[float, float]] | None = None) -> list[Line]:
        """The finished lines."""
        return [
            Line(
                study=self.study,
                setting=self.setting,
                method=method,
                quantity=quantity,
                share=float(np.mean(found)),
                error=float(np.std(found, ddof=1) / np.sqrt(len(found))),
                simulations=len(found),
                nominal=self.nominal,
                must=(must or {}).get((method, quantity)),
                **silence(found, self.said.get((method, quantity))),
            )
            for (method, quantity), found in self.shares.items()
        ]


def silence(shares: list[float], said: list[bool] | None) -> dict[str, float | None]:
    """Share of simulations that were cautioned, and the share that held among the others."""
    if said is None:
        return {}
    quiet = np.array(shares)[~np.array(said)]
    return {
        "cautioned": float(np.mean(said)),
        "silent": float(quiet.mean()) if len(quiet) else None,
    }


@dataclass(slots=True)
class Widths:
    """Widths of intervals over that of the oracle, which knows the standard deviation of the estimates."""

    study: str
    setting: str
    found: dict[tuple[str, str], list[Any]] = field(default_factory=dict)

    def add(self, method: str, quantity: str, rows: Iterable[Any]) -> None:
        """Note estimates and widths of one simulation; every row must have an interval."""
        ends = np.array([(row.estimate, row.conf_high - row.conf_low) for row in rows])
        self.found.setdefault((method, quantity), []).append(ends)

    def lines(self, must: tuple[float, float] | dict[str, tuple[float, float]]) -> list[Line]:
        """Median over rows of the median width over 2 x 1.96 standard deviations of the estimates.

        `must` has the bounds of all methods, or those of each.
        """
        out = []
        for (method, quantity), ends in self.found.items():
            table = np.array(ends)
            ratio = np.median(table[..., 1], axis=0) / (
                2 * 1.959964 * table[..., 0].std(axis=0, ddof=1)
            )
            sims = len(table)
            value = float(np.median(ratio))
            out.append(
                Line(
                    study=self.study,
                    setting=self.setting,
                    method=method,
                    quantity=quantity,
                    share=value,
                    error=value / np.sqrt(2 * (sims - 1) * len(ratio)),
                    simulations=sims,
                    nominal=1.0,
                    must=must.get(method) if isinstance(must, dict) else must,
                )
            )
        return out


def write(lines: Iterable[Line], path: Path) -> None:
    """Write lines as CSV, one row each."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([f.name for f in fields(Line)])
        for line in lines:
            values = asdict(line) | {
                "must": "" if line.must is None else f"{line.must[0]:g} to {line.must[1]:g}"
            }
            out.writerow([f"{x:.6g}" if isinstance(x, float) else x for x in values.values()])


def read(path: Path) -> list[Line]:
    """Read what `write` wrote."""
    with path.open(newline="", encoding="utf-8") as file:
        return [parsed(row) for row in csv.DictReader(file)]


def parsed(row: dict[str, str]) -> Line:
    """Make a line of a row of the CSV."""
    values: dict[str, Any] = dict(row)
    for name in ("share", "error", "nominal", "cautioned", "silent"):
        values[name] = float(row[name]) if row[name] else None
    low, _, high = row["must"].partition(" to ")
    return Line(
        **values
        | {
            "simulations": int(row["simulations"]),
            "must": (float(low), float(high)) if low else None,
        }
    )
