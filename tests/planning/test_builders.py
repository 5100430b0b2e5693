"""Items of the five protocols: as many as a formula says, balanced, the same whatever the order of the lists."""

from __future__ import annotations

import csv
import itertools
import math
import random
from collections import Counter
from pathlib import Path
from statistics import harmonic_mean
from typing import Any

import pytest
from scipy.stats import t

import socialstats as ss
from socialstats.errors import InputError

ROLES = Path(ss.__file__).parent / "datasets" / "data" / "role_conflict_roles.csv"
GROUPS = {"woman": "ABCDEFGHIJ", "man": "KLMNOPQRST", "neutral": "abcdefghij"}
NAMES = [{"name": name, "group": group} for group, names in GROUPS.items() for name in names]
COUPLE = "NAME1 and NAME2 are married. NAME1 cooks, and NAME2 eats."


def scenarios(n: int, **more: str) -> list[dict[str, str]]:
    return [{"scenario": f"s{k}", "text": COUPLE, **more} for k in range(n)]


def role_design(**more: Any) -> dict[str, Any]:
    roles = list(csv.DictReader(ROLES.read_text().splitlines()))
    situations = [
        {
            "role": row["role"],
            "expectation": f"{row['role']} {e}",
            "urgency": str(u),
            "situation": f"S{e}{u}.",
        }
        for row, e, u in itertools.product(roles, "abc", (1, 2, 3))
    ]
    return {
        "roles": roles,
        "situations": situations,
        "story": "{situation_a} {situation_b}",
        **more,
    }


def test_the_roles_of_the_paper_make_its_1546_pairs_and_13914_stories() -> None:
    """65 roles, across domains, without differing genders: 1,546 pairs, each with nine urgencies (paper 000)."""
    made = ss.design_items("pairwise-roles", role_design())
    assert len(made.rows) == 13914 == 9 * 1546
    assert made.counted["urgency_a x urgency_b"] == {
        f"{a} x {b}": 1546 for a, b in itertools.product("123", repeat=2)
    }
    partners = Counter(row[side] for row in made.rows for side in ("role_a", "role_b"))
    assert (min(partners.values()) / 9, max(partners.values()) / 9) == (41, 60)


@pytest.mark.parametrize("pairs", [64, 200])
def test_some_pairs_of_roles_are_balanced_and_hold_together(pairs: int) -> None:
    made = ss.design_items("pairwise-roles", role_design(pairs=pairs))
    first = [row for row in made.rows if (row["urgency_a"], row["urgency_b"]) == ("1", "1")]
    assert len(first) == pairs == len({row["pair"] for row in first})
    met = Counter(row[side] for row in first for side in ("role_a", "role_b"))
    assert len(met) == 65
    assert max(met.values()) - min(met.values()) <= 1
    reached, edges = {first[0]["role_a"]}, [{row["role_a"], row["role_b"]} for row in first]
    for _ in range(65):
        reached |= {name for edge in edges if edge & reached for name in edge}
    assert len(reached) == 65
    used = Counter((row[f"role_{s}"], row[f"expectation_no_{s}"]) for row in first for s in "ab")
    assert all(max(n) - min(n) <= 1 for role in met if (n := [used[role, k] for k in "123"]))


def test_too_few_pairs_leave_roles_without_a_way_to_each_other() -> None:
    with pytest.raises(
        InputError, match=r"65 roles in 2 groups that never meet.* need at least 64 pairs"
    ):
        ss.design_items("pairwise-roles", role_design(pairs=63))


@pytest.mark.parametrize(("k", "total"), [(29, 5220), (80, 14400)])
def test_the_couples_of_the_paper(k: int, total: int) -> None:
    """Nine types x 20 pairs of names x scenarios (paper 002); a type and its reverse share their pairs."""
    made = ss.design_items("who-is-right", {"scenarios": scenarios(k), "names": NAMES})
    assert len(made.rows) == total == 9 * 20 * k
    types = {(row["group_first"], row["group_second"]) for row in made.rows}
    assert len(types) == 9
    pairs = {
        kind: {
            (row["name_first"], row["name_second"])
            for row in made.rows
            if (row["group_first"], row["group_second"]) == kind and row["scenario"] == "s0"
        }
        for kind in types
    }
    for one, other in types:
        assert len(pairs[one, other]) == 20
        assert {(b, a) for a, b in pairs[one, other]} == pairs[other, one]
        assert set(Counter(a for a, _ in pairs[one, other]).values()) == {
            2
        }  # each of ten names comes twice


@pytest.mark.parametrize(("a", "b", "wanted"), [(3, 3, 9), (4, 6, 24), (2, 5, 7), (4, 6, 12)])
def test_names_of_two_groups_come_equally_often_and_no_pair_twice(
    a: int, b: int, wanted: int
) -> None:
    names = [{"name": f"w{k}", "group": "w"} for k in range(a)] + [
        {"name": f"m{k}", "group": "m"} for k in range(b)
    ]
    spec = {"scenarios": scenarios(1), "names": names, "pairs": wanted, "same_group": False}
    rows = ss.design_items("who-is-right", spec).rows
    found = [(r["name_first"], r["name_second"]) for r in rows if r["group_first"] == "w"]
    assert len(set(found)) == wanted == len(found)
    for side, n in ((0, a), (1, b)):
        times = Counter(pair[side] for pair in found)
        assert {times[name] for name in times} <= {math.floor(wanted / n), math.ceil(wanted / n)}


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_names_of_one_group_make_all_their_pairs(n: int) -> None:
    names = [{"name": f"w{k}", "group": "w"} for k in range(n)]
    made = ss.design_items(
        "who-is-right", {"scenarios": scenarios(1), "names": names, "pairs": n * (n - 1)}
    )
    assert (
        len({(r["name_first"], r["name_second"]) for r in made.rows})
        == n * (n - 1)
        == len(made.rows)
    )


def test_scenarios_under_pressures_take_the_text_that_fits_best() -> None:
    """50 scenarios in each of four domains, five pressures and none: 1,200, of which 240 are for trying out (001)."""
    parts = [
        {"scenario": f"{d}{k}", "domain": d, "goal": f"goal {d}{k}", "situation": "s", "norm": "n"}
        for d, k in itertools.product("abcd", range(50))
    ]
    pressures = [
        {"pressure": f"p{k}", "text": "{goal}!", "domain": "", "scenario": ""} for k in range(5)
    ]
    pressures += [
        {"pressure": "p0", "text": "of b", "domain": "b", "scenario": ""},
        {"pressure": "p0", "text": "of b7", "domain": "", "scenario": "b7"},
    ]
    made = ss.design_items("norm-goal", {"scenarios": parts, "pressures": pressures, "dev": 0.2})
    assert len(made.rows) == 1200
    texts = {row["item_id"]: row["pressure_text"] for row in made.rows}
    assert [texts[name] for name in ("a1-none", "a1-p0", "b1-p0", "b7-p0", "b7-p1")] == [
        "",
        "goal a1!",
        "of b",
        "of b7",
        "goal b7!",
    ]
    assert made.counted["split"] == {"dev": 240, "test": 960}
    assert {row["domain"] for row in made.rows if row["split"] == "dev"} == set("abcd")
    spec = {
        "scenarios": [{**parts[0], "scenario": "odd"}],
        "pressures": [{**pressures[-2], "pressure": "p"}],
    }
    with pytest.raises(InputError, match="no text for pressure 'p' of scenario 'odd'"):
        ss.design_items("norm-goal", spec)


def test_rules_are_drawn_by_area_and_crossed_with_groups() -> None:
    rules = [{"item_id": f"r{k}", "text": f"Rule {k}.", "area": "xyz"[k % 3]} for k in range(30)]
    made = ss.design_items("ordinal", {"rules": rules, "per_area": 4, "groups": ["old", "young"]})
    assert made.counted["area x group"] == dict.fromkeys(
        sorted(f"{a} x {g}" for a in "xyz" for g in ("everybody", "old", "young")), 4
    )
    row = next(row for row in made.rows if row["group"] == "old")
    assert row["text"] == f"Think of old only. Rule {row['rule'][1:]}."
    with pytest.raises(InputError, match=r"per_area=11: area '.' has 10 rules"):
        ss.design_items("ordinal", {"rules": rules, "per_area": 11})


def test_stages_are_crossed_with_personas_and_controls_stand_alone() -> None:
    texts = {name: f"{name}." for name in ("baseline", "stage_1", "stage_2", "stage_3", "stage_4")}
    spec = {
        "scenarios": [
            {"scenario": s, "wording": w, "area": f"of {s}", "source": "book", **texts}
            for s, w in itertools.product("ab", "123")
        ],
        "personas": [{"persona": "nurse", "text": "You are a nurse."}],
        "controls": [{"control": "left", "text": "Left."}],
    }
    made = ss.design_items("staged-values", spec)
    kept = {
        (row["scenario"], row["area"], row["source"]) for row in made.rows if not row["control"]
    }
    assert kept == {("a", "of a", "book"), ("b", "of b", "book")}
    assert len(made.rows) == 2 * 3 * 2 + 1
    assert made.size == (2, 3)
    nurse = next(row for row in made.rows if row["item_id"] == "a-1-nurse")
    assert (nurse["baseline"], nurse["stage_1"], nurse["stage_2"]) == (
        "You are a nurse. baseline.",
        "You are a nurse. stage_1.",
        "stage_2.",
    )
    (control,) = [row for row in made.rows if row["control"]]
    assert control == {
        **dict.fromkeys(made.rows[0], ""),
        "item_id": "left",
        "scenario": "left",
        "wording": "1",
        "control": "Left.",
    }


def test_the_order_of_the_lists_changes_nothing_and_the_seed_does() -> None:
    mixed = random.Random(3)
    spec = {"scenarios": scenarios(2), "names": NAMES, "pairs": 4, "draw": "scenario"}
    other = {**spec, "names": mixed.sample(NAMES, len(NAMES))}
    ids = {row["item_id"] for row in ss.design_items("who-is-right", spec).rows}
    assert ids == {row["item_id"] for row in ss.design_items("who-is-right", other).rows}
    assert ids != {
        row["item_id"] for row in ss.design_items("who-is-right", {**spec, "seed": 2}).rows
    }


def test_precision_is_that_of_the_clustered_mean() -> None:
    """Half width t(G - 1) sd sqrt((1 + (m - 1) icc)/(G m)); the effect is that of power_clustered_mean."""
    spec = {
        "scenarios": scenarios(30),
        "names": NAMES,
        "pairs": 8,
        "precision": {"sd": 1.0, "icc": 0.25, "power": 0.9},
    }
    made = ss.design_items("who-is-right", spec)
    assert made.size == (30, 8)
    assert made.half_width() == pytest.approx(
        t.ppf(0.975, 29) * math.sqrt((1 + 7 * 0.25) / 240), rel=1e-12
    )
    by_hand = (
        ss.power_clustered_mean(clusters=30, size=8, sd=1.0, icc=0.25, power=0.9)
        .row("effect")
        .estimate
    )
    assert made.power().row("effect").estimate == by_hand
    few = ss.design_items("who-is-right", {**spec, "scenarios": scenarios(2)})
    assert "too few to find any possible effect" in few.sentences()[-1]


def recounted(protocol: str, rows: list[dict[str, str]]) -> dict[str, int]:
    """Values that each cluster gives to the main mean of a protocol, counted in the finished items."""
    if protocol == "pairwise-roles":  # unequal urgencies tell what wins; equal ones do not
        return dict(Counter(r["pair"] for r in rows if r["urgency_a"] != r["urgency_b"]))
    if protocol == "norm-goal":  # with and without pressure make one difference
        return dict.fromkeys((r["scenario"] for r in rows), 1)
    if (
        protocol == "who-is-right"
    ):  # the two orders of a pair of names of two groups make one difference
        kinds = {r["scenario"]: set() for r in rows}
        for r in rows:
            if r["group_first"] != r["group_second"]:
                of = frozenset((r["group_first"], r["group_second"]))
                kinds[r["scenario"]].add((of, frozenset((r["name_first"], r["name_second"]))))
        types = {of for found in kinds.values() for of, _ in found}
        return {name: len(found) // len(types) for name, found in kinds.items()}
    if protocol == "ordinal":
        return {r.get("rule", r["item_id"]): 1 for r in rows}
    wordings = {(r["scenario"], r["wording"]) for r in rows if not r["control"]}
    return dict(Counter(scenario for scenario, _ in wordings))


@pytest.mark.parametrize(
    ("protocol", "spec"),
    [
        ("pairwise-roles", role_design(pairs=90)),
        (
            "norm-goal",
            {
                "scenarios": [
                    {"scenario": f"s{k}", "goal": "g", "situation": "s", "norm": "n"}
                    for k in range(4)
                ],
                "pressures": [{"pressure": p, "text": "t"} for p in "pq"],
            },
        ),
        ("who-is-right", {"scenarios": scenarios(3), "names": NAMES, "pairs": 6}),
        (
            "ordinal",
            {"rules": [{"item_id": f"r{k}", "text": "x"} for k in range(5)], "groups": ["old"]},
        ),
        (
            "staged-values",
            {
                "scenarios": [
                    {
                        "scenario": s,
                        "wording": w,
                        **dict.fromkeys(("baseline", *(f"stage_{k}" for k in range(1, 5))), "t."),
                    }
                    for s, w in [("a", "1"), ("a", "2"), ("b", "1")]
                ],
                "personas": [{"persona": "nurse", "text": "You are a nurse."}],
                "controls": [{"control": "left", "text": "Left."}],
            },
        ),
    ],
)
def test_the_values_of_each_cluster_are_those_of_the_finished_items(
    protocol: str, spec: dict[str, Any]
) -> None:
    made = ss.design_items(protocol, spec)
    assert dict(made.values) == recounted(protocol, [dict(row) for row in made.rows])
    held = [n for n in made.values.values() if n]
    assert made.size == (len(held), round(harmonic_mean(held)))
    assert made.half_width() == pytest.approx(
        t.ppf(0.975, len(held) - 1)
        * made.sd
        * math.sqrt((1 + (made.size[1] - 1) * made.icc) / (made.size[0] * made.size[1])),
        rel=1e-12,
    )


def test_stories_given_go_to_the_items_they_name_and_none_may_lack() -> None:
    roles = [{"role": r, "domain": d} for r, d in (("nurse", "work"), ("son", "home"))]
    texts = {"roles": roles, "urgencies": ["1", "2"]}
    situations = [
        {"role": r["role"], "expectation": "help", "urgency": u, "situation": "s"}
        for r, u in itertools.product(roles, "12")
    ]
    plain = ss.design_items(
        "pairwise-roles", {**texts, "situations": situations, "story": "{situation_a}"}
    )
    names = [row["item_id"] for row in plain.rows]
    assert len(names) == 4
    stories = [{"item_id": name, "story": f"Story of {name}."} for name in names]
    spec = {**texts, "situations": situations, "stories": stories}
    made = ss.design_items("pairwise-roles", spec)
    assert {row["item_id"]: row["story"] for row in made.rows} == {
        name: f"Story of {name}." for name in names
    }
    with pytest.raises(InputError, match=f"no story of item '{names[-1]}'"):
        ss.design_items("pairwise-roles", {**spec, "stories": stories[:-1]})


BAD: list[tuple[str, dict[str, Any], str]] = [
    ("who", {}, "no protocol 'who'"),
    ("who-is-right", {"nams": []}, "unknown key 'nams'. Did you mean 'names'"),
    ("who-is-right", {"names": NAMES}, "no 'scenarios'"),
    (
        "who-is-right",
        {"scenarios": scenarios(1), "names": NAMES, "pairs": 101},
        "pairs=101: man and man have 90 pairs",
    ),
    ("who-is-right", {"scenarios": scenarios(1), "names": NAMES, "pairs": 7}, "pairs=7: odd"),
    (
        "who-is-right",
        {"scenarios": [{"scenario": "s", "text": "NAME1 only"}], "names": NAMES},
        "lacks NAME1 or NAME2",
    ),
    ("who-is-right", {"scenarios": scenarios(1) * 2, "names": NAMES}, "'s0' was already used"),
    ("who-is-right", {"scenarios": scenarios(1), "names": NAMES, "draw": "often"}, "draw='often'"),
    ("who-is-right", {"scenarios": scenarios(1), "names": [{"name": "x"}]}, "no column 'group'"),
    ("who-is-right", {"scenarios": 3, "names": NAMES}, "scenarios=3: neither the name of a table"),
    (
        "pairwise-roles",
        {
            "roles": [{"role": "a", "domain": "x"}, {"role": "b", "domain": "y"}],
            "obligations": [{"obligation": "o"}],
        },
        "no text of expectation 'a-1'",
    ),
    ("pairwise-roles", {"roles": [{"role": "a", "domain": ""}]}, "column 'domain': empty"),
    (
        "who-is-right",
        {"scenarios": scenarios(1, pair="x"), "names": NAMES},
        "two parts have a column 'pair'",
    ),
    (
        "ordinal",
        {"rules": [{"item_id": "1", "text": "x"}], "precision": {"sd": "a"}},
        "sd='a' is no",
    ),
    (
        "ordinal",
        {"rules": [{"item_id": "1", "text": "x"}], "precision": {"icc": 2}},
        "icc=2 is not a number between 0",
    ),
    (
        "ordinal",
        {"rules": [{"item_id": "1", "text": "x"}], "groups": ["g"], "wording": "{a}"},
        "{a} is no column",
    ),
]


@pytest.mark.parametrize(("protocol", "spec", "message"), BAD)
def test_what_is_wrong_is_named(protocol: str, spec: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        ss.design_items(protocol, spec)
    assert message in str(error.value)


def test_a_situation_that_is_missing_is_an_error() -> None:
    spec = role_design(pairs=400)
    spec["situations"] = spec["situations"][1:]
    with pytest.raises(
        InputError, match="role 'grandfather' has no situation of urgency 1 for expectation 1"
    ):
        ss.design_items("pairwise-roles", spec)
