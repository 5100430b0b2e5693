# Flip rates of examples/data/samples.csv: the mean over items of the share of pairs of answers that differ, and its
# standard error, that of a mean of items. Run in the folder of the tables: Rscript flip_rate.R > flip_rate.json
answers <- read.csv("../../examples/data/samples.csv")
differ <- function(x) mean(combn(x, 2, function(pair) pair[1] != pair[2]))
by_item <- aggregate(correct ~ model + item, answers, differ)
rates <- sapply(split(by_item$correct, by_item$model), function(x) {
  fit <- summary(lm(x ~ 1))$coefficients
  c(estimate = fit[1, "Estimate"], std_error = fit[1, "Std. Error"])
})
lines <- sprintf(' "%s": {"estimate": %.15f, "std_error": %.15f}', colnames(rates), rates["estimate", ],
                 rates["std_error", ])
cat("{\n", paste(lines, collapse = ",\n"), "\n}\n", sep = "")
