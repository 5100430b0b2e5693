"""`make calibrate`: coverage of intervals and type I error of tests, simulated; writes docs/calibration.csv.

Not part of the tests. Exit code 1 when a share is out of its bounds. ``--only`` runs some studies and leaves the
lines of the others as they are. ``make docs`` makes the page.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINES = ROOT / "docs" / "calibration.csv"  # the lines of the page's tables
TRUST = HERE / "trust.md"  # summary of the page
SEED = 20261122
SIMULATIONS = {
    "pair_effect": 400,
    "crossed": 400,
    "urgency": 400,
    "entropy": 600,
    "order_effect": 600,
    "clustered_tests": 1500,
    "effect_size": 1000,
    "kappa": 1000,
    "alpha": 1000,
    "spearman": 600,
    "ada_met": 300,
    "traits": 300,
    "wordings": 600,
    "two_way": 3000,
    "zeros": 600,
    "similarities": 900,
    "source_shares": 600,
    "equal_shares": 1000,
    "ceilings": 1000,
    "similar_units": 500,
    "relationship_bias": 300,
    "fits_compared": 300,
    "ratings_compared": 600,
    "clustered_shares": 4000,
    "clustered_differences": 2000,
    "clustered_odds": 4000,
    "equivalences": 2000,
    "thin_crossed": 1000,
    "thin_means": 1000,
    "thin_effects": 300,
    "thin_similarities": 1000,
    "thin_sensitivity": 1000,
    "thin_comparisons": 400,
    "thin_agreement": 200,
    "thin_factors": 400,
    "leaderboards": 1500,
    "model_comparisons": 250,
    "sensitivities_compared": 300,
    "level_comparisons": 250,
    "value_spreads": 3000,
    "plug_in": 600,
    "thin_probabilities": 400,
    "alike_shares": 2000,
    "strong_shares": 2000,
    "pooled_rates": 10_000,
    "people_shares": 400,
    "people_means": 200,
    "people_refusals": 200,
    "people_gaps": 100,
    "heaped_effects": 600,
    "shares_of_answers": 400,
    "own_bootstrap_normal": 150,
    "own_bootstrap_skewed": 150,
    "own_bootstrap_others": 60,
    "own_jackknife": 400,
    "own_permute": 200,
    "sampling_weights": 600,
}
FUNCTIONS = (  # function_studies: each is the study "function_NAME"
    "mean_ratings",
    "reply_shares",
    "label_counts",
    "percent_agreement",
    "flip_rate",
    "majority_vote_accuracy",
    "judge_agreement",
    "cochran_q",
    "symmetry",
    "group_win_rates",
    "choice_entropy",
    "changed_shares",
    "changed_means",
    "two_proportions",
    "two_means",
    "two_ordinal",
    "effect_sizes_from_summary",
    "multinomial_logit",
    "leaderboard",
    "effect_sizes",
    "ada_met",
    "js_similarity",
    "trait_profile",
    "paraphrase_spread",
)
SIMULATIONS |= {f"function_{name}": 500 for name in FUNCTIONS}
SIMULATIONS |= {
    "intraclass": 400,
    "function_brennan_prediger": 500,
}  # the seeds of the others follow from their places
QUICK = 8  # --quick does an eighth
HIGHEST = 0.99  # coverage above which an interval is listed as too long

FAILURES = """\
## Where the defaults fail

{claims} lines below are about defaults of the package. In {wrong} of them coverage is below .925 or a type I error rate
is above .07. *Cautioned* is the share of simulations in which a caution of the result warned of this. *Share where
silent* is the share that held, or was rejected, in the other simulations. A failure is **silent** if fewer than .95
were cautioned and the others fail too, by more than two Monte-Carlo errors: {silent} lines. Cautions were not measured
in {unmeasured}.

| setting | method | of | share | nominal | cautioned | share where silent | |
|---|---|---|--:|--:|--:|--:|---|
{rows}

Coverage is above .99 in {long} lines, whose intervals are longer than needed:

{studies}
"""

INTRODUCTION = """\
# Calibration

{trust}
Written by `make calibrate`, seed {seed}; bootstraps have 399 resamples. Data are simulated from known truths. *Share*
is how often a 95% interval contained its truth (nominal .95), or how often a test at .05 rejected a true null
hypothesis (nominal .05). Where a line is about many items, the share is the mean over items and simulations.
Simulations without an interval are left out. The Monte-Carlo error is the standard error of the share over
simulations. With an effect of pairs, workers or prompts, the true strengths are those that the model then estimates.
These are the Bradley-Terry strengths closest to the win probabilities averaged over that effect (Gauss-Hermite).
`make calibrate` fails if a share in bold is outside its bounds.
The lines of all tables are in [calibration.csv](calibration.csv); `make docs` makes this page of them.

{failures}"""
READING = {
    "mean_ratings": (
        "Between declared levels, and of 0 and 1, Wilson's interval takes effective answers; other means have t "
        "intervals. Where one answer of the rarer kind is expected, some samples have none: caution SS212."
    ),
    "multinomial_logit": (
        "Topics have tastes of their own, and domains are constant within them. A joint test of few clusters is "
        "undefined and not counted; so are tables in which a level is ruled out."
    ),
    "two_proportions": (
        "Both groups have one share. Fisher's test is conservative, as is the interval of few rare answers. Clusters "
        "have an intraclass correlation of .3; where they cross the groups, half of it is shared."
    ),
    "two_means": "Both groups have one distribution. Of lognormal values the tails of two groups partly cancel.",
    "effect_sizes_from_summary": (
        "n and t do not show a long tail, for which the noncentral t interval is too short. The caution SS317 is "
        "always given: `effect_sizes` of the pairs sees their shape."
    ),
    "changed_means": (
        "Where few replies change, few units or clusters carry the whole mean change (caution SS212)."
    ),
    "choice_entropy": (
        "The truth of the plug-in H is its mean over as many choices; the sample is of pairs with leans of SD .5."
    ),
    "label_counts": "Units cite three labels independently; shares of units and of labels have their own intervals.",
    "Standard deviation of values": (
        "The default takes the outer limits of Bonett's interval and of the jackknife t interval of the logarithm. "
        "Bonett's interval alone covered .88 (exponential, 12 to 30 values; .915 of 100) and .71 to .80 (lognormal, "
        "up to 200). Fewer than 100 values do not show a long tail: caution SS312. From 100 values, caution SS317 "
        "is given if the kurtosis is above 4."
    ),
    "Plug-in and corrected similarity": (
        "The truth of a plug-in value is its mean over tables with as many units and ratings. Near equal shares it "
        "hardly depends on the shares. There, the jackknife t interval alone covered .87 to .93. The default also "
        "includes the corrected interval minus the correction. Runs of a unit mostly agree here. The cautions "
        "therefore count the units with a level, not its ratings (SS312). Within units, values are skewed if most "
        "ratings are of one level (SS312, SS317)."
    ),
    "Topics, kinds": (
        "Tests of topics with two to four scenarios reject seldom, as each topic has a mean of its own (caution SS202 "
        "about the differences). With the error of one mean over both topics they rejected .08. "
        "Both kinds of scenarios (traditional, egalitarian) and topics share pairs of names. Groups of raters also "
        "share the scenarios. Coverage of the difference of B_all is in the study of relationship bias."
    ),
    "Groups of models": (
        "Numbers of models are normal or lognormal, and few models are compared by Welch's t. With groups of two or "
        "three models beside many, it rejects .065 to .12 (caution SS312 about such groups). Caution SS312 is given "
        "below 25 models, SS317 above."
    ),
    "Paired yes/no": (
        "Forty per cent of the answers differ between the conditions; the direction depends on scenario and name "
        "pair. Tests of single answers reject a true null hypothesis far too often. Clustering by scenario is enough "
        "if name pairs have no effect, or are many. The test that uses both factors (V1 + V2 - V12 by CR2, t with "
        "Cochran's degrees of freedom) holds throughout. It is conservative if nothing is clustered."
    ),
    "Effect size d_z of few": (
        "The default takes the outer limits of the noncentral t and the jackknife t interval. If the long tail is on "
        "the side of an effect that the t test finds, the interval does not reach 0. Using the jackknife only for "
        "visibly skewed differences loses coverage, because few values do not show their tail. Few samples contain "
        "values from a long tail (lognormal values with large effects, t with 3 degrees of freedom). No interval "
        "computed from the sample can allow for values that it lacks. Caution SS312 (fewer than 25 pairs, or 200 if "
        "d_z is above .8) or SS317 warns of this."
    ),
    "Effect size d_z of rounded": (
        "Most differences are alike, and d_z varies less than that of normal ones. From 50 pairs, and 60 d_z^2, the "
        "default is the jackknife t interval where the sample shows the ends of the values. It shows both more than "
        "once, without a gap, and the t test agrees about 0. Elsewhere the default is that of other differences."
    ),
    "Effect size": (
        "The noncentral t interval is exact for normal differences. Under skew it covers too often, or far too "
        "rarely if the long tail is opposite to the effect, for any number of pairs. The default takes the outer "
        "limits of this interval and the jackknife t interval, which depends on the shape. Bootstraps depend on the "
        "shape too, but often give no interval in small samples."
    ),
    "Means in two": (
        "The variance is the largest of V1, V2 (both by CR2) and V1 + V2 - V12, with Cochran's degrees of freedom "
        "of V1 and V2. If a factor of two levels has an effect, intervals are long. With few clusters and lognormal "
        "effects, t does not hold. Caution SS312 is given below 24 effective degrees of freedom, SS317 above."
    ),
    "Means of few": (
        "t does not hold for means of few skewed values. Fewer than 25 do not show their shape (caution SS312). "
        "From 25 values, caution SS317 is given if sum e^3 / (sum e^2)^1.5 exceeds .15. The studentized bootstrap "
        "misses less often."
    ),
    "Means in few clusters": (
        "Values are the sum of an effect of their cluster and of their own, both of one shape. The caution depends on "
        "the sums by cluster. It also depends on single values, by their effective number, because these show a long "
        "tail earlier."
    ),
    "Jensen-Shannon similarity of few": (
        "Scale and degrees of freedom of the noncentral chi-square are those of equal shares (Rao & Scott 1984). Its "
        "limit on the side of unequal shares is at least the jackknife's. Coverage is low where a level has two "
        "expected ratings (caution SS312)."
    ),
    "Sensitivity S of few": (
        "The default is the jackknife over pairs of items around the corrected S. Its t has one degree of freedom "
        "less than there are pairs. The basic bootstrap is too short with few pairs."
    ),
    "Quadratic kappa": (
        "No interval holds with 30 units if most ratings are of one level (caution SS312). Over all settings, "
        "Fisher's z and the percentile bootstrap are closest to .95. Wald's and the basic bootstrap's intervals miss "
        "most often."
    ),
    "Ordinal alpha": (
        "The linearised, percentile and BCa intervals hold from 30 units on; the basic bootstrap's do not. The "
        "linearised one needs no resamples."
    ),
    "Strengths: ": (
        "With a pair effect, intervals that take rows as independent are too short; those clustered by pair hold."
    ),
    "Strengths under": (
        "Intervals clustered by one factor ignore the other. The two-way bootstrap resamples both factors, and counts "
        "the sampling error of single answers with each (Owen 2007). It is long here, because that error is most of "
        "the variance."
    ),
    "ADA-Met: two groups": (
        "The modes of few people have more sampling error, and the smaller group is then at a larger distance from "
        "any model. The mean difference under random regrouping, which is due to group sizes alone, is subtracted. "
        "One t gives interval and p. The variance of two or three people is hardly known. Degrees of freedom are "
        "their number minus one, which is conservative. Permuting people tests that people are alike, which is more "
        "than equal distances. With three against three, its p cannot be below .05."
    ),
    "ADA-Met": (
        "The truth is the mean distance, from the mode of as many people as were asked or from the most likely "
        "answer of the population. The default is for the former, and counts the sampling error of single "
        "answers once. The bootstraps of people and units count it twice (Owen 2007). Few answers make unstable "
        "modes, and sampling error adds distance, most where the distance is small. No interval holds the latter "
        "truth."
    ),
    "Composite of traits": (
        "With fixed judges, the interval is for the mean of these judges. It does not generalise to other judges: the "
        "more scenarios there are, the more rarely it contains their mean. Drawn judges need the two-way interval "
        "from mean squares, with the degrees of freedom of Cochran's (1964) weighted critical value. These are "
        "between the judges minus one and the scenarios minus one. With three judges it is long. Changes between "
        "stages do not need it, because the offsets of judges cancel. Drawn judges make intervals of changes longer "
        "than needed (coverage up to .99); those of fixed judges hold."
    ),
    "Mean over drawn units": (
        "The mean is over units by judges, both drawn; the standard deviations are those of units, judges and the "
        "rest. Satterthwaite's degrees of freedom covered .92 with three judges and .89 with two. A mean square of "
        "judges that is small by chance makes the error small and the degrees of freedom many at once. Two judges "
        "leave one degree of freedom. Coverage is then between .93 and .99, and intervals are too long to be of use: "
        "take more judges, or judges='fixed'."
    ),
    "Composite minus": (
        "The neutral point of the judges is estimated from control texts. With several neutral texts, its error is "
        "that of their means. With one text, it is the sampling error of the judges, and the text is assumed to be "
        "neutral. Intervals that take the neutral point as known are too short, most with few texts."
    ),
    "Change of the spread": (
        "t holds from 10 scenarios on. The truth is the mean standard deviation of three wordings, with the sampling "
        "error of the scores."
    ),
    "Relationship bias": (
        "By chance, scenarios and pairs of names both favour one side. Answers or couples taken as independent miss "
        "the truth in a third of the tables or more. They find a false bias as often. Clustering by "
        "scenario alone is not enough if name pairs have effects, or are few. With both factors B holds, also with "
        "three pairs of names per kind and within topics of two scenarios. Cochran's degrees of freedom weight those "
        "of both factors by their contributions; the smaller number of levels minus one covered .99 or more there. "
        "B_all cannot be below 0, and sampling error adds to it. Inverted tests of its size, with draws of the "
        "clustered errors, hold from no bias to large ones. They cover too often (.98 to 1) with three pairs of names "
        "per kind and in topics of two to six scenarios, where the interval is long. The test of B_all without any "
        "bias uses both factors (.049 in 1,500 further tables). Sign flips of scenarios hold only if name pairs have "
        "small effects."
    ),
    "Two models compared: 20 items": (
        "Both models answer the same stories, and effects of pairs are common to both. Both fits are taken as one "
        "model whose clusters are the pairs, which keeps these effects. McNemar's difference counts single "
        "stories. The SD of the strengths is that of the items in the data."
    ),
    "Two models compared: ratings": (
        "Units are resampled in both tables together. With 20 units the standard error of a bootstrap is too small by "
        "the root of 19 / 20. This is corrected, and its t has 19 degrees of freedom. ADA-Met is the distance from "
        "the mode of the people asked, who are the same for both models."
    ),
    "Jensen-Shannon similarity": (
        "A divergence cannot be below 0. The noncentral interval, from bias and variance by the jackknife over units, "
        "allows for this. It holds for equal shares as well as for different ones. Percentiles, shifted by the bias "
        "of sample and resamples and cut at 1, always contain 1. Basic intervals turn the long tail of the bootstrap "
        "to the wrong side, and are too short near 1."
    ),
    "Similarity within units": (
        "Seven people and five runs give the shares of a unit with much sampling error: the plug-in value is .1 too "
        "small. The correction of second order leaves .005 if runs mostly agree. The t interval with an allowance "
        "of half the change by the second order then holds; percentiles are too short. If runs differ as much as "
        "people do, a bias of .01 to .02 is left. With many units, the interval is too short for it. With 20 people "
        "and 10 runs it covered .91 to .98 up to 960 units. Collect more ratings per unit, or compare pooled shares, "
        "whose interval holds."
    ),
    "Split-half": (
        "The truth is the mean over all tables of this size, because the sampling error of two halves depends on "
        "their size. The interval depends on how ratings vary within units. It is undefined if a level was chosen "
        "fewer than five times; such tables are left out here."
    ),
    "Shares and similarity, people": (
        "People have habits that hold in all units, and runs of a model repeat each other within a unit. Errors of "
        "units alone speak of these people; those of units and people as crossed factors of all people. Shares of "
        "which fewer than one of the people would hold the rarer kind have caution SS212."
    ),
    "Test of equal shares, people": (
        "Both have the same shares over all people. Swaps of sources unit by unit take the habits of the people asked "
        "for a difference. F takes units and people as crossed factors."
    ),
    "Mean ratings, people": (
        "Numbers, and levels cut from normal values, of which units have .3 and people .2 of the variance. Intervals "
        "between declared levels are Wilson's, with effective answers by the variance over units and people."
    ),
    "Refusals, people": "Replies of people who refuse more or less often in all units.",
    "Models compared by mean rating": (
        "The same people rate both models, or are what both are compared with. What a person adds to the difference is "
        "summed over units."
    ),
    "Choice shares": (
        "Ratings of a unit are one cluster: runs that mostly agree count as few answers. Each source has its own "
        "number of independent answers, and the difference is paired on the units."
    ),
    "Repeated answers beside people": (
        "Seven people answer each unit once, and a model two to six times. The model counts with the shares of its "
        "answers. The true distance is that of 40,000 units of such people."
    ),
    "Test of equal shares": (
        "The chi-square counts every run as an answer of its own, and rejects what is true in every third table. "
        "F over units and people keeps the runs of a unit together and holds."
    ),
    "Rank sets": (
        "Marginal sets are made for one item's rank, simultaneous ones for all at once. Inverting tests of all "
        "differences is conservative: coverage of ranks is above nominal."
    ),
    "Shares in clusters": (
        "Effective answers keep the interval between 0 and 1, also if all answers are alike. An intraclass correlation "
        "of .2 at a share of .02 is a beta-distributed rate with an SD of .06. If clusters differ as much, few of them "
        "contain all rare answers, and none of the intervals tried holds. Caution SS212 is given below ten "
        "effective answers of the rarer kind, SS211 for uneven clusters, SS202 below five degrees of freedom. Bounds "
        "are set only where fewer than half of the results are cautioned."
    ),
    "Paired differences": (
        "A t interval of few discordant pairs is too short or undefined. Tango's score interval for the effective "
        "number of pairs holds, and is long. Above ten effective discordant pairs t holds too."
    ),
    "Matched odds": (
        "Wilson's interval of the share of first only among the discordant pairs is defined with any of them. The t "
        "interval of the log needs both kinds, and is too short if clusters are uneven."
    ),
    "Equivalence of yes": (
        "A t test of few discordant pairs finds false equivalence too often, most with one large cluster "
        "(caution SS211). Tango's score at the bounds keeps to 5%, and is conservative in few clusters."
    ),
    "Equivalence of numbers": (
        "If the sample has no values from a long tail, both the mean and its error are too small."
    ),
    "Strengths from probabilities": (
        "Winners are probabilities; the model estimates the strengths closest to their means. Errors by pair hold. "
        "Errors by reply hold only if pairs have no effects of their own, or occur once. Otherwise their intervals "
        "miss up to half of the truths."
    ),
    "Shares of probabilities": (
        "Each cluster has three units of two replies, whose probabilities are logistic-normal. Bounds are set for "
        "even shares only."
    ),
    "Test of an equal preference": (
        "All pairs of items meet nine times. The strengths are such that the model's shares are equal, also under an "
        "effect of pairs. Tables without finite strengths do not count."
    ),
    "Pooled win rate": (
        "Pairs are the clusters, of six comparisons on average. The caution is that of this rate alone; of single "
        "items there are more. Even pairs hold. Where pairs have leans of SD 2 and unequal sizes, .88 to .93 of rare "
        "wins are held, and SS211 or SS212 says so."
    ),
    "Preference": "Both hold, for strengths with and without a pair effect.",
    "Sensitivity": (
        "Sampling error of the win rates increases the plug-in S, and increases it again in every resample. "
        "Percentile intervals of S miss the truth, most if S is small. Basic intervals subtract the shift and hold."
    ),
    "bootstrap": (
        "The default has BCa tails by t and the jackknife's degrees of freedom (999 resamples here). Plain BCa and "
        "percentile intervals of the mean of 10 normal values held .88 and .89, of 20 .92. Cautions are SS202 below 20 "
        "clusters, SS312 below 60 units, SS317 where influences are skewed. In crossed tables without effects the "
        "bootstrap counts the noise of single values three times, and always holds the truth."
    ),
    "jackknife": (
        "t with n - 1 degrees of freedom, and Cochran's of two crossed factors. Without effects of units and raters, "
        "the largest of V1, V2 and V1 + V2 - V12 is too large."
    ),
    "permute": "Arms are assigned to whole clusters, or within them; numbers of both arms have one distribution.",
    "Conditional": (
        "The choices of a pair share its effect, and Wilson's interval for independent rows is then too short. Both "
        "take the opponents as a sample. If opponents differ much, as in a hierarchy, and are the same in every "
        "simulation, both cover too often."
    ),
    "Choice entropy": (
        "With unequal numbers of choices, the plug-in bias differs between the conditions and causes a false "
        "difference. With so few choices per pair, the Miller-Madow correction does not remove it: compare equal "
        "numbers."
    ),
    "Order effect": (
        "If a pair is always shown in one order, tests that treat rows as independent take its effect for an order "
        "effect. The cluster-robust Wald test does not."
    ),
}


def table(lines: list) -> str:
    """The lines of one study as Markdown."""
    rows = [
        "| setting | method | of | share | Monte-Carlo error | nominal | simulations | cautioned "
        "| share where silent |",
        "|---|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for line in lines:
        share = f"{line.share:.3f}"
        if line.must:
            share = f"**{share}** ({line.must[0]:g} to {line.must[1]:g}: {'holds' if line.holds else 'fails'})"
        said = " | ".join("" if x is None else f"{x:.3f}" for x in (line.cautioned, line.silent))
        rows.append(
            f"| {line.setting} | {line.method} | {line.quantity} | {share} | {line.error:.3f} | {line.nominal:g} "
            f"| {line.simulations} | {said} |"
        )
    return "\n".join(rows) + "\n"


def verdict(line: Any) -> str:
    """What is said of a failure; one that two Monte-Carlo errors can explain is not called silent."""
    if line.cautioned is None:
        return "not measured"
    if not line.is_silent:
        return "said"
    return "**silent**" if line.is_beyond_noise else "silent, within two errors"


def failures(lines: list) -> str:
    """The defaults whose coverage or size is wrong, the worst first, and those that hold far more than they say."""
    claims = [line for line in lines if line.is_claim and line.nominal < 1]
    wrong = sorted(
        (line for line in claims if line.is_wrong),
        key=lambda line: (
            line.share - line.nominal if line.nominal > 0.5 else line.nominal - line.share
        ),
    )
    long = [line for line in claims if line.nominal > 0.5 and line.share > HIGHEST]
    silent = sum(line.is_silent and line.is_beyond_noise for line in wrong)
    unmeasured = sum(line.cautioned is None for line in wrong)
    rows = [
        f"| {line.study}: {line.setting} | {line.method} | {line.quantity} | {line.share:.3f} | {line.nominal:g} "
        f"| {'' if line.cautioned is None else f'{line.cautioned:.3f}'} "
        f"| {'' if line.silent is None else f'{line.silent:.3f}'} | {verdict(line)} |"
        for line in wrong
    ]
    table_of = dict.fromkeys(line.study for line in long)
    return FAILURES.format(
        claims=len(claims),
        wrong=len(wrong),
        silent=silent,
        unmeasured=unmeasured,
        rows="\n".join(rows),
        long=len(long),
        studies="\n".join(
            f"- {study} ({sum(line.study == study for line in long)})" for study in table_of
        ),
    )


def whole_page(lines: list) -> str:
    """Introduction, failures and sections."""
    made = []
    for study in dict.fromkeys(line.study for line in lines):
        note = next((text for start, text in READING.items() if study.startswith(start)), "")
        body = table([line for line in lines if line.study == study])
        made.append(f"## {study}\n\n{body}" + (f"\n{note}\n" if note else ""))
    trust = TRUST.read_text(encoding="utf-8")
    return "\n".join([INTRODUCTION.format(seed=SEED, trust=trust, failures=failures(lines)), *made])


def simulate(chosen: argparse.Namespace) -> list:
    """Run the studies; each has its own stream of the seed, whichever others run."""
    import numpy as np
    from agreement_studies import AGREEMENT_STUDIES
    from alignment_studies import ALIGNMENT_STUDIES
    from compare_studies import COMPARE_STUDIES
    from couple_studies import COUPLE_STUDIES
    from function_studies import FUNCTION_STUDIES
    from group_studies import GROUP_STUDIES
    from model_studies import MODEL_STUDIES
    from own_studies import OWN_STUDIES
    from people_studies import PEOPLE_STUDIES
    from probability_studies import PROBABILITY_STUDIES
    from share_studies import SHARE_STUDIES
    from source_studies import SOURCE_STUDIES, plug_in, shares_of_answers
    from studies import STUDIES
    from thin_studies import THIN_STUDIES, heaped_effects
    from trait_studies import TRAIT_STUDIES, value_spreads
    from weight_studies import sampling_weights

    from socialstats.halves import in_halves

    studies = (
        STUDIES
        | AGREEMENT_STUDIES
        | ALIGNMENT_STUDIES
        | TRAIT_STUDIES
        | SOURCE_STUDIES
        | COUPLE_STUDIES
    )
    studies |= COMPARE_STUDIES | SHARE_STUDIES | THIN_STUDIES | MODEL_STUDIES
    studies |= {
        "value_spreads": value_spreads,
        "plug_in": plug_in,
    }  # last: the place of a study gives its seed
    studies |= PROBABILITY_STUDIES | GROUP_STUDIES | FUNCTION_STUDIES | PEOPLE_STUDIES
    studies |= {
        "heaped_effects": heaped_effects,
        "shares_of_answers": shares_of_answers,
    } | OWN_STUDIES
    studies |= {"sampling_weights": sampling_weights}
    seeds = dict(zip(studies, np.random.SeedSequence(SEED).spawn(len(studies)), strict=True))
    names = [name for name in studies if not chosen.only or name in chosen.only]

    def one(k: int) -> list:
        name = names[k]
        sims = max(5, SIMULATIONS[name] // QUICK) if chosen.quick else SIMULATIONS[name]
        began = time.process_time()
        lines = studies[name](np.random.default_rng(seeds[name]), sims)
        print(
            f"{name}: {sims} simulations, {time.process_time() - began:.0f} CPU s", file=sys.stderr
        )
        return lines

    return [line for lines in in_halves(one, len(names), least=2) for line in lines]


def page_of_lines() -> str:
    """Return the page of the lines of earlier runs; the site has it."""
    from tally import read

    return whole_page(read(LINES))


def write_lines(lines: list, *, keep: bool) -> None:
    """Write the lines; with ``keep``, studies that were not run keep theirs."""
    from tally import read, write

    run = dict.fromkeys(line.study for line in lines)
    before = read(LINES) if keep and LINES.exists() else []
    order = dict.fromkeys([*(line.study for line in before), *run])
    every = [line for line in before if line.study not in run] + lines
    every.sort(key=lambda line: list(order).index(line.study))
    write(every, LINES)


def main() -> int:
    """Simulate, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="an eighth of the simulations; prints, does not write"
    )
    parser.add_argument(
        "--only", action="append", choices=list(SIMULATIONS), help="some studies; keeps the others"
    )
    chosen = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.path.insert(0, str(ROOT))
    lines = simulate(chosen)
    print(
        "\n".join(
            table([line for line in lines if line.study == study])
            for study in {x.study: 0 for x in lines}
        )
    )
    if not chosen.quick:
        write_lines(lines, keep=bool(chosen.only))
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
