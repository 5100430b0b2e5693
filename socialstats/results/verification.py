"""Our numbers beside those of independent implementations, and which published numbers have none beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Self

from socialstats.results.rows import Row, builtin_value
from socialstats.text import count

if TYPE_CHECKING:
    import pandas as pd


KINDS: dict[str, str] = {
    "estimate": "estimates",
    "std_error": "standard errors",
    "conf_low": "limits",
    "conf_high": "limits",
    "statistic": "statistics",
    "df": "degrees of freedom",
    "p_value": "p values",
    "p_adjusted": "adjusted p values",
}
# independent implementations -> what pip installs
PEERS: Mapping[str, str] = {
    "choix": "choix",
    "krippendorff": "socialstats[check]",
    "pingouin": "socialstats[check]",
    "scikit-learn": "socialstats[check]",
    "statsmodels": "socialstats[check]",
}
COUNTS, COUNTED = "counts", ("n", "n_units", "n_clusters")
FACTS = (*COUNTED, "conf_level")
Lack = Literal[
    "counts",
    "variants",
    "bootstrap",
    "permutation",
    "package",
    "effort",
    "peer",
    "result",
    "outside",
]
# why a number has no independent number beside it
LACKS: Mapping[Lack, str] = {
    "counts": "counts and ranks",
    "variants": "other analysis variants",
    "bootstrap": "bootstrap errors and limits",
    "permutation": "permutation tests",
    "package": "packages not installed",
    "effort": "too costly for peers",
    "peer": "no independent implementation",
    "result": "rows without verification",
    "outside": "values outside results",
}
# reasons that a sentence names
MOST_LACKS = 4
BOOTSTRAPS, PERMUTATIONS = (
    ("percentile", "basic", "bca", "studentized"),
    ("permutation", "sign_flip"),
)
NOT_RECOUNTED = "n, units, clusters and level of the rows are taken as they stand"
NOT_RECOMPUTED = "no independent implementation recomputed it"


class Published(float):
    """A number of a row that knows its row and its field; arithmetic gives a plain float.

    A check whose `ours` is such a number is a check of that number. A check of anything made from it is not, unless
    `as_published` says so.

    Examples
    --------
    >>> x = Published(0.5, (3, "p_value"))
    >>> x.at, type(x + 0.0).__name__, as_published(1 - x, x).at
    ((3, 'p_value'), 'float', (3, 'p_value'))
    """

    __slots__ = ("at",)
    at: tuple[int, str] | None

    def __new__(cls, value: float, at: tuple[int, str] | None = None) -> Self:
        """Make the number `value` of row `at[0]`, field `at[1]`."""
        number = super().__new__(cls, value)
        number.at = at
        return number


def as_published(value: float, of: float | None) -> float:
    """Return a value that stands for the published number `of`, from which it was computed."""
    return Published(value, of.at) if isinstance(of, Published) else value


def rows_with_places(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return rows whose numbers know where they stand: what a crosscheck is given."""
    placed = []
    for k, row in enumerate(rows):
        numbers: Any = {
            n: Published(x, (k, n)) for n in KINDS if (x := getattr(row, n)) is not None
        }
        placed.append(replace(row, **numbers))
    return tuple(placed)


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
    lack : str
        Why a published number was not compared: a key of `LACKS`; `note` says more.
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
    lack: Lack | None = None

    @property
    def difference(self) -> float | None:
        """Absolute difference, where both sides have the number."""
        if self.ours is None or self.theirs is None:
            return None
        return abs(self.ours - self.theirs)

    @property
    def distance(self) -> float:
        """The difference in units of its tolerance; that of a number without one is -1."""
        if self.ours is None or self.theirs is None:
            return -1.0
        difference = abs(self.ours - self.theirs)
        return difference / self.tolerance if self.tolerance > 0 else float(difference > 0) * 1e9

    def brief(self, without: Sequence[str] = ()) -> dict[str, Any]:
        """Return the check as built-in types: all but `without`, or its place or name where it agrees."""
        if self.ok is False or (self.row is None and self.ok is None):
            names = (
                f.name
                for f in fields(self)
                if f.name not in without and (f.name != "lack" or self.lack)
            )
            return {name: builtin_value(getattr(self, name)) for name in names}
        if self.row is None:
            return {"quantity": self.quantity, "ok": True}
        place = {"row": self.row, "field": self.field, "ok": self.ok}
        return place if self.lack is None else place | {"lack": self.lack}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many numbers agree, disagree, and were not recomputed."""

    agree: int = 0
    disagree: int = 0
    unchecked: int = 0

    @property
    def n(self) -> int:
        """All of them."""
        return self.agree + self.disagree + self.unchecked

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            **{f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(Tally)}
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    """How many of the numbers of a result or page independent code recomputed, and why not the others.

    Attributes
    ----------
    kinds : mapping of str to Tally
        By kind of number: ``estimates``, ``limits``, ``counts``, ...
    lacks : mapping of str to int
        Numbers that were not recomputed, by the key of `LACKS`.
    """

    kinds: Mapping[str, Tally]
    lacks: Mapping[Lack, int]

    @classmethod
    def of(cls, numbers: Iterable[tuple[str, bool | None, Lack | None, int]]) -> Recomputed:
        """Count numbers: kind, whether it agrees (None: not recomputed), why not, how many such."""
        kinds: dict[str, Tally] = {}
        lacks: Counter[Lack] = Counter()
        for kind, ok, lack, n in numbers:
            kinds[kind] = kinds.get(kind, Tally()) + Tally(
                agree=n * (ok is True), disagree=n * (ok is False), unchecked=n * (ok is None)
            )
            if ok is None:
                lacks[lack or "peer"] += n
        in_order = dict.fromkeys((*KINDS.values(), COUNTS, *kinds))
        return cls(
            kinds={kind: kinds[kind] for kind in in_order if kind in kinds and kinds[kind].n},
            lacks={why: lacks[why] for why in LACKS if lacks[why]},
        )

    @property
    def total(self) -> Tally:
        """The numbers of all kinds together."""
        return sum(self.kinds.values(), Tally())

    def sentences(self, of: str = "") -> tuple[str, ...]:
        """Return how many numbers agree, how many disagree, and how many were not recomputed, with the reasons.

        Parameters
        ----------
        of : str
            What the numbers are those of, such as `` of this page``.

        Examples
        --------
        >>> found = Recomputed.of([("estimates", True, None, 40), ("counts", None, "counts", 8)])
        >>> found.sentences(" of this page")[0]
        '40 of the 48 numbers of this page were recomputed by independent code and agree.'
        >>> found.sentences()[1]
        '8 were not recomputed: counts and ranks (8).'
        """
        total = self.total
        if not total.n:
            return ("No numbers were found.",)
        if total.n == total.unchecked:
            agreed = f"No number{of} was recomputed by independent code"
        else:
            were, agree = ("was", "agrees") if total.agree == 1 else ("were", "agree")
            agreed = (
                f"{count(total.agree)} of the {count(total.n, 'number')}{of} "
                f"{were} recomputed by independent code and {agree}"
            )
        disagree = "disagrees" if total.disagree == 1 else "disagree"
        wrong = f"{count(total.disagree)} {disagree}." if total.disagree else ""
        why = sorted(self.lacks, key=lambda lack: -self.lacks[lack])
        named = [(LACKS[lack], self.lacks[lack]) for lack in why[:MOST_LACKS]]
        if remaining := sum(self.lacks[lack] for lack in why[MOST_LACKS:]):
            named.append(("other reasons", remaining))
        lacking = ", ".join(f"{reason} ({count(n)})" for reason, n in named)
        were = "was" if total.unchecked == 1 else "were"
        left = f"{count(total.unchecked)} {were} not recomputed: {lacking}." if lacking else ""
        return tuple(text for text in (f"{agreed}.", wrong, left) if text)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as built-in types."""
        return {
            "numbers": self.total.n,
            **asdict(self.total),
            "by_kind": {k: asdict(t) for k, t in self.kinds.items()},
            "not_recomputed": dict(self.lacks),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verification:
    """The outcome of `Result.verify()`: a small table of checks.

    Every published number (estimate, standard error, ends, statistic, degrees of freedom, p, adjusted p of every row)
    has a check. One that no crosscheck returned has a check with ``ok=None`` and the reason. Counts and the level of a
    row are not recomputed: one check of each row, of field ``"counts"``, says so.
    """

    checks: tuple[Check, ...]
    rows: tuple[Row, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        return f"<Verification: {verified_text(self.recomputed(), self.absent())}>"

    @property
    def ok(self) -> bool:
        """True when at least one number was compared and none disagreed."""
        return any(c.ok for c in self.checks) and all(c.ok is not False for c in self.checks)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def numbers(self) -> dict[tuple[int, str], bool | None]:
        """Return for each published number (row, field) whether it agrees; None: not checked."""
        agreement: dict[tuple[int, str], bool | None] = {}
        for check in self.checks:
            if check.row is not None:
                agreement[check.row, check.field] = worst_of(
                    [agreement.get((check.row, check.field)), check.ok], any_true=True
                )
        return agreement

    def lacks(self) -> dict[tuple[int, str], Lack]:
        """Return why a published number (row, field) was not checked."""
        why = {(c.row, c.field): c.lack for c in self.checks if c.row is not None and c.ok is None}
        return {at: why[at] or "peer" for at, ok in self.numbers().items() if ok is None}

    def recomputed(self) -> Recomputed:
        """Count the numbers of the rows: those that agree, disagree, and were not recomputed."""
        lacks = self.lacks()
        return Recomputed.of(
            (
                KINDS.get(name, COUNTS),
                ok,
                lacks.get((k, name)),
                self._counted(k) if name == COUNTS else 1,
            )
            for (k, name), ok in self.numbers().items()
        )

    def _counted(self, k: int) -> int:
        """Return how many counts row `k` has."""
        return sum(getattr(self.rows[k], name) is not None for name in COUNTED) if self.rows else 1

    def reasons(self) -> Counter[str]:
        """Return why numbers were not checked in the words of their checks, with how many."""
        unchecked = self.lacks()
        notes = {(c.row, c.field): c.note for c in self.checks if (c.row, c.field) in unchecked}
        return Counter(note or NOT_RECOMPUTED for note in notes.values())

    def absent(self) -> tuple[str, ...]:
        """Return the packages that are not installed, and would have recomputed something."""
        return tuple(
            sorted(
                {
                    check.package
                    for check in self.checks
                    if check.package in PEERS and not check.version
                }
            )
        )

    def tidy(self) -> pd.DataFrame:
        """Return the checks as a table, one row per quantity."""
        import pandas as pd

        names = (
            "quantity",
            "ours",
            "theirs",
            "package",
            "version",
            "difference",
            "tolerance",
            "ok",
            "why",
        )
        return pd.DataFrame(
            {n: [getattr(c, n) for c in self.checks] for n in (*names, "note", "row", "field")}
        )

    def to_dict(self) -> dict[str, Any]:
        """Return counts, reasons, and every check, as built-in types; like checks stand under what they share.

        Of a published number that agrees there is its place (row and field), as the number itself stands in the rows.
        Of another number that agrees its name. The group has the largest difference of its checks.
        """
        shared = ("package", "version", "why", "note")
        groups: dict[tuple[str, ...], list[Check]] = {}
        for check in self.checks:
            groups.setdefault(tuple(getattr(check, n) for n in shared), []).append(check)
        brief_groups = []
        for key, members in groups.items():
            differences = [c.difference for c in members if c.difference is not None]
            brief_groups.append(
                {
                    **dict(zip(shared, key, strict=True)),
                    "largest_difference": builtin_value(max(differences, default=None)),
                    "checks": [check.brief(shared) for check in members],
                }
            )
        return {
            "counts": self.recomputed().to_dict(),
            "not_checked": dict(self.reasons()),
            "groups": brief_groups,
        }


def worst_of(oks: Iterable[bool | None], *, any_true: bool = False) -> bool | None:
    """Return False if one is False, else None if one is None (with `any_true`: if none is True), else True."""
    distinct = set(oks)
    if False in distinct:
        return False
    return True if distinct == {True} or (any_true and True in distinct) else None


def install_line(package: str) -> str:
    """Return that a package is not installed, and the line that installs it.

    Examples
    --------
    >>> install_line("pingouin")
    "pingouin is not installed: pip install 'socialstats[check]'"
    """
    what = PEERS[package]
    return f"{package} is not installed: pip install {repr(what) if '[' in what else what}"


def check_without_package(quantity: str, ours: float | None, package: str) -> Check:
    """Return the check of a number that a package would recompute, which is not installed."""
    return Check(
        quantity=quantity,
        ours=ours,
        theirs=None,
        package=package,
        version="",
        tolerance=0.0,
        ok=None,
        note=install_line(package),
    )


def verified_text(recomputed: Recomputed, absent: Sequence[str] = ()) -> str:
    """Return what was recomputed in one line, and the packages that are not installed.

    Examples
    --------
    >>> verified_text(Recomputed.of([("estimates", True, None, 4)]), ["pingouin"])
    "4 of the 4 numbers were recomputed by independent code and agree. pingouin is not installed: pip install
    'socialstats[check]'"
    """
    return " ".join([*recomputed.sentences(), *map(install_line, absent)])


def absent_of(verifications: Iterable[Verification]) -> tuple[str, ...]:
    """Return the packages that any of several verifications would have asked, and are not installed."""
    return tuple(
        sorted({package for verification in verifications for package in verification.absent()})
    )


def with_missing_checks(rows: Sequence[Row], checks: Iterable[Check]) -> Verification:
    """Return the checks, with the place of each published number, and one more for each number without a check.

    Parameters
    ----------
    rows : sequence of Row
        As `rows_with_places` returns them: what the checks were made from.
    checks : iterable of Check
    """
    placed = []
    for check in checks:
        at = check.ours.at if isinstance(check.ours, Published) else None
        theirs = None if check.theirs is None else float(check.theirs)
        ours = None if check.ours is None else float(check.ours)
        where: Any = {} if at is None else {"row": at[0], "field": at[1]}
        if at is not None and check.ok is None:
            where["lack"] = lack_of(rows[at[0]], at[1], check)
        placed.append(replace(check, ours=ours, theirs=theirs, **where))
    checked = {(check.row, check.field) for check in placed}
    missing = [
        missing_check(row, k, name, float(value), NOT_RECOMPUTED, lack_of(row, name))
        for k, row in enumerate(rows)
        for name in KINDS
        if (value := getattr(row, name)) is not None and (k, name) not in checked
    ]
    counts = [
        missing_check(row, k, COUNTS, None, NOT_RECOUNTED, "counts")
        for k, row in enumerate(rows)
        if any(getattr(row, name) is not None for name in FACTS)
    ]
    return Verification(checks=(*placed, *missing, *counts), rows=tuple(rows))


def lack_of(row: Row, name: str, check: Check | None = None) -> Lack:
    """Return why a number of a row was not compared: as its check states, or as it was made."""
    if check is not None and check.lack is not None:
        return check.lack
    if row.interval in BOOTSTRAPS and name in ("std_error", "conf_low", "conf_high"):
        return "bootstrap"
    if row.test in PERMUTATIONS and name in ("statistic", "p_value"):
        return "permutation"
    if check is None:
        return "peer"
    return "effort" if check.version or check.package not in PEERS else "package"


def missing_check(row: Row, k: int, name: str, value: float | None, why: str, lack: Lack) -> Check:
    """Return the check that says that a number of row `k` was not compared."""
    return Check(
        quantity=f"{row.term}{f' [{row.group}]' if row.group else ''}, {name}",
        ours=value,
        theirs=None,
        package="",
        version="",
        tolerance=0.0,
        ok=None,
        note=why,
        row=k,
        field=name,
        lack=lack,
    )


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

    def __init__(
        self, checks: Mapping[str, Verification | Callable[[], Verification]] | None = None
    ) -> None:
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

    def keep(self, verifications: Mapping[str, Verification]) -> None:
        """Store what was made elsewhere, such as in another process, under names that are here."""
        self._checks.update(
            {name: verifications[name] for name in self._checks if name in verifications}
        )


def combine_verifications(*sources: Mapping[str, Verification]) -> Verifications:
    """Return the comparisons of all sources, none of them made yet; of one name the last source counts.

    Examples
    --------
    >>> later = Verifications({"shares": lambda: Verification(checks=())})
    >>> list(combine_verifications({"fit": Verification(checks=())}, later))
    ['fit', 'shares']
    """
    return Verifications(
        {name: partial(source.__getitem__, name) for source in sources for name in source}
    )
