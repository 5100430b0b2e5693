"""Tables under names that say nothing: what their rows have in common tells the parts. Data are simulated."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from socialstats.cli import main
from tests.cli.test_kinds import (
    Frame,
    coin,
    crossed,
    draw,
    first_of,
    likert,
    numbered,
    printed,
    share,
    with_scores,
)


def seats() -> Frame:
    """Two systems, shown in both orders."""
    rows = [
        (q, *sides)
        for q in numbered("wq", 60)
        for sides in (("old-ft", "stock"), ("stock", "old-ft"))
    ]
    frame = Frame(rows, columns=["wq", "seat_1st", "seat_2nd"])
    return frame.assign(
        call=draw().choice(["FIRST", "SECOND", "TIE"], len(frame)), secs=share(draw(2), len(frame))
    )


def seeds() -> Frame:
    frame = crossed(
        ["probe", "ckpt", "rng"], numbered("lo", 40), ["ck-1200", "ck-2400"], [11, 42, 1234]
    )
    return with_scores(frame, hit=coin, gen_len=lambda made, n: made.integers(90, 400, n))


def lines() -> Frame:
    """A row for each line of a summary, as many as it has."""
    made = draw()
    rows = [
        (doc, who, line, ("supported", "unsupported")[int(made.random() < 0.3)])
        for doc, who in itertools.product(numbered("rep", 30), ("digest", "precis-l", "precis-s"))
        for line in range(1, 3 + (len(who) + int(doc[3:])) % 4)
    ]
    return Frame(rows, columns=["report_doc", "abridger", "line_in_summary", "backing"])


def kinds() -> Frame:
    frame = crossed(["who", "stmt"], numbered("pa", 60), numbered("st", 14))
    frame["origin"] = frame["who"].map(
        lambda who: "panel" if int(who[2:]) < 40 else ("lynx", "puma")[int(who[2:]) % 2]
    )
    return with_scores(frame, agree7=likert)


def trials() -> Frame:
    made = draw()
    rows = [
        (sj, k, made.choice(["con", "inc"]), made.choice(["blue", "red", "green"]))
        for sj in numbered("sj", 25)
        for k in range(1, 61)
    ]
    frame = Frame(rows, columns=["sj", "trl", "flank", "ink"])
    return with_scores(frame, rt_ms=lambda made, n: made.normal(600, 80, n).round())


def anchors() -> Frame:
    frame = crossed(
        ["llm", "riddle", "anchor", "draw"],
        ["bison", "moose"],
        numbered("guess", 30),
        ["high", "low"],
        range(4),
    )
    frame.insert(0, "call_id", [f"{k:06x}" for k in draw().permutation(len(frame))])
    return with_scores(frame, estimate=lambda made, n: made.integers(900, 2500, n))


def minimal_pairs() -> Frame:
    frame = crossed(["mp", "lm"], numbered("agr#", 60), ["nano-a", "nano-b"])
    good = draw().normal(-40, 8, len(frame))
    return frame.assign(
        lp_ok=good.round(3), lp_star=(good - draw(2).normal(1, 2, len(frame))).round(3)
    )


def criteria() -> Frame:
    frame = crossed(["article", "writer"], numbered("doc_", 40), ["Lark", "Robin", "Wren"])
    return with_scores(frame, coh=likert, flu=likert, rel=likert)


def coders() -> Frame:
    labels = ["claim", "premise", "other"]
    return Frame(
        {
            "id": range(1, 81),
            "text": [f"t {k}" for k in range(80)],
            **{who: draw(k).choice(labels, 80) for k, who in enumerate(("mira", "jonas"))},
        }
    )


def briefs() -> Frame:
    names = ["avocet", "dunlin", "kestrel", "knot"]
    two = [draw(k).choice(names, 2, replace=False) for k in range(300)]
    frame = Frame(two, columns=["contender_x", "contender_y"])
    frame["better"] = np.where(draw().random(300) < 0.5, frame["contender_x"], frame["contender_y"])
    return frame.assign(brief_no=np.repeat(np.arange(11, 41), 10))


def answers_in_columns() -> Frame:
    """Three answers each of two systems, a column each."""
    return Frame(
        {
            "ex": numbered("e", 60),
            **{
                f"{who}_s{k}": share(draw(9 * k + len(who)), 60).round(3)
                for who in ("plain", "ft")
                for k in (1, 2, 3)
            },
        }
    )


def times_beside() -> Frame:
    frame = crossed(["k", "var", "run"], numbered("k", 40), ["v0", "v1", "v2"], ["a", "b"])
    return with_scores(frame, hit=coin, t=lambda made, n: made.lognormal(0.4, 0.6, n).round(2))


def keys_pressed() -> Frame:
    made = draw()
    rows = [
        (s, k, made.choice(["left", "right"]), made.choice(["congruent", "incongruent"]))
        for s in range(1, 25)
        for k in range(1, 41)
    ]
    frame = Frame(rows, columns=["subj", "trial", "button", "congruency"])
    return with_scores(frame, rt=lambda made, n: made.normal(500, 70, n).round())


def few_texts() -> Frame:
    frame = crossed(["encuestado", "texto"], numbered("e", 60), ["T1", "T2", "T3", "T4"])
    frame["version"] = np.where((frame.index + frame.index // 4) % 2, "A", "B")
    return with_scores(frame, credibilidad=likert)


def labels_shown() -> Frame:
    frame = crossed(["pid", "stim"], numbered("p", 30), numbered("s", 12))
    frame["shown"] = np.where((frame.index + frame.index // 12) % 2, "AI", "human")
    return with_scores(frame, trust=likert)


def signed() -> Frame:
    rows = [
        (k // 5, *(("plain", "rewrite")[:: 1 if draw(k).random() < 0.5 else -1]))
        for k in range(150)
    ]
    frame = Frame(rows, columns=["scene", "panel_L", "panel_R"])
    return frame.assign(lean_to_R=draw().integers(-2, 3, len(frame)))


FIRST: dict[str, tuple[Callable[[], Frame], str]] = {
    "two sides that never agree": (
        seats,
        "--map item_a=seat_1st --map item_b=seat_2nd --map winner=call --winner-coding side --tie TIE "
        "--cluster wq",
    ),
    "the same numbers in each cell": (
        seeds,
        "--map unit=probe --map condition=ckpt --map value=hit --map repeat=rng --conditions ck-1200,ck-2400",
    ),
    "numbers that count up in each cell": (
        lines,
        "--study leaderboard --map rater=abridger --map unit=report_doc --map value=backing "
        "--map repeat=line_in_summary",
    ),
    "signed grades": (
        signed,
        "--map item_a=panel_R --map item_b=panel_L --map winner=lean_to_R --winner-coding grade "
        "--cluster scene",
    ),
    "kinds of those who answer": (
        kinds,
        "--map unit=stmt --map rater=who --map value=agree7 --rater-groups origin",
    ),
    "trials": (
        trials,
        "--map unit=sj --map condition=flank --map value=rt_ms --map repeat=trl --conditions con,inc",
    ),
    "two conditions within models": (
        anchors,
        "--map unit=riddle --map condition=anchor --map value=estimate --map repeat=draw "
        "--conditions high,low --by llm",
    ),
    "two numbers a row of a plan": (
        minimal_pairs,
        "--map unit=mp --map first=lp_ok --map second=lp_star --by lm",
    ),
    "criteria in a plan": (
        criteria,
        "--study leaderboard --map rater=writer --map unit=article --map value=coh",
    ),
    "several answers in columns": (
        answers_in_columns,
        "--map unit=ex --map first=ft_s1 --map second=plain_s1",
    ),
    "right or wrong before how long": (
        times_beside,
        "--study leaderboard --map rater=var --map unit=k --map value=hit --map repeat=run",
    ),
    "what was pressed is no condition": (
        keys_pressed,
        "--map unit=subj --map condition=congruency --map value=rt --map repeat=trial "
        "--conditions congruent,incongruent",
    ),
    "many persons before few texts": (
        few_texts,
        "--map unit=encuestado --map condition=version --map value=credibilidad --map repeat=texto "
        "--conditions A,B",
    ),
    "codes": (coders, "--raters mira,jonas --scale nominal --map unit=id"),
    "whole numbers that list briefs": (
        briefs,
        "--map item_a=contender_x --map item_b=contender_y --map winner=better --cluster brief_no",
    ),
}


@pytest.mark.parametrize(("make", "command"), FIRST.values(), ids=FIRST)
def test_structure_tells_the_parts(
    make: Callable[[], Frame], command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = first_of(printed(make(), tmp_path / "t.csv", capsys))
    assert found == shlex.join(shlex.split(f"report {command}"))


def menu() -> Frame:
    made, names = draw(), ["ibex", "eland", "oryx", "kudu"]
    rows = [[f"gen{k // 4:03}", *made.permutation(names)] for k in range(200)]
    frame = Frame(rows, columns=["story", "slot1", "slot2", "slot3", "slot4"])
    return frame.assign(took=[row[1 + int(made.integers(4))] for row in rows])


def counts() -> Frame:
    table = Frame(
        {"gender": ["female", "male", "other"], "study_1": [41, 35, 3], "study_2": [38, 44, 2]}
    )
    table.loc[len(table)] = ["total", *table[["study_1", "study_2"]].sum()]
    return table


def prices() -> Frame:
    names = [f"lab/v{k}" for k in range(9)]
    return Frame(
        {
            "model": names,
            "input_usd_per_1M": share(draw(), 9),
            "output_usd_per_1M": share(draw(2), 9),
            "context_window": [2**k for k in range(9, 18)],
        }
    )


def counts_out_of() -> Frame:
    frame = crossed(["model", "harm"], ["ox", "elk"], numbered("h", 6))
    n = draw().integers(90, 120, len(frame))
    return frame.assign(n_refused=(n * share(draw(2), len(frame))).astype(int), n_total=n)


REFUSED: dict[str, tuple[Callable[[], Frame], str]] = {
    "a choice among four": (menu, "A choice among 4 options is no comparison of two"),
    "prices": (prices, "are prices. The rows are a list of what is offered"),
    "counts out of totals": (
        counts_out_of,
        "'n_refused' counts answers out of 'n_total' in each row",
    ),
    "counts of groups": (counts, "Rows of 'gender' are counts of groups, and 'total' is their sum"),
}


@pytest.mark.parametrize(("make", "word"), REFUSED.values(), ids=REFUSED)
def test_what_no_design_reads_is_refused_with_a_word(
    make: Callable[[], Frame], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(make(), tmp_path / "t.csv", capsys)
    assert word in text
    assert first_of(text) == ""


def test_a_label_that_was_shown_is_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "value=shown" not in printed(labels_shown(), tmp_path / "t.csv", capsys)


def test_labels_of_people_and_models_tell_sources_whatever_the_column_is_called(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It was a page on the agreement of all raters, which named the column nowhere."""
    frame = with_scores(
        crossed(["respondent", "question"], numbered("H", 24), numbered("Q", 12)), answer=likert
    )
    frame.insert(1, "sort", np.where(frame["respondent"] < "H020", "human", "llm"))
    path = tmp_path / "t.csv"
    frame.to_csv(path, index=False)
    assert main(["check", str(path)]) == 0
    assert "rater_source = sort" in capsys.readouterr().out
