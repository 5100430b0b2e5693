"""Tables by keys of rows: any number of labels, one line or many, several levels in one."""

from __future__ import annotations

import itertools

import pytest

from socialstats.errors import InputError
from socialstats.results import Row
from socialstats.studies.grids import (
    MOST_COLUMNS,
    TableLayout,
    labelled_rows,
    layout_table,
    stacked_grids,
    table_values,
)


def cells(models: int, areas: int, value: float = 1.0) -> list[Row]:
    """Return a row for each model and area; its estimate says which."""
    return [
        Row(
            term="x",
            estimate=value + m + a / 100,
            conf_low=value + m,
            conf_high=value + m + 1,
            key=(("model", f"m{m}"), ("area", f"a{a}")),
        )
        for m, a in itertools.product(range(models), range(areas))
    ]


GRID = TableLayout(name="areas", caption="c", rows=("model",), columns="area", cell="estimate")


@pytest.mark.parametrize(("models", "areas"), [(1, 1), (11, 4), (3, MOST_COLUMNS), (40, 2)])
def test_each_cell_has_the_row_of_its_labels(models: int, areas: int) -> None:
    table = layout_table(GRID, labelled_rows(cells(models, areas)))
    assert table.header == ("Model", *(f"a{a}" for a in range(areas)))
    expected = tuple((f"m{m}", *(1.0 + m + a / 100 for a in range(areas))) for m in range(models))
    assert table.cells == expected


def test_more_columns_than_a_page_has_room_for_are_lines() -> None:
    table = layout_table(GRID, labelled_rows(cells(3, MOST_COLUMNS + 1)))
    assert table.header == ("Model", "Area", "Estimate")
    assert len(table.cells) == 3 * (MOST_COLUMNS + 1)
    assert table.cells[MOST_COLUMNS + 1] == ("m1", "a0", 2.0)


def test_levels_are_lines_within_the_first_dimension() -> None:
    tables = {
        prompt: layout_table(GRID, labelled_rows(cells(2, 2, value)))
        for prompt, value in (("options", 1.0), ("table", 5.0))
    }
    table = stacked_grids("prompt", tables)
    assert table is not None
    assert table.header == ("Model", "Prompt", "a0", "a1")
    assert table.cells == (
        ("m0", "options", 1.0, 1.01),
        ("m0", "table", 5.0, 5.01),
        ("m1", "options", 2.0, 2.01),
        ("m1", "table", 6.0, 6.01),
    )


def test_a_model_that_lacks_a_level_has_no_line_there() -> None:
    tables = {
        "options": layout_table(GRID, labelled_rows(cells(2, 1))),
        "table": layout_table(GRID, labelled_rows(cells(3, 1))),
    }
    table = stacked_grids("prompt", tables)
    assert table is not None
    assert [line[:2] for line in table.cells][-1] == ("m2", "table")
    assert len(table.cells) == 5


def test_mean_and_standard_deviation_share_a_cell() -> None:
    rows = [
        Row(term="mean", estimate=24.79, role="estimate", key=(("model", "a"),)),
        Row(term="sd", estimate=12.98, role="spread", key=(("model", "a"),)),
        Row(term="mean", estimate=-7.81, role="estimate", key=(("model", "b"),)),
    ]
    grid = TableLayout(
        name="lean", caption="c", rows=("model",), cell="mean_sd", headings={"": "M (SD)"}
    )
    table = layout_table(grid, labelled_rows(rows))
    assert table.header == ("Model", "M (SD)")
    assert table.cells == (("a", "24.79 (12.98)"), ("b", "\u22127.81"))


def test_a_layout_that_hides_a_dimension_is_refused() -> None:
    with pytest.raises(InputError, match="say nothing of 'area'"):
        layout_table(
            TableLayout(name="areas", caption="c", rows=("model",)), labelled_rows(cells(2, 2))
        )


def test_a_cell_without_an_estimate_says_why() -> None:
    row = Row(term="x", undefined="one unit", key=(("model", "a"), ("area", "b")))
    grid = TableLayout(name="areas", caption="c", rows=("model",), columns="area")
    assert layout_table(grid, labelled_rows([row])).cells == (("a", "one unit"),)


def test_a_file_has_every_digit_of_a_cell_and_its_whole_labels() -> None:
    """A paper's cell holds several numbers; a file has a column for each of them, and long labels whole."""
    long = "a label of a model that is longer than a cell has room for"
    rows = [
        Row(
            term="x",
            role=role,
            estimate=value,
            n=12.0,
            p_adjusted=0.0123456789,
            key=(("model", long), ("area", area)),
        )
        for area, role, value in (("home", "estimate", 2 / 3), ("home", "spread", 1 / 7))
    ]
    rows.append(Row(term="x", undefined="no answers", key=(("model", long), ("area", "work"))))
    layout = TableLayout(
        name="areas", caption="Means", rows=("model",), columns="area", cell="mean_sd"
    )
    table = layout_table(layout, labelled_rows(rows))
    assert table.cells[0][1:] == ("0.67 (0.14)", None)
    header, lines = table_values(table) or ([], [])
    assert header == [
        "Model",
        "home",
        "home sd",
        "home p_adjusted",
        "home n",
        "work",
        "work undefined",
    ]
    assert lines == [[long, 2 / 3, 1 / 7, 0.0123456789, 12.0, None, "no answers"]]


def test_a_file_of_many_columns_has_the_lines_of_the_page() -> None:
    rows = [
        Row(term="x", estimate=k / 3, key=(("model", "m"), ("area", f"a{k}"))) for k in range(14)
    ]
    table = layout_table(
        TableLayout(name="areas", caption="Means", rows=("model",), columns="area"),
        labelled_rows(rows),
    )
    header, lines = table_values(table) or ([], [])
    assert header == ["Model", "Area", "Estimate"]
    assert len(lines) == len(table.cells) == 14
    assert lines[13] == ["m", "a13", 13 / 3]
