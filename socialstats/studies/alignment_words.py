"""What the ordinal-alignment page says of people and models: answer, number line, diagnostics, methods."""

from __future__ import annotations

from socialstats.models.split_half import FEW, MOST
from socialstats.results import Result
from socialstats.studies.alignment_blocks import CONSTANT, NEAREST, line_rows, model_rows
from socialstats.studies.estimates import numbers_text
from socialstats.studies.outcome import Diagnostic, Mark, Strip
from socialstats.studies.sources import Source
from socialstats.text import count, level_text, number, shorten

MOST_NAMED = 4


def answer(main: Result, source: Source) -> tuple[str, ...]:
    """Return the nearest model beside the reference lines, which others may be it, and which beat a constant answer."""
    known = sorted(
        (r for r in model_rows(main) if r.estimate is not None), key=lambda r: r.estimate or 0.0
    )  # fmt: skip
    if not known:
        return (f"No verdict: {model_rows(main)[0].undefined}.",)
    lines, human = line_rows(main), shorten(source.human, 30)
    top, best = lines["ceiling"], lines["constant"]
    beside = [f"'{best.term}' {number(best.estimate, 2)}"]
    if top.estimate is not None:
        beside.insert(0, f"one {human} rater from the mode of the others {number(top.estimate, 2)}")
    away, ends = f"the mode of the {human} answers", numbers_text(known[0])
    if len(known) > 1 and known[0].estimate == known[-1].estimate:
        first = f"All {count(len(known), 'model')} are as far from {away}: on average {ends} levels (ADA-Met)"
    elif len(known) == 1:
        first = f"{shorten(known[0].term, 40)} is on average {ends} levels from {away} (ADA-Met)"
    else:
        first = f"Nearest to {away} is {shorten(known[0].term, 40)}: on average {ends} levels away (ADA-Met)"
    return (f"{first}; {', '.join(beside)}.", *nearest_words(main), *constant_words(main))


def nearest_words(main: Result) -> tuple[str, ...]:
    """Say which models cannot be told apart from the nearest one."""
    rows = [r for r in main.rows if (r.group or "").startswith(NEAREST) and r.p_adjusted is not None]
    if not rows:
        return ()
    open_ = [r for r in rows if (r.p_adjusted or 0.0) >= 1 - main.settings["level"]]
    name = shorten((rows[0].group or "").removeprefix(NEAREST), 40)
    if not open_:
        return (f"All {count(len(rows))} others are farther than {name} on the same units (Holm).",)
    named = "; ".join(f"{shorten(r.term, 40)}: farther by {numbers_text(r)}" for r in open_[:MOST_NAMED])
    more = f"; and {count(len(open_) - MOST_NAMED)} more" if len(open_) > MOST_NAMED else ""
    return (
        f"Whether {name} is nearer than {count(len(open_))} of the {count(len(rows))} others is not settled on "
        f"the same units, by Holm's adjusted p ({named}{more}).",
    )


def constant_words(main: Result) -> tuple[str, ...]:
    """Say which models are nearer than the best constant answer, paired on the units."""
    rows = [r for r in main.rows if (r.group or "").startswith(CONSTANT) and r.p_adjusted is not None]
    if not rows:
        return ()
    clear = [r for r in rows if (r.p_adjusted or 0.0) < 1 - main.settings["level"]]
    near = sum((r.estimate or 0.0) < 0 for r in clear)
    name = (rows[0].group or "").removeprefix(CONSTANT)
    return (
        f"On the same units, of {count(len(rows), 'model')} {count(near)} {'lies' if near == 1 else 'lie'} nearer than "
        f"always giving one answer ('{name}', the best of them), {count(len(clear) - near)} farther, and for "
        f"{count(len(rows) - len(clear))} the data do not settle it (Holm).",
    )


def strip(main: Result) -> Strip:
    """Return the nearest and the farthest model beside the reference lines."""
    lines = line_rows(main)
    marks = [Mark(label=row.term, value=row.estimate, kind="reference", undefined=row.undefined or "")
             for row in lines.values()]  # fmt: skip
    rows = sorted(model_rows(main), key=lambda r: (r.estimate is None, r.estimate or 0.0))
    known = [r for r in rows if r.estimate is not None] or rows[:1]
    for row in dict.fromkeys((known[0], known[-1])):
        marks.append(Mark(label=shorten(row.term, 40), value=row.estimate, low=row.conf_low, high=row.conf_high,
                          undefined=row.undefined or ""))  # fmt: skip
    return Strip(title="Nearest and farthest model, beside what needs no model", axis="mean distance in levels",
                 marks=tuple(marks))  # fmt: skip


def diagnostics(main: Result) -> tuple[Diagnostic, ...]:
    """Say how many modes are tied, and what resampling adds to the distances."""
    ties = float(main.extras["share_tied"])
    bias = max(main.extras["bootstrap_bias"].values(), default=0.0)
    return (
        Diagnostic(
            check="How often do several levels have most answers?",
            found=f"In a share of {number(ties, 3, bounded=True)} of the units.",
            so_what="Their mean is taken; the last question shows the other rules.",
        ),
        *narrow(main),
        Diagnostic(
            check="Are the modes noisy?",
            found=f"Resampling the people adds up to {number(bias, 2)} to a distance.",
            so_what="Distances are those to the mode of as many people as these, somewhat too large.",
        ),
    )


def narrow(result: Result) -> tuple[Diagnostic, ...]:
    """Say how many modes hang on one answer, which decides what can be said about the population's mode."""
    share = result.extras.get("share_narrow")
    if share is None:
        return ()
    so = "Halves of the answers tell how fast the noise of modes falls." if share <= FEW else (
        "The interval for the mode of the whole population is widened." if share <= MOST else
        "Nothing can be said about the mode of the whole population."
    )  # fmt: skip
    found = f"In a share of {number(share, 3, bounded=True)} of the units."
    return (Diagnostic(check="How often is the leading level at most one answer ahead?", found=found, so_what=so),)


def methods(main: Result, source: Source, *, groups: bool) -> tuple[str, ...]:
    """Return the methods paragraph."""
    text = (
        f"{main.title}: distance between a model's answer and the mode of the "
        f"{shorten(source.human, 30)} answers to the same unit, joined by the unit's label, averaged over "
        f"units; tied modes count with their mean, refusals with the largest distance ({main.inference}). "
        f"{level_text(main.settings['level'])} intervals."
    )
    if groups:
        text += (
            " Differences between groups of people are those on the units of both, less what the sizes of the groups "
            "alone give (their mean when the people are dealt anew to groups of these sizes), as modes of few people "
            "lie farther off; interval and p come from one t, adjusted by Holm over the pairs of all attributes, model "
            "by model."
        )
    return (text,)
