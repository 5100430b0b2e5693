# Reference values for shares in clusters. Run from this folder:  Rscript shares.R  (makes shares.json)
# CR2 and Satterthwaite's df: clubSandwich on lm(y ~ 1), one row an answer (a label, a discordant pair). Then base R:
# effective answers p (1 - p) / V between 1 and n (Korn & Graubard 1998), 1 / sum f^2 where nothing varies; Wilson's
# interval with them and t; two crossed factors: the largest of V1, V2, V1 + V2 - V12, with Cochran's (1964) df; Tango's
# (1998) score interval by uniroot on the constrained likelihood, maximised by optimize, with the effective pairs.
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich) })
set.seed(20261123)

satterthwaite <- function(y, g) {
  fit <- lm(y ~ 1)
  v <- vcovCR(fit, cluster = g, type = "CR2")
  t <- coef_test(fit, vcov = v, test = "Satterthwaite")
  list(variance = v[1, 1], df = if (v[1, 1] > 1e-20) t$df else df_of(g), effective = 1 / sum((table(g) / length(g))^2))
}
df_of <- function(g) coef_test(lm(rnorm(length(g)) ~ 1), vcov = "CR2", cluster = g, test = "Satterthwaite")$df
cochran <- function(v, df) {
  if (df[1] == df[2]) return(df[1])
  wanted <- sum(v * qt(.975, df)) / sum(v)
  uniroot(function(x) qt(.975, x) - wanted, range(df), tol = 1e-14)$root
}
errors <- function(y, groups) {
  parts <- lapply(groups, function(g) satterthwaite(y, g))
  if (length(parts) == 1) return(parts[[1]])
  v <- sapply(parts, `[[`, "variance")
  both <- sum(tapply(y - mean(y), paste(groups[[1]], groups[[2]]), sum)^2) / length(y)^2
  list(variance = max(v, sum(v) - both), df = cochran(v, sapply(parts, `[[`, "df")),
       effective = min(sapply(parts, `[[`, "effective")))
}
counted <- function(spread, e, n) {
  if (spread > 0 && e$variance > 1e-9 * spread) min(max(spread / e$variance, 1), n) else min(e$effective, n)
}
wilson <- function(p, n, df, level = .95) {
  s <- qt((1 + level) / 2, df)^2 / n
  (p + s / 2 + c(-1, 1) * sqrt(s * p * (1 - p) + s^2 / 4)) / (1 + s)
}
share <- function(y, groups) {
  e <- errors(y, groups); n <- counted(mean(y) * (1 - mean(y)), e, length(y))
  ends <- wilson(mean(y), n, e$df)
  list(estimate = mean(y), std_error = sqrt(e$variance), df = e$df, trials = n, low = ends[1], high = ends[2])
}
score <- function(b, c, n, delta) {
  loss <- function(q) { x <- c(b, c, n - b - c); p <- c(q + delta, q, 1 - 2 * q - delta); -sum(ifelse(x > 0, x * log(pmax(p, 1e-300)), 0)) }
  ends <- c(max(0, -delta), (1 - delta) / 2)
  q <- optimize(loss, ends, tol = 1e-13)$minimum
  q <- c(ends, q)[which.min(c(loss(ends[1]), loss(ends[2]), loss(q)))]
  (b - c - n * delta) / sqrt(max(n * (2 * q + delta * (1 - delta)), 1e-300))
}
tango <- function(d, groups, level, delta) {
  e <- errors(d, groups); n <- length(d); part <- counted(mean(d^2) - mean(d)^2, e, n) / n
  b <- part * sum(d > 0); c <- part * sum(d < 0); z <- qt((1 + level) / 2, e$df)
  f <- function(x) score(b, c, part * n, x)
  low <- uniroot(function(x) f(x) - z, c(-1 + 1e-9, mean(d) - 1e-9), tol = 1e-13)$root
  high <- uniroot(function(x) f(x) + z, c(mean(d) + 1e-9, 1 - 1e-9), tol = 1e-13)$root
  list(pairs = part * n, df = e$df, low = low, high = high, above = f(-delta), below = f(delta),
       p_above = pt(-f(-delta), e$df), p_below = pt(f(delta), e$df))
}

size <- c(2, 3, 5, 8, 4, 6, 2)
g <- rep(seq_along(size), size); h <- sample(rep(1:5, length.out = length(g)))
y <- rbinom(length(g), 1, plogis(rnorm(7)[g]))
first <- rbinom(length(g), 1, plogis(rnorm(7)[g])); second <- ifelse(runif(length(g)) < .35, 1 - first, first)
rare <- first; rare[c(3, 9)] <- 1 - rare[c(3, 9)]
odds <- function(x, y) { m <- x != y; share(as.numeric(x[m] > y[m]), list(g[m])) }
# labels: the units of a cluster cite one to three of a, b, c; a row a label cited
cites <- matrix(rbinom(3 * length(g), 1, .5), ncol = 3); cites[rowSums(cites) == 0, 1] <- 1
unit <- rep(seq_along(g), rowSums(cites)); label <- unlist(apply(cites, 1, function(r) which(r == 1), simplify = FALSE))
out <- list(
  made_by = "shares.R", versions = list(R = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich"))),
  g = g, h = h, y = y, first = first, second = second, rare = rare, cites = cites,
  one = share(y, list(g)), two = share(y, list(g, h)), none = share(rep(0, length(g)), list(g)),
  odds = odds(first, second),
  labels = lapply(1:3, function(k) list(units = share(as.numeric(label == k), list(unit)), clusters = share(as.numeric(label == k), list(g[unit])))),
  difference = tango(first - second, list(g), .90, .3), rare_difference = tango(first - rare, list(g), .95, .2),
  crossed = tango(first - second, list(g, h), .95, .3), equal = tango(rep(0, length(g)), list(g), .90, .3))
writeLines(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "shares.json")
