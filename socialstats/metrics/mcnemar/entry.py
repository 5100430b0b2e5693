"""The registry entry."""

from __future__ import annotations

from socialstats.metrics.mcnemar.fit import CLUSTER_REFERENCES, PAIR_REFERENCES, mcnemar
from socialstats.metrics.mcnemar.words import plot, sentence
from socialstats.registry import Metric

METRIC = Metric(
    name="mcnemar",
    title="Difference of two paired proportions (McNemar)",
    design="paired",
    function=mcnemar,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.mcnemar:verify",
    estimand="How much the share of units with the second of two levels differs between two conditions, first minus "
    "second, and the odds that a unit which differs has it under the first.",
    assumptions=(
        "every unit is seen once under each condition",
        "clusters (or pairs, where none are declared) are independent of each other",
        "t intervals: about 10 clusters or more, and no cluster that holds most pairs",
    ),
    references=PAIR_REFERENCES + CLUSTER_REFERENCES,
    swap="none",  # the difference and g change sign, but the odds ratio becomes its inverse and the tests stay
    values="binary",
)
