"""The sentence that opens a page: who or what, which direction, how large in everyday terms, how sure.

A verdict has at most 25 words and no symbols. Sizes are counts of ten. "The data show" is said of what is
significant at the level of the page, and "clearly show" of p < .001. What is not significant is not called equal:
"the data do not show whether". Only a test of equivalence gives "alike".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from socialstats import sentences
from socialstats.designs.levels import OPPOSITES
from socialstats.results import Row
from socialstats.text import count, listing, shorten

MOST_WORDS = 25
CLEAR = 0.001  # p below it: "clearly"
MOST_FIRST = 3  # names of items that may all be first
LABEL = 30  # characters of a name


Certainty = Literal["clear", "shown", "open", "alike", "ranked", "interval", "fixed"]
Side = Literal["above", "below", "open"]


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The sentence that opens a page, and what its certainty rests on.

    Attributes
    ----------
    text : str
    certainty : {"clear", "shown", "open", "alike", "ranked", "interval", "fixed"}
        A test with p < .001, a significant one, none, a test of equivalence, a rank interval, an interval. The last is
        a test that takes few answers of a model as a fixed number.
    partly_ranked : bool
        Whether tests or rank intervals settle who is not first, of an open ranking.
    claim : str
        What a test would show by chance: ``a difference``.
    superlative : str
        What the first of a ranking is: ``is preferred most``.
    within : str
        The ends of an interval in everyday terms: ``about 4 to 6 of 10``.
    """

    text: str
    certainty: Certainty
    partly_ranked: bool = False
    claim: str = "a difference"
    superlative: str = "is first"
    within: str = ""

    def how_sure(self, level: float) -> str:
        """Return what the certainty rests on, as an answer to "How sure?"; `level` is that of the intervals.

        Examples
        --------
        >>> Conclusion("A is higher than B.", "shown").how_sure(0.95)
        'Fairly: by chance alone, fewer than 1 of 20 such studies would show a difference as large.'
        """
        of = round(1 / (1 - level))
        wrong = f"wrong in at most 1 of {of} studies"
        if self.partly_ranked:
            return (
                f"Not sure which of them {self.superlative}. "
                f"Fairly sure that no other {self.superlative}: this is {wrong}."
            )
        chance = "by chance alone, fewer than 1 of"
        as_large = f"such studies would show {self.claim} as large"
        its_range = f"its range, {self.within}" if self.within else "its range below"
        return {
            "clear": f"Very: {chance} 1,000 {as_large}.",
            "shown": f"Fairly: {chance} {of} {as_large}.",
            "open": "Not sure: the data fit more than one answer.",
            "alike": "A test of equivalence excludes every difference that was called large enough to matter.",
            "ranked": f"Fairly: such a statement is {wrong}.",
            "fixed": "Not sure: so few answers do not show how much a model's answers vary.",
            "interval": f"As sure as {its_range}: a range that {range_holds(level)}.",
        }[self.certainty]


def range_holds(level: float) -> str:
    """Return what an interval does, after "a range", in the words of a newspaper.

    Examples
    --------
    >>> range_holds(0.95)
    'holds the truth in about 19 of 20 studies'
    """
    of = round(1 / (1 - level))
    return f"holds the truth in about {of - 1} of {of} studies"


def verdict_of(
    statement: str, *sizes: str | Sequence[str], certainty: Certainty, within: str = ""
) -> Conclusion:
    """Return a statement as a sentence, with its sizes as far as 25 words hold them.

    Parameters
    ----------
    statement : str
    *sizes : str or sequence of str
        Each with the mark before it; those that do not fit are left out. Of a sequence, the first that fits is taken.
    certainty, within : str
        As `Conclusion` has them.

    Examples
    --------
    >>> verdict_of("the data show that A is higher than B", ": in about 7 of 10 pairs", certainty="shown").text
    'The data show that A is higher than B: in about 7 of 10 pairs.'
    """
    text = statement
    for size in sizes:
        wordings = [size] if isinstance(size, str) else size
        text += next((words for words in wordings if has_room(text + words)), "")
    return Conclusion(f"{text[:1].upper()}{text[1:]}.", certainty, within=within)


def has_room(text: str) -> bool:
    """Return whether a verdict may have so many words."""
    return len(text.split()) <= MOST_WORDS


def of_ten(share: float) -> str:
    """Return a share as a count of ten.

    Examples
    --------
    >>> of_ten(0.73), of_ten(0.02), of_ten(0.97)
    ('about 7 of 10', 'fewer than 1 of 20', 'more than 19 of 20')
    """
    if share < 0.05:
        return "fewer than 1 of 20"
    if share > 0.95:
        return "more than 19 of 20"
    return f"about {min(max(round(share * 10), 1), 9)} of 10"


def against(first: float, second: float) -> str:
    """Return two shares as counts of ten, or of a hundred or thousand where those are alike or at an end.

    Examples
    --------
    >>> against(0.36, 0.67), against(0.52, 0.48), against(0.002, 0.004)
    ('about 4 against 7 of 10', 'about 52 against 48 of 100', 'about 2 against 4 of 1000')
    """
    for of in (10, 100, 1000):
        counts = round(first * of), round(second * of)
        if counts[0] != counts[1] and not {0, of} & set(counts):
            return f"about {counts[0]} against {counts[1]} of {of}"
    return f"about {round(first * 100)} against {round(second * 100)} of 100"


def between(low: float, high: float) -> str:
    """Return the ends of an interval of a share as counts of ten, or of a hundred where those are alike or at an end.

    Examples
    --------
    >>> between(0.41, 0.62), between(0.52, 0.54), between(0.0, 0.08)
    ('about 4 to 6 of 10', 'about 52 to 54 of 100', 'about 0 to 8 of 100')
    """
    tens = round(low * 10), round(high * 10)
    if tens[0] == tens[1] or {0, 10} & {*tens}:
        return f"about {round(low * 100)} to {round(high * 100)} of 100"
    return f"about {tens[0]} to {tens[1]} of 10"


def on_scale(limits: tuple[float, float] | None) -> tuple[str, ...]:
    """Return the scale of a difference in words, then in fewer words; nothing for values without limits.

    Examples
    --------
    >>> on_scale((-100, 100)), on_scale(None)
    (('on a scale from minus 100 to 100', 'on a scale of 200 points'), ())
    """
    if limits is None or not all(map(math.isfinite, limits)):
        return ()
    low, high = limits
    ends = [f"{'minus ' * (end < 0)}{abs(end):g}" for end in limits]
    return f"on a scale from {ends[0]} to {ends[1]}", f"on a scale of {high - low:g} points"


def data_show(row: Row) -> str:
    """Return how surely a significant difference is known: "The data show that", or "clearly".

    Examples
    --------
    >>> data_show(Row(term="d", p_value=0.00001)), data_show(Row(term="d", p_value=0.02))
    ('The data clearly show that', 'The data show that')
    """
    return f"The data {'clearly ' * (certainty_of(row) == 'clear')}show that"


def certainty_of(row: Row) -> Certainty:
    """Return the certainty of a significant difference."""
    p = row.p_value if row.p_adjusted is None else row.p_adjusted
    return "clear" if p is not None and p < CLEAR else "shown"


def which_is_more(
    row: Row,
    subject: str,
    words: tuple[str, str],
    sides: tuple[str, str],
    *sizes: str | Sequence[str],
    open_size: str = "",
    null: float = 0.0,
) -> Conclusion:
    """Return on which of two sides something is more, or that the data do not show it.

    Parameters
    ----------
    row : Row
        First minus second, with its test.
    subject : str
        With its verb: ``values of score are``.
    words : (str, str)
        What it is on the side with more, and on that with less: ``higher``, ``lower``.
    sides : (str, str)
        With their prepositions: ``after treatment``.
    *sizes : str
        As for `verdict_of`; printed where there is a direction.
    open_size : str
        The size where there is no direction.
    null : float
        What the row is without a difference.
    """
    first, second = sides
    side = shown_side(row, null)
    if side == "open":
        return verdict_of(
            f"The data do not show whether {subject} {words[0]} {first} or {second}",
            open_size,
            certainty="open",
        )
    word = words[0] if side == "above" else words[1]
    return verdict_of(
        f"{data_show(row)} {subject} {word} {first} than {second}",
        *sizes,
        certainty=certainty_of(row),
    )


def higher_or_lower(
    row: Row,
    quantity: str,
    first: str,
    second: str,
    *sizes: str | Sequence[str],
    null: float = 0.0,
) -> Conclusion:
    """Return which of two sides has the higher quantity, or that the data do not show it.

    Parameters
    ----------
    row, first, second, *sizes, null
        As of `which_is_more`.
    quantity : str
        Without its verb, which is in the plural: ``values of score``.

    Examples
    --------
    >>> higher_or_lower(Row(term="d", estimate=-0.4, p_value=0.01), "scores", "before", "after").text
    'The data show that scores are lower before than after.'
    >>> higher_or_lower(Row(term="d", estimate=-0.4, p_value=0.3), "scores", "before", "after").text
    'The data do not show whether scores are higher before or after.'
    """
    sides = (first, second)
    return which_is_more(row, f"{quantity} are", ("higher", "lower"), sides, *sizes, null=null)


def higher_in_cells(
    sides: Sequence[str], subject: str, first: str, second: str, cell: str = "cell"
) -> Conclusion:
    """Return in how many of several cells the first of two is higher, or that the data do not show it.

    Parameters
    ----------
    sides : sequence of str
        Of each cell, as `shown_side` returns them, or what a planned test showed.
    subject : str
        With its verb: ``values are``.
    first, second : str
        With their preposition.
    cell : str

    Examples
    --------
    >>> higher_in_cells(["above", "above", "open"], "trust is", "for x", "for y").text
    'The data show that trust is higher for x than for y in 2 of 3 cells.'
    """
    counts = {"higher": list(sides).count("above"), "lower": list(sides).count("below")}
    more, fewer = sorted(counts, key=lambda word: -counts[word])
    if not counts[more]:
        unseen = f"The data do not show whether {subject} higher {first} or {second}"
        return verdict_of(unseen, certainty="open")
    several = f" in {count(counts[more])} of {count(len(sides), cell)}" if len(sides) > 1 else ""
    opposed = f", and {fewer} in {count(counts[fewer])}" if counts[fewer] else ""
    text = f"The data show that {subject} {more} {first} than {second}"
    return verdict_of(text, several, opposed, certainty="shown")


def level_in_words(level: str, column: str | None) -> str:
    """Return a level as a verdict names it: with its column where the label alone has no meaning.

    Examples
    --------
    >>> level_in_words("comply", "action"), level_in_words("1", "correct"), level_in_words("yes", "agrees")
    ("'comply'", "'1' in column 'correct'", "'yes' in column 'agrees'")
    """
    name = f"'{shorten(level, LABEL)}'"
    pairs = {label for pair in OPPOSITES for label in pair}
    has_meaning = any(map(str.isalpha, level)) and level.casefold() not in pairs
    return name if has_meaning or not column else f"{name} in column '{shorten(column, LABEL)}'"


def more_or_less_frequent(
    row: Row, what: str, first: str, second: str, shares: tuple[float, float] | None
) -> Conclusion:
    """Return on which of two sides something is more frequent, or that the data do not show it.

    Parameters
    ----------
    row : Row
        Share of the first minus that of the second, with its test.
    what : str
    first, second : str
        The sides, with their preposition.
    shares : (float, float) or None

    Examples
    --------
    >>> row = Row(term="d", estimate=-0.31, p_value=0.00001)
    >>> more_or_less_frequent(row, "yes", "in A", "in B", (0.36, 0.67)).text
    'The data clearly show that yes is less frequent in A than in B: about 4 against 7 of 10.'
    """
    size = f": {against(*shares)}" if shares is not None else ""
    words, sides = ("more frequent", "less frequent"), (first, second)
    return which_is_more(row, f"{what} is", words, sides, size, open_size=size)


def shown_side(row: Row, null: float = 0.0) -> Side:
    """Return on which side of its null value a row lies, or that the data do not show it ("open").

    Examples
    --------
    >>> shown_side(Row(term="d", estimate=-0.4, p_value=0.01)), shown_side(Row(term="d", estimate=0.4, p_value=0.3))
    ('below', 'open')
    """
    if row.estimate is None or not is_shown(row, null):
        return "open"
    return "above" if row.estimate > null else "below"


def is_shown(row: Row, null: float = 0.0) -> bool:
    """Return whether a row differs from its null value: by its test, or where it has none by its interval."""
    if sentences.with_p(row):
        return sentences.is_significant(row)
    return sentences.direction(row, null) != "none"


def may_be_first(ranks: Sequence[Row]) -> list[str]:
    """Return the items whose rank interval has the first rank, best first.

    Parameters
    ----------
    ranks : sequence of Row
        Of role "rank", with intervals.

    Examples
    --------
    >>> rows = [Row(term="a", estimate=1, conf_low=1, conf_high=2), Row(term="b", estimate=2, conf_low=1, conf_high=3)]
    >>> may_be_first([*rows, Row(term="c", estimate=3, conf_low=2, conf_high=3)])
    ['a', 'b']
    """
    open_ = [row for row in ranks if row.conf_low is None or row.conf_low <= 1]
    return [row.term for row in sorted(open_, key=lambda row: row.estimate or float("inf"))]


def ranking(
    ranks: Sequence[Row], superlative: str, ahead: str, noun: str, *sizes: str
) -> Conclusion:
    """Return which item is first, or among which the data do not decide.

    Parameters
    ----------
    ranks : sequence of Row
        Of role "rank", with simultaneous intervals, of all items.
    superlative : str
        What the first item is: ``has the highest score``.
    ahead : str
        What items of a first group are to all others: ``score higher than``.
    noun : str
        What is ranked.
    *sizes : str
        As for `verdict_of`; printed where one item is first.

    Examples
    --------
    >>> rows = [Row(term="a", estimate=1, conf_low=1, conf_high=2), Row(term="b", estimate=2, conf_low=1, conf_high=2)]
    >>> rows.append(Row(term="c", estimate=3, conf_low=3, conf_high=3))
    >>> ranking(rows, "is preferred most", "are preferred to", "item").text
    'The data do not show which of a and b is preferred most; both are preferred to the other item.'
    """
    first, n = may_be_first(ranks), len(ranks)
    names = listing([shorten(name, LABEL) for name in first])
    rest = n - len(first)
    if len(first) == 1:
        first_alone = verdict_of(
            f"The data show that {names} {superlative} of {count(n, noun)}",
            *sizes,
            certainty="ranked",
        )
        return replace(first_alone, superlative=superlative)
    many = f"the {count(n, noun)}" if not rest else count(len(first), noun)
    which = names if len(first) <= MOST_FIRST else many
    open_ = f"The data do not show which of {which} {superlative}"
    if not rest:
        return verdict_of(open_, certainty="open")
    last = [row.conf_high for row in ranks if row.term in first]
    others = f"the other {count(rest, noun)}" if rest > 1 else f"the other {noun}"
    if all(high is not None and high <= len(first) for high in last):
        they = "both" if len(first) == 2 else "all"
        size = f"; {they} {ahead} {others}"
    else:
        behind = [shorten(row.term, LABEL) for row in ranks if row.term not in first]
        size = f"; it is not {behind[0]}" if rest == 1 else f"; it is none of {others}"
    settled = verdict_of(open_, size, certainty="open")
    return replace(settled, partly_ranked=True, superlative=superlative)


def values_of(column: str) -> str:
    """Return what numbers of a column are called.

    Examples
    --------
    >>> values_of("trust"), values_of("value")
    ('values of trust', 'values')
    """
    return "values" if column.casefold() in ("value", "values") else f"values of {column}"
