"""How many functions of ours stand between a call and its arithmetic: at most four, comprehensions not counted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import socialstats
from socialstats.metrics import METRICS
from tests.contracts.subjects import run, subject_of

ROOT = str(Path(socialstats.__file__).parent)
ARITHMETIC = {
    "mcnemar": "asymptotic",
    "weighted_kappa": "pair_kappa",
    "krippendorff_alpha": "alpha",
}


@pytest.mark.parametrize("name", ARITHMETIC)
def test_few_functions_stand_between_a_call_and_its_arithmetic(name):
    assert name in METRICS
    subject = subject_of(name)
    design, stacks = subject.design(subject.rows()), []

    def seen(frame, event, _):
        if event == "call" and frame.f_code.co_name == ARITHMETIC[name]:
            own = []
            while frame is not None:
                if frame.f_code.co_filename.startswith(
                    ROOT
                ) and not frame.f_code.co_name.startswith("<"):
                    own.append(frame.f_code.co_name)
                frame = frame.f_back
            stacks.append(own)

    sys.setprofile(seen)
    try:
        run(name, design)
    finally:
        sys.setprofile(None)
    assert stacks
    assert len(stacks[0]) <= 4, stacks[0]
