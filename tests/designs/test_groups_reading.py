"""Which group is the first: the treated one, where exactly one of two is called a control."""

from __future__ import annotations

import pytest

from socialstats.designs.groups_reading import treated_first


@pytest.mark.parametrize("control", ["control", "Placebo", "contrôle"])
@pytest.mark.parametrize("treated", ["drug", "zeal", "Aspirin"])
def test_the_control_is_second_whichever_is_named_first(control: str, treated: str) -> None:
    assert treated_first(control, treated) == treated_first(treated, control) == (treated, control)


def test_without_one_control_there_is_no_order() -> None:
    assert treated_first("drug", "zeal") is None
    assert treated_first("control", "placebo") is None
