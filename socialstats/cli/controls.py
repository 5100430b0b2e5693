"""Control texts: what the judges give to answers that lean to no side."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from socialstats.errors import InputError
from socialstats.studies import Study
from socialstats.tables import as_table, read_table

BUNDLED = "_controls"  # end of the name of a bundled data set that belongs to another


def zero_of(options: argparse.Namespace, study: Study) -> tuple[Mapping[str, float] | None, dict[str, str]]:
    """Return the judges' own zero from ``--controls``, or of a bundled example, with facts for the reproduce block.

    Raises
    ------
    InputError
        If the study takes no controls, and whatever the study finds in them.
    """
    if options.controls is not None:
        if study.controls is None:
            raise InputError(f"--controls is for studies of judges' scores; this page is study {study.name}")
        table = read_table(options.controls)
        digest = table.sha256() if table.sha256 is not None else ""
        return study.controls(table), {"controls": table.source, "sha256 of the controls": digest}
    if options.example is None or study.controls is None:
        return None, {}
    from socialstats import datasets

    wanted = options.example.replace("-", "_") + BUNDLED
    entry = next((entry for entry in datasets.datasets() if entry.name == wanted), None)
    if entry is None:
        return None, {}
    return study.controls(as_table(entry.load(), entry.name)), {"controls": f"bundled data set {entry.name}"}
