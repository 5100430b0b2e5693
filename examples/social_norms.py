"""Social norms, from table to answer: which model is near to people, to which people, and what is only noise?

Run it from a clone: ``python examples/social_norms.py``. The data are simulated, so the truth is known. It writes
social_norms.html beside where it is run; about half a minute.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

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
    outcome = run_study(STUDIES["ordinal-alignment"], design, StudyOptions(simulated=SIMULATED, resamples=RESAMPLES))
    for sentence in outcome.answer:
        print("  ", sentence)
    write(outcome)


def distances(design: ss.Ratings) -> None:
    """Distances beside reference lines, and beside those from the likeliest answer of such people."""
    whole = ss.ada_met(design, resamples=RESAMPLES)
    print("  ", whole.sentence())
    lines = {row.term: row.estimate for row in whole.rows if row.group == "reference line"}
    best = min((name for name in lines if name.startswith("always")), key=lambda name: lines[name])
    rows = [row for row in whole.rows if row.group is None]
    worse = [row.term for row in rows if row.estimate > lines[best]]
    print(f"   {best} would be {lines[best]:.2f} off: nearer than {len(worse)} of the models")
    truth = true_distances()
    for row in rows:
        print(f"   {row.term}: {row.estimate:.2f} [{row.conf_low:.2f}, {row.conf_high:.2f}]; from the likeliest answer "
              f"of such people, without the noise of modes, {truth[row.term]:.2f}")  # fmt: skip


def true_distances() -> dict[str, float]:
    """What each model's distance from the likeliest answer of such people is in the simulation, refusals as 4."""
    truth, data = ss.datasets.social_norms_truth(), ss.datasets.social_norms()
    people = data[data["source"] == "human"].drop_duplicates("rater")
    shifts = sum(people[name].map(truth.shifts[name]).to_numpy(float) for name in REAL)
    items, spread = np.array(list(truth.item_means.values())), np.hypot(truth.person_sd, truth.answer_sd)
    answers = np.mean([shares(items + shift, spread) for shift in shifts], axis=0)
    far = np.abs(answers.argmax(axis=1)[:, None] - np.arange(5))
    found = {}
    for model, bias in truth.bias.items():
        distance = (shares(items + bias, truth.model_sd) * far).sum(axis=1).mean()
        found[model] = float((1 - truth.refusal[model]) * distance + truth.refusal[model] * 4)
    return found


def shares(mean: Any, sd: float) -> Any:
    """Shares of the answers 0 to 4 of rounded normal values: (items, 5)."""
    below = norm.cdf((np.arange(4) + 0.5 - mean[:, None]) / sd)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def families(groups: dict[str, Any]) -> None:
    """Closest groups beside the true ones."""
    truth = ss.datasets.social_norms_truth()
    for name in REAL:
        hits = [closest(groups[name], name, model) == truth.closest[family, name]
                for model, family in truth.family.items()]  # fmt: skip
        print(f"   {name}: the closest group is the true one for {sum(hits)} of {len(hits)} models")


def claims(groups: dict[str, Any]) -> None:
    """How many differences hold up, and how stable the closest group is."""
    rows = {name: [r for r in result.rows if (r.group or "").startswith(f"{name}: ")]
            for name, result in groups.items()}  # fmt: skip
    clear = dict.fromkeys(groups, 0)
    for model in {r.term for r in rows[REAL[0]]}:  # the pairs of all attributes are one family a model, as on the page
        own = [(name, r.p_value) for name, some in rows.items() for r in some if r.term == model]
        adjusted = multipletests([p for _, p in own], method="holm")[1]
        for (name, _), p in zip(own, adjusted, strict=True):
            clear[name] += p < 0.05
    for name, result in groups.items():
        again = [row.estimate for row in result.rows if (row.group or "").startswith(f"closest {name}")]
        effect = "an effect" if name in REAL else "no effect"
        print(f"   {name} ({effect}): {len(again)} closest groups claimed; {clear[name]} of {len(rows[name])} "
              f"differences hold up; the closest is so again in {min(again):.2f} to {max(again):.2f} of the "
              "resamples")  # fmt: skip


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
