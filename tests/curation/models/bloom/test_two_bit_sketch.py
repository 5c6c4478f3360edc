"""The two-bit sketch: what was added twice is always found, what was added once passes as often as computed."""

import math
import mmap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.document import bucket_of
from curation.core.protocols import Uint64s
from curation.models.bloom.two_bit_sketch import CELLS, HEADER, MAGIC, TwoBitSketch
from tests.curation.models.keys import drawn, halves, keys


def singletons_passed(different_keys: int, sketch: TwoBitSketch) -> float:
    """The share of keys added once that pass as repeated, beside so many different keys, repeated or not.

    A block holds a number of other keys that is Poisson with mean L = keys per block. Each leaves one cell alone with
    the chance a = 254/256, and two with b = (254/256)(253/255); the mean of x^keys is exp(-L (1 - x)).
    """
    load = different_keys * 8 / len(sketch.words)
    one = (CELLS - 2) / CELLS
    both = (CELLS - 2) * (CELLS - 3) / (CELLS * (CELLS - 1))
    return 1.0 - 2.0 * math.exp(-load * (1.0 - one)) + math.exp(-load * (1.0 - both))


def sketch_of(hi: Uint64s, lo: Uint64s, expected: int, cells_per_item: float = 8) -> TwoBitSketch:
    sketch = TwoBitSketch.sized(expected, cells_per_item)
    sketch.add(hi, lo)
    return sketch


@given(keys, st.integers(1, 200))
def test_a_key_added_twice_is_always_repeated(pairs: list[tuple[int, int]], expected: int) -> None:
    sketch = sketch_of(*halves(pairs), expected)
    found = sketch.repeated(*halves(pairs))
    assert all(found[at] for at, pair in enumerate(pairs) if pairs.count(pair) > 1)


@given(keys.filter(bool))
def test_a_key_added_once_alone_is_not_repeated_and_then_is(pairs: list[tuple[int, int]]) -> None:
    sketch = TwoBitSketch.sized(1)
    key = halves(pairs[:1])
    for expected in (False, False, True, True, True):  # before any, after one, two, three, four
        assert sketch.repeated(*key).tolist() == [expected]
        sketch.add(*key)


@given(keys, keys, keys)
def test_merged_in_any_order_the_bytes_are_those_of_one_sketch(
    one: list[tuple[int, int]], two: list[tuple[int, int]], three: list[tuple[int, int]]
) -> None:
    a, b, c = (halves(pairs) for pairs in (one, two, three))
    whole = sketch_of(*halves(one + two + three), 50).to_bytes()
    left = sketch_of(*a, 50)
    right = sketch_of(*c, 50)
    last = sketch_of(*b, 50)
    left.merge(last)
    left.merge(right)
    last.merge(right)
    right = sketch_of(*a, 50)
    last.merge(right)
    assert left.to_bytes() == last.to_bytes() == whole


def test_counts_by_hand() -> None:
    # Cells 5 and 5 + 1 + 0 of the only block: byte 1, its second and third cell.
    hi, lo = halves([(0, 5)])
    sketch = TwoBitSketch.sized(1)
    seen = []
    for _ in range(3):
        sketch.add(hi, lo)
        seen.append(sketch.to_bytes()[HEADER:])
    assert seen[0] == bytes([0, 0b01_01_00]) + bytes(62)
    assert seen[1] == seen[2] == bytes([0, 0b10_10_00]) + bytes(62)


def test_a_million_repeated_keys_among_as_many_that_are_not() -> None:
    hi, lo = drawn(2_000_000, 1)
    once = slice(0, 1_000_000)
    twice = slice(1_000_000, None)
    sketch = sketch_of(hi, lo, 2_000_000)
    sketch.add(hi[twice], lo[twice])
    found = sketch.repeated(hi, lo)
    assert found[twice].all()
    passed = singletons_passed(2_000_000, sketch)
    assert passed == pytest.approx((1 - np.exp(-2 / 8)) ** 2, rel=0.02)  # 4.9 %, and a little for the blocks
    assert found[once].mean() == pytest.approx(passed, rel=0.02)  # 49,000 of them: 0.5 % deviation


@pytest.mark.parametrize("cells_per_item", [1, 2, 4, 16, 32])
def test_the_share_of_single_keys_that_pass(cells_per_item: int) -> None:
    hi, lo = drawn(500_000, cells_per_item)
    sketch = sketch_of(hi, lo, 500_000, cells_per_item)
    assert sketch.repeated(hi, lo).mean() == pytest.approx(singletons_passed(500_000, sketch), rel=0.1)


def test_the_keys_of_one_bucket_fill_the_whole_sketch() -> None:
    hi, lo = drawn(400_000, 5)
    own = bucket_of(hi, 4) == 2
    sketch = TwoBitSketch.sized(int(own.sum()), buckets=4)
    sketch.add(hi[own], lo[own])
    passed = singletons_passed(int(own.sum()), sketch)
    assert sketch.repeated(hi[own], lo[own]).mean() == pytest.approx(passed, rel=0.05)


def test_a_memory_map_is_read_in_place(tmp_path: Path) -> None:
    hi, lo = drawn(1000, 6)
    sketch = sketch_of(np.tile(hi, 2), np.tile(lo, 2), 1000)
    file = tmp_path / "sketch"
    file.write_bytes(sketch.to_bytes())
    with file.open("rb") as opened, mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        read = TwoBitSketch.from_bytes(memoryview(mapped))
        assert read.repeated(hi, lo).all()
        assert read.to_bytes() == file.read_bytes()
        del read


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "does not begin", id="nothing"),
        pytest.param(b"two-legs" + bytes(120), "does not begin", id="something else"),
        pytest.param(MAGIC + b"\2" + bytes(119), "format 2", id="later format"),
        pytest.param(TwoBitSketch.sized(1).to_bytes()[:-1], "127 bytes", id="cut short"),
    ],
)
def test_broken_files(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TwoBitSketch.from_bytes(content)


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="same size"):
        TwoBitSketch.sized(1).merge(TwoBitSketch.sized(1000))
    with pytest.raises(ValueError, match="same size"):
        TwoBitSketch.sized(1).merge(TwoBitSketch.sized(1, buckets=2))
