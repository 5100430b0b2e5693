"""``socialstats collect``, ``form`` and ``merge``: what they do with the options they are given."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
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
from socialstats_collect.protocols.base import replay
from socialstats_collect.rehearsal import rehearse
from socialstats_collect.run import Run, versions
from socialstats_collect.runfile import RunFile, read_runfile
from socialstats_collect.saying import DONE, refuse_windows, say_hidden
from socialstats_collect.secrets import hide, host_of, print_hidden
from socialstats_collect.summary import as_text, failures, methods_text, summary_of_cells
from socialstats_collect.survey import Work, survey
from socialstats_collect.tally import BYTES_A_TOKEN, Progress
from socialstats_collect.tidy import table_of

STOPPED, BAD_INPUT, UNFINISHED, INTERRUPTED = 1, 2, 4, 130


def collect(options: argparse.Namespace) -> int:
    """Run a run file, or say what it would do; or write one to start from."""
    if options.new:
        return _start(*options.new)
    if not options.runfile:
        raise InputError("name a run file, or write one to start from: --new PROTOCOL FOLDER")
    refuse_windows()
    sys.excepthook = print_hidden
    runfile = read_runfile(Path(options.runfile), options.base_url)
    if options.base_url:
        hosts = dict.fromkeys(runfile.models, host_of(options.base_url))
        there = replace(runfile.endpoint, base_url=options.base_url)
        runfile = replace(
            runfile, endpoint=there, endpoints={}, design=replace(runfile.design, hosts=hosts)
        )
    path = Path(options.output or Path(options.runfile).with_suffix(".log.jsonl"))
    if options.dry_run:
        with Log(path) if path.exists() else nullcontext() as log:
            runfile, change = _resumed(runfile, log)
            reply_to = log.reply if log else lambda _: None
            work = survey(runfile, reply_to, estimate=True)
            notes = _rehearsed(runfile, work)
            print("\n".join(map(hide, _plan(runfile, work))))
            for note in [*notes, *_changes(change)]:
                say_hidden(note)
            _check(options, log, change)
        return DONE
    for model in runfile.models:
        runfile.endpoint_of(model).key()
    if not path.parent.exists():
        raise InputError(
            Problem(message=f"no folder {path.parent}", source=path.name, fix="Make it first.")
        )
    with Log(path, writing=True) as log:
        runfile, change = _resumed(runfile, log)
        _check(options, log, change)
        work = survey(runfile, log.reply)
        progress = Progress(sys.stderr, total=work.units)
        run = Run(runfile=runfile, log=log, report=progress, counts_unread=sys.stderr.isatty())
        for note in [*log.repairs(), *_rehearsed(runfile, work), *_changes(change)]:
            say_hidden(note)
        say_hidden(f"{work}; writing to {path.name}")
        code = _go(run, work, progress)
    _ended(run, work)
    return code


def _rehearsed(runfile: RunFile, work: Work) -> list[str]:
    """Stop where replies could not be read, if any are still to come; return notes."""
    return rehearse(runfile.design) if work.finished < work.units else []


def _resumed(runfile: RunFile, log: Log | None) -> tuple[RunFile, Change]:
    """Match a run file with the designs of a log that it goes on with."""
    change = matched(
        replace(runfile.design, versions=versions()), designs_of(log.runs) if log else []
    )
    return replace(runfile, design=change.design), change


def _check(options: argparse.Namespace, log: Log | None, change: Change) -> None:
    """Refuse to ask in other words than before, unless that is wanted; say how many units it would be."""
    if options.again or log is None or not (change.words or change.changed):
        return
    added = {*change.added}
    before, now = (
        sum(
            replay(one.protocol, unit, log.reply)[1] is None
            for unit in one.units()
            if unit.item_id not in added
        )
        for one in (designs_of(log.runs)[-1], change.design)
    )
    if before > now:
        refuse_changes(change, log.path.name, before - now)


def _changes(change: Change) -> Iterator[str]:
    if said := str(change):
        yield f"since the last run: {said}"


def _open(run: Run, work: Work) -> None:
    """Write the design that the run begins with; its items only where no run before had the same."""
    log, design = run.log, run.runfile.design
    last = log.runs[-1] if log.runs else None
    same = last and "format" in last and design_of(last).items == design.items
    heads = [one["run_id"] for one in heads_of(log.runs)]
    started = datetime.now(UTC).isoformat()
    for line in design.lines(
        run.run_id,
        heads,
        started,
        work.units,
        last.get("items_of", last["run_id"]) if same and last else "",
    ):
        log.append(line)


def _start(name: str, folder: str) -> int:
    """Write a protocol's run file, items and texts into a folder, where nothing is overwritten."""
    protocol_class(name)
    there, target = files("socialstats_collect") / "new" / name, Path(folder)
    made = {Path(one.name): one for one in there.iterdir() if one.is_file()}
    made |= {Path("texts", one.name): one for one in (there / "texts").iterdir()}
    if old := [str(target / one) for one in sorted(made) if (target / one).exists()]:
        raise InputError(
            Problem(message=f"{', '.join(old)} would be overwritten", fix="Name another folder.")
        )
    (target / "texts").mkdir(parents=True, exist_ok=True)
    for one, text in sorted(made.items()):
        (target / one).write_bytes(text.read_bytes())
        print(target / one)
    command = shlex.join(["socialstats", "collect", str(target / "run.toml"), "--dry-run"])
    say_hidden(f"put your models into run.toml; next: {command}")
    return DONE


def _go(run: Run, work: Work, progress: Progress) -> int:
    """Run, and return the exit code."""
    try:
        _open(run, work)
        asyncio.run(run.go())
    except asyncio.CancelledError:
        run.stop("interrupted at once; calls in progress were abandoned")
    except OSError as error:
        fix = "Everything before is in the log; make room and run the same command again."
        raise InputError(
            Problem(
                message=f"cannot be written: {error.strerror or error}",
                source=run.log.path.name,
                fix=fix,
            )
        ) from None
    finally:
        progress.close()
        with suppress(OSError):  # so that a lost last line of the run leaves a gap
            run.log.append({"type": "end", "run_id": run.run_id, "stopped": run.stopped})
    if run.stopped.startswith("interrupted"):
        return INTERRUPTED
    if run.fault or run.patient:
        return BAD_INPUT if run.fault else UNFINISHED
    return STOPPED if run.stopped or run.tally.units_done < progress.total else DONE


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
        say_hidden(f"{model} was abandoned: {why}")
    missing = work.units - tally.units_done
    if run.stopped:
        say_hidden(f"{'error' if run.fault else 'stopped'}: {run.stopped}")
    if missing:
        say_hidden(
            f"{missing:,} of {work.units:,} units are not finished; run the same command again to ask only for those"
        )


def form(options: argparse.Namespace) -> int:
    """Write a page, or a table, in which people answer what the models are asked."""
    path = Path(options.runfile)
    log = Path(options.log or path.with_suffix(".log.jsonl"))
    target = options.output or ("" if options.csv else str(path.with_suffix(".form.html")))
    for one, kind in ((target, PAGE), (options.csv, TO_FILL_IN)):
        if one and one != "-":
            writable_place(one, kind)
    with Log(log) if options.log or log.exists() else nullcontext() as record:
        design = _resumed(read_runfile(path), record)[0].design
    n = len(design.asked)
    each = options.per_rater or n
    parts = (
        parts_of(n, options.raters, each, design.seed)
        if options.raters or options.per_rater
        else []
    )
    data = form_data(design, parts)
    if options.csv:
        put_rows(options.csv, rows_to_fill_in(data))
        say_hidden(f"table to fill in: {options.csv}")
    if target:
        write_whole(target, page(data), PAGE)
        say_hidden(
            f"form {data['form_id']} of {count(n, 'question')}, {each} for each rater: {target}"
        )
    say_hidden("what comes back: socialstats tidy LOG --people FILE_OR_FOLDER")
    return DONE


def merge(options: argparse.Namespace) -> int:
    """Merge logs of one design: every record once."""
    refuse_windows()
    seen: set[object] = set()
    with opened_whole(options.output, LOG) as out:
        for name in options.logs:
            with Log(Path(name)) as log:
                for note in log.repairs():
                    say_hidden(f"{name}: {note}")
                held = False
                for line in log.records():
                    held = True
                    if line.get("n", 0) is None:
                        line.pop("n")
                    mark = (line["run_id"], line["n"]) if "n" in line else digest(line)
                    if mark not in seen:
                        seen.add(mark)
                        out.write(encode(line))
                if not held:
                    raise InputError(
                        f"{name} holds no record of 'socialstats collect': name the log of a run"
                    )
        out.flush()
        with Log(Path(f"/dev/fd/{out.fileno()}")) as log:
            log.path = Path(options.output)  # its name for messages
            table_of(log)
            said = f"{count(log.tally.calls, 'attempt')} of {count(len(options.logs), 'log')} in {options.output}"
    say_hidden(said)
    return DONE


def _plan(runfile: RunFile, work: Work) -> Iterable[str]:
    design, limits = runfile.design, runfile.limits
    factors = ", ".join(f"{len(levels)} {name}" for name, levels in design.factors.items())
    items = (
        f"{count(len(design.asked), 'item')} x {factors} x {count(design.replicates, 'replicate')}"
    )
    yield f"protocol {design.protocol.name}: {items}"
    if controls := sum(design.protocol.once(item.columns) for item in design.asked):
        yield f"{count(controls, 'item')} of them control texts, which judges score once"
    yield str(work)
    back = (
        f"at most {work.back:,} back"
        if not work.unbounded
        else "no max_tokens bounds what comes back"
    )
    yield f"at most {count(work.calls, 'call')}, failed attempts aside; about {work.sent:,} tokens to send, {back}"
    yield f"(tokens by tiktoken, or {BYTES_A_TOKEN} bytes each where it is not installed; at most {work.bytes_sent:,})"
    free = [model for model in runfile.models if model not in runfile.prices]
    if work.cost:
        without = f", without {quoted(free)}" if free else ""
        most = "cost of what is sent about" if work.unbounded else "cost at most"
        yield f"{most} {work.cost:,.4g}, by the prices of the run file{without}"
    if limits.max_cost is not None and free:
        yield f"[prices] has none for {quoted(free)}: max_cost ends the run where the endpoint says no cost either"
    for name, unit in (
        ("max_calls", "calls"),
        ("max_tokens_total", "tokens"),
        ("max_cost", "in money"),
    ):
        if (allowed := getattr(limits, name)) is not None:
            short = (
                f", fewer than the {work.units:,} units need"
                if unit == "calls" and allowed < work.units
                else ""
            )
            yield f"limits: at most {allowed:,} {unit}{short}"
