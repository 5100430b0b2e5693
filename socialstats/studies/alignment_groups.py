"""Which people a model is closest to: questions about groups of people, one block each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from socialstats.figures import dumbbell, forest
from socialstats.results import Result, Row
from socialstats.studies.alignment_blocks import AXIS, MOST_IN_DUMBBELL, MOST_ROWS, dense_table, design_words, plain
from socialstats.studies.estimates import clear_text, numbers_text, p_text
from socialstats.studies.outcome import Block, Table
from socialstats.text import count, number, p_value, shorten

MOST_UNCLEAR = 20  # differences of which none is clear that a page lists beside those of other attributes
MOST_FIGURES = 4  # attributes of which each has a figure; of more only those with a clear difference
Families = Mapping[str, tuple[tuple[Row, ...], Result | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Closest:
    """The closest and the farthest group of one attribute for one model.

    Attributes
    ----------
    model, name : str
    low, high : Row
    again : Row or None
        How often the closest is closest again.
    gap : Row or None
        Their difference, tested.
    permuted : float or None
        p of permuting the people of the two groups.
    """

    model: str
    name: str
    low: Row
    high: Row
    again: Row | None
    gap: Row | None
    permuted: float | None

    @property
    def p(self) -> float | None:
        """Adjusted p where there is one."""
        if self.gap is None:
            return None
        return self.gap.p_adjusted if self.gap.p_adjusted is not None else self.gap.p_value

    @property
    def share(self) -> float | None:
        """Share of resamples in which the closest group is closest again."""
        return None if self.again is None else self.again.estimate

    @property
    def tied(self) -> bool:
        """Whether all groups are equally close."""
        return self.low.estimate == self.high.estimate

    @property
    def nearest(self) -> str:
        """Name of the closest group, or of several that are equally close."""
        start = len(f"closest {self.name} = ")
        return self.label(self.low) if self.again is None else (self.again.group or "")[start:]

    def label(self, row: Row) -> str:
        """Name of a group."""
        return (row.group or "")[len(self.name) + 3 :]

    def cells(self) -> tuple[str | float | int | None, ...]:
        """Cells of the table; all groups equally close: no farthest, and nothing to be stable."""
        near = (self.model, self.name, self.nearest, self.low.estimate, ends_text(self.low))
        if self.tied:
            return (*near, None, None, None, None, None, None, None)
        apart = None if self.gap is None else self.gap.estimate
        return (*near, self.label(self.high), self.high.estimate, ends_text(self.high), apart, ends_text(self.gap),
                p_text(self.p), self.share)  # fmt: skip


CLOSEST_HEADER = (
    "Model", "Attribute", "Closest", "Distance", "Interval", "Farthest", "Distance", "Interval", "Difference",
    "Interval", "p (Holm)", "Stability",
)  # fmt: skip


def ends_text(row: Row | None) -> str | None:
    """Write the ends of an interval."""
    if row is None or row.conf_low is None or row.conf_high is None:
        return None
    return f"{number(row.conf_low, 2)} to {number(row.conf_high, 2)}"


def closest_of(result: Result, name: str, model: str) -> tuple[Row, Row, Row | None] | None:
    """Return the groups with the smallest and the largest distance, and how often the smallest is smallest again."""
    prefix = f"{name} = "
    own = [r for r in result.rows if r.term == model and (r.group or "").startswith(prefix) and r.estimate is not None]
    if len(own) < 2:
        return None
    again = [r for r in result.rows if r.term == model and (r.group or "").startswith(f"closest {prefix}")]
    low, high = min(own, key=lambda r: r.estimate or 0.0), max(own, key=lambda r: r.estimate or 0.0)
    return low, high, again[0] if again else None


def tested(
    families: Mapping[str, tuple[tuple[Row, ...], Result | None]], model: str, name: str, one: str, other: str
) -> Row | None:
    """Return the row of the difference between two groups, whichever comes first (in quotes: labels with a dash)."""
    pairs = ((one, other), (other, one), (json.dumps(one), json.dumps(other)), (json.dumps(other), json.dumps(one)))
    names = {f"{name}: {first} - {second}" for first, second in pairs}
    for row in families.get(model, ((), None))[0]:
        if row.group in names:
            return row
    return None


def closest_groups(groups: Mapping[str, Result], families: Families) -> list[Closest]:
    """Return the closest group of each model and attribute that has two groups or more."""
    made = []
    for model in families:
        for name, result in groups.items():
            found = closest_of(result, name, model)
            if found is None:
                continue
            low, high, again = found
            near, far = ((r.group or "")[len(name) + 3 :] for r in (low, high))
            gap = tested(families, model, name, near, far)
            pair = "" if gap is None else (gap.group or "").removeprefix(f"{name}: ")
            permuted = result.extras["permutation_p"].get(pair, {}).get(model)
            made.append(Closest(model=model, name=name, low=low, high=high, again=again, gap=gap, permuted=permuted))
    return made


def closest_block(groups: Mapping[str, Result], families: Families) -> Block | None:
    """Show for each model and attribute the closest group, whether that is more than noise, and how stable it is."""
    if not groups:
        return None
    found = closest_groups(groups, families)
    return Block(
        id="closest",
        question="Which people is each model closest to?",
        sentences=tuple(closest_words(found, families)),
        tables=(
            Table(
                caption="Closest and farthest group of each attribute, with their intervals; difference: of the "
                f"two in the order of the groups below, on the units of both, less what the sizes of the "
                f"groups alone give ({sizes_text(groups)}); p (Holm): of the difference, over the pairs of groups of "
                "all attributes, model by model; stability: share of resamples in which the group is the closest again",
                header=CLOSEST_HEADER,
                cells=tuple(one.cells() for one in found),
            ),
        ),
        results=tuple(a for _, a in families.values() if a is not None),
    )


def sizes_text(groups: Mapping[str, Result]) -> str:
    """Say how much the sizes of groups alone give at most."""
    given = [abs(x) for r in groups.values() for pair in r.extras["permuted_differences"].values()
             for x in pair.values() if x is not None]  # fmt: skip
    return f"up to {number(max(given), 2)}" if given else "nothing"


def closest_words(found: Sequence[Closest], families: Families) -> list[str]:
    """Say the widest difference, how many closest groups are more than noise, and whether a p could have been small."""
    found = [one for one in found if not one.tied]
    if not found:
        return ["No group is closer than another."]
    settled = sum(one.p is not None and one.p < 0.05 for one in found)
    stable = sum(one.share is not None and one.share >= 0.95 for one in found)
    said = [
        f"Some group is always the closest. Of {count(len(found), 'closest group')}, {count(settled)} differ from the "
        f"farthest group (adjusted p below .05), and {count(stable)} stay the closest in at least .95 of the resamples."
    ]
    known = [one for one in found if one.gap is not None and one.p is not None]
    if known:
        best = max(known, key=lambda one: abs(one.gap.estimate or 0.0) if one.gap else 0.0)
        said.insert(0, closest_sentence(best))
    if permuted := permuted_words(found):
        said.append(permuted)
    return said


def permuted_words(found: Sequence[Closest]) -> str:
    """Say how often permuting the people between the groups would decide otherwise, before adjusting."""
    known = [
        one.gap for one in found if one.gap is not None and one.gap.p_value is not None and one.permuted is not None
    ]
    other = [one for one in found if one.gap is not None and one.gap.p_value is not None and one.permuted is not None
             and (one.permuted < 0.05) != (one.gap.p_value < 0.05)]  # fmt: skip
    if not other:
        return ""
    return (
        "Permuting people between the two groups, which asks whether the groups answer alike rather than lie equally "
        f"far off, decides otherwise in {count(len(other))} of {count(len(known))} (unadjusted p on other sides of "
        ".05)."
    )


def closest_sentence(one: Closest) -> str:
    """Say the widest difference between the closest and the farthest group."""
    near, far = shorten(one.nearest, 40), shorten(one.label(one.high), 30)
    gap = one.gap or Row(term=one.model)
    pair = shorten((gap.group or "")[len(one.name) + 2 :], 60)
    return (
        f"The widest difference: {shorten(one.model, 40)} was closest to {shorten(one.name, 30)} {near} (ADA-Met "
        f"{number(one.low.estimate, 2)}) and farthest from {far} ({number(one.high.estimate, 2)}); difference "
        f"({pair}), less what sizes give, {numbers_text(gap)}, {p_value(one.p, name='adjusted p')}."
    )


def group_block(name: str, result: Result, families: Families, k: int, attributes: int) -> Block:
    """Show the distances to each group of people, with the differences on the same units."""
    prefix = f"{name} = "
    rows = [r for r in result.rows if (r.group or "").startswith(prefix)]
    looks = [replace(r, group=(r.group or "")[len(prefix) :]) for r in rows]
    gaps = [replace(r, method=None) for model in families for r in families[model][0]
            if (r.group or "").startswith(f"{name}: ")]  # fmt: skip
    known = [r for r in gaps if r.p_value is not None]
    clear = [r for r in known if (r.p_adjusted if r.p_adjusted is not None else r.p_value or 1.0) < 0.05]
    sizes = ", ".join(f"{shorten(g, 30)} ({count(n)})" for g, n in result.extras["group_raters"].items())
    words, drawn = shorten(name, 40), attributes <= MOST_FIGURES or bool(clear)
    listed = drawn or len(gaps) <= MOST_UNCLEAR
    said = (
        f"Of {count(len(known), 'difference')} between groups by {words}, {clear_text(len(clear), len(known))}. "
        f"People: {sizes}."
    )
    return Block(
        id=f"group-{k + 1}",
        question=f"Is a model closer to some people by {words}?",
        sentences=(said,),
        draw=group_figure(looks) if drawn else None,
        figure_title=f"ADA-Met to the mode of each group of people by {words}" if drawn else "",
        caption=f"Modes of few people are noisier and lie farther off any model: the differences allow for it, the "
        f"marks do not. {design_words(result)}" if drawn else "Not drawn, as no difference is clear."
        + ("" if listed else " The widest of each model is in the table of closest groups, all others in the numbers "
           "that the page carries (socialstats show PAGE --json)."),
        tables=(
            dense_table(rows, f"ADA-Met by {words}", term="Model and group", short=True,
                        labels=[f"{r.term} ({r.group})" for r in looks]),
            *([dense_table(gaps, f"Differences by {words} on the same units, less what sizes give; p (Holm): over the "
                        "pairs of all attributes, model by model", term="Model and pair", short=True,
                       labels=[f"{r.term} ({(r.group or '')[len(name) + 2 :]})" for r in gaps])] if listed else []),
        ),
        results=(slim(result, f"{name} = ", said), slim(result, f"closest {name} = ", said)),
    )  # fmt: skip


def group_figure(looks: Sequence[Row]) -> Any:
    """Return what draws the distances to each group: one line a model where groups are few."""
    labels = list(dict.fromkeys(r.group or "" for r in looks))
    if len(labels) <= MOST_IN_DUMBBELL and len(looks) <= MOST_ROWS:
        return partial(dumbbell, looks, targets=dict.fromkeys(labels), xlabel=AXIS)
    return partial(forest, plain(looks)[:MOST_ROWS], sort=False, reference=None, xlabel=AXIS)


def slim(result: Result, start: str, said: str) -> Result:
    """Keep the rows of one kind about an attribute; the differences stand, adjusted, with the closest groups.

    Cautions and references are those of the page. Rows of a kind have the same columns, which makes them short.
    """
    rows = tuple(r for r in result.rows if (r.group or "").startswith(start))
    return replace(result, rows=rows, words=said, cautions=(), references=())
