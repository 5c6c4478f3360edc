"""Arrays in files: those that NumPy writes, and headers that claim what the file does not hold."""

import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.models.npy_file import mapped, parse, stated
from tests.support import table


def saved(array: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def written(fields: str, numbers: bytes = bytes(24)) -> bytes:
    """A file whose header holds these fields."""
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(fields)) + fields.encode("latin-1") + numbers


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=">i4").reshape(2, 3)),
        np.zeros((0, 4), np.float32),
        np.array(7, np.uint8),
        np.arange(3, dtype=np.uint64),
    ],
    ids=lambda array: f"{array.dtype}{list(array.shape)}",
)
def test_what_numpy_writes(tmp_path: Path, array: Any) -> None:
    (tmp_path / "a.npy").write_bytes(saved(array))
    for found in (parse(saved(array)), mapped(str(tmp_path / "a.npy"))):
        assert (found.dtype, found.shape) == (array.dtype, array.shape)
        assert np.array_equal(found, array)


@table(
    "fields, message",
    {
        "a number too many": ("{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", "do not hold float64"),
        "a number too few": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "do not hold float64"),
        "2^62 numbers": ("{'descr': '<f8', 'fortran_order': False, 'shape': (2**62,)}", "its header is damaged"),
        "numbers without end": (f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**62},)}}", "do not hold"),
        "none, in rows without end": (
            f"{{'descr': '<f8', 'fortran_order': False, 'shape': (0, {2**62})}}",
            "do not hold float64",
        ),
        "negative lengths": ("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -3)}", "states no shape"),
        "a length that is none": ("{'descr': '<f8', 'fortran_order': False, 'shape': (True, 3)}", "states no shape"),
        "no shape": ("{'descr': '<f8', 'fortran_order': False, 'shape': 3}", "states no shape"),
        "objects": ("{'descr': '|O', 'fortran_order': False, 'shape': (3,)}", "it holds object, not numbers"),
        "records": ("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}", "not numbers"),
        "no type": ("{'descr': '<q7', 'fortran_order': False, 'shape': (3,)}", "names no type of numbers"),
        "no order": ("{'descr': '<f8', 'fortran_order': 0, 'shape': (3,)}", "does not say the order"),
        "a field less": ("{'descr': '<f8', 'shape': (3,)}", "its header is damaged"),
        "code": ("__import__('os').getpid()", "its header is damaged"),
        "nested": ("(" * 900, "its header is damaged"),
    },
)
def test_claims_that_are_refused(tmp_path: Path, fields: str, message: str) -> None:
    content = written(fields)
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        parse(content)
    with pytest.raises(ValueError, match=message):
        mapped(str(tmp_path / "a.npy"))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"", "does not begin"),
        (b"PK\3\4", "does not begin"),
        (b"\x93NUMPY", "does not begin"),
        (b"\x93NUMPY\1\0\xff\xff{}", "its header has 65,535 bytes, more than the 1,024"),
        (b"\x93NUMPY\2\0\xff\xff\xff\xff{}", "its header has 4,294,967,295 bytes"),
    ],
)
def test_other_beginnings(start: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stated(start, len(start))
