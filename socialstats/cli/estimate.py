"""The estimate command: any one metric of a table, with options made from the metric's signature."""

from __future__ import annotations

import argparse
import inspect
import json
import shlex
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from socialstats.cli.helping import Parser
from socialstats.cli.options import FORMATS as FILES
from socialstats.cli.options import Output, add_setting, add_writing, words_of
from socialstats.cli.voices import hint, of_metric
from socialstats.cli.writing import format_of
from socialstats.designs.aliases import Fields
from socialstats.designs.calls import makers_of
from socialstats.designs.options import map_options, texts
from socialstats.errors import InputError
from socialstats.proposals.deciding import (
    MAPPED,
    PARTS,
    map_parts,
    parts_of,
    several_columns,
    split_list,
)
from socialstats.proposals.reading import READERS, one_below_another, selected
from socialstats.proposals.settings import DESIGNS, ROWS, SETTINGS, Settings
from socialstats.resampling.options import in_our_spelling
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

PARSER: Fields = {"add_help": False}
ALSO = {"columns": "--level-columns"}  # what report calls it
FORMATS = ("text", "json", "csv", "md", "latex")
FORMULA = "the columns in one text, 'response ~ terms | clusters' (docs/formulas.md)"
LONGEST = 50  # list of choices beside an option; longer ones are in its words
NOT_TYPED = ("allowed", "source")  # limits of covariates, name for messages
OF_FILE = {
    "input_format": "format",
    "encoding": "encoding",
}  # options of how a file is read, as keywords


def add_options(parser: Parser) -> None:
    """Take the words from the metric on as they are: each metric has a parser of its own."""
    # before the name of a metric
    parser.add_argument("-h", "--help", action="store_true", dest="list_metrics")
    parser.add_argument("words", nargs=argparse.REMAINDER)


def run(options: argparse.Namespace) -> int:
    """Compute a metric of a table and print or write it.

    Raises
    ------
    InputError
        For an unknown metric or option, what the metric refuses, and an output that would replace a file of another
        kind.
    """
    if "--study" in (options.words or []):
        return estimate_question(options.words)
    known = functions()
    name, *words = options.words or [""]
    if options.list_metrics or not name:
        print(
            "usage: socialstats estimate METRIC TABLE [options]\n\nmetrics (METRIC --help lists the options of one):"
        )
        print("\n".join(listed(known)))
        return 0
    function = known.get(name.replace("-", "_"))
    if function is None:
        if words and (second := words[0].replace("-", "_")) in known:
            raise InputError(
                f"the metric comes before the table: socialstats estimate {shlex.join([second, name])}"
            )
        raise InputError(unknown("metric", name, known))
    parser, hints = parser_of(function)
    given = vars(parser.parse_args(words))
    typed_in = dict(given)
    tables = given.pop("tables")
    own_keys = (
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
    chosen = {key: given.pop(key) for key in own_keys}
    format_of(chosen["output"], chosen["as"], FORMATS)  # refused before anything is computed
    given = {
        key: typed(key, value, hints[key]) for key, value in given.items() if value is not None
    }
    design = design_of(function, chosen, given)
    given |= mapped(design, chosen["map"] or [], given)
    given |= {key: chosen[typed_as] for typed_as, key in OF_FILE.items() if chosen[typed_as]}
    apart = (
        chosen["design"] == "groups" and "group" not in given
    )  # which says that groups are meant, not pairs
    several = isinstance(given.get("value"), str) and "," in given["value"]
    if any(chosen[key] for key in ROWS) or chosen["crosstab"] or apart or several:
        chosen["map"] = [
            *(chosen["map"] or []),
            *([f"rater={given['rater']}"] if given.get("rater") else []),
        ]
        tables = [kept_rows(table, chosen) for table in tables]
        given = {key: value for key, value in given.items() if key not in OF_FILE.values()}
    if apart:
        given["group"] = parts_of("groups", tables[0], {})["group"]
    if several:
        tables = [stacked(table, design, given) for table in tables]
    if chosen["crosstab"]:
        tables = [counted(table, design, given) for table in tables]
    how = {key: chosen[key] for key in ("overwrite", "keep_formulas")}
    with speaking(of_metric(hints)), writing(words_of(typed_in), **how):
        result = function(*tables, **given)
        return deliver(result, chosen)


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
    given = vars(parser.parse_args(words))
    result = read_study(given["study"]).answers(given["table"], [given["question"]])[
        given["question"]
    ]
    with writing(
        words_of(given), overwrite=given["overwrite"], keep_formulas=given["keep_formulas"]
    ):
        return deliver(result, given)


def deliver(result: Any, chosen: Settings) -> int:
    """Print or write a result, its cautions, and what its check found; return an exit code."""
    kind = format_of(chosen["output"], chosen["as"], FORMATS)
    content = rendered(result, kind)
    if chosen["output"]:
        own = (
            table_like(list(result.tidy(all=True).columns), "csv")
            if kind == "csv"
            else text_like(content)
        )
        write_whole(chosen["output"], content + "\n", NUMBERS if kind == "json" else own)
    else:
        print(content)
    if kind != "text":
        for line in dict.fromkeys(str(one) for one in cautions_of(result)):
            print(f"caution: {line}", file=sys.stderr)
        sys.stderr.write(hint(cautions_of(result)))
    if chosen["verify"]:
        found = result.verify()
        print(repr(found)[1:-1], file=sys.stderr)
        return 0 if found.ok else 1
    return 0


def design_of(function: Callable[..., Any], chosen: Settings, given: Settings) -> str:
    """Return the design that a table is read as: the one that was asked for, or the first that has the parts.

    Raises
    ------
    InputError
        For a design that the metric does not take.
    """
    names = [str(reader.__name__).lower() for reader in _readers_of(function)]
    asked = chosen["design"]
    if asked is not None:
        general = [name for name in names if name in DESIGNS]
        if asked not in general:
            takes = f"takes {' or '.join(general)}" if general else "reads a table of its own"
            raise InputError(f"--design {asked}: {function.__name__} {takes}. Leave the option out")
        return str(asked)
    parts = {entry.partition("=")[0] for entry in chosen["map"] or []} | {
        key for key in given if key == "group"
    }
    return next((name for name in names if parts <= {*PARTS.get(name, ())}), names[0])


def mapped(design: str, entries: Sequence[str], given: Settings) -> Fields:
    """Return the columns that ``--map`` names, as the keywords of the table's reader.

    Raises
    ------
    InputError
        For a part that the design has not, and one that an option of its own names as well.
    """
    if not entries:
        return {}
    found = map_options(entries) if design == "comparisons" else map_parts(entries, design)
    if twice := [key for key in found if key in given]:
        typed_as = f"--{twice[0].replace('_', '-')}"
        raise InputError(f"{twice[0]} is said twice, by {typed_as} and by --map: keep one of them")
    return found


def kept_rows(path: str, chosen: Settings) -> Table:
    """Return the rows of a table that remain, as ``--where`` and the like say, and say how many went."""
    table = read_table(path, *(chosen[key] for key in OF_FILE))
    table, steps = selected(table, {key: chosen[key] for key in ("map", *ROWS)})
    for step in steps:
        print(f"{step.label}: {count(step.rows, 'row')} left out", file=sys.stderr)
    return table


def stacked(table: Table, design: str, given: Fields) -> Table:
    """Return a table with the values of several columns below one another; `given` is told their names."""
    columns = several_columns(table, given["value"])
    if columns:
        whole = design == "groups" and "unit" not in given
        table, parts = one_below_another(table, columns, given.get("group", ""), whole=whole)
        again = given.get("repeat") if given.get("repeat") is not True else None
        given |= {**parts, "repeat": (*texts(again), parts["repeat"])}
    return table


def counted(table: Table, design: str, given: Fields) -> Any:
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
        key: given.pop(key) for key in ("conditions", "levels", "scale", "raters") if key in given
    }
    return READERS[design](table, {"crosstab": True, **reading})


def parser_of(function: Callable[..., Any]) -> tuple[Parser, dict[str, list[Any]]]:
    """Return the parser of a metric's options and of the columns of its table, and what types each of them takes."""
    tables = getattr(function, "tables", 1)
    parser = Parser(
        prog=f"socialstats estimate {function.__name__}",
        allow_abbrev=False,
        usage=f"socialstats estimate {function.__name__} {' '.join(['TABLE'] * tables)} [options]",
        description=_first_line(function),
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
    own = list(inspect.signature(function).parameters.values())[tables:]
    groups: list[tuple[str, Callable[..., Any], list[inspect.Parameter], Any]] = [
        ("options of the metric", function, own, None)
    ]
    for reader in _readers_of(function):
        for maker in makers_of(reader):
            of_table = [
                p for p in inspect.signature(maker).parameters.values() if p.kind is p.KEYWORD_ONLY
            ]
            groups.append(
                ("columns of the table", maker, of_table, vars(sys.modules[reader.__module__]))
            )
    shown: dict[str, list[tuple[str, Any, str]]] = {}
    for title, maker, parameters, home in groups:
        types_of, words = get_type_hints(maker, localns=home), described(maker)
        for one in parameters:
            if one.kind is one.VAR_KEYWORD or (maker is not function and one.name in NOT_TYPED):
                continue
            if one.name not in hints:
                shown.setdefault(title, []).append((one.name, one.default, words.get(one.name, "")))
            hints.setdefault(one.name, []).extend(kinds(types_of.get(one.name, Any)))
    if "formula" not in hints:
        shown.setdefault("columns of the table", []).append(("formula", None, FORMULA))
        hints["formula"] = [str, types.NoneType]
    for title, names in shown.items():
        add_keywords(parser, title, names, hints)
    design = next(
        (one.__name__.lower() for one in _readers_of(function) if one.__name__.lower() in MAPPED),
        "",
    )
    parser.brief |= (
        {"map": f"which part a column plays: {', '.join(MAPPED[design])}"} if design else {}
    )
    everyday = [
        "tables",
        *(one.name for one in own),
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


def add_keywords(
    parser: Parser,
    title: str,
    names: Sequence[tuple[str, Any, str]],
    hints: Mapping[str, list[Any]],
) -> None:
    """Add keywords of a function (name, default, help) as a group of options."""
    group = parser.add_argument_group(title)
    for name, default, said in names:
        spellings = [f"--{name.replace('_', '-')}", *([ALSO[name]] if name in ALSO else [])]
        group.add_argument(*spellings, dest=name, **_shape(hints[name], default, said))
        parser.brief[name] = _shape(hints[name], default, said.partition(". ")[0])["help"]


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


def _shape(found: Sequence[Any], default: Any, words: str) -> Fields:
    """Return how argparse takes an option: a switch, one word, or words; and its help."""
    switch = bool in found
    known = default is not inspect.Parameter.empty and default not in (None, ())
    words = (f"{words} (default {default})" if known else words).strip().replace("%", "%%")
    if switch and set(found) <= {bool, types.NoneType}:
        return {"action": argparse.BooleanOptionalAction, "default": None, "help": words}
    said = [*dict.fromkeys(kind for kind in found if isinstance(kind, str))]
    if any(kind in (str, Any) for kind in found) or _listed(found):
        said.append("A,B,..." if _listed(found) else "NAME")
    said += ["NUMBER"] if any(kind in (int, float) for kind in found) else []
    said += ["KEY=VALUE,..."] if any(get_origin(kind) is Mapping for kind in found) else []
    choices = "|".join(said) or "WORD"
    if len(choices) > LONGEST:
        words, choices = f"{words}: {', '.join(said)}".lstrip(": "), "WORD"
    shape = {"metavar": choices, "help": words}
    if switch:
        return shape | {"nargs": "?", "const": True}
    return shape | ({"action": "append"} if _listed(found) else {})  # also typed once for each


def _listed(found: Sequence[Any]) -> bool:
    return any(get_origin(kind) in (tuple, Sequence) for kind in found)


def typed(name: str, word: Any, found: Sequence[Any]) -> Any:
    """Return the value that a word of the command line stands for, by the types that the option takes.

    Raises
    ------
    InputError
        For a word that fits none of them.

    Examples
    --------
    >>> typed("on_undefined", "1", kinds(Literal["nan", "raise"] | float))
    1.0
    >>> typed("cluster", "story,judge", kinds(str | Sequence[str] | None))
    ['story', 'judge']
    >>> typed("cluster", ["story", "judge"], kinds(str | Sequence[str] | None))
    ['story', 'judge']
    >>> typed("alternative", "two.sided", kinds(Literal["two_sided", "greater", "less"]))
    'two_sided'
    >>> typed("weights", "left=-1,right=1", kinds(Mapping[str, float] | None))
    {'left': -1.0, 'right': 1.0}
    """
    option = f"--{name.replace('_', '-')}"
    if isinstance(word, bool):
        return word
    if name == "alternative":
        word = in_our_spelling(word.lower())
    if isinstance(word, list):
        if len(word) > 1:
            parts = split_list(word)
            return tuple(parts) if any(get_origin(kind) is tuple for kind in found) else parts
        word = word[0]
    for kind in found:
        if isinstance(kind, str | bool) and str(kind).lower() == word.lower():
            return kind
    if word.lower() == "none" and types.NoneType in found:
        return None
    for kind in found:
        if get_origin(kind) is Mapping and ("=" in word or len(found) == 1):
            return _mapping_of(option, word, get_args(kind)[1])
    for kind in (int, float):
        if kind in found:
            try:
                return kind(word)
            except ValueError:
                continue
    parts = split_list([word]) if _listed(found) else []
    if _listed(found) and (len(parts) > 1 or not any(kind in (str, Any) for kind in found)):
        return tuple(parts) if any(get_origin(kind) is tuple for kind in found) else parts
    if any(kind in (str, Any) or get_origin(kind) not in (None, Literal) for kind in found):
        return word
    allowed = ", ".join(dict.fromkeys(str(kind) for kind in found if isinstance(kind, str | bool)))
    raise InputError(f"{option} {word}: " + (f"one of {allowed}" if allowed else "not a number"))


def _mapping_of(option: str, word: str, kind: Any) -> Fields:
    found: Fields = {}
    for key, sign, value in (part.partition("=") for part in split_list([word])):
        if not sign:
            raise InputError(f"{option} {word}: '{key}' has no value; write KEY=VALUE,KEY=VALUE")
        try:
            found[key] = float(value) if kind is float else value
        except ValueError:
            raise InputError(f"{option}: '{value}' is not a number") from None
    return (
        {key: tuple(value.split(":")) for key, value in found.items()}
        if get_origin(kind) is tuple
        else found
    )


def rendered(result: Any, kind: str) -> str:
    """Return a result as text in one of `FORMATS`."""
    from socialstats import __version__

    if kind == "json":
        return json.dumps(
            {"socialstats": __version__, **result.to_dict()}, indent=1, allow_nan=False
        )
    if kind == "csv":
        return as_bytes(result.tidy(all=True), "csv").decode().rstrip("\n")
    if kind == "text":
        return f"{result.summary()}\n\n{result.sentence()}"
    return str(result.to_markdown() if kind == "md" else result.to_latex())


def cautions_of(result: Any) -> list[Any]:
    """Return the cautions of a result or of all results of a group, notes left out."""
    if isinstance(result, ResultGroup):
        return [one for level in result for one in cautions_of(result[level])]
    return [one for one in result.cautions if one.severity != "info"]


def listed(known: Mapping[str, Callable[..., Any]]) -> list[str]:
    """Return a line for each metric, by the groups of the public names."""
    import socialstats

    lines = []
    for group, (about, _) in socialstats._GROUPS.items():
        names = [name for name in socialstats._names_of_group(group) if name in known]
        lines += [f"{group}: {about}"] if names else []
        lines += [f"  {name:<26} {_first_line(known[name])}" for name in names]
    return lines


def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions that compute something of tables, by name."""
    import socialstats
    from socialstats.metrics import METRICS

    found = {name: entry.function for name, entry in METRICS.items()}
    for name in ("choice_entropy_difference", "sensitivity_difference"):
        found[name] = getattr(socialstats, name)
    return dict(sorted(found.items()))


def _readers_of(function: Callable[..., Any]) -> tuple[Any, ...]:
    """Return what reads the table of a function: as it declares, or the design that its metric works on."""
    from socialstats.designs.comparisons import Comparisons
    from socialstats.designs.label_lists import LabelLists

    declared: tuple[Any, ...] | None = getattr(function, "readers", None)
    return declared or (
        {"preference_shares": Comparisons, "label_counts": LabelLists}[function.__name__],
    )


def described(function: Callable[..., Any]) -> dict[str, str]:
    """Return what the docstring of a function says of each parameter, as one paragraph."""
    _, _, section = (inspect.getdoc(function) or "").partition("Parameters\n----------\n")
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line, after in pairwise([*section.split("\n"), ""]):
        if set(after) == {"-"}:
            break
        if line[:1] not in ("", " "):
            names = [name.strip(" *") for name in line.partition(" : ")[0].split(",")]
        for name in names:
            found.setdefault(name, []).extend([line.strip()] if line[:1] == " " else [])
    return {name: " ".join(words).replace("`", "") for name, words in found.items()}


def _first_line(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]
