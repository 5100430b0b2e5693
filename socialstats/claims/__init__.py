"""Another tool's number against ours: the definitions tried, and a verdict.

Examples
--------
>>> import socialstats as ss
>>> import pandas as pd
>>> from socialstats.claims import Claim, check
>>> rows = pd.DataFrame({"unit": [1, 2, 3, 4], "value": [1, 0, 1, 1]})
>>> printed = [Claim(name="accuracy", quantity="mean", printed="0.75"),
...            Claim(name="stderr", quantity="std_error", printed="0.217")]
>>> [(one.claim.name, one.verdict, one.definition) for one in check(rows, printed).judged]
[('accuracy', 'reproduced', 'mean'), ('stderr', 'explained', 'divided by n, not n − 1')]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from socialstats.claims.types import KEYS, Claim, Log, Quantity, Status

if TYPE_CHECKING:
    from socialstats.claims.files import read_claims as read_claims
    from socialstats.claims.judged import Checked as Checked
    from socialstats.claims.judged import Judged as Judged
    from socialstats.claims.judging import check as check
    from socialstats.claims.own_estimates import Own as Own
    from socialstats.claims.verdicts import VERDICTS as VERDICTS
    from socialstats.claims.verdicts import Verdict as Verdict

_HOME = {
    "check": "judging",
    "read_claims": "files",
    "VERDICTS": "verdicts",
    "Checked": "judged",
    "Judged": "judged",
    "Verdict": "verdicts",
    "Own": "own_estimates",
}

__all__ = [
    "check",
    "read_claims",
    "Checked",
    "Claim",
    "Judged",
    "KEYS",
    "Log",
    "Own",
    "Quantity",
    "Status",
    "VERDICTS",
    "Verdict",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'socialstats.claims' has no attribute '{name}'")
    return getattr(importlib.import_module(f"socialstats.claims.{_HOME[name]}"), name)
