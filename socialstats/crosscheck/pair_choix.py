"""Plain strengths by the solvers of choix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from socialstats.designs.comparisons import TIED, Comparisons

FloatArray = np.ndarray[Any, np.dtype[np.float64]]
COLD = 3_000  # rows up to which its row-by-row solvers start from equal strengths
WARM = 30_000  # rows up to which they start from choix's own spectral answer; above, they would take minutes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Solved:
    """Strengths with mean zero by one solver, or a note why there are none."""

    solver: str
    tolerance: float
    why: str
    strength: FloatArray | None
    note: str = ""


def solve_all(design: Comparisons) -> list[Solved]:
    """Run `ilsr_pairwise_dense`, `ilsr_pairwise`, `opt_pairwise` and `mm_pairwise` on counts without ties."""
    import choix

    n, wins = len(design.items), win_matrix(design)
    dense = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-11)
    out = [solved("ilsr_pairwise_dense", 1e-8, "iterated to 1e-11 in the strengths", dense)]
    rows = design.n_rows
    if rows > WARM:
        note = f"not run: choix handles {rows:,} rows one by one"
        slow = {"ilsr_pairwise": 1e-8, "opt_pairwise": 1e-5, "mm_pairwise": 5e-5}
        return [*out, *(Solved(solver=s, tolerance=t, why="", strength=None, note=note) for s, t in slow.items())]
    pairs = winner_first(wins)
    start, note = (None, "") if rows <= COLD else (dense.copy(), "started from choix's spectral answer")
    found = choix.ilsr_pairwise(n, pairs, initial_params=start, max_iter=10_000, tol=1e-11)
    out.append(solved("ilsr_pairwise", 1e-8, "iterated to 1e-11 in the strengths", found, note))
    found = choix.opt_pairwise(n, pairs, alpha=1e-9, initial_params=start, tol=1e-9)
    out.append(solved("opt_pairwise", 1e-5, "it stops at a relative step; ridge of 1e-9", found, note))
    try:
        found = choix.mm_pairwise(n, pairs, initial_params=start, tol=1e-8)
    except RuntimeError as error:
        failed = Solved(solver="mm_pairwise", tolerance=5e-5, why="", strength=None, note=f"choix gave up: {error}")
        return [*out, failed]
    return [
        *out,
        solved("mm_pairwise", 5e-5, "MM creeps: it stops about 1e-5 from the maximum", found, note),
    ]


def solved(solver: str, tolerance: float, why: str, strength: FloatArray, note: str = "") -> Solved:
    """Centre the strengths."""
    return Solved(solver=solver, tolerance=tolerance, why=why, strength=strength - strength.mean(), note=note)


def win_matrix(design: Comparisons) -> FloatArray:
    """Return how often i beat j (weights are counts here)."""
    a_won = design.outcome == 0
    winner = np.where(a_won, design.item_a, design.item_b)
    loser = np.where(a_won, design.item_b, design.item_a)
    keep = design.outcome != TIED
    wins = np.zeros((len(design.items), len(design.items)))
    np.add.at(wins, (winner[keep], loser[keep]), design.count[keep])
    return wins


def winner_first(wins: FloatArray) -> list[tuple[int, int]]:
    """Return one (winner, loser) for every win."""
    return [(int(i), int(j)) for i, j in zip(*np.nonzero(wins), strict=True) for _ in range(int(wins[i, j]))]
