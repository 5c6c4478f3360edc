"""What a config accepts trains on two workers, whatever is combined; all else is refused in a line before a step."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.training.parallel.combinations import FAMILIES, Combination, covering, every, outcomes
from training.config.parse import parse
from training.metrics.devices import accelerator, network
from training.plan.layouts import LayoutSearch


@pytest.mark.timeout(4 * 3600)
@pytest.mark.parametrize(
    "chosen", [pytest.param(covering, marks=pytest.mark.slow), pytest.param(every, marks=pytest.mark.soak)]
)
def test_it_trains_or_is_refused(chosen: Callable[[], list[Combination]]) -> None:
    rows = chosen()
    found = dict(zip(rows, outcomes(rows), strict=True))
    assert {str(row): one.reason for row, one in found.items() if one.result == "failed"} == {}
    trained = {row for row, one in found.items() if one.result == "trained"}
    assert {row.axis for row in trained} == {row.axis for row in rows}
    assert {row.model for row in trained} == {row.model for row in rows}
    assert {row.objective for row in trained} == {row.objective for row in rows}


@pytest.mark.parametrize("pair", FAMILIES)
@pytest.mark.parametrize("option", ["plain", "documents_apart"])
def test_it_can_be_planned(pair: tuple[str, str], option: str) -> None:
    config = parse(Combination(*pair, option=option).settings)
    resolved = replace(config, model=replace(config.model, vocabulary=128), sequence_length=32)
    assert LayoutSearch(resolved, 2, accelerator("h100"), network("ndr")).found()
