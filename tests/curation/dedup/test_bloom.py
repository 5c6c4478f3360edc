"""Bloom dedup: what an earlier corpus had is found, whatever the partitions; filters that do not fit are refused."""

import dataclasses
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curation.core.dedup_methods import DedupMethod, Keys
from curation.core.document import bucket_of
from curation.core.errors import InputError
from curation.dedup.bloom import Bloom
from curation.dedup.canonical_url import CanonicalUrl
from curation.dedup.exact import Exact
from curation.dedup.paragraph import Paragraph
from curation.models.bloom.filter_folder import MANIFEST, BloomFilter, seal
from tests.curation.models.keys import drawn
from tests.support import documents

OLD = documents("The old text", "another", None, "a third one " * 5, "THE OLD  text")
NEW = documents("new", "the old text", "", "newer", "another")


def written(folder: Path, keys: Keys, method: Bloom, partitions: int = 3) -> BloomFilter:
    folder.mkdir()
    order = np.lexsort((keys.lo, keys.hi))
    hi = keys.hi[order]
    lo = keys.lo[order]
    for number in range(partitions):
        own = bucket_of(hi, partitions) == number
        method.write_partition(str(folder), hi[own], lo[own], number=number, partitions=partitions)
    return seal(str(folder))


def test_documents_of_an_earlier_corpus_are_members(tmp_path: Path) -> None:
    sealed = written(tmp_path / "old", Bloom().keys(OLD), Bloom(expected_items=100))
    assert sealed.items == 3  # equal keys of two documents are one
    method = Bloom(against=(str(tmp_path / "old"),))
    keys = method.keys(NEW)
    assert keys.row.tolist() == [0, 1, 3, 4]
    assert method.members(keys.hi, keys.lo).tolist() == [False, True, False, True]


@pytest.mark.parametrize(("partitions", "buckets"), [(1, 5), (5, 1), (3, 4)])
def test_partitions_and_buckets_need_not_agree(tmp_path: Path, partitions: int, buckets: int) -> None:
    hi, lo = drawn(3000, 1)
    old = Keys(hi[:2000], lo[:2000], np.arange(2000))
    written(tmp_path / "old", old, Bloom(expected_items=2000), partitions)
    method = Bloom(against=(str(tmp_path / "old"),))
    found = np.zeros(3000, bool)
    for bucket in range(buckets):
        own = bucket_of(hi, buckets) == bucket
        found[own] = method.members(hi[own], lo[own])
    assert found.tolist() == [True] * 2000 + [False] * 1000


def test_several_filters_are_read(tmp_path: Path) -> None:
    hi, lo = drawn(30, 2)
    for name, part in (("one", slice(0, 10)), ("two", slice(10, 20))):
        written(tmp_path / name, Keys(hi[part], lo[part], np.arange(10)), Bloom(expected_items=10))
    method = Bloom(against=(str(tmp_path / "one"), str(tmp_path / "two")), expected_items=5)
    assert method.members(hi, lo).tolist() == [True] * 20 + [False] * 10
    one, two, total, new = method.lines(4)
    assert one.startswith(f"against {tmp_path}/one: 10 document keys, false-positive rate 1 in ")
    assert two.startswith(f"against {tmp_path}/two: 10 document keys, false-positive rate 1 in ")
    assert total.endswith("of new ones is lost to them")
    assert new.startswith("writes a Bloom filter for 5 keys, false-positive rate 1 in 1,000,000: 0.0 MB in 4 part")


@pytest.mark.parametrize(
    ("unit", "method", "reads"),
    [
        pytest.param("document", Exact(), ("text",), id="document"),
        pytest.param("url", CanonicalUrl(), ("url",), id="url"),
        pytest.param("paragraph", Paragraph(), ("text",), id="paragraph"),
    ],
)
def test_keys_are_those_of_the_unit(unit: Any, method: DedupMethod, reads: tuple[str, ...]) -> None:
    bloom = Bloom(unit=unit)
    batch = documents("a paragraph of thirty letters and more\n\n" * 2, "b", None)
    for name, value in vars(method.keys(batch)).items():
        np.testing.assert_array_equal(getattr(bloom.keys(batch), name), value)
    assert bloom.reads == reads
    assert bloom.key_version == method.version
    assert bloom.use == ("members" if bloom.keys(batch).start is None else "spans")


def test_its_assets_are_the_manifests(tmp_path: Path) -> None:
    written(tmp_path / "old", Bloom().keys(OLD), Bloom(expected_items=10))
    manifest = f"{tmp_path}/old/{MANIFEST}"
    for given in (f"{tmp_path}/old", f"{tmp_path}/old/", manifest):
        assert Bloom(against=(given,)).assets() == {"against": (manifest,)}
    # As the engine does it before the part goes to a worker.
    part = pickle.loads(pickle.dumps(dataclasses.replace(Bloom(against=(manifest,), unit="document"))))
    assert part == Bloom(against=(manifest,))
    assert part.reads == ("text",)
    assert Bloom(expected_items=1).assets() == {"against": ()}
    assert isinstance(part, DedupMethod)


def test_what_cannot_be_used_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to do"):
        Bloom().assets()
    with pytest.raises(InputError, match=r"no file at .*/none/bloom\.json"):
        Bloom(against=(str(tmp_path / "none"),)).assets()
    written(tmp_path / "old", Bloom().keys(OLD), Bloom(expected_items=10))
    with pytest.raises(InputError, match="is of document keys, not of url ones; set unit"):
        Bloom(against=(str(tmp_path / "old"),), unit="url").assets()
    (tmp_path / "old" / MANIFEST).write_bytes(
        (tmp_path / "old" / MANIFEST).read_bytes().replace(b'"key_version": 2', b'"key_version": 0')
    )
    with pytest.raises(InputError, match="keys of version 0, this winnow makes version 2"):
        Bloom(against=(str(tmp_path / "old"),)).assets()


def test_a_filter_too_large_or_too_full_is_refused(tmp_path: Path) -> None:
    hi, lo = drawn(20_000, 3)
    keys = Keys(hi, lo, np.arange(len(hi)))
    written(tmp_path / "large", keys, Bloom(expected_items=400_000), partitions=1)
    assert Bloom(against=(str(tmp_path / "large"),), max_mb=2).filters()
    with pytest.raises(InputError, match=r"takes 1\.9 MB, more than max_mb: 1"):
        Bloom(against=(str(tmp_path / "large"),), max_mb=1).assets()
    written(tmp_path / "full", keys, Bloom(expected_items=2000))
    with pytest.raises(InputError, match=r"too full to be used: .* sized for 2,000 keys and holds 20,000"):
        Bloom(against=(str(tmp_path / "full"),)).assets()


def test_no_filter_is_sized_without_expected_items() -> None:
    assert Bloom().sizing(4) is None
    with pytest.raises(ValueError, match="without expected_items"):
        Bloom().write_partition("unused", *drawn(1, 4), number=0, partitions=1)
    with pytest.raises(InputError, match="would take 39 partitions"):
        Bloom(expected_items=8 * 10**9).sizing(4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"expected_items": 0}, "expected_items is 0", id="nothing expected"),
        pytest.param({"false_positive_rate": 0.0}, "false_positive_rate is 0", id="never wrong"),
        pytest.param({"max_mb": 0}, "max_mb is 0", id="no memory"),
    ],
)
def test_options_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bloom(**options)
