"""Rows of a trait profile under other sets of weights: each set, and the lowest and highest of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.inference.compare import HOLM, rows_with_holm
from socialstats.paired.unit_means import (
    UnitSample,
    sample_across_models,
    sample_mean_row,
    sample_of_model,
)
from socialstats.results import Row
from socialstats.scales.judge_zeros import JudgeZeros, by_judge
from socialstats.scales.profile_rows import (
    ALL,
    EQUAL_SET,
    PICKS,
    Profile,
    first_of,
    level_row,
    row_key,
    whole_course,
)
from socialstats.scales.trait_weights import weight_variants
from socialstats.scales.traits import score_scale
from socialstats.text import count


def weight_rows(profile: Profile) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """Rows of the composite under other weights, each with the difference to the composite under the weights given.

    The composite is linear in the scores, so every set of weights has its own interval. A difference of two sets is a
    composite too, paired within units of analysis.

    Returns
    -------
    rows : list of Row
        Of each model: equal weights, and the lowest and the highest of all sets, whose method names the set. The same
        minus the zero where control texts give it. Of all models (of the only one): every set of weights.
    values : dict of str to dict of str to float
        By set of weights: the composite of each model, or over the units of analysis.
    """
    answers, base_weights = profile.answers, profile.settings["weights"]
    sets = weight_variants(base_weights, free=score_scale(profile.settings) is None)
    base_array = np.array(list(base_weights.values()))
    scores = whole_course(answers.cells(answers.scores)) - profile.settings["centre"]
    # each model with its place and the end of its groups; all together where models are the units
    terms: list[tuple[str, int | None, str]] = [
        (model, k, "") for k, model in enumerate(answers.models)
    ]
    if not profile.by_model:
        terms = [("composite", None, f" {ALL}")]

    def sample(weights: FloatArray, k: int | None, zero: JudgeZeros | None = None) -> UnitSample:
        values, compared = scores @ weights, profile
        if zero is not None:  # control texts have a composite under every set of weights
            zero = zero.under(dict(zip(answers.traits, weights.tolist(), strict=True)))
            values, compared = values - by_judge(zero, answers.judges), profile.against(zero)
        return (
            sample_across_models(values, compared.how)
            if k is None
            else sample_of_model(values[k], compared.how)
        )

    def row(
        term: str,
        group: str,
        name: str,
        k: int | None,
        facts: dict[str, str],
        *,
        minus: bool = False,
        zero: JudgeZeros | None = None,
        make: Callable[..., Row] = level_row,
    ) -> Row:
        weights, role = (
            (sets[name] - base_array, "difference") if minus else (sets[name], "estimate")
        )
        key = row_key({"measure": "composite", "weights": name}, facts)
        return make(term, group, sample(weights, k, zero), role=role, key=key)

    rows: list[Row] = []
    # with one model its rows are those of all models
    k, end = (None, f" {ALL}") if profile.several else (0, "")
    if len(sets) > 1:
        rows += [row(name, f"other weights{end}", name, k, {"pick": "each"}) for name in sets]
        group, facts = f"other weights minus these{end}", {"pick": "each"}
        gaps = [row(name, group, name, k, facts, minus=True, make=sample_mean_row) for name in sets]
        rows += rows_with_holm(gaps, HOLM)
    values: dict[str, dict[str, float]] = {name: {} for name in sets}
    for zero in (None, profile.zero) if isinstance(profile.zero, JudgeZeros) else (None,):
        for term, k, end in terms:
            samples = {name: sample(weights, k, zero) for name, weights in sets.items()}
            means = {
                name: float(weight_row.means.mean())
                for name, weight_row in samples.items()
                if len(weight_row.unit)
            }
            picks = {"equal": EQUAL_SET} if EQUAL_SET in means else {}
            if len(means) > 1:
                picks |= {"lowest": first_of(means, -1), "highest": first_of(means, 1)}
            facts = {} if zero is None else {"against": "zero"}
            facts |= {} if k is None else {"model": term}
            # the lowest and the highest set of weights show how far the choice of weights matters
            for pick, name in picks.items():
                method = EQUAL_SET
                if pick != "equal":
                    method = f"{name}, of {count(len(means), 'set')} of weights"
                for minus in (False, True):
                    group = PICKS[pick] + " minus zero" * (zero is not None)
                    group += " minus these" * minus + end
                    weight_row = row(
                        term, group, name, k, {"pick": pick, **facts}, minus=minus, zero=zero
                    )
                    rows.append(replace(weight_row, method=f"{method}; {weight_row.method}"))
            for name, mean in means.items() if zero is None else ():
                values[name][term] = mean
    return rows, values
