"""A set of strings is asked for its own strings and for others, also for ones that only look alike by hash."""

import numpy as np
import pyarrow as pa
import pytest

from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.compiler.kernel import read_only
from curation.text.kernels.hashing import hash64
from curation.text.phrases.string_set import Entries, entries, find_spans, joined


def numbers(found: Entries, *asked: str) -> list[int]:
    data, offsets = text_buffers(pa.array(asked, pa.large_string()))
    numbers: list[int] = find_spans(data, offsets[:-1], offsets[1:], found).tolist()
    return numbers


def test_the_first_of_equal_strings_is_found() -> None:
    assert numbers(entries(["a", "bc", "a"]), "bc", "a", "b", "abc", "") == [1, 0, -1, -1, -1]


@pytest.mark.parametrize("strings", [pytest.param([], id="none"), pytest.param([""], id="an empty one")])
def test_a_set_with_nothing_to_find(strings: list[str]) -> None:
    found = entries(strings)
    assert numbers(found, "", "a") == [-1, -1]
    assert found.longest == 0
    assert found.names(np.array([-1])).to_pylist() == [None]


def test_equal_hashes_are_told_apart_by_their_bytes() -> None:
    found = entries(["example.com"])
    impostor = read_only(Entries(*text_buffers(pa.array(["example.org"], pa.large_string())), found.slots))
    assert hash64(pa.array(["example.com"], pa.large_string()))[0] >> np.uint64(32) in found.slots >> np.uint64(32)
    assert numbers(found, "example.com") == [0]
    assert numbers(impostor, "example.com") == [-1]


@pytest.mark.parametrize("count", [11, 12, 13, 24, 25, 5000])
def test_tables_of_every_filling(count: int) -> None:
    names = [f"host-{number}.example" for number in range(count)]
    found = entries(names)
    assert numbers(found, *names) == list(range(count))
    assert numbers(found, *(f"{name}x" for name in names)) == [-1] * count
    assert 3 * len(found.slots) >= 4 * count


def test_names_and_joined_arrays() -> None:
    parts = [text_buffers(pa.array(part, pa.large_string())) for part in (["a", "bc"], [], ["def"])]
    data, offsets = joined(parts)
    assert (data.tobytes(), offsets.tolist()) == (b"abcdef", [0, 1, 3, 6])
    assert joined([])[1].tolist() == [0]
    assert entries(["a", "bé"]).names(np.array([1, -1, 0])).to_pylist() == ["bé", None, "a"]


def test_names_that_are_no_utf8() -> None:
    broken = Entries(np.frombuffer(b"a\xff", np.uint8), np.array([0, 2]), np.zeros(16, np.uint64))
    assert broken.names(np.array([0])).to_pylist() == ["a\ufffd"]
