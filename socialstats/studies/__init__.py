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

from collections.abc import Collection
from importlib.metadata import entry_points

from socialstats.errors import InputError
from socialstats.studies.catalogue import CATALOGUE
from socialstats.studies.page import Study, StudyOptions, pick
from socialstats.studies.running import run_study

GROUP = __name__  # under which packages offer studies


def studies_of_packages(names: Collection[str]) -> dict[str, Study]:
    """Return the studies that installed packages offer under the entry point ``socialstats.studies``, by name.

    Code comes from installed packages alone, never from the folder of a table or from a plan.

    Parameters
    ----------
    names : collection of str
        Names that are taken.

    Raises
    ------
    InputError
        For an entry point that is no `Study`, or has a name that is taken.

    Examples
    --------
    >>> studies_of_packages([])
    {}
    """
    studies: dict[str, Study] = {}
    for entry in entry_points(group=GROUP):
        study = entry.load()
        where = f"entry point '{entry.name}' of {GROUP} ({entry.value})"
        if not isinstance(study, Study):
            raise InputError(f"{where} is no Study: it is of type {type(study).__name__}")
        if study.name in names or study.name in studies:
            raise InputError(f"{where}: there is a study '{study.name}' already")
        studies[study.name] = study
    return studies


STUDIES: dict[str, Study] = {study.name: study for study in CATALOGUE}
# the most specific first: a package knows its own tables
STUDIES = {**studies_of_packages(STUDIES), **STUDIES}

__all__ = ["STUDIES", "Study", "StudyOptions", "pick", "run_study"]
