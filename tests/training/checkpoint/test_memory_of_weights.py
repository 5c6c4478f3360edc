"""Weights are read and written one tensor at a time: no process holds a model that it does not keep."""

from pathlib import Path

import torch

from tests.peak_memory import peak_memory
from training.checkpoint.initial import checkpoint_weights
from training.checkpoint.manifest import CheckpointManifest, TensorFile, TensorShape, file_name, write_manifest
from training.checkpoint.state import TensorBox
from training.checkpoint.tensor_files import write_tensors
from training.models.decoder import Decoder
from training.models.decoder.huggingface import config_of, layout
from training.models.folder_writer import WholeWeights, export, write_folder
from training.models.hugging_face import read_folder

DECODER = Decoder(layers=12, width=512, heads=8, hidden=2048, vocabulary=1024)  # 200 MB; a tensor has 4 at most
SHAPES = {name: tuple(one.shape) for name, one in DECODER.build(1024).to("meta").named_parameters()}
PARTS = 4


def most_so_far() -> float:
    """MB: what the libraries take, if nothing was done yet."""
    status = Path("/proc/self/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) * 1024 / 1e6


def of_rows(folder: str) -> tuple[float, float]:
    """Copies one process's part of the rows of each tensor; returns MB before, and MB of the rows."""
    before = most_so_far()
    found = read_folder(folder, layout)
    kept = []
    for name, shape in SHAPES.items():
        rows = shape[0] // PARTS
        box = (rows, *shape[1:])
        kept.append(torch.empty(box).copy_(found.box(name, (rows, *(0 for _ in shape[1:])), box)))
    return before, sum(one.nbytes for one in kept) / 1e6


def released(folder: str, output: str) -> float:
    before = most_so_far()
    export(checkpoint_weights(folder), DECODER, output)
    return before


def test_rows_of_a_folder(tmp_path: Path) -> None:
    config = config_of(DECODER, 1024)
    write_folder(str(tmp_path), config, layout(config)[1], WholeWeights(SHAPES, lambda name: torch.ones(SHAPES[name])))
    peak, (before, kept) = peak_memory(of_rows, str(tmp_path))
    assert 50 < kept < 53
    assert peak - before < kept + 30


def test_a_checkpoint_of_several_processes_is_released(tmp_path: Path) -> None:
    whole = {f"model.{name}": TensorShape("F32", shape) for name, shape in SHAPES.items()}
    files: dict[str, TensorFile] = {}
    for rank in range(PARTS):
        boxes = {}
        for name, one in whole.items():
            rows = one.shape[0] // PARTS
            part = torch.full((rows, *one.shape[1:]), float(rank))
            boxes[name] = TensorBox(one, part, (rank * rows, *(0 for _ in one.shape[1:])), writes=True)
        files[file_name(rank)] = write_tensors(str(tmp_path / file_name(rank)), boxes)
    write_manifest(str(tmp_path), CheckpointManifest(1, PARTS, "", whole, files))
    peak, before = peak_memory(released, str(tmp_path), str(tmp_path / "out"))
    assert peak - before < 50
    found = read_folder(str(tmp_path / "out"), layout).box("norm.weight", (0,), (512,))
    assert found.unique_consecutive().tolist() == [0, 1, 2, 3]
