# Values of tests/golden/over_models.json: R's t tests of its data set sleep, and Bonett's (2006) interval by its equations.
spread <- function(x, level = .95) {
  n <- length(x); z <- qnorm((1 + level) / 2); c <- n / (n - z)
  g <- n * sum((x - mean(x, trim = 1 / (2 * sqrt(n - 4))))^4) / sum((x - mean(x))^2)^2
  sqrt(exp(log(c * var(x)) + c(-1, 1) * z * c * sqrt((g - (n - 3) / n) / (n - 1))))
}
one <- sleep$extra[1:10]; two <- sleep$extra[11:20]
apart <- t.test(two, one)
cat(jsonlite::toJSON(list(
  values = sleep$extra, mean = mean(sleep$extra), ends = t.test(sleep$extra)$conf.int, spread = spread(sleep$extra),
  statistic = unname(apart$statistic), df = unname(apart$parameter), p = apart$p.value, gap = apart$conf.int
), auto_unbox = TRUE, digits = NA), file = "over_models.json")
