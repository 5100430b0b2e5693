"""The three tables of a new user: ratings by three judges, 0/1 answers with scenarios, scores before and after."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np
import pandas as pd

from socialstats.studies.page import Outcome
from socialstats_reports.data import as_dict

LEVELS = ("low", "medium", "high")
NUMBER = re.compile(r"(?<![\w.])(?<!< )(?<!> )−?\d*\.\d+(?![\w])")


def ratings(seed: int = 3) -> pd.DataFrame:
    """60 units in 12 stories of three domains, rated by two people and a model that sometimes refuses."""
    rng = np.random.default_rng(seed)
    rows = []
    for u in range(60):
        truth = rng.normal()
        for judge, noise in (("ann", 0.5), ("bob", 0.7), ("gpt_4", 0.9)):
            value = LEVELS[int(np.clip(round(1 + 0.9 * truth + noise * rng.normal()), 0, 2))]
            refused = judge == "gpt_4" and u % 15 == 7
            rows.append(
                (
                    f"u{u:02d}",
                    f"story{u // 5:02d}",
                    ("family", "work", "law")[u // 5 % 3],
                    judge,
                    "model" if judge == "gpt_4" else "human",
                    "refused" if refused else value,
                )
            )
    return pd.DataFrame(rows, columns=["unit", "story", "domain", "judge", "kind", "rating"])


def answers(seed: int = 3, shift: float = 0.7) -> pd.DataFrame:
    """8 questions of each of 25 scenarios, answered 0 or 1 with and without a reminder."""
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(25):
        effect = shift + 0.8 * rng.normal()
        for k in range(8):
            easy = rng.normal()
            for name, extra in (("plain", 0.0), ("reminded", effect)):
                right = int(rng.random() < 1 / (1 + np.exp(-(easy + extra))))
                rows.append((f"s{s:02d}-{k}", f"s{s:02d}", name, right))
    return pd.DataFrame(rows, columns=["item", "scenario", "condition", "correct"])


def scores(seed: int = 3, shift: float = -1.5) -> pd.DataFrame:
    """40 subjects before and after."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(40):
        before = rng.normal(20, 4)
        after = before + shift + 3 * rng.normal()
        rows += [(f"p{i:02d}", "before", round(before, 1)), (f"p{i:02d}", "after", round(after, 1))]
    return pd.DataFrame(rows, columns=["subject", "time", "score"])


def terms(outcome: Outcome) -> Iterator[dict[str, object]]:
    """Every row of `tidy()` that the page embeds."""
    for block in as_dict(outcome)["blocks"]:
        for result in block["results"]:
            yield from result["terms"]


def known_numbers(outcome: Outcome) -> set[float]:
    """Every number of the rows of all results of a page."""
    return {float(v) for t in terms(outcome) for v in t.values() if isinstance(v, int | float)}


def stray_cells(outcome: Outcome) -> list[tuple[str, object]]:
    """Cells of the blocks' tables that no row of any result holds (counts of the data have tables of their own)."""
    known = known_numbers(outcome)
    p_values = {
        float(t[name]) for t in terms(outcome) for name in ("p_value", "p_adjusted") if name in t
    }  # type: ignore[arg-type]
    dfs = {float(t["df"]) for t in terms(outcome) if "df" in t}  # type: ignore[arg-type]
    strays = []
    for block in outcome.blocks:
        for table in block.tables:
            counts = table.header[-1] == "Share"
            for row in table.cells:
                for name, cell in zip(table.header, row, strict=True):
                    if name == "Shift" and cell is not None:  # against the first row
                        place = table.header.index("Estimate")
                        cell = (
                            row[place]
                            if cell == row[place] - table.cells[0][place]
                            else float("nan")
                        )  # type: ignore[operator]
                    if (
                        "Farthest" in table.header
                        and isinstance(cell, float | int)
                        and -float(cell) in known
                    ):  # type: ignore[arg-type]
                        continue  # of two groups in the other order
                    if isinstance(cell, float | int) and not counts and float(cell) not in known:
                        strays.append((name, cell))
                    if name in ("p", "p (Holm)") and cell is not None and cell not in p_values:
                        strays.append((name, cell))
                    if (
                        name == "df"
                        and cell is not None
                        and not any(_close(cell, df) for df in dfs)
                    ):
                        strays.append((name, cell))
    return strays


def _close(cell: object, value: float) -> bool:
    return math.isclose(float(str(cell).replace(",", "")), value, abs_tol=0.05)


def stray_decimals(outcome: Outcome, texts: list[str], also: set[float]) -> list[tuple[str, str]]:
    """Return decimals of sentences that do not round any number of `tidy()`, or 100 times a share."""
    known = known_numbers(outcome) | also
    known |= {100 * k for k in known if abs(k) <= 1}
    if (
        outcome.study == "ordinal-alignment"
    ):  # the closest minus the farthest of two groups, in whatever order
        known |= {-k for k in known}
    strays = []
    for text in texts:
        for word in NUMBER.findall(text):
            value = float(word.replace("−", "-"))
            digits = len(word.split(".")[1])
            if not any(abs(k - value) <= 0.5 * 10.0**-digits * (1 + 1e-9) for k in known):
                strays.append((word, text))
    return strays
