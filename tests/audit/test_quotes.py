"""Rules about claims: the sentence must be there, in the document where one is given, and say what is tested."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss
from socialstats.audit.documents.passages import Passage
from socialstats.audit.documents.quotes import (
    Claim,
    look_up,
    looked_up,
    say_alike,
    weighed_claim,
    words_of,
)
from socialstats.audit.findings.running import AuditReport
from socialstats.audit.findings.show import as_text
from socialstats.audit.numbers import Finding
from socialstats.cli import main
from socialstats.errors import InputError

TABLE = (
    "task,ours,base\nreading,0.71,0.64\nwriting,0.66,0.69\nlisting,0.58,0.51\nnaming,0.49,0.49\n"
)
PAPER = """# A paper

Our model is better than the baseline on most tasks. Nothing suggests that the baseline is ever far behind;
see the table. In sum, our model beats the baseline in every single task (mean of 0.61).
"""
RULE = """[[rule]]
name = "ours leads"
check = "extreme"
table = "t"
value = "ours"
parts = ["base"]
"""


def run(folder: Path, rules: str, head: str = "", paper: str = PAPER) -> AuditReport:
    (folder / "t.csv").write_text(TABLE, encoding="utf-8")
    (folder / "paper.md").write_text(paper, encoding="utf-8")
    (folder / "rules.toml").write_text(f'{head}[tables]\nt = "t.csv"\n\n{rules}', encoding="utf-8")
    return ss.audit.audit([], folder / "rules.toml")


def refused(folder: Path, rules: str, head: str = "") -> str:
    with pytest.raises(InputError) as error:
        run(folder, rules, head)
    return str(error.value)


@pytest.mark.parametrize(
    "rule",
    [
        RULE,
        '[[rule]]\ncheck = "mcnemar_bounds"\ntable = "t"\nbias = "ours"\nn = 50\nsignificant = true\n',
        '[[rule]]\ncheck = "mcnemar_bounds"\ntable = "t"\nbias = "ours"\nn = 50\nsignificant = false\n',
    ],
)
def test_a_claim_without_a_sentence_is_an_error_with_its_line_and_what_to_write(
    tmp_path: Path, rule: str
) -> None:
    message = refused(tmp_path, rule)
    assert "tests a claim, and no sentence is quoted" in message
    assert "rules.toml line 4" in message
    assert 'sentence = "..."' in message


def test_arithmetic_needs_no_sentence(tmp_path: Path) -> None:
    rule = '[[rule]]\ncheck = "mean_of"\ntable = "t"\nby = "*"\n'
    (found,) = run(
        tmp_path, f'{rule}value = {{ value = "0.61" }}\nparts = {{ column = "ours", by = {{}} }}\n'
    ).findings
    assert (found.verdict, found.basis) == ("agree", "numbers")
    rule = '[[rule]]\ncheck = "mcnemar_bounds"\ntable = "t"\nwhere = { task = "reading" }\n'
    (statistic,) = run(tmp_path, f'{rule}bias = "ours"\nn = 50\nstatistic = 9\n').findings
    assert statistic.basis == "numbers"
    rule = '[[rule]]\ncheck = "sensitivity_reference"\ntable = "t"\nby = "*"\nchooser = "coin"\n'
    (line,) = run(tmp_path, f'{rule}value = {{ value = "100" }}\n').findings
    assert (line.verdict, line.basis, line.severity) == ("disagree", "numbers", "major")


def test_a_range_that_is_printed_needs_no_sentence(tmp_path: Path) -> None:
    """Its ends are printed numbers, with their rounding: 0.585 may be printed as 0.59, the end as 0.6."""
    rule = '[[rule]]\ncheck = "hull"\ntable = "t"\nvalue = "ours"\nparts = [{ value = "0.6" }, { value = "0.7" }]\n'
    found = run(tmp_path, rule).findings
    assert [f.verdict for f in found] == ["agree", "agree", "agree", "disagree"]
    assert {f.basis for f in found} == {"numbers"}


def test_a_claim_of_most_is_tested_as_most_and_one_of_all_as_all(tmp_path: Path) -> None:
    most = RULE + 'sentence = "better than the baseline on most tasks"\nholds = "most"\n'
    (found,) = run(tmp_path, most).findings
    assert (found.verdict, found.published, found.expected) == (
        "agree",
        "3 of 4",
        "at least 3 of 4",
    )
    assert (
        found.message
        == "the claim holds for 3 of 4, and is made for at least 3 of 4; it fails for writing"
    )
    assert found.details["exceptions"] == ["t.csv line 3: writing"]
    every = RULE + 'sentence = "our model beats the baseline in every single task"\nholds = "all"\n'
    verdicts = [f.verdict for f in run(tmp_path, every).findings]
    assert verdicts.count("disagree") == 1
    assert len(verdicts) == 4


@pytest.mark.parametrize(
    ("holds", "verdict", "gap"),
    [
        ('"some"', "agree", 0),
        ("3", "agree", 0),
        ("4", "disagree", 1),
        ("2", "disagree", 1),
        ("0", "disagree", 3),
    ],
)
def test_claims_of_some_and_of_a_count(tmp_path: Path, holds: str, verdict: str, gap: int) -> None:
    rule = (
        RULE + f'label = ["task", "base"]\nsentence = "so many tasks are better"\nholds = {holds}\n'
    )
    (found,) = run(tmp_path, rule).findings
    assert (found.verdict, found.gap) == (verdict, gap)
    assert found.message.endswith("it fails for writing / 0.69")


def test_how_many_numbers_a_sentence_is_about_must_be_said(tmp_path: Path) -> None:
    message = refused(tmp_path, RULE + 'sentence = "our model is better"\n')
    assert "sentence is tested on 4 numbers" in message
    assert '"all", "most", "some"' in message
    one = RULE + 'where = { task = "reading" }\nsentence = "our model is better"\n'
    assert [f.verdict for f in run(tmp_path, one).findings] == ["agree"]


def test_a_sentence_that_is_not_in_the_document_is_an_error_that_names_the_nearest(
    tmp_path: Path,
) -> None:
    rule = RULE + 'sentence = "Our model is better than the baseline on all tasks"\nholds = "all"\n'
    message = refused(tmp_path, rule, 'document = "paper.md"\n')
    assert "sentence is not in paper.md" in message
    assert "paper.md line 3: Our model is better than the baseline on most tasks." in message
    assert [f.basis for f in run(tmp_path, rule).findings] == ["quotation"] * 4


def test_a_found_sentence_is_shown_whole_with_its_line(tmp_path: Path) -> None:
    """A quote cut out of a sentence that says the opposite shows itself."""
    rule = RULE + 'sentence = "the baseline is ever far behind"\nholds = "all"\n'
    report = run(tmp_path, rule, 'document = "paper.md"\n')
    assert {f.passage for f in report.findings} == {
        "Nothing suggests that the baseline is ever far behind; see the table."
    }
    assert "(paper.md line 3)" in as_text(report)


def test_the_strength_of_a_verdict_follows_from_what_was_tested(tmp_path: Path) -> None:
    rule = RULE + 'sentence = "our model beats the baseline in every single task"\nholds = "all"\n'

    def bad(report: AuditReport) -> list[tuple[str, str]]:
        return [(f.basis, f.severity) for f in report.findings if f.verdict == "disagree"]

    assert bad(run(tmp_path, rule, 'document = "paper.md"\n')) == [("sentence", "major")]
    assert bad(run(tmp_path, rule)) == [("quotation", "minor")]
    assert bad(run(tmp_path, rule + "verbatim = false\n")) == []
    assert "no document was given" in as_text(run(tmp_path, rule))
    assert bad(run(tmp_path, rule + "verbatim = false\n", 'document = "paper.md"\n')) == [
        ("sentence", "major")
    ]
    words = (
        RULE
        + 'sentence = "in every single task our models beat the baseline"\nholds = "all"\nverbatim = false\n'
    )
    report = run(tmp_path, words, 'document = "paper.md"\n')
    assert bad(report) == [("words", "minor")]
    assert {f.passage for f in report.findings} == {
        "In sum, our model beats the baseline in every single task (mean of 0.61)."
    }
    assert "paper.md line 4; found by the words of the rules' note" in as_text(report)


@pytest.mark.parametrize(
    ("holds", "where", "share", "fails"),
    [
        ('"all"', "", "3 of 4", "writing"),
        ('"most"', "", "3 of 4", "writing"),
        ('"all"', 'where = { task = "writing" }\n', "0 of 1", "writing"),
        ('"all"', 'where = { task = "reading" }\n', "1 of 1", ""),
    ],
)
@pytest.mark.parametrize(
    "paper", [PAPER, "# A paper\n\nOur model is not behind on every task.\n", ""]
)
def test_a_note_that_no_sentence_makes_is_no_verdict(
    tmp_path: Path, paper: str, holds: str, where: str, share: str, fails: str
) -> None:
    """With or without a document: nothing agrees or disagrees, and what the numbers say is told."""
    rule = (
        f'{RULE}{where}sentence = "ours is ahead on each task"\nholds = {holds}\nverbatim = false\n'
    )
    report = run(tmp_path, rule, 'document = "paper.md"\n' if paper else "", paper or PAPER)
    (found,) = report.findings
    assert (found.verdict, found.severity, found.basis) == ("not_checkable", "none", "note")
    end = f"; it fails for {fails}" if fails else ""
    assert found.message == f"noted, not quoted: the note is true of {share}{end}"
    assert found.details["disagree"] == bool(fails)
    assert report.tally()["disagree"] == report.tally()["agree"] == 0
    text = as_text(report)
    assert "What could not be checked (1)" in text
    assert "“" not in text.partition("Claim:")[2].splitlines()[0]


SMALL = """# Two judges

{claim}

| Domain | A | B |
|---|---|---|
| Work | 0.71 | 0.80 |
| Money | 0.52 | 0.64 |
| Home | 0.66 | 0.61 |
"""
LOWEST = """document = "paper.md"

[tables]
t = {{ file = "paper.md", table = 1 }}

[[rule]]
name = "money is lowest"
check = "extreme"
table = "t"
where = {{ Domain = "Money" }}
columns = ["A", "B"]
parts = {{ by = {{}}, where = {{ Domain = {{ not = "Money" }} }} }}
which = "smallest"
sentence = "money is always the lowest domain"
verbatim = {verbatim}
holds = "all"
"""


@pytest.mark.parametrize(
    ("claim", "basis", "severities"),
    [
        ("Across judges, money is always the lowest domain.", "sentence", ["none", "major"]),
        ("The lowest of all domains is always money, for each judge.", "words", ["none", "minor"]),
        ("Money is not always the lowest domain.", "note", ["none"]),
        ("Scores of money were low.", "note", ["none"]),
    ],
)
def test_a_small_paper_with_the_claim_and_without_it(
    tmp_path: Path, claim: str, basis: str, severities: list[str]
) -> None:
    (tmp_path / "paper.md").write_text(SMALL.format(claim=claim), encoding="utf-8")
    (tmp_path / "rules.toml").write_text(LOWEST.format(verbatim="false"), encoding="utf-8")
    report = ss.audit.audit([], tmp_path / "rules.toml")
    assert {f.basis for f in report.findings} == {basis}
    assert [f.severity for f in report.findings] == severities
    if basis != "note":
        (alarm,) = report.of("disagree")
        assert (alarm.published, alarm.passage) == ("0.64", claim)
    (tmp_path / "rules.toml").write_text(LOWEST.format(verbatim="true"), encoding="utf-8")
    if basis == "sentence":
        assert len(ss.audit.audit([], tmp_path / "rules.toml").of("disagree")) == 1
    else:
        with pytest.raises(InputError, match=r"sentence is not in paper\.md"):
            ss.audit.audit([], tmp_path / "rules.toml")


@pytest.mark.parametrize(
    ("note", "text", "alike"),
    [
        ("bias is the same in all topics", "In all the topics, biases were the same.", True),
        ("scores rise with size", "The score rises with the sizes of models.", True),
        ("scores rise with size", "Scores do not rise with size.", False),
        ("scores never rise with size", "Scores never rise with size.", True),
        ("above 0.85 in hiring", "It is above .85 in Hiring.", True),
        ("above 0.85 in hiring", "It is above 0.855 in hiring.", False),
        ("large models lead", "The largest models lead.", False),
        ("model B leads", "The model in bed leads.", False),
        ("it is the", "It is the one that it is.", False),
    ],
)
def test_notes_are_alike_to_sentences_that_have_all_their_words(
    note: str, text: str, alike: bool
) -> None:
    assert bool(say_alike(note, passages(text))) == alike


@pytest.mark.parametrize(
    ("text", "holds", "basis"),
    [
        ("Ours, for most tasks, leads.", "all", "note"),
        ("Ours, for most tasks, leads.", "most", "words"),
        ("In all tasks, ours leads.", "most", "note"),
        ("Ours, in three of four tasks, leads.", 3, "words"),
        ("Ours, in three of four tasks, leads.", 2, "note"),
        ("Leads are ours.", "some", "words"),
    ],
)
def test_a_sentence_of_another_quantity_does_not_make_a_note(
    text: str, holds: str | int, basis: str
) -> None:
    claim = looked_up(Claim(sentence="ours leads", holds=holds, basis="note"), [passages(text)])
    assert claim is not None
    assert claim.basis == basis


@pytest.mark.parametrize(
    ("sentence", "holds", "wrong"),
    [
        ("better than the baseline on most tasks", '"all"', "most"),
        ("our model beats the baseline in every single task", '"most"', "all"),
        ("it is ahead in some of the tasks", '"most"', "some"),
        ("three of four tasks are led by ours", "2", "3 and 4"),
        ("most of the tasks are led by ours", "3", "most"),
        ("three of four tasks are led by ours", "3", ""),
        ("ours leads 3 of 4 tasks", "3", ""),
        ("ours leads in most tasks (3 of 4)", "3", ""),
        ("in four tasks ours is ahead", '"all"', ""),
        ("ours is the most accurate model", '"all"', ""),
        ("ours is ahead of the baseline", '"most"', ""),
    ],
)
def test_holds_is_what_the_sentence_says(
    tmp_path: Path, sentence: str, holds: str, wrong: str
) -> None:
    rule = f'{RULE}sentence = "{sentence}"\nholds = {holds}\n'
    if wrong:
        message = refused(tmp_path, rule)
        assert "is not what the sentence says" in message
        assert f"It speaks of {wrong}:" in message
        run(tmp_path, rule + "verbatim = false\n")
    else:
        run(tmp_path, rule)


def test_sentences_of_a_paper_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A bundled note is tested where the paper is given and says so; that file needs no table."""
    (tmp_path / "gain.md").write_text(
        "# GAIN\n\nFor all models, finance is consistently the lowest domain.\n"
    )
    assert (
        main(["audit", "--example", "001", str(tmp_path / "gain.md"), "--fail-on", "disagree"]) == 1
    )
    assert (
        "Claim: “For all models, finance is consistently the lowest domain.”"
        in capsys.readouterr().out
    )
    (tmp_path / "gain.md").write_text("# GAIN\n\nFinance is one of four domains.\n")
    assert (
        main(["audit", "--example", "001", str(tmp_path / "gain.md"), "--fail-on", "disagree"]) == 0
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ('sentence = "is better"\nholds = "all"', "sentence has 2 words, it needs 3"),
        ('holds = "most"', "holds is about a claim, and there is no sentence"),
        ('place = "abstract"', "place is about a claim, and there is no sentence"),
        ('sentence = "our model is better"\nholds = "mostly"', "holds = 'mostly'"),
        ('sentence = "our model is better"\nholds = -1', "holds = -1 is no count"),
        ('sentence = "our model is better"\nholds = 5', "holds = 5, and the rule has 4 numbers"),
        ('sentence = "our model is better"\nholds = true', "holds = true is not"),
        ("sentence = 5", "sentence = 5 is not text"),
        ('sentence = "our model is better"\nverbatim = "no"', "verbatim"),
    ],
)
def test_keys_of_a_claim_that_cannot_be_used_are_errors(
    tmp_path: Path, keys: str, message: str
) -> None:
    assert message in refused(tmp_path, RULE + keys + "\n")


def test_a_printed_number_of_the_rule_must_stand_in_its_sentence(tmp_path: Path) -> None:
    rule = (
        '[[rule]]\ncheck = "text_against_table"\ntable = "t"\nwhere = { task = "reading" }\nsource = "ours"\n'
        'value = { value = "0.75" }\nsentence = "our model has .71 in reading"\n'
    )
    assert "value = 0.75 is not in the sentence" in refused(tmp_path, rule)
    (found,) = run(tmp_path, rule.replace("0.75", "0.71")).findings
    assert found.verdict == "agree"


def test_documents_that_cannot_be_used_are_errors(tmp_path: Path) -> None:
    rule = RULE + 'sentence = "our model is better"\nholds = "all"\n'
    assert "absent.md" in refused(tmp_path, rule, 'document = "absent.md"\n')
    assert "has no sentences" in refused(tmp_path, rule, 'document = "t.csv"\n')
    assert "document" in refused(tmp_path, rule, "document = 3\n")


def passages(*texts: str) -> list[Passage]:
    return [Passage(text=text, source="p.md", line=k) for k, text in enumerate(texts, 1)]


def test_quotes_are_compared_by_words_numbers_and_signs() -> None:
    said = passages(
        "Grok’s mean is −22.7 (SD = 30.83).",
        "It uses 1,546 pairs.",
        "The “best” model – ours – wins.",
    )
    for quote in (
        "Grok's mean is -22.7",
        "is −22.7 (SD=30.83)",
        "1546 pairs",
        'the "best" model, ours, wins',
    ):
        assert look_up(quote, said), quote
    for quote in (
        "Grok's mean is 22.7",
        "mean is -22.71",
        "rok's mean is",
        "1546 pair",
        "best model wins",
        "",
        "...",
    ):
        assert not look_up(quote, said), quote


def test_words_left_out_stay_within_neighbouring_sentences() -> None:
    said = passages(
        "A wins in reading.", "B wins in writing.", "C is last.", "D is first.", "E is fifth."
    )
    assert [p.line for p in look_up("A wins ... in writing", said)] == [1, 2]
    assert [p.line for p in look_up("wins in writing. C is", said)] == [2, 3]
    assert not look_up("A wins ... E is fifth", said)
    assert not look_up("writing ... B", said)


def finding(verdict: str) -> Finding:
    return Finding(
        rule="within", verdict=verdict, message="", severity="major", where="t.csv line 2: a"
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("verdicts", "holds", "verdict"),
    [
        ("aab", "most", "agree"),
        ("aabb", "most", "disagree"),  # a half is not most
        ("aao", "most", "agree"),
        ("abo", "most", "not_checkable"),
        ("bbo", "some", "not_checkable"),
        ("bbb", "some", "disagree"),
        ("aab", 2, "agree"),
        ("aao", 2, "not_checkable"),
        ("aaa", 2, "disagree"),
        ("bbb", 0, "agree"),
    ],
)
def test_numbers_that_could_not_be_decided_may_be_either(
    verdicts: str, holds: str | int, verdict: str
) -> None:
    known = {"a": "agree", "b": "disagree", "o": "no_power"}
    claim = Claim(sentence="as it is said", holds=holds, basis="sentence")
    (found,) = weighed_claim(claim, [finding(known[v]) for v in verdicts])
    assert found.verdict == verdict
    assert (found.severity == "major") == (verdict == "disagree")


def test_words_are_read_alike_however_they_are_printed() -> None:
    assert words_of("p<.001") == words_of("p < 0.001")
    assert words_of("3,092 answers") == words_of("3092 answers")
    assert words_of("0,62 Punkte") == words_of("0.62 Punkte")
    assert words_of("0,625") == ["0.625"]
    assert words_of("0.5") != words_of("0.05")


def test_a_disagreement_names_the_rules_by_which_its_number_agrees(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text(
        "row,total,a,b,c,d\nx,6.0,1.0,5.0,2.0,2.0\ny,7.0,1.0,5.0,3.0,3.0\n"
    )
    rules = """[tables]
b = "b.csv"

[[rule]]
name = "total = a + b"
check = "sum_to"
table = "b"
parts = ["a", "b"]
total = "total"

[[rule]]
name = "total = 1.5 (c + d)"
check = "linear_composite"
table = "b"
value = "total"
scores = ["c", "d"]
weights = [1.5, 1.5]
"""
    (tmp_path / "rules.toml").write_text(rules)
    report = ss.audit.audit([], tmp_path / "rules.toml")
    assert [f.verdict for f in report.findings] == ["agree", "disagree", "agree", "disagree"]
    assert report.findings[1].published == "7.0"
    assert report.findings[1].beside == ()  # no rule gives 7
    assert report.findings[3].beside == ()
    (tmp_path / "b.csv").write_text(
        "row,total,a,b,c,d\nx,6.0,1.0,5.0,2.0,2.0\ny,6.0,1.0,5.0,3.0,3.0\n"
    )
    report = ss.audit.audit([], tmp_path / "rules.toml")
    assert report.findings[3].beside == ("total = a + b",)
    text = as_text(report)
    assert "The same number agrees in: total = a + b" in text
    assert "total = 1.5 (c + d): 1 of 2; 1 agree" in text


def test_a_claim_about_no_row_says_so(tmp_path: Path) -> None:
    rule = RULE + 'where = { task = "none" }\nsentence = "our model is better"\nholds = "most"\n'
    (found,) = run(tmp_path, rule).findings
    assert (found.verdict, found.message) == (
        "not_checkable",
        "no row of the table is selected by this rule",
    )


def test_captions_have_sentences_of_claims_too(tmp_path: Path) -> None:
    rows = "<tr><th>Task</th><th>Ours</th></tr><tr><td>a</td><td>0.61</td></tr><tr><td>b</td><td>0.62</td></tr>"
    table = f"<table><caption>Ours leads in every task.</caption>{rows}</table>"
    (tmp_path / "p.html").write_text(f"<p>A page.</p>{table}", encoding="utf-8")
    rule = RULE + 'sentence = "Ours leads in every task"\nholds = "all"\n'
    assert {f.basis for f in run(tmp_path, rule, 'document = "p.html"\n').findings} == {"sentence"}


def test_quotes_in_scripts_without_spaces() -> None:
    said = passages("结果表明，所有模型都偏向第一个说话者。")
    assert look_up("所有模型都偏向", said)
    assert not look_up("所有模型都不偏向", said)


def test_limits_and_claims_are_no_agreement_beside_a_disagreement(tmp_path: Path) -> None:
    rules = """[[rule]]
name = "range"
check = "within"
table = "t"
value = "ours"
low = 0.48
high = 1

[[rule]]
name = "ours leads"
check = "extreme"
table = "t"
value = "ours"
parts = ["base"]
sentence = "our model is better"
holds = "all"

[[rule]]
name = "twice the base"
check = "linear_composite"
table = "t"
value = "ours"
scores = ["base"]
weights = [2]
"""
    bad = [f for f in run(tmp_path, rules).findings if f.title == "twice the base"]
    assert [f.verdict for f in bad] == ["disagree"] * 4
    assert not any(f.beside for f in bad)
