"""Texts that are no UTF-8: UTF-16 by its mark, Windows-1252 by its bytes, any other encoding by name.

The spreadsheets of Western Europe write Windows-1252, of which Latin-1 is a part. Its accented letters stand among
ASCII letters. Other encodings show symbols or capitals inside of words, or long runs of letters beyond ASCII.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, zip_longest
from typing import TypeVar

from socialstats.errors import InputError
from socialstats.progress import announce
from socialstats.tables.aliases import Records
from socialstats.tables.delimited import all_records, delimiter_of
from socialstats.tables.formats import Format
from socialstats.tables.sources import BLOCK, ByteSource, open_text
from socialstats.tables.writing import SEPARATORS
from socialstats.text import quoted
from socialstats.voice import option

T = TypeVar("T")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
WESTERN = "windows-1252"
# bytes that are no text become characters from U+DC80 to U+DCFF, which no text has
ESCAPED = "surrogateescape"
BAD = re.compile("[\udc80-\udcff]")
UTF8 = re.compile("[^\0-\x7f\udc80-\udcff]")
# no characters of Windows-1252
UNDEFINED = re.compile("[\udc81\udc8d\udc8f\udc90\udc9d]")
STRANGE = re.compile(
    "[a-z][\udc82-\udc89\udc8b\udc98\udc99\udc9b\udca1-\udca9\udcac\udcae\udcaf\udcb1-\udcb3\udcb5\udcb6"
    # symbols inside of words: letters of Central Europe, of DOS and of old Macs
    "\udcb8\udcb9\udcbc-\udcbf][a-z]"
    "|[\udcb3\udcb9][a-z\udcc0-\udcff]"
    # capitals behind small letters
    "|[a-z][\udc8a\udc8c\udc8e\udc9f\udcc0-\udcd6\udcd8-\udcde](?![A-Z])"
    "|[A-Z]\udc9f[a-z]"
    # many letters beyond ASCII in a row, as in Greek and Cyrillic
    "|[\udcc0-\udcff]{3,}"
)
USUAL = re.compile("(?<![\udcc0-\udcff])[\udcc0-\udcff]{1,2}(?![\udcc0-\udcff])")
# strange places for each usual one: names such as deÉtat are some
MOST_STRANGE = 0.1
# words that a note shows
MOST_WORDS = 3
WORD = re.compile("[\\w\udc80-\udcff]*[\udc80-\udcff][\\w\udc80-\udcff]*")


def in_encoding(source: ByteSource, encoding: str | None) -> ByteSource:
    """Return a source that is read in the encoding that was asked for, or that its first bytes name.

    Raises
    ------
    InputError
        For an encoding that nobody knows.
    """
    if encoding is None:
        return replace(source, encoding="UTF-16") if source.head(2) in UTF16_MARKS else source
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    except (LookupError, ValueError) as error:
        encodings = "utf-8, utf-16, windows-1252, windows-1250, iso-8859-15, mac-roman, shift-jis or gb18030"
        raise InputError(
            f"{option('encoding', encoding)} is no encoding. Name one such as {encodings}"
        ) from error
    return replace(source, encoding=encoding)


def as_encoded(
    read: Callable[[ByteSource], T], source: ByteSource, format: Format
) -> tuple[T, str]:
    """Read a text, again in Windows-1252 where it is no UTF-8; return what was read, and a word on the encoding.

    A guess is said on the command line, and a warning in Python.

    Raises
    ------
    InputError
        For bytes that are no text, with line and column.
    """
    try:
        return read(source), f"read as {source.encoding}" if source.encoding.upper() not in (
            "",
            "UTF-8",
        ) else ""
    except UnicodeDecodeError as error:
        words = [] if source.encoding else western_words(source)
        if not words:
            raise bad_text(source, format) from error
    note = f"not UTF-8, and read as Windows-1252, such as {quoted(words)}"
    if not announce(f"note: {source.name}: {note}"):
        warnings.warn(f"{source.name}: {note}", UnicodeWarning, stacklevel=2)
    return read(replace(source, encoding=WESTERN)), note


def western_words(source: ByteSource) -> list[str]:
    """Return the first words beyond ASCII of a text in Windows-1252; none for a text in another encoding.

    Raises
    ------
    InputError
        For a text beyond the limits.
    """
    words: dict[str, None] = {}
    strange = usual = 0
    with open_text(replace(source, errors=ESCAPED)) as text:
        while block := text.read(BLOCK):
            if UTF8.search(block) or UNDEFINED.search(block):
                return []
            strange, usual = (
                strange + len(STRANGE.findall(block)),
                usual + len(USUAL.findall(block)),
            )
            words |= dict.fromkeys(WORD.findall(block) if len(words) < MOST_WORDS else ())
    words_read = [
        word.encode("ascii", ESCAPED).decode(WESTERN) for word in islice(words, MOST_WORDS)
    ]
    return words_read if strange <= MOST_STRANGE * usual else []


def bad_text(source: ByteSource, format: Format) -> InputError:
    """Return the error of a text with bytes that its encoding has not: the first of them, its line and column."""
    what, fix = source.encoding or "UTF-8", "Save it as UTF-8"
    if not source.encoding:
        fix = f"Say which encoding the file has, such as {option('encoding', 'windows-1250')}, or save it as UTF-8"
    names: list[str] = []
    try:
        for line, fields in fields_of(replace(source, errors=ESCAPED), format):
            names = names or fields
            for column, text_of_column in zip_longest(names, fields, fillvalue=""):
                if bad := BAD.search(text_of_column):
                    message = f"byte 0x{ord(bad[0]) - 0xDC00:02x} is not {what}"
                    named = column if column and fields is not names else None
                    return InputError(source.problem(message, line, column=named, fix=fix))
    except UnicodeDecodeError:
        # bytes of UTF-16 come in pairs
        pass
    return InputError(f"{source.name}: the text is not {what}. {fix}")


def fields_of(source: ByteSource, format: Format) -> Records:
    """Yield the lines of a text with their fields; those of JSON have one, without a name."""
    if format in SEPARATORS:
        yield from all_records(source, delimiter_of(source, SEPARATORS[format]))
    else:
        yield 0, [""]
        with open_text(source) as text:
            for line, text_line in enumerate(text, 1):
                yield line, [text_line]
