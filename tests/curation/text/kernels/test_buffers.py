"""Text arrays as kernels see them: without a copy where that can be, null as empty, slices as they are."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from curation.text.kernels.buffers import offsets_of, phrase_buffers, text_array, text_buffers
from tests.curation.text.texts import batches, sliced


def pieces(array: pa.Array | pa.ChunkedArray) -> list[str]:
    data, offsets = text_buffers(array)
    return [bytes(data[a:b]).decode() for a, b in pairwise(offsets)]


@given(batches)
def test_a_slice_gives_its_own_texts_and_null_is_empty(values: list[str | None]) -> None:
    assert pieces(sliced(values)) == [value or "" for value in values]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_every_kind_of_text(kind: pa.DataType) -> None:
    assert pieces(pa.array(["é", "", "abc"], kind)) == ["é", "", "abc"]
    assert pieces(pa.array(["é", "", "abc"], kind).slice(2)) == ["abc"]
    assert pieces(pa.chunked_array([["a"], ["b", None]], kind)) == ["a", "b", ""]


def test_large_string_is_not_copied() -> None:
    array = pa.array(["one", "two"], pa.large_string())
    data, offsets = text_buffers(array)
    assert data.ctypes.data == array.buffers()[2].address
    assert offsets.ctypes.data == array.buffers()[1].address


def test_a_null_slot_with_bytes_behind_it_is_empty() -> None:
    full = pa.array(["one", "two"], pa.large_string())
    valid = pa.py_buffer(bytes([0b10]))
    assert pieces(pa.Array.from_buffers(pa.large_string(), 2, [valid, *full.buffers()[1:]])) == ["", "two"]


def test_no_rows() -> None:
    assert pieces(pa.array([], pa.large_string())) == []
    assert pieces(pa.array([None, None], pa.large_string())) == ["", ""]
    assert pieces(pa.array(["", ""], pa.large_string())) == ["", ""]


def test_a_column_of_numbers_is_refused() -> None:
    with pytest.raises(TypeError, match="int64"):
        text_buffers(pa.array([1]))


def test_text_array_is_the_way_back() -> None:
    data = np.frombuffer("aéb".encode(), np.uint8)
    assert text_array(data, np.array([0, 1, 1, 4])).to_pylist() == ["a", "", "éb"]


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(ValueError, match="matches everywhere"):
        phrase_buffers(["a", ""])


def test_offsets_of_sizes() -> None:
    assert offsets_of(np.array([2, 0, 3])).tolist() == [0, 2, 2, 5]
    assert offsets_of(np.array([True, False, True])).tolist() == [0, 1, 1, 2]
    assert offsets_of(np.array([], np.int64)).tolist() == [0]
