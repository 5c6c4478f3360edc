"""Arrays of floats, and files that hold none."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from curation.models.embeddings.npy_file import read_floats


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_any_width(tmp_path: Path, kind: npt.DTypeLike) -> None:
    np.save(tmp_path / "a.npy", np.array([[1, 2.5], [0, -1]], kind))
    found = read_floats(str(tmp_path / "a.npy"))
    assert found.dtype == kind
    assert found.tolist() == [[1, 2.5], [0, -1]]


@pytest.mark.parametrize(
    ("array", "message"),
    [
        pytest.param(np.ones(2), r"got float64\[2\]", id="one dimension"),
        pytest.param(np.ones((2, 2, 2)), r"got float64\[2, 2, 2\]", id="three dimensions"),
        pytest.param(np.ones((2, 2), np.int64), r"got int64\[2, 2\]", id="whole numbers"),
        pytest.param(np.array([[None, 1], [1, 2]]), "allow_pickle=False", id="objects"),
    ],
)
def test_other_arrays(tmp_path: Path, array: npt.NDArray[np.generic], message: str) -> None:
    np.save(tmp_path / "a.npy", array)
    with pytest.raises(ValueError, match=message):
        read_floats(str(tmp_path / "a.npy"))


@pytest.mark.parametrize("content", [b"", b"word 1 2\n", b"\x80\x04pickled"])
def test_no_array(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"does not begin as a \.npy file"):
        read_floats(str(tmp_path / "a.npy"))


def test_half_an_array(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones((100, 2)))
    whole = (tmp_path / "a.npy").read_bytes()
    (tmp_path / "a.npy").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="read"):
        read_floats(str(tmp_path / "a.npy"))
