"""
Norm or goal: does a model act as people do?
============================================

People and runs of a model decide in the same scenarios whether to comply with a norm, deviate or escalate, under six
pressures. The data are simulated, so the truth is known and stands beside each estimate. This page is a script:
``python examples/norm_goal.py``.
"""

import numpy as np
from scipy.spatial.distance import jensenshannon

import socialstats as ss

# %%
# Data
# ----
# One row is one decision. A story is a scenario under one pressure. Decisions in one scenario are dependent, so the
# scenarios are the clusters. All intervals on this page are 95% intervals.

choices = ss.datasets.norm_goal()
truth = ss.datasets.norm_goal_truth()
choices["story"] = choices["scenario"] + ", " + choices["pressure"]
design = ss.Ratings.from_frame(
    choices,
    unit="story",
    rater="rater",
    value="action",
    scale="nominal",
    rater_source="source",
    strata=["domain", "pressure"],
    cluster="scenario",
)
print(choices.head(4).to_string())


def interval(row, digits=3):
    """Write an estimate with its interval."""
    return f"{row.estimate:.{digits}f} [{row.conf_low:.{digits}f}, {row.conf_high:.{digits}f}]"


# %%
# How often was each action chosen?
# ---------------------------------
# The rows are shares by source and pressure, with Wilson intervals on the effective number of decisions in 160
# scenarios. The last line counts all three actions; these 36 intervals are dependent, as three shares add up to 1.

shares = ss.choice_shares(design, stratum="pressure", base="none")
domains = sorted(choices["domain"].unique())
inside = wanted = 0
for row in shares.rows:
    source, _, pressure = (row.group or "").partition(", ")
    if source not in ("human", "model") or not pressure or row.conf_low is None:
        continue
    true = sum(truth.shares[source, domain, pressure][row.term] for domain in domains) / len(
        domains
    )
    inside += row.conf_low <= true <= row.conf_high
    wanted += 1
    if row.term == "deviate":
        print(f"{row.group}: deviate {interval(row)}, simulated {true:.3f}")
print(
    f"{inside} of {wanted} intervals contain the simulated share (95% would be {0.95 * wanted:.0f})"
)
shares.plot()

# %%
# Does pressure move the model as it moves people?
# ------------------------------------------------
# The rows are differences of changes from no pressure, model minus people, with t intervals over 160 scenarios. The
# p-values come from flipping the signs of whole scenarios. Three actions under five pressures are one family of 15
# tests (Holm).


def mean_change(source, pressure):
    """Return the simulated change of the share of deviate from no pressure."""
    pairs = [
        (truth.shares[source, domain, pressure], truth.shares[source, domain, "none"])
        for domain in domains
    ]
    return sum(one["deviate"] - base["deviate"] for one, base in pairs) / len(pairs)


for pressure in ("goal", "risk", "emotion", "authority", "incentive"):
    row = shares.row("deviate", group=f"model - human: {pressure} - none")
    true = mean_change("model", pressure) - mean_change("human", pressure)
    print(
        f"none to {pressure}: {interval(row)}, p_Holm = {row.p_adjusted:.4f}, simulated {true:.3f}"
    )

# %%
# How similar are the shares, and how similar could they be?
# ----------------------------------------------------------
# The similarity is 1 minus the Jensen-Shannon divergence (base 2) of the shares over all stories. The reference value
# is that of two random halves of people. The test swaps people and model in whole scenarios.

similarity = ss.js_similarity(design)
print(similarity.sentence())
actions, pressures = ("comply", "deviate", "escalate"), sorted(choices["pressure"].unique())
person, model = (
    [
        np.mean([truth.shares[source, d, p][action] for d in domains for p in pressures])
        for action in actions
    ]
    for source in ("human", "model")
)
print(f"simulated similarity: {1 - jensenshannon(person, model, base=2) ** 2:.3f}")
similarity.plot()

# %%
# Do people agree with each other, and runs of the model with each other?
# -----------------------------------------------------------------------
# Equal shares do not imply agreement within stories. Krippendorff's alpha is 1 for perfect agreement and 0 for the
# agreement that chance gives. Its intervals (Fisher's z, t) follow the scenarios.

for source, true in (("human", truth.human_alpha), ("model", truth.model_alpha)):
    raters = choices.loc[choices["source"] == source, "rater"].unique().tolist()
    row = ss.krippendorff_alpha(design, raters=raters).row("alpha")
    print(f"{source}: alpha {interval(row)}, simulated {true:.3f}")

# %%
# What a naive analysis would claim
# ---------------------------------
# Two runs of the model tend to choose alike in a story. Taken as independent decisions, the rows give a p-value that is
# far too small, and a standard error that is too small. With 2,000 draws no permutation p-value is below .0005.

few = design.take(
    design.strata["pressure"].codes[design.unit] == design.strata["pressure"].levels.index("none")
)
found = ss.choice_shares(few)
honest, naive = (
    found.row(term, group="model - human")
    for term in ("any level", "any level (ratings independent)")
)
print(
    f"Without pressure, model against people: chi-square({naive.df:.0f}) = {naive.statistic:.1f}, p = "
    f"{naive.p_value:.1e} from rows, p = {honest.p_value:.4f} from permuted scenarios"
)
runs = found.row("escalate", group="model")
plain = (runs.estimate * (1 - runs.estimate) / runs.n) ** 0.5
print(
    f"Share of escalate in {runs.n:.0f} decisions of the model: naive s.e. {plain:.4f}, by scenario "
    f"{runs.std_error:.4f}; the effective sample size is {(plain / runs.std_error) ** 2 * runs.n:.0f}"
)

# %%
# The page
# --------
# ``socialstats report --example norm-goal -o norm_goal.html`` writes the whole analysis as one HTML page.
