"""The simulated role-conflict data, the truth behind them, and the roles they are about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from socialstats.datasets.catalogue import describe
from socialstats.datasets.reading import table

if TYPE_CHECKING:
    import pandas as pd


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

    with ``first`` +1 where role a was shown first and -1 where b was, and ``pair`` normal with standard
    deviation 0.5, drawn once a pair, so that the nine choices of a pair are dependent: cluster by pair.
    The order shown is random and exactly balanced in each combination of urgencies. Gender and religion have no
    effect: counterparts such as father, mother and parent have the same strength.

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
        A new one at each call, one row a story and rater, with the columns

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
    from socialstats.datasets import simulate_role_values as cited

    strengths = {row["role"]: float(row["strength"]) for row in table("role_conflict_truth.csv")}
    return RoleConflictTruth(
        strengths=strengths, urgency=made.URGENCY_EFFECT, order=made.ORDER_EFFECT, pair_sd=made.PAIR_SD,
        values=cited.true_story_shares(), person_right=cited.PERSON_RIGHT, judge_right=cited.JUDGE_RIGHT,
    )  # fmt: skip
