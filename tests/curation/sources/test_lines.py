"""Blocks of lines: each line in the range in which it begins; which blocks a parser can be trusted with."""

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.core.protocols import Piece
from curation.sources.lines import MAX_DEPTH, line_blocks, line_bounds, line_shapes

Lines = list[tuple[int, bytes]]


def lines(path: Path, start: int = 0, stop: int = -1, max_line: int = 1 << 30) -> tuple[Lines, list[int]]:
    """(offset, line) of each line, and the offsets of what was left out."""
    told: list[int] = []
    found: Lines = []

    def tell(offset: int, error: str) -> None:
        told.append(offset)

    blocks = line_blocks(Piece(str(path), start, stop), max_line=max_line, on_fault=tell, on_long=tell)
    for block in blocks:
        starts, stops = line_bounds(block.data)
        found += [(block.offset + int(a), block.data[a:b]) for a, b in zip(starts, stops, strict=True)]
    return found, told


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(texts=st.lists(st.sampled_from([b"", b"a", b"bb", b"ccc"]), max_size=6), cuts=st.sets(st.integers(1, 20)))
def test_ranges_hold_each_line_once(tmp_path: Path, texts: list[bytes], cuts: set[int]) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"\n".join(texts))
    ranges = [0, *sorted(cuts), -1]
    parts = [lines(path, a, b)[0] for a, b in pairwise(ranges)]
    assert [line for part in parts for line in part] == lines(path)[0]
    assert [line for _, line in lines(path)[0]] == [text for text in texts if text]
    for (a, b), part in zip(pairwise(ranges), parts, strict=True):
        assert all(a <= offset and (b < 0 or offset < b) for offset, _ in part)


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    (tmp_path / "x").write_bytes(pack(b"one\ntwo\r\n\n three "))
    assert lines(tmp_path / "x") == ([(0, b"one"), (4, b"two"), (11, b"three")], [])


@given(st.lists(st.integers(0, 14), max_size=6))
def test_a_line_is_too_long_by_itself(tmp_path_factory: pytest.TempPathFactory, sizes: list[int]) -> None:
    path = tmp_path_factory.getbasetemp() / "lengths"
    path.write_bytes(b"".join(b"x" * size + b"\n" for size in sizes))
    offsets = [sum(sizes[:number]) + number for number in range(len(sizes))]
    found, told = lines(path, max_line=10)
    assert found == [(offset, b"x" * size) for offset, size in zip(offsets, sizes, strict=True) if 0 < size <= 10]
    assert told == [offset for offset, size in zip(offsets, sizes, strict=True) if size > 10]


def test_a_line_longer_than_a_block(tmp_path: Path) -> None:
    long = b"x" * (20 << 20)
    (tmp_path / "x").write_bytes(b"a\n" + long + b"\nb\n")
    found, told = lines(tmp_path / "x")
    assert [(offset, len(line)) for offset, line in found] == [(0, 1), (2, 20 << 20), ((20 << 20) + 3, 1)]
    assert not told
    assert [len(line) for _, line in lines(tmp_path / "x", 1, 3)[0]] == [20 << 20]


def test_a_line_longer_than_the_limit_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\n" + b"x" * (30 << 20) + b"\nb\n")
    found, told = lines(tmp_path / "x", max_line=10 << 20)
    assert [line for _, line in found] == [b"a", b"b"]
    assert told == [2]


def test_a_range_longer_than_the_limit_whose_last_line_has_no_end(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"one\ntwo\nthree\nfour\nfive")
    found, told = lines(tmp_path / "x", 4, 23, max_line=6)
    assert ([line for _, line in found], told) == ([b"two", b"three", b"four", b"five"], [])


@pytest.mark.parametrize(
    ("line", "sound"),
    [
        (b'{"a": 1}', True),
        (b'{"a": "}{\\"[", "b": [{}, [1]]}', True),
        (b"null", False),
        (b"1", False),
        (b"[1]", False),
        (b"{}{}", False),
        (b"{}null{}", False),
        (b"{} ", True),
        (b"{},", False),
        (b'{"a": "open}', False),
        (b'{"a": 1', False),
        (b"}{", False),
        (b'{"a":' + b"[" * 199 + b"]" * 199 + b"}", True),
        (b'{"a":' + b"[" * 200 + b"]" * 200 + b"}", False),
    ],
)
def test_one_object_per_line(line: bytes, sound: bool) -> None:
    data = b"{}\n" + line + b"\n{}"
    _, depth, sole = line_shapes(np.frombuffer(data, np.uint8), *line_bounds(data))
    assert (sole & (depth <= MAX_DEPTH)).all() == sound
