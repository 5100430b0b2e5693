# Reference values for leaderboards. Run from this folder:  Rscript leaderboard.R  (makes leaderboard.csv, leaderboard.json)
# t.test, prop.test (Wilson) and p.adjust of base R; CR2 and Satterthwaite's df by the matrices of Bell & McCaffrey (2002)
# on lm(difference ~ 0 + task), the contrast with equal weights.
suppressPackageStartupMessages(library(jsonlite))
set.seed(20261122)
items <- data.frame(task = rep(c("ethics", "law", "maths"), c(12, 20, 16)))
items$item <- ave(seq_len(nrow(items)), items$task, FUN = seq_along)
items$story <- paste0("s", (seq_len(nrow(items)) * 7) %% 11)  # stories cross tasks
ease <- rnorm(nrow(items)) + rnorm(11)[as.integer(factor(items$story))]
models <- c("ash", "birch", "cedar")
wide <- sapply(seq_along(models), function(k) as.integer(runif(nrow(items)) < plogis(ease + 0.5 * k)))
score <- round(50 + 10 * sapply(seq_along(models), function(k) ease + 0.3 * k + rnorm(nrow(items))), 1)
long <- do.call(rbind, lapply(seq_along(models), function(k)
  data.frame(model = models[k], items, correct = wide[, k], score = score[, k])))
write.csv(long, "leaderboard.csv", row.names = FALSE, quote = FALSE)

cr2 <- function(y, task, cluster) {
  X <- model.matrix(~ 0 + factor(task)); w <- rep(1 / ncol(X), ncol(X))
  fit <- lm(y ~ 0 + factor(task)); M <- diag(length(y)) - X %*% solve(crossprod(X)) %*% t(X)
  a <- X %*% solve(crossprod(X)) %*% w; e <- residuals(fit)
  rows <- t(sapply(unique(cluster), function(g) {
    at <- which(cluster == g); ev <- eigen(M[at, at, drop = FALSE], symmetric = TRUE)
    p <- numeric(length(y))
    p[at] <- t(a[at]) %*% ev$vectors %*% diag(1 / sqrt(ev$values), length(at)) %*% t(ev$vectors)
    p
  }))
  P <- rows %*% M %*% t(rows); se <- sqrt(sum((rows %*% e)^2)); est <- sum(w * coef(fit)); df <- sum(diag(P))^2 / sum(P^2)
  list(estimate = est, std_error = se, df = df, p = 2 * pt(-abs(est / se), df))
}
pairs <- combn(3, 2)
of_pairs <- function(values, how) {
  found <- lapply(seq_len(ncol(pairs)), function(k) how(values[, pairs[1, k]] - values[, pairs[2, k]]))
  names(found) <- apply(pairs, 2, function(p) paste(models[p], collapse = " - "))
  adjusted <- p.adjust(sapply(found, `[[`, "p"), "holm")
  for (n in names(found)) found[[n]]$p_holm <- adjusted[[n]]
  found
}
plain <- function(d) { t <- t.test(d); list(estimate = unname(t$estimate), std_error = t$stderr, df = unname(t$parameter),
                                            low = t$conf.int[1], high = t$conf.int[2], p = t$p.value) }
out <- list(
  r = R.version.string,
  one_task = list(score = of_pairs(score, plain), mean = as.list(setNames(colMeans(score), models)),
                  wilson = setNames(lapply(1:3, function(k) prop.test(sum(wide[, k]), nrow(wide), correct = FALSE)$conf.int[1:2]), models)),
  tasks = list(story = of_pairs(score, function(d) cr2(d, items$task, items$story)),
               independent = of_pairs(score, function(d) cr2(d, items$task, seq_along(d))),
               correct = of_pairs(wide, function(d) cr2(d, items$task, items$story)))
)
write(toJSON(out, digits = 15, auto_unbox = TRUE, pretty = TRUE), "leaderboard.json")
