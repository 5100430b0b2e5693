"""Places of a module where an error changes a number, an order or a choice: no texts, annotations, errors, guards."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TOP = Path(__file__).parents[2]
TEXT_FUNCTIONS = {
    "__repr__",
    "__str__",
    "sentence",
    "sentences",
    "words",
    "formula",
    "methods",
    "describe",
    "plot",
}
TEXT_CALLS = {
    "Caution",
    "Word",
    "option",
    "quoted",
    "warn",
    "getLogger",
    "TypeVar",
    "compile",
    "join",
    "format",
}
TEXT_RETURNS = ("str", "Figure", "Axes", "Caution |", "list[str]", "tuple[str", "Iterator[str")
# between numbers and the rounding of floats
GUARDS = {"EPS", "ROUNDING", "SPARE", "NULL", "RANK", "SMALLEST", "slack", "rounding", "lost"}

# what rounding can leave of numbers of a size
LEFT = {"rounding", "left_of_sums", "left_of_forms", "left_of_recomputed"}
MAGNITUDES = {
    "size",
    "magnitude",
}  # of numbers of which rounding is a share; of what is drawn at random, how many
LIMITS = {"min", "max"}
# of work: another way to the same numbers beyond
WORK = {
    "BLOCK",
    "SPOOL_ROWS",
    "SPARSE",
    "DENSE",
    "AT_ONCE",
    "TABLE_BYTES",
    "SLAB",
    "MOST_NUMBERS",
    "SPARSELY",
    "MANY_ALIKE",
    "LARGEST_LIST",
    "PIECE",
    "MEMORY",
    "EAGER_ROWS",
    "SORTED_ROWS",
    "by_clusters",
    "by_parameters",
}


@dataclass(frozen=True)
class Site:
    """An expression, statement or keyword with the nodes around it, outermost first."""

    node: ast.AST
    parents: tuple[ast.AST, ...]

    @property
    def parent(self) -> ast.AST:
        """The node directly around this one."""
        return self.parents[-1]

    @property
    def function(self) -> str:
        """Qualified name of the outermost function around it; empty at the top of a module or class."""
        names: list[str] = []
        for node in self.parents:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                names.append(node.name)
            if isinstance(node, ast.FunctionDef):
                return ".".join(names)
        return ""


def sites(tree: ast.Module) -> Iterator[Site]:
    """Yield every site of a module."""
    yield from _within(tree, ())


def _within(node: ast.AST, parents: tuple[ast.AST, ...]) -> Iterator[Site]:
    if _has_no_number(node, parents[-1] if parents else None):
        return
    if parents:
        yield Site(node, parents)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _within(child, (*parents, node))


def _has_no_number(node: ast.AST, parent: ast.AST | None) -> bool:
    """Return whether a node changes no number: texts, errors, guards against rounding, limits of work, annotations."""
    if isinstance(node, ast.BinOp) and is_guard(node):
        return True
    if isinstance(node, ast.BinOp | ast.Compare) and _has_name(node, WORK):
        return True
    if isinstance(node, ast.Call) and name_of(node.func) in LIMITS:
        return _has_name(node, WORK)
    if isinstance(node, ast.Call) and name_of(node.func) in LEFT:
        return True
    if isinstance(node, ast.keyword) and node.arg in MAGNITUDES:
        return not (isinstance(parent, ast.Call) and "rng" in ast.unparse(parent.func))
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return True
    if isinstance(node, ast.FunctionDef):
        returns = "" if node.returns is None else ast.unparse(node.returns)
        return (
            node.name.strip("_") in TEXT_FUNCTIONS
            or node.name in TEXT_FUNCTIONS
            or returns.startswith(TEXT_RETURNS)
        )
    if isinstance(node, ast.Call):
        return name_of(node.func) in TEXT_CALLS
    if isinstance(node, ast.Assign):
        return any(name_of(target) in ("__all__", *WORK) for target in node.targets)
    return isinstance(node, ast.If) and name_of(node.test) == "TYPE_CHECKING"


def is_guard(node: ast.AST) -> bool:
    """Return whether a value is a bound of what rounding can leave."""
    return _has_name(node, GUARDS)


def _has_name(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(inner, ast.Name) and inner.id in names for inner in ast.walk(node))


def name_of(node: ast.AST) -> str:
    """Return the last name of a variable or attribute; empty for anything else."""
    return (
        node.id
        if isinstance(node, ast.Name)
        else node.attr
        if isinstance(node, ast.Attribute)
        else ""
    )


def number_of(node: ast.AST) -> float | None:
    """Return the value of a literal number."""
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        return node.value
    return None


def named_numbers(tree: ast.Module) -> dict[str, float]:
    """Return the numbers that a module names at its top, and those that it imports from the package."""
    found: dict[str, float] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("socialstats."):
            there = _numbers_of(TOP / f"{(node.module or '').replace('.', '/')}.py")
            found |= {
                alias.asname or alias.name: there[alias.name]
                for alias in node.names
                if alias.name in there
            }
        elif isinstance(node, ast.Assign) and (value := value_of(node.value, found)) is not None:
            found |= {name_of(target): value for target in node.targets}
    return found


@cache
def _numbers_of(path: Path) -> dict[str, float]:
    return named_numbers(ast.parse(path.read_bytes())) if path.exists() else {}


def value_of(node: ast.AST, names: Mapping[str, float]) -> float | None:
    """Return the value of a literal or named number, of a power or of a product, or the first of two; else None."""
    if isinstance(node, ast.IfExp):
        return value_of(node.body, names)
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div | ast.Pow):
        left, right = value_of(node.left, names), value_of(node.right, names)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Mult):
            return left * right
        return left**right if isinstance(node.op, ast.Pow) else left / right
    return number_of(node)
