# Functions for bradley_terry.R. Names first: everything leaves as (term, value), never by position.

suppressPackageStartupMessages({
  library(BradleyTerry2); library(brglm2); library(gnm); library(jsonlite); library(MASS)
  library(psychotools); library(qvcalc); library(sandwich)
})

versions <- c(list(R = R.version.string), sapply(
  c("BradleyTerry2", "brglm", "brglm2", "gnm", "MASS", "psychotools", "qvcalc", "sandwich"),
  function(p) as.character(packageVersion(p)), simplify = FALSE))

write_json <- function(x, name) {
  text <- toJSON(c(list(made_by = "bradley_terry.R", versions = versions), x), digits = NA, auto_unbox = TRUE,
                 pretty = TRUE, na = "null", null = "null")
  writeLines(text, name)
}

# ---- shapes of the output
terms_table <- function(estimate, vcov, tests = FALSE) {
  se <- sqrt(diag(vcov))
  lapply(seq_along(estimate), function(i) c(
    list(term = names(estimate)[i], estimate = unname(estimate[i]), std_error = unname(se[i])),
    if (tests) list(statistic = unname(estimate[i] / se[i]),
                    p_value = unname(2 * pnorm(-abs(estimate[i] / se[i]))))))
}
matrix_named <- function(v) list(names = rownames(v), matrix = unname(v))

# all items: estimates against `ref` completed with its 0, and their covariance with a row and a column of zeros
with_reference <- function(estimate, vcov, items, ref) {
  full <- setNames(numeric(length(items)), items)
  full[names(estimate)] <- estimate
  v <- matrix(0, length(items), length(items), dimnames = list(items, items))
  v[names(estimate), names(estimate)] <- vcov
  list(estimate = full, vcov = v, ref = ref)
}
centred_covariance <- function(full) {
  n <- length(full$estimate)
  C <- diag(n) - 1 / n
  v <- C %*% full$vcov %*% t(C)
  dimnames(v) <- dimnames(full$vcov)
  v
}
centred <- function(full) {
  v <- centred_covariance(full)
  e <- full$estimate - mean(full$estimate)
  lapply(seq_along(e), function(i) list(item = names(e)[i], estimate = unname(e[i]), std_error = sqrt(v[i, i])))
}
worth <- function(full) as.list(exp(full$estimate) / sum(exp(full$estimate)))
quasi <- function(full) {
  q <- qvcalc(full$vcov, estimates = full$estimate)
  f <- q$qvframe
  list(rows = lapply(seq_len(nrow(f)), function(i) list(
         item = rownames(f)[i], quasi_se = f[i, "quasiSE"], quasi_variance = f[i, "quasiVar"])),
       relative_errors_range = range(q$relerrs), worst_errors = worstErrors(q))
}
bernoulli <- function(m) {  # log-likelihood of the single comparisons, without binomial coefficients
  y <- m$y; w <- m$prior.weights; mu <- fitted(m)
  sum(w * (ifelse(y > 0, y * log(mu), 0) + ifelse(y < 1, (1 - y) * log(1 - mu), 0)))
}

# ---- a fitted glm (or BTm) whose item coefficients are named prefix + item
describe <- function(m, items, ref, prefix = "", covariance = TRUE, qv = TRUE) {
  e <- coef(m); V <- vcov(m)
  names(e) <- rownames(V) <- colnames(V) <- sub(paste0("^", prefix), "", names(e))
  is_item <- names(e) %in% items
  full <- with_reference(e[is_item], V[is_item, is_item, drop = FALSE], items, ref)
  r <- list(reference = ref, coefficients = terms_table(e, V, TRUE), loglik_binomial = as.numeric(logLik(m)),
            loglik_bernoulli = bernoulli(m), deviance = m$deviance, null_deviance = m$null.deviance,
            df_residual = m$df.residual, aic = AIC(m), centred = centred(full), worth = worth(full))
  if (covariance) r$vcov <- matrix_named(V)
  if (qv) r$quasi_variances <- quasi(full)
  r
}

# ---- difference design: +1 for the first named, -1 for the second; the reference's column is left out
difference <- function(a, b, items, ref) {
  X <- outer(a, items, "==") - outer(b, items, "==")
  colnames(X) <- items
  X[, items != ref, drop = FALSE]
}

# ---- Davidson (1970), by Newton with analytic derivatives. It is a multinomial log-linear model: the three outcomes
# of a row have the linear predictors d/2, -d/2 and log nu, with d = X beta; outcome 1: a wins, 2: b wins, 3: tie.
fit_davidson <- function(X, outcome) {
  k <- ncol(X) + 1
  Z <- list(cbind(X / 2, 0), cbind(-X / 2, 0), cbind(0 * X, 1))
  theta <- numeric(k)
  for (i in 1:200) {
    eta <- sapply(Z, function(z) drop(z %*% theta))
    P <- exp(eta - apply(eta, 1, max)); P <- P / rowSums(P)
    mean_z <- Z[[1]] * P[, 1] + Z[[2]] * P[, 2] + Z[[3]] * P[, 3]
    score <- (Z[[1]] * (outcome == 1) + Z[[2]] * (outcome == 2) + Z[[3]] * (outcome == 3)) - mean_z
    info <- -crossprod(mean_z)
    for (j in 1:3) info <- info + crossprod(Z[[j]], Z[[j]] * P[, j])
    step <- drop(solve(info, colSums(score)))
    if (max(abs(colSums(score))) < 1e-11) break
    theta <- theta + step
  }
  finish(theta, c(colnames(X), "log_nu"), info, score, sum(log(P[cbind(seq_along(outcome), outcome)])))
}

# ---- Rao and Kupper (1967), likewise, in beta and t = log theta: P(a) = F(d - t), P(b) = F(-d - t), and
# P(tie) = P(a) P(b) (exp(2t) - 1), so a tie counts as a win of both beside the last factor.
fit_raokupper <- function(X, outcome, start = 0.3) {
  a <- outcome != 2; b <- outcome != 1; tie <- outcome == 3
  theta <- c(numeric(ncol(X)), start)
  k <- length(theta)
  for (i in 1:200) {
    d <- drop(X %*% theta[-k]); t <- theta[k]
    fa <- plogis(d - t); fb <- plogis(-d - t)
    g <- 2 * exp(2 * t) / (exp(2 * t) - 1)
    Xa <- cbind(X, -1); Xb <- cbind(-X, -1)
    score <- Xa * (a * (1 - fa)) + Xb * (b * (1 - fb))
    score[, k] <- score[, k] + tie * g
    info <- crossprod(Xa, Xa * (a * fa * (1 - fa))) + crossprod(Xb, Xb * (b * fb * (1 - fb)))
    info[k, k] <- info[k, k] + sum(tie) * 4 * exp(2 * t) / (exp(2 * t) - 1)^2
    if (max(abs(colSums(score))) < 1e-11) break
    step <- drop(solve(info, colSums(score)))
    while (theta[k] + step[k] <= 0) step <- step / 2
    theta <- theta + step
  }
  ll <- sum(a * plogis(d - t, log.p = TRUE) + b * plogis(-d - t, log.p = TRUE) + tie * log(expm1(2 * t)))
  finish(theta, c(colnames(X), "log_theta"), info, score, ll)
}

# a fitted tie model that package sandwich understands: it needs bread(), estfun() and nobs()
finish <- function(theta, names, info, score, loglik) {
  dimnames(info) <- list(names, names); colnames(score) <- names
  structure(list(coefficients = setNames(theta, names), vcov = solve(info), score = score, loglik = loglik,
                 max_gradient = max(abs(colSums(score)))), class = "tie_model")
}
coef.tie_model <- function(object, ...) object$coefficients
vcov.tie_model <- function(object, ...) object$vcov
nobs.tie_model <- function(object, ...) nrow(object$score)
bread.tie_model <- function(x, ...) x$vcov * nrow(x$score)
estfun.tie_model <- function(x, ...) x$score
for (f in c("coef", "vcov", "nobs")) registerS3method(f, "tie_model", get(paste0(f, ".tie_model")), asNamespace("stats"))
for (f in c("bread", "estfun")) registerS3method(f, "tie_model", get(paste0(f, ".tie_model")), asNamespace("sandwich"))

describe_ties <- function(m, items, ref, covariance = FALSE, qv = FALSE) {
  e <- coef(m); V <- vcov(m); is_item <- names(e) %in% items
  full <- with_reference(e[is_item], V[is_item, is_item], items, ref)
  r <- list(reference = ref, loglik = m$loglik, max_abs_gradient = m$max_gradient, coefficients = terms_table(e, V),
            centred = centred(full))
  if (covariance) r$vcov <- matrix_named(V)
  if (qv) r$quasi_variances <- quasi(full)
  r
}

# ---- covariance by row, by one factor and by two crossed factors; G/(G-1) for each factor and the intersection
robust <- function(m, one, two, names = c("one", "two")) {
  both <- data.frame(one, two)
  cl <- function(cluster, adjust = TRUE)
    vcovCL(m, cluster = cluster, type = "HC0", cadjust = adjust, multi0 = FALSE)
  r <- list(hc0_by_row = matrix_named(sandwich(m)), one_way = list(), two_way = matrix_named(cl(both)),
            two_way_unadjusted = matrix_named(cl(both, FALSE)),
            two_way_smallest_eigenvalue = min(eigen(cl(both), TRUE)$values),
            two_way_floored = matrix_named(vcovCL(m, cluster = both, type = "HC0", cadjust = TRUE, multi0 = FALSE,
                                                  fix = TRUE)))
  r$one_way[[names[1]]] <- matrix_named(cl(one)); r$one_way[[names[2]]] <- matrix_named(cl(two))
  r$one_way_unadjusted[[names[1]]] <- matrix_named(cl(one, FALSE))
  r
}
