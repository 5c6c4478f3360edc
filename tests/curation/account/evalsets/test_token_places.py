"""The tokens that spell bytes of a document."""

from pathlib import Path

import numpy as np

from curation.account.evalsets.excerpts import TextSpan
from curation.account.evalsets.token_places import token_ranges
from curation.account.lineage.token_rows import _within
from curation.account.run import Run
from tests.curation.account.evalsets import curate


def test_the_tokens_of_a_span(tmp_path: Path) -> None:
    stage = Run.open(curate(tmp_path, found=False)).stage("tokenize")
    shard = stage.shards[0]
    text = shard.column("text", np.array([0]))[0].as_py()
    tokens = shard.column("tokens", np.array([0]))[0].as_py()
    whole = token_ranges(shard, 0, [TextSpan(0, len(text.encode()))])
    assert whole == ((0, len(tokens) - 1),)  # the last one ends the text
    assert token_ranges(shard, 0, []) is None
    ((first, last),) = token_ranges(shard, 0, [TextSpan(0, 1)]) or ()
    assert (first, last) == (0, 1)


def test_a_stage_without_tokens(tmp_path: Path) -> None:
    shard = Run.open(curate(tmp_path, found=False)).stage("read").shards[0]
    assert token_ranges(shard, 0, [TextSpan(0, 1)]) is None


def test_parts_of_segments() -> None:
    segments = [
        {"row": 3, "position": 10, "doc_offset": 0, "length": 5},
        {"row": 4, "position": 0, "doc_offset": 5, "length": 20},
    ]
    assert _within(segments, None) == tuple(segments)
    assert _within(segments, [(4, 7), (24, 30)]) == (
        {"row": 3, "position": 14, "doc_offset": 4, "length": 1},
        {"row": 4, "position": 0, "doc_offset": 5, "length": 2},
        {"row": 4, "position": 19, "doc_offset": 24, "length": 1},
    )
    assert _within(segments, [(25, 30)]) == ()
