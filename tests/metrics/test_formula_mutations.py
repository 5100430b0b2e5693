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
        "models.clustered_mean:one_factor",
        '"CR2": 1 / (1 - share)', '"CR2": 1 / (1 - 0 * share)', "paired_difference", {},
    ),
    "Satterthwaite's sign": (
        "models.clustered_mean:one_factor", "- r @ r)", "+ r @ r)", "equivalence", {},
    ),
    "two factors: sign of the overlap": (
        "models.clustered_mean:two_factors", "parts[0] + parts[1] - parts[2]", "parts[0] + parts[1] + parts[2]",
        "relationship_bias", {},
    ),
    "Cochran's weights": (
        "models.intervals:cochran_df", "sum(v for v, _ in known)", "sum(1.1 * v for v, _ in known)",
        "relationship_bias", {},
    ),
    "Wilson's denominator": (
        "models.proportions:wilson", "/ (1 + share)\n    half", "/ (1 + 2 * share)\n    half", "win_rates", {},
    ),
    "a tie counts 0.4": (
        "models.conditions:scores", "0.5", "0.4", "win_rates", {},
    ),
    "noise of S over n": (
        "models.sensitivity_index:sensitivity_terms", "n, 2.0) - 1)", "n, 2.0))", "sensitivity", {},
    ),
    "centre of S's basic interval": (
        "resampling.intervals:basic", "if centre is None else", "if True else", "sensitivity", {},
    ),
    "Miller-Madow's half": (
        "models.entropy:miller_madow", "1 / (2 * n)", "1 / n", "choice_entropy", {},
    ),
    "Davidson's tie": (
        "models.bradley_terry.likelihoods:Davidson.curvature", "0.25 * (1 - pt)", "0.25 * (1 - 0.8 * pt)",
        "bradley_terry", {"cluster": None},
    ),
    "ADA-Met: P/(P - 1)": (
        "models.alignment_variance:Spread.of", "* raters / few", "", "ada_met", {},
    ),
    "scale of Jensen-Shannon's chi-square": (
        "models.noncentral_chi2:one_interval", "(4 * value)", "(2 * value)", "js_similarity", {},
    ),
    "order statistic of B": (
        "resampling.intervals:order_quantile", "(b + 1) * alpha", "(b - 3) * alpha",
        "weighted_kappa", {"ci": "percentile"},
    ),
    "Fisher's z: the slope": (
        "models.kappa:one_way", "g / (g - 1)", "1", "weighted_kappa", {},
    ),
    "alpha's n - 1": (
        "models.coincidences:AlphaSums.alpha", "(n - 1)", "n", "krippendorff_alpha", {},
    ),
    "Gwet's chance": (
        "models.chance_agreement:ChanceAgreement.chance", "(q * (q - 1))", "(q * q)", "gwet_ac", {},
    ),
    "Gwet's linearised 2": (
        "models.chance_agreement:ChanceAgreement.linear_values", "own - 2 *", "own - 1 *", "fleiss_kappa", {},
    ),
    "mid-p's half": (
        "models.mcnemar:mid_p", "least - 1, n)", "least, n)", "mcnemar", {"cluster": None},
    ),
    "Tango's sign": (
        "models.paired_proportions:_score_variance", "- cells.b + cells.c) * delta",
        "+ cells.b - cells.c) * delta", "mcnemar",
        {"cluster": None},
    ),
    "d_z: root of n": (
        "models.noncentral_t:d_z_interval", "high / math.sqrt(n)", "high / math.sqrt(n - 1)", "effect_sizes",
        {"cluster": None},
    ),
    "Holm without steps": (
        "models.intervals:holm", "(m - np.arange(m))", "m", "leaderboard", {},
    ),
    "folded normal": (
        "models.couples:folded_mean", "(1 - 2 * ndtr(-z))", "(1 - ndtr(-z))", "relationship_bias", {},
    ),
    "chi-square's degrees of freedom": (
        "models.choice_tables:chi_square", "table.sum(axis=0) > 0]\n    df = used.shape[1] - 1",
        "table.sum(axis=0) > 0]\n    df = used.shape[1]", "choice_shares", {},
    ),
    "effective trials": (
        "models.proportions:effective_trials", "p * (1 - p) / variance", "p * (1 - p) / (1.1 * variance)",
        "label_counts", {},
    ),
}  # fmt: skip


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
    code = compile(whole.replace(text, text.replace(old, new)), module.__file__ or "", "exec", flags, dont_inherit=True)
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
def test_a_wrong_formula_is_noticed(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, old, new, metric, options = MUTATIONS[what]
    subject = subject_of(metric)
    design = subject.design(subject.rows())
    mutate(monkeypatch, where, old, new)
    found = run(metric, design, **options).verify()
    assert [check.quantity for check in found if check.ok is False], "not noticed"
