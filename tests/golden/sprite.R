# Samples found by R's rsprite2 (github.com/LukasWallrich/rsprite2; not on Debian, so its two files are sourced) for printed
# means and standard deviations: Rscript sprite.R FOLDER > sprite.txt. sprite.json holds up to 60 samples a case, as counts
# of each value. rsprite2 does not say which samples there are in all; the tests ask that ours hold all of its.
folder <- commandArgs(trailingOnly = TRUE)[1]
for (file in c("core-functions.R", "rsprite2-package.R")) {
  lines <- readLines(file.path(folder, "R", file))
  eval(parse(text = if (file == "core-functions.R") lines else lines[grepl("<-", lines)]))
}
suppressMessages(library(checkmate))
cases <- list(
  c("2.2", "1.3", 20, 1, 5, 1), c("3.44", "1.46", 18, 1, 7, 1), c("4.17", "1.29", 30, 1, 7, 1),
  c("1.83", "1.03", 12, 1, 5, 1), c("3.29", "1.29", 15, 1, 5, 3), c("3.5", "1.1", 14, 1, 5, 2)
)
decimals <- function(text) nchar(sub("^[0-9]*", "", text)) - 1
for (x in cases) {
  of <- as.numeric(x)
  parameters <- set_parameters(of[1], of[2], of[3], of[4], of[5], m_prec = decimals(x[1]), sd_prec = decimals(x[2]),
                               n_items = of[6])
  found <- find_possible_distributions(parameters, 150, seed = 1, return_tibble = FALSE)
  for (v in found$distribution) cat(paste(x, collapse = ","), "|", round(sort(v) * of[6]), "\n")
}
