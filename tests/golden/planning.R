# Families of tests and power: R's values. Run in this folder: Rscript planning.R
# Packages: jsonlite; multcomp and mvtnorm (adjusted p of contrasts). Everything else is base R.

suppressPackageStartupMessages({ library(jsonlite); library(multcomp); library(mvtnorm) })

versions <- c(list(R = R.version.string), sapply(c("multcomp", "mvtnorm"), function(p) as.character(packageVersion(p)),
                                                 simplify = FALSE))

# ---- p.adjust
p <- c(.01, .04, .03, .005, .2, 1e-4, .04, .9)
methods <- c("holm", "BH", "BY", "hochberg", "hommel", "bonferroni")
with_missing <- c(.01, NA, .03)
adjust <- list(p = p, adjusted = sapply(methods, function(m) p.adjust(p, m), simplify = FALSE),
               p_missing = with_missing,
               adjusted_missing = sapply(methods, function(m) p.adjust(with_missing, m), simplify = FALSE))

# ---- max-t: all differences of three tensions and of wools x tensions in `warpbreaks`, t with 50 or 48 df
tight <- GenzBretz(maxpts = 1e6, abseps = 1e-6)
family_of <- function(fit, contrasts) {
  g <- glht(fit, linfct = contrasts)
  s <- summary(g, test = univariate())
  set.seed(1); single <- summary(g, test = adjusted("single-step", maxpts = 1e6, abseps = 1e-6))
  set.seed(1); free <- summary(g, test = adjusted("free", maxpts = 1e6, abseps = 1e-6))
  set.seed(1); ci <- confint(g, level = .95)
  list(terms = names(s$test$coefficients), estimate = unname(s$test$coefficients),
       std_error = unname(s$test$sigma), statistic = unname(s$test$tstat), df = g$df,
       covariance = unname(vcov(g)), p = as.numeric(s$test$pvalues),
       single_step = as.numeric(single$test$pvalues), free = as.numeric(free$test$pvalues),
       critical = as.numeric(attr(ci$confint, "calpha")))
}
warpbreaks$cell <- interaction(warpbreaks$wool, warpbreaks$tension)
max_t <- list(
  tension = family_of(lm(breaks ~ wool + tension, warpbreaks), mcp(tension = "Tukey")),
  cell = family_of(lm(breaks ~ cell, warpbreaks), mcp(cell = "Dunnett")))

# ---- power.t.test, both tails counted (strict)
grid <- expand.grid(n = c(5, 20, 50, 200), d = c(.2, .5, 1), alpha = c(.05, .01),
                    alternative = c("two.sided", "one.sided"), stringsAsFactors = FALSE)
grid$power <- mapply(function(n, d, a, alt) power.t.test(n, d, 1, a, type = "paired", alternative = alt,
                                                         strict = TRUE)$power, grid$n, grid$d, grid$alpha, grid$alternative)
needed <- expand.grid(d = c(.2, .35, .8, 1.5), power = c(.8, .9, .95), alternative = c("two.sided", "one.sided"),
                      stringsAsFactors = FALSE)
needed$n <- mapply(function(d, b, alt) power.t.test(delta = d, power = b, type = "paired", alternative = alt,
                                                    strict = TRUE, tol = 1e-10)$n, needed$d, needed$power, needed$alternative)
smallest <- expand.grid(n = c(4, 12, 30, 300), power = c(.8, .9), stringsAsFactors = FALSE)
smallest$d <- mapply(function(n, b) power.t.test(n, power = b, type = "paired", strict = TRUE, tol = 1e-10)$delta,
                     smallest$n, smallest$power)

# ---- McNemar by enumeration of (b, c): base R
mcnemar_power <- function(n, p10, p01, test, alpha = .05) {
  total <- 0
  for (b in 0:n) for (c in 0:(n - b)) {
    m <- b + c
    p <- if (m == 0) 1 else switch(test,
      exact = min(1, 2 * pbinom(min(b, c), m, .5)),
      mid_p = min(1, 2 * pbinom(min(b, c), m, .5) - dbinom(min(b, c), m, .5)),
      asymptotic = pchisq((b - c)^2 / m, 1, lower.tail = FALSE),
      corrected = pchisq((if (b == c) 0 else abs(b - c) - 1)^2 / m, 1, lower.tail = FALSE))
    if (p <= alpha) total <- total + exp(lgamma(n + 1) - lgamma(b + 1) - lgamma(c + 1) - lgamma(n - m + 1) +
                                          b * log(p10) + c * log(p01) + (n - m) * log1p(-p10 - p01))
  }
  total
}
mc <- expand.grid(n = c(10, 40, 120), p10 = c(.3, .15), p01 = c(.05, .12),
                  test = c("exact", "mid_p", "asymptotic", "corrected"), stringsAsFactors = FALSE)
mc$power <- mapply(mcnemar_power, mc$n, mc$p10, mc$p01, mc$test)

# ---- mean of clusters: t of the cluster means, noncentral t with G - 1 df
cl <- expand.grid(clusters = c(5, 29, 109), size = c(1, 14, 50), icc = c(0, .05, .3), effect = c(.1, .3),
                  stringsAsFactors = FALSE)
cl$power <- with(cl, {
  ncp <- effect / sqrt((1 + (size - 1) * icc) / (clusters * size)); df <- clusters - 1; crit <- qt(.975, df)
  pt(crit, df, ncp, lower.tail = FALSE) + pt(-crit, df, ncp) })

writeLines(toJSON(list(made_by = "planning.R", versions = versions, adjust = adjust, max_t = max_t,
  paired_t = list(power = grid, n = needed, effect = smallest), mcnemar = mc, clustered = cl),
  digits = NA, auto_unbox = TRUE, pretty = TRUE, na = "null"), "planning.json")
