"""Every bundled data set as a function, and what its simulation put in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from socialstats.datasets.catalogue import data_rows, describe
from socialstats.datasets.truths import (
    NormGoalTruth,
    RelationshipBiasTruth,
    RoleConflictTruth,
    SocialNormsTruth,
    StagedValuesTruth,
)

if TYPE_CHECKING:
    import pandas as pd


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
    import socialstats.datasets.simulate_role_conflict as simulation

    strengths = {
        row["role"]: float(row["strength"]) for row in data_rows("role_conflict_truth.csv")
    }
    return RoleConflictTruth(
        strengths=strengths,
        urgency=simulation.URGENCY_EFFECT,
        order=simulation.ORDER_EFFECT,
        pair_sd=simulation.PAIR_SD,
        values=simulation.true_story_shares(),
        person_right=simulation.PERSON_RIGHT,
        judge_right=simulation.JUDGE_RIGHT,
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
