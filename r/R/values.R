# Values of R as Python reads them, and back. Numbers travel as bytes.

KIND <- "r_kind"
LARGEST_WHOLE <- .Machine$integer.max

marked <- function(kind, ...) c(stats::setNames(list(kind), KIND), list(...))

to_python <- function(x, named = FALSE) {
  if (is.null(x)) return(NULL)
  if (inherits(x, "socialstats_object")) return(marked("object", value = pointer(x)))
  if (inherits(x, "python.builtin.object")) return(marked("object", value = x))
  if (inherits(x, "formula")) return(formula_text(x))
  if (is.data.frame(x)) return(frame_to_python(x))
  if (is.matrix(x) && is.numeric(x)) return(matrix_to_python(x))
  if (is.factor(x) || inherits(x, c("Date", "POSIXt"))) x <- stats::setNames(as.character(x), names(x))
  if (!is.vector(x))
    raise("a value of class ", class(x)[1], " cannot be passed to Python: pass a vector, a list or a data frame",
          class = "input_error")
  if (named || !is.null(names(x)))
    return(marked("dict", names = as.list(as.character(names(x))), values = unname(lapply(x, to_python))))
  if (is.list(x) || length(x) != 1) return(marked("list", values = lapply(x, to_python)))
  if (is.na(x)) return(NULL)
  if (is.double(x) && x == round(x) && abs(x) <= LARGEST_WHOLE) as.integer(x) else x
}

# A matrix, or a table of two factors, with the names of its rows and columns and what they are levels of.
matrix_to_python <- function(x) {
  data <- writeBin(as.double(x), raw())
  if (is.null(dimnames(x))) return(marked("matrix", data = data, dim = as.list(dim(x))))
  titles <- names(dimnames(x))
  marked("cells", data = data, dim = as.list(dim(x)), rows = as.list(rownames(x)), columns = as.list(colnames(x)),
         titles = as.list(if (is.null(titles)) c("", "") else titles))
}

# What a term of a formula may call; all else is a function of R that Python does not have.
TERMS <- c("~", "+", "-", "*", "/", ":", "^", "(", "|", "I", "log", "log2", "log10", "exp", "sqrt", "abs", "poly", "bs",
           "center", "scale", "C", "factor", "as.factor", "relevel", "=")

# relevel(factor(x), ref = "b") as C(x, contr.treatment(base = "b")): the same reference level.
terms_of_python <- function(x) {
  if (!is.call(x)) return(x)
  name <- paste(deparse(x[[1]]), collapse = "")
  if (!name %in% c(TERMS, COLUMN_KEYWORDS))  # unit(id): the column of a keyword
    raise("formula: ", name, "() is a function of R, and terms are computed in Python. Compute a column first and name it: ",
          "data$x <- ", paste(deparse(x), collapse = " "), ". For two sides, compute data$x_a and data$x_b. Terms may call ",
          paste(grep("^[[:alpha:]]", TERMS, value = TRUE), collapse = ", "), ".", class = "input_error")
  if (name != "relevel") {
    for (k in seq_along(x)[-1]) if (!is.null(x[[k]])) x[[k]] <- terms_of_python(x[[k]])
    return(x)
  }
  if (length(x) != 3)
    raise("formula: write relevel(x, ref = \"LEVEL\"), with one column and its reference level", class = "input_error")
  levels_of <- x[[2]]
  if (is.call(levels_of)) levels_of <- levels_of[[2]]
  base <- x[[3]]
  number <- suppressWarnings(as.numeric(base))
  call("C", levels_of, call("contr.treatment", base = if (is.na(number)) base else number))
}

# A formula as the text that Python reads: names with dots in backticks, powers as **, factor() as C().
formula_text <- function(x) {
  x[[length(x)]] <- terms_of_python(x[[length(x)]])
  text <- paste(deparse(x, width.cutoff = 500L, backtick = TRUE), collapse = " ")
  text <- gsub("^", "**", text, fixed = TRUE)
  text <- gsub("\\b(as\\.)?factor\\(", "C(", text)
  for (name in grep(".", setdiff(all.vars(x), "."), fixed = TRUE, value = TRUE)) {
    exact <- gsub(".", "\\.", name, fixed = TRUE)
    text <- gsub(paste0("(?<![\\w.`])", exact, "(?![\\w.`(])"), paste0("`", name, "`"), text, perl = TRUE)
  }
  text
}

frame_to_python <- function(x, source = "data frame") {
  held <- as.list(x)
  wide <- vapply(held, function(one) is.list(one) || !is.null(dim(one)), NA)
  if (any(wide))
    raise("data frame, column '", names(x)[wide][1], "': a column holds one value in each row, not lists or matrices. ",
          "Make it several columns", class = "input_error")
  marked("frame", names = as.list(names(x)), columns = unname(lapply(held, column_to_python)),
         rows = nrow(x), source = source)
}

# Whole numbers of the package bit64, which keeps their bits in doubles.
from_integer64 <- function(x) {
  halves <- matrix(readBin(writeBin(as.double(unclass(x)), raw()), "integer", 2 * length(x)), 2)
  if (.Platform$endian == "big") halves <- halves[2:1, , drop = FALSE]
  low <- ifelse(is.na(halves[1, ]), 2^31, halves[1, ] %% 2^32)
  halves[2, ] * 2^32 + low  # NA of integer64 has NA as its upper half
}

column_to_python <- function(x) {
  if (inherits(x, "integer64")) x <- from_integer64(x)
  if (is.numeric(x) && !is.factor(x) && !inherits(x, c("Date", "POSIXt", "difftime")))
    return(marked("number", whole = is.integer(x), data = writeBin(as.double(x), raw())))
  kind <- if (is.ordered(x)) "ordered" else if (is.factor(x)) "factor" else "text"
  levels <- if (is.factor(x)) levels(x) else as.character(unique(x[!is.na(x)]))
  codes <- if (is.factor(x)) as.integer(x) else match(as.character(x), levels)
  codes[is.na(codes) | is.na(x)] <- 0L
  if (is.logical(x)) levels <- c("FALSE" = "False", "TRUE" = "True")[levels]
  marked(kind, levels = as.list(enc2utf8(unname(levels))), data = writeBin(codes, raw()))
}

from_python <- function(x, call = NULL) {
  kind <- if (is.list(x)) x[[KIND]] else NULL
  if (is.null(kind)) return(if (is.double(x)) replace(x, is.nan(x), NA) else x)
  switch(kind,
    object = object(x$value, x, call),
    frame = as_data_frame(x),
    matrix = matrix_from_python(x),
    list = simpler(lapply(x$values, from_python)),
    dict = simpler(stats::setNames(lapply(x$values, from_python), unlist(x$names)))
  )
}

# A list as a vector where all of it are scalars of one kind, and missing ones.
simpler <- function(x) {
  kinds <- unique(vapply(x, function(one) {
    if (is.null(one)) "NULL" else if (is.list(one) || length(one) != 1) "list" else
      if (is.numeric(one)) "numeric" else class(one)[1]
  }, ""))
  if (length(setdiff(kinds, "NULL")) != 1 || !all(kinds %in% c("NULL", "numeric", "character", "logical"))) return(x)
  x[vapply(x, is.null, NA)] <- NA
  unlist(x)
}

column_from_python <- function(x) {
  if (x[[KIND]] == "number") {
    found <- readBin(x$data, "double", length(x$data) / 8)
    found[is.nan(found)] <- NA
    return(if (x$whole) as.integer(found) else found)
  }
  codes <- readBin(x$data, "integer", length(x$data) / 4)
  codes[codes == 0L] <- NA
  levels <- unlist(x$levels)
  if (x[[KIND]] == "logical") return(as.logical(levels)[codes])
  levels <- as.character(levels)
  if (x[[KIND]] == "text") levels[codes] else
    structure(codes, levels = levels, class = c(if (x[[KIND]] == "ordered") "ordered", "factor"))
}

as_data_frame <- function(x) {
  columns <- stats::setNames(lapply(x$columns, column_from_python), as.character(unlist(x$names)))
  structure(columns, row.names = .set_row_names(x$rows), class = "data.frame")
}

matrix_from_python <- function(x) {
  found <- readBin(x$data, "double", length(x$data) / 8)
  names <- lapply(list(x$row_names, x$column_names), function(one) if (length(one)) as.character(unlist(one)))
  matrix(replace(found, is.nan(found), NA), x$dim[[1]], x$dim[[2]], dimnames = if (length(names[[1]])) names)
}
