"""How processes are laid out, and what does not divide."""

import pytest

from training.config.layout import (
    ProcessLayout,
    bubble,
    check_length,
    check_rounds,
    layout_of,
    parts_of,
    stages_of,
)
from training.config.parse import parse
from training.config.run import Parallel


def test_what_is_left_is_shards() -> None:
    layout = layout_of(Parallel(tensor=2, context=2, replicate=2, pipeline=2), 48)
    assert layout == ProcessLayout(pipeline=2, replicate=2, shard=3, context=2, tensor=2)
    assert (layout.readers, layout.workers) == (6, 48)
    assert str(layout) == "pipeline 2 x replicate 2 x shard 3 x context 2 x tensor 2"
    assert str(layout_of(Parallel(), 1)) == "one process"


def test_no_whole_number_of_shards() -> None:
    with pytest.raises(ValueError, match=r"6 workers / \(parallel.tensor 4\) = 1.5, .* a multiple of 4 workers"):
        layout_of(Parallel(tensor=4), 6)


def test_rows_are_cut_into_equal_parts() -> None:
    config = parse({"parallel": {"tensor": 2, "context": 2}})
    check_length(config, 16)
    with pytest.raises(ValueError, match="rows of 12 tokens cannot be cut into 8 equal parts"):
        check_length(config, 12)


def test_stages_of_a_schedule() -> None:
    assert (stages_of("1f1b", 4), stages_of("zbv", 4)) == (4, 8)
    assert [parts_of("interleaved_1f1b", 2, rank) for rank in (0, 1)] == [[0, 2], [1, 3]]
    assert [parts_of("dualpipev", 2, rank) for rank in (0, 1)] == [[0, 3], [1, 2]]
    assert bubble(4, 12) == 3 / 15


@pytest.mark.parametrize(
    ("schedule", "rounds", "message"),
    [
        ("1f1b", 1, "1 micro-batches do not fill a pipeline of 2 processes"),
        ("dualpipev", 3, "takes 4 at least"),
        ("interleaved_1f1b", 3, "3 micro-batches are no multiple of the 2 processes"),
    ],
)
def test_micro_batches_that_a_schedule_does_not_take(schedule: str, rounds: int, message: str) -> None:
    config = parse({"parallel": {"pipeline": 2, "schedule": schedule}})
    check_rounds(config, 4)
    with pytest.raises(ValueError, match=message):
        check_rounds(config, rounds)
