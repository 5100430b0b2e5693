# Numbers of other packages that the vignette shows where these are not installed. Run from this folder: Rscript peers.R
# irr is not in Debian: its numbers are those of tests/golden/alpha_krippendorff_4x12.json, which irr 0.84.1 printed.

library(BradleyTerry2)

of_package <- function(example, package, term, estimate, std.error = NA, version = packageVersion(package))
  data.frame(example, package, version = as.character(version), term, estimate, std.error, row.names = NULL)

data(chameleons)
fit <- BTm(player1 = winner, player2 = loser, formula = ~ prev.wins.2 + ch.res[ID] + prop.main[ID] + (1 | ID),
           id = "ID", data = chameleons)
contests <- of_package("chameleons", "BradleyTerry2", sub("\\[ID\\]", "", names(coef(fit))), as.numeric(coef(fit)),
                       sqrt(diag(vcov(fit))))

data(baseball)
baseball$home.team <- data.frame(team = baseball$home.team, at.home = 1)
baseball$away.team <- data.frame(team = baseball$away.team, at.home = 0)
fit <- BTm(cbind(home.wins, away.wins), home.team, away.team, formula = ~ team + at.home, id = "team", data = baseball)
teams <- of_package("baseball", "BradleyTerry2", sub("^team", "", names(coef(fit))), coef(fit), sqrt(diag(vcov(fit))))

fit <- psych::cohen.kappa(matrix(c(88, 10, 2, 14, 40, 6, 18, 10, 12), 3))
kappa <- of_package("kappa", "psych", c("unweighted", "quadratic"), c(fit$kappa, fit$weighted.kappa),
                    sqrt(c(fit$var.kappa, fit$var.weighted)))

stored <- jsonlite::fromJSON("../../tests/golden/alpha_krippendorff_4x12.json")$r
scales <- c("nominal", "ordinal", "interval", "ratio")
alpha <- of_package("alpha", "irr", scales, unlist(stored[paste0("irr_0_84_1_raw_alpha_", scales)]), version = "0.84.1")

write.csv(rbind(contests, teams, kappa, alpha), "peers.csv", row.names = FALSE)
