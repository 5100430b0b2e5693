# Reference values for comparisons whose winner is a probability. Run from this folder:  Rscript probabilities.R
# Estimates are those of glm(quasibinomial). Errors by reply are sandwich::vcovHC(type = "HC2"), whose degrees of freedom
# are clubSandwich's (Satterthwaite) for the linear model of whitened rows, each a cluster: CR2 is HC2 there. Errors by
# worker are clubSandwich's CR2 of that model; its CR0 is sandwich::vcovCL(type = "HC0"), which the script checks.
# The answers are multiples of 1/1024.
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich); library(sandwich) })
set.seed(16)
items <- c("aunt", "boss", "clerk", "driver", "editor", "friend")
n <- 180; workers <- 9
pairs <- t(replicate(n, sample(items, 2)))
d <- data.frame(item_a = pairs[, 1], item_b = pairs[, 2], first = ifelse(runif(n) < .5, pairs[, 1], pairs[, 2]),
                urgency_a = sample(0:2, n, TRUE), urgency_b = sample(0:2, n, TRUE),
                worker = paste0("w", sample(workers, n, TRUE, prob = workers:1)))
strength <- setNames(seq(-1.5, 1.5, length.out = 6), items)
lean <- setNames(rnorm(workers, sd = .8), paste0("w", seq_len(workers)))
eta <- strength[d$item_a] - strength[d$item_b] + .6 * (d$urgency_a - d$urgency_b) + .3 * ifelse(d$first == d$item_a, 1, -1) +
  lean[d$worker] + rnorm(n)
d$p <- round(plogis(2 * eta) * 1024) / 1024
write.csv(d, "probabilities.csv", row.names = FALSE, quote = FALSE)

X <- outer(d$item_a, items, "==") - outer(d$item_b, items, "=="); colnames(X) <- items
X <- cbind(X[, -1], order = ifelse(d$first == d$item_a, 1, -1), urgency = d$urgency_a - d$urgency_b)
m <- glm(d$p ~ X - 1, family = quasibinomial, control = list(epsilon = 1e-15, maxit = 50))
b <- setNames(coef(m), colnames(X))

k <- length(items); full <- rbind(0, diag(k - 1)); rownames(full) <- items
centred <- sweep(full, 2, colMeans(full)); ij <- combn(k, 2)
gaps <- full[ij[1, ], ] - full[ij[2, ], ]; rownames(gaps) <- paste(items[ij[1, ]], "-", items[ij[2, ]])
C <- rbind(cbind(rbind(centred, gaps), 0, 0), order = c(numeric(k - 1), 1, 0), urgency = c(numeric(k - 1), 0, 1))

w <- sqrt(m$weights); R <- X * w
white <- lm(w * (drop(X %*% b) + (d$p - fitted(m)) / m$weights) ~ R - 1)
names(white$coefficients) <- colnames(X)
own <- vcovCR(white, cluster = seq_len(n), type = "CR2")
by_reply <- vcovHC(m, type = "HC2")
stopifnot(max(abs(own / by_reply - 1)) < 1e-6)
stopifnot(max(abs(vcovCR(white, cluster = d$worker, type = "CR0") / vcovCL(m, d$worker, type = "HC0", cadj = FALSE) - 1)) < 1e-6)
described <- function(V, se = NULL) {
  found <- linear_contrast(white, vcov = V, contrasts = C, test = "Satterthwaite")
  lapply(seq_len(nrow(C)), function(i) list(term = rownames(C)[i], estimate = found$Est[i],
         std_error = if (is.null(se)) found$SE[i] else se[i], df = found$df[i]))
}
test <- Wald_test(white, constraints = constrain_zero(7), vcov = vcovCR(white, cluster = d$worker, type = "CR2"), test = "HTZ")
out <- list(
  versions = list(R = as.character(getRversion()), sandwich = as.character(packageVersion("sandwich")),
                  clubSandwich = as.character(packageVersion("clubSandwich"))),
  dispersion = summary(m)$dispersion,
  reply = described(own, sqrt(rowSums((C %*% by_reply) * C))),
  worker = described(vcovCR(white, cluster = d$worker, type = "CR2")),
  urgency_by_worker = list(F = test$Fstat, df = test$df_denom, p = test$p_val)
)
write_json(out, "probabilities.json", digits = 15, auto_unbox = TRUE, pretty = TRUE)
