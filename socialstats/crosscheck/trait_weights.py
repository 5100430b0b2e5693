"""Composites under other weights once more: pandas' means of traits, sets of weights made again, scipy's t tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.crosscheck.paired_difference import near
from socialstats.crosscheck.trait_tables import Sample, across_units, by_stage, holm_checks, mean_checks, over_stages
from socialstats.crosscheck.trait_zero import control_scores, error_under, zero_under
from socialstats.results import Check, FloatArray, Row

if TYPE_CHECKING:
    import pandas as pd

ALL = " of all models"
LINEAR = "the same sums in another order of arithmetic"
EQUAL, MINUS, ZERO = "equal weights", " minus these", " minus zero"
PICKS: dict[str, Any] = {"lowest of other weights": min, "highest of other weights": max}


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Means of traits over all stages, minus the centre: model (None: all) -> units of analysis and their scores.

    Scores are (unit, judge, trait).
    """

    parts: dict[str | None, tuple[Any, FloatArray]]
    judges: Any
    settings: Any
    clusters: Any
    controls: Any
    zeros: dict[tuple[float, ...], Any] = field(default_factory=dict)

    def composite(self, weights: pd.Series[float], model: str | None, *, against: bool) -> Sample:
        """Composite by unit of analysis and judge, minus the zero where that is asked for."""
        units, scores = self.parts[model]
        found = scores @ weights.to_numpy()
        return Sample(units=units, values=found - self.zero(weights) if against else found)

    def zero(self, weights: pd.Series[float]) -> Any:
        """Zero under some weights, a number or one a judge; found once."""
        key = tuple(weights.to_numpy())
        if key not in self.zeros:
            zero = zero_under(self.settings, self.controls, weights)
            self.zeros[key] = zero if np.isscalar(zero) else zero[self.judges].to_numpy()
        return self.zeros[key]


def traits_of(table: pd.DataFrame, settings: Any, clusters: Any) -> Traits:
    """Average the scores of each trait by pandas."""
    courses = [over_stages(by_stage(table[trait])) for trait in settings["weights"]]
    names = courses[0].index.get_level_values("model").unique()
    joint = [across_units(one, settings["unit_of_analysis"], len(names)) for one in courses]
    found: dict[str | None, Any] = {None: joint}
    found |= {str(name): [one.xs(name, level="model") for one in courses] for name in names}
    return Traits(
        parts={name: (own[0].index, np.stack([one.to_numpy() for one in own], axis=-1) - settings["centre"])
               for name, own in found.items()},
        judges=courses[0].columns, settings=settings, clusters=clusters, controls=control_scores(settings),
    )  # fmt: skip


def weight_sets(settings: Any) -> dict[str, pd.Series[float]]:
    """Make every other set of weights: equal ones, and each trait 20 % up, 20 % down and left out."""
    import pandas as pd

    own = pd.Series(settings["weights"], dtype=float)
    found: dict[str, Any] = {EQUAL: np.sign(own) * own.abs().sum() / (own != 0).sum()}
    for trait in own.index[own != 0]:
        for factor, name in ((1.2, f"'{trait}' +20 %"), (0.8, f"'{trait}' -20 %"), (0.0, f"without '{trait}'")):
            found[name] = own.where(own.index != trait, own * factor)
    if not settings["free_weights"]:
        found = {name: w for name, w in found.items() if (w > 0).any() and (w < 0).any()}
        found = {name: 5 * w.clip(lower=0) / w.clip(lower=0).sum() + 5 * w.clip(upper=0) / -w.clip(upper=0).sum()
                 for name, w in found.items()}  # fmt: skip
    return {name: w for name, w in found.items() if w.any()}


def weight_checks(table: pd.DataFrame, rows: dict[Any, Row], settings: Any, clusters: Any) -> list[Check]:
    """Recompute every row under other weights, and that the lowest and highest sets are those."""
    traits = traits_of(table, settings, clusters)
    sets, found = weight_sets(settings), []
    for (term, group), row in rows.items():
        name = set_of(term, group or "", row)
        if name in sets:
            found += row_checks(traits, sets, name, row)
    family = [row for (_, group), row in rows.items() if (group or "").removesuffix(ALL) == f"other weights{MINUS}"]
    return found + pick_checks(traits, sets, rows) + holm_checks("other weights", family)


def pick_checks(traits: Traits, sets: dict[str, pd.Series[float]], rows: dict[Any, Row]) -> list[Check]:
    """Compare the composites of the lowest and highest sets with those of all sets."""
    found = []
    for against in (False, True) if traits.controls is not None else (False,):
        ends = {model: [float(traits.composite(w, model, against=against).values.mean()) for w in sets.values()]
                for model in traits.parts}  # fmt: skip
        for kind, pick in PICKS.items():
            for (term, group), row in rows.items():
                if (group or "").removesuffix(ALL) == kind + ZERO * against and row.estimate is not None:
                    model = None if (group or "").endswith(ALL) else term
                    found.append(near(kind, row.estimate, float(pick(ends[model])), "pandas", LINEAR))
    return found


def set_of(term: str, group: str, row: Row) -> str | None:
    """Name the set of weights of a row; None of other rows."""
    kind = group.removesuffix(ALL).removesuffix(MINUS).removesuffix(ZERO)
    if kind in PICKS:
        return (row.method or "").partition(", of ")[0]
    return term if kind == "other weights" else EQUAL if kind == EQUAL else None


def row_checks(traits: Traits, sets: dict[str, pd.Series[float]], name: str, row: Row) -> list[Check]:
    """Recompute a row from the scores under its set of weights."""
    import pandas as pd

    group = row.group or ""
    alone = group.removesuffix(ALL)
    minus, against = alone.endswith(MINUS), ZERO in alone
    kind = alone.removesuffix(MINUS).removesuffix(ZERO)
    model: str | None = row.term
    if kind == "other weights":  # of the only model
        model = next(m for m in traits.parts if m is not None)
    if group.endswith(ALL):
        model = None
    own = pd.Series(traits.settings["weights"], dtype=float)
    change = sets[name] - own if minus else sets[name]
    error = error_under(traits.settings, traits.controls, change) if against else None
    values = traits.composite(change, model, against=against)
    return mean_checks(alone, row, values, traits.settings, traits.clusters, taken_off=error)
