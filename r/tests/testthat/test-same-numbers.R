# Python reads its own copy of the same data, by its own names: no number of these tests passes through the bridge twice.

python_test("Bradley-Terry with order effect and clusters of pairs", {
  fit <- bradley_terry(example_data("baseball"), order = TRUE, cluster = "pair")
  expect_same_bits(fit, "fit = ss.bradley_terry(ss.datasets.baseball(), order=True, cluster='pair')")
})

python_test("Bradley-Terry of 13,914 choices with a covariate, by a formula", {
  fit <- bradley_terry(example_data("role_conflict"), ~ urgency, order = TRUE, cluster = "pair")
  expect_same_bits(fit, "fit = ss.bradley_terry(ss.datasets.role_conflict(), '~ urgency', order=True, cluster='pair')")
})

python_test("Davidson's ties", {
  fit <- bradley_terry(example_data("ice_hockey"), item_a = "visitor", item_b = "opponent")
  expect_same_bits(fit, "fit = ss.bradley_terry(ss.datasets.ice_hockey(), item_a='visitor', item_b='opponent')")
})

python_test("ranks, contrasts and all differences of a fit", {
  fit <- bradley_terry(example_data("baseball"))
  python <- "fit = ss.bradley_terry(ss.datasets.baseball())"
  expect_same_bits(fit$ranks(kind = "simultaneous"), paste(python, "fit = fit.ranks(kind='simultaneous')", sep = "\n"))
  expect_same_bits(fit$contrast("Boston - Detroit"), paste(python, "fit = fit.contrast('Boston - Detroit')", sep = "\n"))
  expect_same_bits(fit$pairwise(), paste(python, "fit = fit.pairwise()", sep = "\n"))
})

python_test("predict() and anova()", {
  python <- "fit = ss.bradley_terry(ss.datasets.baseball()); more = ss.bradley_terry(ss.datasets.baseball(), order=True)"
  fit <- bradley_terry(example_data("baseball"))
  more <- bradley_terry(example_data("baseball"), order = TRUE)
  expect_same_bits(predict(fit, "Boston", "Detroit"), paste(python, "fit = fit.predict('Boston', 'Detroit')", sep = "\n"))
  expect_same_bits(anova(more, fit), paste(python, "fit = more.anova(fit)", sep = "\n"))
})

python_test("win rates and sensitivity, with a bootstrap", {
  roles <- example_data("role_conflict")
  expect_same_bits(win_rates(roles), "fit = ss.win_rates(ss.datasets.role_conflict())")
  expect_same_bits(sensitivity(roles, ci = "basic", resamples = 200, seed = 3),
                   "fit = ss.sensitivity(ss.datasets.role_conflict(), ci='basic', resamples=200, seed=3)")
})

sleep_code <- "data = {'before': [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
        'after': [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]}"

python_test("pairs: difference, effect sizes, equivalence", {
  call <- function(name, more = "")
    paste0(sleep_code, "\nfit = ss.", name, "(data, first='after', second='before'", more, ")")
  expect_same_bits(paired_difference(sleep_pairs, first = "after", second = "before"), call("paired_difference"))
  expect_same_bits(effect_sizes(sleep_pairs, first = "after", second = "before"), call("effect_sizes"))
  expect_same_bits(equivalence(sleep_pairs, first = "after", second = "before", low = -0.5, high = 0.5),
                   call("equivalence", ", low=-0.5, high=0.5"))
})

python_test("McNemar's test of answers in clusters, of a long table", {
  long <- data.frame(story = rep(sprintf("s%02d", 1:24), each = 2), prompt = c("new", "old"),
                     topic = rep(c("a", "b", "c", "d", "e", "f"), each = 8),
                     right = c(1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1) == 1)
  code <- "
story = [f's{k:02d}' for k in range(1, 25) for _ in range(2)]
topic = [t for t in 'abcdef' for _ in range(8)]
right = [bool(x) for x in [1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1, 1, 1] * 3]
fit = ss.mcnemar({'story': story, 'prompt': ['new', 'old'] * 24, 'topic': topic, 'right': right},
    unit='story', condition='prompt', value='right', conditions=('new', 'old'), cluster='topic')"
  expect_same_bits(mcnemar(long, unit = "story", condition = "prompt", value = "right", conditions = c("new", "old"),
                           cluster = "topic"), code)
})

seen_code <- "
codes = [1, 1, 3, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3, 1, 1, 3, 1, 1, 3, 3, 2, 1, 2, 3]
data = {'unit': [f'u{k}' for k in range(1, 9)] * 3, 'rater': ['ann'] * 8 + ['bob'] * 8 + ['cid'] * 8,
        'value': [['low', 'medium', 'high'][k - 1] for k in codes]}
levels = ['low', 'medium', 'high']
"

python_test("agreement: alpha, kappa, AC, Fleiss' kappa, percent agreement", {
  call <- function(name) paste0(seen_code, "fit = ss.", name, "(data, levels=levels)")
  expect_same_bits(krippendorff_alpha(seen, levels = levels_seen), call("krippendorff_alpha"))
  expect_same_bits(weighted_kappa(seen, levels = levels_seen), call("weighted_kappa"))
  expect_same_bits(gwet_ac(seen, levels = levels_seen), call("gwet_ac"))
  expect_same_bits(fleiss_kappa(seen, levels = levels_seen), call("fleiss_kappa"))
  expect_same_bits(percent_agreement(seen, levels = levels_seen), call("percent_agreement"))
})

python_test("answers of people and models: shares with permutations, and distances", {
  norms <- example_data("social_norms")
  expect_same_bits(choice_shares(norms, source = "source", scale = "nominal", permutations = 100),
                   "fit = ss.choice_shares(ss.datasets.social_norms(), source='source', scale='nominal', permutations=100)")
  expect_same_bits(ada_met(norms, source = "source", levels = LETTERS[1:6]),
                   "fit = ss.ada_met(ss.datasets.social_norms(), source='source', levels=[*'ABCDEF'])")
})

python_test("plans: power and adjusted p", {
  expect_same_bits(power_mcnemar(n = 300, discordant = 0.3, effect = 0.1),
                   "fit = ss.power_mcnemar(n=300, discordant=0.3, effect=0.1)")
  expect_same_bits(adjust(c(0.01, 0.04, 0.03), method = "holm", family = "f"),
                   "fit = ss.adjust([0.01, 0.04, 0.03], method='holm', family='f')")
  expect_same_bits(effect_sizes_from_summary(t = 2.6, n = 8), "fit = ss.effect_sizes_from_summary(t=2.6, n=8)")
})

python_test("vcov() has the bits of Python, and its names", {
  fit <- bradley_terry(example_data("baseball"), order = TRUE)
  theirs <- reticulate::py_run_string("
import socialstats as ss
held = ss.bradley_terry(ss.datasets.baseball(), order=True).vcov()
names, hexes = list(held.index), [float(x).hex() for x in held.to_numpy().ravel(order='F')]")
  ours <- vcov(fit)
  expect_identical(dimnames(ours), list(theirs$names, theirs$names))
  expect_identical(as.vector(ours), as.numeric(theirs$hexes))
})

python_test("numbers of R arrive in Python with every bit", {
  values <- c(0.1, 1 / 3, .Machine$double.xmin, .Machine$double.xmax, -0.0, 2^53 + 2, 5e-324, pi)
  pairs <- data.frame(first = values, second = 0)
  back <- as.data.frame(paired(pairs, first = "first", second = "second"))
  expect_identical(sort(back$first), sort(values))
})
