"""Tables in LaTeX."""

from __future__ import annotations

from socialstats.results.rows import latex


def test_a_label_in_brackets_or_with_a_star_is_no_option_of_the_line_before() -> None:
    lines = latex(["term", "n"], [["[x]", "1"], ["*star", "2"], ["x [y]", "3"]]).splitlines()
    assert lines[4:7] == [r"{}[x] & 1 \\", r"{}*star & 2 \\", r"x [y] & 3 \\"]
