"""Rankings, a row each, as comparisons of each two of their items."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import choix
import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main

NAMES = ["heron", "newt", "orca", "zebu"]
STRENGTHS = np.array([0.8, 0.0, -0.3, -0.5])


def rankings(n: int = 60, seed: int = 5) -> pd.DataFrame:
    """Ranks by Gumbel noise around strengths; each of 12 readers ranks several stories."""
    rng = np.random.default_rng(seed)
    ranks = (-(STRENGTHS + rng.gumbel(size=(n, 4)))).argsort(axis=1).argsort(axis=1) + 1
    table = pd.DataFrame(ranks, columns=[f"place_{name}" for name in NAMES])
    return table.assign(reader=[f"r{k % 12}" for k in range(n)])


def ranked(table: pd.DataFrame, **options: object) -> ss.Comparisons:
    return ss.Comparisons.from_ranks(table, ranks=[f"place_{name}" for name in NAMES], **options)


def pairs(table: pd.DataFrame) -> pd.DataFrame:
    """Return the comparisons, written out."""
    rows = []
    for k, row in table.iterrows():
        for a, b in combinations(NAMES, 2):
            one, other = row[f"place_{a}"], row[f"place_{b}"]
            winner = "tie" if one == other else a if one < other else b
            rows.append((a, b, winner, f"k{k}", row["reader"]))
    return pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "ranking", "reader"])


def test_ranks_are_the_pairs_written_out() -> None:
    table = rankings()
    for cluster in ("ranking", "reader"):
        found = ss.bradley_terry(ranked(table, cluster=() if cluster == "ranking" else cluster))
        wanted = ss.bradley_terry(ss.Comparisons.from_frame(pairs(table), cluster=cluster))
        for one, other in zip(found.rows, wanted.rows, strict=True):
            assert (one.term, one.group) == (other.term, other.group)
            assert (one.estimate, one.std_error, one.p_value) == pytest.approx(
                (other.estimate, other.std_error, other.p_value), abs=1e-9, nan_ok=True
            )


def test_strengths_are_those_of_choix() -> None:
    table = rankings()
    wins = [
        (NAMES.index(w), NAMES.index(b if w == a else a))
        for a, b, w in pairs(table)[["item_a", "item_b", "winner"]].itertuples(index=False)
    ]
    peer = choix.ilsr_pairwise(4, wins, max_iter=10_000, tol=1e-12)
    ours = {
        row.term: row.estimate
        for row in ss.bradley_terry(ranked(table)).rows
        if row.group == "strength"
    }
    assert [ours[name] for name in NAMES] == pytest.approx((peer - peer.mean()).tolist(), abs=1e-6)


def test_equal_ranks_are_ties_and_gaps_are_told() -> None:
    table = rankings(12).astype({f"place_{name}": float for name in NAMES})
    table.loc[0, [f"place_{name}" for name in NAMES]] = [1.0, 1.0, 3.0, 4.0]
    assert ranked(table).n_ties == 1
    table.loc[1, "place_orca"] = np.nan
    with pytest.raises(ss.InputError, match="missing"):
        ranked(table)
    kept = ranked(table, missing="drop")
    assert kept.n_rows == 12 * 6 - 3
    assert kept.flow[0].rows == 12


def test_a_rank_that_is_no_number_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "ranks.csv"
    rankings(8).astype({"place_orca": object}).replace({"place_orca": {4: "last"}}).to_csv(
        path, index=False
    )
    with pytest.raises(ss.InputError, match=r"ranks\.csv line \d+.*'last' is not a number"):
        ss.read_comparisons(path, ranks=[f"place_{name}" for name in NAMES])


def test_two_columns_are_no_ranking() -> None:
    with pytest.raises(ss.InputError, match="three columns or more"):
        ss.Comparisons.from_ranks(rankings(), ranks=["place_heron", "place_newt"])


def test_the_command_that_check_proposes_makes_a_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, page = tmp_path / "panel.csv", tmp_path / "page.html"
    rankings().assign(note="x").to_csv(path, index=False)
    main(["check", str(path)])
    told = "".join(capsys.readouterr())
    assert "--ranks place_heron,place_newt,place_orca,place_zebu --cluster reader" in told
    words = ["--ranks", ",".join(f"place_{name}" for name in NAMES), "--cluster", "reader"]
    assert main(["report", str(path), *words, "--no-verify", "-q", "-o", str(page)]) == 0
    assert "heron" in page.read_text(encoding="utf-8")
