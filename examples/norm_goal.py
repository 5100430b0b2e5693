"""Norm against goal, from table to answer: does a model act as people do, and what would a naive analysis claim?

Run it from a clone: ``python examples/norm_goal.py``. The data are simulated, so the truth is known. It writes
norm_goal.html beside where it is run.
"""

from __future__ import annotations

from pathlib import Path

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study

PAGE = Path("norm_goal.html")
SIMULATED = "These data are simulated: no language model and no person was asked."


def main() -> None:
    """Print the analysis step by step, and write the page."""
    choices = ss.datasets.norm_goal()
    truth = ss.datasets.norm_goal_truth()
    choices["story"] = choices["scenario"] + ", " + choices["pressure"]
    design = ss.Ratings.from_frame(
        choices, unit="story", rater="rater", value="action", scale="nominal", rater_source="source",
        strata=["domain", "pressure"], cluster="scenario",
    )  # fmt: skip

    print("1. How often is each action chosen under each pressure, and what was simulated?")
    shares = ss.choice_shares(design, stratum="pressure")
    domains = sorted(choices["domain"].unique())
    inside = wanted = 0
    for source in ("human", "model"):
        for pressure in ("none", "goal", "risk", "emotion", "authority", "incentive"):
            for action in ("comply", "deviate", "escalate"):
                row = shares.row(action, group=f"{source}, {pressure}")
                true = sum(truth.shares[source, domain, pressure][action] for domain in domains) / len(domains)
                inside += row.conf_low <= true <= row.conf_high
                wanted += 1
                if action == "deviate":
                    print(f"   {source}, {pressure}: deviate {row.estimate:.3f} [{row.conf_low:.3f}, "
                          f"{row.conf_high:.3f}], simulated {true:.3f}")  # fmt: skip
    print(f"   {inside} of {wanted} intervals hold the simulated share (95 % would be {0.95 * wanted:.0f})")

    print("\n2. How alike are the shares, and how alike could they be?")
    print("  ", ss.js_similarity(design).sentence())

    print("\n3. Equal shares are not equal choices: agreement within each source")
    for source, true in (("human", truth.human_alpha), ("model", truth.model_alpha)):
        raters = choices.loc[choices["source"] == source, "rater"].unique().tolist()
        row = ss.krippendorff_alpha(design, raters=raters).row("alpha")
        print(f"   {source}: alpha {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {true:.3f}")

    print("\n4. What a naive analysis would claim: every run of the model an independent decision")
    few = design.take(design.strata["pressure"].codes[design.unit] == design.strata["pressure"].levels.index("none"))
    found = ss.choice_shares(few)
    honest, naive = (
        found.row(term, group="model - human") for term in ("any level", "any level (ratings independent)")
    )
    print(f"   without pressure: chi-square({naive.df:.0f}) = {naive.statistic:.1f}; taken row by row p = "
          f"{naive.p_value:.1e}, with sources swapped in whole scenarios p = {honest.p_value:.4f}")  # fmt: skip
    runs = found.row("escalate", group="model")
    plain = (runs.estimate * (1 - runs.estimate) / runs.n) ** 0.5
    print(f"   share of escalate in the model's {runs.n:.0f} runs: naive s.e. {plain:.4f}, by scenario "
          f"{runs.std_error:.4f}: the runs are worth {(plain / runs.std_error) ** 2 * runs.n:.0f}")  # fmt: skip

    print("\n5. The page")
    by_pressure = ss.Ratings.from_frame(
        ss.datasets.norm_goal(), unit="scenario", rater="rater", value="action", scale="nominal",
        rater_source="source", strata="domain", by="pressure",
    )  # fmt: skip
    outcome = run_study(STUDIES["norm-goal"], by_pressure, StudyOptions(simulated=SIMULATED))
    for sentence in outcome.answer:
        print("  ", sentence)
    write(outcome)


def write(outcome: object) -> None:
    """Render the page."""
    import socialstats_reports

    PAGE.write_text(socialstats_reports.render(outcome, command="python examples/norm_goal.py"), encoding="utf-8")
    print(f"   wrote {PAGE}")


if __name__ == "__main__":
    main()
