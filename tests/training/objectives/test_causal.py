"""Causal: labels are the next tokens, padding carries no loss wherever it stands; `pack` and mixes say the same."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from curation.tokens.manifests import INDEX
from curation.tokens.pack import Method, Pack
from curation.tokens.shards import TokenData
from tests.curation.tokens.support import END, token_batch, write_mix, write_pack
from tests.training.objectives.rows import ids_of
from training.batch import Row
from training.objectives.causal import Causal

IDS = ids_of(Causal(), 4)
TOKENS = np.array([8, 1, 9, 0, 7, 1], np.uint16)
SEGMENTS = np.array([1, 0, 2, 2, 3, 0], np.int32)


@pytest.mark.parametrize(
    ("apart", "weights"),
    [pytest.param(False, [0, 1, 1, 1, 0], id="together"), pytest.param(True, [0, 0, 1, 0, 0], id="apart")],
)
def test_labels_are_the_next_tokens_and_padding_does_not_count(apart: bool, weights: list[int]) -> None:
    example = Causal().example(Row(TOKENS, SEGMENTS, apart, IDS), np.random.default_rng(0))
    assert example.inputs.tolist() == [8, 1, 9, 0, 7]
    assert example.labels.tolist() == [1, 9, 0, 7, 1]
    assert example.weights.tolist() == weights
    assert example.segments.tolist() == [1, 0, 2, 2, 3]


def test_it_draws_nothing() -> None:
    rng = np.random.default_rng(3)
    Causal().example(Row(TOKENS, SEGMENTS, True, IDS), rng)
    assert rng.integers(1 << 30) == np.random.default_rng(3).integers(1 << 30)


# Best fit, rows of 5 tokens: rows for the beginnings of `long` and `longer` and for `exact`; then the rest of `longer`
# (4 tokens from the 8th on), `a` with the rest of `long` (2 from the 8th on), `b` with `d` and `c`.
LENGTHS = {"a": 3, "long": 10, "b": 2, "exact": 5, "c": 1, "longer": 12, "d": 2}


@pytest.mark.parametrize(
    ("method", "never", "twice"),
    [
        pytest.param("concat", {("a", 0)}, set(), id="all but a file's first"),
        pytest.param("one_per_row", {(name, 0) for name in LENGTHS}, set(), id="all but each document's first"),
        pytest.param(
            "best_fit",
            {(name, 0) for name in ("a", "long", "b", "exact", "longer")},
            {("long", 8)},
            id="all but those at a row's head, and the token that a rest goes on from",
        ),
    ],
)
def test_pack_and_mix_say_what_is_predicted(
    method: Method, never: set[tuple[str, int]], twice: set[tuple[str, int]], tmp_path: Path
) -> None:
    documents = {name: [*range(2, length + 1), END] for name, length in LENGTHS.items()}
    packer = Pack(method=method, sequence_length=4)
    pack = write_pack(tmp_path / "pack", [("web", [token_batch(documents)])], packer=packer)
    index = json.loads((write_mix(tmp_path, {"pack": pack}) / INDEX).read_text())
    data = TokenData.open(str(tmp_path))
    batch = data.read(0, data.rows)
    rows = [Row(*one, False, IDS) for one in zip(batch.tokens, batch.segment_ids, strict=True)]
    predicted = sum(int(Causal().example(row, np.random.default_rng(0)).weights.sum()) for row in rows)
    assert predicted == data.tokens == index["phases"][0]["tokens"]
    part = next(part for part in pack["parts"] if part["split"] == "train")
    assert predicted == part["rows"] * packer.sequence_length - part["padding"]

    labels = Counter(
        (one["doc_id"], one["doc_offset"] + slot)
        for one in pq.read_table(tmp_path / "pack" / f"{part['name']}.parquet").to_pylist()
        if one["doc_id"] is not None
        for slot in range(one["length"])
        if one["position"] + slot > 0
    )
    assert labels.total() == predicted
    tokens = {(name, offset) for name, length in LENGTHS.items() for offset in range(length)}
    assert tokens - set(labels) == never
    assert {token for token, times in labels.items() if times > 1} == twice
