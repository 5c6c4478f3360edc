"""Whatever a model is spread over, it learns what one process learns."""

import pytest

from benchmarks.training.parity import agreements, every, quick


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_one_axis_at_a_time_learns_what_one_process_learns() -> None:
    found = list(agreements(quick()))
    assert len(found) == len(quick())
    assert [str(one) for one in found if not one.holds] == []


@pytest.mark.soak
@pytest.mark.timeout(1200)
def test_every_pair_of_axes_learns_what_one_process_learns() -> None:
    found = list(agreements(every()))
    assert len(found) == len(every())
    assert [str(one) for one in found if not one.holds] == []
