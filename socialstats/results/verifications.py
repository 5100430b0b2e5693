"""Several comparisons with other packages by name, each made when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from socialstats.results.verification import Verification


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
