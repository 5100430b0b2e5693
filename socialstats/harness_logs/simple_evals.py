"""Results of simple-evals: ``EVAL_MODEL_DATE_allresults.json``, and the short ``.json`` with its numbers alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from socialstats.harness_logs.files import Source, load_json
from socialstats.harness_logs.log import Claim, Log, Quantity
from socialstats.harness_logs.tabular import Members, at, claim, items, log_of, row, scored
from socialstats.tables import as_number

NEEDS = "a JSON file with 'score', 'metrics' and 'htmls', or 'score' and 'score:std' (simple-evals)"
FORMS = (("object", "score", "metrics", "htmls"), ("object", "score", "score:std"))
SCORE = re.compile(r"<p>Score: (?P<score>[-\d.e]+|True|False)</p>")
WORDS = {"True": 1.0, "False": 0.0}
STATISTICS: dict[str, tuple[Quantity, Members]] = {
    "": ("mean", {}),
    "std": ("std_dev", {"ddof": 0}),
    "n_samples": ("count", {}),
    "bootstrap_std": ("std_error", {"method": "bootstrap", "resamples": 1000, "ddof": 0}),
}
ALONE = "no scores of single questions: give the file that ends in _allresults.json, whose pages hold them"


def read(source: Source) -> Log:
    """Read the score of each question from its page; other metrics of questions are not in the files."""
    top = at(load_json(source.path, nan=True))
    pages = items(top, "htmls")
    matches = [SCORE.search(str(page)) for page in pages]
    rows = [
        row(
            task=source.path.stem,
            unit=k,
            scorer="score",
            score=scored(WORDS.get(match[1], as_number(match[1]))) if match else (None, "unscored"),
        )
        for k, match in enumerate(matches)
    ]
    numbers = {"score": top.get("score")} | (at(top, "metrics") if pages else top)
    return log_of(
        __name__,
        source,
        rows,
        notes=() if rows else (ALONE,),
        claims=score_claims(numbers, source.path.name),
    )


def score_claims(numbers: Members, file: str) -> Iterator[Claim]:
    """Yield the numbers of the file."""
    for key, value in numbers.items():
        name, _, statistic = key.partition(":")
        quantity, settings = STATISTICS.get(statistic, ("other", {}))
        yield from claim(key, quantity, value, f"{file}: {key}", {"scorer": name}, **settings)
