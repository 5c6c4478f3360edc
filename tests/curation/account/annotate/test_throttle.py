"""How many requests are let through, with and without a limit of the endpoint."""

import asyncio

from curation.account.annotate.throttle import Throttle


async def most_at_once(throttle: Throttle, turns: int) -> int:
    under_way = 0
    most = 0

    async def turn() -> None:
        nonlocal under_way, most
        async with throttle.turn():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0.002)
            under_way -= 1

    await asyncio.gather(*(turn() for _ in range(turns)))
    return most


async def halved_and_grown() -> list[int]:
    throttle = Throttle(8)
    widths = [await most_at_once(throttle, 20)]
    throttle.slow_down(0.02)
    throttle.slow_down(0.01)  # of the same burst
    widths.append(await most_at_once(throttle, 20))
    throttle.slow_down(0)
    throttle.slow_down(0)
    throttle.slow_down(0)
    widths.append(await most_at_once(throttle, 5))
    for _ in range(3):  # 1, 2, 2.5, 2.9
        throttle.speed_up()
    widths.append(await most_at_once(throttle, 20))
    for _ in range(100):
        throttle.speed_up()
    return [*widths, await most_at_once(throttle, 20)]


def test_halved_where_too_many_and_grown_with_each_answer() -> None:
    assert asyncio.run(halved_and_grown()) == [8, 4, 1, 2, 8]
