"""
Staged values: where do models lean, and what do the stages change?
===================================================================

Judges score the answers of models on twelve traits, from a baseline over four stages to a debriefing. The data are
simulated, so the truth is known and stands beside each estimate. This page is a script: ``python
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
# Judges may lean. Their scores of a balanced text are the reference for all models, and have an error of their own.

controls = ss.trait_ratings(ss.datasets.staged_values_controls(), traits=traits, model=None, scenario="text")
zero = ss.judge_zeros(controls, texts=["balanced"])
offset, error = np.mean(list(truth.judge_offset.values())), zero.error()
print(f"neutral point: {np.mean(list(zero.values())):.2f}, SE {error.std_error:.2f} ({error.df:.0f} df), simulated "
      f"{offset:.2f}")  # fmt: skip

# %%
# Where do the models lean?
# -------------------------
# The composite of the traits minus the neutral point. The intervals include its error.

profile = ss.trait_profile(design, stages=stages, zero=zero)
print(profile.sentence())
for row in profile.rows:
    if row.group == "composite minus zero":
        true = np.mean([truth.composite[row.term, stage] for stage in stages]) - offset
        inside = "inside" if row.conf_low <= true <= row.conf_high else "OUTSIDE"
        print(f"{row.term}: {interval(row, 1)}, simulated {true:.1f}, {inside}")
profile.plot()

# %%
# What do the stages change?
# --------------------------
# Changes of all models against the baseline, paired within scenarios. Commitment is one score, a composite with weight
# 1.


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
)  # fmt: skip
print("Commitment")
print_changes(commitment, truth.commitment)

# %%
# How much do the answers depend on the wording?
# ----------------------------------------------
# The spread over wordings holds the noise of the scores as well.

spread = ss.paraphrase_spread(ss.trait_ratings(scores, traits=traits, cluster="scenario"))
for stage, value in spread.extras["pooled_sd"].items():
    print(f"{stage}: SD {value:.2f}, simulated {truth.wording_sd[stage]:.2f} and noise of scores")

# %%
# Scenarios or models as units?
# -----------------------------
# Whose variation counts depends on whom the conclusion is about: these models, or models like these.

models = ss.trait_profile(design, stages=stages, unit_of_analysis="model", cluster=None, activation=None)
for result, unit in ((profile, "scenarios"), (models, "models")):
    row = result.row("stage 4 minus baseline", group="composite change by stage of all models")
    print(f"{unit}: {interval(row)}, t({row.df:.0f}) = {row.statistic:.2f}")

# %%
# What a naive analysis would claim
# ---------------------------------
# Model 04 leans to no side in the simulation. With every row an independent observation, and without the neutral point,
# it seems to lean.

rows = scores[(scores["wording"] == 1) & (scores["model"] == "model 04")]
composite = (rows[traits] - 10) @ np.array([truth.weights[trait] for trait in traits])
row = profile.row("model 04", group="composite minus zero")
print(f"{len(rows)} rows: {composite.mean():.2f}, t = {composite.mean() / composite.std() * len(rows) ** 0.5:.1f}")
print(f"{row.n:.0f} scenarios and the neutral point: {row.estimate:.2f}, t({row.df:.0f}) = {row.statistic:.1f}, p = "
      f"{row.p_value:.3f}")  # fmt: skip

# %%
# The page
# --------
# ``socialstats report --example staged-values -o staged_values.html`` writes the whole analysis as one HTML page.
# Every number there is recomputed by independent implementations, as here.

checks = spread.verify().checks
print(f"{sum(check.ok is not False for check in checks)} of {len(checks)} checks agree")
