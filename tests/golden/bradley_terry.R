# Reference values for Bradley-Terry models. Run from this folder:  Rscript bradley_terry.R
# Reads crossed.csv.gz and rcb_sim.csv.gz beside it and the bundled data sets; writes the .json files beside it.

source("functions.R")
bundled <- function(name) read.csv(file.path("../../socialstats/datasets/data", name), check.names = FALSE)
by_code_point <- function(x) sort(unique(as.character(x)), method = "radix")
lrt <- function(small, large) {
  a <- anova(small, large, test = "Chisq")
  list(statistic = a$Deviance[2], df = a$Df[2], p_value = a[["Pr(>Chi)"]][2])
}
tight <- list(epsilon = 1e-14, maxit = 100)
firth <- function(formula, data) glm(formula, binomial, data, method = "brglmFit", type = "AS_mean",
                                     epsilon = 1e-12, maxit = 1000)

# ---- journal citations
d <- bundled("journal_citations.csv")
items <- by_code_point(c(d$item_a, d$item_b))
for (s in c("item_a", "item_b")) d[[s]] <- factor(d[[s]], levels = items)
m <- BTm(cbind(wins_a, wins_b), item_a, item_b, ~journal, id = "journal", data = d, epsilon = 1e-14)
m_jasa <- update(m, refcat = "JASA")
m_br <- update(m, br = TRUE)
X <- difference(as.character(d$item_a), as.character(d$item_b), items, items[1])
m_br2 <- firth(cbind(wins_a, wins_b) ~ X - 1, d)
write_json(list(
  note = "wins_a = citations of item_a by item_b; coefficients are log-strengths against `reference`",
  ml = describe(m, items, items[1], "journal"),
  ml_reference_jasa = describe(m_jasa, items, "JASA", "journal"),
  firth_brglm = describe(m_br, items, items[1], "journal", qv = FALSE),
  firth = describe(m_br2, items, items[1], "X", qv = FALSE)), "citations.json")

# ---- baseball
d <- bundled("baseball.csv")
items <- by_code_point(c(d$item_a, d$item_b))
X <- difference(d$item_a, d$item_b, items, items[1])
for (s in c("item_a", "item_b")) d[[s]] <- factor(d[[s]], levels = items)
b0 <- BTm(cbind(wins_a, wins_b), item_a, item_b, ~team, id = "team", data = d, epsilon = 1e-14)
bb <- d; bb$item_a <- data.frame(team = d$item_a, order = 1); bb$item_b <- data.frame(team = d$item_b, order = 0)
b1 <- BTm(cbind(wins_a, wins_b), item_a, item_b, ~ team + order, id = "team", data = bb, epsilon = 1e-14)
pair <- apply(cbind(as.character(d$item_a), as.character(d$item_b)), 1, function(p) paste(sort(p), collapse = "|"))
named <- function(v) { n <- sub("^team", "", rownames(v)); dimnames(v) <- list(n, n); matrix_named(v) }
order <- rep(1, nrow(d))
b_br <- firth(cbind(wins_a, wins_b) ~ cbind(X, order = order) - 1, d)
names(b_br$coefficients) <- sub("^cbind\\(X, order = order\\)", "", names(b_br$coefficients))
V_br <- vcov(b_br); dimnames(V_br) <- list(names(coef(b_br)), names(coef(b_br)))
by_row <- function(values) lapply(seq_len(nrow(d)), function(i) list(
  item_a = as.character(d$item_a[i]), item_b = as.character(d$item_b[i]), value = values[[i]]))
write_json(list(
  note = "item_a played at home; `order` is added to the log-odds of item_a. A row is one ordered pair of teams.",
  no_order = describe(b0, items, items[1], "team"), order = describe(b1, items, items[1], "team"),
  lrt = lrt(b0, b1), hc0_by_row = named(sandwich(b1)),
  cluster_by_pair = named(vcovCL(b1, cluster = pair, type = "HC0", cadjust = TRUE)),
  fitted = by_row(as.numeric(fitted(b1))), pearson_residuals = by_row(as.numeric(residuals(b1, type = "pearson"))),
  pearson_chi2 = sum(residuals(b1, type = "pearson")^2),
  firth_order = list(reference = items[1], coefficients = terms_table(coef(b_br), V_br))), "baseball.json")

# ---- an unbeaten item: no maximum-likelihood estimate, but Firth's
d <- data.frame(item_a = c("A", "B", "A", "Z", "Z", "Z"), item_b = c("B", "C", "C", "A", "B", "C"),
                wins_a = c(3, 3, 4, 3, 3, 3), wins_b = c(2, 2, 1, 0, 0, 0))
items <- by_code_point(c(d$item_a, d$item_b))
X <- difference(d$item_a, d$item_b, items, items[1])
m <- firth(cbind(wins_a, wins_b) ~ X - 1, d)
write_json(list(note = "Z is unbeaten", data = d, firth = describe(m, items, items[1], "X", qv = FALSE)), "unbeaten.json")

# ---- ice hockey
d <- bundled("ice_hockey.csv.gz")
items <- by_code_point(c(d$visitor, d$opponent)); ref <- "Alaska Anchorage"
X <- difference(d$visitor, d$opponent, items, ref)
home <- cbind(X, home = -d$home_ice); first <- cbind(X, order = 1)
outcome <- ifelse(d$winner == d$visitor, 1L, ifelse(d$winner == d$opponent, 2L, 3L))
half <- c(1, 0, 0.5)[outcome]
hockey <- function(X) suppressWarnings(glm(half ~ X - 1, binomial, control = tight))
h0 <- hockey(X); h1 <- hockey(home)
# BradleyTerry2 itself, as a check of the difference design
d2 <- transform(d, visitor = factor(visitor, levels = items), opponent = factor(opponent, levels = items), half = half)
bt <- suppressWarnings(BTm(half, data.frame(team = visitor, home = 0), data.frame(team = opponent, home = home_ice),
                           ~ team + home, id = "team", refcat = ref, data = d2))
a <- coef(bt); names(a) <- sub("^team", "", names(a)); b <- coef(h1); names(b) <- sub("^X", "", names(b))
stopifnot(setequal(names(a), names(b)), max(abs(a - b[names(a)])) < 1e-6)
row_se <- function(m) { v <- sandwich(m); n <- sub("^X", "", rownames(v)); setNames(as.list(sqrt(diag(v))), n) }
write_json(list(
  note = "a tie is half a win of both; `home` is added to the log-odds of the side at home; deviance of 1,083 rows",
  half = describe(h0, items, ref, "X", covariance = FALSE), half_home = describe(h1, items, ref, "X", covariance = FALSE),
  hc0_std_errors = list(half = row_se(h0), half_home = row_se(h1))), "ice_hockey.json")

# ---- ice hockey with ties modelled
loglinear <- function(X) {  # Davidson as a Poisson model with one constant a game, by gnm
  n <- nrow(X)
  Z <- rbind(X / 2, -X / 2, 0 * X)
  frame <- data.frame(y = c(outcome == 1, outcome == 2, outcome == 3) + 0, game = factor(rep(seq_len(n), 3)),
                      log_nu = rep(c(0, 0, 1), each = n))
  m <- gnm(y ~ Z + log_nu - 1, eliminate = game, family = poisson, data = frame, tolerance = 1e-12, verbose = FALSE)
  V <- vcov(m); e <- coef(m)[rownames(V)]; n <- sub("^Z", "", rownames(V))
  names(e) <- n; dimnames(V) <- list(n, n)
  terms_table(e, V)
}
po <- polr(factor(c(3, 1, 2)[outcome], ordered = TRUE) ~ X, Hess = TRUE, control = list(reltol = 1e-15, maxit = 5000))
se <- sqrt(diag(vcov(po)))
write_json(list(
  note = paste("log_nu: P(tie) proportional to nu sqrt(p_a p_b). log_theta: P(a wins) = p_a / (p_a + theta p_b).",
               "`order` is added to the log-odds of the visitor (taken as first in every game), `home` to those of",
               "the side at home."),
  davidson = describe_ties(fit_davidson(X, outcome), items, ref, qv = TRUE),
  davidson_order = describe_ties(fit_davidson(first, outcome), items, ref),
  davidson_home = describe_ties(fit_davidson(home, outcome), items, ref),
  rao_kupper = describe_ties(fit_raokupper(X, outcome), items, ref, qv = TRUE),
  rao_kupper_order = describe_ties(fit_raokupper(first, outcome), items, ref),
  rao_kupper_home = describe_ties(fit_raokupper(home, outcome), items, ref),
  davidson_gnm = loglinear(X), davidson_order_gnm = loglinear(first), davidson_home_gnm = loglinear(home),
  rao_kupper_order_polr = list(
    note = "log_theta = (zeta2 - zeta1) / 2; order = -(zeta1 + zeta2) / 2; optim, so good to about 1e-5",
    loglik = as.numeric(logLik(po)), zeta = unname(po$zeta),
    coefficients = lapply(names(coef(po)), function(n) list(
      term = sub("^X", "", n), estimate = coef(po)[[n]], std_error = se[[n]])))), "ice_hockey_ties.json")

# ---- crossed clusters
d <- read.csv("crossed.csv.gz")
items <- by_code_point(c(d$item_a, d$item_b)); ref <- items[1]
# Davidson by psychotools; too slow for the 1,653 pairs of ice hockey, and it has no order effect
psycho <- function(a, b, outcome, items, ref) {
  ia <- match(a, items); ib <- match(b, items)
  pairs <- which(upper.tri(diag(length(items))), arr.ind = TRUE)  # the order that paircomp() wants
  key <- match(paste(pmin(ia, ib), pmax(ia, ib)), paste(pairs[, 1], pairs[, 2]))
  M <- matrix(NA_integer_, length(a), nrow(pairs))
  M[cbind(seq_along(a), key)] <- ifelse(outcome == 3, 0L, ifelse((outcome == 1) == (ia < ib), 1L, -1L))
  m <- btmodel(paircomp(M, labels = items, mscale = -1:1), undecided = TRUE, ref = ref, epsilon = 1e-14, maxit = 200)
  V <- vcov(m); e <- coef(m)[rownames(V)]
  names(e) <- rownames(V) <- colnames(V) <- sub("(undecided)", "log_nu", names(e), fixed = TRUE)
  list(loglik = m$loglik, coefficients = terms_table(e, V))
}
design <- function(d) cbind(difference(d$item_a, d$item_b, items, ref), urgency = d$urgency_a - d$urgency_b,
                            order = ifelse(d$first == d$item_a, 1, -1))
outcome <- ifelse(d$winner == d$item_a, 1L, ifelse(d$winner == d$item_b, 2L, 3L))
free <- d[outcome != 3, ]
X <- design(free); y <- as.numeric(free$winner == free$item_a)
m_items <- glm(y ~ X[, items[-1]] - 1, binomial, control = tight)
m_urgency <- glm(y ~ X[, c(items[-1], "urgency")] - 1, binomial, control = tight)
m_full <- glm(y ~ X - 1, binomial, control = tight)
clean <- function(x) rapply(x, function(v) sub("^X", "", v), classes = "character", how = "replace")
full <- design(d)
dav <- fit_davidson(full, outcome); rao <- fit_raokupper(full, outcome)
by <- c("worker", "prompt")
some <- d$item_a %in% items[7:12] & d$item_b %in% items[7:12]; few <- d[some, ]
X_few <- cbind(difference(few$item_a, few$item_b, items[7:12], items[7]), full[some, c("urgency", "order")])
dav_few <- fit_davidson(X_few, outcome[some])
counts <- function(d) list(rows = nrow(d), workers = length(unique(d$worker)), prompts = length(unique(d$prompt)))
write_json(list(
  note = paste("vcovCL of package sandwich: type HC0, cadjust = TRUE (G/(G-1) for each factor and for the",
               "intersection), multi0 = FALSE; `unadjusted` without those factors; `floored` with",
               "negative eigenvalues set to 0 (fix = TRUE), the same matrix where there are none"),
  tie_free = c(counts(free), describe(m_full, items, ref, "X"), clean(robust(m_full, free$worker, free$prompt, by)),
               list(anova = list(urgency = lrt(m_items, m_urgency), order = lrt(m_urgency, m_full)))),
  davidson = c(counts(d), describe_ties(dav, items, ref, TRUE, TRUE), robust(dav, d$worker, d$prompt, by)),
  rao_kupper = c(counts(d), describe_ties(rao, items, ref, TRUE, TRUE), robust(rao, d$worker, d$prompt, by)),
  davidson_items_7_to_12 = c(counts(few), describe_ties(dav_few, items[7:12], items[7], TRUE, TRUE),
                             robust(dav_few, few$worker, few$prompt, by)),
  davidson_items_only = describe_ties(fit_davidson(full[, items[-1]], outcome), items, ref),
  davidson_items_only_psychotools = psycho(d$item_a, d$item_b, outcome, items, ref)), "crossed.json")

# ---- simulated role conflict, 13,914 rows
d <- read.csv("rcb_sim.csv.gz")
items <- by_code_point(c(d$item_a, d$item_b)); ref <- items[1]
X <- difference(d$item_a, d$item_b, items, ref); y <- as.numeric(d$winner == d$item_a)
urgency <- d$urgency_a - d$urgency_b
r0 <- glm(y ~ X - 1, binomial, control = tight)
r1 <- glm(y ~ cbind(X, urgency) - 1, binomial, control = tight)
names(r1$coefficients) <- sub("^cbind\\(X, urgency\\)", "", names(r1$coefficients))
low <- pmin(d$item_a, d$item_b); high <- pmax(d$item_a, d$item_b); pair <- paste(low, high)
cluster_se <- function(m) {
  v <- vcovCL(m, cluster = pair, type = "HC0", cadjust = TRUE)
  n <- sub("^cbind\\(X, urgency\\)", "", sub("^X", "", rownames(v))); dimnames(v) <- list(n, n)
  k <- n %in% items
  full <- with_reference(setNames(numeric(sum(k)), n[k]), v[k, k], items, ref)
  c(as.list(sqrt(diag(centred_covariance(full)))), as.list(sqrt(diag(v))[!k]))
}
cells <- aggregate(cbind(wins = d$winner == low, n = 1) ~ low + high, FUN = sum)
agg <- glm(cbind(wins, n - wins) ~ difference(low, high, items, ref) - 1, binomial, cells, control = tight)
write_json(list(
  note = "rcb_sim.csv.gz is simulated: no order effect, urgency 0.5 a step",
  ml = describe(r0, items, ref, "X", covariance = FALSE), pair_deviance = agg$deviance, pair_df = agg$df.residual,
  ml_urgency = describe(r1, items, ref, "", covariance = FALSE, qv = FALSE), lrt_urgency = lrt(r0, r1),
  cluster_by_pair_centred_std_errors = list(ml = cluster_se(r0), ml_urgency = cluster_se(r1)),
  pairs = length(unique(pair))), "rcb_sim.json")
