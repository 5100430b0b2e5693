"""Write comparisons to a parquet file: `python make_votes.py FILE --rows 1e7 --items 200 --prompts 2000`."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

PART = 1_000_000  # rows that are drawn at a time


def write(path: Path, rows: int, items: int, prompts: int, judges: int, seed: int = 1) -> None:
    """Draw votes on pairs of items: a Davidson model with leans of prompts, judges of very different numbers, lengths.

    A length has a value of its own in each row, and no effect.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    strength, lean = (
        rng.normal(0, 0.8, items),
        rng.normal(0, 0.3, (prompts, items)).astype(np.float32),
    )
    lengths = np.random.default_rng(seed + 1)
    names = pa.array([f"model-{k}" for k in range(items)])
    texts = pa.array([f"prompt-{k}" for k in range(prompts)])
    winners = pa.array([*(f"model-{k}" for k in range(items)), "tie"])
    writer = None
    for start in range(0, rows, PART):
        n = min(PART, rows - start)
        a = rng.integers(0, items, n)
        b = (a + 1 + rng.integers(0, items - 1, n)) % items
        prompt = rng.integers(0, prompts, n)
        judge = np.minimum((judges * rng.random(n) ** 1.5).astype(np.int64), judges - 1)
        eta = strength[a] - strength[b] + lean[prompt, a] - lean[prompt, b]
        tie = 0.5
        weights = np.column_stack([np.exp(eta / 2), np.exp(-eta / 2), np.full(n, tie)])
        u = rng.random(n) * weights.sum(axis=1)
        winner = np.where(
            u < weights[:, 0], a, np.where(u < weights[:, 0] + weights[:, 1], b, items)
        )
        columns = {
            "a": (a, names),
            "b": (b, names),
            "winner": (winner, winners),
            "prompt": (prompt, texts),
        }
        table = pa.table(
            {
                key: pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), values).cast(
                    pa.string()
                )
                for key, (codes, values) in columns.items()
            }
            | {"judge": pa.array(judge)}
            | {f"length_{side}": pa.array(lengths.lognormal(5.5, 0.8, n)) for side in "ab"}
        )
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    for option, value in (("rows", 1e6), ("items", 200), ("prompts", 2000), ("judges", 1e6)):
        parser.add_argument(f"--{option}", type=float, default=value)
    given = parser.parse_args()
    write(
        given.file, *(int(getattr(given, name)) for name in ("rows", "items", "prompts", "judges"))
    )
