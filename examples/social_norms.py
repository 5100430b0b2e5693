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
# One row is one answer. Age and residence have an effect in the simulation, gender and ethnicity have none. All
# intervals on this page are 95% intervals of t, with errors of both people and items. Distances count levels (A = 0 to
# E = 4).

REAL, EMPTY = ("age", "residence"), ("gender", "ethnicity")
data, truth = ss.datasets.social_norms(), ss.datasets.social_norms_truth()
design = ss.Ratings.from_frame(
    data,
    unit="item",
    rater="rater",
    value="answer",
    levels=["A", "B", "C", "D", "E"],
    refusal="F",
    rater_source="source",
    strata="area",
    rater_groups=[*REAL, *EMPTY],
)
print(data[["item", "source", "rater", "answer", *REAL, *EMPTY]].head(4).to_string(index=False))


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
print(
    f"{best} would have a distance of {lines[best]:.2f}, smaller than that of {farther} of the {len(models)} models"
)
whole.plot()

# %%
# The truth
# ---------
# The simulation gives the likeliest answer of such people. Estimates tend to be larger than the truth, as the most
# frequent answer of 50 people has sampling error (SS304). "Nearest" above is about this sample: the difference of the
# two nearest models has a test of its own (Holm over ten models).


def shares(mean, sd):
    """Shares of the answers 0 to 4 of rounded normal values: (items, 5)."""
    below = norm.cdf((np.arange(4) + 0.5 - mean[:, None]) / sd)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


people = data[data["source"] == "human"].drop_duplicates("rater")
shifts = sum(people[name].map(truth.shifts[name]).to_numpy(float) for name in REAL)
items, spread = (
    np.array(list(truth.item_means.values())),
    np.hypot(truth.person_sd, truth.answer_sd),
)
likeliest = np.mean([shares(items + shift, spread) for shift in shifts], axis=0).argmax(axis=1)
far = np.abs(likeliest[:, None] - np.arange(5))


def simulated(model, refusal="max"):
    """Return the simulated ADA-Met of a model, by what a refusal counts as."""
    answered = (shares(items + truth.bias[model], truth.model_sd) * far).sum(axis=1).mean()
    largest = {"max": 4.0, "item_max": far.max(axis=1).mean(), "exclude": answered}[refusal]
    return (1 - truth.refusal[model]) * answered + truth.refusal[model] * largest


def beside(name, row, true):
    """Write an estimate beside its truth."""
    inside = "inside" if row.conf_low <= true <= row.conf_high else "OUTSIDE"
    return f"{name}: {interval(row)}, simulated {true:.2f}, {inside}"


for row in models:
    print(beside(row.term, row, simulated(row.term)))
nearest, second = (row.term for row in sorted(models, key=lambda row: row.estimate)[:2])
row = whole.row(second, group=f"minus nearest = {nearest}")
line = beside(f"{second} minus {nearest}", row, simulated(second) - simulated(nearest))
print(f"{line}, p_Holm = {row.p_adjusted:.2f}")

# %%
# Which people is each model closest to?
# --------------------------------------
# Some group is always the closest. A naive analysis names one for each attribute, also where the attribute has no
# effect. Tests of the differences between groups, with Holm's method within each model, find none there. Of residence
# they find fewer than half of 33 differences. This does not show that the others are 0.

groups = {name: ss.ada_met(design, group=name, resamples=1000) for name in (*REAL, *EMPTY)}
rows = {
    name: [row for row in groups[name].rows if (row.group or "").startswith(f"{name}: ")]
    for name in groups
}
kept = dict.fromkeys(groups, 0)
for model in {row.term for row in rows[REAL[0]]}:
    own = [(name, row.p_value) for name, some in rows.items() for row in some if row.term == model]
    for (name, _), p in zip(own, multipletests([p for _, p in own], method="holm")[1], strict=True):
        kept[name] += p < 0.05
for name in groups:
    effect = "has an effect" if name in REAL else "has no effect"
    print(
        f"{name} {effect}: {len(models)} closest groups named, {kept[name]} of {len(rows[name])} differences "
        "significant"
    )
for name in REAL:
    ranked = [row for row in groups[name].rows if (row.group or "").startswith(f"{name} = ")]
    closest = {
        row.term: row for row in sorted(ranked, key=lambda row: -row.estimate)
    }  # the smallest distance is last
    found = {
        model: (closest[model].group or "").removeprefix(f"{name} = ") for model in truth.family
    }
    hits = sum(
        found[model] == truth.closest[family, name] for model, family in truth.family.items()
    )
    print(f"{name}: the closest group is the true one for {hits} of {len(truth.family)} models")
groups["age"].plot(group="age")

# %%
# What does a refusal count as?
# -----------------------------
# The rule decides about models that refuse: the largest distance of the scale, the largest of the item, or no answer.
# Each rule has an estimand of its own.

worst = max(truth.refusal, key=lambda model: truth.refusal[model])
for rule in ("max", "item_max", "exclude"):
    row = ss.ada_met(design, refusal=rule, resamples=1000).row(worst, group=None)
    print(
        beside(
            f"{worst} (refuses {truth.refusal[worst]:.0%}, simulated), {rule}",
            row,
            simulated(worst, rule),
        )
    )

# %%
# The page
# --------
# ``socialstats report --example social-norms -o social_norms.html`` writes the whole analysis as one HTML page. Its
# numbers are recomputed by independent implementations, as here. Counts are taken as they stand.

print(whole.verify())
