# Made by generate.py from the docstrings of Python: do not edit.

trait_ratings <- function(data, traits, model = "model", scenario = "scenario",
  stage = NULL, wording = NULL, judge = "judge", cluster = c(), by = NULL,
  status = NULL, refusal = c(), na = c(), missing = "drop", source = "data frame")
  called("trait_ratings")

model_scores <- function(data, unit = NULL, rater = NULL, value = NULL, task = NULL,
  `repeat` = NULL, raters = NULL, by = NULL, cluster = c(), refusal = c(), na = c(),
  missing = "drop", source = "data frame") called("model_scores")

bradley_terry <- function(comparisons, formula = NULL, ..., ties = "auto",
  order = NULL, strengths = "free", cluster = "auto", vcov = "auto", penalty = NULL,
  prior = 0, components = "error", solver = "newton", reference = NULL, level = 0.95,
  by = "declared") called("bradley_terry")

bradley_terry_difference <- function(first, second, labels = c("first", "second"),
  groups = NULL, level = 0.95) called("bradley_terry_difference")

win_rates <- function(comparisons, covariate = "auto", ..., weights = "opponent",
  cluster = "auto", ci = "cluster", level = 0.95) called("win_rates")

win_rate_difference <- function(first, second, ..., labels = c("first", "second"),
  level = 0.95) called("win_rate_difference")

group_win_rates <- function(comparisons, groups, ..., cluster = "auto", level = 0.95)
  called("group_win_rates")

preference_shares <- function(fit, groups, ..., scale = "both",
  alternative = "two_sided", ci = "delta", by = "auto", ungrouped = "error",
  refits = NULL, resamples = 1000, seed = 0, level = 0.95) called("preference_shares")

sensitivity <- function(comparisons, covariate = "urgency", ..., weights = "opponent",
  cluster = "auto", resamples = 2000, seed = 0, ci = "jackknife", level = 0.95,
  groups = NULL) called("sensitivity")

sensitivity_difference <- function(first, second, covariate = "urgency", ...,
  labels = c("first", "second"), weights = "opponent", unmatched = "error",
  alternative = "two_sided", ci = "jackknife", resamples = 2000, seed = 0,
  level = 0.95) called("sensitivity_difference")

choice_entropy <- function(comparisons, ..., base = 2, cluster = "pair", level = 0.95)
  called("choice_entropy")

choice_entropy_difference <- function(first, second, ..., labels = c("first",
  "second"), base = 2, unmatched = "error", alternative = "two_sided", level = 0.95)
  called("choice_entropy_difference")

paired_difference <- function(paired, ..., null = 0, alternative = "two_sided",
  cluster = "declared", ci = "closed", level = 0.95, resamples = 2000, flips = 100000,
  seed = 0) called("paired_difference")

effect_sizes <- function(paired, ..., cluster = "declared", ci = "auto", level = 0.95,
  resamples = 2000, seed = 0) called("effect_sizes")

effect_sizes_from_summary <- function(n, t = NULL, mean = NULL, sd = NULL,
  sd_first = NULL, sd_second = NULL, r = NULL, level = 0.95)
  called("effect_sizes_from_summary")

equivalence <- function(paired, ..., low = NULL, high = NULL, margin = NULL,
  test = "equivalence", scale = "raw", cluster = "declared", level = 0.95)
  called("equivalence")

mcnemar <- function(paired, ..., test = "auto", alternative = "two_sided",
  odds_ratio_ci = "exact", difference_ci = "tango", cluster = "declared",
  level = 0.95) called("mcnemar")

symmetry <- function(paired, ..., cluster = "declared", level = 0.95)
  called("symmetry")

cochran_q <- function(ratings, ..., missing = "drop", cluster = "declared",
  level = 0.95) called("cochran_q")

flip_rate <- function(answers, ..., tolerance = 0, refusal = "missing", ci = "auto",
  cluster = "declared", level = 0.95, resamples = 2000, seed = 0) called("flip_rate")

relationship_bias <- function(ratings, ..., groups = NULL, scenario = "scenario",
  pair = "pair", group_first = "group_first", group_second = "group_second",
  answers = c(-1, 1), couples = "all", aggregate = "pooled", stratum = NULL,
  stratum_rows = "biases", ci = "closed", cluster = "declared", level = 0.95,
  resamples = 2000, seed = 0) called("relationship_bias")

two_proportions <- function(samples, ..., choice = NULL, alternative = "two_sided",
  cluster = "declared", level = 0.95) called("two_proportions")

two_means <- function(samples, ..., null = 0, alternative = "two_sided",
  cluster = "declared", level = 0.95) called("two_means")

two_ordinal <- function(samples, ..., alternative = "two_sided", cluster = "declared",
  level = 0.95) called("two_ordinal")

percent_agreement <- function(ratings, ..., tolerance = 0, pairs = "all",
  stratum = NULL, refusal = "missing", ci = "auto", cluster = "declared",
  level = 0.95, resamples = 2000, seed = 0) called("percent_agreement")

weighted_kappa <- function(ratings, ..., weights = "auto", kind = "agreement",
  pairs = "all", stratum = NULL, refusal = "missing", ci = "auto",
  cluster = "declared", on_undefined = "nan", level = 0.95, resamples = 2000,
  seed = 0) called("weighted_kappa")

kappa_quantiles <- function(kappa) called("kappa_quantiles")

fleiss_kappa <- function(ratings, ..., weights = "unweighted", kind = "agreement",
  refusal = "missing", raters = NULL, stratum = NULL, ci = "closed",
  cluster = "declared", on_undefined = "nan", level = 0.95, resamples = 2000,
  seed = 0) called("fleiss_kappa")

krippendorff_alpha <- function(ratings, ..., scale = NULL, refusal = "missing",
  raters = NULL, stratum = NULL, ci = "closed", cluster = "declared",
  on_undefined = "nan", level = 0.95, resamples = 2000, seed = 0)
  called("krippendorff_alpha")

gwet_ac <- function(ratings, ..., weights = "auto", kind = "agreement",
  refusal = "missing", raters = NULL, stratum = NULL, ci = "closed",
  cluster = "declared", on_undefined = "nan", level = 0.95, resamples = 2000,
  seed = 0) called("gwet_ac")

brennan_prediger <- function(ratings, ..., weights = "auto", kind = "agreement",
  refusal = "missing", raters = NULL, stratum = NULL, ci = "closed",
  cluster = "declared", on_undefined = "nan", level = 0.95, resamples = 2000,
  seed = 0) called("brennan_prediger")

icc <- function(ratings, ..., raters = NULL, ci = "generalized", cluster = "declared",
  level = 0.95) called("icc")

judge_agreement <- function(ratings, ..., reference = NULL, source = NULL,
  weights = "auto", kind = "agreement", cluster = "declared", level = 0.95)
  called("judge_agreement")

majority_vote_accuracy <- function(ratings, ..., truth = NULL, ties = "split",
  stratum = NULL, ci = "auto", cluster = "declared", level = 0.95, resamples = 2000,
  seed = 0) called("majority_vote_accuracy")

spearman_rho <- function(ratings, ..., raters = NULL, alternative = "two_sided",
  cluster = "declared", level = 0.95) called("spearman_rho")

ada_met <- function(ratings, ..., reference = NULL, source = "source", ties = "mean",
  refusal = "max", unparsed = "exclude", group = NULL, stratum = NULL, ci = "two_way",
  cluster = "declared", level = 0.95, resamples = 2000, seed = 0) called("ada_met")

js_similarity <- function(ratings, ..., reference = "human", source = NULL,
  cell = NULL, aggregate = "pooled", refusal = "missing", ci = NULL,
  permutations = 2000, splits = 200, cluster = "declared", people = "auto",
  level = 0.95, resamples = 2000, seed = 0) called("js_similarity")

choice_shares <- function(ratings, ..., source = NULL, reference = NULL,
  stratum = NULL, base = NULL, refusal = "missing", ci = "auto", permutations = 2000,
  cluster = "declared", people = "auto", level = 0.95, resamples = 2000, seed = 0)
  called("choice_shares")

reply_shares <- function(ratings, ..., source = NULL, stratum = NULL,
  cluster = "declared", people = "auto", level = 0.95) called("reply_shares")

label_counts <- function(data, ..., labels = NULL, unit = NULL, sep = NULL,
  group = NULL, levels = NULL, cluster = "declared", ci = "auto", level = 0.95,
  resamples = 2000, seed = 0) called("label_counts")

multinomial_logit <- function(ratings, ..., terms = NULL, level = 0.95)
  called("multinomial_logit")

changed_shares <- function(first, second, level = 0.95) called("changed_shares")

mean_ratings <- function(ratings, ..., cluster = "declared", people = "auto",
  level = 0.95) called("mean_ratings")

ratings_difference <- function(first, second, ..., labels = c("first", "second"),
  level = 0.95, resamples = 2000, seed = 0) called("ratings_difference")

leaderboard <- function(ratings, ..., task = "task", pooling = "tasks",
  cluster = "declared", level = 0.95) called("leaderboard")

trait_profile <- function(ratings, ..., weights = NULL, centre = 10,
  free_weights = FALSE, score_range = NULL, stages = NULL, baseline = NULL,
  unit_of_analysis = "scenario", judges = "fixed", zero = NULL, activation = 14,
  activated = "mean", entropy = NULL, changes = "baseline", interaction = NULL,
  trait_groups = NULL, limits = NULL, missing_trait = "error", model = "model",
  scenario = "scenario", stage = "stage", wording = NULL, trait = "trait",
  cluster = "declared", ci = "closed", level = 0.95, resamples = 2000, seed = 0)
  called("trait_profile")

judge_zeros <- function(controls, weights = NULL, centre = 10, free_weights = FALSE,
  score_range = NULL, texts = NULL, text = "scenario", trait = "trait")
  called("judge_zeros")

paraphrase_spread <- function(ratings, ..., wording = "wording", weights = NULL,
  centre = 10, free_weights = FALSE, score_range = NULL, stages = NULL, change = NULL,
  unit_of_analysis = "scenario", alternative = "greater", missing_trait = "error",
  model = "model", scenario = "scenario", stage = "stage", trait = "trait",
  cluster = "declared", ci = "closed", level = 0.95, resamples = 2000, seed = 0)
  called("paraphrase_spread")

changed_means <- function(first, second, level = 0.95) called("changed_means")

compare_models <- function(results, number = NULL, level = 0.95, average = FALSE)
  called("compare_models")

factors_of_models <- function(table, models) called("factors_of_models")

leave_one_out <- function(paired, cluster, lead = NULL) called("leave_one_out")

side_by_side <- function(results, names = NULL, terms = NULL, roles = c("estimate",
  "difference", "effect_size"), below = "interval", stars = FALSE, level = NULL,
  title = "") called("table")

power_paired_t <- function(n = NULL, effect = NULL, power = NULL, alpha = 0.05,
  alternative = "two_sided", by = "formula", simulations = 10000, seed = 0)
  called("power_paired_t")

power_mcnemar <- function(n = NULL, effect = NULL, power = NULL, discordant = NULL,
  alpha = 0.05, test = "mid_p", by = "formula", simulations = 10000, seed = 0)
  called("power_mcnemar")

power_clustered_mean <- function(clusters = NULL, effect = NULL, power = NULL,
  size = NULL, icc = NULL, sd = 1, sd_between = NULL, sd_within = NULL, alpha = 0.05,
  alternative = "two_sided", by = "formula", simulations = 10000, seed = 0)
  called("power_clustered_mean")

adjust <- function(results, method = "holm", family = NULL, terms = NULL,
  groups = NULL, covariance = NULL, replicates = NULL, level = 0.95, draws = 100000,
  seed = 0) called("adjust")
