"""Test results in running text: every printed p against the statistic and degrees of freedom beside it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import groupby
from typing import Any, Literal

from socialstats.audit.checks.arithmetic import count_percent
from socialstats.audit.checks.p_values import statistic_p
from socialstats.audit.checks.summaries import t_from_estimate
from socialstats.audit.checks.variants import SIGNED, Statistic
from socialstats.audit.documents.passages import Passage
from socialstats.audit.numbers import MINUS_SIGNS, Finding, Printed, Severity, printed, unchecked
from socialstats.errors import InputError
from socialstats.text import shorten

Match = re.Match[str]
Mark = Literal[".", ","]
LEVEL, LARGEST_LEVEL = 0.05, 0.2
LONG = 400  # characters of a passage that is taken for one sentence; longer ones are split
FAR, NEAR, BESIDE = (
    110,
    60,
    16,
)  # characters from a statistic to its p; to another one of the same p; to df or n
MULTIPLES = range(2, 11)  # factors of Bonferroni and Holm that are tried
LEAST_INDEX = 3  # t1 and t2 are times, t_23 has 23 degrees of freedom
BIG = Fraction(10**9)
UNKNOWN = Printed(
    text="df not printed", value=Fraction(1), unit=Fraction(0), low=Fraction(1), high=BIG
)
KINDS: dict[str, Statistic] = {"t": "t", "F": "F", "r": "r", "z": "z", "Z": "z"}
FITS = ("agree", "no_power")
RELATIONS = frozenset("=<>≤≥")
SIGNS = {"<=": "≤", "=<": "≤", ">=": "≥", "=>": "≥", "==": "=", ":": "="}

AMOUNT = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+[.,]\d+|\d+|[.,]\d+)(?:[eE]-?\d{1,3})?"
STATISTIC = re.compile(
    r"(?<![\w/^\\-])\|?(?P<name>Δ?(?:min)?F(?:'(?!s)|[12](?=[ _]?[(\[]))?(?:[ _-]?change)?"
    r"|t(?:'(?!s)|[12](?=[ _]?[(\[]))?|r|[zZ]|H|Q[ _-]?(?:[wW]ithin|[bB]etween|[wWbBMET])?|Δ?[χΧ][ _]?2?"
    r"|[Cc]hi[ _-]?(?:2|[Ss]quared?)?|[XxvG]2|X-squared)"
    r"(?:(?<![QrHwWbBMET])'?s(?=[ (\[]))?(?:[ -](?:value|statistic|ratio))?"
    r"(?: ?[(\[](?P<inside>[^()\[\]]{1,40})[)\]]|[ _]?(?P<index>\d{1,6}(?:\.\d+)?(?:, ?_?\d{1,6}(?:\.\d+)?)?))?"
    r"\|? ?(?P<relation>[=<>≤≥≈]{1,2}) ?(?P<sign>[^\w\s.,;()]{0,3}) ?"
    rf"(?P<value>{AMOUNT})?(?P<rest>[\w%]|[.,]\d)?"
)
P_VALUE = re.compile(
    r"(?<![\w/^\\|-])(?<!top )(?<![ηεω]2 )(?<!η )(?<!probability )[pP](?P<many>'?s(?!\w))?(?:[ _.]?\(?(?i:(?P<adjusted>"
    r"adj(?:usted)?|corr(?:ected)?|holm|bonf(?:erroni)?|fdr|bh|tukey|fwer?|sidak|scheff[eé]|dunnett|gg|hf)"
    r"|(?:one|two|1|2)[ -]?(?:tailed|sided)|uncorr(?:ected)?|raw)\.?\)?)?"
    r"(?:[ -]?val(?:ue)?s?(?P<of> (?:of|was|is))?)? ?(?P<relation>[=<>≤≥≈:]{1,2})? ?"
    rf"(?P<value>{AMOUNT} ?%?(?!\w|[.,]\d| ?- ?[.\d])|n\.?s\.?(?!\w)|[^\s,;()]{{1,12}})"
    r"|(?<![\w.])(?P<ns>n\.?s\.?)(?![\w-])"
)
DEGREES = re.compile(
    rf"\b(?:d\.? ?f\.?|degrees of freedom)[ _]?1? ?(?:=|:|of)? ?(?P<a>{AMOUNT})(?:(?:[,;/] ?| and )(?:df_?2 ?= ?)?"
    rf"(?P<b>\d+(?:\.\d+)?)(?![\w%]|[.,]\d))?|(?<![\w.=])(?P<c>{AMOUNT}) ?(?:d\.?f\b|degrees of freedom)"
)
SIZE = re.compile(r"(?<![\w.])[nN] ?= ?(\d[\d,]*)")
INNER = re.compile(r"(?i)d\.?f\.?[ _]?[12]? ?=? ?|[,;] ?n ?= ?[\d., ]+$")
NAMED = (
    r"(?:[bB]|β|[Bb]eta|[Ee]st(?:imate|\.)?|[Cc]oef(?:ficient|\.)?|[Ll]og.odds|M_?diff|MD|[Mm]ean difference)(?:_?\d)?"
    r" ?(?:=|of) ?-? ?"
)
COEFFICIENT = re.compile(
    rf"(?<![\w.-]){NAMED}(?P<value>{AMOUNT})(?:[ ,;(]{{1,3}}{NAMED}(?P<other>{AMOUNT}))?[ ,;(]{{1,3}}"
    r"(?:95 ?% ?CI ?[:=]? ?[\[(][^\[\]()]{3,30}[\])][ ,;]{1,2})?"
    rf"(?:SE|S\.E\.|s\.?e\.?|[Ss]tandard error|SEM)(?:_?[bβB])? ?(?:=|of) ?(?P<se>{AMOUNT})(?![\w%]|[.,]\d)"
)
COMMA_IN_P, COMMA_IN_VALUE = re.compile(r"0?,\d"), re.compile(r"\d*,\d\d?")
NUMBERS_INSIDE = re.compile(r"[\dlIO.,;/ ]*\d[\dlIO.,;/ ]*|(?:[\dlI., ]*[,; ] ?)?[iI]nf")
LETTERS_ONLY = re.compile(r"[^\W\d_]+")
P_LOOK = re.compile(r"(\d?)(?:[.,](\d+))?(?:e-\d+)?")
ABOUT_TESTS = re.compile(r"(?i)test|hypothes|\bp\b")
TIGHT, BOTH = re.compile(r"[\s,;:(\[]{1,4}"), re.compile("(?:both|all) $")
SENTENCE_END = re.compile(r"\n\s*\n|(?<=[.!?])\s+(?=[A-ZÀ-Þ“\"])")
ALPHA = re.compile(
    r"(?i)(?:significance level|level of significance|alpha level|(?:significance|alpha) (?:threshold|criterion)|"
    r"(?:alpha|α|significance) (?:was |were |is )?(?:set|fixed)|(?:corrected|adjusted|level|criterion) (?:alpha|α))"
    r"\D{0,30}?(0?[.,]\d{1,5})|\b(?:at|to) (?:the|an?|our) (?:alpha |α ?= ?|p ?< ?)?(0?\.\d{1,5})"
    r"[ -](?:alpha |significance )?level"
    r"|p ?< ?(0?\.\d{1,5}) (?:was|were|is) (?:considered|regarded|taken|deemed) (?:as )?(?:statistically )?signif"
)
ONE_SIDED = re.compile(
    r"(?i)(?<!two )\b(?:one|1).?(?:sided|tailed)|(?<!non)(?<!non-)(?<!bi)(?<!bi-)(?<!uni)(?<!multi)(?<!omni)directional"
    r"|einseitig|unilat[eé]ral"
)
ADJUSTED = re.compile(
    r"(?i)bonferroni|\bholm|hochberg|benjamini|\bfdr\b|false discovery|[sš]id[aá]k|tukey|scheff|dunn|games.howell|"
    r"familywise|greenhouse|huynh|sphericity|mauchly|correct(?:ed|ing) |adjusted(?! R)|family-wise|korrigiert"
)
OTHER_NULL = re.compile(
    r"(?i)\bexact\b|permut|bootstrap|randomi[sz]ation test|monte.carlo|simulated p|equivalence|\btost|inferiority"
)
OTHER_FACTORS = re.compile(
    r"(?i)benjamini|fdr|false disc|tukey|scheff|dunn|howell|greenhouse|huynh|spheric|mauchly"
)
RANKS = re.compile(r"(?i)wilcoxon|mann.whitney|kruskal|friedman|spearman|kendall|rank|partial corr")
SETTINGS = re.compile(r"(?i)temperature|top[-_ ]?[pk]\b|nucleus|decoding|dropout")
TESTED = re.compile(
    r"(?i)signific|\btest|regress|coefficient|correlat|effect|predict|compar|associat|\bwald\b|hypothes|interact|differ"
)
PLAIN_WORDS = frozenset(
    re.findall(
        r"\w+",
        "df d f n N SE SD M MSE CI BF two one tailed sided with degrees of freedom and r g s OR RR V b β η",
    )
) | {"Cohen", "Hedges"}


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in plain letters, what it says of p, and its statistics and p-values in order.

    `adjusted` has its words on adjusted p-values, `elsewhere` those of sentences about all tests; `level` is 0 where no
    sentence names one.
    """

    text: str
    raw: str
    where: str
    marks: tuple[Match, ...]
    one_sided: bool
    adjusted: str
    level: float
    elsewhere: str = ""


def findings_in(passages: Sequence[Passage]) -> list[Finding]:
    """Check every test result of a text: t, F, chi2, Q, z and r with p, and t or z against b and its standard error.

    A result is read where a statistic and a p stand together; degrees of freedom stand in parentheses, in an index, or
    as ``df = 23`` nearby. Each p is checked with `statistic_p`. A p that only fits one-sided agrees where its sentence,
    or a sentence about all tests, speaks of one-sided tests. A p that does not fit and is said to be adjusted, exact or
    resampled is ``not_checkable``, as is an incomplete or unreadable result.

    Parameters
    ----------
    passages : sequence of Passage

    Returns
    -------
    list of Finding
        In the order of the text. ``details["decision_error"]`` tells whether p and the statistic lie on different sides
        of the level, which is .05 unless the text names another one. `changes` then says so.

    References
    ----------
    Nuijten, M. B., Hartgerink, C. H. J., van Assen, M. A. L. M., Epskamp, S., & Wicherts, J. M. (2016). The prevalence
    of statistical reporting errors in psychology (1985-2013). Behavior Research Methods, 48(4), 1205-1226.
    https://doi.org/10.3758/s13428-015-0664-2

    Examples
    --------
    >>> text = "The groups differed, t(23) = 1.90, p = .047, unlike the ages (F(1, 40) = 0.52; p = .475)."
    >>> found = findings_in([Passage(text=text, source="paper.md", line=12)])
    >>> [(f.verdict, f.published, f.where) for f in found]
    [('disagree', '.047', 'paper.md, line 12'), ('agree', '.475', 'paper.md, line 12')]
    >>> found[0].changes
    'By its own t the result is not significant at .05.'
    """
    sentences = [sentence for passage in passages for sentence in sentences_in(passage)]
    general = [
        sentence
        for sentence in sentences
        if not any(match.re is STATISTIC for match in sentence.marks)
    ]
    one_sided = any(
        sentence.one_sided and ABOUT_TESTS.search(sentence.text) for sentence in general
    )
    elsewhere = " ".join(sentence.adjusted for sentence in general).strip()
    levels = {sentence.level for sentence in general if sentence.level}
    level = levels.pop() if len(levels) == 1 else LEVEL
    findings: list[Finding] = []
    for sentence in sentences:
        informed = replace(
            sentence,
            one_sided=sentence.one_sided or one_sided,
            elsewhere=elsewhere,
            level=sentence.level or level,
        )
        for candidates in candidates_in(informed):
            findings += best_findings(candidates)
    return findings


COUNT = r"(?<![\d.,/])(?P<count>\d{1,3}(?:,\d{3})+|\d+)\s*(?:out of|of|/)\s*(?:(?:the|all|our)\s+)?"
TOTAL = r"(?P<total>\d{1,3}(?:,\d{3})+|\d+)(?![\d.,]*\d|\s?%)"
PERCENT = r"(?P<percent>\d{1,3}(?:\.\d+)?)\s?%\s*"
BETWEEN = r"(?:(?!\band\b|\bor\b|\bbut\b)[^()\d;:.]){0,60}"  # what was counted, and no other number
COUNTED = (
    re.compile(rf"{COUNT}{TOTAL}{BETWEEN}\(\s*{PERCENT}\)", re.IGNORECASE),
    re.compile(rf"(?<![\d.,/]){PERCENT}\(\s*{COUNT}{TOTAL}[^()\d]{{0,30}}\)", re.IGNORECASE),
)


def counts_in(passages: Sequence[Passage]) -> list[Finding]:
    """Check every percentage of a text that stands beside its count and total: ``192 of 244 questions (78.7%)``.

    Examples
    --------
    >>> text = "It was right in 192 of 244 questions (79.7%), and 50% (10/20) of the others."
    >>> [(f.verdict, f.published) for f in counts_in([Passage(text=text, source="paper.md", line=3)])]
    [('disagree', '79.7'), ('agree', '50')]
    """
    findings = []
    for passage in passages:
        where = f"{passage.source}, line {passage.line}"
        matches = [match for pattern in COUNTED for match in pattern.finditer(passage.text)]
        for match in matches:
            finding = count_percent(match["count"], match["percent"], match["total"])
            findings.append(
                replace(finding, where=where, title="percentages in the text", passage=passage.text)
            )
    return findings


def sentences_in(passage: Passage) -> Iterator[Sentence]:
    """Split a long passage, write each sentence plainly and find what looks like a statistic or a p."""
    cuts = SENTENCE_END.finditer(passage.text) if len(passage.text) > LONG else ()
    start = 0
    for stop, after in [*(cut.span() for cut in cuts), (len(passage.text), 0)]:
        raw = passage.text[start:stop]
        line = passage.line + passage.text.count("\n", 0, start)
        text = plain_sentence(raw)
        marks = [*STATISTIC.finditer(text), *P_VALUE.finditer(text)]
        numbers = ["".join(filter(None, match.groups())) for match in ALPHA.finditer(text)]
        levels = [float(number.replace(",", ".")) for number in numbers]
        yield Sentence(
            text=text,
            raw=raw.strip(),
            where=f"{passage.source}, line {line}",
            marks=tuple(sorted(marks, key=lambda match: match.start())),
            one_sided=bool(ONE_SIDED.search(text)),
            adjusted=" ".join(ADJUSTED.findall(ALPHA.sub(" ", text))),
            level=next((level for level in levels if 0 < level <= LARGEST_LEVEL), 0.0),
        )
        start = after


def plain_sentence(text: str) -> str:
    """Write a sentence in one line with plain letters, minus signs, decimal points and powers of ten.

    Examples
    --------
    >>> plain_sentence("*χ*²₁ = 4·85,\\u2009P < 2 × 10⁻⁵ and $t_{23} = −2.1$")
    'χ2_1 = 4.85, P < 2e-5 and t_23 = -2.1'
    """
    text = re.sub("[₀-₉][₀-₉,.]*", lambda m: "_" + m[0], text)
    text = unicodedata.normalize("NFKC", text).translate(LETTERS)
    for pattern, instead in PLAINER:
        text = pattern.sub(instead, text)
    return text.strip()


LETTERS = {
    ord(ch): new
    for chars, new in ((MINUS_SIGNS, "-"), ("′’ʹ", "'"), ("\u00ad\u200b\u200d\u2060\ufeff${}", ""))
    for ch in chars
}
PLAINER = [
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"([*_]{1,2})([A-Za-zχβ]{1,3})\1(?![A-Za-z_])", r"\2"),
        (r"χ_(\d{1,4})\^2", r"χ2_\1"),
        (r"\^(?=[\d-])", ""),
        (r"\s+", " "),
        (r"\\chi(?![a-z])", "χ"),
        (r"(\d(?:[.,]\d{1,9})?) ?[×x·*] ?10 ?(-\d{1,3})\b", r"\1e\2"),
        (r"([=<>≤≥] ?)10(-\d{1,3})\b", r"\g<1>1e\2"),
        (r"(?<=\d)·(?=\d)|(?<=[=<>] )·(?=\d)", "."),
    )
]


def candidates_in(sentence: Sentence) -> Iterator[list[Candidate]]:
    """Yield for each result the statistics and p-values that it may be, the likeliest first."""
    text = sentence.text
    blocks = [list(marks) for _, marks in groupby(sentence.marks, key=lambda match: match.re)]
    used: Match | None = None
    for k, block in enumerate(blocks):
        run = main_statistics(block) if block[0].re is STATISTIC else []
        if not run:
            continue
        before = blocks[k - 1] if k else []
        behind = ps_behind(run[-1], blocks[k + 1]) if k + 1 < len(blocks) else []
        front = [
            p
            for p in before[-1:]
            if p is not used and TIGHT.fullmatch(text, p.end(), run[0].start())
        ]
        if behind and front and front[0]["relation"] != "=":
            front = []
        used = behind[-1] if behind and not front else None
        begin = before[-1].end() if before else 0
        stop = blocks[k + 2][0].start() if k + 2 < len(blocks) else len(text)
        tries = [[(statistic, p) for statistic in reversed(run) for p in [*front, *behind]]]
        if len(run) == len(behind) > 1:
            tries = [[pair] for pair in zip(run, behind, strict=True)]
        elif behind and (behind[0]["many"] or BOTH.search(text[: behind[0].start()])):
            tries = [[(statistic, behind[0])] for statistic in run]
        for pairs in tries:
            yield [
                Candidate(sentence, statistic, p, near_text(text, begin, statistic, p, stop))
                for statistic, p in pairs
            ]


def near_text(text: str, begin: int, statistic: Match, p: Match, stop: int) -> str:
    """Return the text around a statistic and its p, within the bounds of what may be about them."""
    end = max(p.end(), statistic.end()) + NEAR
    return text[max(begin, statistic.start() - FAR) : min(stop, end)]


def has_degrees(statistic: Match) -> bool:
    """Return whether degrees of freedom stand in parentheses or in an index."""
    return bool(statistic["inside"] or statistic["index"])


def main_statistics(block: list[Match]) -> list[Match]:
    """Drop effect sizes and variables beside statistics that have degrees of freedom, and statistics far before."""
    run = [match for match in block if has_degrees(match) or match["name"][0] not in "XxvGH"]
    tests = [match for match in run if match["name"] != "r"]
    run = [match for match in run if has_degrees(match)] or tests or run
    start = max(len(run) - 1, 0)
    while start > 0 and run[start].start() - run[start - 1].end() <= NEAR:
        start -= 1
    return run[start:]


def ps_behind(last: Match, ps: list[Match]) -> list[Match]:
    """Return the p-values that stand close behind a statistic, and close behind each other."""
    end, limit = last.end(), FAR
    for k, p in enumerate(ps):
        gap = p.string[end : min(p.start(), end + FAR)].rstrip()
        loose = p["ns"] and gap and not gap.endswith((",", ";", "("))
        if loose or p.start() - end > limit:
            return ps[:k]
        end, limit = p.end(), NEAR // 2
    return ps


def best_findings(candidates: Sequence[Candidate]) -> list[Finding]:
    """Check candidates until one agrees; otherwise what the first of them gives."""
    first: list[Finding] = []
    for candidate in candidates:
        findings = candidate.findings()
        if findings and findings[0].verdict in FITS:
            return findings
        first = first or findings
    return first


@dataclass(frozen=True)
class Candidate:
    """A statistic and a p that may be one test result, and the text near them."""

    sentence: Sentence
    statistic: Match
    p: Match
    near: str

    @cached_property
    def context(self) -> str:
        """The sentence; of a long one the text near the result."""
        text = self.sentence.text
        return text if len(text) <= 2 * LONG else self.near

    @cached_property
    def kind(self) -> Statistic:
        """Which statistic it is, by its name."""
        name = self.statistic["name"].lstrip("Δ").removeprefix("min")
        return KINDS.get(name[0], "chi2")

    @cached_property
    def p_text(self) -> str:
        """The p as printed, without its relation."""
        text: str = self.p["ns"] or self.p["value"]
        return text.strip()

    @cached_property
    def relation(self) -> str:
        """The relation before the p; empty where there is none."""
        relation = self.p["relation"] or "=" * bool(self.p["of"])
        return SIGNS.get(relation, relation)

    @cached_property
    def mark(self) -> Mark:
        """The decimal mark."""
        comma = COMMA_IN_P.match(self.p_text)
        if "." not in self.p_text:
            comma = comma or COMMA_IN_VALUE.fullmatch(self.statistic["value"] or "")
        return "," if comma else "."

    def findings(self) -> list[Finding]:
        """Check the p against the statistic, and the statistic against its coefficient; nothing where it is no test."""
        degrees = self.degrees()
        if degrees is None or not self.is_test(bool(degrees) and UNKNOWN not in degrees):
            return []
        sentence = self.sentence
        try:
            findings = self.checked(degrees)
        except InputError as error:
            ends = [*self.statistic.span(), *self.p.span()]
            excerpt = shorten(sentence.text[min(ends) : max(ends)], 80)
            message = f"'{excerpt}' cannot be checked: {error}"
            findings = [unchecked("statistic_p", message, self.p_text)]
        passage = sentence.raw if len(sentence.raw) <= 2 * LONG else f"... {self.near} ..."
        return [
            replace(finding, where=sentence.where, title="tests in the text", passage=passage)
            for finding in findings
        ]

    def checked(self, degrees: Sequence[str | Printed]) -> list[Finding]:
        """Check the p, and t or z against the coefficient and the standard error beside it."""
        number, p = self.number(), self.p_value()
        df = tuple(x if isinstance(x, Printed) else printed(x, decimal=self.mark) for x in degrees)
        finding = judged_p(self.kind, number, p, df, self.sentence.level, self.sentence.one_sided)
        reason = self.reason(finding, p.share(), UNKNOWN in df)
        if reason:
            message = f"{finding.message.removeprefix('sources disagree: ')}; {reason}"
            finding = replace(
                finding, verdict="not_checkable", severity="none", message=message, changes=""
            )
        return [finding, *self.ratios(number)]

    def degrees(self) -> list[str | Printed] | None:
        """Return the degrees of freedom as printed; UNKNOWN where there are none, None where this is no statistic."""
        inside, index = self.statistic["inside"], self.statistic["index"]
        if inside:
            return self.degrees_inside(inside)
        if index:
            return self.parted(index.replace("_", "")) if self.is_index(index) else None
        return [] if self.kind == "z" else self.degrees_beside()

    def degrees_inside(self, inside: str) -> list[str | Printed] | None:
        """Return the degrees of freedom in parentheses, or those of the sample size of r."""
        size = SIZE.fullmatch(inside.strip())
        if size and self.kind in ("r", "z"):
            return [] if self.kind == "z" else [degrees_of_r(size)]
        text = INNER.sub("", inside).strip().replace("∞", "inf")
        if not NUMBERS_INSIDE.fullmatch(text):
            return None
        return self.parted(re.sub("[iI]nf", "1000000000", text))

    def is_index(self, index: str) -> bool:
        """Return whether an index can be degrees of freedom, and not the number of a variable."""
        if self.kind == "F":
            return "," in index
        if self.kind == "t":
            return "," not in index and float(index) >= LEAST_INDEX
        return "," not in index and self.statistic["name"].lstrip("Δ")[0] in "χΧcC"

    def degrees_beside(self) -> list[str | Printed]:
        """Return the degrees of freedom that stand beside a result by their name, or those of the sample size of r."""
        start = self.near.find(self.statistic[0])
        end = start + max(self.p.end(), self.statistic.end()) - self.statistic.start()
        named, sizes = (
            [
                match
                for match in pattern.finditer(self.near)
                if match.end() >= start - BESIDE and match.start() <= end + BESIDE
            ]
            for pattern in (DEGREES, SIZE)
        )
        if named:
            degrees = next((match for match in named if match.start() > start), named[-1])
            second = f", {degrees['b']}" if degrees["b"] and self.kind == "F" else ""
            return self.parted(f"{degrees['a'] or degrees['c']}{second}")
        if self.kind not in ("F", "r"):
            return [UNKNOWN]
        return [degrees_of_r(sizes[0])] if self.kind == "r" and len(sizes) == 1 else []

    def parted(self, text: str) -> list[str | Printed]:
        """Return degrees of freedom one by one: F has two."""
        if self.kind != "F":
            return [text]
        between = ", " if ", " in text else ","
        if re.search("[;/]", text):
            between = " ?[;/] ?"
        parts = re.split(between, text, maxsplit=1)
        return [re.sub("^[lI]$", "1", part.strip()) for part in parts]

    def is_test(self, with_df: bool) -> bool:
        """Distinguish a test from settings, variables, functions and quantities with a unit."""
        statistic, p, text = self.statistic, self.p, self.p_text
        if not p["ns"] and not self.relation:
            return False
        between = p.string[statistic.end() : p.start()]
        plain_words = set(LETTERS_ONLY.findall(between)) <= PLAIN_WORDS
        look = P_LOOK.fullmatch(text)
        decimals = len(look[2] or "") if look else 0
        not_significant, small = text[0] == "n", "e-" in text
        sure = self.relation != "=" or not_significant or small
        sure = sure or bool(look and (not look[1] or decimals > 2))
        tested = bool(TESTED.search(self.context))
        value = (statistic["value"] or "").replace(",", ".")
        if has_degrees(statistic) and "[" not in statistic[0] and statistic["name"] != "H":
            exact = decimals == 2 or bool(re.search(r"\.\d\d", value))
            return sure or tested or not look or (plain_words and exact)
        if not plain_words or statistic["rest"] or not (decimals or not_significant or small):
            return False
        if not_significant or with_df:
            return not p["ns"] or bool(re.search("[,;(]", between))
        possible = "." in value and (self.kind != "r" or value[0] in "0.")
        before = max(0, statistic.start() - NEAR // 2)
        setting = SETTINGS.search(p.string, before, p.start())
        return possible and not setting and (sure or (tested and decimals == 2))

    def number(self) -> Printed:
        """Read a statistic; one that is only bounded is the interval of the sizes within its bound."""
        statistic, value, sign = self.statistic, self.statistic["value"], self.statistic["sign"]
        relation = SIGNS.get(statistic["relation"], statistic["relation"])
        unclear = sign not in ("", "-", "+") or relation not in RELATIONS
        if not value or statistic["rest"] or unclear:
            raise InputError(f"{statistic['name']} cannot be read")
        try:
            number = printed(sign + value, decimal=self.mark)
        except InputError:
            number = printed(sign + value, decimal="." if self.mark == "," else ",")
        if relation == "=":
            return number
        below, size = relation in ("<", "≤"), abs(number.value)
        within = below != (number.value < 0)
        return replace(
            number,
            text=f"{relation} {number.text}",
            low=Fraction(0) if within else size,
            high=size if within else BIG,
            relation="<" if below else ">",
        )

    def p_value(self) -> Printed:
        """Read a p; ``ns`` is a p above the level."""
        if self.p_text[:1] == "n":
            return replace(printed(f">{self.sentence.level}"), text="n.s.")
        if self.relation not in RELATIONS:
            raise InputError("p is only approximate")
        p = printed(f"{self.relation}{self.p_text}".removeprefix("="), decimal=self.mark)
        if p.share().value > 1:
            raise InputError(f"p = {p.text} is above 1, which no probability is")
        return p

    def reason(self, finding: Finding, p: Printed, unknown: bool) -> str:
        """State why a p may be right although the statistic does not give it; empty where nothing speaks for it."""
        context, elsewhere = self.context, self.sentence.elsewhere
        if unknown and (finding.verdict in FITS or not TESTED.search(context)):
            return "without degrees of freedom nothing is certain"
        if finding.verdict != "disagree":
            return ""
        low, high = finding.implied or (Fraction(0), Fraction(1))
        larger = p.low is not None and p.low > high
        if larger and (self.sentence.adjusted or self.p["adjusted"]):
            return "the text says that p is adjusted"
        if OTHER_NULL.search(context):
            return "the text names a p of another kind (exact, resampled, equivalence)"
        if RANKS.search(context) and p.meets(low / 2, high * 2):
            return "the text names a test of ranks or a partial correlation, whose p may differ"
        if not elsewhere:
            return ""
        within = p.low is not None and p.low <= MULTIPLES[-1] * high
        if larger and within and OTHER_FACTORS.search(elsewhere):
            return "the text adjusts p-values elsewhere"
        for k in MULTIPLES:
            if p.meets(min(k * low, Fraction(1)), min(k * high, Fraction(1))):
                return f"{k} times that p fits, and the text adjusts p-values elsewhere"
        return ""

    def ratios(self, number: Printed) -> list[Finding]:
        """Check t or z against the coefficient and the standard error beside it."""
        if self.kind not in ("t", "z") or number.relation != "=":
            return []
        start = self.near.find(self.statistic[0])
        end = start + max(self.p.start() - self.statistic.start(), 0)
        findings: list[Finding] = []
        for match in COEFFICIENT.finditer(self.near):
            sizes = [match[name] for name in ("value", "other") if match[name]]
            standardised = match[0][0] in "βB" and len(sizes) == 1 and sizes[0][0] in ".,"
            if standardised or match.start() > end or start - match.end() > NEAR:
                continue
            error = printed(match["se"], decimal=self.mark)
            estimates = [printed(size, decimal=self.mark) for size in sizes]
            findings += [t_from_estimate(estimate, error, t=number) for estimate in estimates]
        fitting = [finding for finding in findings if finding.verdict in FITS]
        return (fitting or findings)[:1]


def degrees_of_r(size: Match) -> str:
    """Return the degrees of freedom of a correlation of so many pairs."""
    return str(int(size[1].replace(",", "")) - 2)


@lru_cache(maxsize=1024)
def judged_p(
    kind: Statistic,
    number: Printed,
    p: Printed,
    df: tuple[Printed, ...],
    level: float,
    one_sided: bool,
) -> Finding:
    """Check a p, one-sided where the text allows it and only this fits; tell decision errors from rounding errors."""
    if kind == "z" and df:
        raise InputError("z has no degrees of freedom")
    if any(x.value <= 0 for x in df):
        raise InputError("degrees of freedom must be above 0")
    settings: dict[str, Any] = {
        "df": df[-1] if df else None,
        "df1": df[0] if len(df) > 1 else None,
        "level": level,
    }
    finding, tails = statistic_p(kind, number, p, **settings), "two"
    message = finding.message
    if one_sided and kind in SIGNED and not finding:
        halved = statistic_p(kind, number, p, tails="one", **settings)
        if halved:
            finding, tails = halved, "one"
            message = f"{halved.message}; the text names a one-sided test"
    message = re.sub(" = (?=[<>≤≥] )", " ", message)
    if not p.value:
        message += "; no p is 0: p < .001 says what is meant"
    changes = "" if finding else changed_decision(kind, p, finding, level)
    details = {
        **finding.details,
        "kind": kind,
        "statistic": number.text,
        "df": [x.text for x in df],
        "level": level,
        "tails": tails,
        "decision_error": bool(changes),
        "impossible_print": not p.value,
    }
    severity: Severity = "none" if finding else "major" if changes else "minor"
    return replace(
        finding,
        published=p.text,
        message=message,
        details=details,
        severity=severity,
        changes=changes,
    )


def changed_decision(kind: Statistic, p: Printed, finding: Finding, level: float) -> str:
    """State the side of the level that a statistic is on, where its p is on the other one."""
    share, edge = p.share(), Fraction(str(level))
    low, high = finding.implied or (Fraction(0), Fraction(1))
    lost = share.relation != ">" and share.value <= edge < low
    won = share.relation != "<" and high <= edge and (share.value, share.relation) > (edge, "=")
    if not lost and not won:
        return ""
    side = "not significant" if lost else "significant"
    return f"By its own {kind} the result is {side} at {str(level).lstrip('0')}."
