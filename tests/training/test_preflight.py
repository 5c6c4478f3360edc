"""What is refused with the model at hand: one larger than the memory, and formats that a device has not."""

from dataclasses import replace
from pathlib import Path

import pytest

from training import preflight
from training.checkpoint.manifest import MANIFEST, folder_of
from training.config.parse import parse
from training.models.decoder import Decoder
from training.preflight import check_initial, check_memory


def test_a_model_larger_than_the_memory_is_refused_with_the_estimate() -> None:
    config = parse({"model": {"decoder": {"layers": 80, "width": 65536, "heads": 64, "vocabulary": 128_000}}})
    with pytest.raises(ValueError, match=r"has [0-9,]{15,} parameters, which take at least 20 bytes each .* GiB; take"):
        check_memory(config, 2)
    check_memory(replace(config, model=Decoder(vocabulary=100)), 2)


def test_workers_on_several_machines_share_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    config = parse({"model": {"decoder": {"preset": "70b", "vocabulary": 100}}})
    monkeypatch.setattr(preflight, "_memory", lambda: 512 << 30)
    with pytest.raises(ValueError, match="GiB here for shard 128"):
        check_memory(config, 128)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "8")
    check_memory(config, 128)


def test_initial_weights_are_not_asked_for_once_there_is_a_checkpoint(tmp_path: Path) -> None:
    config = parse({"model": {"decoder": {"vocabulary": 100}}, "init": str(tmp_path / "gone")})
    with pytest.raises(ValueError, match="gone is neither a training nor"):
        check_initial(config, str(tmp_path))
    folder = Path(folder_of(str(tmp_path), 3))
    folder.mkdir(parents=True)
    (folder / MANIFEST).touch()
    check_initial(config, str(tmp_path))


def test_a_format_that_the_device_has_not() -> None:
    config = parse({"precision": "fp16", "model": {"decoder": {"vocabulary": 100}}})
    with pytest.raises(ValueError, match="precision is fp16, which needs a GPU"):
        check_memory(config, 1)
