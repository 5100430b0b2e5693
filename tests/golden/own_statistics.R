# Writes own_statistics.json: what R says of functions of one's own. Rows of resamples are those of own_draws.csv.gz.
# city: ratio of sums of boot's city data; boot.ci() of these resamples, with influence values of the jackknife.
# gravity: difference of means of two series of boot's gravity data, drawn within series.
# clusters: jackknife of a ratio over blocks of R's npk data. strata: over the rows of the two series.
# crossed: largest of V1, V2 and V1 + V2 - V12 of a mean over two crossed factors, by leaving out levels and cells.
# medians: exact permutation p of a difference of medians (PlantGrowth). flips: of a mean of differences (sleep).
# Run in tests/golden: Rscript own_statistics.R      (R 4.2, boot 1.3-28.1, jsonlite)
suppressPackageStartupMessages({library(boot); library(jsonlite)})
draws <- as.matrix(read.csv(gzfile("own_draws.csv.gz"), header = FALSE))

intervals <- function(data, statistic, rows, strata = rep(1, nrow(data))) {
  made <- boot(data, statistic, R = nrow(rows), strata = strata)
  made$t <- matrix(apply(rows, 1, function(i) statistic(data, i)), ncol = 1)
  list(estimate = made$t0, se = sd(made$t), basic = boot.ci(made, type = "basic")$basic[4:5],
       percentile = boot.ci(made, type = "perc")$percent[4:5], boot = made)
}
ratio <- function(d, i) sum(d$x[i]) / sum(d$u[i])
found <- intervals(city, ratio, draws[, 1:10])
jack <- sapply(1:10, function(k) ratio(city, (1:10)[-k]))
found$bca <- boot.ci(found$boot, type = "bca", L = 9 * (mean(jack) - jack))$bca[4:5]
found$jackknife_se <- sqrt(9 / 10 * sum((jack - mean(jack))^2))
found$jackknife_bias <- 9 * (mean(jack) - found$estimate)
found$boot <- NULL

two <- droplevels(gravity[gravity$series %in% c(1, 2), ])
two <- data.frame(g = c(two$g[two$series == 1][1:6], two$g[two$series == 2][1:7]), s = rep(1:2, c(6, 7)))
gap <- function(d, i) { e <- d[i, ]; mean(e$g[e$s == 1]) - mean(e$g[e$s == 2]) }
series <- intervals(two, gap, draws[, 11:23], two$s); series$boot <- NULL
left <- sapply(1:13, function(k) gap(two, (1:13)[-k]))
parts <- split(left, two$s); v <- sapply(parts, function(x) (length(x) - 1) / length(x) * sum((x - mean(x))^2))
n <- lengths(parts); series$jackknife_se <- sqrt(sum(v)); series$df <- sum(v)^2 / sum(v^2 / (n + 1)) - 2

blocks <- levels(npk$block); share <- function(d) sum(d$yield[d$N == 1]) / sum(d$yield)
left <- sapply(blocks, function(b) share(npk[npk$block != b, ]))
clusters <- list(yield = npk$yield, N = as.integer(npk$N == 1), block = as.integer(npk$block), estimate = share(npk),
                 se = sqrt(5 / 6 * sum((left - mean(left))^2)))

jv <- function(x) { m <- length(x); (m - 1) / m * sum((x - mean(x))^2) }
day <- rep(1:6, each = 5); row <- rep(1:5, 6); y <- round(sin(1:30) * 3 + day + row^1.5, 2); y <- y[-c(3, 17)]
day <- day[-c(3, 17)]; row <- row[-c(3, 17)]; m <- function(keep) log(mean(y[keep]))
v1 <- jv(sapply(1:6, function(k) m(day != k))); v2 <- jv(sapply(1:5, function(k) m(row != k)))
v12 <- jv(sapply(seq_along(y), function(k) m(-k)))
crossed <- list(y = y, day = day, row = row, v = c(v1, v2, v12), se = sqrt(max(v1, v2, v1 + v2 - v12)))

x <- c(PlantGrowth$weight[1:6], PlantGrowth$weight[21:26])
all <- combn(12, 6, function(i) median(x[i]) - median(x[-i])); seen <- median(x[1:6]) - median(x[7:12])
medians <- list(x = x, estimate = seen, less = mean(all <= seen + 1e-12), greater = mean(all >= seen - 1e-12))
d <- sleep$extra[11:20] - sleep$extra[1:10]; signs <- as.matrix(expand.grid(rep(list(c(-1, 1)), 10)))
flips <- list(d = d, estimate = mean(d), greater = mean(signs %*% d / 10 >= mean(d) - 1e-12))
write(toJSON(list(city = c(list(u = city$u, x = city$x), found), gravity = c(as.list(two), series), clusters = clusters,
                  crossed = crossed, medians = medians, flips = flips), auto_unbox = TRUE, digits = NA),
      "own_statistics.json")
