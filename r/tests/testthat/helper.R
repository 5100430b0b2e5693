skip_without_python <- function() {
  skip_if_not(socialstats_available(), "the Python library socialstats is not there")
}

# A test that needs Python.
python_test <- function(name, code) {
  code <- substitute(code)
  frame <- parent.frame()
  eval(bquote(test_that(.(name), {
    skip_without_python()
    .(code)
  })), frame)
}

# Numbers that Python computes without the bridge, as hexadecimal texts and so to the last bit.
# `code` makes `fit`; the columns of its tidy() are returned, NaN as NA.
python_numbers <- function(code) {
  main <- reticulate::py_run_string(paste(sep = "\n", code, "
table = fit.tidy(all=True).select_dtypes('float64')
hexes = {name: [float(x).hex() for x in table[name]] + [''] for name in table}
"))
  lapply(main$hexes, function(hex) {
    found <- suppressWarnings(as.numeric(utils::head(unlist(hex), -1)))
    replace(found, is.nan(found), NA)
  })
}

expect_same_bits <- function(fit, code) {
  ours <- as.data.frame(tidy(fit))
  theirs <- python_numbers(paste(sep = "\n", "import socialstats as ss", code))
  names(theirs) <- gsub("_", ".", names(theirs), fixed = TRUE)
  expect_gt(length(theirs), 10)
  for (name in names(theirs))
    expect_true(identical(ours[[name]], theirs[[name]], num.eq = FALSE, single.NA = FALSE),
                label = paste(name, "has the bits of Python"))
}

error_of <- function(code) tryCatch(code, error = function(e) e)

games <- data.frame(item_a = c("nurse", "nurse", "judge", "judge", "pilot", "pilot"),
                    item_b = c("judge", "pilot", "pilot", "nurse", "nurse", "judge"),
                    winner = c("nurse", "pilot", "judge", "nurse", "nurse", "pilot"))
sleep_pairs <- local({
  wide <- reshape(datasets::sleep, direction = "wide", idvar = "ID", timevar = "group")
  names(wide) <- c("ID", "before", "after")
  wide
})
levels_seen <- c("low", "medium", "high")
seen <- local({
  table <- expand.grid(unit = paste0("u", 1:8), rater = c("ann", "bob", "cid"), stringsAsFactors = FALSE)
  table$value <- levels_seen[c(1, 1, 3, 2, 3, 1, 2, 3, 1, 2, 3, 2, 3, 1, 1, 3, 1, 1, 3, 3, 2, 1, 2, 3)]
  table
})
