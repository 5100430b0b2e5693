# A multinomial logit of three actions on source x topic by nnet::multinom; errors by clusters of stories (Liang & Zeger 1986).
# Run from this folder:  Rscript multinomial_logit_sources.R  (makes multinomial_logit_sources.json).
suppressPackageStartupMessages({ library(jsonlite); library(nnet) })
set.seed(20261124)
unit <- rep(1:30, each = 4); who <- rep(c("human", "human", "human", "model"), 30); rater <- rep(c("p1", "p2", "p3", "m"), 30)
topic <- ifelse(unit %% 2 == 1, "home", "work"); story <- (unit - 1) %/% 3
value <- ifelse(who == "model", sample(c("go", "stay", "wait"), 120, TRUE, c(.3, .4, .3)),
                sample(c("go", "stay", "wait"), 120, TRUE, c(.6, .25, .15)))
y <- factor(value, levels = c("go", "stay", "wait"))
x <- model.matrix(~ who * topic)
fit <- multinom(y ~ x - 1, Hess = TRUE, trace = FALSE, maxit = 1000, reltol = 1e-15, abstol = 1e-12)
p <- fitted(fit); rest <- (model.matrix(~ y - 1) - p)[, -1]
scores <- do.call(cbind, lapply(1:2, function(k) rest[, k] * x))
sums <- rowsum(scores, story); g <- nrow(sums); bread <- solve(fit$Hessian)
v <- g / (g - 1) * bread %*% crossprod(sums) %*% bread
error <- matrix(sqrt(diag(v)), 2, byrow = TRUE)
stopifnot(sum(value[who == "human"] == "go") > 45)
writeLines(toJSON(list(unit = unit, rater = rater, who = who, topic = topic, story = story, value = value, terms = colnames(x),
  coef = coef(fit), std_error = error, groups = g, R = R.version.string), digits = 15, auto_unbox = TRUE), "multinomial_logit_sources.json")
