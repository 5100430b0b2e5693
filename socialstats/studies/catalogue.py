"""Every study as a declaration, the most specific first; the code of a study is loaded when it runs.

A declaration says what a study asks, and which tables it takes. A table finds its study, and a command its options,
without the code of any study.
"""

from __future__ import annotations

from typing import Any

from socialstats.designs.instrument import COLUMN, published_instrument
from socialstats.designs.schema import STATUS
from socialstats.first_use import AtFirstUse
from socialstats.studies.page import Study

STAGED = published_instrument("staged-values")
STAGED_PARTS = ("scenario", "stage", "judge")


def suits_every_table(design: Any) -> bool:
    """Return that a study takes every table of its kind of design."""
    return True


HAS_LEVELS = AtFirstUse("studies.tables_of_choices:has_levels")
LACKS_LEVELS = AtFirstUse("studies.tables_of_choices:lacks_levels")

CATALOGUE = (
    Study(
        name="role-conflict",
        title="Does urgency decide, or the role?",
        design="comparisons",
        needs="item_a, item_b, winner, urgency_a, urgency_b (numbers); best with order and domain_a, domain_b",
        suits=AtFirstUse("studies.tables_of_choices:has_unequal_sides"),
        lacks=AtFirstUse("studies.tables_of_choices:lacks_urgency"),
        uses=("by reference",),
        run=AtFirstUse("studies.role_conflict.study:run"),
        levels=AtFirstUse("studies.role_conflict.study:levels"),
        beside={
            "labels": AtFirstUse("studies.role_conflict.labels:read_labels"),
            "item_groups": AtFirstUse("studies.role_conflict.labels:read_item_groups"),
        },
    ),
    Study(
        name="comparisons",
        title="Which item is preferred, and how reliable is the ranking?",
        design="comparisons",
        needs="item_a, item_b, winner",
        suits=suits_every_table,
        run=AtFirstUse("studies.comparisons:run"),
    ),
    Study(
        name="compare",
        title="How do models (or prompts) differ on the same pairs of items?",
        design="comparisons",
        needs="item_a, item_b, winner, and by, a column with two models or prompts at least",
        suits=HAS_LEVELS,
        lacks=LACKS_LEVELS,
        uses=("reference",),
        run=AtFirstUse("studies.compare.study:run"),
        levels=AtFirstUse("studies.compare.study:run"),
    ),
    Study(
        name="paired",
        title="Is there a difference between two conditions on the same units?",
        design="paired",
        needs="unit, condition, value (or two columns, one row per unit)",
        suits=suits_every_table,
        run=AtFirstUse("studies.paired:run"),
    ),
    Study(
        name="groups",
        title="Is there a difference between two groups of different units?",
        design="groups",
        needs="group and value (unit, where a unit has several rows), of two levels, ordered levels or numbers",
        suits=suits_every_table,
        run=AtFirstUse("studies.groups:run"),
    ),
    Study(
        name="relationship-bias",
        title="With whom does a model side in a couple, by the groups of two names?",
        design="ratings",
        needs="scenario, pair, group_first, group_second, answer (-1 first, 1 second, or 1, 2); best: topic, kind, "
        "rung",
        suits=AtFirstUse("studies.tables_of_ratings:has_couples"),
        uses=("first",),
        run=AtFirstUse("studies.relationship_bias:run"),
        read=AtFirstUse("studies.couple_tables:read"),
        columns=("scenario", "pair", "group_first", "group_second", "answer"),
        also={"status": STATUS},
        takes=("probabilities",),
        beside={"names": AtFirstUse("studies.couple_tables:read_names")},
    ),
    Study(
        name="staged-values",
        title="Where do models lean in staged role play, and what do the stages change?",
        design="ratings",
        needs="scenario, stage, judge and the traits that the table declares, or "
        f"{', '.join(STAGED.traits)}; best with model, wording, {', '.join(STAGED.further)}",
        suits=AtFirstUse("studies.tables_of_ratings:has_staged_traits"),
        lacks=AtFirstUse("studies.tables_of_ratings:lacks_stages"),
        uses=("reference",),
        run=AtFirstUse("studies.staged_values.study:run"),
        read=AtFirstUse("studies.staged_values.declaration:read_scores"),
        columns=(*STAGED_PARTS, *STAGED.traits),
        declared=(*STAGED_PARTS, COLUMN),
        takes=("weights",),
        beside={
            "controls": AtFirstUse("studies.staged_values.declaration:read_controls"),
            "weights": AtFirstUse("scales.trait_weights:read_weights"),
            "stances": AtFirstUse("studies.staged_values.declaration:read_stances"),
        },
    ),
    Study(
        name="norm-goal",
        title="Does a model choose each action as often as people do?",
        design="ratings",
        needs="unit, rater, value (nominal), a source of each rater that says human or another",
        suits=AtFirstUse("studies.tables_of_ratings:has_actions"),
        lacks=AtFirstUse("studies.tables_of_ratings:lacks_actions"),
        uses=("reference",),
        run=AtFirstUse("studies.norm_goal:run"),
        levels=AtFirstUse("studies.norm_goal:run"),
        scale="nominal",
        otherwise="compare-ratings",
    ),
    Study(
        name="ordinal-alignment",
        title="How far are models from people on an ordered scale, and from whom least?",
        design="ratings",
        needs="unit, rater (a column called model, or with a source that says human of five or more), value with "
        "ordered levels",
        suits=AtFirstUse("studies.tables_of_ratings:has_ordered_models"),
        lacks=AtFirstUse("studies.tables_of_ratings:lacks_order"),
        uses=("rater_groups",),
        run=AtFirstUse("studies.ordinal_alignment.study:run"),
        levels=AtFirstUse("studies.ordinal_alignment.study:levels"),
    ),
    Study(
        name="one-source",
        title="How high is the mean or share of one source?",
        design="ratings",
        needs="unit and value, all of one source (or a rater column with one label)",
        suits=AtFirstUse("studies.tables_of_ratings:has_one_source"),
        run=AtFirstUse("studies.one_source:run"),
    ),
    Study(
        name="survey",
        title="What do people answer to each question, and do models answer as they do?",
        design="ratings",
        needs="person and a column for each question; or person, question, value",
        suits=AtFirstUse("studies.tables_of_ratings:has_respondents"),
        run=AtFirstUse("studies.survey:run"),
        read=AtFirstUse("designs.surveys:read_survey"),
        parts=("person", "question", "value", "kind", "repeat", "weight"),
        takes=("units", "levels", "scale"),
        weighted=True,
    ),
    Study(
        name="agreement",
        title="Do the raters agree, who with whom, and where?",
        design="ratings",
        needs="unit, rater, value",
        suits=suits_every_table,
        uses=("rater_groups",),
        run=AtFirstUse("studies.ratings:run"),
    ),
    Study(
        name="compare-ratings",
        title="How do models (or prompts) rate the same units?",
        design="ratings",
        needs="unit, rater, value, and by, a column with two models or prompts at least",
        suits=HAS_LEVELS,
        lacks=LACKS_LEVELS,
        uses=("reference",),
        run=AtFirstUse("studies.compare.ratings:run"),
        levels=AtFirstUse("studies.compare.ratings:run"),
    ),
    Study(
        name="leaderboard",
        title="Which model has the highest mean score, by how much, and with which rank interval?",
        design="ratings",
        needs="model (or what is compared), item and score, best with task; or one row per item or model, with columns "
        "of the others",
        suits=AtFirstUse("studies.tables_of_ratings:has_scores"),
        lacks=AtFirstUse("studies.tables_of_ratings:lacks_models"),
        run=AtFirstUse("studies.leaderboard:run"),
        read=AtFirstUse("designs.model_scores:model_scores"),
        parts=("unit", "rater", "value", "task", "repeat"),
        uses=("pooling",),
        takes=("raters",),
        knows=AtFirstUse("designs.model_scores:is_plain_board"),
        otherwise="one-source",
    ),
)
