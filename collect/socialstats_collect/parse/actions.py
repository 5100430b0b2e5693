"""One of a few actions, named in any of its spellings and languages: comply, deviate or escalate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from socialstats_collect.parse.clean import Clean, clean
from socialstats_collect.parse.objects import values_of
from socialstats_collect.parse.refusal import refuses
from socialstats_collect.parse.types import Parsed

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "comply": ("comply", "complies", "complying", "compliance", "遵守", "従う", "従います", "順守"),
    "deviate": ("deviate", "deviates", "deviating", "deviation", "逸脱", "従わない", "従いません", "違反"),
    "escalate": ("escalate", "escalates", "escalating", "escalation", "エスカレート", "エスカレーション", "上申"),
}
DENIED_BEFORE = re.compile(r"\b(?:not|never|n't|rather than|instead of|without)\s+(?:\w+\s+)?$", re.IGNORECASE)
DENIED_AFTER = re.compile(r"^(?:せず|しない|しません|すべきでは|ではな)")


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
    found = values_of(text.text, key)
    if found:
        named = {name for one in found for name in _named(str(one.value), actions)}
        places = [(one.start, one.end) for one in found]
        return _one(named, text, places, "json" if found[0].whole else "salvaged")
    spots = _named(text.text, actions)
    return _one(set(spots), text, list(spots.values()), "named")


def _one(named: set[str], text: Clean, places: list[tuple[int, int]], rule: str) -> Parsed:
    if len(named) > 1:
        return Parsed(status="ambiguous", rule="several", conflict=True)
    if named:
        return Parsed(status="ok", label=named.pop(), rule=rule, span=text.span(*places[0]))
    return Parsed(status="refusal", rule="refusal") if refuses(text.text) else Parsed(status="unparsed", rule="none")


def _named(text: str, actions: Mapping[str, Sequence[str]]) -> dict[str, tuple[int, int]]:
    """Return the actions a text names with their first places; a denied one makes the text name two.

    ``逸脱せず遵守`` names both, on purpose: which one is meant is not ours to guess.
    """
    found: dict[str, tuple[int, int]] = {}
    for name, spellings in actions.items():
        for spelling in spellings:
            edge = r"(?<!\w){}(?!\w)" if spelling.isascii() else "{}"
            for match in re.finditer(edge.format(re.escape(spelling)), text, re.IGNORECASE):
                denied = DENIED_BEFORE.search(text[: match.start()]) or DENIED_AFTER.match(text[match.end() :])
                found.setdefault(f"not {name}" if denied else name, match.span())
    return found if any(not name.startswith("not ") for name in found) else {}
