"""Every bundled data set as a function, and what its simulation put in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from socialstats.datasets.catalogue import data_rows, describe

if TYPE_CHECKING:
    import pandas as pd


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


def role_conflict() -> pd.DataFrame:
    """SIMULATED choices between two social roles whose demands conflict: 13,914 rows with known truth.

    No language model was asked. `socialstats.datasets.simulate_role_conflict` drew the choices with a fixed seed
    from

        logit P(a) = strength_a - strength_b + 0.5 (urgency_a - urgency_b) + 0.3 first + pair,

    with ``first`` +1 where role a was shown first and -1 where b was, and ``pair`` normal with standard deviation 0.5,
    drawn once per pair. The nine choices of a pair are therefore dependent: cluster by pair. The order shown is random
    and exactly balanced in each combination of urgencies. Gender and religion have no effect: counterparts such as
    father, mother and parent have the same strength.

    Returns
    -------
    pandas.DataFrame
        A new one at each call; ``attrs["simulated"]`` is True. 1,546 pairs of 65 roles (different domains, not
        of two different genders) in 3 x 3 urgencies, with the columns

        - ``scenario``: number of the story, 1 to 13,914;
        - ``role_a``, ``role_b``: the two roles; which is a was drawn once a pair;
        - ``domain_a``, ``domain_b``: family, occupation, society, interpersonal or religion;
        - ``urgency_a``, ``urgency_b``: urgency of what each role asks for: 1 routine, 2 important but
          deferrable, 3 critical;
        - ``first``: the role shown first, as option (A);
        - ``choice``: the role that was given priority. There are no ties;
        - ``values``: one or two values that the choice is given for, separated by a semicolon.

    Examples
    --------
    >>> data = role_conflict()
    >>> len(data), data["role_a"].nunique() <= 65, data.attrs["simulated"]
    (13914, True, True)
    """
    return describe("role_conflict").load()


def role_conflict_roles() -> pd.DataFrame:
    """Return the 65 roles of `role_conflict` and the groups they belong to.

    Returns
    -------
    pandas.DataFrame
        A new one at each call. Empty text: the attribute does not apply. Columns:

        - ``role``, ``domain``;
        - ``gender``: male, female or empty; decides which roles can meet;
        - ``gender_in_family``: male, female, neutral or empty;
        - ``kinship``: kin, non-kin or empty;
        - ``income``: high, low or empty, for occupations;
        - ``religion``: christianity, islam, judaism, buddhism, hinduism or empty.

    Examples
    --------
    >>> role_conflict_roles()["domain"].value_counts().to_dict()
    {'occupation': 24, 'family': 18, 'religion': 10, 'interpersonal': 8, 'society': 5}
    """
    return describe("role_conflict_roles").load()


def role_conflict_labels() -> pd.DataFrame:
    """SIMULATED labels of 300 stories of `role_conflict`: which of the two situations is more urgent.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, one row per story and rater, with the columns

        - ``scenario``: number of the story;
        - ``rater``: reference (the urgencies that the story was written for), person 1 to 3, judge 1 to 3;
        - ``kind``: reference, person or judge;
        - ``label``: A (role a's is more urgent), Tie or B.

    Examples
    --------
    >>> role_conflict_labels()["kind"].value_counts().to_dict()
    {'person': 900, 'judge': 900, 'reference': 300}
    """
    return describe("role_conflict_labels").load()


def role_conflict_truth() -> RoleConflictTruth:
    """Return the strengths and effects from which `role_conflict` was simulated.

    Examples
    --------
    >>> truth = role_conflict_truth()
    >>> truth.urgency, truth.order, truth.strengths["father"] == truth.strengths["mother"]
    (0.5, 0.3, True)
    """
    from socialstats.datasets import simulate_role_conflict as made

    strengths = {
        row["role"]: float(row["strength"]) for row in data_rows("role_conflict_truth.csv")
    }
    return RoleConflictTruth(
        strengths=strengths,
        urgency=made.URGENCY_EFFECT,
        order=made.ORDER_EFFECT,
        pair_sd=made.PAIR_SD,
        values=made.true_story_shares(),
        person_right=made.PERSON_RIGHT,
        judge_right=made.JUDGE_RIGHT,
    )


def norm_goal() -> pd.DataFrame:
    """SIMULATED actions of people and of a model where a norm stands against a goal: 11,520 rows, known truth.

    No one was asked. `socialstats.datasets.simulate_norm_goal` drew the actions with a fixed seed. There are 960
    stories: 160 scenarios in six conditions. In each, seven of 140 people and five runs of a model choose one of three
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

    No one was asked. `socialstats.datasets.simulate_relationship_bias` drew the answers with a fixed seed: 29
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

    No one was asked. `socialstats.datasets.simulate_social_norms` drew the answers with a fixed seed: latent values
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

    No one was asked. `socialstats.datasets.simulate_staged_values` drew the scores with a fixed seed: 20 scenarios
    in six stages, one column per trait. Wording 1 is the full design (2,880 rows); stages 1 and 4 have wordings 2 and
    3 as well. The composite, the sum of weight x (score - 10), is that of

        model and stage + scenario + model in scenario + wording + judge,

    and a judge's offset moves every model alike: compare with the judges' neutral point in `staged_values_controls`.

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


def journal_citations() -> pd.DataFrame:
    """Citations between four statistics journals, as counts of pairs (Stigler, 1994).

    A journal wins a comparison each time the other journal cites it. Six rows, one a pair of journals;
    citations of a journal by itself are left out. Make the design with ``Comparisons.from_counts(data)``.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``item_a``, ``item_b``: Biometrika, Comm Statist (Communications in Statistics), JASA (Journal of the
          American Statistical Association) or JRSS-B (Journal of the Royal Statistical Society, Series B);
        - ``wins_a``: citations of ``item_a`` by ``item_b``;
        - ``wins_b``: citations of ``item_b`` by ``item_a``.

    References
    ----------
    Stigler, S. M. (1994). Citation patterns in the journals of statistics and probability. Statistical Science,
    9(1), 94-108. doi:10.1214/ss/1177010655

    Examples
    --------
    >>> journal_citations().iloc[0].to_dict()
    {'item_a': 'Biometrika', 'item_b': 'Comm Statist', 'wins_a': 730, 'wins_b': 33}
    """
    return describe("journal_citations").load()


def baseball() -> pd.DataFrame:
    """Home and away wins of seven baseball teams, American League East, 1987 season (Agresti, 2002, Table 10.10).

    One row for each of the 42 ordered pairs of teams. ``item_a`` played at home, so in a Bradley-Terry model of
    ``Comparisons.from_counts(data, order="home")`` the order effect is the home advantage. The two rows of a
    pair differ in who was at home.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``item_a``: the home team, by its city; ``item_b``: the visiting team;
        - ``home``: the team at home again, to be named as the order of the design;
        - ``wins_a``: games won by the home team; ``wins_b``: games won by the visiting team.

    References
    ----------
    Agresti, A. (2002). Categorical data analysis (2nd ed.). Wiley. doi:10.1002/0471249688

    Examples
    --------
    >>> data = baseball()
    >>> int(data["wins_a"].sum()), int(data["wins_b"].sum())
    (154, 119)
    """
    return describe("baseball").load()


def ice_hockey() -> pd.DataFrame:
    """Games of men's college ice hockey in the United States, season 2009-10, with ties and home ice.

    One row for each of 1,083 games among 58 teams; 125 games were ties. For the home advantage give the design
    the covariate ``{"home": ("home_visitor", "home_ice")}`` after ``data.assign(home_visitor=0)``: on neutral
    ice its difference is 0.

    Returns
    -------
    pandas.DataFrame
        A new one at each call, with the columns

        - ``date``: year-month-day, as text;
        - ``visitor``, ``opponent``: the two teams; the visitor did not play at home;
        - ``visitor_goals``, ``opponent_goals``: goals of each;
        - ``winner``: the team with more goals, or ``tie``;
        - ``home_ice``: 1 if the opponent played at home, 0 on neutral ice.

    References
    ----------
    Turner, H., & Firth, D. (2012). Bradley-Terry models in R: The BradleyTerry2 package. Journal of Statistical
    Software, 48(9), 1-21. doi:10.18637/jss.v048.i09

    Examples
    --------
    >>> games = ice_hockey()
    >>> len(games), int((games["winner"] == "tie").sum()), int((games["home_ice"] == 0).sum())
    (1083, 125, 69)
    """
    return describe("ice_hockey").load()
