"""Real data sets whose counts are published facts: journal citations, baseball, ice hockey."""

from __future__ import annotations

from typing import TYPE_CHECKING

from socialstats.datasets.catalogue import describe

if TYPE_CHECKING:
    import pandas as pd


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
