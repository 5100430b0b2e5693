"""Differences of strengths and effects between two fits of the same pairs of items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg import block_diag

from socialstats.arrays import FloatArray
from socialstats.choices.bradley_terry.covariance import WhitenedRows
from socialstats.choices.bradley_terry.definition import TWO_MODELS
from socialstats.choices.bradley_terry.model import FitState, undefined_reason
from socialstats.choices.bradley_terry.result import BradleyTerryResult
from socialstats.choices.conditions import labels_of_pairs
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.errors import InputError
from socialstats.inference.dependence import cluster_cautions
from socialstats.inference.intervals import checked_level
from socialstats.inference.robust import Robust, cluster_robust
from socialstats.inference.rows import with_each_t
from socialstats.matching import match_keys, shared_codes
from socialstats.results import Result, Row
from socialstats.shares.counts import group_shares, share_gradient
from socialstats.text import count, listing, quoted


def bradley_terry_difference(
    first: BradleyTerryResult,
    second: BradleyTerryResult,
    *,
    labels: tuple[str, str] = ("first", "second"),
    groups: Mapping[str, Mapping[str, Any]] | None = None,
    level: float = 0.95,
) -> Result:
    """Estimate the differences of strengths and effects between two fits of the same pairs: first minus second.

    Both fits are one model with parameters of its own for each. Clusters are those of the fits, matched by their
    labels: what a cluster of both adds to both estimates is not independent. Clusters of one fit alone, such as its
    judges, add to its side only. Fits without clusters have the pairs of items as clusters, which are those of both.

    Parameters
    ----------
    first, second : BradleyTerryResult
        Of the same pairs of items, as ``bradley_terry`` makes them, with clusters of the same names.
    labels : pair of str
    groups : mapping of str to mapping of item to group, optional
        Groupings of the items: differences of the groups' shares (arithmetic mean of exp strength) too.
    level : float

    Returns
    -------
    Result
        Groups ``"effect"``, ``"strength"`` and ``"share"`` (delta method): CR2 errors, t with Satterthwaite's degrees
        of freedom. Two crossed clusters: the largest of V1, V2 and V1 + V2 - V12, with Cochran's.

    Raises
    ------
    InputError
        If the pairs of items, or the names of the clusters, are not the same.

    References
    ----------
    Bell, R. M., & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
    samples. Survey Methodology, 28(2), 169-181.
    Pustejovsky, J. E., & Tipton, E. (2018). doi:10.1080/07350015.2016.1247004

    Examples
    --------
    >>> from socialstats import bradley_terry
    >>> items = [(a, b) for a in "abcdefgh" for b in "abcdefgh" if a < b] * 4
    >>> pairs = {"item_a": [a for a, _ in items], "item_b": [b for _, b in items]}
    >>> one, two = (
    ...     bradley_terry(pairs | {"winner": [pair[k < 28 * n] for k, pair in enumerate(items)]}) for n in (1, 3)
    ... )
    >>> found = bradley_terry_difference(one, two)
    >>> round(found.row("a", group="strength").estimate, 3) == round(one.strengths["a"] - two.strengths["a"], 3)
    True
    """
    checked_level(level)
    shared = match_keys(*(labels_of_pairs(fit.design) for fit in (first, second)))
    if not shared.complete:
        raise InputError(
            "the two fits are of other pairs of items: fit both on the pairs that both have "
            f"({shared.text('pair', [quoted([label]) for label in labels])})"
        )
    # scores by cluster of both fits are joined, which those that stay with a table cannot be
    fits = first.in_memory(), second.in_memory()
    factors = [fit.fitted_state.factors or (fit.design.pair,) for fit in fits]
    names = [[factor.name for factor in factors_of_fit] for factors_of_fit in factors]
    if names[0] != names[1]:
        raise InputError(
            f"the two fits have other clusters, {listing(names[0])} and {listing(names[1])}: "
            "fit both with the same"
        )
    # numbers of one fit alone have no difference
    numbers = [compared_numbers(fit, groups or {}) for fit in fits]
    terms = match_keys(*numbers)
    if not terms.keys:
        raise InputError(
            "the two fits have no number in common: fit both with items or with the same covariates"
        )
    robust = joint_covariance(
        [fit.design for fit in fits], [fit.fitted_state for fit in fits], factors
    )
    compared = [(numbers[0][name], numbers[1][name]) for name in terms.keys]
    # (terms, parameters of the first fit and then of the second)
    gradient = np.array([np.concatenate([a.gradient, -b.gradient]) for a, b in compared])
    errors = robust.errors(gradient)
    state = replace(fits[0].fitted_state, robust=robust, factors=factors[0])
    why = [
        undefined_reason(state, errors, k) if refused else ""
        for k, refused in enumerate(errors.refused.tolist())
    ]
    clusters = []
    for n, factor, second_factor in zip(robust.n_clusters, *factors, strict=True):
        text = "pairs of items" if factor.name == "pair" else f"of {factor.name}"
        shared_levels = set(factor.levels) & set(second_factor.levels)
        clusters.append(f"{count(n)} {text}{'' if shared_levels else ', each in one of the two'}")
    rows = []
    for name, (a, b) in zip(terms.keys, compared, strict=True):
        row = Row(term=name, group=a.kind, role="difference", estimate=a.value - b.value)
        limits = (-1.0, 1.0) if a.kind == "share" else None
        rows.append(replace(row, n_clusters=min(robust.n_clusters), limits=limits))
    rows = with_each_t(rows, errors.std_error, errors.df, level, why)
    df = [row.df for row in rows if row.df is not None]
    df_name = "Satterthwaite" if len(robust.parts) == 1 else "Cochran"
    words = f"Differences of strengths and effects: {quoted(labels[:1])} minus {quoted(labels[1:])}"
    if not terms.complete:
        words += f" ({terms.text('number', [quoted([label]) for label in labels])})"
    n_pairs = len(first.design.pair.levels)
    cautions = cluster_cautions(fits[0].design, factors[0], df=df, rows=rows)
    title = f"Differences between two models: {labels[0]} minus {labels[1]}"
    inference = f"CR2, {df_name}'s df; clusters: {' x '.join(clusters)}"
    return Result(
        metric="bradley_terry",
        title=title,
        rows=tuple(rows),
        counts={"pairs": n_pairs},
        settings={"labels": labels, "level": level},
        inference=inference,
        cautions=cautions,
        references=("bellmccaffrey2002", "pustejovskytipton2018"),
        design=(first.design, second.design),
        words=f"{words}.",
        extras={"fits": (first, second)},
        check=TWO_MODELS,
    )


class ComparedNumber(NamedTuple):
    """A number of a fit, with its gradient in the parameters, (p,)."""

    kind: Literal["effect", "strength", "share"]
    value: float
    gradient: FloatArray


def compared_numbers(
    fit: BradleyTerryResult, groups: Mapping[str, Mapping[str, Any]]
) -> dict[str, ComparedNumber]:
    """Return effects, centred strengths and shares of groups by name."""
    beta = fit.fitted_state.fitted.beta
    items = fit.items
    coefficients = fit.coef()
    unit = np.eye(len(beta))
    effects = [name for name in fit.names if name not in items]
    numbers = {
        name: ComparedNumber("effect", coefficients[name], unit[len(items) + k])
        for k, name in enumerate(effects)
    }
    for k, item in enumerate(items):
        numbers[item] = ComparedNumber("strength", float(beta[k]), unit[k])
    for k, (name, group_of) in enumerate(groups.items()):
        grouped = [j for j, item in enumerate(items) if item in group_of]
        labels = sorted({str(group_of[items[j]]) for j in grouped})
        if len(labels) < 2:
            continue
        codes = np.array([labels.index(str(group_of[items[j]])) for j in grouped], dtype=np.int64)
        shares = group_shares(beta[None, grouped], codes, "arithmetic")[0]
        gradient = share_gradient(beta[grouped], codes, "arithmetic") @ unit[grouped]
        grouping = f" ({name})" if k else ""
        for g, label in enumerate(labels):
            share = ComparedNumber("share", float(shares[g]), gradient[g])
            numbers[f"share of {label}{grouping}"] = share
    return numbers


def joint_covariance(
    designs: list[Comparisons], states: list[FitState], factors: list[tuple[Factor, ...]]
) -> Robust:
    """Return the cluster-robust covariance of the parameters of both fits, the clusters matched by their labels."""
    joint = [
        shared_codes(*(factor.levels for factor in factor_pair))
        for factor_pair in zip(*factors, strict=True)
    ]
    blocks = []
    residuals = []
    codes_by_fit = []
    for j, (design, state, factors_of_fit) in enumerate(zip(designs, states, factors, strict=True)):
        codes = [by_fit[j][f.codes] for by_fit, f in zip(joint, factors_of_fit, strict=True)]
        whiten = WhitenedRows(state.data, state.model, state.fitted.beta)
        rows, resid, row_codes = whiten(np.arange(len(design.weight)), design.weight, codes)
        blocks.append(rows)
        residuals.append(resid)
        codes_by_fit.append(row_codes)
    clusters = [np.concatenate(pair) for pair in zip(*codes_by_fit, strict=True)]
    # as in one fit: the variance of a whitened residual, and the least one of drawn winners
    weight, square = (
        sum(float(getattr(d, name).sum()) for d in designs) for name in ("weight", "weight_sq")
    )
    bread = block_diag(*(state.fitted.covariance for state in states))
    return cluster_robust(
        sparse.csr_array(sparse.block_diag(blocks)),
        np.concatenate(residuals),
        clusters,
        bread,
        noise=square / weight,
        least=None if designs[0].replies is None else 0.0,
    )
