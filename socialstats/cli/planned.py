"""From the hypotheses of a plan file to those of the page."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from socialstats.designs.aliases import Levels, TextSet
from socialstats.designs.settings import SETTINGS, Settings
from socialstats.designs.terms import right_terms
from socialstats.errors import InputError, Problem
from socialstats.proposals.deciding import words
from socialstats.studies.plan_files import Plan
from socialstats.tables.toml_files import line_of_key
from socialstats.text import meant, quoted, shorten

if TYPE_CHECKING:
    from socialstats.studies.plan import Hypothesis

OPTIONAL = ("text", "group", "by", "minus", "alternative", "smallest_effect", "question")


def hypotheses_of(plan: Plan, metrics: TextSet) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of a plan; those that say no status have that of the plan.

    Raises
    ------
    InputError
        For a metric that does not exist, with the one that may be meant.
    """
    names = [entry["metric"].replace("-", "_") for entry in plan.hypotheses]
    problems = [
        Problem(
            source=plan.name,
            fix=meant(name, metrics).strip() or f"Metrics: {', '.join(metrics)}",
            message=f"[[hypothesis]] {shorten(entry['id'])}: there is no metric '{shorten(name)}'",
        )
        for entry, name in zip(plan.hypotheses, names, strict=True)
        if name not in metrics
    ]
    if problems:
        raise InputError(problems)
    status = plan.values.get("status", "exploratory")
    return tuple(
        hypothesis_of(entry, name, status)
        for entry, name in zip(plan.hypotheses, names, strict=True)
    )


def own_hypotheses(plan: Plan) -> tuple[Hypothesis, ...]:
    """Return the hypotheses of a study of a user's own, each of a question.

    Raises
    ------
    InputError
        For a hypothesis that names no question, or one that is not there.
    """
    questions = plan.own.questions if plan.own is not None else {}
    problems = [
        Problem(
            source=plan.name,
            message=f"[[hypothesis]] {shorten(entry['id'])}: question = '{shorten(entry.get('question', ''))}'",
            fix=f"Name one of the questions {quoted([*questions], 12)}",
        )
        for entry in plan.hypotheses
        if entry.get("question") not in questions
    ]
    if problems:
        raise InputError(problems)
    status = plan.values.get("status", "exploratory")
    return tuple(
        hypothesis_of(entry, questions[entry["question"]].metric, status)
        for entry in plan.hypotheses
    )


def refuse_terms(settings: Settings, plan: Plan, typed: Namespace, allowed: TextSet) -> None:
    """Refuse a covariate that the table lacks, and what is neither a covariate nor a term of a formula.

    Raises
    ------
    InputError
        Naming the part of the term, and the option, or the line of the plan, that holds it.
    """
    problems: list[Problem] = []
    for key in ("covariate", "adjust"):
        for word in (word for word in words(settings.get(key)) if word not in allowed):
            try:
                if key == "covariate":
                    raise InputError(
                        Problem(
                            message=f"there is no covariate '{shorten(word)}'",
                            fix=meant(word, allowed)
                            or f"Covariates: {quoted([*allowed], 10) or 'none'}",
                        )
                    )
                right_terms(f"~ {word}")
            except InputError as error:
                problems += [placed(problem, plan, typed, key) for problem in error.problems]
    if problems:
        raise InputError(problems)


def placed(problem: Problem, plan: Plan, typed: Namespace, key: str) -> Problem:
    """Return a problem of a setting with its option, or with its line in the plan."""
    if getattr(typed, key, None) is not None or not plan.name:
        return replace(problem, source=SETTINGS[key].option)
    line = line_of_key(plan.text, "inference", key)
    return replace(
        problem,
        source=plan.name,
        lines=(line,) if line else (),
        message=f"{key}: {problem.message}",
    )


def hypothesis_of(entry: Any, metric: str, status: str) -> Hypothesis:
    """Return one hypothesis, its defaults filled in."""
    # only a plan has hypotheses
    from socialstats.studies.plan import ONE_FAMILY, Hypothesis

    terms = entry.get("terms", ())
    optional = {name: entry[name] for name in OPTIONAL if name in entry}
    return Hypothesis(
        id=entry["id"],
        metric=metric,
        terms=(terms,) if isinstance(terms, str) else tuple(terms),
        family=entry.get("family", ONE_FAMILY),
        status=entry.get("status", status),
        **optional,
    )


def contradictions(plan: Plan) -> Levels:
    """State where a plan contradicts itself: confirmatory, and made with the data seen."""
    if plan.values.get("status") == "confirmatory" and plan.values.get("data_seen") is True:
        return ("data_seen: the plan is called confirmatory, and says that the data had been seen",)
    return ()


def plan_facts(plan: Plan) -> dict[str, str]:
    """Return what a plan says about itself, for the reproduce block."""
    facts = (
        {"plan registered": str(plan.values["registered"])} if plan.values.get("registered") else {}
    )
    if "data_seen" in plan.values:
        facts["data seen before the plan"] = "yes" if plan.values["data_seen"] else "no"
    return facts
