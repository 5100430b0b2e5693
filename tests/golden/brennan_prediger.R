# Brennan and Prediger's kappa with Gwet's (2014) standard error for missing ratings and weights, unit by unit.
# Rscript tests/golden/brennan_prediger.R > tests/golden/brennan_prediger.json
bp <- function(ratings, q, w) {
  counts <- t(apply(ratings, 1, function(r) tabulate(r[!is.na(r)], q)))
  counts <- counts[rowSums(counts) > 0, ]
  m <- rowSums(counts); n <- nrow(counts); paired <- m > 1
  agree <- sapply(1:n, function(i) {
    if (m[i] < 2) return(0)
    near <- as.vector(w %*% counts[i, ])
    sum(counts[i, ] * (near - 1)) / (m[i] * (m[i] - 1))
  })
  pa <- mean(agree[paired]); pe <- sum(w) / q^2
  value <- (pa - pe) / (1 - pe)
  linear <- ifelse(paired, n / sum(paired) * (agree - pe) / (1 - pe), 0)
  se <- sqrt(sum((linear - value)^2) / (n * (n - 1)))
  reach <- qt(0.975, n - 1) * se
  list(estimate = value, std_error = se, df = n - 1, conf_low = value - reach, conf_high = min(1, value + reach),
       statistic = value / se, p_value = 2 * pt(-abs(value / se), n - 1))
}
set.seed(20261130)
n <- 45; q <- 4
truth <- sample(1:q, n, TRUE)
ratings <- sapply(1:3, function(j) ifelse(runif(n) < 0.7, truth, sample(1:q, n, TRUE)))
ratings[sample(length(ratings), 20)] <- NA
plain <- diag(q)
quadratic <- 1 - outer(1:q, 1:q, function(a, b) (a - b)^2) / (q - 1)^2
out <- list(r = R.version.string, ratings = ratings, unweighted = bp(ratings, q, plain), quadratic = bp(ratings, q, quadratic))
cat(jsonlite::toJSON(out, auto_unbox = TRUE, digits = NA, pretty = TRUE, na = "null"), "\n")
