"""Names of tables as names of files, on every system."""

from __future__ import annotations

import re

import pytest

from socialstats.cli.page_files import file_names


@pytest.mark.parametrize(
    "name", ["a/b", "..", "../../a", "a:b", "x\\y", "a*?", "NUL", "com1.x", "ä" * 300]
)
def test_any_name_is_a_legal_name_of_a_file(name: str) -> None:
    (file,) = file_names([name])
    assert file
    assert len(file) <= 100
    assert not re.search(r'[<>:"/\\|?*]', file)
    assert not re.match(r"(?i)(nul|com1)(\.|$)", file)
    assert file == file.strip(". ")


def test_no_two_names_are_one_file() -> None:
    files = file_names(["a/b", "a:b", "A-B", "a-b-2", "a" * 200, "a" * 201])
    assert len({file.casefold() for file in files}) == 6
