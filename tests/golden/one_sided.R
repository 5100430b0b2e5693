# One-sided tests of two groups, of pairs, of correlations and of contrasts: makes one_sided.json.
# Run in tests/golden: Rscript one_sided.R      (needs jsonlite, clubSandwich, multcomp, BradleyTerry2)
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich); library(multcomp); library(BradleyTerry2) })
SIDES <- c("greater", "less")
each <- function(f) setNames(lapply(SIDES, f), SIDES)
tail_of <- function(t, df, side) pt(t, df, lower.tail = side == "less")

# --- two shares: Fisher's exact tail; the ends of one-sided Wilson intervals, squared and added
wilson <- function(x, n, side) {  # its one end
  end <- as.numeric(prop.test(x, n, alternative = side, correct = FALSE)$conf.int)[if (side == "greater") 1 else 2]
  if (x == 0 && side == "greater") 0 else if (x == n && side == "less") 1 else end
}
shares <- function(x, n) {
  p <- x / n; d <- p[1] - p[2]
  low <- sapply(1:2, function(k) wilson(x[k], n[k], "greater")); high <- sapply(1:2, function(k) wilson(x[k], n[k], "less"))
  list(x = x, n = n, fisher = each(function(side) fisher.test(matrix(c(x, n - x), 2), alternative = side)$p.value),
       low = d - sqrt((p[1] - low[1])^2 + (high[2] - p[2])^2), high = d + sqrt((high[1] - p[1])^2 + (p[2] - low[2])^2))
}
tables <- list(shares(c(56, 48), c(70, 80)), shares(c(10, 0), c(10, 20)), shares(c(3, 9), c(10, 10)), shares(c(0, 0), c(10, 20)))

# --- shares in clusters that have units of both groups: CR2 of the difference
set.seed(37)
sizes <- c(3, 5, 2, 6, 4, 4, 7, 3, 5, 2); cluster <- rep(seq_along(sizes), sizes); n <- length(cluster)
group <- rep_len(c("a", "b"), n); value <- rbinom(n, 1, plogis(rnorm(10)[cluster] + (group == "a")))
found <- linear_contrast(lm(value ~ 0 + group), vcov = "CR2", cluster = cluster, contrasts = matrix(c(1, -1), 1),
                         test = "Satterthwaite")
clusters <- list(cluster = cluster, group = group, value = value, se = found$SE, df = found$df,
                 p = each(function(side) tail_of(found$Est / found$SE, found$df, side)),
                 low = found$Est - qt(.95, found$df) * found$SE, high = found$Est + qt(.95, found$df) * found$SE)

# --- rank sums: exact without ties, with ties over all choices, normal with continuity correction
ordinal <- function(x, y) {
  m <- length(x); k <- length(y); r <- rank(c(x, y)); rx <- rank(x); ry <- rank(y)
  theta <- (mean(r[1:m]) - mean(r[m + 1:k])) / (m + k) + .5
  s1 <- var(r[1:m] - rx); s2 <- var(r[m + 1:k] - ry)
  se <- sqrt(s1 / (m * k^2) + s2 / (k * m^2))
  df <- (m * s1 + k * s2)^2 / ((m * s1)^2 / (m - 1) + (k * s2)^2 / (k - 1))
  list(x = x, y = y, theta = theta, p = each(function(side) tail_of((theta - .5) / se, df, side)),
       low = theta - qt(.95, df) * se, high = theta + qt(.95, df) * se)
}
listed <- function(x, y) {
  r <- rank(c(x, y)); sums <- combn(length(r), length(x), function(k) sum(r[k])); w <- sum(r[seq_along(x)])
  list(greater = mean(sums >= w - 1e-9), less = mean(sums <= w + 1e-9))
}
likert_x <- c(1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1)  # pain scores of Brunner and Munzel (2000)
likert_y <- c(3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4)
free_x <- sleep$extra[sleep$group == 2] + 1:10 / 1e4; free_y <- sleep$extra[sleep$group == 1] + 1:10 / 2e4
rank_p <- function(x, y, exact) each(function(side) suppressWarnings(
  wilcox.test(x, y, alternative = side, exact = exact)$p.value))
ranks <- list(
  tied = c(ordinal(likert_x[8:14], likert_y[5:11]), ranks = list(listed(likert_x[8:14], likert_y[5:11]))),
  free = c(ordinal(free_x, free_y), ranks = list(rank_p(free_x, free_y, TRUE))),
  many = c(ordinal(rep(likert_x, 3), rep(likert_y, 3)), ranks = list(rank_p(rep(likert_x, 3), rep(likert_y, 3), FALSE))))

# --- McNemar: binomial tails, and roots of chi-squares as prop.test has them; odds of one-sided Clopper-Pearson ends
pairs <- function(b, c) {
  odds <- function(side) {
    end <- as.numeric(binom.test(b, b + c, alternative = side)$conf.int)[if (side == "greater") 1 else 2]
    if (end < 1) end / (1 - end) else NULL
  }
  list(b = b, c = c, exact = each(function(side) binom.test(b, b + c, alternative = side)$p.value),
       mid_p = each(function(side) binom.test(b, b + c, alternative = side)$p.value - dbinom(b, b + c, .5) / 2),
       asymptotic = each(function(side) suppressWarnings(
         prop.test(b, b + c, .5, alternative = side, correct = FALSE)$p.value)),
       continuity = each(function(side) suppressWarnings(prop.test(b, b + c, .5, alternative = side)$p.value)),
       low = odds("greater"), high = odds("less"))
}
mcnemar <- list(pairs(150, 86), pairs(3, 12), pairs(7, 7), pairs(0, 9), pairs(1, 0))

# --- McNemar in clusters: t of cluster means, all sign patterns, roots of Obuchowski's and Durkalski's chi-squares
kinds <- data.frame(first = c(1, 1, 0, 0), second = c(1, 0, 1, 0))
kind <- sample(4, n, TRUE, prob = c(.3, .35, .15, .2)); first <- kinds$first[kind]; second <- kinds$second[kind]
gap <- as.numeric(tapply(first - second, cluster, sum)); rate <- gap / sizes; K <- length(gap)
sums <- as.numeric(as.matrix(expand.grid(rep(list(c(-1, 1)), K))) %*% gap)
obuchowski <- sum(gap) / sqrt(K / (K - 1) * sum(gap^2)); durkalski <- sum(rate) / sqrt(sum(rate^2))
fit <- coef_test(lm(first - second ~ 1), vcov = "CR2", cluster = cluster, test = "Satterthwaite")
in_clusters <- list(
  cluster = cluster, first = first, second = second,
  robust_t = each(function(side) tail_of(fit$tstat, fit$df_Satt, side)),
  cluster_means_t = each(function(side) t.test(rate, alternative = side)$p.value),
  sign_flip = list(greater = mean(sums >= sum(gap)), less = mean(sums <= sum(gap))),
  obuchowski = each(function(side) pnorm(obuchowski, lower.tail = side == "less")),
  durkalski = each(function(side) pnorm(durkalski, lower.tail = side == "less")),
  low = fit$beta - qt(.95, fit$df_Satt) * fit$SE, high = fit$beta + qt(.95, fit$df_Satt) * fit$SE)

# --- Spearman's rho: tails and ends on Fisher's z scale, of the errors in spearman_rho.json
known <- fromJSON("spearman_rho.json")
rho <- function(one) {
  reach <- qt(.95, one$df) * one$std_error / (1 - one$estimate^2)
  list(p = each(function(side) tail_of(one$statistic, one$df, side)), low = tanh(atanh(one$estimate) - reach),
       high = tanh(atanh(one$estimate) + reach))
}

# --- Bradley-Terry: contrasts by multcomp
d <- read.csv("../../socialstats/datasets/data/journal_citations.csv", check.names = FALSE)
items <- sort(unique(c(d$item_a, d$item_b)), method = "radix")
for (s in c("item_a", "item_b")) d[[s]] <- factor(d[[s]], levels = items)
model <- BTm(cbind(wins_a, wins_b), item_a, item_b, ~journal, id = "journal", data = d, epsilon = 1e-14)
at <- function(name) as.numeric(sub("journal", "", names(coef(model))) == name)
contrast <- function(side) {
  found <- glht(model, linfct = rbind(at("JASA") - at("JRSS-B")), alternative = side)
  ends <- confint(found, level = .95, calpha = univariate_calpha())$confint
  p <- summary(found, test = univariate())$test$pvalues[1]
  list(p = p, end = ends[1, if (side == "greater") "lwr" else "upr"])
}

write_json(list(
  r = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich")),
  multcomp = as.character(packageVersion("multcomp")), tables = tables, clusters = clusters, ranks = ranks,
  mcnemar = mcnemar, mcnemar_clusters = in_clusters, spearman = list(units = rho(known$units), clusters = rho(known$clusters)),
  contrast = each(contrast)), "one_sided.json", auto_unbox = TRUE, digits = NA, pretty = TRUE, null = "null")
