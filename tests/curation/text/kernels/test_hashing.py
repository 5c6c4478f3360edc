"""Hashes: MurmurHash3 against published values, MurmurHash64A against its plain description."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.text.kernels.hashing import hash64, hash128
from tests.curation.text.texts import as_text, batches, sliced

MASK = 2**64 - 1
M = 0xC6A4A7935BD1E995


@pytest.mark.parametrize(
    ("text", "digest"),
    [
        ("", "00000000000000000000000000000000"),
        ("hello", "cbd8a7b341bd9b025b1e906a48ae1d19"),
        ("hello, world", "342fac623a5ebc8e4cdcbc079642414d"),
        ("The quick brown fox jumps over the lazy dog", "e34bbc7bbc071b6c7a433ca9c49a9347"),
    ],
)
def test_hash128_gives_the_known_values(text: str, digest: str) -> None:
    hi, lo = hash128(pa.array([text]))
    assert f"{int(hi[0]):016x}{int(lo[0]):016x}" == digest


def murmur64a(content: bytes) -> int:
    value = len(content) * M & MASK
    for at in range(0, len(content), 8):
        block = int.from_bytes(content[at : at + 8], "little")
        if at + 8 <= len(content):
            block = block * M & MASK
            block = (block ^ block >> 47) * M & MASK
        value = (value ^ block) * M & MASK
    value = (value ^ value >> 47) * M & MASK
    return value ^ value >> 47


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_hash64_is_murmurhash64a(contents: list[bytes]) -> None:
    assert hash64(as_text(contents)).tolist() == [murmur64a(content) for content in contents]


@given(batches)
def test_a_text_hashes_the_same_alone_and_among_others(values: list[str | None]) -> None:
    together = hash64(sliced(values)).tolist(), *(half.tolist() for half in hash128(sliced(values)))
    alone = [pa.array([value or ""], pa.string()) for value in values]
    assert together[0] == [int(hash64(text)[0]) for text in alone]
    assert together[1] == [int(hash128(text)[0][0]) for text in alone]
    assert together[2] == [int(hash128(text)[1][0]) for text in alone]
