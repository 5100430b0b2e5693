"""The measures of the house on small sources, and what the table does with them."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.house.__main__ import report
from tests.house.budget import Budget, changes, lowered, read, text_of
from tests.house.drawing import layers, picture, places
from tests.house.measures import circles, measured
from tests.house.rooms import MEASURES, TOP, Figures, House, house_of

SOURCE = '''\
"""A module."""

LIMIT = 3
"""What it is."""


def sum_of(known: int, extra: int) -> int:
    """Add."""
    # the reason
    text = """
    # no comment
    """
    return known + extra + len(text)  # not alone
'''


def test_docstrings_are_no_nodes() -> None:
    bare = "LIMIT = 3\ndef f(a): return a\n"
    documented = (
        '"""A module."""\nLIMIT = 3\n"""Its limit."""\ndef f(a):\n    """Do."""\n    return a\n'
    )
    assert measured(bare, "m").nodes == measured(documented, "m").nodes
    assert measured("x = 1\n", "m").nodes == 5  # module, assignment, name, its context, constant


def test_lines_and_names_of_a_file() -> None:
    file = measured(SOURCE, "m")
    assert (file.statements, file.simple) == (4, 3)
    assert (file.code_lines, file.comment_lines) == (6, 1)
    assert (file.names, file.vague) == (4, ("7 known",))
    assert file.functions == ("sum_of",)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("found = 1", ("1 found",)),
        ("own_data = 1", ("1 own_data",)),
        ("def f(*, one, count): pass", ("1 one",)),
        ("self.said = 1", ("1 said",)),
        ("print(found, x.said)", ()),
        ("rows = [row for row in table]", ()),
        ("[0 for each in table]", ("1 each",)),
        ("def found(): pass", ()),
        ("known: int = 1", ("1 known",)),
    ],
)
def test_names_that_say_nothing(source: str, names: tuple[str, ...]) -> None:
    assert measured(source, "m").vague == names


def test_dense_statements_and_long_functions() -> None:
    dense = f"total = {' + '.join(['a'] * 30)}\n"
    many = "def f():\n" + "    x = 1\n" * 50
    nested = "def f():\n    if x:\n        pass\n    def g():\n" + "        x = 1\n" * 48
    assert measured(dense, "m").dense == ("1 121 nodes",)
    assert measured("total = a + b\n", "m").dense == ()
    assert measured(many, "m").long_functions == ()
    assert measured(many + "    x = 1\n", "m").long_functions == ("1 f",)
    assert measured(nested, "m").long_functions == ("1 f",)  # 51 with those of g


def test_exceptions_from_the_formatter() -> None:
    source = "x = [1,2]  # fmt: skip\n# fmt: off\ny = 1\n# fmt: on\n"
    assert measured(source, "m").exceptions == ("skip", "off")


PACKAGE = {
    "socialstats.a": "from socialstats import b\n",
    "socialstats.b": "def f():\n    from socialstats.c import g\n    return g\n",
    "socialstats.c": 'HOME = "socialstats.a:f"\n',
    "socialstats.d": "from socialstats.a import f\n",
}


def test_imports_inside_functions_and_by_string_make_circles() -> None:
    house = house_of(PACKAGE)
    assert house.circles == [["socialstats.a", "socialstats.b", "socialstats.c"]]
    figures = house.figures_of(house.files)
    assert (figures["imports_inside"], figures["imports_by_string"]) == (1, 1)
    assert figures["modules_in_circles"] == 3


@pytest.mark.parametrize(
    ("source", "targets"),
    [
        ("import_module(f'{__name__}.{name}')", ("socialstats.a.x", "socialstats.a.y")),
        ("import_module(f'socialstats.a.{name}')", ("socialstats.a.x", "socialstats.a.y")),
        ("import_module(f'socialstats.{name}')", None),
        ("print('socialstats.a.x is slow')", None),
        ("print('socialstats.nowhere')", None),
        ("if TYPE_CHECKING:\n    import socialstats.a.x", None),
        ("import numpy", None),
        ("import socialstats.a.x", ("socialstats.a.x",)),
    ],
)
def test_what_is_an_own_import(source: str, targets: tuple[str, ...] | None) -> None:
    modules = dict.fromkeys(("socialstats.a", "socialstats.a.x", "socialstats.a.y"), Path())
    imports = measured(source, "socialstats.a", modules).imports
    assert tuple(line.modules for line in imports) == (() if targets is None else (targets,))


def test_circles_of_several_groups() -> None:
    imports = {"a": ["b"], "b": ["a", "c"], "c": ["d"], "d": ["e"], "e": ["c", "x"]}
    assert sorted(circles(imports)) == [["a", "b"], ["c", "d", "e"]]


def test_the_same_name_in_several_modules() -> None:
    sources = {
        "socialstats.a": "def joined(): pass\ndef plot(): pass\nclass Table: pass\n",
        "socialstats.b": "def joined(): pass\ndef plot(): pass\nclass Table:\n    def joined(self): pass\n",
    }
    house = house_of(sources, protocols=("plot",))
    assert [*house.same_functions] == ["joined"]
    assert [*house.same_classes] == ["Table"]
    assert house.figures_of(house.files)["same_functions"] == 2


# ---- the table ----

FIGURES: Figures = dict.fromkeys(MEASURES, 10) | {"nodes": 1000, "nodes_a_statement": 15.0}


def budget(**section: Any) -> Budget:
    return Budget(0.5, {}, {"cellar": FIGURES | section})


def told(budgeted: Budget, **measures: float) -> list[tuple[str, bool]]:
    figures = {"cellar": FIGURES | measures}
    return [(change.measure, change.worse) for change in changes(budgeted, figures)]


def test_a_room_as_it_was_is_told_nothing() -> None:
    assert told(budget()) == []
    assert told(budget(), nodes=1005, nodes_a_statement=15.07) == []  # within the tolerance


@pytest.mark.parametrize(
    ("measures", "expected"),
    [
        ({"nodes": 1006}, ("nodes", True)),
        ({"nodes": 900}, ("nodes", False)),
        ({"nodes_a_statement": 15.08}, ("nodes_a_statement", True)),
        ({"vague_names": 11}, ("vague_names", True)),
        ({"comments": 9}, ("comments", True)),
        ({"comments": 11}, ("comments", False)),
    ],
)
def test_what_rose_and_what_fell_is_told(
    measures: dict[str, float], expected: tuple[str, bool]
) -> None:
    assert told(budget(), **measures) == [expected]


def test_a_rise_is_an_error_that_names_room_measure_and_figures(
    capsys: pytest.CaptureFixture[str],
) -> None:
    figures = {"cellar": FIGURES | {"nodes": 2000}}
    assert report([*changes(budget(), figures)], figures) == 1
    said = "cellar: syntax nodes without docstrings: 1,000 before, 2,000 now"
    assert said in capsys.readouterr().out
    assert report([*changes(budget(), {"cellar": FIGURES})], figures) == 0


def test_writing_lowers_and_does_not_raise() -> None:
    figures = {"cellar": FIGURES | {"nodes": 900, "vague_names": 12}}
    section = lowered(budget(), figures, {}).rooms["cellar"]
    assert (section["nodes"], section["vague_names"]) == (900, 10)


def test_a_figure_is_raised_for_a_reason_that_stays() -> None:
    figures = {"cellar": FIGURES | {"nodes": 2000}, "attic": FIGURES}
    table = lowered(budget(), figures, {"cellar": "moved from the attic"})
    assert table.rooms["cellar"]["nodes"] == 2000
    assert table.raised[0]["reason"] == "moved from the attic"
    assert "attic" not in table.rooms  # a new room is not written without its reason


def test_a_new_room_states_its_budget() -> None:
    assert told(Budget(0.5, {}, {})) == [("", True)]
    planned = Budget(0.5, {}, {"cellar": {"budget": "holds the wine", "nodes": 1500}})
    assert [*changes(planned, {})] == []  # before it is there
    empty = dict.fromkeys(MEASURES, 0) | {"nodes": 1400, "nodes_a_statement": 12.5, "comments": 3}
    assert all(not change.worse for change in changes(planned, {"cellar": empty}))
    assert lowered(planned, {"cellar": empty}, {}).rooms == planned.rooms
    full = empty | {"vague_names": 1}
    assert [c.measure for c in changes(planned, {"cellar": full}) if c.worse] == ["vague_names"]


def test_a_room_that_is_gone_leaves_the_table() -> None:
    assert [(c.measure, c.worse) for c in changes(budget(), {})] == [("", False)]
    assert lowered(budget(), {}, {}).rooms == {}


def test_the_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    raised = ({"room": "cellar", "measure": "nodes", "old": 1, "new": 2, "reason": 'of "wine"'},)
    table = replace(budget(), protocols={"plot": "of metrics"}, raised=raised)
    path = tmp_path / "rooms.toml"
    path.write_text(text_of(table), encoding="utf-8")
    assert read(path) == table


def test_the_committed_table_has_every_measure_of_every_room() -> None:
    for room, section in read().rooms.items():
        assert "budget" in section or {*section} == {*MEASURES}, room


def test_a_house_without_modules_has_figures() -> None:
    empty = House((), {}, {}, ())
    assert set(empty.figures_of([]).values()) == {0}


def test_the_picture_has_every_room_and_is_up_to_date_in_its_names() -> None:
    figures = {room: {"nodes": 50_000.0} for room in ("paired", "designs", "tables")}
    drawn = picture(figures)
    assert drawn.count("50k nodes") == 3
    kept = (TOP / "docs" / "_static" / "house.svg").read_text(encoding="utf-8")
    names = {name for layer in layers() for name in layer}
    assert all(f"{name}" in kept for name in names)


@pytest.mark.parametrize("name", ["mcnemar", "icc", "gwet_ac", "bradley_terry"])
def test_the_parts_of_a_metric_have_places(name: str) -> None:
    rows = [*places(name)]
    kinds = {what for what, _ in rows}
    assert {"options, rows, errors", "error, interval", "sentence", "figure", "tests"} <= kinds
    for what, place in rows:
        path = re.split(r"[:,]", place)[0]
        assert what == "recomputed by" or (TOP / path).is_file(), place


def test_a_name_that_is_no_metric_has_near_ones() -> None:
    with pytest.raises(KeyError, match="gwet_ac1 is no metric; gwet_ac"):
        [*places("gwet_ac1")]
