"""The list of capabilities: what documents promise, each with one test.

``python -m tests.contracts.capabilities`` runs these tests, and prints how many promises they keep.
"""

import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_name("capabilities.toml")


def read_capabilities() -> dict[str, dict[str, str]]:
    """Return test by promise, by document."""
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


def capability_tests() -> list[str]:
    """Return each test once, in the order of the list."""
    documents = read_capabilities()
    return list(
        dict.fromkeys(test for promises in documents.values() for test in promises.values())
    )


if __name__ == "__main__":
    promises = sum(len(tests) for tests in read_capabilities().values())
    tests = capability_tests()
    print(f"{promises} promises, {len(tests)} tests")
    sys.exit(pytest.main(["-q", "-n", "auto", "--dist", "worksteal", *tests]))
