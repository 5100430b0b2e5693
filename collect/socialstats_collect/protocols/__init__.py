"""The ways of asking, by name."""

from __future__ import annotations

from collections.abc import Mapping

from socialstats.errors import InputError
from socialstats.text import unknown
from socialstats_collect.protocols.base import CollectionProtocol
from socialstats_collect.protocols.norms import Norms
from socialstats_collect.protocols.roles import RoleChoice
from socialstats_collect.protocols.shares import Shares
from socialstats_collect.protocols.template import Template
from socialstats_collect.protocols.values import Values
from socialstats_collect.protocols.who import Who

PROTOCOLS: Mapping[str, type[CollectionProtocol]] = {
    protocol.name: protocol for protocol in (Template, RoleChoice, Norms, Who, Shares, Values)
}


def protocol_class(name: str) -> type[CollectionProtocol]:
    """Return a protocol by its name.

    Raises
    ------
    InputError
        For an unknown name, with those there are.
    """
    if name not in PROTOCOLS:
        raise InputError(unknown("protocol", name, PROTOCOLS))
    return PROTOCOLS[name]
