"""Make the simulated data of ordinal alignment: the seeded generator behind `social_norms()`.

``python -m socialstats.datasets.simulate_social_norms`` writes the file again, byte for byte.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.datasets.catalogue import DATA
from socialstats.datasets.simulating import (
    csv_bytes,
    generator,
    normals,
    ranks,
    rounded,
    write_files,
)
from socialstats.datasets.truths import SocialNormsTruth

SEED = 20261125
LETTERS = "ABCDE"
AREA_MEANS = {"confessions": 2.3, "conflicts": 2.5, "advice": 2.7, "everyday life": 2.9}
ITEMS_PER_AREA, PEOPLE = 100, 100
GROUPS: Mapping[str, Mapping[str, int]] = {  # people of each group, 100 an attribute
    "gender": {"woman": 55, "man": 45},
    "age": {"18-29": 32, "30-49": 36, "50 and over": 32},
    "income": {"under 30": 30, "30-49": 26, "50-74": 24, "75 and over": 20},
    "education": {"degree": 60, "no degree": 40},
    "marital_status": {"never married": 52, "married": 38, "divorced or separated": 10},
    "children": {"no": 62, "yes": 38},
    "residence": {"city": 30, "suburb": 40, "countryside": 30},
    "social_class": {"middle": 48, "working": 42, "lower": 10},
    "ethnicity": {"group 1": 70, "group 2": 15, "group 3": 10, "group 4": 5},
}
SHIFTS = {
    "age": {"18-29": -0.7, "30-49": 0.0, "50 and over": 0.7},
    "residence": {"city": -0.4, "suburb": 0.0, "countryside": 0.4},
}
FAMILY_BIAS = {"low": -0.8, "middle": 0.0, "high": 0.8}
MODELS = (  # family, own bias beside the family's, probability of a refusal
    ("low", 0.0, 0.0),
    ("low", -0.1, 0.01),
    ("low", 0.1, 0.06),
    ("low", 0.0, 0.2),
    ("middle", 0.0, 0.0),
    ("middle", -0.1, 0.02),
    ("middle", 0.1, 0.08),
    ("middle", 0.0, 0.0),
    ("high", 0.0, 0.01),
    ("high", -0.1, 0.0),
    ("high", 0.1, 0.12),
)
SKIPPERS = {
    7: 0.1,
    23: 0.05,
    41: 0.25,
    68: 0.1,
    90: 0.4,
}  # person (from 1) and share of items skipped
ITEM_SD, PERSON_SD, ANSWER_SD, MODEL_SD = 0.7, 0.3, 0.8, 0.5
HEADER = ("item", "area", "source", "rater", "answer", *GROUPS)


def items() -> list[tuple[str, str]]:
    """List the 400 items as (item, area)."""
    return [(f"{area} {k + 1:03d}", area) for area in AREA_MEANS for k in range(ITEMS_PER_AREA)]


def item_means(rng: np.random.Generator) -> FloatArray:
    """Draw the latent means of the items, to two decimals: (400,)."""
    area = np.repeat(list(AREA_MEANS.values()), ITEMS_PER_AREA)
    return np.asarray(np.round(area + normals(rng, ITEM_SD, len(area)), 2))


def attributes(rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Deal the groups of every attribute to the people at random, in the exact numbers: one tuple a person."""
    columns = []
    for sizes in GROUPS.values():
        label = [group for group, size in sizes.items() for _ in range(size)]
        columns.append([label[k] for k in ranks(rng, PEOPLE).tolist()])
    return list(zip(*columns, strict=True))


def asked(rng: np.random.Generator) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return who answers what, (people, items): half of the people an item, half of each area's items a person.

    The people are fifty couples. Of every area, a random half of the items goes to one of the two, and the rest to the
    other.
    """
    to_first = ranks(rng, ITEMS_PER_AREA, len(AREA_MEANS), PEOPLE // 2) < ITEMS_PER_AREA // 2
    to_first = to_first.transpose(2, 1, 0).reshape(PEOPLE // 2, -1)
    return np.stack([to_first, ~to_first], axis=1).reshape(PEOPLE, -1)


def simulate(seed: int = SEED) -> list[tuple[str, ...]]:
    """Simulate the answers of 100 people (half of the items each) and of 11 models to 400 items.

    A person's latent answer is item mean + shifts of the person's groups + person + error, a model's item mean +
    bias + the model's own view of the item. It is rounded to 0 (A) to 4 (E).

    Parameters
    ----------
    seed : int
        Of numpy's PCG64; the default makes the bundled data.

    Returns
    -------
    list of tuples of str
        The rows, in the order of HEADER: people first, each rater's items in their order.

    Examples
    --------
    >>> simulate()[0][:4]
    ('confessions 001', 'confessions', 'human', 'person 001')
    """
    rng = generator(seed)
    means, people, half = item_means(rng), attributes(rng), asked(rng)
    shift = np.array(
        [
            sum(SHIFTS.get(a, {}).get(g, 0.0) for a, g in zip(GROUPS, who, strict=True))
            for who in people
        ]
    )
    person = normals(rng, PERSON_SD, PEOPLE)
    human = rounded(
        means + (shift + person)[:, None] + normals(rng, ANSWER_SD, PEOPLE, len(means)), 0, 4
    )
    skipped = (
        rng.random(human.shape)
        < np.array([SKIPPERS.get(p + 1, 0.0) for p in range(PEOPLE)])[:, None]
    )
    bias = np.array([FAMILY_BIAS[family] + extra for family, extra, _ in MODELS])
    model = rounded(means + bias[:, None] + normals(rng, MODEL_SD, len(MODELS), len(means)), 0, 4)
    refused = rng.random(model.shape) < np.array([rate for _, _, rate in MODELS])[:, None]
    listed, rows = items(), []
    for p, k in itertools.product(range(PEOPLE), range(len(listed))):
        if half[p, k]:
            answer = "" if skipped[p, k] else LETTERS[human[p, k]]
            rows.append((*listed[k], "human", f"person {p + 1:03d}", answer, *people[p]))
    for m, k in itertools.product(range(len(MODELS)), range(len(listed))):
        answer = "F" if refused[m, k] else LETTERS[model[m, k]]
        rows.append((*listed[k], "model", f"model {m + 1:02d}", answer, *("",) * len(GROUPS)))
    return rows


def truth() -> SocialNormsTruth:
    """Return what the simulation put in."""
    means = item_means(generator(SEED))
    names = [f"model {m + 1:02d}" for m in range(len(MODELS))]
    closest = {
        (family, attribute): min(shift, key=lambda group: abs(shift[group] - bias))
        for family, bias in FAMILY_BIAS.items()
        for attribute, shift in SHIFTS.items()
    }
    return SocialNormsTruth(
        item_means=dict(zip([item for item, _ in items()], means.tolist(), strict=True)),
        shifts={attribute: dict(shift) for attribute, shift in SHIFTS.items()},
        family={name: family for name, (family, _, _) in zip(names, MODELS, strict=True)},
        bias={
            name: FAMILY_BIAS[family] + extra
            for name, (family, extra, _) in zip(names, MODELS, strict=True)
        },
        refusal={name: rate for name, (_, _, rate) in zip(names, MODELS, strict=True)},
        closest=closest,
        person_sd=PERSON_SD,
        answer_sd=ANSWER_SD,
        model_sd=MODEL_SD,
    )


def files() -> dict[str, bytes]:
    """Return the content of the file, uncompressed, by name."""
    return {"social_norms.csv.gz": csv_bytes(HEADER, simulate())}


if __name__ == "__main__":
    write_files(files(), Path(str(DATA)))
