"""Options that a study does not look at are refused, with the studies that do."""

from __future__ import annotations

import pytest

from socialstats.cli import main
from socialstats.cli.idle import refuse_idle
from socialstats.errors import InputError
from socialstats.studies import STUDIES

REFUSED = {
    "relationship-bias": (
        "reference",
        "it is for role-conflict, compare, staged-values, norm-goal",
    ),
    "staged-values": ("first", "it is for relationship-bias"),
    "norm-goal": ("rater_groups", "it is for ordinal-alignment and agreement"),
    "role-conflict": ("reference", "without --by there is nothing to compare"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_without_effect_are_refused(name: str) -> None:
    key, where = REFUSED[name]
    with pytest.raises(InputError, match=f"has no effect on study {name}; {where}"):
        refuse_idle(STUDIES[name], {key: "x"})


def test_options_with_an_effect_are_not() -> None:
    refuse_idle(STUDIES["role-conflict"], {"reference": "x", "by": "model"})
    refuse_idle(STUDIES["staged-values"], {"reference": "stage 1"})


@pytest.mark.slow
def test_a_reference_that_is_no_stage_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["report", "--example", "staged-values", "--reference", "stage 9", "-o", "page.html"])
        == 2
    )
    assert (
        "--reference 'stage 9' is no stage. Did you mean 'stage 4'? There are 'baseline'"
        in capsys.readouterr().err
    )
