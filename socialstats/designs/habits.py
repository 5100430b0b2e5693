"""What R, scipy, statsmodels, pingouin and others call an option, and the call that works here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from socialstats.designs.aliases import Given, Texts
from socialstats.designs.level_orders import SCALES
from socialstats.errors import InputError
from socialstats.tables.toml_files import toml_of
from socialstats.text import listing
from socialstats.voice import option

F = TypeVar("F", bound=Callable[..., Any])
# a value of theirs -> ours; None where there is none
Translate: TypeAlias = Callable[[Any], Any]


def unchanged_value(value: Any) -> Any:
    """Return a value that is ours too; None for what is too long to be repeated in a message."""
    return value if isinstance(value, (str, bool, Real)) or few(value) else None


def few(value: Any) -> bool:
    """Whether a value is a short list."""
    return isinstance(value, (list, tuple)) and len(value) < 9


def unsaid(value: Any) -> None:
    """Return None: the value is not ours."""


def one_name(value: Any) -> Any:
    """Return the name of a column."""
    return value if isinstance(value, str) else None


def rest_of(value: Any) -> Any:
    """Return the level of intervals of an alpha."""
    return round(1 - float(value), 10) if isinstance(value, float) and 0 < value < 1 else None


def seed_of(value: Any) -> Any:
    """Return a seed; None for a generator of random numbers."""
    return value if isinstance(value, int) else None


def pairs_test(given: Given) -> str:
    """Return the test of `mcnemar`, which statsmodels and R name by ``exact=``, ``correction=`` and ``midp=``."""
    if given.get("exact") or given.get("midp"):
        return "mid_p" if given.get("midp") else "exact"
    corrected = given.get("correction", given.get("correct", given.get("continuity", True)))
    return "continuity" if corrected else "asymptotic"


CORRECTED = ("exact", "correct", "correction", "continuity", "midp")
# how a value of theirs is ours
TRANSLATIONS: Mapping[str, Translate] = {
    "same": unchanged_value,
    "level": rest_of,
    "seed": seed_of,
    "column": one_name,
    "none": unsaid,
}
BOOTSTRAPS = ("BCa", "bca", "percentile", "basic")
WON = ("loser", "winners", "losers")
OF_KAPPA = ("unweighted", "equal", "squared", "linear", "quadratic")
# what other packages call what is analysed
FIRST = (
    *("reliability_data", "y1", "y2", "x", "y", "a", "b", "rater1", "rater2", "table", "df", "arr"),
    *("sample1", "sample2", "y_true", "y_pred"),
)


@functools.cache
def habits() -> Mapping[str, Sequence[Given]]:
    """Return the options of other packages: those without a use here (``text``), and the ``renamed``."""
    raw = (Path(__file__).with_name("data") / "habits.toml").read_bytes()
    return toml_of(raw, "habits.toml")


def translated(habit: Given, value: Any) -> Any:
    """Return a value of a renamed option as ours; None where it is not ours."""
    if "truth" in habit:
        true, false = habit["truth"]
        return {True: true, False: false}[value] if isinstance(value, bool) else None
    if "values" in habit:
        return habit["values"].get(value) if isinstance(value, str) else None
    return TRANSLATIONS[habit.get("value", "same")](value)


def advice(key: str, given: Given, options: Texts, name: str, calls: str = "") -> str:
    """Return what to write in place of another package's option; empty where nothing is known of it.

    Parameters
    ----------
    key : str
        Their option.
    given : mapping of str to object
        All keywords of the call.
    options : sequence of str
        Options and columns that the function has.
    name : str
        The function, as in messages.
    calls : str
        How vectors are passed to it.

    Examples
    --------
    >>> advice("conf_level", {"conf_level": 0.9}, ["level"], "f()")
    'Say level=0.9'
    >>> advice("nan_policy", {"nan_policy": "propagate"}, ["missing"], "f()")
    'Did you mean missing= ?'
    """
    function = name.removesuffix("()")
    value = given[key]
    # R's conf.level, var.equal
    key = key.replace(".", "_")
    if function == "mcnemar" and key in CORRECTED:
        return f"Say {option('test', pairs_test(given))}"
    if key == "outcome" and "wins_a" in options and few(value) and len(value) == 2:
        return f"Say {option('wins_a', value[0])}, {option('wins_b', value[1])}"
    if key in WON and "item_a" in options:
        won, lost = (given.get(key) for key in ("winner", "loser"))
        if isinstance(won, str) and isinstance(lost, str):
            return f"Say {option('item_a', won)}, {option('item_b', lost)}, {option('winner', won)}"
        return calls
    for habit in habits()["text"]:
        if function in habit["functions"].split() and key in habit["theirs"].split():
            return str(habit["text"])
    for habit in habits()["renamed"]:
        option_name = next((name for name in habit["ours"].split() if name in options), "")
        if option_name and key in habit["theirs"].split():
            advice_text = translated(habit, value)
            question = f"Did you mean {option(option_name)} ?"
            return question if advice_text is None else f"Say {option(option_name, advice_text)}"
    if key == "method" and isinstance(value, str) and value in (*SCALES, *BOOTSTRAPS):
        option_name = "scale" if value in SCALES else "ci"
        return f"Say {option(option_name, value.lower())}" if option_name in options else ""
    if key == "axis":
        return f"Vectors have no axis. The columns of an array: {function}(*array.T)"
    if key == "value_counts" and calls:
        return f"Counts of ratings by level: {function}(ss.Ratings.from_counts(counts))"
    return (
        f"What is analysed stands first, without a keyword. {calls}"
        if key in FIRST and calls
        else ""
    )


def refuse_habits(given: Given, options: Texts, name: str, calls: str = "") -> None:
    """Refuse the options of other packages in a call, with the call that works.

    Parameters
    ----------
    given, known, name, calls
        As for `advice`.

    Raises
    ------
    InputError

    Examples
    --------
    >>> refuse_habits({"popmean": 2}, ["null", "level"], "paired_difference()")
    Traceback (most recent call last):
    socialstats.errors.InputError: paired_difference() has no option popmean=. Say null=2
    """
    value = given.get("weight")
    if "weights" in options and isinstance(value, str) and value in OF_KAPPA:
        raise InputError(
            f"{name}: {option('weight', value)} names a column of sampling weights. Say {option('weights', value)}"
        )
    advice_of = {
        key: advice(key, given, options, name, calls) for key in given if key not in options
    }
    if any(advice_of.values()):
        raise InputError(
            habits_message(
                name, {key: advice_text for key, advice_text in advice_of.items() if advice_text}
            )
        )


def habits_message(name: str, advice_of: Mapping[str, str]) -> str:
    """Return one message of all options of others in a call.

    Examples
    --------
    >>> habits_message("f()", {"conf_level": "Say level=0.9", "rng": "Say seed=1", "paired": "Its groups differ."})
    'f() has no option conf_level=, rng=, paired=. Its groups differ. Leave paired= out. Say level=0.9, seed=1'
    """
    words = [text for text in dict.fromkeys(advice_of.values()) if not text.startswith("Say ")]
    needless = [option(key) for key, advice_text in advice_of.items() if advice_text.endswith(".")]
    if needless:
        words.append(f"Leave {listing(needless)} out.")
    named = dict.fromkeys(
        advice_text[4:] for advice_text in advice_of.values() if advice_text.startswith("Say ")
    )
    words += [f"Say {', '.join(named)}"] if named else []
    options = ", ".join(map(option, advice_of))
    return f"{name} has no option {options}. {' '.join(words)}".removesuffix(".")


def knows_habits(function: F) -> F:
    """Let a function without a table refuse the options of other packages with the call that works.

    Examples
    --------
    >>> @knows_habits
    ... def power(*, n, effect):
    ...     return n * effect
    >>> power(n=2, d=3)
    Traceback (most recent call last):
    socialstats.errors.InputError: power() has no option d=. Say effect=3
    """
    parameters = inspect.signature(function).parameters
    keywords = all(p.kind is p.KEYWORD_ONLY for p in parameters.values())

    @functools.wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        name = f"{function.__name__}()"
        if args and keywords:
            raise InputError(
                f"{name} takes its options by name: {', '.join(map(option, parameters))}"
            )
        refuse_habits(given, [*parameters], name)
        return function(*args, **given)

    return cast(F, call)
