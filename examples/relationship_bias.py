"""Relationship bias, from table to page: whom the simulated answers favour, and what a naive analysis gives.

Run it from a clone: ``python examples/relationship_bias.py``. It prints the comparison with the truth, which is known
because the data are simulated, and writes ``relationship_bias.html``.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import socialstats as ss
from socialstats.studies import STUDIES, StudyOptions, run_study
from socialstats.studies.relationship_bias.names import read_names
from socialstats.tables import as_table
from socialstats_reports import render

KNOWN = {"man": 0.98, "woman": 0.96, "neutral": 0.5}  # simulated: how often a phrasing takes a name for its gender


def simulated(term: str, kind: str = "all") -> float:
    """Return the simulated B of ``"one - other"``; the truth lists each pair of groups in one order."""
    bias = ss.datasets.relationship_bias_truth().bias
    one, other = term.split(" - ")
    return bias[kind, one, other] if (kind, one, other) in bias else 0.0 - bias[kind, other, one]


def size(pairs: list[str], kind: str = "all") -> float:
    """Return the simulated B_all."""
    return sum(abs(simulated(pair, kind)) for pair in pairs) / len(pairs)


def main(page: str = "relationship_bias.html") -> None:
    """Print the analysis step by step, and write the page."""
    answers = ss.datasets.relationship_bias()
    truth = ss.datasets.relationship_bias_truth()
    result: Any = ss.relationship_bias(answers, stratum="kind", seed=1)
    print_biases(result)
    print_kinds(result)
    print("\n4. The order of the names decides too: the mean answer between names of one group")
    row = result.row("same groups", group="position, mean")
    true = sum(truth.scores["all", g, g] for g in ("man", "neutral", "woman")) / 3
    print(f"   {beside(row, true)}: a study that asks one order only would take it for a preference")
    print_naive(result)
    write_page(page, answers)


def beside(row: Any, true: float) -> str:
    """Write estimate and interval beside the truth."""
    inside = "inside" if row.conf_low <= true <= row.conf_high else "OUTSIDE"
    return f"{row.estimate:.3f} [{row.conf_low:.3f}, {row.conf_high:.3f}], simulated {true:.3f}, {inside}"


def print_biases(result: Any) -> None:
    """Print B and B_all beside the truth."""
    print("1. Whom did the model favour? B with scenarios and pairs of names as crossed clusters, and the truth")
    pairs = [row.term for row in result.rows if row.group == "bias"]
    for pair in pairs:
        print(f"   {pair}: {beside(result.row(pair, group='bias'), simulated(pair))}")
    print("\n2. How large was the bias over all pairs of groups?")
    for term in ("B_all", "B_all corrected"):
        print(f"   {term}: {beside(result.row(term, group='overall'), size(pairs))}")
    null = result.extras["null_mean"]["value"]
    print(f"   expected without bias: {null:.3f}, as a mean of absolute values is never 0")


def print_kinds(result: Any) -> None:
    """Print B and B_all of each kind of scenario, and their differences, beside the truth."""
    print("\n3. Did the bias differ between egalitarian and traditional scenarios?")
    pairs = [row.term for row in result.rows if row.group == "bias"]
    for kind in ("egalitarian", "traditional"):
        row = result.row("B_all corrected", group=f"kind = {kind}")
        print(f"   B_all, {kind}: {beside(row, size(pairs, kind))}")
    between = "egalitarian - traditional"
    for pair in pairs:
        row, true = result.row(pair, group=between), simulated(pair, "egalitarian") - simulated(pair, "traditional")
        print(f"   {pair}, difference: {beside(row, true)}, Holm-adjusted p = {row.p_adjusted:.3f}")
    row = result.row("B_all corrected", group=between)
    print(f"   B_all, difference: {beside(row, size(pairs, 'egalitarian') - size(pairs, 'traditional'))}")
    print("   A p below .05 where no difference was simulated is a false positive, as in one family of tests in "
          "twenty. Tests share scenarios and names, so that errors are correlated.")  # fmt: skip


def print_naive(result: Any) -> None:
    """Print what a test that treats couples as independent gives."""
    print("\n5. Treating couples as independent, although 20 of them share a scenario")
    for row in result.rows:
        if row.group == "McNemar, ignoring clusters":
            clustered, true = result.row(row.term, group="bias"), simulated(row.term)
            claim = "a difference" if row.p_value < 0.05 else "no difference"
            right = "rightly" if (row.p_value < 0.05) == (true != 0) else "WRONGLY"
            ours = "significant" if clustered.p_adjusted < 0.05 else "not significant"
            print(f"   {row.term}: McNemar p = {row.p_value:.2g} claims {claim}, {right} (simulated B = {true:.3f}); "
                  f"with clusters p = {clustered.p_value:.2g}, Holm {clustered.p_adjusted:.2g}: {ours}")  # fmt: skip
    print("   With 29 scenarios, a true bias may not be significant.")
    pairs = [row.term for row in result.rows if row.group == "bias"]
    plain = result.row("B_all", group="overall").estimate
    print(f"   B_all as a paper prints it: {plain:.3f}, without an interval; the truth is {size(pairs):.3f}")


def name_check() -> Any:
    """Simulate the check of the names: ten of each group, five phrasings."""
    rng = np.random.default_rng(1)
    rows: dict[str, list[str]] = {column: [] for column in ("name", "group", "expected", "phrasing", "answer")}
    for group, share in KNOWN.items():
        own, other = ("female", "male") if group == "woman" else ("male", "female")
        for name in (f"{group} {k + 1:02d}" for k in range(10)):
            for phrasing in "12345":
                said = own if rng.random() < share else other
                for column, value in zip(rows, (name, group, "" if group == "neutral" else own, phrasing, said),
                                         strict=True):  # fmt: skip
                    rows[column].append(value)
    return read_names(as_table(rows, "name check"))


def write_page(page: str, answers: Any) -> None:
    """Run the study, write its page, and print what it says."""
    study = STUDIES["relationship-bias"]
    assert study.read is not None
    design = study.read(as_table(answers, "relationship_bias"))
    options = StudyOptions(simulated="These data are simulated.", names=name_check())
    outcome = run_study(study, design, options)
    Path(page).write_text(render(outcome, command="python examples/relationship_bias.py"), encoding="utf-8")
    checks = sum(len(v.checks) for v in outcome.verifications.values())
    right = sum(check.ok is not False for v in outcome.verifications.values() for check in v.checks)
    print(f"\n6. The page: {page}. {right} of {checks} checks by independent implementations agree; it says")
    for text in outcome.answer:
        print("  ", text)


if __name__ == "__main__":
    main(*sys.argv[1:2])
