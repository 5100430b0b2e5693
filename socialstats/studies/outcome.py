"""What a study hands to a reader: plain data that any renderer can show.

A study answers its questions with metrics and fills these classes; the report renders them and knows nothing
about any single metric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from socialstats.designs.comparisons import FlowStep
from socialstats.errors import Caution
from socialstats.figures.strip import Mark
from socialstats.results import Result, Row, Verification

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """The answer on one number line, beside what it should be compared with."""

    title: str
    axis: str
    marks: tuple[Mark, ...]
    digits: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table for the page: header, rows of cells (text or numbers), decimals of all columns or of each."""

    caption: str
    header: tuple[str, ...]
    cells: tuple[tuple[str | float | int | None, ...], ...]
    digits: int | tuple[int, ...] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One question with its answer.

    Attributes
    ----------
    id : str
        Anchor on the page.
    question : str
    sentences : tuple of str
        Plain text; made from rows of `results`.
    draw : callable or None
        Draws the figure and returns its Axes (a function of `socialstats.figures` bound to its rows).
    figure_title, caption : str
    tables : tuple of Table
    results : tuple of Result
        The numbers behind the block; they go into the embedded JSON.
    level : str
        Level of the by factor that the block is about; empty without one.
    status : {"", "confirmatory", "exploratory"}
        Whether the block answers what a plan asked in advance; empty where there is no such plan.
    """

    id: str
    question: str
    sentences: tuple[str, ...]
    draw: Callable[[], Axes] | None = None
    figure_title: str = ""
    caption: str = ""
    tables: tuple[Table, ...] = ()
    results: tuple[Result, ...] = ()
    level: str = ""
    status: Literal["", "confirmatory", "exploratory"] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """A check of the data or the model: what was looked at, what was found, so what."""

    check: str
    found: str
    so_what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Everything a report says about one table.

    Attributes
    ----------
    study, title : str
        Registry name, and the question as the page's heading.
    design : str
        One line: kind of design, n at every level.
    answer : tuple of str
        The answer in one to three sentences, with estimate, interval and comparison points.
    strip : Strip or None
    cautions : tuple of Caution
        Ordered by their effect on the conclusion.
    blocks : tuple of Block
    flow : tuple of FlowStep
    data : tuple of Table
        Balance, missing values, counts by condition.
    diagnostics : tuple of Diagnostic
    methods : tuple of str
        Paragraphs.
    references : tuple of str
        Keys of `socialstats.references`.
    verifications : mapping of str to Verification
    settings : mapping
        Options that produced the numbers (seed, resamples, level, ties, clusters ...).
    simulated : str
        Not empty when the data are simulated: says so at the top of the page.
    """

    study: str
    title: str
    design: str
    answer: tuple[str, ...]
    strip: Strip | None
    cautions: tuple[Caution, ...]
    blocks: tuple[Block, ...]
    flow: tuple[FlowStep, ...]
    data: tuple[Table, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    methods: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    verifications: Mapping[str, Verification] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    simulated: str = ""


__all__ = ["Block", "Diagnostic", "FlowStep", "Mark", "Outcome", "Row", "Strip", "Table"]
