"""The table of clusterings where errors vanish: a dash, never a warning."""

from __future__ import annotations

import pandas as pd

import socialstats as ss
from socialstats.studies.comparisons import cluster_cells, strength_errors


def test_strengths_without_any_error_have_no_ratio() -> None:
    rows = [
        (a, b, winner, f"{a}{b}")
        for a, b in (("x", "y"), ("y", "z"), ("x", "z"))
        for winner in (a, b) * 3
    ]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "pair"])
    fit = ss.bradley_terry(ss.Comparisons.from_frame(table, cluster="pair"), cluster="pair")
    cells = cluster_cells("by pair", fit, 0 * strength_errors(fit))
    assert cells[3] is None
    assert cells[5] == "—"
