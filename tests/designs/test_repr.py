"""How a design prints."""

from __future__ import annotations

import pandas as pd

from socialstats import Comparisons


def test_a_design_prints_in_one_line_without_its_arrays() -> None:
    rows = [("a", "b", "a", 1, 2, "w"), ("b", "c", "tie", 1, 1, "v"), ("c", "a", "c", 2, 1, "w")]
    columns = ["item_a", "item_b", "winner", "u_a", "u_b", "worker"]
    design = Comparisons.from_frame(pd.DataFrame(rows, columns=columns), cluster="worker")
    assert repr(design) == "<Comparisons: 3 rows, 3 items, 1 tie; covariates u; clusters worker>"
