"""Sixty right tables, made from raw data: no alarm. Their kinds are those that papers print."""

# ruff: noqa: E501  printed tables in one line each
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import socialstats as ss
from socialstats.errors import NothingToAnalyse

Made = tuple[str, list[str], list[list[str]]]


def ratings(rng: np.random.Generator) -> Made:
    rows = []
    for group in "ABCD":
        x = rng.integers(1, 8, size=int(rng.integers(12, 60)))
        rows.append([group, str(len(x)), f"{x.mean():.2f} ({x.std(ddof=1):.2f})"])
    return "Mean ratings from 1 to 7, SD in parentheses", ["Group", "n", "M (SD)"], rows


def scores(rng: np.random.Generator) -> Made:
    rows = []
    for group in "ABCDE":
        x = rng.beta(2, 3, size=int(rng.integers(15, 50)))
        rows.append([group, f"{x.mean():.3f}", f"{x.std(ddof=1):.3f}", str(len(x))])
    return "Scores", ["Model", "Mean", "SD", "N"], rows


def times(rng: np.random.Generator) -> Made:
    rows = []
    for group in "ABC":
        x = rng.gamma(9, 60, size=int(rng.integers(15, 50)))
        rows.append(
            [
                group,
                str(len(x)),
                f"{x.mean():.1f} ± {x.std(ddof=1) / np.sqrt(len(x)):.1f}",
                f"{x.std(ddof=1):.1f}",
            ]
        )
    return "Reaction times, mean ± SE", ["Condition", "n", "Time", "SD"], rows


def accuracy(rng: np.random.Generator) -> Made:
    n, rows = int(rng.integers(80, 900)), []
    for model in ("GPT-4", "Claude", "Llama", "Gemma"):
        k = int(rng.binomial(n, 0.7))
        rows.append(
            [
                model,
                f"{100 * k / n:.1f}",
                f"{k}/{n}",
                f"{100 * np.sqrt(k / n * (1 - k / n) / n):.1f}",
            ]
        )
    return "Accuracy in percent", ["Model", "Acc. (%)", "Correct", "Acc. SE"], rows


def benchmark(rng: np.random.Generator) -> Made:
    rows = []
    for model in ("a", "b", "c", "d", "e"):
        x = rng.uniform(30, 90, size=4)
        rows.append([model, *(f"{v:.1f}" for v in x), f"{x.mean():.1f}"])
    return "Results", ["Model", "MMLU", "ARC", "GSM8K", "BBH", "Avg."], rows


def weighted(rng: np.random.Generator) -> Made:
    """An average by other weights than those of the table, and rows that are not all shown."""
    rows = []
    for model in ("a", "b", "c", "d"):
        x = rng.uniform(30, 90, size=6)
        rows.append([model, *(f"{v:.1f}" for v in x[:3]), f"{x.mean():.1f}"])
    return "Results", ["Model", "X", "Y", "Z", "Average"], rows


def counts(rng: np.random.Generator) -> Made:
    k = rng.integers(5, 90, size=4)
    rows = [[name, str(v), f"{100 * v / k.sum():.1f}%"] for name, v in zip("ABCD", k, strict=True)]
    return "Answers", ["Answer", "n", "%"], [*rows, ["Total", str(k.sum()), "100.0%"]]


def characteristics(rng: np.random.Generator) -> Made:
    """Panels of which each has its own parts, ages with SDs, and sizes in the heads."""
    n1, n2 = rng.integers(40, 120, size=2)
    a, b = rng.integers(20, 80, size=n1), rng.integers(20, 80, size=n2)
    w1, w2 = rng.binomial(n1, 0.5), rng.binomial(n2, 0.5)
    rows = [
        [
            "Age, years",
            f"{a.mean():.1f} ({a.std(ddof=1):.1f})",
            f"{b.mean():.1f} ({b.std(ddof=1):.1f})",
        ],
        ["Sex", "", ""],
        ["Women", f"{w1} ({100 * w1 / n1:.1f}%)", f"{w2} ({100 * w2 / n2:.1f}%)"],
        [
            "Men",
            f"{n1 - w1} ({100 - 100 * w1 / n1:.1f}%)",
            f"{n2 - w2} ({100 - 100 * w2 / n2:.1f}%)",
        ],
    ]
    return (
        "Characteristics, mean (SD) or n (%)",
        ["", f"Control (n = {n1})", f"Treated (n = {n2})"],
        rows,
    )


def regression(rng: np.random.Generator) -> Made:
    n, rows = 120, []
    for name in ("Age", "Income", "Trust", "Size"):
        x = rng.normal(size=n)
        fit = stats.linregress(x, 0.3 * x + rng.normal(size=n))
        t = fit.slope / fit.stderr
        rows.append(
            [
                name,
                f"{fit.slope:.3f}",
                f"{fit.stderr:.3f}",
                f"{t:.2f}",
                str(n - 2),
                f"{fit.pvalue:.3f}",
            ]
        )
    return "Regression", ["Term", "b", "SE", "t", "df", "p"], rows


def groups(rng: np.random.Generator) -> Made:
    rows = []
    for name in ("Trust", "Warmth", "Fear"):
        a, b = rng.normal(4, 1, size=40), rng.normal(4.3, 1.2, size=36)
        test = stats.ttest_ind(a, b, equal_var=False)
        rows.append(
            [
                name,
                f"{a.mean():.2f}",
                f"{a.std(ddof=1):.2f}",
                "40",
                f"{b.mean():.2f}",
                f"{b.std(ddof=1):.2f}",
                "36",
                f"{test.statistic:.2f}",
                f"{test.df:.1f}",
                f"{test.pvalue:.3f}",
            ]
        )
    heads = ["Scale", "A / M", "A / SD", "A / n", "B / M", "B / SD", "B / n", "t", "df", "p"]
    return "Two groups", heads, rows


def confusions(rng: np.random.Generator) -> Made:
    rows = []
    for name in ("a", "b", "c"):
        tp, fp, fn, tn = rng.integers(8, 60, size=4)
        p, r = tp / (tp + fp), tp / (tp + fn)
        rows.append(
            [
                name,
                *map(str, (tp, fp, fn, tn)),
                f"{p:.2f}",
                f"{r:.2f}",
                f"{2 * p * r / (p + r):.2f}",
            ]
        )
    return "Classifiers", ["Model", "TP", "FP", "FN", "TN", "Precision", "Recall", "F1"], rows


def macro(rng: np.random.Generator) -> Made:
    """Macro averages: F1 is not the harmonic mean of precision and recall."""
    rows = []
    for name in ("a", "b", "c", "d"):
        p, r = rng.uniform(0.4, 0.9, size=(2, 5))
        rows.append(
            [name, f"{p.mean():.3f}", f"{r.mean():.3f}", f"{(2 * p * r / (p + r)).mean():.3f}"]
        )
    return "Classifiers", ["Model", "Precision", "Recall", "F1"], rows


KINDS: tuple[Callable[[np.random.Generator], Made], ...] = (
    ratings,
    scores,
    times,
    accuracy,
    benchmark,
    weighted,
    counts,
    characteristics,
    regression,
    groups,
    confusions,
    macro,
)


def as_file(folder: Path, made: Made, suffix: str) -> Path:
    caption, heads, rows = made
    file = folder / f"t.{suffix}"
    if suffix == "md":
        lines = [heads, ["---"] * len(heads), *rows]
        text = (
            f"Table 1: {caption}.\n\n"
            + "\n".join("| " + " | ".join(row) + " |" for row in lines)
            + "\n"
        )
    elif suffix == "html":
        text = pd.DataFrame(rows, columns=heads).to_html(index=False)
    elif suffix == "tex":
        body = " \\\\\n".join(
            " & ".join(cell.replace("%", "\\%").replace("±", "$\\pm$") for cell in row)
            for row in [heads, *rows]
        )
        head, rest = body.split("\n", 1)
        said = caption.replace("%", "\\%").replace("±", "$\\pm$")
        text = f"\\begin{{table}}\\caption{{{said}}}\\begin{{tabular}}{{lrr}}\\toprule\n{head}\\midrule\n{rest} \\\\ \\bottomrule"
        text += "\n\\end{tabular}\\end{table}"
    else:
        text = "\n".join("\t".join(row) for row in [heads, *rows])
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_right_tables_give_no_alarm(
    tmp_path: Path, kind: Callable[[np.random.Generator], Made], seed: int
) -> None:
    made = kind(np.random.default_rng([seed, KINDS.index(kind)]))
    try:
        report = ss.audit.audit(as_file(tmp_path, made, ("md", "html", "tex", "txt", "md")[seed]))
    except NothingToAnalyse:
        assert kind is macro  # no count stands beside these
        return
    assert [f"{f.where}: {f.message}" for f in report.of("disagree")] == []
    assert report.numbers >= 2 * len(made[2])
    assert all(one.odd == () for one in report.unread)
