"""The tables and figures of a page as files of a folder: ``report --files FOLDER``, and ``run``."""

from __future__ import annotations

from pathlib import Path

import socialstats_reports
from socialstats.errors import InputError
from socialstats.progress import say
from socialstats.tables.writing import Kind, kind_by_mark, table_like, writable_place, write_whole

FIGURE = kind_by_mark("a figure of socialstats (SVG)", '<svg [^>]*data-made="socialstats"')
PDF = Kind(
    "a figure of socialstats (PDF)", lambda path: b"/Creator (socialstats)" in path.read_bytes()
)


def write_page_files(page: str, folder: str) -> None:
    """Write every table (csv) and every figure (svg) of a page, by its name.

    Parameters
    ----------
    page : str
        As `socialstats_reports.render` returns it.
    folder : str
        Is made where it is missing.

    Raises
    ------
    InputError
        For a folder that is a file, and files there that would be lost. Nothing is written then.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise InputError(f"{folder} is a file. Name a folder for the tables and figures")
    contents = files_of_page(page)
    target.mkdir(parents=True, exist_ok=True)
    for name, (_, kind) in contents.items():
        writable_place(str(target / name), kind)
    for name, (text, kind) in contents.items():
        write_whole(str(target / name), text, kind)
    say(f"wrote {len(contents)} tables and figures into {target.resolve()}", slow=True)


def files_of_page(page: str) -> dict[str, tuple[str, Kind]]:
    """Return text and kind of each table and figure of a page, by the name of its file."""
    results = socialstats_reports.read_results(page)
    tables = {
        table["name"]: number for number, table in socialstats_reports.tables_in(results).items()
    }
    files: dict[str, tuple[str, Kind]] = {}
    for name, number in tables.items():
        columns = socialstats_reports.columns_of(results, number)
        text = socialstats_reports.table_of(results, number, "csv")
        files[f"{name}.csv"] = (text, table_like(columns, "csv"))
    for number, name in socialstats_reports.figures_in(results).items():
        files[f"{name}.svg"] = (socialstats_reports.figure_of(page, number), FIGURE)
    return files
