"""Persons and stories that are both samples: proposals cluster by both, and averages of one of them do not hold."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import socialstats as ss
from socialstats.cli import main
from tests.cli.test_kinds import Frame, crossed, first_of, likert, numbered, printed, with_scores

BOTH = ["plain", "warm"]


def within_both(persons: int = 8, stories: int = 40, first: str = "participant") -> Frame:
    """Every person rates every story in both conditions."""
    names = [first, "story", "condition"]
    frame = crossed(names, numbered("p", persons), numbered("s", stories), BOTH)
    return with_scores(frame, trust=likert)


def nested_in_groups() -> Frame:
    """Annotators rate half of the texts of one model each."""
    frame = crossed(["annotator", "text"], numbered("a", 16), numbered("t", 20))
    side = frame["text"].str[1:].astype(int) % 2
    frame["author_model"] = np.where(side, "A", "B")
    frame = frame[frame["annotator"].str[1:].astype(int) % 2 == side]
    return with_scores(frame.sample(frac=0.5, random_state=1), quality=likert)


CROSSED: dict[str, tuple[Callable[[], Frame], str]] = {
    "few persons, many stories": (
        within_both,
        "--map unit=story,participant --map condition=condition --map value=trust "
        "--conditions plain,warm --cluster story --cluster participant",
    ),
    "many persons, few stories": (
        lambda: within_both(30, 12),
        "--map unit=participant,story --map condition=condition --map value=trust "
        "--conditions plain,warm --cluster participant --cluster story",
    ),
    "too few stories for clusters": (
        lambda: within_both(30, 4),
        "--map unit=participant --map condition=condition --map value=trust --map repeat=story "
        "--conditions plain,warm",
    ),
    "numbered answers": (
        lambda: within_both(8, 40, "run"),
        "--map unit=story --map condition=condition --map value=trust --map repeat=run "
        "--conditions plain,warm",
    ),
    "annotators and texts of one group each": (
        nested_in_groups,
        "--map group=author_model --map unit=annotator,text --map value=quality --design groups "
        "--cluster annotator --cluster text",
    ),
}


@pytest.mark.parametrize(("make", "command"), CROSSED.values(), ids=CROSSED)
def test_two_samples_are_crossed_clusters(
    make: Callable[[], Frame], command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = first_of(printed(make(), tmp_path / "t.csv", capsys))
    assert first == shlex.join(shlex.split(f"report {command}"))


def persons_who_differ(seed: int) -> Frame:
    """No mean difference, though each person and each story has one of its own."""
    draw = np.random.default_rng(seed)
    frame = within_both(10, 30)
    person, story, warm = (frame[name].factorize()[0] for name in frame.columns[:3])
    own = draw.normal(0, 0.5, (10, 2))[person, warm] + draw.normal(0, 0.5, (30, 2))[story, warm]
    return frame.assign(trust=own + draw.normal(0, 1, len(frame)))


def test_a_mean_over_persons_who_differ_is_cautioned_with_its_size() -> None:
    """The ratio is that of the standard errors of both analyses; run numbers have no such caution."""
    frame, pair = persons_who_differ(1), ["story", "participant"]
    how = {"condition": "condition", "value": "trust", "conditions": BOTH}
    averaged = ss.paired_difference(frame, unit="story", repeat="participant", **how)
    crossed_both = ss.paired_difference(frame, unit=pair, cluster=pair, **how)
    (caution,) = [c for c in averaged.cautions if c.code == "SS311"]
    assert "answers are averaged over 'participant' (10 values" in caution.detail
    stated = float(re.search(r"standard errors are (\S+)", caution.detail)[1])
    ratio = crossed_both.row("difference").std_error / averaged.row("difference").std_error
    assert stated == pytest.approx(ratio, rel=0.2)
    runs = frame.rename(columns={"participant": "run"})
    of_runs = ss.paired_difference(runs, unit="story", repeat="run", **how)
    assert "SS311" not in {c.code for c in of_runs.cautions}


def test_the_advice_to_a_leaderboard_of_judges_can_be_obeyed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A leaderboard has one cluster factor: two of its models are compared as pairs."""
    frame = persons_who_differ(1).set_axis(["judge", "question", "model", "score"], axis=1)
    frame.to_csv(tmp_path / "t.csv", index=False)
    command = ["check", str(tmp_path / "t.csv"), "--map", "value=score"]
    board = ["--study", "leaderboard", "--map", "rater=model", "--map", "unit=question"]
    assert main([*command, *board, "--map", "repeat=judge"]) == 0
    told = capsys.readouterr().err
    assert "Compare two labels of 'model' as pairs" in told
    advice = " ".join(re.findall(r"--(?:map|cluster) \S+", told.partition("as pairs")[2]))
    assert main([*command, *shlex.split(advice), "--conditions", "plain,warm"]) == 0
    assert "clusters    question (30), judge (10)" in capsys.readouterr().out


@pytest.mark.slow
def test_the_advice_holds_its_level_where_averages_of_persons_do_not() -> None:
    """Of 120 tables a test at 5% rejects at most 13 with probability .99 (binomial)."""
    n_tables, pair = 120, ["story", "participant"]
    crossed_rejects = averaged_rejects = 0
    for seed in range(n_tables):
        frame = persons_who_differ(seed)
        means = frame.groupby(["story", "condition"])["trust"].mean().unstack()
        averaged_rejects += stats.ttest_rel(means["plain"], means["warm"]).pvalue < 0.05
        result = ss.paired_difference(
            frame, unit=pair, condition="condition", value="trust", conditions=BOTH, cluster=pair
        )
        crossed_rejects += result.row("difference").p_value < 0.05
    assert crossed_rejects <= stats.binom.ppf(0.99, n_tables, 0.05)
    assert averaged_rejects > 2 * stats.binom.ppf(0.99, n_tables, 0.05)
