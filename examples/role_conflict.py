"""
Role conflict: what drives choices between roles?
=================================================

A model chooses which of two roles to help, under nine combinations of urgency for every pair of roles. The data are
simulated, so the truth is known and stands beside each estimate. This page is a script: ``python
examples/role_conflict.py``.
"""

import numpy as np
import pandas as pd

import socialstats as ss
from socialstats.designs.cited import chosen_labels

# %%
# Data
# ----
# One row is one choice. Nine choices belong to each pair of roles, so that pairs are clusters. All intervals on this
# page are 95% intervals with errors by pair, but for those of the naive analysis.

choices = ss.datasets.role_conflict()
truth = ss.datasets.role_conflict_truth()
roles = ss.datasets.role_conflict_roles()
design = ss.Comparisons.from_frame(choices)
print(
    choices[["role_a", "role_b", "urgency_a", "urgency_b", "first", "choice"]]
    .head(4)
    .to_string(index=False)
)


def beside(name, row, true):
    """Write an estimate beside its truth."""
    inside = "inside" if row.conf_low <= true <= row.conf_high else "OUTSIDE"
    return f"{name}: {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {true:.3f}, {inside}"


# %%
# Do choices follow urgency?
# --------------------------
# S sums squared distances of the roles' win rates from those that urgency alone would give, times 100. It is 0 if the
# more urgent role always wins. Coin flips give 50 on this design. The interval is that of the jackknife, which leaves
# out one pair of roles at a time. The true S needs the simulated chances: each row is entered twice, once per side,
# with the chance that this side wins as weight.

s = ss.sensitivity(design)
print(s.sentence())

at, share = np.polynomial.hermite_e.hermegauss(
    21
)  # the mean over what pairs of roles prefer beyond the model
gap = choices["role_a"].map(truth.strengths) - choices["role_b"].map(truth.strengths)
first = np.where(choices["first"] == choices["role_a"], 1, -1)
log_odds = gap + truth.urgency * (choices["urgency_a"] - choices["urgency_b"]) + truth.order * first
chance = (
    1 / (1 + np.exp(-(log_odds.to_numpy()[:, None] + truth.pair_sd * at))) @ (share / share.sum())
)
sides = [
    choices.assign(choice=choices[side], chance=p)
    for side, p in (("role_a", chance), ("role_b", 1 - chance))
]
expected = ss.sensitivity(ss.Comparisons.from_frame(pd.concat(sides), weight="chance"))
print(beside("S", s.row("S_corrected"), expected.row("S").estimate))
s.plot()

# %%
# One model of urgency, roles and order
# -------------------------------------
# The fit is a Bradley-Terry model with t intervals from cluster-robust errors (CR2) by pair. It leaves out what single
# pairs prefer. So its effects are population averages, smaller than the simulated ones by about one factor (Zeger,
# Liang and Albert, 1988). Simulated values below are multiplied by it.

fit = ss.bradley_terry(design, "~ urgency", order=True, cluster="pair")
shrink = (1 + 0.346 * truth.pair_sd**2) ** -0.5
print(fit.sentence())
print(beside("urgency", fit.row("urgency"), truth.urgency * shrink))
print(beside("order", fit.row("order"), truth.order * shrink))
print(fit.effect_in_sds("urgency").sentence())

strengths = pd.Series(truth.strengths)
true_strengths = shrink * (strengths - strengths.mean())


def held(result):
    """Count the roles whose interval contains the true strength."""
    rows = [result.row(role, group="strength") for role in strengths.index]
    return sum(row.conf_low <= true_strengths[row.term] <= row.conf_high for row in rows)


print(f"{held(fit)} of {len(strengths)} intervals contain the simulated strength (95% would be 62)")
fit.plot()

# %%
# Which domain is preferred?
# --------------------------
# The share of a domain is the mean worth (exp of log-strength) of its roles, divided by the sum of these means.
# Intervals are from the delta method on the logit scale. The dashed line of the figure is the equal share.

domain = dict(zip(roles["role"], roles["domain"], strict=True))
shares = ss.preference_shares(fit, domain)
true_worth = np.exp(true_strengths).groupby(domain).mean()
for row in shares.rows:
    if row.group == "arithmetic":
        print(beside(row.term, row, true_worth[row.term] / true_worth.sum()))
shares.plot()

# %%
# Who is first?
# -------------
# Three roles share the first place in the simulation. Simultaneous rank intervals say which roles can be first. In
# about 95% of studies or more, all of them contain the true ranks.

ranks = fit.ranks(kind="simultaneous")
print(ranks.sentence())
places = {
    role: ((strengths > x).sum() + 1, (strengths >= x).sum()) for role, x in strengths.items()
}
print("Simulated first:", ", ".join(role for role in places if places[role][0] == 1))
right = sum(
    row.conf_low <= places[row.term][1] and places[row.term][0] <= row.conf_high
    for row in ranks.rows
)
print(f"{right} of {len(ranks.rows)} rank intervals contain the true rank")

# %%
# Which values are cited?
# -----------------------
# The rows are shares of stories in which a value is cited, by the domain of the chosen role. Intervals are Wilson's on
# the effective number of stories. Several shares of one domain are dependent.

cited = ss.label_counts(chosen_labels(design, "domain", cluster="pair").lists)
known = [
    (cited.row(f"{value} (share of units)", group=name), true)
    for name, values in truth.values.items()
    for value, true in values.items()
]
inside = sum(row.conf_low <= true <= row.conf_high for row, true in known)
print(
    f"{inside} of {len(known)} intervals contain the simulated share (95% would be {0.95 * len(known):.0f})"
)
for value in ("benevolence", "security"):
    print(
        beside(
            f"family chosen, {value}",
            cited.row(f"{value} (share of units)", group="family"),
            truth.values["family"][value],
        )
    )

# %%
# What a naive analysis would claim
# ---------------------------------
# S was published beside a "random baseline" of about 100, although coin flips give 50 (SS305). Gender has no effect in
# the simulation. A list of shares without intervals would name a preferred gender. Rows of one pair are dependent:
# without clusters the intervals are too short, and more differences are called significant. A claimed difference is
# false where the true one is 0 or has the other sign.

value = s.row("S_corrected").estimate
print(
    f"Against a baseline of 100, choices are {1 - value / 100:.0%} of the way from chance to urgency; against coin "
    f"flips {1 - value / 50:.0%}"
)

gender = {role: group for role, group in zip(roles["role"], roles["gender"], strict=True) if group}
true_worth = np.exp(true_strengths[list(gender)]).groupby(gender).mean()
for row in ss.preference_shares(fit, gender, ungrouped="leave_out").rows:
    if row.group == "arithmetic":
        print(beside(f"{row.term} roles", row, true_worth[row.term] / true_worth.sum()))

loose = ss.bradley_terry(design, "~ urgency", order=True, cluster=None)
for name, one, adjust in (
    ("rows independent, not adjusted", loose, "none"),
    ("rows independent, Holm", loose, "holm"),
    ("clustered by pair, Holm", fit, "holm"),
):
    claimed = [row for row in one.pairwise(adjust=adjust).rows if row.p_adjusted < 0.05]
    gaps = [strengths[a] - strengths[b] for a, b in (row.term.split(" - ") for row in claimed)]
    false = sum(row.estimate * gap <= 0 for row, gap in zip(claimed, gaps, strict=True))
    print(f"{name}: {len(claimed):,} differences claimed, {false} of them false")
ratio = np.median(
    [
        loose.row(role, group="strength").std_error / fit.row(role, group="strength").std_error
        for role in strengths.index
    ]
)
print(
    f"Without clusters, standard errors are {ratio:.2f} times the clustered ones, and {held(loose)} intervals "
    f"contain the true strength instead of {held(fit)}"
)

# %%
# The page
# --------
# ``socialstats report --example role-conflict -o role_conflict.html`` writes the whole analysis as one HTML page. Its
# numbers are recomputed by independent implementations, as here those of S. Counts are taken as they stand.

print(s.verify())
