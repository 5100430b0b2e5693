"""The run file: what is asked, of whom, with which parameters and limits. Read and checked before any call."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, get_type_hints
from urllib.parse import urlsplit

from socialstats.errors import InputError, Problem
from socialstats.tables.sources import small_file
from socialstats.tables.toml_files import Allowed
from socialstats.text import meant
from socialstats_collect.checks import OPENAI, check_values, refuse, refuse_keys, seconds
from socialstats_collect.declared import check_run, run_values
from socialstats_collect.design import Item, RunDesign
from socialstats_collect.items import read_items
from socialstats_collect.protocols import protocol_class
from socialstats_collect.protocols.base import CollectionProtocol, Settings, fields, require
from socialstats_collect.secrets import cleaned, host_of, is_here

ORDERS = ("balanced", "random", "all", "fixed")


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
    "input": "Write 0 where it is free: max_cost would count none.",
    "output": "Write 0 where it is free: max_cost would count none.",
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


def read_runfile(
    path: Path, base_url: str | None = None, default_url: str | None = None
) -> RunFile:
    """Return a run file with its items, or say everything that is wrong with it.

    Parameters
    ----------
    path : Path
    base_url : str, optional
        Address at which all models are asked, whatever the file says.
    default_url : str, optional
        Address of the endpoint, where neither names one.

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
    run = run_values(path)
    values = run.values
    address, table = base_url or default_url, values.get("endpoint", {})
    if address and isinstance(table, dict):
        values = {**values, "endpoint": {"base_url": address, **table}}
    check_values(values, KEYS, NEEDED, source)
    endpoint = Endpoint(**values["endpoint"])
    endpoints = {name: Endpoint(**table) for name, table in values.get("endpoints", {}).items()}
    variables = [used.key_env for used in (endpoint, *endpoints.values())]
    refuse_keys(variables, {"the run file": run.text}, source)
    if base_url:
        endpoint, endpoints = replace(endpoint, base_url=base_url), {}
    protocol = _protocol(values, run.folder, source)
    settings = protocol.settings
    items = read_items(run.folder / str(values["items"]), id_column=values.get("id"))
    items_file = Path(values["items"]).name
    _check_columns(protocol, items, values, source)
    cells = [cell for item in items for cell in (item.id, *item.columns.values())]
    sent = {
        items_file: "\n".join([*items[0].columns, *cells]),
        "the texts": "\n".join(settings.texts.values()),
    }
    refuse_keys(variables, sent, source)
    factors = _factors(values, protocol, source)
    models = list(dict.fromkeys([*factors["model"], *settings.judges]))
    refuse(_unasked_models(values, models), source)
    design = RunDesign(
        protocol=protocol,
        items=items,
        factors=factors,
        **_present(values, "order", "replicates", "seed"),
        source=items_file,
        run_file=source,
        hosts={model: host_of(endpoints.get(model, endpoint).base_url) for model in models},
    )
    if run.study is not None:
        check_run(run.study, design)
    limits = dict(values.get("limits", {}))
    if "patience" in limits:
        limits["patience"] = seconds(limits["patience"])
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


def _protocol(values: Mapping[str, Any], folder: Path, source: str) -> CollectionProtocol:
    """Return the protocol of a run file, with what the file sets for it."""
    table, judges = values["protocol"], values.get("judges", {})
    options = {"name": table} if isinstance(table, str) else dict(table)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise fault(source, "[protocol] has no name", 'Add name = "template".')
    kind = protocol_class(name)
    for key in options:
        if key not in kind.takes:
            keys = ["name", *kind.takes]
            fix = meant(key, keys) or f"There are: {', '.join(keys)}."
            raise fault(source, f"protocol '{name}' takes no key '{key}'", fix)
    settings = Settings(
        texts=_texts(values, folder, source),
        **_present(values, "system", "parameters"),
        judges=tuple(str(model) for model in judges.get("models", ())),
        judge_parameters=judges.get("parameters", values.get("parameters", {})),
        options=options,
    )
    try:
        return kind(settings)
    except InputError as error:
        refuse(error.problems, source)
        raise


def _unasked_models(values: Mapping[str, Any], models: Sequence[str]) -> Iterator[Problem]:
    """Yield endpoints and prices of a model that is not asked: its name may be misspelt."""
    for table in ("endpoints", "prices"):
        for name in values.get(table, {}):
            if name not in models:
                fix = meant(name, models).strip() or "Take it out, or add the model to [factors]."
                yield Problem(message=f"{table}.{name}: no such model is asked", fix=fix)


def _present(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


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
    texts = {}
    try:
        for file in sorted(folder.iterdir()):
            if file.name.startswith("."):
                continue
            if file.suffix != ".txt":
                fix = "Texts are files NAME.txt; keep others elsewhere."
                raise fault(place, f"'{file.name}' is no text", fix)
            text = small_file(file).decode("utf-8-sig")
            texts[file.stem] = text.replace("\r\n", "\n").removesuffix("\n")
    except UnicodeDecodeError:
        raise fault(place, f"{file.name} is not UTF-8") from None
    except (OSError, ValueError) as error:  # a NUL in a name is a ValueError
        if isinstance(error, InputError):
            raise
        raise fault(place, f"{name}: {getattr(error, 'strerror', error)}") from None
    return texts


def _factors(
    values: Mapping[str, Any], protocol: CollectionProtocol, source: str
) -> dict[str, list[str]]:
    """Return the protocol's factors with their usual levels, then what the run file says."""
    factors = {"model": [], **protocol.factors, **values.get("factors", {})}
    levels = {
        name: list(several) if isinstance(several, list | tuple) else [several]
        for name, several in factors.items()
    }
    refuse(
        [
            problem
            for name, several in levels.items()
            for problem in _wrong_levels(name, several, protocol.known.get(name))
        ],
        source,
    )
    return {name: [str(level) for level in several] for name, several in levels.items()}


def _wrong_levels(
    name: str, levels: Sequence[Any], allowed: Sequence[str] | None
) -> Iterator[Problem]:
    """Yield what is wrong with the levels of a factor."""
    texts = [str(level) for level in levels]
    if name == "model" and not levels:
        yield Problem(message="no model", fix='Add [factors] model = ["name"].')
    elif len({*texts}) < max(1, len(texts)):
        yield Problem(message=f"factors.{name} has no levels or repeats one: {texts}")
    nameless = "" in levels and name == "model"
    if nameless or any(isinstance(level, dict | list) for level in levels):
        yield Problem(message=f"factors.{name} has a level that is no name: {levels}")
    unknown = [text for text in texts if text not in (allowed or texts)]
    if unknown:
        fix = f"There are: {', '.join(allowed or ())}."
        yield Problem(message=f"factors.{name}: unknown {', '.join(unknown)}", fix=fix)


def _check_columns(
    protocol: CollectionProtocol, items: Sequence[Item], values: Mapping[str, Any], source: str
) -> None:
    """Raise where a column that the protocol or a text of it names is neither a column nor a factor."""
    factors, system = values.get("factors", {}), protocol.settings.system
    there = [*items[0].columns, *factors, *protocol.factors, "model", "item_id"]
    needed = " ".join(f"{{{name}}}" for name in protocol.columns)
    templates = {f"protocol {protocol.name}": (needed, there), "system": (system, there)}
    for name, text in protocol.texts.items():
        provided = protocol.names(name)
        if provided is not None:
            templates[f"text {name}"] = (text, [*there, *provided])
    used = {"model", *protocol.factors}
    for place, (text, names) in templates.items():
        require(text, names, source=f"{source}, {place}")
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
