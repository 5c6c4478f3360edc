"""Fetches one file whole into a local folder, going on where an earlier attempt was cut off."""

import asyncio
import hashlib
import os
import re
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

import aiohttp

from curation.core.errors import StageError
from curation.sources.commoncrawl.client import (
    BusyServerError,
    CrawlClient,
    FileChangeError,
    head_of,
    start_of,
)
from curation.sources.inflate import container, spans
from curation.sources.read_ahead import Raw, Window, open_raw

MAX_DAMAGED = 2  # times that a file may come damaged before it is given up
PROGRESS = 16 << 20  # bytes after which a request counts as having brought something
_LONGEST_ETAG = 48  # bytes; of a longer one the partial file is not kept


@dataclass(frozen=True)
class FetchedFile:
    """One file as it was fetched; `etag` is "" where several requests made it, or the server gives none."""

    file: str
    url: str
    size: int
    etag: str
    sha256: str
    members: int  # of gzip
    date: str  # in UTC


class PartialFile:
    """The beginning of a file; its name holds the ETag, so that a later process can go on."""

    def __init__(self, folder: Path, name: str) -> None:
        self._begins = folder / f"_partial.{name}."
        self.etag = ""
        for path in folder.glob(f"{self._begins.name}*"):
            etag = path.name.removeprefix(self._begins.name)
            if re.fullmatch("(?:[0-9a-f]{2})+", etag):
                self.etag = bytes.fromhex(etag).decode("utf-8", "surrogateescape")
        self.size = self.path.stat().st_size if self.etag else 0

    @property
    def path(self) -> Path:
        return self._begins.with_name(self._begins.name + _bytes(self.etag).hex())

    def begin(self, etag: str) -> None:
        """Throws away what is there; the bytes to come are those of `etag`."""
        self.path.unlink(missing_ok=True)
        self.size = 0
        self.etag = etag if len(_bytes(etag)) <= _LONGEST_ETAG else ""
        self.path.unlink(missing_ok=True)  # left by a process that was killed

    def write(self, piece: bytes) -> None:
        """Raises StageError where the disk does not take it."""
        try:
            with self.path.open("ab") as file:
                file.write(piece)
        except OSError as error:
            raise StageError(f"cannot write {self.path}: {error.strerror}") from error
        self.size += len(piece)

    def checked(self, url: str) -> FetchedFile:
        """What the whole file is. Raises BusyServerError where it is damaged."""
        self.path.touch()  # of a file without a byte nothing was written
        with closing(open_raw(str(self.path))) as raw:
            members = gzip_members(raw)
        with self.path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            os.fsync(file.fileno())
        now = datetime.now(UTC).isoformat(timespec="seconds")
        return FetchedFile(url.rpartition("/")[2], url, self.size, self.etag, digest, members, now)


def gzip_members(raw: Raw) -> int:
    """How many there are. Raises BusyServerError that names the first that is damaged or cut short."""

    def stop(offset: int, why: str) -> NoReturn:
        raise BusyServerError(f"byte {offset:,}: {why}")

    window = Window(raw)
    codec = container(window)
    if codec is None or codec.name != "gzip":
        raise BusyServerError("it is no gzip file")
    return sum(span.member is not None for span in spans(window, codec, stop))


async def download(client: CrawlClient, path: str, folder: Path) -> tuple[PartialFile, FetchedFile]:
    """The whole file, in `folder` under the partial file's name. Raises BusyServerError that says why there is none,
    FileGoneError, and UserError where the server refuses this machine."""
    part = PartialFile(folder, path.rpartition("/")[2])
    failures = 0
    damaged = 0
    while True:
        before = part.size
        try:
            await _go_on(client, path, part)
        except BusyServerError:
            failures = 0 if part.size - before >= PROGRESS else failures + 1
            if failures == client.courtesy.attempts:
                raise
        else:
            try:
                return part, await asyncio.to_thread(part.checked, client.url(path))
            except BusyServerError:
                part.begin("")
                damaged += 1
                if damaged == MAX_DAMAGED:
                    raise
        await asyncio.sleep(client.courtesy.backoff)  # however it ended, it is not asked for again at once


async def _go_on(client: CrawlClient, path: str, part: PartialFile) -> None:
    """Fetches what is missing, or all where the file has changed. Raises BusyServerError where it is cut off."""
    start = part.size if part.etag else 0
    try:
        async with client.asked(path, start, etag=part.etag if start else "") as answer:
            head = head_of(answer)
            if answer.status == 200:
                part.begin(head.etag)
            elif start_of(answer) != start or head.etag != part.etag:
                raise FileChangeError(f"{part.path} is not continued")
            await _write(client, answer, part, head.size)
    except FileChangeError as error:
        part.begin("")
        raise BusyServerError(f"it has changed: {error}") from error
    if part.size < head.size:
        raise BusyServerError(f"it ended after {part.size:,} of {head.size:,} bytes")


async def _write(client: CrawlClient, answer: aiohttp.ClientResponse, part: PartialFile, size: int) -> None:
    async for piece in client.pieces(answer):
        if part.size + len(piece) > size:
            raise FileChangeError(f"more than the {size:,} bytes come that the server states")
        await asyncio.to_thread(part.write, piece)


def _bytes(etag: str) -> bytes:
    return etag.encode("utf-8", "surrogateescape")
