"""Bits per byte against plain Python, at the ends of blocks and of the data."""

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.blocks import (
    BLOCK,
    REACH,
    character_bits,
    gather,
    space_bits,
    window,
)
from curation.text.kernels.buffers import Bytes
from curation.text.kernels.compiler.instructions import below, equal, load8, lowest, ones
from curation.text.kernels.compiler.kernel import Out, kernel
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
    found[0] = equal(address, byte)
    found[1] = below(address, byte)
    found[2] = character_bits(address)
    found[3], found[4] = space_bits(address, data.size - at)
    found[5], found[6], found[7] = ones(found[0]), lowest(found[0]), load8(address)
    return found


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
    spaces = []
    at = 0
    for char in text:
        size = len(char.encode())
        if char.isspace() and at < BLOCK:
            spaces += range(at, at + size)
        at += size
    found = ask(content, 0, 0)
    assert found[3] == bits(spaces)
    assert found[4] == bits([place - BLOCK for place in spaces if place >= BLOCK])


def test_a_space_cut_off_by_the_end_is_none() -> None:
    assert ask("a\u2003".encode()[:3], 0, 0)[3:5] == [0, 0]


def test_parts_put_together() -> None:
    data = np.frombuffer(b"one, two, three", np.uint8)
    together, offsets = gather(data, np.array([5, 0, 3, 10]), np.array([8, 3, 3, 15]))
    assert together.tobytes() == b"twoonethree"
    assert offsets.tolist() == [0, 3, 6, 6, 11]
