"""What one unit reads: neighbouring shards, in bounded number; and the columns that a fit asks for."""

from pathlib import Path

import pyarrow as pa

from curation.core.fits import Learns
from curation.engine.fit.portions import Portion, Reader, portions_of
from curation.fit.sample.drawing import HASH
from curation.fit.sample.shares import KeptShard
from curation.text.text_hash import text_hashes
from tests.curation.engine.fit.test_example_files import example_file
from tests.curation.engine.fit.toys import Labelled, Plain, write_rows
from tests.curation.engine.inputs import numbered_shards
from tests.curation.engine.removed.test_tombstones import tombstones


def sizes(several: list[Portion]) -> list[tuple[int, int]]:
    return [(portion.first, len(portion.shards)) for portion in several]


def test_neighbours_up_to_the_least_size() -> None:
    shards = [KeptShard((str(n),), "web", size, 1) for n, size in enumerate([4, 6, 30, 0, 0, 9, 2])]
    assert sizes(portions_of(shards, least=10)) == [(0, 2), (2, 1), (3, 4)]
    assert sizes(portions_of(shards, "x", 5, least=10)) == [(5, 2), (7, 1), (8, 4)]
    assert portions_of([]) == []


def test_no_more_than_so_many() -> None:
    shards = [KeptShard((str(n),), "web", 100 << 20, 1) for n in range(10)]
    assert sizes(portions_of(shards, most=3)) == [(0, 4), (4, 4), (8, 2)]


def test_texts_that_are_gone_are_left_out(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, shards=1, rows=8, text=lambda n: None if n == 1 else str(n))
    (table,) = Reader.of(Plain()).rows(portions_of(shards)[0])
    assert table["text"].to_pylist() == ["0", "2", "4", "5", "6"]


def test_texts_of_files_that_were_taken_down_are_left_out_whatever_their_case(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [{"text": text} for text in ("one  TEXT", "another", "  ", "a third")])
    taken = text_hashes(pa.array(["One text", "elsewhere"])).to_pylist()
    stones = tombstones(tmp_path, "0" * 32, texts=tuple(taken))
    portion = Portion("good", file=example_file(path))
    for fit in (Plain(), Labelled(positives="a")):
        for reader, left in (
            (Reader.of(fit), ["one  TEXT", "another", "a third"]),
            (Reader.of(fit, stones), ["another", "a third"]),
        ):
            assert [text for table in reader.rows(portion) for text in table["text"].to_pylist()] == left


def test_documents_of_files_are_drawn_by_their_text(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "rows.jsonl", [{"text": text} for text in ("same", "other", "Same")])
    (table,) = Reader.of(Plain()).rows(Portion(file=example_file(path)))
    first, other, again = table[HASH].to_pylist()
    assert first == again != other


def test_texts_are_read_where_the_fit_or_its_sample_needs_them() -> None:
    class Whole(Learns):
        asset = "whole.txt"
        reads = ("text",)

    class Urls(Whole):
        reads = ("url",)

    assert Reader.of(Labelled(positives="a")).texts  # its examples are texts
    assert Reader.of(Whole()).texts  # it reads them
    assert not Reader.of(Urls()).texts
    assert Reader.of(Urls()).held == ["url"]
