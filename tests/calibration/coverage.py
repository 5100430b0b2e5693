"""Which lines of docs/calibration.csv are about which public function, by kind of data.

`tests/contracts/test_calibrated.py` asks for an entry for every public function that gives an interval or a p-value.
A pattern is a regular expression that some line, written as ``study: setting, quantity``, must begin with.
"""

from __future__ import annotations

KINDS = ("yes or no", "skewed", "rare", "few clusters", "repeats", "people")

LINES: dict[str, dict[str, str]] = {
    "bradley_terry": {
        "yes or no": "Strengths: 65 items",
        "rare": "Strengths in thin designs, clustered by pair: 20 leaves",
        "few clusters": "Strengths of 12 items where few workers lean: 8 workers",
        "repeats": "Strengths: 65 items, 1,546 pairs x 9",
    },
    "win_rates": {
        "yes or no": "Conditional win rates: 65 items",
        "rare": "Pooled win rate of all items: .*p = 0.02",
        "few clusters": "Pooled win rate of all items: 4 ",
        "repeats": "Conditional win rates: 65 items",
    },
    "group_win_rates": {
        "yes or no": "group_win_rates: intervals: rate 0.5",
        "rare": "group_win_rates: intervals: rate 0.05",
        "few clusters": "group_win_rates: intervals: .*4 pairs",
        "repeats": "group_win_rates: intervals: .*10 times each",
    },
    "sensitivity": {
        "yes or no": "Sensitivity S: 65 items",
        "rare": "Sensitivity S: 65 items, pairs resampled: urgency, mostly",
        "few clusters": "Sensitivity S of few roles: 4 roles",
        "repeats": "Sensitivity S: 65 items",
    },
    "sensitivity_difference": {"yes or no": "Difference of S between two models"},
    "preference_shares": {
        "yes or no": "Preference shares of five domains",
        "rare": "Test of an equal preference share: one item stronger",
        "few clusters": "Test of an equal preference share: .*3 groups of 2 items",
        "repeats": "Preference shares of five domains",
    },
    "choice_entropy": {
        "yes or no": "choice_entropy: intervals: 8 items, 20 choices",
        "rare": "choice_entropy: intervals: 8 items, 4 choices",
        "few clusters": "choice_entropy: intervals: 4 items",
        "repeats": "choice_entropy: intervals: 8 items, 20 choices",
    },
    "choice_entropy_difference": {"yes or no": "Choice entropy: paired t"},
    "paired_difference": {
        "yes or no": "Paired yes/no answers",
        "skewed": "Means of few skewed values: lognormal",
        "rare": "Paired differences in clusters of five pairs: .*discordance 0.02",
        "few clusters": "Means in few clusters of five values: 8 clusters",
    },
    "effect_sizes": {
        "skewed": "Effect size d_z of few or skewed pairs: lognormal",
        "yes or no": "Effect size d_z of rounded differences",
        "few clusters": "effect_sizes: intervals: 8 clusters",
    },
    "effect_sizes_from_summary": {"skewed": "effect_sizes_from_summary: intervals: exponential"},
    "equivalence": {
        "yes or no": "Equivalence of yes-or-no values, at the margin: 30 pairs",
        "skewed": "Equivalence of numbers.*lognormal",
        "rare": "Equivalence of yes-or-no values.*discordance 0.06",
        "few clusters": "Equivalence of yes-or-no values, at the margin: 10 ",
    },
    "mcnemar": {
        "yes or no": "Paired yes/no answers",
        "rare": "Matched odds ratios in clusters of twenty pairs: .*discordance 0.05",
        "few clusters": "Matched odds ratios in clusters of twenty pairs: 5 ",
    },
    "symmetry": {
        "yes or no": "symmetry: intervals: even levels, 150 pairs",
        "rare": "symmetry: intervals: a rare level",
        "few clusters": "symmetry: tests of true null hypotheses: .*6 clusters",
    },
    "cochran_q": {
        "yes or no": "cochran_q: intervals: 0.5, 20",
        "rare": "cochran_q: intervals: 0.04",
        "few clusters": "cochran_q: tests of true null hypotheses: .*6 clusters",
    },
    "mean_ratings": {
        "yes or no": "mean_ratings: intervals: yes or no, .5",
        "skewed": "mean_ratings: intervals: lognormal",
        "rare": "mean_ratings: intervals: yes or no, .99",
        "few clusters": "mean_ratings: intervals: .*8 clusters",
        "repeats": "mean_ratings: intervals: .*rated five times",
        "people": "Mean ratings, people drawn: 5 people",
    },
    "weighted_kappa": {
        "yes or no": "Agreement, few clusters and few disagreements: .*two even levels.*kappa",
        "rare": "Quadratic kappa of two raters: 5 levels, most of them the lowest",
        "few clusters": "Agreement, few clusters and few disagreements: 5 clusters.*, kappa",
    },
    "percent_agreement": {
        "yes or no": "percent_agreement: intervals: right 0.8, 20",
        "rare": "percent_agreement: intervals: right 0.98",
        "few clusters": "percent_agreement: intervals: .*6 clusters",
    },
    "flip_rate": {
        "yes or no": "flip_rate: intervals: right 0.8, 20",
        "rare": "flip_rate: intervals: right 0.98",
        "few clusters": "flip_rate: intervals: .*6 clusters",
        "repeats": "flip_rate: intervals: right 0.8, 80",
    },
    "majority_vote_accuracy": {
        "yes or no": "majority_vote_accuracy: intervals: right 0.8, 20",
        "rare": "majority_vote_accuracy: intervals: right 0.98",
        "few clusters": "majority_vote_accuracy: intervals: .*6 clusters",
    },
    "krippendorff_alpha": {
        "yes or no": "Agreement, few clusters and few disagreements: .*two even levels.*alpha",
        "rare": "Ordinal alpha of three raters, a fifth missing: 5 levels, most of them the lowest",
        "few clusters": "Agreement, few clusters and few disagreements: 5 clusters.*, alpha",
    },
    "gwet_ac": {
        "yes or no": "Agreement, few clusters and few disagreements: .*two even levels.*Gwet",
        "rare": "Agreement, few clusters and few disagreements: .*a level of .9.*Gwet",
        "few clusters": "Agreement, few clusters and few disagreements: 5 clusters.*Gwet",
    },
    "fleiss_kappa": {
        "rare": "Agreement, few clusters and few disagreements: .*a level of .9.*Fleiss",
        "few clusters": "Agreement, few clusters and few disagreements: 5 clusters.*Fleiss",
    },
    "spearman_rho": {
        "yes or no": "Spearman's rho of two raters: 2 levels",
        "skewed": "Spearman's rho of two raters: 2 levels, .95",
        "rare": "Spearman's rho of two raters: 2 levels, .95",
        "few clusters": "Spearman's rho of two raters: .*6 clusters",
    },
    "brennan_prediger": {
        "yes or no": "brennan_prediger: intervals: right 0.8, 20",
        "rare": "brennan_prediger: intervals: right 0.98",
        "few clusters": "brennan_prediger: intervals: .*6 clusters",
    },
    "icc": {
        "skewed": "Intraclass correlation ICC.*exponential units",
        "few clusters": "Intraclass correlation ICC.*6 clusters",
    },
    "judge_agreement": {
        "rare": "judge_agreement: intervals: five levels, most of them the lowest",
        "few clusters": "judge_agreement: tests of true null hypotheses: .*6 clusters",
    },
    "ada_met": {
        "skewed": "ADA-Met: people and units resampled: .*pile up at both ends",
        "few clusters": "ada_met: intervals: 8 clusters",
        "repeats": "Repeated answers beside people: .*distance",
    },
    "js_similarity": {
        "rare": "Jensen-Shannon similarity of few ratings a unit: uneven",
        "few clusters": "js_similarity: intervals: 8 clusters",
        "repeats": "Jensen-Shannon similarity: 7 people, 5 runs",
        "people": "Shares and similarity, people drawn: .*5 people.*similarity",
    },
    "choice_shares": {
        "yes or no": "Shares in clusters of ten answers: .*p = 0.5",
        "rare": "Shares in clusters of ten answers: .*p = 0.02",
        "few clusters": "Shares of probabilities in clusters: 5 clusters",
        "repeats": "Choice shares: 7 people, 5 runs",
        "people": "Shares and similarity, people drawn: .*5 people.*share of people",
    },
    "multinomial_logit": {
        "yes or no": "multinomial_logit: .*2 actions",
        "rare": "multinomial_logit: .*one of them rare",
        "few clusters": "multinomial_logit: tests of true null hypotheses: 12 topics in 4 domains",
        "repeats": "multinomial_logit: intervals: 48 topics",
    },
    "label_counts": {
        "yes or no": "label_counts: intervals: 30 units, share of units, other labels",
        "rare": "label_counts: intervals: 30 units, share of units, rare label",
        "few clusters": "label_counts: intervals: 8 clusters",
    },
    "relationship_bias": {
        "yes or no": "Relationship bias: .*no bias",
        "rare": "Relationship bias: .*large biases",
        "few clusters": "Relationship bias: .*topics of 2 to 6 scenarios",
    },
    "trait_profile": {
        "skewed": "Composite of traits: .*skewed scenarios",
        "few clusters": "trait_profile: intervals: 8 clusters",
    },
    "paraphrase_spread": {
        "skewed": "paraphrase_spread: intervals: skewed spreads",
        "few clusters": "paraphrase_spread: intervals: 8 clusters",
    },
    "leaderboard": {
        "yes or no": "leaderboard: intervals: yes or no, .5",
        "skewed": "leaderboard: intervals: lognormal",
        "rare": "leaderboard: intervals: yes or no, .99",
        "few clusters": "leaderboard: tests of true null hypotheses: .*8 clusters",
    },
    "bradley_terry_difference": {
        "yes or no": "Two models compared: 20 items.*difference of strengths"
    },
    "win_rate_difference": {
        "yes or no": "Two models compared: 20 items.*how often an item is chosen"
    },
    "ratings_difference": {
        "repeats": "Two models compared: ratings of the same units, 3 runs each",
    },
    "compare_models": {
        "yes or no": "Six models compared.*S, ",
        "few clusters": "Six models compared.*12 clusters",
        "people": "Models compared by mean rating or similarity, people drawn: 5 people",
    },
    "over_models": {"skewed": "Groups of models with equal means, models as the sample: lognormal"},
    "reply_shares": {
        "yes or no": "reply_shares: intervals: 0.3 refused",
        "rare": "reply_shares: intervals: 0.03 refused",
        "few clusters": "reply_shares: intervals: .*8 clusters",
        "repeats": "reply_shares: intervals: .*asked 5 times",
        "people": "Refusals, people drawn: 5 people",
    },
    "two_proportions": {
        "yes or no": r"two_proportions: intervals: 0.5, 10 \+ 10 units",
        "rare": r"two_proportions: intervals: 0.02, 10 \+ 10 units",
        "few clusters": "two_proportions: intervals: 0.1, 6 clusters",
        "repeats": "two_proportions: intervals: .*3 answers each",
    },
    "two_means": {
        "skewed": r"two_means: intervals: lognormal, 10 \+ 10 units",
        "few clusters": "two_means: intervals: lognormal, 6 clusters",
    },
    "two_ordinal": {
        "skewed": "two_ordinal: intervals: five levels, most at the top, 10",
        "few clusters": "two_ordinal: intervals: five levels, 6 clusters",
    },
    "changed_shares": {
        "yes or no": "changed_shares: intervals: 0.3",
        "rare": "changed_shares: intervals: 0.02",
        "few clusters": "changed_shares: intervals: .*8 clusters",
        "repeats": "changed_shares: intervals: .*3 replies each",
    },
    "changed_means": {
        "skewed": "changed_means: intervals: 0.02",
        "rare": "changed_means: intervals: 0.02",
        "few clusters": "changed_means: intervals: .*8 clusters",
        "repeats": "changed_means: intervals: .*3 replies each",
    },
    "bootstrap": {
        "yes or no": "bootstrap, shares.*: yes or no, 0.5",
        "skewed": "bootstrap, lognormal numbers: intervals: lognormal, 20 rows",
        "rare": "bootstrap, shares.*: yes or no, 0.05",
        "few clusters": "bootstrap, lognormal numbers: intervals: lognormal, 6 clusters",
        "people": "bootstrap, shares.*: crossed, 12 units x 8 raters",
    },
    "jackknife": {
        "yes or no": "jackknife: intervals: yes or no, 0.5",
        "skewed": "jackknife: intervals: lognormal, 20 rows",
        "rare": "jackknife: intervals: yes or no, 0.05",
        "few clusters": "jackknife: intervals: lognormal, 6 clusters",
        "people": "jackknife: intervals: crossed, 12 units x 8 raters",
    },
    "permute": {
        "skewed": "permute: tests of true null hypotheses: lognormal",
        "few clusters": "permute: tests of true null hypotheses: .*8 clusters",
    },
}
# intervals and p-values of other results, which are passed on; no interval of their own
PASSED_ON = {
    "multiverse": "rows of results that were computed elsewhere",
    "table": "the same",
    "adjust": "p-values that were given",
}
