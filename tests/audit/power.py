"""Power of the checks from summaries: 40 right and 40 wrong numbers each, of simulated raw data. Writes docs/audit.md.

The right numbers come from scipy, statsmodels and scikit-learn on raw data, the printed inputs are rounded to 1 to 3
decimals. A wrong number is a right one moved by 2% to 40% of its size (at least 2 units of its last digit).

    python tests/audit/power.py
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats as st
import statsmodels.api as sm
from sklearn import metrics as sk
from statsmodels.stats.proportion import proportion_confint

import socialstats.audit as au
from socialstats.audit.numbers import Finding

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"
MARKS = ("<!-- power: python tests/audit/power.py -->\n", "<!-- /power -->")
Case = tuple[float, int, Callable[[str], Finding]]
"""A right number, its decimals, and the check of a printed one."""


def text(value: float, decimals: int) -> str:
    return f"{value:.{decimals}f}"


def groups(rng: np.random.Generator, k: int = 2) -> list[Any]:
    scale = rng.uniform(0.5, 3)
    return [
        rng.normal(rng.uniform(3, 5), scale * rng.uniform(0.6, 1.6), rng.integers(12, 90))
        for _ in range(k)
    ]


def summary(x: Any, d: int) -> tuple[str, str, int]:
    return text(x.mean(), d), text(x.std(ddof=1), d), len(x)


def welch_t(rng: np.random.Generator, d: int) -> Case:
    x, y = groups(rng)
    return (
        st.ttest_ind(x, y, equal_var=False).statistic,
        2,
        lambda v: au.two_sample_t(*summary(x, d), *summary(y, d), t=v),
    )


def student_p(rng: np.random.Generator, d: int) -> Case:
    x, y = groups(rng)
    return (
        st.ttest_ind(x, y).pvalue,
        3,
        lambda v: au.two_sample_t(*summary(x, d), *summary(y, d), p=v, test="student"),
    )


def welch_df(rng: np.random.Generator, d: int) -> Case:
    x, y = groups(rng)
    df = st.ttest_ind(x, y, equal_var=False).df
    return df, 1, lambda v: au.two_sample_t(*summary(x, d), *summary(y, d), df=v, test="welch")


def d_of(rng: np.random.Generator, d: int) -> Case:
    x, y = groups(rng)
    (a, s, n), (b, u, m) = summary(x, d), summary(y, d)
    right = st.ttest_ind(x, y).statistic * math.sqrt(1 / n + 1 / m)
    return right, 2, lambda v: au.cohens_d(v, a, s, b, u, n, m)


def f_of(rng: np.random.Generator, d: int) -> Case:
    every = groups(rng, 3)
    made = list(zip(*(summary(x, d) for x in every), strict=True))
    return st.f_oneway(*every).statistic, 2, lambda v: au.anova_f(*made, f=v)


def paired(rng: np.random.Generator, d: int) -> Case:
    x = rng.normal(4, 1.5, 40)
    y = x * rng.uniform(-0.5, 1) + rng.normal(2, 1, 40)
    (a, s, n), (b, u, _) = summary(x, d), summary(y, d)
    return st.ttest_rel(x, y).statistic, 2, lambda v: au.paired_t_bounds(a, s, b, u, n, t=v)


def correlated(rng: np.random.Generator, d: int) -> Case:
    x = rng.normal(size=rng.integers(20, 120))
    r = st.pearsonr(x, rng.uniform(0.1, 0.8) * x + rng.normal(size=len(x)))
    return r.pvalue, 3, lambda v: au.correlation(text(r.statistic, d + 1), n=len(x), p=v)


def estimate(rng: np.random.Generator, d: int) -> Case:
    x = rng.normal(size=(60, 2))
    fit = sm.OLS(x @ rng.uniform(-1, 1, 2) + rng.normal(size=60), sm.add_constant(x)).fit()
    return (
        fit.tvalues[1],
        2,
        lambda v: au.t_from_estimate(text(fit.params[1], d + 1), text(fit.bse[1], d + 1), t=v),
    )


def std_error(rng: np.random.Generator, d: int) -> Case:
    x, _ = groups(rng)
    return st.sem(x), 3, lambda v: au.std_error_from_sd(v, text(x.std(ddof=1), d), len(x))


def interval(rng: np.random.Generator, d: int) -> Case:
    x, _ = groups(rng)
    low, high = st.t.interval(0.95, len(x) - 1, x.mean(), st.sem(x))
    mean, error = text(x.mean(), d), text(st.sem(x), d)
    return high, d, lambda v: au.mean_ci(mean, text(low, d), v, std_error=error, n=len(x))


def share(rng: np.random.Generator, d: int) -> Case:
    n = int(rng.integers(30, 400))
    k, method = (
        int(rng.integers(3, n - 3)),
        rng.choice(["normal", "wilson", "beta", "agresti_coull", "jeffreys"]),
    )
    low, high = (100 * x for x in proportion_confint(k, n, method=method))
    return high, d, lambda v: au.count_ci(text(low, d), v, n, count=k, scale=100)


def kappa(rng: np.random.Generator, d: int) -> Case:
    a = rng.integers(0, 3, 150)
    b = np.where(rng.random(150) < 0.6, a, rng.integers(0, 3, 150))
    po, pe = (a == b).mean(), sum((a == i).mean() * (b == i).mean() for i in range(3))
    return (
        sk.cohen_kappa_score(a, b),
        2,
        lambda v: au.kappa_from_agreement(v, text(po, d + 1), text(pe, d + 1)),
    )


def predicted(rng: np.random.Generator) -> tuple[Any, Any]:
    y = (rng.random(rng.integers(40, 300)) < rng.uniform(0.2, 0.7)).astype(int)
    return y, np.where(rng.random(len(y)) < rng.uniform(0.6, 0.95), y, 1 - y)


def counted(rng: np.random.Generator, d: int) -> Case:
    y, z = predicted(rng)
    tn, fp, fn, tp = (int(x) for x in sk.confusion_matrix(y, z).ravel())
    return sk.matthews_corrcoef(y, z), d, lambda v: au.confusion(tp=tp, fp=fp, fn=fn, tn=tn, mcc=v)


def f1_alone(rng: np.random.Generator, d: int) -> Case:
    y, z = predicted(rng)
    made = {
        "precision": text(sk.precision_score(y, z), d),
        "recall": text(sk.recall_score(y, z), d),
    }
    return sk.f1_score(y, z), d, lambda v: au.confusion(**made, f1=v, average="binary")


def accuracy_of(rng: np.random.Generator, d: int) -> Case:
    y, z = predicted(rng)
    y, z = y[:90], z[:90]
    made = {
        "n": len(y),
        "precision": text(sk.precision_score(y, z), d),
        "recall": text(sk.recall_score(y, z), d),
        "balanced_accuracy": text(sk.balanced_accuracy_score(y, z), d),
    }
    return sk.accuracy_score(y, z), d, lambda v: au.confusion(**made, accuracy=v, average="binary")


def odds(rng: np.random.Generator, d: int) -> Case:
    a, b, c, e = (int(x) for x in rng.integers(4, 80, 4))
    made = sm.stats.Table2x2(np.array([[a, b], [c, e]]))
    low, high = (text(x, d) for x in made.oddsratio_confint())
    return made.oddsratio, d, lambda v: au.ratio_from_counts(v, a, b, c, e, low=low, high=high)


def chi2(rng: np.random.Generator, d: int) -> Case:
    table = rng.integers(3, 60, (rng.integers(2, 4), rng.integers(2, 5)))
    correct = bool(rng.random() < 0.5)
    value = st.chi2_contingency(table, correction=correct).statistic
    return value, d, lambda v: au.chi2_from_counts([[int(x) for x in row] for row in table], chi2=v)


def ratings(rng: np.random.Generator, d: int) -> Case:
    every = rng.normal(1000, 150, 6)
    rate = np.mean([1 / (1 + 10 ** ((x - every[0]) / 400)) for x in every[1:]])
    return (
        rate,
        d,
        lambda v: au.rating_win_rate(v, text(every[0], 0), [text(x, 0) for x in every[1:]]),
    )


def denominator(rng: np.random.Generator, d: int) -> Case:
    n = int(rng.integers(10, 40))
    counts = rng.multinomial(n, [0.2, 0.3, 0.5])
    first = [text(100 * x / n, d) for x in counts[:2]]
    return 100 * counts[2] / n, d, lambda v: au.shared_denominator([*first, v], 40)


def repeated(rng: np.random.Generator, d: int) -> Case:
    table = [[text(x, d) for x in row] for row in rng.normal(50, 12, (12, 5))]
    return 0.0, 0, lambda v: au.duplicate_rows([*table, table[3]] if v != "0" else table)


KINDS: dict[str, tuple[str, Callable[[np.random.Generator, int], Case]]] = {
    "two_sample_t, t": ("scipy", welch_t),
    "two_sample_t, p alone": ("scipy", student_p),
    "two_sample_t, Welch's df": ("scipy", welch_df),
    "cohens_d": ("scipy", d_of),
    "anova_f, F": ("scipy", f_of),
    "paired_t_bounds, t": ("scipy", paired),
    "correlation, p": ("scipy", correlated),
    "t_from_estimate, t": ("statsmodels", estimate),
    "std_error_from_sd": ("scipy", std_error),
    "mean_ci, one end": ("scipy", interval),
    "count_ci, one end": ("statsmodels", share),
    "kappa_from_agreement": ("scikit-learn", kappa),
    "confusion, MCC of counts": ("scikit-learn", counted),
    "confusion, F1 of precision and recall": ("scikit-learn", f1_alone),
    "confusion, accuracy of n = 90": ("scikit-learn", accuracy_of),
    "ratio_from_counts": ("statsmodels", odds),
    "chi2_from_counts": ("scipy", chi2),
    "rating_win_rate": ("numpy", ratings),
    "shared_denominator, n up to 40": ("numpy", denominator),
    "duplicate_rows": ("numpy", repeated),
}


def measured(kind: str, cases: int = 40, seed: int = 20261123) -> tuple[list[str], int, int]:
    """Return the false alarms, the right numbers without power, and the wrong numbers that were noticed."""
    rng = np.random.default_rng([seed, sorted(KINDS).index(kind)])
    alarms, powerless, noticed = [], 0, 0
    for i in range(cases):
        right, decimals, check = KINDS[kind][1](rng, 1 + i % 3)
        decimals = max(decimals, 2) if abs(right) < 1 and decimals else decimals
        found = check(text(right, decimals))
        alarms += [found.message] if found.verdict == "disagree" else []
        powerless += found.verdict == "no_power"
        moved = max(rng.uniform(0.02, 0.4) * abs(right), 2 * 10.0**-decimals) * rng.choice([-1, 1])
        noticed += check(text(right + moved, decimals)).verdict == "disagree"
    return alarms, powerless, noticed


def page(cases: int = 40) -> str:
    """Return the table of docs/audit.md."""
    lines = [
        "Right and wrong numbers of simulated raw data, 40 each, with inputs rounded to 1, 2 and 3 decimals.",
        "Wrong ones are 2% to 40% off, and at least two units of the last digit. No right number was called wrong.",
        "",
        "| Check | Right numbers by | False alarms | Without power | Wrong ones noticed |",
        "| --- | --- | --- | --- | --- |",
    ]
    for kind, (source, _) in KINDS.items():
        alarms, powerless, noticed = measured(kind, cases)
        lines.append(
            f"| {kind} | {source} | {len(alarms)} of {cases} | {powerless} | {round(100 * noticed / cases)}% |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    head, rest = PAGE.read_text(encoding="utf-8").split(MARKS[0])
    PAGE.write_text(head + MARKS[0] + page() + MARKS[1] + rest.split(MARKS[1])[1], encoding="utf-8")
