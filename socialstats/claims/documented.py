"""What the log says about how a number was computed, as a definition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from socialstats.claims.definitions import Definition
from socialstats.claims.repeats import POOLED, is_known, parts_of
from socialstats.claims.samples import OK, ZERO, Reading
from socialstats.claims.types import Claim
from socialstats.errors import InputError
from socialstats.text import quoted

REDUCERS = ("mean", "median", "mode", "max", "min", "first", "at_least_k", "pass_at_k", "pass_k", "none")
METHODS = ("normal", "t", "bootstrap", "wilson", "halves")
T_BY_DEFAULT = ("inspect",)  # its ci() takes t quantiles
TRIALS = "epoch"


def harness_name(name: str) -> str:
    """Return a harness' name in one spelling.

    Examples
    --------
    >>> harness_name("LM_Eval"), harness_name("openai/evals")
    ('lm-eval', 'openai-evals')
    """
    return name.strip().lower().replace("_", "-").replace("/", "-").replace(" ", "-")


def documented(claim: Claim, harness: str = "") -> Definition:
    """Return the definition that the log's settings describe; what they leave open is the harness' default.

    Parameters
    ----------
    claim : Claim
        Of a quantity other than ``other``.
    harness : str

    Raises
    ------
    InputError
        For a setting with a value that is none of those allowed.

    Examples
    --------
    >>> claim = Claim(name="stderr", quantity="std_error", printed="0.1", settings={"cluster": "story"})
    >>> documented(claim, "inspect").words(repeated=False)
    "clustered by 'story', with C/(C − 1)"
    """
    name, settings = harness_name(harness), claim.settings
    reading = Reading(rows=rows_of(settings), repeats=repeats_of(settings))
    if name == "helm" and claim.quantity in TRIAL_FORMULAS and "reducer" not in settings:
        reading = Reading(rows=reading.rows, repeats=POOLED)
        return Definition(
            reading=reading, quantity=claim.quantity, formula=TRIAL_FORMULAS[claim.quantity], column=TRIALS
        )
    formula, column = CHOOSE.get(claim.quantity, first_formula)(claim, name)
    return Definition(reading=reading, quantity=claim.quantity, formula=formula, column=column)


TRIAL_FORMULAS = {
    "mean": "macro", "share": "macro", "std_dev": "between_population", "variance": "between_population",
    "sum": "macro", "count": "groups",
}  # fmt: skip
"""HELM's statistics are about the means of training trials, not about instances."""


def rows_of(settings: Mapping[str, Any]) -> str:
    """Return what becomes of rows without a score."""
    return {"dropped": OK, "zero": ZERO}[one_of(settings, "errors", ("dropped", "zero"), "dropped")]


def repeats_of(settings: Mapping[str, Any]) -> str:
    """Return how repeats are joined."""
    given = str(settings.get("reducer") or "mean")
    how = POOLED if given in ("none", "rows") else given
    if parts_of(how)[0] in ("at_least", "pass_at", "pass_k") and settings.get("k"):
        how = f"{parts_of(how)[0]}_{settings['k']}"
    if how.endswith("_k") and how != "pass_k" and settings.get("k"):
        how = how.removesuffix("k") + str(settings["k"])
    if not is_known(how):
        raise InputError(f"reducer = {quoted([given])} is none of {', '.join(REDUCERS)}")
    return how


def one_of(settings: Mapping[str, Any], key: str, allowed: tuple[str, ...], default: str) -> str:
    """Return a setting, or raise InputError that lists what is allowed."""
    value = str(settings.get(key) or default)
    if value not in allowed:
        raise InputError(f"{key} = {quoted([value])} is none of {', '.join(allowed)}")
    return value


def first_formula(claim: Claim, harness: str) -> tuple[str, str]:
    """Formula of quantities with one: median; of sums and counts the plain one."""
    return {"median": "median", "sum": "sum", "count": "units"}[claim.quantity], ""


def mean_formula(claim: Claim, harness: str) -> tuple[str, str]:
    """Mean, weighted where the log says by what."""
    if claim.settings.get("macro"):
        return "macro", str(claim.settings["macro"])
    return ("weighted" if claim.settings.get("weights") else "mean"), ""


def spread_formula(claim: Claim, harness: str) -> tuple[str, str]:
    """Standard deviation or variance, by its divisor."""
    return ("population" if ddof_of(claim) == 0 else "sd"), ""


def error_formula(claim: Claim, harness: str) -> tuple[str, str]:
    """Formula of a standard error, by clusters, method and divisor."""
    method = one_of(claim.settings, "method", METHODS, "normal")
    if claim.settings.get("cluster"):
        return "clustered", str(claim.settings["cluster"])
    if method == "halves" or ((method == "bootstrap" or "strap_std" in claim.name) and harness.startswith("openai")):
        return "halves", ""
    if method == "bootstrap":
        return "bootstrap", ""
    return ("population" if ddof_of(claim) == 0 else "plain"), ""


def end_formula(claim: Claim, harness: str) -> tuple[str, str]:
    """Formula of the end of an interval: quantile times the standard error, Wilson's, or of a bootstrap."""
    method = one_of(claim.settings, "method", METHODS, "t" if harness in T_BY_DEFAULT else "normal")
    spread, column = error_formula(claim, harness)
    if method == "wilson":
        return "wilson", ""
    if method == "bootstrap":
        return ("percentile_clustered" if column else "percentile"), column
    return f"{spread}_{'t' if method == 't' else 'z'}", column


def ddof_of(claim: Claim) -> int:
    """Return what is taken off n: 0 or 1."""
    given = claim.settings.get("ddof", 1)
    if given not in (0, 1):
        raise InputError(f"ddof = {given!r} is none of 0, 1")
    return int(str(given))


CHOOSE: dict[str, Callable[[Claim, str], tuple[str, str]]] = {
    "mean": mean_formula, "share": mean_formula, "std_error": error_formula, "std_dev": spread_formula,
    "variance": spread_formula, "conf_low": end_formula, "conf_high": end_formula,
}  # fmt: skip
