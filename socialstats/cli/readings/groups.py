"""Independent groups: a label of a treatment, or of people and machines, that different units have."""

from __future__ import annotations

from collections.abc import Iterator

from socialstats.cli.readings.proposal import Proposal
from socialstats.designs.profile import Profile
from socialstats.designs.roles import models_of, people_among, tells_groups
from socialstats.designs.tables import FREQUENCIES, bare
from socialstats.designs.vocabulary import VALUES
from socialstats.text import shorten

MOST = 2  # columns of values
SCORE = 8.0  # where the column is called like a value
COUNTED = 8.0  # answers with their numbers
OPPOSED = 6.0  # two opposites
UNNAMED = 5.0


def counted_answers(seen: Profile) -> Iterator[Proposal]:
    """Yield a comparison of two sources in a table of counts of their answers: source, answer, number."""
    texts = [c for c in seen.every if c.text and c.size > 1 and not c.prose]
    counts = [c for c in seen.every if c.whole and bare(c.name) in FREQUENCIES]
    if len(texts) != 2 or len(counts) != 1 or len(seen.columns) > 4 or not seen.distinct([c.name for c in texts]):
        return
    for group, value in (texts, texts[::-1]):
        source = group in models_of(seen) or bool(people_among(group)) or tells_groups(group)
        if source and value.called((*VALUES.words, "option", "type")):
            picked = {} if len(group.levels) == 2 else {"groups": [*group.levels[:2]]}
            parts = {"group": [group], "value": [value], "count": counts}
            choice = value.levels[0]
            means = f"the share of '{shorten(choice, 30)}' among the counted answers of two of '{group.name}'"
            yield Proposal("groups", COUNTED, means, parts, {**picked, "choice": choice}, "two_proportions")
