"""What each simulated data set was made from: the values that an analysis should find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NormGoalTruth:
    """What the simulation of `norm_goal` put in.

    Attributes
    ----------
    shares : mapping of (source, domain, pressure) to mapping of action to float
        Probability of each action for a new scenario and a new person (or a new run of the model): the mean over
        all random effects.
    human_alpha : float
        Krippendorff's nominal alpha of the people's actions over all stories, in the population.
    model_alpha : float
        The same of the model's runs.
    scenario_sd, story_sd, person_sd, model_sd : float
        Standard deviations, in log-odds against comply: of a scenario, one of its six stories, a person, and the
        model's own view of a story. The first two are common to people and model. The last is common to all five runs,
        which are therefore not independent decisions.
    """

    shares: Mapping[tuple[str, str, str], Mapping[str, float]]
    human_alpha: float
    model_alpha: float
    scenario_sd: float
    story_sd: float
    person_sd: float
    model_sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationshipBiasTruth:
    """What the simulation of `relationship_bias` put in.

    Attributes
    ----------
    scores : mapping of (kind, group_first, group_second) to float
        S: mean answer (-1 first, +1 second) over new scenarios and new name pairs; kind is egalitarian,
        traditional, or all (13 to 16, as in the data).
    bias : mapping of (kind, group, other group) to float
        B: S with the group second minus S with the group first, in [-2, 2]; positive favours ``group``.
    favour : mapping of kind to float
        Log-odds by which a woman is preferred to a man and to a neutral name; neutral to man is 0.
    position : float
        Log-odds of the second name between equals: negative, the first name is favoured.
    scenario_sd, taste_sd, pair_sd : float
        Standard deviations in log-odds: of the scenario's own position effect, its liking for each group, and a name
        pair's advantage for one name.
    answer_rates : tuple of float
        Probability that the story as written, and each of the four rewordings in turn, gets an answer.
    """

    scores: Mapping[tuple[str, str, str], float]
    bias: Mapping[tuple[str, str, str], float]
    favour: Mapping[str, float]
    position: float
    scenario_sd: float
    taste_sd: float
    pair_sd: float
    answer_rates: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SocialNormsTruth:
    """What the simulation of `social_norms` put in, on the scale where A is 0 and E is 4.

    Attributes
    ----------
    item_means : mapping of item to float
        Latent mean of the people's answers, before the shifts of their groups.
    shifts : mapping of attribute to mapping of group to float
        Added to the latent answer of the group's members; all other attributes have no effect at all.
    family : mapping of model to str
        The model's family: low, middle or high.
    bias : mapping of model to float
        Added to the item's mean in the model's latent answer.
    refusal : mapping of model to float
        Probability that the model refuses an item.
    closest : mapping of (family, attribute) to str
        The group whose answers are nearest to the family's, for attributes that have an effect. For the other
        attributes no group is nearer than another.
    person_sd, answer_sd, model_sd : float
        Standard deviations: of a person, of one answer, and of a model's own view of an item.
    """

    item_means: Mapping[str, float]
    shifts: Mapping[str, Mapping[str, float]]
    family: Mapping[str, str]
    bias: Mapping[str, float]
    refusal: Mapping[str, float]
    closest: Mapping[tuple[str, str], str]
    person_sd: float
    answer_sd: float
    model_sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StagedValuesTruth:
    """What the simulation of `staged_values` put in, on the composite scale (-100 to 100).

    Attributes
    ----------
    weights : mapping of trait to float
        Weights of the composite: sum of weight x (score - 10).
    lean : mapping of model to float
        Each model's composite, without stage and judges. Model 04 is at 0: it leans to no side.
    composite : mapping of (model, stage) to float
        Mean composite that the three judges give in new scenarios, their offsets, rounding and the ends of the
        scale included.
    stage : mapping of stage to float
        Added to the composite of every model; each model has its own deviations from it.
    judge_offset : mapping of judge to float
        Added to every composite that the judge gives; their mean is the judges' neutral point.
    control : mapping of control text to float
        Composite of the text before the judge's offset.
    commitment : mapping of (model, stage) to float
        Mean commitment, 0 to 5, rounding and the ends of the scale included.
    wording_sd : mapping of stage to float
        Standard deviation of the composite over wordings, where there are three.
    scenario_sd, interplay_sd, trait_sd : float
        Standard deviations: of a scenario's composite, of a model's own composite in a scenario, and of one
        trait score.
    """

    weights: Mapping[str, float]
    lean: Mapping[str, float]
    composite: Mapping[tuple[str, str], float]
    stage: Mapping[str, float]
    judge_offset: Mapping[str, float]
    control: Mapping[str, float]
    commitment: Mapping[tuple[str, str], float]
    wording_sd: Mapping[str, float]
    scenario_sd: float
    interplay_sd: float
    trait_sd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleConflictTruth:
    """What the simulation of `role_conflict` put in, all in log-odds.

    Attributes
    ----------
    strengths : dict of str to float
        Log-strength of each role; only differences have a meaning.
    urgency : float
        Added for each step that a role's urgency is above the other's.
    order : float
        Added to the log-odds of the role shown first (and so subtracted from those of the other).
    pair_sd : float
        Standard deviation of the pair's own deviation. Because of it, a model without pair effects estimates
        strengths and effects that are smaller by a factor near ``1 / sqrt(1 + 0.346 pair_sd**2)``.
    values : dict of str to dict of str to float
        Domain of the chosen role, value -> chance that a story cites it. They add to 1.176, the values a story cites.
    person_right, judge_right : float
        Chance that one person, or one judge, labels a story as the reference does.
    """

    strengths: dict[str, float]
    urgency: float
    order: float
    pair_sd: float
    values: dict[str, dict[str, float]]
    person_right: float
    judge_right: float
