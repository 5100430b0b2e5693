# Two independent groups: makes two_groups.json.
# Run in tests/golden: Rscript two_groups.R      (needs jsonlite, clubSandwich)
suppressPackageStartupMessages({ library(jsonlite); library(clubSandwich) })

wilson <- function(x, n, level) {
  ends <- as.numeric(prop.test(x, n, conf.level = level, correct = FALSE)$conf.int)
  if (x == 0) ends[1] <- 0
  if (x == n) ends[2] <- 1
  ends
}
shares <- function(x, n, level = .95) {
  p <- x / n; one <- wilson(x[1], n[1], level); two <- wilson(x[2], n[2], level); d <- p[1] - p[2]
  list(x = x, n = n, level = level, difference = d, first = one, second = two,
       low = d - sqrt((p[1] - one[1])^2 + (two[2] - p[2])^2), high = d + sqrt((one[2] - p[1])^2 + (p[2] - two[1])^2),
       fisher = fisher.test(matrix(c(x, n - x), 2))$p.value)
}
tables <- list(shares(c(56, 48), c(70, 80)), shares(c(10, 0), c(10, 20)), shares(c(9, 3), c(10, 10)),
               shares(c(5, 0), c(56, 29)), shares(c(0, 0), c(10, 20)), shares(c(56, 48), c(70, 80), .9))

means <- function(x, y, ...) {
  t <- t.test(x, y, ...)
  list(x = x, y = y, difference = mean(x) - mean(y), se = t$stderr, t = unname(t$statistic), df = unname(t$parameter),
       p = t$p.value, ends = as.numeric(t$conf.int))
}
x <- sleep$extra[sleep$group == 2]; y <- sleep$extra[sleep$group == 1]
hp <- split(mtcars$hp, mtcars$am)
one_sided <- means(hp[["1"]], hp[["0"]], alternative = "less", mu = 10)
one_sided$ends <- one_sided$ends[2]

brunner_munzel <- function(x, y, level = .95) {  # by the formulas of the paper
  n <- length(x); m <- length(y); r <- rank(c(x, y)); rx <- rank(x); ry <- rank(y)
  theta <- (mean(r[1:n]) - mean(r[n + 1:m])) / (n + m) + .5
  s1 <- var(r[1:n] - rx); s2 <- var(r[n + 1:m] - ry)
  se <- sqrt(s1 / (n * m^2) + s2 / (m * n^2))
  df <- (n * s1 + m * s2)^2 / ((n * s1)^2 / (n - 1) + (m * s2)^2 / (m - 1))
  t <- (theta - .5) / se
  list(x = x, y = y, theta = theta, se = se, t = t, df = df, p = 2 * pt(-abs(t), df),
       ends = theta + c(-1, 1) * qt((1 + level) / 2, df) * se)
}
exact <- function(x, y) {  # all choices of the first group
  r <- rank(c(x, y)); n <- length(x); sums <- combn(length(r), n, function(k) sum(r[k])); w <- sum(r[1:n])
  list(u = w - n * (n + 1) / 2, p = min(1, 2 * min(mean(sums <= w + 1e-9), mean(sums >= w - 1e-9))))
}
likert_x <- c(1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1)  # pain scores of Brunner and Munzel (2000)
likert_y <- c(3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4)
pain <- brunner_munzel(likert_x, likert_y)
small <- c(brunner_munzel(likert_x[8:14], likert_y[5:11]), exact = list(exact(likert_x[8:14], likert_y[5:11])))
untied <- suppressWarnings(wilcox.test(x + 1:10 / 1e4, y + 1:10 / 2e4, exact = TRUE))
many <- suppressWarnings(wilcox.test(rep(likert_x, 3), rep(likert_y, 3), exact = FALSE))

# --- clusters: within groups, and crossing them
set.seed(8)
sizes <- c(3, 5, 2, 6, 4, 4, 7, 3, 5, 2); cluster <- rep(seq_along(sizes), sizes)
effect <- rnorm(10)[cluster]; value <- round(effect + rnorm(length(cluster)), 3)
clustered <- function(group) {
  fit <- lm(value ~ 0 + group)
  found <- linear_contrast(fit, vcov = "CR2", cluster = cluster, contrasts = matrix(c(1, -1), 1), test = "Satterthwaite")
  list(group = as.character(group), difference = unname(coef(fit)[1] - coef(fit)[2]), se = found$SE, df = found$df)
}
within <- clustered(factor(ifelse(cluster %% 2 == 1, "a", "b")))
crossing <- clustered(factor(ifelse(seq_along(cluster) %% 2 == 1, "a", "b")))

write_json(list(
  made = list(R = R.version.string, clubSandwich = as.character(packageVersion("clubSandwich"))),
  shares = tables, sleep = means(x, y), horsepower = one_sided, pain = pain, small = small,
  untied = list(x = x + 1:10 / 1e4, y = y + 1:10 / 2e4, u = unname(untied$statistic), p = untied$p.value),
  many = list(u = unname(many$statistic), p = many$p.value),
  clusters = list(value = value, cluster = cluster, within = within, crossing = crossing)
), "two_groups.json", auto_unbox = TRUE, digits = 15, pretty = TRUE)
