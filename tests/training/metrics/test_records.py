"""metrics.jsonl across resumes and torn lines, seen by its reader and by a follower; one line for people per record."""

from pathlib import Path
from typing import Any
from uuid import uuid4

from curation.core import storage
from tests.training.runs import read_metrics
from training.metrics.records import MetricsFile, describe
from training.metrics.tail import MetricsTail


def write(path: Path, steps: range, *, resumed_at: int = 0) -> None:
    metrics = MetricsFile(str(path), resumed_at=resumed_at)
    if resumed_at:
        metrics.write({"kind": "resume", "step": resumed_at})
    for step in steps:
        metrics.write({"kind": "step", "step": step})
    metrics.close()


def seen(records: list[dict[str, object]]) -> list[tuple[object, object]]:
    return [(record["kind"], record["step"]) for record in records]


def test_a_resume_forgets_the_steps_that_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 6))
    write(path, range(4, 7), resumed_at=3)
    expected = [("step", 1), ("step", 2), ("step", 3), ("resume", 3), ("step", 4), ("step", 5), ("step", 6)]
    assert seen(read_metrics(path)) == expected


def test_a_line_cut_off_by_a_crash_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 3))
    with path.open("ab") as file:
        file.write(b'{"kind": "st')
    write(path, range(3, 4), resumed_at=2)
    assert seen(read_metrics(path)) == [("step", 1), ("step", 2), ("resume", 2), ("step", 3)]


def test_a_follower_sees_each_record_once_and_the_replayed_ones_again(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    tail = MetricsTail(str(path))
    assert tail.take() == []
    first = MetricsFile(str(path), resumed_at=0)
    first.write({"kind": "step", "step": 1})
    assert seen(tail.take()) == [("step", 1)]
    first.write({"kind": "step", "step": 2})
    first.write({"kind": "step", "step": 3})
    first.close()
    assert seen(tail.take()) == [("step", 2), ("step", 3)]
    write(path, range(2, 4), resumed_at=1)
    assert seen(tail.take()) == [("resume", 1), ("step", 2), ("step", 3)]
    assert tail.take() == []


def test_a_follower_sees_lines_once_they_are_whole_and_none_twice_that_a_resume_keeps(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 3))
    tail = MetricsTail(str(path))
    with path.open("ab") as file:
        file.write(b'{"kind": "step", ')
    assert tail.take() == []
    with path.open("ab") as file:
        file.write(b'"step": 3}\n{"ki')
    assert seen(tail.take()) == [("step", 3)]
    write(path, range(4, 6), resumed_at=3)
    assert seen(tail.take()) == [("resume", 3), ("step", 4), ("step", 5)]
    path.unlink()
    assert tail.take() == []
    write(path, range(1, 3))
    assert seen(tail.take()) == [("step", 1), ("step", 2)]


def test_a_follower_of_a_file_in_a_store() -> None:
    path = f"memory://{uuid4().hex}/metrics.jsonl"
    tail = MetricsTail(path)
    for step in (1, 2):
        storage.write_bytes(path, b"".join(b'{"kind": "step", "step": %d}\n' % number for number in range(1, step + 1)))
        assert seen(tail.take()) == [("step", step)]
    storage.write_bytes(path, b'{"kind": "step", "step": 1}\n{"kind": "resume", "step": 1}\n')
    assert seen(tail.take()) == [("resume", 1)]


def test_a_follower_leaves_out_what_was_there_before(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    write(path, range(1, 4))
    tail = MetricsTail(str(path))
    assert tail.take() == []
    write(path, range(3, 4), resumed_at=2)
    assert seen(tail.take()) == [("resume", 2), ("step", 3)]


def test_lines_for_people() -> None:
    step = {"kind": "step", "step": 1200, "loss": 5.4321, "learning_rate": 0.003, "tokens_per_second": 4321.0}
    assert describe(step) == "step 1,200: loss 5.432, learning rate 3.00e-03, 4,321 tokens/s"
    validation = {"kind": "validation", "step": 9, "loss": 5.0, "ratio": 0.8, "unigram_entropy": 6.25}
    assert describe(validation).endswith("5.000 nats/token, 20.0% below the unigram entropy of 6.250")
    assert describe({**validation, "ratio": 1.2}).endswith("20.0% above the unigram entropy of 6.250")
    assert describe({"kind": "checkpoint", "step": 3}) == "step 3: checkpoint written"


def test_lines_on_where_a_run_begins() -> None:
    start = {"kind": "start", "step": 0, "workers": 2, "next_line": 10}
    assert describe(start) == "training from the beginning on 2 workers; the next figures come after step 10"
    resume = {**start, "kind": "resume", "step": 9, "workers": 1, "checkpoint": "out/checkpoints/step_9", "damaged": []}
    ends = "on 1 worker; the next figures come after step 10"
    assert describe(resume) == f"resuming after step 9 from out/checkpoints/step_9 {ends}"
    damaged = {**resume, "damaged": ["step_12: a is missing"]}
    passed = "(not from newer ones, which are damaged: step_12: a is missing)"
    assert describe(damaged) == f"resuming after step 9 from out/checkpoints/step_9 {passed} {ends}"


def test_a_branch_says_the_options_of_another_component_without_a_value_before() -> None:
    changes = {
        "config.schedule": ["cosine", "wsd"],
        "config.schedule.wsd.decay_from": [None, 10],
        "config.seed": [0, 1],
    }
    rates: dict[str, Any] = {"learning_rates": [0.001, 0.002], "damaged": []}
    record = {"kind": "branch", "step": 9, "workers": 1, "next_line": 10, "run": "a", "changes": changes, **rates}
    said = "schedule cosine → wsd, schedule.wsd.decay_from 10, seed 0 → 1, learning rate 0.001 → 0.002"
    assert f"; {said}; " in describe(record)


def test_a_run_that_begins_again_keeps_no_line(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    first = MetricsFile(str(path), resumed_at=0)
    first.write({"kind": "start", "step": 0})
    first.close()
    write(path, range(1, 2))
    assert seen(read_metrics(path)) == [("step", 1)]


def test_what_a_watch_tells_is_its_own_line() -> None:
    for kind in ("spike", "sign"):
        assert describe({"kind": kind, "step": 1200, "line": "the loss jumped"}) == "step 1,200: the loss jumped"
