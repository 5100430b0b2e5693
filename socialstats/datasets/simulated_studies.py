"""The simulated data of four studies, and the truth behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from socialstats.datasets.catalogue import describe

if TYPE_CHECKING:
    import pandas as pd

    from socialstats.datasets.truths import NormGoalTruth, RelationshipBiasTruth, SocialNormsTruth, StagedValuesTruth


def norm_goal() -> pd.DataFrame:
    """SIMULATED actions of people and of a model where a norm stands against a goal: 11,520 rows, known truth.

    Nobody was asked. `socialstats.datasets.simulate_norm_goal` drew the actions with a fixed seed: in each of 960
    stories (160 scenarios in six conditions) seven of 140 people and five runs of a model choose one of three
    actions. Log-odds of deviate and escalate against comply are

        centre(source, domain, pressure) + scenario + story + (person, or the model's own view of the story),

    all effects normal with mean 0. The model's view is the same in its five runs, so runs are no independent
    decisions.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``scenario``: domain and number;
        - ``domain``: advertising, customer support, hiring or finance (40 scenarios each);
        - ``pressure``: none, goal, risk, emotion, authority or incentive;
        - ``source``: human or model;
        - ``rater``: the person or the run;
        - ``action``: comply, deviate or escalate.

    Examples
    --------
    >>> data = norm_goal()
    >>> data.groupby("source")["rater"].nunique().to_dict(), data["scenario"].nunique()
    ({'human': 140, 'model': 5}, 160)
    """
    return describe("norm_goal").load()


def norm_goal_truth() -> NormGoalTruth:
    """Return the shares, alphas and effects from which `norm_goal` was simulated.

    Shares are means over the random effects (Gauss-Hermite quadrature): what new scenarios and new people would
    give.

    Examples
    --------
    >>> share = norm_goal_truth().shares["human", "advertising", "none"]
    >>> round(share["comply"], 3), round(sum(share.values()), 10)
    (0.719, 1.0)
    """
    from socialstats.datasets.simulate_norm_goal import truth

    return truth()


def relationship_bias() -> pd.DataFrame:
    """SIMULATED answers to who is right in a couple, by the groups of two names: 5,220 rows, known truth.

    Nobody was asked. `socialstats.datasets.simulate_relationship_bias` drew the answers with a fixed seed: 29
    scenarios, nine types of couples, 20 pairs of names from

        logit P(second) = position + scenario + liking(second) - liking(first) + pair.

    A woman is favoured, neutral and man are equal, and the first name has an advantage. Each scenario has a taste
    of its own for each group, so that its 20 pairs are not independent: cluster by scenario, and by pair.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``scenario``, ``topic``: eight topics of 2, 4, 4, 6, 5, 3, 4 and 1 scenarios;
        - ``kind``: egalitarian (13 scenarios) or traditional (16);
        - ``group_first``, ``group_second``: woman, man or neutral;
        - ``name_first``, ``name_second``: ten names a group, as group and number;
        - ``pair``: the two names in either order;
        - ``rung``: 0 the story as written, 1 to 4 a rewording;
        - ``answer``: -1 the first, 1 the second, missing where no wording got an answer.

    Examples
    --------
    >>> data = relationship_bias()
    >>> data.groupby("kind")["scenario"].nunique().to_dict(), int(data["answer"].isna().sum())
    ({'egalitarian': 13, 'traditional': 16}, 19)
    """
    return describe("relationship_bias").load()


def relationship_bias_truth() -> RelationshipBiasTruth:
    """Return the scores, biases and effects from which `relationship_bias` was simulated.

    Examples
    --------
    >>> bias = relationship_bias_truth().bias
    >>> round(bias["all", "woman", "man"], 3), bias["all", "neutral", "man"]
    (0.321, 0.0)
    """
    from socialstats.datasets.simulate_relationship_bias import truth

    return truth()


def social_norms() -> pd.DataFrame:
    """SIMULATED answers of 100 people and 11 models to 400 items with five ordered options: 24,400 rows.

    Nobody was asked. `socialstats.datasets.simulate_social_norms` drew the answers with a fixed seed: latent values
    on a scale from 0 (A) to 4 (E), rounded,

        person: item mean + shifts of age and residence + person + error,
        model:  item mean + bias of the model + its own view of the item.

    Each person answers half of the items, 50 people an item; five people skip some. Seven of nine attributes have
    no effect.

    Returns
    -------
    pandas.DataFrame
        A new one at each call. Empty text: skipped, or an attribute of a model. Columns:

        - ``item``, ``area``: 100 items of each of four areas;
        - ``source``: human or model; ``rater``: the person or the model;
        - ``answer``: A to E, F for a refusal (models only), empty where a person skipped the item;
        - ``gender``, ``age``, ``income``, ``education``, ``marital_status``, ``children``, ``residence``,
          ``social_class``, ``ethnicity``: groups of the person.

    Examples
    --------
    >>> data = social_norms()
    >>> people = data[data["source"] == "human"]
    >>> sorted(set(people.groupby("item").size())), sorted(set(people.groupby("rater").size()))
    ([50], [200])
    """
    return describe("social_norms").load()


def social_norms_truth() -> SocialNormsTruth:
    """Return the item means, shifts, biases and refusal rates from which `social_norms` was simulated.

    Examples
    --------
    >>> truth = social_norms_truth()
    >>> truth.family["model 01"], truth.closest["low", "age"], truth.refusal["model 04"]
    ('low', '18-29', 0.2)
    """
    from socialstats.datasets.simulate_social_norms import truth

    return truth()


def staged_values() -> pd.DataFrame:
    """SIMULATED scores of three judges for eight models in staged role play: 4,800 rows, known truth.

    Nobody was asked. `socialstats.datasets.simulate_staged_values` drew the scores with a fixed seed: 20 scenarios
    in six stages, one column a trait. Wording 1 is the full design (2,880 rows); stages 1 and 4 have wordings 2 and
    3 as well. The composite, the sum of weight x (score - 10), is that of

        model and stage + scenario + model in scenario + wording + judge,

    and a judge's offset moves every model alike: compare with the judges' own zero in `staged_values_controls`.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``scenario``; ``stage``: baseline, stage 1 to stage 4, debrief;
        - ``wording``: 1 to 3; ``judge``: three; ``model``: eight;
        - ``tradition``, ``progress``, ``authority_deference``, ``egalitarianism``, ``risk_aversion``,
          ``openness``, ``individual_responsibility``, ``collective_responsibility``, ``moral_certainty``,
          ``nuanced_pragmatism``: 0 to 20;
        - ``commitment``: 0 to 5.

    Examples
    --------
    >>> data = staged_values()
    >>> len(data), int((data["wording"] == 1).sum())
    (4800, 2880)
    """
    return describe("staged_values").load()


def staged_values_controls() -> pd.DataFrame:
    """SIMULATED scores of the three judges of `staged_values` for three control texts of known lean: nine rows.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``text``: left, right or balanced (composite 50, -60 and 0, before a judge's offset);
        - ``judge``: three;
        - ``tradition``, ``progress``, ``authority_deference``, ``egalitarianism``, ``risk_aversion``,
          ``openness``, ``individual_responsibility``, ``collective_responsibility``, ``moral_certainty``,
          ``nuanced_pragmatism``: 0 to 20.

    Examples
    --------
    >>> staged_values_controls()["text"].value_counts().to_dict()
    {'left': 3, 'right': 3, 'balanced': 3}
    """
    return describe("staged_values_controls").load()


def staged_values_truth() -> StagedValuesTruth:
    """Return the composites, offsets and weights from which `staged_values` and its controls were simulated.

    Examples
    --------
    >>> truth = staged_values_truth()
    >>> truth.lean["model 04"], truth.judge_offset
    (0.0, {'judge 1': 1.0, 'judge 2': 5.0, 'judge 3': 12.0})
    """
    from socialstats.datasets.simulate_staged_values import truth

    return truth()
