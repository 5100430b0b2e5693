"""From the hypotheses of a plan file to those of the page."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from socialstats.cli.plan import Plan
from socialstats.errors import InputError, Problem
from socialstats.studies.plan import ONE_FAMILY, Hypothesis
from socialstats.text import meant, shorten

OPTIONAL = ("text", "group", "by", "minus", "alternative", "smallest_effect")


def hypotheses_of(plan: Plan, metrics: Collection[str]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of a plan; those that say no status have that of the plan.

    Raises
    ------
    InputError
        For a metric that does not exist, with the one that may be meant.
    """
    names = [entry["metric"].replace("-", "_") for entry in plan.hypotheses]
    problems = [
        Problem(source=plan.name, fix=meant(name, metrics).strip() or f"Metrics: {', '.join(metrics)}",
                message=f"[[hypothesis]] {shorten(entry['id'])}: there is no metric '{shorten(name)}'")
        for entry, name in zip(plan.hypotheses, names, strict=True) if name not in metrics
    ]  # fmt: skip
    if problems:
        raise InputError(problems)
    status = plan.values.get("status", "exploratory")
    return tuple(hypothesis_of(entry, name, status) for entry, name in zip(plan.hypotheses, names, strict=True))


def hypothesis_of(entry: Any, metric: str, status: str) -> Hypothesis:
    """Return one hypothesis, its defaults filled in."""
    terms = entry.get("terms", ())
    known = {name: entry[name] for name in OPTIONAL if name in entry}
    return Hypothesis(
        id=entry["id"], metric=metric, terms=(terms,) if isinstance(terms, str) else tuple(terms),
        family=entry.get("family", ONE_FAMILY), status=entry.get("status", status), **known,
    )  # fmt: skip


def contradictions(plan: Plan) -> tuple[str, ...]:
    """State where a plan contradicts itself: confirmatory, and made with the data seen."""
    if plan.values.get("status") == "confirmatory" and plan.values.get("data_seen") is True:
        return ("data_seen: the plan is called confirmatory, and says that the data had been seen",)
    return ()


def plan_facts(plan: Plan) -> dict[str, str]:
    """Return what a plan says about itself, for the reproduce block."""
    facts = {"plan registered": str(plan.values["registered"])} if plan.values.get("registered") else {}
    if "data_seen" in plan.values:
        facts["data seen before the plan"] = "yes" if plan.values["data_seen"] else "no"
    return facts
