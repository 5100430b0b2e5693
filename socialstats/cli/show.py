"""The show command: read a report back, as text or as JSON."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from socialstats.errors import InputError
from socialstats.text import shorten

LONGEST = 2000  # characters of a line of text


def run_show(options: argparse.Namespace) -> int:
    """Print the summary of a report, or its JSON; 2 for a page that is none of ours."""
    import socialstats_reports

    name = "stdin" if options.report == "-" else options.report
    raw = sys.stdin.buffer.read() if options.report == "-" else Path(options.report).read_bytes()
    try:
        found = socialstats_reports.read_results(raw.decode("utf-8"))
        text = json.dumps(found, indent=1, allow_nan=False) if options.json else "\n".join(summary(found))
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not a page of text ({error.reason} at byte {error.start:,})") from error
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"{name}: its JSON was not written by this version of socialstats ({error!r})") from error
    print(text)
    return 0


def summary(found: Mapping[str, Any]) -> list[str]:
    """Return a report as lines of text: question, answer, cautions, what each block says, deviations."""
    run = found.get("run", {})
    status = run.get("status") or "exploratory"
    lines = [said(found["title"]), said(f"{found['study']}, {status}; {found['design']}")]
    lines += [said(found["simulated"])] if found["simulated"] else []
    lines += ["", *(said(text) for text in found["answer"])]
    for caution in found["cautions"]:
        detail = f": {caution['detail']}" if caution["detail"] else ""
        lines.append(said(f"{caution['severity']}: {caution['code']} {caution['short']}{detail}"))
    for block in found["blocks"]:
        mark = f" [{block['status']}]" if block.get("status") else ""
        lines += ["", said(block["question"]) + mark, *(said(f"  {text}") for text in block["sentences"])]
    lines += ["", *(said(line) for line in _made(found, run))]
    return lines


def _made(found: Mapping[str, Any], run: Mapping[str, Any]) -> list[str]:
    """State what was verified, and how the page was made."""
    lines = [f"verified    {found.get('verified', 'not said by this page')}"]
    lines += [f"{name:<11} {value}" for name, value in run.get("facts", {}).items()]
    if run.get("plan_sha256"):
        lines.append(f"plan sha256 {run['plan_sha256']}")
        deviations = run.get("deviations", [])
        lines += [f"deviation   {text}" for text in deviations] or ["deviations  none"]
    return [*lines, f"made by     socialstats {found['socialstats']}"]


def said(text: str) -> str:
    """Return a line that a terminal prints as it is: without control characters, and of some length."""
    indent = len(text) - len(text.lstrip(" "))
    return " " * indent + shorten(str(text)[indent:], LONGEST)
