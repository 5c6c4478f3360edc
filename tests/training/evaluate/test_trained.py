"""What is loaded is what was trained; and what is no training, or damaged, is told in a line."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from curation.core.errors import InputError, UserError
from curation.tokens.shards import TokenData
from tests.support import table
from tests.training.checkpoint.models import flip
from tests.training.evaluate.trained_runs import trained
from training.checkpoint.manifest import folder_of
from training.config.arithmetic import step_rows
from training.config.run import TrainConfig
from training.data.batches import TokenBatches
from training.data.check import prepare
from training.evaluate.trained import TrainedRun
from training.evaluate.validation import validate
from training.parallel.mesh import worker_group
from training.parallel.sharded import WholePasses


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return trained(tmp_path_factory.mktemp("trained"))


def test_the_newest_checkpoint_has_the_loss_that_was_recorded(model: Path) -> None:
    run = TrainedRun.of(str(model))
    assert run.steps == (3, 6, 8)
    assert isinstance(run.config, TrainConfig)
    prepared = prepare(run.config, run.data, 1)
    assert isinstance(prepared.data, TokenData)
    with worker_group() as worker:
        batches = TokenBatches(
            prepared.data, prepared.config, step_rows(prepared.config), prepared.ids, worker
        ).validation()
        found = validate(
            WholePasses(run.load(8), run.config.parallel), batches, worker, prepared.config, None, prepared.data.sources
        )
    recorded = json.loads((model / "result.json").read_text())
    assert found.loss == pytest.approx(recorded["validation_loss"], abs=1e-6)


def test_a_checkpoint_is_itself(model: Path) -> None:
    run = TrainedRun.of(folder_of(str(model), 3) + "/")
    assert (run.folder, run.steps) == (str(model), (3,))
    earlier, later = (dict(run.load(step).named_parameters()) for step in (3, 8))
    assert not torch.equal(earlier["embedding.weight"], later["embedding.weight"])


@table(
    "sizes, message",
    {
        "another width": ({"width": 48}, r"step_8 do not fit the model: blocks\.0\.attention\.\w+"),
        "a width that takes all memory": ({"width": 1 << 20}, "step_8 do not fit the model"),
        "a width beyond all": ({"width": 1 << 40}, "width is 1099511627776; give 16,777,216 or less"),
        "layers without end": ({"layers": 10**9}, "layers is 1000000000; give 10,000 or less"),
        "a vocabulary that takes all memory": ({"vocabulary": 1 << 32}, r"model: embedding\.weight is"),
        "a vocabulary beyond all": ({"vocabulary": 1 << 62}, "vocabulary is 4611686018427387904; give 4,294,967,296"),
        "a negative width": ({"width": -8}, "width is -8; give 1 or more"),
        "no width": ({"width": float("nan")}, "width"),
        "letters": ({"layers": "many"}, "layers"),
    },
)
def test_a_config_of_a_model_that_was_not_trained(
    model: Path, tmp_path: Path, sizes: dict[str, Any], message: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    record = json.loads((copy / "config.json").read_text())
    record["config"]["model"]["decoder"].update(sizes)
    (copy / "config.json").write_text(json.dumps(record))
    with pytest.raises(UserError, match=message):
        TrainedRun.of(str(copy)).load(8)


def test_what_cannot_be_loaded(model: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is neither a training nor one of its checkpoints; give the --output"):
        TrainedRun.of(str(tmp_path))
    copy = tmp_path / "copy"
    shutil.copytree(model, copy)
    flip(copy / "checkpoints/step_8/rank-00000.safetensors", -1)
    with pytest.raises(InputError, match=r"step_8 is damaged: .* another checksum"):
        TrainedRun.of(str(copy)).load(8)
    (copy / "checkpoints/step_8/_manifest.json").write_text("{")
    with pytest.raises(InputError, match=r"step_8 is damaged: _manifest\.json cannot be read; give another checkpoint"):
        TrainedRun.of(str(copy)).load(8)
    record = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(record | {"versions": record["versions"] | {"decoder": 1}}))
    with pytest.raises(InputError, match="was trained by version 1 of decoder, this winnow has 2"):
        TrainedRun.of(str(copy))
    (copy / "config.json").write_text(json.dumps(record | {"format": 2}))
    with pytest.raises(InputError, match="has format 2, this winnow reads 5"):
        TrainedRun.of(str(copy))
    shutil.rmtree(copy / "checkpoints")
    with pytest.raises(InputError, match="has no complete checkpoint yet"):
        TrainedRun.of(str(copy))
