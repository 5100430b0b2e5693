"""verify() where a package is not installed: no error, and no number counts that was not recomputed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import socialstats as ss
from socialstats.cli import main
from socialstats.crosscheck import comparing
from socialstats.metrics import METRICS
from socialstats.results.verification import PEERS, install_line
from tests.contracts.test_verification import result_of

OPTIONAL = ("krippendorff", "pingouin", "scikit-learn", "statsmodels")
QUICK = (
    "bradley_terry",
    "cochran_q",
    "effect_sizes",
    "krippendorff_alpha",
    "mcnemar",
    "weighted_kappa",
)
RATINGS = {
    "unit": [k for k in range(12) for _ in "abc"],
    "rater": [*"abc"] * 12,
    "value": [1, 2, 2, 3, 3, 3] * 6,
}
Absent = Callable[..., None]


@pytest.fixture
def absent(monkeypatch: pytest.MonkeyPatch) -> Iterator[Absent]:
    """Return a function after which some packages can neither be imported nor be found."""
    real = metadata.version

    def version(name: str) -> str:
        module = {"scikit-learn": "sklearn"}.get(name, name)
        if module in sys.modules and sys.modules[module] is None:
            raise metadata.PackageNotFoundError(name)
        return real(name)

    def remove(*packages: str) -> None:
        packages = tuple({"scikit-learn": "sklearn"}.get(name, name) for name in packages)
        for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
            monkeypatch.delitem(sys.modules, name)
        for package in packages:
            monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.setattr(metadata, "version", version)
        comparing.version.cache_clear()

    yield remove
    comparing.version.cache_clear()


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in METRICS],
)
def test_without_the_optional_packages_every_result_is_verified_as_far_as_it_can_be(
    name: str, absent: Absent
) -> None:
    result = result_of(name)
    whole = result.verify()
    absent(*OPTIONAL)
    found = result.verify()
    assert found.ok
    assert set(found.absent()) <= {check.package for check in whole if check.package in OPTIONAL}
    assert not any("gave no number" in check.note for check in found if check not in whole)
    others = {
        (check.row, check.field) for check in whole if check.ok and check.package not in OPTIONAL
    }
    for at, ok in found.numbers().items():
        assert not ok or at in others  # what agrees was recomputed by a package that is there
        assert ok is not None or whole.numbers()[at] is None or at not in others
    for package in found.absent():
        assert install_line(package) in repr(found)


def test_a_number_whose_only_peer_is_absent_is_not_recomputed(absent: Absent) -> None:
    judges = {"A": ["yes", "yes", "yes", "no"], "B": ["yes", "no", "yes", "yes"], "C": ["no"] * 4}
    result: Any = ss.cochran_q(judges, raters=["A", "B", "C"])
    at = next(k for k, row in enumerate(result.rows) if row.term == "cochran_q"), "statistic"
    assert result.verify().numbers()[at] is True
    absent("statsmodels")
    found = result.verify()
    assert found.numbers()[at] is None
    # Q with df and p, and Holm's p of three differences
    assert found.reasons()["statsmodels is not installed: pip install 'socialstats[check]'"] == 6
    assert found.recomputed().lacks["package"] == 6


def test_strengths_are_checked_by_choix_and_errors_by_scipy_alone(absent: Absent) -> None:
    fits = {
        penalty: ss.bradley_terry(ss.datasets.journal_citations(), penalty=penalty, cluster=None)
        for penalty in (None, "firth")
    }
    absent(*OPTIONAL)
    plain, firth = (fit.verify() for fit in fits.values())
    assert {check.package for check in plain if check.ok} == {"choix", "numpy", "scipy"}
    assert plain.absent() == ("statsmodels",)
    assert {check.package for check in firth if check.ok} == {"numpy", "scipy"}


def test_a_module_that_is_no_peer_is_not_explained_away(monkeypatch: pytest.MonkeyPatch) -> None:
    fit: Any = ss.bradley_terry(ss.datasets.journal_citations())
    monkeypatch.setitem(sys.modules, "socialstats.crosscheck.engine", None)
    with pytest.raises(ModuleNotFoundError):
        fit.verify()


@pytest.mark.slow
def test_a_page_says_who_was_not_asked(absent: Absent, tmp_path: Path) -> None:
    absent(*OPTIONAL)
    page = tmp_path / "page.html"
    assert (
        main(["report", "--example", "norm-goal", "-q", "--resamples", "100", "-o", str(page)]) == 0
    )
    assert "Not asked: krippendorff is not installed" in page.read_text(encoding="utf-8")


def test_the_command_says_who_was_not_asked(
    absent: Absent, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "r.csv"
    table.write_text(
        "unit,rater,value\n"
        + "".join(
            f"{k},{r},{(k + (k * i > 9)) % 3}\n" for k in range(20) for i, r in enumerate("abc")
        )
    )
    absent(*OPTIONAL)
    assert (
        main(["estimate", "krippendorff_alpha", str(table), "--levels", "0,1,2", "--verify"]) == 0
    )
    assert (
        "krippendorff is not installed: pip install 'socialstats[check]'" in capsys.readouterr().err
    )


def test_every_peer_has_its_line() -> None:
    assert (
        install_line("scikit-learn")
        == "scikit-learn is not installed: pip install 'socialstats[check]'"
    )
    assert {package for package in PEERS if "check" in PEERS[package]} == set(OPTIONAL)


@pytest.mark.parametrize(("package", "needed"), [("matplotlib", False), ("jinja2", True)])
def test_a_page_without_what_makes_it_says_what_to_install(
    package: str,
    needed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in [
        name for name in sys.modules if name.partition(".")[0] in (package, "socialstats_reports")
    ]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    table = tmp_path / "t.csv"
    table.write_text("item,before,after\n" + "".join(f"{k},{k % 5},{k % 3}\n" for k in range(20)))
    status = main(["report", str(table), "-o", str(tmp_path / "p.html"), "-q", "--no-verify"])
    assert status == (2 if needed else 0)
    install = f"{package} is not installed: pip install {package}"
    assert (install in capsys.readouterr().err) == needed
