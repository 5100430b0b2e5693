"""verify() alone notices a wrong formula: one place of a model is changed, and the result no longer verifies."""

from __future__ import annotations
import __future__

import importlib
import inspect
from types import CodeType
from typing import Any

import pytest

from tests.contracts.subjects import run, subject_of

# what is changed: function, the text of its formula and what it becomes, a metric that uses it, and its options
MUTATIONS: dict[str, tuple[str, str, str, str, dict[str, Any]]] = {
    "CR2 without leverage": (
        "inference.means:ColumnSums.errors",
        "e**2 / copies / remainder",
        "e**2 / copies",
        "win_rates",
        {},
    ),
    "Satterthwaite's sign": (
        "inference.means:ColumnSums.errors",
        "- (r_squares",
        "+ (r_squares",
        "krippendorff_alpha",
        {},
    ),
    "two factors: sign of the overlap": (
        "inference.means:_cross_errors",
        "second.variance - overlap",
        "second.variance + overlap",
        "win_rates",
        {"cluster": ("worker", "pair")},
    ),
    "Cochran's weights": (
        "inference.intervals:cochran_df",
        "sum(v for v, _ in parts)",
        "sum(1.1 * v for v, _ in parts)",
        "relationship_bias",
        {},
    ),
    "Wilson's denominator": (
        "inference.proportions:wilson",
        "(p + share / 2) / (1 + share)",
        "(p + share / 2) / (1 + 2 * share)",
        "win_rates",
        {},
    ),
    "a tie counts 0.4": (
        "choices.conditions:first_scores",
        "0.5",
        "0.4",
        "win_rates",
        {},
    ),
    "noise of S over n": (
        "choices.conditions:sensitivity_terms",
        "n, 2.0) - 1)",
        "n, 2.0))",
        "sensitivity",
        {},
    ),
    "centre of S's basic interval": (
        "resampling.intervals:basic",
        "if centre is None else",
        "if True else",
        "sensitivity",
        {"ci": "basic"},
    ),
    "Miller-Madow's half": (
        "choices.choice_entropy:miller_madow",
        "1 / (2 * n)",
        "1 / n",
        "choice_entropy",
        {},
    ),
    "Davidson's tie": (
        "choices.bradley_terry.likelihoods:Davidson.curvature",
        "0.25 * pt",
        "0.2 * pt",
        "bradley_terry",
        {"cluster": None},
    ),
    "Jensen-Shannon's jackknife": (
        "shares.divergence:one_factor_moments",
        "(groups - 1) / groups * apart",
        "(groups - 2) / groups * apart",
        "js_similarity",
        {},
    ),
    "order statistic of B": (
        "resampling.intervals:order_quantile",
        "(b + 1) * alpha",
        "(b - 3) * alpha",
        "weighted_kappa",
        {"ci": "percentile"},
    ),
    "Fisher's z: the slope": (
        "inference.infer:_closed_interval",
        "/ (1 - value**2)",
        "/ (1 - value)",
        "weighted_kappa",
        {},
    ),
    "alpha's n - 1": (
        "agreement.krippendorff_alpha:AlphaSums.alpha",
        "(n - 1)",
        "n",
        "krippendorff_alpha",
        {},
    ),
    "Gwet's chance": (
        "agreement.gwet_ac:random_ratings",
        "(q * (q - 1))",
        "(q * q)",
        "gwet_ac",
        {},
    ),
    "Gwet's linearised 2": (
        "agreement.chance_corrected:ChanceAgreement.coefficient",
        "- 2 * (1 - value)",
        "- 1 * (1 - value)",
        "fleiss_kappa",
        {},
    ),
    "mid-p's half": (
        "paired.matched_pairs:mid_p",
        "end - 1, n)",
        "end, n)",
        "mcnemar",
        {"cluster": None},
    ),
    "Tango's sign": (
        "inference.paired_score:variance_under",
        "(2 * n - b + c) * delta",
        "(2 * n + b - c) * delta",
        "mcnemar",
        {"cluster": None},
    ),
    "d_z: root of n": (
        "paired.noncentral_t:d_z_interval",
        "high / math.sqrt(n)",
        "high / math.sqrt(n - 1)",
        "effect_sizes",
        {"cluster": None, "ci": "noncentral_t"},
    ),
    "Holm without steps": (
        "inference.adjusted_p:holm",
        "(m - np.arange(m))",
        "m",
        "leaderboard",
        {},
    ),
    "chi-square's degrees of freedom": (
        "shares.two_sources:pearson_chi_square",
        "table.sum(axis=0) > 0]\n    df = used.shape[1] - 1",
        "table.sum(axis=0) > 0]\n    df = used.shape[1]",
        "choice_shares",
        {},
    ),
    "effective trials": (
        "inference.means:effective_trials",
        "p * (1 - p), errors",
        "p * (1 - 0.9 * p), errors",
        "label_counts",
        {},
    ),
}


def mutate(monkeypatch: pytest.MonkeyPatch, where: str, old: str, new: str) -> None:
    """Compile a function from its module's source with one piece of text replaced, and let it run that."""
    name, _, path = where.partition(":")
    module = importlib.import_module(f"socialstats.{name}")
    function: Any = module
    for part in path.split("."):
        function = getattr(function, part)
    function = getattr(function, "__func__", function)
    text, whole = inspect.getsource(function), inspect.getsource(module)
    assert text.count(old) == 1, f"{text.count(old)} times in {where}: {old}"
    flags = __future__.annotations.compiler_flag
    code = compile(
        whole.replace(text, text.replace(old, new)),
        module.__file__ or "",
        "exec",
        flags,
        dont_inherit=True,
    )
    monkeypatch.setattr(function, "__code__", code_of(code, function.__qualname__))


def code_of(code: CodeType, name: str) -> CodeType:
    """Find the code of a function by its qualified name."""
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    for one in inner:
        if one.co_qualname == name:
            return one
        if name.startswith(f"{one.co_qualname}."):
            return code_of(one, name)
    raise LookupError(name)


@pytest.mark.parametrize("what", MUTATIONS)
@pytest.mark.slow
def test_a_wrong_formula_is_noticed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, old, new, metric, options = MUTATIONS[what]
    subject = subject_of(metric)
    design = subject.design(subject.rows())
    mutate(monkeypatch, where, old, new)
    found = run(metric, design, **options).verify()
    assert [check.quantity for check in found if check.ok is False], "not noticed"
