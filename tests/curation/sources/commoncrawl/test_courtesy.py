"""The rules of asking: ten connections, waits that grow and shrink, and a contact."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from curation.core.errors import UserError
from curation.sources.commoncrawl.courtesy import CONNECTIONS, Courtesy, Pace, connection, each


def test_waits_double_with_each_refusal_and_halve_with_each_answer() -> None:
    now = 0.0
    pace = Pace(1.0, lambda: now)
    waits = []
    for _ in range(8):
        now += pace.wait
        for _ in range(10):  # requests that were under way together
            pace.slower()
        waits.append(pace.wait)
    assert waits == [1, 2, 4, 8, 16, 32, 64, 64]
    pace.slower(90)
    assert pace.wait == 90
    pace.slower(10_000_000)
    assert pace.wait == 600
    pace = Pace(1.0)
    pace.slower()
    for wait in (0.5, 0.25, 0.125, 0):
        pace.faster()
        assert pace.wait == wait


def test_the_first_error_ends_all() -> None:
    begun = []

    async def work(number: int) -> None:
        begun.append(number)
        await asyncio.sleep(0.001)
        if number == 3:
            raise UserError("refused")

    with pytest.raises(UserError, match="refused"):
        asyncio.run(each(range(1000), work))
    assert len(begun) < 20


def test_an_eleventh_connection_waits_for_another_to_end() -> None:
    async def take() -> None:
        async with AsyncExitStack() as held:
            for _ in range(CONNECTIONS):
                await held.enter_async_context(connection("http://one.test"))
            async with connection("http://other.test"):
                pass
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(held.enter_async_context(connection("http://one.test")), 0.1)
        async with connection("http://one.test"):
            pass

    asyncio.run(take())


@pytest.mark.parametrize("contact", ["", "me", "me@example", "a b@example.org", "me@example.org\r\nX: y", "ftp://x"])
def test_a_contact_that_is_none(contact: str) -> None:
    with pytest.raises(UserError, match="give an e-mail address or a web page"):
        Courtesy(contact=contact)


@pytest.mark.parametrize("base", ["", "data.commoncrawl.org", "ftp://x.org", "https://x.org?y"])
def test_a_server_that_is_none(base: str) -> None:
    with pytest.raises(UserError, match="is no server"):
        Courtesy(contact="me@example.org", base=base)


def test_the_user_agent_names_the_contact() -> None:
    assert Courtesy(contact="https://example.org/bot").agent.endswith(" (+https://example.org/bot)")
