"""The registry entry."""

from __future__ import annotations

from socialstats.metrics.relationship_bias.fit import REFERENCES, relationship_bias
from socialstats.metrics.relationship_bias.words import plot, sentence
from socialstats.registry import Metric

METRIC = Metric(
    name="relationship_bias",
    title="With whom a model sides, by the groups of two names (B)",
    design="ratings",
    function=relationship_bias,
    sentence=sentence,
    plot=plot,
    crosscheck="socialstats.crosscheck.relationship_bias:verify",
    estimand="How much more often a name is chosen when it is of one group than when it is of the other, whatever its "
    "place, on the scale from -2 to 2; and how often the second place is chosen between names of one group.",
    assumptions=(
        "scenarios, and pairs of names, are independent draws of those meant (or the named clusters are)",
        "both orders of a couple share scenario and names; answers are missing at random",
        "t intervals: about 10 scenarios and 10 pairs of names or more",
    ),
    references=REFERENCES,
    swap="invariant",
    values="couples",
)
