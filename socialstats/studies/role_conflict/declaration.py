"""The design of the paper as data: what its parts are called, and what its tables and values may be."""

from __future__ import annotations

from socialstats.designs.columns import ITEM_PAIRS

ITEM = "role"  # what is chosen
STORY, CITED = ("story", "stories"), ("value", "values")  # what a row is, and what it cites

# Win rates of an item whose covariate is higher, equal or lower, if the covariate alone decided
TARGETS = {"higher": 1.0, "equal": 0.5, "lower": 0.0}

# A table of labels, one row for each story and rater: names of its columns, and what stands in them
LABEL_COLUMNS = {
    "story": ("unit", "scenario", "story", "item", "pair"),
    "rater": ("rater", "annotator", "worker", "judge", "person", "model"),
    "label": ("label", "value", "rating", "answer", "vote"),
}
KINDS = ("kind", "source", "rater_source")
REFERENCES = ("reference", "truth", "gold", "label", "designed")
CODINGS = (("-1", "0", "1"), ("a", "tie", "b"))  # first side, neither, second side
LABEL_FIX = (
    "Write -1, 0, 1 or A, Tie, B (which situation is more urgent: that of role a, neither, "
    "that of role b)"
)

# The column that names the items in a table of their groups
ITEM_COLUMNS = (
    "item",
    "role",
    "name",
    "label",
    *(first.removesuffix("_a") for first, _ in ITEM_PAIRS if first.endswith("_a")),
)
