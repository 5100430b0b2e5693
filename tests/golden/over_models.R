# Values of tests/golden/over_models.json: R's t tests of its data set sleep; of its standard deviation the wider limits of
# Bonett's (2006) interval and of the jackknife's t interval of the log variance, with df by the kurtosis of influences.
spread <- function(x, level = .95) {
  n <- length(x); z <- qnorm((1 + level) / 2); c <- n / (n - z)
  g <- n * sum((x - mean(x, trim = 1 / (2 * sqrt(n - 4))))^4) / sum((x - mean(x))^2)^2
  bonett <- log(c * var(x)) + c(-1, 1) * z * c * sqrt((g - (n - 3) / n) / (n - 1))
  left <- sapply(seq_len(n), function(k) log(var(x[-k])))
  d <- left - mean(left); excess <- n * sum(d^4) / sum(d^2)^2 - 3
  df <- min(max(1 / (1 / (n - 1) + excess / (2 * n)), 1), n - 1)
  reach <- qt((1 + level) / 2, df) * sqrt((n - 1) / n * sum(d^2))
  middle <- n * log(var(x)) - (n - 1) * mean(left)
  sqrt(exp(c(min(bonett[1], middle - reach), max(bonett[2], middle + reach))))
}
one <- sleep$extra[1:10]; two <- sleep$extra[11:20]
apart <- t.test(two, one)
cat(jsonlite::toJSON(list(
  values = sleep$extra, mean = mean(sleep$extra), ends = t.test(sleep$extra)$conf.int, spread = spread(sleep$extra),
  statistic = unname(apart$statistic), df = unname(apart$parameter), p = apart$p.value, gap = apart$conf.int
), auto_unbox = TRUE, digits = NA), file = "over_models.json")
