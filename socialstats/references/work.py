"""What is known of a published work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A published work.

    Attributes
    ----------
    authors, year, title, venue, doi : str
        `doi` is empty where the work has none.
    """

    authors: str
    year: int
    title: str
    venue: str
    doi: str = ""

    def __str__(self) -> str:
        text = f"{self.authors} ({self.year}). {self.title}. {self.venue}."
        return f"{text} doi:{self.doi}" if self.doi else text
