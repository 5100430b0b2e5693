"""What to know about control texts, wordings and judges of staged values before quoting a number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import small_sample
from socialstats.models.traits import JudgeZeros
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Diagnostic
from socialstats.studies.stage_controls import neutral_texts
from socialstats.studies.stage_parts import all_stages, codes_of, main_wordings
from socialstats.text import count, listing, number, quoted, shorten

FEW_TEXTS = 10  # neutral control texts below which the zero is itself a guess


def unknown_zero(options: StudyOptions) -> tuple[Caution, ...]:
    """Return caution SS318 where no control texts say what the judges give to a neutral answer."""
    if options.zero is not None:
        return few_controls(options)
    return (
        caution("SS318", "no control texts: what the judges give to a neutral answer is not known",
                affects="whether a model leans at all, not changes and differences between models",
                fix="let the same judges score neutral texts, and name them as controls"),
    )  # fmt: skip


def few_controls(options: StudyOptions) -> tuple[Caution, ...]:
    """Return a caution where so few neutral texts give the zero that its own error may outweigh a model's."""
    if options.controls is None:
        return ()
    texts = neutral_texts(options.controls) or list(options.controls.strata["scenario"].levels)
    judges = options.zero or {}
    ends = f", by judge from {number(min(judges.values()))} to {number(max(judges.values()))}" if judges else ""
    give = "gives" if len(texts) == 1 else "give"
    return small_sample(
        len(texts), FEW_TEXTS,
        f"{count(len(texts), 'neutral text')} {give} the judges' own zero{ends}; {known_error(options)}",
        affects="whether a model leans at all",
        fix=f"let the judges score {FEW_TEXTS} neutral texts or more; compare models with each other",
    )  # fmt: skip


def known_error(options: StudyOptions) -> str:
    """Say which error of the zero is in the intervals."""
    error = options.zero.error() if isinstance(options.zero, JudgeZeros) else None
    if error is None:
        return "it is taken as known, so that its error is not in the intervals"
    if error.basis == "texts":
        degrees = count(int(error.df), "degree")
        return f"its standard error, {number(error.std_error)} ({degrees} of freedom), is in the intervals"
    return (
        f"the judges' noise on it (SE {number(error.std_error)}) is in the intervals; how far another neutral text "
        "would lie from it is not known"
    )


def zero_diagnostic(profile: Result, options: StudyOptions) -> Diagnostic:
    """Say what is known of the judges' own zero, and what its error does to the intervals."""
    check = "Is the judges' own zero known?"
    if options.zero is None:
        return Diagnostic(
            check=check, found="No: no control texts were given.",
            so_what="A lean may be that of the judges: only changes and differences between models are safe.",
        )  # fmt: skip
    given = [f"{shorten(judge, 30)} {number(value)}" for judge, value in options.zero.items()]
    mean = sum(options.zero.values()) / len(options.zero)
    wider = widening(profile)
    said = "Leans are given against it" + (
        f"; its error makes their intervals {number(wider, 2)} times as long as those against 0 (median of the models)."
        if wider is not None else ", taken as known: its own error is not in the intervals."
    )  # fmt: skip
    found = f"{listing(given, most=8)}; mean {number(mean)}."
    return Diagnostic(check=check, found=f"Yes: {found}", so_what=said)


def judge_diagnostics(profile: Result) -> tuple[Diagnostic, ...]:
    """Say how far the judges' levels lie apart, and that they are taken as they are."""
    rows = [r for r in profile.rows if r.group == "judge offset" and r.estimate is not None]
    if len(rows) < 2:
        return ()
    high, low = max(rows, key=lambda r: r.estimate or 0.0), min(rows, key=lambda r: r.estimate or 0.0)
    return (
        Diagnostic(
            check="Do the judges give the same level?",
            found=f"From {number(low.estimate or 0.0)} ({shorten(low.term, 30)}) to {number(high.estimate or 0.0)} "
            f"({shorten(high.term, 30)}) around their mean composite.",
            so_what="High agreement about which answer is higher says nothing about the level: compare models and "
            "stages, or use control texts.",
        ),
        Diagnostic(
            check="Whom do the intervals speak of?", found=f"These {count(len(rows), 'judge')}, taken as they are.",
            so_what="Nothing is said about other judges; the multiverse shows what drawing them too would change.",
        ),
    )  # fmt: skip


def widening(profile: Result) -> float | None:
    """Return by how many times the error of the zero makes intervals longer, in the median; None without."""
    if profile.settings.get("zero_error") is None:
        return None
    plain = {r.term: r for r in profile.rows if r.group in ("composite", "composite of all models")}
    found = [(r.conf_high - r.conf_low) / (known.conf_high - known.conf_low)
             for r in profile.rows if r.group in ("composite minus zero", "composite minus zero of all models")
             for known in [plain.get(r.term.removesuffix(" minus zero"))]
             if known is not None and r.conf_low is not None and r.conf_high is not None
             and known.conf_low is not None and known.conf_high is not None]  # fmt: skip
    return float(np.median(found)) if found else None


def diagnostics(
    design: Ratings, profile: Result, stages: Sequence[str], options: StudyOptions
) -> tuple[Diagnostic, ...]:
    """Say what is known of the judges' zero, which wordings the trajectories use, and which judges are judged."""
    found = [zero_diagnostic(profile, options)]
    if "wording" in design.strata and len(design.strata["wording"].levels) > 1:
        used, every = main_wordings(design), design.strata["wording"].levels
        found.append(
            Diagnostic(
                check="Which wordings does the page use?",
                found=f"{listing([shorten(w, 30) for w in used], most=6)} (of {listing(every, most=6)})",
                so_what="Those that every stage was asked in; the others enter the spread over wordings only."
                if set(used) != set(every) else "All; they are averaged.",
            )
        )  # fmt: skip
    judged = sorted(set(profile.design.raters) & set(codes_of(design, "model")[1]))
    if judged:
        found.append(
            Diagnostic(
                check="Is a judge also judged?",
                found=f"Yes: {quoted(judged)}.",
                so_what="A model may favour its own answers: see the composite without that judge.",
            )
        )
    found += judge_diagnostics(profile)
    if not all_stages(design, stages):
        found.append(
            Diagnostic(
                check="Does every model have every scenario at every stage?", found="No.",
                so_what="Rows say how many scenarios they rest on; changes use scenarios that have both stages.",
            )
        )  # fmt: skip
    return tuple(found)
