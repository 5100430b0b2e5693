"""What R, scipy, statsmodels, pingouin and others call an option, and the call that works here."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence, Set
from numbers import Real
from typing import Any, TypeAlias, TypeVar, cast

from socialstats.designs.aliases import Given, Texts
from socialstats.designs.level_orders import SCALES
from socialstats.errors import InputError
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


def by(ours: Mapping[Any, Any]) -> Translate:
    """Return our values by theirs."""
    return lambda value: ours.get(value) if isinstance(value, (str, bool)) else None


def pairs_test(given: Given) -> str:
    """Return the test of `mcnemar`, which statsmodels and R name by ``exact=``, ``correction=`` and ``midp=``."""
    if given.get("exact") or given.get("midp"):
        return "mid_p" if given.get("midp") else "exact"
    corrected = given.get("correction", given.get("correct", given.get("continuity", True)))
    return "continuity" if corrected else "asymptotic"


LEVEL = {"alpha", "sig_level", "significance"}
SIDES = {"greater": "greater", "less": "less", "left": "less", "right": "greater"}
CORRECTED = ("exact", "correct", "correction", "continuity", "midp")
# functions, names of their option, and what is so without it
TEXTS: Sequence[tuple[Set[str], Set[str], str]] = (
    (
        {"paired_difference", "two_ordinal"},
        {*CORRECTED, "use_continuity", "mode", "method", "distribution"},
        "Tests of ranks are exact, also with ties, and approximate only where units are many.",
    ),
    (
        {"paired_difference"},
        {"zero_method"},
        "Wilcoxon's test leaves zeros out; Pratt's p is result.extras['wilcoxon']['p_pratt_exact'].",
    ),
    (
        {"two_means"},
        {"equal_var", "var_equal", "usevar", "correction", "pooled", "method"},
        "It is Welch's t, with a variance for each group. Student's t has one: scipy.stats.ttest_ind(x, y).",
    ),
    (
        {"two_proportions"},
        {"correct", "correction", "method", "compare", "prop_var"},
        "Its test is Fisher's, and its interval of the difference Newcombe's.",
    ),
    (
        {"two_means", "two_ordinal", "two_proportions"},
        {"paired"},
        "Its groups have different units. Pairs: ss.paired_difference(x, y), or ss.mcnemar(x, y) of 0 and 1.",
    ),
    (
        {"spearman_rho"},
        {"method"},
        "It is Spearman's rho. Others: scipy.stats.kendalltau(x, y), scipy.stats.pearsonr(x, y).",
    ),
    (
        {"choice_shares", "reply_shares"},
        {"method"},
        "Intervals of shares are Wilson's where units are independent.",
    ),
    (
        {"fleiss_kappa"},
        {"method", "exact"},
        "It is Fleiss' kappa; Conger's is result.extras['conger']. Others: ss.gwet_ac, ss.krippendorff_alpha.",
    ),
    (
        {"effect_sizes"},
        {"eftype", "pooled_sd", "hedges_correction"},
        "Each effect size is a row, as in result.row('d_av').",
    ),
    ({"symmetry"}, {"shift_zeros", "method"}, "No cell is changed, and each test is a row."),
    (
        {"mean_ratings"},
        {"popmean", "mu", "null"},
        "It tests nothing. A t test: ss.paired_difference(ss.Paired.one_sample(values, bound=0)).",
    ),
    (
        {"krippendorff_alpha"},
        {"reliability_data"},
        "The array stands first, and says where its raters are: krippendorff_alpha(data, raters_in='rows').",
    ),
    (
        {"choice_shares"},
        {"nobs", "n_obs", "k", "n"},
        "Counts stand beside their labels: choice_shares(['yes', 'no'], count=[14, 6]).",
    ),
    (
        {"power_mcnemar"},
        {"p01", "p10", "p12", "p21"},
        "Its effect is the difference of these two shares, and its share of discordant pairs their sum.",
    ),
    ({"bootstrap", "permute"}, {"vectorized", "axis"}, "The function gets one resample at a time."),
    ({"adjust"}, {"alpha"}, "Compare tidy()['p_adjusted'] with it."),
    ({"adjust"}, {"pvals", "pvalues", "p"}, "P-values stand first: adjust(p, 'holm')."),
    ({"power_paired_t"}, {"type", "contrast"}, "Its t test is of pairs."),
    (
        {"power_paired_t"},
        {"delta", "sd"},
        "Its effect is the mean difference over the standard deviation of the differences.",
    ),
)
# names of their option, those of ours, of which the function has one, and their value as ours
RENAMED: Sequence[tuple[Set[str], list[str], Translate]] = (
    ({"level_of_measurement", "metric"}, ["scale"], unchanged_value),
    ({"nan_policy"}, ["missing"], by({"omit": "drop", "raise": "error"})),
    ({"na_rm", "dropna", "skipna"}, ["missing"], by({True: "drop", False: "error"})),
    ({"conf_level", "confidence_level", "confidence", "conf", "ci"}, ["level"], unchanged_value),
    (LEVEL, ["alpha"], unchanged_value),
    (LEVEL, ["level"], rest_of),
    (
        {"n_resamples", "n_boot", "nboot", "reps", "R", "B", "iterations", "n_iter"},
        ["resamples", "permutations", "simulations", "draws"],
        unchanged_value,
    ),
    ({"permutations", "n_permutations", "n_perm"}, ["permutations", "flips"], unchanged_value),
    ({"random_state", "rng"}, ["seed"], seed_of),
    ({"mu", "popmean"}, ["null"], unchanged_value),
    ({"bound", "eps"}, ["margin"], unchanged_value),
    ({"upp", "upper"}, ["high"], unchanged_value),
    ({"lower"}, ["low"], unchanged_value),
    ({"tail", "tails", "side"}, ["alternative"], by({"two-sided": "two_sided", **SIDES})),
    ({"labels", "categories", "value_domain"}, ["levels"], unchanged_value),
    ({"wt", "w", "weight_type"}, ["weights"], unchanged_value),
    ({"weights", "sample_weight"}, ["weight"], unsaid),
    ({"p_adjust", "padjust", "p_adjust_method"}, ["adjust"], unchanged_value),
    ({"player1"}, ["item_a"], unchanged_value),
    ({"player2"}, ["item_b"], unchanged_value),
    ({"outcome"}, ["winner", "value"], one_name),
    ({"refcat", "ref"}, ["reference"], unchanged_value),
    ({"dv"}, ["value"], unchanged_value),
    ({"within"}, ["condition"], unchanged_value),
    ({"subject", "targets", "id"}, ["unit"], unchanged_value),
    ({"between"}, ["group"], unchanged_value),
    ({"cov_kwds", "cov_type", "clusters"}, ["cluster"], unsaid),
    ({"effect_size", "d", "cohens_d", "es"}, ["effect"], unchanged_value),
    ({"nobs", "n_obs", "nobs1", "sample_size"}, ["n"], unchanged_value),
)
BOOTSTRAPS = ("BCa", "bca", "percentile", "basic")
WON = ("loser", "winners", "losers")
OF_KAPPA = ("unweighted", "equal", "squared", "linear", "quadratic")
# what other packages call what is analysed
FIRST = (
    *("reliability_data", "y1", "y2", "x", "y", "a", "b", "rater1", "rater2", "table", "df", "arr"),
    *("sample1", "sample2", "y_true", "y_pred"),
)


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
    for functions, theirs, text in TEXTS:
        if function in functions and key in theirs:
            return text
    for theirs, ours, translate in RENAMED:
        option_name = next((key for key in ours if key in options), "")
        if key in theirs and option_name:
            advice_text = translate(value)
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
