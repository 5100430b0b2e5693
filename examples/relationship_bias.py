"""Relationship bias, from table to page: whom the simulated answers favour, and what a naive analysis would claim.

Run it from a clone: ``python examples/relationship_bias.py``. It prints the comparison with the truth, which is known
because the data are simulated, and writes ``relationship_bias.html``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.tables import as_table
from socialstats_reports import render


def simulated(term: str) -> float:
    """Return the simulated B of ``"one - other"``; the truth lists each pair of groups in one order."""
    bias = ss.datasets.relationship_bias_truth().bias
    one, other = term.split(" - ")
    return bias["all", one, other] if ("all", one, other) in bias else 0.0 - bias["all", other, one]


def main(page: str = "relationship_bias.html") -> None:
    """Print the analysis step by step, and write the page."""
    answers = ss.datasets.relationship_bias()
    truth = ss.datasets.relationship_bias_truth()
    result: Any = ss.relationship_bias(answers, stratum="kind", seed=1)
    print_biases(result)
    print("\n3. The order of the names decides too: the mean answer between names of one group")
    row = result.row("same groups", group="position, mean")
    true = sum(truth.scores["all", g, g] for g in ("man", "neutral", "woman")) / 3
    print(f"   {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {true:.3f}")
    print_naive(result)
    write_page(page, answers)


def print_biases(result: Any) -> None:
    """Print B and B_all beside the truth."""
    print("1. Whom does the model favour? B with scenarios and pairs of names as crossed clusters, and the truth")
    for row in result.rows:
        if row.group == "bias":
            true = simulated(row.term)
            inside = row.conf_low <= true <= row.conf_high
            print(f"   {row.term}: {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], "
                  f"simulated {true:.3f}, {'inside' if inside else 'OUTSIDE'}")  # fmt: skip

    print("\n2. How large is the bias over all pairs of groups?")
    pairs = [row.term for row in result.rows if row.group == "bias"]
    size = sum(abs(simulated(pair)) for pair in pairs) / len(pairs)
    for term in ("B_all", "B_all corrected"):
        row = result.row(term, group="overall")
        print(f"   {term}: {row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {size:.3f}")
    null = result.extras["null_mean"]["value"]
    print(f"   without any bias it would be {null:.3f} on average: it is a mean of sizes, and never 0")


def print_naive(result: Any) -> None:
    """Print what a test that takes couples as independent would claim."""
    print("\n4. What a naive analysis would claim: couples independent, although 20 of them share a scenario")
    for row in result.rows:
        if row.group == "McNemar, ignoring clusters":
            clustered = result.row(row.term, group="bias")
            true = simulated(row.term)
            claim = "a difference" if row.p_value < 0.05 else "no difference"
            print(f"   {row.term}: McNemar p = {row.p_value:.2g} claims {claim}; with clusters p = "
                  f"{clustered.p_value:.2g}; simulated B = {true:.3f}")  # fmt: skip


def write_page(page: str, answers: Any) -> None:
    """Run the study, write its page, and print what it says."""
    study = STUDIES["relationship-bias"]
    assert study.read is not None
    design = study.read(as_table(answers, "relationship_bias"))
    outcome = run_study(study, design, StudyOptions(simulated="These data are simulated."))
    Path(page).write_text(render(outcome, command="python examples/relationship_bias.py"), encoding="utf-8")
    checks = sum(len(v.checks) for v in outcome.verifications.values())
    right = sum(check.ok is not False for v in outcome.verifications.values() for check in v.checks)
    print(f"\n5. The page: {page}. {right} of {checks} checks by independent implementations agree; it says")
    for text in outcome.answer:
        print("  ", text)


if __name__ == "__main__":
    main(*sys.argv[1:2])
