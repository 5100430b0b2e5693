"""A norm stands in the way of a goal: comply, deviate or escalate? One JSON answer, each run with a seed of its own."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats_collect.ask import Unit
from socialstats_collect.parse import parse_action
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

ACTIONS = {
    "comply": "keep to the norm, even if the goal suffers",
    "deviate": "set the norm aside to reach the goal",
    "escalate": "leave the decision to somebody with the authority to take it",
}
TEMPLATE = """Goal: {goal}
Situation: {situation}
Norm: {norm}
{pressure_text}
What do you do?
{actions}

Reply with one JSON object and nothing else: {{"action": {names}, "explanation": "why, in one or two sentences"}}"""


class Norms(Asking):
    """Norm against goal.

    Items: ``goal``, ``situation``, ``norm``; best with ``scenario``, ``domain``, ``pressure`` (its kind; ``none``
    without) and ``pressure_text`` (what is said). The order in which the actions are listed is drawn. The table is
    read by the study norm-goal together with people's answers: ``source`` is ``model``, and each run of a model is
    a ``rater``.

    Examples
    --------
    >>> Norms.orders[:2]
    ('comply deviate escalate', 'comply escalate deviate')
    """

    name = "norm-goal"
    own_template = TEMPLATE
    orders = (
        "comply deviate escalate", "comply escalate deviate", "deviate comply escalate", "deviate escalate comply",
        "escalate comply deviate", "escalate deviate comply",
    )  # fmt: skip
    columns = ("goal", "situation", "norm")
    provides = ("actions", "names", "pressure_text")

    def conversation(self, unit: Unit) -> Conversation:
        """Ask once; an invalid reply stays on record as one, it is not drawn again."""
        order = unit.factors.get("order", self.orders[0]).split()
        text = filled(
            self.template, unit, actions="\n".join(f"- {name}: {ACTIONS[name]}" for name in order),
            names=" or ".join(f'"{name}"' for name in order), pressure_text=unit.item.get("pressure_text", ""),
        )  # fmt: skip
        yield ask(self.settings, unit, prompt(self.settings, unit, text))

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the action, and who took it."""
        reply = exchanges[0][1] if exchanges else None
        found = read(reply, parse_action)
        model = unit.factors["model"]
        return [
            {
                **about(unit),
                "scenario": unit.item.get("scenario", unit.item_id),
                "source": "model",
                "rater": f"{model}, run {unit.replicate}",
                "action": found.pop("answer"),
                **found,
                "reply_text": reply.content if reply else None,
            }
        ]
