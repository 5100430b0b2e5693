# The Python side: where it is, how it is installed, calls to it and their errors.

ENVIRONMENT <- "r-socialstats"
OLDEST <- "3.11"
state <- new.env(parent = emptyenv())

bridge <- function() {
  if (is.null(state$bridge)) {
    asked <- nzchar(Sys.getenv("RETICULATE_PYTHON")) || reticulate::py_available()
    if (!asked && dir.exists(reticulate::virtualenv_root()) && reticulate::virtualenv_exists(ENVIRONMENT))
      reticulate::use_virtualenv(ENVIRONMENT, required = TRUE)
    # in a folder with a pyproject.toml, such as the clone, older versions of reticulate warn that Poetry is missing
    if (!suppressWarnings(reticulate::py_module_available("socialstats")))
      raise("The Python library socialstats is missing. Run install_socialstats(), or name a Python that has it ",
            "in the environment variable RETICULATE_PYTHON before R starts.", class = "missing_dependency")
    folder <- system.file("python", package = "socialstats")
    state$bridge <- reticulate::import_from_path("socialstats_bridge", path = folder)
  }
  state$bridge
}

socialstats_available <- function() {
  tryCatch(!is.null(bridge()), error = function(e) FALSE)
}

install_socialstats <- function(from, python = NULL, envname = "r-socialstats", ...) {
  if (missing(from))
    raise("from = is missing: name the folder of the clone, an archive of it, or a specification of pip.",
          class = "input_error")
  python <- if (is.null(python)) new_enough() else python
  if (is.null(python)) {
    message("No Python ", OLDEST, " or newer was found. One is being installed by reticulate::install_python().")
    python <- reticulate::install_python(version = "3.12:latest")
  }
  if (dir.exists(from)) from <- normalizePath(from)
  if (!reticulate::virtualenv_exists(envname)) reticulate::virtualenv_create(envname, python = python)
  reticulate::virtualenv_install(envname, packages = from, ignore_installed = FALSE, ...)
  message("socialstats is installed in the virtual environment '", envname, "'. Restart R if Python is in use.")
  invisible(envname)
}

# The first Python on the path that is new enough and can make environments; NULL if there is none.
new_enough <- function() {
  found <- Sys.which(c("python3", "python", paste0("python3.", 20:11)))
  code <- sprintf("import sys, venv, ensurepip; sys.exit(sys.version_info < (%s))", sub(".", ", ", OLDEST, fixed = TRUE))
  for (one in unique(found[nzchar(found)]))
    if (system2(one, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE) == 0) return(one)
  NULL
}

# Signal an error of a class of socialstats, with its fields.
raise <- function(..., class, fields = list(), call = NULL) {
  classes <- c(paste0("socialstats_", class), "socialstats_error", "error", "condition")
  stop(structure(class = unique(classes), c(list(message = paste0(...), call = call), fields)))
}

# The value of an answer of the bridge, or its error as a condition.
answer <- function(given, call = NULL, source = NULL) {
  failed <- given$error
  if (is.null(failed)) return(from_python(given$value, call))
  fields <- lapply(failed$fields, from_python)
  raise(failed$message, class = unlist(failed$classes), fields = fields, call = call)
}

# Call a public function of Python with the arguments that the calling wrapper was given.
called <- function(name) {
  frame <- parent.frame()
  wrapper <- sys.function(sys.parent())
  call <- sys.call(sys.parent())
  own <- setdiff(names(formals(wrapper)), "...")
  given <- own[!vapply(own, function(one) eval(call("missing", as.name(one)), frame), NA)]
  dots <- if ("..." %in% names(formals(wrapper))) eval(quote(list(...)), frame) else list()
  arguments <- formula_first(c(mget(given, frame), dots), own)
  nameless <- sum(!nzchar(names(arguments)))
  if (nameless > 0)
    raise(sprintf("%s() was given %d argument(s) without a name too many: write NAME = VALUE.", name, nameless),
          class = "input_error", call = call)
  answer(bridge()$call(name, to_python(arguments, named = TRUE)), call)
}

# f(answer ~ condition | scenario, data) as f(data, formula = answer ~ condition | scenario).
formula_first <- function(arguments, own) {
  if (length(arguments) < 2 || names(arguments)[1] != own[1] || !inherits(arguments[[1]], "formula")) return(arguments)
  at <- c(which(names(arguments)[-1] %in% c("", "data")), 1)[1] + 1
  c(stats::setNames(arguments[at], own[1]), arguments[-c(1, at)], list(formula = arguments[[1]]))
}
