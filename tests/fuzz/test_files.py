"""A hundred changed files, others each time; the seed stands in the message."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("resource")
for package in ("pyarrow", "pyreadstat", "openpyxl", "odf", "duckdb", "lxml", "pypdfium2"):
    pytest.importorskip(package)

from tests.fuzz import files  # noqa: E402


def test_the_files_are_valid_before_they_are_changed(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from socialstats.audit.documents.reading import read_document
    from socialstats.tables import read_table

    folder = tmp_path_factory.mktemp("seeds")
    for name, data in files.seeds().items():
        (folder / name).write_bytes(data)
        if name.startswith("paper"):
            assert read_document(folder / name).passages
        elif name.startswith("x"):
            assert read_table(folder / name).height == 24


@pytest.mark.slow
def test_changed_files_end_in_errors_of_ours() -> None:
    seed = random.SystemRandom().randrange(10**9)
    assert not files.run(100, seed), f"seed {seed}"
