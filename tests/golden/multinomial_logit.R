# Reference values for the multinomial logit with errors by clusters. Run from this folder:  Rscript multinomial_logit.R
# (makes multinomial_logit.json). nnet::multinom gives coefficients and Hessian; the sandwich of scores summed by cluster,
# times G/(G - 1), is written out (Liang & Zeger 1986), and checked against sandwich's vcovCL of glm for two levels.
suppressPackageStartupMessages({ library(jsonlite); library(nnet); library(sandwich) })

set.seed(20261123)
cluster <- rep(1:10, each = 2)
x <- cbind(1, rep(0:1, 10), cluster %% 3)
odds <- exp(cbind(0, 0.3 + 0.5 * x[, 2] + rnorm(10, 0, .6)[cluster], -0.2 + 0.3 * x[, 3]))
counts <- t(apply(odds / rowSums(odds), 1, function(p) rmultinom(1, 7, p)))

fitted_by <- function(counts) {
  fit <- multinom(counts ~ x - 1, Hess = TRUE, trace = FALSE, maxit = 1000, reltol = 1e-15, abstol = 1e-12)
  beta <- matrix(coef(fit), ncol = ncol(x))
  eta <- exp(cbind(0, x %*% t(beta))); p <- eta / rowSums(eta)
  rest <- (counts - rowSums(counts) * p)[, -1, drop = FALSE]
  scores <- do.call(cbind, lapply(seq_len(ncol(rest)), function(k) rest[, k] * x))
  sums <- rowsum(scores, cluster); g <- nrow(sums); bread <- solve(fit$Hessian)
  list(coef = beta, covariance = g / (g - 1) * bread %*% crossprod(sums) %*% bread)
}
both <- fitted_by(cbind(counts[, 1], counts[, 2]))
two <- glm(cbind(counts[, 2], counts[, 1]) ~ x - 1, family = binomial, control = list(epsilon = 1e-14))
stopifnot(max(abs(both$coef - coef(two))) < 1e-5)
stopifnot(max(abs(both$covariance / vcovCL(two, cluster, type = "HC0", cadjust = TRUE) - 1)) < 1e-4)
found <- fitted_by(counts)
at <- c(2, 5)  # the second column, for both levels
b <- as.vector(t(found$coef))[at]; g <- 10; q <- 2
f <- (g - q) / ((g - 1) * q) * drop(b %*% solve(found$covariance[at, at]) %*% b)
out <- list(
  made_by = "multinomial_logit.R",
  versions = list(R = R.version.string, nnet = as.character(packageVersion("nnet")),
                  sandwich = as.character(packageVersion("sandwich"))),
  x = x, counts = counts, cluster = cluster, coef = found$coef, covariance = found$covariance,
  f = f, p = pf(f, q, g - q, lower.tail = FALSE))
writeLines(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "multinomial_logit.json")
