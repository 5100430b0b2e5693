"""Every metric, listed by name; adding one is one name here."""

import importlib
from collections.abc import Iterator, Mapping

from socialstats.registry import Metric

NAMES = (
    "bradley_terry",
    "win_rates",
    "group_win_rates",
    "sensitivity",
    "preference_shares",
    "choice_entropy",
    "paired_difference",
    "effect_sizes",
    "equivalence",
    "two_proportions",
    "two_means",
    "two_ordinal",
    "mcnemar",
    "symmetry",
    "cochran_q",
    "mean_ratings",
    "weighted_kappa",
    "percent_agreement",
    "flip_rate",
    "majority_vote_accuracy",
    "krippendorff_alpha",
    "gwet_ac",
    "fleiss_kappa",
    "spearman_rho",
    "judge_agreement",
    "ada_met",
    "js_similarity",
    "choice_shares",
    "multinomial_logit",
    "label_counts",
    "relationship_bias",
    "trait_profile",
    "paraphrase_spread",
    "leaderboard",
)


class Metrics(Mapping[str, Metric]):
    """Metrics by name. The file of each is loaded when somebody asks for it."""

    def __getitem__(self, name: str) -> Metric:
        """Return the entry of a metric."""
        if name not in NAMES:
            raise KeyError(name)
        entry: Metric = importlib.import_module(f"{__name__}.{name}").METRIC
        return entry

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, in the order of the documentation."""
        return iter(NAMES)

    def __len__(self) -> int:
        """Count the metrics."""
        return len(NAMES)


METRICS = Metrics()
