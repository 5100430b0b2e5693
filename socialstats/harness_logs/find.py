"""Which harness wrote a log: by its content, whatever its name."""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, look
from socialstats.harness_logs.log import Log
from socialstats.harness_logs.tables import header, plain_name
from socialstats.harness_logs.tabular import harness_of
from socialstats.text import listing, quoted, unknown

MODULES = (
    "inspect",
    "lighteval",
    "lm_eval",
    "helm",
    "openai_evals",
    "promptfoo",
    "deepeval",
    "eqbench",
    "role_conflict_bench",
    "simple_evals",
    "mt_bench",
    "alpaca_eval",
    "ragas",
    "arena",
    "ada_met",
    "gain",
    "scenarios",
)
DEEPEST = 5
BOARD = {"standarderror", "ratingq025", "ratinglower", "mtbenchscore", "arenaelo", "numbattles"}
BOARD_SAID = "a leaderboard: numbers without their rows. Check them with socialstats audit, or give the battles"


def harnesses() -> dict[str, ModuleType]:
    """Return the module of each harness by its name."""
    return {
        harness_of(name): importlib.import_module(f"socialstats.harness_logs.{name}")
        for name in MODULES
    }


def recognises(module: ModuleType, source: Source) -> bool:
    """Return whether a reader knows a file or folder: by the forms it lists, or by a closer look of its own."""
    closer: Callable[[Source], bool] | None = getattr(module, "recognises", None)
    return source.fits(getattr(module, "FORMS", ())) or (closer is not None and closer(source))


def holds_log(path: Path) -> bool:
    """Return whether a file is the log of a harness, and no plain table that `socialstats.tables` reads."""
    source = look(path)
    modules = harnesses()
    if source.kind == "text":  # whose tables hold texts or several scores in each row
        return recognises(modules["promptfoo"], source)
    return any(source.fits(getattr(m, "FORMS", ())) for m in modules.values())


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
        raise InputError(
            f"{Path(path).name}: {len(logs)} logs in this folder ({names}). Name one of them"
        )
    return logs[0]


def read_logs(path: str | os.PathLike[str], harness: str | None = None) -> tuple[Log, ...]:
    """Read every log of a folder (or the one of a file); see `read_log`.

    Raises
    ------
    InputError
        If there is none that a reader knows.
    """
    place, modules = Path(path), harnesses()
    if not place.exists():
        raise InputError(f"{place}: there is no such file or folder")
    name = harness_of((harness or "").strip().lower().replace("/", "-"))
    if name and name not in modules:
        raise InputError(unknown("harness", name, modules, "harnesses"))
    source, chosen = look(place), [modules[name]] if name else [*modules.values()]
    logs = named_apart(place, _in(source, chosen, 0))
    if not logs and source.trouble:
        raise InputError(source.trouble)
    if not logs and {"type", "run_id", "sum"} <= source.first.keys():
        table = f"socialstats tidy {place.name} -o table.csv"
        raise InputError(
            f"{place.name}: this is a log of 'socialstats collect'. Make its table: {table}"
        )
    if not logs:
        keys = f" (its keys: {quoted([*source.first], 8)})" if source.first else ""
        if source.kind == "text" and BOARD & {plain_name(column) for column in header(source)}:
            raise InputError(f"{place.name}: {BOARD_SAID}")
        needs = (
            chosen[0].NEEDS
            if name
            else f"logs of {listing([*modules], 20)}; docs/logs.md says what each looks like"
        )
        raise InputError(f"{place.name}: no known log{keys}. Looked for: {needs}")
    return tuple(logs)


def named_apart(place: Path, logs: Sequence[tuple[Path, Log]]) -> list[Log]:
    """Return the logs of a folder; those whose files have one name are named by their folders, too."""
    names = Counter(log.files[0] for _, log in logs)
    distinct = []
    for folder, log in logs:
        if names[log.files[0]] > 1 and folder != place:
            within = folder.relative_to(place).as_posix()
            log = replace(log, files=tuple(f"{within}/{name}" for name in log.files))
        distinct.append(log)
    return distinct


def _in(source: Source, modules: list[ModuleType], depth: int) -> list[tuple[Path, Log]]:
    """Read a file or folder as a whole where a reader knows it, else what is in the folder, result files first.

    Each log has the folder that its files lie in.
    """
    for module in modules:
        if recognises(module, source):
            folder = source.path if source.kind == "folder" else source.path.parent
            return [(folder, module.read(source))]
    logs: list[tuple[Path, Log]] = []
    children = source.path.iterdir() if source.kind == "folder" and depth < DEEPEST else ()
    for child in sorted(children, key=lambda p: (p.is_dir(), ".jsonl" in p.name, p.name)):
        was_read = child.is_file() and any(child.name in log.files for _, log in logs)
        if (child.is_file() or child.is_dir()) and not (
            was_read or child.is_symlink() or child.name.startswith(".")
        ):
            logs += _in(look(child), modules, depth + 1)
    return logs
