"""Two roles call at once: which one comes first? Answer, reason and value as JSON; the order of the roles is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats_collect.ask import Reply, Unit
from socialstats_collect.parse import Parsed, parse_answer, values_named
from socialstats_collect.parse.text import clean, values_of
from socialstats_collect.protocols.base import (
    Choice,
    CollectionProtocol,
    Exchange,
    Row,
    Varies,
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
    column = "choice"
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

    def choices(self, unit: Unit) -> Sequence[Choice]:
        """Return the roles in the order drawn."""
        first, second = self.pair(unit)
        return [
            Choice(label="A", words=first, value=first, name="first"),
            Choice(label="B", words=second, value=second, name="second"),
        ]

    def parse(self, unit: Unit, text: str) -> Parsed:
        """Return the letter of a role."""
        return parse_answer(text, key=self.key)

    def facts(self, unit: Unit, exchanges: Sequence[Exchange], parsed: Parsed) -> Row:
        """Return the roles, which was shown first, the letter, the values cited, and the reason."""
        text = exchanges[-1][1].content if exchanges else ""
        reasons = [str(place.value) for place in values_of(clean(text).text, "Reason")]
        return {
            "role_a": unit.item["role_a"],
            "role_b": unit.item["role_b"],
            "first": self.pair(unit)[0],
            "letter": parsed.label,
            "values": "; ".join(values_named(text, self.lines("values"))) or None,
            "reason": reasons[0] if reasons else None,
        }

    def probabilities(
        self, unit: Unit, labels: Mapping[str, str], reply: Reply | None, parsed: Parsed
    ) -> Row:
        """Return the probabilities of both roles, and that of ``role_a`` among the two."""
        columns = super().probabilities(unit, labels, reply, parsed)
        pair = [columns["p_first"], columns["p_second"]]
        shares = [share for share in pair if isinstance(share, float)]
        columns["p_role_a"] = None
        if len(shares) == 2 and any(shares):
            place = self.pair(unit).index(unit.item["role_a"])
            columns["p_role_a"] = shares[place] / sum(shares)
        return columns

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study role-conflict: models and people, or prefixes of one model, compared."""
        several = [name for name in ("model", "prefix") if varies(name) or people]
        return ["--study", "role-conflict", *(["--by", several[0]] if several else [])]
