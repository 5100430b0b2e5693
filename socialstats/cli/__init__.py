"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from socialstats.cli.parser import make_parser
from socialstats.cli.running import run_safely
from socialstats.cli.voices import of_tables
from socialstats.errors import (
    InputError,
    MissingDependency,
    MleDoesNotExist,
    SocialStatsError,
    not_installed,
)
from socialstats.progress import telling
from socialstats.text import shorten
from socialstats.voice import speaking

DONE, REACHED, BAD_INPUT, NOTHING, INTERRUPTED = 0, 1, 2, 3, 130
NO_MEMORY = "there is not enough memory for this analysis. Analyse a part of the rows (--where), or fewer labels"
ONE_THREAD = (
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OMP_NUM_THREADS",
)  # faster for small matrices, same bytes


@speaking(of_tables)
def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0 done; 1 done, but ``--fail-on`` was reached; 2 bad usage or input; 3 nothing to analyse, or an undefined
    statistic; 130 interrupted. stdout carries only the asked result.

    Examples
    --------
    >>> main(["studies"])
    role-conflict  Does urgency decide, or the role?...
    0
    """
    # numpy reads them when it is loaded, with the command
    for name in ONE_THREAD:
        os.environ.setdefault(name, "1")
    words = sys.argv[1:] if arguments is None else arguments
    options = argparse.Namespace(command="")
    try:
        make_parser(words).parse_args(words, options)
        with telling(lambda message: print(message, file=sys.stderr, flush=True)):
            command = importlib.import_module(f"socialstats.cli.{options.command}")
            code = run_safely(command.run, options)
        sys.stdout.flush()
    except MleDoesNotExist as error:
        ways = "--prior 0.5" if error.separate else "--penalty firth, or --prior 0.5"
        return _fail(
            f"{error}\n  On the command line: {ways}" if error.penalty else str(error), NOTHING
        )
    except (InputError, MissingDependency) as error:
        brief, advice = _proposed(error, options)
        code = _fail(brief or str(error), BAD_INPUT)
        if advice:
            print(advice, file=sys.stdout if options.command == "check" else sys.stderr)
        return code
    except SocialStatsError as error:  # nothing to analyse, or a statistic that does not exist
        return _fail(str(error), NOTHING)
    except ModuleNotFoundError as error:  # installed without its dependencies
        return _fail(not_installed(error), BAD_INPUT)
    except MemoryError:
        return _fail(NO_MEMORY, BAD_INPUT)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except OSError as error:
        where = f"{shorten(str(error.filename), 400)}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", BAD_INPUT)
    except KeyboardInterrupt:
        return _fail("interrupted", INTERRUPTED)
    return code


def _proposed(error: Exception, options: argparse.Namespace) -> tuple[str, str]:
    """Return what a table may be whose columns fit no design by name, and the error in brief where commands say that.

    Both are empty after other errors.
    """
    from socialstats.proposals.deciding import NoDesign
    from socialstats.proposals.proposing import proposed

    if not isinstance(error, NoDesign):
        return "", ""
    example = getattr(options, "example", None)
    files = (
        ["--example", example] if example else [str(options.data), *getattr(options, "more", ())]
    )
    output = getattr(options, "output", None) if options.command == "report" else None
    proposals, advice = proposed(
        error, files, "" if output in (None, "report.html") else str(output)
    )
    return error.brief if proposals else "", advice


def _fail(message: str, code: int) -> int:
    for line in message.split("\n"):
        prefix = "" if line.startswith(" ") else "error: "
        print(prefix + line, file=sys.stderr)
    return code
