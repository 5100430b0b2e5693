"""The calls and pages that are recorded: those of the tables that tests have already."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from socialstats.designs.comparisons import Comparisons
from socialstats.metrics import METRICS
from socialstats.studies import STUDIES, run_study
from socialstats_reports.data import as_dict
from tests.contracts import test_keys
from tests.contracts.fingerprints import QUICK, derived, every_case
from tests.contracts.subjects import run, subject_of
from tests.metrics import test_one_sided, test_sampling_weights
from tests.record.entries import Entry, entry_of_call, entry_of_error, entry_of_result, with_paths
from tests.record.pages import entry_of_page

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))  # its modules import each other
from study_examples import FAST, PAGES, choices

Calls = Iterator[tuple[str, Callable[[], Any]]]
SIDES = ("two_sided", "greater", "less")
WITHOUT_BY = ("flip_rate", "label_counts", "preference_shares")  # take one table or one fit
CHOICES: tuple[dict[str, Any], ...] = ({"ties": "half"}, {"penalty": "firth"}, {"prior": 0.5})
TIES: tuple[dict[str, Any], ...] = ({"ties": "davidson"}, {"ties": "rao_kupper"}, {"ties": "none"})
SMALLEST: tuple[dict[str, Any], ...] = (
    {"smallest_effect": 0.1},
    {"smallest_effect": 0.2, "effect_scale": "d_z"},
)
# the options that change a page of a study, besides the level
STUDY_OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "role-conflict": CHOICES,
    "comparisons": (*CHOICES, *TIES),
    "compare": (*CHOICES, {"reference": "m2"}),
    "paired": (*SMALLEST, {"brief": True}),
    "groups": SMALLEST,
    "agreement": ({"brief": True},),
    "relationship-bias": ({"brief": True}, {"first": "woman"}),
    "norm-goal": SMALLEST,
    "staged-values": ({"reference": "debrief"}, {"weights": "equal"}),
    "compare-ratings": ({"reference": "m2"},),
    "leaderboard": ({"pooling": "units"},),
}


def calls() -> Calls:
    """Yield the calls of every metric and of what follows from its results, by their names."""
    yield from every_case()
    yield from derived()
    for name, call in test_one_sided.CALLS.items():
        for side in SIDES:
            yield f"sides, {name}, {side}", partial(call, alternative=side)
    for name, weighted in test_sampling_weights.CALLS.items():
        for cluster in ((), "k"):
            weights = test_sampling_weights.DATA["w"]
            yield f"weights, {name}, {cluster!r}", partial(weighted, weights, cluster=cluster)
    for name, case in test_keys.CASES.items():
        yield f"shared units, {name}", partial(of_shared_units, case)
    for name in (name for name in METRICS if name not in WITHOUT_BY):
        for level in ("even", "odd"):
            yield f"by, {name}, {level}", partial(by_level, name, level)


def of_shared_units(case: test_keys.Case) -> Any:
    """Call on a table from which each source lacks other units."""
    return case.call(test_keys.lacking(case.frame(), case.source, case.unit, case.dropped()))


def by_level(name: str, level: str) -> Any:
    """Return the result at one level of a factor that clusters are nested in."""
    subject = subject_of(name)
    rows = subject.rows()
    codes = rows[subject.clusters].astype("category").cat.codes
    halves = rows.assign(half=(codes % 2).map({0: "even", 1: "odd"}))
    parameters = inspect.signature(METRICS[name].function).parameters
    quick = {option: value for option, value in QUICK.items() if option in parameters}
    return run(name, subject.design(halves, by="half"), **quick)[level]


def metric_entries(text: str = "") -> Iterator[Entry]:
    """Yield the entry of each call whose name contains a text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case, call in with_paths(calls()):
            if text in case:
                yield entry_of_call(case, call)


def pages() -> Iterator[tuple[str, str, Any, dict[str, Any]]]:
    """Yield name, study, design and options of each page."""
    made = {name: (study, make(False)) for name, (study, make) in PAGES.items()}
    made["comparisons, with ties"] = ("comparisons", with_ties())
    for name, (study, design) in made.items():
        usual = {"smallest_effect": 0.05} if study == "paired" else {}
        for changed in ({}, {"level": 0.8}, *STUDY_OPTIONS.get(study, ())):
            told = "".join(f", {option}={value!r}" for option, value in changed.items())
            yield f"page {name}{told}", study, design, usual | changed


def with_ties() -> Comparisons:
    """Return comparisons of which every fifth is a tie."""
    frame = choices(urgency=False)
    frame.loc[frame.index % 5 == 0, "winner"] = "tie"
    return Comparisons.from_frame(frame, cluster="story")


def page_entries(text: str = "") -> Iterator[Entry]:
    """Yield the entries of each page whose name contains a text: its own, and one for each result of its blocks."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = (page for page in pages() if text in page[0])
        for case, study, design, options in chosen:
            try:
                outcome = run_study(STUDIES[study], design, replace(FAST, **options))
                yield entry_of_page(case, as_dict(outcome))
            except Exception as error:
                yield entry_of_error(case, error)
                continue
            results = (
                (f"{case}, block {block.id}, {result.metric}", result)
                for block in outcome.blocks
                for result in block.results
            )
            for path, result in with_paths(results):
                yield entry_of_result(path, result)
