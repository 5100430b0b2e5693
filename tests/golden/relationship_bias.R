# Reference values for relationship_bias. Run from this folder:  Rscript relationship_bias.R
# Writes relationship_bias.json from the simulated answers that socialstats bundles. R 4.2, sandwich (V12: HC0 of the
# intersections), jsonlite. V1, V2: sums of scores by cluster over 1 - their share of the units (CR2 of one parameter) with
# Satterthwaite's df from the matrix P; variance: the largest of V1, V2, V1 + V2 - V12; df: Cochran (1964).

suppressPackageStartupMessages({ library(jsonlite); library(sandwich) })

data <- read.csv(gzfile("../../socialstats/datasets/data/relationship_bias.csv.gz"))
data <- data[!is.na(data$answer), ]
groups <- c("woman", "neutral", "man")
pairs <- list(c("woman", "neutral"), c("woman", "man"), c("neutral", "man"))

error_of <- function(fit, d, contrast) {
  score <- drop(estfun(fit) %*% solve(crossprod(model.matrix(fit))) %*% contrast)
  unit <- interaction(d$scenario, d$pair, drop = TRUE)
  part <- function(by) {
    n <- c(table(by))
    s <- tapply(score, by, sum)[names(n)]; left <- 1 - n / sum(n)
    P <- (diag(n) - outer(n, n) / sum(n)) / sqrt(outer(left, left))
    c(sum(s^2 / left), sum(diag(P))^2 / sum(P * P))
  }
  one <- part(as.character(d$scenario)); two <- part(as.character(d$pair))
  v1 <- one[1]; v2 <- two[1]; counts <- c(one[2], two[2])
  v12 <- drop(contrast %*% vcovCL(fit, unit, type = "HC0", cadjust = FALSE) %*% contrast)
  wanted <- sum(c(v1, v2) * qt(.975, counts)) / (v1 + v2)
  df <- if (abs(diff(counts)) < 1e-9) counts[1] else
    uniroot(function(x) qt(.975, x) - wanted, range(counts), tol = 1e-13)$root
  list(se = sqrt(max(v1 + v2 - v12, v1, v2)), df = df)
}
test <- function(estimate, error) {
  se <- error$se; df <- error$df
  list(estimate = estimate, std_error = se, df = df, statistic = estimate / se,
       low = estimate - qt(.975, df) * se, high = estimate + qt(.975, df) * se, p = 2 * pt(-abs(estimate / se), df))
}

bias <- function(d, a, b) {
  d <- d[(d$group_first == a & d$group_second == b) | (d$group_first == b & d$group_second == a), ]
  d$order <- factor(ifelse(d$group_first == a, "ab", "ba"), levels = c("ab", "ba"))
  fit <- lm(answer ~ 0 + order, data = d)
  test(unname(coef(fit)[2] - coef(fit)[1]), error_of(fit, d, c(-1, 1)))
}
gap <- function(d, levels, a, b) {  # two means: V of the difference, Satterthwaite's df by the matrix of both, the smaller
  d <- d[d$kind %in% levels & ((d$group_first == a & d$group_second == b) | (d$group_first == b & d$group_second == a)), ]
  d$order <- factor(ifelse(d$group_first == a, "ab", "ba"), levels = c("ab", "ba"))
  d$scenario <- factor(d$scenario); d$pair <- factor(d$pair)
  sides <- lapply(levels, function(l) {
    own <- d[d$kind == l, ]
    fit <- lm(answer ~ 0 + order, data = own)
    score <- numeric(nrow(d))
    score[d$kind == l] <- estfun(fit) %*% solve(crossprod(model.matrix(fit))) %*% c(-1, 1)
    list(estimate = unname(diff(coef(fit))), score = score, n = table(own$scenario), m = table(own$pair), rows = nrow(own))
  })
  part <- function(by, size) {
    each <- lapply(sides, function(s) {
      f <- c(s[[size]]) / s$rows
      list(u = tapply(s$score, by, sum) / sqrt(1 - f), P = (diag(f) - outer(f, f)) / sqrt(outer(1 - f, 1 - f)))
    })
    df <- sapply(list(sapply(each, function(x) sum(x$u^2)), sapply(sides, function(s) 1 / s$rows)), function(v) {
      Q <- v[1] * each[[1]]$P + v[2] * each[[2]]$P
      sum(diag(Q))^2 / sum(Q * Q)
    })
    c(sum((each[[1]]$u - each[[2]]$u)^2), min(df))
  }
  one <- part(d$scenario, "n"); two <- part(d$pair, "m")
  v <- c(one[1], two[1]); counts <- c(one[2], two[2])
  v12 <- sum(tapply(sides[[1]]$score - sides[[2]]$score, interaction(d$scenario, d$pair, drop = TRUE), sum)^2)
  wanted <- sum(v * qt(.975, counts)) / sum(v)
  df <- uniroot(function(x) qt(.975, x) - wanted, range(counts), tol = 1e-13)$root
  test(sides[[1]]$estimate - sides[[2]]$estimate, list(se = sqrt(max(sum(v) - v12, v)), df = df))
}
position <- function(d, a) {
  d <- d[d$group_first == a & d$group_second == a, ]
  fit <- lm(answer ~ 1, data = d)
  test(unname(coef(fit)), error_of(fit, d, 1))
}
by_scenario <- function(d, a, b) {
  m <- function(x, y) { e <- d[d$group_first == x & d$group_second == y, ]; tapply(e$answer, e$scenario, mean) }
  delta <- m(b, a) - m(a, b)
  t <- t.test(delta)
  list(estimate = unname(t$estimate), statistic = unname(t$statistic), df = unname(t$parameter), p = t$p.value,
       low = t$conf.int[1], high = t$conf.int[2])
}
couples <- function(d, a, b) {
  one <- d[d$group_first == a & d$group_second == b, c("scenario", "pair", "answer")]
  two <- d[d$group_first == b & d$group_second == a, c("scenario", "pair", "answer")]
  both <- merge(one, two, by = c("scenario", "pair"))
  first_ab <- factor(both$answer.x == -1, c(TRUE, FALSE)); first_ba <- factor(both$answer.y == -1, c(TRUE, FALSE))
  cells <- table(first_ab, first_ba)
  b_count <- cells[1, 2]; c_count <- cells[2, 1]; low <- min(b_count, c_count); n <- b_count + c_count
  list(first_group_both = b_count, second_group_both = c_count, first_place_both = cells[1, 1],
       second_place_both = cells[2, 2], statistic = unname(mcnemar.test(cells, correct = FALSE)$statistic),
       p = mcnemar.test(cells, correct = FALSE)$p.value,
       mid_p = 2 * pbinom(low, n, .5) - dbinom(low, n, .5))
}
named <- function(f, d) setNames(lapply(pairs, function(p) f(d, p[1], p[2])), sapply(pairs, paste, collapse = " - "))

kinds <- c("egalitarian", "traditional")
result <- list(
  made_by = "relationship_bias.R",
  versions = list(R = R.version.string, sandwich = as.character(packageVersion("sandwich"))),
  bias = named(bias, data),
  position = setNames(lapply(groups, function(g) position(data, g)), groups),
  scenario_means = named(by_scenario, data),
  couples = named(couples, data),
  by_kind = setNames(lapply(kinds, function(k) named(bias, data[data$kind == k, ])), kinds),
  between_kinds = setNames(lapply(pairs, function(p) gap(data, kinds, p[1], p[2])), sapply(pairs, paste, collapse = " - ")),
  by_topic = setNames(lapply(sort(unique(data$topic)), function(k)
    lapply(named(function(d, a, b) list(estimate = mean(d$answer[d$group_first == b & d$group_second == a]) -
      mean(d$answer[d$group_first == a & d$group_second == b])), data[data$topic == k, ]), `[[`, "estimate")),
    sort(unique(data$topic))),
  b_all = mean(abs(sapply(named(bias, data), `[[`, "estimate"))),
  holm = as.list(p.adjust(sapply(named(bias, data), `[[`, "p"), "holm")),
  folded = lapply(list(c(0, 1), c(.3, .5), c(-2, .7)), function(x) list(mean = x[1], sd = x[2],
    value = integrate(function(y) abs(y) * dnorm(y, x[1], x[2]), -Inf, Inf, rel.tol = 1e-10)$value))
)
writeLines(toJSON(result, digits = NA, auto_unbox = TRUE, pretty = TRUE), "relationship_bias.json")
