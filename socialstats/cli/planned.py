"""From the hypotheses of a plan file to those of the page."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from typing import Any

from socialstats.cli.plan import Plan
from socialstats.errors import InputError, Problem
from socialstats.studies.plan import ONE_FAMILY, Hypothesis
from socialstats.text import shorten

OPTIONAL = ("text", "group", "by", "minus", "alternative", "smallest_effect")


def hypotheses_of(plan: Plan, metrics: Collection[str]) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of a plan; those that say no status have that of the plan.

    Raises
    ------
    InputError
        For a metric that does not exist, with the one that may be meant.
    """
    problems = [problem for entry in plan.hypotheses if (problem := unknown_metric(plan, entry, metrics)) is not None]
    if problems:
        raise InputError(problems)
    status = plan.values.get("status", "exploratory")
    return tuple(hypothesis_of(entry, status) for entry in plan.hypotheses)


def hypothesis_of(entry: Any, status: str) -> Hypothesis:
    """Return one hypothesis, its defaults filled in."""
    terms = entry.get("terms", ())
    known = {name: entry[name] for name in OPTIONAL if name in entry}
    return Hypothesis(
        id=entry["id"], metric=metric_name(entry), terms=(terms,) if isinstance(terms, str) else tuple(terms),
        family=entry.get("family", ONE_FAMILY), status=entry.get("status", status), **known,
    )  # fmt: skip


def metric_name(entry: Any) -> str:
    """Return the metric's name as Python spells it."""
    return str(entry["metric"]).replace("-", "_")


def unknown_metric(plan: Plan, entry: Any, metrics: Collection[str]) -> Problem | None:
    """Say that a hypothesis names no metric there is."""
    name = metric_name(entry)
    if name in metrics:
        return None
    close = difflib.get_close_matches(name, list(metrics), n=1)
    fix = f"Did you mean '{close[0]}'?" if close else f"Metrics: {', '.join(metrics)}"
    place = f"[[hypothesis]] {shorten(entry['id'])}"
    return Problem(source=plan.name, message=f"{place}: there is no metric '{shorten(name)}'", fix=fix)


def contradictions(plan: Plan) -> tuple[str, ...]:
    """Say where a plan contradicts itself: confirmatory, and made with the data seen."""
    if plan.values.get("status") == "confirmatory" and plan.values.get("data_seen") is True:
        return ("data_seen: the plan is called confirmatory, and says that the data had been seen",)
    return ()


def plan_facts(plan: Plan) -> dict[str, str]:
    """Return what a plan says about itself, for the reproduce block."""
    facts = {"plan registered": str(plan.values["registered"])} if plan.values.get("registered") else {}
    if "data_seen" in plan.values:
        facts["data seen before the plan"] = "yes" if plan.values["data_seen"] else "no"
    return facts
