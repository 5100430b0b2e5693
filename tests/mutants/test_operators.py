"""Operators change one expression and nothing else; the tests of a subject are those that run it."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants.__main__ import TOP, run
from tests.mutants.operators import OPERATORS, is_another_program, mutants
from tests.mutants.sites import sites
from tests.mutants.subjects import SECONDS, Subjects, environment

CHANGES = {
    "sign": [
        ("x = a + b", ["x = a - b"]),
        ("x = (a) - (b)", ["x = (a) + (b)"]),
        ("x = -a", ["x = a"]),
        ("x = 'a' + b", []),
        ("x = n - 1", []),
        ("x = a[-1]", []),
        ("x = math.isnan(a + b)", []),
    ],
    "factor": [
        ("x = a * 2", ["x = a / 2", "x = a * 1"]),
        ("x = a / 0.5", ["x = a * 0.5", "x = a / 1"]),
        ("x = a**2", ["x = a**1"]),
        ("def f() -> float:\n    return g(a)", ["def f() -> float:\n    return 2 * (g(a))"]),
        ("def f() -> int:\n    return g(a)", []),
        ("def f() -> float:\n    return np.zeros(a)", []),
    ],
    "df": [
        ("x = (n - 1) / n", ["x = (n ) / n"]),
        ("x = (a + b) - 1", ["x = (a + b) "]),
        ("f(x, ddof=1)", ["f(x, ddof=0)"]),
        ("f(df=a)", ["f(df=1 + (a))"]),
        ("f(df=None)", []),
        ("f(df=math.nan)", []),
    ],
    "tail": [
        ("x = 1 - p", ["x =  p"]),
        ("x = chdtrc(df, q)", ["x = (1 - chdtrc(df, q))"]),
        ("x = t.ppf(p)", ["x = t.isf(p)"]),
        ("x = a < b", ["x = a > b"]),
        ("f('two-sided')", ["f('greater')"]),
    ],
    "boundary": [
        ("x = a < b", ["x = a <= b"]),
        ("x = a >= (b)", ["x = a > (b)"]),
        ("x = a == b", []),
        ("x = a < 1e-9", []),
        ("x = a > SPARE * b", []),
        ("x = a > 5_000", []),
        ("HALF = 0.5\nx = a > HALF", []),
        ("HALF = 0.5\nx = a > HALF * 3", []),
        ("HALF = 0.5\nx = a > (HALF if b else c)", []),
        ("HALF = 0.5\nx = a > HALF * 4", ["HALF = 0.5\nx = a >= HALF * 4"]),
        ("from socialstats.inference.clustered_mean import SKEWED\nx = a > SKEWED", []),
    ],
    "order": [
        ("x = a - b", ["x = (-(a - b))"]),
        ("x = sorted(a)", ["x = sorted(a)[::-1]"]),
        ("a.sort()", []),
        ("x = a[::-1]", ["x = a"]),
        ("x = (a - b) ** 2", []),
        ("x = abs(a - b)", []),
        ("x = (a - b)[c] ** 2", []),
        ("x = c[a - b] ** 2", ["x = c[(-(a - b))] ** 2"]),
        ("brentq(lambda x: f(x) - b, 0, 1)", []),
    ],
    "arguments": [
        ("f(a, b)", ["f(b, a)"]),
        ("max(a, b)", []),
        ("np.clip(a, b, c)", []),
        ("a.clip(b, c)", ["a.clip(c, b)"]),
        ("f(*a, b)", []),
        ("f(a + 1, b)", ["f(b, (a + 1))"]),
    ],
    "dropped rows": [
        ("x = [a for a in b]", ["x = [a for a in list(b)[1:]]"]),
        ("x = a[~b]", ["x = a[b]"]),
        ("x = a[b > 0]", ["x = a[~(b > 0)]"]),
    ],
    "swapped labels": [
        ("x = ('a', 'b')", ["x = ('b', 'a')"]),
        ("x = {1: a, 2: b}", ["x = {1: b, 2: a}"]),
        ("f(references=a + (('b2001', 'c1999') if d else ()))", []),
        ("x = a in ('b', 'c')", []),
        ("f(axis=(0, 2))", []),
        ("x = {a: f(a) for a in ('b', 'c')}", []),
        ("x = [f(a) for a in ('b', 'c')]", ["x = [f(a) for a in ('c', 'b')]"]),
        ("x = taken_fields(design, ('b', 'c'), index)", []),
        ("x = ('a', 'b', 'c', 'd')", []),
        ("x = {1: 'a message of five words', 2: 'another one'}", []),
        ("x: tuple[str, ...] = ('b', 'c')", []),
        ("x = (1, 'a')", []),
        ("x = (a.M, b.M, c.M, d.M)", []),
        ("x = ('a', *b, 'c', 'd')", []),
    ],
    "repeats as units": [
        ("f(codes)", ["f(np.arange(len(codes)))"]),
        ("len(codes)", []),
        ("f(x, weights=w)", ["f(x)"]),
        ("x = len(set(a))", ["x = len(a)"]),
    ],
    "min and max": [
        ("x = a.min()", ["x = a.max()"]),
        ("x = np.minimum(a, b)", ["x = np.maximum(a, b)"]),
    ],
    "sum and mean": [
        ("x = a.sum()", ["x = a.mean()"]),
        ("x = a.sum() > 0", []),
        ("x = a.sum(axis=0).argmax()", []),
    ],
    "axis": [("f(a, axis=0)", ["f(a, axis=1)"]), ("f(a, axis=-1)", ["f(a, axis=0)"])],
}


@pytest.mark.parametrize("operator", OPERATORS)
def test_each_operator_changes_one_expression(operator: str) -> None:
    for before, after in CHANGES[operator]:
        source = before.encode()
        found = [
            m.edit.of(source).decode() for m in mutants("x.py", source) if m.operator == operator
        ]
        assert found == after
        assert all(is_another_program(source, text.encode()) for text in found)


def test_bytes_before_and_after_stay_also_behind_letters_of_several_bytes() -> None:
    source = "é = 'αβ', a  +  b  # γ\ny = 1\n".encode()
    (mutant,) = [m for m in mutants("x.py", source) if m.operator == "sign"]
    assert mutant.edit.of(source).decode() == "é = 'αβ', a  -  b  # γ\ny = 1\n"


@pytest.mark.parametrize(
    "source",
    [
        "f(magnitude=a - b)",
        "f(size=a - b)",
        "raise ValueError(a - b)",
        "def f(x: a - b) -> None: ...",
        "x = f'{a - b}'",
        "def f() -> str:\n    return a - b",
        "x = a > ROUNDING * (a - b)",
        "x = a * SPARSE > a - b",
        "x = max(1, BLOCK // (a - b))",
        "x = left_of_sums(a - b, c)",
        "def __repr__(self):\n    return a - b",
        "x = Caution(a - b)",
        "if TYPE_CHECKING:\n    x = a - b",
    ],
)
def test_texts_errors_annotations_and_guards_are_no_sites(source: str) -> None:
    assert not [site for site in sites(ast.parse(source)) if isinstance(site.node, ast.BinOp)]


def test_the_same_program_is_no_mutant() -> None:
    assert not is_another_program(b"x = 1\n", b"x = (1)\n")
    assert not is_another_program(b"x = 1\n", b"x = (1\n")
    assert is_another_program(b"def f():\n    return 1\n", b"def f():\n    return 2\n")


def test_sites_know_their_function() -> None:
    source = b"class A:\n    def f(self):\n        def g():\n            return a - b\nx = a - b\n"
    assert [m.function for m in mutants("x.py", source) if m.operator == "sign"] == ["A.f", ""]


def test_the_tests_of_a_function_run_it_and_those_named_after_it_come_first() -> None:
    path = "socialstats/paired/two_shares.py"
    subjects = Subjects(
        {
            "tests/metrics/test_win_rates.py::a": (0.1, [f"{path}::rate"]),
            "tests/metrics/test_two_shares.py::b": (2.0, [f"{path}::rate"]),
            "tests/metrics/test_two_shares.py::c": (1.0, [f"{path}::other"]),
            "tests/metrics/test_win_rates.py::e": (SECONDS, [f"{path}::rate"]),
        }
    )
    a, b, c = (
        f"tests/metrics/{name}"
        for name in ("test_win_rates.py::a", "test_two_shares.py::b", "test_two_shares.py::c")
    )
    assert subjects.of(path, "rate") == [b, a]
    assert subjects.of(path, "") == [c, b, a]
    assert subjects.of(path, "unknown") == []


@pytest.mark.slow
def test_a_failure_a_crash_and_an_endless_loop_are_noticed(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "def test_right(): pass\ndef test_wrong(): assert 0\ndef test_endless():\n    while True: pass\n",
        encoding="utf-8",
    )
    assert run(tmp_path, ["test_it.py::test_right"], 30) is None
    assert "test_wrong" in (run(tmp_path, ["test_it.py"], 30) or "")
    assert run(tmp_path, ["test_it.py::test_endless"], 5) is not None
    assert run(tmp_path, ["test_it.py::test_gone"], 30) is not None


@pytest.mark.slow
def test_the_functions_that_a_test_runs_are_noted_also_after_a_recursion_without_end(
    tmp_path: Path,
) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\nfrom socialstats.arrays import size_unit\n"
        "def endless(): endless()\n"
        "def test_one():\n    with pytest.raises(RecursionError): endless()\n"
        "@pytest.fixture(scope='module')\ndef unit(): return size_unit([3.0])\n"
        "def test_two(unit): pass\ndef test_three(unit): pass\ndef test_four(): assert 0\n",
        encoding="utf-8",
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "tests.mutants.running",
    ]
    environ = environment(TOP) | {"MUTANTS_CALLS": str(tmp_path)}
    subprocess.run(
        [*command, "test_it.py"], cwd=tmp_path, env=environ, capture_output=True, check=False
    )
    (found,) = (json.loads(path.read_text(encoding="utf-8")) for path in tmp_path.glob("*.json"))
    functions = {test.split("::")[1]: names for test, (_, names) in found.items()}
    wanted = ["socialstats/arrays.py::size_unit"]
    assert functions == {"test_one": [], "test_two": wanted, "test_three": wanted}
