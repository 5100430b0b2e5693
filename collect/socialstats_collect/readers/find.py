"""Which harness wrote a log: by its content, whatever its name."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from types import ModuleType

from socialstats.claims.types import Log
from socialstats.errors import InputError
from socialstats.text import listing, quoted
from socialstats_collect.readers.files import Source, look

MODULES = (
    "inspect", "lm_eval", "helm", "openai_evals", "promptfoo", "deepeval", "eqbench", "role_conflict_bench", "arena",
    "ada_met", "gain", "scenarios",
)  # fmt: skip
TABLES = ("arena", "ada-met", "gain", "scenarios")  # harnesses whose logs are plain tables
DEEPEST = 5


def harnesses() -> dict[str, ModuleType]:
    """Return the module of each harness by its name."""
    modules = [importlib.import_module(f"socialstats_collect.readers.{name}") for name in MODULES]
    return {str(module.NAME): module for module in modules}


def holds_log(path: Path) -> bool:
    """Tell whether a file is the log of a harness, and no plain table that `socialstats.tables` reads."""
    source = look(path)
    if source.kind == "text":
        return False
    return any(module.recognises(source) for name, module in harnesses().items() if name not in TABLES)


def read_log(path: str | os.PathLike[str], harness: str | None = None) -> Log:
    """Read the log of one run.

    Parameters
    ----------
    path : str or path
        A log file, or the folder of a run.
    harness : str, optional
        Its harness, such as ``inspect`` or ``lm-eval``; by default found by the content.

    Returns
    -------
    Log
        Rows, the harness's own numbers, and notes.

    Raises
    ------
    InputError
        If no reader knows the log, it is damaged, or a folder holds several.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "notes.json"
    >>> _ = file.write_text('{"a": 1}')
    >>> read_log(file)
    Traceback (most recent call last):
    socialstats.errors.InputError: notes.json: no known log (its keys: ...). Looked for: ...
    """
    logs = read_logs(path, harness)
    if len(logs) > 1:
        names = quoted([log.files[0] for log in logs])
        raise InputError(f"{Path(path).name}: {len(logs)} logs in this folder ({names}). Name one of them")
    return logs[0]


def read_logs(path: str | os.PathLike[str], harness: str | None = None) -> tuple[Log, ...]:
    """Read every log of a folder (or the one of a file); see `read_log`.

    Raises
    ------
    InputError
        If there is none that a reader knows.
    """
    place = Path(path)
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder")
    known = harnesses()
    chosen = {harness: known[_named(harness, known)]} if harness is not None else known
    source = look(place)
    found = _in(source, list(chosen.values()), 0)
    if not found and source.trouble:
        raise InputError(source.trouble)
    if not found:
        held = f" (its keys: {quoted([*source.first], 8)})" if source.first else ""
        needs = "; ".join(module.NEEDS for module in chosen.values())
        raise InputError(f"{place.name}: no known log{held}. Looked for: {needs}")
    return tuple(found)


def _named(harness: str, known: dict[str, ModuleType]) -> str:
    name = harness.strip().lower().replace("_", "-").replace("/", "-")
    if name not in known:
        raise InputError(f"there is no harness '{harness}'. Harnesses: {listing([*known], 20)}")
    return name


def _in(source: Source, modules: list[ModuleType], depth: int) -> list[Log]:
    """Read a file or folder as a whole where a reader knows it, else what is in the folder, result files first."""
    for module in modules:
        if module.recognises(source):
            log: Log = module.read(source)
            return [log]
    if source.kind != "folder" or depth == DEEPEST:
        return []
    found: list[Log] = []
    children = sorted(source.path.iterdir(), key=lambda p: (p.is_dir(), ".jsonl" in p.name, p.name))
    for child in children:
        taken = {name for log in found for name in log.files}
        if child.name.startswith(".") or (child.is_file() and child.name in taken) or child.is_symlink():
            continue
        if child.is_file() or child.is_dir():
            found += _in(look(child), modules, depth + 1)
    return found
