"""Files whose columns have types: parquet and feather by pyarrow, Stata's by pandas, those of SPSS by pyreadstat."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import narwhals as nw

from socialstats.errors import InputError, MissingDependency, NothingToAnalyse, SocialStatsError
from socialstats.tables.formats import READ, Format
from socialstats.tables.headers import check_names
from socialstats.tables.table import Table
from socialstats.tables.text import Source
from socialstats.tables.values import as_text
from socialstats.text import shorten

if TYPE_CHECKING:
    import pandas as pd

# format -> the package that reads it, and the extra that brings it
PACKAGES: dict[Format, tuple[str, str]] = {
    "parquet": ("pyarrow", "parquet"), "feather": ("pyarrow", "parquet"), "sav": ("pyreadstat", "spss"),
    "xlsx": ("openpyxl", "excel"), "ods": ("odfpy", "excel"),
}  # fmt: skip


@contextmanager
def reader_of(source: Source, format: Format) -> Iterator[None]:
    """Say which package is missing, and what an error of another package means: the file is not what it is called.

    Raises
    ------
    MissingDependency, InputError
    """
    if not source.head(1):
        raise NothingToAnalyse(f"{source.name} is empty: there is nothing to analyse")
    kind = READ[format]
    try:
        with warnings.catch_warnings():  # about styles of cells, say; but text in another encoding is an error
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", UnicodeWarning)
            yield
    except (SocialStatsError, MemoryError):
        raise
    except ImportError as error:
        if format not in PACKAGES:
            raise
        package, extra = PACKAGES[format]
        raise MissingDependency(
            f"{source.name}: reading {kind.name} needs {package}: pip install 'socialstats[{extra}]', "
            "or save the table as CSV (UTF-8)"
        ) from error
    except Exception as error:  # each package has its own
        reason = shorten(" ".join(str(error).split()), 200)
        raise InputError(f"{source.name}: this is not {kind.name}, or it is damaged ({reason})") from error


def read_typed(source: Source, format: Format) -> Table:
    """Read a parquet, feather, Stata or SPSS file.

    Raises
    ------
    InputError
        For damaged files, names that repeat, and value labels that two codes share.
    NothingToAnalyse
        For tables without rows.
    MissingDependency
        Without the package that reads the format.
    """
    with reader_of(source, format):
        native = READERS[format](source)
    columns = tuple(nw.from_native(native).columns)
    check_names(columns, source.name)
    if len(native) == 0:
        raise NothingToAnalyse(f"{source.name} has columns but no rows: there is nothing to analyse")
    unit = "record" if format in ("dta", "sav") else "row"  # these programs count from 1
    return Table(frame=nw.from_native(native), columns=columns, source=source.name, unit=unit, is_file=True)


def _parquet(source: Source) -> Any:
    import pyarrow.parquet as pq

    with source.open() as stream:
        return pq.read_table(stream)


def _feather(source: Source) -> Any:
    """Read an Arrow file, or an Arrow stream, which has no mark."""
    import pyarrow as pa

    with source.open() as stream:
        whole = source.head().startswith(READ["feather"].magic)
        return (pa.ipc.open_file(stream) if whole else pa.ipc.open_stream(stream)).read_all()


def _stata(source: Source) -> Any:
    import pandas as pd

    with source.open() as stream, pd.read_stata(stream, iterator=True, convert_categoricals=False) as opened:
        reader: Any = opened
        frame, labels = reader.read(), reader.value_labels()
        sets = dict(
            zip(frame.columns, reader._lbllist, strict=True)
        )  # the set of each column; pandas has no public name
    for column, name in sets.items():
        frame[column] = labelled(frame[column], labels.get(name, {}), source.name, ordered=True)
    return frame


def _spss(source: Source) -> Any:
    """Read an SPSS file: values declared as missing are missing, variables declared as nominal have no order."""
    import pyreadstat

    with source.open() as stream:
        frame, about = pyreadstat.read_sav(stream)
    with source.open() as stream:
        _, declared = pyreadstat.read_sav(stream, metadataonly=True, user_missing=True)
    for column, labels in about.variable_value_labels.items():
        ranges = declared.missing_ranges.get(column, [])
        kept = {code: label for code, label in labels.items() if not any(r["lo"] <= code <= r["hi"] for r in ranges)}
        ordered = about.variable_measure.get(column) != "nominal"
        frame[column] = labelled(frame[column], kept, source.name, ordered=ordered)
    return frame


def labelled(column: pd.Series[Any], labels: Mapping[Any, str], source: str, *, ordered: bool) -> pd.Series[Any]:
    """Return a column of codes as what its value labels say.

    A column whose values all have labels becomes a category with every label as a level, in the order of the codes.
    Where some values have none, as on a scale with labels at its ends, values are labels or numbers, in no order.

    Parameters
    ----------
    column : pandas Series
    labels : mapping of code to str
    source : str
        Named in errors.
    ordered : bool
        Whether the order of the codes, where they are numbers, is one of the labels.

    Raises
    ------
    InputError
        If two codes have the same label.

    Examples
    --------
    >>> import pandas as pd
    >>> labelled(pd.Series([2.0, None, 1.0]), {1: "low", 2: "high"}, "x.sav", ordered=True).cat.categories.tolist()
    ['low', 'high']
    >>> labelled(pd.Series([2.0, None, 1.0]), {1: "low"}, "x.sav", ordered=True).tolist()
    ['2', nan, 'low']
    """
    import pandas as pd

    used = column.dropna().unique().tolist()
    unlabelled = [value for value in used if value not in labels]
    if len(unlabelled) == len(used):
        return column
    texts = {code: labels[code] for code in sorted(labels)} | {value: as_text(value) or "" for value in unlabelled}
    codes: dict[str, Any] = {}
    for code, label in texts.items():
        if codes.setdefault(label, code) != code:
            raise InputError(
                f"{source}, column '{shorten(str(column.name))}': codes {as_text(codes[label])} and {as_text(code)} "
                f"have the same label '{shorten(label)}'. Give each code its own label, or save the codes as CSV"
            )
    named = column.map(texts)
    if unlabelled:
        return named.astype(object)
    ordered = ordered and not any(isinstance(code, str) for code in labels)
    return named.astype(pd.CategoricalDtype([*texts.values()], ordered=ordered))


READERS: dict[Format, Callable[[Source], Any]] = {
    "parquet": _parquet, "feather": _feather, "dta": _stata, "sav": _spss,
}  # fmt: skip
