"""How large and how dense the code is, and how it hangs together: measured on syntax trees, room by room."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

OWN = ("socialstats", "socialstats_collect", "socialstats_reports")
DENSE = 60  # nodes of a simple statement
LONG = 50  # statements of a function
LARGE = 6_000  # nodes of a file
# words of names that say nothing of what is named, alone or as a part: own_data, found
WORDS = """another asked both each found given held kept known made one other others own rest said same seen shown
some taken thing things told wanted whole"""
VAGUE = frozenset(WORDS.split())
EXCEPTION = re.compile(r"#\s*fmt:\s*(skip|off)\b")
MODULE = re.compile(rf"(?:{'|'.join(OWN)})(?:\.\w+)*(?::\w+)?")
SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
HOLDING = (ast.stmt, ast.ExceptHandler, ast.match_case)  # what statements stand in
BINDING = (ast.arg, ast.Name, ast.Attribute)
IMPORTING = (ast.Import, ast.ImportFrom, ast.Constant, ast.JoinedStr)
Nodes = Mapping[type[ast.AST], list[Any]]


@dataclass(frozen=True, slots=True)
class Import:
    """A statement, or a text, that imports modules of this project."""

    line: int
    modules: tuple[str, ...]
    inside: bool = False
    by_string: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """What is in one file; of what should be less, the places: line and name."""

    module: str
    nodes: int
    statements: int
    simple: int
    names: int
    code_lines: int
    comment_lines: int
    dense: tuple[str, ...]
    long_functions: tuple[str, ...]
    vague: tuple[str, ...]
    exceptions: tuple[str, ...]
    functions: tuple[str, ...]
    classes: tuple[str, ...]
    imports: tuple[Import, ...]


def measured(source: str, module: str, modules: Mapping[str, Path] | None = None) -> File:
    """Count what is in a file; `modules` are those of the project, by their names.

    Examples
    --------
    >>> file = measured("def f(own_data):\\n    # why\\n    return own_data\\n", "socialstats.f")
    >>> file.statements, file.names, file.vague, file.code_lines, file.comment_lines
    (2, 1, ('1 own_data',), 2, 1)
    """
    tree = ast.parse(source)
    nodes, texts = by_type(tree)
    statements = [node for kind in nodes if issubclass(kind, ast.stmt) for node in nodes[kind]]
    simple = [node for node in statements if not hasattr(node, "body")]
    names = [pair for kind in BINDING for node in nodes.get(kind, ()) for pair in bound(node)]
    functions = [node for kind in FUNCTIONS for node in nodes.get(kind, ())]
    code_lines, comment_lines = lines_of(source, nodes, texts)
    return File(
        module=module,
        nodes=sum(map(len, nodes.values())),
        statements=len(statements),
        simple=len(simple),
        names=len(names),
        code_lines=code_lines,
        comment_lines=comment_lines,
        dense=tuple(f"{node.lineno} {n} nodes" for node in simple if (n := size_of(node)) > DENSE),
        long_functions=tuple(
            f"{node.lineno} {node.name}" for node in functions if statements_of(node) > LONG
        ),
        vague=tuple(f"{line} {name}" for line, name in names if is_vague(name)),
        exceptions=tuple(EXCEPTION.findall(source)),
        functions=tuple(node.name for node in tree.body if isinstance(node, FUNCTIONS)),
        classes=tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
        imports=tuple(imports_of(nodes, module, modules or {})),
    )


def by_type(tree: ast.Module) -> tuple[dict[type[ast.AST], list[Any]], set[int]]:
    """Return all nodes of a tree by their type, and the lines of docstrings, which are taken out.

    Texts below attributes and constants are docstrings, too.
    """
    nodes: defaultdict[type[ast.AST], list[Any]] = defaultdict(list)
    lines: set[int] = set()
    pending: list[ast.AST] = [tree]
    for node in pending:
        if isinstance(node, SCOPES):
            for text in filter(is_text, node.body):
                lines.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
            node.body = [statement for statement in node.body if not is_text(statement)]
        nodes[type(node)].append(node)
        pending += children(node)
    return dict(nodes), lines


def children(node: ast.AST) -> list[ast.AST]:
    """Return the nodes right below a node; four times as quick as `ast.iter_child_nodes`."""
    below: list[ast.AST] = []
    for value in vars(node).values():
        if isinstance(value, ast.AST):
            below.append(value)
        elif type(value) is list:
            below += [item for item in value if isinstance(item, ast.AST)]
    return below


def is_text(node: ast.AST) -> bool:
    """Return whether a statement is only a text."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def size_of(node: ast.AST) -> int:
    """Return how many nodes there are in a node, itself among them."""
    return 1 + sum(map(size_of, children(node)))


def statements_of(node: ast.AST) -> int:
    """Return how many statements there are below a node, those of functions within it among them."""
    below = [child for child in children(node) if isinstance(child, HOLDING)]
    return sum(isinstance(child, ast.stmt) + statements_of(child) for child in below)


def bound(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield line and name of the variable, parameter or attribute that a node gives a value to."""
    if isinstance(node, ast.arg):
        yield node.lineno, node.arg
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        yield node.lineno, node.id
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield node.lineno, node.attr


def is_vague(name: str) -> bool:
    """Return whether a name, or a word of it, says nothing.

    Examples
    --------
    >>> is_vague("found"), is_vague("own_data"), is_vague("shown_share"), is_vague("estimate")
    (True, True, True, False)
    """
    return not VAGUE.isdisjoint(name.lower().split("_"))


def imports_of(nodes: Nodes, module: str, modules: Mapping[str, Path]) -> Iterator[Import]:
    """Yield imports of own modules: at the top, inside functions, and by strings that name a module.

    What only type checkers import is left out.
    """
    within = {
        line
        for kind in FUNCTIONS
        for node in nodes.get(kind, ())
        if node.body
        for line in range(node.body[0].lineno, node.end_lineno + 1)
    }
    left_out = {
        line
        for node in nodes.get(ast.If, ())
        if ast.unparse(node.test).endswith("TYPE_CHECKING")
        for line in range(node.lineno, node.body[-1].end_lineno + 1)
    }
    for kind in IMPORTING:
        for node in nodes.get(kind, ()):
            if node.lineno not in left_out:
                targets = tuple(imported(node, module, modules))
                if targets:
                    by_string = isinstance(node, ast.Constant | ast.JoinedStr)
                    yield Import(node.lineno, targets, node.lineno in within, by_string)


def imported(node: ast.AST, module: str, modules: Mapping[str, Path]) -> Iterator[str]:
    """Yield the modules that a statement or a text imports."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names if name.name.split(".")[0] in OWN)
    elif isinstance(node, ast.ImportFrom):
        package = node.module or ""
        if package.split(".")[0] in OWN:
            names = (f"{package}.{alias.name}" for alias in node.names)
            yield from dict.fromkeys(name if name in modules else package for name in names)
    elif isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
        name = text.partition(":")[0]
        if "." in name and name in modules and MODULE.fullmatch(text):
            yield name
    elif isinstance(node, ast.JoinedStr):
        package = package_of(node, module)
        yield from (name for name in modules if package and name.rpartition(".")[0] == package)


def package_of(node: ast.JoinedStr, module: str) -> str:
    """Return the package whose name a text begins with, as f"{__name__}.{name}"; empty where there is none.

    The root has none: which of its names are loaded is up to users.
    """
    begin = ""
    for part in node.values:
        if isinstance(part, ast.Constant):
            begin += str(part.value)
        elif not begin and ast.unparse(part.value) == "__name__":
            begin = module
        else:
            break
    package = begin.removesuffix(".")
    is_package = MODULE.fullmatch(package) and begin.endswith(".") and package != OWN[0]
    return package if is_package else ""


def lines_of(source: str, nodes: Nodes, texts: set[int]) -> tuple[int, int]:
    """Return how many lines have code, and how many a comment alone."""
    quoted = {  # lines within texts over several lines, which may look like comments
        line
        for kind in (ast.Constant, ast.JoinedStr)
        for node in nodes.get(kind, ())
        if node.end_lineno > node.lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }
    stripped = {
        number: line.strip()
        for number, line in enumerate(source.splitlines(), 1)
        if number not in texts
    }
    comments = {
        number for number, line in stripped.items() if line[:1] == "#" and number not in quoted
    }
    code = sum(bool(line) for line in stripped.values()) - len(comments)
    return code, len(comments)


def circles(imports: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the modules that import each other around, in groups (strongly connected components, Tarjan 1972).

    Examples
    --------
    >>> circles({"a": ["b"], "b": ["c"], "c": ["b"], "d": ["d"]})
    [['b', 'c']]
    """
    place: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []
    for root in imports:
        if root in place:
            continue
        work = [(root, iter(imports[root]))]
        place[root] = lowest[root] = len(place)
        stack.append(root)
        while work:
            module, targets = work[-1]
            target = next((name for name in targets if name in imports), None)
            if target is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    lowest[parent] = min(lowest[parent], lowest[module])
                if lowest[module] == place[module]:
                    at = stack.index(module)
                    if len(stack) - at > 1:
                        groups.append(sorted(stack[at:]))
                    del stack[at:]
            elif target not in place:
                place[target] = lowest[target] = len(place)
                stack.append(target)
                work.append((target, iter(imports[target])))
            elif target in stack:
                lowest[module] = min(lowest[module], place[target])
    return groups


def repeated(
    names_of: Mapping[str, Iterable[str]], allowed: Collection[str] = ()
) -> dict[str, list[str]]:
    """Return names that several modules define, with these modules, but for those allowed.

    Examples
    --------
    >>> repeated({"a": ["run"], "b": ["run", "stop"]})
    {'run': ['a', 'b']}
    """
    homes: defaultdict[str, list[str]] = defaultdict(list)
    for module, names in names_of.items():
        for name in sorted(set(names)):
            homes[name].append(module)
    return {
        name: modules
        for name, modules in sorted(homes.items())
        if len(modules) > 1 and name not in allowed
    }
