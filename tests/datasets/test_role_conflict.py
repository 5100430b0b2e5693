"""The simulated data come from the committed generator and carry the truth they claim."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import pandas as pd
import pytest

from socialstats.datasets import (
    role_conflict,
    role_conflict_labels,
    role_conflict_roles,
    role_conflict_truth,
)
from socialstats.datasets.catalogue import DATA, data_rows
from socialstats.datasets.simulate_role_conflict import (
    COUNTERPARTS,
    Simulation,
    cross_domain_pairs,
    files,
    simulate,
    write,
)
from socialstats.datasets.simulating import gzip_bytes


@pytest.fixture(scope="module")
def made() -> Simulation:
    return simulate()


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return role_conflict()


def test_generator_makes_the_committed_files_byte_for_byte(made: Simulation) -> None:
    for name, content in files(made).items():
        committed = DATA.joinpath(name).read_bytes()
        assert (gzip.decompress(committed) if name.endswith(".gz") else committed) == content


def test_write_makes_files_without_a_date(tmp_path) -> None:
    write(tmp_path)
    packed = (tmp_path / "role_conflict.csv.gz").read_bytes()
    assert packed[3:8] == b"\0" * 5  # no flags (file name), no time
    assert packed == gzip_bytes(gzip.decompress(packed))
    assert gzip.decompress(packed) == gzip.decompress(
        DATA.joinpath("role_conflict.csv.gz").read_bytes()
    )


def test_another_seed_makes_other_choices(made: Simulation) -> None:
    assert simulate(seed=1).rows != made.rows


def test_pairs_follow_the_rule(data: pd.DataFrame) -> None:
    roles = role_conflict_roles().set_index("role")
    allowed = set()
    for one, two in itertools.combinations(roles.index, 2):
        genders = {roles["gender"][one], roles["gender"][two]} - {""}
        if roles["domain"][one] != roles["domain"][two] and len(genders) < 2:
            allowed.add(frozenset((one, two)))
    assert len(allowed) == 1546
    found = {frozenset(pair) for pair in zip(data["role_a"], data["role_b"], strict=True)}
    assert found == allowed
    assert len(cross_domain_pairs(data_rows("role_conflict_roles.csv"))) == 1546
    for side in "ab":
        assert (data[f"role_{side}"].map(roles["domain"]) == data[f"domain_{side}"]).all()


def test_every_pair_meets_once_in_each_condition(data: pd.DataFrame) -> None:
    keys = ["role_a", "role_b", "urgency_a", "urgency_b"]
    assert not data.duplicated(keys).any()
    assert (data.groupby(["role_a", "role_b"]).size() == 9).all()
    assert data.groupby(["urgency_a", "urgency_b"]).size().tolist() == [1546] * 9
    assert data["scenario"].tolist() == list(range(1, 13915))


def test_order_is_balanced_in_every_condition(data: pd.DataFrame) -> None:
    a_first = data["first"] == data["role_a"]
    assert ((data["first"] == data["role_b"]) | a_first).all()
    assert a_first.groupby([data["urgency_a"], data["urgency_b"]]).sum().tolist() == [773] * 9
    assert abs((data["domain_a"] < data["domain_b"]).mean() - 0.5) < 0.05


def test_choice_is_one_of_the_two(data: pd.DataFrame) -> None:
    assert ((data["choice"] == data["role_a"]) | (data["choice"] == data["role_b"])).all()


def test_counterparts_have_one_strength(made: Simulation) -> None:
    truth = role_conflict_truth()
    assert truth.strengths == made.strengths
    assert list(truth.strengths) == role_conflict_roles()["role"].tolist()
    for group in COUNTERPARTS:
        assert len({truth.strengths[role] for role in group}) == 1


def logistic(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Newton, with the covariance of the estimates by clusters of nine rows (the pairs)."""
    beta = np.zeros(X.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-X @ beta))
        beta += (step := np.linalg.solve(X.T @ (X * (p * (1 - p))[:, None]), X.T @ (y - p)))
        if np.abs(step).max() < 1e-12:
            break
    bread = np.linalg.inv(X.T @ (X * (p * (1 - p))[:, None]))
    scores = (X * (y - p)[:, None]).reshape(-1, 9, X.shape[1]).sum(axis=1)
    return beta, bread @ scores.T @ scores @ bread


def test_truth_is_recovered(data: pd.DataFrame) -> None:
    """Marginal effects are the true ones times 1/sqrt(1 + 0.346 sd^2), within the sampling error by pair."""
    truth = role_conflict_truth()
    roles = list(truth.strengths)
    code = {role: k for k, role in enumerate(roles)}
    a, b = data["role_a"].map(code).to_numpy(), data["role_b"].map(code).to_numpy()
    X = np.zeros((len(data), 66))
    rows = np.arange(len(data))
    X[rows[a < 64], a[a < 64]] += 1
    X[rows[b < 64], b[b < 64]] -= 1
    X[:, 64] = data["urgency_a"] - data["urgency_b"]
    X[:, 65] = np.where(data["first"] == data["role_a"], 1, -1)
    beta, cov = logistic(X, (data["choice"] == data["role_a"]).to_numpy(dtype=float))
    lam = np.array(list(truth.strengths.values()))
    true = np.append(lam[:-1] - lam[-1], [truth.urgency, truth.order]) / np.sqrt(
        1 + 0.346 * truth.pair_sd**2
    )
    z = (beta - true) / np.sqrt(np.diag(cov))
    assert np.abs(z[64:]).max() < 3
    chi2 = (beta - true) @ np.linalg.solve(cov, beta - true)
    assert 30 < chi2 < 115  # 66 degrees of freedom: 0.001 and 0.999 quantiles are about 35 and 107
    slope = np.polyfit(true[:64], beta[:64], 1)[0]
    assert 0.93 < slope < 1.07


def test_choices_of_a_pair_are_dependent(data: pd.DataFrame) -> None:
    """Without the pair effect the variance of a pair's residual sum would be the binomial one."""
    truth = role_conflict_truth()
    lam = pd.Series(truth.strengths)
    eta = (
        data["role_a"].map(lam)
        - data["role_b"].map(lam)
        + truth.urgency * (data["urgency_a"] - data["urgency_b"])
        + truth.order * np.where(data["first"] == data["role_a"], 1, -1)
    )
    p = (1 / (1 + np.exp(-eta))).to_numpy()
    y = (data["choice"] == data["role_a"]).to_numpy(dtype=float)
    observed = ((y - p).reshape(-1, 9).sum(axis=1) ** 2).sum()
    assert observed / (p * (1 - p)).sum() > 1.25


def test_values_cited_have_the_shares_they_claim(data: pd.DataFrame) -> None:
    """Shares of stories by domain of the chosen role, within 4 standard errors by pair of roles."""
    truth = role_conflict_truth().values
    chosen = np.where(data["choice"] == data["role_a"], data["domain_a"], data["domain_b"])
    lists = data["values"].str.split(";")
    assert abs(lists.str.len().mean() - 1.176) < 0.01
    pair = np.arange(len(data)) // 9
    for domain, shares in truth.items():
        own = chosen == domain
        assert sum(shares.values()) == pytest.approx(1.176)
        for value, share in shares.items():
            hit = np.array([value in one for one in lists], dtype=float)
            off = np.bincount(pair, (hit - share) * own)
            assert abs(off.sum()) < 4 * np.sqrt((off**2).sum()), (domain, value)


def test_labels_are_as_right_as_they_claim(data: pd.DataFrame) -> None:
    labels, truth = role_conflict_labels(), role_conflict_truth()
    wide = labels.pivot(index="scenario", columns="rater", values="label")
    stories = data.set_index("scenario").loc[wide.index]
    gap = stories["urgency_a"] - stories["urgency_b"]
    assert (wide["reference"] == np.select([gap > 0, gap < 0], ["A", "B"], default="Tie")).all()
    assert wide.shape == (300, 7)
    right = wide.eq(wide["reference"], axis=0).mean()
    for kind, chance in (("person", truth.person_right), ("judge", truth.judge_right)):
        seen = right[[name for name in right.index if name.startswith(kind)]].mean()
        assert abs(seen - chance) < 4 * np.sqrt(chance * (1 - chance) / 900)


def test_values_do_not_change_the_choices() -> None:
    """The digest of the table without them is what it was before they were added."""
    import hashlib

    text = gzip.decompress(DATA.joinpath("role_conflict.csv.gz").read_bytes()).decode()
    plain = "\n".join(line.rpartition(",")[0] for line in text.splitlines()) + "\n"
    assert hashlib.sha256(plain.encode()).hexdigest()[:16] == "5684950b031b9539"
