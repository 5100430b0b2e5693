# Writes paired_levels.json: differences (after minus before) of two levels of a paired table, and tests of their gap.
# welch: t.test of independent levels; shared: paired t.test of the units of both. apart, joint, crossed: the regression
# of the differences on the level with CR2 errors, (I - H)_gg^(-1/2) by eigenvalues, and Satterthwaite's df of errors
# whose variance in each level is that of its own CR2 mean; clusters of one level each, clusters of both, and two
# crossed factors (the largest of V1, V2 and V1 + V2 - V12; Cochran's df).
# Run in tests/golden: Rscript paired_levels.R      (base R, jsonlite)
library(jsonlite)

root <- function(m) { s <- eigen(m, symmetric = TRUE); s$vectors %*% diag(s$values^-.5, nrow(m)) %*% t(s$vectors) }
cr2 <- function(d, x, contrast, cluster, phi) {
  bread <- solve(crossprod(x)); hat <- x %*% bread %*% t(x); n <- length(d)
  e <- as.vector(d - hat %*% d)
  p <- sapply(split(seq_len(n), cluster), function(g) {
    a <- root(diag(length(g)) - hat[g, g, drop = FALSE])
    t(diag(n) - hat)[, g, drop = FALSE] %*% a %*% x[g, , drop = FALSE] %*% bread %*% contrast
  })
  score <- sapply(split(seq_len(n), cluster), function(g)
    sum(t(contrast) %*% bread %*% t(x[g, , drop = FALSE]) %*% root(diag(length(g)) - hat[g, g, drop = FALSE]) %*% e[g]))
  inner <- t(p) %*% (phi * p)
  c(sum(score^2), sum(diag(inner))^2 / sum(inner^2))
}
own <- function(d, cluster) cr2(d, matrix(1, length(d)), 1, cluster, rep(1, length(d)))[1]
two_way <- function(d, g, h) {
  v1 <- own(d, g); v2 <- own(d, h)
  max(v1, v2, v1 + v2 - sum(tapply(d - mean(d), paste(g, h), sum)^2) / length(d)^2)
}
gap <- function(d, level, ...) {
  clusters <- list(...); x <- cbind(level == "A", level == "B") + 0; n <- colSums(x); contrast <- c(1, -1)
  variance <- sapply(c("A", "B"), function(l) {
    at <- level == l
    if (length(clusters) == 1) own(d[at], clusters[[1]][at]) else two_way(d[at], clusters[[1]][at], clusters[[2]][at])
  })
  phi <- (variance * n)[ifelse(level == "A", 1, 2)]
  parts <- lapply(clusters, function(g) cr2(d, x, contrast, g, phi))
  v <- parts[[1]][1]; df <- parts[[1]][2]
  if (length(parts) == 2) {
    e <- (d - ave(d, level)) / n[ifelse(level == "A", 1, 2)] * ifelse(level == "A", 1, -1)
    vs <- sapply(parts, `[`, 1); dfs <- sapply(parts, `[`, 2)
    v <- max(vs, sum(vs) - sum(tapply(e, do.call(paste, clusters), sum)^2))
    wanted <- weighted.mean(qt(.975, dfs), vs)
    df <- uniroot(function(k) qt(.975, k) - wanted, sort(dfs), tol = 1e-13)$root
  }
  estimate <- mean(d[level == "A"]) - mean(d[level == "B"])
  list(level = level, d = d, clusters = clusters, estimate = estimate, se = sqrt(v), df = df,
       p = 2 * pt(-abs(estimate / sqrt(v)), df), interval = estimate + c(-1, 1) * qt(.975, df) * sqrt(v))
}
welch <- function(a, b, ...) {
  t <- t.test(a, b, ...)
  list(a = a, b = b, estimate = mean(a) - mean(b), se = t$stderr, statistic = unname(t$statistic),
       df = unname(t$parameter), p = t$p.value, interval = as.vector(t$conf.int))
}

set.seed(5)
numeric <- welch(round(rnorm(14, 1, .6), 2), round(rnorm(33, .3, 2), 2), var.equal = FALSE)
binary <- welch(sample(-1:1, 40, TRUE, c(.1, .5, .4)), sample(-1:1, 25, TRUE, c(.3, .5, .2)), var.equal = FALSE)
both <- round(rnorm(18), 2)
shared <- welch(round(both + rnorm(18, 1), 2), round(both + rnorm(18), 2), paired = TRUE)
level <- rep(c("A", "B"), c(30, 44))
g <- c(sample(9, 30, TRUE, rgamma(9, 1)), sample(12, 44, TRUE, rgamma(12, 1)))
d <- round(rnorm(12)[g] + rnorm(74, 0, ifelse(level == "A", 1, 2)), 2)
h <- sample(8, 74, TRUE)
write_json(list(r_version = R.version.string, numeric = numeric, binary = binary, shared = shared,
                apart = gap(d, level, paste0(level, g)), joint = gap(d, level, paste0("g", g)),
                crossed = gap(d, level, paste0("g", g), paste0("h", h))),
           "paired_levels.json", digits = NA, auto_unbox = TRUE)
