# Bradley-Terry models with transformed covariates: a logistic regression on differences of the columns that R makes of
# both sides, stacked. Writes formulas.json.  Usage: cd tests/golden && Rscript formulas.R
library(jsonlite)
library(splines)

set.seed(8)
n <- 240
items <- c("ash", "elm", "fir", "oak", "yew")
a <- sample(5, n, replace = TRUE)
b <- (a + sample(4, n, replace = TRUE) - 1) %% 5 + 1
x <- matrix(round(rexp(2 * n, 0.4) + 0.1, 1), n)
kind <- matrix(sample(c("p", "q", "r"), 2 * n, replace = TRUE), n)
eta <- 0.3 * (a - b) + 0.5 * (log(x[, 1]) - log(x[, 2])) + 0.4 * ((kind[, 1] == "q") - (kind[, 2] == "q"))
y <- as.integer(runif(n) < plogis(eta))
sides <- data.frame(x = as.vector(x), kind = as.vector(kind))
strengths <- sapply(2:5, function(k) (a == k) - (b == k))

fitted <- function(formula) {
  columns <- model.matrix(formula, sides)[, -1, drop = FALSE]  # without the intercept, which has no difference
  differences <- columns[1:n, , drop = FALSE] - columns[n + 1:n, , drop = FALSE]
  fit <- glm(y ~ 0 + strengths + differences, family = binomial, control = glm.control(epsilon = 1e-14, maxit = 100))
  found <- coef(summary(fit))[-(1:4), , drop = FALSE]
  list(estimate = unname(found[, 1]), std_error = unname(found[, 2]))
}

fits <- list(
  "~ scale(x)" = fitted(~ scale(x)),
  "~ poly(x, 2)" = fitted(~ poly(x, 2)),
  "~ bs(x, df=4)" = fitted(~ bs(x, df = 4)),
  "~ log(x)" = fitted(~ log(x)),
  "~ C(kind) + center(x)" = fitted(~ kind + scale(x, scale = FALSE))
)
table <- list(
  item_a = items[a], item_b = items[b], winner = ifelse(y == 1, items[a], items[b]),
  x_a = x[, 1], x_b = x[, 2], kind_a = kind[, 1], kind_b = kind[, 2]
)
versions <- list(R = R.version.string, splines = as.character(packageVersion("splines")))
write_json(list(versions = versions, table = table, fits = fits), "formulas.json", auto_unbox = TRUE, digits = 15)
