"""Terms that a newspaper does not use: each is explained where a page has it first, and in a list for print."""

from __future__ import annotations

import re

from markupsafe import escape

# by the pattern of its words; texts are sentences
TERMS = {
    "95% CI": (
        r"\d+(?:\.\d+)?%\u00a0CIs?",
        "The confidence interval, a range: the values that fit the data. In repeated studies, such intervals hold the "
        "truth as often as the percentage says.",
    ),
    "approximate": (
        r"\b[Aa]pproximate\b",
        "A caution, here or in the appendix, touches the estimate: the interval may be too short or too long.",
    ),
    "exploratory": (
        r"\bexploratory\b",
        "No plan said in advance what would be analysed. Results of such an analysis need new data to confirm them.",
    ),
    "p": (
        r"^p$",
        "How often chance alone gives a result at least this far from no effect. Small values speak against chance.",
    ),
    "Holm": (
        r"\bHolm\b",
        "An adjustment of p for the number of tests, so that a long list of tests does not find effects by chance.",
    ),
    "rank interval": (
        r"(?:simultaneous )?(?:\d+% )?(?:simultaneous )?rank intervals?",
        "The ranks that fit the data. Simultaneous: those of all items hold together.",
    ),
    "bootstrap": (
        r"bootstrap",
        "Drawing new samples from the data, to see how much a number varies from sample to sample.",
    ),
    "clusters": (
        r"\bclusters?\b",
        "Groups of rows that resemble each other, such as all answers to one prompt. They count as less than as many "
        "independent rows.",
    ),
    "log-strength": (
        r"[Ll]og-strengths?",
        "How strongly an item is preferred; the average is 0. Of two items that are 1 apart, the stronger wins about 7 "
        "of 10 times, and 9 of 10 where they are 2 apart.",
    ),
    "log-odds": (
        r"[Ll]og-odds",
        "A scale for chances: 0 is even, 1.1 is 3 to 1, 2.2 is 9 to 1.",
    ),
    "significant": (
        r"\b(?:not )?significant(?:ly)?\b",
        "Chance alone would seldom give so large a difference. What is not significant may still differ.",
    ),
    "mode": (r"\bmodes?\b(?= of)", "The most frequent answer."),
    "bias B": (
        r"\bBias B\b",
        "From −2 to 2. At 0 both sides are chosen equally often; at 1 or −1 the favoured side is chosen 3 of 4 times.",
    ),
    "win rate": (r"\b[Ww]in rates?\b", "The share of its comparisons that an item wins."),
    "odds": (
        r"\bodds\b",
        "How many times something happens for each time that it does not: 3 to 1 is .75.",
    ),
    "Krippendorff's alpha": (
        r"Krippendorff&#39;s (?:α|alpha)",
        "Agreement of raters beyond chance: 1 is perfect, 0 is what chance gives.",
    ),
    "kappa": (
        r"\b(?:[Ww]eighted )?(?:κ|[Kk]appa)\b",
        "Agreement of two raters beyond chance: 1 is perfect, 0 is what chance gives.",
    ),
    "standard deviation": (
        r"\bSDs?\b",
        "The standard deviation: how far values usually lie from their mean.",
    ),
    "standard error": (
        r"standard errors?",
        "How far an estimate would usually lie from the truth in samples of this size.",
    ),
    "Jensen-Shannon similarity": (
        r"Jensen-Shannon similarity",
        "How alike two sets of shares are: 1 means equal shares, 0 nothing in common. Most of the scale is for large "
        "differences: 5 against 3 of 10 is still .97.",
    ),
    "ADA-Met": (
        r"ADA-Met",
        "The mean distance, in levels, of an answer from the most frequent answer of people.",
    ),
    "composite": (
        r"\b[Cc]omposites?\b",
        "The scores of several traits in one number, each with its weight.",
    ),
    "bias-corrected": (
        r"[Bb]ias-corrected",
        "Without the part that chance alone adds to a number that cannot be negative.",
    ),
    "cluster-robust": (
        r"cluster-robust|CR2",
        "A standard error that allows for rows of one cluster that resemble each other.",
    ),
    "design effect": (
        r"[Dd]esign effects?",
        "How many times the clusters make the variance larger than that of as many independent rows.",
    ),
    "equivalent": (
        r"\b[Ee]quivalen(?:t|ce)\b",
        "Shown to differ by less than the smallest difference that matters.",
    ),
    "permutation": (
        r"\b[Pp]ermutations?\b",
        "Exchanging labels at random, to see what differences arise without an effect.",
    ),
}
TAG = re.compile(r"(<[^>]*>)")
# inside these, a term stays as it is
CLOSED = {
    "a",
    "svg",
    "script",
    "style",
    "pre",
    "h1",
    "h2",
    "h3",
    "h4",
    "summary",
    "title",
    "th",
    "nav",
}
NAME = re.compile(r"</?([a-zA-Z0-9]+)")


def slug_of(term: str) -> str:
    """Return the anchor of a term.

    Examples
    --------
    >>> slug_of("95% CI")
    'term-95-ci'
    """
    return "term-" + re.sub(r"[^a-z0-9]+", "-", term.lower()).strip("-")


def explain_terms(page: str) -> tuple[str, dict[str, str]]:
    """Link each term where the text of a page has it first, and return which terms it has, with their explanations.

    Parameters
    ----------
    page : str
        HTML.

    Examples
    --------
    >>> page, terms = explain_terms("<p>The odds rose.</p><p>The odds fell.</p>")
    >>> page.count('href="#term-odds"'), list(terms)
    (1, ['odds'])
    """
    patterns = {term: re.compile(pattern) for term, (pattern, _) in TERMS.items()}
    parts = TAG.split(page)
    open_tags: list[str] = []
    used: dict[str, str] = {}
    for k, part in enumerate(parts):
        if part.startswith("<"):
            follow_tag(part, open_tags)
        elif part.strip() and not CLOSED & set(open_tags):
            parts[k] = link_terms(part, patterns, used)
    return "".join(parts), used


def follow_tag(tag: str, open_tags: list[str]) -> None:
    """Keep the list of open tags; those that never close are left out."""
    named = NAME.match(tag)
    if named is None or tag.endswith("/>"):
        return
    name = named[1].lower()
    if not tag.startswith("</"):
        if name in CLOSED:
            open_tags.append(name)
    elif open_tags and open_tags[-1] == name:
        open_tags.pop()


def link_terms(text: str, patterns: dict[str, re.Pattern[str]], used: dict[str, str]) -> str:
    """Link the terms of a text that no earlier text had; a term within another is not linked."""
    places: list[tuple[int, int, str]] = []
    for term, pattern in patterns.items():
        match = None if term in used else pattern.search(text)
        overlaps = match is not None and any(
            match.start() < end and start < match.end() for start, end, _ in places
        )
        if match is not None and not overlaps:
            places.append((*match.span(), term))
            used[term] = TERMS[term][1]
    for start, end, term in sorted(places, reverse=True):
        link = (
            f'<a class="term" href="#{slug_of(term)}" aria-describedby="{slug_of(term)}" '
            f'data-explain="{escape(TERMS[term][1])}">{text[start:end]}</a>'
        )
        text = text[:start] + link + text[end:]
    return text
