"""Prompt templates: ``{column}`` stands for an item's text, ``{{`` and ``}}`` for braces, and that is all."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping

from socialstats.errors import InputError, Problem

PART = re.compile(r"\{\{|\}\}|\{([^{}\n]*)\}|[{}]")


def fields(template: str, *, source: str = "template") -> tuple[str, ...]:
    """Return the columns a template needs, in order of appearance.

    Raises
    ------
    InputError
        For a brace that is neither a column nor doubled.

    Examples
    --------
    >>> fields("{name} and {other}, {{not this}}")
    ('name', 'other')
    """
    names = []
    for part in PART.finditer(template):
        if part[0] in "{}":
            raise InputError(
                Problem(
                    message=f"a lone '{part[0]}' at character {part.start() + 1}",
                    source=source,
                    fix="Write a column as {column}, and a brace itself twice: {{ or }}",
                )
            )
        if part[1] is not None:
            names.append(part[1].strip())
    return tuple(dict.fromkeys(names))


def fill(template: str, values: Mapping[str, str]) -> str:
    """Return the template with its columns filled in; braces inside the values are left alone.

    Examples
    --------
    >>> fill("Is {name} right?", {"name": "{x}"})
    'Is {x} right?'
    """
    return PART.sub(
        lambda part: values[part[1].strip()] if part[1] is not None else part[0][0],
        template,
    )


def require(template: str, columns: Iterable[str], *, source: str) -> None:
    """Raise where a template names a column that is not there.

    Raises
    ------
    InputError
        Naming the column, what there is, and the nearest spelling.
    """
    known = list(columns)
    problems = []
    for name in fields(template, source=source):
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, 1)
        hint = f"Did you mean {{{near[0]}}}?" if near else "Add the column to the items, or mend the template."
        problems.append(
            Problem(
                message=f"the template needs a column '{name}', but the items have only {', '.join(known)}",
                source=source,
                fix=hint,
            )
        )
    if problems:
        raise InputError(problems)
