"""What the generators of simulated data share: normal numbers from raw uniforms, quadrature, files without a date.

Every random number comes from the raw uniforms of numpy's PCG64, which are the same on every platform and numpy
version. Means over normal effects, for the truths, are sums over the nodes of a Gauss-Hermite rule.
"""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri

from socialstats.arrays import FloatArray, IntArray


def generator(seed: int) -> np.random.Generator:
    """Return the generator of a seed: numpy's PCG64."""
    return np.random.Generator(np.random.PCG64(seed))


def normals(rng: np.random.Generator, sd: float, *shape: int) -> FloatArray:
    """Draw normal numbers with mean 0 by inversion of uniforms."""
    return np.asarray(sd * ndtri(rng.random(shape)), dtype=np.float64)


def ranks(rng: np.random.Generator, *shape: int) -> IntArray:
    """Draw random permutations of 0, 1, ... along the first axis, one for each place of the other axes."""
    return np.asarray(rng.random(shape).argsort(axis=0).argsort(axis=0), dtype=np.int64)


def gauss_hermite(nodes: int = 21) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the mean over a standard normal number (Gauss-Hermite rule).

    Examples
    --------
    >>> z, weight = gauss_hermite()
    >>> round(float((weight * z**2).sum()), 10)
    1.0
    """
    z, weight = np.polynomial.hermite_e.hermegauss(nodes)
    return z, weight / weight.sum()


def rounded_mean(mean: FloatArray, sd: FloatArray | float, low: int, high: int) -> FloatArray:
    """Return the mean of a normal number that is rounded to whole numbers and held between `low` and `high`.

    ``low`` plus the sum over k from ``low + 1`` to ``high`` of P(X >= k - 1/2).

    Examples
    --------
    >>> rounded_mean(np.array([2.0, 30.0]), 1.0, 0, 20).round(3).tolist()
    [2.006, 20.0]
    """
    steps = np.arange(low + 1, high + 1) - 0.5
    return np.asarray(low + ndtr((mean[..., None] - steps) / sd).sum(axis=-1), dtype=np.float64)


def rounded(values: FloatArray, low: int, high: int) -> IntArray:
    """Round to whole numbers (halves up) and hold the values between `low` and `high`."""
    return np.clip(np.floor(values + 0.5), low, high).astype(np.int64)


def csv_bytes(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bytes:
    """Write rows as UTF-8 csv with line feeds."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    return text.getvalue().encode()


def gzip_bytes(content: bytes) -> bytes:
    """Compress without a file name and without a time, so that the same content gives the same file."""
    target = io.BytesIO()
    with gzip.GzipFile(filename="", fileobj=target, mode="wb", compresslevel=9, mtime=0) as file:
        file.write(content)
    return target.getvalue()


def write_files(contents: Mapping[str, bytes], folder: Path) -> None:
    """Write files by name into `folder`; a name that ends in ``.gz`` is compressed."""
    for name, content in contents.items():
        (folder / name).write_bytes(gzip_bytes(content) if name.endswith(".gz") else content)
