"""Demographic prompts compared on the same stories: who is told to be who, and what that changes.

Run it from a clone: ``python examples/role_conflict_prompts.py``. The choices are simulated here, so the truth is
known: "As a nurse, ..." weighs urgency more, "As a parent, ..." prefers family roles, and "As a reader, ..." changes
nothing.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study

PROMPTS = {"default": (0.5, 0.0), "as a reader": (0.5, 0.0), "as a nurse": (0.9, 0.0), "as a parent": (0.5, 0.8)}
ROLES, SEED = 24, 20261122  # a subset of the 65 roles keeps this short


def simulate() -> pd.DataFrame:
    """Simulate the same stories under four prompts: effect of urgency, and what family roles gain."""
    choices = ss.datasets.role_conflict()
    truth = ss.datasets.role_conflict_truth()
    roles = ss.datasets.role_conflict_roles()
    kept = set(roles["role"][np.linspace(0, len(roles) - 1, ROLES).astype(int)])
    stories = choices[choices["role_a"].isin(kept) & choices["role_b"].isin(kept)].drop(columns=["choice", "values"])
    rng = np.random.default_rng(SEED)
    pair = stories["role_a"] + stories["role_b"]
    liking = pair.map(
        dict(zip(pair.unique(), rng.normal(0, 1.0, pair.nunique()), strict=True))
    )  # shared by all prompts
    gap = stories["role_a"].map(truth.strengths) - stories["role_b"].map(truth.strengths)
    step = stories["urgency_a"] - stories["urgency_b"]
    family = (stories["domain_a"] == "family").astype(float) - (stories["domain_b"] == "family")
    tables = []
    for prompt, (urgency, kin) in PROMPTS.items():
        log_odds = gap + liking + urgency * step + kin * family
        a_chosen = rng.random(len(stories)) < 1 / (1 + np.exp(-log_odds))
        choice = np.where(a_chosen, stories["role_a"], stories["role_b"])
        tables.append(stories.assign(choice=choice, prompt=prompt))
    return pd.concat(tables, ignore_index=True)


def naive(choices: pd.DataFrame) -> None:
    """Rank the prompts by S alone, then compare them role by role as independent tables, without adjustment."""
    from scipy.stats import chi2_contingency

    print("\n3. What a naive analysis would claim: a table of S without intervals")
    for prompt, part in choices.groupby("prompt"):
        s = ss.sensitivity(ss.Comparisons.from_frame(part), resamples=100).row("S").estimate
        print(
            f"   '{prompt}': S = {s:.1f}"
            + (", although this prompt changes nothing" if prompt == "as a reader" else "")
        )
    print("   and a chi-square a role, rows independent, not adjusted")
    for prompt in list(PROMPTS)[1:]:
        found = 0
        roles = sorted({*choices["role_a"], *choices["role_b"]})
        for role in roles:
            own = choices[(choices["role_a"] == role) | (choices["role_b"] == role)]
            chosen = own.groupby("prompt")["choice"].agg(lambda choice, role=role: (choice == role).sum())
            asked = own.groupby("prompt").size()
            table = [[chosen[p], asked[p] - chosen[p]] for p in (prompt, "default")]
            found += chi2_contingency(table).pvalue < 0.05
        print(f"   '{prompt}': {found} of {len(roles)} roles 'differ' from the default")


def main() -> None:
    """Simulate, compare, and say what was put in."""
    choices = simulate()
    design = ss.Comparisons.from_frame(choices, by="prompt")
    options = StudyOptions(reference="default", resamples=500, verify=False)
    outcome = run_study(STUDIES["role-conflict"], design, options)
    print(f"1. {outcome.title} ({len(choices):,} choices)")
    for sentence in outcome.answer:
        print("  ", sentence)

    print("\n2. Question by question")
    for name in ("differences-shares", "differences-strengths", "differences-items", "differences-entropy"):
        block = next((b for b in outcome.blocks if b.id in (name, name.replace("differences", "levels"))), None)
        if block is not None:
            print(f"   {block.question}")
            for sentence in block.sentences:
                print("      ", sentence)
    naive(choices)

    print("\n4. The truth: urgency weighs 0.5 by default and 0.9 for the nurse; family roles gain 0.8 with the parent")


if __name__ == "__main__":
    main()
