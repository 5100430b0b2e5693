"""Kinds of tables that nobody prepared: what is proposed first, and what is refused with a word."""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from socialstats.cli import main

Frame = pd.DataFrame
NAMES = ["orca", "heron", "zebu", "newt"]


def draw(seed: int = 8) -> np.random.Generator:
    return np.random.default_rng(seed)


def battles(
    a: str, b: str, result: str, labels: list[str], n: int = 240, **more: list[str] | np.ndarray
) -> Frame:
    made = draw()
    two = [made.choice(NAMES, 2, replace=False) for _ in range(n)]
    found = {a: [x for x, _ in two], b: [y for _, y in two], result: made.choice(labels, n)}
    return Frame({**found, **{name: made.choice(values, n) for name, values in more.items()}})


def crossed(names: list[str], *levels: list[str]) -> Frame:
    return Frame([*itertools.product(*levels)], columns=names)


def numbered(stem: str, n: int) -> list[str]:
    return [f"{stem}{k:03}" for k in range(n)]


def with_scores(frame: Frame, **columns: Callable[[np.random.Generator, int], np.ndarray]) -> Frame:
    return frame.assign(
        **{name: make(draw(k), len(frame)) for k, (name, make) in enumerate(columns.items())}
    )


def likert(made: np.random.Generator, n: int) -> np.ndarray:
    return made.integers(1, 8, n)


def coin(made: np.random.Generator, n: int) -> np.ndarray:
    return made.integers(0, 2, n)


def share(made: np.random.Generator, n: int) -> np.ndarray:
    return made.random(n).round(3)


def printed(frame: Frame, path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    frame.to_csv(path, index=False)
    code = main(["check", str(path)])
    caught = capsys.readouterr()
    assert code == 2, caught.out
    return caught.out + caught.err


def first_of(text: str) -> str:
    """Return the first command that is proposed, without the name of the file; empty where there is none."""
    found = re.search(r"^  socialstats (.*)$", text, re.MULTILINE)
    return (
        shlex.join(word for word in shlex.split(found[1]) if not word.endswith(".csv"))
        if found
        else ""
    )


FIRST: dict[str, tuple[Callable[[], Frame], str]] = {
    # comparisons: what crosses pairs is a cluster
    "another game of the same sides": (
        lambda: battles(
            "bot_left",
            "bot_right",
            "vote",
            ["left", "right"],
            visitor=numbered("v", 40),
            visitor_before=["left", "right", "tie"],
        ),
        "report --map item_a=bot_left --map item_b=bot_right --map winner=vote --winner-coding side "
        "--cluster visitor",
    ),
    "draws beside winners": (
        lambda: battles("winner", "loser", "remis", ["0", "0", "0", "1"]),
        "report --map item_a=winner --map item_b=loser --map winner=winner --map drawn=remis",
    ),
    "voters": (
        lambda: battles(
            "bot_left",
            "bot_right",
            "vote",
            ["left", "right", "both bad"],
            visitor=numbered("v", 40),
            lang=["en", "de", "fr"],
        ),
        "report --map item_a=bot_left --map item_b=bot_right --map winner=vote --winner-coding side "
        "--tie 'both bad' --cluster visitor",
    ),
    "judges and prompts under unknown names": (
        lambda: battles(
            "answer_1",
            "answer_2",
            "verdict",
            ["1", "2"],
            who=numbered("x7-", 15),
            ref=numbered("zz", 60),
        ),
        "report --map item_a=answer_1 --map item_b=answer_2 --map winner=verdict --winner-coding side "
        "--cluster who --cluster ref",
    ),
    "graded, German": (
        lambda: battles(
            "Modell_A",
            "Modell_B",
            "Urteil",
            ["A viel besser", "A etwas besser", "unentschieden", "B etwas besser", "B viel besser"],
            Bewerter=numbered("B", 12),
        ),
        "report --map item_a=Modell_A --map item_b=Modell_B --map winner=Urteil --winner-coding side "
        "--tie unentschieden --cluster Bewerter",
    ),
    "graded, French": (
        lambda: battles(
            "modele_1",
            "modele_2",
            "jugement",
            [
                "1 nettement mieux",
                "1 un peu mieux",
                "égalité",
                "2 un peu mieux",
                "2 nettement mieux",
            ],
            consigne=numbered("c", 50),
        ),
        "report --map item_a=modele_1 --map item_b=modele_2 --map winner=jugement --winner-coding side "
        "--tie égalité --cluster consigne",
    ),
    "two verdicts a row": (
        lambda: battles(
            "player_one",
            "player_two",
            "first_winner",
            ["player_one", "player_two", "tie"],
            second_winner=["player_one", "player_two", "tie"],
            q=numbered("k", 30),
        ),
        "report --map item_a=player_one --map item_b=player_two --map winner=first_winner --winner-coding side "
        "--cluster q",
    ),
    # boards
    "scores, not costs": (
        lambda: with_scores(
            crossed(["llm", "task_no"], NAMES, numbered("t", 40)),
            latency_ms=likert,
            cost_usd=share,
            n_tokens=likert,
            f1=share,
        ),
        "report --study leaderboard --map rater=llm --map unit=task_no --map value=f1",
    ),
    "share beside its count": (
        lambda: with_scores(
            crossed(["llm", "problem"], NAMES, numbered("t", 40)), n_correct=likert, accuracy=share
        ),
        "report --study leaderboard --map rater=llm --map unit=problem --map value=accuracy",
    ),
    "wordings": (
        lambda: with_scores(
            crossed(["system", "frage", "paraphrase"], NAMES, numbered("f", 30), ["a", "b", "c"]),
            richtig=coin,
        ),
        "report --study leaderboard --map rater=system --map unit=frage --map value=richtig --map repeat=paraphrase",
    ),
    "scorers": (
        lambda: with_scores(
            crossed(["model", "doc", "scorer"], NAMES, numbered("d", 30), ["lenient", "strict"]),
            exact_match=coin,
        ),
        "report --study leaderboard --map rater=model --map unit=doc --map value=exact_match --where scorer=lenient",
    ),
    "judges of one answer": (
        lambda: with_scores(
            crossed(["chatbot", "item", "grader"], NAMES, numbered("d", 30), ["pat", "kim"]),
            points=likert,
        ),
        "report --study leaderboard --map rater=chatbot --map unit=item --map value=points --map repeat=grader",
    ),
    "keys and values": (
        lambda: with_scores(
            crossed(
                ["release", "entry_id", "key"],
                ["v-old", "v-new"],
                numbered("d", 30),
                ["tone", "truth"],
            ),
            value=share,
        ),
        "report --map unit=entry_id --map condition=release --map value=value --conditions v-new,v-old "
        "--where key=tone",
    ),
    "difficulty is no model": (
        lambda: Frame(
            {
                "item": numbered("k", 50),
                "difficulty": draw().integers(1, 6, 50),
                **{
                    name: draw(k).random(50)
                    for k, name in enumerate(("gpt-9", "claude-8", "llama-7"))
                },
            }
        ),
        "report --study leaderboard --raters gpt-9,claude-8,llama-7 --map unit=item",
    ),
    # before and after
    "Spanish": (
        lambda: with_scores(
            crossed(["paciente", "medida"], numbered("p", 30), ["antes", "después"]),
            dolor=likert,
            fecha=lambda made, n: np.tile(["2024-01-02", "2024-03-04"], n // 2),
        ),
        "report --map unit=paciente --map condition=medida --map value=dolor --conditions después,antes",
    ),
    "French, in columns": (
        lambda: Frame(
            {
                "sujet": numbered("s", 40),
                "âge": draw(1).integers(20, 60, 40),
                "stress_avant": draw(2).integers(10, 40, 40),
                "stress_après": draw(3).integers(10, 40, 40),
            }
        ),
        "report --map unit=sujet --map first=stress_après --map second=stress_avant",
    ),
    "occasions by number": (
        lambda: Frame(
            {
                "pid": numbered("s", 40),
                "pain_t0": draw(2).integers(10, 40, 40),
                "pain_t1": draw(3).integers(10, 40, 40),
            }
        ),
        "report --map unit=pid --map first=pain_t1 --map second=pain_t0",
    ),
    "conditions before blocks, reaction times before near certainty": (
        lambda: with_scores(
            crossed(
                ["subject", "block", "prime", "trial"],
                numbered("s", 12),
                ["1", "2"],
                ["same", "other"],
                numbered("", 5),
            ),
            rt=lambda made, n: made.normal(600, 60, n).round(),
            acc=lambda made, n: made.random(n) > 0.03,
        ),
        "report --map unit=subject --map condition=prime --map value=rt --map repeat=trial --map repeat=block "
        "--conditions other,same",
    ),
    "what was done, before when it was done": (
        lambda: with_scores(
            crossed(["volunteer_id", "wave"], numbered("v", 40), ["1", "2"]), trust=likert
        ).assign(
            tone=lambda t: np.where(
                (t.index // 2 + t["wave"].astype(int)) % 2 == 0, "formal", "casual"
            )
        ),
        "report --map unit=volunteer_id --map condition=tone --map value=trust --conditions casual,formal",
    ),
    "names of two groups, several names and judges each": (
        lambda: (
            with_scores(
                crossed(
                    ["case_id", "scored_by", "group", "k"],
                    numbered("c", 20),
                    ["bot x", "bot y"],
                    ["first", "other"],
                    ["1", "2"],
                ),
                score=likert,
            )
            .assign(called=lambda t: t["group"] + " name " + t["k"])
            .drop(columns="k")
        ),
        "report --map unit=case_id --map condition=group --map value=score --map repeat=scored_by --map repeat=called "
        "--conditions first,other",
    ),
    "a reply in full is no value": (
        lambda: with_scores(
            crossed(["prompt_id", "safety_prompt"], numbered("p", 40), ["on", "off"]), refused=coin
        ).assign(response=lambda t: [f"here is what I would say to number {k}" for k in t.index]),
        "report --map unit=prompt_id --map condition=safety_prompt --map value=refused --conditions off,on",
    ),
    # raters in columns
    "one word in common": (
        lambda: Frame(
            {
                "record": numbered("r", 60),
                **{
                    f"scores.{who}.rating": draw(k).integers(1, 6, 60)
                    for k, who in enumerate(("ada", "bo", "cy"))
                },
            }
        ),
        "report --raters scores.ada.rating,scores.bo.rating,scores.cy.rating --map unit=record",
    ),
    "people and models": (
        lambda: Frame(
            {
                "编号": range(1, 61),
                "人工": draw(1).choice(["好", "差", "中"], 60),
                "gpt-9": draw(2).choice(["好", "差", "中"], 60),
                "qwen-9": draw(3).choice(["好", "差", "中"], 60),
            }
        ),
        "report --raters 人工,gpt-9,qwen-9 --scale nominal --map unit=编号",
    ),
    "readings": (
        lambda: Frame(
            {
                "scan": numbered("c", 40),
                "age": draw(9).integers(30, 80, 40),
                **{
                    f"{who}_reading{k}": draw(k).integers(0, 4, 40)
                    for who in ("ana", "bea")
                    for k in (1, 2)
                },
            }
        ),
        "report --raters ana_reading1,bea_reading1 --map unit=scan",
    ),
    # answers of persons
    "choices": (
        lambda: with_scores(
            crossed(["person", "dilemma"], numbered("p", 30), numbered("d", 6)),
            decision=lambda made, n: made.choice(["act", "wait", "ask"], n),
        ),
        "estimate choice_shares --unit person --rater dilemma --value decision --scale nominal",
    ),
    "labels of several wordings": (
        lambda: with_scores(
            crossed(
                ["model", "prompt_id", "template"], NAMES[:2], numbered("p", 30), numbered("w", 4)
            ),
            option=lambda made, n: made.choice(["A", "B", "C"], n),
        ),
        "report --map unit=prompt_id,template --map condition=model --map value=option --conditions heron,orca "
        "--cluster prompt_id --scale nominal",
    ),
    "options that models chose": (
        lambda: battles(
            "first_offer",
            "second_offer",
            "taken",
            ["first", "second"],
            n=600,
            llm=["alder", "birch"],
            probe=numbered("p", 30),
        ),
        "report --map item_a=first_offer --map item_b=second_offer --map winner=taken --winner-coding side --by llm "
        "--cluster probe",
    ),
    "verdicts that failed": (
        lambda: battles(
            "left_bot", "right_bot", "verdict", ["left", "right"] * 8 + ["parse_error"], n=300
        ),
        "report --map item_a=left_bot --map item_b=right_bot --map winner=verdict --winner-coding side "
        "--na parse_error --missing drop",
    ),
    "a mark with a word for no answer": (
        lambda: with_scores(
            crossed(["aufgabe", "system", "lauf"], numbered("a", 20), NAMES[:3], ["1", "2"]),
            note=lambda made, n: np.where(
                made.random(n) < 0.04, "k. A.", made.integers(1, 7, n).astype(str)
            ),
        ),
        "report --study leaderboard --map rater=system --map unit=aufgabe --map value=note --map repeat=lauf "
        "--na 'k. A.' --missing drop",
    ),
    "weights beside answers": (
        lambda: with_scores(
            crossed(["question", "who"], numbered("q", 6), numbered("w", 40)),
            wt=lambda made, n: made.random(n).round(3),
            option=lambda made, n: made.choice(["more", "less", "same"], n),
        ).assign(source=lambda t: np.where(t["who"] < "w030", "human", "alder")),
        "report --map unit=question --map rater=who --map value=option --map rater_source=source --scale nominal",
    ),
    "a few settings between 0 and 1": (
        lambda: with_scores(
            crossed(
                ["phrase", "heat", "rng"],
                [f"A long text about matter number {k}" for k in range(24)],
                ["0.2", "0.7", "1.2"],
                ["108", "209", "311"],
            ),
            offer=lambda made, n: made.integers(5, 71, n),
        ),
        "report --study leaderboard --map rater=heat --map unit=phrase --map value=offer --map repeat=rng",
    ),
    "judges' points in columns": (
        lambda: Frame(
            {
                "reply": numbered("r", 60),
                "topic_area": [f"t{k // 5}" for k in range(60)],
                **{
                    f"pts_{name}": draw(k).integers(1, 11, 60)
                    for k, name in enumerate(("gpt4o", "sonnet", "gemini"))
                },
            }
        ),
        "report --raters pts_gpt4o,pts_sonnet,pts_gemini --map unit=reply",
    ),
    "pairs in columns within documents": (
        lambda: Frame(
            {
                "vignette": numbered("v", 48),
                "chapter": [f"c{k // 4}" for k in range(48)],
                "warmth_plain": draw().integers(0, 101, 48),
                "warmth_persona": draw(2).integers(0, 101, 48),
            }
        ),
        "report --map unit=vignette --map first=warmth_persona --map second=warmth_plain --cluster chapter",
    ),
    "sessions of one model each": (
        lambda: with_scores(
            crossed(
                ["table_no", "rnd"], [str(k) for k in range(1, 61)], [str(k) for k in range(1, 9)]
            ),
            moved=lambda made, n: made.choice(["C", "D"], n),
        ).assign(player=lambda t: np.array(["gpt-4", "claude-2"])[t["table_no"].astype(int) % 2]),
        "report --map group=player --map unit=table_no --map value=moved --design groups --levels D,C",
    ),
    "sides written short": (
        lambda: battles(
            "lado_esq",
            "lado_dir",
            "vencedor",
            ["esquerda", "direita", "empate"],
            tempo_seg=numbered("", 90),
        ),
        "report --map item_a=lado_esq --map item_b=lado_dir --map winner=vencedor --winner-coding side --tie empate",
    ),
    "one of two profiles": (
        lambda: with_scores(
            crossed(
                ["recruiter", "task", "slot"], numbered("sim", 40), ["1", "2", "3"], ["1", "2"]
            ),
            gender=lambda made, n: made.choice(["man", "woman"], n),
            yrs=lambda made, n: made.integers(0, 12, n),
        ).assign(
            selected=lambda t: (t["slot"] == np.repeat(draw(5).choice(["1", "2"], 120), 2)).astype(
                int
            )
        ),
        "report --study leaderboard --map rater=gender --map unit=recruiter --map value=selected",
    ),
    "an answer beside its confidence": (
        lambda: with_scores(
            crossed(["text_nr", "quest", "engine"], numbered("t", 20), ["1", "2", "3"], ["A", "B"]),
            hit=lambda made, n: made.choice(["y", "n"], n),
            conf=share,
        ),
        "report --study leaderboard --map rater=engine --map unit=text_nr --map value=hit --map repeat=quest",
    ),
    "arms given by class, under a name of its own": (
        lambda: Frame(
            {
                "stud": numbered("", 120),
                "grp": [f"K{k // 10:02}" for k in range(120)],
                "told_ai": [("no", "yes")[k // 10 % 2] for k in range(120)],
                "prior_mark": draw().random(120).round(1),
                "trust_m": draw(3).random(120).round(2) * 4 + 1,
            }
        ),
        "report --map group=told_ai --map unit=stud --map value=trust_m --design groups --cluster grp",
    ),
    "two versions between persons": (
        lambda: Frame(
            {
                "Teilnehmer": numbered("", 80),
                "Geschlecht": draw().choice(["m", "w"], 80),
                "Version_X": draw(2).choice(["kurz", "lang"], 80),
                "Zufriedenheit": likert(draw(3), 80),
                "Vertrauen": likert(draw(4), 80),
            }
        ),
        "report --map group=Version_X --map unit=Teilnehmer --map value=Zufriedenheit --design groups",
    ),
    "kinds of context are no lengths": (
        lambda: with_scores(
            crossed(
                ["tmpl", "fill", "context", "llm"],
                numbered("t", 20),
                ["0", "1"],
                ["clear", "vague"],
                NAMES[:3],
            ),
            pred=lambda made, n: made.choice(["anti", "stereo", "unknown"], n),
        ),
        "estimate choice_shares --unit tmpl,fill,context --rater llm --value pred --cluster tmpl --scale nominal "
        "--source rater",
    ),
    "people and models, a row an answer": (
        lambda: with_scores(
            crossed(["item", "who"], numbered("q", 8), numbered("r", 24)),
            verdict=lambda made, n: made.choice(["stay", "leave", "ask"], n),
        ).assign(
            pool=lambda t: np.array(["adults", "orca", "heron"])[t["who"].str[1:].astype(int) // 8]
        ),
        "report --map unit=item --map rater=who --map value=verdict --map rater_source=pool --scale nominal",
    ),
    "choices of models": (
        lambda: with_scores(
            crossed(
                ["story_id", "assistant", "take"], numbered("s", 25), NAMES[:3], ["1", "2", "3"]
            ),
            decision=lambda made, n: made.choice(["obey", "warn", "refuse"], n),
        ),
        "estimate choice_shares --unit story_id,take --rater assistant --value decision --cluster story_id "
        "--scale nominal --source rater",
    ),
    "models that grade": (
        lambda: with_scores(
            crossed(["essay_id", "grader"], numbered("e", 40), ["gpt-9", "claude-8", "llama-7"]),
            points=likert,
        ),
        "report --map unit=essay_id --map rater=grader --map value=points",
    ),
    "models that grade by criterion": (
        lambda: with_scores(
            crossed(
                ["response_id", "judge_model", "criterion"],
                numbered("r", 30),
                ["gpt-9", "claude-8", "llama-7"],
                ["care", "truth"],
            ),
            score=likert,
        ),
        "report --map unit=response_id --map rater=judge_model --map value=score --by criterion",
    ),
    # groups of different units
    "what was shown, and a yes or no, in Spanish": (
        lambda: Frame(
            {
                "id_persona": numbered("", 80),
                "edad": draw(2).integers(18, 70, 80),
                "versión": ["humana", "automática"] * 40,
                "¿participa?": draw(3).choice(["Sí", "No"], 80),
            }
        ),
        "report --map group=versión --map unit=id_persona --map 'value=¿participa?' --design groups --levels No,Sí",
    ),
    "words of one pole": (
        lambda: Frame(
            {
                "ResponseId": numbered("R_", 80),
                "source": ["GPT-9", "Human"] * 40,
                "acceptability": draw(6).choice(
                    ["Not at all fine", "Slightly fine", "Moderately fine", "Completely fine"], 80
                ),
            }
        ),
        "report --map group=source --map value=acceptability --design groups "
        "--levels 'Not at all fine,Slightly fine,Moderately fine,Completely fine'",
    ),
    "what a questionnaire drew": (
        lambda: Frame(
            {
                "ResponseId": numbered("R_", 80),
                "Progress": [100] * 78 + [40, 60],
                "Finished": ["True"] * 78 + ["False"] * 2,
                "FL_7_DO": ["shown", "hidden"] * 40,
                "Q2": likert(draw(4), 80),
            }
        ),
        "report --map group=FL_7_DO --map value=Q2 --design groups",
    ),
    "people in groups who gave several rows, each of some model": (
        lambda: with_scores(
            crossed(["agent_id", "round"], numbered("g", 24), ["1", "2", "3"]), given=likert
        ).assign(
            persona=lambda t: np.where(t["agent_id"] < "g012", "kind", "cold"),
            model=lambda t: np.where(t["agent_id"].str[-1] < "5", "gpt-9", "claude-8"),
        ),
        "report --map group=persona --map unit=agent_id --map value=given --design groups",
    ),
    "dialogues of one bot each, rated by workers": (
        lambda: Frame(
            {
                "talk": np.repeat(numbered("t", 45), 3),
                "bot": np.repeat([NAMES[k % 3] for k in range(45)], 3),
                "worker_id": draw(3).choice(numbered("w", 30), 135),
                "politeness": likert(draw(4), 135),
            }
        ),
        "report --map group=bot --map unit=talk --map value=politeness --design groups --groups heron,orca",
    ),
    "what was shown, before the change in all": (
        lambda: Frame(
            {
                "ppn": numbered("p", 90),
                "arm": ["letter", "call", "control"] * 30,
                "gender": ["f", "m"] * 45,
                "mood_before": draw(2).normal(5, 1, 90).round(2),
                "mood_after": draw(3).normal(5, 1, 90).round(2),
            }
        ),
        "report --map group=arm --map unit=ppn --map value=mood_after --design groups --groups call,control",
    ),
    # within units
    "what persons met, not what they are like": (
        lambda: with_scores(
            crossed(["panelist_pid", "trial"], numbered("p", 24), numbered("", 10)), warmth=likert
        ).assign(
            author_kind=lambda t: np.where(t["trial"].str[-1].astype(int) % 2, "AI", "person"),
            sex=lambda t: np.where(t["panelist_pid"] < "p012", "f", "m"),
            rt=lambda t: 300 + 7 * t.index,
        ),
        "report --map unit=panelist_pid --map condition=author_kind --map value=warmth --map repeat=trial "
        "--conditions AI,person",
    ),
    "stages of three labels": (
        lambda: with_scores(
            crossed(["scene", "juror"], numbered("s", 20), ["u", "v"]).merge(
                Frame({"act": ["calm", "clash", "close"]}), how="cross"
            ),
            care=likert,
        ),
        "report --study leaderboard --map rater=act --map unit=scene --map value=care --map repeat=juror",
    ),
    "labels that are no opposites, of several kinds of witness": (
        lambda: with_scores(
            crossed(
                ["asker_id", "witness_kind"], numbered("a", 40), ["human", "orca bot", "newt bot"]
            ),
            guess=lambda made, n: made.choice(["person", "machine"], n),
        ),
        "report --study leaderboard --map rater=witness_kind --map unit=asker_id --map value=guess "
        "--levels machine,person",
    ),
    "means of people beside answers of a model": (
        lambda: Frame(
            {
                "vignette_id": numbered("v", 40),
                "people_mean": draw(1).normal(3, 1, 40).round(2),
                "people_sd": draw(2).random(40).round(2),
                "people_n": draw(3).integers(30, 60, 40),
                "orca_score": draw(4).normal(3, 1, 40).round(1),
            }
        ),
        "report --map unit=vignette_id --map first=people_mean --map second=orca_score",
    ),
    # comparisons
    "each dilemma has one pair and several rows": (
        lambda: (
            battles("wert_1", "wert_2", "x", ["x"], n=60)
            .drop(columns="x")
            .assign(fall=numbered("f", 60))
            .merge(Frame({"modell": NAMES[:3]}), how="cross")
            .assign(
                gewinner=lambda t: np.where(draw(5).random(len(t)) < 0.5, t["wert_1"], t["wert_2"])
            )
        ),
        "report --map item_a=wert_1 --map item_b=wert_2 --map winner=gewinner --cluster fall",
    ),
    "counts of two sides": (
        lambda: Frame([*itertools.combinations(NAMES, 2)], columns=["option_A", "option_B"]).assign(
            count_A=[3, 5, 6, 2, 4, 7], count_B=[7, 5, 4, 8, 6, 3], n_samples=10
        ),
        "report --map item_a=option_A --map item_b=option_B --map wins_a=count_A --map wins_b=count_B",
    ),
    # one source
    "turns of a talk": (
        lambda: with_scores(
            crossed(["conversation_id", "turn"], numbered("c", 30), ["1", "2", "3"]), broken=coin
        ).assign(channel=lambda t: np.where(t["conversation_id"] < "c015", "app", "web")),
        "report --map unit=conversation_id --map value=broken --map rater= --map repeat=turn",
    ),
    "a log of refusals": (
        lambda: Frame(
            {
                "request_id": numbered("r", 80),
                "topic": draw(1).choice(["law", "health"], 80),
                "refused": draw(2).choice(["yes", "no"], 80),
                "output_tokens": draw(3).integers(10, 500, 80),
            }
        ),
        "report --map unit=request_id --map value=refused --map rater=",
    ),
    "counts of the answers of models": (
        lambda: (
            crossed(["model", "answer_type", "x"], NAMES[:3], ["comply", "refuse"], ["1"])
            .drop(columns="x")
            .assign(n=draw(4).integers(5, 90, 6))
        ),
        "estimate two_proportions --group model --value answer_type --count n --groups heron,orca --choice comply",
    ),
    "free texts are no raters": (
        lambda: Frame(
            {
                "case_id": range(1, 41),
                "kept_calm": draw(1).integers(1, 8, 40),
                "kept_angry": draw(2).integers(1, 8, 40),
                "judge_comment": draw(3).choice(
                    ["stayed with the role all the time", "ignored what the user had asked for"], 40
                ),
            }
        ),
        "report --map unit=case_id --map first=kept_calm --map second=kept_angry",
    ),
    "an exchange is no change": (
        lambda: Frame(
            {
                "Code": numbered("P", 40),
                "Confiance avant l'échange": draw(1).integers(1, 8, 40),
                "Confiance après l'échange": draw(2).integers(1, 8, 40),
            }
        ),
        'report --map unit=Code --map "first=Confiance après l\'échange" --map "second=Confiance avant l\'échange"',
    ),
    "codes of missing answers": (
        lambda: Frame(
            {
                "pupil": numbered("p", 60),
                "arm": ["tutor", "control"] * 30,
                "score": [-99, *draw(5).integers(10, 60, 58), -99],
            }
        ),
        "report --map group=arm --map unit=pupil --map value=score --design groups --na -99 --missing drop",
    ),
    "questions": (
        lambda: Frame(
            {
                "Marca temporal": [f"2024-01-02 10:{k:02}" for k in range(50)],
                **{
                    q: draw(k).integers(1, 6, 50)
                    for k, q in enumerate(
                        (
                            "¿Qué tan fácil fue la tarea?",
                            "¿Qué tan claro fue el texto?",
                            "¿Qué tan útil fue la ayuda?",
                        )
                    )
                },
                "Edad": draw(9).integers(18, 70, 50),
            }
        ),
        "report --study survey --units '¿Qué tan fácil fue la tarea?,¿Qué tan claro fue el texto?,"
        "¿Qué tan útil fue la ayuda?' --map 'person=Marca temporal'",
    ),
}


@pytest.mark.parametrize(("make", "command"), FIRST.values(), ids=FIRST)
def test_the_likeliest_question_comes_first(
    make: Callable[[], Frame], command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert first_of(printed(make(), tmp_path / "t.csv", capsys)) == shlex.join(shlex.split(command))


def test_what_a_proposal_leaves_out_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    assert "; how much better is not used" in printed(FIRST["graded, German"][0](), path, capsys)
    assert "'second_winner' holds a second verdict of each row" in printed(
        FIRST["two verdicts a row"][0](), path, capsys
    )
    assert "'bea_reading2' hold second readings of the same raters" in printed(
        FIRST["readings"][0](), path, capsys
    )


def people(group: str, labels: tuple[str, str], person: str, inner: str) -> Frame:
    frame = crossed([person, inner], numbered("p", 24), numbered("i", 6))
    of = {name: labels[k < 12] for k, name in enumerate(numbered("p", 24))}
    return with_scores(frame.assign(**{group: frame[person].map(of)}), wert=likert)


GROUPS: dict[str, tuple[Callable[[], Frame], str]] = {
    "persons": (
        lambda: people("Bedingung", ("ja", "nein"), "Versuchsperson", "Bild"),
        "each of 24 labels of 'Versuchsperson' is in one, with several rows",
    ),
    "unknown names": (
        lambda: people("schooling", ("placebo", "herbal"), "xq", "zz"),
        "each of 24 labels of 'xq' is in one, with several rows",
    ),
    "poems": (
        lambda: people("written_by", ("human", "AI"), "poem", "reader"),
        "each of 24 labels of 'poem' is in one, with several rows",
    ),
    "rows": (
        lambda: Frame(
            {
                "visitor_id": numbered("v", 80),
                "arm": ["A", "B"] * 40,
                "clicked": coin(draw(), 80),
                "spend_usd": share(draw(), 80),
            }
        ),
        "each of 80 labels of 'visitor_id' is in one",
    ),
}


@pytest.mark.parametrize(("make", "word"), GROUPS.values(), ids=GROUPS)
def test_groups_of_different_units_are_no_pairs(
    make: Callable[[], Frame], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = make()
    text = printed(frame, tmp_path / "t.csv", capsys)
    assert word in text
    group = next(name for name in ("Bedingung", "schooling", "written_by", "arm") if name in frame)
    assert f"condition={group}" not in text
    assert "independent samples" in text


def test_units_that_met_each_condition_are_no_groups(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = crossed(
        ["subject", "treatment", "trial"], numbered("s", 20), ["drug", "sugar"], numbered("", 4)
    )
    frame["session_id"] = frame["subject"] + frame["treatment"]  # within a subject who met both
    text = printed(with_scores(frame, pain=likert), tmp_path / "t.csv", capsys)
    assert "groups of different units" not in text
    assert "condition=treatment" in first_of(text)


REFUSED: dict[str, tuple[Callable[[], Frame], str]] = {
    "rankings": (
        lambda: Frame(
            {"query": numbered("q", 40), "order": draw().choice(["x > y > z", "y > x = z"], 40)}
        ),
        "'order' holds whole rankings in a text",
    ),
    "summaries": (
        lambda: with_scores(
            crossed(["llm", "suite"], NAMES, numbered("s", 4)),
            accuracy=share,
            stderr=share,
            n=likert,
        ),
        "Each row is a summary already",
    ),
    "strengths": (
        lambda: Frame(
            {
                "model": numbered("m", 20),
                "elo": draw().integers(900, 1300, 20),
                "games": draw().integers(300, 3000, 20),
            }
        ),
        "strengths that were estimated from battles",
    ),
    "training": (
        lambda: Frame(
            {
                "iteration": range(1, 41),
                "train_loss": share(draw(), 40),
                "val_loss": share(draw(2), 40),
            }
        ),
        "the course of a run over 'iteration'",
    ),
    "verdicts in texts": (
        lambda: Frame(
            {
                "case": numbered("c", 30),
                **{
                    name: [
                        f"[{x}] because {k}"
                        for k, x in enumerate(draw(j).choice(["RIGHT", "WRONG"], 30))
                    ]
                    for j, name in enumerate(("m one", "m two"))
                },
            }
        ),
        "begin with a verdict ([RIGHT] and [WRONG])",
    ),
    "a codebook": (
        lambda: Frame(
            {
                "variable": numbered("q", 20),
                "label": numbered("what ", 20),
                "type": ["number", "text"] * 10,
                "value": [1, 5] * 10,
                "page": [*range(1, 6)] * 4,
            }
        ),
        "A codebook holds no answers",
    ),
    "means under one letter": (
        lambda: with_scores(
            crossed(["scale", "arm"], numbered("s", 6), ["bot", "control"]),
            M=share,
            SD=share,
            n=likert,
        ),
        "Each row is a summary already",
    ),
    "measures of different kinds": (
        lambda: Frame(
            {
                "model": numbered("m", 20),
                "MMLU": 40 + 40 * share(draw(2), 20),
                "truth": 30 + 40 * share(draw(3), 20),
                "bias": 0.2 * share(draw(4), 20),
            }
        ),
        "measures of different kinds",
    ),
    "a list of prices": (
        lambda: Frame(
            {
                "vendor": ["x", "y"] * 12,
                "model": numbered("m", 24),
                "in_usd_per_mtok": share(draw(2), 24),
                "out_usd_per_mtok": share(draw(3), 24),
                "max_out": [4096, 8192] * 12,
            }
        ),
        "are prices. The rows are a list of what is offered",
    ),
    "shares of options": (
        lambda: crossed(["qkey", "option"], numbered("q", 30), [*"abcd"]).assign(
            people=lambda t: np.tile([0.1, 0.2, 0.3, 0.4], 30),
            model=lambda t: np.tile([0.4, 0.3, 0.2, 0.1], 30),
        ),
        "they are shares of options",
    ),
    "verdicts of two orders": (
        lambda: Frame(
            {
                "uid": numbered("u", 40),
                **{f"verdict_{k}": draw(k).choice(["A>>B", "A=B", "B>A"], 40) for k in (1, 2)},
            }
        ),
        "no column names the two items",
    ),
    "pools that never met": (
        lambda: Frame(
            [
                (*pair, pair[k % 3 % 2])
                for k, pair in enumerate(
                    [("ash", "elm"), ("oak", "yew"), ("elm", "ash"), ("yew", "oak")] * 30
                )
            ],
            columns=["home", "away", "res"],
        ),
        "fall into pools that were never compared",
    ),
    "picks of a side, of which one is named": (
        lambda: Frame(
            {
                "visit": numbered("v", 90),
                "shown_left": draw().choice(["old", "new"], 90),
                "picked": draw(2).choice(["left", "right", "skip"], 90),
            }
        ),
        "'picked' tells sides, and 'shown_left' says what stood on one of them",
    ),
    "a slider between two, of which one is named": (
        lambda: Frame(
            {
                "visit": numbered("v", 90),
                "left_is": draw().choice(["old", "new"], 90),
                "slider": draw(2).integers(-3, 4, 90),
            }
        ),
        "A comparison needs both items",
    ),
    "averages on scales of their own": (
        lambda: Frame(
            {
                "model": numbered("m", 12),
                "elo": draw().integers(1000, 1300, 12),
                "mmlu": share(draw(2), 12),
                "bbh": share(draw(3), 12),
            }
        ),
        "'elo' has a scale that no share has",
    ),
    "averages of unlike suites": (
        lambda: crossed(["system", "suite"], NAMES, ["mmlu", "bbh", "arena"]).assign(
            avg=lambda t: np.where(t["suite"] == "arena", 1100.0, 60.0) + share(draw(), 12)
        ),
        "Their scales differ, so a mean over them says nothing",
    ),
    "one school for each group": (
        lambda: Frame(
            {
                "pupil": numbered("p", 60),
                "school": ["North", "South"] * 30,
                "with_tutor": ["yes", "no"] * 30,
                "mark": likert(draw(), 60),
            }
        ),
        "Each label of 'with_tutor' is one 'school'",
    ),
    "grades": (
        lambda: battles("llm_a", "llm_b", "margin", [str(k) for k in range(1, 8)]),
        "'margin' holds grades from 1 to 7 of 'llm_a' against 'llm_b'",
    ),
}


@pytest.mark.parametrize(("make", "word"), REFUSED.values(), ids=REFUSED)
def test_near_misses_are_refused_with_a_word(
    make: Callable[[], Frame], word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(make(), tmp_path / "t.csv", capsys)
    assert word in text
    assert first_of(text) == ""


def test_nested_fields_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.jsonl"
    Frame(
        {"id": numbered("r", 20), "answers": [[{"text": "a", "value": k % 3}] for k in range(20)]}
    ).to_json(path, orient="records", lines=True)
    assert main(["check", str(path)]) == 2
    caught = capsys.readouterr()
    assert "'answers' holds lists or objects, which no design reads" in caught.out + caught.err


def test_costs_alone_judge_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {f"{name}_reply": [f"{name} said {k}" for k in range(40)] for name in NAMES[:2]}
    costs = {f"{name}_cost": share(draw(k), 40) for k, name in enumerate(NAMES[:2])}
    text = printed(
        Frame({"prompt": numbered("p", 40), **texts, **costs}), tmp_path / "t.csv", capsys
    )
    assert "Nothing in the table judges the answers" in text
    assert "leaderboard" not in text


def test_plans_name_what_crosses_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.csv"
    frame = battles(
        "model_a",
        "model_b",
        "winner",
        ["model_a", "model_b", "draw"],
        voter=numbered("v", 40),
        instruction=numbered("i", 60),
        turn=["1", "2"],
    )
    frame.to_csv(path, index=False)
    assert main(["init", str(path)]) == 0
    assert 'cluster = ["voter", "instruction"]' in capsys.readouterr().out


def test_ordered_labels_of_other_languages_are_levels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    levels = ["trifft nicht zu", "trifft eher nicht zu", "trifft eher zu", "trifft zu"]
    frame = Frame(
        {
            "Text_id": numbered("t", 60),
            **{f"Gutachter{k}": draw(k).choice(levels, 60) for k in (1, 2)},
        }
    )
    found = first_of(printed(frame, tmp_path / "t.csv", capsys))
    assert found.startswith("report --raters Gutachter1,Gutachter2 --levels")
    assert ",".join(levels) in found


def test_row_numbers_count_no_raters_of_a_level(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data frames of R are written with their row numbers, which stand before counts of answers by level."""
    counts = np.random.default_rng(3).multinomial(6, [0.7, 0.2, 0.1], 30)
    frame = Frame(
        {
            "rownames": range(1, 31),
            **{name: counts[:, k] for k, name in enumerate(("low", "mid", "top"))},
        }
    )
    found = first_of(printed(frame, tmp_path / "t.csv", capsys))
    assert found == "report --level-columns low,mid,top --scale nominal"
