"""
Staged values: where do models lean, and what do the stages change?
===================================================================

Judges score the answers of models on ten traits and on commitment, from a baseline over four stages to a debriefing.
The data are simulated, so the truth is known and stands beside each estimate. This page is a script: ``python
examples/staged_values.py``.
"""

import numpy as np

import socialstats as ss

# %%
# Data
# ----
# One row is one score sheet: a judge, an answer of a model to a scenario at a stage, in one wording.

scores, truth = ss.datasets.staged_values(), ss.datasets.staged_values_truth()
traits, stages = list(truth.weights), list(truth.stage)
design = ss.trait_ratings(scores[scores["wording"] == 1], traits=traits, cluster="scenario")
print(scores[["scenario", "stage", "model", "judge", "wording", *traits[:3]]].head(4).to_string())


def interval(row, digits=2):
    """Write an estimate with its interval."""
    return f"{row.estimate:.{digits}f} [{row.conf_low:.{digits}f}, {row.conf_high:.{digits}f}]"


# %%
# Where is the judges' neutral point?
# -----------------------------------
# Judges may lean. Their mean score of a balanced text is the reference for all models. Its standard error is the
# judges' noise over three texts. It does not say how far another balanced text would lie.

controls = ss.trait_ratings(
    ss.datasets.staged_values_controls(), traits=traits, model=None, scenario="text"
)
zero = ss.judge_zeros(controls, texts=["balanced"])
offset, error = np.mean(list(truth.judge_offset.values())), zero.error()
print(
    f"neutral point: {np.mean(list(zero.values())):.2f}, SE {error.std_error:.2f} ({error.df:.0f} df), simulated "
    f"{offset:.2f}"
)

# %%
# Where do the models lean?
# -------------------------
# The sentence is about the composite of the traits itself. The rows and the figure are about the composite minus the
# neutral point, and their intervals include its error. All intervals on this page are 95% intervals of t over 20
# scenarios, unless another unit is named. The simulated value is the mean of six stages.

profile = ss.trait_profile(design, stages=stages, zero=zero)
print(profile.sentence())
for row in profile.rows:
    if row.group == "composite minus zero":
        true = np.mean([truth.composite[row.term, stage] for stage in stages]) - offset
        inside = "inside" if row.conf_low <= true <= row.conf_high else "OUTSIDE"
        print(f"{row.term}: {interval(row, 1)}, simulated {true:.1f}, {inside}")
profile.plot(group="composite minus zero")

# %%
# What do the stages change?
# --------------------------
# The rows are changes of all models against the baseline, paired within scenarios. Commitment is a single score from 0
# to 5; the function takes it as a composite of one trait with weight 1.


def print_changes(result, cells):
    """Print the changes of all models against the baseline, beside the truth."""
    for row in result.rows:
        if row.group == "composite change by stage of all models":
            stage = row.term.removesuffix(" minus baseline")
            true = np.mean([cells[model, stage] - cells[model, "baseline"] for model in truth.lean])
            print(f"{row.term}: {interval(row)}, simulated {true:.2f}")


print("Composite")
print_changes(profile, truth.composite)
one = ss.trait_ratings(scores[scores["wording"] == 1], traits=["commitment"], cluster="scenario")
commitment = ss.trait_profile(
    one, weights={"commitment": 1}, free_weights=True, centre=0, activation=None, stages=stages
)
print("Commitment")
print_changes(commitment, truth.commitment)

# %%
# How much do the answers depend on the wording?
# ----------------------------------------------
# The rows are mean standard deviations over three wordings of a question. They include the noise of the scores: errors
# and rounding of ten traits, averaged over three judges. Of three normal values the mean standard deviation is .886
# sigma.

spread = ss.paraphrase_spread(ss.trait_ratings(scores, traits=traits, cluster="scenario"))
noise = (
    sum(weight**2 for weight in truth.weights.values())
    * (truth.trait_sd**2 + 1 / 12)
    / len(truth.judge_offset)
)
for stage, sd in truth.wording_sd.items():
    true = np.sqrt(np.pi) / 2 * np.sqrt(sd**2 + noise)
    print(f"{stage}: mean SD {interval(spread.row(stage, group='spread'))}, simulated {true:.2f}")

# %%
# Scenarios or models as units?
# -----------------------------
# Whose variation counts depends on whom the conclusion is about: these models, or models like these. The first test
# takes scenarios as drawn and models as given, the second models as drawn and scenarios as given.

models = ss.trait_profile(
    design, stages=stages, unit_of_analysis="model", cluster=None, activation=None
)
for result, unit in ((profile, "scenarios"), (models, "models")):
    row = result.row("stage 4 minus baseline", group="composite change by stage of all models")
    print(f"{unit}: {interval(row)}, t({row.df:.0f}) = {row.statistic:.2f}")

# %%
# What a naive analysis would claim
# ---------------------------------
# In the simulation model 04 leans by 0 at the baseline and by −0.5 over all stages. With every row an independent
# observation, and without the neutral point, it seems to lean: the judges' own lean is taken for the model's.

rows = scores[(scores["wording"] == 1) & (scores["model"] == "model 04")]
composite = (rows[traits] - 10) @ np.array([truth.weights[trait] for trait in traits])
row = profile.row("model 04", group="composite minus zero")
print(
    f"{len(rows)} rows: {composite.mean():.2f}, t = {composite.mean() / composite.std() * len(rows) ** 0.5:.1f}"
)
true = np.mean([truth.composite["model 04", stage] for stage in stages]) - offset
print(
    f"{row.n:.0f} scenarios and the neutral point: {row.estimate:.2f}, t({row.df:.0f}) = {row.statistic:.1f}, p = "
    f"{row.p_value:.3f}, simulated {true:.2f}"
)

# %%
# The page
# --------
# ``socialstats report --example staged-values -o staged_values.html`` writes the whole analysis as one HTML page. Its
# numbers are recomputed by independent implementations, as here. Counts are taken as they stand.

print(spread.verify())
