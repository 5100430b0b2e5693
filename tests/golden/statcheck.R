# Verdicts of R's statcheck 1.6.0 (github.com/MicheleNuijten/statcheck, b288d94) on results in one sentence of ours.
#   Rscript statcheck.R FOLDER_OF_STATCHECK    -> statcheck.csv
# The results are those of statcheck's own test cases (numbers only), a grid around p = .04, .05 and .06 for every pair
# of relations, and seeded ones of every kind. `told` = 1: the sentence says that the test is one-sided.

folder <- commandArgs(TRUE)[1]
files <- c("constants", "regex", "helpers-parse-stats", "compute_p", "error_test", "decision_error_test",
           "extract_1tail", "extract_stats", "process_stats", "calc_APA_factor", "statcheck")
for (f in files) source(file.path(folder, "R", paste0(f, ".R")))

own <- c(
  "t(28) = 2.20, p = .03", "t(28) = 2.20, p = .06", "t(28) = 1.20, p = .03", "t(28) = 2.20, p = .30",
  "F(2, 28) = 2.20, p = .15", "F(2, 28) = 22.20, p = .06", "F(2, 28) = 2.20, p = .03", "r(28) = .22, p = .26",
  "r(28) = .22, p = .03", "r(28) = .52, p = .06", "r(28) = .20, p = .03", "chi2(28) = 22.20, p = .79",
  "chi2(28) = 22.20, p = .77", "chi2(28) = 2.20, p = .03", "chi2(28) = 52.20, p = .06", "z = 2.20, p = .04",
  "z = 2.20, p = .03", "z = 1.20, p = .03", "z = 2.20, p = .06", "Z = 2.20 , p = .03", "Z = -2.42, p = 0.016",
  "Q(28) = 22.20, p = .79", "Q(28) = 22.20, p = .03", "Q(28) = 2.20, p = .03", "Q(28) = 52.20, p = .06",
  "Q(2) = 2.20, p = .03", "Qw(2) = 2.20, p = .03", "Qwithin(2) = 2.20, p = .03", "Q-within(2) = 2.20, p = .03",
  "Qb(2) = 2.20, p = .03", "Qbetween(2) = 2.20, p = .03", "Q-between(2) = 2.20, p = .03", "Qs(2) = 2.2, p = .03",
  "Qb(2, N = 187) = 2.20, p = .03", "t(28) = -2.20, p = .03", "t(28) = 2.20, ns", "t(28) = 2.20, p > .05",
  "t(28) = 2.0, p < .05", "t(28) = 2, p = .02", "t(28) = 2, p = .14", "t(28) = 2.2, p = .03", "t(28) = 2.2, p = .04",
  "t(28) = 2.20, p = .036", "t(28) = 2.20, p = .037", "t(28) = 2.20, p = .02", "t(28) = 2.20, p = .04",
  "t(28) = 2.20, p = .018", "t(28) = 22.20, p = .000", "t(28) = 22.20, p < .000", "t(28) = 2.2, p = .036",
  "t(28) = 2.2, p < .08", "t(28) = 2.2, p > .02", "t(28) = 2.2, p = .08", "t(28) = 2.2, p = .02", "t(28) = 2.2, p > .08",
  "t(28) = 2.2, p < .02", "t(28) < 2.2, p = .08", "t(28) < 2.2, p > .08", "t(28) < 2.2, p < .08", "t(28) < 2.2, p > .02",
  "t(28) < 2.2, p < .02", "t(28) < 2.2, p = .02", "t(28) > 2.2, p = .02", "t(28) > 2.2, p > .02", "t(28) > 2.2, p < .02",
  "t(28) > 2.2, p < .08", "t(28) > 2.2, p > .08", "t(28) > 2.2, p = .08", "F ( 2 , 28 ) = 2.20 , p = .03",
  "F(2,28)=2.20,p=.03", "F(2.1, 28.1) = 2.20, p = .03", "F(l, 76) = 23.95, p <.001", "Q ( 2 ) = 2.20 , p = .03",
  "Q(2)=2.20,p=.03", "X2(28) = 2.20, p = .03", "x2(28) = 2.20, p = .03", "chi_2(28) = 2.20, p = .03",
  "chi2(28, N = 129) = 2.2, p = .03", "chi2(1, N = 11,455) = 16.78, p <.001", "chi2(1, n = 81) = 3.25, p = 0.07",
  "chi2 ( 28 ) = 2.20 , p = .03", "chi2(28)=2.20,p=.03", "r ( 28 ) = .20 , p = .03", "r(28)=.20,p=.03",
  "r(16) = 26.05, p = .10", "r(28) = \u221259, p = .0008", "t ( 28 ) = 2.20 , p = .03", "t(28)=2.20,p=.03",
  "t(28) = 2,000.20, p = .03", "t(28) < 2.20, p = .03", "t(28) > 2.20, p = .03", "t(28) = %^&2.20, p = .03",
  "t(28) = 2.20, p = 0.03", "t(28) = 2.20, p < .03", "t(28) = 2.20, p > .03", "t(28) = 2.20, p = .5e-3",
  "t(28.1) = 2.20, p = .03", "t(28) = 2.20; p = .03", "t[28] = 2.20, p = .03", "t(28) = .2.20, p = .03",
  "T(28) = 2.20, p = .03", "t(28) = 2.20, p = 1.03", "t(2,28) = 2.20, p = .03", "t(553) = \u2212 4.46, p < .0001",
  "t(38) >= 2.25, p = .03", "t(38) = 2.25, p >= .03", "z=2.20,p=.03", "z(28) = 2.20, p = .03", "Z(28) = 2.20, p = .03")
rows <- data.frame(result = own, told = 0, from = "own")
rows <- rbind(rows, data.frame(from = "own", told = 1, result = c("t(28) = 2.20, p = .01", "t(28) = 2.20, p = .018",
                                                    "t(28) = 2.20, p = .02", "t(28) = 2.20, p = .04")))
p22 <- 2 * pt(c(2.25, 2.15), 28, lower.tail = FALSE)
for (p in p22) for (relation in c("<", ">", "=")) for (of in c("= 2.2", "< 2.20", "< 2.2", "> 2.20", "> 2.2"))
  rows <- rbind(rows, data.frame(result = paste0("t(28) ", of, ", p ", relation, " ", p), told = 0, from = "own"))

for (a in c("=", "<", ">")) for (b in c("=", "<", ">")) for (q in c(.04, .05, .06))
  for (move in c(-.001, -.0001, 0, .0001, .001)) for (p in c(".04", ".05", ".06", ".0400", ".0500", ".0600"))
    rows <- rbind(rows, data.frame(told = 0, from = "grid", result = paste0(
      "t(28) ", a, " ", format(qt(q / 2, 28, lower.tail = FALSE) + move, digits = 15), ", p ", b, " ", p)))

real <- read.csv2(file.path(folder, "inst/test_materials/manually_extracted_stats.csv"))  # numbers of real papers
real <- real[real$extract_apa %in% 1, ]
type <- c(t = "t", F = "F", r = "r", Z = "z", z = "z", Chi2 = "chi2", chi2 = "chi2", Q = "Q", Qb = "Qb", Qw = "Qw",
          QBetween = "Qb", QWithin = "Qw")[real$test_type]
clean <- function(x) gsub("[\"' ]", "", x)
df <- ifelse(type == "F", paste0("(", real$df1, ", ", real$df2, ")"),
      ifelse(type == "z", "", paste0("(", ifelse(is.na(real$df1) | real$df1 == "", real$df2, real$df1), ")")))
said <- ifelse(clean(real$p_comparison) == "ns", "ns", paste("p", clean(real$p_comparison), real$p))
text <- paste0(type, df, " ", clean(real$test_comp), " ", real$test_value, ", ", said)
text <- text[!is.na(type) & !is.na(real$test_value) & !grepl("NA", text)]
rows <- rbind(rows, data.frame(result = text, told = 0, from = "papers"))

set.seed(20)
for (i in 1:400) {
  kind <- sample(c("t", "F", "r", "chi2", "z", "Q"), 1); a <- sample(1:6, 1); n <- sample(8:400, 1)
  df <- switch(kind, t = n, r = n, F = paste0(a, ", ", n), chi2 = a, Q = a, z = "")
  u <- if (runif(1) < .6) runif(1, .001, .12) else runif(1, .001, .99)
  x <- switch(kind, t = qt(u / 2, n, lower.tail = FALSE), z = qnorm(u / 2, lower.tail = FALSE),
              F = qf(u, a, n, lower.tail = FALSE), chi2 = , Q = qchisq(u, a, lower.tail = FALSE),
              r = { t <- qt(u / 2, n, lower.tail = FALSE); t / sqrt(n + t^2) })
  d <- sample(1:3, 1); x <- formatC(x, d, format = "f"); d <- sample(2:3, 1)
  if (runif(1) < .5) u <- min(.99, max(.001, u * sample(c(.5, .9, 1.1, 1.3, 2, 4), 1) + sample(c(0, .01), 1)))
  p <- sub("^0", "", formatC(u, d, format = "f"))
  p <- switch(sample(1:5, 1), "ns", paste("p <", sample(c(".05", ".01", ".001"), 1)), "p > .05", paste("p =", p),
              paste("p =", p))
  rows <- rbind(rows, data.frame(told = 0, from = "seeded", result = paste0(kind, if (df != "") paste0("(", df, ")"), " = ", x, ", ", p)))
}

rows <- unique(rows)
for (i in seq_len(nrow(rows))) {
  sentence <- paste0("As asked, one measure was compared: ", rows$result[i],
                     if (rows$told[i]) " in a one-tailed test.", if (!rows$told[i]) ".")
  out <- capture.output(found <- statcheck(sentence, messages = FALSE, OneTailedTxt = TRUE, pZeroError = TRUE))
  read <- is.data.frame(found) && nrow(found) == 1
  rows$computed[i] <- if (read) format(found$computed_p, digits = 12) else ""
  rows$verdict[i] <- if (!read) "not read" else if (found$decision_error) "decision error" else if (found$error)
    "error" else "consistent"
}
write.csv(rows, "statcheck.csv", row.names = FALSE, quote = TRUE, fileEncoding = "UTF-8")
print(table(rows$from, rows$verdict))
