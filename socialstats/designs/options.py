"""The options of a comparison table, in one place, checked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args

from socialstats.designs.aliases import (
    ColumnOption,
    Fields,
    Given,
    Levels,
    Missing,
    Names,
    NaTexts,
    Pair,
    Repeat,
    Texts,
)
from socialstats.designs.vocabulary import UNNUMBERED, spelled
from socialstats.errors import InputError
from socialstats.tables import missing_labels
from socialstats.text import shorten
from socialstats.voice import option

WinnerCoding = Literal["auto", "label", "side", "score", "grade", "probability"]
R = TypeVar("R", bound="ReadingOptions")
DEFAULT_TIES = ("tie",)
PARTS = spelled(
    "item_a item_b winner order weight count by values cluster repeat wins_a wins_b ties drawn score_a score_b status "
    "X_a X_b"
)


def texts(value: str | Iterable[str] | None) -> Levels:
    """Return one or several names as a tuple without repetitions.

    Examples
    --------
    >>> texts("a"), texts(["a", "b", "a"]), texts(None)
    (('a',), ('a', 'b'), ())
    """
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(dict.fromkeys(value))


def check_choice(name: str, value: Any, allowed: Sequence[Any]) -> None:
    """Raise `InputError` for a value that is not allowed, with those that are."""
    if value not in allowed:
        raise InputError(
            f"{option(name, value)} is not an option. Choose from {', '.join(map(repr, allowed))}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingOptions:
    """How to read a table as any design."""

    by: str | None = None
    cluster: Names = ()
    repeat: Repeat = None
    count: ColumnOption = None
    weight: str | None = None
    missing: Missing = "error"
    na: NaTexts = ()
    try_clusters: bool = True  # whether unused columns are tried as clusters

    def __post_init__(self) -> None:
        check_choice("missing", self.missing, get_args(Missing))

    @property
    def declared(self) -> frozenset[str]:
        """Labels with a meaning of their own, which are no missing values."""
        return frozenset()

    @property
    def na_labels(self) -> frozenset[str]:
        """Labels that mean a missing value."""
        return missing_labels(self.na, self.declared)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingReplies(ReadingOptions):
    """How to read a table of replies, which may be refusals."""

    status: str | None = None
    refusal: Names = ()

    @property
    def refusal_labels(self) -> frozenset[str]:
        """Values that mean a refusal."""
        return frozenset(texts(self.refusal))


@dataclass(frozen=True, slots=True, kw_only=True)
class Options(ReadingReplies):
    """How to read a table as comparisons; `Comparisons.from_frame` documents every field."""

    item_a: str | None = None
    item_b: str | None = None
    winner: str | None = None
    order: ColumnOption = None
    covariates: Texts | Mapping[str, Pair] | None = None
    values: ColumnOption = None
    tie: Names = DEFAULT_TIES
    winner_coding: WinnerCoding = "auto"
    allowed: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    wins_a: str | None = None
    wins_b: str | None = None
    ties: str | None = None
    drawn: str | None = None
    score_a: str | None = None
    score_b: str | None = None
    lowest_wins: bool = False

    def __post_init__(self) -> None:
        ReadingOptions.__post_init__(self)
        check_choice("winner_coding", self.winner_coding, get_args(WinnerCoding))

    @property
    def tie_labels(self) -> Levels:
        """Labels that mean a tie."""
        return texts(self.tie)

    @property
    def declared(self) -> frozenset[str]:
        """Labels of ties and refusals."""
        return self.refusal_labels | {*self.tie_labels}


def among(options: type[R], arguments: Given, **changed: Any) -> R:
    """Return the options among the arguments of a constructor (its `locals()`), some of them changed."""
    settings = {
        field.name: arguments[field.name] for field in fields(options) if field.name in arguments
    }
    return options(**settings | changed)


def map_options(entries: Texts) -> Fields:
    """Turn ``part=column`` entries of a command line into options.

    Parameters
    ----------
    entries : sequence of str
        ``item_a=left``, ``winner=choice``, ``wins_a=win1`` (or ``win_a=win1``), ``cluster=worker`` (may repeat),
        or the two sides of a covariate: ``urgency_a=left_urgency``, ``urgency_b=right_urgency``. ``order=`` and
        ``values=`` with nothing say that no column plays this part; ``order=item_a`` says that the first item column
        was always shown first.

    Raises
    ------
    InputError
        For entries that are not ``part=column``, parts named twice, and half a covariate.

    Examples
    --------
    >>> map_options(["item_a=left", "item_b=right", "u_a=x", "u_b=y", "cluster=worker"])
    {'item_a': 'left', 'item_b': 'right', 'cluster': ('worker',), 'covariates': {'u': ('x', 'y')}}
    >>> map_options(["order="])
    {'order': False}
    """
    named: Fields = {}
    sides: dict[str, dict[str, str]] = {}
    for entry in entries:
        part, equals, column = entry.partition("=")
        part = {"win_a": "wins_a", "win_b": "wins_b"}.get(part, part)
        if part in ("order", "values") and equals and not column:
            named[part] = False
            continue
        wrong = ""
        is_column = part in PARTS[:-2]
        home: Fields = named if is_column else sides.setdefault(part[:-2], {})
        key = part if is_column else part[-1:]
        if not equals or not part or not column:
            wrong = f"write part=column. Parts: {', '.join(PARTS)}"
        elif not is_column and part[-2:] not in ("_a", "_b"):
            wrong = f"no part '{shorten(part)}'. Parts: {', '.join(PARTS)}"
        elif part not in ("cluster", "repeat") and key in home:
            wrong = f"'{part}' is mapped twice"
        if wrong:
            raise InputError(f"--map {shorten(entry)}: {wrong}")
        home[key] = (*named.get(part, ()), column) if part in ("cluster", "repeat") else column
    for name, pair in sides.items():
        if len(pair) < 2:
            raise InputError(
                f"--map: covariate '{name}' needs both sides: {name}_a=COLUMN and {name}_b=COLUMN"
            )
    covariates = {name: (pair["a"], pair["b"]) for name, pair in sides.items()}
    if "repeat" in named:
        named["repeat"] = mapped_repeat(named["repeat"])
    return named | ({"covariates": covariates} if covariates else {})


def mapped_repeat(columns: Levels) -> Levels | Literal[True]:
    """Return what ``repeat=COLUMN`` and ``repeat=true`` say: columns, or True where none numbers the answers.

    Examples
    --------
    >>> mapped_repeat(("sample", "seed")), mapped_repeat(("true",))
    (('sample', 'seed'), True)
    """
    return True if columns == (UNNUMBERED,) else columns
