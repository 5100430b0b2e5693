"""Test results in running text: every printed p against the statistic and degrees of freedom beside it."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from socialstats.audit.documents import Passage
from socialstats.audit.numbers import MINUS_SIGNS, Finding, Printed, compare, printed
from socialstats.audit.p_values import SIGNED, Statistic, Tails, statistic_p
from socialstats.errors import InputError
from socialstats.text import shorten

Mark = Literal[".", ","]
LEVEL = 0.05
LONG = 400  # characters of a passage that is one sentence; longer ones are split
NEAR, FAR = 60, 110  # characters between two statistics of one p, and between a statistic and its p
BIG = Fraction(10**9)
MULTIPLES = range(2, 11)  # factors of Bonferroni and Holm that are tried
SENTENCE_END = re.compile(r"\n\s*\n|(?<=[.!?])\s+(?=[A-ZÀ-Þ“\"])")

AMOUNT = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+[.,]\d+|\d+|[.,]\d+)(?:[eE]-?\d{1,3})?"
ENDS = r"(?![\w%]|[.,]\d)"
STATISTIC = re.compile(
    r"(?<![\w/^\\-])\|?(?P<name>Δ?(?:min)?F(?:'|[12](?=[ _]?[(\[]))?(?:[ _-]?change)?|t(?:[12](?=[ _]?[(\[]))?|r|[zZ]|H|"
    r"Q[ _-]?(?:[wW]ithin|[bB]etween|[wWbBMET])?|Δ?[χΧ][ _]?2?|(?:[Cc]hi|CHI)[ _-]?(?:2|[Ss]quared?|SQUARED?)?|[XxvG]2)"
    r"(?:(?<![QrHwWbBMET])'?s(?=[ (\[]))?(?:[ -](?:value|statistic|ratio))?"
    r"(?: ?[(\[](?P<inside>[^()\[\]]{1,40})[)\]]|[ _]?(?P<index>\d{1,6}(?:\.\d+)?(?:, ?_?\d{1,6}(?:\.\d+)?)?))?"
    r"\|? ?(?P<relation>[=<>≤≥≈]{1,2}) ?(?P<sign>[^\w\s.,;()]{0,3}) ?"
    rf"(?P<value>{AMOUNT})?(?P<rest>[\w%]|[.,]\d)?"
)
ADJUSTING = r"adj(?:usted)?|corr(?:ected)?|holm|bonf(?:erroni)?|fdr|bh|tukey|fwer?|sidak|scheff[eé]|dunnett|gg|hf"
P_VALUE = re.compile(
    r"(?<![\w/^\\|-])(?<!top )(?<!η2 )(?<!η )(?<!ω2 )(?<!ε2 )(?<!probability )[pP](?P<many>'?s(?![\w]))?"
    rf"(?:[ _.]?\(?(?:(?P<adjusted>(?i:{ADJUSTING}))|(?i:(?:one|two|1|2)[ -]?(?:tailed|sided)|uncorr(?:ected)?|raw))\.?\)?)?"
    r"(?:[ -]?val(?:ue)?s?(?P<of> (?:of|was|is))?)? ?(?P<relation>[=<>≤≥≈:]{1,2})? ?"
    rf"(?P<value>{AMOUNT} ?%?(?!\w|[.,]\d| ?- ?[.\d])|n\.?s\.?(?!\w)|[^\s,;()]{{1,12}})"
    r"|(?<![\w.])(?P<ns>n\.?s\.?)(?![\w-])"
)
DEGREES = re.compile(
    rf"\b(?:d\.? ?f\.?|degrees of freedom)[ _]?1? ?(?:=|:|of)? ?(?P<a>{AMOUNT})(?:(?:[,;/] ?| and )(?:df_?2 ?= ?)?"
    rf"(?P<b>\d+(?:\.\d+)?){ENDS})?|(?<![\w.=])(?P<c>{AMOUNT}) ?(?:d\.?f\b|degrees of freedom)"
)
SIZE = re.compile(r"(?<![\w.])[nN] ?= ?(\d[\d,]*)")
BESIDE = {
    "df", "n", "N", "d", "SE", "with", "degrees", "of", "freedom", "CI", "two", "tailed", "sided", "one", "and", "f", "r", "g", "s",
    "MSE", "M", "SD", "OR", "RR", "V", "Cohen", "Hedges", "BF", "η", "β", "b",
}  # fmt: skip
INNER = re.compile(r"(?i)d\.?f\.?[ _]?[12]? ?=? ?|[,;] ?n ?= ?[\d., ]+$")

ONE_SIDED = re.compile(
    r"(?i)\b(?:one|1).?(?:sided|tailed)|(?<!non)(?<!non-)(?<!bi)(?<!bi-)directional|einseitig|unilat"
)
ADJUSTED = re.compile(
    r"(?i)bonferroni|\bholm|hochberg|benjamini|\bfdr\b|false discovery|[sš]id[aá]k|tukey|scheff|dunnett|dunn\b|games.howell|"
    r"greenhouse|huynh|(?:adjust|correct)ed (?:for|p\b)|adjusted|korrigiert|familywise|family-wise"
)
OTHER_NULL = re.compile(
    r"(?i)\bexact\b|permut|bootstrap|randomi[sz]ation test|monte.carlo|simulated p|equivalence|\btost\b|inferiority"
)
RANKS = re.compile(r"(?i)wilcoxon|mann.whitney|kruskal|friedman|spearman|kendall|rank|partial corr")
SETTINGS = re.compile(r"(?i)temperature|top[-_ ]?[pk]\b|nucleus|decoding|dropout")
TESTED = re.compile(
    r"(?i)signific|\btest|regress|coefficient|correlat|effect|predict|compar|associat|\bwald\b|hypothes|interact|differ"
)
ALPHA = re.compile(
    r"(?i)(?:significance level|level of significance|alpha level|(?:significance|alpha) (?:threshold|criterion)|"
    r"(?:alpha|α|significance) (?:was |were |is )?(?:set|fixed))\D{0,30}?(?P<a>0?[.,]\d{1,5})"
    r"|\b(?:at|to) (?:the|an?|our) (?:alpha |α ?= ?|p ?< ?)?(?P<b>0?\.\d{1,5})[ -](?:alpha |significance )?level"
    r"|(?:p ?< ?)(?P<c>0?\.\d{1,5}) (?:was|were|is) (?:considered|regarded|taken|deemed) (?:as )?(?:statistically )?signif"
)
NAMED = (
    r"(?:[bB]|β|[Bb]eta|[Ee]st(?:imate|\.)?|[Cc]oef(?:ficient|\.)?|M_?diff|MD|[Mm]ean difference)(?:_?\d)? ?(?:=|of) ?"
)
COEFFICIENT = re.compile(
    rf"(?<![\w.-])(?P<name>{NAMED})(?P<b>- ?)?(?P<value>{AMOUNT})(?:[ ,;(]{{1,3}}{NAMED}-? ?(?P<other>{AMOUNT}))?[ ,;(]{{1,3}}"
    r"(?:95 ?% ?CI ?[:=]? ?[\[(][^\[\]()]{3,30}[\])][ ,;]{1,2})?"
    rf"(?:SE|S\.E\.|s\.?e\.?|[Ss]tandard error|SEM)(?:_?[bβB])? ?(?:=|of) ?(?P<se>{AMOUNT}){ENDS}"
)
KINDS: dict[str, Statistic] = {"t": "t", "F": "F", "r": "r", "z": "z", "Z": "z"}
SETTING_NEAR = 25  # characters before a setting in which it is named
LEAST_INDEX = 3  # t1 and t2 are times
TITLE = "tests in the text"
UNKNOWN = Printed(text="df not printed", value=Fraction(1), unit=Fraction(0), low=Fraction(1), high=BIG)
SIGNS = {"<=": "≤", "=<": "≤", ">=": "≥", "=>": "≥", "==": "=", ":": "="}


@dataclass(frozen=True, slots=True)
class Said:
    """What a text says of all its tests: one-sided ones, adjusted p, the level."""

    one_sided: bool = False
    adjusted: bool = False
    level: float | None = None


@dataclass(slots=True)
class Sentence:
    """A plain sentence with its place, its statistics and p-values in order."""

    text: str
    raw: str
    where: str
    said: Said = field(default_factory=Said)
    marks: list[re.Match[str]] = field(default_factory=list)


def findings_in(passages: Sequence[Passage]) -> list[Finding]:
    """Check every test result of a text: t, F, chi2, Q, z and r with p, and t or z against b and its standard error.

    A result is read where a statistic and a p stand together; degrees of freedom stand in parentheses, in an index, or
    as ``df = 23`` nearby. Each p is checked with `statistic_p`. A p that only fits one-sided agrees where its sentence,
    or a sentence about all tests, speaks of one-sided tests. A p that does not fit and is said to be adjusted, exact or
    resampled is ``not_checkable``, as is a result of which a part is missing or cannot be read.

    Parameters
    ----------
    passages : sequence of Passage

    Returns
    -------
    list of Finding
        In the order of the text; ``details["decision_error"]`` tells whether p and the statistic lie on different
        sides of the level, which is .05 unless the text names another one; `changes` then says so.

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
    general = [one.said for one in sentences if not any(m.re is STATISTIC for m in one.marks)]
    levels = {said.level for said in general if said.level}
    whole = Said(
        one_sided=any(said.one_sided for said in general), adjusted=any(said.adjusted for said in general),
        level=levels.pop() if len(levels) == 1 else None,
    )  # fmt: skip
    return [finding for sentence in sentences for finding in _of_sentence(sentence, whole)]


def _sentences(passage: Passage) -> Iterator[Sentence]:
    """Split a long passage, write each sentence plainly and find what looks like a statistic or a p."""
    ends = [m.span() for m in SENTENCE_END.finditer(passage.text)] if len(passage.text) > LONG else []
    starts = [0, *(end for _, end in ends)]
    line, counted = passage.line, 0
    for start, stop in zip(starts, [*(begin for begin, _ in ends), len(passage.text)], strict=True):
        raw = passage.text[start:stop]
        line, counted = line + passage.text.count("\n", counted, start), start
        text = plain(raw)
        marks = sorted([*STATISTIC.finditer(text), *P_VALUE.finditer(text)], key=lambda m: m.start())
        alpha = [m["a"] or m["b"] or m["c"] for m in ALPHA.finditer(text)]
        level = float(alpha[0].replace(",", ".")) if alpha else 0
        said = Said(
            one_sided=bool(ONE_SIDED.search(text)), adjusted=bool(ADJUSTED.search(ALPHA.sub(" ", text))),
            level=level if 0 < level <= 0.2 else None,
        )  # fmt: skip
        yield Sentence(text=text, raw=raw, where=f"{passage.source}, line {line}", said=said, marks=marks)


def plain(text: str) -> str:
    """Write a sentence in one line with plain letters, minus signs, decimal points and powers of ten.

    Examples
    --------
    >>> plain("*χ*²₁ = 4·85,\\u2009P < 2 × 10⁻⁵ and $t_{23} = −2.1$")
    'χ2_1 = 4.85, P < 2e-5 and t_23 = -2.1'
    """
    text = re.sub("[₀-₉][₀-₉,.]*", lambda m: "_" + m[0], html.unescape(text))
    text = "".join("-" if ch in MINUS_SIGNS else ch for ch in unicodedata.normalize("NFKC", text))
    text = re.sub(r"\\(?:leq?|lt|geq?|gt)\b", lambda m: {"l": "<", "g": ">"}[m[0][1]] + "=" * ("e" in m[0]), text)
    text = re.sub(r"\\chi\b|𝜒", "χ", re.sub(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]", "", text))
    text = re.sub(r"\\(?:text\w{0,6}|math\w{0,6}|emph|beta|,|;|!|:)", lambda m: "β" * (m[0] == r"\beta"), text)
    text = re.sub(r"([*_]{1,2})([A-Za-zχβ]{1,3})\1(?!\w)", r"\2", text)
    text = re.sub(r"χ_\{?(\d{1,4})\}?\^\{?2\}?", r"χ2_\1", text)
    text = re.sub(r"\s+", " ", re.sub(r"[${}]|\^(?=\{?[\d-])|<(?=/?[a-z]{1,4}>)/?[a-z]{1,4}>", "", text)).strip()
    text = re.sub(r"(\d(?:[.,]\d{1,9})?) ?[×x·*] ?10 ?(-\d{1,3})\b", r"\1e\2", text)
    text = re.sub(r"([=<>≤≥] ?)10(-\d{1,3})\b", r"\g<1>1e\2", text)
    return re.sub(r"(?<=\d)·(?=\d)|(?<=[=<>] )·(?=\d)", ".", text)


def _of_sentence(sentence: Sentence, whole: Said) -> Iterator[Finding]:
    """Pair the statistics of a sentence with its p-values, and check each pair."""
    text, marks, i, begin = sentence.text, sentence.marks, 0, 0
    ahead: re.Match[str] | None = None  # a p that may belong to the statistic after it
    while i < len(marks):
        run, i = _take(marks, i, STATISTIC)
        behind, i = _take(marks, i, P_VALUE)
        stop = marks[i].start() if i < len(marks) else len(text)
        spare, run = (behind[-1] if behind else None), _near(run)
        if run:
            if ahead and not re.fullmatch(r"[\s,;:(\[]{1,4}", text[ahead.end() : run[0].start()]):
                ahead = None
            behind = _following(run[-1], behind)
            if behind and (not ahead or ahead["relation"] != "="):
                ahead, spare = None, None
            together = behind and (behind[0]["many"] or re.search(r"\b(?:both|all) $", text[: behind[0].start()][-6:]))
            first = [ahead] if ahead else []
            if len(run) == len(behind) > 1:
                tries = [[pair] for pair in zip(run, behind, strict=True)]
            elif len(run) > 1 and together:
                tries = [[(one, behind[0])] for one in run]
            else:
                tries = [[(one, p) for one in reversed(run) for p in [*first, *behind]]]
            for some in tries:
                made = ([*_checked(sentence, whole, *pair, begin, stop)] for pair in some)
                found = [findings for findings in made if findings]
                yield from next((one for one in found if one[0].verdict == "agree"), found[0]) if found else []
        ahead, begin = spare, behind[-1].end() if behind else begin


def _take(marks: Sequence[re.Match[str]], i: int, kind: re.Pattern[str]) -> tuple[list[re.Match[str]], int]:
    stop = i
    while stop < len(marks) and marks[stop].re is kind:
        stop += 1
    return list(marks[i:stop]), stop


def _near(run: list[re.Match[str]]) -> list[re.Match[str]]:
    """Drop effect sizes and variables beside statistics that have degrees of freedom, and statistics far before."""
    run = [one for one in run if one["inside"] or one["index"] or one["name"][0] not in "XxvGH"]
    full = [one for one in run if one["inside"] or one["index"]] or [one for one in run if one["name"] != "r"] or run
    start = len(full) - 1
    while start > 0 and full[start].start() - full[start - 1].end() <= NEAR:
        start -= 1
    return full[max(start, 0) :]


def _following(last: re.Match[str], ps: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the p-values that stand close behind a statistic, and close behind each other."""
    end, limit = last.end(), FAR
    for k, p in enumerate(ps):
        loose_ns = p["ns"] and p.start() - end > 1 and p.string[p.start() - 2 : p.start()].strip() not in {*",;("}
        if p.start() - end > limit or loose_ns:
            return ps[:k]
        end, limit = p.end(), NEAR // 2
    return ps


def _checked(
    sentence: Sentence, whole: Said, found: re.Match[str], p: re.Match[str], begin: int, stop: int
) -> Iterator[Finding]:
    """Check one p against one statistic, and the statistic against its coefficient; nothing where it is no test."""
    kind: Statistic = KINDS.get(found["name"].lstrip("Δ|").removeprefix("min")[0], "chi2")
    said_p, relation = p["ns"] or p["value"], SIGNS.get(p["relation"] or "", p["relation"] or "=" * bool(p["of"]))
    comma = re.match(r"0?,\d", said_p) or ("." not in said_p and re.fullmatch(r"\d*,\d\d?", found["value"] or ""))
    mark: Mark = "," if comma else "."
    near = sentence.text[max(begin, found.start() - FAR) : min(stop, max(p.end(), found.end()) + NEAR)]
    context = sentence.text if len(sentence.text) <= 2 * LONG else near
    frees = _degrees(kind, found, near)
    if frees is None or not (p["ns"] or relation):
        return
    if (not (found["inside"] or found["index"]) or "[" in found[0]) and not _is_test(
        kind, found, p, relation, UNKNOWN not in frees, context
    ):
        return
    shown = sentence.text[min(found.start(), p.start()) : max(found.end(), p.end())]
    level = sentence.said.level or whole.level or LEVEL
    made = []
    try:
        number, test_p = _statistic(found, mark), _p(said_p, relation, level, mark)
        df = tuple(x if isinstance(x, Printed) else printed(x, decimal=mark) for x in frees)
        if kind == "z" and df:
            raise InputError("z has no degrees of freedom")
        finding = _judged(kind, number, test_p, df, level, sentence.said.one_sided or whole.one_sided)
        reason = finding.verdict == "disagree" and _reason(
            context, test_p, finding, bool(p["adjusted"]) or sentence.said.adjusted, whole.adjusted
        )
        open_df = UNKNOWN in frees and (finding.verdict != "disagree" or not TESTED.search(context))
        if reason or open_df:
            message = finding.message.removeprefix("sources disagree: ") + (f"; {reason}" if reason else "")
            finding = replace(finding, verdict="not_checkable", severity="none", message=message, changes="")
        made = [finding, *(_ratios(number, near, mark) if kind in ("t", "z") and number.relation == "=" else [])]
    except InputError as error:
        message = f"'{shorten(shown, 80)}' cannot be checked: {error}"
        made = [Finding(rule="statistic_p", verdict="not_checkable", message=message, published=said_p)]
    passage = sentence.raw.strip() if len(sentence.raw) <= 2 * LONG else f"... {near} ..."
    yield from (replace(one, where=sentence.where, title=TITLE, passage=passage) for one in made)


def _degrees(kind: Statistic, found: re.Match[str], near: str) -> list[str | Printed] | None:
    """Return the degrees of freedom as printed; UNKNOWN where there are none, None where this is no statistic."""
    text = found["inside"] or found["index"]
    if found["inside"]:
        size = re.fullmatch(r" ?[nN] ?= ?(\d[\d,]*) ?", text)
        if size and kind in ("r", "z"):
            return [] if kind == "z" else [str(int(size[1].replace(",", "")) - 2)]
        text = INNER.sub("", text).strip()
        if not re.fullmatch(r"[\dlIO.,;/ ]*\d[\dlIO.,;/ ]*", text):
            return None
    elif text:
        several = "," in text
        if kind in ("z", "r") or several != (kind == "F") or (kind == "t" and float(text) < LEAST_INDEX):
            return None
        if kind == "chi2" and found["name"].lstrip("Δ")[0] not in "χΧcC":
            return None
        text = text.replace("_", "")
    elif kind == "z":
        return []
    else:
        sizes = SIZE.findall(near) if kind == "r" else []
        all_df = list(DEGREES.finditer(near))
        if not all_df and len(sizes) == 1:
            return [str(int(sizes[0].replace(",", "")) - 2)]
        if not all_df:
            return [UNKNOWN] if kind in ("t", "chi2") else []
        place = near.find(found[0])
        one = next((m for m in all_df if m.start() > place), all_df[-1])
        text = one["a"] or one["c"]
        text = f"{text}, {one['b']}" if one["b"] and kind == "F" else text
    if kind != "F":
        return [text]
    split = r" ?[;/] ?" if re.search("[;/]", text) else ", " if ", " in text else ","
    first, *rest = re.split(split, text, maxsplit=1)
    return [re.sub(r"^[lI]$", "1", first.strip()), *(one.strip() for one in rest)]


def _is_test(
    kind: Statistic, found: re.Match[str], p: re.Match[str], relation: str, has_df: bool, context: str
) -> bool:
    """Tell a test without degrees of freedom beside it from settings, variables and quantities with a unit."""
    value, said = found["value"] or "", p["value"] or ""
    between = p.string[found.end() : p.start()]
    if not set(re.findall("[A-Za-z]+", between)) <= BESIDE or found["rest"]:
        return False
    if not has_df and SETTINGS.search(p.string, max(0, found.start() - SETTING_NEAR), p.start()):
        return False
    if p["ns"]:
        return bool(re.search("[,;(]", between))
    if (kind == "r" and not re.match("0?[.,]", value)) or not (has_df and kind != "z") and not re.search("[.,]", value):
        return False
    digits = re.fullmatch(r"(0?)[.,](\d+)(?:e-\d+)?", said)
    if (has_df and kind != "z") or not digits or relation != "=":
        return bool(digits) or said[:1] == "n" or "e-" in said
    return not digits[1] or len(digits[2]) > 2 or (len(digits[2]) > 1 and bool(TESTED.search(context)))


def _statistic(found: re.Match[str], mark: Mark) -> Printed:
    """Read a statistic; one that is only bounded is the interval of the sizes within its bound."""
    relation = SIGNS.get(found["relation"], found["relation"])
    if not found["value"] or found["rest"] or found["sign"] not in ("", "-", "+") or relation not in set("=<>≤≥"):
        raise InputError(f"{found['name']} cannot be read")
    other: Mark = "." if mark == "," else ","
    try:
        number = printed(found["sign"] + found["value"], decimal=mark)
    except InputError:
        number = printed(found["sign"] + found["value"], decimal=other)
    if relation == "=":
        return number
    down = relation in "<≤"
    size = abs(number.value)
    low, high = (Fraction(0), size) if down != (number.value < 0) else (size, BIG)
    return replace(number, text=f"{relation} {number.text}", low=low, high=high, relation="<" if down else ">")


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
    kind: Statistic, number: Printed, p: Printed, df: tuple[Printed, ...], level: float, one_sided: bool
) -> Finding:
    """Check a p, one-sided where the text allows it and only this fits, and tell a decision error from a rounding error."""
    given: dict[str, Any] = {"df": df[-1] if df else None, "df1": df[0] if len(df) > 1 else None, "level": level}
    finding = statistic_p(kind, number, p, **given)
    low, high = (Fraction(finding.details.get(end, edge)) for end, edge in (("p_low", 0), ("p_high", 1)))
    tails: Tails = "two"
    if finding.verdict == "disagree" and one_sided:
        other = statistic_p(kind, number, p, tails="one", **given)
        halved = kind in SIGNED or (df[0].value == 1 and p.share().meets(low / 2, high / 2))
        if kind not in SIGNED and halved:
            other = replace(
                finding, verdict="agree", severity="none", message=finding.message.removeprefix("sources disagree: ")
            )
        if other.verdict == "agree":
            finding, tails = replace(other, message=f"{other.message} (one-sided, as the text says)"), "one"
        low /= 2
    value, edge = p.share().value, Fraction(str(level))
    claimed = (
        p.relation != ">" and value <= edge,
        p.relation == ">" and value >= edge or p.relation == "=" and value > edge,
    )
    changed = finding.verdict == "disagree" and ((claimed[0] and low > edge) or (claimed[1] and high < edge))
    side = "not significant" if claimed[0] else "significant"
    message = re.sub(r" = (?=[<>≤≥] )", " ", finding.message)
    zero = value == 0
    return replace(
        finding, changes=f"By its own {kind} the result is {side} at {level:g}.".replace(" 0.", " .") if changed else "",
        message=message + ("; no p is 0: p < .001 says what is meant" if zero else ""),
        severity=("major" if changed else "minor") if finding.verdict == "disagree" else "none",
        details={**finding.details, "kind": kind, "statistic": number.text, "df": [x.text for x in df], "level": level,
                 "tails": tails, "decision_error": changed, "impossible_print": zero},
    )  # fmt: skip


def _reason(context: str, p: Printed, finding: Finding, adjusted: bool, elsewhere: bool) -> str:
    """Say why a p may be right although the statistic does not give it; empty where nothing speaks for it."""
    p, low, high = p.share(), *(Fraction(finding.details[end]) for end in ("p_low", "p_high"))
    if adjusted and p.low is not None and p.low > high:
        return "the text says that p is adjusted"
    if OTHER_NULL.search(context):
        return "the text names a p of another kind (exact, resampled, equivalence)"
    if RANKS.search(context) and p.meets(low / 2, high * 2):
        return "the text names a test of ranks or a partial correlation, whose p may differ"
    for k in MULTIPLES if elsewhere else ():
        if p.meets(min(k * low, Fraction(1)), min(k * high, Fraction(1))):
            return f"{k} times that p fits, and the text adjusts p-values elsewhere"
    return ""


def _ratios(number: Printed, near: str, mark: Mark) -> list[Finding]:
    """Check t or z against the coefficient and the standard error in front of it."""
    made = []
    for found in COEFFICIENT.finditer(near):
        try:
            error = printed(found["se"], decimal=mark)
            sizes = [printed(found[one], decimal=mark) for one in ("value", "other") if found[one]]
        except InputError:
            continue
        if error.bounds[0] <= 0:
            continue
        for size in sizes:
            ends = (max(size.bounds[0], Fraction(0)) / error.bounds[1], size.bounds[1] / error.bounds[0])
            t = printed(number.text.lstrip("+-" + MINUS_SIGNS), decimal=mark)
            source = f"the coefficient {size.text} with standard error {error.text}"
            made.append(compare("statistic_of_coefficient", t, *ends, source=source))
    return [next((one for one in made if one.verdict == "agree"), made[0])] if made else []
