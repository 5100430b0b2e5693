"""Log-probabilities of an endpoint, from the run file to the page: columns of the table, and what the studies read."""

from __future__ import annotations

import csv
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from socialstats_collect.ask import Ask, Reply, Unit
from socialstats_collect.protocols.base import Settings
from socialstats_collect.protocols.norms import Norms
from socialstats_collect.protocols.roles import RoleChoice
from socialstats_collect.protocols.shares import Shares
from socialstats_collect.protocols.who import Who
from tests.collect.mock import answer
from tests.collect.server import Send, serving

ASKED = Settings(parameters={"logprobs": True, "top_logprobs": 20})


def reply(before: str, likely: dict[str, float], after: str = "") -> Reply:
    """A reply whose answer token is the first of the likely ones."""

    def token(text: str, p: float, others: dict[str, float]) -> dict[str, Any]:
        top = [{"token": name, "logprob": math.log(q)} for name, q in others.items()]
        return {"token": text, "logprob": math.log(p), "top_logprobs": top}

    chosen = next(iter(likely))
    parts = [(before, {before: 1.0}), (chosen, likely), (after, {after: 1.0})]
    content = [token(text, others[text], others) for text, others in parts if text]
    return Reply(
        key="", status="ok", content=before + chosen + after, logprobs={"content": content}
    )


def row(protocol: Any, unit: Unit, *replies: Reply) -> dict[str, Any]:
    (found,) = protocol.rows(unit, [(Ask(model="m", messages=()), one) for one in replies])
    return {name: value for name, value in found.items() if name.startswith("p_")}


def unit(order: str = "", **item: str) -> Unit:
    return Unit(item_id="1", item=item, factors={"model": "m", "order": order, "prompt": "options"})


@pytest.mark.parametrize(("order", "of_a"), [("a first", 0.8), ("b first", 0.2)])
def test_roles_have_the_probabilities_by_place_and_that_of_the_first_column(
    order: str, of_a: float
) -> None:
    said = reply('{"Answer": "', {"A": 0.72, "B": 0.18, "C": 0.06, "x": 0.0001}, '"}')
    found = row(RoleChoice(ASKED), unit(order, role_a="aunt", role_b="boss"), said)
    assert (found["p_first"], found["p_second"], found["p_rest"]) == pytest.approx(
        (0.72, 0.18, 0.1)
    )
    assert found["p_role_a"] == pytest.approx(of_a)  # given that the answer is one of both
    assert found["p_reason"] is None


def test_options_of_an_ordinal_question_are_the_tables_own_letters() -> None:
    likely = {"A": 0.6, "B": 0.2, "C": 0.1, "D": 0.05, "E": 0.04, "F": 0.0005}
    rising, falling = (
        row(Shares(ASKED), unit(order, text="t"), reply("", likely))
        for order in ("rising", "falling")
    )
    assert [rising[f"p_{x}"] for x in "ABCDE"] == pytest.approx([0.6, 0.2, 0.1, 0.05, 0.04])
    assert [falling[f"p_{x}"] for x in "EDCBA"] == pytest.approx([0.6, 0.2, 0.1, 0.05, 0.04])


@pytest.mark.parametrize(("order", "first"), [("first is 1", 0.9), ("second is 1", 0.1)])
def test_names_have_their_own_probability_whatever_their_number(order: str, first: float) -> None:
    said = reply("", {"1": 0.9, "2": 0.1})
    found = row(
        Who(ASKED), unit(order, text="NAME1, NAME2", name_first="Ann", name_second="Bob"), said
    )
    assert (found["p_first"], found["p_second"]) == pytest.approx((first, 1 - first))


def test_actions_begin_with_their_token() -> None:
    found = row(
        Norms(ASKED),
        unit(goal="g"),
        reply('{"action": "', {"com": 0.5, "dev": 0.3, "esc": 0.2}, 'ply"}'),
    )
    assert [found[f"p_{x}"] for x in ("comply", "deviate", "escalate")] == pytest.approx(
        [0.5, 0.3, 0.2]
    )


def test_what_is_not_listed_is_0_where_it_is_nearly_so_and_else_not_known() -> None:
    sure = reply("", {"A": 0.9995, "x": 0.0004})
    open_ = reply("", {"A": 0.9, "x": 0.05})
    found, unknown = (
        row(RoleChoice(ASKED), unit("a first", role_a="a", role_b="b"), one)
        for one in (sure, open_)
    )
    assert (found["p_second"], found["p_role_a"]) == (0.0, 1.0)
    assert (unknown["p_first"], unknown["p_second"], unknown["p_role_a"]) == (
        pytest.approx(0.9),
        None,
        None,
    )
    assert unknown["p_bound"] == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ((), "no_answer"),
        ((Reply(key="", status="ok", content="I cannot choose."),), "no_answer"),
        ((Reply(key="", status="ok", content="A"),), "none_given"),
    ],
)
def test_a_row_without_probabilities_has_the_columns_and_the_reason(
    replies: Any, reason: str
) -> None:
    pair = unit("a first", role_a="a", role_b="b")
    found = row(RoleChoice(ASKED), pair, *replies)
    assert found.pop("p_reason") == reason
    assert found == dict.fromkeys(("p_first", "p_second", "p_rest", "p_bound", "p_role_a"))
    assert row(RoleChoice(Settings()), pair, *replies) == {}


def with_logprobs(body: dict[str, Any], before: int) -> Send:
    """The mock's answer with log-probabilities of its token, which follow from the answer's length."""
    assert (body["logprobs"], body["top_logprobs"]) == (True, 20)
    told = json.loads(answer(body, before).body)
    (choice,) = told["choices"]
    text = str(choice["message"]["content"])
    found = re.search(r'(?<="Answer": ")[AB]|(?<="action": ")\w+|(?<!\w)[12](?!\w)', text)
    if found is None:
        return Send(body=json.dumps(told).encode())
    others = (
        "AB"
        if found[0] in "AB"
        else "12"
        if found[0] in "12"
        else ("comply", "deviate", "escalate")
    )
    p = 0.5 + (len(str(body["messages"])) % 40) / 100
    likely = {found[0]: p} | {
        name: (0.98 - p) / (len(others) - 1) for name in others if name != found[0]
    }
    tops = [{"token": name, "logprob": math.log(q)} for name, q in (*likely.items(), ("?", 1e-5))]
    parts = (text[: found.start()], found[0], text[found.end() :])
    content = [{"token": part, "logprob": 0.0, "top_logprobs": []} for part in parts]
    content[1] |= {"logprob": math.log(p), "top_logprobs": tops}
    choice["logprobs"] = {"content": content}
    return Send(body=json.dumps(told).encode())


def collected(name: str, folder: Path) -> Path:
    """The table of a shipped run file whose parameters ask for log-probabilities."""
    assert main(["collect", "--new", name, str(folder)]) == 0
    run = folder / "run.toml"
    asked = "[parameters]\nlogprobs = true\ntop_logprobs = 20\n"
    run.write_text(run.read_text().replace("[parameters]\n", asked, 1))
    with serving(with_logprobs) as server:
        assert main(["collect", str(run), "--base-url", server.url]) == 0
    assert main(["tidy", str(folder / "run.log.jsonl"), "-o", str(folder / "table.csv")]) == 0
    return folder / "table.csv"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


COLUMNS = {
    "pairwise-roles": ("p_first", "p_second"),
    "norm-goal": ("p_comply", "p_deviate", "p_escalate"),
}


def test_the_table_has_the_probabilities_of_the_endpoint(tmp_path: Path) -> None:
    rows = rows_of(collected("pairwise-roles", tmp_path))
    for one in rows:
        first, second, of_a = (float(one[name]) for name in ("p_first", "p_second", "p_role_a"))
        assert (first + second, float(one["p_rest"]), one["p_reason"]) == (
            pytest.approx(0.98),
            pytest.approx(0.02),
            "",
        )
        assert of_a == pytest.approx((first if one["first"] == one["role_a"] else second) / 0.98)
        assert (first > second) == (one["letter"] == "A") or first == pytest.approx(second)


READ = {
    "pairwise-roles": "--map winner=p_role_a --winner-coding probability --missing drop",
    "norm-goal": "--levels comply,deviate,escalate --probabilities p_",
    "who-is-right": "--probabilities p_",
}


def test_tidy_proposes_a_report_of_probabilities_only_where_there_are_any(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["collect", "--new", "who-is-right", str(tmp_path)]) == 0
    with serving(answer) as server:
        assert main(["collect", str(tmp_path / "run.toml"), "--base-url", server.url]) == 0
    assert main(["tidy", str(tmp_path / "run.log.jsonl"), "-o", str(tmp_path / "table.csv")]) == 0
    assert "probabilities" not in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pairwise-roles", "the first item"),
        ("norm-goal", "each level"),
        ("who-is-right", "each level"),
    ],
)
def test_the_page_says_what_was_sampled_and_what_was_read(
    name: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = collected(name, tmp_path)
    noted = capsys.readouterr().err
    (proposed,) = re.findall("next: socialstats report \\S+ (.*)", noted)
    assert proposed.endswith(READ[name])
    assert f"without {READ[name]} the report reads the sampled answers" in noted
    if name == "norm-goal":
        rows = rows_of(table)
        people = [
            {
                **one,
                "source": "human",
                "rater": f"p{k}",
                **dict.fromkeys([*COLUMNS[name], "p_rest"], ""),
            }
            for one in rows
            if one["replicate"] == "1" and one["model"] == rows[0]["model"]
            for k in range(3)
        ]
        with table.open("a", newline="") as file:
            csv.DictWriter(file, list(rows[0])).writerows(people)
    page = tmp_path / "page.html"
    options = [*proposed.split(), "--resamples", "100", "--no-verify", "-o", str(page)]
    assert main(["report", str(table), *options]) == 0
    text = page.read_text()
    assert f"what was read is the probability of {said} at the answer&#39;s place" in text
    assert "Other answers held 2.0% of the probability on average." in text
