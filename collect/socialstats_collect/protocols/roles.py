"""Two roles call at once: which one comes first? Answer, reason and value as JSON; the order of the roles is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats_collect.ask import Unit
from socialstats_collect.parse import parse_answer, values_named
from socialstats_collect.parse.text import clean, values_of
from socialstats_collect.protocols.base import (
    Asking,
    Conversation,
    Exchange,
    about,
    ask,
    filled,
    prompt,
    read,
)

VALUES = (
    "self-direction", "stimulation", "hedonism", "achievement", "power", "security", "conformity", "tradition",
    "benevolence", "universalism",
)  # fmt: skip
TEMPLATE = """{prefix}Below is a story told in the first person. Two of the teller's roles ask for something at the \
same time, and only one can come first.

{story}

Which role should the teller put first?
(A) {option_a}
(B) {option_b}

Reply with one JSON object and nothing else:
{{"Answer": "A" or "B", "Reason": "one or two sentences", "Value": "the value or values behind the choice"}}
Take the values from this list: {values}."""


class Roles(Asking):
    """Pairwise role choice under urgency.

    Items: ``story``, ``role_a``, ``role_b``; best with ``domain_a``, ``domain_b``, ``urgency_a``, ``urgency_b`` and
    ``scenario``. Factor ``prefix``: words before the prompt, such as ``As a woman, answer for yourself.``. The
    table is read by the study role-conflict.

    Examples
    --------
    >>> Roles.columns
    ('story', 'role_a', 'role_b')
    """

    name = "pairwise-roles"
    own_template = TEMPLATE
    orders = ("a first", "b first")
    columns = ("story", "role_a", "role_b")
    provides = ("option_a", "option_b", "values", "prefix")

    def conversation(self, unit: Unit) -> Conversation:
        """Ask once."""
        first, second = shown(unit)
        prefix = unit.factors.get("prefix", "")
        text = filled(
            self.template, unit, option_a=first, option_b=second, values=", ".join(VALUES),
            prefix=f"{prefix}\n\n" if prefix else "",
        )  # fmt: skip
        yield ask(self.settings, unit, prompt(self.settings, unit, text))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the chosen role by name, which was shown first, the values cited, and the reason."""
        reply = exchanges[0][1] if exchanges else None
        found = read(reply, parse_answer)
        first, second = shown(unit)
        letter = found.pop("answer")
        choice = {"A": first, "B": second}.get(str(letter))
        text = reply.content if reply else ""
        return [
            {
                **about(unit),
                "role_a": unit.item["role_a"],
                "role_b": unit.item["role_b"],
                "first": first,
                "choice": choice,
                "letter": letter,
                **found,
                "values": "; ".join(values_named(text, VALUES)) or None,
                "reason": next((str(one.value) for one in values_of(clean(text).text, "Reason")), None),
                "reply_text": reply.content if reply else None,
            }
        ]


def shown(unit: Unit) -> tuple[str, str]:
    """Return the two roles in the order in which they are options A and B."""
    pair = unit.item["role_a"], unit.item["role_b"]
    return pair if unit.factors.get("order") != "b first" else (pair[1], pair[0])
