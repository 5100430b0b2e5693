"""Sends requests to an endpoint: one connection for each, and limits to what comes back."""

from __future__ import annotations

import asyncio
import base64
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import getproxies

from socialstats.errors import InputError, MissingDependency, Problem
from socialstats_collect.ask import Ask
from socialstats_collect.endpoint import Outcome, judge, text_of
from socialstats_collect.runfile import Endpoint, Limits
from socialstats_collect.secrets import hide, is_here, remember

if TYPE_CHECKING:
    import ssl

    import httpx2

HEAD_TOO_LONG = "Receive buffer too long"  # words of h11
HEAD_LIMIT = "the headers of a reply have at most 102,400 bytes, which no option changes"
QUIET, WARY = (
    0.02,
    0.5,
)  # seconds to listen to a connection without TLS before the request; once one has spoken


class UnusableReply(Exception):
    """A response that breaks a limit."""


@dataclass(slots=True)
class Client:
    """Sends requests to one endpoint; it never retries.

    Each request has a connection of its own. A response that comes late, or one too many, could not be told from the
    answer to the next request on a connection that is kept.

    Parameters
    ----------
    endpoint
        Where to, and through which proxy. A user and password in its address are sent as such where there is no key.
    key
        Sent as ``Authorization``.
    limits
        At most so many connections at a time, and what a reply may hold.
    raw
        Keep the whole body of each response, compressed.
    """

    endpoint: Endpoint
    key: str = field(repr=False)
    limits: Limits
    raw: bool = False
    _client: httpx2.AsyncClient | None = None
    _url: str = field(default="", repr=False)
    _wary: bool = False

    async def __aenter__(self) -> Client:
        try:
            import httpx2
        except ImportError:
            raise MissingDependency(
                "collecting needs httpx2: pip install 'socialstats[collect]'"
            ) from None
        parts = urlsplit(self.endpoint.base_url)
        headers = {
            "content-type": "application/json",
            "user-agent": "socialstats",
            "connection": "close",
        }
        if self.key:
            headers["authorization"] = f"Bearer {self.key}"
        elif parts.password:
            pair = base64.b64encode(
                f"{unquote(parts.username or '')}:{unquote(parts.password)}".encode()
            ).decode()
            remember(pair)
            headers["authorization"] = f"Basic {pair}"
        path = f"{parts.path.rstrip('/')}/chat/completions"
        self._url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], path=path))
        if self.endpoint.trust_env:
            remember(*(urlsplit(proxy).password or "" for proxy in getproxies().values()))
        nothing = CookieJar(
            DefaultCookiePolicy(allowed_domains=())
        )  # a unit must not meet the session of another
        try:
            self._client = httpx2.AsyncClient(
                headers=headers,
                cookies=nothing,
                limits=httpx2.Limits(
                    max_connections=self.limits.concurrency, max_keepalive_connections=0
                ),
                timeout=None,
                follow_redirects=False,
                verify=_certificates(),
                proxy=self.endpoint.proxy or None,
                trust_env=self.endpoint.trust_env and not is_here(parts.hostname),
            )
        except (ImportError, ValueError, TypeError, httpx2.InvalidURL) as error:
            fix = 'Write it as proxy = "http://host:port", or correct HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.'
            raise InputError(
                Problem(message=f"the proxy cannot be used: {hide(str(error))}", fix=fix)
            ) from None
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._client is not None:
            await self._client.aclose()

    async def attempt(self, ask: Ask) -> Outcome:
        """Make one request and return how it ended; nothing is raised but cancellation.

        Parameters
        ----------
        ask
            The request; its parameters are sent as they are, nothing is added.
        """
        import httpx2

        seconds, sent = self.limits.timeout, asyncio.Event()
        try:
            async with asyncio.timeout(seconds):
                return await self._exchange(ask, sent)
        except TimeoutError:
            message = f"no whole reply within {seconds:g} s (limits.timeout)"
            return Outcome(status="timeout", detail={"error_message": message}, sent=sent.is_set())
        except UnusableReply as error:
            return Outcome(status="malformed", detail={"error_message": str(error)})
        except httpx2.DecodingError as error:
            return Outcome(
                status="malformed",
                detail={"error_message": f"cannot be unpacked: {hide(str(error))}"},
            )
        except (
            Exception
        ) as error:  # whatever a transport raises: the connection failed, and the run goes on
            name, words = type(error).__name__, hide(str(error)) or type(error).__name__
            long = HEAD_TOO_LONG in words
            detail = {
                "error_type": name,
                "error_message": f"{words}: {HEAD_LIMIT}" if long else words,
            }
            return Outcome(
                status="malformed" if long else "connection", detail=detail, sent=sent.is_set()
            )

    async def _exchange(self, ask: Ask, sent: asyncio.Event) -> Outcome:
        assert self._client is not None
        body = {
            "model": ask.model,
            "messages": [dict(message) for message in ask.messages],
            **ask.parameters,
        }

        async def follow(event: str, info: Mapping[str, Any]) -> None:
            if event == "connection.connect_tcp.complete":
                await self._listen(info["return_value"])
            elif event == "http11.send_request_headers.started":
                sent.set()

        async with self._client.stream(
            "POST", self._url, content=json.dumps(body).encode(), extensions={"trace": follow}
        ) as response:
            data = await self._body(response)
        outcome = judge(
            data, response.status_code, response.headers, usage=self.endpoint.trust_usage
        )
        if not self.raw:
            return outcome
        text = text_of(data)
        whole = text if hide(text) == text else "[hidden: the reply repeats the key]"
        packed = base64.b64encode(zlib.compress(whole.encode("utf-8", "replace"))).decode()
        return replace(outcome, detail={**outcome.detail, "raw": packed})

    async def _listen(self, stream: Any) -> None:
        """Raise where bytes stand on a connection before the request: they answer another one."""
        if urlsplit(self._url).scheme == "http":
            await asyncio.sleep(WARY if self._wary else QUIET)
        if stream.get_extra_info("is_readable"):
            self._wary = True
            await stream.aclose()
            raise ConnectionError(
                "the server spoke, or closed the connection, before the request was sent"
            )

    async def _body(self, response: httpx2.Response) -> bytes:
        """Return the unpacked body of a response, as far as the limits allow."""
        most, headers = self.limits.max_reply_bytes, self.limits.max_reply_headers
        if len(response.headers.raw) > headers:
            message = (
                f"the reply has {len(response.headers.raw):,} headers, and {headers:,} are allowed"
            )
            raise UnusableReply(f"{message} (limits.max_reply_headers)")
        if "," in (coding := response.headers.get("content-encoding", "")):
            raise UnusableReply(f"the reply is packed more than once ({hide(coding[:200])})")
        pieces, size = [], 0
        async for piece in response.aiter_bytes():
            size += len(piece)
            if size > most:
                raise UnusableReply(
                    f"the reply has more than {most:,} bytes unpacked (limits.max_reply_bytes)"
                )
            pieces.append(piece)
        return b"".join(pieces)


def _certificates() -> ssl.SSLContext:
    """Return what the certificates of endpoints are checked by.

    Raises
    ------
    InputError
        Where the environment names files that cannot be used.
    """
    import httpx2

    try:
        return httpx2.create_ssl_context()
    except OSError as error:
        fix = "Correct SSL_CERT_FILE, SSL_CERT_DIR and SSLKEYLOGFILE in the environment."
        message = f"the certificates cannot be read: {error.strerror or error}"
        raise InputError(Problem(message=message, fix=fix)) from None
