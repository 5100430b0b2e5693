python_test("an input error says row (from 1), column, value and fix, in words of R", {
  wrong <- transform(games, winner = replace(winner, 3, "nobody"))
  problem <- error_of(bradley_terry(wrong))
  expect_s3_class(problem, c("socialstats_input_error", "socialstats_error"), exact = FALSE)
  expect_match(conditionMessage(problem), "data frame row 3, column 'winner': 'nobody'")
  expect_match(conditionMessage(problem), 'tie = "nobody"', fixed = TRUE)
  expect_identical(problem$problems[[1]]$lines, 3L)
  expect_identical(as.character(conditionCall(problem))[1], "bradley_terry")
})

python_test("an option that is misspelt is an input error with the nearest one", {
  expect_match(conditionMessage(error_of(bradley_terry(games, clutser = "pair"))), "cluster")
  expect_match(conditionMessage(error_of(bradley_terry(games, ties = "maybe"))), 'ties = "maybe"')
})

python_test("an argument too many is an input error", {
  expect_s3_class(error_of(bradley_terry(games, ~ urgency, "pair")), "socialstats_input_error")
  expect_s3_class(error_of(tidy(bradley_terry(games), nonsense = TRUE)), "socialstats_input_error")
})

python_test("no finite estimate: the items to blame are fields", {
  unbeaten <- data.frame(item_a = c("x", "x", "y"), item_b = c("y", "z", "z"), winner = c("x", "x", "z"))
  problem <- error_of(bradley_terry(unbeaten))
  expect_s3_class(problem, c("socialstats_mle_does_not_exist", "socialstats_undefined_statistic"), exact = FALSE)
  expect_true("x" %in% problem$unbeaten)
  expect_match(conditionMessage(problem), 'penalty = "firth"', fixed = TRUE)
})

python_test("a statistic that a metric lacks is undefined, not an empty matrix", {
  fit <- krippendorff_alpha(seen, levels = levels_seen)
  problem <- error_of(vcov(fit))
  expect_s3_class(problem, "socialstats_undefined_statistic")
  expect_match(deparse(conditionCall(problem)), "^vcov")
})

python_test("a result of another session says so", {
  file <- tempfile(fileext = ".rds")
  on.exit(unlink(file))
  saveRDS(bradley_terry(games), file)
  expect_s3_class(error_of(coef(readRDS(file))), "socialstats_input_error")
})

test_that("values that Python cannot have are refused", {
  expect_s3_class(error_of(to_python(sum)), "socialstats_input_error")
  expect_s3_class(error_of(to_python(new.env())), "socialstats_input_error")
})

test_that("install_socialstats() wants to know from where", {
  expect_s3_class(error_of(install_socialstats()), "socialstats_input_error")
  expect_s3_class(error_of(install_socialstats(character())), "socialstats_input_error")
  expect_match(conditionMessage(error_of(install_socialstats("no/such.whl"))), "there is no such folder or file")
  wrong <- error_of(install_socialstats(tempdir(), python = "no-such-python"))
  expect_match(conditionMessage(wrong), "is no Python 3.11 or newer")
})

test_that("Python is started without the folders of the system that R puts before its own libraries", {
  before <- Sys.getenv("LD_LIBRARY_PATH")
  on.exit(Sys.setenv(LD_LIBRARY_PATH = before))
  Sys.setenv(LD_LIBRARY_PATH = "/usr/lib/R/lib:/usr/lib/x86_64-linux-gnu:/opt/own/lib:/lib64")
  expect_equal(with_own_libraries(Sys.getenv("LD_LIBRARY_PATH")), "/usr/lib/R/lib:/opt/own/lib")
  expect_match(Sys.getenv("LD_LIBRARY_PATH"), "x86_64-linux-gnu")
})
