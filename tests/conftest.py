"""What every test starts from: linear algebra in one thread, as on the command line."""

from __future__ import annotations

import gc
import os

# before numpy is loaded: workers that share two processors would otherwise wait for each other's threads
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def pytest_collection_finish() -> None:
    """Collect garbage less often: with all tests in memory it took a tenth of the processor time."""
    gc.collect()
    gc.set_threshold(10_000, 10, 20)
