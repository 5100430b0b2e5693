# Means of units by lm(), with CR2 errors and Satterthwaite's degrees of freedom of clusters by clubSandwich.
# Rscript tests/golden/mean_ratings.R > tests/golden/mean_ratings.json
suppressMessages(library(clubSandwich))
set.seed(20261123)
unit <- rep(1:24, each = 2); rater <- rep(c("ann", "bob"), 24)
story <- sort(sample(1:9, 24, TRUE)); value <- sample(1:5, 48, TRUE)
keep <- runif(48) > 0.1
value <- value[keep]; unit <- unit[keep]; rater <- rater[keep]
one <- function(x, group) {
  fit <- lm(x ~ 1)
  t <- if (is.null(group)) list(SE = summary(fit)$coefficients[2], df = length(x) - 1) else {
    found <- coef_test(fit, vcov = "CR2", cluster = group, test = "Satterthwaite"); list(SE = found$SE, df = found$df_Satt)
  }
  m <- mean(x)
  list(estimate = m, std_error = t$SE, conf_low = m - qt(0.975, t$df) * t$SE, conf_high = m + qt(0.975, t$df) * t$SE)
}
x <- tapply(value, unit, mean); g <- story[as.integer(names(x))]; ann <- value[rater == "ann"]
out <- list(r = R.version.string, unit = unit, rater = rater, value = value, story = story[unit],
            units = one(as.numeric(x), NULL), clusters = one(as.numeric(x), g),
            ann = one(ann, story[unit[rater == "ann"]]))
cat(jsonlite::toJSON(out, auto_unbox = TRUE, digits = NA, pretty = TRUE), "\n")
