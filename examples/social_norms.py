"""
Social norms: which model is near to people, and to which people?
=================================================================

People and models rate the same acts on a scale from A to E, or refuse (F). ADA-Met is the mean distance of a model's
answers from the most frequent answer of the people. The data are simulated, so the truth is known and stands beside
each estimate. This page is a script: ``python examples/social_norms.py``.
"""

import numpy as np
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

import socialstats as ss

# %%
# Data
# ----
# One row is one answer. Age and residence have an effect in the simulation, gender and ethnicity have none.

REAL, EMPTY = ("age", "residence"), ("gender", "ethnicity")
data, truth = ss.datasets.social_norms(), ss.datasets.social_norms_truth()
design = ss.Ratings.from_frame(
    data, unit="item", rater="rater", value="answer", levels=["A", "B", "C", "D", "E"], refusal="F",
    rater_source="source", strata="area", rater_groups=[*REAL, *EMPTY],
)  # fmt: skip
print(data[["item", "source", "rater", "answer", *REAL, *EMPTY]].head(4).to_string())


def interval(row, digits=2):
    """Write an estimate with its interval."""
    return f"{row.estimate:.{digits}f} [{row.conf_low:.{digits}f}, {row.conf_high:.{digits}f}]"


# %%
# How far are the models from the people?
# ---------------------------------------
# Reference lines need no model: one person against the others, a random answer, always the same answer.

whole = ss.ada_met(design, resamples=1000)
print(whole.sentence())
lines = {row.term: row.estimate for row in whole.rows if row.group == "reference line"}
best = min((name for name in lines if name.startswith("always")), key=lambda name: lines[name])
models = [row for row in whole.rows if row.group is None]
farther = sum(row.estimate > lines[best] for row in models)
print(f"{best} would be {lines[best]:.2f} off, nearer than {farther} of the {len(models)} models")
whole.plot()

# %%
# The truth
# ---------
# The simulation gives the likeliest answer of such people. The estimates are a little larger, because the most frequent
# answer of few people has sampling error.


def shares(mean, sd):
    """Shares of the answers 0 to 4 of rounded normal values: (items, 5)."""
    below = norm.cdf((np.arange(4) + 0.5 - mean[:, None]) / sd)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


people = data[data["source"] == "human"].drop_duplicates("rater")
shifts = sum(people[name].map(truth.shifts[name]).to_numpy(float) for name in REAL)
items, spread = np.array(list(truth.item_means.values())), np.hypot(truth.person_sd, truth.answer_sd)
likeliest = np.mean([shares(items + shift, spread) for shift in shifts], axis=0).argmax(axis=1)
far = np.abs(likeliest[:, None] - np.arange(5))
for row in models:
    refused = truth.refusal[row.term]  # counts as the largest distance, 4
    distance = (shares(items + truth.bias[row.term], truth.model_sd) * far).sum(axis=1).mean()
    print(f"{row.term}: {interval(row)}, simulated {(1 - refused) * distance + refused * 4:.2f}")

# %%
# Which people is each model closest to?
# --------------------------------------
# Some group is always the closest. A naive analysis names one for each attribute, also where the attribute has no
# effect. Tests of the differences, with Holm's method within each model, keep only the real ones.

groups = {name: ss.ada_met(design, group=name, resamples=1000) for name in (*REAL, *EMPTY)}
rows = {name: [row for row in groups[name].rows if (row.group or "").startswith(f"{name}: ")] for name in groups}
kept = dict.fromkeys(groups, 0)
for model in {row.term for row in rows[REAL[0]]}:
    own = [(name, row.p_value) for name, some in rows.items() for row in some if row.term == model]
    for (name, _), p in zip(own, multipletests([p for _, p in own], method="holm")[1], strict=True):
        kept[name] += p < 0.05
for name in groups:
    effect = "has an effect" if name in REAL else "has no effect"
    print(f"{name} {effect}: {len(models)} closest groups named, {kept[name]} of {len(rows[name])} differences "
          "significant")  # fmt: skip
for name in REAL:
    ranked = [row for row in groups[name].rows if (row.group or "").startswith(f"{name} = ")]
    closest = {row.term: row for row in sorted(ranked, key=lambda row: -row.estimate)}  # the smallest distance is last
    found = {model: (closest[model].group or "").removeprefix(f"{name} = ") for model in truth.family}
    hits = sum(found[model] == truth.closest[family, name] for model, family in truth.family.items())
    print(f"{name}: the closest group is the true one for {hits} of {len(truth.family)} models")
groups["age"].plot()

# %%
# What does a refusal count as?
# -----------------------------
# The rule decides about models that refuse: the largest distance of the scale, the largest of the item, or no answer.

worst = max(truth.refusal, key=lambda model: truth.refusal[model])
for rule in ("max", "item_max", "exclude"):
    row = ss.ada_met(design, refusal=rule, resamples=1000).row(worst, group=None)
    print(f"{worst} (refuses {truth.refusal[worst]:.0%}), refusal={rule}: {interval(row)}")

# %%
# The page
# --------
# ``socialstats report --example social-norms -o social_norms.html`` writes the whole analysis as one HTML page.

# Every number there is recomputed by independent implementations, as here.

checks = whole.verify().checks
print(f"{sum(check.ok is not False for check in checks)} of {len(checks)} checks agree")
