"""Demographic prompts compared on the same stories: who is told to be who, and what that changes.

Run it from a clone: ``python examples/role_conflict_prompts.py``. The choices are simulated here, so the truth is
known: "As a nurse, ..." weighs urgency more, "As a parent, ..." prefers family roles, and "As a reader, ..." changes
nothing. It writes role_conflict_prompts.html beside where it is run.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study

PROMPTS = {
    "default": (0.5, 0.0),
    "as a reader": (0.5, 0.0),
    "as a nurse": (0.9, 0.0),
    "as a parent": (0.5, 0.8),
}
ASKED = [name for name in PROMPTS if name != "default"]
ROLES, SEED = 24, 20261122  # a subset of the 65 roles keeps this short
SIMULATED = "These choices are simulated: no language model was asked, with no prompt."
QUESTIONS = (
    "differences-shares",
    "differences-strengths",
    "differences-items",
    "differences-entropy",
)


def main(page: str = "role_conflict_prompts.html") -> None:
    """Simulate, compare, say what was put in, and write the page."""
    choices = simulate()
    design = ss.Comparisons.from_frame(choices.drop(columns="chance"), by="prompt")
    outcome = run_study(
        STUDIES["role-conflict"], design, StudyOptions(reference="default", simulated=SIMULATED)
    )
    print(f"1. {outcome.title} ({len(choices):,} choices)")
    for sentence in outcome.answer:
        print("  ", sentence)
    print("\n2. Question by question")
    blocks = {block.id.replace("levels", "differences"): block for block in outcome.blocks}
    for name in QUESTIONS:
        print(f"   {blocks[name].question}")
        for sentence in blocks[name].sentences:
            print("      ", sentence)
    print_truth(choices, design)
    family = sorted(choices.loc[choices["domain_a"] == "family", "role_a"].unique())
    print_naive(choices, family)
    # the last result of a question has its tests, adjusted together
    strengths, items, shares = (
        blocks[f"differences-{name}"].results for name in ("strengths", "items", "shares")
    )
    print_missed(strengths[:-1], items[:-1], family)
    print_found(shares[-1])
    write_page(page, outcome)


def simulate() -> pd.DataFrame:
    """Simulate the same stories under four prompts: effect of urgency, and what family roles gain."""
    choices = ss.datasets.role_conflict()
    truth = ss.datasets.role_conflict_truth()
    roles = ss.datasets.role_conflict_roles()
    kept = set(roles["role"][np.linspace(0, len(roles) - 1, ROLES).astype(int)])
    stories = choices[choices["role_a"].isin(kept) & choices["role_b"].isin(kept)].drop(
        columns=["choice", "values"]
    )
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
        chance = 1 / (1 + np.exp(-(gap + liking + urgency * step + kin * family)))
        choice = np.where(rng.random(len(stories)) < chance, stories["role_a"], stories["role_b"])
        tables.append(stories.assign(choice=choice, prompt=prompt, chance=chance))
    return pd.concat(tables, ignore_index=True)


def s_by_prompt(design: ss.Comparisons) -> dict[str, float]:
    """Return S of each prompt."""
    found: Any = ss.sensitivity(design, resamples=100)
    return {prompt: float(found[prompt].row("S").estimate) for prompt in PROMPTS}


def true_s(choices: pd.DataFrame) -> dict[str, float]:
    """Return S of the chances that were simulated, without the scatter of answers."""
    sides = [
        choices.assign(choice=choices["role_a"]),
        choices.assign(choice=choices["role_b"], chance=1 - choices["chance"]),
    ]
    return s_by_prompt(ss.Comparisons.from_frame(pd.concat(sides), by="prompt", weight="chance"))


def print_truth(choices: pd.DataFrame, design: ss.Comparisons) -> None:
    """Print the differences in S beside those of the simulated chances."""
    print(
        "\n3. The truth: urgency weighs 0.5 by default and 0.9 for the nurse; family roles gain 0.8 with the parent"
    )
    true, parts = true_s(choices), design.split()
    for prompt in ASKED:
        found: Any = ss.sensitivity_difference(
            parts[prompt], parts["default"], labels=(prompt, "default"), seed=StudyOptions().seed
        )
        row, gap = found.row("S_corrected", group="difference"), true[prompt] - true["default"]
        inside = "inside" if row.conf_low <= gap <= row.conf_high else "OUTSIDE"
        print(
            f"   S of '{prompt}' minus default: {row.estimate:.1f} [{row.conf_low:.1f}, {row.conf_high:.1f}], "
            f"simulated {gap:.1f}, {inside}"
        )


def print_naive(choices: pd.DataFrame, family: list[str]) -> None:
    """Rank the prompts by S alone, then compare them role by role as independent tables, without adjustment."""
    print("\n4. What a naive analysis would claim, and where it is right")
    s = s_by_prompt(ss.Comparisons.from_frame(choices.drop(columns="chance"), by="prompt"))
    print(
        "   A list of S without intervals: "
        + ", ".join(f"'{prompt}' {s[prompt]:.1f}" for prompt in sorted(s, key=lambda name: s[name]))
    )
    print(
        f"      'the reader is farther from the rule than default, by {s['as a reader'] - s['default']:.1f}': false, "
        "this prompt changes nothing"
    )
    print("   A chi-square test a role against default, rows independent, not adjusted (p < .05):")
    words = {
        "as a reader": "nothing was changed, so each claim would be false",
        "as a nurse": "no role gained, so each claim would be false; the weight of urgency, which changed, is not seen",
        "as a parent": f"all {len(family)} family roles gained, so claims about them are right",
    }
    for prompt in ASKED:
        found = differing(choices, prompt)
        kin = sum(role in family for role in found)
        print(
            f"      '{prompt}': {len(found)} of {ROLES} roles differ, {kin} of them family roles; {words[prompt]}"
        )


def differing(choices: pd.DataFrame, prompt: str) -> list[str]:
    """Return the roles whose share of choices differs from default by a chi-square test of rows."""
    from scipy.stats import chi2_contingency

    found = []
    for role in sorted({*choices["role_a"], *choices["role_b"]}):
        own = choices[(choices["role_a"] == role) | (choices["role_b"] == role)]
        chosen = (own["choice"] == role).groupby(own["prompt"]).agg(["sum", "size"])
        table = [(won, asked - won) for won, asked in chosen.loc[[prompt, "default"]].to_numpy()]
        if chi2_contingency(table).pvalue < 0.05:
            found.append(role)
    return found


def print_missed(strengths: tuple[Any, ...], items: tuple[Any, ...], family: list[str]) -> None:
    """Print what the page's tests by role, adjusted for their number, do not find although it was put in."""
    print(
        "\n5. What tests by role miss once they are adjusted for their number (see 2), although it was put in"
    )
    for name, results, group in (
        ("strength", strengths, "strength"),
        ("share of choices", items, "item"),
    ):
        rows = [
            (result.settings["labels"][0], row)
            for result in results
            for row in result.rows
            if row.group == group
        ]
        known = [(prompt, row) for prompt, row in rows if row.conf_low is not None]
        gained = [row for prompt, row in known if prompt == "as a parent" and row.term in family]
        idle = [row for prompt, row in known if prompt != "as a parent"]
        above = sum(row.conf_low > 0 for row in gained)
        away = sum(row.conf_low > 0 or row.conf_high < 0 for row in idle)
        print(
            f"   {name}, unadjusted: with the parent, {above} of {len(gained)} family roles' intervals lie above 0. "
            f"With the other prompts, where no role gained, {away} of {len(idle)} exclude 0"
        )
        least = min(row.p_value for row in gained)
        print(
            f"      the clearest family role has p = {least:.3f}; {len(known)} tests need p < "
            f"{0.05 / len(known):.4f} for the first one"
        )


def print_found(shares: Any) -> None:
    """Print the test of the whole group, which pools what each of its roles shows."""
    row = shares.row("as a parent: share of family")
    verdict = "significant" if row.p_adjusted < 0.05 else "not significant"
    print(
        f"   The whole group: its share changes by {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], "
        f"adjusted p = {row.p_adjusted:.4f}, {verdict}"
    )
    print(
        "   A role has few stories, and tests of all roles share one error rate: a question about a group is better "
        "asked\n   of the group."
    )


def write_page(page: str, outcome: Any) -> None:
    """Render the page."""
    from socialstats_reports import render

    Path(page).write_text(
        render(outcome, command="python examples/role_conflict_prompts.py"), encoding="utf-8"
    )
    print(f"\n6. The page: {page}")


if __name__ == "__main__":
    main(*sys.argv[1:2])
