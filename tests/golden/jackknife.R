# Writes jackknife.json: intervals by the jackknife with degrees of freedom from the kurtosis of the influences
# (1 / (1/(n - 1) + g/(2 n)), g the excess kurtosis), and what is combined with them.
# sizes: d_z, d_av, d_rm of the sleep data and of unequal clusters; the wider limits of d_z and its noncentral t interval.
# divergence: Jensen-Shannon divergence (bits) of the shares of two sources in clusters; noncentral chi-square with the
# scale and df of Rao & Scott (1984), sum l^2 / sum l and (sum l)^2 / sum l^2 of the eigenvalues l of AV.
# Run in tests/golden: Rscript jackknife.R      (base R 4.2, jsonlite)
suppressPackageStartupMessages(library(jsonlite))

jackknife <- function(estimate, left, level = .95) {
  n <- length(left); d <- left - mean(left)
  se <- sqrt((n - 1) / n * sum(d^2)); g <- mean(d^4) / mean(d^2)^2 - 3
  df <- min(max(1 / (1 / (n - 1) + g / (2 * n)), 1), n - 1)
  list(estimate = estimate, se = se, df = df, low = estimate - qt((1 + level) / 2, df) * se,
       high = estimate + qt((1 + level) / 2, df) * se)
}
sizes <- function(x, y) c(d_z = mean(x - y) / sd(x - y), d_av = mean(x - y) / sqrt((var(x) + var(y)) / 2),
                          d_rm = mean(x - y) / sd(x - y) * sqrt(2 * (1 - cor(x, y))))
all_sizes <- function(x, y, g = seq_along(x)) {
  left <- sapply(unique(g), function(k) sizes(x[g != k], y[g != k]))
  setNames(lapply(names(sizes(x, y)), function(s) jackknife(sizes(x, y)[[s]], left[s, ])), names(sizes(x, y)))
}
sleep2 <- read.csv("paired_sleep.csv")
set.seed(4)
g <- rep(1:9, c(2, 5, 3, 1, 4, 6, 2, 3, 2)); x <- round(rexp(28) + rnorm(9)[g] + .6, 3); y <- round(rnorm(28) / 2, 3)
ncp <- sapply(c(.975, .025), function(p) { t <- t.test(sleep2$x, sleep2$y, paired = TRUE)$statistic
  uniroot(function(c) pt(t, 9, c) - p, c(-30, 30), tol = 1e-13)$root / sqrt(10) })
one <- all_sizes(sleep2$x, sleep2$y)

js <- function(p, q) { p <- p / sum(p); q <- q / sum(q); m <- (p + q) / 2
  kl <- function(a) sum(ifelse(a > 0, a * log2(a / m), 0)); (kl(p) + kl(q)) / 2 }
a <- t(sapply(1:16, function(k) rmultinom(1, 3, c(.8, .15, .05))))
b <- t(sapply(1:16, function(k) rmultinom(1, 5, c(.55, .3, .15))))
divergence <- function(a, b, cluster) {
  A <- rowsum(a, cluster); B <- rowsum(b, cluster); n <- nrow(A)
  value <- js(colSums(A), colSums(B))
  left <- sapply(seq_len(n), function(k) js(colSums(A[-k, ]), colSums(B[-k, ])))
  bias <- (n - 1) / n * sum(left - value)
  p <- colSums(A) / sum(A); q <- colSums(B) / sum(B)
  moved <- (A - outer(rowSums(A), p)) / sum(A) - (B - outer(rowSums(B), q)) / sum(B)
  V <- n / (n - 1) * crossprod(moved)
  l <- eigen(diag(1 / (8 * log(2) * (p + q) / 2)) %*% V)$values; l <- Re(l)
  scale <- sum(l^2) / sum(l); f <- sum(l)^2 / sum(l^2)
  ends <- sapply(c(.975, .025), function(tail) if (pchisq(value / scale, f) <= tail) 0 else
    scale * uniroot(function(c) pchisq(value / scale, f, c) - tail, c(0, 1000), tol = 1e-13)$root)
  around <- jackknife(value - bias, left)
  list(value = value, corrected = value - bias, mean = sum(l), square = sum(l^2), noncentral = ends, se = around$se,
       df = around$df, low = max(0, min(ends[1], around$low)), high = max(ends[2], around$high))
}
# the jackknife's end beyond 0, where the long tail is on the side of an effect that the t test finds: on the log scale
d <- one$d_z$estimate; k <- if (d > 0) 1 else 2; gap <- sleep2$x - sleep2$y; ends <- c(one$d_z$low, one$d_z$high)
if (d * sum((gap - mean(gap))^3) > 0 && d * ncp[k] > 0 && d * ends[k] <= 0)
  ends[k] <- d * exp(-qt(.975, one$d_z$df) * one$d_z$se / abs(d))
write_json(list(r_version = R.version.string, sleep = c(one, list(hull = c(min(ncp[1], ends[1]), max(ncp[2], ends[2])))),
                clusters = c(list(x = x, y = y, g = g), all_sizes(x, y, g)),
                divergence = list(a = a, b = b, units = divergence(a, b, 1:16),
                                  clusters = divergence(a, b, rep(1:7, c(1, 2, 3, 4, 2, 1, 3))))),
           "jackknife.json", digits = NA, auto_unbox = TRUE)
