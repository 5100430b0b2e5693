"""Cautions about a log as a whole: what is easily misread in it."""

from __future__ import annotations

import numpy as np

from socialstats.claims.bench import Bench
from socialstats.errors import Caution, caution
from socialstats.inference.dependence import FEW_CLUSTERS
from socialstats.text import count, listing, quoted


def traps(bench: Bench, cluster: str) -> tuple[Caution, ...]:
    """Return the cautions of a log, rows without scores first."""
    return (*lost_rows(bench), *clusters_ignored(bench, cluster), *few_clusters(bench, cluster))


def lost_rows(bench: Bench) -> list[Caution]:
    """Caution SS301 where rows have no score, and the reader of the log has not said so."""
    if any("status" in note for note in bench.log.notes):
        return []
    status = bench.table.status
    without = {str(s): int(np.sum(status == s)) for s in dict.fromkeys(status.tolist()) if s != "ok"}
    if not without:
        return []
    said = listing([f"{n:,} {name}" for name, n in without.items()])
    detail = f"{count(sum(without.values()), 'row')} of {len(status):,} without a score ({said})"
    return [caution("SS301", detail, affects="means, where rows without a score differ from the others",
                    fix="read each number with the count of rows behind it")]  # fmt: skip


def clusters_ignored(bench: Bench, cluster: str) -> list[Caution]:
    """Caution SS201 where the log prints standard errors that ignore the clusters we see."""
    plain = [c for c in bench.claims if c.quantity == "std_error" and not c.settings.get("cluster")]
    if not cluster or not plain:
        return []
    levels = len(bench.table.column(cluster)[1])
    return [caution(
        "SS201", f"{count(len(plain), 'standard error')} take units as independent; column {quoted([cluster])} has "
        f"{levels:,} values", affects="standard errors and intervals of the log",
        fix="our intervals use the clusters; say another column, or 'none', where they are not what depends",
    )]  # fmt: skip


def few_clusters(bench: Bench, cluster: str) -> list[Caution]:
    """Caution SS202 where our own intervals rest on few clusters."""
    levels = len(bench.table.column(cluster)[1]) if cluster else FEW_CLUSTERS
    if levels >= FEW_CLUSTERS:
        return []
    return [caution("SS202", f"{levels} levels of {quoted([cluster])}", affects="our intervals, which are approximate",
                    fix="more clusters")]  # fmt: skip
