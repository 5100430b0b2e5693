"""Every text that somebody reads, for phrases that are banned and sentences that are too long."""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

TOP = Path(__file__).parents[1]
NOT_READ = ("tests", "build", "dist")
GENERATORS = (
    "tests/calibration",
    "tests/benchmarks",
    "tests/golden/README.md",
)  # of the tests, what writes documents
PHRASES = re.compile(
    r"data (do not )?settle|\bsettle[sd]?\b|\bhangs? on\b|would have claimed|whoever|nobody|practically|own zero"
    r"|less what|by (it|them)sel(f|ves)|could be first|places stay|does not exist|is no (number|level|item)"
    r"|nothing (says|can be said)|Ways out|Touches:|What to do:|\d %|\ba (row|line|unit|step) a\b|farther off"
    r"|\bsds?\b(?![=_])|could not have failed"
)
BANS = {
    "shown": PHRASES,
    "docs": PHRASES,
    "docstring": re.compile(r"\A\s*(Say|Tell|Put|Everything)\b"),
    "comment": re.compile(r"\Aof\b|once more"),
}
WORDS = 25
SLOT = "Slot"
WORD = re.compile(
    r"(?<![\w.^])(?:a|[^\W\d_]{2,}[\w'\u2019.-]*)(?![\w(^=])"
)  # no symbols, numbers or calls
CODE = re.compile(r"(?ms)^(```|~~~).*?^\1[ \t]*$|<!--.*?-->|^ {4,}(?![-*\d]).*?$|^\|.*?$")
REGEX = re.compile(r"\(\?[:=!<P]|\\[bswd]")
INLINE = re.compile(r"``[^`]+``|`[^`]+`")
BARS = re.compile(r"(?<!\w)\|[^\s|][^|]*\|")
QUOTED = re.compile(INLINE.pattern + r'|"[^"]*"')
AS_ONE = (
    r"\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)|\u201c[^\u201d]*\u201d",
    r"\]\([^)]*\)|<?https?://\S+|\b10\.\d{4,}/\S+",
    r"(?:[\w.*/%+-]+, ){2,}(?:(?:and|or) )?[\w.*/%+-]+",
)
PROSE = re.compile(
    r"(?i)\b(the|of|is|are|and|or|to|for|that)\b"
)  # a string without these is a list of names
ITEM, RULE = re.compile(r"\s*([-*+]|\d+\.) "), re.compile(r"\s*([-=]{3,}$|[|\u251c\u2514\u2502])")
FIELD = re.compile(r"\s*[\w*.][\w*., ()]* : ")
END = re.compile(r"(?<=[.!?])[)\"'*_]*\s+(?=[^a-z\s]|[b-z]\b|[a-z]+[_(])|\n\s*\n|:\n")


class Text(NamedTuple):
    """A text with what it is and where it stands."""

    kind: str
    line: int
    text: str


def slotted(node: ast.expr) -> str | None:
    """Return the text of a string, a formatted string or a sum of them, with a word for each slot."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else SLOT for part in node.values
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = slotted(node.left), slotted(node.right)
        return (
            None
            if left is right is None
            else (SLOT if left is None else left) + (SLOT if right is None else right)
        )
    return None


def shown(node: ast.AST) -> Iterator[Text]:
    """Yield strings of several words, without docstrings and regular expressions."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_data(node.func):
        return
    text = slotted(node) if isinstance(node, ast.expr) else None
    if isinstance(node, ast.expr) and text is not None:
        if len(text.split()) > 1 and not REGEX.search(text):
            yield Text("shown", node.lineno, text)
        for inner in ast.walk(node):
            if isinstance(inner, ast.FormattedValue) or (
                isinstance(inner, ast.BinOp) and slotted(inner) is None
            ):
                yield from shown(getattr(inner, "value", inner))
        return
    for child in ast.iter_child_nodes(node):
        yield from shown(child)


def _is_data(called: ast.Attribute) -> bool:
    """Return whether a call takes a regular expression, or splits a string into words."""
    return ast.unparse(called.value) == "re" or (
        called.attr == "split" and isinstance(called.value, ast.Constant)
    )


def of_python(source: str) -> Iterator[Text]:
    """Yield the texts of a module: strings that can be shown, docstrings, comments."""
    tree = ast.parse(source)
    yield from shown(tree)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield Text("docstring", node.lineno, inspect.cleandoc(node.value.value))
    yield from comments(source)


def comments(source: str) -> Iterator[Text]:
    """Yield comments, those on lines that follow one another as one text."""
    block: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        if block and (
            token.start[0] != block[-1].start[0] + 1 or token.start[1] != block[-1].start[1]
        ):
            yield _comment(block)
            block = []
        block.append(token)
    if block:
        yield _comment(block)


def _comment(block: list[tokenize.TokenInfo]) -> Text:
    return Text(
        "comment", block[0].start[0], "\n".join(token.string.lstrip("#: ") for token in block)
    )


def of_markdown(source: str) -> Iterator[Text]:
    """Yield the prose of a document, without code, tables, comments and quotations of output."""
    blank = CODE.sub(lambda found: "\n" * found[0].count("\n"), source)
    yield Text("docs", 1, re.sub(r"(?m)^(#+ .*|---+)$", "\n", blank))


def paragraphs(text: Text) -> Iterator[tuple[int, str]]:
    """Yield paragraphs with their lines: parted by blank lines, list items, indents, fields of a docstring."""
    block: list[str] = []
    start, code, indent, numpy = 0, False, 0, text.kind == "docstring"
    for k, line in enumerate([*text.text.split("\n"), ""]):
        here = len(line) - len(line.lstrip())
        code = bool(line.strip()) and (
            code or (numpy and line.lstrip().startswith((">>>", ".. [")))
        )
        field = numpy and bool(FIELD.match(line))
        skip = code or not line.strip() or field or (numpy and bool(RULE.match(line)))
        if block and (skip or ITEM.match(line) or (numpy and here != indent)):
            yield text.line + start, "\n".join(block)
            block = []
        if not skip:
            start, indent = (k, here) if not block else (start, here)
            block.append(line)


def sentences(paragraph: str, kind: str) -> Iterator[str]:
    """Yield the sentences of a paragraph, with a symbol for code, a word for quotations, links and lists of names."""
    paragraph = INLINE.sub("X", paragraph)
    for pattern in AS_ONE:
        paragraph = re.sub(pattern, SLOT, paragraph)
    for line in paragraph.split("\n") if kind == "shown" else [paragraph]:
        yield from END.split(line)


def faults(text: Text) -> Iterator[str]:
    """Yield what is banned or too long in a text."""
    plain = (
        QUOTED.sub(lambda code: re.sub(r"[^\n]", "`", code[0]), text.text)
        if text.kind == "docs"
        else text.text
    )
    for found in BANS[text.kind].finditer(plain):
        line = text.line + text.text.count("\n", 0, found.start())
        yield f"{line}: {text.kind}: {found[0]!r} in {_near(text.text, found)}"
    if text.kind == "shown" and not PROSE.search(text.text):
        return
    for line, paragraph in paragraphs(text):
        if text.kind == "docstring" and (found := BARS.search(INLINE.sub("", paragraph))):
            yield f"{line}: {text.kind}: {found[0]!r} is a substitution in reST: write abs(x)"
        for sentence in sentences(paragraph, text.kind):
            n = len(WORD.findall(sentence))
            if n > WORDS:
                yield f"{line}: {text.kind}: {n} words: {' '.join(sentence.split())}"


def _near(text: str, found: re.Match[str]) -> str:
    return " ".join(text[max(0, found.start() - 60) : found.end() + 60].split())


def files() -> list[Path]:
    """Return every module and document of the project, but of the tests only what writes documents."""
    places = [
        place
        for place in TOP.iterdir()
        if not place.name.startswith(".") and place.name not in NOT_READ
    ]
    places += [TOP / place for place in GENERATORS]
    found = [
        path for place in places for path in ([place] if place.is_file() else place.rglob("*"))
    ]
    return sorted(path for path in found if path.suffix in (".py", ".md"))


def faults_of(path: Path) -> list[str]:
    """Return the faults of a file."""
    source = path.read_text(encoding="utf-8")
    texts = of_python(source) if path.suffix == ".py" else of_markdown(source)
    return [f"{path.relative_to(TOP)}:{fault}" for text in texts for fault in faults(text)]


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(TOP)))
def test_no_text_is_banned_or_too_long(path: Path) -> None:
    assert faults_of(path) == []


def test_every_part_of_the_project_is_read() -> None:
    found = {path.relative_to(TOP) for path in files()}
    assert {
        Path(name) for name in ("README.md", "NEWS.md", "CONTRIBUTING.md", "docs/audit.md")
    } <= found
    folders = {str(path.parent) for path in found}
    assert {"socialstats/paired", "tests/calibration", "tests/benchmarks"} <= folders
    assert {"collect/socialstats_collect", "reports/socialstats_reports"} <= folders


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 'Ways out: use a prior'", ["shown"]),
        ("x = f'{a} is no number, {b}'", ["shown"]),
        ("x = 'nobody'", []),
        ("x = 'a row ' + kind + 'b is nobody'", ["shown"]),
        ("f(f'{g(\"whoever it is\")}')", ["shown"]),
        ("x = re.compile('nobody is')", []),
        ("x = 'nobody was'.split()", []),
        ("x = 'give sd= and sd_between'", []),
        ("def f():\n    '''Say it.'''", ["docstring"]),
        ("'''The size |x|.'''", ["docstring"]),
        ("'''`|x|`.'''", []),
        ("x = 1  # of a row", ["comment"]),
        ("# one\n# once more\nx = 1", ["comment"]),
        ("x = 'the " + "word " * 25 + "'", ["shown"]),
        ("x = '" + "word " * 20 + ". " + "Word " * 20 + "'", []),
        ("'''A `" + "word " * 30 + "`.'''", []),
        ("'''Names: " + "word, " * 30 + "or word.'''", []),
        ("'''One.\n\n>>> f(1)\n" + "word " * 30 + "\n'''", []),
    ],
)
def test_texts_of_python(source: str, found: list[str]) -> None:
    assert [fault.split(": ")[1] for text in of_python(source) for fault in faults(text)] == found


@pytest.mark.parametrize(
    ("source", "n"),
    [
        ("What nobody said.", 1),
        ("```\nnobody said\n```", 0),
        ("| nobody | said |", 0),
        ("- " + "word " * 26, 1),
        ("- " + "word " * 20 + "\n- " + "word " * 20, 0),
        ("# Title\n" + "word " * 24, 0),
    ],
)
def test_texts_of_documents(source: str, n: int) -> None:
    assert len([fault for text in of_markdown(source) for fault in faults(text)]) == n


if __name__ == "__main__":
    import sys

    chosen = [Path(name).resolve() for name in sys.argv[1:]]
    for path in files():
        if not chosen or any(path.is_relative_to(place) for place in chosen):
            print("".join(f"{fault}\n" for fault in faults_of(path)), end="")
