"""The judges' own zero: what they give to control texts whose composite is known to be 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from socialstats.designs.ratings import Ratings
from socialstats.errors import InputError
from socialstats.models.judge_zeros import JudgeZeros
from socialstats.models.pair_values import checked_number
from socialstats.models.trait_answers import Answers, Names, answers_of, check_range
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
) -> JudgeZeros:
    """Return each judge's mean composite of control texts with its error, for ``zero=`` of `trait_profile`.

    Parameters
    ----------
    controls : Ratings
        Scores of control texts: one stratum is the text, one the trait.
    weights, centre, free_weights
        As in `trait_profile`.
    texts : sequence of str, optional
        The neutral ones; by default all. The others only say how noisy the judges are.
    text, trait : str
        Names of these strata.

    Returns
    -------
    JudgeZeros
        A mapping of judge -> mean composite over the neutral texts. ``error()`` gives the standard error of the
        judges' mean with its degrees of freedom: by how neutral texts differ, or, with one, by the judges' noise.

    Raises
    ------
    InputError
        As `trait_profile`; every judge must have scored every text on every trait.

    Notes
    -----
    See `JudgeZeros.error`. With one neutral text nothing says how far another one would lie from it.

    References
    ----------
    Krippendorff, K. (2019). Content analysis: An introduction to its methodology (4th ed.). Sage.

    Examples
    --------
    >>> from socialstats import trait_ratings
    >>> texts = {"text": ["neutral"] * 2, "judge": ["j1", "j2"], "open": [11, 13], "closed": [10, 9]}
    >>> design = trait_ratings(texts, traits=["open", "closed"], model=None, scenario="text")
    >>> dict(judge_zeros(design, weights={"open": 5, "closed": -5}))
    {'j1': 5.0, 'j2': 20.0}
    """
    used, middle = checked_weights(weights, free=free_weights), checked_number(centre, "centre")
    answers = control_answers(controls, used, middle, free=free_weights, text=text, trait=trait)
    seen = [answers.scenarios[code] for code in answers.codes[:, 1].tolist()]
    return JudgeZeros(
        texts=tuple(seen), judges=answers.judges, traits=answers.traits, neutral=chosen_texts(seen, texts),
        scores=answers.scores, weights=used, centre=middle,
    )  # fmt: skip


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
    found = judge_zeros(
        controls, weights=weights, centre=centre, free_weights=free_weights, text=text, trait=trait
    )  # fmt: skip
    values = found.composites().tolist()
    return {name: dict(zip(found.judges, row, strict=True)) for name, row in zip(found.texts, values, strict=True)}


def control_answers(
    controls: Ratings, weights: Mapping[str, float], centre: float, *, free: bool, text: str, trait: str
) -> Answers:
    """Collect the scores of control texts; each text is a scenario.

    Raises
    ------
    InputError
        For scores that are missing, or out of range unless `free`.
    """
    names = Names(model=None, scenario=text, stage=None, wording=None, trait=trait)
    answers = answers_of(controls, names, tuple(weights), ("all",))
    if not free:
        check_range(answers, centre)
    return answers


def chosen_texts(known: Sequence[str], texts: Sequence[str] | None) -> tuple[str, ...]:
    """Return the texts that are neutral; all by default.

    Raises
    ------
    InputError
        For a text that is not there.
    """
    if texts is None:
        return tuple(known)
    wanted = (texts,) if isinstance(texts, str) else tuple(texts)
    unknown = [t for t in wanted if t not in known]
    if unknown or not wanted:
        raise InputError(f"texts: {quoted(unknown) or 'none named'}; there are {quoted(known, 10)}")
    return tuple(t for t in known if t in wanted)
