"""socialstats: statistics with R's rigor for people who measure the social behaviour of language models.

Names are loaded when they are first used, so that ``import socialstats`` and the command line start at once.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from textwrap import fill, indent
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from socialstats import audit as audit
    from socialstats import claims as claims
    from socialstats import datasets as datasets
    from socialstats.agreement.brennan_prediger import brennan_prediger as brennan_prediger
    from socialstats.agreement.fleiss_kappa import fleiss_kappa as fleiss_kappa
    from socialstats.agreement.flip_rate import flip_rate as flip_rate
    from socialstats.agreement.gwet_ac import gwet_ac as gwet_ac
    from socialstats.agreement.icc import icc as icc
    from socialstats.agreement.kappa_quantiles import kappa_quantiles as kappa_quantiles
    from socialstats.agreement.krippendorff_alpha import krippendorff_alpha as krippendorff_alpha
    from socialstats.agreement.majority_vote_accuracy import (
        majority_vote_accuracy as majority_vote_accuracy,
    )
    from socialstats.agreement.percent_agreement import percent_agreement as percent_agreement
    from socialstats.agreement.spearman_rho import spearman_rho as spearman_rho
    from socialstats.agreement.weighted_kappa import weighted_kappa as weighted_kappa
    from socialstats.choices.bradley_terry import BradleyTerryResult as BradleyTerryResult
    from socialstats.choices.bradley_terry import bradley_terry as bradley_terry
    from socialstats.choices.bradley_terry import (
        bradley_terry_difference as bradley_terry_difference,
    )
    from socialstats.choices.choice_entropy import choice_entropy as choice_entropy
    from socialstats.choices.choice_entropy import (
        choice_entropy_difference as choice_entropy_difference,
    )
    from socialstats.choices.group_win_rates import group_win_rates as group_win_rates
    from socialstats.choices.preference_shares import preference_shares as preference_shares
    from socialstats.choices.sensitivity import sensitivity as sensitivity
    from socialstats.choices.sensitivity import sensitivity_difference as sensitivity_difference
    from socialstats.choices.win_rate_difference import win_rate_difference as win_rate_difference
    from socialstats.choices.win_rates import win_rates as win_rates
    from socialstats.cli.own_study import read_study as read_study
    from socialstats.custom.bootstrap import bootstrap as bootstrap
    from socialstats.custom.jackknife import jackknife as jackknife
    from socialstats.custom.multiverse import Variant as Variant
    from socialstats.custom.multiverse import leave_one_out as leave_one_out
    from socialstats.custom.multiverse import multiverse as multiverse
    from socialstats.custom.permute import permute as permute
    from socialstats.designs.comparisons import Comparisons as Comparisons
    from socialstats.designs.files import read_comparisons as read_comparisons
    from socialstats.designs.files import read_groups as read_groups
    from socialstats.designs.files import read_paired as read_paired
    from socialstats.designs.files import read_ratings as read_ratings
    from socialstats.designs.groups import Groups as Groups
    from socialstats.designs.label_lists import LabelLists as LabelLists
    from socialstats.designs.model_scores import model_scores as model_scores
    from socialstats.designs.paired import Paired as Paired
    from socialstats.designs.ratings import Ratings as Ratings
    from socialstats.designs.trait_ratings import trait_ratings as trait_ratings
    from socialstats.errors import Caution as Caution
    from socialstats.errors import DesignError as DesignError
    from socialstats.errors import InputError as InputError
    from socialstats.errors import MissingDependency as MissingDependency
    from socialstats.errors import MleDoesNotExist as MleDoesNotExist
    from socialstats.errors import NonConvergence as NonConvergence
    from socialstats.errors import NothingToAnalyse as NothingToAnalyse
    from socialstats.errors import NotIdentified as NotIdentified
    from socialstats.errors import SocialStatsError as SocialStatsError
    from socialstats.errors import UndefinedStatistic as UndefinedStatistic
    from socialstats.paired.cochran_q import cochran_q as cochran_q
    from socialstats.paired.effect_sizes import effect_sizes as effect_sizes
    from socialstats.paired.effect_sizes import (
        effect_sizes_from_summary as effect_sizes_from_summary,
    )
    from socialstats.paired.equivalence import equivalence as equivalence
    from socialstats.paired.mcnemar import mcnemar as mcnemar
    from socialstats.paired.paired_difference import paired_difference as paired_difference
    from socialstats.paired.symmetry import symmetry as symmetry
    from socialstats.paired.two_means import two_means as two_means
    from socialstats.paired.two_ordinal import two_ordinal as two_ordinal
    from socialstats.paired.two_proportions import two_proportions as two_proportions
    from socialstats.planning.adjusting import adjust as adjust
    from socialstats.planning.builders import design_items as design_items
    from socialstats.planning.plan import PlanResult as PlanResult
    from socialstats.planning.power import power_clustered_mean as power_clustered_mean
    from socialstats.planning.power import power_mcnemar as power_mcnemar
    from socialstats.planning.power import power_paired_t as power_paired_t
    from socialstats.results import Result as Result
    from socialstats.results import ResultGroup as ResultGroup
    from socialstats.results.side_by_side import ResultTable as ResultTable
    from socialstats.results.side_by_side import table as table
    from socialstats.scales.ada_met import ada_met as ada_met
    from socialstats.scales.board_ranks import LeaderboardResult as LeaderboardResult
    from socialstats.scales.compare_models import compare_models as compare_models
    from socialstats.scales.compare_models import factors_of_models as factors_of_models
    from socialstats.scales.judge_agreement import judge_agreement as judge_agreement
    from socialstats.scales.judge_zeros import judge_zeros as judge_zeros
    from socialstats.scales.leaderboard import leaderboard as leaderboard
    from socialstats.scales.mean_ratings import mean_ratings as mean_ratings
    from socialstats.scales.over_models import over_models as over_models
    from socialstats.scales.paraphrase_spread import paraphrase_spread as paraphrase_spread
    from socialstats.scales.ratings_difference import ratings_difference as ratings_difference
    from socialstats.scales.relationship_bias import relationship_bias as relationship_bias
    from socialstats.scales.rereading import changed_means as changed_means
    from socialstats.scales.rereading import changed_shares as changed_shares
    from socialstats.scales.trait_profile import trait_profile as trait_profile
    from socialstats.shares.choice_shares import choice_shares as choice_shares
    from socialstats.shares.js_similarity import js_similarity as js_similarity
    from socialstats.shares.label_counts import label_counts as label_counts
    from socialstats.shares.multinomial_logit import multinomial_logit as multinomial_logit
    from socialstats.shares.reply_shares import reply_shares as reply_shares
    from socialstats.studies import STUDIES as STUDIES
    from socialstats.tables.joining import join as join
    from socialstats.tables.joining import stack as stack

__version__ = "0.1.0"

# every public name, by job, and the module that it is loaded from; "": it is a module itself
_GROUPS = {
    "reading": (
        "what files, data frames and vectors become",
        {
            "designs.files": "read_comparisons read_paired read_groups read_ratings",
            "tables.joining": "join stack",
            "": "datasets",
        },
    ),
    "designs": (
        "a table, and which part each of its columns plays",
        {
            "designs.comparisons": "Comparisons",
            "designs.paired": "Paired",
            "designs.groups": "Groups",
            "designs.ratings": "Ratings",
            "designs.label_lists": "LabelLists",
            "designs.trait_ratings": "trait_ratings",
            "designs.model_scores": "model_scores",
        },
    ),
    "choices": (
        "which of two wins, and what decides it",
        {
            "choices.bradley_terry": "bradley_terry bradley_terry_difference",
            "choices.win_rates": "win_rates",
            "choices.win_rate_difference": "win_rate_difference",
            "choices.group_win_rates": "group_win_rates",
            "choices.preference_shares": "preference_shares",
            "choices.sensitivity": "sensitivity sensitivity_difference",
            "choices.choice_entropy": "choice_entropy choice_entropy_difference",
        },
    ),
    "pairs": (
        "two conditions on the same units, or two independent groups",
        {
            "paired.paired_difference": "paired_difference",
            "paired.effect_sizes": "effect_sizes effect_sizes_from_summary",
            "paired.equivalence": "equivalence",
            "paired.mcnemar": "mcnemar",
            "paired.symmetry": "symmetry",
            "paired.cochran_q": "cochran_q",
            "agreement.flip_rate": "flip_rate",
            "scales.relationship_bias": "relationship_bias",
            "paired.two_proportions": "two_proportions",
            "paired.two_means": "two_means",
            "paired.two_ordinal": "two_ordinal",
        },
    ),
    "agreement": (
        "raters with each other, or models with people",
        {
            "agreement.percent_agreement": "percent_agreement",
            "agreement.weighted_kappa": "weighted_kappa",
            "agreement.kappa_quantiles": "kappa_quantiles",
            "agreement.fleiss_kappa": "fleiss_kappa",
            "agreement.krippendorff_alpha": "krippendorff_alpha",
            "agreement.gwet_ac": "gwet_ac",
            "agreement.brennan_prediger": "brennan_prediger",
            "agreement.icc": "icc",
            "scales.judge_agreement": "judge_agreement",
            "agreement.majority_vote_accuracy": "majority_vote_accuracy",
            "agreement.spearman_rho": "spearman_rho",
            "scales.ada_met": "ada_met",
            "shares.js_similarity": "js_similarity",
        },
    ),
    "shares": (
        "how often each label is given",
        {
            "shares.choice_shares": "choice_shares",
            "shares.reply_shares": "reply_shares",
            "shares.label_counts": "label_counts",
            "shares.multinomial_logit": "multinomial_logit",
            "scales.rereading": "changed_shares",
        },
    ),
    "scales": (
        "means of ratings and scores",
        {
            "scales.mean_ratings": "mean_ratings",
            "scales.ratings_difference": "ratings_difference",
            "scales.leaderboard": "leaderboard",
            "scales.trait_profile": "trait_profile",
            "scales.judge_zeros": "judge_zeros",
            "scales.paraphrase_spread": "paraphrase_spread",
            "scales.rereading": "changed_means",
        },
    ),
    "models": (
        "results of several models or choices of analysis, side by side",
        {
            "scales.compare_models": "compare_models factors_of_models",
            "scales.over_models": "over_models",
            "custom.multiverse": "multiverse leave_one_out Variant",
            "results.side_by_side": "table",
        },
    ),
    "resampling": (
        "error, interval and p of a statistic of one's own",
        {
            "custom.bootstrap": "bootstrap",
            "custom.jackknife": "jackknife",
            "custom.permute": "permute",
        },
    ),
    "planning": (
        "sizes of studies, their items, families of tests",
        {
            "planning.power": "power_paired_t power_mcnemar power_clustered_mean",
            "planning.builders": "design_items",
            "planning.adjusting": "adjust",
        },
    ),
    "pages": (
        "reports, and numbers that others printed",
        {"studies": "STUDIES", "cli.own_study": "read_study", "": "audit claims"},
    ),
    "results": (
        "what these functions return",
        {
            "results": "Result ResultGroup",
            "results.side_by_side": "ResultTable",
            "planning.plan": "PlanResult",
            "choices.bradley_terry": "BradleyTerryResult",
            "scales.board_ranks": "LeaderboardResult",
        },
    ),
    "errors": (
        "what they raise or warn of",
        {
            "errors": "SocialStatsError InputError DesignError NothingToAnalyse MissingDependency UndefinedStatistic "
            "MleDoesNotExist NotIdentified NonConvergence Caution",
        },
    ),
}
# public name -> module of `socialstats` that has it; modules load at first use
_HOME = {
    name: module
    for _, homes in _GROUPS.values()
    for module, names in homes.items()
    for name in names.split()
}

# one list decides what is public: `import *`, `dir()` and the reference
__all__ = list(_HOME)


def _names_of_group(group: str) -> list[str]:
    """Return the public names of a group."""
    return [name for names in _GROUPS[group][1].values() for name in names.split()]


def _contents() -> str:
    """Return the public names by group, in lines."""
    return "\n\n".join(
        f"{group}: {about}\n{indent(fill(', '.join(_names_of_group(group)), 76), '    ')}"
        for group, (about, _) in _GROUPS.items()
    )


__doc__ = f"{__doc__}\nPublic names by job; help(socialstats.NAME) has an example of each.\n\n{_contents()}"


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        # an import of a module asks for its name first
        is_module = find_spec(f"socialstats.{name}") is not None
        hint = "" if name.startswith("_") or is_module else _hint(name)
        raise AttributeError(f"module 'socialstats' has no attribute '{name}'{hint}")
    module = importlib.import_module(f"socialstats.{_HOME[name] or name}")
    return getattr(module, name) if _HOME[name] else module


def _hint(name: str) -> str:
    """Return what a name that is not there means elsewhere, or the nearest that is."""
    from socialstats.elsewhere import here
    from socialstats.text import meant

    elsewhere = here(name)
    near = "" if elsewhere else meant(name, __all__).strip()
    return f"{elsewhere}. {near}" if near else elsewhere


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
