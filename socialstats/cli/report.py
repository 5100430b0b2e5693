"""The report command: analyse, render, write."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from socialstats.cli.analysis import prepare
from socialstats.cli.claimed import claims_facts, claims_of, with_claims
from socialstats.cli.commands import load_plan
from socialstats.cli.describe import describe
from socialstats.cli.plan import Plan
from socialstats.cli.wording import typed_outcome
from socialstats.errors import InputError
from socialstats.progress import listening, say, to_stream
from socialstats.studies.outcome import Outcome
from socialstats.text import shorten

LONGEST_NOTE = 20_000
SEVERITIES = {"never": (), "caution": ("caution", "stop"), "stop": ("stop",)}


def run_report(options: argparse.Namespace) -> int:
    """Write the page (and JSON) that the options ask for."""
    plan = load_plan(options.plan)
    claims = claims_of(options.claims)
    with listening(to_stream(sys.stderr)) if not options.quiet else nullcontext():
        analysis = prepare(options, plan, verify=not options.no_verify)
        say(f"{describe(analysis.design)[0]}; study {analysis.study.name}", slow=sys.stderr.isatty())
        found, deviations = analysis.run()
        outcome, stand = with_claims(found, claims)
        outcome = typed_outcome(outcome)
        write(options, outcome, plan, deviations, analysis.facts | claims_facts(options.claims) | noted(options))
    tell(options, outcome)
    reached = any(c.severity in SEVERITIES[options.fail_on] for c in outcome.cautions)
    return 1 if reached or not stand else 0


def write(
    options: argparse.Namespace, outcome: Outcome, plan: Plan, deviations: tuple[str, ...], facts: dict[str, str]
) -> None:
    """Render and write the page and the JSON."""
    import socialstats_reports

    if plan.values.get("title"):
        outcome = replace(outcome, title=plan.values["title"])
    page = socialstats_reports.render(
        outcome,
        command=command_line(),
        facts=facts,
        plan_text=plan.text,
        plan_sha256=plan.sha256,
        deviations=deviations,
        status=plan.values.get("status", "exploratory"),
        date=options.date or source_date(),
    )
    target = options.output or ("-" if options.json == "-" and options.output is None else "report.html")
    if options.json == "-" and options.output is None:
        target = ""
    refuse_to_overwrite(options, [target, options.json or ""])
    if target == "-" and sys.stdout.isatty():
        raise InputError("not printing HTML to a terminal; name a file with -o")
    for name, text in ((target, page), (options.json, socialstats_reports.as_json(outcome))):
        if name == "-":
            sys.stdout.write(text)
        elif name:
            Path(name).write_text(text, encoding="utf-8")
            say(f"wrote {Path(name).resolve()}", slow=True)


def noted(options: argparse.Namespace) -> dict[str, str]:
    """Return the text on how the data were collected, as a fact of the page."""
    path = getattr(options, "methods_note", None)
    if not path:
        return {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text: name the file that 'socialstats tidy --methods' wrote") from None
    if not text.strip() or len(text) > LONGEST_NOTE:
        raise InputError(f"{path}: a note has 1 to {LONGEST_NOTE:,} characters, this file {len(text):,}")
    return {"how the data were collected": shorten(" ".join(text.split()), LONGEST_NOTE)}


def refuse_to_overwrite(options: argparse.Namespace, targets: list[str]) -> None:
    """Refuse outputs that are the data, the plan or the claims, and two outputs in one place."""
    named = [t for t in targets if t]
    if len(set(named)) < len(named):
        raise InputError(f"-o and --json both name '{named[0]}': give each its own place")
    sources = [Path(name).resolve() for name in (options.data, options.plan, options.claims) if name and name != "-"]
    for target in named:
        if target != "-" and Path(target).resolve() in sources:
            raise InputError(f"{target} is an input of this report: name another file with -o or --json")


def command_line() -> str:
    """Return the command as typed, without the path of the program."""
    return shlex.join(["socialstats", *sys.argv[1:]])


def source_date() -> str:
    """Return the date of SOURCE_DATE_EPOCH, if set, as YYYY-MM-DD."""
    from datetime import UTC, datetime

    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    try:
        return datetime.fromtimestamp(int(epoch), UTC).strftime("%Y-%m-%d") if epoch else ""
    except (ValueError, OverflowError, OSError) as error:
        raise InputError(f"SOURCE_DATE_EPOCH={shorten(epoch)} is no count of seconds since 1970 ({error})") from error


def tell(options: argparse.Namespace, outcome: Outcome) -> None:
    """Print the answer and the cautions to stderr."""
    if options.quiet:
        return
    for sentence in outcome.answer:
        print(sentence, file=sys.stderr)
    for caution in outcome.cautions:
        if caution.severity != "info":
            print(f"caution: {caution}", file=sys.stderr)
