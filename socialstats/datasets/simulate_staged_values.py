"""Make the simulated data of staged role play scored by judges: the generator behind `staged_values()`.

``python -m socialstats.datasets.simulate_staged_values`` writes the two files again, byte for byte.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.datasets.catalogue import DATA
from socialstats.datasets.simulating import (
    csv_bytes,
    generator,
    normals,
    rounded,
    rounded_mean,
    write_files,
)
from socialstats.datasets.truths import StagedValuesTruth

SEED = 20261126
STAGES = ("baseline", "stage 1", "stage 2", "stage 3", "stage 4", "debrief")
WEIGHTS = {
    "tradition": -1.125,
    "progress": 1.0,
    "authority_deference": -1.125,
    "egalitarianism": 1.125,
    "risk_aversion": -0.875,
    "openness": 1.125,
    "individual_responsibility": -0.875,
    "collective_responsibility": 0.875,
    "moral_certainty": -1.0,
    "nuanced_pragmatism": 0.875,
}
PROFILE = (
    1.0,
    1.5,
    -1.0,
    0.0,
    2.0,
    0.0,
    0.0,
    0.0,
    1.5,
    2.0,
)  # every model's profile; its composite is 0
LEAN = (24.0, 18.0, 21.0, 0.0, 12.0, -14.0, 27.0, 8.0)
STAGE_SHIFT = (0.0, 4.0, 1.0, -6.0, -3.0, 2.0)
MODEL_STAGE_SD = 2.0
JUDGE_OFFSET = (1.0, 5.0, 12.0)
CONTROLS = {"left": 50.0, "right": -60.0, "balanced": 0.0}
WORDINGS, WORDED = (
    3,
    {"stage 1": 6.0, "stage 4": 3.0},
)  # stages asked in three wordings, sd of the composite
COMMITMENT = (2.4, 2.7, 3.0, 3.3, 3.6, 2.9)
COMMITMENT_JUDGE = (-0.2, 0.0, 0.2)
COMMITMENT_MODEL_SD, COMMITMENT_RISE_SD, COMMITMENT_SCENARIO_SD, COMMITMENT_SD = 0.3, 0.3, 0.3, 0.6
SCENARIOS, JUDGES, MODELS = 20, len(JUDGE_OFFSET), len(LEAN)
SCENARIO_SD, INTERPLAY_SD, TRAIT_SD, CONTROL_SD = 10.0, 6.0, 1.5, 0.8
HEADER = ("scenario", "stage", "wording", "judge", "model", *WEIGHTS, "commitment")
CONTROL_HEADER = ("text", "judge", *WEIGHTS)


def composites(rng: np.random.Generator) -> FloatArray:
    """Draw the composite that each model means to show at each stage, to one decimal: (models, stages)."""
    deviation = normals(rng, MODEL_STAGE_SD, MODELS, len(STAGES))
    deviation[:, 0] = 0.0
    return np.asarray(np.round(np.array(LEAN)[:, None] + np.array(STAGE_SHIFT) + deviation, 1))


def commitments(rng: np.random.Generator) -> FloatArray:
    """Draw each model's latent commitment at each stage, to two decimals: (models, stages).

    A model differs from the others at all stages alike, and in how much it rises from stage to stage.
    """
    level = normals(rng, COMMITMENT_MODEL_SD, MODELS, 1)
    rise = 1 + normals(rng, COMMITMENT_RISE_SD, MODELS, 1)
    start = COMMITMENT[0]
    return np.asarray(np.round(start + level + rise * (np.array(COMMITMENT) - start), 2))


def trait_means(composite: FloatArray) -> FloatArray:
    """Return latent trait scores (..., 10) whose composite is the given one: 10 + profile + sign(weight) C / 10.

    The sum of weight x sign(weight) is 10, and the profile's own composite is 0.
    """
    sign = np.sign(list(WEIGHTS.values()))
    return np.asarray(10 + np.array(PROFILE) + sign * composite[..., None] / 10)


def simulate(seed: int = SEED) -> tuple[list[tuple[str, ...]], list[tuple[str, ...]]]:
    """Simulate the judges' scores of eight models in twenty scenarios and six stages, and of three control texts.

    The composite that a judge sees is that of model and stage + scenario + model in scenario + wording + judge. Trait
    scores are those of `trait_means` plus an error each, rounded to 0 to 20. Commitment is that of model and stage +
    scenario + judge + error, rounded to 0 to 5.

    Parameters
    ----------
    seed : int
        Of numpy's PCG64; the default makes the bundled data.

    Returns
    -------
    tuple of two lists of tuples of str
        The rows of the scores and of the control texts, in the orders of HEADER and CONTROL_HEADER.

    Examples
    --------
    >>> len(simulate()[0]), simulate()[1][0][:2]
    (4800, ('left', 'judge 1'))
    """
    rng = generator(seed)
    shape = (SCENARIOS, len(STAGES), WORDINGS, JUDGES, MODELS)
    meant, committed = composites(rng), commitments(rng)
    sd = np.array([WORDED.get(stage, 0.0) for stage in STAGES])
    scored = (
        meant.T[None, :, None, None, :]
        + normals(rng, SCENARIO_SD, SCENARIOS, 1, 1, 1, 1)
        + normals(rng, INTERPLAY_SD, SCENARIOS, 1, 1, 1, MODELS)
        + sd[:, None, None, None] * normals(rng, 1.0, SCENARIOS, len(STAGES), WORDINGS, 1, MODELS)
        + np.array(JUDGE_OFFSET)[:, None]
    )
    traits = rounded(trait_means(scored) + normals(rng, TRAIT_SD, *shape, len(WEIGHTS)), 0, 20)
    stance = committed.T[None, :, None, None, :] + normals(
        rng, COMMITMENT_SCENARIO_SD, SCENARIOS, 1, 1, 1, 1
    )
    stance = stance + np.array(COMMITMENT_JUDGE)[:, None] + normals(rng, COMMITMENT_SD, *shape)
    scores = np.concatenate([traits, rounded(stance, 0, 5)[..., None]], axis=-1)
    zero = np.array(list(CONTROLS.values()))[:, None] + np.array(JUDGE_OFFSET)
    flat = (
        trait_means(zero)
        - np.array(PROFILE)
        + normals(rng, CONTROL_SD, len(CONTROLS), JUDGES, len(WEIGHTS))
    )
    controls = rounded(flat, 0, 20)
    texts = [
        (text, f"judge {j + 1}", *map(str, controls[c, j].tolist()))
        for c, text in enumerate(CONTROLS)
        for j in range(JUDGES)
    ]
    return score_rows(scores), texts


def score_rows(scores: np.ndarray[tuple[int, ...], np.dtype[np.int64]]) -> list[tuple[str, ...]]:
    """Return rows from scores (scenarios, stages, wordings, judges, models, 11); other wordings where asked."""
    rows = []
    for s, t, w, j, m in np.ndindex(scores.shape[:-1]):
        if w == 0 or STAGES[t] in WORDED:
            who = (
                f"scenario {s + 1:02d}",
                STAGES[t],
                str(w + 1),
                f"judge {j + 1}",
                f"model {m + 1:02d}",
            )
            rows.append((*who, *map(str, scores[s, t, w, j, m].tolist())))
    return rows


def truth() -> StagedValuesTruth:
    """Return what the simulation put in."""
    rng = generator(SEED)
    meant, committed = composites(rng), commitments(rng)
    names = [f"model {m + 1:02d}" for m in range(MODELS)]
    worded = np.array([WORDED.get(stage, 0.0) for stage in STAGES])
    spread = np.sqrt(SCENARIO_SD**2 + INTERPLAY_SD**2 + worded**2)
    sd = np.sqrt((spread / 10) ** 2 + TRAIT_SD**2)[None, :, None, None, None]
    mean = rounded_mean(trait_means(meant[..., None] + np.array(JUDGE_OFFSET)), sd, 0, 20).mean(
        axis=2
    )
    composite = (mean - 10) @ np.array(list(WEIGHTS.values()))
    stance = committed[..., None] + np.array(COMMITMENT_JUDGE)
    commitment = rounded_mean(
        stance, float(np.hypot(COMMITMENT_SCENARIO_SD, COMMITMENT_SD)), 0, 5
    ).mean(axis=2)
    keys = [(name, stage) for name in names for stage in STAGES]
    return StagedValuesTruth(
        weights=dict(WEIGHTS),
        lean=dict(zip(names, LEAN, strict=True)),
        composite=dict(zip(keys, composite.ravel().tolist(), strict=True)),
        stage=dict(zip(STAGES, STAGE_SHIFT, strict=True)),
        judge_offset={f"judge {j + 1}": offset for j, offset in enumerate(JUDGE_OFFSET)},
        control=dict(CONTROLS),
        commitment=dict(zip(keys, commitment.ravel().tolist(), strict=True)),
        wording_sd=dict(WORDED),
        scenario_sd=SCENARIO_SD,
        interplay_sd=INTERPLAY_SD,
        trait_sd=TRAIT_SD,
    )


def files() -> dict[str, bytes]:
    """Return the contents of the two files, uncompressed, by name."""
    scores, texts = simulate()
    return {
        "staged_values.csv.gz": csv_bytes(HEADER, scores),
        "staged_values_controls.csv": csv_bytes(CONTROL_HEADER, texts),
    }


if __name__ == "__main__":
    write_files(files(), Path(str(DATA)))
