"""One of a few actions, named in any of its spellings and languages: comply, deviate or escalate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from socialstats_collect.parse.clean import Clean, clean
from socialstats_collect.parse.objects import values_of
from socialstats_collect.parse.refusal import refuses
from socialstats_collect.parse.types import LONGEST, Parsed

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "comply": ("comply", "complies", "complying", "遵守", "従う", "従います", "順守"),
    "deviate": ("deviate", "deviates", "deviating", "逸脱", "従わない", "従いません"),
    "escalate": ("escalate", "escalates", "escalating", "エスカレート", "エスカレーション", "上申"),
}
NOUNS: Mapping[str, tuple[str, ...]] = {
    "comply": ("compliance",), "deviate": ("deviation", "違反"), "escalate": ("escalation",),
}  # fmt: skip
"""Spellings that count as the value of a field only: ``the compliance department`` chooses nothing."""
CONTRAST = re.compile(r"(?:\b(?:rather than|instead of)\s+(?:to\s+)?|,\s+not\s+|\(\s*not\s+)$", re.IGNORECASE)
DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|cannot|without|avoid\w*|refus\w+|declin\w+|hesitat\w+|unable|fail\w*|neither|nor|non|against"
    r"|no longer|no (?:need|reason|point|cause))\b|n't\b)[-\s]+(?:(?:to|be|the|in|of|\w+ly)\s+)*$",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"^(?:せず|しない|しません|(?:す|する)べきでは|ではな|できない|できません|するつもりは|は(?:しない|でき))"
)
BEGUN = re.compile(
    r"[\s>\"'(\[#-]*(?:\d\.\s*)?(?:(?:my |final )*(?:action|answer|decision|choice)\s*[:=-]\s*)?[\"'(\[]*$",
    re.IGNORECASE,
)
ENDED = re.compile(r"[\s\"')\]]*(?:[.:;!\n]|\s-\s)")


def parse_action(raw: str, *, key: str = "action", actions: Mapping[str, Sequence[str]] = ACTIONS) -> Parsed:
    """Return the one action a reply names: under a key of its JSON where there is one, else anywhere.

    Two actions, or an action that is only denied, are no answer.

    Examples
    --------
    >>> parse_action("「遵守」").label, parse_action("comply or escalate").status
    ('comply', 'ambiguous')
    >>> parse_action('{"action": "Deviate", "explanation": "I will not comply."}').label
    'deviate'
    """
    text = clean(raw)
    if not text.text.strip():
        return Parsed(status="empty", rule="empty")
    if len(text.text) > LONGEST:
        return Parsed(status="unparsed", rule="too_long")
    found = values_of(text.text, key)
    if found:
        more = {name: (*spellings, *NOUNS.get(name, ())) for name, spellings in actions.items()}
        named = {name for one in found for name in _named(str(one.value), more)}
        places = [(one.start, one.end) for one in found]
        return _one(named, text, places, "json" if found[0].whole else "salvaged")
    spots = _named(text.text, actions)
    if len(spots) > 1 and (first := _begun(text.text, spots)):
        return _one({first}, text, [spots[first]], "first_line")
    return _one(set(spots), text, list(spots.values()), "named")


def _one(named: set[str], text: Clean, places: list[tuple[int, int]], rule: str) -> Parsed:
    if len(named) > 1:
        return Parsed(status="ambiguous", rule="several", conflict=True)
    if named:
        return Parsed(status="ok", label=named.pop(), rule=rule, span=text.span(*places[0]))
    return Parsed(status="refusal", rule="refusal") if refuses(text.text) else Parsed(status="unparsed", rule="none")


def _begun(text: str, spots: Mapping[str, tuple[int, int]]) -> str | None:
    """The action with which a reply begins, set off from what follows, where no later line begins with another."""
    begun = [
        name
        for name, (start, end) in spots.items()
        if BEGUN.match(text[text.rfind("\n", 0, start) + 1 : start][:80]) and ENDED.match(text, end)
    ]
    first = min(spots, key=lambda name: spots[name])
    return first if begun == [first] and not text[: spots[first][0]].count("\n") else None


def _named(text: str, actions: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Return the actions a text names with their first places; a denied one makes the text name two.

    ``逸脱せず遵守`` names both, on purpose: which one is meant is not ours to guess.
    """
    found: dict[str, tuple[int, int]] = {}
    for name, spellings in actions.items():
        for spelling in spellings:
            edge = r"(?<!\w){}(?!\w)" if spelling.isascii() else "{}"
            for match in re.finditer(edge.format(re.escape(spelling)), text, re.IGNORECASE):
                before = text[max(0, match.start() - 60) : match.start()]
                if CONTRAST.search(before):
                    continue
                denied = DENIED_BEFORE.search(before) or DENIED_AFTER.match(text[match.end() : match.end() + 20])
                found.setdefault(f"not {name}" if denied else name, match.span())
    return found if any(not name.startswith("not ") for name in found) else {}
