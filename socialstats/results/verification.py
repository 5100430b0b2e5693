"""Our numbers beside those of independent implementations, and which published numbers have none beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

from socialstats.results.rows import Row, plain

if TYPE_CHECKING:
    import pandas as pd


KINDS: dict[str, str] = {
    "estimate": "estimates", "std_error": "standard errors", "conf_low": "intervals", "conf_high": "intervals",
    "statistic": "statistics", "df": "degrees of freedom", "p_value": "p values", "p_adjusted": "adjusted p values",
}  # fmt: skip
PEERS: Mapping[str, str] = {  # modules of independent implementations -> what pip installs
    "choix": "choix", "krippendorff": "socialstats[check]", "pingouin": "socialstats[check]",
    "sklearn": "scikit-learn", "statsmodels": "statsmodels",
}  # fmt: skip
COUNTS, FACTS = "counts", ("n", "n_units", "n_clusters", "conf_level")
NOT_RECOUNTED = "n, units, clusters and level of the rows are taken as they stand"
NOT_RECOMPUTED = "no independent implementation recomputed it"


class Published(float):
    """A number of a row that knows its row and its field; arithmetic gives a plain float.

    A check whose `ours` is such a number is a check of that number. A check of anything made from it is not, unless
    `marked` says so.

    Examples
    --------
    >>> x = Published(0.5, (3, "p_value"))
    >>> x.at, type(x + 0.0).__name__, marked(1 - x, x).at
    ((3, 'p_value'), 'float', (3, 'p_value'))
    """

    __slots__ = ("at",)
    at: tuple[int, str] | None

    def __new__(cls, value: float, at: tuple[int, str] | None = None) -> Self:
        """Make the number `value` of row `at[0]`, field `at[1]`."""
        made = super().__new__(cls, value)
        made.at = at
        return made


def marked(value: float, of: float | None) -> float:
    """Return a value that stands for the published number `of`, from which it was computed."""
    return Published(value, of.at) if isinstance(of, Published) else value


def published(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return rows whose numbers know where they stand: what a crosscheck is given."""
    made = []
    for k, row in enumerate(rows):
        known: Any = {n: Published(x, (k, n)) for n in KINDS if (x := getattr(row, n)) is not None}
        made.append(replace(row, **known))
    return tuple(made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One number compared with an independent implementation.

    Attributes
    ----------
    quantity : str
    ours, theirs : float or None
    package, version : str
        The version is empty where the package is not installed, and was not asked.
    tolerance : float
        Largest absolute difference that counts as agreement; `why` justifies it in one line.
    ok : bool or None
        None where the number was not compared: `note` says why.
    row : int or None
        Place of the published number among the rows of the result; None for other numbers, such as a log-likelihood.
    field : str
        Its column in `tidy()`.
    """

    quantity: str
    ours: float | None
    theirs: float | None
    package: str
    version: str
    tolerance: float
    ok: bool | None
    why: str = ""
    note: str = ""
    row: int | None = None
    field: str = ""

    @property
    def difference(self) -> float | None:
        """Absolute difference, where both sides have the number."""
        if self.ours is None or self.theirs is None:
            return None
        return abs(self.ours - self.theirs)

    def brief(self, without: Sequence[str] = ()) -> dict[str, Any]:
        """Return the check as built-in types: all but `without`, or its place or name where it agrees."""
        if self.ok is False or (self.row is None and self.ok is None):
            return {f.name: plain(getattr(self, f.name)) for f in fields(self) if f.name not in without}
        if self.row is None:
            return {"quantity": self.quantity, "ok": True}
        return {"row": self.row, "field": self.field, "ok": self.ok}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many numbers of one kind agree, disagree, and were not checked; an interval is one number."""

    agree: int = 0
    disagree: int = 0
    unchecked: int = 0

    @property
    def n(self) -> int:
        """All of them."""
        return self.agree + self.disagree + self.unchecked

    def __add__(self, other: Tally) -> Tally:
        return Tally(**{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)})


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification:
    """The outcome of `Result.verify()`: a small table of checks.

    Every published number (estimate, standard error, ends, statistic, degrees of freedom, p, adjusted p of every row)
    has a check. One that no crosscheck returned has a check with ``ok=None`` and the reason. Counts and the level of a
    row are not recomputed: one check of each row, of field ``"counts"``, says so.
    """

    checks: tuple[Check, ...]

    def __repr__(self) -> str:
        return f"<Verification: {tally_text(self.tallies(), self.reasons(), self.absent())}>"

    @property
    def ok(self) -> bool:
        """True when at least one number was compared and none disagreed."""
        return any(c.ok for c in self.checks) and all(c.ok is not False for c in self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def numbers(self) -> dict[tuple[int, str], bool | None]:
        """Return for each published number (row, field) whether it agrees; None: not checked."""
        found: dict[tuple[int, str], bool | None] = {}
        for check in self.checks:
            if check.row is not None:
                found[check.row, check.field] = worst_of([found.get((check.row, check.field)), check.ok], one=True)
        return found

    def tallies(self) -> dict[str, Tally]:
        """Return how many published numbers of each kind agree, disagree and were not checked."""
        items: dict[tuple[int, str], list[bool | None]] = {}
        for (row, field), ok in self.numbers().items():
            items.setdefault((row, KINDS.get(field, COUNTS)), []).append(ok)
        found = {kind: Tally() for kind in dict.fromkeys((*KINDS.values(), COUNTS))}
        for (_, kind), oks in items.items():
            ok = worst_of(oks)
            found[kind] += Tally(agree=ok is True, disagree=ok is False, unchecked=ok is None)
        return {kind: tally for kind, tally in found.items() if tally.n}

    def reasons(self) -> Counter[str]:
        """Return why numbers were not checked, with how many (both ends of an interval are two)."""
        unchecked = {at for at, ok in self.numbers().items() if ok is None}
        notes = {(c.row, c.field): c.note for c in self.checks if (c.row, c.field) in unchecked}
        return Counter(note or NOT_RECOMPUTED for note in notes.values())

    def absent(self) -> tuple[str, ...]:
        """Return the packages that are not installed, and would have recomputed something."""
        return tuple(sorted({check.package for check in self.checks if check.package in PEERS and not check.version}))

    def tidy(self) -> pd.DataFrame:
        """Return the checks as a table, one row per quantity."""
        import pandas as pd

        names = ("quantity", "ours", "theirs", "package", "version", "difference", "tolerance", "ok", "why")
        return pd.DataFrame({n: [getattr(c, n) for c in self.checks] for n in (*names, "note", "row", "field")})

    def to_dict(self) -> dict[str, Any]:
        """Return counts, reasons, and every check, as built-in types; like checks stand under what they share.

        Of a published number that agrees there is its place (row and field), as the number itself stands in the rows.
        Of another number that agrees its name. The group has the largest difference of its checks.
        """
        shared = ("package", "version", "why", "note")
        groups: dict[tuple[str, ...], list[Check]] = {}
        for check in self.checks:
            groups.setdefault(tuple(getattr(check, n) for n in shared), []).append(check)
        return {
            "counts": {kind: asdict(tally) for kind, tally in self.tallies().items()},
            "not_checked": dict(self.reasons()),
            "groups": [
                dict(zip(shared, key, strict=True))
                | {
                    "largest_difference": plain(
                        max((c.difference for c in own if c.difference is not None), default=None)
                    ),
                    "checks": [check.brief(shared) for check in own],
                }
                for key, own in groups.items()
            ],
        }


def worst_of(oks: Iterable[bool | None], *, one: bool = False) -> bool | None:
    """Return False if one is False, else None if one is None (with `one`: if none is True), else True."""
    known = set(oks)
    if False in known:
        return False
    return True if known == {True} or (one and True in known) else None


def installed(package: str) -> bool:
    """Return whether a package can be imported."""
    return find_spec(package) is not None


def install_line(package: str) -> str:
    """Return that a package is not installed, and the line that installs it.

    Examples
    --------
    >>> install_line("pingouin")
    "pingouin is not installed: pip install 'socialstats[check]'"
    """
    what = PEERS[package]
    return f"{package} is not installed: pip install {repr(what) if '[' in what else what}"


def unasked(quantity: str, ours: float | None, package: str) -> Check:
    """Return the check of a number that a package would recompute, which is not installed."""
    return Check(quantity=quantity, ours=ours, theirs=None, package=package, version="", tolerance=0.0, ok=None,
                 note=install_line(package))  # fmt: skip


def tally_text(tallies: Mapping[str, Tally], reasons: Mapping[str, int], absent: Sequence[str] = ()) -> str:
    """Return counts by kind in words, why numbers were not checked, and the packages that are not installed.

    Examples
    --------
    >>> tally_text({"estimates": Tally(agree=40), "intervals": Tally(agree=36, unchecked=4)}, {"few draws": 8})
    'estimates 40 of 40, intervals 36 of 40; not checked: few draws (8)'
    """
    counts = ", ".join(f"{kind} {tally.agree:,} of {tally.n:,}" for kind, tally in tallies.items())
    wrong = sum(tally.disagree for tally in tallies.values())
    why = "; ".join(f"{reason} ({n:,})" for reason, n in reasons.items())
    lacking = "; ".join(line for package in absent if (line := install_line(package)) not in reasons)
    parts = (f"{wrong:,} disagree" if wrong else "", f"not checked: {why}" if why else "", lacking)
    return "; ".join([counts or "no published number", *(part for part in parts if part)])


def totals(found: Iterable[Verification]) -> tuple[dict[str, Tally], Counter[str]]:
    """Return the counts by kind, and the reasons why numbers were not checked, of several results together."""
    tallies: dict[str, Tally] = {}
    reasons: Counter[str] = Counter()
    for one in found:
        reasons += one.reasons()
        for kind, tally in one.tallies().items():
            tallies[kind] = tallies.get(kind, Tally()) + tally
    return {kind: tallies[kind] for kind in dict.fromkeys((*KINDS.values(), COUNTS)) if kind in tallies}, reasons


def absent_of(found: Iterable[Verification]) -> tuple[str, ...]:
    """Return the packages that any of several verifications would have asked, and are not installed."""
    return tuple(sorted({package for one in found for package in one.absent()}))


def completed(rows: Sequence[Row], checks: Iterable[Check], why: str = NOT_RECOMPUTED) -> Verification:
    """Return the checks, with the place of each published number, and one more for each number without a check.

    Parameters
    ----------
    rows : sequence of Row
        As `published` returns them: what the checks were made from.
    checks : iterable of Check
    why : str
        The reason of numbers without a check.
    """
    placed = []
    for check in checks:
        at = check.ours.at if isinstance(check.ours, Published) else None
        theirs = None if check.theirs is None else float(check.theirs)
        ours = None if check.ours is None else float(check.ours)
        where = {} if at is None else {"row": at[0], "field": at[1]}
        placed.append(replace(check, ours=ours, theirs=theirs, **where))  # type: ignore[arg-type]
    seen = {(check.row, check.field) for check in placed}
    missing = [
        unchecked(row, k, name, float(value), why) for k, row in enumerate(rows) for name in KINDS
        if (value := getattr(row, name)) is not None and (k, name) not in seen
    ]  # fmt: skip
    counts = [
        unchecked(row, k, COUNTS, None, NOT_RECOUNTED) for k, row in enumerate(rows)
        if any(getattr(row, name) is not None for name in FACTS)
    ]  # fmt: skip
    return Verification(checks=(*placed, *missing, *counts))


def unchecked(row: Row, k: int, name: str, value: float | None, why: str) -> Check:
    """Return the check that says that a number of row `k` was not compared."""
    return Check(quantity=f"{row.term}{f' [{row.group}]' if row.group else ''}, {name}", ours=value, theirs=None,
                 package="", version="", tolerance=0.0, ok=None, note=why, row=k, field=name)  # fmt: skip


class Verifications(Mapping[str, Verification]):
    """A mapping from name to `Verification`; what is given as a function is called when its name is first read.

    Parameters
    ----------
    checks : mapping of str to Verification or function
        A function takes nothing and returns the Verification.

    Examples
    --------
    >>> found = Verifications({"strengths": lambda: Verification(checks=())})
    >>> list(found), found["strengths"] is found["strengths"]
    (['strengths'], True)
    """

    def __init__(self, checks: Mapping[str, Verification | Callable[[], Verification]] | None = None) -> None:
        self._checks = dict(checks or {})

    def __getitem__(self, name: str) -> Verification:
        check = self._checks[name]
        if not isinstance(check, Verification):
            check = self._checks[name] = check()
        return check

    def __iter__(self) -> Iterator[str]:
        return iter(self._checks)

    def __len__(self) -> int:
        return len(self._checks)

    def keep(self, made: Mapping[str, Verification]) -> None:
        """Store what was made elsewhere, such as in another process, under names that are here."""
        self._checks.update({name: made[name] for name in self._checks if name in made})


def joined(*sources: Mapping[str, Verification]) -> Verifications:
    """Return the comparisons of all sources, none of them made yet; of one name the last source counts.

    Examples
    --------
    >>> list(joined({"fit": Verification(checks=())}, Verifications({"shares": lambda: Verification(checks=())})))
    ['fit', 'shares']
    """
    return Verifications({name: partial(source.__getitem__, name) for source in sources for name in source})
