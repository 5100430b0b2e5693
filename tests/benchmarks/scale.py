"""Time and peak memory of Bradley-Terry fits by rows, items, clusters and engines: `make bench-scale`.

Every case is a process of its own. Its CPU seconds and its peak memory are those of the whole process, imports included
(`resource.getrusage`). The tables are parquet files by `make_votes.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
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
CLUSTERS = {
    "none": [],
    "2,000 prompts": ["prompt"],
    "judges": ["judge"],
    "prompts x judges": ["prompt", "judge"],
}
ENGINES = ("duckdb", "polars scan", "pyarrow", "pandas", "dask", "pyspark local[2]")
PEERS = {
    "evalica": "evalica_fit",
    "evalica, Davidson (newman)": "evalica_fit:newman",
    "arena-rank": "arena_fit",
    "fastchat": "fastchat_fit",
}
QUIET = {
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "",
    "PYSPARK_PYTHON": sys.executable,
}
LONGEST = 900  # seconds of a case
INTRO = """# Scaling

`make bench-scale` writes this page. Each row is one Davidson fit with its covariance, in a process of its own. CPU
seconds and peak memory are those of the whole process, with {imports} s and {base} MB for imports. The tables are
parquet files; linear algebra ran in one thread, on {cores} cores.

Of Spark the numbers are those of Python and Java together. Other packages fit strengths without a covariance, except
arena-rank, whose errors are by row.{missing}

Clusters, and covariates of their own in each row, stay with a lazy table. It is read once without them. A second
reading writes its rows to a temporary file; with one factor of clusters a row takes 16 bytes. Sums by cluster sort the
rows of some clusters at a time. Of more than 500,000 rows, the others wait in further files.
"""


def used() -> tuple[float, float]:
    """CPU seconds and peak memory in MB of this process until now."""
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime, found.ru_maxrss / 1024


def children() -> tuple[float, float]:
    """CPU seconds and peak memory in MB of the processes that this one started, such as Java's, until now."""
    seconds, peak = 0.0, 0.0
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text()
        seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        peak += int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return seconds, peak


def peer_case(engine: str, file: str) -> dict[str, float]:
    """Fit one table with another package, which treats ties as its users must write it."""
    import pandas as pd

    from tests.benchmarks import tools

    name, _, method = PEERS[engine].partition(":")
    job = getattr(tools, name)(*([method] if method else []))
    before = used()
    frame = pd.read_parquet(file, columns=["a", "b", "winner"])
    winner = np.where(
        frame.winner == "tie", "tie", np.where(frame.winner == frame.a, "model_a", "model_b")
    )
    job(pd.DataFrame({"model_a": frame.a, "model_b": frame.b, "winner": winner}))
    after = used()
    return {"imports": before[0], "base": before[1], "cpu": after[0], "mb": after[1]}


def one_case(
    engine: str, file: str, clusters: Sequence[str], formula: str | None = None
) -> dict[str, float]:
    """Fit one table in this process."""
    if engine in PEERS:
        return peer_case(engine, file)
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
        if engine == "dask":
            import dask.dataframe as dd

            return dd.read_parquet(file)
        if engine == "pyspark local[2]":
            from pyspark.sql import SparkSession

            local = {
                "spark.ui.enabled": "false",
                "spark.driver.host": "127.0.0.1",
                "spark.log.level": "ERROR",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.sql.shuffle.partitions": "4",
            }
            return (
                SparkSession.builder.master("local[2]")
                .config(map=local)
                .getOrCreate()
                .read.parquet(file)
            )
        import pandas as pd

        return pd.read_parquet(file)

    ss.bradley_terry(
        {"item_a": ["x", "y"], "item_b": ["y", "x"], "winner": ["x", "x"]}, penalty="firth"
    )
    before = used()
    options: dict[str, Any] = {"cluster": list(clusters)} if clusters else {"vcov": "model"}
    columns: dict[str, Any] = {"item_a": "a", "item_b": "b", "winner": "winner"}
    columns["covariates"] = () if formula is None else ("length",)
    fit: Any = ss.bradley_terry(table(), formula, **columns, **options)
    (cpu, mb), (more, beside) = used(), children()
    return {
        "imports": before[0],
        "base": before[1],
        "cpu": cpu + more,
        "mb": mb + beside,
        "se": fit.rows[0].std_error,
    }


def is_installed(engine: str) -> bool:
    """Return whether the package of an engine, or a peer, can be imported."""
    return importlib.util.find_spec(engine.partition(",")[0].replace("-", "_")) is not None


def cases(most: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the title of each series with one of its cases."""
    usual = {
        "rows": min(10**6, most),
        "items": 200,
        "prompts": 2000,
        "judges": 10**6,
        "engine": "duckdb",
    }
    for named, columns in CLUSTERS.items():
        for rows in [10**k for k in range(4, 9) if 10**k <= most]:
            given = usual | {
                "rows": rows,
                "judges": min(10**6, rows),
                "clusters": columns,
                "size": rows,
            }
            yield f"Rows (200 items, clusters: {named})", given
    for named in ("none", "2,000 prompts"):
        for rows in [10**k for k in range(5, 8 if CLUSTERS[named] else 9) if 10**k <= most]:
            given = usual | {
                "rows": rows,
                "judges": min(10**6, rows),
                "clusters": CLUSTERS[named],
                "size": rows,
            }
            yield (
                f"Rows with a covariate of their own (200 items, clusters: {named})",
                given | {"formula": "~ length"},
            )
    for rows, sizes in (
        (usual["rows"], (10, 100, 500, 2000)),
        (min(5 * 10**6, most), (500, 1000, 2000)),
    ):
        for items in sizes:
            given = usual | {"rows": rows, "items": items, "clusters": [], "size": items}
            yield f"Items ({rows:,} rows)", given
    for prompts in (10, 100, 1000, 10_000):
        given = usual | {"prompts": prompts, "clusters": ["prompt"], "size": prompts}
        yield f"Clusters ({usual['rows']:,} rows)", given
    for engine in ENGINES:
        yield (
            f"Engines ({usual['rows']:,} rows, 2,000 prompts)",
            usual | {"engine": engine, "clusters": ["prompt"], "size": engine},
        )
    for engine in ("duckdb", "pandas", *PEERS):
        if is_installed(engine):
            yield (
                f"Other packages ({usual['rows']:,} rows, no clusters)",
                usual | {"engine": engine, "clusters": [], "size": engine},
            )


def measured(given: dict[str, Any], folder: Path) -> dict[str, float] | None:
    """Run one case in a new process; None where it takes too long."""
    file = folder / "-".join(str(given[name]) for name in ("rows", "items", "prompts", "judges"))
    if (
        not file.exists()
    ):  # in a process of its own: a process that is started has the peak of the one that starts it
        sizes = [
            text
            for name in ("rows", "items", "prompts", "judges")
            for text in (f"--{name}", str(given[name]))
        ]
        subprocess.run(
            [sys.executable, "-m", "tests.benchmarks.make_votes", str(file), *sizes], check=True
        )
    told = json.dumps([given["engine"], str(file), given["clusters"], given.get("formula")])
    command = [sys.executable, "-m", "tests.benchmarks.scale", "--case", told]
    try:
        done = subprocess.run(
            command,
            env=os.environ | QUIET,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=True,
        )
    except subprocess.TimeoutExpired:
        return None
    except subprocess.CalledProcessError as error:
        raise RuntimeError(f"{told}: {error.stderr[-2000:]}") from error
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def exponent(size: Sequence[float], seconds: Sequence[float]) -> float:
    """Slope of log seconds on log size over the three largest sizes."""
    return float(np.polyfit(np.log(size[-3:]), np.log(seconds[-3:]), 1)[0])


def page(most: int, only: str = "") -> str:
    """Measure all cases, or those of series whose titles begin with `only`, and return the page."""
    series: dict[str, list[tuple[Any, dict[str, float] | None]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for title, given in (case for case in cases(most) if case[0].startswith(only)):
            found = measured(given, Path(folder))
            print(title, given["size"], found, flush=True)
            series.setdefault(title, []).append((given["size"], found))
    first = next(found for rows in series.values() for _, found in rows if found)
    absent = [name for name in PEERS if not is_installed(name)]
    missing = f" Not installed, and so not measured: {', '.join(absent)}." if absent else ""
    parts = [
        INTRO.format(
            missing=missing,
            imports=f"{first['imports']:.1f}",
            base=f"{first['base']:.0f}",
            cores=os.cpu_count(),
        )
    ]
    for title, rows in series.items():
        lines = [f"\n## {title}\n", "| size | CPU s | peak MB |", "|---|--:|--:|"]
        for size, found in rows:
            shown = size if isinstance(size, str) else f"{size:,}"
            told = f"{found['cpu']:.1f} | {found['mb']:,.0f}" if found else f"over {LONGEST} | "
            lines.append(f"| {shown} | {told} |")
        known = [(size, found["cpu"] - found["imports"]) for size, found in rows if found]
        if len(known) > 2 and not isinstance(known[0][0], str):
            sizes, seconds = [size for size, _ in known], [second for _, second in known]
            lines.append(
                f"\nCPU time grew as the size to the power of {exponent(sizes, seconds):.2f} (three largest)."
            )
            if title.endswith("none)"):
                rate = seconds[-1] / sizes[-1] * 1e9
                lines.append(
                    f"At this rate, 10^9 rows would take {rate / 60:,.0f} CPU minutes (not measured)."
                )
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", help="engine, file and clusters as JSON: fit it in this process")
    parser.add_argument("--rows", type=float, default=1e8, help="most rows")
    parser.add_argument("--page", type=Path, default=PAGE)
    parser.add_argument("--only", default="", help="how the titles of the series to measure begin")
    asked = parser.parse_args()
    if asked.case:
        print(json.dumps(one_case(*json.loads(asked.case))))
    else:
        asked.page.write_text(page(int(asked.rows), asked.only), encoding="utf-8")
