"""Make the R package: its sources, and what follows from the public functions of Python.

``python r/generate.py FOLDER`` copies the sources into FOLDER. It adds NAMESPACE, R/metrics.R, a help page for each
function, and the version of Python. ``make r-package`` builds the package from there.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
import textwrap
from pathlib import Path
from typing import Any

import socialstats as ss
from socialstats.designs.formulas import COLUMN_KEYWORDS

HERE = Path(__file__).parent
MADE = "Made by generate.py from the docstrings of Python: do not edit"
OMITTED = {
    "read_comparisons": "comparisons(), which takes files too",
    "read_groups": "groups(), which takes files too",
    "read_paired": "paired(), which takes files too",
    "read_ratings": "ratings(), which takes files too",
    "join": "merge() of R",
    "stack": "rbind() of R",
    "read_study": "the command line: socialstats report --study",
    "design_items": "the command line: socialstats design",
    "bootstrap": "its function gets objects of Python",
    "jackknife": "its function gets objects of Python",
    "permute": "its function gets objects of Python",
    "multiverse": "its variants are objects of Python",
    "over_models": "its rows are objects of Python",
}
NO_BREAK = "\u00a0"
WIDTH = 86  # R CMD check has a note on usages of more than 90 characters with their indent
IN_R = {
    "str": "character",
    "int": "whole number",
    "float": "number",
    "bool": "logical",
    "None": "NULL",
    "True": "TRUE",
    "False": "FALSE",
    "mapping": "named vector or list",
    "sequence": "vector",
    "tuple": "vector",
}
RENAMED = {"table": "side_by_side"}  # base R has a table()
BY_HAND = [
    "augment",
    "cautions",
    "comparisons",
    "example_data",
    "glance",
    "groups",
    "install_socialstats",
    "paired",
    "ratings",
    "report",
    "socialstats_available",
    "tidy",
    "verify",
]
METHODS = {
    "object": "$ [[ .DollarNames as.data.frame print str",
    "bradley_terry": "anova fitted formula logLik predict residuals update",
    "result": "as.data.frame augment coef confint glance nobs plot print summary tidy vcov",
    "result_group": "as.list length names",
}
IMPORTED = {
    "generics": "augment glance tidy",
    "stats": "anova coef confint fitted formula logLik nobs predict residuals update vcov",
    "utils": ".DollarNames str",
    "graphics": "plot",
}
EXAMPLES = {
    "bradley_terry": """\
        fit <- bradley_terry(example_data("baseball"), order = TRUE, cluster = "pair")
        fit
        tidy(fit$ranks(kind = "simultaneous"))
        fit$contrast("Milwaukee - Detroit")$sentence()""",
    "win_rates": 'win_rates(example_data("role_conflict"))',
    "sensitivity": 'sensitivity(example_data("role_conflict"))',
    "paired_difference": """\
        wide <- reshape(sleep, direction = "wide", idvar = "ID", timevar = "group")
        paired_difference(wide, first = "extra.2", second = "extra.1")""",
    "effect_sizes": """\
        wide <- reshape(sleep, direction = "wide", idvar = "ID", timevar = "group")
        tidy(effect_sizes(wide, first = "extra.2", second = "extra.1"))""",
    "effect_sizes_from_summary": "effect_sizes_from_summary(t = 2.6, n = 8)",
    "mcnemar": """\
        n <- c(20, 4, 12, 9)
        answers <- data.frame(plain = rep(c(1, 1, 0, 0), n), reminded = rep(c(1, 0, 1, 0), n))
        mcnemar(answers, first = "reminded", second = "plain")""",
    "krippendorff_alpha": """\
        seen <- expand.grid(unit = 1:6, rater = c("a", "b"))
        seen$value <- ordered(c(1, 1, 3, 2, 3, 1, 1, 2, 3, 2, 3, NA), labels = c("low", "medium", "high"))
        krippendorff_alpha(seen, missing = "drop")""",
    "adjust": 'adjust(c(0.01, 0.04, 0.03), family = "three prompts", method = "holm")',
    "power_mcnemar": "power_mcnemar(n = 300, discordant = 0.3, effect = 0.1)$sentence()",
}


RESERVED = {"repeat", "function", "next", "break", "if", "else", "for", "while", "in"}


def wrapped() -> dict[str, str]:
    """Return the Python name of each function of R/metrics.R by its name in R."""
    public = [name for name in ss.__all__ if inspect.isfunction(getattr(ss, name))]
    return {RENAMED.get(name, name): name for name in public if name not in OMITTED}


def literal(value: Any) -> str:
    """Return a default as R code."""
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "TRUE", False: "FALSE"}[value]
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple):
        return f"c({', '.join(map(literal, value))})"
    return f"{value:g}" if isinstance(value, float) else str(value)


def named(argument: str) -> str:
    """Return the name of an argument as R code: words that R reserves stand between backquotes."""
    return f"`{argument}`" if argument in RESERVED else argument


def arguments(name: str) -> str:
    """Return the arguments of the R function: ... in front of those that Python takes by name only."""
    signature = inspect.signature(getattr(ss, name)).parameters.values()
    has_columns = any(p.kind is p.VAR_KEYWORD for p in signature)
    said = [
        named(p.name)
        + ("" if p.default is p.empty else f"{NO_BREAK}={NO_BREAK}{literal(p.default)}")
        for p in signature
        if p.kind is not p.VAR_KEYWORD
    ]
    if has_columns:
        first = sum(p.kind is p.POSITIONAL_OR_KEYWORD for p in signature)
        said.insert(first, "...")
    return ", ".join(said)


def filled(text: str, **how: Any) -> str:
    """Return text in lines of at most `WIDTH` characters, an argument and its default in one of them."""
    return textwrap.fill(
        text, WIDTH, break_long_words=False, break_on_hyphens=False, **how
    ).replace(NO_BREAK, " ")


def functions() -> str:
    """Return R/metrics.R."""
    made = [
        filled(f'{name} <- function({arguments(of)}) called("{of}")', subsequent_indent="  ")
        for name, of in wrapped().items()
    ]
    words = ", ".join(f'"{word}"' for word in sorted(COLUMN_KEYWORDS))
    keywords = filled(f"COLUMN_KEYWORDS <- c({words})", subsequent_indent="  ")
    return "\n\n".join([f"# {MADE}.", *made, keywords]) + "\n"


def namespace() -> str:
    """Return NAMESPACE."""
    lines = [f"# {MADE}."]
    lines += [f"export({name})" for name in sorted([*BY_HAND, *wrapped()])]
    lines += [
        f'S3method("{name}", socialstats_{kind})'
        for kind, names in METHODS.items()
        for name in names.split()
    ]
    lines += [
        "S3method(print, summary.socialstats_result)",
        "S3method(ggplot2::autoplot, socialstats_result)",
    ]
    lines += [
        f"importFrom({package}, {', '.join(names.split())})" for package, names in IMPORTED.items()
    ]
    return "\n".join(lines) + "\n"


def design_in_r(found: re.Match[str]) -> str:
    """Return the R function of a design for a function of Python that reads tables."""
    return found[2] or found[3].lower()


def rd(text: str) -> str:
    """Return prose of a docstring as Rd: code in \\code, other signs escaped."""
    text = re.sub(
        r"\b(read_(comparisons|groups|paired|ratings)|(Comparisons|Groups|Paired|Ratings)\.from_\w+)\b",
        design_in_r,
        text,
    )
    text = re.sub(r"\b(None|True|False)\b", lambda word: IN_R[word[0]], text)
    pieces = re.split(r"(``[^`]+``|`[^`]+`)", text)
    escaped = [
        re.sub(r"([\\%{}])", r"\\\1", piece.strip("`") if k % 2 else piece)
        for k, piece in enumerate(pieces)
    ]
    return "".join(
        f"\\code{{{piece}}}" if k % 2 else piece for k, piece in enumerate(escaped)
    ).strip()


def item(name: str, parameter: Any, *, typed: bool = True) -> str:
    """Return a parameter, or an error, as an item of a list."""
    kind = re.sub(r"\w+", lambda word: IN_R.get(word[0], word[0]), parameter.type)
    lines = [f"{kind}."] if typed and name != "..." else []
    return (
        "\\item{"
        + name.replace("...", "\\dots")
        + "}{"
        + rd("\n".join([*lines, *parameter.desc]))
        + "}"
    )


def page(name: str, of: str) -> str:
    """Return the help page of a function."""
    from numpydoc.docscrape import FunctionDoc  # needs the extra docs

    doc = FunctionDoc(getattr(ss, of))
    title, _, more = " ".join(doc["Summary"]).strip().partition(". ")
    about = [more, "\n".join(doc["Extended Summary"]), "\n".join(doc["Notes"])]
    raised = [item(rd(p.type or p.name), p, typed=False) for p in doc["Raises"]]
    taken = {
        key.strip(): p
        for p in doc["Parameters"]
        for key in p.name.replace("**columns", "...").split(",")
    }
    usage = filled(f"{name}({arguments(of)})", subsequent_indent="  ")
    returned = [f"{p.type or p.name}. " + "\n".join(p.desc) for p in doc["Returns"]]
    parts = [
        f"% {MADE}.",
        f"\\name{{{name}}}",
        f"\\alias{{{name}}}",
        f"\\title{{{rd(title.rstrip('.'))}}}",
        "\\description{" + rd("\n".join(doc["Summary"])) + "}",
        "\\usage{\n" + usage.replace("%", "\\%") + "\n}",
        "\\arguments{\n" + "\n".join(item(key, p) for key, p in taken.items()) + "\n}",
        "\\value{" + rd("\n".join(returned)) + "\n\nIn R a result is an object with the methods of "
        "\\link{socialstats_result}.}",
    ]
    if said := "\n\n".join(rd(text) for text in about if text.strip()):
        parts.append("\\details{" + said + "}")
    if raised:
        parts.append(
            "\\section{Errors}{Conditions, whose classes are in \\link{socialstats_error}.\n"
            "\\describe{\n" + "\n".join(raised) + "\n}}"
        )
    if doc["References"]:
        parts.append("\\references{" + rd("\n".join(doc["References"])) + "}")
    if name in EXAMPLES:
        code = textwrap.indent(textwrap.dedent(EXAMPLES[name]), "  ").replace("%", "\\%")
        parts.append(f"\\examples{{\nif (socialstats_available()) {{\n{code}\n}}\n}}")
    return "\n".join(parts) + "\n"


def description() -> str:
    """Return DESCRIPTION, which has the version of Python."""
    text = (HERE / "DESCRIPTION").read_text(encoding="utf-8")
    return text.replace("\nTitle: ", f"\nVersion: {ss.__version__}\nTitle: ", 1)


def write_package(folder: Path) -> None:
    """Write the whole package into a new folder."""
    leave_out = shutil.ignore_patterns("generate.py", "__pycache__")
    shutil.copytree(HERE, folder, ignore=leave_out)
    pages = {f"man/{name}.Rd": page(name, of) for name, of in wrapped().items()}
    made = {"DESCRIPTION": description(), "NAMESPACE": namespace(), "R/metrics.R": functions()}
    for place, text in (made | pages).items():
        (folder / place).write_text(text, encoding="utf-8")


def main() -> int:
    """Write the package into the folder that is named."""
    write_package(Path(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
