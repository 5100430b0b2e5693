"""Ordinary jobs in R, scipy, statsmodels, pingouin and here: ``python -m tests.examples.coming_from`` runs them.

It writes the values of every call of Python to ``tests/golden/coming_from_python.json``. ``make docs`` makes the page
of them. R's calls and values are those of ``tests/golden/coming_from.R``.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

from tests.golden_data import GOLDEN

FILE = GOLDEN / "coming_from_python.json"
OPTIONAL = ("pingouin", "krippendorff")
DISTRIBUTIONS = {"sklearn": "scikit-learn"}
Values = Mapping[str, float]
DATA = """\
import numpy as np
import pandas as pd

import socialstats as ss

x = [[30, 12], [5, 53]]  # counts of pairs: rows before, columns after
before = [12.1, 14.3, 9.8, 11.5, 13.2, 10.7, 12.9, 15.1, 11.0, 13.8]
after = [11.2, 13.9, 10.1, 10.3, 11.6, 10.9, 11.2, 13.3, 10.9, 12.8]
d = np.subtract(before, after)
story = [1, 1, 1, 2, 2, 3, 3, 4, 5, 5]  # cluster of each pair
ann = [1, 2, 3, 3, 2, 1, 4, 1, 2, 4, 3, 2, 4, 1, 3]  # ratings of 15 units by three raters
bob = [1, 2, 3, 4, 2, 2, 4, 1, 2, 3, 3, 2, 4, 1, 2]
cid = [1, 3, 3, 3, 2, 3, 4, 2, 2, 4, 4, 2, 4, 1, 3]
topic = [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4, 5, 5, 5]  # cluster of each unit
rows = "110 100 000 111 110 100 111 110 000 111"  # answers of three models to ten questions: 1 is right
right = np.array([[int(answer) for answer in row] for row in rows.split()])
moves = np.array([[20, 9, 4], [3, 25, 12], [2, 4, 21]])
p = [0.001, 0.012, 0.021, 0.04, 0.2]
drinks = ["tea", "milk", "tea", "tea", "juice", "tea", "milk", "tea", "tea", "juice"]
yes_no = {"arm": ["new", "new", "old", "old"], "value": ["yes", "no"] * 2, "n": [30, 70, 45, 55]}
citations, baseball, hockey = (
    ss.datasets.journal_citations(),
    ss.datasets.baseball(),
    ss.datasets.ice_hockey(),
)
taste = pd.DataFrame(  # eight people, each two of three drinks: 1 the first wins, 0 a tie, -1 the second wins
    [[1, 1, 0], [1, 0, 1], [-1, 1, 1], [1, 1, -1], [0, 1, 1], [1, -1, 1], [-1, -1, 1], [1, 1, 0]],
    columns=["milk tea", "milk juice", "tea juice"],
)
tastings = taste.melt(var_name="pair", value_name="result")
tastings[["item_a", "item_b"]] = tastings.pop("pair").str.split(" ").tolist()
won = [tastings["result"] > 0, tastings["result"] < 0]
tastings["winner"] = np.select(won, [tastings["item_a"], tastings["item_b"]], "tie")
replies = pd.DataFrame({"unit": range(60), "source": ["human"] * 30 + ["model"] * 30})
human, model = (
    ["yes"] * 15 + ["no"] * 9 + ["depends"] * 6,
    ["yes"] * 8 + ["no"] * 6 + ["depends"] * 16,
)
replies["answer"] = human + model
"""


@dataclass(frozen=True)
class Call:
    """A call as it is typed, what of its value is told (label -> expression in ``v``), and what it imports."""

    package: str
    code: str
    told: Mapping[str, str]
    imports: str = ""

    def values(self, names: dict[str, Any]) -> Values:
        """Run it."""
        scope = dict(names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(self.imports, scope)
            scope["v"] = eval(self.code, scope)
            return {label: float(eval(said, scope)) for label, said in self.told.items()}

    @property
    def version(self) -> str:
        """Of its package."""
        return importlib.metadata.version(DISTRIBUTIONS.get(self.package, self.package))


@dataclass(frozen=True)
class Job:
    """What is to be done, the calls of Python packages, ours, where they part and why, and how near they must be."""

    key: str
    title: str
    ours: Call | None
    theirs: Sequence[Call] = ()
    note: str = ""
    apart: Sequence[str] = field(default=())  # labels whose values differ, as the note says
    near: float = 1e-6


def us(code: str, row: str = "", **told: str) -> Call:
    """Return a call of ours; fields of one row, or expressions in ``v``."""
    of = f'.row("{row}")' if row else ""
    return Call("socialstats", f"{code}{of}", {label: f"v.{said}" for label, said in told.items()})


SM = "from statsmodels.stats import contingency_tables as ct"
JOBS = (
    Job(
        "mcnemar",
        "McNemar's test, without correction",
        us('ss.mcnemar(x, test="asymptotic")', "difference", p="p_value"),
        [
            Call(
                "statsmodels",
                "ct.mcnemar(x, exact=False, correction=False)",
                {"statistic": "v.statistic", "p": "v.pvalue"},
                SM,
            )
        ],
        "The default is the mid-p test. The same result has the difference of the proportions with Tango's interval, "
        "and the odds ratio with an exact one.",
    ),
    Job(
        "mcnemar_exact",
        "exact McNemar",
        us('ss.mcnemar(x, test="exact")', "difference", p="p_value"),
        [Call("statsmodels", "ct.mcnemar(x, exact=True)", {"p": "v.pvalue"}, SM)],
    ),
    Job(
        "paired_t",
        "paired t",
        us(
            "ss.paired_difference(before, after)",
            "difference",
            estimate="estimate",
            statistic="statistic",
            p="p_value",
            low="conf_low",
            high="conf_high",
        ),
        [
            Call(
                "scipy",
                "stats.ttest_rel(before, after)",
                {
                    "statistic": "v.statistic",
                    "p": "v.pvalue",
                    "low": "v.confidence_interval()[0]",
                    "high": "v.confidence_interval()[1]",
                },
                "from scipy import stats",
            ),
            Call(
                "pingouin",
                "pg.ttest(before, after, paired=True)",
                {"statistic": 'v["T"].iloc[0]', "p": 'v["p_val"].iloc[0]'},
                "import pingouin as pg",
            ),
        ],
    ),
    Job(
        "one_sample",
        "one-sample t",
        us(
            "ss.paired_difference(ss.Paired.one_sample(before, bound=12))",
            "difference",
            statistic="statistic",
            p="p_value",
            df="df",
        ),
        [
            Call(
                "scipy",
                "stats.ttest_1samp(before, 12)",
                {"statistic": "v.statistic", "p": "v.pvalue", "df": "v.df"},
                "from scipy import stats",
            ),
            Call(
                "pingouin",
                "pg.ttest(before, 12)",
                {"statistic": 'v["T"].iloc[0]', "p": 'v["p_val"].iloc[0]'},
                "import pingouin as pg",
            ),
        ],
        "Differences of pairs stand in place of `before`, against `bound=0`.",
    ),
    Job(
        "gap",
        "paired t with a missing value",
        us(
            'ss.paired_difference([*before[:9], None], after, missing="drop")',
            "difference",
            estimate="estimate",
            statistic="statistic",
            p="p_value",
        ),
        [
            Call(
                "scipy",
                'stats.ttest_rel([*before[:9], np.nan], after, nan_policy="omit")',
                {"statistic": "v.statistic", "p": "v.pvalue"},
                "from scipy import stats",
            ),
        ],
        "Missing values are an error unless `missing=` says what becomes of them. Metrics of raters leave them out by "
        "default.",
    ),
    Job(
        "d_z",
        "Cohen's d of pairs (d_z)",
        us(
            "ss.effect_sizes(before, after)",
            "",
            d_z='row("d_z").estimate',
            d_av='row("d_av").estimate',
        ),
        [
            Call(
                "pingouin",
                "pg.compute_effsize(before, after, paired=True)",
                {"d_av": "v"},
                "import pingouin as pg",
            )
        ],
        "With `paired=True` pingouin divides by the mean standard deviation of the two conditions: that is d_av.",
    ),
    Job(
        "wilcoxon",
        "Wilcoxon's signed-rank test",
        us("ss.paired_difference(before, after)", "wilcoxon", p="p_value"),
        [
            Call(
                "scipy",
                "stats.wilcoxon(before, after)",
                {"p": "v.pvalue"},
                "from scipy import stats",
            ),
            Call(
                "pingouin",
                "pg.wilcoxon(before, after)",
                {"p": 'v["p_val"].iloc[0]'},
                "import pingouin as pg",
            ),
        ],
        "It is a row of the paired difference. It is exact with ties and zeros too, where R approximates.",
    ),
    Job(
        "sign",
        "sign test",
        us('ss.mcnemar(d > 0, d < 0, test="exact")', "difference", p="p_value"),
        [
            Call(
                "statsmodels",
                "sign_test(d)",
                {"p": "v[1]"},
                "from statsmodels.stats.descriptivestats import sign_test",
            )
        ],
        "It is the exact McNemar test of who rose and who fell.",
    ),
    Job(
        "bootstrap",
        "bootstrap of a mean difference (BCa)",
        us(
            'ss.paired_difference(before, after, ci="bca", resamples=9999)',
            "difference",
            low="conf_low",
            high="conf_high",
        ),
        [
            Call(
                "scipy",
                "stats.bootstrap((d,), np.mean, rng=1)",
                {"low": "v.confidence_interval.low", "high": "v.confidence_interval.high"},
                "from scipy import stats",
            )
        ],
        "Three programs draw other resamples. With `cluster=` whole clusters are drawn.",
        near=0.08,
    ),
    Job(
        "clustered_t",
        "mean difference in clusters",
        us(
            "ss.paired_difference(before, after, cluster=story)",
            "difference",
            estimate="estimate",
            std_error="std_error",
            df="df",
            p="p_value",
        ),
        [
            Call(
                "statsmodels",
                'sm.OLS(d, np.ones(10)).fit(cov_type="cluster", cov_kwds={"groups": story}, use_t=True)',
                {"estimate": "v.params[0]", "std_error": "v.bse[0]", "p": "v.pvalues[0]"},
                "import statsmodels.api as sm",
            )
        ],
        "Standard errors are CR2 with Satterthwaite's degrees of freedom, as those of clubSandwich. Those of "
        "statsmodels are CR1, with the number of clusters minus 1.",
        apart=("statsmodels std_error", "statsmodels p"),
    ),
    Job(
        "equivalence",
        "equivalence (TOST)",
        us(
            "ss.equivalence(ss.paired_difference(before, after), margin=1.5)",
            "",
            p='row("equivalence").p_value',
        ),
        [
            Call(
                "statsmodels",
                "ttost_paired(np.array(before), np.array(after), -1.5, 1.5)",
                {"p": "v[0]"},
                "from statsmodels.stats.weightstats import ttost_paired",
            ),
            Call(
                "pingouin",
                "pg.tost(before, after, bound=1.5, paired=True)",
                {"p": 'v["pval"].iloc[0]'},
                "import pingouin as pg",
            ),
        ],
        "Two vectors alone may be pairs or two samples: `ss.paired_difference` or `ss.two_means` says which.",
    ),
    Job(
        "mean",
        "interval of a mean",
        us(
            "ss.mean_ratings(before)",
            "all units",
            estimate="estimate",
            low="conf_low",
            high="conf_high",
        ),
        [
            Call(
                "scipy",
                "stats.ttest_1samp(before, 0)",
                {"low": "v.confidence_interval()[0]", "high": "v.confidence_interval()[1]"},
                "from scipy import stats",
            )
        ],
        "With `cluster=` the error follows the clusters.",
    ),
    Job(
        "share",
        "interval of a share (Wilson)",
        us(
            'ss.choice_shares(drinks, scale="nominal")',
            "tea",
            estimate="estimate",
            low="conf_low",
            high="conf_high",
        ),
        [
            Call(
                "statsmodels",
                'proportion_confint(6, 10, method="wilson")',
                {"low": "v[0]", "high": "v[1]"},
                "from statsmodels.stats.proportion import proportion_confint",
            )
        ],
        "Every label has a row.",
    ),
    Job(
        "welch",
        "two independent means (Welch)",
        us(
            "ss.two_means(before, after)",
            "difference",
            statistic="statistic",
            df="df",
            p="p_value",
            low="conf_low",
            high="conf_high",
        ),
        [
            Call(
                "scipy",
                "stats.ttest_ind(before, after, equal_var=False)",
                {"statistic": "v.statistic", "df": "v.df", "p": "v.pvalue"},
                "from scipy import stats",
            ),
            Call(
                "pingouin",
                "pg.ttest(before, after, correction=True)",
                {"statistic": 'v["T"].iloc[0]', "p": 'v["p_val"].iloc[0]'},
                "import pingouin as pg",
            ),
        ],
        "There is no test with equal variances: `equal_var=` is refused.",
    ),
    Job(
        "rank_sum",
        "Mann-Whitney, Wilcoxon's rank sum",
        us("ss.two_ordinal(before, after)", "rank_sum", statistic="statistic", p="p_value"),
        [
            Call(
                "scipy",
                "stats.mannwhitneyu(before, after)",
                {"statistic": "v.statistic", "p": "v.pvalue"},
                "from scipy import stats",
            )
        ],
        "It is exact with these ties too, where R and scipy approximate. The row `superiority` has the probability "
        "that a value of the first group is larger.",
        apart=("R p", "scipy p"),
    ),
    Job(
        "two_proportions",
        "two proportions, Fisher's exact test",
        us(
            'ss.two_proportions(yes_no, group="arm", count="n", levels=["no", "yes"])',
            "difference",
            p="p_value",
        ),
        [
            Call(
                "scipy",
                "stats.fisher_exact([[30, 70], [45, 55]])",
                {"p": "v.pvalue"},
                "from scipy import stats",
            )
        ],
        "Two vectors of 0 and 1 do as well, and `pd.crosstab(arm, passed)`. Other counts stand in a column of counts.",
    ),
    Job(
        "newcombe",
        "interval of a difference of proportions (Newcombe)",
        us(
            'ss.two_proportions(yes_no, group="arm", count="n", levels=["no", "yes"])',
            "difference",
            estimate="estimate",
            low="conf_low",
            high="conf_high",
        ),
        [
            Call(
                "statsmodels",
                'confint_proportions_2indep(30, 100, 45, 100, method="newcomb")',
                {"low": "v[0]", "high": "v[1]"},
                "from statsmodels.stats.proportion import confint_proportions_2indep",
            )
        ],
        "R's `prop.test` has Wald's interval.",
        apart=("R low", "R high"),
    ),
    Job(
        "cochran",
        "Cochran's Q",
        us("ss.cochran_q(*right.T)", "cochran_q", statistic="statistic", p="p_value"),
        [
            Call(
                "statsmodels",
                "ct.cochrans_q(right)",
                {"statistic": "v.statistic", "p": "v.pvalue"},
                SM,
            )
        ],
        'An array needs `raters_in="columns"`, or its columns one after the other.',
    ),
    Job(
        "bowker",
        "Bowker's and Stuart-Maxwell's tests of a square table",
        us(
            "ss.symmetry(moves)",
            "",
            statistic='row("bowker").statistic',
            p='row("bowker").p_value',
            stuart_maxwell='row("stuart_maxwell").statistic',
        ),
        [
            Call(
                "statsmodels",
                "ct.SquareTable(moves, shift_zeros=False).symmetry()",
                {"statistic": "v.statistic", "p": "v.pvalue"},
                SM,
            ),
            Call(
                "statsmodels",
                "ct.SquareTable(moves, shift_zeros=False).homogeneity()",
                {"stuart_maxwell": "v.statistic"},
                SM,
            ),
        ],
    ),
    Job(
        "adjust",
        "adjusted p-values",
        us('ss.adjust(p, "BH")', "", p_1="rows[0].p_adjusted", p_4="rows[3].p_adjusted"),
        [
            Call(
                "statsmodels",
                'multipletests(p, method="fdr_bh")',
                {"p_1": "v[1][0]", "p_4": "v[1][3]"},
                "from statsmodels.stats.multitest import multipletests",
            ),
            Call(
                "pingouin",
                'pg.multicomp(p, method="fdr_bh")',
                {"p_1": "v[1][0]", "p_4": "v[1][3]"},
                "import pingouin as pg",
            ),
        ],
        'It takes results too: `ss.adjust([one, other], "holm")`.',
    ),
    Job(
        "kappa",
        "Cohen's kappa",
        us(
            'ss.weighted_kappa(ann, bob, weights="unweighted")',
            "rater 1 | rater 2",
            estimate="estimate",
            std_error="std_error",
        ),
        [
            Call(
                "sklearn",
                "cohen_kappa_score(ann, bob)",
                {"estimate": "v"},
                "from sklearn.metrics import cohen_kappa_score",
            ),
            Call(
                "statsmodels",
                "cohens_kappa(pd.crosstab(ann, bob))",
                {"estimate": "v.kappa", "std_error": "v.std_kappa"},
                "from statsmodels.stats.inter_rater import cohens_kappa",
            ),
        ],
        "Numbers are weighted quadratically unless `weights=` says otherwise. `weights=None`, which is unweighted in "
        "sklearn, is refused.",
    ),
    Job(
        "weighted_kappa",
        "quadratic-weighted kappa",
        us(
            "ss.weighted_kappa(ann, bob)",
            "rater 1 | rater 2",
            estimate="estimate",
            std_error="std_error",
        ),
        [
            Call(
                "sklearn",
                'cohen_kappa_score(ann, bob, weights="quadratic")',
                {"estimate": "v"},
                "from sklearn.metrics import cohen_kappa_score",
            ),
            Call(
                "statsmodels",
                'cohens_kappa(pd.crosstab(ann, bob), wt="fc")',
                {"estimate": "v.kappa"},
                "from statsmodels.stats.inter_rater import cohens_kappa",
            ),
        ],
    ),
    Job(
        "fleiss",
        "Fleiss' kappa",
        us("ss.fleiss_kappa(ann, bob, cid)", "kappa", estimate="estimate"),
        [
            Call(
                "statsmodels",
                "fleiss_kappa(aggregate_raters(np.column_stack([ann, bob, cid]))[0])",
                {"estimate": "v"},
                "from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa",
            )
        ],
        "A table that counts the ratings of each unit by level is `ss.fleiss_kappa(ss.Ratings.from_counts(table))`.",
    ),
    Job(
        "krippendorff",
        "Krippendorff's alpha, ordinal",
        us('ss.krippendorff_alpha(ann, bob, cid, scale="ordinal")', "alpha", estimate="estimate"),
        [
            Call(
                "krippendorff",
                'krippendorff.alpha([ann, bob, cid], level_of_measurement="ordinal")',
                {"estimate": "v"},
                "import krippendorff",
            )
        ],
    ),
    Job(
        "spearman",
        "Spearman's rho",
        us(
            "ss.spearman_rho(ann, cid, cluster=topic)",
            "rater 1 | rater 2",
            rho="estimate",
            p="p_value",
        ),
        [
            Call(
                "scipy",
                "stats.spearmanr(ann, cid)",
                {"rho": "v.statistic", "p": "v.pvalue"},
                "from scipy import stats",
            )
        ],
        "`cluster=` makes error and p-value follow the clusters; R and scipy take the units as independent.",
        apart=("R p", "scipy p"),
    ),
    Job(
        "bradley_terry",
        "Bradley-Terry",
        us("ss.bradley_terry(citations)", "", **{"JRSS-B": 'params["JRSS-B"]'}),
        [
            Call(
                "choix",
                "choix.ilsr_pairwise_dense(wins)",
                {"JRSS-B": "v[3] - v.mean()"},
                "import choix\nitems = ['Biometrika', 'Comm Statist', 'JASA', 'JRSS-B']\n"
                "pairs = citations.pivot_table('wins_a', 'item_a', 'item_b').reindex(index=items, columns=items)\n"
                "turned = citations.pivot_table('wins_b', 'item_b', 'item_a').reindex(index=items, columns=items)\n"
                "wins = pairs.combine_first(turned).fillna(0).to_numpy()",
            )
        ],
        "Log-strengths have mean 0. BTm sets the first item to 0: subtract the mean of its coefficients, 0 among them.",
        near=1e-5,
    ),
    Job(
        "order_effect",
        "Bradley-Terry with an order effect",
        us(
            'ss.bradley_terry(baseball, order="home", cluster=None)',
            "order",
            order="estimate",
            std_error="std_error",
        ),
        note="`order=` names who was first, or at home.",
        near=1e-5,
    ),
    Job(
        "ties_half",
        "Bradley-Terry, ties as half wins",
        us(
            'ss.bradley_terry(hockey, item_a="visitor", item_b="opponent", order=False, ties="half")',
            "",
            Denver='params["Denver"]',
        ),
        near=1e-5,
    ),
    Job(
        "davidson",
        "Bradley-Terry with ties (Davidson)",
        us(
            "ss.bradley_terry(tastings)",
            "",
            tea_minus_milk='params["tea"] - v.params["milk"]',
            log_nu='row("log_nu").estimate',
        ),
        note='Ties are modelled where there are any; `ties="rao_kupper"` is the other model.',
        near=1e-5,
    ),
    Job(
        "contrast",
        "a contrast of strengths",
        us(
            'ss.bradley_terry(citations).contrast("JRSS-B - (Biometrika + JASA)/2")',
            "",
            estimate="rows[0].estimate",
            std_error="rows[0].std_error",
        ),
        note="A vector of weights does as well.",
        near=1e-5,
    ),
    Job(
        "multinomial",
        "multinomial logit",
        us(
            'ss.multinomial_logit(replies, rater="source", value="answer", rater_groups="source", levels=["yes", "no", '
            '"depends"], scale="nominal")',
            "",
            no='row("model", group="no against yes").estimate',
            depends='row("model", group="depends against yes").estimate',
        ),
        [
            Call(
                "statsmodels",
                "sm.MNLogit(codes, sm.add_constant(by_model)).fit(disp=False)",
                {"no": "v.params[1, 0]", "depends": "v.params[1, 1]"},
                "import statsmodels.api as sm\n"
                "codes = replies['answer'].map({'yes': 0, 'no': 1, 'depends': 2}).to_numpy()\n"
                "by_model = (replies['source'] == 'model').to_numpy(float)",
            )
        ],
        "It is about who gave a reply, people or a model, and strata of the units; other models are for statsmodels.",
        near=1e-5,
    ),
    Job(
        "power",
        "power of a paired t test",
        us("ss.power_paired_t(n=34, effect=0.5)", "power", power="estimate"),
        [
            Call(
                "statsmodels",
                "TTestPower().power(0.5, 34, 0.05)",
                {"power": "v"},
                "from statsmodels.stats.power import TTestPower",
            ),
            Call(
                "pingouin",
                'pg.power_ttest(d=0.5, n=34, contrast="paired")',
                {"power": "v"},
                "import pingouin as pg",
            ),
        ],
        "Leave out one of `n`, `effect` and `power`: it is computed.",
    ),
    Job(
        "icc",
        "intraclass correlation",
        us('ss.krippendorff_alpha(ann, bob, cid, scale="interval")', "alpha", alpha="estimate"),
        [
            Call(
                "pingouin",
                'pg.intraclass_corr(long, "unit", "rater", "score")',
                {"ICC2": 'v["ICC"].iloc[1]'},
                "import pingouin as pg\nlong = pd.DataFrame({'unit': list(range(15)) * 3, "
                "'rater': ['ann'] * 15 + ['bob'] * 15 + ['cid'] * 15, 'score': ann + bob + cid})",
            )
        ],
        "There is none. Alpha of an interval scale compares squared differences within units with those of all "
        "values.",
    ),
    Job(
        "cronbach",
        "Cronbach's alpha",
        None,
        [
            Call(
                "pingouin",
                "pg.cronbach_alpha(pd.DataFrame({'ann': ann, 'bob': bob, 'cid': cid}))",
                {"alpha": "v[0]"},
                "import pingouin as pg",
            )
        ],
        "There is none: it is about the items of a questionnaire.",
    ),
)
HEAD = """# Coming from R, scipy, statsmodels or pingouin

A test of the project runs every call again.

Each job has the call that you know, ours, and what both give. What differs is said below the table, with the imports.
Vectors, square arrays and data frames are taken as they are. Every result has more rows, and `summary()`, `sentence()`,
`plot()` and `verify()`. `help(socialstats)` lists all functions by job.

Parts of a result have the names of scipy and statsmodels too. `params`, `bse`, `pvalues`, `conf_int(alpha=)` and
`cov_params()` are those of all rows. `pvalue` and `statistic` are those of the one test, and `confidence_interval()` is
that of what is tested. Where several rows have one, these are errors that name the rows. An option that another package
calls otherwise, such as `nan_policy=`, `popmean=` or `exact=`, is refused with the call that works.

The data, in Python and in R; `tests/golden/coming_from.R` also makes `taste`, `replies` and the fit `cites`:

```python
{data}```

```r
{r}
```

{versions}
"""


def names() -> dict[str, Any]:
    """Return the data."""
    found: dict[str, Any] = {}
    exec(DATA, found)
    return found


def installed(package: str) -> bool:
    """Whether a package of Python is there."""
    return importlib.util.find_spec(package) is not None


def shown(values: Values) -> str:
    """Return values as a cell of the page."""
    return ", ".join(f"{label.replace('_', ' ')} {value:.4g}" for label, value in values.items())


def wrapped(text: str) -> str:
    """Return a paragraph in lines."""
    return fill(text, 118, break_long_words=False, break_on_hyphens=False)


def line(package: str, code: str, values: Values) -> str:
    """Return a row of the table of a job."""
    return f"| {package} | `{code.replace('|', chr(92) + '|')}` | {shown(values)} |"


def page(kept: Mapping[str, Any], r: Mapping[str, Any]) -> str:
    """Return the page from the values of both languages."""
    told = [one for jobs in (r["jobs"], kept) for calls in jobs.values() for one in calls]
    versions = {
        one["package"]: f"{one['package']} {one['version']}"
        for one in told
        if one["package"] != "socialstats"
    }
    parts = [
        HEAD.format(
            data=DATA,
            r="\n".join(r["shown"]),
            versions=wrapped(f"The versions: {', '.join(versions.values())}."),
        )
    ]
    for job in JOBS:
        lines = [
            f"## {job.title[:1].upper()}{job.title[1:]}",
            "",
            "| | call | gives |",
            "|---|---|---|",
        ]
        lines += [
            line(one["package"], one["call"], one["values"]) for one in r["jobs"].get(job.key, ())
        ]
        lines += [line(one["package"], one["call"], one["values"]) for one in kept[job.key]]
        imports = dict.fromkeys(
            "; ".join(one.imports.strip().split("\n")) for one in job.theirs if one.imports
        )
        said = [f"Imports: {', '.join(f'`{one}`' for one in imports)}."] if imports else []
        lines += [text for one in (*said, job.note) if one for text in ("", wrapped(one))]
        parts.append("\n".join(lines))
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)


def made() -> dict[str, Any]:
    """Return what every call of Python gives."""
    data = names()
    return {
        job.key: [
            {
                "package": one.package,
                "version": one.version,
                "call": one.code,
                "values": one.values(data),
            }
            for one in (*job.theirs, *([job.ours] if job.ours else []))
        ]
        for job in JOBS
    }


def others(job: Job, kept: Mapping[str, Any], r: Mapping[str, Any]) -> Iterator[tuple[str, Values]]:
    """Yield the values of other packages, as they are kept."""
    for one in (*r["jobs"].get(job.key, ()), *kept[job.key]):
        if one["package"] != "socialstats":
            yield one["package"], one["values"]


if __name__ == "__main__":
    FILE.write_text(json.dumps(made(), indent=1) + "\n", encoding="utf-8")
