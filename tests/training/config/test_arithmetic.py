"""Rows of workers and micro-batches, and what does not divide, with the numbers."""

import pytest

from training.config.arithmetic import accepted_sizes, check_workers, micro_batches, parts_of_rows, step_rows
from training.config.parse import parse


def test_rows_and_parts_of_stages() -> None:
    stages = {"batch_stages": [{"steps": 2, "rows": 2}], "length_stages": [{"steps": 1, "parts": 4}]}
    config = parse({"batch_rows": 8, **stages})
    assert [step_rows(config).positions(step) for step in (0, 1, 2)] == [range(2), range(2, 4), range(4, 12)]
    assert [parts_of_rows(config, step) for step in (0, 1, 9)] == [4, 1, 1]


def test_micro_batches() -> None:
    assert micro_batches(parse({"batch_rows": 8}), 4) == 1
    assert micro_batches(parse({"batch_rows": 8, "micro_batch_rows": 2}), 4) == 2


def test_sizes_that_can_train() -> None:
    assert accepted_sizes(parse({"batch_rows": 12}), 1, 6) == [1, 2, 3, 4, 6]
    assert accepted_sizes(parse({"batch_rows": 12, "parallel": {"tensor": 2}}), 1, 8) == [2, 4, 6, 8]
    assert accepted_sizes(parse({"batch_rows": 12}), None, 6) == [6]
    with pytest.raises(ValueError, match="7 workers at least and 6 at most do not go together; give 1 to 6"):
        accepted_sizes(parse({"batch_rows": 12}), 7, 6)
    with pytest.raises(ValueError, match=r"nothing from 1 to 1 workers can train, only 2: the axes of .* take 2"):
        accepted_sizes(parse({"batch_rows": 12, "parallel": {"pipeline": 2}, "micro_batch_rows": 1}), 1, 2)
    with pytest.raises(ValueError, match="batch_rows 12 cannot be shared evenly by 5 workers"):
        accepted_sizes(parse({"batch_rows": 12}), 1, 5)


@pytest.mark.parametrize(
    ("settings", "workers", "message"),
    [
        pytest.param(
            {"batch_rows": 6}, 4, "batch_rows 6 cannot be shared evenly by 4 workers; .* train with 3", id="rows"
        ),
        pytest.param({"batch_rows": 8, "micro_batch_rows": 3}, 2, "8 / 2 workers = 4 rows each", id="micro-batches"),
        pytest.param(
            {"batch_rows": 6, "parallel": {"replicate": 2}}, 3, r"3 workers / \(parallel.replicate 2\) = 1.5", id="axis"
        ),
        pytest.param({"batch_rows": 6, "parallel": {"tensor": 2}}, 8, "by 4 groups of 2 workers; .* 3", id="groups"),
        pytest.param({}, 0, "0 workers cannot train", id="none"),
    ],
)
def test_what_does_not_divide(settings: dict[str, object], workers: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_workers(parse(settings), workers)
