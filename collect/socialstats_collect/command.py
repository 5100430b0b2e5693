"""``socialstats collect``, ``form`` and ``merge``: what they do with the options they are given."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path

from socialstats.errors import InputError, Problem
from socialstats.tables.writing import (
    LOG,
    opened_whole,
    put_rows,
    writable_place,
    write_whole,
)
from socialstats.text import count, quoted
from socialstats_collect.ask import digest
from socialstats_collect.design import (
    Change,
    design_of,
    designs_of,
    heads_of,
    matched,
    refuse_changes,
)
from socialstats_collect.forming import PAGE, TO_FILL_IN, form_data, page, parts_of, rows_to_fill_in
from socialstats_collect.log import Log, encode
from socialstats_collect.protocols import protocol_class
from socialstats_collect.rehearsal import rehearse
from socialstats_collect.run import BAD_INPUT, INTERRUPTED, STOPPED, Run, versions
from socialstats_collect.runfile import RunFile, read_runfile
from socialstats_collect.saying import DONE, refuse_windows, say_hidden
from socialstats_collect.secrets import hide, print_hidden
from socialstats_collect.summary import as_text, failures, methods_text, summary_of_cells
from socialstats_collect.survey import Work, replayed, survey
from socialstats_collect.tally import BYTES_A_TOKEN, Progress
from socialstats_collect.tidy import table_of

# the address of a dry run whose file names none: no host can have it (RFC 2606), and nothing is asked
UNNAMED = "https://endpoint.invalid/v1"
NO_ENDPOINT = (
    'the run file names no endpoint: add endpoint = { base_url = "..." }, or --base-url, to run it'
)


def collect(options: argparse.Namespace) -> int:
    """Run a run file, or say what it would do; or write one to start from."""
    if options.new:
        return _start(*options.new)
    if not options.runfile:
        raise InputError("name a run file, or write one to start from: --new PROTOCOL FOLDER")
    refuse_windows()
    sys.excepthook = print_hidden
    default_url = UNNAMED if options.dry_run else None
    runfile = read_runfile(Path(options.runfile), options.base_url, default_url)
    path = Path(options.output or Path(options.runfile).with_suffix(".log.jsonl"))
    if not options.dry_run:
        for model in runfile.models:
            runfile.endpoint_of(model).key()
        if not path.parent.exists():
            message = f"no folder {path.parent}"
            raise InputError(Problem(message=message, source=path.name, fix="Make it first."))
    has_log = path.exists() or not options.dry_run
    with Log(path, writing=not options.dry_run) if has_log else nullcontext() as log:
        change = _resumed(runfile, log)
        runfile = replace(runfile, design=change.design)
        work = survey(runfile, log.reply if log else lambda _: None, estimate=options.dry_run)
        notes = [*log.repairs()] if log else []
        if work.finished < work.units:
            notes += rehearse(runfile.design)
        if runfile.endpoint.base_url == UNNAMED and not {*runfile.models} <= {*runfile.endpoints}:
            notes.append(NO_ENDPOINT)
        if words := str(change):
            notes.append(f"since the last run: {words}")
        if options.dry_run:
            print("\n".join(map(hide, _plan(runfile, work))))
        for note in notes:
            say_hidden(note)
        if log is not None and not options.again:
            _check(log, change)
        if options.dry_run or log is None:
            return DONE
        say_hidden(f"{work}; writing to {path.name}")
        progress = Progress(sys.stderr, total=work.units)
        run = Run(runfile=runfile, log=log, report=progress, counts_unread=sys.stderr.isatty())
        code = _go(run, work, progress)
    _ended(run, work)
    return code


def _resumed(runfile: RunFile, log: Log | None) -> Change:
    """Return the design of a run file, matched with those of a log that it goes on with."""
    present = replace(runfile.design, versions=versions())
    return matched(present, designs_of(log.runs) if log else [])


def _check(log: Log, change: Change) -> None:
    """Refuse to ask in other words than before; say how many units it would be."""
    if not (change.words or change.changed):
        return
    left = []
    for design in (designs_of(log.runs)[-1], change.design):
        units = replayed(design, log.reply)
        asks = [ask for unit, _, ask in units if unit.item_id not in change.added]
        left.append(sum(ask is None for ask in asks))
    before, now = left
    if before > now:
        refuse_changes(change, log.path.name, before - now)


def _open(run: Run, work: Work) -> None:
    """Write the design that the run begins with; its items only where no run before had the same."""
    log, design = run.log, run.runfile.design
    last = log.runs[-1] if log.runs else {}
    same = "format" in last and design_of(last).items == design.items
    items_of = last.get("items_of", last["run_id"]) if same else ""
    heads = [head["run_id"] for head in heads_of(log.runs)]
    started = datetime.now(UTC).isoformat()
    for line in design.lines(run.run_id, heads, started, work.units, items_of):
        log.append(line)


def _start(name: str, folder: str) -> int:
    """Write a protocol's run file, items and texts into a folder, where nothing is overwritten."""
    protocol_class(name)
    target = Path(folder)
    with as_file(files("socialstats_collect") / "new" / name) as source:
        paths = sorted(path.relative_to(source) for path in source.rglob("*.*"))
        if there := [str(target / path) for path in paths if (target / path).exists()]:
            message = f"{', '.join(there)} would be overwritten"
            raise InputError(Problem(message=message, fix="Name another folder."))
        (target / "texts").mkdir(parents=True, exist_ok=True)
        for path in paths:
            (target / path).write_bytes((source / path).read_bytes())
            print(target / path)
    command = shlex.join(["socialstats", "collect", str(target / "run.toml"), "--dry-run"])
    say_hidden(f"put your models into run.toml; next: {command}")
    return DONE


def _go(run: Run, work: Work, progress: Progress) -> int:
    """Run, and return the exit code."""
    try:
        _open(run, work)
        asyncio.run(run.go())
    except asyncio.CancelledError:
        run.stop("interrupted at once; calls in progress were abandoned", INTERRUPTED)
    except OSError as error:
        fix = "Everything before is in the log; make room and run the same command again."
        message = f"cannot be written: {error.strerror or error}"
        raise InputError(Problem(message=message, source=run.log.path.name, fix=fix)) from None
    finally:
        progress.close()
        with suppress(OSError):  # so that a lost last line of the run leaves a gap
            run.log.append({"type": "end", "run_id": run.run_id, "stopped": run.stopped})
    return run.code or (STOPPED if run.tally.units_done < progress.total else DONE)


def _ended(run: Run, work: Work) -> None:
    """State how it ended: by cell, what failed, what is missing, how to go on."""
    tally, log = run.tally, run.log
    if tally.calls:
        with Log(log.path) as record:
            table = table_of(record)
            print(hide(as_text(summary_of_cells(table).table())))
            print(hide(f"\n{methods_text(table)}"))
    for note in [*tally.costs(), *tally.changes(), *failures(tally), *log.notes]:
        say_hidden(note)
    for model, why in run.shut.items():
        # what ended the whole run is told once
        if why != run.stopped:
            say_hidden(f"{model} was abandoned: {why}")
    if run.stopped:
        say_hidden(f"{'error' if run.code == BAD_INPUT else 'stopped'}: {run.stopped}")
    if missing := work.units - tally.units_done:
        again = "run the same command again to ask only for those"
        say_hidden(f"{missing:,} of {work.units:,} units are not finished; {again}")


def form(options: argparse.Namespace) -> int:
    """Write a page, or a table, in which people answer what the models are asked."""
    path = Path(options.runfile)
    log = Path(options.log or path.with_suffix(".log.jsonl"))
    target = options.output or ("" if options.csv else str(path.with_suffix(".form.html")))
    for place, kind in ((target, PAGE), (options.csv, TO_FILL_IN)):
        if place and place != "-":
            writable_place(place, kind)
    with Log(log) if options.log or log.exists() else nullcontext() as record:
        design = _resumed(read_runfile(path), record).design
    n = len(design.asked)
    each = options.per_rater or n
    divided = options.raters or options.per_rater
    data = form_data(design, parts_of(n, options.raters, each, design.seed) if divided else [])
    if options.csv:
        put_rows(options.csv, rows_to_fill_in(data))
        say_hidden(f"table to fill in: {options.csv}")
    if target:
        write_whole(target, page(data), PAGE)
        questions = f"{count(n, 'question')}, {each} for each rater"
        say_hidden(f"form {data['form_id']} of {questions}: {target}")
    say_hidden("what comes back: socialstats tidy LOG --people FILE_OR_FOLDER")
    return DONE


def merge(options: argparse.Namespace) -> int:
    """Merge logs of one design: every record once."""
    refuse_windows()
    seen: set[str] = set()
    with opened_whole(options.output, LOG) as out:
        for name in options.logs:
            with Log(Path(name)) as log:
                for note in log.repairs():
                    say_hidden(f"{name}: {note}")
                empty = True
                for line in log.records():
                    empty = False
                    if line.get("n", 0) is None:
                        del line["n"]
                    mark = digest(line)
                    if mark not in seen:
                        seen.add(mark)
                        out.write(encode(line))
                if empty:
                    fix = "name the log of a run"
                    raise InputError(f"{name} holds no record of 'socialstats collect': {fix}")
        out.flush()
        with Log(Path(f"/dev/fd/{out.fileno()}")) as log:
            log.path = Path(options.output)  # its name for messages
            table_of(log)
            calls = log.tally.calls
    logs = count(len(options.logs), "log")
    say_hidden(f"{count(calls, 'attempt')} of {logs} in {options.output}")
    return DONE


def _plan(runfile: RunFile, work: Work) -> Iterator[str]:
    """Yield what a run would do, line by line."""
    design, limits = runfile.design, runfile.limits
    factors = ", ".join(f"{len(levels)} {name}" for name, levels in design.factors.items())
    items, replicates = count(len(design.asked), "item"), count(design.replicates, "replicate")
    yield f"protocol {design.protocol.name}: {items} x {factors} x {replicates}"
    if controls := sum(design.protocol.once(item.columns) for item in design.asked):
        yield f"{count(controls, 'item')} of them control texts, which judges score once"
    yield str(work)
    calls = f"at most {count(work.calls, 'call')}, failed attempts aside"
    back = f"at most {work.back:,} back"
    if work.unbounded:
        back = "no max_tokens bounds what comes back"
    yield f"{calls}; about {work.sent:,} tokens to send, {back}"
    yield f"(tokens by tiktoken, or {BYTES_A_TOKEN} bytes each where it is not installed; at most {work.bytes_sent:,})"
    free = quoted([model for model in runfile.models if model not in runfile.prices])
    if work.cost:
        without = f", without {free}" if free else ""
        most = "cost of what is sent about" if work.unbounded else "cost at most"
        yield f"{most} {work.cost:,.4g}, by the prices of the run file{without}"
    if limits.max_cost is not None and free:
        yield f"[prices] has none for {free}: max_cost ends the run where the endpoint says no cost either"
    if limits.max_calls is not None:
        few = limits.max_calls < work.units
        short = f", fewer than the {work.units:,} units need" if few else ""
        yield f"limits: at most {limits.max_calls:,} calls{short}"
    if limits.max_tokens_total is not None:
        yield f"limits: at most {limits.max_tokens_total:,} tokens"
    if limits.max_cost is not None:
        yield f"limits: at most {limits.max_cost:,} in money"
