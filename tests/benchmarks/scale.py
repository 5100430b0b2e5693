"""Time and peak memory of Bradley-Terry fits by rows, items, clusters and engines: `make bench-scale`.

Every case is a process of its own. Its CPU seconds and its peak memory are those of the whole process, imports included
(`resource.getrusage`). The tables are parquet files by `make_votes.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

PAGE = Path(__file__).parents[2] / "docs" / "scaling.md"
CLUSTERS = {"none": [], "2,000 prompts": ["prompt"], "judges": ["judge"], "prompts x judges": ["prompt", "judge"]}
ENGINES = ("duckdb", "polars scan", "pyarrow", "pandas")
QUIET = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": ""}
LONGEST = 900  # seconds of a case
INTRO = """# Scaling

`make bench-scale` writes this page. Each row is one Davidson fit with its covariance, in a process of its own. CPU
seconds and peak memory are those of the whole process, with {imports} s and {base} MB for imports. The tables are
parquet files; linear algebra ran in one thread, on {cores} cores.

Clusters stay with a lazy table. Its rows are read once without clusters. They are read again as pairs of a cell and a
cluster, 8 bytes per row, of which at most 20 million are held at a time. A table with more distinct pairs is read again
for each further 20 million. Such tables were not measured, so no time of 10^9 rows with clusters is given.
"""


def used() -> tuple[float, float]:
    """CPU seconds and peak memory in MB of this process until now."""
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime, found.ru_maxrss / 1024


def one_case(engine: str, file: str, clusters: Sequence[str]) -> dict[str, float]:
    """Fit one table in this process."""
    import socialstats as ss

    def table() -> Any:
        if engine == "duckdb":
            import duckdb

            return duckdb.connect().read_parquet(file)
        if engine == "polars scan":
            import polars as pl

            return pl.scan_parquet(file)
        if engine == "pyarrow":
            import pyarrow.parquet as pq

            return pq.read_table(file)
        import pandas as pd

        return pd.read_parquet(file)

    ss.bradley_terry({"item_a": ["x", "y"], "item_b": ["y", "x"], "winner": ["x", "x"]}, penalty="firth")
    before = used()
    options: dict[str, Any] = {"cluster": list(clusters)} if clusters else {"vcov": "model"}
    fit: Any = ss.bradley_terry(table(), item_a="a", item_b="b", winner="winner", **options)
    after = used()
    return {"imports": before[0], "base": before[1], "cpu": after[0], "mb": after[1], "se": fit.rows[0].std_error}


def cases(most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the title of each series with one of its cases."""
    usual = {"rows": min(10**6, most), "items": 200, "prompts": 2000, "judges": 10**6, "engine": "duckdb"}
    for named, columns in CLUSTERS.items():
        for rows in [10**k for k in range(4, 8) if 10**k <= most]:
            given = usual | {"rows": rows, "judges": min(10**6, rows), "clusters": columns, "size": rows}
            yield f"Rows (200 items, clusters: {named})", given
    for items in (10, 100, 500, 2000):
        yield f"Items ({usual['rows']:,} rows)", usual | {"items": items, "clusters": [], "size": items}
    for prompts in (10, 100, 1000, 10_000):
        given = usual | {"prompts": prompts, "clusters": ["prompt"], "size": prompts}
        yield f"Clusters ({usual['rows']:,} rows)", given
    for engine in ENGINES:
        yield f"Engines ({usual['rows']:,} rows, 2,000 prompts)", usual | {
            "engine": engine, "clusters": ["prompt"], "size": engine}  # fmt: skip


def measured(given: dict[str, Any], folder: Path) -> dict[str, float] | None:
    """Run one case in a new process; None where it takes too long."""
    file = folder / "-".join(str(given[name]) for name in ("rows", "items", "prompts", "judges"))
    if not file.exists():  # in a process of its own: a process that is started has the peak of the one that starts it
        sizes = [text for name in ("rows", "items", "prompts", "judges") for text in (f"--{name}", str(given[name]))]
        subprocess.run([sys.executable, "-m", "tests.benchmarks.make_votes", str(file), *sizes], check=True)
    told = json.dumps([given["engine"], str(file), given["clusters"]])
    command = [sys.executable, "-m", "tests.benchmarks.scale", "--case", told]
    try:
        done = subprocess.run(
            command, env=os.environ | QUIET, capture_output=True, text=True, timeout=LONGEST,
            check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def exponent(size: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of log seconds on log size over the three largest sizes."""
    return float(np.polyfit(np.log(size[-3:]), np.log(seconds[-3:]), 1)[0])


def page(most: int) -> str:
    """Measure all cases and return the page."""
    series: dict[str, list[tuple[Any, dict[str, float] | None]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for title, given in cases(most):
            found = measured(given, Path(folder))
            print(title, given["size"], found, flush=True)
            series.setdefault(title, []).append((given["size"], found))
    first = next(found for rows in series.values() for _, found in rows if found)
    parts = [INTRO.format(imports=f"{first['imports']:.1f}", base=f"{first['base']:.0f}", cores=os.cpu_count())]
    for title, rows in series.items():
        lines = [f"\n## {title}\n", "| size | CPU s | peak MB |", "|---|--:|--:|"]
        for size, found in rows:
            shown = size if isinstance(size, str) else f"{size:,}"
            told = f"{found['cpu']:.1f} | {found['mb']:,.0f}" if found else f"over {LONGEST} | "
            lines.append(f"| {shown} | {told} |")
        known = [(size, found["cpu"] - found["imports"]) for size, found in rows if found]
        if len(known) > 2 and not isinstance(known[0][0], str):
            sizes, seconds = [size for size, _ in known], [second for _, second in known]
            lines.append(f"\nCPU time grew as the size to the power of {exponent(sizes, seconds):.2f} (three largest).")
            if title.endswith("none)"):
                rate = seconds[-1] / sizes[-1] * 1e9
                lines.append(f"At this rate, 10^9 rows would take {rate / 60:,.0f} CPU minutes (not measured).")
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", help="engine, file and clusters as JSON: fit it in this process")
    parser.add_argument("--rows", type=float, default=1e7, help="most rows")
    parser.add_argument("--page", type=Path, default=PAGE)
    asked = parser.parse_args()
    if asked.case:
        print(json.dumps(one_case(*json.loads(asked.case))))
    else:
        asked.page.write_text(page(int(asked.rows)), encoding="utf-8")
