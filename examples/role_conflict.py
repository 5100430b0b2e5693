"""Role conflict, from table to page: what the simulated choices were made of, and what a naive analysis would claim.

Run it from a clone: ``python examples/role_conflict.py``. The data are simulated, so the truth is known. It writes
role_conflict.html beside where it is run; about half a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import socialstats as ss
from socialstats.designs.cited import chosen_labels
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.role_conflict.labels import read_item_groups, read_labels
from socialstats.tables import as_table

TRUTH = ss.datasets.role_conflict_truth()
ROLES = ss.datasets.role_conflict_roles()
SHRINK = (1 + 0.346 * TRUTH.pair_sd**2) ** -0.5  # pair preferences make population effects smaller
PUBLISHED_BASELINE = 100  # the "random baseline" of S as it was published


def main(page: str = "role_conflict.html") -> None:
    """Print the analysis step by step, and write the page."""
    choices = ss.datasets.role_conflict()
    design = ss.Comparisons.from_frame(choices)
    s: Any = ss.sensitivity(design, seed=StudyOptions().seed)  # the page's interval
    fit: Any = ss.bradley_terry(design, "~ urgency", order=True, cluster="pair")
    print("1. How far are the choices from following urgency alone?")
    print("  ", s.sentence())
    print("  ", beside(s.row("S"), true_s(choices)))
    print_model(fit)
    print_ranks(fit)
    print_values_and_labels(design)
    print_naive(design, s, fit)
    write_page(page, design)


def beside(row: Any, true: float, digits: int = 2) -> str:
    """Write a row beside its truth."""
    inside = "inside" if row.conf_low <= true <= row.conf_high else "OUTSIDE"
    return (f"{row.term}: {row.estimate:.{digits}f} [{row.conf_low:.{digits}f}, {row.conf_high:.{digits}f}], "
            f"simulated {true:.{digits}f}, {inside}")  # fmt: skip


def true_s(choices: pd.DataFrame) -> float:
    """S of the chances that were simulated: no scatter of answers, and the mean over what pairs may prefer."""
    at, share = np.polynomial.hermite_e.hermegauss(21)
    gap = choices["role_a"].map(TRUTH.strengths) - choices["role_b"].map(TRUTH.strengths)
    step = choices["urgency_a"] - choices["urgency_b"]
    first = np.where(choices["first"] == choices["role_a"], 1, -1)
    log_odds = np.asarray(gap + TRUTH.urgency * step + TRUTH.order * first)[:, None] + TRUTH.pair_sd * at
    chance = 1 / (1 + np.exp(-log_odds)) @ (share / share.sum())
    sides = [choices.assign(choice=choices[side], chance=p) for side, p in (("role_a", chance), ("role_b", 1 - chance))]
    found: Any = ss.sensitivity(ss.Comparisons.from_frame(pd.concat(sides), weight="chance"), resamples=100)
    return float(found.row("S").estimate)


def true_strengths() -> dict[str, float]:
    """Return what a model without pair effects should find: log-strengths that sum to 0, shrunken."""
    centre = np.mean(list(TRUTH.strengths.values()))
    return {role: float(SHRINK * (value - centre)) for role, value in TRUTH.strengths.items()}


def held(fit: Any) -> int:
    """Count the roles whose interval holds the true strength."""
    rows = [fit.row(role, group="strength") for role in TRUTH.strengths]
    true = true_strengths()
    return sum(row.conf_low <= true[row.term] <= row.conf_high for row in rows)


def print_model(fit: Any) -> None:
    """Print the effects and the strengths beside the truth."""
    print("\n2. One model with urgency, roles and order of presentation")
    for term, true in (("urgency", TRUTH.urgency), ("order", TRUTH.order)):
        print("  ", beside(fit.row(term), true * SHRINK, 3))
    ratio = fit.effect_in_sds("urgency")
    print("  ", ratio.sentence())
    print("  ", beside(ratio.rows[0], float(TRUTH.urgency / np.std(list(TRUTH.strengths.values()), ddof=1))))
    print(f"   {held(fit)} of {len(TRUTH.strengths)} intervals hold the simulated strength "
          f"(95% would be {0.95 * len(TRUTH.strengths):.0f})")  # fmt: skip
    domain = dict(zip(ROLES["role"], ROLES["domain"], strict=True))
    worth = {role: float(np.exp(value)) for role, value in true_strengths().items()}
    mean = {name: np.mean([worth[role] for role in worth if domain[role] == name]) for name in set(domain.values())}
    shares: Any = ss.preference_shares(fit, domain)
    for row in shares.rows:
        if row.group == "arithmetic":
            print("   P_d,", beside(row, float(mean[row.term] / sum(mean.values())), 3))


def print_ranks(fit: Any) -> None:
    """Print who may be first, and who is."""
    print("\n3. Who is first?")
    print("  ", fit.ranks(kind="marginal").sentence())
    sets = fit.ranks(kind="simultaneous")
    print("  ", sets.sentence())
    right = sum(bool(row.conf_low <= last and first <= row.conf_high)
                for row in sets.rows for first, last in [true_places(row.term)])  # fmt: skip
    best = [role for role in TRUTH.strengths if true_places(role)[0] == 1]
    print(f"   Simulated: {', '.join(best)} share the first place; {right} of {len(sets.rows)} rank sets hold the "
          "true place")  # fmt: skip


def true_places(role: str) -> tuple[int, int]:
    """Return the first and the last place of a role among the true strengths; equal ones share their places."""
    values = np.array(list(TRUTH.strengths.values()))
    return int((values > TRUTH.strengths[role]).sum()) + 1, int((values >= TRUTH.strengths[role]).sum())


def print_values_and_labels(design: ss.Comparisons) -> None:
    """Print what was cited where a family role was chosen, and whether the labels of urgency can be trusted."""
    print("\n4. Values cited, and the labels of urgency")
    cited: Any = ss.label_counts(chosen_labels(design, "domain", cluster="pair").lists)
    known = [(cited.row(f"{value} (share of units)", group=domain), true)
             for domain, values in TRUTH.values.items() for value, true in values.items()]  # fmt: skip
    for value, true in sorted(TRUTH.values["family"].items(), key=lambda pair: -pair[1])[:3]:
        row = cited.row(f"{value} (share of units)", group="family")
        print(f"   family chosen, {value} cited in {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}] of "
              f"the stories, simulated {true:.3f}")  # fmt: skip
    inside = sum(row.conf_low <= true <= row.conf_high for row, true in known)
    print(f"   {inside} of {len(known)} intervals hold the simulated share (95% would be {0.95 * len(known):.0f})")
    check = read_labels(as_table(ss.datasets.role_conflict_labels()))
    votes = check.ratings.of_raters([*check.people, check.reference])
    majority: Any = ss.majority_vote_accuracy(votes, truth=check.reference)
    print("  ", majority.sentence())
    print("  ", beside(majority.row("single rater"), TRUTH.person_right, 3))


def print_naive(design: ss.Comparisons, s: Any, fit: Any) -> None:
    """Print what a naive analysis would claim, and how much of it is false."""
    print("\n5. What a naive analysis would claim")
    value, coin = s.row("S").estimate, s.extras["reference_lines"][1].value
    print(f"   S = {value:.1f} against the published random baseline of {PUBLISHED_BASELINE}: "
          f"{1 - value / PUBLISHED_BASELINE:.0%} of the way from chance to urgency alone. Coin flips give {coin:.1f} "
          f"on this design, so it is {1 - value / coin:.0%}")  # fmt: skip
    order = sorted(TRUTH.strengths, key=lambda role: -fit.row(role, group="strength").estimate)
    exact = sum(first <= place <= last for place, role in enumerate(order, 1) for first, last in [true_places(role)])
    print(f"   A list of {len(order)} ranks with '{order[0]}' first: {exact} roles stand in their true place")
    gender = {role: group for role, group in zip(ROLES["role"], ROLES["gender"], strict=True) if group}
    shares: Any = ss.preference_shares(fit, gender, ungrouped="leave_out")
    first, second = sorted((shares.row(g, group="arithmetic") for g in set(gender.values())), key=lambda r: -r.estimate)
    settled = "is above" if first.conf_low > 0.5 else "holds"
    print(f"   '{first.term} roles are preferred, {first.estimate:.3f} to {second.estimate:.3f}': false, gender has no "
          f"effect here; the interval [{first.conf_low:.3f}, {first.conf_high:.3f}] {settled} .5")  # fmt: skip
    print_differences(fit, ss.bradley_terry(design, "~ urgency", order=True, cluster=None))


def print_differences(fit: Any, loose: Any) -> None:
    """Print how many differences between two roles each analysis claims, and how many of the claims are false."""
    ways = (("rows independent, not adjusted", loose, "none"), ("rows independent, Holm", loose, "holm"),
            ("clustered by pair, Holm (the page)", fit, "holm"))  # fmt: skip
    print("   Differences between two roles at p < .05:")
    for name, one, adjust in ways:
        rows = one.pairwise(adjust=adjust).rows
        gaps = [TRUTH.strengths[a] - TRUTH.strengths[b] for a, b in (row.term.split(" - ") for row in rows)]
        claimed = [(row.estimate, gap) for row, gap in zip(rows, gaps, strict=True) if row.p_adjusted < 0.05]
        equal = sum(gap == 0 for _, gap in claimed)
        turned = sum(estimate * gap < 0 for estimate, gap in claimed)
        print(f"      {name}: {len(claimed):,} of {len(rows):,} claimed, {equal + turned} of them false ({equal} of "
              f"the {sum(gap == 0 for gap in gaps)} pairs of equals, {turned} the wrong way round)")  # fmt: skip
    ratio = np.median([loose.row(role, group="strength").std_error / fit.row(role, group="strength").std_error
                       for role in TRUTH.strengths])  # fmt: skip
    print(
        f"   The nine stories of a pair are dependent. With rows taken as independent, standard errors are {ratio:.2f} "
        f"times the clustered ones, and {held(loose)} intervals contain the true strength instead of {held(fit)}"
    )


def write_page(page: str, design: ss.Comparisons) -> None:
    """Run the study, write its page, and print what it says."""
    from socialstats_reports import render

    options = StudyOptions(
        labels=read_labels(as_table(ss.datasets.role_conflict_labels())), item_groups=read_item_groups(as_table(ROLES)),
        simulated="These data are simulated: no language model and no person was asked.",
    )  # fmt: skip
    outcome = run_study(STUDIES["role-conflict"], design, options)
    Path(page).write_text(render(outcome, command="python examples/role_conflict.py"), encoding="utf-8")
    checks = [check for found in outcome.verifications.values() for check in found.checks]
    others = [check for check in checks if check.package != "socialstats"]
    print(f"\n6. The page: {page}. {sum(check.ok is not False for check in others)} of {len(others)} checks by "
          "independent implementations agree; it says")  # fmt: skip
    for text in outcome.answer:
        print("  ", text)


if __name__ == "__main__":
    main(*sys.argv[1:2])
