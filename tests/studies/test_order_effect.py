"""The order effect of a page: only where it was declared, and beside the fit without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from ordered_tables import BEATS, counted, zermelo
from study_examples import FAST, choices

import socialstats as ss
from socialstats.results import Row
from socialstats.studies import STUDIES, run_study
from socialstats.studies.estimates import rows_table
from socialstats.studies.page import Outcome
from socialstats.studies.row_picking import rows_by
from socialstats.text import number


def of_comparisons(frame: pd.DataFrame, study: str = "comparisons", **reading: Any) -> Outcome:
    return run_study(STUDIES[study], ss.Comparisons.from_frame(frame, **reading), FAST)


def both_fits(outcome: Outcome) -> dict[str, list[Row]]:
    """The rows of the table that has the fit with and without the order effect: strongest, lead, covariates."""
    tables = [t for block in outcome.blocks for t in block.tables if block.id == "order"]
    return rows_by(tables[0].rows, "order effect")


def ss111(outcome: Outcome) -> list[str]:
    return [c.detail for c in outcome.cautions if c.code == "SS111" and c.severity == "caution"]


def test_a_table_without_a_declared_order_reads_the_same_on_the_page_and_in_python() -> None:
    frame = counted(BEATS)
    outcome = of_comparisons(frame)
    known = zermelo(BEATS)
    fit = outcome.blocks[0].results[0]
    assert fit.coef() == pytest.approx(known, abs=1e-6)
    assert ss.bradley_terry(frame).coef() == pytest.approx(known, abs=1e-6)
    assert {item: round(value, 2) for item, value in known.items()} == {
        "A": -0.07,
        "B": -0.68,
        "C": 0.75,
    }
    assert outcome.answer[0].startswith("C ranked first (log-strength 0.75")
    assert (
        outcome.data[0].caption == "Choices by column (the order of presentation was not declared)"
    )
    assert outcome.data[0].cells[0][:2] == ("item in column 'item_a' was chosen", 170)
    assert "no order effect was estimated" in outcome.methods[0]
    assert not ss111(outcome)


UNDECLARED = {
    "comparisons": (choices(urgency=False), {}),
    "role-conflict": (choices(), {}),
    "compare": (
        pd.concat([choices(seed=s).assign(model=m) for s, m in ((5, "m"), (6, "n"))]),
        {"by": "model"},
    ),
    "compare, no covariate": (
        pd.concat(
            [choices(seed=s, urgency=False).assign(model=m) for s, m in ((5, "m"), (6, "n"))]
        ),
        {"by": "model"},
    ),
}


def everything(outcome: Outcome) -> list[ss.Result]:
    """Every result of a page, those inside its multiverses included."""
    found = [result for block in outcome.blocks for result in block.results]
    return found + [
        inner for result in found for inner in result.extras.get("results", {}).values()
    ]


@pytest.mark.parametrize("name", UNDECLARED)
@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.slow
def test_no_study_of_comparisons_has_an_order_term_that_was_not_declared(
    name: str, declared: bool
) -> None:
    frame, reading = UNDECLARED[name]
    study = name.partition(",")[0]
    frame = frame if declared else frame.drop(columns="order")
    outcome = run_study(
        STUDIES[study], ss.Comparisons.from_frame(frame, cluster="story", **reading), FAST
    )
    results = everything(outcome)
    assert declared or not any(result.settings.get("order") for result in results)
    assert declared or not any(
        "order" in (row.term, row.group) for result in results for row in result.rows
    )
    told = [
        *outcome.answer,
        *(text for block in outcome.blocks for text in (*block.sentences, block.caption)),
    ]
    told += [table.caption for block in outcome.blocks for table in block.tables]
    words = ("shown first", "order of presentation", "order effect", "and order")
    assert declared == any(word in text for text in told for word in words)
    assert declared == any("with and without the order effect" in text for text in told)


def test_an_order_effect_that_changes_the_leader_is_a_caution_beside_both_fits() -> None:
    frame = counted(BEATS)
    outcome = of_comparisons(frame, order="item_a")
    assert ss111(outcome) == [
        "without the order effect, the strongest item was C (with it A) and its lead was clear (with it not "
        "clear)"
    ]
    design = ss.Comparisons.from_frame(frame, order="item_a")
    with_it, without = (ss.bradley_terry(design, order=order) for order in (True, False))
    for (strongest, lead), fit, first, second in zip(
        both_fits(outcome).values(), (with_it, without), "AC", "CA", strict=True
    ):
        gap = fit.contrast({first: 1.0, second: -1.0}).rows[0]
        assert (strongest.term, lead.term) == (first, f"{first} - {second}")
        assert strongest.estimate == pytest.approx(fit.row(first).estimate)
        assert (lead.estimate, lead.conf_low, lead.conf_high) == pytest.approx(
            (gap.estimate, gap.conf_low, gap.conf_high)
        )
    assert any(
        text.startswith("Without the order effect, the strongest item was C")
        for block in outcome.blocks
        for text in block.sentences
    )


def shown(chances: dict[tuple[str, str, int, int], tuple[float, int]]) -> pd.DataFrame:
    """Rows with the expected wins: (item_a, item_b, urgency of each) -> log-odds of item_a, and how many rows."""
    rows = []
    for (a, b, one, other), (eta, n) in chances.items():
        won = round(n / (1 + np.exp(-eta)))
        rows += [(a, b, a if k < won else b, one, other) for k in range(n)]
    return pd.DataFrame(rows, columns=["item_a", "item_b", "winner", "urgency_a", "urgency_b"])


@pytest.mark.parametrize("study", ["comparisons", "role-conflict"])
def test_an_order_effect_that_changes_nothing_is_no_caution(study: str) -> None:
    """Every pair in both orders alike: who is shown first gains 0.3 log-odds, a step of urgency 0.5."""
    strength = {"a": 1.0, "b": 0.2, "c": -1.2}
    cells = {
        (x, y, *u): (0.3 + strength[x] - strength[y] + 0.5 * (u[0] - u[1]), 100)
        for x in strength
        for y in strength
        if x != y
        for u in ((1, 1), (1, 2), (2, 1))
    }
    outcome = of_comparisons(shown(cells), study, order="item_a")
    assert {how: rows[0].term for how, rows in both_fits(outcome).items()} == {
        "with": "a",
        "without": "a",
    }
    assert not ss111(outcome)
    assert any(
        "how clear its lead was and signs were the same" in text
        for block in outcome.blocks
        for text in block.sentences
    )


def test_the_sign_of_a_covariate_that_depends_on_the_order_effect_is_a_caution() -> None:
    """The more urgent role is mostly shown first (+1 log-odds), and urgency itself lowers the log-odds by 0.4."""
    pairs = [("a", "b"), ("b", "c"), ("c", "a"), ("b", "a"), ("c", "b"), ("a", "c")]
    cells = {
        (x, y, *u): (eta, n)
        for x, y in pairs
        for u, eta, n in (((2, 1), 1 - 0.4, 1000), ((1, 2), 1 + 0.4, 100))
    }
    outcome = of_comparisons(shown(cells), order="item_a", covariates=["urgency"])
    assert ss111(outcome) == []  # urgency is not in the model
    design = ss.Comparisons.from_frame(shown(cells), order="item_a", covariates=["urgency"])
    adjusted = run_study(STUDIES["comparisons"], design, replace(FAST, adjust=("urgency",)))
    assert [
        "the effect of urgency was positive and clear (with it negative and clear)" in text
        for text in ss111(adjusted)
    ] == [True]
    steps = {how: rows[-1] for how, rows in both_fits(adjusted).items()}
    assert steps["with"].term == "urgency"
    assert steps["with"].estimate == pytest.approx(-0.4, abs=0.01)
    assert (steps["without"].estimate or 0.0) > 0.1


def test_a_lead_that_is_reliable_only_without_the_order_effect_is_a_caution() -> None:
    """Item a is shown first in three of four rows (+0.4 log-odds); its own lead is 0.1."""
    cells = {("a", "b", 1, 1): (0.5, 300), ("b", "a", 1, 1): (0.4 - 0.1, 100)}
    outcome = of_comparisons(shown(cells), order="item_a", covariates=())
    assert ss111(outcome) == ["without the order effect, its lead was clear (with it not clear)"]


def test_levels_of_a_comparison_have_both_fits_each_and_name_the_level_that_changes() -> None:
    even = {("a", "b", 1, 1): (0.5, 200), ("b", "a", 1, 1): (0.4, 200)}
    uneven = {("a", "b", 1, 1): (0.5, 300), ("b", "a", 1, 1): (0.4 - 0.1, 100)}
    frame = pd.concat([shown(even).assign(model="even"), shown(uneven).assign(model="uneven")])
    outcome = of_comparisons(frame, "compare", order="item_a", by="model", covariates=())
    fits = [
        (row.label("level"), how) for how, rows in both_fits(outcome).items() for row in rows[::2]
    ]
    assert sorted(fits) == [
        ("even", "with"),
        ("even", "without"),
        ("uneven", "with"),
        ("uneven", "without"),
    ]
    assert ss111(outcome) == [
        "without the order effect, uneven: its lead was clear (with it not clear)"
    ]


def test_items_that_always_stand_on_one_side_are_compared_without_an_order_effect() -> None:
    frame = counted({("gpt", "claude"): (40, 20)})
    assert of_comparisons(frame).answer[0].startswith("gpt ranked first (log-strength 0.35")
    with pytest.raises(
        ss.NotIdentified, match=r"cannot tell 'order' apart.*order=False excludes the order effect"
    ):
        of_comparisons(frame, order="item_a")


def test_fits_without_the_order_effect_are_verified_too() -> None:
    design = ss.Comparisons.from_frame(choices(urgency=False))
    outcome = run_study(STUDIES["comparisons"], design, replace(FAST, verify=True))
    (checked,) = [
        v for name, v in outcome.verifications.items() if name.startswith("Model without the order")
    ]
    assert checked.ok
    assert len(checked.checks) > len(design.items)


def test_ranks_that_change_without_the_order_effect_are_named() -> None:
    """The conclusion on the strongest item stays, while an item that was mostly shown first moves."""
    outcome = of_comparisons(shown_first_often(), order="order")
    same, said = next(block for block in outcome.blocks if block.id == "order").sentences
    assert "signs were the same" in same
    ranks = [
        [
            row.term
            for row in sorted(
                (r for r in fit.rows if r.group == "strength"), key=lambda r: -r.estimate
            )
        ]
        for fit in (outcome.blocks[0].results[0], without(outcome))
    ]
    assert ranks[0][0] == ranks[1][0]
    moved = [name for name in ranks[0] if ranks[0].index(name) != ranks[1].index(name)]
    assert moved
    for name in moved:
        assert name in said


def without(outcome: Outcome) -> ss.Result:
    """The fit of the page without its order effect."""
    results = next(b for b in outcome.blocks if b.id == "order").results
    return next(r for r in results if r.title == "Model without the order effect")


def shown_first_often() -> pd.DataFrame:
    """The item c is as good as b, and is mostly shown first, which helps."""
    rows = []
    for one, two, first_of, wins in (("a", "b", 10, 17), ("a", "c", 4, 16), ("b", "c", 2, 9)):
        for k in range(20):
            first = one if k < first_of else two
            rows.append((one, two, first, one if k < wins else two))
    return pd.DataFrame(rows, columns=["item_a", "item_b", "order", "winner"])


def test_a_caution_about_the_order_effect_names_its_table() -> None:
    """Few clusters: the order effect has few degrees of freedom, and its block carries the caution."""
    frame = shown_first_often().assign(person=lambda f: np.arange(len(f)) % 4)
    outcome = of_comparisons(frame, order="order", cluster="person")
    few = [
        c
        for c in outcome.cautions
        if c.code == "SS202" and c.rows is not None and "order" in c.rows
    ]
    block = next(b for b in outcome.blocks if b.id == "effects")
    assert few
    assert few[0].detail in [c.detail for r in block.results for c in r.cautions]


def test_the_methods_name_the_penalised_likelihood_and_degrees_of_freedom_keep_a_decimal() -> None:
    frame = shown_first_often()
    design = ss.Comparisons.from_frame(frame, order="order")
    page = run_study(STUDIES["comparisons"], design, replace(FAST, penalty="firth"))
    assert page.methods[0].startswith(
        "Log-strengths (0: the average item) were estimated by maximum likelihood: Bradley-Terry model, Firth's "
        "penalised likelihood, with effects of order."
    )
    page = run_study(STUDIES["comparisons"], design, replace(FAST, prior=0.5))
    assert " by maximum likelihood with 0.5 pseudo-wins an item:" in page.methods[0]
    rows = [
        Row(term="x", estimate=1.0, std_error=0.5, statistic=2.0, df=df, p_value=0.05)
        for df in (23.74, 14.0)
    ]
    table = rows_table(rows, "Effects")
    at = table.header.index("df")
    assert [number(cells[at]) for cells in table.cells] == ["23.7", "14"]
