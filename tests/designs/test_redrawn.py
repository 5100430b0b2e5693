"""Data in pieces: what is drawn is the table of the drawn rows, whose units, clusters and raters have new labels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

import socialstats as ss
from socialstats.designs.parts import Repeats
from socialstats.designs.redrawn import (
    MOST_SINGLE,
    Pieces,
    TablePieces,
    drawn_repeats,
    joint_copy,
    pieces_of,
    split_levels,
    vectors_of,
)
from tests.contracts.subjects import run, subject_of

DRAWN = [
    ("paired_difference", "story", ["story"]),
    ("two_means", "story", ["story"]),
    ("win_rates", "worker", ["worker"]),
    ("krippendorff_alpha", "story", ["unit", "story"]),
    ("krippendorff_alpha", "rater", ["rater"]),
]


def pieces(name: str) -> Pieces:
    subject = subject_of(name)
    return pieces_of(subject.design(subject.rows()))


def resample(codes: np.ndarray, seed: int = 5) -> tuple[np.ndarray, np.ndarray]:
    """Three times as many levels as there are: the pieces of each, and the number of its copy."""
    levels = int(codes.max()) + 1
    drawn = np.random.default_rng(seed).integers(0, levels, 3 * levels)
    copy = np.array([(drawn[:k] == level).sum() for k, level in enumerate(drawn)])
    index = np.concatenate([np.flatnonzero(codes == level) for level in drawn])
    return index, np.repeat(copy, np.bincount(codes)[drawn])


def tags(copies: np.ndarray) -> np.ndarray:
    return np.array([f"#{copy + 1}" if copy else "" for copy in copies.tolist()], dtype=object)


def test_combinations_of_copies_have_numbers_of_their_own() -> None:
    copies = np.array(list(product(range(3), range(2), range(4)))).T
    joint = joint_copy(list(copies), copies.shape[1])
    assert len(set(joint.tolist())) == 24
    assert joint[0] == 0
    assert joint_copy([], 3).tolist() == [0, 0, 0]


def test_labels_of_split_levels_ascend_and_lead_to_their_places() -> None:
    codes, copy = np.array([2, 0, 2, 1, 0, 2]), np.array([1, 0, 0, 0, 1, 1])
    new, labels, first = split_levels(codes, copy, ("x", "w", "a"))
    assert labels == ("a", "a#2", "w", "x", "x#2")
    said = [
        f"{'xwa'[code]}{'#2' if again else ''}" for code, again in zip(codes, copy, strict=True)
    ]
    assert [labels[code] for code in new] == said
    assert [said[place] for place in first] == list(labels)


@pytest.mark.parametrize(("name", "cluster", "renamed"), DRAWN)
def test_a_resample_is_the_table_of_the_drawn_rows(
    name: str, cluster: str, renamed: list[str]
) -> None:
    whole = pieces(name)
    frame = whole.data.table()
    index, copies = resample(whole.factors[cluster].codes)
    found = whole.drawn(index, {cluster: copies}).table()
    wanted = frame.iloc[index].copy()
    wanted[renamed] = wanted[renamed].astype(str) + tags(copies)[:, None]
    columns = list(frame)
    pd.testing.assert_frame_equal(
        *(table.sort_values(columns, ignore_index=True) for table in (found, wanted)),
        check_dtype=False,
    )


@pytest.mark.parametrize("name", ["paired_difference", "two_means", "krippendorff_alpha"])
def test_alike_cells_are_taken_apart(name: str) -> None:
    """Cells that count one to three times are so many pieces, of which statistics are the same."""
    subject = subject_of(name)
    design = subject.design(subject.rows())
    field = "unit_count" if name == "krippendorff_alpha" else "count"
    names = {} if name == "krippendorff_alpha" else {"units": None}
    times = 1.0 + np.arange(len(getattr(design, field))) % 3
    whole = replace(design, **{field: times}, **names)
    apart = pieces_of(whole)
    assert set(getattr(apart.data, field)) == {1}
    rows = times[design.unit].sum() if name == "krippendorff_alpha" else times.sum()
    assert apart.size == rows
    found, wanted = (run(name, one).rows[0] for one in (apart.data, whole))
    assert (found.estimate, found.std_error) == pytest.approx(
        (wanted.estimate, wanted.std_error), rel=1e-9
    )


def test_comparisons_that_were_counted_together_are_taken_apart() -> None:
    subject = subject_of("win_rates")
    rows = subject.rows()
    once, twice = (
        pieces_of(subject.design(table))
        for table in (rows, pd.concat([rows, rows], ignore_index=True))
    )
    assert twice.size == 2 * once.size
    for name in ("count", "weight", "weight_sq"):
        assert set(getattr(twice.data, name)) == {1}
    pair = [np.bincount(made.factors["pair"].codes) for made in (once, twice)]
    assert (2 * pair[0]).tolist() == pair[1].tolist()


def test_lists_that_were_counted_together_are_taken_apart() -> None:
    rows = {"unit": list("abcd"), "cites": ["x;y", "x;y", "", "y"]}
    design = ss.LabelLists.from_frame(rows, unit="unit", labels="cites", sep=";")
    assert sorted(design.count.tolist()) == [1, 1, 2]
    apart = pieces_of(design)
    assert apart.size == 4
    assert apart.data.count.tolist() == [1] * 4
    cited = sorted(apart.data.cited.astype(int).tolist())
    assert cited == sorted(np.repeat(design.cited, design.count.astype(int), axis=0).tolist())


@pytest.mark.parametrize("low", [-5, 0, 5])
def test_numbers_of_units_that_are_drawn_again_are_new(low: int) -> None:
    rows = pd.DataFrame({"unit": np.arange(low, low + 6), "y": np.arange(6.0)})
    table = TablePieces.of(rows, ["unit"], "unit", "table")
    index, copy = np.repeat(np.arange(6), 3), np.tile([0, 1, 2], 6)
    drawn = table.drawn(index, {"unit": copy})
    assert drawn["unit"].dtype.kind == "i"
    assert drawn["unit"].nunique() == 18
    assert set(rows["unit"]) == set(drawn["unit"][copy == 0])


def test_texts_of_units_that_are_drawn_again_are_marked() -> None:
    rows = pd.DataFrame({"unit": ["b", "a", "c", "a"], "y": np.arange(4.0)})
    table = TablePieces.of(rows, ["unit"], "unit", "table")
    drawn = table.drawn(np.array([1, 3, 1, 3, 0]), {"unit": np.array([0, 0, 2, 2, 1])})
    assert drawn["unit"].tolist() == ["a", "a", "a#3", "a#3", "b#2"]
    assert drawn["y"].tolist() == [1, 3, 1, 3, 0]


def test_values_of_a_column_are_exchanged_by_level() -> None:
    rows = pd.DataFrame({"kind": ["b", "a", "b", "a"], "y": np.arange(4.0)}, index=[7, 5, 3, 1])
    table = TablePieces.of(rows, ["kind"], None, "table")
    done = table.labelled("kind", np.array([0, 0, 1, 1]))
    assert done["kind"].tolist() == ["a", "a", "b", "b"]
    assert done["y"].tolist() == rows["y"].tolist()
    assert done.index.tolist() == [7, 5, 3, 1]


def test_labels_of_designs_are_exchanged() -> None:
    """Winners, conditions and groups change in the pieces that are named, and nowhere else."""
    rng = np.random.default_rng(2)
    won = pieces("win_rates")
    turned = rng.integers(0, 2, won.size)
    done = won.labelled("winner", turned)
    other = np.array([1, 0, 2])[won.data.outcome]
    assert done.outcome.tolist() == np.where(turned == 1, other, won.data.outcome).tolist()
    paired = pieces("paired_difference")
    turned = rng.integers(0, 2, paired.size)
    signs = np.where(turned == 1, -1, 1)
    done = paired.labelled("condition", turned)
    np.testing.assert_array_equal(done.difference, signs * paired.data.difference)
    two = pieces("two_means")
    codes = rng.permutation(two.data.group)
    assert two.labelled("group", codes).group.tolist() == codes.tolist()


def test_values_of_samples_stay_in_their_samples() -> None:
    one, two = np.arange(3.0), np.arange(10.0, 14.0)
    samples = vectors_of((one, two), False, {})
    drawn = samples.drawn(np.array([0, 0, 2, 3, 6, 6, 4]), {})
    assert [vector.tolist() for vector in drawn] == [[0, 0, 2], [10, 13, 13, 11]]
    pairs = vectors_of((one, 2 * one), True, {})
    drawn = pairs.drawn(np.array([2, 0, 2]), {})
    assert [vector.tolist() for vector in drawn] == [[2, 0, 2], [4, 0, 4]]


def test_labels_of_vectors_are_exchanged() -> None:
    one, two = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])

    def labelled(
        paired: bool, name: str, codes: list[int], *vectors: np.ndarray
    ) -> list[list[float]]:
        done = vectors_of(vectors, paired, {}).labelled(name, np.array(codes))
        return [vector.tolist() for vector in done]

    assert labelled(True, "sign", [0, 1, 0], one) == [[1, -2, 3]]
    assert labelled(True, "pairings", [2, 0, 1], one, two) == [[1, 2, 3], [6, 4, 5]]
    assert labelled(True, "sample", [0, 1, 1], one, two) == [[1, 5, 6], [4, 2, 3]]
    assert labelled(False, "sample", [1, 0, 0, 1, 1, 0], one, two) == [[2, 3, 6], [1, 4, 5]]


def test_clusters_of_vectors_hold_their_values() -> None:
    made = vectors_of((np.arange(4.0),), None, {"cluster": ["b", "a", "b", "c"]})
    factor = made.factors["cluster"]
    assert [factor.levels[code] for code in factor.codes] == ["b", "a", "b", "c"]
    assert (made.size, made.noun, made.groups) == (4, "value", "")
    both = vectors_of((np.arange(4.0), np.arange(3.0)), None, {})
    assert (both.size, both.noun, both.groups) == (7, "value", "sample")
    assert np.bincount(both.factors["sample"].codes).tolist() == [4, 3]


def weighted() -> dict[str, tuple[Any, Callable[[Any], float], np.ndarray]]:
    """A design of each kind with sampling weights, its weighted mean, and the mean without each unit."""
    rng = np.random.default_rng(4)
    y, w, n = rng.normal(size=15), rng.random(15) + 0.2, np.arange(15)
    rows = {"unit": n, "y": y, "zero": 0 * y, "w": w}
    long = {"unit": np.repeat(n, 2), "rater": ["a", "b"] * 15, "value": np.repeat(y, 2)}
    paired = ss.Paired.from_wide(rows, first="y", second="zero", unit="unit", weight="w")
    groups = ss.Groups.from_frame(
        rows | {"group": ["x", "y", "y"] * 5}, unit="unit", value="y", weight="w"
    )
    ratings = ss.Ratings.from_frame(long | {"w": np.repeat(w, 2)}, weight="w", scale="interval")
    left = np.array([np.average(np.delete(y, k), weights=np.delete(w, k)) for k in n])
    in_x = np.arange(15) % 3 == 0
    gaps = [
        np.average(y[in_x & (n != k)], weights=w[in_x & (n != k)])
        - np.average(y[~in_x & (n != k)], weights=w[~in_x & (n != k)])
        for k in n
    ]
    return {
        "paired": (paired, ss.paired_difference, left),
        "groups": (groups, ss.two_means, np.array(gaps)),
        "ratings": (ratings, ss.mean_ratings, left),
    }


@pytest.mark.parametrize("kind", ["paired", "ratings"])
def test_sampling_weights_are_drawn_with_their_units(kind: str) -> None:
    """The jackknife of a weighted mean is that of the means without each unit."""
    design, mean, left = weighted()[kind]
    row = ss.jackknife(design, mean).rows[0]
    error = np.sqrt(14 / 15 * ((left - left.mean()) ** 2).sum())
    assert row.std_error == pytest.approx(error, rel=1e-9)


def test_weights_of_alike_cells_and_of_groups_follow() -> None:
    for design, _, _ in weighted().values():
        made = pieces_of(design)
        index = np.random.default_rng(3).integers(0, made.size, 2 * made.size)
        name = "unit" if isinstance(design, ss.Ratings) else ""
        copies = np.array([(index[:k] == piece).sum() for k, piece in enumerate(index)])
        drawn = made.drawn(index, {name: copies}).table()
        wanted = made.data.table().iloc[index]
        np.testing.assert_allclose(np.sort(drawn["weight"]), np.sort(wanted["weight"]))
        values = "score" if isinstance(design, ss.Ratings) else next(iter(design.CELLS[-1:]))
        if values != "second":
            found, known = (dict(zip(t[values], t["weight"], strict=True)) for t in (drawn, wanted))
            assert found == pytest.approx(known)
    paired = weighted()["paired"][0]
    twice = replace(paired, count=2 * paired.count, units=None)
    apart = pieces_of(twice).data
    np.testing.assert_allclose(apart.weight, np.repeat(paired.weight, 2))
    np.testing.assert_allclose(apart.first, np.repeat(paired.first, 2))


def test_answers_behind_a_value_are_drawn_with_it() -> None:
    known = Repeats(
        columns=("try",),
        sources=("a", "b"),
        source=np.array([0, 1, 1]),
        place=np.array([0, 2, 2]),
        answers=np.array([2.0, 3.0, 4.0]),
        variance=np.array([0.5, 0.25, 0.125]),
        levels=("no", "yes"),
        shares=np.array([[0.5, 0.5], [1 / 3, 2 / 3], [0.25, 0.75]]),
        first=np.array([0, 1, 0]),
    )
    found = drawn_repeats(known, np.array([2, 1, 0, 2, 4]))
    assert found.place.tolist() == [0, 0, 2, 3, 3]
    assert found.answers.tolist() == [3, 4, 2, 3, 4]
    assert found.source.tolist() == [1, 1, 0, 1, 1]
    assert found.variance.tolist() == [0.25, 0.125, 0.5, 0.25, 0.125]
    assert found.shares[:, 1].tolist() == [2 / 3, 0.75, 0.5, 2 / 3, 0.75]
    assert found.first.tolist() == [1, 0, 0, 1, 0]
    assert drawn_repeats(None, np.array([0])) is None


def test_factors_of_pieces_are_the_columns_of_the_table() -> None:
    """Of ratings also the groups of raters, but not those that some raters lack."""
    subject = subject_of("krippendorff_alpha")
    rows = subject.rows()
    kinds = {"ann": "x", "bob": "z", "cid": "z"}
    some = {"ann": "p", "bob": "q"}
    ratings = ss.Ratings.from_frame(
        rows.assign(kind=rows["rater"].map(kinds), some=rows["rater"].map(some)),
        **subject.reading(),
        rater_groups=("kind", "some"),
    )
    names = ("paired_difference", "two_means", "win_rates")
    for made in (pieces_of(ratings), *map(pieces, names)):
        table = made.data.table()
        assert made.declared == tuple(factor.name for factor in made.data.clusters)
        said = {name: [f.levels[code] for code in f.codes] for name, f in made.factors.items()}
        for name in {*said} & {*table}:
            assert said[name] == table[name].tolist(), name
        assert {*made.declared} <= {*said} & {*table}
    assert {"unit", "rater", "kind", "domain", "story"} == {*pieces_of(ratings).factors}
    assert [pieces(name).noun for name in names] == ["pair", "unit", "comparison"]
    assert [pieces(name).groups for name in names] == ["", "group", ""]


def test_drawn_ratings_are_in_the_order_of_units_and_raters() -> None:
    whole = pieces("krippendorff_alpha")
    index, copies = resample(whole.factors["story"].codes)
    shuffled = np.random.default_rng(1).permutation(len(index))
    drawn = whole.drawn(index[shuffled], {"story": copies[shuffled]})
    assert np.all(np.diff(drawn.unit * len(drawn.raters) + drawn.rater) > 0)
    wanted = whole.drawn(index, {"story": copies})
    pd.testing.assert_frame_equal(drawn.table(), wanted.table())


def test_names_of_units_are_those_of_the_drawn_cells() -> None:
    """Cells of several alike units are taken apart by their names, and copies have names of their own."""
    rows = {"id": list("abcd"), "x": [3.0, 5.0, 3.0, 9.0], "y": [1.0, 1.0, 1.0, 2.0]}
    design = ss.Paired.from_wide(rows, first="x", second="y", unit="id")
    assert sorted(design.count.tolist()) == [1, 1, 2]
    made = pieces_of(design)
    units = made.data.units
    known = dict(zip(units.names(), made.data.first[units.cell], strict=True))
    assert known == dict(zip(rows["id"], rows["x"], strict=True))
    names = np.array(units.names())[np.argsort(units.cell)]
    index, copy = np.array([3, 0, 0, 3, 3]), np.array([0, 0, 1, 1, 2])
    drawn = made.drawn(index, {"": copy})
    wanted = [
        f"{names[k]}{'' if c == 0 else f'#{c + 1}'}" for k, c in zip(index, copy, strict=True)
    ]
    cells = dict(zip(drawn.units.cell.tolist(), drawn.units.names(), strict=True))
    assert [cells[k] for k in range(5)] == wanted
    assert drawn.first.tolist() == made.data.first[index].tolist()


@pytest.mark.parametrize("name", ["paired_difference", "two_means", "win_rates", "label_counts"])
def test_a_million_alike_cells_are_too_many_to_take_apart(name: str) -> None:
    subject = subject_of(name)
    design = subject.design(subject.rows())
    many = np.ones(len(design.count))
    many[0] = MOST_SINGLE
    sums = {"weight": many, "weight_sq": many} if name == "win_rates" else {}
    with pytest.raises(ss.InputError, match="alike rows are too many to draw one by one"):
        pieces_of(replace(design, count=many, **sums))
    ratings = subject_of("krippendorff_alpha")
    design = ratings.design(ratings.rows())
    many = np.ones(len(design.units))
    many[0] = MOST_SINGLE
    with pytest.raises(ss.InputError, match="alike rows are too many to draw one by one"):
        pieces_of(replace(design, unit_count=many))


def test_rows_of_different_weights_that_were_counted_together_are_not_taken_apart() -> None:
    subject = subject_of("win_rates")
    design = subject.design(subject.rows())
    n = 2 * np.ones(len(design.count))
    alike = replace(design, count=n, weight=3 * n, weight_sq=9 * n)
    apart = pieces_of(alike).data
    assert (set(apart.weight), set(apart.weight_sq), set(apart.count)) == ({3}, {9}, {1})
    with pytest.raises(ss.InputError, match="rows of different weights were counted together"):
        pieces_of(replace(alike, weight_sq=10 * n))


def test_units_within_a_cluster_that_is_drawn_again_are_new() -> None:
    rows = pd.DataFrame({"site": list("aabb"), "unit": [1, 2, 1, 3], "y": np.arange(4.0)})
    table = TablePieces.of(rows, ["site", "unit"], "unit", "table")
    drawn = table.drawn(np.array([0, 1, 0, 1]), {"site": np.array([0, 0, 1, 1])})
    assert drawn["site"].tolist() == ["a", "a", "a#2", "a#2"]
    assert drawn["unit"].nunique() == 4
    assert drawn["y"].tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("vectors", [([], [1.0]), ([1.0], []), (3.0,)])
def test_a_vector_has_a_value(vectors: tuple[Any, ...]) -> None:
    with pytest.raises(ss.InputError, match="a vector needs at least one value"):
        vectors_of(vectors, None, {})


def test_lists_of_labels_are_drawn_and_exchanged() -> None:
    whole = pieces("label_counts")
    design = whole.data
    assert whole.declared == ("story",)
    assert {*whole.factors} == {"domain", "story"}
    index, copies = resample(whole.factors["story"].codes)
    drawn = whole.drawn(index, {"story": copies})
    np.testing.assert_array_equal(drawn.cited, design.cited[index])
    assert drawn.labels == design.labels
    assert drawn.count.tolist() == [1] * len(index)
    group = drawn.group
    assert [group.levels[code] for code in group.codes] == [
        design.group.levels[code] for code in design.group.codes[index]
    ]
    story = drawn.clusters[0]
    stories = np.array(design.clusters[0].levels)[design.clusters[0].codes[index]]
    assert [story.levels[code] for code in story.codes] == [
        f"{name}{tag}" for name, tag in zip(stories, tags(copies), strict=True)
    ]
    codes = np.random.default_rng(1).permutation(design.group.codes)
    done = whole.labelled("domain", codes)
    assert done.group.codes.tolist() == codes.tolist()
    assert done.group.levels == design.group.levels
    with pytest.raises(ss.InputError, match="of lists of labels, their group is exchanged"):
        whole.labelled("story", codes)


def test_raters_strata_and_groups_of_raters_are_exchanged() -> None:
    """Ratings stay in the order of units and raters, with what belongs to them."""
    subject = subject_of("krippendorff_alpha")
    rows = subject.rows()
    kinds = {"ann": "x", "bob": "z", "cid": "z"}
    design = ss.Ratings.from_frame(
        rows.assign(kind=rows["rater"].map(kinds)), **subject.reading(), rater_groups="kind"
    )
    made = pieces_of(design)
    turned = len(design.raters) - 1 - design.rater
    done = made.labelled("rater", turned).table()
    names = dict(zip(design.raters, reversed(design.raters), strict=True))
    wanted = design.table()
    wanted["rater"], wanted["kind"] = (
        wanted["rater"].map(names),
        wanted["rater"].map(names).map(kinds),
    )
    pd.testing.assert_frame_equal(
        done, wanted.sort_values(["unit", "rater"], ignore_index=True), check_dtype=False
    )
    new = np.random.default_rng(1).integers(0, 2, len(design.units))
    done = made.labelled("domain", new[design.unit])
    assert done.strata["domain"].codes.tolist() == new.tolist()
    assert done.strata["domain"].levels == design.strata["domain"].levels
    kind = np.array([1, 0, 1])
    done = made.labelled("kind", kind[design.rater])
    assert done.rater_groups["kind"].codes.tolist() == kind.tolist()
    with pytest.raises(ss.InputError, match="labels of storys are not exchanged"):
        made.labelled("story", design.clusters[0].codes[design.unit])


def test_replies_that_are_drawn_again_are_new() -> None:
    """A reply with probabilities has a part for each winner; both parts of a copy are one reply."""
    rows = {"item_a": list("aabbc"), "item_b": list("bcccd"), "winner": [0.3, 0.9, 0.5, 0.1, 0.7]}
    whole = pieces_of(ss.Comparisons.from_frame(rows, winner_coding="probability"))
    assert whole.unit == "reply"
    own = whole.factors["reply"].codes
    index, copies = resample(own)
    found = whole.drawn(index, {"reply": copies})
    assert found.replies is not None
    pairs = {*zip(own[index].tolist(), copies.tolist(), found.replies.codes.tolist(), strict=True)}
    assert len(pairs) == len({*found.replies.codes.tolist()}) == 15
    assert found.outcome.tolist() == whole.data.outcome[index].tolist()
    np.testing.assert_allclose(
        np.bincount(found.replies.codes, found.weight)[[*{*found.replies.codes}]], 1
    )
