"""What to know about control texts, wordings and judges of staged values before quoting a number."""

from __future__ import annotations

from collections.abc import Sequence

from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, caution
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.outcome import Diagnostic
from socialstats.studies.stage_parts import all_stages, codes_of, main_wordings
from socialstats.text import listing, number, quoted, shorten


def unknown_zero(options: StudyOptions) -> tuple[Caution, ...]:
    """Return caution SS318 where no control texts say what the judges give to a neutral answer."""
    if options.zero is not None:
        return ()
    return (
        caution("SS318", "no control texts: what the judges give to a neutral answer is not known",
                affects="whether a model leans at all, not changes and differences between models",
                fix="let the same judges score neutral texts, and name them as controls"),
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
