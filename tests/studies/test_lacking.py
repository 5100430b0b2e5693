"""A table that does not suit the study asked for: the error says what about this table is in the way."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.errors import InputError
from socialstats.proposals.reading import read
from socialstats.studies import STUDIES, pick
from socialstats.tables import as_table

CHOICES = {
    "item_a": ["nun", "son", "son"],
    "item_b": ["son", "aunt", "nun"],
    "winner": ["nun", "aunt", "nun"],
}
RATINGS = {
    "unit": [f"s{k // 4}" for k in range(24)],
    "rater": [f"r{k % 4}" for k in range(24)],
    "source": [("human", "human", "model", "model")[k % 4] for k in range(24)],
    "value": [("stay", "go", "ask")[k * 7 % 3] for k in range(24)],
}
NAMED = {"map": ["rater_source=source"]}


def refused(study: str, columns: dict[str, list[object]], **settings: object) -> str:
    said = {"study": study, **settings}
    with pytest.raises(InputError) as error:
        pick(STUDIES, study, read(as_table(pd.DataFrame(columns)), said, STUDIES[study].design))
    return str(error.value)


@pytest.mark.parametrize(
    ("a", "b", "reason"),
    [
        ([1, 2, 3], [1, 2, 3], "urgency is the same on both sides of all 3 comparisons"),
        (
            ["low", "high", "low"],
            ["low", "low", "mid"],
            "urgency is words ('low', 'high' and 'mid')",
        ),
        (None, None, "there are no columns urgency_a and urgency_b (covariates found: none)"),
    ],
)
def test_urgency(a: list[object] | None, b: list[object] | None, reason: str) -> None:
    columns: dict[str, list[object]] = {name: [*values] for name, values in CHOICES.items()}
    columns |= {} if a is None or b is None else {"urgency_a": a, "urgency_b": b}
    assert refused("role-conflict", columns).startswith(
        f"study 'role-conflict' cannot be run: {reason}"
    )


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (("one", "one", "model", "model"), "column 'source' says 'model' and 'one'"),
        (("human",) * 4, "all raters are of one source, 'human' (column 'source')"),
        (("model",) * 4, "all raters are of one source, 'model' (column 'source')"),
    ],
)
def test_sources(source: tuple[str, ...], reason: str) -> None:
    columns: dict[str, list[object]] = {**RATINGS, "source": [source[k % 4] for k in range(24)]}
    assert reason in refused("norm-goal", columns, **NAMED)


def test_other_reasons() -> None:
    columns: dict[str, list[object]] = {**RATINGS}
    without = {name: values for name, values in columns.items() if name != "source"}
    assert "--map rater_source=COLUMN" in refused("norm-goal", without)
    assert "--scale nominal" in refused(
        "norm-goal", columns, levels=["stay", "ask", "go"], scale="ordinal", **NAMED
    )
    ordered = {"levels": ["stay", "ask", "go"], **NAMED}
    assert "five of them or more; 'human' has 2 raters" in refused(
        "ordinal-alignment", columns, **ordered
    )
    assert "say --levels" in refused("ordinal-alignment", columns, scale="nominal", **NAMED)
    assert "--by COLUMN" in refused(
        "compare", {name: [*values] for name, values in CHOICES.items()}
    )
    one = {**{name: [*values] for name, values in CHOICES.items()}, "model": ["m"] * 3}
    assert "column 'model' has the single value 'm'" in refused("compare", one, by="model")


def test_norm_goal_takes_its_own_scale(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = pd.DataFrame(RATINGS).rename(columns={"value": "action"})
    table.to_csv(tmp_path / "t.csv", index=False)
    assert main(["check", str(tmp_path / "t.csv"), "--study", "norm-goal"]) == 0
    assert "nominal" in capsys.readouterr().out
    design = read(as_table(table), {"study": "norm-goal"}, "ratings")
    assert (design.scale, design.columns["value"]) == ("nominal", "action")  # type: ignore[union-attr]
    assert (
        read(
            as_table(table), {"study": "norm-goal", "levels": ["stay", "ask", "go"]}, "ratings"
        ).scale
        == "nominal"
    )  # type: ignore[union-attr]


def test_a_group_that_no_rater_has() -> None:
    columns: dict[str, list[object]] = {**RATINGS, "age": [None] * 24}
    said = refused("norm-goal", columns, rater_groups=["age"], **NAMED)
    assert "column 'age': no rater has a value" in said
    assert "rater_groups=" in said


def test_a_single_pair_of_items() -> None:
    table = {
        "item_a": ["nun", "son"],
        "item_b": ["son", "nun"],
        "winner": ["nun", "son"],
        "urgency_a": [1, 2],
        "urgency_b": [2, 1],
    }
    said = refused("role-conflict", {name: [*values] for name, values in table.items()})
    assert "all comparisons are between 'nun' and 'son'" in said
    assert (
        pick(STUDIES, None, read(as_table(pd.DataFrame(table)), {}, "comparisons")).name
        == "comparisons"
    )


def test_a_level_without_finite_strengths_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ring = [(a, b, won) for a, b in ("ab", "bc", "ca") for won in (a, b)] + [("b", "a", "a")]
    lines = [f"{a},{b},{won},m1" for a, b, won in ring]
    lines += [f"{a},{b},{'a' if 'a' in (a, b) else won},m2" for a, b, won in ring]
    (tmp_path / "t.csv").write_text(
        "item_a,item_b,winner,model\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )
    said = ["--study", "compare", "--by", "model", "-o", str(tmp_path / "p.html"), "--no-verify"]
    assert main(["report", str(tmp_path / "t.csv"), *said]) == 0
    capsys.readouterr()
    assert main(["show", str(tmp_path / "p.html")]) == 0
    assert (
        "The strengths of m2 are undefined: no finite strengths exist; 'a' never lost"
        in capsys.readouterr().out
    )
    (tmp_path / "t.csv").write_text(
        "item_a,item_b,winner,model\n"
        + "\n".join(line.replace("m2", model) for model in ("m2", "m3") for line in lines[7:]),
        encoding="utf-8",
    )
    assert main(["report", str(tmp_path / "t.csv"), *said]) == 3
    assert capsys.readouterr().err.startswith(
        "error: m2: no finite strengths exist: 'a' never lost"
    )
