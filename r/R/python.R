# The Python side: where it is, how it is installed, calls to it and their errors.

ENVIRONMENT <- "r-socialstats"
OLDEST <- "3.11"
state <- new.env(parent = emptyenv())

bridge <- function() {
  if (is.null(state$bridge)) {
    running <- reticulate::py_available()
    made <- dir.exists(reticulate::virtualenv_root()) && reticulate::virtualenv_exists(ENVIRONMENT)
    if (made && !running && !nzchar(Sys.getenv("RETICULATE_PYTHON")))
      reticulate::use_virtualenv(ENVIRONMENT, required = TRUE)
    # Python takes a folder of this name where R works, such as that of R CMD check, for the package
    if (dir.exists("socialstats")) {
      reticulate::py_config()
      folder <- setwd(tempdir())
      on.exit(setwd(folder), add = TRUE)
    }
    # in a folder with a pyproject.toml, such as the clone, older versions of reticulate warn that Poetry is missing
    found <- suppressWarnings(reticulate::py_module_available("socialstats"))
    if (!found && made && running)
      raise("This session of R already runs another Python, ", reticulate::py_config()$python, ", without socialstats. ",
            "Restart R: it then uses the virtual environment '", ENVIRONMENT, "'.", class = "missing_dependency")
    if (!found)
      raise("The Python library socialstats is missing. Run install_socialstats(), or name a Python that has it ",
            "in the environment variable RETICULATE_PYTHON before R starts.", class = "missing_dependency")
    scripts <- system.file("python", package = "socialstats")
    state$bridge <- reticulate::import_from_path("socialstats_bridge", path = scripts)
  }
  state$bridge
}

socialstats_available <- function() {
  tryCatch(!is.null(bridge()), error = function(e) FALSE)
}

install_socialstats <- function(from, python = NULL, envname = "r-socialstats", ...) {
  from <- source_of(if (missing(from)) NULL else from)
  if (!is.null(python) && !is_new_enough(python))
    raise("python = '", python, "' is no Python ", OLDEST, " or newer that can make virtual environments.",
          class = "input_error")
  python <- if (is.null(python)) new_enough() else python
  if (is.null(python)) {
    message("No Python ", OLDEST, " or newer was found. One is being installed by reticulate::install_python().")
    python <- attempt(reticulate::install_python(version = "3.12:latest"),
                      "No Python could be installed. Install Python ", OLDEST, " or newer yourself (python.org), and ",
                      "name it: install_socialstats(from, python = \"path/to/python\").")
  }
  if (!reticulate::virtualenv_exists(envname))
    attempt(reticulate::virtualenv_create(envname, python = python, packages = FALSE),
            "The virtual environment '", envname, "' could not be made with ", python, ".")
  attempt(reticulate::virtualenv_install(envname, packages = from, ignore_installed = FALSE, ...),
          "pip could not install ", from, "; its own message stands above. Without a connection to PyPI, name a folder ",
          "of wheels that has everything: pip_options = \"--no-index --find-links FOLDER\".")
  message("socialstats is installed in the virtual environment '", envname, "'. Restart R if Python is in use.")
  invisible(envname)
}

# What pip installs: a folder or file as its whole path, or a specification; an error for a path that does not exist.
source_of <- function(from) {
  if (!is.character(from) || length(from) != 1 || is.na(from) || !nzchar(from))
    raise("from = takes one text: the folder of the clone, a wheel or archive of it, or a specification of pip.",
          class = "input_error")
  if (file.exists(from)) return(normalizePath(from))
  if (grepl("[/\\\\]|[.](whl|gz|zip)$", from) && !grepl("@|://", from))
    raise("from = '", from, "': there is no such folder or file in ", getwd(), ".", class = "input_error")
  from
}

# The value of an expression, or an error that says what to do, followed by the error of reticulate.
attempt <- function(value, ...) {
  tryCatch(with_own_libraries(value), error = function(e) {
    raise(..., " (", conditionMessage(e), ")", class = "missing_dependency")
  })
}

# R puts folders of the system first in LD_LIBRARY_PATH. A Python of pyenv then loads the system's libpython of the same
# name in place of its own, and has no SSL. The loader searches these folders in any case, after Python's own.
with_own_libraries <- function(value) {
  before <- Sys.getenv("LD_LIBRARY_PATH")
  if (!nzchar(before)) return(value)
  on.exit(Sys.setenv(LD_LIBRARY_PATH = before))
  folders <- strsplit(before, ":", fixed = TRUE)[[1]]
  own <- folders[!grepl("^/(usr/)?lib(64)?(/[^/]+-linux-gnu)?/?$", folders)]
  Sys.setenv(LD_LIBRARY_PATH = paste(own, collapse = ":"))
  value
}

# The first Python on the path that is new enough and can make environments; NULL if there is none.
new_enough <- function() {
  found <- Sys.which(c("python3", "python", paste0("python3.", 20:11)))
  for (one in unique(found[nzchar(found)])) if (is_new_enough(one)) return(one)
  NULL
}

is_new_enough <- function(python) {
  code <- sprintf("import sys, venv, ensurepip, ssl; sys.exit(sys.version_info < (%s))",
                  sub(".", ", ", OLDEST, fixed = TRUE))
  run <- function() system2(python, c("-c", shQuote(code)), stdout = FALSE, stderr = FALSE)
  0 == suppressWarnings(tryCatch(with_own_libraries(run()), error = function(e) 1))
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
