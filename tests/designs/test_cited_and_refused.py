"""Cited labels and refusals of comparison tables: kept aside, counted, and joined again."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.designs.cited import chosen_labels
from socialstats.designs.comparisons_data import combine_designs, without_cited
from socialstats.errors import DesignError, InputError, NothingToAnalyse

ROWS = {
    "item_a": ["son", "son", "nun", "judge", "son"],
    "item_b": ["judge", "nun", "judge", "son", "judge"],
    "winner": ["son", "nun", "no answer", "son", "tie"],
    "urgency_a": [1, 2, 3, 1, 2],
    "urgency_b": [2, 2, 1, 3, 1],
    "kind_a": ["family", "family", "faith", "work", "family"],
    "kind_b": ["work", "faith", "work", "family", "work"],
    "values": ["care;duty", "", "duty", "care; care", "power"],
}


def read(**changes: object) -> ss.Comparisons:
    return ss.Comparisons.from_frame(pd.DataFrame({**ROWS, **changes}), refusal="no answer")


def test_refusals_are_aside_and_counted_in_the_flow() -> None:
    design = read()
    assert (design.n_rows, design.n_ties) == (4, 1)
    assert design.refused is not None
    assert (design.refused.n_rows, design.refused.items) == (1, ("judge", "nun"))
    assert [(step.label, step.rows) for step in design.flow] == [
        ("rows read", 5),
        ("refused", 1),
        ("rows analysed", 4),
    ]


def test_a_refusal_that_is_not_declared_is_an_error() -> None:
    with pytest.raises(InputError, match="no answer"):
        ss.Comparisons.from_frame(pd.DataFrame(ROWS))


def test_empty_fields_cite_nothing_and_are_not_missing() -> None:
    design = read()
    assert design.cited is not None
    found = dict(
        zip(
            design.cited.levels, np.bincount(design.cited.codes, design.count).tolist(), strict=True
        )
    )
    assert found == {"": 1.0, "care; care": 1.0, "care;duty": 1.0, "power": 1.0}
    assert without_cited(design).cited is None
    assert without_cited(design).n_rows == design.n_rows


def test_values_can_be_named_or_left_out() -> None:
    frame = pd.DataFrame(ROWS).rename(columns={"values": "why"})
    assert ss.Comparisons.from_frame(frame, refusal="no answer").cited is None
    named = ss.Comparisons.from_frame(frame, refusal="no answer", values="why")
    assert named.columns["values"] == "why"
    assert (
        ss.Comparisons.from_frame(pd.DataFrame(ROWS), refusal="no answer", values=False).cited
        is None
    )
    with pytest.raises(DesignError, match="'reason'"):
        ss.Comparisons.from_frame(frame, refusal="no answer", values="reason")


def test_labels_belong_to_the_group_of_the_chosen_item() -> None:
    """Counted by hand: rows 1 and 4 chose the son (family), row 2 the nun (faith); the tie chose nobody."""
    found = chosen_labels(read(), "kind")
    lists = found.lists
    assert (found.sep, found.ties) == (";", 1)
    assert lists.labels == ("care", "duty")
    assert lists.group is not None
    counts = {
        level: (lists.count[lists.group.codes == k] @ lists.cited[lists.group.codes == k]).tolist()
        for k, level in enumerate(lists.group.levels)
    }
    assert counts == {"faith": [0.0, 0.0], "family": [2.0, 1.0]}


def test_chosen_labels_agree_with_pandas_on_the_bundled_data() -> None:
    frame = ss.datasets.role_conflict()
    found = chosen_labels(ss.Comparisons.from_frame(frame), "domain", cluster="pair").lists
    assert found.group is not None
    frame["chosen"] = np.where(
        frame["choice"] == frame["role_a"], frame["domain_a"], frame["domain_b"]
    )
    table = frame.assign(value=frame["values"].str.split(";")).explode("value")
    expected = pd.crosstab(table["chosen"], table["value"])
    for k, level in enumerate(found.group.levels):
        own = found.group.codes == k
        assert (found.count[own] @ found.cited[own]).tolist() == expected.loc[
            level, list(found.labels)
        ].tolist()
    assert len(found.clusters[0].levels) == 1546


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["a|b", "a", "", "b", ""], ("a", "b")),
        (["a, b", "a", "", "b", ""], ("a", "b")),
        (["a,b;c", "c", "", "", ""], ("a,b", "c")),
        (["a b", "a", "", "", ""], ("a", "a b")),
    ],
)
def test_the_separator_is_found(values: list[str], labels: tuple[str, ...]) -> None:
    assert chosen_labels(read(values=values), "kind").lists.labels == labels


def test_what_cannot_be_counted_says_so() -> None:
    with pytest.raises(NothingToAnalyse, match="no row with a chosen item cites a label"):
        chosen_labels(read(values=[""] * 5), "kind")
    with pytest.raises(InputError, match="no covariate 'domain'"):
        chosen_labels(read(), "domain")
    with pytest.raises(InputError, match="no column of cited labels"):
        chosen_labels(without_cited(read()), "kind")


def test_swapped_sides_and_new_labels_keep_refusals_and_labels() -> None:
    design = read()
    swapped, renamed = design.swap(), design.relabel({"nun": "sister"})
    for other in (swapped, renamed):
        assert other.refused is not None
        assert other.refused.n_rows == 1
        assert other.cited is not None
        assert sorted(other.cited.levels) == sorted(design.cited.levels)  # type: ignore[union-attr]
    assert renamed.refused is not None
    assert renamed.refused.items == ("judge", "sister")
    assert chosen_labels(swapped, "kind").lists.count.sum() == 3


def test_split_gives_each_level_its_own_refusals() -> None:
    frame = pd.concat(
        [pd.DataFrame(ROWS).assign(model="m1"), pd.DataFrame(ROWS)[:2].assign(model="m2")]
    )
    parts = ss.Comparisons.from_frame(frame, by="model", refusal="no answer").split()
    assert parts["m1"].refused is not None
    assert parts["m1"].refused.n_rows == 1
    assert parts["m2"].refused is None


def test_joined_designs_are_the_design_of_all_rows() -> None:
    frame = ss.datasets.role_conflict().drop(columns="values")
    whole = ss.Comparisons.from_frame(frame, cluster=("pair", "scenario"))
    parts = [
        ss.Comparisons.from_frame(part, cluster=("pair", "scenario"))
        for part in (frame[:5000], frame[5000:])
    ]
    both = combine_designs(*parts)
    assert both.items == whole.items
    keys = ["item_a", "item_b", "winner", "urgency_a", "urgency_b", "order", "pair", "scenario"]
    ours, theirs = (
        design.table().sort_values(keys).reset_index(drop=True) for design in (both, whole)
    )
    pd.testing.assert_frame_equal(ours[theirs.columns.tolist()], theirs)
