"""The R package wraps the public functions of Python, and its bridge speaks of rows and settings as R does."""

from __future__ import annotations

import importlib.util
import struct
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import socialstats as ss
from socialstats.metrics import METRICS

R = Path(__file__).parents[2] / "r"


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    return loaded(R / "generate.py")


@pytest.fixture(scope="module")
def bridge() -> ModuleType:
    return loaded(R / "inst" / "python" / "socialstats_bridge.py")


def test_every_metric_is_wrapped_and_what_is_left_out_has_a_reason(generate: ModuleType) -> None:
    wrapped = set(generate.wrapped().values())
    assert set(METRICS) <= wrapped
    assert all(hasattr(ss, name) for name in generate.OMITTED)
    assert not wrapped & set(generate.OMITTED)


@pytest.fixture(scope="module")
def package(generate: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("numpydoc")
    folder = tmp_path_factory.mktemp("r") / "socialstats"
    generate.write_package(folder)
    return folder


def test_the_package_has_the_version_of_python(package: Path) -> None:
    lines = (package / "DESCRIPTION").read_text(encoding="utf-8").splitlines()
    assert f"Version: {ss.__version__}" in lines


def test_the_functions_of_r_are_exported(generate: ModuleType, package: Path) -> None:
    functions = (package / "R" / "metrics.R").read_text(encoding="utf-8")
    exported = (package / "NAMESPACE").read_text(encoding="utf-8")
    for name in generate.wrapped():
        assert f"\n{name} <- function(" in functions
        assert f"export({name})" in exported


def test_the_functions_of_r_have_the_arguments_of_python(generate: ModuleType) -> None:
    assert (
        generate.arguments("power_mcnemar").replace(generate.NO_BREAK, " ").startswith("n = NULL")
    )
    functions = generate.functions()
    assert "`repeat` = NULL" in functions
    assert 'cluster = "auto"' in functions


def test_every_function_of_r_has_a_help_page_with_its_arguments(
    generate: ModuleType, package: Path
) -> None:
    for name in generate.wrapped():
        page = (package / "man" / f"{name}.Rd").read_text(encoding="utf-8")
        for argument in generate.arguments(generate.wrapped()[name]).split(", "):
            said = argument.partition(generate.NO_BREAK)[0]
            assert not said.isidentifier() or f"\\item{{{said}}}" in page, (name, said)


def frame_of_r(**columns: list[Any]) -> dict[str, Any]:
    """Return what R sends for columns of texts (None: NA) or numbers."""
    sent = []
    for values in columns.values():
        if isinstance(values[0], float):
            sent.append(
                {
                    "r_kind": "number",
                    "whole": False,
                    "data": struct.pack(f"{len(values)}d", *values),
                }
            )
            continue
        levels = [*dict.fromkeys(value for value in values if value is not None)]
        codes = [0 if value is None else levels.index(value) + 1 for value in values]
        sent.append(
            {"r_kind": "text", "levels": levels, "data": struct.pack(f"{len(codes)}i", *codes)}
        )
    rows = len(next(iter(columns.values())))
    return {
        "r_kind": "frame",
        "names": [*columns],
        "columns": sent,
        "rows": rows,
        "source": "data frame",
    }


def called(bridge: ModuleType, name: str, **arguments: Any) -> Any:
    return bridge.call(
        name, {"r_kind": "dict", "names": [*arguments], "values": [*arguments.values()]}
    )


def test_a_call_of_r_gives_the_numbers_of_python(bridge: ModuleType) -> None:
    before, after = [0.7, -1.6, -0.2, -1.2], [1.9, 0.8, 1.1, 0.1]
    sent = frame_of_r(before=before, after=after)
    found = called(bridge, "paired_difference", paired=sent, first="after", second="before")[
        "value"
    ]
    wanted = ss.paired_difference(
        {"before": before, "after": after}, first="after", second="before"
    )
    assert (found["metric"], found["family"]) == ("paired_difference", "result")
    assert found["value"].rows == wanted.rows


def test_errors_come_as_fields_with_rows_from_one_and_settings_of_r(bridge: ModuleType) -> None:
    sent = frame_of_r(item_a=["x", "y"], item_b=["y", "x"], winner=["x", "z"])
    failed = called(bridge, "bradley_terry", comparisons=sent)["error"]
    assert failed["classes"] == ["input_error"]
    assert "row 2, column 'winner'" in failed["message"]
    assert 'tie = "z"' in failed["message"]
    assert called(bridge, "mcnemar", nonsense=1)["error"]["classes"] == ["input_error"]
    assert called(bridge, "mcnemar")["error"]["classes"] == ["python_error"]


def test_literals_are_code_of_r(bridge: ModuleType) -> None:
    said = {"levels": ["low", 'so "so"'], "order": False, "na": None, "map": {"a b": 1}}
    assert [bridge.in_r(name, value, "") for name, value in said.items()] == [
        'levels = c("low", "so \\"so\\"")',
        "order = FALSE",
        "na = NULL",
        "map = list(`a b` = 1)",
    ]
