# Trait scores of staged role play: makes trait_scores.csv (seeded, 7 scenarios) and traits.json.
# Run in tests/golden: Rscript traits.R      (needs jsonlite)
library(jsonlite)

set.seed(41)
z <- expand.grid(judge = c("j1", "j2", "j3"), wording = 1:3, stage = c("baseline", "first", "last"),
                 scenario = letters[1:7], model = c("left", "right"), stringsAsFactors = FALSE)
w <- c(caring = 2, open = 3, strict = -4, wary = -1)
answer <- with(z, paste(model, scenario, stage, wording))
lean <- c(left = 1.5, right = -0.5)[z$model] + 0.8 * c(baseline = 0, first = 1, last = 0.4)[z$stage] +
  rnorm(7)[match(z$scenario, letters)] + 0.3 * match(z$judge, c("j1", "j2", "j3")) +
  (setNames(rnorm(length(unique(answer))), unique(answer)) * 1)[answer] * c(baseline = .3, first = 1, last = .5)[z$stage]
for (t in names(w)) z[[t]] <- pmin(20, pmax(0, round(12 + 2 * sign(w[t]) * lean + rnorm(nrow(z)))))
write.csv(z[c("model", "scenario", "stage", "wording", "judge", names(w))], "trait_scores.csv", row.names = FALSE,
          quote = FALSE)

z <- read.csv("trait_scores.csv")
z$y <- as.vector((as.matrix(z[names(w)]) - 10) %*% w)
ncp_ends <- function(t, df) sapply(c(.975, .025), function(share) uniroot(
  function(ncp) pt(t, df, ncp) - share, t + c(-1, 1) * 6 * (1 + abs(t)), tol = 1e-13)$root)
tested <- function(x) {
  tt <- t.test(x)
  list(estimate = mean(x), std_error = sd(x) / sqrt(length(x)), conf_low = tt$conf.int[1], conf_high = tt$conf.int[2],
       statistic = unname(tt$statistic), df = unname(tt$parameter), p_value = tt$p.value, n = length(x),
       d_z = mean(x) / sd(x), d_z_ends = outer_ends(x, ncp_ends(unname(tt$statistic), length(x) - 1) / sqrt(length(x))))
}
outer_ends <- function(x, ncp) {  # of the noncentral t and of the jackknife t, df from the kurtosis of the influences
  n <- length(x); left <- sapply(seq_len(n), function(k) mean(x[-k]) / sd(x[-k])); d <- left - mean(left)
  df <- min(max(1 / (1 / (n - 1) + (mean(d^4) / mean(d^2)^2 - 3) / (2 * n)), 1), n - 1)
  around <- mean(x) / sd(x) + c(-1, 1) * qt(.975, df) * sqrt((n - 1) / n * sum(d^2))
  size <- mean(x) / sd(x); inner <- if (size > 0) 1 else 2  # an end beyond 0 on the log scale, where t excludes 0
  full <- n >= 3 && all(is.finite(left))
  if (full && size * ncp[inner] > 0 && size * around[inner] <= 0) around[inner] <- size * exp(around[inner] / size - 1)
  if (!full) ncp else c(min(ncp[1], around[1]), max(ncp[2], around[2]))
}

# composites: wordings and judges averaged, then stages
cell <- aggregate(y ~ model + scenario + stage, z, mean)
course <- aggregate(y ~ model + scenario, cell, mean)
of <- function(d, ...) { d <- d[order(d$scenario), ]; for (v in names(list(...))) d <- d[d[[v]] == list(...)[[v]], ]; d$y }
models <- c("left", "right"); stages <- c("first", "last")
composite <- lapply(setNames(models, models), function(m) tested(of(course, model = m)))
both <- tested((of(course, model = "left") + of(course, model = "right")) / 2)
change <- list()
for (s in stages) for (m in models)
  change[[paste(m, s)]] <- tested(of(cell, model = m, stage = s) - of(cell, model = m, stage = "baseline"))
p <- sapply(change, function(x) x$p_value)
holm <- as.list(p.adjust(p, "holm"))

# active traits: judges' mean, or each judge
score <- aggregate(z[names(w)], z[c("model", "scenario", "stage", "wording")], mean)
score$y <- rowSums(score[names(w)] >= 14 - 1e-9)
active <- aggregate(y ~ model + scenario, aggregate(y ~ model + scenario + stage, score, mean), mean)
each <- z; each$y <- rowSums(z[names(w)] >= 14)
each <- aggregate(y ~ model + scenario, aggregate(y ~ model + scenario + stage, each, mean), mean)

# judges: offsets, composites without one, both drawn (mean squares, Cochran's degrees of freedom)
by_judge <- aggregate(y ~ scenario + judge, aggregate(y ~ model + scenario + judge, z, mean), mean)
offset <- lapply(setNames(nm = c("j1", "j2", "j3")), function(j) tested(
  by_judge$y[by_judge$judge == j] - aggregate(y ~ scenario, by_judge, mean)$y))
without <- lapply(setNames(nm = c("j1", "j2", "j3")), function(j) tested(
  of(aggregate(y ~ model + scenario, z[z$judge != j, ], mean), model = "left")))
drawn <- function(d) {
  a <- anova(lm(y ~ scenario + judge, d)); m <- a[["Mean Sq"]]; v <- m[1] + m[2] - m[3]
  stopifnot(v >= m[1], v >= m[2])
  critical <- weighted.mean(qt(.975, a[["Df"]][1:2]), m[1:2])
  df <- uniroot(function(df) qt(.975, df) - critical, range(a[["Df"]][1:2]), tol = 1e-12)$root
  list(error = sqrt(v / nrow(d)), df = df)
}
left <- aggregate(y ~ scenario + judge, z[z$model == "left", ], mean)

# spread over wordings
answers <- aggregate(y ~ model + scenario + stage + wording, z, mean)
spread <- aggregate(y ~ model + scenario + stage, answers, sd)
by_scenario <- aggregate(y ~ scenario + stage, spread, mean)
d <- of(by_scenario, stage = "first") - of(by_scenario, stage = "last")
pairs <- merge(spread[spread$stage == "first", ], spread[spread$stage == "last", ], by = c("model", "scenario"))
gap <- pairs$y.x - pairs$y.y
ranks <- wilcox.test(d, alternative = "greater"); all_ranks <- wilcox.test(gap, alternative = "greater")
levels_ <- lapply(setNames(nm = c("baseline", stages)), function(s) tested(of(by_scenario, stage = s)))

# other weights: 20 % more on 'open', both sides rescaled to 5
u <- w; u["open"] <- 1.2 * u["open"]; u[u > 0] <- 5 * u[u > 0] / sum(u[u > 0])
more_open <- mean((as.matrix(z[z$model == "left", names(w)]) - 10) %*% u)

writeLines(toJSON(list(
  made_by = "traits.R", versions = list(R = R.version.string), rtol = 1e-9, weights = as.list(w), composite = composite,
  both = both, change = change, holm = holm, active = tested(of(active, model = "left")),
  active_each = tested(of(each, model = "left")), offset = offset, without = without, drawn = drawn(left),
  more_open = more_open, spread = levels_, spread_change = tested(d),
  wilcoxon = list(v = unname(ranks$statistic), p = ranks$p.value),
  spread_change_answers = tested(gap), wilcoxon_answers = list(v = unname(all_ranks$statistic), p = all_ranks$p.value)
), digits = NA, auto_unbox = TRUE, pretty = TRUE), "traits.json")
