# Reference values for weighted kappa. Run from this folder:  Rscript kappa.R     (makes kappa.json)
# Tables: kappa_cohen1968.csv, kappa_fleiss1981.csv, bowker_vision_female.csv, cac_table_abstractors.csv; ratings:
# agree_anxiety.csv. Values and standard errors are those of vcd::Kappa; the null standard error (Fleiss, Cohen &
# Everitt 1969, eq. 14) and the measures of several raters are base R formulas. The files named as the tables hold
# what irr 0.84.1 (kappa2) and irrCAC 1.4 gave (neither is in Debian, so neither is run here): irrCAC's coeff.se of
# kappa2.table equals vcd's. irr's kappa2 drops levels that a pair of raters never used and so moves their neighbours
# together: for raters 2 and 3 of agree_anxiety (no 5) it says .1459 (equal) where the levels 1 to 6 give .1262. psych's var.weighted is wrong (it changes when the raters are exchanged): never use it.
suppressPackageStartupMessages({library(vcd); library(jsonlite)})

agreement <- function(name, k) {
  d <- abs(outer(seq_len(k), seq_len(k), "-")) / (k - 1)
  switch(name, unweighted = diag(k), linear = 1 - d, quadratic = 1 - d^2,
         ordinal = 1 - choose(abs(outer(seq_len(k), seq_len(k), "-")) + 1, 2) / choose(k, 2))
}
null_error <- function(t, w) {
  n <- sum(t); p <- t / n; r <- rowSums(p); c <- colSums(p); e <- outer(r, c); pe <- sum(w * e)
  both <- outer(drop(w %*% c), drop(r %*% w), "+")
  sqrt((sum(e * (w - both)^2) - pe^2) / (n * (1 - pe)^2))
}
described <- function(t, w) {
  k <- Kappa(as.table(t), weights = w)$Weighted
  n <- sum(t); p <- t / n; pe <- sum(w * outer(rowSums(p), colSums(p)))
  ase0 <- null_error(t, w); z <- k[["value"]] / ase0
  list(value = k[["value"]], ase = k[["ASE"]], ci = k[["value"]] + c(-1, 1) * qnorm(.975) * k[["ASE"]], ase0 = ase0,
       z = z, p = 2 * pnorm(-abs(z)), po = sum(w * p), pe = pe)
}
table_of <- function(f) { d <- read.csv(f); unclass(xtabs(d[[3]] ~ d[[1]] + d[[2]])) }
plain <- function(t) { t <- matrix(as.numeric(t), nrow(t)); t }
tables <- list(cohen1968 = plain(table_of("kappa_cohen1968.csv")), fleiss1981 = plain(table_of("kappa_fleiss1981.csv")),
               vision = plain(table_of("bowker_vision_female.csv")),
               abstractors = plain(as.matrix(read.csv("cac_table_abstractors.csv"))))
names_ <- c("unweighted", "linear", "quadratic", "ordinal")
out <- lapply(tables, function(t) c(list(table = t), sapply(names_, function(n) described(t, agreement(n, nrow(t))),
                                                              simplify = FALSE)))
# ---- several raters: Light's mean of the pairs' kappas; pooled = Conger's kappa (nothing is missing)
x <- as.matrix(read.csv("agree_anxiety.csv")); k <- 6
pairs <- list(c(1, 2), c(1, 3), c(2, 3))
several <- sapply(names_, function(name) {
  w <- agreement(name, k)
  each <- lapply(pairs, function(p) {
    t <- table(factor(x[, p[1]], 1:k), factor(x[, p[2]], 1:k))
    s <- t / sum(t)
    list(pair = p, value = (sum(w * s) - sum(w * outer(rowSums(s), colSums(s)))) /
           (1 - sum(w * outer(rowSums(s), colSums(s)))), po = sum(w * s), pe = sum(w * outer(rowSums(s), colSums(s))))
  })
  po <- mean(sapply(each, `[[`, "po")); pe <- mean(sapply(each, `[[`, "pe"))
  list(pairs = each, light = mean(sapply(each, `[[`, "value")), conger = (po - pe) / (1 - pe), pa = po, pe = pe)
}, simplify = FALSE)
# ---- clusters of units: the delta method of kappa over 20 clusters of 10 units of cohen1968, five at a time in turn
t <- tables$cohen1968; w <- agreement("quadratic", 3)
cell <- rep(seq_along(t), as.vector(t)); i <- row(t)[cell]; j <- col(t)[cell]; cluster <- ((seq_along(cell) - 1) %/% 5) %% 20
kappa_of <- function(weight) {
  p <- tapply(weight, list(factor(i, 1:3), factor(j, 1:3)), sum); p[is.na(p)] <- 0; p <- p / sum(p)
  pe <- sum(w * outer(rowSums(p), colSums(p))); (sum(w * p) - pe) / (1 - pe)
}
h <- 1e-4
slope <- sapply(0:19, function(g) { up <- 1 + h * (cluster == g); down <- 1 - h * (cluster == g)
                                    (kappa_of(up) - kappa_of(down)) / (2 * h) })
clustered <- list(value = kappa_of(rep(1, length(i))), std_error = sqrt(20 / 19 * sum(slope^2)))
writeLines(toJSON(list(made_by = "kappa.R", versions = list(R = R.version.string, vcd = as.character(packageVersion("vcd"))),
                       rtol = 1e-8, tables = out, anxiety = several, clustered = clustered),
                  digits = NA, auto_unbox = TRUE, pretty = TRUE), "kappa.json")
