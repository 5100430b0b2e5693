# ICC(2,1) by psych: Shrout and Fleiss's (1979) table, and simulated ratings in clusters.
# Rscript tests/golden/icc.R > tests/golden/icc.json
suppressMessages(library(psych))
numbers <- function(x) {
  fit <- ICC(x, lmer = FALSE)
  row <- fit$results[2, ]
  list(estimate = row$ICC, conf_low = row[["lower bound"]], conf_high = row[["upper bound"]],
       statistic = row$F, df = row$df1, df_denominator = row$df2, p_value = row$p)
}
shrout <- matrix(c(9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7), ncol = 4, byrow = TRUE)
set.seed(20261129)
group <- rep(1:12, times = c(2, 3, 4, 2, 3, 4, 2, 3, 4, 2, 3, 4))
n <- length(group)
simulated <- outer(rnorm(12)[group] + rnorm(n), c(0, 0.4, -0.3), "+") + matrix(rnorm(3 * n), n)
out <- list(r = R.version.string, psych = as.character(packageVersion("psych")),
            shrout = shrout, shrout_icc = numbers(shrout),
            simulated = simulated, group = group, simulated_icc = numbers(simulated))
cat(jsonlite::toJSON(out, auto_unbox = TRUE, digits = NA, pretty = TRUE), "\n")
