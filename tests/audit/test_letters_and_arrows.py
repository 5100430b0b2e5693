"""Heads of one letter, coefficients times 100, arrows as signs and sums below 0: right tables give no alarm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    cohen_kappa_score,
    matthews_corrcoef,
    precision_recall_fscore_support,
)

import socialstats as ss
from socialstats.audit.numbers import printed

MODELS = [f"model-{letter}" for letter in "abcdefghij"]
Table = tuple[str, Sequence[str], list[list[Any]]]


def markdown(caption: str, head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return a Markdown table below a heading."""
    lines = [
        caption,
        "",
        " | ".join(head),
        "|".join("---" for _ in head),
        *(" | ".join(map(str, row)) for row in rows),
    ]
    return "\n".join([*lines[:2], *(f"| {line} |" for line in lines[2:])]) + "\n"


def answers(rng: np.random.Generator, kinds: int = 2) -> tuple[Any, Any]:
    """Return 400 labels and answers that are right more often than by chance."""
    truth = rng.integers(0, kinds, 400)
    return truth, np.where(
        rng.random(400) < rng.uniform(0.3, 0.9), truth, rng.integers(0, kinds, 400)
    )


def retrieved(rng: np.random.Generator, kinds: int, scale: int, average: Any) -> Table:
    """Precision, recall and F1 as P, R and F1."""
    rows = []
    for model in MODELS:
        found = precision_recall_fscore_support(
            *answers(rng, kinds), average=average, zero_division=0
        )[:3]
        rows.append([model, *(f"{scale * x:.{1 if scale == 100 else 3}f}" for x in found)])
    return "# Detection", ("Model", "P", "R", "F1"), rows


def coefficient(rng: np.random.Generator, name: str, formula: Callable[..., float]) -> Table:
    """Accuracy beside a coefficient, both times 100."""
    made = [answers(rng) for _ in MODELS]
    rows = [
        [m, *(f"{100 * f(*one):.1f}" for f in (accuracy_score, formula))]
        for m, one in zip(MODELS, made, strict=True)
    ]
    return "# Accuracy", ("Model", "Acc", name), rows


def letters(rng: np.random.Generator, heads: str, low: float, high: float) -> Table:
    """Tasks or traits of one or two letters, and their mean."""
    names = heads.split()
    values = rng.uniform(low, high, (10, len(names))).round(2)
    rows = [
        [m, *(f"{x:.2f}" for x in row), f"{row.mean():.2f}"]
        for m, row in zip(MODELS, values, strict=True)
    ]
    return "# Scores", ("Model", *names, "Avg"), rows


def sums(rng: np.random.Generator, whole: bool) -> Table:
    """Changes with their sums, which may be below 0."""
    values = rng.integers(-9, 7, (6, 3)) if whole else rng.uniform(-9, 0, (6, 3)).round(1)
    full = np.vstack([values, values.sum(0)])
    full = np.column_stack([full, full.sum(1)])
    rows = [
        [name, *(f"{x:.{0 if whole else 1}f}" for x in row)]
        for name, row in zip([*MODELS[:6], "Total"], full, strict=True)
    ]
    return "# Changes", ("Model", "one", "two", "three", "Total"), rows


def arrows(rng: np.random.Generator) -> Table:
    """Changes whose sign is an arrow, and their mean."""
    values = (rng.integers(-20, 20, 8) * 0.5).round(1)
    shown = [f"{'↑' if x >= 0 else '↓'} {abs(x):.1f}" for x in (*values, values.mean())]
    tuned = (50 + values).round(1)
    rows = [
        [name, f"{y:.1f}", x]
        for name, y, x in zip([*MODELS[:8], "Average"], (*tuned, tuned.mean()), shown, strict=True)
    ]
    return "# Tuning", ("Model", "Tuned", "Change"), rows


def asked_again(rng: np.random.Generator) -> Table:
    """Accuracy over four answers a question, with the number of questions and the interval of their means."""
    rows = []
    for model in MODELS:
        means = (rng.random((150, 4)) < rng.beta(2, 2, 150)[:, None]).mean(1)
        mean, error = means.mean(), means.std(ddof=1) / np.sqrt(150)
        rows.append(
            [
                model,
                150,
                f"{100 * mean:.1f}",
                f"[{100 * (mean - 1.96 * error):.1f}, {100 * (mean + 1.96 * error):.1f}]",
            ]
        )
    return "# Four answers to each question", ("Model", "N", "Accuracy (%)", "95% CI"), rows


RIGHT: dict[str, Callable[[np.random.Generator], Table]] = {
    "P, R, F1 in percent": lambda rng: retrieved(rng, 2, 100, "binary"),
    "P, R, F1 of four classes": lambda rng: retrieved(rng, 4, 100, "macro"),
    "P, R, F1 as shares": lambda rng: retrieved(rng, 3, 1, "weighted"),
    "MCC times 100": lambda rng: coefficient(rng, "MCC", matthews_corrcoef),
    "kappa times 100": lambda rng: coefficient(rng, "κ", cohen_kappa_score),
    "tasks named SD, SE, N, O": lambda rng: letters(rng, "SD SE N O R", 20, 90),
    "tasks named T, F, Z, p": lambda rng: letters(rng, "T F Z p", 20, 90),
    "five traits": lambda rng: letters(rng, "O C E A N", 1, 5),
    "conditions A to E": lambda rng: letters(rng, "A B C D E", 1, 7),
    "whole sums below 0": lambda rng: sums(rng, True),
    "sums below 0": lambda rng: sums(rng, False),
    "arrows": arrows,
    "questions asked again": asked_again,
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", RIGHT.values(), ids=RIGHT)
def test_a_right_table_gives_no_alarm(
    kind: Callable[[np.random.Generator], Table], seed: int, tmp_path: Path
) -> None:
    """Numbers of numpy and scikit-learn."""
    (tmp_path / "t.md").write_text(markdown(*kind(np.random.default_rng(seed))))
    try:
        found = ss.audit.audit(tmp_path / "t.md").of("disagree")
    except ss.NothingToAnalyse:
        found = ()
    assert [one.message for one in found] == []


def test_a_wrong_mean_of_conditions_is_named(tmp_path: Path) -> None:
    """A to E are conditions, so that Avg is checked as their mean."""
    caption, head, rows = RIGHT["conditions A to E"](np.random.default_rng(0))
    rows[3][-1] = f"{float(rows[3][-1]) + 0.4:.2f}"
    (tmp_path / "t.md").write_text(markdown(caption, head, rows))
    assert [one.published for one in ss.audit.audit(tmp_path / "t.md").of("disagree")] == [
        rows[3][-1]
    ]


def test_a_wrong_f1_beside_p_and_r_is_named(tmp_path: Path) -> None:
    """P and R beside F1 are precision and recall."""
    caption, head, rows = RIGHT["P, R, F1 in percent"](np.random.default_rng(0))
    rows[3][-1] = f"{float(rows[3][-1]) + 30:.1f}"
    (tmp_path / "t.md").write_text(markdown(caption, head, rows))
    (found,) = ss.audit.audit(tmp_path / "t.md").of("disagree")
    assert rows[3][-1] in found.published


def test_a_wrong_sum_below_zero_is_named(tmp_path: Path) -> None:
    """The sum of the first column."""
    caption, head, rows = RIGHT["whole sums below 0"](np.random.default_rng(0))
    rows[-1][1] = str(int(rows[-1][1]) + 8)  # whole numbers may be rounded: 3.5 off is possible
    (tmp_path / "t.md").write_text(markdown(caption, head, rows))
    assert rows[-1][1] in {
        printed(one.published).text for one in ss.audit.audit(tmp_path / "t.md").of("disagree")
    }
