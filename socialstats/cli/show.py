"""The show command: read a report back, as text or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from socialstats.cli.page_files import FIGURE, PDF
from socialstats.cli.writing import SUFFIXES
from socialstats.designs.settings import Settings
from socialstats.errors import InputError
from socialstats.results.side_by_side import WORD
from socialstats.tables.sources import small_file
from socialstats.tables.writing import (
    MARKDOWN,
    NUMBERS,
    Kind,
    table_like,
    text_like,
    write_whole,
)
from socialstats.text import listing, shorten
from socialstats_reports import (
    as_pdf,
    columns_of,
    contents_of,
    figure_of,
    markdown_of,
    quote_of,
    read_results,
    table_of,
    word_of,
)

LONGEST = 2000  # characters of a line of text
CONTENTS = "tables and figures (--table NAME, --figure NAME; rows x columns)"


def run(options: argparse.Namespace) -> int:
    """Print or write the summary of a report, its JSON, a table, a figure or the quotation; of a study its lines."""
    if Path(options.report).suffix.lower() == ".toml":
        from socialstats.cli.own_study import read_study

        print(read_study(options.report))
        return 0
    name = "stdin" if options.report == "-" else options.report
    if Path(options.report).is_dir():
        raise InputError(f"{name}: this is a folder. Name a page that 'socialstats report' wrote")
    raw = small_file(Path(options.report))
    if options.report != "-" and MARKDOWN.known(Path(options.report)):
        raise InputError(
            f"{name}: this is {MARKDOWN.name}, which holds no numbers. Name the page (.html) that it was made of"
        )
    try:
        page = raw.decode("utf-8")
        content, kind = shown(page, read_results(page), options)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name}: not a page of text ({error.reason} at byte {error.start:,})"
        ) from error
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(
            f"{name}: its JSON was not written by this version of socialstats ({error!r})"
        ) from error
    target = options.output or "-"
    if target != "-":
        write_whole(target, content, kind)
        print(f"wrote {Path(target).resolve()}", file=sys.stderr)
    elif isinstance(content, str):
        sys.stdout.write(content)
    else:
        if sys.stdout.isatty():
            raise InputError(f"not printing {kind.name} to a terminal; name a file with -o")
        sys.stdout.buffer.write(content)
    return 0


def shown(page: str, results: Settings, options: argparse.Namespace) -> tuple[str | bytes, Kind]:
    """Return what the options ask for, and the kind of file that it makes."""
    if options.json:
        chosen(options, ("json",))
        return json.dumps(results, indent=1, allow_nan=False) + "\n", NUMBERS
    if options.table is not None:
        format = chosen(options, ("csv", "md", "latex", "docx"))
        if format == "docx":
            return word_of(results, options.table), WORD
        content = table_of(results, options.table, format)
        named = (
            table_like(columns_of(results, options.table), "csv")
            if format == "csv"
            else text_like(content)
        )
        return content, named
    if options.figure is not None:
        format = chosen(options, ("svg", "pdf"))
        drawing = figure_of(page, options.figure)
        return (drawing, FIGURE) if format == "svg" else (as_pdf(drawing), PDF)
    if options.quote:
        content = quote_of(results, chosen(options, ("text", "latex")))
        return content, text_like(content)
    if chosen(options, ("text", "md")) == "md":
        return markdown_of(results), MARKDOWN
    content = "\n".join(summary(results)) + "\n"
    return content, text_like(content)


def chosen(options: argparse.Namespace, formats: Sequence[str]) -> str:
    """Return the format: the one given, that of the suffix of the file, or the first of those known."""
    suffixed = Path(options.output or "-").suffix
    if options.format is None and not suffixed:
        return formats[0]
    wanted = options.format or SUFFIXES.get(suffixed.lower(), suffixed[1:])
    if wanted not in formats:
        raise InputError(
            f"this is written as {listing(list(formats))}, not as {shorten(wanted)}. Choose one with --format"
        )
    return wanted


def summary(results: Settings) -> list[str]:
    """Return a report as lines of text: question, answer, cautions, blocks, deviations, names of tables and figures."""
    run = results.get("run", {})
    status = run.get("status") or "exploratory"
    lines = [said(results["title"]), said(f"{results['study']}, {status}; {results['design']}")]
    lines += [said(results["simulated"])] if results["simulated"] else []
    verdict = [results["verdict"]] if results.get("verdict") else []
    lines += ["", *(said(text) for text in (*verdict, *results["answer"]))]
    for caution in results["cautions"]:
        detail = f": {caution['detail']}" if caution["detail"] else ""
        lines.append(said(f"{caution['severity']}: {caution['code']} {caution['short']}{detail}"))
    for block in results["blocks"]:
        mark = f" [{block['status']}]" if block.get("status") else ""
        lines += [
            "",
            said(block["question"]) + mark,
            *(said(f"  {text}") for text in block["sentences"]),
        ]
    lines += ["", *(said(line) for line in _made(results, run))]
    return [*lines, "", CONTENTS, *(said(f"  {line}") for line in contents_of(results))]


def _made(results: Settings, run: Settings) -> list[str]:
    """State what was verified, and how the page was made."""
    lines = [f"verified    {results.get('verified', 'not said by this page')}"]
    lines += [f"{name:<11} {value}" for name, value in run.get("facts", {}).items()]
    if run.get("plan_sha256"):
        lines.append(f"plan sha256 {run['plan_sha256']}")
        deviations = run.get("deviations", [])
        lines += [f"deviation   {text}" for text in deviations] or ["deviations  none"]
    return [*lines, f"made by     socialstats {results['socialstats']}"]


def said(text: str) -> str:
    """Return a line that a terminal prints as it is: without control characters, and of some length."""
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + shorten(str(text)[indent:], LONGEST)
