"""The estimate command: any one metric of a table, with options made from the metric's signature."""

from __future__ import annotations

import argparse
import inspect
import json
import shlex
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any, get_type_hints

import socialstats
from socialstats.cli.helping import Parser
from socialstats.cli.options import FORMATS as FILES
from socialstats.cli.options import Output, add_setting, add_writing, words_of
from socialstats.cli.parsers.estimate import NAMES, listed_metrics
from socialstats.cli.signatures import (
    add_keywords,
    described_parameters,
    first_line,
    kinds,
    typed_value,
)
from socialstats.cli.voices import hint, of_metric
from socialstats.cli.writing import format_of
from socialstats.designs.aliases import Fields
from socialstats.designs.calls import makers_of
from socialstats.designs.design_kinds import DESIGN_KINDS
from socialstats.designs.options import map_options, texts
from socialstats.designs.settings import DESIGNS, ROWS, SETTINGS, Settings
from socialstats.errors import InputError
from socialstats.proposals.deciding import (
    map_parts,
    parts_of,
    several_columns,
)
from socialstats.proposals.reading import READERS, one_below_another, selected
from socialstats.results import ResultGroup
from socialstats.tables import Table, read_table
from socialstats.tables.writing import (
    NUMBERS,
    as_bytes,
    table_like,
    text_like,
    write_whole,
    writing,
)
from socialstats.text import count, unknown
from socialstats.voice import speaking

FORMATS = ("text", "json", "csv", "md", "latex")
FORMULA = "the columns in one text, 'response ~ terms | clusters' (docs/formulas.md)"
NOT_TYPED = ("allowed", "source")  # limits of covariates, name for messages
OF_FILE = {
    "input_format": "format",
    "encoding": "encoding",
}  # options of how a file is read, as keywords
# options that are no keywords of a metric
OF_COMMAND = (
    "as",
    "output",
    "verify",
    *OF_FILE,
    "overwrite",
    "keep_formulas",
    "map",
    "design",
    "crosstab",
    *ROWS,
)
Metric = Callable[..., Any]


def run(options: argparse.Namespace) -> int:
    """Compute a metric of a table and print or write it.

    Raises
    ------
    InputError
        For an unknown metric or option, what the metric refuses, and an output that would replace a file of another
        kind.
    """
    words = options.words or []
    if "--study" in words:
        return estimate_question(words)
    if not words:
        sys.stdout.write(listed_metrics())
        return 0
    function = named_function(words)
    parser, hints = parser_of(function)
    typed = vars(parser.parse_args(words[1:]))
    chosen = {key: typed[key] for key in OF_COMMAND}
    # refused before anything is computed
    format_of(chosen["output"], chosen["as"], FORMATS)
    keywords = {
        key: typed_value(key, word, hints[key])
        for key, word in typed.items()
        if key not in (*OF_COMMAND, "tables") and word is not None
    }
    design = design_of(function, chosen, keywords)
    keywords |= mapped(design, chosen["map"] or [], keywords)
    tables = prepared_tables(typed["tables"], design, chosen, keywords)
    how = {key: chosen[key] for key in ("overwrite", "keep_formulas")}
    with speaking(of_metric(hints)), writing(words_of(typed), **how):
        return deliver(function(*tables, **keywords), chosen)


def named_function(words: Sequence[str]) -> Metric:
    """Return the function of the metric that the first word names.

    Raises
    ------
    InputError
        For an unknown metric, and one that stands behind its table.
    """
    name, *following = words
    spelled = name.replace("-", "_")
    if spelled in NAMES:
        return function_of(spelled)
    if following and (second := following[0].replace("-", "_")) in NAMES:
        typed = shlex.join([second, name])
        raise InputError(f"the metric comes before the table: socialstats estimate {typed}")
    raise InputError(unknown("metric", name, NAMES))


def function_of(name: str) -> Metric:
    """Return the public function of a metric; its file is loaded."""
    function: Metric = getattr(socialstats, name)
    return function


def prepared_tables(
    paths: Sequence[str], design: str, chosen: Fields, keywords: Fields
) -> Sequence[Any]:
    """Return the tables as the metric takes them: paths, unless options change the rows first.

    What the options say of the new rows is told to `keywords`.
    """
    # which says that groups are meant, not pairs
    apart = chosen["design"] == "groups" and "group" not in keywords
    several = isinstance(keywords.get("value"), str) and "," in keywords["value"]
    if not (any(chosen[key] for key in ROWS) or chosen["crosstab"] or apart or several):
        keywords |= {key: chosen[option] for option, key in OF_FILE.items() if chosen[option]}
        return paths
    rater = [f"rater={keywords['rater']}"] if keywords.get("rater") else []
    of_rows = {**chosen, "map": [*(chosen["map"] or []), *rater]}
    tables: list[Any] = [kept_rows(path, of_rows) for path in paths]
    if apart:
        keywords["group"] = parts_of("groups", tables[0], {})["group"]
    if several:
        tables = [stacked(table, design, keywords) for table in tables]
    if chosen["crosstab"]:
        tables = [counted(table, design, keywords) for table in tables]
    return tables


def estimate_question(words: Sequence[str]) -> int:
    """Answer a question of a study of a user's own, and print or write its results.

    Raises
    ------
    InputError
        For a question that the file does not have, and as `run_estimate`.
    """
    from socialstats.cli.own_study import read_study

    parser = Parser(
        prog="socialstats estimate QUESTION TABLE --study FILE",
        allow_abbrev=False,
        description="Answer a question of a study of your own (docs/own-study.md).",
    )
    add = parser.add_argument
    add("question", metavar="QUESTION", help="id of a [[question]] of the file")
    add("table", metavar="TABLE", help="file of the table")
    add("--study", metavar="FILE", required=True, help="the file of the study")
    add("--format", dest="as", choices=FORMATS, help="default: by the name of -o, else text")
    add("-o", "--output", metavar="FILE", type=Output, help="write it to a file; - for stdout")
    add("--verify", action="store_true", help="recompute by independent implementations")
    add_writing(parser)
    typed = vars(parser.parse_args(words))
    result = read_study(typed["study"]).answers(typed["table"], [typed["question"]])[
        typed["question"]
    ]
    with writing(
        words_of(typed), overwrite=typed["overwrite"], keep_formulas=typed["keep_formulas"]
    ):
        return deliver(result, typed)


def deliver(result: Any, chosen: Settings) -> int:
    """Print or write a result, its cautions, and what its check found; return an exit code."""
    kind = format_of(chosen["output"], chosen["as"], FORMATS)
    content = rendered(result, kind)
    if chosen["output"]:
        kind_of_file = (
            table_like(list(result.tidy(all=True).columns), "csv")
            if kind == "csv"
            else text_like(content)
        )
        write_whole(chosen["output"], content + "\n", NUMBERS if kind == "json" else kind_of_file)
    else:
        print(content)
    if kind != "text":
        for line in dict.fromkeys(str(raised) for raised in cautions_of(result)):
            print(f"caution: {line}", file=sys.stderr)
        sys.stderr.write(hint(cautions_of(result)))
    if chosen["verify"]:
        verification = result.verify()
        print(repr(verification)[1:-1], file=sys.stderr)
        return 0 if verification.ok else 1
    return 0


def design_of(function: Callable[..., Any], chosen: Settings, typed: Settings) -> str:
    """Return the design that a table is read as: the one that was asked for, or the first that has the parts.

    Raises
    ------
    InputError
        For a design that the metric does not take.
    """
    names = [str(reader.__name__).lower() for reader in _readers_of(function)]
    design = chosen["design"]
    if design is not None:
        general = [name for name in names if name in DESIGNS]
        if design not in general:
            takes = f"takes {' or '.join(general)}" if general else "reads a table of its own"
            raise InputError(
                f"--design {design}: {function.__name__} {takes}. Leave the option out"
            )
        return str(design)
    parts = {entry.partition("=")[0] for entry in chosen["map"] or []} | {
        key for key in typed if key == "group"
    }
    return next(
        (name for name in names if name in DESIGN_KINDS and parts <= {*DESIGN_KINDS[name].parts}),
        names[0],
    )


def mapped(design: str, entries: Sequence[str], typed: Settings) -> Fields:
    """Return the columns that ``--map`` names, as the keywords of the table's reader.

    Raises
    ------
    InputError
        For a part that the design has not, and one that an option of its own names as well.
    """
    if not entries:
        return {}
    parts = map_options(entries) if design == "comparisons" else map_parts(entries, design)
    if twice := [key for key in parts if key in typed]:
        typed_as = f"--{twice[0].replace('_', '-')}"
        raise InputError(f"{twice[0]} is said twice, by {typed_as} and by --map: keep one of them")
    return parts


def kept_rows(path: str, chosen: Settings) -> Table:
    """Return the rows of a table that remain, as ``--where`` and the like say, and say how many went."""
    table = read_table(path, *(chosen[key] for key in OF_FILE))
    table, steps = selected(table, {key: chosen[key] for key in ("map", *ROWS)})
    for step in steps:
        print(f"{step.label}: {count(step.rows, 'row')} left out", file=sys.stderr)
    return table


def stacked(table: Table, design: str, typed: Fields) -> Table:
    """Return a table with the values of several columns below one another; `given` is told their names."""
    columns = several_columns(table, typed["value"])
    if columns:
        by_column = design == "groups" and "unit" not in typed
        table, parts = one_below_another(table, columns, typed.get("group", ""), whole=by_column)
        again = typed.get("repeat") if typed.get("repeat") is not True else None
        typed |= {**parts, "repeat": (*texts(again), parts["repeat"])}
    return table


def counted(table: Table, design: str, typed: Fields) -> Any:
    """Return the design of a square table of counts; what says how to read it is taken out of `given`.

    Raises
    ------
    InputError
        For a metric whose design has no cross tables.
    """
    if design not in READERS:
        raise InputError(
            "--crosstab is for metrics of comparisons, pairs and ratings. Leave the option out"
        )
    reading: Fields = {
        key: typed.pop(key) for key in ("conditions", "levels", "scale", "raters") if key in typed
    }
    return READERS[design](table, {"crosstab": True, **reading})


def parser_of(function: Callable[..., Any]) -> tuple[Parser, dict[str, list[Any]]]:
    """Return the parser of a metric's options and of the columns of its table, and what types each of them takes."""
    tables = getattr(function, "tables", 1)
    parser = Parser(
        prog=f"socialstats estimate {function.__name__}",
        allow_abbrev=False,
        usage=f"socialstats estimate {function.__name__} {' '.join(['TABLE'] * tables)} [options]",
        description=first_line(function),
        epilog=f"Lists are typed A,B,C. The whole description: help(socialstats.{function.__name__}) in Python.",
    )
    parser.add_argument(
        "tables", metavar="TABLE", nargs=tables, help="file of the table; - for standard input"
    )
    add = parser.add_argument
    add("--format", dest="as", choices=FORMATS, help="default: by the name of -o, else text")
    add("-o", "--output", metavar="FILE", type=Output, help="write it to a file; - for stdout")
    add(
        "--verify",
        action="store_true",
        help="recompute by independent implementations; exit 1 where they disagree",
    )
    add(
        "--input-format",
        choices=FILES,
        help="format of the table (default: by its suffix, then its content)",
    )
    for key in ("encoding", "map", "design", "crosstab", *ROWS):
        add_setting(add, SETTINGS[key])
    add_writing(parser)
    hints: dict[str, list[Any]] = {}
    of_metric = list(inspect.signature(function).parameters.values())[tables:]
    groups: list[tuple[str, Callable[..., Any], list[inspect.Parameter], Any]] = [
        ("options of the metric", function, of_metric, None)
    ]
    for reader in _readers_of(function):
        for maker in makers_of(reader):
            of_table = [
                p for p in inspect.signature(maker).parameters.values() if p.kind is p.KEYWORD_ONLY
            ]
            groups.append(
                ("columns of the table", maker, of_table, vars(sys.modules[reader.__module__]))
            )
    by_title: dict[str, list[tuple[str, Any, str]]] = {}
    for title, maker, parameters, home in groups:
        types_of, words = get_type_hints(maker, localns=home), described_parameters(maker)
        for parameter in parameters:
            if parameter.kind is parameter.VAR_KEYWORD or (
                maker is not function and parameter.name in NOT_TYPED
            ):
                continue
            if parameter.name not in hints:
                by_title.setdefault(title, []).append(
                    (parameter.name, parameter.default, words.get(parameter.name, ""))
                )
            hints.setdefault(parameter.name, []).extend(kinds(types_of.get(parameter.name, Any)))
    if "formula" not in hints:
        by_title.setdefault("columns of the table", []).append(("formula", None, FORMULA))
        hints["formula"] = [str, types.NoneType]
    for title, names in by_title.items():
        add_keywords(parser, title, names, hints)
    design = next(
        (
            parameter.__name__.lower()
            for parameter in _readers_of(function)
            if parameter.__name__.lower() in DESIGN_KINDS
        ),
        "",
    )
    parser.brief |= (
        {"map": f"which part a column plays: {', '.join(DESIGN_KINDS[design].parts)}"}
        if design
        else {}
    )
    everyday = [
        "tables",
        *(parameter.name for parameter in of_metric),
        "map",
        "where",
        "cluster",
        "by",
        "levels",
        "as",
        "output",
    ]
    parser.shorten(
        everyday,
        f"every option, of all columns too: socialstats estimate {function.__name__} --help-all",
    )
    return parser, hints


def rendered(result: Any, kind: str) -> str:
    """Return a result as text in one of `FORMATS`."""
    if kind == "json":
        return json.dumps(
            {"socialstats": socialstats.__version__, **result.to_dict()}, indent=1, allow_nan=False
        )
    if kind == "csv":
        return as_bytes(result.tidy(all=True), "csv").decode().rstrip("\n")
    if kind == "text":
        return f"{result.summary()}\n\n{result.sentence()}"
    return str(result.to_markdown() if kind == "md" else result.to_latex())


def cautions_of(result: Any) -> list[Any]:
    """Return the cautions of a result or of all results of a group, notes left out."""
    if isinstance(result, ResultGroup):
        return [raised for level in result for raised in cautions_of(result[level])]
    return [raised for raised in result.cautions if raised.severity != "info"]


def _readers_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return what reads the table of a function: as it declares, or the design that its metric works on."""
    from socialstats.designs.comparisons import Comparisons
    from socialstats.designs.label_lists import LabelLists

    declared: tuple[Any, ...] | None = getattr(function, "readers", None)
    return declared or (
        {"preference_shares": Comparisons, "label_counts": LabelLists}[function.__name__],
    )
