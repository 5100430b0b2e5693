"""Which columns say that rows depend on each other: of comparisons, and of units that one label holds together."""

from __future__ import annotations

from socialstats.designs.aliases import Texts
from socialstats.designs.column_profile import ColumnProfile, Columns
from socialstats.designs.profile import TableProfile
from socialstats.designs.repeated_answers import WEAK
from socialstats.designs.roles import (
    FEWEST_CLUSTERS,
    FEWEST_UNNAMED,
    is_kind_of_units,
    names_a_count,
)
from socialstats.designs.undeclared import holds_outcomes
from socialstats.designs.vocabulary import (
    CLUSTER_NAME,
    CLUSTERS,
    COSTS,
    PERSONS,
    RATERS,
    REPEATS,
    SCORES,
    TIMINGS,
    UNITS,
    VALUES,
)

# variance of the rows of a label, in means of them, up to which numbers were dealt out: 1 by chance alone
UNEVEN_NUMBERS = 3.0
DEPENDENT = (*UNITS, *RATERS, *CLUSTERS, *PERSONS, "user", "visitor", "ip", "instruction")


def clusters_of_units(
    profile: TableProfile, unit: ColumnProfile | None, free: Columns
) -> list[ColumnProfile]:
    """Return the columns of which one label holds several units together, the likeliest first.

    Each unit has one label, and there are fewer labels than units. Of clusters within others the outermost come first,
    as rows of all inner ones may depend on each other. What tells kinds of units apart comes last.

    Parameters
    ----------
    profile : TableProfile
    unit : ColumnProfile or None
        None where each row is a unit.
    free : sequence of ColumnProfile
        Those that play no part.
    """
    units = profile.rows if unit is None else unit.size
    holders = [c for c in free if c.size < units and holds_units(c)]
    holders = [c for c in holders if unit is None or profile.constant(c, unit)]

    def is_within(column: ColumnProfile) -> bool:
        outer = [c for c in holders if c.size < column.size and not is_kind_of_units(c)]
        return any(profile.constant(c, column) for c in outer)

    return sorted(holders, key=lambda c: (is_kind_of_units(c), is_within(c)))


def holds_units(column: ColumnProfile) -> bool:
    """Return whether a column is called like what holds several units together: a topic, a document, a school.

    A name that says only this needs few labels. That of a unit needs more: units may hold other units.
    """
    if not column.names_things or names_a_count(column) or column.called(COSTS, TIMINGS):
        return False
    if CLUSTER_NAME.search(column.name):
        return column.size >= FEWEST_CLUSTERS
    return column.size >= FEWEST_UNNAMED and column.called(UNITS) and not column.called(WEAK)


def clusters_of_comparisons(
    profile: TableProfile, a: ColumnProfile, b: ColumnProfile, used: Texts
) -> list[str]:
    """Return at most two columns whose labels repeat across pairs of items: judges, prompts, sessions.

    A name that says so is enough for few labels. Others need many labels, and texts or ids rather than numbers. What
    lies within another such column is left to that one.

    Parameters
    ----------
    profile : TableProfile
    a, b : ColumnProfile
        Those of the items.
    used : sequence of str
        Further columns that play a part.
    """
    pair = (a.name, b.name)
    pairs = profile.combinations(a, b)

    def named(c: ColumnProfile) -> bool:
        return c.called(DEPENDENT) and not c.called(REPEATS, VALUES, SCORES)

    def told(c: ColumnProfile) -> bool:
        return (
            c.text or c.identifies or (c.lists and not c.called(REPEATS) and dealt_out(profile, c))
        )

    def numbers(c: ColumnProfile) -> bool:
        # the samples of each pair
        few = c.whole and c.size < FEWEST_UNNAMED
        return few and c.name in profile.planned and not (c.called(PERSONS, RATERS) or c.numbering)

    def unit_of(c: ColumnProfile) -> bool:
        # says the same as the pair, has several rows, and is enough of a sample
        return c.called(UNITS) and 2 * len(a.labels | b.labels) <= c.size <= profile.rows / 2

    free = [c for c in profile.varying() if c.names_things and c.name not in (*pair, *used)]
    free = [c for c in free if FEWEST_CLUSTERS <= c.size <= profile.rows / 2]
    free = [c for c in free if not (c.describes or numbers(c) or (c.prose and not named(c)))]
    free = [c for c in free if not profile.has_partner(c)]
    free = [c for c in free if named(c) or (c.size >= FEWEST_UNNAMED and told(c))]
    # else the pair says it
    free = [c for c in free if profile.combinations(c, a, b) != pairs or unit_of(c)]
    free = [c for c in free if not holds_outcomes(pair, used, profile.table, c)]
    free.sort(key=lambda c: (c.size < FEWEST_UNNAMED, not named(c), c.size))
    first = free[:1]
    apart = [
        c for c in free if not any(profile.constant(d, c) or profile.constant(c, d) for d in first)
    ]
    return [c.name for c in (*first, *apart[:1])]


def dealt_out(profile: TableProfile, column: ColumnProfile) -> bool:
    """Return whether labels have about as many rows as if each row had drawn one: goals and other results have not."""
    rows, _ = profile.combined(column)
    return bool(rows.var() <= UNEVEN_NUMBERS * rows.mean())
