"""Names of files: one file, a folder, or a pattern; which of the files there are those of a table."""

from __future__ import annotations

import glob
import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NoReturn
from urllib.parse import unquote

from socialstats.errors import InputError
from socialstats.tables.encodings import in_encoding
from socialstats.tables.formats import named_format
from socialstats.tables.limits import check_limit, limit
from socialstats.tables.sources import ByteSource, from_path, standard_input
from socialstats.tables.writing import PAGE
from socialstats.text import quoted

URL = re.compile(r"([a-z][a-z0-9+.-]+):/+(?=[^/])", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of a table.

    Attributes
    ----------
    name : str
        As messages call it.
    path : Path
    source : Source
    sheet : str
        Of a workbook.
    label : str
        What the file may stand for, such as a model.
    """

    name: str
    path: Path
    source: ByteSource
    sheet: str = ""
    label: str = ""

    @property
    def partition(self) -> dict[str, str | None]:
        """Columns that the names of its folders hold, as Hive and Spark write them: ``model=a``."""
        parts = (part.partition("=") for part in Path(self.name).parts[:-1] if "=" in part)
        return {
            name: None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value)
            for name, _, value in parts
        }


Files = Sequence[File]


def file_of(name: str, label: str = "", encoding: str | None = None) -> File:
    """Return the file of a name, in some encoding; ``-`` is standard input, ``book.xlsx:Sheet1`` a sheet.

    Raises
    ------
    InputError
        For an address, and where there is no such file.
    """
    path, sheet = Path(name), ""
    if name == "-":
        source = standard_input()
    else:
        book, colon, after = name.rpartition(":")
        if colon and not path.exists() and Path(book).is_file():
            path, sheet = Path(book), after
        else:
            refuse_url(name)
        source = from_path(path)
    source = in_encoding(source, encoding)
    return File(name=source.name, path=source.path or path, source=source, sheet=sheet, label=label)


def files_of_pattern(name: str, encoding: str | None = None) -> list[File] | None:
    """Return the files of a folder or of a pattern, sorted; None for the name of a single file.

    Names that begin with a dot or an underscore, or end in ``.crc``, are none of the table's: Spark writes such. Plans,
    run files (TOML) and pages of socialstats are none either, where other files are there.

    Raises
    ------
    InputError
        For a folder, or a pattern, without files, and for links to files that are gone.
    """
    place = base = Path(name)
    if place.is_dir():
        paths = files_below(place)
    elif (
        name != "-"
        and glob.has_magic(name)
        and not place.exists()
        and not Path(name.rpartition(":")[0]).is_file()
    ):
        paths = files_like(place)
        base = Path(os.path.commonpath([path.parent for path in paths])) if paths else place
    else:
        return None
    if gone := [str(path.relative_to(base)) for path in paths if not path.exists()]:
        raise InputError(
            f"{name}: links stand for files that are not there: {quoted(gone, 5)}. Fetch them (with 'git annex get' "
            "where git-annex keeps them), or remove the links"
        )
    paths = [path for path in paths if not is_beside(path)] or paths
    if not paths:
        refuse_url(name)
        what = "this is a folder without a file" if place.is_dir() else "there is no such file"
        raise InputError(f"{name}: {what}. Name the files of a table")
    sources = [in_encoding(from_path(path), encoding) for path in paths]
    names = [str(path.relative_to(base)) for path in paths]
    return [
        File(name=name, path=path, source=source)
        for name, path, source in zip(names, paths, sources, strict=True)
    ]


def is_beside(path: Path) -> bool:
    """Whether a file is a plan, a run file or a page of socialstats, as they stand beside tables."""
    return path.suffix == ".toml" or (path.suffix == ".html" and PAGE.known(path))


def files_like(pattern: Path) -> list[Path]:
    """Return the files that a pattern names, sorted; ``**`` does not follow links to folders, which may lead back."""
    # glob takes relative patterns; one that is relative has the anchor "", which is the working folder
    top = Path(pattern.anchor)
    paths = list(islice(top.glob(str(pattern.relative_to(top))), int(limit("files")) + 1))
    check_limit("files", len(paths), str(pattern))
    return sorted(path for path in paths if may_be_table(path, path.name))


def files_below(folder: Path) -> list[Path]:
    """Return the files in a folder and its folders, sorted, but for those that are hidden and Spark's checksums.

    Raises
    ------
    OSError
        If a folder in it cannot be read: its rows would be missing.
    """
    paths: list[Path] = []
    for here, _, names in os.walk(folder, onerror=raised):
        paths += [Path(here, name) for name in names]
        check_limit("files", len(paths), str(folder))
    return sorted(path for path in paths if may_be_table(path, *path.relative_to(folder).parts))


def raised(error: OSError) -> NoReturn:
    """Raise an error that `os.walk` would pass over."""
    raise error


def may_be_table(path: Path, *parts: str) -> bool:
    """Return whether a file may be a table: not hidden, as no part of its name is, and no mark or checksum of Spark.

    A link to a file that is gone may be one too: `files_of_pattern` says so.
    """
    file = path.is_file() or (path.is_symlink() and not path.exists())
    return file and path.suffix != ".crc" and not any(part.startswith((".", "_")) for part in parts)


def refuse_strays(files: Files, folder: str) -> None:
    """Refuse a folder that holds files of other formats beside those of a table; a csv and a tsv file are alike.

    Raises
    ------
    InputError
        Naming the files that are fewer.
    """
    formats = [named_format(file.name) for file in files]
    kinds = ["csv" if format == "tsv" else format for format in formats]
    counts = Counter(kind for kind in kinds if kind is not None)
    if not counts:
        return
    usual, _ = counts.most_common(1)[0]
    table = [file for file, kind in zip(files, kinds, strict=True) if kind == usual]
    places = {file.path.parent for file in table}
    strays = [file.name for file in files if file not in table and file.path.parent in places]
    if strays:
        end = "".join(table[0].path.suffixes[-2 if table[0].path.suffix == ".gz" else -1 :])
        deep = any(os.sep in file.name for file in table)
        pattern = shlex.quote(str(Path(folder, "**" if deep else "", f"*{end}")))
        verb, them = ("is", "it") if len(strays) == 1 else ("are", "them")
        raise InputError(
            f"{folder}: {quoted(strays, 5)} {verb} in this folder beside files such as {table[0].name}, which are a "
            f"table of another format. Move {them}, or name the files of the table by a pattern: {pattern}"
        )


def refuse_url(name: str) -> None:
    """Refuse an address, also one whose slashes a path has joined.

    Raises
    ------
    InputError

    Examples
    --------
    >>> refuse_url("https:/example.org/x.csv")
    Traceback (most recent call last):
    socialstats.errors.InputError: https://example.org/x.csv is a URL. Download it first: curl -LO https://example.org/x.csv
    """
    match = URL.match(name)
    if match is None or len(match[1]) < 2 or Path(name).exists():
        return
    url = f"{match[1]}://{name[match.end() :]}"
    get = (
        f"Download it first: curl -LO {shlex.quote(url)}"
        if match[1].lower() in ("http", "https", "ftp")
        else ""
    )
    raise InputError(f"{url} is a URL. {get or 'Copy the file to this machine, and name its path'}")
