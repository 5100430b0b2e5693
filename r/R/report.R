# The page of a table.

report <- function(data, file = "report.html", ...) {
  settings <- list(...)
  if (is.data.frame(data)) {
    folder <- tempfile("socialstats")
    dir.create(folder)
    on.exit(unlink(folder, recursive = TRUE))
    values <- data[[if (is.null(settings$value)) "value" else settings$value]]
    if (is.ordered(values) && is.null(settings$levels)) settings$levels <- levels(values)
    path <- file.path(folder, "data.csv")
    utils::write.csv(data, path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
    data <- path
  }
  answer(bridge()$report(data, path.expand(file), to_python(settings, named = TRUE)), sys.call())
  invisible(file)
}
