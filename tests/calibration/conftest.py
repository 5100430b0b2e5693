"""The scripts of `make calibrate` import each other as scripts do; the tests of this folder load what they need."""

from __future__ import annotations

collect_ignore = [
    "agreement_studies.py",
    "alignment_studies.py",
    "calibrate.py",
    "couple_studies.py",
    "made.py",
    "simulate.py",
    "source_studies.py",
    "studies.py",
    "tally.py",
    "trait_studies.py",
]
