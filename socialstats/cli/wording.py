"""Messages of the library as the command line says them: ``--levels a,b``, not ``levels=['a', 'b']``."""

from __future__ import annotations

import re
from dataclasses import replace

from socialstats.errors import Caution

OPTIONS = {
    "levels": "--levels", "scale": "--scale", "missing": "--missing", "unmatched": "--unmatched", "by": "--by",
    "conditions": "--conditions", "refusal": "--refusal", "strata": "--strata", "rater_groups": "--rater-group",
    "cluster": "--cluster", "na": "--na", "tie": "--tie", "winner_coding": "--winner-coding", "level": "--level",
    "seed": "--seed", "resamples": "--resamples", "penalty": "--penalty", "prior": "--prior", "ties": "--ties",
    "smallest_effect": "--smallest-effect", "effect_scale": "--effect-scale", "covariate": "--covariate",
}  # fmt: skip
PARTS = ("unit", "condition", "value", "rater", "status", "rater_source", "item_a", "item_b", "winner", "order",
         "first", "second")  # fmt: skip
QUOTED = r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\""
PLAIN = r"(?!['\"(\[{])[^\s,;:()'\"]*[^\s,;:()'\".]"
SETTING = re.compile(
    rf"(?<![\w.'\"/-])(?<!--map )(?P<name>{'|'.join(sorted((*OPTIONS, *PARTS), key=len, reverse=True))})="
    rf"(?P<value>{QUOTED}|[\[(](?:{QUOTED}|[\w.…-]+)(?:, ?(?:{QUOTED}|[\w.…-]+))*,?[\])]|{PLAIN}|)"
    rf"(?P<twin> \((?P<said>--[^()\n]{{1,300}})\))?"
)


def as_typed(message: str) -> str:
    """Return a message with options as they are typed.

    Examples
    --------
    >>> as_typed("Say levels=['low', 'high'] in order, or scale='nominal'")
    'Say --levels low,high in order, or --scale nominal'
    >>> as_typed("say missing='drop' (--missing drop) to leave such rows out")
    'say --missing drop to leave such rows out'
    >>> as_typed("unit='question' plays it; declare others with cluster=")
    '--map unit=question plays it; declare others with --cluster'
    """
    return SETTING.sub(_typed, message)


def _typed(match: re.Match[str]) -> str:
    if match["said"]:
        return match["said"]
    name, value = match["name"], match["value"]
    flag = OPTIONS.get(name)
    if flag is None:
        return f"--map {name}={_plain(value)}" if value[:1] in ("'", '"') else match[0]
    return f"{flag} {_plain(value)}".rstrip()


def _plain(value: str) -> str:
    """Write a Python value as one word of a command line."""
    parts = re.findall(rf"{QUOTED}|[\w.…-]+", value) if value[:1] in "[('\"" else [value]
    texts = [part[1:-1] if part[:1] in ("'", '"') else part for part in parts]
    word = ",".join(f'"{text}"' if "," in text else text for text in texts)
    return f"'{word}'" if re.search(r"[\s\"$&;|<>*?#]", word) else word


def typed_caution(caution: Caution) -> Caution:
    """Return a caution with options as they are typed."""
    return replace(
        caution,
        detail=as_typed(caution.detail),
        affects=as_typed(caution.affects),
        fix=as_typed(caution.fix),
    )
