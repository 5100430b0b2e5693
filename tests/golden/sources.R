# Reference values for distributions of answers by source. Run from this folder:  Rscript sources.R  (makes sources.json)
# Base R formulas for the divergence and its jackknife; chisq.test, prop.test; clubSandwich for shares in clusters.
# jsd_base2.json holds the first five divergences as they were computed elsewhere with R 4.2.2; they are checked here.
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich) })

jsd <- function(a, b) {
  p <- a / sum(a); q <- b / sum(b); m <- (p + q) / 2
  kl <- function(x) sum(ifelse(x > 0, x * log2(x / m), 0))
  (kl(p) + kl(q)) / 2
}
given <- fromJSON("jsd_base2.json", simplifyDataFrame = FALSE)
mine <- sapply(given$inputs, function(x) jsd(unlist(x$p), unlist(x$q)))
stopifnot(all(abs(mine - given$r$jsd) < 1e-12), all(abs(sqrt(mine) - given$r$distance) < 1e-12))

# Twelve units in five clusters of unequal size; people (4 to 6 ratings) and a model (2 or 3) over three levels.
set.seed(20261122)
cluster <- c(1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 5, 5)
human <- t(sapply(cluster, function(g) rmultinom(1, sample(4:6, 1), c(.5, .3, .2) + .05 * g * c(1, 0, 1))))
model <- t(sapply(cluster, function(g) rmultinom(1, sample(2:3, 1), c(.3, .2, .5))))
total <- function(x) colSums(x)
plug <- jsd(total(human), total(model))
jack <- function(group) {
  g <- unique(group)
  left <- sapply(g, function(k) jsd(total(human[group != k, , drop = FALSE]), total(model[group != k, , drop = FALSE])))
  (length(g) - 1) * (mean(left) - plug)
}
shares <- lapply(1:3, function(level) {
  y <- unlist(lapply(seq_along(cluster), function(u) rep(c(1, 0), c(human[u, level], sum(human[u, ]) - human[u, level]))))
  g <- rep(cluster, rowSums(human))
  fit <- lm(y ~ 1)
  v <- vcovCR(fit, cluster = g, type = "CR2")
  t <- coef_test(fit, vcov = v, test = "Satterthwaite")
  list(share = mean(y), std_error = sqrt(v[1, 1]), df = t$df)
})
# one rating a source and unit: the difference is a mean of paired differences
first <- max.col(human, ties.method = "first"); second <- max.col(model, ties.method = "first")
paired <- lapply(1:3, function(level) {
  d <- (second == level) - (first == level)
  fit <- lm(d ~ 1)
  v <- vcovCR(fit, cluster = cluster, type = "CR2")
  t <- coef_test(fit, vcov = v, test = "Satterthwaite")
  list(difference = mean(d), std_error = sqrt(v[1, 1]), df = t$df, p = t$p_Satt, t_units = unname(t.test(d)$statistic),
       p_units = t.test(d)$p.value)
})
table2 <- rbind(total(model), total(human))
chi <- suppressWarnings(chisq.test(table2, correct = FALSE))
wilson <- prop.test(sum(first == 1), length(first), correct = FALSE)$conf.int
# labels: each unit cites the levels that any person gave; share of labels is a ratio over units, a row a label
cites <- (human > 0) + 0
size <- rowSums(cites)
unit <- rep(seq_along(cluster), size); cited <- unlist(apply(cites, 1, function(r) which(r == 1), simplify = FALSE))
labels <- lapply(1:3, function(k) {
  fit <- lm((cited == k) + 0 ~ 1)
  t <- coef_test(fit, vcov = "CR2", cluster = unit, test = "Satterthwaite")
  list(units = sum(cites[, k]), of_units = mean(cites[, k]), of_labels = mean(cited == k), std_error = t$SE, df = t$df)
})
out <- list(
  made_by = "sources.R", versions = list(R = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich"))),
  cluster = cluster, human = human, model = model,
  divergence = list(plug_in = plug, bias_units = jack(seq_along(cluster)), bias_clusters = jack(cluster)),
  shares = shares, first = first, second = second, paired = paired,
  chi_square = list(statistic = unname(chi$statistic), df = unname(chi$parameter), p = chi$p.value),
  wilson = as.numeric(wilson), labels = labels)
writeLines(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "sources.json")
