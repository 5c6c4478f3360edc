"""How Common Crawl wants to be asked: few connections, slower after each refusal, and a contact in the user agent.

Source: commoncrawl.org, "Get Started" and the client cc-downloader: at most 10 connections, because more bring HTTP 403
for hours; a file is tried again at most once a second; slower on any HTTP 4xx or 5xx.
"""

import asyncio
import fcntl
import hashlib
import logging
import os
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from math import inf
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

from curation.core.errors import UserError
from curation.core.installation import DISTRIBUTION
from curation.core.own_folder import own_folder

LOG = logging.getLogger(__name__)
Item = TypeVar("Item")
BASE = "https://data.commoncrawl.org"
CONNECTIONS = 10  # of this machine at once
LONGEST = 64.0  # seconds between two requests at most, unless the server asks for more
MOST = 600.0  # seconds that a server may ask to wait
_CONTACT = re.compile(r"[!-?A-~]+@[!-~][!-\-/-~]*\.[!-~]+|https?://[!-~]+")
_PAUSE = 0.05  # seconds until a connection is looked for again


@dataclass(frozen=True, kw_only=True)
class Courtesy:
    """Whom the server can write to, and how patiently it is asked."""

    contact: str
    base: str = BASE
    backoff: float = 1.0  # seconds before a request is repeated; doubled by each refusal
    stall: float = 60.0  # seconds without a byte after which a connection is given up
    attempts: int = 10  # in a row, that bring nothing

    def __post_init__(self) -> None:
        if not _CONTACT.fullmatch(self.contact):
            raise UserError(
                f"the contact is {self.contact!r}; give an e-mail address or a web page, because Common Crawl asks for "
                "one: --contact, or in a recipe storage: {commoncrawl: {contact: …}}"
            )
        parts = urlsplit(self.base)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise UserError(f"{self.base} is no server; give https://…, as {BASE}")

    @property
    def agent(self) -> str:
        """The user agent."""
        try:
            number = version(DISTRIBUTION)
        except PackageNotFoundError:
            number = "0"
        return f"winnow/{number} (+{self.contact})"


class Pace:
    """How long a request waits: not at all while all goes well, longer after each refusal, half as long after each
    answer. Refusals of requests that were under way together count as one."""

    def __init__(self, backoff: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.wait = 0.0
        self._backoff = backoff
        self._clock = clock
        self._slowed = -inf  # when it was

    def slower(self, asked: float | None = None) -> None:
        """After a refusal; `asked` is the wait that the server has asked for, in seconds."""
        now = self._clock()
        if now - self._slowed >= self.wait:
            self.wait = min(max(2 * self.wait, self._backoff), LONGEST)
            self._slowed = now
            LOG.info("the server does not answer as it should; each request waits %g s", self.wait)
        self.wait = max(self.wait, min(asked or 0.0, MOST))

    def faster(self) -> None:
        """After an answer."""
        self.wait = self.wait / 2 if self.wait > self._backoff / 8 else 0.0


async def each(items: Iterable[Item], work: Callable[[Item], Awaitable[None]]) -> None:
    """Works on as many at once as there are connections. The first error ends all, and is raised."""
    left = iter(items)

    async def some() -> None:
        for item in left:
            await work(item)

    tasks = [asyncio.create_task(some()) for _ in range(CONNECTIONS)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()


@asynccontextmanager
async def connection(base: str) -> AsyncIterator[None]:
    """Waits until fewer than CONNECTIONS of this user's processes on this machine ask this server.

    Each holds the lock of a file, which its end gives back however it ends.
    """
    host = hashlib.sha256((urlsplit(base).netloc).encode()).hexdigest()[:16]
    folder = own_folder("connections") / host
    folder.mkdir(exist_ok=True)
    while (handle := _free(folder)) is None:
        await asyncio.sleep(_PAUSE)
    try:
        yield
    finally:
        os.close(handle)


def _free(folder: Path) -> int | None:
    for number in range(CONNECTIONS):
        handle = os.open(folder / str(number), os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            continue
        return handle
    return None
