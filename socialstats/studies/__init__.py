"""The studies, most specific first: `socialstats report` takes the first that applies."""

from socialstats.studies.base import Study, StudyOptions, pick
from socialstats.studies.comparisons import STUDY as _comparisons
from socialstats.studies.role_conflict import STUDY as _role_conflict

STUDIES: dict[str, Study] = {study.name: study for study in (_role_conflict, _comparisons)}

__all__ = ["STUDIES", "Study", "StudyOptions", "pick"]
