"""A page read with the standard library's parser, which balances tags and keeps what a reader sees."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """Every element with its attributes, what stands inside it, the text, and how many words stand open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None], tuple[str, ...]]] = []
        self.seen: list[str] = []
        self.cells: list[str] = []
        self.words = 0
        self.prose = 0
        self.lists: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))
        # the list of terms is shown in print, or where the link of a term is followed
        if dict(attrs).get("id") == "terms":
            self.lists.append("terms")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs), tuple(self.open)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"unexpected </{tag}>"
        assert self.open.pop() == tag
        if tag == "section" and self.lists:
            self.lists.pop()

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.seen.append(data)
        hidden = bool({"script", "style", "head", "svg"} & set(self.open)) or "terms" in self.lists
        if not hidden and not self.is_closed():
            self.words += len(data.split())
            # the main part beside its tables
            self.prose += 0 if "table" in self.open else len(data.split())
        if {"td", "th"} & set(self.open):
            self.cells.append(data)

    def is_closed(self) -> bool:
        """Tell whether what is open stands in details that a reader has not opened; their summary is seen."""
        outer = self.open.index("details") if "details" in self.open else None
        return outer is not None and self.open[outer + 1 :][:1] != ["summary"]

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs, _ in self.elements if tag == name]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.seen).split())
