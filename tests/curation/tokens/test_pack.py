"""Whole packs: exact bytes by hand, sub-sources, and every document recoverable from rows and lineage by any method."""

import itertools
import json
import resource
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.core.errors import UserError
from curation.tokens.pack import Method, Pack, tokens_section
from curation.tokens.packing.row_writer import COUNTS
from curation.tokens.packing.split_by import MAX_LABELS, SplitBy
from curation.tokens.token_files import PADDING_BIT, open_rows, open_segments
from tests.curation.tokens.support import END, PAD, VOCABULARY, token_batch

THREE = {"a": [10, 11, END], "b": [END], "c": [20, 21, 22, 23, 24, 25, END]}


METHODS: tuple[Method, ...] = ("concat", "best_fit", "one_per_row")


def pack(
    folder: Path, *batches: pa.RecordBatch, length: int = 4, method: Method = "concat", split_by: SplitBy | None = None
) -> list[dict[str, Any]]:
    packer = Pack(sequence_length=length, method=method, split_by=split_by)
    return packer.pack(0, batches, str(folder), source="web", vocabulary=VOCABULARY)


def test_three_documents(tmp_path: Path) -> None:
    part, empty = pack(tmp_path, token_batch(THREE))
    rows = np.fromfile(tmp_path / "tokens-00000.bin", "<u2").reshape(-1, 5)
    assert rows.tolist() == [[10, 11, END, END, 20], [20, 21, 22, 23, 24], [24, 25, END, PAD, PAD]]
    index = open_segments(str(tmp_path / "tokens-00000.idx"), rows=3, row_tokens=5, item_bytes=2)
    assert index.offsets.tolist() == [0, 3, 4, 6]
    assert index.lengths.tolist() == [3, 1, 1, 5, 3, 2 | PADDING_BIT]
    assert {name: part[name] for name in ("name", "source", "split", "rows", "tokens", "documents", "utf8_bytes")} == {
        "name": "tokens-00000", "source": "web", "split": "train",
        "rows": 3, "tokens": 11, "documents": 3, "utf8_bytes": 30,
    }  # fmt: skip
    assert (part["padding"], part["cut"]) == (2, 1)
    assert empty["name"] == "validation-00000"


def test_no_documents_give_whole_empty_files(tmp_path: Path) -> None:
    for part in pack(tmp_path):
        name = str(part["name"])
        assert (part["rows"], part["tokens"], part["documents"]) == (0, 0, 0)
        assert (tmp_path / f"{name}.bin").read_bytes() == b""
        assert open_segments(str(tmp_path / f"{name}.idx"), rows=0, row_tokens=5, item_bytes=2).offsets.tolist() == [0]
        assert pq.read_table(tmp_path / f"{name}.parquet").num_rows == 0


def test_splits_go_into_files_of_their_own(tmp_path: Path) -> None:
    train, validation = pack(tmp_path, token_batch(THREE, validation=("b",)))
    assert (train["tokens"], train["documents"]) == (10, 2)
    assert (validation["tokens"], validation["documents"]) == (1, 1)
    assert np.fromfile(tmp_path / "validation-00000.bin", "<u2").tolist() == [END, PAD, PAD, PAD, PAD]


def test_a_retry_leaves_the_same_and_batches_do_not_matter(tmp_path: Path) -> None:
    whole = pack(tmp_path, token_batch({"x": [5] * 100 + [END]}), token_batch(THREE))
    again = pack(
        tmp_path, token_batch({"x": [5] * 100 + [END], "a": THREE["a"]}), token_batch({k: THREE[k] for k in "bc"})
    )
    assert json.dumps(again) == json.dumps(whole)


documents = st.lists(st.integers(1, 30), max_size=12)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40, deadline=None)
@given(batches=st.lists(documents, max_size=5), length=st.integers(1, 12), held_out=st.sets(st.integers(0, 20)))
def test_documents_come_back(method: Method, batches: list[list[int]], length: int, held_out: set[int]) -> None:
    numbers = itertools.count()
    contents = [{f"d{next(numbers)}": [*range(2, size + 1), END] for size in sizes} for sizes in batches]
    held = tuple(f"d{n}" for n in held_out)
    with TemporaryDirectory() as name:
        folder = Path(name)
        parts = pack(folder, *(token_batch(one, validation=held) for one in contents), length=length, method=method)
        found = {}
        for part in parts:
            found.update(recover(folder, {**part, "method": method}, length))
    assert found == {doc: tokens for one in contents for doc, tokens in one.items()}


def recover(folder: Path, part: dict[str, Any], length: int) -> dict[str, list[int]]:
    """Each document's tokens from rows and lineage; checks on the way that all counts agree."""
    stem = str(folder / part["name"])
    shape = {"rows": part["rows"], "row_tokens": length + 1}
    rows = open_rows(stem + ".bin", **shape, dtype="<u2")
    index = open_segments(stem + ".idx", **shape, item_bytes=2)
    lineage = pq.read_table(stem + ".parquet").to_pylist()
    assert sum(s["length"] for s in lineage if s["padding"]) == part["padding"]
    assert np.diff(index.offsets).tolist() == [sum(s["row"] == row for s in lineage) for row in range(part["rows"])]
    assert index.lengths.tolist() == [s["length"] | (PADDING_BIT if s["padding"] else 0) for s in lineage]
    documents: dict[str, dict[int, int]] = {}
    rows_of: dict[str, set[int]] = {}
    last: dict[int, int] = {}
    for segment in lineage:
        assert segment["position"] == last.get(segment["row"], 0)
        last[segment["row"]] = segment["position"] + segment["length"]
        start = segment["position"]
        stop = segment["position"] + segment["length"]
        tokens = rows[segment["row"], start:stop].tolist()
        if segment["padding"]:
            assert tokens == [PAD] * len(tokens)
            continue
        known = documents.setdefault(segment["doc_id"], {})
        rows_of.setdefault(segment["doc_id"], set()).add(segment["row"])
        for place, token in enumerate(tokens, start=segment["doc_offset"]):
            assert known.setdefault(place, token) == token
    assert sum(map(len, documents.values())) == part["tokens"]
    assert len(documents) == part["documents"]
    assert set(last.values()) <= {length + 1}
    if part["method"] != "concat":  # a document that fits a row is in one
        assert all((len(rows_of[doc]) > 1) == (len(known) > length + 1) for doc, known in documents.items())
        assert sum(len(rows) > 1 for rows in rows_of.values()) == part["cut"]
    return {doc: [known[place] for place in range(len(known))] for doc, known in documents.items()}


def test_section_adds_up_by_source_and_split(tmp_path: Path) -> None:
    packer = Pack(sequence_length=4)
    web = packer.pack(0, [token_batch(THREE, validation=("b",))], str(tmp_path), source="web", vocabulary=VOCABULARY)
    more = packer.pack(1, [token_batch(THREE)], str(tmp_path), source="web", vocabulary=VOCABULARY)
    code = [token_batch({"z": [5, END]}, source="code")]
    parts = [*web, *more, *packer.pack(2, code, str(tmp_path), source="code", vocabulary=VOCABULARY)]
    section = tokens_section(parts, pack=packer, vocabulary=VOCABULARY)
    nothing = {"rows": 0, "tokens": 0, "documents": 0, "utf8_bytes": 0, "padding": 0, "cut": 0}
    assert section["sources"] == {
        "web": {
            "train": {"rows": 6, "tokens": 21, "documents": 5, "utf8_bytes": 50, "padding": 5, "cut": 2},
            "validation": {"rows": 1, "tokens": 1, "documents": 1, "utf8_bytes": 10, "padding": 4, "cut": 0},
        },
        "code": {
            "train": {"rows": 1, "tokens": 2, "documents": 1, "utf8_bytes": 10, "padding": 3, "cut": 0},
            "validation": nothing,
        },
    }
    assert (section["dtype"], section["row_tokens"], section["vocabulary"]) == ("uint16", 5, 1000)
    assert (section["end_of_text"], section["padding"], section["format_version"]) == (END, PAD, 2)
    assert (section["method"], section["split_by"]) == ("concat", None)
    assert len(section["parts"]) == 6
    assert json.loads(json.dumps(section)) == section


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        pytest.param(token_batch(THREE, source="code"), "documents of another source", id="another source"),
        pytest.param(token_batch(THREE, kind=pa.uint32()), "tokens are .*uint32.*uint16", id="another width"),
        pytest.param(
            token_batch({"a": [5, 1000, END]}),
            "id 1,000, the tokenizer's vocabulary ends before 1,000",
            id="no such id",
        ),
        pytest.param(
            token_batch(THREE).set_column(4, "split", pa.array(["train", "test", "train"])),
            "neither",
            id="a third split",
        ),
    ],
)
def test_refused(tmp_path: Path, batch: pa.RecordBatch, message: str) -> None:
    with pytest.raises(UserError, match=message):
        pack(tmp_path, batch)


def test_rows_need_a_token_to_predict() -> None:
    assert Pack(sequence_length=1).sequence_length == 1
    with pytest.raises(UserError, match="at least 1"):
        Pack(sequence_length=0)


@pytest.mark.parametrize("method", METHODS)
def test_documents_that_were_taken_down_are_passed_over(tmp_path: Path, method: Method) -> None:
    batch = token_batch(THREE)
    gone = pa.array([None, *batch.column("tokens").to_pylist()[1:]], batch.column("tokens").type)
    part, _ = pack(tmp_path, batch.set_column(3, "tokens", gone), method=method)
    assert (part["tokens"], part["documents"], part["utf8_bytes"]) == (8, 2, 20)
    lineage = pq.read_table(tmp_path / "tokens-00000.parquet").to_pylist()
    assert {(one["doc_id"], one["document"]) for one in lineage} == {("b", 0), ("c", 1), (None, None)}


def with_values(batch: pa.RecordBatch, values: list[Any]) -> pa.RecordBatch:
    return batch.append_column("split_by", pa.array(values))


def test_sub_sources_have_files_of_their_own(tmp_path: Path) -> None:
    batches = [
        with_values(token_batch({"a": [5, END], "b": [6, END], "c": [7, END]}, validation=("c",)), [5, 1, 2]),
        with_values(token_batch({"d": [8, END], "e": [9, 9, END]}), [None, 7]),
    ]
    parts = pack(tmp_path, *batches, split_by=SplitBy(column="n", edges=(2, 5)))
    assert [(part["name"], part["source"], part["split"], part["documents"]) for part in parts] == [
        ("validation-00000-2_to_5", "web/2_to_5", "validation", 1),
        ("tokens-00000-below_2", "web/below_2", "train", 1),
        ("tokens-00000-from_5", "web/from_5", "train", 2),
        ("tokens-00000-none", "web/none", "train", 1),
    ]
    rows = {path.stem: np.fromfile(path, "<u2").reshape(-1, 5).tolist() for path in tmp_path.glob("*.bin")}
    assert rows["tokens-00000-from_5"] == [[5, END, 9, 9, END]]
    lineage = pq.read_table(tmp_path / "tokens-00000-from_5.parquet").to_pylist()
    assert [(one["doc_id"], one["source"], one["document"]) for one in lineage] == [("a", "web", 0), ("e", "web", 1)]
    section = tokens_section(parts, pack=Pack(split_by=SplitBy(column="n", edges=(2, 5))), vocabulary=VOCABULARY)
    assert list(section["sources"]) == ["web/2_to_5", "web/below_2", "web/from_5", "web/none"]
    assert section["sources"]["web/2_to_5"]["train"]["rows"] == 0
    assert section["split_by"] == {"column": "n", "edges": (2.0, 5.0), "values": ()}


def test_too_many_sub_sources_in_all_shards_together() -> None:
    parts = [{"source": f"web/{label}", "split": "train"} | dict.fromkeys(COUNTS, 0) for label in range(MAX_LABELS + 1)]
    packer = Pack(split_by=SplitBy(column="n"))
    assert len(tokens_section(parts[:-1], pack=packer, vocabulary=VOCABULARY)["sources"]) == MAX_LABELS
    with pytest.raises(UserError, match="makes 257 sub-sources, 256 are possible"):
        tokens_section(parts, pack=packer, vocabulary=VOCABULARY)


@pytest.mark.parametrize("method", METHODS)
def test_how_a_shard_was_cut_into_batches_changes_no_byte(tmp_path: Path, method: Method) -> None:
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 40, 300).tolist()
    whole = {f"d{i}": [*rng.integers(2, 900, size - 1).tolist(), END] for i, size in enumerate(sizes)}
    held = tuple(f"d{i}" for i in range(0, 300, 7))
    cuts = ([0, 300], [0, 1, 2, 130, 300], [*range(0, 300, 11), 300])
    made = []
    for cut in cuts:
        ids = list(whole)
        batches = [
            token_batch({one: whole[one] for one in ids[start:stop]}, validation=held)
            for start, stop in itertools.pairwise(cut)
        ]
        parts = pack(tmp_path, *batches, length=16, method=method)
        made.append((json.dumps(parts), {path.name: path.read_bytes() for path in sorted(tmp_path.iterdir())}))
    assert made[0] == made[1] == made[2]


def test_the_fullest_windows_and_lineages_are_written_early_whatever_the_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.tokens.pack.CHECKED_DOCUMENTS", 16)
    monkeypatch.setattr("curation.tokens.pack.WAITING_TOKENS", 1024)  # a piece counts as 128 at least
    monkeypatch.setattr("curation.tokens.pack.WAITING_SEGMENTS", 30)
    documents = {f"d{i}": [*[2 + i] * (i % 9), END] for i in range(200)}
    labels = [0 if i % 3 else i % 7 for i in range(200)]
    made = []
    for number, cut in enumerate(([0, 200], [0, 3, 16, 17, 130, 200], [*range(0, 200, 5), 200])):
        (folder := tmp_path / str(number)).mkdir()
        batches = [
            with_values(token_batch({f"d{i}": documents[f"d{i}"] for i in range(start, stop)}), labels[start:stop])
            for start, stop in itertools.pairwise(cut)
        ]
        parts = pack(folder, *batches, length=12, method="best_fit", split_by=SplitBy(column="n"))
        made.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
        found = [document for part in parts for document in recover(folder, {**part, "method": "best_fit"}, 12)]
        assert sorted(found) == sorted(documents)
    assert made[0] == made[1] == made[2]
    lineage = pq.ParquetFile(tmp_path / "0" / "tokens-00000-0.parquet")
    assert lineage.metadata.num_row_groups > 3
    alone = lineage.read()["padding"].to_pylist().count(True)
    assert alone > 5  # rows that one window over all documents would have filled


@pytest.mark.parametrize("method", METHODS)
def test_a_document_of_many_rows_is_never_held_twice(tmp_path: Path, method: Method) -> None:
    batch = token_batch({"a": [5, END]})
    ids = np.full(10_000_000, 7, np.uint16)
    ids[-1] = END
    tokens = pa.LargeListArray.from_arrays(pa.array([0, 10_000_000]), pa.array(ids))
    batch = batch.set_column(3, "tokens", tokens)
    tracemalloc.start()
    try:
        part, _ = pack(tmp_path, batch, length=2048, method=method)
        assert tracemalloc.get_traced_memory()[1] < 15_000_000  # of NumPy; the document has 20 MB
    finally:
        tracemalloc.stop()
    assert (part["tokens"], part["rows"], part["cut"]) == (10_000_000, 4883, 1)


def test_as_many_sub_sources_as_there_may_be_and_one_more(tmp_path: Path) -> None:
    """In both splits: more files than a process may have open by default."""
    documents = {f"d{i}": [i + 2, END] for i in range(2 * MAX_LABELS)}
    held = tuple(f"d{i}" for i in range(MAX_LABELS))
    batch = with_values(token_batch(documents, validation=held), [i % MAX_LABELS for i in range(2 * MAX_LABELS)])
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, limit[1]), limit[1]))
    try:
        parts = pack(tmp_path, batch, split_by=SplitBy(column="n"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
    assert len(parts) == 2 * MAX_LABELS
    more = with_values(token_batch({"x": [5, END]}), [300])
    with pytest.raises(UserError, match="makes 257 sub-sources"):
        pack(tmp_path, batch, more, split_by=SplitBy(column="n"))
