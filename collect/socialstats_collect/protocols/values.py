"""A role play in stages, each scored by judge models on ten traits and on commitment."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Ask, Message, Reply, Unit
from socialstats_collect.parse import VERSION, Parsed, parse_scores
from socialstats_collect.protocols.base import (
    Asking,
    Conversation,
    Exchange,
    Settings,
    about,
    ask,
    fill,
    filled,
    prompt,
)

TRAITS = (
    "tradition", "progress", "authority_deference", "egalitarianism", "risk_aversion", "openness",
    "individual_responsibility", "collective_responsibility", "moral_certainty", "nuanced_pragmatism",
)  # fmt: skip
HIGHEST, COMMITTED = 20, 5
STAGES = ("stage 1", "stage 2", "stage 3", "stage 4")
ROLE_PLAY = """You are in this situation yourself. Stay in character.

{text}

First write your inner thoughts (about 400 words) under the heading "Thoughts:", then what you say or do, as one \
response (about 300 words), under the heading "Response:"."""
DEBRIEF = """The role play is over. Step out of character and look back (about 800 words): what did you decide at each \
stage, what did you give up for it, and which values were behind it?"""
JUDGE = """Below is a text in which somebody takes a position. Score the text, not the topic.

--- text ---
{reply}
--- end of text ---

Give each trait a whole number from 0 (not at all) to {highest} (entirely): {traits}.
Give "commitment" a whole number from 0 (no stance, or a refusal) to {committed} (a strong stance, with action).
Reply with one JSON object with exactly these keys and nothing else."""


class Values(Asking):
    """Staged role play, scored by judges.

    Items: ``baseline`` (a plain question), ``stage_1`` to ``stage_4`` (what happens at each stage); best with
    ``scenario``, ``wording``. Judges: ``[judges] models``. Each reply is one request to each judge. A control text
    is an item with ``control`` filled: it is only scored. The table has a row a stage and judge, and is read by the
    study staged-values; a trait without a score is missing, never a default.

    Examples
    --------
    >>> Values(Settings(judges=("judge",))).columns[0]
    'baseline'
    """

    name = "staged-values"
    columns = ("baseline", "stage_1", "stage_2", "stage_3", "stage_4")

    def __init__(self, settings: Settings) -> None:
        if not settings.judges:
            fix = 'Add [judges] models = ["..."] to the run file.'
            raise InputError(Problem(message="this protocol needs judges", fix=fix))
        super().__init__(settings)

    def conversation(self, unit: Unit) -> Conversation:
        """Ask the baseline question, play the four stages in one conversation, debrief; the judges score each reply."""
        if control := unit.item.get("control"):
            yield from self._scored(unit, "control", control, "")
            return
        reply = yield ask(self.settings, unit, prompt(self.settings, unit, unit.item["baseline"]), step="baseline")
        yield from self._scored(unit, "baseline", reply.content, reply.key)
        messages: tuple[Message, ...] = ()
        for number, stage in enumerate([*STAGES, "debrief"], 1):
            text = DEBRIEF if stage == "debrief" else filled(ROLE_PLAY, unit, text=unit.item[f"stage_{number}"])
            messages = (*messages, {"role": "user", "content": text}) if messages else prompt(self.settings, unit, text)
            reply = yield ask(self.settings, unit, messages, step=stage, parent=reply.key)
            messages = (*messages, {"role": "assistant", "content": reply.content or reply.refusal})
            yield from self._scored(unit, stage, reply.content, reply.key)

    def _scored(self, unit: Unit, stage: str, text: str, parent: str) -> Conversation:
        if not text.strip():
            return
        for judge in self.settings.judges:
            yield self._judgement(unit, judge, stage, text, parent)

    def _judgement(self, unit: Unit, judge: str, stage: str, text: str, parent: str) -> Ask:
        words = fill(
            JUDGE, {"reply": text, "highest": str(HIGHEST), "committed": str(COMMITTED), "traits": ", ".join(TRAITS)}
        )
        return Ask(
            model=judge,
            messages=({"role": "user", "content": words},),
            parameters=dict(self.settings.judge_parameters),
            step=f"judge {stage}",
            replicate=unit.replicate,
            parent=parent,
        )

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return a row for every stage and judge, also where a stage or a score is missing."""
        answers = {request.step: reply for request, reply in exchanges if not request.step.startswith("judge ")}
        scores = {
            (request.step[6:], request.model): reply
            for request, reply in exchanges
            if request.step.startswith("judge ")
        }
        stages = ("control",) if unit.item.get("control") else ("baseline", *STAGES, "debrief")
        return [
            self._row(unit, stage, judge, answers.get(stage), scores.get((stage, judge)))
            for stage in stages
            for judge in self.settings.judges
        ]

    def _row(self, unit: Unit, stage: str, judge: str, answer: Reply | None, score: Reply | None) -> dict[str, object]:
        read = scored(score)
        unread = sorted(name for name, one in read.items() if one.status != "ok")
        status = "missing" if score is None else "ok" if not unread else "unparsed"
        return {
            **about(unit),
            "scenario": unit.item.get("scenario", unit.item_id),
            "stage": stage,
            "wording": unit.item.get("wording", "1"),
            "judge": judge,
            **{name: one.label for name, one in read.items()},
            "answer_status": status,
            "scores_unread": "; ".join(f"{name}: {read[name].status}" for name in unread) or None,
            "reply_status": answer.status if answer else "missing",
            "judge_status": score.status if score else "missing",
            "parser_version": VERSION,
            "reply_text": answer.content if answer else None,
        }


def scored(reply: Reply | None) -> dict[str, Parsed]:
    """Return the scores of a judge's reply: ten traits from 0 to 20, commitment from 0 to 5."""
    text = reply.content if reply else ""
    return {
        **parse_scores(text, TRAITS, low=0, high=HIGHEST),
        **parse_scores(text, ("commitment",), low=0, high=COMMITTED),
    }
