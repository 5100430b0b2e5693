"""Small logs of other harnesses, written by hand in each format."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

SAMPLES = Path(__file__).resolve().parents[3] / "shared" / "data" / "harness_samples"


def dump(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def dump_lines(path: Path, values: Sequence[Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def zipped(path: Path, entries: Mapping[str, Any], *, zstd: bool = False, frames: int = 1) -> Path:
    """Write a zip of JSON entries (bytes as they are), by deflate or by zstd in several frames."""
    blobs = {n: v if isinstance(v, bytes) else json.dumps(v).encode() for n, v in entries.items()}
    if not zstd:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, blob in blobs.items():
                archive.writestr(name, blob)
        return path
    codec, body, directory = pa.Codec("zstd"), b"", b""
    for name, blob in blobs.items():
        size = max(1, -(-len(blob) // frames))
        packed = b"".join(
            codec.compress(blob[k : k + size], asbytes=True) for k in range(0, len(blob), size)
        )
        directory += central(name, blob, packed, len(body))
        common = struct.pack(
            "<HHHHHIIIHH", 20, 0, 93, 0, 0, zlib.crc32(blob), len(packed), len(blob), len(name), 0
        )
        body += b"PK\3\4" + common + name.encode() + packed
    end = struct.pack(
        "<4sHHHHIIH", b"PK\5\6", 0, 0, len(blobs), len(blobs), len(directory), len(body), 0
    )
    path.write_bytes(body + directory + end)
    return path


def central(name: str, blob: bytes, packed: bytes, offset: int) -> bytes:
    """Return an entry of the directory (APPNOTE.TXT, section 4.3.12)."""
    fields = (
        20,
        20,
        0,
        93,
        0,
        0,
        zlib.crc32(blob),
        len(packed),
        len(blob),
        len(name),
        0,
        0,
        0,
        0,
        0,
        offset,
    )
    return b"PK\1\2" + struct.pack("<HHHHHHIIIHHHHHII", *fields) + name.encode()


def sample(
    unit: Any, epoch: int = 1, *, scores: Mapping[str, Any] | None = None, **rest: Any
) -> dict[str, Any]:
    """Return a sample of an Inspect log; scores are values, or whole scores."""
    whole = {
        name: held if isinstance(held, dict) and "value" in held else {"value": held}
        for name, held in (scores or {}).items()
    }
    base = {
        "id": unit,
        "epoch": epoch,
        "input": "?",
        "target": "A",
        "metadata": {},
        "scores": whole,
    }
    return {**base, **rest}


def header(scores: Sequence[Any] = (), **about: Any) -> dict[str, Any]:
    """Return the header of an Inspect log."""
    eval_ = {
        "task": "toy",
        "model": "mock/m",
        "dataset": {},
        "config": {},
        "packages": {"inspect_ai": "0.3.200"},
    }
    return {
        "version": 2,
        "status": "success",
        "eval": {**eval_, **about},
        "results": {"total_samples": 0, "completed_samples": 0, "scores": list(scores)},
    }


def printed_score(
    name: str, metrics: Mapping[str, Any], scorer: str | None = None, **rest: Any
) -> dict[str, Any]:
    """Return what an Inspect log prints about a scorer."""
    held = {
        key: value if isinstance(value, dict) else {"name": key, "value": value, "params": {}}
        for key, value in metrics.items()
    }
    return {"name": name, "scorer": scorer or name, "params": {}, "metrics": held, **rest}
