"""Every number of every metric under every option, condensed: ``python -m tests.contracts.fingerprints`` writes them.

Other tests compare results with references. These only show that a number, a count or a name changed, wherever that
is. The commit says why, and then the file is written again.
"""

from __future__ import annotations

import inspect
import json
import math
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.errors import SocialStatsError
from socialstats.metrics import METRICS
from socialstats.results import Result
from socialstats.shares.reply_shares import reply_shares
from tests.contracts.further import FURTHER
from tests.contracts.subjects import run, subject_of, thin_tables
from tests.contracts.test_derived import DERIVED, OF_FITS, replies

FILE = Path(__file__).parents[1] / "golden" / "fingerprints.json"
QUICK = {"resamples": 199, "permutations": 199}
OPTIONS: dict[str, tuple[Any, ...]] = {
    "ci": (
        "wilson",
        "cluster",
        "jackknife",
        "closed",
        "t",
        "delta",
        "wald",
        "noncentral",
        "noncentral_t",
        "two_way",
        "centred",
        "percentile",
        "basic",
        "bca",
        "studentized",
    ),
    "cluster": (None, ("worker", "pair"), ("scenario", "pair")),
    "level": (0.8,),
    "stratum": ("domain",),
    "weights": ("opponent", "pooled", "unweighted", "linear", "quadratic", "ordinal"),
    "scale": ("nominal", "interval", "arithmetic", "geometric", "both", "d_z"),
    "pairs": ("all", "pooled"),
    "refusal": ("level", "max", "exclude"),
    "people": ("random", "fixed"),
    "ties": (
        "davidson",
        "rao_kupper",
        "half",
        "first_level",
        "wrong",
        "drop",
        "low",
        "high",
        "nearest",
    ),
    "alternative": ("greater", "less"),
    "test": (
        "mid_p",
        "exact",
        "asymptotic",
        "continuity",
        "robust_t",
        "score",
        "cluster_means_t",
        "sign_flip",
        "obuchowski",
        "durkalski",
        "yang",
        "eliasziw",
        "noninferiority",
    ),
    "odds_ratio_ci": ("exact", "wilson", "wald"),
    "difference_ci": ("tango", "newcombe", "bonett_price", "agresti_min", "wald"),
    "aggregate": ("pooled", "unit", "scenario", "rater"),
    "vcov": ("model", "sandwich", "cluster"),
    "penalty": ("firth",),
    "solver": ("mm",),
    "prior": (0.5,),
    "order": (True, False),
    "formula": ("~ urgency",),
    "strengths": ("none",),
    "couples": ("complete",),
    "stratum_rows": ("scores",),
    "unit_of_analysis": ("model", "answer"),
    "judges": ("random",),
    "activated": ("each",),
    "entropy": ("bits",),
    "changes": ("all",),
    "free_weights": (True,),
    "pooling": ("units",),
    "flips": (199,),
}
FIELDS = (
    "estimate",
    "std_error",
    "conf_low",
    "conf_high",
    "statistic",
    "df",
    "p_value",
    "n",
    "n_units",
    "n_clusters",
    "leverage",
    "effective",
)
FACTS = ("counts", "fit", "settings", "extras")
NAMES = ("term", "group", "role", "key", "interval", "test", "family", "reason", "method")
Fingerprint = dict[str, list[float]]


def cases(name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls of a metric, one option changed at a time, then tables on which a statistic may not exist."""
    subject, parameters = subject_of(name), inspect.signature(METRICS[name].function).parameters
    quick = {option: value for option, value in QUICK.items() if option in parameters}
    design = subject.design(subject.rows())
    yield name, partial(run, name, design, **quick)
    for option, values in OPTIONS.items():
        for value in values if option in parameters else ():
            yield (
                f"{name}, {option}={value!r}",
                partial(run, name, design, **{**quick, option: value}),
            )
    ways: tuple[dict[str, Any], ...] = ({}, {"ci": "percentile"}) if "ci" in parameters else ({},)
    for table, rows in subject.degenerate().items():
        for way in ways:
            yield f"{name}, {table}, {way}", partial(on_table, name, rows, {**quick, **way})


def least_cases(name: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls of a metric on tables of two and three units or clusters, with and without its clusters."""
    subject, parameters = subject_of(name), inspect.signature(METRICS[name].function).parameters
    quick = {option: value for option, value in QUICK.items() if option in parameters}
    ways: tuple[dict[str, Any], ...] = ({}, {"cluster": None}) if "cluster" in parameters else ({},)
    for table, rows in subject.least().items():
        for way in ways:
            yield f"{name}, {table}, {way}", partial(on_table, name, rows, {**quick, **way})


def thin_cases(name: str, table: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls of a metric on a table with few units or uneven clusters, one option changed at a time."""
    rows, parameters = (
        thin_tables(subject_of(name))[table],
        inspect.signature(METRICS[name].function).parameters,
    )
    quick = {option: value for option, value in QUICK.items() if option in parameters}
    yield f"{name}, {table}", partial(on_table, name, rows, quick)
    for option, values in OPTIONS.items():
        for value in values if option in parameters else ():
            yield (
                f"{name}, {table}, {option}={value!r}",
                partial(on_table, name, rows, {**quick, option: value}),
            )
    yield f"{name}, {table}, at another level", partial(at_another_level, name, rows, quick)


def at_another_level(name: str, rows: pd.DataFrame, options: Mapping[str, Any]) -> Any:
    """Return a result whose rows have intervals of another level, made without the table."""
    result = on_table(name, rows, options)
    return replace(result, rows=result.rows_at(0.8))


def on_table(name: str, rows: pd.DataFrame, options: Mapping[str, Any]) -> Any:
    """Run a metric on a table; making the design may be an error, too."""
    return run(name, subject_of(name).design(rows), **options)


def derived() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield the calls of results that follow from other results."""
    yield from ((f"derived, {name}", call) for name, call in DERIVED.items())
    reading = subject_of("mean_ratings").reading() | {
        "cluster": ("story", "topic"),
        "refusal": "no answer",
    }
    rows = replies().assign(topic=lambda rows: rows["unit"].str[-1])
    yield (
        "derived, reply_shares, two factors",
        partial(reply_shares, rows, source="rater", **reading),
    )
    subject = subject_of("bradley_terry")
    for cluster in ("worker", None):
        fit = bradley_terry(subject.design(subject.rows()), cluster=cluster)
        for name in OF_FITS:
            yield f"{name}, cluster={cluster!r}", getattr(fit, name)
        yield f"ranks, marginal, cluster={cluster!r}", partial(fit.ranks, kind="marginal")


def every_case() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield all calls of metrics, and those of further results; `derived` has the rest."""
    for name in METRICS:
        yield from cases(name)
    for name in METRICS:
        yield from least_cases(name)
    for name in METRICS:
        for table in thin_tables(subject_of(name)):
            yield from thin_cases(name, table)
    for further in FURTHER.values():
        yield from further()


def outcome(call: Callable[[], Any]) -> Fingerprint:
    """Return the fingerprint of a result, or of the kind of error that there is in its place."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = call()
        except SocialStatsError as error:
            return {"error": [0, zlib.crc32(type(error).__name__.encode())]}
    return fingerprint(result)


def fingerprint(result: Result) -> Fingerprint:
    """Return how many numbers each field has, and their sum with weights that tell their order.

    Of cautions those numbers count that they tell, and the rows that they name; their words do not.
    """
    found = {field: condensed(getattr(row, field) for row in result.rows) for field in FIELDS}
    found |= {fact: condensed(leaves(getattr(result, fact))) for fact in FACTS}
    names = repr([[getattr(row, name) for name in NAMES] for row in result.rows])
    said = repr([(c.code, c.rows, re.findall(r"\d[\d.,]*", c.detail)) for c in result.cautions])
    texts = {"names": (len(result.rows), names), "cautions": (len(result.cautions), said)}
    found |= {field: [n, zlib.crc32(text.encode())] for field, (n, text) in texts.items() if n}
    return {field: numbers for field, numbers in found.items() if numbers[0]}


def condensed(values: Iterable[float | None]) -> list[float]:
    """Return how many numbers are finite, and their weighted sum."""
    numbers = [(k, float(x)) for k, x in enumerate(values) if x is not None and math.isfinite(x)]
    total = math.fsum(x * (1 + k * 0.6180339887 % 1) for k, x in numbers)
    return [len(numbers), float(f"{total:.10g}")]


def leaves(thing: Any) -> Iterator[float]:
    """Yield the numbers in dictionaries, lists and arrays, keys in their order."""
    if isinstance(thing, Mapping):
        for value in thing.values():
            yield from leaves(value)
    elif isinstance(thing, list | tuple):
        for value in thing:
            yield from leaves(value)
    elif isinstance(thing, np.ndarray) and thing.dtype.kind in "bif":
        yield from thing.astype(np.float64).ravel().tolist()
    elif isinstance(thing, int | float | np.number):
        yield float(thing)


# an error of such a case says only that the metric has no such option
NO_OPTION = ("=", "another level", "derived")


def main(names: Sequence[str] = ()) -> None:
    """Write the fingerprints of all cases, or of those of some metrics and leave the others as they are."""

    def is_asked(case: str) -> bool:
        return not names or any(re.search(rf"\b{name}\b", case) for name in names)

    cases = [(case, call) for case, call in every_case() if is_asked(case)]
    made = {case: outcome(call) for case, call in cases}
    made = {
        case: fingerprint
        for case, fingerprint in made.items()
        if "error" not in fingerprint or not any(word in case for word in NO_OPTION)
    }
    made |= {case: outcome(call) for case, call in derived() if is_asked(case)}
    if names:
        made = {**json.loads(FILE.read_text(encoding="utf-8")), **made}
    lines = (f"{json.dumps(case)}: {json.dumps(fingerprint)}" for case, fingerprint in made.items())
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
