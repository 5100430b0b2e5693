"""Messages name options as they are typed, and change nothing else."""

from __future__ import annotations

import pytest

from socialstats.cli.parser import make_parser
from socialstats.cli.wording import OPTIONS, as_typed, typed_caution
from socialstats.errors import caution


@pytest.mark.parametrize(
    ("said", "typed"),
    [
        ("say scale='nominal' (--scale nominal) if", "say --scale nominal if"),
        ("pass levels=['no', 'so so', \"it's\"] in order", "pass --levels 'no,so so,it's' in order"),
        ("levels=('0', '1').", "--levels 0,1."),
        ("levels=[1, 2, 3]", "--levels 1,2,3"),
        ("conditions=('a', 'b, c')", "--conditions 'a,\"b, c\"'"),
        ("resamples=3 is too few", "--resamples 3 is too few"),
        ("seed=-1 is not a whole number", "--seed -1 is not a whole number"),
        ("declare others with strata=", "declare others with --strata"),
        ("Did you mean unit='question' ?", "Did you mean --map unit=question ?"),
        ("write --map cluster=story (cluster='story')", "write --map cluster=story (--cluster story)"),
        ("column 'scale=x' has scale, levels and by", "column 'scale=x' has scale, levels and by"),
        ("x.level=3, my_scale=2 and p=.03", "x.level=3, my_scale=2 and p=.03"),
        ("by = m1: no row", "by = m1: no row"),
        ("prior=0.5, or penalty='firth'", "--prior 0.5, or --penalty firth"),
    ],
)
def test_options_are_named_as_they_are_typed(said: str, typed: str) -> None:
    assert as_typed(said) == typed
    assert as_typed(typed) == typed


def test_every_option_named_exists() -> None:
    text = make_parser()._subparsers._group_actions[0].choices["report"].format_help()  # type: ignore[union-attr,index,call-overload]
    assert [option for option in OPTIONS.values() if f"{option} " not in text] == []


def test_cautions_too() -> None:
    note = typed_caution(caution("SS301", "missing='drop': 3 rows", fix="missing='error' (--missing error) names them"))
    assert (note.detail, note.fix) == ("--missing drop: 3 rows", "--missing error names them")
    assert (note.code, note.severity) == ("SS301", "caution")
