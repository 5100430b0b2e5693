"""The catalogue as a page of the site."""

from __future__ import annotations

from socialstats.datasets.catalogue import Dataset, datasets
from socialstats.text import capital, count

INTRODUCTION = """\
# Data sets

Each function of `socialstats.datasets` returns a new pandas data frame; `describe(name)` prints what stands below.
A data set marked **SIMULATED** comes from a generator with a fixed seed. A function named as the data set with
`_truth` (`role_conflict_truth()`, `norm_goal_truth()`, ...) returns the true values. No language model and no person
was asked, and no row is a finding about anybody.
"""


def section(data: Dataset) -> str:
    """Return one data set's part of the page."""
    columns = [f"| `{column.name}` | {column.kind} | {column.meaning} |" for column in data.columns]
    lines = [
        f"## {data.name}",
        "",
        f"{capital(data.title)}. {count(data.n_rows, 'row')}, {'**SIMULATED**' if data.simulated else 'real'}.",
        "",
        data.about,
        "",
        "| column | values | meaning |",
        "|---|---|---|",
        *columns,
        "",
        "```python",
        "import socialstats as ss",
        "",
        f"data = ss.datasets.{data.name}()",
        data.design if " = " in data.design.partition("(")[0] else f"design = ss.{data.design}",
        "```",
        "",
        f"Source: {data.source}",
        "",
        f"Licence: {data.licence}.",
    ]
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page that lists every data set.

    Examples
    --------
    >>> page().splitlines()[0]
    '# Data sets'
    """
    return "\n".join([INTRODUCTION, *(section(data) for data in datasets())])
