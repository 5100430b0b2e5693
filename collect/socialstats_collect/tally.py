"""What a run did so far: calls, answers by status, tokens, and what the endpoint said about itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from socialstats_collect.ask import DATA


@dataclass(slots=True)
class Tally:
    """Counts over attempts; ``calls`` and ``tokens`` include those already in the log.

    ``units_done`` are this run's finished units, ``units_replayed`` those of them that needed no call, ``unread`` their
    rows whose answer could not be read, ``spent`` tokens by model and kind.

    Examples
    --------
    >>> tally = Tally()
    >>> tally.add({"status": "ok", "prompt_tokens": 9, "completion_tokens": 1, "model_returned": "m-1"})
    >>> tally.calls, tally.tokens, tally.by_status["ok"]
    (1, 10, 1)
    """

    calls: int = 0
    tokens: int = 0
    units_done: int = 0
    units_replayed: int = 0
    unread: int = 0
    by_status: Counter[str] = field(default_factory=Counter)
    models: Counter[tuple[str, str]] = field(default_factory=Counter)
    fingerprints: Counter[tuple[str, str]] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    spent: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, line: Mapping[str, Any]) -> None:
        """Count one attempt of the log."""
        self.calls += 1
        self.by_status[str(line.get("status"))] += 1
        self.tokens += sum(_whole(line.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        asked = str(line.get("model_requested"))
        for name in ("prompt_tokens", "completion_tokens"):
            self.spent[asked, name] += _whole(line.get(name))
        for name, counts in (("model_returned", self.models), ("system_fingerprint", self.fingerprints)):
            if line.get(name):
                counts[asked, str(line[name])] += 1
        if line.get("status") not in DATA:
            why = line.get("error_code") or line.get("error_type") or line.get("error_message") or ""
            self.errors[f"{line.get('status')} {line.get('http_status') or ''} {str(why)[:60]}".strip()] += 1

    @property
    def answers(self) -> int:
        """Attempts that ended in an answer of the model."""
        return sum(self.by_status[status] for status in DATA)

    @property
    def tokens_a_call(self) -> float:
        """Tokens that an answer took on average so far."""
        return self.tokens / self.answers if self.answers else 0.0

    def costs(self) -> list[str]:
        """Say what each model took in tokens."""
        models = dict.fromkeys(model for model, _ in self.spent)
        return [
            f"{model}: {self.spent[model, 'prompt_tokens']:,} tokens sent, "
            f"{self.spent[model, 'completion_tokens']:,} received"
            for model in models
        ]

    def changes(self) -> list[str]:
        """Say where a model answered under more than one name or fingerprint."""
        said = []
        for what, counts in (("name", self.models), ("fingerprint", self.fingerprints)):
            for asked in dict.fromkeys(model for model, _ in counts):
                found = [f"{name} ({n:,})" for (model, name), n in counts.items() if model == asked]
                if len(found) > 1:
                    said.append(f"{asked} answered under more than one {what}: {', '.join(found)}")
        return said


def _whole(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
