"""Options of a command from the signature and the docstring of a function, and the values that typed words are."""

from __future__ import annotations

import argparse
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, Union, get_args, get_origin

from socialstats.cli.helping import Parser
from socialstats.designs.aliases import Fields
from socialstats.errors import InputError
from socialstats.proposals.deciding import (
    split_list,
)
from socialstats.resampling.options import in_our_spelling

ALSO = {"columns": "--level-columns"}  # what report calls it
LONGEST = 50  # list of choices beside an option; longer ones are in its words


def add_keywords(
    parser: Parser,
    title: str,
    names: Sequence[tuple[str, Any, str]],
    hints: Mapping[str, list[Any]],
) -> None:
    """Add keywords of a function (name, default, help) as a group of options."""
    group = parser.add_argument_group(title)
    for name, default, about in names:
        spellings = [f"--{name.replace('_', '-')}", *([ALSO[name]] if name in ALSO else [])]
        group.add_argument(*spellings, dest=name, **option_shape(hints[name], default, about))
        parser.brief[name] = option_shape(hints[name], default, about.partition(". ")[0])["help"]


def kinds(hint: Any) -> list[Any]:
    """Return what a type may be: values of its literals as they are, and types.

    Examples
    --------
    >>> kinds(Literal["a", False] | float | None)
    ['a', False, <class 'float'>, <class 'NoneType'>]
    """
    if get_origin(hint) in (Union, types.UnionType):
        return [kind for part in get_args(hint) for kind in kinds(part)]
    return list(get_args(hint)) if get_origin(hint) is Literal else [hint]


def option_shape(types_of: Sequence[Any], default: Any, about: str) -> Fields:
    """Return how argparse takes an option: a switch, one word, or words; and its help."""
    switch = bool in types_of
    if default is not inspect.Parameter.empty and default not in (None, ()):
        about = f"{about} (default {default})"
    about = about.strip().replace("%", "%%")
    if switch and set(types_of) <= {bool, types.NoneType}:
        return {"action": argparse.BooleanOptionalAction, "default": None, "help": about}
    several = takes_list(types_of)
    forms = [*dict.fromkeys(kind for kind in types_of if isinstance(kind, str))]
    if several or takes_text(types_of):
        forms.append("A,B,..." if several else "NAME")
    if any(kind in (int, float) for kind in types_of):
        forms.append("NUMBER")
    if any(get_origin(kind) is Mapping for kind in types_of):
        forms.append("KEY=VALUE,...")
    metavar = "|".join(forms) or "WORD"
    if len(metavar) > LONGEST:
        about, metavar = f"{about}: {', '.join(forms)}".lstrip(": "), "WORD"
    shape: Fields = {"metavar": metavar, "help": about}
    if switch:
        return shape | {"nargs": "?", "const": True}
    # also typed once for each
    return shape | ({"action": "append"} if several else {})


def takes_text(types_of: Sequence[Any]) -> bool:
    """Return whether an option takes any text."""
    return any(kind in (str, Any) for kind in types_of)


def takes_list(types_of: Sequence[Any]) -> bool:
    """Return whether an option takes several words."""
    return any(get_origin(kind) in (tuple, Sequence) for kind in types_of)


def typed_value(name: str, word: Any, types_of: Sequence[Any]) -> Any:
    """Return the value that a word of the command line stands for, by the types that the option takes.

    Raises
    ------
    InputError
        For a word that fits none of them.

    Examples
    --------
    >>> typed_value("on_undefined", "1", kinds(Literal["nan", "raise"] | float))
    1.0
    >>> typed_value("cluster", "story,judge", kinds(str | Sequence[str] | None))
    ['story', 'judge']
    >>> typed_value("cluster", ["story", "judge"], kinds(str | Sequence[str] | None))
    ['story', 'judge']
    >>> typed_value("alternative", "two.sided", kinds(Literal["two_sided", "greater", "less"]))
    'two_sided'
    >>> typed_value("weights", "left=-1,right=1", kinds(Mapping[str, float] | None))
    {'left': -1.0, 'right': 1.0}
    """
    option = f"--{name.replace('_', '-')}"
    if isinstance(word, bool):
        return word
    if name == "alternative":
        word = in_our_spelling(word.lower())
    as_list = tuple if any(get_origin(kind) is tuple for kind in types_of) else list
    if isinstance(word, list):
        if len(word) > 1:
            return as_list(split_list(word))
        word = word[0]
    for kind in types_of:
        if isinstance(kind, str | bool) and str(kind).lower() == word.lower():
            return kind
    if word.lower() == "none" and types.NoneType in types_of:
        return None
    for kind in types_of:
        if get_origin(kind) is Mapping and ("=" in word or len(types_of) == 1):
            return typed_mapping(option, word, get_args(kind)[1])
    for kind in (int, float):
        if kind in types_of:
            try:
                return kind(word)
            except ValueError:
                continue
    if takes_list(types_of):
        parts = split_list([word])
        if len(parts) > 1 or not takes_text(types_of):
            return as_list(parts)
    if takes_text(types_of) or any(get_origin(k) not in (None, Literal) for k in types_of):
        return word
    choices = dict.fromkeys(str(kind) for kind in types_of if isinstance(kind, str | bool))
    expected = f"one of {', '.join(choices)}" if choices else "not a number"
    raise InputError(f"{option} {word}: {expected}")


def typed_mapping(option: str, word: str, kind: Any) -> Fields:
    """Return what ``KEY=VALUE,KEY=VALUE`` says: numbers, texts, or texts between colons.

    Raises
    ------
    InputError
        For a key without a value, and a value that is no number where one is wanted.
    """
    values: Fields = {}
    for key, sign, value in (part.partition("=") for part in split_list([word])):
        if not sign:
            raise InputError(f"{option} {word}: '{key}' has no value; write KEY=VALUE,KEY=VALUE")
        try:
            values[key] = float(value) if kind is float else value
        except ValueError:
            raise InputError(f"{option}: '{value}' is not a number") from None
    if get_origin(kind) is tuple:
        return {key: tuple(value.split(":")) for key, value in values.items()}
    return values


def described_parameters(function: Callable[..., Any]) -> dict[str, str]:
    """Return what the docstring of a function says of each parameter, as one paragraph."""
    _, _, section = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")
    texts: dict[str, list[str]] = {}
    names: list[str] = []
    for line, after in pairwise([*section.split("\n"), ""]):
        if set(after) == {"-"}:
            break
        if line[:1] not in ("", " "):
            names = [name.strip(" *") for name in line.partition(" : ")[0].split(",")]
        for name in names:
            texts.setdefault(name, []).extend([line.strip()] if line[:1] == " " else [])
    return {name: " ".join(words).replace("`", "") for name, words in texts.items()}


def first_line(function: Callable[..., Any]) -> str:
    """Return the first line of the docstring."""
    return (inspect.getdoc(function) or "").partition("\n")[0]
