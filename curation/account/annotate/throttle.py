"""How many requests are sent at once to an endpoint that limits them.

Where one is refused for being too many, all wait as long as the server says, and half as many are sent at once; each
answer then lets a few more through, up to the limit.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import monotonic


class Throttle:
    """At most `most` requests at once, fewer after `slow_down`."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._width = float(most)
        self._under_way = 0
        self._opens = 0.0  # moment before which nothing is sent
        self._changed = asyncio.Condition()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Waits until another request may be sent, and counts it while the context lasts."""
        while True:
            async with self._changed:
                await self._changed.wait_for(lambda: self._under_way < max(1, int(self._width)))
                wait = self._opens - monotonic()
                if wait <= 0:
                    self._under_way += 1
                    break
            await asyncio.sleep(wait)
        try:
            yield
        finally:
            self._under_way -= 1
            async with self._changed:
                self._changed.notify_all()

    def slow_down(self, seconds: float) -> None:
        """After a request too many. Those refused during a wait belong to the same burst and halve nothing again."""
        now = monotonic()
        if now >= self._opens:
            self._width = max(1.0, self._width / 2)
        self._opens = max(self._opens, now + seconds)

    def speed_up(self) -> None:
        """After an answer."""
        self._width = min(self._most, self._width + 1 / self._width)
