"""Role conflict, from table to answer: what the simulated choices were made of, and what a naive analysis would claim.

Run it from a clone: ``python examples/role_conflict.py``. The data are simulated, so the truth is known.
"""

from __future__ import annotations

import numpy as np

import socialstats as ss
from socialstats.designs.cited import chosen_labels
from socialstats.studies.label_check import read_labels
from socialstats.tables import as_table


def beside_the_choices(design: ss.Comparisons, fit: ss.BradleyTerryResult) -> None:
    """Print what was cited, how groups of roles fare, and whether the labels of urgency can be trusted."""
    truth, roles = ss.datasets.role_conflict_truth(), ss.datasets.role_conflict_roles()
    print("\n5. Values cited where a family role was chosen, gender, and the labels")
    cited = ss.label_counts(chosen_labels(design, "domain", cluster="pair").lists)
    for value, share in sorted(truth.values["family"].items(), key=lambda pair: -pair[1])[:3]:
        row = cited.row(f"{value} (share of units)", group="family")
        inside = f"[{row.conf_low:.3f}, {row.conf_high:.3f}]"
        print(f"   {value}: {row.estimate:.3f} {inside} of stories, simulated {share:.3f}")
    gender = {role: group for role, group in zip(roles["role"], roles["gender"], strict=True) if group}
    print("  ", ss.preference_shares(fit, gender, ungrouped="leave_out").sentence(), "Simulated: no effect.")
    check = read_labels(as_table(ss.datasets.role_conflict_labels()))
    votes = check.ratings.of_raters([*check.people, check.reference])
    print("  ", ss.majority_vote_accuracy(votes, truth=check.reference).sentence())
    people = check.ratings.of_raters(check.people)
    print("  ", ss.krippendorff_alpha(people).sentence())


def main() -> None:
    """Print the analysis step by step."""
    choices = ss.datasets.role_conflict()
    truth = ss.datasets.role_conflict_truth()
    design = ss.Comparisons.from_frame(choices)

    print("1. How far are the choices from following urgency alone?")
    print("  ", ss.sensitivity(design).sentence())

    print("\n2. One model with urgency, roles and order of presentation")
    fit = ss.bradley_terry(design, "~ urgency", order=True, cluster="pair")
    shrink = (1 + 0.346 * truth.pair_sd**2) ** -0.5  # pair preferences make population effects smaller
    for term, true in (("urgency", truth.urgency), ("order", truth.order)):
        row = fit.row(term)
        print(f"   {term}: {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {true * shrink:.3f}")
    print("  ", fit.effect_in_sds("urgency").sentence())

    print("\n3. Who is first?")
    print("  ", fit.ranks(kind="marginal").sentence())
    print("  ", fit.ranks(kind="simultaneous").sentence())

    print("\n4. What a naive analysis would claim: rows independent, although nine stories share a pair of roles")
    naive = ss.bradley_terry(design, "~ urgency", order=True, cluster=None)
    ratio = np.median([a.std_error / b.std_error for a, b in zip(fit.rows[:65], naive.rows[:65], strict=True)])
    print(f"   Its standard errors are {1 / ratio:.2f} times what they should be; it settles", end=" ")
    print(
        naive.pairwise().sentence().split(" are ")[0], "instead of", fit.pairwise().sentence().split(" are ")[0] + "."
    )

    beside_the_choices(design, fit)

    print("\n6. The same numbers from independent implementations")
    print(fit.verify().tidy()[["quantity", "package", "difference", "tolerance", "ok"]].to_string(index=False))


if __name__ == "__main__":
    main()
