"""The tables and figures of a page as files of a folder: ``report --files FOLDER``, and ``run``."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import socialstats_reports
from socialstats.errors import InputError
from socialstats.progress import say
from socialstats.tables.writing import Kind, kind_by_mark, table_like, writable_place, write_whole

# what a name of a file cannot hold on Windows or elsewhere, and names of devices there
FORBIDDEN = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]+')
DEVICES = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)", re.IGNORECASE)
LONGEST = 80  # characters of a name, which may take four bytes each
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
    tables = socialstats_reports.tables_in(results)
    names = file_names(table["name"] for table in tables.values())
    files: dict[str, tuple[str, Kind]] = {}
    for name, number in zip(names, tables, strict=True):
        columns = socialstats_reports.columns_of(results, number)
        text = socialstats_reports.table_of(results, number, "csv")
        files[f"{name}.csv"] = (text, table_like(columns, "csv"))
    figures = socialstats_reports.figures_in(results)
    for name, number in zip(file_names(figures.values()), figures, strict=True):
        files[f"{name}.svg"] = (socialstats_reports.figure_of(page, number), FIGURE)
    return files


def file_names(names: Iterable[str]) -> list[str]:
    """Return a name of a file for each name, without its suffix: legal on every system, and no two alike.

    Names that differ in case alone are alike on some systems.

    Examples
    --------
    >>> file_names(["means", "Means", "a/b", "../x", "con", "..."])
    ['means', 'Means-2', 'a-b', '-x', '_con', 'table']
    """
    used: set[str] = set()
    files = []
    for name in names:
        base = FORBIDDEN.sub("-", name)[:LONGEST].strip(". ") or "table"
        base = f"_{base}" if DEVICES.match(base) else base
        file, number = base, 1
        while file.casefold() in used:
            number += 1
            file = f"{base}-{number}"
        used.add(file.casefold())
        files.append(file)
    return files
