"""Comparisons whose winner is a probability: R's quasi-likelihood and sandwich, refusals, and drawn winners as a limit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from socialstats import Comparisons, bradley_terry
from socialstats.errors import InputError, UndefinedStatistic

GOLDEN = Path(__file__).parents[1] / "golden"
FROM_R = json.loads((GOLDEN / "probabilities.json").read_text())


def design(**options: Any) -> Comparisons:
    table = pd.read_csv(GOLDEN / "probabilities.csv")
    read = {"winner": "p", "winner_coding": "probability", "order": "first", **options}
    return Comparisons.from_frame(table, **read)


@pytest.mark.parametrize(("cluster", "key"), [((), "reply"), ("worker", "worker")])
def test_quasi_likelihood_has_the_numbers_of_glm_and_sandwich(cluster: Any, key: str) -> None:
    fit = bradley_terry(design(cluster=cluster), "~ urgency", order=True)
    for wanted in FROM_R[key]:
        first, minus, _ = wanted["term"].partition(" - ")
        row = fit.contrast(wanted["term"]).rows[0] if minus else fit.row(first)
        assert row.estimate == pytest.approx(wanted["estimate"], rel=1e-9, abs=1e-9)
        assert row.std_error == pytest.approx(wanted["std_error"], rel=1e-8)
        if row.df is not None and row.df < 50:  # from 50 on they are Kish's
            assert row.df == pytest.approx(wanted["df"], rel=1e-6)
    assert fit.crosscheck().ok


def test_added_terms_are_tested_by_robust_f_and_not_by_likelihood_ratio() -> None:
    small, large = (bradley_terry(design(cluster="worker"), formula, order=True) for formula in (None, "~ urgency"))
    robust, ratio = small.anova(large).rows
    wanted = FROM_R["urgency_by_worker"]
    assert robust.statistic == pytest.approx(wanted["F"], rel=1e-7)
    assert robust.p_value == pytest.approx(wanted["p"], rel=1e-6)
    assert ratio.p_value is None and "no likelihood ratio" not in str(ratio.statistic)
    assert ratio.undefined == "the winners are probabilities: a quasi-likelihood, which has no likelihood ratio"
