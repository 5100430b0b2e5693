"""``socialstats collect`` and ``socialstats tidy``: what they do with the options they are given."""

from __future__ import annotations

import argparse
import asyncio
import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from socialstats.errors import InputError, Problem
from socialstats.tables.writing import as_bytes, format_of, write_whole
from socialstats.text import count
from socialstats_collect.log import Log
from socialstats_collect.run import Run, Work, belongs, header, survey
from socialstats_collect.runfile import RunFile, read_runfile
from socialstats_collect.tally import Progress
from socialstats_collect.tidy import Record, as_cell, as_text, by_cell, failures, methods, opened_record, tidy_rows

DONE, STOPPED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def collect(options: argparse.Namespace) -> int:
    """Run a run file, or say what it would do."""
    _system()
    runfile = read_runfile(Path(options.runfile))
    if options.base_url:
        there = replace(runfile.endpoint, base_url=options.base_url)
        runfile = replace(runfile, endpoint=there, endpoints={})
    path = Path(options.output or Path(options.runfile).with_suffix(".log.jsonl"))
    if options.dry_run:
        print("\n".join(_plan(runfile, survey(runfile, _on_record(path)))))
        return DONE
    for model in [*runfile.factors["model"], *runfile.settings.judges]:
        runfile.endpoint_of(model).key()
    _writable(path)
    with Log(path) as log:
        work = survey(runfile, log.answered)
        progress = Progress(sys.stderr, total=work.units)
        run = Run(runfile=runfile, log=log, report=progress, counts_unread=sys.stderr.isatty())
        line = header(runfile, run.run_id, work.units)
        for note in [*_repaired(log), *belongs(log, line)]:
            _say(note)
        log.append(line)
        _say(f"{count(work.units, 'unit')}, {work.begun:,} begun before; writing to {path.name}")
        code = _go(run, progress)
    _ended(run, path, work)
    return code


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
    """Write the table of a log."""
    _system()
    format_of(options.output or "-")
    with opened_record(Path(options.log)) as record:
        rows = [{name: as_cell(value) for name, value in row.items()} for row in tidy_rows(record)]
        names = list(dict.fromkeys(name for row in rows for name in row))
        target = options.output or "-"
        if format_of(target) == "parquet":
            write_whole(Path(target), _columnar(rows, names))
        else:
            _write(target, _table(rows, names, target))
        if options.methods:
            _write(options.methods, methods(record) + "\n")
        for note in _notes(record, rows):
            _say(note)
    return DONE


def _on_record(path: Path) -> Callable[[str], bool]:
    """Return which requests a log answers; a log that is not there answers none."""
    if not path.exists() or not path.stat().st_size:
        return lambda _: False
    with opened_record(path) as record:
        return lambda key: bytes.fromhex(key) in record.answers


def _notes(record: Record, rows: Sequence[Mapping[str, object]]) -> Iterable[str]:
    planned = int(record.runs[-1].get("n_units", 0))
    yield f"{count(len(rows), 'row')} from {count(len(record.seen), 'unit')}"
    if planned > len(record.seen):
        yield f"{planned - len(record.seen):,} of {planned:,} planned units were never asked and have no row"
    missing = sum(row.get("answer_status") == "missing" for row in rows)
    if missing:
        yield f"{missing:,} rows have no answer yet (answer_status missing): run the run file again"
    if record.broken:
        shown = ", ".join(str(number) for number in record.broken[:5])
        yield f"{len(record.broken):,} lines of the log are not readable and were left out: {shown}"


def _table(rows: Sequence[Mapping[str, object]], names: Sequence[str], target: str) -> str:
    if target.endswith((".jsonl", ".ndjson")):
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, names, delimiter="\t" if target.endswith(".tsv") else ",", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _columnar(rows: Sequence[Mapping[str, object]], names: Sequence[str]) -> bytes:
    """A table as parquet."""
    import pandas as pd

    return as_bytes(pd.DataFrame({name: [row.get(name) for row in rows] for name in names}), "parquet")


def _write(target: str, text: str) -> None:
    """Write a file as a whole or not at all; ``-`` is stdout."""
    if target == "-":
        sys.stdout.write(text)
        return
    write_whole(Path(target), text.encode())


def _plan(runfile: RunFile, work: Work) -> Iterable[str]:
    factors = ", ".join(f"{len(levels)} {name}" for name, levels in runfile.factors.items())
    items = f"{count(len(runfile.items.ids), 'item')} x {factors} x {count(runfile.replicates, 'replicate')}"
    yield f"protocol {runfile.protocol.name}: {items}"
    yield f"{count(work.units, 'unit')}, {work.begun:,} begun before, {work.units - work.begun:,} to ask"
    yield f"about {work.prompt_tokens:,} tokens to send with first questions, at most {work.completion_tokens:,} back"
    limits = runfile.limits
    if limits.max_calls is not None:
        yield f"limits: at most {limits.max_calls:,} calls"
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
