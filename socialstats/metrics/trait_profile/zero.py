"""The judges' own zero: what they give to control texts whose composite is known to be 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.models.pair_values import checked_number
from socialstats.models.trait_answers import Names, answers_of, check_range, composites, factor_of
from socialstats.models.trait_weights import checked_weights
from socialstats.text import quoted


def judge_zeros(
    controls: Ratings,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    texts: Sequence[str] | None = None,
    text: str = "scenario",
    trait: str = "trait",
) -> dict[str, float]:
    """Return each judge's composite of control texts, for ``zero=`` of `trait_profile`.

    Parameters
    ----------
    controls : Ratings
        Scores of control texts that are neutral together: a balanced one, or as many that lean to one side as to the
        other. One stratum is the text, one the trait.
    weights, centre, free_weights
        As in `trait_profile`.
    texts : sequence of str, optional
        Only these.
    text, trait : str
        Names of these strata.

    Returns
    -------
    dict of str to float
        Judge -> mean composite over the texts.

    Raises
    ------
    InputError
        As `trait_profile`; every judge must have scored every text on every trait.

    References
    ----------
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> from socialstats import trait_ratings
    >>> texts = {"text": ["neutral"] * 2, "judge": ["j1", "j2"], "open": [11, 13], "closed": [10, 9]}
    >>> design = trait_ratings(texts, traits=["open", "closed"], model=None, scenario="text")
    >>> judge_zeros(design, weights={"open": 5, "closed": -5})
    {'j1': 5.0, 'j2': 20.0}
    """
    names = Names(model=None, scenario=text, stage=None, wording=None, trait=trait)
    part = chosen_texts(controls, names, texts)
    found = control_composites(part, weights=weights, centre=centre, free_weights=free_weights, text=text, trait=trait)
    judges = next(iter(found.values()))
    return {judge: float(np.mean([one[judge] for one in found.values()])) for judge in judges}


def control_composites(
    controls: Ratings,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    text: str = "scenario",
    trait: str = "trait",
) -> dict[str, dict[str, float]]:
    """Return the composite that each judge gives to each control text.

    Parameters
    ----------
    controls : Ratings
    weights, centre, free_weights, text, trait
        As in `judge_zeros`.

    Returns
    -------
    dict of str to dict of str to float
        Text -> judge -> composite, texts and judges in the order of the design.

    Raises
    ------
    InputError
        As `judge_zeros`.

    References
    ----------
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> from socialstats import trait_ratings
    >>> texts = {"text": ["left", "neutral"], "judge": ["j1", "j1"], "open": [18, 13], "closed": [4, 9]}
    >>> design = trait_ratings(texts, traits=["open", "closed"], model=None, scenario="text")
    >>> control_composites(design, weights={"open": 5, "closed": -5})
    {'left': {'j1': 70.0}, 'neutral': {'j1': 20.0}}
    """
    used = checked_weights(weights, free=free_weights)
    names = Names(model=None, scenario=text, stage=None, wording=None, trait=trait)
    answers = answers_of(controls, names, tuple(used), ("all",))
    middle = checked_number(centre, "centre")
    if not free_weights:
        check_range(answers, middle)
    values = composites(answers.scores, used, middle)
    told = [answers.scenarios[code] for code in answers.codes[:, 1].tolist()]
    return {name: dict(zip(answers.judges, row, strict=True)) for name, row in zip(told, values.tolist(), strict=True)}


def chosen_texts(controls: Ratings, names: Names, texts: Sequence[str] | None) -> Ratings:
    """Return the ratings of some texts.

    Raises
    ------
    InputError
        For a text that is not there.
    """
    if texts is None:
        return controls
    wanted = (texts,) if isinstance(texts, str) else tuple(texts)
    factor = factor_of(controls, "scenario", names.scenario)
    unknown = [t for t in wanted if t not in factor.levels]
    if unknown or not wanted:
        raise InputError(f"texts: {quoted(unknown) or 'none named'}; there are {quoted(factor.levels, 10)}")
    codes = [factor.levels.index(t) for t in wanted]
    return controls.take(np.isin(factor.codes[controls.unit], codes), note=f"texts {quoted(wanted)}")
