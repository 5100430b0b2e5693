python_test("a result has the class of its metric, and prints its cautions", {
  fit <- bradley_terry(example_data("baseball"), order = TRUE, cluster = "pair")
  expect_s3_class(fit, c("socialstats_bradley_terry", "socialstats_result"), exact = FALSE)
  shown <- paste(capture.output(print(fit)), collapse = "\n")
  expect_match(shown, "cluster-robust standard errors")
  expect_match(shown, "Caution SS106")
  expect_true("SS106" %in% cautions(fit)$code)
})

python_test("tables have the names of broom, and glance() one row", {
  fit <- bradley_terry(games)
  expect_true(all(c("term", "estimate", "std.error", "conf.low", "conf.high", "p.value", "undefined") %in% names(tidy(fit))))
  expect_identical(nrow(glance(fit)), 1L)
  expect_identical(glance(fit)$nobs, nobs(fit))
})

python_test("coef(), vcov() and confint() have the same names, as other models of R", {
  fit <- bradley_terry(example_data("baseball"), order = TRUE, cluster = NULL)
  expect_identical(names(coef(fit)), rownames(vcov(fit)))
  expect_identical(rownames(confint(fit)), names(coef(fit)))
  expect_identical(colnames(confint(fit, level = 0.9)), c("5 %", "95 %"))
  expect_identical(confint(fit, "order"), confint(fit)["order", , drop = FALSE])
  half <- unname(confint(fit)[, 2] - confint(fit)[, 1]) / 2
  expect_equal(half, qnorm(0.975) * tidy(fit)$std.error)
})

python_test("tidy() takes conf.int and conf.level, as methods of broom do", {
  games$model <- "m"
  for (fit in list(bradley_terry(games), bradley_terry(games, by = "model"))) {
    plain <- tidy(fit, conf.int = FALSE)
    expect_identical(setdiff(names(tidy(fit)), names(plain)), c("conf.low", "conf.high", "conf.level"))
    expect_identical(plain$estimate, tidy(fit)$estimate)
    narrow <- tidy(fit, conf.level = 0.5)
    expect_identical(unname(as.matrix(as.data.frame(narrow)[c("conf.low", "conf.high")])), unname(confint(fit, level = 0.5)))
    expect_identical(unique(narrow$conf.level), 0.5)
    expect_identical(tidy(fit, conf.level = 0.95), tidy(fit))
  }
  expect_s3_class(error_of(tidy(fit, conf.level = 95)), "socialstats_input_error")
  expect_match(conditionMessage(error_of(tidy(fit, nonsense = TRUE))), "takes no argument 'nonsense'")
})

python_test("tidy() takes exponentiate for logarithms of odds, and for no other estimates", {
  fit <- bradley_terry(games)
  odds <- tidy(fit, exponentiate = TRUE)
  expect_identical(odds$estimate, exp(tidy(fit)$estimate))
  expect_identical(odds$conf.low, exp(tidy(fit)$conf.low))
  expect_identical(odds$std.error, tidy(fit)$std.error)
  pairs <- paired_difference(sleep_pairs, first = "after", second = "before")
  expect_match(conditionMessage(error_of(tidy(pairs, exponentiate = TRUE))), "logarithms of odds")
})

python_test("formula(), predict() and anova() of a fit alone", {
  wins <- example_data("role_conflict")
  fit <- bradley_terry(wins, ~ urgency + I(urgency^2), order = TRUE)
  expect_identical(formula(fit), ~ urgency + I(urgency^2), ignore_attr = TRUE, ignore_formula_env = TRUE)
  expect_identical(predict(fit), fitted(fit))
  expect_match(conditionMessage(error_of(anova(fit))), "two fits")
})

python_test("terms have the reference level of relevel(), and functions of R are refused with what works", {
  wins <- example_data("role_conflict")
  other <- bradley_terry(wins, ~ relevel(factor(urgency), ref = "2"), order = TRUE)
  plain <- bradley_terry(wins, ~ factor(urgency), order = TRUE)
  expect_equal(unname(tail(coef(other), 2)[1]), -unname(tail(coef(plain), 2)[1]))
  problem <- error_of(bradley_terry(wins, ~ cut(urgency, 2), order = TRUE))
  expect_s3_class(problem, "socialstats_input_error")
  expect_match(conditionMessage(problem), "data$x <- cut(urgency, 2)", fixed = TRUE)
})

python_test("matrices and tables keep the names of their rows and columns", {
  counts <- matrix(c(30, 5, 12, 53), 2, dimnames = list(before = c("yes", "no"), after = c("yes", "no")))
  cells <- tidy(mcnemar(counts))
  expect_equal(cells$n[cells$term == "both"], 30)
  expect_identical(tidy(mcnemar(as.table(counts)))$estimate, cells$estimate)
  raters <- cbind(ann = c(1, 2, 3, 2, 1, 3), bob = c(1, 2, 2, 2, 1, 3))
  expect_identical(tidy(weighted_kappa(raters))$term, "ann | bob")
})

python_test("augment() returns the observations as they were used", {
  rows <- augment(paired_difference(sleep_pairs, first = "after", second = "before"))
  expect_equal(sort(rows$first - rows$second), sort(sleep_pairs$after - sleep_pairs$before))
  expect_identical(nrow(augment(krippendorff_alpha(seen, levels = levels_seen))), 24L)
  problem <- error_of(augment(effect_sizes_from_summary(t = 2.6, n = 8)))
  expect_s3_class(problem, "socialstats_undefined_statistic")
  expect_match(as.character(conditionCall(problem))[1], "^augment")
})

python_test("logLik(), fitted values, residuals and leverages are those of glm()", {
  wins <- example_data("baseball")
  teams <- sort(unique(c(wins$item_a, wins$item_b)))
  model <- function(a, b, wins_a, wins_b)
    glm(cbind(wins_a, wins_b) ~ (outer(a, teams, "==") - outer(b, teams, "=="))[, -1] - 1, family = binomial)
  fit <- bradley_terry(wins)
  expect_equal(attr(logLik(fit), "df"), 6)
  expect_equal(AIC(fit), glance(fit)$aic)
  rows <- augment(fit)
  skip_if_not(".fitted" %in% names(rows), "this Python has no fitted values")
  theirs <- model(rows$item.a, rows$item.b, rows$wins.a, rows$wins.b)
  expect_equal(fitted(fit), unname(fitted(theirs)), tolerance = 1e-7)
  expect_equal(residuals(fit), unname(residuals(theirs)), tolerance = 1e-6)
  expect_equal(residuals(fit, "pearson"), unname(residuals(theirs, "pearson")), tolerance = 1e-6)
  expect_equal(rows$.hat, unname(hatvalues(theirs)), tolerance = 1e-6)
})

python_test("what is undefined is NA with its reason", {
  flat <- data.frame(unit = rep(1:4, 2), rater = rep(c("a", "b"), each = 4), value = 1)
  row <- tidy(krippendorff_alpha(flat, scale = "nominal"))
  expect_true(is.na(row$estimate) && !is.nan(row$estimate))
  expect_false(is.na(row$undefined))
})

python_test("results by a factor are one for each level", {
  two <- rbind(cbind(games, model = "m"), cbind(games, model = "n"))
  fits <- bradley_terry(two, by = "model")
  expect_s3_class(fits, "socialstats_result_group")
  expect_identical(names(fits), c("m", "n"))
  expect_identical(coef(fits[["m"]]), coef(bradley_terry(games)))
  expect_identical(unique(tidy(fits)$by), c("m", "n"))
  expect_identical(nrow(confint(fits)), 6L)
  expect_identical(names(glance(fits))[1:2], c("model", "nobs"))
  expect_output(str(fits), "2 levels")
  expect_identical(lapply(fits, coef), list(m = coef(fits[["m"]]), n = coef(fits[["n"]])))
})

python_test("results, designs and fits go back into functions", {
  fit <- bradley_terry(comparisons(example_data("role_conflict")), ~ urgency)
  expect_s3_class(fit$anova(bradley_terry(example_data("role_conflict"))), "socialstats_result")
  groups <- c(pilot = "work", nurse = "work")
  expect_s3_class(error_of(preference_shares(fit, groups)), "socialstats_input_error")
  expect_match(capture.output(print(side_by_side(list(one = fit))))[1], "one")
})

python_test("verify() agrees with independent implementations", {
  checks <- verify(bradley_terry(example_data("journal_citations")))
  expect_gt(sum(checks$ok, na.rm = TRUE), 10)
  expect_false(any(checks$ok == FALSE, na.rm = TRUE))
})

python_test("plot() shows a figure and writes files; autoplot() has a row for each estimate", {
  fit <- bradley_terry(games)
  svg <- tempfile(fileext = ".svg")
  pdf(NULL)
  on.exit({
    dev.off()
    unlink(svg)
  })
  expect_identical(plot(fit), fit)
  plot(fit, file = svg)
  expect_match(paste(readLines(svg, warn = FALSE), collapse = ""), "<svg")
  skip_if_not_installed("ggplot2")
  expect_identical(nrow(ggplot2::layer_data(ggplot2::autoplot(fit))), 3L)
})

python_test("report() writes a page of a data frame, and keeps the order of levels", {
  file <- tempfile(fileext = ".html")
  on.exit(unlink(file))
  report(transform(seen, value = ordered(value, levels_seen)), file, no_verify = TRUE)
  page <- paste(readLines(file, warn = FALSE), collapse = "\n")
  expect_match(page, "<html")
  expect_match(page, "ordinal")
  expect_s3_class(error_of(report(seen, file, nonsense = "x")), "socialstats_input_error")
})

python_test("calls through do.call(), Map(), pipes and other functions are the same call", {
  wanted <- coef(bradley_terry(games, cluster = "pair"))
  expect_identical(coef(do.call(bradley_terry, list(games, cluster = "pair"))), wanted)
  expect_identical(coef(Map(bradley_terry, list(games), cluster = "pair")[[1]]), wanted)
  passing <- function(...) bradley_terry(...)
  optional <- function(data, level) passing(data, cluster = "pair", level = level)
  expect_identical(coef(games |> passing(cluster = "pair")), wanted)
  expect_identical(coef(optional(games)), wanted)
  expect_identical(optional(games, 0.9)$settings$level, 0.9)
  expect_lt(max(nchar(capture.output(print(do.call(bradley_terry, list(games))))[1])), 310)
})

python_test("update() changes a fit, and predict() takes newdata, as for other models of R", {
  fit <- bradley_terry(example_data("role_conflict"), ~ urgency, cluster = "pair")
  smaller <- coef(bradley_terry(example_data("role_conflict"), cluster = "pair"))
  expect_identical(coef(update(fit, ~ . - urgency)), smaller)
  expect_identical(coef(update(fit, . ~ . - urgency)), smaller)
  expect_identical(update(fit, level = 0.9)$settings$level, 0.9)
  rows <- bradley_terry(games)
  expect_identical(tidy(predict(rows, newdata = games[1, 1:2])), tidy(predict(rows, games[1, 1:2])))
  expect_identical(predict(rows), fitted(rows))
})

python_test("an unknown attribute, term, data set or folder is an input error that says what there is", {
  fit <- bradley_terry(games)
  for (problem in list(error_of(fit$contrst("nurse - judge")), error_of(confint(fit, "nobody")),
                       error_of(example_data("basebal")), error_of(plot(fit, file = tempfile("no/such/figure.png")))))
    expect_s3_class(problem, "socialstats_input_error")
  expect_match(conditionMessage(error_of(fit$contrst)), "Did you mean 'contrast'")
  expect_match(conditionMessage(error_of(confint(fit, "nobody"))), "Terms: .*nurse")
  expect_identical(confint(fit, -1), confint(fit)[-1, ])
})

python_test("report() keeps another file, and replaces it with overwrite = TRUE", {
  file <- tempfile(fileext = ".html")
  writeLines("my thesis", file)
  expect_match(conditionMessage(error_of(report(games, file, no_verify = TRUE))), "would replace it")
  expect_identical(readLines(file), "my thesis")
  report(games, file, no_verify = TRUE, overwrite = TRUE)
  expect_gt(file.size(file), 10000)
})
