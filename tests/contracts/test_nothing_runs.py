"""Sixty ways to run code, or to hang, from a formula in a file or on the command line: each is an error of ours."""

from __future__ import annotations

import builtins
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.designs.terms import FUNCTIONS, names_only, runs_python
from socialstats.errors import InputError
from socialstats.halves import in_halves

TOUCH = "__import__('pathlib').Path('MARK').touch()"
OS = "__import__('os').system('touch MARK')"
WAYS = [  # the term, and the part of it that the error names
    (OS, "__import__()"),
    (f"I(urgency + {OS})", "__import__()"),
    (f"I({OS})", "__import__()"),
    (f"urgency + {OS}", "__import__()"),
    (f"urgency:{OS}", "__import__()"),
    (f"urgency*I({OS})", "__import__()"),
    (f"({OS})", "__import__()"),
    (f"urgency - {OS}", "__import__()"),
    (f"{{{OS}}}", "{__import__"),
    (f"{{urgency + {OS}}}", "{urgency"),
    (f"C({OS})", "__import__()"),
    (f"C(urgency, {OS})", "__import__"),
    (f"C(urgency, contr.treatment(base={OS}))", "contr.treatment"),
    (f"C(urgency, levels=[{OS}])", "levels"),
    (f"C(urgency, spans_intercept={OS})", "spans_intercept"),
    (f"poly(urgency, {OS})", "__import__"),
    (f"poly(urgency, degree={OS})", "__import__"),
    (f"poly(urgency, 2, raw={OS})", "raw"),
    (f"bs(urgency, df={OS})", "__import__"),
    (f"bs(urgency, knots=[{OS}])", "knots"),
    (f"scale(urgency, {OS})", "','"),
    (f"scale(urgency, center={OS})", "','"),
    (f"log({OS})", "__import__()"),
    (f"exp(log(sqrt({OS})))", "__import__()"),
    (f"np.log({OS})", "np.log()"),
    ("np.os.system('touch MARK')", "np.os.system()"),
    ("np.lib.npyio.NpzFile('MARK')", "np.lib.npyio.NpzFile()"),
    ("np.load('MARK', allow_pickle=True)", "np.load()"),
    ("np.fromfile('MARK')", "np.fromfile()"),
    ("np.save('MARK', urgency)", "np.save()"),
    ("np.memmap('MARK', mode='w+', shape=1)", "np.memmap()"),
    ("Q('urgency')", "Q()"),
    (f"Q({OS})", "Q()"),
    ("hashed(urgency)", "hashed()"),
    ("lag(urgency)", "lag()"),
    ("cr(urgency, df=3)", "cr()"),
    ("center.__wrapped__(urgency)", "center.__wrapped__()"),
    (f"I.__globals__['x']({OS})", "['x']"),
    ("I.__class__", "I.__class__"),
    ("urgency.__class__.__mro__[1].__subclasses__()", "[1]"),
    ("urgency.to_csv('MARK')", "urgency.to_csv()"),
    ("urgency.apply(print)", "urgency.apply()"),
    ("().__class__", "')'"),
    ("''.__class__", "''"),
    ("[].__class__", "[]"),
    ("{}.__class__", "{}"),
    (f"(lambda: {OS})()", "lambda"),
    (f"lambda x: {OS}", "'x'"),
    (f"[{OS} for x in [1]]", "[__import__"),
    (f"I([{OS} for x in [1]])", "[__import__"),
    (f"f'{{{OS}}}'", "'{"),
    (f'f"{{{OS}}}"', '"{'),
    (f"`urgency`.__class__({OS})", "__class__"),
    (f"I(`urgency`+`{OS}`)", "__import__"),
    (f"`{OS}`", "__import__"),
    (f"urgency if {OS} else urgency", "'if'"),
    (f"urgency and {OS}", "'and'"),
    (f"urgency == {OS}", "'='"),
    (f"urgency > {OS}", ">"),
    (f"(x := {OS})", "'='"),
    (f"urgency[{OS}]", "[__import__"),
    (f'eval("{OS}")', "eval()"),
    (f'exec("{OS}")', "exec()"),
    (f"compile(\"{OS}\", 'x', 'eval')", "compile()"),
    (f"getattr(urgency, {OS})", "getattr()"),
    ("breakpoint()", "breakpoint()"),
    ("print(urgency)", "print()"),
    ("open('MARK', 'w')", "open()"),
    ("＿＿import＿＿('os').system('touch MARK')", "import"),  # letters that Python takes for others
    ("I\u200b(urgency)", "(urgency)' is not part"),
    ("urgency\n# " + OS, "# __import__"),
    ("urgency; " + OS, "; __import__"),
    (f"unit({OS})", "()"),
    (f"[urgency ~ {OS}]", "[urgency"),
    ("urgency ~ urgency", "'~'"),
    ("urgency | urgency", "cluster"),
    (".", "'.'"),
    (". - urgency", "'. - urgency'"),
    ("99 * urgency", "99"),
    ("urgency**99", "99"),
    ("urgency**9**9**9", "'**'"),
    ("(urgency + word)**9**9", "'**'"),
    ("I(urgency**9**9**9)", "I(urgency ** 9 ** 9 ** 9)"),
    ("I(9**9**9**9 + urgency)", "I(9 ** 9 ** 9 ** 9 + urgency)"),
    ("I(urgency / 0)", "I(urgency / 0)"),
    ("log(urgency - urgency)", "log(urgency - urgency)"),
    ("exp(exp(exp(exp(urgency))))", "exp(exp(exp(exp(urgency))))"),
    ("*".join(f"v{k}" for k in range(40)), "100 terms"),
    ("(" + "+".join(f"v{k}" for k in range(60)) + ")**10", "100 terms"),
    ("(" * 5_000 + "urgency" + ")" * 5_000, "10,0"),
    ("(" * 500 + "urgency" + ")" * 500, "20 levels"),
    ("I(" + "-" * 900 + "urgency)", "20 levels"),
    ("I(" + "2**" * 400 + "urgency)", "20 levels"),
    ("+".join(["urgency"] * 100_000), "characters"),
    ("poly(urgency, 99999999)", "degree"),
    ("bs(urgency, df=99999999)", "df"),
]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Comparisons with a covariate, in a folder where a payload would leave its mark."""
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{a},{b},{(a, b)[(k + (a > b)) % 2]},{k % 3},{(k + 1) % 4},j{k % 5}"
        for k, (a, b) in enumerate([(a, b) for a in "wxyz" for b in "wxyz" if a != b] * 4)
    ]
    path = tmp_path / "d.csv"
    path.write_text(
        "item_a,item_b,winner,urgency_a,urgency_b,judge\n" + "\n".join(rows), encoding="utf-8"
    )
    return path


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Record whatever runs text as code; the standard library may, for annotations of types."""
    ran: list[str] = []
    place, real = importlib.import_module("formulaic.materializers.base"), builtins.eval

    def evaluate(code: Any, *scope: Any) -> Any:
        caller = sys._getframe(1)
        if caller.f_globals["__name__"].partition(".")[0] in (
            "formulaic",
            "socialstats",
            "pandas",
            "patsy",
        ):
            ran.append(f"eval{code}")
        return real(code, *(scope or (caller.f_globals, caller.f_locals)))

    for home, name in (
        (os, "system"),
        (subprocess, "Popen"),
        (builtins, "breakpoint"),
        (place, "stateful_eval"),
    ):
        monkeypatch.setattr(
            home, name, lambda *words, name=name, **more: ran.append(f"{name}{words}")
        )
    monkeypatch.setattr(builtins, "eval", evaluate)
    yield ran
    assert not ran
    assert not Path("MARK").exists()


def of_plan(key: str) -> Callable[[Path, str], list[str]]:
    def words(table: Path, term: str) -> list[str]:
        study = {"adjust": "comparisons", "covariate": "role-conflict"}[key]
        value = json.dumps(
            [term] if key == "adjust" else term
        )  # TOML writes such text as JSON does
        Path("plan.toml").write_text(
            f'[study]\nname = "{study}"\n[inference]\n{key} = {value}\n', encoding="utf-8"
        )
        return ["report", str(table), "--plan", "plan.toml", "-q", "-o", "page.html"]

    return words


def of_estimate(formula: str) -> Callable[[Path, str], list[str]]:
    return lambda table, term: [
        "estimate",
        "bradley_terry",
        str(table),
        f"--formula={formula.replace('TERM', term)}",
    ]


DOORS: dict[str, Callable[[Path, str], list[str]]] = {
    "plan": of_plan("adjust"),
    "option": lambda table, term: [
        "report",
        str(table),
        "--study",
        "comparisons",
        f"--adjust={term}",
        "-q",
        "-o",
        "p",
    ],
    "formula": of_estimate("~ TERM"),
    "response and formula": of_estimate("winner ~ urgency + TERM"),
}


TRIED = (
    [("plan", *way) for way in WAYS]
    + [  # the other doors share the grammar: each meets every third way
        (door, *way) for start, door in enumerate([*DOORS][1:]) for way in WAYS[start::3]
    ]
)


@pytest.mark.parametrize(
    ("door", "term", "part"), TRIED, ids=[f"{door} {k}" for k, (door, *_) in enumerate(TRIED)]
)
def test_no_way_out_of_a_formula(
    door: str,
    term: str,
    part: str,
    table: Path,
    guarded: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = main(DOORS[door](table, term))
    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.startswith("error: ")
    assert part in said.err
    assert "Traceback" not in said.err
    if door == "plan" and "no covariate" not in said.err and "finite" not in said.err:
        assert said.err.startswith("error: plan.toml line 4: adjust: formula")
    if "is not a function" in said.err:
        assert ", ".join(FUNCTIONS) in said.err


@pytest.mark.parametrize(
    "side", ["TERM ~ urgency", "winner ~ urgency | TERM", "winner ~ cluster(TERM)"]
)
@pytest.mark.parametrize(("term", "part"), WAYS[::5], ids=[str(k) for k in range(0, len(WAYS), 5)])
def test_no_way_out_of_the_other_sides_of_a_formula(
    side: str,
    term: str,
    part: str,
    table: Path,
    guarded: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(of_estimate(side)(table, term)) == 2
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    "term", [OS, f"I(urgency + {OS})", "np.log(urgency)", "log(urgency)", "urgency + judge"]
)
@pytest.mark.parametrize("door", ["plan", "option", "win_rates"])
def test_a_covariate_is_the_name_of_a_column_and_nothing_else(
    door: str, term: str, table: Path, guarded: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    typed = [
        "report",
        str(table),
        "--study",
        "role-conflict",
        f"--covariate={term}",
        "-q",
        "-o",
        "page.html",
    ]
    of_metric = ["estimate", "win_rates", str(table), f"--covariate={term}"]
    assert (
        main(
            {"plan": of_plan("covariate")(table, term), "option": typed, "win_rates": of_metric}[
                door
            ]
        )
        == 2
    )
    said = capsys.readouterr().err
    assert "no covariate" in said or "no column" in said
    assert not said.startswith("error: plan.toml") or "plan.toml line 4: covariate: " in said


@pytest.mark.parametrize(
    "heads", [f"I(x + {OS})", OS, "{1}", "a`b", "log(x)", "word count", "x' or '1", "__class__"]
)
def test_names_of_columns_are_names_whatever_they_look_like(
    heads: str, table: Path, guarded: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = table.read_text(encoding="utf-8")
    quoted = [f'"{heads}_{side}"' for side in "ab"]
    table.write_text(text.replace("urgency_a,urgency_b", ",".join(quoted)), encoding="utf-8")
    adjusted = main(["check", str(table), "--study", "comparisons", f"--adjust={heads}"])
    refused = "`" in heads  # no formula can name it
    assert adjusted == (2 if refused else 0), capsys.readouterr().err
    if not refused:
        assert main(["estimate", "bradley_terry", str(table), f"--formula=~ `{heads}`"]) == 0
        assert heads[:10] in capsys.readouterr().out


def test_what_the_grammar_has_is_computed_as_in_python(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    formula = "winner ~ urgency + I(urgency**2) + scale(exp(urgency)) | judge"
    assert (
        main(["estimate", "bradley_terry", str(table), f"--formula={formula}", "--format", "json"])
        == 0
    )
    found = json.loads(capsys.readouterr().out)["terms"]
    wanted: Any = ss.bradley_terry(formula, table)
    assert [row["estimate"] for row in found] == [row.estimate for row in wanted.rows]


def test_in_python_a_formula_runs_code(table: Path) -> None:
    """What the other tests forbid does happen where it is allowed: they would see it."""
    ss.bradley_terry(table, f"~ {{[urgency, {TOUCH}][0]}}")
    assert Path("MARK").exists()
    assert runs_python()
    with names_only():
        Path("MARK").unlink()
        with pytest.raises(InputError, match="is not part of a formula"):
            ss.bradley_terry(table, f"~ {{[urgency, {TOUCH}][0]}}")
        assert in_halves(lambda k: runs_python(), 8) == [False] * 8  # a second process keeps to it
        with ThreadPoolExecutor(2) as pool:  # and so do threads
            assert not any(pool.map(lambda k: runs_python(), range(4)))
    assert runs_python()
    assert not Path("MARK").exists()


@pytest.mark.parametrize(
    "formula",
    [
        "~ I(urgency +)",
        "~ urgency +",
        "~ (urgency",
        "~ I(urgency",
        "~ {urgency",
        "~ urgency + 'a'",
        "~ lambda: 1",
        "~ I(1 if)",
        "~ raise(urgency)",
        "~ {1/0}",
        "~ {[][1]}",
        "~ Q('x')",
        "~ np.nothing(urgency)",
        "~ urgency )",
        "~ urgency ++* 2",
        "~ I(0x)",
        "~ I(2urgency)",
        "~ I('\\N{x}' + urgency)",
        "~ " + "(" * 300 + "urgency",
        "~ I(" + "(" * 300 + "urgency" + ")" * 300 + ")",
        "~ log(urgency - 9)",
        "~ {np.log(urgency - 9)}",
        "~ \x00",
        "chosen ~ I(urgency +) | judge",
        "winner ~ (urgency | judge",
        "winner ~ urgency |",
        "~ `urgency",
        "~ [urgency ~ x]",
    ],
)
def test_a_formula_that_fails_in_python_is_an_error_of_ours(formula: str, table: Path) -> None:
    with pytest.raises(InputError) as caught:
        ss.bradley_terry(formula, table) if "~" in formula[1:] else ss.bradley_terry(table, formula)
    assert "\x1b" not in str(caught.value)  # formulaic colours its messages


def test_only_the_evaluation_of_terms_and_the_parser_of_formulas_know_formulaic() -> None:
    """A new call of formulaic elsewhere would be a new way past `names_only`."""
    root = Path(ss.__file__).parent
    homes = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if "from formulaic" in (text := path.read_text(encoding="utf-8"))
        or "import formulaic" in text
    }
    assert homes == {"designs/formulas.py", "choices/terms.py"}


SHADOWS = (
    "numpy",
    "pandas",
    "matplotlib",
    "formulaic",
    "jinja2",
    "socialstats",
    "socialstats_reports",
    "sitecustomize",
    "usercustomize",
    "conftest",
    "evil",
    "json",
    "pyarrow",
    "yaml",
    "statsmodels",
    "pingouin",
    "readline",
)
SETTINGS = """backend: module://evil
text.usetex: True
text.latex.preamble: \\input{MARK}
font.family: cursive
font.size: 40
axes.facecolor: red
axes.grid: True
lines.linewidth: 30
svg.hashsalt: evil
"""


@pytest.mark.slow
def test_a_folder_of_a_table_runs_nothing_and_changes_no_page(table: Path, tmp_path: Path) -> None:
    """Modules, entry points and matplotlib's settings beside a table; the command is started as pip installs it."""
    start = "import sys; from socialstats.cli import main; sys.exit(main())"
    pages = []
    for name in ("plain", "hostile"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "d.csv").write_bytes(table.read_bytes())
        if name == "hostile":
            for module in SHADOWS:
                (folder / f"{module}.py").write_text(
                    f"open('MARK', 'w').close()\nraise SystemExit({module!r})\n"
                )
            (folder / "evil.pth").write_text("import os; open('MARK', 'w')\n")
            (folder / "matplotlibrc").write_text(SETTINGS)
            (folder / "pyproject.toml").write_text(
                "[project.entry-points.socialstats]\nevil = 'evil'\n"
            )
            about = folder / "evil-1.dist-info"
            about.mkdir()
            (about / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
            (about / "entry_points.txt").write_text(
                "[socialstats]\nevil = evil\n[narwhals.plugins]\nevil = evil\n"
            )
        path = os.pathsep.join(entry or os.getcwd() for entry in sys.path)
        environment = {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
        words = ["report", "d.csv", "--cluster", "judge", "-q", "-o", "page.html"]
        ran = subprocess.run(
            [sys.executable, "-c", start, *words], cwd=folder, env=environment, capture_output=True
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")
        pages.append((folder / "page.html").read_bytes())
        assert not (folder / "MARK").exists()
    assert pages[0] == pages[1]
