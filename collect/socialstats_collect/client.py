"""Sends requests by the openai client: a connection for each, no retries, and limits to what a response may hold."""

from __future__ import annotations

import asyncio
import base64
import zlib
from collections.abc import Mapping, Set
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit, urlunsplit
from urllib.request import getproxies, proxy_bypass

import httpx2
from openai import APIStatusError, AsyncAzureOpenAI, AsyncOpenAI

from socialstats.errors import InputError, Problem
from socialstats_collect.ask import Ask, Status
from socialstats_collect.replies import Outcome, response_outcome, text_of
from socialstats_collect.runfile import Endpoint, Limits
from socialstats_collect.secrets import hide, is_here, remember

HEAD_TOO_LONG = "Receive buffer too long"  # words of h11
HEAD_LIMIT = "the headers of a reply have at most 102,400 bytes, which no option changes"
# seconds to listen to a connection without TLS before the request; and once a server has spoken first
QUIET, WARY = 0.02, 0.5
# others come from the environment (OPENAI_CUSTOM_HEADERS, OPENAI_ORG_ID), or describe this machine
SENT = frozenset(
    [
        "host",
        "accept",
        "accept-encoding",
        "connection",
        "content-type",
        "content-length",
        "user-agent",
    ]
)
RECEIVED = frozenset(["content-type", "x-request-id", "retry-after", "retry-after-ms"])


class NoReply(Exception):
    """A request without a response that can be read.

    Attributes
    ----------
    outcome
        How it ended.
    """

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.status)
        self.outcome = outcome


class UnusableReply(Exception):
    """A response that breaks a limit."""


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Sends each request on a connection of its own, and reads a response as far as the limits allow.

    A response that comes late, or one too many, could not be told from the answer to the next request on a connection
    that is kept.

    Attributes
    ----------
    limits
        Of connections, and of the time, the headers and the unpacked bytes of a reply.
    headers
        Names of the headers that are sent; that of the credentials is one where there are any.
    """

    def __init__(self, limits: Limits, proxy: str, headers: Set[str]) -> None:
        pool = httpx2.Limits(max_connections=limits.concurrency, max_keepalive_connections=0)
        certificates = httpx2.create_ssl_context()
        super().__init__(verify=certificates, trust_env=False, limits=pool, proxy=proxy or None)
        self.limits, self.headers = limits, headers
        self._wary = False

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Return the response to a request, unpacked.

        Raises
        ------
        NoReply
            Where there is none, or one beyond the limits.
        """
        sent, seconds = asyncio.Event(), self.limits.timeout
        follow = partial(self._follow, request.url.scheme, sent)
        plain = httpx2.Request(
            request.method,
            request.url,
            headers=_only(request.headers, self.headers),
            stream=request.stream,
            extensions={**request.extensions, "trace": follow},
        )
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(plain)
        except Exception as error:  # whatever a connection raises: it failed, and the run goes on
            status, detail = _failure(error, seconds)
        raise NoReply(Outcome(status=status, detail=hide(detail), sent=sent.is_set()))

    async def _exchange(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        try:
            body = await self._body(response)
        finally:
            await response.aclose()
        headers = _only(response.headers, RECEIVED)  # no unit meets the cookie of another
        return httpx2.Response(response.status_code, headers=headers, content=body)

    async def _body(self, response: httpx2.Response) -> bytes:
        """Return the unpacked body of a response."""
        most, headers = self.limits.max_reply_bytes, self.limits.max_reply_headers
        there = len(response.headers.raw)
        if there > headers:
            words = f"the reply has {there:,} headers, and {headers:,} are allowed"
            raise UnusableReply(f"{words} (limits.max_reply_headers)")
        coding = response.headers.get("content-encoding", "")
        if "," in coding:
            raise UnusableReply(f"the reply is packed more than once ({coding[:200]})")
        body = bytearray()
        async for piece in response.aiter_bytes():
            body += piece
            if len(body) > most:
                words = f"the reply has more than {most:,} bytes unpacked"
                raise UnusableReply(f"{words} (limits.max_reply_bytes)")
        return bytes(body)

    async def _follow(
        self, scheme: str, sent: asyncio.Event, event: str, info: Mapping[str, Any]
    ) -> None:
        """Listen to a connection before the request, and note when the request leaves."""
        if event == "connection.connect_tcp.complete":
            await self._listen(scheme, info["return_value"])
        elif event == "http11.send_request_headers.started":
            sent.set()

    async def _listen(self, scheme: str, stream: Any) -> None:
        """Raise where bytes stand on a connection before the request: they answer another one."""
        if scheme == "http":
            await asyncio.sleep(WARY if self._wary else QUIET)
        if stream.get_extra_info("is_readable"):
            self._wary = True
            await stream.aclose()
            words = "the server spoke, or closed the connection, before the request was sent"
            raise ConnectionError(words)


def _failure(error: Exception, seconds: float) -> tuple[Status, dict[str, str]]:
    """Return the status and the detail of a request without a reply that can be used."""
    words = str(error) or type(error).__name__
    match error:
        case TimeoutError():
            return "timeout", {
                "error_message": f"no whole reply within {seconds:g} s (limits.timeout)"
            }
        case UnusableReply():
            return "malformed", {"error_message": words}
        case httpx2.DecodingError():
            return "malformed", {"error_message": f"cannot be unpacked: {words}"}
    detail = {"error_type": type(error).__name__, "error_message": words}
    if HEAD_TOO_LONG in words:
        return "malformed", detail | {"error_message": f"{words}: {HEAD_LIMIT}"}
    return "connection", detail


def _only(headers: httpx2.Headers, names: Set[str]) -> httpx2.Headers:
    return httpx2.Headers([pair for pair in headers.multi_items() if pair[0].lower() in names])


def client_of(endpoint: Endpoint, key: str, limits: Limits) -> AsyncOpenAI:
    """Return the openai client of an endpoint; it never retries, and follows no redirect.

    Parameters
    ----------
    endpoint
        Where to, and through which proxy. A user and password in its address are sent as such where there is no key.
    key
        Sent as ``Authorization``, or by Azure's client as ``api-key``.
    limits
        At most so many connections at a time, and what a reply may hold.

    Raises
    ------
    InputError
        For a proxy or certificates that cannot be used.
    """
    parts = urlsplit(endpoint.base_url)
    credentials = {"api-key"} if endpoint.api_version else {"authorization"}
    names = SENT | credentials if key or parts.password else SENT
    query = dict(parse_qsl(parts.query))
    # httpx sends a user and password that stand in the address
    netloc = parts.netloc.rpartition("@")[2] if key or not parts.password else parts.netloc
    address = urlunsplit(parts._replace(netloc=netloc, query=""))
    settings: dict[str, Any] = {
        "api_key": key or "none",
        "default_query": query,
        "max_retries": 0,
        "timeout": None,
        "http_client": httpx2.AsyncClient(
            transport=_transport(limits, proxy_of(endpoint), names),
            headers={"connection": "close"},
            timeout=None,
            follow_redirects=False,
            trust_env=False,
        ),
    }
    if endpoint.api_version:
        version = endpoint.api_version
        return AsyncAzureOpenAI(azure_endpoint=address, api_version=version, **settings)
    headers = {"Authorization": f"Bearer {key}"}  # before what the environment says
    return AsyncOpenAI(base_url=address, default_headers=headers, **settings)


def proxy_of(endpoint: Endpoint) -> str:
    """Return the proxy of an endpoint: that of the run file, or where it says so that of the environment."""
    parts = urlsplit(endpoint.base_url)
    host = parts.hostname or ""
    if endpoint.proxy or not endpoint.trust_env or is_here(host) or proxy_bypass(host):
        return endpoint.proxy
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all", "")
    remember(urlsplit(proxy).password or "")
    return proxy if "://" in proxy or not proxy else f"http://{proxy}"


def _transport(limits: Limits, proxy: str, headers: Set[str]) -> BoundedTransport:
    try:
        return BoundedTransport(limits, proxy, headers)
    except OSError as error:
        message = f"the certificates cannot be read: {error.strerror or error}"
        fix = "Correct SSL_CERT_FILE, SSL_CERT_DIR and SSLKEYLOGFILE in the environment."
    except (ImportError, ValueError, TypeError, httpx2.InvalidURL) as error:
        message = f"the proxy cannot be used: {hide(str(error))}"
        fix = 'Write it as proxy = "http://host:port", or correct HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.'
    raise InputError(Problem(message=message, fix=fix))


async def send_ask(client: AsyncOpenAI, ask: Ask, endpoint: Endpoint, raw: bool = False) -> Outcome:
    """Make one request and return how it ended; nothing is raised but cancellation.

    Parameters
    ----------
    client
        That of the endpoint.
    ask
        The request; its parameters are sent as they are, nothing is added.
    endpoint
        Whether its counts of tokens are kept.
    raw
        Keep the whole body of each response, compressed.
    """
    messages: list[Any] = [_encodable(message) for message in ask.messages]
    create = client.chat.completions.with_raw_response.create
    try:
        reply = await create(model=ask.model, messages=messages, extra_body=dict(ask.parameters))
        response = reply.http_response
    except NoReply as failure:
        return failure.outcome
    except APIStatusError as error:
        response = error.response
    body = response.content
    outcome = response_outcome(
        body, response.status_code, response.headers, usage=endpoint.trust_usage
    )
    return replace(outcome, detail={**outcome.detail, "raw": _packed(body)}) if raw else outcome


def _encodable(message: Mapping[str, str]) -> dict[str, str]:
    """Return a message as UTF-8 has it: half a character, which a reply may hold, is sent as a question mark."""
    return {name: text.encode("utf-8", "replace").decode() for name, text in message.items()}


def _packed(body: bytes) -> str:
    """Return the body of a response for the log; that of one that repeats a key is not kept."""
    text = text_of(body)
    if hide(text) != text:
        text = "[hidden: the reply repeats the key]"
    return base64.b64encode(zlib.compress(text.encode("utf-8", "replace"))).decode()
