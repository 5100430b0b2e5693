"""The scripts of `make bench` import each other as scripts do; the tests of this folder load what they need."""

from __future__ import annotations

collect_ignore = [
    "agreement_tools.py",
    "bench.py",
    "measure.py",
    "page.py",
    "plan.py",
    "report_times.py",
    "tools.py",
]
