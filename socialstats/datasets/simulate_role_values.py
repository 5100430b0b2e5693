"""What simulated role-conflict stories cite, and how people and judges label them: for `simulate_role_conflict`.

Drawn from generators of their own, so that the choices do not depend on them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from socialstats.datasets.simulating import FloatArray, generator

VALUES = (
    "self-direction", "stimulation", "hedonism", "achievement", "power", "security", "conformity", "tradition",
    "benevolence", "universalism",
)  # fmt: skip
CITED = {
    "family": (0.05, 0.01, 0.01, 0.04, 0.02, 0.20, 0.08, 0.10, 0.45, 0.04),
    "occupation": (0.06, 0.01, 0.01, 0.28, 0.06, 0.24, 0.18, 0.02, 0.10, 0.04),
    "society": (0.05, 0.02, 0.01, 0.08, 0.05, 0.20, 0.14, 0.05, 0.18, 0.22),
    "interpersonal": (0.10, 0.05, 0.05, 0.05, 0.02, 0.13, 0.06, 0.03, 0.45, 0.06),
    "religion": (0.05, 0.01, 0.01, 0.04, 0.02, 0.10, 0.15, 0.40, 0.14, 0.08),
}  # chances of the first value of a story, by domain of the chosen role
SECOND = 0.176  # of the stories cite two values
REPEATED = 0.3  # of the stories cite first what the pair's stories tend to cite
SEPARATOR = ";"
LABELLED = 300
LABELS = ("A", "Tie", "B")  # which story is more urgent: that of role a, neither, that of role b
PEOPLE, JUDGES = 3, 3
PERSON_RIGHT, JUDGE_RIGHT = 0.92, 0.72
FAR = 0.1  # of the errors about A or B, the share that names the other side instead of a tie
LABEL_HEADER = ("scenario", "rater", "kind", "label")


def cited_values(domains: Sequence[Sequence[str]], seed: int) -> list[list[str]]:
    """Draw the values that each story cites.

    Parameters
    ----------
    domains : sequence of pairs, of stories, of str
        Domain of the role that was chosen.
    seed : int

    Returns
    -------
    list of lists of str
        One or two values a story, joined; the first is, for three stories in ten, the pair's own for that domain.
    """
    rng = generator(seed)
    names = list(CITED)
    tables = {name: np.cumsum(np.array(row) / sum(row)) for name, row in CITED.items()}
    own = rng.random((len(domains), len(names)))
    draws = rng.random((len(domains), len(domains[0]), 4))
    texts = []
    for i, stories in enumerate(domains):
        row = []
        for k, domain in enumerate(stories):
            repeat, first, two, second = draws[i, k].tolist()
            at = own[i, names.index(domain)] if repeat < REPEATED else first
            one = _place(tables[domain], at)
            found = [VALUES[one]]
            if two < SECOND:
                found.append(VALUES[_place(_without(domain, one), second)])
            row.append(SEPARATOR.join(found))
        texts.append(row)
    return texts


def _place(table: FloatArray, at: float) -> int:
    return min(int(np.searchsorted(table, at, side="right")), len(VALUES) - 1)


def _without(domain: str, one: int) -> FloatArray:
    left = np.array(CITED[domain], dtype=np.float64)
    left[one] = 0.0
    return np.asarray(np.cumsum(left / left.sum()))


def true_story_shares() -> dict[str, dict[str, float]]:
    """Return the chance that a story cites a value, by domain of the chosen role.

    p_v + 0.176 sum over u other than v of p_u p_v / (1 - p_u): the first value, or a second one that differs from it.

    Examples
    --------
    >>> round(sum(true_story_shares()["family"].values()), 3)
    1.176
    """
    found = {}
    for domain, row in CITED.items():
        p = np.array(row)
        second = np.array([sum(p[u] * p[v] / (1 - p[u]) for u in range(len(p)) if u != v) for v in range(len(p))])
        found[domain] = dict(zip(VALUES, (p + SECOND * second).tolist(), strict=True))
    return found


def labelled_stories(urgencies: Mapping[str, tuple[int, int]], seed: int) -> list[tuple[str, ...]]:
    """Draw 300 stories and label them: the reference, three people and three judges, which situation is more urgent.

    A rater is right with a chance of his own kind; errors about A or B are mostly ties.
    """
    rng = generator(seed)
    scenarios = list(urgencies)
    drawn = np.sort(rng.random(len(scenarios)).argsort()[:LABELLED])
    raters = [(f"person {k + 1}", "person", PERSON_RIGHT) for k in range(PEOPLE)]
    raters += [(f"judge {k + 1}", "judge", JUDGE_RIGHT) for k in range(JUDGES)]
    rows: list[tuple[str, ...]] = []
    for index in drawn.tolist():
        a, b = urgencies[scenarios[index]]
        truth = 1 - int(np.sign(a - b))
        rows.append((scenarios[index], "reference", "reference", LABELS[truth]))
        for name, kind, right in raters:
            said, where = rng.random(2).tolist()
            label = truth if said < right else _wrong(truth, where)
            rows.append((scenarios[index], name, kind, LABELS[label]))
    return rows


def _wrong(truth: int, where: float) -> int:
    if truth == 1:
        return 0 if where < 0.5 else 2
    return 2 - truth if where < FAR else 1
