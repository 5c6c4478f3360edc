"""Fitting: the sample depends on ids alone, the asset is written and hashed, a worker's error stays what it was."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from curation.core.document import DOCUMENT
from curation.engine.fit import run_fit, sampled_texts
from curation.engine.parts import PartWriter
from tests.support import documents


@dataclass(frozen=True)
class Joined:
    """Its asset is all text that it was given."""

    sample_bytes: int = 1 << 20
    asset: str = "joined.txt"

    def fit(self, texts: Iterator[pa.Array]) -> bytes:
        return "\n".join(text for array in texts for text in array.to_pylist()).encode()


def parts(folder: Path, shards: int = 2, rows: int = 2000) -> list[str]:
    """Shards of documents with their own number as text; every fourth was dropped."""
    paths = []
    for shard in range(shards):
        writer = PartWriter(str(folder), f"part-{shard}", DOCUMENT, "web")
        numbers = range(shard * rows, (shard + 1) * rows)
        reasons: list[object] = ["a.b:low" if n % 4 == 3 else None for n in numbers]
        ids: list[object] = [hashlib.md5(str(n).encode()).hexdigest() for n in numbers]
        batch = documents(*map(str, numbers), doc_id=ids, drop_reason=reasons)
        writer.add(pa.Table.from_batches([batch]))
        paths.append(str(folder / writer.close()[0].file))
    return paths


def sample(paths: list[str], share: float) -> list[int]:
    return [int(text) for array in sampled_texts(paths, share) for text in array.to_pylist()]


def test_all_kept_text_in_shard_order(tmp_path: Path) -> None:
    assert sample(parts(tmp_path), 1.0) == [n for n in range(4000) if n % 4 != 3]


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_sample_is_of_the_stated_size_and_the_same_however_the_shards_are_cut(tmp_path: Path, share: float) -> None:
    chosen = sample(parts(tmp_path), share)
    assert abs(len(chosen) - 3000 * share) < 4 * (3000 * share * (1 - share)) ** 0.5
    (tmp_path / "more").mkdir()
    assert sample(parts(tmp_path / "more", shards=4, rows=1000), share) == chosen


def test_the_asset_is_written_with_its_hash(tmp_path: Path, ran: object) -> None:
    paths = parts(tmp_path, rows=10)
    entry = run_fit(Joined(), paths, 100, str(tmp_path))
    content = (tmp_path / "joined.txt").read_bytes()
    assert content.split() == [b"%d" % n for n in range(20) if n % 4 != 3]
    assert entry == {"file": "joined.txt", "sha256": hashlib.sha256(content).hexdigest()}


def test_more_text_than_the_sample_holds_is_sampled(tmp_path: Path, ran: object) -> None:
    run_fit(Joined(sample_bytes=50), parts(tmp_path), 500, str(tmp_path))
    assert 100 < len((tmp_path / "joined.txt").read_bytes().split()) < 500
