"""Asks Common Crawl's server: one request, what its outcome means, and small answers read whole.

Every request has its own connection, because one that is kept open counts among those that the server allows.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar
from urllib.parse import quote, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp

from curation.core.errors import InputError, StageError, UserError
from curation.sources.commoncrawl.courtesy import Courtesy, Pace, connection

Answered = TypeVar("Answered")
CONNECT = 30  # seconds
LONGEST_REQUEST = 1800  # seconds; a file that takes longer goes on with a further request
PIECE = 1 << 20  # bytes read at a time
LARGEST = 1 << 40  # bytes of a file; a crawl's have 10^9
LEAST = 64 << 10  # bytes that a connection brings in the seconds of `Courtesy.stall`, or it is given up
YEARS = range(1970, 2100)  # in which a file was modified
_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18})")


class BusyServerError(OSError):
    """No usable answer; the request may be repeated."""


class FileGoneError(InputError):
    """The server has no such file, or will not give it."""


class FileChangeError(InputError):
    """The file is not the one that was asked for before."""


@dataclass(frozen=True)
class FileHead:
    """What the server says of a file. `etag` is "" unless it stands for the very bytes; `modified` may be unknown."""

    size: int
    etag: str
    modified: datetime | None


class CrawlClient:
    """Asks for files by their path at the server."""

    def __init__(self, courtesy: Courtesy) -> None:
        self.courtesy = courtesy
        self.pace = Pace(courtesy.backoff)
        self._reached = False  # the server has answered once

    def url(self, path: str) -> str:
        return f"{self.courtesy.base.rstrip('/')}/{quote(path, safe='/=-._~+')}"

    @asynccontextmanager
    async def asked(
        self, path: str, start: int = 0, stop: int | None = None, *, etag: str = "", method: str = "GET"
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """The answer to one request for bytes [start, stop), or for all; with `etag` the server answers with the whole
        file where it has another. Raises BusyServerError, also where the body breaks off; FileGoneError; UserError
        where the server refuses this machine."""
        headers = {"Accept-Encoding": "identity"}
        if start or stop is not None:
            headers["Range"] = f"bytes={start}-{'' if stop is None else stop - 1}"
            headers |= {"If-Range": etag} if etag else {}
        async with connection(self.courtesy.base), self._session() as session:
            await asyncio.sleep(self.pace.wait)  # with the connection in hand, so that others are slower too
            try:
                async with asyncio.timeout(CONNECT + self.courtesy.stall):
                    asked = await session.request(method, self.url(path), headers=headers, allow_redirects=False)
                async with asked as answer:
                    self._reached = True
                    self._judge(answer, path)
                    yield answer
            except BusyServerError:
                raise
            except (aiohttp.ClientError, OSError) as error:
                if isinstance(error, aiohttp.ClientConnectorError) and not self._reached:
                    raise InputError(f"cannot reach {self.courtesy.base}: {error}; is the network there?") from error
                self.pace.slower()
                raise BusyServerError(f"no answer, or a connection lost ({type(error).__name__})") from error
        self.pace.faster()

    async def head(self, path: str) -> FileHead:
        """Raises FileGoneError where there is no such file."""

        async def once() -> FileHead:
            async with self.asked(path, method="HEAD") as answer:
                return head_of(answer)

        return await self._repeated(path, once)

    async def read(self, path: str, most: int) -> bytes:
        """A whole file of up to `most` bytes."""

        async def once() -> bytes:
            async with self.asked(path) as answer:
                return await self._body(answer, most)

        return await self._repeated(path, once)

    async def read_range(self, path: str, start: int, stop: int, *, etag: str = "") -> bytes:
        """Bytes [start, stop). Raises FileChangeError where `etag` is no longer the file's."""

        async def once() -> bytes:
            async with self.asked(path, start, stop, etag=etag) as answer:
                if start_of(answer) != start or (etag and head_of(answer).etag != etag):
                    raise FileChangeError(
                        f"{self.url(path)} has changed, or the server gives no parts of it; run the same command again"
                    )
                body = await self._body(answer, stop - start)
            if len(body) < stop - start:
                raise BusyServerError(f"{len(body):,} of {stop - start:,} bytes came")
            return body

        return await self._repeated(path, once)

    async def _repeated(self, path: str, once: Callable[[], Awaitable[Answered]]) -> Answered:
        last: Exception | None = None
        for _ in range(self.courtesy.attempts):
            try:
                return await once()
            except BusyServerError as error:
                last = error
        raise StageError(f"cannot read {self.url(path)}: {last}; run the same command again later") from last

    async def _body(self, answer: aiohttp.ClientResponse, most: int) -> bytes:
        body = bytearray()
        async for piece in self.pieces(answer):
            body += piece
            if len(body) > most:
                raise InputError(f"{answer.url} gives more than {most:,} bytes")
        return bytes(body)

    async def pieces(self, answer: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
        """The body, in pieces. Raises BusyServerError where it comes a few bytes at a time."""
        began = time.monotonic()
        brought = 0
        async for piece in answer.content.iter_chunked(PIECE):
            brought += len(piece)
            yield piece
            if (now := time.monotonic()) - began > self.courtesy.stall:
                if brought < LEAST:
                    raise BusyServerError(f"only {brought:,} bytes came in {now - began:.0f} s")
                began = now
                brought = 0

    def _judge(self, answer: aiohttp.ClientResponse, path: str) -> None:
        """Raises unless the answer holds the file, or the part of it."""
        status = answer.status
        if status in (200, 206):
            return
        self.pace.slower(seconds_of(answer.headers.get("Retry-After")))
        if status == 403:
            raise UserError(
                f"{self.url(path)} is refused (HTTP 403); nothing more is asked: Common Crawl shuts out who asks too "
                "often, for hours, so wait before you run the same command again, and check the path"
            )
        if status == 429 or status >= 500:
            raise BusyServerError(f"HTTP {status}")
        if status == 416:
            raise FileChangeError(f"{self.url(path)} is shorter than it was; run the same command again")
        raise FileGoneError(f"no file at {self.url(path)} (HTTP {status}); check the crawl's name")

    def _session(self) -> aiohttp.ClientSession:
        parts = urlsplit(self.courtesy.base)
        return aiohttp.ClientSession(
            headers={"User-Agent": self.courtesy.agent},
            timeout=aiohttp.ClientTimeout(total=LONGEST_REQUEST, sock_connect=CONNECT, sock_read=self.courtesy.stall),
            connector=aiohttp.TCPConnector(force_close=True),
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            proxy=None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme),
        )


def head_of(answer: aiohttp.ClientResponse) -> FileHead:
    """What an answer says of the whole file. Raises FileGoneError where it states no size."""
    part = _RANGE.fullmatch(answer.headers.get("Content-Range", "")) if answer.status == 206 else None
    stated = part[3] if part else answer.headers.get("Content-Length", "")
    if not re.fullmatch("[0-9]{1,18}", stated):
        raise FileGoneError(f"{answer.url} states no size; it is no file")
    if int(stated) > LARGEST:
        raise FileGoneError(f"{answer.url} states a size of {int(stated):,} bytes, more than any file of a crawl has")
    etag = answer.headers.get("ETag", "")
    return FileHead(int(stated), "" if etag.startswith("W/") else etag, _date(answer.headers.get("Last-Modified")))


def start_of(answer: aiohttp.ClientResponse) -> int:
    """The first byte of the file that an answer with a part of it holds; -1 for any other answer."""
    part = _RANGE.fullmatch(answer.headers.get("Content-Range", "")) if answer.status == 206 else None
    return int(part[1]) if part else -1


def seconds_of(retry_after: str | None) -> float | None:
    """The wait that a Retry-After header asks for in seconds; None for none, and for a date."""
    return float(retry_after) if retry_after and re.fullmatch("[0-9]{1,18}", retry_after) else None


def _date(text: str | None) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text or "")
    except (ValueError, OverflowError, TypeError):
        return None
    if moment.year not in YEARS:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
