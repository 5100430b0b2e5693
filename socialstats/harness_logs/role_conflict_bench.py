"""Folders of RoleConflictBench: a story a file, ``<model>/<speaker>/<F-R>/<codes>_<obligations>_<expectations>.json``.

Replies that could not be read stay in files that end with ``_raw.json``: they are rows too. The order of the options is
the parity of the two expectation numbers, so position is tied to the story and was not drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, head_of, inside, load_json
from socialstats.harness_logs.log import Log, StudyReading
from socialstats.harness_logs.tabular import Members, Row, at, cell, items, log_of, read_by, row
from socialstats.text import count

NEEDS = "a folder of <F01>-<R02>_<1-2>_<0-1>.json files (RoleConflictBench)"
STORY = re.compile(
    r"(.*/)?(?P<id>(?P<code_a>[A-Z]\d+)-(?P<code_b>[A-Z]\d+)(?:_(?P<obligation_a>\d+)-(?P<obligation_b>\d+)"
    r"_(?P<expectation_a>\d+)-(?P<expectation_b>\d+))?)(?P<raw>_raw)?\.jsonl?"
)
DOMAINS = {"F": "family", "O": "occupation", "S": "society", "I": "interpersonal", "R": "religion"}
LETTERS = ("A", "B")
FORMS = [("object", "Option", "Selected", "Answer")]


def recognises(source: Source) -> bool:
    """Return whether this is a folder of stories."""
    stories = [name for name in source.names if STORY.fullmatch(name)]
    return source.kind == "folder" and 2 * len(stories) >= max(1, len(source.names))


def read(source: Source) -> Log:
    """Read a folder: one row per story with item_a, item_b, winner and order, as the role-conflict study reads them."""
    folder = source.path if source.kind == "folder" else source.path.parent
    names = source.names if source.kind == "folder" else (source.path.name,)
    stories = {name: match for name in names if (match := STORY.fullmatch(name))}
    twice = {
        name
        for name in stories
        if name.endswith("_raw.json") and name.replace("_raw.json", ".json") in stories
    }
    rows = [
        story_row(inside(folder, name), match)
        for name, match in stories.items()
        if name not in twice
    ]
    if not rows:
        raise InputError(f"{folder.name}: no story like F01-R02_1-2_0-1.json in it")
    raw = count(len(twice), "reply", "replies")
    notes = [f"{raw} kept both raw and repaired: only the repaired one is a row"] if twice else []
    files = (folder.name, *sorted(stories)[:1])
    return log_of(__name__, source, rows, files=files, notes=(*notes, *story_notes(rows)))


def story_row(path: Path, match: re.Match[str]) -> Row:
    """Return a story; its second role was shown first if the expectation numbers add up to an odd one (run/main.py)."""
    story = {} if match["raw"] else at(load_json(path))
    options = [cell(option) or "" for option in items(story, "Option")]
    order = options if len(options) == 2 else [None, None]
    odd = (int(match["expectation_a"] or 0) + int(match["expectation_b"] or 0)) % 2
    a, b = reversed(order) if odd else order
    chosen = cell(story.get("Selected"))
    usable = chosen is not None and chosen in (a, b)
    model, speaker = path.resolve().parts[-4:-2]
    return row(
        model=model,
        task="role-conflict",
        unit=match["id"],
        scorer="choice",
        score=(float(chosen == a), "ok" if usable else "unparsed"),
        answer=story.get("Answer") if story else head_of(path, 200).decode("utf-8", "replace"),
        metadata={
            "item_a": a,
            "item_b": b,
            "winner": chosen if usable else None,
            "order": order[0],
            **story_columns(match),
            "speaker": speaker,
            "values": cell(story.get("Value")),
            "plain": cell(is_plain_letter(story)),
        },
    )


def story_columns(match: re.Match[str]) -> dict[str, str | None]:
    """Return codes, domains and urgencies of a story; an expectation's urgency is its number modulo 3, plus 1."""
    columns = {name: text for name, text in match.groupdict().items() if name not in ("id", "raw")}
    columns["pair"] = "-".join(sorted((match["code_a"], match["code_b"])))
    for side in "ab":
        domain, number = match[f"code_{side}"][0], match[f"expectation_{side}"]
        columns[f"domain_{side}"] = DOMAINS.get(domain, domain)
        columns[f"urgency_{side}"] = None if number is None else str(int(number) % 3 + 1)
    return columns


def is_plain_letter(story: Members) -> bool | None:
    """Return whether the reply itself names one letter; the harness takes every answer with a capital A in it as A."""
    try:
        answer = at(json.loads(str(story.get("Raw_Response")))).get("Answer")
    except (ValueError, RecursionError):
        return None
    return isinstance(answer, str) and answer.strip() in LETTERS


def story_notes(rows: list[Row]) -> Iterator[str | StudyReading]:
    """Yield notes on answers and order, and how a study reads the rows."""
    if loose := sum(r["plain"] == "False" and r["status"] == "ok" for r in rows):
        how = "an answer that is no single letter (any capital A counts as A)"
        yield f"{count(loose, 'choice')} read from {how}: check them"
    yield "which role is shown first follows from the expectation numbers, so position is tied to the story: not random"
    varied = [name for name in ("model", "speaker") if len({r[name] for r in rows}) > 1]
    by = "".join(f" --by {name}" for name in varied[:1])
    yield read_by(rows, "role-conflict", f"--cluster pair{by}")
    if len(varied) > 1:
        yield "rows of several speakers are together in each model: --where speaker=NAME keeps one"
