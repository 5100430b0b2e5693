"""Three designs on the command line: what a table is read as, the pages, plans that work again, errors to act on."""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from socialstats.cli import main
from socialstats.errors import InputError
from socialstats.proposals.deciding import decide
from socialstats.tables import as_table
from socialstats_reports import read_results

sys.path.insert(0, str(Path(__file__).parents[1] / "studies"))
from study_tables import answers, ratings, scores

ORDERED = ("--levels", "low,medium,high", "--refusal", "refused")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    try:
        code = main(list(words))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out = capsys.readouterr()
    return code, out.out, out.err


def write(folder: Path, name: str, frame: pd.DataFrame) -> str:
    path = folder / name
    frame.to_csv(path, index=False)
    return str(path)


WAYS = {
    "ratings by three judges": (
        ratings,
        ("--strata", "domain", "--rater-groups", "kind", "--cluster", "story", *ORDERED),
        "agreement",
    ),
    "answers with scenarios": (
        answers,
        ("--conditions", "reminded,plain", "--cluster", "scenario"),
        "paired",
    ),
    "scores before and after": (
        scores,
        ("--conditions", "before,after", "--smallest-effect", "0.5"),
        "paired",
    ),
}


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.slow
def test_the_three_tables_have_a_verified_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    make, words, study = WAYS[name]
    page = tmp_path / "page.html"
    words = (write(tmp_path, "data.csv", make()), *words, "--resamples", "200", "-o", str(page))
    code, out, err = run(capsys, "report", *words)
    assert (code, out) == (0, ""), err
    html = page.read_text(encoding="utf-8")
    found = read_results(html)
    assert found["study"] == study
    checks = [
        check
        for one in found["verification"].values()
        for group in one["groups"]
        for check in group["checks"]
    ]
    assert len(checks) > 10
    assert not [check for check in checks if check["ok"] is False]
    assert f"<p>{found['verified']}" in html
    assert found["recomputed"]["agree"] > 10
    assert found["recomputed"]["disagree"] == 0
    assert len(html) < 600_000
    again = tmp_path / "again.html"
    assert run(capsys, "report", *words[:-1], str(again))[0] == 0
    assert read_results(again.read_text(encoding="utf-8"))["blocks"] == found["blocks"]


@pytest.mark.parametrize("name", WAYS)
@pytest.mark.slow
def test_check_describes_and_init_writes_a_plan_that_works(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    make, words, study = WAYS[name]
    words = tuple(
        w for k, w in enumerate(words) if "--smallest-effect" not in words[max(k - 1, 0) : k + 1]
    )
    data = write(tmp_path, "data.csv", make())
    code, described, _ = run(capsys, "check", data, *words)
    assert code == 0
    assert f"studies     {study}" in described
    code, plan, _ = run(capsys, "init", data, *words)
    assert code == 0
    content = tomllib.loads(plan)
    assert content["data"]["design"] == ("ratings" if study == "agreement" else "paired")
    path = tmp_path / "plan.toml"
    path.write_text(plan, encoding="utf-8")
    pages = [tmp_path / "with.json", tmp_path / "without.json"]
    more = ("--no-verify", "-q", "--resamples", "200", "-o", str(tmp_path / "p.html"))
    assert run(capsys, "report", "--plan", str(path), *more, "--json", str(pages[0]))[0] == 0
    assert run(capsys, "report", data, *words, *more, "--json", str(pages[1]))[0] == 0
    assert pages[0].read_text() == pages[1].read_text()


FAULTS = {
    "levels without an order": (
        ratings,
        (),
        "error: data.csv, column 'rating': the values are texts whose order is undeclared: 'high', 'low', 'medium' "
        "and 'refused'. Pass all levels, the lowest first, as --levels LOWEST,...,HIGHEST, or --scale nominal "
        "if they have none. Declare a refusal apart: --refusal LABEL\n",
    ),
    "a level with a typing error": (
        lambda: ratings().assign(rating=lambda d: d["rating"].where(d.index != 2, "medum")),
        ORDERED,
        "error: data.csv line 4, column 'rating': 'medum' is none of the levels ('low', 'medium' and 'high'). ",
    ),
    "a duplicated unit": (
        lambda: pd.concat([answers(), answers().iloc[[4]]]),
        ("--cluster", "scenario"),
        "error: data.csv line 6, column 'item': 's00-2' (condition 'plain') has 2 rows (2 rows: lines 6, 402). If they "
        "are several answers, say --map repeat=true to take their mean. Or leave copies out\n",
    ),
    "unequal pairs": (
        lambda: scores().drop(index=[5, 9]),
        (),
        "error: data.csv, column 'subject': 2 units without a partner: 38 units under 'after', 40 units under "
        "'before', 38 pairs. Add the missing rows, or say --missing drop to leave such units out\n"
        "error: data.csv line 6, column 'subject': 'p02' has no row under 'after'\n"
        "error: data.csv line 9, column 'subject': 'p04' has no row under 'after'\n",
    ),
    "one condition": (
        lambda: scores()[lambda d: d["time"] == "after"],
        (),
        "error: data.csv, column 'time': ",
    ),
    "a word among numbers": (
        lambda: (
            scores()
            .astype({"score": object})
            .replace({"score": {scores()["score"].iloc[3]: "n/a"}})
        ),
        (),
        "error: data.csv line ",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_errors_to_act_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str
) -> None:
    make, words, message = FAULTS[name]
    page = tmp_path / "page.html"
    data = write(tmp_path, "data.csv", make())
    code, out, err = run(capsys, "report", data, *words, "-o", str(page))
    assert (code, out) == (2, "")
    assert err.startswith(message)
    assert not page.exists()
    assert "='" not in err


def table(*columns: str) -> object:
    return as_table({column: ["a", "b"] for column in columns}, "t.csv")


@pytest.mark.parametrize(
    ("columns", "settings", "design"),
    [
        (("item_a", "item_b", "winner", "judge"), {}, "comparisons"),
        (("home", "away", "result"), {}, "comparisons"),
        (("unit", "condition", "value"), {}, "paired"),
        (("question", "model", "condition", "correct"), {}, "paired"),
        (("story", "judge", "rating", "model"), {}, "ratings"),
        (("id", "before", "after"), {}, "paired"),
        (("q", "arm", "points"), {"map": ["unit=q", "value=points"]}, "paired"),
        (("q", "who", "points"), {"map": ["unit=q", "rater=who", "value=points"]}, "ratings"),
        (("unit", "rater", "condition", "value"), {"design": "ratings"}, "ratings"),
        (("unit", "rater", "condition", "value"), {"conditions": ["a", "b"]}, "paired"),
        (("unit", "rater", "condition", "value"), {"refusal": ["x"]}, "ratings"),
        (("unit", "rater", "condition", "value"), {"by": "condition"}, "ratings"),
        (("unit", "rater", "condition", "value"), {"cluster": ["rater"]}, "paired"),
        (("x", "y"), {"map": ["cost_a=x", "cost_b=y"]}, "comparisons"),
    ],
)
def test_the_design_is_told_by_what_was_said_or_by_the_columns(
    columns: tuple[str, ...], settings: dict[str, object], design: str
) -> None:
    assert decide(table(*columns), settings) == design  # type: ignore[arg-type]


def test_columns_that_fit_two_designs_or_none_say_how_to_choose() -> None:
    with pytest.raises(InputError) as caught:
        decide(table("unit", "rater", "condition", "value"), {})  # type: ignore[arg-type]
    assert str(caught.value) == (
        "t.csv: the columns fit two designs (columns: unit, rater, condition and value). Say which: --design paired or "
        "--design ratings\n"
        "  paired (do conditions differ on the same units?): unit = unit, condition = condition, value = value\n"
        "  ratings (do raters or models agree, or models with people?): unit = unit, rater = rater, value = value"
    )
    with pytest.raises(InputError) as caught:
        decide(table("x", "y"), {})  # type: ignore[arg-type]
    lines = str(caught.value).split("\n")
    assert lines[0] == "t.csv: the columns fit no design (columns: x and y)"
    assert [line.split(":")[0] for line in lines[1:4]] == ["  comparisons", "  paired", "  ratings"]
    assert "no column for 'rater' (looked for rater, rater_id, judge" in lines[3]
    assert "Paired: --map unit=COLUMN --map condition=COLUMN --map value=COLUMN, or" in lines[4]
    with pytest.raises(
        InputError, match="--design x: the designs are comparisons, paired, ratings and groups"
    ):
        decide(table("x", "y"), {"design": "x"})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--tie", "draw"), "--tie is for comparisons; this table is read as paired"),
        (("--scale", "ordinal"), "--scale ordinal: scales of paired are binary, nominal, numeric"),
        (("--conditions", "a"), "--conditions a: name two, the first minus the second: A,B"),
        (
            ("--map", "rater=x"),
            "--map rater=x: no part 'rater' in paired. Parts: unit, condition, value",
        ),
        (("--map", "unit"), "--map unit: write part=column"),
        (("--where", "time"), "--where time: write it as COLUMN=VALUE"),
        (("--study", "agreement"), "no column for 'rater'"),
        (("--study", "nothing"), "no study 'nothing'. Studies: role-conflict, comparisons, "),
        (("--smallest-effect", "-1"), "--smallest-effect -1.0: it is a size, a number above 0"),
        (("--strata", "x"), "--strata is for ratings; this table is read as paired"),
    ],
)
def test_options_of_another_design_are_bad_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    data = write(tmp_path, "scores.csv", scores())
    design = () if "--study" in words else ("--design", "paired")
    code, out, err = run(capsys, "report", data, *design, *words, "-o", str(tmp_path / "p.html"))
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.slow
def test_where_repeats_and_goes_with_by(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    frame = pd.concat(
        [
            scores(s).assign(model=m, wave=w)
            for s, (m, w) in enumerate([("m1", 1), ("m2", 1), ("m1", 2), ("m2", 2)])
        ]
    )
    data = write(tmp_path, "s.csv", frame)
    words = (data, "--conditions", "before,after", "--where", "wave=2")
    code, out, err = run(capsys, "check", *words, "--where", "model=m1")
    assert code == 0, err
    assert "40 pairs, before and after" in out
    assert (
        "flow        rows read: 320 (s.csv)\nflow        wave is not '2': 160 (--where wave=2)\n"
        in out
    )
    assert "flow        model is not 'm1': 80 (--where model=m1)" in out
    code, out, err = run(capsys, "check", *words, "--by", "model")
    assert code == 0, err
    assert "by          model (m1 and m2)" in out
    code, _, err = run(capsys, "check", *words, "--where", "model=m9")
    assert code == 3
    assert "no row has model = 'm9'; values: m1 and m2" in err
    page = tmp_path / "p.html"
    code, _, err = run(
        capsys, "report", *words, "--by", "model", "--no-verify", "-q", "-o", str(page)
    )
    assert code == 0, err
    assert "m2: How much did before and after differ?" in page.read_text()


def test_one_row_a_unit(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wide = scores().pivot(index="subject", columns="time", values="score").reset_index()
    data = write(tmp_path, "wide.csv", wide)
    code, out, _ = run(capsys, "check", data)
    assert code == 0
    assert "difference  after minus before" in out
    code, out, _ = run(capsys, "check", data, "--map", "first=after", "--map", "second=before")
    assert code == 0
    assert "difference  after minus before" in out
    code, _, err = run(capsys, "check", data, "--map", "first=after")
    assert code == 2
    assert "--map second=COLUMN is missing" in err


def test_the_unit_is_no_cluster_and_two_groups_are_no_pairs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    data = write(tmp_path, "s.csv", scores())
    code, _, err = run(capsys, "check", data, "--cluster", "subject")
    assert code == 2
    assert "'subject' already is the unit" in err
    assert "leave --cluster out" in err
    half = scores()
    groups = write(tmp_path, "g.csv", half[(half["subject"] < "p20") == (half["time"] == "before")])
    for words in ((), ("--unmatched", "drop")):
        code, _, err = run(capsys, "check", groups, *words)
        assert code == 2
        assert (
            "no unit has a value under both conditions (20 units under 'after', 20 other units under 'before')"
            in err
        )
        assert "two independent groups, not pairs" in err


@pytest.mark.parametrize(
    "make", [scores, lambda: ratings().assign(rating=lambda d: d.index % 4 + 1.5)]
)
def test_decimal_commas_are_answered_with_a_cure(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, make: Any
) -> None:
    frame = make()
    name = frame.columns[-1]
    commas = frame.assign(**{name: frame[name].map(lambda x: f"{x:.1f}".replace(".", ","))})
    code, _, err = run(capsys, "check", write(tmp_path, "c.csv", commas))
    assert code == 2
    assert "is not spelled as a plain number" in err
    assert f"column '{name}'" in err
    assert "Write decimals with a point, as 1.5" in err
    assert "--scale nominal" in err


@pytest.mark.slow
def test_wide_ratings_name_their_raters(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    long = ratings()
    wide = long.pivot(index=["unit", "story"], columns="judge", values="rating").reset_index()
    data = write(tmp_path, "wide.csv", wide)
    words = ("--raters", "ann,bob,gpt_4", "--cluster", "story", *ORDERED)
    code, out, err = run(capsys, "check", data, *words)
    assert code == 0, err
    assert "raters      ann, bob and gpt_4" in out
    common = (
        "--study",
        "agreement",
        "--no-verify",
        "-q",
        "--resamples",
        "200",
        "-o",
        str(tmp_path / "p.html"),
    )
    pages = [tmp_path / name for name in ("wide.json", "long.json", "plan.json")]
    assert run(capsys, "report", data, *words, *common, "--json", str(pages[0]))[0] == 0
    long_data = write(tmp_path, "long.csv", long.drop(columns="kind"))
    assert run(capsys, "report", long_data, *words[2:], *common, "--json", str(pages[1]))[0] == 0
    plan = tmp_path / "plan.toml"
    plan.write_text(run(capsys, "init", data, *words)[1], encoding="utf-8")
    assert run(capsys, "report", "--plan", str(plan), *common, "--json", str(pages[2]))[0] == 0
    found = [
        [block["results"][0]["terms"] for block in json.loads(p.read_text())["blocks"][:2]]
        for p in pages
    ]
    assert found[0] == found[1] == found[2]
    code, _, err = run(capsys, "check", data, "--raters", "ann,bob", "--map", "value=ann")
    assert code == 2
    assert "with --raters the columns are raters" in err


IDLE = [
    (
        scores,
        ("--penalty", "firth"),
        "--penalty has no effect on study paired; it is for studies of comparisons",
    ),
    (scores, ("--ties", "davidson"), "--ties has no effect on study paired"),
    (scores, ("--adjust", "x"), "--adjust has no effect on study paired"),
    (ratings, ("--group", "x", *ORDERED), "--group has no effect on study agreement"),
    (
        ratings,
        ("--smallest-effect", "0.1", *ORDERED),
        "--smallest-effect has no effect on study agreement; it is for studies of paired",
    ),
    (
        scores,
        ("--effect-scale", "d_z"),
        "--effect-scale is the unit of --smallest-effect, which is not given",
    ),
    (
        scores,
        ("--strata", "subject"),
        "--strata is for ratings, and the columns of s.csv are those of paired",
    ),
    (
        answers,
        ("--smallest-effect", "3"),
        "--smallest-effect 3 cannot be: differences of shares lie within -1 and 1; "
        "did you mean 0.03?",
    ),
    (
        lambda: scores().assign(team=lambda d: d["subject"].str[-1]),
        ("--smallest-effect", "0.1", "--effect-scale", "d_z", "--cluster", "team"),
        "--effect-scale d_z needs independent pairs, and they are clustered by 'team'",
    ),
]


@pytest.mark.parametrize(("make", "words", "message"), IDLE)
def test_options_without_effect_are_refused(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    make: Any,
    words: tuple[str, ...],
    message: str,
) -> None:
    study = ("--study", "agreement") if make is ratings else ()
    data = write(tmp_path, "s.csv", make())
    code, out, err = run(
        capsys, "report", data, *study, *words, "--no-verify", "-o", str(tmp_path / "p.html")
    )
    assert (code, out) == (2, ""), err
    assert message in err
    assert not (tmp_path / "p.html").exists()


def test_a_caution_about_the_whole_table_stands_once_under_by(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    frame = pd.concat([answers(seed=s).assign(model=m) for s, m in ((1, "m1"), (2, "m2"))])
    alike = frame["scenario"].str[1:].astype(int) % 2 == 0
    frame.loc[alike & (frame["condition"] == "plain"), "correct"] = 0
    page = tmp_path / "p.html"
    words = (
        write(tmp_path, "a.csv", frame),
        "--map",
        "unit=item",
        "--map",
        "condition=condition",
        "--by",
        "model",
    )
    code, _, err = run(capsys, "report", *words, "--no-verify", "-o", str(page))
    assert code == 0, err
    assert err.count("caution: SS311") == 1
    assert "'scenario' (25 values; with it as a cluster, standard errors are" in err


def test_the_reproduce_block_says_what_was_counted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page = tmp_path / "p.html"
    assert (
        run(
            capsys,
            "report",
            write(tmp_path, "s.csv", scores()),
            "--no-verify",
            "-q",
            "-o",
            str(page),
        )[0]
        == 0
    )
    assert "<dt>rows</dt><dd>80 rows read, 40 pairs analysed</dd>" in page.read_text()


@pytest.mark.slow
def test_more_items_than_a_figure_shows_have_a_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pairs = [
        (f"p{k:03d}", f"p{(k + s) % 205:03d}", n)
        for k in range(205)
        for s in (1, 7, 31)
        for n in range(3)
    ]
    frame = pd.DataFrame(pairs, columns=["item_a", "item_b", "n"])
    frame["winner"] = frame["item_a"].where(
        frame["n"].to_numpy() > frame.index % 2, frame["item_b"]
    )
    page = tmp_path / "page.html"
    words = (
        write(tmp_path, "many.csv", frame.drop(columns="n")),
        "--no-verify",
        "--resamples",
        "100",
        "-o",
        str(page),
    )
    assert run(capsys, "report", *words)[0] == 0
    html = page.read_text(encoding="utf-8")
    assert "189 rows not drawn" in html
    assert len(read_results(html)["blocks"][0]["results"][0]["terms"]) >= 205
