"""Test results in running text: every printed p against the statistic and degrees of freedom beside it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from socialstats.audit.checks.arithmetic import count_percent
from socialstats.audit.checks.p_values import statistic_p
from socialstats.audit.checks.summaries import t_from_estimate
from socialstats.audit.checks.variants import SIGNED, Statistic
from socialstats.audit.documents.passages import Passage
from socialstats.audit.numbers import MINUS_SIGNS, Finding, Printed, printed, unchecked
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
    """A sentence in plain letters, what it says of p, and its statistics and p-values in order."""

    text: str
    raw: str
    where: str
    marks: tuple[Match, ...]
    one_sided: bool
    adjusted: str
    level: float | None


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
    sentences = [sentence for passage in passages for sentence in _sentences(passage)]
    general = [one for one in sentences if not any(m.re is STATISTIC for m in one.marks)]
    one_sided = any(
        one.one_sided and re.search(r"(?i)test|hypothes|\bp\b", one.text) for one in general
    )
    adjusted = " ".join(one.adjusted for one in general).strip()
    levels = {one.level for one in general if one.level}
    level = levels.pop() if len(levels) == 1 else None
    found = []
    for one in sentences:
        whole = replace(
            one,
            one_sided=one.one_sided or one_sided,
            adjusted=adjusted,
            level=one.level or level or LEVEL,
        )
        found += [finding for tries in _pairs(one) for finding in _best(whole, one.adjusted, tries)]
    return found


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
    found = []
    for passage in passages:
        for one in (m for pattern in COUNTED for m in pattern.finditer(passage.text)):
            made = count_percent(one["count"], one["percent"], one["total"])
            where = f"{passage.source}, line {passage.line}"
            found.append(
                replace(made, where=where, title="percentages in the text", passage=passage.text)
            )
    return found


def _sentences(passage: Passage) -> Iterator[Sentence]:
    """Split a long passage, write each sentence plainly and find what looks like a statistic or a p."""
    ends = (
        [m.span() for m in SENTENCE_END.finditer(passage.text)] if len(passage.text) > LONG else []
    )
    line, counted = passage.line, 0
    for start, stop in zip(
        [0, *(b for _, b in ends)], [*(a for a, _ in ends), len(passage.text)], strict=True
    ):
        raw = passage.text[start:stop]
        line, counted = line + passage.text.count("\n", counted, start), start
        text = plain(raw)
        marks = sorted(
            [*STATISTIC.finditer(text), *P_VALUE.finditer(text)], key=lambda m: m.start()
        )
        levels = [
            float("".join(filter(None, m.groups())).replace(",", ".")) for m in ALPHA.finditer(text)
        ]
        yield Sentence(
            text=text,
            raw=raw.strip(),
            where=f"{passage.source}, line {line}",
            marks=tuple(marks),
            one_sided=bool(ONE_SIDED.search(text)),
            adjusted=" ".join(ADJUSTED.findall(ALPHA.sub(" ", text))),
            level=next((level for level in levels if 0 < level <= LARGEST_LEVEL), None),
        )


def plain(text: str) -> str:
    """Write a sentence in one line with plain letters, minus signs, decimal points and powers of ten.

    Examples
    --------
    >>> plain("*χ*²₁ = 4·85,\\u2009P < 2 × 10⁻⁵ and $t_{23} = −2.1$")
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


def _pairs(sentence: Sentence) -> Iterator[list[tuple[Match, Match, str]]]:
    """Return for each result the statistics and p-values that it may be, the likeliest first, with what is near."""
    text = sentence.text
    blocks = [list(marks) for _, marks in groupby(sentence.marks, key=lambda m: m.re)]
    used: Match | None = None
    for k, run in enumerate(blocks):
        run = _near(run) if run[0].re is STATISTIC else []
        if not run:
            continue
        before = blocks[k - 1] if k else []
        behind = _following(run[-1], blocks[k + 1]) if k + 1 < len(blocks) else []
        front = [
            p
            for p in before[-1:]
            if p is not used and TIGHT.fullmatch(text, p.end(), run[0].start())
        ]
        if behind and front and front[0]["relation"] != "=":
            front = []
        used = behind[-1] if behind and not front else None
        stop = blocks[k + 2][0].start() if k + 2 < len(blocks) else len(text)
        tries = [[(one, p) for one in reversed(run) for p in [*front, *behind]]]
        if len(run) == len(behind) > 1:
            tries = [[pair] for pair in zip(run, behind, strict=True)]
        elif behind and (
            behind[0]["many"] or BOTH.search(text, behind[0].start() - 5, behind[0].start())
        ):
            tries = [[(one, behind[0])] for one in run]
        for some in tries:
            yield [
                (
                    one,
                    p,
                    text[
                        max(before[-1].end() if before else 0, one.start() - FAR) : min(
                            stop, max(p.end(), one.end()) + NEAR
                        )
                    ],
                )
                for one, p in some
            ]


def _near(run: list[Match]) -> list[Match]:
    """Drop effect sizes and variables beside statistics that have degrees of freedom, and statistics far before."""
    run = [one for one in run if one["inside"] or one["index"] or one["name"][0] not in "XxvGH"]
    run = (
        [one for one in run if one["inside"] or one["index"]]
        or [one for one in run if one["name"] != "r"]
        or run
    )
    start = len(run) - 1
    while start > 0 and run[start].start() - run[start - 1].end() <= NEAR:
        start -= 1
    return run[max(start, 0) :]


def _following(last: Match, ps: list[Match]) -> list[Match]:
    """Return the p-values that stand close behind a statistic, and close behind each other."""
    end, limit = last.end(), FAR
    for k, p in enumerate(ps):
        gap = p.string[end : min(p.start(), end + FAR)]
        if p.start() - end > limit or (
            p["ns"] and gap.strip() and not gap.rstrip().endswith((",", ";", "("))
        ):
            return ps[:k]
        end, limit = p.end(), NEAR // 2
    return ps


def _best(
    sentence: Sentence, adjusted: str, pairs: list[tuple[Match, Match, str]]
) -> list[Finding]:
    """Check the pairs until one agrees; otherwise what the first of them gives."""
    first: list[Finding] = []
    for pair in pairs:
        made = _checked(sentence, adjusted, *pair)
        if made and made[0].verdict in FITS:
            return made
        first = first or made
    return first


def _checked(sentence: Sentence, adjusted: str, found: Match, p: Match, near: str) -> list[Finding]:
    """Check one p against one statistic, and the statistic against its coefficient; nothing where it is no test."""
    kind = KINDS.get(found["name"].lstrip("Δ").removeprefix("min")[0], "chi2")
    said, relation = (p["ns"] or p["value"]).strip(), p["relation"] or "=" * bool(p["of"])
    relation = SIGNS.get(relation, relation)
    comma = re.match(r"0?,\d", said) or (
        "." not in said and re.fullmatch(r"\d*,\d\d?", found["value"] or "")
    )
    mark: Mark = "," if comma else "."
    context = sentence.text if len(sentence.text) <= 2 * LONG else near
    df = _degrees(kind, found, p, near)
    known = df is not None and bool(df) and UNKNOWN not in df
    if (
        df is None
        or not (p["ns"] or relation)
        or not _is_test(kind, found, p, relation, known, context)
    ):
        return []
    shown = sentence.text[min(found.start(), p.start()) : max(found.end(), p.end())]
    try:
        number, test_p = _statistic(found, mark), _p(said, relation, sentence.level or LEVEL, mark)
        frees = tuple(x if isinstance(x, Printed) else printed(x, decimal=mark) for x in df)
        finding = _judged(kind, number, test_p, frees, sentence.level or LEVEL, sentence.one_sided)
        reason, told = "", f"{finding.message.removeprefix('sources disagree: ')}; "
        if finding.verdict == "disagree":
            reason = _reason(
                context, test_p, finding, bool(adjusted or p["adjusted"]), sentence.adjusted
            )
        if UNKNOWN in frees and (finding.verdict in FITS or not TESTED.search(context)):
            reason = "without degrees of freedom nothing is certain"
        if reason:
            finding = replace(
                finding, verdict="not_checkable", severity="none", message=told + reason, changes=""
            )
        made = [finding, *(_ratio(found, p, number, near, mark) if kind in ("t", "z") else [])]
    except InputError as error:
        message = f"'{shorten(shown, 80)}' cannot be checked: {error}"
        made = [unchecked("statistic_p", message, said)]
    passage = sentence.raw if len(sentence.raw) <= 2 * LONG else f"... {near} ..."
    return [
        replace(one, where=sentence.where, title="tests in the text", passage=passage)
        for one in made
    ]


def _degrees(kind: Statistic, found: Match, p: Match, near: str) -> list[str | Printed] | None:
    """Return the degrees of freedom as printed; UNKNOWN where there are none, None where this is no statistic."""
    text = found["inside"] or found["index"]
    if found["inside"]:
        if kind in ("r", "z") and (size := SIZE.fullmatch(text.strip())):
            return [] if kind == "z" else [f"{int(size[1].replace(',', '')) - 2}"]
        text = INNER.sub("", text).strip().replace("∞", "inf")
        if not re.fullmatch(r"[\dlIO.,;/ ]*\d[\dlIO.,;/ ]*|(?:[\dlI., ]*[,; ] ?)?[iI]nf", text):
            return None
        text = re.sub("[iI]nf", "1000000000", text)
    elif text:
        named = (
            kind == "t" or (kind == "F" and "," in text) or found["name"].lstrip("Δ")[0] in "χΧcC"
        )
        if not named or (
            kind != "F" and ("," in text or (kind == "t" and float(text) < LEAST_INDEX))
        ):
            return None
        text = text.replace("_", "")
    elif kind == "z":
        return []
    else:
        start = near.find(found[0])
        end = start + max(p.end(), found.end()) - found.start()
        beside = [
            [
                m
                for m in pattern.finditer(near)
                if m.end() >= start - BESIDE and m.start() <= end + BESIDE
            ]
            for pattern in (DEGREES, SIZE)
        ]
        if not beside[0]:
            size = beside[1][0] if kind == "r" and len(beside[1]) == 1 else None
            return (
                [f"{int(size[1].replace(',', '')) - 2}"]
                if size
                else []
                if kind in "Fr"
                else [UNKNOWN]
            )
        one = next((m for m in beside[0] if m.start() > start), beside[0][-1])
        text = (one["a"] or one["c"]) + (f", {one['b']}" if one["b"] and kind == "F" else "")
    if kind != "F":
        return [text]
    between = " ?[;/] ?" if re.search("[;/]", text) else ", " if ", " in text else ","
    return [re.sub("^[lI]$", "1", one.strip()) for one in re.split(between, text, maxsplit=1)]


def _is_test(
    kind: Statistic, found: Match, p: Match, relation: str, known: bool, context: str
) -> bool:
    """Distinguish a test from settings, variables, functions and quantities with a unit."""
    said, text, tested = (p["ns"] or p["value"]).strip(), p.string, bool(TESTED.search(context))
    plain_words = set(re.findall("[^\\W\\d_]+", text[found.end() : p.start()])) <= PLAIN_WORDS
    look = re.fullmatch(r"(\d?)(?:[.,](\d+))?(?:e-\d+)?", said)
    decimals = len(look[2] or "") if look else 0
    sure = (
        relation != "="
        or said[0] == "n"
        or "e-" in said
        or bool(look and (not look[1] or decimals > 2))
    )
    if (found["inside"] or found["index"]) and "[" not in found[0] and found["name"] != "H":
        return (
            sure
            or tested
            or not look
            or (
                plain_words
                and (decimals == 2 or bool(re.search(r"[.,]\d\d", found["value"] or "")))
            )
        )
    if not plain_words or found["rest"] or not (decimals or said[0] == "n" or "e-" in said):
        return False
    if said[0] == "n" or known:
        return not p["ns"] or bool(re.search("[,;(]", text[found.end() : p.start()]))
    near = max(0, found.start() - NEAR // 2), p.start()
    size = (found["value"] or "").replace(",", ".")
    return (
        "." in size
        and (kind != "r" or size[0] in "0.")
        and not SETTINGS.search(text, *near)
        and (sure or (tested and decimals == 2))
    )


def _statistic(found: Match, mark: Mark) -> Printed:
    """Read a statistic; one that is only bounded is the interval of the sizes within its bound."""
    relation = SIGNS.get(found["relation"], found["relation"])
    if (
        not found["value"]
        or found["rest"]
        or found["sign"] not in ("", "-", "+")
        or relation not in set("=<>≤≥")
    ):
        raise InputError(f"{found['name']} cannot be read")
    text = found["sign"] + found["value"]
    try:
        number = printed(text, decimal=mark)
    except InputError:
        number = printed(text, decimal="." if mark == "," else ",")
    if relation == "=":
        return number
    down, size = relation in "<≤", abs(number.value)
    low, high = (Fraction(0), size) if down != (number.value < 0) else (size, BIG)
    return replace(
        number, text=f"{relation} {number.text}", low=low, high=high, relation="<" if down else ">"
    )


def _p(said: str, relation: str, level: float, mark: Mark) -> Printed:
    """Read a p; ``ns`` is a p above the level."""
    if said[:1] == "n":
        return replace(printed(f">{level}"), text="n.s.")
    if relation not in set("=<>≤≥"):
        raise InputError("p is only approximate")
    p = printed(f"{relation}{said}".removeprefix("="), decimal=mark)
    if p.share().value > 1:
        raise InputError(f"p = {p.text} is above 1, which no probability is")
    return p


@lru_cache(maxsize=1024)
def _judged(
    kind: Statistic, number: Printed, p: Printed, df: tuple[Printed, ...], level: float, one: bool
) -> Finding:
    """Check a p, one-sided where the text allows it and only this fits; tell decision errors from rounding errors."""
    if (kind == "z" and df) or any(x.value <= 0 for x in df):
        raise InputError(
            "z has no degrees of freedom" if kind == "z" else "degrees of freedom must be above 0"
        )
    given: dict[str, Any] = {
        "df": df[-1] if df else None,
        "df1": df[0] if len(df) > 1 else None,
        "level": level,
    }
    finding, tails = statistic_p(kind, number, p, **given), "two"
    if one and kind in SIGNED and not finding:
        halved = statistic_p(kind, number, p, tails="one", **given)
        finding, tails = (halved, "one") if halved else (finding, "two")
    share, edge, (low, high) = (
        p.share(),
        Fraction(str(level)),
        finding.implied or (Fraction(0), Fraction(1)),
    )
    lost = not finding and share.relation != ">" and share.value <= edge < low
    won = (
        not finding
        and share.relation != "<"
        and high <= edge
        and (share.value, share.relation) > (edge, "=")
    )
    message = re.sub(" = (?=[<>≤≥] )", " ", finding.message)
    message += "; the text names a one-sided test" if tails == "one" else ""
    message += "" if p.value else "; no p is 0: p < .001 says what is meant"
    side = "not significant" if lost else "significant"
    details = {
        **finding.details,
        "kind": kind,
        "statistic": number.text,
        "df": [x.text for x in df],
        "level": level,
        "tails": tails,
        "decision_error": lost or won,
        "impossible_print": not p.value,
    }
    return replace(
        finding,
        published=p.text,
        message=message,
        details=details,
        severity="none" if finding else "major" if lost or won else "minor",
        changes=f"By its own {kind} the result is {side} at {str(level).lstrip('0')}."
        if lost or won
        else "",
    )


def _reason(context: str, p: Printed, finding: Finding, adjusted: bool, elsewhere: str) -> str:
    """State why a p may be right although the statistic does not give it; empty where nothing speaks for it."""
    p, (low, high) = p.share(), finding.implied or (Fraction(0), Fraction(1))
    if adjusted and p.low is not None and p.low > high:
        return "the text says that p is adjusted"
    if OTHER_NULL.search(context):
        return "the text names a p of another kind (exact, resampled, equivalence)"
    if RANKS.search(context) and p.meets(low / 2, high * 2):
        return "the text names a test of ranks or a partial correlation, whose p may differ"
    if (
        elsewhere
        and OTHER_FACTORS.search(elsewhere)
        and p.low is not None
        and high < p.low <= MULTIPLES[-1] * high
    ):
        return "the text adjusts p-values elsewhere"
    fit = [
        k
        for k in MULTIPLES
        if elsewhere and p.meets(min(k * low, Fraction(1)), min(k * high, Fraction(1)))
    ]
    return f"{fit[0]} times that p fits, and the text adjusts p-values elsewhere" if fit else ""


def _ratio(found: Match, p: Match, number: Printed, near: str, mark: Mark) -> list[Finding]:
    """Check t or z against the coefficient and the standard error beside it."""
    start, made = near.find(found[0]), []
    end = start + max(p.start() - found.start(), 0)
    for named in COEFFICIENT.finditer(near) if number.relation == "=" else ():
        sizes = [named[one] for one in ("value", "other") if named[one]]
        standardised = named[0][0] in "βB" and len(sizes) == 1 and sizes[0][0] in ".,"
        if standardised or named.start() > end or start - named.end() > NEAR:
            continue
        error = printed(named["se"], decimal=mark)
        made += [t_from_estimate(printed(size, decimal=mark), error, t=number) for size in sizes]
    return [next((one for one in made if one.verdict in FITS), made[0])] if made else []
