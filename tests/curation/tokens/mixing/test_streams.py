"""Tokens of rows by their index, and how many of a stream's next rows make so many tokens."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.core import storage
from curation.core.errors import InputError
from curation.tokens.manifests import checksum
from curation.tokens.mixing.permutation import permute, purpose, round_keys, width
from curation.tokens.mixing.streams import EVERYTHING, Stream, streams
from curation.tokens.token_files import PADDING_BIT, Segments
from tests.curation.tokens.support import row_index

P = PADDING_BIT
# Rows of 5 slots as their segments; a row's first slot is nobody's label.
ROWS = {
    "full": ([5], 4),
    "two documents": ([2, 3], 4),
    "padding at the end": ([2, 1, P | 2], 2),
    "padding inside": ([1, P | 2, 2], 2),
    "padding first": ([P | 2, 3], 3),
    "one token": ([1, P | 4], 0),
    "padding only": ([P | 5], 0),
}


def section(method: str, padding: int = 1, index: bytes = b"", **rows: int) -> dict[str, Any]:
    """`padding`: of each part; `index`: the content of its `.idx`."""
    sources = {name: {"train": {"rows": count}} for name, count in rows.items()}
    parts = [
        {
            "name": f"tokens-{i:05d}",
            "source": n,
            "split": "train",
            "rows": c,
            "padding": padding,
            "files": {f"tokens-{i:05d}.idx": {"bytes": len(index), "blake2b": checksum(index)}},
        }
        for i, (n, c) in enumerate(rows.items())
    ]
    held = [{**part, "split": "validation", "rows": 7} for part in parts]
    return {"method": method, "row_tokens": 5, "dtype": "uint16", "sources": sources, "parts": [*parts, *held]}


def write_index(path: Path, rows: list[list[int]]) -> bytes:
    """Returns its content."""
    path.parent.mkdir(exist_ok=True)
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.uint64)
    lengths = np.array([length for row in rows for length in row], np.uint32)
    content = row_index(Segments(offsets, lengths), item_bytes=2, row_tokens=5)
    path.write_bytes(content)
    return content


def test_a_row_counts_the_tokens_that_are_labels(tmp_path: Path) -> None:
    rows = [segments for segments, _ in ROWS.values()]
    index = write_index(tmp_path / "pack" / "tokens-00000.idx", rows)
    found = streams([("pack", section("best_fit", index=index, web=7))], folder=str(tmp_path), runs={}, seed=0)
    counts = found["web"].counts
    assert counts is not None
    assert dict(zip(ROWS, counts.tolist(), strict=True)) == {name: tokens for name, (_, tokens) in ROWS.items()}
    assert (found["web"].rows, found["web"].tokens) == (7, 15)


def test_an_index_in_a_store_that_cannot_be_mapped() -> None:
    content = row_index(Segments(np.array([0, 1], np.uint64), np.array([5], np.uint32)), item_bytes=2, row_tokens=5)
    storage.write_bytes("memory://streams/pack/tokens-00000.idx", content)
    found = streams([("pack", section("best_fit", index=content, web=1))], folder="memory://streams", runs={}, seed=0)
    assert found["web"].tokens == 4


def test_an_index_that_is_not_the_packs_is_refused(tmp_path: Path) -> None:
    """Its first row would count one label more."""
    path = tmp_path / "pack" / "tokens-00000.idx"
    index = write_index(path, [[2, P | 3]])
    write_index(path, [[3, P | 2]])
    with pytest.raises(InputError, match=r"tokens-00000\.idx is damaged: its checksum differs"):
        streams([("pack", section("best_fit", index=index, web=1))], folder=str(tmp_path), runs={}, seed=0)


@pytest.mark.parametrize("method", ["concat", "best_fit"])
def test_files_without_padding_are_not_read(method: str) -> None:
    found = streams([("pack", section(method, padding=0, web=7, code=0))], folder="/nowhere", runs={}, seed=0)
    assert list(found) == ["code", "web"]
    assert (found["web"].counts, found["web"].tokens, found["web"].row_length) == (None, 28, 4)


def test_padding_of_a_concat_file_is_in_its_last_row() -> None:
    found = streams([("pack", section("concat", padding=3, web=2, code=1))], folder="/nowhere", runs={}, seed=0)
    assert {leaf: one.counts.tolist() for leaf, one in found.items() if one.counts is not None} == {
        "code": [1],
        "web": [4, 1],
    }
    assert (found["code"].tokens, found["web"].tokens) == (1, 5)


def test_more_padding_than_a_row_has_is_looked_for(tmp_path: Path) -> None:
    """A document of five tokens was taken down."""
    index = write_index(tmp_path / "pack" / "tokens-00000.idx", [[2, P | 3], [P | 2, 3], [5]])
    packs = [("pack", section("concat", padding=5, index=index, web=3))]
    found = streams(packs, folder=str(tmp_path), runs={}, seed=0)
    assert found["web"].counts is not None
    assert found["web"].counts.tolist() == [1, 3, 4]


def test_a_leaf_of_several_packs_is_one_stream(tmp_path: Path) -> None:
    """Also where one of them has full rows; one of another run goes by its name."""
    of_b = write_index(tmp_path / "b" / "tokens-00000.idx", [[5], [3, P | 2]])
    of_old = write_index(tmp_path / "old" / "tokens-00000.idx", [[1, P | 4]])
    old = str(tmp_path / "old")
    packs = [
        ("a", section("concat", padding=0, web=1)),
        ("b", section("one_per_row", index=of_b, web=2)),
        (old, section("best_fit", index=of_old, web=1)),
    ]
    found = streams(packs, folder=str(tmp_path), runs={"2024": [old]}, seed=0)
    assert {name: one.counts.tolist() for name, one in found.items() if one.counts is not None} == {
        "2024/web": [0],
        "web": [4, 4, 2],
    }


def test_full_rows_at_the_limit_and_one_past_it() -> None:
    stream = Stream("web", 0, 10, 100, 10)
    assert stream.fit(0, 10, 29) == (2, 20, 10)
    assert stream.fit(0, 10, 30) == (3, 30, 10)
    assert stream.fit(8, 10, 30) == (2, 20, 0)
    assert stream.fit(4, 25, EVERYTHING) == (21, 210, 0)
    assert stream.total(4, 25) == 210


@given(
    counts=st.lists(st.integers(0, 20), min_size=1, max_size=9).filter(any),
    first=st.integers(0, 30),
    more=st.integers(0, 40),
    budget=st.integers(0, 500),
)
@settings(max_examples=200, deadline=None)
def test_uneven_rows_as_counted_one_by_one(counts: list[int], first: int, more: int, budget: int) -> None:
    stream = Stream("web", 3, len(counts), sum(counts), 20, np.array(counts, np.uint32))
    rows = tokens = following = 0
    for position in range(first, first + more):
        epoch, turn = divmod(position, len(counts))
        keys = round_keys(3, purpose("web", epoch))
        following = counts[permute(turn, len(counts), width(len(counts)), keys)]
        if tokens + following > budget:
            break
        rows += 1
        tokens += following
        following = 0
    assert stream.fit(first, first + more, budget) == (rows, tokens, following)


@pytest.mark.parametrize("budget", [10**12 - 1, 10**12])
def test_whole_epochs_are_not_walked(budget: int) -> None:
    stream = Stream("web", 3, 2, 1000, 20, np.array([400, 600], np.uint32))
    rows, tokens, _ = stream.fit(0, 10**10, budget)
    assert (rows // 2, tokens // 1000) == ((10**9 - 1, 10**9 - 1) if budget < 10**12 else (10**9, 10**9))
