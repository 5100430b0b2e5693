# Paired data: makes paired.json, and checks paired_sleep.json, paired_anorexia_FT.json, cluster_penicillin.json and
# boot_*.json (made elsewhere with R 4.2.2, effectsize, coin, boot, sandwich, clubSandwich) with base R where they can be.
# Run in tests/golden: Rscript paired.R      (needs jsonlite, clubSandwich, boot)
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich); library(boot) })

close <- function(a, b, what, tol = 1e-7) {
  if (any(abs(unlist(a) - unlist(b)) > tol * pmax(1, abs(unlist(b))))) stop(what, ": ", a, " is not ", b)
}
ncp_ends <- function(t, df, level) sapply(c((1 + level) / 2, (1 - level) / 2), function(share) uniroot(
  function(ncp) pt(t, df, ncp) - share, t + c(-1, 1) * 6 * (1 + abs(t) / sqrt(2 * df)), tol = 1e-13)$root)
flips <- function(d) {  # all sums of +-d, ties by a relative tolerance
  sums <- 0
  for (x in d[d != 0]) sums <- c(sums + x, sums - x)
  tol <- 1e-12 * sum(abs(d))
  c(two = mean(abs(sums) >= abs(sum(d)) - tol), greater = mean(sums >= sum(d) - tol))
}

for (name in c("paired_sleep", "paired_anorexia_FT")) {
  z <- read.csv(paste0(name, ".csv")); r <- fromJSON(paste0(name, ".json"))$r
  d <- z$x - z$y; n <- length(d); tt <- t.test(z$x, z$y, paired = TRUE)
  close(tt$statistic, r$t, "t"); close(tt$p.value, r$p, "p"); close(tt$conf.int, r$ci95, "interval")
  close(ncp_ends(unname(tt$statistic), n - 1, .95) / sqrt(n), r$d_z_ci95_ncp_uniroot, "d_z interval")
  J <- exp(lgamma((n - 1) / 2) - lgamma((n - 2) / 2)) / sqrt((n - 1) / 2)
  close(J, r$hedges_J_exact, "J"); close(J * mean(d) / sd(d), r$g_z, "g_z")
  close(mean(d) / sqrt((var(z$x) + var(z$y)) / 2), r$d_av_rms, "d_av")
  close(mean(d) / sd(d) * sqrt(2 * (1 - cor(z$x, z$y))), r$d_rm, "d_rm")
  w <- suppressWarnings(wilcox.test(z$x, z$y, paired = TRUE, exact = FALSE))
  close(w$statistic, r$wilcox_V, "V"); close(w$p.value, r$wilcox_p_normal_cc, "Wilcoxon")
  close(flips(d)["two"], r$signflip_exact_p_two_sided, "flips")
  close(flips(d)["greater"], r$signflip_exact_p_greater, "flips, greater")
}

# --- one factor with unequal clusters
set.seed(5)
g <- rep(letters[1:7], c(1, 2, 9, 3, 12, 1, 5)); y <- round(rnorm(length(g)) + rnorm(7)[match(g, letters)], 3)
fit <- lm(y ~ 1)
kinds <- c("CR0", "CR1", "CR2", "CR3")
se <- sapply(kinds, function(k) sqrt(vcovCR(fit, cluster = g, type = k)[1, 1]))
test <- coef_test(fit, vcov = "CR2", cluster = g, test = "Satterthwaite")
df <- if (is.null(test$df_Satt)) test$df else test$df_Satt
p <- if (is.null(test$p_Satt)) test$p_val else test$p_Satt
unequal <- list(y = y, g = g, mean = unname(coef(fit)), se = as.list(se), df = df, p = p)

# --- Wilcoxon: exact (no ties, no zeros) and normal, all alternatives
x <- c(1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30)  # Hollander & Wolfe (1973), depression scores
z <- c(0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29)
tests <- list()
for (alternative in c("two.sided", "greater", "less")) for (kind in c("exact", "corrected", "plain")) {
  w <- wilcox.test(x, z, paired = TRUE, alternative = alternative, exact = kind == "exact", correct = kind == "corrected")
  tests[[paste(kind, alternative)]] <- w$p.value
}
wilcoxon <- list(x = x, y = z, V = unname(w$statistic), p = tests)

# --- two one-sided tests of the sleep data against -2.5 and 0.5
s <- read.csv("paired_sleep.csv")
low <- t.test(s$x, s$y, paired = TRUE, mu = -2.5, alternative = "greater")
high <- t.test(s$x, s$y, paired = TRUE, mu = 0.5, alternative = "less")
tost <- list(low = list(t = unname(low$statistic), p = low$p.value), high = list(t = unname(high$statistic), p = high$p.value),
             interval90 = as.numeric(t.test(s$x, s$y, paired = TRUE, conf.level = .9)$conf.int))

text <- toJSON(list(made_by = "paired.R", versions = list(R = R.version.string,
  clubSandwich = as.character(packageVersion("clubSandwich"))), unequal = unequal, wilcoxon = wilcoxon, tost = tost),
  digits = NA, auto_unbox = TRUE, pretty = TRUE)
writeLines(text, "paired.json")
cat("all stored values agree\n")
