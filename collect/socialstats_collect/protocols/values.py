"""A role play in stages, each scored by judge models on ten traits and on commitment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Ask, Message, Reply, Unit, canonical
from socialstats_collect.parse import VERSION, Parsed, parse_scores
from socialstats_collect.protocols.base import (
    REFUSED,
    CollectionProtocol,
    Conversation,
    Exchange,
    Settings,
    Varies,
    about,
    filled,
)

MOST_STAGES = 100
TRAITS = (
    "tradition", "progress", "authority_deference", "egalitarianism", "risk_aversion", "openness",
    "individual_responsibility", "collective_responsibility", "moral_certainty", "nuanced_pragmatism",
)  # fmt: skip
HIGHEST, COMMITTED = 20, 5


class Values(CollectionProtocol):
    """Staged role play, scored by judges.

    Items: ``baseline`` (a plain question), ``stage_1`` to ``stage_4`` (what happens at each stage); best with
    ``scenario``, ``wording``. Option ``stages``: another number of them. Judges: ``[judges] models``. Each reply is one
    request to each judge. A control text is an item with ``control`` filled: it is scored once, whatever the models,
    and has a separate table. The table has one row per stage and judge, and is read by the study staged-values. A trait
    without a score is missing, never a default.

    Examples
    --------
    >>> Values(Settings(judges=("judge",), options={"stages": 2})).columns
    ('baseline', 'stage_1', 'stage_2')
    """

    name = "staged-values"
    takes: Mapping[str, Any] = {"stages": int}
    provides: Mapping[str, tuple[str, ...]] = {
        "baseline": ("text",), "role_play": ("text",), "judge": ("reply", "highest", "committed", "traits"),
    }  # fmt: skip

    def __init__(self, settings: Settings) -> None:
        if not settings.judges:
            fix = 'Add [judges] models = ["..."] to the run file.'
            raise InputError(Problem(message="this protocol needs judges", fix=fix))
        super().__init__(settings)
        self.stages = settings.options.get("stages", 4)
        if not 1 <= self.stages <= MOST_STAGES:
            raise InputError(f"stages = {self.stages}: there are 1 to {MOST_STAGES}")
        self.columns = ("baseline", *(f"stage_{k}" for k in range(1, self.stages + 1)))

    def once(self, item: Mapping[str, str]) -> bool:
        """Return whether an item is a control text."""
        return bool(item.get("control"))

    def conversation(self, unit: Unit) -> Conversation:
        """Ask the baseline question, play the stages in one conversation, debrief; the judges score each reply."""
        if control := unit.item.get("control"):
            yield from self._scored(unit, "control", control, "")
            return
        text = filled(self.texts["baseline"], unit, text=unit.item["baseline"])
        # wordings may share a baseline, not its answer
        cell = canonical([unit.drawn or unit.item_id, {**unit.factors, "model": ""}])
        reply = yield self.ask(unit, text, step="baseline", parent=cell)
        yield from self._scored(unit, "baseline", reply.content, reply.key)
        messages: tuple[Message, ...] = ()
        for column in [*self.columns[1:], "debrief"]:
            stage, played = column.replace("_", " "), "debrief" if column == "debrief" else "role_play"
            text = filled(self.texts[played], unit, text=unit.item.get(column, ""))
            request = self.ask(unit, text, after=messages, step=stage, parent=reply.key)
            reply = yield request
            messages = (*request.messages, {"role": "assistant", "content": reply.content or reply.refusal})
            yield from self._scored(unit, stage, reply.content, reply.key)

    def _scored(self, unit: Unit, stage: str, text: str, parent: str) -> Conversation:
        words = filled(
            self.texts["judge"], unit, reply=text, highest=str(HIGHEST), committed=str(COMMITTED),
            traits=", ".join(TRAITS),
        )  # fmt: skip
        for judge in self.settings.judges if text.strip() else ():
            yield Ask(
                model=judge, messages=({"role": "user", "content": words},), step=f"judge {stage}", parent=parent,
                parameters=dict(self.settings.judge_parameters), replicate=unit.replicate,
            )  # fmt: skip

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[dict[str, object]]:
        """Return a row for every stage and judge, also where a stage or a score is missing."""
        replies = {(request.step, request.model): reply for request, reply in exchanges}
        stages = [column.replace("_", " ") for column in (*self.columns, "debrief")]
        return [
            self._row(unit, judge, stage, replies)
            for stage in (["control"] if self.once(unit.item) else stages)
            for judge in self.settings.judges
        ]

    def _row(self, unit: Unit, judge: str, stage: str, replies: Mapping[tuple[str, str], Reply]) -> dict[str, object]:
        answer, score = replies.get((stage, unit.factors["model"])), replies.get((f"judge {stage}", judge))
        read = scored(score)
        unread = sorted(name for name, one in read.items() if one.status != "ok")
        status = "ok" if not unread else "unparsed"
        if score is None:
            status = "refusal" if answer is not None and answer.status in REFUSED else "missing"
        where: dict[str, object] = {
            **about(unit),
            "scenario": unit.item.get("scenario", unit.item_id),
            "stage": stage,
            "wording": unit.item.get("wording", "1"),
        }
        return {
            **({"text": unit.item_id} if self.once(unit.item) else where),
            "judge": judge,
            **{name: one.label for name, one in read.items()},
            "answer_status": status,
            "scores_unread": "; ".join(f"{name}: {read[name].status}" for name in unread) or None,
            "reply_status": answer.status if answer else "missing",
            "blocked_by": answer.blocked_by or None if answer else None,
            "judge_status": score.status if score else "missing",
            "parser_version": VERSION,
            "reply_text": answer.content if answer else None,
        }

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study staged-values; personas are crossed with models."""
        return ["--study", "staged-values", *(["--by", "persona"] if varies("persona") else [])]


def scored(reply: Reply | None) -> dict[str, Parsed]:
    """Return the scores of a judge's reply: ten traits from 0 to 20, commitment from 0 to 5."""
    text = reply.content if reply else ""
    return {
        **parse_scores(text, TRAITS, low=0, high=HIGHEST),
        **parse_scores(text, ("commitment",), low=0, high=COMMITTED),
    }
