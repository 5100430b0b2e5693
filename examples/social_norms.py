"""Social norms, from table to answer: which model is near to people, to which people, and what is only noise?

Run it from a clone: ``python examples/social_norms.py``. The data are simulated, so the truth is known. It writes
social_norms.html beside where it is run; about half a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study

PAGE = Path("social_norms.html")
SIMULATED = "These data are simulated: no language model and no person was asked."
REAL, EMPTY = ("age", "residence"), ("gender", "ethnicity")  # attributes with an effect, and two of seven without
RESAMPLES = 1000


def main() -> None:
    """Print the analysis step by step, and write the page."""
    design = ss.Ratings.from_frame(
        ss.datasets.social_norms(), unit="item", rater="rater", value="answer", levels=["A", "B", "C", "D", "E"],
        refusal="F", rater_source="source", strata="area", rater_groups=[*REAL, *EMPTY],
    )  # fmt: skip
    print("1. How far are the models from the people, beside what needs no model?")
    distances(design)
    groups = {name: ss.ada_met(design, group=name, resamples=RESAMPLES) for name in (*REAL, *EMPTY)}
    print("\n2. Which people is each model closest to? A family's true group, where there is one")
    families(groups)
    print("\n3. What a naive analysis would claim: some group is always the closest")
    claims(groups)
    print("\n4. What a refusal counts as decides about the models that refuse")
    refusals(design)
    print("\n5. The page")
    outcome = run_study(
        STUDIES["ordinal-alignment"], design, StudyOptions(simulated=SIMULATED, resamples=RESAMPLES, verify=False)
    )
    for sentence in outcome.answer:
        print("  ", sentence)
    write(outcome)


def distances(design: ss.Ratings) -> None:
    """Distances beside reference lines, and without the noise of the modes."""
    whole = ss.ada_met(design, resamples=RESAMPLES)
    print("  ", whole.sentence())
    lines = {row.term: row.estimate for row in whole.rows if row.group == "reference line"}
    best = min((name for name in lines if name.startswith("always")), key=lambda name: lines[name])
    rows = [row for row in whole.rows if row.group is None]
    worse = [row.term for row in rows if row.estimate > lines[best]]
    print(f"   {best} would be {lines[best]:.2f} off: nearer than {len(worse)} of the models")
    nearest = min(rows, key=lambda row: row.estimate).term
    pure = whole.row(nearest, group="population's mode")
    print(f"   {nearest} from the mode of the whole population: {pure.estimate:.2f} [{pure.conf_low:.2f}, "
          f"{pure.conf_high:.2f}]")  # fmt: skip


def families(groups: dict[str, Any]) -> None:
    """Closest groups beside the true ones."""
    truth = ss.datasets.social_norms_truth()
    for name in REAL:
        hits = [closest(groups[name], name, model) == truth.closest[family, name]
                for model, family in truth.family.items()]  # fmt: skip
        print(f"   {name}: the closest group is the true one for {sum(hits)} of {len(hits)} models")


def claims(groups: dict[str, Any]) -> None:
    """How many differences hold up, and how stable the closest group is."""
    for name, result in groups.items():
        rows = [row for row in result.rows if (row.group or "").startswith(f"{name}: ")]
        clear = sum(row.p_adjusted < 0.05 for row in rows)
        again = [row.estimate for row in result.rows if (row.group or "").startswith(f"closest {name}")]
        effect = "an effect" if name in REAL else "no effect"
        print(f"   {name} ({effect}): {len(again)} closest groups claimed; {clear} of {len(rows)} differences hold up; "
              f"the closest is so again in {min(again):.2f} to {max(again):.2f} of the resamples")  # fmt: skip


def refusals(design: ss.Ratings) -> None:
    """The model that refuses most under each rule."""
    truth = ss.datasets.social_norms_truth()
    rules: tuple[Any, ...] = ("max", "item_max", "exclude")
    worst = max(truth.refusal, key=lambda model: truth.refusal[model])
    for rule in rules:
        row = ss.ada_met(design, refusal=rule, resamples=RESAMPLES).row(worst, group=None)
        print(f"   {worst} (refuses {truth.refusal[worst]:.0%}), refusal={rule}: {row.estimate:.2f} "
              f"[{row.conf_low:.2f}, {row.conf_high:.2f}]")  # fmt: skip


def closest(result: Any, name: str, model: str) -> str:
    """Return the group with the smallest distance."""
    rows = [row for row in result.rows if row.term == model and (row.group or "").startswith(f"{name} = ")]
    return str(min(rows, key=lambda row: row.estimate).group).removeprefix(f"{name} = ")


def write(outcome: Any) -> None:
    """Render the page."""
    import socialstats_reports

    PAGE.write_text(socialstats_reports.render(outcome, command="python examples/social_norms.py"), encoding="utf-8")
    print(f"   wrote {PAGE}")


if __name__ == "__main__":
    main()
