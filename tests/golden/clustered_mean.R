# Writes clustered_mean.json: means whose values cross two cluster factors of unequal sizes.
# V1, V2: CR2 with Satterthwaite's df (clubSandwich); V12: CR0 of the intersections; variance: the largest of V1, V2 and
# V1 + V2 - V12; df: Cochran (1964), the t whose .975 quantile is the mean of both factors' own, weighted by V1 and V2.
# Run in tests/golden: Rscript clustered_mean.R      (R 4.2, clubSandwich, jsonlite)
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich) })

part <- function(fit, g) {
  test <- coef_test(fit, vcov = "CR2", cluster = g, test = "Satterthwaite")
  c(test$SE^2, if (is.null(test$df_Satt)) test$df else test$df_Satt)
}
two_way <- function(y, g, h) {
  fit <- lm(y ~ 1)
  one <- part(fit, g); two <- part(fit, h)
  overlap <- vcovCR(fit, cluster = paste(g, h), type = "CR0")[1, 1]
  plain <- one[1] + two[1] - overlap
  variance <- max(one[1], two[1], plain)
  wanted <- weighted.mean(qt(.975, c(one[2], two[2])), c(one[1], two[1]))
  df <- uniroot(function(d) qt(.975, d) - wanted, sort(c(one[2], two[2])), tol = 1e-13)$root
  t <- mean(y) / sqrt(variance)
  list(y = y, g = g, h = h, mean = mean(y), v = c(one[1], two[1], overlap), dfs = c(one[2], two[2]), plain = plain,
       se = sqrt(variance), df = df, p = 2 * pt(-abs(t), df),
       interval = mean(y) + c(-1, 1) * qt(.975, df) * sqrt(variance))
}

set.seed(11)
G <- 9; H <- 14; n <- 120
g <- sample(G, n, replace = TRUE, prob = rgamma(G, 1)); h <- sample(H, n, replace = TRUE, prob = rgamma(H, 1))
uneven <- two_way(round(.4 + rnorm(G)[g] + rnorm(H)[h] + rnorm(n), 3), g, h)
few <- expand.grid(h = 1:2, g = 1:12); few <- few[rep(1:24, 1 + (1:24) %% 3), ]
narrow <- two_way(round(.3 + rnorm(12)[few$g] + rnorm(nrow(few)), 3), few$g, few$h)
z <- read.csv("cluster_penicillin.csv")
penicillin <- two_way(z$y, z$g1, z$g2)
odd <- expand.grid(g = 1:6, h = 1:5)  # interactions only: V12 exceeds what both factors show
raised <- two_way(round(ifelse((odd$g + odd$h) %% 2 == 0, 1, -1) + .2 * rnorm(30), 3), odd$g, odd$h)

write_json(list(r_version = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich")),
                uneven = uneven, narrow = narrow, penicillin = penicillin[!names(penicillin) %in% c("y", "g", "h")],
                raised = raised), "clustered_mean.json", digits = NA, auto_unbox = TRUE)
