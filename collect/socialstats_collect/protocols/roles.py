"""Two roles call at once: which one comes first? Answer, reason and value as JSON; the order of the roles is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from socialstats_collect.ask import Unit
from socialstats_collect.parse import Parsed, parse_answer, values_named
from socialstats_collect.parse.text import clean, values_of
from socialstats_collect.protocols.base import (
    CollectionProtocol,
    Exchange,
    Varies,
    about,
)


class RoleChoice(CollectionProtocol):
    """Pairwise role choice under urgency.

    Items: ``story``, ``role_a``, ``role_b``; best with ``domain_a``, ``domain_b``, ``urgency_a``, ``urgency_b`` and
    ``scenario``. Factor ``prefix``: words before the prompt, such as ``As a woman, answer for yourself.``. The
    table is read by the study role-conflict. Where log-probabilities are asked for, ``p_role_a`` is the probability of
    ``role_a`` among the two.

    Examples
    --------
    >>> RoleChoice.columns
    ('story', 'role_a', 'role_b')
    """

    name = "pairwise-roles"
    orders = ("a first", "b first")
    columns = ("story", "role_a", "role_b")
    provides: Mapping[str, tuple[str, ...]] = {
        "prompt": ("option_a", "option_b", "values", "prefix")
    }
    lists = ("values",)
    people = "choice"
    key = "Answer"
    probable = ("--map", "winner=p_role_a", "--winner-coding", "probability", "--missing", "drop")

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the roles in the order drawn, the list of values, and what stands before the prompt."""
        first, second = self.pair(unit)
        prefix = unit.factors.get("prefix", "")
        return {
            "option_a": first,
            "option_b": second,
            "values": ", ".join(self.lines("values")),
            "prefix": f"{prefix}\n\n" if prefix else "",
        }

    def choices(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the roles in the order drawn."""
        return list(zip("AB", self.pair(unit), strict=True))

    def labels(self, unit: Unit) -> Sequence[str]:
        """Return the letters of the two roles."""
        return ("A", "B")

    def parser(self, unit: Unit) -> Callable[[str], Parsed]:
        """Return what reads the letter of a role."""
        return partial(parse_answer, key=self.key, labels=("A", "B"))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the chosen role by name, which was shown first, the values cited, and the reason."""
        found = self.read(exchanges, self.parser(unit), {"first": "A", "second": "B"})
        first, second = self.pair(unit)
        if "p_reason" in found:
            both: list[Any] = [found["p_first"], found["p_second"]]
            of_a = both[first != unit.item["role_a"]]
            found["p_role_a"] = None if None in both or not any(both) else of_a / sum(both)
        letter, text = found.pop("answer"), str(found["reply_text"] or "")
        return [
            {
                **about(unit),
                "role_a": unit.item["role_a"],
                "role_b": unit.item["role_b"],
                "first": first,
                "choice": {"A": first, "B": second}.get(str(letter)),
                "letter": letter,
                **found,
                "values": "; ".join(values_named(text, self.lines("values"))) or None,
                "reason": next(
                    (str(one.value) for one in values_of(clean(text).text, "Reason")), None
                ),
            }
        ]

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study role-conflict: models and people, or prefixes of one model, compared."""
        by = (
            "model"
            if people
            else next((name for name in ("model", "prefix") if varies(name)), None)
        )
        return ["--study", "role-conflict", *(["--by", by] if by else [])]
