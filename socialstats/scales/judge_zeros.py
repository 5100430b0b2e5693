"""The zero of each judge, by control texts: its number, its error, and what it is subtracted from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from socialstats.arrays import FloatArray
from socialstats.designs.ratings import Ratings
from socialstats.errors import Caution, InputError, Problem
from socialstats.inference.clustered_mean import ClusteredMean, clustered_mean
from socialstats.inference.dependence import small_sample_caution
from socialstats.inference.rows import with_mean
from socialstats.paired.pair_values import checked_number
from socialstats.registry import refuse_weights
from socialstats.results import Row
from socialstats.scales.trait_weights import checked_weights
from socialstats.scales.traits import check_range, checked_range, collect_answers, score_scale
from socialstats.tables import EPSILON
from socialstats.text import count, meant, number, quoted, shorten

Basis = Literal["texts", "judging"]
FEW_TEXTS = 10  # neutral texts below which their zero is itself a guess


def zero_of(zero_setting: Any, judges: Sequence[str]) -> Mapping[str, float] | None:
    """Return the zero of each judge: a number for all, one a judge, or that of control texts.

    Raises
    ------
    InputError
        If a judge has none, a name is no judge, or a value is no number.
    """
    if zero_setting is None:
        return None
    zero: Mapping[str, float]
    if isinstance(zero_setting, JudgeZeros):
        zero = zero_setting
    elif isinstance(zero_setting, Mapping):
        zero = {
            str(j): checked_number(value, f"zero of judge '{shorten(str(j))}'")
            for j, value in zero_setting.items()
        }
    else:
        zero = dict.fromkeys(judges, checked_number(zero_setting, "zero"))
    # each judge has a zero of its own, as judges differ in how they use the scale
    absent, extra = [j for j in judges if j not in zero], [j for j in zero if j not in judges]
    if absent or extra:
        raise InputError(zero_problem(zero, judges, absent, extra))
    return zero


def zero_problem(
    zero: Mapping[str, float], judges: Sequence[str], absent: Sequence[str], extra: Sequence[str]
) -> Problem:
    """Return which judges of the answers have no zero, or which zeros are of no judge, and what to do about it."""
    texts = isinstance(zero, JudgeZeros)
    lacking = "no control text was scored by" if texts else "no number is given for"
    message = (
        f"{lacking} {quoted(absent, 10)}" if absent else f"{quoted(extra, 10)} judged no answer"
    )
    message += f" (judges of the answers: {quoted(judges, 10)})"
    fix = meant(absent[0], extra) if absent else meant(extra[0], judges)
    if texts:
        fix += "Let the same judges score the control texts and the answers, under the same names"
    else:
        fix += "Give each judge of the answers one number"
    return Problem(
        source=zero.source if isinstance(zero, JudgeZeros) else "zero", message=message, fix=fix
    )


def by_judge(zero: Mapping[str, float], judges: Sequence[str]) -> FloatArray:
    """(judges,) float64 array of their zeros."""
    return np.array([zero[judge] for judge in judges])


def zero_facts(zero_setting: Any, zero: Mapping[str, float] | None) -> dict[str, Any]:
    """Echo the zero, its error, and the control texts that it comes from."""
    echo = dict(zero) if zero is not None and isinstance(zero_setting, Mapping) else zero_setting
    if not isinstance(zero, JudgeZeros):
        return {"zero": echo, "zero_error": None, "zero_texts": None}
    error = zero.error()
    texts = dict[str, dict[str, dict[str, float]]]()  # text -> judge -> trait -> score
    for text, rows in zip(zero.texts, zero.scores.tolist(), strict=True):
        by_trait = [dict(zip(zero.traits, scores, strict=True)) for scores in rows]
        texts[text] = dict(zip(zero.judges, by_trait, strict=True))
    error_facts = None
    if error is not None:
        error_facts = {"std_error": error.std_error, "df": error.df, "basis": error.basis}
    return {
        "zero": echo,
        "zero_error": error_facts,
        "zero_texts": texts,
        "zero_neutral": list(zero.neutral),
    }


def judge_zeros(
    controls: Ratings,
    *,
    weights: Mapping[str, float] | None = None,
    centre: float = 10.0,
    free_weights: bool = False,
    score_range: tuple[float, float] | None = None,
    texts: Sequence[str] | None = None,
    text: str = "scenario",
    trait: str = "trait",
) -> JudgeZeros:
    """Return each judge's mean composite of control texts with its error, for ``zero=`` of `trait_profile`.

    Parameters
    ----------
    controls : Ratings
        Scores of control texts: one stratum is the text, one the trait.
    weights, centre, free_weights, score_range
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
    refuse_weights(controls, "judge_zeros()")
    ends = None if score_range is None else checked_range(score_range)
    trait_weights = checked_weights(weights, free=free_weights or ends is not None)
    centre_score = checked_number(centre, "centre")
    names = {"model": None, "scenario": text, "stage": None, "wording": None, "trait": trait}
    answers = collect_answers(controls, names, tuple(trait_weights), ("all",))
    scale = {"score_range": ends, "free_weights": free_weights, "centre": centre_score}
    # free weights without a range leave the scale open
    if (bounds := score_scale(scale)) is not None:
        check_range(answers, bounds, controls.source)
    scored_texts = [answers.scenarios[code] for code in answers.codes[:, 1].tolist()]
    neutral = scored_texts
    if texts is not None:
        neutral = [texts] if isinstance(texts, str) else list(texts)
    unknown = [name for name in neutral if name not in scored_texts]
    if unknown or not neutral:
        raise InputError(
            f"texts: {quoted(unknown) or 'none named'}; there are {quoted(scored_texts, 10)}"
        )
    return JudgeZeros(
        texts=tuple(scored_texts),
        judges=answers.judges,
        traits=answers.traits,
        scores=answers.scores,
        weights=trait_weights,
        centre=centre_score,
        neutral=tuple(name for name in scored_texts if name in neutral),
        source=controls.source,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ZeroError:
    """Error of the judges' mean zero.

    Attributes
    ----------
    std_error, df : float
    basis : {"texts", "judging"}
        ``"texts"``: neutral texts differ. ``"judging"``: there is one neutral text, and the judges' noise is that of
        all control texts.
    """

    std_error: float
    df: float
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class JudgeZeros(Mapping[str, float]):
    """Each judge's mean composite of neutral texts: a mapping of judge to zero that knows its own error.

    Attributes
    ----------
    texts, judges, traits : tuple of str
        Of all control texts.
    neutral : tuple of str
        Texts that give the zero.
    scores : (texts, judges, traits) float64 array
    weights : mapping of str to float
        Of the traits, in their order.
    centre : float
    source : str
        File of the control texts, for messages.

    Examples
    --------
    >>> scores = np.array([[[12.0, 9.0], [14.0, 10.0]], [[11.0, 9.0], [12.0, 10.0]]])
    >>> zero = JudgeZeros(texts=("a", "b"), judges=("j1", "j2"), traits=("open", "shy"), neutral=("a", "b"),
    ...                   scores=scores, weights={"open": 5.0, "shy": -5.0}, centre=10.0)
    >>> dict(zero), zero.error().std_error, zero.error().df
    ({'j1': 12.5, 'j2': 15.0}, 3.75, 1.0)
    """

    texts: tuple[str, ...]
    judges: tuple[str, ...]
    traits: tuple[str, ...]
    neutral: tuple[str, ...]
    scores: FloatArray
    weights: Mapping[str, float]
    centre: float
    source: str = "zero"

    def __getitem__(self, judge: str) -> float:
        if judge not in self.judges:
            raise KeyError(judge)
        return float(self.composites()[self.places(), self.judges.index(judge)].mean())

    def __iter__(self) -> Iterator[str]:
        return iter(self.judges)

    def __len__(self) -> int:
        return len(self.judges)

    def __repr__(self) -> str:
        inside = ", ".join(f"{judge!r}: {number(value)}" for judge, value in self.items())
        return f"JudgeZeros({{{inside}}}, texts={list(self.neutral)!r})"

    def places(self) -> list[int]:
        """Return the places of the neutral texts."""
        return [k for k, text in enumerate(self.texts) if text in self.neutral]

    def composites(self) -> FloatArray:
        """(texts, judges) float64 array of composites."""
        return np.asarray(
            (self.scores - self.centre) @ np.array([self.weights[t] for t in self.traits])
        )

    def text_means(self) -> list[ClusteredMean]:
        """Return the mean composite of each text over judges, who are the sample."""
        return [clustered_mean(values, np.ones(len(values))) for values in self.composites()]

    def rows(self, level: float = 0.95) -> list[Row]:
        """Return the composite of each text by each judge, the judges' mean with its t interval, and their SD."""
        rows = []
        for text, values, mean in zip(
            self.texts, self.composites().tolist(), self.text_means(), strict=True
        ):
            key = (("text", text),)
            for judge, value in zip(self.judges, values, strict=True):
                rows.append(
                    Row(term=text, estimate=value, role="component", key=(*key, ("judge", judge)))
                )
            row = Row(term=text, estimate=mean.mean, role="estimate", key=key, n=float(len(values)))
            rows.append(with_mean(row, mean, level, test=False))
            if len(values) > 1:
                rows.append(Row(term=text, estimate=mean.sd, role="spread", key=key))
        return rows

    def cautions(self) -> tuple[Caution, ...]:
        """Return caution SS312 where few neutral texts give the zero, whose error may outweigh that of a model."""
        texts = count(len(self.neutral), "neutral text")
        give = "gives" if len(self.neutral) == 1 else "give"
        ends = f"by judge from {number(min(self.values()))} to {number(max(self.values()))}"
        return small_sample_caution(
            len(self.neutral),
            FEW_TEXTS,
            f"{texts} {give} the judges' neutral point, {ends}; {self.known_error()}",
            affects="leans of models",
            fix=f"let the judges score {FEW_TEXTS} or more neutral texts; compare models with each other",
            rows=["zero"],
            basis=texts,
        )

    def known_error(self) -> str:
        """Return which error of the zero is in intervals relative to it."""
        error = self.error()
        if error is None:
            return "it is taken as known, and its error is not in the CIs"
        size = number(error.std_error)
        if error.basis == "texts":
            degrees = count(int(error.df), "degree")
            return f"its standard error, {size} ({degrees} of freedom), is in the CIs"
        return f"the judges' noise (SE = {size}) is in the CIs, the variation between neutral texts is not"

    def under(self, weights: Mapping[str, float]) -> JudgeZeros:
        """Return the zero of the same texts under other weights.

        Raises
        ------
        InputError
            If the weights name other traits.
        """
        if set(weights) != set(self.traits):
            raise InputError(
                f"zero: the control texts are scored on {quoted(self.traits, 12)}, the weights are of "
                f"{quoted(list(weights), 12)}; give the zero of this composite"
            )
        return replace(self, weights=dict(weights))

    def without(self, judge: str) -> JudgeZeros:
        """Return the zero of the other judges."""
        keep = [k for k, name in enumerate(self.judges) if name != judge]
        return replace(
            self, judges=tuple(self.judges[k] for k in keep), scores=self.scores[:, keep]
        )

    def error(self) -> ZeroError | None:
        """Return the error of the mean of the judges' zeros; None where nothing tells it.

        Notes
        -----
        With m neutral texts and c_t the judges' mean composite of text t: s.e. = sd(c_t) / sqrt(m), m - 1 degrees of
        freedom. With one, it is the judges' noise alone. With E the mean square of the rest of the table of all M
        control texts by k judges (means of texts and judges subtracted), s.e. = sqrt(E / k), (M - 1)(k - 1) degrees of
        freedom. None with a single control text or judge, or where all are scored alike.
        """
        x, neutral = self.composites(), self.places()
        n_texts, n_judges = x.shape
        basis: Basis = "texts" if len(neutral) > 1 else "judging"
        df = len(neutral) - 1.0 if len(neutral) > 1 else (n_texts - 1.0) * (n_judges - 1.0)
        if df < 1:
            return None
        if basis == "texts":
            error = float(x[neutral].mean(axis=1).std(ddof=1)) / math.sqrt(len(neutral))
        else:
            # residuals of the additive model of texts and judges
            residual = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
            error = math.sqrt(float((residual**2).sum()) / df / n_judges)
        if error <= EPSILON * max(1.0, float(np.abs(x).max())):
            return None
        return ZeroError(std_error=error, df=df, basis=basis)
