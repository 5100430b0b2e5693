"""The judges' zero once more, from the scores of the control texts: pandas' means, statsmodels' regressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Error = tuple[float, float]


def control_scores(settings: Any) -> pd.DataFrame | None:
    """Scores of the control texts: a line a text and judge, a column a trait; None where the zero is a given number."""
    import pandas as pd

    texts = settings.get("zero_texts")
    if texts is None:
        return None
    rows = {(text, judge): given for text, judges in texts.items() for judge, given in judges.items()}
    return pd.DataFrame(rows).T.rename_axis(["text", "judge"])


def zero_under(settings: Any, scores: pd.DataFrame | None, weights: Any) -> Any:
    """Return the zero under some weights: by judge, or the number that was given."""
    import pandas as pd

    if scores is None:
        zero = settings["zero"]
        return zero if np.isscalar(zero) else pd.Series(dict(zero))
    return values_under(settings, scores, weights).loc[list(settings["zero_neutral"])].mean()


def values_under(settings: Any, scores: pd.DataFrame, weights: Any) -> pd.DataFrame:
    """Composites of the control texts, a line a text and a column a judge."""
    import pandas as pd

    order = list(scores.columns)
    found = pd.Series((scores.to_numpy() - settings["centre"]) @ pd.Series(weights)[order].to_numpy(), scores.index)
    return found.unstack("judge")


def error_under(settings: Any, scores: pd.DataFrame | None, weights: Any) -> Error | None:
    """Variance and df of the judges' mean zero; None where it is known, or in the differences of drawn judges."""
    if scores is None:
        return None
    neutral = list(settings["zero_neutral"])
    if settings["judges"] == "random" and len(neutral) == 1:
        return None
    values = values_under(settings, scores, weights)
    return error_of(values, values.loc[neutral])


def error_of(values: pd.DataFrame, neutral: pd.DataFrame) -> Error | None:
    """Variance and df of the mean zero: of neutral texts, or, with one, of the rest of a regression on text and judge.

    Parameters
    ----------
    values, neutral : DataFrame
        All control texts, and the neutral ones: a line a text, a column a judge.
    """
    if len(neutral) > 1:
        from scipy.stats import sem

        variance, df = float(sem(neutral.mean(axis=1))) ** 2, len(neutral) - 1.0
    else:
        x, (m, k) = values.to_numpy(), values.shape
        if min(m, k) < 2:
            return None
        rest, df = x - x.mean(axis=1, keepdims=True) - x.mean(axis=0) + x.mean(), (m - 1.0) * (k - 1.0)
        variance = float((rest**2).sum()) / df / k
    size = max(1.0, float(np.abs(values.to_numpy()).max()))
    return (variance, df) if variance > (np.finfo(float).eps * size) ** 2 else None
