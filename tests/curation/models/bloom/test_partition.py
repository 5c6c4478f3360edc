"""A partition of a Bloom filter: what was added is never absent, the rest is taken for added as often as stated."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.document import bucket_of
from curation.core.protocols import Uint64s
from curation.models.bloom.partition import HEADER, MAGIC, Label, Partition
from curation.models.bloom.sizing import FilterSizing, plan
from curation.text.kernels.hashing import hash128
from tests.curation.models.keys import drawn, halves, keys

SMALL = plan(30, 1e-3, partitions=1, max_mb=1)


def filled(hi: Uint64s, lo: Uint64s, sizing: FilterSizing = SMALL) -> Partition:
    partition = Partition.empty(sizing, 0)
    partition.insert(hi, lo)
    return partition


def content_of(partition: Partition, unit: str, key_version: int) -> bytes:
    """Of its file."""
    return partition.label(unit, key_version).to_bytes() + partition.words.tobytes()


@given(keys, st.sampled_from([1, 7, 8, 15, 22, 40]))
def test_what_was_added_is_always_found(pairs: list[tuple[int, int]], bits: int) -> None:
    partition = filled(*halves(pairs), FilterSizing(1, 0.1, 1, 3, bits))
    assert partition.contains(*halves(pairs)).all()
    assert partition.items == len(pairs)


@given(keys)
def test_in_any_order_the_bytes_are_the_same(pairs: list[tuple[int, int]]) -> None:
    assert content_of(filled(*halves(pairs[::-1])), "url", 1) == content_of(filled(*halves(pairs)), "url", 1)


@given(keys)
def test_read_again_it_is_the_same(pairs: list[tuple[int, int]]) -> None:
    partition = filled(*halves(pairs))
    content = content_of(partition, "paragraph", 3)
    read = Partition.from_bytes(content)
    assert content_of(read, "paragraph", 3) == content
    assert read.contains(*halves(pairs)).all()
    label = Label.from_bytes(content)
    assert (label.unit, label.key_version, label.number, label.items) == ("paragraph", 3, 0, len(pairs))
    assert label.sizing == SMALL
    assert label.rate == partition.rate()


def test_an_empty_one_contains_nothing() -> None:
    partition = Partition.empty(SMALL, 0)
    assert not partition.contains(*drawn(1000, 1)).any()
    assert partition.rate() == 0.0


@pytest.mark.parametrize("rate", [1e-1, 1e-2, 1e-3, 1e-6])
def test_others_are_taken_for_added_at_the_stated_rate(rate: float) -> None:
    sizing = plan(300_000, rate, partitions=3, max_mb=1024)
    hi, lo = drawn(2_300_000, 2)
    number = bucket_of(hi, 3)
    added = np.arange(len(hi)) < 300_000
    own = number == 1
    partition = Partition.empty(sizing, 1)
    partition.insert(hi[own & added], lo[own & added])
    assert partition.contains(hi[own & added], lo[own & added]).all()
    measured = partition.contains(hi[own & ~added], lo[own & ~added]).mean()
    # 667,000 others, so 667 of them at 1e-3: a deviation of 3.9 %; at 1e-6 10 have a chance of 10^-9
    assert measured == pytest.approx(rate, rel=0.1, abs=1.5e-5)
    assert partition.rate() == pytest.approx(rate, rel=0.03 if rate > 1e-6 else 0.1)  # by the few fullest blocks


def test_hashes_of_texts_are_random_enough() -> None:
    hi, lo = hash128(pa.array([f"document {number}" for number in range(600_000)]))
    partition = filled(hi[:300_000], lo[:300_000], plan(300_000, 1e-2, partitions=1, max_mb=1024))
    assert partition.contains(hi[:300_000], lo[:300_000]).all()
    assert partition.contains(hi[300_000:], lo[300_000:]).mean() == pytest.approx(1e-2, rel=0.1)
    assert partition.rate() == pytest.approx(1e-2, rel=0.02)


CONTENT = content_of(filled(*drawn(30, 7)), "document", 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b"", "does not begin", id="nothing"),
        pytest.param(b"bloom256" + CONTENT[8:], "does not begin", id="something else"),
        pytest.param(MAGIC + b"\2" + CONTENT[9:], "format 2", id="later format"),
        pytest.param(CONTENT[:-1], r"it has \d+ bytes", id="cut short"),
        pytest.param(CONTENT + b"\0", r"it has \d+ bytes", id="too long"),
        pytest.param(CONTENT[:-1] + bytes([CONTENT[-1] ^ 1]), "checksum", id="a bit is wrong"),
        pytest.param(CONTENT[:HEADER], "it has 128 bytes", id="only a header"),
    ],
)
def test_broken_files(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Partition.from_bytes(content)
