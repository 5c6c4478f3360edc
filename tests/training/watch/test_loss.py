"""Junk among the rows of a training makes its loss jump: it is told of, and with `skip` the training ends as one that
never read those rows. tests/end_to_end/test_blame.py names the documents.
"""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.account.lineage.trainings import open_training
from curation.tokens.shards import TokenData
from curation.tokens.step_rows import SKIPPED, read_skipped
from tests.training.runs import TINY, change_rows, counting_documents, read_metrics, write_run
from training.config.parse import parse
from training.start import train

JUNK = 45  # a step, from 0
SETTINGS: dict[str, Any] = {
    **TINY,
    "steps": 60,
    "checkpoint_every": 10,
    "validate_every": 60,
    "log_every": 5,
    "watch": {"on_spike": "skip"},
}


def clean(folder: Path) -> str:
    """Rows for a bit more than 70 steps of 4."""
    return str(write_run(folder, counting_documents(560), validation=counting_documents(7, seed=1)))


def with_junk(folder: Path) -> str:
    """All rows of a step are tokens at random."""
    run = clean(folder)
    for file, row in TokenData.open(run).locate(JUNK, batch_rows=4):
        path = Path(run, f"{file}.bin")
        rows = np.fromfile(path, "<u2").reshape(-1, 17)
        rows[row] = np.random.default_rng(row).integers(2, 64, 17)
        change_rows(path, rows)
    return run


def records(output: Path, kind: str) -> list[dict[str, Any]]:
    return [record for record in read_metrics(output / "metrics.jsonl") if record["kind"] == kind]


def test_a_training_leaves_junk_out_and_ends_as_if_it_had_never_been_there(tmp_path: Path) -> None:
    output = tmp_path / "model"
    result = train(parse(SETTINGS), with_junk(tmp_path / "junk"), str(output))
    (window,) = read_skipped(str(output))
    assert (window.step, window.position) == (JUNK, 4 * JUNK)
    assert window.reason.startswith(f"at step {JUNK + 1} the loss jumped to ")
    (resume,) = records(output, "resume")
    assert (resume["step"], len(resume["skipped"])) == (40, 1)
    assert [record["step"] for record in records(output, "step")] == list(range(5, 61, 5))
    without = tmp_path / "without"
    without.mkdir()
    (without / SKIPPED).write_bytes((output / SKIPPED).read_bytes())
    expected = train(parse(SETTINGS), clean(tmp_path / "clean"), str(without))
    assert {**result, "data": "", "energy": 0} == {**expected, "data": "", "energy": 0}
    losses = [record["loss"] for record in records(output, "step")]
    assert losses == [record["loss"] for record in records(without, "step")]


def test_who_asks_for_documents_is_told_what_was_left_out(tmp_path: Path) -> None:
    output = tmp_path / "model"
    train(parse(SETTINGS), with_junk(tmp_path / "junk"), str(output))
    training = open_training(str(output))
    (window,) = read_skipped(str(output))
    read = [position for step in range(60) for position in training.rows.positions(step)]
    assert sorted(read) == [*range(window.position), *range(window.position + window.rows, 240 + window.rows)]
    for file, row in training.tokens.places(range(4 * JUNK, 4 * JUNK + 4)):
        pack, _, part = file.rpartition("/")
        assert training.steps_of(str(tmp_path / "junk" / pack), part, [(row, 0)]) == []
    step = training.rows.step_of(window.position + window.rows)
    assert step == JUNK


def test_a_jump_is_told_of_and_nothing_is_done(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    output = tmp_path / "model"
    with caplog.at_level(logging.WARNING):
        train(parse({**SETTINGS, "watch": {"on_spike": "warn"}}), with_junk(tmp_path / "junk"), str(output))
    assert not (output / SKIPPED).exists()
    spikes = records(output, "spike")
    assert spikes[0]["step"] == JUNK + 1
    assert {spike["action"] for spike in spikes} == {"warn"}
    assert f"winnow blame {output} --step {JUNK}` names its documents" in caplog.text


def test_too_few_rows_to_leave_any_out(tmp_path: Path) -> None:
    run = with_junk(tmp_path / "junk")
    steps = TokenData.open(run).rows // 4
    output = tmp_path / "model"
    assert train(parse({**SETTINGS, "steps": steps}), run, str(output))["steps"] == steps
    assert not (output / SKIPPED).exists()
    assert {spike["action"] for spike in records(output, "spike")} == {"warn"}


def test_after_many_windows_the_data_is_not_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.watch.loss.MOST", 0)
    output = tmp_path / "model"
    train(parse(SETTINGS), with_junk(tmp_path / "junk"), str(output))
    assert not (output / SKIPPED).exists()
    assert {spike["action"] for spike in records(output, "spike")} == {"warn"}


def test_a_training_killed_after_it_wrote_the_window_goes_back(tmp_path: Path) -> None:
    """A checkpoint that has seen the rows is not gone on from."""
    run = with_junk(tmp_path / "junk")
    seen = tmp_path / "model"
    warned = {**SETTINGS, "watch": {"on_spike": "warn"}, "keep_checkpoints": 10}

    def stop(record: dict[str, Any]) -> None:
        if (record["kind"], record["step"]) == ("checkpoint", 50):
            raise InterruptedError

    with pytest.raises(InterruptedError):
        train(parse(warned), run, str(seen), on_record=stop)
    window = {"step": JUNK, "position": 4 * JUNK, "rows": 4, "reason": "junk"}
    (seen / SKIPPED).write_text(json.dumps([window]))
    result = train(parse(warned), run, str(seen))
    assert [record["step"] for record in records(seen, "resume")] == [40]
    without = tmp_path / "without"
    without.mkdir()
    (without / SKIPPED).write_text(json.dumps([window]))
    expected = train(parse(warned), clean(tmp_path / "clean"), str(without))
    assert result["validation_loss"] == expected["validation_loss"]
