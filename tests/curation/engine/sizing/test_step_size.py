"""What a step takes is reckoned by hand: its work, its longest unit, waves, Ray's share and the driver."""

from typing import Any

import pytest

from curation.core.errors import InputError
from curation.core.verbs import DEDUP, FILTER, FIT
from curation.engine.sizing.step_size import Nodes, ray_seconds, size_step, wall_of
from tests.curation.engine.sizing.test_step_layout import KEYS, LEARNED, stage, step


@pytest.mark.parametrize(
    ("units", "seconds", "longest", "slots", "wall"),
    [
        pytest.param(1, 8.0, 8.0, 100, 8.0, id="one unit"),
        pytest.param(100, 200.0, 5.0, 100, 5.0, id="no more units than cores: the longest"),
        pytest.param(100, 200.0, 4.0, 2, 101.0, id="the cores, and half of what is left of the longest"),
        pytest.param(8192, 8192.0, 1.0, 2, 2 * 2048.25, id="two waves"),
        pytest.param(4097, 4097.0, 1.0, 2, 2048.25 + 1.0, id="a wave of one"),
        pytest.param(8192, 8192.0, 1.0, 1024, 8 + 1023 / 2048, id="many cores take more in a wave"),
        pytest.param(0, 0.0, 0.0, 2, 0.0, id="none"),
    ],
)
def test_wall_seconds(units: int, seconds: float, longest: float, slots: int, wall: float) -> None:
    assert wall_of(units, seconds, longest, slots) == pytest.approx(wall)


MANY: dict[str, Any] = {"units": 20, "seconds": 30.0, "longest": 6.0, "first_seconds": 12.0, "wall_seconds": 16.5}


def test_the_slow_start_of_processes_is_not_multiplied() -> None:
    sized = size_step(step("filter", **MANY), stage(FILTER, 10.0, 200), Nodes(1, 2), 0.0)
    assert sized.core_seconds == pytest.approx(10 * 20 * 1.0 + 2 * 5.0)  # a second a unit, five to start
    assert (sized.units, sized.file_bytes, sized.bound) == (200, 40_000, "")


def test_few_units_say_nothing_of_the_start() -> None:
    sized = size_step(step("filter"), stage(FILTER, 10.0, 40), Nodes(1, 2), 0.0)
    assert sized.core_seconds == pytest.approx(400.0)


def test_ray_takes_its_share_of_each_unit() -> None:
    many = step("filter", **{**MANY, "wall_seconds": 18.5})  # 16.5 of them work
    assert ray_seconds([many, step("attach"), step("filter", **MANY)]) == pytest.approx((2.0 * 2 / 20 + 0.0) / 2)
    assert ray_seconds([step("attach")]) == 0.0
    without, sized = (size_step(many, stage(FILTER, 10.0, 200), Nodes(1, 2), ray) for ray in (0.0, 0.1))
    assert sized.wall_seconds - without.wall_seconds == pytest.approx(0.1 * 200 / 2 - 0.1 * 20 / 2)


def test_the_driver_bounds_many_short_units() -> None:
    short = step("filter", units=20, seconds=0.2, longest=0.01, first_seconds=0.02, wall_seconds=0.1)
    sized = size_step(short, stage(FILTER, 5000.0, 100_000), Nodes(100, 32), 0.0)
    assert (sized.bound, sized.wall_seconds) == ("driver", pytest.approx(800.0))
    assert sized.waiting_seconds == pytest.approx(800.0 - sized.core_seconds / 3200)


def test_single_units_bound_a_step() -> None:
    steady = step("filter", units=20, seconds=2000.0, longest=100.0, first_seconds=200.0, wall_seconds=1000.0)
    assert size_step(steady, stage(FILTER, 1000.0, 20_000), Nodes(100, 40), 0.0).bound == ""
    assert size_step(steady, stage(FILTER, 50.0, 1000), Nodes(1000, 32), 0.0).bound == "unit"


def test_a_fit_learns_no_more_than_its_limit_and_reads_all() -> None:
    planned = stage(FIT, 1000.0, 4000, asset=LEARNED, shards=range(4))  # learns from ten times the text
    one = {"units": 1, "seconds": 2.0, "longest": 2.0, "first_seconds": 2.0, "wall_seconds": 2.0}
    learn, draw, count, merge = (
        size_step(step(name, **one), planned, Nodes(100, 32), 0.0) for name in ("learn", "draw", "count", "merge")
    )
    assert learn.wall_seconds == pytest.approx(10**0.61 * 2.0)
    assert (learn.units, learn.file_bytes, learn.bound) == (1, 4000, "unit")
    read = 4.2e-9 * 10**8 * 990 + 0.0035 * 3996
    assert draw.core_seconds == pytest.approx(10**0.61 * 2.0 + read)
    assert count.core_seconds == pytest.approx(10 * 2.0 + read)
    assert merge.core_seconds == pytest.approx(10 * 2.0)
    assert (draw.units, merge.units, draw.file_bytes) == (1491, 10, 40_000)


def test_the_work_of_a_dedup_grows_by_its_exponent() -> None:
    sized = size_step(step("keys"), stage(DEDUP, 100.0, dedup=KEYS), Nodes(1, 2), 0.0)
    assert sized.core_seconds == pytest.approx((40.0 - 4 * 0.01) * 100**1.02 + 4000 * 0.01)


def test_a_node_without_the_cores_of_a_task_is_refused() -> None:
    with pytest.raises(InputError, match="filter asks for 4 cores a task, more than the 2 of a node"):
        size_step(step("filter", cpus=4.0), stage(FILTER), Nodes(10, 2), 0.0)
