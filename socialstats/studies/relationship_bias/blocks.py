"""Biases of couples, by stratum and by order of names: blocks and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from socialstats.designs.ratings import OK, REFUSAL, Ratings
from socialstats.figures import forest
from socialstats.figures.forest import MOST_ROWS
from socialstats.models.couples import mcnemar_bounds
from socialstats.results import Result, Row
from socialstats.studies.estimates import df_text, numbers_text, p_text, rows_table, with_holm
from socialstats.studies.page import Block, StudyOptions, Table
from socialstats.studies.page import Table as Shown
from socialstats.studies.relationship_bias.words import AS_WRITTEN, FAMILY, factor_of, favoured, opened, rung_of
from socialstats.text import count, listing, number, p_value, percent, shorten

NAIVE = (
    "McNemar's test compares the couples (same scenario, same two names) in which one group is chosen in both orders. "
    "Couples of one scenario are alike, so its p-values are too small: in simulations of 29 scenarios x 20 pairs of "
    "names it found a bias that is not there in every third test. It is here because publications use it."
)
FOR_FIRST = "couples for the first group"
BY_CHANCE = "mean by chance alone, and test that nobody is favoured"
HOLM = f"Holm over the family '{FAMILY}' (m = {{m}})"


def of_group(result: Result, group: str) -> list[Row]:
    """Return the rows of a group."""
    return [row for row in result.rows if row.group == group]


def plain(rows: Sequence[Row], group: str | None = None) -> list[Row]:
    """Return rows under their terms alone."""
    return [replace(row, group=group) for row in rows]


def bias_block(main: Result, options: StudyOptions) -> Block:
    """Return B of every pair of groups with its verdict."""
    rows = of_group(main, "bias")
    m = sum(row.p_adjusted is not None for row in rows)
    shown = [replace(r, group=None, method=f"{r.method}; {HOLM.format(m=m)}") for r in rows]
    said = [f"{opened(favoured(row, options, main.extras['groups']))}." for row in rows]
    return Block(
        id="bias",
        question="Whom does the model favour?",
        sentences=tuple(said),
        draw=partial(forest, shown[:MOST_ROWS], sort=False, xlabel="B (above 0: the group named first is favoured)"),
        figure_title="Bias B of each pair of groups",
        caption="B = S with the group second minus S with the group first, from −2 to 2. t intervals, with scenarios "
        "and pairs of names (each pair of groups has its own) as crossed clusters; their degrees of freedom weigh both "
        "by what they add to the error.",
        tables=(rows_table(shown, "Bias B of each pair of groups", term="Pair of groups"),),
        results=(main,),
    )  # fmt: skip


def overall_block(main: Result, each: Result | None) -> Block:
    """Return B_all beside what it would be without any bias; with several models, also its mean over them."""
    rows = of_group(main, "overall")
    null = main.row("B_all", group="overall, without any bias")
    flip = main.row("B_all", group="scenario sign flip")
    said = [f"B_all, the mean size of B, is {numbers_text(rows[0])}."]
    if rows[1].estimate is not None and null.estimate is not None:
        said = [
            f"B_all, the mean size of B, is {number(rows[0].estimate)}; corrected for what chance adds to it, "
            f"{numbers_text(rows[1])}.",
            "It averages sizes, which are above 0 even if nobody is favoured: with these scenarios and pairs of names "
            f"it would then be {number(null.estimate)} on average. Chance adds that much only where there is no bias; "
            f"to biases as large as these it adds {number((rows[0].estimate or 0.0) - rows[1].estimate)}.",
            f"Test that nobody is favoured: {p_value(null.p_value)} (with the clusters of scenarios and of names).",
        ]
    rows += several(main, each)
    if len(rows) > 2:
        said.append(f"Of each model by itself, then averaged, B_all is {number(rows[2].estimate)}, corrected "
                    f"{numbers_text(rows[3])}: models that favour different groups do not cancel in it.")  # fmt: skip
    if flip.p_value is not None:
        said.append(f"Sign flips of whole scenarios give {p_value(flip.p_value)}; they take the pairs of names as "
                    "given, and find biases that are not there too often where names matter.")  # fmt: skip
    return Block(
        id="overall",
        question="How large is the bias over all pairs of groups?",
        sentences=tuple(said),
        draw=partial(forest, plain(rows), sort=False, reference=null.estimate,
                     xlabel="mean size of B; the line is what chance alone gives"),
        figure_title="B_all, the mean size of the biases",
        caption="Both rows have the interval of the population's value: every size that would not make the observed "
        "B_all a rare one, so that it need not lie evenly about either. By chance alone: the mean of |B| where every B "
        "is 0, which is its standard error times √(2/π), averaged over the pairs of groups.",
        tables=(rows_table([*plain(rows), replace(null, group=None, term=BY_CHANCE, statistic=None, df=None),
                            replace(flip, group=None, term="test by sign flips of scenarios", statistic=None)],
                           "B_all, as it is and corrected", term="Quantity"),),
        results=() if each is None else (each,),
    )  # fmt: skip


def several(main: Result, each: Result | None) -> list[Row]:
    """Return B_all of every model by itself, averaged; nothing where there is one model."""
    if each is None:
        return []
    how = f"of each of {count(main.counts['raters'], 'model')}, averaged"
    return [replace(row, term=f"{row.term} {how}") for row in of_group(each, "overall")]


def position_block(main: Result) -> Block:
    """Return the mean answer of every kind of couple: those of one group show what the order alone does."""
    same = [replace(r, term=f"{r.term}, {r.term}", group=None) for r in of_group(main, "position")]
    mixed = plain(of_group(main, "score"))
    mean = of_group(main, "position, mean")
    whole = mean[0] if mean else same[0] if same else None
    if whole is None or whole.estimate is None:
        said = "No couple of one group was asked: what the order of names does by itself is not known."
    else:
        side = "second" if whole.estimate > 0 else "first"
        open_ = whole.conf_low is None or whole.conf_high is None or whole.conf_low <= 0 <= whole.conf_high
        verdict = (
            "the data do not settle whether the order of the names decides" if open_
            else f"the {side} name is favoured whoever bears it"
        )  # fmt: skip
        said = f"Between names of one group {verdict}: mean answer {numbers_text(whole)} (0 = no effect of the order)."
    rows = [*same, *([replace(mean[0], term="one group, mean", group=None)] if mean else []), *mixed]
    return Block(
        id="position",
        question="How much does the order of the names decide?",
        sentences=(said,),
        draw=partial(forest, rows[:MOST_ROWS], sort=False, label="First, second name",
                     xlabel="S: −1 always the first name, +1 always the second"),
        figure_title="Mean answer S of every kind of couple; couples of one group show the order alone",
        caption="Without an effect of the order S of couples of one group is 0. B is the difference between the two "
        "orders of the same groups, in which that effect cancels. S of two groups has no test: the order and the bias "
        "are both in it.",
        tables=(rows_table(rows, "Mean answer S of every kind of couple", term="First, second name"),),
    )  # fmt: skip


def naive_block(main: Result) -> Block:
    """Return the clustered test first, and McNemar's tests, which take couples as independent, as what they are."""
    limits = {row.term: mcnemar_bounds(row.estimate or 0.0, row.n or 1.0)
              for row in of_group(main, "McNemar, ignoring clusters") if row.statistic is not None}  # fmt: skip
    said = [naive_sentence(main, row, *limits[row.term]) for row in of_group(main, "bias")
            if row.term in limits and row.p_value is not None]  # fmt: skip
    return Block(
        id="tests",
        question="What would a test that ignores the scenarios claim?",
        sentences=(*said, NAIVE),
        tables=(tests_of(main), couples_of(main, limits)),
    )  # fmt: skip


def naive_sentence(main: Result, row: Row, low: float, high: float) -> str:
    """Say both tests of a bias, and what B and the number of couples alone tell about chi-square."""
    mcnemar = main.row(row.term, group="McNemar, ignoring clusters")
    chi = f"χ²({number(mcnemar.df, 0)}) = {number(mcnemar.statistic)}, {p_value(mcnemar.p_value)}"
    return (
        f"{shorten(row.term, 40)}: {p_value(row.p_value)} with clusters; taking {count(mcnemar.n or 0)} couples as "
        f"independent, {chi} (from B and the number of couples alone, as a paper prints them, χ² lies between "
        f"{number(low)} and "
        f"{number(high)})."
    )


def tests_of(main: Result) -> Table:
    """Return every test of every bias, the one to quote first."""
    ways = {
        "bias": ("clusters of scenario x pair", "t", "answers"),
        "scenario means": ("one difference a scenario", "t", "scenarios"),
        "scenario sign flip": ("one difference a scenario, sign flips", "sum of differences", "scenarios"),
        "McNemar, ignoring clusters": ("couples independent, McNemar", "χ²", "couples"),
        "McNemar mid-p, ignoring clusters": ("couples independent, McNemar mid-p", FOR_FIRST, "couples"),
    }  # fmt: skip
    found = [(row.term, way, main.row(row.term, group=group)) for row in of_group(main, "bias")
             for group, way in ways.items()]  # fmt: skip
    return Table(
        caption="Tests of each bias, the one to quote first",
        header=(
            "Pair of groups", "What is independent", "Statistic", "Its value", "df", "p", "n", "n counts", "Why not",
        ),
        cells=tuple((term, label, name, whole(r.statistic) if name == FOR_FIRST else r.statistic, df_text(r.df),
                     p_text(r.p_value), whole(r.n), unit, r.undefined)
                    for term, (label, name, unit), r in found),
    )  # fmt: skip


def whole(value: float | None) -> int | None:
    """Return a number that counts something as an integer; None stays None."""
    return None if value is None else int(value)


def couples_of(main: Result, limits: Mapping[str, tuple[float, float]]) -> Table:
    """Return the cells of McNemar's tests, with the bounds of chi-square."""
    names = ("first_group_both", "second_group_both", "first_place_both", "second_place_both")
    cells = []
    for term, known in main.extras["mcnemar_cells"].items():
        line = [int(known[name]) for name in names]
        ends = [number(end) for end in limits[term]] if term in limits else [None, None]
        cells.append((term, *line, sum(line), *ends))
    return Table(
        caption="Couples (same scenario and names) answered in both orders: n of McNemar's test, and the bounds of its "
        "χ² that B and n alone give",
        header=("Pair of groups", "First group both times", "Second group both times", "First name both times",
                "Second name both times", "Couples", "Lowest χ²", "Highest χ²"),
        cells=tuple(cells),
    )  # fmt: skip


def missing_block(main: Result, bounds: Mapping[str, Result]) -> Block | None:
    """Return the biases with all missing answers counted one way, and the other; None where none is missing."""
    if not bounds or all(row.estimate is None for row in of_group(main, "bias")):
        return None
    every = {"missing answers left out": main, **bounds}
    rows = [replace(r, term=f"{r.term}: {label}", group=None, p_adjusted=None)
            for row in of_group(main, "bias") for label, result in every.items()
            for r in of_group(result, "bias") if r.term == row.term]  # fmt: skip
    said = "; ".join(
        f"{shorten(row.term, 40)} from {number(low)} to {number(high)}"
        for row in of_group(main, "bias")
        if row.estimate is not None
        for low, high in [span([r for result in every.values() for r in of_group(result, "bias")], row.term)]
    )
    return Block(
        id="missing",
        question="Could the missing answers change the answer?",
        sentences=(f"Whatever the missing answers would have been, B lies: {said}.",),
        draw=partial(forest, [replace(r, term=short_label(r.term)) for r in rows[:MOST_ROWS]], sort=False, xlabel="B"),
        figure_title="Biases with all missing answers counted one way, and the other",
        caption="Worst cases: every missing answer favours the group named first of each pair, or the second.",
        tables=(rows_table(rows, "Biases under each way to count missing answers", term="Bias"),),
        results=tuple(bounds.values()),
    )


def short_label(term: str) -> str:
    """Shorten the label of a way to count missing answers, for the figure.

    Examples
    --------
    >>> short_label("man - woman: missing answers for the first group")
    'man - woman: all for the first'
    """
    name, _, way = term.rpartition(": ")
    short = {"missing answers left out": "left out", "missing answers for the first group": "all for the first",
             "missing answers for the second group": "all for the second"}  # fmt: skip
    return f"{shorten(name, 24)}: {short.get(way, way)}"


def span(rows: Sequence[Row], term: str) -> tuple[float, float]:
    """Return the smallest and largest estimate of a term."""
    own = [r.estimate for r in rows if r.term == term and r.estimate is not None]
    return min(own), max(own)


def answers_block(design: Ratings) -> Table:
    """Count answers, refusals and missing answers by kind of couple, and by the wording that was tried last."""
    first, second = (design.strata[n] for n in ("group_first", "group_second"))
    width = len(second.levels)
    code = (first.codes * width + second.codes)[design.unit]
    times = design.unit_count[design.unit]
    kinds = [(f"{a}, {b}", code == i * width + j) for i, a in enumerate(first.levels)
             for j, b in enumerate(second.levels)]  # fmt: skip
    rung = rung_of(design)
    if rung is not None:
        kinds += [(f"wording {shorten(level, 20)}" + (" (as written)" if level in AS_WRITTEN else ""),
                   rung.codes[design.unit] == k) for k, level in enumerate(rung.levels)]  # fmt: skip
    rung_said = "; wording: the last that was tried" if rung is not None else ""
    cells = []
    for label, mask in kinds:
        whole = float(times[mask].sum())
        if whole:
            ok, refused = (float(times[mask & (design.status == s)].sum()) for s in (OK, REFUSAL))
            cells.append((label, int(whole), int(ok), int(refused), int(whole - ok - refused), percent(ok / whole)))
    return Table(caption=f"Answers by groups of the first and second name{rung_said}",
                 header=("Couples", "Asked", "Answered", "Refused", "No answer", "Share answered"),
                 cells=tuple(cells))  # fmt: skip


ALL, CORRECTED, PLACE = "B_all", "B_all corrected", "same groups"
ALONE = "1 scenario"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """The rows of every level of a stratum.

    Attributes
    ----------
    name : str
    levels : tuple of str
    rows : mapping of level to tuple of Row
        Of a level with a single scenario the rows of that scenario, with pairs of names as clusters.
    alone : frozenset of str
        Levels with a single scenario.
    gaps : tuple of Row
        Differences of two levels.
    biases : frozenset of str
        Terms of B.
    results : tuple of Result
    """

    name: str
    levels: tuple[str, ...]
    rows: dict[str, tuple[Row, ...]]
    alone: frozenset[str]
    gaps: tuple[Row, ...]
    biases: frozenset[str]
    results: tuple[Result, ...]

    def label(self, level: str) -> str:
        """Name a level, and say where it is one scenario."""
        return f"{level} ({ALONE})" if level in self.alone else level

    def of(self, *terms: str) -> list[tuple[str, Row]]:
        """Rows of some terms with their levels' labels."""
        return [(self.label(level), r) for level in self.levels for r in self.rows[level] if r.term in terms]


def stratum_of(design: Ratings, name: str, result: Result, scenarios: Result) -> Stratum:
    """Sort the rows of a result by level; a level of one scenario has those of that scenario."""
    factor, scenario = design.strata[name], factor_of(design, "scenario")
    terms = {r.term for r in result.rows if r.group == "bias"}
    rows: dict[str, tuple[Row, ...]] = {}
    alone = set()
    for code, level in enumerate(factor.levels):
        own = tuple(r for r in result.rows if r.group == f"{name} = {level}")
        codes = np.unique(scenario.codes[factor.codes == code])
        if own and len(codes) == 1:
            only = f"scenario = {scenario.levels[int(codes[0])]}"
            mine = tuple(r for r in scenarios.rows if r.group == only)
            other = tuple(r for r in own if r.term not in {r.term for r in mine})
            own = (*mine, *other)
            alone.add(level)
        if own:
            rows[level] = own
    gaps = tuple(r for r in result.rows if " - " in (r.group or "") and not (r.group or "").startswith(f"{name} = "))
    return Stratum(
        name=name, levels=tuple(rows), rows=rows, alone=frozenset(alone), gaps=gaps, biases=frozenset(terms),
        results=(result, scenarios) if alone else (result,),
    )  # fmt: skip


def strata_blocks(design: Ratings, strata: Mapping[str, Result], scenarios: Result) -> tuple[Block, ...]:
    """Return B and B_all by level of each stratum; tests of B adjusted over all its levels."""
    known = [stratum_of(design, name, result, scenarios) for name, result in strata.items()]
    return tuple(block for one in known for block in (biases_block(one), sizes_block(one)) if block is not None)


def biases_block(found: Stratum) -> Block:
    """Return a forest of the biases by level."""
    title = shorten(found.name, 40)
    own = [replace(r, term=f"{level}: {r.term}", group=None, p_adjusted=None)
           for level, r in found.of(*found.biases)]  # fmt: skip
    rows, adjusted = with_holm(own, f"pairs of groups and levels of {found.name}")
    gaps = [r for r in found.gaps if r.term in found.biases]
    return Block(
        id=f"stratum-{found.name}",
        question=f"Does the bias differ by {title}?",
        sentences=stratum_sentences(title, rows, gaps),
        draw=partial(forest, rows[:MOST_ROWS], sort=False, label=title.capitalize(),
                     xlabel="B (above 0: the group named first is favoured)"),
        figure_title=f"Bias B of each pair of groups by {title}",
        caption=f"Each level by itself, with the clusters it has: few scenarios make long intervals, cut where B ends "
        f"(−2 and 2).{alone_text(found)}",
        tables=tuple(bias_tables(found, rows, gaps, title)),
        results=found.results if adjusted is None else (*found.results, adjusted),
    )  # fmt: skip


def alone_text(found: Stratum) -> str:
    """Say how a level of one scenario is treated."""
    if not found.alone:
        return ""
    return (
        f" A level of one scenario ({listing([shorten(x, 40) for x in sorted(found.alone)])}) says nothing about other "
        "scenarios: its numbers are about that scenario, over pairs of names alone."
    )


def bias_tables(found: Stratum, rows: Sequence[Row], gaps: Sequence[Row], title: str) -> list[Shown]:
    """Return the tables of biases, effects of the place, scores, and differences."""
    heading = title.capitalize()
    place = [replace(r, term=level, group=None) for level, r in found.of(PLACE)]
    known = {*found.biases, ALL, CORRECTED, PLACE}
    terms = {r.term for level in found.levels for r in found.rows[level]} - known
    scores = [replace(r, term=f"{level}: {r.term if ', ' in r.term else f'{r.term}, {r.term}'}", group=None)
              for level, r in found.of(*terms)]  # fmt: skip
    tables = [rows_table(rows, f"Bias B by {title}", term=heading)]
    if place:
        tables.append(rows_table(place, f"Effect of the place by {title}: mean answer S between names of one group",
                                 term=heading))  # fmt: skip
    if scores:
        tables.append(rows_table(scores, f"Mean answer S of every kind of couple by {title}",
                                 term=f"{heading}: first, second name"))  # fmt: skip
    if gaps:
        tables.append(rows_table(gaps, f"Differences of the biases between the two levels of {title} (p (Holm): "
                                 "over the pairs of groups)", term="Difference"))  # fmt: skip
    return tables


def stratum_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> tuple[str, ...]:
    """Say which levels differ from no bias after adjustment, and whether two levels differ from each other."""
    known = [r for r in rows if r.p_adjusted is not None]
    clear = [r for r in known if r.p_adjusted is not None and r.p_adjusted < 0.05]
    differ = "differs" if len(clear) == 1 else "differ"
    named = listing([f"{shorten(r.term, 60)} ({numbers_text(r)})" for r in clear], most=6)
    lost = len(rows) - len(known)
    cannot = f"{count(lost)} cannot be tested ({untested(rows)}); of the other {count(len(known))}, "
    said = [
        f"Of {count(len(rows), 'bias', 'biases')} by {title}, {cannot if lost else ''}"
        + (f"{count(len(clear))} {differ} from 0 after adjustment (Holm-adjusted p below .05): {named}." if clear else
           "none differs from 0 after adjustment (Holm-adjusted p below .05); the data do not settle them one by one.")
    ]  # fmt: skip
    for row in gaps:
        if row.estimate is None or row.p_value is None:
            continue
        p = p_value(row.p_adjusted, name="Holm-adjusted p")
        clear_gap = row.p_adjusted is not None and row.p_adjusted < 0.05
        which = "differs" if clear_gap else "is not settled to differ"
        said.append(
            f"B of {shorten(row.term, 40)} {which} between the two levels ({shorten(row.group or '', 60)}: "
            f"{numbers_text(row)}, {p})."
        )
    return tuple(said)


def untested(rows: Sequence[Row]) -> str:
    """Say why some biases have no test."""
    return listing(list(dict.fromkeys(shorten(r.undefined or "no test", 90) for r in rows if r.p_adjusted is None)), 2)


def sizes_block(found: Stratum) -> Block | None:
    """Return B_all of every level with its interval; None where no level has one."""
    title = shorten(found.name, 40)
    plain, better = ([replace(r, term=level, group=None) for level, r in found.of(term)] for term in (ALL, CORRECTED))
    if not any(r.conf_low is not None for r in better):
        return None
    gaps = [replace(r, term=f"difference: {r.group}", group=None) for r in found.gaps if r.term == CORRECTED]
    return Block(
        id=f"sizes-{found.name}",
        question=f"How large is the bias over all pairs of groups, by {title}?",
        sentences=size_sentences(title, better, gaps),
        draw=partial(forest, [*better, *gaps][:MOST_ROWS], sort=False, label=title.capitalize(),
                     xlabel="B_all, corrected: mean size of B"),
        figure_title=f"Mean size of the biases, B_all corrected, by {title}",
        caption="B_all is the mean of |B| over the pairs of groups. Chance adds to it, most where scenarios are few: "
        "compare corrected values, by their intervals." + alone_text(found),
        tables=(rows_table(plain, f"B_all by {title}, as it is", term=title.capitalize()),
                rows_table([*better, *gaps], f"B_all by {title}, corrected for what chance adds",
                           term=title.capitalize())),
    )  # fmt: skip


def size_sentences(title: str, rows: Sequence[Row], gaps: Sequence[Row]) -> tuple[str, ...]:
    """Say from where to where B_all runs, and whether the levels can be told apart."""
    known = sorted((r for r in rows if r.conf_low is not None), key=lambda r: r.estimate or 0.0)
    above = [r for r in known if (r.conf_low or 0.0) > 0]
    said = []
    if len(known) > 1:
        low, high = known[0], known[-1]
        said.append(f"B_all, corrected, lies between {numbers_text(low)} ({shorten(low.term, 50)}) and "
                    f"{numbers_text(high)} ({shorten(high.term, 50)}).")  # fmt: skip
    said.append(
        f"The interval leaves 0 out in {count(len(above))} of {count(len(known), 'level')}: "
        f"{listing([shorten(r.term, 50) for r in above], most=6)}." if above else
        "Every interval reaches 0: no level by itself settles that somebody is favoured."
    )  # fmt: skip
    for row in gaps:
        if row.conf_low is None or row.conf_high is None:
            continue
        open_ = row.conf_low <= 0 <= row.conf_high
        said.append(f"Between the two levels it differs by {numbers_text(row)}"
                    + (": the data do not settle which is larger." if open_ else "."))  # fmt: skip
    if not gaps and len(known) > 1:
        apart = max(r.conf_low or 0.0 for r in known) > min(r.conf_high or 0.0 for r in known)
        said.append("Some of these intervals do not overlap." if apart else
                    f"All these intervals overlap: the data do not settle which {title} has more.")  # fmt: skip
    return tuple(said)
