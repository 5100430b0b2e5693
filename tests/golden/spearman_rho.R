# Spearman's rho by cor(), its influence-based standard error from comparisons of all pairs (Borkowf 2002), CR2 by cluster sums.
# Rscript tests/golden/spearman_rho.R > tests/golden/spearman_rho.json
midrank <- function(v) sapply(v, function(a) mean((v < a) + 0.5 * (v == a))) - 0.5
through <- function(v, other) sapply(v, function(a) mean(((v > a) + 0.5 * (v == a)) * other))
influence <- function(x, y) {
  f <- midrank(x); g <- midrank(y); n <- length(x)
  a <- mean(f^2); b <- mean(g^2); rho <- mean(f * g) / sqrt(a * b)
  raw <- (f * g + through(x, g) + through(y, f)) / sqrt(a * b) -
    rho / 2 * ((f^2 + 2 * through(x, f)) / a + (g^2 + 2 * through(y, g)) / b)
  (raw - mean(raw)) / n
}
one <- function(x, y, group) {
  rho <- cor(x, y, method = "spearman")
  e <- tapply(influence(x, y), group, sum); f <- tapply(rep(1 / length(x), length(x)), group, sum)
  se <- sqrt(sum(e^2 / (1 - f)))
  r <- f^2 / (1 - f)
  df <- 1 / (sum(f^2) + sum(r)^2 - sum(r^2))
  reach <- qt(0.975, df) * se / (1 - rho^2)
  list(estimate = rho, std_error = se, df = df, conf_low = tanh(atanh(rho) - reach), conf_high = tanh(atanh(rho) + reach),
       statistic = atanh(rho) * (1 - rho^2) / se, p_value = 2 * pt(-abs(atanh(rho) * (1 - rho^2) / se), df))
}
set.seed(20261123)
n <- 60
judge <- sample(1:5, n, TRUE)
person <- pmin(pmax(judge + sample(-2:2, n, TRUE), 1), 5)
story <- sort(sample(1:14, n, TRUE))
out <- list(r = R.version.string, judge = judge, person = person, story = story,
            units = one(judge, person, 1:n), clusters = one(judge, person, story))
cat(jsonlite::toJSON(out, auto_unbox = TRUE, digits = NA, pretty = TRUE), "\n")
