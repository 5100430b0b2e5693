"""Samples of Inspect as rows: one a sample, epoch, scorer and part of a value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from socialstats.claims.types import SCORE_TEXT, Status
from socialstats.errors import InputError
from socialstats.text import count, quoted
from socialstats_collect.readers.tabular import Row, cell, flat, is_number, mapping, row, sequence

INFINITE = "a score is infinite: no mean of it exists. Correct the scorer, or leave the sample out"
LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def to_float(value: Any) -> tuple[float | None, Status]:
    """Turn a score into a number as Inspect documents it (scorer/_metric.py, value_to_float).

    Numbers and truth values as they are; C 1, P 0.5, I and N 0; yes, true 1; no, false 0; text that is a number.
    NaN is Inspect's mark of an unscored sample. Anything else has no number: Inspect counts it as 0.0, we do not.

    Examples
    --------
    >>> to_float("C"), to_float(True), to_float("0.25"), to_float("maybe"), to_float(float("nan"))
    ((1.0, 'ok'), (1.0, 'ok'), (0.25, 'ok'), (None, 'unparsed'), (None, 'unscored'))
    """
    if value is None:
        return None, "unscored"
    if isinstance(value, (bool, int, float)):
        if value != value:
            return None, "unscored"
        if not isinstance(value, bool) and not is_number(value):
            raise InputError(INFINITE)
        return float(value), "ok"
    if not isinstance(value, str):
        return None, "unparsed"
    if value in LETTERS:
        return LETTERS[value], "ok"
    if value.lower() in WORDS:
        return WORDS[value.lower()], "ok"
    try:
        number = float(value)
    except ValueError:
        return None, "unparsed"
    return (number, "ok") if math.isfinite(number) else (None, "unparsed")


def rows(
    about: dict[str, Any], samples: list[dict[str, Any]], reductions: list[Any], printed: list[str]
) -> tuple[list[Row], tuple[str, ...]]:
    """Return a row a sample, epoch, scorer and part, and what is to be said about them.

    Where no sample has a score, the scorers are those that the log prints numbers of, or that it declares.
    """
    model, task = about.get("model"), about.get("task")
    if not samples and reductions:
        note = "the log holds no samples: rows are the values after epochs were joined, without metadata"
        return [r for each in reductions for r in _reduced(mapping(each), model, task)], (note,)
    scorers = _scorers(about, samples, printed)
    found: list[Row] = []
    for sample in samples:
        try:
            found += _rows_of(sample, scorers, model, task)
        except InputError as error:
            place = f"sample {quoted([cell(sample['id']) or ''])}, epoch {cell(sample.get('epoch', 1))}"
            raise InputError(f"{place}: {error}") from None
    _drop_plain_texts(found)
    missing = list(_missing(about, samples, scorers, model, task)) if samples else []
    return found + missing, tuple(_notes(samples, found))


def scores_of(sample: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of a sample by scorer; the oldest logs have one, without a name."""
    if isinstance(sample.get("score"), dict) and not sample.get("scores"):
        return {"score": sample["score"]}
    return mapping(sample.get("scores"))


def _scorers(about: dict[str, Any], samples: list[dict[str, Any]], printed: list[str]) -> dict[str, list[str]]:
    """Return every scorer with the parts of its values, in order of appearance."""
    found: dict[str, dict[str, None]] = {}
    for sample in samples:
        for name, score in scores_of(sample).items():
            parts = found.setdefault(name, {})
            parts.update(dict.fromkeys(parts_of(mapping(score).get("value"))))
    if not found:
        names = printed or [cell(mapping(s).get("name")) or "" for s in sequence(about.get("scorers"))] or [""]
        found = {name: {} for name in names}
    return {name: [*parts] for name, parts in found.items()}


def parts_of(value: Any) -> dict[str, Any]:
    """Return the parts of a dict or list value by name; nothing for a plain value."""
    if isinstance(value, dict):
        return {str(key): part for key, part in value.items()}
    return {str(k): part for k, part in enumerate(value)} if isinstance(value, list) else {}


def _rows_of(sample: dict[str, Any], scorers: dict[str, list[str]], model: Any, task: Any) -> Iterator[Row]:
    scores, metadata = scores_of(sample), _metadata(sample)
    absent: Status = "error" if sample.get("error") else "missing" if scores else "unscored"
    for name, parts in scorers.items():
        score = mapping(scores.get(name))
        for scorer, raw, number, status in _cells(name, parts, score, absent):
            held = {**metadata, SCORE_TEXT: raw} if isinstance(raw, str) else metadata
            yield row(
                model=model, task=task, unit=sample["id"], epoch=sample.get("epoch", 1), scorer=scorer, value=number,
                status=status, answer=score.get("answer"), metadata=held,
            )  # fmt: skip


def _drop_plain_texts(found: list[Row]) -> None:
    """Keep the texts of scores only where two of them stand for one number: the most frequent text is not its number.

    Inspect's reducer ``mode`` counts I and N apart, and both are worth 0.
    """
    texts: dict[tuple[str, float], set[str]] = {}
    for each in found:
        if SCORE_TEXT in each and each["status"] == "ok":
            texts.setdefault((each["scorer"], each["value"]), set()).add(each[SCORE_TEXT])
    double = {scorer for (scorer, _), held in texts.items() if len(held) > 1}
    for each in found:
        if each["scorer"] not in double:
            each.pop(SCORE_TEXT, None)


def _cells(
    name: str, parts: list[str], score: dict[str, Any], absent: Status
) -> Iterator[tuple[str, Any, float | None, Status]]:
    """Return the values of one score with their numbers: one a part where values have parts, else one."""
    value = score.get("value")
    held = parts_of(value)
    if held or (parts and (not score or to_float(value)[1] == "unscored")):
        for part in parts:
            number, status = to_float(held[part]) if part in held else (None, "unscored" if score else absent)
            yield f"{name}/{part}", held.get(part), number, status
    elif score:
        yield name, value, *to_float(value)
    else:
        yield name, None, None, absent


def _metadata(sample: dict[str, Any]) -> dict[str, str | None]:
    found = flat(mapping(sample.get("metadata")))
    if sample.get("target") not in (None, ""):
        found["target"] = cell(sample["target"])
    for key in ("error", "limit"):
        if sample.get(key):
            held = sample[key]
            found[f"sample_{key}"] = cell(held.get("message") or held.get("type") if isinstance(held, dict) else held)
    return found


def _reduced(reduction: dict[str, Any], model: Any, task: Any) -> Iterator[Row]:
    name = cell(reduction.get("scorer")) or ""
    for sample in map(mapping, sequence(reduction.get("samples"))):
        for scorer, _, number, status in _cells(name, [*parts_of(sample.get("value"))], sample, "missing"):
            yield row(
                model=model, task=task, unit=sample.get("sample_id"), scorer=scorer, value=number, status=status,
                filter=reduction.get("reducer") or "", answer=sample.get("answer"),
            )  # fmt: skip


def _missing(
    about: dict[str, Any], samples: list[dict[str, Any]], scorers: dict[str, list[str]], model: Any, task: Any
) -> Iterator[Row]:
    """Return rows for samples that were planned and are not in the log, where it names the planned ones."""
    epochs = mapping(about.get("config")).get("epochs") or 1
    seen = {(cell(s["id"]), cell(s.get("epoch", 1))) for s in samples}
    for unit in sequence(mapping(about.get("dataset")).get("sample_ids")):
        for epoch in range(1, epochs + 1 if isinstance(epochs, int) else 2):
            if (cell(unit), cell(epoch)) not in seen:
                for name, parts in scorers.items():
                    for scorer in [f"{name}/{part}" for part in parts] or [name]:
                        yield row(
                            model=model, task=task, unit=unit, epoch=epoch, scorer=scorer, value=None, status="missing"
                        )


def _notes(samples: list[dict[str, Any]], found: list[Row]) -> Iterator[str]:
    failed = sum(1 for s in samples if s.get("error") and scores_of(s))
    if failed:
        yield f"{count(failed, 'sample')} ended in an error and have a score all the same: the harness counts it"
    limited = sum(1 for s in samples if s.get("limit"))
    if limited:
        yield f"{count(limited, 'sample')} stopped at a limit (of tokens, time or messages); their scores count"
    odd = sorted({str(r["scorer"]) for r in found if r["status"] == "unparsed"})
    if odd:
        yield f"values that are no numbers count as 0.0 in Inspect's own metrics, and are left out here: {odd}"
