"""``socialstats collect`` and ``socialstats tidy``: what they do with the options they are given."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from socialstats.errors import InputError, Problem
from socialstats.tables.writing import as_bytes, format_of, write_whole
from socialstats.text import count
from socialstats.voice import option
from socialstats_collect.log import Log
from socialstats_collect.people import with_people
from socialstats_collect.protocols import protocol_class
from socialstats_collect.run import Run, Work, belongs, header, survey
from socialstats_collect.runfile import RunFile, read_runfile
from socialstats_collect.tally import Progress
from socialstats_collect.tidy import (
    Record,
    Tidied,
    as_cell,
    as_text,
    by_cell,
    failures,
    methods,
    opened_record,
    protocol_of,
    tidied,
    tidy_rows,
)

DONE, STOPPED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def collect(options: argparse.Namespace) -> int:
    """Run a run file, or say what it would do; or write one to start from."""
    if options.new:
        return _start(*options.new)
    if not options.runfile:
        raise InputError("name a run file, or write one to start from: --new PROTOCOL FOLDER")
    _system()
    runfile = read_runfile(Path(options.runfile))
    if options.base_url:
        there = replace(runfile.endpoint, base_url=options.base_url)
        runfile = replace(runfile, endpoint=there, endpoints={})
    path = Path(options.output or Path(options.runfile).with_suffix(".log.jsonl"))
    if options.dry_run:
        with opened_record(path) if path.exists() and path.stat().st_size else nullcontext() as record:
            print("\n".join(_plan(runfile, survey(runfile, record.reply if record else lambda _: None))))
        return DONE
    for model in [*runfile.factors["model"], *runfile.settings.judges]:
        runfile.endpoint_of(model).key()
    _writable(path)
    with Log(path) as log:
        work = survey(runfile, log.reply)
        progress = Progress(sys.stderr, total=work.units)
        run = Run(runfile=runfile, log=log, report=progress, counts_unread=sys.stderr.isatty())
        line = header(runfile, run.run_id, work.units)
        for note in [*_repaired(log), *belongs(log, line)]:
            _say(note)
        log.append(line)
        _say(f"{work}; writing to {path.name}")
        code = _go(run, progress)
    _ended(run, path, work)
    return code


def _start(name: str, folder: str) -> int:
    """Write a protocol's run file, items and texts into a folder, where nothing is overwritten."""
    protocol_class(name)
    there, target = files("socialstats_collect") / "new" / name, Path(folder)
    made = {Path(one.name): one for one in there.iterdir() if one.is_file()}
    made |= {Path("texts", one.name): one for one in (there / "texts").iterdir()}
    if old := [str(target / one) for one in sorted(made) if (target / one).exists()]:
        raise InputError(Problem(message=f"{', '.join(old)} would be overwritten", fix="Name another folder."))
    (target / "texts").mkdir(parents=True, exist_ok=True)
    for one, text in sorted(made.items()):
        (target / one).write_bytes(text.read_bytes())
        print(target / one)
    command = shlex.join(["socialstats", "collect", str(target / "run.toml"), "--dry-run"])
    _say(f"put your models into run.toml; next: {command}")
    return DONE


def _go(run: Run, progress: Progress) -> int:
    """Run, and return the exit code."""
    try:
        asyncio.run(run.go())
    except asyncio.CancelledError:
        run.stop("interrupted at once; calls under way were given up")
    except OSError as error:
        fix = "Everything before is in the log; make room and run the same command again."
        raise InputError(
            Problem(message=f"cannot be written: {error.strerror or error}", source=run.log.path.name, fix=fix)
        ) from None
    finally:
        progress.close()
    if run.stopped.startswith("interrupted"):
        return INTERRUPTED
    if run.fault:
        return BAD_INPUT
    return STOPPED if run.stopped or run.tally.units_done < progress.total else DONE


def _ended(run: Run, path: Path, work: Work) -> None:
    """Say how it ended: by cell, what failed, what is missing, how to go on."""
    tally = run.tally
    if tally.calls:
        factors = [name for name, levels in run.runfile.factors.items() if len(levels) > 1 or name == "model"]
        with opened_record(path) as record:
            print(as_text(by_cell(tidy_rows(record), factors)))
            print(f"\n{methods(record)}")
    for note in [*tally.costs(), *tally.changes(), *failures(tally)]:
        _say(note)
    missing = work.units - tally.units_done
    if run.stopped:
        _say(f"{'error' if run.fault else 'stopped'}: {run.stopped}")
    if missing:
        _say(f"{missing:,} of {work.units:,} units are not finished; run the same command again to ask only for those")


def tidy(options: argparse.Namespace) -> int:
    """Write the table of a log, with people's answers below, and that of control texts."""
    _system()
    target = options.output or "-"
    format_of(target)
    with opened_record(Path(options.log)) as record:
        protocol = protocol_of(record.runs[-1])
        found = list(tidied(record))
        rows: list[Mapping[str, object]] = [row for one in found if not one.control for row in one.rows]
        said = list(_notes(record, found))
        if options.people:
            rows, note = with_people(rows, protocol, record.items, Path(options.people))
            said.append(note)
        _save(target, rows)
        beside = _controls(target, [row for one in found if one.control for row in one.rows], options.controls, said)
        if options.methods:
            _write(options.methods, f"{methods(record)}\n".encode())
    for note in said:
        _say(note)
    if target != "-":
        words = protocol.report(rows)
        _say(f"next: {shlex.join(['socialstats', 'report' if words else 'check', target, *words, *beside])}")
    return DONE


def _controls(target: str, rows: Sequence[Mapping[str, object]], given: str | None, said: list[str]) -> list[str]:
    """Write the table of control texts beside the other one; return the option that names it to a report."""
    if not rows:
        if given:
            raise InputError(f"{option('controls', given, f'--controls {given}')}: the log holds no control texts")
        return []
    if target == "-" and not given:
        where = option("controls", "FILE", "--controls FILE")
        said.append(f"{count(len(rows), 'row')} of control texts left out: {where} writes them")
        return []
    given = given or str(Path(target).with_suffix(f".controls{Path(target).suffix}"))
    _save(given, rows)
    said.append(f"{count(len(rows), 'row')} of control texts in {given}")
    return ["--controls", given]


def _notes(record: Record, found: Sequence[Tidied]) -> Iterable[str]:
    rows = [row for one in found for row in one.rows]
    units, finished = int(record.runs[-1]["n_units"]), sum(one.planned and one.finished for one in found)
    begun = sum(one.planned for one in found)
    yield f"{count(len(rows), 'row')} from {count(len(found), 'unit')}"
    if finished < units:
        yield (
            f"{finished:,} of {units:,} planned units are finished, {units - finished:,} to ask ({units - begun:,} of "
            "them never asked): run the run file again"
        )
    if earlier := len(found) - begun:
        yield f"{count(earlier, 'unit')} of earlier versions of the run file are in the table too"
    if missing := sum(row.get("answer_status") == "missing" for row in rows):
        yield f"{missing:,} rows have no answer yet (answer_status missing)"
    if record.broken:
        shown = ", ".join(str(number) for number in record.broken[:5])
        yield f"{len(record.broken):,} lines of the log are not readable and were left out: {shown}"


def _save(target: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as a table in the format of the file's name; ``-`` is stdout."""
    import pandas as pd

    cells = [{name: as_cell(value) for name, value in row.items()} for row in rows]
    names = list(dict.fromkeys(name for row in cells for name in row))
    _write(target, as_bytes(pd.DataFrame(cells, columns=names, dtype=object), format_of(target)))


def _write(target: str, content: bytes) -> None:
    """Write a file as a whole or not at all; ``-`` is stdout."""
    if target == "-":
        sys.stdout.write(content.decode())
    else:
        write_whole(Path(target), content)


def _plan(runfile: RunFile, work: Work) -> Iterable[str]:
    factors = ", ".join(f"{len(levels)} {name}" for name, levels in runfile.factors.items())
    items = f"{count(len(runfile.items.ids), 'item')} x {factors} x {count(runfile.replicates, 'replicate')}"
    yield f"protocol {runfile.protocol.name}: {items}"
    if controls := sum(map(runfile.protocol.once, runfile.items.rows)):
        yield f"{count(controls, 'item')} of them control texts, which judges score once"
    yield str(work)
    yield f"about {work.prompt_tokens:,} tokens to send with first questions, at most {work.completion_tokens:,} back"
    limits = runfile.limits
    if limits.max_calls is not None:
        short = f", fewer than the {work.units:,} units need" if limits.max_calls < work.units else ""
        yield f"limits: at most {limits.max_calls:,} calls{short}"
    if limits.max_tokens_total is not None:
        yield f"limits: at most {limits.max_tokens_total:,} tokens"


def _repaired(log: Log) -> Iterable[str]:
    if log.torn:
        yield f"an unfinished last line ({log.torn:,} bytes) was taken off the log; its request is asked again"
    if log.broken:
        yield f"{len(log.broken):,} lines of the log are not readable and are passed over (first: line {log.broken[0]})"


def _writable(path: Path) -> None:
    if not path.parent.exists():
        raise InputError(Problem(message=f"no folder {path.parent}", source=path.name, fix="Make it first."))


def _system() -> None:
    if not hasattr(os, "pread"):
        raise InputError("collect and tidy need Linux or macOS: on Windows, run them in WSL")


def _say(text: str) -> None:
    print(text, file=sys.stderr)
