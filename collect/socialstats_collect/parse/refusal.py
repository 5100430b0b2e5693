"""Whether a reply declines to answer. Asked only after no answer was found: many answers begin with a doubt."""

from __future__ import annotations

import re

_CANNOT = (
    r"(?:can(?:no|')?t|can not|could not|couldn't|am (?:not able|unable)|'m (?:not able|unable)"
    r"|will not|won't|would not|wouldn't|must decline)"
)
_ANSWERING = (
    "agree|answer|assist|choose|comment|complete|condone|create|decide|determine|discuss|engage|estimate|evaluate|fulfil"
    "|fulfill|generate|give|help|judge|make|offer|participate|pick|provide|rate|respond|say|select|speculate|support|take"
)
_MISSING = "personal |any |enough |access |specific |the ability|sufficient |data|an opinion|opinions|statistics"
_HARD = "(?:difficult|hard|challenging|tricky)"
_BOTH = "(?:of them |of you |people |sides |parties |are |is )+(?:right|correct|wrong|at fault|valid)"
PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:i|we)\s?{_CANNOT}\b(?:\s+\w+){{0,3}}?\s+(?:{_ANSWERING})\b",
        r"\bas an? (?:ai|artificial|large language|language)\b",
        r"\bi(?:'m| am) (?:just |only )?an? (?:ai|language model|large language model|assistant)\b",
        rf"\b(?:i )?(?:do not|don't) have (?:{_MISSING})",
        r"\b(?:it(?:'s| is)|is) (?:not possible|impossible|not appropriate|inappropriate|not ethical)\b",
        rf"\bit(?:'s| is) (?:\w+ )?{_HARD} to (?:\w+ )?(?:determine|say|estimate|give|provide|judge|tell|know)",
        r"\bi(?:'d| would) (?:rather|prefer) not\b",
        r"\b(?:i )?(?:decline|refuse) to\b",
        r"\bi(?:'m| am) (?:sorry|afraid)\b",
        rf"\b(?:both|neither) {_BOTH}",
        r"\bthere is no (?:right|correct|single|definitive|clear) (?:answer|person)",
        r"^\W*(?:i (?:do not|don't) know|no answer)\b",
        r"\bje ne (?:peux|suis) pas\b.{0,30}\b(?:répondre|juger|choisir|capable)",
        r"\b(?:kann|möchte) (?:ich |das |diese frage )*nicht (?:beantworten|beurteilen|entscheiden)",
        r"\bno puedo (?:responder|contestar|elegir|juzgar|decidir)",
        r"(?:无法|不能|無法)(?:回答|判断|判斷|选择|選擇|提供)",
        r"申し訳|回答できません|お答えできません|判断できません|できかねます",
    )
)


def refuses(text: str) -> bool:
    """Return whether a cleaned reply declines.

    Examples
    --------
    >>> refuses("I'm sorry, but I can't help with that."), refuses("Most people would agree.")
    (True, False)
    """
    return any(pattern.search(text) for pattern in PATTERNS)
