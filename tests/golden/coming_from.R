# What R prints for the jobs of docs/coming-from.md. Run from this folder:  Rscript coming_from.R
# Writes coming_from_r.json: each call as it is typed, its values, its package, and the data, which must be those of
# tests/examples/coming_from.py. Base R, BradleyTerry2, psychotools, multcomp, clubSandwich, vcd, psych, nnet and boot.
suppressPackageStartupMessages({
  library(jsonlite); library(BradleyTerry2); library(psychotools); library(multcomp); library(clubSandwich)
  library(vcd); library(psych); library(nnet); library(boot)
})

# data
x <- matrix(c(30, 5, 12, 53), 2)
before <- c(12.1, 14.3, 9.8, 11.5, 13.2, 10.7, 12.9, 15.1, 11.0, 13.8)
after <- c(11.2, 13.9, 10.1, 10.3, 11.6, 10.9, 11.2, 13.3, 10.9, 12.8)
story <- c(1, 1, 1, 2, 2, 3, 3, 4, 5, 5)
ann <- c(1, 2, 3, 3, 2, 1, 4, 1, 2, 4, 3, 2, 4, 1, 3)
bob <- c(1, 2, 3, 4, 2, 2, 4, 1, 2, 3, 3, 2, 4, 1, 2)
cid <- c(1, 3, 3, 3, 2, 3, 4, 2, 2, 4, 4, 2, 4, 1, 3)
right <- matrix(c(1, 1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1), 10)
moves <- matrix(c(20, 3, 2, 9, 25, 4, 4, 12, 21), 3)
p <- c(0.001, 0.012, 0.021, 0.04, 0.2)
drinks <- c("tea", "milk", "tea", "tea", "juice", "tea", "milk", "tea", "tea", "juice")
d <- before - after
raters <- cbind(ann, bob, cid)
# end of data

taste <- paircomp(rbind(c(1, 1, 0), c(1, 0, 1), c(-1, 1, 1), c(1, 1, -1), c(0, 1, 1), c(1, -1, 1), c(-1, -1, 1), c(1, 1, 0)),
                  labels = c("milk", "tea", "juice"))
replies <- data.frame(who = rep(c("human", "model"), c(30, 30)),
                      answer = rep(c("yes", "no", "depends", "yes", "no", "depends"), c(15, 9, 6, 8, 6, 16)))
replies$answer <- relevel(factor(replies$answer), "yes")
cites <- BTm(cbind(win1, win2), player1, player2, data = countsToBinomial(citations))  # coefficients against Biometrika
home <- BTm(cbind(home.wins, away.wins), data.frame(team = home.team, at.home = 1),
            data.frame(team = away.team, at.home = 0), ~ team + at.home, id = "team", data = baseball)
hockey <- BTm(result, data.frame(team = visitor), data.frame(team = opponent), ~ team, id = "team",
              data = icehockey)

told <- function(htest) list(statistic = unname(htest$statistic), p = htest$p.value)
jobs <- list()
set.seed(1)
# call: as typed; keep: what of its value is told
job <- function(name, package, call, keep) {
  value <- suppressWarnings(eval(parse(text = call), globalenv()))
  version <- if (package == "R") paste(R.version$major, R.version$minor, sep = ".") else as.character(packageVersion(package))
  found <- list(package = package, version = version, call = call, values = lapply(keep(value), unname))
  jobs[[name]] <<- c(jobs[[name]], list(found))
}
job("mcnemar", "R", "mcnemar.test(x, correct = FALSE)", told)
job("mcnemar_exact", "R", "binom.test(5, 5 + 12)", function(v) list(p = v$p.value))
job("paired_t", "R", "t.test(before, after, paired = TRUE)",
    function(v) c(list(estimate = v$estimate), told(v), list(low = v$conf.int[1], high = v$conf.int[2])))
job("one_sample", "R", "t.test(before, mu = 12)", function(v) c(told(v), list(df = v$parameter)))
job("gap", "R", "t.test(replace(before, 10, NA), after, paired = TRUE)", function(v) c(list(estimate = v$estimate), told(v)))
job("d_z", "R", "mean(d) / sd(d)", function(v) list(d_z = v))
job("wilcoxon", "R", "wilcox.test(before, after, paired = TRUE)", function(v) list(p = v$p.value))
job("sign", "R", "binom.test(sum(d > 0), sum(d != 0))", function(v) list(p = v$p.value))
job("bootstrap", "boot",
    "boot.ci(boot(d, function(d, i) mean(d[i]), 9999), type = \"bca\")",
    function(v) list(low = v$bca[4], high = v$bca[5]))
job("clustered_t", "clubSandwich", "coef_test(lm(d ~ 1), vcov = \"CR2\", cluster = story)",
    function(v) list(estimate = v$beta, std_error = v$SE, df = v$df_Satt, p = v$p_Satt))
job("equivalence", "R", paste0("max(t.test(d, mu = -1.5, alternative = \"greater\")$p.value, ",
    "t.test(d, mu = 1.5, alternative = \"less\")$p.value)"), function(v) list(p = v))
job("mean", "R", "t.test(before)", function(v) list(estimate = v$estimate, low = v$conf.int[1], high = v$conf.int[2]))
job("share", "R", "prop.test(sum(drinks == \"tea\"), 10, correct = FALSE)",
    function(v) list(estimate = v$estimate, low = v$conf.int[1], high = v$conf.int[2]))
job("welch", "R", "t.test(before, after)",
    function(v) c(told(v), list(df = v$parameter, low = v$conf.int[1], high = v$conf.int[2])))
job("rank_sum", "R", "wilcox.test(before, after)", function(v) list(statistic = v$statistic, p = v$p.value))
job("two_proportions", "R", "fisher.test(matrix(c(30, 45, 70, 55), 2))", function(v) list(p = v$p.value))
job("newcombe", "R", "prop.test(c(30, 45), c(100, 100), correct = FALSE)",
    function(v) list(estimate = unname(diff(rev(v$estimate))), low = v$conf.int[1], high = v$conf.int[2]))
job("cochran", "R", "mantelhaen.test(table(c(col(right)), factor(c(right)), c(row(right))), correct = FALSE)",
    function(v) list(statistic = v$statistic, p = v$p.value))
job("bowker", "R", "mcnemar.test(moves)", told)
job("adjust", "R", "p.adjust(p, \"BH\")", function(v) list(p_1 = v[1], p_4 = v[4]))
job("kappa", "vcd", "Kappa(table(ann, bob))", function(v) list(estimate = v$Unweighted[[1]], std_error = v$Unweighted[[2]]))
job("weighted_kappa", "vcd", "Kappa(table(ann, bob), weights = \"Fleiss-Cohen\")",
    function(v) list(estimate = v$Weighted[[1]], std_error = v$Weighted[[2]]))
job("weighted_kappa", "psych", "cohen.kappa(cbind(ann, bob))", function(v) list(estimate = v$weighted.kappa))
job("icc", "psych", "ICC(raters)", function(v) list(ICC2 = v$results$ICC[2]))
job("cronbach", "psych", "alpha(raters)", function(v) list(alpha = v$total$raw_alpha))
job("spearman", "R", "cor.test(ann, cid, method = \"spearman\")", function(v) list(rho = v$estimate, p = v$p.value))
job("bradley_terry", "BradleyTerry2", "BTm(cbind(win1, win2), player1, player2, data = countsToBinomial(citations))",
    function(v) list(`JRSS-B` = unname(coef(v)["..JRSS-B"] - mean(c(0, coef(v))))))
job("order_effect", "BradleyTerry2", "update(home, ~ team + at.home)",
    function(v) list(order = unname(coef(v)["at.home"]), std_error = unname(sqrt(diag(vcov(v)))["at.home"])))
job("ties_half", "BradleyTerry2", paste0("BTm(result, data.frame(team = visitor), data.frame(team = opponent), ~ team, ",
    "id = \"team\", data = icehockey)"),
    function(v) { b <- c(0, coef(v)); list(Denver = unname(coef(v)["teamDenver"] - mean(b))) })
job("davidson", "psychotools", "btmodel(taste, type = \"loglin\", ref = \"milk\")",
    function(v) list(tea_minus_milk = unname(coef(v)["tea"]), log_nu = unname(coef(v)["(undecided)"])))
job("contrast", "multcomp", "glht(cites, linfct = rbind(c(0, -1/2, 1)))",
    function(v) { s <- summary(v)$test; list(estimate = unname(s$coefficients), std_error = unname(s$sigma)) })
job("multinomial", "nnet", "multinom(answer ~ who, replies, trace = FALSE, reltol = 1e-12)",
    function(v) list(no = coef(v)["no", "whomodel"], depends = coef(v)["depends", "whomodel"]))
job("power", "R", "power.t.test(n = 34, delta = 0.5, type = \"paired\", strict = TRUE)", function(v) list(power = v$power))

text <- readLines("coming_from.R")
shown <- text[(which(text == "# data") + 1):(which(text == "# end of data") - 1)]
data <- list(x = x, before = before, after = after, d = d, story = story, ann = ann, bob = bob, cid = cid, right = right,
             moves = moves, p = p, drinks = drinks)
write(toJSON(list(R = R.version.string, shown = shown, data = data, jobs = jobs), digits = I(15), auto_unbox = TRUE,
             pretty = TRUE), "coming_from_r.json")
