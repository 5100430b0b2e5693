# Statistics with their p-values for sentences: pt, pf, pchisq and pnorm of base R.   Rscript test_sentences.R
set.seed(17)
n <- 520
kind <- rep(c("t", "welch", "F", "chi2", "z", "r", "Q", "b"), length.out = n)
df1 <- ifelse(kind == "F", sample(1:5, n, TRUE), NA)
df2 <- ifelse(kind %in% c("t", "F", "r", "b"), sample(c(6:60, 80, 119, 240, 729, 1544), n, TRUE),
       ifelse(kind == "welch", round(runif(n, 8, 300), sample(1:2, n, TRUE)),
       ifelse(kind %in% c("chi2", "Q"), sample(1:12, n, TRUE), NA)))
u <- ifelse(runif(n) < .7, exp(runif(n, log(2e-5), log(.2))), runif(n, .001, .995))
sign <- ifelse(runif(n) < .3, -1, 1)
x <- ifelse(kind %in% c("t", "welch", "r", "b"), qt(u / 2, df2, lower.tail = FALSE) * sign,
     ifelse(kind == "F", qf(u, df1, df2, lower.tail = FALSE),
     ifelse(kind == "z", qnorm(u / 2, lower.tail = FALSE) * sign, qchisq(u, df2, lower.tail = FALSE))))
p <- ifelse(kind %in% c("t", "welch", "r", "b"), 2 * pt(abs(x), df2, lower.tail = FALSE),
     ifelse(kind == "F", pf(x, df1, df2, lower.tail = FALSE),
     ifelse(kind == "z", 2 * pnorm(abs(x), lower.tail = FALSE), pchisq(x, df2, lower.tail = FALSE))))
x <- ifelse(kind == "r", x / sqrt(df2 + x^2), x)
se <- ifelse(kind == "b", exp(rnorm(n, -1, 1)), NA)
rows <- data.frame(kind, df1, df2, statistic = signif(x, 14), p = signif(p, 14), b = signif(x * se, 14), se = signif(se, 14))
write.csv(rows, "test_sentences.csv", row.names = FALSE, na = "", quote = FALSE)
