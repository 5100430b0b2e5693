"""Claims about a report's own results: read before the analysis, checked after it, shown above the results."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from socialstats.studies.page import Outcome

if TYPE_CHECKING:
    from socialstats.claims import Claim


def claims_of(path: str | None) -> tuple[Claim, ...]:
    """Read the claims file that ``--claims`` names; nothing without one."""
    if not path:
        return ()
    from socialstats.claims.files import read_result_claims

    return read_result_claims(path)


def claims_facts(path: str | None) -> dict[str, str]:
    """Return name and hash of the claims file for the reproduce block."""
    return (
        {"claims": path, "claims sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}
        if path
        else {}
    )


def with_claims(outcome: Outcome, claims: Sequence[Claim]) -> tuple[Outcome, bool]:
    """Place the claims with their verdicts above the results.

    Returns
    -------
    Outcome
        With one block more, and one sentence more in the answer; as it was without claims.
    bool
        Whether no claim is wrong.
    """
    if not claims:
        return outcome, True
    from socialstats.claims.files import check_results
    from socialstats.claims.show import claims_block
    from socialstats.claims.verdicts import headline

    results = [(block.level, result) for block in outcome.blocks for result in block.results]
    judged = check_results(results, claims)
    block = claims_block(judged, question="Were the claimed numbers reproduced?")
    answer = (*outcome.answer, f"Claims checked: {headline(judged)}")
    return replace(outcome, blocks=(block, *outcome.blocks), answer=answer), not any(
        one.wrong for one in judged
    )
