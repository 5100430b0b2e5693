"""Wide label tables of ADA-Met: one row a rule of thumb, one column a rater or model; and its released folder.

Labels are A to E (agreement of people that is anticipated, from almost nobody to almost everybody, 0 to 4) and F for a
refusal or an answer that is none. Which columns hold labels is told by their values.

In the folder ``parsed_agree.csv`` has no rule: its rows are those of ``rot_list.csv``. People's answers (``rot``,
``rot-agree`` from 0 to 4, a worker) are joined by the rule's text, as are areas.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from socialstats.claims.types import Log, Status
from socialstats.errors import InputError, NothingToAnalyse
from socialstats.tables import read_table
from socialstats.text import count, listing
from socialstats_collect.readers.files import Source, head_of, inside, look
from socialstats_collect.readers.tabular import (
    Row,
    cell,
    column,
    frame,
    label,
    natural,
    row,
    status_notes,
    without_long,
)

NAME = "ada-met"
NEEDS = "a csv with a column 'rot' or 'rot_id' and several columns of labels A to F, or its released folder (ADA-Met)"
FEWEST = 5  # people of whom ordinal-alignment takes a mode
CODES = {letter: float(code) for code, letter in enumerate("ABCDE")}
REFUSAL = "F"
EMPTY = ("", "NA", "N/A", "nan", "None")
SHARE = 0.5
RULES = {"rot", "rot_id", "rot-id"}
ANSWER = re.compile(r"\(?([A-F])(?:[).:].*)?", re.DOTALL)
BY_PLACE = "answers of models name no rule: row k of parsed_agree.csv is taken for rule k of rot_list.csv"
PARSED, LISTED, AREAS, SUMS = (
    "parsed_agree.csv",
    "rot_list.csv",
    "rot_area_mapping.csv",
    "areawise_distances_per_model.csv",
)
NAMED = re.compile(r".*output-(?P<prompt>.+)_label_(?P<model>.+?)(?:_\d+)?")
PERSON = re.compile(
    r"(?i)(human|person|people|annotator|participant|worker|crowd|subject|rater|[hpwar](?=[\W_]*\d)).*|\d+"
)
WORKER, AGREE = ("rot-worker-id", "worker-id", "worker_id", "worker"), "rot-agree"
IDS = ("rot_id", "rot-id", "id", "rot", "unit")


def recognises(source: Source) -> bool:
    """Tell whether this is a wide table of labels: each rule (of a prompt) in one row, several columns of labels."""
    if source.kind == "folder":
        return all(_file(source, name) for name in (PARSED, LISTED))
    if source.kind not in ("text", "list", "lines") or not _names(source) & RULES:
        return False
    try:
        columns = _columns(source)
    except (InputError, NothingToAnalyse):
        return False
    key = _key(columns)
    if key is None or len(_labels(columns)) < 2:
        return False
    places = list(zip(columns[key], _prompts(columns), strict=True))
    return len(set(places)) == len(places)


def _names(source: Source) -> set[str]:
    """Return the names of the columns, in small letters, from the first look or the first line."""
    if source.kind != "text":
        return {name.strip().lower() for name in source.first}
    line = head_of(source.path, 1 << 16).decode("utf-8-sig", "replace").partition("\n")[0]
    return {name.strip(' "\r').lower() for name in line.replace("\t", ",").replace(";", ",").split(",")}


def _key(columns: Mapping[str, list[str | None]]) -> str | None:
    """Return the column that names the rules: their number before their text."""
    return next((name for wanted in IDS for name in columns if name.strip().lower() == wanted), None)


def _prompts(columns: Mapping[str, list[str | None]]) -> list[str]:
    """Return the prompt of each row, where there is such a column."""
    held = next((values for name, values in columns.items() if name.strip().lower() == "prompt"), None)
    return [value or "" for value in held] if held else [""] * len(next(iter(columns.values())))


def _columns(source: Source) -> dict[str, list[str | None]]:
    native: Any = read_table(source.path).frame
    return {str(name): [label(v) for v in values] for name, values in native.to_dict(as_series=False).items()}


def _letter(text: str | None) -> str:
    """Return the letter of an answer (``A``, ``(B)``, ``C. some people``), or its text.

    Examples
    --------
    >>> _letter("A"), _letter("(B)"), _letter("C. some"), _letter("Anyone")
    ('A', 'B', 'C', 'Anyone')
    """
    said = (text or "").strip()
    match = ANSWER.fullmatch(said)
    return match[1] if match else said


def _labels(columns: Mapping[str, list[str | None]]) -> list[str]:
    """Name the columns whose values are mostly labels."""
    found = []
    for name, values in columns.items():
        held = [letter for letter in map(_letter, values) if letter not in EMPTY]
        if held and sum(letter in CODES or letter == REFUSAL for letter in held) >= SHARE * len(held):
            found.append(name)
    return found


def read(source: Source) -> Log:
    """Read a wide table: a row a rule and rater, with the label as answer and its place from 0 to 4 as value."""
    if source.kind == "folder":
        rows = [*_models(source), *_people(source)]
        return Log(harness=NAME, files=(source.path.name,), rows=frame(rows), notes=(BY_PLACE, *_notes(rows)))
    columns = _columns(source)
    labels, key = _labels(columns), _key(columns)
    if key is None or not labels:
        raise InputError(f"{source.path.name}: no column of rules (rot_id, rot) or none of labels A to F")
    rows = list(_rows(columns, labels, key))
    kept, long = without_long(rows)
    return Log(harness=NAME, files=(source.path.name,), rows=frame(kept), notes=(*_notes(rows), *long))


def _rows(columns: dict[str, list[str | None]], labels: list[str], key: str) -> Iterator[Row]:
    rest = [name for name in columns if name not in labels and name != key]
    prompts = _prompts(columns)
    for k, unit in enumerate(columns[key]):
        metadata = {column(name): cell(columns[name][k]) for name in rest}
        for rater in labels:
            who = "human" if PERSON.fullmatch(rater) else "model"
            yield _answer(rater, who, unit, columns[rater][k], prompts[k], metadata)


def _answer(rater: str, who: str, unit: Any, said: str | None, prompt: str, metadata: Row) -> Row:
    letter = _letter(said)
    status: Status = (
        "ok" if letter in CODES else "refusal" if letter == REFUSAL else "missing" if letter in EMPTY else "unparsed"
    )
    return row(
        model=rater, task="ada-met", unit=unit, scorer="label", filter=prompt, value=CODES.get(letter), status=status,
        answer=letter or None, metadata={**metadata, "prompt": prompt or None, "rater": rater, "source": who},
    )  # fmt: skip


def _file(source: Source, ending: str) -> str | None:
    """Return the file of a folder that is called so."""
    return next((name for name in source.names if name.rsplit("/", 1)[-1].lower() == ending), None)


def _held(source: Source, ending: str) -> dict[str, list[str | None]]:
    """Return the columns of a file of the folder; none where there is no such file."""
    name = _file(source, ending)
    return {} if name is None else _columns(Source(path=inside(source.path, name), kind="text"))


def _rules(source: Source) -> list[tuple[str, str | None]]:
    """Return text and area of each rule in the order of the list."""
    areas = _held(source, AREAS)
    of = dict(zip(areas.get("rot", ()), areas.get("area", ()), strict=True))
    return [(str(rule), of.get(rule)) for rule in _held(source, LISTED)["rot"]]


def _models(source: Source) -> Iterator[Row]:
    rules, parsed = _rules(source), _held(source, PARSED)
    for name, labels in parsed.items():
        found = NAMED.fullmatch(name)
        if found and len(labels) != len(rules):
            raise InputError(
                f"{PARSED}: {len(labels)} rows, and {len(rules)} rules in {LISTED}: rows cannot be matched"
            )
        for k, said in enumerate(labels if found else ()):
            assert found is not None
            metadata = {"area": rules[k][1], "rot": cell(rules[k][0])}
            yield _answer(found["model"], "model", str(k), said, found["prompt"], metadata)


def _people(source: Source) -> Iterator[Row]:
    number = {rule: (str(k), area) for k, (rule, area) in enumerate(_rules(source))}
    for file in (name for name in source.names if "human" in name.lower() and name.lower().endswith((".csv", ".tsv"))):
        columns = _columns(Source(path=inside(source.path, file), kind="text"))
        worker = next((name for name in WORKER if name in columns), None)
        if worker is None or not {"rot", AGREE} <= set(columns):
            continue
        for rule, who, said in zip(columns["rot"], columns[worker], columns[AGREE], strict=True):
            unit, area = number.get(str(rule), (None, None))
            letter = "ABCDE"[int(said)] if said in tuple("01234") else said
            if unit is not None:
                yield _answer(f"person {who}", "human", unit, letter, "", {"area": area, "rot": cell(rule)})


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
    answers = [
        {"model": r["model"], "prompt": r["prompt"], "rot_id": r["unit"],
         "answer_code": "" if r["value"] is None else f"{r['value']:g}"}
        for r in _models(source)
    ]  # fmt: skip
    sums = _held(source, SUMS)
    areas = [name for name in sums if name in {area for _, area in _rules(source)}]
    distances = [
        {"model": found["model"], "prompt": found["prompt"], "area": area, "distance_sum": sums[area][k]}
        for area in areas for k, name in enumerate(next(iter(sums.values())))
        if (found := NAMED.fullmatch(name or ""))
    ]  # fmt: skip
    rots = [{"rot_id": str(k), "rot": rule, "area": area} for k, (rule, area) in enumerate(_rules(source))]
    return {"adamet_published_distance_sums": distances, "adamet_llm_answers": answers, "adamet_rots": rots}


def _notes(rows: list[Row]) -> Iterator[str]:
    raters = {str(r["rater"]): r["source"] for r in rows}
    people = [rater for rater, who in raters.items() if who == "human"]
    models = sorted(set(raters) - set(people), key=natural)
    yield f"{count(len(models), 'model')} ({listing(models, most=6)}), {count(len(people), 'person', 'people')}"
    yield from status_notes(rows)
    yield "rows are joined to other tables by the rule's own id, never by position: orders of such files differ"
    yield f"the converted table is read by: socialstats report TABLE{_options(rows, people, models)}"


def _options(rows: list[Row], people: list[str], models: list[str]) -> str:
    """Return the options that read the table; people answer one prompt, so that the others are left out."""
    prompts = list(dict.fromkeys(str(r["prompt"]) for r in rows if r["prompt"]))
    said = " --map unit=unit --map rater=rater --map value=answer --levels A,B,C,D,E --refusal F"
    if len(people) >= FEWEST and models:
        said = f" --study ordinal-alignment{said} --map rater_source=source"
        said += "".join(f" --exclude {shlex.quote(f'prompt={prompt}')}" for prompt in prompts[1:])
    elif len(prompts) > 1:
        said += " --by prompt"
    if sum(bool(r.get("area")) for r in rows):
        said += " --strata area"
    return said + " --exclude status=unparsed" * any(r["status"] == "unparsed" for r in rows)
