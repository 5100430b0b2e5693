# Results as S3 objects. Numbers are computed once, in Python, and read from there.

object <- function(py, about, call = NULL) {
  kinds <- c(if (nzchar(about$metric)) about$metric, about$type)
  family <- if (identical(about$family, "result_group")) c("result_group", "result") else about$family
  classes <- unique(paste0("socialstats_", c(kinds, family[nzchar(family)], "object")))
  structure(list(py = py, call = call), class = classes)
}

pointer <- function(x) {
  py <- unclass(x)$py
  if (reticulate::py_is_null_xptr(py))
    raise("this result was computed by another session of R: compute it again, or save tidy(fit)", class = "input_error")
  py
}

invoke <- function(x, name, ...) {
  call <- sys.call(sys.parent())
  given <- list(...)
  named <- if (is.null(names(given))) logical(length(given)) else nzchar(names(given))
  positional <- to_python(unname(given[!named]))
  answer(bridge()$method(pointer(x), name, positional, to_python(given[named], named = TRUE)), call)
}

# Refuse arguments that a method does not have.
none <- function(..., of) {
  if (...length() > 0)
    raise(of, " takes no argument ", paste(sQuote(names(list(...)), FALSE), collapse = ", "), class = "input_error")
}

`$.socialstats_object` <- function(x, name) {
  found <- bridge()$attribute(pointer(x), name)
  if (isTRUE(found$method)) return(function(...) invoke(x, name, ...))
  answer(found)
}

`[[.socialstats_object` <- function(x, i) {
  if (!inherits(x, "socialstats_result_group")) return(`$.socialstats_object`(x, i))
  invoke(x, "__getitem__", if (is.numeric(i)) names(x)[i] else i)
}

.DollarNames.socialstats_object <- function(x, pattern = "") {
  grep(pattern, unlist(bridge()$members(pointer(x))), value = TRUE)
}

names.socialstats_result_group <- function(x) names(invoke(x, "coef"))

as.list.socialstats_result_group <- function(x, ...) x$results

length.socialstats_result_group <- function(x) length(names(x))

print.socialstats_object <- function(x, ...) {
  cat(bridge()$shown(pointer(x)), "\n", sep = "")
  invisible(x)
}

str.socialstats_object <- function(object, ...) {
  cat("", class(object)[1], trimws(bridge()$shown(pointer(object))), "\n")
}

print.socialstats_result <- function(x, ...) {
  print(summary(x, ...))
  invisible(x)
}

summary.socialstats_result <- function(object, ...) {
  none(..., of = "summary()")
  structure(list(call = unclass(object)$call, text = invoke(object, "summary"), coefficients = tidy(object),
                 cautions = cautions(object)), class = "summary.socialstats_result")
}

print.summary.socialstats_result <- function(x, ...) {
  said <- paste(trimws(deparse(x$call, nlines = 9L)), collapse = " ")
  if (nchar(said) > 300) said <- paste(substr(said, 1, 297), "...")  # do.call() puts the whole table into the call
  if (!is.null(x$call)) cat("Call: ", said, "\n", sep = "")
  cat(x$text, "\n", sep = "")
  invisible(x)
}

# A data frame with dots in its names, as broom's tables have; a tibble where tibble is installed.
broom_table <- function(x) {
  names(x) <- gsub("_", ".", names(x), fixed = TRUE)
  if (requireNamespace("tibble", quietly = TRUE)) tibble::as_tibble(x) else x
}

# Metrics whose estimates are logarithms of odds.
LOG_SCALE <- c("socialstats_bradley_terry", "socialstats_bradley_terry_difference", "socialstats_multinomial_logit")

# Estimates and limits as odds, as broom has them: standard errors stay those of the logarithms.
exponentiated <- function(x, found) {
  if (!inherits(x, LOG_SCALE))
    raise("tidy(): exponentiate = TRUE is for logarithms of odds, of ", paste0(sub("socialstats_", "", LOG_SCALE), "()",
          collapse = ", "), class = "input_error")
  columns <- intersect(c("estimate", "conf.low", "conf.high"), names(found))
  found[columns] <- lapply(found[columns], exp)
  found
}

tidy.socialstats_result <- function(x, conf.int = TRUE, conf.level = NULL, exponentiate = FALSE, ...) {
  none(..., of = "tidy()")
  found <- tidy_rows(x, conf.int, conf.level)
  if (isTRUE(exponentiate)) exponentiated(x, found) else found
}

tidy_rows <- function(x, conf.int, conf.level) {
  found <- broom_table(invoke(x, "tidy", all = TRUE))
  limits <- c("conf.low", "conf.high")
  if (!isTRUE(conf.int)) return(found[setdiff(names(found), c(limits, "conf.level"))])
  if (!is.null(conf.level)) {
    again <- invoke(x, "confint", level = conf.level)
    found[limits] <- unname(as.list(again[ncol(again) - 1:0]))
    found$conf.level[!is.na(found$conf.level)] <- conf.level
  }
  found
}

glance.socialstats_result <- function(x, ...) {
  none(..., of = "glance()")
  broom_table(invoke(x, "glance"))
}

augment.socialstats_result <- function(x, ...) {
  none(..., of = "augment()")
  found <- broom_table(invoke(x, "augment"))
  names(found) <- sub("^(fitted|resid|hat)\\b", ".\\1", names(found))
  found
}

as.data.frame.socialstats_result <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(tidy(x, ...), row.names = row.names, optional = optional)
}

coef.socialstats_result <- function(object, ...) {
  none(..., of = "coef()")
  invoke(object, "coef")
}

vcov.socialstats_result <- function(object, ...) {
  none(..., of = "vcov()")
  invoke(object, "vcov")
}

nobs.socialstats_result <- function(object, ...) {
  none(..., of = "nobs()")
  found <- glance(object)$nobs
  if (all(is.na(found))) unname(object$counts[1]) else found
}

confint.socialstats_result <- function(object, parm, level = NULL, ...) {
  none(..., of = "confint()")
  found <- invoke(object, "confint", level = level)
  labels <- seq_len(ncol(found) - 2)
  rows <- do.call(paste, c(unname(found[labels]), sep = ":"))
  limits <- as.matrix(found[-labels])
  rownames(limits) <- rows
  if (missing(parm)) return(limits)
  strange <- setdiff(parm, if (is.numeric(parm)) seq_along(rows) else rows)
  if (length(strange) && !(is.numeric(parm) && all(parm < 0)))
    raise("confint(): no term ", paste(sQuote(strange, FALSE), collapse = ", "), ". Terms: ",
          paste(rows, collapse = ", "), class = "input_error")
  limits[parm, , drop = FALSE]
}

predict.socialstats_bradley_terry <- function(object, newdata, ...) {
  if (missing(newdata)) return(fitted(object, ...))
  invoke(object, "predict", newdata, ...)
}

formula.socialstats_bradley_terry <- function(x, ...) {
  none(..., of = "formula()")
  text <- x$settings[["formula"]]
  if (is.null(text)) return(~1)
  stats::as.formula(gsub("**", "^", text, fixed = TRUE), env = parent.frame())
}

update.socialstats_bradley_terry <- function(object, formula., ...) {
  if (missing(formula.)) return(invoke(object, "update", ...))
  if (length(formula.) == 3 && identical(formula.[[2]], quote(.))) formula.[[2]] <- NULL  # `. ~ x` of lm is `~ x` here
  invoke(object, "update", formula., ...)
}

anova.socialstats_bradley_terry <- function(object, ...) {
  if (...length() == 0)
    raise("anova() compares two fits of the same comparisons: anova(fit, update(fit, . ~ . - x))", class = "input_error")
  invoke(object, "anova", ...)
}

logLik.socialstats_bradley_terry <- function(object, ...) {
  none(..., of = "logLik()")
  structure(object$log_likelihood, df = glance(object)$df, nobs = nobs(object), class = "logLik")
}

fitted.socialstats_bradley_terry <- function(object, ...) {
  none(..., of = "fitted()")
  augment(object)[[".fitted"]]
}

residuals.socialstats_bradley_terry <- function(object, type = c("deviance", "pearson", "response"), ...) {
  none(..., of = "residuals()")
  augment(object)[[paste0(".resid.", match.arg(type))]]
}

cautions <- function(x) {
  if (!inherits(x, "socialstats_result")) raise("cautions() takes a result of socialstats", class = "input_error")
  parts <- if (inherits(x, "socialstats_result_group")) x$results else list(x)
  found <- unlist(lapply(parts, function(one) one$cautions), recursive = FALSE)
  fields <- c("code", "severity", "short", "detail", "affects", "fix")
  columns <- lapply(fields, function(name) vapply(found, function(one) one[[name]], "", USE.NAMES = FALSE))
  as.data.frame(stats::setNames(columns, fields))
}

verify <- function(x) {
  if (!inherits(x, "socialstats_result")) raise("verify() takes a result of socialstats", class = "input_error")
  broom_table(invoke(x, "verify")$tidy())
}

design <- function(kind, call, ...) {
  arguments <- formula_first(list(...), "data")
  data <- to_python(arguments$data)
  answer(bridge()$design(kind, data, to_python(arguments[names(arguments) != "data"], named = TRUE)), call)
}

comparisons <- function(data, ...) design("comparisons", sys.call(), data = data, ...)
groups <- function(data, ...) design("groups", sys.call(), data = data, ...)
paired <- function(data, ...) design("paired", sys.call(), data = data, ...)
ratings <- function(data, ...) design("ratings", sys.call(), data = data, ...)

as.data.frame.socialstats_object <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(invoke(x, "table", ...), row.names = row.names, optional = optional)
}

example_data <- function(name) {
  known <- vapply(answer(bridge()$call("datasets.datasets", to_python(list(), named = TRUE))),
                  function(one) one$name, "")
  if (missing(name)) return(known)
  if (!name %in% known)
    raise("no data set ", sQuote(name, FALSE), ". There are ", paste(known, collapse = ", "), class = "input_error")
  answer(bridge()$call(paste0("datasets.", name), to_python(list(), named = TRUE)))
}
