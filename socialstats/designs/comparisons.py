"""Paired comparisons: items, who won, factors of the rows; and how they are made of tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from socialstats.designs.aliases import (
    ColumnOption,
    Given,
    Missing,
    Names,
    NaTexts,
    Pair,
    Texts,
)
from socialstats.designs.comparisons_data import ComparisonsData
from socialstats.designs.comparisons_reading import build
from socialstats.designs.constructors import Constructors
from socialstats.designs.options import Options, WinnerCoding, among
from socialstats.designs.ranks import ranked_comparisons
from socialstats.errors import InputError
from socialstats.tables import as_table
from socialstats.voice import option

__all__ = ["Comparisons"]


class Comparisons(Constructors, ComparisonsData):
    """A checked table of paired comparisons, as cells.

    Attributes
    ----------
    items : tuple of str
        Labels, sorted by code point.
    item_a, item_b : (cells,) int64 arrays
        Indexes into `items`; ``item_a != item_b``.
    outcome : (cells,) int8 array
        ``A_WON``, ``B_WON`` or ``TIED``.
    first : (cells,) int8 array
        +1 where item_a was shown first, -1 where item_b was.
    order_known : bool
        False when nothing declared who was shown first; `first` is then all +1, and studies estimate no order effect.
    count : (cells,) float64 array
        Rows in the cell.
    weight, weight_sq : (cells,) float64 arrays
        Sum of the rows' weights and of their squares (both equal `count` without weights).
    covariates : mapping of str to Covariate
    by : Factor or None
    clusters : tuple of Factor
        Declared dependence, at most two crossed factors are used together.
    flow : tuple of FlowStep
        From rows read to rows analysed.
    source : str
        File name or ``data frame``.
    columns : mapping of str to str
        Which column of the user's table plays which part.
    weighted : bool
    ties_possible : bool
        False where the table has no way to say that a comparison was tied: no column, no declared label, no tie.
    cited : Factor or None
        Text of the labels that a row cites (such as values); "" where it cites none.
    refused : Comparisons or None
        Rows whose reply is a refusal, as ties; they are in no count of the design itself.
    unread : Comparisons or None
        The same of replies that are missing or unreadable.
    cautions : tuple of Caution
        What was noticed while reading: rows left out, labels that are nearly the same.
    replies : Replies or None
        Where the winners are probabilities: the reply that each cell is a part of, with its part as `count`.
    scan : Scan or None
        Clusters that stay with the table, and are not among `clusters`; `whole` reads them into the cells.

    Examples
    --------
    >>> import socialstats as ss
    >>> table = {"item_a": ["ash", "ash", "elm"], "item_b": ["elm", "oak", "oak"], "winner": ["ash", "tie", "oak"]}
    >>> design = ss.Comparisons.from_frame(table)
    >>> design.items, design.outcome.tolist(), design.count.tolist()
    (('ash', 'elm', 'oak'), [0, 2, 1], [1.0, 1.0, 1.0])
    """

    __slots__ = ()

    # those of the data are of this class as well
    refused: Comparisons | None
    unread: Comparisons | None

    @classmethod
    def of(cls, design: Any) -> Self:
        """Return the data that readers made, as comparisons; replies without a choice too."""
        done = super().of(design)
        return replace(done, **done.aside(cls.of))

    @classmethod
    def from_frame(
        cls,
        data: Any,
        *,
        item_a: str | None = None,
        item_b: str | None = None,
        winner: str | None = None,
        drawn: str | None = None,
        score_a: str | None = None,
        score_b: str | None = None,
        order: ColumnOption = None,
        covariates: Texts | Mapping[str, Pair] | None = None,
        weight: str | None = None,
        count: ColumnOption = None,
        by: str | None = None,
        values: ColumnOption = None,
        cluster: Names = (),
        repeat: Names = (),
        tie: Names = ("tie",),
        refusal: Names = (),
        status: str | None = None,
        missing: Missing = "error",
        winner_coding: WinnerCoding = "auto",
        na: NaTexts = (),
        allowed: Mapping[str, Sequence[Any]] | None = None,
        source: str = "data frame",
    ) -> Comparisons:
        """Build the design from a data frame of any engine that narwhals knows.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
            One row a comparison. Rows are counted where the data live; only distinct rows leave the engine.
        item_a, item_b : str, optional
            Columns of the two items. By default ``item_a``/``item_b`` or an alias (``role_a``/``role_b``,
            ``model_a``/``model_b``, ``player1``/``player2``, ``left``/``right``, ...).
        score_a, score_b : str, optional
            Columns of the two items' scores, instead of `winner`: the higher one wins, equal ones are a tie.
        winner : str, optional
            Column that says who won: the label of one of the two items, a tie label, or a side (see
            `winner_coding`). By default ``winner`` or an alias (``choice``, ``result``, ``preferred``, ...).
        drawn : str, optional
            Column that says yes or no, beside `winner`: where yes, the row is a tie, whatever its winner.
        order : str or False, optional
            Column that says who was shown first: an item's label, a side, or +1/-1. ``"item_a"`` (``"item_b"``): the
            first (second) item column always was, whatever it is called. False: not declared. By default the column
            ``order`` or an alias; without one `order_known` is False, and studies estimate no order effect.
        covariates : sequence of str, mapping of str to pair of columns, optional
            By default every pair of columns ``X_a``/``X_b`` (or ``X_i``/``X_j``, ``X_1``/``X_2``, ``a_X``/``b_X``,
            or with the words that distinguish the item columns) is covariate ``X``; ``()`` for none.
        weight : str, optional
            Column of sampling weights: finite, from 0 upwards. Rows of weight 0 are left out, and counted in `flow`.
        count : str or False, optional
            Column of frequencies: how many comparisons the row stands for, whole numbers from 0 upwards. By default a
            column called ``count``, ``n``, ``freq``, ... beside rows that are all different (caution SS323). False:
            there is none.
        by : str, optional
            Column that splits the table (for example the model).
        values : str or False, optional
            Column of the labels that each row cites (`cited`). By default ``values``, if there is one.
        cluster : str or sequence of str
            Columns whose rows are not independent of each other; ``"pair"`` for the pair of items.
        repeat : str or sequence of str
            Columns that number the answers to one question (run, sample, seed). Repeats are no units: they lie within
            the declared clusters, or within those of the pair of items where none is declared.
        tie, refusal : str or sequence of str
            Labels that mean a tie; winners that mean that no choice was made (kept aside, in `refused`). By default
            labels that begin with a word for a tie are ties, such as ``draw`` and ``tie (bothbad)``.
        status : str, optional
            Column that says ``ok``, ``corrected`` (a choice that took back another) or ``refusal``; anything else
            means that there is no choice (kept aside, in `unread`). By default ``answer_status``, where there is one.
            Beside it ``blocked`` in a column ``reply_status`` is a refusal.
        missing : {"error", "drop"}
            Missing values are an error that lists their rows, or are left out and counted in `flow`.
        winner_coding : {"auto", "label", "side", "score", "grade", "probability"}
            What `winner` holds. ``"auto"`` decides once for the whole column: labels, if every value is explained by
            labels; a side, if every value is; else an error. ``"score"``: 1 (TRUE), 0.5 or 0 (FALSE), the share of
            the first item. ``"grade"``: above 0 the first item was better, below 0 the second, and 0 is a tie. How much
            better is not used. ``"probability"``: from 0 to 1, the probability of
            the first item in one reply, as from log-probabilities (`replies`; a column ``p_rest`` is the probability of
            other answers).
        na : str, sequence of str, or False
            Texts that mean a missing value, beside those of pandas.read_csv, ``.`` and -2147483648 (R's NA). They
            do unless they are declared as something else. Numbers mean that among values, not among names of units,
            items or raters. False: empty fields alone are missing.
        allowed : mapping of str to sequence, optional
            The only values that a covariate may have.
        source : str
            Name for messages.

        Returns
        -------
        Comparisons

        Raises
        ------
        DesignError
            When columns are missing: names them, where they were looked for, and the likeliest cure.
        InputError
            When values are wrong: up to 20 problems of all kinds at once, with their rows.
        NothingToAnalyse
            When no row is left.

        Examples
        --------
        >>> rows = {"left": ["nurse", "nurse", "son"], "right": ["son", "judge", "judge"],
        ...         "winner": ["left", "tie", "right"]}
        >>> design = Comparisons.from_frame(rows, item_a="left", item_b="right")
        >>> design.items, design.n_rows, design.n_ties, design.order_known
        (('judge', 'nurse', 'son'), 3, 1, False)
        >>> Comparisons.from_frame(rows, item_a="left", item_b="right", order="item_a").order_known
        True
        """
        options = among(Options, locals(), allowed=allowed or {})
        return cls.of(build(as_table(data, source), options))

    @classmethod
    def from_counts(
        cls,
        data: Any,
        *,
        wins_a: str | None = None,
        wins_b: str | None = None,
        ties: str | None = None,
        source: str = "data frame",
        **options: Any,
    ) -> Comparisons:
        """Build the design from a table that was counted already: one row per pair, with how often each side won.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
        wins_a, wins_b, ties : str, optional
            Columns of counts: whole numbers from 0 upwards. By default ``wins_a`` and ``wins_b`` or an alias (``win1``,
            ``home.wins``, ...), and ``ties`` (``tie``, ``tied``, ``draws``, ...) where there is one, in any case.
        source : str
            Name for messages.
        **options
            ``item_a``, ``item_b``, ``order``, ``covariates``, ``weight``, ``by``, ``cluster``, ``missing``,
            ``na``, ``allowed`` as in `from_frame`.

        Examples
        --------
        >>> table = {"item_a": ["JASA"], "item_b": ["Biometrika"], "wins_a": [320], "wins_b": [498]}
        >>> Comparisons.from_counts(table).n_rows
        818
        """
        named = Options(wins_a=wins_a, wins_b=wins_b, ties=ties, **options)
        return cls.of(build(as_table(data, source), named))

    @classmethod
    def from_ranks(
        cls, data: Any, *, ranks: Texts, source: str = "data frame", **options: Any
    ) -> Comparisons:
        """Build the design from rankings: one row each, with the rank of every item in a column of its own.

        Each two items of a ranking are a comparison that the one of the lower rank won; equal ranks are a tie. These
        comparisons depend on each other: each ranking is a cluster, unless a cluster that holds rankings is declared.

        Parameters
        ----------
        data : data frame, DuckDB relation, mapping of columns, or Table
        ranks : sequence of str
            Columns of ranks, three or more; 1 is the best. Items are called like them, without the words that all of
            them share.
        source : str
            Name for messages.
        **options
            ``by``, ``cluster``, ``missing``, ``na`` as in `from_frame`. With ``missing="drop"`` an item without a rank
            was not compared.

        Examples
        --------
        >>> table = {"rank_x": [1, 2, 1], "rank_y": [2, 1, 3], "rank_z": [3, 3, 2]}
        >>> design = Comparisons.from_ranks(table, ranks=["rank_x", "rank_y", "rank_z"])
        >>> design.items, design.n_rows, design.clusters[0].name
        (('x', 'y', 'z'), 9, 'ranking')
        """
        return cls.of(ranked_comparisons(data, ranks, source, Options(**options)))

    @classmethod
    def from_keywords(cls, data: Any, options: Given) -> Comparisons:
        """Make comparisons of a table, as `Comparisons.from_frame`, `from_counts` or `from_ranks` does.

        Raises
        ------
        InputError
            For a column of winners beside columns of counts, and as the constructors.
        """
        if options.get("ranks"):
            return cls.from_ranks(data, **options)
        design = build(as_table(data), Options(**options))
        unused = [
            name
            for name in ("winner", "wins_a", "wins_b", "ties")
            if options.get(name) and name not in design.columns
        ]
        if unused:
            read = ", ".join(
                option(name, design.columns[name])
                for name in ("winner", "wins_a")
                if name in design.columns
            )
            raise InputError(
                f"{design.source}: {option(unused[0], options[unused[0]])} does not go with {read}: a table has one "
                f"row per comparison and {option('winner')}, or counts and {option('wins_a')}, {option('wins_b')}, "
                f"{option('ties')}. Leave one of them out"
            )
        return cls.of(design)
