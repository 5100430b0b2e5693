# Weighted means, their errors and intervals. Run in this folder: Rscript weights.R
# Package: jsonlite; everything else is base R. R's survey is not installed here. Its svymean(~x, svydesign(ids = ~1,
# weights = ~w)) has V = n/(n - 1) sum (w (x - m) / sum w)^2 (Lumley 2004), which is HC1 of lm(x ~ 1, weights = w).
# HC0 lacks n/(n - 1), and HC2 has 1/(1 - w/sum w) in its place. Standard deviations: cov.wt(method = "ML") n/(n - 1),
# as svyvar. Clusters: CR2 with (I - H)^(-1/2) by eigenvectors, and Satterthwaite's df of errors of variance 1/w, by
# matrices (Bell & McCaffrey 2002; Pustejovsky & Tipton 2018). Independent units have the df of clusters of one.
# clubSandwich 0.5.8 (lm, CR2, inverse_var = TRUE) takes another root of the same matrices, which differs where weights
# differ within clusters: it has 1.26 where mean_clusters has 1.29, and 3.65 for gap_clusters; its df are the same.
# Shares: Wilson's ends for p(1 - p)/V units, at most Kish's number, with t quantiles (Korn & Graubard 1998).

suppressPackageStartupMessages(library(jsonlite))

data <- data.frame(x = mtcars$mpg, y = mtcars$qsec, w = round(exp(scale(mtcars$hp)[, 1]), 3), am = mtcars$am,
                   vs = mtcars$vs, k = as.integer(factor(paste(mtcars$cyl, mtcars$gear))))

root <- function(a) { e <- eigen(a, symmetric = TRUE); e$vectors %*% diag(1 / sqrt(e$values), nrow(a)) %*% t(e$vectors) }

# CR2 of contrast `l` of a weighted regression on X. Rows and columns are scaled by sqrt(w): errors of variance 1/w are
# then independent with variance 1.
cr2 <- function(x, X, w, k, l) {
  X <- as.matrix(X); s <- sqrt(w); Z <- X * s; z <- x * s
  B <- solve(crossprod(Z)); H <- Z %*% B %*% t(Z); e <- z - H %*% z; R <- diag(length(x)) - H
  g <- sapply(unique(k), function(one) {
    i <- which(k == one); A <- root(diag(length(i)) - H[i, i, drop = FALSE])
    v <- A %*% Z[i, , drop = FALSE] %*% B %*% l
    drop(t(R[i, , drop = FALSE]) %*% v)
  })
  G <- crossprod(g)
  list(variance = sum(drop(crossprod(g, z))^2), df = sum(diag(G))^2 / sum(G^2))
}
one <- function(x, w, k = NULL) {
  n <- length(x); m <- weighted.mean(x, w); fit <- lm(x ~ 1, weights = w)
  hc0 <- sum((w * residuals(fit))^2) / sum(w)^2
  found <- cr2(x, rep(1, n), w, if (is.null(k)) seq_len(n) else k, 1)
  v <- if (is.null(k)) n / (n - 1) * hc0 else found$variance
  t <- qt(.975, found$df)
  list(mean = m, std_error = sqrt(v), df = found$df, low = m - t * sqrt(v), high = m + t * sqrt(v), hc0 = sqrt(hc0),
       hc2 = sqrt(cr2(x, rep(1, n), w, seq_len(n), 1)$variance), kish = sum(w)^2 / sum(w^2), n = n,
       sd = sqrt(cov.wt(cbind(x), w, method = "ML")$cov[1] * n / (n - 1)), p = 2 * pt(-abs(m) / sqrt(v), found$df))
}
wilson <- function(p, n, df) {
  f <- function(x) (p - x)^2 - qt(.975, df)^2 * x * (1 - x) / n
  c(uniroot(f, c(1e-12, p), tol = 1e-13)$root, uniroot(f, c(p, 1 - 1e-12), tol = 1e-13)$root)
}
share <- function(x, w, k = NULL) {
  s <- one(x, w, k); n <- min(s$kish, s$mean * (1 - s$mean) / s$std_error^2); e <- wilson(s$mean, n, s$df)
  list(estimate = s$mean, std_error = s$std_error, df = s$df, effective = n, low = e[1], high = e[2])
}
welch <- function(a, b) {
  v <- c(a$std_error, b$std_error)^2; df <- sum(v)^2 / sum(v^2 / c(a$df, b$df)); d <- a$mean - b$mean; s <- sqrt(sum(v))
  list(estimate = d, std_error = s, df = df, t = d / s, p = 2 * pt(-abs(d) / s, df), low = d - qt(.975, df) * s,
       high = d + qt(.975, df) * s)
}
newcombe <- function(a, b) {
  d <- a$estimate - b$estimate
  list(estimate = d, low = d - sqrt((a$estimate - a$low)^2 + (b$high - b$estimate)^2),
       high = d + sqrt((a$high - a$estimate)^2 + (b$estimate - b$low)^2))
}

z <- data$x - data$y; auto <- data$am == 0
sides <- lapply(list(auto, !auto), function(i) one(data$x[i], data$w[i]))
parts <- lapply(list(auto, !auto), function(i) share(data$vs[i], data$w[i]))
twice <- rep(seq_len(nrow(data)), rep(1:2, 16))  # a row counted twice with its weight
out <- list(
  data = data,
  mean = one(data$x, data$w), mean_clusters = one(data$x, data$w, data$k),
  difference = one(z, data$w), difference_clusters = one(z, data$w, data$k),
  r = cov.wt(cbind(data$x, data$y), data$w, cor = TRUE)$cor[1, 2],
  counted = one(data$x[twice], data$w[twice]),
  groups = sides, gap = welch(sides[[1]], sides[[2]]),
  gap_clusters = cr2(data$x, cbind(auto, !auto), data$w, data$k, c(1, -1)),
  shares = parts, share_gap = newcombe(parts[[1]], parts[[2]])
)
write(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "weights.json")
