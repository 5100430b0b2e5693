"""The power command: power, size of a study or smallest effect, with the curve as text or as a figure."""

from __future__ import annotations

import argparse
import inspect
import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import socialstats
from socialstats.cli.helping import Parser
from socialstats.cli.options import Output, add_writing, words_of
from socialstats.cli.page_files import PDF
from socialstats.cli.parser import make_parser
from socialstats.cli.signatures import add_keywords, described_parameters, kinds, typed_value
from socialstats.cli.voices import of_metric
from socialstats.cli.writing import format_of
from socialstats.designs.aliases import Fields
from socialstats.errors import InputError
from socialstats.planning.curves import curve_of
from socialstats.tables.writing import (
    NUMBERS,
    kind_by_mark,
    table_like,
    text_like,
    write_whole,
    writing,
)
from socialstats.text import number, unknown
from socialstats.voice import speaking

DESIGNS = {
    "paired-t": "power_paired_t",
    "mcnemar": "power_mcnemar",
    "clustered-mean": "power_clustered_mean",
}
FORMATS = ("text", "md", "csv", "json", "svg", "png", "pdf")
SHARES = (
    0.25,
    0.5,
    0.75,
    1.0,
    1.25,
    1.5,
    2.0,
)  # parts of the planned size where the curve is printed
BAR = 40


def run(options: argparse.Namespace) -> int:
    """Compute a plan and print it with its curve, or draw the curve.

    Raises
    ------
    InputError
        For an unknown design or option, and what the computation refuses.
    """
    name, *words = options.words or [""]
    if not name:
        print(make_parser(["power"]).commands()["power"].format_help(), end="")
        return 0
    if name not in DESIGNS:
        raise InputError(unknown("design", name, DESIGNS))
    function = getattr(socialstats, DESIGNS[name])
    parser, hints = parser_of(name, function)
    typed = vars(parser.parse_args(words))
    typed_in = dict(typed)
    target, kind, overwrite, _ = (
        typed.pop(key) for key in ("output", "format", "overwrite", "keep_formulas")
    )
    kind = format_of(target, kind, FORMATS)
    if kind in ("png", "pdf") and not target:
        raise InputError(f"--format {kind} makes no text: name a file with -o")
    with speaking(of_metric(hints)), writing(words_of(typed_in), overwrite=overwrite):
        plan = function(
            **{
                key: typed_value(key, word, hints[key])
                for key, word in typed.items()
                if word is not None
            }
        )
        content = rendered(plan, kind)
        if target and target != "-":
            kinds_of_file = {
                "json": NUMBERS,
                "csv": table_like(["size", "power"], "csv"),
                **figures(),
            }
            write_whole(target, content, kinds_of_file.get(kind) or text_like(str(content)))
            print(f"wrote {Path(target).resolve()}\n{plan.sentence()}", file=sys.stderr)
        elif isinstance(content, str):
            sys.stdout.write(content)
    return 0


def parser_of(
    name: str, function: Callable[..., Any]
) -> tuple[argparse.ArgumentParser, dict[str, list[Any]]]:
    """Return the parser of a design's options, and what types each of them takes."""
    parser = Parser(
        prog=f"socialstats power {name}",
        allow_abbrev=False,
        usage=f"socialstats power {name} [options]",
        description=(inspect.getdoc(function) or "").partition("\n")[0],
    )
    add = parser.add_argument
    add("--format", choices=FORMATS, help="default: by the name of -o, else text")
    add(
        "-o",
        "--output",
        metavar="FILE",
        type=Output,
        help="file to write: the curve as svg, png or pdf, or a text",
    )
    add_writing(parser)
    types_of, words = get_type_hints(function), described_parameters(function)
    keys = list(inspect.signature(function).parameters.values())
    hints = {parameter.name: kinds(types_of[parameter.name]) for parameter in keys}
    add_keywords(
        parser,
        "options",
        [(parameter.name, parameter.default, words.get(parameter.name, "")) for parameter in keys],
        hints,
    )
    return parser, hints


def figures() -> Fields:
    """Return the kinds of files that hold a figure of this command, by format."""
    svg = kind_by_mark("a figure of socialstats (SVG)", r".*<dc:creator>.{0,200}socialstats")
    return {
        "svg": svg,
        "png": kind_by_mark("a figure of socialstats (PNG)", r"\x89PNG.{0,200}socialstats"),
        "pdf": PDF,
    }


def rendered(plan: Any, kind: str) -> str | bytes:
    """Return a plan in one of `FORMATS`: numbers with their curve, or a figure."""
    if kind in ("svg", "png", "pdf"):
        return drawn(plan, kind)
    at = round(plan.row("clusters" if plan.metric == "power_clustered_mean" else "n").estimate)
    curve = curve_of(
        plan,
        None
        if kind in ("csv", "json")
        else sorted({max(2, round(at * share)) for share in SHARES}),
    )
    points = list(zip(curve["x"].astype(int).tolist(), curve["power"].tolist(), strict=True))
    if kind == "json":
        content = {
            "socialstats": socialstats.__version__,
            **plan.to_dict(),
            "curve": [{"size": x, "power": p} for x, p in points],
        }
        return json.dumps(content, indent=1, allow_nan=False) + "\n"
    if kind == "csv":
        return "size,power\n" + "".join(f"{x},{p:.6f}\n" for x, p in points)
    label = curve["xlabel"]
    if kind == "md":
        rows = "".join(f"| {x} | {number(p, 3, bounded=True)} |\n" for x, p in points)
        return (
            f"# {plan.title}\n\n{plan.sentence()}\n\n{plan.to_markdown()}\n\n| {label} | Power "
            f"|\n|---:|---:|\n{rows}"
        )
    width = max(len(label), *(len(str(x)) for x, _ in points))
    lines = [f"{label:>{width}}  Power"]
    lines += [
        f"{x:>{width}}  {number(p, 3, bounded=True):>5}  {'#' * round(BAR * p)}{' <' * (x == at)}"
        for x, p in points
    ]
    return f"{plan.summary()}\n\n{plan.sentence()}\n\n" + "\n".join(lines) + "\n"


def drawn(plan: Any, kind: str) -> str | bytes:
    """Return the curve as a figure; an SVG does not change from run to run."""
    from socialstats.figures.axes import default_settings

    out = io.BytesIO()
    about = {
        "svg": {"Creator": "socialstats", "Date": None},
        "pdf": {"Creator": "socialstats", "CreationDate": None},
    }
    with default_settings({"svg.hashsalt": "socialstats", "pdf.fonttype": 42}):
        figure = plan.plot().figure
        figure.savefig(
            out,
            format=kind,
            bbox_inches="tight",
            metadata=about.get(kind, {"Software": "socialstats"}),
            dpi=200,
        )
    return out.getvalue().decode() if kind == "svg" else out.getvalue()
