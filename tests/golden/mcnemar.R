# Reference values for McNemar's tests, Bowker, Stuart-Maxwell and Cochran's Q. Run from this folder:  Rscript mcnemar.R
# Writes mcnemar.json. Base R 4.2 and jsonlite. The clustered statistics of mcnemar_clustered_psychiatry.json are those
# of clust.bin.pair 0.1.2, which Debian does not have: the same statistics are written here in base R.
# mcnemar_approval, mcnemar_cavo, cochran_q (.json) are values of the same kind with their R versions inside.

library(jsonlite)

wilson <- function(x, n, level) suppressWarnings(prop.test(x, n, conf.level = level, correct = FALSE))$conf.int[1:2]
odds <- function(p) p / (1 - p)

tango <- function(b, c, n, level) {
  z <- qnorm((1 + level) / 2)
  excess <- function(delta) {
    B <- -b - c + (2 * n - b + c) * delta
    q <- (sqrt(max(B^2 + 8 * n * c * delta * (1 - delta), 0)) - B) / (4 * n)
    (b - c - n * delta)^2 - z^2 * n * max(2 * q + delta * (1 - delta), 0)
  }
  root <- function(from, to) {
    if (from == to) return(from)
    eps <- 1e-9
    ends <- if (from == (b - c) / n) c(from + eps, to) else c(from, to - eps)
    if (abs(excess(ends[if (from == (b - c) / n) 2 else 1])) < 1e-14) return(ends[if (from == (b - c) / n) 2 else 1])
    uniroot(excess, ends, tol = 1e-15)$root
  }
  c(root(-1, (b - c) / n), root((b - c) / n, 1))
}

newcombe <- function(a, b, c, d, level) {
  n <- a + b + c + d
  w1 <- wilson(a + b, n, level); w2 <- wilson(a + c, n, level)
  p1 <- (a + b) / n; p2 <- (a + c) / n
  margins <- (a + b) * (c + d) * (a + c) * (b + d)
  top <- a * d - b * c
  if (top > 0) top <- max(top - n / 2, 0)
  phi <- if (margins > 0) top / sqrt(margins) else 0
  l1 <- p1 - w1[1]; u1 <- w1[2] - p1; l2 <- p2 - w2[1]; u2 <- w2[2] - p2
  c(p1 - p2 - sqrt(l1^2 - 2 * phi * l1 * u2 + u2^2), p1 - p2 + sqrt(u1^2 - 2 * phi * u1 * l2 + l2^2))
}

around <- function(b, c, n, level) {
  reach <- qnorm((1 + level) / 2) * sqrt((b + c - (b - c)^2 / n)) / n
  pmin(pmax((b - c) / n + c(-1, 1) * reach, -1), 1)
}

one <- function(cells, level) {
  a <- cells[1]; b <- cells[2]; c <- cells[3]; d <- cells[4]; n <- sum(cells)
  out <- list(a = a, b = b, c = c, d = d, level = level)
  m <- matrix(c(a, c, b, d), 2)
  plain <- mcnemar.test(m, correct = FALSE); cc <- mcnemar.test(m, correct = TRUE)  # NaN where b + c = 0
  out$asymptotic <- list(statistic = unname(plain$statistic), p = plain$p.value)
  out$continuity <- list(statistic = unname(cc$statistic), p = cc$p.value)
  if (b + c > 0) {
    exact <- binom.test(b, b + c, conf.level = level)
    low <- min(b, c)
    out$exact <- list(statistic = b, p = exact$p.value)
    out$mid_p <- list(p = min(1, 2 * pbinom(low, b + c, .5) - dbinom(low, b + c, .5)))
    out$cohens_g <- b / (b + c) - .5
    out$cohens_g_ci <- wilson(b, b + c, level) - .5
    if (c > 0) {
      out$odds_ratio <- b / c
      out$or_exact <- odds(exact$conf.int[1:2])
      out$or_wilson <- odds(wilson(b, b + c, level))
    }
    if (b > 0 && c > 0)
      out$or_wald <- exp(log(b / c) + c(-1, 1) * qnorm((1 + level) / 2) * sqrt(1 / b + 1 / c))
  }
  out$difference <- (b - c) / n
  z2 <- qnorm((1 + level) / 2)^2
  out$tango <- if (b + c == 0) c(-1, 1) * z2 / (n + z2) else if (b == n) c((n - z2) / (n + z2), 1) else
    tango(b, c, n, level)
  out$newcombe <- newcombe(a, b, c, d, level)
  out$bonett_price <- around(b + 1, c + 1, n + 2, level)
  out$agresti_min <- around(b + .5, c + .5, n + 2, level)
  if (b + c > 0 && b < n) out$wald <- around(b, c, n, level)
  out
}

tables <- list(approval = c(794, 150, 86, 570), cavo = c(59, 6, 16, 80), bentur = c(1, 1, 7, 12),
               equal = c(5, 4, 4, 5), none = c(6, 0, 0, 4), first_only = c(3, 5, 0, 2), second_only = c(3, 0, 5, 2),
               all_first = c(0, 6, 0, 0), empty_margin = c(0, 3, 1, 0), large = c(400000, 51234, 50321, 499000))
pairs <- unlist(lapply(names(tables), function(name) lapply(c(.95, .9), function(level)
  c(list(name = name), one(tables[[name]], level)))), recursive = FALSE)

# ---- clusters
k <- read.csv("mcnemar_clustered_psychiatry.csv")
clustered <- with(k, {
  n <- a + b + c + d; K <- length(n); N <- sum(n); g <- b - c; D <- sum(g)
  obuchowski <- D^2 / (K / (K - 1) * sum(g^2))
  durkalski <- sum(g / n)^2 / sum((g / n)^2)
  yang <- D^2 / (K / (K - 1) * (sum(g^2) + sum((g - n * D / N)^2)) / 2)
  cells <- cbind(a, b, c, d); P <- colSums(cells) / N; m <- mean(n)
  bms <- sum((cells - outer(n, P))^2 / n) / K
  wms <- sum(cells * (n - cells) / n) / (K * (m - 1))
  n0 <- m - sum((n - m)^2) / (K * (K - 1) * m)
  r <- (bms - wms) / (bms + (n0 - 1) * wms)
  rho <- 1 / (1 + sum(P[2:3]) * (1 - r) / r)
  s <- b + c; Kd <- sum(s > 0); sm <- sum(s) / Kd
  s0 <- sm - (sum((s - sm)^2) - (K - Kd) * sm^2) / (Kd * (Kd - 1) * sm)
  nc <- s0 + Kd * (sm - s0)
  eliasziw <- D^2 / sum(s) / (1 + (nc - 1) * rho)
  p <- function(x) list(statistic = x, p = pchisq(x, 1, lower.tail = FALSE))
  means <- t.test(g / n)
  signs <- abs(g[g != 0]); chance <- 1; values <- 0           # all signs, by convolution
  for (v in signs) {
    both <- c(values - v, values + v); w <- c(chance, chance) / 2
    values <- sort(unique(both)); chance <- as.vector(tapply(w, factor(both, values), sum))
  }
  list(obuchowski = p(obuchowski), durkalski = p(durkalski), yang = p(yang), eliasziw = p(eliasziw), rho = rho,
       cluster_means_t = list(statistic = unname(means$statistic), df = unname(means$parameter), p = means$p.value,
                              estimate = unname(means$estimate), ci = means$conf.int[1:2]),
       sign_flip = list(p = sum(chance[abs(values) >= abs(D)])))
})

# ---- square tables
square <- function(m) {
  used <- which(rowSums(m) + colSums(m) > 0); m <- m[used, used]
  d <- rowSums(m) - colSums(m); S <- diag(rowSums(m) + colSums(m)) - m - t(m); k <- nrow(m) - 1
  x <- drop(d[1:k] %*% solve(S[1:k, 1:k], d[1:k]))
  b <- mcnemar.test(m, correct = FALSE)
  list(table = m, bowker = list(statistic = unname(b$statistic), df = unname(b$parameter), p = b$p.value),
       stuart_maxwell = list(statistic = x, df = k, p = pchisq(x, k, lower.tail = FALSE)))
}
vision <- matrix(c(1520, 266, 124, 66, 234, 1512, 432, 78, 117, 362, 1772, 205, 36, 82, 179, 492), 4, byrow = TRUE)
squares <- list(vision = square(vision), zero_cell = square(matrix(c(10, 5, 0, 3), 2)),
                three = square(matrix(c(20, 3, 1, 9, 15, 2, 4, 7, 30), 3)))

# ---- Cochran's Q
x <- as.matrix(read.csv("cochran_q.csv")); kk <- ncol(x); R <- rowSums(x); C <- colSums(x)
q <- (kk - 1) * (kk * sum(C^2) - sum(x)^2) / (kk * sum(x) - sum(R^2))

writeLines(toJSON(list(made_by = "mcnemar.R", R = R.version.string, pairs = pairs, clustered = clustered,
                       squares = squares, cochran = list(statistic = q, df = kk - 1,
                                                         p = pchisq(q, kk - 1, lower.tail = FALSE))),
                  digits = NA, auto_unbox = TRUE, pretty = TRUE), "mcnemar.json")
