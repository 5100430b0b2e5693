"""Folders of RoleConflictBench: a story a file, ``<model>/<speaker>/<F-R>/<codes>_<obligations>_<expectations>.json``.

Replies that could not be read stay in files that end with ``_raw.json``: they are rows too. The order of the options is
the parity of the two expectation numbers, so position is tied to the story and was not drawn.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from socialstats.claims.types import Log, Status
from socialstats.errors import InputError
from socialstats.text import count
from socialstats_collect.readers.files import Source, head_of, inside, load_json
from socialstats_collect.readers.tabular import Row, cell, frame, mapping, row, sequence, status_notes

NAME = "role-conflict-bench"
NEEDS = "a folder of <F01>-<R02>_<1-2>_<0-1>.json files (RoleConflictBench)"
STORY = re.compile(
    r"(?P<a>[A-Z]\d+)-(?P<b>[A-Z]\d+)(?:_(?P<oa>\d+)-(?P<ob>\d+)_(?P<ea>\d+)-(?P<eb>\d+))?(?P<raw>_raw)?\.jsonl?"
)
DOMAINS = {"F": "family", "O": "occupation", "S": "society", "I": "interpersonal", "R": "religion"}
LETTERS = ("A", "B")


def recognises(source: Source) -> bool:
    """Tell whether this is a folder of stories, or one story."""
    if source.kind == "folder":
        stories = [name for name in source.names if STORY.fullmatch(name.rsplit("/", 1)[-1])]
        return len(stories) > 0 and 2 * len(stories) >= len(source.names)
    return source.kind == "object" and source.has("Option", "Selected", "Answer")


def read(source: Source) -> Log:
    """Read a folder: a row a story with item_a, item_b, winner and order, as the role-conflict study reads them."""
    folder = source.path if source.kind == "folder" else source.path.parent
    names = source.names if source.kind == "folder" else (source.path.name,)
    stories = {name: match for name in names if (match := STORY.fullmatch(name.rsplit("/", 1)[-1]))}
    twice = {name for name in stories if name.endswith("_raw.json") and name.replace("_raw.json", ".json") in stories}
    rows = [_row(inside(folder, name), match) for name, match in stories.items() if name not in twice]
    if not rows:
        raise InputError(f"{folder.name}: no story like F01-R02_1-2_0-1.json in it")
    raw = count(len(twice), "reply", "replies")
    said = [f"{raw} kept both raw and repaired: only the repaired one is a row"] if twice else []
    return Log(
        harness=NAME, files=(folder.name, *sorted(stories)[:1]), rows=frame(rows),
        notes=(*said, *_notes(rows), *status_notes(rows)),
    )  # fmt: skip


def _row(path: Path, match: re.Match[str]) -> Row:
    held = {} if match["raw"] else mapping(load_json(path))
    options = [cell(option) or "" for option in sequence(held.get("Option"))]
    first, second = options if len(options) == 2 else (None, None)
    a, b = (second, first) if _swapped(match) else (first, second)
    chosen = cell(held.get("Selected"))
    usable = chosen is not None and chosen in (a, b)
    status: Status = "ok" if usable else "unparsed"
    model, speaker = path.resolve().parts[-4:-2]
    return row(
        model=model, task="role-conflict", unit=path.name.split(".")[0].removesuffix("_raw"), scorer="choice",
        value=float(chosen == a) if usable else None, status=status,
        answer=held.get("Answer") if held else head_of(path, 200).decode("utf-8", "replace"),
        metadata={
            "item_a": a, "item_b": b, "winner": chosen if usable else None, "order": first, **_story(match),
            "speaker": speaker, "values": cell(held.get("Value")), "plain": cell(_plain(held)),
        },
    )  # fmt: skip


def _swapped(match: re.Match[str]) -> bool:
    """Tell whether the second role was shown first: the expectation numbers add up to an odd one (run/main.py)."""
    return match["ea"] is not None and (int(match["ea"]) + int(match["eb"])) % 2 == 1


def _story(match: re.Match[str]) -> dict[str, str | None]:
    """Return codes, domains and urgencies of a story; an expectation's urgency is its number modulo 3, plus 1."""
    found: dict[str, str | None] = {"pair": "-".join(sorted((match["a"], match["b"])))}
    for side, code, obligation, expectation in (("a", "a", "oa", "ea"), ("b", "b", "ob", "eb")):
        number = match[expectation]
        found |= {
            f"code_{side}": match[code], f"domain_{side}": DOMAINS.get(match[code][0], match[code][0]),
            f"obligation_{side}": match[obligation], f"expectation_{side}": number,
            f"urgency_{side}": None if number is None else str(int(number) % 3 + 1),
        }  # fmt: skip
    return found


def _plain(held: dict[str, Any]) -> bool | None:
    """Tell whether the reply itself names one letter; the harness takes every answer with a capital A in it as A."""
    try:
        said = mapping(json.loads(str(held.get("Raw_Response")))).get("Answer")
    except (ValueError, RecursionError):
        return None
    return isinstance(said, str) and said.strip() in LETTERS


def _notes(rows: list[Row]) -> Iterator[str]:
    loose = sum(r["plain"] == "False" and r["status"] == "ok" for r in rows)
    if loose:
        how = "an answer that is no single letter (any capital A counts as A)"
        yield f"{count(loose, 'choice')} read from {how}: check them"
    yield "which role is shown first follows from the expectation numbers, so position is tied to the story: not random"
    dropped = "" if all(r["status"] == "ok" for r in rows) else " --where status=ok"
    by = next((f" --by {name}" for name in ("model", "speaker") if len({r[name] for r in rows}) > 1), "")
    yield f"the converted table is read by: socialstats report TABLE --study role-conflict --cluster pair{by}{dropped}"
    if by == " --by model" and len({r["speaker"] for r in rows}) > 1:
        yield "rows of several speakers are together in each model: --where speaker=NAME keeps one"
