"""Answers that were wrong or misleading once, by kind. Other tests of a kind are named beside it."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats import registry
from socialstats.cli import main
from socialstats.errors import DesignError, InputError
from socialstats.tables import missing_labels

PAIRS = {"first": "a", "second": "b"}


def pairs(a: list[float], b: list[float]) -> pd.DataFrame:
    return pd.DataFrame({"unit": range(len(a)), "a": a, "b": b})


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([1, 1, 1, 1, 1], 2 / 2**5),
        ([1, 1, 1, 1, 2], 2 / 2**5),
        ([1, 1, -1, 2, 2, 2], None),
        ([-3, 1, 1, 2, 2], None),
    ],
)
def test_wilcoxon_of_tied_ranks_is_enumerated(differences: list[float], p: float | None) -> None:
    """The smallest p of n pairs is 2 / 2^n."""
    d = np.array(differences, dtype=float)
    ranks = pd.Series(np.abs(d)).rank().to_numpy()
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(d))).reshape(len(d), -1)
    null, seen = ranks @ signs, ranks @ np.sign(d)
    exact = float(np.mean(np.abs(null) >= abs(seen) - 1e-9))
    assert p is None or exact == p
    result = ss.paired_difference(pairs((d + 1).tolist(), [1.0] * len(d)), **PAIRS)
    assert result.row("wilcoxon").p_value == pytest.approx(exact)


def test_labels_that_pandas_takes_as_missing_are_missing_in_files_too() -> None:
    """Kind 5; a table gives the same alpha from a file and from `pandas.read_csv`."""
    from pandas._libs.parsers import STR_NA_VALUES

    assert {*STR_NA_VALUES} - {""} <= missing_labels(())


@pytest.mark.parametrize("label", ["None", "#N/A", "-nan", "NULL"])
def test_a_file_and_its_frame_have_the_same_alpha(label: str, tmp_path) -> None:
    path = tmp_path / "t.csv"
    rng = np.random.default_rng(1)
    rows = [(u, r, rng.choice(["yes", "no", label])) for u in range(20) for r in "abc"]
    pd.DataFrame(rows, columns=["unit", "rater", "value"]).to_csv(path, index=False)
    read, frame = (
        ss.krippendorff_alpha(one, scale="nominal").rows[0] for one in (path, pd.read_csv(path))
    )
    assert read.estimate == frame.estimate
    assert read.n == frame.n
    kept = ss.krippendorff_alpha(path, scale="nominal", na=False).rows[0]
    assert kept.n > read.n


@pytest.mark.parametrize("codes", [(1, 2), (0, 100), (-1, 1)])
def test_codes_of_two_levels_are_named(codes: tuple[int, int]) -> None:
    """Kind 16: the way out was another metric."""
    low, high = codes
    table = pairs([low, high, low, high, low, low], [low, low, high, high, low, high])
    with pytest.raises(DesignError, match=rf"levels=\['{low}', '{high}'\]"):
        ss.mcnemar(table, **PAIRS)
    assert ss.mcnemar(table, levels=codes, **PAIRS).rows[0].estimate == pytest.approx(-1 / 6)


def test_one_level_gives_the_reason_of_its_own_coefficient() -> None:
    table = pd.DataFrame({"unit": [1, 1, 2, 2, 3, 3], "rater": ["a", "b"] * 3, "value": ["x"] * 6})
    assert (
        ss.gwet_ac(table, scale="nominal").rows[0].undefined == "a single level, 'x': AC1 needs two"
    )
    assert ss.gwet_ac(table, scale="nominal", levels=["x", "y"]).rows[0].estimate == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda table: ss.effect_sizes(table, ci="percentile", resamples=1.5, **PAIRS),
        lambda table: ss.effect_sizes(table, ci="percentile", resamples=True, **PAIRS),
        lambda table: ss.paired_difference(table, level="high", **PAIRS),
        lambda table: ss.paired_difference(table, level=None, **PAIRS),
        lambda table: ss.bradley_terry(
            {"item_a": ["x"], "item_b": ["y"], "winner": ["x"]}, prior="x"
        ),
    ],
)
def test_options_that_are_no_numbers_are_errors_with_a_word(call) -> None:
    with pytest.raises(InputError, match=r"is not a|must be between"):
        call(pairs([1, 2, 3, 4, 5, 7], [2, 2, 3, 5, 4, 4]))


def test_whole_numbers_may_be_written_as_floats() -> None:
    table = pairs([1, 2, 3, 4, 5, 7], [2, 2, 3, 5, 4, 4])
    one, two = (
        ss.effect_sizes(table, ci="percentile", resamples=n, seed=1, **PAIRS).row("d_z")
        for n in (2000, 2000.0)
    )
    assert one == two


def test_notes_on_main_results_stand_beside_the_cautions(
    tmp_path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kind 6: a page with 33 missing ratings said that no caution applies, and nothing else."""
    rng = np.random.default_rng(5)
    rows = [(f"s{u}", r, rng.integers(1, 6)) for u in range(60) for r in "abcd"]
    path = tmp_path / "t.csv"
    table = pd.DataFrame(rows, columns=["unit", "rater", "value"])
    table.assign(value=table["value"].where(rng.random(len(table)) > 0.1)).to_csv(path, index=False)
    assert main(["report", str(path), "-o", str(tmp_path / "t.html"), "--no-verify"]) == 0
    page = (tmp_path / "t.html").read_text()
    opening = page[page.index('<section id="cautions">') : page.index('<section id="results">')]
    assert "notes (" in opening
    assert ">Ratings are missing or refused.</a>" in opening
    place = re.search(r'<a href="#(note-\d+)">Ratings are missing', opening)
    assert place is not None
    assert f'id="{place[1]}"' in page


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2000.5, True])
def test_a_count_that_is_no_whole_number_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="is not a whole number"):
        registry.numeric("resamples", value, "int")
