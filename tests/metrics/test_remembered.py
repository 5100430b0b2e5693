"""The memory of the tests of changed numbers: the same question once, another question anew."""

from __future__ import annotations

import numpy as np

from tests.metrics.remembered import once


def test_the_same_arguments_are_asked_once_and_others_anew():
    asked = []

    def total(x, *, power=1):
        asked.append(power)
        return float((x**power).sum())

    quick = once(total)
    x = np.array([1.0, 2.0])
    assert [quick(x), quick(x.copy()), quick(x, power=2), quick(x + 1e-12)] == [
        3.0,
        3.0,
        5.0,
        3.0 + 2e-12,
    ]
    x[0] = 5.0
    assert quick(x) == 7.0
    assert asked == [1, 2, 1, 1]


def test_functions_differ_by_their_code_and_by_what_they_see():
    def shift(by):
        return lambda x: x + by

    quick = once(lambda x, f: f(x))
    assert [
        quick(1, shift(1)),
        quick(1, shift(2)),
        quick(1, lambda x: x - 1),
        quick(1, shift(1)),
    ] == [2, 3, 0, 2]


def test_what_a_generator_yields_is_kept():
    def up_to(n):
        yield from range(n)

    quick = once(up_to)
    assert [list(quick(3)), list(quick(3)), list(quick(2))] == [[0, 1, 2], [0, 1, 2], [0, 1]]
