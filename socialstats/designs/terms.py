"""The grammar of formulas that come from files and from the command line.

Such a formula holds columns, numbers, interactions and a few functions. It is taken apart here and computed by
`socialstats.choices.terms`; no part of it is run as Python. Formulas in Python may hold any code that formulaic runs,
except where `names_only` is in force.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from socialstats.designs.aliases import TextSet
from socialstats.errors import InputError, Problem
from socialstats.text import listing, shorten

# functions that stand alone -> their options, and the largest values
OPTIONS: Mapping[str, Mapping[str, int]] = {
    "C": {},
    "poly": {"degree": 10},
    "bs": {"df": 50, "degree": 5},
}
FUNCTIONS = ("I", "C", "log", "exp", "sqrt", "scale", "center", "poly", "bs")
LONGEST = 2_000
DEEPEST = 20
MOST_TERMS = 100
HIGHEST_POWER = 10
ALLOWED = (
    "Formulas of files and of the command line hold columns, numbers, interactions (: and *) and the functions "
    + ", ".join(FUNCTIONS)
)
BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, "**": 4}
# how tightly terms are joined
JOINS = {"*": 1, ":": 2, "**": 3, "^": 3}
# -x**2 is -(x**2), and -x*y is (-x)*y
SIGN_BINDS = 3
WORD = re.compile(r"[^\W\d][\w.]*")
TOKEN = re.compile(
    rf"(?P<number>(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>{WORD.pattern})|`(?P<quoted>[^`]+)`"
    r"|(?P<mark>\*\*|[-+*/^:|~(),=])"
)

_lock = threading.Lock()
# counted for the whole process: a thread that starts inside `names_only` must keep to it
_refusals = 0


@contextmanager
def names_only() -> Iterator[None]:
    """Refuse formulas beyond the grammar, in every thread, as long as this lasts.

    What is asked inside comes from files and from the command line.
    """
    global _refusals
    with _lock:
        _refusals += 1
    try:
        yield
    finally:
        with _lock:
            _refusals -= 1


def runs_python() -> bool:
    """Return whether formulas beyond the grammar may be run as Python.

    Examples
    --------
    >>> with names_only():
    ...     runs_python()
    False
    """
    return not _refusals


@dataclass(frozen=True, slots=True)
class Expression:
    """A column, a number, an operation or a call.

    Attributes
    ----------
    text : str
        As it is written, with the same spaces whoever wrote it; two expressions of one text are the same.
    does : str
        ``column``, ``number``, ``group`` (parentheses), an operator or a function.
    of : tuple of Expression
        What the operator or function is applied to.
    name : str
        Of the column.
    options : mapping of str to int
        Of the function.
    """

    text: str
    does: str = field(compare=False)
    of: tuple[Expression, ...] = field(default=(), compare=False)
    name: str = field(default="", compare=False)
    options: Mapping[str, int] = field(default_factory=dict, compare=False)

    @property
    def label(self) -> str:
        """What a coefficient is called: a column by its bare name."""
        return self.name or self.text

    def columns(self) -> Iterator[str]:
        """Yield the names of the columns in it."""
        if self.does == "column":
            yield self.name
        for part in self.of:
            yield from part.columns()


Term: TypeAlias = tuple[Expression, ...]
"""Factors that are multiplied; none of them is the intercept."""
Terms: TypeAlias = dict[frozenset[str], Term]


class FormulaTerms(NamedTuple):
    """The terms of a formula: left of ``~``, right of it, and behind ``|``."""

    left: Terms
    right: Terms
    clusters: Terms


def column_term(name: str) -> str:
    """Return a column as a formula names it: in backticks where its name is no word.

    Raises
    ------
    InputError
        For a name that holds a backtick.

    Examples
    --------
    >>> column_term("urgency"), column_term("word count")
    ('urgency', '`word count`')
    """
    if "`" in name:
        raise InputError(
            f"no formula can name '{shorten(name)}', which holds a backtick. Rename the column"
        )
    return name if WORD.fullmatch(name) else f"`{name}`"


def term_text(term: Term) -> str:
    """Return a term as a formula writes it."""
    return ":".join(factor.text for factor in term) or "1"


def parse_formula(text: str, keywords: TextSet = ()) -> FormulaTerms:
    """Take a formula apart.

    Parameters
    ----------
    text : str
        ``response ~ terms | clusters``; without ``~`` it is a right side.
    keywords : collection of str
        Names that may be written like functions of columns, such as ``unit(item)``.

    Raises
    ------
    InputError
        For whatever is outside the grammar; the message names the part.

    Examples
    --------
    >>> parts = parse_formula("chosen ~ urgency * log(length) | judge")
    >>> [term_text(term) for term in parts.right.values()]
    ['1', 'urgency', 'log(length)', 'urgency:log(length)']
    >>> parse_formula("~ np.log(length)")
    Traceback (most recent call last):
    socialstats.errors.InputError: formula '~ np.log(length)': np.log() is not a function of formulas; write log(). ...
    """
    return _FormulaReading(text, keywords).formula()


def right_terms(formula: str) -> list[Term] | None:
    """Return the terms on the right of a formula; None for one that only Python can compute, where it may.

    Raises
    ------
    InputError
        For a formula outside the grammar that must not be run as Python, and one with a response or clusters.

    Examples
    --------
    >>> right_terms("~ {x + 1}") is None
    True
    """
    try:
        parts = parse_formula(formula)
    except InputError:
        if runs_python():
            return None
        raise
    if parts.left or parts.clusters:
        raise InputError(
            f"formula '{shorten(formula, 120)}' has a response or clusters, where terms are meant"
        )
    return [*parts.right.values()]


class _FormulaReading:
    """A formula, read once from left to right; `kind` and `token` are what comes next."""

    def __init__(self, text: str, keywords: TextSet) -> None:
        self.text = text
        self.keywords = keywords
        self.at = self.depth = 0
        self.kind = self.token = ""
        if len(text) > LONGEST:
            raise self.refused(f"it has {len(text):,} characters, and {LONGEST:,} are the most")
        self.take()

    def refused(self, why: str) -> InputError:
        return InputError(
            Problem(message=f"formula '{shorten(self.text, 120)}': {why}", fix=ALLOWED)
        )

    def take(self) -> str:
        """Return the next token, and look at the one behind it."""
        token = self.token
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1
        match = TOKEN.match(self.text, self.at)
        if match is not None and match.lastgroup is not None:
            self.kind = match.lastgroup
            self.token = match[match.lastgroup]
            self.at = match.end()
        elif self.at >= len(self.text):
            self.kind = "end"
            self.token = ""
        else:
            raise self.refused(f"{self.rest(self.at)} is not part of a formula")
        return token

    def rest(self, start: int) -> str:
        """Return what is left of the text, as a message shows it."""
        return repr(shorten(self.text[start:], 40))

    def next_is(self, *marks: str) -> bool:
        return self.kind == "mark" and self.token in marks

    def expect(self, mark: str, where: str) -> None:
        if not self.next_is(mark):
            raise self.unexpected(f"where '{mark}' {where}")
        self.take()

    def unexpected(self, where: str) -> InputError:
        place = "the end" if self.kind == "end" else f"'{self.token}'"
        return self.refused(f"{place} stands {where}")

    @contextmanager
    def deeper(self) -> Iterator[None]:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refused(f"it is nested more than {DEEPEST} levels deep")
        yield
        self.depth -= 1

    def formula(self) -> FormulaTerms:
        left: Terms = {} if self.next_is("~") else self.sum({})
        intercept: Terms = {frozenset(): ()}
        if self.next_is("~"):
            self.take()
            right = self.sum(intercept)
        else:
            left, right = {}, intercept | left
        clusters: Terms = {}
        if self.next_is("|"):
            self.take()
            clusters = self.sum({})
        if self.next_is("|"):
            raise self.refused("it has two |; join clusters by +")
        if self.kind != "end":
            several = "; a name of several words stands in backticks" if self.kind == "name" else ""
            raise self.unexpected(f"where an operator is needed{several}")
        return FormulaTerms(left, right, clusters)

    def sum(self, start: Terms) -> Terms:
        """Read terms joined by + and -; ``+ 0`` and ``- 1`` leave out the intercept."""
        terms = start
        sign = self.take() if self.next_is("+", "-") else "+"
        while True:
            adds = sign == "+"
            if self.kind == "number" and self.token == "0":
                self.take()
                more: Terms = {frozenset(): ()}
                adds = not adds
            else:
                more = self.joined()
            terms = self.limited(
                terms | more if adds else {key: terms[key] for key in terms if key not in more}
            )
            if not self.next_is("+", "-"):
                return terms
            sign = self.take()

    def joined(self, least: int = 1) -> Terms:
        """Read factors, or terms in parentheses, joined by operators that bind at least so tightly.

        ``:`` is an interaction, ``*`` adds terms and their interactions, ``**k`` their interactions up to k of them.
        """
        terms = self.factor()
        while self.kind == "mark" and JOINS.get(self.token, 0) >= least:
            sign = self.take()
            left_term = terms
            if sign in ("**", "^"):
                for _ in range(self.whole("a power of terms", HIGHEST_POWER) - 1):
                    terms = self.crossed(terms, left_term)
                if self.next_is("**", "^"):
                    raise self.unexpected("where an operator is needed")
                continue
            right_term = self.joined(JOINS[sign] + 1)
            terms = self.crossed(left_term, right_term)
            terms = terms if sign == ":" else self.limited(left_term | right_term | terms)
        return terms

    def factor(self) -> Terms:
        if self.next_is("("):
            with self.deeper():
                self.take()
                terms = self.sum({})
                self.expect(")", "closes '('")
            return terms
        if self.kind == "number":
            if self.token != "1":
                raise self.refused(
                    f"the number {self.token} is not a term; a calculation stands in I()"
                )
            self.take()
            return {frozenset(): ()}
        factor = self.named(alone=True)
        return {frozenset((factor.text,)): (factor,)}

    def crossed(self, left: Terms, right: Terms) -> Terms:
        """Return the interactions of each term with each other one; a factor counts once in a term."""
        terms: Terms = {}
        for left_term in left:
            for right_term in right:
                added = tuple(
                    factor for factor in right[right_term] if factor.text not in left_term
                )
                terms.setdefault(left_term | right_term, (*left[left_term], *added))
        return self.limited(terms)

    def limited(self, terms: Terms) -> Terms:
        if len(terms) > MOST_TERMS:
            raise self.refused(f"it has more than {MOST_TERMS} terms")
        return terms

    def named(self, *, alone: bool) -> Expression:
        """Read a column or a call; `alone`: as a factor, not inside a calculation."""
        if self.kind not in ("name", "quoted"):
            raise self.unexpected("where a column is needed")
        is_name = self.kind == "name"
        name = self.take()
        if is_name and self.next_is("("):
            with self.deeper():
                return self.call(name, alone=alone)
        return Expression(column_term(name), "column", name=name)

    def call(self, function: str, *, alone: bool) -> Expression:
        if function not in FUNCTIONS and not (alone and function in self.keywords):
            last = function.rpartition(".")[2]
            hint = f"; write {last}()" if last in FUNCTIONS else ""
            raise self.refused(f"{function}() is not a function of formulas{hint}")
        if function in OPTIONS and not alone:
            raise self.refused(
                f"{function}() stands inside a calculation, and it makes several columns"
            )
        self.take()
        of_columns = function == "C" or function in self.keywords
        of = self.columns_within(function) if of_columns else (self.calculation(),)
        options, written = self.options(function) if function in OPTIONS else ({}, [])
        self.expect(")", f"closes {function}()")
        inside = ", ".join([*(left_term.text for left_term in of), *written])
        return Expression(f"{function}({inside})", function, of, options=options)

    def columns_within(self, function: str) -> tuple[Expression, ...]:
        """Read the one column of C(), or the columns of a keyword such as ``unit(story, id)``."""
        columns = [self.named(alone=False)]
        while self.next_is(",") and function in self.keywords:
            self.take()
            columns.append(self.named(alone=False))
        for left_term in columns:
            if left_term.does != "column":
                raise self.refused(
                    f"{function}() takes columns, and {left_term.text} is a calculation"
                )
        return tuple(columns)

    def options(self, function: str) -> tuple[dict[str, int], list[str]]:
        """Read the options of a function, and how they are written; the first needs no name."""
        counts: dict[str, int] = {}
        written = []
        names = OPTIONS[function]
        while self.next_is(","):
            self.take()
            first = next(iter(names), "") if self.kind == "number" and not counts else ""
            name = first or self.token
            if name not in names or name in counts:
                takes = listing([f"{name}=" for name in names]) if names else "one column alone"
                raise self.unexpected(f"among the options of {function}(), which takes {takes}")
            if not first:
                self.take()
                self.expect("=", f"follows {name}")
            counts[name] = self.whole(f"{name} of {function}()", names[name])
            written.append(f"{counts[name]}" if first else f"{name}={counts[name]}")
        return counts, written

    def whole(self, what: str, most: int) -> int:
        """Read a whole number."""
        token = self.token
        if self.kind != "number" or not token.isdecimal() or not 1 <= float(token) <= most:
            raise self.unexpected(f"as {what}, which is a whole number from 1 to {most}")
        return int(self.take())

    def calculation(self, least: int = 0) -> Expression:
        """Read operations that bind at least so tightly."""
        with self.deeper():
            if self.next_is("+", "-"):
                sign = self.take()
                value = self.calculation(SIGN_BINDS)
                left = Expression(f"{sign}{value.text}", sign, (value,))
            else:
                left = self.operand()
            while self.kind == "mark" and BINDS.get(self.token, -1) >= least:
                sign = self.take()
                # ** binds from the right
                right = self.calculation(BINDS[sign] + (sign != "**"))
                left = Expression(f"{left.text} {sign} {right.text}", sign, (left, right))
        return left

    def operand(self) -> Expression:
        if self.kind == "number":
            return Expression(self.take(), "number")
        if self.next_is("("):
            self.take()
            inner = self.calculation()
            self.expect(")", "closes '('")
            return Expression(f"({inner.text})", "group", (inner,))
        return self.named(alone=False)
