"""Which values do stories cite, by the group of the role that was chosen?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from socialstats.designs.cited import SCHWARTZ, chosen_labels
from socialstats.designs.comparisons import Comparisons
from socialstats.errors import NothingToAnalyse
from socialstats.inference.dependence import settled_cluster
from socialstats.results import Result
from socialstats.shares.label_counts import label_counts
from socialstats.studies.asking import ask_rows
from socialstats.studies.page import Block, StudyOptions
from socialstats.studies.role_conflict.declaration import CITED, ITEM, STORY
from socialstats.studies.row_figures import cell_map
from socialstats.studies.row_picking import pick_rows
from socialstats.studies.row_sentences import design_effect_note
from socialstats.text import as_words, count, number


def count_cited(
    design: Comparisons, groups: Sequence[str], options: StudyOptions
) -> dict[str, Result]:
    """Return the counts of what stories cite by each grouping of the roles; nothing where the table does not say."""
    results = {}
    dependent = settled_cluster(design, "auto", parameters=len(design.items) - 1)
    for group in groups if design.cited is not None else ():
        with suppress(NothingToAnalyse):
            lists = chosen_labels(design, group, cluster=dependent).lists
            levels = options.value_levels or levels_to_cite(lists.labels)
            results[group] = label_counts(
                lists, cluster="declared", levels=levels, **options.chosen()
            )
    return results


def levels_to_cite(cited: Sequence[str]) -> tuple[str, ...] | None:
    """Return Schwartz's (1992) ten values as the table spells them; None where some value cited is none of them.

    Examples
    --------
    >>> levels_to_cite(("Security", "Self_Direction"))[:3], levels_to_cite(("care",))
    (('Security', 'Self_Direction', 'Achievement'), None)
    """
    spellings = {name.casefold().replace("_", "-").replace(" ", "-") for name in cited}
    if not spellings <= set(SCHWARTZ):
        return None
    missing = sorted(set(SCHWARTZ) - spellings)
    if all(name[:1].isupper() for name in cited):
        missing = [name.capitalize() for name in missing]
    return (*cited, *missing)


def cited_question(result: Result, group: str, ties: int) -> Block | None:
    """Return the question what is cited where each group is chosen; `ties` are stories without a chosen role."""
    kind = as_words(group)
    overall = pick_rows(result.rows, denominator="labels", group=False)
    of_stories = pick_rows(result.rows, denominator="units")
    even = 1 / max(len(overall), 1)  # equal shares have no colour
    left_out = f"; {count(ties, 'tie')} left out" if ties else ""
    return ask_rows(
        f"values-{group}",
        f"Which {CITED[1]} were cited, by {kind} of the chosen {ITEM}?",
        result,
        pick_rows(result.rows, denominator="labels", group=True),
        quantity=f"share of all {CITED[1]} cited where a {kind} is chosen",
        say=[cited_sentence(result)],
        draw=cell_map("label", "group", neutral=even, extreme=None),
        tables={
            f"Shares of all {CITED[1]} cited": overall,
            f"Shares of {STORY[1]} that cite each {CITED[0]}": of_stories,
            f"{STORY[1].capitalize()} that cite each {CITED[0]}": pick_rows(result.rows, "count"),
        },
        note=f"Uncoloured: equal shares{left_out}. {design_effect_note(of_stories)}",
    )


def cited_sentence(result: Result) -> str:
    """Return how many stories cited how many values."""
    stories, cited = result.counts["units"], result.counts["labels cited"]
    per_story = number(cited / max(stories, 1))
    return f"{count(stories, *STORY)} cited {count(cited, *CITED)} ({per_story} per {STORY[0]})."
