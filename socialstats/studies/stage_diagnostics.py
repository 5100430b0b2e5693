"""What to know about control texts, wordings and judges of staged values before quoting a number."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, caution
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
    if len(texts) >= FEW_TEXTS:
        return ()
    judges = options.zero or {}
    ends = f", by judge from {number(min(judges.values()))} to {number(max(judges.values()))}" if judges else ""
    return (
        caution("SS312", f"{count(len(texts), 'neutral text')} gives the judges' own zero{ends}; it is taken as known"
                if len(texts) == 1 else f"{count(len(texts), 'neutral text')} give the judges' own zero{ends}; it is "
                "taken as known",
                affects="whether a model leans at all: the error of the zero is not in the intervals",
                fix=f"let the judges score {FEW_TEXTS} neutral texts or more; compare models with each other"),
    )  # fmt: skip


def diagnostics(
    design: Ratings, profile: Result, stages: Sequence[str], options: StudyOptions
) -> tuple[Diagnostic, ...]:
    """Say what is known of the judges' zero, which wordings the trajectories use, and which judges are judged."""
    zero = options.zero
    found = [
        Diagnostic(
            check="Is the judges' own zero known?",
            found="No: no control texts were given." if zero is None else "Yes: "
            + listing([f"{shorten(judge, 30)} {number(value)}" for judge, value in zero.items()], most=8) + ".",
            so_what="A lean may be that of the judges: only changes and differences between models are safe."
            if zero is None else "Leans are given against it. It is taken as known, though it rests on few texts: "
            "its own error is not in the intervals.",
        )
    ]  # fmt: skip
    if "wording" in design.strata and len(design.strata["wording"].levels) > 1:
        used, every = main_wordings(design), design.strata["wording"].levels
        found.append(
            Diagnostic(
                check="Which wordings does the page use?",
                found=f"{quoted(used)} of {quoted(every)}.",
                so_what="Wordings that were not asked at every stage enter the spread over wordings only."
                if set(used) != set(every) else "Wordings are averaged.",
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
    if not all_stages(design, stages):
        found.append(
            Diagnostic(
                check="Does every model have every scenario at every stage?", found="No.",
                so_what="Rows say how many scenarios they rest on; changes use scenarios that have both stages.",
            )
        )  # fmt: skip
    return tuple(found)
