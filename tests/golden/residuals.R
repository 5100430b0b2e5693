# Residuals, leverages, criteria and predictions of Bradley-Terry fits. Run from this folder:  Rscript residuals.R
# Reads the bundled data sets; writes residuals.json beside it.

suppressPackageStartupMessages({ library(BradleyTerry2); library(jsonlite) })
bundled <- function(name) read.csv(file.path("../../socialstats/datasets/data", name), check.names = FALSE)

# ---- baseball: item_a played at home, and `order` is added to its log-odds
d <- bundled("baseball.csv")
items <- sort(unique(c(d$item_a, d$item_b)), method = "radix")
frame <- function(d) {
  d$item_a <- data.frame(team = factor(d$item_a, levels = items), order = 1)
  d$item_b <- data.frame(team = factor(d$item_b, levels = items), order = 0)
  d
}
m <- BTm(cbind(wins_a, wins_b), item_a, item_b, ~ team + order, id = "team", data = frame(d), epsilon = 1e-14)
small <- BTm(cbind(wins_a, wins_b), item_a, item_b, ~team, id = "team", data = frame(d), epsilon = 1e-14)
link <- predict(m, type = "link", se.fit = TRUE)

# one line a game, for AIC and BIC of single comparisons
each <- rep(seq_len(nrow(d)), d$wins_a + d$wins_b)
won <- unlist(Map(function(w, l) rep(1:0, c(w, l)), d$wins_a, d$wins_b))
tight <- list(epsilon = 1e-14, maxit = 100)
X <- outer(d$item_a, items[-1], "==") - outer(d$item_b, items[-1], "==")
criteria <- function(g) list(nobs = nobs(g), loglik = as.numeric(logLik(g)), aic = AIC(g), bic = BIC(g))
order <- rep(1, nrow(d))

# ---- ice hockey with a tie as half a win of both, by ordered pair: quasi-binomial residuals
h <- bundled("ice_hockey.csv.gz")
teams <- sort(unique(c(h$visitor, h$opponent)), method = "radix")
h$n <- 1; h$score <- ifelse(h$winner == h$visitor, 1, ifelse(h$winner == h$opponent, 0, 0.5))
g <- aggregate(cbind(score, n) ~ visitor + opponent, h, sum)
Z <- outer(g$visitor, teams[-1], "==") - outer(g$opponent, teams[-1], "==")
half <- suppressWarnings(glm(score / n ~ Z - 1, binomial, weights = n, data = g, control = tight))
columns <- function(m) list(
  fitted = unname(fitted(m)), response = unname(residuals(m, type = "response")),
  pearson = unname(residuals(m, type = "pearson")), deviance = unname(residuals(m)), hat = unname(hatvalues(m)))

writeLines(toJSON(list(
  made_by = "residuals.R",
  versions = list(R = R.version.string, BradleyTerry2 = as.character(packageVersion("BradleyTerry2"))),
  baseball = c(list(item_a = d$item_a, item_b = d$item_b), columns(m), list(
    link = unname(link$fit), link_std_error = unname(link$se.fit), without_order = unname(fitted(small)),
    by_game = criteria(glm(won ~ cbind(X, order)[each, ] - 1, binomial, control = tight)),
    by_game_without_order = criteria(glm(won ~ X[each, ] - 1, binomial, control = tight)))),
  ice_hockey_half = c(list(item_a = g$visitor, item_b = g$opponent), columns(half))),
  digits = NA, auto_unbox = TRUE), "residuals.json")
