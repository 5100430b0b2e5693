"""A multinomial logit recomputed: one more step of Newton's method, and rows that are whitened by eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from socialstats.arrays import FloatArray, IntArray
from socialstats.crosscheck.pair_clusters import UNIT, eigen_directions, of_rows
from socialstats.crosscheck.row_arithmetic import label, relative, same_p, statistic_checks, t_ends
from socialstats.results import Check, Result, Row

MAXIMUM = "at a maximum a step of Newton's method leads nowhere"
CLUSTERS = "CR2, Satterthwaite's df and HTZ of whitened rows, cluster by cluster"
MOST_ROWS = 60_000
SMALL = 1e-6  # an F below it is rounding of coefficients that are 0


def checks_of(result: Result) -> list[Check]:
    """Compare coefficients, errors, df, ends, p and joint tests with those of the raw counts."""
    matrix = result.extras["matrix"]
    if len(matrix.x) > MOST_ROWS:
        return []
    rows = [row for row in result.rows if row.role != "test"]
    beta, bread = stepped(matrix, np.array([row.estimate for row in rows], dtype=np.float64))
    f, e, owner = whitened(matrix, beta)
    codes = np.unique(matrix.codes, return_inverse=True)[1][owner]
    errors, dfs = of_rows(f, e, [codes], bread, 1.0)(np.eye(len(beta)))
    checks: list[Check] = []
    for k, row in enumerate(rows):
        checks.append(
            relative(
                label(row, "estimate"),
                row.estimate,
                float(beta[k]),
                "numpy",
                MAXIMUM,
                1e-5,
                size=1.0,
            )
        )
        if row.std_error is None:
            continue
        df = float(dfs[k])
        checks.append(
            relative(label(row, "s.e."), row.std_error, float(errors[k]), "numpy", CLUSTERS, 1e-5)
        )
        checks.append(relative(label(row, "df"), row.df, df, "numpy", CLUSTERS, 1e-4))
        checks += statistic_checks(row, df=row.df) + t_ends(
            row, row.conf_level or 0.95, row.df or df
        )
    for row in result.rows:
        if row.role == "test" and row.statistic is not None:
            at = [k for k, one in enumerate(rows) if one.label("kind") == row.label("kind")]
            checks += test_checks(result, row, len(at), htz(f, e, codes, bread, beta, at))
    return checks


def test_checks(result: Result, row: Row, terms: int, wanted: tuple[float, float]) -> list[Check]:
    """Compare F, its degrees of freedom and p of a joint test."""
    from scipy.stats import f

    value, rest = wanted
    ours = result.extras["df_denominator"][row.label("kind")]
    return [
        relative(label(row, "F"), row.statistic, value, "numpy", CLUSTERS, 1e-4, size=SMALL),
        relative(label(row, "df"), row.df, float(terms), "numpy", CLUSTERS),
        relative(label(row, "df of the denominator"), ours, rest, "numpy", CLUSTERS, 1e-4),
        same_p(
            label(row, "p"), row.p_value, float(f.sf(value, terms, rest)), "scipy", CLUSTERS, 1e-3
        ),
    ]


def stepped(matrix: Any, beta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return coefficients after one more step, level by level, and the inverse information."""
    x, counts, p, weights = parts(matrix, beta)
    information = np.einsum("njk,na,nb->jakb", weights[:, 1:, 1:], x, x, optimize=True).reshape(
        len(beta), -1
    )
    score = np.einsum(
        "nj,na->ja", (counts - counts.sum(axis=1, keepdims=True) * p)[:, 1:], x
    ).ravel()
    bread: FloatArray = np.asarray(np.linalg.inv(information), dtype=np.float64)
    return beta + bread @ score, bread


def parts(matrix: Any, beta: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return columns, counts, the probabilities of all levels, and n (diag(p) - p p') of every row."""
    x, counts = matrix.x, matrix.counts
    odds = np.exp(np.column_stack([np.zeros(len(x)), x @ beta.reshape(-1, x.shape[1]).T]))
    p = odds / odds.sum(axis=1, keepdims=True)
    n = counts.sum(axis=1)[:, None, None]
    return x, counts, p, n * (p[:, :, None] * np.eye(p.shape[1]) - p[:, :, None] * p[:, None, :])


def whitened(matrix: Any, beta: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return rows, residuals and the table's row of each, by the eigenvectors of diag(p) - p p' of all levels.

    That matrix has one eigenvalue of 0. The first level has no coefficients: its columns are 0.
    """
    x, counts, p, weights = parts(matrix, beta)
    values, vectors = np.linalg.eigh(weights)
    root, v = np.sqrt(values[:, 1:]), vectors[:, :, 1:]
    rows = np.einsum("ns,njs,na->nsja", root, v[:, 1:], x, optimize=True).reshape(-1, len(beta))
    off = counts - counts.sum(axis=1, keepdims=True) * p
    residuals = (np.einsum("njs,nj->ns", v, off) / root).ravel()
    return rows, residuals, np.repeat(np.arange(len(x), dtype=np.int64), root.shape[1])


def htz(
    rows: FloatArray,
    e: FloatArray,
    codes: IntArray,
    bread: FloatArray,
    beta: FloatArray,
    at: list[int],
) -> tuple[float, float]:
    """Return F and the denominator's degrees of freedom of Pustejovsky and Tipton's (2018) HTZ test.

    With a_sg = (I - M_g)^-1/2 F_g B C' G^-1/2 u_s, G = C B C' and the rows (F_g' a_sg)' of Z_s, the products p_sg' p_th
    of columns of the residual-maker are N_st = D_st - Z_s B Z_t', D_st diagonal. Var(Omega_st) is the sum over g, h of
    (p_sg' p_th)(p_tg' p_sh) + (p_sg' p_sh)(p_tg' p_th), which is the sum of N_st times its transpose and of N_ss times
    N_tt, number by number.
    """
    turned, residual, values, owner = eigen_directions(rows, e, codes, bread)
    seen = values <= UNIT
    turned, residual, owner = turned[seen], residual[seen], owner[seen]
    scale = 1 / np.sqrt(1 - values[seen])
    k, groups = len(at), int(owner.max()) + 1
    size, root = np.linalg.eigh(bread[np.ix_(at, at)])
    a = scale[:, None] * (turned @ bread[:, at] @ (root / np.sqrt(size)) @ root.T)

    def by_cluster(numbers: FloatArray) -> FloatArray:
        out = np.zeros((groups, numbers.shape[1]))
        np.add.at(out, owner, numbers)
        return out

    z = [by_cluster(turned * a[:, [s]]) for s in range(k)]
    diagonal = [
        [by_cluster((a[:, s] * a[:, t])[:, None])[:, 0] for t in range(k)] for s in range(k)
    ]
    moved = [[((z[s] @ bread) * z[t]).sum(axis=1) for t in range(k)] for s in range(k)]
    total = 0.0
    for s in range(k):
        for t in range(k):
            d, away, across = diagonal[s][t], moved[s][t], bread @ z[t].T @ z[s]
            total += float(d @ d - 2 * d @ away + np.sum(across * across.T))
            alone = (
                diagonal[s][s] @ diagonal[t][t]
                - diagonal[s][s] @ moved[t][t]
                - diagonal[t][t] @ moved[s][s]
            )
            total += float(alone + np.sum((across @ bread) * (z[t].T @ z[s])))
    nu = k * (k + 1) / total
    sums = by_cluster(turned * (scale * residual)[:, None]) @ bread[:, at]
    wald = float(beta[at] @ np.linalg.solve(sums.T @ sums, beta[at]))
    return (nu - k + 1) / (nu * k) * wald, nu - k + 1
