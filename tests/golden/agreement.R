# Alpha, AC1/AC2, Fleiss' and Conger's kappa with 15 digits. Run in this folder: Rscript agreement.R
# Package: jsonlite; everything else is base R, written from the formulas (Krippendorff 2011; Gwet 2014, chapters 2, 5).
# The files alpha_krippendorff_4x12.json, agree_anxiety.json and cac_table_abstractors.json hold what irr 0.84.1 and
# irrCAC 1.4 printed; these packages are not in Debian and cannot be run here. irr::kripp.alpha 0.84.1 takes
# m_u - 1 = 1 for every unit when no rating is missing, which is wrong for three raters and more: its raw values are in
# irr_0_84_1_raw_alpha_* and are not to be matched.

suppressPackageStartupMessages(library(jsonlite))

counts_of <- function(x, levels) t(apply(x, 1, function(r) table(factor(r[!is.na(r)], levels))))

# ---- Krippendorff's alpha by pairs of values; w are weights of the units
distance <- function(scale, levels, n) {
  k <- length(levels); d <- matrix(0, k, k)
  for (i in 1:k) for (j in 1:k) if (i != j) {
    lo <- min(i, j); hi <- max(i, j)
    d[i, j] <- switch(scale, nominal = 1, ordinal = (sum(n[lo:hi]) - (n[lo] + n[hi]) / 2)^2,
                      interval = (levels[i] - levels[j])^2, ratio = ((levels[i] - levels[j]) / (levels[i] + levels[j]))^2)
  }
  d
}
alpha <- function(tab, levels, scale, w = rep(1, nrow(tab)), small = TRUE) {
  o <- matrix(0, ncol(tab), ncol(tab))
  for (u in seq_len(nrow(tab))) o <- o + w[u] * (outer(tab[u, ], tab[u, ]) - diag(tab[u, ])) / (sum(tab[u, ]) - 1)
  n <- rowSums(o); d <- distance(scale, levels, n)
  1 - (sum(n) - small) * sum(o * d) / sum(outer(n, n) * d)
}
# s.e. by derivatives in the weight of each unit, of alpha without its factor (n - 1)/n
alpha_se <- function(tab, levels, scale, h = 1e-5) {
  m <- nrow(tab)
  z <- sapply(seq_len(m), function(u) {
    e <- replace(numeric(m), u, h)
    (alpha(tab, levels, scale, 1 + e, FALSE) - alpha(tab, levels, scale, 1 - e, FALSE)) / (2 * h)
  })
  list(independent = sqrt(m / (m - 1) * sum(z^2)), influence = z)
}

# ---- Gwet's raw-data formulas
weights_of <- function(name, x) {
  k <- length(x); d <- abs(outer(x, x, "-")); s <- abs(outer(seq_len(k), seq_len(k), "-"))
  switch(name, unweighted = diag(k), linear = 1 - d / max(d), quadratic = 1 - d^2 / max(d)^2,
         ordinal = 1 - choose(s + 1, 2) / choose(k, 2))
}
gwet <- function(tab, w, kind) {
  n <- nrow(tab); q <- ncol(tab); r <- rowSums(tab); two <- r >= 2
  own <- ifelse(two, rowSums(tab * (tab %*% w - 1)) / pmax(r * (r - 1), 1), 0)
  pa <- sum(own) / sum(two); pi <- colMeans(tab / r)
  if (kind == "gwet") { t <- sum(w) / (q * (q - 1)); pe <- t * sum(pi * (1 - pi)); each <- t * drop(tab %*% (1 - pi)) / r }
  else { pe <- sum(w * outer(pi, pi)); each <- drop(tab %*% (w %*% pi)) / r }
  value <- (pa - pe) / (1 - pe)
  z <- n / sum(two) * (own - pe * two) / (1 - pe) - 2 * (1 - value) * (each - pe) / (1 - pe)
  se <- sqrt(sum((z - value)^2) / (n * (n - 1)))
  list(value = value, std_error = se, pa = pa, pe = pe, df = n - 1, p = 2 * pt(-abs(value / se), n - 1),
       low = value - qt(.975, n - 1) * se, high = min(1, value + qt(.975, n - 1) * se))
}
conger <- function(x, levels, w) {
  p <- apply(x, 2, function(col) prop.table(table(factor(col[!is.na(col)], levels))))
  g <- ncol(x); pe <- 0
  for (i in 1:g) for (j in 1:g) if (i != j) pe <- pe + sum(w * outer(p[, i], p[, j])) / (g * (g - 1))
  pe
}
fleiss_z <- function(tab) {
  n <- nrow(tab); m <- sum(tab[1, ]); p <- colSums(tab) / (n * m); q <- 1 - p
  k <- 1 - sum(tab * (m - tab)) / (n * m * (m - 1) * sum(p * q))
  v <- 2 / (n * m * (m - 1) * sum(p * q)^2) * (sum(p * q)^2 - sum(p * q * (q - p)))
  list(value = k, z = k / sqrt(v), p = 2 * pnorm(-abs(k / sqrt(v))))
}

# ---- the data: Krippendorff's 4 x 12, irr's anxiety, and 40 x 5 ratings with a third missing, in ten clusters
four <- as.matrix(read.csv("alpha_krippendorff_4x12.csv"))
anxiety <- as.matrix(read.csv("agree_anxiety.csv"))
set.seed(3, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
cluster <- rep(1:10, each = 4)
truth <- rnorm(40) + rnorm(10)[cluster]
made <- matrix(findInterval(truth + .8 * matrix(rnorm(200), 40), c(-1, 0, 1, 2)) + 1, 40)
made[runif(200) < 1 / 3] <- NA

one <- function(x, levels, groups = NULL) {
  tab <- counts_of(x, levels); tab <- tab[rowSums(tab) > 0, , drop = FALSE]; pairable <- tab[rowSums(tab) > 1, , drop = FALSE]
  scales <- c("nominal", "ordinal", "interval", "ratio"); ws <- c("unweighted", "linear", "quadratic", "ordinal")
  alphas <- sapply(scales, function(s) {
    e <- alpha_se(pairable, levels, s); out <- list(alpha = alpha(pairable, levels, s), std_error = e$independent)
    if (!is.null(groups)) {
      sums <- tapply(e$influence, groups[rowSums(counts_of(x, levels)) > 1], sum); G <- length(sums)
      out$clustered <- sqrt(G / (G - 1) * sum(sums^2)); out$clusters <- G
    }
    out
  }, simplify = FALSE)
  by_weights <- function(f) sapply(ws, function(n) f(weights_of(n, levels)), simplify = FALSE)
  out <- list(levels = levels, alpha = alphas, gwet = by_weights(function(w) gwet(tab, w, "gwet")),
              fleiss = by_weights(function(w) gwet(tab, w, "fleiss")), conger_pe = by_weights(function(w) conger(x, levels, w)))
  if (length(unique(rowSums(tab))) == 1) out$fleiss_null <- fleiss_z(tab)
  out
}
out <- list(R = R.version.string, four = one(four, 1:5), anxiety = one(anxiety, 1:6),
            made = c(list(ratings = made, cluster = cluster), one(made, 1:5, cluster)))
write(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE, na = "null"), "agreement.json")
