# Reference values for the multinomial logit with errors by clusters. Run from this folder:  Rscript multinomial_logit.R
# (makes multinomial_logit.json). nnet::multinom gives the start, Newton's method the last digits. CR2 standard errors,
# Satterthwaite's degrees of freedom and HTZ Wald tests are those of clubSandwich for the linear model of whitened rows.
# For two levels the information is checked against R's glm. The rows of a table of n ratings are whitened by the
# eigenvectors of diag(p) - p p'.
suppressPackageStartupMessages({ library(jsonlite); library(nnet); library(clubSandwich) })

set.seed(20261123)
cluster <- rep(1:10, each = 2)
x <- cbind(1, rep(0:1, 10), cluster %% 3)
odds <- exp(cbind(0, 0.3 + 0.5 * x[, 2] + rnorm(10, 0, .6)[cluster], -0.2 + 0.3 * x[, 3]))
counts <- t(apply(odds / rowSums(odds), 1, function(p) rmultinom(1, 7, p)))

whitened <- function(x, counts, beta) { # beta: levels - 1 rows, terms columns
  eta <- exp(cbind(0, x %*% t(beta))); p <- eta / rowSums(eta); n <- rowSums(counts)
  parts <- lapply(seq_len(nrow(x)), function(i) {
    q <- p[i, -1]; w <- diag(q, length(q)) - q %o% q
    e <- eigen(w, symmetric = TRUE)
    root <- e$vectors %*% diag(sqrt(e$values), length(q)) %*% t(e$vectors)
    list(rows = sqrt(n[i]) * kronecker(root, x[i, , drop = FALSE]),
         residual = solve(root, counts[i, -1] - n[i] * q) / sqrt(n[i]))
  })
  list(rows = do.call(rbind, lapply(parts, `[[`, "rows")), residual = unlist(lapply(parts, `[[`, "residual")),
       owner = rep(seq_len(nrow(x)), each = ncol(counts) - 1))
}
fit_of <- function(x, counts) {
  fit <- multinom(counts ~ x - 1, Hess = TRUE, trace = FALSE, maxit = 1000, reltol = 1e-15, abstol = 1e-12)
  beta <- matrix(coef(fit), ncol = ncol(x))
  for (round in 1:5) {
    w <- whitened(x, counts, beta)
    beta <- beta + matrix(solve(crossprod(w$rows), crossprod(w$rows, w$residual)), ncol = ncol(x), byrow = TRUE)
  }
  beta
}
described <- function(x, counts, cluster, joint) {
  beta <- fit_of(x, counts); w <- whitened(x, counts, beta); b <- as.vector(t(beta))
  m <- lm(drop(w$rows %*% b) + w$residual ~ w$rows - 1)
  stopifnot(max(abs(coef(m) - b)) < 1e-10)
  V <- vcovCR(m, cluster = cluster[w$owner], type = "CR2")
  found <- coef_test(m, vcov = V, test = "Satterthwaite")
  df <- found$df_Satt; if (is.null(df)) df <- found$df
  tests <- lapply(joint, function(columns) {
    at <- as.vector(outer(columns, ncol(x) * (seq_len(nrow(beta)) - 1), `+`))
    t <- Wald_test(m, constraints = constrain_zero(at), vcov = V, test = "HTZ")
    list(columns = columns - 1, f = t$Fstat, df1 = t$df_num, df2 = t$df_denom, p = t$p_val)
  })
  list(coef = beta, std_error = matrix(found$SE, nrow(beta), byrow = TRUE), df = matrix(df, nrow(beta), byrow = TRUE),
       covariance = matrix(V, length(b)), joint = tests)
}
two <- glm(cbind(counts[, 2], counts[, 1]) ~ x - 1, family = binomial, control = list(epsilon = 1e-14))
own <- fit_of(x, counts[, 1:2]); rows <- whitened(x, counts[, 1:2], own)$rows
stopifnot(max(abs(own - coef(two))) < 1e-8, max(abs(solve(crossprod(rows)) - vcov(two))) < 1e-8)
out <- list(
  made_by = "multinomial_logit.R",
  versions = list(R = R.version.string, nnet = as.character(packageVersion("nnet")),
                  clubSandwich = as.character(packageVersion("clubSandwich"))),
  x = x, counts = counts, cluster = cluster)
# joint: the column within clusters; both columns, which has too few clusters for our test
out <- c(out, described(x, counts, cluster, list(2, c(2, 3))))
writeLines(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "multinomial_logit.json")

# three actions on source x topic, ratings row by row, clusters of stories
set.seed(20261124)
unit <- rep(1:30, each = 4); who <- rep(c("human", "human", "human", "model"), 30); rater <- rep(c("p1", "p2", "p3", "m"), 30)
topic <- ifelse(unit %% 2 == 1, "home", "work"); story <- (unit - 1) %/% 3
value <- ifelse(who == "model", sample(c("go", "stay", "wait"), 120, TRUE, c(.3, .4, .3)),
                sample(c("go", "stay", "wait"), 120, TRUE, c(.6, .25, .15)))
x <- model.matrix(~ who * topic)
stopifnot(sum(value[who == "human"] == "go") > 45)
each <- model.matrix(~ factor(value, levels = c("go", "stay", "wait")) - 1)
wanted <- described(x, each, story, list(2, 3, 4))
table <- list(unit = unit, rater = rater, who = who, topic = topic, story = story, value = value, terms = colnames(x))
writeLines(toJSON(c(table, wanted, list(groups = length(unique(story)), R = R.version.string)), digits = 15, auto_unbox = TRUE),
           "multinomial_logit_sources.json")
