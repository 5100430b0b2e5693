"""Logs of Inspect AI: ``.eval`` (a zip) and ``.json``, new and old versions; inspect-ai itself is not needed.

Entries of an ``.eval``: ``header.json`` (or ``_journal/start.json`` of a run that did not end), ``summaries.json``,
``samples/<id>_epoch_<n>.json``, ``reductions.json``. A ``.json`` log holds the same as one object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from socialstats.claims.types import Log
from socialstats.errors import InputError
from socialstats.text import count
from socialstats_collect.readers.files import json_stream
from socialstats_collect.readers.inspect_claims import claims, clusters, scorers
from socialstats_collect.readers.inspect_rows import rows
from socialstats_collect.readers.source import Source
from socialstats_collect.readers.tabular import cell, frame, mapping, sequence, status_notes, without_long
from socialstats_collect.readers.zips import Archive

NAME = "inspect"
NEEDS = "a .eval file, or a .json with 'eval' and 'status' (Inspect AI)"
HEADER, START = "header.json", "_journal/start.json"
SUMMARIES = re.compile(r"_journal/summaries/(\d+)\.json")
SAMPLE = re.compile(r"samples/.*\.json", re.DOTALL)
SLIM = ("id", "epoch", "target", "metadata", "scores", "error", "limit", "score")
TOP = ("version", "status", "eval", "results", "reductions", "error", "invalidated")
RUN = ("task_args", "model_args", "config", "dataset", "created")


@dataclass(slots=True, kw_only=True)
class Parts:
    """The parts of a log that statistics need."""

    top: dict[str, Any]
    samples: list[dict[str, Any]] = field(default_factory=list)


def recognises(source: Source) -> bool:
    """Tell whether this is an Inspect log."""
    if source.kind == "zip":
        return HEADER in source.names or START in source.names
    return source.kind == "object" and source.has("status", "eval") and "task" in mapping(source.first["eval"])


def read(source: Source) -> Log:
    """Read an Inspect log: a row a sample, epoch and scorer; dict and list values a row a part (``scorer/part``)."""
    parts = _read_zip(source) if source.kind == "zip" else _read_json(source)
    about = mapping(parts.top.get("eval"))
    found, notes = rows(about, parts.samples, _reductions(parts.top), scorers(parts.top))
    found, long = without_long(found)
    return Log(
        harness=NAME,
        version=cell(mapping(about.get("packages")).get("inspect_ai")),
        files=(source.path.name,),
        rows=frame(found),
        claims=tuple(claims(parts.top, found, source.path.name)),
        notes=(*_state(parts.top), *notes, *status_notes(found), *long),
        settings={name: cell(about[name]) or "" for name in RUN if about.get(name)},
    )


def _slim(sample: Any, source: Source) -> dict[str, Any]:
    if not isinstance(sample, dict) or "id" not in sample:
        raise InputError(f"{source.path.name}: a sample without an id. Is this a log that Inspect wrote?")
    return {key: sample[key] for key in SLIM if key in sample}


def _read_json(source: Source) -> Parts:
    """Read one member after the other; of samples only what is needed is kept."""
    parts = Parts(top={})
    with json_stream(source.path, nan=True) as stream:
        for key in stream.members():
            if key == "samples" and stream.peek() == "[":
                parts.samples.extend(_slim(sample, source) for sample in stream.elements())
            elif key in TOP:
                parts.top[key] = stream.value()
            else:
                stream.value(plain=True)
        if stream.peek():
            raise stream.broken("there is text after the end of the log")
    return parts


def _read_zip(source: Source) -> Parts:
    with Archive(source.path) as archive:
        name = HEADER if HEADER in archive else START
        top = mapping(archive.json(name, nan=True))
        if name == START:
            top["status"] = top.get("status") or "started"
        if "reductions.json" in archive:
            top["reductions"] = archive.json("reductions.json", nan=True, spelled=False)
        return Parts(top=top, samples=_samples(archive, top, source))


def _samples(archive: Archive, top: dict[str, Any], source: Source) -> list[dict[str, Any]]:
    """Take the summaries; read whole samples only where a summary misses something that is needed."""
    found = {_entry(s): s for s in (_slim(s, source) for s in _summaries(archive))}
    needed = clusters(top)
    for name in [name for name in archive.names if SAMPLE.fullmatch(name)]:
        if name not in found or _too_thin(found[name], needed):
            sample = _slim(archive.json(name, nan=True, spelled=False), source)
            found[_entry(sample)] = sample
    return list(found.values())


def _too_thin(summary: dict[str, Any], needed: set[str]) -> bool:
    """Tell whether a summary misses scores or metadata: old versions wrote neither, new ones leave out long values."""
    if not (summary.get("scores") or summary.get("error")) or "metadata" not in summary:
        return True
    return not needed <= set(mapping(summary["metadata"]))


def _entry(sample: dict[str, Any]) -> str:
    return f"samples/{sample['id']}_epoch_{sample.get('epoch', 1)}.json"


def _summaries(archive: Archive) -> Iterator[Any]:
    if "summaries.json" in archive:
        yield from sequence(archive.json("summaries.json", nan=True, spelled=False))
        return
    numbered = sorted((int(match[1]), name) for name in archive.names if (match := SUMMARIES.fullmatch(name)))
    for _, name in numbered:
        yield from sequence(archive.json(name, nan=True, spelled=False))


def _reductions(top: dict[str, Any]) -> list[Any]:
    return sequence(top.get("reductions")) or sequence(mapping(top.get("results")).get("sample_reductions"))


def _state(top: dict[str, Any]) -> Iterator[str]:
    status = cell(top.get("status"))
    if status != "success":
        yield f"the run did not end well: its status is '{status}', so its numbers may be about a part of the samples"
    if top.get("invalidated"):
        yield "the log says that it was invalidated"
    results = mapping(top.get("results"))
    total, done = results.get("total_samples"), results.get("completed_samples")
    if isinstance(total, int) and isinstance(done, int) and done < total:
        yield f"the harness counts {count(done)} of {count(total)} samples as completed"
