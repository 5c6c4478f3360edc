"""Headers of safetensors files: those that a library writes, and those that claim what the file does not hold."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from curation.core.tensor_header import MOST_HEADER, StatedTensor, header_of, stated_tensors
from tests.support import table


def written(path: Path, header: object, numbers: int, *, length: int | None = None) -> Path:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(text) if length is None else length).to_bytes(8, "little") + text + bytes(numbers))
    return path


def tensor(start: int, stop: int, *shape: int, dtype: str = "F32") -> dict[str, Any]:
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [start, stop]}


def test_what_the_library_writes(tmp_path: Path) -> None:
    tensors = {"a": torch.zeros(2, 3), "b": torch.zeros(5, dtype=torch.bfloat16), "none": torch.zeros(0, 4)}
    save_file(tensors, tmp_path / "m.safetensors", {"format": "pt"})
    found = stated_tensors(tmp_path / "m.safetensors")
    assert {name: (one.dtype, one.shape, one.stop - one.start) for name, one in found.items()} == {
        "a": ("F32", (2, 3), 24),
        "b": ("BF16", (5,), 10),
        "none": ("F32", (0, 4), 0),
    }


def test_a_number_alone(tmp_path: Path) -> None:
    path = written(tmp_path / "m", {"x": tensor(0, 4)}, 4)
    assert stated_tensors(path) == {"x": StatedTensor("F32", (), 0, 4)}


@table(
    "header, numbers, message",
    {
        "overlapping": ({"x": tensor(0, 8, 2), "y": tensor(4, 12, 2)}, 12, "overlap, or lie apart"),
        "with a gap": ({"x": tensor(0, 8, 2), "y": tensor(12, 20, 2)}, 20, "overlap, or lie apart"),
        "not from the start": ({"x": tensor(4, 12, 2)}, 12, "overlap, or lie apart"),
        "one number short": ({"x": tensor(0, 8, 2)}, 7, "its size is not what its header says"),
        "one number more": ({"x": tensor(0, 8, 2)}, 9, "its size is not what its header says"),
        "another shape than bytes": ({"x": tensor(0, 8, 3)}, 8, "other bytes than its shape takes"),
        "another type than bytes": ({"x": tensor(0, 8, 2, dtype="F64")}, 8, "other bytes than its shape takes"),
        "2^63 numbers": ({"x": tensor(0, 8, 2**63)}, 8, r"the shape \[9223372036854775808\]"),
        "lengths whose product is 2^64": ({"x": tensor(0, 0, 2**32, 2**32)}, 0, "other bytes than its shape takes"),
        "a negative length": ({"x": tensor(0, 8, -1, -2)}, 8, r"the shape \[-1, -2\]"),
        "bytes backwards": ({"x": tensor(8, 0, 2)}, 8, "other bytes than its shape takes"),
        "a type that there is not": ({"x": tensor(0, 8, 2, dtype="F31")}, 8, "does not say what 'x' is"),
        "a type of no text": ({"x": {**tensor(0, 8, 2), "dtype": ["F32"]}}, 8, "does not say what 'x' is"),
        "no fields": ({"x": 7}, 8, "does not say what 'x' is"),
        "a list": ([1], 0, "names no tensors"),
        "a name twice": (b'{"x": 1, "x": 2}', 0, "stands in it twice"),
        "nested deeply": (b"[" * 100_000, 0, "no JSON of its own kind"),
        "no JSON": (b"PK\3\4", 0, "no JSON of its own kind"),
        "no UTF-8": (b'{"\xff": 1}', 0, "no JSON of its own kind"),
    },
)
def test_claims_that_are_refused(tmp_path: Path, header: object, numbers: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stated_tensors(written(tmp_path / "m", header, numbers))


@pytest.mark.parametrize("length", [9, 1 << 40, (1 << 64) - 1])
def test_a_header_longer_than_the_file(tmp_path: Path, length: int) -> None:
    with pytest.raises(ValueError, match="cut short"):
        stated_tensors(written(tmp_path / "m", b"{}", 6, length=length))


def test_a_header_that_takes_all_memory(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="its header has 8,388,609 bytes, more than 8,388,608"):
        stated_tensors(written(tmp_path / "m", b"", MOST_HEADER + 1, length=MOST_HEADER + 1))


def test_a_file_of_no_bytes(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(ValueError, match="cut short"):
        stated_tensors(tmp_path / "m")


def test_a_header_for_safetensors(tmp_path: Path) -> None:
    """By the library, of two tensors and their numbers."""
    path = tmp_path / "written.safetensors"
    numbers = np.arange(6, dtype=np.float32)
    path.write_bytes(header_of({"a": ("F32", (2, 3)), "b": ("U8", ())}) + numbers.tobytes() + b"\x07")
    with safe_open(path, "np") as file:
        assert file.metadata() == {"format": "pt"}
        assert file.get_tensor("a").tolist() == numbers.reshape(2, 3).tolist()
        assert file.get_tensor("b") == 7
    assert stated_tensors(path) == {"a": StatedTensor("F32", (2, 3), 0, 24), "b": StatedTensor("U8", (), 24, 25)}
