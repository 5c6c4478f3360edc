"""Bits per byte against plain Python, at the ends of blocks and of the data."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.blocks import (
    BLOCK,
    REACH,
    address_of,
    below,
    character_bits,
    characters_in,
    equal,
    fetch,
    first_bits,
    folded_product,
    gather,
    load8,
    lowest,
    ones,
    space_bits,
    stands_at,
    store8,
    window,
)
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiled import Out, kernel
from tests.curation.text.texts import ODD

Words = npt.NDArray[np.uint64]
contents = st.one_of(
    st.binary(max_size=150), st.text(st.sampled_from(ODD), max_size=80).map(lambda text: text.encode())
)


@kernel
def questions(data: Bytes, at: int, byte: int, pad: Out[Bytes]) -> Words:
    """What the block at byte `at` gives: equal, below, characters, spaces and those that go on, ones, lowest, bytes."""
    address = window(data, at, pad)
    found = np.zeros(8, np.uint64)
    found[0], found[1], found[2] = equal(address, byte), below(address, byte), character_bits(address)
    found[3], found[4] = space_bits(address, data.size - at)
    found[5], found[6], found[7] = ones(found[0]), lowest(found[0]), load8(address)
    return found


@kernel
def folded(one: np.uint64, count: int) -> tuple[np.uint64, np.uint64]:
    return folded_product(one, one), first_bits(count)


@kernel
def store(data: Out[Bytes], at: int, value: np.uint64) -> int:
    return store8(address_of(data) + np.uint64(at), value)


@kernel
def fetched(data: Bytes, at: int) -> int:
    return fetch(address_of(data) + np.uint64(at))


def bits(places: list[int]) -> int:
    return sum(1 << place for place in places if 0 <= place < BLOCK)


def ask(content: bytes, at: int, byte: int) -> list[int]:
    pad = np.zeros(REACH, np.uint8)
    found: list[int] = questions(np.frombuffer(content, np.uint8), at, byte, pad).tolist()
    return found


@given(contents.filter(len), st.data())
def test_bytes_of_a_block(content: bytes, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.sampled_from(sorted(set(content))))
    # What lies behind the data is 0 only where a copy is made, so nothing is said of it.
    inside = bits(list(range(min(BLOCK, len(content) - at))))
    block = content[at : at + BLOCK]
    same = bits([k for k, value in enumerate(block) if value == byte])
    found = ask(content, at, byte)
    assert found[0] & inside == same
    assert found[1] & inside == bits([k for k, value in enumerate(block) if value < byte])
    assert found[2] & inside == bits([k for k, value in enumerate(block) if value & 0xC0 != 0x80])
    if byte:
        assert found[5:7] == [same.bit_count(), (same & -same).bit_length() - 1 if same else BLOCK]
    assert found[7].to_bytes(8, "little")[: len(block)] == block[:8]


@given(st.text(st.sampled_from(ODD), max_size=100))
def test_whitespace_of_a_block(text: str) -> None:
    content = text.encode()
    spaces, at = [], 0
    for char in text:
        size = len(char.encode())
        if char.isspace() and at < BLOCK:
            spaces += range(at, at + size)
        at += size
    found = ask(content, 0, 0)
    assert found[3] == bits(spaces)
    assert found[4] == bits([place - BLOCK for place in spaces if place >= BLOCK])


@pytest.mark.parametrize("space", ["\u00a0", "\u2003", "\u3000"])
@pytest.mark.parametrize("before", [61, 62, 63])
def test_whitespace_that_goes_on_in_the_next_block(space: str, before: int) -> None:
    size = len(space.encode())
    found = ask(b"a" * before + space.encode() + b"b" * 80, 0, 0)
    assert found[3] == bits(list(range(before, before + size)))
    assert found[4] == bits(list(range(before + size - BLOCK)))


def test_a_space_cut_off_by_the_end_is_none() -> None:
    assert ask("a\u2003".encode()[:3], 0, 0)[3:5] == [0, 0]


@given(contents)
def test_characters(content: bytes) -> None:
    found = characters_in(np.frombuffer(content, np.uint8), 0, len(content), np.zeros(REACH, np.uint8))
    assert found == sum(byte & 0xC0 != 0x80 for byte in content)


@given(st.integers(0, 2**64 - 1), st.integers(-5, 70))
def test_numbers(one: int, count: int) -> None:
    product, first = folded(np.uint64(one), count)
    assert int(product) == (one * one >> 64) ^ (one * one & (2**64 - 1))
    assert int(first) == 2 ** min(max(count, 0), 64) - 1


def test_eight_bytes_are_written_where_told() -> None:
    data = np.full(11, 9, np.uint8)
    assert store(data, 2, np.uint64(0x0807060504030201)) == 8
    assert data.tolist() == [9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_asking_for_an_address_reads_nothing() -> None:
    data = np.full(11, 9, np.uint8)
    assert [fetched(data, at) for at in (0, 10, 1 << 40)] == [0, 0, 0]  # the last one is not this process's own
    assert data.tolist() == [9] * 11


def test_parts_put_together() -> None:
    data = np.frombuffer(b"one, two, three", np.uint8)
    together, offsets = gather(data, np.array([5, 0, 3, 10]), np.array([8, 3, 3, 15]))
    assert together.tobytes() == b"twoonethree"
    assert offsets.tolist() == [0, 3, 6, 6, 11]


@pytest.mark.parametrize(
    ("at", "stop", "stands"),
    [
        pytest.param(0, 4, True, id="up to the end"),
        pytest.param(0, 3, False, id="one byte short"),
        pytest.param(1, 4, False, id="other bytes"),
    ],
)
def test_bytes_that_stand_in_others(at: int, stop: int, stands: bool) -> None:
    data, others = np.frombuffer(b"abab", np.uint8), np.frombuffer(b"xababx", np.uint8)
    assert stands_at(data, at, stop, others, 1, 5 if at == 0 else 3) == stands
