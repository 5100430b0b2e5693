"""Printed numbers, rows, joins of repeats and formulas against plain Python and statsmodels."""

import itertools
import math
import statistics
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parent))
from made_logs import clustered_error, std_error

from socialstats.audit.claims import formulas
from socialstats.audit.claims.bench import digits_in, may_be_printed, target_of
from socialstats.audit.claims.definitions import FORMULAS, NumberDefinition
from socialstats.audit.claims.formulas import GROUP_ERRORS, parts_of
from socialstats.audit.claims.samples import Reading, RowTable, Sample, encode, join_repeats
from socialstats.errors import InputError


@pytest.mark.parametrize(
    ("printed", "inside", "outside"),
    [
        ("0.81", (0.805, 0.8149, 0.815), (0.8049, 0.8151)),
        ("81.2%", (0.8115, 0.8125), (0.8114, 0.81251)),
        ("−7.8", (-7.85, -7.75), (-7.86, -7.74, 7.8)),
        ("<.001", (0.0, 0.0005), (0.0011,)),
        ("12", (11.5, 12.5), (11.4, 12.6)),
    ],
)
def test_what_a_printed_number_can_stand_for(printed, inside, outside):
    target = target_of(printed, full=False)
    assert all(may_be_printed(target, x) for x in inside)
    assert not any(may_be_printed(target, x) for x in outside)


def test_a_full_number_is_itself_to_twelve_digits():
    target = target_of("0.11063265039459795", full=True)
    assert may_be_printed(target, 0.11063265039459795 * (1 + 5e-13))
    assert not may_be_printed(target, 0.11063265039459795 * (1 + 5e-12))
    assert not may_be_printed(target_of("0.1", full=True), 0.1001)
    assert not may_be_printed(target_of("0", full=True), 1e-9)
    assert not may_be_printed(target, math.nan)
    assert not may_be_printed(target, None)


@pytest.mark.parametrize("text", ["N/A", "", "nan", "inf", "1.2.3", "about 3", "0x10"])
def test_what_is_no_number(text):
    assert target_of(text, full=True) is None


def test_significant_digits():
    assert [digits_in(x) for x in ("0.0500", "1e-5", "-12.30", "0", "")] == [3, 1, 4, 1, 0]


VALUES = np.array([0.0, 1.0, 1.0, 0.5, 1.0, 0.0, 2.0, 0.0, 1.0])
UNIT = np.array([5, 5, 5, 2, 2, 2, 9, 9, 9])
GROUPS = [[0.5, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 0.0, 1.0]]  # units 2, 5, 9


@pytest.mark.parametrize(
    ("how", "one"),
    [
        ("mean", statistics.fmean),
        ("median", statistics.median),
        ("max", max),
        ("min", min),
        ("mode", statistics.mode),
        ("first", lambda v: v[0]),
        ("at_least_2", lambda v: float(sum(x >= 1 for x in v) >= 2)),
        (
            "pass_at_2",
            lambda v: statistics.fmean(
                any(x >= 1 for x in d) for d in itertools.combinations(v, 2)
            ),
        ),
        ("pass_k_3", lambda v: float(all(x >= 1 for x in v))),
    ],
)
def test_joins_of_repeats(how, one):
    joined, first = join_repeats(VALUES, UNIT, how)
    assert joined == pytest.approx([one(group) for group in GROUPS], rel=1e-15)
    assert first.tolist() == [3, 0, 6]


def test_pooled_rows_stay_and_units_with_too_few_repeats_have_no_pass_at_k():
    assert join_repeats(VALUES, UNIT, "pooled")[0] is VALUES
    assert len(join_repeats(VALUES, UNIT, "pass_at_4")[0]) == 0
    assert join_repeats(np.array([1.0, 0.0, 1.0]), np.array([0, 0, 1]), "pass_k_2")[0].tolist() == [
        0.0
    ]


def test_errors_against_statsmodels_and_plain_python():
    import statsmodels.api as sm

    rng = np.random.default_rng(3)
    values, clusters = rng.normal(size=23), rng.integers(0, 6, 23)
    sample = Sample(value=values, columns={"c": clusters})
    assert formulas.std_error(sample) == pytest.approx(std_error(values.tolist()), rel=1e-13)
    fit = sm.OLS(values, np.ones(23)).fit(
        cov_type="cluster", cov_kwds={"groups": clusters, "use_correction": False}
    )
    assert formulas.std_error_clustered(sample, "c", plain=True) == pytest.approx(
        fit.bse[0], rel=1e-12
    )
    assert formulas.std_error_clustered(sample, "c") == pytest.approx(
        clustered_error(values.tolist(), clusters.tolist()), rel=1e-12
    )
    assert formulas.std_error_population(sample) == pytest.approx(
        std_error(values.tolist(), 0), rel=1e-13
    )


@pytest.mark.parametrize("n", [7, 8])
def test_half_samples_against_all_halves(n):
    values = np.arange(float(n)) ** 2
    means = [statistics.fmean(half) for half in itertools.combinations(values.tolist(), n // 2)]
    assert formulas.std_error_halves(Sample(value=values)) == pytest.approx(
        statistics.pstdev(means), rel=1e-12
    )
    if n % 2 == 0:
        assert formulas.std_error_halves(Sample(value=values)) == pytest.approx(
            std_error(values.tolist()), rel=1e-12
        )


def test_group_errors_written_out():
    parts = [[1.0, 0.0, 0.0, 1.0, 1.0], [0.0, 1.0, 1.0]]
    errors, sizes, total = [std_error(p) for p in parts], [5, 3], 8
    found = {
        key: f.compute(parts_of([Sample(value=np.array(p)) for p in parts]))
        for key, f in GROUP_ERRORS.items()
    }
    assert found["equal"] == pytest.approx(math.hypot(*errors) / 2, rel=1e-13)
    assert found["by_size"] == pytest.approx(
        math.hypot(*(n * e for n, e in zip(sizes, errors, strict=True))) / total
    )
    within = sum((n - 1) * n * e**2 for n, e in zip(sizes, errors, strict=True)) / (total - 2)
    assert found["pooled_within"] == pytest.approx(math.sqrt(within / total), rel=1e-13)
    assert found["all_rows"] == pytest.approx(std_error(parts[0] + parts[1]), rel=1e-13)
    assert found["of_means"] == pytest.approx(
        std_error([statistics.fmean(p) for p in parts]), rel=1e-13
    )
    without = sum((n - 1) * e**2 for n, e in zip(sizes, errors, strict=True)) / (total - 2)
    assert found["without_n"] == pytest.approx(math.sqrt(without), rel=1e-13)


def test_every_formula_has_words_and_a_number_or_none():
    sample = Sample(
        value=np.array([0.0, 1.0, 1.0, 0.0, 1.0]),
        columns={"c": np.array([0, 0, 1, 1, 2])},
        rows=6,
        ok_rows=5,
        weight=np.ones(5),
    )
    for quantity, held in FORMULAS.items():
        for key, formula in held.items():
            column = "c" if formula.by_column else ""
            words = NumberDefinition(
                reading=Reading(), quantity=quantity, formula=key, column=column
            ).words(repeated=True)
            assert words
            assert "{" not in words
            assert formula.by_column == ("'c'" in words)
            value = formula.compute(sample, column)
            assert isinstance(value, float), (quantity, key)


def test_labels_are_text_whatever_the_column_holds():
    codes, labels = encode(pd.Series([1, 2.0, "1", None, [3], {"b": 1, "a": 2}], dtype=object))
    assert labels == ("1", "2", "[3]", '{"a": 2, "b": 1}')
    assert codes.tolist() == [0, 1, 0, -1, 2, 3]


def test_selecting_names_what_there_is():
    table = RowTable.of(pd.DataFrame({"value": [1.0, 0.0], "scorer": ["a", "b"], "x": [1, 2]}))
    assert table.where({"x": "2"}).tolist() == [False, True]
    with pytest.raises(
        InputError, match="no column 'y' in the rows; columns: 'value', 'scorer' and 'x'"
    ):
        table.where({"y": "1"})
    with pytest.raises(InputError, match="no row has scorer = 'c'; values: 'a' and 'b'"):
        table.where({"scorer": "c"})
    with pytest.raises(InputError, match="together"):
        table.where({"scorer": "a", "x": "2"})


def test_units_of_two_tasks_are_two_units_though_their_ids_are_one():
    frame = pd.DataFrame(
        {"task": ["a", "b", "a"], "unit": ["0", "0", "0"], "value": [1.0, 0.0, 1.0]}
    )
    assert len(set(RowTable.of(frame).units().tolist())) == 2


def test_infinite_and_unreadable_values_are_missing_and_not_ok_rows_have_none():
    frame = pd.DataFrame(
        {"value": [1.0, math.inf, "x", None], "status": ["error", "ok", "ok", "ok"]}
    )
    table = RowTable.of(frame)
    assert np.isnan(table.value).all()
    assert table.status.tolist() == ["error", "missing", "missing", "missing"]
