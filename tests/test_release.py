"""What a release consists of agrees: version, dependencies, markers of types, citation."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.version import Version

import socialstats

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_has_one_place():
    assert PROJECT["tool"]["setuptools"]["dynamic"]["version"] == {
        "attr": "socialstats.__version__"
    }
    version = socialstats.__version__
    assert (ROOT / "NEWS.md").read_text(encoding="utf-8").startswith(f"# News\n\n## {version}")


def requirements() -> Iterator[str]:
    """Every package that the project or one of its extras needs, but for the project's own extras."""
    extras = PROJECT["project"]["optional-dependencies"]
    for requirement in [
        *PROJECT["project"]["dependencies"],
        *(one for extra in extras.values() for one in extra),
    ]:
        if not requirement.startswith("socialstats["):
            yield requirement


def test_each_dependency_has_its_line_among_the_constraints():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert all(
        re.fullmatch(r"[\w.-]+==[\w.]+", line)
        for line in lines
        if line and not line.startswith("#")
    )
    versions = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pinned.items()}
    for requirement in requirements():
        name, _, least = re.sub(r"\[.*\]", "", requirement).partition(">=")
        assert name.lower() in versions, f"{name} has no line in constraints.txt"
        assert Version(versions[name.lower()]) >= Version(least or "0")


def test_no_package_of_another_licence_is_needed():
    """The GPL packages are those of the extra `check`, and no others; README says so."""
    check = {one.partition(">=")[0] for one in PROJECT["project"]["optional-dependencies"]["check"]}
    assert check == {"pingouin", "krippendorff", "statsmodels", "scikit-learn"}
    assert not check & {one.partition(">=")[0] for one in PROJECT["project"]["dependencies"]}
    assert "socialstats[check]" in PROJECT["project"]["optional-dependencies"]["test"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(name in text for name in (*check, "GPL-3.0", "constraints.txt", "SECURITY.md"))


def test_a_release_is_tried_on_every_python_that_it_names():
    named = [
        line.split()[-1]
        for line in PROJECT["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    ]
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"`.ci/release {' '.join(f'python{version}' for version in named)}`" in text


@pytest.mark.parametrize(
    "package", ["socialstats", "collect/socialstats_collect", "reports/socialstats_reports"]
)
def test_every_package_says_that_it_is_typed(package):
    assert (ROOT / package / "py.typed").is_file()
    assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"]["*"]


def test_the_citation_has_what_version_1_2_0_requires():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for key in ("cff-version: 1.2.0", "message:", "title:", "authors:", "license: MIT"):
        assert re.search(rf"^{key}", text, re.M), key


def test_the_site_prints_its_version_on_each_page():
    settings = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    assert "release = version = socialstats.__version__" in settings
    assert 'html_title = f"socialstats {version}"' in settings


def test_each_install_line_names_an_extra_that_exists():
    extras = PROJECT["project"]["optional-dependencies"]
    for folder in ("socialstats", "collect", "reports", "docs", "examples"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in (".py", ".md", ".rst"):
                continue
            for names in re.findall(r"socialstats\[([\w,]+)\]'", path.read_text(encoding="utf-8")):
                assert set(names.split(",")) <= set(extras), path
    named = re.fullmatch(r"socialstats\[([\w,]+)\]", *extras["all"])
    assert named
    developing = {"all", "bench", "check", "dev", "docs", "engines", "test"}
    assert set(named[1].split(",")) == (set(extras) - developing) | {"check"}
