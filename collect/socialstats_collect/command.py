"""``socialstats collect`` and ``socialstats tidy``: what they do with the options they are given."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

from socialstats.errors import InputError, Problem
from socialstats.tables.labels import MISSING
from socialstats.tables.writing import (
    LOG,
    METHODS,
    format_by_name,
    is_read,
    opened_whole,
    put_rows,
    straight,
    writable_place,
    write_whole,
)
from socialstats.text import count, quoted
from socialstats.voice import option
from socialstats_collect.ask import digest
from socialstats_collect.declared import named_columns, next_words, renaming
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
from socialstats_collect.people import people_rows
from socialstats_collect.protocols import protocol_class
from socialstats_collect.protocols.base import replay
from socialstats_collect.rehearsal import rehearse
from socialstats_collect.run import Run, versions
from socialstats_collect.runfile import RunFile, read_runfile
from socialstats_collect.secrets import hide, host_of, print_hidden
from socialstats_collect.survey import Work, survey
from socialstats_collect.tally import BYTES_A_TOKEN, Progress
from socialstats_collect.tidy import LogTable, Summary, as_cells, as_text, failures, table_of

DONE, STOPPED, BAD_INPUT, UNFINISHED, INTERRUPTED = 0, 1, 2, 4, 130


def collect(options: argparse.Namespace) -> int:
    """Run a run file, or say what it would do; or write one to start from."""
    if options.new:
        return _start(*options.new)
    if not options.runfile:
        raise InputError("name a run file, or write one to start from: --new PROTOCOL FOLDER")
    _system()
    sys.excepthook = print_hidden
    runfile = read_runfile(Path(options.runfile))
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
                _say(note)
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
            _say(note)
        _say(f"{work}; writing to {path.name}")
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
    _say(f"put your models into run.toml; next: {command}")
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
            print(hide(as_text(_summary(table).table())))
            print(hide(f"\n{table.methods()}"))
    for note in [*tally.costs(), *tally.changes(), *failures(tally), *log.notes]:
        _say(note)
    for model, why in run.shut.items():
        _say(f"{model} was abandoned: {why}")
    missing = work.units - tally.units_done
    if run.stopped:
        _say(f"{'error' if run.fault else 'stopped'}: {run.stopped}")
    if missing:
        _say(
            f"{missing:,} of {work.units:,} units are not finished; run the same command again to ask only for those"
        )


def _summary(table: LogTable) -> Summary:
    factors = dict.fromkeys(
        name
        for one in table.designs
        for name, levels in one.factors.items()
        if len(levels) > 1 or name == "model"
    )
    summary = Summary(list(factors))
    for rows, control in table.tidied():
        for row in () if control else rows:
            summary.add(row)
    return summary


def tidy(options: argparse.Namespace) -> int:
    """Write the table of a log, with people's answers below, and that of control texts."""
    _system()
    target, path = options.output or "-", Path(options.log)
    format_by_name(target)
    if options.methods and options.methods != "-":
        writable_place(options.methods, METHODS)
    with Log(path) as log:
        runfile = _runfile(log, path, options.compared)
        is_read(*([runfile] if runfile else []))
        table = table_of(log, runfile)
        said = [*log.repairs(), *table.notes]
        factors = [*dict.fromkeys(name for one in table.designs for name in one.factors)]
        summary = Summary(factors or ["model"])
        people: list[dict[str, object]] = []
        if options.people and table.designs:
            people, notes = people_rows(table.designs[-1], Path(options.people))
            said += notes
        raters = {"rater", "source"} if people else set()
        declared = renaming(runfile, table.designs)
        said += [named_columns(declared)] if declared else []
        controls: list[dict[str, object]] = []

        def rows() -> Iterator[dict[str, object]]:
            for several, control in table.tidied():
                for row in several:
                    if control:
                        controls.append(as_cells(row))
                        continue
                    summary.add(row)
                    filled = {**row, **{name: row.get("model") for name in raters - row.keys()}}
                    yield with_names(as_cells(filled), declared)
            items = (
                {item.id: item.columns for one in table.designs for item in one.asked}
                if people
                else {}
            )
            for row in people:
                yield with_names(as_cells(table.columns(items[str(row["item_id"])], row)), declared)

        made = (
            list(rows()) if log.damaged or log.lost else rows()
        )  # answers without an item have columns of their own
        put_rows(target, made, [name for row in people for name in with_names(row, declared)])
        said[:0] = _counted(table, summary)
        beside = _controls(target, controls, options.controls, said)
        if options.methods:
            write_whole(options.methods, f"{table.methods()}\n", METHODS)
    for note in [*said, *log.tally.changes()]:
        _say(note)
    if options.summary:
        print(as_text(summary.table()), file=sys.stdout if target != "-" else sys.stderr)
    if target != "-" and table.designs:
        _say_next(target, table, runfile, beside, summary, bool(people))
    return DONE


def with_names(row: Mapping[str, object], names: Mapping[str, str]) -> dict[str, object]:
    """Return a row whose columns have the names that a study declares."""
    return {names.get(column, column): value for column, value in row.items()}


def _say_next(
    target: str,
    table: LogTable,
    runfile: Path | None,
    beside: list[str],
    summary: Summary,
    people: bool,
) -> None:
    """Print the command that analyses a table: that of a study's file, or the options of the protocol."""
    words = next_words(runfile)
    if not words:
        protocol = table.designs[-1].protocol
        words = protocol.report(summary.varies, people)
        # rows without probabilities, as those of people are, would be dropped
        drops = people and "--missing" in protocol.probable
        if words and summary.has("p_rest") and not drops:
            words += protocol.probable
            sampled = "the report reads the sampled answers, no probabilities"
            _say(f"without {shlex.join(protocol.probable)} {sampled}")
        levels = {
            level
            for design in table.designs
            for levels in design.factors.values()
            for level in levels
        }
        words += [*beside, *(["--na", ""] if levels & MISSING else [])]
    command = ["socialstats", "report" if words else "check", target, *words]
    _say(f"next: {shlex.join(command)}")


def _runfile(log: Log, path: Path, named: str | None) -> Path | None:
    """The run file to compare a log with: the one that is named, or that of the log where it still stands beside."""
    if named:
        return Path(named)
    beside = [
        path.parent / str(run.get("run_file")) for run in log.runs[-1:] if run.get("run_file")
    ]
    return next((one for one in beside if one.is_file()), None)


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
        _say(f"table to fill in: {options.csv}")
    if target:
        write_whole(target, page(data), PAGE)
        _say(f"form {data['form_id']} of {count(n, 'question')}, {each} for each rater: {target}")
    _say("what comes back: socialstats tidy LOG --people FILE_OR_FOLDER")
    return DONE


def merge(options: argparse.Namespace) -> int:
    """Merge logs of one design: every record once."""
    _system()
    seen: set[object] = set()
    with opened_whole(options.output, LOG) as out:
        for name in options.logs:
            with Log(Path(name)) as log:
                for note in log.repairs():
                    _say(f"{name}: {note}")
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
    _say(said)
    return DONE


def _controls(
    target: str, rows: Sequence[Mapping[str, object]], given: str | None, said: list[str]
) -> list[str]:
    """Write the table of control texts beside the other one; return the option that names it to a report."""
    if not rows:
        if given:
            raise InputError(
                f"{option('controls', given, f'--controls {given}')}: the log holds no control texts"
            )
        return []
    if not given and (target == "-" or straight(target)):
        where = option("controls", "FILE", "--controls FILE")
        said.append(f"{count(len(rows), 'row')} of control texts left out: {where} writes them")
        return []
    given = given or str(Path(target).with_suffix(f".controls{Path(target).suffix}"))
    put_rows(given, rows)
    said.append(f"{count(len(rows), 'row')} of control texts in {given}")
    return ["--controls", given]


def _counted(table: LogTable, summary: Summary) -> Iterator[str]:
    units, asked, finished = table.units, table.asked, table.finished
    yield f"{count(summary.rows, 'row')} from {count(units, 'unit')}"
    if finished < units:
        yield (
            f"{finished:,} of {units:,} planned units are finished, {units - finished:,} to ask ({units - asked:,} of "
            "them never asked): run the run file again"
        )
    if missing := sum(int(str(row["missing"])) for row in summary.table()):
        yield f"{missing:,} rows have no answer yet (answer_status missing)"
    if (left := table.log.tally.answers - table.used) > 0:
        yield f"{count(left, 'answer')} on record belong to no unit of the design (other words, items taken out)"


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


def _system() -> None:
    if not hasattr(os, "pread"):
        raise InputError("collect and tidy need Linux or macOS: on Windows, run them in WSL")


def _say(text: str) -> None:
    print(hide(text), file=sys.stderr)
