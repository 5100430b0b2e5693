"""The benchmark results as Markdown."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import report_times

START, END = "<!-- bench:start -->", "<!-- bench:end -->"
PACKAGES = (
    "socialstats",
    "numpy",
    "scipy",
    "pandas",
    "narwhals",
    "evalica",
    "choix",
    "arena-rank",
    "jax",
    "statsmodels",
    "scikit-learn",
    "krippendorff",
)
MEMORY_TARGET = 450
HEAD = ("| task | ours | peer | ratio |", "|---|--:|---|--:|")
TITLES = {
    "fit": "one fit, 13,914 rows, 65 items, with s.e.",
    "bootstrap": "1,000 bootstrap refits of it",
    "battles": "Davidson fit with s.e., 200 items, 2,000,000 battles, 30% ties",
    "kappa": "quadratic kappa, 13,914 units, 2,000 resamples",
    "alpha": "ordinal alpha, 400 units x 100 raters, half missing, 2,000 resamples",
    "sign_flips": "100,000 sign flips of 1,546 differences",
    "crossed": "mean over 316 x 24 crossed, 2,000 resamples",
}
INTRODUCTION = """\
# Benchmarks

Written by `make bench`. Every measurement is a new process with one thread (`OMP_NUM_THREADS=1`). Tools alternate;
numbers are medians over processes.

- *CPU* is user plus system time, with child processes. Ratios compare it, because wall time depends on other programs.
- *First call* is the first in its process, with lazy imports and compilation. *CPU* and *wall* are medians of the later
  calls, if any. Importing a tool and loading the data frame is not timed; converting the frame for the tool is.
- *Peak* is the resident memory of the whole process, with the data frame.
- *Ratios* are the tool's CPU over ours, of first calls and of later calls. A target refers to later calls. It refers to
  the first call of tools that were called once, or that compile at the first call, as in a user's script.
- *Largest difference* is that of a centred log-strength from ours, or of the statistic, if there is one.
- Times of a tool with fewer refits or resamples are scaled up linearly; its line gives the factor.
- Kappa, alpha, flips and the mean start from the data in the form that each tool takes.
- Each section can be measured alone, and ends with the versions that it used.
"""
NOTES = {
    "fit": (
        "The data of evalica are lists, which it reads twice as fast as data-frame columns. The package arena-rank "
        "compiles its loss for every fit, also in the second call. Each solver of choix stops by its default rule."
    ),
    "bootstrap": "The bootstrap of arena-rank is left out: it forks after starting threads, and did not end.",
    "kappa": "Units with the same two levels are counted together; the bootstrap draws nine counts.",
    "alpha": "Every resample is a weighted sum of the units' coincidences; it has its own ranks of ordinal distances.",
    "sign_flips": "Signs are drawn eight at a time, and sums looked up byte by byte.",
    "battles": (
        "Ties as halves is another model: its strengths are about two thirds of ours, so no difference is given."
    ),
}


def seconds(value: float) -> str:
    """Seconds, or milliseconds below one tenth, with three digits."""
    return (
        f"{1000 * value:.3g} ms"
        if value < 0.1
        else f"{value:.3g} s"
        if value < 100
        else f"{value:,.0f} s"
    )


def judged(line: dict[str, Any]) -> str:
    """Which calls a target is judged by."""
    return "first" if line["entry"].calls == 1 or line["entry"].by_first else "cpu"


def ratio(line: dict[str, Any], ours: dict[str, Any], kind: str) -> float:
    """CPU of a tool over ours, of first calls or of later ones."""
    return float(line[kind] / ours[kind])


def times_text(found: float) -> str:
    """A ratio with three digits, or whole from 1,000 on."""
    return f"{found:,.3g}x" if found < 1000 else f"{found:,.0f}x"


def verdict(line: dict[str, Any], ours: dict[str, Any], kind: str) -> str:
    """The ratio, and where it is judged the target and whether it is met."""
    entry, found = line["entry"], ratio(line, ours, kind)
    text = times_text(found)
    if kind == "cpu" and entry.calls == 1:
        return ""
    if not entry.target or kind != judged(line):
        return text
    return f"**{text}** (target {entry.target:g}x: {'met' if found >= entry.target else 'not met'})"


def table(lines: list[dict[str, Any]]) -> str:
    """One task as a Markdown table."""
    head = (
        "| tool | what | uncertainty | first call | CPU | wall | peak MB | ratio, first | ratio, later "
        "| largest difference |\n|---|---|---|--:|--:|--:|--:|--:|--:|--:|\n"
    )
    rows = []
    for line in lines:
        entry = line["entry"]
        gap = "" if line["gap"] is None else f"{line['gap']:.1e}"
        ours = lines[0]
        share = (
            "1 | 1"
            if line is ours
            else " | ".join(verdict(line, ours, kind) for kind in ("first", "cpu"))
        )
        times = " | ".join(seconds(line[k]) for k in ("first", "cpu", "wall"))
        rows.append(
            f"| {entry.tool} | {entry.what} | {entry.errors} | {times} | {line['peak']:.0f} | {share} | {gap} |\n"
        )
    return head + "".join(rows)


def sections(
    plan: Any, tasks: dict[str, list[dict[str, Any]]], more: dict[str, Any], made: dict[str, Any]
) -> dict[str, str]:
    """The sections of what was measured, by their heading."""
    found = {}
    for name, lines in tasks.items():
        parts = [f"## {plan[name][0]}\n\n{table(lines)}"]
        if name == "battles":
            ours, share = lines[0], made["battles"]["ties"]
            met = "met" if ours["peak"] <= MEMORY_TARGET else "not met"
            parts.append(
                f"Ties: {100 * share:.1f}%. Our peak is {ours['peak']:.0f} MB (target {MEMORY_TARGET} MB: {met}); "
                f"loading Python, the libraries and the data frame alone peaks at {ours['loaded']:.0f} MB.\n"
            )
        allowed = lines[0]["entry"].seconds
        if allowed:
            met = "met" if lines[0]["cpu"] <= allowed else "not met"
            parts.append(f"Ours: {seconds(lines[0]['cpu'])} (target {seconds(allowed)}: {met}).\n")
        if name in NOTES:
            parts.append(f"{NOTES[name]}\n")
        found[plan[name][0]] = "\n".join(parts)
    for name, section in (
        ("group-by", group_by),
        ("start", start),
        ("pages", report_times.section),
    ):
        if name not in more:
            continue
        text = section(more[name])
        found[text.partition("\n")[0].removeprefix("## ")] = text
    return {heading: f"{text}\n{machine()}\n" for heading, text in found.items()}


def kept(text: str) -> dict[str, str]:
    """The sections of a page written before, by their heading."""
    parts = text.split("\n## ")[1:]
    return {part.partition("\n")[0]: f"## {part.rstrip()}\n" for part in parts}


def page(found: dict[str, str]) -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *found.values()])


def group_by(found: list[dict[str, Any]]) -> str:
    """Cost after the group-by against the number of rows."""
    rows = "".join(
        f"| {one['rows']:,} | {one['cells']:,} | {seconds(one['read'])} | {seconds(one['fit'])} |\n"
        for one in found
    )
    return (
        "## Cost after the group-by\n\nThe same cells with ten times the rows: only reading grows (CPU; reading once, "
        "fitting Davidson's model with covariance the median of nine).\n\n"
        f"| rows | cells | reading and counting | fit |\n|--:|--:|--:|--:|\n{rows}"
    )


def start(found: dict[str, Any]) -> str:
    """Start-up times."""
    lines = ["## Start\n"]
    for name, one in found.items():
        said = ""
        if name.startswith("import") and one["ok"]:
            said = f"; loaded of sklearn, pingouin, openai, matplotlib: {one['said'].strip('[]') or 'none'}"
        state = f"{seconds(one['wall'])} wall" if one["ok"] else "failed"
        lines.append(f"- `{name}`: {state}{said}")
    return "\n".join(lines) + "\n"


def machine() -> str:
    """Versions and machine, without anything that names it."""
    found = []
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    return f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}; {', '.join(found)}."


def short_rows(tasks: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    """The lines with a target, for the tour, by the title of their task."""
    found: dict[str, list[str]] = {}
    for name, lines in tasks.items():
        ours, title = lines[0], TITLES[name]
        for line in lines[1:]:
            entry = line["entry"]
            if entry.target:
                kind = judged(line)
                times = f"{seconds(ours[kind])} | {entry.tool} {entry.what}, {seconds(line[kind])}"
                found.setdefault(title, []).append(
                    f"| {title} | {times} | {times_text(ratio(line, ours, kind))} |"
                )
        if ours["entry"].seconds:
            found.setdefault(title, []).append(f"| {title} | {seconds(ours['cpu'])} | | |")
    return found


def rows_of(text: str) -> dict[str, list[str]]:
    """The rows of a short table written before, by their first cell."""
    found: dict[str, list[str]] = {}
    for row in text.strip().splitlines()[2:]:
        found.setdefault(row.split("|")[1].strip(), []).append(row)
    return found


def put_into_tour(path: Path, rows: dict[str, list[str]], *, keep: bool = False) -> None:
    """Replace what stands between the markers (or only the rows of these tasks); nothing where there are none."""
    if not path.exists():
        return
    old = path.read_text(encoding="utf-8")
    if START not in old or END not in old:
        return
    before, _, rest = old.partition(START)
    table_before, _, after = rest.partition(END)
    merged = (rows_of(table_before) if keep else {}) | rows
    body = "\n".join([*HEAD, *(row for group in merged.values() for row in group)])
    path.write_text(f"{before}{START}\n{body}\n{END}{after}", encoding="utf-8")
