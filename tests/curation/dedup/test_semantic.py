"""Semantic duplicates: planted ones, the threshold, parts and probes, columns of vectors, and what has no key."""

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.core.dedup_methods import Links
from curation.core.errors import InputError, RecipeError
from curation.dedup import semantic
from curation.dedup.semantic import Semantic, close_pairs
from curation.models.embeddings.directions import Vectors, unit
from tests.support import documents

WORDS = "cat 1 0 0\nkitten 0.98 0.05 0\nstone 0 1 0\nrock 0.05 0.98 0\nsea 0 0 1\n"
FLOATS = pa.list_(pa.float32())


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "words.vec").write_text(WORDS)
    np.save(tmp_path / "centroids.npy", np.eye(3, dtype=np.float32))
    return {"model": str(tmp_path / "words.vec"), "centroids": str(tmp_path / "centroids.npy")}


def centroids(folder: Path, vectors: Any) -> str:
    np.save(folder / "c.npy", np.array(vectors, np.float32))
    return str(folder / "c.npy")


def batch_of(vectors: Any, kind: pa.DataType = FLOATS) -> pa.RecordBatch:
    """Documents with a column of vectors."""
    column = pa.array([None if v is None else list(v) for v in vectors], kind)
    return documents(*[""] * len(column), embedding=column)


def found(method: Semantic, batch: pa.RecordBatch, order: Any = None) -> set[tuple[int, int]]:
    """Pairs of rows, smaller first, as the engine has them found; `order` is in what order the rows survive."""
    keys = method.keys(batch)
    assert keys.vector is not None
    rank = np.arange(batch.num_rows) if order is None else np.argsort(order)
    by = np.lexsort((rank[keys.row], keys.lo, keys.hi))
    pairs = method.pairs(keys.hi[by], keys.lo[by], keys.vector[by])
    row = keys.row[by]
    assert all(rank[row[a]] < rank[row[b]] for a, b in zip(pairs.left, pairs.right, strict=True))
    return {(min(a, b), max(a, b)) for a, b in zip(row[pairs.left].tolist(), row[pairs.right].tolist(), strict=True)}


def test_planted_duplicates(files: dict[str, Any]) -> None:
    texts = ["the cat", "Rock!", "a kitten", "stone", "sea", "cat, kitten", "cat sea"]
    assert found(Semantic(**files), documents(*texts)) == {(0, 2), (0, 5), (2, 5), (1, 3)}


def test_documents_without_a_vector_have_no_key(files: dict[str, Any]) -> None:
    keys = Semantic(**files).keys(documents("", None, "sea", "no such words", ". . .", "cat"))
    assert keys.row.tolist() == [2, 5]
    assert keys.vector is not None
    assert keys.vector.tolist() == [[0, 0, 1], [1, 0, 0]]
    assert keys.vector.dtype == np.float32
    assert len(set(keys.hi.tolist())) == 2
    none = Semantic(**files).keys(documents())
    assert none.row.tolist() == []
    for vectors in (none.vector, np.empty((0, 0), np.float32)):
        assert len(Semantic(**files).pairs(none.hi, none.lo, vectors).left) == 0


@pytest.mark.parametrize(
    ("cosine", "threshold", "close"),
    [
        pytest.param(0.9500001, 0.95, True, id="past it"),
        pytest.param(0.95, 0.95, True, id="at it"),
        pytest.param(0.949998, 0.95, False, id="two millionths below"),
        pytest.param(1.0, 1.0, True, id="equal at 1"),
        pytest.param(0.999998, 1.0, False, id="nearly equal at 1"),
        pytest.param(0.5, 0.5, True, id="one half"),
        pytest.param(-1.0, 0.01, False, id="opposite"),
    ],
)
def test_the_threshold(tmp_path: Path, cosine: float, threshold: float, close: bool) -> None:
    method = Semantic(column="embedding", centroids=centroids(tmp_path, [[1, 0]]), threshold=threshold)
    batch = batch_of([[2.0, 0.0], [3 * cosine, 3 * np.sqrt(1 - cosine**2)]], pa.list_(pa.float64()))
    assert found(method, batch) == ({(0, 1)} if close else set())


def drawn(rows: int, dimensions: int = 4) -> Vectors:
    return unit(np.random.default_rng(8).normal(size=(rows, dimensions)))


def slowly(vectors: Vectors, middles: Vectors, probes: int, threshold: float) -> set[tuple[int, int]]:
    near = np.argsort(-(vectors @ middles.T), axis=1)[:, :probes].tolist()
    pairs = np.argwhere(np.triu(vectors @ vectors.T >= threshold, 1)).tolist()
    return {(a, b) for a, b in pairs if set(near[a]) & set(near[b])}


@pytest.mark.parametrize("probes", [1, 2, 5, 9])
def test_pairs_that_share_a_part(tmp_path: Path, probes: int) -> None:
    vectors = drawn(300)
    middles = unit(np.random.default_rng(9).normal(size=(5, 4)))
    path = centroids(tmp_path, middles)
    method = Semantic(column="embedding", centroids=path, threshold=0.9, probes=probes)
    expected = slowly(vectors, middles, probes, 0.9)
    assert found(method, batch_of(vectors)) == expected
    everything = slowly(vectors, middles, 5, 0.9)
    assert (expected == everything) is (probes >= 5) or probes > 2
    assert len(expected) > 300


def test_neither_order_nor_batches_change_the_pairs(tmp_path: Path) -> None:
    vectors = drawn(200)
    method = Semantic(column="embedding", centroids=centroids(tmp_path, drawn(3)), threshold=0.9)
    expected = found(method, batch_of(vectors))
    order = np.random.default_rng(1).permutation(200)
    assert found(method, batch_of(vectors), order) == expected
    whole = method.keys(batch_of(vectors))
    parts = [method.keys(batch_of(vectors).slice(at, 7)) for at in range(0, 200, 7)]
    for name in ("hi", "lo", "vector"):
        assert np.array_equal(np.concatenate([getattr(part, name) for part in parts]), getattr(whole, name))


def test_a_part_too_large_is_compared_with_its_best(tmp_path: Path) -> None:
    path = centroids(tmp_path, [[1, 0]])
    batch = batch_of([[1, 0], [0, 1], [1, 0.01], [0.01, 1], [0.01, 1.001]])
    assert found(Semantic(column="embedding", centroids=path), batch) == {(0, 2), (1, 3), (1, 4), (3, 4)}
    method = Semantic(column="embedding", centroids=path, max_part=2)
    assert found(method, batch) == {(0, 2), (1, 3), (1, 4)}
    keys = method.keys(batch)
    assert method.pairs(keys.hi, keys.lo, keys.vector).skipped == 3


@pytest.mark.parametrize(
    "kind", [FLOATS, pa.large_list(pa.float64()), pa.list_(pa.float16()), pa.list_(pa.float32(), 2)], ids=str
)
def test_columns_of_vectors(tmp_path: Path, kind: pa.DataType) -> None:
    vectors: list[Any] = [[3.0, 4.0], None, [0.0, 0.0], [float("nan"), 1.0], [0.0, 2.0]]
    if not pa.types.is_fixed_size_list(kind):
        vectors += [[1.0], [], [1.0, 2.0, 3.0]]
    method = Semantic(column="embedding", centroids=centroids(tmp_path, [[1, 0], [0, 1]]))
    assert method.reads == ("embedding",)
    batch = batch_of(vectors, kind)
    for keys in (method.keys(batch), method.keys(pa.concat_batches([batch, batch]).slice(len(vectors)))):
        assert keys.row.tolist() == [0, 4]
        assert keys.vector is not None
        assert np.allclose(keys.vector, [[0.6, 0.8], [0.0, 1.0]], atol=1e-3)
    assert method.keys(batch.slice(4, 1)).row.tolist() == [0]


def test_a_null_among_numbers_is_no_vector(tmp_path: Path) -> None:
    method = Semantic(column="embedding", centroids=centroids(tmp_path, [[1, 0], [0, 1]]))
    assert method.keys(batch_of([[1.0, None], [1.0, 2.0]])).row.tolist() == [1]


@pytest.mark.parametrize(
    ("kind", "values", "message"),
    [
        pytest.param(
            pa.list_(pa.float32(), 3), [[1, 2, 3]], "vectors of 3 dimensions, the centroids 2", id="another D"
        ),
        pytest.param(pa.list_(pa.int32()), [[1, 2]], "vectors are lists of floats", id="whole numbers"),
    ],
)
def test_columns_that_hold_none(tmp_path: Path, kind: pa.DataType, values: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Semantic(column="embedding", centroids=centroids(tmp_path, [[1, 0]])).keys(batch_of(values, kind))


def test_an_encoder_of_other_dimensions(files: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has 2 dimensions, .*words.vec 3"):
        Semantic(**files | {"centroids": centroids(tmp_path, [[1, 0]])}).keys(documents("cat"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({}, "either model", id="neither model nor column"),
        pytest.param({"model": "a", "column": "b"}, "either model", id="both"),
        pytest.param(
            {"model": "a", "threshold": 0.0}, "threshold is 0.0; give a cosine above 0 and up to 1", id="threshold 0"
        ),
        pytest.param({"model": "a", "threshold": 1.01}, "threshold is 1.01; give a cosine", id="threshold above 1"),
        pytest.param({"model": "a", "probes": 0}, "probes and max_part of 1 or more", id="no probes"),
        pytest.param({"model": "a", "max_part": 0}, "probes and max_part of 1 or more", id="no part"),
        pytest.param({"model": "a", "centroids": ""}, "centroids names no file", id="no centroids"),
        pytest.param({"model": "a", "encoder": "fast"}, "no encoder named 'fast'", id="no encoder"),
    ],
)
def test_options_that_cannot_work(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        Semantic(**{"centroids": "c.npy", **options})


def test_it_pairs_keys_and_has_assets(files: dict[str, Any]) -> None:
    method = Semantic(**files)
    assert isinstance(method, Links)
    assert method.assets() == files
    assert Semantic(column="v", centroids=files["centroids"]).assets() == {"centroids": files["centroids"]}


EVERY = 10**9


def pairs(vectors: Vectors, limit: float, most: int = EVERY) -> list[tuple[int, int]]:
    left, right, _ = close_pairs(vectors, limit, most)
    return list(zip(left.tolist(), right.tolist(), strict=True))


def pairs_slowly(vectors: Vectors, limit: float, most: int = EVERY) -> list[tuple[int, int]]:
    """Every close pair of different vectors, and each copy with the first that it equals."""
    rows = [tuple(vector) for vector in vectors.tolist()]
    first = [rows.index(row) for row in rows]
    heads = sorted(set(first))
    exact = vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    close = {(i, j) for n, j in enumerate(heads) for i in heads[: min(n, most)] if exact[i, j] >= limit}
    return sorted(close | {(first[j], j) for j in range(len(rows)) if first[j] != j}, key=lambda pair: pair[::-1])


coordinates = st.integers(-3, 3)


@given(
    st.lists(st.tuples(coordinates, coordinates, coordinates).filter(any), min_size=1, max_size=40),
    st.sampled_from([0.3, 0.7, 0.9, 0.999999]),
    st.integers(1, 40),
)
def test_like_every_pair(points: list[tuple[int, int, int]], limit: float, most: int) -> None:
    vectors = unit(np.array(points))
    assert pairs(vectors, limit, most) == pairs_slowly(vectors, limit, most)


@pytest.mark.parametrize("most", [EVERY, 300, 256, 100])
@pytest.mark.parametrize("rows", [64, 100, 1024])
def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch, rows: int, most: int) -> None:
    monkeypatch.setattr(semantic, "ROWS", rows)
    vectors = unit(np.random.default_rng(2).normal(size=(400, 6)))
    found = pairs(vectors, 0.8, most)
    assert found == pairs_slowly(vectors, 0.8, most)
    assert found


def test_exactly_at_the_limit_and_past_it() -> None:
    vectors = np.array([[1, 0], [0.5, 0.75], [0.25, 0.9375]], np.float32)  # products of these are exact
    assert pairs(vectors, 0.5) == [(0, 1), (1, 2)]
    assert pairs(vectors, np.nextafter(0.5, 1)) == [(1, 2)]
    assert pairs(vectors, 0.828125) == [(1, 2)]
    assert pairs(vectors, np.nextafter(0.828125, 1)) == []


def test_one_vector_and_none() -> None:
    assert pairs(unit(np.array([[1, 0]])), 0.9) == []
    assert pairs(np.empty((0, 2), np.float32), 0.9) == []
