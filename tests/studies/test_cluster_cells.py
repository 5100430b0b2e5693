"""The table of clusterings where errors vanish: a reason, never a warning."""

from __future__ import annotations

import pandas as pd
from study_examples import FAST

import socialstats as ss
from socialstats.studies.comparisons import clusters_question


def test_strengths_without_any_error_have_no_ratio() -> None:
    rows = [
        (a, b, winner, f"{a}{b}")
        for a, b in (("x", "y"), ("y", "z"), ("x", "z"))
        for winner in (a, b) * 3
    ]
    table = pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "pair"])
    fit = ss.bradley_terry(ss.Comparisons.from_frame(table, cluster="pair"), cluster="pair")
    block = clusters_question(fit.design, FAST, None, fit)
    assert block is not None
    assert block.draw is not None
    block.draw()
    independent, by_pair = block.tables[0].cells
    at = {name: block.tables[0].header.index(name) for name in ("SE", "Design effect", "Why not")}
    assert isinstance(independent[at["SE"]], float)
    assert by_pair[at["SE"]] is None
    assert by_pair[at["Design effect"]] is None
    assert "the clusters are alike" in str(by_pair[at["Why not"]])
