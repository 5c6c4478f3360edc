"""A filter at rest: written in parts, sealed when whole, read by partition, refused when it is not what it was."""

import json
from pathlib import Path

import numpy as np
import pytest

from curation.core.document import bucket_of
from curation.core.errors import InputError, StageError
from curation.models.bloom.filter_folder import MANIFEST, BloomFilter, seal, write
from curation.models.bloom.partition import Partition
from curation.models.bloom.sizing import plan
from tests.curation.models.keys import drawn

HI, LO = drawn(20_000, 1)


def written(folder: Path, count: int = 20_000, *, partitions: int = 3, expected: int = 20_000) -> str:
    folder.mkdir(exist_ok=True)
    sizing = plan(expected, 1e-3, partitions=partitions, max_mb=1)
    for number in range(partitions):
        own = bucket_of(HI[:count], partitions) == number
        partition = Partition.empty(sizing, number)
        partition.insert(HI[:count][own], LO[:count][own])
        write(str(folder), partition, unit="url", key_version=2)
    return str(folder)


def test_sealed_and_read_again(tmp_path: Path) -> None:
    sealed = seal(written(tmp_path))
    found = BloomFilter.open(str(tmp_path))
    assert found == sealed == BloomFilter.open(str(tmp_path / MANIFEST))
    assert (found.unit, found.key_version, found.items, found.sizing.partitions) == ("url", 2, 20_000, 3)
    assert found.rate == pytest.approx(1e-3, rel=0.1)
    assert found.contains(HI, LO).all()
    assert found.contains(*drawn(100_000, 2)).sum() == pytest.approx(100, abs=40)
    assert found.contains(HI[:0], LO[:0]).tolist() == []
    assert found.line() == f"{tmp_path}: 20,000 url keys, false-positive rate 1 in {1 / found.rate:,.0f}, 0.0 MB"
    assert found.warning() is None


def test_only_the_partitions_of_the_keys_are_read(tmp_path: Path) -> None:
    found = seal(written(tmp_path))
    for number in (0, 2):
        (tmp_path / f"part-{number:05d}.bloom").write_bytes(b"")
    own = bucket_of(HI, 3) == 1
    assert found.contains(HI[own], LO[own]).all()
    with pytest.raises(InputError, match=r"part-00000\.bloom cannot be read: it does not begin .* again"):
        found.contains(HI, LO)


def test_a_retry_writes_the_same_bytes(tmp_path: Path) -> None:
    first = {file.name: file.read_bytes() for file in Path(written(tmp_path)).iterdir()}
    seal(written(tmp_path))
    manifest = (tmp_path / MANIFEST).read_bytes()
    seal(written(tmp_path))
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {**first, MANIFEST: manifest}


def test_too_many_keys_are_warned_of(tmp_path: Path) -> None:
    found = seal(written(tmp_path, expected=10_000))
    warning = found.warning()
    assert warning is not None
    assert "sized for 10,000 keys and holds 20,000" in warning
    assert "not 1 in 1,000; write it again with expected_items: 20000" in warning
    assert found.rate == pytest.approx(found.sizing.rate(20_000), rel=0.1)


def test_what_is_not_whole_is_not_sealed(tmp_path: Path) -> None:
    part = Path(written(tmp_path)) / "part-00002.bloom"
    content = part.read_bytes()
    part.write_bytes(content[:-1])
    with pytest.raises(StageError, match=f"part-00002.bloom is not a whole partition.*{len(content) - 1:,} bytes"):
        seal(str(tmp_path))
    part.unlink()
    with pytest.raises(StageError, match=r"part-00002.bloom is not a whole partition"):
        seal(str(tmp_path))
    other = Path(written(tmp_path / "two", partitions=3, expected=9000)) / part.name
    for wrong in (other, tmp_path / "part-00001.bloom"):
        part.write_bytes(wrong.read_bytes())
        with pytest.raises(StageError, match=r"part-00002.bloom belongs to another Bloom filter"):
            seal(str(tmp_path))


def test_what_is_not_sealed_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file at .*bloom\.json; give the folder of a Bloom filter"):
        BloomFilter.open(written(tmp_path))
    manifest = tmp_path / MANIFEST
    seal(str(tmp_path))
    whole = manifest.read_text()
    for broken in (whole[:-5], "[]", json.dumps({"format": 1})):
        manifest.write_text(broken)
        with pytest.raises(InputError, match="does not describe a Bloom filter"):
            BloomFilter.open(str(tmp_path))
    manifest.write_text(json.dumps({**json.loads(whole), "format": 2}))
    with pytest.raises(InputError, match="format 2, this winnow reads 1"):
        BloomFilter.open(str(tmp_path))


def test_a_folder_that_was_copied_in_part(tmp_path: Path) -> None:
    seal(written(tmp_path))
    (tmp_path / "part-00001.bloom").unlink()
    with pytest.raises(InputError, match=r"lacks part-00001\.bloom; copy the whole folder"):
        BloomFilter.open(str(tmp_path))


def test_a_part_of_another_filter_is_refused(tmp_path: Path) -> None:
    found = seal(written(tmp_path / "one"))
    written(tmp_path / "other", 19_000)
    part = "part-00000.bloom"
    (tmp_path / "one" / part).write_bytes((tmp_path / "other" / part).read_bytes())
    with pytest.raises(InputError, match=r"part-00000.bloom is not the partition that bloom\.json names"):
        found.contains(np.zeros(1, np.uint64), np.zeros(1, np.uint64))


@pytest.mark.parametrize(
    "change",
    [
        {"parts": []},
        {"parts": 7},
        {"parts": [1, 2, 3]},
        {"parts": [{"items": "1", "rate": 0.0, "checksum": ""}] * 3},
        {"parts": [{"items": 1, "rate": float("nan"), "checksum": ""}] * 3},
        {"unit": 7},
        {"key_version": None},
    ],
    ids=str,
)
def test_a_description_of_another_kind(tmp_path: Path, change: dict[str, object]) -> None:
    seal(written(tmp_path))
    manifest = tmp_path / MANIFEST
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    with pytest.raises(InputError, match=r"bloom\.json does not describe a Bloom filter"):
        BloomFilter.open(str(tmp_path))
