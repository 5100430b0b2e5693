"""A norm stands in the way of a goal: comply, deviate or escalate? One JSON answer, each run with a seed of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Unit
from socialstats_collect.parse import ACTIONS, Parsed, parse_action
from socialstats_collect.protocols.base import (
    CollectionProtocol,
    Exchange,
    Settings,
    Varies,
    about,
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
    people = key = "action"
    probable = ("--levels", ",".join(ACTIONS), "--probabilities", "p_")

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.shown = {
            parse_action(COLON.split(line)[0]).label or line: line for line in self.lines("actions")
        }
        if set(self.shown) != set(ACTIONS):
            fix = "Write one line per action, such as '- comply: keep to the norm'."
            message = f"text 'actions' has lines for {', '.join(self.shown)}, not for {', '.join(ACTIONS)}"
            raise InputError(Problem(message=message, fix=fix))

    def words(self, unit: Unit) -> dict[str, str]:
        """Return the actions in the order drawn, their names, and what is said under pressure."""
        order = unit.factors.get("order", self.orders[0]).split()
        return {
            "actions": "\n".join(self.shown[name] for name in order),
            "names": " or ".join(f'"{name}"' for name in order),
            "pressure_text": unit.item.get("pressure_text", ""),
        }

    def choices(self, unit: Unit) -> list[tuple[str, str]]:
        """Return the actions in the order drawn, without the signs of a list."""
        order = unit.factors.get("order", self.orders[0]).split()
        return [(name, self.shown[name].lstrip("-*• ")) for name in order]

    def labels(self, unit: Unit) -> Sequence[str]:
        """Return the actions."""
        return tuple(ACTIONS)

    def parser(self, unit: Unit) -> Callable[[str], Parsed]:
        """Return what reads an action."""
        return parse_action

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return one row: the action, and who took it."""
        found = self.read(
            exchanges, self.parser(unit), {name: name for name in ACTIONS}, any_case=True
        )
        model = unit.factors["model"]
        return [
            {
                **about(unit),
                "scenario": unit.item.get("scenario", unit.item_id),
                "source": model,
                "rater": f"{model}, run {unit.replicate}",
                "action": found.pop("answer"),
                **found,
            }
        ]

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study norm-goal: pressures compared within scenarios, where there are several."""
        units = ["--map", "unit=item_id", "--cluster", "scenario"]
        units = ["--map", "unit=scenario", "--by", "pressure"] if varies("pressure") else units
        strata = ["--strata", "domain"] if varies("domain") else []
        return [
            "--study",
            "norm-goal",
            *units,
            *strata,
            "--map",
            "value=action",
            "--map",
            "status=answer_status",
            "--scale",
            "nominal",
        ]
