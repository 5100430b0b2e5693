"""A role play in stages, each scored by judge models on declared traits, and on scores beside them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any

from socialstats.designs.instrument import COLUMN, Instrument
from socialstats.errors import InputError, Problem
from socialstats.tables.toml_files import toml_of
from socialstats.text import meant, shorten
from socialstats_collect.ask import Ask, Message, Reply, Unit, canonical
from socialstats_collect.parse import Parsed, parse_scores
from socialstats_collect.parse.cues import AFTER, BEFORE
from socialstats_collect.parse.text import clean
from socialstats_collect.protocols.base import (
    MISSING,
    REFUSED,
    CollectionProtocol,
    Conversation,
    Example,
    Exchange,
    Row,
    Settings,
    Step,
    Varies,
    about,
    cells_of_reply,
    fields,
    filled,
    keys_asked,
)

MOST_STAGES = 100
CONTROL, SCENARIO, WORDING = "control", "scenario", "wording"
DECLARED = ("traits", "scale", "further", "weights", "groups", "active")
OURS = (
    "item_id",
    "replicate",
    "model",
    SCENARIO,
    "stage",
    WORDING,
    "judge",
    "text",
    COLUMN,
    "answer_status",
    "scores_unread",
    "reply_status",
    "blocked_by",
    "judge_status",
    "parser_version",
    "reply_text",
)
"""Columns of the table that no score may have the name of."""


class Values(CollectionProtocol):
    """Staged role play, scored by judges.

    Items: a column for the baseline question and one for each stage (by default ``baseline``, ``stage_1`` to
    ``stage_4``); best with ``scenario``, ``wording``. Judges: ``[judges] models``. Each reply is one request to each
    judge. A control text is an item with ``control`` filled: it is scored once, whatever the models, and has a separate
    table. The table has one row per stage and judge, and is read by the study staged-values. A trait without a score is
    missing, never a default.

    Options declare what is scored: ``traits``, their ``scale``, and ``further`` scores with a scale each. A scale is
    its lowest and its highest score, and in words what they mean. ``weights`` and ``groups`` are of the traits, and
    ``active`` is the score from which one is active. Without them it is what the shipped run file declares.
    ``stages`` is how many there are, or their names; ``baseline`` and ``debrief`` are other names of these two, or
    false.

    Examples
    --------
    >>> Values(Settings(judges=("judge",), options={"stages": 2})).columns
    ('baseline', 'stage_1', 'stage_2')
    >>> given = {"traits": ["care", "order"], "scale": [1, 7], "stages": ["offer", "threat"], "baseline": False}
    >>> one = Values(Settings(judges=("judge",), options=given))
    >>> one.columns, one.instrument.stages, one.instrument.scale
    (('offer', 'threat'), ('offer', 'threat', 'debrief'), (1.0, 7.0))
    """

    name = "staged-values"
    takes: Mapping[str, Any] = {
        "stages": int | list,
        "baseline": str | bool,
        "debrief": str | bool,
        "traits": list,
        "scale": list,
        "further": dict,
        "weights": dict,
        "groups": dict,
        "active": float,
    }
    provides: Mapping[str, tuple[str, ...]] = {
        "baseline": ("text",),
        "role_play": ("text",),
        "judge": ("reply", "traits", "scale", "lowest", "highest", "further", "committed"),
    }

    def __init__(self, settings: Settings) -> None:
        if not settings.judges:
            fix = 'Add [judges] models = ["..."] to the run file.'
            raise InputError(Problem(message="this protocol needs judges", fix=fix))
        super().__init__(settings)
        self.column_of, order = _stages(settings.options)
        self.columns = tuple(self.column_of.values())
        declared = {name: settings.options[name] for name in DECLARED if name in settings.options}
        values, meanings = split_scales(declared or shipped())
        self.instrument: Instrument = Instrument.read({**values, **order}, "[protocol]")
        traits = dict.fromkeys(self.instrument.traits, self.instrument.scale)
        self.ranges = {**traits, **self.instrument.further}
        ends = {"": self.instrument.scale, **self.instrument.further}
        self.scales = {
            name: f"{low:g}{meanings[name][0]} to {high:g}{meanings[name][1]}"
            for name, (low, high) in ends.items()
        }
        self.declared = json.dumps(self.instrument.facts(), ensure_ascii=False, sort_keys=True)
        if clash := [name for name in self.ranges if name in OURS]:
            message = f"'{clash[0]}' is a column of the table, and cannot be a score"
            raise InputError(
                Problem(message=message, source="[protocol]", fix="Give the score another name.")
            )

    def once(self, item: Mapping[str, str]) -> bool:
        """Return whether an item is a control text."""
        return bool(item.get(CONTROL))

    def conversation(self, unit: Unit) -> Conversation:
        """Ask the baseline question, play the stages in one conversation, debrief; the judges score each reply."""
        control = unit.item.get(CONTROL)
        if control:
            yield from self._scored(unit, CONTROL, control, "")
            return
        # wordings may share a baseline, not its answer
        parent = canonical([unit.drawn or unit.item_id, {**unit.factors, "model": ""}])
        messages: tuple[Message, ...] = ()
        for stage in self.instrument.stages:
            request = self.ask(
                unit, self._played(unit, stage), after=messages, step=stage, parent=parent
            )
            reply = yield request
            parent = reply.key
            if stage != self.instrument.baseline:
                answer = {"role": "assistant", "content": reply.content or reply.refusal}
                messages = (*request.messages, answer)
            yield from self._scored(unit, stage, reply.content, reply.key)

    def _played(self, unit: Unit, stage: str) -> str:
        """Return what is said in a stage."""
        texts = {self.instrument.baseline: "baseline", self.instrument.debrief: "debrief"}
        words = unit.item.get(self.column_of.get(stage, ""), "")
        return filled(self.texts[texts.get(stage, "role_play")], unit, text=words)

    def judged(self, unit: Unit, reply: str) -> str:
        """Return what a judge is asked about a reply."""
        low, high = (f"{end:g}" for end in self.instrument.scale)
        further = self.instrument.further
        lines = [f'\nGive "{name}" a whole number from {self.scales[name]}.' for name in further]
        # texts of version 0.1 name the end of the first further scale
        committed = next((f"{end:g}" for _, end in further.values()), "")
        words = {
            "reply": reply,
            "scale": self.scales[""],
            "lowest": low,
            "highest": high,
            "committed": committed,
            "traits": ", ".join(self.instrument.traits),
            "further": "".join(lines),
        }
        return filled(self.texts["judge"], unit, **words)

    def _scored(self, unit: Unit, stage: str, text: str, parent: str) -> Conversation:
        words = self.judged(unit, text)
        for judge in self.settings.judges if text.strip() else ():
            yield Ask(
                model=judge,
                messages=({"role": "user", "content": words},),
                step=f"judge {stage}",
                parent=parent,
                parameters=dict(self.settings.judge_parameters),
                replicate=unit.replicate,
            )

    def scored(self, reply: Reply | None) -> dict[str, Parsed]:
        """Return the scores of a judge's reply, each on its scale."""
        scores: dict[str, Parsed] = {}
        for name, (low, high) in self.ranges.items():
            scores |= parse_scores(reply.content if reply else "", (name,), low=low, high=high)
        return scores

    def examples(self, unit: Unit) -> Iterator[Example]:
        """Yield a judge's reply with the keys that the judge text asks for.

        The keys are those of the JSON that the text shows; where it shows none, or goes on with dots, those declared
        that it names.
        """
        prompt = self.judged(unit, "")
        keys = keys_asked(prompt)
        if not keys or "..." in prompt or "\u2026" in prompt:
            text = clean(prompt).text
            keys = {**{name: "" for name in self.ranges if names_word(text, name)}, **keys}
        highest = {cleaned_name(name): high for name, (_, high) in self.ranges.items()}
        numbers = {
            name: float(number or highest.get(cleaned_name(name), 0))
            for name, number in keys.items()
        }
        reply = json.dumps(numbers, ensure_ascii=False)
        labels = {name: f"{numbers.get(name, high):g}" for name, (_, high) in self.ranges.items()}
        parsed = self.scored(Reply(key="", status="ok", content=reply))
        yield Example(text="judge", prompt=prompt, reply=reply, labels=labels, parsed=parsed)

    def cure(self, prompt: str, key: str) -> str:
        """Return what to ask for, or what to declare."""
        place = f"Ask for the key \"{key}\" in the text 'judge', where {{traits}} names all traits."
        near = meant(key, keys_asked(prompt))
        return f"{near}{place} Or declare the keys that it asks for in [protocol]."

    def faults(self, unit: Unit) -> Iterator[tuple[str, str]]:
        """Yield a judge text without the reply or the ends of a scale, and scores with the name of a factor."""
        if "reply" not in fields(self.texts["judge"]):
            yield (
                "the text 'judge' does not show the reply that it asks about",
                "Write {reply} where it belongs.",
            )
        numbers = {float(number) for number in NUMBERS.findall(self.judged(unit, ""))}
        further = {f"further.{name}": scale for name, scale in self.instrument.further.items()}
        for name, scale in {"scale": self.instrument.scale, **further}.items():
            if lost := [f"{end:g}" for end in scale if abs(end) not in numbers]:
                fix = "Write {scale} and {further}, or the numbers themselves; or declare the scale that it asks for."
                yield f"the text 'judge' does not name {' and '.join(lost)}, an end of {name}", fix
        if clash := [name for name in self.ranges if name in unit.factors]:
            yield f"'{clash[0]}' is a score and a factor", "Give one of them another name."

    def steps(self, unit: Unit) -> list[tuple[Step, Step]]:
        """Return the steps of each stage and judge: the answer, which a control text has not, and its scores."""
        stages = [CONTROL] if self.once(unit.item) else self.instrument.stages
        return [
            ((stage, unit.factors["model"]), (f"judge {stage}", judge))
            for stage, judge in product(stages, self.settings.judges)
        ]

    def rows(self, unit: Unit, exchanges: Sequence[Exchange]) -> list[Row]:
        """Return a row for every stage and judge, also where a stage or a score is missing."""
        replies = {(ask.step, ask.model): reply for ask, reply in exchanges}
        return [self._row(unit, replies, *steps) for steps in self.steps(unit)]

    def _row(self, unit: Unit, replies: Mapping[Step, Reply], played: Step, judged: Step) -> Row:
        score = replies.get(judged)
        answer = replies.get(played, score)
        scores = self.scored(score)
        unread = sorted(name for name, parsed in scores.items() if parsed.status != "ok")
        status = "unparsed" if unread else "ok"
        if score is None:
            status = "refusal" if answer and answer.status in REFUSED else MISSING
        row: Row = {"text": unit.item_id}
        if not self.once(unit.item):
            row = {**about(unit), SCENARIO: unit.item.get(SCENARIO, unit.item_id)}
            row |= {"stage": played[0], WORDING: unit.item.get(WORDING, "1")}
        reasons = "; ".join(f"{name}: {scores[name].status}" for name in unread)
        return {
            **row,
            "judge": judged[1],
            **{name: parsed.label for name, parsed in scores.items()},
            "answer_status": status,
            "scores_unread": reasons or None,
            "judge_status": score.status if score else MISSING,
            **cells_of_reply(answer),
            COLUMN: self.declared,
        }

    def report(self, varies: Varies, people: bool = False) -> list[str]:
        """Return the options of the study staged-values; personas are crossed with models."""
        return ["--study", "staged-values", *(["--by", "persona"] if varies("persona") else [])]


NUMBERS = re.compile(r"\d+(?:\.\d+)?")


def cleaned_name(name: str) -> str:
    """Return the name of a score as replies may spell it."""
    return clean(name).text.casefold()


def names_word(text: str, name: str) -> bool:
    """Return whether a cleaned text names a score, apart from other words.

    Examples
    --------
    >>> names_word("Score care: 0 to 5", "Care"), names_word("Score careful answers", "care")
    (True, False)
    """
    return re.search(rf"(?i){BEFORE}{re.escape(clean(name).text.strip())}{AFTER}", text) is not None


@cache
def shipped() -> Mapping[str, Any]:
    """Return what is scored where a run file, or a log of version 0.1, declares nothing: that of the shipped run file.

    Examples
    --------
    >>> len(shipped()["traits"]), shipped()["further"]["commitment"][:2]
    (10, [0, 5])
    """
    path = files("socialstats_collect") / "new" / Values.name / "run.toml"
    protocol = toml_of(path.read_bytes(), "run.toml")["protocol"]
    return {name: protocol[name] for name in DECLARED if name in protocol}


def split_scales(declared: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, tuple[str, str]]]:
    """Return a declaration without what the ends of its scales mean, and these meanings; that of traits by "".

    Examples
    --------
    >>> split_scales({"scale": [1, 7, "never", "always"], "further": {"care": [0, 5]}})
    ({'scale': [1, 7], 'further': {'care': [0, 5]}}, {'': (' (never)', ' (always)'), 'care': ('', '')})
    """
    plain, meanings = dict(declared), {"": ("", "")}
    if "scale" in declared:
        plain["scale"], meanings[""] = _split_scale(declared["scale"])
    if "further" in declared:
        plain["further"] = {}
        for name, scale in declared["further"].items():
            plain["further"][name], meanings[name] = _split_scale(scale)
    return plain, meanings


def _split_scale(scale: Any) -> tuple[Any, tuple[str, str]]:
    """Return the ends of a scale, and what they mean; anything else than two ends and two texts as it is."""
    if isinstance(scale, list) and [type(part) for part in scale[2:]] == [str, str]:
        return scale[:2], (f" ({scale[2]})", f" ({scale[3]})")
    return scale, ("", "")


def _stages(options: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Any]]:
    """Return baseline and stages, each with its column, and what the instrument says of the stages.

    Examples
    --------
    >>> _stages({"stages": 1, "debrief": False})[0], _stages({"stages": ["offer"]})[1]["stages"]
    ({'baseline': 'baseline', 'stage 1': 'stage_1'}, ['baseline', 'offer', 'debrief'])
    """
    stages = options.get("stages", 4)
    numbered = isinstance(stages, int)
    opening, closing = (_name_of(options, part) for part in ("baseline", "debrief"))
    played = stages
    if numbered:
        played = [f"stage_{k}" for k in range(1, min(stages, MOST_STAGES + 1) + 1)]
    every = [name for name in (opening, *played, closing) if name]
    texts = all(isinstance(name, str) and name.strip() for name in (*every, *played))
    twice = not texts or len({*every}) < len(every)
    if twice or CONTROL in every or not 1 <= len(played) <= MOST_STAGES:
        fix = f"There are 1 to {MOST_STAGES}: write their number, or their names, each once, and none '{CONTROL}'."
        message = f"stages = {shorten(repr(stages))}"
        raise InputError(Problem(message=message, source="[protocol]", fix=fix))
    columns = [opening, *played] if opening else [*played]
    # stages that are numbered have always been called by their column, with a blank
    names = [column.replace("_", " ") if numbered else column for column in columns]
    order = [*names, closing] if closing else names
    baseline = names[0] if opening else ""
    declared = {"stages": order, "baseline": baseline, "debrief": closing}
    return dict(zip(names, columns, strict=True)), declared


def _name_of(options: Mapping[str, Any], part: str) -> str:
    """Return what a run file calls the baseline or the debrief; empty where it leaves it out."""
    name = options.get(part, part)
    if name is False:
        return ""
    if not isinstance(name, str) or not name.strip():
        fix = "Write its name, or false to leave it out."
        raise InputError(Problem(message=f"{part} = {name!r}", source="[protocol]", fix=fix))
    return name
