"""Formulas of designs, ``response ~ terms | clusters``, as the keywords that tables are read with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from socialstats.designs.aliases import Fields, Levels, Texts
from socialstats.designs.options import texts
from socialstats.designs.terms import parse_formula, runs_python, term_text
from socialstats.designs.vocabulary import spelled
from socialstats.errors import InputError
from socialstats.text import listing, quoted
from socialstats.voice import option

COLUMN_KEYWORDS = frozenset(
    spelled(
        "answer by cluster condition count drawn first group group_first group_second item_a item_b judge labels model "
        "order pair rater repeat rater_groups rater_source raters scenario score_a score_b second stage status strata "
        "task ties trait traits unit value values weight winner wins_a wins_b wording"
    )
)
# take several columns
LISTS = spelled("cluster raters traits strata rater_groups repeat unit")
CALL = re.compile(r"^(\w+)\((.*)\)$", re.S)
ARGUMENT = re.compile(r"\s*(?:`([^`]+)`|([^`,\s][^`,]*?))\s*(?:,|$)")
GRAMMAR = "a formula reads 'response ~ terms | clusters' (docs/formulas.md)"


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaSides:
    """What the columns of a formula are in a design.

    Attributes
    ----------
    single : str
        Keyword of a single column on the left.
    several : tuple of str
        Keywords of columns joined by ``+`` on the left, in this order; one keyword takes all of them.
    right : tuple of str
        Keywords of the columns on the right, in this order.
    what : str
        The right side in words.
    example : str
    """

    single: str
    several: Levels = ()
    right: Levels = ()
    what: str
    example: str


SIDES: Mapping[str, FormulaSides] = {
    "Comparisons": FormulaSides(
        single="winner",
        several=("wins_a", "wins_b", "ties"),
        what="covariates of the two items",
        example="winner ~ urgency | scenario + judge",
    ),
    "Paired": FormulaSides(
        single="value",
        several=("first", "second"),
        right=("condition",),
        what="one column, the condition",
        example="answer ~ condition + unit(question) | scenario",
    ),
    "Groups": FormulaSides(
        single="value",
        right=("group",),
        what="one column, the group",
        example="score ~ arm | class",
    ),
    "Ratings": FormulaSides(
        single="value",
        several=("raters",),
        right=("rater",),
        what="one column, the rater",
        example="rating ~ judge + unit(item) | story",
    ),
    "model_scores": FormulaSides(
        single="value",
        several=("raters",),
        right=("rater",),
        what="one column, the model",
        example="correct ~ model + unit(item) + task(benchmark)",
    ),
    "repeated_answers": FormulaSides(
        single="value",
        right=("rater",),
        what="one column, the source of the answers",
        example="answer ~ model + unit(item) + repeat(sample)",
    ),
    "trait_table": FormulaSides(
        single="traits",
        several=("traits",),
        right=("model",),
        what="one column, the model",
        example="care + fairness ~ model | scenario",
    ),
    "couples_design": FormulaSides(
        single="answer",
        right=("rater",),
        what="one column, the rater",
        example="answer ~ model | scenario",
    ),
    "LabelLists.from_frame": FormulaSides(
        single="labels",
        right=("group",),
        what="one column, the group",
        example="cites ~ model | story",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaParts:
    """A formula taken apart.

    Attributes
    ----------
    text : str
    left : tuple of str
        Columns of the response.
    terms : tuple of str
        Terms on the right, as written; without intercept and `named`.
    named : mapping of str to tuple of str
        Keyword -> columns, of terms such as ``unit(item)``.
    clusters : tuple of str
    """

    text: str
    left: Levels
    terms: Levels
    named: Mapping[str, Levels]
    clusters: Levels

    def keywords(self, sides: FormulaSides, options: Texts, name: str) -> Fields:
        """Return the keywords of a call.

        Parameters
        ----------
        sides : Sides
        options : sequence of str
            Options of the function: `formula` and `covariate` take terms on the right.
        name : str
            The function, for messages.

        Raises
        ------
        InputError
            For more columns than a side takes, and two columns for one keyword.
        """
        left = sides.several if len(self.left) > 1 else (sides.single,)
        formula = f"formula {self.text!r}"
        columns_of: Fields = dict(zip(left, self.left, strict=False))
        if len(left) == 1 and left[0] in LISTS:
            columns_of = {left[0]: list(self.left)} if self.left else {}
        elif len(self.left) > len(left):
            takes = " + ".join((sides.several or (sides.single,))[: len(self.left)])
            raise InputError(
                f"{name}: {formula} has {listing(self.left)} on the left, where {takes} is meant"
            )
        columns_of |= self._right(sides, options, name)
        for key, columns in (
            *self.named.items(),
            *([("cluster", self.clusters)] if self.clusters else []),
        ):
            if key in columns_of:
                columns_text = f"{quoted(texts(columns_of[key]))} and {quoted(columns)}"
                raise InputError(f"{name}: {formula} names {option(key)} twice, {columns_text}")
            if len(columns) > 1 and key not in LISTS:
                several = f"{key}({', '.join(columns)}) in {formula} names {len(columns)} columns"
                raise InputError(f"{name}: {several}, and {option(key)} takes one")
            columns_of[key] = columns[0] if len(columns) == 1 and key != "raters" else list(columns)
        return columns_of

    def _right(self, sides: FormulaSides, options: Texts, name: str) -> Fields:
        """Return the keywords of the terms on the right."""
        if not self.terms:
            return {}
        if sides.single == "winner" and "formula" in options:
            return {"formula": f"~ {' + '.join(self.terms)}"}
        right = (
            ("covariate",) if sides.single == "winner" and "covariate" in options else sides.right
        )
        what = "one covariate" if right == ("covariate",) else sides.what
        if not right:
            raise InputError(
                f"{name} takes no covariate, and formula {self.text!r} has {listing(self.terms)} on the "
                "right: write 1 there"
            )
        plain = [_single_column(term) for term in self.terms]
        if len(plain) > len(right) or None in plain:
            bare = [f"{term[2:-1]} for {term}" for term in self.terms if term.startswith("C(")]
            if bare:
                raise InputError(
                    f"{name}: in formula {self.text!r} labels are labels without C(): write {listing(bare)}"
                )
            raise InputError(
                f"{name}: formula {self.text!r} has {listing(self.terms)} on the right, where {what} is "
                "meant. Name others like unit(item) or strata(domain), clusters after |"
            )
        return dict(zip(right, plain, strict=False))


def _single_column(term: str) -> str | None:
    """Return the column of a term that is one column, else None."""
    bare = term[1:-1] if re.fullmatch(r"`[^`]+`", term) else term
    return bare if bare != term or re.fullmatch(r"[^\W\d][\w.]*", term) else None


def take_apart(text: str) -> FormulaParts:
    """Take a formula apart: by the grammar of `socialstats.designs.terms`, or else by formulaic's parser.

    Parameters
    ----------
    text : str
        ``response ~ terms | clusters``; without response (``~ condition``) its column is found by name.

    Raises
    ------
    InputError
        For text that is no formula, a response or cluster that is no column, and a second ``|``.

    Examples
    --------
    >>> take_apart("answer ~ condition + unit(item) | scenario + `name pair`").clusters
    ('scenario', 'name pair')
    """
    left, right, clusters = _split_formula(text)
    named: dict[str, Levels] = {}
    terms = []
    for term in right:
        call = CALL.match(term)
        if call is None or call[1] not in COLUMN_KEYWORDS:
            terms += [term] if term not in ("0", "1") else []
        elif call[1] in named:
            raise InputError(
                f"formula {text!r} names {call[1]}() twice; write {call[1]}(a, b) for several columns"
            )
        else:
            named[call[1]] = tuple(
                (quoted or plain).strip() for quoted, plain in ARGUMENT.findall(call[2])
            )
    return FormulaParts(
        text=text,
        left=_plain_columns(left, text, "response"),
        terms=tuple(terms),
        named=named,
        clusters=_plain_columns(clusters, text, "cluster"),
    )


def _split_formula(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the terms of response, right side and clusters, as they are written."""
    try:
        left, right, clusters = (
            [term_text(term) for term in part.values()]
            for part in parse_formula(text, COLUMN_KEYWORDS)
        )
    except InputError:
        if not runs_python():
            raise
        return _parts_of_python(text)
    return left, right, clusters


def _parts_of_python(text: str) -> tuple[list[str], list[str], list[str]]:
    """Return the parts of a formula that only formulaic understands."""
    from formulaic.errors import FormulaicError
    from formulaic.parser import DefaultFormulaParser

    try:
        structure: Any = DefaultFormulaParser(include_intercept=False).get_terms(text)
    except (FormulaicError, KeyError, SyntaxError, RecursionError) as error:
        why = (
            "'.' names no column." if isinstance(error, KeyError) else str(error).partition("\n")[0]
        )
        raise InputError(f"{text!r} is no formula: {why} Note that {GRAMMAR}") from error
    parts = structure._structure if hasattr(structure, "_structure") else {"root": structure}
    right = parts.get("rhs", parts.get("root", ()))
    right = right if isinstance(right, tuple) else (right,)
    if len(right) > 2:
        raise InputError(f"formula {text!r} has two |; join clusters by +: {GRAMMAR}")
    left, right, clusters = (
        [*map(_formula_term, part)] for part in (parts.get("lhs", ()), right[0], (*right, ())[1])
    )
    return left, right, clusters


def _formula_term(term: Any) -> str:
    """Return a term of formulaic as it is written in a formula: names that are no identifiers in backticks."""
    from formulaic.parser.types import Factor

    lookup = Factor.EvalMethod.LOOKUP
    return ":".join(
        f"`{f.expr}`"
        if f.eval_method is lookup and not re.fullmatch(r"[^\W\d][\w.]*", f.expr)
        else str(f.expr)
        for f in term.factors
    )


def _plain_columns(terms: Iterable[str], text: str, what: str) -> Levels:
    """Return the columns of a side that takes nothing else."""
    columns = []
    for term in terms:
        column = _single_column(term)
        if column is None:
            raise InputError(
                f"formula {text!r}: {what} {term} is no column. Name columns alone, in backticks where a "
                "name is no word"
            )
        columns.append(column)
    return tuple(columns)
