"""What every dedup method signs by existing: a file in `curation/dedup/` that makes keys is tested here unasked."""

import importlib
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.core import catalog
from curation.core.dedup_methods import COLUMNS, DedupMethod, Keys, Links, Members, Spans, Verifies
from curation.core.document import DOCUMENT
from curation.core.verbs import DEDUP
from curation.text.merged_spans import merge_spans
from tests.support import documents

KEYS = catalog.known(DEDUP)
# Longer than the shortest run of bytes, line or paragraph that a method looks at.
PROSE = "The people of the town have to read, and the cat has to be kind to each of them, or so says this book. " * 2
OTHER = "A stone lies by the sea, where nobody reads a word of it, and 12 waves roll over it in 1 hour at noon. " * 2
URLS = ["https://www.example.org/a?b=1&c=2#d", "http://example.com:80/", "example.org/é", "https://bücher.example/%7E"]
HOSTILE = {
    "invalid UTF-8": b"\xff\xfe so it ends. \xc3\n\xe2\x80 \xf0\x9f\x98\n\n\x80" * 5,
    "emoji": "👩‍👩‍👧🇩🇪😀\n".encode() * 20,
    "CJK without spaces": "没有空格的一行文字。\n日本語の文。\n".encode() * 5,
    "NUL bytes": b"so \0 it ends.\0\n\0\0\n" * 10,
    "one byte": b"x" * 5000,
}
# Options that a method cannot do without, by key; those with files are filled in by `assets`.
OPTIONS: dict[str, dict[str, Any]] = {"bloom": {"expected_items": 100}}

texts = st.one_of(
    st.none(),
    st.text(max_size=60),
    st.lists(st.sampled_from([PROSE, OTHER, "cat", "\n", "\n\n", "中文。", "\u2028", "é", "👩‍👩‍👧"]), max_size=8).map(
        "".join
    ),
)
urls = st.one_of(st.none(), st.text(max_size=30), st.sampled_from(URLS))
batches = st.lists(st.tuples(texts, urls), min_size=1, max_size=5).map(
    lambda rows: documents(*(text for text, _ in rows), url=[url for _, url in rows])
)


@pytest.fixture(scope="module", autouse=True)
def assets(tmp_path_factory: pytest.TempPathFactory) -> None:
    make_assets(tmp_path_factory.mktemp("assets"))


def make_assets(folder: Path) -> None:
    """Small files for the methods that cannot do without, named in `OPTIONS`."""
    (folder / "words.vec").write_text("cat 1 0 0\nstone 0 1 0\nsea 0 0 1\nbook 0.6 0.8 0\n")
    np.save(folder / "centroids.npy", np.eye(3, dtype=np.float32))
    OPTIONS["semantic"] = {"model": str(folder / "words.vec"), "centroids": str(folder / "centroids.npy")}


def make(key: str) -> DedupMethod:
    """The method with its default settings."""
    made: DedupMethod = catalog.find(DEDUP, key)(**OPTIONS.get(key, {}))
    return made


def last_keys(made: DedupMethod, batch: pa.RecordBatch, among: pa.RecordBatch) -> Keys:
    """The keys that decide: those of the second round, where there is one, all first ones in `among` being repeated."""
    if made.rounds == 1:
        return made.keys(batch)
    first = made.keys(among)
    pairs = np.unique(np.stack([first.hi, first.lo], axis=1), axis=0)
    return made.refine(batch, pairs[:, 0].copy(), pairs[:, 1].copy())


def of_row(keys: Keys, row: int) -> list[tuple[Any, ...]]:
    """A row's keys in order, with their spans."""
    columns = [keys.hi, keys.lo, *(one for one in (keys.start, keys.stop) if one is not None)]
    return list(zip(*(column[keys.row == row].tolist() for column in columns), strict=True))


def test_there_are_methods() -> None:
    assert {"exact", "canonical_url", "paragraph", "line", "minhash", "simhash", "substring", "bloom"} <= set(KEYS)


@pytest.mark.parametrize("key", KEYS)
def test_it_has_the_shape_of_a_method(key: str) -> None:
    made = make(key)
    assert isinstance(made, DedupMethod)
    assert [isinstance(made, kind) for kind in (Links, Spans, Members)].count(True) == 1
    assert made.use is not None
    assert made.use == ("links" if isinstance(made, Links) else "spans" if isinstance(made, Spans) else made.use)
    assert made.signal_types() == COLUMNS[made.use]
    assert made.verified == isinstance(made, Verifies)
    assert isinstance(made.version, int)
    assert set(made.reads) <= {"text", "url"}, f"teach this test what {made.reads} hold"
    assert key not in DOCUMENT.names


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_a_document_has_the_same_keys_alone_and_among_others(key: str, batch: pa.RecordBatch) -> None:
    made = make(key)
    together = made.keys(batch)
    last = last_keys(made, batch, batch)
    assert (np.diff(together.row) >= 0).all()
    for row in range(len(batch)):
        for alone in (batch.slice(row, 1), pa.RecordBatch.from_pylist(batch.slice(row, 1).to_pylist(), batch.schema)):
            assert of_row(made.keys(alone), 0) == of_row(together, row)
            assert of_row(last_keys(made, alone, batch), 0) == of_row(last, row)


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_keys_are_parallel_arrays_of_one_kind(key: str, batch: pa.RecordBatch) -> None:
    made = make(key)
    for keys in (made.keys(batch), made.keys(batch.slice(0, 0)), last_keys(made, batch, batch)):
        assert [str(one.dtype) for one in (keys.hi, keys.lo, keys.row)] == ["uint64", "uint64", "int64"]
        sizes = {
            len(one) for one in (keys.hi, keys.lo, keys.row, keys.start, keys.stop, keys.vector) if one is not None
        }
        assert len(sizes) == 1
        assert made.has_vectors == (keys.vector is not None)
        assert not len(keys.row) or 0 <= keys.row.min() <= keys.row.max() < len(batch)


@pytest.mark.parametrize("key", KEYS)
def test_a_document_without_anything_has_no_key(key: str) -> None:
    made = make(key)
    empty: list[Any] = [None, "", " \n\t\u2003\u2028\n\n"]
    batch = documents(*empty, PROSE, url=[*empty, URLS[0]])
    assert set(made.keys(batch).row.tolist()) == {3}
    assert set(last_keys(made, batch, batch).row.tolist()) == {3}


@pytest.mark.parametrize("key", KEYS)
def test_a_copy_has_the_same_keys_and_another_document_has_not(key: str) -> None:
    made = make(key)
    batch = documents(PROSE, OTHER, PROSE, url=[URLS[0], URLS[1], URLS[0]])
    keys = last_keys(made, batch, batch)
    assert of_row(keys, 0) == of_row(keys, 2)
    assert len(of_row(keys, 0)) > 0
    assert not {one[:2] for one in of_row(keys, 0)} & {one[:2] for one in of_row(keys, 1)}


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_spans_lie_within_the_text_on_boundaries_of_characters(key: str, batch: pa.RecordBatch) -> None:
    made = make(key)
    keys = last_keys(made, batch, batch)
    assert (keys.start is not None) == (keys.stop is not None) == (made.use == "spans")
    if keys.start is None or keys.stop is None:
        return
    if isinstance(made, Spans):
        assert made.min_copies >= 2
    assert (keys.start < keys.stop).all()
    spans = merge_spans(keys.row, keys.start, keys.stop, len(batch))
    spans = made.fit(batch.column("text"), spans)
    for text, bounds in zip(batch.column("text").to_pylist(), spans.to_pylist(), strict=True):
        content = (text or "").encode()
        assert all(0 <= one["start"] < one["stop"] <= len(content) for one in bounds)
        assert all(content[one["start"] : one["stop"]].decode() for one in bounds)


@pytest.mark.parametrize("key", KEYS)
def test_its_pairs_join_copies_and_name_rows_of_the_bucket(key: str) -> None:
    made = make(key)
    if not isinstance(made, Links):
        return
    batch = documents(PROSE, OTHER, PROSE, url=[URLS[0], URLS[1], URLS[0]])
    keys = made.keys(batch)
    order = np.lexsort((keys.row, keys.lo, keys.hi))
    vector = None if keys.vector is None else keys.vector[order]
    pairs = made.pairs(keys.hi[order], keys.lo[order], vector)
    rows = keys.row[order]
    assert set(zip(rows[pairs.left].tolist(), rows[pairs.right].tolist(), strict=True)) == {(0, 2)}
    none = made.pairs(keys.hi[:0], keys.lo[:0], None if vector is None else vector[:0])
    assert (len(none.left), len(none.right), none.skipped) == (0, 0, 0)


@pytest.mark.parametrize("key", KEYS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.too_slow])
@given(batch=batches)
def test_signatures_are_those_of_the_document_alone_and_give_its_keys(key: str, batch: pa.RecordBatch) -> None:
    made = make(key)
    if not isinstance(made, Verifies):
        return
    signatures = made.sign(batch)
    keys = made.keys(batch)
    assert signatures.type == made.signature_type()
    if made.evidence_type() is not None:
        assert made.evidence(batch).type == made.evidence_type()
    again = made.keys_of(signatures)
    assert all(of_row(keys, row) == of_row(again, row) for row in range(len(batch)))
    assert signatures.is_valid().to_pylist() == [bool(of_row(keys, row)) for row in range(len(batch))]
    for row in range(len(batch)):
        assert made.sign(batch.slice(row, 1))[0] == signatures[row]
        if signatures[row].is_valid:
            assert made.agree(signatures.slice(row, 1), signatures.slice(row, 1)).tolist() == [True]


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("key", KEYS)
def test_hostile_documents(key: str, content: bytes) -> None:
    made = make(key)
    text = pa.array([content, b"\xe2\x80", content], pa.large_binary()).view(pa.large_string())
    url = pa.array([content.decode(errors="replace"), "\0", content.decode(errors="replace")])
    batch = pa.record_batch({"text": text, "url": url})
    keys = last_keys(made, batch, batch)
    assert of_row(keys, 0) == of_row(keys, 2)


@pytest.mark.parametrize("key", KEYS)
def test_it_has_as_many_keys_as_it_says(key: str) -> None:
    made = make(key)
    for text in (PROSE, OTHER, PROSE + OTHER):
        keys = made.keys(documents(text, url=[URLS[0]]))
        assert made.keys_each() in (None, len(keys.hi))


@pytest.mark.parametrize("key", KEYS)
def test_what_it_says_of_rounds_and_later_runs_goes_together(key: str) -> None:
    made = make(key)
    assert made.rounds in (1, 2)
    assert made.rounds == 1 or not made.read_later, "keys of a first round say nothing to a later run"
    assert made.rounds == 1 or made.use == "spans"


@pytest.mark.parametrize("key", KEYS)
def test_it_can_be_sent_to_a_worker(key: str) -> None:
    made = make(key)
    again = pickle.loads(pickle.dumps(made))
    assert again == made
    batch = documents(PROSE, OTHER, url=[URLS[0], None])
    assert all(of_row(again.keys(batch), row) == of_row(made.keys(batch), row) for row in range(2))


@pytest.mark.parametrize("key", KEYS)
def test_the_file_cites_its_source_or_says_why(key: str) -> None:
    docstring = importlib.import_module(f"curation.dedup.{key}").__doc__ or ""
    assert re.search(r"\n(Source: |Why )", docstring)


@pytest.mark.parametrize("key", KEYS)
def test_it_has_its_own_test_file(key: str) -> None:
    assert (Path(__file__).parents[1] / "curation" / "dedup" / f"test_{key}.py").is_file()
