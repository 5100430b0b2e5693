"""Bradley-Terry models of paired comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from socialstats.choices.bradley_terry.covariance import WhitenedRows, row_sandwich
from socialstats.choices.bradley_terry.definition import MODEL
from socialstats.choices.bradley_terry.fitting import (
    Fitted,
    fit_firth,
    fit_mm,
    fit_newton,
    require_connected,
    require_identified,
    require_not_separated,
    win_graph,
)
from socialstats.choices.bradley_terry.likelihoods import (
    LIKELIHOODS,
    BradleyTerry,
    PairData,
    information,
    log_likelihood,
    pair_data,
    with_ghost,
)
from socialstats.choices.bradley_terry.model import (
    BradleyTerryOptions,
    Components,
    FitState,
    Penalty,
    Solver,
    Strengths,
    Ties,
    Vcov,
    add_zero_covariates,
    effect_columns,
    refuse_sizes,
    streamed_terms,
)
from socialstats.choices.bradley_terry.result import BradleyTerryResult, make_result
from socialstats.choices.bradley_terry.streamed import StreamedRows, row_blocks
from socialstats.designs.calls import TableLike
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.parts import Factor
from socialstats.designs.scan import Spool
from socialstats.errors import InputError, MleDoesNotExist, NonConvergence, NothingToAnalyse
from socialstats.inference.cluster_blocks import Block
from socialstats.inference.dependence import few_pairs, stored_clusters
from socialstats.inference.robust import Robust, cluster_robust, robust_of_blocks
from socialstats.registry import Metric, reads
from socialstats.results import Result, ResultGroup, Row
from socialstats.results.rows import lowest_and_highest
from socialstats.sentences import estimate_text as estimated
from socialstats.sentences import (
    is_significant,
    name_of_interval,
    no_number,
    reliable,
    stat,
    statistic_of,
    with_p,
)
from socialstats.text import as_words, count, interval, listing, number, quoted, shorten
from socialstats.voice import option

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUSPICIOUS_ETA = 20.0  # a linear predictor this large means odds of 5e8: look for separation


@reads(Comparisons, scans=True, streams=True, square=True)
def bradley_terry(
    comparisons: Comparisons | TableLike,
    formula: str | None = None,
    *,
    ties: Ties = "auto",
    order: bool | None = None,
    strengths: Strengths = "free",
    cluster: str | Sequence[str] | None = "auto",
    vcov: Vcov = "auto",
    penalty: Penalty | None = None,
    prior: float = 0.0,
    components: Components = "error",
    solver: Solver = "newton",
    reference: str | None = None,
    level: float = 0.95,
    by: str | None = "declared",
    **columns: Any,
) -> BradleyTerryResult | ResultGroup:
    """Estimate the strengths of items from paired comparisons, with errors that allow for dependence in the design.

    The probability that i beats j is p_i / (p_i + p_j) (Bradley & Terry 1952). Estimates are the log-strengths
    log p_i, with sum zero unless `reference` is given. A difference of two is a log-odds.

    Parameters
    ----------
    comparisons : Comparisons, data frame, mapping of columns, or path of a file
        A data frame is passed to `Comparisons.from_frame` with its standard column names.
    formula : str, optional
        One-sided formula in covariates of the sides, such as ``"~ urgency"``: each side is evaluated alone and
        side b subtracted from side a. Covariates that belong to the items need ``strengths="none"``. Covariates
        that differ in most rows, such as lengths, stay with a lazy table, and with one of a million rows. Each step of
        Newton's method then reads all rows, in parts. Formulas run code: terms beyond the grammar of docs/formulas.md
        are evaluated as Python. Pass no text of others that you have not read.
    ties : {"auto", "davidson", "rao_kupper", "half", "none"}
        ``auto`` is Davidson's model when there are ties. ``half`` counts a tie as half a win for each side,
        which shrinks the strengths (to about 68% at 30% ties). It serves comparisons with other tools.
    order : bool, optional
        Adds the effect of being shown first (log-odds), as the design declares it (``order=`` of
        `Comparisons.from_frame`). By default it is in the model where the design declares it. With True and no
        declaration item_a counts as first, which caution SS106 says.
    strengths : {"free", "none"}
        ``none`` explains the outcomes by the formula alone.
    cluster : str, sequence of two str, or None
        ``"declared"`` uses the design's clusters, ``"pair"`` the pairs of items, None ignores clusters (and says
        so in caution SS201). ``"auto"``: the declared ones, else the pairs where they repeat and are at least five more
        than the strengths that are estimated, else none. Standard errors are CR2 with Satterthwaite's degrees of
        freedom for each number. For two crossed clusters the largest of V1, V2 and V1 + V2 - V12 is taken, with
        Cochran's degrees of freedom.
        What rests on one cluster alone, such as an item met in one pair, has no interval (caution SS209).
    vcov : {"auto", "model", "sandwich", "cluster"}
        ``auto``: cluster-robust where there are clusters; sandwich by row for half-ties or weights; else model.
    penalty : {"firth"}, optional
        Jeffreys-prior penalised likelihood (Firth 1993): finite whatever the wins.
    prior : float
        Pseudo-wins and pseudo-losses of every item against a ghost item.
    components : {"error", "separate"}
        What to do when no finite estimate exists because the win graph is not strongly connected.
    solver : {"newton", "mm"}
        ``mm`` is the iteration of the role-conflict paper; same estimates.
    reference : str, optional
        Item whose log-strength is set to zero.
    level : float
        Confidence level.
    by : {"declared"} or None
        Fits one model for each level of the design's `by` factor, if it has one.
    **columns
        Of a data frame or file: its columns, by the keywords of `read_comparisons`.

    Returns
    -------
    BradleyTerryResult, or ResultGroup
        Rows of group ``strength`` (log-strengths), ``order``, ``covariate`` (log-odds per unit of difference) and
        ``tie`` (``log_nu`` of Davidson, ``log_theta`` of Rao and Kupper). Tests are against zero.

    Raises
    ------
    MleDoesNotExist
        Unbeaten or winless items, separate groups, or separated covariates: names them and the ways out.
    NotIdentified
        Covariates that the data cannot tell from strengths or from each other.
    NonConvergence
        If an iteration stops early.

    Notes
    -----
    Winners may be probabilities of item_a in a reply (``winner_coding="probability"`` of `Comparisons.from_frame`). The
    same equations then maximise a quasi-likelihood (Wedderburn 1974; Papke & Wooldridge 1996): the mean of a reply's
    probability is modelled, its variance is not. Errors are robust, by cluster or else by reply (HC2). What assumes
    drawn winners is refused: model errors, Firth's penalty, likelihood ratios, AIC, goodness of fit.

    References
    ----------
    Bradley & Terry (1952). doi:10.2307/2334029. Ford (1957). doi:10.2307/2308513. Davidson (1970).
    doi:10.1080/01621459.1970.10481082. Rao & Kupper (1967). doi:10.1080/01621459.1967.10482901.

    Bell & McCaffrey (2002). Survey Methodology 28. Pustejovsky & Tipton (2018). doi:10.1080/07350015.2016.1247004.
    Cameron, Gelbach & Miller (2011). doi:10.1198/jbes.2010.07136. Cochran (1964). doi:10.2307/2528069.

    Wedderburn (1974). doi:10.1093/biomet/61.3.439. Papke & Wooldridge (1996).
    doi:10.1002/(SICI)1099-1255(199611)11:6<619::AID-JAE418>3.0.CO;2-1.

    Examples
    --------
    >>> import pandas as pd
    >>> from socialstats import Comparisons
    >>> games = pd.DataFrame({
    ...     "item_a": ["nurse", "nurse", "judge", "judge", "pilot", "pilot"],
    ...     "item_b": ["judge", "pilot", "pilot", "nurse", "nurse", "judge"],
    ...     "winner": ["nurse", "pilot", "judge", "nurse", "nurse", "pilot"]})
    >>> fit = bradley_terry(Comparisons.from_frame(games))
    >>> {item: round(value, 4) for item, value in fit.coef().items()}
    {'judge': -0.7563, 'nurse': 0.7563, 'pilot': 0.0}
    """
    options = BradleyTerryOptions(
        formula=formula,
        ties=ties,
        order=order,
        strengths=strengths,
        cluster=cluster,
        vcov=vcov,
        penalty=penalty,
        prior=prior,
        components=components,
        solver=solver,
        reference=reference,
        level=level,
    )
    return _fit_or_separate(comparisons, options)


def _fit_or_separate(
    design: Comparisons, options: BradleyTerryOptions
) -> BradleyTerryResult | ResultGroup:
    if design.n_rows == 0:
        raise NothingToAnalyse("no comparisons to analyse")
    resolved = options.settle(design)
    try:
        result = _fit_design(design, resolved)
    except MleDoesNotExist as error:
        if options.components == "separate" and error.components:
            return _fit_separately(design, options, error)
        raise
    # nobody declared clusters, and the pairs were too few to be taken as such
    independent = options.cluster == "auto" and resolved.cluster is None
    few = few_pairs(design, len(design.items) - 1) if independent else ()
    return replace(result, cautions=(*few, *result.cautions))


def _fit_design(design: Comparisons, options: BradleyTerryOptions) -> BradleyTerryResult:
    streamed = streamed_terms(design, options)
    if streamed is None:
        design = design.whole()
        streamed = ()
    design, stored = stored_clusters(design, options.cluster)
    streamed = () if design.scan is None else streamed
    ties = options.tie_model(design)
    model = LIKELIHOODS[ties]
    # streamed covariates are 0 in every cell: their rows pass by in `_stream_rows`
    z, names = effect_columns(
        add_zero_covariates(design, streamed), options.formula, order=bool(options.order)
    )
    data = pair_data(design, z, names, free=options.strengths == "free")
    scan = design.scan if stored else None
    factors = design.factors(options.cluster) if scan is None else scan.factors(stored)
    spool = None
    if design.scan is not None and streamed:
        spool = Spool(design.scan, streamed, factors)
        data = _stream_rows(design, data, spool)
    clashing = [name for name in (*names, model.tie_term) if name in design.items[: data.n_items]]
    if clashing:  # every row of the result has a name of its own
        raise InputError(
            f"item {quoted(clashing)} has the name of a term of this model; "
            f"relabel it first: comparisons.relabel({{{clashing[0]!r}: ...}})"
        )
    if options.reference is not None and options.reference not in design.items:
        raise InputError(
            f"{option('reference', options.reference)} is not an item; items: "
            f"{', '.join(design.items[:20])}"
        )
    # Ford's condition: a penalty needs only that all items hang together, pseudo-wins need nothing
    if (
        data.n_items
        and not options.prior
        and (options.penalty is None or len(win_graph(data).groups) > 1)
    ):
        require_connected(data, design.items)
    require_identified(data)  # covariates that are sums of item effects, or of each other
    fitted = _maximise(data, model, options)
    probable = design.replies is not None
    kind = options.covariance_kind(len(factors), ties, design.weighted, probable)
    covariance = fitted.covariance
    robust = None
    adjusted = False
    if kind == "cluster":
        robust = _cluster_covariance(design, data, model, fitted, factors, spool)
        covariance, adjusted = robust.covariance()
    elif kind == "sandwich":
        covariance = row_sandwich(data, model, fitted.beta, covariance)
    state = FitState(
        data=data,
        model=model,
        fitted=fitted,
        covariance=covariance,
        adjusted=adjusted,
        kind=kind,
        factors=factors,
        robust=robust,
        options=options,
        ties=ties,
        streamed=streamed,
        reference=None if options.reference is None else design.items.index(options.reference),
        probable=probable,
    )
    return make_result(design, state)


def _stream_rows(design: Comparisons, data: PairData, spool: Spool) -> PairData:
    """Return data whose rows are those of a spool."""
    columns = [data.n_items + data.z_names.index(name) for name in spool.names]
    rows = StreamedRows(
        data, columns, design.item_a > design.item_b, lambda: row_blocks(spool.parts())
    )
    # cells have been checked in `effect_columns`, and these columns are 0 there
    largest = np.zeros(len(spool.names))
    for part in row_blocks(spool.parts()):
        np.maximum(largest, np.abs(part.z).max(axis=0, initial=0.0), out=largest)
    refuse_sizes(largest[None, :], spool.names)
    return replace(data, rows=rows)


def _maximise(data: PairData, model: BradleyTerry, options: BradleyTerryOptions) -> Fitted:
    if options.prior:
        return _remove_ghost(_newton(with_ghost(data, options.prior), model), data, model)
    if options.penalty == "firth":
        return fit_firth(data, model)
    if options.solver == "mm":  # Hunter (2004); Newton's method starts there for the covariance
        worth, sweeps = fit_mm(data)
        beta = np.log(worth) - np.log(worth).mean()
        return replace(fit_newton(data, model, beta=beta), beta=beta, iterations=sweeps)
    return _newton(data, model)


def _newton(data: PairData, model: BradleyTerry) -> Fitted:
    """Maximise the likelihood; where that fails or looks suspicious, say which terms separate the outcomes."""
    try:
        # where outcomes are separated, predictors grow until their odds overflow
        with np.errstate(over="ignore"):
            fitted = fit_newton(data, model)
    except (NonConvergence, np.linalg.LinAlgError) as error:
        require_not_separated(data, model.tie_term)
        if isinstance(error, NonConvergence):
            raise
        raise NonConvergence(
            "the information matrix is singular", iterations=0, gap=np.inf
        ) from error
    largest = np.abs(data.eta_tau(fitted.beta)[0]).max(initial=0.0)
    if data.rows is not None:
        largest = data.rows.at(model, fitted.beta).largest
    if largest > SUSPICIOUS_ETA:
        require_not_separated(data, model.tie_term)
    return fitted


def _remove_ghost(fitted: Fitted, data: PairData, model: BradleyTerry) -> Fitted:
    """Remove the ghost item and centre the others; the log-likelihood is that of the data alone."""
    n = data.n_items
    # the ghost is item n: without it, less the mean of the others
    centre = np.delete(np.eye(len(fitted.beta)), n, axis=0)
    centre[:n, :n] -= 1 / n
    beta = centre @ fitted.beta
    loglik = log_likelihood(data, model, beta)
    return Fitted(
        beta=beta,
        covariance=centre @ fitted.covariance @ centre.T,
        loglik=loglik,
        iterations=fitted.iterations,
    )


def _cluster_covariance(
    design: Comparisons,
    data: PairData,
    model: BradleyTerry,
    fitted: Fitted,
    factors: tuple[Factor, ...],
    spool: Spool | None,
) -> Robust:
    if len(factors) > 2:
        names_text = ", ".join(f"'{factor.name}'" for factor in factors)
        raise InputError(
            f"at most two crossed clusters, got {names_text}; name one or two with {option('cluster')}"
        )

    scan = design.scan
    names = [factor.name for factor in factors]
    all_rows = np.arange(len(design.weight))
    noise = float(design.weight_sq.sum() / design.weight.sum())
    # probabilities can vary less than drawn winners do, and have no least variance
    least = noise if design.replies is None else 0.0
    whitened = WhitenedRows(data, model, fitted.beta)
    # rows with covariates of their own pass by on disk, cluster by cluster
    if spool is not None and data.rows is not None:
        rows_of = data.rows
        p = data.x.shape[1] + (model.tie_term is not None)

        def blocks(k: int) -> Iterator[Block]:
            for part in row_blocks(spool.by_cluster(k)):
                whiten = WhitenedRows(rows_of.block(part), model, fitted.beta)
                yield whiten(np.arange(len(part.cell)), part.weight, list(part.codes))

        robust = robust_of_blocks(
            blocks,
            information(data, model, fitted.beta),
            fitted.covariance,
            spool.ranks(p),
            spool.finer(),
            noise=noise,
            least=least,
        )
    # clusters that stay with the table: its cells by cluster are read in blocks
    elif scan is not None and scan.named(names):
        rows = whitened(all_rows, design.weight, [])[0]
        by_cluster = scan.rows(names)
        robust = robust_of_blocks(
            lambda k: (
                whitened(part.cell, part.weight, part.codes) for part in by_cluster.pairs(k)
            ),
            np.asarray((rows.T @ rows).todense()),
            fitted.covariance,
            by_cluster.ranks(rows.shape[1]),
            by_cluster.finer(),
            noise=noise,
            least=least,
        )
    else:
        rows, residuals, codes = whitened(
            all_rows, design.weight, [factor.codes for factor in factors]
        )
        robust = cluster_robust(rows, residuals, codes, fitted.covariance, noise=noise, least=least)
    for name, size in zip(names, robust.n_clusters, strict=True):
        if size < 2:
            raise InputError(
                f"cluster '{name}' has a single level: its dependence cannot be estimated"
            )
    return robust


def _fit_separately(
    design: Comparisons, options: BradleyTerryOptions, error: MleDoesNotExist
) -> ResultGroup:
    """Fit every strongly connected component on its own comparisons; lone items get an undefined row."""
    results: dict[str, Any] = {}
    # between components no strength is known to be larger: each has a scale of its own
    for k, members in enumerate(error.components, start=1):
        name = f"component {k}"
        item = members[0]
        if len(members) > 1:
            codes = [design.items.index(m) for m in members]
            inside = np.isin(design.item_a, codes) & np.isin(design.item_b, codes)
            results[name] = _fit_or_separate(design.take(inside), options)
            continue
        why = "its wins and losses against the others go in one direction each"
        if item in error.unbeaten:
            why = "it never lost"
        elif item in error.winless:
            why = "it never won"
        row = Row(
            term=item,
            group="strength",
            key=(("item", item),),
            role="estimate",
            undefined=why,
            reason="unidentified",
        )
        results[name] = BradleyTerryResult(
            metric="bradley_terry",
            title="Bradley-Terry model",
            rows=(row,),
            inference="none",
            counts={"rows": 0},
            words=f"The strength of {item} is undefined: {why}.",
        )
    return ResultGroup(by="component", results=results)


def strengths_sentence(result: Result, item: str = "item") -> str:
    """Return a sentence on the largest and smallest log-strength; empty without strengths.

    Parameters
    ----------
    result : Result
    item : str
        Word for an item.
    """
    rows = [r for r in result.rows if r.group == "strength" and r.estimate is not None]
    if not rows:
        return ""
    bottom, top = lowest_and_highest(rows)
    best, worst = (listing([row.term for row in end], 3) for end in (top, bottom))
    high, low = (estimated(end[0]) for end in (top, bottom))
    if len(top) == len(rows) > 1:
        return f"All {count(len(rows), item)} had equal log-strengths ({high})."
    text = f"Of {count(len(rows), item)}, {best} had the largest log-strength ({high})"
    return f"{text} and {worst} the smallest ({low})."


def effect_sentence(row: Row) -> str:
    """Return one effect as a sentence: of the order of presentation, of a covariate, or the parameter of ties."""
    name = as_words(row.term)
    if row.estimate is None or not row.has_interval:
        return no_number(f"the interval of {name}", row.undefined or "no estimate")
    if row.group == "tie":
        # Davidson (1970): nu / (2 + nu) of two equal items; Rao & Kupper (1967): tanh of half the threshold
        share, model = np.exp(row.estimate) / (2 + np.exp(row.estimate)), "Davidson's"
        if row.term != "log_nu":
            share, model = np.tanh(row.estimate / 2), "Rao and Kupper's"
        return (
            f"Two equal items tied with probability {number(float(share), bounded=True)} in {model} model "
            f"({name} = {estimated(row)})."
        )
    tested = with_p(row)
    numbers = f"({stat(row)}, log-odds)"
    if not (is_significant(row) if tested else reliable(row)):
        effect = "order effect" if row.group == "order" else f"effect of one unit of {name}"
        how = "significant" if tested else "reliably different from 0"
        return f"The {effect} was not {how} {numbers}."
    if row.group == "order":
        return f"Items shown {'first' if row.estimate > 0 else 'second'} were preferred {numbers}."
    odds, *ends = np.exp([row.estimate, *(row.ends() or ())]).tolist()
    limits = interval(*ends, level=row.conf_level or 0.95)
    return (
        f"Each unit of {name} multiplied the odds of being chosen by {number(odds)}, "
        f"{name_of_interval(row)}{limits} (log-odds {number(row.shown())}, {statistic_of(row)})."
    )


def sentence(result: Result) -> str:
    """Return sentences on the strongest and weakest item and on every effect."""
    effects = [row for row in result.rows if row.group in ("order", "covariate", "tie")]
    sentences = [strengths_sentence(result), *map(effect_sentence, effects)]
    for name, level in result.settings.get("reference_levels", {}).items():
        sentences.append(f"The reference level of {name} is {shorten(level)}.")
    return " ".join(filter(None, sentences)) or f"{result.title}: no estimates."


def plot(result: Result, ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the strengths (or whatever terms the result has) as a forest."""
    from socialstats.figures import forest

    rows = tuple(r for r in result.rows if r.group == "strength")
    if rows:
        options = {"xlabel": "Log-strength", **options}
    return forest(rows or result.rows, ax=ax, **options)


METRIC = Metric(
    name="bradley_terry",
    title="Strengths from paired comparisons",
    design="comparisons",
    function=bradley_terry,
    sentence=sentence,
    plot=plot,
    definition=MODEL,
    estimand="Log-strengths whose difference is the log-odds that one item is chosen over the other.",
    assumptions=(
        "the odds of two items do not depend on which others were compared (no cycles)",
        "rows are independent within and between the declared clusters only",
    ),
    references=("bradley1952", "ford1957", "davidson1970"),
    swap="invariant",
)
