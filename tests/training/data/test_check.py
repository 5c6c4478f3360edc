"""What is refused before anything starts, at the limit and one past it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError
from tests.training.runs import MIX, PACK, counting_documents, counting_run, write_run
from training.config.arithmetic import check_workers
from training.config.parse import parse
from training.config.run import TrainConfig
from training.data.check import prepare, problem_with
from training.models.decoder import Decoder
from training.optim.schedule.cosine import Cosine
from training.optim.schedule.wsd import Wsd

CONFIG = parse({"steps": 5, "batch_rows": 4, "schedule": {"cosine": {"warmup_steps": 1}}})


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """64 tokens in the vocabulary, 16 tokens per row."""
    return counting_run(tmp_path_factory.mktemp("run") / "run")


def rows(run: Path) -> int:
    return prepare(CONFIG, str(run), 1).data.rows


def test_the_data_fills_in_what_is_left_open(run: Path) -> None:
    prepared = prepare(CONFIG, str(run), 2)
    assert (prepared.config.model.vocabulary, prepared.config.sequence_length) == (128, 16)
    assert prepared.config == replace(CONFIG, model=replace(CONFIG.model, vocabulary=128), sequence_length=16)


def test_rows_that_are_longer_than_the_learned_positions(run: Path) -> None:
    learned = Decoder(layers=2, width=32, heads=4, learned_positions=16)
    assert prepare(replace(CONFIG, model=learned), str(run), 1).config.sequence_length == 16
    with pytest.raises(InputError, match=r"rows of 16 tokens are longer than learned_positions 15"):
        prepare(replace(CONFIG, model=replace(learned, learned_positions=15)), str(run), 1)


def with_vocabulary(size: int) -> TrainConfig:
    return replace(CONFIG, model=Decoder(vocabulary=size))


def test_a_smaller_vocabulary_than_the_tokenizer_is_refused(run: Path) -> None:
    assert prepare(with_vocabulary(65), str(run), 1).config.model.vocabulary == 65
    prepare(with_vocabulary(64), str(run), 1)
    with pytest.raises(ValueError, match=r"tokenizer has 64 tokens .*, the model's vocabulary has room for 63"):
        prepare(with_vocabulary(63), str(run), 1)


def test_a_longer_sequence_than_the_rows_is_refused(run: Path) -> None:
    prepare(replace(CONFIG, sequence_length=16), str(run), 1)
    with pytest.raises(ValueError, match=r"sequence_length 17 is longer than the rows of the data \(16"):
        prepare(replace(CONFIG, sequence_length=17), str(run), 1)


def test_more_steps_than_the_data_has_are_refused_with_what_is_possible(run: Path) -> None:
    possible = rows(run) // 4
    prepare(replace(CONFIG, steps=possible), str(run), 1)
    with pytest.raises(ValueError, match=f"at most {possible} steps"):
        prepare(replace(CONFIG, steps=possible + 1), str(run), 1)


def test_a_schedule_longer_than_the_run_is_refused(run: Path) -> None:
    with pytest.raises(ValueError, match="warmup_steps is 5, but the run has only 5 steps"):
        prepare(replace(CONFIG, schedule=Cosine(warmup_steps=5)), str(run), 1)


def test_a_schedule_names_a_phase_of_the_mix(run: Path) -> None:
    (phase,) = prepare(CONFIG, str(run), 1).data.phases
    schedule = Wsd(warmup_steps=0, decay_from=phase)
    assert prepare(replace(CONFIG, schedule=schedule), str(run), 1).config.schedule == Wsd(warmup_steps=0, decay_from=0)
    with pytest.raises(ValueError, match="decay_from is 'later', but the mix has no phase of this name"):
        prepare(replace(CONFIG, schedule=Wsd(warmup_steps=0, decay_from="later")), str(run), 1)


@pytest.mark.parametrize("workers", [3, 8])
def test_workers_that_cannot_share_a_batch_are_refused(workers: int) -> None:
    with pytest.raises(ValueError, match=f"batch_rows 4 cannot be shared evenly by {workers} workers"):
        check_workers(CONFIG, workers)


def test_no_validation_rows(tmp_path: Path) -> None:
    run = write_run(tmp_path / "run", counting_documents(70), validation=[])
    with pytest.raises(ValueError, match="no validation rows"):
        prepare(CONFIG, str(run), 1)


def fingerprint(run: Path) -> str:
    return prepare(CONFIG, str(run), 1).fingerprint


def edit(path: Path, change: Callable[[dict[str, Any]], object]) -> None:
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def test_the_fingerprint_follows_the_rows_not_the_place(run: Path, tmp_path: Path) -> None:
    copy = counting_run(tmp_path / "copy")
    other = write_run(tmp_path / "other", counting_documents(71), validation=counting_documents(7, seed=1))
    assert fingerprint(run) == fingerprint(copy) != fingerprint(other)


def test_the_fingerprint_follows_the_order(tmp_path: Path) -> None:
    run = counting_run(tmp_path / "run")
    before = fingerprint(run)

    def edit_index(change: Callable[[dict[str, Any]], object]) -> None:
        edit(run / MIX / "index.json", change)
        edit(run / MIX / "_manifest.json", lambda manifest: change(manifest["mix"]))

    edit_index(lambda one: one.update(seed=1))
    assert fingerprint(run) != before
    edit_index(lambda one: one.update(seed=0))
    assert fingerprint(run) == before

    def split(one: dict[str, Any]) -> None:
        """Two phases of the same rows."""
        (entry,) = one["entries"]
        rows = one["entries"][0]["rows"]
        one["entries"] = [{**entry, "rows": 40}, {**entry, "phase": 1, "first": 40, "rows": rows - 40}]
        sizes = (("a", 40), ("b", rows - 40))
        one["phases"] = [{**one["phases"][0], "name": name, "rows": n, "tokens": n} for name, n in sizes]
        one["report"] = [{**one["report"][0], "phase": name, "tokens": n} for name, n in sizes]

    edit_index(split)
    assert fingerprint(run) != before


def test_the_fingerprint_stays_where_documents_are_taken_down(tmp_path: Path) -> None:
    """Their tokens are padding then, and the manifest counts them no more; rows and order are as they were."""
    run = counting_run(tmp_path / "run")
    before = fingerprint(run)

    def take_down(one: dict[str, Any]) -> None:
        for counts in (*one["tokens"]["sources"]["test"].values(), *one["tokens"]["parts"]):
            counts |= {"tokens": counts["tokens"] - 9, "documents": counts["documents"] - 1, "utf8_bytes": 1}

    edit(run / PACK / "_manifest.json", take_down)
    assert fingerprint(run) == before


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        pytest.param(
            {"micro_batch_rows": 3},
            "batch_rows 4 / 1 workers = 4 rows each, which micro-batches of 3 do not divide; give micro_batch_rows of",
            id="micro-batches",
        ),
        pytest.param(
            {"batch_stages": [{"steps": 1, "rows": 3}], "micro_batch_rows": 2}, "batch_rows 3 / 1", id="a stage's rows"
        ),
        pytest.param({"length_stages": [{"steps": 1, "parts": 3}]}, "16 tokens cannot be cut into 3", id="parts"),
        pytest.param({"parallel": {"replicate": 2}}, r"1 workers / \(parallel.replicate 2\) = 0.5", id="axis"),
    ],
)
def test_what_does_not_divide(run: Path, changes: dict[str, Any], message: str) -> None:
    settings = {"steps": 5, "batch_rows": 4, "schedule": {"cosine": {"warmup_steps": 1}}}
    with pytest.raises(ValueError, match=message):
        prepare(parse({**settings, **changes}), str(run), 1)


def test_what_is_wrong_with_rows_that_are_read() -> None:
    def damaged() -> None:
        raise InputError("row 3 is damaged")

    assert problem_with(damaged) == "row 3 is damaged"
    assert problem_with(lambda: None) == ""
