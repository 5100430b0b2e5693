# Reference values for the audit's checks of summaries. Run from this folder:  Rscript audit_summaries.R
# (makes audit_summaries.json). Tests are R's own (t.test, oneway.test, cor.test, prop.test, binom.test, chisq.test,
# fisher.test, lm), effect sizes those of effectsize, kappa that of vcd; the tables are summaries of R's data sets.
suppressPackageStartupMessages({library(effectsize); library(vcd); library(MASS); library(jsonlite)})

pairs_of <- function(x, y) {
  w <- t.test(x, y); s <- t.test(x, y, var.equal = TRUE)
  list(mean1 = mean(x), sd1 = sd(x), n1 = length(x), mean2 = mean(y), sd2 = sd(y), n2 = length(y),
       welch = list(t = w$statistic[[1]], df = w$parameter[[1]], p = w$p.value, one = t.test(x, y, alternative = "greater")$p.value),
       student = list(t = s$statistic[[1]], df = s$parameter[[1]], p = s$p.value),
       d = effectsize::cohens_d(x, y)$Cohens_d, d_average = effectsize::cohens_d(x, y, pooled_sd = FALSE)$Cohens_d,
       g = hedges_g(x, y)$Hedges_g, glass = glass_delta(x, y)$Glass_delta)
}
rows_of <- function(groups) lapply(names(groups), function(k) {
  x <- groups[[k]]; ci <- t.test(x)$conf.int
  list(group = k, n = length(x), mean = mean(x), sd = sd(x), se = sd(x) / sqrt(length(x)), low = ci[1], high = ci[2])
})
table_of <- function(name, y, g) {
  fine <- !is.na(y) & !is.na(g); y <- as.numeric(y[fine]); g <- factor(as.character(g[fine]))
  groups <- split(y, g); groups <- groups[sapply(groups, length) > 2 & sapply(groups, sd) > 0]
  fine <- g %in% names(groups); y <- y[fine]; g <- factor(as.character(g[fine]))
  f <- oneway.test(y ~ g, var.equal = TRUE); v <- oneway.test(y ~ g)
  above <- sapply(groups, function(x) sum(x > median(y)))
  list(name = name, rows = rows_of(groups), pair = pairs_of(groups[[1]], groups[[2]]),
       anova = list(f = f$statistic[[1]], p = f$p.value), welch_anova = list(f = v$statistic[[1]], p = v$p.value),
       shares = lapply(names(groups), function(k) {
         w <- suppressWarnings(prop.test(above[[k]], length(groups[[k]]), correct = FALSE)$conf.int)
         list(count = above[[k]], n = length(groups[[k]]), low = w[1], high = w[2]) }))
}
made <- list()
add <- function(data, measures, factors) for (m in measures) for (f in factors) {
  d <- get(data); made[[length(made) + 1]] <<- table_of(paste(data, m, "by", f), d[[m]], d[[f]])
}
add("iris", c("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width"), "Species")
add("mtcars", c("mpg", "hp", "wt", "qsec", "disp", "drat"), c("cyl", "am", "vs", "gear"))
add("airquality", c("Ozone", "Wind", "Temp", "Solar.R"), "Month")
add("warpbreaks", "breaks", c("wool", "tension")); add("ToothGrowth", "len", c("supp", "dose"))
add("PlantGrowth", "weight", "group"); add("InsectSprays", "count", "spray"); add("chickwts", "weight", "feed")
add("CO2", "uptake", c("Type", "Treatment")); add("infert", c("age", "parity", "stratum"), "case")
add("OrchardSprays", "decrease", "treatment"); add("ChickWeight", "weight", "Diet"); add("npk", "yield", c("N", "P", "K"))
add("sleep", "extra", "group"); add("morley", "Speed", "Expt")
add("esoph", "ncontrols", c("alcgp", "tobgp")); add("Puromycin", "rate", "state")
add("birthwt", c("bwt", "age", "lwt"), c("race", "smoke")); add("anorexia", c("Prewt", "Postwt"), "Treat")
add("Cars93", c("Price", "MPG.city"), "Type"); add("genotype", "Wt", c("Litter", "Mother"))

paired <- function(x, y) { t <- t.test(x, y, paired = TRUE)
  list(mean1 = mean(x), sd1 = sd(x), mean2 = mean(y), sd2 = sd(y), n = length(x), t = t$statistic[[1]], p = t$p.value, r = cor(x, y)) }
s <- split(sleep$extra, sleep$group); a <- anorexia
pairs <- c(list(paired(s[[1]], s[[2]]), paired(anscombe$y1, anscombe$x1), paired(iris$Sepal.Width, iris$Petal.Length)),
           lapply(split(a, a$Treat), function(d) paired(d$Postwt, d$Prewt)))
correlations <- lapply(combn(names(mtcars)[1:7], 2, simplify = FALSE), function(v) { t <- cor.test(mtcars[[v[1]]], mtcars[[v[2]]])
  list(r = t$estimate[[1]], n = nrow(mtcars), t = t$statistic[[1]], p = t$p.value) })
coefs <- do.call(c, lapply(list(lm(mpg ~ wt + hp + qsec, mtcars), lm(Fertility ~ ., swiss), lm(weight ~ feed, chickwts)), function(m) {
  k <- summary(m)$coefficients
  lapply(seq_len(nrow(k)), function(i) list(b = k[i, 1], se = k[i, 2], t = k[i, 3], p = k[i, 4], df = m$df.residual)) }))
interval <- function(k, n) {
  b <- binom.test(k, n)$conf.int; w <- suppressWarnings(prop.test(k, n, correct = FALSE)$conf.int)
  y <- suppressWarnings(prop.test(k, n)$conf.int); p <- k / n; z <- qnorm(.975); m <- (k + z^2 / 2) / (n + z^2)
  list(k = k, n = n, "Clopper-Pearson" = b[1:2], Wilson = w[1:2], "Wilson with continuity correction" = y[1:2],
       Wald = p + c(-1, 1) * z * sqrt(p * (1 - p) / n), "Agresti-Coull" = m + c(-1, 1) * z * sqrt(m * (1 - m) / (n + z^2)),
       Jeffreys = c(if (k) qbeta(.025, k + .5, n - k + .5) else 0, if (k < n) qbeta(.975, k + .5, n - k + .5) else 1),
       "Wald with divisor n - 1" = p + c(-1, 1) * z * sqrt(p * (1 - p) / (n - 1)),
       "the t interval" = p + c(-1, 1) * qt(.975, n - 1) * sqrt(p * (1 - p) / (n - 1)))
}
two <- function(m) { f <- fisher.test(m); x <- suppressWarnings(chisq.test(m, correct = FALSE)); y <- suppressWarnings(chisq.test(m))
  a <- m[1, 1]; b <- m[1, 2]; c <- m[2, 1]; d <- m[2, 2]; z <- qnorm(.975); or <- a * d / (b * c)
  rr <- a * (c + d) / (c * (a + b)); s <- sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d))
  list(cells = c(a, b, c, d), or = or, woolf = or * exp(c(-1, 1) * z * sqrt(sum(1 / m))), rr = rr, katz = rr * exp(c(-1, 1) * z * s),
       fisher = f$estimate[[1]], exact = f$conf.int[1:2], fisher_p = f$p.value,
       pearson = list(chi2 = x$statistic[[1]], p = x$p.value), yates = list(chi2 = y$statistic[[1]], p = y$p.value)) }
ucb <- lapply(1:6, function(i) t(UCBAdmissions[, , i])); lived <- apply(Titanic, c(2, 4), sum)
larger <- function(m) { x <- suppressWarnings(chisq.test(m)); list(counts = unname(apply(m, 1, function(r) unname(as.list(r)), simplify = FALSE)), chi2 = x$statistic[[1]], p = x$p.value, df = x$parameter[[1]]) }
agreement <- lapply(list(c(20, 5, 10, 15), c(44, 5, 20, 31), c(90, 4, 3, 13)), function(v) { m <- matrix(v, 2); n <- sum(m)
  list(kappa = Kappa(m)$Unweighted[["value"]], po = sum(diag(m)) / n, pe = sum(rowSums(m) * colSums(m)) / n^2) })
writeLines(toJSON(list(tables = made, paired = unname(pairs), correlations = correlations, coefficients = coefs,
  intervals = Map(interval, c(0, 1, 7, 38, 47, 84, 85, 412), c(20, 30, 20, 85, 100, 85, 85, 500)),
  two = lapply(c(ucb, list(lived)), two), larger = list(larger(apply(HairEyeColor, c(1, 2), sum)), larger(apply(Titanic, c(1, 4), sum)),
    larger(matrix(c(12, 5, 7, 7, 9, 11), 2))), agreement = agreement), auto_unbox = TRUE, digits = 12), "audit_summaries.json")
