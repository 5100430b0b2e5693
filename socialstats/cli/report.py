"""The report command: analyse, render, write."""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import socialstats_reports
from socialstats.cli.analysis import prepare
from socialstats.cli.page_files import write_page_files
from socialstats.cli.plan import plan_of
from socialstats.cli.voices import hint
from socialstats.cli.writing import command_line, source_date
from socialstats.designs.aliases import Levels, Pair
from socialstats.errors import Caution, InputError
from socialstats.progress import listening, say, to_stream
from socialstats.studies.page import Outcome
from socialstats.studies.plan_files import Plan
from socialstats.tables.formats import named_format
from socialstats.tables.writing import MARKDOWN, NUMBERS, PAGE, Kind, writable_place, write_whole
from socialstats.text import shorten
from socialstats_reports.arrangement import arranged

if TYPE_CHECKING:
    from socialstats.claims import Claim

GARBAGE = (50_000, 20, 50)  # thresholds of the collector while a page is made
LONGEST_NOTE = 20_000
NOTE = "name a text on how the data were collected, such as 'socialstats tidy --methods' writes"
NO_NOTES = (".toml", ".html", ".htm")
SEVERITIES = {"never": (), "caution": ("caution", "stop"), "stop": ("stop",)}


def run(options: argparse.Namespace) -> int:
    """Write the HTML report. Garbage is looked for less often: what a page makes lasts, and the process ends soon."""
    before = gc.get_threshold()
    gc.set_threshold(*GARBAGE)
    try:
        return write_report(options)
    finally:
        gc.set_threshold(*before)


def write_report(options: argparse.Namespace) -> int:
    """Write the page (and JSON) that the options ask for."""
    targets = targets_of(options)
    plan = plan_of(options)
    claims = claims_of(options.claims)
    with listening(to_stream(sys.stderr)) if not options.quiet else nullcontext():
        analysis = prepare(options, plan, verify=not options.no_verify)
        for note in analysis.notes:
            say(f"note: {shorten(note, 400)}", slow=True)
        say(f"{analysis.size_line()}; study {analysis.name}", slow=sys.stderr.isatty())
        outcome, deviations = analysis.run()
        outcome, stand = with_claims(outcome, claims)
        facts = analysis.facts | claims_facts(options.claims) | noted(options)
        facts |= {"notes": "; ".join(analysis.notes)} if analysis.notes else {}
        write(options, targets, outcome, plan, deviations, facts)
    cautions = outcome.checked_cautions()
    tell(options, outcome, cautions)
    reached = any(c.severity in SEVERITIES[options.fail_on] for c in cautions)
    return 1 if reached or not stand else 0


def write(
    options: argparse.Namespace,
    targets: Pair,
    outcome: Outcome,
    plan: Plan,
    deviations: Levels,
    facts: dict[str, str],
) -> None:
    """Render and write the page and the JSON."""
    if plan.values.get("title"):
        outcome = replace(outcome, title=plan.values["title"])
    status = plan.values.get("status", "exploratory")
    for k, name in enumerate(targets):
        if not name:
            continue
        if k:
            text = socialstats_reports.as_json(outcome, deviations)
        elif is_markdown(options):
            numbers = json.loads(socialstats_reports.as_json(outcome, deviations))
            text = socialstats_reports.markdown_of({**numbers, "run": {"status": status}})
        else:
            text = socialstats_reports.render(
                outcome,
                command=command_line(),
                facts=facts,
                plan_text=plan.text,
                plan_sha256=plan.sha256,
                deviations=deviations,
                status=status,
                date=options.date or source_date(),
            )
            if options.files:
                write_page_files(text, options.files)
        if name == "-":
            sys.stdout.write(text)
        else:
            write_whole(name, text, kinds_of(options)[k])
            say(f"wrote {Path(name).resolve()}", slow=True)


def is_markdown(options: argparse.Namespace) -> bool:
    """Return whether the main part is written as Markdown: as the option says, or else the suffix of -o."""
    chosen: str | None = getattr(options, "as")
    return Path(options.output or "").suffix.lower() == ".md" if chosen is None else chosen == "md"


def kinds_of(options: argparse.Namespace) -> tuple[Kind, Kind]:
    """Return what kinds of files the page and the numbers are."""
    return (MARKDOWN if is_markdown(options) else PAGE), NUMBERS


def noted(options: argparse.Namespace) -> dict[str, str]:
    """Return the text on how the data were collected, as a fact of the page."""
    path = options.methods_note
    if not path:
        return {}
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text: {NOTE}") from None
    if (
        named_format(path)
        or Path(path).suffix.lower() in NO_NOTES
        or text.lstrip()[:1] in ("{", "[", "<")
    ):
        raise InputError(
            f"{path} begins with '{shorten(text.strip(), 60)}', which is not a note: {NOTE}"
        )
    if not text.strip() or len(text) > LONGEST_NOTE:
        raise InputError(
            f"{path}: a note has 1 to {LONGEST_NOTE:,} characters, this file {len(text):,}"
        )
    return {"how the data were collected": shorten(" ".join(text.split()), LONGEST_NOTE)}


def targets_of(options: argparse.Namespace) -> Pair:
    """Return where the page and the JSON go: a file, ``-`` for stdout, or nowhere.

    Raises
    ------
    InputError
        For a page that is called like another format, where something stands that would be lost, and for two
        outputs in one place.
    """
    page, numbers, marked_down = options.output, options.json or "", is_markdown(options)
    page = page or ("" if numbers == "-" else "-" if marked_down else "report.html")
    if options.files and (marked_down or not page):
        raise InputError(
            "--files takes tables and figures from the page: name one with -o FILE.html"
        )
    if page == numbers:
        raise InputError(f"-o and --json both name '{page}': give each its own place")
    if page == "-" and sys.stdout.isatty() and not marked_down:
        raise InputError("not printing HTML to a terminal; name a file with -o")
    for name, kind in zip((page, numbers), kinds_of(options), strict=True):
        if name not in ("", "-"):
            writable_place(name, kind)
    if Path(page).suffix.lower() not in (("", ".md") if marked_down else ("", ".html", ".htm")):
        raise InputError(
            f"-o {page}: report writes HTML, which browsers print to PDF, and Markdown. Name a file that ends in .html "
            "or .md; "
            "--json FILE writes every number, and 'socialstats show PAGE.html' prints a page as text"
        )
    return page, numbers


def claims_of(path: str | None) -> tuple[Claim, ...]:
    """Read the claims file that ``--claims`` names; nothing without one."""
    if not path:
        return ()
    from socialstats.audit.claims.files import read_result_claims

    return read_result_claims(path)


def claims_facts(path: str | None) -> dict[str, str]:
    """Return name and hash of the claims file for the reproduce block."""
    return (
        {"claims": path, "claims sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}
        if path
        else {}
    )


def with_claims(outcome: Outcome, claims: Sequence[Claim]) -> tuple[Outcome, bool]:
    """Place the claims with their verdicts above the results.

    Returns
    -------
    Outcome
        With one block more, and one sentence more in the answer; as it was without claims.
    bool
        Whether no claim is wrong.
    """
    if not claims:
        return outcome, True
    from socialstats.audit.claims.files import check_results
    from socialstats.audit.claims.show import claims_block
    from socialstats.audit.claims.verdicts import headline

    results = [(block.level, result) for block in outcome.blocks for result in block.results]
    judged = check_results(results, claims)
    block = claims_block(judged, question="Were the claimed numbers reproduced?")
    answer = (*outcome.answer, f"Claims checked: {headline(judged)}")
    return replace(outcome, blocks=(block, *outcome.blocks), answer=answer), not any(
        claim.wrong for claim in judged
    )


def tell(options: argparse.Namespace, outcome: Outcome, cautions: Sequence[Caution]) -> None:
    """Print the answer and the cautions that stand open on the page to stderr."""
    if options.quiet:
        return
    aside = {note.caution for note in arranged(outcome).notes}
    verdict = () if outcome.verdict is None else (outcome.verdict.text,)
    for sentence in (outcome.design, *verdict, *outcome.answer, *outcome.planning):
        print(sentence, file=sys.stderr)
    printed = [
        caution for caution in cautions if caution.severity != "info" and caution not in aside
    ]
    for caution in printed:
        print(f"caution: {caution.advice}", file=sys.stderr)
    sys.stderr.write(hint(printed))
