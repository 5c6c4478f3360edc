"""Counts are those of a slow count, whatever the grouping; bytes too."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.models.ngram.counts import GramCounts, count, from_arrow, merge, partition, to_arrow
from tests.curation.models.ngram.slow_model import corpora, grams_of, orders, slow_counts, table_of
from tests.curation.text.texts import batches, sliced


def bytes_of(table: GramCounts) -> tuple[list[bytes], bytes, bytes]:
    return table.words.to_pylist(), table.rows.tobytes(), table.counts.tobytes()


def test_a_sentence_by_hand() -> None:
    assert grams_of(table_of(["a b a b\n\nb"], 2)) == {
        ("<s>", "a"): 1,
        ("a", "b"): 2,
        ("b", "a"): 1,
        ("b", "</s>"): 2,
        ("<s>", "b"): 1,
    }


def test_words_are_numbered_in_the_order_of_their_bytes() -> None:
    table = table_of(["b é a"], 1)
    assert table.words.to_pylist() == [b"a", b"b", "é".encode()]
    assert table.rows.tolist() == [[2], [3], [4], [5]]


@given(corpora, orders)
def test_counts_are_those_of_a_slow_count(texts: list[str], order: int) -> None:
    table = table_of(texts, order)
    assert grams_of(table) == slow_counts(texts, order)
    assert table.rows.tolist() == sorted(table.rows.tolist())


@given(batches, st.integers(1, 3))
def test_any_text_is_counted(texts: list[str | None], order: int) -> None:
    assert count(sliced(texts), order).rows.shape[1] == order


@given(corpora, orders, st.data())
def test_merging_in_any_grouping_gives_the_same_bytes(texts: list[str], order: int, data: st.DataObject) -> None:
    whole = bytes_of(table_of(texts, order))
    tables = [table_of([text], order) for text in data.draw(st.permutations(texts))]
    while len(tables) > 1:
        size = data.draw(st.integers(2, len(tables)))
        tables = [*tables[size:], merge(tables[:size])]
    assert bytes_of(tables[0]) == whole


@given(corpora, orders, st.integers(1, 5))
def test_buckets_hold_all_and_are_the_same_however_the_text_was_cut(texts: list[str], order: int, buckets: int) -> None:
    whole = partition(table_of(texts, order), buckets)
    assert bytes_of(merge(whole)) == bytes_of(table_of(texts, order))
    parts = [partition(table_of([text], order), buckets) for text in texts]
    for bucket, table in enumerate(whole):
        assert bytes_of(merge([part[bucket] for part in parts])) == bytes_of(table)


@given(corpora, orders, st.data())
def test_rows_go_through_files_in_any_order_and_cut(texts: list[str], order: int, data: st.DataObject) -> None:
    rows = pa.concat_tables([to_arrow(table_of([text], order)) for text in texts])
    rows = rows.take(pa.array(data.draw(st.permutations(range(len(rows)))), pa.int64()))
    assert bytes_of(from_arrow(rows, order)) == bytes_of(table_of(texts, order))
    assert to_arrow(table_of([""], order)).schema == rows.schema
    assert len(from_arrow(rows.slice(0, 0), order).rows) == 0


def test_a_row_in_a_file() -> None:
    first = to_arrow(table_of(["b a"], 3))
    second = to_arrow(table_of(["c b a\nx"], 3))
    assert first.select(["ngram", "count"]).to_pylist() == [
        {"ngram": b"b a </s>", "count": 1},
        {"ngram": b"<s> b a", "count": 1},
        {"ngram": b"<s> <s> b", "count": 1},
    ]
    keys = dict(zip(second["ngram"].to_pylist(), second["key_hi"].to_pylist(), strict=True))
    assert keys[b"c b a"] == first["key_hi"][1].as_py()  # it ends in the same two words
    assert len(set(keys.values())) == len(keys)


def test_a_bucket_has_all_ngrams_that_end_alike() -> None:
    buckets = partition(table_of(["x a b\ny a b\nz a c\nq b"], 3), 7)
    where = {gram: number for number, table in enumerate(buckets) for gram in grams_of(table)}
    assert where["x", "a", "b"] == where["y", "a", "b"]
    assert len(set(where.values())) > 1


def test_marks_in_a_text_are_left_out() -> None:
    marked = table_of(["<s> a </s> <unk> <s>b\n<unk>\nc"], 2)
    assert grams_of(marked) == grams_of(table_of(["a <s>b\nc"], 2))


@pytest.mark.parametrize("text", ["", "\n \n", "<s>"])
def test_no_words(text: str) -> None:
    table = table_of([text], 3)
    assert table.rows.shape == (0, 3)
    assert bytes_of(merge([table, table_of(["a"], 3)])) == bytes_of(table_of(["a"], 3))
    assert all(len(part.rows) == 0 for part in partition(table, 2))
    assert table.counts.dtype == np.int64
