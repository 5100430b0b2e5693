"""The change of the last stage under every choice of analysis: of the composite, and of commitment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from socialstats.designs.ratings import Ratings
from socialstats.inference.dependence import is_inside
from socialstats.metrics.trait_profile import trait_profile
from socialstats.models.traits import EQUAL_WEIGHTS, TRAIT_WEIGHTS
from socialstats.results import Result
from socialstats.studies.base import StudyOptions
from socialstats.studies.multiverse import (
    MOST_LEFT_OUT,
    Variant,
    distinct,
    multiverse,
    multiverse_block,
    without_label,
)
from socialstats.studies.outcome import Block
from socialstats.studies.stage_parts import COMMITMENT, codes_of, main_wordings, only, without
from socialstats.studies.stage_words import change_name, last_change
from socialstats.text import shorten

OWN = "as on this page"


def stage_multiverses(design: Ratings, stages: Sequence[str], options: StudyOptions) -> tuple[Block, ...]:
    """Return the multiverse of the last change of the composite, and of commitment where it was scored."""
    held = COMMITMENT in design.strata["trait"].levels
    return tuple(stage_multiverse(design, stages, options, held=one) for one in (False, True)[: 1 + held])


def stage_multiverse(design: Ratings, stages: Sequence[str], options: StudyOptions, *, held: bool) -> Block:
    """Return the multiverse of the last change: of commitment (`held`), or of the composite."""
    part = only(design, "trait", (COMMITMENT,) if held else tuple(TRAIT_WEIGHTS))
    main = only(part, "wording", main_wordings(design))
    given: dict[str, Any] = {
        "stages": stages, "activation": None, "level": options.level, "seed": options.seed,
        "resamples": options.resamples, "model": "model" if "model" in design.strata else None,
    }  # fmt: skip
    given |= (
        {"weights": {COMMITMENT: 1.0}, "free_weights": True, "centre": 0.0} if held else {"weights": options.weights}
    )
    listed = distinct(variants(part, main, given))
    what = "commitment" if held else "the composite"
    name = shorten(change_name(last_change(listed[0].compute())), 50)
    quantity = f"the change of {what} ({name})"
    found = multiverse("trait_profile", quantity, listed, reference=0.0, words="0")
    return multiverse_block(
        found, id="multiverse" if held else "multiverse-composite", quantity=quantity,
        question=f"Does the change of {what} hang on the analysis?",
        note="With models as units of analysis the estimate is the same mean, with another error.",
    )  # fmt: skip


def variants(part: Ratings, main: Ratings, given: dict[str, Any]) -> list[Variant]:
    """Return every reasonable way to do the analysis, the page's own first."""

    def way(label: str, choice: str, data: Callable[[], Ratings] = lambda: main, **choices: Any) -> Variant:
        def compute() -> Result:
            found: Any = trait_profile(data(), **(given | choices))
            result: Result = found
            return result

        return Variant(label=label, choice=choice, compute=compute, lead=last_change)

    models = codes_of(main, "model")[1]
    made = [
        way("scenarios as units, judges fixed", OWN),
        way("judges drawn too", "judges", judges="random"),
        way("bootstrap of scenarios, percentile", "interval", ci="percentile"),
    ]
    scenario = main.strata["scenario"]
    if any(not is_inside(factor, scenario) for factor in main.clusters):  # clusters that hold several scenarios
        made.append(way("clusters ignored", "clusters", cluster=None))
    if given["weights"] != dict(EQUAL_WEIGHTS) and not given.get("free_weights"):
        made.append(way("equal weights of the traits", "weights", weights=EQUAL_WEIGHTS))
    if len(models) > 2:
        made.append(way("models as units", "units of analysis", unit_of_analysis="model", cluster=None))
    if part is not main:
        made.append(way("all wordings", "wordings", lambda: part))
    if 1 < len(main.raters) <= MOST_LEFT_OUT:
        made += [
            way(without_label("judge", judge), "judge left out", partial(without_judge, main, judge))
            for judge in main.raters
        ]
    if 1 < len(models) <= MOST_LEFT_OUT:
        made += [
            way(without_label("model", model), "model left out", partial(without, main, "model", model))
            for model in models
        ]
    return made


def without_judge(design: Ratings, judge: str) -> Ratings:
    """Return the ratings of the other judges."""
    return design.of_raters([rater for rater in design.raters if rater != judge])
