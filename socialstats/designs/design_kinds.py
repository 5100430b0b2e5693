"""The designs: the parts that ``--map`` may name for each, what only it has, its scales, and what it asks."""

from __future__ import annotations

from dataclasses import dataclass

from socialstats.designs.aliases import Levels
from socialstats.designs.options import PARTS as OF_COMPARISONS
from socialstats.designs.settings import OWN
from socialstats.designs.vocabulary import spelled

# parts of every design of values
BESIDE_VALUES = spelled("count weight by cluster repeat")


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignRules:
    """What tells a design, and what may be said of its table.

    Attributes
    ----------
    parts : tuple of str
        What ``--map`` may name.
    marks : frozenset of str
        Parts and options that no other design has: one of them decides.
    scales : tuple of str
        Of its values; empty where it has none.
    asks : str
        Its question in a message; empty for a design that names of columns do not tell.
    may_lack : str
        The part that no column has to play: ``--map unit=``.
    """

    parts: Levels
    marks: frozenset[str]
    scales: Levels = ()
    asks: str = ""
    may_lack: str = ""


# ratings have refusals as well
OF_COMPARISONS_ONLY = {*OWN["comparisons"]} - {"refusal"}
# pairs and groups have levels and scales as well
OF_RATINGS_ONLY = {*OWN["ratings"]} - {"levels", "scale"}

COMPARISONS = DesignRules(
    parts=OF_COMPARISONS,
    marks=frozenset(spelled("item_a item_b winner wins_a wins_b win_a win_b score_a score_b drawn"))
    | OF_COMPARISONS_ONLY,
    asks="two items at a time, one wins",
)
PAIRED = DesignRules(
    parts=(*spelled("unit condition value first second"), *BESIDE_VALUES),
    marks=frozenset({"condition", "first", "second", "conditions", "unmatched"}),
    scales=("binary", "nominal", "numeric"),
    asks="do conditions differ on the same units?",
)
GROUPS = DesignRules(
    parts=("group", "value", "unit", *BESIDE_VALUES),
    marks=frozenset({"group", "groups"}),
    scales=("binary", "nominal", "ordinal", "numeric"),
    may_lack="unit",
)
RATINGS = DesignRules(
    parts=(*spelled("unit rater value status rater_source"), *BESIDE_VALUES),
    marks=frozenset({"rater", "status", "rater_source"}) | OF_RATINGS_ONLY,
    scales=("nominal", "ordinal", "interval", "ratio"),
    asks="do raters or models agree, or models with people?",
    may_lack="rater",
)
DESIGN_KINDS = {
    "comparisons": COMPARISONS,
    "paired": PAIRED,
    "groups": GROUPS,
    "ratings": RATINGS,
}
# designs that the names of columns tell
BY_COLUMNS = tuple(name for name, kind in DESIGN_KINDS.items() if kind.asks)
