"""What every test starts from: linear algebra in one thread, as on the command line; endpoints without certificates."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

# before numpy is loaded: workers that share two processors would otherwise wait for each other's threads
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
# messages are in English; argparse would look for translations on the disk, which took most of its time
os.environ["LANGUAGE"] = "C"


def pytest_collection_finish() -> None:
    """Collect garbage less often: with all tests in memory it took a tenth of the processor time."""
    gc.collect()
    gc.set_threshold(10_000, 10, 20)


@pytest.fixture(scope="session", autouse=True)
def without_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Read no certificates: endpoints of tests have none, and to read those of the system took 25 ms a client."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SSL_CERT_FILE", raising=False)
        patch.setenv("SSL_CERT_DIR", str(tmp_path_factory.mktemp("no_certificates")))
        yield
