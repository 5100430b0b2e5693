"""What a metric declares about itself; contract tests and the report read it from here."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from socialstats.designs.calls import as_design, reader_of
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import InputError
from socialstats.results import Result, ResultGroup
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DesignName = Literal["comparisons", "paired", "ratings", "labels"]
Swap = Literal["negates", "invariant", "none"]
Values = Literal["any", "numeric", "binary", "nominal", "couples", "sources", "traits"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """A metric's entry in the registry.

    Attributes
    ----------
    name : str
        Name of the public function.
    title : str
        The estimand in a few words.
    design : {"comparisons", "paired", "ratings", "labels"}
        What the function takes; labels: lists of labels, several a unit.
    function : callable
        The public function: design first, options by keyword.
    sentence : callable
        Result -> APA 7 sentence, made only from its rows.
    plot : callable
        ``plot(result, ax=None, **options)`` -> matplotlib Axes.
    crosscheck : str
        ``"module:function"`` in `socialstats.crosscheck` that recomputes the number independently.
    estimand : str
        What is estimated, in one or two sentences.
    assumptions : tuple of str
    references : tuple of str
        Keys of `socialstats.references`.
    swap : {"negates", "invariant", "none"}
        What swapping the two sides of every comparison (conditions, raters) does to the estimates.
    values : {"any", "numeric", "binary", "nominal", "couples", "sources", "traits"}
        What the values of a paired or ratings design must be; couples: -1 and 1, of couples of groups in both orders;
        sources: of people and of models, told apart by a rater group; traits: scores of traits of answers, by judges.
    options : mapping
        Options that contract tests must pass for the metric to be defined on generic data.
    """

    name: str
    title: str
    design: DesignName
    function: Callable[..., Result | ResultGroup]
    sentence: Callable[[Result], str]
    plot: Callable[..., Axes]
    crosscheck: str
    estimand: str
    assumptions: tuple[str, ...]
    references: tuple[str, ...]
    swap: Swap = "none"
    values: Values = "any"
    options: Mapping[str, Any] = field(default_factory=dict)


def lookup(name: str) -> Metric:
    """Return the entry of a metric.

    Raises
    ------
    InputError
        If no metric has this name; the message lists those there are.
    """
    metrics: Mapping[str, Metric] = importlib.import_module("socialstats.metrics").METRICS
    if name not in metrics:
        raise InputError(f"no metric '{name}'; metrics: {', '.join(metrics)}")
    return metrics[name]


def fit_of(data: Any, columns: Mapping[str, Any], name: str) -> Any:
    """Return the Bradley-Terry fit of comparisons or of a table; a fit is returned as it is.

    Parameters
    ----------
    data : BradleyTerryResult, Comparisons, data frame, mapping of columns, or path of a file
    columns : mapping of str to object
        Keywords of `read_comparisons`, of a table.
    name : str
        The function that was called, for messages.

    Raises
    ------
    InputError
        For keywords that come with a fit, and a table with a ``by`` column, which has several fits.
    """
    if not hasattr(data, "strengths") and not isinstance(data, ResultGroup):
        data = lookup("bradley_terry").function(as_design(data, columns, Comparisons, name=name))
    elif columns:
        reader_of(columns, [Comparisons], name, [])
        raise InputError(f"{name}: {', '.join(option(key) for key in columns)} tells how to read a table, and this is "
                         "a fit already")  # fmt: skip
    if isinstance(data, ResultGroup):
        raise InputError(f"{name} takes one fit, and these are {len(data)}, by {data.by}: pass one, fits[LEVEL]")
    return data
