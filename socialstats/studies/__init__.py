"""The studies, most specific first: `socialstats report` takes the first that applies."""

from socialstats.studies import (
    compare,
    comparisons,
    leaderboard,
    norm_goal,
    ordinal_alignment,
    paired,
    ratings,
    relationship_bias,
    role_conflict,
    staged_values,
)
from socialstats.studies.compare import ratings as compare_ratings
from socialstats.studies.grouped import run_study
from socialstats.studies.page import Study, StudyOptions, pick

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        role_conflict.STUDY,
        comparisons.STUDY,
        compare.STUDY,
        paired.STUDY,
        relationship_bias.STUDY,
        staged_values.STUDY,
        norm_goal.STUDY,
        ordinal_alignment.STUDY,
        ratings.STUDY,
        compare_ratings.STUDY,
        leaderboard.STUDY,
    )
}

__all__ = ["STUDIES", "Study", "StudyOptions", "pick", "run_study"]
