"""Whatever a model is spread over, it learns what one process learns."""

from collections.abc import Callable

import pytest

from benchmarks.training.parity import Spread, agreements, every, quick


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    "chosen", [pytest.param(quick, marks=pytest.mark.slow), pytest.param(every, marks=pytest.mark.soak)]
)
def test_every_layout_learns_what_one_process_learns(chosen: Callable[[], list[Spread]]) -> None:
    found = list(agreements(chosen()))
    assert len(found) == len(chosen())
    assert [str(one) for one in found if not one.holds] == []
