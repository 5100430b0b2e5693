# Intervals of the noncentrality of a t statistic -> noncentral_t.json
#
# An end is the quantile of t U + Z, with Z normal and U = sqrt(chi-square / df) independent: P(T <= t | end). It is
# found by uniroot() from integrate() over Z of pchisq(), which knows no noncentral distribution. R's own
# pt(ncp =) is right up to |ncp| = 37.62 only; where the ends are below it, it is asked as well.
#
# Run in this folder: Rscript noncentral_t.R

library(jsonlite)

below <- function(end, t, df) {  # P(t U + Z < end)
  f <- function(z) dnorm(z) * pchisq(df * pmax(0, (end - z) / t)^2, df)
  cuts <- sort(unique(c(-38, -6, -2, 0, 2, 6, 38, pmin(pmax(end, -38), 38))))
  sum(sapply(seq_len(length(cuts) - 1), function(k)
    integrate(f, cuts[k], cuts[k + 1], rel.tol = 1e-13, abs.tol = 1e-18, subdivisions = 2000L)$value))
}

end <- function(t, df, p) {
  near <- t * sqrt(qchisq(p, df) / df)
  uniroot(function(x) below(x, t, df) - p, c(near - 12 - 0.5 * near, near + 12 + 0.5 * near),
          tol = 1e-13 * max(1, near), maxiter = 1000)$root
}

cases <- expand.grid(t = c(5, 12.7, 60, 400, 1e4, 1e5, 1e6), df = c(1, 2, 5, 30, 400))
cases$low <- mapply(end, cases$t, cases$df, 0.025)
cases$high <- mapply(end, cases$t, cases$df, 0.975)
small <- cases$high < 37
cases$pt_low <- ifelse(small, pt(cases$t, cases$df, ncp = cases$low, lower.tail = FALSE), NA)
cases$pt_high <- ifelse(small, pt(cases$t, cases$df, ncp = cases$high), NA)
stopifnot(all(abs(c(cases$pt_low, cases$pt_high)[!is.na(c(cases$pt_low, cases$pt_high))] - 0.025) < 1e-9))

# Small t and many df: the integral over U. pt(ncp =) loses digits there (lgamma of df / 2 cancels): 3e-10 at 1e5 df.
below_u <- function(end, t, df) integrate(function(v) {
  u <- 1 + v / sqrt(2 * df)
  dchisq(df * u^2, df) * sqrt(2 * df) * u * pnorm(end - t * u)
}, -12, 12, rel.tol = 1e-13, subdivisions = 2000L)$value
many <- expand.grid(t = c(0, 1e-6, 0.3, 2, 8), df = c(1e5, 1e7, 1e9))
inverse <- function(t, df, p) uniroot(function(x) below_u(x, t, df) - p, c(t - 6, t + 6), tol = 1e-13)$root
many$low <- mapply(inverse, many$t, many$df, 0.025)
many$high <- mapply(inverse, many$t, many$df, 0.975)
stopifnot(all(abs(mapply(function(t, df, x) pt(t, df, ncp = x), many$t, many$df, many$high) - 0.025) < 1e-10))

out <- list(
  source = paste("R", getRversion(), "uniroot(integrate(dnorm * pchisq)); many: uniroot(integrate(dchisq * pnorm))"),
  level = 0.95, cases = cases[c("t", "df", "low", "high")], many = many
)
write_json(out, "noncentral_t.json", digits = NA, auto_unbox = TRUE, pretty = TRUE)
