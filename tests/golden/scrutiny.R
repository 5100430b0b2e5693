# Verdicts of R's scrutiny 0.6.1 (github.com/lhdjung/scrutiny, a56a945) for GRIM, GRIMMER and DEBIT.
#   Rscript scrutiny.R FOLDER_OF_SCRUTINY      -> scrutiny.csv
# The cases are those of scrutiny's own tests (numbers only) and seeded ones. In a copy of the folder `corrr` and `ggrepel`
# were taken out of DESCRIPTION and NAMESPACE, which these functions do not need.
suppressMessages(pkgload::load_all(commandArgs(TRUE)[1], quiet = TRUE))

rows <- list()
add <- function(check, mean, n, sd = "", items = 1, percent = FALSE, rounding = "up_or_down", from = "own") {
  ok <- switch(check,
    grim = grim(x = mean, n = n, items = items, percent = percent, rounding = rounding),
    grimmer = grimmer(x = mean, sd = sd, n = n, items = items, rounding = rounding),
    debit = debit(x = mean, sd = sd, n = n, rounding = rounding))
  if (is.na(ok)) return()  # a message of grimmer for some pairs, no verdict
  rows[[length(rows) + 1]] <<- data.frame(check, mean, sd, n, items, percent = as.integer(percent), rounding,
                                          consistent = as.integer(unname(ok)), from)
}
write2 <- function(x, d = 2) formatC(x, d, format = "f")
for (x in write2(seq(5.19, 5.30, .01))) add("grim", x, 28)
for (x in write2(seq(.150, .159, .001), 3)) add("grim", x, 120, items = 3)
for (x in write2(seq(.80, .89, .01))) add("grim", x, 28, items = 2)
for (x in as.character(519:530)) add("grim", x, 28, percent = TRUE)
for (x in as.character(6:16)) add("grim", x, 50, percent = TRUE)
for (r in c("up_or_down", "ceiling_or_floor", "ceiling", "floor", "trunc"))
  for (k in 1:12) { add("grim", pigs1$x[k], pigs1$n[k], rounding = r)
                    for (n in c(40, 80)) add("grim", pigs1$x[k], n, rounding = r) }
for (k in 1:12) { add("grim", pigs1$x[k], pigs1$n[k], items = 2); add("grim", pigs1$x[k], pigs1$n[k] * 100) }
for (k in 1:6) add("grim", pigs2$x[k], pigs2$n[k], percent = TRUE)
for (k in 1:12) add("grimmer", pigs5$x[k], pigs5$n[k], pigs5$sd[k])
pairs <- list(c("5.21", "1.6", 28), c("3.44", "2.47", 18), c("1.2", "0.3", 57), c("8.3", "7.5", 103),
  c("5.23", "2.55", 35), c("5.23", "2.55", 127), c("5.2", "2.5", 35), c("2.57", "2.57", 30), c("3.756", "4.485", 89),
  c("3.756", "4.485", 12), c("3.75", "4.48", 12), c("3.75", "4.48", 89), c("5.21", "1.60", 28), c("16.03", "6.41", 40),
  c("64.73", "25.89", 40), c("64.73", "25.89", 80), c("32.68", "13.07", 80), c("64.27", "25.71", 40),
  c("16.22", "6.49", 80), c("256.03", "102.41", 40), c("519.93", "207.97", 40), c("32.32", "12.93", 40),
  c("512.33", "204.93", 80), c("512.93", "205.17", 40), c("513.07", "205.23", 40), c("518.93", "207.57", 40))
for (p in pairs) add("grimmer", p[1], as.numeric(p[3]), p[2])
for (p in pairs[c(13, 2)]) for (items in 2:3) add("grimmer", p[1], as.numeric(p[3]), p[2], items)
for (k in 1:7) add("debit", pigs3$x[k], pigs3$n[k], pigs3$sd[k])

set.seed(23)
for (k in 1:400) { x <- runif(1, 1, 7); add("grim", write2(x, sample(1:3, 1)), sample(5:150, 1), items = sample(1:3, 1), from = "seeded") }
for (k in 1:600) { x <- runif(1, 1, 20); n <- sample(10:150, 1); x <- if (k %% 3) round(x * n) / n else x
                   add("grimmer", write2(x), n, write2(x * runif(1, .2, .6)), from = "seeded") }
for (k in 1:300) { n <- sample(8:300, 1); m <- sample(0:n, 1) / n
                   s <- sqrt(n / (n - 1) * m * (1 - m)) + sample(c(0, 0, .01, -.01, .02), 1)
                   add("debit", write2(m), n, write2(max(s, 0)), from = "seeded") }
rows <- unique(do.call(rbind, rows))
write.csv(rows, "scrutiny.csv", row.names = FALSE, quote = FALSE)
print(table(rows$check, rows$consistent, rows$from))
