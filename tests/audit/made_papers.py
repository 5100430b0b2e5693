"""Papers made from simulated answers: every printed number is right, or one of them is planted wrong.

Numbers come from scipy and numpy, not from the package; the same paper is written as LaTeX, Markdown and HTML.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

MODELS = ("Alder-7B", "Birch-13B", "Cedar-34B", "Dogwood-70B", "Elm-large")
KINDS = ("Comply", "Deviate", "Escalate")


def plain_p(p: float) -> str:
    """Write a p-value as APA does."""
    return "p < .001" if p < 0.0005 else f"p = {p:.3f}".replace("0.", ".", 1)


def numbers(seed: int) -> dict[str, Any]:
    """Return every number of a paper, printed."""
    random = np.random.default_rng(seed)
    n = int(random.integers(180, 260))
    chances = np.sort(random.uniform(0.45, 0.9, 5))
    right = random.random((5, n)) < chances[:, None]
    k = right.sum(axis=1)
    share = k / n
    error = np.sqrt(share * (1 - share) / n)
    raters = int(random.integers(41, 66))
    before = np.clip(np.round(random.normal(3.1, 1.1, (5, raters))), 1, 5)
    after = np.clip(np.round(random.normal(3.6, 0.9, (5, raters))), 1, 5)
    welch = [stats.ttest_ind(a, b, equal_var=False) for a, b in zip(after, before, strict=True)]
    replies = np.stack([random.multinomial(n, random.dirichlet((8, 4, 2))) for _ in MODELS])
    tp, fp, fn, tn = (int(x) for x in random.integers(30, 120, 4))
    precision, recall = tp / (tp + fp), tp / (tp + fn)
    total = tp + fp + fn + tn
    po = (tp + tn) / total
    pe = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / total**2
    chi2 = stats.chi2_contingency(np.stack([k, n - k]), correction=False)
    anova = stats.f_oneway(*after)
    lengths = random.normal(120, 30, 60)
    r = stats.pearsonr(lengths, lengths * 0.01 + random.normal(0, 1, 60))
    return {
        "n": n,
        "N": 5 * n,
        "raters": raters,
        "correct": [str(x) for x in k],
        "accuracy": [f"{100 * x:.1f}" for x in share],
        "se": [f"{100 * x:.2f}" for x in error],
        "low": [f"{100 * (x - 1.959964 * e):.1f}" for x, e in zip(share, error, strict=True)],
        "high": [f"{100 * (x + 1.959964 * e):.1f}" for x, e in zip(share, error, strict=True)],
        "before": [f"{x.mean():.2f}" for x in before],
        "before_sd": [f"{x.std(ddof=1):.2f}" for x in before],
        "after": [f"{x.mean():.2f}" for x in after],
        "after_sd": [f"{x.std(ddof=1):.2f}" for x in after],
        "t": [f"{x.statistic:.2f}" for x in welch],
        "df": [f"{x.df:.1f}" for x in welch],
        "p": [f"{x.pvalue:.3f}" if x.pvalue >= 0.0005 else "<.001" for x in welch],
        "replies": [[str(x) for x in row] for row in replies],
        "percent": [[f"{100 * x / n:.1f}" for x in row] for row in replies],
        "tp": tp,
        "fp": fp,
        "fn": fn,
        "tn": tn,
        "precision": f"{precision:.3f}",
        "recall": f"{recall:.3f}",
        "f1": f"{2 * precision * recall / (precision + recall):.3f}",
        "judged": total,
        "po": f"{po:.3f}",
        "pe": f"{pe:.3f}",
        "kappa": f"{(po - pe) / (1 - pe):.3f}",
        "chi2": f"{chi2.statistic:.2f}",
        "chi2_p": plain_p(chi2.pvalue),
        "F": f"{anova.statistic:.2f}",
        "F_df": 5 * raters - 5,
        "F_p": plain_p(anova.pvalue),
        "r": f"{r.statistic:.2f}".replace("0.", ".", 1),
        "r_p": plain_p(r.pvalue),
        "best": MODELS[int(np.argmax(k))],
        "best_k": str(k.max()),
        "best_percent": f"{100 * k.max() / n:.1f}",
    }


def tables(v: Mapping[str, Any]) -> list[tuple[str, list[list[str]]]]:
    """Return caption and rows, the head first, of each table."""
    several = range(5)
    return [
        (
            "Accuracy of five models.",
            [
                ["Model", "n", "Correct", "Acc. (%)", "SE", "95% CI"],
                *(
                    [
                        MODELS[i],
                        str(v["n"]),
                        v["correct"][i],
                        v["accuracy"][i],
                        v["se"][i],
                        f"[{v['low'][i]}, {v['high'][i]}]",
                    ]
                    for i in several
                ),
            ],
        ),
        (
            f"Ratings of politeness from 1 to 5, M (SD), by {v['raters']} raters a condition.",
            [
                ["Model", "Plain", "Polite", "t", "df", "p"],
                *(
                    [
                        MODELS[i],
                        f"{v['before'][i]} ({v['before_sd'][i]})",
                        f"{v['after'][i]} ({v['after_sd'][i]})",
                        v["t"][i],
                        v["df"][i],
                        v["p"][i],
                    ]
                    for i in several
                ),
            ],
        ),
        (
            "Replies of each kind.",
            [
                ["Model", *KINDS, "Total"],
                *(
                    [
                        MODELS[i],
                        *(
                            f"{a} ({b}%)"
                            for a, b in zip(v["replies"][i], v["percent"][i], strict=True)
                        ),
                        str(v["n"]),
                    ]
                    for i in several
                ),
            ],
        ),
        (
            "The judge against people.",
            [
                ["TP", "FP", "FN", "TN", "Precision", "Recall", "F1", "po", "pe", "κ"],
                [
                    str(v["tp"]),
                    str(v["fp"]),
                    str(v["fn"]),
                    str(v["tn"]),
                    v["precision"],
                    v["recall"],
                    v["f1"],
                    v["po"],
                    v["pe"],
                    v["kappa"],
                ],
            ],
        ),
    ]


def sentences(v: Mapping[str, Any]) -> list[str]:
    """Return the prose, one paragraph a string."""
    return [
        f"We asked five models {v['n']} questions each, with temperature T = 0.7 and top-p p = 0.9. "
        f"{v['best']} was right in {v['best_k']} of {v['n']} questions ({v['best_percent']}%).",
        f"Accuracy differed between models, χ2(4, N = {v['N']}) = {v['chi2']}, {v['chi2_p']}. "
        f"Politeness ratings were compared, F(4, {v['F_df']}) = {v['F']}, {v['F_p']} (see Table 2).",
        f"Longer replies were rated higher, r(58) = {v['r']}, {v['r_p']}. All models have F1 = .82 on dev. We used "
        "version 2.1 (see Smith et al., 2024, p. 12).",
    ]


def as_tex(v: Mapping[str, Any]) -> str:
    """Write a paper as LaTeX."""

    def cell(text: str) -> str:
        return text.replace("%", "\\%").replace("κ", "$\\kappa$").replace("χ2", "$\\chi^2$")

    parts = ["\\documentclass{article}", "\\begin{document}", "\\section{Results}"]
    for text in sentences(v):
        for name in ("t", "F", "r", "p"):
            text = text.replace(f" {name} = ", f" ${name}$ = ").replace(
                f" {name} < ", f" ${name} <$ "
            )
        parts += [cell(text), ""]
    for caption, rows in tables(v):
        head, *body = [" & ".join(map(cell, row)) + " \\\\" for row in rows]
        columns = "l" + "r" * (len(rows[0]) - 1)
        parts += [
            "\\begin{table}",
            f"\\caption{{{cell(caption)}}}",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            head,
            "\\midrule",
            *body,
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    return "\n".join([*parts, "\\end{document}", ""])


def as_md(v: Mapping[str, Any]) -> str:
    """Write a paper as Markdown."""
    parts = ["# Results", ""]
    for text in sentences(v):
        parts += [text.replace(" p = ", " *p* = ").replace(" t(", " *t*("), ""]
    for number, (caption, rows) in enumerate(tables(v), 1):
        head, *body = ["| " + " | ".join(row) + " |" for row in rows]
        parts += [f"Table {number}: {caption}", "", head, "|" + " --- |" * len(rows[0]), *body, ""]
    return "\n".join(parts)


def as_html(v: Mapping[str, Any]) -> str:
    """Write a paper as HTML."""
    parts = [
        "<!doctype html><meta charset='utf-8'><title>Results</title><style>td{padding:4px 12px}</style>"
    ]
    parts += [
        f"<p>{text.replace(' p < ', ' <i>p</i> &lt; ').replace('χ2', 'χ<sup>2</sup>')}</p>"
        for text in sentences(v)
    ]
    for number, (caption, rows) in enumerate(tables(v), 1):
        head, *body = [
            "".join(f"<{tag}>{text.replace('<', '&lt;')}</{tag}>" for text in row)
            for tag, row in zip(["th", *["td"] * len(rows)], rows, strict=False)
        ]
        parts += [
            f"<table><caption>Table {number}. {caption}</caption><thead><tr>{head}</tr></thead><tbody>",
            *(f"<tr>{row}</tr>" for row in body),
            "</tbody></table>",
        ]
    return "\n".join(parts)


FORMATS = {"tex": as_tex, "md": as_md, "html": as_html}


def planted(v: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the numbers with one of them wrong."""
    wrong = {
        key: [[*x] if isinstance(x, list) else x for x in value]
        if isinstance(value, list)
        else value
        for key, value in v.items()
    }
    up = {
        "accuracy": lambda: wrong["accuracy"].__setitem__(
            2, f"{float(v['accuracy'][2]) + 2.5:.1f}"
        ),
        "correct": lambda: wrong["correct"].__setitem__(1, str(int(v["correct"][1]) + 9)),
        "interval": lambda: wrong["high"].__setitem__(0, f"{float(v['high'][0]) + 4:.1f}"),
        "welch": lambda: wrong["t"].__setitem__(3, f"{float(v['t'][3]) + 1.2:.2f}"),
        "p": lambda: wrong["p"].__setitem__(4, "0.310" if v["p"][4] == "<.001" else "<.001"),
        "percent": lambda: wrong["percent"][1].__setitem__(
            0, f"{float(v['percent'][1][0]) + 3:.1f}"
        ),
        "replies": lambda: wrong["replies"][2].__setitem__(1, str(int(v["replies"][2][1]) + 11)),
        "f1": lambda: wrong.update(f1=f"{float(v['f1']) - 0.08:.3f}"),
        "kappa": lambda: wrong.update(kappa=f"{float(v['kappa']) + 0.11:.3f}"),
        "chi2": lambda: wrong.update(
            chi2=f"{2.5 if 'p < .001' in v['chi2_p'] else float(v['chi2']) + 20:.2f}"
        ),
        "F": lambda: wrong.update(F=f"{float(v['F']) + 9:.2f}" if "<" not in v["F_p"] else "1.10"),
        "r": lambda: wrong.update(r_p="p = .041" if v["r_p"] != "p = .041" else "p < .001"),
        "best": lambda: wrong.update(best_percent=f"{float(v['best_percent']) + 3:.1f}"),
    }
    up[name]()
    return wrong


PLANTED = (
    "accuracy",
    "correct",
    "interval",
    "welch",
    "p",
    "percent",
    "replies",
    "f1",
    "kappa",
    "chi2",
    "F",
    "r",
    "best",
)
