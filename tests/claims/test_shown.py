"""What is printed: every format, hostile names, and the numbers in it."""

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from made_logs import claim, log_of, rows

import socialstats as ss
from socialstats.audit.claims.show import as_text, claims_block, outcome_of
from socialstats.claims import Claim, check
from socialstats.cli.validate import rendered
from socialstats.errors import InputError

HOSTILE = "<script>alert(1)</script>\x1b[31m|`x`\n# y"


def mixed():
    frame = rows([1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0], story=list("aabbccdd"))
    return log_of(
        frame,
        claim("mean", "0.75"),
        claim("mean", "75.0", name="percent"),
        claim("std_error", "0.0"),
        claim("mean", "0.8", name="off"),
        claim("other", "3", name="loss"),
        notes=("a note",),
        harness="",
    )


def test_the_text_leads_with_the_count_and_then_what_needs_attention():
    found = check(mixed())
    text = found.summary()
    lines = text.splitlines()
    assert lines[1] == (
        "1 of 5 numbers stand; 1 rests on another definition, 2 are inconsistent with the log itself and 1 cannot be "
        "recomputed."
    )
    order = [
        text.index(h)
        for h in ("Inconsistent with", "Rest on another", "Stand (", "Cannot be recomputed")
    ]
    assert order == sorted(order)
    assert "Rows: 8, all with a score" in text
    assert "Note: a note" in text
    assert not found.ok


def test_colour_only_where_it_is_asked_for():
    found = check(mixed())
    assert "\033[" not in as_text([found])
    assert "\033[31m" in as_text([found], color=True)


def test_tidy_has_a_row_a_claim_with_our_interval():
    table = check(mixed()).tidy()
    assert table.verdict.tolist() == [
        "reproduced",
        "explained",
        "inconsistent",
        "inconsistent",
        "not_computable",
    ]
    first = table.iloc[0]
    assert first.own_conf_low < 0.75 < first.own_conf_high
    assert (first.n_units, first.recomputed) == (8, 0.75)


def test_everything_is_json():
    found = json.loads(json.dumps(check(mixed()).to_dict(), allow_nan=False))
    assert next(one["verdict"] for one in found["claims"]) == "reproduced"
    assert found["rows"] == {"ok": 8}
    assert all(one["sentence"].endswith(".") for one in found["claims"])


def test_hostile_names_are_inert_in_every_format():
    frame = rows([1.0, 0.0, 1.0], scorer=HOSTILE)
    log = log_of(
        frame, claim("mean", "0.9", name=HOSTILE, scorer=HOSTILE, where=HOSTILE), notes=(HOSTILE,)
    )
    found = check(log)
    text, markdown = as_text([found]), rendered("md", [found], False)
    assert "\x1b" not in text + markdown
    assert "\n# y" not in text + markdown
    assert "<script" not in markdown
    assert "\\|" in markdown
    import socialstats_reports

    page = socialstats_reports.render(outcome_of([found]))
    assert "<script>alert" not in page
    assert "\x1b" not in page


def test_a_block_names_what_does_not_stand_and_tables_all():
    found = check(mixed())
    block = claims_block(found.judged)
    assert len(block.sentences) == 4
    assert len(block.tables[0].cells) == 5
    assert block.tables[0].cells[0][3] == "inconsistent"
    many = log_of(rows([1.0, 0.0]), *(claim("other", "1", name=f"m{i}") for i in range(3)))
    assert check(many).headline() == "0 of 3 numbers stand; 3 cannot be recomputed."


def test_empty_logs_and_logs_without_claims():
    none = check(log_of(rows([1.0])))
    assert none.headline() == "No numbers to check."
    assert none.ok
    empty = check(log_of(rows([1.0]).iloc[:0], claim("mean", "0.5")))
    assert empty.judged[0].verdict == "not_computable"
    assert "no scores of single units" in empty.summary()


def test_options_that_are_not():
    frame = rows([1.0, 0.0])
    with pytest.raises(InputError, match="precision='some' is none of auto, full, printed"):
        check(frame, precision="some")
    with pytest.raises(
        InputError, match="no column 'story' to cluster by; columns: 'model', 'task'"
    ):
        check(frame, cluster="story")
    with pytest.raises(InputError, match="no column 'value'; columns: 'x'"):
        check(frame.rename(columns={"value": "x"})[["x"]])


def test_settings_that_are_not_make_a_claim_not_computable():
    log = log_of(
        rows([1.0, 0.0]),
        claim("mean", "0.5", settings={"reducer": "best"}),
        claim("std_error", "0.5", settings={"cluster": "story"}),
    )
    judged = check(log).judged
    assert [one.verdict for one in judged] == ["not_computable"] * 2
    assert "reducer = 'best' is none of mean" in judged[0].reason
    assert "no column 'story'" in judged[1].reason


def test_clusters_are_the_given_the_declared_or_those_with_the_name_of_one():
    frame = rows(
        [1.0, 0.0] * 6, scenario=[c for c in "abcdef" for _ in "12"], batch=list("xxyyzzxxyyzz")
    )
    accuracy = claim("mean", "0.5")
    assert check(frame, [accuracy]).judged[0].own.cluster == "scenario"
    assert check(frame, [accuracy], cluster="batch").judged[0].own.n_clusters == 3
    alone = check(frame, [accuracy], cluster="none").judged[0].own
    assert (alone.cluster, alone.n_clusters, alone.n_units) == ("", None, 12)
    declared = claim("std_error", "0.1", settings={"cluster": "batch"})
    assert check(frame, [accuracy, declared]).judged[0].own.cluster == "batch"


def test_our_interval_is_that_of_the_metrics():
    """CR2 with Satterthwaite degrees of freedom: `paired_difference` of the same values, where scores are no shares."""
    values, story = [1.0, 3.0, 2.5, 4.0, 2.0, 0.5, 3.5, 2.0, 1.5], list("aabbccddd")
    own = check(rows(values, story=story), [claim("mean", "2.2")], cluster="story").judged[0].own
    row = ss.paired_difference(ss.Paired.one_sample(values, cluster=story), cluster="cluster").rows[
        0
    ]
    assert (own.estimate, own.std_error) == pytest.approx((row.estimate, row.std_error), rel=1e-12)
    assert (own.conf_low, own.conf_high) == pytest.approx((row.conf_low, row.conf_high), rel=1e-12)


def test_exports():
    assert ss.claims.check is check
    assert ss.claims.Claim is Claim
    assert {"claims"} <= set(ss.__all__)
