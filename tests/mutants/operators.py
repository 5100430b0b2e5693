"""Operators that change the text of one expression, and leave every other byte of the file as it was."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType

from tests.mutants.sites import Site, is_guard, name_of, named_numbers, number_of, sites, value_of

SYMMETRIC = {
    "minimum",
    "maximum",
    "min",
    "max",
    "fmin",
    "fmax",
    "hypot",
    "logaddexp",
    "array_equal",
    "isinstance",
    "issubclass",
    "hasattr",
    "getattr",
    "isclose",
    "allclose",
    "dot",
    "cast",
    "gcd",
    "lcm",
    "option",
    "called",
    "says",
    "ends",
    "combinations",
}
WORDS = 3  # in a label, and labels in a list at the top of a module; more are a message, or words to look for
SETS = {
    "isinstance",
    "set",
    "frozenset",
    "startswith",
    "endswith",
    "is_in",
    "isin",
    "len",
    "joint_codes",
    "taken_fields",
}
# they give the same for a number and its negative
EVEN = {
    "abs",
    "fabs",
    "absolute",
    "square",
    "hypot",
    "brentq",
    "isclose",
    "isinf",
    "isnan",
    "isfinite",
}
FINITE = {"isnan", "isfinite"}
TAILS = {
    "ndtr",
    "stdtr",
    "chdtrc",
    "chdtr",
    "fdtrc",
    "fdtr",
    "betainc",
    "nctdtr",
    "chndtr",
    "sf",
    "cdf",
}
INVERSES = {"isf": "ppf", "ppf": "isf"}
EXTREMES = {
    "min": "max",
    "minimum": "maximum",
    "argmin": "argmax",
    "nanmin": "nanmax",
    "amin": "amax",
}
EXTREMES |= {high: low for low, high in EXTREMES.items()}
NOTHING = {"zeros", "zeros_like"}  # twice of which is the same
PLACES = {"argmax", "argmin", "argsort"}
TOTALS = {"sum": "mean", "mean": "sum", "nansum": "nanmean", "nanmean": "nansum"}
SORTS = {"sorted", "argsort", "sort", "lexsort"}
MASKS = {"mask", "keep", "kept", "mine", "valid", "present", "inside", "known", "here"}
CODES = {"codes", "cluster", "clusters", "unit", "units", "inverse", "groups", "rater", "raters"}
REPEATS = {
    "cluster",
    "clusters",
    "codes",
    "factors",
    "weight",
    "weights",
    "count",
    "counts",
    "alike",
    "trials",
}
REVERSED = {ast.Lt: (">", "<"), ast.LtE: (">=", "<="), ast.Gt: ("<", ">"), ast.GtE: ("<=", ">=")}
CLOSED = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}
LARGE = 1000.0
SMALLER = {0.5: "1", 2: "1", 1: "2", 0: "1"}


@dataclass(frozen=True)
class Edit:
    """Bytes from `start` to `end` of a source become `text`."""

    start: int
    end: int
    text: bytes

    def of(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.text + source[self.end :]


@dataclass(frozen=True)
class Mutant:
    """One planted error: the file and function it stands in, its operator and its edit."""

    path: str
    line: int
    function: str
    operator: str
    edit: Edit


class Source:
    """Bytes of a module, by nodes."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.numbers = named_numbers(ast.parse(text))
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def start(self, node: ast.AST) -> int:
        """First byte of a node."""
        return self.starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined, no-any-return]

    def end(self, node: ast.AST) -> int:
        """Byte after the last one of a node."""
        return self.starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined, no-any-return]

    def segment(self, node: ast.AST) -> bytes:
        """Bytes of a node, without brackets around it."""
        return self.text[self.start(node) : self.end(node)]

    def replace(self, node: ast.AST, text: bytes) -> Edit:
        """A text in place of a node."""
        return Edit(self.start(node), self.end(node), text)

    def around(self, node: ast.AST, before: str, after: str) -> Edit:
        """A node between two texts."""
        return self.replace(node, before.encode() + self.segment(node) + after.encode())

    def operator(self, left: ast.AST, right: ast.AST, old: str, new: str) -> Edit:
        """Another operator between two operands."""
        at = self.text.index(old.encode(), self.end(left), self.start(right))
        return Edit(at, at + len(old), new.encode())

    def swap(self, first: ast.AST, second: ast.AST) -> Edit:
        """Two nodes in each other's place, in brackets where they are more than a name, number or call."""
        between = self.text[self.end(first) : self.start(second)]
        text = self._atom(second) + between + self._atom(first)
        return Edit(self.start(first), self.end(second), text)

    def _atom(self, node: ast.AST) -> bytes:
        plain = isinstance(
            node, ast.Name | ast.Attribute | ast.Call | ast.Constant | ast.Subscript | ast.keyword
        )
        return self.segment(node) if plain else b"(" + self.segment(node) + b")"


def sign(site: Site, source: Source) -> Iterator[Edit]:
    """Plus for minus, minus for plus, and no minus."""
    node = site.node
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Add | ast.Sub)
        and not _is_concatenation(node)
    ):
        if isinstance(node.op, ast.Sub) and 1 in (number_of(node.left), number_of(node.right)):
            return  # the operators df and tail change these
        if isinstance(site.parent, ast.Call) and name_of(site.parent.func) in FINITE:
            return  # a sum is finite where its terms are
        old, new = ("+", "-") if isinstance(node.op, ast.Add) else ("-", "+")
        yield source.operator(node.left, node.right, old, new)
    is_value = not isinstance(site.parent, ast.Subscript | ast.Slice | ast.keyword | ast.Tuple)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and is_value:
        yield source.replace(node, source.segment(node.operand))


def factor(site: Site, source: Source) -> Iterator[Edit]:
    """Another constant, a quotient for a product, and twice the value that a function returns."""
    node, parent = site.node, site.parent
    value = number_of(node)
    if (
        value is not None
        and isinstance(parent, ast.BinOp)
        and isinstance(parent.op, ast.Mult | ast.Div | ast.Pow)
    ):
        yield source.replace(node, SMALLER.get(value, f"(2 * {value})").encode())
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Mult | ast.Div)
        and not _is_concatenation(node)
    ):
        old, new = ("*", "/") if isinstance(node.op, ast.Mult) else ("/", "*")
        yield source.operator(node.left, node.right, old, new)
    counted = (
        isinstance(node, ast.Return)
        and isinstance(node.value, ast.BinOp | ast.Call)
        and _returns_numbers(site)
    )
    if counted and name_of(getattr(node.value, "func", node)) not in NOTHING:
        yield source.around(node.value, "2 * (", ")")


def df(site: Site, source: Source) -> Iterator[Edit]:
    """No `- 1`, another `ddof`, and one degree of freedom more."""
    node = site.node
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number_of(node.right) == 1:
        at = source.text.index(b"-", source.end(node.left))
        yield Edit(at, source.end(node.right), b"")
    if isinstance(node, ast.keyword) and node.arg in ("ddof", "df", "df1", "df2"):
        if number_of(node.value) is not None:
            yield source.replace(node.value, b"0" if number_of(node.value) else b"1")
        elif not isinstance(node.value, ast.Constant) and name_of(node.value) != "nan":
            yield source.around(node.value, "1 + (", ")")


def tail(site: Site, source: Source) -> Iterator[Edit]:
    """The other tail, one side for two, `p` for `1 - p`, and a comparison the other way round."""
    node = site.node
    if isinstance(node, ast.Call) and name_of(node.func) in TAILS:
        yield source.around(node, "(1 - ", ")")
    if isinstance(node, ast.Attribute) and node.attr in INVERSES:
        yield Edit(
            source.end(node) - len(node.attr), source.end(node), INVERSES[node.attr].encode()
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub) and number_of(node.left) == 1:
        at = source.text.index(b"-", source.end(node.left))
        yield Edit(source.start(node.left), at + 1, b"")
    if isinstance(node, ast.Constant) and node.value == "two-sided":
        yield source.replace(node, b"'greater'")
    yield from _compared(node, source, REVERSED)


def boundary(site: Site, source: Source) -> Iterator[Edit]:
    """A bound that belongs to the other side; not of fractions and guards, which hardly any number equals.

    Neither of thousands, written or named: they bound work or memory, and no test can afford a table of just so many.
    """
    node = site.node
    sides = (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()
    known = [value for side in sides if (value := value_of(side, source.numbers)) is not None]
    if not any(map(is_guard, sides)) and all(
        float(value).is_integer() and abs(value) < LARGE for value in known
    ):
        yield from _compared(node, source, CLOSED)


def arguments(site: Site, source: Source) -> Iterator[Edit]:
    """The first two arguments of a call swapped."""
    node = site.node
    clipped = (
        isinstance(node, ast.Call) and ast.unparse(node.func) == "np.clip"
    )  # x or low, at most
    if (
        isinstance(node, ast.Call)
        and not clipped
        and name_of(node.func) not in SYMMETRIC
        and len(node.args) > 1
    ):
        first, second = node.args[:2]
        if not any(
            isinstance(argument, ast.Starred) or _is_label(argument) for argument in (first, second)
        ):
            yield source.swap(first, second)


def order(site: Site, source: Source) -> Iterator[Edit]:
    """The sides of a difference swapped, and a sort the other way round; not of the names in a caution."""
    node = site.node
    if _is_difference(node) and not _is_even(site):
        yield source.around(node, "(-(", "))")
    if (
        isinstance(node, ast.Call)
        and name_of(node.func) in SORTS
        and not _is_set(site)
        and not _warns(site)
    ):
        yield source.around(node, "", "[::-1]")
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "::-1":
        yield source.replace(node, source.segment(node.value))


def rows(site: Site, source: Source) -> Iterator[Edit]:
    """The first of what is looped over dropped, and a mask the other way round."""
    node = site.node
    if isinstance(node, ast.comprehension | ast.For) and not isinstance(
        node.iter, ast.Tuple | ast.List
    ):
        yield source.around(node.iter, "list(", ")[1:]")
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        if isinstance(node.slice, ast.UnaryOp) and isinstance(node.slice.op, ast.Invert):
            yield source.replace(node.slice, source.segment(node.slice.operand))
        elif isinstance(node.slice, ast.Compare) or name_of(node.slice) in MASKS:
            yield source.around(node.slice, "~(", ")")


def labels(site: Site, source: Source) -> Iterator[Edit]:
    """Two neighbours of a tuple, a list or the values of a dictionary swapped.

    Not of a list of words to look for, nor of a register at the top of a module, whose order is that of a display.
    """
    node = site.node
    if isinstance(node, ast.Dict):
        values = node.values if None not in node.keys else []
    elif (
        isinstance(node, ast.Tuple | ast.List)
        and isinstance(node.ctx, ast.Load)
        and not _is_set(site)
    ):
        own = [one for one in node.elts if not isinstance(one, ast.Starred)]
        names = all(map(_is_label, own)) or all(
            isinstance(one, ast.Name | ast.Attribute) for one in own
        )
        listed = not site.function and len(node.elts) > WORDS and names
        values = [] if listed else node.elts
    else:
        return
    for first, second in pairwise(values):
        plain = isinstance(first, ast.Constant | ast.Name | ast.Attribute) and isinstance(
            second, type(first)
        )
        if (
            plain
            and not _is_message(first)
            and _is_label(first) == _is_label(second)
            and ast.dump(first) != ast.dump(second)
        ):
            yield source.swap(first, second)


def repeats(site: Site, source: Source) -> Iterator[Edit]:
    """Every row a cluster or unit of its own, and no weights, counts or clusters."""
    node, parent = site.node, site.parent
    given = isinstance(parent, ast.Call) and node in parent.args and name_of(parent.func) != "len"
    if isinstance(node, ast.Name) and node.id in CODES and given:
        yield source.replace(node, f"np.arange(len({node.id}))".encode())
    if isinstance(node, ast.Call) and any(keyword.arg in REPEATS for keyword in node.keywords):
        given = [*node.args, *node.keywords]
        for before, keyword in pairwise(given):
            if isinstance(keyword, ast.keyword) and keyword.arg in REPEATS:
                yield Edit(source.end(before), source.end(keyword), b"")
    if isinstance(node, ast.Call) and name_of(node.func) == "len" and node.args:
        inner = node.args[0]
        if isinstance(inner, ast.Call) and name_of(inner.func) in ("unique", "set") and inner.args:
            yield source.replace(inner, source.segment(inner.args[0]))


def extremes(site: Site, source: Source) -> Iterator[Edit]:
    """The largest for the smallest."""
    yield from _renamed(site, source, EXTREMES)


def totals(site: Site, source: Source) -> Iterator[Edit]:
    """A mean for a sum, but not where only its sign or the place of the largest is asked for."""
    around = site.parents[-2] if len(site.parents) > 1 else site.parent
    signed = isinstance(around, ast.Compare) and number_of(around.comparators[0]) == 0
    if not signed and name_of(around) not in PLACES:
        yield from _renamed(site, source, TOTALS)


def axis(site: Site, source: Source) -> Iterator[Edit]:
    """The other axis."""
    node = site.node
    if (
        isinstance(node, ast.keyword)
        and node.arg == "axis"
        and ast.unparse(node.value) in ("0", "1", "-1")
    ):
        yield source.replace(node.value, b"1" if number_of(node.value) == 0 else b"0")


Operator = Callable[[Site, Source], Iterator[Edit]]
OPERATORS: dict[str, Operator] = {
    "sign": sign,
    "factor": factor,
    "df": df,
    "tail": tail,
    "boundary": boundary,
    "order": order,
    "arguments": arguments,
    "dropped rows": rows,
    "swapped labels": labels,
    "repeats as units": repeats,
    "min and max": extremes,
    "sum and mean": totals,
    "axis": axis,
}


def mutants(path: str, text: bytes) -> Iterator[Mutant]:
    """Yield every mutant of a module, also those that turn out to be the same program."""
    source = Source(text)
    for site in sites(ast.parse(text)):
        for name, operator in OPERATORS.items():
            for edit in operator(site, source):
                line = text.count(b"\n", 0, edit.start) + 1
                yield Mutant(path, line, site.function, name, edit)


def is_another_program(before: bytes, after: bytes) -> bool:
    """Return whether a changed source compiles, and to other instructions."""
    try:
        return _instructions(compile(before, "", "exec")) != _instructions(
            compile(after, "", "exec")
        )
    except SyntaxError:
        return False


def _instructions(code: CodeType) -> tuple[object, ...]:
    constants = tuple(
        _instructions(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts
    )
    return code.co_code, code.co_names, constants


def _compared(node: ast.AST, source: Source, signs: dict[type, tuple[str, str]]) -> Iterator[Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in signs:
        new, old = signs[type(node.ops[0])] if signs is REVERSED else signs[type(node.ops[0])][::-1]
        yield source.operator(node.left, node.comparators[0], old, new)


def _renamed(site: Site, source: Source, names: dict[str, str]) -> Iterator[Edit]:
    node = site.node
    called = isinstance(site.parent, ast.Call) and site.parent.func is node
    builtin = isinstance(node, ast.Name) and names.get(node.id) in ("min", "max")
    if called and name_of(node) in names and (builtin or isinstance(node, ast.Attribute)):
        yield Edit(
            source.end(node) - len(name_of(node)), source.end(node), names[name_of(node)].encode()
        )


def _is_difference(node: ast.AST) -> bool:
    """Return whether a node is one number minus another, neither of them literal."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    return number_of(node.left) is number_of(node.right) is None


def _is_even(site: Site) -> bool:
    """Return whether what is done with a number, or with a part of it, does not depend on its sign."""
    around = [node for node in reversed(site.parents) if not isinstance(node, ast.Lambda)]
    inner = site.node
    while isinstance(around[0], ast.Subscript) and around[0].value is inner and len(around) > 1:
        inner = around.pop(0)
    outer = around[0]
    squared = (
        isinstance(outer, ast.BinOp)
        and isinstance(outer.op, ast.Pow)
        and number_of(outer.right) == 2
    )
    return squared or (isinstance(outer, ast.Call) and name_of(outer.func) in EVEN)


def _is_concatenation(node: ast.BinOp) -> bool:
    kinds = ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp
    return any(isinstance(side, kinds) or _is_label(side) for side in (node.left, node.right))


def _is_label(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_message(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and len(node.value.split()) > WORDS
    )


def _is_set(site: Site) -> bool:
    """Return whether an order says nothing: types, choices, axes, works cited, keys, what is asked with `in`."""
    parent = site.parent
    if any(isinstance(node, ast.keyword) and node.arg == "references" for node in site.parents):
        return True
    if isinstance(parent, ast.AnnAssign):
        return ast.unparse(parent.annotation) == "tuple[str, ...]"
    if isinstance(parent, ast.comprehension):
        return isinstance(site.parents[-2], ast.DictComp | ast.SetComp)
    if isinstance(parent, ast.keyword):
        return parent.arg == "axis"
    if isinstance(parent, ast.Subscript | ast.Compare | ast.ExceptHandler | ast.Expr):
        return True
    return isinstance(parent, ast.Call) and name_of(parent.func) in SETS


def _returned(site: Site) -> str:
    """Return what the function around a site is said to return."""
    functions = [node for node in site.parents if isinstance(node, ast.FunctionDef)]
    returns = functions[-1].returns if functions else None
    return "" if returns is None else ast.unparse(returns)


def _returns_numbers(site: Site) -> bool:
    return _returned(site) in ("float", "FloatArray", "float | None")


def _warns(site: Site) -> bool:
    return _returned(site) in ("tuple[Caution, ...]", "list[Caution]", "Iterator[Caution]")
