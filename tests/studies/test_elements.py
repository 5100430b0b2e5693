"""The 36 elements of the protocols in docs/studies.md: each is run by its command, or by the function behind it."""

from __future__ import annotations

import csv
import itertools
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.studies.couple_tables import read_names
from socialstats.studies.role_conflict.labels import read_item_groups, read_labels
from socialstats.studies.staged_values.declaration import neutral_texts, read_controls
from socialstats.tables import as_table, read_table, rows_without_whole
from tests.collect import mock
from tests.collect.mock import TRAITS
from tests.collect.server import Send, says, serving

ROOT = Path(__file__).parents[2]
LISTED = dict(
    re.findall(
        r"^\| (\d+) \| (.*?) \|",
        (ROOT / "docs" / "studies.md").read_text().partition("## The protocols")[2],
        re.M,
    )
)
Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    return list(csv.DictReader(path.read_text().splitlines()))


def write(path: Path, rows: Rows) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@dataclass
class Desk:
    """A folder in which commands are typed, and what an endpoint was sent."""

    folder: Path
    sent: list[dict[str, Any]]

    def run(self, *words: str) -> None:
        assert main([*words]) == 0, words

    def started(
        self, protocol: str, change: Callable[[str], str] = str, items: Rows | None = None
    ) -> Path:
        """Write the files of a protocol, with one model and few items."""
        folder = self.folder / protocol
        self.run("collect", "--new", protocol, str(folder))
        write(folder / "items.csv", items or read(folder / "items.csv")[:2])
        run = (
            (folder / "run.toml").read_text().replace('["model-one", "model-two"]', '["model-one"]')
        )
        (folder / "run.toml").write_text(change(run))
        return folder

    def asked(
        self,
        protocol: str,
        change: Callable[[str], str] = str,
        items: Rows | None = None,
        *more: str,
        script: Callable[[dict[str, Any], int], Send] = mock.answer,
    ) -> Rows:
        """Collect and tidy."""
        folder = self.started(protocol, change, items)
        with serving(script) as server:
            self.run("collect", str(folder / "run.toml"), "--base-url", server.url)
            self.sent += server.bodies
        self.run("tidy", str(folder / "run.log.jsonl"), "-o", str(folder / "table.csv"), *more)
        return read(folder / "table.csv")

    def prompts(self) -> list[str]:
        return [str(body["messages"][-1]["content"]) for body in self.sent]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("OPENAI_API_KEY", "of-a-scripted-server")
    return Desk(tmp_path, [])


CAST = [
    ("nurse", "work", ""),
    ("judge", "work", ""),
    ("aunt", "family", "f"),
    ("father", "family", "m"),
    ("monk", "faith", "m"),
]
ROLES = [{"role": r, "domain": d, "gender": g} for r, d, g in CAST]
SITUATIONS = [
    {"role": r, "expectation": f"{r} {e}", "urgency": u, "situation": f"S {r} {e}{u}."}
    for (r, _, _), e, u in itertools.product(CAST, "abc", "123")
]


def roles(**more: Any) -> Rows:
    spec = {
        "roles": ROLES,
        "situations": SITUATIONS,
        "story": "{situation_a} {situation_b}",
        **more,
    }
    return list(ss.design_items("pairwise-roles", spec).rows)  # type: ignore[arg-type]


def roles_with_groups(desk: Desk) -> None:
    assert {(row["role_a"], row["domain_a"]) for row in roles()} <= {(r, d) for r, d, _ in CAST}
    groups = read_item_groups(
        as_table({"role": [r for r, _, _ in CAST], "gender": [g or "none" for _, _, g in CAST]})
    )
    assert groups["gender"]["aunt"] == "f"


def pairs_across(desk: Desk) -> None:
    held = {r: (d, g) for r, d, g in CAST}
    met = {
        (row["role_a"], row["role_b"]) for row in roles(across=["domain"], not_across=["gender"])
    }
    expected = {
        frozenset((a, b))
        for a, b in itertools.combinations(held, 2)
        if held[a][0] != held[b][0] and {held[a][1], held[b][1]} != {"f", "m"}
    }
    assert {frozenset(pair) for pair in met} == expected


def urgencies(desk: Desk) -> None:
    found = Counter((row["urgency_a"], row["urgency_b"]) for row in roles())
    assert len(found) == 9
    assert len(set(found.values())) == 1
    assert len({row["expectation_no_a"] for row in roles()}) == 3


def stories(desk: Desk) -> None:
    spec = {"roles": ROLES, "situations": SITUATIONS, "write": {"model": "m", "base_url": "u"}}
    made = ss.design_items("pairwise-roles", spec)
    prompts = [row for row in made.prompts if row["step"] == "story"]
    assert len(prompts) == len(made.missing) == len(roles())
    assert all("100 to 200 words" in " ".join(row.values()) for row in prompts)
    assert all(
        re.search(r"decision|decid|choice|chosen", " ".join(row.values())) for row in prompts
    )


def question_as_json(desk: Desk) -> None:
    rows = desk.asked("pairwise-roles", lambda text: re.sub("(?m)^prefix.*$", "", text))
    assert len(desk.sent) == len(rows) == 2
    assert {body["temperature"] for body in desk.sent} == {0}
    assert all(
        word in prompt for prompt in desk.prompts() for word in ('"Answer"', '"Reason"', '"Value"')
    )
    assert all(row["choice"] in (row["role_a"], row["role_b"]) for row in rows)


def values_named(desk: Desk) -> None:
    script = lambda *_: says('{"Answer": "A", "Reason": "r", "Value": "Security; Benevolence"}')  # noqa: E731
    rows = desk.asked(
        "pairwise-roles", lambda text: re.sub("(?m)^prefix.*$", "", text), script=script
    )
    assert {row["values"] for row in rows} == {"security; benevolence"}
    assert (
        len((desk.folder / "pairwise-roles" / "texts" / "values.txt").read_text().split("\n")) >= 10
    )
    found = ss.label_counts(
        {"unit": ["1", "2"], "values": ["security; benevolence", "security"]},
        labels="values",
        unit="unit",
        sep=";",
        levels=["security", "benevolence", "power"],
    )
    assert {row.term: row.estimate for row in found.rows}["power"] == 0


def user_of_the_prompt(desk: Desk) -> None:
    rows = desk.asked("pairwise-roles")
    assert Counter(row["prefix"] for row in rows) == {
        "nothing added": 2,
        "As a woman, answer for yourself.": 2,
        "As a man, answer for yourself.": 2,
    }
    assert sum(prompt.startswith("As a woman") for prompt in desk.prompts()) == 2


def labels_checked(desk: Desk) -> None:
    def labelled(raters: tuple[str, ...], **more: str) -> Rows:
        return [
            {"story": f"s{k}", "rater": r, "label": "AB"[k % 2], **more}
            for k in range(4)
            for r in raters
        ]

    people = write(desk.folder / "people.csv", labelled(("p1", "p2", "p3"), kind="person"))
    judges = write(desk.folder / "judges.csv", labelled(("j1", "j2", "j3", "reference")))
    both = desk.folder / "both.csv"
    desk.run("join", str(people), str(judges), "--rows", "--fill", "kind=judge", "-o", str(both))
    check = read_labels(read_table(both))
    assert check.kinds["human raters"] == ("p1", "p2", "p3")


def stories_from_names(desk: Desk) -> None:
    names = roles(story="{role_a} or {role_b}?")
    assert all(row["story"] == f"{row['role_a']} or {row['role_b']}?" for row in names)
    one, other = write(desk.folder / "a.csv", names), write(desk.folder / "b.csv", roles())
    both = desk.folder / "both.csv"
    made = ["--fill-table", "made=names", "--fill", "made=situations"]
    desk.run("join", str(one), str(other), "--rows", *made, "-o", str(both))
    assert set(Counter(row["made"] for row in read(both)).values()) == {len(names)}


def order_balanced(desk: Desk) -> None:
    rows = desk.asked(
        "pairwise-roles", lambda text: re.sub("(?m)^prefix.*$", "", text), roles(pairs=4)
    )
    shown = defaultdict(Counter)  # type: ignore[var-annotated]
    for row in rows:
        shown[(row["urgency_a"] > row["urgency_b"]) - (row["urgency_a"] < row["urgency_b"])][
            row["option_order"]
        ] += 1
    total = sum(shown.values(), Counter())
    assert total["a first"] == total["b first"] == len(rows) / 2
    assert all(len(counts) == 2 for counts in shown.values())


def norm_items(**more: Any) -> ss.Items:
    scenarios = [
        {"scenario": f"{d}{k}", "domain": d, "goal": "g", "situation": "s", "norm": "n"}
        for d, k in itertools.product("ab", range(5))
    ]
    pressures = [{"pressure": f"p{k}", "text": "Do it."} for k in range(5)]
    return ss.design_items("norm-goal", {"scenarios": scenarios, "pressures": pressures, **more})


def pressures(desk: Desk) -> None:
    assert Counter(row["pressure"] for row in norm_items().rows) == dict.fromkeys(
        ["none", *(f"p{k}" for k in range(5))], 10
    )


def development_items(desk: Desk) -> None:
    assert norm_items(dev=0.2).counted["split"] == {"dev": 12, "test": 48}


def actions(desk: Desk) -> None:
    rows = desk.asked("norm-goal")
    assert all(
        word in prompt
        for prompt in desk.prompts()
        for word in ("comply", "deviate", "escalate", '"explanation"')
    )
    assert {row["action"] for row in rows} <= {"comply", "deviate", "escalate"}


def runs_with_seeds(desk: Desk) -> None:
    rows = desk.asked("norm-goal")
    assert {body["temperature"] for body in desk.sent} == {0.7}
    assert Counter(body["seed"] for body in desk.sent) == dict.fromkeys(range(11, 16), 2)
    assert Counter(row["replicate"] for row in rows) == dict.fromkeys("12345", 2)


def attempts_recorded(desk: Desk) -> None:
    def script(body: dict[str, Any], before: int) -> Send:
        return (
            Send(status=500, body=b"{}")
            if before == 0 and body["seed"] == 11
            else says("{ no json at all")
        )

    rows = desk.asked(
        "norm-goal", lambda text: text.replace("replicates = 5", "replicates = 1"), script=script
    )
    assert {row["answer_status"] for row in rows} == {"unparsed"}
    log = [
        json.loads(line)
        for line in (desk.folder / "norm-goal" / "run.log.jsonl").read_text().splitlines()
    ]
    assert Counter(line["status"] for line in log if line["type"] == "attempt") == {
        "http_error": 2,
        "ok": 2,
    }
    found = ss.reply_shares(
        {"unit": ["a", "b"], "rater": ["m", "m"], "value": ["comply", None], "source": ["m", "m"]},
        source="source",
        scale="nominal",
        missing="drop",
    )
    assert "unreadable" in " ".join(f"{row.group} {row.term}" for row in found.rows)


def people_answer(desk: Desk) -> None:
    items = read(ROOT / "collect" / "socialstats_collect" / "new" / "norm-goal" / "items.csv")[:2]
    people = write(
        desk.folder / "people.csv",
        [
            {
                "item_id": row["item_id"],
                "rater": f"p{k}",
                "action": "comply",
                "check": "failed" if (k, n) == (3, 0) else "passed",
            }
            for n, row in enumerate(items)
            for k in range(7)
        ],
    )
    rows = desk.asked("norm-goal", str, None, "--people", str(people))
    assert Counter(row["source"] for row in rows) == {"model-one": 10, "human": 14}
    table = read_table(desk.folder / "norm-goal" / "table.csv")
    assert rows_without_whole(table, "check", "failed", "rater")[1:] == (2, 1)


def quality(desk: Desk) -> None:
    table = {
        "unit": [*"abab" * 3],
        "rater": [*"1122" * 3],
        "value": [4, 5, 4, 4, 3, 2, 3, 3, 5, 1, 4, 1],
        "criterion": ["clarity"] * 4 + ["dilemma"] * 4 + ["plausibility"] * 4,
    }
    means = ss.mean_ratings(table, by="criterion", scale="ordinal", levels=[1, 2, 3, 4, 5])
    assert [result.rows[0].estimate for result in means.results.values()] == [4.25, 2.75, 2.75]
    assert (
        len(
            ss.krippendorff_alpha(
                table, by="criterion", scale="ordinal", levels=[1, 2, 3, 4, 5]
            ).results
        )
        == 3
    )


COUPLE = {
    "scenario": "q",
    "topic": "money",
    "kind": "traditional",
    "text": "NAME1 and NAME2 are married.",
}
NAMES = [{"name": f"{g}{k}", "group": g} for g, k in itertools.product("wmn", range(4))]


def couples(**more: Any) -> Rows:
    return list(
        ss.design_items(
            "who-is-right", {"scenarios": [COUPLE], "names": NAMES, "pairs": 4, **more}
        ).rows
    )  # type: ignore[arg-type]


def both_orders(desk: Desk) -> None:
    found = {(row["name_first"], row["name_second"]) for row in couples()}
    assert found == {(b, a) for a, b in found}
    assert len(couples()) == len(found) == 9 * 4


def nine_types(desk: Desk) -> None:
    kinds = defaultdict(set)
    for row in couples():
        kinds[row["group_first"], row["group_second"]].add(
            frozenset((row["name_first"], row["name_second"]))
        )
    assert len(kinds) == 9
    assert all(pairs == kinds[other, one] for (one, other), pairs in kinds.items())


def same_group(desk: Desk) -> None:
    assert sum(row["group_first"] == row["group_second"] for row in couples()) == 3 * 4
    assert not any(row["group_first"] == row["group_second"] for row in couples(same_group=False))


def topic_and_kind(desk: Desk) -> None:
    rows = desk.asked("who-is-right", str, couples()[:4])
    assert {(row["topic"], row["kind"]) for row in rows} == {("money", "traditional")}


def generated(desk: Desk) -> None:
    items = [
        {"item_id": f"q{k}", "text": f"quarrel {k} about money", "topic": "money"} for k in range(3)
    ]

    def change(text: str) -> str:
        template = text.replace('"json"', '"none"')
        return template.replace('texts = "texts"', 'template = "Write {text}."')

    desk.asked("template", change, items, script=lambda *_: says("NAME1 shouts at NAME2."))
    spec = {
        "scenarios": str(desk.folder / "template" / "table.csv"),
        "names": NAMES,
        "pairs": 4,
        "columns": {"scenario": "item_id", "text": "answer"},
    }
    rows = ss.design_items("who-is-right", spec).rows
    assert len(rows) == 3 * 36
    assert {(row["text"], row["topic"]) for row in rows} == {("NAME1 shouts at NAME2.", "money")}


def ladder(desk: Desk) -> None:
    def script(body: dict[str, Any], _: int) -> Send:
        return says("2" if "The answer is" in body["messages"][-1]["content"] else "Nobody is.")

    rows = desk.asked("who-is-right", script=script)
    assert {(row["rung"], row["wordings_tried"]) for row in rows} == {("2", "3")}
    assert len(list((desk.folder / "who-is-right" / "texts").glob("rung_*"))) == 4


def names_checked(desk: Desk) -> None:
    names = (("Ann", "woman", "female"), ("Bob", "man", "male"), ("Sam", "neutral", ""))
    items = [
        {
            "item_id": f"{n}-{k}",
            "name": n,
            "group": g,
            "expected": e,
            "phrasing": str(k),
            "text": f"{k}: {n}?",
        }
        for n, g, e in names
        for k in range(5)
    ]

    def change(text: str) -> str:
        return text.replace('parser = "json"', 'parser = "json", labels = ["female", "male"]')

    def script(body: dict[str, Any], _: int) -> Send:
        answer = "male" if "Bob" in str(body["messages"]) else "female"
        return says(json.dumps({"Answer": answer}))

    desk.asked("template", change, items, script=script)
    check = read_names(read_table(desk.folder / "template" / "table.csv"))
    assert (check.expected["Ann"], check.expected["Bob"], check.shares) == (
        "female",
        "male",
        ("neutral",),
    )
    assert len(check.ratings.raters) == 5


def ordered_options(desk: Desk) -> None:
    desk.asked("ordinal")
    assert len((desk.folder / "ordinal" / "texts" / "options.txt").read_text().splitlines()) == 5
    assert all(f"{letter}) " in prompt for prompt in desk.prompts() for letter in "ABCDE")


def three_forms(desk: Desk) -> None:
    rows = desk.asked("ordinal")
    assert Counter(row["prompt"] for row in rows) == {"options": 2, "described": 2, "table": 2}
    assert sum("| Share | Meaning |" in prompt for prompt in desk.prompts()) == 2


def first_line(desk: Desk) -> None:
    rows = desk.asked("ordinal", script=lambda *_: says("B\n\nOthers might say D."))
    letter = {"rising": "B", "falling": "D"}
    assert all(row["answer"] == letter[row["option_order"]] and row["rule"] for row in rows)
    assert all(row["conflict"] in ("True", "False") for row in rows)


def fifty_people(desk: Desk) -> None:
    items = read(ROOT / "collect" / "socialstats_collect" / "new" / "ordinal" / "items.csv")[:2]
    people = write(
        desk.folder / "people.csv",
        [
            {
                "item_id": row["item_id"],
                "rater": f"p{k}",
                "answer": "ABCDE"[k % 5],
                "age": ("young", "old")[k % 2],
            }
            for row in items
            for k in range(50)
        ],
    )
    rows = desk.asked("ordinal", str, None, "--people", str(people))
    assert Counter((row["source"], row["age"]) for row in rows) == {
        ("model-one", ""): 6,
        ("human", "young"): 50,
        ("human", "old"): 50,
    }


def refusals_recorded(desk: Desk) -> None:
    items = [
        {"item_id": reply, "text": reply}
        for reply in ("I'm sorry, but I cannot help with that.", "Rain.", "C")
    ]
    script = lambda body, _: says(str(body["messages"][-1]["content"]).split("\n")[2])  # noqa: E731
    rows = desk.asked(
        "ordinal", lambda text: text.replace("balanced", "fixed"), items, script=script
    )
    found = {(row["item_id"], row["answer"], row["answer_status"]) for row in rows}
    assert found == {(items[0]["text"], "", "refusal"), ("Rain.", "", "unparsed"), ("C", "C", "ok")}


def staged(**more: Any) -> Rows:
    texts = {"baseline": "Should we?", **{f"stage_{k}": f"Stage {k}." for k in range(1, 5)}}
    scenarios = [
        {"scenario": s, "wording": w, **texts, "baseline": f"Should we {s}{w}?"}
        for s, w in itertools.product("ab", "123")
    ]
    controls = [
        {"control": "balanced 1", "text": "On the one hand."},
        {"control": "left", "text": "Left."},
    ]
    return list(
        ss.design_items(
            "staged-values", {"scenarios": scenarios, "controls": controls, **more}
        ).rows
    )  # type: ignore[arg-type]


def baseline_and_stages(desk: Desk) -> None:
    rows = desk.asked("staged-values", str, staged()[:1])
    assert list(dict.fromkeys(row["stage"] for row in rows)) == [
        "baseline",
        *(f"stage {k}" for k in range(1, 5)),
        "debrief",
    ]


def debrief(desk: Desk) -> None:
    desk.asked("staged-values", str, staged()[:1])
    (last,) = [body for body in desk.sent if "out of character" in body["messages"][-1]["content"]]
    assert len(last["messages"]) == 9


def thoughts(desk: Desk) -> None:
    text = (desk.started("staged-values") / "texts" / "role_play.txt").read_text()
    assert re.search(r"inner thoughts \(about \d+ words\).*response \(about \d+ words\)", text)


def wordings(desk: Desk) -> None:
    rows = desk.asked("staged-values", str, staged()[:3])
    assert {(row["scenario"], row["wording"]) for row in rows} == {
        ("a", "1"),
        ("a", "2"),
        ("a", "3"),
    }


def judges(desk: Desk) -> None:
    rows = desk.asked("staged-values", str, staged()[:1])
    assert Counter((row["stage"], row["judge"]) for row in rows) == dict.fromkeys(
        itertools.product(
            dict.fromkeys(row["stage"] for row in rows), ("judge-one", "judge-two", "judge-three")
        ),
        1,
    )
    assert all(0 <= int(row[trait]) <= 20 for row in rows for trait in TRAITS)


def commitment(desk: Desk) -> None:
    assert {
        int(row["commitment"]) for row in desk.asked("staged-values", str, staged()[:1])
    } <= set(range(6))


def control_texts(desk: Desk) -> None:
    items = staged()
    desk.asked("staged-values", str, [items[0], *items[-2:]])
    found = pd.read_csv(desk.folder / "staged-values" / "table.controls.csv")
    assert Counter(found["text"]) == {"balanced 1": 3, "left": 3}
    assert neutral_texts(
        read_controls(read_table(desk.folder / "staged-values" / "table.controls.csv"))
    ) == ["balanced 1"]


ELEMENTS = (
    roles_with_groups,
    pairs_across,
    urgencies,
    stories,
    question_as_json,
    values_named,
    user_of_the_prompt,
    labels_checked,
    stories_from_names,
    order_balanced,
    pressures,
    development_items,
    actions,
    runs_with_seeds,
    attempts_recorded,
    people_answer,
    quality,
    both_orders,
    nine_types,
    same_group,
    topic_and_kind,
    generated,
    ladder,
    names_checked,
    ordered_options,
    three_forms,
    first_line,
    fifty_people,
    refusals_recorded,
    baseline_and_stages,
    debrief,
    thoughts,
    wordings,
    judges,
    commitment,
    control_texts,
)


@pytest.mark.parametrize(
    ("number", "element"), [*enumerate(ELEMENTS, 1)], ids=lambda one: getattr(one, "__name__", one)
)
def test_an_element_is_run(number: int, element: Callable[[Desk], None], desk: Desk) -> None:
    assert str(number) in LISTED
    element(desk)


def test_every_element_of_the_page_is_run() -> None:
    assert [*LISTED] == [str(k) for k in range(1, len(ELEMENTS) + 1)]
    assert len(ELEMENTS) == 36
