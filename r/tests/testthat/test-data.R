python_test("ordered factors are ordinal, with the order of their levels", {
  data <- transform(seen, value = ordered(value, levels_seen))
  fit <- krippendorff_alpha(data)
  expect_identical(fit$settings$scale, "ordinal")
  expect_identical(coef(fit), coef(krippendorff_alpha(seen, levels = levels_seen)))
  turned <- transform(seen, value = ordered(value, c("medium", "low", "high")))
  expect_false(coef(fit)[["alpha"]] == coef(krippendorff_alpha(turned))[["alpha"]])
})

python_test("a level that no row has counts for the order", {
  few <- subset(transform(seen, value = ordered(value, levels_seen)), value != "medium")
  expect_identical(ratings(few, missing = "drop")$levels, levels_seen)
})

python_test("unordered factors are labels, and their order has to be said", {
  data <- transform(seen, value = factor(value, levels_seen))
  expect_s3_class(error_of(krippendorff_alpha(data)), "socialstats_design_error")
  nominal <- krippendorff_alpha(data, scale = "nominal")
  expect_identical(coef(nominal), coef(krippendorff_alpha(seen, scale = "nominal")))
})

python_test("NA is missing in texts, factors, numbers and logicals", {
  gap <- seen
  gap$value[3] <- NA
  wanted <- krippendorff_alpha(gap[-3, ], levels = levels_seen)
  for (value in list(gap$value, ordered(gap$value, levels_seen)))
    expect_identical(coef(krippendorff_alpha(transform(gap, value = value), levels = levels_seen, missing = "drop")),
                     coef(wanted))
  numbers <- transform(sleep_pairs, after = replace(after, 2, NA))
  expect_identical(coef(paired_difference(numbers, first = "after", second = "before", missing = "drop")),
                   coef(paired_difference(numbers[-2, ], first = "after", second = "before")))
  truth <- data.frame(first = c(TRUE, FALSE, NA, TRUE), second = c(FALSE, FALSE, TRUE, TRUE))
  expect_identical(coef(mcnemar(truth, first = "first", second = "second", missing = "drop")),
                   coef(mcnemar(truth[-3, ], first = "first", second = "second")))
})

python_test("a logical column of winners says whether the first item won", {
  won <- transform(games, winner = winner == item_a)
  expect_match(conditionMessage(error_of(bradley_terry(won))), 'winner_coding = "score" if TRUE says that the first item won')
  expect_identical(coef(bradley_terry(won, winner_coding = "score")), coef(bradley_terry(games)))
})

python_test("NA in a column of integers is no number", {
  counts <- data.frame(item_a = c("a", "b"), item_b = c("b", "c"), wins_a = c(3L, NA), wins_b = c(1L, 2L))
  expect_match(conditionMessage(error_of(bradley_terry(counts))), "row 2, column 'wins_a'")
})

python_test("the text NA is missing by default, and a label where it is declared", {
  codes <- transform(seen, value = replace(value, value == "low", "NA"))
  without <- krippendorff_alpha(codes, scale = "nominal")
  expect_identical(coef(without), coef(krippendorff_alpha(subset(seen, value != "low"), scale = "nominal")))
  expect_identical(coef(krippendorff_alpha(codes, scale = "nominal", na = FALSE)),
                   coef(krippendorff_alpha(seen, scale = "nominal")))
})

python_test("tibbles are data frames, and tables come back as tibbles", {
  skip_if_not_installed("tibble")
  fit <- bradley_terry(tibble::as_tibble(games))
  expect_identical(coef(fit), coef(bradley_terry(games)))
  expect_s3_class(tidy(fit), "tbl_df")
  expect_identical(class(as.data.frame(fit)), "data.frame")
})

python_test("empty data are nothing to analyse, not a traceback", {
  problem <- error_of(bradley_terry(games[0, ]))
  expect_s3_class(problem, "socialstats_nothing_to_analyse")
  expect_match(conditionMessage(problem), "^data frame has no rows")
  expect_s3_class(error_of(krippendorff_alpha(seen[0, ], levels = levels_seen)), "socialstats_error")
  expect_s3_class(error_of(paired_difference(sleep_pairs[0, ], first = "after", second = "before")), "socialstats_error")
  expect_s3_class(error_of(bradley_terry(data.frame())), "socialstats_error")
})

python_test("row names and grouping of a data frame change nothing", {
  named <- games
  rownames(named) <- letters[1:6]
  expect_identical(coef(bradley_terry(named)), coef(bradley_terry(games)))
})

python_test("a column of lists is refused by name", {
  games$extra <- I(list(1, 2, 3, 4, 5, 6))
  expect_match(conditionMessage(error_of(bradley_terry(games))), "column 'extra'")
})

python_test("letters of other alphabets pass both ways", {
  greek <- data.frame(item_a = c("\u03b1", "\u03b2", "\u03b1"), item_b = c("\u03b2", "\u03b1", "\u03b2"),
                      winner = c("\u03b1", "\u03b2", "\u03b1"))
  expect_identical(names(coef(bradley_terry(greek))), c("\u03b1", "\u03b2"))
})

python_test("matrices of ratings are read as they stand", {
  scores <- matrix(c(1, 2, 3, 3, 2, 1, 2, 2, 3, 3, 2, 1), 6)
  long <- data.frame(unit = rep(1:6, 2), rater = rep(c("a", "b"), each = 6), value = as.vector(scores))
  expect_equal(coef(krippendorff_alpha(scores, raters_in = "columns", scale = "interval")),
               coef(krippendorff_alpha(long, scale = "interval")))
})

python_test("files are read by Python", {
  file <- tempfile(fileext = ".csv")
  on.exit(unlink(file))
  write.csv(games, file, row.names = FALSE)
  expect_identical(coef(bradley_terry(file)), coef(bradley_terry(games)))
})

test_that("formulas keep names with dots, powers and factors", {
  expect_identical(formula_text(~ urgency), "~urgency")
  expect_identical(formula_text(~ prev.wins + I(mass^2)), "~`prev.wins` + I(mass**2)")
  expect_identical(formula_text(~ factor(domain) + a.b * a.b.c), "~C(domain) + `a.b` * `a.b.c`")
})

python_test("a covariate with dots in its name and its square", {
  set.seed(1)
  items <- t(replicate(200, sample(letters[1:5], 2)))
  data <- data.frame(item_a = items[, 1], item_b = items[, 2], prior.wins_a = rnorm(200), prior.wins_b = rnorm(200))
  data$winner <- ifelse(runif(200) < plogis(data$prior.wins_a - data$prior.wins_b), data$item_a, data$item_b)
  fit <- bradley_terry(data, ~ prior.wins + I(prior.wins^2), strengths = "none")
  side <- with(data, cbind(prior.wins_a - prior.wins_b, prior.wins_a^2 - prior.wins_b^2))
  expect_equal(unname(coef(fit)), unname(coef(glm(data$winner == data$item_a ~ side - 1, family = binomial))),
               tolerance = 1e-7)
})

test_that("a formula may stand before the table", {
  by_name <- function(...) formula_first(list(...), c("paired", "cluster"))
  wanted <- list(paired = "table", by = "m", formula = y ~ x | story)
  expect_equal(by_name(paired = y ~ x | story, "table", by = "m"), wanted)
  expect_equal(by_name(paired = y ~ x | story, by = "m", data = "table"), wanted)
  expect_equal(by_name(paired = "table", by = "m"), list(paired = "table", by = "m"))
})

python_test("formulas of designs name the columns", {
  skip_if_not(reticulate::py_module_available("socialstats.designs.formulas"), "this Python has no formulas of designs")
  long <- reshape(sleep_pairs, direction = "long", varying = c("before", "after"), v.names = "extra.sleep",
                  timevar = "arm", times = c("before", "after"), idvar = "ID")
  fit <- paired_difference(extra.sleep ~ arm + unit(ID), long, conditions = c("after", "before"))
  expect_identical(coef(fit), coef(paired_difference(sleep_pairs, first = "after", second = "before")))
  expect_identical(coef(bradley_terry(winner ~ 1 | pair, games)), coef(bradley_terry(games, cluster = "pair")))
  roles <- example_data("role_conflict")
  expect_identical(tidy(bradley_terry(choice ~ urgency | pair, roles)), tidy(bradley_terry(roles, ~ urgency, cluster = "pair")))
  expect_identical(ratings(value ~ rater + unit(unit), seen, levels = levels_seen)$raters, c("ann", "bob", "cid"))
})

test_that("integer64 columns are read as their numbers, without the package bit64", {
  bits <- function(low, high) readBin(writeBin(c(low, high), raw(), endian = "little"), "double", endian = "little")
  held <- c(bits(7L, 0L), bits(-2L, -1L), bits(0L, 1L), bits(NA, 0L), bits(0L, NA))
  read <- column_to_python(structure(held, class = "integer64"))
  expect_identical(readBin(read$data, "double", 5), c(7, -2, 2^32, 2^31, NA))
})
