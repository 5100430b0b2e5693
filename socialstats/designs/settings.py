"""Every setting of how a table is read and analysed, once: its option, its help, its kind in a plan, its designs.

Commands, plans, messages and proposals take settings from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from socialstats.designs.vocabulary import spelled

Settings = Mapping[str, Any]
"""What was said of a table, as an option, in a plan or in Python: the value of each `Setting` by its key."""
Kind = Literal["text", "texts", "labels", "rows", "parts", "switch", "whole", "number"]
"""``texts``: one or several; ``labels``: typed A,B,C; ``rows``: a list of COLUMN=VALUE; ``parts``: PART=COLUMN."""

# what a setting of a kind may be in a plan, and the type of a word of the command line
HOLDS: dict[Kind, Any] = {
    "text": str,
    "texts": [str],
    "labels": [str],
    "rows": [str],
    "parts": {"repeat": [[str], bool], "*": [str]},
    "switch": bool,
    "whole": int,
    "number": float,
}
REPEATED = ("texts", "labels", "rows", "parts")


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting.

    Attributes
    ----------
    key : str
        Its name in plan files and in Python.
    kind : Kind
    help, metavar : str
        No help is shown where it is empty.
    of : str
        Designs that have it; empty for all of them.
    choices : str
        Empty where any text is allowed.
    everyday : bool
        Whether every table may need it: the short help has these.
    """

    key: str
    kind: Kind
    metavar: str = ""
    help: str = ""
    of: str = ""
    choices: str = ""
    everyday: bool = False

    @property
    def option(self) -> str:
        """As it is typed."""
        return f"--{self.key.replace('_', '-')}"


COLUMNS = (
    Setting(
        "map",
        "parts",
        "PART=COLUMN",
        "which part (unit, winner, rater, ...) a column plays",
        everyday=True,
    ),
    Setting(
        "design",
        "text",
        help="what the rows are (default: by the columns)",
        choices="comparisons paired ratings groups",
        everyday=True,
    ),
    Setting(
        "crosstab",
        "switch",
        "",
        "the table is square, counts of two raters, two conditions, or wins of the row over the column "
        "(with --design)",
    ),
    Setting(
        "count",
        "text",
        "COLUMN",
        "frequencies: how many identical rows (or units) a row stands for; '' if no column is that",
    ),
    Setting(
        "encoding",
        "text",
        "NAME",
        "encoding of a text file that is not UTF-8, such as windows-1250",
    ),
    Setting(
        "order",
        "text",
        "COLUMN|item_a|item_b",
        "who was shown first in comparisons: a column (default: one called order, first, ...), or item_a (item_b) "
        "if always the first (second) item. Without it, no order effect is estimated",
        of="comparisons",
    ),
    Setting(
        "ranks",
        "labels",
        "A,B,C",
        "columns of ranks, a row each ranking: 1 is the best",
        of="comparisons",
    ),
    Setting(
        "raters",
        "labels",
        "A,B,C",
        "columns of ratings, one per rater, of a table with one row per unit",
        of="ratings",
    ),
    Setting(
        "units",
        "labels",
        "A,B,C",
        "columns of ratings, one per unit, of a table with one row per rater",
        of="ratings",
    ),
    Setting(
        "level_columns",
        "labels",
        "A,B,C",
        "columns that count how many raters gave the unit each level (Fleiss' table)",
        of="ratings",
    ),
    Setting(
        "probabilities",
        "text",
        "PREFIX",
        "start of the names of columns with the probability of each level in a reply, such as p_",
        of="ratings",
    ),
    Setting(
        "reread",
        "text",
        "COLUMN",
        "another column of values, of the same replies: what does it change?",
    ),
)
FILTERS = (
    Setting("where", "texts", "COLUMN=VALUE", "use only these rows (repeatable)", everyday=True),
    Setting(
        "exclude",
        "rows",
        "COLUMN=VALUE",
        "exclude matching rows, or with COLUMN==COLUMN those where two columns are equal (repeatable)",
        everyday=True,
    ),
    Setting(
        "exclude_raters",
        "rows",
        "COLUMN=VALUE",
        "exclude raters with a matching row, such as a failed attention check (repeatable)",
    ),
    Setting(
        "missing",
        "text",
        "",
        "rows that miss a value, pairs that miss a partner (default: error for comparisons and pairs, drop for "
        "ratings)",
        choices="error drop",
    ),
    Setting("unmatched", "text", of="paired", choices="error drop"),  # --missing says it for both
    Setting(
        "na",
        "texts",
        "LABEL",
        "label that means missing, beside NA, None, null, '.' and the like, repeatable; '' if those are labels",
    ),
    Setting(
        "refusal",
        "texts",
        "LABEL",
        "label that means a refusal (repeatable)",
        of="comparisons ratings",
    ),
)
VALUES = (
    Setting(
        "levels",
        "labels",
        "LOW,...,HIGH",
        "the values in order; for pairs of answers ZERO,ONE",
        of="groups paired ratings",
        everyday=True,
    ),
    Setting(
        "scale",
        "text",
        "",
        "of pairs: binary, nominal, numeric; groups: ordinal too; of ratings: nominal, ordinal, interval, ratio",
        of="groups paired ratings",
        choices="binary numeric nominal ordinal interval ratio",
    ),
    Setting(
        "conditions",
        "labels",
        "A,B",
        "the two conditions of pairs: first minus second",
        of="paired",
    ),
    Setting(
        "groups", "labels", "A,B", "the two independent groups: first minus second", of="groups"
    ),
    Setting(
        "tie",
        "texts",
        "LABEL",
        "further label that means a tie, beside 'tie' (repeatable)",
        of="comparisons",
    ),
    Setting(
        "winner_coding",
        "text",
        "",
        "what the winner column holds",
        of="comparisons",
        choices="auto label side score grade probability",
    ),
)
TOGETHER = (
    Setting(
        "cluster",
        "texts",
        "COLUMN",
        "rows that depend on each other (twice if crossed)",
        everyday=True,
    ),
    Setting(
        "by", "text", "COLUMN", "a separate analysis for each value of this column", everyday=True
    ),
    Setting(
        "shared",
        "text",
        "",
        "people have no value of --by and belong to every level of it",
        of="ratings",
        choices="people",
    ),
    Setting(
        "strata",
        "texts",
        "COLUMN",
        "groups of units to report ratings by (repeatable)",
        of="ratings",
    ),
    Setting(
        "rater_groups",
        "texts",
        "COLUMN",
        "groups of raters to report ratings by, such as people and judges (repeatable)",
        of="ratings",
    ),
)
COMPUTED = (
    Setting("study", "text", "NAME", "what is asked (default: the first that fits)", everyday=True),
    Setting("level", "number", "P", "confidence level (default 0.95)", everyday=True),
    Setting("seed", "whole", "N", "seed of every resample (default 0)"),
    Setting("resamples", "whole", "N", "bootstrap resamples (default 2000)"),
    Setting(
        "ties",
        "text",
        "",
        "tie model (default auto)",
        of="comparisons",
        choices="auto davidson rao_kupper half none",
    ),
    Setting(
        "penalty",
        "text",
        "",
        "keep strengths finite by Firth's penalised likelihood",
        of="comparisons",
        choices="firth",
    ),
    Setting(
        "prior", "number", "N", "keep strengths finite by N pseudo-wins an item", of="comparisons"
    ),
    Setting(
        "covariate",
        "text",
        "NAME",
        "what should decide in role-conflict (default urgency)",
        of="comparisons",
    ),
    Setting(
        "adjust",
        "texts",
        "NAME",
        "covariate to adjust for in the comparisons study (repeatable)",
        of="comparisons",
    ),
    Setting(
        "group", "text", "NAME", "covariate that groups the items, such as domain", of="comparisons"
    ),
    Setting(
        "value_levels",
        "labels",
        "A,B,C",
        "every value that stories could cite, in role-conflict: also those that none cites",
        of="comparisons",
    ),
    Setting(
        "reference",
        "text",
        "LEVEL",
        "level of --by (pressure of norm-goal, stage of staged-values) that the others are compared with "
        "(default: one called default, or the first)",
    ),
    Setting(
        "first",
        "text",
        "GROUP",
        "group of names that a positive bias favours, in relationship-bias",
    ),
    Setting("smallest_effect", "number", "X", "smallest effect of interest", of="groups paired"),
    Setting(
        "pooling",
        "text",
        "",
        "what has equal weight in the mean of a leaderboard over tasks (default tasks)",
        choices="tasks units",
    ),
    Setting(
        "effect_scale",
        "text",
        "",
        "unit of --smallest-effect (default raw)",
        of="paired",
        choices="raw d_z",
    ),
)
BESIDE = (
    Setting(
        "people",
        "text",
        "FILE",
        "answers of people to the same questions, a row each or a row an answer: the page compares models with them",
    ),
    Setting(
        "controls",
        "text",
        "FILE",
        "scores of neutral control texts: the judges' neutral point in staged-values",
    ),
    Setting(
        "weights",
        "text",
        "NAME|FILE",
        "weights of the traits in staged-values: paper, equal, or a table with columns trait and weight",
    ),
    Setting(
        "name_check", "text", "FILE", "what a model takes each name for, for relationship-bias"
    ),
    Setting(
        "stances",
        "text",
        "FILE",
        "stances of answers in words, one row per answer, for staged-values",
    ),
    Setting(
        "label_check", "text", "FILE", "labels of stories by people and judges, for role-conflict"
    ),
    Setting(
        "models",
        "text",
        "FILE",
        "factors of the models, one row per model: model, family, size, safety, ...",
    ),
    Setting(
        "item_groups", "text", "FILE", "groups of the items, one row per item, for role-conflict"
    ),
)
READ_BY_JOB = {
    "the table": COLUMNS,
    "rows and values": (*FILTERS, *VALUES),
    "what belongs together": TOGETHER,
}
COMPUTED_BY_JOB = {"what is computed": COMPUTED, "tables beside the data": BESIDE}
READ = tuple(one for settings in READ_BY_JOB.values() for one in settings)
REASONS = "reasons"  # reasons of exclusions, by what is typed
ROWS = ("where", "exclude", "exclude_raters")  # settings that leave rows out
SETTINGS = {one.key: one for one in (*READ, *COMPUTED, *BESIDE)}
DESIGNS = spelled(SETTINGS["design"].choices)
LISTS = tuple(key for key, one in SETTINGS.items() if one.kind == "labels")
OWN = {design: tuple(one.key for one in READ if design in one.of) for design in DESIGNS}
OF_DESIGN = {design: tuple(one.key for one in COMPUTED if design in one.of) for design in DESIGNS}
