"""Wide label tables of ADA-Met: one row per rule of thumb, one column per rater or model; and its released folder.

Labels are A to E (anticipated agreement of people, from almost none to almost all, 0 to 4) and F for a refusal or an
answer that is none. Which columns hold labels is told by their values.

In the folder ``parsed_agree.csv`` has no rule: its rows are those of ``rot_list.csv``. People's answers (``rot``,
``rot-agree`` from 0 to 4, a worker) are joined by the rule's text, as are areas.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from socialstats.errors import InputError
from socialstats.harness_logs.files import Source, inside, look
from socialstats.harness_logs.log import Log, Status, StudyReading
from socialstats.harness_logs.tables import (
    NOTHING,
    PERSON,
    Columns,
    columns_in,
    columns_of,
    header,
    mostly,
    named,
    records,
)
from socialstats.harness_logs.tabular import Row, log_of, natural, row
from socialstats.text import count, listing

NEEDS = "a csv with a column 'rot' or 'rot_id' and several columns of labels A to F, or its released folder (ADA-Met)"
FEWEST = 5  # people of whom ordinal-alignment takes a mode
LETTERS, REFUSAL = "ABCDE", "F"
UNUSABLE: dict[str, Status] = {REFUSAL: "refusal", **dict.fromkeys(NOTHING, "missing")}
ANSWER = re.compile(r"\(?([A-F])(?:[).:].*)?", re.DOTALL)
BY_PLACE = (
    "answers of models name no rule: row k of parsed_agree.csv is taken for rule k of rot_list.csv"
)
PARSED, LISTED, AREAS = "parsed_agree.csv", "rot_list.csv", "rot_area_mapping.csv"
SUMS = "areawise_distances_per_model.csv"
NAMED = re.compile(r".*output-(?P<prompt>.+)_label_(?P<model>.+?)(?:_\d+)?")
WORKER, AGREE = ("rotworkerid", "workerid", "worker"), "rot-agree"
IDS = ("rotid", "id", "rot", "unit")


def recognises(source: Source) -> bool:
    """Return whether this is a wide table of labels: each rule (of a prompt) in one row, several columns of labels."""
    if source.kind == "folder":
        return all(_file(source, name) for name in (PARSED, LISTED))
    if named(header(source), "rot", "rotid") is None:
        return False
    columns = columns_in(source.path)
    key, prompt = named(columns, *IDS) or "", named(columns, "prompt") or ""
    places = [(record[key], record.get(prompt)) for record in records(columns)]
    return len(columns_of_labels(columns)) > 1 and len(set(places)) == len(places)


def read(source: Source) -> Log:
    """Read a wide table: one row per rule and rater, with the label as answer and its place from 0 to 4 as value."""
    if source.kind == "folder":
        rows = [*_models(source), *_people(source)]
        return log_of(__name__, source, rows, notes=(BY_PLACE, *rater_notes(rows)))
    columns = columns_of(source.path)
    labels, key, prompt = (
        columns_of_labels(columns),
        named(columns, *IDS) or "",
        named(columns, "prompt") or "",
    )
    rows = []
    for record in records(columns):
        about = {name: text for name, text in record.items() if name not in (*labels, key)}
        which = (record[key], record.get(prompt) or "", about)
        rows += [
            _answer(rater, bool(PERSON.fullmatch(rater)), record[rater], *which) for rater in labels
        ]
    return log_of(__name__, source, rows, notes=rater_notes(rows))


def columns_of_labels(columns: Columns) -> list[str]:
    """Name the columns whose values are mostly labels."""
    return mostly(columns, lambda text: _letter(text) in (*LETTERS, REFUSAL))


def _letter(text: str | None) -> str:
    """Return the letter of an answer (``A``, ``(B)``, ``C. some people``), or its text.

    Examples
    --------
    >>> _letter("A"), _letter("(B)"), _letter("C. some"), _letter("Anyone")
    ('A', 'B', 'C', 'Anyone')
    """
    answer = (text or "").strip()
    match = ANSWER.fullmatch(answer)
    return match[1] if match else answer


def _answer(
    rater: str, human: bool, text: str | None, unit: str | None, prompt: str, about: Row
) -> Row:
    letter = _letter(text)
    ok = letter in (*LETTERS,)
    return row(
        model=rater,
        task="ada-met",
        unit=unit,
        scorer="label",
        filter=prompt,
        answer=letter or None,
        score=(float(LETTERS.index(letter)), "ok")
        if ok
        else (None, UNUSABLE.get(letter, "unparsed")),
        metadata={
            **about,
            "prompt": prompt or None,
            "rater": rater,
            "source": "human" if human else "model",
        },
    )


def _file(source: Source, ending: str) -> str | None:
    """Return the file of a folder that is called so."""
    return next((name for name in source.names if name.rsplit("/", 1)[-1].lower() == ending), None)


def _held(source: Source, ending: str) -> Columns:
    """Return the columns of a file of the folder; none where there is no such file."""
    name = _file(source, ending)
    return {} if name is None else columns_of(inside(source.path, name))


def _rules(source: Source) -> dict[str, Row]:
    """Return number, text and area of each rule in the order of the list."""
    areas = _held(source, AREAS)
    of = dict(zip(areas.get("rot", ()), areas.get("area", ()), strict=True))
    return {
        str(k): {"area": of.get(rule), "rot": rule}
        for k, rule in enumerate(_held(source, LISTED)["rot"])
    }


def _models(source: Source) -> Iterator[Row]:
    rules = _rules(source)
    for name, labels in _held(source, PARSED).items():
        match = NAMED.fullmatch(name)
        if not match:
            continue
        if len(labels) != len(rules):
            message = (
                f"{len(labels)} rows, and {len(rules)} rules in {LISTED}: rows cannot be matched"
            )
            raise InputError(f"{PARSED}: {message}. Copy both files of one release")
        for (unit, about), text in zip(rules.items(), labels, strict=True):
            yield _answer(match["model"], False, text, unit, match["prompt"], about)


def _people(source: Source) -> Iterator[Row]:
    rules = {about["rot"]: (unit, about) for unit, about in _rules(source).items()}
    for file in source.names:
        if "human" not in file.lower() or not file.lower().endswith((".csv", ".tsv")):
            continue
        columns = columns_of(inside(source.path, file))
        worker = named(columns, *WORKER)
        for record in records(columns) if worker and {"rot", AGREE} <= {*columns} else ():
            text, worker_id = record[AGREE] or "", record[worker or ""]
            letter = dict(zip("01234", LETTERS, strict=True)).get(text, text)
            if record["rot"] in rules:
                unit, about = rules[record["rot"]]
                yield _answer(f"person {worker_id}", True, letter, unit, "", about)


def tables_of(folder: Path) -> dict[str, list[Row]]:
    """Return the tables of the released folder that `socialstats audit --example 003` reads, by their names.

    Raises
    ------
    InputError
        If the folder lacks one of the files.
    """
    source = look(folder)
    lacking = [name for name in (PARSED, LISTED, AREAS, SUMS) if _file(source, name) is None]
    if lacking:
        raise InputError(f"{folder.name}: no {listing(lacking)} in this folder")
    rules, sums = _rules(source), list(records(_held(source, SUMS)))
    answers = [
        {
            "model": r["model"],
            "prompt": r["prompt"],
            "rot_id": r["unit"],
            "area": rules[str(r["unit"])]["area"],
            "answer_code": "" if r["value"] is None else f"{r['value']:g}",
        }
        for r in _models(source)
    ]
    areas = {about["area"] for about in rules.values()}
    distances = [
        {
            "model": match["model"],
            "prompt": match["prompt"],
            "area": area,
            "distance_sum": record[area],
        }
        for area in sums[0]
        if area in areas
        for record in sums
        if (match := NAMED.fullmatch(next(iter(record.values())) or ""))
    ]
    rots = [
        {"rot_id": unit, "rot": about["rot"], "area": about["area"]}
        for unit, about in rules.items()
    ]
    return {
        "adamet_published_distance_sums": distances,
        "adamet_llm_answers": answers,
        "adamet_rots": rots,
    }


def rater_notes(rows: list[Row]) -> Iterator[str | StudyReading]:
    """Yield how many models and people there are, how rows are joined, and how a study reads them."""
    people = {r["rater"]: None for r in rows if r["source"] == "human"}
    models = sorted({r["rater"] for r in rows} - {*people}, key=natural)
    yield f"{count(len(models), 'model')} ({listing(models, most=6)}), {count(len(people), 'person', 'people')}"
    yield "rows are joined to other tables by the rule's own id, never by position: orders of such files differ"
    yield StudyReading(options=tuple(shlex.split(reading_options(rows, len(people), len(models)))))


def reading_options(rows: list[Row], people: int, models: int) -> str:
    """Return the options that read the table; people answer one prompt, so that the others are left out."""
    prompts = list(dict.fromkeys(str(r["prompt"]) for r in rows if r["prompt"]))
    options = " --map unit=unit --map rater=rater --map value=answer --levels A,B,C,D,E --refusal F"
    if people >= FEWEST and models:
        options = f" --study ordinal-alignment{options} --map rater_source=source"
        options += "".join(
            f" --exclude {shlex.quote(f'prompt={prompt}')}" for prompt in prompts[1:]
        )
    elif len(prompts) > 1:
        options += " --by prompt"
    options += " --strata area" * any(r.get("area") for r in rows)
    return options + " --exclude status=unparsed" * any(r["status"] == "unparsed" for r in rows)
