"""What commands print: the options that say how, the file or stdout that it goes to, the command and the date on it."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from socialstats.cli.options import PRINTED
from socialstats.designs.aliases import Levels, Texts
from socialstats.errors import InputError
from socialstats.tables.writing import NUMBERS, PAGE, text_like, write_whole
from socialstats.text import count, listing, markdown, shorten

SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".csv": "csv",
    ".tex": "latex",
    ".xml": "junit",
    ".pdf": "pdf",
    ".docx": "docx",
    ".xlsx": "xlsx",
    ".png": "png",
    ".svg": "svg",
}


def format_of(target: str | None, chosen: str | None, formats: Texts) -> str:
    """Return the format of an output: the one given, or that of the suffix of its file, or text.

    Parameters
    ----------
    target, given : str or None
        Of ``-o`` and ``--format``.
    formats : sequence of str
        Formats that the command writes.

    Raises
    ------
    InputError
        For a suffix of a format that the command does not write.

    Examples
    --------
    >>> format_of("out.tex", None, ["text", "latex"]), format_of("out.tex", "text", ["text", "latex"])
    ('latex', 'text')
    """
    kind = chosen or SUFFIXES.get(Path(target or "-").suffix.lower(), "text")
    if kind in formats:
        return kind
    ends = listing([end for end, name in SUFFIXES.items() if name in formats], 9)
    raise InputError(
        f"-o {target}: this command writes no {kind}. Name a file that ends in {ends}, or say --format"
    )


def write(
    options: argparse.Namespace, rendered: Callable[[str, bool], str], formats: Texts = PRINTED
) -> None:
    """Write an outcome to the file or stdout.

    Parameters
    ----------
    options : argparse.Namespace
        With those of `add_output`.
    rendered : callable
        Makes the text: one of `formats`, and whether headings are in colour.
    formats : sequence of str
        That the command writes.
    """
    target = options.output or "-"
    kind = format_of(target, options.format, formats)
    if target == "-":
        if kind == "html" and sys.stdout.isatty():
            raise InputError("not printing HTML to a terminal; name a file with -o")
        sys.stdout.write(rendered(kind, sys.stdout.isatty() and not os.environ.get("NO_COLOR")))
        return
    content = rendered(kind, False)
    write_whole(target, content, {"html": PAGE, "json": NUMBERS}.get(kind) or text_like(content))
    print(f"wrote {Path(target).resolve()}", file=sys.stderr)


def command_line() -> str:
    """Return the command as typed, without the path of the program."""
    return shlex.join(["socialstats", *sys.argv[1:]])


def source_date() -> str:
    """Return the date of SOURCE_DATE_EPOCH, if set, as YYYY-MM-DD."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%d") if epoch else ""
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(
            f"SOURCE_DATE_EPOCH={shorten(epoch)} is no count of seconds since 1970 ({error})"
        ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A checked number in a summary for people or for continuous integration.

    Attributes
    ----------
    source, name : str
        File it stands in; what it is called there.
    verdict, reason : str
        In words.
    wrong, skipped : bool
        Whether it cannot stand; whether it could not be checked.
    cells : tuple of str
        Further cells of its row.
    """

    source: str
    name: str
    verdict: str
    reason: str
    wrong: bool = False
    skipped: bool = False
    cells: Levels = ()


MOST_ROWS = 300  # a comment on a pull request holds 65,536 characters


def as_summary(
    title: str,
    headline: str,
    entries: Sequence[Entry],
    heads: Texts,
    notes: Texts = (),
    *,
    above: Texts = (),
    source: str = "File",
) -> str:
    """Return a summary in Markdown: counts of verdicts, then one table with the wrong numbers first.

    Parameters
    ----------
    title, said : str
        Heading, and the outcome in one sentence.
    entries : sequence of Entry
    heads : sequence of str
        Of the entries' further cells.
    notes, above : sequence of str
        Sentences below and above the table.
    source : str
        What the entries' sources are: the head of their column.

    Examples
    --------
    >>> found = [Entry(source="t.csv", name="n", verdict="stands", reason="", cells=("3",))]
    >>> print(as_summary("t.csv", "The one number stands.", found, ["Printed"]))  # doctest: +ELLIPSIS
    # t.csv
    <BLANKLINE>
    **The one number stands.** 1 stands
    ...
    | n | stands | 3 |  |
    """
    ranked = sorted(entries, key=lambda entry: (not entry.wrong, entry.skipped))
    files = len({entry.source for entry in entries}) > 1
    verdicts = ", ".join(
        f"{n:,} {verdict}" for verdict, n in Counter(entry.verdict for entry in ranked).items()
    )
    head = [*[source] * files, "Number", "Verdict", *heads, "Why"]
    rows = [
        [*[entry.source] * files, entry.name, entry.verdict, *entry.cells, entry.reason]
        for entry in ranked[:MOST_ROWS]
    ]
    lines = [f"# {markdown(title)}", "", f"**{markdown(headline)}** {verdicts}", ""]
    lines += [line for text in above for line in (markdown(text), "")]
    if rows:
        lines += [f"| {' | '.join(head)} |", "|" + " --- |" * len(head)]
        lines += [f"| {' | '.join(map(markdown, row))} |" for row in rows]
    others_text = count(len(ranked) - len(rows), "more number")
    more = (
        [f"{others_text}, none of them wrong" if not ranked[-1].wrong else others_text]
        if len(ranked) > len(rows)
        else []
    )
    return (
        "\n".join([*lines, "", *(f"- {markdown(text)}" for text in (*more, *notes))]).rstrip()
        + "\n"
    )


def as_junit(name: str, entries: Sequence[Entry]) -> str:
    """Return a JUnit report: a suite a file and a case a number; wrong ones fail, unchecked ones are skipped.

    The reason of another one is what its test printed.

    Examples
    --------
    >>> print(as_junit("audit", [Entry(source="t.csv", name="n", verdict="disagree", reason="3, not 4", wrong=True)]))
    <?xml version='1.0' encoding='utf-8'?>
    <testsuites name="audit" tests="1" failures="1" skipped="0">
      <testsuite name="t.csv" tests="1" failures="1" skipped="0">
        <testcase classname="t.csv" name="n">
          <failure message="disagree">3, not 4</failure>
        </testcase>
      </testsuite>
    </testsuites>
    <BLANKLINE>
    """

    def counts(of_source: Sequence[Entry]) -> dict[str, str]:
        failed, skipped = (
            sum(getattr(entry, key) for entry in of_source) for key in ("wrong", "skipped")
        )
        return {"tests": str(len(of_source)), "failures": str(failed), "skipped": str(skipped)}

    root = ET.Element("testsuites", {"name": name, **counts(entries)})
    for source in dict.fromkeys(entry.source for entry in entries):
        of_source = [entry for entry in entries if entry.source == source]
        suite = ET.SubElement(root, "testsuite", {"name": visible(source), **counts(of_source)})
        for entry in of_source:
            case = ET.SubElement(
                suite, "testcase", {"classname": visible(source), "name": visible(entry.name)}
            )
            if entry.wrong or entry.skipped:
                kind = ET.SubElement(
                    case,
                    "failure" if entry.wrong else "skipped",
                    {"message": visible(entry.verdict)},
                )
                kind.text = visible(entry.reason)
            elif entry.reason:
                ET.SubElement(case, "system-out").text = visible(entry.reason)
    ET.indent(root)
    return str(ET.tostring(root, encoding="utf-8", xml_declaration=True), "utf-8") + "\n"


def visible(text: str) -> str:
    """Return text without the characters that XML cannot hold."""
    return shorten(text, 1000)
