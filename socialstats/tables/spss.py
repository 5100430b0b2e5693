"""Files of SPSS, read in a process of its own: of damaged files ReadStat, the C library below pyreadstat, may crash."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
from dataclasses import dataclass
from typing import IO, Any

CRASHED = "the library that reads it crashed"


class UnreadableFile(Exception):
    """What pyreadstat says of a file, or that its process ended."""


@dataclass(frozen=True, slots=True)
class SpssFile:
    """The values and declarations of a file of SPSS.

    Attributes
    ----------
    columns : dict of str to list
        Numbers, texts, dates and times of each variable; nan and None are missing.
    labels : dict of str to dict
        The label of each code, without those of values declared as missing.
    nominal : set of str
        Variables declared as nominal: their codes have no order.
    """

    columns: dict[str, list[Any]]
    labels: dict[str, dict[Any, str]]
    nominal: set[str]


class _PlainValues(pickle.Unpickler):
    """Reads numbers, texts, dates and times, and refuses every other class: a damaged process may write anything."""

    def find_class(self, module: str, name: str) -> Any:
        if module == "datetime" and name in ("date", "datetime", "time", "timedelta"):
            return super().find_class(module, name)
        raise UnreadableFile(f"{CRASHED}: it returned '{module}.{name}'")


def read_spss(stream: IO[bytes]) -> SpssFile:
    """Return the content of a file of SPSS.

    Parameters
    ----------
    stream : binary file

    Raises
    ------
    UnreadableFile
        For damaged files.
    ImportError
        Without pyreadstat.
    """
    import pyreadstat  # noqa: F401 (the process would say so later, and less well)

    command = [sys.executable, "-P", "-m", "socialstats.tables.spss"]
    done = subprocess.run(command, input=stream.read(), capture_output=True, check=False)
    if done.returncode:
        raise UnreadableFile(CRASHED)
    kind, content = _PlainValues(io.BytesIO(done.stdout)).load()
    if kind == "error":
        raise UnreadableFile(content)
    return SpssFile(*content)


def parse_spss(data: bytes) -> tuple[Any, ...]:
    """Return the fields of an SpssFile: values declared as missing are missing, and their labels are left out."""
    import pyreadstat

    _, declared = pyreadstat.read_sav(io.BytesIO(data), metadataonly=True, user_missing=True)
    columns, about = pyreadstat.read_sav(io.BytesIO(data), output_format="dict")
    missing = declared.missing_ranges
    labels = {
        name: {
            code: label
            for code, label in texts.items()
            if not any(bounds["lo"] <= code <= bounds["hi"] for bounds in missing.get(name, []))
        }
        for name, texts in about.variable_value_labels.items()
    }
    nominal = {name for name, measure in about.variable_measure.items() if measure == "nominal"}
    values = {
        name: column if isinstance(column, list) else column.tolist()
        for name, column in columns.items()
    }
    return values, labels, nominal


def convert_stream() -> None:
    """Read a file from standard input; write its content, or what is wrong with it, to standard output."""
    try:
        answer: tuple[str, Any] = ("content", parse_spss(sys.stdin.buffer.read()))
    except Exception as error:
        # pyreadstat has its own classes
        answer = ("error", " ".join(str(error).split()) or type(error).__name__)
    sys.stdout.buffer.write(pickle.dumps(answer))


if __name__ == "__main__":
    convert_stream()
