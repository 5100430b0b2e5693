"""What is wrong with a rules file, with the lines of the keys that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable

from socialstats.errors import Problem
from socialstats.tables.toml_files import line_of_key

TABLE_KEY = re.compile(r": | ")  # ends the name of a table in a message


class RuleProblems:
    """The problems of one rules file; `number` is the rule that is being read, of `rules`."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text
        self.number = self.rules = 0
        self.problems: list[Problem] = []

    def wrong(self, message: str, fix: str = "") -> None:
        """Note a problem with the line of the key that it names."""
        about = message.partition(": ")[2] or message
        if message.startswith("tables."):
            line = line_of_key(self.text, TABLE_KEY.split(message)[0], about)
        else:
            line = line_of_key(self.text, "rule", about, self.number - 1, self.rules)
        lines = (line,) if line else ()
        self.problems.append(Problem(source=self.path, lines=lines, message=message, fix=fix))

    def fits(self, place: str, problems: Iterable[Problem]) -> bool:
        """Note problems with their place and line; whether there were none."""
        before = len(self.problems)
        for problem in problems:
            self.wrong(f"{place}{problem.message}", problem.fix)
        return len(self.problems) == before
