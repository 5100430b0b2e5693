"""Sentences with test results, right and wrong, made from R's numbers; sentences that hold no test."""

from __future__ import annotations

import csv
import random
from pathlib import Path

GOLDEN = Path(__file__).parents[1] / "golden"
ROWS = list(
    csv.DictReader((GOLDEN / "test_sentences.csv").read_text(encoding="utf-8").splitlines())
)
FRAMES = (
    "The two prompts differed, {}.",
    "Larger models agreed more often with the user ({}).",
    "There was no clear trend over rounds: {}, which we had not expected.",
    "{}; see the appendix for the other judges.",
    "As predicted, the effect of framing was positive in study 2, {}, but small.",
    "Accuracy was higher with few-shot examples (M = 0.71, SD = 0.12) than without (M = 0.64, SD = 0.15), {}.",
    "We found, for GPT-4 at T = 0.7 (top_p = 0.9), that refusals depended on topic, {}, 95% CI [0.10, 0.52].",
)
APA = {
    "t": (
        "t({d}) = {x}, {p}",
        "t({d}) = {x}, SE = 0.13, {p}, d = 0.41",
        "t({d})={x}; {p}",
        "t ({d}) = {x}, {p}",
    ),
    "F": (
        "F({d1}, {d}) = {x}, {p}",
        "F({d1}, {d}) = {x}, MSE = 0.42, {p}, ηp² = .13",
        "F({d1},{d})={x}; {p}",
        "F({d1}, {d}) = {x} ({p}, partial η² = .08)",
    ),
    "chi2": (
        "χ2({d}, N = 190) = {x}, {p}",
        "χ²({d}) = {x}, {p}",
        "X2({d}, N = 1,190) = {x}, {p}",
        "chi2({d})={x}; {p}",
        "χ²({d}, n = 90) = {x}, {p}, V = .21",
        "chi-square({d}) = {x}, {p}",
    ),
    "z": ("z = {x}, {p}", "Z = {x}, {p}", "z={x}; {p}", "z = {x} ({p})"),
    "r": ("r({d}) = {x}, {p}", "r({d})={x}; {p}", "r ({d}) = {x}, 95% CI [-.02, .44], {p}"),
    "Q": ("Q({d}) = {x}, {p}", "Q({d})={x}; {p}, I² = 41%", "QE(df = {d}) = {x}, {p}"),
    "b": (
        "b = {b}, SE = {se}, t({d}) = {x}, {p}",
        "β = {b} (SE = {se}), t({d}) = {x}, {p}",
        "B = {b}, s.e. = {se}, t({d}) = {x}, {p}",
        "b = {b}, 95% CI [0.02, 9.10], SE = {se}, t({d}) = {x}, {p}",
    ),
}
PLAIN = {
    "t": (
        "t = {x}, df = {d}, {p}",
        "t-test: t{d}={x} ({p})",
        "t = {x} (df = {d}), {p}",
        "t[{d}] = {x}, {p}",
        "df = {d}, t = {x}, {p}",
        "{p}, t({d}) = {x}",
        "a paired t-test, t_{d} = {x}, {p}",
        "t(df = {d}) = {x}, {p}",
        "t = {x} with {d} degrees of freedom, {p}",
    ),
    "F": (
        "F = {x}, df = {d1}, {d}, {p}",
        "F[{d1}, {d}] = {x}, {p}",
        "F{d1},{d} = {x}, {p}",
        "F({d1}; {d}) = {x}; {p}",
        "F(df1 = {d1}, df2 = {d}) = {x}, {p}",
        "F({d1}/{d}) = {x}, {p}",
    ),
    "chi2": (
        "χ² = {x}, df = {d}, {p}",
        "chi-squared({d}) = {x} ({p})",
        "χ²₍{d}₎ = {x}, {p}",
        "$\\chi^2({d}, N = 190) = {x}$, ${p}$",
        "χ²_{d} = {x}, {p}",
    ),
    "z": ("a Wald test, z = {x}, {p}", "z-statistic = {x}, {p}", "*z* = {x}, {p}"),
    "r": (
        "r = {x}, n = {n}, {p}",
        "r = {x} (N = {n}), {p}",
        "r(df = {d}) = {x}, {p}",
        "r(n = {n}) = {x}, {p}",
    ),
    "Q": ("Q = {x}, df = {d}, {p}", "Q-between({d}) = {x}, {p}"),
    "b": (
        "b = {b} (SE = {se}, t({d}) = {x}, {p})",
        "coefficient = {b}, SE = {se}, t = {x}, df = {d}, {p}",
    ),
}
KINDS = {"welch": "t"}


def decimals(value: float, digits: int, *, bare: bool = False) -> str:
    """Write a number with so many decimals, without the leading zero where `bare`."""
    text = f"{value:.{digits}f}"
    return (
        text.replace("0.", ".", 1)
        if bare and abs(value) < 1 and text.lstrip("-").startswith("0.")
        else text
    )


def p_said(p: float, rng: random.Random, *, exact: bool = False) -> str:
    """Write a right p in one of the ways it is written."""
    bare, name = rng.random() < 0.7, rng.choice(("p", "p", "p", "P", "p-value"))
    space = rng.choice((" ", " ", " ", ""))
    bounds = [b for b in ("0.05", "0.01", "0.001", "0.0001") if p < float(b) * 0.98]
    if not exact and p > 0.052 and rng.random() < 0.25:
        return rng.choice((f"{name}{space}>{space}.05", "ns", "n.s.", "p = n.s."))
    if not exact and bounds and rng.random() < 0.35:
        bound = rng.choice(bounds)
        return f"{name}{space}{rng.choice(('<', '<', '≤'))}{space}{bound.lstrip('0') if bare else bound}"
    digits = rng.choice((2, 3, 3, 3, 4)) if not exact else 3
    if p < 5 * 10 ** -(digits + 1) and rng.random() < 0.8:
        return (
            rng.choice(
                (f"{name}{space}<{space}.001", f"p = {p:.1e}", f"p = {p * 10**5:.1f} × 10^-5")
            )
            if p < 0.001
            else f"{name} < .01"
        )
    return f"{name}{space}={space}{decimals(p, digits, bare=bare)}"


def result(
    row: dict[str, str], rng: random.Random, *, exact: bool = False, digits: int | None = None
) -> dict[str, str]:
    """Return the parts of a result as they are printed."""
    kind = KINDS.get(row["kind"], row["kind"])
    x, p = float(row["statistic"]), float(row["p"])
    digits = digits or (rng.choice((2, 2, 3)) if kind == "r" else rng.choice((1, 2, 2, 2, 3)))
    parts = {
        "kind": kind,
        "d": row["df2"],
        "d1": row["df1"],
        "x": decimals(x, digits, bare=kind == "r"),
        "p": p_said(p, rng, exact=exact),
    }
    if kind == "r":
        parts["n"] = str(int(row["df2"]) + 2)
    if kind == "b":
        parts |= {"b": f"{float(row['b']):.3g}", "se": f"{float(row['se']):.3g}"}
        if "e" in parts["b"] + parts["se"]:
            parts |= {"b": f"{float(row['b']):.4f}", "se": f"{float(row['se']):.4f}"}
    return parts


def dressed(text: str, rng: random.Random) -> str:
    """Change signs, spaces and line ends as typesetting does."""
    change = rng.randrange(7)
    if change == 0:
        return text.replace("= -", "= −").replace("=-", "=−")
    if change == 1:
        return text.replace(" = ", "\u2009=\u2009").replace(" < ", "\u202f<\u00a0")
    if change == 2:
        return text.replace(", p", ",\np").replace(" = -", " = – ")
    if change == 3:
        return text.replace("p = ", "p\n= ")
    return text


def german(text: str) -> str:
    """Write decimal commas, and semicolons between the parts."""
    import re

    return re.sub(r"(\d)?\.(\d)", r"\1,\2", text.replace(", ", "; "))


def right_sentences(count: int = 300, seed: int = 17) -> list[str]:
    """Return sentences with one or two right results."""
    rng = random.Random(seed)
    made = []
    for k in range(count):
        row = ROWS[k]
        parts = result(row, rng)
        forms = APA if k % 3 else PLAIN
        allowed = [f for f in forms[parts["kind"]] if "." not in parts["d"] or "{d}=" not in f]
        form = rng.choice(allowed)
        if (
            form.startswith("t-test: t{d}")
            or "t_{d}" in form
            or "F{d1}" in form
            or "χ²_{d}" in form
        ):
            parts["p"] = parts["p"] if parts["p"][0] in "pP" else "p > .05"
        text = form.format(**parts)
        if (
            k % 10 == 7
            and parts["kind"] in "tF"
            and form in APA[parts["kind"]]
            and "ns" not in parts["p"]
            and "n.s" not in parts["p"]
        ):
            text = german(form.format(**parts))
        elif k % 10 == 3:
            other = result(ROWS[k + 200], rng)
            text += rng.choice((", and ", "; ", ", unlike in study 1, ")) + APA[other["kind"]][
                0
            ].format(**other)
        if k % 11 == 5 and float(row["p"]) < 0.9 and parts["kind"] in ("t", "z"):
            half = {**parts, "p": f"p = {decimals(float(row['p']) / 2, 3, bare=True)}"}
            text = rng.choice(
                (
                    APA[parts["kind"]][0].format(**half) + ", one-tailed",
                    "one-sided " + APA[parts["kind"]][0].format(**half),
                )
            )
        made.append(dressed(rng.choice(FRAMES).format(text), rng))
    return made


def wrong_sentences(count: int = 200, seed: int = 29) -> list[tuple[str, str]]:
    """Return kinds of errors with sentences that have one."""
    rng = random.Random(seed)
    kinds = (
        "one digit of p",
        "p halved",
        "one digit of the statistic",
        "degrees of freedom",
        "p on the other side of .05",
        "b or its s.e.",
    )
    made: list[tuple[str, str]] = []
    rows = [row for row in ROWS if 0.002 < float(row["p"]) < 0.95]
    while len(made) < count:
        kind = kinds[len(made) % len(kinds)]
        row = rng.choice([r for r in rows if (r["kind"] == "b") == (kind == kinds[5])])
        parts = result(row, rng, exact=True, digits=2)
        p = float(row["p"])
        if kind == kinds[0]:
            k = rng.choice(
                [i for i, ch in enumerate(parts["p"]) if ch.isdigit() and i > parts["p"].index(".")]
            )
            parts["p"] = (
                parts["p"][:k]
                + rng.choice([ch for ch in "0123456789" if ch != parts["p"][k]])
                + parts["p"][k + 1 :]
            )
        elif kind == kinds[1]:
            if row["kind"] in ("F", "chi2", "Q"):
                continue
            parts["p"] = f"p = {decimals(p / 2, 3, bare=True)}"
        elif kind == kinds[2]:
            k = rng.choice([i for i, ch in enumerate(parts["x"]) if ch.isdigit()])
            parts["x"] = (
                parts["x"][:k]
                + rng.choice([ch for ch in "0123456789" if ch != parts["x"][k]])
                + parts["x"][k + 1 :]
            )
        elif kind == kinds[3]:
            if row["kind"] == "z" or int(float(row["df2"])) < 2:
                continue
            parts["d"] = str(max(1, round(float(row["df2"]) * rng.choice((0.5, 2, 10)))))
        elif kind == kinds[4]:
            parts["p"] = (
                rng.choice(("p < .05", "p < .01"))
                if p > 0.06
                else rng.choice(("p > .05", "ns"))
                if p < 0.04
                else ""
            )
        else:
            which = rng.choice(("b", "se"))
            k = rng.choice([i for i, ch in enumerate(parts[which]) if ch.isdigit()])
            parts[which] = (
                parts[which][:k]
                + rng.choice([ch for ch in "0123456789" if ch != parts[which][k]])
                + parts[which][k + 1 :]
            )
        if parts["p"]:
            made.append(
                (
                    kind,
                    rng.choice(FRAMES[:6]).format(rng.choice(APA[parts["kind"]]).format(**parts)),
                )
            )
    return made


NO_TESTS = tuple(
    line.strip()
    for line in r"""
We sampled with temperature T = 0.7, p = 0.9 and at most 256 tokens.
All replies used nucleus sampling (T = 0.7, top_p = 0.9, top_k = 50).
Decoding used temperature t = 0.75 and top-p p = 0.95.
Generation settings were t = 1.0, p = 0.95, k = 40.
The tuned model reached F1 = .82, p = 3 parameters were frozen.
Its macro F1 = 0.82, precision p = 0.79 and recall r = 0.85.
We report P = 0.79, R = 0.85 and F = 0.82 for the parser.
The LoRA adapters had rank r = 16, alpha = 32 and dropout p = 0.05.
LoRA with r = 8, p = 0.1 was enough.
The circle has radius r = 5 cm, p = 12 points lie on it.
The reply took t = 0.7 s, p = 0.9 was kept.
Scores were z-scored before the regression.
Features were chosen by chi2 feature selection with k = 20.
We used version t5-3b 2.10 and p5 0.047 of the package.
Let F(x) = 3 and p = 0.5 for every x.
The polynomial f(2, 3) = 5 has degree p = 2.
For the sequence F(3) = 2 holds, and F(4) = 3.
The score function s(t) = 0.5, p = 0.5 was used.
The Bayes factor BF10 = 3.20 favours the alternative.
A Bayes factor of 0.21 (BF01 = 4.8) speaks for the null.
The cost grows as n^2.10 with p = 8 workers.
With probability p = 0.05 a token was masked.
Each edge is drawn with p = .05, z = 3 neighbours each.
Let z = 0.7, p = 0.9 be the latent code.
The norm with p = 2 was used, z = 1.5.
Cronbach's alpha was .85, and Krippendorff's α = .67.
The learning rate was 3e-4, the batch size p = 64.
See p. 47 and t. 2 of the handbook.
Effects are given as Cohen's d = 0.41 and r = .34.
The correlation was r = .34 over all pairs.
The t statistic is the mean over its standard error.
Degrees of freedom were computed as n - 1, with n = 24.
Its R2 = .34, adjusted R2 = .31, RMSE = 0.42.
We set t(1) = 0, t(2) = 0.5 and t(3) = 1 as noise levels.
At t1 = 2.5 and t2 = 4.5 the surveys were held, p = 40 people each.
The Q1 = 4.3 and Q3 = 8.9 of the lengths, p = .5 being the median.
The Elo rating is 1000 + 400 log10(p / (1 - p)) with p = 0.64.
The win rate was p = 0.64 over 705 games.
In the prompt, {t} = 2 marks the turn.
The model was trained for t = 2000 steps with p = 0.1.
At diffusion step t = 10, p = 0.5 of the pixels are noise.
Perplexity fell to 12.10 at t = 3.5 hours, p = 1 GPU.
We ran pass@k with k = 10, n = 200, T = 0.8, p = 0.95.
Accuracies were p = .71 and p = .64.
The agreement po = .82 with pe = .51 gives kappa = .63.
The threshold was p < .05 for all tests.
We call results significant at the .05 level.
All p values are two-sided.
The power was .80 for d = 0.5 at α = .05.
Results are shown as M (SD): 3.96 (0.28).
The system has F = 3 heads, t = 4 layers and p = 12 million weights.
The entropy H(X) = 2.10 bits, p = .5.
Let X2 = 3.0 and p = .05 in equation 4.
The variable x2 = 1.20, p = 0.50 was dropped.
Then χ(G) = 4.00 is the chromatic number for p = .5.
χ2/df = 2.10, CFI = .95 and RMSEA = .047 show fit.
The score of item r12 = .34, p = .047 is in the matrix.
A Gaussian with z = 1.96 bounds 95% of the mass.
The 95% interval is the mean plus or minus z = 1.96 errors.
The critical value is t(23) = 2.07.
Under the null, F(3, 729) = 2.62 is the critical value.
The context was t = 0.50 of the window, the prompt p = 0.30.
The t-SNE plot used perplexity p = 30, z = 2 dimensions.
The exponents were r = 0.5, p = 2.0 and q = 3.
The Minkowski distance with p = 1.5, r = 0.5 is no metric.
The price was p = 0.03 dollars per request, t = 1.2 seconds.
A ratio of 2.10:0.047 was kept.
The file t23_2.10_p047.csv has the rows.
Section t(23) lists p and q.
HTTP/2.10 and TLS 1.3 were used at p = 443.
The regex t\(\d+\) = [\d.]+, p = [\d.]+ finds tests.
In code, t[23] = 2.10 sets an element, and p = 0 clears it.
Time T(28) = 2.20 hours, p = .03 dollars.
Run f1 = 0.91, t = 0.33, p = 0.75 had the best settings.
The decay is z(t) = 0.7 t, with p = 0.9.
Model sizes were 1.5B, 7B and 70B; r = 0.93 in size.
Vaccination coverage was P(A) = .71, P(B) = .64.
The odds were 2.10 to 1 (p = .68).
Retention r = 0.80 and turnover t = 0.20 with price p = 1.50 were assumed.
The grid had t = 0.10, 0.20, 0.30 and p = 0.25, 0.50, 0.75.
""".strip().splitlines()
)
