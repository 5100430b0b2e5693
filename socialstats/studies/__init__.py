"""The studies, most specific first: `socialstats report` takes the first that applies.

Examples
--------
>>> import socialstats as ss
>>> list(ss.STUDIES)[:3]
['role-conflict', 'comparisons', 'compare']
>>> study = ss.STUDIES["role-conflict"]
>>> study.title, study.design
('Does urgency decide, or the role?', 'comparisons')
"""

from socialstats.studies import (
    comparisons,
    groups,
    leaderboard,
    norm_goal,
    one_source,
    paired,
    ratings,
    relationship_bias,
    survey,
)
from socialstats.studies.compare import ratings as compare_ratings
from socialstats.studies.compare import study as compare
from socialstats.studies.grouped import pick, run_study
from socialstats.studies.ordinal_alignment import study as ordinal_alignment
from socialstats.studies.page import Study, StudyOptions
from socialstats.studies.role_conflict import study as role_conflict
from socialstats.studies.staged_values import study as staged_values

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        role_conflict.STUDY,
        comparisons.STUDY,
        compare.STUDY,
        paired.STUDY,
        groups.STUDY,
        relationship_bias.STUDY,
        staged_values.STUDY,
        norm_goal.STUDY,
        ordinal_alignment.STUDY,
        one_source.STUDY,
        survey.STUDY,
        ratings.STUDY,
        compare_ratings.STUDY,
        leaderboard.STUDY,
    )
}

__all__ = ["STUDIES", "Study", "StudyOptions", "pick", "run_study"]
