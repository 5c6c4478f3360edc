"""The newest whole checkpoint is loaded; damaged ones are passed over, those of another model refused."""

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.training.checkpoint.models import flip, save, sharded, update, weights
from training.checkpoint.load import LoadedState, load_newest
from training.checkpoint.manifest import MANIFEST, folder_of
from training.parallel.mesh import RefusedError, Worker, worker_group
from training.precision.scaler import LossScaler

DATA = "rank-00000.safetensors"


def saved(worker: Worker, output: Path) -> list[torch.Tensor]:
    """Checkpoints 1 and 2; the weights of the first."""
    trainee = sharded(worker, seed=0)
    update(trainee)
    save(str(output), 1, trainee, worker, keep=2)
    first = weights(trainee)
    update(trainee)
    save(str(output), 2, trainee, worker, keep=2)
    return first


def test_none_at_all(tmp_path: Path) -> None:
    with worker_group() as worker:
        assert load_newest(str(tmp_path), sharded(worker, seed=0), worker) == LoadedState(0)


def test_the_newest(tmp_path: Path) -> None:
    with worker_group() as worker:
        saved(worker, tmp_path)
        assert load_newest(str(tmp_path), sharded(worker, seed=1), worker) == LoadedState(2)


@pytest.mark.parametrize(
    ("file", "what"),
    [
        pytest.param(DATA, "has another checksum than its manifest says", id="numbers"),
        pytest.param(MANIFEST, "has another checksum than the one that it records", id="manifest"),
    ],
)
def test_a_flipped_bit_goes_back_one_step(tmp_path: Path, file: str, what: str) -> None:
    with worker_group() as worker:
        first = saved(worker, tmp_path)
        path = Path(folder_of(str(tmp_path), 2), file)
        flip(path, path.read_bytes().index(b"2.13") if file == MANIFEST else path.stat().st_size - 100)
        trainee = sharded(worker, seed=1)
        assert load_newest(str(tmp_path), trainee, worker) == LoadedState(1, (f"step_2: {file} {what}",))
        assert all(torch.equal(a, b) for a, b in zip(weights(trainee), first, strict=True))


def test_a_missing_file_goes_back_one_step(tmp_path: Path) -> None:
    with worker_group() as worker:
        saved(worker, tmp_path)
        Path(folder_of(str(tmp_path), 2), DATA).unlink()
        loaded = load_newest(str(tmp_path), sharded(worker, seed=1), worker)
    assert loaded == LoadedState(1, (f"step_2: {DATA} is missing",))


def test_where_none_is_whole_nothing_is_trained(tmp_path: Path) -> None:
    with worker_group() as worker:
        saved(worker, tmp_path)
        for step in (1, 2):
            flip(Path(folder_of(str(tmp_path), step), DATA), -1)
        message = r"no checkpoint in .* is whole \(step_2: .* checksum .*; step_1: .*\); restore one from a copy, or"
        with pytest.raises(RefusedError, match=message):
            load_newest(str(tmp_path), sharded(worker, seed=1), worker)


def test_a_checkpoint_of_another_model_is_refused(tmp_path: Path) -> None:
    with worker_group() as worker:
        saved(worker, tmp_path)
        message = r"step_2 is of another model: it has model\.blocks\.0\S+ F32\[.*\], this model F32\[.*\]; give"
        with pytest.raises(RefusedError, match=message):
            load_newest(str(tmp_path), sharded(worker, seed=0, width=24), worker)


@pytest.mark.parametrize("before", [False, True])
def test_a_scale_of_losses_is_of_the_device(tmp_path: Path, before: bool) -> None:
    """Written where losses are scaled, loaded where they are not, and the other way round."""
    with worker_group() as worker:
        one, other = sharded(worker, seed=0), sharded(worker, seed=1)
        scaled = LossScaler(worker.device)
        save(str(tmp_path), 1, replace(one, scaler=scaled if before else None), worker)
        assert load_newest(str(tmp_path), replace(other, scaler=None if before else scaled), worker).step == 1
        assert all(torch.equal(a, b) for a, b in zip(weights(one), weights(other), strict=True))


class Planted:
    """Runs code when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.mark,)


@pytest.mark.parametrize("whole", [True, False])
def test_a_planted_pickle_is_not_opened(tmp_path: Path, whole: bool) -> None:
    """In the names that torch's own checkpoints have, and in those of ours."""
    planted = pickle.dumps(Planted(tmp_path / "ran"))
    with worker_group() as worker:
        saved(worker, tmp_path)
        folder = Path(folder_of(str(tmp_path), 2))
        for name in (".metadata", "__0_0.distcp", *(() if whole else (DATA, MANIFEST))):
            (folder / name).write_bytes(planted)
        assert load_newest(str(tmp_path), sharded(worker, seed=1), worker).step == (2 if whole else 1)
    assert not (tmp_path / "ran").exists()
    pickle.loads(planted)
    assert (tmp_path / "ran").exists()
