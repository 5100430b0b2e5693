"""A norm stands in the way of a goal: comply, deviate or escalate? One JSON answer, each run with a seed of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import permutations

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Unit
from socialstats_collect.parse import ACTIONS, Parsed, parse_action
from socialstats_collect.protocols.base import (
    Choice,
    CollectionProtocol,
    Exchange,
    Row,
    Settings,
    Varies,
)

COLON = re.compile("[:：]")


class Norms(CollectionProtocol):
    """Norm against goal.

    Items: ``goal``, ``situation``, ``norm``; best with ``scenario``, ``domain``, ``pressure`` (its kind; ``none``
    without) and ``pressure_text`` (what is said). The order in which the actions are listed is drawn. The table is
    read by the study norm-goal together with people's answers: ``source`` is the model, and each run of it a
    ``rater``.

    Examples
    --------
    >>> Norms.orders[:2]
    ('comply deviate escalate', 'comply escalate deviate')
    """

    name = "norm-goal"
    orders = tuple(" ".join(order) for order in permutations(ACTIONS))
    columns = ("goal", "situation", "norm")
    provides: Mapping[str, tuple[str, ...]] = {"prompt": ("actions", "names", "pressure_text")}
    lists = ("actions",)
    column = key = "action"
    any_case = True
    probable = ("--levels", ",".join(ACTIONS), "--probabilities", "p_")

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        lines = {COLON.split(line)[0]: line for line in self.lines("actions")}
        self.actions = {parse_action(name).label or line: line for name, line in lines.items()}
        if set(self.actions) != set(ACTIONS):
            fix = "Write one line per action, such as '- comply: keep to the norm'."
            message = f"text 'actions' has lines for {', '.join(self.actions)}, not for {', '.join(ACTIONS)}"
            raise InputError(Problem(message=message, fix=fix))

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the actions in the order drawn, their names, and what is said under pressure."""
        names = self.order(unit).split()
        return {
            "actions": "\n".join(self.actions[name] for name in names),
            "names": " or ".join(f'"{name}"' for name in names),
            "pressure_text": unit.item.get("pressure_text", ""),
        }

    def choices(self, unit: Unit) -> Sequence[Choice]:
        """Return the actions in the order drawn, without the signs of a list."""
        return [
            Choice(label=name, words=self.actions[name].lstrip("-*• "), value=name, name=name)
            for name in self.order(unit).split()
        ]

    def parse(self, unit: Unit, text: str) -> Parsed:
        """Return the action."""
        return parse_action(text)

    def facts(self, unit: Unit, exchanges: Sequence[Exchange], parsed: Parsed) -> Row:
        """Return the scenario, and who took the action: the model, and each run of it as a rater."""
        model = unit.factors["model"]
        return {
            "scenario": unit.item.get("scenario", unit.item_id),
            "source": model,
            "rater": f"{model}, run {unit.replicate}",
        }

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study norm-goal: pressures compared within scenarios, where there are several."""
        units = ["--map", "unit=item_id", "--cluster", "scenario"]
        units = ["--map", "unit=scenario", "--by", "pressure"] if varies("pressure") else units
        strata = ["--strata", "domain"] if varies("domain") else []
        mapped = ["--map", "value=action", "--map", "status=answer_status"]
        return ["--study", "norm-goal", *units, *strata, *mapped, "--scale", "nominal"]
