"""What an audit of the five papers' tables must find, and what it must not."""

from __future__ import annotations

import csv
import tomllib
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from alarms import known_findings, split

import socialstats as ss
from socialstats.audit.findings.running import AuditReport
from socialstats.audit.findings.show import as_text
from socialstats.audit.numbers import Finding

PUBLISHED = Path(ss.__file__).parent / "datasets" / "published"
RELEASED = Path(__file__).parents[3] / "shared" / "data" / "adamet"
IN_FILE = "Released sums and answers, areas in the order of the file"
ALPHABETICAL = "Released sums and answers, areas in alphabetical order of the rules"
MADE: dict[str, AuditReport] = {}


def found(paper: str, rule: str) -> list[Finding]:
    """Return the findings of one rule of a paper's rules file."""
    if paper not in MADE:
        MADE[paper] = ss.audit.audit([], PUBLISHED / f"{paper}.toml")
    findings = [f for f in MADE[paper].findings if f.title == rule]
    assert findings, rule
    return findings


def tally(paper: str, rule: str) -> tuple[int, int]:
    """Return how many findings do not disagree, and how many there are; some may be too wide to have any power."""
    findings = found(paper, rule)
    assert {f.verdict for f in findings} <= {"agree", "disagree", "no_power"}
    assert all(f.noticed == 0 < f.neighbours for f in findings if f.verdict == "no_power")
    return sum(f.verdict != "disagree" for f in findings), len(findings)


def noted(paper: str, rule: str) -> tuple[int, int]:
    """Return of how many numbers a note is true, and of how many it is not; that is told and is no verdict."""
    (finding,) = found(paper, rule)
    assert (finding.verdict, finding.severity, finding.basis) == ("not_checkable", "none", "note")
    return finding.details["agree"], finding.details["disagree"]


def disagreeing(paper: str, rule: str) -> list[Finding]:
    return [f for f in found(paper, rule) if f.verdict == "disagree"]


@pytest.mark.slow
def test_002_table_3_is_the_weighted_mean_of_tables_7_to_9_except_one_cell() -> None:
    rule = "Table 3 = weighted mean of Tables 7-9 over topics"
    assert tally("002", rule) == (38, 39)
    (odd,) = disagreeing("002", rule)
    assert "llama-2-7b-chat" in odd.where
    assert "B_WM" in odd.where
    assert odd.published == "0.76"
    assert odd.expected == "0.76847 to 0.76947"


@pytest.mark.slow
def test_002_one_digit_settles_the_odd_cell() -> None:
    """.769 for .76: the weighted mean, the mean of sizes and the step of 2/580 fit; Table 6 does not."""
    found("002", "Table 10 = mean of Table 11")
    (repair,) = MADE["002"].repairs
    assert (repair.printed, repair.instead, repair.settles, repair.leaves) == (
        "0.76",
        "0.769",
        3,
        1,
    )


@pytest.mark.slow
def test_002_table_6_cannot_come_from_the_data_of_table_3() -> None:
    assert tally("002", "Table 3 = weighted mean of Table 6 (16 traditional, 13 egalitarian)") == (
        2,
        39,
    )
    assert tally("002", "Table 3 is between the two rows of Table 6") == (25, 39)
    outside = [
        f
        for f in found("002", "Table 3 = weighted mean of Table 6 (16 traditional, 13 egalitarian)")
        if f.details["outside_hull"]
    ]
    assert len(outside) == 14
    assert {f.severity for f in outside} == {"major"}


@pytest.mark.slow
def test_002_six_values_of_table_6_are_impossible_for_their_topics() -> None:
    rule = "Table 6: traditional scenarios as a part of Tables 7-9"
    assert tally("002", rule) == (33, 39)
    odd = {(f.published, f.expected) for f in disagreeing("002", rule)}
    assert odd >= {
        ("0.469", "0.54953 to 1.18184"),
        ("0.531", "0.75553 to 1.31284"),
        ("0.675", "1.09297 to 1.63159"),
    }


@pytest.mark.slow
def test_002_27_values_are_impossible_when_no_scenario_favours_men() -> None:
    """6 impossible ones and 21 more when every scenario's value is at least 0."""
    scenarios = {row["topic"]: row for row in rows("002_scenarios.csv")}
    topics = [row for k in ("07", "08", "09") for row in rows(f"002_table{k}_topics_by_model.csv")]
    bad = 0
    for row in rows("002_table06_egal_trad.csv"):
        if row["type"] != "Traditional":
            continue
        own = [r for r in topics if r["model"] == row["model"]]
        for column in ("B_NM", "B_WN", "B_WM"):
            bad += not ss.audit.subset_mean(
                ss.audit.printed(row[column], decimals=3),
                16,
                [ss.audit.printed(r[column], decimals=3) for r in own],
                [scenarios[r["topic"]]["n_scenarios"] for r in own],
                low=0,
                high=2,
                taken=[scenarios[r["topic"]]["n_traditional"] for r in own],
            )
    assert bad == 27


@pytest.mark.slow
def test_002_means_of_tables() -> None:
    assert tally("002", "Table 4 = mean over the 13 models of Tables 7-9") == (32, 32)
    assert tally("002", "Table 10 = mean of Table 11") == (27, 27)
    rule = "Table 10 = mean of Tables 12-13 over topics"
    assert tally("002", rule) == (26, 27)
    (odd,) = disagreeing("002", rule)
    assert (odd.published, odd.expected) == ("0.538", "0.536 to 0.537")
    assert tally("002", "Tables 7-9: B_all = mean size of the three contrasts") == (104, 104)


@pytest.mark.slow
def test_002_steps_show_which_models_have_missing_answers() -> None:
    wanted = {
        "Table 3: steps of 2/580": {"llama-2-70b-chat": 3, "llama-2-7b-chat": 1},
        "Table 6, traditional: steps of 2/320": {"llama-2-70b-chat": 2},
        "Table 6, egalitarian: steps of 2/260": {"llama-2-70b-chat": 3},
        "Tables 7-9: steps of 2 per 20 name pairs in each scenario": {"llama-2-70b-chat": 8},
        "Table 11: steps of 2/800": {"zephyr-7b-beta": 3},
        "Tables 12-13: steps of 2/200": {"zephyr-7b-beta": 9},
    }
    for rule, models in wanted.items():
        counted: dict[str, int] = defaultdict(int)
        for finding in disagreeing("002", rule):
            counted[finding.where.split(": ")[1].split(",")[0]] += 1
        assert counted == models, rule


@pytest.mark.slow
def test_002_which_contrasts_must_be_significant() -> None:
    decided = {
        (row["model"], column): ss.audit.mcnemar_bounds(
            ss.audit.printed(row[column], decimals=3), 580, significant=True
        ).verdict
        for row in rows("002_table03_overall.csv")
        for column in ("B_NM", "B_WN", "B_WM")
    }
    assert sum(verdict == "agree" for verdict in decided.values()) == 36
    assert {where for where, verdict in decided.items() if verdict == "no_power"} == {
        ("llama-2-13b-chat", "B_NM"),
        ("llama-2-70b-chat", "B_NM"),
        ("llama-2-70b-chat", "B_WN"),
    }


@pytest.mark.slow
def test_002_contrasts_of_table_6_that_cannot_be_significant() -> None:
    never = set()
    for row in rows("002_table06_egal_trad.csv"):
        for column in ("B_NM", "B_WN", "B_WM"):
            n = 320 if row["type"] == "Traditional" else 260
            finding = ss.audit.mcnemar_bounds(
                ss.audit.printed(row[column], decimals=3), n, significant=True, exact_test=True
            )
            if finding.verdict == "disagree":
                never.add((row["model"], row["type"][0], column))
    assert never == {
        ("zephyr-7b-alpha", "T", "B_WN"),
        ("gpt-4o", "T", "B_NM"),
        ("llama-2-13b-chat", "T", "B_NM"),
        ("llama-2-13b-chat", "T", "B_WN"),
        ("llama-2-70b-chat", "T", "B_NM"),
    }


def test_004_table_3_disagrees_with_table_4_for_all_models() -> None:
    rule = "Table 3 against Table 4: overall alignment"
    assert tally("004", rule) == (0, 8)
    differences = sorted(
        float(f.published) - float(f.expected.split(" to ")[0]) for f in found("004", rule)
    )
    assert differences[0] == pytest.approx(-2.80, abs=0.011)
    assert differences[-1] == pytest.approx(16.31, abs=0.011)


def test_004_the_rest_of_table_4_adds_up() -> None:
    assert tally("004", "Table 4: overall = weighted composite of the traits") == (8, 8)
    assert tally("004", "Table 4: row Mean") == (12, 12)
    assert tally("004", "Table 4: row Std") == (12, 12)
    assert tally("004", "Text: p of Grok against 0 (20 scenarios)") == (1, 1)
    assert tally("004", "Text: p of the other models against 0 is below .0001") == (7, 7)
    assert tally("004", "Table A.2: debrief = mean of stages 1 to 4") == (10, 10)
    assert tally("004", "Table A.3: weighted = weight x normalised") == (10, 10)


def test_004_text_against_tables() -> None:
    for rule in (
        "Egalitarianism",
        "Collective Responsibility",
        "Authority Deference",
        "Tradition Orientation",
    ):
        assert tally("004", f"Text 4.3: {rule} against Table 4") == (0, 1)
    assert tally("004", "Text 4.2: two means of Grok") == (0, 1)


def test_000_one_digit_of_table_11_settles_six_constraints() -> None:
    assert tally("000", "Table 11: counts of the domains add up to ALL") == (9, 10)
    (repair,) = MADE["000"].repairs
    assert (repair.printed, repair.instead, repair.settles, repair.leaves) == ("39", "89", 6, 0)
    assert repair.cell[2] == "count"
    assert repair.others == ()


def test_000_the_entropy_t_cannot_be() -> None:
    for unit, bound in (("bits", 1.0), ("nats", 0.6931471805599453)):
        (finding,) = found("000", f"Text: t of the entropy difference over 1,546 pairs, in {unit}")
        assert finding.verdict == "disagree"
        spread = 0.16 * 1546**0.5 / 4.85  # 1.297, more than bounded differences can have
        assert spread > (bound**2 - 0.16**2) ** 0.5


def test_000_reference_lines_of_sensitivity() -> None:
    (coin,) = found("000", "Text: S of random answers is about 100")
    assert (coin.verdict, coin.expected) == ("disagree", "50")
    (ranking,) = found("000", "Text: S of a random ranking is about 100")
    assert ranking.verdict == "disagree"
    assert float(ranking.expected) == pytest.approx(76.0, abs=0.1)  # simulated: 76.0


def test_000_opponents_follow_from_the_roles() -> None:
    """Pairs cross domains and do not differ in gender: 1,546 pairs."""
    roles = list(
        csv.DictReader(
            (PUBLISHED.parent / "data" / "role_conflict_roles.csv").read_text().splitlines()
        )
    )
    opponents = {
        a["role"]: sum(
            a["domain"] != b["domain"]
            and not (a["gender"] and b["gender"] and a["gender"] != b["gender"])
            for b in roles
        )
        for a in roles
    }
    assert sum(opponents.values()) == 2 * 1546
    assert opponents == {
        row["role"]: int(row["opponents"]) for row in rows("000_role_opponents.csv")
    }


def test_001_numbers_match_their_colours_and_claims_about_them_do_not_all_hold() -> None:
    assert tally("001", "Table 2: each number matches the colour of its cell") == (168, 168)
    assert tally("001", "Text: finance is consistently the lowest domain") == (15, 42)
    assert tally("001", "Text: top models are above 0.85 in advertising and hiring") == (35, 36)
    (below,) = disagreeing("001", "Text: top models are above 0.85 in advertising and hiring")
    assert below.where.split(": ")[1] == "Hiring, Qwen-3, goal"  # not 0.854
    scores = {
        (r["domain"], r["model"], r["condition"]): float(r["JSS"])
        for r in rows("001_table02_jss.csv")
    }
    others = ("Advertising", "Customer Support", "Hiring")
    lowest = [
        all(x <= scores[o, m, c] for o in others)
        for (d, m, c), x in scores.items()
        if d == "Finance"
    ]
    assert (sum(lowest), len(lowest)) == (15, 42)
    assert MADE["001"].tally()["disagree"] == 28
    powers = [f.power for f in found("001", "Table 2: each number matches the colour of its cell")]
    assert min(p for p in powers if p is not None) == 1.0


def test_003_tables_are_consistent_in_themselves_and_its_rows_are_misordered() -> None:
    """Without the released files what they gave is recorded, and said to be."""
    assert tally("003", "Table 3: annotators of each attribute add up to 100") == (9, 9)
    assert tally("003", IN_FILE) == (0, 4)
    assert tally("003", ALPHABETICAL) == (4, 4)
    assert all(
        "recorded of the files of the repository" in f.message for f in found("003", IN_FILE)
    )
    assert f"  {IN_FILE}: 4 of 4" in as_text(MADE["003"]).splitlines()
    (finding,) = found("003", "Table 1 = released sum / 100")
    assert finding.verdict == "not_checkable"


def test_003_alphas_refusals_and_realigned_sums_as_recorded() -> None:
    rule = "Table 4 = nominal alpha of the released answers, refusals as a label"
    assert tally("003", rule) == (14, 15)
    (odd,) = disagreeing("003", rule)
    assert (odd.published, odd.where.split(": ")[1]) == (
        "-0.115",
        "Llama-3.1(70B, 405B), Zero-Shot",
    )
    assert "recorded" in odd.message
    assert tally("003", "Table 4: the row that is Fleiss' kappa") == (1, 1)
    assert noted("003", "Table 4 as alpha of ordered answers, without refusals") == (0, 15)
    assert tally("003", "Table 4: alpha of people with 50 ratings a rule of thumb") == (0, 1)
    assert tally("003", "Table 5 = refusals and unread replies of the released answers") == (
        132,
        132,
    )
    assert tally("003", "Table 1: the cell that is not its released sum / 100") == (0, 1)
    for group in ("youngest group", "group of the highest income"):
        assert tally("003", f"Table 2: the {group} is the closest one of most models") == (1, 1)
    rule = "Table 1 against what the sums can be after realignment"
    outside = disagreeing("003", rule)
    assert (len(outside), len(found("003", rule))) == (85, 132)
    # 84 by the released sums: one cell (GPT-4 Turbo) is not printed as its sum
    assert sum("GPT-4 Turbo" not in f.where for f in outside) >= 60


CLAIMS_002 = {
    "Table 4: B_all = mean size of the three contrasts": (5, 8),
    "Table 11: B_all = mean size of the three contrasts": (18, 18),
    "Tables 12-13: B_all = mean size of the three contrasts": (72, 72),
    "Table 3: no contrast has the other direction": (39, 39),
    "Table 10: no contrast has the other direction": (27, 27),
    "Table 6: egalitarian scenarios as a part of Tables 7-9": (39, 39),
    "Table 11: other scenarios as a part of Tables 12-13": (27, 27),
    "Table 10: steps of 2/1600": (27, 27),
    "Table 4: scenarios of each topic": (8, 8),
}


@pytest.mark.slow
@pytest.mark.parametrize("rule", CLAIMS_002)
def test_002_further_relations(rule: str) -> None:
    assert tally("002", rule) == CLAIMS_002[rule]


@pytest.mark.slow
def test_002_claims_as_counted_by_hand() -> None:
    negative = 0
    for tables in (("07", "08", "09"), ("12", "13")):
        of = [
            row
            for k in tables
            for row in rows(f"002_table{k}_{'gpt4_' * (k > '09')}topics_by_model.csv")
        ]
        negative += sum(float(row[c]) < 0 for row in of for c in ("B_NM", "B_WN", "B_WM"))
    assert negative == 8
    titles = [f"Tables {k}: no contrast has the other direction" for k in ("7-9", "12-13")]
    assert sum(len(disagreeing("002", title)) for title in titles) == negative
    off = disagreeing("002", "Table 4: B_all = mean size of the three contrasts")
    assert [f.where.split(": ")[1] for f in off] == ["Money", "Kids", "General Household"]
    assert {name for f in off for name in f.beside} == {
        "Table 4 = mean over the 13 models of Tables 7-9"
    }
    (larger,) = found("002", "Table 6: bias is larger in egalitarian scenarios")
    assert (larger.verdict, larger.details["agree"], larger.details["disagree"]) == ("agree", 10, 3)


@pytest.mark.slow
def test_002_what_is_wrong_with_table_6_is_right_in_tables_7_to_9() -> None:
    off = disagreeing("002", "Table 3 = weighted mean of Table 6 (16 traditional, 13 egalitarian)")
    assert sum("Table 3 = weighted mean of Tables 7-9 over topics" in f.beside for f in off) == 36


NOTED = {  # claims without a place
    "000": {
        "Table 1: S is at most that of fair coins (50)": 5,
        "Table 2: S is at most that of fair coins (50)": 1,
    },
    "001": {},
    "002": {},
    "003": {"Table 4 as alpha of ordered answers, without refusals": 15},
    "004": {},
}
PLACED = {  # claims that were noted in other words, with the place of their sentence
    "000": {},
    "001": {
        "Text: finance is consistently the lowest domain": 27,
        "Text: top models are above 0.85 in advertising and hiring": 1,
    },
    "002": {
        "Tables 7-9: no contrast has the other direction": 4,
        "Tables 12-13: no contrast has the other direction": 4,
    },
    "003": {},
    "004": {},
}
ARITHMETIC = {"000": 15, "001": 0, "002": 92, "003": 92, "004": 28}


@pytest.mark.slow
@pytest.mark.parametrize("paper", ARITHMETIC)
def test_alarms_are_arithmetic_or_have_the_place_of_their_claim(paper: str) -> None:
    """227 alarms are between printed numbers, 36 contradict a claim whose place is noted; none has neither."""
    MADE.setdefault(paper, ss.audit.audit([], PUBLISHED / f"{paper}.toml"))
    alarms = MADE[paper].of("disagree")
    claims = {rule.name: rule.claim for rule in MADE[paper].book.rules}
    assert (
        sum(finding.basis == "numbers" and claims[finding.title] is None for finding in alarms)
        == ARITHMETIC[paper]
    )
    placed = [finding for finding in alarms if finding.basis == "note"]
    assert Counter(finding.title for finding in placed) == PLACED[paper]
    assert {finding.severity for finding in placed} <= {"minor"}
    assert len(alarms) == ARITHMETIC[paper] + len(placed)
    noted_only = [
        name
        for name, claim in claims.items()
        if claim and claim.basis == "note" and not claim.place
    ]
    assert {name: noted(paper, name)[1] for name in noted_only} == NOTED[paper]
    claimed = {rule.check for rule in MADE[paper].book.rules if rule.claim is None}
    assert not claimed & {"extreme", "mcnemar_bounds"}


@pytest.mark.slow
@pytest.mark.parametrize("paper", ARITHMETIC)
def test_every_known_finding_is_told(paper: str) -> None:
    """As an alarm or by a note; that moral certainty differs most follows from the range of the other traits."""
    MADE.setdefault(paper, ss.audit.audit([], PUBLISHED / f"{paper}.toml"))
    alarms, by_note, missing = split(MADE[paper], known_findings(paper))
    assert len(by_note) <= sum(NOTED[paper].values())
    assert alarms
    assert missing == ([("004_table04_traits.csv line 11: Std", "2.31")] if paper == "004" else [])


def test_quotations_are_those_of_the_abstracts() -> None:
    """What stands between quotation marks was read in an abstract; the rest is marked as noted."""
    for paper, path in ss.audit.papers().items():
        for rule in rules_of(path):
            if "sentence" in rule:
                assert rule.get("verbatim", True) == rule.get("place", "").startswith("abstract"), (
                    paper,
                    rule["name"],
                )


def rules_of(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["rule"]
    return found


def test_000_claims_of_the_text() -> None:
    assert noted("000", "Table 1: S is at most that of fair coins (50)") == (5, 5)
    assert noted("000", "Table 2: S is at most that of fair coins (50)") == (6, 1)
    assert tally("000", "Text: S of GPT-4.1 (46.28) against Table 1") == (0, 1)
    assert tally("000", "Text: share of Tradition in family (3.2%) against its count") == (0, 1)
    assert tally("000", "Text: p of the entropy difference") == (1, 1)
    assert tally("000", "Roles: opponents add up to twice 1,546 pairs") == (1, 1)


def test_004_claims_of_the_text() -> None:
    wanted = {
        "Text 4.2: overall of Grok against Table 4": (0, 1),
        "Text 4.2: mean of Grok against Table 3": (1, 1),
        "Text 4.3: mean of the liberal traits against Table 4": (0, 1),
        "Text 4.3: mean of the conservative traits against Table 4": (0, 1),
        "Text 4.3: range of the standard deviations of all traits but moral certainty": (2, 9),
        "Text 4.3: standard deviation of moral certainty against Table 4": (0, 1),
        "Text: activation, staged mean - baseline": (1, 1),
        "Abstract against text: gain of activation": (0, 1),
        "Text: largest shift as a percentage of the scale of 200 points": (1, 1),
        "Table 3: seven of eight models lean left": (1, 1),
        "Table 4: seven of eight models lean left": (1, 1),
        "Text 4.2: range of the other seven models (19 to 39), Table 3": (7, 7),
        "Text 4.2: range of the other seven models (19 to 39), Table 4": (6, 7),
    }
    assert {rule: tally("004", rule) for rule in wanted} == wanted


def rows(name: str | Path) -> list[dict[str, str]]:
    return list(csv.DictReader((PUBLISHED / name).read_text(encoding="utf-8").splitlines()))


@pytest.fixture(scope="module")
def released() -> AuditReport:
    if not RELEASED.is_dir():
        pytest.skip(
            "the released answers (CC BY-NC) are not part of the project: no ../shared/data/adamet"
        )
    names = ("published_distance_sums", "llm_answers", "rots")
    return ss.audit.audit(
        [RELEASED / f"adamet_{name}.csv" for name in names], PUBLISHED / "003.toml"
    )


@pytest.mark.slow
def test_003_table_1_is_the_released_sums_over_100_but_for_one_cell(released: AuditReport) -> None:
    findings = [f for f in released.findings if f.title == "Table 1 = released sum / 100"]
    assert (sum(f.verdict == "agree" for f in findings), len(findings)) == (131, 132)
    (odd,) = [f for f in findings if f.verdict == "disagree"]
    assert "GPT-4 Turbo, zero_shot_description, DEAR" in odd.where
    assert odd.expected == "0.965"


@pytest.mark.slow
def test_003_what_is_recorded_is_what_the_files_give(released: AuditReport) -> None:
    found("003", IN_FILE)
    for name in ("alphas", "ordered", "fleiss", "refused", "realigned"):
        held, made = MADE["003"].book.sheets[name], released.book.sheets[name]
        by = held.columns[:-1]
        labels = [tuple(held.label(i, c) for c in by) for i in range(len(held.rows))]
        assert (
            len(set(labels))
            == len(labels)
            == (15 if name in ("alphas", "ordered", "fleiss") else 132)
        )
        computed = {
            tuple(made.label(i, c) for c in by): made.numbers[i] for i in range(len(made.rows))
        }
        assert len(computed) == len(made.rows)
        for i, label in enumerate(labels):
            ours, theirs = computed[label].bounds, held.numbers[i].bounds
            assert theirs[0] <= ours[0]
            assert ours[1] <= theirs[1]
            assert theirs[1] - theirs[0] <= ours[1] - ours[0] + Fraction(1, 300)
        assert {
            (f.title, f.where, f.verdict) for f in released.findings if "realignment" in f.title
        } == {
            (f.title, f.where, f.verdict) for f in MADE["003"].findings if "realignment" in f.title
        }


@pytest.mark.slow
def test_003_rows_are_misordered(released: AuditReport) -> None:
    """No answer key gives the sums in the order of the file, in any area; in alphabetical order one does, in all."""
    by_file = [f for f in released.findings if f.title.endswith("in the order of the file")]
    misfits = sorted(round(float(f.details["proved"]), 1) for f in by_file)
    assert misfits == [128.6, 130.7, 161.0, 185.9]
    assert {f.verdict for f in by_file} == {"disagree"}
    sorted_areas = [
        f for f in released.findings if f.title.endswith("in alphabetical order of the rules")
    ]
    assert [f.verdict for f in sorted_areas] == ["agree"] * 4
    assert all(f.details["misfit"] < 1e-6 for f in sorted_areas)
    held = {f.where: f.details["misfit"] for f in found("003", IN_FILE)}
    for f in by_file:  # what is recorded is a lower bound of what the files give, to a tenth
        area = f.where.split(": ")[1].split(",")[0]
        assert 0 <= float(f.details["proved"]) - held[area] < 0.1


@pytest.mark.slow
def test_003_a_random_order_is_infeasible_too() -> None:
    """The power of the linear program: three random sets of 100 rules cannot have given the sums of an area."""
    if not RELEASED.is_dir():
        pytest.skip(
            "the released answers (CC BY-NC) are not part of the project: no ../shared/data/adamet"
        )
    answers: dict[str, dict[Any, float | None]] = defaultdict(dict)
    for row in rows(RELEASED / "adamet_llm_answers.csv"):
        code = row["answer_code"]
        answers[row["rot_id"]][row["model"], row["prompt"]] = (
            float(code) if code in set("01234") else None
        )
    sums: dict[Any, Fraction] = {}
    for row in rows(RELEASED / "adamet_published_distance_sums.csv"):
        if row["area"] == "ROC":
            sums[row["model"], row["prompt"]] = Fraction(row["distance_sum"])
    groups = {unit: "ROC" if i < 100 else "other" for i, unit in enumerate(answers)}
    (finding,) = ss.audit.alignment({"ROC": sums}, answers, groups, missing=4, shuffles=3)
    assert (finding.noticed, finding.neighbours) == (3, 3)
