"""What was read from a document: its tables as sheets, and its sentences with their places."""

from __future__ import annotations

from dataclasses import dataclass

from socialstats.audit.documents.sheets import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A sentence of a document.

    Attributes
    ----------
    text : str
        Plain text in one line, without markup; mathematics as it would be read (``χ2(1) = 4.85, p < .001``).
    source : str
        The file, with the page of a PDF (``paper.pdf, page 3``).
    line : int
        Line in the file, or on the page, where it begins; from 1.
    """

    text: str
    source: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as read.

    Attributes
    ----------
    source : str
        Its file name.
    sheets : tuple of Sheet
        Its tables, in order; a sheet's ``title`` is the caption.
    passages : tuple of Passage
        Its sentences, in order, without tables, code and references.
    notes : tuple of str
        What the reader should know: a file that is not what its name says, say.
    """

    source: str
    sheets: tuple[Sheet, ...] = ()
    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()
