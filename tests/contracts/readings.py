"""How unknown tables are read, recorded: ``python -m tests.contracts.readings`` writes it.

Other tests say how a table should be read. These show that a reading or their order changed, wherever that is: of
tables as they are, without the names of their columns, and without each column. A change of rules shows which tables
are read otherwise, and then the file is written again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from socialstats.designs.profile import TableProfile
from socialstats.metrics import METRICS
from socialstats.proposals.proposing import READINGS
from socialstats.proposals.readings.proposal import Proposal
from socialstats.tables import as_table
from tests.cli.test_proposals import DRAW, EXPECTED
from tests.contracts.subjects import Subject, subject_of

FILE = Path(__file__).parents[1] / "golden" / "readings.json"
SUBJECTS: dict[str, Subject] = {
    f"{type(subject_of(name)).__name__} {METRICS[name].values}": subject_of(name)
    for name in METRICS
}
MAKERS = {make.__name__: make for make in EXPECTED}
NAMES = (*MAKERS, *SUBJECTS)


def made(name: str) -> pd.DataFrame:
    """Return a table by its name; the same one at each call."""
    if name in SUBJECTS:
        return SUBJECTS[name].rows()
    DRAW.bit_generator.state = np.random.default_rng(8).bit_generator.state
    return MAKERS[name]()


def variants(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield a table as it is, with columns that have no names, with one column less, and with some rows."""
    yield "as it is", rows
    yield "without names", rows.set_axis([f"v{k}" for k in range(rows.shape[1])], axis=1)
    for column in rows.columns:
        yield f"without {column}", rows.drop(columns=column)
    yield "every other row", rows.iloc[::2]
    yield "seven rows", rows.iloc[:7]


def readings(name: str) -> dict[str, list[str]]:
    """Return how each variant of a table can be read, the likeliest first: design and settings."""
    return {
        variant: [
            f"{one.design} {json.dumps(one.settings, default=str)}"
            for one in ranked(TableProfile(as_table(rows)))
        ]
        for variant, rows in variants(made(name))
    }


def ranked(seen: TableProfile) -> list[Proposal]:
    """Return all readings of a table, the likeliest first."""
    return sorted((one for look in READINGS for one in look(seen)), key=lambda one: -one.score)


def main() -> None:
    """Write the readings of all tables."""
    FILE.write_text(
        json.dumps({name: readings(name) for name in NAMES}, indent=1) + "\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
