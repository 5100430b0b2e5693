"""The commands of the record: ``write`` makes one, ``compare`` prints the differences of two."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import scipy

import socialstats
from socialstats.text import count
from tests.record.comparing import KINDS, ROUNDING, Difference, differences
from tests.record.entries import UNEXPECTED, Entry, read, write

TOP = Path(__file__).parents[2]
PARTS = ("metrics", "pages")
OF_PAGES, BLOCK = "page ", ", block "  # in the names of cases of pages, and of their results
SHOWN = 200  # differences that are printed, where no other number is asked for
EQUAL, DIFFERENT, USAGE = 0, 1, 2


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code: 0 where nothing differs, 1 where something does."""
    asked = parser().parse_args(arguments)
    parts = [part for part in PARTS if getattr(asked, part)] or [*PARTS]
    if asked.command == "compare":
        return compare(asked.before, asked.after, parts, asked.case, asked.most, asked.exact)
    if asked.commit:
        return write_commit(asked.out, asked.commit, parts, asked.case)
    return write_tree(asked.out, parts, asked.case, asked.source)


def parser() -> argparse.ArgumentParser:
    """Return the parser of both commands."""
    selection = argparse.ArgumentParser(add_help=False)
    selection.add_argument("--metrics", action="store_true", help="only the results of metrics")
    selection.add_argument("--pages", action="store_true", help="only the pages of studies")
    selection.add_argument("--case", default="", help="only cases whose name contains this text")
    made = argparse.ArgumentParser(prog="python -m tests.record", description=__doc__)
    commands = made.add_subparsers(dest="command", required=True)
    writing = commands.add_parser("write", parents=[selection], help="record a working tree")
    writing.add_argument("out", type=Path)
    writing.add_argument("--commit", help="record this commit, and not the working tree")
    writing.add_argument("--source", default="", help=argparse.SUPPRESS)  # of a copy: its commit
    comparing = commands.add_parser("compare", parents=[selection], help="compare two records")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--most", type=int, default=SHOWN, help="differences printed; 0: all")
    comparing.add_argument("--exact", action="store_true", help="rounding is a difference, too")
    return made


def write_tree(out: Path, parts: Sequence[str], text: str, source: str) -> int:
    """Record the tree that this module stands in."""
    if not Path(socialstats.__file__).is_relative_to(TOP):
        print(f"{socialstats.__file__} is not of {TOP}: set PYTHONPATH=.:collect:reports there")
        return USAGE
    head = {
        "source": source or described(),
        "parts": [*parts],
        "case": text,
        "versions": {
            "python": sys.version.split()[0],
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
    }
    unexpected: list[str] = []
    written = write(out, head, entries(parts, text, unexpected))
    print(f"{count(written, 'case')} of {head['source']} in {out}")
    for case in unexpected[:SHOWN]:
        print(f"an unexpected error in place of a result: {case}")
    return EQUAL


def entries(parts: Sequence[str], text: str, unexpected: list[str]) -> Iterator[Entry]:
    """Yield the entries of some parts, of cases whose name contains a text; list those with unexpected errors."""
    from tests.record.calls import metric_entries, page_entries
    from tests.record.reports import report_entries

    kinds = {"metrics": (metric_entries,), "pages": (page_entries, report_entries)}
    for entry in (entry for part in parts for made in kinds[part] for entry in made(text)):
        if str(entry.facts.get("error", "")).startswith(UNEXPECTED):
            unexpected.append(entry.case)
        yield entry


def described() -> str:
    """Return the commit of the working tree, and whether files differ from it."""
    return git("describe", "--always", "--abbrev=12", "--dirty= with changes").strip()


def git(*arguments: str) -> str:
    """Return what git prints."""
    done = subprocess.run(["git", *arguments], cwd=TOP, capture_output=True, text=True, check=True)
    return done.stdout


def write_commit(out: Path, commit: str, parts: Sequence[str], text: str) -> int:
    """Record a commit in a copy of its own, with the recorder of this tree."""
    name = git("rev-parse", "--short=12", f"{commit}^{{commit}}").strip()
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "tree")
        copy.mkdir()
        packed = Path(folder, "tree.tar")
        git("archive", "--output", str(packed), name)
        shutil.unpack_archive(packed, copy, filter="data")
        recorder = copy / "tests" / "record"
        shutil.rmtree(recorder, ignore_errors=True)
        shutil.copytree(TOP / "tests" / "record", recorder)
        paths = os.pathsep.join(str(copy / part) for part in ("", "collect", "reports"))
        command = [sys.executable, "-m", "tests.record", "write", str(out.absolute())]
        chosen = [f"--{part}" for part in parts]
        done = subprocess.run(
            [*command, "--source", name, "--case", text, *chosen],
            cwd=copy,
            env={**os.environ, "PYTHONPATH": paths},
            check=False,
        )
    return done.returncode


def compare(
    before: Path, after: Path, parts: Sequence[str], text: str, most: int, exact: bool
) -> int:
    """Print the differences of two records, and return whether there are any."""
    (old_head, old), (new_head, new) = (read(path) for path in (before, after))
    common = [part for part in parts if part in old_head["parts"] and part in new_head["parts"]]
    for part in parts:
        if part not in common:
            print(f"{part} are not in both records, and are not compared")
    text = text or old_head["case"] or new_head["case"]
    if text:
        print(f"only cases with {text!r} in their name")
    if old_head["versions"] != new_head["versions"]:
        print(f"made with {old_head['versions']} and {new_head['versions']}")
    old, new = (
        {case: entry for case, entry in one.items() if is_asked(case, common, text)}
        for one in (old, new)
    )
    if not old and not new:
        print("there is nothing to compare")
        return USAGE
    told = [*differences(old, new)]
    rounded = [one for one in told if one.kind == "rounding"]
    listed = told if exact else [one for one in told if one.kind != "rounding"]
    print_listed(listed, most)
    print_sizes(listed)
    for head, cases in ((old_head, old), (new_head, new)):
        fields = count(numbers_of(cases), "number, name or text", "numbers, names and texts")
        print(f"{head['source']}: {count(len(cases), 'case')}, {fields}")
    if rounded:
        largest = max(one.relative for one in rounded)
        print(
            f"{count(len(rounded), 'difference')} of rounding, at most {ROUNDING:g} relative "
            f"(the largest: {largest:.2g})"
        )
    counts = Counter(one.kind for one in listed)
    kinds = "; ".join(f"{counts[kind]:,} {what}" for kind, what in KINDS.items() if counts[kind])
    print(f"{count(len(listed), 'difference')}: {kinds}" if listed else "no differences")
    return DIFFERENT if listed else EQUAL


def is_asked(case: str, parts: Sequence[str], text: str) -> bool:
    """Return whether a case belongs to one of the parts, and its name, or that of its page, contains a text."""
    part = "pages" if case.startswith(OF_PAGES) else "metrics"
    return part in parts and text in (case.partition(BLOCK)[0] if part == "pages" else case)


def numbers_of(cases: dict[str, Entry]) -> int:
    """Return how many fields all entries have."""
    return sum(
        sum(map(len, entry.rows)) + len(entry.facts) + len(entry.texts) for entry in cases.values()
    )


def print_listed(listed: Sequence[Difference], most: int) -> None:
    """Print differences under the names of their cases."""
    case = ""
    for one in listed[: most or None]:
        if one.case != case:
            case = one.case
            print(case)
        print(f"  {one}")
    if most and len(listed) > most:
        print(f"... and {len(listed) - most:,} more differences (--most 0 prints all)")


def print_sizes(listed: Sequence[Difference]) -> None:
    """Print how many numbers changed in each field, and by how much at most."""
    fields: defaultdict[str, list[Difference]] = defaultdict(list)
    for one in listed:
        if one.kind == "number":
            place = one.place.rpartition(", ")[2] if one.place.startswith("row ") else one.place
            fields[place if one.place.startswith("row ") else place.partition(".")[0]].append(one)
    for name, changes in sorted(fields.items(), key=lambda pair: -len(pair[1])):
        absolute, relative = (
            max(getattr(one, size) for one in changes) for size in ("absolute", "relative")
        )
        print(f"{name}: {len(changes):,} changed, at most {absolute:.2g}, relative {relative:.2g}")
