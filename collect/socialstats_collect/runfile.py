"""The run file: what is asked, of whom, with which parameters and limits. Read and checked before any call."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, time
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from socialstats.errors import InputError, Problem
from socialstats.tables.sources import small_file
from socialstats.tables.toml_files import Allowed, toml_of, wrong_keys
from socialstats.text import meant, shorten
from socialstats_collect.declared import check_run, declared_study, is_study, study_run
from socialstats_collect.design import Item, RunDesign
from socialstats_collect.items import read_items
from socialstats_collect.protocols import protocol_class
from socialstats_collect.protocols.base import CollectionProtocol, Settings, fields, require
from socialstats_collect.secrets import cleaned, host_of, is_here, remember
from socialstats_collect.tally import MOST, amount

OPENAI = "OPENAI_API_KEY"
ORDERS = ("balanced", "random", "all", "fixed")
SPAN = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(s|sec|seconds?|m|min|minutes?|h|hours?)?\s*")
SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
VARIABLE = re.compile(r"[A-Za-z_]\w{0,39}", re.ASCII)
LIKE_A_KEY = re.compile(
    r"(?=.*[a-z])(?=.*\d).{16,}"
)  # lower case and digits: rarely the name of a variable
KEY_NAME = re.compile(
    r"x?(api|access|secret)key|(proxy)?authorization|(bearer|access|auth|api)?token|bearer|(client)?secret|password|cookie"
    r"|(extra|default)?headers",
)  # names under which clients take keys, without hyphens and underscores
LONG_ENOUGH = 16  # characters of a key that stands in a text by no accident
PROXIES = ("http", "https", "socks5", "socks5h")
FREE = ("factors", "texts", "prices")  # tables whose names are the user's


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where requests go. The key is looked up in the environment when the run starts, and kept nowhere.

    Parameters
    ----------
    base_url, key_env
        The address, and the name of the variable with the key.
    proxy
        The address of a proxy; empty for none.
    trust_env
        Whether the proxies that the environment names are used, for other machines than this one.
    trust_usage
        Whether the tokens and costs that the endpoint reports are counted.
    api_version
        Of Azure's API with deployments: ``base_url`` is then the address of the resource, and models are deployments.
    """

    base_url: str
    key_env: str = OPENAI
    proxy: str = ""
    trust_env: bool = False
    trust_usage: bool = True
    api_version: str = ""

    def key(self) -> str:
        """Return the key from the environment.

        Raises
        ------
        InputError
            Where the variable is not set.
        """
        key = cleaned(os.environ.get(self.key_env, ""), self.key_env)
        if not key and not is_here(urlsplit(self.base_url).hostname):
            fix = f"Put the key there (export {self.key_env}=...); it is never written to a file."
            raise InputError(Problem(message=f"the environment has no {self.key_env}", fix=fix))
        return key


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a run may spend, in the currency of its prices, and how patient it is, in seconds."""

    max_calls: int | None = None
    max_tokens_total: int | None = None
    concurrency: int = 8
    requests_per_minute: float | None = None
    timeout: float = 120.0
    attempts: int = 5
    max_wait: float = math.inf
    max_cost: float | None = None
    patience: float = 1800.0
    max_reply_bytes: int = 16 * 2**20
    max_reply_headers: int = 200


OURS: Allowed = {
    "*": object,
    "model": "Models are levels of a factor: [factors] model = [...].",
    "messages": "Prompts come from the template or the protocol.",
    "stream": "Replies are never streamed: a cut stream looks like a whole reply. Take it out.",
    "n": [(1,), "One reply a request; to ask more than once, use replicates."],
}  # parameters that a run sets itself
ENDPOINT, ANY = get_type_hints(Endpoint), {"*": object}
KEYS: Allowed = {
    "protocol": str | dict,
    "items": str,
    "id": str,
    "template": str,
    "texts": str | dict,
    "system": str,
    "order": ORDERS,
    "replicates": int,
    "seed": int,
    "factors": ANY,
    "parameters": OURS,
    "endpoint": ENDPOINT,
    "endpoints": {"*": ENDPOINT},
    "limits": {**get_type_hints(Limits), "patience": str | float},
    "judges": {"models": list, "parameters": OURS},
    "prices": {"*": {"input": float, "output": float}},
    "raw": bool,
}
NEEDED = {
    "protocol": 'Add protocol = "template".',
    "items": 'Add items = "items.csv".',
    "endpoint": 'Add endpoint = { base_url = "..." }.',
    "base_url": 'Add base_url = "https://...".',
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFile:
    """A run file as read and checked: the design, who is asked, what may be spent; prices are of a million tokens."""

    design: RunDesign
    endpoint: Endpoint
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    raw: bool = False

    def endpoint_of(self, model: str) -> Endpoint:
        """Return the endpoint that serves a model."""
        return self.endpoints.get(model, self.endpoint)

    @property
    def models(self) -> list[str]:
        """The models that are asked, and those that judge."""
        return list(
            dict.fromkeys([*self.design.factors["model"], *self.design.protocol.settings.judges])
        )


def read_runfile(path: Path, base_url: str | None = None) -> RunFile:
    """Return a run file with its items, or say everything that is wrong with it.

    Parameters
    ----------
    path : Path
    base_url : str, optional
        Address of the endpoint, where the file names none.

    Raises
    ------
    InputError
        For unknown or mistyped keys, an unknown protocol, columns that the items lack, a prompt with a lone brace.

    Examples
    --------
    >>> read_runfile(Path("nowhere.toml"))
    Traceback (most recent call last):
    ...
    socialstats.errors.InputError: nowhere.toml: there is no such file
    """
    source = path.name
    text = _text(path, source)
    values, folder = toml_of(text.encode(), source), path.parent
    study = declared_study(path) if is_study(values) else None
    if study is not None:
        run = study_run(path)
        values, folder, text = run.values, run.folder, run.text
    if base_url is not None:
        values = {**values, "endpoint": {"base_url": base_url, **values.get("endpoint", {})}}
    _refuse_values(values, text, source)
    settings, protocol = _protocol(values, folder, source)
    items = read_items(folder / str(values["items"]), id_column=values.get("id"))
    _columns(protocol, items, values, source)
    _no_keys(values, items, settings)
    factors = _factors(values, protocol, source)
    models = list(dict.fromkeys([*factors["model"], *settings.judges]))
    _refuse_models(values, models, source)
    endpoint = Endpoint(**values["endpoint"])
    endpoints = {name: Endpoint(**table) for name, table in values.get("endpoints", {}).items()}
    hosts = {model: host_of(endpoints.get(model, endpoint).base_url) for model in models}
    design = RunDesign(
        protocol=protocol,
        items=items,
        factors=factors,
        **_present(values, "order", "replicates", "seed"),
        source=Path(values["items"]).name,
        run_file=source,
        hosts=hosts,
    )
    if study is not None:
        check_run(study, design)
    limits = {"patience": "30 min", **values.get("limits", {})}
    limits["patience"] = _seconds(limits["patience"], source)
    return RunFile(
        design=design,
        endpoint=endpoint,
        endpoints=endpoints,
        limits=Limits(**limits),
        **_present(values, "prices", "raw"),
    )


def fault(source: str, message: str, fix: str = "") -> InputError:
    """Return an error about a run file."""
    return InputError(Problem(message=message, source=source, fix=fix))


def _protocol(
    values: Mapping[str, Any], folder: Path, source: str
) -> tuple[Settings, CollectionProtocol]:
    """Return the protocol of a run file, and what the file sets for it."""
    table, judges = values["protocol"], values.get("judges", {})
    options = {"name": table} if isinstance(table, str) else {**table}
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise fault(source, "[protocol] has no name", 'Add name = "template".')
    kind = protocol_class(name)
    settings = Settings(
        texts=_texts(values, folder, source),
        **_present(values, "system", "parameters"),
        judges=tuple(str(model) for model in judges.get("models", ())),
        judge_parameters=judges.get("parameters", values.get("parameters", {})),
        options=options,
    )
    for key in options:
        if key not in kind.takes:
            keys = ["name", *kind.takes]
            fix = meant(key, keys) or f"There are: {', '.join(keys)}."
            raise fault(source, f"protocol '{name}' takes no key '{key}'", fix)
    try:
        return settings, kind(settings)
    except InputError as error:
        raise InputError([_within(source, problem) for problem in error.problems]) from None


def _within(source: str, problem: Problem) -> Problem:
    return replace(problem, source=", ".join(filter(None, (source, problem.source))))


def _refuse_models(values: Mapping[str, Any], models: Sequence[str], source: str) -> None:
    """Raise where an endpoint, or prices, are those of a model that is not asked: its name may be misspelt."""
    for table in ("endpoints", "prices"):
        for name in values.get(table, {}):
            if name not in models:
                fix = meant(name, models).strip() or "Take it out, or add the model to [factors]."
                raise fault(source, f"{table}.{name}: no such model is asked", fix)


def _present(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _seconds(value: str | float, source: str) -> float:
    span = SPAN.fullmatch(str(value))
    if span is None or not amount(float(span[1])):
        message = f"limits.patience = {value!r} is no span of time"
        raise fault(source, message, 'Write "90 s", "30 min" or "8 h".')
    return float(span[1]) * SECONDS[(span[2] or "s")[0]]


def _refuse_values(values: Mapping[str, Any], text: str, source: str) -> None:
    """Refuse unknown and mistyped keys, amounts and addresses that are none, and keys of endpoints in the file."""
    closed = {name: value for name, value in values.items() if name not in FREE}
    sent = {name: value for name, value in values.items() if name not in ("limits", "prices")}
    checks = (
        lambda: _keys(closed),
        lambda: wrong_keys(values, KEYS, needed=NEEDED),
        lambda: [*_amounts(values), *_addresses(values), *_secrets(values, text)],
        lambda: _no_json(sent),
    )
    for check in checks:
        if problems := list(check()):
            raise InputError([replace(problem, source=source) for problem in problems])


def entries(values: dict[str, Any] | list[Any], where: str = "") -> Iterator[tuple[str, str, Any]]:
    """Yield every entry of a table, at any depth: its path, its key and its value."""
    for key, value in values.items() if isinstance(values, dict) else enumerate(values, 1):
        path = f"{where}{key}"
        yield path, str(key), value
        if isinstance(value, dict | list):
            yield from entries(value, f"{path}.")


def _keys(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield the places at which a run file has a key."""
    fix = "Remove it: keys come from the environment, and key_env names the variable."
    for path, key, value in entries(values):
        name = re.sub("[-_]", "", key).lower()
        if KEY_NAME.fullmatch(name) and (isinstance(value, str) or name.endswith("headers")):
            yield Problem(message=f"'{path}' does not belong in a run file", fix=fix)


def _no_json(values: dict[str, Any]) -> Iterator[Problem]:
    """Yield values that JSON does not have: endpoints and logs could not hold them."""
    fix = "Write a date, a time, or another word in quotes."
    for path, _, value in entries(values):
        infinite = isinstance(value, float) and not math.isfinite(value)
        if infinite or isinstance(value, date | time):
            message = f"{path} = {value} is no text, and no finite number"
            yield Problem(message=message, fix=fix)


def _amounts(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield limits that are not positive, and prices that are negative or not there; all have an upper bound."""
    limits = {f"limits.{key}": value for key, value in values.get("limits", {}).items()}
    for key, value in {"replicates": values.get("replicates", 1), **limits}.items():
        if isinstance(value, int | float) and value <= 0:
            yield Problem(message=f"{key} = {value} is not positive")
        elif isinstance(value, int | float) and amount(value) is None:
            message = f"{key} = {shorten(str(value))} is not a finite number up to {MOST:.0e}"
            yield Problem(message=message, fix="Leave it out where there is none.")
    for model, prices in values.get("prices", {}).items():
        for kind in ("input", "output"):
            place, price = f"prices.{model}", prices.get(kind)
            if price is None:
                message = f"{place} has no {kind}, and max_cost would count none"
                yield Problem(message=message, fix="Write 0 where it is free.")
            elif amount(price) is None:
                shown = shorten(str(price))
                message = f"{place}.{kind} = {shown} is not a finite number of at least 0"
                yield Problem(message=message, fix=f"Write a number from 0 to {MOST:.0e}.")


def _endpoints(values: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {
        "endpoint": values["endpoint"],
        **{f"endpoints.{model}": one for model, one in values.get("endpoints", {}).items()},
    }


def _addresses(values: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield proxies that are no address, or hold a password."""
    for name, endpoint in _endpoints(values).items():
        try:
            parts = urlsplit(endpoint.get("proxy", "http://none"))
            valid = parts.scheme in PROXIES and bool(parts.hostname) and parts.port != 0
        except ValueError:
            valid, parts = False, urlsplit("")
        if not valid:
            yield Problem(
                message=f"{name}.proxy is no address", fix='Write it as proxy = "http://host:port".'
            )
        elif parts.username or parts.password:
            fix = "Put the address into the variable HTTPS_PROXY, and set trust_env = true in its place."
            yield Problem(message=f"{name}.proxy has a user or a password", fix=fix)


def _secrets(values: Mapping[str, Any], text: str) -> Iterator[Problem]:
    """Remember the keys in the environment; yield a problem where one stands in the run file, in place of its name."""
    for place, endpoint in _endpoints(values).items():
        name = endpoint.get("key_env", OPENAI)
        if not VARIABLE.fullmatch(name) or (LIKE_A_KEY.fullmatch(name) and name not in os.environ):
            remember(name)
            fix = f'It is the name of a variable, such as "{OPENAI}"; the key itself stands in the environment.'
            yield Problem(message=f"{place}.key_env is not the name of a variable", fix=fix)
            continue
        remember(os.environ.get(name, "").strip())
        yield from _with_key(endpoint, text, "the run file")


def _with_key(endpoint: Mapping[str, Any], text: str, file: str) -> Iterator[Problem]:
    """Yield a problem where the key of an endpoint stands in a text."""
    name = endpoint.get("key_env", OPENAI)
    key = os.environ.get(name, "").strip()
    if len(key) >= LONG_ENOUGH and key in text:
        yield Problem(
            message=f"the key of {name} stands in {file}", fix="Remove it, and make a new key."
        )


def _no_keys(values: Mapping[str, Any], items: Sequence[Item], settings: Settings) -> None:
    """Raise where a key stands in the items or the texts: it would be sent as words, and written to tables."""
    cells = [cell for item in items for cell in (item.id, *item.columns.values())]
    places = {
        Path(values["items"]).name: "\n".join([*items[0].columns, *cells]),
        "the texts": "\n".join(settings.texts.values()),
    }
    problems: list[Problem] = []
    for endpoint in _endpoints(values).values():
        for place, text in places.items():
            problems += _with_key(endpoint, text, place)
    if problems:
        raise InputError(problems)


def _texts(values: Mapping[str, Any], folder: Path, source: str) -> dict[str, str]:
    """The texts that the run file gives: a table of them, a folder with a file ``NAME.txt`` each, or one template."""
    texts, place = values.get("texts", {}), f"{source}, texts"
    if isinstance(texts, str):
        texts = _folder_texts(folder / texts, texts, place)
    for name, text in texts.items():
        if not isinstance(text, str) or not text.strip():
            raise fault(place, f"text '{name}' is empty, or no text")
    template = values.get("template")
    if template and "prompt" in texts:
        raise fault(source, "both 'template' and a text 'prompt'", "Keep one of them.")
    return {"prompt": template, **texts} if template else dict(texts)


def _folder_texts(folder: Path, name: str, place: str) -> dict[str, str]:
    """Return the texts in a folder, by the names of their files."""
    try:
        files = sorted(file for file in folder.iterdir() if file.name[0] != ".")
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        why = error.strerror if isinstance(error, OSError) else error
        raise fault(place, f"{name}: {why}") from None
    texts = {}
    for file in files:
        if file.suffix != ".txt":
            fix = "Texts are files NAME.txt; keep others elsewhere."
            raise fault(place, f"'{file.name}' is no text", fix)
        texts[file.stem] = _text(file, place).replace("\r\n", "\n").removesuffix("\n")
    return texts


def _text(path: Path, source: str) -> str:
    try:
        return small_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise fault(source, f"{path.name} is not UTF-8") from None


def _factors(
    values: Mapping[str, Any], protocol: CollectionProtocol, source: str
) -> dict[str, list[str]]:
    """Return the protocol's factors with their usual levels, then what the run file says."""
    factors: dict[str, list[Any]] = {"model": []}
    for name, levels in {**protocol.factors, **values.get("factors", {})}.items():
        factors[name] = (
            [levels] if isinstance(levels, str) or not isinstance(levels, Sequence) else [*levels]
        )
    problems = []
    if not factors["model"]:
        problems.append(Problem(message="no model", fix='Add [factors] model = ["name"].'))
    for name, levels in factors.items():
        if levels or name != "model":
            problems += _wrong_levels(name, levels, protocol.known.get(name))
    if problems:
        raise InputError([replace(problem, source=source) for problem in problems])
    return {name: [str(level) for level in levels] for name, levels in factors.items()}


def _wrong_levels(
    name: str, levels: Sequence[Any], known: Sequence[str] | None
) -> Iterator[Problem]:
    """Yield what is wrong with the levels of a factor."""
    texts = [str(level) for level in levels]
    nameless = "" in levels and name == "model"
    if nameless or any(isinstance(level, dict | list) for level in levels):
        yield Problem(message=f"factors.{name} has a level that is no name: {levels}")
    if len({*texts}) < max(1, len(texts)):
        yield Problem(message=f"factors.{name} has no levels or repeats one: {texts}")
    unknown = [text for text in texts if text not in (known or texts)]
    if unknown:
        fix = f"There are: {', '.join(known or ())}."
        yield Problem(message=f"factors.{name}: unknown {', '.join(unknown)}", fix=fix)


def _columns(
    protocol: CollectionProtocol, items: Sequence[Item], values: Mapping[str, Any], source: str
) -> None:
    """Raise where a column that the protocol or a text of it names is neither a column nor a factor."""
    factors, system = values.get("factors", {}), protocol.settings.system
    there = [*items[0].columns, *factors, *protocol.factors, "model", "item_id"]
    needed = " ".join(f"{{{name}}}" for name in protocol.columns)
    require(needed, there, source=f"{source}, protocol {protocol.name}")
    require(system, there, source=f"{source}, system")
    used = {"model", *protocol.factors, *fields(system)}
    for name, text in protocol.texts.items():
        provided = protocol.names(name)
        if provided is not None:
            require(text, [*there, *provided], source=f"{source}, text {name}")
            used.update(fields(text))
    for name in factors:
        if name not in used:
            fix = f"Write {{{name}}} where its levels belong."
            raise fault(source, f"no text names the factor '{name}'", fix)
    order = values.get("order", "balanced")
    if protocol.unordered() and order != "fixed":
        message = f"the prompt shows no options whose order could be {order}"
        fix = 'Name the options in it as the default text does (socialstats collect --new), or set order = "fixed".'
        raise fault(f"{source}, text prompt", message, fix)
