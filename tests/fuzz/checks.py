"""What a page, a result and an error must be, whatever the table: each fault is a line of text."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import math
import os
import re
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import socialstats
from socialstats.cli import main
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.designs.vocabulary import FIXED
from socialstats.errors import SocialStatsError
from socialstats.metrics import METRICS
from socialstats.results import Result, ResultGroup
from socialstats.studies import STUDIES
from socialstats.tables import read_table
from tests.fuzz.tables import Drawn, Rng, chance, one_of

NUMBERS = (
    "estimate",
    "std_error",
    "conf_low",
    "conf_high",
    "statistic",
    "df",
    "p_value",
    "p_adjusted",
)
NO_NUMBER = re.compile(r"(?<![\w.])[-\u2212]?(?:nan|NaN|inf|Infinity)(?![\w])")
NARROW = 1e-13  # share of its ends that rounding leaves of an interval without a width
MORE = re.compile(
    r"(?<!\bor )\bmore (pairs of [a-z]+|clusters of [a-z_ ]+|[a-z]+)\b(?! than)"
)  # not "two or more"
CODES = {2: "bad input", 3: "nothing to analyse"}


def term_faults(term: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the numbers of one row."""
    name = f"{term.get('term')} [{term.get('group')}]"
    for field in NUMBERS:
        value = term.get(field)
        if value is not None and not math.isfinite(value):
            yield f"{name}: {field} is {value}"
    for field in ("p_value", "p_adjusted"):
        value = term.get(field)
        if value is not None and not 0 < value <= 1:
            yield f"{name}: {field} is {value}"
    if term.get("std_error") is not None and term["std_error"] <= 0:
        yield f"{name}: standard error {term['std_error']}"
    low, high, estimate = (term.get(field) for field in ("conf_low", "conf_high", "estimate"))
    if low is None or high is None:
        return
    if estimate is not None and not low <= estimate <= high:
        yield f"{name}: the estimate {estimate} lies outside its interval [{low}, {high}]"
    if (
        term.get("role") != "rank"
        and term.get("group") != "rank"
        and high - low <= NARROW * max(abs(low), abs(high))
    ):
        yield f"{name}: an interval without a width, [{low}, {high}]"


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text within built-in types, and not those of tables of the data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            if key not in ("settings", "verification"):
                yield from texts_of(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_of(part)


def page_faults(page: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the numbers and texts of a page."""
    for block in page["blocks"]:
        for result in block["results"]:
            for term in result["terms"]:
                yield from (
                    f"block {block['id']}, {result['metric']}: {fault}"
                    for fault in term_faults(term)
                )
    for text in texts_of(page):
        if NO_NUMBER.search(text):
            yield f"a text with no number: {text[:200]}"
    yield from advice_faults(page)
    for caution in page["cautions"]:
        if caution["code"] == "SS402":
            yield f"an independent implementation disagrees: {caution['detail'][:300]}"


def advice_faults(page: Mapping[str, Any]) -> Iterator[str]:
    """Yield advice that nobody can follow: more pairs where all have met, more of what the table compares."""
    size = re.search(r"([\d,]+) (?:item|role)s?, ([\d,]+) pairs?\b", page.get("design", ""))
    items, pairs = (int(x.replace(",", "")) for x in size.groups()) if size else (0, -1)
    all_met = pairs == items * (items - 1) // 2
    for text in texts_of(page):
        for what in MORE.findall(text):
            word = what.removeprefix("clusters of ")
            fixed = word in FIXED or word.removesuffix("s") in FIXED
            if fixed and page["study"] != "staged-values":  # there models are the units
                yield f"more {what} are advised: {text[:200]}"
            if what.startswith("pairs of") and all_met and page["study"] != "role-conflict":
                yield f"more pairs are advised where all have met: {text[:200]}"


def report_faults(drawn: Drawn, folder: Path, rng: Rng) -> tuple[int, list[str]]:
    """Run ``socialstats report`` on a table and return its exit code, and what is wrong."""
    page, found = folder / ("page.html" if chance(rng, 0.25) else "page.md"), folder / "page.json"
    more = [] if chance(rng, 0.3) else ["--no-verify"]
    words = ["report", *drawn.written(folder), "-o", str(page), "--json", str(found), *more]
    out, err = io.StringIO(), io.StringIO()
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            warnings.simplefilter("error")
            code = main(words)
    except SystemExit:
        return -1, [f"the options were refused: {err.getvalue()[-300:]}"]
    except Exception as error:
        return -1, [raised(error)]
    if code in CODES:
        return code, [] if "error: " in err.getvalue() else [f"exit {code} without a message"]
    if code:
        return code, [f"exit {code}: {err.getvalue()[-300:]}"]
    faults = list(page_faults(json.loads(found.read_text(encoding="utf-8"))))
    if page.suffix == ".md" and NO_NUMBER.search(page.read_text(encoding="utf-8")):
        faults.append("the page prints a number that is none")
    return code, faults


def raised(error: BaseException) -> str:
    """Return an exception with the last places of ours that it passed; of one table, print all of them."""
    if os.environ.get("TABLE"):
        traceback.print_exception(error)
    places = [
        f"{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "socialstats" in frame.filename
    ]
    return f"{type(error).__name__}: {str(error)[:160]} at {' < '.join(reversed(places[-4:]))}"


def result_faults(result: Result) -> Iterator[str]:
    """Yield what is wrong with a result: its rows, its texts, and what other packages find."""
    for term in result.to_dict()["terms"]:
        yield from term_faults(term)
    for text in (result.sentence(), result.summary(), result.to_markdown()):
        if NO_NUMBER.search(text):
            yield f"a text with no number: {NO_NUMBER.sub('>>>nan<<<', text)[:200]}"
    json.dumps(result.to_dict(), allow_nan=False)


def each_result(found: Any) -> Iterator[Result]:
    if isinstance(found, ResultGroup):
        for part in found.results.values():
            yield from each_result(part)
    elif isinstance(found, Result):
        yield found


OF_LIBRARY = ("design", "study", "cluster", "by", "strata", "rater_groups")


def design_of(drawn: Drawn, path: Path) -> Any:
    """Read the table as the study, or its keywords, say."""
    study = drawn.options.get("study", "")
    if study in STUDIES and STUDIES[study].read is not None and "value" not in drawn.reading:
        return STUDIES[study].read(read_table(path))
    reading = {
        key: value for key, value in drawn.reading.items() if key not in ("design", "reread")
    }
    if "level_columns" in reading:
        return Ratings.from_counts(read_table(path), columns=reading["level_columns"])
    if "units" in reading:
        return Ratings.from_wide(
            read_table(path), raters_in="rows", units=reading["units"], rater=reading["rater"]
        )
    if "raters" in reading:
        return Ratings.from_wide(read_table(path), raters_in="columns", raters=reading["raters"])
    kind: Any = {
        "comparisons": Comparisons,
        "compared": Comparisons,
        "role-conflict": Comparisons,
        "paired": Paired,
    }.get(drawn.kind, Ratings)
    if "first" in reading:
        return Paired.from_wide(
            read_table(path), **{k: v for k, v in reading.items() if k != "missing"}
        )
    if kind is Comparisons:
        frame = drawn.frame
        covariates = [name for name in ("urgency", "domain") if f"{name}_a" in frame]
        reading |= {"covariates": covariates} if covariates else {}
        if "wins_a" in reading:
            return kind.from_file(
                path, **{"ties" if key == "draws" else key: value for key, value in reading.items()}
            )
        return kind.from_file(path, **reading)
    return kind.from_file(path, **reading)


NAMES = {Comparisons: "comparisons", Paired: "paired", Ratings: "ratings"}


def calls(design: Any, rng: Rng) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield some functions of the library with the design and options drawn at random."""
    known = [name for name, metric in METRICS.items() if metric.design == NAMES[type(design)]]
    for name in rng.choice(known, min(2, len(known)), replace=False).tolist():
        metric = METRICS[name]
        options: dict[str, Any] = dict(metric.options)
        for key, parameter in inspect.signature(metric.function).parameters.items():
            if key == "groups" and parameter.default is parameter.empty:
                options[key] = {
                    item: one_of(rng, "one", "two") for item in getattr(design, "items", ())
                }
            elif key == "cluster" and chance(rng, 0.3):
                options[key] = None
            elif key == "resamples":
                options[key] = 100
            elif key == "ci" and chance(rng, 0.3):
                options[key] = one_of(
                    rng, "bca", "percentile", "basic", "studentized", "jackknife", "closed", "t"
                )
            elif key == "truth":
                options[key] = design.raters[0]
        yield name, lambda metric=metric, options=options: metric.function(design, **options)
    parts = list(design.split().values()) if design.by is not None else []
    if len(parts) > 1:
        yield from of_two(parts[0], parts[1], rng)
    if isinstance(design, Ratings) and design.rater_groups:
        group = next(iter(design.rater_groups.values()))
        sides = [
            [r for r, code in zip(design.raters, group.codes.tolist(), strict=True) if code == k]
            for k in (0, 1)
        ]
        if all(sides) and design.by is None:
            yield from of_two(*(design.of_raters(own) for own in sides), rng)
    if isinstance(design, Paired):
        yield (
            "equivalence",
            lambda: socialstats.equivalence(socialstats.paired_difference(design), margin=0.5),
        )
        if design.clusters and design.by is None:
            yield (
                "leave_one_out",
                lambda: socialstats.leave_one_out(design, cluster=design.clusters[0].name),
            )


def of_two(one: Any, two: Any, rng: Rng) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield functions of two designs."""
    if isinstance(one, Ratings):
        yield "ratings_difference", lambda: socialstats.ratings_difference(one, two, resamples=100)
        if one.raters_known and two.raters_known:
            yield (
                "compare_models",
                lambda: socialstats.compare_models(
                    {
                        "one": socialstats.krippendorff_alpha(one),
                        "two": socialstats.krippendorff_alpha(two),
                    }
                ),
            )
        yield (
            "compare_models",
            lambda: socialstats.compare_models(
                {"one": socialstats.mean_ratings(one), "two": socialstats.mean_ratings(two)}
            ),
        )
    if isinstance(one, Comparisons):

        def difference_of_fits() -> Any:
            fits = [
                socialstats.bradley_terry(part, prior=one_of(rng, 0, 0.5), order=False)
                for part in (one, two)
            ]
            return socialstats.bradley_terry_difference(*fits)

        yield "bradley_terry_difference", difference_of_fits
        yield "win_rate_difference", lambda: socialstats.win_rate_difference(one, two)
        yield (
            "choice_entropy_difference",
            lambda: socialstats.choice_entropy_difference(one, two, unmatched="drop"),
        )
        if "urgency" in one.covariates and "urgency" in two.covariates:
            yield (
                "sensitivity_difference",
                lambda: socialstats.sensitivity_difference(
                    one, two, unmatched="drop", resamples=100
                ),
            )
    if isinstance(one, Paired):
        metric = getattr(
            importlib.import_module("socialstats"), one_of(rng, "paired_difference", "mcnemar")
        )
        yield (
            "compare_models",
            lambda: socialstats.compare_models({"one": metric(one), "two": metric(two)}),
        )


def library_faults(drawn: Drawn, folder: Path, rng: Rng) -> list[str]:
    """Call some functions of the library on a table, and return what is wrong."""
    path = folder / "table.csv"
    faults: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            design = design_of(drawn, path)
            made = list(calls(design, rng))
        except SocialStatsError:
            return []
        except Exception as error:
            return [f"reading: {raised(error)}"]
        for name, call in made:
            try:
                for result in each_result(call()):
                    faults += [f"{name}: {fault}" for fault in result_faults(result)]
                    if chance(rng, 0.2):
                        bad = [check for check in result.verify() if check.ok is False]
                        faults += [f"{name}: verification disagrees: {check}" for check in bad[:2]]
            except SocialStatsError:
                continue
            except Exception as error:
                faults.append(f"{name}: {raised(error)}")
    return faults


def faults_of(drawn: Drawn, folder: Path, seed: int, k: int) -> tuple[int, list[str]]:
    """Return the exit code of the report of a table, and all that is wrong with it and with functions called on it."""
    rng = np.random.default_rng([seed, k, 1])
    code, faults = report_faults(drawn, folder, rng)
    return code, [*faults, *library_faults(drawn, folder, rng)]
