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


def read_runfile(path: Path) -> RunFile:
    """Return a run file with its items, or say everything that is wrong with it.

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
    text = _text(path, path.name)
    values = toml_of(text.encode(), path.name)
    study = declared_study(path) if is_study(values) else None
    folder = path.parent
    if study is not None:
        run = study_run(path)
        values, folder, text = run.values, run.folder, run.text
    _refuse_values(values, text, path.name)
    given, judges = values["protocol"], values.get("judges", {})
    options = {"name": given} if isinstance(given, str) else {**given}
    if not isinstance(name := options.pop("name", None), str):
        raise InputError(
            Problem(
                message="[protocol] has no name", source=path.name, fix='Add name = "template".'
            )
        )
    settings = Settings(
        texts=_texts(values, folder, path.name),
        **_given(values, "system", "parameters"),
        judges=tuple(str(model) for model in judges.get("models", ())),
        judge_parameters=judges.get("parameters", values.get("parameters", {})),
        options=options,
    )
    if unknown := [one for one in options if one not in protocol_class(name).takes]:
        known = ["name", *protocol_class(name).takes]
        fix = meant(unknown[0], known) or f"There are: {', '.join(known)}."
        raise InputError(
            Problem(
                message=f"protocol '{name}' takes no key '{unknown[0]}'", source=path.name, fix=fix
            )
        )
    try:
        protocol = protocol_class(name)(settings)
    except InputError as error:
        raise InputError(
            [
                replace(one, source=f"{path.name}, {one.source}" if one.source else path.name)
                for one in error.problems
            ]
        ) from None
    items = read_items(folder / str(values["items"]), id_column=values.get("id"))
    _columns(protocol, settings, items, values, path.name)
    _no_keys(values, items, settings)
    factors = _factors(values, protocol, path.name)
    endpoint = Endpoint(**values["endpoint"])
    endpoints = {str(model): Endpoint(**one) for model, one in values.get("endpoints", {}).items()}
    _models(values, [*factors["model"], *settings.judges], path.name)
    limits = {"patience": "30 min", **values.get("limits", {})}
    limits["patience"] = _seconds(limits["patience"], path.name)
    addresses = {
        model: endpoints.get(model, endpoint).base_url
        for model in [*factors["model"], *settings.judges]
    }
    hosts = {model: host_of(address) for model, address in addresses.items()}
    design = RunDesign(
        protocol=protocol,
        items=items,
        factors=factors,
        **_given(values, "order", "replicates", "seed"),
        source=Path(values["items"]).name,
        run_file=path.name,
        hosts=hosts,
    )
    if study is not None:
        check_run(study, design)
    return RunFile(
        design=design,
        endpoint=endpoint,
        endpoints=endpoints,
        limits=Limits(**limits),
        **_given(values, "prices", "raw"),
    )


def _models(values: Mapping[str, Any], models: Sequence[str], source: str) -> None:
    """Raise where an endpoint, or prices, are those of a model that is not asked: its name may be misspelt."""
    for table in ("endpoints", "prices"):
        if unknown := [name for name in values.get(table, {}) if name not in models]:
            fix = meant(unknown[0], models).strip() or "Take it out, or add the model to [factors]."
            raise InputError(
                Problem(
                    message=f"{table}.{unknown[0]}: no such model is asked", source=source, fix=fix
                )
            )


def _given(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _seconds(value: str | float, source: str) -> float:
    found = SPAN.fullmatch(str(value))
    if found is None or not amount(float(found[1])):
        fix = 'Write "90 s", "30 min" or "8 h".'
        raise InputError(
            Problem(
                message=f"limits.patience = {value!r} is no span of time", source=source, fix=fix
            )
        )
    return float(found[1]) * SECONDS[(found[2] or "s")[0]]


def _refuse_values(values: Mapping[str, Any], text: str, source: str) -> None:
    """Refuse unknown and mistyped keys, amounts and addresses that are none, and keys of endpoints in the file."""
    problems = list(_keys({name: table for name, table in values.items() if name not in FREE}))
    problems = problems or list(wrong_keys(values, KEYS, needed=NEEDED))
    problems = problems or [*_amounts(values), *_addresses(values), *_secrets(values, text)]
    problems = problems or [
        *_no_json({name: values[name] for name in values if name not in ("limits", "prices")})
    ]
    if problems:
        raise InputError([replace(problem, source=source) for problem in problems])


def _keys(values: dict[str, Any] | list[Any], where: str = "") -> Iterator[Problem]:
    """Yield the places at which a run file has a key, at any depth."""
    for place, value in values.items() if isinstance(values, dict) else enumerate(values, 1):
        name, plain = f"{where}{place}", re.sub("[-_]", "", str(place)).lower()
        if KEY_NAME.fullmatch(plain) and (isinstance(value, str) or plain.endswith("headers")):
            fix = "Remove it: keys come from the environment, and key_env names the variable."
            yield Problem(message=f"'{name}' does not belong in a run file", fix=fix)
        elif isinstance(value, dict | list):
            yield from _keys(value, f"{name}.")


def _no_json(values: dict[str, Any] | list[Any], where: str = "") -> Iterator[Problem]:
    """Yield values that JSON does not have: endpoints and logs could not hold them."""
    for place, value in values.items() if isinstance(values, dict) else enumerate(values, 1):
        name = f"{where}{place}"
        if isinstance(value, dict | list):
            yield from _no_json(value, f"{name}.")
        elif isinstance(value, date | time) or (
            isinstance(value, float) and not math.isfinite(value)
        ):
            fix = "Write a date, a time, or another word in quotes."
            yield Problem(message=f"{name} = {value} is no text, and no finite number", fix=fix)


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
            price = prices.get(kind)
            if price is None:
                fix = "Write 0 where it is free."
                yield Problem(
                    message=f"prices.{model} has no {kind}, and max_cost would count none", fix=fix
                )
            elif amount(price) is None:
                message = f"prices.{model}.{kind} = {shorten(str(price))} is not a finite number of at least 0"
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
    cells = (cell for item in items for cell in (item.id, *item.columns.values()))
    held = {
        Path(values["items"]).name: "\n".join([*items[0].columns, *cells]),
        "the texts": "\n".join(settings.texts.values()),
    }
    endpoints = _endpoints(values).values()
    if problems := [
        one
        for endpoint in endpoints
        for file, text in held.items()
        for one in _with_key(endpoint, text, file)
    ]:
        raise InputError(problems)


def _texts(values: Mapping[str, Any], folder: Path, source: str) -> dict[str, str]:
    """The texts that the run file gives: a table of them, a folder with a file ``NAME.txt`` each, or one template."""
    given, place = values.get("texts", {}), f"{source}, texts"
    if isinstance(given, str):
        try:
            files = sorted(one for one in (folder / given).iterdir() if one.name[0] != ".")
        except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
            why = error.strerror if isinstance(error, OSError) else error
            raise InputError(Problem(message=f"{given}: {why}", source=place)) from None
        if others := [one.name for one in files if one.suffix != ".txt"]:
            fix = "Texts are files NAME.txt; keep others elsewhere."
            raise InputError(Problem(message=f"'{others[0]}' is no text", source=place, fix=fix))
        given = {
            one.stem: _text(one, place).replace("\r\n", "\n").removesuffix("\n") for one in files
        }
    for name, text in given.items():
        if not isinstance(text, str) or not text.strip():
            raise InputError(Problem(message=f"text '{name}' is empty, or no text", source=place))
    if values.get("template") and "prompt" in given:
        fix = "Keep one of them."
        raise InputError(
            Problem(message="both 'template' and a text 'prompt'", source=source, fix=fix)
        )
    return {"prompt": values["template"], **given} if values.get("template") else dict(given)


def _text(path: Path, source: str) -> str:
    try:
        return small_file(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(Problem(message=f"{path.name} is not UTF-8", source=source)) from None


def _factors(
    values: Mapping[str, Any], protocol: CollectionProtocol, source: str
) -> dict[str, list[str]]:
    """The protocol's factors with their usual levels, then what the run file says."""
    given = {
        name: levels if isinstance(levels, list) else [levels]
        for name, levels in values.get("factors", {}).items()
    }
    factors = {name: list(levels) for name, levels in {**protocol.factors, **given}.items()}
    problems = []
    if not factors.get("model"):
        problems.append(
            Problem(message="no model", source=source, fix='Add [factors] model = ["name"].')
        )
    for name, levels in factors.items():
        if any(
            isinstance(level, dict | list) or (level == "" and name == "model") for level in levels
        ):
            problems.append(
                Problem(
                    message=f"factors.{name} has a level that is no name: {levels}", source=source
                )
            )
        factors[name] = texts = [str(level) for level in levels]
        if len(set(texts)) < len(texts) or not texts:
            problems.append(
                Problem(
                    message=f"factors.{name} has no levels or repeats one: {texts}", source=source
                )
            )
        known = protocol.known.get(name, texts)
        if unknown := [text for text in texts if text not in known]:
            fix = f"There are: {', '.join(known)}."
            problems.append(
                Problem(
                    message=f"factors.{name}: unknown {', '.join(unknown)}", source=source, fix=fix
                )
            )
    if problems:
        raise InputError(problems)
    return {"model": factors["model"], **factors}


def _columns(
    protocol: CollectionProtocol,
    settings: Settings,
    items: Sequence[Item],
    values: Mapping[str, Any],
    source: str,
) -> None:
    """Every column that the protocol or a text of it names is there, as a column or as a factor."""
    there = [*items[0].columns, *values.get("factors", {}), *protocol.factors, "model", "item_id"]
    require(
        " ".join(f"{{{name}}}" for name in protocol.columns),
        there,
        source=f"{source}, protocol {protocol.name}",
    )
    require(settings.system, there, source=f"{source}, system")
    used = {"model", *protocol.factors, *fields(settings.system)}
    for name, text in protocol.texts.items():
        if (provided := protocol.names(name)) is not None:
            require(text, [*there, *provided], source=f"{source}, text {name}")
            used |= {*fields(text)}
    if idle := [name for name in values.get("factors", {}) if name not in used]:
        fix = f"Write {{{idle[0]}}} where its levels belong."
        raise InputError(
            Problem(message=f"no text names the factor '{idle[0]}'", source=source, fix=fix)
        )
    if protocol.unordered() and values.get("order", "balanced") != "fixed":
        fix = 'Name the options in it as the default text does (socialstats collect --new), or set order = "fixed".'
        message = (
            f"the prompt shows no options whose order could be {values.get('order', 'balanced')}"
        )
        raise InputError(Problem(message=message, source=f"{source}, text prompt", fix=fix))
