"""A missing cell is named by its row and column, and a unit is no cluster of itself, whatever the design."""

from __future__ import annotations

import pytest

from socialstats.errors import DesignError, InputError
from socialstats.metrics import METRICS
from tests.contracts.subjects import TRAITS, Subject, subject_of

SUBJECTS: dict[str, Subject] = {
    type(subject_of(name)).__name__: subject_of(name) for name in METRICS
}
NOT_READ = {"AnswersSubject": ("domain",)}
# columns that may miss a value, by the kind of design
MAY_MISS = {
    "RatingsSubject": ("value",),
    "SourcesSubject": ("value",),
    "CouplesSubject": ("value",),
    "AnswersSubject": ("value", "draw"),
    "LabelsSubject": ("cites",),
    "TraitsSubject": TRAITS,
}
CELLS = [
    (name, column)
    for name, subject in SUBJECTS.items()
    for column in subject.rows().columns
    if column not in NOT_READ.get(name, ())
]


@pytest.mark.parametrize(("name", "column"), CELLS)
@pytest.mark.parametrize("at", [0, 5])
def test_a_missing_cell_is_named_or_may_be_missing(name: str, column: str, at: int) -> None:
    subject = SUBJECTS[name]
    rows = subject.rows()
    rows[column] = rows[column].astype(object)
    rows.loc[at, column] = None
    if column in MAY_MISS.get(name, ()):
        subject.design(rows)
        return
    with pytest.raises(
        InputError,
        match=rf"^data frame row {at}, column '(unit,)?{column}(,model)?': the value is miss",
    ):
        subject.design(rows)


UNITS = [
    name
    for name, subject in SUBJECTS.items()
    if subject.reading().get("unit") and name != "AnswersSubject"
]


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("cluster", ["unit", ("unit",)])
def test_a_unit_is_no_cluster_of_itself(name: str, cluster: str | tuple[str, ...]) -> None:
    subject = SUBJECTS[name]
    made = type(subject.design(subject.rows()))
    with pytest.raises(DesignError, match=r"^data frame: 'unit' already is the unit"):
        made.from_frame(subject.rows(), **{**subject.reading(), "cluster": cluster})
