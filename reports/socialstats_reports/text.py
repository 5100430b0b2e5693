"""Text for the page: what strangers wrote made harmless, numbers and symbols typeset."""

from __future__ import annotations

import math
import re
from typing import Any

from markupsafe import Markup, escape

from socialstats.results.latex import escaped
from socialstats.text import MISSING, count, number, visible_text

CELL_WIDTH = 240  # characters that a cell shows
NUMERIC = re.compile(
    r"^[^A-Za-z]*\d[^A-Za-z]*$"
)  # 0.12, < .001, [0.1, 0.4], 12-15, 3.1\u00d710\u207b\u2079
SYMBOL = re.compile(  # with an index anywhere, letters before a number only
    r"(?<![\w.])((?:d_z|d_av|d_rm|g_z|p_Holm|B_all)\b|(?:SD|df|[pztnNMSrF])"
    r"(?=(?:\([\d.,\s]+\))? ?[=&<>]|\([\d.,]+\) =))"
)
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
DEGREES = re.compile(r"(?<=</i>)\((\d[\d.,]*), (?=\d[\d.,]*\))")  # F(2, 28.0)
EQUALS = re.compile(r" (=|&lt;|&gt;) (?=[\u2212.\d\u221e])")  # n = 66, p < .001
BRACKETS = re.compile(r"\[[\u2212\-.,\d\s\u221e]{3,40}\]")
TAG = re.compile(r"<[^>]*>")
DOI = re.compile(r"doi:(10\.\d{4,9}/\S+)$")
SUPERSCRIPT = str.maketrans(
    "-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079"
)


def shown(value: Any) -> Any:
    """Make every value that a template prints harmless: control and formatting characters become visible."""
    return harmless(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def harmless(text: str) -> str:
    r"""Return a text as `visible_text` does; the texts of a page are printable but for a few.

    Examples
    --------
    >>> harmless("two\nlines")
    'two lines'
    """
    return text if text.isprintable() else visible_text(text)


def typeset(text: str) -> Markup:
    """Set statistical symbols in italics; keep intervals, degrees of freedom and options on one line.

    Examples
    --------
    >>> print(typeset("t(19) = 2.10, 95% CI [0.1, 0.4] <b>").replace("\\xa0", "~"))
    <i>t</i>(19)~=~2.10, 95%~CI <span class="nb">[0.1, 0.4]</span> &lt;b&gt;
    >>> print(typeset("difference = \u2212.024 (m = 66), p_Holm > .999").replace("\\xa0", "~"))
    difference~=~−.024 (m~=~66), <i>p</i><sub>Holm</sub>~&gt;~.999
    >>> print(typeset("F(2, 28.0) = 6.26; say --no-verify").replace("\\xa0", "~"))
    <i>F</i>(2,~28.0)~=~6.26; say <span class="nb">--no-verify</span>
    """
    safe = str(escape(harmless(text)))
    safe = SYMBOL.sub(lambda m: _italic(m.group(1)), safe)
    safe = BRACKETS.sub(lambda m: f'<span class="nb">{m.group()}</span>', safe)
    safe = OPTION.sub(lambda m: f'<span class="nb">{m.group()}</span>', safe)
    safe = DEGREES.sub("(\\1,\u00a0", safe)
    safe = EQUALS.sub("\u00a0\\1\u00a0", safe)
    return Markup(safe.replace("% CI", "%\u00a0CI"))


def words_shown(text: str) -> int:
    """Count the words of a sentence as the page shows it: a symbol and its index are two.

    Examples
    --------
    >>> words_shown("It fell (p_Holm < .001).")
    7
    """
    return len(TAG.sub(" ", typeset(text)).split())


def latex_text(text: str) -> str:
    r"""Return a sentence as LaTeX: symbols in italics, every special character escaped.

    Examples
    --------
    >>> print(latex_text("t(19) = \u22122.10, p_Holm = .048 in 5% of a_b"))
    \textit{t}(19) = $-$2.10, \textit{p}\textsubscript{Holm} = .048 in 5\% of a\_b
    >>> print(latex_text("p_Holm > .999"))
    \textit{p}\textsubscript{Holm} $>$ .999
    """
    parts, at = [], 0
    for match in SYMBOL.finditer(tidy := visible_text(text)):
        letter, _, index = match[1].partition("_")
        parts += [escaped(tidy[at : match.start()]), rf"\textit{{{letter}}}"]
        parts += [rf"\textsubscript{{{index}}}"] if index else []
        at = match.end()
    return "".join([*parts, escaped(tidy[at:])])


def linked(reference: str) -> Markup:
    """Return a reference with its DOI as a link.

    Examples
    --------
    >>> print(linked("Ford (1957). A & B. doi:10.2307/2308513"))
    Ford (1957). A &amp; B. <a href="https://doi.org/10.2307/2308513">https://doi.org/10.2307/2308513</a>
    """
    match = DOI.search(reference)
    if match is None:
        return escape(reference)
    target = f"https://doi.org/{match[1]}"
    return escape(reference[: match.start()]) + Markup('<a href="{0}">{0}</a>').format(target)


def ended(text: str) -> str:
    """Return a text with a full stop, unless it has an end of its own."""
    return text if text[-1:] in (".", "!", "?", "") else f"{text}."


def sentence(text: str) -> str:
    """Return a text with a capital and a full stop.

    Examples
    --------
    >>> sentence("ties are modelled")
    'Ties are modelled.'
    """
    return ended(text[:1].upper() + text[1:])


def _italic(symbol: str) -> str:
    letter, _, index = symbol.partition("_")
    return f"<i>{letter}</i><sub>{index}</sub>" if index else f"<i>{letter}</i>"


def cell(value: str | float | int | None, digits: int) -> str:
    """Return one table cell as text.

    Examples
    --------
    >>> cell(13914, 2), cell(-0.001, 2), cell(None, 2), cell("a" * 300, 2)[-1]
    ('13,914', '0.00', '—', '…')
    """
    if value is None:
        return MISSING
    if isinstance(value, str):
        tidy = harmless(value)
        return tidy if len(tidy) <= CELL_WIDTH else tidy[: CELL_WIDTH - 1] + "\u2026"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value).replace("-", "\u2212")
    return number(value, digits)


def is_numeric(values: list[str | float | int | None]) -> bool:
    """Return whether a column holds numbers (or texts that are only numbers), and so is set flush right."""
    values_there = [v for v in values if v is not None and v != ""]
    return bool(values_there) and all(
        not isinstance(v, str) or bool(NUMERIC.match(v)) or v in (MISSING, "undefined")
        for v in values_there
    )


def significant(value: float | None, digits: int = 6) -> str:
    """Return a number with a fixed count of significant digits.

    Examples
    --------
    >>> significant(0.123456789), significant(-7476.12580), significant(3.1e-9, 2), significant(0.0)
    ('0.123457', '−7476.13', '3.1×10⁻⁹', '0')
    """
    if value is None or math.isnan(value):
        return MISSING
    text = f"{value:.{digits}g}"
    if "e" in text:
        mantissa, _, power = text.partition("e")
        text = f"{mantissa}\u00d710{str(int(power)).translate(SUPERSCRIPT)}"
    return text.replace("-", "\u2212").replace("inf", "\u221e")
