"""Declarations of studies: every function that they name is there, and no study is loaded before it runs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields

import pytest

from socialstats.studies.catalogue import CATALOGUE, AtFirstUse
from socialstats.studies.page import Study

LOADED = """
import sys
import socialstats as ss
design = ss.Comparisons.from_frame({"item_a": ["a", "b"], "item_b": ["b", "a"], "winner": ["a", "b"]})
names = [study.name for study in ss.STUDIES.values() if study.applies(design)]
print(names, [name for name in sys.modules if name.startswith(("socialstats.scales.", "socialstats.studies."))])
"""


def functions_of(study: Study) -> Iterator[AtFirstUse]:
    """Yield the functions of a study that are loaded when they are called."""
    for field in fields(study):
        value = getattr(study, field.name)
        for function in value.values() if isinstance(value, dict) else (value,):
            if isinstance(function, AtFirstUse):
                yield function


@pytest.mark.parametrize("study", CATALOGUE, ids=lambda study: study.name)
def test_every_function_is_there(study: Study) -> None:
    functions = [*functions_of(study)]
    assert functions
    for function in functions:
        assert inspect.isfunction(function.load()), function.place


def test_a_table_finds_its_study_without_the_code_of_any() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("['comparisons'] ")
    for name in ("comparisons", "role_conflict.study", "grouped", "ratings", "tables_of_ratings"):
        assert f"'socialstats.studies.{name}'" not in done.stdout
    assert "socialstats.scales." not in done.stdout
