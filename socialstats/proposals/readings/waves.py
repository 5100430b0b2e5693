"""Who answered several times, a row each: by names, or by a plan of persons and the times at which they were asked."""

from __future__ import annotations

from dataclasses import dataclass

from socialstats.designs.boards import SEVERAL_MET, meets
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.profile import TableProfile, names_text
from socialstats.designs.roles import FEWEST_UNNAMED, MET_BY, model_columns
from socialstats.designs.vocabulary import PERSONS
from socialstats.proposals.readings.answers import UNEVEN

MOST_TIMES = 12  # rows of each person, beyond which a name such as teacher rather names a class


@dataclass(frozen=True, slots=True)
class Waves:
    """Persons with several rows each.

    Attributes
    ----------
    person : Column
    times : list of Column
        The columns that tell the rows of a person apart; empty where none do.
    """

    person: ColumnProfile
    times: list[ColumnProfile]

    @property
    def key(self) -> list[ColumnProfile]:
        """The columns that name the rows together; empty where none do."""
        return [self.person, *self.times] if self.times else []

    @property
    def apart(self) -> str:
        """What tells the rows of a person apart, as the end of a sentence."""
        return f"once for each {names_text(self.times)}" if self.times else "several times each"


def waves_of(profile: TableProfile, answers: Columns) -> Waves | None:
    """Return the persons who have several rows each; None where each row may be a person.

    A name says who is a person. Any other column names persons where its labels and those of a shorter one make a
    plan: most of their pairs, once each. Chance makes no such plan, as of first names and classes.
    """
    keys = [c for c in profile.varying() if is_key(c) and c not in answers]
    keys = [c for c in keys if c not in model_columns(profile)]
    persons = [c for c in keys if c.called(PERSONS)]
    for person in sorted(persons, key=lambda c: -c.size):
        may_be_times = [c for c in keys if c not in persons and repeats_in(profile, person, c)]
        times = profile.telling_apart([person], may_be_times)
        if times or (SEVERAL_MET * person.size <= profile.rows and is_even(profile, person)):
            return Waves(person, times)
    unnamed = [c for c in keys if not c.describes]  # dates and ages name nobody
    for person in sorted(unnamed, key=lambda c: -c.size):
        shorter = [c for c in keys if c.size < person.size and repeats_in(profile, person, c)]
        time = next((c for c in shorter if profile.distinct(person, c)), None)
        if time is not None and person.size >= FEWEST_UNNAMED:
            return Waves(person, [time])
    return None


def is_key(column: ColumnProfile) -> bool:
    """Whether the labels of a column may name persons or times: they repeat, and are no texts in full."""
    return column.names_things and not (column.unique or column.prose)


def repeats_in(profile: TableProfile, person: ColumnProfile, time: ColumnProfile) -> bool:
    """Whether persons met the labels of another column often enough, several each."""
    return meets(profile, time, person, MET_BY)


def is_even(profile: TableProfile, person: ColumnProfile) -> bool:
    """Whether each label has about as many rows, and few: a teacher has a class, and a person is asked a few times."""
    rows, _ = profile.combined(person)
    return bool(rows.max() <= min(MOST_TIMES, UNEVEN * rows.min()))
