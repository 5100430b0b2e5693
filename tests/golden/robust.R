# Reference values for cluster-robust inference in Bradley-Terry models. Run from this folder:  Rscript robust.R
# CR2 standard errors, Satterthwaite's degrees of freedom and HTZ Wald tests are those of clubSandwich for the linear
# model of whitened rows: X~ = L'X, y~ = L'(X beta) + L^-1 score, L L' the information of a row at the estimate.
# On the glm itself clubSandwich takes another root of the same equation, and CR2 differs by up to 0.2 %.
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich); library(sandwich) })

by_code_point <- function(x) sort(unique(as.character(x)), method = "radix")
difference <- function(a, b, items) { X <- outer(a, items, "==") - outer(b, items, "=="); colnames(X) <- items; X[, -1] }

# outcome 1: a wins, 2: b wins, 3: tie. Bradley-Terry without ties, Davidson (1970) with: canonical in (eta, log nu).
fit <- function(X, outcome, ties) {
  Z <- if (ties) cbind(X, log_nu = 0) else X
  beta <- setNames(numeric(ncol(Z)), colnames(Z))
  for (round in 1:50) {
    eta <- drop(X %*% beta[seq_len(ncol(X))])
    w <- cbind(exp(eta / 2), exp(-eta / 2), if (ties) exp(beta[["log_nu"]]) else 0)
    p <- w / rowSums(w)
    mean_eta <- (p[, 1] - p[, 2]) / 2
    s_eta <- c(0.5, -0.5, 0)[outcome] - mean_eta
    h_ee <- (p[, 1] + p[, 2]) / 4 - mean_eta^2; h_et <- -mean_eta * p[, 3]; h_tt <- p[, 3] * (1 - p[, 3])
    l11 <- sqrt(h_ee); l21 <- h_et / l11; l22 <- sqrt(pmax(h_tt - l21^2, 0))
    rows <- X * l11; residual <- s_eta / l11
    if (ties) {
      rows <- rbind(cbind(rows, log_nu = l21), cbind(0 * X, log_nu = l22))
      residual <- c(residual, ((outcome == 3) - p[, 3] - l21 * residual) / l22)
    }
    step <- drop(solve(crossprod(rows), crossprod(rows, residual)))
    if (max(abs(step)) < 1e-13) break
    beta <- beta + step
  }
  list(beta = beta, rows = rows, residual = residual, copies = if (ties) 2 else 1)
}

# centred strengths, all differences of strengths, and the other terms, as rows over the coefficients
contrasts_of <- function(beta, items) {
  k <- length(items); rest <- setdiff(names(beta), items)
  full <- rbind(0, diag(k - 1)); rownames(full) <- items
  strength <- sweep(full, 2, colMeans(full))
  pairs <- combn(k, 2)
  gaps <- full[pairs[1, ], ] - full[pairs[2, ], ]; rownames(gaps) <- paste(items[pairs[1, ]], "-", items[pairs[2, ]])
  all <- cbind(rbind(strength, gaps), matrix(0, k + ncol(pairs), length(rest)))
  extra <- cbind(matrix(0, length(rest), k - 1), diag(length(rest))); rownames(extra) <- rest
  rbind(all, extra)
}

described <- function(X, outcome, cluster, items, ties, joint = list()) {
  f <- fit(X, outcome, ties)
  R <- f$rows
  m <- lm(drop(R %*% f$beta) + f$residual ~ R - 1)
  names(m$coefficients) <- colnames(R)
  V <- vcovCR(m, cluster = rep(cluster, f$copies), type = "CR2")
  C <- contrasts_of(f$beta, items)
  found <- linear_contrast(m, vcov = V, contrasts = C, test = "Satterthwaite")
  tests <- lapply(joint, function(terms) {
    w <- Wald_test(m, constraints = constrain_zero(match(terms, names(f$beta))), vcov = V, test = "HTZ")
    list(terms = terms, F = w$Fstat, df1 = w$df_num, df2 = w$df_denom, p = w$p_val)
  })
  list(clusters = length(unique(cluster)), rows = length(outcome),
       contrasts = lapply(seq_len(nrow(C)), function(i) list(
         term = rownames(C)[i], estimate = found$Est[i], std_error = found$SE[i], df = found$df[i])),
       wald = tests)
}
each <- function(d) { # one row a comparison from a table of counts
  n <- d$wins_a + d$wins_b + d$ties
  outcome <- unlist(lapply(seq_len(nrow(d)), function(i) rep(1:3, c(d$wins_a[i], d$wins_b[i], d$ties[i]))))
  list(row = rep(seq_len(nrow(d)), n), outcome = outcome)
}

# ---- thin pairs: a core of five, an item met in two pairs (F) and one met in one (G); unequal numbers
core <- t(combn(LETTERS[1:5], 2))
thin <- data.frame(item_a = c(core[, 1], "A", "B", "C"), item_b = c(core[, 2], "F", "F", "G"),
                   wins_a = c(6, 3, 12, 2, 9, 4, 4, 14, 8, 5, 7, 3, 11), wins_b = c(4, 9, 5, 3, 6, 11, 2, 9, 3, 6, 3, 8, 6),
                   ties = 0)
tied <- transform(thin, ties = c(3, 1, 9, 4, 0, 6, 2, 7, 1, 12, 2, 4, 3))
by_pair <- function(d, ties) {
  items <- by_code_point(c(d$item_a, d$item_b)); e <- each(d)
  described(difference(d$item_a, d$item_b, items)[e$row, ], e$outcome, e$row, items, ties)
}

# ---- baseball by pair of teams, with home advantage: two orders a pair
b <- read.csv("../../socialstats/datasets/data/baseball.csv"); b$ties <- 0
teams <- by_code_point(c(b$item_a, b$item_b)); e <- each(b)
X <- cbind(difference(b$item_a, b$item_b, teams), order = 1)[e$row, ]
pair <- paste(pmin(b$item_a, b$item_b), pmax(b$item_a, b$item_b))[e$row]

# ---- crossed.csv.gz: workers and prompts, with urgency and order; half of the workers too, whose rows are unequal
d <- read.csv("crossed.csv.gz")
items <- by_code_point(c(d$item_a, d$item_b))
crossed <- function(d, ties, by) {
  X <- cbind(difference(d$item_a, d$item_b, items), urgency = d$urgency_a - d$urgency_b,
             order = ifelse(d$first == d$item_a, 1, -1))
  outcome <- ifelse(d$winner == d$item_a, 1L, ifelse(d$winner == d$item_b, 2L, 3L))
  described(X, outcome, d[[by]], items, ties, list(c("urgency", "order")))
}
few <- d[d$worker %in% by_code_point(d$worker)[1:12], ]
models <- list(tie_free = function(d, by) crossed(d[d$winner != "tie", ], FALSE, by),
               davidson = function(d, by) crossed(d, TRUE, by))

# ---- a row of counts as one observation: clusters of one row, where CR2 is HC2 of package sandwich
wide <- glm(cbind(wins_a, wins_b) ~ cbind(difference(item_a, item_b, teams), order = 1) - 1, binomial, b,
            control = list(epsilon = 1e-14, maxit = 100))
hc2 <- setNames(sqrt(diag(vcovHC(wide, type = "HC2"))), c(teams[-1], "order"))

# ---- simulated role conflict by pair, with urgency: all standard errors, df of a few contrasts
r <- read.csv("rcb_sim.csv.gz")
fams <- by_code_point(c(r$item_a, r$item_b))
by_pair_of_families <- function(urgency) {
  X <- difference(r$item_a, r$item_b, fams)
  f <- fit(if (urgency) cbind(X, urgency = r$urgency_a - r$urgency_b) else X, ifelse(r$winner == r$item_a, 1L, 2L), FALSE)
  R <- f$rows
  m <- lm(drop(R %*% f$beta) + f$residual ~ R - 1); names(m$coefficients) <- colnames(R)
  V <- vcovCR(m, cluster = paste(pmin(r$item_a, r$item_b), pmax(r$item_a, r$item_b)), type = "CR2")
  k <- length(fams)
  C <- sweep(rbind(0, diag(k - 1)), 2, 1 / k); rownames(C) <- fams
  if (urgency) { C <- rbind(cbind(C, 0), 0); C[k + 1, k] <- 1; rownames(C)[k + 1] <- "urgency" }
  some <- c(1, 2, k, if (urgency) k + 1)
  found <- linear_contrast(m, vcov = V, contrasts = C[some, ], test = "Satterthwaite")
  list(std_errors = as.list(sqrt(diag(C %*% V %*% t(C)))), df = as.list(setNames(found$df, rownames(C)[some])))
}
versions <- list(R = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich")),
                 sandwich = as.character(packageVersion("sandwich")))
text <- toJSON(list(
  made_by = "robust.R", versions = versions,
  note = paste("std_error: CR2 without G/(G-1); df: Satterthwaite, of each contrast; wald: HTZ (Pustejovsky & Tipton 2018).",
               "G of the thin tables has leverage 1: its own contrasts mean nothing, those without it are compared."),
  thin = list(data = thin, by_pair = by_pair(thin, FALSE)), tied = list(data = tied, by_pair = by_pair(tied, TRUE)),
  baseball = list(pair = described(X, e$outcome, pair, teams, FALSE), hc2_by_row = as.list(hc2)),
  role_conflict = list(urgency = by_pair_of_families(TRUE), plain = by_pair_of_families(FALSE)),
  crossed = lapply(models, function(m) list(worker = m(d, "worker"), prompt = m(d, "prompt"))),
  twelve_workers = lapply(models, function(m) list(worker = m(few, "worker")))),
  digits = NA, auto_unbox = TRUE, pretty = TRUE, na = "null")
writeLines(text, "robust.json")
