"""Every metric, listed by name; adding one is one line here."""

from socialstats.metrics import ada_met as _ada_met
from socialstats.metrics import bradley_terry as _bradley_terry
from socialstats.metrics import choice_entropy as _choice_entropy
from socialstats.metrics import choice_shares as _choice_shares
from socialstats.metrics import cochran_q as _cochran_q
from socialstats.metrics import effect_sizes as _effect_sizes
from socialstats.metrics import equivalence as _equivalence
from socialstats.metrics import fleiss_kappa as _fleiss_kappa
from socialstats.metrics import flip_rate as _flip_rate
from socialstats.metrics import group_win_rates as _group_win_rates
from socialstats.metrics import gwet_ac as _gwet_ac
from socialstats.metrics import js_similarity as _js_similarity
from socialstats.metrics import judge_agreement as _judge_agreement
from socialstats.metrics import krippendorff_alpha as _krippendorff_alpha
from socialstats.metrics import label_counts as _label_counts
from socialstats.metrics import leaderboard as _leaderboard
from socialstats.metrics import majority_vote_accuracy as _majority_vote_accuracy
from socialstats.metrics import mcnemar as _mcnemar
from socialstats.metrics import mean_ratings as _mean_ratings
from socialstats.metrics import multinomial_logit as _multinomial_logit
from socialstats.metrics import paired_difference as _paired_difference
from socialstats.metrics import paraphrase_spread as _paraphrase_spread
from socialstats.metrics import percent_agreement as _percent_agreement
from socialstats.metrics import preference_shares as _preference_shares
from socialstats.metrics import relationship_bias as _relationship_bias
from socialstats.metrics import sensitivity as _sensitivity
from socialstats.metrics import spearman_rho as _spearman_rho
from socialstats.metrics import symmetry as _symmetry
from socialstats.metrics import trait_profile as _trait_profile
from socialstats.metrics import two_means as _two_means
from socialstats.metrics import two_ordinal as _two_ordinal
from socialstats.metrics import two_proportions as _two_proportions
from socialstats.metrics import weighted_kappa as _weighted_kappa
from socialstats.metrics import win_rates as _win_rates
from socialstats.registry import Metric

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _bradley_terry.METRIC,
        _win_rates.METRIC,
        _group_win_rates.METRIC,
        _sensitivity.METRIC,
        _preference_shares.METRIC,
        _choice_entropy.METRIC,
        _paired_difference.METRIC,
        _effect_sizes.METRIC,
        _equivalence.METRIC,
        _two_proportions.METRIC,
        _two_means.METRIC,
        _two_ordinal.METRIC,
        _mcnemar.METRIC,
        _symmetry.METRIC,
        _cochran_q.METRIC,
        _mean_ratings.METRIC,
        _weighted_kappa.METRIC,
        _percent_agreement.METRIC,
        _flip_rate.METRIC,
        _majority_vote_accuracy.METRIC,
        _krippendorff_alpha.METRIC,
        _gwet_ac.METRIC,
        _fleiss_kappa.METRIC,
        _spearman_rho.METRIC,
        _judge_agreement.METRIC,
        _ada_met.METRIC,
        _js_similarity.METRIC,
        _choice_shares.METRIC,
        _multinomial_logit.METRIC,
        _label_counts.METRIC,
        _relationship_bias.METRIC,
        _trait_profile.METRIC,
        _paraphrase_spread.METRIC,
        _leaderboard.METRIC,
    )
}
