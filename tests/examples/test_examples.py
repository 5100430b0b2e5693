"""Every vignette runs from start to end and recovers the truth behind its data."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest
from scipy.stats import binom

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.slow
def test_vignette_runs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    out = capsys.readouterr().out
    assert len(out.splitlines()) > 10
    assert not re.search(r"\bnan\b", out)
    for page in tmp_path.glob("*.html"):
        assert "</html>" in page.read_text(encoding="utf-8")
    for held, wanted in re.findall(r"(\d+) of (\d+) intervals contain the simulated", out):
        assert binom.cdf(int(held), int(wanted), 0.95) > 0.002, (
            f"{held} of {wanted} intervals hold the truth"
        )
