"""Without a rules file: the checks that the heads of the columns, the labels of the rows and the captions allow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from socialstats.audit.cells import MARKS
from socialstats.audit.numbers import Printed, is_number, printed
from socialstats.audit.passages import Document
from socialstats.audit.prose import ADJUSTED, ONE_SIDED, OTHER_NULL
from socialstats.audit.relations import relations
from socialstats.audit.rule import Rule
from socialstats.audit.rules import CHECKS, GIVEN, RuleBook
from socialstats.audit.sheets import MISSING, Sheet
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.text import listing

KINDS = {
    "p": "p pval pvalue p_value sig p_val",
    "std_error": "se s.e. sem stderr std_err std_error standard_error s.e.m.",
    "n": "n nobs n_obs n_total n_samples n_items n_questions sample_size samples #samples #items #questions size",
    "mean": "mean m avg average",
    "sd": " ".join(("sd", "s.d.", "std", "stdev", "std_dev", "standard_deviation", "stddev")),
    "percent": "percent percentage pct %",
    "count": "count k freq frequency hits successes correct n_correct #correct num_correct correct_answers",
    "share": "acc accuracy proportion prop share rate fraction exact_match em win_rate winrate wr pass_rate "
    "success_rate asr attack_success_rate refusal_rate error_rate",
    "t": "t t_stat t_statistic t_value",
    "F": "f f_stat f_statistic f_value",
    "z": "z z_stat z_statistic z_value z_score",
    "chi2": "wald wald_chi2 chi2 chisq chi_sq chi_squared chi_square χ² χ2 x2 chi²",
    "r": "r corr correlation pearson pearson_r",
    "df": "df dof df2 d.f. df_residual df_error df_den",
    "df1": "df1 df_num df_model df_between",
    "total": "total sum denominator out_of attempts n_attempts trials",
    "kappa": "kappa κ cohen_kappa cohens_kappa cohen's_kappa cohen's_κ cohens_κ",
    "alpha": "krippendorff krippendorff_alpha krippendorff's_alpha krippendorff's_α fleiss_kappa fleiss'_kappa",
    "po": "po p_o p₀ observed_agreement raw_agreement",
    "pe": "pe p_e expected_agreement chance_agreement",
    "f1": "f1 f1_score",
    "precision": "precision prec ppv",
    "recall": "recall rec sensitivity tpr",
    "specificity": "specificity tnr",
    "mcc": "mcc",
    "tp": "tp true_positives",
    "fp": "fp false_positives",
    "fn": "fn false_negatives",
    "tn": "tn true_negatives",
    "d": "d cohen_d cohens_d cohen's_d",
    "g": "g hedges_g hedges'_g",
    "odds_ratio": "or odds_ratio",
    "risk_ratio": "rr risk_ratio relative_risk",
    "b": "b beta β estimate coef coefficient coef. est",
    "elo": "elo elo_rating",
    "low": "ci_low ci_lower lower_ci lower lcl lcb ci_lo 95%_ci_low 95_ci_low lower_bound low_ci",
    "high": "ci_high ci_upper upper_ci upper ucl ucb ci_hi 95%_ci_high 95_ci_high upper_bound high_ci",
    "half": "ci_half_width half_width margin_of_error moe",
}
SPLIT = re.compile(r"[\s_.,;:/()\[\]-]+")
STEMMED = (
    "p",
    "std_error",
    "n",
    "mean",
    "sd",
    "percent",
    "count",
    "t",
    "df",
    "low",
    "high",
    "half",
    "total",
    "f1",
    "precision",
    "recall",
)  # may be parts of longer names
SHARED = ("n", "df", "total")  # one column for all families of a table
UNIT = re.compile(r"\s*(?:[(\[]\s*(?:%|in %|percent|↑|↓|pct)\s*[)\]]|[↑↓]|(?<=\w) ?%)\s*$")
BOTH = re.compile(
    r",?\s*(?:\bn|\bno\.?|#)\s*\(%\)", re.IGNORECASE
)  # "Refused, n (%)" holds both: neither is its kind
AGAIN = re.compile(r" \(\d+\)$")  # suffix of a repeated head
SHARES = re.compile(
    r"\b(?:accurac|correct|proportion|shares? of|rates?\b|percentages?\b)", re.IGNORECASE
)
BESIDE = (
    "sd",
    "std_error",
    "low",
    "high",
    "half",
    "n",
)  # belong to the measure at their left, without a name
SIZE = re.compile(r"\bn\s*=\s*(\d[\d,]*)", re.IGNORECASE)
RANGE = re.compile(
    r"(?<![\d.])(?P<low>-?\d{1,2})\s*(?:–|—|-|to|\.\.\.?)\s*(?P<high>\d{1,3})(?![\d.]|\s*%)"
)
WHOLE = re.compile(r"\b(?:likert|ratings?|rated|points?|scale)\b", re.IGNORECASE)
TOTALS = re.compile(
    r"(?:grand\s+|sub-?)?totals?\b.*|sum|all|overall|combined|pooled|Σ|gesamt|summe", re.IGNORECASE
)
MEANS = re.compile(
    r"(?:(?:macro|micro|(?:un)?weighted)[- ]?)?(?:average|avg|mean)\b.*|mittelwert", re.IGNORECASE
)
SUBTOTALS = re.compile(r".*\b(?:sub)?totals?", re.IGNORECASE)
APART = re.compile(
    r"(?:Δ|delta|diff(?:erence)?s?|gap|gain|improvement|best|worst|max(?:imum)?|min(?:imum)?|median|range|"
    r"rank|sd|s\.d\.|std)\b.*|Δ.*",
    re.IGNORECASE,
)  # rows that are no unit of the table
REFERENCE = re.compile(
    r".*\b(?:humans?|people|random|chance|majority|experts?|crowd|annotators?|baseline)\b.*",
    re.IGNORECASE,
)  # rows whose numbers may come from other questions, or from theory
JOINED = (
    ("acc", "accuracy", "f1", "precision", "recall", "mean", "share"),
    ("se", "sd", "std", "stderr"),
    ("ci",),
    ("n", "count", "total", "correct"),
    ("p",),
    ("t", "f", "z", "df"),
)
NO_RULES = (
    'Write a rules file: [[rule]] check = "sum_to" ... (socialstats audit --help has an example)'
)
CERTAIN, LIKELY, OPEN, UNLIKELY = 4.0, 2.0, 0.0, -3.0
"""Log odds, before the numbers speak, that a column is what a rule takes it for: 50 to 1, 7 to 1, even, 1 to 20."""


def kind_of(column: str) -> tuple[str, str]:
    """Return what a column seems to hold, and the rest of its name.

    Examples
    --------
    >>> kind_of("Std Err"), kind_of("acc_stderr"), kind_of("SD (harm)"), kind_of("model")
    (('std_error', ''), ('std_error', 'acc'), ('sd', 'harm'), ('', 'model'))
    >>> kind_of("GPT-4 / Acc. (%)"), kind_of("Accuracy / GPT-4"), kind_of("GPT-4 / Acc. SD")
    (('share', 'gpt_4'), ('share', 'gpt_4'), ('sd', 'gpt_4_acc'))
    """
    levels = BOTH.sub("", AGAIN.sub("", column)).split(" / ")
    for at in (len(levels) - 1, 0):
        kind, rest = _kind(levels[at])
        if kind:
            around = "_".join(_words(" ".join(levels[:at] + levels[at + 1 :])))
            return kind, "_".join(filter(None, (around, rest)))
    return "", "_".join(_words(column))


def _words(text: str) -> list[str]:
    text = re.sub(r"\b\d\d(?:\.\d)?\s?%\s?(?=c\.?i\b)", "", text, flags=re.IGNORECASE)
    plain = UNIT.sub("", SIZE.sub("", BOTH.sub("", text).strip().casefold().strip(MARKS)))
    return [word for word in SPLIT.split(plain) if word] or (
        [plain.strip()] if plain.strip() else []
    )


def _kind(name: str) -> tuple[str, str]:
    plain, words = name.strip().casefold(), _words(RANGE.sub("", name))
    if sum(bool({*group} & {*words, *SPLIT.split(plain)}) for group in JOINED) > 2:
        return "", "_".join(words)  # heads of several columns that could not be told apart
    whole = "_".join(words)
    for kind, names in KINDS.items():
        if whole in names.split() or plain in names.split():
            return kind, ""
    for kind in STEMMED:
        for one in sorted(KINDS[kind].split(), key=len, reverse=True):
            parts = one.split("_")
            if len(words) > len(parts) and parts in (words[: len(parts)], words[-len(parts) :]):
                rest = words[len(parts) :] if words[: len(parts)] == parts else words[: -len(parts)]
                return kind, "_".join(rest)
    return ("percent" if "%" in plain and UNIT.search(name) else ""), whole


COEFFICIENTS = ("alpha", "kappa", "r", "mcc")  # from -1 to 1, or a hundred times that
RETRIEVED = {"p": "precision", "r": "recall"}  # beside F1


def _kind_in(sheet: Sheet, column: str) -> tuple[str, str]:
    """Return what a column seems to hold by its name, its neighbours and most of its numbers, and the rest of its name.

    A column P of numbers above 1 holds no p-values, and P and R beside F1 are precision and recall. A column N of
    decimals holds no sizes, and one named SD, SE or F of negative numbers neither deviations nor ratios. A total below
    0 is a sum, not a number of answers. Of the heads A, B, C and D none is a statistic.
    """
    kind, stem = kind_of(column)
    letters = {name.strip(MARKS).casefold() for name in sheet.columns}
    if column.strip(MARKS).casefold() in "bdefg" and {"a", "b", "c"} <= letters:
        return "", stem or column
    if kind in RETRIEVED and not stem and "f1" in (kind_of(other)[0] for other in sheet.columns):
        return RETRIEVED[kind], stem
    numbers = (
        _numbers(sheet, column) if kind in ("p", "r", "n", "sd", "std_error", "F", "chi2") else []
    )
    odd = {
        "p": lambda one: one.value > 1 or one.value < 0,
        "r": lambda one: abs(one.value) > 1,
        "n": lambda one: one.unit < 1 or one.value < 0,
    }.get(kind, lambda one: one.value < 0)
    if kind == "total" and any(one.value < 0 for one in _numbers(sheet, column)):
        return "", stem or "_".join(_words(column))
    return (
        ("", stem or "_".join(_words(column)))
        if 2 * sum(map(odd, numbers)) > len(numbers)
        else (kind, stem)
    )


def families(sheet: Sheet) -> list[dict[str, Any]]:
    """Return, for each measure of a table, the columns of its kinds; sizes without a measure belong to all.

    A size that a head says (``Control (n = 40)``) is a number.
    """
    found: dict[str, dict[str, Any]] = {}
    named: dict[str, str] = {}
    last = ""
    for column in sheet.columns:
        if not _numeric(sheet, column):
            continue
        kind, stem = _kind_in(sheet, column)
        named.setdefault("_".join(_words(column)), column)
        stem = (
            last if not stem and kind in BESIDE and (kind != "n" or AGAIN.search(column)) else stem
        )
        last = last if kind in BESIDE else stem if kind else "_".join(_words(column))
        if kind:
            found.setdefault(stem, {}).setdefault(kind, column)
        if kind != "n" and (said := SIZE.search(column)):
            found.setdefault(stem, {}).setdefault("n", int(said[1].replace(",", "")))
    shared = {kind: column for kind, column in found.get("", {}).items() if kind in SHARED}
    for stem, kinds in found.items():
        sized = "n" in kinds or (
            {"n", "total"} & set(shared) and stem in named and _whole(sheet, named[stem])
        )
        if stem in named and "percent" in kinds and sized and named[stem] != kinds["percent"]:
            kinds.setdefault("count", named[stem])  # "54 (52.9%)" under "Control (n = 102)"
        elif stem in named and not {"mean", "share", "percent"} & set(kinds):
            kind = _kind_in(sheet, named[stem])[0]
            shares = (
                bool(SHARES.search(sheet.title))
                and not kind
                and _usable(sheet, "share", named[stem])
            )
            known = kind in ("share", "f1", "precision", "recall", "kappa", "b")
            kinds[kind if known else "share" if shares else "value"] = named[stem]
    for kinds in found.values():
        for kind in [
            kind
            for kind in ("share", "percent")
            if kind in kinds and not _usable(sheet, kind, kinds[kind])
        ]:
            del kinds[kind]
    return [{**shared, **kinds} for kinds in found.values()]


def guess_rules(documents: Sequence[Document]) -> RuleBook:
    """Return the generic rules for the tables of some documents.

    Raises
    ------
    InputError
        When no document is given.
    NothingToAnalyse
        When there is neither a sentence nor a column whose name says what it holds.
    """
    if not documents:
        raise InputError("name a table, or give --rules with a file that names its tables")
    sheets: dict[str, Sheet] = {}
    rules: dict[str, Rule] = {}
    passages = tuple(passage for document in documents for passage in document.passages)
    general = " ".join(
        one.text
        for one in passages
        if P_VALUES.search(one.text) and not re.search(r"[<=>]", one.text)
    )
    for sheet in (sheet for document in documents for sheet in document.sheets):
        name = f"{sheet.name} (#{len(sheets) + 1})" if sheet.name in sheets else sheet.name
        sheets[name] = sheet
        named = [*_measures(sheet, name, f"{sheet.title} {general}"), *_margins(sheet, name)]
        numeric = [column for column in sheet.columns if _numeric(sheet, column)]
        summaries = [
            rule for rule in relations(sheet, name, numeric) if not any(map(rule.overlaps, named))
        ]
        for rule in (*named, *summaries):
            rules.setdefault(rule.name, rule)
    if not rules and not passages:
        columns = [column for sheet in sheets.values() for column in sheet.columns]
        said = f"{documents[0].source}: no generic check fits the columns {listing(columns, 12)}"
        none = f"{documents[0].source} has no table with numbers and no sentence"
        raise NothingToAnalyse(f"{said if sheets else none}. {NO_RULES}")
    if sheets:
        sheets[GIVEN] = next(iter(sheets.values()))
    return RuleBook(
        title="",
        source="",
        sheets=sheets,
        rules=tuple(rules.values()),
        passages=passages,
        notes=tuple(note for document in documents for note in document.notes),
    )


def _rule(
    table: str, check: str, parameters: Mapping[str, Any], about: str = "", **more: Any
) -> Rule:
    columns = about or listing([value for value in parameters.values() if isinstance(value, str)])
    return Rule(
        name=f"{table}: {check} of {columns}",
        check=check,
        table=table,
        parameters=parameters,
        **more,
    )


def _measures(sheet: Sheet, table: str, about: str) -> Iterator[Rule]:
    """Yield the rules that go through the rows, one measure after the other; rows that are means are left out."""
    label, others = _labels(sheet), [*_named(sheet, MEANS), *_named(sheet, APART)]
    apart = [sheet.label(row, label) for row in others]
    counted = [*apart, *(sheet.label(row, label) for row in _named(sheet, REFERENCE))]
    found = families(sheet)
    wanted = [
        one
        for kinds in found
        for one in (
            *_limits(sheet, kinds),
            *_spread(sheet, kinds),
            *_tests(kinds, about),
            *_formulas(sheet, kinds),
        )
    ]
    for check, options, parameters, assumes, odds in (
        *wanted,
        *_groups(found),
        *_unnamed_counts(sheet, found),
    ):
        left = (
            []
            if check == "within"
            else counted
            if check in ("grim", "grimmer", "std_error_possible")
            else apart
        )
        rows = {label: {"not": left}} if left else {}
        if check in CHECKS:
            yield _rule(
                table, check, parameters, options=options, where=rows, assumes=assumes, odds=odds
            )


Wanted = tuple[str, dict[str, Any], dict[str, Any], str, float]
"""A check, its options, its parameters, what it takes for granted, and the log odds of that."""


def _limits(sheet: Sheet, kinds: Mapping[str, Any]) -> Iterator[Wanted]:
    columns = {kind: column for kind, column in kinds.items() if isinstance(column, str)}
    ends: dict[str, dict[str, int]] = {"p": {"low": 0, "high": 1}}
    ends |= {
        k: {"low": -(one := _scale(sheet, columns[k])), "high": one}
        for k in COEFFICIENTS
        if k in columns
    }
    ends |= {
        kind: {"low": 0}
        for kind in ("std_error", "sd", "n", "count", "total", "tp", "fp", "fn", "tn")
    }
    ends |= {
        k: {"low": 0, "high": _scale(sheet, columns[k])}
        for k in ("share", "percent")
        if k in columns
    }
    for kind in (kind for kind in ends if kind in columns):
        yield "within", {}, {"value": columns[kind], **ends[kind]}, "", CERTAIN
    value = next((columns[k] for k in ESTIMATES if k in columns), None)
    measures = [
        c
        for c in sheet.columns
        if _numeric(sheet, c) and _kind_in(sheet, c)[0] in ("", "value", *ESTIMATES)
    ]
    if value and {"low", "high"} <= set(columns):
        odds = CERTAIN if len(measures) == 1 else LIKELY
        given = {"value": value, "low": columns["low"], "high": columns["high"]}
        yield "within", {}, given, f"intervals of {value}", odds
    share = columns.get("percent", columns.get("share"))
    total = kinds.get("total", kinds.get("n"))
    if "count" in columns and share and total is not None:
        said = "" if "total" in kinds else "percentages of that total"
        given = {"count": columns["count"], "percent": share, "total": total}
        yield "count_percent", {"scale": _scale(sheet, share)}, given, said, CERTAIN


ESTIMATES = (
    "share",
    "percent",
    "mean",
    "value",
    "odds_ratio",
    "risk_ratio",
    "b",
    "r",
    "d",
    "g",
    "f1",
    "kappa",
)


def _spread(sheet: Sheet, kinds: Mapping[str, Any]) -> Iterator[Wanted]:
    """Yield rules about means and shares; that they are of whole numbers is for the numbers to say."""
    n, share = kinds.get("n"), kinds.get("share", kinds.get("percent"))
    if n is not None and "mean" in kinds:
        limits = scale_of(f"{kinds['mean']} {sheet.title}")
        inside = all(abs(number.value) <= 1 for number in _numbers(sheet, kinds["mean"]))
        if limits or not inside:
            said = bool(limits) or WHOLE.search(f"{kinds['mean']} {sheet.title}".replace("_", " "))
            given = {
                **({"sd": kinds["sd"]} if "sd" in kinds else {}),
                "mean": kinds["mean"],
                "n": n,
                **limits,
            }
            check = "grimmer" if "sd" in kinds else "grim"
            yield check, {}, given, "means of whole numbers", CERTAIN if said else OPEN
    if n is not None and share and not {"count", "sd"} & set(kinds):
        odds = OPEN if "share" in kinds else UNLIKELY  # n may be the counts themselves
        yield (
            "grim",
            {},
            {"mean": share, "n": n, "scale": _scale(sheet, share)},
            "shares of n answers",
            odds,
        )
    if share and "std_error" in kinds:
        given = {
            "mean": share,
            "std_error": kinds["std_error"],
            **({"n": n} if n is not None else {}),
        }
        yield (
            "std_error_possible",
            {"scale": _scale(sheet, share)},
            given,
            "shares of 0 and 1 answers",
            LIKELY,
        )


def _unnamed_counts(sheet: Sheet, found: Sequence[Mapping[str, Any]]) -> Iterator[Wanted]:
    """Yield a rule: the only column of whole numbers holds the counts of the only column of percentages."""
    size = next(
        (kinds[k] for kinds in found for k in ("total", "n") if isinstance(kinds.get(k), str)), None
    )
    shares = {
        kinds[k]
        for kinds in found
        for k in ("percent", "share")
        if k in kinds and "count" not in kinds
    }
    wholes = [
        c
        for c in sheet.columns
        if c != size and _numeric(sheet, c) and not _kind_in(sheet, c)[0] and _whole(sheet, c)
    ]
    if size and len(shares) == 1 == len(wholes) and shares.isdisjoint(wholes):
        (share,) = shares
        given = {"count": wholes[0], "percent": share, "total": size}
        yield (
            "count_percent",
            {"scale": _scale(sheet, share)},
            given,
            f"counts of {share}",
            UNLIKELY,
        )


P_VALUES = re.compile(r"\bp[- ]?values?\b|\btests?\b|\bcorrect(?:ed|ion)\b|\badjust", re.IGNORECASE)


def _tests(kinds: Mapping[str, Any], about: str) -> Iterator[Wanted]:
    """Yield rules about test statistics beside p-values; a caption may say that they are adjusted or one-sided."""
    tails = {"tails": "one"} if ONE_SIDED.search(about) else {}
    assumes, odds = (
        ("p-values without adjustment", UNLIKELY)
        if ADJUSTED.search(about) or OTHER_NULL.search(about)
        else ("", CERTAIN)
    )
    for kind in ("t", "F", "z", "chi2", "r"):
        frees = {"z": (), "F": ("df1", "df")}.get(kind, ("df",))
        if {kind, "p", *frees} <= set(kinds):
            given = {free: kinds[free] for free in frees}
            options = {"kind": kind} | (tails if kind in ("t", "z", "r") else {})
            yield (
                "statistic_p",
                options,
                {"statistic": kinds[kind], "p": kinds["p"], **given},
                assumes,
                odds,
            )


INTERVAL = {"low": "low", "high": "high", "std_error": "std_error"}
FORMULAS: tuple[tuple[str, dict[str, str], tuple[str, ...], str, float], ...] = (
    ("kappa_from_agreement", {"kappa": "kappa", "observed": "po", "chance": "pe"}, (), "", CERTAIN),
    (
        "std_error_from_sd",
        {"std_error": "std_error", "sd": "sd", "n": "n"},
        (),
        "standard errors of n values",
        LIKELY,
    ),
    ("mean_ci", INTERVAL | {"mean": "mean"}, ("n",), "intervals of the mean and its s.e.", LIKELY),
    (
        "mean_ci",
        INTERVAL | {"mean": "value"},
        ("n",),
        "intervals of the number and its s.e.",
        LIKELY,
    ),
    (
        "mean_ci",
        {"mean": "mean", "low": "low", "high": "high", "sd": "sd", "n": "n"},
        (),
        "intervals of means",
        LIKELY,
    ),
    (
        "count_ci",
        {"low": "low", "high": "high", "n": "total", "count": "count"},
        (),
        "intervals of counts",
        LIKELY,
    ),
    (
        "count_ci",
        {"low": "low", "high": "high", "n": "n", "count": "count"},
        (),
        "intervals of counts",
        LIKELY,
    ),
    (
        "count_ci",
        {"low": "low", "high": "high", "n": "n", "share": "share"},
        (),
        "intervals of shares",
        LIKELY,
    ),
    (
        "count_ci",
        {"low": "low", "high": "high", "n": "n", "share": "percent"},
        (),
        "intervals of shares",
        LIKELY,
    ),
    ("correlation", {"r": "r", "n": "n", "p": "p"}, ("t",), "correlations of n pairs", LIKELY),
    (
        "t_from_estimate",
        {"estimate": "b", "std_error": "std_error", "t": "t"},
        ("df", "p"),
        "tests of b",
        LIKELY,
    ),
    (
        "t_from_estimate",
        {"estimate": "b", "std_error": "std_error", "p": "p"},
        ("df",),
        "tests of b",
        LIKELY,
    ),
)
"""A check, its parameters and the kinds that they are, kinds that may be there, what is assumed, and its log odds."""
METRICS = {
    "tp": "tp",
    "fp": "fp",
    "fn": "fn",
    "tn": "tn",
    "share": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "specificity": "specificity",
    "f1": "f1",
    "mcc": "mcc",
}


def _formulas(sheet: Sheet, kinds: Mapping[str, Any]) -> Iterator[Wanted]:
    """Yield rules of numbers that follow from others by a formula."""
    for check, needed, more, assumes, odds in FORMULAS:
        if set(needed.values()) <= set(kinds) and not ("share" in needed and "count" in kinds):
            more = (
                () if {"chi2", "odds_ratio"} & set(kinds) else more
            )  # Wald's df of 1 is none of t
            given = {name: kinds[kind] for name, kind in needed.items()} | {
                k: kinds[k] for k in more if k in kinds
            }
            scale = {"scale": _scale(sheet, given["low"])} if check == "count_ci" else {}
            yield check, scale, given, assumes, odds
    metrics = {name: kinds[kind] for kind, name in METRICS.items() if kind in kinds}
    counted = {"tp", "fp", "fn", "tn"} & set(metrics)
    if len(metrics) > max(2, len(counted)):
        rates = [column for name, column in metrics.items() if name not in counted]
        scale = {"scale": max(_scale(sheet, column) for column in rates)}
        yield "confusion", scale, metrics, "of one confusion table", CERTAIN if counted else LIKELY


def _groups(found: Sequence[Mapping[str, Any]]) -> Iterator[Wanted]:
    """Yield rules of tests and effect sizes beside the means of two groups."""
    groups = [kinds for kinds in found if {"mean", "sd", "n"} <= set(kinds)]
    tests = next((kinds for kinds in found if {"t", "p", "d", "g"} & set(kinds)), {})
    if len(groups) != 2:
        return
    both = {
        f"{name}{i}": kinds[name]
        for i, kinds in enumerate(groups, start=1)
        for name in ("mean", "sd", "n")
    }
    given = {name: tests[name] for name in ("t", "df", "p") if name in tests}
    if set(given) & {"t", "p"} and "F" not in tests:
        yield "two_sample_t", {}, both | given, "tests of two independent groups", LIKELY
    for name in ("d", "g"):
        if name in tests:
            yield (
                "cohens_d",
                {"kind": name},
                both | {"value": tests[name]},
                "of two independent groups",
                LIKELY,
            )


def scale_of(text: str) -> dict[str, int]:
    """Return the ends of the scale that a head or a caption names.

    Examples
    --------
    >>> scale_of("Mean rating (1–7)"), scale_of("5-point Likert scale"), scale_of("Mean accuracy in 2020-2024")
    ({'low': 1, 'high': 7}, {'low': 1, 'high': 5}, {})
    """
    points = re.search(r"\b(\d{1,2})[- ]point\b", text)
    if points and int(points[1]) > 1:
        return {"low": 1, "high": int(points[1])}
    found = [
        m
        for m in RANGE.finditer(text)
        if int(m["low"]) in (-5, -4, -3, -2, -1, 0, 1)
        and 2 <= int(m["high"]) - int(m["low"]) <= 100
    ]
    worded = found and (
        WHOLE.search(text) or re.fullmatch(r"\s*[(\[].*", text[max(found[0].start() - 1, 0) :])
    )
    return {"low": int(found[0]["low"]), "high": int(found[0]["high"])} if worded else {}


def _labels(sheet: Sheet) -> str:
    """Return the first column of words, which names the rows; the first column where there is none."""
    return next(
        (c for c in sheet.columns if c != "section" and not _numeric(sheet, c)), sheet.columns[0]
    )


def _named(sheet: Sheet, words: re.Pattern[str]) -> list[int]:
    label = _labels(sheet)
    return (
        []
        if _numeric(sheet, label)
        else [
            i for i in range(len(sheet.rows)) if words.fullmatch(sheet.label(i, label).strip(" :*"))
        ]
    )


def _margins(sheet: Sheet, table: str) -> Iterator[Rule]:
    """Yield rules about rows and columns that are named total, all, average: sums and means of the others."""
    label = _labels(sheet)
    sums, means = _named(sheet, TOTALS), _named(sheet, MEANS)
    margins = {
        sheet.label(row, label)
        for row in (*sums, *means, *_named(sheet, APART), *_named(sheet, SUBTOTALS))
    }
    numeric = [column for column in sheet.columns if column != label and _numeric(sheet, column)]
    kinds = {column: _kind_in(sheet, column)[0] for column in numeric}
    values = [
        c
        for c in numeric
        if kinds[c] in ("", "share", "percent", "mean", "value", "f1", "precision", "recall")
    ]
    counts = [
        c
        for c in numeric
        if kinds[c] in ("n", "count", "total", "tp", "fp", "fn", "tn")
        or (kinds[c] == "" and _whole(sheet, c))
    ]
    size = next((c for c in numeric if kinds[c] == "n" and not kind_of(c)[1]), None)
    sections = len({row.get("section", "") for row in sheet.rows})
    for row in (*sums, *means):
        name, section = sheet.label(row, label), sheet.rows[row].get("section", "")
        same = {"section": section} if section else {}
        others = [i for i in sheet.where(same) if sheet.label(i, label) not in margins]
        over = [i for i in others if i < row]
        below = {sheet.label(i, label) for i in others if i > row} if len(over) > 1 else set[str]()
        others = over if below else others
        if (
            len(others) < 2
            or len(sheet.where({label: name}, same)) > 1
            or (sections > 1 and not section)
        ):
            continue
        where = {label: name, **same}
        parts = {"by": {}, "where": {label: {"not": sorted(margins | below)}, **same}}
        about = f"{name}{' in ' + section if section else ''}"
        total = row in sums and "total" in name.casefold()
        decimal = [c for c in numeric if total and kinds[c] == "" and c not in counts]
        for columns in filter(None, (counts if row in sums else [], decimal)):
            yield _rule(
                table,
                "sum_to",
                {"parts": parts},
                f"{about} of {listing(columns)}",
                columns=tuple(columns),
                where=where,
                options={"counts": columns is counts},
                assumes="the sums of the other rows",
                odds=CERTAIN if total else OPEN,
            )
        full = (
            [c for c in numeric if kinds[c] == "percent" and _hundred(sheet, row, c)]
            if row in sums
            else []
        )
        for column in full if size else ():
            given = {
                "count": size,
                "percent": column,
                "total": {"column": size, "by": {}, "where": where},
            }
            rest = parts["where"]
            yield _rule(
                table,
                "count_percent",
                given,
                f"{size} and {column}",
                where=rest,
                assumes="percentages of that total",
                odds=CERTAIN,
            )
        plain = tuple(c for c in values if c not in counts and c not in full and c not in decimal)
        if row in means and plain:
            yield _rule(
                table,
                "mean_of",
                {"parts": parts},
                about,
                columns=plain,
                where=where,
                assumes="the means of the other rows",
                odds=OPEN,
            )
        elif size and plain:
            yield _rule(
                table,
                "weighted_mean",
                {"parts": parts, "weights": size},
                about,
                columns=plain,
                where=where,
                assumes=f"the means of the other rows by {size}",
                odds=OPEN,
            )
    data = {label: {"not": sorted(margins)}} if margins else {}
    for column in numeric:
        last = column.split(" / ")[-1].strip()
        above = column.rpartition(" / ")[0]
        beside = [
            c
            for c in (counts if TOTALS.fullmatch(last) else values)
            if c != column
            and c.rpartition(" / ")[0] == above
            and kinds[c] not in ("n", "mean", "total")
        ]
        if len(beside) < 2:
            continue
        if TOTALS.fullmatch(last) and column in counts:
            yield _rule(
                table,
                "sum_to",
                {"parts": beside, "total": column},
                column,
                where=data,
                options={"counts": True},
                assumes=f"the sums of {listing(beside)}",
            )
        elif (MEANS.fullmatch(last) or last.casefold() == "overall") and column not in counts:
            yield _rule(
                table,
                "mean_of",
                {"parts": beside, "value": column},
                column,
                where=data,
                assumes=f"the means of {listing(beside)}",
            )


def _hundred(sheet: Sheet, row: int, column: str) -> bool:
    """Return whether a cell is 100, or 100%."""
    return sheet.rows[row][column].strip(" %" + MARKS).replace(",", ".") in (
        "100",
        "100.0",
        "100.00",
    )


def _numbers(sheet: Sheet, column: str) -> list[Printed]:
    """Return the cells of a column that are numbers; the others are labels, or named when a rule needs them."""
    how: dict[str, Any] = {"strip": MARKS, "decimal": sheet.reading.decimal}
    return [printed(row[column], **how) for row in sheet.rows if is_number(row[column], **how)]


def _numeric(sheet: Sheet, column: str) -> bool:
    """Return whether most cells of a column that are not missing are numbers."""
    present = sum(row[column].strip().casefold() not in MISSING for row in sheet.rows)
    return len(_numbers(sheet, column)) > present / 2


def _whole(sheet: Sheet, column: str) -> bool:
    """Return whether a column holds whole numbers that are printed without decimals."""
    return all(n.unit == 1 and n.value >= 0 and not n.percent for n in _numbers(sheet, column))


def _usable(sheet: Sheet, kind: str, column: str) -> bool:
    """Return whether a column surely holds shares or percentages: rates may be anything, percentages up to 1 shares."""
    numbers = _numbers(sheet, column)
    if any(number.value < 0 or number.value > 100 for number in numbers):
        return False
    return kind == "share" or any(number.percent or number.value > 1 for number in numbers)


def _scale(sheet: Sheet, column: str) -> int:
    """Return 100 for a column of shares in percent, 1 for shares (and for numbers with a percent sign)."""
    plain = [number for number in _numbers(sheet, column) if not number.percent]
    signs = len(plain) < len(_numbers(sheet, column))
    return 100 if signs or any(abs(number.value) > 1 for number in plain) else 1
