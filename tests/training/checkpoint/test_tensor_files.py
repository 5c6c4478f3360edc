"""Boxes of tensors come back in whatever boxes they are asked for; what is not in the files is noticed."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.support import table
from tests.training.checkpoint.models import flip
from training.checkpoint.manifest import DamagedError, TensorFile, TensorShape
from training.checkpoint.pieces import TensorPiece
from training.checkpoint.state import DTYPES, TensorBox
from training.checkpoint.tensor_files import fill, what_is_wrong, write_tensors


def boxes(whole: torch.Tensor, parts: int, dimension: int) -> list[TensorBox]:
    """The tensor cut along a dimension, as processes hold it; the last boxes may be empty."""
    shape = TensorShape(DTYPES[whole.dtype], tuple(whole.shape))
    held = []
    start = 0
    for piece in torch.tensor_split(whole, parts, dimension):
        at = [0] * whole.dim()
        at[dimension] = start
        held.append(TensorBox(shape, piece.clone(), tuple(at), True))
        start += piece.shape[dimension]
    return held


def written(folder: Path, parts: list[TensorBox]) -> dict[str, TensorFile]:
    return {
        f"rank-{rank:05d}.safetensors": write_tensors(str(folder / f"rank-{rank:05d}.safetensors"), {"a": part})
        for rank, part in enumerate(parts)
    }


@pytest.mark.parametrize("dtype", list(DTYPES), ids=str)
def test_every_kind_of_number(tmp_path: Path, dtype: torch.dtype) -> None:
    whole = torch.arange(12).reshape(4, 3).to(dtype)
    files = written(tmp_path, boxes(whole, 1, 0))
    (empty,) = boxes(torch.zeros_like(whole), 1, 0)
    fill(str(tmp_path), files, {"a": empty})
    assert torch.equal(empty.local.float(), whole.float())
    assert torch.equal(load_file(tmp_path / "rank-00000.safetensors")["a"].float(), whole.float())


@pytest.mark.parametrize("before", [(1, 0), (2, 0), (3, 0), (9, 0), (2, 1)])
@pytest.mark.parametrize("after", [(1, 0), (2, 0), (3, 0), (9, 0), (3, 1)])
def test_any_number_of_processes_and_any_dimension(
    tmp_path: Path, before: tuple[int, int], after: tuple[int, int]
) -> None:
    whole = torch.arange(7 * 5 * 2, dtype=torch.float32).reshape(7, 5, 2)
    files = written(tmp_path, boxes(whole, *before))
    for box in boxes(torch.zeros_like(whole), *after):
        fill(str(tmp_path), files, {"a": box})
        expected = whole[tuple(slice(a, a + n) for a, n in zip(box.start, box.local.shape, strict=True))]
        assert torch.equal(box.local, expected)


def test_a_single_number(tmp_path: Path) -> None:
    shape = TensorShape("F32", ())
    files = written(
        tmp_path, [TensorBox(shape, torch.tensor(3.5), (), True), TensorBox(shape, torch.tensor(9.0), (), False)]
    )
    target = TensorBox(shape, torch.tensor(0.0), (), True)
    fill(str(tmp_path), files, {"a": target})
    assert float(target.local) == 3.5


def test_numbers_that_no_file_holds_are_damage(tmp_path: Path) -> None:
    whole = torch.arange(8.0)
    files = written(tmp_path, boxes(whole, 2, 0)[:1])
    with pytest.raises(DamagedError, match="its files do not hold all of a"):
        fill(str(tmp_path), files, {"a": boxes(whole, 1, 0)[0]})


def test_what_is_wrong_with_a_file(tmp_path: Path) -> None:
    files = written(tmp_path, boxes(torch.arange(8.0), 1, 0))
    path = tmp_path / "rank-00000.safetensors"
    assert what_is_wrong(str(tmp_path), files) == ""
    for at in range(path.stat().st_size):
        flip(path, at)
        assert (
            what_is_wrong(str(tmp_path), files) == "rank-00000.safetensors has another checksum than its manifest says"
        )
        flip(path, at)
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    assert "bytes, its manifest says" in what_is_wrong(str(tmp_path), files)
    path.unlink()
    assert what_is_wrong(str(tmp_path), files) == "rank-00000.safetensors is missing"


@table(
    "piece",
    {
        "of fewer dimensions": TensorPiece(8, (0,), (4,)),
        "before the tensor": TensorPiece(8, (-1, 0), (4, 3)),
        "behind the tensor": TensorPiece(8, (1, 0), (4, 3)),
        "of a size that takes all memory": TensorPiece(8, (0, 0), (4, 1 << 40)),
        "of a negative size": TensorPiece(8, (0, 0), (-4, -3)),
        "before the file": TensorPiece(-8, (0, 0), (4, 3)),
        "one byte behind the file": TensorPiece(81, (0, 0), (4, 3)),
    },
)
def test_pieces_that_a_manifest_makes_up(tmp_path: Path, piece: TensorPiece) -> None:
    (box,) = boxes(torch.zeros(4, 3), 1, 0)
    files = {"rank-00000.safetensors": TensorFile(80 + 48, "", {"a": piece})}
    with pytest.raises(DamagedError, match=r"gives rank-00000\.safetensors a piece of a that does not fit"):
        fill(str(tmp_path), files, {"a": box})
