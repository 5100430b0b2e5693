"""Every command that `check`, `report` or an error prints runs, and its numbers are those of the items.

Data are simulated.

A reference is made from the rows by pandas and scipy: answers of one source to one item are averaged first.
"""

from __future__ import annotations

import itertools
import json
import math
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from socialstats.cli import main

COMMAND = re.compile(r"^\s*(socialstats (?:report|check) .+)$", re.MULTILINE)
ADVICE = re.compile(
    r"--(?:map|study|design|cluster|by|missing|raters|conditions|levels|scale|where) [^\s;)]*[^\s,;.)]"
)
MODELS = ("lyra", "orion", "vega")


@dataclass(frozen=True)
class Known:
    """A table, what its independent units are, who gave the values, and which column holds them."""

    frame: pd.DataFrame
    unit: tuple[str, ...]
    source: str
    value: str
    paired: bool = True  # each unit has values of several sources

    @property
    def units(self) -> int:
        return int(self.frame.groupby([*self.unit]).ngroups)

    def means(self) -> pd.DataFrame:
        """Return the mean of each unit (rows) and source (columns)."""
        values = self.frame.assign(
            number=pd.to_numeric(self.frame[self.value].replace({"yes": 1, "no": 0}))
        )
        table = values.groupby([*self.unit, self.source])["number"].mean().unstack(self.source)
        return table.to_frame() if isinstance(table, pd.Series) else table

    def differences(self) -> Iterator[tuple[float, int, float]]:
        """Yield the mean difference, n and p of the paired t test of each two sources."""
        means = self.means()
        for one, two in itertools.combinations(means.columns, 2):
            gap = (means[one] - means[two]).dropna()
            yield float(gap.mean()), len(gap), float(stats.ttest_1samp(gap, 0).pvalue)


def answers(
    sources: tuple[str, ...],
    items: int,
    takes: int,
    value: Callable[[np.random.Generator, float], Any],
    names: tuple[str, str, str, str],
    seed: int,
    holes: int = 0,
) -> pd.DataFrame:
    """Return one row a source, item and take, in any order."""
    rng = np.random.default_rng(seed)
    ease, skill = (
        rng.normal(0, 1.2, items),
        dict(zip(sources, rng.normal(0, 0.3, len(sources)), strict=True)),
    )
    rows = [
        (source, f"it{k:03d}", take, value(rng, ease[k] + skill[source]))
        for source in sources
        for k in range(items)
        for take in range(1, takes + 1)
    ]
    keep = rng.permutation(len(rows))[holes:]
    return pd.DataFrame([rows[k] for k in keep], columns=[*names])


def right(rng: np.random.Generator, ease: float) -> int:
    return int(rng.random() < 1 / (1 + math.exp(-ease)))


def score(rng: np.random.Generator, ease: float) -> float:
    return round(5 + ease + rng.normal(), 2)


def likert(rng: np.random.Generator, ease: float) -> int:
    return int(np.clip(round(4 + ease + rng.normal()), 1, 7))


def word(rng: np.random.Generator, ease: float) -> str:
    return "yes" if right(rng, ease) else "no"


def numbered() -> pd.DataFrame:
    """Questions are numbered from 1 in each subject."""
    rng, rows = np.random.default_rng(21), []
    for subject, k in itertools.product(("algebra", "law", "physics", "ethics"), range(1, 13)):
        ease = rng.normal(0, 1.5)
        rows += [
            (subject, k, model, run, right(rng, ease)) for model in MODELS[:2] for run in (1, 2, 3)
        ]
    return pd.DataFrame(rows, columns=["subject", "question", "model", "run", "correct"])


def judged() -> pd.DataFrame:
    rng, rows = np.random.default_rng(22), []
    for k in range(40):
        ease = rng.normal()
        rows += [
            (f"p{k}", m, j, score(rng, ease))
            for m in MODELS[:2]
            for j in ("judge-a", "judge-b", "judge-c")
        ]
    return pd.DataFrame(rows, columns=["prompt_id", "model", "judge", "score"])


def wide() -> pd.DataFrame:
    rng = np.random.default_rng(23)
    ease = rng.normal(0, 1, 35)
    return pd.DataFrame(
        {"task": [f"t{k}" for k in range(35)], **{m: [score(rng, e) for e in ease] for m in MODELS}}
    )


def long_of(frame: pd.DataFrame, unit: str, source: str) -> pd.DataFrame:
    return frame.melt(unit, var_name=source, value_name="score")


NAMES = ("model", "item", "sample", "correct")
TABLES: dict[str, Known] = {
    "samples": Known(answers(MODELS[:2], 30, 5, right, NAMES, 1), ("item",), "model", "correct"),
    "holes": Known(
        answers(MODELS[:2], 30, 5, right, NAMES, 2, holes=40), ("item",), "model", "correct"
    ),
    "three models": Known(
        answers(MODELS, 25, 4, score, ("system", "vignette", "rerun", "score"), 3),
        ("vignette",),
        "system",
        "score",
    ),
    "unknown names": Known(
        answers(MODELS[:2], 40, 3, likert, ("engine", "dilemma", "zug", "warmth"), 4),
        ("dilemma",),
        "engine",
        "warmth",
    ),
    "no repeats": Known(
        answers(MODELS[:2], 40, 1, score, ("model", "prompt", "n", "score"), 5).drop(columns="n"),
        ("prompt",),
        "model",
        "score",
    ),
    "no column numbers them": Known(
        answers(MODELS[:2], 40, 3, score, ("model", "prompt", "n", "score"), 6).drop(columns="n"),
        ("prompt",),
        "model",
        "score",
    ),
    "yes and no": Known(
        answers(("base", "persona"), 40, 3, word, ("condition", "item", "seed", "answer"), 7),
        ("item",),
        "condition",
        "answer",
    ),
    "persons": Known(
        answers(("pre", "post"), 30, 1, score, ("time", "person", "n", "score"), 8).drop(
            columns="n"
        ),
        ("person",),
        "time",
        "score",
    ),
    "numbered questions": Known(numbered(), ("subject", "question"), "model", "correct"),
    "judges": Known(judged(), ("prompt_id",), "model", "score"),
    "wide": Known(long_of(wide(), "task", "model"), ("task",), "model", "score"),
}
FILES = {"wide": wide}
WAYS = ([], ["--study", "leaderboard"], ["--design", "paired"], ["--design", "ratings"])


def printed(command: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = main(command)
    held = capsys.readouterr()
    return code, held.out + held.err


def commands(path: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> list[list[str]]:
    """Return the commands that are printed for a table, and the calls that make a page of it at once."""
    ask = [
        ["check", str(path)],
        *(["report", str(path), *way, "-o", str(out), "--no-verify"] for way in WAYS),
    ]
    proposed: dict[tuple[str, ...], None] = {}
    for call in ask:
        out.unlink(missing_ok=True)
        code, text = printed(call, capsys)
        if code == 0 and call[0] == "report":
            proposed[tuple(call[1:-3])] = None
        for line in COMMAND.findall(text):
            proposed[tuple(shlex.split(line)[2:])] = None
        said = [
            tuple(shlex.split(one)) for one in ADVICE.findall(text.partition("By what it holds")[0])
        ]
        whole = said and not any(word in text for word in (" or ", "COLUMN"))
        if code == 2 and call[0] == "report" and not COMMAND.search(text) and whole:
            proposed[(*call[1:-3], *itertools.chain(*said))] = None
    return [[*one] for one in proposed]


def rows_of(found: Any) -> Iterator[dict[str, Any]]:
    """Yield the rows of a page's JSON."""
    if isinstance(found, dict):
        if "estimate" in found and "p_value" in found:
            yield found
        for value in found.values():
            yield from rows_of(value)
    elif isinstance(found, list):
        for value in found:
            yield from rows_of(value)


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_printed_commands_are_right(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, path, out, data = (
        TABLES[name],
        tmp_path / "t.csv",
        tmp_path / "t.html",
        tmp_path / "t.json",
    )
    FILES.get(name, lambda: known.frame)().to_csv(path, index=False)
    truths, matched, ran = list(known.differences()), 0, 0
    for command in commands(path, out, capsys):
        call = [
            "report",
            *command,
            "-o",
            str(out),
            "--json",
            str(data),
            "--overwrite",
            "--no-verify",
        ]
        code, text = printed(call, capsys)
        assert code == 0, f"{shlex.join(command)}: {text[:400]}"
        ran += 1
        for row in rows_of(json.loads(data.read_text())):
            if (
                "--cluster" in command and row.get("n_clusters") is None
            ):  # what would come without clusters
                continue
            units = min(filter(None, (row.get("n_units"), row.get("n_clusters"))), default=None)
            assert units is None or units <= known.units or row["role"] in ("test", "count"), (
                command,
                row,
            )
            for gap, n, p in truths:
                same = row["estimate"] is not None and math.isclose(
                    abs(row["estimate"]), abs(gap), rel_tol=1e-7
                )
                if (
                    same
                    and row.get("role") == "difference"
                    and row["p_value"] is not None
                    and row["df"]
                ):
                    assert row["df"] == pytest.approx(n - 1, rel=1e-6), (command, row)
                    assert row["p_value"] == pytest.approx(p, rel=1e-6), (command, row)
                    matched += 1
    assert ran
    assert matched
