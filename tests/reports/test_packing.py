"""Numbers of a page are packed, and unpacked they are the same text again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from example_pages import made
from hypothesis import given, settings
from hypothesis import strategies as st

from socialstats.errors import InputError
from socialstats_reports import read_results
from socialstats_reports.data import as_dict
from socialstats_reports.packing import packed, unpacked

SCALAR = st.none() | st.booleans() | st.integers(-3, 3) | st.floats(allow_nan=False, allow_infinity=False) | st.text()
NAMES = st.sampled_from(["a", "b", "c", "d", "rows", "same", "a:b"])
RECORD = st.dictionaries(NAMES, SCALAR | st.dictionaries(NAMES, SCALAR, max_size=3))
JSON = st.recursive(
    SCALAR | st.lists(RECORD, max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(JSON)
@pytest.mark.slow
def test_everything_comes_back_in_the_same_order(value: Any) -> None:
    through = unpacked(json.loads(json.dumps(packed(value))))
    assert json.dumps(through) == json.dumps(value)


def test_one_and_true_are_not_the_same() -> None:
    records = [{"x": 1}, {"x": True}, {"x": 1.0}]
    assert packed(records)["same"] == {}


@pytest.mark.slow
def test_a_page_gives_back_its_numbers_to_the_letter_and_is_smaller() -> None:
    outcome, page = made("role-conflict")
    found = read_results(page)
    run = found.pop("run")
    assert json.dumps(found) == json.dumps(json.loads(json.dumps(as_dict(outcome))))
    plain = len(json.dumps(found | {"run": run}, separators=(",", ":")))
    inside = page.split('id="socialstats-results">', 1)[1].split("</script>", 1)[0]
    assert len(inside) < 0.85 * plain


def test_texts_that_return_stand_once() -> None:
    names = ("estimate", "p_value", "", "p_value", "estimate")
    records = [({"field": name} if name else {}) | {"row": k % 3} for k, name in enumerate(names)]
    assert packed(records)["texts"] == {"field": ["estimate", "p_value"]}
    assert unpacked(packed(records)) == records


@pytest.mark.parametrize("broken", [
    '{"blocks": {"packed columns": ["a", "b"], "same": {}, "rows": [[1, 2, 3]]}}',
    '{"blocks": {"packed columns": ["a"], "same": {}, "rows": [[2], [0]], "texts": {"a": ["x", "y"]}}}',
])  # fmt: skip
def test_a_damaged_pack_is_refused(broken: str) -> None:
    with pytest.raises(InputError, match="holds no results"):
        read_results(f'<script type="application/json" id="socialstats-results">{broken}</script>')
