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

# the public names of `audit.claims`, and of the logs that it reads
from socialstats.audit.claims.files import read_claims
from socialstats.audit.claims.judged import Checked, Judged
from socialstats.audit.claims.judging import check
from socialstats.audit.claims.own_estimates import Own
from socialstats.audit.claims.verdicts import VERDICTS, Verdict
from socialstats.harness_logs.log import KEYS, Claim, Log, Quantity, Status

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
