"""Whatever a log holds, checking it gives a verdict with a reason: no crash, no warning, no number that is not one."""

import json
import math
import sys
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))
from made_logs import log_of

from socialstats.audit.claims.show import as_text, outcome_of
from socialstats.claims import VERDICTS, Claim, Quantity, check
from socialstats.cli.validate import rendered

TEXT = st.sampled_from(["a", "a", "a", "a", "a", "b", "b", "", "<b>", "x\n", None])
VALUE = st.sampled_from(
    [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.5, 0.5, -3.0, 1e9, 1e-9, math.nan, math.inf, None, "C", True]
)
STATUS = st.sampled_from(
    ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "error", "unscored", "unparsed", "refusal", None]
)
ROW = st.fixed_dictionaries(
    {
        "unit": TEXT,
        "epoch": st.integers(1, 3),
        "scorer": TEXT,
        "filter": TEXT,
        "value": VALUE,
        "status": STATUS,
        "story": TEXT,
        "weight": st.sampled_from([0.0, 1.0, 2.5, None]),
        "tags": st.sampled_from([["x"], {"y": 1}, 3]),
    }
)
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "reducer": st.sampled_from(
            ["mean", "mean", "median", "mode", "max", "pass_at_2", "at_least_1", "none", "odd"]
        ),
        "cluster": st.sampled_from(["story", "story", "story", "unit", "tags", "nowhere"]),
        "ddof": st.sampled_from([0, 1, 0, 1, 2]),
        "method": st.sampled_from(["normal", "t", "bootstrap", "wilson", "halves", "magic"]),
        "conf_level": st.sampled_from([0.5, 0.95]),
        "resamples": st.sampled_from([1, 100]),
        "errors": st.sampled_from(["zero", "dropped", "zero", "dropped", "kept"]),
        "weights": st.sampled_from(["weight", "tags"]),
        "by_size": st.booleans(),
        "macro": st.sampled_from(["story", "epoch"]),
    },
)
CLAIM = st.builds(
    Claim,
    name=st.sampled_from(["accuracy", "<script>", "stderr\x1b[0m"]),
    quantity=st.sampled_from(get_args(Quantity)),
    printed=st.sampled_from(
        [
            "0.5",
            "0",
            "1",
            "0.0",
            "-1",
            "50",
            "0.123456789012345",
            "",
            "N/A",
            "<.001",
            "33.3%",
            "1e300",
        ]
    ),
    select=st.dictionaries(
        st.sampled_from(["scorer", "filter", "story"]),
        st.sampled_from(["a", "a", "a", "b", ""]),
        max_size=2,
    ),
    parts=st.sampled_from(
        [(), (), ({"story": "a"}, {"story": "b"}), (), (), (), ({"nowhere": "a"},)]
    ),
    settings=SETTINGS,
    n=st.sampled_from([None, 0, 1, 7]),
)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(ROW, min_size=0, max_size=20),
    st.lists(CLAIM, max_size=4),
    st.sampled_from(["inspect", "lm-eval", "helm", "openai-evals"]),
)
@pytest.mark.slow
def test_every_claim_gets_a_verdict(found, claims, harness):
    columns = ["unit", "epoch", "scorer", "filter", "value", "status", "story", "weight", "tags"]
    log = log_of(pd.DataFrame(found, columns=columns), *claims, harness=harness)
    checked = check(log, claims[:1])
    assert len(checked.judged) == len(claims) + len(claims[:1])
    for one in checked.judged:
        assert one.verdict in VERDICTS
        assert one.recomputed is None or math.isfinite(one.recomputed)
        assert one.verdict != "reproduced" or one.recomputed is not None
        assert one.verdict not in ("not_computable", "not_reproduced", "inconsistent") or one.reason
        if one.own is not None and one.own.conf_low is not None:
            assert one.own.conf_low <= one.own.estimate <= one.own.conf_high
    json.dumps(checked.to_dict(), allow_nan=False)
    assert "\x1b" not in as_text([checked]) + rendered("md", [checked], False) + rendered(
        "junit", [checked], False
    )
    assert len(checked.tidy()) == len(checked.judged)
    outcome_of([checked])
