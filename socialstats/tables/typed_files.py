"""Files that know the types of their columns: parquet, feather, Stata and SPSS, each as a pandas or pyarrow frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from socialstats.errors import InputError
from socialstats.tables.formats import READ
from socialstats.tables.headers import refuse_many_columns
from socialstats.tables.labels import label_text
from socialstats.tables.limits import check_limit
from socialstats.tables.sources import ByteSource
from socialstats.tables.spss import read_spss
from socialstats.text import shorten

if TYPE_CHECKING:
    import pandas as pd


def read_parquet(source: ByteSource) -> Any:
    """Return the pyarrow table of a parquet file."""
    import pyarrow.parquet as pq

    with source.seekable() as stream:
        opened = pq.ParquetFile(stream)
        about = opened.metadata
        check_limit("rows", about.num_rows, source.name)
        check_limit(
            "bytes",
            sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups)),
            source.name,
        )
        refuse_many_columns(opened.schema_arrow.names, source.name)
        return validated(opened.read())


def read_feather(source: ByteSource) -> Any:
    """Return the pyarrow table of an Arrow file, or of an Arrow stream, which has no mark."""
    import pyarrow as pa

    with source.seekable() as stream:
        is_feather = source.head().startswith(READ["feather"].magic.encode())
        opened = pa.ipc.open_file(stream) if is_feather else pa.ipc.open_stream(stream)
        refuse_many_columns(opened.schema.names, source.name)
        batches, rows, size = [], 0, 0
        for batch in (
            map(opened.get_batch, range(opened.num_record_batches)) if is_feather else opened
        ):
            rows, size = rows + batch.num_rows, size + batch.nbytes
            check_limit("rows", rows, source.name)
            check_limit("bytes", size, source.name)
            batches.append(batch)
        return validated(pa.Table.from_batches(batches, opened.schema))


def validated(table: Any) -> Any:
    """Return a pyarrow table whose texts are UTF-8 and lie where they should: of damaged ones Python may crash."""
    table.validate(full=True)
    return table


def read_stata(source: ByteSource) -> Any:
    """Return the pandas frame of a Stata file; codes with labels are categories."""
    import pandas as pd

    with (
        source.seekable() as stream,
        pd.read_stata(stream, iterator=True, convert_categoricals=False) as opened,
    ):
        reader: Any = opened
        frame, labels = reader.read(), reader.value_labels()
        # the name of the labels of each column; pandas has no public one
        sets = reader._lbllist
    for column, name in zip(frame.columns, sets, strict=True):
        frame[column] = apply_value_labels(
            frame[column], labels.get(name, {}), source.name, ordered=True
        )
    return frame


def read_sav(source: ByteSource) -> Any:
    """Return the pandas frame of an SPSS file; codes with labels are categories."""
    import pandas as pd

    with source.seekable() as stream:
        content = read_spss(stream)
    refuse_many_columns([*content.columns], source.name)
    frame = pd.DataFrame(content.columns)
    for column, labels in content.labels.items():
        frame[column] = apply_value_labels(
            frame[column], labels, source.name, ordered=column not in content.nominal
        )
    return frame


def apply_value_labels(
    column: pd.Series[Any], labels: Mapping[Any, str], source: str, *, ordered: bool
) -> pd.Series[Any]:
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
    >>> codes = pd.Series([2.0, None, 1.0])
    >>> levels = apply_value_labels(codes, {1: "low", 2: "high"}, "x.sav", ordered=True)
    >>> levels.cat.categories.tolist()
    ['low', 'high']
    >>> apply_value_labels(pd.Series([2.0, None, 1.0]), {1: "low"}, "x.sav", ordered=True).tolist()
    ['2', nan, 'low']
    """
    import pandas as pd

    used = column.dropna().unique().tolist()
    unlabelled = [value for value in used if value not in labels]
    if len(unlabelled) == len(used):
        return column
    texts = {code: labels[code] for code in sorted(labels)} | {
        value: label_text(value) or "" for value in unlabelled
    }
    codes: dict[str, Any] = {}
    for code, label in texts.items():
        if codes.setdefault(label, code) != code:
            raise InputError(
                f"{source}, column '{shorten(str(column.name))}': "
                f"codes {label_text(codes[label])} and {label_text(code)} "
                f"have the same label '{shorten(label)}'. Give each code its own label, or save the codes as CSV"
            )
    named = column.map(texts)
    if unlabelled:
        return named.astype(object)
    ordered = ordered and not any(isinstance(code, str) for code in labels)
    return named.astype(pd.CategoricalDtype([*texts.values()], ordered=ordered))
