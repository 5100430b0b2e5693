"""Every metric, listed by name with its subject; adding one is one line here."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from socialstats.errors import InputError
from socialstats.text import unknown

if TYPE_CHECKING:
    from socialstats.registry import Metric

# the metrics of each package, in the order of the documentation
SUBJECTS = {
    "choices": "bradley_terry win_rates group_win_rates sensitivity preference_shares choice_entropy",
    "paired": "paired_difference effect_sizes equivalence two_proportions two_means two_ordinal mcnemar symmetry "
    "cochran_q",
    "agreement": "weighted_kappa percent_agreement flip_rate majority_vote_accuracy krippendorff_alpha gwet_ac "
    "fleiss_kappa brennan_prediger "
    "spearman_rho icc",
    "shares": "js_similarity choice_shares multinomial_logit label_counts",
    "scales": "mean_ratings judge_agreement ada_met relationship_bias trait_profile paraphrase_spread leaderboard",
}
HOMES = {name: subject for subject, names in SUBJECTS.items() for name in names.split()}


class Metrics(Mapping[str, "Metric"]):
    """Metrics by name. The file of each is loaded when somebody asks for it."""

    def __getitem__(self, name: str) -> Metric:
        """Return the entry of a metric."""
        home = f"socialstats.{HOMES[name]}.{name}"
        entry: Metric = importlib.import_module(home).METRIC
        return entry

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order of the documentation."""
        return iter(HOMES)

    def __len__(self) -> int:
        """Count the metrics."""
        return len(HOMES)


METRICS = Metrics()


def lookup(name: str) -> Metric:
    """Return the entry of a metric.

    Raises
    ------
    InputError
        If no metric has this name; the message lists those there are.
    """
    if name not in METRICS:
        raise InputError(unknown("metric", name, METRICS))
    return METRICS[name]
