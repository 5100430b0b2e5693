"""`make calibrate`: coverage of intervals and type I error of tests, simulated; writes docs/calibration.md.

Not part of the tests. Exit code 1 when a share that the project insists on is out of its bounds. ``--only`` runs some
studies and leaves the sections of the others on the page as they are.
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
PAGE = ROOT / "docs" / "calibration.md"
LINES = ROOT / "docs" / "calibration.csv"  # the lines of the page's tables
TRUST = HERE / "trust.md"  # what the lines of the page come to, for a reader in a hurry
SEED = 20261122
SIMULATIONS = {
    "pair_effect": 400, "crossed": 400, "urgency": 400, "entropy": 600, "order_effect": 600, "clustered_tests": 1500,
    "effect_size": 1000, "kappa": 1000, "alpha": 1000, "spearman": 600, "ada_met": 300, "traits": 300,
    "wordings": 600, "two_way": 3000, "zeros": 600, "similarities": 900, "source_shares": 600, "equal_shares": 1000,
    "ceilings": 1000, "similar_units": 500,
    "relationship_bias": 300, "joint_refits": 300, "ratings_compared": 600,
    "clustered_shares": 4000, "clustered_differences": 2000, "clustered_odds": 4000, "equivalences": 2000,
    "thin_crossed": 1000, "thin_means": 1000, "thin_effects": 300, "thin_similarities": 1000, "thin_sensitivity": 1000,
    "thin_comparisons": 400, "thin_agreement": 200, "thin_factors": 400, "leaderboards": 1500, "model_comparisons": 250,
    "sensitivities_compared": 300, "level_comparisons": 250, "value_spreads": 3000, "plug_in": 600,
    "thin_probabilities": 400,
}  # fmt: skip
QUICK = 8  # --quick does an eighth
HIGHEST = 0.99  # coverage above which an interval is listed as too long

FAILURES = """\
## Where the defaults fail

{claims} lines below are about what the package gives unasked. In {wrong} of them coverage is below .925 or a type I
error rate above .07. *Cautioned* is the share of simulations in which a caution of the result said so, *share where
silent* what the other simulations held (or rejected). A failure is **silent** where fewer than .95 were cautioned and
the others fail too, by more than two Monte-Carlo errors: {silent} lines. Cautions were not measured in {unmeasured}.

| setting | method | of | share | nominal | cautioned | share where silent | |
|---|---|---|--:|--:|--:|--:|---|
{rows}

Coverage is above .99 in {long} lines, whose intervals are longer than needed: {studies}.
"""

INTRODUCTION = """\
# Calibration

{trust}
Written by `make calibrate`, seed {seed}; bootstraps have 399 resamples. Data are simulated from known truths; *share*
is how often a 95% interval held its truth (nominal .95), or how often a test at 5% rejected a true null (nominal
.05). Where a line is about many items, the share is the mean over items and simulations; simulations without an
interval are left out. The Monte-Carlo error is the standard error of the share over simulations. The truth of strengths
under an effect of pairs, workers or prompts is what the model estimates then: the Bradley-Terry strengths closest to
the win probabilities averaged over that effect (Gauss-Hermite). A share in bold is one the project insists on.
The lines of all tables are in [calibration.csv](calibration.csv).

{failures}"""
READING = {
    "Standard deviation of values": (
        "The outer ends of Bonett's interval and of the jackknife's t interval of the logarithm. Bonett's alone "
        "held .88 (exponential, 12 to 30 values; .915 of 100) and .71 to .80 (lognormal, up to 200). Long tails do "
        "not show in fewer than 100 values: caution SS312. From 100 on SS317 is said where the kurtosis is above 4."
    ),
    "Plug-in and corrected similarity": (
        "The truth of a plug-in value is its mean over tables of as many units and ratings. Near equal shares it is "
        "flat in the shares, and the jackknife's t alone held .87 to .93; the corrected interval less the "
        "correction reaches on. Runs of a unit mostly agree here, so that the units with a level count, not its "
        "ratings (SS312). Within units values are skewed where most ratings are of one level (SS312, SS317)."
    ),
    "Topics, kinds": (
        "Topics of two to four scenarios reject somewhat too often (caution SS202 about the differences). "
        "Both kinds of scenarios (traditional, egalitarian) and topics share pairs of names, groups of raters the "
        "scenarios too. How often the difference of B_all holds is in the study of the biases."
    ),
    "Groups of models": (
        "Two or three models beside many: Welch's t rejects .065 to .12 (caution SS312 about such groups). "
        "Welch's t of few models; numbers of models are normal, or lognormal: caution SS312 below 25 models, SS317 "
        "above."
    ),
    "Paired yes/no": (
        "Forty per cent of the answers differ between the conditions; which way, depends on scenario and name "
        "pair. Tests of single answers reject a true null far too often. Clustering by scenario is enough while "
        "name pairs have no effect of their own, or are many; the test that knows both factors (V1 + V2 - V12 by CR2, "
        "t with Cochran's degrees of freedom) holds throughout, and is conservative where nothing is clustered."
    ),
    "Effect size d_z of few": (
        "The default has the outer ends of the noncentral t and of the jackknife; where the long tail is on the side "
        "of an effect that the t test finds, it does not reach 0. Taking the jackknife only where the differences are "
        "seen to be skewed loses coverage: few values do not show their tail. Long tails (lognormal values with large "
        "effects, t with 3 degrees of freedom) are met in few samples only, and no interval from the sample knows of "
        "them: caution SS312 (fewer than 25 pairs, or 200 where d_z is above .8) or SS317 says so."
    ),
    "Effect size": (
        "The noncentral t interval is exact for normal differences. Under skew it covers too much or, with the "
        "long tail on the other side of the effect, far too little, however many pairs there are. The default has the "
        "outer ends of it and of the jackknife t interval, which knows the shape; bootstraps know it too, and "
        "lose intervals in small samples."
    ),
    "Means in two": (
        "The largest of V1, V2 (both by CR2) and V1 + V2 - V12, with Cochran's degrees of freedom of V1 and "
        "V2. A factor "
        "of two levels leaves intervals long where it matters. Of few clusters with lognormal effects t does not hold; "
        "SS312 is said below 24 effective degrees of freedom, SS317 above."
    ),
    "Means of few": (
        "t does not hold for means of few skewed values. Fewer than 25 do not show their shape (caution SS312); of "
        "more, SS317 is said where sum e^3 / (sum e^2)^1.5 exceeds .15. The studentized bootstrap misses less."
    ),
    "Means in few clusters": (
        "Values are the sum of an effect of their cluster and of their own, both of one shape. The caution looks at "
        "the sums by cluster and, by their effective number, at single values, which show a long tail earlier."
    ),
    "Jensen-Shannon similarity of few": (
        "Scale and degrees of freedom of the noncentral chi-square are those of equal shares (Rao & Scott "
        "1984); its end "
        "on the side of unlike shares reaches the jackknife's. A level with two expected ratings is the weak place "
        "(caution SS312)."
    ),
    "Sensitivity S of few": (
        "The jackknife over pairs of items around the corrected S, t with one degree of freedom less than there are "
        "pairs. The basic bootstrap is too short with few pairs."
    ),
    "Quadratic kappa": (
        "No interval holds with 30 units when most ratings are of one level (caution SS312). Over all settings "
        "Fisher's z and the percentile bootstrap come closest; Wald's and the basic bootstrap's intervals miss "
        "most."
    ),
    "Ordinal alpha": (
        "The linearised, percentile and BCa intervals hold from 30 units on; the basic bootstrap's do not. The "
        "linearised one needs no resamples."
    ),
    "Strengths: ": (
        "With a pair effect, intervals that take rows as independent are too short; those clustered by pair hold."
    ),
    "Strengths under": (
        "Intervals that know one factor miss the other. The two-way bootstrap resamples both factors, and counts the "
        "noise of single answers with each (Owen 2007): it is wide where, as here, that noise is most of the variance."
    ),
    "ADA-Met: two groups": (
        "The modes of few people are noisier, and the smaller group lies farther off any model; what the sizes alone "
        "give (people dealt anew) is taken off the difference, and one t gives interval and p. Of two or three people "
        "the variance is hardly known, and degrees of freedom are their number less one: cautious. Permuting people "
        "tests more than equal distances (alike people), and with three against three no p can be below .05."
    ),
    "ADA-Met": (
        "Two truths: the mean distance from the mode of as many people as were asked, and from the likeliest answer "
        "of the population. The default is for the former; it counts the noise of single answers once. The bootstraps "
        "of people and units count it twice (Owen 2007). Few answers make noisy modes, and noise adds distance, most "
        "where there is little: no interval holds the latter truth."
    ),
    "Composite of traits": (
        "With judges fixed the interval is one for the mean of these judges; it says nothing about judges like them, "
        "and the more scenarios there are, the rarer it holds their mean. Drawn judges need the two-way interval: mean "
        "squares, with the degrees of freedom of Cochran's (1964) weighted critical value, from the judges less one to "
        "the scenarios less one. With three judges it is wide. Changes between stages, where judges' offsets cancel, "
        "need no such thing: drawn judges make their intervals longer than asked, up to .99, and fixed ones hold."
    ),
    "Mean over drawn units": (
        "The mean of units by judges, both drawn; the standard deviations are those of units, judges and the rest. "
        "Satterthwaite's degrees of freedom held .92 with three judges and .89 with two: a judges' mean square that is "
        "small by chance makes the error small and the degrees of freedom many at once. Two judges are the exception: "
        "one degree of freedom leaves coverage between .93 and .99, and intervals of little use; take more judges, or "
        "judges='fixed'."
    ),
    "Composite minus": (
        "The judges' own zero is estimated from control texts. With several neutral texts its error is that of their "
        "means, whatever makes them differ; with one, the judges' noise, and the text is taken for truly neutral. "
        "Taken as known, the zero makes intervals too short, the more the fewer texts there are."
    ),
    "Change of the spread": (
        "t holds from 10 scenarios on. The truth is the mean standard deviation of three wordings, the noise of the "
        "scores included."
    ),
    "Relationship bias": (
        "Scenarios and pairs of names both lean to one side by chance. Answers (or couples) taken as independent "
        "miss the truth in a third of the tables and more, and find a bias where there is none as often; scenarios "
        "alone are not enough where name pairs have effects, or are few. With both factors B holds, also with three "
        "pairs of names a kind and within topics of two scenarios: Cochran's degrees of freedom weigh those of both "
        "factors by what they contribute (the smaller number of levels less one held .99 and more there). B_all "
        "cannot be below 0, and chance adds to it. Inverted tests of its size, with draws of the clustered errors, "
        "hold from no bias to large ones, and too often with three pairs of names a kind and in topics of two to six "
        "scenarios (.98 to 1): the interval is long there. The test of "
        "B_all without any bias counts both factors (1,500 further tables without any: .049); sign flips of "
        "scenarios hold only while name pairs matter little."
    ),
    "Two models compared: 20 items": (
        "Both models answer the same stories and share what makes a pair special. Pairs are resampled in both "
        "together, which keeps that; the model is refitted every time. McNemar's difference counts story by story. "
        "The sd of the strengths is that of the items at hand."
    ),
    "Two models compared: ratings": (
        "Units are resampled in both tables together. With 20 units a bootstrap's standard error is too small by the "
        "root of 19 / 20, which is put right, and its t has 19 degrees of freedom. ADA-Met is the distance from the "
        "mode of the people asked, who are the same for both models."
    ),
    "Jensen-Shannon similarity": (
        "A divergence cannot fall below 0. The noncentral interval knows, from bias and variance by the jackknife over "
        "units, and holds for equal shares as well as for different ones. Percentiles, moved by the bias that sample "
        "and resamples have and cut at 1, always hold 1; basic intervals turn the long tail of the bootstrap the wrong "
        "way and are too short near it."
    ),
    "Similarity within units": (
        "The shares behind the ratings of a unit are known from seven people and five runs only: the plug-in value is "
        ".1 too small. The correction of second order leaves .005 where runs mostly agree, and the interval, a t "
        "interval with an allowance of half of what the second order changed, holds; percentiles are too short. Where "
        "runs differ as much as people do, .01 to .02 of bias is left: the interval is too short once there are units "
        "enough to see it. More ratings a unit help (with 20 people and 10 runs it covered .91 to .98 up to 960 "
        "units), and so does comparing pooled shares, whose interval holds."
    ),
    "Split-half": (
        "The truth is the mean over all tables of this size, as the noise of two halves depends on their size. The "
        "interval knows how ratings vary within units and is not given where a level was chosen fewer than five times "
        "(such tables are left out here)."
    ),
    "Choice shares": (
        "Ratings of a unit are one cluster: runs that mostly agree count as few answers. Each source has its own "
        "number of independent answers, and the difference is paired on the units."
    ),
    "Test of equal shares": (
        "The chi-square counts every run as an answer of its own, and rejects what is true in every third table. "
        "Swapping the two sources in whole units keeps the runs together and holds."
    ),
    "Rank sets": (
        "Marginal sets are made for one item's rank, simultaneous ones for all at once. Inverting tests of all "
        "differences is conservative: ranks are covered more often than asked."
    ),
    "Shares in clusters": (
        "Effective answers keep the interval inside 0 and 1, also where all answers are alike. Where clusters differ "
        "much (an intraclass correlation of .2 at a share of .02 is a beta rate with a sd of .06), few clusters hold "
        "all rare answers, and no interval of those tried holds: caution SS212 below ten effective answers of the "
        "rarer kind, SS211 for uneven clusters, SS202 below five degrees of freedom. The settings that are "
        "insisted on are those in which fewer than half of the results are cautioned."
    ),
    "Paired differences": (
        "A t interval of few discordant pairs is too short, or does not exist. Tango's score interval for the "
        "effective number of pairs holds, and is long; above ten effective discordant pairs t holds too."
    ),
    "Matched odds": (
        "Wilson's interval of the share of first only among the discordant pairs exists with any of them. The t "
        "interval of the log needs both kinds, and is too short where clusters are uneven."
    ),
    "Equivalence of yes": (
        "A t test of few discordant pairs declares too often what is not true, the most where a cluster is large "
        "(caution SS211). Tango's score at the bounds keeps to 5%, and is conservative in few clusters."
    ),
    "Equivalence of numbers": (
        "A long tail that was not drawn makes the mean too small and its error too small at once."
    ),
    "Strengths from probabilities": (
        "Winners are probabilities; the model estimates the strengths closest to their means. Errors by pair hold. "
        "Errors by reply hold only where pairs have no leans of their own, or are met once; else they miss up to half "
        "of the truths."
    ),
    "Shares of probabilities": (
        "Each cluster has three units of two replies, whose probabilities are logistic-normal. The settings insisted "
        "on are those of even shares."
    ),
    "Preference": "Both hold, for strengths with and without a pair effect.",
    "Sensitivity": (
        "Noise in the win rates raises the plug-in S, and raises it again in every resample: percentile intervals of S "
        "miss the truth, most where S is small; basic ones take the shift off and hold."
    ),
    "Conditional": (
        "The choices of a pair share its effect, and Wilson's interval for independent rows is then too short. Both "
        "take the opponents as a sample. Where opponents differ much, as in a hierarchy, and are the same in "
        "every simulation, both cover more than they say."
    ),
    "Choice entropy": (
        "With unequal numbers of choices the plug-in bias differs between the conditions and makes a difference out of "
        "nothing. The Miller-Madow correction does not cure it when choices a pair are this few: compare equal numbers."
    ),
    "Order effect": (
        "Where a pair is always shown in one order, its effect is taken for an order effect by tests that treat rows "
        "as independent; the cluster-robust Wald test knows."
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
    wrong = sorted((line for line in claims if line.is_wrong), key=lambda line: line.share - line.nominal
                   if line.nominal > 0.5 else line.nominal - line.share)  # fmt: skip
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
        claims=len(claims), wrong=len(wrong), silent=silent, unmeasured=unmeasured, rows="\n".join(rows),
        long=len(long),
        studies="; ".join(f"{study} ({sum(line.study == study for line in long)})" for study in table_of),
    )  # fmt: skip


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
    from model_studies import MODEL_STUDIES
    from probability_studies import PROBABILITY_STUDIES
    from share_studies import SHARE_STUDIES
    from source_studies import SOURCE_STUDIES, plug_in
    from studies import STUDIES
    from thin_studies import THIN_STUDIES
    from trait_studies import TRAIT_STUDIES, value_spreads

    from socialstats.halves import in_halves

    studies = STUDIES | AGREEMENT_STUDIES | ALIGNMENT_STUDIES | TRAIT_STUDIES | SOURCE_STUDIES | COUPLE_STUDIES
    studies |= COMPARE_STUDIES | SHARE_STUDIES | THIN_STUDIES | MODEL_STUDIES
    studies |= {"value_spreads": value_spreads, "plug_in": plug_in}  # last: the place of a study gives its seed
    studies |= PROBABILITY_STUDIES
    seeds = dict(zip(studies, np.random.SeedSequence(SEED).spawn(len(studies)), strict=True))
    names = [name for name in studies if not chosen.only or name in chosen.only]

    def one(k: int) -> list:
        name = names[k]
        sims = max(5, SIMULATIONS[name] // QUICK) if chosen.quick else SIMULATIONS[name]
        began = time.process_time()
        lines = studies[name](np.random.default_rng(seeds[name]), sims)
        print(f"{name}: {sims} simulations, {time.process_time() - began:.0f} CPU s", file=sys.stderr)
        return lines

    return [line for lines in in_halves(one, len(names), least=2) for line in lines]


def write_pages(lines: list, only: list[str] | None) -> None:
    """Write the page and its lines; studies that were not run keep theirs."""
    from tally import read, write

    run = dict.fromkeys(line.study for line in lines)
    before = read(LINES) if only and LINES.exists() else []
    order = dict.fromkeys([*(line.study for line in before), *run])
    every = [line for line in before if line.study not in run] + lines
    every.sort(key=lambda line: list(order).index(line.study))
    write(every, LINES)
    PAGE.write_text(whole_page(every), encoding="utf-8")


def main() -> int:
    """Simulate, print, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="an eighth of the simulations; prints, does not write")
    parser.add_argument("--only", action="append", choices=list(SIMULATIONS), help="some studies; keeps the others")
    chosen = parser.parse_args()
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    sys.path.insert(0, str(ROOT))
    lines = simulate(chosen)
    print("\n".join(table([line for line in lines if line.study == study]) for study in {x.study: 0 for x in lines}))
    if not chosen.quick:
        write_pages(lines, chosen.only)
    return 0 if all(line.holds for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
